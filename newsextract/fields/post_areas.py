"""The areas of posts on a page of a thread: each the smallest part of the page that holds a name, a date and text.

:class:`PostAreas` mends what an algorithm's records lack: a post's head and foot, posts that were changed or are only a
picture, the opening post, names that nothing marks; and it finds the only post of a page.

Cost: one pass over the page where an area is looked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from newsextract.fields.post_elements import (
    DIGITS,
    ancestors,
    block_around,
    class_names,
    class_words,
    grown,
    inside,
    link_around,
    look,
    words,
)
from newsextract.fields.post_fields import SET_OFF, clean_name, find_author, has_day
from newsextract.fields.post_lines import PostLines, TextLine, is_prose
from newsextract.fields.post_quotes import MAX_NAME_LINE
from newsextract.fields.post_text import is_title
from newsextract.page.nodes import Nodes
from newsextract.results import Record

if TYPE_CHECKING:
    from newsextract.fields.posts import PostFields

_MAX_AREAS = 40
"""Areas around a text that are looked at."""
_REPEATED = 0.8
"""Share of the posts from which on a line that they repeat is not their text."""
_PARTS = 4
"""Parts of one post, at most."""
_MAX_HEAD_LINES = 12
"""Lines of a post among which a name is looked for."""
_LEAST_WRITTEN, _WRITTEN = 3, 0.7
"""Least number and share of the posts with a day and a sentence where nothing but its place tells a name."""
_DIFFERENT = 0.25
"""Names of the posts that have one, to their number, at least: fewer are ranks or sections."""
_MAX_NAME_WORDS = 3
"""Words of a name that nothing but its place tells."""


class _MayName(NamedTuple):
    """A text of a post that may be its author's name."""

    text: str
    place: tuple[str, ...]
    """The tag that sets it off, and what is around it."""
    node: int


