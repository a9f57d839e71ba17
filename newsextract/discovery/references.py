"""Resolving the references of a page: base address, normal form, same site.

RFC 3986 §5 with the HTML rule that the first ``<base href>`` counts. References that begin with a slash or a
scheme need no general resolution; they are joined by hand (most links of a news page, a tenth of the time).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from newsextract.discovery.addresses import MAX_LENGTH, normalize, registered_domain
from newsextract.entities import unescape
from newsextract.page import Page

_BASE = re.compile(
    r"""<base\s[^<>]{0,500}?href\s*+=\s*+(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})'|([^\s"'<>]{1,2000}))""",
    re.I,
)
_ORIGIN = re.compile(r"https?://[^/?#]*")
_OTHER_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,30}:")
MAX_HEAD = 100_000
"""Characters in which a base element is looked for if the page has no body tag."""
_EDGES = "".join(map(chr, range(33)))
"""What stands around an address in an attribute: blanks and controls."""
_SURROGATE = re.compile("[\ud800-\udfff]")
NOWHERE = "http://page.invalid/"
"""Stands for the address of a page that has none (RFC 2606)."""


@dataclass(frozen=True, slots=True)
class References:
    """What a page's references are resolved against."""

    here: str
    """The page's own address in normal form."""
    base: str
    origin: str
    """Scheme and host of the base."""
    written: bool = False
    """Whether addresses stay as they are written, but for the fragment; then ``here`` is, too."""

    @classmethod
    def of(cls, page: Page, url: str | None = None, *, written: bool = False) -> References:
        """The references of a page whose address is ``url`` (default: the page's own)."""
        address = url or page.url or ""
        here = (as_written(address) if written else normalize(address)) or NOWHERE
        base = _base_href(page.text)
        if base:
            joined = _join(here, base)
            absolute = normalize(joined) if joined else None
            base = absolute
        base = base or (address if normalize(address) else here)
        origin = _ORIGIN.match(base)
        return cls(here, base, origin[0] if origin else "", written)

    def resolve(self, href: str) -> str | None:
        """Absolute address in normal form (or as it is written); None for references that lead to no http(s)
        address or to a fragment."""
        if not href or len(href) > MAX_LENGTH or href[0] == "#":
            return None
        if self.written:
            return as_written(_join(self.base, href) or "")
        if href[0] == "/" and href[1:2] not in ("/", "\\"):
            return normalize(self.origin + href)
        if href.startswith(("http://", "https://")):
            return normalize(href)
        if _OTHER_SCHEME.match(href) and not href[:5].lower().startswith("http"):
            return None
        joined = _join(self.base, href)
        return normalize(joined) if joined else None

    def site(self) -> str:
        """Registered domain of the page."""
        return registered_domain(host_of(self.here))


def as_written(url: str) -> str | None:
    """An absolute http(s) address without its fragment, else as it is: what :func:`normalize` drops may be what a
    list is counted by. None for what has no normal form, and for half a character."""
    if normalize(url) is None or _SURROGATE.search(url):
        return None
    parts = urlsplit(url.strip(_EDGES).replace("\\", "/"))  # as normalize() has read it
    return parts._replace(path=parts.path or "/", fragment="").geturl()


def host_of(url: str) -> str:
    """Host (with port) of an address in normal form."""
    start = url.find("://") + 3
    return url[start : url.find("/", start)]


def _join(base: str, href: str) -> str | None:
    try:
        return urljoin(base, href)
    except ValueError:
        return None


def _base_href(text: str) -> str | None:
    head_end = text.find("<body")
    for spelling in ("<base ", "<BASE ", "<Base "):
        at = text.find(spelling, 0, head_end if head_end >= 0 else MAX_HEAD)
        if at >= 0:
            match = _BASE.match(text, at)
            if match:
                return unescape(match[1] or match[2] or match[3]).strip()
    return None
