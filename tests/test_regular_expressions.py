"""Regular expressions of the package: none is slow on any text, and what Python's oldest supported release gets wrong is not used.

All are collected: those of modules, those that functions make, and those that stand in calls such as ``re.sub``.

Before Python 3.11.5 a possessive repetition of a group whose inside can step back leaves the position wrong when the last
repetition fails (https://github.com/python/cpython/issues/106052). An atomic group, ``(?>(?:…)*)``, means the same and is right.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]  # what `re` itself reads patterns with; typeshed leaves them out
from types import ModuleType
from typing import Any

import pytest

from newsextract.fields.dates import words
from tests.pumping import SLOW, slowest

SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY}
FEWEST = 300
"""Patterns of modules found when this was written: 333; a search that finds hardly any would prove nothing."""
PACKAGES = ("newsextract", "pipelines", "spiders")
ROOT = Path(__file__).parents[1]
CALLS = {
    "compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer",
}  # fmt: skip
NOT_OF_PAGES = {
    "newsextract/errors.py": "the metadata of the installed package",
    "newsextract/sites.py": "patterns that the user writes in sites.toml",
    "newsextract/discovery/__init__.py": "patterns that the user writes in sites.toml; those of archives are not compiled",
    "newsextract/wrappers/matching.py": "made of the user's wrapper; tests/oem/test_matching.py pumps them",
    "newsextract/rendition/writers.py": "one character, escaped",
}
"""Modules whose functions make patterns of what they are given."""
GIVEN: dict[str, list[Any]] = {
    "language": list(words()["months"]), "name": [b"title"], "names": [frozenset(("p", "div"))],
}  # fmt: skip
"""What functions that make patterns ask for."""
BOUNDED = {
    "newsextract.discovery.threads._KNOWN": "URLs: 2,000 characters",
    "newsextract.fields.authors._ROLE": "600 characters",
    "newsextract.fields.dates.EPOCH": "only matched",
    "newsextract.fields.dates.ISO": "only matched",
    "newsextract.fields.dates.clock_patterns": "60 characters next to a date",
    "newsextract.fields.post_quotes.DIVIDER": "only matched",
    "newsextract.fields.post_quotes._HEAD_LINES": "a line of 160 characters",
    "newsextract.fields.post_text._HEAD": "only matched",
    "newsextract.fields.post_quotes._ADDRESS": "URLs: 2,000 characters",
    "newsextract.fields.posts._EVENT": "lines of 200 characters",
    "newsextract.fields.only_record._patterns": "200 characters",
    "newsextract.fields.page_facts._FOLLOW": "lines of 200 characters, only matched",
    "newsextract.fields.page_facts._STOPS": "lines of 300 characters",
    "newsextract.fields.title._SIGNS": "headings: 500 characters",
    "newsextract.page.metadata._TAG": "2,000 characters for each comment",
    "newsextract.page.metadata._UNDATED": "90 characters",
    "newsextract.page.notices._words": "lines of 100 characters, URLs of 2,000",
    "newsextract.records.leaves._HOST": "a word of 300 characters",
    "newsextract.wrappers.draft_items._LOOKS": "only matched",
    "newsextract.wrappers.interpreter._OPENED": "300 characters",
    "newsextract.wrappers.learn._MARK": "an argument of the user's",
    "spiders.traps._CHANGING": "URLs: 2,000 characters",
    "newsextract/spark/__init__.py": "the user's master",
    "newsextract/wrappers/format.py": "the user's wrapper",
    "newsextract/wrappers/learn_fields.py": "lines that are proposed for a wrapper",
    "spiders.pages._XML_ROOT": "the first bytes of a page",
}
"""Patterns that are slow on long texts, and why they get none."""
LOCAL = re.compile(r"\A_[^_]")


@cache
def modules() -> tuple[ModuleType, ...]:
    """All that can be imported here."""
    found = []
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.endswith("__main__"):
                continue
            try:
                found.append(importlib.import_module(module.name))
            except ModuleNotFoundError as error:  # of an extra that is not installed
                if (error.name or "").partition(".")[0] in PACKAGES:
                    raise
    return tuple(found)


def within(value: Any) -> Iterator[re.Pattern[Any]]:
    """Patterns in a value, whatever holds them."""
    if isinstance(value, re.Pattern):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from within(getattr(value, field.name, None))
    elif isinstance(value, dict | list | tuple | set | frozenset):
        for part in value.values() if isinstance(value, dict) else value:
            yield from within(part)


@cache
def patterns() -> dict[str, re.Pattern[Any]]:
    """Every pattern that is a module's own, or stands in something that is."""
    return {
        f"{module.__name__}.{name} {part.pattern!r}": part
        for module in modules()
        for name, value in vars(module).items()
        for part in within(value)
    }


