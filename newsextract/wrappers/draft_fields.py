"""The fields of items: links, marked texts, and texts between tags, with the section texts that find them.

Texts of the same kind, by the element or the tags around them, that occur in many items are a field. Their patterns are
found as those of marked texts are (:class:`~newsextract.wrappers.learn_fields.FieldLearner`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from newsextract.wrappers.draft_items import DraftItem, DraftSource
from newsextract.wrappers.learn_fields import FieldLearner
from newsextract.wrappers.learn_marks import MAX_TRIALS, MarkPlace, SourceElement, TextRun
from newsextract.wrappers.matching import compile_context
from newsextract.wrappers.pattern import Text, written

# --- fields ---------------------------------------------------------------------------------------

MAX_FIELDS = 12
_SAMPLE = 60
"""Items in which contexts are tried."""
_SAMPLE_TEXT = 200_000
"""Characters of source of these items."""
_OFTEN = 0.25
"""Part of the items in which a field stands at least."""
_MISSED = 0.4
"""Part of the items in which a pattern may find something else."""
_COMMON = 0.8
"""Part of a field's texts around which the same brackets or words stand."""
_WORD = re.compile(r"\w")
_LEAD = re.compile(r"[^\w\s<&]+")
_TAIL = re.compile(r"[^\w\s>;]+\Z")
WHOLE = "#"
"""Finds an item's whole text, which the item itself has."""


class Place(NamedTuple):
    """One text of an item that may be a field's."""

    item: int
    start: int
    end: int
    link: SourceElement | None = None


@dataclass(slots=True)
class Field:
    """A field that stands in many items."""

    kind: Literal["link", "marked", "loose"]
    name: str = ""
    """The first class of its elements; empty without."""
    places: list[Place] = field(default_factory=list)
    pattern: str = ""
    """Section text that finds it in an item."""
    link: str = ""
    """The same for its addresses; empty where it has none, or several."""
    texts: list[str] = field(default_factory=list)

    @property
    def items(self) -> int:
        """In how many items it stands."""
        return len({place.item for place in self.places})

    @property
    def many(self) -> bool:
        """Whether it stands several times in some items."""
        return len(self.places) > 1.05 * self.items


def find_fields(source: DraftSource, items: Sequence[DraftItem]) -> list[Field]:
    """The fields of items that patterns find, in the order of the page."""
    fields: dict[tuple[str, ...], Field] = {}
    for number, item in enumerate(items):
        for key, kind, name, place in _places(source, number, item):
            fields.setdefault(key, Field(kind, name)).places.append(place)
    found = [one for one in _split_by_address(source, fields.values()) if one.items >= max(2, _OFTEN * len(items))]
    found = sorted(found, key=lambda one: -one.items)[:MAX_FIELDS]
    found.sort(key=lambda one: sum(_order(items, place) for place in one.places) / len(one.places))
    found = [part for one in found for part in _parts(source, one)]
    learner = FieldLearner(source, [(item.start, item.end) for item in items], missed=_MISSED)

    def learned(one: Field, places: Iterable[MarkPlace]) -> str:
        of_items: list[list[MarkPlace]] = [[] for _ in items]
        for place, at in zip(one.places, places, strict=True):
            of_items[place.item].append(at)
        source.trials = MAX_TRIALS
        pattern = learner.of_places("", of_items, many=one.many)
        return written(pattern.parts) if pattern else ""

    for one in found:
        one.texts = [source.read(place.start, place.end) for place in one.places]
        one.pattern = learned(one, [MarkPlace(place.start, place.end) for place in one.places])
        links = [MarkPlace(place.link.start, place.link.inner, "href") for place in one.places if place.link]
        one.link = learned(one, links) if links and not one.many else ""
    return [one for one in found if one.pattern not in ("", WHOLE)]


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


