"""``scrapy crawl news``: from target sites to article pages.

Where addresses come from: sitemaps and feeds (with title and date as hints), start and listing pages, "next page".
Each page's kind, links and parts are found in a worker process (:func:`newsextract.discovery.discover`); this module only
decides what to fetch. Where the site has a wrapper, that reads the article pages (:mod:`spiders.wrapping`). Discovery is
recomputed by every run; what the ledger has is not fetched again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract import Hints
from newsextract.discovery import (
    Discovery,
    Sitemap,
    discover,
    newest_first,
    normalize,
    read_feed,
    read_sitemap,
    sitemaps_from_robots,
)
from newsextract.sites import ROBOTS, Site
from pipelines.items import FetchedPage, ObjectRecord, ReadPage, Rejection
from pipelines.ledger import identity
from pipelines.workers import WorkerError
from pipelines.wrapped_pages import WrappedPage
from spiders.judging import canonical_of, day_of, is_article, outside, recency
from spiders.objects import Run
from spiders.outcomes import of_failure
from spiders.pages import header_of, other_type, page_of, requested_url
from spiders.site_spider import SiteSpider

MAX_PARTS = 20
"""Pages of one article that are joined."""

Output = Request | FetchedPage | Rejection


class NewsSpider(SiteSpider):
    """Fetches the article pages of the sites in sites.toml."""

    name = "news"

    # -- what to fetch first ---------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Any]:
        """Sitemaps, feeds and start pages of all sites; records to be visited again; the frontier."""
        for site in self.sites.values():
            for url in self.plan.urls:
                if site.covers(url):
                    for request in self._article(site, url, Hints(language=site.language), 0):
                        yield request
            if self.plan.urls:
                continue
            for url in site.sitemaps:
                for address in self._robots_files(site) if url == ROBOTS else [url]:
                    yield self._request(site, address, self.parse_sitemap, 900, {"level": 0}, is_page=False)
            for url in site.feeds:
                yield self._request(site, url, self.parse_feed, 900, {}, is_page=False)
            for url in site.start:
                self._scheduled.add(identity(url))
                yield self._request(site, url, self.parse_page, 800, {"role": "start", "depth": 0, "pages": 0})
        for known in list(self.ledger.revisit.values()):
            if known.site in self.sites:
                site = self.sites[known.site]
                # A browser has its own way with these: a rendered page is fetched anew.
                tags = {} if site.render else {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
                for request in self._article(site, known.url, Hints(language=site.language), 0):
                    request.headers.update({k: v for k, v in tags.items() if v})
                    request.meta["handle_httpstatus_list"] = [304]
                    yield request
        for name, url in self.ledger.again.values():
            if name in self.sites:
                site = self.sites[name]
                for request in self._article(site, url, Hints(language=site.language), 0):
                    yield request
        for name, url, depth, role, hints in self.frontier.read():
            if name in self.sites and not self.plan.urls:
                for request in self._article(self.sites[name], url, hints, depth, role=role):
                    yield request

    def _robots_files(self, site: Site) -> Iterator[str]:
        return iter(dict.fromkeys(urljoin(address, "/robots.txt") for address in site.addresses))

    # -- sitemaps and feeds ----------------------------------------------------------------------------------------

    async def parse_sitemap(self, response: Response, site: Site, level: int) -> AsyncIterator[Output]:
        """A sitemap, a sitemap index, or a robots.txt that names sitemaps."""
        if urlsplit(response.url).path == "/robots.txt":
            for url in sitemaps_from_robots(response.body.decode("utf-8", "replace")):
                if self._is_new(url):
                    yield self._request(site, url, self.parse_sitemap, 900, {"level": 1}, is_page=False)
            return
        try:
            sitemap: Sitemap = await self.pool.run(read_sitemap, response.body, response.url)
        except WorkerError as error:
            yield self.rejected(site, response.url, "failed", f"sitemap: {error}")
            return
        if not sitemap.entries and not sitemap.sitemaps:
            yield self.rejected(site, response.url, "empty", "no address found in this sitemap")
        for nested in sitemap.sitemaps:
            changed = day_of(nested.lastmod)
            if site.since and changed and changed < site.since:
                self._count("skipped/old_sitemap")
            elif level < 3 and self._is_new(nested.url):
                # Newest first, and its articles before the next one: all of them together may be millions.
                priority = recency(changed) + 1 if changed else 890
                arguments = {"level": level + 1}
                yield self._request(site, nested.url, self.parse_sitemap, priority, arguments, is_page=False)
        for entry in newest_first(sitemap.entries):
            day = day_of(entry.publication_date)
            hints = Hints(entry.title, entry.publication_date, "sitemap", entry.language or site.language)
            # A page cannot have been published after it was last changed.
            if outside(site, day) or (site.since and day_of(entry.lastmod, site.since) < site.since):
                self._count("skipped/out_of_window")
                continue
            newest = day or day_of(entry.lastmod)
            for request in self._article(site, entry.url, hints, 1, priority=recency(newest)):
                yield request

    async def parse_feed(self, response: Response, site: Site) -> AsyncIterator[Output]:
        """An RSS, Atom or JSON feed."""
        try:
            entries = await self.pool.run(read_feed, response.body, response.url)
        except WorkerError as error:
            yield self.rejected(site, response.url, "failed", f"feed: {error}")
            return
        if not entries:
            yield self.rejected(site, response.url, "empty", "no entry found in this feed")
        for entry in entries:
            day = day_of(entry.date)
            if outside(site, day):
                self._count("skipped/out_of_window")
                continue
            hints = Hints(entry.title, entry.date, "feed", entry.language or site.language)
            for request in self._article(site, entry.url, hints, 1, priority=recency(day)):
                yield request

    # -- pages -----------------------------------------------------------------------------------------------------

    async def parse_page(
        self,
        response: Response,
        site: Site,
        role: str,
        depth: int,
        pages: int = 0,
        hints: Hints | None = None,
    ) -> AsyncIterator[Output]:
        """Any page: tell its kind, follow what it leads to, hand it on if it is an article.

        :param role: ``start``, ``listing`` (a "next page"), ``article`` (from feed or sitemap) or ``link``.
        :param depth: links away from the start.
        :param pages: pages of this listing already followed.
        """
        requested = requested_url(response)
        if response.status == 304:
            self._count("unchanged")
            return
        if identity(requested) != identity(response.url):
            inside = site.covers(response.url)
            if inside:
                self._scheduled.add(identity(response.url))
                self.frontier.add(site.name, response.url, depth, role, hints)
            yield self.rejected(site, requested, "redirected", f"redirects to {response.url}")
            if not inside or self.is_done(site, response.url):
                return
        if (reason := other_type(response)) is not None:
            yield self.rejected(site, response.url, "not_html", reason)
            return
        page = page_of(response, self._hints_of(requested, hints or Hints(language=site.language)))
        try:
            found, kept = await self.pool.ask(page, None, discover, self.rules[site.name])
        except WorkerError as error:
            yield self.rejected(site, response.url, "failed", str(error))
            return
        if found.refresh and identity(found.refresh) != identity(response.url):
            for request in self._article(site, found.refresh, page.hints, depth, role=role, keep=True):
                yield request
            yield self.rejected(site, response.url, "redirected", f"the page sends its reader to {found.refresh}")
            return
        takes = is_article(site, response.url, role, found.kind)
        for output in self._follow(site, found, takes, role, depth, pages):
            yield output
        if not takes:
            status = "listing" if found.kind.kind != "other" or role in ("start", "listing") else "not_article"
            yield self.rejected(site, response.url, status, found.kind.told)
            return
        canonical = canonical_of(site, response.url, found.canonical_url)
        if canonical is not None and self._has(canonical):
            yield self.rejected(site, response.url, "not_canonical", f"the record stands under {canonical}")
            return
        if canonical is not None and not response.meta.get("canonical_tried"):
            self.put_off(response.request.replace(url=response.url, dont_filter=True))  # type: ignore[union-attr]
            for request in self._article(site, canonical, page.hints, depth):
                yield request
            return
        if site.wrapping is not None:
            asked, depth_of = normalize(response.url) or response.url, response.meta.get("depth", 0)
            async for item in self.wrapping.read(page, site, asked, self._wrapped, kept=kept, depth=depth_of):
                yield item
            return
        item = FetchedPage(
            site, requested, [page], [kept], header_of(response, "ETag"), header_of(response, "Last-Modified")
        )
        parts = [part for part in found.parts if identity(part) != identity(response.url)][:MAX_PARTS]
        if parts:
            yield self._part(item, parts)
        else:
            yield item

    def _has(self, url: str) -> bool:
        """Whether a page's record, or the line of a page that a wrapper has read, is written or on its way."""
        return self.ledger.has(identity(url)) or self.page_id(url) in self.ledger.pages.lines

    def _wrapped(self, run: Run, read: WrappedPage) -> Iterator[Output | ObjectRecord | ReadPage]:
        """The objects of an article page that the site's wrapper has read."""
        found = self.objects.records(run, read)
        if isinstance(found, Rejection):
            yield found
            return
        yield from found
        yield from self.objects.line(run, read, "article", found)

    def _follow(self, site: Site, found: Discovery, is_article: bool, role: str, depth: int, pages: int) -> Iterator[Output]:
        """Requests for what a page leads to."""
        if self.plan.urls:
            return
        if found.next_page and not is_article and pages < site.pagination and self._is_new(found.next_page):
            arguments = {"role": "listing", "depth": depth, "pages": pages + 1}
            yield self._request(site, found.next_page, self.parse_page, 700, arguments)
        follows = site.from_articles if is_article else found.kind.kind != "other" or role in ("start", "listing")
        if not follows or depth >= site.depth:
            return
        parts = {identity(part) for part in found.parts}
        for link in found.links:
            if identity(link.url) in parts:
                continue
            hints = Hints(language=site.language)
            yield from self._article(site, link.url, hints, depth + 1, role="link", keep=is_article)

    def _part(self, item: FetchedPage, rest: list[str]) -> Request:
        """Fetch the next page of an article."""
        self._scheduled.update(identity(url) for url in rest)
        arguments = {"item": item, "rest": rest[1:]}
        return self._request(item.site, rest[0], self.parse_part, 950, arguments, self.part_failed, is_local=True)

    async def parse_part(self, response: Response, site: Site, item: FetchedPage, rest: list[str]) -> AsyncIterator[Output]:
        """A later page of an article; the article waits for all of them."""
        item.parts.append(page_of(response, item.parts[0].hints))
        item.kept.append(None)
        yield self.rejected(site, response.url, "part", f"page {len(item.parts)} of {item.parts[0].url}")
        yield self._part(item, rest) if rest else item

    def part_failed(self, failure: Failure) -> Iterator[Output]:
        """A later page cannot be had: the article is made of the others."""
        request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
        item, rest = request.cb_kwargs["item"], request.cb_kwargs["rest"]
        yield self.rejected(item.site, request.url, *of_failure(failure))
        yield self._part(item, rest) if rest else item
