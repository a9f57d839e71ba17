"""A page's source text parsed into a tree by lexbor, a parser that follows the HTML standard, through selectolax.

Why this parser: 0.4 of a plain lxml parse, and no cut at a depth (libxml2 silently drops what lies deeper than 253
elements). What would make the standard's tree construction expensive is mended first (:mod:`newsextract.defusing`).
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from newsextract.defusing import defused

_NOSCRIPT = re.compile(rb"<noscript(?=[\s/>])", re.IGNORECASE)
_NOSCRIPT_END = re.compile(rb"</noscript(?=[\s/>])", re.IGNORECASE)
_LONGEST_NOSCRIPT = 5_000


def parse(text: str) -> LexborNode | None:
    """The document element of a source text; None where the text makes no tree. Never raises for any text."""
    return LexborHTMLParser(defused(_without_noscript(text.encode("utf-8", "replace")))).root


def _without_noscript(source: bytes) -> bytes:
    """The source without its short ``noscript`` elements, as a browser that runs scripts sees it.

    The parser runs none and reads their content as elements; one left open there (``<noscript><div></noscript>``) keeps
    the ``noscript`` open, and the rest of the page is lost in it. What may begin in a comment or script is left alone.
    """
    pieces: list[bytes] = []
    position = 0
    while (start := _NOSCRIPT.search(source, position)) and (end := _NOSCRIPT_END.search(source, start.end())):
        content = source[start.start() : end.start()]
        if len(content) <= _LONGEST_NOSCRIPT and b"-->" not in content and b"</script" not in content.lower():
            pieces.append(source[position : start.start()])
            position = source.find(b">", end.end()) + 1 or len(source)
        else:
            pieces.append(source[position : end.end()])
            position = end.end()
    return b"".join((*pieces, source[position:])) if pieces else source
