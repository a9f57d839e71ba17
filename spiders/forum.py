"""``scrapy crawl forum``: boards → threads → the pages of each thread → one record per post.

Boards are read anew by every run. A thread is followed from page to page; pages that are done (:mod:`pipelines.pages`) are
passed over without being fetched, but for the last one that is known: posts may have been added to it. Which page is a
board and which a thread, and what stands on it, is found in a worker process (:mod:`pipelines.record_pages`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract.discovery import normalize, record_id
from newsextract.discovery.forum_pages import ForumPage, told_kind
from newsextract.discovery.threads import first_page, thread_id
from newsextract.sites import Site
from pipelines.items import ObjectRecord, Post, ReadPage, Rejection
from pipelines.page_records import posts_of
from pipelines.pages import NextPage
from pipelines.record_pages import Thread, ThreadPage, read_thread_page
from pipelines.wrapped_pages import WrappedPage, forum_leads
from spiders.objects import Run, said
from spiders.pages import header_of, requested_url
from spiders.record_spider import RecordSpider, is_sure

Output = Request | Post | ObjectRecord | ReadPage | Rejection
BAD_ANSWERS = frozenset({"empty", "missing", "redirected", "not_html"})
"""Rejections of a thread's later page that may pass: another page has led to it."""


@dataclass(frozen=True, slots=True)
class At:
    """Where in a thread a page stands."""

    next: NextPage
    thread: Thread | None = None
    """None as long as its first page has not been read."""
    before: frozenset[str] = frozenset()
    """The posts of the page before: their ids, and what they say."""


