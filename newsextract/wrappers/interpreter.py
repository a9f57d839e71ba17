"""The interpreter: a format and a page go in, the root object comes out.

Huang, Qi & Zhang 2000, §1.4: lines are taken in order over a list of processed objects; a line whose section text ends
before a tag of several levels leaves the hierarchy to the heuristics (*levels*). A section's *own*
text is the source of later lines, not that of the sections within it: the paper's working list would give an item to
every section above it.

The interpreter never fetches. It asks for pages by address; what is not at hand is named in :attr:`Result.missing`, and the
run can be repeated when it is: so the same code serves the command line and a crawl.

Cost: linear in the source for each line (docs/oem.md has the measurement).
"""

from __future__ import annotations

import hashlib
import html
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from newsextract.page.page import Page
from newsextract.wrappers.format import Format, Get, SplitText
from newsextract.wrappers.matching import Match, Matcher, Span, Splitter
from newsextract.wrappers.objects import MAX_DEPTH, Fetch, LineFit, OEMObject, Result, Type, Unavailable
from newsextract.wrappers.pattern import ATTRIBUTES, Document, Hole, Optional, Part, Tag, plain_text

# --- levels ---------------------------------------------------------------------------------------
# The two heuristics: what the titles and items of a page are, and which of them stands under which.
#
# Huang, Qi & Zhang 2000, §1.1 Table 1 (titles), §1.2 and §1.4: a smaller font is a child of the larger one before it, a
# deeper indent a child of the shallower one; items of a list are siblings; the order is the page's. Fonts come from the tags
# as browsers draw them, from inline styles, and from a snapshot where there is one; so do indents.
#
# The paper makes one pass over the source per font size. Here a stack does the same in one pass, and an object whose next
# level is missing does not fall out of the list.
#
# Cost: one regular expression over the source.

MAX_LEVELS = 30
"""Levels that one scale gives; deeper ones count as the last."""
_HEADINGS = {"h1": 32.0, "h2": 24.0, "h3": 18.7, "h4": 16.0, "h5": 13.3, "h6": 10.7}
"""Font sizes in CSS pixels as browsers draw them (HTML standard, 15.3.6)."""
_FONTS = {"1": 10.0, "2": 13.0, "3": 16.0, "4": 18.0, "5": 24.0, "6": 32.0, "7": 48.0}
"""Of ``<font size=…>`` (15.3.4)."""
_TEXT_SIZE = 16.0
_STEP = 0.5
"""Sizes and indents nearer than this many pixels are one level; browsers round to fractions."""

_TITLES = re.compile(rf"<(/?)(h[1-6]|b|strong|big|font)(?=[\s/>])({ATTRIBUTES})>", re.IGNORECASE)
_ITEMS = re.compile(rf"<(/?)(ul|ol|dl|menu|dir|blockquote|li|dt|dd|p)(?=[\s/>])({ATTRIBUTES})>", re.IGNORECASE)
_FONT_SIZE = re.compile(r"\ssize\s*+=\s*+[\"']?\s*+([1-7])", re.IGNORECASE)
_STYLED = re.compile(r"font-size\s*:\s*(\d+(?:\.\d+)?)\s*(px|pt)", re.IGNORECASE)
_MARGIN = re.compile(r"(?:margin|padding)-left\s*:\s*(\d+(?:\.\d+)?)\s*(px|pt|em)", re.IGNORECASE)
_LINE_END = re.compile(
    r"(?>(?:\s|&nbsp;|</?(?:a|font|span|center|u|i|em)(?=[\s>])[^<>]*>)*)(?:<(?:/?(?:body|p|div|td|th|li|tr|dt|dd|center|table|ul|ol|dl"
    r"|blockquote|h[1-6]|section)|br|hr)(?=[\s/>])|\Z)",
    re.IGNORECASE,
)
_LAST_TAG = re.compile(
    r"<(?:(?P<line>/?(?:body|p|div|td|th|li|tr|dt|dd|center|table|ul|ol|dl|blockquote|h[1-6]|section)|br|hr)(?:\s[^<>]*)?/?"
    r"|/?(?:a|font|span|u|i|em)(?:\s[^<>]*)?)>",
    re.IGNORECASE,
)
"""``line``: it begins a line; the others stand within one."""
_OPENED = re.compile(r"(?>(?:<(?:p|div|center|li|td|tr|font|a|span)(?=[\s>])[^<>]*>\s*)+)\Z", re.IGNORECASE)
_BEFORE = 300
"""Characters before a bold text that are looked at to see whether it begins a line."""
_UNITS = {"px": 1.0, "pt": 4 / 3, "em": 16.0}


