"""What the spiders for pages of many records share: reading in a worker, the date window, and where a list goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from scrapy.http import Response

from newsextract import Hints
from newsextract.discovery import matches, normalize
from newsextract.feed.news_record import RESERVED, in_window
from newsextract.page.page import Fetched
from newsextract.record_pages import FoundRecords, is_sure
from newsextract.sites import Site
from pipelines.items import Hit, Post, ReadPage, Rejection, Teaser
from pipelines.pages import NextPage
from pipelines.workers import WorkerError
from pipelines.wrapped_pages import Lead
from spiders.pages import address_of, as_asked, counts, other_type, page_of
from spiders.site_spider import SiteSpider
from spiders.wrapping import Finish

T = TypeVar("T")
Dated = TypeVar("Dated", Post, Teaser)


@dataclass(frozen=True, slots=True)
class Window:
    """Which bounds of the date window left records of a page out; None: that one did not."""

    since: str | None
    until: str | None


ALL_DAYS = Window(None, None)


class RecordSpider(SiteSpider):
    """Base of the forum, the search and the list spider."""

    async def read(
        self, response: Response, site: Site, asked: str, function: Callable[..., T], *arguments: Any
    ) -> T | Rejection:
        """What a worker reads of a page, or why it is not read.

        :param asked: the address that was asked for, before redirects.
        :param function: ``(page, *arguments)``, of :mod:`newsextract.record_pages`.
        """
        page = self.fetched(response, site, asked)
        if isinstance(page, Rejection):
            return page
        try:
            return await self.pool.ask(page, function, *arguments)
        except WorkerError as error:
            return self.rejected(site, asked, "failed", str(error))

    async def wrapped(
        self, response: Response, site: Site, asked: str, finish: Finish, lead: Lead, *arguments: Any
    ) -> AsyncIterator[Any]:
        """What a site's wrapper finds on a page, or why it is not read; see :meth:`~spiders.wrapping.Wrapping.read`."""
        page = self.fetched(response, site, asked)
        if isinstance(page, Rejection):
            yield page
            return
        async for output in self.wrapping.read(
            page, site, asked, finish, lead, *arguments, depth=response.meta.get("depth", 0)
        ):
            yield output

    def fetched(self, response: Response, site: Site, asked: str) -> Fetched | Rejection:
        """The page that is to be read, or why it is not."""
        if not self.covers(site, response.url):
            return self.rejected(site, asked, "redirected", f"redirects to {response.url}")
        if (reason := other_type(response)) is not None:
            return self.rejected(site, asked, "not_html", reason)
        return page_of(response, Hints(language=site.language))

    def none_found(self, site: Site, asked: str, found: FoundRecords, what: str) -> Rejection:
        """A page without records.

        :param what: which are missed, in words.
        """
        status: str = found.status if found.status in ("not_html", "too_large", "challenged", "failed") else "empty"
        reason = found.reason or what
        if site.obey_reservations and found.reserved:
            status, reason = RESERVED, f"the page reserves its use: {found.reserved}"
        elif found.status == "ok" and not is_sure(site, found):
            reason = f"{what}: the confidence is {found.confidence:.2f}, below min_confidence = {site.min_confidence:g}"
        return self.rejected(site, asked, status, reason)

    def within(self, site: Site, records: Iterable[Dated]) -> tuple[list[Dated], Window]:
        """The records within the site's date window; the others are counted."""
        kept: list[Dated] = []
        early = late = False
        for record in records:
            if in_window(record.date, site.since, site.until):
                kept.append(record)
            else:
                self._count("skipped/out_of_window")
                early = early or not in_window(record.date, site.since, None)
                late = late or not in_window(record.date, None, site.until)
        since = site.since.isoformat() if site.since and early else None
        return kept, Window(since, site.until.isoformat() if site.until and late else None)

    def page_line(
        self,
        site: Site,
        asked: str,
        kind: str,
        at: NextPage,
        found: FoundRecords,
        records: Sequence[Post | Hit | Teaser],
        kept: Sequence[Post | Hit | Teaser],
        following: str | None,
        shape: str | None,
        window: Window = ALL_DAYS,
        **more: Any,
    ) -> ReadPage:
        """The page's own line. (Pages that a wrapper has read: :meth:`~spiders.wrapping.CrawlObjects.line`.)

        :param asked: the address that was asked for, before redirects.
        :param kind: ``thread``, ``results`` or ``list``.
        :param records: all of the page.
        :param kept: those within the date window.
        :param following: address of the page after it.
        :param shape: of the records; it is written where a list begins that goes on.
        :param window: which bounds left records out.
        :param more: further fields of the line.
        """
        return ReadPage(
            id=self.page_id(asked),
            url=asked,
            site=site.name,
            kind=kind,
            number=at.number,
            first=at.first,
            count=len(records),
            records=[record.id for record in kept],
            next=following,
            since=window.since,
            until=window.until,
            note=found.note,
            shape=shape if following and at.shape is None else None,
            fetched_at=found.fetched_at,
            **more,
        )

    def has_room(self, site: Site) -> bool:
        """Whether the site's limit lets another page be fetched; then it is counted."""
        if site.limit is not None and self._fetched[site.name] >= site.limit:
            self._count("skipped/limit")
            return False
        self._fetched[site.name] += 1
        return True


def following_page(site: Site, template: str, number: int, first: int, told: str | None, query: str = "") -> str | None:
    """Address of the following page of a list: as the template counts, or else as the page itself says.

    :param number: of that page.
    :param first: rank of its first record.
    :param told: what the page says, as it is written.
    """
    if counts(template):
        return address_of(template, number, first, query)
    if told is None or not site.covers(told) or matches(tuple(site.deny), normalize(told) or told):
        return None
    return as_asked(told)
