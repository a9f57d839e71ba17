"""Dates in running text, metadata values and addresses → ISO 8601, as precise as they are written.

Forms: ISO 8601 (RFC 3339 too, compact too), RFC 5322, year-month-day with CJK units or Chinese numerals, era years,
numeric dates with day or month first, month names of about thirty languages, times in 12 and 24 hours with zones,
relative dates ("2 hours ago", "昨天 08:30"), epoch seconds and milliseconds. Words stand in ``data/dates.toml``.

Cost: text without a year or a relative word is left after two searches; otherwise only windows around years are
matched, so that cost is linear in the length of the text with a small factor.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache, partial
from typing import Any

from newsextract.model_files import alternatives, data_table
from newsextract.records.leaves import MAX_DATE, text_kind
from newsextract.results import Precision, ReportDate

# --- parsed date ----------------------------------------------------------------------------------

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


# --- date patterns --------------------------------------------------------------------------------
# Every pattern is matched only in a window of at most some hundred characters around what :data:`YEAR` found, and none has
# an unbounded repetition but of white space at the ends of a metadata value.

_DIGIT_ROWS = "٠۰०০૦೦๐"
"""The zeros of Arabic, Persian, Devanagari, Bengali, Gujarati, Kannada and Thai digits."""
WIDE = str.maketrans("０１２３４５６７８９：／－．〇○Ｏ\xa0\u2009\u202f", "0123456789:/-.零零零   ") | {
    ord(zero) + n: str(n) for zero in _DIGIT_ROWS for n in range(10)
}
WIDE_SEEN = re.compile("[０-９：／－．〇○Ｏ\xa0\u2009\u202f٠-٩۰-۹०-९০-৯૦-૯೦-೯๐-๙]")
DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2}
NUMBER = re.compile(r"\d\d|年")
YEAR = re.compile(
    # What a date may be recognised by. It starts with a character class, which the engine searches for fast.
    r"[0-9一二元'’](?<![0-9][0-9])(?:(?<=1)99[0-9](?![0-9])|(?<=2)0[0-9]{2}(?![0-9])"
    r"|(?<=[12])(?:99|0[0-9])[0-9][01][0-9][0-3][0-9](?![0-9])|(?<=[0-9元])[0-9]{0,2}\s?年"
    r"|(?<=[一二])[零九][零一二三四五六七八九]{2}\s?年|(?<=['’])[0-9]{2}(?![0-9])"
    r"|(?<=[0-9])(?<![.,/:-][0-9])[0-9]?(?:([./-])[0-9]{1,2}\1[0-9]{2}(?![0-9.,/:-]?[0-9])|([/-])[^\W\d_]{3}\2[0-9]{2}(?![0-9])))"
)
_NUMERAL = "[零一二三四五六七八九十]"
CJK = re.compile(
    rf"(?:(?P<era>民國|民国|昭和|平成|令和)\s?(?P<eray>\d{{1,3}}|元)|(?P<y>\d{{4}}|[零一二三四五六七八九]{{4}}))\s?[年년][度]?\s?"
    rf"(?P<m>\d{{1,2}}|{_NUMERAL}{{1,3}})\s?[月월]\s?(?:(?P<d>\d{{1,2}}|{_NUMERAL}{{1,4}})\s?[日号號일]?)?"
)
YMD = re.compile(
    r"(?<![\d.,])(?P<y>\d{4})\s?(?P<s>[-/._年])\s?(?P<m>\d{1,2})\s?(?:(?P=s)|月)\s?(?P<d>\d{1,2})日?(?!\d|\s?%)"
)
COMPACT = re.compile(r"(?<![\d.,/=_-])(?P<y>(?:199|20\d)\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?!\d)")
DMY = re.compile(
    r"(?<![\d.,/-])(?<!\d:)(?<!\b[HRS])(?P<a>\d{1,2})\s?(?P<s>[-/.|])\s?(?P<b>\d{1,2})\s?(?P=s)\s?(?P<y>\d{4}|\d\d(?![.,/:-]?\d))(?!\d|\s?%)"
)
_WORD = r"[^\W\d_]{3,14}"
_SECOND_NAME = "(?:/[\u0621-\u064a]{3,10}(?:\\s[\u0621-\u064a]{4,8})?)?"
"""Arabic pages write a month in both of its names: "آذار/مارس"."""
DAY_MONTH = re.compile(
    rf"(?<![\d.,/])(?<!\d:)(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|re|º|°|:e|-го)?(?:\.?\s?(?:(?:de|of|di)\s|d['’])|[\s.,/-]{{0,3}})"
    rf"(?P<n>{_WORD}){_SECOND_NAME}(?:\.?[,،]?\s{{0,2}}(?:de\s|del\s|of\s|do\s)?|[-/.])(?P<y>\d{{4}}|['’]\d\d|(?<=[/-])\d\d)(?!\d|:\d)"
)
MONTH_DAY = re.compile(
    rf"(?<![^\W\d_])(?P<n>{_WORD})\.?[\s-]{{0,2}}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s?[,./-]\s{{0,2}}|\s{{1,2}})"
    r"(?:(?P<h>\d{1,2}):(?P<i>\d\d)(?::(?P<q>\d\d))?\s(?P<z>[A-Z]{3,4}|[+-]\d{4})?\s{0,2})?(?P<y>\d{4}|['’]\d\d)(?!\d|:\d)"
)
YEAR_MONTH_DAY = re.compile(
    rf"(?<!\d)(?P<y>\d{{4}})(?:\.\s?(?:gada\s|gads\s)?|\s(?:m\.\s)?|[-,]\s?)(?:(?P<d1>\d{{1,2}})\.\s?)?(?P<n>{_WORD})(?:\.?[\s-](?P<d2>\d{{1,2}})(?!\d))?"
)
MONTH = re.compile(rf"(?<![^\W\d_])(?<!\d\s)(?<!\d\.\s)(?P<n>{_WORD})(?:\.?,?\s(?:de\s|del\s|of\s)?|-)(?P<y>\d{{4}})(?!\d)")
ISO = re.compile(
    r"\s*(?P<y>\d{4})(?:-?(?P<m>\d\d)(?:-?(?P<d>\d\d)(?:(?:[T\s_]\s*|(?<=\d\d)-|(?<=\d{8}))(?P<h>\d\d):?(?P<i>\d\d)(?::?(?P<q>\d\d)"
    r"(?:[.,]\d{1,9})?)?\s?(?P<z>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?)?)?\s*$",
    re.IGNORECASE,
)
_OTHER_SCRIPT = re.compile("[\u0621-\u06f9\u0900-\u0d7f\u0e01-\u0e59]|tháng")
_NAMED_FIRST = re.compile(r"(?<![^\s(])(?P<n>[^\s\d,.]{1,12})\.?\s(?P<d>\d{1,2}),?\s(?P<y>\d{4})(?!\d)")
_CALENDARS = (
    (re.compile(r"(?<!\d)(?P<y>1[34]\d\d)(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?!\d)"), "fa"),
    (re.compile(r"(?<!\d)(?P<d>\d{1,2})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<y>25\d\d)(?!\d)"), "th"),
    (re.compile(r"(?<!\d)(?P<y>25\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?!\d)"), "th"),
)
"""Numeric dates with Persian and Buddhist years."""
_CJK_WEEKDAY = re.compile("\\s?[(（][月火水木金土日一二三四五六월화수목금토일][)）]")
EPOCH = re.compile(r"\s*(\d{10}|\d{13})(?:\.\d{1,6})?\s*$")
_ZONE = r"(?P<z>Z(?![a-zA-Z])|(?:UTC|GMT)?\s?[+-]\d{1,2}(?::?\d\d)?(?![\d/.-])|[A-Z]{2,4}(?![A-Za-z])|[Мм][Сс][Кк])"


def reads_month_first(language: str) -> bool:
    """Whether 03/04/2010 is the 4th of March in a language tag (``en-us``, ``en``)."""
    order = words()["order"]
    parts = language.lower().replace("_", "-").split("-")
    return parts[0] in order["month_first_languages"] and not any(p in order["day_first_regions"] for p in parts[1:])


_NUMERIC = re.compile(
    r"(?:\b(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? ?)?"
    r"(?<![\d./-])(?P<a>\d{1,2})(?P<sign>[/.-])(?P<b>\d{1,2})(?P=sign)(?P<y>[12]\d{3})(?!\d)",
    re.IGNORECASE,
)
"""A numeric date with its year at the end, and the day of the week before it."""
_YEAR_BEHIND = re.compile(r"[/.-][12]\d{3}")
"""Is in each of them, and searched in a tenth of the time."""
_LEAST_SAME = 4
"""Dates with the same month, at least, that tell where it stands."""
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def shows_month_first(texts: Iterable[str]) -> bool | None:
    """Whether numeric dates have the month first; None where :func:`shown_orders` has no answer, or two."""
    shown = shown_orders(texts)
    return shown.pop() if len(shown) == 1 else None


def shown_orders(texts: Iterable[str]) -> set[bool]:
    """Whether the numeric dates that can be read in one way only (25/12/2025, Sun 12/01/2024) have the month first."""
    shown: set[bool] = set()
    lines = "\0".join(texts)
    for match in _NUMERIC.finditer(lines) if _YEAR_BEHIND.search(lines) else ():
        first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
        orders = [(True, first, second), (False, second, first)]
        fits = [order for order, month, day in orders if _fits(year, month, day, match["weekday"])]
        shown.update(fits if len(fits) == 1 else ())
    return shown


def likely_month_first(texts: Iterable[str]) -> bool | None:
    """Whether numeric dates that can be read in both ways are likely to have the month first: posts of a thread are rather
    of several days of a month (05/03/2024, 06/03/2024, 08/03/2024 …) than of the same day of several months.

    :returns: None where there are few of them, or nothing tells; the first of several months is not unusual.
    """
    lines = "\0".join(texts)
    found = {(int(m["a"]), int(m["b"]), m["y"]) for m in _NUMERIC.finditer(lines)} if _YEAR_BEHIND.search(lines) else set()
    days_first = max(Counter((second, year) for _, second, year in found if second > 1).values(), default=0)
    months_first = max(Counter((first, year) for first, _, year in found if first > 1).values(), default=0)
    if max(days_first, months_first) < _LEAST_SAME or 2 * min(days_first, months_first) > max(days_first, months_first):
        return None
    return months_first > days_first


def _fits(year: int, month: int, day: int, weekday: str | None) -> bool:
    """Whether a month has a day, on that day of the week."""
    if not 1 <= month <= 12 or not 1 <= day <= monthrange(year, month)[1]:
        return False
    return weekday is None or _WEEKDAYS[date(year, month, day).weekday()] == weekday.lower()


@cache
def words() -> dict[str, Any]:
    """The word lists of ``data/dates.toml``."""
    return data_table("fields/data/dates.toml")


@cache
def months(language: str) -> dict[str, int]:
    """Month names: the language's own, English, then all others whose meaning is the same everywhere."""
    tables = {code: _month_table(line) for code, line in words()["months"].items()}
    merged: dict[str, int | None] = {}
    for table in tables.values():
        for name, number in table.items():
            merged[name] = number if merged.get(name, number) == number else None
    sure = {name: number for name, number in merged.items() if number is not None}
    return sure | tables["en"] | tables.get("no" if language in ("nb", "nn") else language, {})


