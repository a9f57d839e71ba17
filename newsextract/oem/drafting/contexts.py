"""Contexts for fields: what stands around the texts of a field, as patterns that were tried.

A line of a draft finds in nearly every item what it is meant to find, and nothing else, before it is proposed; of the
contexts that do so the plainest is taken.

Cost: some searches through the items that are looked at, whose text is bounded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from newsextract.oem.document import plain_text
from newsextract.oem.drafting.fields import Field, Place
from newsextract.oem.drafting.lines import Item
from newsextract.oem.drafting.separators import cut, separators
from newsextract.oem.drafting.tree import Element, Tree
from newsextract.oem.drafting.written import forms, quoted, writable
from newsextract.oem.matching import Matcher
from newsextract.oem.pattern import parse_pattern

WHOLE = "#"
"""Finds an item's whole text, which the item itself has."""
_SURE, _FAIR = 0.97, 0.6
"""Parts of the items in which a context finds what it should: taken at once; taken if nothing better is found."""
_COMMON = 0.8
"""Part of a field's texts around which the same brackets or words stand."""
_LEAD = re.compile(r"[^\w\s<&]+")
_TAIL = re.compile(r"[^\w\s>;]+\Z")
_TAG_BEFORE = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)[^<>]*>\Z")
_MAX_TAG = 500


@dataclass(frozen=True, slots=True)
class Found:
    """A field and the section texts that find it in an item."""

    field: Field
    pattern: str
    link: str
    """For its addresses; empty where it has none, or several."""
    texts: list[str]
    """What it finds, for names."""


def find_contexts(tree: Tree, sample: Sequence[Item], one: Field) -> list[Found]:
    """The plainest patterns that find a field's texts and addresses; several where separators cut it, none at worst."""
    wanted: list[list[str]] = [[] for _ in sample]
    if one.kind == "loose":
        lead, tail = _affixes(tree, one.places)
        texts = [_cut(tree, place, lead, tail) for place in one.places]
        candidates = _loose_patterns(tree, sample, one, lead, tail)
    else:
        lead, tail = _brackets(tree, one.places)
        texts = [_cut(tree, place, lead, tail) for place in one.places]
        candidates = _marked_patterns(tree, sample, one, lead, tail)
    for place, text in zip(one.places, texts, strict=True):
        wanted[place.item].append(text)
    pattern, link = _best(tree, sample, candidates, wanted), ""
    if one.kind == "link" and not one.many:
        addresses: list[list[str]] = [[] for _ in sample]
        for place in one.places:
            assert place.element is not None
            addresses[place.item].append(plain_text(place.element.attributes["href"]))
        link = _best(tree, sample, _link_patterns(tree, sample, one), addresses)
    if one.kind == "loose" and not one.many and pattern:
        parts = _parts(tree, sample, one, texts, pattern)
        if parts:
            return parts
    return [Found(one, pattern, link, texts)] if pattern and pattern != WHOLE else []


def _parts(tree: Tree, sample: Sequence[Item], one: Field, texts: Sequence[str], pattern: str) -> list[Found]:
    """The parts of a text that separators cut, or nothing where a part has no pattern."""
    signs = separators(texts)
    if not signs:
        return []
    left, _, right = pattern.partition("#")
    marks = [quoted(sign.lstrip() if sign != " (" else "(") for sign in signs]
    pieces = cut(texts, signs)
    found = []
    for number in range(len(signs) + 1):
        wanted: list[list[str]] = [[] for _ in sample]
        for place, own in zip(one.places, pieces, strict=True):
            wanted[place.item].append(own[number])
        before = marks[number - 1] if number else left
        after = marks[number] if number < len(signs) else right
        best = _best(tree, sample, [f"{before}#{after}"], wanted)
        if not best:
            return []
        found.append(Found(one, best, "", [own[number] for own in pieces]))
    return found


def _cut(tree: Tree, place: Place, lead: str, tail: str) -> str:
    text = tree.text(place.start, place.end)
    if lead and text.startswith(lead):
        text = text[len(lead) :].strip()
    if tail and text.endswith(tail):
        text = text[: -len(tail)].strip()
    return text


def _best(tree: Tree, sample: Sequence[Item], candidates: Sequence[str], wanted: Sequence[Sequence[str]]) -> str:
    """The first pattern that finds what is wanted in nearly all items, or the best of them."""
    best, share = "", _FAIR
    for pattern in dict.fromkeys(filter(writable, candidates)):
        matcher = Matcher(parse_pattern(pattern))
        right = sum(_found_texts(tree, matcher, item) == texts for item, texts in zip(sample, wanted, strict=True))
        if right >= _SURE * len(sample):
            return pattern
        if right > share * len(sample):
            best, share = pattern, right / len(sample)
    return best


def _found_texts(tree: Tree, matcher: Matcher, item: Item) -> list[str]:
    """What a pattern finds in an item."""
    found = matcher.find(tree.document, item.start, item.end)
    return [tree.text(match.value.start, match.value.end) for match in found]


def _common(values: Sequence[str]) -> str:
    """The value that nearly all are, or an empty text."""
    value, count = Counter(values).most_common(1)[0]
    return value if value and count >= _COMMON * len(values) else ""


