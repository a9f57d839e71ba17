"""The records of a page that a site's wrapper has read, the page's own line, and how well the wrapper fits.

A page is done when its line stands in the feed of pages and all its records in theirs, as for all pages of many records. It
gets no line as long as a linked page may still come in a later run, nor when an object has changed: the line names records
by their ids, and could not tell whether the new revision was written before the process died. A page that the wrapper does
not fit is turned away until the format file changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.discovery import record_id
from newsextract.feed_lines import content_hash
from newsextract.oem import Unavailable
from newsextract.oem.site_wrapper import SiteWrapper
from newsextract.rendered_page import Fetched
from newsextract.sites import Site
from pipelines.items import ObjectRecord, ReadPage, Rejection
from pipelines.workers import Kept
from pipelines.wrapped_pages import Lead, Leads, WrappedPage

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

MISFIT = "wrapper_misfit"
"""Status of a page that the wrapper does not fit."""


@dataclass(slots=True, eq=False)
class Run:
    """A page that is being read, and what its wrapper has asked for."""

    site: Site
    wrapper: SiteWrapper
    page: Fetched
    asked: str
    """The address that was asked for, before redirects."""
    finish: Finish
    lead: Lead
    arguments: tuple[Any, ...]
    leads: Leads | None = None
    kept: Kept | None = None
    at_hand: dict[str, Fetched | Unavailable] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    rounds: int = 0
    """Links away from the page that the pages asked for are."""
    size: int = 0
    passing: bool = False
    """Whether a later run may have more of the linked pages."""
    revised: bool = False
    """Whether an object has changed since it was written."""


Finish = Callable[[Run, WrappedPage], Iterator[Any]]
"""What a spider makes of the result of a run."""


@dataclass(slots=True)
class Fit:
    """How a site's wrapper did in this crawl."""

    wrapper: str
    pages: int = 0
    misfitting: int = 0
    rootless: int = 0
    lines: Counter[str] = field(default_factory=Counter)
    """Number and variable of lines that do not fit → pages."""
    example: str = ""
    """The first page that it does not fit."""

    def warning(self, site: str) -> str:
        """What the user is told at the end; empty if the wrapper fits."""
        if not self.misfitting:
            return ""
        lines = ", ".join(f"{line} on {count}" for line, count in self.lines.items())
        rootless = f"; {self.rootless} gave nothing ({MISFIT})" if self.rootless else ""
        return (
            f"WARNING: site {site}: the wrapper {self.wrapper} does not fit {self.misfitting} of {self.pages} pages: "
            f"{lines}{rootless}; for example {self.example}"
        )


class Objects:
    """The wrappers' results in a crawl."""

    def __init__(self, spider: SiteSpider) -> None:
        self._spider = spider
        self.fits: dict[str, Fit] = {}
        """By site."""

    def is_misfit(self, site: Site, url: str) -> bool:
        """Whether an earlier run found that the wrapper, as it stands, does not fit a page."""
        return site.wrapping is not None and int(self._misfit_id(site.wrapping, url), 16) in self._spider.ledger.rejected

    def _misfit_id(self, wrapper: SiteWrapper, url: str) -> str:
        return record_id(f"misfit {wrapper.digest} {self._spider.page_id(url)}")

    def is_read(self, url: str) -> bool:
        """Whether all objects of a page stand in the feed."""
        pages = self._spider.ledger.pages
        line = pages.lines.get(self._spider.page_id(url))
        return line is not None and pages.is_done(line)

    def records(
        self, run: Run, read: WrappedPage, number: int = 1, first: int = 1, *, must_fit: bool = True
    ) -> list[ObjectRecord] | Rejection:
        """The records of a page, or why it has none.

        :param number: of the page, 1 for the first.
        :param first: position of its first record, 1 for the first.
        :param must_fit: False: a page of a number beyond the last may have been asked for, and nothing on it is no misfit.
        """
        if not read.objects and not must_fit:
            return []
        self._note_fit(run, read)
        if not read.objects:
            wanted = f"no object {run.wrapper.records!r}" if run.wrapper.records else "nothing within the root"
            wanted = wanted if read.has_root else "no root"
            if not read.misfits:
                return self._spider.rejected(run.site, run.asked, "empty", wanted)
            told = self._spider.rejected(run.site, run.asked, MISFIT, f"{wanted}: {run.wrapper.name}: {read.misfits[0]}")
            told.id = self._misfit_id(run.wrapper, run.asked)
            return told
        key = self._spider.object_key(run.asked)
        records = [
            ObjectRecord(
                id=record_id(f"object {key} {found.oid}"),
                url=found.url or run.asked,
                page_url=run.asked,
                site=run.site.name,
                wrapper=run.wrapper.name,
                label=found.label,
                path=list(found.path),
                page=number,
                position=position,
                fields=found.fields,
                object=found.nested,
                missing=[{"url": url, "reason": reason} for url, reason in found.missing],
                misfits=list(read.misfits),
                notes=list(read.notes),
                fit=read.fit,
                fetched_at=read.fetched_at,
                revision=0,
            )
            for position, found in enumerate(read.objects, first)
        ]
        run.revised = any(map(self._spider.ledger.revises, records))
        return records

    def line(
        self,
        run: Run,
        read: WrappedPage,
        kind: str,
        records: list[ObjectRecord],
        number: int = 1,
        first: int = 1,
        following: str | None = None,
        /,
        **more: Any,
    ) -> Iterator[ReadPage]:
        """The page's own line, if it gets one.

        :param more: further fields of it.
        """
        if run.passing or run.revised:
            return
        lost = len(read.failures)
        notes = [*read.notes, *([f"{lost} linked page{'s'[: lost != 1]} could not be had"] if lost else [])]
        yield ReadPage(
            id=self._spider.page_id(run.asked),
            url=run.asked,
            site=run.site.name,
            kind=kind,
            number=number,
            first=first,
            count=len(records),
            records=[record.id for record in records],
            next=following,
            note="; ".join(notes) or None,
            fetched_at=read.fetched_at,
            **more,
        )

    def _note_fit(self, run: Run, read: WrappedPage) -> None:
        fit = self.fits.setdefault(run.site.name, Fit(run.wrapper.name))
        fit.pages += 1
        if read.misfits:
            fit.misfitting += 1
            fit.rootless += not read.objects
            fit.lines.update(misfit.partition(":")[0] for misfit in read.misfits)
            fit.example = fit.example or run.asked


def said(records: list[ObjectRecord]) -> frozenset[str]:
    """What the records of a page say, as short names: the same page under another address says the same."""
    return frozenset(content_hash(record.fields, None, []).hex() for record in records)
