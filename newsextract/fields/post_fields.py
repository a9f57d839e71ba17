"""The author of a post: the best of the elements that markup or address tells to be a user's name.

Evidence, strongest first: itemprop and ``rel=author``, class names for authors, links to profiles, "by …" in a text.
Quotations are not looked at ("Jane wrote:"), and labels of the region's columns count as class names do.

Cost: one pass over the elements of a page; of a record, the few that may be names, and its items.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from unicodedata import normalize
from urllib.parse import unquote

from newsextract.fields.dates import parse_dates
from newsextract.fields.post_elements import (
    WIDE,
    block_around,
    elements,
    link_around,
    own_items,
    post_elements,
    properties,
    reads_date,
    words,
)
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import has_word, line_text, text_kind
from newsextract.results import Record
from newsextract.urls import registered_domain

MAX_NAME = 50
_MAX_NAMING = 400
"""Characters of a text that is a name, with what may stand around it."""
_MAX_FIELD = 12
"""Elements and texts of a field of a form."""
_MAX_TEXTS = 16
"""Text nodes of an element that holds a name and little else."""
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d\b")
_HANDLE = re.compile(r"(?<=\S)\s\(?@[\w.@-]{1,60}\)?$")
"""The short name of an account after the name that it shows."""
_NUMBERED = re.compile(r"(?:^|\s)#\d|[:：]\s?\d[\d.,]{0,9}$")
"""A number in a text that is no name: "Post #7", "Trophies: 12"."""
_NICK = re.compile(r"^<[@+%~&]?([^<>@\s]{1,40})>:?$")
"""A name as chats show it."""
_PLACE = re.compile(r"#\D+")
"""The address of a place on a page that is no post's."""
_MAIL = re.compile(r"\s?(?:<[^<>]{0,100}>?|[(\[][^()\[\]]{0,60}@[^()\[\]]{0,60}[)\]])$")
"""A mail address after a name."""
_ACCOUNT = re.compile(r"/@[\w.@-]{1,80}/?$")
"""How the URL of a profile ends on sites of short messages."""
_INTERNET = re.compile(r"\d{1,3}(?:\.(?:\d{1,3}|[^\s\d.]{1,3})){1,3}")
"""An IP address, parts of it hidden perhaps: "112.♡.3.4"."""
_URL = re.compile(r"/|www\.|\.(?:com|org|net|html?|php)$", re.IGNORECASE)
_MARKS = frozenset(("-", "–", "—", "|", "·", "•", ":", ",", ".", "»", "›", "/", "#", "…", "...", "(", ")", "@"))
_PROPERTY, _RELATION, _CLASS, _LABEL, _PROFILE, _WEAK, _BY = 10.0, 9.0, 7.0, 6.5, 5.0, 3.0, 2.5
SURE_AUTHOR = _CLASS
_COMPOUNDS = ("username", "postauthor", "commentauthor")
"""How class names of one word end that are an author's."""
_BESIDE_DATE = 2.8
"""A text in bold on a line that is hardly more than it and a date."""
_OWN_NAME = 2.7
"""A link on a line with a date whose URL ends with its words."""
_EMPHASIS = frozenset(("b", "strong", "cite"))
_ADDRESS_PARTS = re.compile(r"[/?&=~@:]")
_BLANKS = re.compile(r"[-_+\s]+")
_ACCENT = re.compile(r"[\u0300-\u036f]")
_TOPICS = frozenset(
    ("tag", "tags", "category", "categories", "topic", "topics", "label", "labels", "forum", "forums", "board", "search")
)
"""Parts of URLs that end with the name of a subject, not of a person."""
_NAME_TAGS = frozenset(("h2", "h3", "h4", "h5", "h6", "b", "strong", "dt"))
_CONTENTS = frozenset(("content", "contents", "body", "text"))
"""Words of classes that are no name's, whatever else they say: "userContent" is what a user wrote."""
_MAX_BESIDE = 60
"""Characters of a text beside a name that is hardly more than a date."""
_LATE = datetime(2100, 1, 1, tzinfo=UTC)
"""For the question whether a text is a date at all: the answer must not depend on the day of the run."""
_LINKED = 1.0
"""More for a name that is a link to a profile."""
_REFUSED = frozenset([*words()["author"]["refused"], *words()["author"]["by"], *words()["labels"]["date"]])
_COUNTED = "|".join(words()["author"]["counted"])
_COUNT = re.compile(
    rf"\d[\d.,]{{0,9}}k?\+?\s?(?:{_COUNTED})(?:\s\([^()]{{1,30}}\))?|(?:{_COUNTED})\s?[:：]\s?\d[\d.,]{{0,9}}k?"
)
_LATIN_BY = "|".join(re.escape(word) for word in words()["author"]["by"] if word[0] < WIDE)
_WIDE_BY = "|".join(re.escape(word) for word in words()["author"]["by"] if word[0] >= WIDE)
_SAID_BY = re.compile(
    rf"(?:[-–—]\s)?(?:(?:{_LATIN_BY})(?:\s*:\s*|\s+)|(?:{_WIDE_BY}|{'|'.join(map(re.escape, words()['author']['labels']))})"
    r"\s?[:：]\s?)(?=\S)",
    re.IGNORECASE,
)
""" "by" or "name:" at the start of a text; a Latin "by" needs a blank or colon behind it."""


