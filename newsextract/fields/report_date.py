"""The report date of an article page, from ranked evidence.

Evidence, strongest first: JSON-LD ``datePublished`` of the article object; meta elements; the address; ``<time>`` and
microdata that say "published"; text near the start of the main text, then near its end (Zou & Zhong 2011, §1.2.3);
elements whose class speaks of a date; what feed or sitemap said (*date evidence* has the ranks).
"Published" beats "modified", unless the page shows the latter alone. Stated dates are often in UTC and then differ by
a day from the reader's day: the day in the address, else the visible one, settles that. The whole source is never
searched for dates, and each place only while it may still hold the strongest one.

Time of day and zone are completed from weaker evidence of the page for the same day (*date clock*).

Cost: 0.3 of an lxml parse on the bench's mean page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from operator import attrgetter
from urllib.parse import urlsplit

from newsextract.fields.article_marks import ArticleMarks
from newsextract.fields.date_evidence import (
    COUNTED,
    LINE,
    MAX_BLOCK,
    MAX_BLOCKS,
    TEXTS,
    DateCandidate,
    Reading,
    from_addresses,
    from_json_ld,
    from_meta,
    from_picture,
    from_properties,
    from_texts,
    from_times,
)
from newsextract.fields.dates import parse_dates, reads_month_first, shown_orders
from newsextract.page.metadata import Metadata
from newsextract.results import ReportDate, Surroundings

# --- date clock -----------------------------------------------------------------------------------
# A day without a clock takes that of the strongest evidence that tells the same day: a stated time of publication, or one
# that readers see near the headline; never a comment's or a change's. Midnight to the second is a day that a program wrote
# out. A clock without a zone takes the zone of a stamp of the same moment: one that reads the same, or one in UTC that is
# off by whole half hours, as zones are (22:41 on the page and 02:41Z in its JSON-LD: -04:00).

_CLOCK_STATED, _CLOCK_SEEN = 4.0, 6.0
"""Ranks below these: stated as published; seen by readers and not said to be another's."""
_BEHIND = 4.4
"""The same for texts at the end of the main text, where comments begin: only a first "posted at"."""
_EARLIEST, _LATEST = -12 * 60, 14 * 60
"""Zones, in minutes east of UTC."""
_MIDNIGHT = (0, 0, 0)


def with_clock(
    best: DateCandidate, found: Iterable[DateCandidate], places: Iterable[Iterable[DateCandidate]]
) -> DateCandidate:
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


def _tells_time(candidate: DateCandidate) -> bool:
    """Whether a candidate's clock can be the article's."""
    if candidate.parsed.clock is None or candidate.parsed.clock == _MIDNIGHT or candidate.source == "class":
        return False
    if candidate.source == "after_text":
        return candidate.rank < _BEHIND
    return candidate.rank < (_CLOCK_SEEN if candidate.visible else _CLOCK_STATED)


def _with_zone(best: DateCandidate, found: Iterable[DateCandidate]) -> DateCandidate:
    """The candidate with the zone in which the strongest stamp with a zone is the same moment."""
    here = _moment(best)
    for other in found:
        there, zone = _moment(other), other.parsed.zone
        if here is None or there is None or zone is None:
            continue
        minutes = (here - there) // timedelta(minutes=1) + zone
        in_utc = zone == 0 and other.rank < _CLOCK_STATED
        if minutes == zone or (in_utc and minutes % 30 == 0 and _EARLIEST <= minutes <= _LATEST):
            return replace(best, parsed=replace(best.parsed, zone=minutes))
    return best


def _moment(candidate: DateCandidate) -> datetime | None:
    """Day and clock as written, to the minute."""
    day, clock = candidate.parsed.calendar_day, candidate.parsed.clock
    return datetime(day.year, day.month, day.day, clock[0], clock[1]) if day is not None and clock is not None else None


# --- date -----------------------------------------------------------------------------------------

