"""Authors of an article page: from JSON-LD, meta elements, microdata and the byline near the main text.

The first source that names persons wins, since sources repeat each other in different spellings. Words before a name
("By", "作者："), e-mail addresses, agencies and the site's own name are removed (``data/authors.toml``).

Cost: negligible; only metadata and a few short texts are read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from newsextract.article import Surroundings
from newsextract.fields.markup import plain
from newsextract.fields.metadata import Metadata
from newsextract.fields.title_parts import site_names

MAX_AUTHORS = 10
_MAX_NAME = 60
_MAX_BYLINE = 160

_META = (
    "author", "article:author", "authors", "byl", "byline", "parsely-author", "sailthru.author", "dc.creator",
    "dcterms.creator", "citation_author", "article.author", "cxenseparse:author", "creator", "og:article:author",
    "dable:author",
)  # fmt: skip
_EMAIL = re.compile(r"\(?\s?[\w.+-]{1,64}@[\w.-]{1,100}\s?\)?")
_ADDRESS = re.compile(r"https?:|www\.|/|@")
_HAN_NAMES = re.compile(r"[\u4e00-\u9fff]{2,4}(?:\s[\u4e00-\u9fff]{2,4})+")
"""Several Chinese names, separated by blanks only."""
_ROLE = re.compile(r"\s(?:\||-|–|—|•)\s.*$|\s?\([^)]*\)|\s?（[^）]*）")


def find_authors(metadata: Metadata, surroundings: Surroundings) -> tuple[str, ...]:
    """Names of the authors, at most ten, in the page's order; empty when none is stated."""
    refused = site_names(metadata, None) | _agencies()
    for values in _sources(metadata, surroundings):
        names: dict[str, str] = {}
        for value in values:
            for name in split_names(value):
                key = _key(name)
                if key and key not in refused:
                    names.setdefault(key, name)
        if names:
            return tuple(names.values())[:MAX_AUTHORS]
    return ()


def split_names(text: str) -> list[str]:
    """Names in one author text: leading words, addresses and roles removed, several split."""
    text = _EMAIL.sub(" ", plain(text[:600]))
    text = _leading().sub("", text.strip(), count=1)
    names = []
    for part in _separators().split(text):
        name = _ROLE.sub("", _leading().sub("", part.strip(), count=1)).strip(" .:：·|-–—*_\"'")
        if _is_name(name):
            names += name.split() if _HAN_NAMES.fullmatch(name) else [name]
    return names


def _sources(metadata: Metadata, surroundings: Surroundings) -> Iterator[list[str]]:
    yield list(_from_json_ld(metadata))
    for name in _META:
        yield [value for value in metadata.meta.get(name, ()) if not _ADDRESS.search(_EMAIL.sub("", value))]
    yield list(metadata.properties.get("author", ()))[:MAX_AUTHORS]
    yield list(metadata.author_links[:3])
    yield list(_bylines(surroundings.before))
    yield list(_bylines(surroundings.after[-6:]))


def _from_json_ld(metadata: Metadata) -> Iterator[str]:
    for item in metadata.json_ld[:20]:
        given = item.get("author") or item.get("creator")
        people = given if isinstance(given, list) else [given]
        found = False
        for person in people[:MAX_AUTHORS]:
            name = person.get("name") if isinstance(person, dict) else person
            if isinstance(person, dict) and "organization" in str(person.get("@type", "")).lower():
                continue
            for one in name if isinstance(name, list) else [name]:
                if isinstance(one, str) and one and not _ADDRESS.search(one):
                    found = True
                    yield one
        if found:
            return


def _bylines(texts: Iterable[str]) -> Iterator[str]:
    for text in list(texts)[:40]:
        match = _byline().search(text[:_MAX_BYLINE])
        if match is not None:
            yield next(group for group in match.groups() if group)
            return


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads((files("newsextract.fields.data") / "authors.toml").read_text("utf-8"))


@cache
def _agencies() -> frozenset[str]:
    return frozenset(map(_key, _words()["agencies"]))


@cache
def _leading() -> re.Pattern[str]:
    latin = "|".join(re.escape(w) for w in sorted(_words()["by"], key=len, reverse=True) if w[0] < "\u2e80")
    cjk = "|".join(re.escape(w) for w in sorted(_words()["by"], key=len, reverse=True) if w[0] >= "\u2e80")
    return re.compile(
        rf"^\s*(?:(?:{latin})(?:\s*[:：]\s*|\s+)|(?:{cjk})(?:\s*[:：丨|/]\s*|\s+|(?=[\u4e00-\u9fff])))", re.IGNORECASE
    )


@cache
def _separators() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(s) for s in sorted(_words()["separators"], key=len, reverse=True)), re.IGNORECASE)


@cache
def _byline() -> re.Pattern[str]:
    words = sorted(_words()["strict_by"], key=len, reverse=True)
    latin = "|".join(re.escape(w) for w in words if w[0] < "\u2e80")
    cjk = "|".join(re.escape(w) for w in words if w[0] >= "\u2e80")
    name = r"[^\W\d_][\w.'’-]{0,20}(?:\s(?:and|und|et|y|de|von|van|der|&|[A-ZÀ-ÞА-Я][\w.'’-]{0,20}),?){1,5}"
    return re.compile(
        rf"(?:^|[|•·–—-]\s)(?i:{latin})(?:\s?:\s?|\s)(?=[A-ZÀ-ÞА-Я])({name})"
        rf"|^(?i:posted|published|written|filed)\b[^.]{{0,60}}?\b(?i:by)\s(?=[A-ZÀ-ÞА-Я])({name})"
        rf"|(?:{cjk})\s?[:：丨]\s?([\u4e00-\u9fff·]{{2,8}}(?:[、，\s][\u4e00-\u9fff·]{{2,4}}){{0,3}})"
        rf"|(?:记者|記者)\s([\u4e00-\u9fff·]{{2,4}})(?=\s|$|\W)"
    )


def _is_name(name: str) -> bool:
    return (
        1 < len(name) <= _MAX_NAME
        and len(name.split()) <= 6
        and not any(c.isdigit() for c in name)
        and not _ADDRESS.search(name)
    )


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()
