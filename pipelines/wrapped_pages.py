"""A page whose site has a wrapper → objects, in a worker process, in the algorithm's place.

The interpreter never fetches. It names the pages that it lacks; the spider asks for them (:mod:`spiders.wrapping`), and the
run is repeated with them at hand, until nothing is lacking. What else the spider wants to know of the page (board or thread,
the next page) is read by the first run.

Identity of an object: the page that the wrapper began at and ``oid``, so what stands before or after it does not matter.

Cost: a run over all pages at hand for every level of links, two for links that are not followed further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from newsextract import Page
from newsextract.discovery import Rules
from newsextract.discovery.pagination import written_next_page
from newsextract.discovery.threads import ForumPage, next_in_forum, read_forum_page
from newsextract.fields.title import find_title
from newsextract.page.page import Fetched, RenderedPage
from newsextract.page.snapshot import SnapshotError
from newsextract.record_pages import other_lists
from newsextract.results import Surroundings
from newsextract.wrappers import OEMObject, Result, Unavailable
from newsextract.wrappers.format import SiteWrapper
from newsextract.wrappers.interpreter import run
from newsextract.wrappers.objects import many_labels, plain, root_json


@dataclass(frozen=True, slots=True)
class Leads:
    """What a page is and leads to, beside its objects."""

    title: str | None = None
    next_page: str | None = None
    lists: tuple[str, ...] = ()
    forum: ForumPage | None = None
    """Of a forum's page."""

    @property
    def is_board(self) -> bool:
        """Whether it is a forum's board, which the wrapper does not read."""
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
    """Of the page that it stands on."""
    fields: dict[str, Any]
    nested: dict[str, Any] | None
    missing: tuple[tuple[str, str], ...]
    """Addresses that links within it lead to and that could not be had, and why; of a root all."""


@dataclass(frozen=True, slots=True)
class WrappedPage:
    """What a run gave."""

    leads: Leads
    fetched_at: str
    wanted: tuple[str, ...] = ()
    """Addresses of pages that are not at hand; else the run is complete, and all that follows is told."""
    has_root: bool = False
    objects: tuple[FoundObject, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    misfits: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fit: float = 0.0
    """Share of the lines that fit."""


def no_leads(page: Page) -> Leads:
    """Nothing is to be known of the page beside its objects."""
    return Leads()


def forum_leads(page: Page, rules: Rules, is_thread: bool) -> Leads:
    """Tell board from thread.

    :param is_thread: the page before it was of this thread: nothing is to be told.
    """
    forum = ForumPage("thread", next_page=next_in_forum(page)) if is_thread else read_forum_page(page, rules)
    title = find_title(page.metadata, Surroundings(), page.url)
    return Leads(title.value if title else None, forum.next_page, forum=forum)


def list_leads(page: Page, rules: Rules) -> Leads:
    """The next page, and other lists where the site's ``follow`` names some; of a result page, too."""
    from newsextract.fields.hits import list_title  # here, or every crawl of news would load what it has no use for

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
    """Run a wrapper over a page with those at hand. Runs in a worker.

    :param at_hand: the pages that links lead to, by the addresses that the interpreter asks for.
    :param most: how many of them at most.
    :param leads: of an earlier run; None: ``lead(page, *arguments)`` is to be asked.
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
    """The objects that become records, in order: those of the label, or the root with all within it."""
    root = result.root
    if root is None:
        return
    if wrapper.records is None and not isinstance(root.value, tuple) and len(result.fit) > 1:
        return  # its text alone is the whole page's
    lists = many_labels(root) | wrapper.format.many
    failures = dict(result.failures)
    for found, above in root.walk():
        if wrapper.records is None or (found.label == wrapper.records and found.type != "reference"):
            value = plain(found, lists)
            yield FoundObject(
                found.oid,
                found.label,
                tuple(other.label for other in above),
                _page_of(found, above),
                value if isinstance(value, dict) else {"text": value},
                root_json(root, wrapper.format.many) if wrapper.records is None else None,
                result.failures if found is root else tuple(_missing(found, failures)),
            )
            if wrapper.records is None:
                return


def _missing(found: OEMObject, failures: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The pages that links within an object lead to and that could not be had."""
    links = (other.value.partition("#")[0] for other, _ in found.walk() if isinstance(other.value, str))
    return ((url, failures[url]) for url in dict.fromkeys(links) if url in failures)


def _page_of(found: OEMObject, above: tuple[OEMObject, ...]) -> str | None:
    return next((other.url for other in (found, *reversed(above)) if other.url), None)
