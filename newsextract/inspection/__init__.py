"""What extraction sees of a page, as one HTML file to look at: of a page with records its picture, visual blocks, region,
noise and records; of an article its blocks, rivals and fields.

The visual blocks with their 34 indicators, and why each was kept or dropped, are those of the paper's feature layer (Wang,
Liang & Min 2019, §4; :mod:`newsextract.algorithms.visual_blocks.processing`). Next to the records of the chosen algorithm
stand those of the paper's own layers.

The blocks of an article are those of the page's tree, with the boxes that a browser has drawn, if it has. An algorithm's
evidence is shown as it is: with its block, as a table, or under *How it was made*.

Cost: 0.1 s a page beside the extraction, and about 1 kB a block, without the picture. 3,000 blocks and 1,200 records make 4
MB that open in 1.3 s and follow the pointer at 60 frames a second. Matching the drawn texts of an article's page takes up to
a second for :data:`MAX_BLOCKS` blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from newsextract import algorithms
from newsextract.algorithms.node_attributes import text_runs
from newsextract.algorithms.visual_blocks.processing import PUBLISHED, VisualBlocksParams, focus_records
from newsextract.errors import UsageError
from newsextract.extraction import extract
from newsextract.inspection.views import (
    Box,
    View,
    block_list,
    chosen_view,
    document,
    drawn_box,
    empty_view,
    folded,
    outcome,
    paper_view,
    parameters,
    picture,
    view_name,
)  # fmt: skip
from newsextract.page.dom import Dom
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot
from newsextract.results import Article

__all__ = ["Report", "report"]

_LAYERS = [
    ["records", "records"], ["region", "region"], ["noise", "noise"], ["clusters", "clusters"], ["blocks", "visual blocks"],
    ["dropped", "dropped elements"],
]  # fmt: skip
_WORDS = {"one": "record", "many": "records", "One": "Record", "Many": "Records", "within": "in this record"}


@dataclass(frozen=True, slots=True)
class Report:
    """The file, and how much is in it."""

    html: str
    blocks: int
    """Visual blocks that were kept; of an article the blocks of its page."""
    records: int
    """Of the algorithm that was asked for; of an article the blocks that its text is made of."""
    notes: tuple[str, ...]
    """What a reader should know: something was left out, or could not be matched."""


def report(
    page: Page,
    algorithm: str = algorithms.DEFAULT_RECORDS,
    params: Mapping[str, Any] | None = None,
    *,
    name: str | None = None,
) -> Report:
    """The inspection of a page.

    :param page: with a snapshot (:meth:`Page.from_snapshot`); without its picture the page's texts are shown. Algorithms
        that find articles need none.
    :param name: what the page is called; None: its address.
    :raises UsageError: the page has no snapshot; the algorithm or a parameter is unknown.
    :raises MissingExtra: scikit-learn is not installed.
    """
    snapshot = page.snapshot
    about = {} if snapshot is None else _about(snapshot)
    if "article" in algorithms.spec(algorithm).kinds:
        algorithms.make(algorithm, params)
        data = _article_data(page, algorithm, params, name)
        data["about"] |= about
        html = document(data, snapshot.screenshot if snapshot is not None else None)
        return Report(html, len(page.dom.texts), data["views"][0]["total"], tuple(data["notes"]))
    if snapshot is None:
        raise UsageError("inspection needs a rendered page: make a snapshot with `newsextract snapshot`")
    given = algorithms.make_params(algorithm, params)
    own = isinstance(given, VisualBlocksParams) and given.method == "focus"
    layers = replace(given, features="visual") if own else PUBLISHED
    found = focus_records(snapshot.nodes, layers, evidence=True)
    blocks = block_list(snapshot.nodes, found.evidence or {}, layers)
    name_of_layers = view_name(algorithm, params) if own else "published: the paper's layers"
    paper = paper_view(page, found, blocks, name_of_layers)
    alone = own and given.features != "dom"  # the paper's layers are what was asked for
    views: list[View] = [paper] if alone else [chosen_view(page, algorithm, params, blocks), paper]
    notes = [snapshot.note] if snapshot.note else []
    html = document(
        {
            "name": name or page.url or "page",
            "url": page.url,
            "about": about,
            "layers": _LAYERS,
            "words": _WORDS,
            "notes": notes.copy(),
            "page": picture(snapshot),
            "blocks": blocks,
            "views": views,
        },
        snapshot.screenshot,
    )
    notes += [note for view in views for note in view["warnings"]]
    return Report(html, sum(block["kept"] for block in blocks["rows"]), views[0]["total"], tuple(notes))


def _about(snapshot: Snapshot) -> dict[str, str]:
    return {
        "fetched": snapshot.fetched_at.isoformat(timespec="seconds"),
        "window": f"{snapshot.viewport[0]} x {snapshot.viewport[1]} pixels",
        "scripts": "ran" if snapshot.scripts else "did not run",
        "nodes": f"{len(snapshot.nodes):,}",
    }


# --- articles -------------------------------------------------------------------------------------

_TEXT_LAYERS = [["records", "in the text"], ["dropped", "left out"]]
_TEXT_WORDS = {
    "one": "block in the text", "many": "blocks in the text", "One": "Block", "Many": "Text",
    "within": "of the text of this view",
}  # fmt: skip
MAX_BLOCKS = 3_000
"""Blocks that are shown."""
_TEXT, _DRAWN = 2_000, 300
"""Characters of a block's text in details and tables, and where no browser drew the page."""
_WIDTH, _MARGIN, _LINE, _PER_LINE = 800, 12, 21, 92
"""Of the page of a source: pixels, and characters of a line."""
_WIDE = "\u2e80"
"""From here on characters are twice as wide."""


