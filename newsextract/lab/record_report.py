"""From the records of many pages to tables on the console and JSON.

Rows: totals of fold 0, folds 1–4 and all; each source, whole and of the two parts; each kind of page. Of fold 0 nothing but
totals is ever shown, and none of fewer than five pages (:data:`newsextract.lab.report.LEAST_TEST_PAGES`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from statistics import median
from typing import Any, Literal

from newsextract.lab.contenders import Contender
from newsextract.lab.datasets import ALIGNED, TEST_FOLD, FoldName, PredictedRecord, RecordPrediction, RecordTruth, in_fold
from newsextract.lab.metrics import (
    COMPLETE_RECORD,
    Counts,
    ItemCounts,
    RecordSummary,
    Sites,
    TrueRecords,
    folded,
    match,
    score_items,
    summarize_records,
    tokens,
)
from newsextract.lab.report import LEAST_TEST_PAGES, TOTALS, cell, is_few, origin_of, printable

_RECORDS = (
    ("pages", "pages"), ("sites", "sites"), ("right", "right"), ("pred", "predicted"), ("true", "true"),
    ("P", "precision"), ("R", "recall"), ("F1", "f1"), ("±", "f1_sd"),
    ("mP", "macro_precision"), ("mR", "macro_recall"), ("mF1", "macro_f1"), ("±", "macro_f1_sd"), ("sF1", "site_f1"),
)  # fmt: skip
_ITEMS = (("iP", "precision"), ("iR", "recall"), ("iF1", "f1"), ("±", "f1_sd"), ("imF1", "macro_f1"))
LEGEND = (
    "right, pred, true: records; P, R, F1 of their sums, mP, mR, mF1 means over pages, sF1 over sites; ± deviation by site\n"
    "iP, iR, iF1, imF1: the same of data items, in the records found and the columns paired; jF1: of all items of the page\n"
    "ms: CPU time of the median page; × lxml: of all pages, in plain lxml parses of the same bytes\n"
    f"rows with fewer than {LEAST_TEST_PAGES} pages of fold {TEST_FOLD} are counted without these"
)


@dataclass(frozen=True, slots=True)
class Scored:
    """One page, compared with its truth."""

    page: RecordTruth
    records: Counts
    pairs: Mapping[int, int]
    """Number of each right prediction → number of its true record."""
    items: ItemCounts | None
    """None where the truth's fields are no columns."""


@dataclass(frozen=True, slots=True)
class RecordResult:
    """One contender (or file of predictions) on one selection of pages."""

    name: str
    predictions: Mapping[str, RecordPrediction]
    scored: Sequence[Scored]
    contender: Contender | None = None
    """None for a file of predictions."""

    @property
    def missing(self) -> int:
        """Pages without a prediction; they count as empty."""
        return sum(scored.page.id not in self.predictions for scored in self.scored)

    @property
    def has_items(self) -> bool:
        """Whether any prediction has data items; without any they are not measured."""
        return any(record.items for prediction in self.found for record in prediction.records)

    @property
    def found(self) -> list[RecordPrediction]:
        """The predictions of the scored pages."""
        return [self.predictions[scored.page.id] for scored in self.scored if scored.page.id in self.predictions]


@dataclass(frozen=True, slots=True)
class Row:
    """Measures of one group of pages."""

    records: RecordSummary
    items: RecordSummary | None
    """Data items, in the records found and the columns paired; over the pages where records with items were found."""
    items_on_page: RecordSummary | None
    """Data items of the whole page."""


@dataclass(frozen=True, slots=True)
class RecordCost:
    """CPU time, and as a multiple of plain lxml parses of the same pages in the same run."""

    pages: int
    rendered: int
    """Pages of which there was a snapshot."""
    milliseconds: float
    """A page, mean."""
    median_milliseconds: float
    lxml_milliseconds: float
    """A page, mean."""
    times_lxml: float


def score_page(page: RecordTruth, prediction: RecordPrediction | None) -> Scored:
    """Compare one page with its truth; no prediction counts as an empty one.

    :raises MissingExtra: scipy is not installed.
    """
    records = prediction.records if prediction else ()
    pairs = match(TrueRecords([record.text for record in page.records]), [record.text for record in records])
    items = None
    if page.source in ALIGNED:
        items = score_items([record.fields for record in page.records], [record.items for record in records], pairs)
    return Scored(page, Counts(len(pairs), len(records), len(page.records)), pairs, items)


