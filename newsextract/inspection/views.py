"""The report of :mod:`newsextract.inspection`: blocks, boxes, picture and records as plain values, and the HTML file that
shows them."""

from __future__ import annotations

import itertools
import json
import math
import struct
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from newsextract import algorithms, html_pages
from newsextract.algorithms.visual_blocks.features import TABLE_1
from newsextract.algorithms.visual_blocks.processing import VisualBlocksParams, measure
from newsextract.control_characters import plural
from newsextract.extraction import find_records
from newsextract.fields.dates import parse_dates
from newsextract.html_pages import link
from newsextract.html_pages import text as escape
from newsextract.page.nodes import STYLE_NAMES, Geometry, Nodes
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot, aligned_elements
from newsextract.records.items import align
from newsextract.results import Record, RecordSet, Region

# --- blocks ---------------------------------------------------------------------------------------
# The visual block tree for the report: from the evidence of the paper's layers, small enough for 3,000 blocks.
#
# Texts that many blocks share (styles, paths) stand once in a list; a block has their numbers.

_NAME = 60
"""Characters of an element's name."""
_TEXT = 80
"""Characters of a block's text in the tree."""


def block_list(nodes: Nodes, evidence: dict[str, Any], params: VisualBlocksParams) -> dict[str, Any]:
    """The blocks as plain values.

    ``names`` and ``groups``: the indicators; ``values``: their values; ``rows``: the blocks, in document order, each with
    ``parent`` (a row, -1), ``box``, ``kept``, ``why``, ``role``, ``cluster``, ``name``, ``text``, ``values`` (numbers in
    the list, in the order of the names) and ``measures`` (B_o, B_a, B_c; None where it was dropped); ``limits``: T_o, T_a
    and T_c.

    :param evidence: of :func:`newsextract.algorithms.visual_blocks.processing.focus_records`, on the same nodes.
    """
    entries: list[dict[str, Any]] = evidence.get("blocks", [])
    numbers: dict[str | float, int] = {}
    measures = _measures(nodes, entries)
    rows = []
    for entry, measured in zip(entries, measures, strict=True):
        properties = entry["properties"]
        rows.append(
            {
                **{name: entry[name] for name in ("node", "parent", "box", "kept", "why", "role", "cluster")},
                "name": element_name(nodes, entry["node"]),
                "text": nodes.text(entry["node"])[:_TEXT],
                "values": [
                    numbers.setdefault(properties[row.name], len(numbers)) for row in TABLE_1 if row.name in properties
                ],
                "measures": measured,
            }
        )
    return {
        "names": [row.name for row in TABLE_1],
        "groups": [row.group for row in TABLE_1],
        "values": list(numbers),
        "rows": rows,
        "limits": [params.centre_offset, params.area_share, params.text_share],
    }


def element_name(nodes: Nodes, node: int) -> str:
    """What an element is called: ``div#results.list``."""
    if not nodes.tags[node]:
        return "text"
    attributes = nodes.attributes[node]
    own = f"#{attributes['id'].strip()}" if attributes.get("id", "").strip() else ""
    classes = "".join(f".{word}" for word in attributes.get("class", "").split())
    name = nodes.tags[node] + own + classes
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"


def _measures(nodes: Nodes, entries: list[dict[str, Any]]) -> list[list[float | None] | None]:
    """B_o, B_a and B_c of the kept blocks (§5.1)."""
    kept = [entry for entry in entries if entry["kept"] and entry["box"] is not None]
    if not kept or nodes.geometry is None:
        return [None] * len(entries)
    boxes = np.array([entry["box"] for entry in kept], dtype=np.float64)
    lengths = np.array([entry["properties"]["ContentLength"] for entry in kept], dtype=np.int64)
    found = measure(nodes.geometry, boxes, lengths)
    assert found.offsets is not None
    assert found.areas is not None
    columns = zip(found.offsets.tolist(), found.areas.tolist(), found.texts.tolist(), strict=True)
    told = iter([[round(value, 3) if math.isfinite(value) else None for value in column] for column in columns])
    return [next(told) if entry["kept"] and entry["box"] is not None else None for entry in entries]


# --- boxes ----------------------------------------------------------------------------------------
# Where the nodes of an answer are on the page, whether it was found in what the browser saw or in the source.

Box = list[float]
"""Left, top, width, height in CSS pixels."""


