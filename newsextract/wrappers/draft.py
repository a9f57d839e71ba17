"""A draft: the format that the heuristics propose for a page, to be edited.

Huang, Qi & Zhang 2000, §1.2 and §1.3: the first hierarchy comes from the fonts, indents, lists and tables of the page, and
the user corrects it in the format. Line 1 bounds the useful part; titles, items and fields follow as far as they are seen.
Every line is tried on the page before it is proposed, and a comment above it says what it found.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from newsextract.page.page import Page
from newsextract.wrappers.draft_fields import (
    WHOLE,
    FoundField,
    Names,
    brackets,
    find_contexts,
    find_fields,
    is_long,
    looks_like,
    sampled,
    slug,
)
from newsextract.wrappers.draft_items import (
    DraftItem,
    Element,
    Items,
    Tree,
    cells_of,
    find_items,
    forms,
    read_tree,
    shared_tag,
    writable,
)
from newsextract.wrappers.draft_items import sample as shown_text
from newsextract.wrappers.format import Format, FormatError, FormatLine, parse_format
from newsextract.wrappers.interpreter import Title, outline
from newsextract.wrappers.interpreter import run as run_format
from newsextract.wrappers.matching import Matcher, compile_context
from newsextract.wrappers.objects import OEMObject, Result
from newsextract.wrappers.pattern import Document, Tag, Text, parse_pattern, quoted

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


def _by_kind(tree: Tree, items: Sequence[DraftItem]) -> Titles | None:
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


# --- bounds ---------------------------------------------------------------------------------------
# The first line of a draft: the useful part of a page, from before its first title or item to behind the last.
#
# Huang, Qi & Zhang 2000, §1.3: the characters at which the useful part begins and ends. Tried are the elements that stand
# around all items, then the tags and texts before and behind them; the first that takes in all items, and no title or item
# of other parts of the page, is proposed.

_ANCHORS = 10
"""Tags and texts that are tried on either side."""
_TRIED = 16
"""Contexts that are tried on either side."""
_AROUND = 12
"""Elements around all items that are tried."""
_WORDS = 3


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the useful part must have and must not have."""

    first: int
    """It begins here or before."""
    last: int
    """It ends here or behind."""
    strays: Sequence[int]
    """Offsets of what would be found as title or item, in order."""
    consumed: bool
    """Whether its left context may reach over ``first``."""

    def holds(self, outer: int, start: int, end: int) -> bool:
        begins = outer if self.consumed else start
        if begins > self.first or end < self.last:
            return False
        return bisect_left(self.strays, begins) == bisect_left(self.strays, self.first) and bisect_left(
            self.strays, self.last
        ) == bisect_left(self.strays, end)


def find_bounds(tree: Tree, items: Items, titles: Titles | None, strays: Sequence[int]) -> str:
    """The section text of the first line.

    :param strays: offsets of all titles and items that the other lines would find on the whole page, in order.
    """
    first_item, last_item = items.items[0], items.items[-1]
    first = min(first_item.element.start, titles.first) if titles else first_item.element.start
    wanted = _Wanted(
        first, last_item.element.inner if items.shape == "line" else last_item.end, strays, bool(titles and titles.consumed)
    )
    around = [one for one in tree.above(first_item.element.parent) if one.start < first and one.inner_end >= wanted.last][
        :_AROUND
    ]
    for element in around:
        for form in forms(element)[:0:-1] if element.name not in ("main", "article") else forms(element):
            pattern = f"{form}#</{element.name}>"
            if _fits(tree, pattern, wanted):
                return pattern
    rights = list(dict.fromkeys(islice(filter(writable, _rights(tree, wanted.last)), _TRIED)))
    lefts = (pair for pair in _lefts(tree, first, wanted) if writable(pair[0]))
    for left, (outer, start) in islice(lefts, _TRIED):
        for right in rights:
            ended = _begins(right, tree, start)
            if ended and wanted.holds(outer, start, ended[0]) and _fits(tree, f"{left}#{right}", wanted):
                return f"{left}#{right}"
    for element in reversed(around):
        if element.name != "html" and _fits(tree, f"<{element.name}>#</{element.name}>", wanted):
            return f"<{element.name}>#</{element.name}>"
    return "<body>#</body>" if any(element.name == "body" for element in around) else WHOLE


