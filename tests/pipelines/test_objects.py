"""Objects of wrappers: how a page is read in a worker, and what the ledger knows of what was written."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.discovery import Rules
from newsextract.errors import DataError
from newsextract.feed import content_hash, line
from newsextract.feed.record_lines import ObjectRecord, ReadPage
from newsextract.wrappers import Unavailable, parse_format
from newsextract.wrappers.format import SiteWrapper
from pipelines.ledger import Ledger, Visits, pages_path
from pipelines.page_work import WrappedPage, forum_leads, list_leads, no_leads, read_wrapped
from tests.pipelines.loading import load_feed

URL = "http://www.example.org/list"
FORMAT = """
{<ul>#</ul>, list, get()}
{<li>#</li>, entry, list}
{<b>#</b>, name, entry}
{<a href="#">, link, entry}?
{<i>#</i>, note, get(link)}?
"""


def wrapper(records: str | None = "entry", text: str = FORMAT) -> SiteWrapper:
    return SiteWrapper("a.oem", parse_format(text), records, "0" * 16)


def page(body: str, url: str = URL) -> Page:
    return dataclasses.replace(Page.from_text(body, url), fetched_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))


def read(body: str, at_hand: dict[str, Any] | None = None, most: int = 50, **keys: Any) -> WrappedPage:
    return read_wrapped(page(body), wrapper(**keys), at_hand or {}, most, None, no_leads)


TWO = "<ul><li><b>fog</b><a href='/f#top'>x</a></li><li><b>ice</b><a href='i'>x</a></li></ul>"


def test_pages_that_lack_are_named_until_they_are_at_hand() -> None:
    first = read(TWO)
    assert first.wanted == ("http://www.example.org/f", "http://www.example.org/i")
    assert first.objects == ()
    at_hand = {first.wanted[0]: page("<i>grey</i>", first.wanted[0]), first.wanted[1]: Unavailable("missing: HTTP 404")}
    done = read(TWO, at_hand)
    assert (done.wanted, done.has_root, done.fit, done.misfits) == ((), True, 1.0, ())
    assert done.fetched_at == "2026-01-02T03:04:05+00:00"
    assert [(found.label, found.path, found.url) for found in done.objects] == [("entry", ("list",), URL)] * 2
    assert [found.fields for found in done.objects] == [
        {"name": "fog", "link": "http://www.example.org/f#top", "note": "grey"},
        {"name": "ice", "link": "http://www.example.org/i"},
    ]
    assert [found.missing for found in done.objects] == [(), ((first.wanted[1], "missing: HTTP 404"),)]
    (whole,) = read(TWO, at_hand, records=None).objects
    assert whole.fields["entry"] == [found.fields for found in done.objects]
    assert whole.missing == ((first.wanted[1], "missing: HTTP 404"),)
    assert whole.nested is not None
    assert [child["label"] for child in whole.nested["value"]] == ["entry", "entry"]


def test_an_object_of_a_linked_page_stands_on_it() -> None:
    url = "http://www.example.org/f"
    done = read(TWO, {url: page("<i>grey</i>", url), "http://www.example.org/i": Unavailable("x")}, records="note")
    assert [(found.fields, found.url) for found in done.objects] == [({"text": "grey"}, url)]


def test_a_reference_is_no_record_of_its_own() -> None:
    lines = FORMAT.replace("{<i>#</i>, note, get(link)}?", "{<body>#</body>, page, get(link)}?")
    both = ("http://www.example.org/f", "http://www.example.org/i")
    linked = {url: page("<body>same</body>", "http://www.example.org/one") for url in both}
    one = read(TWO.replace("href='i'", "href='/f'"), linked, records="page", text=lines)
    assert [found.fields for found in one.objects] == [{"text": "same"}]


def test_what_the_first_run_knows_is_not_asked_again() -> None:
    first = read_wrapped(page(TWO), wrapper(), {}, 50, None, list_leads, Rules())
    again = read_wrapped(page("<p>other</p>"), wrapper(), {}, 50, first.leads, list_leads, Rules())
    assert again.leads is first.leads


def test_a_board_is_not_read_by_the_wrapper() -> None:
    rules = Rules(("example.org",), allow=(r"/t/\d+",), follow=("/list",))
    done = read_wrapped(page(f"<a href='/t/1'>A thread</a>{TWO}"), wrapper(), {}, 50, None, forum_leads, rules, False)
    assert done.leads.is_board
    assert (done.wanted, done.objects) == ((), ())
    done = read_wrapped(page(TWO), wrapper(), {}, 50, None, forum_leads, rules, True)
    assert not done.leads.is_board


@pytest.mark.parametrize(
    ("body", "records", "has_root", "misfits"),
    [
        ("<p>x</p>", "entry", False, ("line 2 (list): nothing found in 1 source",)),
        ("<ul>x</ul>", "entry", True, ("line 3 (entry): nothing found in 1 source",)),
        ("<ul>x</ul>", None, True, ("line 3 (entry): nothing found in 1 source",)),
    ],
)
def test_a_page_that_does_not_fit_has_no_objects(
    body: str, records: str | None, has_root: bool, misfits: tuple[str, ...]
) -> None:
    done = read(body, records=records)
    assert (done.objects, done.has_root, done.misfits) == ((), has_root, misfits)
    assert done.fit < 1


def test_a_format_of_one_line_gives_the_text() -> None:
    (found,) = read("<ul>x</ul>", records=None, text="{<ul>#</ul>, list, get()}").objects
    assert found.fields == {"text": "x"}


# -- the ledger ------------------------------------------------------------------------------------------------------------


def record(number: int = 1, **values: Any) -> ObjectRecord:
    given: dict[str, Any] = {
        "id": f"{number:016x}", "url": URL, "page_url": URL, "site": "x", "wrapper": "a.oem", "label": "entry", "path": ["list"],
        "page": 1, "position": 1, "fields": {"name": "fog"}, "object": None, "missing": [], "misfits": [], "notes": [],
        "fit": 1.0, "fetched_at": "2026-01-02T03:04:05+00:00", "revision": 0,
    }  # fmt: skip
    return ObjectRecord(**given | values)


def test_what_has_not_changed_is_not_written_again(tmp_path: Path) -> None:
    feed = tmp_path / "wrapped.jsonl"
    ledger = Ledger()
    first = ledger.admit(record())
    assert isinstance(first, ObjectRecord)
    assert ledger.admit(record(fetched_at="2027-01-02T03:04:05+00:00", position=7, misfits=["x"], fit=0.5)) is None
    changed = ledger.admit(record(fields={"name": "ice"}))
    assert isinstance(changed, ObjectRecord)
    assert (first.revision, changed.revision) == (0, 1)
    feed.write_bytes(line(first) + line(changed) + line(record(2))[:40])
    ledger = load_feed(feed, kind="wrapped")
    assert ledger.size == 1
    assert ledger.admit(record(fields={"name": "ice"})) is None
    back = ledger.admit(record())
    assert isinstance(back, ObjectRecord)
    assert back.revision == 2
    lost = ledger.admit(record(missing=[{"url": "http://www.example.org/f", "reason": "one"}]))
    assert isinstance(lost, ObjectRecord)
    assert lost.revision == 3
    assert ledger.admit(record(missing=[{"url": "http://www.example.org/f", "reason": "another"}])) is None


_TEXTS = st.text(st.characters(codec=None), max_size=20)
_FIELDS = st.dictionaries(_TEXTS, st.one_of(_TEXTS, st.lists(_TEXTS, max_size=3)), max_size=3)


@given(fields=_FIELDS)
def test_a_line_says_what_its_object_said(fields: dict[str, Any]) -> None:
    """Also where a page's text is no UTF-8."""
    read_again = json.loads(line(record(fields=fields)))
    said = content_hash(fields, None, [])
    # Two keys that differ only in what is no UTF-8 become one in the feed.
    if len(read_again["fields"]) == len(fields):
        assert content_hash(read_again["fields"], None, []) == said


@pytest.mark.parametrize("kind", ["news", "forum", "search", "list", "wrapped"])
def test_objects_stand_in_the_feed_of_any_kind(kind: str, tmp_path: Path) -> None:
    feed = tmp_path / "o.jsonl"
    feed.write_bytes(line(record()))
    ledger = load_feed(feed, kind=kind)
    assert (ledger.size, len(ledger.objects)) == (1, 1)
    assert ledger.admit(record()) is None


@pytest.mark.parametrize("values", [{"revision": "1"}, {"missing": [3]}, {"missing": None}, {"id": "x"}])
def test_a_damaged_object_is_told(values: dict[str, Any], tmp_path: Path) -> None:
    feed = tmp_path / "o.jsonl"
    feed.write_text(json.dumps(json.loads(line(record())) | values) + "\n", "utf-8")
    with pytest.raises(DataError, match="it has no record of newsextract"):
        load_feed(feed, kind="wrapped")


def test_news_pages_are_visited_again_by_the_age_of_their_line(tmp_path: Path) -> None:
    feed = tmp_path / "news.jsonl"

    def line_of(number: int, fetched_at: str) -> bytes:
        return line(
            ReadPage(
                id=f"{number:016x}", url=f"{URL}/{number}", site="x", kind="article", number=1, first=1, count=1,
                records=[f"{9:016x}"], next=None, fetched_at=fetched_at,
            )
        )  # fmt: skip

    old, new = "2025-01-01T00:00:00+00:00", "2026-01-01T00:00:00+00:00"
    pages_path(feed).write_bytes(line_of(1, old) + line_of(2, old) + line_of(3, new) + line_of(2, new))
    feed.write_bytes(line(record(9)))
    ledger = load_feed(feed, Visits(datetime(2025, 6, 1, tzinfo=UTC)))
    assert ledger.again == {f"{1:016x}": ("x", f"{URL}/1")}
    assert sorted(ledger.pages.lines) == [f"{2:016x}", f"{3:016x}"]
    assert all(ledger.pages.is_done(known) for known in ledger.pages.lines.values())
    assert load_feed(feed).again == {}