PUBLISHED_PATTERN = r"\w{4}[-./,年]\w{1,2}[-./,月]\w{1,2}日?"
"""The pattern printed by Zou & Zhong 2011, §1.2.3; for the ``published`` preset of block_statistics."""

_PUBLISHED = re.compile(PUBLISHED_PATTERN)
_STATED = 2.0
"""Ranks below this are dates that the page states as "published"."""
_STRONGEST = {"times": -1.0, "near_text": -1.0, "properties": 2.5, "titled": 2.2, "near_heading": 3.3}
"""The strongest ranks of microdata, of ``title`` attributes and of texts behind the h1; the others are always read."""
_AFTER = 4.2
"""The same of texts at the main text's end."""
_WORST = 99.0
_NEAR = 4.9
"""Ranks below this need no search for class names that speak of dates."""
_ALIKE = 0.5
"""What two dates that are stated alike may differ by in rank."""
_CALLED = 3.7
"""Ranks of texts below this are called a day of publication."""
_PLAIN = 4.0
"""Ranks of texts from here on are not called a day of publication."""
_ABOVE = 4.3
"""Ranks below this are dates marked as such, or in a short text of their own above the main text."""
_SEEN = 6.0
"""Ranks below this are dates that readers see and that nothing says to be another's."""
_LATEST_WEST, _EARLIEST_EAST = 10, 10
"""Hours UTC: before the first it may be the day before in the west (UTC-10), from the second the day after in the east."""
_WEAK = 7.0
"""Ranks from this on are dates that may well mean something else."""
_DESCRIPTION = 300
"""Characters of the page's description that are searched for a date."""
_CHANGED = 8.7
"""Ranks from :data:`_WEAK` up to this are stated days of change."""


def find_date(
    metadata: Metadata,
    surroundings: Surroundings,
    *,
    url: str | None,
    language: str | None,
    fetched_at: datetime | None,
    hint: str | None = None,
    hint_source: str | None = None,
    seen: list[DateCandidate] | None = None,
    is_elsewhere: Callable[[DateCandidate], bool] | None = None,
    marks: ArticleMarks | None = None,
) -> ReportDate | None:
    """The report date, ISO 8601 as precise as the page is; None when nothing says it.

    :param language: ISO 639-1 of the page; order of numeric dates and month names depend on it.
    :param fetched_at: relative dates count from here, and nothing more than a day later is believed. With a zone. None:
        unknown; then relative dates are none, and the future begins now.
    :param hint: the date that feed or sitemap gave, as written.
    :param is_elsewhere: whether a date that readers see is not the article's, but a comment's or another page's.
    :param marks: what the theme marks around the article; read where nothing near the article has a date.
    :param seen: gets the candidates, strongest first; a place whose dates could not win is not read.
    """
    relative = fetched_at is not None
    fetched_at = fetched_at or datetime.now(UTC)
    shown = shown_orders(text[:LINE] for text in (*surroundings.before, *surroundings.after))
    first: bool | None = True in shown if len(shown) == 1 else _month_first(metadata, url, language)
    if first and not shown and reads_month_first(language or ""):
        first = None  # where nothing tells otherwise, dots mean that the day is first
    reading = Reading(language, first, fetched_at, relative)
    places = _Places(metadata, surroundings, reading)
    outside: DateCandidate | None = None
    found = [*from_json_ld(metadata, reading), *from_meta(metadata, reading)]
    found += from_addresses(metadata, url, fetched_at)
    found.sort(key=attrgetter("rank"))
    if is_elsewhere is not None and not any(c.rank < _WEAK for c in found):
        places.is_elsewhere = is_elsewhere
    # Dates that agree, or that are not in UTC, need no look at the page's texts.
    if not (found and found[0].rank < _STATED and _is_settled(found)) or _is_renewed(found):
        # Each place costs a search and is read only where what it may give could still be the strongest.
        for place, strongest in _STRONGEST.items():
            if _best(found) > strongest:
                found += places.read(place)
        if _best(found) > _AFTER:
            found += places.own(from_texts(surroundings.after, 5.0, "after_text", reading))
        if not any(c.rank < _NEAR and c.parsed.day for c in found):
            found += places.own(from_times(metadata.dated, reading, 4.5, "class"))
            card = reading.text(marks.card[0])[:1] if marks is not None else ()
            found += (DateCandidate(parsed, "near_text", 4.5) for parsed in card)
        stamp = reading.stamp(hint) if hint else None
        if stamp is not None:
            rank = COUNTED if _is_told_of(found) else 6.0
            found.append(outside := DateCandidate(stamp, hint_source or "hint", rank))
        if relative and outside is None and _is_told_of(found):
            found += _counted_back(surroundings, reading)
        if not any(c.rank < _WEAK for c in found):
            found += places.own(from_texts(surroundings.before, 8.0, "near_text", reading, relative=True))
            after = from_texts(surroundings.after, 9.0, "after_text", reading, relative=True)
            found += places.own(c for c in after if c.rank < 9.0)  # "Published: yesterday"
            description = metadata.first("description", "og:description")
            found += from_texts((description[:_DESCRIPTION],) if description else (), 9.0, "meta:description", reading)
            found += from_picture(metadata, fetched_at)
        found.sort(key=attrgetter("rank"))
    found = [c for c in found if c.parsed.month is not None]
    best = _shown(found) if found else None
    while best is not None and best.visible and is_elsewhere is not None and is_elsewhere(best):
        found = [c for c in found if c is not best]
        best = _shown(found) if found else None
    if seen is not None:
        seen += found
    if best is None:
        return None
    best = _settle_day(_with_month(best, found, first), found)
    # Clock and zone are the page's own: whether a feed was read before the page does not change a record.
    best = with_clock(best, [c for c in found if c is not outside], places.in_order())
    return best.parsed.report(best.source)


