"""Texts with their class, and the file format in which users label their own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from newsextract.errors import DataError
from newsextract.evaluation import json_lines

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
    items = [_labelled(row, where) for where, row in json_lines.rows(path)]
    if not items:
        raise DataError(f'{path} is empty; expected lines like {{"text": "…", "label": "valuable"}}')
    return items


def _labelled(row: json_lines.Row, where: str) -> Labelled:
    text, label = row.get("text"), row.get("label")
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"{where}: 'text' must be a string that is not empty, got {text!r:.60}")
    if label in CLASSES:
        label = CLASSES.index(label)
    if isinstance(label, bool) or label not in (0, 1):
        raise DataError(f'{where}: \'label\' must be 0 or "worthless", 1 or "valuable", got {label!r:.60}')
    group, lang = (json_lines.optional(row, key, where) for key in ("group", "lang"))
    return Labelled(text, int(label), group, lang)
