"""From the records of many pages to tables on the console and JSON.

Rows: totals of fold 0, folds 1–4 and all; each source, whole and of the two parts; each kind of page. Of fold 0 nothing but
totals is ever shown, and none of fewer than five pages (:data:`newsextract.lab.report.LEAST_TEST_PAGES`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from newsextract.lab.datasets import ALIGNED, TEST_FOLD, FoldName, Prediction, TruthPage
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
from newsextract.lab.report import (
    LEAST_TEST_PAGES,
    TOTALS,
    Cost,
    Result,
    cell,
    of_fold,
    origin_of,
    printable,
    table_lines,
    totals,
    without_few,
)

_RECORDS = (
    ("pages", "pages"), ("sites", "sites"), ("right", "right"), ("pred", "predicted"), ("true", "true"),
    ("P", "precision"), ("R", "recall"), ("F1", "f1"), ("±", "f1_sd"),
    ("mP", "macro_precision"), ("mR", "macro_recall"), ("mF1", "macro_f1"), ("±", "macro_f1_sd"), ("sF1", "site_f1"),
)  # fmt: skip
_ITEMS = (("iP", "precision"), ("iR", "recall"), ("iF1", "f1"), ("±", "f1_sd"), ("imF1", "macro_f1"))
_HEADS = [head for head, _ in (*_RECORDS, *_ITEMS)] + ["jF1"]
LEGEND = (
    "right, pred, true: records; P, R, F1 of their sums, mP, mR, mF1 means over pages, sF1 over sites; ± deviation by site\n"
    "iP, iR, iF1, imF1: the same of data items, in the records found and the columns paired; jF1: of all items of the page\n"
    "ms: CPU time of the median page; × lxml: of all pages, in plain lxml parses of the same bytes\n"
    f"rows with fewer than {LEAST_TEST_PAGES} pages of fold {TEST_FOLD} are counted without these"
)


@dataclass(frozen=True, slots=True)
class RecordScore:
    """One page, compared with its truth."""

    records: Counts
    pairs: Mapping[int, int]
    """Number of each right prediction → number of its true record."""
    items: ItemCounts | None
    """None where the truth's fields are no columns."""
    faults: Counter[Fault]


RecordResult = Result[RecordScore]
Pairs = list[tuple[TruthPage, RecordScore]]


@dataclass(frozen=True, slots=True)
class Row:
    """Measures of one group of pages."""

    records: RecordSummary
    items: RecordSummary | None
    """Data items, in the records found and the columns paired; over the pages where records with items were found."""
    items_on_page: RecordSummary | None
    """Data items of the whole page."""


def score_page(page: TruthPage, prediction: Prediction | None) -> RecordScore:
    """Compare one page with its truth; no prediction counts as an empty one."""
    records = (prediction.records if prediction else None) or ()
    true, predicted = TrueRecords([record.text for record in page.records]), [record.text for record in records]
    pairs = match(true, predicted)
    items = None
    if page.source in ALIGNED:
        items = score_items([record.fields for record in page.records], [record.items for record in records], pairs)
    return RecordScore(Counts(len(pairs), len(records), len(page.records)), pairs, items, faults(true, predicted, pairs))


def score(name: str, pages: Sequence[TruthPage], predictions: Mapping[str, Prediction]) -> RecordResult:
    """Compare predictions with the truth; those of other pages do not matter."""
    return Result(name, pages, predictions, [score_page(page, predictions.get(page.id)) for page in pages])


def rows(result: RecordResult, selection: FoldName, bootstrap: int = 0) -> dict[str, Row]:
    """The rows of the table, by label; the totals first.

    :param selection: the fold that the pages were taken from.
    :param bootstrap: resampled sets of sites for the deviations; 0: none.
    """
    pairs, folds = result.pairs, totals(selection)
    groups: dict[str, Pairs] = {TOTALS[fold]: of_fold(pairs, fold) for fold in folds}
    for source in sorted({page.source for page in result.pages}):
        groups[source] = shown = without_few([pair for pair in pairs if pair[0].source == source])
        if len(folds) > 1:
            groups |= {f"{source}, {TOTALS[fold]}": of_fold(shown, fold) for fold in folds[:2]}
    for kind in sorted({page.kind for page in result.pages}):
        groups[f"kind {kind}"] = without_few([pair for pair in pairs if pair[0].kind == kind])
    has_items = any(record.items for prediction in result.found for record in prediction.records or ())
    return {label: _row(group, has_items, bootstrap) for label, group in groups.items() if group}


def _row(group: Pairs, has_items: bool, bootstrap: int) -> Row:
    """:param has_items: whether any prediction has data items; without any they are not measured."""
    items = [(page.site, score.items) for page, score in group if score.items is not None and has_items]
    found = [(site, counts.in_columns) for site, counts in items if counts.in_columns.true]
    return Row(
        summarize_records([(page.site, score.records) for page, score in group], bootstrap),
        summarize_records(found, bootstrap) if found else None,
        summarize_records([(site, counts.on_page) for site, counts in items], bootstrap) if items else None,
    )


def cost(result: RecordResult) -> Cost | None:
    """Of the extraction from the page's bytes, or from its snapshot."""
    return Cost.of((p.extract_seconds, p.lxml_seconds) for p in result.found)


def _rendered(result: RecordResult) -> int:
    """Number of pages of which there was a snapshot."""
    return sum(p.rendered is True for p in result.found)


