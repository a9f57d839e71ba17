"""One archived article → its record, or why it has none: called by command line, archive spider and Spark alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from newsextract import algorithms
from newsextract.archives.entries import ArchivedArticle
from newsextract.errors import MissingExtra, UsageError
from newsextract.kinds import DOUBTFUL
from newsextract.news_record import NewsRecord, Rejection, judge, news_record, turned_away
from newsextract.rendered_page import opened


@dataclass(frozen=True, slots=True)
class Choice:
    """Which algorithm is to be used; without one that of the page's site, and else the default."""

    algorithm: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    fallback: str = algorithms.DEFAULT

    def of(self, article: ArchivedArticle) -> tuple[str, Mapping[str, Any]]:
        """Algorithm and parameters for an article; a site's parameters belong to its own algorithm."""
        own = article.site.algorithm or self.fallback
        name = self.algorithm or own
        return name, {**(article.site.params if name == own else {}), **self.params}


def extract_entry(article: ArchivedArticle, choice: Choice | None = None) -> NewsRecord | Rejection:
    """The record, or the rejection that a crawl would have written; ``duplicate_of`` is left to who writes the feed.

    Never raises for what a page holds.
    """
    try:
        if not article.vouched and (doubt := _doubt(article)) is not None:
            return rejected(article, *doubt)
        record = news_record(article.parts, article.source, *(choice or Choice()).of(article))
    except (UsageError, MissingExtra) as error:
        return rejected(article, "failed", str(error))
    verdict = judge(record, article.site)
    return record if verdict is None else turned_away(record, verdict)


def _doubt(article: ArchivedArticle) -> tuple[str, str] | None:
    """(status, reason) of a page that is no article by its own evidence, or None."""
    kind = opened(article.parts[0]).kind
    if kind.is_article and kind.article >= DOUBTFUL:
        return None
    return "listing" if kind.leads_on else "not_article", kind.told


def rejected(article: ArchivedArticle, status: str, reason: str, attempt: int = 1) -> Rejection:
    """The line of an article that gave no record."""
    at = article.parts[0].time.isoformat(timespec="seconds")
    return Rejection(
        id=article.id, url=article.url, site=article.site.name, status=status, reason=reason, attempt=attempt, fetched_at=at
    )
