"""Elements of a post and the words of their class names: where author, date, body and permalink are looked for.

A record may be smaller than the post: the text without the head row or the panel of its author. Then its surroundings are
looked at, too: the elements around it that hold no other record like it.

Cost: one pass over the elements of a record; its surroundings about as much again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any

from newsextract.nodes import Nodes
from newsextract.page import Page
from newsextract.record import Item, Record
from newsextract.record_items.leaves import Paths, read_leaves
from newsextract.record_items.spacing import joined

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_QUOTES = frozenset(("blockquote", "q"))
_QUOTE_WORDS = frozenset(("quote", "quotes", "quotebox", "quotetop", "bbquote", "quotecontent", "quoted", "bbcodeblock"))
_THREADED = frozenset(
    ("comments", "subcomments", "comment-list", "replies", "children", "js-comments", "lzl_cnt", "j_lzl_container")
)
"""Comments on a post are part of its record, not of its author and date."""
NOWHERE = "http://page.invalid/"
"""Stands for the address of a page that has none (RFC 2606)."""
_DIGITS = re.compile(r"\d+")
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
    return tomllib.loads((files("newsextract.fields.data") / "posts.toml").read_text("utf-8"))


@lru_cache(maxsize=4_096)
def class_words(classes: str) -> frozenset[str]:
    """Class names in lower case, whole and cut at hyphens, underscores and capitals."""
    names = classes.split()[:12]
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
    """The items of a record that stand in no comment on it.

    :param quotations: whether those within quotations count.
    """
    inner: set[int] = set()
    expected = {node for node, *_ in elements(nodes, record.nodes, quotations=quotations)}
    for root in record.nodes:
        node = root
        while node < nodes.ends[root]:
            if nodes.tags[node] and node not in expected:
                inner.update(range(node, int(nodes.ends[node])))
                node = int(nodes.ends[node])
            else:
                node += 1
    return [item for item in record.items if inner.isdisjoint(item.nodes[:1])]


def is_quotation(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is a quotation by its tag or its class names; some software has the whole post in a blockquote."""
    names = class_words(attributes["class"]) if "class" in attributes else frozenset()
    return (tag in _QUOTES and names.isdisjoint(_bodies())) or not names.isdisjoint(_QUOTE_WORDS)


@cache
def _bodies() -> frozenset[str]:
    return frozenset(words()["body"]["classes"])


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
    items = tuple(
        Item(joined([nodes.texts[i] for i in line]), "text", None, "", False, tuple(line)) for line in lines.values()
    )
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