class Places:
    """From node numbers to boxes.

    :param rendered: whether the numbers are those of the snapshot; else those of ``page.nodes``.
    """

    def __init__(self, page: Page, rendered: bool) -> None:
        assert page.snapshot is not None
        self.drawn = page.snapshot.nodes
        self.nodes: Nodes = self.drawn if rendered else page.nodes
        self._numbers = None if rendered else aligned_elements(page.nodes, self.drawn)
        self.matched = rendered or self._numbers is not None
        """False: the source's elements cannot be told in what the browser saw, and nothing has a box."""
        self._same = rendered

    def drawn_node(self, node: int) -> int:
        """The number in the snapshot; of a text in the source that of the element around it; -1: none."""
        if self._same:
            return node
        if self._numbers is None:
            return -1
        while node >= 0 and self._numbers[node] < 0:
            node = int(self.nodes.parents[node])
        return int(self._numbers[node]) if node >= 0 else -1

    def box(self, roots: Iterable[int]) -> Box | None:
        """The smallest box around some subtrees; None where nothing is drawn of them."""
        return drawn_box(self.drawn, [node for node in map(self.drawn_node, roots) if node >= 0])


def drawn_box(drawn: Nodes, roots: Iterable[int]) -> Box | None:
    """The smallest box around some subtrees of what a browser saw; None where nothing is drawn of them."""
    geometry = drawn.geometry
    assert geometry is not None
    found = []
    for node in roots:
        boxes = geometry.boxes[node : node + 1]
        if boxes[0, 2] <= 0 or boxes[0, 3] <= 0:  # display: contents, or floats alone
            boxes = geometry.boxes[node : int(drawn.ends[node])]
        found.append(boxes[(boxes[:, 2] > 0) & (boxes[:, 3] > 0)])
    boxes = np.concatenate(found) if found else np.zeros((0, 4), dtype=np.float32)
    if not len(boxes):
        return None
    left, top = boxes[:, 0].min(), boxes[:, 1].min()
    right, bottom = (boxes[:, 0] + boxes[:, 2]).max(), (boxes[:, 1] + boxes[:, 3]).max()
    return [round(float(side), 1) for side in (left, top, right - left, bottom - top)]


# --- views ----------------------------------------------------------------------------------------
# A view of the report: what one algorithm found on the page, as plain values.
#
# ``regions``, ``noise``, ``clusters``: boxes with their nodes in the snapshot and what to say of them; ``records``: with box
# and items; ``candidates``: what was scored; ``block_records``: for each block of the tree the record that it is in, or -1.

View = dict[str, Any]

MAX_RECORDS = 1_000
"""Records of a view that are shown."""
_MAX_TEXT = 2_000
"""Characters of a record's or an item's text."""


def chosen_view(page: Page, algorithm: str, params: Mapping[str, Any] | None, blocks: dict[str, Any]) -> View:
    """What the algorithm that was asked for found."""
    found = find_records(page, None, algorithm, params, evidence=True)
    places = Places(page, found.rendered)
    told = (found.evidence or {}).get("candidates", [])
    candidates = _candidates(places, told, found.regions)
    view = _view(places, view_name(algorithm, params), found.records, blocks)
    return (
        outcome(found)
        | view
        | {
            "regions": [_region(places, region.node, region.score) for region in found.regions],
            "noise": _left_out(places, told, candidates, found.regions),
            "candidates": candidates,
            "parameters": parameters(algorithm, params),
        }
    )


def view_name(algorithm: str, params: Mapping[str, Any] | None) -> str:
    """What a choice of algorithm and parameters is called."""
    given = dict(params or {})
    name = f"{algorithm}, {given.pop('preset', 'default')}"
    return f"{name} with {', '.join(f'{key} = {value}' for key, value in given.items())}" if given else name


def paper_view(page: Page, found: RecordSet, blocks: dict[str, Any], name: str) -> View:
    """What the paper's layers found.

    :param found: with evidence; numbers of the snapshot.
    """
    places = Places(page, True)
    records = [
        Record(places.nodes.text(*roots), items, number, roots)
        for number, region in enumerate(found.regions)
        for roots, items in zip(region.records, align(places.nodes, region, page.url), strict=True)
    ]
    rows = blocks["rows"]
    told = found.evidence or {}
    placed = [(row, {"box": row["box"], "node": row["node"]}) for row in rows]
    return (
        outcome(found)
        | _view(places, name, records, blocks)
        | {
            "regions": [at | {"what": f"data region: {row['name']}"} for row, at in placed if row["role"] == "region"],
            "noise": [at | {"what": row["why"]} for row, at in placed if row["role"] == "noise"],
            "clusters": [at | {"cluster": row["cluster"]} for row, at in placed if row["cluster"] is not None],
            "notes": told.get("notes", []),
            "parameters": told.get("thresholds", {}),
        }
    )


