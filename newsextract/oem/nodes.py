"""From the nodes of a run to the objects of the model: texts, order, identities.

A node is an object in the making: a label and a span of a document. Its text is read once, when all nodes are there.

Cost: linear in the number of objects and their texts.
"""

from __future__ import annotations

import hashlib
import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from newsextract.oem.document import Document, plain_text
from newsextract.oem.model import OEMObject, Type
from newsextract.oem.steps import Span

LINKS = ("href", "src", "action", "cite", "data-src")
"""Attributes whose values are addresses."""
_BEHIND = (2**62, 0)
"""The place of objects from other pages among those of a page."""
_OUTER = attrgetter("outer")
_NOTHING = OEMObject("", "", "string", "")


@dataclass(eq=False, slots=True)
class Node:
    """An object in the making."""

    variable: str
    label: str
    document: Document
    value: Span
    outer: tuple[int, int]
    own_end: int
    """Up to where its value is its own."""
    parent: Node | None
    after: int
    """Lines behind this index take it as source."""
    children: list[Node] = field(default_factory=list)
    refers: Node | None = None
    depth: int = 1
    number: int = 0
    """Its place among the nodes of the run."""


def own_text(node: Node) -> Node:
    """An object for the text of one that has objects within, so that it is not lost."""
    span = Span(node.value.start, node.own_end)
    return Node("text", "text", node.document, span, (span.start, span.end), span.end, node, node.after)


def text_of(document: Document, span: Span) -> str:
    """What a reader sees of a span; an attribute's value that is an address is made absolute."""
    text = document.text[span.start : span.end]
    if span.attribute is None:
        return plain_text(text)
    text = html.unescape(text).strip()
    return document.absolute(text) if span.attribute in LINKS else text


def finished(nodes: Sequence[Node], url: str | None) -> OEMObject:
    """The objects of nodes that come parents first: children in the order of the page, identities from the content."""
    contents = [""] * len(nodes)  # text within
    for node in reversed(nodes):
        number, children = node.number, node.children
        if children:
            if len(children) > 1:
                _sort(children, node.document)
            # What linked pages hold does not count: they may come and go.
            own = [child for child in children if child.document is node.document and child.refers is None]
            contents[number] = "\n".join([contents[child.number] for child in own])
        elif node.refers is not None:
            contents[number] = node.label
        else:
            contents[number] = text_of(node.document, node.value)
    oids = [""] * len(nodes)
    oids[0] = _oid("", nodes[0].label, url or "", 0)
    for node in nodes:
        if not node.children:
            continue
        counts: dict[tuple[str, str], int] = {}
        above = oids[node.number]
        for child in node.children:
            key = (child.label, contents[child.number] if child.label == child.variable else "")
            counts[key] = times = counts.get(key, -1) + 1
            oids[child.number] = _oid(above, *key, times)
    objects: list[OEMObject] = [_NOTHING] * len(nodes)
    for node in reversed(nodes):
        number, parent = node.number, node.parent
        kind: Type = "string"
        value: str | tuple[OEMObject, ...] = contents[number]
        if node.children:
            kind, value = "complex", tuple([objects[child.number] for child in node.children])
        elif node.refers is not None:
            kind, value = "reference", oids[node.refers.number]
        elif node.value.attribute in LINKS:
            kind = "link"
        own_url = node.document.url if parent is None or node.document is not parent.document else None
        objects[number] = OEMObject(oids[number], node.label, kind, value, own_url)
    return objects[0]


def _sort(children: list[Node], here: Document) -> None:
    """Bring children in the order of the page; those from other pages stand behind."""
    if all(child.document is here for child in children):
        children.sort(key=_OUTER)
    else:
        children.sort(key=lambda child: child.outer if child.document is here else _BEHIND)


def _oid(above: str, label: str, content: str, number: int) -> str:
    key = f"{above}\x00{label}\x00{content}\x00{number}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(key, digest_size=8).hexdigest()
