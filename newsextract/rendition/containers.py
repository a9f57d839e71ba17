"""Which elements around a text are kept, made well-formed: items stand in lists, cells in rows, and nothing else does."""

from __future__ import annotations

from newsextract.rendition.passage import Container

MAX_NESTING = 20
"""Lists, quotes and tables that are nested deeper are unwrapped; pages of the bench nest 6."""
TABLE_PARTS = frozenset({"caption", "thead", "tbody", "tfoot", "tr", "td", "th"})
ITEMS = frozenset({"li", "dt", "dd", "td", "th", "caption"})
"""What a text stands in directly."""
_WHOLES = frozenset({"blockquote", "ul", "ol", "menu", "dl", "table"})
_LIST_OF = {"li": "ul", "dt": "dl", "dd": "dl"}
_CHILDREN = {
    "ul": ("li",),
    "ol": ("li",),
    "dl": ("dd", "dt"),
    "table": ("tr", "caption", "thead", "tbody", "tfoot"),
    "thead": ("tr",),
    "tbody": ("tr",),
    "tfoot": ("tr",),
    "tr": ("td", "th"),
}
"""What may stand in a container; the first is put in where something else does."""

Containers = tuple[Container, ...]


def inside(containers: Containers, tag: str, element: int, parent: int) -> Containers:
    """The containers in an element that stands in ``containers``; the same ones where it is none.

    :param tag: of the element; that of a layout table or of a part of one must not be given.
    :param element: its index.
    :param parent: index of its parent; items without a list share one there.
    """
    top = containers[-1].tag if containers else ""
    if tag in _WHOLES:
        if len(containers) >= MAX_NESTING:
            return containers
        name = "ul" if tag == "menu" else tag
        return (*filled(containers, name, f"in {element}"), Container(name, str(element)))
    if tag in TABLE_PARTS:
        return (*filled(containers, tag, f"in {element}"), Container(tag, str(element)))
    if tag in _LIST_OF:
        if tag not in _CHILDREN.get(top, ()):
            if len(containers) >= MAX_NESTING:
                return containers
            whole = _LIST_OF[tag]
            containers = (*filled(containers, whole, f"in {element}"), Container(whole, f"of {parent}"))
        return (*containers, Container(tag, str(element)))
    return containers


def filled(containers: Containers, tag: str, key: str) -> Containers:
    """The containers with items, rows and cells put in so that ``tag`` may stand there."""
    while containers and tag not in (allowed := _CHILDREN.get(containers[-1].tag, (tag,))):
        containers = (*containers, Container(allowed[0], key))
    return containers
