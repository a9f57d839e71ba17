"""The elements of a post: what their class names say, which of them are comments on it, and how far it goes.

A record may be smaller than the post: the text without the head row or the panel of its author. Then its surroundings are
looked at, too: the elements around it that hold no other post.

Cost: one pass over the elements of a page; of a record, those that are asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from itertools import takewhile
from typing import Any

from newsextract.model_files import data_table
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.records.leaves import MAX_DATE, Paths, line_text, read_leaves, text_kind
from newsextract.results import Item, Record

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME_PART = re.compile(r"[^\W_]+")
_MADE = re.compile(r"(?=[A-Za-z]*\d+[A-Za-z])(?:\d|[A-Za-z]{1,3}(?![A-Za-z]))+")
"""A part of a class name that a program made: "0fn8pq"."""
_QUOTES = frozenset(("blockquote", "q"))
_QUOTE_WORDS = frozenset(("quote", "quotes", "quotebox", "quotetop", "bbquote", "quotecontent", "quoted"))
_THREADED = frozenset(
    ("comments", "subcomments", "comment-list", "replies", "children", "js-comments", "lzl_cnt", "j_lzl_container")
)
"""Comments on a post are part of its record, not of its author and date."""
_CALLED = ("class", "data-role", "component")
"""Attributes that say what an element is; scripts find it by the latter."""
DIGITS = re.compile(r"\d+")
WIDE = "\u2e80"
"""The first of the Chinese and Japanese characters."""
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
INLINE = frozenset(("a", "b", "strong", "em", "i", "span", "font", "bdi", "small"))
_FRAME = frozenset(("nav", "footer", "aside", "form", "button", "select"))
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


_BODY = re.compile(rf"(?:{'|'.join(words()['body']['wholes'])})s?[-_]{{0,2}}({'|'.join(words()['body']['parts'])})$")


@lru_cache(maxsize=4_096)
def class_words(classes: str) -> frozenset[str]:
    """Class names in lower case, whole and cut at hyphens, underscores and capitals; "js-" before a name says nothing."""
    names = [name.removeprefix("js-") for name in classes.split()[:12]]
    parts = [part for name in names for part in _NAME_PART.findall(name) if not _MADE.fullmatch(part)]
    return frozenset([name.lower() for name in names] + [word.lower() for part in parts for word in _WORD.findall(part)])


def properties(attributes: Mapping[str, str]) -> frozenset[str]:
    """Values of itemprop in lower case."""
    return frozenset(attributes["itemprop"].lower().split()) if "itemprop" in attributes else frozenset()


class PostElements:
    """The elements of a page, and what their names say of posts: each is read once, however many records it is in."""

    def __init__(self, nodes: Nodes) -> None:
        nothing: frozenset[str] = frozenset()
        self.nodes = nodes
        self.ends: list[int] = nodes.ends.tolist()
        self.numbers: list[int] = []
        """Of all elements, ascending; so are those of the lists below."""
        self.words: list[frozenset[str]] = []
        """The words of each node's class."""
        self.links = _links(nodes)
        self.signatures: list[int] = []
        self.quotations: list[int] = []
        comments: list[int] = []
        for node, (tag, given) in enumerate(zip(nodes.tags, nodes.attributes, strict=True)):
            own = class_words(given["class"]) if "class" in given else nothing
            self.words.append(own)
            if not tag:
                continue
            self.numbers.append(node)
            if own and not own.isdisjoint(_THREADED):
                comments.append(node)
            if (given or tag in _QUOTES) and is_quotation(tag, given):
                self.quotations.append(node)
            if given and is_signature(given):
                self.signatures.append(node)
        left_out = (comments, sorted([*comments, *self.quotations]))
        # Those that are no part of a post: by whether quotations and signatures are.
        self._left_out = {
            (quoted, signed): own if signed else sorted([*own, *self.signatures])
            for quoted, own in ((True, left_out[0]), (False, left_out[1]))
            for signed in (True, False)
        }

    def inner(self, roots: Sequence[int], *, quotations: bool, signatures: bool) -> list[tuple[int, int]]:
        """Where in a record, from which node to before which, comments on it are.

        :param quotations: whether those within quotations are part of it.
        :param signatures: likewise.
        """
        cut = self._left_out[quotations, signatures]
        found: list[tuple[int, int]] = []
        for root in roots:
            start = root
            for node in cut[bisect_right(cut, root) : bisect_left(cut, self.ends[root])]:
                if node >= start:
                    start = self.ends[node]
                    found.append((node, start))
        return found

    def spans(self, roots: Sequence[int], *, quotations: bool = False) -> Iterator[tuple[int, int]]:
        """What is left of a record, from which node to before which."""
        inner = deque(self.inner(roots, quotations=quotations, signatures=True))
        for root in roots:
            start, end = root, self.ends[root]
            while inner and inner[0][0] < end:
                yield start, inner[0][0]
                _, start = inner.popleft()
            yield start, end


