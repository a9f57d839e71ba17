"""The names in one author text: "By Jane Doe and Max Power, Gull staff | The Gull" → Jane Doe, Max Power.

Leading words ("By", "作者："), addresses, roles, newsrooms ("Gull staff", "Redaktion") and what follows a name ("Published
Nov") are left out; ``data/authors.toml`` has the words. An organisation keeps its "and".
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from newsextract.fields.dates import months
from newsextract.page.markup import plain

_MAX_TEXT = 600
_MAX_NAME = 60
_MAX_WORDS = 6

ADDRESS = re.compile(r"https?:|www\.|/|@")
"""What no name holds."""
EMAIL = re.compile(r"\(?\s?[\w.+-]{1,64}@[\w.-]{1,100}\s?\)?")
_HAN_NAMES = re.compile(r"[\u4e00-\u9fff]{2,4}(?:\s[\u4e00-\u9fff]{2,4})+")
"""Several Chinese names, separated by blanks only."""
_PAPER = re.compile(r"\s\|\s.*$")
_ROLE = re.compile(r"\s(?:-|–|—|•)\s.*$|\s?\([^)]*\)|\s?（[^）]*）|\s[fF]or\s.*$|／.*$|\s기자$|\s?のすべての投稿を表示$")
_LAST_FIRST = re.compile(r"([^\W\d_][\w'’-]{1,20}),\s([^\W\d_][\w'’-]{1,20})")
_EDGES = " .:：·|-–—*_\"',，"


def split_names(text: str) -> list[str]:
    """Names in one author text, in its order; the same name may stand there twice."""
    text = _PAPER.sub("", EMAIL.sub(" ", plain(text[:_MAX_TEXT])).strip())
    text = _leading().sub("", text, count=1)
    turned = _LAST_FIRST.fullmatch(text)
    if turned is not None:
        text = f"{turned[2]} {turned[1]}"
    names = []
    for part in [text] if _organisations().search(text) else _separators().split(text):
        name = _ROLE.sub("", _leading().sub("", part.strip(), count=1)).strip(_EDGES)
        name = _newsrooms_behind().sub("", name)
        if _is_name(name):
            names += name.split() if _HAN_NAMES.fullmatch(name) else [name]
    return names


def is_byline(text: str) -> bool:
    """Whether a text begins as a byline does: "By", "作者："."""
    return _leading().match(text) is not None


def without_date(name: str, dated: bool) -> str:
    """A byline's name without the first words of the date line behind it ("Jane Doe Published Nov").

    :param dated: whether digits follow: then a month or weekday at the end is no name.
    """
    words = name.split()
    while len(words) > 1:
        last = words[-1].strip(".,").lower()
        surname = words[-1].endswith(",") and last in months("en")  # "By Theresa May, 3 March"
        if last in word_lists()["behind"]:
            dated = True
        elif surname or not (dated and (last in months("en") or last in word_lists()["weekdays"])):
            break
        words.pop()
    return " ".join(words)


def key(name: str) -> str:
    """Letters and digits in lower case."""
    return re.sub(r"[\W_]+", "", name).lower()


@cache
def word_lists() -> dict[str, Any]:
    """The lists of ``data/authors.toml``."""
    return tomllib.loads((files("newsextract.fields.data") / "authors.toml").read_text("utf-8"))


@cache
def refused() -> frozenset[str]:
    """Keys of what is no author: agencies, roles, words of forms."""
    return frozenset(map(key, word_lists()["agencies"]))


def _is_name(name: str) -> bool:
    return (
        1 < len(name) <= _MAX_NAME
        and len(name.split()) <= _MAX_WORDS
        and not any(c.isdigit() for c in name)
        and not ADDRESS.search(name)
        and not _newsroom().search(name)
    )


def _alternatives(words: list[str]) -> str:
    return "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True))


@cache
def _leading() -> re.Pattern[str]:
    latin = _alternatives([w for w in word_lists()["by"] if w[0] < "\u2e80"])
    cjk = _alternatives([w for w in word_lists()["by"] if w[0] >= "\u2e80"])
    return re.compile(
        rf"^\s*(?:(?:{latin})(?:\s*[:：]\s*|\s+)|(?:{cjk})(?:\s*[:：丨|/]\s*|\s+|(?=[\u4e00-\u9fff])))", re.IGNORECASE
    )


@cache
def _separators() -> re.Pattern[str]:
    return re.compile(_alternatives(word_lists()["separators"]), re.IGNORECASE)


@cache
def _organisations() -> re.Pattern[str]:
    return re.compile(rf"(?:{_alternatives(word_lists()['organisations'])})[se]?(?!\w)", re.IGNORECASE)


@cache
def _newsroom() -> re.Pattern[str]:
    return re.compile(rf"(?:^|[\s-])(?:{_alternatives(word_lists()['newsroom'])})(?:$|\s)", re.IGNORECASE)


@cache
def _newsrooms_behind() -> re.Pattern[str]:
    """An agency behind a name, without a comma."""
    return re.compile(r"(?<=\w)\s(?:The\s)?(?:Associated Press|Reuters)$")