def find_author(nodes: Nodes, record: Record, url: str | None = None) -> str | None:
    """The name as the page shows it; None when nothing tells it.

    :param url: the page's address; profiles on other hosts are not the author's.
    """
    best = best_author(nodes, record, url)
    return best[1] if best is not None else None


def best_author(nodes: Nodes, record: Record, url: str | None = None) -> tuple[float, str] | None:
    """How sure it is who wrote a record (from :data:`SURE_AUTHOR` on markup says so), and the name."""
    page = _page_names(nodes, url)
    if id(record) not in page.best:
        page.best[id(record)] = record, _best_author(page, record)
    return page.best[id(record)][1]


def _best_author(page: _PageNames, record: Record) -> tuple[float, str] | None:
    nodes = page.nodes
    best: tuple[float, str] | None = None
    end = 0  # of the element that holds the best name
    for node, score in page.within(record.nodes):
        if best is None or score > best[0] or (score == best[0] > _WEAK and node < end):
            name = page.name(node, sure=score > _WEAK)
            # Of an author's panel and the name in it, the name: "Jane", not "Jane Member Posts: 17".
            if name and (best is None or score > best[0] or best[1].startswith(f"{name} ")):
                best, end = (score, name), int(nodes.ends[node])
    for item in own_items(nodes, record):
        link = link_around(nodes, item.nodes[0], 0) if item.nodes and item.label == "author" else -1
        # A link to a place of the page leads to its top; that of a post has a number.
        is_labelled = item.label == "author" and (link < 0 or not _PLACE.fullmatch(nodes.attributes[link]["href"]))
        match = _SAID_BY.match(item.text) if best is None and item.label != "body" else None
        if is_labelled and (best is None or best[0] < _LABEL) and (name := clean_name(item.text)):
            best = (_LABEL, name)
        elif match is not None and (name := clean_name(item.text[match.end() :])):
            best = (_BY, name)
    return best


class _PageNames:
    """The elements of a page that may hold names: records overlap, and each is asked several times."""

    def __init__(self, nodes: Nodes, url: str | None) -> None:
        self.nodes = nodes
        self.marked, self._others = _marked_names(nodes, url)
        self.best: dict[int, tuple[Record, tuple[float, str] | None]] = {}
        """By the records' identities, with the records."""
        self._names: dict[tuple[int, bool], str | None] = {}

    def within(self, roots: Sequence[int]) -> Iterator[tuple[int, float]]:
        """Elements that markup or address tell to be a user's name, and how surely."""
        nodes, marked, page = self.nodes, self.marked, post_elements(self.nodes)
        end = 0
        most = sum(nodes.count_texts(root) for root in roots) // 2
        for start, stop in page.spans(roots):
            for node, score in marked[bisect_left(marked, (start,)) : bisect_left(marked, (stop,))]:
                if node < end:
                    continue
                # A post may be called "edited" as a whole.
                if node in self._others and nodes.count_texts(node) <= most:
                    end = page.ends[node]
                elif score:
                    yield node, score

    def name(self, node: int, *, sure: bool) -> str | None:
        """The name that an element holds."""
        if (node, sure) not in self._names:
            self._names[node, sure] = _name(self.nodes, node, sure)
        return self._names[node, sure]


