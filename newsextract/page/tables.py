"""Data tables of a page: which tables hold data, and the lines that their rows make in a text.

A table holds data if it has at least two rows and two columns of short cells, and no table in it; other tables lay out the
page. A row is a line of the text, its cells separated by tabs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.page.dom import Dom

MAX_BLOCKS = 3
MAX_CHARS = 500
"""Cells with more blocks or characters lay out the page."""

Row = tuple[int, list[int]]
"""The element ``tr`` and its cells."""


def table_rows(dom: Dom, table: int, held: Callable[[int], int]) -> list[Row]:
    """The rows of a data table; empty if it only lays out the page.

    :param held: how many blocks that count an element holds.
    """
    rows = _rows(dom, table, held)
    chosen = [[cell for cell in cells if held(cell)] for _, cells in rows]
    full = [len(cells) for cells in chosen if cells]
    holds_data = (
        len(full) > 1
        and max(full) > 1
        and all(held(cell) <= MAX_BLOCKS and _length(dom, cell) <= MAX_CHARS for cells in chosen for cell in cells)
    )
    return rows if holds_data else []


def _rows(dom: Dom, table: int, held: Callable[[int], int]) -> list[Row]:
    """The rows of a table; none where another table with text stands in it."""
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


def _length(dom: Dom, element: int) -> int:
    first, end = dom.first_blocks[element], dom.end_blocks[element]
    return sum(dom.counts[first:end]) + sum(dom.link_counts[first:end])


def passages(dom: Dom, chosen: Iterable[int]) -> Iterator[tuple[str, list[int]]]:
    """The texts that begin on lines of their own, each with its blocks: a block, or the chosen cells of a row.

    :param chosen: blocks, ascending.
    """
    places = dom.row_places
    row = -1
    cells: dict[int, str] = {}
    blocks: list[int] = []
    for block in chosen:
        place = places.get(block)
        if blocks and (place is None or place[0] != row):
            yield _line(cells), blocks
            cells, blocks = {}, []
        if place is None:
            if dom.texts[block]:
                yield dom.texts[block], [block]
            continue
        row, column = place
        text = dom.texts[block].replace("\n", " ")
        cells[column] = f"{cells[column]} {text}" if column in cells else text
        blocks.append(block)
    if blocks:
        yield _line(cells), blocks


def _line(cells: dict[int, str]) -> str:
    return "\t".join(cells.get(column, "") for column in range(max(cells) + 1))