def _month_table(line: str) -> dict[str, int]:
    return {name: number for number, group in enumerate(line.split(","), 1) for name in group.split()}


@cache
def _named_day() -> re.Pattern[str]:
    """A day in the months of scripts whose vowel signs are no letters, of two words, or of a calendar with other years."""
    return re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:\s|-)?(?P<n>{alternatives(_script_months())})(?:\sماه)?{_SECOND_NAME}(?:\.?[,،]?\s|-)?(?:พ\.ศ\.\s?|सन्\s|năm\s)?"
        rf"(?P<y>\d{{4}}|(?<=\.\s)\d\d)(?!\d)"
    )


@cache
def _script_months() -> dict[str, tuple[str, int]]:
    """Month names → calendar and number."""
    tables = words()["script_months"]
    return {name.replace("_", " "): (code, number) for code in tables for name, number in _month_table(tables[code]).items()}


def from_persian(year: int, month: int, day: int) -> date:
    """A day of the Persian solar calendar; exact for 1343 to 1472.

    :raises ValueError: there is no such day.
    """
    if not (1 <= month <= 12 and 1 <= day <= (31 if month < 7 else 30) and 1300 <= year < 1500):
        raise ValueError("no day of the Persian calendar")
    passed = 31 * (month - 1) - max(0, month - 7)
    leap_years = (8 * (year - 1) + 29) // 33
    return date(622, 3, 21) + timedelta(days=365 * (year - 1) + leap_years + passed + day - 1)


