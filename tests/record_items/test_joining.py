"""How alike two columns look, by hand: each part of the sum alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from newsextract.records.columns import _ColumnLook, _likeness

PLAIN = _ColumnLook(0, 1, ("li", "p", "b"), frozenset(), "text", False, False, 3.0, "")
"""Beside one with other tags it scores 1 for its kind of text and 0.5 for having no link, too."""
OTHER = replace(PLAIN, column=1, records=2, tags=("td", "i", "u"))


@pytest.mark.parametrize(
    ("one", "other", "gain"),
    [
        ({}, {}, 0.0),
        ({"tags": ("td", "i", "u")}, {}, 2.0),
        ({"tags": ("li", "i", "u")}, {}, 1.0),
        ({"tags": ("td", "i", "b")}, {}, 0.0),
        # class names: both must have some; of those that either has, the share that both have
        ({"mark": frozenset("a")}, {"mark": frozenset("a")}, 1.5),
        ({"mark": frozenset("ab")}, {"mark": frozenset("bc")}, 2 / 3 - 0.5),
        ({"mark": frozenset("a")}, {"mark": frozenset("b")}, -0.5),
        ({"mark": frozenset("a")}, {}, 0.0),
        ({}, {"mark": frozenset("a")}, 0.0),
        ({"kind": "number"}, {}, -2.0),
        ({"link": True}, {}, -1.5),
        ({"length": 3.7}, {}, 0.0),
        ({"length": 5.7}, {}, -1.0),
        # a text that is the same in most records: equal ones are a label, one alone tells them apart
        ({"constant": "Buy"}, {"constant": "Buy"}, 2.0),
        ({"constant": "Buy"}, {"constant": "Sell"}, 0.0),
        ({"constant": "Buy"}, {}, -0.5),
        ({}, {"constant": "Buy"}, -0.5),
    ],
)
def test_likeness_of_columns(one: dict[str, Any], other: dict[str, Any], gain: float) -> None:
    assert _likeness(replace(PLAIN, **one), replace(OTHER, **other)) == pytest.approx(1.5 + gain)
