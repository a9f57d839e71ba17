"""The fields of items: links, marked texts, and texts between tags, with the contexts that single them out.

Texts of the same kind, by the element or the tags around them, that stand in many items are a field.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from newsextract.wrappers.draft_items import DraftItem, Element, TextRun, Tree, forms, writable
from newsextract.wrappers.matching import Matcher
from newsextract.wrappers.pattern import common_start, parse_pattern, plain_text, quoted

# --- fields ---------------------------------------------------------------------------------------

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


def find_fields(tree: Tree, items: Sequence[DraftItem]) -> list[Field]:
    """The fields of items, in the order of the page."""
    fields: dict[_Key, Field] = {}
    for number, item in enumerate(items):
        for kind, key, place in _places(tree, number, item):
            fields.setdefault(key, Field(kind, key)).places.append(place)
    found = [one for one in _split_by_address(fields.values()) if one.items >= max(2, _OFTEN * len(items))]
    found = sorted(found, key=lambda one: -one.items)[:MAX_FIELDS]
    found.sort(key=lambda one: sum(_order(items, place) for place in one.places) / len(one.places))
    return found


def sampled(items: Sequence[DraftItem]) -> list[DraftItem]:
    """Items from all parts of the page, as many as the bound allows."""
    step = max(1, len(items) // _SAMPLE)
    found: list[DraftItem] = []
    length = 0
    for item in items[::step][:_SAMPLE]:
        length += item.end - item.start
        if found and length > _SAMPLE_TEXT:
            break
        found.append(item)
    return found


def _order(items: Sequence[DraftItem], place: Place) -> float:
    """Where a text stands in its item, 0 to 1."""
    item = items[place.item]
    return (place.start - item.start) / max(1, item.end - item.start)


def _places(tree: Tree, number: int, item: DraftItem) -> Iterator[tuple[Kind, _Key, Place]]:
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


# --- separators -----------------------------------------------------------------------------------
# Texts that separators cut into fields: ``Authors: Title. 3-9`` in one run of plain text.
#
# A sign is a separator where it stands once in nearly all texts of a field.

_SIGNS = (": ", ". ", " - ", " – ", " — ", "; ", " | ", " / ", "：", "；", ", ", " (")
_MOST = 4
_NEARLY_ALL = 0.9
_LONG = 20
"""Characters in the mean from which on a text may be several fields."""


def separators(texts: Sequence[str]) -> list[str]:
    """The signs that cut the texts, in order; none where the texts are short or have no common build."""
    if not texts or sum(map(len, texts)) < _LONG * len(texts):
        return []
    found = [sign for sign in _SIGNS if sum(text.count(sign) == 1 for text in texts) >= _NEARLY_ALL * len(texts)][:_MOST]
    found.sort(key=lambda sign: sum(text.find(sign) for text in texts))
    return found


def cut(texts: Sequence[str], signs: Sequence[str]) -> list[list[str]]:
    """The pieces of each text; empty ones where a sign is missing."""
    pieces: list[list[str]] = []
    for text in texts:
        own = [text]
        for sign in signs:
            own[-1:] = own[-1].partition(sign)[::2]
        pieces.append([piece.strip() for piece in own])
    return pieces


# --- contexts -------------------------------------------------------------------------------------
# Contexts for fields: what stands around the texts of a field, as patterns that were tried.
#
# A line of a draft finds in nearly every item what it is meant to find, and nothing else, before it is proposed; of the
# contexts that do so the plainest is taken.

WHOLE = "#"
"""Finds an item's whole text, which the item itself has."""
_SURE, _FAIR = 0.97, 0.6
"""Parts of the items in which a context finds what it should: taken at once; taken if nothing better is found."""
_COMMON = 0.8
"""Part of a field's texts around which the same brackets or words stand."""
_LEAD = re.compile(r"[^\w\s<&]+")
_TAIL = re.compile(r"[^\w\s>;]+\Z")


@dataclass(frozen=True, slots=True)
class FoundField:
    """A field and the section texts that find it in an item."""

    field: Field
    pattern: str
    link: str
    """For its addresses; empty where it has none, or several."""
    texts: list[str]
    """What it finds, for names."""


