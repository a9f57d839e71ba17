"""RSS, Atom and JSON feeds, sitemaps, and the safe XML parser that they share."""

from __future__ import annotations

import calendar
import io
import json
import re
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from html.entities import html5
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from newsextract.discovery.links import archive_group
from newsextract.page.decoding import decode
from newsextract.urls import MAX_LENGTH, normalize, record_id, unwrapped

# --- safe xml -------------------------------------------------------------------------------------
# The body is unpacked, decoded like a page, and freed of its document type declaration, so that no entity can be declared
# ("billion laughs", XXE). What feeds and sitemaps most often get wrong is mended in the text: characters that XML forbids,
# bare ampersands, HTML entities; libxml2 recovers the rest. Elements are handed out one by one and cleared, so that a large
# sitemap is never in memory as a tree. Namespaces are ignored, because many sites state wrong ones.
#
# Cost: about 15 ms a megabyte.

MAX_UNPACKED = 50_000_000
"""Bytes; the sitemap protocol's limit for one file is 50 MB (52,428,800)."""
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]++")
_DECLARATION = re.compile(r"<\?xml[^<>]{0,200}\?>", re.I)
_SUBSET_END = re.compile(r"\]\s{0,100}+>")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);|#\d{1,7};|#x[0-9a-fA-F]{1,6};)([A-Za-z][A-Za-z0-9]{0,31};)?")
_CHUNK = 65_536


def unpack(body: bytes, limit: int = MAX_UNPACKED) -> bytes:
    """The body without gzip; at most ``limit`` bytes of it, of a broken or cut archive what could be read."""
    for _ in range(2):  # some servers compress what is compressed
        if not body.startswith(b"\x1f\x8b"):
            break
        unpacker = zlib.decompressobj(wbits=31)
        out = []
        size, rest = 0, body
        try:
            while rest and size < limit and not unpacker.eof:
                out.append(unpacker.decompress(rest, min(limit - size, 1 << 20)))
                size += len(out[-1])
                rest = unpacker.unconsumed_tail
        except zlib.error:
            if not out:
                return b""
        body = b"".join(out)
    return body[:limit]


def prepare(body: bytes) -> str:
    """Text of an XML body, without declaration and document type, mended."""
    text = _FORBIDDEN.sub("", decode(unpack(body)).text)
    text = _DECLARATION.sub("", text, count=1)
    return _ENTITY.sub(_mended, _without_doctype(text))


def _without_doctype(text: str) -> str:
    at = text.find("<!")
    while 0 <= at < len(text):
        if text.startswith("<!--", at):
            end = text.find("-->", at)
            if end < 0:
                break
            at = text.find("<!", end)
        elif text[at : at + 9].upper() == "<!DOCTYPE":
            bracket, end = text.find("[", at), text.find(">", at)
            if 0 <= bracket < end:
                # The internal subset ends at "]>"; libxml2 never sees what stands inside.
                match = _SUBSET_END.search(text, bracket)
                end = match.end() - 1 if match else -1
            return text[:at] + (text[end + 1 :] if end >= 0 else "")
        else:
            break
    return text


def _mended(match: re.Match[str]) -> str:
    name = match[1] or ""
    return escape(html5[name]) if name in html5 else f"&amp;{name}"


def elements(text: str) -> Iterator[etree._Element]:
    """The elements of a prepared text in the order of their end tags, of broken XML those that could be read; the caller
    clears what it no longer needs."""
    parser = etree.XMLPullParser(
        ("end",), recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, encoding="utf-8"
    )
    for start in range(0, len(text), _CHUNK):
        try:
            parser.feed(text[start : start + _CHUNK].encode("utf-8"))
        except etree.XMLSyntaxError:
            break
        for _, element in parser.read_events():
            yield element
    try:
        parser.close()
    except etree.XMLSyntaxError:
        return
    for _, element in parser.read_events():
        yield element


