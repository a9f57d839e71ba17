"""Main text by page segmentation: Hou & Yang, "Web information extraction algorithm based on Web page segmentation",
Microcomputer & Its Applications 30(5), 2011, 54–56.

The idea: the leaves of an article's text have one tag path and stand at regular distances. So leaves are clustered by
tag path (*clusters*), clusters whose distances vary are split, and the longest that is long enough, holds few
links (B_n) and is regular is the main block (*segments*); the span of the page from its first leaf to its last is
the segment, whose text goes through a template of ``table`` and ``div`` chunks (*template*). Thresholds are
trained per kind of site (:mod:`newsextract.lab.train_published`, *thresholds*).

Cost: beside the tree, 0.4 of a plain lxml parse and the pruning (0.6 with boilerplate); O(n log n) in the leaves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms import check_ranges
from newsextract.model_files import ThresholdFile
from newsextract.page.dom import Dom
from newsextract.page.page import Page
from newsextract.page.pruning import pruned
from newsextract.results import Body

# --- thresholds -----------------------------------------------------------------------------------
FILE = ThresholdFile(
    format="newsextract page_segmentation thresholds",
    keys=("length_threshold", "bn_threshold", "frequency_threshold"),
    command="newsextract train thresholds PAGES… -o site.toml",
)


_LENGTH, _NOISE, _FREQUENCY = FILE.shipped("page_segmentation.toml").numbers.values()


@dataclass(frozen=True, slots=True)
class PageSegmentationParams:
    """Parameters; the defaults are the paper's values where it gives them, and the three trained thresholds shipped with
    the package (``models/page_segmentation.toml``)."""

    thresholds: str = field(default="", metadata={"unit": "file", "section": "§3.3", "range": "a file, or empty"})
    """File of `newsextract train thresholds` whose three thresholds replace those below."""
    length_threshold: float = field(default=_LENGTH, metadata={"unit": "Length", "section": "§3.3", "range": "0–1e9"})
    """Length_Threshold: a main block's text is longer (characters above U+00FF count 2)."""
    bn_threshold: float = field(default=_NOISE, metadata={"unit": "%", "section": "§3.3", "range": "0–1e9"})
    """B_n_Threshold: a main block's list-noise coefficient is higher."""
    frequency_threshold: float = field(default=_FREQUENCY, metadata={"unit": "chunks", "section": "§3.3", "range": "0–1e9"})
    """Frequency_Threshold: a tag path's text is printed if it has at least so many chunks in the segment."""
    variance_bound: float = field(default=200.0, metadata={"unit": "leaves²", "section": "§3.1", "range": "0–1e12"})
    """A cluster whose distances vary more is split. The paper gives no value; fitted (50–1000: within 0.005 F1)."""
    split_low: float = field(default=0.85, metadata={"unit": "ratio", "section": "§2", "range": "0–1"})
    """Least ratio θ of two consecutive distances that is no split place."""
    split_high: float = field(default=2.0, metadata={"unit": "ratio", "section": "§2", "range": "1–1e9"})
    """Largest ratio θ of two consecutive distances that is no split place."""
    max_size: int = field(default=0, metadata={"unit": "leaves", "section": "§3.1", "range": "0–1000000"})
    """MAXSIZE: a main block has more leaves. The paper gives no value; fitted (1 costs 0.007 F1, 2 0.019)."""
    pre_d: float = field(default=0.0, metadata={"unit": "leaves", "section": "§2, §3.1", "range": "0–1e6"})
    """PreD: a main block's mean period is longer. The paper gives no value; fitted (below 1; 1 costs 0.075 F1)."""

    boilerplate: bool = field(default=False, metadata={"unit": "", "section": "not in the paper", "range": "true, false"})
    """Whether elements whose tag, class or id names boilerplate are left out with their text (preprocessing rule 2)."""
    list_weight: float = field(default=1.0, metadata={"unit": "factor", "section": "not in the paper", "range": "0–1"})
    """Factor of the Length of clusters in list items when clusters are put in order; 1: as any other."""
    widen: float = field(default=0.0, metadata={"unit": "Length", "section": "not in the paper", "range": "0–1e9"})
    """Blocks beside the segment, in the same element, of at least this Length and with few links are added; 0: none."""

    def __post_init__(self) -> None:
        check_ranges("page_segmentation", self)


