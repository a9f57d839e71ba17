"""The lines of our own feeds, read back and checked: the one reader that crawls, archives and the database share.

Cost: one ``json.loads`` a line; nothing is kept.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from newsextract.errors import DataError
from newsextract.news_record import TRANSIENT

OBJECT = "object"
"""What the lines of wrappers call themselves."""
MAX_ATTEMPTS = 3
"""Runs in which a page that failed for a passing reason is tried."""
_ID = re.compile("[0-9a-f]{16}")
_FINGERPRINT = re.compile("[0-9a-f]{64}|[0-9a-f]{320}|[0-9a-f]{384}")
"""Those of earlier versions, and today's."""

Check = Callable[[dict[str, Any], bytes], None]
"""Raises ValueError, KeyError or TypeError when a line is not what it should be."""


def lines(path: Path, check: Check, mend: str) -> Iterator[tuple[dict[str, Any], int]]:
    """The whole lines of a feed, each with its first byte.

    A torn last line (no newline at its end) is passed over; a missing file is an empty one.

    :param mend: what the user may do about a line that newsextract did not write; the end of the message.
    :raises DataError: a line that ``check`` refuses, with its number.
    """
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                value = json.loads(line)
                check(value, line)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise DataError(f"{path}: line {number} is not a record of newsextract ({error}); {mend}") from error
            yield value, offset
            offset += len(line)


def line_at(path: Path, place: int) -> dict[str, Any]:
    """The line that begins at a byte of a feed.

    :raises DataError: the file has been changed since.
    """
    with path.open("rb") as file:
        file.seek(place)
        try:
            value = json.loads(file.readline())
        except ValueError:
            value = None
    if not isinstance(value, dict):
        raise DataError(f"{path}: changed while the crawl runs: no record at byte {place}; start the crawl again")
    return value


def check_rejection(value: dict[str, Any], line: bytes) -> None:
    """Raise ValueError, KeyError or TypeError when a line is no rejection."""
    if _ID.fullmatch(value["id"]) is None:
        raise ValueError(f"its id is {value['id']!r}")
    if value["status"] in TRANSIENT:
        _whole(value, "attempt")


def check_record(value: dict[str, Any], line: bytes) -> None:
    """Raise ValueError, KeyError or TypeError when a line is no record of news, nor an object."""
    if _ID.fullmatch(value["id"]) is None:
        raise ValueError(f"its id is {value['id']!r}")
    if value.get("kind") == OBJECT:
        _check_object(value)
        return
    if value["fingerprint"] is not None and _FINGERPRINT.fullmatch(value["fingerprint"]) is None:
        raise ValueError(f"its fingerprint is {value['fingerprint']!r}")


def check_other_record(value: dict[str, Any], line: bytes, wanted: str) -> None:
    """Raise ValueError, KeyError or TypeError when a line is no post, hit or teaser, whichever is wanted."""
    if _ID.fullmatch(value["id"]) is None:
        raise ValueError(f"its id is {value['id']!r}")
    if value.get("kind") == OBJECT:
        _check_object(value)
        return
    if value["kind"] != wanted:
        raise ValueError(f"its kind is {value['kind']!r}, not {wanted!r}")


def _whole(value: dict[str, Any], name: str) -> None:
    if type(value[name]) is not int:
        raise TypeError(f"its {name} is no whole number")


def _check_object(value: dict[str, Any]) -> None:
    _whole(value, "revision")
    content_hash(value["fields"], value["object"], value["missing"])


def text_hash(text: str) -> bytes:
    """Eight bytes that tell whether a text has changed."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def content_hash(fields: object, nested: object, missing: list[dict[str, str]]) -> bytes:
    """Eight bytes that tell whether an object has changed: what it says, and which pages it misses."""
    said = json.dumps([fields, nested, sorted(page["url"] for page in missing)], ensure_ascii=False)
    # As the feed has it: what is no UTF-8 stands there as "?". Keys are sorted as they stand there.
    written = json.loads(said.encode("utf-8", "replace"))
    return hashlib.blake2b(json.dumps(written, sort_keys=True, ensure_ascii=False).encode(), digest_size=8).digest()
