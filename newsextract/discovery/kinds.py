"""Which kind a page is: article, documentation, service, forum, collection, listing, product, or none of them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from newsextract.discovery.kind_signs import FIGURES, Signs, signs
from newsextract.errors import DataError
from newsextract.model_files import ModelKind, read, write
from newsextract.page.page import Page

# --- judge ----------------------------------------------------------------------------------------
# The one kind of a page: a multinomial logistic regression over the signs of :mod:`.kind_signs`, and what follows from it.
#
# `is_article` says whether the page is an article at all: below a probability that costs 1.5 % of the articles it is not,
# and its kind is then the most probable other one, or undecided below :data:`SURE`. `leads_on` says whether a page that is
# no article is a list of other pages, which a crawl goes on from. Figures and how they were measured:
# docs/measurements/combined.md.

KindName = Literal["article", "documentation", "service", "forum", "collection", "listing", "product"]
KINDS: tuple[KindName, ...] = get_args(KindName)
SURE = 0.5
"""Least probability of a kind."""
LEAST_TEXT = 40
"""Characters of a page, links included, below which it is empty: a redirect, a frame set, an application's shell."""
LEAST_HEADLINES = 4
"""Headline-like links that make a page without an article a list."""
LEAST_REPEATED = 3
"""Repeated short texts that make a page without prose a list."""
_MOST_REASONS, _LEAST_PULL = 3, 0.1
"""Reasons that are given, and how much each must add to the odds."""
_LEAST_WORDS, _SCALE = 10, 6.0
"""Words count less on pages with many: the scale over the root of their number, of at least ten."""
_WIDEST = 3.0
"""Deviations from the mean, at most, that a figure may have."""
_MEND = "train one with: newsextract train kinds DIR… -o kinds.npz"
_FILE = ModelKind(
    "newsextract kinds model", 1, "model of page kinds", _MEND, {"kinds": list(KINDS), "figures": list(FIGURES)}
)
_PLACE = {name: place for place, name in enumerate(FIGURES)}
_NO_LIST = ("error_title", "login_title", "thread_address", "thread_software")
_LIST = ("teased", "one_teaser", "archive_address", "search_address", "search_title")
_WORDS_OF = {
    "h": "host name with", "u": "URL with", "l": "URL with", "q": "URL parameter", "y": "JSON-LD type", "o": "og:type",
    "g": "made by", "d": "meta element", "c": "class or id with", "s": "short text",
}  # fmt: skip
"""What the letters of words mean, for reasons; a single word of a title or heading tells people nothing."""


@dataclass(frozen=True, slots=True)
class PageKind:
    """What kind of page it is."""

    kind: KindName | Literal["other"] | None
    """``other``: a log-in, an error page, or hardly any text. None: undecided."""
    confidence: float
    """The probability of the kind, or of the most probable one where it is undecided."""
    is_article: bool
    """False: the page is called no article."""
    leads_on: bool
    """Whether it is no article but a list of other pages."""
    probabilities: tuple[float, ...]
    """Of :data:`KINDS`."""
    reasons: tuple[str, ...] = ()
    """The evidence that weighed most, strongest first, for people."""

    @property
    def article(self) -> float:
        """The probability of an article."""
        return self.probabilities[0]

    @property
    def is_dead_end(self) -> bool:
        """Whether the page is neither an article nor a list of other pages."""
        return not (self.is_article or self.leads_on)

    @property
    def told(self) -> str:
        """All of it in words, as rejections have it."""
        name = self.kind or ("list of other pages" if self.leads_on else "undecided")
        return f"{name} ({self.confidence:.2f}): {', '.join(self.reasons)}"

    @property
    def doubt(self) -> str | None:
        """Why the page is no article, in words; None for an article."""
        return None if self.is_article else f"the page is no article: {self.told}"


