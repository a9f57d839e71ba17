"""What comes out of a page with many records: a :class:`Record` for each, with its data items.

Algorithms answer with a :class:`RecordSet` (which nodes make which record); :func:`newsextract.records.find_records` makes
texts and data items of it, alike for all algorithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from newsextract.article import Status

ItemKind = Literal["text", "link", "image"]


@dataclass(frozen=True, slots=True)
class Item:
    """One data item of a record: a field of its row."""

    text: str
    """What a reader sees of it, white space folded; of an image its alternative text."""
    kind: ItemKind
    link: str | None
    """Absolute address of a link or image; None for text."""
    label: str
    """Name of its column: the same label means the same thing in every record of a region. ``title``, ``author``, ``date``,
    ``body`` … where that can be told, else a name made from the markup."""
    static: bool = False
    """Whether it is the same in all records (buttons, labels): Wang, Liang & Min 2019, §6."""
    nodes: tuple[int, ...] = ()
    """Text nodes that it is made of, numbers in the page's nodes."""


@dataclass(frozen=True, slots=True)
class Record:
    """One data record: a search hit, a post, an entry of a list."""

    text: str
    """Its visible text, text nodes joined by blanks."""
    items: tuple[Item, ...] = ()
    """In document order."""
    region: int = 0
    """Which of the page's data regions it belongs to; 0 is the main one."""
    nodes: tuple[int, ...] = ()
    """Roots of the subtrees that make the record, in document order; numbers in the page's nodes."""


@dataclass(frozen=True, slots=True)
class Region:
    """Records that belong together."""

    node: int
    """The smallest subtree that holds them all."""
    records: tuple[tuple[int, ...], ...]
    """For each record the roots of its subtrees, in document order."""
    score: float = 0.0
    """How sure the algorithm is, 0-1."""


@dataclass(frozen=True, slots=True)
class RecordSet:
    """A record algorithm's answer for one page."""

    regions: tuple[Region, ...] = ()
    """The main one first."""
    status: Status = "ok"
    """``ok``, ``empty`` (nothing found, see ``reason``) or ``no_snapshot``."""
    rendered: bool = False
    """Whether node numbers are those of the page's snapshot; else those of its source (``Page.nodes``)."""
    written: bool = False
    """Whether what the browser did not draw belongs to the records, too: their nodes are those of :attr:`Nodes.written`."""
    confidence: float = 0.0
    """0-1."""
    reason: str | None = None
    made: tuple[Record, ...] = ()
    """Records with their items, in place of regions, from an algorithm that knows no nodes (`oem`)."""
    evidence: dict[str, Any] | None = None
    """What was scored how; only on request. Plain JSON values; what it holds for the inspection page is described in
    :mod:`newsextract.algorithms.visual_blocks`."""


@dataclass(frozen=True, slots=True)
class RecordPage:
    """The records of one page."""

    url: str | None
    algorithm: str
    status: Status
    records: tuple[Record, ...] = ()
    confidence: float = 0.0
    reason: str | None = None
    evidence: dict[str, Any] | None = field(default=None, repr=False)
    regions: tuple[Region, ...] = field(default=(), repr=False)
    """The data regions that the records were made of; :attr:`Record.region` counts them."""
    rendered: bool = False
    """Whether node numbers are those of the page's snapshot; else those of its source (``Page.nodes``)."""
    written: bool = False
    """Whether what the browser did not draw belongs to the records, too."""
    note: str | None = None
    """What a reader should know of what was read: not loaded to the end, cut at the cap on nodes."""

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)
