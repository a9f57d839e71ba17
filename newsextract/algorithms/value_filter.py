"""The value filter of Wang & Cao 2016, §3.4: which texts of a page are worth having, by a naive Bayes classifier."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms import check_ranges
from newsextract.errors import DataError, MissingExtra
from newsextract.model_files import data_table
from newsextract.page.dom import Dom
from newsextract.page.page import Page
from newsextract.page.pruning import pruned
from newsextract.results import Body

# --- words ----------------------------------------------------------------------------------------
# A text is the *set* of its words, in lower case; how often one occurs does not count, nor where. Numbers are folded to
# one word. Chinese is cut into words by rjieba, which knows jieba's dictionary and answers as jieba does (58,263 runs of
# Chinese characters of 102 pages: not one cut otherwise) in a fourteenth of its time. A text is Chinese or it is not
# (:func:`is_chinese`): the two kinds share no words, so each has a classifier of its own.
#
# Only long Chinese texts are cut. Short ones are menu entries and labels, words already, and leaving them whole costs
# nothing (body F1 of the baseline on the Chinese pages of folds 1-4: .862 and .863); so an English page with a link 中文
# needs no rjieba. Nor does a Japanese one: between kana, runs of Chinese characters are words.
#
# Marks are ours, not the paper's: features for how many words and sentences a text has, named so that no word can be
# equal (``<8>``: at least eight words). Without them a language that was not trained is judged by absence alone.

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
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?:\s|$)|[。！？]")
_HAN_TO_KANA = 5  # a Chinese text may hold a brand's の; a Japanese one has more kana than that
_CHARACTERS_A_WORD = 2  # Chinese, on average
_PURPOSE = "the value filter's reading of a Chinese text"


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """The stop lists of all languages together (``data/stop_words.toml``)."""
    lists = data_table("data/stop_words.toml")
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


# --- model ----------------------------------------------------------------------------------------
# Bernoulli naive Bayes over the words of a text, §3.4, equations (1)-(7).
#
# A text d is worthless when P(c0|d) > P(c1|d). Every feature counts, present or absent: with p_i,c = P(x_i = 1 | c)
#
#     log P(c|d) = log P(c) + Σ_present log p_i,c + Σ_absent log(1 - p_i,c) - log P(d)
#
# so the difference of the two classes is a constant (all features absent) and one weight for each word present; log P(d)
# drops out. Chinese texts and others have a *part* each, with features of its own, because the absence of English words
# says nothing of a Chinese text (body F1 of the baseline on Chinese pages: .69 in one part, .85 in two). A text of a kind
# for which a model has no part is not judged: its log odds are 0, it stays.
#
# The file holds counts of texts, not probabilities: p_i,c = (n_i,c + 1) / (n_c + 2), Laplace's rule. So it is exact, and
# anybody can read in it why a word counts.
#
# Words can be absent only from a text of a language that was trained; in a Polish text the words of an English model are
# not absent but *unobserved*, and naive Bayes sums over what is observed. So the stop words that were frequent in training
# are kept, as features of weight 0, and a text of at least :data:`LEAST_WORDS` words of which fewer than
# :data:`FAMILIAR_SHARE` are known is foreign: only what means the same in any language counts (marks of length, numbers).
# Ours; the paper knows one language. Body F1 of the baseline on 28 pages in languages hardly trained: .48 without, .77 with.

FORMAT = "newsextract value filter"
VERSION = 1
PARTS = ("chinese", "other")
"""The kinds of text."""
LEAST_WORDS = 8
"""Shorter texts are not foreign: they are mostly names and labels, of which few are known in any language."""
FAMILIAR_SHARE = 0.2
"""Least share of a text's words that are features or frequent stop words."""
MAX_BYTES = 20_000_000
"""A larger file is no model: the shipped one has under 300 kB."""
_MEND = "train one with: newsextract train value-filter LABELLED.jsonl -o model.json"


