"""Pages through a browser: the only module that knows scrapy-playwright (0.0.48).

Sites with ``render = true`` have their pages fetched here; robots.txt, sitemaps and feeds, and all other sites, go Scrapy's
own way. One browser serves http and https. It reaches the network through :class:`~newsextract.browser.guard.GuardProxy`
alone, which refuses private addresses, whatever in a page asks for them. The page's scripts run, media, fonts and trackers
are left out, and one walk reads what is there; the response's body is that walk, taken apart in a worker
(:mod:`newsextract.page.page`).

Every step has a time limit. A page that crashes, hangs or is over a cap costs itself: it is told as a
:class:`~spiders.pages.BrowserDownloadError`, its context is thrown away, and the crawl goes on. Contexts are made anew after
``RENDER_RECYCLE`` pages (:data:`~newsextract.browser.render.RECYCLE`), so that the browser's memory stays bounded.

Without a site that wants rendering this module is not imported, nor is playwright.
"""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.async_api import Error, Page
from playwright.async_api import Request as BrowserRequest
from playwright.async_api import Response as BrowserResponse
from playwright.async_api import TimeoutError as Late
from scrapy.http import Headers, Request, Response
from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler, TargetClosedError
from scrapy_playwright.provider import PlaywrightBrowserProvider

from newsextract.browser.guard import LOOPBACK, REASON, GuardProxy, unneeded
from newsextract.browser.loading import find_browser, sandboxed
from newsextract.browser.render import ARGUMENTS, RECYCLE, VIEWPORT
from newsextract.page.snapshot import MAX_UNPACKED, WALKER
from newsextract.urls import AddressPolicy, server_of
from pipelines.plain_spiders import planned
from spiders.pages import NOTE, RENDERED, RENDERED_SOURCE, VISITED, BrowserDownloadError

if TYPE_CHECKING:
    from playwright.async_api import Browser
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from newsextract.sites import Site

# --- rendering ------------------------------------------------------------------------------------
# One page in a browser, from its address to the walk: what *requests* does in a page.
#
# Every step has a time limit. A script that never ends answers no question, and some pages never end loading: those are
# taken as they are.

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


# --- requests -------------------------------------------------------------------------------------

_NO_BYPASS = "<-loopback>"
"""Chromium would reach this machine without the proxy."""
MOST_IDLE = 16
"""Contexts that stay open without a page, for sites whose next one comes later; each has 1 to 5 MB."""
_handlers: WeakKeyDictionary[Crawler, RenderingHandler] = WeakKeyDictionary()


class GuardedProvider(PlaywrightBrowserProvider):  # type: ignore[misc]  # scrapy-playwright has no types
    """The browser, and the proxy that it cannot go round."""

    def __init__(self, config: Config, policy: AddressPolicy) -> None:
        super().__init__(config)
        self.guard = GuardProxy(policy)

    async def start(self) -> None:
        """Start proxy and driver; Ctrl-C is the crawl's, which ends them when they have nothing left to do."""
        await self.guard.start()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            await super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    async def launch_browser(self) -> Browser:
        """Start a browser, at first and again after one has died."""
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
        """End them, whatever state they are in."""
        with suppress(Error, TimeoutError):  # reason: the driver is gone already
            await asyncio.wait_for(super().close(), ALIVE)
        await self.guard.stop()


class Contexts:
    """Which context a site's next page opens in, and which are to be closed.

    :param recycle: pages after which a context is used up.
    """

    def __init__(self, recycle: int = RECYCLE) -> None:
        self._recycle = recycle
        self._generation: Counter[str] = Counter()
        self._pages: Counter[str] = Counter()
        self._open: Counter[str] = Counter()
        self._idle: dict[str, str] = {}
        """Contexts without a page that will get one, by site; the longest idle first."""

    def enter(self, site: str) -> str:
        """The name of the context for one more page."""
        self._idle.pop(site, None)
        name = self._name(site)
        self._pages[name] += 1
        self._open[name] += 1
        if self._pages[name] >= self._recycle:
            self._generation[site] += 1
        return name

    def leave(self, site: str, name: str, healthy: bool) -> str | None:
        """One page less. A context that is to be closed now: used up or ill and without a page, or the longest idle."""
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
            self._generation[site] += 1  # its next page must not find a context that is being closed
        del self._open[name], self._pages[name]
        return name

    def _name(self, site: str) -> str:
        return f"{site}-{self._generation[site]}"


class RenderingHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]  # scrapy-playwright has no types
    """Scrapy-playwright's handler with this project's way to load a page."""

    lazy = False  # it starts with the engine

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        super().__init__(crawler)
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
        """Pages that the present browser is at."""
        self._closed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RenderingHandler:
        """The crawl's only one: Scrapy asks once for http and once for https."""
        if crawler not in _handlers:
            _handlers[crawler] = cls(crawler)
        return _handlers[crawler]

    async def close(self) -> None:
        """End the browser."""
        if not self._closed:
            self._closed = True
            with suppress(Error):  # reason: it is gone already
                await super().close()

    def is_unneeded(self, request: BrowserRequest) -> bool:
        """Whether a page does without one of its requests, or must."""
        if unneeded(request.url, request.resource_type):
            return True
        host, port = server_of(request.url)
        if self.policy.refusal(host, port, [host]) or self.policy.closed_port(host, port):
            return True  # the guard would refuse it; a site's own proxy perhaps not
        try:
            return request.is_navigation_request() and request.frame.parent_frame is not None  # no snapshot reads frames
        except Error:
            return False  # reason: the page's own frame is not there yet

    async def download_request(self, request: Request) -> Response:
        """A page. One that takes the browser down, or never answers it, is read from its source, which is asked for anew."""
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
        """One page, in a context of its site."""
        site: Site = request.cb_kwargs["site"]
        async with self.pages:
            name = self.contexts.enter(site.name)
            request.meta["playwright_context"] = name
            request.meta["playwright_context_kwargs"] = self._context(site)
            request.meta["playwright_include_page"] = True  # it is closed here, within a time limit
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
                    with suppress(Error, TimeoutError):  # reason: it is gone already
                        await asyncio.wait_for(used.context.close(), ALIVE)

    async def _download_request_with_retry(self, request: Request, spider: Spider) -> Response:
        """One try. Some questions to a browser that has died are never answered: then the try is given up."""
        work: asyncio.Task[Response] = asyncio.ensure_future(super()._download_request_with_retry(request, spider))
        self._tries.add(work)
        try:
            return await work
        except asyncio.CancelledError:
            if work in self._tries:
                raise  # the crawl is ending, or the time is up
            raise TargetClosedError("the browser ended") from None
        except TargetClosedError:
            await asyncio.sleep(0.3)  # a browser that has died is noticed and begun anew meanwhile
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
        """What a site's pages open in."""
        options: dict[str, Any] = {
            "viewport": {"width": VIEWPORT[0], "height": VIEWPORT[1]},
            "user_agent": site.user_agent or self.user_agent,
            "accept_downloads": False,
            "service_workers": "block",
            "ignore_https_errors": self.ignore_certificates,
        }
        return options | ({"proxy": {"server": site.proxy, "bypass": _NO_BYPASS}} if site.proxy else {})

    async def _download_request_with_page(self, request: Request, page: Page, spider: Spider) -> Response:
        """Load a page, wait until it is quiet, walk through it, close it."""
        page.on("popup", close_quietly)
        try:
            return await self._rendered(request, page)
        finally:
            await close_quietly(page)
            self.stats.inc_value("playwright/page_count/closed")

    async def _rendered(self, request: Request, page: Page) -> Response:
        until, traffic = monotonic() + self.timeout, Traffic(page)
        answer = await ask(page, request.url, self.browser_provider.guard, self.timeout, self.max_size)
        headers = Headers(answer.headers if answer else {})  # all_headers() never answers when the browser has gone
        for name in ("Content-Encoding", "Content-Length", "Transfer-Encoding"):
            headers.pop(name, None)
        status = answer.status if answer else 200
        body = b""
        if status < 400 and is_text(headers):
            walked, request.meta[NOTE] = await walk(page, traffic, until, self.settle)
            body = walked.encode("utf-8", "surrogatepass")
        if answer is not None and self.archives:
            with suppress(Error, TimeoutError):  # reason: the browser has not kept it; the archive says that it is missing
                request.meta[RENDERED_SOURCE] = await asyncio.wait_for(answer.body(), ALIVE)
        request.meta[VISITED] = traffic.addresses[1:]
        if page.url.partition("#")[0] != request.url.partition("#")[0]:
            request.meta["redirect_urls"] = [request.url]
        url = page.url if page.url.startswith("http") else request.url
        return Response(url, status, headers, body, [RENDERED], request)


async def as_they_are(*, playwright_request: BrowserRequest, **_: Any) -> dict[str, str]:
    """The browser's own headers: user agent and language are the context's."""
    return playwright_request.headers
