"""Tables as a grid: which stay tables, and where cells are missing from their rows.

Attributes go, so a cell that spans several columns or rows is followed by empty ones, and a cell that was not chosen
is empty: the columns stay in line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from newsextract.dom import Dom
from newsextract.tables import Row, table_rows

_MAX_SPAN = 50
_MAX_COLUMNS = 100
"""No more empty cells are put into a row that has as many."""


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
            rows = table_rows(dom, element, held)
            if rows:
                grid.tables.add(element)
                _find_gaps(dom, rows, held, grid)
    return grid


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
