"""Edit distance in bits, against the table it stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.algorithms.mdr import distance


def by_table(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for number, x in enumerate(a, 1):
        above, row = row, [number]
        for column, y in enumerate(b, 1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (x != y)))
    return row[-1]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("", "", 0), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "bca", 2), ("kitten", "sitting", 3)],
)
def test_known_distances(a: str, b: str, expected: int) -> None:
    assert distance(a, b, 99) == distance(b, a, 99) == expected


@given(st.text("abc", max_size=90), st.text("abc", max_size=90), st.integers(0, 20))
def test_it_is_that_of_the_table(a: str, b: str, limit: int) -> None:
    expected = by_table(a, b)
    assert distance(a, b, 99) == expected
    within = distance(a, b, limit)
    assert within == expected if expected <= limit else within > limit