@dataclass(frozen=True, slots=True, eq=False)
class KindModel:
    """The regression: a weight for each word, figure and kind."""

    words: Mapping[str, int]
    """The row of each word."""
    word_weights: NDArray[np.float32]
    figure_weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]
    least_article: float
    """Below this probability a page is no article."""

    def probabilities(self, found: Signs) -> NDArray[np.float64]:
        """Of :data:`KINDS`."""
        weighed = _weighed(self, found)
        odds = weighed.words.sum(axis=0) * word_scale(len(weighed.known))
        odds = odds + weighed.figures @ self.figure_weights + self.bias
        odds = odds + found.figures @ weighed.by_hand
        risen = np.exp(odds - odds.max(), dtype=np.float64)
        shares: NDArray[np.float64] = risen / risen.sum()
        return shares

    def reasons(self, found: Signs, kind: int, other: int) -> tuple[str, ...]:
        """The evidence that speaks most for one of :data:`KINDS` against another, in words."""
        known, weights, figures, by_hand = _weighed(self, found)
        figures = figures * (self.figure_weights[:, kind] - self.figure_weights[:, other])
        pulls = (figures + found.figures * (by_hand[:, kind] - by_hand[:, other])).tolist()
        words = (weights[:, kind] - weights[:, other]) * word_scale(len(known))
        said = [
            (-words[at], _word_said(known[at])) for at in np.argsort(-words, kind="stable")[: 4 * _MOST_REASONS].tolist()
        ]
        said += [(-pulls[place], text) for place, text in _figures_said(found.figures, self.mean)]
        strongest = sorted((pull, text) for pull, text in said if text and pull < -_LEAST_PULL)
        return tuple(dict.fromkeys(text for _, text in strongest))[:_MOST_REASONS]


class _Weighed(NamedTuple):
    """A page's signs as a model weighs them."""

    known: list[str]
    """The words that have weights, sorted."""
    words: NDArray[np.float32]
    """(known, kinds): their weights."""
    figures: NDArray[np.float64]
    """See :func:`standard`."""
    by_hand: NDArray[np.float64]
    """(figures, kinds): see :func:`_by_hand`."""


@lru_cache(maxsize=1)
def _weighed(model: KindModel, found: Signs) -> _Weighed:
    """Kept for the page that is judged, because its reasons ask again."""
    known = sorted(found.words & model.words.keys())
    weights = model.word_weights[[model.words[word] for word in known]]
    return _Weighed(known, weights, standard(found.figures, model.mean, model.deviation), _by_hand(found))


@cache
def _evidence() -> Mapping[str, Mapping[str, Any]]:
    """For people, and what is set by hand; by figure."""
    return tomllib.loads(files(__package__).joinpath("data/evidence.toml").read_text("utf-8"))


def _by_hand(found: Signs) -> NDArray[np.float64]:
    """What figures add to the odds of each kind beside what is fitted; nothing on a page that is declared as an article: one
    in four articles is not, and hardly a list is."""
    return _hand_set() * (1 - float(found.figures[_PLACE["says_article"]]))


@cache
def _hand_set() -> NDArray[np.float64]:
    table = np.zeros((len(FIGURES), len(KINDS)))
    for name, entry in _evidence().items():
        for kind in entry.keys() & set(KINDS):
            table[_PLACE[name], KINDS.index(kind)] = entry[kind]
    return table


def _figures_said(figures: NDArray[np.float64], mean: NDArray[np.float32]) -> Iterator[tuple[int, str]]:
    """The figures that have words, those with a low value where that says something."""
    values, means = figures.tolist(), mean.tolist()
    for name, entry in _evidence().items():
        place = _PLACE[name]
        yield place, entry.get("low", "") if values[place] <= min(0.5, means[place]) else entry["text"]


def _word_said(word: str) -> str:
    """A word with its place; empty for one that means nothing to people."""
    letter, _, rest = word.partition(":")
    return f"{_WORDS_OF[letter]} “{rest}”" if letter in _WORDS_OF and len(rest) > 1 else ""


def word_scale(count: int) -> float:
    """What each of so many known words counts."""
    return _SCALE / float(np.sqrt(max(_LEAST_WORDS, count)))


def standard(figures: NDArray[Any], mean: NDArray[Any], deviation: NDArray[Any]) -> NDArray[np.float64]:
    """Figures in half deviations from their mean, far ones drawn in."""
    found: NDArray[np.float64] = np.clip((figures - mean) / deviation, -_WIDEST, _WIDEST) / 2
    return found


