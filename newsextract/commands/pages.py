"""Gets the page of a command: from a file, a URL, standard input or a snapshot; rendered by a browser where that is
wanted."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from newsextract.archives.storage import TooLarge, decoded
from newsextract.browser.loading import BrowserMissing
from newsextract.browser.render import Browser
from newsextract.errors import DataError, MissingExtra, UsageError
from newsextract.page.fetching import fetch
from newsextract.page.page import MAX_BYTES, Page
from newsextract.page.snapshot import Snapshot, is_snapshot
from newsextract.urls import AddressPolicy, is_web_address, with_scheme

# --- pages ----------------------------------------------------------------------------------------
# Where a command gets its page from: a file, an address or standard input; a snapshot counts as the page it was made of.


def read_page(place: str, url: str | None = None, policy: AddressPolicy | None = None) -> Page:
    """A page from a file, an address or standard input (``-``); a snapshot is told by its first bytes, not by its name.

    :param url: URL of the file, or of standard input; that of a snapshot otherwise is its own.
    :param policy: which private addresses may be reached; None: that of the address.
    :raises DataError: the file cannot be read, or is a damaged snapshot.
    :raises FetchError: the address cannot be fetched.
    :raises UsageError: it is a ``file:`` address, or ``url`` is no URL.
    """
    check_url(url)
    if place == "-":
        return _page(sys.stdin.buffer.read(), "standard input", url, datetime.now(UTC))
    if is_web_address(place):
        return fetch(place, policy or AddressPolicy.typed([place]))
    path = Path(place)
    try:
        modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise DataError(
            f"{place or repr(place)}: {getattr(error, 'strerror', None) or error}; "
            f"expected a file, an http(s) URL, or - for standard input{with_scheme(place)}"
        ) from error
    try:
        data = decoded(data, "gzip", MAX_BYTES) if place.lower().endswith(".gz") else data
    except (TooLarge, ValueError) as error:
        raise DataError(f"{place}: {error}") from error
    return _page(data, place, url, modified)


def check_url(url: str | None) -> None:
    """:raises UsageError: the value of ``--url`` is no URL."""
    if url is not None and not is_web_address(url):
        raise UsageError(f"--url {url}: expected an http(s) URL, such as https://www.example.org/news/1.html")


def body_of(data: bytes, place: str) -> bytes:
    """The page's bytes: the rendered source of a snapshot, else the data themselves.

    :raises SnapshotError: it is a damaged snapshot.
    """
    return Page.from_snapshot(Snapshot.from_bytes(data, place)).body if is_snapshot(data) else data


def _page(data: bytes, place: str, url: str | None, fetched_at: datetime) -> Page:
    if not is_snapshot(data):
        return Page.from_saved(data, url, fetched_at)
    snapshot = Snapshot.from_bytes(data, place)
    return Page.from_snapshot(dataclasses.replace(snapshot, url=url) if url else snapshot)


# --- rendered -------------------------------------------------------------------------------------
# Where ``records`` and ``inspect`` get their pages from: a snapshot as it is, everything else as a browser draws it.

WITHOUT = "or read only the source, without a browser: --no-render"


def add_scripts(parser: argparse.ArgumentParser) -> None:
    """Declare ``--scripts`` and ``--url``."""
    parser.add_argument(
        "--scripts",
        action=argparse.BooleanOptionalAction,
        help="run the page's scripts; default: for URLs yes, for files no",
    )
    parser.add_argument("--url", help="URL of the file")


class PageReader:
    """Reads pages, and renders them with one browser that starts with the first page that needs it; a context manager.

    :param way_out: what the message adds where there is no browser.
    """

    def __init__(
        self, *, render: bool = True, scripts: bool | None = None, screenshot: bool = False, way_out: str = ""
    ) -> None:
        self._render = render
        self._scripts = scripts
        self._screenshot = screenshot
        self._way_out = way_out
        self._browser: Browser | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._browser is not None:
            self._browser.close()

    def read(self, place: str, url: str | None = None) -> Page:
        """The page of a file, an address, a snapshot, or standard input (``-``).

        :param url: URL of the file, or of standard input.
        :raises NewsextractError: it cannot be read, fetched or rendered; there is no browser.
        """
        check_url(url)
        remote = is_web_address(place)
        if not remote or not self._render:
            page = read_page(place, url)
            if page.snapshot is not None or not self._render:
                return page
        if place == "-":
            raise UsageError(f"standard input cannot be rendered: save it to a file, {self._way_out or 'and name that'}")
        address = None if remote else url
        return Page.from_snapshot(
            self._opened().render(place, scripts=self._scripts, screenshot=self._screenshot, url=address)
        )

    def _opened(self) -> Browser:
        if self._browser is None:
            try:
                self._browser = Browser()
            except (BrowserMissing, MissingExtra) as error:
                raise BrowserMissing(f"{error}; {self._way_out}" if self._way_out else str(error)) from error
        return self._browser