def local_name(element: etree._Element) -> str:
    """Tag without namespace or prefix, lower case; empty for comments and instructions."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def text_of(element: etree._Element, limit: int = 2_000) -> str:
    """Text of an element and its children, white space folded, at most ``limit`` characters."""
    if not len(element):
        return " ".join((element.text or "").split())[:limit]
    return " ".join("".join(element.itertext()).split())[:limit]


# --- feeds ----------------------------------------------------------------------------------------
# RSS 0.9x–2.0, RSS 1.0 (RDF) and Atom are read by feedparser, which knows two decades of wrong feeds and date formats. It
# neither cleans HTML nor resolves references in summaries, which is half of its time, and is given a stream of bytes, never
# a string that it could take for an address or a path.
#
# Cost: feedparser needs 10 ms for a feed of 50 entries (a bare lxml parse 0.3 ms). Hostile input takes longer than its
# size suggests (600 kB of ``<item>``: 4 s); hence :data:`MAX_BYTES`, and a crawl reads feeds in its workers, whose CPU
# time is limited.

MAX_BYTES = 2_000_000
"""What stands behind is not read. Real feeds of newspapers have 20–300 kB."""
MAX_ENTRIES = 5_000
MAX_CONTENT = 200_000
"""Characters of an entry's text; a longer one is left out whole, because part of a text would be misleading."""
MAX_SUMMARY = 5_000
"""Characters kept of a summary."""
_TAG = re.compile(r"<[^<>]{0,2000}>")
_WEB = ("http://", "https://")


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
    content: str | None = None
    """The entry's own text as HTML (``content:encoded``, Atom ``content``, ``content_html``), unless it is very long."""


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
    import feedparser  # late: a worker that reads no feed needs it not, and it takes .05 s

    try:
        parsed = feedparser.parse(
            io.BytesIO(body), response_headers={"content-location": url}, sanitize_html=False, resolve_relative_uris=False
        )
    except Exception:  # noqa: BLE001  # reason: some wrong feeds break it (positions of GML without a place: KeyError)
        return ()
    language = parsed.feed.get("language") or None
    found = []
    for entry in parsed.entries[:MAX_ENTRIES]:
        title, author = _plain(entry.get("title")), _plain(entry.get("author"))
        summary = _text(entry.get("summary"))[:MAX_SUMMARY] or None
        spoken = _text(entry.get("language")) or language
        if link := _absolute(url, entry.get("link") or _permalink(entry)):
            found.append(FeedEntry(link, title, _date(entry), summary, spoken, author, _content(entry)))
    return tuple(found)


def _content(entry: Any) -> str | None:
    """The longest of an entry's texts, as HTML."""
    texts = [""]
    for one in entry.get("content") or ():
        value = _text(one.get("value"))
        texts.append(_paragraphs(value) if one.get("type") == "text/plain" else value)
    return _bounded(max(texts, key=len))


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())


def _bounded(content: str) -> str | None:
    return content if 0 < len(content) <= MAX_CONTENT else None


def _permalink(entry: Any) -> str:
    number = _text(entry.get("id"))
    return number if number.startswith(_WEB) else ""


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
        title, text = _plain(item.get("title")), _text(item.get("content_text"))
        day = _text(item.get("date_published")) or _text(item.get("date_modified")) or None
        summary = (_text(item.get("summary")) or text)[:MAX_SUMMARY] or None
        spoken = _text(item.get("language")) or _text(feed.get("language")) or None
        content = _bounded(_text(item.get("content_html")) or _paragraphs(text))
        if link := _absolute(url, _text(item.get("url")) or _permalink(item)):
            found.append(FeedEntry(link, title, day, summary, spoken, None, content))
    return tuple(found)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _plain(value: object) -> str | None:
    return " ".join(_TAG.sub(" ", _text(value)[:MAX_SUMMARY]).split()) or None


def _absolute(base: str, link: str | None) -> str | None:
    if not link or len(link) > MAX_LENGTH:
        return None
    try:
        found = unwrapped(link.strip() if link.startswith(_WEB) else urljoin(base, link.strip()))
    except ValueError:
        return None
    return found if found.startswith(_WEB) else None


# --- sitemaps -------------------------------------------------------------------------------------
# The sitemaps.org protocol 0.9, its index files, the Google News extension (date and title of each article of the last two
# days), and what else the protocol allows: plain lists of addresses, RSS and Atom feeds.


