"""Loads one page in the browser, from its URL or a saved file to the walk through its nodes."""

from __future__ import annotations

import asyncio
import mimetypes
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from newsextract.browser.guard import REASON, GuardProxy, unneeded
from newsextract.errors import DataError, NewsextractError
from newsextract.page.decoding import decode
from newsextract.page.snapshot import MAX_SCREENSHOT, WALKER, Snapshot
from newsextract.urls import with_scheme

if TYPE_CHECKING:
    from playwright.async_api import Dialog, Error, FloatRect, Page, Request, Route

# --- saved page -----------------------------------------------------------------------------------
# A saved page and the files beside it, as a server would give them to a browser that has no network.
#
# The page gets the address that it came from, so that its links keep their meaning; whatever has an address below the
# page's own folder there is looked for below its folder on disk, and nothing else is found.

MAX_PAGE = 10_000_000
"""Bytes of a saved page; as for all pages."""
MAX_RESOURCE = 20_000_000
"""Bytes of a picture or style sheet."""
_NOWHERE = "http://saved.invalid/"
"""Address of a page without one; the domain is reserved, so no request for it can reach anybody."""


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A file that was read."""

    html: str
    folder: Path
    url: str
    """Under which the browser sees it, without fragment."""

    @classmethod
    def read(cls, path: Path, url: str | None = None) -> SavedPage:
        """Read a file; text is decoded as for extraction without a browser.

        :param url: the address that it came from, if known.
        :raises DataError: it cannot be read, or is over the cap.
        """
        try:
            with path.open("rb") as file:
                body = file.read(MAX_PAGE + 1)
            folder = path.resolve().parent
        except (OSError, ValueError, RuntimeError) as error:  # a null byte in the name; a loop of links
            raise DataError(
                f"{path}: {getattr(error, 'strerror', None) or error}; expected a file or an http(s) address"
                f"{with_scheme(str(path))}"
            ) from error
        if len(body) > MAX_PAGE:
            raise DataError(f"{path}: more than {MAX_PAGE:,} bytes, which is the cap for a page")
        named = url is not None and urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname
        shown = urldefrag(str(url)).url if named else _NOWHERE + quote(path.name, errors="replace")
        return cls(decode(body, None).text, folder, shown)

    def resource(self, url: str) -> tuple[bytes, str] | None:
        """Content and media type of what an address means; None: nothing that this page may load."""
        wanted = urldefrag(url).url
        if wanted == self.url:
            return self.html.encode("utf-8", "replace"), "text/html; charset=utf-8"
        base = urljoin(self.url, ".").partition("?")[0]
        below = wanted.partition("?")[0].removeprefix(base)
        if not wanted.startswith(base) or not below:
            return None
        try:
            file = (self.folder / unquote(below).lstrip("/\\")).resolve()
            if not file.is_relative_to(self.folder) or not file.is_file() or file.stat().st_size > MAX_RESOURCE:
                return None
            return file.read_bytes(), mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        except (OSError, ValueError, RuntimeError):
            return None  # reason: no such file, in whatever way; the page goes without it, as in any browser


# --- browser page ---------------------------------------------------------------------------------
# One page of a browser, from its address to the walk: what :mod:`newsextract.browser.render` does inside the browser.
#
# Every step has a time limit, because a script that never ends answers no question. Playwright is imported where it is
# used; without it the module can be read, and nothing more.

WALK_TIMEOUT = 60.0
"""Seconds for the walk; 50,000 nodes take 2 to 5."""
_MAX_PICTURE = (4_000, 16_000)
"""CSS pixels of a screenshot; higher pictures are cut, as the browser cannot draw them."""
_ALIVE = 10.0
"""Seconds in which a page that did not end loading must say that it lives."""
_AFTER_SCROLL = 0.2
"""Seconds in which a page notices that it was scrolled."""
_ATTEMPTS = 3
"""Walks begun, where pages go on to others meanwhile."""


class RenderError(NewsextractError):
    """A page could not be rendered; one line saying which and why. The browser can go on with the next page."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is wanted of one page."""

    url: str
    place: str
    """What messages call it."""
    scripts: bool
    timeout: float
    screenshot: bool
    settle: float
    scrolls: int
    saved: SavedPage | None = None
    address: str | None = None
    """Of a saved page, as the user gave it."""


