"""Pages in folders and in JSON Lines → entries.

A folder's files are web pages (``.html``, ``.htm``, ``.xhtml``, also with ``.gz``) and snapshots; what a page's address was,
the comment tells that browsers write when they save it, or nothing does: then its name and a mark made of its bytes stand
for it, as another folder may have a file of that name. A line of JSON is an object with ``url`` and ``html`` (text) or
``body`` (base64), and where known ``headers``, ``fetched_at``, ``hints`` and ``site``.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from newsextract.archives.encodings import MissingCoding, TooLarge, decoded
from newsextract.archives.entries import EPOCH, ArchivedArticle, Failure, SiteFacts, mark_of, site_name
from newsextract.archives.metadata import optional, text, time_of
from newsextract.errors import DataError
from newsextract.page import MAX_BYTES, Hints, Page
from newsextract.snapshot import MAX_SCREENSHOT, MAX_UNPACKED, Snapshot, is_snapshot

PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".html.gz", ".htm.gz", ".snapshot")
LINE_ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
MAX_LINE = 64_000_000
"""Bytes of a line: a page at its cap takes up to six bytes for each of its own in JSON."""
_CHUNK = 1 << 16
_SAVED_FROM = re.compile(rb"<!-- saved from url=\(\d{4}\)(https?://[^\s>]{1,2000}) -->")
"""Internet Explorer began it; Chrome still writes it."""


def page_file(path: Path, name: str) -> ArchivedArticle | Failure:
    """One saved page.

    :param name: what the place calls it: the path below the folder that the user named.
    """
    at, mark = EPOCH, ""
    try:
        at = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
            if is_snapshot(data):
                data += file.read(MAX_UNPACKED + MAX_SCREENSHOT)
        mark = mark_of(data)
        if is_snapshot(data):
            page = Page.from_snapshot(Snapshot.from_bytes(data, name))
        else:
            body = decoded(data, "gzip", MAX_BYTES) if path.suffix.lower() == ".gz" else data
            if len(body) > MAX_BYTES:
                raise TooLarge(f"the page has more than {MAX_BYTES:,} bytes, which is the cap")
            saved = _SAVED_FROM.search(body[:4_096])
            page = Page(body, saved[1].decode("latin-1") if saved else None, fetched_at=at)
    except TooLarge as error:
        return Failure(name, str(error), "too_large", at=at, mark=mark)
    except (OSError, ValueError, DataError) as error:
        return Failure(name, getattr(error, "strerror", None) or str(error), at=at, mark=mark)
    placed = Page(page.body, page.url, page.headers, page.fetched_at, page.hints, page.snapshot, name)
    return ArchivedArticle(name, SiteFacts(site_name(page.url)), page.url or f"file:{name}#{mark_of(page.body)}", (placed,))


def page_lines(path: Path, size: int | None = None) -> Iterator[tuple[int, ArchivedArticle | Failure]]:
    """The pages of a file of JSON Lines, each with the offset that the file has been read to.

    :param size: lines that begin there or behind do not count: the file has grown since it was found.
    :raises DataError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            at = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
            mark = mark_of(file.read(256))
            file.seek(0)
            offset = 0
            packed = path.suffix.lower() == ".gz"
            for line in _lines(file, packed):
                if size is not None and (file.tell() - _CHUNK if packed else offset) >= size:
                    return
                place = f"{path.name}#{offset}"
                if isinstance(line, Failure):
                    yield file.tell(), Failure(place, line.reason, line.status, at=at, mark=mark)
                    offset += int(line.place)
                    continue
                if line.strip():
                    yield file.tell(), _page_line(line, place, at)
                offset += len(line)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from error


def _page_line(line: bytes, place: str, at: datetime) -> ArchivedArticle | Failure:
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            raise ValueError("no object")
        return page_object(value, place)
    except TooLarge as error:
        return Failure(place, str(error), "too_large", at=at, mark=mark_of(line))
    except MissingCoding as error:
        return Failure(place, str(error), "failed", at=at, mark=mark_of(line))
    except (ValueError, RecursionError) as error:
        reason = f"no page: {error}; expected an object with url and html, or body in base64"
        return Failure(place, reason, at=at, mark=mark_of(line))


def page_object(value: dict[str, Any], place: str) -> ArchivedArticle:
    """:raises ValueError: the object is no page."""
    url = text(value, "url")
    if not url.strip():
        raise ValueError("url is empty")
    given = value.get("headers") or {}
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise ValueError("headers are no object of texts")
    headers = {name.lower(): v for name, v in given.items()}
    if "html" in value:
        body = text(value, "html").encode("utf-8", "replace")
        headers["content-type"] = "text/html; charset=utf-8"  # what the page says of itself was true of the bytes
    elif "body" not in value:
        raise ValueError("has neither html nor body")
    else:
        try:
            body = base64.b64decode(text(value, "body"), validate=True)
        except binascii.Error as error:
            raise ValueError(f"body is no base64 ({error})") from error
        body = decoded(body, headers.pop("content-encoding", None), MAX_BYTES)
    if len(body) > MAX_BYTES:
        raise TooLarge(f"the page has {len(body):,} bytes, over the cap of {MAX_BYTES:,}")
    written = optional(value, "fetched_at")
    hints = value.get("hints") or {}
    if not isinstance(hints, dict):
        raise ValueError("hints are no object")
    told = Hints(*(optional(hints, name) for name in ("title", "date", "source", "language")))
    page = Page(body, url, headers, time_of(written) if written else None, told, place=place)
    site = value.get("site")
    facts = SiteFacts.from_json({"name": site} if isinstance(site, str) else site) if site else SiteFacts(site_name(url))
    asked = optional(value, "requested_url") or url
    return ArchivedArticle(place, facts, asked, (page,), headers.get("etag"), headers.get("last-modified"))


def _lines(file: BinaryIO, packed: bool) -> Iterator[bytes | Failure]:
    """Lines; one over the cap, and the place where a packed file is damaged, as a failure whose place is its length."""
    held = bytearray()
    dropped = 0
    for data in _unpacked(file) if packed else iter(lambda: file.read(_CHUNK), b""):
        if isinstance(data, Failure):
            yield data
            return
        searched = len(held)
        held += data
        while (end := held.find(b"\n", searched)) >= 0:
            searched = 0
            line = bytes(held[: end + 1])
            del held[: end + 1]
            if dropped:
                yield Failure(str(dropped + len(line)), f"the line has over {MAX_LINE:,} bytes, the cap", "too_large")
                dropped = 0
            else:
                yield line
        if len(held) > MAX_LINE:
            dropped += len(held)
            held.clear()
    if dropped:
        yield Failure(str(dropped + len(held)), f"the line has over {MAX_LINE:,} bytes, the cap", "too_large")
    elif held:
        yield bytes(held)


def _unpacked(file: BinaryIO) -> Iterator[bytes | Failure]:
    stream = zlib.decompressobj(31)
    while True:
        packed = stream.unconsumed_tail or (stream.unused_data if stream.eof else b"") or file.read(_CHUNK)
        if stream.eof:  # zeros between members, and behind the last one, fill up a block
            while packed and not (packed := packed.lstrip(b"\0")):
                packed = file.read(_CHUNK)
        if not packed:
            if not stream.eof:
                yield Failure("0", "cut off: the gzip data have no end")
            return
        if stream.eof:
            stream = zlib.decompressobj(31)
        try:
            yield stream.decompress(packed, _CHUNK)
        except zlib.error as error:
            yield Failure("0", f"not readable as gzip: {error}")
            return
