"""Clusters of leaves with one tag path, their measures and split places: Hou & Yang 2011, §1.2 and §2, eq. (1)–(5).

A cluster x_1 < x_2 < … < x_n is the numbers of its leaves. All clusters of a page stand in one array of leaf numbers,
one after the other, so every equation is one numpy expression over all of them.

Cost: one stable sort of the leaves by path; all else is linear.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.page_segmentation.leaves import Leaves

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


def _between(values: Ints, starts: Ints, ends: Ints) -> Ints:
    """Sums of the values from each start to before each end."""
    sums = np.concatenate(([0], np.cumsum(values)))
    between: Ints = sums[ends] - sums[starts]
    return between


def _changes(values: Ints) -> Ints:
    """Indices where a run of equal values begins."""
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1]))[: len(values)])
