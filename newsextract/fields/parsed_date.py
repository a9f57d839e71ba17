"""One date as a text gives it, and whether it can be a report date at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone

from newsextract.results import Precision, ReportDate

EARLIEST = 1990
"""Older dates are not report dates of web pages, except those that the page of an archive declares."""
EARLIEST_ARCHIVED = 1850
_UNSET = frozenset(((1, 1), (12, 31)))
"""Months and days of what programs write for no date: 1970-01-01, 1969-12-31, 1900-01-01."""
TOO_LATE = timedelta(days=1)
"""Dates that lie further behind the time of fetch are refused; a day allows for zones and clocks."""
_LONG_YEAR = re.compile(r"\d{4}|[年년]")


@dataclass(frozen=True, slots=True)
class ParsedDate:
    """One date in a text."""

    year: int
    month: int | None
    day: int | None
    clock: tuple[int, int, int | None] | None
    """Hour, minute, second."""
    zone: int | None
    """Minutes east of UTC."""
    start: int
    end: int
    """Offsets in the text (normalised, same length)."""
    evidence: str
    relative: bool = False

    @property
    def short_year(self) -> bool:
        """Whether the year has two digits only: such dates need support from what stands around them."""
        return not self.relative and _LONG_YEAR.search(self.evidence) is None

    @property
    def precision(self) -> Precision:
        """How much the text says."""
        if self.clock is not None:
            return "minute" if self.clock[2] is None else "second"
        return "year" if self.month is None else "month" if self.day is None else "day"

    @property
    def value(self) -> str:
        """ISO 8601, cut to the precision."""
        text = f"{self.year:04d}"
        if self.month is not None:
            text += f"-{self.month:02d}"
        if self.day is not None:
            text += f"-{self.day:02d}"
        if self.clock is not None:
            hour, minute, second = self.clock
            text += f"T{hour:02d}:{minute:02d}" + (f":{second:02d}" if second is not None else "")
            if self.zone is not None:
                sign = "-" if self.zone < 0 else "+"
                text += f"{sign}{abs(self.zone) // 60:02d}:{abs(self.zone) % 60:02d}"
        return text

    @property
    def calendar_day(self) -> date | None:
        """The day, as written (in the page's own zone); None for months and years."""
        return date(self.year, self.month, self.day) if self.month and self.day else None

    def report(self, source: str) -> ReportDate:
        """As a field of an article."""
        return ReportDate(self.value, self.precision, source, self.evidence[:120])


def checked(found: ParsedDate, fetched_at: datetime, archived: bool = False) -> ParsedDate | None:
    """The date, or None when it cannot be or lies more than a day after the fetch.

    :param archived: whether days before :data:`EARLIEST` count, too.
    """
    limit = fetched_at + TOO_LATE
    is_archived = archived and found.day and (found.month, found.day) not in _UNSET
    if not (EARLIEST_ARCHIVED if is_archived else EARLIEST) <= found.year <= limit.year:
        return None
    try:
        day = date(found.year, 1 if found.month is None else found.month, 1 if found.day is None else found.day)
    except ValueError:
        return None
    if found.clock is not None and found.zone is not None:
        zone = timezone(timedelta(minutes=found.zone))
        hour, minute, second = found.clock
        moment = datetime(day.year, day.month, day.day, hour, minute, second or 0, tzinfo=zone)
        return found if moment <= limit else None
    return found if day <= limit.date() else None
