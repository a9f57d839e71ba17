"""What is rendered: a flat list of passages, each with the containers it stands in. No tree, so no recursion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


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