@dataclass(frozen=True, slots=True)
class Title:
    """A title or item, and how far it reaches."""

    start: int
    """Of its start tag."""
    text: int
    """Where its text begins, behind the start tag."""
    text_end: int
    """Where its text ends; of an item, where its own text does."""
    own: int
    """Where what stands under it begins."""
    rank: float
    """A smaller rank stands above a larger one."""


@dataclass(frozen=True, slots=True)
class Section:
    """A title in the hierarchy."""

    title: Title
    parent: int
    """Number of the section above, or -1."""
    own_end: int
    """Where the next title begins, whatever its level: up to there the text is the section's own."""
    end: int
    """Where the next title of the same or a higher level begins."""


def outline(document: Document, scale: Tag, start: int, end: int) -> list[Section]:
    """The titles of a stretch of source in the hierarchy that fonts or indents give them, in order."""
    titles = _items(document, start, end) if scale.name == "indentx" else _titles(document, scale, start, end)
    titles = _one_level_each(titles)
    parents, ends = [], [end] * len(titles)
    stack: list[int] = []
    for number, title in enumerate(titles):
        while stack and (titles[stack[-1]].rank >= title.rank or len(stack) == MAX_LEVELS):
            ends[stack.pop()] = title.start
        parents.append(stack[-1] if stack else -1)
        stack.append(number)
    following = [title.start for title in titles[1:]] + [end]
    return [Section(*found) for found in zip(titles, parents, following, ends, strict=False)]  # without titles all but one


def _titles(document: Document, scale: Tag, start: int, end: int) -> list[Title]:
    """Titles by Table 1: headings, and for ``fontx`` also bold or enlarged text that fills a line."""
    text, found = document.text, []
    opened: tuple[str, int, int, str] | None = None  # name, start, behind the tag, attributes
    for match in _TITLES.finditer(text, start, end):
        name, closing = match[2].lower(), bool(match[1])
        heading = name in _HEADINGS
        if closing:
            if opened is not None and (name == opened[0] or (heading and opened[0] in _HEADINGS)):
                rank = _rank(document, scale, *opened, match.start(), end)
                if rank is not None:
                    found.append(Title(_begin(text, opened[1], start), opened[2], match.start(), match.end(), rank))
                opened = None
        elif (heading or opened is None) and _on_scale(scale, name, match[3]):
            opened = (name, match.start(), match.end(), match[3])
    return found


def _begin(text: str, start: int, limit: int) -> int:
    """Where a title begins: with the tags that open right before it, so that the text above does not end in them."""
    before = _OPENED.search(text, max(limit, start - _BEFORE), start)
    return before.start() if before else start


def begins_line(text: str, place: int) -> bool:
    """Whether a line begins at an offset: read backwards, as all that ends otherwise fails at once."""
    before = text[max(0, place - _BEFORE) : place]
    while before := before.rstrip().lower():
        if before.endswith("&nbsp;"):
            before = before.removesuffix("&nbsp;")
            continue
        at = before.rfind("<")
        tag = _LAST_TAG.fullmatch(before, at) if at >= 0 else None
        if tag is None:
            return False
        if tag["line"]:
            return True
        before = before[:at]
    return True


def _on_scale(scale: Tag, name: str, attributes: str) -> bool:
    if scale.name == "hx":
        return name in _HEADINGS
    if scale.name == "font":
        size = _FONT_SIZE.search(attributes) if name == "font" else None
        low, high = scale.sizes or (1, 7)
        return size is not None and low <= int(size[1]) <= high
    return True


