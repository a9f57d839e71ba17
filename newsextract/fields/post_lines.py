"""The lines of a page of a thread: names before days, headers, texts; and what stands at one place of all posts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, TypeAlias

from newsextract.fields.dates import is_date
from newsextract.fields.post_elements import (
    HEADINGS,
    INLINE,
    WIDE,
    ancestors,
    body_rank,
    inside,
    is_frame,
    is_quotation,
    link_around,
    look,
    properties,
    words,
)
from newsextract.fields.post_fields import MAX_NAME, SET_OFF, clean_name, is_imprint, is_refused, post_dates
from newsextract.fields.post_quotes import MAX_NAME_LINE, whose
from newsextract.fields.post_text import read_text
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.records.leaves import Leaf, Paths, has_word, joined, leaves_text, read_leaves, text_kind
from newsextract.results import Item, Record

if TYPE_CHECKING:
    from newsextract.fields.posts import PostFields

_PROSE = (30, 12)
"""Characters of a line that is an area's text, and Chinese or Japanese ones, where no markup says what it is."""
_MAX_LINK_LINE = 30
"""Characters of a line of links alone that is a menu or a button."""
_MAX_LABEL = 25
"""Characters of the label of a header line ("From: …")."""
_MAX_HEADER = 300
_WRITTEN = frozenset(("text", "search", "email", "password", "url"))
"""Types of fields to write in."""
_MAX_DATED_LINE = 120
"""Characters of a line that is hardly more than a name and a date, which may be written twice."""
_MAX_BEHIND_DATE = 5
"""Letters behind a name and a date on one line: "Uhr", "UTC"."""
_ORDINAL = re.compile(r"(?:(?:#\d{1,5}[.):]?|\d{1,5}[.)])\s|\d{1,5}\s?[:：]\s?)(?=[^\W\d_])")
"""The number of a post before its author's name: "12. Jane", "#12 Jane", "12 ：さくら"."""
_BEFORE_NAME = re.compile(r"(?:,\s(?:noon|midnight))?[\s.,)\]]{0,3}(?:[-–—|·•:]|by\s)\s?")
"""What stands between a day and the name behind it."""
_BEFORE_DATE = re.compile(words()["date"]["before"], re.IGNORECASE)
_PASSIVE = tuple(f" was {said}" for said in words()["date"]["posted"])
"""How a line ends that says when something was written, not by whom."""


