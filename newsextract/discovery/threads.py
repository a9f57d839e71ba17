"""Addresses of forums: which are threads and boards, and which page of them one is.

Forum software writes its addresses in a few ways (``data/forums.toml``). A thread is named by its host and number, so all
its pages, and links to its last page or to a post in it, lead to one thread, read from its first page on.

Cost: about 10 µs an address; answers are kept.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from newsextract.discovery.addresses import normalize, record_id
from newsextract.discovery.pagination import counts_alike, next_page, numbered_pages, step
from newsextract.discovery.references import References, host_of
from newsextract.page import Page

ForumKind = Literal["board", "thread"]


@dataclass(frozen=True, slots=True)
class ForumAddress:
    """The address of a page of a thread or board, taken apart."""

    kind: ForumKind
    key: str
    """The same for all pages of one thread, or of one board."""
    first: str
    """Address of the first page, normalised."""
    count: int
    """The page's number, or how many posts or threads come before it; 0 where the address names neither."""
    counts: Literal["pages", "entries"]


@cache
def _patterns() -> tuple[list[tuple[ForumKind, str, re.Pattern[str]]], re.Pattern[str], re.Pattern[str]]:
    data = tomllib.loads(files(__package__).joinpath("data/forums.toml").read_text("utf-8"))
    kinds: tuple[ForumKind, ForumKind] = ("thread", "board")
    known = [(kind, software, re.compile(pattern, re.I)) for kind in kinds for software, pattern in data[kind]]
    page, offset = (
        re.compile(rf"([?&])(?:{'|'.join(data['counters'][name])})=(\d{{1,7}})(?=&|$)", re.I) for name in ("page", "offset")
    )
    return known, page, offset


@lru_cache(maxsize=20_000)
def forum_address(url: str) -> ForumAddress | None:
    """What an address tells; None if no forum software that is known writes threads or boards so.

    :param url: normalised.
    """
    known, page, offset = _patterns()
    start = url.find("/", url.find("://") + 3)
    rest = url[start:]
    for kind, software, pattern in known:
        match = pattern.search(rest)
        if match is None:
            continue
        groups = match.groupdict()
        counts: Literal["pages", "entries"] = "pages"
        count = 0
        if groups.get("tail"):
            count = int(groups.get("page") or 0)
            rest = rest[: match.start("tail")] + rest[match.end("tail") :]
        elif groups.get("page"):
            count = int(groups["page"])
            rest = rest[: match.start("page")] + "1" + rest[match.end("page") :]
        elif groups.get("offset"):
            counts, count = "entries", int(groups["offset"])
            rest = rest[: match.start("offset")] + "0" + rest[match.end("offset") :]
        elif in_query := page.search(rest):
            count, rest = int(in_query[2]), _without(rest, in_query)
        elif in_query := offset.search(rest):
            counts, count, rest = "entries", int(in_query[2]), _without(rest, in_query)
        mark = rest.find("?")
        if kind == "thread" and 0 <= match.end("id") <= mark:  # the path names it: its query sorts, or leads to a post
            rest = rest[:mark]
        key = f"{kind} {host_of(url).removeprefix('www.')} {software} {groups['id'].lower()}"
        return ForumAddress(kind, key, url[:start] + rest, count, counts)
    return None


def _without(rest: str, parameter: re.Match[str]) -> str:
    """An address without one parameter of its query."""
    before, after = rest[: parameter.start()], rest[parameter.end() :]
    return before + (parameter[1] + after[1:] if after else "")


def thread_address(url: str) -> ForumAddress | None:
    """What a normalised address tells of a thread; None if it tells of none."""
    found = forum_address(url)
    return found if found is not None and found.kind == "thread" else None


def first_page(url: str) -> str:
    """Address of the first page of the thread or board that an address belongs to, normalised; itself where that cannot be
    told."""
    found = forum_address(normalize(url) or url)
    return found.first if found else normalize(url) or url


def thread_id(url: str) -> str:
    """Short name of the thread that an address belongs to: 16 hexadecimal digits."""
    found = thread_address(normalize(url) or url)
    return record_id(found.key) if found else record_id(url)


def first_of_pages(page: Page, references: References | None = None) -> str | None:
    """URL of the first page of the thread or board of which this page is a later one, normalised; None for a first page.

    Where the software is not known, it is where the pager's "1" leads, if this page's own URL is not of that number.
    """
    references = references or References.of(page)
    here = forum_address(references.here)
    if here is not None:
        is_later = here.count > (1 if here.counts == "pages" else 0)
        return here.first if is_later and here.first != references.here else None
    numbered = numbered_pages(page, references)
    first = numbered.get(1)
    if first is None:
        return None
    mine = step(references.here, first)
    is_other_view = (
        len(numbered) > 1 and mine is None and first != references.here and not counts_alike(references.here, first)
    )
    return first if (mine is not None and mine[0] > mine[1]) or is_other_view else None


def next_in_forum(page: Page, references: References | None = None, number: int | None = None) -> str | None:
    """Address of the following page of a thread or board, normalised, or None.

    Where the software is known, it is the link into the same thread or board with the next higher count ("next thread" leads
    elsewhere, a link to the last page too far); else :func:`~newsextract.discovery.pagination.next_page` tells.

    :param number: of this page within its thread; None: of a board, or not known.
    """
    references = references or References.of(page)
    here = forum_address(references.here)
    if here is None:
        told = next_page(page, references)
        counted = step(references.here, told) if told else None
        # /ticket/8 is no eighth page of a thread whose first page it is.
        is_another = counted is not None and number is not None and counted[0] > number and "?" not in (told or "")
        return None if is_another else told
    following: tuple[int, int, str] | None = None
    for link in page.source.links:
        url = references.resolve(link.href)
        there = forum_address(url) if url else None
        if url is None or there is None or there.key != here.key or not _follows(here, there):
            continue
        found = there.count, len(url), url  # of several ways to write it the shortest: others sort or reply
        following = found if following is None else min(following, found)
    if following is not None:
        return following[2]
    told = next_page(page, references)
    there = forum_address(told) if told else None
    return told if there is not None and there.key == here.key and there.first != told else None


def _follows(here: ForumAddress, there: ForumAddress) -> bool:
    """Whether one page of a thread can come behind another: the next page, or any with more entries before it."""
    if there.counts == "pages":
        return here.counts == "pages" and there.count == max(here.count, 1) + 1
    if here.counts == "pages":  # the address of a first page does not tell what is counted
        return here.count == 0 and there.count > 0
    return there.count > here.count