def _is_told_of(found: list[DateCandidate]) -> bool:
    """Whether the page shows dates amid its prose or days of change, and no others."""
    strong = [c for c in found if c.rank < _WEAK]
    return bool(strong) and all(c.visible and (c.is_change or (not c.is_line and c.source in TEXTS)) for c in strong)


def _counted_back(surroundings: Surroundings, reading: Reading) -> list[DateCandidate]:
    """The date of a line above the text that counts from now ("2 years, 9 months ago"); none where lines count differently,
    as teasers do."""
    lines = (text for text in surroundings.before if len(text) <= LINE)
    found = [c for c in from_texts(lines, 0.0, "near_text", reading, relative=True) if c.parsed.relative]
    if len({c.parsed.evidence for c in found}) != 1:
        return []
    return [replace(found[0], rank=COUNTED)]


class _Places:
    """The places of a page where readers see its date, each read once, when asked for."""

    def __init__(self, metadata: Metadata, surroundings: Surroundings, reading: Reading) -> None:
        ends = metadata.heading_ends
        self._candidates: dict[str, Callable[[], Iterable[DateCandidate]]] = {
            "times": lambda: from_times(metadata.times, reading, headings=ends),
            "titled": lambda: from_times(metadata.titled, reading, source="title", headings=ends),
            "near_text": lambda: from_texts(surroundings.before, 4.0, "near_text", reading),
            "near_heading": lambda: from_texts(metadata.bylines, 4.1, "near_h1", reading),
            "properties": lambda: from_properties(metadata, reading),
        }
        self._read: dict[str, list[DateCandidate]] = {}
        self.is_elsewhere: Callable[[DateCandidate], bool] | None = None

    def own(self, candidates: Iterable[DateCandidate]) -> list[DateCandidate]:
        """Those that are not known to be another's."""
        return [c for c in candidates if self.is_elsewhere is None or not self.is_elsewhere(c)]

    def read(self, place: str) -> list[DateCandidate]:
        """The candidates of one place."""
        if place not in self._read:
            self._read[place] = self.own(self._candidates[place]())
        return self._read[place]

    def in_order(self) -> Iterator[list[DateCandidate]]:
        """All of them, the cheapest first."""
        return map(self.read, self._candidates)


