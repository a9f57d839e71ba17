"""Where ``records`` and ``inspect`` get their pages from: a snapshot as it is, everything else as a browser draws it."""

from __future__ import annotations

import argparse
from types import TracebackType
from typing import Self

from newsextract.addresses import is_web_address
from newsextract.browser import Browser
from newsextract.browsers import BrowserMissing
from newsextract.commands.pages import read_page
from newsextract.errors import MissingExtra, UsageError
from newsextract.page import Page

WITHOUT = "or leave the browser out with --no-render: the source alone is read then"


def add_scripts(parser: argparse.ArgumentParser) -> None:
    """Declare ``--scripts`` and ``--url``."""
    parser.add_argument(
        "--scripts",
        action=argparse.BooleanOptionalAction,
        help="run the page's scripts; default: those of an address, not those of a file",
    )
    parser.add_argument("--url", help="the address that a file came from")


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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._browser is not None:
            self._browser.close()

    def read(self, place: str, url: str | None = None) -> Page:
        """The page of a file, an address, a snapshot, or standard input (``-``).

        :param url: the address that a file or standard input came from.
        :raises NewsextractError: it cannot be read, fetched or rendered; there is no browser.
        """
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
