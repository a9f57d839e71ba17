"""From scores to tables on the console, a summary line per contender, and JSON.

Rows: one per source, kind of page, and language with at least ten pages, ``human truth`` (pages whose truth people
made), and totals of fold 0, folds 1–4 and all; of each data set apart where there are several. Of fold 0 nothing but
totals is ever shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import fsum, isnan
from statistics import median
from typing import Any, Generic, TypeVar

import numpy as np

from newsextract.lab.datasets import TEST_FOLD, FoldName, Prediction, TruthPage, in_fold
from newsextract.lab.metrics import Overlap, PageScore, Summary, folded, score_page, summarize
from newsextract.lab.runner import Contender

# --- calibration ----------------------------------------------------------------------------------
# How far an algorithm's confidence can be relied on: what share of pages it can call right, and how often it then is.
#
# A page is right when its body's F1 is over :data:`GOOD`. Pages are called from the surest downwards, as long as
# :data:`CERTAINTY` of those called are right: a user who must not be wrong takes these and looks at the others.

GOOD = 0.9
CERTAINTY = 0.97
_BORDERS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.1)
_LEAST_PAGES = 30
"""With fewer pages the share means nothing."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The pages whose confidence lies between two borders."""

    least: float
    pages: int
    right: float
    """Share of the pages that are right."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Of one contender on pages with a body in the truth."""

    pages: int
    called: float
    """Share of the pages that can be called at :data:`CERTAINTY`, 0–1."""
    least: float
    """The confidence from which on they are called; 1 where none is."""
    bins: tuple[Bin, ...]