def published_date(blocks: Iterable[str], fetched_at: datetime) -> ReportDate | None:
    """The first match of the paper's pattern that is a possible date (the ``published`` preset).

    The pattern reads blocks without their white space, which §1.2.1 deletes.
    """
    for number, block in enumerate(blocks):
        if number >= MAX_BLOCKS:
            break
        places = [place for place, character in enumerate(block[:MAX_BLOCK]) if not character.isspace()]
        for match in _PUBLISHED.finditer("".join(block[place] for place in places)):
            # The pattern says where; what stands there may be longer (二十五日 has three numerals, a time has its space).
            after = places[match.end() - 1] + 1
            written = match.group().replace(",", "-") + block[after : after + 40]
            found = parse_dates(written, language="zh", fetched_at=fetched_at, relative=False)
            if found and found[0].start == 0 and found[0].day is not None:
                return found[0].report("near_text")
    return None


def _best(found: list[DateCandidate]) -> float:
    """The strongest rank so far."""
    return min((candidate.rank for candidate in found), default=_WORST)


def _is_settled(found: list[DateCandidate]) -> bool:
    """Whether the best date needs no visible date beside it: not UTC, or the same day as in the address."""
    best = found[0].parsed
    if best.day is None:
        return False
    address = next((c.parsed for c in found if c.source == "url" and c.parsed.day), None)
    return address is not None or (best.zone is not None and best.zone != 0)


def _is_renewed(found: list[DateCandidate]) -> bool:
    """Whether the page states a day of change that lies more than a day behind its day of publication."""
    days = [c.parsed.calendar_day for c in found if c.rank < _STATED]
    return bool(days) and days[0] is not None and any(abs((there - days[0]).days) > 1 for there in _changed(found))


def _changed(found: list[DateCandidate]) -> list[date]:
    """Stated days of change."""
    days = (c.parsed.calendar_day for c in found if _WEAK <= c.rank < _CHANGED and not c.visible)
    return [day for day in days if day is not None]


def _shown(found: list[DateCandidate]) -> DateCandidate:
    """The strongest candidate, or what the page shows above its text where that contradicts it."""
    best = found[0]
    day = best.parsed.calendar_day
    if best.source == "near_text" and best.rank >= _PLAIN:
        return _headed(found)
    if best.source == "url" and day is not None:
        return _of_month(best, day, found)
    if best.rank >= _STATED or day is None:
        return best
    seen = [(c, there) for c in found if c.visible and c.rank < _SEEN and (there := c.parsed.calendar_day) is not None]
    days = {there for _, there in seen}
    if day not in days:  # of two days that are stated alike the one that readers see
        alike = (c for c in found if c.rank < best.rank + _ALIKE and c.rank < _STATED and c.parsed.calendar_day in days)
        best = next(alike, best)
        day = best.parsed.calendar_day or day
    if not seen or any(abs((there - day).days) <= 1 for there in days):
        return best
    first, earliest = seen[0]
    above = [(c.source, there) for c, there in seen if c.rank < _ABOVE]
    if len({there for _, there in above}) == 1 and len({source for source, _ in above}) > 1:
        return first  # an element that is marked as a date, and the text around it
    changed = _changed(found)
    if earliest < day and first.is_line and first.rank < _ABOVE and any(abs((other - day).days) <= 2 for other in changed):
        return first  # the day when the whole site was published again is stated for both
    called = {c.parsed.calendar_day for c in found if c.is_change}  # shown as the day of a change, not of publication
    shown = (c for c, there in seen if there not in called and any(abs((there - other).days) <= 1 for other in changed))
    return next(shown, best)


