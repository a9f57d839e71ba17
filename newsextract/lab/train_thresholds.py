"""Fits the thresholds of `node_attributes` (Wang & Cao 2016, §3.3) and `page_segmentation` (Hou & Yang 2011, §3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.node_attributes import (
    KEPT,
    Attributes,
    LeafLimits,
    attributes,
    count_nodes,
    leaf_boxes,
    simplify,
    verdicts,
)
from newsextract.algorithms.page_segmentation import PageSegmentation, PageSegmentationParams, path_frequencies
from newsextract.errors import DataError, MissingExtra
from newsextract.lab.datasets import TruthPage
from newsextract.lab.train_combined_pages import block_truth
from newsextract.page.dom import Dom
from newsextract.page.page import Page

# --- fitting --------------------------------------------------------------------------------------
# Fitting Δ1–Δ4: the paper (Wang & Cao 2016, §3.3) uses thresholds and prints none.
#
# Every page of a data set becomes its leaves' attributes and what the truth says of them
# (:mod:`newsextract.lab.train_combined_pages`); then one threshold after the other takes the value of its grid that gives
# the best F1, until a round changes nothing. Deterministic; the leaves of all pages stay in memory, about 10 kB a page.
#
# Pages that a browser has rendered also give limits for boxes. These are fitted after the others and with the densities'
# limits as they are (fitting all at once found the same limits).
#
# Cost: under 10 ms a page, nearly all of it reading pages; from snapshots three times that.

_SHARES = (0.0, 0.0002, 0.0005, 0.001, 0.0015, 0.002, 0.003, 0.005, 0.01)
_EDGES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
GRID: dict[str, tuple[float, ...]] = {
    "delta1": _SHARES,
    "delta2": (0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2),
    "delta3": _EDGES,
    "delta4": _EDGES,
    "container": (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05),
}
"""The values that are tried."""
_WIDTHS = (0.0, 0.0001, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
_HEIGHTS = (0.0, 0.001, 0.002, 0.003, 0.005, 0.01)
BOX_GRID: dict[str, tuple[float, ...]] = {"delta3": _EDGES, "delta4": _EDGES, "width": _WIDTHS, "height": _HEIGHTS}
"""The same for boxes; the first width above 0 takes away what no reader sees, and nothing else."""
START = LeafLimits(delta1=0.0, delta2=0.05, delta3=0.0, delta4=0.0, container=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One page with truth."""

    leaves: Attributes
    grams: NDArray[np.float64]
    """4-grams of each leaf."""
    found: NDArray[np.float64]
    """Those that the truth holds."""
    true: int
    """4-grams of the truth."""
    fusion_rate: float
    drawn: Attributes | None = None
    """Of a rendered page: the leaves by their boxes."""


def sample(page: Page, truth: TruthPage, *, boilerplate: bool) -> Sample:
    """What fitting needs of a page."""
    dom = page.dom
    tree = simplify(dom, boilerplate=boilerplate)
    grams, found, true = block_truth(truth, [dom.texts[i] for i in tree.blocks])
    boxes = leaf_boxes(dom, tree, page.snapshot.nodes) if page.snapshot is not None else None
    drawn = attributes(tree, boxes) if isinstance(boxes, np.ndarray) else None
    return Sample(attributes(tree), grams, found, true, tree.fusion_rate(count_nodes(dom)), drawn)


def fit(samples: Sequence[Sample], *, container: bool) -> tuple[LeafLimits, float]:
    """The best limits, and their F1 on these samples.

    :param container: also fit the container's share, which is not in the paper.
    :raises DataError: there is nothing to fit on.
    """
    samples = _useful(samples)
    if not samples:
        raise DataError("no page has both text and a truth; thresholds need pages whose truth.jsonl line has a text")
    return _best(samples, {name: GRID[name] for name in GRID if container or name != "container"}, START)


def fit_boxes(samples: Sequence[Sample], position: LeafLimits) -> tuple[LeafLimits, float]:
    """The best limits of rendered pages, and their F1 on those of the samples that are.

    :param position: what :func:`fit` found; its densities are kept.
    :raises DataError: no sample is a rendered page with boxes.
    """
    samples = rendered(samples)
    if not samples:
        raise DataError("no page has both a truth and a snapshot whose boxes can be used; thresholds of boxes need some")
    return _best(samples, BOX_GRID, replace(position, delta3=0.0, delta4=0.0))


def rendered(samples: Sequence[Sample]) -> list[Sample]:
    """The samples of rendered pages, their leaves by boxes."""
    return [replace(s, leaves=s.drawn) for s in _useful(samples) if s.drawn is not None]


def score(samples: Sequence[Sample], limits: LeafLimits) -> float:
    """F1 of limits on samples, 0–1."""
    return _Pages(_useful(samples)).f1(limits)


def _useful(samples: Sequence[Sample]) -> list[Sample]:
    return [s for s in samples if s.true and len(s.grams)]