MAX_URLS = 1_000_000
"""Of one file. The protocol allows 50,000 and 50 MB, but not all sites keep to it."""
_ROBOTS_LINE = re.compile(r"^[ \t\ufeff]*+sitemap[ \t]*+:[ \t]*+(\S{1,2000})", re.I | re.M)


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One page of a sitemap. Texts are as the sitemap wrote them; None where it is silent."""

    url: str
    """Normalised."""
    lastmod: str | None = None
    """W3C date format, unchecked."""
    publication_date: str | None = None
    """From the news extension."""
    title: str | None = None
    """From the news extension."""
    language: str | None = None
    """From the news extension."""
    group: str | None = None
    """Of archives, that its URL is written like (:func:`newsextract.discovery.links.archive_group`)."""
    id: str = ""
    """Of the URL (:func:`newsextract.urls.record_id`)."""


@dataclass(frozen=True, slots=True)
class NestedSitemap:
    """One sitemap of a sitemap index."""

    url: str
    """Absolute."""
    lastmod: str | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap file lists."""

    entries: tuple[SitemapEntry, ...] = ()
    """Newest first, by day of publication, else of the last change; undated ones last, in their order."""
    sitemaps: tuple[NestedSitemap, ...] = ()
    """In the file's order."""
    left_out: int = 0
    """Entries after the :data:`MAX_ENTRIES` that are read."""


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read a sitemap, a sitemap index, a plain list of addresses, or an RSS or Atom feed, gzipped or not.

    :param body: any bytes; never raises. What is no sitemap gives an empty answer.
    :param url: the sitemap's own address: relative addresses are resolved against it.
    """
    text = prepare(body)
    if "<" not in text[:1000]:
        lines = (line.strip() for line in text.splitlines())
        urls = [line.replace("&amp;", "&") for line in lines if line.startswith(_WEB) and " " not in line]
        return Sitemap(_in_turn(map(SitemapEntry, urls[:MAX_URLS])), left_out=max(0, len(urls) - MAX_URLS))
    entries: list[SitemapEntry] = []
    nested: list[NestedSitemap] = []
    left_out = 0
    is_feed = False
    for element in elements(text):
        name = local_name(element)
        is_feed = is_feed or name in ("item", "entry")
        if name not in ("url", "sitemap"):
            continue
        if len(entries) + len(nested) >= MAX_URLS:
            left_out += 1
        else:
            fields = _fields(element)
            loc = _absolute(url, fields.get("loc"))
            if loc and name == "url":
                dates = fields.get("lastmod"), fields.get("publication_date")
                entries.append(SitemapEntry(loc, *dates, fields.get("title"), fields.get("language")))
            elif loc:
                nested.append(NestedSitemap(loc, fields.get("lastmod")))
        element.clear()
        parent = element.getparent()
        while parent is not None and element.getprevious() is not None:
            del parent[0]
    if is_feed and not entries and not nested:
        feed = read_feed(body, url)
        entries = [SitemapEntry(e.url, publication_date=e.date, title=e.title, language=e.language) for e in feed]
    return Sitemap(_in_turn(entries), tuple(nested), left_out)


def _in_turn(entries: Iterable[SitemapEntry]) -> tuple[SitemapEntry, ...]:
    """Entries newest first, with normalised URLs, each once."""
    found: dict[str, SitemapEntry] = {}
    for entry in newest_first(entries):
        url = normalize(entry.url)
        if url is not None and url not in found:
            known = entry.lastmod, entry.publication_date, entry.title, entry.language
            found[url] = SitemapEntry(url, *known, archive_group(url), record_id(url))
    return tuple(found.values())


def _fields(element: etree._Element) -> dict[str, str]:
    """Texts of loc and lastmod, and of what stands in ``<news:news>``; images and videos have like-named elements."""
    found: dict[str, str] = {}
    for child in element:
        name = local_name(child)
        if name in ("loc", "lastmod"):
            # Only un-prefixed ones directly under <url>; the first wins.
            found.setdefault(name, text_of(child, MAX_LENGTH + 1))
        elif name == "news":
            for part in child.iter():
                inner = local_name(part)
                if inner in ("publication_date", "title", "language"):
                    found.setdefault(inner, text_of(part))
    return {name: text for name, text in found.items() if text}


def newest_first(entries: Iterable[SitemapEntry]) -> list[SitemapEntry]:
    """Entries by publication date, else by last change, newest first; undated ones last, in their order."""
    return sorted(entries, key=lambda entry: _instant(entry.publication_date or entry.lastmod), reverse=True)


def _instant(text: str | None) -> float:
    """Seconds since 1970 of a W3C date (``2024``, ``2024-05``, a day, or a time), or minus infinity."""
    if not text:
        return float("-inf")
    padded = text.strip()
    padded += {4: "-01-01", 7: "-01"}.get(len(padded), "")
    try:
        found = datetime.fromisoformat(padded)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return float("-inf")


def sitemaps_from_robots(text: str, url: str = "") -> list[str]:
    """Addresses of the sitemaps that a robots.txt names (RFC 9309 §2.2.4 leaves the line to extensions), in order.

    :param url: of the robots.txt; relative addresses, which sitemaps.org does not allow, are left out without it.
    """
    found = dict.fromkeys(_absolute(url, match[1]) for match in _ROBOTS_LINE.finditer(text))
    return [address for address in found if address is not None][:1000]
