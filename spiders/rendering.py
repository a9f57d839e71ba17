"""One page in a browser, from its address to the walk: what :mod:`spiders.requests` does in a page.

Every step has a time limit. A script that never ends answers no question, and some pages never end loading: those are taken
as they are.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import monotonic
from urllib.parse import urlsplit

from playwright.async_api import Error, Page
from playwright.async_api import Request as BrowserRequest
from playwright.async_api import Response as BrowserResponse
from playwright.async_api import TimeoutError as Late
from scrapy.http import Headers

from newsextract.guard import REASON, GuardProxy
from newsextract.snapshot import MAX_UNPACKED, WALKER
from spiders.pages import BrowserDownloadError

WALK_TIMEOUT = 60.0
"""Seconds for the walk; 50,000 nodes take 2 to 5."""
ALIVE = 10.0
"""Seconds in which a page that did not end loading must say that it lives, and in which one is closed."""
QUIET = 0.15
"""Seconds without a request after which a loaded page is taken to be complete. Playwright's "networkidle" waits for
0.5 s: with four pages at a time that alone would be half of what a page costs."""
ATTEMPTS = 3
"""Walks begun, where pages go on to others meanwhile."""
LEFT = "context was destroyed"
"""What playwright says when a page went on to another."""


class Traffic:
    """What a page is loading, and where it has been."""

    def __init__(self, page: Page) -> None:
        self.addresses: list[str] = []
        """Of the page itself that were answered: the one asked for, then those that redirects and scripts led to."""
        self._open: set[BrowserRequest] = set()
        self._last = monotonic()
        page.on("response", self._note)
        page.on("request", self._begin)
        page.on("requestfinished", self._end)
        page.on("requestfailed", self._end)

    def _begin(self, request: BrowserRequest) -> None:
        self._last = monotonic()
        if request.resource_type not in ("eventsource", "websocket", "ping"):  # these never end, or tell nobody
            self._open.add(request)

    def _end(self, request: BrowserRequest) -> None:
        self._last = monotonic()
        self._open.discard(request)

    def _note(self, response: BrowserResponse) -> None:
        request = response.request
        if request.is_navigation_request() and request.frame.parent_frame is None and REASON not in response.headers:
            self.addresses.append(request.url)

    async def quiet(self, seconds: float) -> None:
        """Wait until nothing is being loaded, at most so long."""
        until = monotonic() + seconds
        while (now := monotonic()) < until and (self._open or now - self._last < QUIET):
            await asyncio.sleep(0.02)


async def ask(page: Page, url: str, guard: GuardProxy, timeout: float, most: int) -> BrowserResponse | None:
    """Ask for a page; done when the answer begins.

    :param timeout: seconds.
    :param most: bytes that it may announce; 0: any number.
    :raises BrowserDownloadError: there is none, or it is no page.
    """
    asked = [url]
    page.on("request", lambda one: asked.append(one.url) if one.is_navigation_request() else None)
    try:
        answer = await page.goto(url, wait_until="commit", timeout=1e3 * timeout)
    except Late as error:
        raise BrowserDownloadError("download", f"no answer within {timeout:g} s") from error
    except Error as error:
        if is_gone(error):
            raise
        if "Download is starting" in error.message:
            raise BrowserDownloadError("not_html", "the address gives a file to download") from error
        raise refused(guard.refused.get(urlsplit(asked[-1]).hostname or "") or told(error)) from error
    reason = answer.headers.get(REASON) if answer else None
    if reason:
        raise refused(reason)
    size = (answer.headers.get("content-length") or "") if answer else ""
    if most and size.isdecimal() and int(size) > most:
        raise BrowserDownloadError("too_large", f"the page has {int(size):,} bytes, over DOWNLOAD_MAXSIZE")
    return answer


async def walk(page: Page, traffic: Traffic, until: float, settle: float) -> tuple[str, str | None]:
    """Wait until nothing is loaded any more or the time is up, then walk.

    :param until: when the time is up, by the monotonic clock.
    :param settle: seconds at most for what scripts load when the page itself has been.
    :return: the walk, and what is to be known of it.
    """
    note = None
    try:
        await page.wait_for_load_state("load", timeout=1e3 * max(until - monotonic(), 0.001))
        await traffic.quiet(min(settle, until - monotonic()))
    except Late:
        note = "not loaded to the end when the time was up"
        await asyncio.wait_for(page.evaluate("0"), ALIVE)
    for attempt in range(ATTEMPTS):
        try:
            walked = str(await asyncio.wait_for(page.evaluate(WALKER), WALK_TIMEOUT))
            if len(walked) > MAX_UNPACKED:  # before it is copied on its way to a worker
                reason = f"the snapshot has {len(walked):,} characters, over the cap of {MAX_UNPACKED:,}"
                raise BrowserDownloadError("too_large", reason)
            return walked, note
        except Error as error:
            if LEFT not in error.message or attempt == ATTEMPTS - 1:
                raise
            await page.wait_for_load_state("domcontentloaded", timeout=1e3 * ALIVE)
    raise AssertionError  # the last attempt returns or raises


async def close_quietly(page: Page) -> None:
    """Close a page, or leave it to its context."""
    with suppress(Error, TimeoutError):
        await asyncio.wait_for(page.close(), ALIVE)


def refused(reason: str) -> BrowserDownloadError:
    """Why the guard or the browser did not connect."""
    return BrowserDownloadError("private" if "private address" in reason else "download", reason)


def is_text(headers: Headers) -> bool:
    """Whether an answer is shown as a page."""
    kind = (headers.get("Content-Type") or b"text/html").decode("latin-1").lower()
    return kind.startswith(("text/", "application/xhtml", "application/xml"))


def is_gone(error: Error) -> bool:
    """Whether the page or the browser has ended."""
    return type(error).__name__ == "TargetClosedError"  # playwright does not export it


def told(error: Error) -> str:
    """What an error of the browser means for a page, in one line."""
    reason = error.message.splitlines()[0] if error.message else type(error).__name__
    if is_gone(error):
        return f"the page's renderer or the browser ended: {reason}"
    if "crashed" in reason:
        return "the page's renderer crashed"
    if LEFT in reason:
        return "the page goes on to another again and again"
    return f"the browser: {reason}"
