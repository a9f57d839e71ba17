"""Elements that hold text as its author set it: a post's body with paragraphs, quotations, lists and code in any order.

What stands in such an element is one data item, not a column for each kind of element. It is told by its children: they are
elements of running text, and their order is another in many of the records, where the order of fields is the same in all.

Cost: linear in the number of pieces times their depth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from newsextract.record_items.leaves import ROOT, Paths
from newsextract.record_items.lines import Piece

_PROSE = frozenset(
    "p blockquote q ul ol li pre code kbd h1 h2 h3 h4 h5 h6 hr br figure figcaption details summary table div span"
    " b i em strong u s del ins a img sub sup small font mark cite center section".split()
)
_PLAIN = frozenset(("div", "span", "a", "section", "table", "b", "i", "strong", "em", "small", "font"))
"""Those that hold fields as often: they count where they have no class."""
_TEXT = frozenset(("p", "blockquote", "pre", "ul", "ol"))
"""Those of which one must be there, unless the element has words of its own."""
LEAST_ORDERS = 3
ORDERS_SHARE = 0.3
"""Share of the records that have an order of children of their own."""
LEAST_LENGTH = 60
"""Mean characters of a record's text in the element."""


def free_texts(records: Sequence[Sequence[Piece]], paths: Paths) -> dict[int, int]:
    """Path of a piece → path of the outermost element of free text around it, where there is one."""
    below: dict[int, set[int]] = defaultdict(set)
    for path in {piece.path for record in records for piece in record}:
        child = -1
        while path > ROOT:
            below[path].add(child)
            child, path = path, paths.parents[path]
    able = {path for path, children in below.items() if _can_be_free(children, paths)}
    if not able:
        return {}
    orders: dict[int, dict[int, list[int]]] = defaultdict(dict)
    lengths: dict[int, int] = defaultdict(int)
    for number, record in enumerate(records):
        for piece in record:
            length = sum(len(leaf.text) for leaf in piece.leaves)
            child, path = -1, piece.path
            while path > ROOT:
                if path in able:
                    order = orders[path].setdefault(number, [])
                    if not order or order[-1] != child:
                        order.append(child)
                    lengths[path] += length
                child, path = path, paths.parents[path]
    free = {path for path in able if _is_free(list(orders[path].values()), lengths[path])}
    found: dict[int, int] = {}
    for path in below if free else ():
        step = path
        while step > ROOT:
            if step in free:
                found[path] = step
            step = paths.parents[step]
    return found


def _can_be_free(children: set[int], paths: Paths) -> bool:
    """Whether an element's children are elements of running text, or its own words."""
    if not all(child < 0 or _is_prose(child, paths) for child in children):
        return False
    return any(child < 0 or paths.tags[child] in _TEXT for child in children)


def _is_free(orders: list[list[int]], length: int) -> bool:
    """Whether the order of the children is another in many records."""
    distinct = {tuple(order) for order in orders}
    if len(distinct) < LEAST_ORDERS or length < LEAST_LENGTH * len(orders):
        return False
    turning = any(len(set(order)) < len(order) for order in orders)
    return turning or len(distinct) >= ORDERS_SHARE * len(orders)


def _is_prose(path: int, paths: Paths) -> bool:
    tag = paths.tags[path]
    return tag in _PROSE and not (tag in _PLAIN and paths.marks[path])
