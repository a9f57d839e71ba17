"""How much an address and its anchor text look like an article's. Weak evidence, but free: nothing is
fetched."""

from __future__ import annotations

import re

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A Japanese, Chinese or Korean character."""
_DATE = re.compile(r"/(?:19|20)\d\d(?:[/_-]?(?:0[1-9]|1[0-2])(?!\d\d\d)|[/_-][1-9][/_-])")
_PAGE_ENDINGS = (".html", ".htm", ".shtml")
_NUMBER = re.compile(r"\d{5,}")
_ID = re.compile(r"\b(?:id|aid|articleid|newsid|nid|story|storyid|tid)=\d{3,}", re.I)


def text_length(text: str) -> int:
    """Length of a text in characters, a Chinese, Japanese or Korean one counting three."""
    return len(text) if text.isascii() else len(text) + 2 * len(CJK.findall(text))


def address_score(url: str) -> float:
    """0–1: how much an address in normal form looks like an article's."""
    address, _, query = url.partition("?")
    start = address.find("/", 8)
    if start < 0:
        return 0.0
    last = _last_segment(address, start)
    score = 0.4 if _DATE.search(address, start) else 0.0
    if last.count("-") >= 3 or last.count("_") >= 3:
        score += 0.4
    if _NUMBER.search(last):
        score += 0.3
    if last.endswith(_PAGE_ENDINGS):
        score += 0.1
    if query and _ID.search(query):
        score += 0.4
    return min(1.0, score)


def _last_segment(address: str, start: int) -> str:
    end = len(address) - (address[-1] == "/")
    return address[max(start, address.rfind("/", 0, end)) : end]


def text_score(text: str) -> float:
    """0–0.5: how much an anchor text looks like a headline. The name of a section is shorter."""
    length = text_length(text)
    return 0.5 if length >= 40 else 0.4 if length >= 25 else 0.1 if length >= 15 else 0.0
