"""The URLs in a page: base URL, links, pictures; resolved, normalised, and None where a URL is harmful."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborNode

from newsextract.page.decoding import unescape
from newsextract.page.page import Page
from newsextract.urls import MAX_LENGTH, NOWHERE, normalize, registered_domain

# --- references -----------------------------------------------------------------------------------
# Resolving the references of a page: base address, normal form, same site.
#
# RFC 3986 §5 with the HTML rule that the first ``<base href>`` counts. References that begin with a slash or a
# scheme need no general resolution; they are joined by hand (most links of a news page, a tenth of the time).

_BASE = re.compile(
    r"""<base\s[^<>]{0,500}?href\s*+=\s*+(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})'|([^\s"'<>]{1,2000}))""", re.I
)
_ORIGIN = re.compile(r"https?://[^/?#]*")
_OTHER_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,30}:")
MAX_HEAD = 100_000
"""Characters in which a base element is looked for if the page has no body tag."""
_EDGES = "".join(map(chr, range(33)))
"""What stands around an address in an attribute: blanks and controls."""
_SURROGATE = re.compile("[\ud800-\udfff]")


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
        base = _base_href(page)
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


@lru_cache(maxsize=2)  # several ask for the same page's
def _base_href(page: Page) -> str | None:
    text = page.text
    head_end = text.find("<body")
    match = _BASE.search(text, 0, head_end if head_end >= 0 else MAX_HEAD)
    return unescape(match[1] or match[2] or match[3]).strip() if match else None


# --- page addresses -------------------------------------------------------------------------------
# Addresses of links and pictures: absolute and harmless, or none.

_MAX_LENGTH = 4_000
_LINK_SCHEMES = ("http", "https", "mailto")
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\x9f\"'<>\\^`{|}\u2028\u2029]")
_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazyload", "data-actualsrc", "data-hi-res-src", "data-echo")
_SMALL = 50
"""Pixels: a picture that is to be shown with less in width or height is an icon, a face or a counter."""
_PIXELS = re.compile(r"\s*+([0-9]{1,5})(?:\.[0-9]*+)?(?:px)?\s*+", re.IGNORECASE)
_SIZE = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?[wx]")
_PLACEHOLDERS = frozenset("blank spacer placeholder pixel transparent loading lazyload grey gray 1x1".split())
"""Names of files, without ending."""


class Addresses:
    """The addresses of one page.

    :param base: what references are resolved against; empty if unknown: then relative ones are none.
    """

    def __init__(self, base: str) -> None:
        self.base = base

    def link(self, href: str | None) -> str | None:
        """Where a link leads: http, https or mailto; None for scripts, places on the same page, and what is malformed."""
        if not href or href.lstrip().startswith("#"):
            return None
        return self._absolute(href, _LINK_SCHEMES)

    def picture(self, node: LexborNode) -> str | None:
        """The best address of an ``img`` of a tree; see :meth:`best`."""
        return self.best(node.attributes, _sources(node))

    def best(self, attributes: Mapping[str, str | None], sets: Sequence[str | None] = ()) -> str | None:
        """The best address of an ``img``: the largest of its set, where a script would load it from, its ``src``.

        None for what is too small to be a picture of the article, and where nothing but data or a placeholder is given.

        :param sets: the ``srcset`` of the ``source`` elements of its ``picture``, the nearest first.
        """
        for side in ("width", "height"):
            size = _PIXELS.fullmatch(attributes.get(side) or "")
            if size and int(size[1]) < _SMALL:
                return None
        candidates = [_largest(attributes.get(name)) for name in _SETS]
        candidates += [attributes.get(name) for name in _LAZY]
        if "src" in attributes and not _is_placeholder(attributes["src"] or ""):
            candidates.append(attributes["src"])
        candidates += map(_largest, sets)
        for candidate in candidates:
            if candidate and "{" not in candidate:  # a template that a script fills in
                address = self._absolute(candidate, ("http", "https"))
                if address is not None:
                    return address
        return None

    def _absolute(self, reference: str, schemes: tuple[str, ...]) -> str | None:
        if len(reference) > _MAX_LENGTH:
            return None
        reference = re.sub(r"[\t\n\r]", "", reference).strip()
        try:
            joined = urljoin(self.base, reference)
            parts = urlsplit(joined)
            usable = parts.scheme in schemes and bool(parts.path if parts.scheme == "mailto" else parts.hostname)
        except ValueError:
            return None
        return _UNSAFE.sub(_percent, joined) if usable else None


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def _sources(node: LexborNode) -> list[str | None]:
    """What the ``source`` elements of its ``picture`` offer."""
    parent = node.parent
    if parent is None or parent.tag != "picture":
        return []
    found: list[str | None] = []
    before = node.prev
    while before is not None and len(found) < 10:
        if before.tag == "source":
            attributes = before.attributes
            found += [attributes.get("srcset"), attributes.get("data-srcset")]
        before = before.prev
    return found


def _is_placeholder(src: str) -> bool:
    return src.partition("?")[0].rpartition("/")[2].partition(".")[0].lower() in _PLACEHOLDERS


def _largest(srcset: str | None) -> str | None:
    """The address of the largest candidate of a ``srcset``; the first of those that are equal."""
    best, best_size = None, -1.0
    for address, size in _candidates(srcset or ""):
        if size > best_size:
            best, best_size = address, size
    return best


def _candidates(srcset: str) -> Iterator[tuple[str, float]]:
    """Address and size of each candidate; addresses may hold commas, so what ends one is white space."""
    address = ""
    for token in srcset[: 4 * _MAX_LENGTH].split():
        if not address:
            address = token
            if address.endswith(","):
                yield address.rstrip(","), 1.0
                address = ""
            continue
        size, _, following = token.partition(",")
        yield address, float(size[:-1]) if _SIZE.fullmatch(size) else 1.0
        address = following
    if address:
        yield address, 1.0
