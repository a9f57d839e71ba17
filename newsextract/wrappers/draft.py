"""A draft: the format that the heuristics propose for a page, to be edited.

Huang, Qi & Zhang 2000, §1.2 and §1.3: the first hierarchy comes from the fonts, indents, lists and tables of the page, and
the user corrects it in the format. Line 1 bounds the useful part; titles, items and fields follow as far as they are seen.
Every line is tried on the page before it is proposed, and a comment above it says what it found.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, product, repeat
from typing import NamedTuple

from newsextract.page.page import Page
from newsextract.wrappers.draft_items import (
    WHOLE,
    DraftItem,
    DraftSource,
    Field,
    Items,
    Names,
    cells_of,
    find_fields,
    find_items,
    is_long,
    looks_like,
    sampled,
    shared_tag,
    slug,
)
from newsextract.wrappers.draft_items import sample as shown_text
from newsextract.wrappers.format import Format, FormatError, FormatLine, parse_format
from newsextract.wrappers.interpreter import Title, outline
from newsextract.wrappers.interpreter import run as run_format
from newsextract.wrappers.learn_fields import Priced, lefts, rights
from newsextract.wrappers.learn_marks import SourceElement
from newsextract.wrappers.learn_records import root_pattern
from newsextract.wrappers.matching import Matcher, compile_context
from newsextract.wrappers.objects import OEMObject, Result
from newsextract.wrappers.pattern import Document, Hole, Part, Tag, Text, parse_pattern, written

# --- titles ---------------------------------------------------------------------------------------
# Titles above the items of a page: by headings, by fonts, or by elements of one class that stand between items.
#
# Huang, Qi & Zhang 2000, §1.1 Table 1 and §1.2. Headings come first, then bold and enlarged lines; both keep the hierarchy
# of :mod:`newsextract.wrappers.interpreter`, with a snapshot's real font sizes where there is one. Where titles of the same
# kind stand in the items, too, or a page sets its titles by class alone, one kind of element becomes the title.

MIN_TITLES = 2
_LONGEST = 120
"""Characters of a title in the mean."""
_NEARLY_ALL = 0.9


class Titles(NamedTuple):
    """The titles of a page."""

    section: str
    """Section text of the line that finds them."""
    label: str
    first: int
    """Offset of the first one's start tag."""
    starts: list[int]
    """Of all that the line would find on the whole page."""
    consumed: bool
    """Whether the root's left context may contain the first one's start tag."""


def find_titles(source: DraftSource, items: Items) -> Titles | None:
    """The titles above a page's items, or None."""
    if items.shape == "nested":
        return None
    for scale in ("hx", "fontx"):
        found = outline(source.document, Tag(scale), 0, len(source.text))
        chosen = _above([section.title for section in found], items.items)
        if chosen:
            starts = [section.title.start for section in found]
            return Titles(f"</{scale}>#<{scale}>", f"<{scale}>#</{scale}>", chosen[0].start, starts, True)
    return _by_kind(source, items.items)


def _above(titles: Sequence[Title], items: Sequence[DraftItem]) -> list[Title]:
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


def _in_item(offset: int, items: Sequence[DraftItem], starts: Sequence[int]) -> bool:
    place = bisect_right(starts, offset) - 1
    return place >= 0 and offset < items[place].end


def _by_kind(source: DraftSource, items: Sequence[DraftItem]) -> Titles | None:
    """Elements of one name and class, each with items behind it and with none in it."""
    starts = [item.start for item in items]
    kinds: dict[tuple[str, str], list[SourceElement]] = {}
    for element in source.elements:
        named = source.kind(element) or element.name in ("h1", "h2", "h3", "h4", "h5", "h6", "caption", "dt", "legend")
        if named and source.texts(element) == 1:
            kinds.setdefault((element.name, source.kind(element)), []).append(element)
    best: list[SourceElement] = []
    for alike in kinds.values():
        group = [element for element in alike if element.start < starts[-1]]
        if len(group) < MIN_TITLES or any(_in_item(element.start, items, starts) for element in group):
            continue
        ends = [after.start for after in group[1:]] + [starts[-1] + 1]
        headed = sum(bisect_left(starts, end) > bisect_left(starts, one.start) for one, end in zip(group, ends, strict=True))
        short = sum(source.length(element.start, element.end) for element in group) <= _LONGEST * len(group)
        if headed >= _NEARLY_ALL * len(group) and short and group[0].start < starts[0] and len(alike) > len(best):
            best = alike
    if not best:
        return None
    tag, name = shared_tag(source, best), best[0].name
    return Titles(f"{tag}...</{name}>#{tag}", f"{tag}#</{name}>", best[0].start, [element.start for element in best], False)