@cache
def clock_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Time of day: anchored behind a date, and searched just before one."""
    lists = words()["words"]
    half, between = alternatives(lists["before_noon"] + lists["after_noon"]), alternatives(lists["before_time"])
    marked = r"(?=\s?(?:Uhr|uhr|uur|hod|[aApP]\.?\s?[mM]|Ora|WIB|WIT|GMT|น\.|h\b))"
    alone = r"(?:(?<=\s\d\d\.\d\d)(?=\s?(?:$|[\n|)•·]))|(?<=\s0\d\.\d\d)(?![.,%\d]))"

    def clock(dotted: str) -> str:
        return (
            rf"(?:(?P<p>{half})\s?)?(?P<h>\d{{1,2}})(?:\s?[:h时時點点시]\s?(?P<i>\d\d)(?:\s?[:分분]\s?(?P<q>\d\d)(?:\.\d{{1,9}}|秒)?)?[分분]?"
            rf"|\.(?P<i2>\d\d){dotted}|(?=\s?[aApP]\.?\s?[mM]\b))"
            rf"\s?(?P<p2>(?i:{half})(?![a-z\u0370-\u06ff\u0900-\u0fff]))?(?:\s?(?:Uhr|uhr|h\b|hrs|น\.)?\s?\(?{_ZONE})?"
        )

    weekday = (
        rf"(?!\s?(?:{half}))(?:\s?[(（]?(?:星期|周|週)[一二三四五六日天][)）]?|\s?[(（][月火水木金土日월화수목금토일][)）]"
        r"|,?\s(?:\([^\W\d_]{2,10}\)|[^\W\d_]{1,10}[.,]?(?=\s\d|,\s|\s(?:o|о|в|godz)\b)))"
    )
    # A time with a dot ("09.30") may be a price: a word before or behind it says what it is, or it ends the line.
    after = re.compile(
        rf"\.?(?:{weekday})?[\s,،|·•T@/–—-]{{0,6}}(?P<at>(?i:{between})\s{{1,2}})?{clock(f'(?(at)(?![.0-9])|(?:{marked}|{alone}))')}"
    )
    before = re.compile(
        rf"(?<![\d:.]){clock(marked)}\)?[\s,|·•/–—-]{{0,5}}(?:(?:on|am|le|el|em|in)\s{{1,2}})?(?:[^\W\d_]{{2,10}}[,.]?\s{{1,2}})?(?:the\s)?$"
    )
    return after, before


def _relative_tables(language: str) -> list[dict[str, Any]]:
    tables, code = words()["relative"], "no" if language in ("nb", "nn") else language
    return [tables[code], tables["en"]] if code in tables else list(tables.values())


def _listed(line: str) -> list[str]:
    """The words of a list."""
    return [word.replace("_", " ") for word in line.split()]


def _amount(table: dict[str, Any]) -> str:
    """A number and a unit."""
    blank = r"\s" if "{n} {unit}" in table["ago"] else r"\s?"
    ones = "".join(f"|{re.escape(w)}" for w in table["one"].split())
    return rf"(?:\d{{1,3}}{ones}){blank}(?:{alternatives(_listed(' '.join(table['units'].values())))})\.?"


@cache
def relative_amounts(language: str) -> re.Pattern[str]:
    """The numbers and units of a relative phrase, one by one: "3 years, 10 months" has two."""
    return re.compile("|".join(_amount(table) for table in _relative_tables(language)), re.IGNORECASE)


@cache
def relative_pattern(language: str) -> re.Pattern[str]:
    """All relative phrases in one pattern; what was found is looked up again in :func:`relative_words`."""
    spaced: list[str] = []
    unspaced: list[str] = []
    for table in _relative_tables(language):
        amount = _amount(table)
        several = rf"{amount}(?:,?\s(?:(?:and|und|et|y|e|en|och|og|i|и)\s)?{amount}|\s?[零又]?\s?{amount}){{0,3}}"
        parts = spaced if " " in table["ago"] else unspaced
        for form in table["ago"].replace("{n} {unit}", "{n}{unit}").split("|"):
            parts.append(form.replace(" ", r"\s").replace("{n}{unit}", several))
        parts += map(re.escape, _listed(f"{table['today']} {table['yesterday']}"))
    # Vowel signs are no letters: "\b" is no end of a word there.
    words = rf"(?:(?<!\w)|(?<=[\u0900-\u0dff])(?=\d))(?:{'|'.join(sorted(spaced, key=len, reverse=True))})(?!\w)"
    return re.compile("|".join([words, *sorted(unspaced, key=len, reverse=True)]), re.IGNORECASE)


@cache
def relative_words(language: str) -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    """Unit words → unit; words for today; words for yesterday."""
    units: dict[str, str] = {}
    today: set[str] = set()
    yesterday: set[str] = set()
    for table in _relative_tables(language):
        for unit, forms in table["units"].items():
            units.update(dict.fromkeys(_listed(forms), unit))
        today.update(_listed(table["today"]))
        yesterday.update(_listed(table["yesterday"]))
    return units, frozenset(today), frozenset(yesterday)


# --- dates ----------------------------------------------------------------------------------------

MAX_TEXT = 4_000
"""Characters of one text that are searched."""
MAX_DATES = 40
_BESIDE = 16
"""Characters beside a date in a text that is hardly more: a weekday, a label."""
_LATE = datetime(2100, 1, 1, tzinfo=UTC)
"""A day after those of all pages: no date is left out as one of the future."""


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
    :param month_first: order of 03/04/2010; None: by ``language``, and 03.04.2010 is the 3rd of April in all of them.
    :param relative: whether to look for relative dates, in the page's language (all, if unknown) and English.
    """
    code = (language or "").lower().replace("_", "-")
    first = False if month_first is None and not reads_month_first(code) else month_first
    return [*_parsed(text[:MAX_TEXT], code[:2], first, fetched_at, fetched_at.tzinfo, relative)]


