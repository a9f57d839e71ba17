"""From the chosen blocks of a page to passages: the walk of :mod:`newsextract.page.dom` once more, with an eye for form.

A block's text is taken where that walk took it, so the words are those of the text, in the same order. Headings,
listings, quotes, lists, data tables and what stands inside a line are kept, everything else is unwrapped; what
was not chosen contributes nothing, wherever it stands. Pictures are kept inside chosen blocks, and between them where
they do not belong to something else that was left out: navigation, a teaser with its links, a form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple, cast
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode

from newsextract.control_characters import without_hints
from newsextract.extraction import letters
from newsextract.page.dom import LINE, Dom, Row, table_rows
from newsextract.page.elements import HEADINGS, INLINE, LEFT_OUT, is_opener
from newsextract.page.page import Page
from newsextract.page.pruning import marked
from newsextract.page.references import Addresses
from newsextract.rendition.writers import (
    ITEMS,
    TABLE_PARTS,
    Container,
    Containers,
    Line,
    Mark,
    Marks,
    Passage,
    Picture,
    Run,
    filled,
    inside,
    shared,
)
from newsextract.results import Article

# --- chosen ---------------------------------------------------------------------------------------


class Chosen(NamedTuple):
    """The blocks of an article, and what of their text is not in the article's."""

    blocks: tuple[int, ...]
    deleted: dict[int, None]
    """Characters that the algorithm deleted from its text, for ``str.translate``."""
    skipped: int
    """Lines at the start that repeat the headline: 0 or 1."""

    @classmethod
    def of(cls, dom: Dom, article: Article) -> Chosen | None:
        """None where the article's text is not that of its blocks: it is not of this page, or was changed."""
        blocks = article.blocks or ()
        if any(b <= a for a, b in pairwise(blocks)) or not all(0 <= b < len(dom.texts) for b in blocks):
            return None
        text = dom.text(blocks)
        if text == article.text:
            return cls(blocks, {}, 0)
        deleted = {ord(c): None for c in set(text) - set(article.text) if not c.isspace()}
        lines = [" ".join(line.split()) for line in text.translate(deleted).split("\n")]
        lines = [line for line in lines if line]
        expected = article.text.split("\n")
        skipped = len(lines) - len(expected)
        return cls(blocks, deleted, skipped) if skipped in (0, 1) and lines[skipped:] == expected else None


def headline(dom: Dom, title: str | None, first: int) -> int:
    """The block of the last heading before the text that is the title; -1 if there is none."""
    wanted = letters(title or "")
    blocks = [h.block for h in dom.headings if h.block < first and letters(h.text) == wanted] if wanted else []
    return blocks[-1] if blocks else -1


def base_address(page: Page, article: Article) -> str:
    """What the references of a page are resolved against; empty if unknown."""
    here = page.url or article.canonical_url or ""
    node = page.dom.nodes[0].css_first("base[href]")
    try:
        return urljoin(here, (node.attributes.get("href") or "").strip()) if node is not None else here
    except ValueError:
        return here


# --- lines ----------------------------------------------------------------------------------------
# Pieces of text as they stand in the source, folded to lines the way :mod:`newsextract.page.dom` folds them.


def folded(pieces: Iterable[Run | Picture]) -> list[Line]:
    """The lines of a block, white space folded across marks. Empty ones are kept: two breaks make a new paragraph."""
    lines = [_Folding()]
    for piece in pieces:
        if isinstance(piece, Picture):
            lines[-1].add(piece)
            continue
        for number, part in enumerate(piece.text.split(LINE)):
            if number:
                lines.append(_Folding())
            lines[-1].read(part, piece.marks)
    return [line.end() for line in lines]


def verbatim(pieces: Iterable[Run | Picture]) -> list[Line]:
    """The lines of a ``pre`` as they stand, without marks, pictures, and empty lines around them."""
    text = "".join(piece.text for piece in pieces if isinstance(piece, Run))
    lines = text.replace(LINE, "\n").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    full = [number for number, line in enumerate(lines) if line and not line.isspace()]
    return [(Run(line.rstrip()),) if line.strip() else () for line in lines[full[0] : full[-1] + 1]] if full else []


def without_first(lines: list[Line]) -> list[Line]:
    """The lines without the first that holds text."""
    for number, line in enumerate(lines):
        if any(isinstance(part, Run) for part in line):
            return lines[:number] + lines[number + 1 :]
    return lines


