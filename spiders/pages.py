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
"""Flag of a response whose body is a snapshot from the browser."""
NOTE = "render_note"
"""Meta key: a note about the rendering."""
RENDERED_SOURCE = "rendered_source"
"""Meta key: source of a rendered page as the server sent it, for the archive."""
PLACE = "archive_place"
"""Meta key: position of the response in the crawl's archive."""
FETCHED_AT = "fetched_at"
"""Meta key: when the response was received, as stored in the archive."""
VISITED = "render_visited"
"""Meta key: URLs to which redirects and scripts led the browser."""


class BrowserDownloadError(Exception):
    """The browser could not load a page."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


MOST_WALK = 1_000_000
"""Largest snapshot in bytes that is parsed on the reactor; it takes 10 ms."""
MAX_PROLOG = 10_000
"""Number of bytes in which the first element of an XML document is searched."""
_XML_ROOT = re.compile(
    rb"\s*+(?>(?:\xef\xbb\xbf)?)(?:<\?xml\b[^>]*+>|(?=<(?:rss|feed|rdf:RDF|urlset|sitemapindex)\b))"
    rb"(?>(?:\s++|<\?[^>]*+>|<!--(?>(?:[^-]|-(?!->))*)-->|<![A-Za-z][^>\[]*+(?>(?:\[[^\]]*+\])?)[^>]*+>)*)<([A-Za-z_][\w:.-]*+)"
)
_TAG = re.compile(rb"<(?:!doctype|html|head|body|title|meta|div|p|h[1-6]|article|a|br)\b", re.IGNORECASE)
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
    """The markup of a page; of a rendered page, after its scripts have run."""
    if RENDERED not in response.flags or len(response.body) > MOST_WALK:
        return response.body
    try:
        return str(json.loads(response.body).get("html", "")).encode("utf-8", "replace")
    except (ValueError, AttributeError, RecursionError):
        return b""  # reason: not a snapshot; the worker that reads it reports why


def header_of(response: Response, name: str) -> str | None:
    """Value of a header, or None."""
    value = response.headers.get(name)
    return value.decode("latin-1") if value else None


def other_type(response: Response, *, may_be_data: bool = False) -> str | None:
    """Why a response is not a web page, judged by its media type; None if it is one.

    :param may_be_data: whether it may be JSON, too: the next part of a list, as a script asks for it.
    """
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1").lower()
    if kind and not kind.startswith(_TEXT_TYPES) and not (may_be_data and kind.startswith("application/json")):
        return f"the server says it is {kind[:60]}"
    root = _XML_ROOT.match(response.body[:MAX_PROLOG])
    if root is not None and root[1].rpartition(b":")[2].lower() != b"html":
        return f"it is XML that begins with <{root[1].decode('ascii')}>: a feed, a sitemap or other data"
    return None


def plain_text(response: Response) -> str | None:
    """Why a response is a text without markup, such as the source of a page, judged by its media type and its first tags;
    None if it is a page."""
    kind = (response.headers.get("Content-Type") or b"").decode("latin-1").lower()
    if kind.startswith("text/plain") and _TAG.search(response.body[:MAX_PROLOG]) is None:
        return "the server says it is text/plain, and it has no tags of a page"
    return None


def requested_url(response: Response) -> str:
    """The requested URL, before redirects."""
    urls: list[str] = response.meta.get("redirect_urls") or [response.url]
    return urls[0]


# --- counting -------------------------------------------------------------------------------------
# URL templates with page numbers: ``{page}`` and ``{start}`` in the URL of a search engine or a list.

_COUNTERS = ("{page}", "{start}")


def counts(template: str) -> bool:
    """Whether the URL of each page follows from the template."""
    return any(counter in template for counter in _COUNTERS)


def address_of(template: str, number: int, first: int, query: str = "") -> str:
    """URL of a page.

    :param number: number of the page, 1 for the first.
    :param first: rank of its first record, 1 for the first.
    """
    values = {"{query}": quote(query, safe=""), "{page}": str(number), "{start}": str(first - 1)}
    address = template
    for name in (*_COUNTERS, *(["{query}"] if query else [])):  # the query last: it may contain braces
        address = address.replace(name, values[name])
    return as_asked(address)


def as_asked(url: str) -> str:
    """A URL as Scrapy writes it, because the ledger identifies pages by their URLs."""
    return safe_url_string(url)