def format_result(result: RecordResult, table: Mapping[str, Row]) -> str:
    """The table of one contender with what it cost, how its pages ended and what went wrong."""
    wrong = ", ".join(f"{fault} {count}" for fault, count in all_faults(result).items())
    spent = cost(result)
    cost_line = spent and (
        f"cost: {spent.times_lxml:.2f} × lxml ({spent.milliseconds:.1f} ms a page, "
        f"median {spent.median_milliseconds:.1f}, a plain lxml parse {spent.lxml_milliseconds:.1f}; CPU time); "
        f"{_rendered(result)} of {spent.pages} pages rendered"
    )
    lines = table_lines(_HEADS, [(label, _cells(row)) for label, row in table.items()], 7, max(map(len, table)) + 1)
    return result.lines(lines, f"faults, folds 1-4: {wrong}" if wrong else "", cost_line or "")


def format_summary(results: Sequence[tuple[RecordResult, Mapping[str, Row]]]) -> str:
    """For each row a table with a line per contender."""
    tables = []
    for label in results[0][1]:
        rows = []
        for result, table in results:
            spent = cost(result)
            times = [f"{spent.median_milliseconds:.1f}", f"{spent.times_lxml:.1f}"] if spent else []
            rows.append((result.name, _cells(table[label])[5:] + times))
        tables.append("\n".join([label, *table_lines([*_HEADS[5:], "ms", "× lxml"], rows, 7)]))
    return "\n\n".join(tables)


def as_json(result: RecordResult, table: Mapping[str, Row]) -> dict[str, Any]:
    """Plain JSON values. ``sites`` are pooled F1 of the sites of folds 1–4 alone."""
    spent = cost(result)
    shown = [(page.site, score.records) for page, score in of_fold(result.pairs, "train")]
    sites = Sites.of(shown) if shown else None
    return {
        **origin_of(result.contender),
        "rows": {label: asdict(row) for label, row in table.items()},
        "sites": dict(zip(sites.names, sites.f1, strict=True)) if sites else {},
        "missing": result.missing,
        "statuses": result.statuses,
        "reasons": result.reasons("ok".__ne__),
        "faults": all_faults(result),
        "cost": asdict(spent) | {"rendered": _rendered(result)} if spent else None,
    }


def _cells(row: Row) -> list[str]:
    records = [getattr(row.records, key) for _, key in _RECORDS]
    items = [getattr(row.items, key) if row.items else None for _, key in _ITEMS]
    return [cell(figure) for figure in (*records, *items, row.items_on_page and row.items_on_page.f1)]


# --- record worst ---------------------------------------------------------------------------------
# The pages on which a record algorithm does worst, with what went wrong. Only pages of folds 1–4 are ever shown.
#
# Each true record that was not found has one *fault*, told from the predictions that hold something of it: the first that
# fits (docs/evaluation.md, *Records*).

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
    looked = sorted(of_fold(result.pairs, "train"), key=lambda pair: (pair[1].records.f1, pair[0].id))
    return [_describe(page, score, result.predictions.get(page.id)) for page, score in looked[:count]]


def all_faults(result: RecordResult) -> dict[str, int]:
    """Faults of all records of folds 1–4, the commonest first."""
    total: Counter[str] = Counter()
    for _, score in of_fold(result.pairs, "train"):
        total += score.faults
    return dict(total.most_common())


def faults(true: TrueRecords, predicted: Sequence[str], pairs: Mapping[int, int]) -> Counter[Fault]:
    """What is wrong on one page.

    :param pairs: number of each right prediction → number of its true record.
    """
    if len(pairs) == len(predicted) == len(true.bags):
        return Counter()
    bags = [Counter(tokens(text)) for text in predicted]
    numbers = range(len(true.bags))
    shares = [[true.share(bag, number) for number in numbers] for bag in bags]
    lost = set(numbers) - set(pairs.values())
    result: Counter[Fault] = Counter(_fault(true, bags, [row[number] for row in shares], number) for number in sorted(lost))
    result["spurious"] = sum(row not in pairs and max(shares[row], default=0.0) < _TRACE for row in range(len(bags)))
    return +result


def _fault(true: TrueRecords, bags: Sequence[Counter[str]], shares: Sequence[float], number: int) -> Fault:
    complete = [bag for bag, share in zip(bags, shares, strict=True) if share >= COMPLETE_RECORD]
    if any(true.holds_second(bag - true.bags[number], number) for bag in complete):
        return "merged"
    if complete:  # also where the one prediction that would be right is paired with an equal record
        return "unclean"
    together: Counter[str] = Counter()
    for bag, share in zip(bags, shares, strict=True):
        together |= bag if share > 0 else Counter()
    if true.share(together, number) >= COMPLETE_RECORD and max(shares) >= _TRACE:
        return "cut"
    return "partial" if max(shares, default=0.0) >= _TRACE else "missed"


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


def _describe(page: TruthPage, score: RecordScore, prediction: Prediction | None) -> WorstRecordPage:
    predicted = [record.text for record in (prediction.records if prediction else None) or ()]
    found = set(score.pairs.values())
    lost = [record.text for number, record in enumerate(page.records) if number not in found]
    false = [text for number, text in enumerate(predicted) if number not in score.pairs]
    return WorstRecordPage(
        id=page.id,
        source=page.source,
        f1=score.records.f1,
        counts=score.records,
        faults=dict(score.faults.most_common()),
        status=(prediction.status if prediction else "missing") or "-",
        reason=prediction.reason if prediction else None,
        truth=folded(next(iter([*lost, *(record.text for record in page.records)]), ""))[:_EXCERPT],
        prediction=folded(next(iter([*false, *predicted]), ""))[:_EXCERPT],
    )
