"""Author, date and permalink of a forum post, and the elements of a record in which they are looked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain
from typing import Any
from urllib.parse import unquote

from newsextract.fields.dates import (
    is_date,
    likely_month_first,
    parse_dates,
    parse_stamp,
    reads_month_first,
    shows_month_first,
)
from newsextract.fields.parsed_date import ParsedDate
from newsextract.model_files import data_table
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.records.leaves import Paths, has_word, line_text, read_leaves, text_kind
from newsextract.results import Item, Record, ReportDate
from newsextract.urls import registered_domain

# --- post places ----------------------------------------------------------------------------------
# Elements of a post and the words of their class names: where author, date, body and permalink are looked for.
#
# A record may be smaller than the post: the text without the head row or the panel of its author. Then its surroundings are
# looked at, too: the elements around it that hold no other record like it.
#
# Cost: one pass over the elements of a record; its surroundings about as much again.

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_QUOTES = frozenset(("blockquote", "q"))
_QUOTE_WORDS = frozenset(("quote", "quotes", "quotebox", "quotetop", "bbquote", "quotecontent", "quoted"))
_THREADED = frozenset(
    ("comments", "subcomments", "comment-list", "replies", "children", "js-comments", "lzl_cnt", "j_lzl_container")
)
"""Comments on a post are part of its record, not of its author and date."""
NOWHERE = "http://page.invalid/"
"""Stands for the address of a page that has none (RFC 2606)."""
_CALLED = ("class", "data-role", "component")
"""Attributes that say what an element is; scripts find it by the latter."""
_DIGITS = re.compile(r"\d+")
WIDE = "\u2e80"
"""The first of the Chinese and Japanese characters."""
_FRAME = frozenset(("nav", "footer", "aside", "form", "button", "select"))
_MAX_FIELD = 12
"""Elements and texts of a field of a form."""
_MAX_AROUND = 2_000
"""Characters of a post beside its record: head, panel, buttons, signature. More is the page's."""
_MAX_LEVELS = 200
"""Elements around a text that are asked whether they are a link."""


def nodes_of(page: Page, record: Record) -> Nodes:
    """The nodes that a record's numbers belong to: the snapshot's if the record was found there, else the source's."""
    if page.snapshot is None:
        return page.nodes
    rendered = page.snapshot.nodes
    for nodes in (rendered, rendered.written):
        if all(root < len(nodes) for root in record.nodes) and nodes.text(*record.nodes) == record.text:
            return nodes
    return page.nodes


@cache
def words() -> Mapping[str, Mapping[str, Any]]:
    """The lists of ``data/posts.toml``."""
    return data_table("fields/data/posts.toml")


@lru_cache(maxsize=4_096)
def class_words(classes: str) -> frozenset[str]:
    """Class names in lower case, whole and cut at hyphens, underscores and capitals; "js-" before a name says nothing."""
    names = [name.removeprefix("js-") for name in classes.split()[:12]]
    return frozenset([name.lower() for name in names] + [word.lower() for name in names for word in _WORD.findall(name)])


def properties(attributes: Mapping[str, str]) -> frozenset[str]:
    """Values of itemprop in lower case."""
    return frozenset(attributes["itemprop"].lower().split()) if "itemprop" in attributes else frozenset()


def elements(
    nodes: Nodes, roots: Sequence[int], *, quotations: bool = False
) -> Iterator[tuple[int, str, Mapping[str, str], frozenset[str]]]:
    """Number, tag, attributes and words of the classes of elements in document order, comments left out.

    :param quotations: whether those within quotations count.
    """
    for root in roots:
        node, end = root, int(nodes.ends[root])
        while node < end:
            tag = nodes.tags[node]
            if tag:
                attributes = nodes.attributes[node]
                own = class_words(attributes["class"]) if "class" in attributes else frozenset()
                quoted = not quotations and is_quotation(tag, attributes)
                if node != root and (quoted or not own.isdisjoint(_THREADED)):
                    node = int(nodes.ends[node])
                    continue
                yield node, tag, attributes, own
            node += 1


def own_items(nodes: Nodes, record: Record, *, quotations: bool = False) -> list[Item]:
    """The items of a record that are not completely within a comment on it, or within its signature.

    :param quotations: whether those within quotations count.
    """
    inner: set[int] = set()
    found = elements(nodes, record.nodes, quotations=quotations)
    roots = frozenset(record.nodes)
    expected = {node for node, _, given, _ in found if node in roots or not is_signature(given)}
    for root in record.nodes:
        node = root
        while node < nodes.ends[root]:
            if nodes.tags[node] and node not in expected:
                inner.update(range(node, int(nodes.ends[node])))
                node = int(nodes.ends[node])
            else:
                node += 1
    return [item for item in record.items if not item.nodes or not inner.issuperset(item.nodes)]


