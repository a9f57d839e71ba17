"""A page of a thread → its posts; a result page → its hits.

The reading (:func:`read_thread_page`, :func:`read_result_page`) runs in a worker process; making the items of what comes
back is cheap and runs where the spider is. What a page leads to and what stands on it are one call.

Identity: of a post its thread and permalink, or thread, position and text where there is no permalink of its own; of a hit
engine, query, run and rank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from newsextract import Page
from newsextract.article import Surroundings
from newsextract.discovery import Rules, normalize, record_id
from newsextract.discovery.forum_pages import ForumPage, read_forum_page
from newsextract.discovery.pagination import next_page
from newsextract.discovery.threads import next_in_forum
from newsextract.fields.title import find_title
from newsextract.sites import Site
from pipelines.items import Hit, Post

if TYPE_CHECKING:
    from newsextract.fields.hits import HitFields
    from newsextract.fields.posts import PostFields

LONG = 2
"""Lengths of the median post from which on a record without author and permalink is a post. On the sample site's forums 24
of 217 records are none, and 20 of them fall away by this; no post does."""

_NUMBERED = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Found:
    """What the algorithm said of a page."""

    status: str
    reason: str | None
    confidence: float
    fetched_at: str


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """What was read of a forum's page."""

    forum: ForumPage
    title: str | None = None
    posts: tuple[PostFields, ...] = ()
    found: Found | None = None
    """None for a board."""


@dataclass(frozen=True, slots=True)
class ResultPage:
    """What was read of a result page."""

    hits: tuple[HitFields, ...]
    next_page: str | None
    found: Found


@dataclass(frozen=True, slots=True)
class Thread:
    """What all posts of a thread share."""

    id: str
    url: str
    """Of its first page, after redirects."""
    title: str | None


def read_thread_page(page: Page, rules: Rules, algorithm: str, params: Mapping[str, Any], is_thread: bool) -> ThreadPage:
    """Tell board from thread; of a thread read the posts. Runs in a worker.

    :param is_thread: the page before it was of this thread: nothing is to be told.
    """
    from newsextract.fields.posts import post_fields  # here, or every crawl of news would load what it has no use for
    from newsextract.records import find_records

    forum = ForumPage("thread", next_page=next_in_forum(page)) if is_thread else read_forum_page(page, rules)
    if forum.kind == "board":
        return ThreadPage(forum)
    records = find_records(page, algorithm, params)
    posts = tuple(post_fields(page, record) for record in records.records if record.region == 0)
    title = find_title(page.metadata, Surroundings(), page.url)
    found = Found(records.status, records.reason, records.confidence, page.time.isoformat(timespec="seconds"))
    return ThreadPage(forum, title.value if title else None, written_by_somebody(posts), found)


def written_by_somebody(records: Sequence[PostFields]) -> tuple[PostFields, ...]:
    """The records that are posts. Where most of a page's have an author, one with neither author nor permalink is a title, a
    pager or a signature, unless it is long: a first post may differ from the replies."""
    told = [post for post in records if post.body or (post.author and post.date)]
    lengths = sorted(len(post.body) for post in told if post.author)
    if 2 * len(lengths) < len(told):
        return tuple(told)
    long = LONG * lengths[len(lengths) // 2] if lengths else 0
    return tuple(post for post in told if post.author or post.permalink or len(post.body) > long)


def read_result_page(page: Page, algorithm: str, params: Mapping[str, Any]) -> ResultPage:
    """Read the hits of a result page. Runs in a worker."""
    from newsextract.fields.hits import hit_fields  # see above
    from newsextract.records import find_records

    records = find_records(page, algorithm, params)
    hits = tuple(hit_fields(page, record) for record in records.records if record.region == 0)
    found = Found(records.status, records.reason, records.confidence, page.time.isoformat(timespec="seconds"))
    return ResultPage(tuple(hit for hit in hits if hit.title and hit.address), next_page(page), found)


def posts_of(read: ThreadPage, thread: Thread, site: Site, url: str, number: int, first: int, algorithm: str) -> list[Post]:
    """The posts of a page, in order; a permalink that several of them have is none of theirs."""
    assert read.found is not None  # only boards have none
    times = Counter(post.permalink for post in read.posts)
    own = {record_id(url), record_id(thread.url)}
    posts = []
    for position, fields in enumerate(read.posts, first):
        permalink = fields.permalink if fields.permalink and times[fields.permalink] == 1 else None
        if permalink and "#" not in permalink and record_id(permalink) in own:
            permalink = None  # it leads to the thread, whatever post is meant
        key = _permalink_key(permalink) if permalink else f"{position} {fields.body}"
        posts.append(
            Post(
                id=record_id(f"post {thread.id} {key}"),
                url=url,
                permalink=permalink,
                thread_id=thread.id,
                thread_title=thread.title,
                thread_url=thread.url,
                site=site.name,
                page=number,
                position=position,
                author=fields.author,
                date=fields.date.value if fields.date else None,
                date_precision=fields.date.precision if fields.date else None,
                text=fields.body or "",
                fetched_at=read.found.fetched_at,
                algorithm=algorithm,
                confidence=read.found.confidence,
            )
        )
    return posts


def _permalink_key(permalink: str) -> str:
    """What names a post within its thread: a numbered fragment is the same whatever page of the thread it was seen on."""
    address, _, fragment = permalink.partition("#")
    return f"#{fragment}" if _NUMBERED.search(fragment) else f"{normalize(address) or address}#{fragment}"


def hits_of(
    read: ResultPage, site: Site, query: str, run: str, url: str, number: int, first: int, algorithm: str
) -> list[Hit]:
    """The hits of a page, in order."""
    return [
        Hit(
            id=record_id(f"hit {site.name} {run} {rank} {query}"),
            url=url,
            engine=site.name,
            query=query,
            run=run,
            page=number,
            rank=rank,
            title=fields.title or "",
            address=fields.address or "",
            snippet=fields.snippet or None,
            date=fields.date.value if fields.date else None,
            date_precision=fields.date.precision if fields.date else None,
            fetched_at=read.found.fetched_at,
            algorithm=algorithm,
            confidence=read.found.confidence,
        )
        for rank, fields in enumerate(read.hits, first)
    ]


def in_window(found: str | None, since: date | None, until: date | None) -> bool:
    """Whether a date lies inside the window; one that is not known to the day does."""
    day = (found or "")[:10]
    if len(day) < 10:
        return True
    return not ((since and day < since.isoformat()) or (until and day > until.isoformat()))
