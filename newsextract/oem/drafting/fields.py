"""The fields of items: links, marked texts, and texts between tags, with the contexts that single them out.

Texts of the same kind, by the element or the tags around them, that stand in many items are a field.

Cost: linear in the items that are looked at, whose text is bounded.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from newsextract.oem.drafting.lines import Item
from newsextract.oem.drafting.tree import Element, TextRun, Tree

MAX_FIELDS = 12
_SAMPLE = 60
"""Items in which contexts are tried."""
_SAMPLE_TEXT = 200_000
"""Characters of source of these items."""
_OFTEN = 0.25
"""Part of the items in which a field stands at least."""
_WORD = re.compile(r"\w")

Kind = Literal["link", "marked", "loose"]
_Key = tuple[str, ...]


@dataclass(slots=True)
class Place:
    """One text of an item that may be a field's."""

    item: int
    start: int
    end: int
    element: Element | None
    """That has this text and no other; None: the text stands beside others."""


@dataclass(slots=True)
class Field:
    """A field that stands in many items."""

    kind: Kind
    key: _Key
    places: list[Place] = field(default_factory=list)

    @property
    def items(self) -> int:
        """In how many items it stands."""
        return len({place.item for place in self.places})

    @property
    def many(self) -> bool:
        """Whether it stands several times in some items."""
        return len(self.places) > 1.05 * self.items


def find_fields(tree: Tree, items: Sequence[Item]) -> list[Field]:
    """The fields of items, in the order of the page."""
    fields: dict[_Key, Field] = {}
    for number, item in enumerate(items):
        for kind, key, place in _places(tree, number, item):
            fields.setdefault(key, Field(kind, key)).places.append(place)
    found = [one for one in _split_by_address(fields.values()) if one.items >= max(2, _OFTEN * len(items))]
    found = sorted(found, key=lambda one: -one.items)[:MAX_FIELDS]
    found.sort(key=lambda one: sum(_order(items, place) for place in one.places) / len(one.places))
    return found


def sampled(items: Sequence[Item]) -> list[Item]:
    """Items from all parts of the page, as many as the bound allows."""
    step = max(1, len(items) // _SAMPLE)
    found: list[Item] = []
    length = 0
    for item in items[::step][:_SAMPLE]:
        length += item.end - item.start
        if found and length > _SAMPLE_TEXT:
            break
        found.append(item)
    return found


def _order(items: Sequence[Item], place: Place) -> float:
    """Where a text stands in its item, 0 to 1."""
    item = items[place.item]
    return (place.start - item.start) / max(1, item.end - item.start)


def _places(tree: Tree, number: int, item: Item) -> Iterator[tuple[Kind, _Key, Place]]:
    """The texts of an item, each with what kind of text it is."""
    first = bisect_left(tree.runs, item.start, key=lambda run: run.start)
    last = bisect_left(tree.runs, item.end, key=lambda run: run.start)
    breaks = 0
    behind, taken = item.start, -1
    for run in tree.runs[first:last]:
        breaks += len(_BREAK.findall(tree.document.text, behind, run.start))
        behind = run.end
        if run.start < taken or not _WORD.search(tree.text(run.start, run.end)):
            continue
        around = [one for one in tree.above(run.parent) if one.start >= item.start and one.number != item.element.number]
        link = next((one for one in around if one.name == "a" and "href" in one.attributes), None)
        alone = [one for one in around if one.texts == 1]
        if link is not None:
            taken = link.end
            yield "link", ("a", link.kind), Place(number, link.inner, link.inner_end, link)
        elif alone:
            marks = [one for one in alone if one.name != "p"] or alone
            chosen = next((one for one in reversed(marks) if one.kind), marks[0])
            key = (chosen.name, chosen.kind, "" if chosen.kind else _telling(chosen))
            yield "marked", key, Place(number, chosen.inner, chosen.inner_end, chosen)
        else:
            before = _tag_before(tree, run, item.start)
            key = (before, _tag_after(tree, run, item.end), str(min(breaks, 9)) if before == "<br>" else "")
            yield "loose", key, Place(number, run.start, run.end, None)


_BREAK = re.compile(r"<br(?=[\s/>])", re.IGNORECASE)
_TAG_BEFORE = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)[^<>]*>\Z")
_TAG_AFTER = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)")
_MAX_TAG = 500


def _telling(element: Element) -> str:
    """What tells an element without class from others of its name."""
    return ",".join(f"{name}={value}" for name, value in element.attributes.items() if name in ("size", "color", "align"))


def _tag_before(tree: Tree, run: TextRun, start: int) -> str:
    match = _TAG_BEFORE.search(tree.document.text[max(start, run.start - _MAX_TAG) : run.start])
    return f"<{match[1]}{match[2].lower()}>" if match else ""


def _tag_after(tree: Tree, run: TextRun, end: int) -> str:
    match = _TAG_AFTER.match(tree.document.text, run.end, end)
    return f"<{match[1]}{match[2].lower()}>" if match else ""


def _split_by_address(fields: Iterable[Field]) -> list[Field]:
    """Fields, those of links told apart by where they lead: authors' pages from papers, say."""
    found: list[Field] = []
    for one in fields:
        roles: dict[tuple[str, str], Field] = {}
        if one.kind == "link":
            for place in one.places:
                assert place.element is not None
                role = _role(place.element.attributes["href"])
                roles.setdefault(role, Field("link", (*one.key, *role))).places.append(place)
        parts = list(roles.values())
        several = len(parts) > 1 and all(part.items >= _OFTEN * one.items for part in parts)
        found.extend(parts if several else [one])
    return found


def _role(href: str) -> tuple[str, str]:
    """Where a link leads: scheme or first folder, and the file's ending."""
    address = href.partition("?")[0].partition("#")[0]
    scheme = re.match(r"[a-z]+:", address)
    name = address.rpartition("/")[2]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return (scheme[0] if scheme else address.partition("/")[0] if "/" in address else "", ending)
