"""Exceptions go through process borders as they are."""

from __future__ import annotations

import pickle

import pytest

from newsextract.errors import DataError, MissingExtra, UnknownAlgorithm


@pytest.mark.parametrize(
    "error", [UnknownAlgorithm("x", ["a", "b"]), MissingExtra("rjieba", "zh", "Chinese words"), DataError("no file")]
)
def test_exceptions_survive_pickling(error: Exception):
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)
