"""Passages, and how they are written as HTML (without attributes but ``href``, ``src`` and ``alt``) and as Markdown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from string import punctuation
from typing import NamedTuple

# --- passage --------------------------------------------------------------------------------------
# What is rendered: a flat list of passages, each with the containers it stands in. No tree, so no recursion.


class Mark(NamedTuple):
    """An inline element around a text."""

    tag: str
    """``a``, ``strong``, ``em``, ``code``, ``sub`` or ``sup``."""
    address: str = ""
    """Of a link; absolute."""


Marks = tuple[Mark, ...]
"""From the outermost to the innermost; no tag twice."""


class Container(NamedTuple):
    """An element around passages. Two are the same element if tag and key are equal and they follow each other."""

    tag: str
    """``blockquote``, a list, a table, or a part of one."""
    key: str


@dataclass(frozen=True, slots=True)
class Run:
    """A text in one look."""

    text: str
    marks: Marks = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """An image."""

    address: str
    """Absolute."""
    alt: str
    marks: Marks = ()
    """A link at most."""


Line = tuple[Run | Picture, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, heading, listing or picture."""

    tag: str
    """``p``, ``h1`` – ``h6``, ``pre`` or ``figure`` (a picture that stands alone)."""
    containers: tuple[Container, ...]
    lines: tuple[Line, ...]
    """White space is folded, but for ``pre``, where lines may be empty. No lines at all: an empty cell of a table."""


def shared(ones: Sequence[object], others: Sequence[object]) -> int:
    """How many items two sequences have in common at their beginnings."""
    count = 0
    for one, other in zip(ones, others, strict=False):
        if one != other:
            break
        count += 1
    return count


# --- containers -----------------------------------------------------------------------------------
# Which elements around a text are kept, made well-formed: items stand in lists, cells in rows, and nothing else does.

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
    "tr": ("td", "th"),
    **dict.fromkeys(("thead", "tbody", "tfoot"), ("tr",)),
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


# --- html writer ----------------------------------------------------------------------------------


def write_html(passages: Iterable[Passage]) -> str:
    """A fragment; each element begins on a line of its own, except in the items of lists and tables."""
    out: list[str] = []
    opened: tuple[Container, ...] = ()
    for passage in passages:
        common = shared(opened, passage.containers)
        _close(out, opened[common:])
        fresh = False
        for container in passage.containers[common:]:
            _write(out, f"<{container.tag}>", beside=fresh)
            fresh = container.tag in ITEMS
        opened = passage.containers
        _write(out, _content(passage, bare=fresh), beside=fresh)
    _close(out, opened)
    return "".join(out) + "\n" if out else ""


def _write(out: list[str], markup: str, *, beside: bool) -> None:
    if out and not beside:
        out.append("\n")
    out.append(markup)


def _close(out: list[str], containers: Sequence[Container]) -> None:
    for container in reversed(containers):
        _write(out, f"</{container.tag}>", beside=container.tag in ITEMS)


def _content(passage: Passage, *, bare: bool) -> str:
    """A passage as an element; a paragraph or picture that opens an item needs none."""
    if passage.tag == "pre":
        return f"<pre>{chr(10).join(map(inline, passage.lines))}</pre>"
    content = "<br>".join(map(inline, passage.lines))
    return content if bare and passage.tag in ("p", "figure") else f"<{passage.tag}>{content}</{passage.tag}>"


def inline(line: Line) -> str:
    """What stands in a line."""
    out: list[str] = []
    opened: tuple[Mark, ...] = ()
    for part in line:
        common = shared(opened, part.marks)
        out += (f"</{mark.tag}>" for mark in reversed(opened[common:]))
        for mark in part.marks[common:]:
            out.append(f'<a href="{escape(mark.address)}">' if mark.tag == "a" else f"<{mark.tag}>")
        opened = part.marks
        if isinstance(part, Picture):
            out.append(f'<img src="{escape(part.address)}" alt="{escape(part.alt)}">')
        else:
            out.append(escape(part.text, quote=False))
    out += (f"</{mark.tag}>" for mark in reversed(opened))
    return "".join(out)


# --- inline markdown ------------------------------------------------------------------------------
# A line as Markdown (CommonMark, GFM's tables). What could be read as markup in the text is escaped.
#
# Bold that ends with punctuation, with a letter behind it, is none (CommonMark §6.2); Chinese texts are full of it. There
# the punctuation is put outside. A text has one look: code before raised or lowered, these before bold, bold before italic.

