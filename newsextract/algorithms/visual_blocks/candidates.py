"""Candidate record sets: all ways in which parts of a page may be its records.

The paper focuses one region and clusters its blocks (§5.1, §5.3); on unseen sites the region is the weak step
(docs/visual_blocks.md). So every element is taken for a region, its children are grouped by signature (tag, class, number
pattern of the id) instead of by thresholds, and groups are also gathered under different parents (grids, columns, days) and
as runs of siblings (two table rows, dt and dd, a heading and what follows it). A scorer chooses among them
(:mod:`.algorithm`).

Cost: linear in the nodes, but for elements with many kinds of children; see :data:`MAX_HEADS`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from newsextract.page.nodes import Nodes

# --- candidates -----------------------------------------------------------------------------------

MAX_CANDIDATES = 90
"""Candidates of a page that are scored: those with the most text and records. On folds 1-4, 80 to 160 give the same F1."""
MAX_HEADS = 6
"""Kinds of children of one element that are tried as the beginning of a record."""
_FIRST_CHILDREN = 3
_LEAST_TEXT = 2
"""Characters of a record's text, at least."""
_CLASS = re.compile(r"[^\W\d_]+")
_POSITION = frozenset(
    "odd even first last active selected current alt alternate row left right top new unread read hover open closed".split()
)
"""Words of a class that tell a record's place or state, not its kind."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A set of records, in document order, none within another."""

    kind: str
    """``siblings``, ``mixed``, ``runs``, ``cousins``: how it was found."""
    firsts: NDArray[np.int64]
    """First root of each record."""
    lasts: NDArray[np.int64]
    """Last root of each record; the roots between are its siblings."""
    spans: NDArray[np.int64]
    """Shape (records, 2): the record's visible text nodes, as numbers among all visible ones: from, to before."""

    def __len__(self) -> int:
        return len(self.firsts)


