"""A page of a thread → its posts; a result page → its hits; a list page → its teasers.

This runs in a worker process; making the items of what comes back is cheap and runs where the spider is
(:mod:`pipelines.page_records`). What a page leads to and what stands on it are one call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract import Page
from newsextract.article import Surroundings
from newsextract.discovery import Rules, belongs, matches, normalize, read_links, record_id
from newsextract.discovery.forum_pages import ForumPage, read_forum_page
from newsextract.discovery.pagination import step, written_next_page
from newsextract.discovery.references import host_of
from newsextract.discovery.threads import next_in_forum
from newsextract.fields.title import find_title

if TYPE_CHECKING:
    from newsextract.fields.hits import HitFields
    from newsextract.fields.posts import PostFields
    from newsextract.fields.teasers import TeaserFields
    from newsextract.record import RecordPage

LONG = 2
"""Lengths of the median post from which on a record without author and permalink is a post. On the sample site's forums 24
of 217 records are none, and 20 of them fall away by this; no post does."""


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
    """None for a board."""
    shape: str | None = None
    """What the posts look like, for the thread's later pages; as on the pages before, if that was known."""


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
    page: Page, rules: Rules, algorithm: str, params: Mapping[str, Any], is_thread: bool, shape: str | None = None
) -> ThreadPage:
    """Tell board from thread; of a thread read the posts. Runs in a worker.

    :param is_thread: the page before it was of this thread: nothing is to be told.
    :param shape: what the posts look like on the pages before.
    """
    from newsextract.fields.posts import post_fields  # here, or every crawl of news would load what it has no use for

    forum = ForumPage("thread", next_page=next_in_forum(page)) if is_thread else read_forum_page(page, rules)
    if forum.kind == "board":
        return ThreadPage(forum)
    records, shape = _records(page, algorithm, params, shape)
    posts = tuple(post_fields(page, record) for record in records.records if record.region == 0)
    title = find_title(page.metadata, Surroundings(), page.url)
    return ThreadPage(forum, title.value if title else None, written_by_somebody(posts), _found(page, records), shape)


def _records(page: Page, algorithm: str, params: Mapping[str, Any], shape: str | None) -> tuple[RecordPage, str | None]:
    """The records of a page and their shape: that of the pages before, or else its own."""
    from newsextract.record_shape import read_shape  # see above
    from newsextract.records import find_records, shape_of

    if shape is not None:
        return find_records(page, algorithm, params, shape=read_shape(shape)), shape
    found = find_records(page, algorithm, params)
    own = shape_of(page, found)
    return found, None if own is None else str(own)


def _found(page: Page, records: RecordPage) -> Found:
    fetched_at = page.time.isoformat(timespec="seconds")
    return Found(records.status, records.reason, records.confidence, fetched_at, records.note)


def written_by_somebody(records: Sequence[PostFields]) -> tuple[PostFields, ...]:
    """The records that are posts. Where most of a page's have an author, one with neither author nor permalink is a title, a
    pager or a signature, unless it is long: a first post may differ from the replies."""
    told = [post for post in records if post.body or (post.author and post.date)]
    lengths = sorted(len(post.body) for post in told if post.author)
    if 2 * len(lengths) < len(told):
        return tuple(told)
    long = LONG * lengths[len(lengths) // 2] if lengths else 0
    return tuple(post for post in told if post.author or post.permalink or len(post.body) > long)


def read_result_page(page: Page, algorithm: str, params: Mapping[str, Any], shape: str | None = None) -> ResultPage:
    """Read the hits of a result page. Runs in a worker.

    :param shape: what the hits look like on the pages before.
    """
    from newsextract.fields.hits import hit_fields  # see above

    records, shape = _records(page, algorithm, params, shape)
    hits = tuple(hit_fields(page, record) for record in records.records if record.region == 0)
    return ResultPage(
        tuple(hit for hit in hits if hit.title and hit.address), written_next_page(page), _found(page, records), shape
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
