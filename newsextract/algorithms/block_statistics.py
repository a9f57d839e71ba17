"""Main text by the statistics of block lengths: Zou & Zhong, "An efficient approach to reduce noise in news webpages",
Microcomputer & Its Applications 30(16), 2011.

The idea (§1.1): news text stands in long blocks close together, noise in short blocks at the edges. So no tree is
built; the source text is cut into blocks (§1.2.1, :mod:`newsextract.page.source`), the number of characters of each is
smoothed, and two thresholds made from the page's own statistics decide which runs of blocks are main text (§1.2.2).

:data:`BASELINE` is the comparison of the paper's Table 2 ("method one", Zhou, Xiong & Liu 2009, as far as the paper
describes the difference): one maximum instead of nine, and no rule ②.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms import check_ranges
from newsextract.fields.report_date import published_date
from newsextract.fields.title import published_title
from newsextract.page.page import Page
from newsextract.page.source import Source, scan
from newsextract.results import Body, Surroundings

_NEAR = 2
"""Blocks before and after an end of the main text that the paper searches for title and date (§1.2.3)."""


@dataclass(frozen=True, slots=True)
class BlockStatisticsParams:
    """Parameters; the defaults are the paper's values."""

    maxima: int = field(default=9, metadata={"unit": "blocks", "section": "§1.2.2", "range": "1–100"})
    """How many of the largest smoothed counts make N_cal."""
    min_weight: float = field(default=2.0, metadata={"unit": "weight", "section": "§1.2.2", "range": "0–100"})
    """Weight of N_min against N_avg in N'_min = (w·N_min + N_avg) / (w + 1)."""
    bridge: bool = field(default=True, metadata={"unit": "", "section": "§1.2.2 rule ②", "range": "true, false"})
    """Whether runs between two consecutive main runs are main text, too."""
    published_fields: bool = field(default=False, metadata={"unit": "", "section": "§1.2.3", "range": "true, false"})
    """Title and date by the paper's own rules instead of the shared modules."""
    table_1: bool = field(default=False, metadata={"unit": "", "section": "§1.2.1 Table 1", "range": "true, false"})
    """Delete links and all forms with their text, as Table 1 prints."""

    def __post_init__(self) -> None:
        check_ranges("block_statistics", self)


DEFAULT = BlockStatisticsParams()
BASELINE = BlockStatisticsParams(maxima=1, bridge=False)
PUBLISHED = BlockStatisticsParams(published_fields=True, table_1=True)


@dataclass(frozen=True, slots=True)
class LengthThresholds:
    """The two thresholds of §1.2.2 and what they are made from; all in smoothed characters."""

    n_min: float
    n_avg: float
    low: float
    """N'_min: every block of a main run reaches it."""
    calibration: float
    """N_cal: at least one block of a main run reaches it."""


class BlockStatistics:
    """The algorithm, ready to be called on pages."""

    def __init__(self, params: BlockStatisticsParams) -> None:
        self.params = params

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page."""
        source = scan(page.text, table_1=True) if self.params.table_1 else page.source
        counts = np.asarray(source.counts, dtype=np.float64)
        if not counts.any():
            return Body("", reason="the page has no text outside links", evidence={"blocks": []} if evidence else None)
        smoothed = smooth(counts)
        limits = thresholds(smoothed, self.params)
        runs = main_runs(smoothed, limits, bridge=self.params.bridge)
        chosen = [i for start, end in runs for i in range(start, end) if source.texts[i]]
        text = source.text(chosen)
        title = date = None
        if self.params.published_fields and chosen:
            title, date = _published_fields(page, source, chosen[0], chosen[-1])
        return Body(
            text,
            source.surroundings(chosen[0], chosen[-1]) if chosen else Surroundings(),
            confidence=source.confidence(chosen),
            reason=None if text else "no block holds text",
            title=title,
            date=date,
            own_fields=self.params.published_fields,
            evidence=_evidence(source, smoothed, limits, set(chosen)) if evidence else None,
        )


def smooth(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The centred kernel ¼[1 2 1] of §1.2.2 (1); beyond the ends the count is 0."""
    padded = np.concatenate(([0.0], counts, [0.0]))
    result: NDArray[np.float64] = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
    return result


def thresholds(smoothed: NDArray[np.float64], params: BlockStatisticsParams) -> LengthThresholds:
    """N'_min and N_cal of §1.2.2 (2). ``smoothed`` holds at least one value above 0."""
    n_min = float(smoothed[smoothed > 0].min())
    n_avg = float(smoothed.mean())
    largest = np.sort(smoothed)[::-1][: params.maxima]  # fewer blocks than maxima: those there are
    low = (params.min_weight * n_min + n_avg) / (params.min_weight + 1)
    low = min(low, float(largest[0]))  # against rounding: the largest block reaches it
    return LengthThresholds(n_min, n_avg, low, (float(largest.sum()) + n_avg) / (len(largest) + 1))


def main_runs(smoothed: NDArray[np.float64], limits: LengthThresholds, *, bridge: bool) -> list[tuple[int, int]]:
    """The main runs as (first block, behind the last block), by rules ① and ② of §1.2.2.

    Never empty: both thresholds are means of values that the largest block reaches.
    """
    runs = list(_runs(smoothed >= limits.low))
    main = [k for k, (start, end) in enumerate(runs) if smoothed[start:end].max() >= limits.calibration]
    if bridge:
        main = list(range(main[0], main[-1] + 1))
    return [runs[k] for k in main]


def _runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _published_fields(page: Page, source: Source, first: int, last: int) -> tuple[Any, Any]:
    """Title and date as in §1.2.3: blocks i-2…i+2, then j-2…j+2, counting blocks that hold text.

    :param first: i, a block that holds text; ``last`` is j.
    """
    written = [i for i, text in enumerate(source.texts) if text]
    ends = written.index(first), written.index(last)
    start, end = (written[max(0, place - _NEAR) : place + _NEAR + 1] for place in ends)
    near = Surroundings(
        headings=tuple(h for h in source.headings if h.block in start and h.text),
        before=tuple(source.texts[i] for i in start),
        after=tuple(source.texts[i] for i in end),
    )
    return published_title(near, page.metadata), published_date((*near.before, *near.after), fetched_at=page.time)


def _evidence(source: Source, smoothed: NDArray[np.float64], limits: LengthThresholds, chosen: set[int]) -> dict[str, Any]:
    named = {"N_min": limits.n_min, "N_avg": limits.n_avg, "N'_min": limits.low, "N_cal": limits.calibration}
    columns = zip(source.counts, source.link_counts, smoothed.tolist(), source.texts, strict=True)
    return {
        "thresholds": {name: round(value, 2) for name, value in named.items()},
        "blocks": [
            {"index": i, "count": count, "link_count": links, "smoothed": value, "main": i in chosen, "text": text[:80]}
            for i, (count, links, value, text) in enumerate(columns)
        ],
    }
