"""Training labels: which blocks of a page are true article text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.lab.datasets import TruthPage
from newsextract.lab.metrics import comparable, folded, four_grams, tokenizer

# --- labels ---------------------------------------------------------------------------------------
# Which blocks of a page are article text: labels from the truth, for training.
#
# A block's 4-grams are looked up among those of the truth, and each 4-gram of the truth is given away once: where a text
# stands twice on a page (a teaser, a print view), the block in the denser surroundings gets it. A block of fewer than four
# tokens (a cell, a price, a name: half of the blocks of an article, two thirds of those of a product) is text where it is a
# line of the truth, where text surrounds it, or where 4-grams across blocks cover it. Choosing the blocks with a label over
# 0.5 gives word F1 .992 on modern articles of folds 1-4, and on listings .940, products .938, collections .961 (without the
# lines and 4-grams across blocks .987, .878, .893, .900).
#
# The headline is no article text: it has a field of its own, and whether a truth holds it is a habit of its source.
# Pages with segments that must or must not be found give labels for the blocks that hold them; the others stay unknown.

_SURROUNDINGS = 21
"""Blocks whose agreement with the truth tells where the article stands."""
_GAP = 4
"""A block of under four tokens belongs to the text when text stands at most so many blocks before and behind it."""


_GRAM = 4
"""Tokens that are looked up together."""
_LONGEST_HEADLINE = 300
"""Characters of a block that may be one."""
_LEAST_HEADLINE, _SHARE_OF_TITLE = 15, 0.5
"""Letters, and share of the page's title (site names stand there, too), of a block that is part of the title."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """One entry a block."""

    tokens: NDArray[np.float64]
    wanted: NDArray[np.float64]
    """Share of the block that is article text, 0–1; nan: unknown."""
    true: float
    """Tokens of the truth; 0: unknown."""

    def f1(self, chosen: NDArray[np.intp]) -> float:
        """The F1 of tokens of some blocks, where the whole text is known."""
        found = float((self.tokens * self.wanted)[chosen].sum())
        return 2 * found / (float(self.tokens[chosen].sum()) + self.true)


def labels(truth: TruthPage, texts: Sequence[str], title: str) -> Labels:
    """Labels of a page's blocks.

    :param title: as the page's head gives it; may be empty.
    """
    tokens = tokenizer(truth.source)
    words = [tokens(text) for text in texts]
    counts = np.array([len(w) for w in words], dtype=np.float64)
    true = tokens(truth.text or "")
    if true:
        lines = Counter(tuple(tokens(line)) for line in (truth.text or "").split("\n"))
        wanted = _short_too(_from_text(true, words), true, lines, words)
    else:
        wanted = _from_segments(truth, texts)
    wanted[_headlines(texts, title, truth.title or "") & np.isfinite(wanted)] = 0.0
    return Labels(counts, wanted, float(len(true)))


def _headlines(texts: Sequence[str], *titles: str) -> NDArray[np.bool_]:
    """Which blocks only repeat a title, or a good part of the first one."""
    keys = [comparable(title) for title in titles]

    def repeats(text: str) -> bool:
        own = comparable(text) if len(text) <= _LONGEST_HEADLINE else ""
        part = len(own) > max(_LEAST_HEADLINE, _SHARE_OF_TITLE * len(keys[0])) and own in keys[0]
        return part or (own != "" and own in keys)

    return np.array([repeats(text) for text in texts], dtype=np.bool_)