def _fits(tree: Tree, pattern: str, wanted: _Wanted) -> bool:
    found = Matcher(parse_pattern(pattern)).find(tree.document, 0, len(tree.document.text))[:1]
    return bool(found) and wanted.holds(found[0].outer_start, found[0].value.start, found[0].value.end)


def _begins(pattern: str, tree: Tree, start: int) -> tuple[int, int] | None:
    """Where a context first stands from an offset on."""
    parts = [part for part in parse_pattern(pattern) if isinstance(part, Tag | Text)]
    match = compile_context(parts).regex.search(tree.document.text, start)
    return match.span() if match else None


def _lefts(tree: Tree, first: int, wanted: _Wanted) -> Iterator[tuple[str, tuple[int, int]]]:
    """Contexts, and where they stand, before an offset, and nowhere earlier; the nearest first."""
    place = bisect_left([element.start for element in tree.elements], first)
    if wanted.consumed and place < len(tree.elements):
        for form in forms(tree.elements[place]):
            if _begins(form, tree, 0) == (first, tree.elements[place].inner):
                yield form, (first, tree.elements[place].inner)
    for element in reversed(tree.elements[max(0, place - _ANCHORS) : place]):
        if element.end <= first and element.inner < element.inner_end:
            closing = f"</{element.name}>"
            found = _begins(closing, tree, 0)
            if found and found[1] == element.end:
                yield closing, found
        for form in forms(element):
            found = _begins(form, tree, 0)
            if found and found == (element.start, element.inner):
                yield form, found
    for run in reversed(tree.runs[max(0, _runs_before(tree, first) - 3) : _runs_before(tree, first)]):
        text = " ".join(tree.text(run.start, run.end).split()[-_WORDS:])
        found = _begins(quoted(text), tree, 0)
        if found and run.start <= found[0] < run.end:
            yield quoted(text), found


def _rights(tree: Tree, last: int) -> Iterator[str]:
    """Contexts that stand behind an offset; the nearest tags first, and what makes them tell enough."""
    place = bisect_left([element.start for element in tree.elements], last)
    following: Sequence[Element] = tree.elements[place : place + _ANCHORS]
    for element in following:
        yield from forms(element)
    runs = _runs_before(tree, last)
    for run in tree.runs[runs : runs + 3]:
        yield quoted(" ".join(tree.text(run.start, run.end).split()[:_WORDS]))
    for name in dict.fromkeys(element.name for element in tree.elements[max(0, place - _ANCHORS) : place]):
        yield f"</{name}>"


def _runs_before(tree: Tree, offset: int) -> int:
    return bisect_left([run.start for run in tree.runs], offset)


# --- sequences ------------------------------------------------------------------------------------
# Section texts with a hole for each field: rows of a table, and lines that begin with a link.
#
# Their fields have no marks of their own; it is the order of cells, or what stands behind the link, that tells them apart.

_SIGN = re.compile(r"[^\w\s<>&]+")
_SOME = 0.25
"""Part of the items that have something, so that it is a field; where not all have it, it may be missing."""


def row_pattern(tree: Tree, items: Items) -> tuple[str, list[str]]:
    """The section text of a table's rows, and the names of its holes: one a cell, and one for a link in it."""
    rows = [cells_of(tree, item.element) for item in items.items]
    heads = [tree.text(cell.inner, cell.inner_end) for cell in cells_of(tree, items.head)] if items.head is not None else []
    names, found = Names(), []
    tag = rows[0][0].name if all(row[0].name == rows[0][0].name for row in rows) else "td"
    pattern = "<tr>"
    width = min(map(len, rows))
    texts = [[tree.text(row[column].inner, row[column].inner_end) for row in rows] for column in range(width)]
    last = max((column for column in range(width) if any(texts[column])), default=0)
    for column in range(last + 1):
        pattern += f"<{rows[0][column].name if column else tag}>"
        filled = [text for text in texts[column] if text]
        if not filled:
            pattern += "..."
            continue
        linked = [_leading_link(tree, row[column]) for row in rows]
        head = slug(heads[column]) if column < len(heads) else ""
        share = sum(linked) / len(linked)
        if share >= _SOME:
            link = names.take("link", f"{head}_link" if head else "link")
            found.append(link)
            hole = f'<a href="${link}">'
            pattern += hole if all(linked) else f"[{hole}]"
        name = names.take(head, looks_like(filled), "title" if is_long(filled) else "", "text")
        found.append(name)
        pattern += f"${name}"
    return pattern, found


