"""Which browser renders pages: one that is installed, one that playwright has downloaded, or how to get one.

Order: the environment variable ``NEWSEXTRACT_BROWSER``, an installed Chrome or Chromium, playwright's own download. Any
of them draws pages alike; the shell without a window is the smallest. Rendering needs three things: the browser,
playwright's driver (a Node.js program in its package, which needs a system library that a bare machine lacks), and fonts.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from newsextract.errors import MissingExtra, NewsextractError

logger = logging.getLogger(__name__)

VARIABLE = "NEWSEXTRACT_BROWSER"
_COMMANDS = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
    "chrome",
    "microsoft-edge-stable",
)
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
        """What it says of itself.

        :raises BrowserMissing: it does not run.
        """
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
    """The browser to use.

    :raises BrowserMissing: there is none, or the variable names none.
    """
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
