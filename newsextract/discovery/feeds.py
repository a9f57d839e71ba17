"""Feeds: RSS 0.9x–2.0, RSS 1.0 (RDF), Atom, and JSON Feed 1.1.

XML feeds are read by the library feedparser, which knows two decades of wrong feeds and date formats. Three
things are kept away from it: HTML cleaning and resolving inside summaries (that is extraction's business and
half of the time), and any text that it could take for an address or a path: it is given a byte stream, never
a string.

Cost: feedparser needs 10 ms for a feed of 50 entries (a bare lxml parse 0.3 ms), linear in the size, hostile
input too (0.3 s for 160 kB of ``<a href=``); hence :data:`MAX_BYTES`. A crawl reads a feed once per site.
"""

from __future__ import annotations

import calendar
import io
import json
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

import feedparser

from newsextract.decoding import decode
from newsextract.discovery.addresses import MAX_LENGTH
from newsextract.discovery.safe_xml import unpack

MAX_BYTES = 2_000_000
"""What stands behind is not read. Real feeds of newspapers have 20–300 kB."""
MAX_ENTRIES = 5_000
MAX_SUMMARY = 5_000
"""Characters kept of a summary."""
_TAG = re.compile(r"<[^<>]{0,2000}>")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of a feed; None where the feed is silent."""

    url: str
    """Absolute."""
    title: str | None = None
    """Plain text."""
    date: str | None = None
    """Publication (else last change), ISO 8601 in UTC; as the feed wrote it if it cannot be read."""
    summary: str | None = None
    """Plain text or HTML as the feed has it."""
    language: str | None = None
    """Of the entry, else of the feed; as written, for example ``en-gb``."""
    author: str | None = None


def read_feed(body: bytes, url: str) -> tuple[FeedEntry, ...]:
    """Entries of a feed in its order.

    :param body: any bytes; never raises. What is no feed gives no entries.
    :param url: the feed's own address: relative addresses are resolved against it.
    """
    body = unpack(body, MAX_BYTES)
    start = body[:100].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return _json_feed(body, url)
    return _xml_feed(body, url)


def _xml_feed(body: bytes, url: str) -> tuple[FeedEntry, ...]:
    if b"<" not in body:
        # UTF-16 has "<" too, beside a zero byte.
        return ()
    parsed = feedparser.parse(
        io.BytesIO(body),
        response_headers={"content-location": url},
        sanitize_html=False,
        resolve_relative_uris=False,
    )
    language = parsed.feed.get("language") or None
    found = []
    for entry in parsed.entries[:MAX_ENTRIES]:
        link = _absolute(url, entry.get("link") or _permalink(entry))
        if link:
            found.append(
                FeedEntry(
                    link,
                    _plain(entry.get("title")),
                    _date(entry),
                    _text(entry.get("summary"))[:MAX_SUMMARY] or None,
                    _text(entry.get("language")) or language,
                    _plain(entry.get("author")),
                )
            )
    return tuple(found)


def _permalink(entry: Any) -> str:
    number = _text(entry.get("id"))
    return number if number.startswith(("http://", "https://")) else ""


def _date(entry: Any) -> str | None:
    for name in ("published", "updated", "created"):
        parsed = entry.get(f"{name}_parsed")
        if isinstance(parsed, time.struct_time):
            try:
                return datetime.fromtimestamp(calendar.timegm(parsed), UTC).isoformat(timespec="seconds")
            except (ValueError, OverflowError, OSError):
                pass
        written = _text(entry.get(name))
        if written:
            return written[:100]
    return None


def _json_feed(body: bytes, url: str) -> tuple[FeedEntry, ...]:
    try:
        feed = json.loads(decode(body).text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return ()
    items = feed.get("items") if isinstance(feed, dict) else None
    found = []
    for item in (items if isinstance(items, list) else [])[:MAX_ENTRIES]:
        if not isinstance(item, dict):
            continue
        link = _absolute(url, _text(item.get("url")) or _permalink(item))
        if link:
            found.append(
                FeedEntry(
                    link,
                    _plain(item.get("title")),
                    _text(item.get("date_published")) or _text(item.get("date_modified")) or None,
                    (_text(item.get("summary")) or _text(item.get("content_text")))[:MAX_SUMMARY] or None,
                    _text(item.get("language")) or _text(feed.get("language")) or None,
                    None,
                )
            )
    return tuple(found)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _plain(value: object) -> str | None:
    return " ".join(_TAG.sub(" ", _text(value)[:MAX_SUMMARY]).split()) or None


def _absolute(base: str, link: str | None) -> str | None:
    if not link or len(link) > MAX_LENGTH:
        return None
    try:
        found = urljoin(base, link.strip())
    except ValueError:
        return None
    return found if found.startswith(("http://", "https://")) else None
