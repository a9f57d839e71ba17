"""What flows through the pipelines: a fetched page, then a record or a rejection, flat and in export order."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract import Page
    from newsextract.sites import Site
    from pipelines.workers import Kept

SCHEMA_VERSION = 1

TRANSIENT = frozenset({"failed", "download", "server_error", "blocked"})
"""Rejections that are tried again by the next run; see :mod:`pipelines.ledger`."""


@dataclass(slots=True)
class FetchedPage:
    """An article page as it was fetched, with the following pages of the same article."""

    site: Site
    requested_url: str
    """The address that discovery found; the page may stand elsewhere after redirects."""
    parts: list[Page]
    kept: list[Kept | None] = field(default_factory=list)
    """Where the worker pool keeps each part, so that it need not be sent and decoded again."""
    etag: str | None = None
    last_modified: str | None = None


@dataclass(slots=True, kw_only=True)
class NewsRecord:
    """One article: a line of the feed. ``docs/record.schema.json`` describes it."""

    id: str
    url: str
    canonical_url: str | None
    site: str
    kind: str
    title: str | None
    title_source: str | None
    date: str | None
    date_precision: str | None
    date_source: str | None
    text: str
    authors: list[str]
    language: str | None
    section: str | None
    image: str | None
    pages: int
    fetched_at: str
    algorithm: str
    confidence: float
    status: str
    reason: str | None
    revision: int
    duplicate_of: str | None
    fingerprint: str | None
    etag: str | None
    last_modified: str | None
    schema_version: int = SCHEMA_VERSION


@dataclass(slots=True, kw_only=True)
class Rejection:
    """A page that did not become a record, and why: a line of the rejected feed."""

    id: str
    url: str
    site: str
    status: str
    """See ``docs/records.md``; among them ``short``, ``out_of_window``, ``listing``, ``not_article``, ``missing``."""
    reason: str
    title: str | None = None
    date: str | None = None
    duplicate_of: str | None = None
    attempt: int = 1
    fetched_at: str
    schema_version: int = SCHEMA_VERSION


RECORD_FIELDS = tuple(f.name for f in fields(NewsRecord))
