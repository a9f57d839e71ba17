"""Pieces of text as they stand in the source, folded to lines the way :mod:`newsextract.dom` folds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from newsextract.dom import LINE
from newsextract.rendition.passage import Line, Marks, Picture, Run, shared


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


def paragraphs(lines: Iterable[Line]) -> Iterator[tuple[Line, ...]]:
    """Lines that no empty line parts."""
    for full, group in groupby(lines, bool):
        if full:
            yield tuple(group)


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