def score(name: str, pages: Sequence[RecordTruth], predictions: Mapping[str, RecordPrediction]) -> RecordResult:
    """Compare predictions with the truth; those of other pages do not matter."""
    return RecordResult(name, predictions, [score_page(page, predictions.get(page.id)) for page in pages])


def measure(contender: Contender, found: Iterable[RecordPrediction], pages: Sequence[RecordTruth]) -> RecordResult:
    """Score what a contender returns, page after page while it goes on.

    :param found: a prediction a page, in the order of the pages.
    """
    predictions: dict[str, RecordPrediction] = {}
    scored: list[Scored] = []
    for page, prediction in zip(pages, found, strict=True):
        predictions[page.id] = prediction
        scored.append(score_page(page, prediction))
    return RecordResult(contender.name, predictions, scored, contender)


def rows(result: RecordResult, selection: FoldName, bootstrap: int = 0) -> dict[str, Row]:
    """The rows of the table, by label; the totals first.

    :param selection: the fold that the pages were taken from.
    :param bootstrap: resampled sets of sites for the deviations; 0: none.
    """
    groups: dict[str, list[Scored]] = {}
    parts: tuple[FoldName, ...] = ("test", "train", "all") if selection == "all" else (selection,)
    for part in parts:
        groups[TOTALS[part]] = _of(result.scored, part)
    for source in sorted({scored.page.source for scored in result.scored}):
        shown = _without_few_of_the_test_fold([scored for scored in result.scored if scored.page.source == source])
        groups[source] = shown
        if len(parts) > 1:
            groups |= {f"{source}, {TOTALS[part]}": _of(shown, part) for part in parts[:2]}
    for kind in sorted({scored.page.kind for scored in result.scored}):
        same = [scored for scored in result.scored if scored.page.kind == kind]
        groups[f"kind {kind}"] = _without_few_of_the_test_fold(same)
    return {label: _row(group, result.has_items, bootstrap) for label, group in groups.items() if group}


def _of(scored: Iterable[Scored], part: FoldName) -> list[Scored]:
    return [one for one in scored if in_fold(one.page, part)]


def _without_few_of_the_test_fold(group: list[Scored]) -> list[Scored]:
    """All pages, or those of folds 1-4 where the others are so few that single ones could be made out."""
    return _of(group, "train") if is_few(scored.page for scored in group) else group


def _row(group: Sequence[Scored], has_items: bool, bootstrap: int) -> Row:
    items = [(scored.page.site, scored.items) for scored in group if scored.items is not None and has_items]
    found = [(site, counts.in_columns) for site, counts in items if counts.in_columns.true]
    return Row(
        summarize_records([(scored.page.site, scored.records) for scored in group], bootstrap),
        summarize_records(found, bootstrap) if found else None,
        summarize_records([(site, counts.on_page) for site, counts in items], bootstrap) if items else None,
    )


def cost(result: RecordResult) -> RecordCost | None:
    """What the extraction cost; None for predictions that were not timed."""
    timed = [(p.seconds, p.lxml_seconds) for p in result.found if p.seconds is not None and p.lxml_seconds is not None]
    lxml = fsum(parse for _, parse in timed)
    if not lxml:
        return None
    whole = fsum(seconds for seconds, _ in timed)
    return RecordCost(
        pages=len(timed),
        rendered=sum(p.rendered is True for p in result.found),
        milliseconds=1000 * whole / len(timed),
        median_milliseconds=1000 * median(seconds for seconds, _ in timed),
        lxml_milliseconds=1000 * lxml / len(timed),
        times_lxml=whole / lxml,
    )


def statuses(result: RecordResult) -> dict[str, int]:
    """Number of pages by status, the commonest first; empty for predictions without one."""
    return dict(Counter(p.status for p in result.found if p.status is not None).most_common())


def reasons(result: RecordResult) -> dict[str, int]:
    """Reasons of pages of folds 1–4 that are not ok, the commonest first; a reason may tell of its page."""
    shown = {scored.page.id for scored in result.scored if scored.page.fold != TEST_FOLD}
    told = (p.reason or "no reason" for p in result.found if p.id in shown and p.status not in (None, "ok"))
    return dict(Counter(told).most_common())