@lru_cache(maxsize=2)  # the source and what a browser drew
def post_elements(nodes: Nodes) -> PostElements:
    """The elements of a page."""
    return PostElements(nodes)


def elements(
    nodes: Nodes, roots: Sequence[int], among: Sequence[int] | None = None, *, quotations: bool = False
) -> Iterator[tuple[int, str, Mapping[str, str], frozenset[str]]]:
    """Number, tag, attributes and words of the classes of elements in document order, comments left out.

    :param among: elements of the page, ascending, that are asked for; None: all.
    :param quotations: whether those within quotations count.
    """
    page = post_elements(nodes)
    numbers = page.numbers if among is None else among
    words_of, tags, attributes = page.words, nodes.tags, nodes.attributes
    for start, end in page.spans(roots, quotations=quotations):
        for node in numbers[bisect_left(numbers, start) : bisect_left(numbers, end)]:
            yield node, tags[node], attributes[node], words_of[node]


def reads_date(nodes: Nodes, node: int) -> bool:
    """Whether an element's text is hardly more than a date."""
    return nodes.count_texts(node) <= MAX_DATE and text_kind(nodes.text(node)[: MAX_DATE + 1]) == "date"


def own_items(nodes: Nodes, record: Record, *, quotations: bool = False) -> list[Item]:
    """The items of a record that are not completely within a comment on it, or within its signature.

    :param quotations: whether those within quotations count.
    """
    inner = post_elements(nodes).inner(record.nodes, quotations=quotations, signatures=False)
    if not inner:
        return list(record.items)
    starts = [start for start, _ in inner]

    def is_inner(node: int) -> bool:
        place = bisect_right(starts, node) - 1
        return place >= 0 and node < inner[place][1]

    return [item for item in record.items if not item.nodes or not all(map(is_inner, item.nodes))]


def look(nodes: Nodes, node: int) -> tuple[str, str]:
    """Tag of an element, and its class without numbers."""
    return nodes.tags[node], DIGITS.sub("", nodes.attributes[node].get("class", ""))


def class_names(nodes: Nodes, node: int) -> frozenset[str]:
    """The names in the class of an element."""
    return frozenset(nodes.attributes[node].get("class", "").split())


def ancestors(nodes: Nodes, node: int, stop: int = -1, most: int | None = None) -> Iterator[int]:
    """The elements around a node, the nearest first.

    :param stop: elements with this number or a lower one are left out.
    :param most: so many of them; None: all.
    """
    for _ in range(len(nodes) if most is None else most):
        node = nodes.above[node]
        if node <= stop:
            return
        yield node


def grown(nodes: Nodes, node: int, before: int, behind: int, stops: Set[str] = frozenset(("body",))) -> int:
    """The largest element around a node, or the node, that begins behind a node, ends before another one, and has none of
    some tags."""
    for around in ancestors(nodes, node, before):
        if nodes.ends[around] > behind or nodes.tags[around] in stops:
            break
        node = around
    return node


def siblings_before(nodes: Nodes, node: int) -> list[int]:
    """What is before a node in the same element."""
    siblings = nodes.children[nodes.above[node]]
    return siblings[: bisect_left(siblings, node)]


def inside(numbers: Sequence[int], nodes: Nodes, root: int) -> Sequence[int]:
    """Those of some nodes, ascending, that are in a subtree."""
    return numbers[bisect_left(numbers, root) : bisect_left(numbers, int(nodes.ends[root]))]


def block_around(nodes: Nodes, node: int) -> int:
    """The element of a text's line."""
    return next(around for around in ancestors(nodes, node) if nodes.tags[around] not in INLINE)


def lists_comments(nodes: Nodes, node: int) -> bool:
    """Whether an element is called the list of the comments on a post: these are no part of it."""
    given = nodes.attributes[node]
    return "class" in given and not class_words(given["class"]).isdisjoint(_THREADED)