@lru_cache(maxsize=2)
def _page_names(nodes: Nodes, url: str | None) -> _PageNames:
    return _PageNames(nodes, url)


def _marked_names(nodes: Nodes, url: str | None) -> tuple[list[tuple[int, float]], frozenset[int]]:
    """Elements of a page that are told to be a user's name, how surely; and those of which the same names say that they
    are of something else, such as the last change."""
    lists = words()["author"]
    found: list[tuple[int, float]] = []
    others: set[int] = set()
    named: dict[frozenset[str], tuple[bool, float]] = {}
    is_nothing = (False, 0.0)
    for node in (page := post_elements(nodes)).numbers:
        tag, attributes, classes = nodes.tags[node], nodes.attributes[node], page.words[node]
        if classes and classes not in named:
            is_name = not classes.isdisjoint(lists["classes"]) or any(name.endswith(_COMPOUNDS) for name in classes)
            is_weak = not classes.isdisjoint(lists["weak_classes"]) and classes.isdisjoint(_CONTENTS)
            by_class = _CLASS if is_name else _WEAK if is_weak else 0.0
            named[classes] = not classes.isdisjoint(lists["others"]), by_class
        is_other, score = named[classes] if classes else is_nothing
        if "itemprop" in attributes and not properties(attributes).isdisjoint(lists["properties"]):
            score = _PROPERTY
        elif tag == "a" and "author" in attributes.get("rel", "").lower().split():
            score = _RELATION
        if is_other:
            others.add(node)
        inside = range(node, min(page.ends[node], node + _MAX_FIELD))
        if score and any(nodes.tags[inner] == "label" for inner in inside):
            score = 0.0  # a form asks for a name
        elif tag == "a" and _is_profile(attributes.get("href", "").lower(), url, lists["profiles"]):
            score = max(score + _LINKED, _PROFILE)
        elif not score and tag in _EMPHASIS and reads_date(nodes, int(nodes.parents[node])):
            score = _BESIDE_DATE
        elif not score and tag == "a" and _leads_to_name(nodes, node) and _is_on_dated_line(nodes, node):
            score = _OWN_NAME
        if score or is_other:
            found.append((node, score))
    return found, frozenset(others)


def _leads_to_name(nodes: Nodes, link: int) -> bool:
    """Whether a link's URL is a mail address, or ends with the link's own words: "/mitglieder/jane", "by?id=jane"."""
    href = nodes.attributes[link].get("href", "").lower()
    if href.startswith("mailto:"):
        return True
    parts = _ADDRESS_PARTS.split(unquote(href.partition("#")[0]).rstrip("/"))
    name = nodes.text(link).strip(" @").lower()
    named = {_BLANKS.sub(" ", name), _BLANKS.sub(" ", _ACCENT.sub("", normalize("NFD", name)))}
    return len(name) > 1 and _BLANKS.sub(" ", parts[-1]) in named and _TOPICS.isdisjoint(parts)


def _is_on_dated_line(nodes: Nodes, node: int) -> bool:
    """Whether one of the few texts of an element's line is a date, in whatever language."""
    block = block_around(nodes, node)
    if nodes.count_texts(block) - nodes.count_texts(node) >= _MAX_TEXTS:
        return False
    texts = [nodes.texts[i] for i in nodes.text_nodes(block) if not node < i < nodes.ends[node]]
    beside = [text for text in texts if len(text) <= _MAX_BESIDE]
    return any(text_kind(text) == "date" or parse_dates(text, language=None, fetched_at=_LATE) for text in beside)


