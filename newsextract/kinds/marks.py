"""What URL, titles, declared types and repeated short texts say about a page's kind, as numbers of 0 and more.

Their words are in ``data/marks.toml``. They are evidence beside what the page itself shows, never the only one.
"""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from newsextract.discovery.addresses import normalize
from newsextract.discovery.archive_addresses import archive_group
from newsextract.discovery.scores import address_score
from newsextract.dom import Dom
from newsextract.page import Page

MARKS = (
    "repeated", "thread_marks", "address", "home", "search_address", "thread_address", "archive_address", "search_title",
    "error_title", "login_title", "title_in_heading", "says_article", "says_listing", "thread_software",
)  # fmt: skip
"""Names of the marks, in order."""
_SHAPE = 40
"""Characters that a block may have to count as the repeated companion of a record."""
_HEADLINE = 22
"""Characters of a heading that repeats the page's title."""
_DIGITS = str.maketrans("123456789", "000000000")
_EDGES = " 0:：#()（）,.•|·"


@cache
def _words() -> Mapping[str, frozenset[str]]:
    data = tomllib.loads(files(__package__).joinpath("data/marks.toml").read_text("utf-8"))
    return {name: frozenset(words) for name, words in data.items()}


def marks(page: Page, width: float) -> tuple[float, ...]:
    """Those of :data:`MARKS`.

    :param width: Latin characters that a character of this page is worth.
    """
    words = _words()
    return (
        *_repeated(page.dom, words["thread"]),
        *_address(page.url, words),
        *_titles(page, words, _HEADLINE / width),
        *_declared(page, words),
    )


def _repeated(dom: Dom, words: frozenset[str]) -> tuple[float, float]:
    """Short blocks of one shape, digits apart, that are mainly no link; and those that a forum puts beside posts."""
    columns = zip(dom.texts, dom.counts, strict=True)
    short = [text for text, count in columns if count and len(text) < _SHAPE and 2 * count > len(text)]
    repeated = thread = 0
    for shape, times in Counter("\0".join(short).translate(_DIGITS).split("\0")).items():
        if times > 1 and shape:
            repeated += times if times > 2 else 0
            if shape.lower().strip(_EDGES) in words:
                thread += times
    return math.log1p(repeated), math.log1p(min(50, thread))


def _address(given: str | None, words: Mapping[str, frozenset[str]]) -> tuple[float, ...]:
    url = normalize(given) if given else None
    if url is None:
        return (0.0,) * 5
    path, _, query = url.lower().partition("?")
    segments = [segment for segment in path.split("/")[3:] if segment]
    names = {pair.partition("=")[0] for pair in query.split("&")}
    searched = bool(names & words["search_parameters"]) or not words["search_paths"].isdisjoint(segments)
    return (
        address_score(url),
        float(not segments and not query),
        float(searched),
        float(not words["thread_paths"].isdisjoint(segments)),
        float(archive_group(url) is not None),
    )


def _titles(page: Page, words: Mapping[str, frozenset[str]], headline: float) -> tuple[float, ...]:
    title = (page.metadata.title or "").lower()[:300]
    headings = [(h.level, h.text[:200].lower()) for h in page.dom.headings[:100] if h.level <= 3]
    tops = [title, *(text for level, text in headings if level == 1)][:4]
    return (
        float(_any_in(words["search_titles"], tops)),
        float(_any_in(words["error_titles"], tops[:2])),
        float(len(title) < 40 and _any_in(words["login_titles"], [title])),
        float(any(len(text) >= headline and text[:60] in title for _, text in headings)),
    )


def _any_in(words: frozenset[str], texts: Iterable[str]) -> bool:
    return any(word in text for text in texts for word in words)


def _declared(page: Page, words: Mapping[str, frozenset[str]]) -> tuple[float, ...]:
    types: list[str] = []
    for thing in page.metadata.json_ld[:50]:
        kind = thing.get("@type")
        types += [t.lower() for t in (kind if isinstance(kind, list) else [kind])[:5] if isinstance(t, str)]
    articles = sum(t.endswith(("article", "blogposting")) for t in types)
    lists = not words["listing_types"].isdisjoint(types)
    og = (page.metadata.first("og:type") or "").lower()
    maker = (page.metadata.first("generator") or "").lower()[:200]
    return (
        float((articles in (1, 2) and not lists) or "article" in og),
        float(lists or articles > 2),  # the items of a list are articles, too: several of them make no article page
        float(any(name in maker for name in words["thread_software"])),
    )