# --- bounds ---------------------------------------------------------------------------------------
# The first line of a draft: the useful part of a page, from before its first title or item to behind the last.
#
# Huang, Qi & Zhang 2000, §1.3: the characters at which the useful part begins and ends. Tried are the elements that stand
# around all items, then the tags and texts before and behind them; the first that takes in all items, and no title or item
# of other parts of the page, is proposed.

_ANCHORS = 10
"""Tags on either side at which contexts are tried."""
_TRIED = 4
"""Contexts that are tried at each of them."""
_KEPT = 12
"""Contexts of either side, of which the pairs are tried."""
_AROUND = 12
"""Elements around all items that are tried."""
_PAGE = {True: (Tag("body"), Hole(), Tag("body", closing=True)), False: (Hole(),)}
"""All of a page, by whether it has a body."""


def find_bounds(source: DraftSource, items: Items, titles: Titles | None, strays: Sequence[int]) -> str:
    """The section text of the first line.

    :param strays: offsets of all titles and items that the other lines would find on the whole page, in order.
    """
    first = min(items.items[0].element.start, titles.first) if titles else items.items[0].element.start
    last = items.items[-1].element.inner if items.shape == "line" else items.items[-1].end
    consumed = bool(titles and titles.consumed)
    length = len(source.text)

    def strayless(start: int, end: int) -> bool:
        return start == end or bisect_left(strays, start) == bisect_left(strays, end)

    def holds(parts: Sequence[Part]) -> bool:
        for found in Matcher(tuple(parts)).find(source.document, 0, length, 1):
            start = found.outer_start if consumed else found.value.start
            return (
                start <= first and found.value.end >= last and strayless(start, first) and strayless(last, found.value.end)
            )
        return False

    around = [one for one in source.path(source.around(first, last)) if one.start < first and one.inner_end >= last]
    inner = (root_pattern(source, one) for one in around[:_AROUND] if one.name not in ("html", "body"))
    pairs = (
        (*left.parts, Hole(), *right.parts)
        for left, right in product(_lefts(source, first, consumed=consumed), _rights(source, first, last))
    )
    chosen = (parts for parts in chain((root.parts for root in inner if root), pairs) if holds(parts))
    return written(next(chosen, _PAGE[any(one.name == "body" for one in around)]))


def _lefts(source: DraftSource, first: int, *, consumed: bool) -> list[Priced]:
    """Contexts before an offset that stand nowhere earlier; the nearest first.

    :param consumed: they may contain the tag that begins there.
    """
    place = source.tag_before(first)
    ends = [tag.end for tag in source.tags[max(0, place - _ANCHORS) : place + 1 + consumed]][::-1]
    found = ((end, one) for end in ends for one in sorted(lefts(source, [end], [0]))[:_TRIED] if one.parts)
    return list(islice((one for end, one in found if _first(source, one, 0)[1] == end), _KEPT))


def _rights(source: DraftSource, first: int, last: int) -> list[Priced]:
    """Contexts behind an offset that do not stand between another and it; start tags first, which tell more."""
    place = source.tag_after(last)
    ceiling = next(
        (tag.start for tag in source.tags[place:] if tag.closing and tag.name in ("body", "html")), len(source.text)
    )
    starts = [tag.start for tag in source.tags[place : place + _ANCHORS]]
    found = [one for start in starts for one in sorted(rights(source, [start], [ceiling]))[:_TRIED] if one.parts]
    found.sort(key=lambda one: not all(isinstance(part, Tag) and not part.closing for part in one.parts))
    return list(islice((one for one in found if _first(source, one, first)[0] >= last), _KEPT))


def _first(source: DraftSource, one: Priced, start: int) -> tuple[int, int]:
    """Where a context first stands from an offset on; -1: nowhere."""
    context = compile_context([part for part in one.parts if isinstance(part, Tag | Text)])
    match = context.regex.search(source.text, start)
    return match.span() if match else (-1, -1)


# --- rows -----------------------------------------------------------------------------------------
# The section text of a table's rows, with a hole for each cell: the order of cells tells them apart.

_SOME = 0.25
"""Part of the rows that have a link, so that it is a field; where not all have it, it may be missing."""


