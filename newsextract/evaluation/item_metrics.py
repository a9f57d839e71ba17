"""Measures of data items: are the fields of a record told apart, and is each in the column where it belongs?

An item is a place in the table that a page's records make: (matched record, true column). It is right when what was
extracted for it equals the truth after white space is folded. Which extracted column is which true one is nowhere said, so
the columns of a page are paired one to one, in the way that makes most items right: a column that means two things in two
records loses one of them, and so does a field that is split over two columns.

Two readings are reported. ``in_columns``, the measure proper, looks at records that were found (their pairs come from
:func:`newsextract.evaluation.record_metrics.match`) and at columns that were paired: what the alignment of items is worth.
``on_page`` counts every true item of the page as to be found and every extracted one as claimed, so lost records, false
records, and fields that nobody noted in the truth lower it too.

Cost: under 1 ms a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from newsextract.evaluation.assignment import best_pairs
from newsextract.evaluation.metrics import folded
from newsextract.evaluation.record_metrics import Counts

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
    :raises MissingExtra: scipy is not installed.
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
