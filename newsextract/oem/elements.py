"""Where the elements of a source text end: pairs of start and end tags, without a tree.

A pattern ``<x>#</x>`` means the element's content, so nested elements of the same name are counted. Where HTML lets an end
tag be left out (list items, cells, paragraphs …), the tag that implies it counts.

Cost: one regular expression over the text per name, kept with the document.
"""

from __future__ import annotations

import re
from functools import cache

from newsextract.oem.document import ATTRIBUTES, Document

_LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))
_TABLES = frozenset(("table", "thead", "tbody", "tfoot"))
_BLOCKS = frozenset(
    "address article aside blockquote center details dir div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main"
    " menu nav ol pre section table td th tr ul".split()
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_IMPLIED: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset(("li",)), _LISTS),
    "dt": (frozenset(("dt", "dd")), _LISTS),
    "dd": (frozenset(("dt", "dd")), _LISTS),
    "tr": (frozenset(("tr", *(_TABLES - {"table"}))), frozenset(("table",))),
    "td": (frozenset(("td", "th", "tr", *(_TABLES - {"table"}))), frozenset(("table",))),
    "th": (frozenset(("td", "th", "tr", *(_TABLES - {"table"}))), frozenset(("table",))),
    "p": (frozenset(("p", *_BLOCKS)), frozenset()),
    "option": (frozenset(("option", "optgroup")), frozenset(("select",))),
    "a": (frozenset(("a",)), frozenset()),
    **dict.fromkeys(_HEADINGS, (_HEADINGS, frozenset())),
}
"""By name: tags of which each ends the one before, and containers whose inside does not matter."""
OMISSIBLE = frozenset(_IMPLIED) - {"a", *_HEADINGS}
"""Elements whose end tag authors may leave out."""


def closings(document: Document, name: str) -> dict[int, tuple[int, int]]:
    """By the offset of a start tag: where the element's content ends, and where the element does.

    An element that nothing ends goes to the end of the text.
    """
    known = document.closings.get(name)
    if known is None:
        known = document.closings[name] = _closings(document.text, name)
    return known


@cache
def _tags(names: frozenset[str]) -> re.Pattern[str]:
    either = "|".join(sorted(names, key=len, reverse=True))
    return re.compile(rf"<(/?)({either})(?=[\s/>]){ATTRIBUTES}>", re.IGNORECASE)


def _closings(text: str, name: str) -> dict[int, tuple[int, int]]:
    enders, containers = _IMPLIED.get(name, (frozenset((name,)), frozenset()))
    implied = name in _IMPLIED
    found: dict[int, tuple[int, int]] = {}
    opened: list[int] = []  # offsets of start tags; -1 for a container
    for match in _tags(enders | containers | {name}).finditer(text):
        closing, tag = bool(match[1]), match[2].lower()
        if tag in containers:
            if not closing:
                opened.append(-1)
                continue
            while opened:
                start = opened.pop()
                if start < 0:
                    break
                found[start] = (match.start(), match.start())
            continue
        if implied and opened and opened[-1] >= 0 and tag in enders and not (closing and tag not in (name, *_over(name))):
            own = closing and tag == name
            found[opened.pop()] = (match.start(), match.end() if own else match.start())
            if own:
                continue
        if closing:
            if tag == name and opened and opened[-1] >= 0:
                found[opened.pop()] = (match.start(), match.end())
        elif tag == name:
            opened.append(match.start())
    for start in opened:
        if start >= 0:
            found[start] = (len(text), len(text))
    return found


def _over(name: str) -> frozenset[str]:
    """Tags whose end tag ends an element of that name, too."""
    if name in ("td", "th"):
        return frozenset(("tr", *_TABLES))
    if name == "tr":
        return _TABLES
    if name in _HEADINGS:
        return _HEADINGS
    return _BLOCKS if name == "p" else frozenset()
