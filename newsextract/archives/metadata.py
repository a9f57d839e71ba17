"""What a crawl stores beside the bytes: one JSON object per article and per page of records, as a WARC metadata record.

It names the pages by file, offset and record id, so they are found without an index. ``version`` changes when a reader of
an older version would be misled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from typing import Any

from newsextract.archives.entries import SiteFacts, strings
from newsextract.page import Hints

VERSION = 1
SOFTWARE = "software: newsextract/"
"""In the warcinfo record of the files that our crawls write: only what their metadata name is an article."""
MARK = "Newsextract-Archive"
"""Header of each of our records, whose value is :data:`VERSION`. The first archives had it not; their records name the
warcinfo record."""
CONTENT_TYPE = "application/vnd.newsextract.page+json"
WALK_TYPE = "application/vnd.newsextract.walk+json"
"""A browser's walk through a rendered page, see :mod:`newsextract.snapshot`."""
SNAPSHOT_TYPE = "application/vnd.newsextract.snapshot"
"""The content of a snapshot's file; read, but not written by crawls: the walk gives the very same records."""
_ID = re.compile("[0-9a-f]{16}")
LINE_TEXTS = ("id", "url", "site", "kind", "fetched_at")
"""Of the line of a page of records, as ``docs/page.schema.json`` has it: what is a text, …"""
LINE_MAYBE = (
    "next", "since", "until", "thread_id", "thread_title", "thread_url", "list_title", "list_url", "run", "note", "shape",
    "etag", "last_modified",
)  # fmt: skip
"""… a text or missing, …"""
LINE_NUMBERS = ("number", "first", "count", "schema_version")
"""… and a whole number. ``records`` are texts."""
MAX_NUMBER = 1_000_000_000
MAX_PARTS = 100
"""Pages of one article, far more than a crawl joins."""


@dataclass(frozen=True, slots=True)
class Part:
    """A page, and where its bytes stand."""

    file: str
    offset: int
    record: str
    """The WARC record's id."""
    url: str
    fetched_at: datetime
    note: str | None = None
    """Of a rendered page."""


@dataclass(frozen=True, slots=True)
class Described:
    """The content of one metadata record."""

    site: SiteFacts
    requested_url: str
    hints: Hints
    parts: Sequence[Part]
    etag: str | None = None
    last_modified: str | None = None
    line: Mapping[str, Any] | None = None
    """Of a page of records; None for an article."""
    query: str | None = None
    """What was searched for; of a result page."""
    shape: str | None = None
    """What the records of the pages before look like, see :mod:`newsextract.record_shape`."""

    def to_bytes(self) -> bytes:
        """JSON, UTF-8."""
        value = {
            "version": VERSION,
            "site": self.site.to_json(),
            "requested_url": self.requested_url,
            "hints": list(astuple(self.hints)),
            "parts": [
                {
                    "file": part.file,
                    "offset": part.offset,
                    "record": part.record,
                    "url": part.url,
                    "fetched_at": part.fetched_at.isoformat(),
                    "note": part.note,
                }
                for part in self.parts
            ],
            "etag": self.etag,
            "last_modified": self.last_modified,
            "line": dict(self.line) if self.line is not None else None,
            "query": self.query,
            "shape": self.shape,
        }
        return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")

    @classmethod
    def from_bytes(cls, data: bytes) -> Described:
        """The reverse, checked.

        :raises ValueError: it is something else.
        """
        try:
            value = json.loads(data.decode("utf-8", "surrogatepass"))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
        if not isinstance(value, dict) or value.get("version") != VERSION:
            raise ValueError(f"not of version {VERSION}")
        parts, line = value.get("parts"), value.get("line")
        if not isinstance(parts, list) or not 1 <= len(parts) <= MAX_PARTS:
            raise ValueError("parts is no list of pages")
        if line is not None:
            _check_line(line)
        return cls(
            SiteFacts.from_json(value.get("site")),
            text(value, "requested_url"),
            hints_of(value.get("hints")),
            [_part(part) for part in parts],
            optional(value, "etag"),
            optional(value, "last_modified"),
            line,
            optional(value, "query"),
            optional(value, "shape"),
        )


def _check_line(line: Any) -> None:
    """Every field, since the line goes into a feed again.

    :raises ValueError: it is no line of a page.
    """
    if not isinstance(line, dict) or not _ID.fullmatch(text(line, "id")):
        raise ValueError("line is no line of a page")
    for name in LINE_TEXTS:
        text(line, name)
    for name in LINE_MAYBE:
        optional(line, name)
    if any(type(line.get(name)) is not int or not 0 <= line[name] <= MAX_NUMBER for name in LINE_NUMBERS):
        raise ValueError(f"{', '.join(LINE_NUMBERS)} of line are no whole numbers")
    strings(line.get("records"), "line.records")


def _part(value: Any) -> Part:
    if not isinstance(value, dict) or type(value.get("offset")) is not int:
        raise ValueError("a part has no offset")
    return Part(
        text(value, "file"),
        value["offset"],
        text(value, "record"),
        text(value, "url"),
        time_of(text(value, "fetched_at")),
        optional(value, "note"),
    )


def hints_of(value: Any) -> Hints:
    """Hints from a list of title, date, source, language.

    :raises ValueError: it is something else.
    """
    if not isinstance(value, list) or len(value) != 4 or not all(v is None or isinstance(v, str) for v in value):
        raise ValueError("hints are no list of four texts")
    return Hints(*value)


def text(value: Mapping[str, Any], name: str) -> str:
    """A text that must be there.

    :raises ValueError: it is not.
    """
    found = value.get(name)
    if not isinstance(found, str):
        raise ValueError(f"{name} is no text")
    return found


def optional(value: Mapping[str, Any], name: str) -> str | None:
    """A text or None.

    :raises ValueError: it is something else.
    """
    return None if value.get(name) is None else text(value, name)


def time_of(written: str) -> datetime:
    """A time with a zone; without one it is UTC.

    :raises ValueError: it is none.
    """
    at = datetime.fromisoformat(written)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
