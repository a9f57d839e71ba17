"""Measures of extracted articles (body by 4-grams, completeness, segments, title, date), records and data items.

docs/evaluation.md explains them all. Body: as in github.com/scrapinghub/article-extraction-benchmark. Complete, qualified,
excellent: after Zou & Zhong 2011: all of the text, and at most 5 % or 2 % of noise; "all" is read as 99 % of the truth's
tokens, because truths differ from pages in hyphens and quotes. Words: the measure of WCXB.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import fsum, isnan, nan, sqrt
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import MissingExtra
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
    authors_right: bool | None = None


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
    author_pages: int
    authors_exact: float | None


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
    names = set(map(comparable, prediction.authors)) if prediction else set()
    return PageScore(
        body=body,
        cover=cover,
        noise=noise,
        words=None if truth.text is None else _words(truth.text, text),
        lost_silently=cover < LOST and status == "ok",
        segments=None if truth.with_ is None else _segments(truth.with_, truth.without or (), text),
        title_right=comparable(title) == comparable(truth.title) if truth.title else None,
        title_f1=overlap(*(Counter(tokens(one.lower())) for one in (truth.title, title))).f1 if truth.title else nan,
        date_right=date == truth.date if truth.date else None,
        date_given=date is not None,
        authors_right=names == set(map(comparable, truth.authors)) if truth.authors else None,
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
    named = [score for score in scores if score.authors_right is not None]
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
        author_pages=len(named),
        authors_exact=_share(sum(score.authors_right is True for score in named), len(named)),
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


def _averages(overlaps: Sequence[Overlap]) -> tuple[float, float, float]:
    """Mean precision and mean recall, each over the pages where it is defined, and the F1 of the two."""
    precision = _mean(o.precision for o in overlaps)
    recall = _mean(o.recall for o in overlaps)
    if isnan(precision):  # nothing predicted on any page
        precision = 0.0
    return precision, recall, f1_of(precision, recall)


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
        drawn.append(float(f1_of(p, r)))
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


# --- record metrics -------------------------------------------------------------------------------
# Measures of extracted records: how many of those predicted are right, how many of the true ones are found.
#
# A predicted record is right when it holds one true record, all of it, and little else (docs/evaluation.md, *Records*); that
# is counted in tokens, because markup may tear words of one line apart. Tokens of a record that stand in few of the page's
# records are its *key*: they tell it from its neighbours. Deviations come from resampling sites, because pages of a site go
# right or wrong together.


def best_pairs(weights: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The pairs (row, column), rows ascending, that together weigh most; as many as the table's shorter side.

    :param weights: shape (rows, columns), finite.
    """
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError as error:
        raise MissingExtra("scikit-learn", "records", "the scoring of records") from error
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


COMPLETE_RECORD = 0.8
"""Least share of a record's key in a prediction."""
SECOND = 0.5
"""Share of a second record's key that makes a prediction a merge of two."""
SHORT = 6
"""Of a second record whose key has fewer tokens all must be there: half of a short title stands in many a record."""
FOREIGN = 60
FOREIGN_FACTOR = 2.0
"""Foreign tokens that are allowed: this many, or this multiple of the record's own."""
_LEAST_KEY = 3
"""A key of fewer tokens is replaced by all of the record's tokens."""

_PAIRED = rf"{SINGLE}\uac00-\ud7af"
"""Characters that make tokens in overlapping pairs: kana, CJK ideographs and, other than in article texts, hangul."""
_WORD_OR_SIGN = re.compile(rf"((?>(?:(?!\W)[{_PAIRED}])+))|[^\W_{_PAIRED}]++")
_GAP = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])\s++(?=[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff])")
_FIRST_PAIRED = re.compile(rf"[{_PAIRED}]")

Verdict = Literal["right", "incomplete", "unclean", "merged"]


def tokens(text: str) -> list[str]:
    """Case-folded words; of Chinese, Japanese and Korean runs the overlapping pairs of characters."""
    found: list[str] = []
    for match in _WORD_OR_SIGN.finditer(_GAP.sub("", unicodedata.normalize("NFKC", text).casefold())):
        run = match[1]
        if run is None:
            found.append(match[0])
        elif len(run) == 1:
            found.append(run)
        else:
            found += map("".join, pairwise(run))
    return found


