"""Data items of records: the leaves of all records of a region, aligned into columns (Wang, Liang & Min 2019, §6).

The paper compares each record with one random other, leaf by leaf, and calls what differs dynamic. Here all records of a
region are aligned at once, in the spirit of partial tree alignment (DEPTA, Zhai & Liu 2005, §4), so that a label means
the same in each of them:

1. :mod:`.leaves`: visible texts and images with the paths of elements that lead to them;
2. lines (in :mod:`.leaves`): which of them are one item (a title with highlighted words), and elements whose whole text is
   one item (a post's body);
3. columns (below): the same column in all records;
4. labels (below): the names of the columns.

Measured by ``newsextract evaluate records`` on testbed: item F1 0.906 on folds 1-4, 0.848 on fold 0.
Cost: 3 ms on the mean page there; linear in the leaves, about 8 µs each (100 records of 25 leaves: 20 ms).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import log
from typing import Any
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from newsextract.model_files import data_table
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import (
    Paths,
    Piece,
    TextKind,
    free_texts,
    has_word,
    leaves_text,
    read_leaves,
    read_pieces,
    text_kind,
    text_width,
)
from newsextract.results import Item, ItemKind, Region

# --- columns --------------------------------------------------------------------------------------
# Columns: which pieces of the records of a region are the same data item (alignment over all records).
#
# In the spirit of DEPTA's partial tree alignment (Zhai & Liu 2005, §4): what can be told to be the same is aligned first,
# over all records at once, and what cannot is put between what was. Where a tree alignment matches elements level by level,
# the path of a leaf says the same in one step: the first pass is a table look-up, and no pairs of records are compared.
#
# 1. Pieces with the same element path are one column, where no record has two of them.
# 2. Pieces that share a path within a record (cells of a list) are told apart by their own label ("Year: 2010") or the
#    label before them, then by aligning their kinds of text to those of the longest record. Lines of a paragraph are one
#    column.
# 3. Columns that are alike and of which no record has both are one (*joining*).
#
# Cost: linear in the number of pieces, but for step 2, which costs pieces × columns of one path.

_LABEL = re.compile(r"([^\W\d_][^:：\d]{1,30}?)\s?[:：]")
_PARAGRAPH = 60
"""Median characters from which repeated pieces are paragraphs of one text."""
_LABEL_SHARE = 0.3
"""Share of the records in which a label must stand."""


MAX_ALIGNED = 60
"""Cells of one path in one record that are aligned; longer lists are columns by their numbers."""
_Look = tuple[TextKind, bool]
"""Kind of text of a cell, and whether it is a link."""


@dataclass(slots=True, eq=False)
class Cell:
    """A piece with its text and column."""

    piece: Piece
    text: str
    record: int
    place: int
    """Its place in the record."""
    path: int
    """That of the piece, or of the free text that it is part of."""
    free: bool
    column: int = -1

    @property
    def kind(self) -> TextKind:
        """What kind of text it is."""
        return text_kind(self.text)


def read_cells(records: Sequence[Sequence[Piece]], paths: Paths) -> list[list[Cell]]:
    """The cells of each record, without columns; separators left out."""
    free = free_texts(records, paths)
    table: list[list[Cell]] = []
    for number, record in enumerate(records):
        row: list[Cell] = []
        for piece in record:
            text = leaves_text(piece.leaves)
            if has_word(text) or _is_drawn(text):
                path = free.get(piece.path, -1)
                row.append(Cell(piece, text, number, len(row), piece.path if path < 0 else path, path >= 0))
        table.append(row)
    return table


def assign_columns(table: Sequence[Sequence[Cell]], paths: Paths) -> None:
    """Give every cell its column; cells of one record with the same column are one item."""
    groups: dict[object, list[Cell]] = defaultdict(list)
    for row in table:
        for cell in row:
            groups[cell.path, cell.piece.leaves[0].image].append(cell)
    count = 0
    for group in groups.values():
        for column in _told_apart(group, table, paths):
            for cell in column:
                cell.column = count
            count += 1


def _is_drawn(text: str) -> bool:
    """Whether a text without letters says something: stars of a rating, an arrow of a trend."""
    return any(character in "★☆⭐✩✭♥❤▲▼✓✔" for character in text)


def _told_apart(group: list[Cell], table: Sequence[Sequence[Cell]], paths: Paths) -> Iterable[list[Cell]]:
    """The columns of the cells with one path."""
    per_record = Counter(cell.record for cell in group)
    if group[0].free or max(per_record.values()) == 1 or _are_paragraphs(group, per_record, paths):
        return [group]
    parts: dict[object, list[Cell]] = defaultdict(list)
    labels = _column_labels(group, table)
    for cell, label in zip(group, labels, strict=True):
        parts[label].append(cell)
    columns: list[list[Cell]] = []
    for part in parts.values():
        columns += _aligned(part)
    return columns


def _are_paragraphs(group: list[Cell], per_record: Counter[int], paths: Paths) -> bool:
    """Whether cells are the lines of one text: more or fewer of them, and long or broken within one element."""
    # Lines of one element are told by its number; pieces of one line are no paragraphs.
    lines = {(cell.piece.leaves[0].holders[-1], cell.piece.leaves[0].run) for cell in group}
    if len(lines) < len(group):
        return False
    broken = len({element for element, _ in lines}) < 0.8 * len(group)
    lengths = sorted(len(cell.text) for cell in group)
    long = lengths[len(lengths) // 2] >= _PARAGRAPH
    varied = len(set(per_record.values())) > 1
    paragraphs = broken or paths.tags[group[0].path] == "p"
    return (long and varied) or (paragraphs and (long or varied))


def _column_labels(group: list[Cell], table: Sequence[Sequence[Cell]]) -> list[str]:
    """The label of each cell: its own, its whole text, or the one before it; empty where none is shared by many records."""
    own = [_own_label(cell.text) for cell in group]
    before = [table[cell.record][cell.place - 1].text if cell.place else "" for cell in group]
    records = len({cell.record for cell in group})
    needed = max(2, _LABEL_SHARE * records)
    shared_own = _shared(zip(own, group, strict=True), needed)
    shared_text = _shared(((cell.text, cell) for cell in group), needed)
    shared_before = _shared(zip(before, group, strict=True), needed)
    labels = []
    for cell, mine, ahead in zip(group, own, before, strict=True):
        if mine in shared_own:
            labels.append(mine + ":")
        elif cell.text in shared_text:
            labels.append(cell.text)
        elif ahead in shared_before:
            labels.append("after " + ahead)
        else:
            labels.append("")
    return labels


def _shared(labelled: Iterable[tuple[str, Cell]], needed: float) -> set[str]:
    """Labels that stand in enough records, once in each."""
    records: dict[str, list[int]] = defaultdict(list)
    for label, cell in labelled:
        if label:
            records[label].append(cell.record)
    return {label for label, found in records.items() if len(found) >= needed and len(set(found)) == len(found)}


def _own_label(text: str) -> str:
    match = _LABEL.match(text)
    return match.group(1) if match is not None else ""


def _aligned(part: list[Cell]) -> list[list[Cell]]:
    """Cells of one path in columns: each record aligned to the columns of those before it, the longest record first."""
    rows: dict[int, list[Cell]] = defaultdict(list)
    for cell in part:
        rows[cell.record].append(cell)
    longest = max(map(len, rows.values()))
    if longest == 1:
        return [part]
    columns: list[list[Cell]] = [[] for _ in range(longest)]
    looks: list[_Look] = []
    known: dict[tuple[_Look, ...], list[int]] = {}
    for row in sorted(rows.values(), key=len, reverse=True):
        own = tuple((cell.kind, cell.piece.leaves[0].link >= 0) for cell in row)
        if not looks:
            looks = list(own)
        places = known.get(own)
        if places is None:
            places = known[own] = _places(own, looks) if len(own) < longest <= MAX_ALIGNED else list(range(len(own)))
        for cell, place in zip(row, places, strict=True):
            columns[place].append(cell)
    return [sorted(column, key=lambda cell: (cell.record, cell.place)) for column in columns]


def _places(own: Sequence[_Look], columns: Sequence[_Look]) -> list[int]:
    """The columns of a record's cells, ascending, with the most equal looks; the first ones where several ways are equal.

    Global alignment (Needleman & Wunsch 1970) without gaps in the record: every cell has a column.
    """
    gaps = len(columns) - len(own)
    # best[g]: the score of the cells so far when g columns have been left empty before them.
    best = [0.0] * (gaps + 1)
    ways: list[list[int]] = []
    for number, look in enumerate(own):
        scores = [best[gap] + _alike(look, columns[number + gap]) for gap in range(gaps + 1)]
        way = list(range(gaps + 1))
        for gap in range(1, gaps + 1):
            # The cell may stand further left: the gap is then taken behind it.
            if scores[gap - 1] >= scores[gap]:
                scores[gap], way[gap] = scores[gap - 1], way[gap - 1]
        best = scores
        ways.append(way)
    places: list[int] = []
    gap = gaps
    for number in range(len(own) - 1, -1, -1):
        gap = ways[number][gap]
        places.append(number + gap)
    return places[::-1]


def _alike(one: _Look, other: _Look) -> float:
    return (2.0 if one[0] == other[0] else 0.0) + (1.0 if one[1] == other[1] else 0.0)


# --- joining --------------------------------------------------------------------------------------
# Joins columns that are one in different layouts: the title of an advertisement and that of a hit, a price and one on sale.
#
# Two columns may be one when no record has both, when they stand in the same order to all columns that both meet, and
# when they look alike: their paths (tags, and the class of the last element), kinds of text, links, lengths.
# The most alike are joined first (compare the unique insertion place of partial tree alignment, Zhai & Liu 2005, §4.2).
#
# Cost: columns² comparisons of a few operations; order is compared in numpy for the pairs that pass.

MAX_COLUMNS = 250
"""Columns that are compared, those of most records."""
ALIKE = 3.0
"""Least likeness of columns that are joined; tuned on testbed, folds 1–4."""
SAMPLE = 30
"""Cells of a column whose kinds of text are looked at."""
_STATIC_SHARE = 0.8
COVER, BONUS = 0.95, 1.0
"""Two columns of which nearly every record has one are the more likely the same; the figures likewise."""


@dataclass(slots=True)
class _ColumnLook:
    """What a column looks like."""

    column: int
    records: int
    """The records that have it, as bits."""
    tags: tuple[str, ...]
    mark: frozenset[str]
    kind: TextKind
    link: bool
    image: bool
    length: float
    constant: str
    """Its text, if it is the same in most records; empty otherwise."""


def join_columns(table: Sequence[Sequence[Cell]], paths: Paths) -> None:
    """Give cells of columns that are one the same column."""
    looks = _looks(table, paths)
    pairs = []
    for place, one in enumerate(looks):
        for other in looks[place + 1 :]:
            if one.records & other.records == 0 and one.image == other.image:
                score = _likeness(one, other)
                if (one.records | other.records).bit_count() >= COVER * len(table):
                    score += BONUS
                if score >= ALIKE:
                    pairs.append((-score, place, other.column, one.column))
    if not pairs:
        return
    pairs.sort()
    places = _column_places(table, 1 + max(look.column for look in looks))
    records = {look.column: look.records for look in looks}
    owner = {column: column for column in records}
    for _, _, second, first in pairs:
        a, b = _owner(owner, first), _owner(owner, second)
        if a != b and records[a] & records[b] == 0 and _same_order(places, a, b):
            owner[b] = a
            records[a] |= records[b]
            places[:, a] = np.fmin(places[:, a], places[:, b])
            places[:, b] = np.nan
    for row in table:
        for cell in row:
            if cell.column in owner:
                cell.column = _owner(owner, cell.column)


def _owner(owner: dict[int, int], column: int) -> int:
    while owner[column] != column:
        column = owner[column]
    return column


def _looks(table: Sequence[Sequence[Cell]], paths: Paths) -> list[_ColumnLook]:
    cells: dict[int, list[Cell]] = defaultdict(list)
    for row in table:
        for cell in row:
            cells[cell.column].append(cell)
    looks = []
    for column, group in sorted(cells.items(), key=lambda item: -len(item[1]))[:MAX_COLUMNS]:
        steps = paths.steps(group[0].path)
        texts = Counter(cell.text for cell in group)
        text, count = texts.most_common(1)[0]
        bits = 0
        for cell in group:
            bits |= 1 << cell.record
        looks.append(
            _ColumnLook(
                column,
                bits,
                tuple(paths.tags[step] for step in steps),
                frozenset(paths.marks[steps[-1]].split()) if steps else frozenset(),
                Counter(cell.kind for cell in group[:SAMPLE]).most_common(1)[0][0],
                group[0].piece.leaves[0].link >= 0,
                group[0].piece.leaves[0].image,
                log(sum(len(cell.text) for cell in group) / len(group)),
                text if len(group) > 1 and count >= _STATIC_SHARE * len(group) else "",
            )
        )
    return looks


def _likeness(one: _ColumnLook, other: _ColumnLook) -> float:
    score = 0.0
    if one.tags == other.tags:
        score += 2.0
    elif one.tags[-2:] == other.tags[-2:]:
        score += 1.0
    if one.mark and other.mark:
        score += 2.0 * len(one.mark & other.mark) / len(one.mark | other.mark) - 0.5
    score += 1.0 if one.kind == other.kind else -1.0
    score += 0.5 if one.link == other.link else -1.0
    score -= 0.5 * max(0.0, abs(one.length - other.length) - 0.7)
    if one.constant and one.constant == other.constant:
        score += 2.0
    elif bool(one.constant) != bool(other.constant):
        score -= 0.5
    return score


def _column_places(table: Sequence[Sequence[Cell]], columns: int) -> NDArray[np.float32]:
    """Shape (records, columns): where in the record the column is first met; NaN where it is not."""
    places = np.full((len(table), columns), np.nan, dtype=np.float32)
    for number, row in enumerate(table):
        for cell in reversed(row):
            if cell.column < columns:
                places[number, cell.column] = cell.place
    return places


def _same_order(places: NDArray[np.float32], a: int, b: int) -> bool:
    """Whether two columns stand in the same order to every column that both meet."""
    behind_a, before_a = _order(places, a)
    behind_b, before_b = _order(places, b)
    return not np.any((behind_a > before_a) & (behind_b < before_b) | (behind_a < before_a) & (behind_b > before_b))


def _order(places: NDArray[np.float32], column: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each column, in how many records it stands behind and before ``column``."""
    own = places[:, column : column + 1]
    return np.count_nonzero(places > own, axis=0), np.count_nonzero(places < own, axis=0)


