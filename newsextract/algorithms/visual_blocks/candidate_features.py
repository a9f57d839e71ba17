"""What a candidate record set looks like, in figures that hold on sites never seen: for the scorer.

Content (text, links, pictures, dates, words of the query) and structure (how alike the records are built, how many there
are, where they stand), as in Table 1 of the paper; the third class, appearance, is :mod:`.appearance`. All are shares,
logarithms or similarities. Sums over subtrees are differences of sums over the nodes before, and the records of all
candidates are described together.

Cost: proportional to nodes and records, see benchmarks/records.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks import containment
from newsextract.algorithms.visual_blocks.candidates import Candidate, Columns
from newsextract.algorithms.visual_blocks.node_counts import COLUMN, COUNTED, WORDS, Counts

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
    "page_chars", "page_links_share", "page_has_query", *containment.NAMES, "rank",
)  # fmt: skip


def features(columns: Columns, counts: Counts, found: Sequence[Candidate], within: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Shape (candidates, :data:`NAMES`).

    :param within: of :func:`.containment.containment`.
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
        np.array([float((c.firsts != c.lasts).mean()) for c in found]),
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
    relations = containment.relations(within, sizes, chars_sum)
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
    for node, tag in enumerate(nodes.tags):
        if tag == "input" and nodes.attributes[node].get("type", "text").lower() in ("text", "search", ""):
            query.update(_QUERY.findall(nodes.attributes[node].get("value", "").lower()))
        elif tag == "title" and not title:
            title.update(_QUERY.findall(" ".join(nodes.texts[node + 1 : int(nodes.ends[node])]).lower()))
    found = np.zeros((2, len(nodes.shown) + 1), dtype=np.int64)
    for k, node in enumerate(nodes.shown.tolist()):
        words = set(_QUERY.findall(nodes.texts[node].lower())) if query or title else set()
        found[0, k + 1] = not query.isdisjoint(words)
        found[1, k + 1] = not title.isdisjoint(words)
    before = np.cumsum(found, axis=1)
    return before[0], before[1]


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
    links = [
        node
        for node, tag in enumerate(nodes.tags)
        if tag == "a"
        and "href" in nodes.attributes[node]
        and columns.chars_before[nodes.ends[node]] > columns.chars_before[node]
    ]
    if not links:
        return [np.zeros(len(sizes), dtype=np.float32) for _ in range(4)]
    places = np.array(links)
    address = np.array([hash_text(nodes.attributes[node]["href"]) for node in links])
    chars = columns.chars_before[nodes.ends[places]] - columns.chars_before[places]
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
    for row, region in enumerate(regions.tolist()):
        weight = 1.0
        while region >= 0 and weight > 0.2:
            np.maximum(found[row], weight * own[region], out=found[row])
            region = int(parents[region])
            weight *= 0.8
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
    shares = [len(set(numbers[a : a + k].tolist())) / k for a, k in zip(starts.tolist(), sizes.tolist(), strict=True)]
    return np.array(shares, dtype=np.float32)


def _most_common(numbers: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
    """Share of the most frequent number in each candidate."""
    shares = [
        np.unique(numbers[a : a + k], return_counts=True)[1].max() / k
        for a, k in zip(starts.tolist(), sizes.tolist(), strict=True)
    ]
    return np.array(shares, dtype=np.float32)


def _medians(values: NDArray[np.float32], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
    medians = [np.median(values[a : a + k]) for a, k in zip(starts.tolist(), sizes.tolist(), strict=True)]
    return np.array(medians, dtype=np.float32)


def _roots(tags: Sequence[str], firsts: list[int]) -> NDArray[np.float32]:
    """One of the columns is 1: the tag of the first record's first root."""
    found = np.zeros((len(firsts), len(_ROOTS)), dtype=np.float32)
    for row, first in enumerate(firsts):
        if tags[first] in _ROOTS:
            found[row, _ROOTS.index(tags[first])] = 1
    return found