def _places(
    source: DraftSource, number: int, item: DraftItem
) -> Iterator[tuple[tuple[str, ...], Literal["link", "marked", "loose"], str, Place]]:
    """The texts of an item, each with a key that is the same for all of a field, the kind of text, and a class."""
    first = bisect_left(source.runs, item.start, key=lambda run: run.start)
    last = bisect_left(source.runs, item.end, key=lambda run: run.start)
    breaks = 0
    behind, taken = item.start, -1
    for run in source.runs[first:last]:
        breaks += len(_BREAK.findall(source.text, behind, run.start))
        behind = run.end
        if run.start < taken or not _WORD.search(source.read(run.start, run.end)):
            continue
        around = [one for one in source.above(run.parent) if one.start >= item.start and one.number != item.element.number]
        link = next((one for one in around if one.name == "a" and "href" in source.attributes(one.tag)), None)
        alone = [one for one in around if source.texts(one) == 1]
        if link is not None:
            taken, kind = link.end, source.kind(link)
            yield ("a href", kind), "link", kind, Place(number, link.inner, link.inner_end, link)
        elif alone:
            marks = [one for one in alone if one.name != "p"] or alone
            chosen = next((one for one in reversed(marks) if source.kind(one)), marks[0])
            kind = source.kind(chosen)
            yield (chosen.name, kind), "marked", kind, Place(number, chosen.inner, chosen.inner_end)
        else:
            before, after = _tags_around(source, run, item)
            key = (before, after, str(min(breaks, 9)) if before == "<br>" else "")
            yield key, "loose", "", Place(number, run.start, run.end)


_BREAK = re.compile(r"<br(?=[\s/>])", re.IGNORECASE)


def _tags_around(source: DraftSource, run: TextRun, item: DraftItem) -> tuple[str, str]:
    """The tags right before and behind a text of an item, by name; empty where it has none there."""
    numbers = source.tag_before(run.start), source.tag_after(run.end)
    tags = [source.tags[number] if 0 <= number < len(source.tags) else None for number in numbers]
    found = [f"<{'/' * tag.closing}{tag.name}>" if tag and item.start <= tag.start < item.end else "" for tag in tags]
    return found[0], found[1]


def _split_by_address(source: DraftSource, fields: Iterable[Field]) -> list[Field]:
    """Fields, those of links told apart by where they lead: authors' pages from papers, say."""
    found: list[Field] = []
    for one in fields:
        roles: dict[tuple[str, str], Field] = {}
        for place in one.places:
            if place.link:
                role = _role(source.attributes(place.link.tag)["href"])
                roles.setdefault(role, Field("link", one.name)).places.append(place)
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


def _parts(source: DraftSource, one: Field) -> list[Field]:
    """A field without the signs around nearly all of its texts; several where separators cut them."""
    texts = [source.read(place.start, place.end) for place in one.places]
    lead, tail = (_affixes if one.kind == "loose" else brackets)(texts)
    places = []
    for place in one.places:
        text = source.text[place.start : place.end].strip()
        start = source.text.index(text, place.start)
        text = text.removesuffix(tail) if tail else text
        rest = text.removeprefix(lead).lstrip()
        places.append(place._replace(start=start + len(text) - len(rest), end=start + len(text)))
    texts = [source.read(place.start, place.end) for place in places]
    signs = separators(texts) if one.kind == "loose" and not one.many else []
    pieces = [[place._replace(start=start, end=end) for start, end in cut(source.text, place.start, place.end, signs)]
              for place in places]  # fmt: skip
    return [replace(one, places=list(column)) for column in zip(*pieces, strict=True)]


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


def cut(text: str, start: int, end: int, signs: Sequence[str]) -> list[tuple[int, int]]:
    """Where the pieces of a text between two offsets stand; empty ones where a sign is missing."""
    found = []
    for sign in signs:
        match = compile_context([Text(sign)]).regex.search(text, start, end)
        found.append((start, match.start() if match else end))
        start = match.end() if match else end
    return [*found, (start, end)]


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
