"""What was read of a page of many records (:mod:`pipelines.record_pages`) → its posts, hits or teasers, lines of the feed.

Identity: of a post its thread and permalink, or thread, position and text where there is no permalink of its own; of a hit
engine, query, run and rank; of a teaser the list and the address that it leads to, because its place on the list changes and
its words may.
"""

from __future__ import annotations

import re
from collections import Counter

from newsextract.discovery import normalize, record_id
from newsextract.sites import Site
from pipelines.items import Hit, Post, Teaser
from pipelines.record_pages import ListPage, ResultPage, TeaserList, Thread, ThreadPage

_NUMBERED = re.compile(r"\d")


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
                text=fields.body,
                quotes=[{"author": quote.author, "text": quote.text} for quote in fields.quotes],
                signature=fields.signature,
                reply_to=fields.reply_to,
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


def teasers_of(
    read: ListPage, teased: TeaserList, site: Site, url: str, number: int, first: int, algorithm: str
) -> list[Teaser]:
    """The teasers of a page, in order."""
    return [
        Teaser(
            id=record_id(f"teaser {record_id(teased.url)} {record_id(fields.address or '')}"),
            url=url,
            list_url=teased.url,
            list_title=teased.title,
            site=site.name,
            page=number,
            position=position,
            title=fields.title,
            address=fields.address or "",
            snippet=fields.snippet or None,
            author=fields.author,
            image=fields.image,
            date=fields.date.value if fields.date else None,
            date_precision=fields.date.precision if fields.date else None,
            fetched_at=read.found.fetched_at,
            algorithm=algorithm,
            confidence=read.found.confidence,
        )
        for position, fields in enumerate(read.teasers, first)
    ]
