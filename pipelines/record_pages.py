"""A page of a thread → its posts; a result page → its hits; a list page → its teasers.

This runs in a worker process; making the items of what comes back is cheap and runs where the spider is
(:mod:`pipelines.page_records`). What a page leads to and what stands on it are one call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from newsextract import Page
from newsextract.article import Surroundings
from newsextract.discovery import Rules, belongs, matches, normalize, read_links, record_id
from newsextract.discovery.forum_pages import ForumPage, read_forum_page
from newsextract.discovery.pagination import step, written_next_page
from newsextract.discovery.references import host_of
from newsextract.discovery.result_pages import next_results
from newsextract.discovery.threads import next_in_forum
from newsextract.fields.title import find_title

if TYPE_CHECKING:
    from newsextract.fields.hits import HitFields
    from newsextract.fields.posts import PostFields
    from newsextract.fields.teasers import TeaserFields
    from newsextract.record import RecordPage

_TITLE_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
DOUBTFUL = 0.5
"""Confidence below which the hits of a page without any of the engine's shape are none. In the lab, what is found on pages
without hits has 0.17 at most, and the shape of one page fits all others of its engine."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the algorithm said of a page."""

    status: str
    reason: str | None
    confidence: float
    fetched_at: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """What was read of a forum's page."""

    forum: ForumPage
    title: str | None = None
    posts: tuple[PostFields, ...] = ()
    found: Found | None = None
    """None for a board, and for a later page of a thread that is to be read from its first page on."""
    shape: str | None = None
    """What the posts look like, for the thread's later pages; as on the pages before, if that was known."""
    is_later: bool = False
    """Whether it is a later page of the thread that the page before it was of."""


@dataclass(frozen=True, slots=True)
class ResultPage:
    """What was read of a result page."""

    hits: tuple[HitFields, ...]
    next_page: str | None
    found: Found
    shape: str | None = None
    """See :attr:`ThreadPage.shape`."""


@dataclass(frozen=True, slots=True)
class ListPage:
    """What was read of a list page."""

    teasers: tuple[TeaserFields, ...]
    """Each address once."""
    next_page: str | None
    lists: tuple[str, ...]
    """Other lists that it leads to, by the site's ``follow``; normalised."""
    title: str | None
    found: Found
    shape: str | None = None
    """See :attr:`ThreadPage.shape`."""


@dataclass(frozen=True, slots=True)
class Thread:
    """What all posts of a thread share."""

    id: str
    url: str
    """Of its first page, after redirects."""
    title: str | None


@dataclass(frozen=True, slots=True)
class TeaserList:
    """What all teasers of a list share."""

    url: str
    """Of its first page, as it was asked for."""
    title: str | None


def read_thread_page(
    page: Page,
    rules: Rules,
    algorithm: str,
    params: Mapping[str, Any],
    is_thread: bool,
    shape: str | None = None,
    thread_title: str | None = None,
    number: int = 1,
) -> ThreadPage:
    """Tell board from thread; of a thread read the posts. Runs in a worker.

    :param is_thread: the page before it was of this thread: nothing is to be told.
    :param shape: what the posts look like on the pages before.
    :param thread_title: of the pages before; a page with another title is of another thread.
    :param number: of the page within its thread.
    """
    from newsextract.fields.thread_posts import thread_posts  # here: crawls of news have no use for it

    title = find_title(page.metadata, Surroundings(), page.url)
    name = title.value if title else None
    if is_thread and not same_title(name, thread_title):
        is_thread, shape, number = False, None, 1
    if is_thread:
        forum = ForumPage("thread", next_page=next_in_forum(page, number=number))
    else:
        forum = read_forum_page(page, rules)
        if forum.kind == "thread":
            forum = replace(forum, next_page=next_in_forum(page, number=number))
    if (forum.kind == "board" and forum.is_sure) or (forum.first_page and forum.kind == "thread" and number == 1):
        return ThreadPage(forum)
    records, shape = _records(page, algorithm, params, shape)
    found = thread_posts(page, records, is_later=is_thread and number > 1)
    if not forum.is_sure:
        forum = replace(forum, kind="thread" if found.are_sure else "board")
        if forum.kind == "board":
            return ThreadPage(forum)
        following = next_in_forum(page, number=number)
        forum = ForumPage("thread", next_page=following, first_page=forum.first_page)
        if forum.first_page:
            return ThreadPage(forum)
    return ThreadPage(forum, name, found.posts, _found(page, records), shape, is_thread)