def judge_kind(page: Page, model: KindModel | None = None) -> PageKind:
    """Judge the kind of a page; never raises. :attr:`newsextract.page.page.Page.kind` keeps what the shipped model says.

    :param model: None for the shipped one.
    """
    own = model or load()
    found = signs(page)
    figures = found.named()
    if page.dom.length < LEAST_TEXT and not figures["says_article"]:
        return PageKind("other", 0.9, False, False, (0.1, *[0.15] * (len(KINDS) - 1)), ("hardly any text",))
    judged_kind = judged(own.probabilities(found), own.least_article, figures)
    best = 0 if judged_kind.is_article else 1 + int(np.argmax(judged_kind.probabilities[1:]))
    other = 1 + int(np.argmax(judged_kind.probabilities[1:])) if judged_kind.is_article else 0
    return replace(judged_kind, reasons=own.reasons(found, best, other))


def judged(probabilities: NDArray[np.float64], least_article: float, figures: Mapping[str, float]) -> PageKind:
    """The kind that probabilities of :data:`KINDS` speak for.

    :param figures: by name, for what they say of a page that is no article.
    """
    is_article = bool(probabilities[0] >= least_article)
    best = 0 if is_article else 1 + int(np.argmax(probabilities[1:]))
    sure, listed = float(probabilities[best]), tuple(probabilities.tolist())
    if not is_article and (figures["error_title"] or figures["login_title"]):
        return PageKind("other", round(1 - listed[0], 4), False, False, listed)
    kind = KINDS[best] if sure >= SURE else None
    leads_on = not is_article and (kind in ("listing", "collection") or _is_list(figures))
    return PageKind(kind, round(sure if kind else max(listed), 4), is_article, leads_on, listed)


def _is_list(figures: Mapping[str, float]) -> bool:
    """Whether a page that is no article leads on, whatever its kind: a board of a forum, the home page of a service."""
    if any(figures[name] for name in _NO_LIST):
        return False
    if any(figures[name] for name in _LIST):
        return True
    # Or a bare list: titles of any length, and beside each at most something of one shape, such as its date.
    bare = figures["no_prose"] > 0 and (figures["repeated"] >= np.log1p(LEAST_REPEATED) or figures["link_share"] > 0.5)
    return bool(figures["headline_count"] >= np.log1p(LEAST_HEADLINES) or bare)


@lru_cache(maxsize=2)
def load(path: Path | None = None) -> KindModel:
    """A model from a file, or the shipped one.

    :raises DataError: the file is missing, damaged, or of another kind, version or set of figures.
    """
    arrays, card = read(_FILE, path, "models/kinds.npz")
    name = str(path or "models/kinds.npz")
    listed = arrays.pop("words", None)
    if listed is None or listed.dtype != np.uint8 or listed.ndim != 1:
        raise DataError(f"{name}: the array words is missing or damaged; {_MEND}")
    words = listed.tobytes().decode("utf-8", "replace").split("\n")
    kinds = len(KINDS)
    shapes = {
        "word_weights": (len(words), kinds), "figure_weights": (len(FIGURES), kinds), "bias": (kinds,),
        "mean": (len(FIGURES),), "deviation": (len(FIGURES),),
    }  # fmt: skip
    for key, shape in shapes.items():
        array = arrays.get(key)
        if array is None or array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            raise DataError(f"{name}: the array {key} is missing or damaged; expected {shape} finite numbers; {_MEND}")
    least = card.get("least_article")
    if not isinstance(least, float) or not 0 < least < 1 or (arrays["deviation"] <= 0).any():
        raise DataError(f"{name}: least_article or a deviation is no positive number; {_MEND}")
    known = {word: row for row, word in enumerate(words)}
    return KindModel(known, **{key: arrays[key] for key in shapes}, least_article=least)


def save(path: Path, model: KindModel, card: Mapping[str, Any]) -> None:
    """Write a model file. The same model and card make the same bytes.

    :raises DataError: it cannot be written.
    """
    arrays: dict[str, NDArray[Any]] = {
        "words": np.frombuffer("\n".join(model.words).encode(), dtype=np.uint8),
        "word_weights": model.word_weights,
        "figure_weights": model.figure_weights,
        "bias": model.bias,
        "mean": model.mean,
        "deviation": model.deviation,
    }
    write(_FILE, path, arrays, {**card, "least_article": model.least_article})
