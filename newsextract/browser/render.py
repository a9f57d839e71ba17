"""A page in a real browser: a saved file or an address becomes a :class:`~newsextract.page.snapshot.Snapshot`.

The first of the four layers of Wang, Liang & Min 2019 (§4.1): a browser renders, one walk in the page reads everything.

A saved page is shown without its scripts and without the network; it may load files of its own folder only. An address is
shown with its scripts; private addresses are refused unless the user named them, wherever a request comes from
(:mod:`newsextract.browser.guard`). Media, fonts and trackers are not loaded, style sheets are. Dialogs are dismissed,
downloads cancelled, pop-ups closed. A page that never ends loading is taken as it is when the time is up; nothing scrolls
unless asked for, and then only so often.

Playwright drives the browser, in an event loop of its own thread, so that every step can have a time limit: a script that
never ends answers no question. Whatever goes wrong with one page is a :class:`RenderError`, and the browser goes on. It
starts in 1 s; other costs: ``benchmarks/snapshot.py``.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self, TypeVar

from newsextract.browser.guard import LOOPBACK, GuardProxy
from newsextract.browser.loading import (
    PACKAGES,
    BrowserMissing,
    Job,
    RenderError,
    SavedPage,
    check_driver,
    find_browser,
    first_line,
    sandboxed,
    show,
)
from newsextract.errors import UsageError
from newsextract.page.snapshot import Snapshot
from newsextract.urls import AddressPolicy, is_web_address, server_of

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import BrowserContext, Page, Playwright

VIEWPORT = (1423, 900)
"""CSS pixels; the width of the window from which the bench's pages were saved."""
TIMEOUT = 30.0
"""Seconds for loading."""
SETTLE = 2.0
"""At most so many seconds for what scripts load after the page has; half a second without a request ends it."""
MAX_SCROLLS = 100
RECYCLE = 50
"""Pages after which a context is made anew; what pages leave behind goes with it."""
_AFTERMATH = 0.5
"""Seconds after an error in which the browser tells whether it has died of something."""
_CLOSING = 5.0
"""Seconds for what should take none."""
ARGUMENTS = (
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # the one way round a proxy
    "--disable-remote-fonts",
    "--hide-scrollbars",
)
"""Of the browser's command line; crawls use the same."""

__all__ = ["Browser", "RenderError", "check_rendering", "render"]

T = TypeVar("T")


def check_rendering() -> str:
    """Render a small page and check that its text has been drawn; about 2 s.

    :returns: one line: the browser's version, its path and how it was found.
    :raises MissingExtra: playwright is not installed.
    :raises BrowserMissing: browser, driver or fonts are missing; the message names the commands that install them.
    """
    found = find_browser()
    version = found.version()
    check_driver()
    with TemporaryDirectory() as folder, Browser(found.path) as browser:
        page = Path(folder) / "page.html"
        page.write_text("<!DOCTYPE html><meta charset=utf-8><p><span>Every word of this line is drawn.</span></p>", "utf-8")
        try:
            snapshot = browser.render(page)
        except RenderError as error:
            raise BrowserMissing(f"{found.path} does not draw a page: {error}") from error
    geometry = snapshot.nodes.geometry
    assert geometry is not None  # a browser's snapshot has boxes
    widths = [float(box[2]) for text, box in zip(snapshot.nodes.texts, geometry.boxes, strict=True) if text]
    if not any(width > 50 for width in widths):
        raise BrowserMissing(
            f"{found.path} draws no text: fonts are missing; on Debian: apt-get install {' '.join(PACKAGES)}"
        )
    return f"{version}: {found.path} ({found.origin})"


def render(
    path_or_url: str | Path,
    *,
    scripts: bool | None = None,
    timeout: float = TIMEOUT,
    screenshot: bool = False,
    url: str | None = None,
    settle: float = SETTLE,
    scrolls: int = 0,
) -> Snapshot:
    """What a browser sees of one page; see :meth:`Browser.render`. For more than one page use :class:`Browser`."""
    is_web_address(str(path_or_url))  # what cannot be read is said before a browser is looked for
    with Browser() as browser:
        return browser.render(
            path_or_url, scripts=scripts, timeout=timeout, screenshot=screenshot, url=url, settle=settle, scrolls=scrolls
        )


