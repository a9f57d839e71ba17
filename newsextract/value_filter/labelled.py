"""Texts with their class, and the file format in which users label their own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from newsextract.errors import DataError

CLASSES = ("worthless", "valuable")
"""Names of the classes c0 and c1."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text with its class."""

    text: str
    label: int
    """0: worthless, 1: valuable."""
    group: str | None = None
    """Texts of one group (site, thread) are never on both sides of a cross-validation; None: a group of its own."""
    lang: str | None = None
    """For the model's card alone."""


def read_labelled(path: Path) -> list[Labelled]:
    """Labelled texts from JSON lines ``{"text", "label"}``, where ``group`` and ``lang`` may stand, too.

    :raises DataError: the file is missing, a line is malformed (the message has its number), or there is none.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}; give an existing JSON lines file") from error
    items = [_labelled(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not items:
        raise DataError(f'{path} is empty; expected lines like {{"text": "…", "label": "valuable"}}')
    return items


def _labelled(line: bytes, where: str) -> Labelled:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not JSON ({error}); expected one object a line") from None
    if not isinstance(row, dict):
        raise DataError(f"{where}: expected a JSON object, got {type(row).__name__}")
    text, label = row.get("text"), row.get("label")
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"{where}: 'text' must be a string that is not empty, got {text!r:.60}")
    if label in CLASSES:
        label = CLASSES.index(label)
    if isinstance(label, bool) or label not in (0, 1):
        raise DataError(f'{where}: \'label\' must be 0 or "worthless", 1 or "valuable", got {label!r:.60}')
    for key in ("group", "lang"):
        if not isinstance(row.get(key), str | None):
            raise DataError(f"{where}: {key!r} must be a string, got {row[key]!r:.60}")
    return Labelled(text, int(label), row.get("group"), row.get("lang"))
