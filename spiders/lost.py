"""Records whose page is gone or has moved: what a second visit finds becomes a revision of the record.

The revision has all that the last line of the record has, but for ``status`` (``gone`` or ``moved``), ``reason`` and, for
``moved``, the new URL in ``canonical_url``. If the page comes back, the next visit writes a revision with status ``ok``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.news_record import NewsRecord, revision_of
from pipelines.ledger import Ledger, now

if TYPE_CHECKING:
    from scrapy.http import Response

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
