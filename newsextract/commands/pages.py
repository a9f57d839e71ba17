"""Where a command gets its page from: a file, an address or standard input; a snapshot counts as the page it was made of."""

from __future__ import annotations

import dataclasses
import sys
from datetime import UTC, datetime
from pathlib import Path

from newsextract.addresses import is_web_address
from newsextract.errors import DataError
from newsextract.fetching import fetch
from newsextract.page import Page
from newsextract.snapshot import Snapshot, is_snapshot


def read_page(place: str, url: str | None = None) -> Page:
    """A page from a file, an address or standard input (``-``); a snapshot is told by its first bytes, not by its name.

    :param url: the address that a file or standard input came from; that of a snapshot otherwise is its own.
    :raises DataError: the file cannot be read, or is a damaged snapshot.
    :raises FetchError: the address cannot be fetched.
    :raises UsageError: it is a ``file:`` address.
    """
    if place == "-":
        return _page(sys.stdin.buffer.read(), "standard input", url, datetime.now(UTC))
    if is_web_address(place):
        return fetch(place)
    path = Path(place)
    try:
        modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise DataError(
            f"{place}: {getattr(error, 'strerror', None) or error}; "
            "expected a file, an http(s) address, or - for standard input"
        ) from error
    return _page(data, place, url, modified)


def body_of(data: bytes, place: str) -> bytes:
    """The page's bytes: the rendered source of a snapshot, else the data themselves.

    :raises SnapshotError: it is a damaged snapshot.
    """
    return Page.from_snapshot(Snapshot.from_bytes(data, place)).body if is_snapshot(data) else data


def _page(data: bytes, place: str, url: str | None, fetched_at: datetime) -> Page:
    if not is_snapshot(data):
        return Page(data, url, fetched_at=fetched_at)
    snapshot = Snapshot.from_bytes(data, place)
    return Page.from_snapshot(dataclasses.replace(snapshot, url=url) if url else snapshot)
