"""Posts told by their heads: each line that is hardly more than a name and a day begins or ends a post.

A record algorithm finds one kind of parts on a page. Comments below the answers of a question, answers in bare lists, and
posts that are much shorter than the others are built otherwise, but they have a line with a day as all others do. The post
of such a line is the smallest element around it that also has text; where several lines share that element, its children
are divided at them. Posts within a post are cut out of it.

Cost: one pass over the lines of the page.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from newsextract.fields.dates import is_date
from newsextract.fields.post_areas import PostAreas
from newsextract.fields.post_elements import WIDE, ancestors, class_words, inside, lists_comments, look, words
from newsextract.fields.post_fields import PostDates, clean_name, has_day, is_count, is_imprint, other_day
from newsextract.fields.post_lines import TextLine
from newsextract.fields.post_quotes import MAX_NAME_LINE
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import Leaf, text_kind
from newsextract.results import Item, Record, ReportDate

_Value = TypeVar("_Value")
_MAX_HEAD = 160
"""Characters of a line that is the head of a post."""
_MAX_BESIDE = 60
"""Letters of it beside the day."""
_MAX_HEADS = 1_000
_NEAR, _ALONE = 8, 3
"""Lines of the element around a day and the line with a name beside it; and if nothing else says that it is a name."""
_SMALL_HEADINGS = frozenset(("h3", "h4", "h5", "h6"))
_NAMED = 0.9
"""Least share of the days beside which a line is a name for all of these to be names."""
_MAX_LEVELS = 40
"""Elements around a head that are looked at."""
_LEAST_LETTERS = 2
_FIGURES = 3
"""Words to a number at most where a line is about figures."""
_OWN = 12
"""Characters beside links from which on a line is text, however long the words of the links are."""
_PARAGRAPHS = frozenset(("p", "blockquote", "pre", "ul", "ol"))
"""What goes on below a head, even if other posts have none."""
_STAMPS = frozenset(("datetime", "title", "data-time", "data-timestamp", "data-date"))
"""Attributes that may hold a day."""
_STAMP_LEVELS = 3
_LEAST_SPOKEN, _SPOKEN = 3, 0.6
"""Posts of one line each, at least, and their share of the lines."""
_CLOCK_IN = re.compile(r"(?<!\d)\d{1,2}[:.]\d\d(?!\d)")
_MAX_ZONE = 12
"""Letters beside the moment of a signature: its zone, "at".."""
_CLOCK = re.compile(r"[\[(]?\d{1,2}[:.]\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?")
"""A text that is a time of day."""


@dataclass(frozen=True, slots=True)
class HeadedPost:
    """A post."""

    record: Record
    name: str | None
    """Whom its head names as its author."""
    look: tuple[str, ...]
    """Tag and class of its head."""
    is_named: bool = False
    """Whether that name is on one line with the day."""
    day: ReportDate | None = None
    """When it was written, if its head has only a time, and a line above it the day."""

    @property
    def area(self) -> int | None:
        """Its element; None where it is made of several."""
        return self.record.nodes[0] if len(self.record.nodes) == 1 else None

    def named(self, author: str | None) -> Record:
        """The record, with the name in its head labelled if that is better than what markup tells.

        A name that is on the same line as the day is better than one elsewhere.

        :param author: what markup tells.
        """
        name = self.name
        head = next((item for item in self.record.items if name in item.text), None) if name is not None else None
        if name is None or head is None or (author is not None and (head.text == name or author in head.text)):
            return self.record
        label = replace(head, text=name, label="author", static=True)
        return replace(self.record, items=(*self.record.items, label))


def headed_posts(areas: PostAreas, dates: PostDates, known: int = 0) -> list[list[HeadedPost]]:
    """The posts of a page by their heads, those of each layout together; in the order of the page within a layout.

    :param known: so many posts are known otherwise: where there are no more heads, there are no posts by their heads.
    """
    nodes, lines = areas.nodes, areas.lines
    heads = [number for number, line in enumerate(lines) if _is_head(nodes, line, dates) and not areas.is_quoted(line)]
    timed = _timed(areas, dates, heads)
    days = frozenset(heads) if timed else frozenset()
    heads = list(timed) or heads
    if not known < len(heads) <= _MAX_HEADS:
        return []
    names = _names_beside(areas, heads)
    marked = frozenset(heads) | days | names.keys()
    places = [lines[number].node for number in heads]
    controls = _controls(nodes, places)
    others = [line for number, line in enumerate(lines) if number not in marked and line.node not in controls]
    written = [line for line in others if _is_text(nodes, line)]
    texts = [line.node for line in written]
    bodies = [line.node for line in written if areas.is_body(line)]
    homes = [_home(nodes, place, texts, bodies, places) for place in places]
    looks = {place: look(nodes, int(nodes.parents[place])) for place in places}
    shared: dict[int, list[int]] = defaultdict(list)
    for place, home in zip(places, homes, strict=True):
        if home >= 0:
            shared[home].append(place)
    found: dict[tuple[str, ...], list[tuple[int, ...]]] = defaultdict(list)
    for home, inner in shared.items():
        if len(inner) == 1:
            found[look(nodes, home)].append((home,))
    taken: set[int] = set()
    together = sorted(place for inner in shared.values() if len(inner) > 1 for place in inner)
    for layout, group in found.items():
        grown = _grown(nodes, [area[0] for area in group], places)
        silent = {node for node in _silent(nodes, grown, places) if inside(together, nodes, node)}
        taken.update(places[bisect_left(places, node)] for node in silent)
        found[layout] = [(node,) for node in sorted({*grown, *silent})]
    for home, inner in shared.items():
        if len(inner) > 1 and not taken.issuperset(inner):
            for area in _divided(nodes, home, [place for place in inner if place not in taken], places):
                found["divided", *look(nodes, area[0])].append(area)
    roots = sorted({root for group in found.values() for area in group for root in area})
    called = {lines[number].node: name for number, name in names.items()}
    named = {lines[number].node: number in names for number in heads}
    moments = {lines[number].node: date for number, date in timed.items()}

    def post(record: Record) -> HeadedPost:
        is_named = _first(record, named) or False
        return HeadedPost(record, _first(record, called), _first(record, looks) or (), is_named, _first(record, moments))

    groups = ([areas.without_inner(area, roots) for area in group] for group in found.values())
    return [list(map(post, records)) for own in groups if (records := areas.records_of(own, marked))]


def spoken_lines(areas: PostAreas, dates: PostDates) -> list[tuple[str, ReportDate, str]]:
    """Name, day and text of posts that are one line each: "Jane (4 May 2012): Thanks", "Thanks -- Jane, 4 May 2012".

    :returns: nothing if they are not most of the page's lines.
    """
    lines = [line for line in areas.lines if not line.linked and not line.heading]
    found: list[tuple[str, ReportDate, str]] = []
    for number, line in enumerate(lines, 1):
        if (parts := _spoken(areas, dates, line.text)) is not None and parts[2]:
            found.append(parts)
        if len(found) + len(lines) - number < _SPOKEN * len(lines):
            return []  # on most pages soon
    return found if len(found) >= _LEAST_SPOKEN else []


def signed_lines(areas: PostAreas, dates: PostDates) -> list[tuple[str, ReportDate, str]]:
    """Name, day and text of posts that end with a linked name and a moment, as on talk pages of wikis: "Thanks. Jane (talk)
    10:02, 4 May 2012 (UTC)". What stands above, from the last signature or heading on, belongs to the post."""
    found: list[tuple[str, ReportDate, str]] = []
    texts: list[str] = []
    for line in areas.lines:
        if line.heading:
            texts.clear()
        elif not texts and line.linked and line.text.startswith("[") and line.text.endswith("]"):
            continue  # the button of a section ("[edit]")
        elif (parts := _signed(line, dates)) is None:
            texts.append(line.text)
        else:
            name, day, text = parts
            found.append((name, day, "\n".join(filter(None, [*texts, text]))))
            texts.clear()
    found = [post for post in found if any(map(str.isalpha, post[2]))]
    return found if len(found) > 1 else []