def _affixes(tree: Tree, places: Sequence[Place]) -> tuple[str, str]:
    """Signs before and behind loose texts that nearly all have, such as ``:`` or ``pp.``."""
    texts = [tree.text(place.start, place.end) for place in places]
    lead = _common([match[0] if (match := _LEAD.match(text)) else "" for text in texts])
    if not lead:
        lead = _common([text.split()[0] if text.split()[0][-1] in ".:" and len(text.split()) > 1 else "" for text in texts])
    tail = _common([match[0] if (match := _TAIL.search(text)) else "" for text in texts])
    return lead, tail if tail not in (".", "?", "!", ")", "]") or (tail in ")]" and lead in "([") else ""


def _brackets(tree: Tree, places: Sequence[Place]) -> tuple[str, str]:
    """Brackets around marked texts."""
    texts = [tree.text(place.start, place.end) for place in places]
    for lead, tail in ("()", "[]", "（）", "【】"):
        if all(text.startswith(lead) and text.endswith(tail) for text in texts):
            return lead, tail
    return "", ""


def _loose_patterns(tree: Tree, sample: Sequence[Item], one: Field, lead: str, tail: str) -> list[str]:
    """Patterns for texts between tags."""
    before, after, breaks = one.key
    sign = quoted(lead) if lead else ""
    lefts = [before + sign] if before else []
    if sign:
        lefts.append(sign)
    longer = _common([_tags_before(tree, place.start, sample[place.item].start) for place in one.places])
    if longer and longer != before:
        lefts.append(longer + sign)
    if breaks and breaks != "1":
        lefts.append("...".join(["<br>"] * int(breaks or 1)) + sign)
    if not before:
        lefts.append("")
    rights = [quoted(tail)] if tail else []
    rights += ["", after] if not after.startswith("</") else [after, ""]
    found = [f"{left}#{right}" for left in lefts for right in rights]
    return sorted(found, key=lambda pattern: pattern.count("<") + 2 * pattern.count("..."))


def _marked_patterns(tree: Tree, sample: Sequence[Item], one: Field, lead: str, tail: str) -> list[str]:
    """Patterns for the texts of elements."""
    elements = [place.element for place in one.places if place.element is not None]
    name = elements[0].name
    hole = f"{quoted(lead)}#{quoted(tail)}" if lead else "#"
    tags = ["<a href>"] if one.kind == "link" else []
    tags += _shared_forms(elements)
    if one.kind == "link":
        prefix = _common_start([element.attributes["href"] for element in elements])
        if re.fullmatch(r"[\w./:~-]*[/:]", prefix):
            tags.append(f'<a href="{prefix}#">')
        ending = one.key[-1] if len(one.key) > 2 else ""
        if ending:
            tags.append(f'<a href="#.{ending}">')
    found = [f"{tag}{hole}</{name}>" for tag in tags]
    for left in _befores(tree, sample, one):
        found += [f"{left}{tag}{hole}</{name}>" for tag in tags]
    return found


def _common_start(addresses: Sequence[str]) -> str:
    low, high = min(addresses), max(addresses)
    same = next((place for place, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    return low[:same]


def _link_patterns(tree: Tree, sample: Sequence[Item], one: Field) -> list[str]:
    """Patterns for the addresses of links."""
    elements = [place.element for place in one.places if place.element is not None]
    tags = ['<a href="#">']
    tags += [form[:-1] + ' href="#">' for form in _shared_forms(elements) if form != "<a>" and " href" not in form]
    return tags + [left + tag for left in _befores(tree, sample, one) for tag in tags]


def _shared_forms(elements: Sequence[Element]) -> list[str]:
    """Start tags as patterns that fit nearly all of some elements, the plainest first."""
    counts = Counter(form for element in elements for form in forms(element))
    first = [form for form in forms(elements[0]) if counts[form] >= _COMMON * len(elements)]
    return first or [f"<{elements[0].name}>"]


def _befores(tree: Tree, sample: Sequence[Item], one: Field) -> list[str]:
    """What stands before the elements of a field: tags, or the signs of the text before."""
    tags, signs = [], []
    for place in one.places:
        assert place.element is not None
        start = sample[place.item].start
        tags.append(_tags_before(tree, place.element.start, start))
        text = tree.text(max(start, place.element.start - _MAX_TAG), place.element.start).rstrip()
        sign = _TAIL.search(text)
        signs.append(quoted(sign[0]) if sign and not tags[-1] else "")
    found = []
    several = _common(tags)
    if several:
        pieces = re.findall(r"<[^<>]*>", several)
        found += ["".join(pieces[-count:]) for count in range(1, len(pieces) + 1)]
    sign_found = _common(signs)
    return [*found, sign_found] if sign_found else found


def _tags_before(tree: Tree, end: int, start: int) -> str:
    """The tags, one to three, that stand right before an offset, by name; white space between them does not count."""
    source = tree.document.text[max(start, end - _MAX_TAG) : end]
    found = ""
    for _ in range(3):
        match = _TAG_BEFORE.search(source.rstrip())
        if match is None:
            break
        found = f"<{match[1]}{match[2].lower()}>{found}"
        source = source.rstrip()[: match.start()]
    return found