class Columns:
    """What the candidates of a page are made from: sums over the nodes before each, signatures."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        shown = np.zeros(len(nodes), dtype=np.int64)
        shown[nodes.shown] = 1
        self.text_before = np.concatenate(([0], np.cumsum(shown)))
        """Shape (n + 1,): visible text nodes before each node."""
        sizes = np.array([len(text) for text in nodes.texts], dtype=np.int64)
        self.chars_before = np.concatenate(([0], np.cumsum(sizes * shown)))
        """Shape (n + 1,): characters of them."""

        self.has_text: list[bool] = (self.text_before[nodes.ends] > self.text_before[:-1]).tolist()
        """Of each node, whether it holds visible text."""

    @cached_property
    def signatures(self) -> tuple[list[int], list[int], list[int]]:
        """For each node a number of its tag; of its tag and class; of its tag and id pattern (-1 without one)."""
        numbers: dict[object, int] = {}
        by_tag: list[int] = []
        by_class: list[int] = []
        by_id: list[int] = []
        known: dict[tuple[str, str, str], int] = {}
        for tag, attributes in zip(self.nodes.tags, self.nodes.attributes, strict=True):
            by_tag.append(own := numbers.setdefault(tag, len(numbers)))
            if not attributes:
                by_class.append(own)
                by_id.append(-1)
                continue
            key = (tag, attributes.get("class", ""), attributes.get("itemtype", ""))
            if key not in known:
                words, kind = class_words(key[1]), key[2]
                known[key] = numbers.setdefault((tag, words, kind), len(numbers)) if words or kind else own
            by_class.append(known[key])
            pattern = _DIGITS.sub("#", name) if (name := attributes.get("id")) else ""
            by_id.append(numbers.setdefault((tag, pattern), len(numbers)) if "#" in pattern else -1)
        return by_tag, by_class, by_id

    @cached_property
    def rows(self) -> list[int]:
        """For each node a number of its tag, its class, those of its first children and whether these begin with a link:
        tells table rows without a class apart."""
        by_class = self.signatures[1]
        tags = self.nodes.tags
        numbers: dict[object, int] = {}
        found: list[int] = []
        for node, children in enumerate(self.nodes.children):
            inside = tuple(
                (by_class[child], any(tags[inner] == "a" for inner in self.nodes.children[child][:_FIRST_CHILDREN]))
                for child in children[:_FIRST_CHILDREN]
                if tags[child]
            )
            found.append(numbers.setdefault((by_class[node], inside), len(numbers)))
        return found


@lru_cache(maxsize=4_000)
def class_words(value: str) -> tuple[str, ...]:
    """The words of a class that tell what kind of thing an element is: without numbers, places and states; sorted."""
    if not value:
        return ()
    return tuple(sorted({word for word in _CLASS.findall(value.lower()) if word not in _POSITION}))


def candidates(columns: Columns) -> list[Candidate]:
    """The candidate record sets of a page, those with the most text and records first.

    All groups are kept in columns; only the chosen ones become objects.
    """
    groups = list(_groups(columns))
    first, last = (np.fromiter(chain.from_iterable(group[k] for group in groups), dtype=np.int64) for k in (1, 2))
    group_of = np.repeat(np.arange(len(groups)), [len(firsts) for _, firsts, _ in groups])
    ends = columns.nodes.ends[last]
    text = columns.chars_before[ends] - columns.chars_before[first]
    kept = text >= _LEAST_TEXT
    first, last, ends, group_of, text = first[kept], last[kept], ends[kept], group_of[kept], text[kept]
    spans = np.stack((columns.text_before[first], columns.text_before[ends]), axis=1)
    counts = np.bincount(group_of, minlength=len(groups))
    weights = np.bincount(group_of, text, len(groups)) * np.log(counts + 1)
    stops = np.cumsum(counts)
    seen: set[bytes] = set()
    chosen: list[int] = []
    bounds = list(zip((stops - counts).tolist(), stops.tolist(), strict=True))
    for group, (start, stop) in enumerate(bounds):
        if stop - start > 1 and (key := spans[start:stop].tobytes()) not in seen:
            seen.add(key)
            chosen.append(group)
    chosen.sort(key=lambda group: -weights[group])
    return [
        Candidate(groups[group][0], *(column[slice(*bounds[group])] for column in (first, last, spans)))
        for group in chosen[:MAX_CANDIDATES]
    ]


def _groups(columns: Columns) -> Iterator[tuple[str, list[int], list[int]]]:
    """(kind, first roots, last roots), with repetitions."""
    nodes, has_text = columns.nodes, columns.has_text
    by_tag, by_class, by_id = columns.signatures
    for children in nodes.children:
        if len(children) < 2:
            continue
        told = [child for child in children if has_text[child]]
        if len(told) < 2:
            continue
        elements = [child for child in told if nodes.tags[child]]
        for signature in (by_tag, by_class, by_id):
            for group in _by(signature, elements):
                yield "siblings", group, group
        if len(elements) >= 2:
            yield "mixed", elements, elements
        for signature in (by_class, by_tag):
            yield from _runs(nodes, children, told, signature)
        if nodes.tags[told[0]] == "tr":  # elsewhere it only finds paragraphs with and without links: forum F1 .90 -> .76
            yield from _runs(nodes, children, told, columns.rows)
    yield from _cousins(columns)


def _by(signature: list[int], group: list[int]) -> Iterator[list[int]]:
    """The groups of equal signature with two members or more."""
    if len({signature[node] for node in group}) == len(group):
        return
    groups: dict[int, list[int]] = defaultdict(list)
    for node in group:
        groups[signature[node]].append(node)
    for number, members in groups.items():
        if len(members) > 1 and number >= 0:
            yield members


def _runs(
    nodes: Nodes, children: list[int], told: list[int], signature: list[int]
) -> Iterator[tuple[str, list[int], list[int]]]:
    """Records over several siblings: from each child of a kind to before the next one."""
    if len(told) < 3:
        return
    kinds = [signature[child] for child in children]
    if len(set(kinds)) == len(kinds):
        return
    heads = [number for number, count in Counter(kinds).most_common() if count > 1]
    for head in heads[:MAX_HEADS]:
        starts = [k for k, kind in enumerate(kinds) if kind == head]
        if len(starts) == len(children):
            continue
        stops = [*starts[1:], _stop(children, starts, signature)]
        yield "runs", [children[k] for k in starts], [children[k - 1] for k in stops]
        if starts[0] > 0 and nodes.tags[children[starts[0]]]:  # the head may also separate: hr, br, a spacer row
            firsts = [children[0], *(children[k + 1] for k in starts if k + 1 < len(children))]
            lasts = [*(children[k - 1] for k in starts), children[-1]][: len(firsts)]
            pairs = [(first, last) for first, last in zip(firsts, lasts, strict=True) if first <= last]
            yield "runs", [first for first, _ in pairs], [last for _, last in pairs]


def _stop(children: list[int], starts: list[int], signature: list[int]) -> int:
    """Where the last run ends: behind as many siblings as the longest run has, as long as their kinds are known."""
    longest = max(b - a for a, b in pairwise(starts))
    known = {signature[child] for child in children[starts[0] : starts[-1]]}
    stop = starts[-1] + 1
    while stop < len(children) and stop < starts[-1] + longest and signature[children[stop]] in known:
        stop += 1
    return stop


def _cousins(columns: Columns) -> Iterator[tuple[str, list[int], list[int]]]:
    """Elements of equal signature under different parents: with equal paths of three steps, or with equal class anywhere."""
    nodes = columns.nodes
    by_tag, by_class, by_id = columns.signatures
    parents, ends, has_text = nodes.parents.tolist(), nodes.ends.tolist(), columns.has_text
    groups: dict[object, list[int]] = defaultdict(list)
    for node, tag in enumerate(nodes.tags):
        if not tag or not has_text[node]:
            continue
        parent = parents[node]
        above = parents[parent] if parent >= 0 else -1
        kinds = (by_class[node], by_class[parent] if parent >= 0 else -1, by_class[above] if above >= 0 else -1)
        groups[kinds].append(node)
        if by_class[node] != by_tag[node]:
            groups[by_class[node]].append(node)
        if by_id[node] >= 0:
            groups[-2 - by_id[node]].append(node)
    for members in groups.values():
        outer: list[int] = []
        for node in members:  # in document order: what lies in one that is taken is left out
            if not outer or node >= ends[outer[-1]]:
                outer.append(node)
        if len(outer) > 1 and len({parents[node] for node in outer}) > 1:
            yield "cousins", outer, outer


# --- containment ----------------------------------------------------------------------------------
# Which candidate sets have their records within the records of others: parts of records, records, groups of records.
#
# Cost: candidates × (texts + records), in numpy.

NAMES: tuple[str, ...] = (
    "groups_of_others", "part_of_other", "other_more_text", "part_of_longer", "has_parts", "parts_less_text", "overlapping",
)  # fmt: skip
NEAR = 1.35
"""A set with up to this many times the records of another (and one more) has the same records and some besides."""


def containment(found: Sequence[Candidate]) -> NDArray[np.bool_]:
    """Shape (candidates, candidates): whether all records of the second stand within records of the first."""
    spans = np.concatenate([candidate.spans for candidate in found])
    starts = np.cumsum([0, *(len(candidate) for candidate in found[:-1])])
    first, last = spans[:, 0], spans[:, 1] - 1
    inside = np.empty((len(found), len(spans)), dtype=np.bool_)
    for number, candidate in enumerate(found):
        record = np.searchsorted(candidate.spans[:, 0], first, side="right") - 1
        inside[number] = (record >= 0) & (last < candidate.spans[:, 1].take(record))
    within: NDArray[np.bool_] = np.logical_and.reduceat(inside, starts, axis=1)
    return within


def relations(within: NDArray[np.bool_], sizes: NDArray[np.int64], chars: NDArray[np.float32]) -> NDArray[np.float32]:
    """Shape (candidates, :data:`NAMES`).

    :param within: of :func:`containment`.
    :param sizes: records of each candidate.
    :param chars: characters of each candidate.
    """
    inner, outer = sizes[None, :], sizes[:, None]
    other = within & ~np.eye(len(sizes), dtype=np.bool_)
    more = np.log(np.maximum(chars[:, None] / chars[None, :], 1e-6))
    same = other & (inner == outer) & (more > 0)
    longer = other & (outer > inner) & (outer <= NEAR * inner + 1)
    groups = other & (inner > outer)
    return np.stack(
        (
            np.log1p(groups.sum(axis=1)),
            same.any(axis=0),
            np.where(same, more, 0).max(axis=0),
            longer.any(axis=0),
            np.log1p(same.sum(axis=1)),
            np.where(same, more, 0).max(axis=1),
            np.log1p(other.sum(axis=0)),
        ),
        axis=1,
    ).astype(np.float32)
