"""The report's values and its file, without a browser."""

from __future__ import annotations

import json
import re
import struct
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.algorithms.visual_blocks.algorithm import VisualBlocks
from newsextract.algorithms.visual_blocks.features import TABLE_1
from newsextract.errors import ParameterError, UnknownAlgorithm, UsageError
from newsextract.inspection import report, views
from newsextract.inspection.views import Places, document, embedded, picture
from newsextract.page.nodes import STYLE_NAMES
from newsextract.page.snapshot import Snapshot
from newsextract.results import RecordSet
from tests.made_snapshots import made_snapshot

HITS = "<h1>Boats</h1><ul>" + "".join(
    f"<li class=hit><a href=/b/{n}>The boat number {n}</a><p>It lies at pier {n} and is for sale.</p></li>" for n in range(6)
)


def wide(html: str, **more: Any) -> Page:
    """A page whose elements have boxes that hold their children, as in a browser."""
    made = made_snapshot(f"<body>{html}", "https://boats.example/list", **more)
    nodes = made.nodes
    assert nodes.geometry is not None
    boxes = nodes.geometry.boxes.copy()
    boxes[:, 3] = np.where([bool(tag) for tag in nodes.tags], 20.25 * (nodes.ends - np.arange(len(nodes))), 18)
    geometry = replace(nodes.geometry, boxes=boxes, page_size=(616.0, 20.25 * len(nodes)))
    return Page.from_snapshot(replace(made, nodes=replace(nodes, geometry=geometry)))


def data_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    value: dict[str, Any] = json.loads(found[1])
    return value


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_what_is_in_it() -> None:
    made = report(wide(HITS), "mdr")
    data = data_of(made.html)
    assert (data["views"][0]["name"], data["views"][0]["total"]) == ("mdr, default", 6)
    assert made.records == 6
    assert made.blocks == sum(row["kept"] for row in data["blocks"]["rows"])
    assert data["blocks"]["names"] == [row.name for row in TABLE_1]
    assert len(data["blocks"]["names"]) == 34
    kept = [row for row in data["blocks"]["rows"] if row["kept"]]
    assert all(len(row["values"]) == 34 for row in kept)
    assert all(row["why"] for row in data["blocks"]["rows"] if not row["kept"])
    values, names = data["blocks"]["values"], data["blocks"]["names"]
    hit = next(row for row in kept if row["name"] == "li.hit")
    assert dict(zip(names, (values[i] for i in hit["values"]), strict=True))["HTMLTag"] == "li"
    assert len(hit["measures"]) == 3
    record = data["views"][0]["records"][2]
    assert record["text"] == "The boat number 2 It lies at pier 2 and is for sale."
    assert {(item["text"], item["link"]) for item in record["items"]} >= {("The boat number 2", "https://boats.example/b/2")}
    assert data["url"] == "https://boats.example/list"


def test_blocks_know_the_record_that_they_are_in() -> None:
    data = data_of(report(wide(HITS), "mdr").html)
    rows, view = data["blocks"]["rows"], data["views"][0]
    hits = [i for i, row in enumerate(rows) if row["name"] == "li.hit" and row["kept"]]
    assert [view["block_records"][i] for i in hits] == [0, 1, 2, 3, 4, 5]
    assert view["block_records"][0] == -1
    for i, record in zip(hits, view["records"], strict=True):
        assert record["box"] == rows[i]["box"]  # mdr reads the source; its elements are found again in what was drawn


def test_the_published_preset_is_one_view_with_region_and_clusters() -> None:
    data = data_of(report(wide(HITS), params={"preset": "published", "centre_offset": 1.0}).html)
    (view,) = data["views"]
    assert view["name"] == "visual_blocks, published with centre_offset = 1.0"
    assert view["parameters"]["centre_offset"] == 1.0
    assert [region["what"] for region in view["regions"]] == ["data region: ul"]
    assert view["total"] == 6
    assert {one["cluster"] for one in view["clusters"]} == {0}


def test_the_default_preset_shows_its_candidates_and_which_was_taken() -> None:
    data = data_of(report(wide(HITS)).html)
    first, paper = data["views"]
    assert first["name"] == "visual_blocks, default"
    assert paper["name"] == "published: the paper's layers"
    assert [one["region"] for one in first["candidates"]].count(0) == 1
    taken = next(one for one in first["candidates"] if one["region"] == 0)
    assert taken["records"] == first["total"] + len(first["noise"])
    assert all(len(box) == 4 for one in first["candidates"] for box in one["boxes"])
    assert "noise" in first
    assert paper["candidates"] == []


def test_the_algorithm_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[Page] = []
    run = VisualBlocks.__call__

    def counted(self: VisualBlocks, page: Page, **more: Any) -> RecordSet:
        pages.append(page)
        return run(self, page, **more)

    monkeypatch.setattr(VisualBlocks, "__call__", counted)
    assert report(wide(HITS)).records == 6
    assert len(pages) == 1


def test_a_page_without_text() -> None:
    made = report(wide(""), "mdr")
    assert (made.blocks, made.records) == (0, 0)
    data = data_of(made.html)
    assert data["blocks"]["rows"] == []
    assert [view["status"] for view in data["views"]] == ["empty", "empty"]
    assert all(view["reason"] for view in data["views"])


