"""What kind of text a data item is: a date, a number, a price, an address, or words.

Only the form is looked at; dates are read by :mod:`newsextract.fields.dates` where their value counts.

Cost: under 1 µs for short texts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

TextKind = Literal["date", "number", "price", "address", "text", "none"]

_CURRENCY = r"(?:[A-Z]{1,3})?[$€£¥￥₹₽₩]|(?:USD|EUR|GBP|CAD|AUD|CHF|CNY|JPY|INR|Rs\.?|kr|zł)\b"
_AMOUNT = r"\d[\d.,\s]{0,14}"
_PRICE = re.compile(
    rf"[^\w$€£¥￥₹]{{0,3}}(?:from\s)?(?:{_CURRENCY})\s?(?:{_AMOUNT})?|{_AMOUNT}(?:{_CURRENCY}|元)", re.IGNORECASE
)
_NUMBER = re.compile(r"\W{0,3}\d[\d.,:/\s]{0,12}(?:%|[kKM]\b)?\W{0,2}")
_ADDRESS = re.compile(
    r"(?:https?://|www\.)\S{3,}.{0,300}|(?:[\w-]{1,40}\.){1,4}[a-z]{2,10}(?:(?:\s?[/›»]\s?).{0,300})?|/[\w.-]+(?:/[\w.-]*)+",
    re.IGNORECASE,
)
_NUMERIC_DATE = re.compile(
    r"\d{4}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}|(?<!\d)\d{1,2}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{2,4}(?!\d)|\d{1,2}月\d{1,2}日"
    r"|\d{1,3}\s?(?:秒|分钟|小时|个小时|天|周|个月|年|分|時間|日|か月)前"
)
_MONTH = (
    r"(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|janv|févr|mars|avr|juin|juil|août|déc|ene|abr|ago|dic)"
    r"[a-zé]{0,7}"
)
_WORD_DATE = re.compile(
    rf"""(?:
    (?<![^\W\d_]){_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?(?:\s?,)?(?:\s\d{{4}}|\b)
  | \d{{1,2}}(?:st|nd|rd|th|\.)?[\s-]{_MONTH}\.?,?[\s-]\d{{2,4}}
  | \b{_MONTH}\s(?:19|20)\d\d\b
  | \b\d{{1,3}}\+?\s?(?:second|sec|minute|min|hour|hr|day|week|month|year)s?\sago
  | (?:an?|one)\s(?:minute|hour|day|week|month|year)\sago
  | \byesterday\b | \btoday\b
  | \bvor\s\d{{1,3}}\s\w{{3,9}} | \bil\sy\sa\s\d{{1,3}}\s | \bhace\s\d{{1,3}}\s
    )""",
    re.VERBOSE,
)
_DATE_HINT = re.compile(
    "jan|f[eé]b|mar|apr|avr|abr|may|mai|jui?n|jui?l|aug|ao[uû]t|sep|o[ck]t|nov|d[eé][cz]|ene|ago|dic|day|vor|hace|il y"
)
"""What a date in words has: this search costs a tenth of that for dates."""
_CJK_DAY = re.compile(r"(?:昨天|前天|今天|昨日|今日)\s?(?:\d{1,2}[:：]\d\d)?")
_CJK_BEGIN = "\u2e80"
_DIGIT = re.compile(r"\d")
MAX_BESIDE = 32
"""Characters beside a date in a text that is hardly more, Chinese and Japanese ones counted twice."""
MAX_DATE, MAX_PRICE, MAX_ADDRESS = 60, 40, 400
"""Characters of texts that are hardly more than a date, a price or an address."""


@lru_cache(maxsize=8_192)
def text_kind(text: str) -> TextKind:
    """What kind of text it is; ``none``: it has neither letter nor digit."""
    if not has_word(text):
        return "none"
    counted = _DIGIT.search(text) is not None
    if len(text) <= MAX_DATE and (date := _date(text, counted)) is not None:
        beside = text[: date.start()] + text[date.end() :]
        if len(beside) + sum(character > _CJK_BEGIN for character in beside) <= MAX_BESIDE:
            return "date"
    if len(text) <= MAX_PRICE and _PRICE.match(text):
        return "price"
    if counted and _NUMBER.fullmatch(text):
        return "number"
    if len(text) <= MAX_ADDRESS and ("." in text or "/" in text) and _ADDRESS.fullmatch(text):
        return "address"
    return "text"


def _date(text: str, counted: bool) -> re.Match[str] | None:
    """The first date in a text."""
    found = _NUMERIC_DATE.search(text) if counted else None
    if found is None and _DATE_HINT.search(lower := text.lower()):
        found = _WORD_DATE.search(lower)
    return found or _CJK_DAY.search(text)


def has_word(text: str) -> bool:
    """Whether there is a letter or digit in it."""
    return any(map(str.isalnum, text))
