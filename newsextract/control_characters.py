"""Control characters: none in what is extracted, none printed.

A title may hold an escape sequence that rewrites the terminal's screen or fills its clipboard (ESC, OSC 52, BEL). All of C0
but newline and tab, DEL and all of C1 go where articles and records are made; those that are white space become a blank.
Marks of direction stay in records, since Arabic and Hebrew text needs them; :func:`escaped` shows those that can make a
printed line look like another one.

Cost: one search through each text, 4 ns a character; what has none is returned as it is.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_REPLACED = {
    code: " " if chr(code).isspace() else None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"
}
_ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Also embeddings, overrides and isolates of the writing direction, and halves of characters."""


def cleaned(value: Any) -> Any:
    """A value without control characters: a text, or a tuple, list, dictionary or dataclass that holds texts.

    :returns: the very value where it has none.
    """
    if isinstance(value, str):
        return value.translate(_REPLACED) if _CONTROLS.search(value) else value
    if isinstance(value, tuple | list):
        made = [cleaned(one) for one in value]
        return value if all(new is old for new, old in zip(made, value, strict=True)) else type(value)(made)
    if isinstance(value, dict):
        pairs = {cleaned(name): cleaned(one) for name, one in value.items()}
        return value if all(map(_is, pairs.items(), value.items())) and len(pairs) == len(value) else pairs
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        changes = {name: new for name, old in fields.items() if (new := cleaned(old)) is not old}
        return dataclasses.replace(value, **changes) if changes else value
    return value


def escaped(text: str) -> str:
    """A text for a terminal: characters that would act on it are shown, as ``\\x1b`` or ``\\u202e``; lines stay lines."""
    return _ACTING.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def _is(new: tuple[Any, Any], old: tuple[Any, Any]) -> bool:
    return new[0] is old[0] and new[1] is old[1]