def test_more_records_than_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "MAX_RECORDS", 4)
    made = report(wide(HITS), "mdr")
    data = data_of(made.html)
    assert (data["views"][0]["total"], len(data["views"][0]["records"])) == (6, 4)
    assert made.notes[0] == "mdr, default: only the first 4 of 6 records are shown"
    assert data["views"][0]["warnings"] == [made.notes[0]]
    assert data["notes"] == []


def test_records_of_a_source_that_is_not_what_was_drawn_have_no_boxes() -> None:
    page = wide(HITS)
    assert page.snapshot is not None
    other = Page.from_snapshot(replace(page.snapshot, html=HITS + "<b>more</b>"))
    made = report(other, "mdr")
    assert "cannot be told" in made.notes[0]
    view = data_of(made.html)["views"][0]
    assert (view["total"], view["records"][0]["box"]) == (6, None)


def test_the_box_of_what_has_none_is_that_of_its_parts() -> None:
    page = wide("<div><p>one</p><p>two</p></div>")
    assert page.snapshot is not None
    nodes = page.snapshot.nodes
    assert nodes.geometry is not None
    div = nodes.tags.index("div")
    nodes.geometry.boxes[div] = 0
    places = Places(page, True)
    box = places.box((div,))
    assert box is not None
    assert box[0:3:2] == [8, 600.5]
    nodes.geometry.boxes[div:] = 0
    assert places.box((div,)) is None
    assert places.box(()) is None


def test_mistakes() -> None:
    with pytest.raises(UsageError, match="newsextract snapshot"):
        report(Page(b"<p>x"))
    with pytest.raises(UnknownAlgorithm):
        report(wide(HITS), "nothing")
    with pytest.raises(ParameterError):
        report(wide(HITS), params={"radius": 7.0})


# Picture


def test_texts_stand_where_there_is_no_picture() -> None:
    png = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", 1423, 100)
    page = wide(HITS)
    assert page.snapshot is not None
    bare = picture(page.snapshot)
    assert [text[5] for text in bare["texts"][:2]] == ["Boats", "The boat number 0"]
    assert bare["texts"][0][4] == 16
    assert bare["picture"] == (0, 0)
    pictured = picture(replace(page.snapshot, screenshot=png))
    assert pictured["picture"] == (1423, 100)
    assert all(text[1] >= 100 for text in pictured["texts"])
    assert 0 < len(pictured["texts"]) < len(bare["texts"])


@pytest.mark.parametrize(
    ("size", "shown"), [("12.5px", 12.5), ("1e9px", 200), ("0px", 1), ("nan", 16), ("inf", 16), ("", 16)]
)
def test_font_sizes(size: str, shown: float) -> None:
    made = made_snapshot("<p>x")
    geometry = made.nodes.geometry
    assert geometry is not None
    style = tuple(size if name == "font-size" else "none" for name in STYLE_NAMES)
    odd = replace(made, nodes=replace(made.nodes, geometry=replace(geometry, style_table=(style,))))
    assert [text[4] for text in picture(odd)["texts"]] == [shown]


def test_a_page_without_end_is_cut() -> None:
    made = made_snapshot("<p>x")
    assert made.nodes.geometry is not None
    far = replace(made, nodes=replace(made.nodes, geometry=replace(made.nodes.geometry, page_size=(0.0, 1e9))))
    assert (picture(far)["width"], picture(far)["height"]) == (1, 120_000)


# The file


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.dictionaries(st.text(), inner, max_size=3)))
def test_no_value_leaves_the_json_element(value: Any) -> None:
    written = embedded({"x": value})
    assert json.loads(written) == {"x": value}
    assert written.isascii()
    assert not re.search("[<>&]", written)


def test_hostile_values() -> None:
    for text in ("</script><script>alert(1)</script>", "<!--<script>", "\u2028\u2029", "\ud800", "]]>", "'\"`${x}"):
        html = document({"name": text, "x": text}, None)
        assert data_of(html)["x"] == text
        assert html.count("<script") == 2
        assert html.count("</script") == 2
        html.encode("utf-8")


def test_numbers_that_are_none_are_an_error() -> None:
    with pytest.raises(ValueError, match="JSON"):
        embedded({"x": float("nan")})


def test_the_policy_allows_this_script_and_style_alone() -> None:
    html = report(wide(HITS), "mdr").html
    elements = Elements(html).found
    policy = next(a["content"] for tag, a in elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        content = re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert len(content) == 1
        assert rules[name] == f"'sha256-{b64encode(sha256(content[0].encode()).digest()).decode()}'"
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data:"
    assert set(rules) == {"default-src", "img-src", "script-src", "style-src", "base-uri", "form-action"}
    for tag, attributes in elements:
        assert not any(name.startswith("on") or name == "style" for name in attributes), tag
        addresses = [attributes[name] or "" for name in ("src", "href") if name in attributes]
        assert all(address.startswith("data:") for address in addresses), tag


def test_equal_pages_make_equal_reports() -> None:
    page: Snapshot | None = wide(HITS).snapshot
    assert page is not None
    assert report(Page.from_snapshot(page), "mdr").html == report(Page.from_snapshot(page), "mdr").html
