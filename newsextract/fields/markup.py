"""Attributes and plain text of tags in source text, by bounded regular expressions (no tree).

Every function costs time linear in the window it is given, whatever stands there: windows are cut before
matching and quantifiers are possessive.
"""

from __future__ import annotations

import re

from newsextract.entities import unescape

MAX_TAG = 20_000
"""Characters of one start tag that are looked at (og:description and data: attributes can be long)."""

MAX_LINK = 1_000
"""Characters before a heading in which the link around it begins."""

_LINK = re.compile(r"<[aA]\s[^<>]*+>")
_LINK_END = re.compile(r"</[aA]\s*+>")
_LEVEL_MARKS = "/»›>→｜|·:：–—-"
"""What parts the levels of breadcrumbs."""
_TAG_END = re.compile(r"""(?>(?:[^>"']++|"[^"]*+"|'[^']*+')*)>""")
_ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]++)(?>(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++)))?)""",
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


def behind_links(markup: str) -> str:
    """The text of a heading, without the links to higher levels of the site that some themes put before it
    (``<a>Home</a> / <a>News</a> / Headline``)."""
    text = plain(markup)
    ends = [match.end() for match in _LINK_END.finditer(markup)]
    if not ends or plain(markup[: markup.find("<a")]):
        return text
    rest = plain(markup[ends[-1] :])
    headline = rest.lstrip(_LEVEL_MARKS + " ")
    return headline if headline and headline != rest else text


def whole_link(markup: str, before: str) -> str:
    """Where a heading links to as a whole; empty if it does not.

    :param markup: what is in the heading.
    :param before: what is before its start tag.
    """
    link = _LINK.search(markup)
    if link is not None:
        end = _LINK_END.search(markup, link.end())
        rest = "" if end is None else markup[end.end() :]
        return "" if plain(markup[: link.start()] + rest) else attributes(link.group()).get("href", "")
    around = before.rpartition("<")[2]
    return attributes(f"<{around}").get("href", "") if around[:2].lower() == "a " and around.rstrip().endswith(">") else ""
