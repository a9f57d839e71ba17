"""Sitemaps: the sitemaps.org protocol 0.9, its index files, the Google News extension, and plain lists of
addresses.

A sitemap tells a crawler more than any page: the news extension has the publication date and the title of
each article of the last two days. Reading is tolerant (see :mod:`newsextract.discovery.safe_xml`) and
bounded: at most :data:`MAX_ENTRIES` entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urljoin

from lxml import etree

from newsextract.discovery.addresses import MAX_LENGTH
from newsextract.discovery.safe_xml import elements, local_name, prepare, text_of

MAX_ENTRIES = 50_000
"""The protocol's limit for one file."""
_ROBOTS_LINE = re.compile(r"^[ \t\ufeff]*+sitemap[ \t]*+:[ \t]*+(\S{1,2000})", re.I | re.M)


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One page of a sitemap. Texts are as the sitemap wrote them; None where it is silent."""

    url: str
    """Absolute."""
    lastmod: str | None = None
    """W3C date format, unchecked."""
    publication_date: str | None = None
    """From the news extension."""
    title: str | None = None
    """From the news extension."""
    language: str | None = None
    """From the news extension."""


@dataclass(frozen=True, slots=True)
class NestedSitemap:
    """One sitemap of a sitemap index."""

    url: str
    """Absolute."""
    lastmod: str | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap file lists, in its order."""

    entries: tuple[SitemapEntry, ...] = ()
    sitemaps: tuple[NestedSitemap, ...] = ()


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
    for element in elements(text):
        name = local_name(element)
        if name == "url":
            fields = _fields(element)
            loc = _resolved(url, fields.get("loc"))
            if loc:
                entries.append(
                    SitemapEntry(
                        loc,
                        fields.get("lastmod"),
                        fields.get("publication_date"),
                        fields.get("title"),
                        fields.get("language"),
                    )
                )
            _drop(element)
        elif name == "sitemap":
            fields = _fields(element)
            loc = _resolved(url, fields.get("loc"))
            if loc:
                nested.append(NestedSitemap(loc, fields.get("lastmod")))
            _drop(element)
        if len(entries) + len(nested) >= MAX_ENTRIES:
            break
    return Sitemap(tuple(entries), tuple(nested))


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
    found = []
    for line in lines:
        if line.startswith(("http://", "https://")) and len(line) <= MAX_LENGTH and " " not in line:
            found.append(SitemapEntry(line.replace("&amp;", "&")))
            if len(found) >= MAX_ENTRIES:
                break
    return Sitemap(tuple(found))


def _resolved(base: str, loc: str | None) -> str | None:
    if not loc or len(loc) > MAX_LENGTH:
        return None
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
