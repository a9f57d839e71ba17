"""What each block element passes on to its blocks: ancestors, words of class and id, depth, and its tag paths.

One loop over the elements that hold text: this is where most of the time of the features goes.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from newsextract.dom import Dom

ANCESTORS = tuple("ul ol dl table p article main section aside nav header footer form figure blockquote pre td li".split())
_ANCESTOR_BIT = {tag: 1 << i for i, tag in enumerate(ANCESTORS)}
_WORD = re.compile("[a-z]+")
_MAX_HINT = 500
"""Characters of class and id that are read."""


@dataclass(frozen=True, slots=True, eq=False)
class ElementColumns:
    """One entry an element of the tree; of elements without text only the path is told."""

    ancestors: NDArray[np.int64]
    """Bits of :data:`ANCESTORS`, the element itself included."""
    own: NDArray[np.int64]
    """Bits of the kinds of words (:func:`kinds`) in the element's class and id."""
    inherited: NDArray[np.int64]
    """The same of the element and all its ancestors."""
    depth: NDArray[np.int64]
    hidden: NDArray[np.bool_]
    path: NDArray[np.int64]
    """Equal numbers, equal tag paths."""
    class_path: NDArray[np.int64]
    """The same with class and id."""


def element_columns(dom: Dom) -> ElementColumns:
    """Walk down the elements once."""
    count = len(dom.tags)
    ancestors, own, inherited, depth, class_path = ([0] * count for _ in range(5))
    hidden = [False] * count
    for element in dom.hidden:
        hidden[element] = True
    class_paths: dict[tuple[int, str, str], int] = {}
    firsts, ends, hints, parents, bit_of = dom.first_blocks, dom.end_blocks, dom.hints, dom.parents, _ANCESTOR_BIT.get
    for element, tag in enumerate(dom.tags):
        if firsts[element] == ends[element]:
            continue
        parent, hint = parents[element], hints[element]
        if parent < 0:
            ancestors[element] = bit_of(tag, 0)
            class_path[element] = class_paths.setdefault((-1, tag, hint), len(class_paths))
            continue
        ancestors[element] = ancestors[parent] | bit_of(tag, 0)
        if hint and element > 1:  # those of html and body speak of the whole page
            own[element] = bits = _bits(hint)
            inherited[element] = inherited[parent] | bits
        else:
            inherited[element] = inherited[parent]
        depth[element] = depth[parent] + 1
        if hidden[parent]:
            hidden[element] = True
        class_path[element] = class_paths.setdefault((class_path[parent], tag, hint), len(class_paths))

    def array(column: list[int]) -> NDArray[np.int64]:
        return np.array(column, dtype=np.int64)

    return ElementColumns(
        array(ancestors),
        array(own),
        array(inherited),
        array(depth),
        np.array(hidden, dtype=np.bool_),
        array(dom.tag_paths[0]),
        array(class_path),
    )


def kinds() -> tuple[str, ...]:
    """The kinds of words that are looked for in class and id."""
    return _words()[0]


@lru_cache(maxsize=20_000)
def _bits(hint: str) -> int:
    """The kinds of words in a class and id; kept, because pages share them."""
    bits = 0
    for word in _WORD.findall(hint[:_MAX_HINT]):
        bits |= _word_bits(word)
    return bits


@lru_cache(maxsize=20_000)
def _word_bits(word: str) -> int:
    _, words, beginnings = _words()
    bits = words.get(word, 0)
    for beginning, bit in beginnings:
        if word.startswith(beginning):
            bits |= bit
    return bits


@lru_cache(maxsize=1)
def _words() -> tuple[tuple[str, ...], dict[str, int], tuple[tuple[str, int], ...]]:
    """Kinds, the bits of whole words, and of beginnings (written with a star)."""
    source = resources.files("newsextract").joinpath("data/class_words.toml").read_text("utf-8")
    data: dict[str, list[str]] = tomllib.loads(source)
    words: dict[str, int] = {}
    beginnings: list[tuple[str, int]] = []
    for i, listed in enumerate(data.values()):
        for word in listed:
            if word.endswith("*"):
                beginnings.append((word[:-1], 1 << i))
            else:
                words[word] = words.get(word, 0) | 1 << i
    return tuple(data), words, tuple(beginnings)
