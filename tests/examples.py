"""How many examples a property is tried on: what its test asks for by default, a tenth of it in `make test`."""

from __future__ import annotations

from hypothesis import settings


def register_profiles() -> None:
    """``whole`` and ``quick``; neither has a clock, and both draw the same examples in every run: a failure is everybody's.

    ``--hypothesis-profile explore`` draws new ones.
    """
    settings.register_profile("whole", deadline=None, max_examples=100, derandomize=True)
    settings.register_profile("quick", deadline=None, max_examples=10, derandomize=True)
    settings.register_profile("explore", deadline=None, max_examples=1000)
    settings.load_profile("whole")


def examples(count: int) -> int:
    """The examples of a property that wants ``count`` of them, in the profile that is loaded; Hypothesis' own default is 100."""
    return max(1, count * settings().max_examples // 100)
