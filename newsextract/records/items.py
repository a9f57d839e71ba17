"""Data items of records: the leaves of all records of a region, aligned into columns (Wang, Liang & Min 2019, §6).

The paper compares each record with one random other, leaf by leaf, and calls what differs dynamic. Here all records of a
region are aligned at once, in the spirit of partial tree alignment (DEPTA, Zhai & Liu 2005, §4), so that a label means
the same in each of them:

1. :mod:`.leaves`: visible texts and images with the paths of elements that lead to them;
2. lines (in :mod:`.leaves`): which of them are one item (a title with highlighted words), and elements whose whole text is
   one item (a post's body);
3. :mod:`.columns`: the same column in all records;
4. :mod:`.column_names`: their names.

Measured by ``newsextract evaluate records`` on testbed: item F1 0.906 on folds 1-4, 0.848 on fold 0.
Cost: 3 ms on the mean page there; linear in the leaves, about 8 µs each (100 records of 25 leaves: 20 ms).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from urllib.parse import urljoin

from newsextract.page.nodes import Nodes
from newsextract.records.column_names import describe, name_columns
from newsextract.records.columns import Cell, assign_columns, join_columns, read_cells
from newsextract.records.leaves import (
    Paths,
    read_leaves,
    read_pieces,
)
from newsextract.results import Item, ItemKind, Region

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
