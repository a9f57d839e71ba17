"""The links of a page: resolved, normalised, told apart.

Each address is given once, with the best text of its anchors (the longest one that is not a mere "read
more"), and a score that says how much it looks like a link to an article, from its address (a date, a long
slug, a number) and its text (a headline is longer than the name of a section).

Cost: about 8 µs a distinct address, a third of that for one that was seen before on another page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from newsextract.discovery.addresses import is_trap
from newsextract.discovery.pagination import article_parts, next_page
from newsextract.discovery.references import References, host_of
from newsextract.discovery.scores import address_score, text_length, text_score
from newsextract.page import Page

__all__ = ["FoundLink", "article_parts", "meta_refresh", "next_page", "read_links"]

MAX_LINKS = 5_000
"""Distinct references of one page that are looked at."""
MAX_TEXT = 300
"""Characters kept of an anchor text."""
ARCHIVE_RELS = frozenset(("tag", "category", "author", "archives"))
"""Link types of what leads to a list (HTML Living Standard, microformats, WordPress)."""
MAX_DELAY = 30
"""Seconds; a page that refreshes later than this is shown, not a redirect."""
_REFRESH = re.compile(r"\s{0,20}(\d{1,6})(?:\.\d*)?\s{0,20}[;,]\s{0,20}(?:url\s{0,20}=\s{0,20})?(.{1,2000})", re.I | re.S)


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link to another address."""

    url: str
    """Absolute, normalised."""
    text: str
    """The best of its anchor texts; may be empty (a picture)."""
    rel: str
    """Link types, lower case, separated by blanks."""
    score: float
    """0–1: how much it looks like a link to an article."""
    next_page: bool = False
    """Whether it is the next page of the listing."""
    is_heading: bool = False
    """Whether it is a heading of the page, such as that of a teaser."""

    @property
    def to_archive(self) -> bool:
        """Whether the page says that the link leads to the pages of a tag, a category, an author or a time."""
        return not ARCHIVE_RELS.isdisjoint(self.rel.split())

    @property
    def nofollow(self) -> bool:
        """Whether the page asks crawlers not to follow the link (HTML Living Standard, link types)."""
        return "nofollow" in self.rel


def read_links(page: Page, base_url: str | None = None) -> list[FoundLink]:
    """Links of a page to other http(s) addresses, traps left out, in document order.

    :param base_url: the page's address, if it is not ``page.url``. A ``<base href>`` is resolved against it.
    """
    return found_links(page, References.of(page, base_url))


def found_links(
    page: Page,
    references: References,
    admit: Callable[[str], bool] | None = None,
    following: str | None = None,
) -> list[FoundLink]:
    """The same for references made already; ``admit`` chooses hosts, ``following`` is the listing's next
    page."""
    resolve = references.resolve
    urls: dict[str, str | None] = {}
    best: dict[str, tuple[str, str]] = {}
    hosts: dict[str, bool] = {}
    for link in page.source.links:
        href = link.href
        if href in urls:
            url = urls[href]
        elif len(urls) < MAX_LINKS:
            # A host that was refused once is refused as it stands: no need to take the address apart.
            refused = href.startswith("http") and hosts.get("".join(href.split("/", 3)[2:3])) is False
            url = None if refused else resolve(href)
            if url is not None and admit is not None:
                host = host_of(url)
                if host not in hosts:
                    hosts[host] = admit(host)
                url = url if hosts[host] else None
            urls[href] = url
        else:
            break
        if url is None:
            continue
        known = best.get(url)
        if known is not None and link.rel and not ARCHIVE_RELS.isdisjoint(link.rel.split()) and link.rel not in known[1]:
            known = best[url] = known[0], f"{known[1]} {link.rel}".strip()
        if known is None:
            best[url] = (link.text, link.rel)
        elif link.text != known[0] and text_length(link.text) > text_length(known[0]):
            best[url] = (link.text, known[1])
    best.pop(references.here, None)
    today = page.time.date()
    headings = {heading.text for heading in page.source.headings}
    headed = {urls[link.href] for link in page.source.links if link.text in headings and link.href in urls}
    found = []
    for url, (text, rel) in best.items():
        score = judged_address(url, today)
        if score is not None:
            total = min(1.0, score + text_score(text))
            found.append(FoundLink(url, text[:MAX_TEXT], rel, total, url == following, url in headed))
    return found


@lru_cache(maxsize=20_000)
def judged_address(url: str, today: date) -> float | None:
    """What the address adds to a link's score; None for a trap. Kept: pages of one site share most of their
    links."""
    return None if is_trap(url, today) else 0.6 * address_score(url)


def meta_refresh(page: Page, references: References | None = None) -> str | None:
    """Where a ``<meta http-equiv=refresh>`` leads within :data:`MAX_DELAY` seconds, normalised; None if
    nowhere else.

    One inside ``<noscript>`` is for browsers without scripts, often a page that complains; it does not count.
    """
    references = references or References.of(page)
    for content in page.metadata.meta.get("refresh", ()):
        match = _REFRESH.fullmatch(content[:3000])
        if match and int(match[1]) <= MAX_DELAY and not _in_noscript(page.text):
            url = references.resolve(match[2].strip(" \t\r\n'\""))
            if url and url != references.here:
                return url
    return None


def _in_noscript(text: str) -> bool:
    match = re.search(r"http-equiv\s{0,5}=\s{0,5}[\"']?refresh", text[:500_000], re.I)
    if match is None:
        return False
    before = text[max(0, match.start() - 3000) : match.start()].lower()
    return before.rfind("<noscript") > before.rfind("</noscript")