def calibration(result: ContenderResult) -> Calibration | None:
    """None where fewer than 30 pages have a body in the truth and a confidence."""
    known = [
        (prediction.confidence, score.body.f1 > GOOD)
        for page, score in result.pairs
        if score.body is not None and (prediction := result.predictions.get(page.id)) and prediction.confidence is not None
    ]
    if len(known) < _LEAST_PAGES:
        return None
    confidences, right = (np.array(column) for column in zip(*known, strict=True))
    order = np.argsort(-confidences, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    between = np.append(np.diff(confidences[order]) != 0, True)  # of equal confidences all are called, or none
    enough = np.flatnonzero((shares >= CERTAINTY) & between)
    called = int(enough[-1]) + 1 if len(enough) else 0
    bins = []
    for least, most in pairwise(_BORDERS):
        inside = (confidences >= least) & (confidences < most)
        if inside.any():
            bins.append(Bin(least, int(inside.sum()), float(right[inside].mean())))
    return Calibration(
        len(known), called / len(known), float(confidences[order[called - 1]]) if called else 1.0, tuple(bins)
    )


# --- report ---------------------------------------------------------------------------------------

LEAST_TEST_PAGES = 5
"""A source, language or data set with fewer pages of fold 0 (but some) is shown without them: one page could be made out."""
LEAST_PAGES = 10
"""A language with fewer pages gets no row of its own: one page would move its figures by more than 0.1."""
_KIND = "kind "
"""How the labels of the rows of kinds begin."""
_HUMAN = frozenset({"human", "segments", "date"})
TOTALS: dict[FoldName, str] = {"test": f"fold {TEST_FOLD}", "train": "folds 1-4", "all": "all"}

_TABLE = (
    ("pages", "pages"), ("text", "text_pages"), ("P", "precision"), ("R", "recall"), ("F1", "f1"), ("±", "f1_sd"),
    ("pageF1", "page_f1"), ("compl", "complete"), ("qual", "qualified"), ("excel", "excellent"), ("lost", "lost"),
    ("lostok", "lost_silently"), ("wordF1", "word_f1"), ("with", "with_found"), ("w/out", "without_absent"),
    ("segacc", "segment_accuracy"), ("segF1", "segment_f1"), ("title", "title_exact"), ("tiF1", "title_f1"),
    ("day", "date_exact"), ("dayP", "date_right_where_given"), ("names", "authors_exact"),
)  # fmt: skip
LEGEND = (
    "text: pages with a body in the truth; P, R, F1 of their 4-grams, ± deviation; pageF1: mean over pages\n"
    "compl: 99 % of the text found; qual, excel: and at most 5 %, 2 % noise\n"
    "lost: pages that lose more than half of their text, lostok: those of status ok; wordF1: bags of words, mean of pages\n"
    "with, w/out: segments found, kept out; segacc, segF1 of both\n"
    "title: the same headline, tiF1: its words; day: the same day, dayP: where one was given; names: the same authors\n"
    "body ×, all ×: CPU time of the body alone and of everything, over all pages, in plain lxml parses of the same bytes\n"
    f"sources and languages with fewer than {LEAST_TEST_PAGES} pages of fold {TEST_FOLD} are counted without these"
)
_SUMMARY = ("P", "R", "F1", "±", "pageF1", "wordF1", "compl", "qual", "excel", "lost", "lostok", "segF1", "title", "day")


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU time, and as a multiple of plain lxml parses of the same pages in the same run."""

    pages: int
    milliseconds: float
    """A page, mean, everything included."""
    median_milliseconds: float
    lxml_milliseconds: float
    """A page, mean."""
    times_lxml: float

    @classmethod
    def of(cls, timed: Iterable[tuple[float | None, float | None]]) -> Cost | None:
        """What extractions cost; None for predictions that were not timed.

        :param timed: seconds of each, and of the lxml parse beside it.
        """
        known = [(seconds, parse) for seconds, parse in timed if seconds is not None and parse]
        if not known:
            return None
        all_seconds, lxml = (fsum(column) for column in zip(*known, strict=True))
        middle = median(seconds for seconds, _ in known)
        return cls(len(known), 1000 * all_seconds / len(known), 1000 * middle, 1000 * lxml / len(known), all_seconds / lxml)


Scored = TypeVar("Scored")


@dataclass(frozen=True, slots=True)
class Result(Generic[Scored]):
    """One contender (or file of predictions) on one selection of pages."""

    name: str
    pages: Sequence[TruthPage]
    predictions: Mapping[str, Prediction]
    scores: Sequence[Scored]
    """One a page."""
    contender: Contender | None = None
    """None for a file of predictions."""

    @property
    def pairs(self) -> list[tuple[TruthPage, Scored]]:
        """The pages with their scores."""
        return list(zip(self.pages, self.scores, strict=True))

    @property
    def found(self) -> list[Prediction]:
        """The predictions of these pages."""
        return [self.predictions[page.id] for page in self.pages if page.id in self.predictions]

    @property
    def missing(self) -> int:
        """Pages without a prediction; they count as empty."""
        return len(self.pages) - len(self.found)

    @property
    def statuses(self) -> dict[str, int]:
        """Number of pages by status, the commonest first; empty for predictions without one."""
        return dict(Counter(p.status for p in self.found if p.status is not None).most_common())

    def reasons(self, is_told: Callable[[str], bool]) -> dict[str, int]:
        """Reasons of the pages of folds 1-4 with some statuses, the commonest first; a reason may tell of its page."""
        shown = {page.id for page in self.pages if page.fold != TEST_FOLD}
        told = (p.reason or "no reason" for p in self.found if p.id in shown and p.status is not None and is_told(p.status))
        return dict(Counter(told).most_common())

    def lines(self, table: Iterable[str], *more: str) -> str:
        """A table with how its pages ended, and what else there is to tell."""
        told = [self.name, *table]
        if self.missing:
            told.append(f"{self.missing} of {len(self.pages)} pages have no prediction: counted as empty")
        if ended := self.statuses:
            told.append("status: " + ", ".join(f"{status} {count}" for status, count in ended.items()))
        told += filter(None, more)
        if self.contender is not None and self.contender.note:
            told.append(f"note: {self.contender.note}")
        return "\n".join(told)

    @classmethod
    def measured(
        cls,
        contender: Contender,
        pages: Sequence[TruthPage],
        found: Iterable[Prediction],
        judge: Callable[[TruthPage, Prediction | None], Scored],
    ) -> Result[Scored]:
        """Score what a contender returns for each page, page after page while its workers go on."""
        predictions, scores = {}, []
        for page, prediction in zip(pages, found, strict=True):
            predictions[page.id] = prediction
            scores.append(judge(page, prediction))
        return cls(contender.name, pages, predictions, scores, contender)


ContenderResult = Result[PageScore]
Pairs = list[tuple[TruthPage, PageScore]]


def score(name: str, pages: Sequence[TruthPage], predictions: Mapping[str, Prediction]) -> ContenderResult:
    """Compare the predictions with the truth; predictions of other pages do not matter."""
    return Result(name, pages, predictions, [score_page(page, predictions.get(page.id)) for page in pages])


def rows(result: ContenderResult, selection: FoldName, bootstrap: int = 0) -> dict[str, Summary]:
    """The rows of the table, by label.

    :param selection: the fold that the pages were taken from.
    :param bootstrap: resampled sets for the deviation of F1; 0: none.
    """
    pairs = result.pairs
    groups: dict[str, Pairs] = {}
    if selection != "test":
        for source in sorted({page.source for page in result.pages}):
            groups[source] = [pair for pair in pairs if pair[0].source == source]
    # In sets of all kinds of pages the output of other tools counts for its source alone.
    pairs = [pair for pair in pairs if not (pair[0].kind and pair[0].truth == "tool")]
    if selection != "test":
        for kind in sorted({page.kind for page, _ in pairs} - {""}):
            groups[f"{_KIND}{kind}"] = [pair for pair in pairs if pair[0].kind == kind]
        languages = Counter(page.lang for page, _ in pairs if page.lang != "?")
        for lang, count in languages.most_common():
            if count >= LEAST_PAGES:
                groups[f"lang {lang}"] = [pair for pair in pairs if pair[0].lang == lang]
        groups["human truth"] = [pair for pair in pairs if pair[0].truth in _HUMAN]
    groups = {label: shown for label, group in groups.items() if (shown := without_few(group))}
    groups |= _totals(pairs, selection)
    return {label: summarize([score for _, score in group], bootstrap) for label, group in groups.items()}


def without_few(pairs: list[tuple[TruthPage, Scored]]) -> list[tuple[TruthPage, Scored]]:
    """All pages, or those of folds 1-4 where the others are so few that single ones could be made out."""
    is_few = 0 < sum(page.fold == TEST_FOLD for page, _ in pairs) < LEAST_TEST_PAGES
    return of_fold(pairs, "train") if is_few else pairs


def of_fold(pairs: Iterable[tuple[TruthPage, Scored]], name: FoldName) -> list[tuple[TruthPage, Scored]]:
    """The pages of a fold with what belongs to them."""
    return [pair for pair in pairs if in_fold(pair[0], name)]


def totals(selection: FoldName) -> tuple[FoldName, ...]:
    """The folds that have a total of their own."""
    return ("test", "train", "all") if selection == "all" else (selection,)


def _totals(pairs: Pairs, selection: FoldName) -> dict[str, Pairs]:
    """Of each data set where there are several, and of everything."""
    groups: dict[str, Pairs] = {}
    names = list(dict.fromkeys(page.data for page, _ in pairs))
    for data in names if len(names) > 1 else ():
        own = [pair for pair in pairs if pair[0].data == data]
        shown = without_few(own)
        for name in totals(selection):
            if name == "all" or (group := of_fold(shown, name)):
                groups[f"{data}, {TOTALS[name]}"] = own if name == "all" else group
    return groups | {TOTALS[name]: of_fold(pairs, name) for name in totals(selection)}


def total_labels(table: Mapping[str, Summary]) -> list[str]:
    """The labels of the totals among the rows, in their order; the last one is that of all selected pages."""
    names = tuple(TOTALS.values())
    return [label for label in table if label in names or label.endswith(tuple(f", {name}" for name in names))]


def cost(result: ContenderResult) -> Cost | None:
    """Of everything that a contender looks for."""
    return Cost.of((p.extract_seconds, p.lxml_seconds) for p in result.found)


def body_cost(result: ContenderResult) -> Cost | None:
    """Of the algorithm's body alone, decoding included; over the pages where it was timed."""
    return Cost.of((p.body_seconds, p.lxml_seconds) for p in result.found)


def format_result(result: ContenderResult, table: Mapping[str, Summary]) -> str:
    """The table of one algorithm with what it cost and how its pages ended."""
    sure = calibration(result)
    return result.lines(_aligned(table), _cost_line(result), sure_line(sure) if sure else "")


def sure_line(sure: Calibration) -> str:
    """What the confidence is worth, in words."""
    called = f"{sure.called:.0%} of {sure.pages} pages can be called"
    if not sure.called:
        called = "no page can be called"
    elif sure.called < 1:
        called += f", those from {sure.least:.3f}"
    bins = ", ".join(f"{b.least:.2f}- {b.right:.2f} of {b.pages}" for b in sure.bins)
    return f"confidence: at {CERTAINTY:.0%} certainty of an F1 over {GOOD} {called}; over it by confidence: {bins}"


def format_summary(results: Sequence[tuple[ContenderResult, Mapping[str, Summary]]]) -> str:
    """For each total a table with a line per contender, the total of all selected pages last."""
    return "\n\n".join(_summary(results, label) for label in total_labels(results[0][1]))


def _summary(results: Sequence[tuple[ContenderResult, Mapping[str, Summary]]], label: str) -> str:
    fields = dict(_TABLE)
    pages = results[0][1][label]
    shown = [name for name in _SUMMARY if any(getattr(table[label], fields[name]) is not None for _, table in results)]
    lines = []
    for result, table in results:
        times = [f"{spent.times_lxml:.2f}" if spent else "" for spent in (body_cost(result), cost(result))]
        figures = [cell(getattr(table[label], fields[name])) for name in shown]
        lines.append((result.name, [*figures, *times, str(result.statuses.get("failed", 0))]))
    about = f"{label}: {pages.pages} pages, {pages.text_pages} of them with a body"
    return "\n".join([about, *table_lines([*shown, "body ×", "all ×", "failed"], lines, 8)])


def format_kinds(results: Sequence[tuple[ContenderResult, Mapping[str, Summary]]]) -> str:
    """Word F1 by kind of page, a line per contender, and below which pages are called no article, by those that judge it;
    empty where the truth names no kinds."""
    labels = [label for label in results[0][1] if label.startswith(_KIND)]
    if not labels:
        return ""
    heads = [label.removeprefix(_KIND) for label in labels]
    lines = []
    for result, table in results:
        found = [table[label].word_f1 for label in labels]
        known = [value for value in found if value is not None]
        lines.append((result.name, list(map(cell, (*found, fsum(known) / len(known) if known else None)))))
    called = [(result.name, shares) for result, _ in results if (shares := _called(result, heads))]
    width = max(len(name) for name, _ in lines) + 2
    printed = ["word F1 by kind of page", *table_lines([*heads, "mean of kinds"], lines, 15, width)]
    if called:
        printed += ["called no article, and of the right kind", *table_lines([], called, 15, width)[1:]]
    return "\n".join(printed)


def _called(result: ContenderResult, kinds: Sequence[str]) -> list[str]:
    """The shares of each kind's pages that are called no article, and called the kind; empty where nothing is judged."""
    pairs = [(page, p) for page in result.pages if (p := result.predictions.get(page.id)) and p.is_article is not None]
    pairs = [(page, p) for page, p in pairs if page.truth != "tool"]
    cells = []
    for kind in kinds if pairs else ():
        own = without_few([(page, p) for page, p in pairs if page.kind == kind])
        told = fsum(p.is_article is False for _, p in own) / max(1, len(own))
        right = fsum(p.kind == kind for _, p in own) / max(1, len(own))
        cells.append(f"{told:.3f} {right:.3f}")
    return cells


def failures(result: ContenderResult) -> dict[str, int]:
    """Reasons of failed pages of folds 1-4 with their number, the commonest first."""
    return result.reasons("failed".__eq__)


def as_json(result: ContenderResult, table: Mapping[str, Summary]) -> dict[str, Any]:
    """Plain JSON values; a measure that no page has is null."""
    spent, body = cost(result), body_cost(result)
    return {
        **origin_of(result.contender),
        "rows": {label: asdict(summary) for label, summary in table.items()},
        "missing": result.missing,
        "statuses": result.statuses,
        "failures": failures(result),
        "cost": asdict(spent) | {"body_times_lxml": body.times_lxml if body else None} if spent else None,
    }


def origin_of(contender: Contender | None) -> dict[str, str | None]:
    """What was measured, for JSON; None: a file of predictions."""
    if contender is None:
        return {"origin": "predictions", "about": None, "version": None, "note": None}
    return {name: getattr(contender, name) for name in ("origin", "about", "version", "note")}


def _aligned(table: Mapping[str, Summary]) -> list[str]:
    """The rows as lines; columns without any value are left out."""
    columns = [column for column in _TABLE if any(getattr(row, column[1]) is not None for row in table.values())]
    rows = [(label, [cell(getattr(row, key)) for _, key in columns]) for label, row in table.items()]
    return table_lines([head for head, _ in columns], rows, 7, max(map(len, table)) + 1)


def table_lines(
    heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], cell_width: int, width: int = 0
) -> list[str]:
    """A line of column heads, and one a row.

    :param rows: label and cells of each.
    :param width: of the labels; 0: that of the longest.
    """
    width = width or max(len(label) for label, _ in rows)
    return [
        (f"{label:<{width}}" + "".join(f"{text:>{cell_width}}" for text in cells)).rstrip()
        for label, cells in (("", heads), *rows)
    ]


