"""Titles above the items of a page: by headings, by fonts, or by elements of one class that stand between items.

Huang, Qi & Zhang 2000, §1.1 Table 1 and §1.2. Headings come first, then bold and enlarged lines; both keep the hierarchy of
:mod:`newsextract.oem.levels`, with a snapshot's real font sizes where there is one. Where titles of the same kind stand in
the items, too, or a page sets its titles by class alone, one kind of element becomes the title.

Cost: linear in the source.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from newsextract.oem.drafting.items import Items
from newsextract.oem.drafting.lines import Item
from newsextract.oem.drafting.tree import Element, Tree
from newsextract.oem.drafting.written import shared_tag
from newsextract.oem.levels import Title, outline
from newsextract.oem.pattern import Tag

MIN_TITLES = 2
_LONGEST = 120
"""Characters of a title in the mean."""
_NEARLY_ALL = 0.9


@dataclass(frozen=True, slots=True)
class Titles:
    """The titles of a page."""

    section: str
    """Section text of the line that finds them."""
    label: str
    first: int
    """Offset of the first one's start tag."""
    starts: list[int]
    """Of all that the line would find on the whole page."""
    texts: list[str]
    consumed: bool
    """Whether the root's left context may contain the first one's start tag."""


def find_titles(tree: Tree, items: Items) -> Titles | None:
    """The titles above a page's items, or None."""
    if items.shape == "nested":
        return None
    for scale in ("hx", "fontx"):
        found = outline(tree.document, Tag(scale), 0, len(tree.document.text))
        chosen = _above([section.title for section in found], items.items)
        if chosen:
            return Titles(
                f"</{scale}>#<{scale}>",
                f"<{scale}>#</{scale}>",
                chosen[0].start,
                [section.title.start for section in found],
                [tree.text(title.text, title.text_end) for title in chosen],
                True,
            )
    return _by_kind(tree, items.items)


def _above(titles: Sequence[Title], items: Sequence[Item]) -> list[Title]:
    """The titles that stand above items, without the page's own; none where titles stand in items, too."""
    starts = [item.start for item in items]
    if any(_in_item(title.start, items, starts) for title in titles):
        return []
    before = [title for title in titles if title.start < starts[0]]
    ranks = Counter(title.rank for title in titles)
    leading: list[Title] = []
    for title in reversed(before):
        if (leading and title.rank >= leading[-1].rank) or ranks[title.rank] == 1:
            break
        leading.append(title)
    chosen = [*reversed(leading), *(title for title in titles if starts[0] < title.start < starts[-1])]
    return chosen if leading and len(chosen) >= MIN_TITLES else []


def _in_item(offset: int, items: Sequence[Item], starts: Sequence[int]) -> bool:
    place = bisect_right(starts, offset) - 1
    return place >= 0 and offset < items[place].end


def _by_kind(tree: Tree, items: Sequence[Item]) -> Titles | None:
    """Elements of one name and class, each with items behind it and with none in it."""
    starts = [item.start for item in items]
    groups: dict[tuple[str, str], list[Element]] = {}
    for element in tree.elements:
        named = element.kind or element.name in ("h1", "h2", "h3", "h4", "h5", "h6", "caption", "dt", "legend")
        if named and element.texts == 1 and element.start < starts[-1]:
            groups.setdefault((element.name, element.kind), []).append(element)
    best: list[Element] = []
    for group in groups.values():
        if len(group) < MIN_TITLES or any(_in_item(element.start, items, starts) for element in group):
            continue
        ends = [after.start for after in group[1:]] + [starts[-1] + 1]
        headed = sum(bisect_left(starts, end) > bisect_left(starts, one.start) for one, end in zip(group, ends, strict=True))
        short = sum(tree.length(element) for element in group) <= _LONGEST * len(group)
        if headed >= _NEARLY_ALL * len(group) and short and group[0].start < starts[0] and len(group) > len(best):
            best = group
    if not best:
        return None
    tag, name = shared_tag(best), best[0].name
    alike = [element for element in tree.elements if (element.name, element.kind) == (name, best[0].kind)]
    return Titles(
        f"{tag}...</{name}>#{tag}",
        f"{tag}#</{name}>",
        best[0].start,
        [element.start for element in alike],
        [tree.text(element.inner, element.inner_end) for element in best],
        False,
    )