# --- labels ---------------------------------------------------------------------------------------
# Names of the columns of a region.
#
# A column is named after what the markup says of it (itemprop, ``rel``, ``<time>``, headings, words of class names), checked
# against what stands in it: a date column holds dates, an author is short. Two names are given by comparison when the markup
# is silent: of the links and headings with changing text the best is the title, the longest text is the snippet, or the body
# where it is free text or where there is no title. Others are called after their class or element. Numbers tell equal names
# apart.
#
# Cost: a few operations a column, and the texts of at most :data:`SAMPLE` cells of each.

LEAST_TITLE = 1.5
"""A link with changing text is enough, if nothing else speaks for another name."""
_LEVELS = 3
"""Elements around a text whose classes may name it."""
_LONG_BODY = 400
"""Mean characters from which a page's longest column is a body, not a snippet."""
_LONG = 40
"""Mean characters that a snippet has at least; authors have fewer."""
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_MAX_HEADING = 30
"""Characters of the header of a table's column."""
_MAX_IN_CELL = 12
"""Elements between a text and its table, at most."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*", re.IGNORECASE)


@dataclass(slots=True)
class Column:
    """What is known of a column when it is named."""

    number: int
    cells: int
    """Records that have it."""
    length: float
    """Mean characters of its texts, Chinese and Japanese ones counted twice."""
    kinds: Counter[TextKind]
    tags: tuple[str, ...]
    """Of the elements around it, the nearest first."""
    marks: tuple[str, ...]
    relation: str
    link: bool
    image: bool
    constant: bool
    free: bool
    first: float
    """Mean place in the record."""
    heading: str = ""
    """The header of its column, if it is in a table."""

    def is_mostly(self, kind: TextKind) -> bool:
        """Whether at least half of its texts are of a kind."""
        return 2 * self.kinds[kind] >= self.kinds.total()


def name_columns(columns: Sequence[Column]) -> dict[int, str]:
    """Number of a column → its name, distinct within the region.

    :param columns: in the order in which they stand in the records.
    """
    names = {column.number: _marked(column) for column in columns}
    title = max(columns, key=lambda column: (_title_score(column, names[column.number]), -column.first), default=None)
    if title is not None and _title_score(title, names[title.number]) >= LEAST_TITLE:
        names[title.number] = "title"
    else:
        title = None
    most = max((column.cells for column in columns), default=0)
    longest = max(
        (c for c in columns if c is not title and not c.image and not c.constant and names[c.number] in _TEXTS),
        key=lambda column: column.length * min(1.0, 2 * column.cells / most),
        default=None,
    )
    if longest is not None and longest.length >= _LONG:
        is_body = longest.free or longest.length >= _LONG_BODY or names[longest.number] == "body" or title is None
        names[longest.number] = "body" if is_body else "snippet"
    seen: Counter[str] = Counter()
    # The columns that were named by comparison keep the plain name.
    for column in sorted(columns, key=lambda column: column is not title and column is not longest):
        name = names[column.number] or _from_markup(column)
        seen[name] += 1
        names[column.number] = f"{name}-{seen[name]}" if seen[name] > 1 else name
    return names


_TEXTS = frozenset((None, "", "snippet", "body", "title"))
"""Names from the markup that a longest column may lose."""


def describe(number: int, cells: Sequence[Cell], nodes: Nodes, paths: Paths, constant: bool) -> Column:
    """What is known of a column.

    :param cells: its cells, not empty.
    """
    sample = cells[:SAMPLE]
    steps = paths.steps(sample[0].path)[::-1]
    lead = sample[0].piece.leaves[0]
    relation = nodes.attributes[lead.link].get("rel", "").lower() if lead.link >= 0 else ""
    records = len({cell.record for cell in cells})
    return Column(
        number,
        records,
        sum(text_width(cell.text) for cell in cells) / records,
        Counter(cell.kind for cell in sample),
        tuple(paths.tags[step] for step in steps),
        tuple(paths.marks[step] for step in steps),
        relation,
        lead.link >= 0,
        lead.image,
        constant,
        sample[0].free,
        sum(cell.place for cell in sample) / len(sample),
        _column_heading(nodes, lead.node),
    )


def _column_heading(nodes: Nodes, node: int) -> str:
    """The header above the cell of a table that a text is in; empty where the table's first row is no row of headers."""
    around = [node]
    while nodes.tags[around[-1]] != "table":
        if len(around) > _MAX_IN_CELL or nodes.parents[around[-1]] < 0:
            return ""
        around.append(int(nodes.parents[around[-1]]))
    rows = [place for place, own in enumerate(around) if nodes.tags[own] == "tr"]
    cells = header_cells(nodes, around[-1])
    if not rows or rows[0] < 2 or not cells or nodes.parents[cells[0]] == around[rows[0]]:
        return ""
    own = around[rows[0] - 1]
    place = sum(_width(nodes, cell) for cell in nodes.children[around[rows[0]]] if nodes.tags[cell] and cell < own)
    for cell in cells:
        place -= _width(nodes, cell)
        if place < 0:
            return nodes.text(cell)[:_MAX_HEADING].strip(" :：").lower()
    return ""