def is_frame(nodes: Nodes, node: int) -> bool:
    """Whether an element is a menu, a form or a foot; an article has a foot of its own."""
    return nodes.tags[node] in _FRAME and (nodes.tags[node] != "footer" or nodes.tags[int(nodes.parents[node])] != "article")


def is_quotation(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is a quotation by its tag or its class names; some software has whole posts, or signatures, in
    a blockquote."""
    if tag not in _QUOTES and "class" not in attributes:
        return False
    return _names_quotation(tag in _QUOTES, attributes.get("class", "")) and not is_signature(attributes)


@lru_cache(maxsize=4_096)
def _names_quotation(is_tagged: bool, classes: str) -> bool:
    # "js-selectToQuote" is what a script does with a text.
    shown = " ".join(name for name in classes.split() if not name.startswith("js-"))
    return (is_tagged or not class_words(shown).isdisjoint(_QUOTE_WORDS)) and body_rank(shown) is None


def is_signature(attributes: Mapping[str, str]) -> bool:
    """Whether an element's class, or what scripts call it, says that it is a signature: "post/signature"."""
    return any(_names_signature(attributes[name]) for name in _CALLED if name in attributes)


@lru_cache(maxsize=4_096)
def _names_signature(value: str) -> bool:
    return not class_words(value).isdisjoint(words()["body"]["signatures"])


@lru_cache(maxsize=4_096)
def body_rank(classes: str) -> int | None:
    """How surely class names say that an element is the body of a post, 0 for the surest; None where none says so.

    After the names that are listed come those made of a post and a part of it ("bz_comment_text", "postMessage").
    """
    lists = words()["body"]
    exact, parts = lists["classes"], lists["parts"]
    names = class_words(classes)
    ranks = [rank for rank, name in enumerate(exact) if name in names]
    ranks += [len(exact) + parts.index(match[1]) for name in names if (match := _BODY.search(name)) is not None]
    return min(ranks, default=None)


def surroundings(nodes: Nodes, record: Record, area: int | None) -> list[int]:
    """Elements around a record, the largest first.

    :param area: the largest element that holds no other post; None where that is not known: then an element around the
        record whose id has the number of the record's own id is the last.
    """
    if len(record.nodes) != 1:
        return []  # the parent of several roots holds other records, too
    stop = -1 if area is None else area - 1
    near = ancestors(nodes, record.nodes[0], stop)
    around = [*takewhile(lambda one: nodes.tags[one] != "body" and _beside(nodes, record, one) <= _MAX_AROUND, near)]
    if area is None:
        number = _number(nodes, record.nodes[0])
        same = [place for place, one in enumerate(around, 1) if number and _number(nodes, one) == number]
        around = around[: max(same, default=0)]
    return around[::-1]


def _beside(nodes: Nodes, record: Record, node: int) -> int:
    """Characters of an element beside a record in it."""
    return sum(len(nodes.texts[i]) + 1 for i in nodes.text_nodes(node)) - len(record.text)


def record_around(nodes: Nodes, record: Record, node: int) -> Record:
    """A record with what stands around it; its items are the lines outside of the record."""
    inner = range(record.nodes[0], int(nodes.ends[record.nodes[0]]))
    lines: dict[int, list[int]] = {}
    for leaf in read_leaves(nodes, [node], Paths()):
        if not leaf.image and leaf.node not in inner:
            lines.setdefault(leaf.run, []).append(leaf.node)
    items = tuple(Item(line_text(nodes, line), "text", None, "", False, tuple(line)) for line in lines.values())
    return Record(nodes.text(node), items, record.region, (node,))


def _number(nodes: Nodes, node: int) -> str:
    """The number in an element's id; empty for none."""
    match = DIGITS.search(nodes.attributes[node].get("id", ""))
    return match[0] if match is not None else ""


@lru_cache(maxsize=2)
def _links(nodes: Nodes) -> list[int]:
    return [node for node in nodes.by_tag["a"] if nodes.attributes[node].get("href")]


def links_in(nodes: Nodes, root: int) -> Sequence[int]:
    """The links of a subtree with a URL, its root included."""
    return inside(_links(nodes), nodes, root)


def link_around(nodes: Nodes, node: int, stop: int) -> int:
    """The link element around a node, at most :data:`_MAX_LEVELS` up, not above ``stop``; -1 where there is none."""
    for _ in range(_MAX_LEVELS):
        if node < stop:
            break
        if nodes.tags[node] == "a" and "href" in nodes.attributes[node]:
            return node
        node = nodes.above[node]
    return -1
