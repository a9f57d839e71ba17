"""A draft: the format that the heuristics propose for a page, to be edited.

Huang, Qi & Zhang 2000, §1.2 and §1.3: the first hierarchy comes from the fonts, indents, lists and tables of the page, and
the user corrects it in the format. Line 1 bounds the useful part; titles, items and fields follow as far as they are seen.
Every line is tried on the page before it is proposed, and a comment above it says what it found.

Cost: some passes over the source, however large; the curve is in docs/oem.md.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from newsextract.oem.document import Document
from newsextract.oem.drafting.bounds import EVERYTHING, find_bounds
from newsextract.oem.drafting.contexts import WHOLE, Found, find_contexts
from newsextract.oem.drafting.fields import find_fields, sampled
from newsextract.oem.drafting.items import Items, find_items
from newsextract.oem.drafting.lines import Item
from newsextract.oem.drafting.names import Names, is_long, looks_like, slug
from newsextract.oem.drafting.sequences import line_pattern, row_pattern
from newsextract.oem.drafting.titles import Titles, find_titles
from newsextract.oem.drafting.tree import Tree, read_tree
from newsextract.oem.drafting.written import sample as shown_text
from newsextract.oem.format import Format, FormatError, FormatLine, parse_format
from newsextract.oem.interpreter import run
from newsextract.oem.levels import outline
from newsextract.oem.matching import Matcher
from newsextract.oem.model import OEMObject
from newsextract.oem.pattern import Tag, parse_pattern
from newsextract.oem.result import Result
from newsextract.page import Page

_ROOT = "root"
_OFTEN = 0.5
"""Part of the items in which a field stands at least, unless its line may find nothing on other pages (``?``)."""
_HEAD = """\
# A draft: what the heuristics see on this page. Rename, change and delete lines; then try them:
#   newsextract oem run THIS_FILE PAGE
"""


@dataclass(frozen=True, slots=True)
class _Line:
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


def _lines(tree: Tree, items: Items) -> list[_Line]:
    titles = find_titles(tree, items)
    above = titles.label if titles else _ROOT
    names = Names((_ROOT,))
    of_items: list[_Line] = []
    if items.shape in ("row", "line"):
        sequence = row_pattern(tree, items) if items.shape == "row" else line_pattern(tree, items.items)
        names = Names((_ROOT, *sequence.names))
        of_items.append(_Line(sequence.pattern, names.take("row" if items.shape == "row" else "item", "entry"), above))
    else:
        element = items.items[0].element
        values = (
            [Item(one.element, one.element.inner, one.end) for one in items.items]
            if items.shape == "headed"
            else items.items
        )
        sample = sampled(values)
        found = [part for one in find_fields(tree, sample) for part in find_contexts(tree, sample, one)]
        item = names.take(slug(element.kind), "article" if element.name == "article" else "", "item")
        of_items.append(_Line(items.pattern, item, above))
        if items.shape == "nested":  # an item that holds others has a name, too, but seldom the marks of the innermost ones
            of_items.append(_Line(WHOLE, names.take("title"), item))
            found = [replace(one, pattern="") if _is_whole(tree, sample, one) else one for one in found]
        of_items += _field_lines(found, item, names)
    strays = sorted((*(titles.starts if titles else ()), *_found_anywhere(tree, items, of_items[0].section)))
    lines = [_Line(find_bounds(tree, items, titles, strays), _ROOT, "")]
    if titles:
        lines.append(_title_line(titles))
    return lines + of_items


def _found_anywhere(tree: Tree, items: Items, section: str) -> list[int]:
    """Where the line of the items finds something on the whole page."""
    if items.shape == "nested":
        return [found.title.start for found in outline(tree.document, Tag("indentx"), 0, len(tree.document.text))]
    return [match.outer_start for match in Matcher(parse_pattern(section)).find(tree.document, 0, len(tree.document.text))]


def _title_line(titles: Titles) -> _Line:
    return _Line(titles.section, titles.label, _ROOT)


def _field_lines(fields: list[Found], item: str, names: Names) -> list[_Line]:
    """A line for each field, and one for the address of a link."""
    lines = []
    title = max((one for one in fields if _may_be_title(one)), key=_title_rank, default=None)
    for one in fields:
        kind = one.field.key[1] if one.field.kind != "loose" else ""
        if one.link:
            lines.append(_Line(one.link, names.take("mail" if _is_mail(one) else "link"), item))
        if not one.pattern:
            continue
        label = names.take(slug(kind), "title" if one is title else "", looks_like(one.texts), "text")
        many = one.field.many
        about = 'with their addresses: <a href="$link">$name</a>' if one.field.kind == "link" and many else ""
        lines.append(_Line(one.pattern, f"{label}*" if many else label, item, about))
    return lines


def _is_whole(tree: Tree, sample: Sequence[Item], one: Found) -> bool:
    """Whether a field's texts are those of its items, no more and no less."""
    values = [sample[place.item] for place in one.field.places]
    return [tree.text(value.start, value.end) for value in values] == one.texts


