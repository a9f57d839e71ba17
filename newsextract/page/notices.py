"""Notices in place of a page: it does not exist, or a log-in, a question for consent or a closed site stands before it.

Servers send such pages with HTTP 200, so no code tells them. Title or first heading must say it (``data/notices.toml``,
forty languages), on a page with little text of its own that names neither a day nor an author: articles about missing pages
have more text, or one of both. A log-in needs a field to type into, and a question for consent a button. None of the
3,999 pages of the bench is taken for one (a trial).

Cost: the words are searched in the title and the first headings only; everything else is asked if they say something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from newsextract.model_files import data_table
from newsextract.page.metadata import plain
from newsextract.page.page import Page
from newsextract.results import ASKS_CONSENT, IS_LOG_IN

MOST_TEXT = 1_500
"""Characters outside links that a page with a notice has at most, a Chinese, Japanese or Korean one counting three."""
_MOST_LINE = 100
"""Characters of a title's part or a heading, at most; a notice is short."""
_SITE_NAME = 30
"""Characters of a title's part that may be the name of a site; a longer one may be a headline."""
_FEW_TIMES = 2
"""``<time>`` elements that date the page itself; more of them are those of teasers."""
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_PARTS = re.compile(r"\s[|–—:·•»«-]{1,3}\s|[|｜_]| - ")
_TYPED = re.compile(r"<input[^<>]{0,400}\btype\s{0,3}=\s{0,3}[\"']?(?:password|email)\b", re.IGNORECASE)
_BUTTON = re.compile(r"<button\b|<input[^<>]{0,400}\btype\s{0,3}=\s{0,3}[\"']?(?:submit|button)\b", re.IGNORECASE)
_HEADING = re.compile(r"<h[2-6]\b[^<>]{0,500}>((?:[^<]|<(?!/h)){1,300})", re.IGNORECASE)
_DATES = ("article:published_time", "datepublished", "date", "dc.date", "pubdate", "author", "article:author")
_STATED = ("datePublished", "dateModified", "author")


class Notice(NamedTuple):
    """What a page says in place of its content."""

    status: Literal["missing", "blocked", "server_error"]
    """As for the HTTP codes that say the same: 404; 401 and 403; 503."""
    reason: str


@cache
def _words() -> dict[str, re.Pattern[str]]:
    table = data_table("data/notices.toml")
    words = {name: [one for language in of.values() for one in language] for name, of in table.items()}
    return {name: re.compile("|".join(those)) for name, those in words.items()}


@lru_cache(maxsize=1)  # a crawl asks for a page's links and then for its text
def find_notice(page: Page) -> Notice | None:
    """What a page says in place of its content; None for a page of its own."""
    if _is_signed(page) or ("dom" in vars(page) and not _is_bare(page)):  # before the words, where the tree is at hand
        return None
    words = _words()
    titles, headings = list(_title_parts(page)), list(_headings(page))
    lines = [*headings, *titles]
    is_headline = any(len(part) > _SITE_NAME for part in titles)
    doors = titles if is_headline else lines  # a layer over an article has a heading, too
    found: Notice | None = None
    if said := _said(words["missing"], lines):
        found = Notice("missing", f"the page says that it does not exist: {said!r}")
    elif said := _said(words["unavailable"], lines):
        found = Notice("server_error", f"the page says that the site is closed for now: {said!r}")
    elif (said := _said(words["login"], doors)) and _TYPED.search(page.text):
        found = Notice("blocked", f"{IS_LOG_IN}: {said!r}")
    elif (said := _said(words["consent"], doors) or consent_address(page.url)) and _BUTTON.search(page.text):
        found = Notice("blocked", f"the page {ASKS_CONSENT} (cookies, privacy) before it shows anything: {said!r}")
    return found if found is not None and _is_bare(page) else None


def consent_address(url: str | None) -> str | None:
    """The end of an address that is written like that of a question for consent, without its query; None for others."""
    address = re.split("[?#]", (url or "").lower()[:2_000])[0]
    return address[-_MOST_LINE:] if _words()["addresses"].search(address) else None


def _said(words: re.Pattern[str], lines: list[str]) -> str | None:
    return next((line for line in lines if words.search(line)), None)


def _title_parts(page: Page) -> Iterator[str]:
    for part in _PARTS.split(_folded(page.metadata.title or "")):
        if 0 < len(part.strip()) <= _MOST_LINE:
            yield part.strip()


def _headings(page: Page) -> Iterator[str]:
    """Those of the first level; without one, the first of all, which the source tells without a tree."""
    headings = page.metadata.headings[:3]
    if not headings and (first := _HEADING.search(page.text)) is not None:
        headings = (plain(first[1]),)
    for heading in headings:
        if 0 < len(line := _folded(heading)) <= _MOST_LINE:
            yield line


def _folded(text: str) -> str:
    return " ".join(text[:500].lower().replace("'", "’").split())


def _is_signed(page: Page) -> bool:
    """Whether a page states a day or an author; asked first, because most articles do."""
    metadata = page.metadata
    return (
        0 < len(metadata.times) <= _FEW_TIMES
        or metadata.first(*_DATES) is not None
        or any(thing.get(name) for thing in metadata.json_ld[:50] for name in _STATED)
    )


def _is_bare(page: Page) -> bool:
    """Whether a page has little text of its own."""
    dom = page.dom
    if sum(dom.counts) > MOST_TEXT:
        return False
    own = " ".join([text for text, linked in zip(dom.leaf_texts, dom.leaf_linked, strict=True) if not linked])
    own = " ".join(own[: 20 * MOST_TEXT].split())
    return len(own) + 2 * len(_WIDE.findall(own)) <= MOST_TEXT