def _leading_link(tree: Tree, cell: Element) -> bool:
    inner = tree.elements[cell.number + 1] if cell.number + 1 < cell.last else None
    if inner is None or inner.name != "a" or "href" not in inner.attributes:
        return False
    return not tree.document.text[cell.inner : inner.start].strip()


def line_pattern(tree: Tree, items: Sequence[DraftItem]) -> tuple[str, list[str]]:
    """The section text of lines that begin with a link, and the names of its holes: link, and what is marked behind it."""
    behind: dict[str, list[tuple[Element, str]]] = {}
    for item in items:
        element = _behind(tree, item)
        if element is not None:
            behind.setdefault(_form(element), []).append((element, tree.text(element.inner, element.inner_end)))
    pattern, names = _lead(tree, items)
    form, found = max(behind.items(), key=lambda pair: len(pair[1]), default=("", []))
    if len(found) >= _SOME * len(items):
        texts = [text for _, text in found]
        lead, tail = brackets(texts)
        stripped = [text.strip(f"{lead}{tail} ") for text in texts]
        name = Names(names).take(looks_like(stripped), "text")
        hole = f"{quoted(lead)}${name}{quoted(tail)}" if lead else f"${name}"
        part = f"{form}{hole}</{found[0][0].name}>"
        pattern += part if len(found) == len(items) else f"[{part}]"
        return pattern, [*names, name]
    rests = [tree.text(item.element.end, _line_end(tree, item)) for item in items]
    if sum(re.search(r"\w", rest) is not None for rest in rests) >= _SOME * len(items):
        sign = _SIGN.match(rests[0])
        common = sign[0] if sign and all(rest.startswith(sign[0]) for rest in rests) else ""
        stripped = [rest[len(common) :].strip() for rest in rests if rest]
        names.append(Names(names).take(looks_like(stripped), "title" if is_long(stripped) else "", "text"))
        pattern += f"{quoted(common) if common else ''}${names[-1]}<br>"
    return pattern, names


def _lead(tree: Tree, items: Sequence[DraftItem]) -> tuple[str, list[str]]:
    """The pattern of what lines begin with, and its names."""
    name = items[0].element.name
    if name == "a":
        return '<a href="$link">$title</a>', ["link", "title"]
    texts = [tree.text(item.element.inner, item.element.inner_end) for item in items]
    label = Names().take(looks_like(texts), "title" if is_long(texts) else "", "name")
    return f"<{name}>${label}</{name}>", [label]


def _form(element: Element) -> str:
    """The start tag of an element as a pattern, with a class if it has one."""
    return next((form for form in forms(element) if " class=" in form), f"<{element.name}>")


def _behind(tree: Tree, item: DraftItem) -> Element | None:
    """The element with text that stands right behind the link, on the same line."""
    place = item.element.last
    if place >= len(tree.elements):
        return None
    element = tree.elements[place]
    between = tree.document.text[item.element.end : element.start].strip()
    return element if not between and element.start < item.end and element.texts == 1 and element.name != "br" else None


def _line_end(tree: Tree, item: DraftItem) -> int:
    place = item.element.last
    while place < len(tree.elements) and tree.elements[place].start < item.end:
        if tree.elements[place].name == "br":
            return tree.elements[place].start
        place += 1
    return item.end


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
    document = Document.of_page(page)
    tree = read_tree(document)
    items = find_items(tree)
    lines = _lines(tree, items) if items is not None else _without_items(tree)
    source = (
        f'get("{page.url}")' if page.url and not set(page.url) & set('"\\<>{}\r\n') and page.url.isprintable() else "get()"
    )
    return _HEAD + _checked(page, lines, source)