def format_result(result: RecordResult, table: Mapping[str, Row], faults: Mapping[str, int]) -> str:
    """The table of one contender with what it cost, how its pages ended and what went wrong."""
    lines = [result.name, *_aligned(table)]
    if result.missing:
        lines.append(f"{result.missing} of {len(result.scored)} pages have no prediction: counted as empty")
    if ended := statuses(result):
        lines.append("status: " + ", ".join(f"{status} {count}" for status, count in ended.items()))
    if faults:
        lines.append("faults, folds 1-4: " + ", ".join(f"{fault} {count}" for fault, count in faults.items()))
    if (spent := cost(result)) is not None:
        lines.append(
            f"cost: {spent.times_lxml:.2f} × lxml ({spent.milliseconds:.1f} ms a page, "
            f"median {spent.median_milliseconds:.1f}, a plain lxml parse {spent.lxml_milliseconds:.1f}; CPU time); "
            f"{spent.rendered} of {spent.pages} pages rendered"
        )
    if result.contender is not None and result.contender.note:
        lines.append(f"note: {result.contender.note}")
    return "\n".join(lines)


def format_summary(results: Sequence[tuple[RecordResult, Mapping[str, Row]]]) -> str:
    """For each row a table with a line per contender."""
    width = max(len(result.name) for result, _ in results)
    tables = []
    for label in results[0][1]:
        heads = [head for head, _ in (*_RECORDS[5:], *_ITEMS)] + ["jF1", "ms", "× lxml"]
        lines = [label, " " * width + "".join(f"{head:>7}" for head in heads)]
        for result, table in results:
            spent = cost(result)
            cells = _cells(table[label])[5:] + (
                [f"{spent.median_milliseconds:.1f}", f"{spent.times_lxml:.1f}"] if spent else []
            )
            lines.append((f"{result.name:<{width}}" + "".join(f"{cell:>7}" for cell in cells)).rstrip())
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


def as_json(result: RecordResult, table: Mapping[str, Row], faults: Mapping[str, int]) -> dict[str, Any]:
    """Plain JSON values. ``sites`` are pooled F1 of the sites of folds 1–4 alone."""
    spent = cost(result)
    shown = [(scored.page.site, scored.records) for scored in result.scored if scored.page.fold != TEST_FOLD]
    sites = Sites.of(shown) if shown else None
    return {
        **origin_of(result.contender),
        "rows": {label: asdict(row) for label, row in table.items()},
        "sites": dict(zip(sites.names, sites.f1, strict=True)) if sites else {},
        "missing": result.missing,
        "statuses": statuses(result),
        "reasons": reasons(result),
        "faults": dict(faults),
        "cost": asdict(spent) if spent else None,
    }


def _aligned(table: Mapping[str, Row]) -> list[str]:
    """The rows as lines."""
    width = max(map(len, table)) + 1
    heads = [head for head, _ in (*_RECORDS, *_ITEMS)] + ["jF1"]
    lines = [" " * width + "".join(f"{head:>7}" for head in heads)]
    lines += [(f"{label:<{width}}" + "".join(f"{cell:>7}" for cell in _cells(row))).rstrip() for label, row in table.items()]
    return lines


def _cells(row: Row) -> list[str]:
    records = asdict(row.records)
    cells = [cell(records[key]) for _, key in _RECORDS]
    items = asdict(row.items) if row.items else {}
    return [*cells, *(cell(items.get(key)) for _, key in _ITEMS), cell(row.items_on_page.f1 if row.items_on_page else None)]


# --- record worst ---------------------------------------------------------------------------------
# The pages on which a record algorithm does worst, with what went wrong. Only pages of folds 1–4 are ever shown.
#
# Each true record that was not found has one *fault*, told from the predictions that hold something of it; the first that
# fits of:
#
# ``merged``   one prediction holds all of it and a second record;
# ``unclean``  one holds all of it and too much else;
# ``cut``      several hold it together, none alone;
# ``partial``  the best prediction holds at least a third of its key;
# ``missed``   none does: another region was chosen, or it was filtered out.
#
# Predictions that are no record are ``spurious`` where they hold less than a third of any record's key; the others are
# counted with the fault of that record.

Fault = Literal["merged", "unclean", "cut", "partial", "missed", "spurious"]

_TRACE = 1 / 3
"""Share of a record's key from which on a prediction is said to hold something of it."""
_EXCERPT = 90
"""Characters of truth and prediction that are shown."""


@dataclass(frozen=True, slots=True)
class WorstRecordPage:
    """One page that came out badly."""

    id: str
    source: str
    f1: float
    counts: Counts
    faults: Mapping[str, int]
    """Fault → number of records, the commonest first."""
    status: str
    reason: str | None
    truth: str
    """First words of the first true record that was not found, or of the first record."""
    prediction: str
    """First words of the first prediction that is no record, or of the first prediction."""