def header_cells(nodes: Nodes, table: int) -> list[int]:
    """The cells of a table's first row, if all of them are headers."""
    head = next((node for node in range(table, int(nodes.ends[table])) if nodes.tags[node] == "tr"), -1)
    cells = [cell for cell in nodes.children[head] if nodes.tags[cell]] if head >= 0 else []
    return cells if len(cells) > 1 and all(nodes.tags[cell] == "th" for cell in cells) else []


def _width(nodes: Nodes, cell: int) -> int:
    """Columns that a cell of a table covers."""
    span = nodes.attributes[cell].get("colspan", "")
    return max(1, int(span)) if span.isdecimal() and len(span) < 4 else 1


def _marked(column: Column) -> str:
    """The name that the markup gives, if what stands there can be that; empty otherwise."""
    if column.image:
        return "image"
    named = next((name for name, own in _labels()["headings"].items() if column.heading in own), "")
    if named and _can_be(column, named):
        return named
    for level, (tag, marks) in enumerate(zip(column.tags, column.marks, strict=True)):
        if level >= _LEVELS:
            break
        for name in _said(tag, marks):
            if _can_be(column, name):
                return name
    for name in (_labels()["relations"].get(word) for word in column.relation.split()):
        if name and _can_be(column, name):
            return str(name)
    if column.is_mostly("date"):
        return "date"
    if column.is_mostly("price"):
        return "price"
    return "url" if column.is_mostly("address") else ""


