"""Pages through a browser: the only module that knows scrapy-playwright (0.0.48).

It fetches the pages of sites with ``render = true``. Scrapy itself fetches robots.txt, sitemaps, feeds, and all other sites.
One browser serves http and https. It reaches the network only through :class:`~newsextract.browser.guard.GuardProxy`, which
refuses private addresses. The page's scripts run; media, fonts and trackers are not loaded. One walk over the DOM takes the
snapshot, which becomes the response's body; a worker parses it (:mod:`newsextract.page.page`).

Every step has a time limit. If a page crashes, hangs or exceeds a limit, only this page is lost: it raises
:class:`~spiders.pages.BrowserDownloadError`, its context is closed, and the crawl continues. Contexts are replaced after
``RENDER_RECYCLE`` pages (:data:`~newsextract.browser.render.RECYCLE`), which bounds the browser's memory.

This module and playwright are imported only if a site wants rendering.
"""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.async_api import Browser, Error, Page
from playwright.async_api import Request as BrowserRequest
from playwright.async_api import Response as BrowserResponse
from playwright.async_api import TimeoutError as Late
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import Headers, Request, Response
from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler, TargetClosedError
from scrapy_playwright.provider import PlaywrightBrowserProvider

from newsextract.browser.guard import LOOPBACK, REASON, GuardProxy, unneeded
from newsextract.browser.loading import find_browser, sandboxed, scrolled, settled
from newsextract.browser.render import ARGUMENTS, RECYCLE, VIEWPORT
from newsextract.page.snapshot import WALKER, over_cap
from newsextract.sites import Site
from newsextract.urls import AddressPolicy, server_of
from pipelines.items import planned
from spiders.pages import NOTE, RENDERED, RENDERED_SOURCE, VISITED, BrowserDownloadError
from spiders.politeness import bound_heads

# --- rendering ------------------------------------------------------------------------------------
# Loads one page in a browser, from its URL to the snapshot.
#
# Every step has a time limit, because a script may never end. A page that never finishes loading is used as it is.

WALK_TIMEOUT = 60.0
"""Time limit of the walk in seconds; 50,000 nodes take 2 to 5."""
ALIVE = 10.0
"""Time limit in seconds for a page that did not finish loading to respond, and for closing a page."""
QUIET = 0.15
"""Seconds without a request after which a loaded page counts as complete. Playwright's "networkidle" waits 0.5 s, which with
four pages at a time would be half of the cost of a page."""
ATTEMPTS = 3
"""Maximum number of walks per page, if the page navigates meanwhile."""
LEFT = "context was destroyed"
"""Part of playwright's message when a page has navigated."""


class Traffic:
    """Pending requests of a page, and the URLs it has navigated to."""

    def __init__(self, page: Page) -> None:
        self.addresses: list[str] = []
        """URLs of the page itself that were answered: the requested one, then the targets of redirects and scripts."""
        self._open: set[BrowserRequest] = set()
        self._last = monotonic()
        page.on("response", self._note)
        page.on("request", self._begin)
        page.on("requestfinished", self._end)
        page.on("requestfailed", self._end)

    def _begin(self, request: BrowserRequest) -> None:
        self._last = monotonic()
        if request.resource_type not in ("eventsource", "websocket", "ping"):  # these never end, or report nothing
            self._open.add(request)

    def _end(self, request: BrowserRequest) -> None:
        self._last = monotonic()
        self._open.discard(request)

    def _note(self, response: BrowserResponse) -> None:
        request = response.request
        if request.is_navigation_request() and request.frame.parent_frame is None and REASON not in response.headers:
            self.addresses.append(request.url)

    async def quiet(self, seconds: float) -> None:
        """Wait until nothing is loading, up to a time limit."""
        until = monotonic() + seconds
        while (now := monotonic()) < until and (self._open or now - self._last < QUIET):
            await asyncio.sleep(0.02)


