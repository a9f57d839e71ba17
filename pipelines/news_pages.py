"""A page of a news site → where it leads, and its article if it is taken for one; in a worker process, in one call.

What the worker extracts is kept with the page (:class:`~pipelines.items.FetchedPage`), and the extraction pipeline makes
the record of it. A page that may not become a record under its own URL (it redirects, or names another canonical one) is
not extracted here; if it does become one, the pipeline has it extracted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from newsextract import Article, Page, extract
from newsextract.discovery import Discovery, Rules, discover, is_article, record_id
from newsextract.feed.duplicates import fingerprint


@dataclass(frozen=True, slots=True)
class Extracted:
    """What the algorithm made of a page."""

    article: Article
    mark: str | None
    """The text's fingerprint."""


@dataclass(frozen=True, slots=True)
class NewsPage:
    """What a page of a news site is and leads to."""

    found: Discovery
    is_article: bool
    """Whether it is taken for an article."""
    extracted: Extracted | None = None


def read_news_page(
    page: Page, rules: Rules, role: str, algorithm: str | None = None, params: dict[str, Any] | None = None
) -> NewsPage:
    """Judge a page, read its links, and extract it if it is an article.

    :param role: how the page was found; see :func:`newsextract.discovery.is_article`. ``part``: it is a later page of one.
    :param algorithm: None: nothing is extracted.
    """
    is_part = role == "part"
    found = discover(page, rules, "link" if is_part else role)
    takes = is_part or is_article(rules, found.url, role, found.kind, page.hints.source)
    stands = found.refresh is None and record_id(found.canonical_url or found.url) == record_id(found.url)
    if not takes or algorithm is None or not (is_part or stands):
        return NewsPage(found, takes)
    return NewsPage(found, takes, extracted(page, algorithm, params or {}))


def extracted(page: Page, algorithm: str, params: dict[str, Any]) -> Extracted:
    """A page's article, and the fingerprint of its text."""
    article = extract(page, None, algorithm, params)
    return Extracted(article, fingerprint(article.text))