@lru_cache(maxsize=4_096)
def _said(tag: str, marks: str) -> tuple[str, ...]:
    """Names that an element's tag, itemprop and classes give, the surest first."""
    labels = _labels()
    found = []
    classes = []
    for mark in marks.split():
        if mark[0] == "@":
            found += [labels["properties"][mark[1:].lower()]] if mark[1:].lower() in labels["properties"] else []
        elif mark[0] not in "[+":
            classes.append(mark)
    if tag == "time":
        found.append("date")
    if tag == "cite":
        found.append("url")
    words = {word.lower() for name in classes for word in _WORD.findall(name)} | {name.lower() for name in classes}
    found += [name for name, own in labels["words"].items() if not words.isdisjoint(own)]
    return tuple(found)


def _can_be(column: Column, name: str) -> bool:
    """Whether a column's texts can be what a name says."""
    if name == "date":
        return column.is_mostly("date") or (bool(column.tags) and column.tags[0] == "time")
    if name == "price":
        return column.is_mostly("price") or column.is_mostly("number")
    if name == "url":
        return column.is_mostly("address") or (
            column.link and column.is_mostly("number") is False and column.length < 2 * _LONG
        )
    if name in ("snippet", "body"):
        return not column.constant and column.length >= _LONG / 2 and column.is_mostly("text")
    if name == "title":
        return not column.constant and column.is_mostly("text")
    if name == "author":
        return column.length < _LONG and not column.is_mostly("date") and not column.is_mostly("number")
    if name in ("votes", "comments", "views", "rating", "size", "duration"):
        return column.length < _LONG
    return True