def is_prose(text: str) -> bool:
    """Whether a text is long enough for a sentence."""
    return len(text) >= _PROSE[0] or sum(character > WIDE for character in text) >= _PROSE[1]


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text of the page."""

    leaves: tuple[Leaf, ...]
    text: str
    linked: bool
    """Whether all of it is links."""
    heading: str
    """The tag of the heading around it; empty without one."""
    label: str
    """What stands before its colon, in lower case, where that is the label of a header line."""

    @property
    def node(self) -> int:
        """The first of its texts."""
        return self.leaves[0].node


class PostLines:
    """The lines of a page, and which of them are texts of posts."""

    def __init__(self, page: Page, nodes: Nodes) -> None:
        self.page = page
        self.nodes = nodes
        self._dates = post_dates(page)
        self._known: dict[int, tuple[bool, bool]] = {}
        """Of :meth:`_within`, by elements."""

    def lines_in(self, area: Iterable[int]) -> list[TextLine]:
        """The lines within some elements."""
        ends = self.nodes.ends
        ranges = [(bisect_left(self._starts, part), bisect_left(self._starts, int(ends[part]))) for part in area]
        return [line for start, end in ranges for line in self.lines[start:end]]

    @cached_property
    def _starts(self) -> list[int]:
        """The first node of each line."""
        return [line.node for line in self.lines]

    @cached_property
    def lines(self) -> list[TextLine]:
        """The lines of the page, those of menus, forms and the foot left out."""
        nodes = self.nodes
        roots = nodes.by_tag["body"][:1]
        framed: set[int] = set()
        for node, tag in enumerate(nodes.tags):
            # A form that holds most of the page is around all of it.
            is_part = is_frame(nodes, node) and 2 * nodes.count_texts(node) <= len(nodes.shown)
            if is_part and (tag != "form" or _takes_text(nodes, node)):
                framed.update(range(node, int(nodes.ends[node])))
        found = []
        leaves = [leaf for leaf in read_leaves(nodes, roots, Paths()) if not leaf.image and leaf.node not in framed]
        for _, group in groupby(leaves, key=lambda leaf: leaf.run):
            run = tuple(group)
            text = leaves_text(run)
            is_linked = all(leaf.link >= 0 or not has_word(leaf.text) for leaf in run)
            heading = next((nodes.tags[node] for node in run[0].holders if nodes.tags[node] in HEADINGS), "")
            found.append(TextLine(run, text, is_linked, heading, _label(nodes, run, text)))
        return found

    def _seeds(self, start: int, end: int) -> list[TextLine]:
        """Lines that may be a post's text, the best first: in what markup calls a body or below "From:", else long ones."""
        title = self.page.metadata.title or ""
        found: list[tuple[bool, int, TextLine]] = []
        for before, line in zip([None, *self.lines], self.lines, strict=False):
            if not start <= line.node < end or line.linked or line.heading or line.label or line.text in title:
                continue
            text = "".join(leaf.text for leaf in line.leaves if leaf.link < 0)
            is_body, is_quoted = self._within(line.leaves[0].node)
            if before is not None and _field(before.label):
                if not before.text[len(before.label) :].strip(" :："):
                    continue  # the value of that header line
                is_body = True
            if not (is_quoted or is_imprint(line.text)) and (is_body or is_prose(text)):
                found.append((is_body, len(text), line))
        return [line for _, _, line in sorted(found, key=lambda one: (one[0], one[1]), reverse=True)]

    def _within(self, node: int) -> tuple[bool, bool]:
        """Whether a text is within what markup calls a body, or preformatted, and whether it is quoted."""
        properties_of = words()["body"]["properties"]
        nodes, known = self.nodes, self._known
        around: list[int] = []
        node = int(nodes.parents[node])
        while node >= 0 and node not in known and nodes.tags[node] != "body":
            around.append(node)
            node = int(nodes.parents[node])
        is_body, is_quoted = known.get(node, (False, False))
        for node in reversed(around):
            attributes = nodes.attributes[node]
            is_quoted = is_quoted or is_quotation(nodes.tags[node], attributes)
            is_body = (
                is_body
                or nodes.tags[node] == "pre"
                or ("class" in attributes and body_rank(attributes["class"]) is not None)
                or not properties(attributes).isdisjoint(properties_of)
            )
            known[node] = is_body, is_quoted
        return is_body, is_quoted

    def is_body(self, line: TextLine) -> bool:
        """Whether a line is within what markup calls the body of a post."""
        return line.node not in self.nodes.preformatted and self._within(line.node)[0]

    def is_quoted(self, line: TextLine) -> bool:
        """Whether a line is within a quotation."""
        return self._within(line.leaves[0].node)[1]

    def own_name(self, line: TextLine) -> str:
        """A line that may be a name, without the number before it and what is behind bold: "<b>12) Jane</b> of Kiel"."""
        leads = [self.nodes.tags[leaf.holders[0]] in SET_OFF for leaf in line.leaves[:2]]
        return _ORDINAL.sub("", line.leaves[0].text if leads == [True, False] else line.text, count=1)

    def before_day(self, line: TextLine) -> str | None:
        """The name in a line that is hardly more than it and a date, or of its own before a date of its own; a link before
        "added a comment" is the name."""
        name, lead = self.before_date(line.text), line.leaves[0].text
        behind = [leaf.text for leaf in line.leaves[1:3] if not leaf.text.startswith("@")]  # the address of an account
        if name is None and line.leaves[0].link < 0 and behind and is_date(behind[0]) and len(lead) <= MAX_NAME_LINE:
            return clean_name(lead)  # a linked one may be the title of a hit
        said = tuple(f"{lead} {word}" for word in words()["date"]["posted"])
        is_linked = name is not None and line.leaves[0].link >= 0 and name.startswith(said)
        return clean_name(lead) if is_linked else name

    def before_date(self, text: str) -> str | None:
        """The name in a line that is hardly more than it and a date: "Jane (4 May 2012):", "Jane wrote on 4 May 2012"."""
        number = _ORDINAL.match(text)
        text = text[number.end() :] if number is not None else text
        dates = self._dates.text(text) if len(text) <= _MAX_DATED_LINE else []
        before, _, behind = text.partition(dates[0].evidence) if dates else ("", "", "")
        if dates and not any(map(str.isalpha, before)) and (name := _BEFORE_NAME.match(behind)) is not None:
            return clean_name(behind[name.end() :].rstrip(" ¶#"))  # "4 May 2012 - Jane"
        if not before or sum(map(str.isalpha, behind)) > _MAX_BEHIND_DATE:
            return None
        if not before.rstrip().endswith("("):  # "Sam (4 May 2012)" is not the day of the week
            before = _BEFORE_DATE.sub("", before.rstrip(" ,[–—-"))
        before = before.rstrip(" (,[–—-：")
        if before.lower().endswith(_PASSIVE) or before[:1].isdigit():
            return None  # "This post was submitted on 4 May 2012", "17 likes, 4 May 2012"
        lists = words()["date"]
        before = next((before[: -len(said) - 1] for said in lists["posted"] if before.lower().endswith(f" {said}")), before)
        is_label = before.lower().startswith((*lists["posted"], *lists["members"], *lists["others"]))
        return None if is_label else whose(f"{before}:") or clean_name(before)

    def _labelled(self, lines: Sequence[TextLine]) -> Iterator[tuple[str, Item]]:
        """The fields that header lines name, the last first; the value may be the next line ("Authored by"), and the day of
        an author the line behind that."""
        for number in range(len(lines) - 1, -1, -1):
            label = lines[number].label or lines[number].text.lower()
            if not (field := _field(label) if lines[number].label or " " in label else ""):
                continue
            value = lines[number].text[len(label) :].lstrip(" :：")
            held = lines[number + (not value) :][:2]
            if field == "author" and len(held) > 1 and text_kind(held[1].text) == "date":
                yield "date", _labelled_item(held[1], held[1].text, "date")
            if held:
                yield field, _labelled_item(held[0], value or held[0].text, field)

    def _record(self, area: Sequence[int], seed: TextLine) -> Record:
        """An area as a record: its lines are its items; those that cannot be of the text are called static."""
        nodes = self.nodes
        items: list[Item] = []
        label = ""
        for line in self.lines_in(area):
            is_head = line.node < seed.node
            value = line.text
            if line.label and is_head:
                label, value = line.label, line.text[len(line.label) :].lstrip(" :：")
            kind = "body" if line is seed else _field(label) if is_head else ""
            is_menu = line.linked and len(line.text) <= _MAX_LINK_LINE and "://" not in line.text
            is_static = bool(line.heading or is_menu or (is_head and label))
            numbers = tuple(leaf.node for leaf in line.leaves)
            if is_head and not label and (sender := self._sender(line)):
                kind, value = "author", sender
            items.append(Item(value.strip(), "text", None, kind if value.strip() else "", is_static, numbers))
            if value.strip():
                label = ""
        return Record(nodes.text(*area), tuple(items), 0, tuple(area))

    def _sender(self, line: TextLine) -> str:
        """The name beside a mail address, or the address; empty for a line without one."""
        nodes = self.nodes
        hrefs = (nodes.attributes[leaf.link].get("href", "") for leaf in line.leaves if leaf.link >= 0)
        if not any(href[:7].lower() == "mailto:" for href in hrefs):
            return ""
        beside = [leaf.text for leaf in line.leaves if leaf.link < 0]
        return (joined(beside).strip(" <>()[]:") if beside else "") or line.text


