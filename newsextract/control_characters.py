"""Control characters and hints where words may break: none in what is extracted, none printed but by a progress line.

A title may hold an escape sequence that rewrites the terminal's screen or fills its clipboard (ESC, OSC 52, BEL). Records
get none of C0 (except newline and tab), DEL, C1, U+FFFE and U+FFFF, which XML forbids; where one was white space, a blank
stays. Soft hyphens, zero-width spaces and byte order marks go, too. Joiners (U+200C, U+200D) stay, because Persian, Indic
scripts and emoji need them; so do marks of direction, but :func:`escaped` shows those that can make a printed line look like
another.

Cost: one search through each text, 3 ns a character; a clean text is returned as it is.
"""

from __future__ import annotations

import dataclasses
import re
import time
from functools import cache
from typing import Any, TextIO

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\ufeff\ufffe\uffff]")
_RUN = re.compile(r"[ \x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\ufeff\ufffe\uffff]++")
_ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Also embeddings, overrides and isolates of the writing direction, and halves of characters."""


def without_hints(text: str) -> str:
    """A text without soft hyphens, zero-width spaces and byte order marks."""
    return text.replace("\xad", "").replace("\u200b", "").replace("\ufeff", "")


def cleaned(value: Any) -> Any:
    """A value without control characters and hints: a text, or a tuple, list, dictionary or dataclass that holds texts.

    :returns: the very value where it has none.
    """
    if isinstance(value, str):
        return _RUN.sub(_fold, value) if _CONTROLS.search(value) else value
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, tuple | list):
        if {*map(type, value)} <= {int}:
            return value
        made = [cleaned(one) for one in value]
        return value if all(new is old for new, old in zip(made, value, strict=True)) else type(value)(made)
    if isinstance(value, dict):
        pairs = {cleaned(name): cleaned(one) for name, one in value.items()}
        return value if all(map(_is, pairs.items(), value.items())) and len(pairs) == len(value) else pairs
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [(name, getattr(value, name)) for name in _names(type(value))]
        changes = {name: new for name, old in fields if (new := cleaned(old)) is not old}
        return dataclasses.replace(value, **changes) if changes else value
    return value


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """The names of a dataclass's fields."""
    return tuple(field.name for field in dataclasses.fields(kind))


def _fold(run: re.Match[str]) -> str:
    """What stands for blanks and control characters: themselves, one blank between words, nothing at the edge of a line."""
    if not _CONTROLS.search(run[0]):
        return run[0]
    before, after = run.string[run.start() - 1 : run.start()], run.string[run.end() : run.end() + 1]
    inside = before not in ("", "\n") and after not in ("", "\n")
    return " " if inside and any(map(str.isspace, run[0])) else ""


def escaped(text: str) -> str:
    """A text for a terminal: characters that would act on it are shown, as ``\\x1b`` or ``\\u202e``; lines stay lines."""
    return _ACTING.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that a spreadsheet runs."""
_INSIDE = re.compile(r"(?<=[;\t\r\n])(?= {0,9}[=+@\uff1d\uff0b\uff0d\uff20-][^;\t\r\n(|]*[(|])")
"""Where a spreadsheet that separates by semicolons begins a cell that calls a function or a program."""


def cell(text: str) -> str:
    """A text for a cell of a CSV file: an apostrophe before what a spreadsheet would run."""
    text = _INSIDE.sub("'", text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def plural(count: int, what: str) -> str:
    """A number and what it counts: ``1 page``, ``1,200 pages``."""
    return f"{count:,} {what}{'s'[: count != 1]}"


def _is(new: tuple[Any, Any], old: tuple[Any, Any]) -> bool:
    return new[0] is old[0] and new[1] is old[1]


# --- progress -------------------------------------------------------------------------------------
# How far a long command is: one live line on a terminal, else a plain line every ten seconds.

_PLAIN_INTERVAL = 10.0
_LIVE_INTERVAL = 0.1


class ProgressLine:
    """Tells how far a run is: one live line on a terminal, else a plain line every ten seconds."""

    def __init__(self, label: str, stream: TextIO) -> None:
        self._label = label
        self._stream = stream
        self._live = stream.isatty()
        self._interval = _LIVE_INTERVAL if self._live else _PLAIN_INTERVAL
        self._start = self._told = time.monotonic()

    def update(self, done: int, total: int) -> None:
        """Tell, unless it was told just before."""
        left = (time.monotonic() - self._start) * (total - done) / done
        self.tell(f"{done} of {total} pages, {left:.0f} s left")

    def tell(self, words: str) -> None:
        """Tell something, unless something was told just before."""
        now = time.monotonic()
        if now - self._told < self._interval:
            return
        self._told = now
        line = f"{self._label}: {words}"
        self._stream.write(f"\r\x1b[K{line}" if self._live else f"{line}\n")
        self._stream.flush()

    def close(self) -> None:
        """Clear the live line."""
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
