"""A page's source text parsed into a tree by lexbor, a parser that follows the HTML standard, through selectolax.

Why this parser: 0.4 of a plain lxml parse, and no cut at a depth (libxml2 silently drops what lies deeper than 253
elements). The standard's tree construction, however, costs the square of the input where elements are nested
without end, where formatting elements are left open (they are opened again in each block), in endless lists of
options, and in tags with endless attributes. :func:`defused` mends such sources first; honest pages pass unchanged.

Measured on lexbor 2 (selectolax 1.0) without it: 100,000 nested ``<div>`` 22 s, 3,000 open ``<b>`` 1.7 GB,
100,000 ``<option>`` over a minute, 40,000 attributes on a tag 5 s.

Cost of the checks: under 0.1 of a plain lxml parse (pages of few tags are not looked at).
"""

from __future__ import annotations

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser, LexborNode

FEW_TAGS = 2_500
"""Sources with fewer ``<`` cannot cost much, whatever they hold: under 0.5 s and 0.7 GB in the worst case."""
MANY_TAGS = 10_000
"""Nesting is looked at from here on: 10,000 nested elements cost 0.2 s."""
MAX_DEPTH = 1_000
"""Elements nested deeper lose their tags and keep their text. The deepest page of the bench has 90."""
MAX_FORMATTING = 60
"""Formatting elements open at a time; a page with more loses all of them and keeps their text."""
MAX_OPTIONS = 2_000
MAX_TAG = 100_000
"""Bytes of one tag; what is over is cut off."""

_WATCHED = re.compile(rb"<(/?)([bisu]|tt|em|big|code|font|nobr|small|strike|strong|option)(?=[\s/>])")
_FORMATTING_TAG = re.compile(rb"<(/?)(?i:[bisu]|tt|em|big|code|font|nobr|small|strike|strong)(?=[\s/>])[^>]*+>?+")
_OPTION_TAG = re.compile(rb"</?(?i:option|optgroup)(?=[\s/>])[^>]*+>?+")
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*+)")
_LONG_TAG = re.compile(rb"(<[a-zA-Z][^<>]{%d})[^<>]*+" % MAX_TAG)
_NOT_NESTING = frozenset(  # void, or closed by the next of their kind
    b"area base br col embed hr img input link meta param source track wbr p li dt dd option optgroup tr td th"
    b" tbody thead tfoot colgroup caption html head body a h1 h2 h3 h4 h5 h6 button nobr".split()
)


def parse(text: str) -> LexborNode | None:
    """The document element of a source text; None where the text makes no tree. Never raises for any text."""
    return LexborHTMLParser(defused(text.encode("utf-8", "replace"))).root


def defused(source: bytes) -> bytes:
    """The UTF-8 source without what would make parsing cost more than its length warrants."""
    if len(source) > MAX_TAG:
        source = _LONG_TAG.sub(rb"\1", source)
    tags = source.count(b"<")
    if tags < FEW_TAGS:
        return source
    formatting, options = _watched(source)
    if options > MAX_OPTIONS:
        source = _OPTION_TAG.sub(b" ", source)
    if formatting > MAX_FORMATTING:
        source = _FORMATTING_TAG.sub(b"", source)
    return _flattened(source) if tags >= MANY_TAGS else source


def _watched(source: bytes) -> tuple[int, int]:
    """The largest number of formatting elements that are open at a time, and the number of options."""
    active: Counter[bytes] = Counter()
    now = most = options = 0
    for slash, name in _WATCHED.findall(source.lower()):
        if name == b"option":
            options += not slash
        elif not slash:
            active[name] += 1
            now += 1
            most = max(most, now)
        elif active[name]:
            active[name] -= 1
            now -= 1
    return most, options


def _flattened(source: bytes) -> bytes:
    """The source without the start tags that lie deeper than :data:`MAX_DEPTH`, counted per name."""
    active: Counter[bytes] = Counter()
    depth = 0
    pieces: list[bytes] = []
    position = 0
    for match in _TAG.finditer(source):
        name = match[2].lower()
        if name in _NOT_NESTING:
            continue
        if match[1]:
            if active[name]:
                active[name] -= 1
                depth -= 1
        elif depth < MAX_DEPTH:
            active[name] += 1
            depth += 1
        else:
            pieces.append(source[position : match.start()])
            end = source.find(b">", match.end())
            position = end + 1 if end >= 0 else len(source)
    pieces.append(source[position:])
    return b"".join(pieces)