def _title_score(column: Column, name: str) -> float:
    """How much a column looks like the title of its record."""
    if column.image or column.constant or column.free or not column.is_mostly("text"):
        return 0.0
    heading = any(tag in _HEADINGS for tag in column.tags[:_LEVELS])
    score = 2.0 * (name == "title") + 2.0 * heading
    score += 1.5 * column.link + 0.5 * (column.first < 3)
    if name not in ("title", "") and not (heading and column.link and name in ("snippet", "body")):
        score -= 2.5
    if column.length < 8:
        score -= 0.5
    return score if column.length <= 300 else 0.0


def _from_markup(column: Column) -> str:
    """The first class name near the text, else its element."""
    for marks in column.marks[:2]:
        for mark in marks.split():
            if mark[0] not in "@[+" and _NAME.fullmatch(mark) and len(mark) <= 40:
                return mark.lower()
    return "link" if column.link else "text"


@cache
def _labels() -> dict[str, Any]:
    """The lists of ``labels.toml``."""
    return data_table("records/labels.toml")


# --- record items ---------------------------------------------------------------------------------

STATIC_SHARE = 0.8
"""Share of a column's cells that must read the same to be static."""
STATIC_CELLS = 3
_DYNAMIC = frozenset(("date", "number", "price", "address"))
"""Kinds of text that are data even where they are all the same."""
_MAX_BASE = 300
"""Nodes in which a base element is looked for."""