def find_contexts(tree: Tree, sample: Sequence[DraftItem], one: Field) -> list[FoundField]:
    """The plainest patterns that find a field's texts and addresses; several where separators cut it, none at worst."""
    is_loose = one.kind == "loose"
    texts = [tree.text(place.start, place.end) for place in one.places]
    lead, tail = (_affixes if is_loose else brackets)(texts)
    texts = [_cut(text, lead, tail) for text in texts]
    candidates = (_loose_patterns if is_loose else _marked_patterns)(tree, sample, one, lead, tail)
    pattern, link = _best(tree, sample, one, candidates, texts), ""
    if one.kind == "link" and not one.many:
        addresses = [plain_text(place.element.attributes["href"]) for place in one.places if place.element is not None]
        link = _best(tree, sample, one, _link_patterns(tree, sample, one), addresses)
    if one.kind == "loose" and not one.many and pattern:
        parts = _parts(tree, sample, one, texts, pattern)
        if parts:
            return parts
    return [FoundField(one, pattern, link, texts)] if pattern and pattern != WHOLE else []


def _parts(tree: Tree, sample: Sequence[DraftItem], one: Field, texts: Sequence[str], pattern: str) -> list[FoundField]:
    """The parts of a text that separators cut, or nothing where a part has no pattern."""
    signs = separators(texts)
    if not signs:
        return []
    left, _, right = pattern.partition("#")
    marks = [quoted(sign.lstrip() if sign != " (" else "(") for sign in signs]
    pieces = cut(texts, signs)
    found = []
    for number in range(len(signs) + 1):
        before = marks[number - 1] if number else left
        after = marks[number] if number < len(signs) else right
        own = [piece[number] for piece in pieces]
        best = _best(tree, sample, one, [f"{before}#{after}"], own)
        if not best:
            return []
        found.append(FoundField(one, best, "", own))
    return found


def _cut(text: str, lead: str, tail: str) -> str:
    return text.removeprefix(lead).strip().removesuffix(tail).strip()


def _best(tree: Tree, sample: Sequence[DraftItem], one: Field, candidates: Sequence[str], texts: Sequence[str]) -> str:
    """The first pattern that finds the texts of a field, one a place, in nearly all items, or the best of them."""
    wanted: list[list[str]] = [[] for _ in sample]
    for place, text in zip(one.places, texts, strict=True):
        wanted[place.item].append(text)
    best, share = "", _FAIR
    for pattern in dict.fromkeys(filter(writable, candidates)):
        matcher, right = Matcher(parse_pattern(pattern)), 0
        for item, of_item in zip(sample, wanted, strict=True):
            found = matcher.find(tree.document, item.start, item.end)
            right += [tree.text(*match.value[:2]) for match in found] == of_item
        if right >= _SURE * len(sample):
            return pattern
        if right > share * len(sample):
            best, share = pattern, right / len(sample)
    return best


def _common(values: Sequence[str]) -> str:
    """The value that nearly all are, or an empty text."""
    value, count = Counter(values).most_common(1)[0]
    return value if value and count >= _COMMON * len(values) else ""


def _affixes(texts: Sequence[str]) -> tuple[str, str]:
    """Signs before and behind loose texts that nearly all have, such as ``:`` or ``pp.``."""
    lead = _common([match[0] if (match := _LEAD.match(text)) else "" for text in texts])
    if not lead:
        lead = _common([text.split()[0] if text.split()[0][-1] in ".:" and len(text.split()) > 1 else "" for text in texts])
    tail = _common([match[0] if (match := _TAIL.search(text)) else "" for text in texts])
    return lead, tail if tail not in (".", "?", "!", ")", "]") or (tail in ")]" and lead in "([") else ""


def brackets(texts: Sequence[str]) -> tuple[str, str]:
    """Brackets around all of some texts."""
    for lead, tail in ("()", "[]", "（）", "【】"):
        if all(text.startswith(lead) and text.endswith(tail) for text in texts):
            return lead, tail
    return "", ""


def _loose_patterns(tree: Tree, sample: Sequence[DraftItem], one: Field, lead: str, tail: str) -> list[str]:
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