def _rank(
    document: Document, scale: Tag, name: str, start: int, text: int, attributes: str, text_end: int, end: int
) -> float | None:
    """Rank of a title: the larger the font, the smaller; bold after plain size. None: it is none."""
    source = document.text
    if scale.name == "fontx" and name not in _HEADINGS:
        behind = source.find(">", text_end) + 1
        if not (begins_line(source, start) and _LINE_END.match(source, behind, end)):
            return None
    if not plain_text(source[text:text_end]):
        return None
    look = document.looks.get(start) if document.looks is not None else None
    if look is not None:
        if scale.name == "fontx" and name == "font" and look.font_size <= _TEXT_SIZE and not look.bold:
            return None
        return -look.font_size - (_STEP if look.bold else 0.0)
    size = _HEADINGS.get(name)
    if size is not None:
        return -size - _STEP  # headings are bold
    fonted = _FONT_SIZE.search(attributes) or _FONT_SIZE.search(source[text : min(text_end, text + 100)])
    styled = _STYLED.search(attributes)
    if styled:
        size = float(styled[1]) * _UNITS[styled[2].lower()]
    elif fonted:
        size = _FONTS[fonted[1]]
    else:
        size = _TEXT_SIZE + (2.0 if name == "big" else 0.0)
    if scale.name == "fontx" and name == "font" and size <= _TEXT_SIZE:
        return None
    return -size - (_STEP if name in ("b", "strong") else 0.0)


def _items(document: Document, start: int, end: int) -> list[Title]:
    """List items, terms, definitions, and paragraphs outside lists, by how far they are indented."""
    text, found = document.text, []
    depth = 0
    for match in _ITEMS.finditer(text, start, end):
        name, closing = match[2].lower(), bool(match[1])
        if name in ("li", "dt", "dd", "p"):
            if not closing:
                look = document.looks.get(match.start()) if document.looks is not None else None
                margin = _MARGIN.search(match[3])
                indent = 40.0 * depth + (40.0 if name == "dd" else 0.0)
                indent += float(margin[1]) * _UNITS[margin[2].lower()] if margin else 0.0
                if name != "p" or depth == 0:
                    found.append((match.start(), match.end(), look.left if look is not None else indent))
        else:
            depth = max(0, depth + (-1 if closing else 1))
    titles = []
    for number, (first, behind, rank) in enumerate(found):
        own_end = found[number + 1][0] if number + 1 < len(found) else end
        if plain_text(text[behind:own_end]):
            titles.append(Title(first, behind, own_end, own_end, rank))
    return titles


def _one_level_each(titles: Sequence[Title]) -> list[Title]:
    """Titles whose ranks differ by less than a step get one rank."""
    levels: list[float] = []
    for rank in sorted({title.rank for title in titles}):
        if not levels or rank - levels[-1] >= _STEP:
            levels.append(rank)
    return [replace(title, rank=levels[bisect_right(levels, title.rank) - 1]) for title in titles]


# --- nodes ----------------------------------------------------------------------------------------
# From the nodes of a run to the objects of the model: texts, order, identities.
#
# A node is an object in the making: a label and a span of a document. Its text is read once, when all nodes are there.

LINKS = ("href", "src", "action", "cite", "data-src")
"""Attributes whose values are addresses."""
_BEHIND = (2**62, 0)
"""The place of objects from other pages among those of a page."""
_NOTHING = OEMObject("", "", "string", "")


@dataclass(eq=False, slots=True)
class Node:
    """An object in the making."""

    variable: str
    label: str
    document: Document
    value: Span
    outer: tuple[int, int]
    own_end: int
    """Up to where its value is its own."""
    parent: Node | None
    after: int
    """Lines behind this index take it as source."""
    children: list[Node] = field(default_factory=list)
    refers: Node | None = None
    depth: int = 1
    number: int = 0
    """Its place among the nodes of the run."""


def own_text(node: Node) -> Node:
    """An object for the text of one that has objects within, so that it is not lost."""
    span = Span(node.value.start, node.own_end)
    return Node("text", "text", node.document, span, (span.start, span.end), span.end, node, node.after)