def _may_be_title(one: Found) -> bool:
    return (
        bool(one.pattern)
        and not one.field.many
        and is_long(one.texts)
        and looks_like(one.texts) not in ("date", "pages", "number", "author")
    )


def _title_rank(one: Found) -> tuple[bool, int, float]:
    """Links before other texts, then what most items have, then the longest."""
    return one.field.kind == "link", one.field.items, sum(map(len, one.texts)) / len(one.texts)


def _is_mail(one: Found) -> bool:
    element = one.field.places[0].element
    return element is not None and element.attributes["href"].lower().startswith("mailto:")


def _without_items(tree: Tree) -> list[_Line]:
    """The lines for a page on which nothing is repeated: its titles, and its links."""
    lines = [_Line(EVERYTHING, _ROOT, "")]
    for scale in ("hx", "fontx"):
        if outline(tree.document, Tag(scale), 0, len(tree.document.text)):
            lines.append(_Line(f"</{scale}>#<{scale}>", f"<{scale}>#</{scale}>", _ROOT))
            break
    return [*lines, _Line('<a href="$link">$title</a>', "item", lines[-1].variable)]


def _checked(page: Page, lines: list[_Line], source: str) -> str:
    """The lines as text, with what they find; those that cannot be read or find nothing are left out."""
    lines = [_Line(lines[0].section, lines[0].variable, source), *lines[1:]]
    if _readable(lines[:1]) is None or _run(page, lines[:1]).root is None:
        lines[0] = _Line(EVERYTHING, _ROOT, source)
    kept = lines[:1]
    for line in lines[1:]:
        if _readable([*kept, line]) is not None:
            kept.append(line)
    result = _run(page, kept)
    kept = [line for line, fit in zip(kept, result.fit, strict=True) if fit.matched]
    while (wrapper := _readable(kept)) is None:
        kept.pop()  # a line whose source has gone
    result = run(wrapper, page)
    constants = {name for line in wrapper.lines for name in line.names}
    return "".join(_written(line, made, result, constants) for line, made in zip(kept, wrapper.lines, strict=True))


def _readable(lines: list[_Line]) -> Format | None:
    try:
        return parse_format("\n".join(line.written for line in lines))
    except FormatError:
        return None


def _run(page: Page, lines: list[_Line]) -> Result:
    return run(parse_format("\n".join(line.written for line in lines)), page)


def _written(line: _Line, made: FormatLine, result: Result, constants: Collection[str]) -> str:
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


def _samples(root: OEMObject | None, made: FormatLine, constants: Collection[str], most: int = 2) -> list[str]:
    """The first texts that a line found; labels where these are texts of the page."""
    found: list[str] = []
    for one, _ in root.walk() if root is not None else ():
        if len(found) == most:
            break
        if made.label is not None and one.label not in constants:
            found.append(shown_text(one.label))
        elif made.label is None and one.label == made.variable:
            found.append(shown_text(_text_of(one)))
    return found


def _text_of(one: OEMObject) -> str:
    """An object's text, or those of the objects within."""
    if isinstance(one.value, str):
        return one.value
    return " | ".join(child.value for child in one.value if isinstance(child.value, str))
