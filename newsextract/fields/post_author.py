"""The author of a post: the best of the elements that markup or address tells to be a user's name.

Evidence, strongest first: itemprop and ``rel=author``, class names for authors, links to profiles, "by …" in a text.
Quotations are not looked at ("Jane wrote:"), and labels of the region's columns count as class names do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from newsextract.discovery.addresses import registered_domain
from newsextract.fields.post_places import elements, own_items, properties, words
from newsextract.nodes import Nodes
from newsextract.record import Record
from newsextract.record_items.spacing import joined
from newsextract.record_items.text_kinds import has_word, text_kind

_MAX_NAME = 50
_MAX_TEXTS = 16
"""Text nodes of an element that holds a name and little else."""
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d\b|#\d")
_MAIL = re.compile(r"\s?(?:<[^<>]{0,100}>?|[(\[][^()\[\]]{0,60}@[^()\[\]]{0,60}[)\]])$")
"""A mail address after a name."""
_URL = re.compile(r"/|www\.|\.(?:com|org|net|html?|php)$", re.IGNORECASE)
_MARKS = frozenset(("-", "–", "—", "|", "·", "•", ":", ",", ".", "»", "›", "/", "#", "…", "...", "(", ")", "@"))
_PROPERTY, _RELATION, _CLASS, _LABEL, _PROFILE, _WEAK, _BY = 10.0, 9.0, 7.0, 6.5, 5.0, 3.0, 2.5
_BESIDE_DATE = 2.8
"""A text in bold on a line that is hardly more than it and a date."""
_EMPHASIS = frozenset(("b", "strong", "cite"))
_MAX_LINE = 200
_LINKED = 1.0
"""More for a name that is a link to a profile."""


def find_author(nodes: Nodes, record: Record, url: str | None = None) -> str | None:
    """The name as the page shows it; None when nothing tells it.

    :param url: the page's address; profiles on other hosts are not the author's.
    """
    best: tuple[float, str] | None = None
    for node, score in _marks_of(nodes, record.nodes, url):
        if best is None or score > best[0]:
            name = _name(nodes, node, sure=score > _WEAK)
            if name:
                best = (score, name)
    for item in own_items(nodes, record):
        if item.label == "author" and (best is None or best[0] < _LABEL) and (name := clean_name(item.text)):
            best = (_LABEL, name)
        elif best is None and (match := _by().match(item.text)) and (name := clean_name(item.text[match.end() :])):
            best = (_BY, name)
    return best[1] if best is not None else None


def _marks_of(nodes: Nodes, roots: Sequence[int], url: str | None) -> Iterator[tuple[int, float]]:
    """Elements that markup or address tell to be a user's name, and how surely."""
    lists = words()["author"]
    for node, tag, attributes, classes in elements(nodes, roots):
        score = 0.0
        if not properties(attributes).isdisjoint(lists["properties"]):
            score = _PROPERTY
        elif tag == "a" and "author" in attributes.get("rel", "").lower().split():
            score = _RELATION
        elif not classes.isdisjoint(lists["classes"]):
            score = _CLASS
        elif not classes.isdisjoint(lists["weak_classes"]):
            score = _WEAK
        if tag == "a" and _is_profile(attributes.get("href", "").lower(), url, lists["profiles"]):
            score = max(score + _LINKED, _PROFILE)
        elif not score and tag in _EMPHASIS and text_kind(nodes.text(int(nodes.parents[node]))[:_MAX_LINE]) == "date":
            score = _BESIDE_DATE
        if score:
            yield node, score


def _is_profile(href: str, url: str | None, forms: Sequence[str]) -> bool:
    """Whether a link leads to a user of this site."""
    if not any(form in href for form in forms):
        return False
    if not url or not href.startswith(("http://", "https://", "//")):
        return True
    hosts = {registered_domain(address.lower().partition("//")[2].partition("/")[0]) for address in (href, url)}
    return len(hosts) == 1


def _name(nodes: Nodes, node: int, sure: bool) -> str | None:
    """The name that an element holds: that of a name element or a link in it, else its whole text.

    :param sure: the markup leaves no doubt that it is a name: it may be made of emoji.
    """
    texts = nodes.text_nodes(node)
    if len(texts) > (_MAX_TEXTS if sure else _MAX_TEXTS // 4):
        return None  # a panel, or the whole post
    if sure and len(texts) == 1 and not has_word(nodes.texts[texts[0]]) and nodes.texts[texts[0]] not in _MARKS:
        return nodes.texts[texts[0]][:_MAX_NAME]
    for inner in range(node + 1, int(nodes.ends[node])):
        if "name" in properties(nodes.attributes[inner]):
            return clean_name(nodes.text(inner)) or clean_name(nodes.attributes[inner].get("content", ""))
    whole = clean_name(joined([nodes.texts[i] for i in texts])) if texts else None
    if whole is not None and len(texts) == 1:
        return whole
    for inner in range(node + 1, int(nodes.ends[node])):
        if nodes.tags[inner] == "a" and (name := clean_name(nodes.text(inner))):
            return name
    if whole is not None:
        return whole
    return next((name for i in texts if (name := clean_name(nodes.texts[i]))), None)


def clean_name(text: str) -> str | None:
    """A name without what stands before it ("Posted by"); None if the text is no name."""
    text = _MAIL.sub("", text.strip()).strip(" \"'") or text.strip()
    match = _by().match(text)
    if match is not None:
        text = text[match.end() :]
    text = text.strip(" :：,，|·•–—-\u200e")
    if not 0 < len(text) <= _MAX_NAME or not has_word(text) or text.lower() in words()["author"]["refused"]:
        return None
    if text_kind(text) in ("date", "number") or _CLOCK.match(text) or text.count(" ") > 5:
        return None
    if text_kind(text) == "address" and (_URL.search(text) or text.count(".") > 1):
        return None  # a name may have a dot in it
    return text


@cache
def _by() -> re.Pattern[str]:
    """ "by" at the start of a text; a Latin word needs a blank or colon behind it."""
    given = words()["author"]["by"]
    latin = "|".join(re.escape(word) for word in given if word[0] < "\u2e80")
    cjk = "|".join(re.escape(word) for word in given if word[0] >= "\u2e80")
    return re.compile(rf"(?:[-–—]\s)?(?:(?:{latin})(?:\s*:\s*|\s+)|(?:{cjk})\s?[:：]\s?)(?=\S)", re.IGNORECASE)