def _signed(line: TextLine, dates: PostDates) -> tuple[str, ReportDate, str] | None:
    """The name, the day and the text of a line that ends with a signature."""
    *before, last = _without_buttons(line.leaves)
    clock = _CLOCK_IN.search(last.text[-_MAX_BESIDE:]) if last.link < 0 else None
    parsed = dates.text(last.text)[:1] if clock is not None else []
    if not parsed or sum(map(str.isalpha, last.text.replace(parsed[0].evidence, ""))) > _MAX_ZONE:
        return None
    text_leaves = _without_buttons(before, 0)
    named = [leaf.text for leaf in reversed(before[len(text_leaves) :]) if leaf.link >= 0]
    day, name = parsed[0].report("text"), clean_name(named[-1]) if named else None
    text = " ".join(leaf.text for leaf in text_leaves).rstrip(" -–—~")
    if name is None or not has_day(day) or text.lower().rpartition(" ")[2] in words()["author"]["by"]:
        return None  # "Last post by Jane"
    return name, day, text


def _without_buttons(leaves: Sequence[Leaf], least: int = 1) -> list[Leaf]:
    """The leaves of a line without the links that end it, and what has no letters and no digits beside them."""
    kept = list(leaves)
    while len(kept) > least and (kept[-1].link >= 0 or not any(map(str.isalnum, kept[-1].text))):
        kept.pop()
    return kept


