"""A page of a forum: a board with its threads, or a thread, and where each goes on.

The address decides: the site's ``allow`` (threads) and ``follow`` (boards) patterns, then what forum software is known to
write (:mod:`newsextract.discovery.threads`); where it says nothing, the threads that the page leads to. What is still open,
the posts on the page decide (:mod:`newsextract.fields.thread_posts`): a page without posts is a board, and the pages that it
leads to are read and judged in the same way.

Cost: one pass over the page's links, and the evidence where it is asked; about that of
:func:`newsextract.discovery.discover`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from newsextract.discovery import Rules, belongs, matches
from newsextract.discovery.links import found_links
from newsextract.discovery.references import References, host_of
from newsextract.discovery.threads import ForumKind, first_of_pages, first_page, forum_address, next_in_forum
from newsextract.page import Page

LEAST_LINKS = 3
"""Threads, or boards, that a page must lead to if its address does not tell that it is a board; a thread names one or two
related ones, and the boards above it."""

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
    is_sure = told is not None
    if told is None and (_is_home(references.here) or max(len(threads), len(boards)) >= LEAST_LINKS):
        told, is_sure = "board", True
    following = admitted(next_in_forum(page, references))
    first = admitted(first_of_pages(page, references))
    if told == "thread":
        return ForumPage("thread", next_page=following, first_page=first)
    if told is None and threads:  # the software's threads have URLs that are known, and this is none
        told, is_sure = "board", True
    kind: ForumKind = "board" if told == "board" or page.kind.leads_on else "thread"
    others = tuple(board for board in boards if _key(board) != _key(references.here))
    candidates: list[str] = []
    if not threads and not rules.allow:  # no software that is known
        path = references.here.partition("?")[0]
        candidates = [
            link.url
            for link in links
            if told_kind(link.url, rules) is None and link.url.partition("?")[0] != path and not _is_control(link.url)
        ]
    return ForumPage(kind, tuple(threads), others, following, is_sure, tuple(candidates[:MAX_CANDIDATES]), first)


@cache
def _controls() -> re.Pattern[str]:
    """Parts of URLs of pages that are neither boards nor threads."""
    data = tomllib.loads(files(__package__).joinpath("data/forums.toml").read_text("utf-8"))
    return re.compile(rf"[/?&=._-](?:{'|'.join(data['controls']['words'])})(?:[/?&=._-]|$)", re.IGNORECASE)


def _is_control(url: str) -> bool:
    return _controls().search("/" + url.partition("://")[2].partition("/")[2]) is not None


def told_kind(url: str, rules: Rules) -> ForumKind | None:
    """What an address alone tells; None if nothing."""
    if rules.allow and matches(rules.allow, url):
        return "thread"
    if rules.follow and matches(rules.follow, url):
        return "board"
    known = forum_address(url)
    return known.kind if known is not None and not (rules.allow if known.kind == "thread" else rules.follow) else None


def _key(url: str) -> str:
    """The same for all pages of a thread or board."""
    known = forum_address(url)
    return known.key if known else url


def _is_home(url: str) -> bool:
    """Whether an address is that of a whole site."""
    return url.partition("://")[2].partition("/")[2] in ("", "index.php", "index.html", "forum/", "forums/", "forum.php")


def _first_pages(urls: Iterable[str]) -> list[str]:
    """The first page of each thread or board, once; of several ways to write it the shortest: others sort or jump."""
    found: dict[str, str] = {}
    for url in urls:
        key, first = _key(url), first_page(url)
        if key not in found or len(first) < len(found[key]):
            found[key] = first
    return list(found.values())
