"""Elements of a post and the words of their class names: where author, date, body and permalink are looked for.

Cost: one pass over the elements of a record.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from newsextract.nodes import Nodes
from newsextract.page import Page
from newsextract.record import Item, Record

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_QUOTES = frozenset(("blockquote", "q"))
_QUOTE_WORDS = frozenset(("quote", "quotes", "quotetop", "bbquote", "quotecontent", "quoted", "bbcodeblock"))
_THREADED = frozenset(
    ("comments", "subcomments", "comment-list", "replies", "children", "js-comments", "lzl_cnt", "j_lzl_container")
)
"""Comments on a post are part of its record, not of its author and date."""
NOWHERE = "http://page.invalid/"
"""Stands for the address of a page that has none (RFC 2606)."""


def nodes_of(page: Page, record: Record) -> Nodes:
    """The nodes that a record's numbers belong to: the snapshot's if the record was found there, else the source's."""
    if page.snapshot is None:
        return page.nodes
    rendered = page.snapshot.nodes
    fits = all(root < len(rendered) for root in record.nodes) and rendered.text(*record.nodes) == record.text
    return rendered if fits else page.nodes


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
                quoted = not quotations and (tag in _QUOTES or not own.isdisjoint(_QUOTE_WORDS))
                if node != root and (quoted or not own.isdisjoint(_THREADED)):
                    node = int(nodes.ends[node])
                    continue
                yield node, tag, attributes, own
            node += 1


def own_items(nodes: Nodes, record: Record, *, quotations: bool = False) -> list[Item]:
    """The items of a record that stand in no comment on it.

    :param quotations: whether those within quotations count.
    """
    inner: list[tuple[int, int]] = []
    expected = {node for node, *_ in elements(nodes, record.nodes, quotations=quotations)}
    for root in record.nodes:
        node = root
        while node < nodes.ends[root]:
            if nodes.tags[node] and node not in expected:
                inner.append((node, int(nodes.ends[node])))
                node = int(nodes.ends[node])
            else:
                node += 1
    return [item for item in record.items if not any(a <= n < b for a, b in inner for n in item.nodes[:1])]


def link_around(nodes: Nodes, node: int, stop: int) -> int:
    """The link element around a node, not above ``stop``; -1 where there is none."""
    while node >= stop:
        if nodes.tags[node] == "a" and "href" in nodes.attributes[node]:
            return node
        node = int(nodes.parents[node])
    return -1
