"""What comes out of a page: an :class:`Article`, flat, in export order, with provenance per field.

Algorithms answer with a :class:`Body` (the text they chose and where it stands); the shared field modules
add title, date and the rest; :func:`newsextract.extraction.extract` puts both together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from newsextract.kinds import PageKind

Status = Literal["ok", "doubtful", "empty", "not_article", "not_html", "too_large", "no_snapshot", "failed"]
"""``ok``: text found. ``doubtful``: text found, but the algorithm says that it may well be another one or a part of it; see
``confidence`` and ``reason``. ``empty``: the page has no text. ``not_article``: text found, on a page that is called no
article; see ``kind``. ``not_html``: binary or another media type. ``too_large``: over the byte cap. ``no_snapshot``: the
algorithm needs a rendered page. ``failed``: the extraction was stopped (time, memory) or hit a defect; see ``reason``."""

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
    """Index of the block (see :mod:`newsextract.source`) that it stands in."""


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
    title_source: Found | None = None
    other_titles: tuple[Found, ...] = ()
    """What the title would be if it turned out to be the site's name; no record holds them."""
    date_source: ReportDate | None = None
    evidence: dict[str, Any] | None = None
    blocks: tuple[int, ...] | None = None
    """The blocks of the page's tree that ``text`` is made from, for :mod:`newsextract.rendition`; None where unknown.
    They mean nothing without the page, so no record holds them."""
