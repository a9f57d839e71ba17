"""Labelled texts for the value filter, from pages whose true text is known.

A text block is valuable where at least :data:`VALUABLE_SHARE` of its 4-grams stand in the truth, worthless where none
does; what lies between is unclear and left out. A block of fewer than four words may stand in a truth by chance
("Share", "Berlin"): found there it is valuable only between two valuable blocks, else unclear. The headline is left
out, because truths differ in whether they include it; so is what is pruned before the filter is asked (hidden elements,
forms). Of one site each text counts once, however many pages repeat it, and not at all if it has both labels.

Cost: 10 ms a page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from newsextract.dom import Dom
from newsextract.evaluation.block_truth import block_truth
from newsextract.evaluation.datasets import TruthPage, load, read
from newsextract.evaluation.metrics import comparable
from newsextract.page import Page
from newsextract.pruning import pruned
from newsextract.value_filter.labelled import Labelled

VALUABLE_SHARE = 0.75
"""Least share of a valuable block's 4-grams in the truth."""
_SURE_GRAMS = 2.0
"""Blocks with fewer 4-grams are short: :func:`block_truth` gives half a gram for each of up to three words."""

Progress = Callable[[int, int], None]
"""Told the pages done and the pages in all."""


def block_labels(truth: TruthPage, dom: Dom) -> list[int | None]:
    """The label of each block of a page: 1 valuable, 0 worthless, None unclear."""
    grams, found, _ = block_truth(truth, dom.texts)
    share = found / np.maximum(grams, 0.5)
    long = grams >= _SURE_GRAMS
    good = long & (share >= VALUABLE_SHARE)
    amid = _between(good, long)
    title = comparable(truth.title or "")
    labels: list[int | None] = []
    for i, text in enumerate(dom.texts):
        if title and comparable(text) == title:
            labels.append(None)
        elif good[i] or (not long[i] and found[i] and amid[i]):
            labels.append(1)
        else:
            labels.append(None if found[i] else 0)
    return labels


def labelled_texts(
    directories: Sequence[Path], folds: frozenset[int], progress: Callable[[str], Progress]
) -> list[Labelled]:
    """The labelled texts of data sets, in their order; the group of a text is its site.

    :param folds: take sites of these folds only.
    :param progress: makes a progress callback for a data set's name.
    :raises DataError: a data set is missing or malformed.
    """
    found: dict[tuple[str, str], Labelled | None] = {}
    for directory in directories:
        pages = [truth for truth in load([directory]) if truth.text and truth.fold in folds]
        tell = progress(directory.resolve().name)
        for done, truth in enumerate(pages, 1):
            for text, label in _page_texts(truth):
                known = found.setdefault((truth.site, text), Labelled(text, label, truth.site, truth.lang))
                if known is not None and known.label != label:
                    found[truth.site, text] = None
            tell(done, len(pages))
    return [item for item in found.values() if item is not None]


def _page_texts(truth: TruthPage) -> Iterator[tuple[str, int]]:
    dom = Page(read(truth), truth.url).dom
    left_out = pruned(dom)
    for text, label, out in zip(dom.texts, block_labels(truth, dom), left_out.tolist(), strict=True):
        if label is not None and not out:
            yield text, label


def _between(good: np.ndarray, long: np.ndarray) -> list[bool]:
    """Whether the nearest long blocks on both sides are good, for each block."""
    before = _last_long(good, long)
    after = _last_long(good[::-1], long[::-1])[::-1]
    return [a and b for a, b in zip(before, after, strict=True)]


def _last_long(good: np.ndarray, long: np.ndarray) -> list[bool]:
    last = False
    result = []
    for is_good, is_long in zip(good.tolist(), long.tolist(), strict=True):
        result.append(last)
        if is_long:
            last = is_good
    return result
