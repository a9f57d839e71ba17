"""Candidate record sets: all ways in which parts of a page may be its records.

The paper focuses one region and clusters its blocks (§5.1, §5.3); on unseen sites the region is the weak step
(docs/visual_blocks.md). So every element is taken for a region, its children are grouped by signature (tag, class, number
pattern of the id) instead of by thresholds, and groups are also gathered under different parents (grids, columns, days) and
as runs of siblings (two table rows, dt and dd, a heading and what follows it). A scorer chooses among them
(:mod:`.algorithm`); runs of siblings among the chosen ones are moved to where their records begin (*phase*).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsextract.fields.advertisements import HEADINGS
from newsextract.fields.dates import is_date
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import MAX_DATE

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


def common_parent(nodes: Nodes, first: int, last: int) -> int:
    """The smallest subtree that holds both nodes and is more than one of them."""
    node = int(nodes.parents[first])
    while node > 0 and nodes.ends[node] <= last:
        node = int(nodes.parents[node])
    return max(node, 0)


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


# --- phase ----------------------------------------------------------------------------------------
# Which sibling begins a record, where records have no element of their own.
#
# A date before its link (dt and dd, rows, lines) repeats as regularly as a date behind one. What stands before the first run
# and is missing at the end of the last one belongs to the run that follows it. A term (dt) or a bold line begins the record
# of the text below it, and two articles are never one record.

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
    look = cache(lambda place: _look(columns, siblings[place]))
    *ends, last = stops
    before = starts[0] - 1
    with_tail = {stop for stop in ends if look(stop - 1) == look(before)}
    if len(with_tail) < len(ends):
        if not with_tail or look(last - 1) == look(before) or not look(before).is_date:
            return candidate
        # A day above several entries belongs to none of them.
        cut = [stop - (stop in with_tail and stop - start > 1) for start, stop in zip(starts, stops, strict=True)]
        return _moved(columns, candidate, siblings, starts, cut)
    size = _size(look, starts, stops)
    runs = [siblings[start:stop] for start, stop in zip(starts, stops, strict=True)]
    lead = siblings[starts[0] - size : starts[0]]
    is_dated = any(look(place).is_date for place in range(starts[0] - size, starts[0]))
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


def _size(look: Callable[[int], _Look], starts: Sequence[int], stops: Sequence[int]) -> int:
    """How many siblings at the end of all runs except the last also stand before the first one; 0 if the last has them.

    :param look: of the sibling at a place.
    """
    *ends, last = stops
    most = min(starts[0], *(stop - start - 1 for start, stop in pairwise(starts)))
    lacking = 0
    for size in range(1, most + 1):
        wanted = look(starts[0] - size)
        if any(look(stop - size) != wanted for stop in ends) or (lacking and wanted == look(last - 1)):
            break
        if lacking or last - size < starts[-1] or look(last - size) != wanted:
            lacking = size
    return lacking


class _Look(NamedTuple):
    """What identifies the kind of a sibling."""

    kind: int
    """Its signature."""
    is_date: bool


def _look(columns: Columns, node: int) -> _Look:
    kinds = columns.rows if columns.nodes.tags[node] == "tr" else columns.signatures[1]
    chars = columns.chars_before[columns.nodes.ends[node]] - columns.chars_before[node]
    return _Look(kinds[node], 0 < chars <= MAX_DATE and is_date(columns.nodes.text(node)))


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
