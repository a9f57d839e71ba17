"""The inputs of ``newsextract oem``: a format, a page, and the pages that its links lead to."""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from newsextract.commands.common import count
from newsextract.commands.pages import read_page
from newsextract.errors import FetchError, UsageError
from newsextract.extraction import refusal
from newsextract.page.fetching import fetch
from newsextract.page.page import Page
from newsextract.urls import AddressPolicy, is_web_address
from newsextract.wrappers import Format, Unavailable
from newsextract.wrappers.format import FormatLine, Get, SplitText
from newsextract.wrappers.interpreter import MAX_PAGES
from newsextract.wrappers.pattern import holes

# --- given ----------------------------------------------------------------------------------------
# What the commands of ``oem`` are given: a format, and a page that it is taken over.

PAGE_HELP = "a file, an http(s) URL, a snapshot, or - for standard input"


def page_of(wrapper: Format, place: str | None, url: str | None) -> Page:
    """The page to take a format over.

    :param place: None: the page of the format's first line. A file has the address of that line, unless told otherwise.
    :param url: URL of the file, or of standard input.
    :raises NewsextractError: it cannot be read or fetched, or the format names none.
    """
    if url is not None and not is_web_address(url):
        raise UsageError(f"--url {url}: expected an http(s) URL, such as https://www.example.org/list.html")
    own = own_address(wrapper)
    if place is None:
        if own is None:
            raise UsageError(
                f"{wrapper.name}: the first line takes the page at hand; name a page after the wrapper file, "
                'or a URL in the line: get("https://…")'
            )
        if not is_web_address(own):
            raise UsageError(
                f"{wrapper.name}: {own!r} in the first line is not an http(s) URL; name a page after the wrapper file"
            )
        return read_page(own)
    page = read_page(place, url)
    if page.url is None and own is not None and is_web_address(own):
        return dataclasses.replace(page, url=own)
    return page


def own_address(wrapper: Format) -> str | None:
    """The address of the page of the first line, if it names one."""
    source = wrapper.lines[0].source
    return source.url if isinstance(source, Get) else None


def addresses(wrapper: Format) -> list[str]:
    """All addresses that a format names."""
    return [line.source.url for line in wrapper.lines if isinstance(line.source, Get) and line.source.url is not None]


def labels(wrapper: Format) -> list[str]:
    """The labels that a format names, in order; those that a pattern finds are not known before."""
    found: dict[str, None] = {}
    for line in wrapper.lines:
        if line.label is None:
            found[line.variable] = None
        found.update(dict.fromkeys(named_holes(line)))
    return list(found)


def named_holes(line: FormatLine) -> list[str]:
    """The names of a line's holes."""
    return [] if isinstance(line.section, SplitText) else [hole.name for hole in holes(line.section) if hole.name]


def unfit(page: Page) -> str | None:
    """Why a page is not even looked at: too large, empty, no text."""
    refused = refusal(page)
    return None if refused is None else refused[1]


# --- following ------------------------------------------------------------------------------------
# The pages behind links, for ``oem run`` and ``oem check``: one at a time, with a pause, never into the private network.
#
# Private IP addresses that the user named, on the command line or in the format, may be fetched, at the ports named; what
# links and redirects name is checked (:class:`~newsextract.urls.AddressPolicy`).

PAUSE = 1.0
"""Seconds between two requests to a host, as in crawls."""
NOT_FOLLOWED = "links are not followed"


def add_following(parser: argparse.ArgumentParser) -> None:
    """Declare ``--max-pages`` and ``--delay``."""
    parser.add_argument(
        "--max-pages", metavar="N", type=count, default=MAX_PAGES, help=f"maximum of linked pages; default: {MAX_PAGES}"
    )
    parser.add_argument(
        "--delay",
        metavar="SECONDS",
        type=_seconds,
        default=PAUSE,
        help=f"pause between requests to a host; default: {PAUSE:g}",
    )


class Follower:
    """Fetches pages for the interpreter.

    :param named: URLs that the user named: private IP addresses and ``localhost`` in them may be fetched.
    :param pause: seconds between two requests to a host.
    """

    def __init__(self, named: Iterable[str | None], pause: float = PAUSE) -> None:
        urls = [url for url in named if url]
        self._policy = AddressPolicy.typed(urls)
        self._pause = pause
        now = time.monotonic()  # the page that the links stand on has just been fetched
        self._asked = {host: now for url in urls if (host := _host(url))}

    def __call__(self, url: str) -> Page | Unavailable:
        """The page at an address, or why there is none."""
        host = _host(url)
        if not host:
            return Unavailable("the URL is invalid")
        wait = self._asked.get(host, -math.inf) + self._pause - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        if sys.stderr.isatty():
            sys.stderr.write(f"fetching {url}\n")
        try:
            page = fetch(url, self._policy)
        except FetchError as error:
            return Unavailable(str(error).removeprefix(f"{url}: "))
        finally:
            self._asked[host] = time.monotonic()
        refused = refusal(page)
        return page if refused is None else Unavailable(refused[1])


def nothing(url: str) -> Unavailable:
    """In place of a follower: the answer where links are not followed."""
    del url
    return Unavailable(NOT_FOLLOWED)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # not a valid IPv6 address
        return ""


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"expected seconds from 0 to 3600, got {text!r}")
    return seconds
