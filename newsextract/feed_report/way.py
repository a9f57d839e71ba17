"""The history of one URL: where it was found, which rules of ``sites.toml`` apply to it, and what happened to it.

The feeds are searched for the URL and its id without an index. The state stores where a URL was found, and for some URLs why
they were not requested (:mod:`newsextract.state.announced`). The rules are evaluated for every URL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from newsextract.discovery import matches
from newsextract.discovery.links import archive_group
from newsextract.errors import DataError
from newsextract.feed.lines import MAX_ATTEMPTS
from newsextract.feed.news_record import TRANSIENT
from newsextract.feed_report.index import Line, Shown, site_of, text_of
from newsextract.sites import Site
from newsextract.state.traces import Trace, trace
from newsextract.urls import is_trap, normalize, record_id

_ID = re.compile("[0-9a-f]{16}")
_NAMES = ("url", "canonical_url", "permalink", "address", "thread_url", "list_url", "page_url")
"""Fields of a line that may contain the URL."""
_TARGET = re.compile(r"(?:redirects to|the page sends its reader to|the record stands under|page \d+ of) (\S+)")
MOST = 20
"""Maximum number of displayed lines per kind."""


@dataclass(slots=True)
class Found:
    """The lines of one feed about a page."""

    feed: Path
    records: list[Line] = field(default_factory=list)
    rejections: list[Line] = field(default_factory=list)
    pages: list[Line] = field(default_factory=list)
    copies: list[Line] = field(default_factory=list)
    """Records that are near-duplicates of the page's record."""


def way(asked: str, feeds: Iterable[Path], sites: Mapping[str, Site]) -> tuple[list[str], bool]:
    """The history of a page as lines, and whether the feeds or their states know the page.

    :param asked: a URL, or the id of a record.
    :param sites: the sites of sites.toml.
    :raises DataError: ``asked`` is neither, or a feed cannot be read.
    """
    is_id = bool(_ID.fullmatch(asked))
    url = None if is_id else normalize(asked)
    if not is_id and url is None:
        raise DataError(f"{asked}: neither an http(s) URL nor the id of a record (16 hexadecimal digits)")
    identity = asked if url is None else record_id(url)
    lines, known, is_noted = [], False, False
    feeds = list(feeds)
    for feed in feeds:
        found = _search(feed, identity, url)
        address = url or next((line["url"] for line in (*found.records, *found.rejections, *found.pages)), None)
        numbers = {int(identity, 16), *(int(line["id"], 16) for line in (*found.rejections, *found.pages) if _is_id(line))}
        traced = trace(feed, numbers, address)
        if not (found.records or found.rejections or found.pages or traced.how or traced.kept or traced.skipped):
            continue
        known = known or traced.skipped is None or bool(traced.how)
        is_noted, url = True, address
        lines += [f"{feed}: {address or identity} (id {identity})"]
        where = f" at {traced.place}" if traced.place else ""
        if traced.how or found.records or found.rejections or found.pages:
            lines.append(f"  found: {traced.how or 'unknown (the state is from an older version, or was rebuilt)'}{where}")
        lines += [f"  link stored for later runs: {traced.kept}"] if traced.kept else []
        lines += ["  " + line for line in _history(found)]
        lines.append("  now: " + _now(found, traced))
    if not is_noted:
        where = ", ".join(map(str, feeds)) or "no feed"
        lines.append(f"{url or identity}: never requested ({where})")
    if url is not None:
        lines += [f"rules: {line}" for line in rules(url, sites)]
    return lines, known


def _is_id(line: Line) -> bool:
    return bool(_ID.fullmatch(line["id"]))


# --- feeds ----------------------------------------------------------------------------------------


def _search(feed: Path, identity: str, url: str | None) -> Found:
    """The lines that contain the id or the URL."""
    found = Found(feed)
    needles = [identity.encode()] + ([json.dumps(url, ensure_ascii=False)[1:-1].encode()] if url else [])
    for line in _lines(feed, needles):
        if line["id"] == identity or (url is not None and any(line.get(name) == url for name in _NAMES)):
            found.records.append(line)
        elif line.get("duplicate_of") == identity:
            found.copies.append(line)
    for line in _lines(feed.with_suffix(".rejected.jsonl"), needles):
        if line["id"] == identity or line["url"] == url:
            found.rejections.append(line)
    for line in _lines(feed.with_suffix(".pages.jsonl"), needles):
        if line["id"] == identity or line["url"] == url or line.get("thread_url") == url:
            found.pages.append(line)
    return found


def _lines(path: Path, needles: list[bytes]) -> Iterator[Line]:
    if not path.is_file():
        return
    try:
        with path.open("rb") as file:
            for line in file:
                if any(needle in line for needle in needles):
                    with suppress(ValueError, RecursionError):  # reason: a torn or foreign line
                        value = json.loads(line)
                        if (
                            isinstance(value, dict)
                            and isinstance(value.get("id"), str)
                            and isinstance(value.get("url"), str)
                        ):
                            yield value
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error


def _history(found: Found) -> Iterator[str]:
    """The events of a page in chronological order."""
    told = [
        *((text_of(line, "fetched_at"), f"rejected as {_why(line)}") for line in found.rejections[-MOST:]),
        *((text_of(line, "fetched_at"), _page(line)) for line in found.pages[-MOST:]),
        *((text_of(line, "fetched_at"), _record(line)) for line in found.records[-MOST:]),
    ]
    for at, what in sorted(told):
        yield f"{at}  {what}"
    left = len(found.records) - MOST
    if left > 0:
        yield f"{left} earlier lines are not displayed"
    for line in found.copies[:MOST]:
        yield f"near-duplicate of it: {line['id']} {line['url']}"


