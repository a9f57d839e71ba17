"""A page's source text parsed into a tree by lexbor, a parser that follows the HTML standard, through selectolax.

Why this parser: 0.4 of a plain lxml parse, and no cut at a depth (libxml2 silently drops what lies deeper than 253
elements). What would make the standard's tree construction expensive is mended first (:mod:`newsextract.defusing`).
"""

from __future__ import annotations

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser, LexborNode

from newsextract.defusing import defused

_NAMED = re.compile(rb"<[nNbBhH][oOtT][sSdDmM][cCyYlL]")
"""The first letters of noscript, body and html, and some more that do not exist: searched faster than a list of them."""
_NOSCRIPT = re.compile(rb"<noscript(?=[\s/>])", re.IGNORECASE)
_NOSCRIPT_END = re.compile(rb"</noscript(?=[\s/>])", re.IGNORECASE)
_LONGEST_NOSCRIPT = 5_000
_TAG = re.compile(rb"<(/?)([a-z][^\s/>]*+)")
_VOID = frozenset((b"img", b"br", b"hr", b"input", b"link", b"meta", b"source", b"embed", b"param", b"wbr", b"area", b"col"))


def parse(text: str, encoded: bytes | None = None) -> LexborNode | None:
    """The document element of a source text; None where the text makes no tree. Never raises for any text.

    :param encoded: the text in UTF-8, where it is at hand.
    """
    source = text.encode("utf-8", "replace") if encoded is None else encoded
    named = [match.start() for match in _NAMED.finditer(source)]
    return LexborHTMLParser(defused(_without_noscript(source, named), bodies=len(named))).root


def _without_noscript(source: bytes, named: list[int]) -> bytes:
    """The source without short ``noscript`` elements in which an element is left open.

    The parser runs no scripts and reads their content as elements; one left open there (``<noscript><div></noscript>``)
    keeps the ``noscript`` open, and the rest of the page is lost in it. What may begin in a comment or script is left alone.

    :param named: where their start tags may be.
    """
    pieces: list[bytes] = []
    kept = 0  # up to here, what stays is in the pieces,
    position = 0  # and up to here, the source is read
    for offset in named:
        start = _NOSCRIPT.match(source, offset) if offset >= position else None
        if start is None:
            continue
        end = _NOSCRIPT_END.search(source, start.end())
        if end is None:
            break
        content = source[offset : end.start()]
        position = end.end()
        if len(content) <= _LONGEST_NOSCRIPT and _leaves_open(content):
            pieces.append(source[kept:offset])
            kept = position = source.find(b">", position) + 1 or len(source)
    return b"".join((*pieces, source[kept:])) if pieces else source


def _leaves_open(content: bytes) -> bool:
    """Whether elements are left open in the content of a ``noscript``, its start tag included."""
    lower = content.lower()
    if b"-->" in lower or b"</script" in lower:
        return False
    open_now = Counter(name for slash, name in _TAG.findall(lower) if not slash and name not in _VOID)
    open_now.subtract(name for slash, name in _TAG.findall(lower) if slash)
    del open_now[b"noscript"]
    return any(count > 0 for count in open_now.values())