async def show(page: Page, job: Job, proxy: GuardProxy) -> Snapshot:
    """Load a page and walk through it.

    :raises TimeoutError: it does not respond.
    """
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as Late

    saved = job.saved

    async def load(route: Route, request: Request) -> None:
        nonlocal saved
        if saved is job.saved and saved is not None:  # the first request is for the page: the browser's spelling
            saved = replace(saved, url=request.url)
        with suppress(Error):  # reason: the page has gone meanwhile
            found = saved.resource(request.url) if saved else None
            if found:
                await route.fulfill(body=found[0], content_type=found[1])
            elif saved or unneeded(request.url, request.resource_type) or _is_frame(request, page):
                await route.abort("blockedbyclient")
            else:
                await route.continue_()

    async def dismiss(dialog: Dialog) -> None:
        with suppress(Error):
            await dialog.dismiss()

    async def close(popup: Page) -> None:
        with suppress(Error):
            await popup.close()

    await page.route("**/*", load)
    page.on("dialog", dismiss)
    page.on("popup", close)
    until = monotonic() + job.timeout
    await _opened(page, job, proxy)
    note = None
    try:
        await page.wait_for_load_state("load", timeout=1e3 * max(until - monotonic(), 0.001))
    except Late:
        note = f"not loaded to the end within {job.timeout:g} s"
        await asyncio.wait_for(page.evaluate("0"), _ALIVE)
    if job.scripts and note is None:
        await _quiet(page, min(job.settle, max(until - monotonic(), 0.0)))
        for _ in range(job.scrolls):
            if monotonic() > until:
                note = f"not scrolled to the end within {job.timeout:g} s"
                break
            await page.evaluate("window.scrollBy(0, window.innerHeight)")
            await asyncio.sleep(_AFTER_SCROLL)
            await _quiet(page, min(job.settle, max(until - monotonic(), 0.0)))
        if job.scrolls:
            await page.evaluate("window.scrollTo(0, 0)")
    walk = await _walked(page)
    picture = await _picture(page) if job.screenshot else None
    address = job.address if job.saved else page.url
    return Snapshot.from_walk(walk, address, scripts=job.scripts, screenshot=picture, note=note)


async def _opened(page: Page, job: Job, proxy: GuardProxy) -> None:
    """Ask for the page; done when the answer begins.

    :raises RenderError: there is none, or it is an error.
    """
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as Late

    asked = [job.url]
    page.on("request", lambda request: asked.append(request.url) if request.is_navigation_request() else None)
    try:
        response = await page.goto(job.url, wait_until="commit", timeout=1e3 * job.timeout)
    except Late as error:
        raise RenderError(f"{job.place}: no answer within {job.timeout:g} s") from error
    except Error as error:
        reason = proxy.refused.get(urlsplit(asked[-1]).hostname or "")
        if not reason and "Download is starting" in error.message:
            reason = "a download, not a page"
        raise RenderError(f"{job.place}: {reason or first_line(error)}") from error
    if response is not None and not job.saved:
        reason = response.headers.get(REASON)
        if reason or response.status >= 400:
            with suppress(Late):  # reason: only because a page that is closed at this moment may never close
                await page.wait_for_load_state("load", timeout=1e3 * _ALIVE)
            raise RenderError(f"{job.place}: {reason or f'HTTP {response.status} {response.status_text}'.strip()}")


async def _quiet(page: Page, seconds: float) -> None:
    """Wait until nothing has been loaded for half a second, at most so long."""
    from playwright.async_api import TimeoutError as Late

    with suppress(Late):  # reason: some pages are never quiet
        if seconds > 0:
            await page.wait_for_load_state("networkidle", timeout=1e3 * seconds)


async def _walked(page: Page) -> str:
    """The walk; once more where the page has just gone on to another."""
    from playwright.async_api import Error

    for attempt in range(_ATTEMPTS):
        try:
            return str(await asyncio.wait_for(page.evaluate(WALKER), WALK_TIMEOUT))
        except Error as error:
            if "context was destroyed" not in error.message or attempt == _ATTEMPTS - 1:
                raise
            await page.wait_for_load_state("domcontentloaded")
    raise AssertionError  # the last attempt returns or raises


async def _picture(page: Page) -> bytes | None:
    """A picture of the page from its upper left corner; None where it would be over the cap."""
    sides = await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    width, height = (max(1, min(side, most)) for side, most in zip(sides, _MAX_PICTURE, strict=True))
    clip: FloatRect = {"x": 0, "y": 0, "width": width, "height": height}
    picture = await page.screenshot(full_page=True, clip=clip, timeout=1e3 * WALK_TIMEOUT)
    return picture if len(picture) <= MAX_SCREENSHOT else None


def _is_frame(request: Request, page: Page) -> bool:
    """Whether it is for a page within the page, which no snapshot reads."""
    return request.is_navigation_request() and request.frame != page.main_frame


def first_line(error: Error) -> str:
    """The reason without the call log."""
    return error.message.splitlines()[0] if error.message else type(error).__name__