@lru_cache(maxsize=1_024)  # of every second text of records several ask
def _parsed(
    text: str, language: str, month_first: bool | None, fetched_at: datetime, zone: tzinfo | None, relative: bool
) -> tuple[ParsedDate, ...]:
    """:param zone: that of ``fetched_at``: equal times may be of different days."""
    other = not text.isascii() and _OTHER_SCRIPT.search(text) is not None
    if not text.isascii() and WIDE_SEEN.search(text):
        text = text.translate(WIDE)
    reader = _Reader(text, language, month_first, fetched_at)
    found: list[ParsedDate] = []
    if NUMBER.search(text):
        found += reader.absolute()
        found += reader.of_scripts() if other or language in ("fa", "th") else ()
    if relative:
        found += reader.relative()
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[ParsedDate] = []
    for one in found[: 4 * MAX_DATES]:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept[:MAX_DATES])


def is_date(text: str) -> bool:
    """Whether a text is hardly more than a date, in whatever language; a month alone is one where its words are usual."""
    if len(text) > MAX_DATE or text_kind(text) == "date":
        return len(text) <= MAX_DATE
    dates = parse_dates(text, language=None, fetched_at=_LATE)
    return bool(dates) and dates[0].day is not None and len(text) - (dates[0].end - dates[0].start) <= _BESIDE


