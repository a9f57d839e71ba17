"""What a candidate record set looks like, in figures that hold on sites never seen: for the scorer.

Content (text, links, pictures, dates, words of the query) and structure (how alike the records are built, how many there
are, where they stand), as in Table 1 of the paper; the third class, appearance, is *appearance*. All are shares,
logarithms or similarities. Sums over subtrees are differences of sums over the nodes before, and the records of all
candidates are described together. Cost: proportional to nodes and records, see benchmarks/records.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks import candidates
from newsextract.algorithms.visual_blocks.candidates import Candidate, Columns
from newsextract.model_files import data_table
from newsextract.page.elements import HEADINGS
from newsextract.page.nodes import STYLE_NAMES, Geometry, Nodes

# --- node counts ----------------------------------------------------------------------------------
SHAPES = 32
"""Kinds of elements (tag and class, hashed) that the records' shapes are counted in."""
WORDS: dict[str, str] = data_table("algorithms/visual_blocks/class_words.toml")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:/.]\d{2}\b|\b(?:ago|yesterday|today)\b|[年月日前]|\b(?:jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?。！？…](?:\s|$)|\.\.\.")
COUNTED = ("elements", "texts", "chars", "links", "link_chars", "images", "headings", "heading_links", "controls", "dates",
            "sentences", "digits", "long_texts", "long_chars", "bold", *(f"in_{name}" for name in WORDS))  # fmt: skip
COLUMN = {name: k for k, name in enumerate(COUNTED)}
"""The column of each figure."""


class NodeCounts:
    """Figures of a page's nodes."""

    def __init__(self, columns: Columns) -> None:
        counted, self.own = _node_counts(columns)
        """``own``: shape (n, WORDS), the groups of words of each node's own class and id."""
        self.before = np.zeros((len(counted) + 1, counted.shape[1]), dtype=np.float32)
        """Shape (n + 1, COUNTED and SHAPES): sums over the nodes before each."""
        np.cumsum(counted, axis=0, out=self.before[1:])

    def of(self, firsts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float32]:
        """The figures of ranges of nodes; shape (ranges, COUNTED and SHAPES)."""
        found: NDArray[np.float32] = self.before[ends] - self.before[firsts]
        return found


@lru_cache(maxsize=20_000)
def _kinds(value: str) -> tuple[int, ...]:
    """Which groups of words a class or id has words of, as numbers."""
    return tuple(sorted({kind for word in _WORD.findall(value) for kind in _kinds_of_word(word.lower())}))


@lru_cache(maxsize=4_096)
def _kinds_of_word(word: str) -> tuple[int, ...]:
    return tuple(k for k, (whole, begin) in enumerate(_LISTED) if word in whole or word.startswith(begin))


_LISTED = [
    (frozenset(word for word in words.split() if len(word) <= 3), tuple(word for word in words.split() if len(word) > 3))
    for words in WORDS.values()
]


