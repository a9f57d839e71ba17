"""Data items of records: the leaves of all records of a region, aligned into columns (Wang, Liang & Min 2019, §6).

The paper compares each record with one random other, leaf by leaf, and calls what differs dynamic. Here all records of a
region are aligned at once, in the spirit of partial tree alignment (DEPTA, Zhai & Liu 2005, §4), so that a label means
the same in each of them:

1. :mod:`.leaves`: visible texts and images with the paths of elements that lead to them; which of them are one item (a title
   with highlighted words, a post's body);
2. :mod:`.columns`: the same column in all records;
3. names of columns.

Measured by ``newsextract evaluate records`` on testbed: item F1 0.905 on folds 1-4, 0.842 on fold 0.
Cost: 3 ms on the mean page there; linear in the leaves, about 8 µs each (100 records of 25 leaves: 20 ms).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urljoin

from newsextract.model_files import data_table
from newsextract.page.elements import HEADINGS
from newsextract.page.nodes import Nodes
from newsextract.records.columns import SAMPLE, Cell, assign_columns, join_columns, read_cells
from newsextract.records.leaves import Paths, TextKind, paths_of, read_leaves, read_pieces, text_width
from newsextract.results import Item, ItemKind, Region

# --- column names ---------------------------------------------------------------------------------
# A column is named after what the markup says of it (itemprop, ``rel``, ``<time>``, headings, words of class names), checked
# against what stands in it: a date column holds dates, an author is short. Two names are given by comparison when the markup
# is silent: of the links and headings with changing text the best is the title, the longest text is the snippet, or the body
# where it is free text or where there is no title. Others are called after their class or element. Numbers tell equal names
# apart.

LEAST_TITLE = 1.5
"""A link with changing text is enough, if nothing else speaks for another name."""
_LEVELS = 3
"""Elements around a text whose classes may name it."""
_LONG_BODY = 400
"""Mean characters from which a page's longest column is a body, not a snippet."""
_LONG = 40
"""Mean characters that a snippet has at least; authors have fewer."""
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
        is_short_link = column.link and column.length < 2 * _LONG and not column.is_mostly("number")
        return is_short_link or column.is_mostly("address")
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
    heading = any(tag in HEADINGS for tag in column.tags[:_LEVELS])
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
            is_steady = not any(map(str.isdigit, mark))
            if is_steady and mark[0] not in "@[+" and _NAME.fullmatch(mark) and len(mark) <= 40:
                return mark.lower()
    return "link" if column.link else "text"


@cache
def _labels() -> dict[str, Any]:
    """The lists of ``labels.toml``."""
    return data_table("records/labels.toml")


# --- items ----------------------------------------------------------------------------------------

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
    paths = paths_of(nodes, region.records)
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
