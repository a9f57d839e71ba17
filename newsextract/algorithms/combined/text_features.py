"""What each block's own text says: lengths, links, punctuation, first and last characters.

The characters of the page are looked up in one table and counted with numpy: no loop over characters in Python.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.characters import Characters

NAMES = (
    "length",
    "link_length",
    "link_share",
    "links",
    "links_a_character",
    "share",
    "log_share",
    "ends_sentence",
    "ends_colon",
    "begins_upper",
    "begins_digit",
    "begins_lower",
    "words",
    "commas",
    "sentences",
    "bars",
    "copyright",
    "early_colon",
    "lines",
    "quotes",
    "digits",
    "east_asian_page",
)
_LOGARITHMS = [NAMES.index(name) for name in "length link_length links log_share words commas sentences bars lines".split()]
"""Columns of which log(1 + x) is given."""
_EARLY = 40
"""A colon among so many first characters is early."""
_SHORT = 80
"""Digits are counted in shorter texts only: in long ones they say nothing."""

_NONE, _SPACE, _COMMA, _WESTERN_END, _EASTERN_END, _BAR, _COPYRIGHT, _EARLY_COLON, _LINE, _QUOTE, _DIGIT = range(11)
"""What is counted; a character is one of it at most."""
_COUNTED = 11
_CHARACTERS = {
    " ": _SPACE, "\n": _LINE, ",": _COMMA, "，": _COMMA, "、": _COMMA, ".": _WESTERN_END, "!": _WESTERN_END,
    "?": _WESTERN_END, "。": _EASTERN_END, "！": _EASTERN_END, "？": _EASTERN_END, "|": _BAR, "»": _BAR, "›": _BAR,
    "·": _BAR, "©": _COPYRIGHT, ":": _EARLY_COLON, "：": _EARLY_COLON, '"': _QUOTE, "“": _QUOTE, "「": _QUOTE,
}  # fmt: skip
_CLOSES, _CONTINUES, _UPPER, _LOWER, _BEGINS_DIGIT, _EAST_ASIAN = (1 << i for i in range(6))
"""What a text begins or ends with."""
_CONTINUING = ":：,，、"
_CLOSING = '.!?。！？…"”」』》;；'


def text_features(
    characters: Characters, counts: NDArray[np.float64], linked: NDArray[np.float64], links: NDArray[np.float64]
) -> NDArray[np.float32]:
    """One row a block, the columns of :data:`NAMES`.

    :param counts: characters outside links; ``linked``: inside.
    :param links: links and images.
    """
    codes, starts, lengths = characters.codes, characters.starts, characters.lengths
    blocks = len(starts)
    share = counts / (counts.sum() + 1)
    edges = _edges().take(codes[starts], mode="clip"), _edges().take(codes[starts + lengths - 1], mode="clip")
    number = _numbers(codes, starts, lengths)
    short = lengths < _SHORT

    rows = np.empty((len(NAMES), blocks), dtype=np.float32)
    rows[0] = counts
    rows[1] = linked
    rows[2] = linked / (counts + linked + 1)
    rows[3] = links
    rows[4] = np.minimum(2, links / (counts + 10) * 10)
    rows[5] = share
    rows[6] = 1000 * share
    rows[7] = edges[1] & _CLOSES != 0
    rows[8] = edges[1] & _CONTINUES != 0
    rows[9] = edges[0] & _UPPER != 0
    rows[10] = edges[0] & _BEGINS_DIGIT != 0
    rows[11] = edges[0] & _LOWER != 0
    rows[12] = number[_SPACE] + 1
    rows[13] = number[_COMMA]
    rows[14] = number[_WESTERN_END] + number[_EASTERN_END]
    rows[15] = number[_BAR] * short
    rows[16] = number[_COPYRIGHT] > 0
    rows[17] = number[_EARLY_COLON] > 0
    rows[18] = number[_LINE]
    rows[19] = number[_QUOTE] > 0
    rows[20] = np.minimum(1, number[_DIGIT] / (lengths + 1) * 5) * short
    rows[21] = np.mean(edges[0] & _EAST_ASIAN != 0)
    rows[_LOGARITHMS] = np.log1p(rows[_LOGARITHMS])
    result: NDArray[np.float32] = rows.T
    return result


def _numbers(codes: NDArray[np.int32], starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """How many characters of each counted sort each block has; shape (sorts, blocks)."""
    sorts = _sorts().take(codes, mode="clip")
    special = np.flatnonzero(sorts != _NONE)
    what = sorts[special]
    where = np.repeat(np.arange(len(starts)), lengths)[special]
    before_space = sorts.take(special + 1, mode="clip") == _SPACE
    what[(what == _WESTERN_END) & ~before_space] = _NONE
    what[(what == _EARLY_COLON) & (special - starts[where] >= _EARLY)] = _NONE
    return np.bincount(where * _COUNTED + what, minlength=_COUNTED * len(starts)).reshape(-1, _COUNTED).T


@lru_cache(maxsize=1)
def _sorts() -> NDArray[np.uint8]:
    """What each character of the basic plane counts as; those beyond count as its last."""
    table = np.zeros(0x10000, dtype=np.uint8)
    for code in range(0x10000):
        if chr(code).isdigit():
            table[code] = _DIGIT
    for character, sort in _CHARACTERS.items():
        table[ord(character)] = sort
    return table


@lru_cache(maxsize=1)
def _edges() -> NDArray[np.uint8]:
    """What each character of the basic plane means at the beginning or end of a text."""
    table = np.zeros(0x10000, dtype=np.uint8)
    for code in range(0x10000):
        character = chr(code)
        table[code] = (
            (_UPPER if character.isupper() else 0)
            | (_LOWER if character.islower() else 0)
            | (_BEGINS_DIGIT if character.isdigit() else 0)
            | (_EAST_ASIAN if code > 0x2E80 else 0)
        )
    for character in _CLOSING:
        table[ord(character)] |= _CLOSES
    for character in _CONTINUING:
        table[ord(character)] |= _CONTINUES
    return table