def _node_counts(columns: Columns) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What each node counts for, shape (n, counted + shapes); and the groups of words of its own class and id."""
    nodes = columns.nodes
    n = len(nodes)
    counted = np.zeros((n, len(COUNTED) + SHAPES), dtype=np.float32)
    own = np.zeros((n, len(WORDS)), dtype=np.float32)
    column = COLUMN
    visible = nodes.visible.tolist()
    linked, headed, bold = _within(nodes.tags, nodes.parents)
    sizes = np.array(list(map(len, nodes.texts)), dtype=np.float32)
    texts = nodes.visible & (sizes > 0)
    for name, value in (
        ("elements", nodes.visible & (sizes == 0)), ("texts", texts), ("chars", texts * sizes),
        ("link_chars", (texts & linked) * sizes), ("bold", texts & bold),
    ):  # fmt: skip
        counted[:, column[name]] = value
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in ("long_texts", "dates", "sentences", "digits")}
    long, dates, sentences, digits = found.values()
    for node in np.flatnonzero(texts).tolist():
        text = nodes.texts[node]
        size = len(text)
        if size > 60 or (size > 25 and text[:1] > "\u2e80"):
            long.append((node, 1))
        if size < 60 and _DATE.search(text):
            dates.append((node, 1))
        if size > 30 and (ends := len(_SENTENCE.findall(text))):
            sentences.append((node, ends))
        if not text.isalpha() and (figures := _digits(text)):
            digits.append((node, figures))
    kinds: list[tuple[int, int]] = []
    for node, attributes in enumerate(nodes.attributes):
        if attributes and visible[node] and ("class" in attributes or "id" in attributes):
            name = f"{attributes.get('class', '')} {attributes.get('id', '')}"
            kinds += [(node, kind) for kind in _kinds(name[:200])]
    for name, pairs in found.items():
        if pairs:
            at, values = np.array(pairs).T
            counted[at, column[name]] = values
            if name == "long_texts":
                counted[at, column["long_chars"]] = sizes[at]
    for tag, every in nodes.by_tag.items():
        if name := "headings" if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit() else _COUNTED_TAGS.get(tag, ""):
            counted[every, column[name]] = nodes.visible[every]
    links = [node for node in nodes.by_tag["a"] if visible[node] and "href" in nodes.attributes[node]]
    counted[links, column["links"]] = 1
    counted[links, column["heading_links"]] = headed[links]
    if kinds:
        own[tuple(np.array(kinds).T)] = 1
    counted[:, column["in_result"] : len(COUNTED)] = own * np.asarray(nodes.visible)[:, None]
    shape = np.array([_shape_of(number) for number in columns.signatures[1]])
    elements = counted[:, column["elements"]] > 0
    counted[np.flatnonzero(elements), len(COUNTED) + shape[elements]] = 1
    return counted, own


_COUNTED_TAGS = {
    **dict.fromkeys(("img", "video", "picture", "svg"), "images"),
    **dict.fromkeys(("input", "button", "select", "textarea", "form"), "controls"),
}


def _digits(text: str) -> int:
    return sum(map(text.count, "0123456789")) if text.isascii() else sum(map(str.isdigit, text))


@lru_cache(maxsize=4_096)
def _shape_of(number: int) -> int:
    return crc32(number.to_bytes(4, "little")) % SHAPES


_AROUND = {"a": 1, **dict.fromkeys(HEADINGS, 2), "b": 4, "strong": 4}


def _within(
    tags: Sequence[str], parents: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Three masks over the nodes: inside a link, inside a heading, inside bold text; the element itself counts as inside."""
    around: list[int] = []
    for tag, parent in zip(tags, parents.tolist(), strict=True):
        around.append(_AROUND.get(tag, 0) | (around[parent] if parent >= 0 else 0))
    bits = np.array(around, dtype=np.int64)
    return bits & 1 > 0, bits & 2 > 0, bits & 4 > 0


# --- candidate features ---------------------------------------------------------------------------

_ROOTS = ("li", "tr", "div", "article", "td", "a", "p", "dl", "dt", "section", "table", "ul", "span", "")
_QUERY = re.compile(r"[^\W_]{2,}")
_PER_RECORD = ("texts", "links", "images", "headings", "controls", "dates", "sentences", "digits", "long_texts")
_PRESENT = ("links", "images", "headings", "heading_links", "dates", "sentences", "long_texts", "controls")
NAMES: tuple[str, ...] = (
    "records", "text_share", "mean_chars", "least_chars", "most_chars", "chars_variation", "median_chars",
    "link_share", "long_share", "covered", "before", "behind", "span_share", "depth", "depth_share",
    "shape_likeness", "neighbour_likeness", "distinct_texts", "distinct_openings", "equal_class", "class_given",
    "one_parent", "roots_a_record", "elements_a_record", "digit_share",
    *(f"{name}_a_record" for name in _PER_RECORD), *(f"with_{name}" for name in _PRESENT),
    *(f"own_{name}" for name in WORDS), *(f"above_{name}" for name in WORDS), *(f"in_{name}" for name in WORDS),
    *(f"root_{tag or 'text'}" for tag in _ROOTS),
    "kind_siblings", "kind_mixed", "kind_runs", "kind_cousins",
    "with_query", "query_contrast", "with_title_word", "distinct_links", "with_first_link", "first_link_chars", "link_first",
    "page_chars", "page_links_share", "page_has_query", *candidates.NAMES, "rank",
)  # fmt: skip


