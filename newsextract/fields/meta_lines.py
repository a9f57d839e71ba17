"""Lines at the two ends of a text that say only what has fields of its own: "Published: Mon 09 January 2023".

Of such a line nothing remains without its dates, the names of authors and section, and the words that introduce these.
At the end a whole box may say who wrote the post, where it is and who may copy it.

Cost: four lines at the beginning of a text, twelve at its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache, partial
from itertools import chain
from typing import TypeAlias
from urllib.parse import unquote

from newsextract.fields.authors import EMAIL, word_lists
from newsextract.fields.dates import ParsedDate, parse_dates
from newsextract.model_files import alternatives, data_table

_MAX_LINE = 150
_LINES = 3
"""Lines at the end of a text that are looked at; at its beginning one more."""
_MAX_HEAD = 40
"""Characters of the name of a site or a section, behind which a line of date and source may follow."""
_MAX_TAGS = 60
"""Characters of the tags behind author and day."""
_MAX_STANDFIRST = 400
"""Characters of the sentences between headline and date."""
_SENTENCE_ENDS = tuple(".!?:;,。！？：；，…\"”'’)）")
_PLAIN_WORD = re.compile(r"[^\W_]+")
_FORMS = {
    name: re.compile("|".join(parts), re.IGNORECASE) for name, parts in data_table("fields/data/meta_lines.toml").items()
}
_MAY_BE_TIME = re.compile(r"\d|min", re.IGNORECASE)
"""What a reading time has, searched much faster."""
_BOX, _MAX_BOX_LINE, _MAX_BOX_LABEL = 12, 500, 20
"""Lines of the box at the end of a post that says who wrote it, where it is and who may copy it; their characters, and those
of a label that is a line of its own, at most."""
_NO_YEAR = re.compile(r"(?<!\d)(?:\d{1,2}[./]\d{1,2}\.?,?\s)?\d{1,2}[:.]\d\d(?![\d.])")
"""A time of day beside a date, with or without its day."""
_INITIALS = 3
"""Characters of initials; longer words in capitals are places: "GENOVA, 9 novembre 2023, 13:22"."""
_COLON = re.compile(r"[:：]|\.\s")
_ADDRESS = re.compile(r"[^:：]{0,20}[:：]?\s{0,3}https?://[^\s/]{1,200}(/\S{1,600})")
"""An address behind a label."""
_Reading: TypeAlias = Callable[..., list[ParsedDate]]
""":func:`parse_dates` with the language and the time of fetch of the page."""


def meta_lines(
    text: str,
    names: Collection[str],
    *,
    language: str | None,
    fetched_at: datetime,
    headlines: Collection[int] = (),
    day: str | None = None,
    title: str | None = None,
    url: str | None = None,
) -> frozenset[int]:
    """The numbers of such lines, and of those of a box at the end; empty if the text has no other line.

    :param names: of authors and section.
    :param fetched_at: as for :func:`parse_dates`.
    :param headlines: numbers of lines that repeat the headline or are foreign, above or below which such lines may stand.
    :param day: the article's, ISO 8601: lines that name it may also stand right behind the first sentences (a standfirst).
    :param title: the headline, which a box at the end may repeat.
    :param url: the page's; the same.
    """
    lines = text.split("\n")
    read = partial(parse_dates, language=language, fetched_at=fetched_at)
    found = set(range(_box(lines, [*names, *([title] if title else [])], url, read), len(lines)))
    for numbers in (range(min(_LINES + 1, len(lines))), range(len(lines) - 1, max(-1, len(lines) - 1 - _LINES), -1)):
        known = names
        for number in numbers:
            line = lines[number]
            if number in headlines:
                continue
            is_begin = numbers.step > 0
            if len(line) <= _MAX_LINE and (
                _says_nothing_else(line, known, read) or (is_begin and _has_tags(line, known, day, read))
            ):
                found.add(number)
            elif _is_label(line):
                continue
            elif len(line) > _MAX_HEAD or line.endswith(_SENTENCE_ENDS):
                if is_begin and len(line) <= _MAX_STANDFIRST and day:
                    found.update(_behind_standfirst(lines, number + 1, names, day, read))
                break
            else:
                known = ()  # from here on, only lines with a day
    found.update(number - 1 for number in tuple(found) if number and _is_label(lines[number - 1]))
    begun = next((number for number, line in enumerate(lines) if not _is_label(line)), 0)
    found.update(range(begun) if begun > 1 else ())  # "Written by", "in": the names beside them are no part of the text
    *_, name, about = ["", "", *lines]
    if (
        len(lines) > 2
        and name.strip() in names
        and len(about) <= _MAX_STANDFIRST
        and about.startswith(f"{name.split()[0]} ")
    ):
        found.update((len(lines) - 2, len(lines) - 1))  # a box about the author, under the name
    return frozenset(found) if len(found) < len(lines) else frozenset()


def _box(lines: list[str], known: Collection[str], url: str | None, read: _Reading) -> int:
    """The number of the first line of a box about the post at the end of a text: a licence, the page's own address, or how
    to follow and answer the post, among author, date and the like; without such a box the number of lines."""
    first, is_box, own = len(lines), False, _path(url or "")

    def is_named(line: str) -> bool:
        return any(name in line for name in known) or bool(read(line))

    for number in range(len(lines) - 1, max(-1, len(lines) - 1 - _BOX), -1):
        line = lines[number]
        if len(line) > _MAX_BOX_LINE:
            break
        address = _path(line)
        if (
            (len(line) <= _MAX_LINE and _FORMS["licence"].search(line))
            or _FORMS["copyright"].match(line)
            or (address is not None and address == own)
            or (_FORMS["feedback"].search(line) and is_named(line))
        ):
            first, is_box = number, True
        elif address is not None or (len(line) <= _MAX_LINE and _says_nothing_else(line, known, read)):
            first = number
        elif len(line) > _MAX_BOX_LABEL or line.endswith(_SENTENCE_ENDS):
            break
    return first if is_box else len(lines)


def _path(line: str) -> str | None:
    """The path of an address behind a label, or alone; the hosts of copies differ."""
    address = _ADDRESS.fullmatch(line)
    return unquote(address[1].partition("?")[0]).rstrip("/") if address else None


def _behind_standfirst(lines: list[str], first: int, names: Collection[str], day: str, read: _Reading) -> list[int]:
    """The numbers of the lines from one on that say nothing but authors and the article's day; none without that day."""
    found: list[int] = []
    has_day = False
    for number in range(first, min(first + _LINES, len(lines))):
        line = lines[number]
        if len(line) > _MAX_LINE or not _says_nothing_else(line, names, read):
            break
        dates = read(line)
        has_day = has_day or any(date.value[:10] == day[:10] for date in dates)
        found.append(number)
    return found if has_day else []


