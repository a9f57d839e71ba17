"""The phase of runs of siblings: which sibling begins a record, where records have no element of their own.

A date before its link (dt and dd, rows, lines) repeats as regularly as a date behind one. What stands before the first run
and is missing at the end of the last one belongs to the run that follows it. A term (dt) or a bold line begins the record of
the text below it, and two articles are never one record.

Cost: linear in the siblings; only the chosen candidates are looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from newsextract.algorithms.visual_blocks.candidates import Candidate, Columns
from newsextract.fields.advertisements import HEADINGS
from newsextract.fields.dates import is_date
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import MAX_DATE

_MAX_LABEL = 40
"""Characters of a label before a link: a section, a place."""
_LEAST_TITLE = 12
"""Characters of a link above another one that is its title."""
_MAX_ABOVE = 3
"""Elements around a link in which its title may be."""
_SHARED = 0.8
"""Share of the runs that have a text from which on it is a button or a note."""


def in_phase(columns: Columns, candidate: Candidate) -> Candidate:
    """Runs that end with the beginning of the next record, moved so that each has its own; all others as they are."""
    nodes = columns.nodes
    siblings = nodes.children[int(nodes.parents[candidate.firsts[0]])]
    place = {sibling: number for number, sibling in enumerate(siblings)}
    if candidate.kind != "runs":
        if any(first not in place for first in candidate.firsts.tolist()) or not (tops := _tops(nodes, siblings, candidate)):
            return _with_titles(columns, candidate)
        return _moved(columns, candidate, siblings, tops, [*tops[1:], place[int(candidate.lasts[-1])] + 1])
    starts = [place[first] for first in candidate.firsts.tolist()]
    stops = [place[last] + 1 for last in candidate.lasts.tolist()]
    if articles := _articles(columns, siblings, siblings[starts[0] : stops[-1]]):
        tops = [place[article] for article in articles]
        return _moved(columns, candidate, siblings, tops, [top + 1 for top in tops])
    if ranked := _by_rank(nodes, siblings, starts, stops):
        return _moved(columns, candidate, siblings, *ranked)
    terms = [number for number, sibling in enumerate(siblings) if nodes.tags[sibling] == "dt"]
    if terms and terms[0] <= starts[0] and not any(nodes.tags[first] == "dt" for first in candidate.firsts.tolist()[1:]):
        held = [bisect_left(terms, stop) - bisect_left(terms, start) for start, stop in zip(starts, stops, strict=True)]
        if len(held) > 1 and all(count == 1 for count in held[:-1]) and held[-1] < 2:  # a term begins its record
            tops = terms[bisect_right(terms, starts[0]) - 1 : bisect_left(terms, stops[-1])]
            ends = [*tops[1:], min(len(siblings), tops[-1] + tops[-1] - tops[-2])]
            return _moved(columns, candidate, siblings, tops, ends)
    if starts[0] == 0 or any(stop != start for stop, start in zip(stops, starts[1:], strict=False)):
        return candidate
    looks = _Looks(columns, siblings)
    *ends, last = stops
    before = starts[0] - 1
    with_tail = {stop for stop in ends if looks[stop - 1] == looks[before]}
    if len(with_tail) < len(ends):
        if not with_tail or looks[last - 1] == looks[before] or not looks[before].is_date:
            return candidate
        # A day above several entries belongs to none of them.
        cut = [stop - (stop in with_tail and stop - start > 1) for start, stop in zip(starts, stops, strict=True)]
        return _moved(columns, candidate, siblings, starts, cut)
    size = _size(looks, starts, stops)
    runs = [siblings[start:stop] for start, stop in zip(starts, stops, strict=True)]
    lead = siblings[starts[0] - size : starts[0]]
    is_dated = any(looks[place].is_date for place in range(starts[0] - size, starts[0]))
    if size == 0 or not (is_dated or _is_incomplete(nodes, runs, size) or _is_label(columns, runs, lead)):
        return candidate
    tops = [start - size for start in starts]
    end = min(last, tops[-1] + max(map(len, runs)))
    return _moved(columns, candidate, siblings, tops, [*(stop - size for stop in ends), end])


def _tops(nodes: Nodes, siblings: Sequence[int], candidate: Candidate) -> list[int]:
    """The places of the siblings that begin the records of which a candidate has the parts: terms, where it has only
    definitions; bold lines, where it has them and the lines below; none otherwise."""
    roots = candidate.firsts.tolist()
    tags = {nodes.tags[root] for root in roots}
    first, last = siblings.index(roots[0]), siblings.index(roots[-1])
    if tags == {"dd"}:
        terms = [number for number in range(last) if nodes.tags[siblings[number]] == "dt"]
        terms = terms[max(0, bisect_left(terms, first) - 1) :]
    elif tags == {"p"}:
        terms = [number for number in range(first, last) if _is_bold(nodes, siblings[number])]
        if not terms or terms[0] > first:
            return []
    else:
        return []
    has_text = all(
        any(nodes.text_nodes(sibling) for sibling in siblings[one + 1 : other])
        for one, other in pairwise([*terms, last + 1])
    )
    return terms if len(terms) > 1 and has_text else []


def _by_rank(
    nodes: Nodes, siblings: Sequence[int], starts: Sequence[int], stops: Sequence[int]
) -> tuple[list[int], list[int]] | None:
    """Where runs below headings begin and end, if headings of a higher rank are among them: these are of no run, or they
    begin the records, where the others repeat ("Added", "Fixed")."""
    tags = {nodes.tags[siblings[start]] for start in starts}
    rank = tags.pop() if len(tags) == 1 else ""
    if rank not in HEADINGS or len(starts) < 2:
        return None
    higher = [number for number in range(stops[-1]) if nodes.tags[siblings[number]] in HEADINGS]
    higher = [number for number in higher if nodes.tags[siblings[number]] < rank]
    within = higher[bisect_left(higher, starts[0]) :]
    if not within:
        return None
    if 2 * len({nodes.text(siblings[start]) for start in starts}) <= len(starts):
        tops = higher[max(0, len(higher) - len(within) - 1) :]
        return (tops, [*tops[1:], stops[-1]]) if len(tops) > 1 and tops[0] < starts[0] else None
    bounds = zip(starts, stops, strict=True)
    return list(starts), [next((n for n in within if start < n < stop), stop) for start, stop in bounds]


def _is_bold(nodes: Nodes, root: int) -> bool:
    """Whether all of a line is emphasised, and no link."""
    bold = [node for node in range(root + 1, int(nodes.ends[root])) if nodes.tags[node] in ("b", "strong")]
    texts = nodes.text_nodes(root)
    held = {text for node in bold for text in nodes.text_nodes(node)}
    return bool(texts) and held.issuperset(texts) and not _links(nodes, [root])


def _articles(columns: Columns, siblings: Sequence[int], within: Sequence[int]) -> list[int]:
    """The articles among siblings, if all have a link and there is hardly anything else within the runs."""
    told = [sibling for sibling in within if columns.has_text[sibling]]
    tags = columns.nodes.tags
    if sum(tags[sibling] == "article" for sibling in told) < max(2, _SHARED * len(told)):
        return []
    articles = [sibling for sibling in siblings if tags[sibling] == "article" and columns.has_text[sibling]]
    return articles if all(_links(columns.nodes, [article]) for article in articles) else []


def _with_titles(columns: Columns, candidate: Candidate) -> Candidate:
    """Records that are nothing but a link, grown to the elements that hold a title above it which leads to the same page."""
    nodes = columns.nodes
    roots = candidate.firsts.tolist()
    if roots != candidate.lasts.tolist():
        return candidate
    wholes = [
        _title_above(nodes, root, before, behind)
        for before, root, behind in zip([-1, *roots], roots, [*roots[1:], len(nodes)], strict=False)
    ]
    if any(whole < 0 for whole in wholes):
        return candidate
    first = np.array(wholes, dtype=np.int64)
    spans = np.stack((columns.text_before[first], columns.text_before[nodes.ends[first]]), axis=1)
    return replace(candidate, firsts=first, lasts=first, spans=spans)


def _title_above(nodes: Nodes, root: int, before: int, behind: int) -> int:
    """The element around a link and a shorter one above it to the same page; -1 without one.

    :param before, behind: the records beside it.
    """
    link = next((node for node in range(root, int(nodes.ends[root])) if nodes.tags[node] == "a"), -1)
    goal = nodes.attributes[link].get("href") if link >= 0 else None
    if not goal or nodes.text(link) != nodes.text(root):
        return -1
    up = root
    for _ in range(_MAX_ABOVE):
        up = int(nodes.parents[up])
        if up <= before or nodes.ends[up] > behind:
            return -1
        above = (node for node in range(up, root) if nodes.tags[node] == "a" and nodes.attributes[node].get("href") == goal)
        if any(_LEAST_TITLE <= len(nodes.text(node)) < len(nodes.text(link)) for node in above):
            return up
    return -1


def _size(looks: _Looks, starts: Sequence[int], stops: Sequence[int]) -> int:
    """How many siblings at the end of all runs except the last also stand before the first one; 0 if the last has them."""
    *ends, last = stops
    most = min(starts[0], *(stop - start - 1 for start, stop in pairwise(starts)))
    lacking = 0
    for size in range(1, most + 1):
        look = looks[starts[0] - size]
        if any(looks[stop - size] != look for stop in ends) or (lacking and look == looks[last - 1]):
            break
        if lacking or last - size < starts[-1] or looks[last - size] != look:
            lacking = size
    return lacking


class _Look(NamedTuple):
    """What identifies the kind of a sibling."""

    kind: int
    """Its signature."""
    is_date: bool


class _Looks:
    """The looks of siblings by their places."""

    def __init__(self, columns: Columns, siblings: Sequence[int]) -> None:
        self._columns = columns
        self._siblings = siblings
        self._known: dict[int, _Look] = {}

    def __getitem__(self, place: int) -> _Look:
        if place not in self._known:
            columns, node = self._columns, self._siblings[place]
            kinds = columns.rows if columns.nodes.tags[node] == "tr" else columns.signatures[1]
            chars = columns.chars_before[columns.nodes.ends[node]] - columns.chars_before[node]
            self._known[place] = _Look(kinds[node], 0 < chars <= MAX_DATE and is_date(columns.nodes.text(node)))
        return self._known[place]


def _is_incomplete(nodes: Nodes, runs: Sequence[Sequence[int]], size: int) -> bool:
    """Whether the last run is no record by itself: all others have what it repeats, or a link that it has not.

    :param size: siblings at the end of each other run that may belong to the next one.
    """
    *others, last = runs
    counts = Counter(text for run in others for text in {nodes.texts[i] for root in run for i in nodes.text_nodes(root)})
    own = {nodes.texts[i] for root in last for i in nodes.text_nodes(root)}
    if all(counts[text] >= _SHARED * len(others) for text in own):
        return True
    return not _links(nodes, last) and all(_links(nodes, run[-size:]) and not _links(nodes, run[:-size]) for run in others)


def _links(nodes: Nodes, roots: Sequence[int]) -> bool:
    return any(nodes.tags[node] == "a" for root in roots for node in range(root, int(nodes.ends[root])))


def _is_label(columns: Columns, runs: Sequence[Sequence[int]], lead: Sequence[int]) -> bool:
    """Whether runs end with a short text of a kind of its own, by its class or as dt: the label of the link below it."""
    nodes, by_class = columns.nodes, columns.signatures[1]
    labels = [lead[0], *(run[-len(lead)] for run in runs[:-1])]
    is_told = nodes.tags[labels[0]] == "dt" or bool(nodes.attributes[labels[0]].get("class"))
    are_short = all(len(nodes.text(label)) <= _MAX_LABEL and not _links(nodes, [label]) for label in labels)
    return is_told and are_short and all(by_class[labels[0]] != by_class[root] for run in runs for root in run[: -len(lead)])


def _moved(
    columns: Columns, candidate: Candidate, siblings: Sequence[int], starts: Sequence[int], stops: Sequence[int]
) -> Candidate:
    """A candidate of the siblings from these places to before those."""
    first = np.array([siblings[start] for start in starts], dtype=np.int64)
    last = np.array([siblings[stop - 1] for stop in stops], dtype=np.int64)
    spans = np.stack((columns.text_before[first], columns.text_before[columns.nodes.ends[last]]), axis=1)
    return replace(candidate, firsts=first, lasts=last, spans=spans)
