"""The pages behind links, for ``oem run`` and ``oem check``: one at a time, with a pause, never into the private network.

Private IP addresses that the user named, on the command line or in the format, may be fetched, at the ports named; what
links and redirects name is checked (:class:`~newsextract.addresses.AddressPolicy`).
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from newsextract.addresses import AddressPolicy
from newsextract.commands.numbers import count
from newsextract.errors import FetchError
from newsextract.extraction import refusal
from newsextract.fetching import fetch
from newsextract.oem import Unavailable
from newsextract.oem.interpreter import MAX_PAGES
from newsextract.page import Page

PAUSE = 1.0
"""Seconds between two requests to a host, as in crawls."""
NOT_FOLLOWED = "links are not followed"


def add_following(parser: argparse.ArgumentParser) -> None:
    """Declare ``--max-pages`` and ``--delay``."""
    parser.add_argument(
        "--max-pages", metavar="N", type=count, default=MAX_PAGES, help=f"pages behind links, at most; default: {MAX_PAGES}"
    )
    parser.add_argument(
        "--delay",
        metavar="SECONDS",
        type=_seconds,
        default=PAUSE,
        help=f"between requests to a host; default: {PAUSE:g}",
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
            return Unavailable("the address is broken")
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
