"""What each block's own text says: lengths, links, punctuation, first and last characters.

The characters of the page are looked up in one table and counted with numpy: no loop over characters in Python.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from newsextract.dom import Dom

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
_EARLY = 40
"""A colon among so many first characters is early."""
_SHORT = 80
"""Digits are counted in shorter texts only: in long ones they say nothing."""

_SPACE, _COMMA, _WESTERN_END, _EASTERN_END, _BAR, _COPYRIGHT, _COLON, _LINE, _QUOTE, _DIGIT = (1 << i for i in range(10))
_SPECIAL = (1 << 10) - 1
_CLOSES, _UPPER, _LOWER, _EAST_ASIAN = (1 << i for i in range(10, 14))
_CHARACTERS = {
    " ": _SPACE, "\n": _LINE, ",": _COMMA, "，": _COMMA, "、": _COMMA, ".": _WESTERN_END, "!": _WESTERN_END,
    "?": _WESTERN_END, "。": _EASTERN_END, "！": _EASTERN_END, "？": _EASTERN_END, "|": _BAR, "»": _BAR, "›": _BAR,
    "·": _BAR, "©": _COPYRIGHT, ":": _COLON, "：": _COLON, '"': _QUOTE, "“": _QUOTE, "「": _QUOTE,
}  # fmt: skip
_CLOSING = '.!?。！？…"”」』》;；'


def text_features(dom: Dom) -> NDArray[np.float32]:
    """One row a block, the columns of :data:`NAMES`."""
    counts = np.asarray(dom.counts, dtype=np.float32)
    linked = np.asarray(dom.link_counts, dtype=np.float32)
    links = np.asarray(dom.links, dtype=np.float32)
    share = counts / (counts.sum() + 1)
    lengths = np.fromiter(map(len, dom.texts), dtype=np.int64, count=len(dom.texts))
    codes = np.frombuffer("".join(dom.texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    kinds = _table()[np.minimum(codes, 0xFFFF)]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    first, last = kinds[starts], kinds[ends - 1]
    short = lengths < _SHORT

    blocks = len(lengths)
    special = np.flatnonzero(kinds & _SPECIAL)
    what, where = kinds[special], np.repeat(np.arange(blocks), lengths)[special]

    def number(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(where[chosen], minlength=blocks)

    before_space = kinds[np.minimum(special + 1, len(kinds) - 1)] & _SPACE != 0
    sentences = number((what & _WESTERN_END != 0) & before_space | (what & _EASTERN_END != 0))
    early = (what & _COLON != 0) & (special - starts[where] < _EARLY)
    columns = (
        np.log1p(counts),
        np.log1p(linked),
        linked / (counts + linked + 1),
        np.log1p(links),
        np.minimum(2, links / (counts + 10) * 10),
        share,
        np.log1p(1000 * share),
        last & _CLOSES != 0,
        last & (_COLON | _COMMA) != 0,
        first & _UPPER != 0,
        first & _DIGIT != 0,
        first & _LOWER != 0,
        np.log1p(number(what & _SPACE != 0) + 1),
        np.log1p(number(what & _COMMA != 0)),
        np.log1p(sentences),
        np.log1p(np.where(short, number(what & _BAR != 0), 0)),
        number(what & _COPYRIGHT != 0) > 0,
        number(early) > 0,
        np.log1p(number(what & _LINE != 0)),
        number(what & _QUOTE != 0) > 0,
        np.where(short, np.minimum(1, number(what & _DIGIT != 0) / (lengths + 1) * 5), 0),
        np.full(len(lengths), np.mean(first & _EAST_ASIAN != 0)),
    )
    result: NDArray[np.float32] = np.stack(columns, axis=1, dtype=np.float32, casting="unsafe")
    return result


@lru_cache(maxsize=1)
def _table() -> NDArray[np.uint16]:
    """What each character of the basic plane is; those beyond count as its last."""
    table = np.zeros(0x10000, dtype=np.uint16)
    for code in range(0x10000):
        character = chr(code)
        table[code] = (
            (_UPPER if character.isupper() else 0)
            | (_LOWER if character.islower() else 0)
            | (_DIGIT if character.isdigit() else 0)
            | (_EAST_ASIAN if code > 0x2E80 else 0)
        )
    for character, kind in _CHARACTERS.items():
        table[ord(character)] |= kind
    for character in _CLOSING:
        table[ord(character)] |= _CLOSES
    return table