async def ask(page: Page, url: str, guard: GuardProxy, timeout: float, most: int) -> BrowserResponse | None:
    """Request a page; returns when the response begins.

    :param most: maximum announced size in bytes; 0: unlimited.
    :raises BrowserDownloadError: no response, or the response is not a page.
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


async def walk(page: Page, traffic: Traffic, until: float, settle: float, screens: int) -> tuple[str, str | None]:
    """Wait until nothing is loading or the time is up, scroll, and take the snapshot.

    :param until: time limit, by the monotonic clock.
    """
    note = None

    async def quiet() -> None:
        await traffic.quiet(min(settle, until - monotonic()))

    try:
        await page.wait_for_load_state("load", timeout=1e3 * max(until - monotonic(), 0.001))
        await settled(page, quiet, settle, until)
        if not await scrolled(page, quiet, screens, until):
            note = "not scrolled to the end when the time was up"
    except Late:
        note = "not loaded to the end when the time was up"
        await asyncio.wait_for(page.evaluate("0"), ALIVE)
    for attempt in range(ATTEMPTS):
        try:
            walked = str(await asyncio.wait_for(page.evaluate(WALKER), WALK_TIMEOUT))
            if (reason := over_cap(walked)) is not None:  # before it is copied to a worker
                raise BrowserDownloadError("too_large", reason)
            return walked, note
        except Error as error:
            if LEFT not in error.message or attempt == ATTEMPTS - 1:
                raise
            await page.wait_for_load_state("domcontentloaded", timeout=1e3 * ALIVE)
    raise AssertionError  # the last attempt returns or raises


def scrolls_of(request: Request) -> int:
    """How many screens the page is scrolled down: as its site says, but of news the start pages only, as the others are
    articles for the most part."""
    site: Site = request.cb_kwargs["site"]
    return site.scrolls if site.kind != "news" or request.cb_kwargs.get("role") == "start" else 0


async def close_quietly(page: Page) -> None:
    """Close a page; if that fails, closing its context will do."""
    with suppress(Error, TimeoutError):
        await asyncio.wait_for(page.close(), ALIVE)


def refused(reason: str) -> BrowserDownloadError:
    """The error for a connection that the guard or the browser refused."""
    return BrowserDownloadError("private" if "private address" in reason else "download", reason)


def is_text(headers: Headers) -> bool:
    """Whether a response is displayed as a page."""
    kind = (headers.get("Content-Type") or b"text/html").decode("latin-1").lower()
    return kind.startswith(("text/", "application/xhtml", "application/xml"))


def is_gone(error: Error) -> bool:
    """Whether the page or the browser was closed."""
    return type(error).__name__ == "TargetClosedError"  # playwright does not export it


def told(error: Error) -> str:
    """A browser error as one line."""
    reason = error.message.splitlines()[0] if error.message else type(error).__name__
    if is_gone(error):
        return f"the page's renderer or the browser ended: {reason}"
    if "crashed" in reason:
        return "the page's renderer crashed"
    if LEFT in reason:
        return "the page goes on to another again and again"
    return f"the browser: {reason}"


# --- requests -------------------------------------------------------------------------------------

_NO_BYPASS = "<-loopback>"
"""Without this, Chromium bypasses the proxy for loopback addresses."""
MOST_IDLE = 16
"""Maximum number of idle contexts, kept for the next page of their site; each takes 1 to 5 MB."""
_handlers: WeakKeyDictionary[Crawler, RenderingHandler] = WeakKeyDictionary()


class GuardedProvider(PlaywrightBrowserProvider):  # type: ignore[misc]  # scrapy-playwright has no types
    """The browser, and the proxy that it cannot bypass."""

    def __init__(self, config: Config, policy: AddressPolicy) -> None:
        super().__init__(config)
        self.guard = GuardProxy(policy)

    async def start(self) -> None:
        """Start proxy and driver. They ignore Ctrl-C; the crawl ends them when their work is done."""
        await self.guard.start()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            await super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    async def launch_browser(self) -> Browser:
        """Start a browser, at the beginning and after a crash."""
        self.config.launch_options = {
            "executable_path": find_browser().path,
            "chromium_sandbox": sandboxed(),
            "proxy": {"server": f"http://{LOOPBACK}:{self.guard.port}", "bypass": _NO_BYPASS},
            "args": list(ARGUMENTS),
            "handle_sigint": False,
        }
        browser: Browser = await super().launch_browser()
        return browser

    async def close(self) -> None:
        """End browser, driver and proxy, whatever their state."""
        with suppress(Error, TimeoutError):  # reason: the driver has already ended
            await asyncio.wait_for(super().close(), ALIVE)
        await self.guard.stop()


class Contexts:
    """Assigns pages to browser contexts, and decides which contexts to close."""

    def __init__(self, recycle: int = RECYCLE) -> None:
        self._recycle = recycle
        self._generation: Counter[str] = Counter()
        self._pages: Counter[str] = Counter()
        self._open: Counter[str] = Counter()
        self._idle: dict[str, str] = {}
        """Site → idle context; the longest idle first."""

    def enter(self, site: str) -> str:
        """The name of the context for another page."""
        self._idle.pop(site, None)
        name = self._name(site)
        self._pages[name] += 1
        self._open[name] += 1
        if self._pages[name] >= self._recycle:
            self._generation[site] += 1
        return name

    def leave(self, site: str, name: str, healthy: bool) -> str | None:
        """Note that a page was closed; return the context to close now, if any: used up or broken and without pages, or the
        longest idle."""
        self._open[name] -= 1
        if not healthy and name == self._name(site):
            self._generation[site] += 1
        if self._open[name]:
            return None
        if name == self._name(site):
            self._idle[site] = name
            if len(self._idle) <= MOST_IDLE:
                return None
            site = next(iter(self._idle))
            name = self._idle.pop(site)
            self._generation[site] += 1  # the next page must not use a context that is being closed
        del self._open[name], self._pages[name]
        return name

    def _name(self, site: str) -> str:
        return f"{site}-{self._generation[site]}"


class RenderingHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]  # scrapy-playwright has no types
    """scrapy-playwright's handler with this project's page loading."""

    lazy = False  # it starts with the engine

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        super().__init__(crawler)
        bound_heads(self._pool)
        self.process_request_headers = as_they_are
        spider = planned(crawler)
        self.policy = spider.plan.policy
        self.archives = spider.plan.warc is not None
        self.browser_provider_cls = partial(GuardedProvider, policy=self.policy)
        self.abort_request = self.is_unneeded
        self.timeout = settings.getfloat("RENDER_TIMEOUT")
        self.settle = settings.getfloat("RENDER_SETTLE")
        self.longest = self.timeout + self.settle + WALK_TIMEOUT + 3 * ALIVE
        self.max_size = settings.getint("DOWNLOAD_MAXSIZE")
        self.user_agent = settings["USER_AGENT"]
        self.ignore_certificates = not settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
        self.contexts = Contexts(settings.getint("RENDER_RECYCLE", RECYCLE))
        self.pages = asyncio.Semaphore(settings.getint("RENDER_PAGES"))
        self._tries: set[asyncio.Task[Response]] = set()
        """Running downloads of the current browser."""
        self._closed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RenderingHandler:
        """The crawl's only handler; Scrapy asks once for http and once for https."""
        if crawler not in _handlers:
            _handlers[crawler] = cls(crawler)
        return _handlers[crawler]

    async def close(self) -> None:
        """End the browser."""
        if not self._closed:
            self._closed = True
            with suppress(Error):  # reason: it has already ended
                await super().close()

    def is_unneeded(self, request: BrowserRequest) -> bool:
        """Whether a request of a page is blocked."""
        if unneeded(request.url, request.resource_type):
            return True
        host, port = server_of(request.url)
        if self.policy.refusal(host, port, [host]) or self.policy.closed_port(host, port):
            return True  # the guard would refuse it, but the site's own proxy might not
        try:
            # Snapshots do not contain frames.
            return request.is_navigation_request() and request.frame.parent_frame is not None
        except Error:
            return False  # reason: the page's own frame does not exist yet

    async def download_request(self, request: Request) -> Response:
        """Fetch a page. If the page crashes the browser or never responds, fetch its source without a browser."""
        try:
            response: Response = await super().download_request(request)
        except BrowserDownloadError as error:
            if error.status != "failed" or self._closed:
                raise
            meta = {key: value for key, value in request.meta.items() if not key.startswith("playwright")}
            response = await super().download_request(request.replace(meta=meta))
            request.meta[NOTE] = f"read from its source, without its scripts: {error}"
        return response

    async def _download_request(self, request: Request, spider: Spider | None = None) -> Response:
        """Fetch one page in a context of its site."""
        site: Site = request.cb_kwargs["site"]
        async with self.pages:
            name = self.contexts.enter(site.name)
            request.meta["playwright_context"] = name
            request.meta["playwright_context_kwargs"] = self._context(site)
            request.meta["playwright_include_page"] = True  # closed here, within a time limit
            began, healthy = monotonic(), False
            try:
                response: Response = await asyncio.wait_for(super()._download_request(request, spider), self.longest)
                healthy = True
                return response
            except BrowserDownloadError:
                healthy = True
                raise
            except (TimeoutError, Late) as error:
                raise BrowserDownloadError("failed", "the page does not respond; a script of it may never end") from error
            except Error as error:
                raise BrowserDownloadError("failed", told(error)) from error
            finally:
                request.meta["download_latency"] = monotonic() - began
                done_with = self.contexts.leave(site.name, name, healthy)
                if done_with and (used := self.context_wrappers.get(done_with)):
                    with suppress(Error, TimeoutError):  # reason: it has already ended
                        await asyncio.wait_for(used.context.close(), ALIVE)

    async def _download_request_with_retry(self, request: Request, spider: Spider) -> Response:
        """Try once. A crashed browser may never respond; then the attempt is abandoned."""
        work: asyncio.Task[Response] = asyncio.ensure_future(super()._download_request_with_retry(request, spider))
        self._tries.add(work)
        try:
            return await work
        except asyncio.CancelledError:
            if work in self._tries:
                raise  # the crawl is ending, or the time limit is reached
            raise TargetClosedError("the browser ended") from None
        except TargetClosedError:
            await asyncio.sleep(0.3)  # time to detect a crash and restart the browser
            raise
        finally:
            self._tries.discard(work)

    async def _browser_disconnected_callback(self) -> None:
        tries, self._tries = self._tries, set()
        for work in tries:
            work.cancel()
        if not self._closed:
            await super()._browser_disconnected_callback()

    def _context(self, site: Site) -> dict[str, Any]:
        """Options of the context for a site's pages."""
        options: dict[str, Any] = {
            "viewport": {"width": VIEWPORT[0], "height": VIEWPORT[1]},
            "user_agent": site.user_agent or self.user_agent,
            "accept_downloads": False,
            "service_workers": "block",
            "ignore_https_errors": self.ignore_certificates,
        }
        return options | ({"proxy": {"server": site.proxy, "bypass": _NO_BYPASS}} if site.proxy else {})

    async def _download_request_with_page(self, request: Request, page: Page, spider: Spider) -> Response:
        """Load a page, wait until it is quiet, take the snapshot, close the page."""
        page.on("popup", close_quietly)
        try:
            return await self._rendered(request, page)
        finally:
            await close_quietly(page)
            self.stats.inc_value("playwright/page_count/closed")

    async def _rendered(self, request: Request, page: Page) -> Response:
        until, traffic = monotonic() + self.timeout, Traffic(page)
        answer = await ask(page, request.url, self.browser_provider.guard, self.timeout, self.max_size)
        headers = Headers(answer.headers if answer else {})  # all_headers() hangs if the browser has crashed
        for name in ("Content-Encoding", "Content-Length", "Transfer-Encoding"):
            headers.pop(name, None)
        status = answer.status if answer else 200
        body = b""
        if status < 400 and is_text(headers):
            walked, request.meta[NOTE] = await walk(page, traffic, until, self.settle, scrolls_of(request))
            body = walked.encode("utf-8", "surrogatepass")
        if answer is not None and self.archives:
            with suppress(Error, TimeoutError):  # reason: the browser has discarded it; the archive notes that it is missing
                request.meta[RENDERED_SOURCE] = await asyncio.wait_for(answer.body(), ALIVE)
        request.meta[VISITED] = traffic.addresses[1:]
        if page.url.partition("#")[0] != request.url.partition("#")[0]:
            request.meta["redirect_urls"] = [request.url]
        url = page.url if page.url.startswith("http") else request.url
        return Response(url, status, headers, body, [RENDERED], request)


async def as_they_are(*, playwright_request: BrowserRequest, **_: Any) -> dict[str, str]:
    """Keep the browser's own headers; the context sets user agent and language."""
    return playwright_request.headers