def _of_month(best: DateCandidate, day: date, found: list[DateCandidate]) -> DateCandidate:
    """The date of the address, or another day that lines above the text show: the first that they call a day of publication,
    or the only one, of the same month, because ``/2023/11/3-fog`` may number the month's posts."""
    lines = [c for c in found if c.is_line and not c.is_change and c.rank < _ABOVE and c.parsed.calendar_day]
    called = [c for c in found if c.source in TEXTS and c.rank < _CALLED and c.parsed.calendar_day]
    first = min(called, key=lambda c: c.parsed.calendar_day or day, default=None)
    if first is not None and first.parsed.calendar_day is not None and abs((first.parsed.calendar_day - day).days) > 1:
        return first
    other = lines[0].parsed.calendar_day if len({c.parsed.calendar_day for c in lines}) == 1 else None
    return lines[0] if other and other != day and (other.year, other.month) == (day.year, day.month) else best


def _headed(found: list[DateCandidate]) -> DateCandidate:
    """Of several days around the main text the one that stands behind the h1, too."""
    near = {c.parsed.calendar_day for c in found if c.source == "near_text" and c.rank < _SEEN}
    behind = (c for c in found if c.source == "near_h1" and c.rank < _NEAR and c.parsed.day)
    first = next(behind, found[0])
    return first if first.parsed.calendar_day in near else found[0]


def _settle_day(best: DateCandidate, found: list[DateCandidate]) -> DateCandidate:
    """The candidate whose day counts where the stated day and the address's or the visible day are one apart."""
    day = best.parsed.calendar_day
    if day is None or best.visible or best.source == "url":
        return best
    in_utc = best.parsed.clock is not None and not best.parsed.zone  # no zone: often UTC, too
    for wanted in ("url", "visible") if in_utc else ("url",):
        others = [c for c in found if (c.source == "url" if wanted == "url" else c.visible and c.rank < _SEEN)]
        days = [c.parsed.calendar_day for c in others]
        if day in days:
            return best
        for other, there in zip(others, days, strict=True):
            if there is not None and abs((there - day).days) == 1 and _may_be_local(best, (there - day).days):
                return other
    return best


def _may_be_local(stated: DateCandidate, step: int) -> bool:
    """Whether a local day may differ by ``step`` (1 or -1) from a stated day: by the hour where that is in UTC."""
    parsed = stated.parsed
    if parsed.clock is None or parsed.zone != 0:
        return True
    return parsed.clock[0] < _LATEST_WEST if step < 0 else parsed.clock[0] >= _EARLIEST_EAST


def _with_month(best: DateCandidate, found: list[DateCandidate], month_first: bool | None) -> DateCandidate:
    """A numeric date of unclear order whose day is the month of the address: read the other way round."""
    month = next((c.parsed for c in found if c.source == "url" and c.parsed.day is None), None)
    parsed = best.parsed
    if month is None or parsed.day is None or parsed.month == month.month or not best.visible:
        return best
    if "." in parsed.evidence and month_first is False and not parsed.evidence.lstrip("0").startswith(f"{parsed.month}."):
        return best  # the day is first, as nearly everywhere where days have dots
    if (parsed.year, parsed.day) != (month.year, month.month) or parsed.month is None:
        return best
    return replace(best, parsed=replace(parsed, month=parsed.day, day=parsed.month))


def _month_first(metadata: Metadata, url: str | None, language: str | None) -> bool:
    """Order of numeric dates: by html lang and og:locale, else by language and the ending of the domain.

    A site that says it is not in English writes dates its own way above an English text, too.
    """
    if metadata.html_lang and not reads_month_first(metadata.html_lang):
        return False
    for tag in (metadata.html_lang, metadata.first("og:locale")):
        if tag and "-" in tag.replace("_", "-") and tag[:2].lower() == (language or tag)[:2].lower():
            return reads_month_first(tag)
    try:
        host = urlsplit(url or metadata.canonical or "").hostname or ""
    except ValueError:
        host = ""  # not an address; the language alone decides
    return reads_month_first(f"{language or metadata.html_lang or 'en'}-{host.rpartition('.')[2]}")
