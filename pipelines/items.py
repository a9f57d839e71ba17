"""The items of the pipelines: a fetched page, then records or a rejection, flat and in export order.

A news page gives one :class:`NewsRecord`, a page of a thread many :class:`Post`, a result page many :class:`Hit`, a list
page many :class:`Teaser`. If the site has a wrapper, pages of every kind give :class:`ObjectRecord`. A :class:`ReadPage`
lists the records of a page, except for news without a wrapper.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from newsextract.feed.lines import OBJECT
from newsextract.feed.news_record import SCHEMA_VERSION, TRANSIENT, NewsRecord, Rejection
from newsextract.feed.record_lines import Hit, ObjectRecord, Post, ReadPage, Teaser

if TYPE_CHECKING:
    from newsextract.page.page import Fetched
    from newsextract.sites import Site
    from pipelines.news_pages import Extracted


__all__ = [
    "LINE_KINDS",
    "OBJECT",
    "RECORD_CLASSES",
    "SCHEMA_VERSION",
    "TRANSIENT",
    "FetchedPage",
    "Hit",
    "Item",
    "NewsRecord",
    "ObjectRecord",
    "Post",
    "ReadPage",
    "Record",
    "Rejection",
    "Teaser",
]


@dataclass(slots=True, repr=False)
class FetchedPage:
    """A fetched article page, with the following pages of the same article."""

    site: Site
    requested_url: str
    """The URL that discovery found, before redirects."""
    parts: list[Fetched] = field(default_factory=list)
    extracted: list[tuple[Fetched, Extracted]] = field(default_factory=list)
    """Parts that a worker has already extracted, with the results. Parts that a pipeline has replaced are not among them."""
    etag: str | None = None
    last_modified: str | None = None

    def add(self, part: Fetched, extracted: Extracted | None) -> None:
        """Add a page of the article, with its extraction result."""
        self.parts.append(part)
        if extracted is not None:
            self.extracted.append((part, extracted))

    def extracted_of(self, part: Fetched) -> Extracted | None:
        """The extraction result of a part, if it exists."""
        return next((found for page, found in self.extracted if page is part), None)

    def __repr__(self) -> str:
        """Short form for logs, without the page itself."""
        size = sum(len(part.body) for part in self.parts)
        return f"<FetchedPage {self.requested_url[:200]}, {len(self.parts)} part(s), {size} bytes>"


Record = NewsRecord | Post | Hit | Teaser | ObjectRecord
"""A line of the feed."""
Item = Record | ReadPage | Rejection
RECORD_CLASSES: dict[str, type[Record]] = {
    "news": NewsRecord,
    "forum": Post,
    "search": Hit,
    "list": Teaser,
    "wrapped": ObjectRecord,
}
"""Kind of site (also the name of the spider) → types of its lines; sites with a wrapper give objects, whatever their
kind."""
LINE_KINDS = {"forum": "post", "search": "hit", "list": "teaser", "wrapped": OBJECT}
"""Kind of site → ``kind`` of its lines, for all spiders except news."""