def row_pattern(source: DraftSource, items: Items) -> tuple[str, list[str]]:
    """The section text of a table's rows, and the names of its holes: one a cell, and one for a link in it."""
    rows = [cells_of(source, item.element) for item in items.items]
    head = cells_of(source, items.head) if items.head is not None else []
    heads = [slug(source.read(cell.inner, cell.inner_end)) for cell in head]
    names, found, pattern, skipped = Names(), [], "<tr>", ""
    for column, head_name in zip(zip(*rows, strict=False), chain(heads, repeat("")), strict=False):
        tag = f"<{column[0].name if len({cell.name for cell in column}) == 1 else 'td'}>"
        texts = [text for cell in column if (text := source.read(cell.inner, cell.inner_end))]
        if not texts:
            skipped += f"{tag}..."
            continue
        pattern, skipped = f"{pattern}{skipped}{tag}", ""
        linked = [_leading_link(source, cell) for cell in column]
        if sum(linked) >= _SOME * len(linked):
            found.append(names.take("link", f"{head_name}_link" if head_name else "link"))
            hole = f'<a href="${found[-1]}">'
            pattern += hole if all(linked) else f"[{hole}]"
        found.append(names.take(head_name, looks_like(texts), "title" if is_long(texts) else "", "text"))
        pattern += f"${found[-1]}"
    return pattern, found


def _leading_link(source: DraftSource, cell: SourceElement) -> bool:
    inner = next(iter(source.within(cell)), None)
    linked = inner is not None and inner.name == "a" and "href" in source.attributes(inner.tag)
    return linked and inner is not None and not source.text[cell.inner : inner.start].strip()


# --- draft ----------------------------------------------------------------------------------------

_ROOT = "root"
_OFTEN = 0.5
"""Part of the items in which a field stands at least, unless its line may find nothing on other pages (``?``)."""
_HEAD = """\
# A draft: what the heuristics see on this page. Rename, change and delete lines; then try them:
#   newsextract oem run THIS_FILE PAGE
"""


@dataclass(frozen=True, slots=True)
class _DraftLine:
    """A line of a draft, before it is written."""

    section: str
    variable: str
    source: str
    about: str = ""

    @property
    def written(self) -> str:
        return f"{{{self.section}, {self.variable}, {self.source}}}"


def draft(page: Page) -> str:
    """The text of a format file for a page. It parses, and run on the page it finds something.

    A page whose snapshot is at hand is judged by the font sizes that a browser used.
    """
    source = DraftSource(Document.of_page(page))
    items = find_items(source)
    lines = _lines(source, items) if items is not None else _without_items(source)
    named = page.url and not set(page.url) & set('"\\<>{}\r\n') and page.url.isprintable()
    return _HEAD + _checked(page, lines, f'get("{page.url}")' if named else "get()")


def _lines(source: DraftSource, items: Items) -> list[_DraftLine]:
    titles = find_titles(source, items)
    above = titles.label if titles else _ROOT
    of_items: list[_DraftLine] = []
    if items.shape == "row":
        pattern, of_holes = row_pattern(source, items)
        of_items.append(_DraftLine(pattern, Names((_ROOT, *of_holes)).take("row", "entry"), above))
    else:
        element = items.items[0].element
        sample = sampled([replace(one, start=one.element.inner) for one in items.items])
        names = Names((_ROOT, *(("link",) if '"$link"' in items.pattern else ())))
        found = find_fields(source, sample)
        item = names.take(slug(source.kind(element)), "article" if element.name == "article" else "", "item")
        of_items.append(_DraftLine(items.pattern, item, above))
        if items.shape == "nested":  # an item that holds others has a name, too, but seldom the marks of the innermost ones
            of_items.append(_DraftLine(WHOLE, names.take("title"), item))
            found = [replace(one, pattern="") if _is_whole(source, sample, one) else one for one in found]
        of_items += _field_lines(source, found, item, names)
    strays = sorted((*(titles.starts if titles else ()), *_found_anywhere(source, items, of_items[0].section)))
    lines = [_DraftLine(find_bounds(source, items, titles, strays), _ROOT, "")]
    if titles:
        lines.append(_DraftLine(titles.section, titles.label, _ROOT))
    return lines + of_items


def _found_anywhere(source: DraftSource, items: Items, section: str) -> list[int]:
    """Where the line of the items finds something on the whole page."""
    if items.shape == "nested":
        return [found.title.start for found in outline(source.document, Tag("indentx"), 0, len(source.text))]
    return [match.outer_start for match in Matcher(parse_pattern(section)).find(source.document, 0, len(source.text))]


