"""Where a crawl goes next: pure functions from a page, feed or sitemap to addresses. No network, no scrapy.

THE function is :func:`discover`. It runs in worker processes: what goes in and comes out can be pickled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from newsextract.discovery.feeds import FeedEntry, Sitemap, read_feed, read_sitemap, sitemaps_from_robots
from newsextract.discovery.links import (
    FEW_LINKS,
    FoundLink,
    archive_group,
    data_page,
    declared_feeds,
    found_links,
    is_fixed_page,
    meta_refresh,
    neighbours,
    script_links,
    text_score,
)
from newsextract.discovery.pagination import article_parts, counted_up, has_more_button, next_page, step
from newsextract.errors import SiteError
from newsextract.page.page import Page
from newsextract.page.references import References, host_of
from newsextract.urls import normalize, record_id

if TYPE_CHECKING:
    from newsextract.discovery.kinds import PageKind

__all__ = ["FeedEntry", "Sitemap", "normalize", "read_feed", "read_sitemap", "record_id", "sitemaps_from_robots"]
"""Names of modules below that crawls take from here."""

ARTICLE_SCORE = 0.4
"""Links with at least this score are taken for links to articles where no ``allow`` pattern decides."""
LEADS_ON = ("start", "listing", "archive")
"""Roles of pages that lead on whatever they look like: the site's definition, a "next" link or the type of a link says that
they are lists."""
SURE = 0.8
"""Probability of an article from which on a page is not searched for a listing's next page."""
DOUBTFUL = 0.5
"""Least probability of an article on a page for which nothing but a link vouches."""
BESIDE_OTHERS = "listing"
"""Source of the hints of a page that is taken for an article because of the others of its site."""
PROBABLE_BESIDE_OTHERS = 0.2
"""Least probability of an article on such a page; see :mod:`pipelines.checks`."""
PROBABLE_UNDER_HEADLINE = 0.02
"""The same if a headline leads to it: then it may look like a listing, because the links beside it outweigh its text."""
NAMED_BY_FEED = 0.1
"""Least probability of an article that a list of other pages must have where a feed, or the user, has named it."""
NAMED_BY_SITEMAP = 0.4
"""The same of a sitemap: systems list their archives there, too."""