def _lines(tree: Tree, items: Items) -> list[_DraftLine]:
    titles = find_titles(tree, items)
    above = titles.label if titles else _ROOT
    names = Names((_ROOT,))
    of_items: list[_DraftLine] = []
    if items.shape in ("row", "line"):
        pattern, of_holes = row_pattern(tree, items) if items.shape == "row" else line_pattern(tree, items.items)
        names = Names((_ROOT, *of_holes))
        of_items.append(_DraftLine(pattern, names.take("row" if items.shape == "row" else "item", "entry"), above))
    else:
        element = items.items[0].element
        values = (
            [DraftItem(one.element, one.element.inner, one.end) for one in items.items]
            if items.shape == "headed"
            else items.items
        )
        sample = sampled(values)
        found = [part for one in find_fields(tree, sample) for part in find_contexts(tree, sample, one)]
        item = names.take(slug(element.kind), "article" if element.name == "article" else "", "item")
        of_items.append(_DraftLine(items.pattern, item, above))
        if items.shape == "nested":  # an item that holds others has a name, too, but seldom the marks of the innermost ones
            of_items.append(_DraftLine(WHOLE, names.take("title"), item))
            found = [replace(one, pattern="") if _is_whole(tree, sample, one) else one for one in found]
        of_items += _field_lines(found, item, names)
    strays = sorted((*(titles.starts if titles else ()), *_found_anywhere(tree, items, of_items[0].section)))
    lines = [_DraftLine(find_bounds(tree, items, titles, strays), _ROOT, "")]
    if titles:
        lines.append(_DraftLine(titles.section, titles.label, _ROOT))
    return lines + of_items


def _found_anywhere(tree: Tree, items: Items, section: str) -> list[int]:
    """Where the line of the items finds something on the whole page."""
    if items.shape == "nested":
        return [found.title.start for found in outline(tree.document, Tag("indentx"), 0, len(tree.document.text))]
    return [match.outer_start for match in Matcher(parse_pattern(section)).find(tree.document, 0, len(tree.document.text))]


def _field_lines(fields: list[FoundField], item: str, names: Names) -> list[_DraftLine]:
    """A line for each field, and one for the address of a link."""
    lines = []
    title = max((one for one in fields if _may_be_title(one)), key=_title_rank, default=None)
    for one in fields:
        kind = one.field.key[1] if one.field.kind != "loose" else ""
        element = one.field.places[0].element
        if one.link and element is not None:
            is_mail = element.attributes["href"].lower().startswith("mailto:")
            lines.append(_DraftLine(one.link, names.take("mail" if is_mail else "link"), item))
        if not one.pattern:
            continue
        label = names.take(slug(kind), "title" if one is title else "", looks_like(one.texts), "text")
        many = one.field.many
        about = 'with their addresses: <a href="$link">$name</a>' if one.field.kind == "link" and many else ""
        lines.append(_DraftLine(one.pattern, f"{label}*" if many else label, item, about))
    return lines


def _is_whole(tree: Tree, sample: Sequence[DraftItem], one: FoundField) -> bool:
    """Whether a field's texts are those of its items, no more and no less."""
    values = [sample[place.item] for place in one.field.places]
    return [tree.text(value.start, value.end) for value in values] == one.texts


def _may_be_title(one: FoundField) -> bool:
    return (
        bool(one.pattern)
        and not one.field.many
        and is_long(one.texts)
        and looks_like(one.texts) not in ("date", "pages", "number", "author")
    )


def _title_rank(one: FoundField) -> tuple[bool, int, float]:
    """Links before other texts, then what most items have, then the longest."""
    return one.field.kind == "link", one.field.items, sum(map(len, one.texts)) / len(one.texts)


def _without_items(tree: Tree) -> list[_DraftLine]:
    """The lines for a page on which nothing is repeated: its titles, and its links."""
    lines = [_DraftLine(WHOLE, _ROOT, "")]
    for scale in ("hx", "fontx"):
        if outline(tree.document, Tag(scale), 0, len(tree.document.text)):
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
    result = run_format(parse_format(_text(kept)), page)
    kept = [line for line, fit in zip(kept, result.fit, strict=True) if fit.matched]
    while (wrapper := _readable(kept)) is None:
        kept.pop()  # a line whose source has gone
    result = run_format(wrapper, page)
    constants = {name for line in wrapper.lines for name in line.names}
    return "".join(_written(line, made, result, constants) for line, made in zip(kept, wrapper.lines, strict=True))


def _text(lines: list[_DraftLine]) -> str:
    return "\n".join(line.written for line in lines)


def _readable(lines: list[_DraftLine]) -> Format | None:
    try:
        return parse_format(_text(lines))
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