def _article_data(page: Page, algorithm: str, params: Mapping[str, Any] | None, name: str | None) -> dict[str, Any]:
    """Everything that the file shows of a page with one text; see :mod:`.views` for the names that records have, too."""
    article = extract(page, None, algorithm, params, evidence=True)
    dom, snapshot, evidence = page.dom, page.snapshot, article.evidence or {}
    boxes: Sequence[Box | None] = _drawn(dom, snapshot.nodes) if snapshot is not None else _stacked(dom)
    rows, names = _rows(dom, article, boxes)
    groups = [f"what {algorithm} knows"] * len(names)
    first = _view(dom, view_name(algorithm, params), _kept(dom, article), boxes)
    first |= outcome(article)
    first["parameters"] = parameters(algorithm, params) | dict(_facts(evidence))
    views = [first] + [
        _view(dom, one["name"], one["blocks"], boxes) | {"confidence": one["score"]}
        for one in evidence.get("rivals", ())
        if not one["taken"]
    ]
    if algorithm != algorithms.DEFAULT:
        other = extract(page)
        views.append(_view(dom, algorithms.DEFAULT, _kept(dom, other), boxes) | outcome(other))
    notes = [] if snapshot is None or not snapshot.note else [snapshot.note]
    if snapshot is None:
        notes.append("the page was not rendered; its texts are listed in the order of the source")
    if not article.text:
        notes.append(f"no article: {article.status}: {article.reason}")
    if len(dom.texts) > MAX_BLOCKS:
        notes.append(f"only the first {MAX_BLOCKS:,} of {len(dom.texts):,} blocks are shown")
    return {
        "name": name or page.url or "page",
        "url": page.url,
        "about": {"blocks of text": f"{len(dom.texts):,}", "encoding": page.decoded.encoding},
        "notes": notes,
        "page": picture(snapshot) if snapshot is not None else _source_page(dom, boxes),
        "blocks": {"names": names, "groups": groups, "values": _values(rows), "rows": rows},
        "views": views,
        "layers": _TEXT_LAYERS,
        "words": _TEXT_WORDS,
        "tables": [_field_table(dom, article), *_tables(evidence)],
    }


# --- blocks ---------------------------------------------------------------------------------------


def _kept(dom: Dom, article: Article) -> list[int]:
    """The blocks that the text is made of; for an algorithm that reads the source, those whose text is in it."""
    if article.blocks is not None:
        return list(article.blocks)
    lines, whole = {folded(line) for line in article.text.split("\n")}, folded(article.text)
    return [i for i, text in enumerate(map(folded, dom.texts)) if text in lines or (len(text) > _LONG and text in whole)]


_LONG = 20
"""Characters from which on a block belongs to a text that holds its own."""


