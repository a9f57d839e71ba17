"""Patterns and words of dates for :mod:`newsextract.fields.dates`; the words stand in ``data/dates.toml``.

Every pattern is matched only in a window of at most some hundred characters around what :data:`YEAR` found, and none has an
unbounded repetition but of white space at the ends of a metadata value.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

WIDE = str.maketrans("０１２３４５６７８９：／－．〇○Ｏ\xa0\u2009\u202f", "0123456789:/-.零零零   ")
WIDE_SEEN = re.compile("[０-９：／－．〇○Ｏ\xa0\u2009\u202f]")
DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2}
NUMBER = re.compile(r"\d\d|年")
YEAR = re.compile(
    # What a date may be recognised by. It starts with a character class, which the engine searches for fast.
    r"[0-9一二元'’](?<![0-9][0-9])(?:(?<=1)99[0-9](?![0-9])|(?<=2)0[0-9]{2}(?![0-9])"
    r"|(?<=[12])(?:99|0[0-9])[0-9][01][0-9][0-3][0-9](?![0-9])|(?<=[0-9元])[0-9]{0,2}\s?年"
    r"|(?<=[一二])[零九][零一二三四五六七八九]{2}\s?年|(?<=['’])[0-9]{2}(?![0-9])"
    r"|(?<=[0-9])(?<![.,/:-][0-9])[0-9]?(?:([./-])[0-9]{1,2}\1[0-9]{2}(?![0-9.,/:-]?[0-9])|-[^\W\d_]{3}-[0-9]{2}(?![0-9])))"
)
_NUMERAL = "[零一二三四五六七八九十]"
CJK = re.compile(
    rf"(?:(?P<era>民國|民国|昭和|平成|令和)\s?(?P<eray>\d{{1,3}}|元)|(?P<y>\d{{4}}|[零一二三四五六七八九]{{4}}))\s?[年년][度]?\s?"
    rf"(?P<m>\d{{1,2}}|{_NUMERAL}{{1,3}})\s?[月월]\s?(?:(?P<d>\d{{1,2}}|{_NUMERAL}{{1,4}})\s?[日号號일]?)?"
)
YMD = re.compile(r"(?<![\d.,])(?P<y>\d{4})\s?(?P<s>[-/._年])\s?(?P<m>\d{1,2})\s?[-/._月]\s?(?P<d>\d{1,2})日?(?!\d|\s?%)")
COMPACT = re.compile(r"(?<![\d.,/=_-])(?P<y>(?:199|20\d)\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?!\d)")
DMY = re.compile(
    r"(?<![\d.,:/-])(?P<a>\d{1,2})\s?(?P<s>[-/.|])\s?(?P<b>\d{1,2})\s?(?P=s)\s?(?P<y>\d{4}|\d\d(?![.,/:-]?\d))(?!\d|\s?%)"
)
_WORD = r"[^\W\d_]{3,14}"
DAY_MONTH = re.compile(
    rf"(?<![\d.,:/])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|re|º|°|:e|-го)?(?:\.?\s?(?:(?:de|of|di)\s|d['’])|[\s.,/-]{{0,3}})"
    rf"(?P<n>{_WORD})(?:\.?,?\s{{0,2}}(?:de\s|del\s|of\s|do\s)?|[-/.])(?P<y>\d{{4}}|['’]\d\d|(?<=-)\d\d)(?!\d|:\d)"
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
    r"\s*(?P<y>\d{4})(?:-?(?P<m>\d\d)(?:-?(?P<d>\d\d)(?:(?:[T\s_]\s*|(?<=\d\d)-)(?P<h>\d\d):?(?P<i>\d\d)(?::?(?P<q>\d\d)"
    r"(?:[.,]\d{1,9})?)?\s?(?P<z>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?)?)?\s*$",
    re.IGNORECASE,
)
EPOCH = re.compile(r"\s*(\d{10}|\d{13})(?:\.\d{1,6})?\s*$")
_ZONE = r"(?P<z>Z(?![a-zA-Z])|(?:UTC|GMT)?\s?[+-]\d{1,2}(?::?\d\d)?(?![\d/.-])|[A-Z]{2,4}(?![A-Za-z]))"


def reads_month_first(language: str) -> bool:
    """Whether 03/04/2010 is the 4th of March in a language tag (``en-us``, ``en``)."""
    order = words()["order"]
    parts = language.lower().replace("_", "-").split("-")
    return parts[0] in order["month_first_languages"] and not any(p in order["day_first_regions"] for p in parts[1:])


@cache
def words() -> dict[str, Any]:
    """The word lists of ``data/dates.toml``."""
    return tomllib.loads((files("newsextract.fields.data") / "dates.toml").read_text("utf-8"))


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
def clock_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Time of day: anchored behind a date, and searched just before one."""
    lists = words()["words"]
    half = "|".join(re.escape(w) for w in sorted(lists["before_noon"] + lists["after_noon"], key=len, reverse=True))
    between = "|".join(re.escape(w) for w in sorted(lists["before_time"], key=len, reverse=True))
    clock = (
        rf"(?:(?P<p>{half})\s?)?(?P<h>\d{{1,2}})(?:\s?[:h时時點点시]\s?(?P<i>\d\d)(?:\s?[:分분]\s?(?P<q>\d\d)(?:\.\d{{1,9}}|秒)?)?[分분]?"
        rf"|\.(?P<i2>\d\d)(?=\s?(?:Uhr|uhr|[aApP]\.?[mM]|Ora|WIB|h\b))|(?=\s?[aApP]\.?[mM]\b))"
        rf"\s?(?P<p2>(?i:{half})(?![a-z]))?(?:\s?(?:Uhr|uhr|h\b|hrs|น\.)?\s?\(?{_ZONE})?"
    )
    weekday = (
        rf"(?!\s?(?:{half}))(?:\s?\(?(?:星期|周|週)[一二三四五六日天]\)?"
        r"|\s?\([月火水木金土日월화수목금토일]\)|,?\s[^\W\d_]{2,10},?(?=\s\d))"
    )
    after = re.compile(rf"\.?(?:{weekday})?[\s,|·•T@/–—-]{{0,6}}(?:(?i:{between})\s{{1,2}})?{clock}")
    before = re.compile(
        rf"(?<![\d:.]){clock}\)?[\s,|·•/–—-]{{0,5}}(?:(?:on|am|le|el|em|in)\s{{1,2}})?(?:[^\W\d_]{{2,10}}[,.]?\s{{1,2}})?(?:the\s)?$"
    )
    return after, before


