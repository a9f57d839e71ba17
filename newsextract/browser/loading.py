"""Loads one page in the browser, from its URL or a saved file to the walk through its nodes."""

from __future__ import annotations

import asyncio
import logging
import mimetypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from newsextract.browser.guard import REASON, GuardProxy, unneeded
from newsextract.errors import DataError, MissingExtra, NewsextractError
from newsextract.page.decoding import decode
from newsextract.page.snapshot import MAX_SCREENSHOT, WALKER, Snapshot
from newsextract.urls import with_scheme

if TYPE_CHECKING:
    from playwright.async_api import Dialog, Error, FloatRect, Page, Request, Route

# --- browsers -------------------------------------------------------------------------------------
# Order: the environment variable ``NEWSEXTRACT_BROWSER``, an installed Chrome or Chromium, playwright's own download. Any
# of them draws pages alike; the shell without a window is the smallest. Rendering needs three things: the browser,
# playwright's driver (a Node.js program in its package, which needs a system library that a bare machine lacks), and fonts.

logger = logging.getLogger(__name__)

VARIABLE = "NEWSEXTRACT_BROWSER"
_COMMANDS = (
    "chromium-headless-shell", "chrome-headless-shell", "google-chrome-stable", "google-chrome", "chromium",
    "chromium-browser", "chrome", "microsoft-edge-stable",
)  # fmt: skip
_PLACES = (  # before the commands, which are scripts around them on Debian
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/headless_shell",
    "/usr/lib64/chromium-browser/headless_shell",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
)
_DOWNLOADED = ("chromium_headless_shell-*/*/*headless*shell*", "chromium-*/*/chrome", "chromium-*/*/chrome.exe")
PACKAGES = tuple(
    line.split()[1]
    for line in (files("newsextract") / "data" / "system_packages.txt").read_text("utf-8").splitlines()
    if line.startswith("browser ")
)
"""Debian's packages that rendering needs: browser, the driver's library, fonts."""
_DEBIAN = ("apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES)
_ON_DEBIAN = f"on Debian: apt-get install {' '.join(PACKAGES)}"
_INSTALL = (
    "install one with `newsextract browser install` or `python -m playwright install --only-shell chromium`; " + _ON_DEBIAN
)


class BrowserMissing(NewsextractError):
    """Nothing can be rendered: no browser, no driver or no fonts; the message names the commands that install them."""


@dataclass(frozen=True, slots=True)
class FoundBrowser:
    """A browser."""

    path: Path
    origin: str
    """Where it was found: the variable, ``installed`` or ``playwright``."""

    def version(self) -> str:
        """What it says of itself. Raises BrowserMissing: it does not run."""
        try:
            told = subprocess.run([self.path, "--version"], capture_output=True, text=True, timeout=60, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise BrowserMissing(f"{self.path} does not run ({error}); {_INSTALL}") from error
        return told.stdout.strip()


def check_driver() -> None:
    """Check that playwright's driver runs; 50 ms.

    :raises MissingExtra: playwright is not installed.
    :raises BrowserMissing: the driver does not start; the message holds the first line of its own error.
    """
    if find_spec("playwright") is None:
        raise MissingExtra("playwright", "browser", "rendering")
    from playwright._impl._driver import compute_driver_executable  # reason: playwright has no public name for it

    node = compute_driver_executable()[0]
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise BrowserMissing(f"playwright's driver {node} does not run ({error}); {_ON_DEBIAN}") from error
    if done.returncode:
        why = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[0]
        raise BrowserMissing(f"playwright's driver does not run ({why}); {_ON_DEBIAN}")


@cache
def sandboxed() -> bool:
    """Whether the browser runs in its sandbox: Chromium has none for root, which is logged once."""
    if getattr(os, "geteuid", lambda: 1)() != 0:
        return True
    logger.warning(
        "the browser runs without its sandbox, because this process is root: a page that breaks out of the browser is root, "
        "too; run it as another user (RENDER_SANDBOX = True refuses to crawl without)"
    )
    return False


def find_browser() -> FoundBrowser:
    """The browser to use. Raises BrowserMissing: none is installed, or the variable's file is no browser."""
    named = os.environ.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK) or Path(named).is_dir():
            raise BrowserMissing(f"{VARIABLE}={named}: no program there; name one, or unset it and {_INSTALL}")
        return FoundBrowser(Path(named), VARIABLE)
    for candidate in (*_PLACES, *filter(None, map(shutil.which, _COMMANDS))):
        if os.access(candidate, os.X_OK):
            return FoundBrowser(Path(candidate), "installed")
    for path in _downloaded():
        return FoundBrowser(path, "playwright")
    raise BrowserMissing(f"no Chrome or Chromium found; {_INSTALL}, or name a program in {VARIABLE}")


def _downloaded() -> Iterator[Path]:
    """What playwright has downloaded, the newest first."""
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folders = [Path(named)] if named else [Path(cache), Path.home() / "Library/Caches", Path.home() / "AppData/Local"]
    for pattern in _DOWNLOADED:
        for folder in folders:
            paths = (folder if named else folder / "ms-playwright").glob(pattern)
            yield from sorted((path for path in paths if path.is_file()), key=_revision, reverse=True)


def _revision(path: Path) -> int:
    found = re.search(r"-(\d+)$", path.parent.parent.name)
    return int(found[1]) if found else 0


def install_browser() -> tuple[FoundBrowser, str]:
    """Find a browser or install one: playwright's download, else Debian's package.

    :return: the browser, and what was done.
    :raises MissingExtra: playwright is not installed.
    :raises BrowserMissing: neither way worked; the message says why.
    """
    try:
        return find_browser(), "nothing to install"
    except BrowserMissing:
        if os.environ.get(VARIABLE):
            raise  # a wrong name is not mended by another browser
    if find_spec("playwright") is None:
        raise MissingExtra("playwright", "browser", "rendering")
    tried = []
    ways: list[tuple[str, ...]] = [(sys.executable, "-m", "playwright", "install", "--only-shell", "chromium")]
    if shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        ways += [("apt-get", "update", "-qq"), _DEBIAN]
    for way in ways:
        done = subprocess.run(way, capture_output=True, text=True, check=False)
        if way[1] == "update":
            continue
        try:
            if done.returncode == 0:
                found = find_browser()
                found.version()  # a download runs only where its libraries are installed, too
                return found, f"installed by `{' '.join(way)}`"
            tried.append(f"`{' '.join(way)}`: {(done.stderr or done.stdout).strip()[-300:]}")
        except BrowserMissing as error:
            tried.append(str(error))
    raise BrowserMissing(f"no browser could be installed; {'; '.join(tried)}")


# --- saved page -----------------------------------------------------------------------------------
# A saved page and the files beside it, as a server would give them to a browser that has no network. The page gets the
# address that it came from, so that its links keep their meaning; whatever has an address below the page's own folder there
# is looked for below its folder on disk, and nothing else is found.

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
                f"{path}: {getattr(error, 'strerror', None) or error}; expected a file or an http(s) URL"
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
# Playwright is imported where it is used, so that the module can be read without it.

WALK_TIMEOUT = 60.0
"""Seconds for the walk; 50,000 nodes take 2 to 5."""
_MAX_PICTURE = (4_000, 16_000)
"""CSS pixels of a screenshot; higher pictures are cut, as the browser cannot draw them."""
_ALIVE = 10.0
"""Seconds in which a page that did not end loading must say that it lives."""
_AFTER_SCROLL = 0.2
"""Seconds in which a page notices that it was scrolled."""
_ASK = files("newsextract").joinpath("browser", "loading.js").read_text("utf-8").strip()
"""An expression in JavaScript; the file says what it may be asked."""
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
    """Load a page and walk through it. Raises TimeoutError: it does not respond."""
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as Late

    saved = job.saved

    async def load(route: Route, request: Request) -> None:
        nonlocal saved
        if saved is job.saved and saved is not None:  # the first request is for the page: the browser's spelling
            saved = replace(saved, url=request.url)
        with suppress(Error):  # reason: the page has gone meanwhile
            found = saved.resource(request.url) if saved else None
            is_frame = request.is_navigation_request() and request.frame != page.main_frame  # which no snapshot reads
            if found:
                await route.fulfill(body=found[0], content_type=found[1])
            elif saved or unneeded(request.url, request.resource_type) or is_frame:
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

        async def quiet() -> None:
            await _quiet(page, min(job.settle, max(until - monotonic(), 0.0)))

        await settled(page, quiet, job.settle, until)
        if not await scrolled(page, quiet, job.scrolls, until):
            note = f"not scrolled to the end within {job.timeout:g} s"
    walk = await _walked(page)
    picture = await _picture(page) if job.screenshot else None
    address = job.address if job.saved else page.url
    return Snapshot.from_walk(walk, address, scripts=job.scripts, screenshot=picture, note=note)


async def settled(page: Page, quiet: Callable[[], Awaitable[None]], seconds: float, until: float) -> None:
    """Wait until a page that has loaded requests nothing, and shows some text and no sign that it waits for more.

    :param quiet: waits until the page requests nothing.
    :param seconds: to wait for the text, at most.
    :param until: time limit, by the monotonic clock.
    """
    await quiet()
    wait = min(seconds, until - monotonic())
    if wait > 0 and await _asked(page, "filled", wait):
        await quiet()


async def scrolled(page: Page, quiet: Callable[[], Awaitable[None]], screens: int, until: float) -> bool:
    """Scroll down, and click on "load more" where a page has such a button; then back to the top.

    :param quiet: waits until the page requests nothing.
    :param screens: to scroll, at most.
    :param until: time limit, by the monotonic clock.
    :return: False if the time was up first.
    """
    stands = 0
    for _ in range(screens):
        if monotonic() > until:
            return False
        stands = 0 if await _asked(page, "more") else stands + 1
        if stands == 2:  # at the end, and nothing has come
            break
        await asyncio.sleep(_AFTER_SCROLL)
        await quiet()
    if screens:
        await _asked(page, "top")
    return True


async def _asked(page: Page, what: str, seconds: float = 0.0) -> bool:
    """What ``loading.js`` answers; True if the page goes on to another meanwhile."""
    from playwright.async_api import Error

    try:
        return bool(await asyncio.wait_for(page.evaluate(_ASK, [what, 1e3 * seconds]), seconds + _ALIVE))
    except Error:  # reason: the walk comes next, and tells what is wrong
        with suppress(Error):
            await page.wait_for_load_state("domcontentloaded", timeout=1e3 * _ALIVE)
        return True


async def _opened(page: Page, job: Job, proxy: GuardProxy) -> None:
    """Ask for the page; done when the answer begins. Raises RenderError: no answer comes, or an error."""
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
    # A page may say that its sides are no numbers.
    width, height = (
        max(1, min(side, most)) if isinstance(side, int | float) else most
        for side, most in zip(sides, _MAX_PICTURE, strict=True)
    )
    clip: FloatRect = {"x": 0, "y": 0, "width": width, "height": height}
    picture = await page.screenshot(full_page=True, clip=clip, timeout=1e3 * WALK_TIMEOUT)
    return picture if len(picture) <= MAX_SCREENSHOT else None


def first_line(error: Error) -> str:
    """The reason without the call log."""
    return error.message.splitlines()[0] if error.message else type(error).__name__
