"""Lines of every kind, as the crawl's own classes and its own writer make them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from newsextract.database.bringing_in import Importer, WrittenLines
from newsextract.feed import LedgerFile, line
from newsextract.feed.record_lines import Hit, NewsRecord, ObjectRecord, Post, ReadPage, Rejection, Teaser
from pipelines.items import Item

AT = "2026-03-04T05:06:07+00:00"
LATER = "2026-03-05T05:06:07+00:00"


def name(number: int) -> str:
    return f"{number:016x}"


def article(number: int, **more: Any) -> NewsRecord:
    values = {
        "id": name(number), "url": f"https://www.courier.example/{number}", "canonical_url": None, "site": "courier",
        "kind": "news", "title": f"Fog {number}", "title_source": "h1", "date": "2026-03-04T08:00+01:00",
        "date_precision": "minute", "date_source": "meta", "text": f"The fog lies on the bay for the day {number}.",
        "authors": ["Mara Quill", "雷雨"], "language": "en", "section": None, "image": None, "pages": 1, "fetched_at": AT,
        "algorithm": "combined", "confidence": 0.75, "page_kind": "article", "page_kind_confidence": 0.875,
        "access": "free", "access_source": "json-ld:isAccessibleForFree", "reserved": None, "status": "ok",
        "reason": None, "revision": 0, "duplicate_of": None, "fingerprint": f"{number:064x}", "etag": None,
        "last_modified": None,
    }  # fmt: skip
    return NewsRecord(**(values | more))


def post(number: int, **more: Any) -> Post:
    values = {
        "id": name(number), "url": "https://board.example/t/1", "permalink": None, "thread_id": name(900),
        "thread_title": "Oars", "thread_url": "https://board.example/t/1", "site": "board", "page": 1, "position": number,
        "author": "ada", "date": "2026-03-01", "date_precision": "day", "text": f"Post {number}", "fetched_at": AT,
        "algorithm": "visual_blocks", "confidence": 0.5,
    }  # fmt: skip
    return Post(**(values | more))


def hit(number: int, **more: Any) -> Hit:
    values = {
        "id": name(number), "url": "https://find.example/?q=fog", "engine": "find", "query": "fog", "run": "first", "page": 1,
        "rank": number, "title": f"Hit {number}", "address": f"https://www.courier.example/{number}", "snippet": None,
        "date": "2026", "date_precision": "year", "fetched_at": AT, "algorithm": "visual_blocks", "confidence": 0.5,
    }  # fmt: skip
    return Hit(**(values | more))


def teaser(number: int, **more: Any) -> Teaser:
    values = {
        "id": name(number), "url": "https://wire.example/", "list_url": "https://wire.example/", "list_title": "Wire",
        "site": "wire", "page": 1, "position": number, "title": f"Teaser {number}", "address": "https://wire.example/1",
        "snippet": "In short.", "author": None, "image": None, "date": None, "date_precision": None, "fetched_at": AT,
        "algorithm": "visual_blocks", "confidence": 0.5,
    }  # fmt: skip
    return Teaser(**(values | more))


def found_object(number: int, **more: Any) -> ObjectRecord:
    values = {
        "id": name(number), "url": "https://fair.example/", "page_url": "https://fair.example/", "site": "fair",
        "wrapper": "fair.oem", "label": "stall", "path": ["fair", "hall"], "page": 1, "position": number,
        "fields": {"name": f"Stall {number}", "wares": ["rope", "tar"]}, "object": {"oid": "1", "value": [{"a": None}]},
        "missing": [{"url": "https://fair.example/x", "reason": "download"}], "misfits": [], "notes": ["cut"], "fit": 0.875,
        "fetched_at": AT, "revision": 0,
    }  # fmt: skip
    return ObjectRecord(**(values | more))


def read_page(number: int, **more: Any) -> ReadPage:
    values = {
        "id": name(number), "url": "https://board.example/t/1", "site": "board", "kind": "thread", "number": 1, "first": 1,
        "count": 2, "records": [name(1), name(2)], "next": None, "fetched_at": AT,
    }  # fmt: skip
    return ReadPage(**(values | more))


def rejection(number: int, **more: Any) -> Rejection:
    values = {
        "id": name(number), "url": f"https://www.courier.example/{number}", "site": "courier", "status": "short",
        "reason": "too short", "fetched_at": AT,
    }  # fmt: skip
    return Rejection(**(values | more))


def write(feed: Path, *items: Item) -> None:
    """Append lines as a crawl does."""
    file = LedgerFile(feed)
    for item in items:
        file.write(line(item))
    file.close()


def bring_in(engine: Engine, *feeds: Path, lines: int = 500) -> WrittenLines:
    """Everything that the feeds hold, as a process that begins now does it."""
    importer = Importer(engine, feeds, lines)
    while importer.step():
        pass
    return importer.written
