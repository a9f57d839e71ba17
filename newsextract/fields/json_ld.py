"""JSON-LD scripts: read, mended where that is simple, flattened to a list of objects.

Pages write what ``JSON.parse`` refuses: raw line breaks in strings, trailing commas, CDATA or HTML comments around
the object, several objects in a row, a semicolon at the end. What still cannot be read is fished for the few
keys that the field modules ask for (JSON-LD 1.1; schema.org Article).

Cost: json.loads of at most :data:`MAX_CHARACTERS` a script.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

MAX_OBJECTS = 300
MAX_CHARACTERS = 1_000_000
"""Longer scripts are cut here, which breaks them, so they are only fished. A guess at a generous bound."""

_WRAPPING = re.compile(r"\A(?>(?:\s|<!--|<!\[CDATA\[|//|/\*|\*/|\]\]>)+)|(?>(?:\s|-->|\]\]>|//|/\*|\*/|;)+)\Z")
_TRAILING_COMMA = re.compile(r",(\s*+[}\]])")
_CONTROL = re.compile(r"\\(?![\"\\/bfnrtu])")
_FISHED = re.compile(
    r'"(@type|headline|datePublished|dateCreated|dateModified|uploadDate|inLanguage|articleSection|name)"'
    r'\s{0,20}+:\s{0,20}+"((?>(?:[^"\\]|\\.){1,500}))"'
)
_NESTED = ("mainEntity", "mainEntityOfPage", "@graph")
_DECODER = json.JSONDecoder(strict=False)


def read(script: str) -> list[Mapping[str, Any]]:
    """Objects of one script; an empty list when nothing can be read. Never raises."""
    source = _WRAPPING.sub("", script[:MAX_CHARACTERS])
    if not source:
        return []
    values = _load(source)
    if values is None:
        values = _load(_TRAILING_COMMA.sub(r"\1", _CONTROL.sub(r"\\\\", source)))
    return list(_flatten(values)) if values is not None else _fish(source)


def _load(source: str) -> list[Any] | None:
    """All JSON values that stand one after the other, or None when the first is broken."""
    values: list[Any] = []
    at = 0
    while at < len(source) and len(values) < 20:
        try:
            value, at = _DECODER.raw_decode(source, at)
        except (ValueError, RecursionError):
            break
        values.append(value)
        while at < len(source) and source[at] in " \t\r\n,;":
            at += 1
    return values or None


def _flatten(values: list[Any]) -> Iterable[Mapping[str, Any]]:
    """Objects in document order; nested ones only below the keys that carry the page's main things."""
    stack: list[Any] = list(reversed(values))
    given = 0
    while stack and given < MAX_OBJECTS:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(reversed(value[:MAX_OBJECTS]))
        elif isinstance(value, dict):
            given += 1
            yield value
            stack.extend(value[key] for key in _NESTED if isinstance(value.get(key), (dict, list)))


def _fish(source: str) -> list[Mapping[str, Any]]:
    """The first value of each known key, as one object; of a name only what follows an author."""
    found: dict[str, Any] = {}
    for number, match in enumerate(_FISHED.finditer(source)):
        if number > MAX_OBJECTS:
            break
        key, value = match.groups()
        if key == "name":
            if '"author"' in source[max(0, match.start() - 150) : match.start()]:
                found.setdefault("author", {"name": _unescape(value)})
        else:
            found.setdefault(key, _unescape(value))
    return [found] if found else []


def _unescape(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value
