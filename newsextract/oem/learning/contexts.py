"""Left and right contexts that several places of a page have in common, the short ones first.

Kushmerick, Weld & Doorenbos 1997 take the longest common suffix of what stands before the examples and the longest common
prefix behind them, in characters, and look for the shortest part of it that tells them from all else. Here they are
sequences of tags and texts: a tag is its name, and where that is not enough a class or another attribute that all
examples have. Tags are preferred to text, as texts are what differs from page to page.

Cost: constant per set of places; sequences have at most :data:`DEPTH` parts.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from newsextract.oem.learning.source import Source
from newsextract.oem.pattern import Attribute, Hole, Part, Tag, Text

DEPTH = 3
"""Tags and texts of a context."""
MAX_TEXT = 40
"""Characters of a text in a context."""
EDGE = 0.8
"""Cost of no context, where the value begins or ends with its record."""
_PLAIN_TAGS = frozenset("div span a td th tr li p font table tbody ul section article center nobr".split())
"""Names that say little: a class is preferred where they have one."""
_UNUSED = frozenset(("class", "style", "id", "href", "src", "title", "alt", "value", "name", "onclick", "content"))
"""Attributes whose values differ from record to record, or say what a class says better."""
_UNSAFE = re.compile(r"[\"<>“”，｛｝〈〉\u0000-\u001f]")
"""Characters that a format file cannot hold in a pattern, or that stand for others there."""
_KNOWN_ENTITIES = re.compile(r"&(?:amp|lt|gt|quot|nbsp|apos|#39|#34|#160);")


@dataclass(frozen=True, slots=True)
class CommonTag:
    """What tags at the same place of several contexts have in common."""

    name: str
    closing: bool
    classes: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    link: str = ""
    """What their ``href`` begin with."""
    linked: bool = False
    """Whether all have a ``href``."""


@dataclass(frozen=True, slots=True)
class Priced:
    """Parts of a pattern and what they cost: about 1 for a tag."""

    cost: float
    parts: tuple[Part, ...]


def common_tag(source: Source, tags: Sequence[int]) -> CommonTag | None:
    """What tags, given by number, have in common; None where they differ by name."""
    first = source.tags[tags[0]]
    if any(source.tags[tag].name != first.name or source.tags[tag].closing != first.closing for tag in tags):
        return None
    if first.closing or not any(source.attribute_text[tag] for tag in tags):
        return CommonTag(first.name, first.closing)
    found = [source.attributes(tag) for tag in tags]
    classes = [token for token in found[0].get("class", "").split()
               if all(token in other.get("class", "").split() for other in found) and _is_safe(token)]  # fmt: skip
    attributes = [(name, value) for name, value in found[0].items()
                  if name not in _UNUSED and 0 < len(value) <= MAX_TEXT and _is_safe(value)
                  and re.fullmatch(r"[a-z][\w-]*", name) and all(other.get(name) == value for other in found)]  # fmt: skip
    if len(tags) == 1:  # what one example has may be its own: an address, a number, a user's key
        attributes = [(name, value) for name, value in attributes if not any(char.isdigit() for char in value)]
    links = [other.get("href", "") for other in found]
    link = _prefix(links)
    link = link[: max(link.rfind("/"), link.rfind("?"), link.rfind("="), link.rfind(":")) + 1]
    useful = (
        len(link.partition("//")[2] or link) >= 2 and len(link) <= 60 and _is_safe(link) and not re.search(r"\d{4}", link)
    )
    return CommonTag(
        first.name,
        False,
        tuple(dict.fromkeys(classes)),
        tuple(attributes[:6]),
        link if useful else "",
        all("href" in other for other in found),
    )


def _is_safe(text: str) -> bool:
    return not _UNSAFE.search(text) and "'" not in text and "`" not in text


def versions(tag: CommonTag) -> list[Priced]:
    """A tag with more and more of what it has in common, cheap ones first."""
    if tag.closing:
        return [Priced(0.4, (Tag(tag.name, closing=True),))]
    generic = tag.name in _PLAIN_TAGS
    found = [Priced(1.3 if generic and tag.classes else 1.0, (Tag(tag.name),))]
    for token in tag.classes[:5]:
        cost = 1.1 + 0.1 * any(char.isdigit() for char in token)
        found.append(Priced(cost, (Tag(tag.name, attributes=(Attribute("class", token),)),)))
    if len(tag.classes) > 1:
        found.append(Priced(1.4, (Tag(tag.name, attributes=(Attribute("class", " ".join(tag.classes)),)),)))
    for name, value in tag.attributes:
        found.append(
            Priced(
                1.25 if name in ("itemprop", "rel", "role") else 1.5, (Tag(tag.name, attributes=(Attribute(name, value),)),)
            )
        )
    if tag.link:
        found.append(Priced(1.6, (Tag(tag.name, attributes=(Attribute("href", tag.link, Hole()),)),)))
    elif tag.linked:
        found.append(Priced(1.45, (Tag(tag.name, attributes=(Attribute("href"),)),)))
    return sorted(found, key=lambda priced: priced.cost)


def lefts(source: Source, places: Sequence[int], floors: Sequence[int]) -> list[Priced]:
    """Contexts that stand right before all of some offsets, none reaching over its floor; empty where all are at theirs."""
    pieces = [
        list(itertools.islice(_before(source, place, floor), DEPTH)) for place, floor in zip(places, floors, strict=True)
    ]
    found = [Priced(EDGE, ())] if not any(pieces) else []
    return found + _sequences(source, pieces, leftwards=True)


def rights(source: Source, places: Sequence[int], ceilings: Sequence[int]) -> list[Priced]:
    """Contexts that stand right behind all of some offsets, none reaching over its ceiling."""
    pieces = [
        list(itertools.islice(_behind(source, place, end), DEPTH)) for place, end in zip(places, ceilings, strict=True)
    ]
    found = [Priced(EDGE, ())] if not any(pieces) else []
    return found + _sequences(source, pieces, leftwards=False)


def _sequences(source: Source, pieces: Sequence[Sequence[int | str]], *, leftwards: bool) -> list[Priced]:
    """Sequences of 1 to :data:`DEPTH` parts, counted from the hole outwards."""
    found: list[Priced] = []
    inner: list[Priced] = [Priced(0.0, ())]
    for distance in range(min(map(len, pieces))):
        at = [piece[distance] for piece in pieces]
        grown: list[Priced] = []
        if all(isinstance(piece, int) for piece in at):
            tag = common_tag(source, [piece for piece in at if isinstance(piece, int)])
            if tag is None:
                break
            choices = [Priced(one.cost + 0.8 * (leftwards and tag.closing), one.parts) for one in versions(tag)]
            if len(pieces) == 1:  # one example: what its tags have may be its own
                choices = [Priced(one.cost + 0.5 * (one.cost > 1.22), one.parts) for one in choices]
            grown = _joined(inner, choices if distance == 0 else choices[:4], leftwards=leftwards)
            found += grown
        elif all(isinstance(piece, str) for piece in at):
            texts = [piece for piece in at if isinstance(piece, str)]
            shared = _common_text(texts, leftwards=leftwards)
            if not shared:
                break
            cost = 1.5 + 0.02 * len(shared) + (0.0 if any(char.isalnum() for char in shared) else 0.3)
            cost += (3.0 if any(char.isdigit() for char in shared) else 1.5) * (len(texts) == 1)
            found += _joined(inner, [Priced(cost, (Text(shared),))], leftwards=leftwards)
            if any(text != shared for text in texts):
                break
            grown = _joined(inner, [Priced(cost, (Text(shared),))], leftwards=leftwards)
        else:
            break
        inner = sorted(grown, key=lambda priced: priced.cost)[:4]
    return found


def _joined(inner: Sequence[Priced], outer: Sequence[Priced], *, leftwards: bool) -> list[Priced]:
    return [
        Priced(one.cost + other.cost, other.parts + one.parts if leftwards else one.parts + other.parts)
        for one in inner
        for other in outer
    ]


def _before(source: Source, place: int, floor: int) -> Iterator[int | str]:
    """Tags, by number, and texts before an offset, the nearest first."""
    number = source.tag_before(place)
    while place > floor:
        tag = source.tags[number] if number >= 0 else None
        begun = max(tag.end if tag else 0, floor)
        text = written_text(source.text[max(begun, place - 400) : place])
        if text:
            yield text
        if tag is None or tag.start < floor:
            return
        yield number
        place = tag.start
        number -= 1


def _behind(source: Source, place: int, ceiling: int) -> Iterator[int | str]:
    number = source.tag_after(place)
    while place < ceiling:
        tag = source.tags[number] if number < len(source.tags) else None
        ended = min(tag.start if tag else len(source.text), ceiling)
        text = written_text(source.text[place : min(ended, place + 400)])
        if text:
            yield text
        if tag is None or tag.end > ceiling:
            return
        yield number
        place = tag.end
        number += 1


def written_text(source_text: str) -> str:
    """A text as a pattern writes it: the entities decoded that patterns know, white space folded."""
    return " ".join(_KNOWN_ENTITIES.sub(lambda match: html.unescape(match[0]), source_text).split())


def _common_text(texts: Sequence[str], *, leftwards: bool) -> str:
    """What all texts end with, or begin with; whole words, and nothing that a format file cannot hold."""
    if leftwards:
        shared = _prefix([text[::-1] for text in texts])[:MAX_TEXT][::-1]
        before = [text[len(text) - len(shared) - 1 : len(text) - len(shared)] for text in texts]
        unsafe = [match.end() for match in _UNSAFE.finditer(shared)]
        if unsafe:
            shared = shared[unsafe[-1] :]
        elif shared and shared[0].isalnum() and any(char.isalnum() for char in before):
            shared = re.sub(r"^\w+", "", shared)
    else:
        shared = _prefix(texts)[:MAX_TEXT]
        behind = [text[len(shared) : len(shared) + 1] for text in texts]
        unsafe = [match.start() for match in _UNSAFE.finditer(shared)]
        if unsafe:
            shared = shared[: unsafe[0]]
        elif shared and shared[-1].isalnum() and any(char.isalnum() for char in behind):
            shared = re.sub(r"\w+$", "", shared)
    return shared.strip()


def _prefix(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    low, high = min(texts), max(texts)
    return low[: next((number for number, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]
