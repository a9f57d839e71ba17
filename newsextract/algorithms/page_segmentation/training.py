"""Threshold training: Hou & Yang 2011, §3.3, eq. (6)–(11).

Of one page: Length_Threshold and B_n_Threshold are the middle one of the sorted centres of a k-means clustering of the
``Length`` and of the B_n of its clusters (as examined: those over the variance bound split); Frequency_Threshold is
the mean frequency of the text template of the segment that these two thresholds choose. Of many pages of one kind:
the minimum of each.

Cost: two k-means of a few hundred numbers a page, about 6 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.page_segmentation.algorithm import PageSegmentation
from newsextract.algorithms.page_segmentation.params import PageSegmentationParams
from newsextract.algorithms.page_segmentation.template import path_frequencies
from newsextract.dom import Dom
from newsextract.errors import MissingExtra

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