def with_days_apart(nodes: Nodes, record: Record) -> Record:
    """A record whose items do not join the day in one cell, or above a line across it, with the text in
    another cell of the same column, or below that line."""
    items: list[Item] = []
    for item in record.items:
        first = nodes.texts[item.nodes[0]] if len(item.nodes) > 1 and item.kind == "text" else ""
        is_apart = bool(first) and item.text.startswith(first) and text_kind(first) == "date"
        between = nodes.tags[item.nodes[0] : item.nodes[1]] if is_apart else ()
        if is_apart and ("hr" in between or _block(nodes, item.nodes[0]) != _block(nodes, item.nodes[1])):
            items.append(replace(item, text=first, label="date", nodes=item.nodes[:1]))
            label = "" if item.label == "date" else item.label
            item = replace(item, text=item.text[len(first) :].strip(), label=label, nodes=item.nodes[1:])
        items.append(item)
    return replace(record, items=tuple(items))


def _block(nodes: Nodes, node: int) -> int:
    """The element of a text's line."""
    node = int(nodes.parents[node])
    while nodes.tags[node] in INLINE:
        node = int(nodes.parents[node])
    return node


def comments_around(nodes: Nodes, node: int, area: int) -> int | None:
    """The list of comments within an area that a node stands in; None for none."""
    found = None
    while (node := int(nodes.parents[node])) > area:
        if lists_comments(nodes, node):
            found = node
    return found


def lists_comments(nodes: Nodes, node: int) -> bool:
    """Whether an element is called the list of the comments on a post: these are no part of it."""
    given = nodes.attributes[node]
    return "class" in given and not class_words(given["class"]).isdisjoint(_THREADED)


def likes(nodes: Nodes, node: int) -> list[int]:
    """The elements beside one that have its id or half of its class names, numbers aside."""
    marks = _marks(nodes, node)
    return [
        other
        for other in nodes.children[int(nodes.parents[node])]
        if other != node and _is_like(marks, _marks(nodes, other))
    ]


def is_frame(nodes: Nodes, node: int) -> bool:
    """Whether an element is a menu, a form or a foot; an article has a foot of its own."""
    return nodes.tags[node] in _FRAME and (nodes.tags[node] != "footer" or nodes.tags[int(nodes.parents[node])] != "article")


