"""Pages of many records in archives → posts, hits or teasers: the same lines as those of the crawl.

Of our own crawls the metadata name the pages of threads, results and lists, and what was known of them. Any other web page
can be read as one of these kinds; then it is the first page of its own thread, query or list.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from newsextract import algorithms
from newsextract.archives.entries import ArchivedArticle, ArchivedRecordPage, Choice, Entry, Failure, SiteFacts, rejected
from newsextract.discovery import Rules
from newsextract.discovery.threads import first_page, thread_id
from newsextract.errors import MissingExtra, UsageError
from newsextract.feed.news_record import RESERVED, Rejection, in_window
from newsextract.feed.record_lines import Hit, Post, ReadPage, Teaser
from newsextract.page.page import Page, opened
from newsextract.record_pages import (
    FoundRecords,
    ListPage,
    ResultPage,
    TeaserList,
    Thread,
    ThreadPage,
    extract_hits,
    extract_posts,
    extract_teasers,
    hits_of,
    is_sure,
    posts_of,
    read_list_page,
    read_result_page,
    read_thread_page,
    teasers_of,
)


@dataclass(frozen=True, slots=True)
class RecordKind:
    """What ``--as`` can name."""

    line: type[Post | Hit | Teaser]
    """Type of the lines; its field ``kind`` is the feed's."""
    page: str
    """Kind of the pages, see :attr:`newsextract.feed.record_lines.ReadPage.kind`."""
    read: Callable[..., ThreadPage | ResultPage | ListPage] = field(repr=False)
    """The library's function for a page of which nothing else is known."""

    @property
    def name(self) -> str:
        """The lines' ``kind``."""
        return self.line.__name__.lower()


KINDS = {
    "posts": RecordKind(Post, "thread", extract_posts),
    "hits": RecordKind(Hit, "results", extract_hits),
    "teasers": RecordKind(Teaser, "list", extract_teasers),
}


@dataclass(frozen=True, slots=True)
class PageLines:
    """The records of a page, at least one, and the page's own line."""

    page: ReadPage
    records: tuple[Post | Hit | Teaser, ...]


def record_choice(algorithm: str | None, params: dict[str, Any]) -> Choice:
    """The algorithm for pages of many records.

    :raises UnknownAlgorithm: the name is not registered.
    :raises ParameterError: a parameter is unknown or has a bad value.
    """
    algorithms.make_records(algorithm or algorithms.DEFAULT_RECORDS, params)
    return Choice(algorithm, params, algorithms.DEFAULT_RECORDS)


def record_entry(entry: Entry, kind: RecordKind) -> ArchivedRecordPage | None:
    """An entry as a page of a kind; None if its crawl knows that it is of another kind."""
    if isinstance(entry, ArchivedRecordPage):
        return entry if entry.line.get("kind") == kind.page else None
    if not isinstance(entry, ArchivedArticle) or entry.is_crawled:
        return None
    return ArchivedRecordPage(entry.place, entry.site, {"kind": kind.page}, None, None, entry.parts[0], entry.url)


def extract_record_page(entry: ArchivedRecordPage, choice: Choice) -> PageLines | Rejection:
    """The posts, hits or teasers of a page, or why it has none. Never raises for what a page holds."""
    site = entry.site
    try:
        algorithm, params = choice.of(site)
        pattern = site.costly_pattern()
        if pattern and pattern not in choice.patterns:
            raise UsageError(
                f"the archive has a pattern that may never end, {pattern!r:.200}; only those of your own sites.toml are used"
            )
        rules = Rules(site.domains, site.allow, (), site.deny)
    except (UsageError, MissingExtra) as error:
        return rejected(entry, "failed", str(error))
    page = opened(entry.page)
    if entry.is_known:
        try:
            line = ReadPage(**entry.line)
        except TypeError as error:  # of another version of this project
            return Failure(entry.place, f"not the line of a page: {error}", url=entry.url).rejection()
        read = _read_again(entry, line, page, rules, algorithm, params)
    else:
        read = _READERS[entry.line["kind"]](page, None, algorithm, params)
        line = _first_line(entry, page, read)
    found = read.found
    if found is None or not line.count or not is_sure(site, found):
        return rejected(entry, *_why(read, site))
    records = _lines(entry, line, read, page.url or line.url, algorithm)
    if not records:
        return rejected(entry, *_why(read, site))
    kept = tuple(record for record in records if in_window(record.date, site.since, site.until))
    return PageLines(dataclasses.replace(line, count=len(records), records=[record.id for record in kept]), kept)


_READERS = {kind.page: kind.read for kind in KINDS.values()}


def _read_again(
    entry: ArchivedRecordPage, line: ReadPage, page: Page, rules: Rules, algorithm: str, params: Any
) -> ThreadPage | ResultPage | ListPage:
    """Read a page as its crawl did."""
    if line.kind == "thread":
        read = read_thread_page(page, rules, algorithm, params, True, entry.shape, line.thread_title, line.number)
        if line.number > 1 and len(read.posts) == line.count + 1:
            return dataclasses.replace(read, posts=read.posts[1:])  # without the opening post, as the crawl
        return read
    if line.kind == "results":
        return read_result_page(page, algorithm, params, entry.query or "", line.number, entry.shape)
    return read_list_page(page, rules, algorithm, params, entry.shape)


def _first_line(entry: ArchivedRecordPage, page: Page, read: ThreadPage | ResultPage | ListPage) -> ReadPage:
    """The line of a page that no crawl has described."""
    first = (read.forum.first_page if isinstance(read, ThreadPage) else None) or first_page(entry.url)
    is_thread, is_list = isinstance(read, ThreadPage), isinstance(read, ListPage)
    title = None if isinstance(read, ResultPage) else read.title
    return ReadPage(
        id=entry.id,
        url=entry.url,
        site=entry.site.name,
        kind=entry.line["kind"],
        number=1,
        first=1,
        count=sum(1 for _ in read),
        records=[],
        next=read.next_page,
        thread_id=thread_id(first) if is_thread else None,
        thread_title=title if is_thread else None,
        thread_url=first if is_thread else None,
        list_title=title if is_list else None,
        list_url=entry.url if is_list else None,
        run=entry.id if isinstance(read, ResultPage) else None,  # hits of two pages must not have the same id
        note=read.found.note if read.found else None,
        fetched_at=page.time.isoformat(timespec="seconds"),
    )


def _lines(
    entry: ArchivedRecordPage, line: ReadPage, read: ThreadPage | ResultPage | ListPage, url: str, algorithm: str
) -> list[Post] | list[Hit] | list[Teaser]:
    site, where = entry.site.name, (url, line.number, line.first, algorithm)
    if isinstance(read, ThreadPage):
        return posts_of(read, Thread(line.thread_id or "", line.thread_url or "", line.thread_title), site, *where)
    if isinstance(read, ResultPage):
        return hits_of(read, site, entry.query or "", line.run or "", *where)
    return teasers_of(read, TeaserList(line.list_url or "", line.list_title), site, *where)


def _why(read: ThreadPage | ResultPage | ListPage, site: SiteFacts) -> tuple[str, str]:
    """(status, reason) of a page without records."""
    found: FoundRecords | None = read.found
    if found is not None and site.obey_reservations and found.reserved:
        return RESERVED, f"the page reserves its use: {found.reserved}"
    if found is not None and read.status == "ok":
        return "empty", f"the confidence is {found.confidence:.2f}, below min_confidence = {site.min_confidence:g}"
    status = read.status if read.status in ("not_html", "too_large", "challenged", "failed") else "empty"
    return status, read.reason or "no record was found"
