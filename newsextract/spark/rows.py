"""Parquet of pages → entries. The columns are the fields of a line of JSON: see ``docs/archives.md``.

``body`` is binary here, and what is nested (``headers``, ``hints``, ``site``) may be a map, a struct, or JSON as text. Other
columns are not read. What cannot be read costs itself: a row, a group of rows, or the file.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from newsextract.archives.encodings import MissingCoding, TooLarge
from newsextract.archives.entries import EPOCH, ArchivedArticle, Failure
from newsextract.archives.page_files import page_object

_COLUMNS = ("url", "html", "body", "headers", "fetched_at", "hints", "site", "requested_url")
_NESTED = ("headers", "hints", "site")
_EXPECTED = "expected columns url and html, or body in binary"
_ROWS = 32
"""Rows that are in memory at once."""


def parquet_entries(path: Path, name: str) -> Iterator[ArchivedArticle | Failure]:
    """The pages of a file.

    :param name: what places call it.
    :raises OSError: the disk cannot be read; a damaged file is a failure.
    """
    import pyarrow
    from pyarrow.parquet import ParquetFile

    bad = (pyarrow.ArrowException, OSError, ValueError, MemoryError)
    try:
        file = ParquetFile(path, pre_buffer=False, coerce_int96_timestamp_unit="us", page_checksum_verification=True)
        columns = [column for column in _COLUMNS if column in file.schema_arrow.names]
    except bad as error:
        yield Failure(name, f"not readable as Parquet: {_told(error)}")
        return
    with file:
        if "url" not in columns:
            yield Failure(name, f"no page: there is no column url; {_EXPECTED}")
            return
        number = 0
        for group in range(file.num_row_groups):
            end = number + file.metadata.row_group(group).num_rows
            try:
                for batch in file.iter_batches(_ROWS, row_groups=[group], columns=columns, use_threads=False):
                    values = {column: _times(batch.column(column)) for column in columns}
                    for row in range(batch.num_rows):
                        yield _of_batch(values, row, f"{name}#{number}")
                        number += 1
            except bad as error:
                yield Failure(f"{name}#{number}", f"rows {number} to {end - 1} are not readable as Parquet: {_told(error)}")
            number = end


def _told(error: BaseException) -> str:
    """The first line.

    :raises OSError: it was the disk, and not what stands there.
    """
    if isinstance(error, OSError) and error.errno is not None:
        raise error
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _times(column: Any) -> Any:
    """A column of times as microseconds since 1970: some of them Python cannot tell. Others as they are."""
    import pyarrow

    if not pyarrow.types.is_timestamp(column.type):
        return column
    return column.cast(pyarrow.timestamp("us", column.type.tz), safe=False).cast(pyarrow.int64())


def _of_batch(columns: Mapping[str, Any], row: int, place: str) -> ArchivedArticle | Failure:
    import pyarrow

    try:
        values = {name: column[row].as_py() for name, column in columns.items()}
        if type(values.get("fetched_at")) is int:
            values["fetched_at"] = EPOCH + timedelta(microseconds=values["fetched_at"])
    except (pyarrow.ArrowException, ValueError, OverflowError, TypeError, KeyError) as error:
        return Failure(place, f"no page: a value that cannot be read: {_told(error)}")
    return row_entry(values, place)


def row_entry(row: Mapping[str, Any], place: str) -> ArchivedArticle | Failure:
    """The page of a row, or why it is none."""
    try:
        return page_object({name: _plain(name, value) for name, value in row.items() if value is not None}, place)
    except TooLarge as error:
        return Failure(place, str(error), "too_large")
    except MissingCoding as error:
        return Failure(place, str(error), "failed")
    except (ValueError, TypeError, RecursionError) as error:
        return Failure(place, f"no page: {error}; {_EXPECTED}")


def _plain(name: str, value: Any) -> Any:
    """As JSON would have it.

    :raises ValueError: what should be JSON is none.
    :raises TypeError: a map has keys that cannot be keys of an object.
    """
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii") if name == "body" else bytes(value).decode("utf-8", "replace")
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list) and value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        value = dict(value)  # a map
    if isinstance(value, dict):
        return {key: _plain("", inner) for key, inner in value.items() if inner is not None}
    if name in _NESTED and isinstance(value, str) and value.lstrip().startswith("{"):
        return json.loads(value)
    return value
