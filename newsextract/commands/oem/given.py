"""What the commands of ``oem`` are given: a format, and a page that it is taken over."""

from __future__ import annotations

import dataclasses

from newsextract.addresses import is_web_address
from newsextract.commands.pages import read_page
from newsextract.errors import UsageError
from newsextract.extraction import refusal
from newsextract.oem import Format
from newsextract.oem.format import FormatLine, Get, Split
from newsextract.oem.pattern import holes
from newsextract.page import Page

PAGE_HELP = "a file, an http(s) address, a snapshot, or - for standard input"


def page_of(wrapper: Format, place: str | None, url: str | None) -> Page:
    """The page to take a format over.

    :param place: None: the page of the format's first line. A file has the address of that line, unless told otherwise.
    :param url: the address that a file or standard input came from.
    :raises NewsextractError: it cannot be read or fetched, or the format names none.
    """
    if url is not None and not is_web_address(url):
        raise UsageError(f"--url {url}: expected an http(s) address, such as https://www.example.org/list.html")
    own = own_address(wrapper)
    if place is None:
        if own is None:
            raise UsageError(
                f"{wrapper.name}: the first line takes the page at hand; name a page behind the format, "
                'or an address in the line: get("https://…")'
            )
        if not is_web_address(own):
            raise UsageError(
                f"{wrapper.name}: {own!r} in the first line is no http(s) address; name a page behind the format"
            )
        return read_page(own)
    page = read_page(place, url)
    if page.url is None and own is not None and is_web_address(own):
        return dataclasses.replace(page, url=own)
    return page


def own_address(wrapper: Format) -> str | None:
    """The address of the page of the first line, if it names one."""
    source = wrapper.lines[0].source
    return source.url if isinstance(source, Get) else None


def addresses(wrapper: Format) -> list[str]:
    """All addresses that a format names."""
    return [line.source.url for line in wrapper.lines if isinstance(line.source, Get) and line.source.url is not None]


def labels(wrapper: Format) -> list[str]:
    """The labels that a format names, in order; those that a pattern finds are not known before."""
    found: dict[str, None] = {}
    for line in wrapper.lines:
        if line.label is None:
            found[line.variable] = None
        found.update(dict.fromkeys(named_holes(line)))
    return list(found)


def named_holes(line: FormatLine) -> list[str]:
    """The names of a line's holes."""
    return [] if isinstance(line.section, Split) else [hole.name for hole in holes(line.section) if hole.name]


def unfit(page: Page) -> str | None:
    """Why a page is not even looked at: too large, empty, no text."""
    refused = refusal(page)
    return None if refused is None else refused[1]
