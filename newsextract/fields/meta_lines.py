"""Lines at the two ends of a text that say only what has fields of its own: "Published: Mon 09 January 2023".

Of such a line nothing remains without its dates, the names of authors and section, and the words that introduce these.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from datetime import datetime
from functools import cache
from importlib.resources import files

from newsextract.fields.dates import parse_dates

_MAX_LINE = 150
_LINES = 3
"""Lines at each end of a text that are looked at."""
_WORD = re.compile(r"[^\W_]+")


def meta_lines(text: str, names: Collection[str], *, language: str | None, fetched_at: datetime) -> frozenset[int]:
    """The numbers of such lines; empty if the text has no other line.

    :param names: of authors and section.
    :param fetched_at: as for :func:`~newsextract.fields.dates.parse_dates`.
    """
    lines = text.split("\n")
    found: set[int] = set()
    for numbers in (range(min(_LINES, len(lines))), range(len(lines) - 1, max(-1, len(lines) - 1 - _LINES), -1)):
        for number in numbers:
            line = lines[number]
            if len(line) > _MAX_LINE or not _says_nothing_else(line, names, language, fetched_at):
                break
            found.add(number)
    return frozenset(found) if len(found) < len(lines) else frozenset()


def _says_nothing_else(line: str, names: Collection[str], language: str | None, fetched_at: datetime) -> bool:
    dates = parse_dates(line, language=language, fetched_at=fetched_at, relative=False)
    rest, known = line, len([date for date in dates if date.day is not None])
    for date in reversed(dates):
        rest = f"{rest[: date.start]} {rest[date.end :]}"
    for name in sorted(names, key=len, reverse=True):
        if name in rest:
            rest, known = rest.replace(name, " "), known + 1
    return known > 0 and all(word.lower() in _words() for word in _WORD.findall(rest))


@cache
def _words() -> frozenset[str]:
    """Single words of what is written before dates, authors and sections."""
    data = files("newsextract.fields.data")
    sources, marks, dates, authors = (
        tomllib.loads((data / f"{name}.toml").read_text("utf-8"))
        for name in ("date_sources", "article_marks", "dates", "authors")
    )
    phrases = [
        *sources["published_words"],
        *sources["modified_words"],
        *marks["author"]["labels"],
        *marks["section"]["labels"],
    ]
    phrases += [*dates["words"]["before_time"], *dates["zones"], *authors["weekdays"], *marks["meta"]["words"]]
    return frozenset(word.lower() for phrase in phrases for word in _WORD.findall(phrase))