# Numbers that the paper does not give, and the switches, were fitted on folds 1–4 of the bench (1,226 pages, 102 Chinese).
# F1 there, all languages | Chinese: published .836 | .914; default .930 | .955. What each switch brings:
# docs/page_segmentation.md.
PUBLISHED = PageSegmentationParams()
DEFAULT = PageSegmentationParams(boilerplate=True, list_weight=0.03, widen=60.0)


# --- leaves ---------------------------------------------------------------------------------------
# Preprocessing (§1.1): (1) tags dropped with their text kept is what the tree walk does to inline elements; (2) tags
# dropped with their text are those that it leaves out, and pruned elements (:mod:`newsextract.page.dom`); (3) repair is
# the parser's; garbled characters (U+FFFD and controls) are not counted, and :func:`clean` deletes them.

_WIDE = 0xFF
"""Characters above it count 2 in ``Length`` (§1.2)."""
_SHOWN = 160
"""Characters of a tag path that the evidence shows, from its end."""
_LISTS = frozenset(["li", "dd", "dt"])

_GARBLED = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufffd]")  # the other controls are white space
_WEIGHTS = np.ones(0x110000, dtype=np.uint8)
_WEIGHTS[_WIDE + 1 :] = 2
_WEIGHTS[[code for code in (*range(0x3001), 0xFFFD) if chr(code).isspace() or _GARBLED.match(chr(code))]] = 0


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """Columns, one entry a leaf; the index is the leaf's number, from 0."""

    blocks: NDArray[np.int64]
    """The text block of the page's tree that each leaf stands in."""
    linked: NDArray[np.bool_]
    characters: NDArray[np.int64]
    """White space and garbled characters not counted; above 0."""
    lengths: NDArray[np.int64]
    """``Length`` of §1.2: characters above U+00FF count 2, others 1."""
    paths: NDArray[np.int64]
    """Leaves with equal numbers have equal tag paths; odd for the text of a link, whose path ends in ``/a``."""
    steps: list[tuple[int, str]]
    """Of each tag path (half its number): the path without the last step, and that step."""

    def __len__(self) -> int:
        return len(self.blocks)

    def path(self, number: int) -> str:
        """A tag path as text: ``html/body/div/p``, and ``/a`` for the text of a link; long ones cut at the beginning."""
        names = ["a"] if number % 2 else []
        at = number // 2
        while at >= 0 and len(names) < _SHOWN:
            at, name = self.steps[at]
            names.append(name)
        return "/".join(reversed(names))[-_SHOWN:]

    def in_lists(self, paths: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which tag paths lead through a list item (``li``, ``dd``, ``dt``)."""
        inside: list[bool] = []
        for above, name in self.steps:
            inside.append(name in _LISTS or (above >= 0 and inside[above]))
        return np.asarray(inside, dtype=np.bool_)[paths // 2]


def read_leaves(dom: Dom, pruned: NDArray[np.bool_]) -> Leaves:
    """The leaves of a page that hold text and are not pruned.

    :param pruned: a mask over the blocks.
    """
    element_paths, steps = dom.tag_paths
    blocks = np.asarray(dom.leaf_blocks, dtype=np.int64)
    linked = np.asarray(dom.leaf_linked, dtype=np.bool_)
    characters, lengths = _measure(dom.leaf_texts)
    kept = characters > 0
    if len(blocks):
        kept &= ~pruned[blocks]
    blocks, linked = blocks[kept], linked[kept]
    paths = 2 * np.asarray(element_paths, dtype=np.int64)[np.asarray(dom.elements, dtype=np.int64)[blocks]] + linked
    return Leaves(blocks, linked, characters[kept], lengths[kept], paths, steps)


def clean(text: str) -> str:
    """The text without garbled characters."""
    if not _GARBLED.search(text):
        return text
    lines = (" ".join(line.split()) for line in _GARBLED.sub("", text).split("\n"))
    return "\n".join(filter(None, lines))


def _measure(texts: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Characters and ``Length`` of each text."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    weights = _WEIGHTS[codes]
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    ends = np.cumsum(sizes)
    return _between(weights > 0, ends - sizes, ends), _between(weights, ends - sizes, ends)


# --- clusters -------------------------------------------------------------------------------------
# §1.2 and §2, eq. (1)–(5): a cluster x_1 < x_2 < … < x_n is the numbers of its leaves. All clusters of a page stand in one
# array, one after the other, so every equation is one numpy expression over all of them.

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Columns, one entry a cluster. ``members`` holds their leaf numbers, one cluster after the other."""

    members: Ints
    starts: Ints
    """Where each cluster begins in ``members``."""
    sizes: Ints
    """Leaves of each cluster, n; at least 1."""
    paths: Ints
    """Tag path, see :class:`Leaves`."""
    first: Ints
    last: Ints
    """x_1 and x_n: the segment is the leaves first … last in document order."""
    lengths: Ints
    """``Length`` of the cluster's own leaves."""
    noise: Floats
    """B_n of the segment, percent."""
    periods: Floats
    """Mean period ΔT, in leaves; at least 1."""
    variances: Floats
    """σ² of the distances."""

    def __len__(self) -> int:
        return len(self.starts)


def tag_path_clusters(leaves: Leaves) -> Clusters:
    """The clusters of §3.1: leaves with the same tag path, in document order."""
    members = np.argsort(leaves.paths, kind="stable")
    return measure(leaves, members, _changes(leaves.paths[members]))


def measure(leaves: Leaves, members: Ints, starts: Ints) -> Clusters:
    """All measures of some clusters.

    :param members: leaf numbers, ascending within each cluster.
    :param starts: where each cluster begins in it; none is empty.
    """
    ends = np.append(starts, len(members))[1:]
    sizes = ends - starts
    first, last = members[starts], members[ends - 1]
    periods, variances = _periods(members, starts, sizes, last - first)
    return Clusters(
        members=members,
        starts=starts,
        sizes=sizes,
        paths=leaves.paths[first],
        first=first,
        last=last,
        lengths=_between(leaves.lengths[members], starts, ends),
        noise=list_noise(leaves, first, last),
        periods=periods,
        variances=variances,
    )


def list_noise(leaves: Leaves, first: Ints, last: Ints) -> Floats:
    """B_n, eq. (1), of the spans of leaves first … last, in percent; the higher, the less it is a list of links.

    N_1, N_2: characters outside and inside links; NODE_href, NODE_nohref: leaves inside and outside links.
    """
    ends = last + 1
    in_links = _between(np.where(leaves.linked, leaves.characters, 0), first, ends)
    characters = _between(leaves.characters, first, ends)
    nodes_href = _between(leaves.linked.astype(np.int64), first, ends)
    nodes_nohref = ends - first - nodes_href
    noise: Floats = (characters - in_links) / np.maximum(characters, 1) * nodes_nohref / (nodes_href + 1) * 100
    return noise


def split(leaves: Leaves, clusters: Clusters, chosen: NDArray[np.bool_], low: float, high: float) -> Clusters:
    """Clusters with some of them cut at their split places, eq. (5) and heuristic rule (1).

    θ_j = ΔD_{j+1,j+2} / ΔD_{j,j+1}. θ_j > ``high``: a cut before x_{j+2}; θ_j < ``low``: a cut behind x_j. Within a
    part every θ lies in [low, high], so that no part has a split place of its own.

    :param chosen: which clusters are cut.
    """
    members = clusters.members
    numbers = np.repeat(np.arange(len(clusters)), clusters.sizes)
    distances = np.diff(members).astype(np.float64)
    whole = (numbers[2:] == numbers[:-2]) & chosen[numbers[2:]]  # the three leaves are of one cluster
    with np.errstate(divide="ignore", invalid="ignore"):  # between clusters distances may be 0
        theta = distances[1:] / distances[:-1]
    cut = np.zeros(len(members), dtype=np.bool_)
    cut[2:] |= whole & (theta > high)
    cut[1:-1] |= whole & (theta < low)
    cut[clusters.starts] = True
    return measure(leaves, members, np.flatnonzero(cut))


def _periods(members: Ints, starts: Ints, sizes: Ints, spans: Ints) -> tuple[Floats, Floats]:
    """ΔT, eq. (3), and σ², eq. (4), from the distances ΔD, eq. (2). A single leaf: 1 and 0, as of consecutive leaves."""
    gaps = np.maximum(sizes - 1, 1)
    periods = np.where(sizes > 1, spans / gaps, 1.0)
    deviations = np.zeros(len(members))
    deviations[1:] = np.diff(members)
    deviations -= np.repeat(periods, sizes)
    deviations[starts] = 0.0  # the distance to another cluster's leaf is none
    variances = np.add.reduceat(deviations**2, starts) / gaps if len(starts) else np.zeros(0)
    return periods, variances


def _between(values: NDArray[Any], starts: Ints, ends: Ints) -> Ints:
    """Sums of the values from each start to before each end."""
    sums = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    between: Ints = sums[ends] - sums[starts]
    return between


def _changes(values: Ints) -> Ints:
    """Indices where a run of equal values begins."""
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1]))[: len(values)])


