"""Forums: which URLs are threads and boards, what a board or thread page links to, and where it continues."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from newsextract.discovery import Rules, belongs, matches
from newsextract.discovery.links import found_links, says_previous
from newsextract.discovery.pagination import (
    adds_counter,
    counts_alike,
    first_of_run,
    next_page,
    numbered_pages,
    numbered_run,
    page_number,
    step,
)
from newsextract.model_files import data_table
from newsextract.page.page import Page
from newsextract.page.references import References, host_of
from newsextract.urls import normalize, record_id

# --- threads --------------------------------------------------------------------------------------
# Forum software writes its addresses in a few ways (``data/forums.toml``). A thread is named by its host and number, so all
# its pages, and links to its last page or to a post in it, lead to one thread, read from its first page on.

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


_FORUMS = data_table("discovery/data/forums.toml")
_KINDS: dict[str, ForumKind] = {"board_of_topics": "board", "thread": "thread", "board": "board"}
_KNOWN = [(_KINDS[name], software, re.compile(pattern, re.I)) for name in _KINDS for software, pattern in _FORUMS[name]]
_FIRST = {"tail": "", "page": "1", "offset": "0"}
"""Groups of the patterns, and what stands in their place in the URL of the first page."""
_PAGE, _OFFSET = (
    re.compile(rf"([?&])(?:{'|'.join(_FORUMS['counters'][name])})=(\d{{1,7}})(?=&|$)", re.I) for name in ("page", "offset")
)


@lru_cache(maxsize=20_000)
def forum_address(url: str) -> ForumAddress | None:
    """What a normalised address tells; None if no forum software that is known writes threads or boards so."""
    start = url.find("/", url.find("://") + 3)
    rest = url[start:]
    for kind, software, pattern in _KNOWN:
        match = pattern.search(rest)
        if match is None:
            continue
        groups = match.groupdict()
        counts: Literal["pages", "entries"] = "pages"
        count = 0
        part = next((name for name in _FIRST if groups.get(name)), None)
        if part is not None:
            counts = "entries" if groups.get("offset") and part != "page" else "pages"
            count = int(groups.get("page") or groups.get("offset") or 0)
            rest = rest[: match.start(part)] + _FIRST[part] + rest[match.end(part) :]
        elif in_query := _PAGE.search(rest) or _OFFSET.search(rest):
            counts = "pages" if in_query.re is _PAGE else "entries"
            count, rest = int(in_query[2]), _without(rest, in_query)
        mark = rest.find("?")
        if kind == "thread" and 0 <= match.end("id") <= mark:  # the path names it: its query sorts, or leads to a post
            rest = rest[:mark]
        key = f"{kind} {host_of(url).removeprefix('www.')} {software} {_id(match).lower()}"
        return ForumAddress(kind, key, url[:start] + rest, count, counts)
    return None


def _id(match: re.Match[str]) -> str:
    """What a pattern calls the id, without a tail within it."""
    start, end = match.span("id")
    first, behind = match.span("tail") if "tail" in match.re.groupindex else (-1, -1)
    is_within = start <= first < behind <= end
    return match.string[start:first] + match.string[behind:end] if is_within else match["id"]


def _without(rest: str, parameter: re.Match[str]) -> str:
    """An address without one parameter of its query."""
    before, after = rest[: parameter.start()], rest[parameter.end() :]
    return before + (parameter[1] + after[1:] if after else "")


def thread_address(url: str) -> ForumAddress | None:
    """What a normalised address tells of a thread; None if it tells of none."""
    found = forum_address(url)
    return found if found is not None and found.kind == "thread" else None


def first_page(url: str) -> str:
    """Address of the first page of the thread or board that an address belongs to, normalised; else the address itself."""
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
    if here is not None and here.count > (1 if here.counts == "pages" else 0):
        return here.first if here.first != references.here else None
    if (told := first_of_run(page, references)) is not None:
        return told
    numbered = numbered_pages(page, references)
    first = numbered.get(1)
    if first is not None and adds_counter(first, references.here):
        # /x?page=1 may be the second page, or the first one, which leads to the second.
        return None if 2 in numbered and counts_alike(references.here, first) else first
    if here is not None or first is None:
        return None
    mine = step(references.here, first)
    if mine is not None:
        return first if mine[0] > mine[1] else None
    return first if len(numbered) > 1 and first != references.here and not counts_alike(references.here, first) else None


def next_in_forum(page: Page, references: References | None = None, number: int | None = None) -> str | None:
    """Address of the following page of a thread or board, normalised, or None.

    Where the software is known, it is the link into the same thread or board with the next higher count ("next thread" leads
    elsewhere, a link to the last page too far); else :func:`~newsextract.discovery.pagination.next_page` tells, unless it
    finds another thread.

    :param number: of this page within its thread; None: of a board, or not known.
    """
    references = references or References.of(page)
    here = forum_address(references.here)
    following = _counted_next(page, references, here) if here else None
    told = following or next_page(page, references)
    there = forum_address(told) if told else None
    if here is None or told is None or following is not None:
        is_another = told is not None and following is None and _is_another(references.here, told, number)
        return None if is_another else told
    own, row = numbered_run(page, references, may_count=True)
    if row.get(own + 1) == told:  # of its row of numbers: /topic-12-2.html need not be of a topic "12-2"
        return told
    if there is not None and there.key == here.key:
        # Boards may have a mark of the last thread in place of a counter: /c/cars?pageCursor=P2b3.
        is_behind = here.kind == "board" and here.count == there.count == 0 and told != references.here
        return told if there.first != told or is_behind else None
    # Of what the patterns do not know, only what counts up from this very page is believed: /a/5-x, /a/5-x/page2.
    counted = step(references.here, told)
    is_thread = here.kind == "thread" and there is not None
    return told if counted is not None and counted[0] == (number or 1) and not is_thread else None


def _counted_next(page: Page, references: References, here: ForumAddress) -> str | None:
    """The link to the same thread or board with the next higher count."""
    following: tuple[int, int, str] | None = None
    for link in page.dom.all_links:
        url = references.resolve(link.href)
        there = forum_address(url) if url else None
        if url is None or there is None or there.key != here.key or not _follows(here, there, link.text):
            continue
        found = there.count, len(url), url  # of several ways to write it the shortest: others sort or reply
        following = found if following is None else min(following, found)
    return following[2] if following else None


def _is_another(here: str, told: str, number: int | None) -> bool:
    """Whether a next page is another thread: /ticket/8 is no eighth page of a thread whose first page it is, but /x-15 is
    its second page where the third is /x-30."""
    counted = step(here, told)
    if counted is None or number is None or counted[0] <= number or "?" in told:
        return False
    return counted[0] != (number - 1) * (counted[1] - counted[0])


def _follows(here: ForumAddress, there: ForumAddress, text: str) -> bool:
    """Whether one page of a thread can come behind another: the next page, or any with more entries before it.

    :param text: of the link: "2" leads to ``?page=1`` where pages count from 0.
    """
    if there.counts == "pages":
        if there.count == 1 and here.count == 0:
            return page_number(text) == 2
        return here.counts == "pages" and there.count == max(here.count, 1) + 1
    if here.counts == "pages":  # the address of a first page does not tell what is counted
        return here.count == 0 and there.count > 0
    return there.count > here.count


# --- forum pages ----------------------------------------------------------------------------------
# The address decides: the site's ``allow`` (threads) and ``follow`` (boards) patterns, then what forum software is known to
# write (*threads*); where it says nothing, the threads that the page leads to. What is still open,
# the posts on the page decide (:mod:`newsextract.fields.posts`): a page without posts is a board, and the pages that it
# leads to are read and judged in the same way.

LEAST_LINKS = 3
"""Threads, or boards, that a page must lead to if its address does not tell that it is a board; a thread names one or two
related ones, and the boards above it."""

_HOMES = ("", "index.php", "index.html", "forum/", "forums/", "forum.php")
"""Paths of URLs of whole sites."""
_CONTROL = re.compile(rf"[/?&=._-](?:{'|'.join(_FORUMS['controls']['words'])})(?:[/?&=._-]|$)", re.IGNORECASE)
"""In URLs of pages that are neither boards nor threads."""
_TITLES = re.compile(r"(?>[^/?&=._-]{1,100})(?>[_-][^/?&=._-]{1,100}){3,}")
"""Four words and more in a URL: a title, which may have any words."""
_DIGITS = re.compile(r"\d+")
_THOUSANDS = re.compile(r"\d{4}")
MAX_CANDIDATES = 300
"""Links of one board of unknown software that are followed."""


@dataclass(frozen=True, slots=True)
class ForumPage:
    """What a page of a forum is and leads to. All URLs are absolute and normalised."""

    kind: ForumKind
    threads: tuple[str, ...] = ()
    """Of a board: first pages of threads, in document order."""
    boards: tuple[str, ...] = ()
    """Of a board: other boards."""
    next_page: str | None = None
    is_sure: bool = True
    """Whether the URL, or the links of the page, tell the kind; else the posts on the page do."""
    candidates: tuple[str, ...] = ()
    """Of a board without known threads: pages that may be threads or boards."""
    first_page: str | None = None
    """Of a later page of a thread: its first page."""
    previous_page: str | None = None
    """Of a board without a first page: the page before, in boards that begin with their last page (PTT)."""


def read_forum_page(page: Page, rules: Rules) -> ForumPage:
    """Tell a board from a thread, and find where it leads; never raises.

    :param rules: the site's rules; ``allow`` and ``follow`` replace the known patterns of URLs.
    """
    references = References.of(page)
    domains = rules.domains or (references.site(),)

    def admitted(url: str | None) -> str | None:
        return url if url and belongs(host_of(url), domains) and not matches(rules.deny, url) else None

    links = [link for link in found_links(page, references, lambda host: belongs(host, domains)) if admitted(link.url)]
    threads = _first_pages(link.url for link in links if told_kind(link.url, rules) == "thread")
    boards = _first_pages(link.url for link in links if told_kind(link.url, rules) == "board")
    told = told_kind(references.here, rules)
    is_sure = told is not None and not _is_vague(references.here, rules)
    is_home = references.here.partition("://")[2].partition("/")[2] in _HOMES
    if told is None and (is_home or len(threads) >= LEAST_LINKS):
        told, is_sure = "board", True
    elif told is None and len(boards) >= LEAST_LINKS:
        told = "board"  # a menu of boards, or addresses that only look like theirs, may be on a thread, too
    following = admitted(next_in_forum(page, references))
    first = admitted(first_of_pages(page, references))
    if told == "thread":
        return ForumPage("thread", next_page=following, first_page=first)
    if told is None and threads:  # the software's threads have URLs that are known, and this is none
        told, is_sure = "board", True
    is_sure = is_sure and page.url is not None  # threads lead to others, too; without an address the posts decide
    kind: ForumKind = "board" if told == "board" or page.kind.leads_on else "thread"
    same = _DIGITS.sub("", references.here)
    previous = (link.url for link in links if says_previous(link.text) and _DIGITS.sub("", link.url) == same)
    others = tuple(board for board in boards if _key(board) != _key(references.here))
    candidates: list[str] = []
    if not threads and not rules.allow:  # no software that is known
        path = references.here.partition("?")[0]
        candidates = [
            link.url
            for link in links
            if told_kind(link.url, rules) is None
            and link.url.partition("?")[0] != path
            and not _CONTROL.search(_TITLES.sub("", "/" + link.url.partition("://")[2].partition("/")[2]))
        ]
    before = next(previous, None) if first is None else None
    return ForumPage(kind, tuple(threads), others, following, is_sure, tuple(candidates[:MAX_CANDIDATES]), first, before)


def told_kind(url: str, rules: Rules) -> ForumKind | None:
    """What an address alone tells; None if nothing."""
    if rules.allow and matches(rules.allow, url):
        return "thread"
    if rules.follow and matches(rules.follow, url):
        return "board"
    known = forum_address(url)
    return known.kind if known is not None and not (rules.allow if known.kind == "thread" else rules.follow) else None


def _is_vague(url: str, rules: Rules) -> bool:
    """Whether a board's address may be a thread's: /forum/engines/which-oil has the form of /forum/cars/engines, and
    /forum/affich-20332-engines of /forum/12-engines, but a site has no thousands of boards."""
    known = forum_address(url)
    if known is None or not known.key.startswith("board ") or rules.follow:
        return False
    name = known.key.rpartition(" ")[2]
    is_file = name.endswith((".html", ".htm"))  # of software in a folder "/forum/"
    return (" named " in known.key and "/" in name) or (
        " xenforo " in known.key and (is_file or _THOUSANDS.search(name) is not None)
    )


def _key(url: str) -> str:
    """The same for all pages of a thread or board."""
    known = forum_address(url)
    return known.key if known else url


def _first_pages(urls: Iterable[str]) -> list[str]:
    """The first page of each thread or board, once; of several ways to write it the shortest (others sort or jump), with a
    last slash if a link to the first page itself has one."""
    found: dict[str, tuple[int, bool, str]] = {}
    for url in urls:
        key, first = _key(url), first_page(url)
        rank = len(first.rstrip("/")), first != url, first
        found[key] = min(found.get(key, rank), rank)
    return [first for _, _, first in found.values()]