def is_quotation(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is a quotation by its tag or its class names; some software has whole posts, or signatures, in
    a blockquote."""
    if tag not in _QUOTES and "class" not in attributes:
        return False
    # "js-selectToQuote" is what a script does with a text.
    shown = " ".join(name for name in attributes.get("class", "").split() if not name.startswith("js-"))
    names = class_words(shown)
    if tag not in _QUOTES and names.isdisjoint(_QUOTE_WORDS):
        return False
    if names.isdisjoint(_QUOTE_WORDS) and any(name in words()["body"]["wholes"] for name in shown.lower().split()):
        return False  # a whole comment
    return not is_signature(attributes) and body_rank(shown) is None


def is_signature(attributes: Mapping[str, str]) -> bool:
    """Whether an element's class, or what scripts call it, says that it is a signature: "ksignature", "post/signature"."""
    return any(name in attributes and _names_signature(attributes[name]) for name in _CALLED)


@lru_cache(maxsize=4_096)
def _names_signature(value: str) -> bool:
    names = class_words(value)
    return not names.isdisjoint(words()["body"]["signatures"]) or any(name.endswith("signature") for name in names)


@lru_cache(maxsize=4_096)
def body_rank(classes: str) -> int | None:
    """How surely class names say that an element is the body of a post, 0 for the surest; None where none says so.

    After the names that are listed come those made of a post and a part of it ("bz_comment_text", "postMessage").
    """
    lists = words()["body"]
    exact, parts = lists["classes"], lists["parts"]
    names = class_words(classes)
    ranks = [rank for rank, name in enumerate(exact) if name in names]
    form = _body_form()
    ranks += [len(exact) + parts.index(match[1]) for name in names if (match := form.search(name)) is not None]
    return min(ranks, default=None)


@cache
def _body_form() -> re.Pattern[str]:
    lists = words()["body"]
    return re.compile(rf"(?:{'|'.join(lists['wholes'])})s?[-_]{{0,2}}({'|'.join(lists['parts'])})$")


def surroundings(nodes: Nodes, record: Record) -> list[int]:
    """Elements around a record that hold no other record like it, the largest first; none where nothing tells how far.

    Like it is what has its tag and its id, else half of its class names, numbers aside; of a record without these, what
    stands at the end of the same path of tags and class names. Where nothing is like it (the only post of a page), an
    element around it whose id has the number of the record's own id is the last.
    """
    if len(record.nodes) != 1:
        return []  # the parent of several roots holds other records, too
    root = node = record.nodes[0]
    marks = _marks(nodes, root)
    length = len(record.text)
    around: list[int] = []
    while (parent := int(nodes.parents[node])) >= 0 and nodes.tags[parent] != "body":
        if _is_like(marks, _marks(nodes, parent)):
            return around[::-1]  # an answer within the post that it answers
        others = chain(range(int(nodes.ends[node]), int(nodes.ends[parent])), range(node - 1, parent, -1))
        path = "" if marks[1] else _path(nodes, root, parent)
        if any(
            nodes.tags[other] == marks[0]
            and (
                _is_like(marks, _marks(nodes, other))
                if marks[1]
                else nodes.depths[other] == nodes.depths[root] and _path(nodes, other, parent) == path
            )
            for other in others
        ):
            return around[::-1]
        if sum(len(nodes.texts[i]) + 1 for i in nodes.text_nodes(parent)) - length > _MAX_AROUND:
            break
        around.append(parent)
        node = parent
    number = _number(nodes, root)
    same = [place for place, element in enumerate(around) if number and _number(nodes, element) == number]
    return around[same[-1] :: -1] if same else []


def elements_around(nodes: Nodes, record: Record, area: int) -> list[int]:
    """Elements around a record within an area that holds no other post, the largest first."""
    found: list[int] = []
    node = record.nodes[0]
    length = len(record.text)
    while node > area and (node := int(nodes.parents[node])) >= area:
        if sum(len(nodes.texts[i]) + 1 for i in nodes.text_nodes(node)) - length > _MAX_AROUND:
            break
        found.append(node)
    return found[::-1]


def record_around(nodes: Nodes, record: Record, node: int) -> Record:
    """A record with what stands around it; its items are the lines outside of the record."""
    inner = range(record.nodes[0], int(nodes.ends[record.nodes[0]]))
    lines: dict[int, list[int]] = {}
    for leaf in read_leaves(nodes, [node], Paths()):
        if not leaf.image and leaf.node not in inner:
            lines.setdefault(leaf.run, []).append(leaf.node)
    items = tuple(Item(line_text(nodes, line), "text", None, "", False, tuple(line)) for line in lines.values())
    return Record(nodes.text(node), items, record.region, (node,))


def _marks(nodes: Nodes, node: int) -> tuple[str, frozenset[str]]:
    """Tag, and id and class names without their numbers; an id without a number is that of one element only."""
    attributes = nodes.attributes[node]
    names = {_DIGITS.sub("0", name) for name in attributes.get("class", "").split()}
    name = attributes.get("id", "")
    return nodes.tags[node], frozenset(names | ({"#" + _DIGITS.sub("0", name)} if _DIGITS.search(name) else set()))


def _is_like(one: tuple[str, frozenset[str]], other: tuple[str, frozenset[str]]) -> bool:
    """Whether two elements may be the same part of two records."""
    common = one[1] & other[1]
    if one[0] != other[0] or not common:
        return False
    return _has_id(common) if _has_id(one[1]) else len(common) * 2 >= len(one[1] | other[1])


def _has_id(names: frozenset[str]) -> bool:
    return any(name.startswith("#") for name in names)


def _number(nodes: Nodes, node: int) -> str:
    """The number in an element's id; empty for none."""
    match = _DIGITS.search(nodes.attributes[node].get("id", ""))
    return match[0] if match is not None else ""


def _path(nodes: Nodes, node: int, top: int) -> str:
    """Tags and class names from below ``top`` to ``node``."""
    steps: list[str] = []
    while node > top:
        steps.append(f"{nodes.tags[node]} {nodes.attributes[node].get('class', '')}")
        node = int(nodes.parents[node])
    return "/".join(steps)


def link_around(nodes: Nodes, node: int, stop: int) -> int:
    """The link element around a node, at most :data:`_MAX_LEVELS` up, not above ``stop``; -1 where there is none."""
    for _ in range(_MAX_LEVELS):
        if node < stop:
            break
        if nodes.tags[node] == "a" and "href" in nodes.attributes[node]:
            return node
        node = int(nodes.parents[node])
    return -1


# --- post author ----------------------------------------------------------------------------------
# The author of a post: the best of the elements that markup or address tells to be a user's name.
#
# Evidence, strongest first: itemprop and ``rel=author``, class names for authors, links to profiles, "by …" in a text.
# Quotations are not looked at ("Jane wrote:"), and labels of the region's columns count as class names do.

MAX_NAME = 50
_MAX_TEXTS = 16
"""Text nodes of an element that holds a name and little else."""
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d\b")
_HANDLE = re.compile(r"(?<=\S)\s\(?@[\w.@-]{1,60}\)?$")
"""The short name of an account after the name that it shows."""
_NUMBERED = re.compile(r"(?:^|\s)#\d")
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
INLINE = frozenset(("a", "b", "strong", "em", "i", "span", "font", "bdi", "small"))
_ADDRESS_PARTS = re.compile(r"[/?&=~@:]")
_BLANKS = re.compile(r"[-_+\s]+")
_TOPICS = frozenset(
    ("tag", "tags", "category", "categories", "topic", "topics", "label", "labels", "forum", "forums", "board", "search")
)
"""Parts of URLs that end with the name of a subject, not of a person."""
_NAME_TAGS = frozenset(("h2", "h3", "h4", "h5", "h6", "b", "strong", "dt"))
_CONTENTS = frozenset(("content", "contents", "body", "text"))
"""Words of classes that are no name's, whatever else they say: "userContent" is what a user wrote."""
_MAX_LINE = 200
_MAX_BESIDE = 60
"""Characters of a text beside a name that is hardly more than a date."""
_LATE = datetime(2100, 1, 1, tzinfo=UTC)
"""For the question whether a text is a date at all: the answer must not depend on the day of the run."""
_LINKED = 1.0
"""More for a name that is a link to a profile."""


def find_author(nodes: Nodes, record: Record, url: str | None = None) -> str | None:
    """The name as the page shows it; None when nothing tells it.

    :param url: the page's address; profiles on other hosts are not the author's.
    """
    best = best_author(nodes, record, url)
    return best[1] if best is not None else None


def best_author(nodes: Nodes, record: Record, url: str | None = None) -> tuple[float, str] | None:
    """How sure it is who wrote a record (from :data:`SURE_AUTHOR` on markup says so), and the name."""
    best: tuple[float, str] | None = None
    end = 0  # of the element that holds the best name
    for node, score in _marks_of(nodes, record.nodes, url):
        if best is None or score > best[0] or (score == best[0] > _WEAK and node < end):
            name = _name(nodes, node, sure=score > _WEAK)
            # Of an author's panel and the name in it, the name: "Jane", not "Jane Member Posts: 17".
            if name and (best is None or score > best[0] or best[1].startswith(f"{name} ")):
                best, end = (score, name), int(nodes.ends[node])
    for item in own_items(nodes, record):
        if (
            item.label == "author"
            and not _leads_up(nodes, item)
            and (best is None or best[0] < _LABEL)
            and (name := clean_name(item.text))
        ):
            best = (_LABEL, name)
        elif (
            best is None
            and item.label != "body"
            and (match := _by().match(item.text))
            and (name := clean_name(item.text[match.end() :]))
        ):
            best = (_BY, name)
    return best


def _leads_up(nodes: Nodes, item: Item) -> bool:
    """Whether an item is a link to a place of the page, such as its top; that of a post has a number."""
    link = link_around(nodes, item.nodes[0], 0) if item.nodes else -1
    return link >= 0 and _PLACE.fullmatch(nodes.attributes[link]["href"]) is not None


def _marks_of(nodes: Nodes, roots: Sequence[int], url: str | None) -> Iterator[tuple[int, float]]:
    """Elements that markup or address tell to be a user's name, and how surely."""
    lists = words()["author"]
    end = 0
    most = sum(len(nodes.text_nodes(root)) for root in roots) // 2
    for node, tag, attributes, classes in elements(nodes, roots):
        if node < end:
            continue
        # A post may be called "edited" as a whole.
        if not classes.isdisjoint(lists["others"]) and len(nodes.text_nodes(node)) <= most:
            end = int(nodes.ends[node])
            continue
        score = 0.0
        if not properties(attributes).isdisjoint(lists["properties"]):
            score = _PROPERTY
        elif tag == "a" and "author" in attributes.get("rel", "").lower().split():
            score = _RELATION
        elif not classes.isdisjoint(lists["classes"]) or any(name.endswith(_COMPOUNDS) for name in classes):
            score = _CLASS
        elif not classes.isdisjoint(lists["weak_classes"]) and classes.isdisjoint(_CONTENTS):
            score = _WEAK
        inside = range(node, min(int(nodes.ends[node]), node + _MAX_FIELD))
        if score and any(nodes.tags[inner] == "label" for inner in inside):
            continue  # a form asks for a name
        if tag == "a" and _is_profile(attributes.get("href", "").lower(), url, lists["profiles"]):
            score = max(score + _LINKED, _PROFILE)
        elif not score and tag in _EMPHASIS and text_kind(nodes.text(int(nodes.parents[node]))[:_MAX_LINE]) == "date":
            score = _BESIDE_DATE
        elif not score and tag == "a" and _leads_to_name(nodes, node) and _is_on_dated_line(nodes, node):
            score = _OWN_NAME
        if score:
            yield node, score


def _leads_to_name(nodes: Nodes, link: int) -> bool:
    """Whether a link's URL is a mail address, or ends with the link's own words: "/mitglieder/jane", "by?id=jane"."""
    href = nodes.attributes[link].get("href", "").lower()
    if href.startswith("mailto:"):
        return True
    parts = _ADDRESS_PARTS.split(unquote(href.partition("#")[0]).rstrip("/"))
    name = nodes.text(link).strip(" @").lower()
    return len(name) > 1 and _BLANKS.sub(" ", parts[-1]) == _BLANKS.sub(" ", name) and _TOPICS.isdisjoint(parts)


def _is_on_dated_line(nodes: Nodes, node: int) -> bool:
    """Whether one of the few texts of an element's line is a date, in whatever language."""
    texts = [i for i in nodes.text_nodes(_block(nodes, node)) if not node < i < nodes.ends[node]]
    beside = [nodes.texts[i] for i in texts if len(nodes.texts[i]) <= _MAX_BESIDE] if len(texts) < _MAX_TEXTS else []
    return any(text_kind(text) == "date" or parse_dates(text, language=None, fetched_at=_LATE) for text in beside)


def links_to_profile(nodes: Nodes, root: int, url: str | None) -> bool:
    """Whether an element holds a link to a user of this site."""
    forms = words()["author"]["profiles"]
    return any(
        tag == "a" and _is_profile(attributes.get("href", "").lower(), url, forms)
        for _, tag, attributes, _ in elements(nodes, [root])
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
    """The name that an element holds: that of a name element or a link in it, else its whole text.

    :param sure: the markup leaves no doubt that it is a name: it may be made of emoji.
    """
    texts = nodes.text_nodes(node)
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
    text = _NICK.sub(r"\1", text.strip())
    text = _MAIL.sub("", text.strip()).strip(" \"'") or text.strip()
    text = _HANDLE.sub("", text)
    match = _by().match(text)
    if match is not None:
        text = text[match.end() :]
    text = text.strip(" :：,，|·•–—-»›\u200e")
    name, dot, count = text.rpartition("·")
    text = name.strip() if dot and is_count(count.strip()) else text
    if not 0 < len(text) <= MAX_NAME or not has_word(text) or is_refused(text):
        return None
    if (
        _counted().fullmatch(text.lower())
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
    return text.lower().strip("[]()") in _refused()


@cache
def _refused() -> frozenset[str]:
    """Texts that are no names."""
    lists = words()["author"]
    return frozenset([*lists["refused"], *lists["by"]])


def is_count(text: str) -> bool:
    """Whether a text is a count of what a member did."""
    return len(text) <= MAX_NAME and _counted().fullmatch(text.lower()) is not None


@cache
def _counted() -> re.Pattern[str]:
    """A count of what a member did: "7,691 posts", "Posts: 454"."""
    counted = "|".join(words()["author"]["counted"])
    return re.compile(
        rf"\d[\d.,]{{0,9}}k?\+?\s?(?:{counted})(?:\s\([^()]{{1,30}}\))?|(?:{counted})\s?[:：]\s?\d[\d.,]{{0,9}}k?"
    )


@cache
def _by() -> re.Pattern[str]:
    """ "by" or "name:" at the start of a text; a Latin "by" needs a blank or colon behind it."""
    given = words()["author"]["by"]
    labels = "|".join(map(re.escape, words()["author"]["labels"]))
    latin = "|".join(re.escape(word) for word in given if word[0] < "\u2e80")
    cjk = "|".join(re.escape(word) for word in given if word[0] >= "\u2e80")
    return re.compile(rf"(?:[-–—]\s)?(?:(?:{latin})(?:\s*:\s*|\s+)|(?:{cjk}|{labels})\s?[:：]\s?)(?=\S)", re.IGNORECASE)


# --- post date ------------------------------------------------------------------------------------
# The date of a post: the best of its ``<time>`` elements, attributes and texts, read by :mod:`newsextract.fields.dates`.
#
# Evidence, strongest first: itemprop, ``<time datetime>``, class names for dates (their attributes before their texts),
# texts that say "posted", short texts with a date. Days of joining and of changes are left out, and so are quotations.

_MAX_TEXT = 90
"""Characters of a text that is hardly more than its date."""
_MAX_ALONE = 30
"""Characters of a text that is a date, with its time of day."""
_MAX_POSTED = 25
"""Characters of the label before a post's date."""
_MAX_WIDE = 12
"""Chinese or Japanese characters beside the date of a line that is no sentence."""
_MAX_WEEKDAY = 14
"""Characters between such a label and the date."""
_FIGURE = re.compile(r"(?<!\w)\d")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DAYS = frozenset(("day", "minute", "second"))
_DOTTED = re.compile(r"(?<![\d.])\d{1,2}\.\s?\d{1,2}\.\s?(?:[12]\d{3}|\d\d)(?![\d.])")
_BESIDE_STAMP = 30
"""Characters of a title attribute beside the date that it holds."""
_MAX_YEARLESS = 48
"""Characters of a text that ends with a day without a year and a time of day."""
_YEARLESS = re.compile(
    r"(?:^|(?<=[\s(,]))(?:(?P<a>\d{1,2})(?P<mark>[./-]|[月월]\s?)(?P<b>\d{1,2})[.日일]?"
    r"|(?P<named>\d{1,2}\.?\s(?:de\s)?[^\W\d_]{3,12}|[^\W\d_]{3,12}\s\d{1,2})\.?)"
    r",?\s{1,2}(?:(?:at|@|um|à|в|kl\.?|alle|om|às|a las|[–—-])\s)?"
    r"(?P<clock>\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?)(?:\suhr)?[)\s]{0,2}$",
    re.IGNORECASE,
)
"""A day without its year, and a time of day: "11.03 12:05", "Sep 3 @ 9:12am", "3 марта в 12:10"."""
_YEARS = 2
"""Years in which such a day is looked for."""
_MONTH_FIRST = frozenset(("zh", "ja", "ko"))
"""Languages that have the month before the day."""


@dataclass(frozen=True, slots=True)
class _DateText:
    parsed: ParsedDate
    source: str
    rank: float
    """Lower is better."""
    of: str
    """What the page says that it is the day of: "member" (joining, a visit), "other" (a change), "told" (what a sentence
    tells); empty for the post."""


@lru_cache(maxsize=2)  # the kinds of records of one page are read one after the other
def shown_order(page: Page, *, alone: bool = False) -> bool | None:
    """Whether the page's own dates have the month first; None where they do not show it.

    :param alone: whether only dates that are a text of their own count: in a sentence or a title, a user may have written
        another order than the site.
    """
    nodes = page.nodes
    most = _MAX_ALONE if alone else _MAX_TEXT
    texts = (nodes.texts[node] for node in nodes.shown.tolist())
    numeric = [text for text in texts if len(text) <= most and any(map(str.isdigit, text))]
    if alone:
        return shows_month_first(text for text in numeric if text[:1].isdigit() and is_date(text))
    shown = shows_month_first(numeric)
    return likely_month_first(numeric) if shown is None and page.month_first is None else shown


def has_day(date: ReportDate) -> bool:
    """Whether a date names a day or counts back ("5 years ago"), as that of a post; archives have "October 2025"."""
    return date.precision in _DAYS or _YEAR.search(date.evidence) is None


def has_no_year(date: ReportDate) -> bool:
    """Whether a date was written without its year."""
    return _YEARLESS.fullmatch(date.evidence) is not None


def is_imprint(text: str) -> bool:
    """Whether a line says what made the page, or whose it is."""
    return "©" in text or text.lower().startswith(("powered by", "copyright ", "this archive was generated", "generated by"))


def is_posted(before: str) -> bool:
    """Whether what stands between the beginning of a line and a date calls it the post's: "Posted: Mon "."""
    label, colon, weekday = before.replace("：", ":").partition(":")
    is_short = len(label) <= _MAX_POSTED and len(weekday) <= _MAX_WEEKDAY
    return bool(colon) and is_short and label.lower().strip(" »·•-–—|").startswith(tuple(words()["date"]["posted"]))


class PostDates:
    """How the dates of a page's records are read.

    :param page: its language and domain decide the order of numbers, its time of fetch what "yesterday" is; where that is
        unknown, relative dates are none.
    """

    def __init__(self, page: Page) -> None:
        tag = (page.metadata.html_lang or page.hints.language or "").lower().replace("_", "-")
        host = (page.url or "").partition("://")[2].partition("/")[0]
        self.language = tag or None
        self.fetched_at = page.time
        self.relative = page.fetched_at is not None
        own = shown_order(page)
        shown = page.month_first if own is None else own
        usual = reads_month_first(tag if "-" in tag else f"{tag or 'en'}-{host.rpartition('.')[2]}")
        self.month_first = usual if shown is None else shown
        self._dots_tell = shown is None

    def find(
        self, nodes: Nodes, record: Record, *, others: bool = True, members: bool = True, told: bool = True
    ) -> ReportDate | None:
        """The date of one record; None when nothing tells it.

        :param others: whether the day of something else (joining, a change) will do where there is no other.
        :param members: whether that of joining will.
        :param told: whether a day that a sentence tells will.
        """
        kept = {"": True, "other": others, "member": others and members, "told": told}
        found = sorted((one for one in self._candidates(nodes, record) if kept[one.of]), key=lambda one: one.rank)
        if not found:
            return None
        best = found[0]
        for other in found[1:]:
            # The same day with a time of day tells more.
            if best.parsed.clock is None and other.parsed.clock and other.parsed.calendar_day == best.parsed.calendar_day:
                best = other
                break
        return best.parsed.report(best.source)

    def stamp(self, value: str) -> ParsedDate | None:
        """The date of an attribute's value."""
        first = self._has_month_first(value)
        return parse_stamp(
            value, language=self.language, fetched_at=self.fetched_at, month_first=first, relative=self.relative
        )

    def text(self, text: str) -> list[ParsedDate]:
        """The dates of a text; of a short one the day without a year, too, the last before the time of fetch."""
        first = self._has_month_first(text)
        found = parse_dates(
            text, language=self.language, fetched_at=self.fetched_at, month_first=first, relative=self.relative
        )
        if not found and len(text) <= _MAX_YEARLESS and ":" in text and (match := _YEARLESS.search(text)) is not None:
            found = [one for year in range(_YEARS) for one in self._in_year(match, self.fetched_at.year - year)][:1]
        return found

    def _in_year(self, match: re.Match[str], year: int) -> list[ParsedDate]:
        """A day without a year as one of a year, if that is possible and not in the future."""
        given = match.groupdict()
        if given["named"]:
            text = f"{given['named']} {year} {given['clock']}"
        else:
            is_wide = self.language is not None and self.language[:2] in _MONTH_FIRST
            numbers = (given["a"], given["b"])
            month, day = numbers if is_wide or given["mark"][0] in "月월" or self.month_first else numbers[::-1]
            text = f"{year}-{month:0>2}-{day:0>2} {given['clock']}"
        found = parse_dates(text, language=self.language, fetched_at=self.fetched_at, relative=False)[:1]
        return [
            replace(
                one, start=match.start(), end=match.end("clock"), evidence=match.string[match.start() : match.end("clock")]
            )
            for one in found
            if one.day is not None and one.clock is not None and one.year == year
        ]

    def _has_month_first(self, text: str) -> bool:
        """The order of the numbers of a date.

        With dots between them ("4.5.2012") the day is the first, unless the page shows another order.
        """
        return self.month_first and not (self._dots_tell and _DOTTED.search(text) is not None)

    def _candidates(self, nodes: Nodes, record: Record) -> Iterator[_DateText]:
        lists = words()["date"]
        for place, (node, tag, attributes, classes) in enumerate(elements(nodes, record.nodes)):
            late = place / 10_000
            if not properties(attributes).isdisjoint(lists["properties"]):
                rank, source = 1.0, "itemprop"
            elif tag == "time":
                rank, source = 2.0, "time"
            elif not classes.isdisjoint(lists["classes"]):
                rank, source = 3.0, "class"
            elif "title" in attributes and (
                text_kind(nodes.text(node)[:_MAX_TEXT]) == "date" or self._is_stamp(attributes["title"])
            ):
                rank, source = 3.5, "title"
            elif self._beside(nodes, node) is not None:
                rank, source = 3.5, "data"
            else:
                continue
            of = _whose_day(nodes, node, record)
            for parsed, later in self._marked(nodes, node):
                yield _DateText(parsed, source, rank + late + later + (4.0 if of else 0.0), of)
        yield from self._texts(nodes, record)

    def _beside(self, nodes: Nodes, node: int) -> ParsedDate | None:
        """The day and time of day that a data attribute holds for a script, where a date is shown ("3 years ago")."""
        given = [value for name, value in nodes.attributes[node].items() if name.startswith("data-") and value]
        if not given or text_kind(nodes.text(node)[:_MAX_TEXT]) != "date":
            return None
        return next((self.stamp(value) for value in given if self._is_stamp(value)), None)

    def _is_stamp(self, title: str) -> bool:
        """Whether an attribute is a day and a time of day, whatever is shown ("3 years")."""
        if len(title) > _MAX_TEXT or not any(map(str.isdigit, title)):
            return False
        parsed = self.stamp(title)
        return (
            parsed is not None
            and not parsed.relative
            and parsed.clock is not None
            and len(title) - len(parsed.evidence) <= _BESIDE_STAMP
        )

    def _marked(self, nodes: Nodes, node: int) -> Iterator[tuple[ParsedDate, float]]:
        """The date of an element that is marked as one, and how much its rank suffers: of its attributes or those below it,
        else of its text."""
        for inner in range(node, min(int(nodes.ends[node]), node + 6)):
            for name in words()["date"]["attributes"]:
                value = nodes.attributes[inner].get(name)
                if value and (parsed := self.stamp(value)) is not None and parsed.day is not None:
                    yield parsed, 0.0
                    return
        if (told := self._beside(nodes, node)) is not None:
            yield told, 0.0
            return
        text = nodes.text(node)
        yield from ((parsed, 0.3) for parsed in (self.text(text)[:1] if len(text) <= _MAX_TEXT else self._labelled(text)))

    def _labelled(self, text: str) -> list[ParsedDate]:
        """The date that begins a longer line and is called the post's."""
        label, colon, _ = text[: _MAX_POSTED + 1].replace("：", ":").partition(":")
        dates = self.text(text[:_MAX_TEXT])[:1] if is_posted(label + colon) else []
        return [parsed for parsed in dates if is_posted(text[: parsed.start])]

    def _texts(self, nodes: Nodes, record: Record) -> Iterator[_DateText]:
        """Dates of short texts, and of any element's title attribute above a date that only counts back."""
        said = words()["date"]["posted"]
        for place, item in enumerate(own_items(nodes, record)):
            if item.kind == "image":
                continue
            text = item.text.lower()
            is_long = len(text) > _MAX_TEXT
            for parsed in self._labelled(item.text) if is_long else self.text(item.text)[:1]:
                rank = 4.0 if item.label == "date" or any(word in text for word in said) else 5.0
                # A sentence with a day in it is no date line.
                beside = item.text.replace(parsed.evidence, "")
                is_sentence = not is_long and (len(beside) > 40 or sum(character > WIDE for character in beside) > _MAX_WIDE)
                if is_sentence and rank == 5.0 and not any(map(str.isdigit, parsed.evidence)):
                    continue  # "The cellar was missing yesterday": what a post tells, not when it was written
                rank += 2.0 if is_sentence else 0.0
                of = _whose_day(nodes, item.nodes[0], record) if item.nodes else ""
                rank += (4.0 if of else 0.0) + (0.5 if parsed.day is None else 0.0)
                yield _DateText(parsed, "text", rank + place / 1_000, of or ("told" if is_sentence else ""))


def _whose_day(nodes: Nodes, node: int, record: Record) -> str:
    """What else than the post the words in or before a date name ("Joined"); see :attr:`_DateText.of`."""
    root = max((r for r in record.nodes if r <= node), default=node)
    shown = nodes.text_nodes(root)
    place = bisect_left(shown, node)
    before = [nodes.texts[shown[place - 1]]] if place else []
    within = [nodes.texts[i][:60] for i in nodes.text_nodes(node)[:3]]
    # A text with a date of its own does not describe the next one; "Jane77" has no date.
    labels = [text[-40:] for text in before if not _FIGURE.search(text)]
    return other_day(" ".join(labels + within))


def other_day(text: str) -> str:
    """What else than a post a text says that a day is of: "other" (a change), "member" (joining); empty for nothing."""
    return next((name for name, said in _other_days().items() if said.search(text.lower())), "")


@cache
def _other_days() -> Mapping[str, re.Pattern[str]]:
    """Words of such days, from their beginnings on: somebody "unregistered" has not joined."""
    lists = words()["date"]
    named = {"other": lists["others"], "member": lists["members"]}
    return {name: re.compile(rf"(?<![a-zà-ÿ])(?:{'|'.join(map(re.escape, said))})") for name, said in named.items()}