# --- segments -------------------------------------------------------------------------------------
# §3.1: which cluster is the main block. Clusters are examined by ``Length``, longest first. One whose variance is over its
# bound is split, and its parts are examined in their turn; since a part is never longer than its whole and has no split
# place of its own, this is the same as to split first and sort once. The first that satisfies all conditions ends the
# search; if none does, the best by (``Length``, B_n) is the answer, marked as doubtful.
#
# Ours, off in the preset ``published``: clusters in list items rank lower (``list_weight``), and :func:`widen`.

WIDEN_LINKS = 0.3
"""Share of link text that a block which :func:`widen` adds stays below; 0.2–0.7 are equal within 0.001 F1 on folds 1–4."""
CONDITIONS = ("variance", "size", "Length", "B_n", "period")
"""In the order of the columns of :attr:`Examination.holds`."""


@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """What the listing looked at and what it found. There is at least one cluster."""

    clusters: Clusters
    """Unsplit clusters and parts."""
    order: NDArray[np.int64]
    """The clusters in the order of examination."""
    holds: NDArray[np.bool_]
    """Clusters × :data:`CONDITIONS`."""
    chosen: int
    """The main block."""
    satisfied: bool
    """Whether it satisfies all conditions; else it is the fallback."""


def parts(leaves: Leaves, clusters: Clusters, params: PageSegmentationParams) -> Clusters:
    """The clusters, those over the variance bound split where they have split places."""
    over = clusters.variances > params.variance_bound
    return split(leaves, clusters, over, params.split_low, params.split_high) if over.any() else clusters


