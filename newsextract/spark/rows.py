"""A row of Parquet → an entry. The columns are the fields of a line of JSON: see ``docs/archives.md``.

``body`` is binary here, and what is nested (``headers``, ``hints``, ``site``) may be a map, a struct, or JSON as text.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from newsextract.archives.encodings import TooLarge
from newsextract.archives.entries import ArchivedArticle, Failure
from newsextract.archives.page_files import _article as page_object

_NESTED = ("headers", "hints", "site")


def row_entry(row: Mapping[str, Any], place: str) -> ArchivedArticle | Failure:
    """The page of a row, or why it is none."""
    try:
        return page_object({name: _plain(name, value) for name, value in row.items() if value is not None}, place)
    except TooLarge as error:
        return Failure(place, str(error), "too_large")
    except (ValueError, RecursionError) as error:
        return Failure(place, f"no page: {error}; expected columns url and html, or body in binary")


def _plain(name: str, value: Any) -> Any:
    """As JSON would have it.

    :raises ValueError: what should be JSON is none.
    """
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii") if name == "body" else bytes(value).decode("utf-8", "replace")
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone(UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: inner for key, inner in value.items() if inner is not None}
    if name in _NESTED and isinstance(value, str) and value.lstrip().startswith("{"):
        return json.loads(value)
    return value
