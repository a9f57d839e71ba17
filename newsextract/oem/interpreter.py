"""The interpreter: a format and a page go in, the root object comes out.

Huang, Qi & Zhang 2000, §1.4: lines are taken in order over a list of processed objects; a line whose section text ends
before a tag of several levels leaves the hierarchy to the heuristics (:mod:`newsextract.oem.levels`). A section's *own*
text is the source of later lines, not that of the sections within it: the paper's working list would give an item to
every section above it.

The interpreter never fetches. It asks for pages by address; what is not at hand is named in :attr:`Result.missing`, and the
run can be repeated when it is: so the same code serves the command line and a crawl.

Cost: linear in the source for each line (docs/oem.md has the measurement).
"""

from __future__ import annotations

from newsextract.oem.document import Document, plain_text
from newsextract.oem.format import Format, Get, Split
from newsextract.oem.levels import Section, outline
from newsextract.oem.matching import Matcher, Splitter
from newsextract.oem.model import MAX_DEPTH
from newsextract.oem.nodes import Node, finished, own_text, text_of
from newsextract.oem.pattern import Hole, Optional, Part, Tag
from newsextract.oem.result import Fetch, LineFit, Result, Unavailable
from newsextract.oem.steps import Match, Span
from newsextract.page import Page

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
            Splitter(line.section.separators) if isinstance(line.section, Split) else Matcher(line.section)
            for line in self.lines
        ]
        self.unnamed = [not isinstance(line.section, Split) and _has_unnamed(line.section) for line in self.lines]
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
                self.notes[f"cut: more than {MAX_DEPTH} objects within each other"] = None
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
            page = Unavailable("not an http(s) address; a page from a file needs its own address (--url) for its links")
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
    return (
        len(label) == 3
        and isinstance(label[0], Tag)
        and label[0].is_scale
        and isinstance(label[1], Hole)
        and isinstance(label[2], Tag)
        and label[2].closing
    )