def features(
    columns: Columns, counts: NodeCounts, found: Sequence[Candidate], within: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Shape (candidates, :data:`NAMES`).

    :param within: of :func:`newsextract.algorithms.visual_blocks.candidates.containment`.
    """
    nodes, own, column = columns.nodes, counts.own, COLUMN
    firsts = np.concatenate([candidate.firsts for candidate in found])
    lasts = np.concatenate([candidate.lasts for candidate in found])
    sizes = np.array([len(candidate) for candidate in found])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    record_of = np.repeat(np.arange(len(found)), sizes)
    ends = nodes.ends[lasts].astype(np.int64)
    stats = counts.of(firsts, ends)
    total = counts.before[-1]
    shapes, plain = stats[:, len(COUNTED) :], stats[:, : len(COUNTED)]
    sums = np.add.reduceat(plain, starts, axis=0)
    chars = plain[:, column["chars"]]
    chars_sum = np.maximum(sums[:, column["chars"]], 1)
    n = sizes.astype(np.float32)
    mean = chars_sum / n
    variation = np.sqrt(np.maximum(np.add.reduceat(chars * chars, starts) / n - mean * mean, 0)) / mean
    page_chars = max(1.0, float(total[column["chars"]]))
    spread_first, spread_end = firsts[starts], np.maximum.reduceat(ends, starts)
    spread = columns.chars_before[spread_end] - columns.chars_before[spread_first]
    likeness, neighbours = _likeness(shapes, starts, sizes, record_of)
    opening, whole = _text_hashes(columns, found)
    parents = nodes.parents[firsts]
    depth = nodes.depths[firsts[starts]].astype(np.float32)
    classes = np.array(columns.signatures[1])[firsts]
    tags = np.array(columns.signatures[0])[firsts]
    given = np.add.reduceat((classes != tags).astype(np.float32), starts) / n
    parts: list[NDArray[Any]] = [
        np.log(n), chars_sum / page_chars, np.log(mean),
        np.log1p(np.minimum.reduceat(chars, starts)), np.log1p(np.maximum.reduceat(chars, starts)), variation,
        np.log1p(_medians(chars, starts, sizes)),
        sums[:, column["link_chars"]] / chars_sum, sums[:, column["long_chars"]] / chars_sum,
        chars_sum / np.maximum(spread, 1), columns.chars_before[spread_first] / page_chars,
        1 - columns.chars_before[spread_end] / page_chars, spread / page_chars, depth,
        depth / max(1.0, float(nodes.depths.max(initial=1))),
        likeness, neighbours,
        _distinct(whole, starts, sizes), _distinct(opening, starts, sizes),
        _most_common(classes, starts, sizes), given,
        (np.maximum.reduceat(parents, starts) == np.minimum.reduceat(parents, starts)).astype(np.float32),
        np.add.reduceat(firsts != lasts, starts, dtype=np.float64) / sizes,
        np.log1p(sums[:, column["elements"]] / n), sums[:, column["digits"]] / chars_sum,
        *(np.log1p(sums[:, column[name]] / n) for name in _PER_RECORD),
        *(np.add.reduceat((plain[:, column[name]] > 0).astype(np.float32), starts) / n for name in _PRESENT),
    ]  # fmt: skip
    above = _above(nodes.parents, own, parents[starts])
    words: list[NDArray[Any]] = [np.add.reduceat(own[firsts], starts, axis=0) / n[:, None], above]
    inside = np.add.reduceat((plain[:, column["in_result"] :] > 0).astype(np.float32), starts, axis=0) / n[:, None]
    roots = _roots(nodes.tags, [int(first) for first in firsts[starts]])
    kinds = np.array(
        [[c.kind == kind for kind in ("siblings", "mixed", "runs", "cousins")] for c in found], dtype=np.float32
    )
    asked, said = _asked(columns)
    page_figures = [np.log(page_chars), total[column["link_chars"]] / page_chars, float(asked.any())]
    page = np.tile(np.array(page_figures, dtype=np.float32), (len(found), 1))
    spans = np.concatenate([candidate.spans for candidate in found])
    queried = _share(asked, spans, starts, n)
    share_of_all = float(np.diff(asked).mean()) if len(asked) > 1 else 0.0
    texts = np.add.reduceat(plain[:, column["texts"]], starts) / n
    expected = 1 - (1 - share_of_all) ** texts
    words_and_links = np.stack(
        (queried, queried - expected, _share(said, spans, starts, n), *_first_links(columns, firsts, ends, starts, sizes)),
        axis=1,
    )
    relations = candidates.relations(within, sizes, chars_sum)
    rank = np.arange(len(found), dtype=np.float32)[:, None]
    columns_of_all: list[NDArray[Any]] = [
        np.stack(parts, axis=1), *words, inside, roots, kinds, words_and_links, page, relations, rank,
    ]  # fmt: skip
    return np.concatenate(columns_of_all, axis=1).astype(np.float32)


def _asked(columns: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Visible text nodes before each that hold a word of the query, and a word of the page's title; shape (visible text
    nodes + 1,). The query is what stands in the page's text fields."""
    nodes = columns.nodes
    query: set[str] = set()
    title: set[str] = set()
    for node in nodes.by_tag["input"]:
        if nodes.attributes[node].get("type", "text").lower() in ("text", "search", ""):
            query.update(_QUERY.findall(nodes.attributes[node].get("value", "").lower()))
    for node in nodes.by_tag["title"]:
        title = title or set(_QUERY.findall(" ".join(nodes.texts[node + 1 : int(nodes.ends[node])]).lower()))
    asked, said = [0], [0]
    for node in nodes.shown.tolist():
        words = _QUERY.findall(nodes.texts[node].lower()) if query or title else ()
        asked.append(not query.isdisjoint(words))
        said.append(not title.isdisjoint(words))
    return np.cumsum(asked), np.cumsum(said)


def _share(
    before: NDArray[np.int64], spans: NDArray[np.int64], starts: NDArray[np.int64], n: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The share of each candidate's records in which something is counted."""
    there = before[spans[:, 1]] > before[spans[:, 0]]
    return (np.add.reduceat(there.astype(np.float32), starts) / n).astype(np.float32)


def _first_links(
    columns: Columns, firsts: NDArray[np.int64], ends: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> list[NDArray[Any]]:
    """Of the records' first links with text: share of different addresses, share of records with one, their length, and
    share of records that begin with it."""
    nodes = columns.nodes
    places = np.array([node for node in nodes.by_tag["a"] if "href" in nodes.attributes[node]], dtype=np.intp)
    chars = columns.chars_before[nodes.ends[places]] - columns.chars_before[places]
    places, chars = places[chars > 0], chars[chars > 0]
    if not len(places):
        return [np.zeros(len(sizes), dtype=np.float32) for _ in range(4)]
    address = np.array([hash_text(nodes.attributes[node]["href"]) for node in places.tolist()])
    k = np.searchsorted(places, firsts)
    there = (k < len(places)) & (places[np.minimum(k, len(places) - 1)] < ends)
    k = np.minimum(k, len(places) - 1)
    opens = there & (columns.chars_before[places[k]] == columns.chars_before[firsts])
    with_link = np.add.reduceat(there.astype(np.float32), starts)
    n = sizes.astype(np.float32)
    length = np.add.reduceat(np.where(there, np.log1p(chars[k]), 0), starts) / np.maximum(with_link, 1)
    own = np.where(there, address[k], -1)
    return [_distinct(own, starts, sizes), with_link / n, length, np.add.reduceat(opens.astype(np.float32), starts) / n]


def _above(parents: NDArray[np.int32], own: NDArray[np.float32], regions: NDArray[np.int32]) -> NDArray[np.float32]:
    """The groups of words of each region's class and id and of the elements around it, less the farther away."""
    found = np.zeros((len(regions), own.shape[1]), dtype=np.float32)
    weight, rows, at = 1.0, np.arange(len(regions)), regions
    while weight > 0.2:
        rows, at = rows[at >= 0], at[at >= 0]
        found[rows] = np.maximum(found[rows], weight * own[at])
        weight, at = weight * 0.8, parents[at]
    return found


def _likeness(
    shapes: NDArray[np.float32], starts: NDArray[np.int64], sizes: NDArray[np.int64], record_of: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How alike the records of each candidate are built: to their mean, and to the next one; 0-1."""
    lengths = np.sqrt((shapes * shapes).sum(axis=1)) + 1e-6
    unit = shapes / lengths[:, None]
    mean = np.add.reduceat(unit, starts, axis=0)
    mean /= np.sqrt((mean * mean).sum(axis=1))[:, None] + 1e-6
    to_mean = np.add.reduceat((unit * mean[record_of]).sum(axis=1), starts) / sizes
    next_one = np.zeros(len(shapes), dtype=np.float32)
    both = np.minimum(shapes[:-1], shapes[1:]).sum(axis=1) / (np.maximum(shapes[:-1], shapes[1:]).sum(axis=1) + 1e-6)
    next_one[:-1] = both
    last = starts + sizes - 1
    next_one[last] = 0
    return to_mean.astype(np.float32), (np.add.reduceat(next_one, starts) / np.maximum(sizes - 1, 1)).astype(np.float32)


def _text_hashes(columns: Columns, found: Sequence[Candidate]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number for the opening text and for the whole text of each record; equal for equal texts."""
    nodes = columns.nodes
    numbers = np.array([hash_text(nodes.texts[i]) for i in nodes.shown.tolist()] or [0], dtype=np.int64)
    before = np.concatenate(([0], np.cumsum(numbers)))
    spans = np.concatenate([candidate.spans for candidate in found])
    return numbers[np.minimum(spans[:, 0], len(numbers) - 1)], before[spans[:, 1]] - before[spans[:, 0]]


def hash_text(text: str) -> int:
    """A number of 32 bits, the same in every process."""
    return crc32(text.encode("utf-8", "replace"))


def _distinct(numbers: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
    """Share of different numbers in each candidate."""
    every = numbers.tolist()
    shares = [len(set(every[a : a + k])) / k for a, k in zip(starts.tolist(), sizes.tolist(), strict=True)]
    return np.array(shares, dtype=np.float32)


def _most_common(numbers: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
    """Share of the most frequent number in each candidate."""
    every = numbers.tolist()
    shares = [max(Counter(every[a : a + k]).values()) / k for a, k in zip(starts.tolist(), sizes.tolist(), strict=True)]
    return np.array(shares, dtype=np.float32)


def _medians(values: NDArray[np.float32], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
    """The median of each candidate."""
    ordered = values[np.lexsort((values, np.repeat(np.arange(len(sizes)), sizes)))]
    medians: NDArray[np.float32] = (ordered[starts + (sizes - 1) // 2] + ordered[starts + sizes // 2]) / np.float32(2)
    return medians


def _roots(tags: Sequence[str], firsts: list[int]) -> NDArray[np.float32]:
    """One of the columns is 1: the tag of the first record's first root."""
    found = np.zeros((len(firsts), len(_ROOTS)), dtype=np.float32)
    for row, first in enumerate(firsts):
        if tags[first] in _ROOTS:
            found[row, _ROOTS.index(tags[first])] = 1
    return found


# --- appearance -----------------------------------------------------------------------------------
APPEARANCE_NAMES: tuple[str, ...] = (
    "area_share", "width_share", "height", "left", "top", "right", "centre_offset", "area_covered", "columns",
    "width_variation", "height_variation", "gap_variation", "font_size", "font_variation", "bold_opening", "no_box",
    "records_in_window",
)  # fmt: skip
_FONT_SIZE, _FONT_WEIGHT = STYLE_NAMES.index("font-size"), STYLE_NAMES.index("font-weight")
_LARGEST = 10_000.0
_WINDOW = 900.0
"""Height in CSS pixels that a reader sees first."""


def appearance(nodes: Nodes, geometry: Geometry, found: Sequence[Candidate]) -> NDArray[np.float32]:
    """Shape (candidates, :data:`APPEARANCE_NAMES`)."""
    boxes = geometry.boxes
    width, height = (max(1.0, side) for side in geometry.page_size)
    sizes = np.array([_number(row[_FONT_SIZE]) for row in geometry.style_table] or [0.0], dtype=np.float32)
    bold = np.array([_number(row[_FONT_WEIGHT]) >= 600 for row in geometry.style_table] or [False])
    shown = nodes.shown
    rows = np.zeros((len(found), len(APPEARANCE_NAMES)), dtype=np.float32)
    for k, candidate in enumerate(found):
        record = _union(boxes[candidate.firsts], boxes[candidate.lasts])
        there = (record[:, 2] > record[:, 0]) & (record[:, 3] > record[:, 1])
        rows[k, 15] = 1 - there.mean()
        if not there.any():
            continue
        record = record[there]
        left, top, right, bottom = record[:, 0], record[:, 1], record[:, 2], record[:, 3]
        wide, high = right - left, bottom - top
        area = float((wide * high).sum())
        around = np.float32((right.max() - left.min()) * (bottom.max() - top.min()))
        opening = geometry.styles[shown[np.minimum(candidate.spans[:, 0], len(shown) - 1)]]
        font = sizes[opening] / max(1.0, geometry.base_font_size)
        gaps = np.diff(np.sort(top))
        rows[k] = (
            area / (width * height), wide.mean() / width, np.log1p(high.mean()), left.min() / width, top.min() / height,
            right.max() / width, abs((left.min() + right.max()) / 2 - width / 2) / width, area / max(np.float32(1), around),
            np.log(len(np.unique(np.round(left / 8)))+ 1), _variation(wide), _variation(high), _variation(gaps),
            font.mean(), font.std(), bold[opening].mean(), rows[k, 15], np.log1p((top < _WINDOW).sum()),
        )  # fmt: skip
    return rows


def _union(first: NDArray[np.float32], last: NDArray[np.float32]) -> NDArray[np.float32]:
    """Left, top, right, bottom of two boxes together; of one alone where the other has no area."""
    edges = [np.concatenate((box[:, :2], box[:, :2] + box[:, 2:]), axis=1) for box in (first, last)]
    empty = [(box[:, 2:] <= 0).any(axis=1) for box in (first, last)]
    low = np.minimum(edges[0], edges[1])[:, :2]
    high = np.maximum(edges[0], edges[1])[:, 2:]
    both: NDArray[np.float32] = np.concatenate((low, high), axis=1)
    both[empty[1]] = edges[0][empty[1]]
    both[empty[0]] = edges[1][empty[0]]
    return both


def _variation(values: NDArray[np.float32]) -> float:
    return float(values.std() / (abs(values.mean()) + 1)) if len(values) else 0.0


def _number(value: str) -> float:
    """The number at the beginning of a CSS value: ``16px``, ``700``; 0 of anything else."""
    digits = value.removesuffix("px")
    try:
        number = float(digits)
    except ValueError:
        return 0.0
    return min(max(number, 0.0), _LARGEST) if number == number else 0.0


# --- record features ------------------------------------------------------------------------------
# For leaving out advertisements, notices and rows of controls. Every figure compares the record with its set (median, mean
# shape, most frequent class), so that it means the same on every page.

_COMPARED = (
    "chars", "texts", "links", "images", "headings", "heading_links", "controls", "dates", "long_chars", "link_chars",
    "digits",
)  # fmt: skip
RECORD_NAMES: tuple[str, ...] = (
    *(f"{name}_more" for name in _COMPARED), *(f"{name}_here" for name in _COMPARED),
    *(f"{name}_usual" for name in _COMPARED),
    "likeness", "usual_likeness", "same_class", "usual_class", "same_tag", "first", "last", "place", "records",
    *(f"own_{name}" for name in WORDS), *(f"in_{name}" for name in WORDS), *(f"in_{name}_usual" for name in WORDS),
)  # fmt: skip


def record_features(columns: Columns, counts: NodeCounts, candidate: Candidate) -> NDArray[np.float32]:
    """Shape (records, :data:`RECORD_NAMES`)."""
    nodes = columns.nodes
    stats = counts.of(candidate.firsts, nodes.ends[candidate.lasts].astype(np.int64))
    n = len(candidate)
    figures = np.log1p(stats[:, [COLUMN[name] for name in _COMPARED]])
    usual = np.median(figures, axis=0)
    shapes = stats[:, len(COUNTED) :]
    unit = shapes / (np.sqrt((shapes * shapes).sum(axis=1)) + 1e-6)[:, None]
    mean = unit.mean(axis=0)
    likeness = unit @ (mean / (np.sqrt(mean @ mean) + 1e-6))
    classes = np.array(columns.signatures[1])[candidate.firsts]
    tags = np.array(columns.signatures[0])[candidate.firsts]
    same_class, share = _same(classes)
    same_tag, _ = _same(tags)
    place = np.arange(n)
    inside = (stats[:, COLUMN["in_result"] : len(COUNTED)] > 0).astype(np.float32)
    alone = np.stack(
        (likeness, np.full(n, np.median(likeness)), same_class, np.full(n, share), same_tag, place == 0, place == n - 1,
         place / n, np.full(n, np.log(n))), axis=1,
    )  # fmt: skip
    matrix = np.concatenate(
        (figures - usual, figures, np.tile(usual, (n, 1)), alone, counts.own[candidate.firsts], inside,
         np.tile(inside.mean(axis=0), (n, 1))), axis=1,
    )  # fmt: skip
    found: NDArray[np.float32] = matrix.astype(np.float32)
    return found


def _same(numbers: NDArray[np.int64]) -> tuple[NDArray[np.bool_], float]:
    """Whether each is the most frequent number, and its share."""
    values, counts = np.unique(numbers, return_counts=True)
    return numbers == values[counts.argmax()], float(counts.max() / len(numbers))
