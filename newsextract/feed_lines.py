"""The lines of our own feeds, read back and checked: the one reader that crawls, archives and the database share.

A feed is also the ledger of the run that goes on with it, and ``duplicate_of`` is filled in where it stands
(:mod:`newsextract.line_file`). So a line that another tool has rewritten is refused before anything is written: without the
blanks that were left for it, the value would run over its neighbours.

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
from newsextract.line_file import duplicate_position
from newsextract.news_record import TRANSIENT

OBJECT = "object"
"""What the lines of wrappers call themselves."""
MAX_ATTEMPTS = 3
"""Runs in which a page that failed for a passing reason is tried."""
_PLACE = re.compile(rb'(?:null {14}|"[0-9a-f]{16}")[,}]')
_ID = re.compile("[0-9a-f]{16}")
_FINGERPRINT = re.compile("[0-9a-f]{64}")

Check = Callable[[dict[str, Any], bytes], None]
"""Raises ValueError, KeyError or TypeError when a line is not what it should be."""


def lines(path: Path, check: Check, mend: str, start: int = 0) -> Iterator[tuple[dict[str, Any], int]]:
    """The whole lines of a feed, each with the position of its ``duplicate_of`` value in the file, in bytes.

    A torn last line (no newline at its end) is passed over; a missing file is an empty one.

    :param mend: what the user may do about a line that is none of ours, the end of the message.
    :param start: the first byte of the line to begin with.
    :raises DataError: a line that ``check`` refuses, with its number.
    """
    if not path.exists():
        return
    offset = start
    with path.open("rb") as file:
        file.seek(start)
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                value = json.loads(line)
                check(value, line)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                where = f"line {number}" + (f" after byte {start}" if start else "")
                raise DataError(f"{path}: {where} is not a record of newsextract ({error}); {mend}") from error
            yield value, offset + duplicate_position(line)
            offset += len(line)


def check_rejection(value: dict[str, Any], line: bytes) -> None:
    """Raise ValueError, KeyError or TypeError when a line is no rejection."""
    if _ID.fullmatch(value["id"]) is None:
        raise ValueError(f"its id is {value['id']!r}")
    if value["status"] in TRANSIENT:
        _whole(value, "attempt")


def check_record(value: dict[str, Any], line: bytes) -> None:
    """Raise ValueError, KeyError or TypeError when a line is no record, or has no room for ``duplicate_of``."""
    if _ID.fullmatch(value["id"]) is None:
        raise ValueError(f"its id is {value['id']!r}")
    if value.get("kind") == OBJECT:
        _check_object(value)
        return
    if value["fingerprint"] is not None and _FINGERPRINT.fullmatch(value["fingerprint"]) is None:
        raise ValueError(f"its fingerprint is {value['fingerprint']!r}")
    if _PLACE.match(line, duplicate_position(line)) is None:
        raise ValueError("another tool has rewritten it: duplicate_of cannot be filled in any more")


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
    said = json.dumps([fields, nested, sorted(page["url"] for page in missing)], sort_keys=True, ensure_ascii=False)
    # As the feed has it: what is no UTF-8 stands there as "?".
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).digest()