def _label(nodes: Nodes, run: Sequence[Leaf], text: str) -> str:
    """The label of a header line, in lower case: known words before a colon, or what has an element of its own (a
    Chinese or Japanese one needs no colon); empty for none."""
    first = run[0].text.rstrip(" :：").lower()
    if len(run) > 1 and first[:1] >= WIDE and _field(first):
        return first  # 作者 jane
    head = text.replace("：", ":", 1).partition(":")
    label = head[0].strip().lower()
    is_label = head[1] and 0 < len(label) <= _MAX_LABEL and label.count(" ") <= 2 and not label.isdigit()
    if not is_label or len(text) > _MAX_HEADER:
        return ""
    alone = first == label and whose(f"{label}:") is None
    return label if alone or _field(label) else ""


def _labelled_item(line: TextLine, value: str, field: str) -> Item:
    """The value of a header line as an item that is no text."""
    return Item(value, "text", None, field, True, tuple(leaf.node for leaf in line.leaves))


def _field(label: str) -> str:
    """Which field a header line's label names; empty for none of a post's."""
    return next((name for name in ("author", "date") if label in words()["labels"][name]), "")


def _takes_text(nodes: Nodes, form: int) -> bool:
    """Whether a form has a field to write in; else it may be the one around all posts, with boxes to mark them."""
    types = [nodes.attributes[node].get("type", "text").lower() for node in inside(nodes.by_tag["input"], nodes, form)]
    return bool(inside(nodes.by_tag["textarea"], nodes, form)) or not _WRITTEN.isdisjoint(types)


