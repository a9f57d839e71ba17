"""Regular expressions of the package: what Python's oldest supported release gets wrong is not used.

Before Python 3.11.5 a possessive repetition of a group whose inside can step back leaves the position wrong when the last
repetition fails (https://github.com/python/cpython/issues/106052). An atomic group, ``(?>(?:…)*)``, means the same and is right.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]  # what `re` itself reads patterns with; typeshed leaves them out
from typing import Any

import pytest

SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY}
FEWEST = 200
"""Patterns of modules found when this was written: 300; a search that finds hardly any would prove nothing."""


def patterns() -> dict[str, re.Pattern[Any]]:
    """Every pattern that is a module's own, or stands in a list or a dictionary of a module."""
    found = {}
    for package in map(importlib.import_module, ("newsextract", "pipelines", "spiders")):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.endswith("__main__"):
                continue
            try:
                names = vars(importlib.import_module(module.name))
            except ModuleNotFoundError as error:  # of an extra that is not installed
                if (error.name or "").partition(".")[0] in ("newsextract", "pipelines", "spiders"):
                    raise
                continue
            for name, value in names.items():
                parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
                found |= {f"{module.name}.{name} {part.pattern!r}": part for part in parts if isinstance(part, re.Pattern)}
    return found


def unsafe_groups(parsed: Any) -> Iterator[Any]:
    """Possessive repetitions of more than single characters, unless an atomic group is all that is repeated."""
    if isinstance(parsed, _parser.SubPattern):
        for operation, value in parsed:
            if operation is _constants.POSSESSIVE_REPEAT:
                inside = [part for part, _ in value[2]]
                if inside != [_constants.ATOMIC_GROUP] and not set(inside) <= SINGLE:
                    yield value[2]
            yield from unsafe_groups(value)
    elif isinstance(parsed, tuple | list):
        for part in parsed:
            yield from unsafe_groups(part)


def read(pattern: re.Pattern[Any]) -> Any:
    return _parser.parse(pattern.pattern, pattern.flags)


def test_no_pattern_repeats_possessively_what_can_step_back() -> None:
    found = patterns()
    assert len(found) > FEWEST
    assert [name for name, pattern in found.items() if any(unsafe_groups(read(pattern)))] == []


@pytest.mark.parametrize("pattern", [r"(?:<(?!a)[^<]*+)*+", r"x(?:a|bc)++y", r"(?:(?:ab?)?+c)"])
def test_the_search_finds_such_groups(pattern: str) -> None:
    assert any(unsafe_groups(read(re.compile(pattern))))


@pytest.mark.parametrize("pattern", [r"\s*+", r"(?:[a-f][0-9])*+", r"(?>(?:<(?!a)[^<]*+)*)", r"(?>ab?)*+"])
def test_the_search_passes_what_is_right_everywhere(pattern: str) -> None:
    assert not any(unsafe_groups(read(re.compile(pattern))))