def _rows(dom: Dom, article: Article, boxes: Sequence[Box | None]) -> tuple[list[dict[str, Any]], list[str]]:
    """A row for each block, and the names of its values."""
    known = _known(dom, article)
    kept = set(_kept(dom, article))
    names = list(dict.fromkeys(name for facts in known.values() for name in facts if name not in _NO_VALUES))
    rows = []
    for i, text in enumerate(dom.texts[:MAX_BLOCKS]):
        facts = known.get(i, {})
        why = facts.get("why")
        if facts.get("main") and i not in kept:
            why = "the record has it as title, author, date or section, so the text leaves it out"
        share = facts.get("probability")
        rows.append(
            {
                "node": i,
                "parent": -1,
                "box": boxes[i],
                "kept": i in kept,
                "fate": f"{'In the text' if i in kept else 'Left out'}{f': {why}' if why else ''}.",
                "role": None,
                "cluster": None,
                "measures": None,
                "name": f"{dom.tags[dom.elements[i]]}{'' if share is None else f' {share:.2f}'}",
                "text": text[:_TEXT],
                "values": [str(facts.get(name, "–")) for name in names] if facts else [],
            }
        )
    return rows, names


def _values(rows: list[dict[str, Any]]) -> list[str]:
    """The distinct values; the rows get their numbers instead."""
    numbers: dict[str, int] = {}
    for row in rows:
        row["values"] = [numbers.setdefault(value, len(numbers)) for value in row["values"]]
    return list(numbers)


_NO_VALUES = ("index", "block", "text", "why", "main", "content", "tag")


def _known(dom: Dom, article: Article) -> dict[int, dict[str, Any]]:
    """For each block what the evidence has of it."""
    evidence = article.evidence or {}
    if leaves := evidence.get("leaves"):
        return {leaf["block"]: leaf for leaf in leaves} if isinstance(leaves, list) else {}
    if elements := evidence.get("elements"):
        found = {}
        for element in elements:  # ascending: the innermost comes last
            for block in range(dom.first_blocks[element["index"]], dom.end_blocks[element["index"]]):
                found[block] = {f"{key} of {element['tag']}" if key == "text" else key: element[key] for key in element}
        return found
    blocks = evidence.get("blocks", [])
    if article.blocks is not None or not article.text:
        return {block["index"]: block for block in blocks if isinstance(block, dict)}
    by_text = {folded(block["text"]): block for block in reversed(blocks) if isinstance(block, dict)}
    return {i: by_text[key] for i, text in enumerate(dom.texts) if (key := folded(text[:80])) in by_text}


def _view(dom: Dom, name: str, chosen: Sequence[int], boxes: Sequence[Box | None]) -> View:
    shown = [i for i in chosen if i < MAX_BLOCKS]
    places = {block: number for number, block in enumerate(shown)}
    return empty_view(name, len(chosen)) | {
        "records": [{"box": boxes[i], "region": 0, "text": dom.texts[i][:_TEXT], "items": []} for i in shown],
        "block_records": [places.get(i, -1) for i in range(min(len(dom.texts), MAX_BLOCKS))],
        "status": "ok",
        "reason": None,
        "confidence": None,
        "parameters": {},
    }


# --- boxes ----------------------------------------------------------------------------------------


def _drawn(dom: Dom, nodes: Nodes) -> list[Box | None]:
    """The boxes of the blocks in what a browser drew; None where it drew nothing of one."""
    runs = text_runs(nodes)
    pieces: list[list[int]] = [[] for _ in runs.owners]
    for node, run in zip(runs.texts, runs.runs, strict=True):
        pieces[run].append(node)
    del pieces[2 * MAX_BLOCKS :]
    boxes: list[Box | None] = [None] * len(dom.texts)
    there = ["".join(folded(nodes.texts[i]) for i in piece) for piece in pieces]
    here = [folded(text) for text in dom.texts[:MAX_BLOCKS]]
    for first, place, size in SequenceMatcher(None, there, here).get_matching_blocks():  # frequent texts beside others alone
        for step in range(size):
            boxes[place + step] = drawn_box(nodes, pieces[first + step])
    return boxes