def text_of(document: Document, span: Span) -> str:
    """What a reader sees of a span; an attribute's value that is an address is made absolute."""
    text = document.text[span.start : span.end]
    if span.attribute is None:
        return plain_text(text)
    text = html.unescape(text).strip()
    return document.absolute(text) if span.attribute in LINKS else text


def finished(nodes: Sequence[Node], url: str | None) -> OEMObject:
    """The objects of nodes that come parents first: children in the order of the page, identities from the content."""
    contents = [""] * len(nodes)  # text within
    for node in reversed(nodes):
        number, children = node.number, node.children
        if children:
            if len(children) > 1:
                children.sort(key=_place)
            # What linked pages hold does not count: they may come and go.
            own = [child for child in children if child.document is node.document and child.refers is None]
            contents[number] = "\n".join([contents[child.number] for child in own])
        elif node.refers is not None:
            contents[number] = node.label
        else:
            contents[number] = text_of(node.document, node.value)
    oids = [""] * len(nodes)
    oids[0] = _oid("", nodes[0].label, url or "", 0)
    for node in nodes:
        if not node.children:
            continue
        counts: dict[tuple[str, str], int] = {}
        above = oids[node.number]
        for child in node.children:
            key = (child.label, contents[child.number] if child.label == child.variable else "")
            counts[key] = times = counts.get(key, -1) + 1
            oids[child.number] = _oid(above, *key, times)
    objects: list[OEMObject] = [_NOTHING] * len(nodes)
    for node in reversed(nodes):
        number, parent = node.number, node.parent
        kind: Type = "string"
        value: str | tuple[OEMObject, ...] = contents[number]
        if node.children:
            kind, value = "complex", tuple([objects[child.number] for child in node.children])
        elif node.refers is not None:
            kind, value = "reference", oids[node.refers.number]
        elif node.value.attribute in LINKS:
            kind = "link"
        own_url = node.document.url if parent is None or node.document is not parent.document else None
        objects[number] = OEMObject(oids[number], node.label, kind, value, own_url)
    return objects[0]


def _place(node: Node) -> tuple[int, int]:
    """Its place on the page of its parent; behind all others where it is from another page."""
    return node.outer if node.parent is None or node.document is node.parent.document else _BEHIND


def _oid(above: str, label: str, content: str, number: int) -> str:
    key = f"{above}\x00{label}\x00{content}\x00{number}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(key, digest_size=8).hexdigest()


# --- interpreter ----------------------------------------------------------------------------------

MAX_PAGES = 50
"""Pages of a run that links lead to, unless the caller says otherwise."""
MAX_OBJECTS = 100_000
"""Objects of a run; a page of 10 MB has no more entries."""


def run(wrapper: Format, page: Page, fetch: Fetch | None = None, *, max_pages: int = MAX_PAGES) -> Result:
    """Take a format's lines in order over a page.

    :param page: takes the place of the first line's page.
    :param fetch: gives the pages of further ``get(…)``; None: there are none to be had.
    :param max_pages: how many of them at most.
    """
    return _Run(wrapper, fetch, max_pages).result(page)


