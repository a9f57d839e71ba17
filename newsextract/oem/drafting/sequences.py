"""Section texts with a hole for each field: rows of a table, and lines that begin with a link.

Their fields have no marks of their own; it is the order of cells, or what stands behind the link, that tells them apart.

Cost: linear in the items' text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from newsextract.oem.drafting.items import Items, cells_of
from newsextract.oem.drafting.lines import Item
from newsextract.oem.drafting.names import Names, is_long, looks_like, slug
from newsextract.oem.drafting.tree import Element, Tree
from newsextract.oem.drafting.written import forms, quoted

_SIGN = re.compile(r"[^\w\s<>&]+")
_SOME = 0.25
"""Part of the items that have something, so that it is a field; where not all have it, it may be missing."""


@dataclass(frozen=True, slots=True)
class Sequenced:
    """A section text with named holes."""

    pattern: str
    names: list[str]


def row_pattern(tree: Tree, items: Items) -> Sequenced:
    """The section text of a table's rows: a hole a cell, and one for a link in it."""
    rows = [cells_of(tree, item.element) for item in items.items]
    heads = [tree.text(cell.inner, cell.inner_end) for cell in cells_of(tree, items.head)] if items.head is not None else []
    names, found = Names(), []
    tag = rows[0][0].name if all(row[0].name == rows[0][0].name for row in rows) else "td"
    pattern = "<tr>"
    width = min(map(len, rows))
    texts = [[tree.text(row[column].inner, row[column].inner_end) for row in rows] for column in range(width)]
    last = max((column for column in range(width) if any(texts[column])), default=0)
    for column in range(last + 1):
        pattern += f"<{rows[0][column].name if column else tag}>"
        filled = [text for text in texts[column] if text]
        if not filled:
            pattern += "..."
            continue
        linked = [_leading_link(tree, row[column]) for row in rows]
        head = slug(heads[column]) if column < len(heads) else ""
        share = sum(linked) / len(linked)
        if share >= _SOME:
            link = names.take("link", f"{head}_link" if head else "link")
            found.append(link)
            hole = f'<a href="${link}">'
            pattern += hole if all(linked) else f"[{hole}]"
        name = names.take(head, looks_like(filled), "title" if is_long(filled) else "", "text")
        found.append(name)
        pattern += f"${name}"
    return Sequenced(pattern, found)


def _leading_link(tree: Tree, cell: Element) -> bool:
    """Whether a cell begins with a link."""
    inner = tree.elements[cell.number + 1] if cell.number + 1 < cell.last else None
    if inner is None or inner.name != "a" or "href" not in inner.attributes:
        return False
    return not tree.document.text[cell.inner : inner.start].strip()


def line_pattern(tree: Tree, items: Sequence[Item]) -> Sequenced:
    """The section text of lines that begin with a link: the link, and what is marked behind it."""
    behind: dict[str, list[tuple[Element, str]]] = {}
    for item in items:
        element = _behind(tree, item)
        if element is not None:
            behind.setdefault(_form(element), []).append((element, tree.text(element.inner, element.inner_end)))
    pattern, names = _lead(tree, items)
    form, found = max(behind.items(), key=lambda pair: len(pair[1]), default=("", []))
    if len(found) >= _SOME * len(items):
        texts = [text for _, text in found]
        lead, tail = next((pair for pair in ("()", "[]", "（）", "【】") if _all_in(texts, pair)), ("", ""))
        stripped = [text.strip(f"{lead}{tail} ") for text in texts]
        name = Names(names).take(looks_like(stripped), "text")
        hole = f"{quoted(lead)}${name}{quoted(tail)}" if lead else f"${name}"
        part = f"{form}{hole}</{found[0][0].name}>"
        pattern += part if len(found) == len(items) else f"[{part}]"
        names.append(name)
        return Sequenced(pattern, names)
    rests = [tree.text(item.element.end, _line_end(tree, item)) for item in items]
    if sum(re.search(r"\w", rest) is not None for rest in rests) >= _SOME * len(items):
        sign = _SIGN.match(rests[0])
        common = sign[0] if sign and all(rest.startswith(sign[0]) for rest in rests) else ""
        stripped = [rest[len(common) :].strip() for rest in rests if rest]
        names.append(Names(names).take(looks_like(stripped), "title" if is_long(stripped) else "", "text"))
        pattern += f"{quoted(common) if common else ''}${names[-1]}<br>"
    return Sequenced(pattern, names)


def _lead(tree: Tree, items: Sequence[Item]) -> tuple[str, list[str]]:
    """The pattern of what lines begin with, and its names."""
    name = items[0].element.name
    if name == "a":
        return '<a href="$link">$title</a>', ["link", "title"]
    texts = [tree.text(item.element.inner, item.element.inner_end) for item in items]
    label = Names().take(looks_like(texts), "title" if is_long(texts) else "", "name")
    return f"<{name}>${label}</{name}>", [label]


def _all_in(texts: Sequence[str], pair: str) -> bool:
    return all(text.startswith(pair[0]) and text.endswith(pair[1]) for text in texts)


def _form(element: Element) -> str:
    """The start tag of an element as a pattern, with a class if it has one."""
    return next((form for form in forms(element) if " class=" in form), f"<{element.name}>")


def _behind(tree: Tree, item: Item) -> Element | None:
    """The element with text that stands right behind the link, on the same line."""
    place = item.element.last
    if place >= len(tree.elements):
        return None
    element = tree.elements[place]
    between = tree.document.text[item.element.end : element.start].strip()
    return element if not between and element.start < item.end and element.texts == 1 and element.name != "br" else None


def _line_end(tree: Tree, item: Item) -> int:
    """Where the line of a link ends."""
    place = item.element.last
    while place < len(tree.elements) and tree.elements[place].start < item.end:
        if tree.elements[place].name == "br":
            return tree.elements[place].start
        place += 1
    return item.end