def cell(value: float | None) -> str:
    """A figure in a table; empty for None."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _cost_line(result: ContenderResult) -> str:
    if (spent := cost(result)) is None:
        return ""
    body = f"body alone {alone.times_lxml:.2f} × lxml, " if (alone := body_cost(result)) else ""
    return (
        f"cost: {body}everything {spent.times_lxml:.2f} × lxml "
        f"({spent.milliseconds:.2f} ms a page, a plain lxml parse {spent.lxml_milliseconds:.2f} ms; CPU time)"
    )


# --- worst ----------------------------------------------------------------------------------------
# The pages on which an algorithm does worst, for looking at. Only pages of folds 1–4 are ever shown.

_EXCERPT = 90
"""Characters of truth and prediction that are shown."""


@dataclass(frozen=True, slots=True)
class WorstPage:
    """One page that came out badly."""

    id: str
    source: str
    lang: str
    measure: str
    """What the shares are of: ``4-grams`` of the body, or ``segments``."""
    f1: float
    precision: float | None
    recall: float | None
    status: str
    reason: str | None
    title: str
    """``right``, ``wrong``, or ``-`` where the truth has none."""
    date: str
    truth: str
    """First words of the true text; of a page with segments, of the first segment that went wrong."""
    prediction: str
    """First words of the predicted text."""


Looked = tuple[TruthPage, PageScore, Prediction | None]


def worst_pages(result: ContenderResult, count: int) -> list[Looked]:
    """The pages of folds 1–4 with the lowest F1 of body or segments, worst first; equal ones by id."""
    found = [
        (page, score, result.predictions.get(page.id))
        for page, score in of_fold(result.pairs, "train")
        if score.body is not None or score.segments is not None
    ]
    return sorted(found, key=lambda looked: (_agreement(looked[1]).f1, looked[0].id))[:count]


def worst(result: ContenderResult, count: int) -> list[WorstPage]:
    """The same pages, described."""
    return [describe(*looked) for looked in worst_pages(result, count)]


def format_worst(pages: list[WorstPage]) -> str:
    """A numbered list, three lines a page."""
    lines: list[str] = []
    for number, page in enumerate(pages, 1):
        shares = f"F1 {page.f1:.3f}  P {share(page.precision)}  R {share(page.recall)} of {page.measure}"
        reason = f" ({printable(page.reason)})" if page.reason else ""
        lines += [
            f"{number:>4}  {page.id}  {page.source}  {page.lang}  {shares}  status {page.status}{reason}"
            f"  title {page.title}  date {page.date}",
            f"      truth: {printable(page.truth)}",
            f"      found: {printable(page.prediction)}",
        ]
    return "\n".join(lines)


def describe(page: TruthPage, score: PageScore, prediction: Prediction | None) -> WorstPage:
    """What is told of a page that has a true body or segments."""
    text = prediction.text if prediction else ""
    agreement = _agreement(score)
    true = _segment_gone_wrong(page, text) if score.body is None else page.text or ""
    return WorstPage(
        id=page.id,
        source=page.source,
        lang=page.lang,
        measure="segments" if score.body is None else "4-grams",
        f1=agreement.f1,
        precision=None if isnan(agreement.precision) else agreement.precision,
        recall=None if isnan(agreement.recall) else agreement.recall,
        status=(prediction.status if prediction else "missing") or "-",
        reason=prediction.reason if prediction else None,
        title=_verdict(score.title_right),
        date=_verdict(score.date_right),
        truth=folded(true)[:_EXCERPT],
        prediction=folded(text)[:_EXCERPT],
    )


def _agreement(score: PageScore) -> Overlap:
    if score.body is not None:
        return score.body
    assert score.segments is not None  # worst_pages() gives only pages that have one of the two
    return score.segments.overlap


def _segment_gone_wrong(page: TruthPage, text: str) -> str:
    flat = folded(text)
    missed = (f"missed: {segment}" for segment in page.with_ or () if folded(segment) not in flat)
    taken = (f"taken in: {segment}" for segment in page.without or () if folded(segment) in flat)
    return next(missed, None) or next(taken, "")


def _verdict(right: bool | None) -> str:
    return "-" if right is None else "right" if right else "wrong"


def share(value: float | None, nothing: str = "-") -> str:
    """A share with three decimals."""
    return nothing if value is None else f"{value:.3f}"


def printable(text: str) -> str:
    """Without control characters, which would act on the terminal, and without lone surrogates."""
    return "".join(character if character.isprintable() else " " for character in text)
