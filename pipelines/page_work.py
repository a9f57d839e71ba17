"""What a worker process does with a page: one call reads its kind and links, and extracts its article or its objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from newsextract import Article, Page, algorithms, extract
from newsextract.discovery import Discovery, Rules, discover, is_article, record_id
from newsextract.discovery.pagination import written_next_page
from newsextract.discovery.threads import ForumPage, next_in_forum, read_forum_page
from newsextract.feed.duplicates import fingerprint
from newsextract.fields.selected import unmatched
from newsextract.fields.title import find_title
from newsextract.page.notices import Notice, find_notice
from newsextract.page.page import Fetched, RenderedPage
from newsextract.page.snapshot import SnapshotError
from newsextract.record_pages import other_lists
from newsextract.results import Surroundings
from newsextract.wrappers import OEMObject, Result, Unavailable
from newsextract.wrappers.format import SiteWrapper
from newsextract.wrappers.interpreter import run
from newsextract.wrappers.objects import many_labels, plain, root_json

# --- news pages -----------------------------------------------------------------------------------
# The result is kept with the page (:class:`~pipelines.items.FetchedPage`), and the extraction pipeline makes the record. A
# page that may not become a record under its own URL (it redirects, or declares another canonical URL) is not extracted
# here; if it does become one, the pipeline has it extracted.

SURE_PRODUCT = 0.9
"""Probability from which on an undated product page that only a sitemap names is no article. No article
of the bench has it."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The algorithm's result for a page."""

    article: Article
    mark: str | None
    """Fingerprint of the text."""
    unmatched: frozenset[str] | None = None
    """Fields of the site's ``fields`` whose selectors match nothing on the page; None: it has none, or the page no text."""


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
    selectors = params.get(algorithms.FIELDS)
    return Extracted(article, fingerprint(article.text), unmatched(page, selectors) if selectors and article.text else None)


# --- pages of sites with a wrapper ----------------------------------------------------------------
# The interpreter never fetches. It names the linked pages that it lacks; the spider fetches them (:mod:`spiders.wrapping`),
# and the run is repeated until no page is lacking. The first run also reads what else the spider needs: board or thread,
# next page.
#
# An object is identified by the page where the wrapper started and its ``oid``, so its position does not matter.
#
# Cost: one run over all fetched pages per level of links; two if links are not followed further.


@dataclass(frozen=True, slots=True)
class Leads:
    """Kind and links of a page, in addition to its objects."""

    title: str | None = None
    next_page: str | None = None
    lists: tuple[str, ...] = ()
    forum: ForumPage | None = None
    """Set for the page of a forum."""

    @property
    def is_board(self) -> bool:
        """Whether the page is a board, which the wrapper does not read."""
        return self.forum is not None and self.forum.kind == "board"


Lead = Callable[..., Leads]
"""``(page, *arguments)``; one of the functions below."""


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object that becomes a record."""

    oid: str
    label: str
    path: tuple[str, ...]
    url: str | None
    """URL of the page that contains it."""
    fields: dict[str, Any]
    nested: dict[str, Any] | None
    missing: tuple[tuple[str, str], ...]
    """(URL, reason) of linked pages that could not be fetched: those linked within the object; for a root, all."""


@dataclass(frozen=True, slots=True)
class WrappedPage:
    """The result of a run."""

    leads: Leads
    fetched_at: str
    wanted: tuple[str, ...] = ()
    """URLs of lacking pages. If empty, the run is complete, and the following fields are set."""
    has_root: bool = False
    objects: tuple[FoundObject, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    misfits: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fit: float = 0.0
    """Share of the wrapper's lines that fit."""


def no_leads(page: Page) -> Leads:
    """Read nothing but the objects."""
    return Leads()


def forum_leads(page: Page, rules: Rules, is_thread: bool) -> Leads:
    """Determine whether a page is a board or a thread.

    :param is_thread: the previous page belongs to this thread, so the page is a thread.
    """
    forum = ForumPage("thread", next_page=next_in_forum(page)) if is_thread else read_forum_page(page, rules)
    title = find_title(page.metadata, Surroundings(), page.url)
    return Leads(title.value if title else None, forum.next_page, forum=forum)


def list_leads(page: Page, rules: Rules) -> Leads:
    """The next page, and other lists that match the site's ``follow``; also for result pages."""
    from newsextract.fields.teasers import list_title  # imported here, because crawls of news do not need it

    lists = tuple(other_lists(page, rules)) if rules.follow else ()
    return Leads(list_title(page), written_next_page(page), lists)


def read_wrapped(
    page: Page,
    wrapper: SiteWrapper,
    at_hand: Mapping[str, Fetched | Unavailable],
    most: int,
    leads: Leads | None,
    lead: Lead,
    *arguments: Any,
) -> WrappedPage:
    """Run a wrapper over a page and the linked pages fetched so far. Called in a worker.

    :param at_hand: URL as the interpreter names it → linked page.
    :param most: maximum number of linked pages.
    :param leads: result of an earlier run; None: call ``lead(page, *arguments)``.
    """
    if leads is None:
        leads = lead(page, *arguments)
    fetched_at = page.time.isoformat(timespec="seconds")
    if leads.is_board:
        return WrappedPage(leads, fetched_at)

    def fetch(url: str) -> Page | Unavailable | None:
        found = at_hand.get(url)
        if not isinstance(found, RenderedPage):
            return found
        try:
            return found.read()
        except SnapshotError as error:
            return Unavailable(str(error))

    result = run(wrapper.format, page, fetch, max_pages=most)
    if result.missing:
        return WrappedPage(leads, fetched_at, result.missing)
    return WrappedPage(
        leads,
        fetched_at,
        has_root=result.root is not None,
        objects=tuple(_objects(result, wrapper)),
        failures=result.failures,
        misfits=result.misfits,
        notes=result.notes,
        fit=round(sum(line.fits for line in result.fit) / len(result.fit), 3),
    )


def _objects(result: Result, wrapper: SiteWrapper) -> Iterator[FoundObject]:
    """The objects that become records, in order: those with the label, or the root with everything in it."""
    root = result.root
    if root is None:
        return
    if wrapper.records is None and not isinstance(root.value, tuple) and len(result.fit) > 1:
        return  # the root has only the text of the whole page
    lists = many_labels(root) | wrapper.format.many
    failures = dict(result.failures)
    for found, above in root.walk():
        if wrapper.records is None or (found.label == wrapper.records and found.type != "reference"):
            value = plain(found, lists)
            yield FoundObject(
                found.oid,
                found.label,
                tuple(other.label for other in above),
                next((other.url for other in (found, *reversed(above)) if other.url), None),
                value if isinstance(value, dict) else {"text": value},
                root_json(root, wrapper.format.many) if wrapper.records is None else None,
                result.failures if found is root else tuple(_missing(found, failures)),
            )
            if wrapper.records is None:
                return


def _missing(found: OEMObject, failures: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    links = (other.value.partition("#")[0] for other, _ in found.walk() if isinstance(other.value, str))
    return ((url, failures[url]) for url in dict.fromkeys(links) if url in failures)
