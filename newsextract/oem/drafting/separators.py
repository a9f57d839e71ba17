"""Texts that separators cut into fields: ``Authors: Title. 3-9`` in one run of plain text.

A sign is a separator where it stands once in nearly all texts of a field.

Cost: linear in the texts, of which there are some.
"""

from __future__ import annotations

from collections.abc import Sequence

_SIGNS = (": ", ". ", " - ", " – ", " — ", "; ", " | ", " / ", "：", "；", ", ", " (")
_MOST = 4
_NEARLY_ALL = 0.9
_LONG = 20
"""Characters in the mean from which on a text may be several fields."""


def separators(texts: Sequence[str]) -> list[str]:
    """The signs that cut the texts, in order; none where the texts are short or have no common build."""
    if not texts or sum(map(len, texts)) < _LONG * len(texts):
        return []
    found = [sign for sign in _SIGNS if sum(text.count(sign) == 1 for text in texts) >= _NEARLY_ALL * len(texts)][:_MOST]
    found.sort(key=lambda sign: sum(text.find(sign) for text in texts))
    return found


def cut(texts: Sequence[str], signs: Sequence[str]) -> list[list[str]]:
    """The pieces of each text; empty ones where a sign is missing."""
    pieces: list[list[str]] = []
    for text in texts:
        own, rest = [], text
        for sign in signs:
            before, _, rest = rest.partition(sign)
            own.append(before.strip())
        pieces.append([*own, rest.strip()])
    return pieces
