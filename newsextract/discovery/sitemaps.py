"""Sitemaps: the sitemaps.org protocol 0.9, its index files, the Google News extension, and plain lists of
addresses.

A sitemap tells a crawler more than any page: the news extension has the publication date and the title of
each article of the last two days. Reading is tolerant (see :mod:`newsextract.discovery.feeds`) and
bounded: at most :data:`MAX_ENTRIES` entries. They are given as a crawl wants them: newest first, each URL once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urljoin

from lxml import etree

from newsextract.discovery.feeds import elements, local_name, prepare, text_of
from newsextract.discovery.links import archive_group
from newsextract.urls import MAX_LENGTH, normalize, record_id

MAX_ENTRIES = 1_000_000
"""Of one file. The protocol allows 50,000 and 50 MB, but not all sites keep to it."""
_ROBOTS_LINE = re.compile(r"^[ \t\ufeff]*+sitemap[ \t]*+:[ \t]*+(\S{1,2000})", re.I | re.M)


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One page of a sitemap. Texts are as the sitemap wrote them; None where it is silent."""

    url: str
    """Normalised."""
    lastmod: str | None = None
    """W3C date format, unchecked."""
    publication_date: str | None = None
    """From the news extension."""
    title: str | None = None
    """From the news extension."""
    language: str | None = None
    """From the news extension."""
    group: str | None = None
    """Of archives, that its URL is written like (:func:`newsextract.discovery.links.archive_group`)."""
    id: str = ""
    """Of the URL (:func:`newsextract.discovery.record_id`)."""


@dataclass(frozen=True, slots=True)
class NestedSitemap:
    """One sitemap of a sitemap index."""

    url: str
    """Absolute."""
    lastmod: str | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap file lists."""

    entries: tuple[SitemapEntry, ...] = ()
    """Newest first, by day of publication, else of the last change; undated ones last, in their order."""
    sitemaps: tuple[NestedSitemap, ...] = ()
    """In the file's order."""
    left_out: int = 0
    """Entries after the :data:`MAX_ENTRIES` that are read."""


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read a sitemap, a sitemap index or a plain list of addresses, gzipped or not.

    :param body: any bytes; never raises. What is no sitemap gives an empty answer.
    :param url: the sitemap's own address: relative addresses are resolved against it.
    """
    text = prepare(body)
    if "<" not in text[:1000]:
        return _plain(text)
    entries: list[SitemapEntry] = []
    nested: list[NestedSitemap] = []
    left_out = 0
    for element in elements(text):
        name = local_name(element)
        if name not in ("url", "sitemap"):
            continue
        if len(entries) + len(nested) >= MAX_ENTRIES:
            left_out += 1
        else:
            fields = _fields(element)
            loc = _resolved(url, fields.get("loc"))
            if loc and name == "url":
                dates = fields.get("lastmod"), fields.get("publication_date")
                entries.append(SitemapEntry(loc, *dates, fields.get("title"), fields.get("language")))
            elif loc:
                nested.append(NestedSitemap(loc, fields.get("lastmod")))
        _drop(element)
    return Sitemap(_in_turn(entries), tuple(nested), left_out)


def _in_turn(entries: Iterable[SitemapEntry]) -> tuple[SitemapEntry, ...]:
    """Entries newest first, with normalised URLs, each once."""
    found: dict[str, SitemapEntry] = {}
    for entry in newest_first(entries):
        url = normalize(entry.url)
        if url is not None and url not in found:
            known = entry.lastmod, entry.publication_date, entry.title, entry.language
            found[url] = SitemapEntry(url, *known, archive_group(url), record_id(url))
    return tuple(found.values())


def _fields(element: etree._Element) -> dict[str, str]:
    """Texts of loc and lastmod, and of what stands in ``<news:news>``; images and videos have like-named
    elements."""
    found: dict[str, str] = {}
    for child in element:
        name = local_name(child)
        if name in ("loc", "lastmod"):
            # Only un-prefixed ones directly under <url>; the first wins.
            found.setdefault(name, text_of(child, MAX_LENGTH + 1))
        elif name == "news":
            for part in child.iter():
                inner = local_name(part)
                if inner in ("publication_date", "title", "language"):
                    found.setdefault(inner, text_of(part))
    return {name: text for name, text in found.items() if text}


def _drop(element: etree._Element) -> None:
    parent = element.getparent()
    element.clear()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]


def _plain(text: str) -> Sitemap:
    lines = (line.strip() for line in text.splitlines())
    urls = [line.replace("&amp;", "&") for line in lines if line.startswith(("http://", "https://")) and " " not in line]
    return Sitemap(_in_turn(map(SitemapEntry, urls[:MAX_ENTRIES])), left_out=max(0, len(urls) - MAX_ENTRIES))


def _resolved(base: str, loc: str | None) -> str | None:
    if not loc or len(loc) > MAX_LENGTH:
        return None
    if loc.startswith(("http://", "https://")):
        return loc
    try:
        found = urljoin(base, loc)
    except ValueError:
        return None
    return found if found.startswith(("http://", "https://")) else None


def newest_first(entries: Iterable[SitemapEntry]) -> list[SitemapEntry]:
    """Entries by publication date, else by last change, newest first; undated ones last, in their order."""
    return sorted(entries, key=lambda entry: _instant(entry.publication_date or entry.lastmod), reverse=True)


def _instant(text: str | None) -> float:
    """Seconds since 1970 of a W3C date (``2024``, ``2024-05``, a day, or a time), or minus infinity."""
    if not text:
        return float("-inf")
    padded = text.strip()
    padded += {4: "-01-01", 7: "-01"}.get(len(padded), "")
    try:
        found = datetime.fromisoformat(padded)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return float("-inf")


def sitemaps_from_robots(text: str) -> list[str]:
    """Addresses of the sitemaps that a robots.txt names (RFC 9309 §2.2.4 leaves the line to extensions), in
    order."""
    found = dict.fromkeys(match[1] for match in _ROBOTS_LINE.finditer(text))
    return [url for url in found if url.startswith(("http://", "https://"))][:1000]