_WHOLE = re.compile(r"<(?:!doctype|html|head|body)\b", re.IGNORECASE)
"""In the beginning of a page; the parts of a list that a script asks for have none."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a site definition says about addresses. Patterns are regular expressions, searched in normalised addresses."""

    domains: tuple[str, ...] = ()
    """Host names; their subdomains belong to them. Empty: the page's registered domain."""
    allow: tuple[str, ...] = ()
    """Which addresses may be articles. Empty: evidence decides."""
    follow: tuple[str, ...] = ()
    """Which addresses may be followed as listings. Empty: evidence decides."""
    deny: tuple[str, ...] = ()
    """Never; wins over the others."""
    nofollow: bool = False
    """Whether links marked ``rel=nofollow`` are given, too."""
    article_links: bool = True
    """Whether the links of what is surely an article are given."""
    neighbours: bool = False
    """Whether the articles before and after one are looked for."""
    max_links: int = 500

    def __post_init__(self) -> None:
        for name in ("allow", "follow", "deny"):
            for pattern in getattr(self, name):
                try:
                    re.compile(pattern)
                except re.error as error:
                    what = f"{pattern!r} is no regular expression: {error}; right: '/news/\\\\d+'"
                    raise SiteError(f"{name}: {what}") from error


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a page tells about where to go next. All addresses are absolute and normalised."""

    url: str
    """Of the page itself."""
    kind: PageKind
    links: tuple[FoundLink, ...]
    """Links that the rules let through, those that look most like articles first."""
    next_page: str | None = None
    """Of a listing, or of a page that is not surely an article."""
    parts: tuple[str, ...] = ()
    """The following pages of the same article."""
    canonical_url: str | None = None
    refresh: str | None = None
    """Where the page sends its reader at once."""
    neighbours: tuple[str, ...] = ()
    """The articles before and after this one, as it names them, if the rules ask for them."""
    is_cut_off: bool = False
    """Whether a list ends in a button for more that is no link, and has no next page."""
    feeds: tuple[str, ...] = ()
    """The feeds that a start page names in its head, if no link on it looks like one to an article: scripts fill it."""


def discover(page: Page, rules: Rules | None = None, role: str = "link") -> Discovery:
    """Read kind, links, pagination, canonical address and redirect of a page; never raises.

    :param rules: the site's rules; default: everything on the page's own registered domain.
    :param role: how the page was found: those of :data:`LEADS_ON` are listings whatever they look like.
    """
    rules = rules or Rules()
    page = (data_page(page) or page) if role == "listing" else page
    references = References.of(page)
    kind = page.kind
    is_article = kind.is_article and role not in LEADS_ON
    following = None if is_article and kind.article >= SURE else next_page(page, references)
    domains = rules.domains or (references.site(),)
    if following and not _may_follow(following, domains, rules):
        following = None
    parts = article_parts(page, references) if is_article else []
    links: list[FoundLink] = []
    if rules.article_links or not is_article or kind.article < SURE:
        found = found_links(page, references, lambda host: belongs(host, domains), following)
        links = [link for link in found if _admitted(link, rules)]
    story = next((link for link in links if link.next_page and link.is_heading), None)
    if story is not None and text_score(story.text) and step(references.here, story.url) is None:
        # Systems of documents name the page behind any page, on a home page the first post, to which its headline leads.
        following, links[links.index(story)] = None, story._replace(next_page=False)
    has_articles = is_article or any(link.score >= ARTICLE_SCORE for link in links)
    if role == "listing" and has_articles and following is None and _WHOLE.search(page.text[:2_000]) is None:
        following = counted_up(references.here)
    if not has_articles and len(links) < FEW_LINKS:  # a feed that the page names counts all the same
        known = {link.url for link in links}
        links += [link for link in script_links(page, references) if link.url not in known and _admitted(link, rules)]
    links.sort(key=lambda link: -link.score)
    beside = neighbours(page, references) if rules.neighbours and role not in LEADS_ON and not kind.leads_on else []
    canonical = page.metadata.canonical
    return Discovery(
        references.here,
        kind,
        tuple(links[: rules.max_links]),
        following,
        tuple(part for part in parts if _may_follow(part, domains, rules)),
        references.resolve(canonical) if canonical else None,
        meta_refresh(page, references),
        tuple(url for url in beside if _may_follow(url, domains, rules)),
        role in LEADS_ON and not is_article and following is None and has_more_button(page),
        tuple(declared_feeds(page, references)) if role == "start" and not has_articles else (),
    )


def is_article(rules: Rules, url: str, role: str, kind: PageKind, source: str | None = None) -> bool:
    """Whether a crawl takes a page for an article, by its evidence and by what vouches for it.

    Pages about the site ("about us") are articles only where ``allow``, a feed or the user names them.

    :param url: of the page, normalised.
    :param role: how the page was found: ``article`` (a feed, a sitemap or the user named it), ``link``, or one of
        :data:`LEADS_ON`.
    :param source: ``feed`` or ``sitemap`` where one of them named it.
    """
    if not may_be_article(rules, url):
        return False
    if not rules.allow and (role == "link" or source == "sitemap") and is_fixed_page(url):
        return False
    if role == "article":  # even a sitemap names section pages; a feed hardly ever does
        return not kind.leads_on or kind.article > (NAMED_BY_SITEMAP if source == "sitemap" else NAMED_BY_FEED)
    if role != "link" or not kind.is_article:
        return False
    return kind.article >= DOUBTFUL or bool(rules.allow)


def may_be_beside_others(rules: Rules, url: str, role: str, kind: PageKind, *, is_headed: bool) -> bool:
    """Whether a page that :func:`is_article` refuses may still turn out to be one, once the articles of its site are
    known: a post of one sentence looks like many a page.

    :param is_headed: whether a feed names it, or a headline leads to it that looks like that of an article
        (:data:`ARTICLE_SCORE`).
    """
    if role not in ("link", "article") or not may_be_article(rules, url) or is_fixed_page(url):
        return False
    if is_headed:
        return kind.article >= PROBABLE_UNDER_HEADLINE and archive_group(url) is None
    return kind.article >= PROBABLE_BESIDE_OTHERS and not kind.leads_on


def may_be_article(rules: Rules, url: str) -> bool:
    """Whether the site's patterns let a URL be that of a record: ``deny``, ``allow`` and ``follow`` are final."""
    if matches(rules.deny, url):
        return False
    if rules.allow:
        return matches(rules.allow, url)
    return not matches(rules.follow, url)


def _may_follow(url: str, domains: tuple[str, ...], rules: Rules) -> bool:
    return belongs(host_of(url), domains) and not matches(rules.deny, url)


@lru_cache(maxsize=2_000)
def belongs(host: str, domains: tuple[str, ...]) -> bool:
    """Whether a host is one of the domains, or below one."""
    bare = host if host.startswith("[") else host.partition(":")[0]
    wanted = [domain.lower().removeprefix("www.") for domain in domains]
    return any(name == domain or name.endswith("." + domain) for domain in wanted for name in (host, bare))


@lru_cache(maxsize=1_000)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def matches(patterns: tuple[str, ...], url: str) -> bool:
    """Whether one of the patterns is found in an address."""
    return bool(patterns) and any(pattern.search(url) for pattern in _compiled(patterns))


def _admitted(link: FoundLink, rules: Rules) -> bool:
    if (link.nofollow and not rules.nofollow) or matches(rules.deny, link.url):
        return False
    if link.next_page or matches(rules.allow, link.url) or matches(rules.follow, link.url):
        return True
    return not (rules.allow if link.score >= ARTICLE_SCORE else rules.follow)
