"""The pages on which a record algorithm does worst, with what went wrong. Only pages of folds 1–4 are ever shown.

Each true record that was not found has one *fault*, told from the predictions that hold something of it; the first that
fits of:

``merged``   one prediction holds all of it and a second record;
``unclean``  one holds all of it and too much else;
``cut``      several hold it together, none alone;
``partial``  the best prediction holds at least a third of its key;
``missed``   none does: another region was chosen, or it was filtered out.

Predictions that are no record are ``spurious`` where they hold less than a third of any record's key; the others are counted
with the fault of that record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from newsextract.evaluation.datasets import TEST_FOLD
from newsextract.evaluation.metrics import folded
from newsextract.evaluation.record_datasets import PredictedRecord, RecordTruth
from newsextract.evaluation.record_metrics import COMPLETE, Counts, TrueRecords, tokens
from newsextract.evaluation.record_report import RecordResult, Scored
from newsextract.evaluation.worst import printable

Fault = Literal["merged", "unclean", "cut", "partial", "missed", "spurious"]

_TRACE = 1 / 3
"""Share of a record's key from which on a prediction is said to hold something of it."""
_EXCERPT = 90
"""Characters of truth and prediction that are shown."""


@dataclass(frozen=True, slots=True)
class WorstPage:
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


def worst(result: RecordResult, count: int) -> list[WorstPage]:
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
    complete = [bag for bag, share in zip(bags, shares, strict=True) if share >= COMPLETE]
    if any(true.holds_second(bag, number) for bag in complete):
        return "merged"
    if complete:  # also where the one prediction that would be right is paired with an equal record
        return "unclean"
    together: Counter[str] = Counter()
    for bag, share in zip(bags, shares, strict=True):
        together |= bag if share > 0 else Counter()
    if true.share(together, number) >= COMPLETE and max(shares) >= _TRACE:
        return "cut"
    return "partial" if max(shares, default=0.0) >= _TRACE else "missed"


def as_json(pages: Sequence[WorstPage]) -> list[dict[str, Any]]:
    """Plain JSON values."""
    return [asdict(page) for page in pages]


def format_worst(pages: Sequence[WorstPage]) -> str:
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


def _describe(scored: Scored, result: RecordResult) -> WorstPage:
    page, prediction = scored.page, result.predictions.get(scored.page.id)
    predicted = [record.text for record in _records(result, scored)]
    found = set(scored.pairs.values())
    lost = [record.text for number, record in enumerate(page.records) if number not in found]
    false = [text for number, text in enumerate(predicted) if number not in scored.pairs]
    return WorstPage(
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