def _field_lines(source: DraftSource, fields: list[Field], item: str, names: Names) -> list[_DraftLine]:
    """A line for each field, and one for the address of a link."""
    lines = []
    title = max(  # links before other texts, then what most items have, then the longest
        (one for one in fields if _may_be_title(one)),
        key=lambda one: (one.kind == "link", one.items, sum(map(len, one.texts)) / len(one.texts)),
        default=None,
    )
    for one in fields:
        link = one.places[0].link
        if one.link and link is not None:
            is_mail = source.attributes(link.tag)["href"].lower().startswith("mailto:")
            lines.append(_DraftLine(one.link, names.take("mail" if is_mail else "link"), item))
        if not one.pattern:
            continue
        label = names.take(slug(one.name), "title" if one is title else "", looks_like(one.texts), "text")
        many = one.many
        about = 'with their addresses: <a href="$link">$name</a>' if one.kind == "link" and many else ""
        lines.append(_DraftLine(one.pattern, f"{label}*" if many else label, item, about))
    return lines


def _is_whole(source: DraftSource, sample: Sequence[DraftItem], one: Field) -> bool:
    """Whether a field's texts are those of its items, no more and no less."""
    values = [sample[place.item] for place in one.places]
    return [source.read(value.start, value.end) for value in values] == one.texts


def _may_be_title(one: Field) -> bool:
    is_other = looks_like(one.texts) in ("date", "pages", "number", "author")
    return bool(one.pattern) and not one.many and is_long(one.texts) and not is_other


def _without_items(source: DraftSource) -> list[_DraftLine]:
    """The lines for a page on which nothing is repeated: its titles, and its links."""
    lines = [_DraftLine(WHOLE, _ROOT, "")]
    for scale in ("hx", "fontx"):
        if outline(source.document, Tag(scale), 0, len(source.text)):
            lines.append(_DraftLine(f"</{scale}>#<{scale}>", f"<{scale}>#</{scale}>", _ROOT))
            break
    return [*lines, _DraftLine('<a href="$link">$title</a>', "item", lines[-1].variable)]


def _checked(page: Page, lines: list[_DraftLine], source: str) -> str:
    """The lines as text, with what they find; those that cannot be read or find nothing are left out."""
    first = replace(lines[0], source=source)
    bounds = _readable([first])
    kept = [first if bounds is not None and run_format(bounds, page).root else _DraftLine(WHOLE, _ROOT, source)]
    for line in lines[1:]:
        if _readable([*kept, line]) is not None:
            kept.append(line)
    while True:
        while (wrapper := _readable(kept)) is None:
            kept.pop()  # a line whose source has gone
        result = run_format(wrapper, page)
        if all(fit.matched for fit in result.fit):
            break
        kept = [line for line, fit in zip(kept, result.fit, strict=True) if fit.matched]
    constants = {name for line in wrapper.lines for name in line.names}
    return "".join(_written(line, made, result, constants) for line, made in zip(kept, wrapper.lines, strict=True))


def _readable(lines: list[_DraftLine]) -> Format | None:
    try:
        return parse_format("\n".join(line.written for line in lines))
    except FormatError:
        return None


def _written(line: _DraftLine, made: FormatLine, result: Result, constants: Collection[str]) -> str:
    """A line with a comment on what it found."""
    fit = next(fit for fit in result.fit if fit.number == made.number)
    if made.number == 1:
        return f"# the useful part of the page\n{line.written}\n"
    comment = f"# {fit.objects} {'titles' if made.label is not None else 'found'}"
    if fit.sources > 1 and made.label is None:
        comment += f", in {fit.matched} of {fit.sources} {line.source if '<' not in line.source else 'sections'}"
    shown = _samples(result.root, made, constants)
    comment += f": {', '.join(shown)}" if shown else ""
    comment += f"; {line.about}" if line.about else ""
    seldom = line.source.isidentifier() and fit.matched < _OFTEN * fit.sources
    return f"{comment}\n{line.written}{'?' if seldom else ''}\n"


def _samples(root: OEMObject | None, made: FormatLine, constants: Collection[str]) -> list[str]:
    """The first texts that a line found; labels where these are texts of the page."""
    found: list[str] = []
    for one, _ in root.walk() if root is not None else ():
        if len(found) == 2:
            break
        if made.label is not None and one.label not in constants:
            found.append(shown_text(one.label))
        elif made.label is None and one.label == made.variable:
            within = () if isinstance(one.value, str) else one.value
            texts = [child.value for child in within if isinstance(child.value, str)]
            found.append(shown_text(one.value if isinstance(one.value, str) else " | ".join(texts)))
    return found
