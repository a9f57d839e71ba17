"""Passages as Markdown: CommonMark with GFM's tables. What it has no sign for (sub, sup, breaks in cells) is HTML.

Lists are tight where their items are short, fences longer than any run of backticks in the code, and tables have their
first row as the head. Terms of a ``dl`` are bold paragraphs. A list next to a list gets other bullets, or they would be one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from newsextract.rendition.containers import Containers
from newsextract.rendition.inline_markdown import at_start, code, longest_run, markdown
from newsextract.rendition.passage import Container, Line, Mark, Passage, Run, shared

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
        fence = "`" * max(3, longest_run("\n".join(text), "`") + 1)
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
