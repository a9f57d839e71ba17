"""Decides what the news spider does with a page or URL, and revises records whose page is gone or has moved."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from newsextract.discovery import Rules, may_be_article
from newsextract.feed.news_record import NewsRecord, revision_of
from newsextract.sites import Site
from pipelines.ledger import Ledger, identity, now

if TYPE_CHECKING:
    from scrapy.http import Response

# --- judging --------------------------------------------------------------------------------------
# Which URL a page's record stands under, what is outside the date window, what is fetched first: pure functions.

_NEVER = date(1970, 1, 1)


def canonical_of(site: Site, rules: Rules, url: str, named: str | None) -> str | None:
    """The canonical address, if it is another page that should be fetched instead of this one.

    :param url: of the page.
    :param named: what the page says of itself.
    """
    if named is None or site.canonical == "ignore":
        return None
    if urlsplit(named).path in ("", "/") or not site.covers(named) or named in site.start:
        return None  # a mistake of the site: all its pages would be one
    if not may_be_article(rules, named):
        return None
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


# --- lost -----------------------------------------------------------------------------------------
# Records whose page is gone or has moved: what a second visit finds becomes a revision of the record.
#
# The revision has all that the last line of the record has, but for ``status`` (``gone`` or ``moved``), ``reason`` and, for
# ``moved``, the new URL in ``canonical_url``. If the page comes back, the next visit writes a revision with status ``ok``.

PERMANENT = frozenset((301, 308))


def redirected_for_good(response: Response) -> tuple[str, str, str | None] | None:
    """(status, reason, new URL) of a page that redirects permanently; None if it does so for the time being only.

    A site that sends the readers of a deleted page to its front page has no new place for it: the page is gone.
    """
    codes = response.meta.get("redirect_reasons") or []
    if not codes or not PERMANENT.issuperset(codes):
        return None
    reason = f"HTTP {codes[0]} to {response.url}"
    if urlsplit(response.url).path in ("", "/"):
        return "gone", reason, None
    return "moved", reason, response.url


def lost_record(ledger: Ledger, number: int, status: str, reason: str, moved_to: str | None = None) -> Iterator[NewsRecord]:
    """The revision of a record that is visited again, unless it has one of this status already.

    :param number: its id.
    :raises DataError: the feed has been changed since the crawl began.
    """
    last = ledger.line(number)
    if last is None or ledger.revisit[number].status == status:
        return
    yield revision_of(
        last,
        status=status,
        reason=reason,
        canonical_url=moved_to or last["canonical_url"],
        etag=None,
        last_modified=None,
        fetched_at=now().isoformat(timespec="seconds"),
    )
