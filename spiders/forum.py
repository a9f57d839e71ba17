"""``scrapy crawl forum``: boards → threads → the pages of each thread → one record per post.

Boards are read anew by every run. A thread is followed from page to page; pages that are done (:mod:`pipelines.pages`) are
passed over without being fetched, but for the last one that is known: posts may have been added to it. Which page is a
board and which a thread, and what stands on it, is found in a worker process (:mod:`newsextract.record_pages`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract.discovery import normalize, record_id
from newsextract.discovery.threads import ForumPage, first_page, thread_id, told_kind
from newsextract.record_pages import Thread, ThreadPage, is_sure, posts_of, read_thread_page
from newsextract.sites import Site
from pipelines.items import ObjectRecord, Post, ReadPage, Rejection
from pipelines.pages import NextPage
from pipelines.wrapped_pages import WrappedPage, forum_leads
from spiders.pages import header_of, requested_url
from spiders.site_spider import RecordSpider
from spiders.traps import url_shape
from spiders.wrapping import WrapperRun, said

Output = Request | Post | ObjectRecord | ReadPage | Rejection
BAD_ANSWERS = frozenset({"empty", "missing", "redirected", "not_html"})
"""Rejections of a thread's later page that may pass: another page has led to it."""


MOST_FRUITLESS = 5
"""Candidates of one template of URLs that are fetched although none of them holds posts or leads to threads."""


@dataclass(frozen=True, slots=True)
class ThreadPosition:
    """Where in a thread a page stands."""

    next: NextPage
    thread: Thread | None = None
    """None as long as its first page has not been read."""
    before: frozenset[str] = frozenset()
    """The posts of the page before: their ids, and what they say."""
    opening: str = ""
    """What the thread's first post says: software that shows it on every page of the thread shows it again."""
    is_candidate: bool = False
    """Whether nothing but a link on a board of unknown software led there."""


