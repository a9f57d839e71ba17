"""One archived article → its record, or why it has none: called by command line, archive spider and Spark alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from newsextract import algorithms
from newsextract.archives.entries import ArchivedArticle, SiteFacts
from newsextract.errors import MissingExtra, UsageError
from newsextract.kinds import DOUBTFUL
from newsextract.news_record import NewsRecord, Rejection, judge, news_record, turned_away
from newsextract.rendered_page import opened


@dataclass(frozen=True, slots=True)
class Choice:
    """Which algorithm is to be used; without one that of the page's site, and else the default.

    Archives may come from strangers, so the files that parameters name in them (thresholds, models) are never opened.
    """

    algorithm: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    fallback: str = algorithms.DEFAULT
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters of the sites of the reader's own sites.toml; their files take the place of the archive's."""

    def of(self, site: SiteFacts) -> tuple[str, Mapping[str, Any]]:
        """Algorithm and parameters for a page of a site; a site's parameters belong to its own algorithm.

        :raises UsageError: the archive names a file, and the reader names none in its place; or an unknown algorithm.
        """
        own = site.algorithm or self.fallback
        name = self.algorithm or own
        if name != own:
            return name, self.params
        params = {**site.params, **self.params}
        for file in algorithms.file_params(name):
            if params.get(file) and file not in self.params:
                mine = self.own.get(site.name, {}).get(file)
                if not mine:
                    raise UsageError(
                        f"the archive names a file, {file} = {str(params[file])!r:.200}, which is not opened; name your own "
                        f"with --param {file}=FILE, or in the site {site.name!r} of sites.toml"
                    )
                params[file] = mine
        return name, params


def extract_entry(article: ArchivedArticle, choice: Choice | None = None) -> NewsRecord | Rejection:
    """The record, or the rejection that a crawl would have written; ``duplicate_of`` is left to who writes the feed.

    Never raises for what a page holds.
    """
    try:
        if not article.vouched and (doubt := _doubt(article)) is not None:
            return rejected(article, *doubt)
        record = news_record(article.parts, article.source, *(choice or Choice()).of(article.site))
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
