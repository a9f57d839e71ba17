"""A response as the library's :class:`~newsextract.Page`, and URLs that count pages."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from urllib.parse import quote

from scrapy.http import Response
from w3lib.url import safe_url_string

from newsextract import Hints, Page
from newsextract.page.page import Fetched, RenderedPage

# --- pages ----------------------------------------------------------------------------------------
# A response as the library's :class:`~newsextract.Page`, rendered by a browser or not.

RENDERED = "rendered"
"""Flag of a response whose body is a browser's walk through the page."""
NOTE = "render_note"
"""Key of a request's meta: what is to be known of its rendering."""
RENDERED_SOURCE = "rendered_source"
"""The same: the bytes of a rendered page as the server sent them, for the archive."""
PLACE = "archive_place"
"""The same: where the answer stands in the crawl's archive."""
FETCHED_AT = "fetched_at"
"""The same: when it came, as the archive has it."""
VISITED = "render_visited"
"""Key of a request's meta: where redirects and scripts led the browser from the address that was asked for."""


class BrowserDownloadError(Exception):
    """A page could not be had through the browser.

    :param status: of the rejection.
    """

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


MOST_WALK = 1_000_000
"""Bytes of a browser's walk that is taken apart on the reactor, 10 ms."""
MAX_PROLOG = 10_000
"""Bytes in which the first element of an XML document is looked for."""
_XML_ROOT = re.compile(
    rb"\s*+(?>(?:\xef\xbb\xbf)?)(?:<\?xml\b[^>]*+>|(?=<(?:rss|feed|rdf:RDF|urlset|sitemapindex)\b))"
    rb"(?>(?:\s++|<\?[^>]*+>|<!--(?>(?:[^-]|-(?!->))*)-->|<![A-Za-z][^>\[]*+(?>(?:\[[^\]]*+\])?)[^>]*+>)*)<([A-Za-z_][\w:.-]*+)"
)
_TEXT_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream")


def page_of(response: Response, hints: Hints) -> Fetched:
    """The page that extraction reads."""
    headers = headers_of(response)
    meta = response.request.meta if response.request else {}
    place, fetched_at = meta.get(PLACE), meta.get(FETCHED_AT) or datetime.now(UTC).replace(microsecond=0)
    if RENDERED in response.flags:
        return RenderedPage(response.body, response.url, headers, fetched_at, hints, meta.get(NOTE), place)
    return Page(response.body, response.url, headers, fetched_at, hints, place=place, note=meta.get(NOTE))


def headers_of(response: Response) -> dict[str, str]:
    """All headers, names in lower case, the values of one name joined by a comma."""
    return {k.decode("latin-1").lower(): b", ".join(v).decode("latin-1") for k, v in response.headers.items()}


def markup_of(response: Response) -> bytes:
    """The markup of a page; of a rendered one that which its scripts have made."""
    if RENDERED not in response.flags or len(response.body) > MOST_WALK:
        return response.body
    try:
        return str(json.loads(response.body).get("html", "")).encode("utf-8", "replace")
    except (ValueError, AttributeError, RecursionError):
        return b""  # reason: no walk; the worker that reads it says why


def header_of(response: Response, name: str) -> str | None:
    """Value of a header, or None."""
    value = response.headers.get(name)
    return value.decode("latin-1") if value else None


def other_type(response: Response) -> str | None:
    """Why a response is no web page by its media type, or None."""
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1").lower()
    if kind and not kind.startswith(_TEXT_TYPES):
        return f"the server says it is {kind[:60]}"
    root = _XML_ROOT.match(response.body[:MAX_PROLOG])
    if root is not None and root[1].rpartition(b":")[2].lower() != b"html":
        return f"it is XML that begins with <{root[1].decode('ascii')}>: a feed, a sitemap or other data"
    return None


def requested_url(response: Response) -> str:
    """The address that was asked for, before redirects."""
    urls: list[str] = response.meta.get("redirect_urls") or [response.url]
    return urls[0]


# --- counting -------------------------------------------------------------------------------------
# Addresses that count their pages: ``{page}`` and ``{start}`` in the address of an engine or a list.

_COUNTERS = ("{page}", "{start}")


def counts(template: str) -> bool:
    """Whether the address of each page follows from that of the first."""
    return any(counter in template for counter in _COUNTERS)


def address_of(template: str, number: int, first: int, query: str = "") -> str:
    """Address of a page.

    :param number: of the page, 1 for the first.
    :param first: rank of its first record, 1 for the first.
    """
    values = {"{query}": quote(query, safe=""), "{page}": str(number), "{start}": str(first - 1)}
    address = template
    for name in (*_COUNTERS, *(["{query}"] if query else [])):  # last what the user says: it may hold braces
        address = address.replace(name, values[name])
    return as_asked(address)


def as_asked(url: str) -> str:
    """An address as Scrapy will write it: the ledger knows pages by their addresses."""
    return safe_url_string(url)
