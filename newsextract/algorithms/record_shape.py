"""The shape of a page's records: by it a single one is found on a later page of the same thread, list or query.

A record algorithm compares the parts of one page; where only one record stands, there is nothing to compare it with. The
pages before tell what a record looks like: the elements that lead to it from the page's root, its own element, and what all
of them hold; an element is told by its step (*record steps*).

A shape is only made where it tells records from all else on its own page: it has to find no other thing there, and most of
the records. So a list of bare links in a page of bare menus has none.

Cost: 2 ms to learn one and 1 ms to find it on the median page, linear in the nodes; 300 to 1,300 bytes.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from newsextract.algorithms.visual_blocks.candidates import class_words, common_parent
from newsextract.page.nodes import Nodes
from newsextract.results import Region

# --- record steps ---------------------------------------------------------------------------------
# Steps: what an element is told by on other pages of its site, as text: its tag and the words of its class and id, without
# numbers, places and states (odd, last, active). ``<li class="hit odd" id="hit-12">`` is ``li hit #hit``.

UNTOLD = frozenset(("html", "body"))
"""Elements whose classes tell the page, not the region."""
WRAPPERS = frozenset(("div", "span", "center"))
"""Steps that say nothing of a path: pages of one site differ in them."""
_USUAL = 0.5
"""Share of a kind's records that have a word in a step, at least."""
_ALIKE = 0.5
"""Least share of the words of two steps that both have."""
_LEVELS = 3
"""Levels below a record's roots that its parts are looked for on."""
_MAX_NODES = 400
"""Nodes of a record in which parts are looked for."""
_LEAST_WORD = 3
"""Letters of an id's word: shorter ones are mostly left of random names."""


class Steps:
    """Steps of a page's nodes."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self._known: dict[int, str] = {}
        self._depths: list[int] = nodes.depths.tolist()

    def __getitem__(self, node: int) -> str:
        step = self._known.get(node)
        if step is None:
            step = self._known[node] = _step(self.nodes, node)
        return step

    def path(self, node: int) -> list[str]:
        """The steps from the page's root to the parent of a node, without bare wrappers."""
        found = []
        parent = self.nodes.above[node]
        while parent >= 0:
            found.append(self[parent])
            parent = self.nodes.above[parent]
        return [step for step in reversed(found) if step not in WRAPPERS]

    def parts(self, roots: Sequence[int]) -> set[str]:
        """What a record holds."""
        nodes = self.nodes
        found: set[str] = set()
        for number, root in enumerate(roots):
            names = {root: "+" + self[root] if number else ""}
            if number:
                found.add(names[root])
            deepest = self._depths[root] + _LEVELS
            for node in range(root + 1, min(int(nodes.ends[root]), root + _MAX_NODES)):
                if nodes.tags[node] and self._depths[node] <= deepest:
                    names[node] = f"{names[nodes.above[node]]}/{self[node]}"
                    found.add(names[node])
        return found


def _step(nodes: Nodes, node: int) -> str:
    tag, attributes = nodes.tags[node], nodes.attributes[node]
    if not attributes or tag in UNTOLD:
        return tag
    names = (f"#{word}" for word in class_words(attributes.get("id", "")) if len(word) >= _LEAST_WORD)
    return " ".join((tag, *class_words(attributes.get("class", "")), *names))


def alike(one: str, other: str) -> bool:
    """Whether two steps tell the same kind of element."""
    if one == other:
        return True
    (tag, *words), (other_tag, *other_words) = one.split(" "), other.split(" ")
    return tag == other_tag and len({*words} & {*other_words}) >= _ALIKE * len({*words, *other_words})


def usual(steps: Sequence[str]) -> str:
    """The step of several elements of a tag: the words that most of them have."""
    if len(set(steps)) == 1:
        return steps[0]
    counts = Counter(word for step in steps for word in dict.fromkeys(step.split(" ")[1:]))
    words = [word for word, count in counts.items() if count >= _USUAL * len(steps)]
    return " ".join((steps[0].split(" ")[0], *words))


# --- record shape ---------------------------------------------------------------------------------

LIKE = 0.6
"""Least share of its kind's parts that a record holds."""
AGREEING = 0.7
"""Least share of the records of a shape that an algorithm finds, too, for its own to stand."""
LIKE_OTHERS = 0.75
"""The same for records of another sort: ``hit reply`` where all records of the first page were ``hit message``."""
LEAST_CONFIDENCE = 0.4
"""Of a page that a shape is learned from. Of the sample site's wrong shapes, all came from pages below."""
FOUND = 0.5
"""Least share of the records of its own page that a shape finds."""
_COMMON = 0.8
"""Share of a kind's records that hold a part, at least."""
_MAX_RECORDS = 200
"""Records that a shape is learned from, the first ones; it is tried on all."""
_MAX_KINDS = 3
_MAX_PARTS = 12
_LEAST_TEXT = 2
_EMPHASIS = frozenset(("b", "strong", "em", "i", "mark", "font"))


