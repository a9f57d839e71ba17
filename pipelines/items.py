"""What flows through the pipelines: a fetched page, then records or a rejection, flat and in export order.

A news page gives one :class:`NewsRecord`, a page of a thread many :class:`Post`, a result page many :class:`Hit`, a list
page many :class:`Teaser`; a page of any kind whose site has a wrapper gives :class:`ObjectRecord`. A :class:`ReadPage` says
which records a page gave, but for news without a wrapper.
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
    """An article page as it was fetched, with the following pages of the same article."""

    site: Site
    requested_url: str
    """The address that discovery found; the page may stand elsewhere after redirects."""
    parts: list[Fetched] = field(default_factory=list)
    extracted: list[tuple[Fetched, Extracted]] = field(default_factory=list)
    """What the worker that judged the parts has extracted of them already. A part that a pipeline has put in the place of
    another is not among them."""
    etag: str | None = None
    last_modified: str | None = None

    def add(self, part: Fetched, extracted: Extracted | None) -> None:
        """Add a page of the article, with what has been extracted of it."""
        self.parts.append(part)
        if extracted is not None:
            self.extracted.append((part, extracted))

    def extracted_of(self, part: Fetched) -> Extracted | None:
        """What has been extracted of a part already."""
        return next((found for page, found in self.extracted if page is part), None)

    def __repr__(self) -> str:
        """Short, for logs: never the page itself."""
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
"""By kind of site, which is also the spider's name; sites with a wrapper give objects whatever their kind."""
LINE_KINDS = {"forum": "post", "search": "hit", "list": "teaser", "wrapped": OBJECT}
"""What the lines of the other spiders call themselves, by kind of site."""