class TrueRecords:
    """The true records of one page, ready to be compared with."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.bags = [Counter(tokens(text)) for text in texts]
        """Token multiset of each record."""
        self.sizes = [bag.total() for bag in self.bags]
        records_with = Counter(token for bag in self.bags for token in bag)
        common = max(1, len(texts) // 3)
        self.keys: list[frozenset[str]] = []
        for bag in self.bags:
            key = frozenset(token for token in bag if records_with[token] <= common)
            self.keys.append(key if len(key) >= _LEAST_KEY else frozenset(bag))
        self._weights: dict[str, NDArray[np.float64]] = {}

    def weights(self, text: str) -> NDArray[np.float64]:
        """Shape (records,): how well a prediction fits each record, above 0 where it is right. Kept for the next time: the
        candidate sets that training compares share most of their records."""
        if text not in self._weights:
            bag = Counter(tokens(text))
            judged = [self.judge(bag, number) for number in range(len(self.bags))]
            self._weights[text] = np.array(
                [
                    self.share(bag, number) / (1 + foreign) if verdict == "right" else 0.0
                    for number, (verdict, foreign) in enumerate(judged)
                ]
            )
        return self._weights[text]

    def share(self, predicted: Counter[str], number: int) -> float:
        """Share of a record's key that a prediction holds, 0-1."""
        key = self.keys[number]
        return sum(token in predicted for token in key) / max(1, len(key))

    def judge(self, predicted: Counter[str], number: int) -> tuple[Verdict, float]:
        """Whether a prediction is a record, and the number of its foreign tokens (0 for an incomplete one)."""
        if self.share(predicted, number) < COMPLETE_RECORD:
            return "incomplete", 0.0
        rest = predicted - self.bags[number]
        foreign = fsum(count / 2 if _FIRST_PAIRED.match(token) else count for token, count in rest.items())
        if foreign > max(FOREIGN, FOREIGN_FACTOR * self.sizes[number]):
            return "unclean", foreign
        return ("merged" if self.holds_second(rest, number) else "right"), foreign

    def holds_second(self, rest: Counter[str], number: int) -> bool:
        """Whether what a prediction has beside a record holds a second one."""
        own = self.bags[number]
        return any(other != number and self._holds(rest, other, own) for other in range(len(self.keys)))

    def _holds(self, rest: Counter[str], number: int, own: Counter[str]) -> bool:
        """Whether a second record is in the rest of a prediction: its key, and that part of it that the first one lacks."""
        if self.sizes[number] < 2:
            return False
        key = self.keys[number]
        least = SECOND if len(key) >= SHORT else 1
        if sum(token in rest for token in key) < least * len(key):
            return False
        lacked = [token for token in key if token not in own]
        return sum(token in rest for token in lacked) >= least * len(lacked)


def match(true: TrueRecords, predicted: Sequence[str]) -> dict[int, int]:
    """The right predictions with the true record of each, as many as can be paired one to one; of equal ways the one whose
    predictions are the most complete and cleanest."""
    weights = np.array([true.weights(text) for text in predicted]).reshape(len(predicted), len(true.bags))
    right = weights > 0
    if not right.any():
        return {}
    weights[right] += min(weights.shape) + 1  # more than all that is added to it: a pair more outweighs any better pairs
    return {row: number for row, number in best_pairs(weights) if right[row, number]}


@dataclass(frozen=True, slots=True)
class Counts:
    """Right, predicted and true records (or data items) of a page."""

    right: int
    predicted: int
    true: int

    @property
    def precision(self) -> float:
        """0–1; 0 when nothing was predicted."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """0–1; 0 when there is nothing to find."""
        return self.right / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """0–1."""
        return f1_of(self.precision, self.recall)


@dataclass(frozen=True, slots=True)
class RecordSummary:
    """Measures of many pages; shares are 0–1."""

    pages: int
    sites: int
    right: int
    predicted: int
    true: int
    precision: float
    recall: float
    f1: float
    """Pooled: of the sums over all pages, as are ``precision`` and ``recall``."""
    f1_sd: float | None
    """Standard deviation of ``f1`` over resampled sets of sites; None where none were drawn."""
    macro_precision: float
    macro_recall: float
    macro_f1: float
    """Mean of the pages' own F1."""
    macro_f1_sd: float | None
    site_f1: float
    """Mean over sites of the F1 pooled within each."""


def summarize_records(counted: Sequence[tuple[str, Counts]], bootstrap: int = 0) -> RecordSummary:
    """Measures of pages, each given with its site.

    :param counted: at least one page.
    :param bootstrap: number of resampled sets of sites for the deviations; 0: none.
    """
    groups = Sites.of(counted)
    pooled = Counts(*map(int, groups.sums.sum(axis=0)))
    pages = [counts for _, counts in counted]
    deviations = groups.deviations(bootstrap) if bootstrap else (None, None)
    return RecordSummary(
        pages=len(pages),
        sites=len(groups.sums),
        right=pooled.right,
        predicted=pooled.predicted,
        true=pooled.true,
        precision=pooled.precision,
        recall=pooled.recall,
        f1=pooled.f1,
        f1_sd=deviations[0],
        macro_precision=fsum(page.precision for page in pages) / len(pages),
        macro_recall=fsum(page.recall for page in pages) / len(pages),
        macro_f1=fsum(page.f1 for page in pages) / len(pages),
        macro_f1_sd=deviations[1],
        site_f1=fsum(groups.f1) / len(groups.sums),
    )