def _spoken(areas: PostAreas, dates: PostDates, text: str) -> tuple[str, ReportDate, str] | None:
    """The name, the day and the text of a line."""
    start, end = text[:_MAX_BESIDE], text[-_MAX_BESIDE:]
    if not any(map(str.isdigit, start + end)):
        return None
    for parsed in dates.text(start)[:1]:
        behind = text[parsed.end :].lstrip(" )]")
        name = areas.before_date(text[: parsed.end])
        if name is not None and behind.startswith(":") and has_day(parsed.report("text")):
            return name, parsed.report("text"), behind[1:].strip()
    for parsed in dates.text(end)[:1]:
        own, mark, name = end[: parsed.start].rstrip(" ,(").rpartition("-- ")
        named = clean_name(name)
        if mark and named is not None and not end[parsed.end :].strip(" ).") and has_day(parsed.report("text")):
            return named, parsed.report("text"), (text[: -len(end)] + own).strip()
    return None


def _first(record: Record, values: Mapping[int, _Value]) -> _Value | None:
    """The value of the first line of a record that has one, by the first node of the line."""
    return next((values[item.nodes[0]] for item in record.items if item.nodes[0] in values), None)


def _is_head(nodes: Nodes, line: TextLine, dates: PostDates) -> bool:
    """Whether a line is hardly more than a name and the day of a post."""
    text = line.text
    if len(text) > _MAX_HEAD or line.label or line.heading in ("h1", "h2") or is_imprint(text):
        return False
    is_dated = text_kind(text) == "date"
    is_counted = is_dated or any(map(str.isdigit, text))
    stamped = [leaf.node for leaf in line.leaves if is_dated or _is_stamped(nodes, leaf.node)]
    if not (is_counted or stamped) or other_day(text):
        return False
    for parsed in dates.text(text)[:1] if is_counted else ():
        beside = sum(map(str.isalpha, text)) - sum(map(str.isalpha, parsed.evidence))
        if has_day(parsed.report("text")) and beside <= _MAX_BESIDE:
            return True
    for node in dict.fromkeys(_own_element(nodes, leaf, len(line.leaves)) for leaf in stamped):
        item = Item(text, "text", None, "", False, (node,))
        date = dates.find(nodes, Record(text, (item,), 0, (node,)), others=False)
        if date is not None and has_day(date):
            return True
    return False


def _timed(areas: PostAreas, dates: PostDates, heads: Sequence[int]) -> dict[int, ReportDate]:
    """The heads of a chat, by the numbers of their lines: a name and a time, below lines that are only a day.

    :returns: when each was written; nothing where heads have days of their own, or no more than one has the same day.
    """
    lines = areas.lines
    clocks = {number: text for number, line in enumerate(lines) if (text := _clock(line))}
    if len(clocks) <= len(heads) or any(text_kind(lines[number].text) != "date" for number in heads):
        return {}
    found: dict[int, ReportDate] = {}
    for number, text in clocks.items():
        place = bisect_left(heads, number) - 1
        parsed = dates.text(f"{lines[heads[place]].text} {text}")[:1] if place >= 0 else []
        if parsed and heads[place] != number:
            found[number] = parsed[0].report("text")
    return found if len(found) > len(heads) else {}