def worst(result: RecordResult, count: int) -> list[WorstRecordPage]:
    """The pages of folds 1–4 with the lowest F1, worst first; equal ones by id."""
    looked = [scored for scored in result.scored if scored.page.fold != TEST_FOLD]
    looked.sort(key=lambda scored: (scored.records.f1, scored.page.id))
    return [_describe(scored, result) for scored in looked[:count]]


def all_faults(result: RecordResult) -> dict[str, int]:
    """Faults of all records of folds 1–4, the commonest first."""
    total: Counter[str] = Counter()
    for scored in result.scored:
        if scored.page.fold != TEST_FOLD and scored.records.f1 < 1:
            total += faults(scored.page, [record.text for record in _records(result, scored)], scored.pairs)
    return dict(total.most_common())


def faults(page: RecordTruth, predicted: Sequence[str], pairs: Mapping[int, int]) -> Counter[Fault]:
    """What is wrong on one page.

    :param pairs: number of each right prediction → number of its true record.
    """
    true = TrueRecords([record.text for record in page.records])
    bags = [Counter(tokens(text)) for text in predicted]
    shares = [[true.share(bag, number) for number in range(len(page.records))] for bag in bags]
    found = set(pairs.values())
    result: Counter[Fault] = Counter(
        _fault(true, bags, [row[number] for row in shares], number)
        for number in range(len(page.records))
        if number not in found
    )
    result["spurious"] = sum(row not in pairs and max(shares[row], default=0.0) < _TRACE for row in range(len(bags)))
    return +result


def _fault(true: TrueRecords, bags: Sequence[Counter[str]], shares: Sequence[float], number: int) -> Fault:
    complete = [bag for bag, share in zip(bags, shares, strict=True) if share >= COMPLETE_RECORD]
    if any(true.holds_second(bag, number) for bag in complete):
        return "merged"
    if complete:  # also where the one prediction that would be right is paired with an equal record
        return "unclean"
    together: Counter[str] = Counter()
    for bag, share in zip(bags, shares, strict=True):
        together |= bag if share > 0 else Counter()
    if true.share(together, number) >= COMPLETE_RECORD and max(shares) >= _TRACE:
        return "cut"
    return "partial" if max(shares, default=0.0) >= _TRACE else "missed"


def worst_as_json(pages: Sequence[WorstRecordPage]) -> list[dict[str, Any]]:
    """Plain JSON values."""
    return [asdict(page) for page in pages]


def format_worst(pages: Sequence[WorstRecordPage]) -> str:
    """A numbered list, three lines a page."""
    lines: list[str] = []
    for number, page in enumerate(pages, 1):
        counts = page.counts
        wrong = ", ".join(f"{count} {fault}" for fault, count in page.faults.items())
        reason = f" ({printable(page.reason)})" if page.reason else ""
        lines += [
            f"{number:>4}  {page.id}  {page.source}  F1 {page.f1:.3f}  "
            f"right {counts.right} of {counts.predicted} predicted, {counts.true} true  "
            f"{wrong or 'nothing wrong'}  status {page.status}{reason}",
            f"      truth: {printable(page.truth)}",
            f"      found: {printable(page.prediction)}",
        ]
    return "\n".join(lines)


def _describe(scored: Scored, result: RecordResult) -> WorstRecordPage:
    page, prediction = scored.page, result.predictions.get(scored.page.id)
    predicted = [record.text for record in _records(result, scored)]
    found = set(scored.pairs.values())
    lost = [record.text for number, record in enumerate(page.records) if number not in found]
    false = [text for number, text in enumerate(predicted) if number not in scored.pairs]
    return WorstRecordPage(
        id=page.id,
        source=page.source,
        f1=scored.records.f1,
        counts=scored.records,
        faults=dict(faults(page, predicted, scored.pairs).most_common()),
        status=(prediction.status if prediction else "missing") or "-",
        reason=prediction.reason if prediction else None,
        truth=folded(next(iter([*lost, *(record.text for record in page.records)]), ""))[:_EXCERPT],
        prediction=folded(next(iter([*false, *predicted]), ""))[:_EXCERPT],
    )


def _records(result: RecordResult, scored: Scored) -> Sequence[PredictedRecord]:
    prediction = result.predictions.get(scored.page.id)
    return prediction.records if prediction else ()
