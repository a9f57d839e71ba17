"""THE function for pages with many records: a page goes in, its records with their data items come out.

The algorithm finds which nodes make which record (:class:`~newsextract.record.RecordSet`); texts and items are made here,
alike for all algorithms. Nothing but the page is read, and no browser is started: a rendered page is a
:class:`~newsextract.snapshot.Snapshot`, made by :func:`newsextract.render` or loaded from a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from newsextract import algorithms
from newsextract.control_characters import cleaned
from newsextract.extraction import as_page, refusal
from newsextract.nodes import MAX_NODES, Nodes
from newsextract.page import Page
from newsextract.record import Record, RecordPage, RecordSet
from newsextract.record_items import align
from newsextract.record_shape import Shape, agree, find_shape, learn_shape
from newsextract.snapshot import Snapshot

BY_SHAPE = "records found by the shape of those on an earlier page"
"""Note of a page whose records the algorithm did not find by itself."""


def extract_records(
    page: Page | Snapshot | bytes | str,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    evidence: bool = False,
) -> RecordPage:
    """Extract the data records of a page, in reading order, those of the main data region first.

    :param page: a :class:`Page`, what a browser saw of it, its bytes, or its decoded text.
    :param url: the URL, when ``page`` is bytes or text.
    :param algorithm: a registered name; None for the default.
    :param params: parameters of the algorithm, ``preset`` among them; None for its default preset, which reads the rendered
        page where there is one and the source otherwise.
    :param evidence: also return what was scored how.
    :returns: always a :class:`RecordPage`; iterating over it gives the records, ``status`` and ``reason`` say why there are
        none.
    :raises UnknownAlgorithm: the name is not registered.
    :raises ParameterError: a parameter is unknown or has a bad value.
    """
    return find_records(page, url, algorithm, params, evidence=evidence)


def find_records(
    page: Page | Snapshot | bytes | str,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    evidence: bool = False,
    shape: Shape | None = None,
) -> RecordPage:
    """Extract the data records of a page as :func:`extract_records` does, also by what an earlier page has shown.

    :param shape: of the records on an earlier page of the same thread, list or query (:func:`shape_of`): where the
        algorithm finds none, or others than those of the shape, those of the shape are taken, if there are any; the note
        says so.
    """
    page = as_page(page, url)
    algorithm = algorithm or algorithms.DEFAULT_RECORDS
    choose = algorithms.make_records(algorithm, params)
    refused = refusal(page)
    if refused is not None:
        return RecordPage(page.url, algorithm, refused[0], reason=refused[1])
    found = choose(page, evidence=evidence)
    nodes = page.nodes_of(found)
    notes = _notes(page, nodes)
    if shape is not None and (shaped := _by_shape(nodes, found, shape)) is not None:
        if not (found.regions and agree(nodes, found.regions[0], shaped.regions[0])):
            notes.append(BY_SHAPE)
        found = shaped
    records: list[Record] = list(found.made)
    for number, region in enumerate(found.regions):
        for roots, items in zip(region.records, align(nodes, region, page.url), strict=True):
            records.append(Record(nodes.text(*roots), items, number, roots))
    return RecordPage(
        page.url,
        algorithm,
        found.status,
        cleaned(tuple(records)),
        found.confidence,
        found.reason,
        found.evidence,
        found.regions,
        found.rendered,
        found.written,
        "; ".join(notes) or None,
    )


def shape_of(page: Page, found: RecordPage) -> Shape | None:
    """What the records of a page's main region look like, for :func:`find_records` on later pages of the same list; None
    where they do not tell.

    :param found: of this page.
    """
    return learn_shape(page.nodes_of(found), found.regions[0], found.confidence) if found.regions else None


def _by_shape(nodes: Nodes, found: RecordSet, shape: Shape) -> RecordSet | None:
    """The records of a shape in place of those that were found; None where these stand.

    Where both are as many and the same, those of the surer one reach as far as they should.
    """
    if found.made or found.status not in ("ok", "empty"):
        return None
    region = find_shape(nodes, shape)
    if region is None:
        return None
    if found.regions and agree(nodes, found.regions[0], region):
        same = len(region.records) == len(found.regions[0].records)
        if not same or region.score <= found.confidence:
            return None
    return replace(found, regions=(region,), status="ok", confidence=region.score, reason=None)


def _notes(page: Page, nodes: Nodes) -> list[str]:
    """What is to be known of the nodes that were read."""
    notes = [page.snapshot.note] if page.snapshot is not None and page.snapshot.note else []
    if len(nodes) >= MAX_NODES:  # a snapshot over the cap is refused
        notes.append(f"only the first {MAX_NODES:,} nodes of the source were read")
    return notes
