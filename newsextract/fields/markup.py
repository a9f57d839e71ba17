"""Attributes and plain text of tags in source text, by bounded regular expressions (no tree).

Every function costs time linear in the window it is given, whatever stands there: windows are cut before
matching and quantifiers are possessive.
"""

from __future__ import annotations

import re

from newsextract.entities import unescape

MAX_TAG = 20_000
"""Characters of one start tag that are looked at (og:description and data: attributes can be long)."""

_TAG_END = re.compile(r"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
_ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++)))?+""",
)
_NAME = re.compile(r"<[^\s/>]*+")
_TAG = re.compile(r"<!--.{0,2000}?-->|</?[a-zA-Z][^<>]*+>", re.DOTALL)
_ENTITY_LEFT = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")


def tag_end(text: str, start: int) -> int:
    """Offset just behind the ``>`` that ends the tag at ``start``; quoted ``>`` do not count unless quotes are broken.

    Without any ``>`` in reach the end of the window is returned.
    """
    stop = min(len(text), start + MAX_TAG)
    plain = text.find(">", start, stop)
    if plain < 0:
        return stop
    if text.count('"', start, plain) % 2 == 0 and text.count("'", start, plain) % 2 == 0:
        return plain + 1
    match = _TAG_END.match(text, start, stop)
    # A quoted ">" that is followed by a new tag inside the quotation is a missing quote, not a value.
    if match is None or "<meta" in text[plain : match.end()]:
        return plain + 1
    return match.end()


def attributes(tag: str) -> dict[str, str]:
    """Attributes of one start tag (``<name …>``): lower-case names to values with entities resolved; first wins."""
    found: dict[str, str] = {}
    name_end = _NAME.match(tag)
    for name, double, single, bare in _ATTRIBUTE.findall(tag[:MAX_TAG], name_end.end() if name_end else 0):
        key = name.lower()
        if key not in found:
            found[key] = unescape(double or single or bare)
    return found


def fold(text: str) -> str:
    """White space (no-break space too) folded to single blanks, zero-width characters dropped."""
    if text.isascii():
        return " ".join(text.split())
    return " ".join(text.replace("\u200b", "").replace("\ufeff", "").replace("\xad", "").split())


def plain(markup: str) -> str:
    """Text of a piece of markup: tags dropped, entities resolved (twice escaped ones too), white space folded."""
    text = _TAG.sub(" ", markup) if "<" in markup else markup
    if "&" in text:
        text = unescape(text)
        if _ENTITY_LEFT.search(text):
            text = unescape(text)
    return fold(text)


def pieces(markup: str) -> tuple[str, ...]:
    """The texts between the tags of a piece of markup, each as :func:`plain` gives it; empty ones left out."""
    return tuple(filter(None, map(plain, _TAG.split(markup))))