def parse_stamp(
    value: str,
    *,
    language: str | None,
    fetched_at: datetime,
    month_first: bool | None = None,
    relative: bool = True,
    archived: bool = False,
) -> ParsedDate | None:
    """One date that is the whole of a metadata value: ISO 8601, epoch, else the first date in it; as :func:`parse_dates`.

    :param archived: whether the day may be long before the web, if it is written in ISO 8601.
    """
    value = value[:200]
    match = ISO.match(value)
    if match is not None:
        found = _built(match, fetched_at, language, archived)
        if found is not None:
            return found
    epoch = EPOCH.match(value)
    if epoch is not None:
        seconds = int(epoch.group(1)) / (1000 if len(epoch.group(1)) == 13 else 1)
        moment = datetime.fromtimestamp(seconds, UTC)
        clock = (moment.hour, moment.minute, moment.second)
        return checked(_at(epoch, (moment.year, moment.month, moment.day), clock, 0), fetched_at)
    read = partial(parse_dates, value, language=language, fetched_at=fetched_at, month_first=month_first)
    dates = read(relative=False) or (read() if relative else [])  # a date is not searched for "2 hours ago"
    return next((one for one in dates if one.day is not None), dates[0] if dates else None)


class _Reader:
    """The dates of one text."""

    def __init__(self, text: str, language: str, month_first: bool | None, fetched_at: datetime) -> None:
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

    def of_scripts(self) -> Iterator[ParsedDate]:
        """Dates of Persian, Thai, Hindi and other pages: 21 آبان 1405, 12 พ.ย. 2569, 12 नवंबर 2026."""
        for pattern, calendar in ((_named_day(), ""), (_NAMED_FIRST, ""), *_CALENDARS):
            for number, match in enumerate(pattern.finditer(self.text)):
                if number >= MAX_DATES:
                    break
                given = match.groupdict()
                year, day = int(given["y"]), int(given["d"])
                if "m" in given:
                    month = int(given["m"])
                elif (named := _script_months().get(given["n"])) is not None:
                    calendar, month = named
                else:
                    continue
                if year < 100:
                    year += 2500 if calendar == "th" else 2000
                try:
                    if calendar == "fa":
                        then = from_persian(year, month, day)
                        year, month, day = then.year, then.month, then.day
                except ValueError:
                    continue  # reason: "31 مهر" is no day
                year = year - 543 if calendar == "th" and year > 2400 else year
                found = checked(_at(match, (year, month, day)), self.fetched_at)
                if found is not None:
                    yield self._with_clock(found)

    def _window(self, low: int, year_end: int, high: int) -> Iterator[ParsedDate]:
        for pattern, limit in (
            (CJK, high), (YMD, high), (DAY_MONTH, year_end), (MONTH_DAY, year_end), (DMY, year_end),
            (COMPACT, year_end), (YEAR_MONTH_DAY, high), (MONTH, year_end),
        ):  # fmt: skip
            for match in pattern.finditer(self.text, low, min(limit, len(self.text))):
                # What begins behind this year is the next date.
                found = self._read(match) if match.start() < year_end else None
                if found is not None:
                    yield found
                    return

    def _read(self, match: re.Match[str]) -> ParsedDate | None:
        given = match.groupdict()
        month: int | None
        if given.get("n"):
            month = months(self.language).get(given["n"].lower().replace("\u0307", ""))  # of the lower case of "İ"
            if month is None:
                return None
            day = given.get("d") or given.get("d1") or given.get("d2")
            year = _year(given["y"])
        elif given.get("a"):
            first, second = int(given["a"]), int(given["b"])
            year = _year(given["y"])
            is_dotted = given["s"] == "." and len(given["y"]) == 4
            month_first = not is_dotted if self.month_first is None else self.month_first
            day_, month = (second, first) if month_first else (first, second)
            if len(given["y"]) == 2 and _CJK_WEEKDAY.match(self.text, match.end()):
                year, month, day_ = _year(given["a"]), second, int(given["y"])  # 24/03/09(土)
            elif month > 12 or self._future(year, month, day_):
                day_, month = month, day_
            return checked(_at(match, (year, month, day_)), self.fetched_at)
        elif given.get("era"):
            year = int(words()["eras"][given["era"]]) + (1 if given["eray"] == "元" else int(given["eray"]))
            month, day = _number(given["m"]), given["d"]
        else:
            year, month, day = _number(given["y"]), _number(given["m"]), given["d"]
        found = checked(_at(match, (year, month, _number(day) if day else None)), self.fetched_at)
        if found is not None and given.get("h"):
            zone = _zone(given["z"], self.language)
            return checked(replace(found, clock=_time(given["h"], given["i"], given["q"], None), zone=zone), self.fetched_at)
        return found

    def _future(self, year: int, month: int, day: int) -> bool:
        try:
            return date(year, month, day) > (self.fetched_at + TOO_LATE).date()
        except ValueError:
            return True

    def _with_clock(self, found: ParsedDate) -> ParsedDate:
        """The same date with the time of day that stands beside it."""
        if found.day is None or found.clock is not None:
            return found
        after, before = clock_patterns()
        behind = after.match(self.text, found.end, found.end + 60)
        end = behind.end() if behind else found.end
        match = behind or before.search(self.text[max(0, found.start - 40) : found.start])
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
                    names = sorted(units, key=len, reverse=True)  # of "3 years"
                    counts = {
                        unit: int(digits.group()) if (digits := re.search(r"\d+", amount)) else 1
                        for amount in amounts
                        if (unit := next((units[name] for name in names if name in amount), None)) is not None
                    }
                    if not counts:
                        continue
                    found = _back(self.fetched_at, counts, match)
            except (OverflowError, ValueError):
                continue  # reason: before the year 1, there is no date
            yield found


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


def _built(match: re.Match[str], fetched_at: datetime, language: str | None, archived: bool) -> ParsedDate | None:
    given = match.groupdict()
    day = (int(given["y"]), int(given["m"]) if given["m"] else None, int(given["d"]) if given["d"] else None)
    clock = _time(given["h"], given["i"], given["q"], None) if given["h"] else None
    return checked(_at(match, day, clock, _zone(given["z"], language or "") if clock else None), fetched_at, archived)


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