def same_title(one: str | None, other: str | None) -> bool:
    """Whether two titles may be those of pages of one thread, which differ in a number or a site's name; one that is not
    known says nothing."""
    if not one or not other:
        return True
    mine, theirs = (frozenset(_TITLE_WORD.findall(title.lower())) for title in (one, other))
    return 2 * len(mine & theirs) >= min(len(mine), len(theirs))


def _records(
    page: Page,
    algorithm: str,
    params: Mapping[str, Any],
    shape: str | None,
    whole: Callable[[Page, RecordPage], RecordPage] | None = None,
) -> tuple[RecordPage, str | None]:
    """The records of a page and their shape: that of the pages before, or else its own.

    :param whole: completes the records.
    """
    from newsextract.record_shape import read_shape  # see above
    from newsextract.records import find_records, shape_of

    found = find_records(page, None, algorithm, params, shape=None if shape is None else read_shape(shape))
    if whole is not None:
        found = whole(page, found)
    if shape is not None:
        return found, shape
    own = shape_of(page, found)
    return found, None if own is None else str(own)


def _has_shape(page: Page, records: RecordPage, shape: str) -> bool:
    """Whether something on a page looks like the records of other pages."""
    from newsextract.record_shape import find_shape, read_shape  # see above

    nodes = page.nodes_of(records)
    return find_shape(nodes, read_shape(shape)) is not None


def _found(page: Page, records: RecordPage) -> Found:
    fetched_at = page.time.isoformat(timespec="seconds")
    return Found(records.status, records.reason, records.confidence, fetched_at, records.note)


def read_result_page(
    page: Page, algorithm: str, params: Mapping[str, Any], query: str, number: int, shape: str | None = None
) -> ResultPage:
    """Read the hits of a result page. Runs in a worker.

    :param query: that was asked for.
    :param number: of the page, 1 for the first.
    :param shape: what the hits look like on the pages before.
    """
    from newsextract.fields.hits import hit_fields, with_headings  # see above
    from newsextract.record import RecordPage

    records, known = _records(page, algorithm, params, shape, with_headings)
    if shape is not None and records.records and records.confidence < DOUBTFUL and not _has_shape(page, records, shape):
        reason = f"nothing on it looks like the hits of the engine's other pages; {records.confidence:.2f} for others"
        records = RecordPage(
            page.url, records.algorithm, "empty", reason=reason, rendered=records.rendered, note=records.note
        )
    hits = tuple(hit_fields(page, record) for record in records.records if record.region == 0)
    return ResultPage(
        tuple(hit for hit in hits if hit.title and hit.address),
        next_results(page, query, number),
        _found(page, records),
        known,
    )


def read_list_page(
    page: Page, rules: Rules, algorithm: str, params: Mapping[str, Any], shape: str | None = None
) -> ListPage:
    """Read the teasers of a list page, and what it leads to. Runs in a worker.

    :param rules: the site's; ``allow`` and ``deny`` choose the teasers by their addresses, ``follow`` other lists.
    :param shape: what the teasers look like on the pages before.
    """
    from newsextract.fields.teasers import list_title, teaser_fields  # see above

    records, shape = _records(page, algorithm, params, shape)
    teasers: dict[str, TeaserFields] = {}
    for teaser in teaser_fields(page, records):
        address = normalize(teaser.address or "")
        if address and teaser.title and not matches(rules.deny, address) and _allowed(rules, address):
            teasers.setdefault(record_id(address), teaser)
    lists = tuple(other_lists(page, rules)) if rules.follow else ()
    return ListPage(tuple(teasers.values()), written_next_page(page), lists, list_title(page), _found(page, records), shape)


def _allowed(rules: Rules, address: str) -> bool:
    return not rules.allow or matches(rules.allow, address)


def other_lists(page: Page, rules: Rules) -> Iterator[str]:
    """Links to lists of the site; other pages of the same list, which differ in their number alone, are none."""
    here = normalize(page.url or "") or ""
    for link in read_links(page):
        chosen = matches(rules.follow, link.url) and not matches(rules.deny, link.url)
        if chosen and belongs(host_of(link.url), rules.domains) and step(here, link.url) is None:
            yield link.url