@dataclass(frozen=True, eq=False)
class ScriptPart:
    """What was counted in the training texts of one kind; class 0 is worthless, 1 is valuable."""

    words: tuple[str, ...]
    """The features X_i."""
    counts: NDArray[np.int64]
    """Texts of each class that hold each word, shape (2, words)."""
    texts: NDArray[np.int64]
    """Texts of each class, shape (2,)."""
    prior: NDArray[np.float64]
    """P(c) of each class, shape (2,)."""
    familiar: tuple[str, ...] = ()
    """Stop words that were frequent; they tell that a text is of a language that was trained. Empty: no text is foreign."""

    @cached_property
    def constant(self) -> float:
        """log P(c0|d) - log P(c1|d) of a text without any of the words."""
        return self._odds_without(slice(None))

    @cached_property
    def language_free_constant(self) -> float:
        """The same over the language-free words alone."""
        return self._odds_without([i for i, word in enumerate(self.words) if word in LANGUAGE_FREE])

    @cached_property
    def weights(self) -> dict[str, float]:
        """By how much the presence of each word changes the constant; 0 for the familiar stop words."""
        probabilities = self._probabilities
        logits = np.log(probabilities) - np.log1p(-probabilities)
        return dict.fromkeys(self.familiar, 0.0) | dict(zip(self.words, (logits[0] - logits[1]).tolist(), strict=True))

    @property
    def _probabilities(self) -> NDArray[np.float64]:
        """P(x_i = 1 | c), shape (2, words), each above 0 and below 1."""
        result: NDArray[np.float64] = (self.counts + 1) / (self.texts[:, None] + 2)
        return result

    def _odds_without(self, words: Sequence[int] | slice) -> float:
        """log P(c0|d) - log P(c1|d) of a text without any of some features."""
        absent = np.log1p(-self._probabilities)
        return math.fsum([*(absent[0] - absent[1])[words].tolist(), math.log(self.prior[0] / self.prior[1])])

    def log_odds(self, words: set[str]) -> float:
        """log P(c0|d) - log P(c1|d) of a text with these words; the order of the sum does not matter."""
        weights = self.weights
        known = words & weights.keys()
        if self.familiar and len(words) >= LEAST_WORDS:
            free = words & LANGUAGE_FREE
            if len(known) - len(known & free) < FAMILIAR_SHARE * (len(words) - len(free)):
                return math.fsum(map(weights.__getitem__, known & free)) + self.language_free_constant
        return math.fsum(map(weights.__getitem__, known)) + self.constant


@dataclass(frozen=True, eq=False)
class ValueFilter:
    """A trained filter."""

    card: Mapping[str, Any]
    """What it was trained on and how well it did: plain JSON values, for people."""
    parts: Mapping[str, ScriptPart]
    """By kind of text, see :data:`PARTS`; at least one."""
    marks: bool
    """Whether the marks of length are features."""

    @classmethod
    def load(cls, path: Path | None = None) -> ValueFilter:
        """Read a model.

        :param path: a file; None for the model that is shipped, which is read once.
        :raises DataError: the file is missing or is no model of this version.
        """
        return _shipped() if path is None else _read(path)

    def save(self, path: Path) -> None:
        """Write the model so that :meth:`load` gives it back; equal models make equal bytes.

        :raises DataError: the file cannot be written.
        """
        try:
            path.write_text(self.as_json(), "utf-8", newline="\n")
        except OSError as error:
            raise DataError(f"cannot write the model: {error}; give another path with -o") from error

    def as_json(self) -> str:
        """The file's text: one line a word, ``["word", worthless texts, valuable texts]``."""
        head = {"format": FORMAT, "version": VERSION, "card": self.card, "marks": self.marks}
        parts = ",\n".join(_part_as_json(name, self.parts[name]) for name in PARTS if name in self.parts)
        text = json.dumps(head, allow_nan=False, indent=1)  # in ASCII: a file name may hold what UTF-8 cannot
        return f'{text[:-2]},\n "parts": {{\n{parts}\n }}\n}}\n'

    def worthless(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """How worthless texts are.

        :returns: log P(c0|d) - log P(c1|d) of each: worthless above 0; 0 for a kind of text that was not trained.
        :raises MissingExtra: a long Chinese text, a model that knows Chinese, and rjieba is not installed.
        """
        return np.fromiter(map(self._log_odds, texts), dtype=np.float64, count=len(texts))

    def _log_odds(self, text: str) -> float:
        chinese = is_chinese(text)
        part = self.parts.get("chinese" if chinese else "other")
        return part.log_odds(present(text, chinese=chinese, marks=self.marks)) if part is not None else 0.0


def _part_as_json(name: str, part: ScriptPart) -> str:
    rows = zip(part.words, *part.counts.tolist(), strict=True)
    words = ",\n".join(f"   {json.dumps(row, ensure_ascii=False)}" for row in rows)
    return (
        f'  "{name}": {{\n   "texts": {json.dumps(part.texts.tolist())},\n'
        f'   "prior": {json.dumps(part.prior.tolist())},\n'
        f'   "familiar": {json.dumps(part.familiar, ensure_ascii=False)},\n   "words": [\n{words}\n   ]\n  }}'
    )


@lru_cache(maxsize=1)
def _shipped() -> ValueFilter:
    with resources.as_file(resources.files("newsextract").joinpath("models/value_filter.json")) as path:
        return _read(path)


def _read(path: Path) -> ValueFilter:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise _wrong(path, f"{size:,} bytes are too many")
        data = json.loads(path.read_text("utf-8"), parse_constant=_no_number)
    except OSError as error:
        raise DataError(f"cannot read the value filter {path}: {error.strerror or error}; {_MEND}") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, NaN, nested without end
        raise _wrong(path, f"not JSON ({error})") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _wrong(path, f'"format" is not "{FORMAT}"')
    if data.get("version") != VERSION:
        raise _wrong(path, f'"version" is {data.get("version")!r}, and this newsextract reads {VERSION}')
    card, marks, parts = data.get("card"), data.get("marks"), data.get("parts")
    if not isinstance(card, dict) or not isinstance(marks, bool):
        raise _wrong(path, '"card" must be an object and "marks" true or false')
    if not isinstance(parts, dict) or not parts or not set(parts) <= set(PARTS):
        raise _wrong(path, f'"parts" must be an object with {" or ".join(PARTS)}')
    return ValueFilter(card, {name: _part(path, name, part) for name, part in parts.items()}, marks)


def _part(path: Path, name: str, data: Any) -> ScriptPart:
    keys = ("texts", "prior", "familiar", "words")
    texts, prior, familiar, rows = (data.get(key) if isinstance(data, dict) else None for key in keys)
    if not _are_two_counts(texts) or not min(texts):
        raise _wrong(path, f'"texts" of {name} must be two numbers of texts, each at least 1')
    if not (
        isinstance(prior, list)
        and len(prior) == 2
        and all(isinstance(p, float) and p > 0 for p in prior)
        and math.isclose(sum(prior), 1)
    ):
        raise _wrong(path, f'"prior" of {name} must be two probabilities that add up to 1')
    if not isinstance(familiar, list) or not all(isinstance(word, str) for word in familiar):
        raise _wrong(path, f'"familiar" of {name} must be a list of words')
    if not isinstance(rows, list) or not rows:
        raise _wrong(path, f'"words" of {name} must be a list that is not empty')
    for number, row in enumerate(rows, 1):
        if not (isinstance(row, list) and len(row) == 3 and isinstance(row[0], str) and _are_two_counts(row[1:])):
            raise _wrong(path, f"word {number} of {name} must be [word, texts of class 0, texts of class 1]")
        if row[1] > texts[0] or row[2] > texts[1]:
            raise _wrong(path, f"word {number} of {name} is in more texts than there are")
    words = tuple(row[0] for row in rows)
    if len({*words, *familiar}) < len(words) + len(familiar):
        raise _wrong(path, f"a word of {name} occurs twice")
    counts = np.array([row[1:] for row in rows], dtype=np.int64).T
    return ScriptPart(words, counts, np.array(texts, dtype=np.int64), np.array(prior, dtype=np.float64), tuple(familiar))


def _are_two_counts(value: Any) -> TypeGuard[list[int]]:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 2**53 for n in value)
    )


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _wrong(path: Path, what: str) -> DataError:
    return DataError(f"{path} is no value filter: {what}; {_MEND}")


