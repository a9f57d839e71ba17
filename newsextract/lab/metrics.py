"""Measures of extracted articles: body by 4-grams, completeness, segments, title, date.

Body: as in github.com/scrapinghub/article-extraction-benchmark. Texts become multisets of 4-grams of
tokens; precision is averaged over the pages with a prediction, recall over the pages with a truth, F1 is
that of the two averages, and its deviation comes from resampling pages (bootstrap).

Complete, qualified, excellent: after Zou & Zhong 2011: all of the text, and at most 5 % or 2 % of noise;
"all" is read as 99 % of the truth's tokens, because truths differ from pages in hyphens and quotes.

Words: bags of lower-case runs of letters and digits, precision, recall and F1 of each page, each averaged over the pages:
the measure of WCXB (web-content-extraction-benchmark).

Lost: pages of which less than half of the truth's tokens are predicted.

Cost: about 1 ms a page, most of it in counting 4-grams; 1,000 resampled sets of 2,000 pages 0.1 s.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum, isnan, nan, sqrt
from typing import TypeVar

import numpy as np

from newsextract.feed.duplicates import SINGLE
from newsextract.lab.datasets import Prediction, TruthPage

# --- metrics --------------------------------------------------------------------------------------

COMPLETE = 0.99
"""Least share of the truth's tokens in the prediction."""
QUALIFIED_NOISE = 0.05
LOST = 0.5
"""A page with a smaller share of the truth's tokens in the prediction is lost."""
EXCELLENT_NOISE = 0.02
"""Largest share of predicted tokens that are not in the truth."""
SEED = 1
"""Of the bootstrap, so that a repetition gives the same deviation."""

_TOKEN = re.compile(rf"[^\W{SINGLE}]++|[{SINGLE}]")
_WORD = re.compile(r"\w++")
_NOT_COMPARED = re.compile(r"[\W_]++")
_SPACE = re.compile(r"\s++")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

