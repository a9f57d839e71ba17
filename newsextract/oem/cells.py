"""The three parts of a format line, and the error that names a place in a format file.

Commas separate the parts but for those in quotes, in tags, and between the arguments of ``split(…)`` and ``get(…)``.

Cost: linear in the line's length.
"""

from __future__ import annotations

import re

from newsextract.errors import UsageError

EXAMPLE = "{<li>#</li>, paper, root}"


class FormatError(UsageError):
    """A format file is wrong; the message names file, line, column, what was expected, and an example."""

    def __init__(self, name: str, line: int, column: int, message: str, example: str = EXAMPLE) -> None:
        stop = "" if message.endswith("?") else "."
        super().__init__(f"{name}:{line}:{column}: {message}{stop} Example: {example}")


def cells_of(text: str, start: int, number: int, name: str) -> tuple[list[tuple[str, int]], int]:
    """The parts between braces, each with its offset, and the offset behind the closing brace."""
    cells: list[tuple[str, int]] = []
    begun = place = start
    depth = 0
    while place < len(text):
        char = text[place]
        if char == "\\":
            place += 1
        elif char == '"':
            place = _behind_quote(text, place, number, name) - 1
        elif (char == "<" and text[place + 1 : place + 2].isalpha()) or text.startswith("</", place):
            close = text.find(">", place)
            if close > 0 and not _breaks_off(text[place:close]):
                place = close
        elif char == "(":
            depth += 1
        elif char == ")":
            depth = max(0, depth - 1)
        elif char == "}" or (char == "," and not (depth and _is_call(text, begun))):
            cell = text[begun:place]
            cells.append((cell.strip(), begun + len(cell) - len(cell.lstrip())))
            begun, depth = place + 1, 0
            if char == "}":
                return cells, place + 1
        place += 1
    raise FormatError(name, number, len(text.rstrip()) + 1, "expected '}' at the end of the line")


def _breaks_off(tag: str) -> bool:
    """Whether what begins like a tag is none: the next one begins in it."""
    return "<" in tag[1:]


def _is_call(text: str, begun: int) -> bool:
    """Whether the part that begins here is ``split(…)`` or ``get(…)``, where commas stand between arguments."""
    return re.match(r"\s*(?:split|get)\s*\(", text[begun:]) is not None


def _behind_quote(text: str, start: int, number: int, name: str) -> int:
    place = start + 1
    while place < len(text):
        if text[place] == "\\":
            place += 1
        elif text[place] == '"':
            return place + 1
        place += 1
    raise FormatError(name, number, start + 1, "the quote is not closed; expected '\"'", '{"no. "#<br>, number, item}')
