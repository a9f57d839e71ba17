"""Links that are only in the data of a page's scripts (``__NEXT_DATA__`` and other JSON): scripts would draw them.

Taken for pages that show hardly any link. A string is a link if it is an absolute URL of the page's own host, or a path that
begins with ``/``; pictures, files, interfaces and route templates are none. The headline in the same object is its text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from newsextract.discovery.links import MAX_TEXT, FoundLink, judged_address, text_score
from newsextract.page.page import Page
from newsextract.page.references import References, host_of

FEW_LINKS = 10
"""Links of a page to its own site from which on they are the ones to follow."""
_MOST_LINKS = 500
_MAX_DATA = 4_000_000
"""Characters of scripts that are read."""
_SCRIPT = re.compile(r"<script\s[^<>]{0,500}\btype\s{0,3}=\s{0,3}[\"']?application/(?:ld\+)?json\b[^<>]{0,500}>", re.I)
_PATH = re.compile(r"(?:/(?!/)|https?://)[^\s<>{}\[\]|\\^`\"*]{2,1000}")
_HEADLINES = ("headline", "title", "name", "label", "text")
_OTHER_KEYS = re.compile(
    r"image|img|icon|logo|src|api|endpoint|thumb|asset|avatar|photo|picture|poster|video|audio|prefix|base|^page$|@|context|sameas",
    re.IGNORECASE,
)
"""Keys of addresses that are no pages: pictures, interfaces, routes, vocabularies."""
_OTHER_PATHS = re.compile(
    r"/(?:_next|_nuxt|_api|api|apis|graphql|ajax|rest|static|assets?|images?|img|fonts?|build|dist|cdn-cgi)(?:[/?]|$)"
)


def script_links(page: Page, references: References) -> list[FoundLink]:
    """Links in the JSON of a page's scripts to other pages of its host, in document order, each once."""
    own, today = _bare(host_of(references.here)), page.time.date()
    found: dict[str, str] = {}
    for written, text in _strings(page.text):
        url = references.resolve(written)
        if url is None or url == references.here or _bare(host_of(url)) != own:
            continue
        if _OTHER_PATHS.search(url.lower()) or judged_address(url, today) is None:
            continue
        if len(text) > len(found.get(url, "")) or url not in found:
            found[url] = text
        if len(found) >= _MOST_LINKS:
            break
    links = []
    for url, text in found.items():
        score = min(1.0, (judged_address(url, today) or 0.0) + text_score(text))
        links.append(FoundLink(url, text, "", score))
    return links


def _bare(host: str) -> str:
    return host.removeprefix("www.")


def _strings(source: str) -> Iterator[tuple[str, str]]:
    """Strings that are written like the address of a page, with the headline beside each, or an empty text."""
    position = size = 0
    while size < _MAX_DATA and (start := _SCRIPT.search(source, position)) is not None:
        end = source.find("</script", start.end())
        position = len(source) if end < 0 else end
        size += position - start.end()
        try:
            data = json.loads(source[start.end() : position]) if size < _MAX_DATA else None
        except (ValueError, RecursionError):
            continue
        yield from _addresses(data)


def _addresses(data: Any) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, Any, str]] = [("", data, "")]
    while waiting:
        key, value, text = waiting.pop()
        if isinstance(value, dict):
            named = [value.get(name) for name in _HEADLINES]
            text = next((" ".join(one.split())[:MAX_TEXT] for one in named if isinstance(one, str) and one.strip()), "")
            waiting += [(str(name), inner, text) for name, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(key, inner, text) for inner in reversed(value)]
        elif isinstance(value, str) and not _OTHER_KEYS.search(key) and _PATH.fullmatch(value):
            yield value, text
