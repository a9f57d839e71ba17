"""Texts that make a regular expression slow: for each repetition in it, what it repeats, many times over.

A search is slow in two ways: repetitions next to each other share what they match in many ways, or the search begins at
each of many places and reads to the end from each. Both show when what is repeated, or what precedes it, is written thousands
of times, and what would end the match is missing.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Sequence
from re import _constants, _parser  # type: ignore[attr-defined]  # what `re` itself reads patterns with; typeshed leaves them out
from time import process_time
from typing import Any

SIZE = 15_000
"""Characters of a text."""
SLOW = 0.02
"""Seconds of CPU time for it. Linear searches take under 5 ms, quadratic ones 0.03 s and more, on a fast machine."""
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_PROBES = [*" a0<-\n>&;=\"'/.,:%x\t_!?", *map(chr, range(33, 127)), "é", "年", "\u3000"]
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    _constants.CATEGORY_DIGIT: str.isdigit,
    _constants.CATEGORY_NOT_DIGIT: lambda char: not char.isdigit(),
    _constants.CATEGORY_SPACE: str.isspace,
    _constants.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    _constants.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    _constants.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}


def slowest(pattern: re.Pattern[Any], searches: bool = True) -> tuple[float, str]:
    """Seconds for the worst text that was found, and what it is made of; ends with the first that is slow.

    :param searches: whether the pattern is searched for; else only matched at one place.
    """
    worst = 0.0, ""
    for head, pump, tail in _attacks(_parser.parse(pattern.pattern, pattern.flags)):
        text: Any = head + pump * (SIZE // len(pump) + 1) + tail
        if isinstance(pattern.pattern, bytes):
            text = text.encode("latin-1", "replace")
        seconds = _seconds(pattern, text, searches)
        if seconds > SLOW:  # perhaps the machine was
            seconds = min(seconds, _seconds(pattern, text, searches))
        if seconds > worst[0]:
            worst = seconds, f"{head!r} + {pump!r} * n + {tail!r}"
        if seconds > SLOW:
            break
    return worst


class _Late(Exception):
    pass


def _seconds(pattern: re.Pattern[Any], text: Any, searches: bool) -> float:
    def late(*_: object) -> None:
        raise _Late

    before, began = signal.signal(signal.SIGVTALRM, late), process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, 3 * SLOW)
    try:
        try:
            if searches:
                for _ in pattern.finditer(text):
                    pass
            else:
                pattern.match(text)
                pattern.fullmatch(text)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)  # may be late itself
    except _Late:
        pass
    finally:
        signal.signal(signal.SIGVTALRM, before)
    return process_time() - began


def _attacks(parsed: Any) -> Iterator[tuple[str, str, str]]:
    """What stands first, what is repeated, what stands last."""
    seen = set()
    for before, bodies in _repeats(parsed, ("",)):
        pumps = dict.fromkeys([*bodies, *(first + body for first in before for body in bodies), *before])
        for pump in filter(None, pumps):
            for head in dict.fromkeys(("", *before)):
                for tail in ("", "\0"):
                    if (one := (head, pump, tail)) not in seen:
                        seen.add(one)
                        yield one


def _repeats(sequence: Any, before: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """What may precede each long repetition, and what it repeats."""
    for number, (operation, value) in enumerate(sequence):
        here = list(dict.fromkeys(first + text for first in before for text in _texts(list(sequence)[:number], 2)))[:3]
        inner: list[Any] = []
        if operation in _REPEATS:
            if value[1] >= 10:
                yield here, _texts(value[2], 5)
            inner = [value[2]]
        elif operation is _constants.SUBPATTERN:
            inner = [value[3]]
        elif operation is _constants.ATOMIC_GROUP:
            inner = [value]
        elif operation in (_constants.ASSERT, _constants.ASSERT_NOT):
            inner = [value[1]]
        elif operation is _constants.BRANCH:
            inner = value[1]
        elif operation is _constants.GROUPREF_EXISTS:
            inner = [part for part in value[1:] if part]
        for part in inner:
            yield from _repeats(part, here)


def _texts(sequence: Any, most: int) -> list[str]:
    """Some short texts that a pattern matches, without regard to what it only looks at."""
    found = [""]
    for operation, value in sequence:
        if operation is _constants.LITERAL:
            parts = [chr(value)]
        elif operation is _constants.NOT_LITERAL:
            parts = _chars([(_constants.NEGATE, None), (_constants.LITERAL, value)])
        elif operation is _constants.ANY:
            parts = ["a", " "]
        elif operation is _constants.IN:
            parts = _chars(value)
        elif operation is _constants.BRANCH:
            parts = [text for branch in value[1] for text in _texts(branch, 2)]
        elif operation is _constants.SUBPATTERN:
            parts = _texts(value[3], most)
        elif operation is _constants.ATOMIC_GROUP:
            parts = _texts(value, most)
        elif operation in _REPEATS:
            parts = [text * value[0] for text in _texts(value[2], 2)] if value[0] else ["", *_texts(value[2], 1)]
        else:
            parts = [""]
        found = list(dict.fromkeys(text + part for text in found for part in list(dict.fromkeys(parts))[:most]))[:most]
    return found


def _chars(members: Sequence[tuple[Any, Any]]) -> list[str]:
    """Some characters of a class."""
    if members[0][0] is _constants.NEGATE:
        return [char for char in _PROBES if not any(_has(member, char) for member in members[1:])][:3] or ["\u4e00"]
    found = []
    for operation, value in members:
        if operation is _constants.CATEGORY:
            found.append(next(filter(_CATEGORIES[value], _PROBES)))
        else:
            found.append(chr(value if operation is _constants.LITERAL else value[0]))
    return list(dict.fromkeys(found))[:4]


def _has(member: tuple[Any, Any], char: str) -> bool:
    operation, value = member
    if operation is _constants.CATEGORY:
        return _CATEGORIES[value](char)
    if operation is _constants.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    return bool(ord(char) == value)