def _view(places: Places, name: str, records: Sequence[Record], blocks: dict[str, Any]) -> View:
    warnings = []
    if len(records) > MAX_RECORDS:
        warnings.append(f"{name}: only the first {MAX_RECORDS:,} of {len(records):,} records are shown")
    if not places.matched:
        warnings.append(f"{name}: the elements of the source cannot be told in what the browser saw; no boxes are shown")
    return empty_view(name, len(records)) | {
        "records": [_record(places, record) for record in records[:MAX_RECORDS]],
        "block_records": _block_records(places, records[:MAX_RECORDS], blocks["rows"]),
        "warnings": warnings,
    }


def outcome(found: Any) -> View:
    """How an extraction ended."""
    return {name: getattr(found, name) for name in ("status", "reason", "confidence")}


def empty_view(name: str, total: int) -> View:
    """A view without boxes."""
    lists: View = {key: [] for key in ("regions", "noise", "clusters", "candidates", "notes", "warnings")}
    return {"name": name, "total": total, "records": [], "block_records": [], **lists}


def _record(places: Places, record: Record) -> dict[str, Any]:
    return {
        "box": places.box(record.nodes),
        "region": record.region,
        "text": record.text[:_MAX_TEXT],
        "items": [
            {
                "label": item.label,
                "text": item.text[:_MAX_TEXT],
                "kind": item.kind,
                "link": item.link and item.link[:_MAX_TEXT],
                "static": item.static,
                "box": places.box(item.nodes),
            }
            for item in record.items
        ],
    }


def _block_records(places: Places, records: Sequence[Record], rows: Sequence[dict[str, Any]]) -> list[int]:
    """For each block the record whose subtrees it is in."""
    owner = np.full(len(places.drawn), -1, dtype=np.int64)
    for number, record in enumerate(records):
        for root in map(places.drawn_node, record.nodes):
            if root >= 0:
                owner[root : places.drawn.ends[root]] = number
    return owner[[row["node"] for row in rows]].tolist() if rows else []


def _region(places: Places, node: int, score: float) -> dict[str, Any]:
    what = f"data region: {element_name(places.nodes, node)}, score {score:.2f}"
    return {"box": places.box((node,)), "what": what, "node": places.drawn_node(node)}


def _candidates(places: Places, told: Sequence[dict[str, Any]], regions: Sequence[Region]) -> list[dict[str, Any]]:
    """The sets that were scored, the best first; of each record the first element has a box."""
    taken = _taken(told, regions)
    return [
        {
            "score": one["score"],
            "kind": one["kind"],
            "records": one["records"],
            "name": element_name(places.nodes, one["nodes"][0]),
            "region": taken.get(number),
            "boxes": [box for node in one["nodes"] if (box := places.box((node,)))],
        }
        for number, one in enumerate(told)
    ]


def _taken(told: Sequence[dict[str, Any]], regions: Sequence[Region]) -> dict[int, int]:
    """Number of a candidate → that of the region that was made of it."""
    taken: dict[int, int] = {}
    for number, region in enumerate(regions):
        firsts = [roots[0] for roots in region.records]
        for place, one in enumerate(told):
            if place not in taken and {first for first in firsts if first <= one["nodes"][-1]} <= set(one["nodes"]):
                taken[place] = number
                break
    return taken


def _left_out(
    places: Places, told: Sequence[dict[str, Any]], candidates: Sequence[dict[str, Any]], regions: Sequence[Region]
) -> list[dict[str, Any]]:
    """Parts of a set that was taken that were judged to be no records: noise inside the region."""
    return [
        {"box": box, "what": "In the set, but judged to be no record", "node": places.drawn_node(node)}
        for one, candidate in zip(told, candidates, strict=True)
        if candidate["region"] is not None
        for node in itertools.filterfalse(
            {roots[0] for roots in regions[candidate["region"]].records}.__contains__, one["nodes"]
        )
        if (box := places.box((node,)))
    ]


