"""Marked examples as a user writes them: on the command line, or in a small TOML or JSON file.

Cost: linear in what is given.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from newsextract.errors import DataError, UsageError

Examples = list[dict[str, list[str]]]
"""A mapping a record, from names to texts."""

MAX_BYTES = 1_000_000
EXAMPLE = "--record 'title=If at first…; author=Kentaro Toyama'"
_NEXT = re.compile(r";\s*(?=[A-Za-z_][\w-]*(?:@[\w:.-]+)?\s*=)")
_MARK = re.compile(r"\s*([A-Za-z_][\w-]*(?:@[\w:.-]+)?)\s*=\s*(\S.*?)\s*\Z", re.DOTALL)


def of_records(given: Sequence[str]) -> Examples:
    """Records of which each is ``NAME=TEXT; NAME=TEXT``; a ``;`` within a text is one unless a name and ``=`` follow.

    :raises UsageError: a part is no NAME=TEXT.
    """
    found: Examples = []
    for record in given:
        marks: dict[str, list[str]] = {}
        for part in _NEXT.split(record):
            name, text = _mark(part, "--record")
            marks.setdefault(name, []).append(text)
        found.append(marks)
    return found


def of_marks(given: Sequence[str]) -> Examples:
    """Single marks ``NAME=TEXT``: the first of each name are one record, the second another, and so on.

    :raises UsageError: one is no NAME=TEXT.
    """
    found: Examples = []
    counts: dict[str, int] = {}
    for mark in given:
        name, text = _mark(mark, "--mark")
        number = counts.get(name, 0)
        counts[name] = number + 1
        if number == len(found):
            found.append({})
        found[number][name] = [text]
    return found


def of_file(path: Path) -> Examples:
    """The ``record`` tables of a TOML file (``[[record]]``, then ``title = "…"``), or a JSON list of objects.

    :raises DataError: it cannot be read or holds something else.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}; expected a TOML or JSON file of marked records") from error
    if len(data) > MAX_BYTES:
        raise DataError(f"{path}: {len(data):,} bytes; a file of marked records has at most {MAX_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
        read: Any = (
            json.loads(text)
            if text.lstrip()[:1] in ("[", "{") and not text.lstrip().startswith("[[")
            else tomllib.loads(text)
        )
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{path}: {error}; expected UTF-8 with [[record]] tables (TOML) or a list of objects (JSON)"
        ) from error
    rows = read.get("record") if isinstance(read, dict) else read
    if not isinstance(rows, list) or not rows:
        raise DataError(f'{path}: no records; expected [[record]] and lines such as title = "…", or a JSON list of objects')
    return [_row(row, number, path) for number, row in enumerate(rows, 1)]


def _row(row: Any, number: int, path: Path) -> dict[str, list[str]]:
    if not isinstance(row, dict):
        raise DataError(f'{path}: record {number} is no table of names and texts; expected title = "…"')
    found = {}
    for name, value in row.items():
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str) for text in texts):
            raise DataError(f'{path}: record {number}: {name} is no text; expected {name} = "…", or a list of texts')
        found[name] = texts
    return found


def _mark(given: str, option: str) -> tuple[str, str]:
    match = _MARK.match(given)
    if match is None:
        raise UsageError(f"{option}: {given[:60]!r} is no NAME=TEXT; for example {EXAMPLE}")
    return match[1], match[2]
