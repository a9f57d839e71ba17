"""What each block element passes on to its blocks: ancestors, words of class and id, depth, and its tag path.

All of it is the same for elements of one *class path*, the tags with classes (without digits) and the
kinds of words in class and id from the root down to the element. So one loop numbers the class paths of the elements that
hold text, and what follows from them is worked out once for each.
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
_DIGITS = re.compile("[0-9]+")
_MAX_HINT = 500
"""Characters of class and id that are read."""


@dataclass(frozen=True, slots=True, eq=False)
class ElementColumns:
    """One entry an element of the tree; of elements without text nothing is told."""

    class_paths: NDArray[np.intp]
    """The number of its class path."""
    hidden: NDArray[np.bool_]
    """Whether it or an ancestor is hidden."""
    paths: ClassPaths


class ClassPaths:
    """One entry a class path of a page."""

    def __init__(self) -> None:
        self.parents: list[int] = []
        """The class path without its last step; of the first, itself."""
        self.tags: list[str] = []
        self.ancestors: list[int] = []
        """Bits of :data:`ANCESTORS`, the last step included."""
        self.own: list[int] = []
        """Bits of the kinds of words (:func:`kinds`) in the last step's class and id."""
        self.inherited: list[int] = []
        """The same of all steps."""
        self.depths: list[int] = []
        self.tag_paths: list[int] = []
        """Equal numbers, equal tags."""
        self._tag_paths: dict[tuple[int, str], int] = {}

    def add(self, parent: int, tag: str, bits: int) -> int:
        """Add a class path, and return its number.

        :param parent: the path above, -1 for none.
        :param bits: the kinds of words in class and id.
        """
        number, bit = len(self.tags), _ANCESTOR_BIT.get(tag, 0)
        self.tags.append(tag)
        self.own.append(bits)
        if parent < 0:
            self.parents.append(number)
            self.ancestors.append(bit)
            self.inherited.append(bits)
            self.depths.append(0)
        else:
            self.parents.append(parent)
            self.ancestors.append(self.ancestors[parent] | bit)
            self.inherited.append(self.inherited[parent] | bits)
            self.depths.append(self.depths[parent] + 1)
        step = (self.tag_paths[parent] if parent >= 0 else -1, tag)
        self.tag_paths.append(self._tag_paths.setdefault(step, len(self._tag_paths)))
        return number


def element_columns(dom: Dom) -> ElementColumns:
    """Walk down the elements once."""
    paths = ClassPaths()
    numbers: dict[tuple[int, str, str, int], int] = {}
    class_paths = [0] * len(dom.tags)
    rows = zip(dom.tags, dom.hints, dom.parents, dom.first_blocks, dom.end_blocks, strict=True)
    for element, (tag, hint, parent, first, end) in enumerate(rows):
        if first == end:
            continue
        above = class_paths[parent] if parent >= 0 else -1
        classes, bits = _read(hint[:_MAX_HINT]) if hint and element > 1 else ("", 0)  # html and body speak of the page
        step = (above, tag, classes, bits)
        number = numbers.get(step)
        if number is None:
            number = numbers[step] = paths.add(above, tag, bits)
        class_paths[element] = number
    hidden = np.zeros(len(dom.tags), dtype=np.bool_)
    for element in dom.hidden:
        hidden[element : dom.ends[element]] = True
    return ElementColumns(np.array(class_paths, dtype=np.intp), hidden, paths)


def kinds() -> tuple[str, ...]:
    """The kinds of words that are looked for in class and id."""
    return _words()[0]


@lru_cache(maxsize=20_000)
def _read(hint: str) -> tuple[str, int]:
    """The classes without digits, and the kinds of words in class and id; kept, because pages share them.

    Numbers count like elements (``story-6``, ``id="p-17"``): with them each paragraph would be a group of its own.
    """
    bits = 0
    for word in _WORD.findall(hint):
        bits |= _word_bits(word)
    return _DIGITS.sub("", hint.partition("#")[0]), bits


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
