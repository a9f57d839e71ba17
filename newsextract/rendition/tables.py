"""Tables: which hold data, which only lay out the page, and where cells are missing from their rows.

Attributes go, so a cell that spans several columns or rows is followed by empty ones, and a cell that was not chosen
is empty: the columns stay in line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from newsextract.dom import Dom

_MAX_BLOCKS = 3
_MAX_CHARS = 500
"""Cells with more blocks or characters lay out the page."""
_MAX_SPAN = 50
_MAX_COLUMNS = 100
"""No more empty cells are put into a row that has as many."""

Row = tuple[int, list[int]]
"""The element ``tr`` and its cells."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The data tables of a page."""

    tables: set[int] = field(default_factory=set)
    before: dict[int, int] = field(default_factory=dict)
    """Empty cells before a cell."""
    after: dict[int, int] = field(default_factory=dict)
    """Empty cells at the end of a row (``tr``)."""


def data_tables(dom: Dom, held: Callable[[int], int]) -> Grid:
    """The tables that stay tables: two rows and two columns of short cells, at least.

    :param held: how many chosen blocks an element holds.
    """
    grid = Grid()
    for element, tag in enumerate(dom.tags):
        if tag == "table" and held(element):
            rows = _rows(dom, element, held)
            if _hold_data(dom, rows, held):
                grid.tables.add(element)
                _find_gaps(dom, rows, held, grid)
    return grid


def _rows(dom: Dom, table: int, held: Callable[[int], int]) -> list[Row]:
    """The rows of a table; none where another table with chosen text stands in it."""
    rows: list[Row] = []
    i = table + 1
    while i < dom.ends[table]:
        tag = dom.tags[i]
        if tag == "table":
            if held(i):
                return []
            i = dom.ends[i]
            continue
        if tag == "tr":
            rows.append((i, []))
        elif tag in ("td", "th") and rows:
            rows[-1][1].append(i)
        i += 1
    return rows


def _hold_data(dom: Dom, rows: list[Row], held: Callable[[int], int]) -> bool:
    chosen = [[cell for cell in cells if held(cell)] for _, cells in rows]
    full = [len(cells) for cells in chosen if cells]
    return (
        len(full) > 1
        and max(full) > 1
        and all(held(cell) <= _MAX_BLOCKS and _length(dom, cell) <= _MAX_CHARS for cells in chosen for cell in cells)
    )


def _length(dom: Dom, element: int) -> int:
    first, end = dom.first_blocks[element], dom.end_blocks[element]
    return sum(dom.counts[first:end]) + sum(dom.link_counts[first:end])


def _find_gaps(dom: Dom, rows: list[Row], held: Callable[[int], int], grid: Grid) -> None:
    spans: dict[int, int] = {}  # column → rows that a cell above still reaches into
    for row, cells in rows:
        columns: list[int | None] = []  # the cell where it was chosen
        for cell in (*cells, None):
            while len(columns) < _MAX_COLUMNS and spans.get(len(columns)):
                spans[len(columns)] -= 1
                columns.append(None)
            if cell is None:
                break
            attributes = dom.attributes(cell)
            width, height = _span(attributes.get("colspan")), _span(attributes.get("rowspan"))
            for further in range(width):
                if further == 0 or len(columns) < _MAX_COLUMNS:
                    spans[len(columns)] = height - 1
                    columns.append(cell if further == 0 and held(cell) else None)
        gap = 0
        for chosen in columns:
            if chosen is None:
                gap += 1
            else:
                grid.before[chosen] = gap
                gap = 0
        grid.after[row] = gap


def _span(value: str | None) -> int:
    """The number in an attribute, 1–50."""
    text = (value or "").strip()
    return min(max(int(text), 1), _MAX_SPAN) if text.isascii() and text.isdecimal() and len(text) < 5 else 1