# --- post places ----------------------------------------------------------------------------------
# A word that is mostly a button or a rank ("Guest", "Reply", "2001") is a name where the others have theirs, and a text may
# have no word ("👍"): only the other posts of the page show what such a text is.

_HEAD = 40
"""Texts of a post among which its author's name is looked for."""
_LEVELS = 3
"""Elements around a text that are its place: answers within answers have more of them in common."""
_LETTERS = 10
"""Letters beside a post's day of a line that is no text."""
_LEAST = 0.5
"""Share of the posts that have their names at the same place."""
_PANELS = 0.8
"""Share of the posts that have something at the place of a text that is no post's: their author's rank."""

_Around: TypeAlias = tuple[tuple[str, str], ...]
_Place: TypeAlias = tuple[_Around, int]
"""The elements around a text, and how many texts of the post are there before it."""


def at_places_of_others(
    nodes: Nodes, records: Sequence[Record], within: Sequence[int | None], fields: Sequence[PostFields]
) -> list[PostFields]:
    """Posts with the names and texts at the places where most posts of the page have theirs.

    :param within: for each record the element around it that holds no other post, if any.
    """
    areas = [(area,) if area is not None else record.nodes for area, record in zip(within, records, strict=True)]
    texts = [[node for root in area for node in nodes.text_nodes(root)] for area in areas]
    found = list(fields)
    for is_exact in (True, False):
        found = _with_names(nodes, [nodes_of[:_HEAD] for nodes_of in texts], found, is_exact)
    return _with_texts(nodes, areas, texts, found)


def _with_names(nodes: Nodes, texts: Sequence[Sequence[int]], fields: list[PostFields], is_exact: bool) -> list[PostFields]:
    """Posts with the text at the place of the others' names as their author: of those without one, and refused words.

    :param is_exact: names are in the same inline elements, too; that of a guest may be no link.
    """
    places = [_places(nodes, own, is_exact) for own in texts]
    counts = Counter(
        place
        for own, post in zip(places, fields, strict=True)
        for place, text in own.items()
        if post.author and clean_name(text) == post.author
    )
    (around, number), count = counts.most_common(1)[0] if counts else (((), 0), 0)
    if count < max(2, _LEAST * len(fields)):
        return fields
    found: list[PostFields] = []
    # A word that others have beside their names is a button.
    buttons = {text for own in places for place, text in own.items() if place[0] == around and place[1] != number}
    for own, post in zip(places, fields, strict=True):
        text = own.get((around, number), "")
        names = {clean_name(other) for place, other in own.items() if place[0] == around} - {None}
        is_text = 0 < len(text) <= MAX_NAME and has_word(text) and text not in buttons
        name = clean_name(text) if post.author is None else None
        is_name = clean_name(text) is None and (is_exact or is_refused(text)) and post.author not in names
        is_day = post.date is not None and post.date.evidence in text
        found.append(replace(post, author=name or text) if is_text and (name or is_name) and not is_day else post)
    return found