def _has_tags(line: str, names: Collection[str], day: str | None, read: _Reading) -> bool:
    """Whether a line begins with the author's name and the article's day, and goes on with the names of tags."""
    name = next((name for name in names if name in line), None)
    dates = read(line) if name and day else []
    ends = [date.end for date in dates if date.value[:10] == (day or "")[:10]]
    if not name or not ends or line.endswith(_SENTENCE_ENDS):
        return False
    end = max(ends[0], line.index(name) + len(name))
    return len(line) - end <= _MAX_TAGS and _says_nothing_else(line[:end], names, read)


def _says_nothing_else(line: str, names: Collection[str], read: _Reading) -> bool:
    if (
        ((line[:1].isdigit() or line[-1:].isdigit()) and _counted().fullmatch(line))
        or _FORMS["filed"].fullmatch(line)
        or ("@" in line and EMAIL.fullmatch(line))
        or (line[-1:] != "." and _COLON.search(line) and _credited().fullmatch(line))
    ):
        return True
    is_posted = _posted().match(line) is not None
    is_short = len(line) <= _MAX_HEAD
    dates = read(line, relative=is_posted or is_short)
    rest, known = line, len([date for date in dates if date.day is not None])
    for found in reversed(dates):
        rest = f"{rest[: found.start]} {rest[found.end :]}"
    if _MAY_BE_TIME.search(rest):
        rest, times = _FORMS["reading_time"].subn(" ", rest)
        known += times
    if known:
        rest = _NO_YEAR.sub(" ", _FORMS["labelled"].sub(" ", _counted().sub(" ", rest)))
    for name in sorted(names, key=len, reverse=True):
        if name in rest:
            rest, known = rest.replace(name, " "), known + 1
    if known:
        rest = _credited().sub(" ", EMAIL.sub(" ", rest))
    if (is_posted and known) or known > 1:
        rest = _labelled().sub(" ", _FORMS["tagged"].sub(" ", rest))
    left = [word for word in _PLAIN_WORD.findall(rest) if word.lower() not in _words()]
    is_place = len(left) == 1 and left[0].isupper() and len(left[0]) > _INITIALS and any(date.clock for date in dates)
    return known > 0 and (not left or is_place)