class ForumSpider(RecordSpider):
    """Fetches boards and threads of the forums in sites.toml."""

    name = "forum"

    async def start(self) -> AsyncIterator[Any]:
        """The start pages of all sites, or the threads that the user names."""
        for site in self.sites.values():
            if self.plan.urls:
                for url in self.plan.urls:
                    for request in self._thread(site, url):
                        yield request
                continue
            for url in site.start:
                if told_kind(normalize(url) or url, self.rules[site.name]) == "thread":
                    for request in self._thread(site, url):
                        yield request
                elif self._is_new(url):
                    yield self._board(site, url, depth=0, pages=0)

    # -- requests --------------------------------------------------------------------------------------------------

    def _board(self, site: Site, url: str, depth: int, pages: int) -> Request:
        return self._request(site, url, self.parse_page, 800 - depth, {"at": None, "depth": depth, "pages": pages})

    def _thread(self, site: Site, url: str) -> Iterator[Request]:
        """The page of a thread that is to be fetched first."""
        known = told_kind(normalize(url) or url, self.rules[site.name]) == "thread"
        yield from self._page(site, At(NextPage(first_page(url) if known else normalize(url) or url, 1, 1)))

    def _page(self, site: Site, at: At) -> Iterator[Request]:
        """A page of a thread, or where the thread goes on if that one is done; none if the thread ends there."""
        following = self.ledger.pages.resume(at.next, since=site.since, until=site.until)
        known = following.known
        if following.number > site.pages_per_thread or not site.covers(following.url) or not self._is_new(following.url):
            return
        was_read = self.page_id(following.url) in self.ledger.pages.lines
        if not was_read and self.is_turned_away(site, following.url):
            return  # it was turned away; one that was read well before is not given up for a bad answer
        if known is None and not self.has_room(site):
            return
        thread = at.thread
        if known is not None and known.thread_id and known.thread_url:
            thread = Thread(known.thread_id, known.thread_url, known.thread_title)
        at = At(following, thread, at.before)
        arguments = {"at": at, "depth": 0, "pages": 0}
        request = self._request(site, following.url, self.parse_page, 900, arguments, is_counted=known is None)
        # A browser has its own way with these headers. A page that leads on must come whole: the next is compared with it.
        if known is not None and known.next is None and not site.render:
            headers = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
            request.headers.update({name: value for name, value in headers.items() if value})
            request.meta["handle_httpstatus_list"] = [304]
        yield request

    # -- pages -----------------------------------------------------------------------------------------------------

    async def parse_page(
        self, response: Response, site: Site, at: At | None, depth: int, pages: int
    ) -> AsyncIterator[Output]:
        """Any page: a board is followed, a thread's posts are written.

        :param at: where in a thread it stands; None for a board or a start page.
        :param depth: boards above this one.
        :param pages: pages of this board already followed.
        """
        asked = requested_url(response)
        if response.status == 304:
            self._count("unchanged")
            return
        is_thread = at is not None and at.next.number > 1
        rules = self.rules[site.name]
        if site.wrapping is not None:
            finish = partial(self._wrapped, response=response, at=at, depth=depth, pages=pages)
            async for item in self.wrapped(response, site, asked, finish, forum_leads, rules, is_thread):
                yield _passing(item, at) if isinstance(item, Rejection) else item
            return
        algorithm, params = self.algorithm_of(site)
        shape = at.next.shape if at is not None else None
        read = await self.read(response, site, asked, read_thread_page, rules, algorithm, params, is_thread, shape)
        if isinstance(read, Rejection):
            yield _passing(read, at)
            return
        if read.found is None:
            for output in self._board_read(site, asked, read.forum, depth, pages):
                yield output
            return
        for output in self._posts(site, response, asked, read, at or At(NextPage(asked, 1, 1)), algorithm):
            yield output

    def _board_read(self, site: Site, asked: str, forum: ForumPage, depth: int, pages: int) -> Iterator[Output]:
        """A board leads on, and is no record."""
        yield from self._follow(site, forum, depth, pages)
        leads = f"{len(forum.threads)} threads, {len(forum.boards)} boards"
        yield self.rejected(site, asked, "listing", f"a board: {leads}")

    def _follow(self, site: Site, forum: ForumPage, depth: int, pages: int) -> Iterator[Request]:
        """What a board leads to."""
        for url in forum.threads:
            yield from self._thread(site, url)
        if forum.next_page and pages < site.pagination and self._is_new(forum.next_page):
            yield self._board(site, forum.next_page, depth, pages + 1)
        if depth < site.depth:
            for url in forum.boards:
                if self._is_new(url):
                    yield self._board(site, url, depth + 1, 0)

    def _posts(
        self, site: Site, response: Response, asked: str, read: ThreadPage, at: At, algorithm: str
    ) -> Iterator[Output]:
        """The posts of a page, the page's own line, and the next page."""
        number, first = at.next.number, at.next.first
        found = read.found
        assert found is not None  # it is no board
        if not read.posts or not is_sure(site, found):
            yield _passing(self.none_found(site, asked, found, "no post was found"), at)
            return
        thread = at.thread or Thread(thread_id(response.url), first_page(response.url), read.title)
        posts = posts_of(read, thread, site, response.url, number, first, algorithm)
        ids, said = frozenset(post.id for post in posts), frozenset(map(_said, posts))
        following = read.forum.next_page
        if ids <= at.before or said <= at.before:  # the last page again, under another number
            posts, following = [], None
        kept, window = self.within(site, posts)
        for post in kept:
            if not self.ledger.has(int(post.id, 16)):
                yield post
        yield self.page_line(
            site, asked, "thread", at.next, found, posts, kept, following, read.shape, window,
            thread_id=thread.id, thread_title=thread.title, thread_url=thread.url,
            etag=header_of(response, "ETag"), last_modified=header_of(response, "Last-Modified"),
        )  # fmt: skip
        if following:
            behind = NextPage(following, number + 1, first + len(posts), shape=read.shape)
            yield from self._page(site, At(behind, thread, ids | said))

    def _wrapped(
        self, run: Run, read: WrappedPage, response: Response, at: At | None, depth: int, pages: int
    ) -> Iterator[Output]:
        """A page of a site with a wrapper: a board is followed, a thread's objects are written."""
        forum = read.leads.forum
        if forum is not None and read.leads.is_board:
            yield from self._board_read(run.site, run.asked, forum, depth, pages)
            return
        at = at or At(NextPage(run.asked, 1, 1))
        number, first = at.next.number, at.next.first
        found = self.objects.records(run, read, number, first)
        if isinstance(found, Rejection):
            yield found
            return
        thread = at.thread or Thread(thread_id(response.url), first_page(response.url), read.leads.title)
        words, following = said(found), read.leads.next_page
        if words <= at.before:
            found, following = [], None
        yield from found
        yield from self.objects.line(
            run, read, "thread", found, number, first, following,
            thread_id=thread.id, thread_title=thread.title, thread_url=thread.url,
            etag=header_of(response, "ETag"), last_modified=header_of(response, "Last-Modified"),
        )  # fmt: skip
        if following:
            yield from self._page(run.site, At(NextPage(following, number + 1, first + len(found)), thread, words))

    def failed(self, failure: Failure) -> Iterator[Request | Rejection]:
        """A request that failed leaves a record of its failure."""
        at = failure.request.cb_kwargs["at"]  # type: ignore[attr-defined]  # set by Scrapy
        for output in super().failed(failure):
            yield _passing(output, at) if isinstance(output, Rejection) else output


def _passing(rejection: Rejection, at: At | None) -> Rejection:
    """A bad answer to a later page of a thread may pass: the page is tried again by later runs."""
    if at is not None and at.next.number > 1 and rejection.status in BAD_ANSWERS:
        rejection.reason = f"{rejection.status}: {rejection.reason}"
        rejection.status = "failed"
    return rejection


def _said(post: Post) -> str:
    """What a post says, as a short name: the same on every page, also where its id is made of its position."""
    return record_id(f"said {post.author} {post.date} {post.text}")