def parameters(algorithm: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parameters of an algorithm as plain values."""
    made = algorithms.make_params(algorithm, params)
    return {name: getattr(made, name) for name in type(made).__dataclass_fields__}


# --- picture --------------------------------------------------------------------------------------
# What the page looks like in the report: its picture, and the texts where there is none.
#
# A picture ends at 16,000 pixels, and a snapshot may have none; there the page's texts stand at their boxes, on white.

MAX_SIDES = (8_000, 120_000)
"""CSS pixels of the page that are shown; what a page puts farther away is not."""
_MAX_TEXTS = 6_000
_MAX_DRAWN_TEXT = 300
"""Characters of a text; more are rarely in one box."""


def picture(snapshot: Snapshot) -> dict[str, Any]:
    """The page as plain values.

    ``width`` and ``height``: of the page; ``picture``: those of its picture, zeros without one; ``texts``: left, top, width,
    height, font size, and the words.
    """
    geometry = snapshot.nodes.geometry
    assert geometry is not None
    width, height = (max(1, min(round(side), most)) for side, most in zip(geometry.page_size, MAX_SIDES, strict=True))
    drawn = _sides(snapshot.screenshot)
    return {"width": width, "height": height, "picture": drawn, "texts": _texts(snapshot, geometry, drawn)}


def _sides(png: bytes | None) -> tuple[int, int]:
    """Width and height of a picture: its first chunk."""
    if png is None or len(png) < 24:
        return 0, 0
    width, height = struct.unpack_from(">II", png, 16)
    return min(width, MAX_SIDES[0]), min(height, MAX_SIDES[1])


def _texts(snapshot: Snapshot, geometry: Geometry, drawn: tuple[int, int]) -> list[list[float | str]]:
    column = STYLE_NAMES.index("font-size")
    sizes = [_pixels(style[column]) for style in geometry.style_table]
    found: list[list[float | str]] = []
    for node in snapshot.nodes.shown.tolist():
        left, top, width, height = (round(float(side), 1) for side in geometry.boxes[node])
        if width > 0 and height > 0 and top >= drawn[1]:
            found.append(
                [left, top, width, height, sizes[geometry.styles[node]], snapshot.nodes.texts[node][:_MAX_DRAWN_TEXT]]
            )
            if len(found) == _MAX_TEXTS:
                break
    return found


def _pixels(size: str) -> float:
    """The number of a computed font size, 1 to 200; 16 where it is none."""
    try:
        number = float(size.removesuffix("px"))
    except ValueError:
        return 16.0
    return min(max(number, 1.0), 200.0) if math.isfinite(number) else 16.0


# --- document -------------------------------------------------------------------------------------
# The file: one HTML document that holds everything and may fetch nothing.
#
# A content security policy allows the one style sheet and the one script in it, told by their hashes, and pictures as data;
# no handlers in attributes, no style attributes, no addresses. What comes from a page stands in a JSON element, in which no
# ``<`` is written as such; the script puts it into the document as text.

_SCRIPTS = ("model", "stage", "tree", "details", "tables", "main")
"""Files of the script, in the order in which they are put together."""
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def document(data: dict[str, Any], screenshot: bytes | None) -> str:
    """The file."""
    source = f' src="data:image/png;base64,{b64encode(screenshot).decode()}"' if screenshot else ""
    body = _part("body.html").replace("SOURCE", source)
    values = f'<script type="application/json" id="data">{embedded(data)}</script>\n'
    script = "\n".join(_part(f"{name}.js") for name in _SCRIPTS)
    code = f'(() => {{\n"use strict";\n{script}\n}})();'  # one function, so that nothing of it is global
    return html_pages.document(f"{data['name']} – inspection", _part("report.css"), body + values, code)


def embedded(data: Any) -> str:
    """JSON for a script element: ASCII alone, and neither ``<``, ``>`` nor ``&``.

    :raises ValueError: a number is not finite.
    """
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).translate(_ESCAPED)


def _part(name: str) -> str:
    return files(__name__.rpartition(".")[0]).joinpath(name).read_text("utf-8")


# --- proof ----------------------------------------------------------------------------------------
# Records beside what their pages show, as values for a terminal and as one HTML file to look at.
#
# What a page shows is read without the extraction: its heading, the first text on it that has the record's day, and what
# follows the heading. Each block of the page is marked if its text is in the record.

_LONG_ENOUGH = 12
"""Characters from which on a block is kept if its text is anywhere in a record; shorter ones must be a line of it."""
_SHOWN = 400
"""Characters of a text that are shown."""
_MOST_BLOCKS = 400
"""Of one page."""
_STAMP = 300
"""Characters of the blocks that are searched for dates."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is said of a page."""

    title: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A record and its page."""

    url: str
    record: Side
    by: str
    """Its authors, or what else it has."""
    page: Side
    blocks: tuple[tuple[str, bool], ...] = ()
    """Texts of the page, and whether each is in the record."""


def compared(record: Mapping[str, Any], page: Page | None) -> Compared:
    """Put a line of a feed beside its page.

    :param page: None: it is not known.
    """
    title = str(record.get("title") or record.get("thread_title") or "")
    text = str(record.get("text") or record.get("snippet") or "")
    authors = record.get("authors") or ([record["author"]] if record.get("author") else [])
    by = ", ".join(map(str, authors)) or str(record.get("address") or "")
    mine = Side(title, str(record.get("date") or ""), text[:_SHOWN])
    if page is None:
        return Compared(str(record["url"]), mine, by, Side("", "", ""))
    texts = [shown for shown in page.dom.texts if shown]
    lines = {folded(line) for line in (*text.split("\n"), title)}
    whole = folded(text)
    marks = [folded(shown) in lines or (len(folded(shown)) >= _LONG_ENOUGH and folded(shown) in whole) for shown in texts]
    heading = next(iter(page.metadata.headings), None) or page.metadata.title or ""
    theirs = Side(heading, _date_on(page, texts, mine.date, record.get("language")), _text_on(texts, heading, record, whole))
    return Compared(str(record["url"]), mine, by, theirs, tuple(zip(texts, marks, strict=True))[:_MOST_BLOCKS])


def _date_on(page: Page, texts: Sequence[str], date: str, language: str | None) -> str:
    day = date[:10]
    if not day:
        return ""
    for text in texts:
        if len(text) <= _STAMP and any(
            found.value.startswith(day) for found in parse_dates(text, language=language, fetched_at=page.time)
        ):
            return text
    return ""


def _text_on(texts: Sequence[str], heading: str, record: Mapping[str, Any], whole: str) -> str:
    """What a page shows below its heading, or where one of its many records begins."""
    if "authors" in record:
        wanted = folded(heading)
        after = [place for place, text in enumerate(texts) if wanted and folded(text) == wanted]
        first = after[-1] + 1 if after else 0
    else:
        first = next((place for place, text in enumerate(texts) if whole[:20] and whole[:20] in folded(text)), len(texts))
    return " / ".join(texts[first : first + 12])[:_SHOWN]


def folded(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


# --- the file -------------------------------------------------------------------------------------


def proof_page(
    title: str,
    facts: Iterable[tuple[str, str]],
    shown: Sequence[Compared],
    refused: Iterable[Mapping[str, Any]],
    toml: str,
    why: str = "",
) -> str:
    """A page of proof: what a site is, records side by side with their pages, rejections, and the table of the site."""
    parts = [
        f"<main>\n<h1>{escape(title)}</h1>\n{_listed(facts)}",
        f'<p class="why">{escape(why)}</p>\n' if why else "",
        f"<h2>{plural(len(shown), 'record')}, and what the pages show</h2>\n" if shown else "",
        *map(_article, shown),
        "<h2>The table of the site, for sites.toml</h2>\n",
        f'<pre tabindex="0" aria-label="Table of the site">{escape(toml)}</pre>\n',
    ]
    rows = [f"<tr><td>{link(r['url'])}</td><td>{escape(r['status'])}: {escape(r['reason'])}</td></tr>\n" for r in refused]
    if rows:
        parts.append(f"<h2>Pages without a record</h2>\n<table><thead><tr><th>page<th>reason</thead><tbody>{''.join(rows)}")
        parts.append("</tbody></table>\n")
    return html_pages.document(f"{title} – newsextract try", _part("proof.css"), "".join([*parts, "</main>"]))


def _article(one: Compared) -> str:
    kept = sum(mark for _, mark in one.blocks)
    items = (f"<li{' class=kept' if mark else ''}>{escape(text)}</li>\n" for text, mark in one.blocks)
    return (
        f"<article><h3>{escape(one.record.title or one.url)}</h3><p class=soft>{link(one.url)}</p>\n<div class=sides>"
        f"<section><h4>the record</h4>{_listed(_fields(one.record, one.by))}</section>\n"
        f"<section><h4>the page shows</h4>{_listed(_fields(one.page, ''))}</section></div>\n"
        f"<details><summary>All text of the page: {kept} of {len(one.blocks)} parts are in the record</summary>"
        f'<ul class="blocks">{"".join(items)}</ul></details></article>\n'
    )


def _fields(side: Side, by: str) -> Iterator[tuple[str, str]]:
    yield "title", side.title or "–"
    yield "date", side.date or "–"
    if by:
        yield "by", by
    yield "text", side.text or "–"


def _listed(facts: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{escape(value)}</dd>' for name, value in facts)}</dl>\n"