def _marked_patterns(tree: Tree, sample: Sequence[DraftItem], one: Field, lead: str, tail: str) -> list[str]:
    elements = [place.element for place in one.places if place.element is not None]
    name = elements[0].name
    hole = f"{quoted(lead)}#{quoted(tail)}" if lead else "#"
    tags = ["<a href>"] if one.kind == "link" else []
    tags += _shared_forms(elements)
    if one.kind == "link":
        prefix = common_start([element.attributes["href"] for element in elements])
        if re.fullmatch(r"[\w./:~-]*[/:]", prefix):
            tags.append(f'<a href="{prefix}#">')
        ending = one.key[-1] if len(one.key) > 2 else ""
        if ending:
            tags.append(f'<a href="#.{ending}">')
    found = [f"{tag}{hole}</{name}>" for tag in tags]
    for left in _befores(tree, sample, one):
        found += [f"{left}{tag}{hole}</{name}>" for tag in tags]
    return found


def _link_patterns(tree: Tree, sample: Sequence[DraftItem], one: Field) -> list[str]:
    elements = [place.element for place in one.places if place.element is not None]
    tags = ['<a href="#">']
    tags += [form[:-1] + ' href="#">' for form in _shared_forms(elements) if form != "<a>" and " href" not in form]
    return tags + [left + tag for left in _befores(tree, sample, one) for tag in tags]


def _shared_forms(elements: Sequence[Element]) -> list[str]:
    """Start tags as patterns that fit nearly all of some elements, the plainest first."""
    counts = Counter(form for element in elements for form in forms(element))
    first = [form for form in forms(elements[0]) if counts[form] >= _COMMON * len(elements)]
    return first or [f"<{elements[0].name}>"]


def _befores(tree: Tree, sample: Sequence[DraftItem], one: Field) -> list[str]:
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


# --- names ----------------------------------------------------------------------------------------
# Names for the objects of a draft: from classes and heads of columns, else from what the texts look like.

_SLUG = re.compile(r"[^a-z0-9]+")
_MAX = 30
_MOST_NAMED = 0.8
_LOOKS = (
    ("date", re.compile(
        r"(?:19|20)[0-9]{2}[-./年][0-9]{1,2}[-./月][0-9]{1,2}.{0,12}|[01][0-9][-./][0-3][0-9]|[0-9]{1,2}:[0-9]{2}"
        r"|[0-9]{1,2}月[0-9]{1,2}日|[0-9]{1,2}\.? \w{3,9}\.? [0-9]{4}|\w{3,9}\.? [0-9]{1,2}, [0-9]{4}"
    )),
    ("pages", re.compile(r"(?:pp?\.?\s*)?[0-9]{1,5}\s*[-–—]\s*[0-9]{1,5}")),
    ("number", re.compile(r"[\W0-9]*[0-9][\W0-9]*")),
)  # fmt: skip
_NAMED = ("author", re.compile(r"(?:[A-ZÀ-Þ][\w'’-]*\.?,? ?){2,5}(?:, .+)?"))
_TITLE = 12
"""Characters in the mean from which on the longest text of an item is its title; two words of English."""


def slug(text: str) -> str:
    """A name made of a class or a column's head; empty where no letters are left."""
    found = _SLUG.sub("_", text.lower()).strip("_")[:_MAX].strip("_")
    return found if found[:1].isalpha() else ""


def looks_like(texts: Sequence[str]) -> str:
    """``pages``, ``date``, ``number`` or ``author`` where nearly all texts look so, else an empty name."""
    for name, pattern in (*_LOOKS, _NAMED):
        if sum(pattern.fullmatch(text) is not None for text in texts) >= _MOST_NAMED * len(texts):
            return name
    return ""


def is_long(texts: Sequence[str]) -> bool:
    """Whether texts are long enough for titles."""
    return sum(map(len, texts)) >= _TITLE * len(texts)


class Names:
    """Names that are given once."""

    def __init__(self, taken: Sequence[str] = ()) -> None:
        self._taken = set(taken)

    def take(self, *wanted: str) -> str:
        """The first of some names that is free, or the last of them with a number."""
        choice = [name for name in wanted if name]
        for name in choice:
            if name not in self._taken:
                self._taken.add(name)
                return name
        number = 2
        while f"{choice[-1]}{number}" in self._taken:
            number += 1
        self._taken.add(f"{choice[-1]}{number}")
        return f"{choice[-1]}{number}"