class Browser:
    """A browser that renders one page after another; a context manager. Starts with the first page.

    :param executable: a Chrome or Chromium; None: see :func:`newsextract.browser.loading.find_browser`.
    :param recycle: pages after which all that they left behind is thrown away.
    """

    def __init__(self, executable: Path | None = None, *, recycle: int = RECYCLE) -> None:
        self._executable = executable or find_browser().path
        check_driver()
        self._recycle = recycle
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="newsextract-browser", daemon=True)
        self._one_page = threading.Lock()
        self._proxy = GuardProxy()
        self._playwright: Playwright | None = None
        self._browser: PlaywrightBrowser | None = None
        self._contexts: dict[bool, tuple[BrowserContext, int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and its thread; a second call does nothing."""
        if self._loop.is_closed():
            return
        if self._thread.is_alive():
            self._run(self._end())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()

    def render(
        self,
        path_or_url: str | Path,
        *,
        scripts: bool | None = None,
        timeout: float = TIMEOUT,
        screenshot: bool = False,
        url: str | None = None,
        settle: float = SETTLE,
        scrolls: int = 0,
    ) -> Snapshot:
        """What the browser sees of a page.

        :param path_or_url: a file, or an http(s) address.
        :param scripts: whether the page's scripts run; None: of an address yes, of a file no.
        :param timeout: seconds for loading; then the page is taken as it is, with a note.
        :param screenshot: whether to take a picture of the page as well, at most 16,000 pixels high.
        :param url: the address that a file came from.
        :param settle: seconds at most to wait for what scripts load late.
        :param scrolls: screens to scroll down first, for pages that load more on scrolling; at most 100.
        :raises RenderError: no answer, an error code, a refused address, a crash, or a page that does not respond.
        :raises SnapshotError: the page is over a cap.
        :raises UsageError: a parameter is out of range, or the file cannot be read.
        :raises BrowserMissing: there is no browser.
        """
        if not 0 < timeout <= 3600 or not 0 <= settle <= 3600 or not 0 <= scrolls <= MAX_SCROLLS:
            raise UsageError(
                f"timeout={timeout}, settle={settle}, scrolls={scrolls}: expected seconds up to 3,600 "
                f"(timeout above 0) and 0 to {MAX_SCROLLS} scrolls"
            )
        place = str(path_or_url)
        if is_web_address(place):
            try:
                server_of(place)
            except ValueError as error:
                raise UsageError(f"{place}: {error}; expected an address such as https://example.org/") from error
            job = Job(place, place, scripts is not False, timeout, screenshot, settle, scrolls)
        else:
            saved = SavedPage.read(Path(place), url)
            job = Job(saved.url, place, bool(scripts), timeout, screenshot, settle, scrolls, saved, url)
        with self._one_page:
            if self._loop.is_closed():
                raise UsageError("this Browser is closed; make another")
            if not self._thread.is_alive():
                self._thread.start()
            return self._run(self._render(job))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do it in the thread; an interruption of the waiting ends it there, too."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()

    async def _render(self, job: Job) -> Snapshot:
        """One page, and what keeps the browser usable after it."""
        from playwright.async_api import Error

        try:
            context = await self._context(job.scripts)
            page = await context.new_page()
        except (Error, TimeoutError):  # killed between two pages: once more with a new browser
            await self._end()
            context = await self._context(job.scripts)
            page = await context.new_page()
        self._proxy.closed = job.saved is not None
        urls = [] if job.saved else [job.url]
        self._proxy.policy = await asyncio.to_thread(AddressPolicy.typed, urls)  # may ask for names
        self._proxy.refused.clear()
        died: asyncio.Future[str] = self._loop.create_future()

        def dead(reason: str) -> None:
            if not died.done():
                died.set_result(reason)

        assert self._browser is not None

        def killed(_: object) -> None:
            dead("the browser ended")

        self._browser.on("disconnected", killed)
        page.on("crash", lambda _: dead("the page's renderer crashed"))
        work = self._loop.create_task(show(page, job, self._proxy))
        healthy = False
        try:
            ends: set[asyncio.Future[Any]] = {work, died}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if work.done() and "closed" in str(work.exception()):
                await asyncio.wait({died}, timeout=_AFTERMATH)
            if died.done():
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)
                raise RenderError(f"{job.place}: {died.result()}")
            healthy = True
            return work.result()
        except Error as error:
            raise RenderError(f"{job.place}: {first_line(error)}") from error
        except TimeoutError as error:
            healthy = False
            raise RenderError(f"{job.place}: the page does not respond; a script of it may never end") from error
        finally:
            work.cancel()
            died.cancel()
            self._browser.remove_listener("disconnected", killed)
            await self._leave(page, job.scripts, healthy)

    async def _leave(self, page: Page, scripts: bool, healthy: bool) -> None:
        """Close a page, its context with it if it is ill or does not close, and the browser if that does not."""
        from playwright.async_api import Error

        if healthy:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(page.close(), _CLOSING)
                return
        try:
            context, _ = self._contexts.pop(scripts)
            await asyncio.wait_for(context.close(), _CLOSING)
        except (Error, TimeoutError):
            await self._end()

    async def _context(self, scripts: bool) -> BrowserContext:
        """The context for the next page; a new one where the last is used up."""
        if self._browser is None or not self._browser.is_connected():
            await self._start()
        context, used = self._contexts.pop(scripts, (None, 0))
        if context is not None and used >= self._recycle:
            await asyncio.wait_for(context.close(), _CLOSING)
            context, used = None, 0
        if context is None:
            assert self._browser is not None
            context = await self._browser.new_context(
                viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]},
                java_script_enabled=scripts,
                accept_downloads=False,
                service_workers="block",
                ignore_https_errors=False,
            )
        self._contexts[scripts] = (context, used + 1)
        return context

    async def _start(self) -> None:
        """Start the proxy and a browser."""
        from playwright.async_api import Error, async_playwright

        await self._end()
        self._proxy = GuardProxy()
        await self._proxy.start()
        self._playwright = await async_playwright().start()
        try:
            self._browser = await self._playwright.chromium.launch(
                executable_path=self._executable,
                chromium_sandbox=sandboxed(),
                proxy={"server": f"http://{LOOPBACK}:{self._proxy.port}", "bypass": "<-loopback>"},
                args=list(ARGUMENTS),
                handle_sigint=False,
            )
        except Error as error:
            await self._end()
            raise RenderError(f"{self._executable} does not start: {first_line(error)}") from error

    async def _end(self) -> None:
        """End browser, driver and proxy, whatever state they are in."""
        from playwright.async_api import Error

        self._contexts.clear()
        browser, playwright, self._browser, self._playwright = self._browser, self._playwright, None, None
        with suppress(Error, TimeoutError):  # reason: it is gone already, or goes with its driver
            if browser is not None:
                await asyncio.wait_for(browser.close(), _CLOSING)
        with suppress(Error, TimeoutError):
            if playwright is not None:
                await asyncio.wait_for(playwright.stop(), _CLOSING)
        await self._proxy.stop()
