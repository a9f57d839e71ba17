"""Results of extraction: an :class:`Article` for a page with one text, a :class:`RecordPage` for a page with many records.

Plain frozen dataclasses without behaviour. All other layers may import them; they import nothing of the library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from newsextract.discovery.kinds import PageKind

# --- article --------------------------------------------------------------------------------------
# An algorithm returns a :class:`Body` (the chosen text and its surroundings), the shared field modules find title, date and
# the other fields, and :func:`newsextract.extraction.extract` combines both.

Status = Literal[
    "ok", "doubtful", "empty", "not_article", "not_html", "challenged", "missing", "blocked", "server_error", "too_large",
    "no_snapshot", "failed",
]  # fmt: skip
"""``ok``: text found. ``doubtful``: text found, but it may be wrong or incomplete; see ``confidence`` and ``reason``.
``empty``: the page has no text. ``not_article``: text found, on a page that is classified as no article; see ``kind``.
``not_html``: binary or another media type. ``challenged``: a bot wall returned a challenge for humans instead of the page.
``missing``, ``blocked``, ``server_error``: the page only says that it does not exist, that its reader must log in or consent
to something, or that the site is closed for now; ``text`` has what it says.
``too_large``: over the size limit. ``no_snapshot``: the algorithm needs a rendered page. ``failed``: the extraction was
stopped (time, memory) or hit a defect; see ``reason``."""

IS_LOG_IN = "the page is a log-in"
"""Beginning of the reason of a page that shows a log-in form in place of its content."""
ASKS_CONSENT = "asks for consent"
"""In the reason of a page that asks for consent to cookies, and of a redirect to such a page."""

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
    """The date of an article: ISO 8601, as precise as the page states it."""

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
    """Index of the block that contains it (see :mod:`newsextract.page.source`)."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The surroundings of the main text, where title and date are searched for first (Zou & Zhong 2011, §1.2.3)."""

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
    """An algorithm's result for one page."""

    text: str
    """Paragraphs separated by a newline; empty if nothing was found."""
    surroundings: Surroundings = field(default_factory=Surroundings)
    confidence: float = 0.0
    """0–1: confidence that ``text`` is the main text. With `combined` it is the probability of an F1 over 0.9."""
    doubtful: bool = False
    """Whether the confidence is too low to call ``text`` the main text."""
    reason: str | None = None
    """Why ``text`` is empty or doubtful."""
    title: Found | None = None
    """Only if the algorithm has its own title rule (published presets)."""
    date: ReportDate | None = None
    """Only if the algorithm has its own date rule (published presets)."""
    own_fields: bool = False
    """Whether only the algorithm's own rules decide title and date, even if they find none; False: the shared modules do."""
    evidence: dict[str, Any] | None = None
    """The scores of the blocks; only on request. Plain JSON values."""
    blocks: tuple[int, ...] | None = None
    """The blocks of the page's tree that ``text`` is made from, ascending; None for algorithms on the source text."""
    kind: PageKind | None = None
    """The kind of page, if the algorithm detects it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """The structured record of one article page."""

    url: str | None
    canonical_url: str | None
    title: str | None
    date: str | None
    """ISO 8601, as precise as the page states it; see ``date_source``."""
    text: str
    """Main text, one paragraph per line."""
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
    or the algorithm does not detect it (`combined` does)."""
    kind_confidence: float = 0.0
    """0–1: the probability of the kind or, if undecided, of the most probable one."""
    is_article: bool | None = None
    """False: the page is classified as no article; ``text`` is the main text for its kind. None: not judged."""
    access: str | None = None
    """``free``, ``limited`` (not everybody may read all of it), ``cut`` (the text stops short); None: unknown."""
    reserved: str | None = None
    """Which uses the page reserves, and where it declares this (:func:`newsextract.fields.page_facts.reservation`)."""
    title_source: Found | None = None
    other_titles: tuple[Found, ...] = ()
    """Alternatives if the title turns out to be the site's name; records do not contain them."""
    date_source: ReportDate | None = None
    access_source: Found | None = None
    evidence: dict[str, Any] | None = None
    blocks: tuple[int, ...] | None = None
    """The blocks of the page's tree that ``text`` is made from, for :mod:`newsextract.rendition`; None if unknown.
    They mean nothing without the page, so records do not contain them."""


# --- record ---------------------------------------------------------------------------------------
# An algorithm returns a :class:`RecordSet` (which nodes form which record), and :func:`newsextract.extraction.find_records`
# makes texts and data items of it, in the same way for all algorithms.

ItemKind = Literal["text", "link", "image"]


@dataclass(frozen=True, slots=True)
class Item:
    """One data item of a record: a field of its row."""

    text: str
    """The displayed text, with white space folded; for an image, its alternative text."""
    kind: ItemKind
    link: str | None
    """Absolute URL of a link or image; None for text."""
    label: str
    """Name of its column: in all records of a region, the same label means the same thing. ``title``, ``author``, ``date``,
    ``body`` … if known, or else a name derived from the markup."""
    static: bool = False
    """Whether it is the same in all records (buttons, labels): Wang, Liang & Min 2019, §6."""
    nodes: tuple[int, ...] = ()
    """Its text nodes: indices into the page's nodes."""


@dataclass(frozen=True, slots=True)
class Record:
    """One data record: a search hit, a post, an entry of a list."""

    text: str
    """Its visible text: the text nodes, joined by spaces."""
    items: tuple[Item, ...] = ()
    """In document order."""
    region: int = 0
    """Index of its data region on the page; 0 is the main one."""
    nodes: tuple[int, ...] = ()
    """Roots of the subtrees that form the record, in document order: indices into the page's nodes."""


@dataclass(frozen=True, slots=True)
class Region:
    """A data region: records that belong together."""

    node: int
    """Root of the smallest subtree that contains all records."""
    records: tuple[tuple[int, ...], ...]
    """For each record the roots of its subtrees, in document order."""
    score: float = 0.0
    """0–1: the confidence of the algorithm."""


@dataclass(frozen=True, slots=True)
class RecordSet:
    """A record algorithm's result for one page."""

    regions: tuple[Region, ...] = ()
    """The main region first."""
    status: Status = "ok"
    """``ok``, ``empty`` (nothing found, see ``reason``) or ``no_snapshot``."""
    rendered: bool = False
    """Whether node indices refer to the page's snapshot; False: to its source (``Page.nodes``)."""
    written: bool = False
    """Whether the records include text that the browser did not display; node indices are then of :attr:`Nodes.written`."""
    confidence: float = 0.0
    """0-1."""
    reason: str | None = None
    made: tuple[Record, ...] = ()
    """Records with their items instead of regions, from an algorithm that does not work on nodes (`oem`)."""
    evidence: dict[str, Any] | None = None
    """The scores; only on request. Plain JSON values; :mod:`newsextract.algorithms.visual_blocks` describes what the
    inspection page needs."""


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
    """The data regions of the records; :attr:`Record.region` is an index into them."""
    rendered: bool = False
    """Whether node indices refer to the page's snapshot; False: to its source (``Page.nodes``)."""
    written: bool = False
    """Whether the records include text that the browser did not display."""
    note: str | None = None
    """A caution about what was read: not loaded to the end, or cut at the limit of nodes."""

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)
