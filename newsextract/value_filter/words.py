"""The words of a text, as the value filter sees them: Wang & Cao 2016, §3.4.

A text is the *set* of its words, in lower case; how often one occurs does not count, nor where. Numbers are folded to
one word. Chinese is cut into words by rjieba, which knows jieba's dictionary and answers as jieba does (58,263 runs of
Chinese characters of 102 pages: not one cut otherwise) in a fourteenth of its time. A text is Chinese or it is not
(:func:`is_chinese`): the two kinds share no words, so each has a classifier of its own.

Only long Chinese texts are cut. Short ones are menu entries and labels, words already, and leaving them whole costs
nothing (body F1 of the baseline on the Chinese pages of folds 1-4: .862 and .863); so an English page with a link 中文
needs no rjieba. Nor does a Japanese one: between kana, runs of Chinese characters are words.

Marks are ours, not the paper's: features for how many words and sentences a text has, named so that no word can be
equal (``<8>``: at least eight words). Without them a language that was not trained is judged by absence alone.

Cost: two passes of a regular expression, over at most :data:`MAX_CHARACTERS` characters.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib import resources

from newsextract.errors import MissingExtra

MAX_CHARACTERS = 4_000
"""What is behind is not read: the cost of a text is bounded, and no paragraph of the bench's articles is longer."""
SHORT_CHINESE = 20
"""Chinese texts of fewer Chinese characters are not cut."""
NUMBER = "0"
"""The word that stands for every number."""
WORD_MARKS = (4, 8, 16, 32, 64)
"""Numbers of words that have a mark."""
SENTENCE_MARKS = (1, 2, 4)
"""Numbers of sentence ends that have a mark."""

LANGUAGE_FREE = frozenset((NUMBER, *(f"<{limit}>" for limit in WORD_MARKS), *(f"<.{limit}>" for limit in SENTENCE_MARKS)))
"""The words that mean the same in any language."""

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_ASCII_WORD = re.compile(r"[a-z]++")
_WORD = re.compile(rf"[^\W\d_{_HAN}]++")
_HAN_RUN = re.compile(rf"[{_HAN}]++")
_KANA = re.compile(r"[\u3041-\u30fa]")
_DIGIT = re.compile(r"\d")
_SENTENCE_END = re.compile(r"[.!?…]++[\"'”’»)\]]*+(?:\s|$)|[。！？]")
_HAN_TO_KANA = 5  # a Chinese text may hold a brand's の; a Japanese one has more kana than that
_CHARACTERS_A_WORD = 2  # Chinese, on average
_PURPOSE = "the value filter's reading of a Chinese text"


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """The stop lists of all languages together (``data/stop_words.toml``)."""
    lists = tomllib.loads(resources.files(__package__).joinpath("data/stop_words.toml").read_text("utf-8"))
    return frozenset(word for words in lists.values() for word in words.split())


def is_chinese(text: str) -> bool:
    """Whether a text has more Chinese words (of two characters) than others, and is not Japanese. Looks at its beginning."""
    text = text[:MAX_CHARACTERS]
    if text.isascii() or not _HAN_RUN.search(text):
        return False
    others = max(_CHARACTERS_A_WORD * len(_WORD.findall(text)), _HAN_TO_KANA * len(_KANA.findall(text)))
    return sum(map(len, _HAN_RUN.findall(text))) > others


def present(text: str, *, chinese: bool, marks: bool = True) -> set[str]:
    """The words of a text, each once, stop words among them (no model has them as features).

    :param chinese: what :func:`is_chinese` says of it.
    :param marks: whether the marks of length are among them.
    :raises MissingExtra: a long Chinese text, and rjieba is not installed.
    """
    text = text[:MAX_CHARACTERS].lower()
    if text.isascii():
        found = _ASCII_WORD.findall(text)
        count = len(found)
    else:
        found = _WORD.findall(text)
        runs = _HAN_RUN.findall(text)
        characters = sum(map(len, runs))
        count = len(found) + characters // _CHARACTERS_A_WORD
        found += _cut(runs) if chinese and characters >= SHORT_CHINESE else runs
    words = set(found)
    if _DIGIT.search(text):
        words.add(NUMBER)
    if marks:
        words.update(f"<{limit}>" for limit in WORD_MARKS if count >= limit)
        if ends := len(_SENTENCE_END.findall(text)):
            words.update(f"<.{limit}>" for limit in SENTENCE_MARKS if ends >= limit)
    return words


def _cut(runs: list[str]) -> list[str]:
    """Runs of Chinese characters cut into words."""
    try:
        import rjieba
    except ImportError:
        raise MissingExtra("rjieba", "zh", _PURPOSE) from None
    return [word for word in rjieba.cut(" ".join(runs)) if word != " "]