def _with_texts(
    nodes: Nodes, areas: Sequence[Sequence[int]], texts: Sequence[Sequence[int]], fields: list[PostFields]
) -> list[PostFields]:
    """Posts without a text, or with that of a panel, with what is where the others have theirs: "?", or only a picture."""
    starts = [_start(nodes, own, post.body) for own, post in zip(texts, fields, strict=True)]
    counts = Counter(_around(nodes, node, is_exact=False) for node in starts if node >= 0)
    around, count = counts.most_common(1)[0] if counts else ((), 0)
    if not around or 2 * count < len(fields) or count == len(fields):
        return fields
    at_places = [[node for root in roots for node in _elements_at(nodes, root, around)] for roots in areas]
    # Of several such elements (cells of a row), that in which most others have theirs.
    numbers = Counter(
        sum(node <= start for node in there)
        for there, start in zip(at_places, starts, strict=True)
        if start >= 0 and _around(nodes, start, is_exact=False) == around
    )
    number = numbers.most_common(1)[0][0] - 1

    @cache
    def panels() -> frozenset[_Around]:
        """Places where nearly every post has something: ranks, "Offline"."""
        counts = Counter(place for own in texts for place in {_around(nodes, node, is_exact=False) for node in own})
        return frozenset(place for place, count in counts.items() if count > _PANELS * len(texts))

    found: list[PostFields] = []
    for at_place, start, post in zip(at_places, starts, fields, strict=True):
        is_sure = is_prose(post.body) or (bool(post.body) and start < 0)
        there = [] if is_sure else at_place[number : number + 1]
        # What is beside the paragraphs of a text is of it, too.
        boxes = [int(nodes.parents[node]) if around[0][0] == "p" else node for node in there]
        is_elsewhere = boxes and not boxes[0] < start < nodes.ends[boxes[0]]
        text = read_text(nodes, boxes) if is_elsewhere else None
        if text is not None and has_word(text.own):
            day = post.date.evidence if post.date is not None else ""
            # "Posted - 4 May 2012"
            is_day = day and day in text.own and sum(map(str.isalpha, text.own.replace(day, ""))) <= _LETTERS
            is_silent = not has_word(post.body) or _around(nodes, start, is_exact=False) in panels()
            text = None if is_day or not is_silent else text
        found.append(replace(post, body=text.own, is_linked=text.is_linked) if text is not None else post)
    return found


def _start(nodes: Nodes, texts: Sequence[int], body: str) -> int:
    """The text that a post's text begins with, rather than a link of the same words above it; -1 for none."""
    line = body.partition("\n")[0]
    return max(
        (node for node in texts if line.startswith(nodes.texts[node])),
        key=lambda node: (len(nodes.texts[node]), link_around(nodes, node, 0) < 0),
        default=-1,
    )


def _elements_at(nodes: Nodes, root: int, around: _Around) -> list[int]:
    """The elements of a post at a place."""
    alike = inside(nodes.by_tag[around[0][0]], nodes, root)
    return [node for node in alike if node > root and _around(nodes, node, is_exact=False) == around]


def _places(nodes: Nodes, texts: Sequence[int], is_exact: bool) -> dict[_Place, str]:
    """The texts of a post by their places."""
    found: dict[_Place, str] = {}
    numbers = Counter[_Around]()
    for node in texts:
        around = _around(nodes, node, is_exact)
        found[around, numbers[around]] = nodes.texts[node].strip()
        numbers[around] += 1
    return found


def _around(nodes: Nodes, node: int, is_exact: bool) -> _Around:
    """Tags and classes of the elements around a text, numbers left out; of an element its own come first."""
    known = _known_steps(nodes, is_exact)
    if node not in known:
        around = (one for one in chain((node,), ancestors(nodes, node)) if nodes.tags[one])
        steps = islice((one for one in around if is_exact or nodes.tags[one] not in INLINE), _LEVELS)
        known[node] = tuple(look(nodes, one) for one in steps)
    return known[node]


@lru_cache(maxsize=2)
def _known_steps(nodes: Nodes, is_exact: bool) -> dict[int, _Around]:
    """Those that are known of a page."""
    return {}