def align(nodes: Nodes, region: Region, url: str | None) -> list[tuple[Item, ...]]:
    """The data items of each record of a region, in document order; the same label is the same column.

    A record has at most one item of a label: lines and paragraphs of one column are one item.

    :param url: the page's address, which relative links are resolved against; without one they are None.
    """
    paths = Paths()
    leaves = [read_leaves(nodes, roots, paths) for roots in region.records]
    table = read_cells(read_pieces(leaves, paths), paths)
    assign_columns(table, paths)
    join_columns(table, paths)
    columns: dict[int, list[Cell]] = defaultdict(list)
    for row in table:
        for cell in row:
            columns[cell.column].append(cell)
    constants = {number: _constant(cells) for number, cells in columns.items()}
    looks = [describe(number, cells, nodes, paths, bool(constants[number])) for number, cells in columns.items()]
    looks.sort(key=lambda column: (column.first, column.number))
    names = name_columns(looks)
    base = _base(nodes, url)
    return [_items(row, nodes, names, constants, base) for row in table]


def _constant(cells: Sequence[Cell]) -> str:
    """The text that nearly all cells of a column have, if it is a label or a button; empty otherwise."""
    text, count = Counter(cell.text for cell in cells).most_common(1)[0]
    if count < max(STATIC_CELLS, STATIC_SHARE * len(cells)) or cells[0].kind in _DYNAMIC:
        return ""
    return text


