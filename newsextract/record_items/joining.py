"""Joins columns that are one in different layouts: the title of an advertisement and that of a hit, a price and one on sale.

Two columns may be one when no record has both, when they stand in the same order to all columns that both meet, and
when they look alike: their paths (tags, and the class of the last element), kinds of text, links, lengths.
The most alike are joined first (compare the unique insertion place of partial tree alignment, Zhai & Liu 2005, §4.2).

Cost: columns² comparisons of a few operations; order is compared in numpy for the pairs that pass.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from newsextract.record_items.columns import Cell
from newsextract.record_items.leaves import Paths
from newsextract.record_items.text_kinds import TextKind

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
class _Look:
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
    places = _places(table, 1 + max(look.column for look in looks))
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


def _looks(table: Sequence[Sequence[Cell]], paths: Paths) -> list[_Look]:
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
            _Look(
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


def _likeness(one: _Look, other: _Look) -> float:
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


def _places(table: Sequence[Sequence[Cell]], columns: int) -> NDArray[np.float32]:
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