class ForumSpider(RecordSpider):
    """Fetches boards and threads of the forums in sites.toml."""

    name = "forum"
    kind = "forum"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._tried: Counter[tuple[str, str, bool]] = Counter()
        """Candidates that were read, by site, template of the URL, and whether they held anything."""
        self._awaited: dict[str, ThreadPosition] = {}
        """Later pages of threads that were on their way, by a link from elsewhere, when the page before them was read."""

    def start_site(self, site: Site) -> Iterator[Request]:
        """The start pages of a site, or the threads that the user names."""
        for url in self.plan.urls or site.start:
            if self.plan.urls or told_kind(normalize(url) or url, self.rules[site.name]) == "thread":
                yield from self._thread(site, url)
            elif self._is_new(url):
                yield self._board(site, url, depth=0, pages=0)

    # -- requests --------------------------------------------------------------------------------------------------

    def _board(self, site: Site, url: str, depth: int, pages: int) -> Request:
        return self._request(site, url, self.parse_page, 800 - depth, {"at": None, "depth": depth, "pages": pages})

    def _thread(self, site: Site, url: str, depth: int = 0, *, is_candidate: bool = False) -> Iterator[Request]:
        """The page of a thread that is to be fetched first."""
        known = told_kind(normalize(url) or url, self.rules[site.name]) == "thread"
        start = NextPage(first_page(url) if known else normalize(url) or url, 1, 1)
        yield from self._page(site, ThreadPosition(start, is_candidate=is_candidate), depth)

    def _page(self, site: Site, at: ThreadPosition, depth: int = 0) -> Iterator[Request]:
        """A page of a thread, or where the thread goes on if that one is done; none if the thread ends there.

        :param depth: boards above it, in case that it is a board itself.
        """
        following = self.ledger.pages.resume(at.next, since=site.since, until=site.until)
        known = following.known
        if following.number > site.pages_per_thread or not self.covers(site, following.url):
            return
        if not self._is_new(following.url):
            if at.next.number > 1:
                self._awaited[self.page_id(following.url)] = at
            return
        was_read = self.page_id(following.url) in self.ledger.pages.lines
        if not was_read and self.is_turned_away(site, following.url):
            return  # it was turned away; one that was read well before is not given up for a bad answer
        if known is None and not self.has_room(site):
            return
        thread = at.thread
        if known is not None and known.thread_id and known.thread_url:
            thread = Thread(known.thread_id, known.thread_url, known.thread_title)
        at = replace(at, next=following, thread=thread)
        arguments = {"at": at, "depth": depth, "pages": 0}
        request = self._request(site, following.url, self.parse_page, 900, arguments)
        # A browser has its own way with these headers. A page that leads on must come whole: the next is compared with it.
        if known is not None and known.next is None and not site.render:
            headers = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
            request.headers.update({name: value for name, value in headers.items() if value})
            request.meta["handle_httpstatus_list"] = [304]
        yield request

    # -- pages -----------------------------------------------------------------------------------------------------

    async def parse_page(
        self, response: Response, site: Site, at: ThreadPosition | None, depth: int, pages: int
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
        known = at.thread.title if at is not None and at.thread is not None else None
        number = at.next.number if at is not None else 1
        read = await self.read(
            response, site, asked, read_thread_page, rules, algorithm, params, is_thread, shape, known, number
        )
        if isinstance(read, Rejection):
            yield _passing(read, at)
            return
        if at is not None and at.is_candidate:
            self._judge(site, asked, read)
        if is_thread and not read.is_later:  # "next" led to another thread
            at = ThreadPosition(NextPage(asked, 1, 1))
        if read.forum.kind == "thread" and read.found is None:
            self._count("later_page_first")
            self._scheduled.discard(int(self.page_id(asked), 16))  # its turn comes when the pages before it are read
            behind = self._awaited.pop(self.page_id(asked), None)
            requests = self._page(site, behind) if behind else self._thread(site, read.forum.first_page or asked)
            for request in requests:
                yield request
            return
        if read.found is None:
            for output in self._board_read(site, asked, read.forum, depth, pages):
                yield output
            return
        for output in self._posts(site, response, asked, read, at or ThreadPosition(NextPage(asked, 1, 1)), algorithm):
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
        if depth < site.depth:
            for url in forum.candidates:
                if not self._is_fruitless(site, url):
                    yield from self._thread(site, url, depth + 1, is_candidate=True)
        if forum.next_page and pages < site.pagination and self._is_new(forum.next_page):
            yield self._board(site, forum.next_page, depth, pages + 1)
        if depth < site.depth:
            for url in forum.boards:
                if self._is_new(url):
                    yield self._board(site, url, depth + 1, 0)

    def _judge(self, site: Site, url: str, read: ThreadPage) -> None:
        """Remember whether a page to which a link of a board of unknown software led was worth fetching."""
        self._tried[site.name, url_shape(url, has_slugs=True), bool(read.posts or read.forum.threads)] += 1

    def _is_fruitless(self, site: Site, url: str) -> bool:
        """Whether several pages whose URLs are built like this one held neither posts nor links to threads."""
        template = url_shape(url, has_slugs=True)
        return self._tried[site.name, template, False] >= MOST_FRUITLESS and not self._tried[site.name, template, True]

    def _posts(
        self, site: Site, response: Response, asked: str, read: ThreadPage, at: ThreadPosition, algorithm: str
    ) -> Iterator[Output]:
        """The posts of a page, the page's own line, and the next page."""
        number, first = at.next.number, at.next.first
        found = read.found
        assert found is not None  # it is no board
        if not read.posts or not is_sure(site, found):
            yield _passing(self.none_found(site, asked, found, "no post was found"), at)
            return
        thread = at.thread or Thread(thread_id(response.url), first_page(response.url), read.title)
        posts = posts_of(read, thread, site.name, response.url, number, first, algorithm)
        if number > 1 and posts and at.opening == _said(posts[0]):
            read = replace(read, posts=read.posts[1:])
            posts = posts_of(read, thread, site.name, response.url, number, first, algorithm)
        ids, said = frozenset(post.id for post in posts), frozenset(map(_said, posts))
        opening = at.opening or (_said(posts[0]) if number == 1 and posts else "")
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
            yield from self._page(site, ThreadPosition(behind, thread, ids | said, opening))

    def _wrapped(
        self, run: WrapperRun, read: WrappedPage, response: Response, at: ThreadPosition | None, depth: int, pages: int
    ) -> Iterator[Output]:
        """A page of a site with a wrapper: a board is followed, a thread's objects are written."""
        forum = read.leads.forum
        if forum is not None and read.leads.is_board:
            yield from self._board_read(run.site, run.asked, forum, depth, pages)
            return
        at = at or ThreadPosition(NextPage(run.asked, 1, 1))
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
            yield from self._page(
                run.site, ThreadPosition(NextPage(following, number + 1, first + len(found)), thread, words)
            )

    def failed(self, failure: Failure) -> Iterator[Request | Rejection]:
        """A request that failed leaves a record of its failure."""
        at = failure.request.cb_kwargs["at"]  # type: ignore[attr-defined]  # set by Scrapy
        for output in super().failed(failure):
            yield _passing(output, at) if isinstance(output, Rejection) else output


def _passing(rejection: Rejection, at: ThreadPosition | None) -> Rejection:
    """A bad answer to a later page of a thread may pass: the page is tried again by later runs."""
    if at is not None and at.next.number > 1 and rejection.status in BAD_ANSWERS:
        rejection.reason = f"{rejection.status}: {rejection.reason}"
        rejection.status = "failed"
    return rejection


def _said(post: Post) -> str:
    """What a post says, as a short name: the same on every page, also where its id is made of its position."""
    return record_id(f"said {post.author} {post.date} {post.text}")