def _items(
    row: Sequence[Cell], nodes: Nodes, names: Mapping[int, str], constants: Mapping[int, str], base: str | None
) -> tuple[Item, ...]:
    cells: dict[int, list[Cell]] = {}
    for cell in row:
        cells.setdefault(cell.column, []).append(cell)
    return tuple(_item(group, nodes, names[column], constants[column], base) for column, group in cells.items())


def _item(group: list[Cell], nodes: Nodes, name: str, constant: str, base: str | None) -> Item:
    leaves = [leaf for cell in group for leaf in cell.piece.leaves]
    text = " ".join([cell.text for cell in group])
    numbers = tuple(leaf.node for leaf in leaves)
    if leaves[0].image:
        attributes = nodes.attributes[leaves[0].node]
        return Item(text, "image", _address(attributes.get("src"), base), name, False, numbers)
    linked = [leaf for leaf in leaves if leaf.link >= 0]
    kind: ItemKind = "text"
    link = None
    if linked and 2 * sum(len(leaf.text) for leaf in linked) >= sum(len(leaf.text) for leaf in leaves):
        kind = "link"
        link = _address(nodes.attributes[linked[0].link].get("href"), base)
    return Item(text, kind, link, name, bool(constant) and text == constant, numbers)


def _base(nodes: Nodes, url: str | None) -> str | None:
    """What references are resolved against: the page's address, or what its base element says."""
    for node, tag in enumerate(nodes.tags[:_MAX_BASE]):
        if tag == "base" and (stated := nodes.attributes[node].get("href")):
            return _address(stated, url) or url
    return url


def _address(reference: str | None, base: str | None) -> str | None:
    """The absolute address of a reference; None where it leads nowhere, or where that cannot be told."""
    reference = (reference or "").strip()
    if not reference or reference.startswith(("#", "javascript:", "data:", "mailto:", "tel:")):
        return None
    try:
        found = urljoin(base or "", reference)
    except ValueError:  # not a valid URL, such as http://[
        return None
    return found if found.startswith(("http://", "https://")) else None
