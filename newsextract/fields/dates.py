"""Dates in running text, metadata values and addresses → ISO 8601, as precise as they are written.

Forms: ISO 8601 (RFC 3339 too, compact too), RFC 5322, year-month-day with CJK units or Chinese numerals, era years,
numeric dates with day or month first, month names of about thirty languages, times in 12 and 24 hours with zones,
relative dates ("2 hours ago", "昨天 08:30"), epoch seconds and milliseconds. Words stand in ``data/dates.toml``.

Cost: text without a year or a relative word is left after two searches; otherwise only windows around years are
matched, so that cost is linear in the length of the text with a small factor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from newsextract.fields.date_patterns import (
    CJK,
    COMPACT,
    DAY_MONTH,
    DIGITS,
    DMY,
    EPOCH,
    ISO,
    MONTH,
    MONTH_DAY,
    NUMBER,
    WIDE,
    WIDE_SEEN,
    YEAR,
    YEAR_MONTH_DAY,
    YMD,
    clock_patterns,
    months,
    reads_month_first,
    relative_amounts,
    relative_pattern,
    relative_words,
    words,
)
from newsextract.fields.parsed_date import TOO_LATE, ParsedDate, checked

MAX_TEXT = 4_000
"""Characters of one text that are searched."""
MAX_DATES = 40


def parse_dates(
    text: str,
    *,
    language: str | None,
    fetched_at: datetime,
    month_first: bool | None = None,
    relative: bool = True,
) -> list[ParsedDate]:
    """All dates in a text (its first :data:`MAX_TEXT` characters), in order; future and impossible ones left out.

    :param language: ISO 639-1 or a longer tag such as ``en-GB``; decides month names and order of numbers.
    :param fetched_at: relative dates count from here; more than a day later is the future. With a zone.
    :param month_first: order of 03/04/2010; None: by ``language``.
    :param relative: whether to look for relative dates, in the page's language (all, if unknown) and English.
    """
    text = text[:MAX_TEXT]
    if WIDE_SEEN.search(text):
        text = text.translate(WIDE)
    code = (language or "").lower().replace("_", "-")
    first = reads_month_first(code) if month_first is None else month_first
    reader = _Reader(text, code[:2], first, fetched_at)
    found = list(reader.absolute()) if NUMBER.search(text) else []
    if relative:
        found += reader.relative()
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[ParsedDate] = []
    for one in found[: 4 * MAX_DATES]:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif kept[-1].day is None and one.day is not None:
            kept[-1] = one
    return kept[:MAX_DATES]


def parse_stamp(
    value: str, *, language: str | None, fetched_at: datetime, month_first: bool | None = None, relative: bool = True
) -> ParsedDate | None:
    """One date that is the whole of a metadata value: ISO 8601, epoch, else the first date in it; as :func:`parse_dates`."""
    value = value[:200]
    match = ISO.match(value)
    if match is not None:
        found = _built(match, fetched_at, language)
        if found is not None:
            return found
    epoch = EPOCH.match(value)
    if epoch is not None:
        seconds = int(epoch.group(1)) / (1000 if len(epoch.group(1)) == 13 else 1)
        moment = datetime.fromtimestamp(seconds, UTC)
        clock = (moment.hour, moment.minute, moment.second)
        return checked(_at(epoch, (moment.year, moment.month, moment.day), clock, 0), fetched_at)
    dates: list[ParsedDate] = []
    for counted in (False, True)[: 1 + relative]:  # a value that holds a date is not searched for "2 hours ago"
        dates = dates or parse_dates(
            value, language=language, fetched_at=fetched_at, month_first=month_first, relative=counted
        )
    return next((one for one in dates if one.day is not None), dates[0] if dates else None)


class _Reader:
    """The dates of one text."""

    def __init__(self, text: str, language: str, month_first: bool, fetched_at: datetime) -> None:
        self.text = text
        self.language = language
        self.month_first = month_first
        self.fetched_at = fetched_at

    def absolute(self) -> Iterator[ParsedDate]:
        """Dates with a year, from windows around the years."""
        last = 0
        for number, hit in enumerate(YEAR.finditer(self.text)):
            if number >= MAX_DATES:
                return
            low, high = max(last, hit.start() - 45), hit.end() + 30
            for found in self._window(low, hit.end(), high):
                last = max(last, found.end)
                yield self._with_clock(found)

    def _window(self, low: int, year_end: int, high: int) -> Iterator[ParsedDate]:
        for pattern, limit in (
            (CJK, high), (YMD, high), (DAY_MONTH, year_end), (MONTH_DAY, year_end), (DMY, year_end),
            (COMPACT, year_end), (YEAR_MONTH_DAY, high), (MONTH, year_end),
        ):  # fmt: skip
            for match in pattern.finditer(self.text, low, min(limit, len(self.text))):
                found = self._read(match)
                if found is not None:
                    yield found
                    return

    def _read(self, match: re.Match[str]) -> ParsedDate | None:
        given = match.groupdict()
        month: int | None
        if given.get("n"):
            month = months(self.language).get(given["n"].lower())
            if month is None:
                return None
            day = given.get("d") or given.get("d1") or given.get("d2")
            year = _year(given["y"])
        elif given.get("a"):
            first, second = int(given["a"]), int(given["b"])
            year = _year(given["y"])
            day_, month = (second, first) if self.month_first else (first, second)
            if month > 12 or self._future(year, month, day_):
                day_, month = month, day_
            return self._make(match, year, month, day_)
        elif given.get("era"):
            year = int(words()["eras"][given["era"]]) + (1 if given["eray"] == "元" else int(given["eray"]))
            month, day = _number(given["m"]), given["d"]
        else:
            year, month, day = _number(given["y"]), _number(given["m"]), given["d"]
        found = self._make(match, year, month, _number(day) if day else None)
        if found is not None and given.get("h"):
            zone = _zone(given["z"], self.language)
            return checked(replace(found, clock=_time(given["h"], given["i"], given["q"], None), zone=zone), self.fetched_at)
        return found

    def _future(self, year: int, month: int, day: int) -> bool:
        try:
            return date(year, month, day) > (self.fetched_at + TOO_LATE).date()
        except ValueError:
            return True

    def _make(self, match: re.Match[str], year: int, month: int | None, day: int | None) -> ParsedDate | None:
        return checked(_at(match, (year, month, day)), self.fetched_at)

    def _with_clock(self, found: ParsedDate) -> ParsedDate:
        """The same date with the time of day that stands beside it."""
        if found.day is None or found.clock is not None:
            return found
        after, before = clock_patterns()
        match = after.match(self.text, found.end, found.end + 60)
        end = match.end() if match else found.end
        if match is None:
            low = max(0, found.start - 40)
            match = before.search(self.text[low : found.start])
            if match is None:
                return found
        given = match.groupdict()
        clock = _time(given["h"], given["i"] or given["i2"], given["q"], given["p"] or given["p2"])
        if clock is None:
            return found
        zone = _zone(given["z"], self.language)
        evidence = self.text[found.start : end] if end > found.end else f"{match.group()}{found.evidence}"
        timed = replace(found, clock=clock, zone=zone, end=end, evidence=evidence.strip())
        return checked(timed, self.fetched_at) or found

    def relative(self) -> Iterator[ParsedDate]:
        """Dates that count from the time of fetch."""
        units, today, yesterday = relative_words(self.language)
        for number, match in enumerate(relative_pattern(self.language).finditer(self.text)):
            if number >= MAX_DATES:
                return
            phrase = match.group().lower()
            try:
                if phrase in today or phrase in yesterday:
                    moment = self.fetched_at - timedelta(days=phrase in yesterday)
                    found = self._with_clock(_at(match, (moment.year, moment.month, moment.day), relative=True))
                else:
                    amounts = [one.group() for one in relative_amounts(self.language).finditer(phrase)]
                    counts = {
                        unit: int(digits.group()) if (digits := re.search(r"\d+", amount)) else 1
                        for amount in amounts
                        if (unit := _unit(amount, units)) is not None
                    }
                    if not counts:
                        continue
                    found = _back(self.fetched_at, counts, match)
            except (OverflowError, ValueError):
                continue  # reason: before the year 1, there is no date
            yield found


def _unit(amount: str, units: dict[str, str]) -> str | None:
    """The unit of "3 years"."""
    return next((units[word] for word in sorted(units, key=len, reverse=True) if word in amount), None)


def _back(now: datetime, counts: dict[str, int], match: re.Match[str]) -> ParsedDate:
    """The date so many units before ``now``, as precise as the smallest of them."""
    months = 12 * now.year + now.month - 1 - 12 * counts.get("year", 0) - counts.get("month", 0)
    then = now.replace(year=months // 12, month=months % 12 + 1, day=min(now.day, 28)) + timedelta(days=max(0, now.day - 28))
    then -= timedelta(days=counts.get("day", 0), weeks=counts.get("week", 0), hours=counts.get("hour", 0))
    then -= timedelta(minutes=counts.get("minute", 0), seconds=counts.get("second", 0))
    if counts.keys() <= {"year", "month"}:
        return _at(match, (months // 12, months % 12 + 1 if "month" in counts else None, None), relative=True)
    if counts.keys() <= {"year", "month", "week", "day"}:
        return _at(match, (then.year, then.month, then.day), relative=True)
    offset = then.utcoffset()
    zone = int(offset.total_seconds()) // 60 if offset is not None else None
    return _at(match, (then.year, then.month, then.day), (then.hour, then.minute, None), zone, relative=True)


def _at(
    match: re.Match[str],
    day: tuple[int, int | None, int | None],
    clock: tuple[int, int, int | None] | None = None,
    zone: int | None = None,
    *,
    relative: bool = False,
) -> ParsedDate:
    """The date that a match gives."""
    return ParsedDate(*day, clock, zone, match.start(), match.end(), match.group().strip(), relative)


def _built(match: re.Match[str], fetched_at: datetime, language: str | None) -> ParsedDate | None:
    given = match.groupdict()
    day = (int(given["y"]), int(given["m"]) if given["m"] else None, int(given["d"]) if given["d"] else None)
    clock = _time(given["h"], given["i"], given["q"], None) if given["h"] else None
    return checked(_at(match, day, clock, _zone(given["z"], language or "") if clock else None), fetched_at)


def _year(written: str) -> int:
    digits = written.lstrip("'’")
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (2000 if int(digits) < 70 else 1900)


def _number(written: str) -> int:
    """A number in digits or Chinese numerals: positional (二零一零) or with tens (二十五)."""
    if written.isdecimal():
        return int(written)
    if "十" in written:
        tens, _, ones = written.partition("十")
        return DIGITS.get(tens, 1 if not tens else 99) * 10 + (DIGITS.get(ones, 99) if ones else 0)
    return int("".join(str(DIGITS.get(c, 9)) for c in written))


def _time(hour: str, minute: str | None, second: str | None, half: str | None) -> tuple[int, int, int | None] | None:
    h, m, s = int(hour), int(minute or 0), int(second) if second else None
    if half:
        lists = words()["words"]
        if half.lower() in lists["after_noon"] and h < 12:
            h += 12
        elif half.lower() in lists["before_noon"] and h == 12:
            h = 0
    if h == 24 and m == 0:
        h = 0
    return (h, m, s) if h < 24 and m < 60 and (s is None or s < 60) else None


def _zone(written: str | None, language: str) -> int | None:
    """Minutes east of UTC for ``Z``, ``+0800``, ``GMT+8``, ``EST``; None when unknown."""
    if not written:
        return None
    name = written.strip().upper()
    number = re.search(r"([+-])(\d{1,2}):?(\d\d)?$", name)
    if number is not None:
        minutes = int(number.group(2)) * 60 + int(number.group(3) or 0)
        return (-minutes if number.group(1) == "-" else minutes) if minutes <= 14 * 60 else None
    if name == "CST":
        return int(words()["cst"]["zh" if language[:2] == "zh" else "other"])
    offset = words()["zones"].get(name)
    return int(offset) if offset is not None else None
