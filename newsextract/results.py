"""What extraction returns: an :class:`Article` for a page with one text, a :class:`RecordSet` for a page with many records.

Plain frozen dataclasses without behaviour. Every room above imports them; they import nothing of the library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from newsextract.discovery.kinds import PageKind

# --- article --------------------------------------------------------------------------------------
# What comes out of a page: an :class:`Article`, flat, in export order, with provenance per field.
#
# Algorithms answer with a :class:`Body` (the text they chose and where it stands); the shared field modules
# add title, date and the rest; :func:`newsextract.extraction.extract` puts both together.

Status = Literal["ok", "doubtful", "empty", "not_article", "not_html", "challenged", "too_large", "no_snapshot", "failed"]
"""``ok``: text found. ``doubtful``: text found, but the algorithm says that it may well be another one or a part of it; see
``confidence`` and ``reason``. ``empty``: the page has no text. ``not_article``: text found, on a page that is called no
article; see ``kind``. ``not_html``: binary or another media type. ``challenged``: what stands in the page's place is a bot
wall's question whether its visitor is human. ``too_large``: over the byte cap. ``no_snapshot``: the algorithm needs a
rendered page. ``failed``: the extraction was stopped (time, memory) or hit a defect; see ``reason``."""

Precision = Literal["year", "month", "day", "minute", "second"]


@dataclass(frozen=True, slots=True)
class Found:
    """A value and where it came from."""

    value: str
    source: str
    """For example ``json-ld``, ``meta:og:title``, ``h1``, ``time``, ``near_text``, ``url``, ``feed``."""
    evidence: str = ""
    """The raw text that was matched, at most 120 characters."""


@dataclass(frozen=True, slots=True)
class ReportDate:
    """A report date: ISO 8601, cut to what the page really says."""

    value: str
    """``2010``, ``2010-12``, ``2010-12-15``, ``2010-12-15T08:30`` or ``…T08:30:00+08:00``."""
    precision: Precision
    source: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading element h1–h6 of the source text."""

    level: int
    """1–6."""
    text: str
    """Text with entities resolved and white space folded."""
    block: int
    """Index of the block (see :mod:`newsextract.page.source`) that it stands in."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around the main text: where title and date are looked for first (Zou & Zhong 2011, §1.2.3)."""

    headings: tuple[Heading, ...] = ()
    """Headings near the start of the main text, in document order."""
    before: tuple[str, ...] = ()
    """Texts of the blocks from shortly before the first main block to shortly after it."""
    after: tuple[str, ...] = ()
    """Texts of the blocks around the last main block."""
    first: int = 1_000_000_000
    """Index of the first main block, to tell headings above the text from those in it."""


@dataclass(frozen=True, slots=True)
class Body:
    """An algorithm's answer for one page."""

    text: str
    """Paragraphs separated by a newline; empty when nothing was found."""
    surroundings: Surroundings = field(default_factory=Surroundings)
    confidence: float = 0.0
    """0–1; how sure the algorithm is that ``text`` is the main text; of `combined` the probability of an F1 over 0.9."""
    doubtful: bool = False
    """Whether the algorithm is too unsure of ``text`` to call it the main text."""
    reason: str | None = None
    """Why ``text`` is empty or doubtful."""
    title: Found | None = None
    """Only when the algorithm has a title rule of its own (published presets)."""
    date: ReportDate | None = None
    """Only when the algorithm has a date rule of its own (published presets)."""
    own_fields: bool = False
    """Whether title and date are the algorithm's own, found or not; else the shared modules look for them."""
    evidence: dict[str, Any] | None = None
    """Which blocks were scored how; only on request. Plain JSON values."""
    blocks: tuple[int, ...] | None = None
    """The blocks of the page's tree that ``text`` is made from, ascending; None for algorithms on the source text."""
    kind: PageKind | None = None
    """What kind of page it is, where the algorithm judges that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """The structured record of one article page."""

    url: str | None
    canonical_url: str | None
    title: str | None
    date: str | None
    """ISO 8601, as precise as the page is; see ``date_source``."""
    text: str
    """Main text; paragraphs are lines."""
    authors: tuple[str, ...]
    language: str | None
    """ISO 639-1 code."""
    section: str | None
    image: str | None
    algorithm: str
    confidence: float
    """0–1."""
    status: Status
    reason: str | None = None
    kind: str | None = None
    """``article``, ``documentation``, ``service``, ``forum``, ``collection``, ``listing`` or ``product``; None: undecided,
    or the algorithm does not judge it (`combined` does)."""
    kind_confidence: float = 0.0
    """0–1; the probability of the kind, or of the most probable one where it is undecided."""
    is_article: bool | None = None
    """False: the page is called no article; ``text`` is the text of its kind. None: not judged."""
    access: str | None = None
    """``free``, ``limited`` (not everybody may read all of it), ``cut`` (the text stops short); None: not said."""
    reserved: str | None = None
    """What use of it the page reserves, and where it says so (:func:`newsextract.fields.rights.reservation`)."""
    title_source: Found | None = None
    other_titles: tuple[Found, ...] = ()
    """What the title would be if it turned out to be the site's name; no record holds them."""
    date_source: ReportDate | None = None
    access_source: Found | None = None
    evidence: dict[str, Any] | None = None
    blocks: tuple[int, ...] | None = None
    """The blocks of the page's tree that ``text`` is made from, for :mod:`newsextract.rendition`; None where unknown.
    They mean nothing without the page, so no record holds them."""


# --- record ---------------------------------------------------------------------------------------
# What comes out of a page with many records: a :class:`Record` for each, with its data items.
#
# Algorithms answer with a :class:`RecordSet` (which nodes make which record); :func:`newsextract.extraction.find_records`
# makes texts and data items of it, alike for all algorithms.

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