def _clock(line: TextLine) -> str:
    """The time of day that is a text of its own in a short line; empty without one."""
    is_short = len(line.text) <= _MAX_HEAD and not line.heading and not line.label
    clocks = (leaf.text for leaf in line.leaves if is_short and _CLOCK.fullmatch(leaf.text))
    return next(clocks, "").strip("[]()")


def _before_clock(line: TextLine) -> str | None:
    """The name that is all of a line except a time."""
    if not _clock(line):
        return None
    beside = " ".join(leaf.text for leaf in line.leaves if not _CLOCK.fullmatch(leaf.text))
    return clean_name(beside) if 0 < len(beside) <= MAX_NAME_LINE else None


def _controls(nodes: Nodes, heads: Sequence[int]) -> set[int]:
    """What is in elements whose class says that no author wrote it (buttons, votes), if they have no heads of posts."""
    removed = words()["body"]["removed"]
    found: set[int] = set()
    end = 0
    for node, attributes in enumerate(nodes.attributes):
        is_control = node >= end and "class" in attributes and not class_words(attributes["class"]).isdisjoint(removed)
        if is_control and not inside(heads, nodes, node):
            end = int(nodes.ends[node])
            found.update(range(node, end))
    return found


def _is_stamped(nodes: Nodes, text: int) -> bool:
    """Whether one of the next elements around a text may hold a day for machines."""
    return any(not _STAMPS.isdisjoint(nodes.attributes[around]) for around in ancestors(nodes, text, most=_STAMP_LEVELS))


def _own_element(nodes: Nodes, node: int, count: int, *, in_comments: bool = True) -> int:
    """The largest element around a node that has so many texts at most: those of a line, or of the node.

    :param in_comments: whether it may be a list of comments, or around one.
    """
    while nodes.tags[node] != "body" and (parent := int(nodes.parents[node])) >= 0 and nodes.tags[parent] != "body":
        if nodes.count_texts(parent) > count or (not in_comments and lists_comments(nodes, parent)):
            break
        node = parent
    return node


def _names_beside(areas: PostAreas, heads: Sequence[int]) -> dict[int, str]:
    """The authors that heads of posts name, or the lines before or else behind those that hold only a day.

    :param heads: numbers of lines.
    :returns: the numbers of lines with a name, and the names.
    """
    found: dict[int, str] = {}
    bare: list[int] = []
    for number in heads:
        text = areas.lines[number].text
        if (name := areas.before_day(areas.lines[number]) or _before_clock(areas.lines[number])) is not None:
            found[number] = name
        elif is_date(text) or _CLOCK.fullmatch(text):
            bare.append(number)
    for step in (-1, 1):
        near = [number for number in bare if _are_near(areas, number, number + step, _NEAR)]
        beside = {number + step: _line_name(areas, areas.lines[number + step]) for number in near}
        named = {number: name for number, name in beside.items() if name is not None and number not in heads}
        are_several = len(set(named.values())) > 1 and len(named) >= _NAMED * len(bare)
        # Names though nothing else says so: small headings, or alone with the day in an element.
        are_alone = (
            step < 0
            and len(named) == len(bare)
            and all(
                areas.lines[number + step].heading in _SMALL_HEADINGS or _are_near(areas, number, number + step, _ALONE)
                for number in bare
            )
        )
        if are_several or are_alone:
            return found | named
    return found


def _are_near(areas: PostAreas, one: int, other: int, most: int) -> bool:
    """Whether two lines, given by their numbers, are in an element that has few others."""
    if not 0 <= other < len(areas.lines):
        return False
    first, last = sorted((areas.lines[one].node, areas.lines[other].node))
    node = next(around for around in ancestors(areas.nodes, first) if areas.nodes.ends[around] > last)
    return len(areas.lines_in((node,))) <= most


def _line_name(areas: PostAreas, line: TextLine) -> str | None:
    """The name that is all of a line."""
    is_short = len(line.text) <= MAX_NAME_LINE and not line.linked
    if line.text[-1] in "?!:" or (line.text[-1] == "." and line.text[-3:-2] != " "):
        return None  # a sentence, and no "Anna W."
    return clean_name(areas.own_name(line)) if is_short else None


