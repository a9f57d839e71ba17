"""Passages as HTML: a fragment of plain elements, without attributes but ``href``, ``src`` and ``alt``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from newsextract.rendition.containers import ITEMS
from newsextract.rendition.passage import Container, Line, Mark, Passage, Picture, shared


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