def examine(leaves: Leaves, clusters: Clusters, params: PageSegmentationParams) -> Examination:
    """Search the main block among the clusters of a page that has at least one."""
    examined = parts(leaves, clusters, params)
    ranks = examined.lengths * np.where(leaves.in_lists(examined.paths), params.list_weight, 1.0)
    order = np.lexsort((examined.first, -examined.noise, -ranks))
    holds = np.stack(
        (
            examined.variances <= params.variance_bound,
            examined.sizes > params.max_size,
            examined.lengths > params.length_threshold,
            examined.noise > params.bn_threshold,
            examined.periods > params.pre_d,
        ),
        axis=1,
    )
    good = np.all(holds, axis=1)[order]
    at = int(good.argmax())  # the first; 0, which is the best by (Length, B_n), where none is good
    return Examination(examined, order, holds, int(order[at]), bool(good[at]))


def widen(leaves: Leaves, dom: Dom, blocks: NDArray[np.int64], least: float) -> NDArray[np.int64]:
    """Our extension: a segment together with the blocks beside it that hold enough text and few links, in the innermost
    element around the segment (around a single block, in its element's parent). First and last paragraphs, subheads and
    quotations may have another tag path.

    :param blocks: the segment's blocks, ascending; at least one.
    :param least: ``Length`` of the blocks to add.
    """
    element = _around(dom, dom.elements[blocks[0]], dom.elements[blocks[-1]])
    first, end = dom.first_blocks[element], dom.end_blocks[element]
    lengths = np.bincount(leaves.blocks, leaves.lengths, minlength=end)[first:end]
    counts = dom.count_sums[first : end + 1], dom.link_count_sums[first : end + 1]
    unlinked, linked = np.diff(counts[0]), np.diff(counts[1])
    added = first + np.flatnonzero((lengths >= least) & (linked < WIDEN_LINKS * (unlinked + linked)))
    return np.union1d(blocks, added)