def _is_text(nodes: Nodes, line: TextLine) -> bool:
    """Whether a line may be of a post's text: not a button, a count, a name."""
    is_text = text_kind(line.text) == "text" or line.text == "+1"
    if line.linked or line.heading or line.label or not is_text or is_count(line.text):
        return False
    linked = {leaf.text for leaf in line.leaves if leaf.link >= 0}
    own = [leaf.text for leaf in line.leaves if leaf.link < 0 and leaf.text not in linked]
    if linked and sum(map(len, own)) < min(_OWN, sum(map(len, linked))):
        return False  # a name twice, a title with "by" behind it
    parts = " ".join(own).split() if linked else line.text.split()
    # Chinese has no blanks between words; "1 个月 后" is a figure, too.
    count = len(parts) + sum(character > WIDE for character in line.text) // 4
    if "+1" not in parts and _FIGURES * sum(any(map(str.isdigit, part)) for part in parts) >= count:
        return False  # "43 posts 4 bronze badges"
    if len(line.text) <= _MAX_BESIDE:
        lists = words()["author"]
        named = {*lists["classes"], *lists["weak_classes"]}
        around = range(_own_element(nodes, line.node, len(line.leaves)), line.node)
        if any(not named.isdisjoint(class_words(nodes.attributes[node].get("class", ""))) for node in around):
            return False
    letters = sum(map(str.isalpha, line.text))
    return (letters >= _LEAST_LETTERS or "+1" in line.text) and line.text.lower() not in words()["author"]["refused"]


def _home(nodes: Nodes, head: int, texts: Sequence[int], bodies: Sequence[int], heads: Sequence[int]) -> int:
    """The smallest element around a head that has text; -1 for none.

    :param bodies: texts within what markup calls the body of a post: an element with one of them is better, if it has no
        more heads.
    """
    home = -1
    for node in ancestors(nodes, head, 0, _MAX_LEVELS):
        if home >= 0 and len(inside(heads, nodes, node)) > len(inside(heads, nodes, home)):
            break
        if inside(bodies, nodes, node):
            return node
        if home < 0 and inside(texts, nodes, node):
            home = node
    return home


def _grown(nodes: Nodes, group: list[int], heads: Sequence[int]) -> list[int]:
    """The elements of posts of one layout, as large as they can be while each holds the same heads.

    A single one grows while it has the same texts.
    """
    if len(group) == 1:
        return [_own_element(nodes, group[0], nodes.count_texts(group[0]), in_comments=False)]
    while True:
        around = [int(nodes.parents[node]) for node in group]
        is_same = len(set(around)) == len(around) and all(
            inside(heads, nodes, node) == inside(heads, nodes, parent) for node, parent in zip(group, around, strict=True)
        )
        if not is_same or any(lists_comments(nodes, node) for node in around):
            return group
        group = around


def _silent(nodes: Nodes, group: Sequence[int], heads: Sequence[int]) -> set[int]:
    """What stands beside elements of posts, is called as they are, and has a head, too, but no text."""
    looks = {look(nodes, node) for node in group}
    parents = dict.fromkeys(int(nodes.parents[node]) for node in group) if len(group) > 1 else ()
    beside = {node for parent in parents for node in nodes.children[parent] if nodes.tags[node]}
    return {node for node in beside.difference(group) if len(inside(heads, nodes, node)) == 1 and look(nodes, node) in looks}


def _divided(nodes: Nodes, home: int, own: Sequence[int], heads: Sequence[int]) -> list[tuple[int, ...]]:
    """The children of an element from each head to the next one; what follows the last head ends where other posts do not go
    on.

    :param own: heads that have no smaller element.
    :param heads: all of the page, ascending.
    """
    children = nodes.children[home]
    starts = sorted({bisect_left(children, head + 1) - 1 for head in inside(heads, nodes, home)})
    kept = {bisect_left(children, head + 1) - 1 for head in own}
    runs = zip(starts, [*starts[1:], len(children)], strict=True)
    areas = [tuple(children[start:end]) for start, end in runs if start in kept and start >= 0]
    known = {nodes.tags[node] for area in areas[:-1] for node in area}
    if areas and known:
        last = areas[-1]
        ends = [number for number, node in enumerate(last) if number and nodes.tags[node] not in known | _PARAGRAPHS]
        areas[-1] = last[: ends[0]] if ends else last
    return areas