# --- naive bayes ----------------------------------------------------------------------------------
# Main text by naive Bayes alone: the comparator of Wang & Cao 2016, in the spirit of Wang et al. 2014. Every text block is
# judged by the value filter; hidden elements and forms are left out first (§3.2).


_SHOWN = 200
"""Blocks in the evidence."""


@dataclass(frozen=True, slots=True)
class NaiveBayesParams:
    """Parameters; the defaults are the paper's rule with the shipped model."""

    model: str = field(default="", metadata={"unit": "file", "section": "§3.4", "range": "a model file"})
    """A value filter made by `newsextract train value-filter`; empty: the shipped one."""
    threshold: float = field(default=0.0, metadata={"unit": "nats", "section": "§3.4", "range": "-1000–1000"})
    """Log odds log P(worthless) - log P(valuable) above which a block is left out; 0 is the paper's rule."""

    def __post_init__(self) -> None:
        check_ranges("naive_bayes", self)


DEFAULT = NaiveBayesParams()


class NaiveBayes:
    """The algorithm, ready to be called on pages.

    :raises DataError: the model file is missing or is none.
    """

    def __init__(self, params: NaiveBayesParams) -> None:
        self.params = params
        self.filter = ValueFilter.load(Path(params.model) if params.model else None)

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page.

        :raises MissingExtra: a page with Chinese text, and rjieba is not installed.
        """
        dom = page.dom
        kept = np.flatnonzero(~pruned(dom)).tolist()
        if not kept:
            return Body("", reason="the page has no text", evidence={"blocks": []} if evidence else None)
        log_odds = self.filter.worthless([dom.texts[i] for i in kept])
        valuable = log_odds <= self.params.threshold
        shown = _evidence(dom, kept, log_odds, valuable) if evidence else None
        chosen = [i for i, good in zip(kept, valuable.tolist(), strict=True) if good]
        if not chosen:
            return Body("", reason="the value filter finds every block worthless", evidence=shown)
        return Body(
            dom.text(chosen),
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=dom.confidence(chosen),
            evidence=shown,
            blocks=tuple(chosen),
        )


def _evidence(dom: Dom, kept: list[int], log_odds: NDArray[np.float64], valuable: NDArray[np.bool_]) -> dict[str, Any]:
    return {
        "blocks": [
            {"index": i, "worthless": round(score, 3), "main": main, "text": dom.texts[i][:80]}
            for i, score, main in zip(kept[:_SHOWN], log_odds[:_SHOWN].tolist(), valuable[:_SHOWN].tolist(), strict=True)
        ]
    }