def _around(dom: Dom, first: int, last: int) -> int:
    """The innermost element around two elements; the parent where they are the same."""
    if first == last:
        return max(0, dom.parents[first])
    while first != last:  # an element's number is above its parent's
        if first > last:
            first = dom.parents[first]
        else:
            last = dom.parents[last]
    return first


# --- template -------------------------------------------------------------------------------------
# §3.2: walking the segment, the text between ``table`` and ``div`` boundaries is one chunk, filed under the tag path of the
# innermost ``table`` or ``div`` around it; a path that is seen again raises its frequency, and its text is appended
# (the listing only counts; dropping the repeated text would lose it). Printed are the paths that are frequent enough, in
# document order.

_BOUNDARIES = ("table", "div")


def frequencies(dom: Dom, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often the tag path of each block's chunk occurs among the chunks of the segment.

    :param blocks: the segment's blocks, ascending; at least one.
    """
    begins, number, counts = _chunks(dom, blocks)
    frequency: NDArray[np.int64] = counts[number][np.cumsum(begins) - 1]
    return frequency


def path_frequencies(dom: Dom, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The frequencies in the template: one entry a tag path of chunks; see :func:`frequencies`."""
    return _chunks(dom, blocks)[2]


def _chunks(dom: Dom, blocks: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Which blocks begin a chunk; the path (counted from 0) of each chunk; the number of chunks of each path."""
    containers, paths = _containers(dom)
    around = containers[np.asarray(dom.elements, dtype=np.int64)[blocks]]
    begins = np.concatenate(([True], around[1:] != around[:-1]))
    _, number, counts = np.unique(paths[around[begins]], return_inverse=True, return_counts=True)
    return begins, number.astype(np.int64), counts.astype(np.int64)


def _containers(dom: Dom) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each element: the innermost boundary element around it or itself (else the first), and the number of its path."""
    containers: list[int] = []
    paths: list[int] = []
    numbers: dict[tuple[int, str], int] = {}
    for element, (tag, parent) in enumerate(zip(dom.tags, dom.parents, strict=True)):
        containers.append(element if parent < 0 or tag in _BOUNDARIES else containers[parent])
        paths.append(numbers.setdefault((paths[parent] if parent >= 0 else -1, tag), len(numbers)))
    return np.asarray(containers, dtype=np.int64), np.asarray(paths, dtype=np.int64)


# --- algorithm ------------------------------------------------------------------------------------
_SHOWN_CLUSTERS = 200
"""Clusters that the evidence lists, in the order of examination."""
_DOUBT = 0.25
"""Factor of the confidence where no cluster satisfied all conditions."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """What was chosen on a page that has leaves."""

    leaves: Leaves
    examination: Examination
    blocks: NDArray[np.int64]
    """Blocks of the page's tree in the segment, ascending; at least one."""


class PageSegmentation:
    """The algorithm, ready to be called on pages.

    :raises DataError: the thresholds file is missing, damaged, of another kind or of another version.
    """

    def __init__(self, params: PageSegmentationParams) -> None:
        if params.thresholds:
            numbers: dict[str, Any] = {**FILE.read(Path(params.thresholds)).numbers}
            params = replace(params, **numbers)
        self.params = params

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page."""
        dom = page.dom
        segment = self.segment(dom)
        if segment is None:
            return Body("", reason="the page has no text leaves", evidence={"clusters": []} if evidence else None)
        frequency = frequencies(dom, segment.blocks)
        chosen: list[int] = self._printed(segment, frequency).tolist()
        text = clean(dom.text(chosen))
        satisfied = segment.examination.satisfied
        return Body(
            text,
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=dom.confidence(chosen) * (1.0 if satisfied else _DOUBT),
            reason=None if satisfied else "no cluster satisfied all conditions; the longest was taken",
            evidence=_evidence(self.params, segment, frequency) if evidence else None,
            blocks=tuple(chosen),
        )

    def blocks(self, dom: Dom) -> NDArray[np.int64]:
        """The blocks of the main text; may be none."""
        segment = self.segment(dom)
        return np.empty(0, dtype=np.int64) if segment is None else self._printed(segment, frequencies(dom, segment.blocks))

    def _printed(self, segment: Segment, frequency: NDArray[np.int64]) -> NDArray[np.int64]:
        printed = frequency >= self.params.frequency_threshold
        return segment.blocks[printed if printed.any() else slice(None)]

    def segment(self, dom: Dom) -> Segment | None:
        """The segment of §3.1 before the text template; None where the page has no leaves."""
        params = self.params
        leaves = read_leaves(dom, pruned(dom, boilerplate=params.boilerplate))
        if not len(leaves):
            return None
        found = examine(leaves, tag_path_clusters(leaves), params)
        first, last = found.clusters.first[found.chosen], found.clusters.last[found.chosen]
        blocks = np.unique(leaves.blocks[first : last + 1])
        if params.widen:
            blocks = widen(leaves, dom, blocks, params.widen)
        return Segment(leaves, found, blocks)


def _evidence(params: PageSegmentationParams, segment: Segment, frequency: NDArray[np.int64]) -> dict[str, Any]:
    leaves, found = segment.leaves, segment.examination
    clusters = found.clusters
    return {
        "thresholds": {name: getattr(params, name) for name in FILE.keys},
        "leaves": len(leaves),
        "clusters_in_all": len(clusters),
        "satisfied": found.satisfied,
        "blocks": [int(segment.blocks[0]), int(segment.blocks[-1])],
        "frequencies": sorted(set(frequency.tolist())),
        "clusters": [
            {
                "path": leaves.path(int(clusters.paths[i])),
                "first_leaf": int(clusters.first[i]),
                "last_leaf": int(clusters.last[i]),
                "size": int(clusters.sizes[i]),
                "Length": int(clusters.lengths[i]),
                "B_n": round(float(clusters.noise[i]), 2),
                "ΔT": round(float(clusters.periods[i]), 3),
                "σ²": round(float(clusters.variances[i]), 3),
                "chosen": i == found.chosen,
                "failed": [name for name, holds in zip(CONDITIONS, found.holds[i], strict=True) if not holds],
            }
            for i in found.order[:_SHOWN_CLUSTERS].tolist()
        ],
    }