_SPECIAL = re.compile(r"[\\`*\[\]<~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_LINE_START = re.compile(r"(?:([0-9]{1,9})(?=[.)](?:\s|\Z))|(?=[-+](?:\s|\Z)|>|#{1,6}(?:\s|\Z)|[-=|:][-=|: ]*\Z))")
_LOOKS = ("code", "sub", "sup", "strong", "em")


def markdown(line: Line) -> str:
    """A line, without regard to where it stands."""
    groups = [(key, list(parts)) for key, parts in groupby(line, lambda part: (_link(part), _look(part)))]
    out = [""]
    link = ""
    for number, ((address, look), parts) in enumerate(groups):
        if address != link:
            if address and out[-1].endswith("!"):
                out[-1] = f"{out[-1][:-1]}\\!"  # or the link would be a picture
            out.append(_link_end(link) + ("[" if address else ""))
            link = address
        after = "" if number + 1 == len(groups) else _first(*groups[number + 1][0], groups[number + 1][1][0], link)
        out.append(_written(parts, look, out[-1][-1:], after))
    return "".join(out) + _link_end(link)


def at_start(text: str) -> str:
    """A line that opens a paragraph or stands in one: what makes a heading, item or quote there is escaped."""
    match = _LINE_START.match(text)
    return f"{text[: match.end()]}\\{text[match.end() :]}" if match else text


def code(text: str) -> str:
    """A code span; blanks at its ends stand outside, where they are not stripped."""
    inner = text.strip(" ")
    if not inner:
        return text
    fence = _fence(inner, 1)
    space = " " if inner.startswith("`") or inner.endswith("`") else ""
    before, _, after = text.partition(inner)
    return f"{before}{fence}{space}{inner}{space}{fence}{after}"


def _fence(text: str, least: int) -> str:
    """At least so many backticks, more than stand side by side in the text."""
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", text))])


def _link(part: Run | Picture) -> str:
    return next((mark.address for mark in part.marks if mark.tag == "a"), "")


def _look(part: Run | Picture) -> str:
    if isinstance(part, Picture):
        return "picture"
    tags = {mark.tag for mark in part.marks}
    if "a" in tags and "]" in part.text:
        tags.discard("code")  # "[`]: x`](…)" would be the definition of a link
    return next((look for look in _LOOKS if look in tags), "")


def _link_end(address: str) -> str:
    return f"]({_destination(address)})" if address else ""


def _first(address: str, look: str, part: Run | Picture, link: str) -> str:
    """The character that a group begins with, seen from within ``link``; any punctuation stands for markup."""
    if address != link or look not in ("", "strong", "em") or isinstance(part, Picture):
        return "["
    return part.text[:1]


def _written(parts: Sequence[Run | Picture], look: str, before: str, after: str) -> str:
    """Parts of one look.

    :param before: the character before them, ``after``: the one after them; empty at the ends of the line.
    """
    text = "".join(part.text for part in parts if isinstance(part, Run))
    if look == "picture":
        return "".join(f"![{_escaped(p.alt)}]({_destination(p.address)})" for p in parts if isinstance(p, Picture))
    if look == "code":
        return code(text)
    if look in ("sub", "sup"):
        return f"<{look}>{_escaped(text)}</{look}>"
    if look and before != "*":  # two in a row could not be told apart
        return _emphasised(text, "**" if look == "strong" else "*", before, after)
    return _escaped(text)


def _emphasised(text: str, delimiter: str, before: str, after: str) -> str:
    first, end = len(text) - len(text.lstrip()), len(text.rstrip())
    letters = [number for number, c in enumerate(text) if unicodedata.category(c)[0] in "LMNC"]
    if not letters:
        return _escaped(text)
    opens = first == letters[0] or _parts_words(text[first - 1] if first else before)
    closes = end - 1 == letters[-1] or _parts_words(text[end] if end < len(text) else after)
    if not (opens and closes):
        first, end = letters[0], letters[-1] + 1
    return f"{_escaped(text[:first])}{delimiter}{_escaped(text[first:end])}{delimiter}{_escaped(text[end:])}"


def _parts_words(character: str) -> bool:
    """Whether a character beside a delimiter lets punctuation stand on its other side, by old and new CommonMark."""
    return not character or character.isspace() or character in punctuation or unicodedata.category(character)[0] == "P"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _destination(address: str) -> str:
    """An address in round brackets."""
    return re.sub(r"&(?=#?\w+;)", "&amp;", address.replace("(", "%28").replace(")", "%29"))


# --- markdown writer ------------------------------------------------------------------------------
# Passages as Markdown: CommonMark with GFM's tables. What it has no sign for (sub, sup, breaks in cells) is HTML.
#
# Lists are tight where their items are short, fences longer than any run of backticks in the code, and tables have their
# first row as the head. Terms of a ``dl`` are bold paragraphs. A list next to a list gets other bullets, or they would be
# one.

_LISTS = frozenset({"ul", "ol"})


def write_markdown(passages: Iterable[Passage]) -> str:
    """The text; ends with a newline unless it is empty."""
    writer = _Writer()
    for table, group in groupby(passages, _table):
        if table is None:
            for passage in group:
                writer.write(passage.containers, _lines(passage), short=passage.tag == "p")
        else:
            _write_table(writer, list(group))
    return "".join(f"{line}\n" for line in writer.out)


def _table(passage: Passage) -> Containers | None:
    """The path down to the outermost table that a passage stands in."""
    tags = [container.tag for container in passage.containers]
    return passage.containers[: tags.index("table") + 1] if "table" in tags else None


class _Writer:
    """What was written, and which lists and quotes are open."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.opened: Containers = ()
        self.margins: list[str] = []
        """What each open container puts before a line."""
        self.bullets: dict[Container, str] = {}
        """The sign of each list."""
        self.numbers: dict[Container, int] = {}
        """Items of each list so far."""
        self.short = False
        """Whether the last passage was a paragraph that opened its item."""

    def write(self, containers: Containers, lines: Sequence[str], *, short: bool) -> None:
        """A passage.

        :param lines: at least one.
        :param short: whether it is a paragraph.
        """
        common = shared(self.opened, containers)
        new = containers[common:]
        opens_item = any(container.tag == "li" for container in new)
        in_list = any(container.tag in _LISTS for container in containers[:common])
        tight = short and self.short and opens_item and in_list
        margin = "".join(self.margins[:common])
        if self.out and not tight:
            self.out.append(margin.rstrip())
        neighbour = self.opened[common] if common < len(self.opened) else None
        del self.margins[common:]
        for position, container in enumerate(new, common):
            before = self._before(container, containers[position - 1] if position else None, neighbour)
            neighbour = None
            margin += before
            self.margins.append(before if container.tag == "blockquote" else " " * len(before))
        self.opened = containers
        self.short = short and bool(containers) and containers[-1].tag == "li" and opens_item
        self.out.append(margin + lines[0])
        margin = "".join(self.margins)
        self.out += (margin + line if line else margin.rstrip() for line in lines[1:])

    def _before(self, container: Container, around: Container | None, neighbour: Container | None) -> str:
        """What stands before the first line in a container."""
        if container.tag == "blockquote":
            return "> "
        if container.tag in _LISTS:
            first, second = ("-", "*") if container.tag == "ul" else (".", ")")
            other = self.bullets.get(neighbour) if neighbour else None
            self.bullets[container] = second if other == first else first
            return ""
        if container.tag != "li" or around is None:
            return ""
        bullet = self.bullets[around]
        if around.tag == "ul":
            return f"{bullet} "
        self.numbers[around] = self.numbers.get(around, 0) + 1
        return f"{self.numbers[around]}{bullet} "


def _lines(passage: Passage) -> list[str]:
    """The lines of a passage that is not in a table."""
    if passage.tag == "pre":
        text = [line[0].text if line and isinstance(line[0], Run) else "" for line in passage.lines]
        fence = _fence("\n".join(text), 3)
        return [fence, *text, fence]
    lines = passage.lines
    if passage.containers and passage.containers[-1].tag == "dt":
        lines = tuple(map(_bold, lines))
    if passage.tag.startswith("h"):
        title = " ".join(map(markdown, lines))
        closed = title.endswith("#")  # would be read as the end of the sign
        return [f"{'#' * int(passage.tag[1])} {title[:-1]}\\#" if closed else f"{'#' * int(passage.tag[1])} {title}"]
    written = [at_start(markdown(line)) for line in lines]
    return [f"{line}  " for line in written[:-1]] + written[-1:]


def _bold(line: Line) -> Line:
    return tuple(replace(part, marks=(*part.marks, Mark("strong"))) if isinstance(part, Run) else part for part in line)


def _write_table(writer: _Writer, passages: list[Passage]) -> None:
    """A table; a caption that opens it is a paragraph before it."""
    depth = [container.tag for container in passages[0].containers].index("table")
    around = passages[0].containers[:depth]
    rows = [list(cells) for _, cells in groupby(passages, lambda passage: _row(passage, depth))]
    if _row(rows[0][0], depth)[-1].tag == "caption":
        for text in filter(None, map(_cell, rows.pop(0))):
            writer.write(around, [at_start(text)], short=False)
    cells = [
        ["<br>".join(filter(None, map(_cell, cell))) for _, cell in groupby(row, lambda passage: _row(passage, depth, 1))]
        for row in rows
    ]
    width = max(map(len, cells))
    head = [*cells[0], *[""] * (width - len(cells[0]))]  # what is wider than the head is not shown
    writer.write(around, [*map(_row_line, (head, ["---"] * width, *cells[1:]))], short=False)


def _row(passage: Passage, depth: int, further: int = 0) -> Containers:
    """The path to the row or caption of a passage, or one step further, to its cell."""
    tags = [container.tag for container in passage.containers]
    row = next(i for i in range(depth, len(tags)) if tags[i] in ("tr", "caption"))
    return passage.containers[: row + 1 + further]


def _cell(passage: Passage) -> str:
    """A passage of a cell, in one line."""
    if passage.tag == "pre":
        return "<br>".join(code(part.text.strip()) for line in passage.lines for part in line if isinstance(part, Run))
    return "<br>".join(map(markdown, passage.lines))


def _row_line(cells: list[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
