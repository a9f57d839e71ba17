"""What the news spider takes a page or an address for: pure functions of the site, its evidence and what vouches for it."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlsplit

from newsextract.discovery.kind import DOUBTFUL, Kind
from newsextract.sites import Site
from pipelines.ledger import identity

SURE = 0.9
"""Confidence that a page is a listing which overrules a feed or sitemap."""
_NEVER = date(1970, 1, 1)


def is_article(site: Site, url: str, role: str, kind: Kind) -> bool:
    """Whether a page is taken for an article, by its evidence and by what vouches for it.

    :param role: how the page was found, see :meth:`spiders.news.NewsSpider.parse_page`.
    """
    if role == "article":  # even a sitemap names section pages
        return not (kind.kind == "listing" and kind.confidence >= SURE)
    if role != "link" or kind.kind != "article":
        return False
    return kind.confidence >= DOUBTFUL or any(re.search(pattern, url) for pattern in site.allow)


def canonical_of(site: Site, url: str, named: str | None) -> str | None:
    """The canonical address, if it is another page that should be fetched instead of this one.

    :param url: of the page.
    :param named: what the page says of itself.
    """
    if named is None or site.canonical == "ignore":
        return None
    if urlsplit(named).path in ("", "/") or not site.covers(named) or named in site.start:
        return None  # a mistake of the site: all its pages would be one
    return None if identity(named) == identity(url) else named


def outside(site: Site, day: date | None) -> bool:
    """Whether a day lies outside the site's date window; one that is not known does not."""
    if day is None:
        return False
    return bool((site.since and day < site.since) or (site.until and day > site.until))


def day_of(text: str | None, default: Any = None) -> Any:
    """The day that a date begins with, or the default."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return default


def recency(day: date | None) -> int:
    """Priority 0–500: newest first."""
    return min(500, max(0, 500 - (datetime.now(UTC).date() - (day or _NEVER)).days))  # feeds also name days to come