def _from_text(true: Sequence[str], words: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    grams = [four_grams(w) if len(w) >= 4 else None for w in words]
    left = four_grams(true)
    agreement = np.array([(g & left).total() / g.total() if g else 0.0 for g in grams])
    mass = np.where(agreement > 0.5, agreement * [len(w) for w in words], 0.0)
    around = np.convolve(mass, np.ones(_SURROUNDINGS))[_SURROUNDINGS // 2 :][: len(mass)]
    wanted = np.zeros(len(words))
    for i in sorted(range(len(words)), key=lambda i: (-around[i], i)):
        own = grams[i]
        if own and agreement[i]:
            common = own & left
            wanted[i] = common.total() / own.total()
            if wanted[i] > 0.5:
                left -= common
    text = " ".join(true)
    chosen = np.flatnonzero(wanted > 0.5)
    for i, own in enumerate(grams):
        if own is None and words[i]:
            behind = int(np.searchsorted(chosen, i))
            inside = 0 < behind < len(chosen) and i - chosen[behind - 1] <= _GAP and chosen[behind] - i <= _GAP
            if inside and " ".join(words[i]) in text:
                wanted[i] = 1.0
    return wanted


def _short_too(
    wanted: NDArray[np.float64], true: Sequence[str], lines: Counter[tuple[str, ...]], words: Sequence[Sequence[str]]
) -> NDArray[np.float64]:
    """The labels, also for blocks of fewer than four tokens that lie in 4-grams of the truth, or are a line of it.

    :param lines: how often the truth has each line; those that stand several times on the page go to the block that is
        nearest to the text.
    """
    found = wanted.copy()
    short = [i for i, own in enumerate(words) if 0 < len(own) < _GRAM]
    flat = [token for own in words for token in own]
    ends = np.cumsum([len(own) for own in words])
    left = Counter(zip(*(true[i:] for i in range(_GRAM)), strict=False))
    covered = np.zeros(len(flat), dtype=np.bool_)
    for start, gram in enumerate(zip(*(flat[i:] for i in range(_GRAM)), strict=False)):
        if left[gram] > 0:
            left[gram] -= 1
            covered[start : start + _GRAM] = True
    for i in short:
        if covered[ends[i] - len(words[i]) : ends[i]].all():
            found[i] = 1.0
    text = np.flatnonzero(found > 0.5)
    distance = np.abs(np.arange(len(words))[:, None] - text[_nearest(text, len(words))]).min(axis=1) if len(text) else found
    for i in sorted(short, key=lambda i: (distance[i], i)):
        line = tuple(words[i])
        if lines[line] > 0:
            lines[line] -= 1
            found[i] = 1.0
    return found


def _nearest(text: NDArray[np.intp], blocks: int) -> NDArray[np.intp]:
    """For each block the places in ``text`` of the one before and the one behind it, shape (blocks, 2)."""
    behind = np.searchsorted(text, np.arange(blocks))
    return np.stack((np.maximum(behind - 1, 0), np.minimum(behind, len(text) - 1)), axis=1)


def _from_segments(truth: TruthPage, texts: Sequence[str]) -> NDArray[np.float64]:
    found = np.full(len(texts), np.nan)
    flat = [folded(text) for text in texts]
    for value, segments in ((0.0, truth.without or ()), (1.0, truth.with_ or ())):
        for segment in map(folded, segments):
            for i, text in enumerate(flat):
                if segment in text:
                    found[i] = value
    return found


# --- block truth ----------------------------------------------------------------------------------
# How much of each text block stands in the truth: the labels that training needs.
#
# A block's 4-grams of tokens (as in :mod:`newsextract.lab.metrics`) are looked up among the truth's. Sums over
# chosen blocks then give precision and recall of the choice, all but for the 4-grams across block borders, so that a
# thousand choices can be scored without building a text.
#
# Cost: about 1 ms a page.


def block_truth(truth: TruthPage, texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """4-grams of each block, how many of them the truth holds, and the truth's own number.

    Blocks of fewer than four tokens have no 4-gram to be sure of: they count half a gram a token, and are found when
    they stand in the truth as they are.

    :param truth: a page with a truth text.
    :param texts: the blocks' texts.
    :returns: two arrays with an entry a block, and a number.
    """
    tokens = tokenizer(truth.source)
    wanted = truth.text or ""
    true = four_grams(tokens(wanted))
    grams = np.zeros(len(texts))
    found = np.zeros(len(texts))
    for i, text in enumerate(texts):
        words = tokens(text)
        if len(words) < 4:
            grams[i] = len(words) / 2
            found[i] = grams[i] if text in wanted else 0.0
        else:
            own = four_grams(words)
            grams[i] = own.total()
            found[i] = (own & true).total()
    return grams, found, true.total()