class _Run:
    """The state of a run."""

    def __init__(self, wrapper: Format, fetch: Fetch | None, max_pages: int) -> None:
        self.lines = wrapper.lines
        self.fetch = fetch
        self.max_pages = max_pages
        self.fit = [LineFit(line.number, line.variable, line.optional) for line in self.lines]
        self.matchers = [
            Splitter(line.section.separators) if isinstance(line.section, SplitText) else Matcher(line.section)
            for line in self.lines
        ]
        self.unnamed = [not isinstance(line.section, SplitText) and _has_unnamed(line.section) for line in self.lines]
        self.scales = [line.scale for line in self.lines]
        kinds = [(line.variable, line.section) for line in self.lines]
        self.kinds = [kinds.index(kind) for kind in kinds]
        """By line the first that makes the same objects of a page."""
        self.labels = [Matcher(line.label) if line.label is not None else None for line in self.lines]
        self.by_source: dict[str, list[int]] = {}
        for index, line in enumerate(self.lines):
            source = line.source if isinstance(line.source, str) else line.source.links
            if source is not None:
                self.by_source.setdefault(source, []).append(index)
        self.work: list[Node] = []
        self.documents: dict[str, Document | None] = {}
        self.asked = 0
        self.made: dict[tuple[int, str], list[Node]] = {}
        """By kind of line and address of a page: its objects."""
        self.held: set[tuple[int, int, str]] = set()
        """Object, kind of line, address: the page's objects stand within the object already."""
        self.missing: dict[str, None] = {}
        self.failures: dict[str, str] = {}
        self.notes: dict[str, None] = {}

    def result(self, page: Page) -> Result:
        document = Document.of_page(page)
        root = self._first(document)
        if root is None:
            return Result(None, tuple(self.fit))
        if page.url:
            url = page.url.partition("#")[0]
            self.documents[url] = document
            self.made[(self.kinds[0], url)] = [root]
        for index, line in enumerate(self.lines[1:], 1):
            if isinstance(line.source, Get) and line.source.links is None and line.source.url is not None:
                self._get(index, line.source.url, root, root.outer)
        place = 0
        while place < len(self.work):
            node = self.work[place]
            if node.variable in self.by_source:
                self._children(node)
            place += 1
        return Result(
            finished(self.work, page.url),
            tuple(self.fit),
            tuple(self.missing),
            tuple(self.failures.items()),
            tuple(self.notes),
        )

    def _first(self, document: Document) -> Node | None:
        """The root: what the first line finds first."""
        fit = self.fit[0]
        fit.sources = 1
        found = self.matchers[0].find(document, 0, len(document.text), 1)
        if not found:
            return None
        fit.matched = fit.objects = 1
        return self._node(0, document, found[0], None)

    def _node(self, index: int, document: Document, match: Match, parent: Node | None, label: str | None = None) -> Node:
        """An object of a line, its named holes as objects within."""
        line = self.lines[index]
        span = match.value
        if label is None:
            label = line.variable
            pattern = self.labels[index]
            if pattern is not None:
                named = pattern.find(document, match.outer_start, match.outer_end)
                label = text_of(document, named[0].value) if named else ""
        node = Node(line.variable, label, document, span, match[:2], span.end, parent, index)
        self._add(node)
        if not match.fields:
            return node
        has_text = span.name is None and span.attribute is None  # an optional hole may be missing
        if self.unnamed[index] and has_text and line.variable not in self.by_source:
            self._add(own_text(node))
        for named_span in match.fields:
            name = named_span.name or ""
            outer = (named_span.start, named_span.end)
            self._add(Node(name, name, document, named_span, outer, named_span.end, node, index))
        return node

    def _add(self, node: Node) -> None:
        node.number = len(self.work)
        if node.parent is not None:
            node.parent.children.append(node)
            node.depth = node.parent.depth + 1
        self.work.append(node)

    def _children(self, node: Node) -> None:
        """Take the lines that have the object as source."""
        for index in self.by_source[node.variable]:
            line, fit = self.lines[index], self.fit[index]
            if self._is_full():
                return
            if node.depth >= MAX_DEPTH:
                self.notes[f"cut: more than {MAX_DEPTH} nested objects"] = None
                return
            if isinstance(line.source, Get):
                self._get(index, _address(node), node.parent or node, node.outer)
            elif index > node.after and node.refers is None:
                fit.sources += 1
                if node.value.attribute is None:
                    start = node.outer[0] if self.scales[index] is not None else node.value.start
                    end = node.value.end if self.scales[index] is not None else node.own_end
                    self._apply(index, node.document, start, end, node)

    def _is_full(self) -> bool:
        """Whether there is no room for a further object."""
        if len(self.work) < MAX_OBJECTS:
            return False
        self.notes[f"cut: more than {MAX_OBJECTS:,} objects"] = None
        return True

    def _apply(self, index: int, document: Document, start: int, end: int, parent: Node) -> list[Node]:
        """Take a line over a stretch of source; the objects that this makes within an object, and within each other."""
        scale, fit = self.scales[index], self.fit[index]
        if scale is not None:
            made = self._sections(index, document, parent, outline(document, scale, start, end))
        else:
            made = []
            for match in self.matchers[index].find(document, start, end, MAX_OBJECTS + 1 - len(self.work)):
                if self._is_full():
                    break
                made.append(self._node(index, document, match, parent))
        fit.objects += len(made)
        fit.matched += bool(made)
        return made

    def _sections(self, index: int, document: Document, node: Node, sections: list[Section]) -> list[Node]:
        """Objects for titles, within each other as the outline has it."""
        line = self.lines[index]
        behind_title = isinstance(line.section, tuple) and isinstance(line.section[0], Tag) and line.section[0].closing
        plain = line.label is not None and _is_title(line.label)
        made: list[Node] = []
        for section in sections:
            if self._is_full():
                break
            title = section.title
            start = title.own if behind_title else title.text
            label = None
            if line.label is None:
                label = line.variable
            elif plain:
                label = plain_text(document.text[title.text : title.text_end])
            parent = made[section.parent] if section.parent >= 0 else node
            child = self._node(index, document, Match(title.start, section.own_end, Span(start, section.end)), parent, label)
            child.own_end = max(start, section.own_end)
            made.append(child)
        if line.variable not in self.by_source:  # nothing else is looked for in their own text
            for child in made:
                if child.children and plain_text(document.text[child.value.start : child.own_end]):
                    self._add(own_text(child))
        return made

    def _get(self, index: int, url: str, holder: Node, at: tuple[int, int]) -> None:
        """Take a line over the page that a link leads to; its objects stand beside the link."""
        url = url.partition("#")[0]
        document = self._document(url) if url else None
        if document is None:
            return
        key = self.kinds[index], (document.url or url).partition("#")[0]  # redirects may lead to one page
        if (holder.number, *key) in self.held:
            return
        self.held.add((holder.number, *key))
        known = self.made.get(key)
        if known is None:
            self.fit[index].sources += 1
            made = self._apply(index, document, 0, len(document.text), holder)
            for node in made:
                node.after = 0  # a new page begins: all lines take its objects as sources
            self.made[key] = [node for node in made if node.parent is holder]
            return
        for node in known:
            if not self._is_full():
                self._add(Node(node.variable, node.label, holder.document, node.value, at, 0, holder, index, refers=node))

    def _document(self, url: str) -> Document | None:
        """The document at an address, or None when it is not at hand."""
        if url in self.documents:
            return self.documents[url]
        page: Page | Unavailable | None
        if url.partition(":")[0].lower() not in ("http", "https"):  # urlsplit would refuse a broken host
            page = Unavailable("not an http(s) URL; a page from a file needs its own URL (--url) for its links")
        elif self.asked == self.max_pages:
            self.notes[f"cut: links lead to more than {self.max_pages} pages"] = None
            page = Unavailable(f"one more than the {self.max_pages} linked pages of a run")
        elif self.fetch is None:
            page = Unavailable("links are not followed here")
        else:
            self.asked += 1
            page = self.fetch(url)
        if page is None:
            self.missing[url] = None
        elif isinstance(page, Unavailable):
            self.failures[url] = page.reason
        document = None
        if isinstance(page, Page):
            final = (page.url or url).partition("#")[0]
            document = self.documents.get(final) or Document.of_page(page)
            self.documents[final] = document
        self.documents[url] = document
        return document


def _address(node: Node) -> str:
    """The address that an object leads to, whatever attribute it stands in."""
    text = text_of(node.document, node.value)
    return node.document.absolute(text) if node.value.attribute else text


def _has_unnamed(parts: tuple[Part, ...]) -> bool:
    """Whether a pattern keeps a text that has no name of its own."""
    return any(
        (isinstance(part, Hole) and part.name is None and not part.skipped)
        or (isinstance(part, Optional) and _has_unnamed(part.parts))
        for part in parts
    )


def _is_title(label: tuple[Part, ...]) -> bool:
    """Whether a label's pattern is that of a title: ``<hx>#</hx>``."""
    match label:
        case (Tag(is_scale=True), Hole(), Tag(closing=True)):
            return True
    return False
