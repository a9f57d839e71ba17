"""What extraction sees of a page, as one HTML file to look at: of a page with records its picture, visual blocks, region,
noise and records; of an article (:mod:`.articles`) its blocks, rivals and fields.

The visual blocks with their 34 indicators, and why each was kept or dropped, are those of the paper's feature layer (Wang,
Liang & Min 2019, §4; :mod:`newsextract.algorithms.visual_blocks.processing`). Records are shown of the algorithm that was
asked for, and beside them those of the paper's own layers. :mod:`.views` makes plain values of both and puts them into the
file, and scripts in the file draw them.

Cost: 0.1 s a page beside the extraction, and about 1 kB a block, the picture aside (30 pages of the
bench, folds 1-4). 3,000 blocks and 1,200 records make 4 MB that open in 1.3 s and follow the pointer at 60 frames a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from newsextract import algorithms
from newsextract.algorithms.visual_blocks.processing import PUBLISHED, VisualBlocksParams, focus_records
from newsextract.errors import UsageError
from newsextract.inspection.articles import article_data
from newsextract.inspection.views import View, block_list, chosen_view, document, paper_view, picture, view_name
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot

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
        data = article_data(page, algorithm, params, name)
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