class _Folding:
    """One line in the making."""

    def __init__(self) -> None:
        self.parts: list[tuple[Marks, list[str]] | Picture] = []
        self.blank = False
        """Whether white space came last."""

    def read(self, text: str, marks: Marks) -> None:
        """Text as it stands in the source."""
        words = text.split()
        if not words:
            self.blank |= bool(text)
            return
        self.blank |= text[0].isspace()
        self.add(Run(" ".join(words), marks))
        self.blank = text[-1].isspace()

    def add(self, part: Run | Picture) -> None:
        """Put a part at the end, behind a blank if white space came before; it has the marks of both its neighbours."""
        if self.blank and self.parts:
            last = self.parts[-1]
            before = last.marks if isinstance(last, Picture) else last[0]
            self._write(" ", part.marks[: shared(before, part.marks)])
        self.blank = False
        if isinstance(part, Picture):
            self.parts.append(part)
        else:
            self._write(part.text, part.marks)

    def _write(self, text: str, marks: Marks) -> None:
        if self.parts and not isinstance(last := self.parts[-1], Picture) and last[0] == marks:
            last[1].append(text)
        else:
            self.parts.append((marks, [text]))

    def end(self) -> Line:
        """The line."""
        return tuple(part if isinstance(part, Picture) else Run("".join(part[1]), part[0]) for part in self.parts)


# --- tables ---------------------------------------------------------------------------------------
# Attributes go, so a cell that spans several columns or rows is followed by empty ones, and a cell that was not chosen
# is empty: the columns stay in line.

_MAX_SPAN = 50
_MAX_COLUMNS = 100
"""No more empty cells are put into a row that has as many."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The data tables of a page."""

    tables: set[int] = field(default_factory=set)
    before: dict[int, int] = field(default_factory=dict)
    """Empty cells before a cell."""
    after: dict[int, int] = field(default_factory=dict)
    """Empty cells at the end of a row (``tr``)."""


def data_tables(dom: Dom, held: Callable[[int], int]) -> Grid:
    """The tables that stay tables: two rows and two columns of short cells, at least.

    :param held: how many chosen blocks an element holds.
    """
    grid = Grid()
    for element, tag in enumerate(dom.tags):
        if tag == "table" and held(element):
            rows = table_rows(dom, element, held)
            if rows:
                grid.tables.add(element)
                _find_gaps(dom, rows, held, grid)
    return grid


def _find_gaps(dom: Dom, rows: list[Row], held: Callable[[int], int], grid: Grid) -> None:
    spans: dict[int, int] = {}  # column → rows that a cell above still reaches into
    for row, cells in rows:
        columns: list[int | None] = []  # the cell where it was chosen
        for cell in (*cells, None):
            while len(columns) < _MAX_COLUMNS and spans.get(len(columns)):
                spans[len(columns)] -= 1
                columns.append(None)
            if cell is None:
                break
            attributes = dom.attributes(cell)
            width, height = _span(attributes.get("colspan")), _span(attributes.get("rowspan"))
            for further in range(width):
                if further == 0 or len(columns) < _MAX_COLUMNS:
                    spans[len(columns)] = height - 1
                    columns.append(cell if further == 0 and held(cell) else None)
        gap = 0
        for chosen in columns:
            if chosen is None:
                gap += 1
            else:
                grid.before[chosen] = gap
                gap = 0
        grid.after[row] = gap


def _span(value: str | None) -> int:
    """The number in an attribute, 1–50."""
    text = (value or "").strip()
    return min(max(int(text), 1), _MAX_SPAN) if text.isascii() and text.isdecimal() and len(text) < 5 else 1


# --- walk -----------------------------------------------------------------------------------------

_MARKS = {"b": "strong", "strong": "strong", "i": "em", "em": "em", "sub": "sub", "sup": "sup"}
_MARKS |= dict.fromkeys(("code", "kbd", "samp", "tt"), "code")
_NO_PICTURES = TABLE_PARTS - ITEMS | {"table"}
_MAX_ALT = 1_000


def passages(page: Page, article: Article) -> list[Passage]:
    """The text of an article with its form; without blocks, or where the text is not theirs, its lines as paragraphs."""
    chosen = Chosen.of(page.dom, article) if article.blocks is not None else None
    if chosen is None or not chosen.blocks:
        return [Passage("p", (), ((Run(line),),)) for line in article.text.split("\n") if line]
    walk = _FormWalk(page, article, chosen)
    walk.go()
    return walk.joined()


class _WalkPlace(NamedTuple):
    """Where the walk is, in what is kept."""

    containers: Containers = ()
    tag: str = "p"
    element: int = -1
    """That of a ``pre``."""
    figure: bool = False