@dataclass(frozen=True, eq=False)
class Sites:
    """Pages summed up by site, in the order of the sites' names."""

    names: Sequence[str]
    sums: NDArray[np.int64]
    """Shape (sites, 3): right, predicted, true."""
    pages: NDArray[np.int64]
    """Shape (sites,)."""
    page_f1: NDArray[np.float64]
    """Shape (sites,): sum of the pages' F1."""

    @classmethod
    def of(cls, counted: Sequence[tuple[str, Counts]]) -> Sites:
        """Sum up."""
        by_site: dict[str, list[Counts]] = {site: [] for site in sorted({site for site, _ in counted})}
        for site, counts in counted:
            by_site[site].append(counts)
        groups = by_site.values()
        return cls(
            list(by_site),
            np.array([[sum(c.right for c in g), sum(c.predicted for c in g), sum(c.true for c in g)] for g in groups]),
            np.array([len(group) for group in groups]),
            np.array([fsum(counts.f1 for counts in group) for group in groups]),
        )

    @cached_property
    def f1(self) -> list[float]:
        """Pooled F1 of each site."""
        return [Counts(*map(int, row)).f1 for row in self.sums]

    def deviations(self, repetitions: int) -> tuple[float, float]:
        """Standard deviations of pooled and macro F1 over sets of sites drawn with replacement; the same every time."""
        drawn = np.random.default_rng(SEED).integers(len(self.sums), size=(repetitions, len(self.sums)))
        right, predicted, true = self.sums[drawn].sum(axis=1).T
        pooled = 2 * right / np.maximum(predicted + true, 1)
        macro = self.page_f1[drawn].sum(axis=1) / self.pages[drawn].sum(axis=1)
        spread = min(1, repetitions - 1)
        return float(pooled.std(ddof=spread)), float(macro.std(ddof=spread))


def f1_of(precision: float, recall: float) -> float:
    """The harmonic mean; 0 of two zeros."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


# --- item metrics ---------------------------------------------------------------------------------
# Measures of data items: are the fields of a record told apart, and is each in the column where it belongs?
#
# An item is a place in the table that a page's records make: (matched record, true column). Which extracted column is which
# true one is nowhere said, so the columns of a page are paired one to one, in the way that makes most items right: a column
# that means two things in two records loses one of them, and so does a field that is split over two columns.

Cells = Mapping[str, str]
"""Column label → folded text, never empty."""


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """Right, predicted and true items of a page."""

    in_columns: Counts
    """In records that were found and columns that were paired."""
    on_page: Counts
    """Of the whole page."""
    columns: Mapping[str, int]
    """Label → number of the true column it was paired with."""


def cells(items: Sequence[tuple[str, str]]) -> Cells:
    """One record's items by column; items of one label are one cell, empty ones none.

    :param items: label and text of each, in document order.
    """
    joined: dict[str, list[str]] = {}
    for label, text in items:
        if content := folded(text):
            joined.setdefault(label, []).append(content)
    return {label: " ".join(texts) for label, texts in joined.items()}


def score_items(
    true: Sequence[Sequence[str]], predicted: Sequence[Sequence[tuple[str, str]]], pairs: Mapping[int, int]
) -> ItemCounts:
    """Compare the items of one page.

    :param true: of each true record its fields by column, empty where it has none; rows may end early.
    :param predicted: of each predicted record label and text of its items.
    :param pairs: number of a predicted record → number of its true record.
    """
    rows = [[folded(field) for field in record] for record in true]
    records = [cells(record) for record in predicted]
    labels = list(dict.fromkeys(label for number in pairs for label in records[number]))
    equal = np.zeros((len(labels), max(map(len, rows), default=0)))
    for number, of in pairs.items():
        for position, label in enumerate(labels):
            text = records[number].get(label)
            if text is not None:
                equal[position, [column for column, field in enumerate(rows[of]) if field == text]] += 1
    paired = [(labels[row], column) for row, column in best_pairs(equal) if equal[row, column]]
    columns = dict(sorted(paired, key=lambda pair: pair[1]))
    right = int(sum(equal[labels.index(label), column] for label, column in paired))
    return ItemCounts(
        in_columns=Counts(
            right,
            sum(label in columns for number in pairs for label in records[number]),
            sum(bool(field) for number in pairs.values() for field in rows[number]),
        ),
        on_page=Counts(right, sum(map(len, records)), sum(bool(field) for row in rows for field in row)),
        columns=columns,
    )
