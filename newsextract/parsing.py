"""A page's source text parsed into a tree by lexbor, a parser that follows the HTML standard, through selectolax.

Why this parser: 0.4 of a plain lxml parse, and no cut at a depth (libxml2 silently drops what lies deeper than 253
elements). What would make the standard's tree construction expensive is mended first (:mod:`newsextract.defusing`).

Some applications serve their whole text in ``noscript``, for crawlers, and draw the page by scripts (much forum software of
today does). Such a page is read as a browser without scripts reads it; of 83 forum pages of the set of modern ones 17 have
no other text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter

from selectolax.lexbor import LexborHTMLParser, LexborNode

from newsextract.defusing import defused

_NAMED = re.compile(rb"<[nNbBhH][oOtT][sSdDmM][cCyYlL]")
"""The first letters of noscript, body and html, and some more that do not exist: searched faster than a list of them."""
_NOSCRIPT = re.compile(rb"<noscript(?=[\s/>])", re.IGNORECASE)
_NOSCRIPT_END = re.compile(rb"</noscript(?=[\s/>])", re.IGNORECASE)
_LONGEST_NOSCRIPT = 5_000
_LEAST_FALLBACK = 2_000
"""Bytes of a ``noscript`` that may hold a page's text; shorter ones are pictures, counters, requests to turn scripts on."""
_NOSCRIPT_NAME = re.compile(rb"(</?)noscript(?=[\s/>])", re.IGNORECASE)
_SHELL, _MORE = 500, 4
"""Characters of text outside of ``noscript`` from which on a page has text of its own, and how many times as much the
``noscript`` elements must hold."""
_UNREAD = frozenset(("head", "script", "style", "template", "iframe", "svg", "textarea", "select"))
_TEXT_NUMBER = 2  # lexbor's LXB_TAG__TEXT
_TAG = re.compile(rb"<(/?)([a-z][^\s/>]*+)")
_VOID = frozenset((b"img", b"br", b"hr", b"input", b"link", b"meta", b"source", b"embed", b"param", b"wbr", b"area", b"col"))


def parse(text: str, encoded: bytes | None = None) -> LexborNode | None:
    """The document element of a source text; None where the text makes no tree. Never raises for any text.

    :param encoded: the text in UTF-8, where it is at hand.
    """
    source = text.encode("utf-8", "replace") if encoded is None else encoded
    named = [match.start() for match in _NAMED.finditer(source)]
    root = LexborHTMLParser(defused(_without_noscript(source, named), bodies=len(named))).root
    if root is None or not _has_fallback(source, named) or not _is_shell(root):
        return root
    shown = _NOSCRIPT_NAME.sub(rb"\1div", source)
    return LexborHTMLParser(defused(shown, bodies=len(named))).root


def _has_fallback(source: bytes, named: list[int]) -> bool:
    """Whether a ``noscript`` is long enough to hold the page's text.

    :param named: where start tags may be.
    """
    starts = [offset for offset in named if _NOSCRIPT.match(source, offset)]
    ends = [match.start() for match in _NOSCRIPT_END.finditer(source)] if starts else []
    return any(ends[at] - start >= _LEAST_FALLBACK for start in starts if (at := bisect_left(ends, start)) < len(ends))


def _is_shell(root: LexborNode) -> bool:
    """Whether a page has hardly any text outside of ``noscript``, and a lot within."""
    outside = within = 0
    fallback = -1  # how many elements are open around the outermost noscript; -1: none is
    opened: list[LexborNode] = []
    node: LexborNode | None = root
    while node is not None:
        if node.tag_id == _TEXT_NUMBER:
            size = len((node.text_content or "").strip())
            if fallback >= 0:
                within += size
            elif (outside := outside + size) >= _SHELL:
                return False
        elif node.tag not in _UNREAD and (child := node.child) is not None:
            if fallback < 0 and node.tag == "noscript":
                fallback = len(opened)
            opened.append(node)
            node = child
            continue
        following = node.next
        while following is None and opened:
            following = opened.pop().next
            if len(opened) <= fallback:
                fallback = -1
        node = following
    return within >= max(_SHELL, _MORE * outside)


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