_BLANK, _NO_BLANK = r"\s", r"\s?"


def _relative_tables(language: str) -> list[dict[str, Any]]:
    tables = words()["relative"]
    return [tables[language], tables["en"]] if language in tables else list(tables.values())


def _amount(table: dict[str, Any]) -> str:
    """A number and a unit."""
    units = "|".join(re.escape(w) for w in sorted(" ".join(table["units"].values()).split(), key=len, reverse=True))
    ones = "".join(f"|{re.escape(w)}" for w in table["one"].split())
    return rf"(?:\d{{1,3}}{ones}){_BLANK if ' ' in table['ago'] else _NO_BLANK}(?:{units})\.?"


@cache
def relative_amounts(language: str) -> re.Pattern[str]:
    """The numbers and units of a relative phrase, one by one: "3 years, 10 months" has two."""
    return re.compile("|".join(_amount(table) for table in _relative_tables(language)), re.IGNORECASE)


@cache
def relative_pattern(language: str) -> re.Pattern[str]:
    """All relative phrases in one pattern; what was found is looked up again in :func:`relative_words`."""
    parts = []
    for table in _relative_tables(language):
        spaced = " " in table["ago"]
        amount = _amount(table)
        several = rf"{amount}(?:,?\s(?:(?:and|und|et|y|e|en|och|og|i|и)\s)?{amount}|\s?[零又]?\s?{amount}){{0,3}}"
        phrase = table["ago"].replace("{n} {unit}", "{n}{unit}").replace(" ", r"\s").replace("{n}{unit}", several)
        parts.append(rf"\b{phrase}\b" if spaced else phrase)
        parts += [
            rf"\b{re.escape(w)}\b" if spaced else re.escape(w) for w in (table["today"] + " " + table["yesterday"]).split()
        ]
    return re.compile("|".join(sorted(parts, key=len, reverse=True)), re.IGNORECASE)


@cache
def relative_words(language: str) -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    """Unit words → unit; words for today; words for yesterday."""
    units: dict[str, str] = {}
    today: set[str] = set()
    yesterday: set[str] = set()
    for table in _relative_tables(language):
        for unit, forms in table["units"].items():
            units.update(dict.fromkeys(forms.split(), unit))
        today.update(table["today"].split())
        yesterday.update(table["yesterday"].split())
    return units, frozenset(today), frozenset(yesterday)