@dataclass(frozen=True, slots=True)
class Kind:
    """Records that stand in elements of the same tags. A step is a tag and its words, separated by blanks."""

    path: tuple[str, ...]
    """Steps from the page's root to the parent of the records."""
    root: str
    """Step of a record's first root."""
    tail: tuple[str, ...]
    """Steps of the siblings that belong to it, too."""
    longest: int
    """Most roots of a record."""
    levels: int
    """Elements around a record that hold no other one: what stands alone on its page is taken with them, for nothing there
    tells how far it reaches (the author beside a post's body)."""
    parts: tuple[str, ...]
    """Steps below its roots that nearly all records hold, joined by ``/``; those of further roots begin with ``+``."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the records of a page look like."""

    kinds: tuple[Kind, ...]
    confidence: float
    """0-1, of the page that it was learned from."""
    month_first: bool | None = None
    """Order of the numbers in dates, if a page has shown it. A shape of this alone has no kinds."""

    def __str__(self) -> str:
        """A short text, of which :func:`read_shape` makes the shape again."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))


def read_shape(text: str) -> Shape:
    """The shape of a text.

    :raises ValueError: it is none.
    """
    try:
        value = json.loads(text)
        kinds = [
            Kind(
                _steps(kind["path"]),
                str(kind["root"]),
                _steps(kind["tail"]),
                int(kind["longest"]),
                int(kind["levels"]),
                _steps(kind["parts"]),
            )
            for kind in value["kinds"]
        ]
        order = value.get("month_first")
        return Shape(tuple(kinds), min(1.0, max(0.0, float(value["confidence"]))), None if order is None else bool(order))
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        raise ValueError(f"no shape of records: {text:.60}") from error


def with_order(text: str | None, month_first: bool | None) -> str | None:
    """The text of a shape, with the order of the numbers in dates where that is known."""
    if month_first is None:
        return text
    return str(replace(read_shape(text) if text else Shape((), 0.0), month_first=month_first))


def _steps(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, values))


def learn_shape(nodes: Nodes, region: Region, confidence: float) -> Shape | None:
    """What the records of a region look like; None where they do not tell, or one record is all.

    :param nodes: those that the region's numbers belong to.
    :param confidence: 0-1, that these are the page's records.
    """
    if confidence < LEAST_CONFIDENCE:
        return None
    steps = Steps(nodes)
    groups: dict[tuple[str, ...], list[tuple[int, ...]]] = defaultdict(list)
    for roots in region.records[:_MAX_RECORDS]:
        if nodes.tags[roots[0]]:
            groups[tuple(step.split(" ")[0] for step in (*steps.path(roots[0]), steps[roots[0]]))].append(roots)
    groups = {tags: records for tags, records in groups.items() if len(records) > 1}
    largest = sorted(groups.values(), key=len, reverse=True)[:_MAX_KINDS]
    levels = _levels(nodes, region)
    kinds = tuple(kind for records in largest if (kind := _kind(steps, records, levels)) is not None)
    if not kinds:
        return None
    shape = Shape(kinds, confidence)
    known = {_texts(nodes, roots) for roots in region.records}
    found = {_texts(nodes, roots) for roots, _, _ in _found(nodes, shape)}
    return shape if found <= known and len(found) >= FOUND * len(known) else None


def find_shape(nodes: Nodes, shape: Shape) -> Region | None:
    """The records of a shape on another page, in document order; None where there are none.

    :return: a region whose score is the confidence of the shape's origin times how like it the records are on average.
    """
    found = _found(nodes, shape, other_sorts=True)
    if not found:
        return None
    records = [roots for roots, _, _ in found]
    likeness = sum(like for _, like, _ in found) / len(found)
    if len(found) == 1:
        node, levels = records[0][0], found[0][2]
        while levels > 0 and nodes.parents[node] >= 0:
            node, levels = int(nodes.parents[node]), levels - 1
            records = [(node,)]
    node = common_parent(nodes, records[0][0], records[-1][-1])
    return Region(node, tuple(records), round(shape.confidence * likeness, 4))


def agree(nodes: Nodes, found: Region, shaped: Region) -> bool:
    """Whether an algorithm's records are those of a shape, with more or less around them.

    It may find others beside them, of a kind that the earlier page did not have; but not beside a single one, for that is
    what an algorithm does that needs two.
    """
    if len(shaped.records) == 1:
        return [_texts(nodes, roots) for roots in found.records] == [_texts(nodes, shaped.records[0])]
    owners = {text: number for number, roots in enumerate(found.records) for text in _texts(nodes, roots)}
    met = [{owners[text] for text in _texts(nodes, roots) if text in owners} for roots in shaped.records]
    times = Counter(number for numbers in met for number in numbers)
    pairs = sum(len(numbers) == 1 and times[next(iter(numbers))] == 1 for numbers in met)
    return pairs >= AGREEING * len(met)


def _levels(nodes: Nodes, region: Region) -> int:
    """Elements around each record of a region that hold no other one."""
    records = sorted(region.records)
    least = len(nodes)
    for number, roots in enumerate(records):
        before = int(nodes.ends[records[number - 1][-1]]) if number else 0
        behind = records[number + 1][0] if number + 1 < len(records) else len(nodes)
        node, levels = int(nodes.parents[roots[0]]), 0
        while node >= max(before, 1) and nodes.ends[node] <= behind and nodes.tags[node] not in UNTOLD:
            node, levels = int(nodes.parents[node]), levels + 1
        least = min(least, levels)
    return least


def _kind(steps: Steps, records: Sequence[tuple[int, ...]], levels: int) -> Kind | None:
    """What records in elements of the same tags look like; None where nothing tells them."""
    paths = [steps.path(roots[0]) for roots in records]
    counts = Counter(part for roots in records for part in steps.parts(roots))
    parts = sorted(part for part, count in counts.items() if count >= _COMMON * len(records) and not _is_emphasis(part))
    parts.sort(key=lambda part: (-counts[part], part.count("/")))
    root = usual([steps[roots[0]] for roots in records])
    if not parts and " " not in root:
        return None
    path = tuple(usual(level) for level in zip(*paths, strict=True))
    tail = tuple(dict.fromkeys(steps[node] for roots in records for node in roots[1:]))
    return Kind(path, root, tail[:_MAX_PARTS], max(map(len, records)), levels, tuple(parts[:_MAX_PARTS]))


def _found(nodes: Nodes, shape: Shape, *, other_sorts: bool = False) -> list[tuple[tuple[int, ...], float, int]]:
    """The records of a shape, how like it they are, 0-1, and their levels; in document order, none within another.

    :param other_sorts: also those that share only some words (``hit reply``, ``hit message``), if they are like the others.
    """
    steps = Steps(nodes)
    found = sorted(record for kind in shape.kinds for record in _of_kind(steps, kind, other_sorts))
    kept: list[tuple[tuple[int, ...], float, int]] = []
    for roots, like, levels in found:
        if kept and roots[0] < nodes.ends[kept[-1][0][-1]]:
            continue
        if len(nodes.text(*roots)) >= _LEAST_TEXT:
            kept.append((roots, like, levels))
    return kept


def _of_kind(steps: Steps, kind: Kind, other_sorts: bool) -> list[tuple[tuple[int, ...], float, int]]:
    nodes = steps.nodes
    tag, *words = kind.root.split(" ")
    own = [part for part in kind.parts if not part.startswith("+")]
    least = LIKE if kind.longest == 1 else 1.0  # the rows of a record differ in little
    reached = [-1] * len(nodes)
    """Steps of the path that lead to a node's children; -1: another path."""
    heads = []
    for node, (its_tag, parent) in enumerate(zip(nodes.tags, nodes.above, strict=True)):
        before = reached[parent] if parent >= 0 else 0
        if before < 0 or not its_tag:
            continue
        step = steps[node]
        ends_here = before == len(kind.path)
        if ends_here and its_tag == tag:
            is_like = alike(step, kind.root)
            is_other_sort = other_sorts and not set(words).isdisjoint(step.split(" ")[1:])
            if (is_like or is_other_sort) and _like(steps.parts((node,)), own) >= (least if is_like else LIKE_OTHERS):
                heads.append(node)
        if step in WRAPPERS:
            reached[node] = before
        elif not ends_here and _leads(step, kind.path[before]):
            reached[node] = before + 1
    begun = set(heads)
    found = []
    for head in heads:
        roots = [head]
        parent = int(nodes.parents[head])
        end = nodes.ends[parent] if parent >= 0 else len(nodes)
        while len(roots) < kind.longest and (node := int(nodes.ends[roots[-1]])) < end and node not in begun:
            if not any(alike(steps[node], step) for step in kind.tail):
                break
            roots.append(node)
        like = _like(steps.parts(roots), kind.parts)
        if like >= LIKE:
            found.append((tuple(roots), like, kind.levels))
    return found


def _is_emphasis(part: str) -> bool:
    """Whether a part only emphasises words, as engines do with those of the query: not every record has such words."""
    around, _, step = part.rpartition("/")
    tag = step.split(" ")[0]
    return tag in _EMPHASIS or (tag == "span" and around.rpartition("/")[2].split(" ")[0] == "a")


def _leads(step: str, wanted: str) -> bool:
    """Whether an element is a step of a path; those whose words differ from record to record have none there."""
    return alike(step, wanted) or (wanted in WRAPPERS and step.split(" ")[0] == wanted)


def _like(parts: set[str], wanted: Sequence[str]) -> float:
    """The share of the wanted parts that are there."""
    return sum(part in parts for part in wanted) / len(wanted) if wanted else 1.0


def _texts(nodes: Nodes, roots: Sequence[int]) -> tuple[int, ...]:
    """The text nodes of a record."""
    return tuple(text for root in roots for text in nodes.text_nodes(root))