def links_to_profile(nodes: Nodes, root: int, url: str | None) -> bool:
    """Whether an element holds a link to a user of this site."""
    forms = words()["author"]["profiles"]
    return any(
        _is_profile(attributes["href"].lower(), url, forms)
        for _, _, attributes, _ in elements(nodes, [root], post_elements(nodes).links)
    )


def _is_profile(href: str, url: str | None, forms: Sequence[str]) -> bool:
    """Whether a link leads to a user of this site."""
    if not any(form in href for form in forms) and _ACCOUNT.search(href) is None:
        return False
    if not url or not href.startswith(("http://", "https://", "//")):
        return True
    hosts = {registered_domain(address.lower().partition("//")[2].partition("/")[0]) for address in (href, url)}
    return len(hosts) == 1


def _name(nodes: Nodes, node: int, sure: bool) -> str | None:
    """The name that an element holds: that of a name element or a link in it, else its whole text. If it
    is sure that it is a name, it may be made of emoji."""
    texts = nodes.text_nodes(node)
    if (
        len(texts) > 1
        and len(initial := nodes.texts[texts[0]]) == 1
        and nodes.texts[texts[1]].upper().startswith(initial.upper())
    ):
        texts = texts[1:]  # drawn where an account has no picture
    if len(texts) > (_MAX_TEXTS if sure else _MAX_TEXTS // 4):
        return None  # a panel, or the whole post
    if sure and len(texts) == 1 and not has_word(nodes.texts[texts[0]]) and nodes.texts[texts[0]] not in _MARKS:
        return nodes.texts[texts[0]][:MAX_NAME]
    for inner in range(node + 1, int(nodes.ends[node])):
        if "name" in properties(nodes.attributes[inner]):
            return clean_name(nodes.text(inner)) or clean_name(nodes.attributes[inner].get("content", ""))
    whole = clean_name(line_text(nodes, texts)) if texts else None
    if whole is not None and len(texts) == 1:
        return whole
    for inner, tag, *_ in elements(nodes, [node]):
        if inner > node and tag == "a" and (name := clean_name(nodes.text(inner))):
            return name
    first = next((inner for inner in range(node + 1, int(nodes.ends[node])) if nodes.tags[inner] in _NAME_TAGS), -1)
    if first >= 0 and nodes.text_nodes(first)[:1] == texts[:1] and (name := clean_name(nodes.text(first))):
        return name  # what is below it is a rank or a count
    if whole is not None:
        return whole
    return next((name for i in texts if (name := clean_name(nodes.texts[i]))), None)


def clean_name(text: str) -> str | None:
    """A name without what stands before it ("Posted by"); None if the text is no name."""
    return _clean_name(text) if len(text) <= _MAX_NAMING else None


@lru_cache(maxsize=4_096)
def _clean_name(text: str) -> str | None:
    text = _NICK.sub(r"\1", text.strip())
    text = _MAIL.sub("", text.strip()).strip(" \"'") or text.strip()
    text = _HANDLE.sub("", text)
    text = _SAID_BY.sub("", text, count=1) if _SAID_BY.match(text) else text
    text = text.strip(" :：,，|·•–—-»›\u200e")
    name, dot, count = text.rpartition("·")
    text = name.strip() if dot and is_count(count.strip()) else text
    if not 0 < len(text) <= MAX_NAME or not has_word(text) or is_refused(text):
        return None
    if (
        is_count(text)
        or text_kind(text) in ("date", "number")
        or _CLOCK.match(text)
        or _NUMBERED.search(text)
        or _INTERNET.fullmatch(text)
        or text.count(" ") > 5
    ):
        return None
    if text_kind(text) == "address" and (_URL.search(text) or text.count(".") > 1):
        return None  # a name may have a dot in it
    return text


def is_refused(text: str) -> bool:
    """Whether a text is a word that is no name."""
    return text.lower().strip("[]()") in _REFUSED


def is_count(text: str) -> bool:
    """Whether a text is a count of what a member did: "7,691 posts", "Posts: 454"."""
    return len(text) <= MAX_NAME and _COUNT.fullmatch(text.lower()) is not None