def _is_label(line: str) -> bool:
    """Whether a line is no more than what introduces a date, an author or a section, of which the next line may consist."""
    return len(line) <= _MAX_BOX_LABEL and line.strip(" :：").lower() in _labels()


@cache
def _posted() -> re.Pattern[str]:
    """How a line begins that a theme writes about a post: "Posted on"."""
    phrases = data_table("fields/data/date_sources.toml")["published_words"]
    return re.compile(rf"\W{{0,5}}(?:{alternatives(phrases)})\b", re.IGNORECASE)


@cache
def _counted() -> re.Pattern[str]:
    """The number of comments."""
    stems = alternatives(data_table("fields/data/date_sources.toml")["comment_words"])
    return re.compile(
        rf"(?<!\d)\d{{1,6}}\s?(?:{stems})\w{{0,8}}|\b(?:{stems})\w{{0,8}}\s?:\s?\d{{1,6}}(?!\d)", re.IGNORECASE
    )


@cache
def _credited() -> re.Pattern[str]:
    """A label of a source or a photographer, and a name."""
    labels = alternatives(word_lists()["credits"])
    return re.compile(rf"\b(?:{labels})(?:\s?[:：・]|(?<=\.))\s?[^\s:：|•,]+(?:\s[^\s:：|•,]+){{0,2}}", re.IGNORECASE)


@cache
def _labelled() -> re.Pattern[str]:
    """A label of an author or a section and up to three words: the name of one that bears no other mark ("in City News")."""
    marks = data_table("fields/data/article_marks.toml")
    labels = [label for kind in ("author", "section") for label in marks[kind]["labels"] if label.isalpha()]
    label = alternatives(labels)
    return re.compile(rf"\b(?:{label})\s+[\w.&-]+(?:\s+(?!(?:{label})\b)[\w.&-]+){{0,2}}", re.IGNORECASE)


@cache
def _labels() -> frozenset[str]:
    """What is written before dates, authors and sections."""
    sources, marks = (data_table(f"fields/data/{name}.toml") for name in ("date_sources", "article_marks"))
    labels = (label for kind in ("author", "section", "meta") for label in marks[kind]["labels"])
    return word_lists()["by"].union(sources["published_words"], labels)


@cache
def _words() -> frozenset[str]:
    """The words of these, and of what else stands there."""
    sources, marks, dates = (data_table(f"fields/data/{name}.toml") for name in ("date_sources", "article_marks", "dates"))
    kinds = [marks[kind]["labels"] for kind in ("author", "section")] + [marks["meta"]["words"]]
    kinds += [word_lists()[name] for name in ("by", "line_by", "joining", "weekdays")]
    kinds += [sources["published_words"], sources["modified_words"], dates["words"]["before_time"], dates["zones"]]
    return frozenset(word.lower() for phrase in chain(*kinds) for word in _PLAIN_WORD.findall(phrase))