def _why(line: Line) -> str:
    attempt = f", attempt {line.get('attempt')} of {MAX_ATTEMPTS}" if line.get("status") in TRANSIENT else ""
    return f"{text_of(line, 'status')}: {text_of(line, 'reason')}{attempt}"


def _page(line: Line) -> str:
    note = f"; {line['note']}" if line.get("note") else ""
    leads = f"; next page: {line['next']}" if line.get("next") else ""
    return f"read as page {line.get('number')} of a {line.get('kind')}: {line.get('count')} records{leads}{note}"


def _record(line: Line) -> str:
    seen = Shown.of(line)
    about = [f"record {line['id']}", f"{seen.kind} of {site_of(line)}", f"status {text_of(line, 'status') or 'ok'}"]
    about += [f"revision {line['revision']}"] if line.get("revision") else []
    about += [f"{len(seen.text):,} characters by {text_of(line, 'algorithm') or text_of(line, 'wrapper')}"]
    if isinstance(confidence := line.get("confidence"), int | float):
        about.append(f"confidence {confidence:.2f}")
    about += [f"page kind {line['page_kind']}"] if line.get("page_kind") else []
    about += [f"near-duplicate of {line['duplicate_of']}"] if line.get("duplicate_of") else []
    about += [f"reason: {line['reason']}"] if line.get("reason") else []
    about += [f"title {seen.title[:80]!r} ({line.get('title_source')})"] if line.get("title_source") else []
    about += [f"date {line['date']} ({line.get('date_source')})"] if line.get("date_source") else []
    return ", ".join(about)


def _now(found: Found, traced: Trace) -> str:
    """The present status of a page."""
    if found.records:
        last = found.records[-1]
        count = len({line["id"] for line in found.records})
        if count > 1:
            return f"{count} records are in the feed"
        return f"in the feed (status {text_of(last, 'status') or 'ok'})"
    if found.rejections:
        last = found.rejections[-1]
        target = _TARGET.search(text_of(last, "reason"))
        if target:
            return f"no record of this URL; see: newsextract why {target[1]} {found.feed}"
        if last.get("status") in TRANSIENT:
            tries = max(traced.attempts, last["attempt"] if isinstance(last.get("attempt"), int) else 1)
            if tries < MAX_ATTEMPTS:
                return f"no record; the next run tries again ({tries} of {MAX_ATTEMPTS} attempts have failed)"
            return f"no record; given up after {tries} failed attempts"
        if last.get("status") == "listing":
            return "a listing: every run reads its links, and it gives no record"
        return f"no record: {text_of(last, 'status')}"
    if found.pages:
        return "read; its records are in the feed"
    if not traced.how:
        why = f"; reason in the last run: {traced.skipped}" if traced.skipped else ""
        return f"never requested{why}"
    return "requested, without a record or rejection: it is a sitemap or feed, or the next run fetches it again"


# --- rules ----------------------------------------------------------------------------------------


def rules(url: str, sites: Mapping[str, Site]) -> list[str]:
    """The rules of sites.toml for a URL: its site, and the keys that allow or exclude it.

    :param url: normalised.
    """
    covering = [site for site in sites.values() if site.covers(url)]
    if not covering:
        return ["no site of sites.toml covers this host; the key domains of a site adds hosts"]
    site = max(covering, key=lambda one: one.closeness(url))
    lines = [f"site {site.name} (kind {site.kind})"]
    refused = [f"excluded by deny = {pattern!r}: never requested" for pattern in site.deny if matches((pattern,), url)]
    admitted = [
        f"matches {key} = {pattern!r}"
        for key in ("allow", "follow")
        for pattern in getattr(site, key)
        if matches((pattern,), url)
    ]
    if site.kind == "news" and (site.allow or site.follow) and not admitted:
        keys = " and ".join(key for key in ("allow", "follow") if getattr(site, key))
        refused.append(f"matches no pattern of {keys}: links to it are not followed")
        if site.allow:
            refused.append("matches no pattern of allow: skipped in sitemaps, and gives no record")
    elif site.kind == "news" and site.allow and not matches(tuple(site.allow), url):
        refused.append("matches no pattern of allow: only its links are read")
    if (trap := is_trap(url)) is not None:
        refused.append(f"looks like a crawler trap or a page without content ({trap}): links to it are not followed")
    if not refused and archive_group(url):
        lines.append("looks like an archive page (tag, author, day): fetched last, and gives no record")
    if not refused:
        lines.append("no pattern excludes it" if not admitted else "; ".join(admitted))
        bounds = [f"depth = {site.depth}", f"pagination = {site.pagination}"]
        bounds += [] if site.from_articles else ["from_articles = false (links on articles are not followed)"]
        bounds += [f"limit = {site.limit}"] if site.limit is not None else []
        bounds += [f"{key} = {day}" for key in ("since", "until") if (day := getattr(site, key))]
        bounds += [] if site.obey_robots else ["obey_robots = false"]
        lines.append(f"limits of the crawl: {', '.join(bounds)}")
    return lines + refused
