"""Determines the kind of a news page, reads its links, and extracts its article: one call in a worker process.

The result is kept with the page (:class:`~pipelines.items.FetchedPage`), and the extraction pipeline makes the record. A
page that may not become a record under its own URL (it redirects, or declares another canonical URL) is not extracted here;
if it does become one, the pipeline has it extracted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from newsextract import Article, Page, extract
from newsextract.discovery import Discovery, Rules, discover, is_article, record_id
from newsextract.feed.duplicates import fingerprint
from newsextract.page.notices import Notice, find_notice

SURE_PRODUCT = 0.9
"""Probability from which on an undated product page that only a sitemap names is no article. No article
of the bench has it."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The algorithm's result for a page."""

    article: Article
    mark: str | None
    """Fingerprint of the text."""


@dataclass(frozen=True, slots=True)
class NewsPage:
    """Kind, links and article of a news page."""

    found: Discovery
    is_article: bool
    extracted: Extracted | None = None
    notice: Notice | None = None
    """What the page says in place of its content; it is then no article."""


def read_news_page(
    page: Page, rules: Rules, role: str, algorithm: str | None = None, params: dict[str, Any] | None = None
) -> NewsPage:
    """Determine the kind of a page, read its links, and extract it if it is an article.

    :param role: how the page was found; see :func:`newsextract.discovery.is_article`. ``part``: a later page of an article.
    :param algorithm: None: do not extract.
    """
    is_part = role == "part"
    found = discover(page, rules, "link" if is_part else role)
    notice = None if is_part else find_notice(page)
    takes = is_part or (notice is None and is_article(rules, found.url, role, found.kind, page.hints.source))
    stands = found.refresh is None and record_id(found.canonical_url or found.url) == record_id(found.url)
    if not takes or algorithm is None or not (is_part or stands):
        return NewsPage(found, takes, notice=notice)
    made = extracted(page, algorithm, params or {})
    is_named = bool(rules.allow) or page.hints.source != "sitemap"
    if not is_named and found.kind.kind == "product" and found.kind.confidence >= SURE_PRODUCT and not made.article.date:
        return NewsPage(found, False)
    return NewsPage(found, takes, made)


def extracted(page: Page, algorithm: str, params: dict[str, Any]) -> Extracted:
    """Extract a page, and compute the fingerprint of its text."""
    article = extract(page, None, algorithm, params)
    return Extracted(article, fingerprint(article.text))
