"""Pages that give many records: which of them are done, and where a thread or a list goes on.

A line names the records that its page gave. The page is done when all of them stand in the feed: so it does not matter in
which order the two files are written, nor where between two records of one page the process dies. A page that is not done
is fetched again; its records keep their ids, and those that stand in the feed are not written a second time. The last
line of a page counts.

Posts and teasers outside the date window are left out, and the line says which bound left some out. The page is not done
for a run whose window is wider there.

The first line of a thread or list that goes on tells, too, what its records look like
(:mod:`newsextract.algorithms.record_shape`). So a later page is read alike, whether the run began with the first page or
goes on where another was killed; else the pages before would have to be fetched again for a last page of one record.

Cost: about 300 bytes of memory a page, 40 for each of its records, and 300 to 1,300 for a shape.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from newsextract.discovery import record_id
from pipelines.items import ReadPage


def page_id(url: str, run: str | None = None) -> str:
    """Short name of a page, 16 hexadecimal digits; of a result or list page also by its run, for each run is a new
    observation, and by its address as it is written: what is dropped when addresses are normalised, such as ``from``, may be
    what a list counts by."""
    return record_id(url) if run is None else record_id(f"{run} {url}")


@dataclass(frozen=True, slots=True)
class NextPage:
    """Where to go on."""

    url: str
    number: int
    """Of the page, 1 for the first."""
    first: int
    """Position of its first record, 1 for the first."""
    known: ReadPage | None = None
    """Its line, if it is done: then it is the last one that is known, and there may be more on it by now."""
    shape: str | None = None
    """What records look like on the pages before; None where that is not known."""


@dataclass(slots=True)
class PageLines:
    """The lines of all pages."""

    lines: dict[str, ReadPage] = field(default_factory=dict)
    written: Container[int] = frozenset()
    """Ids of the records in the feed, as the run found it."""
    given_up: set[int] = field(default_factory=set)
    """Ids of records that will never stand there: a user's pipeline drops them, or has failed on them too often."""

    def add(self, page: ReadPage) -> bool:
        """Take note of a line; False if it says what is known already."""
        known = self.lines.get(page.id)
        self.lines[page.id] = page
        return known is None or _said(known) != _said(page)

    def is_done(self, page: ReadPage, since: date | None = None, until: date | None = None) -> bool:
        """Whether all records of a page stand in the feed, or were given up.

        :param since: first day of the window of this run; None: it is open, as for ``until``, its last day.
        """
        if page.since and (since is None or since.isoformat() < page.since):
            return False
        if page.until and (until is None or until.isoformat() > page.until):
            return False
        numbers = (int(record, 16) for record in page.records)
        return all(number in self.written or number in self.given_up for number in numbers)

    def resume(
        self, start: NextPage, run: str | None = None, since: date | None = None, until: date | None = None
    ) -> NextPage:
        """Follow the pages that are done from one on: the first that is not, or the last one that is known.

        A page without records repeats the one before it, which is then the last.
        """
        here, seen = start, set[str]()
        before: NextPage | None = None
        while True:
            name = page_id(here.url, run)
            line = self.lines.get(name)
            if line is None or not self.is_done(line, since, until):
                return here
            if line.count == 0 and before is not None:
                return before
            shape = here.shape or line.shape
            if line.next is None or name in seen:
                return NextPage(here.url, line.number, line.first, line, shape)
            seen.add(name)
            before = NextPage(here.url, line.number, line.first, line, shape)
            here = NextPage(line.next, line.number + 1, line.first + line.count, shape=shape)


def _said(page: ReadPage) -> ReadPage:
    """A line without what differs from fetch to fetch."""
    return dataclasses.replace(page, fetched_at="", etag=None, last_modified=None, shape=None)


def check_page(value: dict[str, Any], line: bytes) -> None:
    """Raise ValueError, KeyError or TypeError when a line is not one of a page."""
    names = {f.name for f in dataclasses.fields(ReadPage)}
    if set(value) != names:
        raise ValueError(f"it lacks or adds {', '.join(sorted(names ^ set(value)))}")
    for record in value["records"]:
        int(record, 16)
    if not isinstance(value["number"], int) or not isinstance(value["first"], int) or not isinstance(value["count"], int):
        raise TypeError("number, first or count is no whole number")
    if value["shape"] is not None:
        from newsextract.algorithms.record_shape import (
            read_shape,  # here, or every crawl of news would load what it has no use for
        )

        read_shape(value["shape"])
