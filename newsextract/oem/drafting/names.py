"""Names for the objects of a draft: from classes and heads of columns, else from what the texts look like.

Cost: linear in the texts, of which there are some.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SLUG = re.compile(r"[^a-z0-9]+")
_MAX = 30
_MOST = 0.8
_LOOKS = (
    ("date", re.compile(
        r"(?:19|20)[0-9]{2}[-./年][0-9]{1,2}[-./月][0-9]{1,2}.{0,12}|[01][0-9][-./][0-3][0-9]|[0-9]{1,2}:[0-9]{2}"
        r"|[0-9]{1,2}月[0-9]{1,2}日|[0-9]{1,2}\.? \w{3,9}\.? [0-9]{4}|\w{3,9}\.? [0-9]{1,2}, [0-9]{4}"
    )),
    ("pages", re.compile(r"(?:pp?\.?\s*)?[0-9]{1,5}\s*[-–—]\s*[0-9]{1,5}")),
    ("number", re.compile(r"[\W0-9]*[0-9][\W0-9]*")),
)  # fmt: skip
_NAMED = ("author", re.compile(r"(?:[A-ZÀ-Þ][\w'’-]*\.?,? ?){2,5}(?:, .+)?"))
_TITLE = 12
"""Characters in the mean from which on the longest text of an item is its title; two words of English."""


def slug(text: str) -> str:
    """A name made of a class or a column's head; empty where no letters are left."""
    found = _SLUG.sub("_", text.lower()).strip("_")[:_MAX].strip("_")
    return found if found[:1].isalpha() else ""


def looks_like(texts: Sequence[str]) -> str:
    """``pages``, ``date``, ``number`` or ``author`` where nearly all texts look so, else an empty name."""
    for name, pattern in (*_LOOKS, _NAMED):
        if sum(pattern.fullmatch(text) is not None for text in texts) >= _MOST * len(texts):
            return name
    return ""


def is_long(texts: Sequence[str]) -> bool:
    """Whether texts are long enough for titles."""
    return sum(map(len, texts)) >= _TITLE * len(texts)


class Names:
    """Names that are given once."""

    def __init__(self, taken: Sequence[str] = ()) -> None:
        self._taken = set(taken)

    def take(self, *wanted: str) -> str:
        """The first of some names that is free, or the last of them with a number."""
        choice = [name for name in wanted if name]
        for name in choice:
            if name not in self._taken:
                self._taken.add(name)
                return name
        number = 2
        while f"{choice[-1]}{number}" in self._taken:
            number += 1
        self._taken.add(f"{choice[-1]}{number}")
        return f"{choice[-1]}{number}"