class _Opened(NamedTuple):
    """A node that the walk is in, and what to go back to when it ends."""

    element: int
    """-1 for inline elements."""
    place: _WalkPlace
    marks: Marks


class _FormWalk:
    """The state of the walk."""

    def __init__(self, page: Page, article: Article, chosen: Chosen) -> None:
        """At least one block is chosen."""
        self.dom = page.dom
        self.chosen = frozenset(chosen.blocks)
        self.sums = [0, *accumulate(block in self.chosen for block in range(len(self.dom.texts)))]
        self.deleted, self.skipped = chosen.deleted, chosen.skipped
        self.first, self.last = chosen.blocks[0], chosen.blocks[-1]
        self.headline = headline(self.dom, article.title, self.first)
        self.addresses = Addresses(base_address(page, article))
        self.grid = data_tables(self.dom, self.held)
        boilerplate = {*marked(self.dom), *self.dom.hidden}
        self.unpictured = boilerplate | {i for i, tag in enumerate(self.dom.tags) if tag == "form"}
        self.passages: list[Passage] = []
        self.element = 0
        """The next block element."""
        self.block = 0
        """The block that ``pieces`` are, if they hold text."""
        self.pieces: list[Run | Picture] = []
        self.place = _WalkPlace()
        self.marks: Marks = ()
        self.shown: set[str] = set()
        """Addresses of pictures."""
        self.follows_picture = False
        """Whether nothing but white space came since the last picture."""
        self.link_sums: list[int] = self.dom.link_count_sums.tolist()
        self.count_sums: list[int] = self.dom.count_sums.tolist()
        self.pres: list[int] = []
        """The element ``pre`` that each passage is in; -1 for others."""

    def held(self, element: int) -> int:
        """How many chosen blocks an element holds."""
        return self.sums[self.dom.end_blocks[element]] - self.sums[self.dom.first_blocks[element]]

    def go(self) -> None:
        """Walk. Nodes are entered and left without recursion."""
        node = self.dom.nodes[0]
        opened: list[_Opened] = []
        while True:
            entered = self.enter(node)
            if entered is not None:
                child = node.child
                if child is not None:
                    opened.append(entered)
                    node = child
                    continue
                self.leave(entered)
            while (following := node.next) is None:
                if not opened:
                    return
                node = cast("LexborNode", node.parent)  # reason: each open node is the child of another
                self.leave(opened.pop())
            node = following

    def joined(self) -> list[Passage]:
        """The passages; those of one ``pre`` (lines marked up as blocks) are one."""
        found: list[Passage] = []
        for (pre, containers), group in groupby(
            zip(self.pres, self.passages, strict=True), lambda pair: (pair[0], pair[1].containers)
        ):
            members = [passage for _, passage in group]
            if pre >= 0:
                members = [Passage("pre", containers, tuple(line for passage in members for line in passage.lines))]
            found += members
        return found

    def enter(self, node: LexborNode) -> _Opened | None:
        """A node begins; None where nothing in it is looked at."""
        tag = node.tag or ""
        if tag == "-text":
            text = without_hints(node.text_content or "")
            self.follows_picture &= text.isspace()
            self.pieces.append(Run(text.translate(self.deleted), self.marks))
            return None
        if not node.is_element_node:
            return None  # a comment or the doctype
        if self.element < len(self.dom.nodes) and node.mem_id == self.dom.nodes[self.element].mem_id:
            return self.enter_block(self.element)
        if tag in LEFT_OUT and not is_opener(node):
            if tag == "noscript" and not self.follows_picture and (fallback := node.css_first("img")) is not None:
                self.picture(fallback)
            return None
        if tag == "br":
            self.pieces.append(Run(LINE))
            return None
        if tag == "img":
            self.picture(node)
            return None
        if tag not in INLINE and tag not in LEFT_OUT:
            self.pieces.append(Run(" "))  # over dom.MAX_ELEMENTS
        opened = _Opened(-1, self.place, self.marks)
        self.marks = self.marked_by(node, tag)
        return opened

    def leave(self, opened: _Opened) -> None:
        """A node ends."""
        if opened.element >= 0:
            self.flush(self.dom.end_blocks[opened.element])
            if self.dom.tags[opened.element] == "tr" and self.place.containers != opened.place.containers:
                self.blanks(self.grid.after.get(opened.element, 0), f"after {opened.element}")
        self.place, self.marks = opened.place, opened.marks

    def enter_block(self, element: int) -> _Opened | None:
        """A block element begins."""
        dom = self.dom
        self.flush(dom.first_blocks[element])
        held = self.held(element) > 0
        if not held and not self.may_show(element):
            self.element, self.block = dom.ends[element], dom.end_blocks[element]
            return None
        self.element += 1
        opened = _Opened(element, self.place, self.marks)
        tag, place = dom.tags[element], self.place
        if tag == "figure":
            self.place = place._replace(figure=True)
        if not held:
            return opened
        if tag in HEADINGS or tag == "pre":
            if place.tag == "p":
                self.place = place._replace(tag=tag, element=element)
            return opened
        in_table = any(container.tag == "table" for container in place.containers)
        if not (element in self.grid.tables if tag == "table" else tag not in TABLE_PARTS or in_table):
            return opened
        if tag in ("td", "th"):
            self.blanks(self.grid.before.get(element, 0), f"before {element}")
        containers = inside(place.containers, tag, element, dom.parents[element])
        if containers is not place.containers:
            self.place = _WalkPlace(containers, figure=place.figure)
        return opened

    def blanks(self, count: int, key: str) -> None:
        """Empty cells of the row that the walk is in."""
        for number in range(count):
            self.add("p", (*self.place.containers, Container("td", f"{number} {key}")), ())

    def marked_by(self, node: LexborNode, tag: str) -> Marks:
        """The marks inside an inline element."""
        mark: Mark | None = None
        if tag == "a":
            address = self.addresses.link(node.attributes.get("href"))
            mark = Mark("a", address) if address else None
        elif tag in _MARKS:
            mark = Mark(_MARKS[tag])
        if mark is None or any(mark.tag == outer.tag for outer in self.marks):
            return self.marks
        return (*self.marks, mark)

    def picture(self, node: LexborNode) -> None:
        """An image."""
        address = self.addresses.picture(node)
        if address is not None:
            self.follows_picture = True
            alt = " ".join((node.attributes.get("alt") or "")[:_MAX_ALT].split())
            self.pieces.append(Picture(address, alt, tuple(mark for mark in self.marks if mark.tag == "a")))

    def may_show(self, element: int) -> bool:
        """Whether the pictures of an element without chosen text may be the article's."""
        first, end = self.dom.first_blocks[element], self.dom.end_blocks[element]
        start = self.headline if self.headline >= 0 else self.first
        if end <= start or first > self.last:
            return False
        if first <= self.headline < end:
            return True
        linked = self.link_sums[end] - self.link_sums[first]
        return element not in self.unpictured and linked <= self.count_sums[end] - self.count_sums[first]

    def flush(self, block: int) -> None:
        """A block element begins or ends: the pieces up to here are a block if there is one more now."""
        pieces, self.pieces = self.pieces, []
        if self.block in self.chosen and block > self.block:
            self.add_block([piece for piece in pieces if self.is_new(piece)])
        elif self.first < self.block <= self.last or (self.place.figure and 0 <= self.headline < self.block <= self.first):
            for piece in pieces:
                if isinstance(piece, Picture):
                    self.add_picture(piece)
        self.block = block

    def is_new(self, piece: Run | Picture) -> bool:
        """False for a picture that was shown before; the others are taken as shown."""
        if isinstance(piece, Run):
            return True
        known = piece.address in self.shown
        self.shown.add(piece.address)
        return not known

    def add_block(self, pieces: Sequence[Run | Picture]) -> None:
        """A chosen block: one passage, or several where empty lines part it."""
        tag = self.place.tag
        containers = filled(self.place.containers, tag, f"block {self.block}")
        lines = verbatim(pieces) if tag == "pre" else folded(pieces)
        if self.skipped and self.block == self.first:
            lines = without_first(lines)
        if tag != "pre":
            for is_full, group in groupby(lines if tag == "p" else filter(None, lines), bool):
                if is_full:
                    self.add(tag, containers, tuple(group))
        elif lines:
            self.add(tag, containers, tuple(lines), pre=self.place.element)

    def add_picture(self, picture: Picture) -> None:
        """A picture that stands alone; in a table only in a cell with chosen text."""
        containers = self.place.containers
        if not (containers and containers[-1].tag in _NO_PICTURES) and self.is_new(picture):
            containers = filled(containers, "p", f"picture {len(self.shown)}")
            self.add("figure", containers, ((Picture(picture.address, picture.alt),),))

    def add(self, tag: str, containers: Containers, lines: tuple[Line, ...], pre: int = -1) -> None:
        """One more passage."""
        self.pres.append(pre)
        self.passages.append(Passage(tag, containers, lines))
