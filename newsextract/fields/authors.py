"""Authors of an article page: from JSON-LD, meta elements, microdata and the byline near the main text.

The first source that names persons wins, since sources repeat each other in different spellings. What in a text is a name:
:mod:`newsextract.fields.author_names`. Agencies and the site's own name are no authors.

Cost: negligible; only metadata and a few short texts are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from newsextract.fields.article_marks import ArticleMarks
from newsextract.fields.author_names import ADDRESS, EMAIL, key, refused, split_names, without_date, word_lists
from newsextract.fields.title_parts import site_names
from newsextract.page.metadata import Metadata
from newsextract.results import Surroundings

MAX_AUTHORS = 10
_MAX_BYLINE = 160

_META = (
    "author", "article:author", "authors", "byl", "byline", "parsely-author", "sailthru.author", "dc.creator",
    "dcterms.creator", "citation_author", "article.author", "cxenseparse:author", "creator", "og:article:author",
    "dable:author",
)  # fmt: skip
_DATE_BEHIND = re.compile(r"[ .,]{0,3}(?:[^\W\d_]{3,9}\.? )?\d")
_CONJUNCTION = re.compile(r"\s(?:and|und|et|y|e|en|og|och|i|и|&)\s")


def find_authors(metadata: Metadata, surroundings: Surroundings, marks: ArticleMarks | None = None) -> tuple[str, ...]:
    """Names of the authors, at most ten, in the page's order; empty when none is stated.

    :param marks: what the page's theme marks around the article; None where the text's place in the tree is not known.
    """
    return next((names for _, _, names in authors_by_source(metadata, surroundings, marks) if names), ())


def authors_by_source(
    metadata: Metadata, surroundings: Surroundings, marks: ArticleMarks | None = None
) -> Iterator[tuple[str, list[str], tuple[str, ...]]]:
    """Where a page may state its authors, strongest first: the place, what it has, and the names in that."""
    no_authors = site_names(metadata, None) | refused()
    for source, values in _sources(metadata, surroundings, marks):
        names: dict[str, str] = {}
        for value in values:
            if key(value) in no_authors:
                continue  # before it is split: "Jobs & Hire"
            for name in split_names(value):
                if (name_key := key(name)) and name_key not in no_authors:
                    names.setdefault(name_key, name)
        yield source, values, tuple(names.values())[:MAX_AUTHORS]


def _sources(metadata: Metadata, surroundings: Surroundings, marks: ArticleMarks | None) -> Iterator[tuple[str, list[str]]]:
    yield "json-ld", list(_from_json_ld(metadata))
    for name in _META:
        if name in metadata.meta:
            yield f"meta:{name}", [value for value in metadata.meta[name] if not ADDRESS.search(EMAIL.sub("", value))]
    yield "microdata", list(metadata.properties.get("author", ()))[:MAX_AUTHORS]
    yield "rel=author", list(metadata.author_links[:3])
    if marks is not None:
        yield "marks of the theme", marks.authors
    yield "near_text", list(_bylines(surroundings.before))
    yield "after_text", list(_bylines(surroundings.after[-6:]))


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
                if isinstance(one, str) and one and not ADDRESS.search(one):
                    found = True
                    yield one
        if found:
            return


def _bylines(texts: Iterable[str]) -> Iterator[str]:
    for text in list(texts)[:40]:
        match = _byline().search(text[:_MAX_BYLINE])
        if match is not None:
            number = next(n for n, group in enumerate(match.groups(), 1) if group)
            names = without_date(match[number], dated=_DATE_BEHIND.match(text, match.end(number)) is not None)
            head, _, tail = names.partition(",")
            # Behind the comma of a visible byline stand a paper, a place or a role, unless the list of names goes on.
            yield names if _CONJUNCTION.search(tail) else head
            return


@cache
def _byline() -> re.Pattern[str]:
    words = sorted(word_lists()["strict_by"], key=len, reverse=True)
    latin = "|".join(re.escape(w) for w in words if w[0] < "\u2e80")
    cjk = "|".join(re.escape(w) for w in words if w[0] >= "\u2e80")
    first = r"[^\W\d_][\w.'’-]{0,20}"
    inner = r"(?:and|und|et|y|de|da|do|dos|del|di|la|le|von|van|der|den|zu|bin|al|el)(?!\w)"
    name = rf"{first}(?: (?:{inner}|&|[A-ZÀ-ÞА-Я][\w.'’-]{{0,20}}),?){{1,6}}"
    han = r"[\u4e00-\u9fff·]{2,6}"
    return re.compile(
        rf"(?:^|\n|[|•·–—-]\s)(?i:{latin})(?:\s?:\s?|\s)(?=[A-ZÀ-ÞА-Я])({name})"
        rf"|(?:^|\n|[|•·–—-]\s)(?i:{latin})(?:\s?[:：]\s?|\s)({han}(?:(?:、|,\s?|，|\s(?:and|&)\s){han})*)(?=\W|$)"
        rf"|^(?i:posted|published|written|filed)\b[^.]{{0,60}}?\b(?i:by)\s(?=[A-ZÀ-ÞА-Я])({name})"
        rf"|\b\d{{4}},? (?i:by) (?=[A-ZÀ-ÞА-Я])({name})"
        rf"|^(?i:(?:posted |published |written )?by) ({first}(?: {first})?) (?:on|at) (?=[A-Z\d])"
        rf"|(?:{cjk})\s?[:：丨]\s?([\u4e00-\u9fff·]{{2,8}}(?:[、， ][\u4e00-\u9fff·]{{2,4}}(?![\u4e00-\u9fff：:])){{0,3}})"
        rf"|(?:记者|記者)\s([\u4e00-\u9fff·]{{2,4}})(?=\s|$|\W)"
    )