def makers() -> Iterator[tuple[ModuleType, str, Any]]:
    """Functions of modules, without their caches."""
    for module in modules():
        for name, value in vars(module).items():
            function = inspect.unwrap(value) if callable(value) else None
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                yield module, name, function


@cache
def made() -> dict[str, re.Pattern[Any]]:
    """Every pattern that a function makes of the package's word lists: for each language, where it asks for one."""
    found = {}
    for module, name, function in makers():
        source = inspect.getsource(function)
        wanted = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
        if "re.compile(" not in source or path_of(module) in NOT_OF_PAGES or len(wanted) > 1:
            continue
        given = GIVEN.get(wanted[0].name, []) if wanted else [None]
        for value in given:
            parts = within(function(value) if wanted else function())
            found |= {f"{module.__name__}.{name}({value}) {part.pattern!r}": part for part in parts}
    return found


def path_of(module: ModuleType) -> str:
    return Path(module.__file__ or "").relative_to(ROOT).as_posix()


@cache
def written() -> list[tuple[str, ast.Call, bool]]:
    """Calls of ``re`` within functions, and whether the pattern stands there."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            calls = {
                id(call): call
                for function in ast.walk(tree)
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                for call in ast.walk(function)
                if isinstance(call, ast.Call) and ast.unparse(call.func) in {f"re.{name}" for name in CALLS}
            }
            found += [
                (path.relative_to(ROOT).as_posix(), call, isinstance(call.args[0], ast.Constant)) for call in calls.values()
            ]
    return found


@cache
def matched_only() -> frozenset[str]:
    """Names of modules' patterns that are only matched at one place, never searched for."""
    found: dict[str, set[str]] = {}
    for module in modules():
        tree = ast.parse(inspect.getsource(module) or "")
        called = {id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.setdefault(f"{module.__name__}.{node.id}", set()).add(called.get(id(node), "?"))
    return frozenset(
        name
        for name, ways in found.items()
        if ways <= {"match", "fullmatch", "pattern", "flags"} and LOCAL.match(name.rpartition(".")[2])
    )


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


# --- pumped ---------------------------------------------------------------------------------------


def test_every_call_that_makes_a_pattern_is_known() -> None:
    """Each stands in the source, is made by a function that :func:`made` calls, or is none of a page's business."""
    missing, called = [], {name.partition(" ")[0].partition("(")[0] for name in made()}
    for path, call, is_constant in written():
        if is_constant or path in NOT_OF_PAGES:
            continue
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        inside = [
            name
            for owner, name, function in makers()
            if owner.__name__ == module
            for lines, first in [inspect.getsourcelines(function)]
            if first <= call.lineno < first + len(lines)
        ]
        if not any(f"{module}.{name}" in called for name in inside):
            missing.append(f"{path}:{call.lineno}: {ast.unparse(call)}")
    assert missing == []


def of_modules() -> Iterator[tuple[str, tuple[re.Pattern[Any], bool]]]:
    """Patterns, and whether they are searched for."""
    for name, pattern in (patterns() | made()).items():
        yield name, (pattern, name.partition(" ")[0] not in matched_only())


def inline() -> Iterator[tuple[str, tuple[re.Pattern[Any], bool]]]:
    for path, call, is_constant in written():
        if is_constant:
            pattern = ast.literal_eval(call.args[0])
            yield f"{path} {pattern!r}", (re.compile(pattern), ast.unparse(call.func) not in ("re.match", "re.fullmatch"))


@pytest.mark.slow
def test_no_pattern_is_slow_on_any_text() -> None:
    tried = {case: name for name, case in [*of_modules(), *inline()] if re.split("[ (]", name)[0] not in BOUNDED}
    slow = {name: text for case, name in tried.items() for seconds, text in [slowest(*case)] if seconds > SLOW}
    assert slow == {}


@pytest.mark.parametrize(
    ("pattern", "searches"),
    [(r"\s+$", True), (r"(?>x+)y", True), (r"a\s*=?\s*b", False), (r"(?:a|b|ab)*c", False), (r"<[^>]*>", True), (r"(\w+\s?)+!", True),
     (r"(?:-->|;)+\Z", True)],
)  # fmt: skip
def test_pumping_finds_slow_patterns(pattern: str, searches: bool) -> None:
    assert slowest(re.compile(pattern), searches)[0] > SLOW


@pytest.mark.parametrize("pattern", [r"\s++x?", r"a{1,20}b", r"(?<!\s)\s+$", r"<[^<>]*>", r"[a-z]+"])
def test_pumping_passes_others(pattern: str) -> None:
    assert slowest(re.compile(pattern))[0] < SLOW
