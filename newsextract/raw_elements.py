"""Comments, scripts and other elements whose content is no text of the page and may hold ``<``.

They are cut out before the tags are read (:mod:`newsextract.source`), so that nothing in them is taken for a tag. Cost: one
search through the text, jumping over what is cut out; 0.2 of a plain lxml parse.
"""

from __future__ import annotations

import re

_NAMES = "script style noscript textarea title iframe svg math xmp noframes".split()
_RAW = re.compile(rf"<(?:!--|(?i:({'|'.join(_NAMES)})(?=[\s/>])))")
"""Comments and elements whose content is no text of the page; it may hold ``<`` and is cut out before the tags are read."""
_END = {name: re.compile(rf"</(?i:{name})") for name in _NAMES}
_FOREIGN = frozenset({"svg", "math"})
"""Elements of which ``<x/>`` is the whole, unlike those of HTML."""
_SELF_CLOSED = re.compile(r"[^<>]{0,2000}/>")
_AFTER_UNCLOSED = re.compile(r"<(?=(?i:/?(?:div|p|table|tr|td|h[1-6]|head|body|article|section|main|ul|ol|li)[\s>]))")


def without_raw_elements(text: str) -> str:
    """The text without comments, scripts and the other elements whose content must not be read as tags.

    One that is never closed ends at the first ``>`` (comment) or at the next block element (others); only where
    there is none does it swallow the rest.
    """
    pieces: list[str] = []
    position = 0
    unclosed: set[str] = set()  # what is known to have no end any more: never search to the end of the text twice
    while (match := _RAW.search(text, position)) is not None:
        pieces.append(text[position : match.start()])
        name = match[1]
        if name is None:
            end = -1 if "-->" in unclosed else text.find("-->", match.end())
            position = end + 3
            if text.startswith((">", "->"), match.end()):  # <!--> and <!---> are whole comments
                position = text.find(">", match.end()) + 1
            elif end < 0:
                unclosed.add("-->")
                position = text.find(">", match.end()) + 1 or len(text)
        else:
            if name.lower() in _FOREIGN and (whole := _SELF_CLOSED.match(text, match.end())) is not None:
                position = whole.end()
                continue
            end = _raw_end(text, name.lower(), match.end(), unclosed)
            if end < 0:
                following = _AFTER_UNCLOSED.search(text, match.end())
                position = following.start() if following else len(text)
            else:
                position = end
    pieces.append(text[position:])
    return "".join(pieces)


def _raw_end(text: str, name: str, start: int, unclosed: set[str]) -> int:
    """Where the end tag of a raw element begins (it is read as an inline tag), or -1."""
    if name in unclosed:
        return -1
    match = _END[name].search(text, start)
    if match is not None:
        return match.start()
    unclosed.add(name)
    return -1