Tokenizer = Callable[[str], list[str]]
_T = TypeVar("_T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Agreement of two multisets, counted in elements."""

    both: int
    predicted_only: int
    truth_only: int

    @property
    def precision(self) -> float:
        """0–1; nan when nothing was predicted."""
        predicted = self.both + self.predicted_only
        return self.both / predicted if predicted else nan

    @property
    def recall(self) -> float:
        """0–1; nan when there is no truth."""
        true = self.both + self.truth_only
        return self.both / true if true else nan

    @property
    def f1(self) -> float:
        """0–1; two empty multisets agree."""
        total = 2 * self.both + self.predicted_only + self.truth_only
        return 2 * self.both / total if total else 1.0


@dataclass(frozen=True, slots=True)
class Segments:
    """How many of the wanted and unwanted segments the text holds."""

    wanted_found: int
    wanted: int
    unwanted_found: int
    unwanted: int

    @property
    def overlap(self) -> Overlap:
        """The wanted and the unwanted segments found."""
        return Overlap(self.wanted_found, self.unwanted_found, self.wanted - self.wanted_found)


@dataclass(frozen=True, slots=True)
class PageScore:
    """Measures of one page; None where the truth lacks the field."""

    body: Overlap | None = None
    """Of 4-grams."""
    cover: float = nan
    """Share of the truth's tokens that are predicted, 0–1."""
    noise: float = nan
    """Share of the predicted tokens that are not in the truth, 0–1."""
    words: tuple[float, float, float] | None = None
    """Precision, recall and F1 of the bags of words."""
    lost_silently: bool = False
    """Whether most of the text is lost and the status is ``ok``."""
    segments: Segments | None = None
    title_right: bool | None = None
    title_f1: float = nan
    date_right: bool | None = None
    date_given: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """Measures of many pages; shares are 0–1, None where no page has the field or nothing can be said."""

    pages: int
    text_pages: int
    precision: float | None
    recall: float | None
    f1: float | None
    f1_sd: float | None
    """Standard deviation of ``f1`` over resampled sets of pages."""
    page_f1: float | None
    """Mean of the pages' own F1."""
    complete: float | None
    qualified: float | None
    excellent: float | None
    lost: float | None
    """Share of the pages with a text of which more than half is lost."""
    lost_silently: float | None
    """Share of those where more than half is lost and the status is ``ok``."""
    word_pages: int
    word_precision: float | None
    word_recall: float | None
    word_f1: float | None
    segment_pages: int
    with_found: float | None
    without_absent: float | None
    segment_accuracy: float | None
    segment_f1: float | None
    title_pages: int
    title_exact: float | None
    title_f1: float | None
    date_pages: int
    date_exact: float | None
    date_right_where_given: float | None


def tokenizer(source: str) -> Tokenizer:
    """Words, each Chinese or Japanese character on its own; words alone for ``aeb`` (published so)."""
    return _WORD.findall if source == "aeb" else _TOKEN.findall


def four_grams(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    """Multiset of runs of four tokens; a shorter text is one run, an empty one none."""
    if 0 < len(tokens) < 4:
        return Counter([tuple(tokens)])
    return Counter(zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False))


def overlap(truth: Counter[_T], prediction: Counter[_T]) -> Overlap:
    """Agreement of two multisets."""
    both = (truth & prediction).total()
    return Overlap(both, prediction.total() - both, truth.total() - both)


def comparable(text: str) -> str:
    """Letters and digits only, in lower case."""
    return _NOT_COMPARED.sub("", text).lower()


def folded(text: str) -> str:
    """White space folded to single blanks."""
    return _SPACE.sub(" ", text).strip()


def day(date: str | None) -> str | None:
    """The ``yyyy-mm-dd`` that a date begins with; None when it is less precise or something else."""
    match = _DAY.match((date or "").lstrip())
    return match.group() if match else None


def compared_text(truth: TruthPage, text: str, title: str) -> str:
    """What is compared with the truth: the predicted text, after the predicted headline where only the truth has one."""
    if truth.title_in_text and title and comparable(title) not in comparable(text[: 3 * len(title) + 400]):
        return f"{title}\n{text}"
    return text


def score_page(truth: TruthPage, prediction: Prediction | None) -> PageScore:
    """Compare one page with its truth; no prediction counts as an empty one."""
    text = prediction.text if prediction else ""
    title = (prediction.title if prediction else None) or ""
    date = day(prediction.date if prediction else None)
    tokens = tokenizer(truth.source)
    body, cover, noise = _body(truth, text, title, tokens) if truth.text else (None, nan, nan)
    status = prediction.status if prediction else None
    return PageScore(
        body=body,
        cover=cover,
        noise=noise,
        words=None if truth.text is None else _words(truth.text, text),
        lost_silently=cover < LOST and status == "ok",
        segments=None if truth.with_ is None else _segments(truth.with_, truth.without or (), text),
        title_right=comparable(title) == comparable(truth.title) if truth.title else None,
        title_f1=_title_f1(truth.title, title, tokens) if truth.title else nan,
        date_right=date == truth.date if truth.date else None,
        date_given=date is not None,
    )


def summarize(scores: Sequence[PageScore], bootstrap: int = 0) -> Summary:
    """Measures of many pages.

    :param bootstrap: number of resampled sets for ``f1_sd``; 0: none.
    """
    bodies = [score for score in scores if score.body is not None]
    overlaps = [score.body for score in bodies if score.body is not None]
    complete = [score for score in bodies if score.cover >= COMPLETE]
    segments = [score.segments for score in scores if score.segments is not None]
    found, wanted = sum(s.wanted_found for s in segments), sum(s.wanted for s in segments)
    noisy, unwanted = sum(s.unwanted_found for s in segments), sum(s.unwanted for s in segments)
    titles = [score for score in scores if score.title_right is not None]
    dates = [score for score in scores if score.date_right is not None]
    given = [score for score in dates if score.date_given]
    precision, recall, f1 = _averages(overlaps) if overlaps else (nan, nan, nan)
    words = [score.words for score in scores if score.words is not None]
    word_precision, word_recall, word_f1 = (_known(_mean(page[i] for page in words)) for i in range(3))
    return Summary(
        pages=len(scores),
        text_pages=len(bodies),
        precision=_known(precision),
        recall=_known(recall),
        f1=_known(f1),
        f1_sd=_known(_deviation(overlaps, bootstrap)) if overlaps and bootstrap else None,
        page_f1=_known(_mean(o.f1 for o in overlaps)),
        complete=_share(len(complete), len(bodies)),
        qualified=_share(sum(score.noise <= QUALIFIED_NOISE for score in complete), len(bodies)),
        excellent=_share(sum(score.noise <= EXCELLENT_NOISE for score in complete), len(bodies)),
        lost=_share(sum(score.cover < LOST for score in bodies), len(bodies)),
        lost_silently=_share(sum(score.lost_silently for score in bodies), len(bodies)),
        word_pages=len(words),
        word_precision=word_precision,
        word_recall=word_recall,
        word_f1=word_f1,
        segment_pages=len(segments),
        with_found=_share(found, wanted),
        without_absent=_share(unwanted - noisy, unwanted),
        segment_accuracy=_share(found + unwanted - noisy, wanted + unwanted),
        segment_f1=_share(2 * found, found + noisy + wanted),
        title_pages=len(titles),
        title_exact=_share(sum(score.title_right is True for score in titles), len(titles)),
        title_f1=_known(_mean(score.title_f1 for score in titles)),
        date_pages=len(dates),
        date_exact=_share(sum(score.date_right is True for score in dates), len(dates)),
        date_right_where_given=_share(sum(score.date_right is True for score in given), len(given)),
    )


def _body(truth: TruthPage, text: str, title: str, tokens: Tokenizer) -> tuple[Overlap, float, float]:
    """4-gram overlap, cover and noise."""
    true, predicted = tokens(truth.text or ""), tokens(compared_text(truth, text, title))
    shared = overlap(Counter(true), Counter(predicted))
    cover = shared.both / len(true) if true else 1.0
    noise = 1 - shared.both / len(predicted) if predicted else 0.0
    return overlap(four_grams(true), four_grams(predicted)), cover, noise


def _words(truth: str, text: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of two texts as bags of words; two empty ones agree, an empty one with another does not."""
    true, predicted = Counter(_WORD.findall(truth.lower())), Counter(_WORD.findall(text.lower()))
    if not true or not predicted:
        agree = float(not true and not predicted)
        return agree, agree, agree
    shared = overlap(true, predicted)
    return shared.precision, shared.recall, shared.f1


def _segments(wanted: Sequence[str], unwanted: Sequence[str], text: str) -> Segments:
    flat = folded(text)
    return Segments(
        wanted_found=sum(folded(segment) in flat for segment in wanted),
        wanted=len(wanted),
        unwanted_found=sum(folded(segment) in flat for segment in unwanted),
        unwanted=len(unwanted),
    )


def _title_f1(truth: str, title: str, tokens: Tokenizer) -> float:
    return overlap(Counter(tokens(truth.lower())), Counter(tokens(title.lower()))).f1


def _averages(overlaps: Sequence[Overlap]) -> tuple[float, float, float]:
    """Mean precision and mean recall, each over the pages where it is defined, and the F1 of the two."""
    precision = _mean(o.precision for o in overlaps)
    recall = _mean(o.recall for o in overlaps)
    if isnan(precision):  # nothing predicted on any page
        precision = 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _deviation(overlaps: Sequence[Overlap], repetitions: int) -> float:
    """Standard deviation of F1 over sets of pages drawn with replacement.

    numpy goes on from the state of Python's generator, so the draws are those of ``random.Random(SEED).choices``.
    """
    precision, recall = np.array([(o.precision, o.recall) for o in overlaps]).T
    some_precision, some_recall = ~np.isnan(precision), ~np.isnan(recall)
    precision, recall = np.where(some_precision, precision, 0.0), np.where(some_recall, recall, 0.0)
    state = random.Random(SEED).getstate()[1]
    draw = np.random.RandomState()
    draw.set_state(("MT19937", np.array(state[:-1], np.uint32), state[-1], 0, 0.0))
    drawn = []
    for _ in range(repetitions):
        chosen = (draw.random_sample(len(overlaps)) * len(overlaps)).astype(np.intp)
        p = precision[chosen].sum() / max(1, some_precision[chosen].sum())
        r = recall[chosen].sum() / max(1, some_recall[chosen].sum())
        drawn.append(float(2 * p * r / (p + r)) if p + r else 0.0)
    mean = fsum(drawn) / len(drawn)
    return sqrt(fsum((f1 - mean) ** 2 for f1 in drawn) / max(1, len(drawn) - 1))


def _mean(values: Iterable[float]) -> float:
    """Mean of those that are not nan; exact summation, so that the order of pages does not matter."""
    known = [value for value in values if value == value]
    return fsum(known) / len(known) if known else nan


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _known(value: float) -> float | None:
    return None if isnan(value) else value
