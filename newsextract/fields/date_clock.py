"""The time of day and the zone that a page gives for its day, when the strongest evidence does not hold them.

A day without a clock takes that of the strongest evidence that tells the same day: a stated time of publication, or one that
readers see near the headline; never a comment's or a change's. Midnight to the second is a day that a program wrote out.
A clock without a zone takes the zone of a stamp of the same moment: one that reads the same, or one in UTC that is off by
whole half hours, as zones are (22:41 on the page and 02:41Z in its JSON-LD: -04:00).

Cost: further places are read only where the day is known and the clock is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain

from newsextract.fields.date_evidence import Candidate

_STATED, _SEEN = 4.0, 6.0
"""Ranks below these: stated as published; seen by readers and not said to be another's."""
_BEHIND = 4.4
"""The same for texts at the end of the main text, where comments begin: only a first "posted at"."""
_EARLIEST, _LATEST = -12 * 60, 14 * 60
"""Zones, in minutes east of UTC."""
_MIDNIGHT = (0, 0, 0)


def with_clock(best: Candidate, found: Iterable[Candidate], places: Iterable[Iterable[Candidate]]) -> Candidate:
    """The candidate with the time of day and the zone that the page gives for its day.

    :param found: all candidates that have been read, strongest first.
    :param places: more of them; each is read only while no clock is known.
    """
    day = best.parsed.calendar_day
    if day is None:
        return best
    if best.parsed.clock == _MIDNIGHT:
        best = replace(best, parsed=replace(best.parsed, clock=None, zone=None))
    if best.parsed.clock is None:
        found = [*found]
        for place in chain(((),), places):
            found += place
            same = (c for c in found if c.parsed.calendar_day == day and _tells_time(c))
            timed = min(same, key=lambda c: c.rank, default=None)
            if timed is not None:
                best = timed
                break
    return _with_zone(best, found) if best.parsed.clock is not None and best.parsed.zone is None else best


def _tells_time(candidate: Candidate) -> bool:
    """Whether a candidate's clock can be the article's."""
    if candidate.parsed.clock is None or candidate.parsed.clock == _MIDNIGHT or candidate.source == "class":
        return False
    if candidate.source == "after_text":
        return candidate.rank < _BEHIND
    return candidate.rank < (_SEEN if candidate.visible else _STATED)


def _with_zone(best: Candidate, found: Iterable[Candidate]) -> Candidate:
    zone = next(_zones(best, found), None)
    return best if zone is None else replace(best, parsed=replace(best.parsed, zone=zone))


def _zones(best: Candidate, found: Iterable[Candidate]) -> Iterator[int]:
    """Zones in which a stamp with a zone is the moment of ``best``, strongest evidence first."""
    here = _moment(best)
    for other in found:
        there, zone = _moment(other), other.parsed.zone
        if here is None or there is None or zone is None:
            continue
        minutes = (here - there) // timedelta(minutes=1) + zone
        in_utc = zone == 0 and other.rank < _STATED
        if minutes == zone or (in_utc and minutes % 30 == 0 and _EARLIEST <= minutes <= _LATEST):
            yield minutes


def _moment(candidate: Candidate) -> datetime | None:
    """Day and clock as written, to the minute."""
    day, clock = candidate.parsed.calendar_day, candidate.parsed.clock
    return datetime(day.year, day.month, day.day, clock[0], clock[1]) if day is not None and clock is not None else None
