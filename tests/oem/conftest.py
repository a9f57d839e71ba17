"""What the tests of wrappers share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _what_other_tests_left_costs_no_time() -> Iterator[None]:
    """Runs make many objects, and the garbage collector would look through all that some thousand tests have left behind."""
    gc.freeze()
    yield
    gc.unfreeze()
