"""How short texts begin and end: "read more", "photo:", "posted by", "3 comments", in some thirty languages.

What stands between the paragraphs of an article is often like them in all but its words. The phrases are a list by hand
(``data/phrases.toml``), so that they hold for languages that no training page has (gain: docs/measurements/combined.md).

Cost: 0.15 of a plain lxml parse: of most texts the first and the last word are looked up, and that is all.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from newsextract.page.dom import Dom

_LONGEST = 200
"""Characters; longer texts are paragraphs."""
_LEAST_LINK = 20
"""Characters of a text that is nothing but a link; shorter ones are menus, and half of all texts."""
_BEGIN, _END = 40, 24
"""Characters at the beginning and the end that are read."""
_NO_BLANKS = "\u2e80"
"""From here on languages are written without blanks: a phrase need not end with a word."""
_LONGEST_RUN = 6
"""Characters of a phrase in such a language, at most."""
_WORDS = re.compile(r"[^\W_]+")
_TWO_WORDS = re.compile(r"[\W_]*+[^\W_]++ [^\W_]")
_FIRST_WORDS = re.compile(r"[\W_]*+([^\W_]*+)[\W_]*+([^\W_]*+)[\W_]*+([^\W_]*+)")
_SIGNS = " .,:;!?|/()[]<>{}*-–—_·•»«›‹→“”\"'’…+#&"
"""Stripped from the first and last word before it is looked up."""


@dataclass(frozen=True, slots=True)
class _Side:
    """The phrases of one side of a text."""

    bits: dict[str, int]
    """Of each phrase; bit i is that of ``names[i]``."""
    edges: frozenset[str]
    """First words (last words) of the phrases; the empty one, too: a text that begins with a sign is looked at."""


@dataclass(frozen=True, slots=True)
class _Phrases:
    names: tuple[str, ...]
    begins: _Side
    ends: _Side


def phrase_names() -> tuple[str, ...]:
    """The columns of :func:`phrase_features`."""
    return _phrases().names


def phrase_features(texts: Sequence[str], counts: Sequence[float]) -> NDArray[np.float32]:
    """One row a text, the columns of :func:`phrase_names`: 0 or 1.

    :param texts: none is empty.
    :param counts: characters outside links of each text; links of a word or two are not looked at.
    """
    bits = [
        _bits(text) if len(text) <= _LONGEST and (count or len(text) >= _LEAST_LINK) else 0
        for text, count in zip(texts, counts, strict=True)
    ]
    return ((np.array(bits)[:, None] >> np.arange(len(_phrases().names))) & 1).astype(np.float32)


@lru_cache(maxsize=10_000)
def _bits(text: str) -> int:
    """The kinds of phrases that a text begins and ends with; kept, because pages of a site share their short texts."""
    phrases, found = _phrases(), 0
    if text.partition(" ")[0].strip(_SIGNS).lower() in phrases.begins.edges or text[0] >= _NO_BLANKS:
        first = _FIRST_WORDS.match(text[:_BEGIN].lower()).groups()  # type: ignore[union-attr]  # it fits all
        found = _kinds([word for word in first if word], phrases.begins.bits, are_last=False)
    if text.rpartition(" ")[2].strip(_SIGNS).lower() in phrases.ends.edges or text[-1] >= _NO_BLANKS:
        found |= _kinds(_WORDS.findall(text[-_END:].lower())[-3:], phrases.ends.bits, are_last=True)
    return found


@lru_cache(maxsize=1)  # the features of a page read them, and so do several rules of each choice of its blocks
def block_phrases(dom: Dom) -> NDArray[np.float32]:
    """:func:`phrase_features` of all blocks of a page."""
    return phrase_features(dom.texts, dom.counts)


def _kinds(words: Sequence[str], bits: Mapping[str, int], *, are_last: bool) -> int:
    """The kinds of phrases that the first or last words of a text are."""
    found = 0
    for count in range(1, len(words) + 1):
        found |= bits.get(" ".join(words[-count:] if are_last else words[:count]), 0)
    word = words[-1 if are_last else 0] if words else ""
    for length in range(1, _LONGEST_RUN + 1) if word >= _NO_BLANKS else ():
        found |= bits.get(word[-length:] if are_last else word[:length], 0)
    return found


def begins_with_word(text: str) -> bool:
    """Whether a text begins with a phrase of one word, and a word follows that is not of a phrase: "Popular brands are"."""
    bits, words = _phrases().begins.bits, _WORDS.findall(text[:_BEGIN].lower())[:3]
    is_phrase = " ".join(words[:2]) in bits or " ".join(words) in bits
    return _TWO_WORDS.match(text[:_BEGIN]) is not None and words[0] in bits and not is_phrase


@lru_cache(maxsize=1)
def _phrases() -> _Phrases:
    source = resources.files("newsextract").joinpath("data/phrases.toml").read_text("utf-8")
    data: dict[str, dict[str, list[str]]] = tomllib.loads(source)
    names: list[str] = []
    sides: dict[str, _Side] = {}
    for side, kinds in data.items():
        bits: dict[str, int] = {}
        edges = {""}
        for kind, listed in kinds.items():
            for phrase in listed:
                words = " ".join(
                    _WORDS.findall(phrase.lower())[:3] if side == "begins" else _WORDS.findall(phrase.lower())[-3:]
                )
                bits[words] = bits.get(words, 0) | 1 << len(names)
                edges |= {_edge(text, side) for text in (words, phrase.lower(), phrase.lower().replace("'", "’"))}
            names.append(f"{side}_{kind}")
        sides[side] = _Side(bits, frozenset(edges))
    return _Phrases(tuple(names), sides["begins"], sides["ends"])


def _edge(phrase: str, side: str) -> str:
    word = phrase.partition(" ")[0] if side == "begins" else phrase.rpartition(" ")[2]
    return word.strip(_SIGNS)
