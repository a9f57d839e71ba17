"""``scrapy crawl forum``: boards → threads → the pages of each thread → one record per post.

Every run reads the boards anew. A thread is followed from page to page. Pages that are done (:mod:`pipelines.items`) are
skipped, except the last known one, because posts may have been added to it. A worker process decides whether a page is a
board or a thread, and reads it (:mod:`newsextract.record_pages`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract.control_characters import plural
from newsextract.discovery import normalize
from newsextract.discovery.threads import ForumPage, first_page, thread_id, told_kind
from newsextract.feed import post_hash
from newsextract.feed.record_lines import ObjectRecord, Post, ReadPage, Rejection
from newsextract.record_pages import Thread, ThreadPage, is_sure, posts_of, read_thread_page, why_none
from newsextract.sites import Site
from pipelines.items import NextPage
from pipelines.page_work import WrappedPage, forum_leads
from spiders.pages import header_of, requested_url
from spiders.site_spider import RecordSpider
from spiders.traps import url_shape
from spiders.wrapping import WrapperRun, said

Output = Request | Post | ObjectRecord | ReadPage | Rejection
BAD_ANSWERS = frozenset({"empty", "missing", "redirected", "not_html"})
"""Rejections of a later page of a thread that may be temporary, because another page links to it."""


LEAST_OWN = 20
"""Bytes of a text that is hardly written twice."""
MOST_FRUITLESS = 5
"""Number of candidate links per URL template that are fetched although none of them has posts or leads to threads."""


@dataclass(frozen=True, slots=True)
class ThreadPosition:
    """Position of a page in a thread."""

    next: NextPage
    thread: Thread | None = None
    """None until the first page has been read."""
    before: frozenset[str] = frozenset()
    """The posts of the previous page: ids, and hashes of their content."""
    is_candidate: bool = False
    """Whether only a link on a board of unknown software leads there."""
    shape: str | None = None
    """What the board shows of its threads (:attr:`newsextract.record_pages.ThreadPage.shape`), if no page of the thread was
    read before."""


class ForumSpider(RecordSpider):
    """Fetches boards and threads of the forums in sites.toml."""

    name = "forum"
    kind = "forum"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._tried: Counter[tuple[str, str, bool]] = Counter()
        """(site, URL template, whether anything was found) → number of candidate links that were read."""
        self._awaited: dict[str, ThreadPosition] = {}
        """Later pages of threads that were already requested, by a link from elsewhere, when the previous page was read."""

    def start_site(self, site: Site) -> Iterator[Request]:
        """Request the start pages of a site, or the threads that the user names."""
        for url in self.plan.urls or site.start:
            if self.plan.urls or told_kind(normalize(url) or url, self.rules[site.name]) == "thread":
                yield from self._thread(site, url)
            elif self._is_new(url):
                yield self._board(site, url, depth=0, pages=0)

    # -- requests --------------------------------------------------------------------------------------------------

    def _board(self, site: Site, url: str, depth: int, pages: int) -> Request:
        return self._request(site, url, self.parse_page, 800 - depth, {"at": None, "depth": depth, "pages": pages})

    def _thread(
        self, site: Site, url: str, depth: int = 0, *, is_candidate: bool = False, shape: str | None = None
    ) -> Iterator[Request]:
        """Request the first page of a thread that is not done."""
        known = told_kind(normalize(url) or url, self.rules[site.name]) == "thread"
        start = NextPage(first_page(url) if known else normalize(url) or url, 1, 1)
        yield from self._page(site, ThreadPosition(start, is_candidate=is_candidate, shape=shape), depth)

    def _page(self, site: Site, at: ThreadPosition, depth: int = 0) -> Iterator[Request]:
        """Request a page of a thread, or the next one that is not done; nothing if the thread ends there.

        :param depth: number of boards above it, in case the page is a board.
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
            return  # rejected; a page that was read before is not given up for a bad response
        if known is None and not self.has_room(site):
            return
        thread = at.thread
        # The line of the page itself, or else of the page from which on all others are done.
        line = known or (self.ledger.pages.lines.get(self.page_id(at.next.url)) if thread is None else None)
        if line is not None and line.thread_id and line.thread_url:
            thread = Thread(line.thread_id, line.thread_url, line.thread_title)
        at = replace(at, next=following, thread=thread)
        arguments = {"at": at, "depth": depth, "pages": 0}
        request = self._request(site, following.url, self.parse_page, 900, arguments)
        # A browser handles these headers itself. A page with a next page is needed in full, to compare the next page with
        # it.
        if known is not None and known.next is None and not site.render:
            headers = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
            request.headers.update({name: value for name, value in headers.items() if value})
            request.meta["handle_httpstatus_list"] = [304]
        yield request

    # -- pages -----------------------------------------------------------------------------------------------------

    async def parse_page(
        self, response: Response, site: Site, at: ThreadPosition | None, depth: int, pages: int
    ) -> AsyncIterator[Output]:
        """Process any page: follow a board, write the posts of a thread.

        :param at: position in the thread; None for a board or a start page.
        :param depth: number of boards above this one.
        :param pages: number of pages of this board that were already followed.
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
        shape = at.next.shape or at.shape if at is not None else None
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
        if is_thread and not read.is_later:  # the "next" link led to another thread
            at = ThreadPosition(NextPage(asked, 1, 1))
        if read.forum.kind == "thread" and read.found is None:
            self._count("later_page_first")
            self._scheduled.discard(int(self.page_id(asked), 16))  # requested again after the pages before it
            behind = self._awaited.pop(self.page_id(asked), None)
            first = read.forum.first_page or asked
            requests = self._page(site, behind) if behind else self._thread(site, first, shape=read.shape)
            for request in requests:
                yield request
            return
        if read.found is None:
            for output in self._board_read(site, asked, read.forum, depth, pages, read.shape):
                yield output
            return
        for output in self._posts(site, response, asked, read, at or ThreadPosition(NextPage(asked, 1, 1)), algorithm):
            yield output

    def _board_read(
        self, site: Site, asked: str, forum: ForumPage, depth: int, pages: int, shape: str | None = None
    ) -> Iterator[Output]:
        yield from self._follow(site, forum, depth, pages, shape)
        leads = f"{plural(len(forum.threads), 'thread')}, {plural(len(forum.boards), 'board')}"
        yield self.rejected(site, asked, "listing", f"a board: {leads}")

    def _follow(self, site: Site, forum: ForumPage, depth: int, pages: int, shape: str | None) -> Iterator[Request]:
        for url in forum.threads:
            yield from self._thread(site, url, shape=shape)
        for page in (forum.next_page, forum.previous_page):
            if page and pages < site.pagination and self._is_new(page):
                yield self._board(site, page, depth, pages + 1)
        if depth < site.depth:
            for url in forum.candidates:
                if not self._is_fruitless(site, url):
                    yield from self._thread(site, url, depth + 1, is_candidate=True, shape=shape)
            for url in forum.boards:
                if self._is_new(url):
                    yield self._board(site, url, depth + 1, 0)

    def _judge(self, site: Site, url: str, read: ThreadPage) -> None:
        """Note whether a candidate link of a board of unknown software led to anything."""
        self._tried[site.name, url_shape(url, has_slugs=True), bool(read.posts or read.forum.threads)] += 1

    def _is_fruitless(self, site: Site, url: str) -> bool:
        """Whether several pages with this URL template had neither posts nor links to threads."""
        template = url_shape(url, has_slugs=True)
        return self._tried[site.name, template, False] >= MOST_FRUITLESS and not self._tried[site.name, template, True]

    def _posts(
        self, site: Site, response: Response, asked: str, read: ThreadPage, at: ThreadPosition, algorithm: str
    ) -> Iterator[Output]:
        number, first = at.next.number, at.next.first
        found = read.found
        assert found is not None  # not a board
        if not read.posts or not is_sure(site, found):
            yield _passing(self.rejected(site, asked, *why_none(site, found, "no post was found")), at)
            return
        thread = at.thread or Thread(thread_id(response.url), first_page(response.url), read.title)
        posts = posts_of(read, thread, site.name, response.url, number, first, algorithm)
        if number > 1 and posts:
            top = posts_of(replace(read, posts=read.posts[:1]), thread, site.name, response.url, 1, 1, algorithm)
            if top[0].id == at.next.opening:
                read = replace(read, posts=read.posts[1:])
                posts = posts_of(read, thread, site.name, response.url, number, first, algorithm)
        if number == 1 and at.thread is None and self._is_known(posts):
            yield self.rejected(site, asked, "not_canonical", "its posts are in the feed already, as those of another URL")
            return
        ids, said = frozenset(post.id for post in posts), frozenset(map(_said, posts))
        opening = at.next.opening or (posts[0].id if number == 1 and posts else "")
        following = read.forum.next_page
        if ids <= at.before or said <= at.before:  # the last page again, under another page number
            posts, following = [], None
        kept, window = self.within(site, posts)
        for post in kept:
            if not self.ledger.has(int(post.id, 16)):
                self.ledger.told.add(int(_said(post), 16))
                yield post
        yield self.page_line(
            site, asked, "thread", at.next, found, posts, kept, following, read.shape, window,
            thread_id=thread.id, thread_title=thread.title, thread_url=thread.url,
            etag=header_of(response, "ETag"), last_modified=header_of(response, "Last-Modified"),
        )  # fmt: skip
        if following:
            behind = NextPage(following, number + 1, first + len(posts), shape=read.shape, opening=opening)
            yield from self._page(site, ThreadPosition(behind, thread, ids | said))

    def _is_known(self, posts: Sequence[Post]) -> bool:
        """Whether a page shows the posts of a thread that was read at another URL (a timeline's, a print view).

        What somebody said there at the same minute, or two such posts of a day, tell it, if all others were read, too, or
        these begin the thread.
        """
        if any(self.ledger.has(int(post.id, 16)) for post in posts):
            return False  # of this thread, when an earlier run was stopped
        known = [int(_said(post), 16) in self.ledger.told for post in posts]
        # Nobody else would write the same: a post with a name, a day and some words.
        sure = [
            post
            for post, is_known in zip(posts, known, strict=True)
            if is_known and post.author is not None and post.date is not None and len(post.text.encode()) >= LEAST_OWN
        ]
        timed = [post for post in sure if "T" in (post.date or "")]
        begins = posts[:2] == sure[:2] and len(sure) > 1
        return (all(known) or begins) and (len(sure) > 1 or bool(timed))

    def _wrapped(
        self, run: WrapperRun, read: WrappedPage, response: Response, at: ThreadPosition | None, depth: int, pages: int
    ) -> Iterator[Output]:
        """Process a page of a site with a wrapper: follow a board, write the objects of a thread."""
        forum = read.leads.forum
        if forum is not None and read.leads.is_board:
            yield from self._board_read(run.site, run.asked, forum, depth, pages)
            return
        at = at or ThreadPosition(NextPage(run.asked, 1, 1))
        number, first = at.next.number, at.next.first
        found = self.wrapping.records(run, read, number, first)
        if isinstance(found, Rejection):
            yield found
            return
        thread = at.thread or Thread(thread_id(response.url), first_page(response.url), read.leads.title)
        words, following = said(found), read.leads.next_page
        if words <= at.before:
            found, following = [], None
        yield from found
        yield from self.wrapping.line(
            run, read, "thread", found, number, first, following,
            thread_id=thread.id, thread_title=thread.title, thread_url=thread.url,
            etag=header_of(response, "ETag"), last_modified=header_of(response, "Last-Modified"),
        )  # fmt: skip
        if following:
            yield from self._page(
                run.site, ThreadPosition(NextPage(following, number + 1, first + len(found)), thread, words)
            )

    def failed(self, failure: Failure) -> Iterator[Request | Rejection]:
        """Write a rejection for a failed request."""
        at = failure.request.cb_kwargs["at"]  # type: ignore[attr-defined]  # set by Scrapy
        for output in super().failed(failure):
            yield _passing(output, at) if isinstance(output, Rejection) else output


def _passing(rejection: Rejection, at: ThreadPosition | None) -> Rejection:
    """Mark a bad response to a later page of a thread as temporary, so that later runs try again."""
    if at is not None and at.next.number > 1 and rejection.status in BAD_ANSWERS:
        rejection.reason = f"{rejection.status}: {rejection.reason}"
        rejection.status = "failed"
    return rejection


def _said(post: Post) -> str:
    """Hash of a post's content; equal on every page, even if the post's id depends on its position."""
    return post_hash(post.site, post.author, post.date, post.text).hex()
