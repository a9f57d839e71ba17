"""Lists cut by days: below each day the entries of that day, one teaser each.

An algorithm compares the parts of a page, and days with their entries are alike, too. Records that begin with a date and
hold nothing else but linked entries of one kind give way to these entries.

Cost: one pass over the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from newsextract.fields.dates import is_date
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.records.items import align
from newsextract.records.leaves import INLINE, MAX_DATE
from newsextract.results import Record, RecordPage

_LEAST_TITLE = 12
"""Characters of an entry's link, Chinese and Japanese ones counted twice; names of authors and buttons are shorter."""
_LEAST_SHARE = 0.9
"""Share of the entries that have such a link, and one that leads elsewhere than all others."""
_BEFORE_LINK = 20
"""Characters before the link of an entry: its time of day, a label."""
_MAX_LEVELS = 12
"""Elements around an entry, within its day."""
_WIDE = "\u2e80"


def with_entries(page: Page, found: RecordPage) -> RecordPage:
    """The records of a page, days of several entries each replaced by the entries."""
    nodes = page.nodes_of(found)
    region = found.regions[0] if found.regions else None
    if region is None or len(region.records) < 2:
        return found
    paths = [path for roots in region.records if (path := _path(nodes, roots))]
    if 2 * len(paths) < len(region.records) or len(set(paths)) > 1:
        return found
    path = paths[0]
    entries: list[int] = []
    for roots in region.records:
        own = _of_path(nodes, roots, path)
        if not own or not _is_day(nodes, roots, own):
            return found
        entries += own
    if not _are_teasers(nodes, entries):
        return found
    region = replace(region, records=tuple((entry,) for entry in entries))
    items = align(nodes, region, page.url)
    records = [Record(nodes.text(*own), its, 0, own) for own, its in zip(region.records, items, strict=True)]
    others = [record for record in found.records if record.region != 0]
    return replace(found, records=(*records, *others), regions=(region, *found.regions[1:]))


def _path(nodes: Nodes, roots: Sequence[int]) -> tuple[str, ...]:
    """The tags from a record's roots to elements with links that are several and alike; empty without such."""
    path: tuple[str, ...] = ()
    parts = list(roots)
    for _ in range(_MAX_LEVELS):
        linked = [part for part in parts if _links(nodes, part) and not is_date(nodes.text(part))]
        tags = {nodes.tags[part] for part in linked}
        if len(tags) != 1 or (not tags.isdisjoint(INLINE) and not _are_lines(nodes, linked)):
            break
        path += tuple(tags)
        if len(linked) > 1:
            return path
        parts = [child for child in nodes.children[linked[0]] if nodes.tags[child]]
    return ()


def _are_lines(nodes: Nodes, parts: Sequence[int]) -> bool:
    """Whether a line break stands between each two of some siblings."""
    return all("br" in nodes.tags[int(nodes.ends[one]) : other] for one, other in pairwise(parts))


def _of_path(nodes: Nodes, roots: Sequence[int], path: tuple[str, ...]) -> list[int]:
    """The elements with links on a path of tags from a record's roots."""
    parts = list(roots)
    for number, tag in enumerate(path):
        if number:
            parts = [child for part in parts for child in nodes.children[part]]
        parts = [part for part in parts if nodes.tags[part] == tag and _links(nodes, part)]
    return [part for part in parts if not is_date(nodes.text(part))]


def _is_day(nodes: Nodes, roots: Sequence[int], entries: Sequence[int]) -> bool:
    """Whether a record is a date and its entries, and nothing else."""
    held = {text for entry in entries for text in nodes.text_nodes(entry)}
    others = [text for root in roots for text in nodes.text_nodes(root) if text not in held]
    above = " ".join(nodes.texts[text] for text in others)
    return bool(others) and others[-1] < entries[0] and len(above) <= MAX_DATE and is_date(above)


def _are_teasers(nodes: Nodes, entries: Sequence[int]) -> bool:
    """Whether nearly all entries begin with a link of several words to a page of its own."""
    goals: set[str] = set()
    for entry in entries:
        link = _links(nodes, entry)[0]
        title = nodes.text(link)
        before = "".join(nodes.texts[text] for text in nodes.text_nodes(entry) if text < link)
        width = len(title) + sum(character > _WIDE for character in title)
        if width >= _LEAST_TITLE and len(before) <= _BEFORE_LINK:
            goals.add(nodes.attributes[link]["href"].partition("#")[0])
    return len(goals) >= _LEAST_SHARE * len(entries)


def _links(nodes: Nodes, root: int) -> list[int]:
    """The links of an element that have a text."""
    inside = range(root, int(nodes.ends[root]))
    return [n for n in inside if nodes.tags[n] == "a" and nodes.attributes[n].get("href") and len(nodes.text_nodes(n))]
