"""Columns: which pieces of the records of a region are the same data item (alignment over all records).

In the spirit of DEPTA's partial tree alignment (Zhai & Liu 2005, §4): what can be told to be the same is aligned first,
over all records at once, and what cannot is put between what was. Where a tree alignment matches elements level by level,
the path of a leaf says the same in one step: the first pass is a table look-up, and no pairs of records are compared.

1. Pieces with the same element path are one column, where no record has two of them.
2. Pieces that share a path within a record (cells of a list) are told apart by their own label ("Year: 2010") or the
   label before them, then by aligning their kinds of text to those of the longest record. Lines of a paragraph are one
   column.
3. Columns that are alike and of which no record has both are one (*joining*).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from newsextract.records.leaves import Paths, Piece, TextKind, free_texts, has_word, leaves_text, text_kind

_LABEL = re.compile(r"([^\W\d_][^:：\d]{1,30}?)\s?[:：]")
_DRAWN = frozenset("★☆⭐✩✭♥❤▲▼✓✔")
"""What says something without letters: stars of a rating, an arrow of a trend."""
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
            if has_word(text) or not _DRAWN.isdisjoint(text):
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
    own = [match[1] if (match := _LABEL.match(cell.text)) else "" for cell in group]
    before = [table[cell.record][cell.place - 1].text if cell.place else "" for cell in group]
    records = len({cell.record for cell in group})
    needed = max(2, _LABEL_SHARE * records)
    texts = [cell.text for cell in group]
    shared_own, shared_text, shared_before = (_shared(zip(one, group, strict=True), needed) for one in (own, texts, before))
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
        others = columns[number : number + gaps + 1]
        scores = [b + 2.0 * (look[0] == other[0]) + (look[1] == other[1]) for b, other in zip(best, others, strict=True)]
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


# --- joining --------------------------------------------------------------------------------------
# Columns that are one in different layouts: the title of an advertisement and that of a hit, a price and one on sale.
# Two columns may be one when no record has both, when they stand in the same order to all columns that both meet, and
# when they look alike: their paths (tags, and the class of the last element), kinds of text, links, lengths.
# The most alike are joined first (compare the unique insertion place of partial tree alignment, Zhai & Liu 2005, §4.2).

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
        bits = sum(1 << record for record in {cell.record for cell in group})
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