class PostAreas(PostLines):
    """Where on a page posts stand that no algorithm has found."""

    def records_of(self, areas: Sequence[tuple[int, ...]], heads: Set[int]) -> list[Record]:
        """Areas of posts of one layout as records, those without text left out.

        The text of a short post is where the others have theirs, not the longest of its lines.

        :param heads: numbers of lines that are no text.
        """
        areas = [area for area in areas if area]
        without = {self.lines[number].node for number in heads}
        texts = [[line for line in self.lines_in(area) if not line.linked and line.node not in without] for area in areas]
        # What most posts repeat is a button or a note.
        least = max(2, _REPEATED * len(areas))
        shared = Counter(text for lines in texts for text in {line.text for line in lines})
        repeated = {text for text, count in shared.items() if count > 1 and (count == len(areas) or count > least)}
        texts = [[line for line in lines if line.text not in repeated] or lines for lines in texts]
        written = [max(lines, key=lambda line: len(line.text)) for lines in texts if lines]
        if not written:
            return []
        place = Counter(self._class_around(line.node) for line in written).most_common(1)[0][0]
        seeds = [next((line for line in lines if self._class_around(line.node) == place), None) for lines in texts]
        found = [
            self._record(area, seed) if seed is not None else self._silent(area)
            for area, seed in zip(areas, seeds, strict=True)
            if seed is not None or self._shows_picture(area, place)
        ]
        items = [
            [replace(i, static=True) if i.text in repeated and i.label != "body" else i for i in record.items]
            for record in found
        ]
        return [replace(record, items=tuple(own)) for record, own in zip(found, items, strict=True)]

    def _silent(self, area: Sequence[int]) -> Record:
        """An area as the record of a post without text: none of its lines is one."""
        lines = self.lines_in(area)
        record = self._record(area, lines[-1])
        items = [replace(item, label=item.label.replace("body", ""), static=True) for item in record.items]
        return replace(record, items=tuple(items))

    def _shows_picture(self, area: Sequence[int], place: str) -> bool:
        """Whether the element that is called as those around the texts of other posts has only a picture."""
        nodes = self.nodes
        return bool(place and self.lines_in(area)) and any(
            nodes.tags[node]
            and nodes.attributes[node].get("class", "") == place
            and not nodes.text_nodes(node)
            and "img" in nodes.tags[node : int(nodes.ends[node])]
            for part in area
            for node in range(part, int(nodes.ends[part]))
        )

    def without_inner(self, area: Sequence[int], roots: Sequence[int]) -> tuple[int, ...]:
        """The largest parts of an area that hold none of the posts within it, of which all roots are given, ascending."""
        nodes = self.nodes
        found: list[int] = []
        for part in area:
            is_whole = not any(root > part for root in inside(roots, nodes, part))
            below = [child for child in nodes.children[part] if child not in inside(roots, nodes, child)[:1]]
            found += [part] if is_whole else self.without_inner(below, roots)
        return tuple(found)

    def is_called(self, record: Record) -> bool:
        """Whether markup calls the element around a record a post, or its text the body of one."""
        nodes = self.nodes
        node = record.nodes[0]
        while nodes.ends[node] < nodes.ends[record.nodes[-1]]:
            node = int(nodes.parents[node])
        if not class_words(nodes.attributes[node].get("class", "")).isdisjoint(words()["body"]["wholes"]):
            return True
        return any(item.label == "body" and self._within(item.nodes[0])[0] for item in record.items if item.nodes)

    def _class_around(self, node: int) -> str:
        """The class of the element around a text."""
        given = (self.nodes.attributes[around] for around in ancestors(self.nodes, node))
        return next((own["class"] for own in given if "class" in own), "")

    def _is_whole(self, record: Record) -> bool:
        """Whether a record has a name and a date of its own."""
        name = find_author(self.nodes, record, self.page.url)
        return name is not None and self._dates.find(self.nodes, record, others=False) is not None

    def completed(self, records: Sequence[Record]) -> list[Record]:
        """The parts of a page's only post (head, text, foot) give way to the post around all of them.

        The parts of a post are called by different names; posts are alike.
        """
        nodes = self.nodes
        roots = [root for record in records for root in record.nodes]
        called = {(nodes.tags[root], nodes.attributes[root].get("class", "")) for root in roots}
        if not 0 < len(records) <= _PARTS or len(called) < len(roots):
            return list(records)
        named = [(name, record) for record in records if (name := find_author(nodes, record, self.page.url))]
        # The head has the name and the day, and the panel beside the text the name once more.
        if len({name for name, _ in named}) > 1 or sum(self._is_whole(record) for _, record in named) > (len(named) > 1):
            return list(records)
        post = self.alone()
        is_around = post and all(any(part <= root < nodes.ends[part] for part in post[0].nodes) for root in roots)
        return post if is_around else list(records)

    def with_others(self, records: Sequence[Record]) -> list[Record]:
        """Records with the posts that have all class names that theirs share, and more: those that were changed.

        Their place is the same: their parent is called as that of a record. Texts of posts have no name and no date;
        to them come those that no algorithm compares: pictures and single emoji.
        """
        nodes = self.nodes
        roots = [record.nodes[0] for record in records if len(record.nodes) == 1]
        marks = [(nodes.tags[root], class_names(nodes, root)) for root in roots]
        shared = frozenset.intersection(*[names for _, names in marks]) if marks else frozenset()
        if len(roots) < max(2, len(records)) or not shared or len({tag for tag, _ in marks}) > 1:
            return list(records)
        spans = sorted((root, int(nodes.ends[root])) for root in roots)
        starts = [start for start, _ in spans]
        places = {_place(nodes, root) for root in roots}
        parents = {place[1:] for place in places}
        are_texts = len(set(marks)) == 1 and not any(map(self._is_whole, records))
        found = list(records)
        end = 0
        for node in nodes.by_tag[marks[0][0]]:
            if node < end or not shared <= class_names(nodes, node):
                continue
            before = bisect_left(starts, node)
            is_apart = bisect_left(starts, int(nodes.ends[node])) == before and (before == 0 or spans[before - 1][1] <= node)
            text, has_picture = nodes.text(node), "img" in nodes.tags[node : int(nodes.ends[node])]
            is_silent = len(text) == 1 or (not text and has_picture)
            if is_apart and are_texts and _place(nodes, node)[1:] in parents and is_silent:
                found.append(Record(text, (), 0, (node,)))
                end = int(nodes.ends[node])
            if not is_apart or _place(nodes, node) not in places:
                continue
            seeds = self._seeds(node, int(nodes.ends[node]))
            record = self._record((node,), seeds[0]) if seeds else None
            if record is not None and self._is_whole(record):
                found.append(record)
                end = int(nodes.ends[node])
        return sorted(found, key=lambda record: record.nodes[:1]) if len(found) > len(records) else found

    def with_names(
        self, records: Sequence[Record], within: Sequence[int | None], fields: Sequence[PostFields]
    ) -> list[PostFields]:
        """Posts with authors where nothing on the page tells those of most: the first line in bold or a heading, if most
        posts have one at the same place and not all have the same; else, of posts with a day and a sentence each, the line
        that differs most.
        """
        unnamed = [number for number, post in enumerate(fields) if post.author is None]
        if len(fields) > 1 and unnamed == [0]:
            # The first post may be headed otherwise than the others ("作者 jane").
            before = self.lines[: bisect_left(self._starts, records[0].nodes[0])][-_MAX_HEAD_LINES:]
            named = next((item.text for field, item in self._labelled(before) if field == "author"), "")
            return [replace(fields[0], author=clean_name(named)), *fields[1:]]
        if len(fields) < 2 or 2 * len(unnamed) < len(fields):
            return list(fields)
        lines = [self._before_text(record, area, post) for record, area, post in zip(records, within, fields, strict=True)]
        firsts = (next((one.place for one in lines[n] if one.place[0]), None) for n in unnamed)
        places = Counter(filter(None, firsts)).most_common(1)
        place, count = places[0] if places else ((), 0)
        names = {n: one.text for n in unnamed for one in lines[n][::-1] if one.place == place}
        if 2 * count < len(fields) or len(set(names.values())) < 2:
            written = sum(post.date is not None and is_prose(post.body) for post in fields)
            may_have = written >= max(_LEAST_WRITTEN, _WRITTEN * len(fields))
            names = self._most_different(lines, [_named_items(record) for record in records]) if may_have else {}
        return [replace(post, author=post.author or names.get(n)) for n, post in enumerate(fields)]

    def _most_different(self, *sources: Sequence[Sequence[_MayName]]) -> dict[int, str]:
        """The names of posts by their numbers: the short texts at the (first) place of most posts where they differ most.
        Ranks and buttons differ less than authors. Titles are links, and no two are the same, unlike the names of pictures.

        :param sources: what may be names in each post; the next where the one before has none.
        """
        for source in sources:
            places: dict[tuple[tuple[str, ...], int], dict[int, _MayName]] = {}
            for number, found in enumerate(source):
                times = Counter[tuple[str, ...]]()
                # "Posts: 12", "12 votes"
                for one in (one for one in found if ":" not in one.text and not any(map(str.isdigit, one.text.split()))):
                    around = one.place[1:]
                    places.setdefault((around, times[around]), {})[number] = one
                    times[around] += 1
            most: dict[int, str] = {}
            for own in places.values():
                names = {number: one.text for number, one in own.items()}
                different = len(set(names.values()))
                is_short = all(name.count(" ") < _MAX_NAME_WORDS for name in names.values())
                is_common = len(own) >= _REPEATED * len(source) and different >= max(2, _DIFFERENT * len(own))
                if is_short and is_common and different > len(set(most.values())):
                    unpictured = (one for one in own.values() if one.text not in self._pictured)
                    links = any(link_around(self.nodes, one.node, 0) >= 0 for one in unpictured)
                    most = most if links and different == len(own) else names
            if most:
                return most
        return {}

    @cached_property
    def _pictured(self) -> frozenset[str]:
        """What the pictures of the page show: a portrait is described by a name."""
        return frozenset(self.nodes.attributes[node].get("alt", "").strip() for node in self.nodes.by_tag["img"])

    def _before_text(self, record: Record, area: int | None, post: PostFields) -> list[_MayName]:
        """Lines before a post's text that may be a name."""
        nodes = self.nodes
        roots = (area,) if area is not None else record.nodes
        start, end = bisect_left(self._starts, roots[0]), bisect_left(self._starts, int(nodes.ends[roots[-1]]))
        first = post.first_line
        found: list[_MayName] = []
        for line in self.lines[start : min(end, start + _MAX_HEAD_LINES)]:
            if first and line.text.startswith(first):
                break
            is_short = len(line.text) <= MAX_NAME_LINE and line.text[-1] not in "?!:"
            dated = self.before_day(line) if not is_short or any(map(str.isdigit, line.text)) else None
            name = dated or (clean_name(self.own_name(line)) if is_short else None)
            if name is None or len(name) == 1 or is_title(line.text, self.page.metadata.title or ""):
                continue
            holders = {nodes.tags[holder] for leaf in line.leaves for holder in leaf.holders}
            node = block_around(nodes, line.node)
            given = nodes.attributes[node]
            # An id without a number is that of one element only.
            around = (nodes.tags[node], DIGITS.sub("", given.get("class", "") or given.get("id", "")))
            # A linked line may be the title of a thread on a board.
            set_off = "" if line.linked else "date" if dated else next(iter(sorted(holders & SET_OFF)), "")
            found.append(_MayName(name, (set_off, *around), line.node))
        return found

    def of(self, records: Sequence[Record]) -> list[int | None]:
        """For each record the largest element around it that holds no other; None for several roots, or an only one."""
        nodes = self.nodes
        starts = sorted(record.nodes[0] for record in records if record.nodes)
        found: list[int | None] = []
        for record in records:
            if len(record.nodes) != 1 or len(starts) < 2:
                found.append(None)
                continue
            node = record.nodes[0]
            place = bisect_left(starts, node)
            before = starts[place - 1] if place else -1
            behind = starts[place + 1] if place + 1 < len(starts) else len(nodes)
            found.append(grown(nodes, node, before, behind))
        return found

    def opening(self, records: Sequence[Sequence[int]]) -> Record | None:
        """The post above the list of the others; None without one.

        :param records: the roots of those that were found, in document order.
        """
        if not records:
            return None
        # Its head may stand before the first record.
        starts = sorted(roots[0] for roots in records)
        first = grown(self.nodes, starts[0], 0, starts[1]) if len(starts) > 1 else starts[0]
        for seed in self._seeds(0, first)[:1]:
            area = self._around(seed, first)
            return self._record(area, seed) if area else self._reported(seed, records, first)
        return None

    def _reported(self, seed: TextLine, records: Sequence[Sequence[int]], first: int) -> Record | None:
        """The text of a report whose author and day are named elsewhere, beside the comments ("Reporter:", "Created:")."""
        nodes = self.nodes
        held = {node for roots in records for root in roots for node in range(root, int(nodes.ends[root]))}
        named = dict(self._labelled([line for line in self.lines if line.node not in held]))
        if len(named) < 2:
            return None
        record = self._record((grown(nodes, seed.node, 0, first),), seed)
        return replace(record, items=(*record.items, *named.values()))

    def beside(self, records: Sequence[Record]) -> bool:
        """Whether the page's longest text, with a name and a date, is outside of all records: these are figures."""
        spans = [(record.nodes[0], int(self.nodes.ends[record.nodes[-1]])) for record in records if record.nodes]
        areas = [(area.nodes[0], int(self.nodes.ends[area.nodes[-1]])) for area in self.alone()]
        return any(all(end <= first or last <= start for first, last in spans) for start, end in areas)

    def alone(self) -> list[Record]:
        """The post around the page's longest text, if there is one."""
        seeds = self._seeds(0, len(self.nodes))[:1]
        return [self._record(area, seed) for seed in seeds if (area := self._around(seed, len(self.nodes)))]

    def _around(self, seed: TextLine, end: int) -> tuple[int, ...]:
        """The smallest area around a text that has an author and a date and ends before a node; empty for none."""
        nodes = self.nodes
        node = seed.node
        size = levels = 0
        while (node := int(nodes.parents[node])) >= 0 and nodes.tags[node] != "html" and levels < _MAX_AREAS:
            if size == (size := nodes.count_texts(node)):
                continue  # nothing more is in it
            levels += 1
            area = tuple(self._before(node, end, seed.node))
            record = self._record(area, seed)
            date = self._dates.find(nodes, record, others=False)
            if date is not None and has_day(date) and find_author(nodes, record, self.page.url):
                return area
        return ()

    def _before(self, node: int, end: int, seed: int) -> Iterator[int]:
        """The largest parts of an element that end before a node; of a part that goes on behind it those around a text."""
        nodes = self.nodes
        while nodes.ends[node] > end:
            parts = [child for child in nodes.children[node] if child < end and nodes.tags[child]]
            yield from (child for child in parts if nodes.ends[child] <= end)
            if not parts or not parts[-1] <= seed < nodes.ends[parts[-1]] or nodes.ends[parts[-1]] <= end:
                return
            node = parts[-1]
        yield node


def _place(nodes: Nodes, node: int) -> tuple[int, str, str]:
    """Where an element stands: its depth, and what its parent is called."""
    return int(nodes.depths[node]), *look(nodes, int(nodes.parents[node]))


def _named_items(record: Record) -> list[_MayName]:
    """The items before a record's text that may be names, by their columns; a button may be one, which is in no line."""
    pictured = {item.text for item in record.items if item.kind == "image"}
    above = takewhile(lambda item: item.label != "body", record.items)
    own = [item for item in above if item.nodes and (item.kind == "text" or (item.kind == "link" and item.text in pictured))]
    return [_MayName(name, ("", item.label), item.nodes[0]) for item in own if (name := clean_name(item.text))]