def _best(samples: Sequence[Sample], grid: Mapping[str, Sequence[float]], start: LeafLimits) -> tuple[LeafLimits, float]:
    pages = _Pages(samples)
    best, limits = pages.f1(start), start
    while True:
        before = limits
        for name, values in grid.items():
            for value in values:
                tried = replace(limits, **{name: value})
                score = pages.f1(tried)
                if score > best + 1e-9:
                    best, limits = score, tried
        if limits == before:
            return limits, best


class _Pages:
    """All leaves of all samples, side by side."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.leaves = Attributes(
            **{f.name: np.concatenate([getattr(s.leaves, f.name) for s in samples]) for f in fields(Attributes)}
        )
        self.grams = np.concatenate([s.grams for s in samples])
        self.found = np.concatenate([s.found for s in samples])
        self.true = np.array([s.true for s in samples], dtype=np.float64)
        self.page = np.repeat(np.arange(len(samples)), [len(s.grams) for s in samples])

    def f1(self, limits: LeafLimits) -> float:
        """F1 of mean precision and mean recall, as in :mod:`newsextract.lab.metrics`."""
        kept = verdicts(self.leaves, limits) == KEPT
        grams = np.bincount(self.page[kept], self.grams[kept], len(self.true))
        found = np.minimum(np.bincount(self.page[kept], self.found[kept], len(self.true)), self.true)
        some = grams > 0
        if not some.any():
            return 0.0
        precision = float((np.minimum(found, grams)[some] / grams[some]).mean())
        recall = float((found / self.true).mean())
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


# --- training -------------------------------------------------------------------------------------
# Threshold training: Hou & Yang 2011, §3.3, eq. (6)–(11).
#
# Of one page: Length_Threshold and B_n_Threshold are the middle one of the sorted centres of a k-means clustering of the
# ``Length`` and of the B_n of its clusters (as examined: those over the variance bound split); Frequency_Threshold is
# the mean frequency of the text template of the segment that these two thresholds choose. Of many pages of one kind:
# the minimum of each.
#
# Cost: two k-means of a few hundred numbers a page, about 6 ms.

CLUSTERS = 3
SEED = 1
_STARTS = 10
"""Beginnings of each k-means, of which the best counts; a single one often ends in a worse clustering."""
_DIGITS = 4
"""Decimals that are kept: the order of floating-point sums must not change a file."""


def middle_centre(values: NDArray[np.float64], clusters: int = CLUSTERS, seed: int = SEED) -> float:
    """Mid(KMeans(values, clusters)): the middle one of the sorted centres, of an even number the lower.

    :param values: at least one; where fewer differ than there are clusters, each is its own centre.
    :raises MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise MissingExtra("scikit-learn", "train", "training thresholds") from error
    centres = np.unique(values)
    if len(centres) > clusters:
        model = KMeans(n_clusters=clusters, n_init=_STARTS, random_state=seed)
        with threadpool_limits(1):  # else sums depend on the number of cores, and small clusterings take twice the time
            centres = np.sort(model.fit(values.reshape(-1, 1)).cluster_centers_[:, 0])
    return round(float(centres[(len(centres) - 1) // 2]), _DIGITS)


@dataclass(frozen=True, slots=True)
class PageThresholds:
    """What one page says, eq. (6)–(8)."""

    clusters: int
    """How many clusters were measured."""
    length_threshold: float
    bn_threshold: float
    frequency_threshold: float


def train_page(
    dom: Dom, params: PageSegmentationParams, *, clusters: int = CLUSTERS, seed: int = SEED
) -> PageThresholds | None:
    """The thresholds of one page; None where it has no leaves.

    :param params: how leaves are clustered and split; its thresholds are not used.
    :raises MissingExtra: scikit-learn is not installed.
    """
    open_params = replace(params, thresholds="", length_threshold=0.0, bn_threshold=0.0, frequency_threshold=0.0)
    segment = PageSegmentation(open_params).segment(dom)
    if segment is None:
        return None
    measured = segment.examination.clusters
    length = middle_centre(measured.lengths.astype(np.float64), clusters, seed)
    noise = middle_centre(measured.noise, clusters, seed)
    trained = replace(open_params, length_threshold=length, bn_threshold=noise)
    chosen = PageSegmentation(trained).segment(dom)
    frequency = path_frequencies(dom, (chosen or segment).blocks)
    return PageThresholds(len(measured), length, noise, round(float(frequency.mean()), _DIGITS))


def combine(pages: Sequence[PageThresholds], quantile: float = 0.0) -> tuple[float, float, float]:
    """Length_Threshold, B_n_Threshold and Frequency_Threshold of pages of one kind, eq. (9)–(11): the minimum of each.

    :param pages: at least one.
    :param quantile: 0: the minimum, as published. For pages of many kinds, whose minimum is that of the oddest page,
        a quantile (0–1) of each.
    """
    table = np.array([(page.length_threshold, page.bn_threshold, page.frequency_threshold) for page in pages])
    low = np.quantile(table, quantile, axis=0, method="lower")
    return float(low[0]), float(low[1]), float(low[2])