def _stacked(dom: Dom) -> list[Box | None]:
    boxes: list[Box | None] = []
    top = float(_MARGIN)
    for text in dom.texts[:MAX_BLOCKS]:
        wide = sum(2 if sign >= _WIDE else 1 for sign in text[:_DRAWN])
        height = float(_LINE * (1 + wide // _PER_LINE))
        boxes.append([float(_MARGIN), top, float(_WIDTH - 2 * _MARGIN), height])
        top += height + 6
    return boxes + [None] * (len(dom.texts) - len(boxes))


def _source_page(dom: Dom, boxes: Sequence[Box | None]) -> dict[str, Any]:
    """The page that :func:`_stacked` makes, as :func:`.views.picture` describes one."""
    placed = [(box, text) for box, text in zip(boxes, dom.texts, strict=True) if box is not None]
    height = placed[-1][0][1] + placed[-1][0][3] + _MARGIN if placed else 200
    texts = [[*box, 14, " ".join(text[:_DRAWN].split())] for box, text in placed]
    return {"width": _WIDTH, "height": round(height), "picture": [0, 0], "texts": texts}


# --- tables ---------------------------------------------------------------------------------------


def _field_table(dom: Dom, article: Article) -> dict[str, Any]:
    """The fields of the record, each followed by its other candidates."""
    listed = (article.evidence or {}).get("fields", {})
    authors = ", ".join(article.authors) or None
    stated = next((one["source"] for one in listed.get("authors", ()) if one["value"] == authors), None)
    title, date = article.title_source, article.date_source
    rows: list[dict[str, Any]] = []
    for field, value, source, raw in (
        ("title", article.title, title.source if title else None, title.evidence if title else ""),
        ("date", article.date, date.source if date else None, date.evidence if date else ""),
        ("authors", authors, stated, ""),
        ("language", article.language, None, ""),
        ("section", article.section, None, ""),
        ("image", article.image, None, ""),
        ("canonical_url", article.canonical_url, None, ""),
        ("access", article.access, article.access_source.source if article.access_source else None, ""),
        ("reserved", article.reserved, None, ""),
    ):
        candidates = list(listed.get(field, ()))
        own = next((i for i, one in enumerate(candidates) if (one["value"], one["source"]) == (value, source)), None)
        known = _ranked(candidates.pop(own)) if own is not None else []
        known += [raw] if raw not in (value, *known) else []
        rows.append(_field_row(dom, field, value, source, known, taken=True))
        rows += [_field_row(dom, "", one["value"], one["source"], _ranked(one), taken=False) for one in candidates]
    return {"title": "Fields", "head": ["field", "value", "found in", "evidence"], "rows": rows}


def _ranked(candidate: Mapping[str, Any]) -> list[str]:
    """What ranks a candidate, and the text that it was read from."""
    ranked = [f"{key} {candidate[key]:g}" for key in ("score", "rank") if key in candidate]
    raw = candidate.get("evidence")
    return [*ranked, raw] if raw and raw != candidate["value"] else ranked


def _field_row(
    dom: Dom, field: str, value: str | None, source: str | None, known: Sequence[str], *, taken: bool
) -> dict[str, Any]:
    cells = [field or "candidate", value or "–", source or "–", "; ".join(filter(None, known)) or "–"]
    return {"cells": cells, "taken": taken, "block": _block_of(dom, value, *known)}


def _block_of(dom: Dom, *values: str | None) -> int | None:
    """The first block that is one of some values, else has one."""
    wanted = [key for value in values if value and len(key := folded(value)) > 2]  # not a number
    texts = [folded(text) for text in dom.texts[:MAX_BLOCKS]]
    for key in wanted:
        if key in texts:
            return texts.index(key)
    return next((i for key in wanted for i, text in enumerate(texts) if key in text), None)


def _tables(evidence: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The lists in the evidence that are not of blocks."""
    for name, entries in evidence.items():
        if name in ("blocks", "leaves") or not isinstance(entries, list) or not entries or not isinstance(entries[0], dict):
            continue
        head = [key for key in entries[0] if key != "blocks"]
        rows = [
            {
                "cells": [_said(one.get(key)) for key in head],
                "taken": bool(one.get("taken") or one.get("content") or one.get("chosen")),
                "block": None,
            }
            for one in entries
        ]
        yield {"title": name.capitalize(), "head": [key.replace("_", " ") for key in head], "rows": rows}


def _facts(evidence: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in evidence.items():
        if name == "fields":
            continue
        if isinstance(value, dict):
            yield from ((f"{name}: {key}", _said(one)) for key, one in value.items())
        elif not isinstance(value, list):
            yield name, value


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_said(one)}" for key, one in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(_said, value)) if isinstance(value, list) else "–" if value is None else str(value)
