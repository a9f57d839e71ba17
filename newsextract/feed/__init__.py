"""The lines that come out of crawls and archives: ``record_lines`` (types), ``duplicates``, and here the files of them.

Files of JSON lines that survive ``kill -9``, and the one reader that checks their lines.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from newsextract.errors import DataError
from newsextract.feed.record_lines import TRANSIENT, FeedLine

# --- feed lines -----------------------------------------------------------------------------------
# The lines of our own feeds, read back and checked: the one reader that crawls, archives and the database share.
#
# Cost: one ``json.loads`` a line; nothing is kept.

OBJECT = "object"
"""What the lines of wrappers call themselves."""
MAX_ATTEMPTS = 3
"""Runs in which a page that failed for a passing reason is tried."""
_ID = re.compile("[0-9a-f]{16}")
_FINGERPRINT = re.compile("[0-9a-f]{384}|[0-9a-f]{320}|[0-9a-f]{64}")
"""Today's first, then those of earlier versions."""
_BEGIN = b'{"id": "'
"""Of each line that newsextract writes."""

SHOWN = 3
"""Foreign lines of a file that are reported one by one."""
TAIL = 4_096
"""Bytes before the known end of a file that must be the same still."""

Check = Callable[[dict[str, Any], bytes], object]
"""Raises ValueError, KeyError or TypeError when a line is not what it should be."""


def read_whole(path: Path, start: int = 0) -> Iterator[tuple[bytes, int]]:
    """The whole lines of a file from a byte on, each with its first byte.

    A torn last line (no newline at its end) is passed over; a missing file is an empty one.
    """
    if path.is_file():
        with path.open("rb") as file:
            file.seek(start)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                yield line, start
                start += len(line)


def batches(path: Path, start: int, size: int) -> Iterator[list[tuple[bytes, int]]]:
    """The same, some lines at a time."""
    found = read_whole(path, start)
    while batch := list(islice(found, size)):
        yield batch


def lines(
    path: Path, check: Check, mend: str, skipped: Callable[[str], object] | None = None
) -> Iterator[tuple[dict[str, Any], int]]:
    """The values of a feed's lines, as of :func:`read_whole`.

    :param mend: what the user may do about a line that newsextract did not write; the end of the message.
    :param skipped: called at the end, with a message about each of the first lines that ``check`` refuses, and about all;
        None: the first is an error.
    :raises DataError: ``check`` refuses a line that is not skipped, or all lines.
    """
    told: list[str] = []
    count, is_ours = 0, False
    for number, (line, place) in enumerate(read_whole(path), 1):
        try:
            value = json.loads(line)
            check(value, line)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            count += 1
            if count <= SHOWN:
                told.append(f"{path}: line {number} is not a record of newsextract ({reason(error)})")
            if skipped is None:
                raise DataError(f"{told[0]}; {mend}") from error
            continue
        is_ours = True
        yield value, place
    if told and not is_ours:
        raise DataError(f"{told[0]}; {mend}")
    if skipped is not None:
        for message in told:
            skipped(f"{message}; it is skipped")
        if count > SHOWN:
            skipped(f"{path}: {count:,} lines are not records of newsextract; they are skipped")


def reason(error: Exception) -> str:
    """Why a line is no record, from what reading or checking it has raised."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "it is not JSON" if isinstance(error, json.JSONDecodeError | UnicodeDecodeError) else str(error)


def check_end(path: Path) -> None:
    """Refuse a file whose last line would be passed over or cut as torn although newsextract has not written it.

    :raises DataError: neither its first line nor the rest without a newline begins as the lines of a feed do.
    """
    if not path.is_file():
        return
    with path.open("rb") as file:
        end = whole_lines(file.fileno())
        first = file.read(len(_BEGIN))
        file.seek(end)
        rest = file.read(len(_BEGIN))
    if rest and not first.startswith(_BEGIN) and not _BEGIN.startswith(rest):
        raise DataError(f"{path}: its last line is not a record of newsextract; name a feed that newsextract has written")


def check_feed(path: Path) -> None:
    """Raise DataError if a feed does not exist, or if :func:`check_end` refuses it."""
    if not path.is_file():
        raise DataError(f"{path}: no such file; name a feed that a crawl has written, for example out/news.jsonl")
    check_end(path)


def line_at(path: Path, place: int) -> dict[str, Any]:
    """The line that begins at a byte of a feed. Raises DataError: the file has been changed since."""
    with path.open("rb") as file:
        file.seek(place)
        try:
            value = json.loads(file.readline())
        except ValueError:
            value = None
    if not isinstance(value, dict):
        raise DataError(f"{path}: changed while the crawl runs: no record at byte {place}; start the crawl again")
    return value


def tail_digest(path: Path, position: int) -> str:
    """Digest of the :data:`TAIL` bytes before a place: whether a file is still the one that was read up to there."""
    with path.open("rb") as file:
        start = max(0, position - TAIL)
        file.seek(start)
        return hashlib.blake2b(file.read(position - start), digest_size=16).hexdigest()


def check_rejection(value: dict[str, Any], line: bytes) -> None:
    """Raise ValueError, KeyError or TypeError when a line is no rejection."""
    _check_texts(value, _ARTICLE_TEXTS)
    if value["status"] in TRANSIENT:
        _check_number(value, "attempt")


def check_record(value: dict[str, Any], line: bytes, wanted: str | None = None) -> None:
    """Raise ValueError, KeyError or TypeError when a line is no record, nor an object.

    :param wanted: ``post``, ``hit`` or ``teaser``; None: an article.
    """
    _check_texts(value, _TEXTS if wanted is not None or value.get("kind") == OBJECT else _ARTICLE_TEXTS)
    if value.get("kind") == OBJECT:
        _check_number(value, "revision")
        content_hash(value["fields"], value["object"], value["missing"])
    elif wanted is not None:
        if value["kind"] != wanted:
            raise ValueError(f"its kind is {value['kind']!r}, not {wanted!r}")
    else:
        if value.get("revision") is not None:
            _check_number(value, "revision")
        if value["fingerprint"] is not None and _FINGERPRINT.fullmatch(value["fingerprint"]) is None:
            raise ValueError(f"its fingerprint is {value['fingerprint']!r}")


_TEXTS = ("site", "engine", "url", "algorithm")
_ARTICLE_TEXTS = (*_TEXTS, "status", "etag", "last_modified")
"""Fields that are texts; in posts, hits, teasers and objects the others may be a pipeline's own."""


def _check_texts(value: dict[str, Any], names: Sequence[str]) -> None:
    if not isinstance(value, dict):
        raise TypeError("it is no JSON object")
    if _ID.fullmatch(str(value.get("id"))) is None:
        raise ValueError(f"its id is {value.get('id')!r}")
    for name in names:
        try:
            str.encode(value.get(name) or "")
        except (TypeError, UnicodeEncodeError) as error:
            raise ValueError(f"its {name} is {value[name]!r}") from error


def _check_number(value: dict[str, Any], name: str) -> None:
    if type(value[name]) is not int or not 0 <= value[name] < 1 << 31:  # more than databases take
        raise TypeError(f"its {name} is no whole number, or too large")


def text_hash(text: str) -> bytes:
    """Eight bytes that tell whether a text has changed."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def post_hash(site: str, author: str | None, date: str | None, text: str) -> bytes:
    """Eight bytes that are the same for a post wherever its site shows it."""
    said = "\n".join((site, author or "", date or "", text))
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).digest()


def content_hash(fields: object, nested: object, missing: list[dict[str, str]]) -> bytes:
    """Eight bytes that tell whether an object has changed: what it says, and which pages it misses."""
    said = json.dumps([fields, nested, sorted(page["url"] for page in missing)], ensure_ascii=False)
    # As the feed has it: what is no UTF-8 stands there as "?". Keys are sorted as they stand there.
    written = json.loads(said.encode("utf-8", "replace"))
    return hashlib.blake2b(json.dumps(written, sort_keys=True, ensure_ascii=False).encode(), digest_size=8).digest()


# --- line file ------------------------------------------------------------------------------------
# A feed of JSON lines that survives ``kill -9``: append-only, unbuffered, whole lines.
#
# * A line is written whole, by one system call; if the disk is full, what was written of it is taken back.
# * A torn last line (the process died while writing) is cut off when the file is opened.
# * The file is locked: two processes cannot write one feed.
# * Before each line it is checked that the file is still the one that was opened, and as long as what was written.


class FeedChangedError(OSError):
    """A feed was deleted, replaced or cut while it was being written."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} {what} while the crawl was writing it")


class LedgerFile(io.RawIOBase):
    """An append-only file of whole lines."""

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        super().__init__()
        self._descriptor = -1  # none yet: close() is called whatever happens below
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise DataError(f"{path}: another crawl is writing this feed; wait for it, or name another feed") from error
        self._end = 0 if overwrite else whole_lines(self._descriptor)  # not before the lock is ours
        os.ftruncate(self._descriptor, self._end)

    def check(self) -> None:
        """See that the file is still the one that was opened, and as long as it was left. Costs 2 µs.

        :raises FeedChangedError: somebody else has deleted, replaced, cut or lengthened it.
        """
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            raise FeedChangedError(self.path, "was deleted") from None
        if not os.path.samestat(there, os.fstat(self._descriptor)):
            raise FeedChangedError(self.path, "was replaced by another file")
        if there.st_size != self._end:
            done = "cut off" if there.st_size < self._end else "written to by another program"
            raise FeedChangedError(self.path, f"was {done} (it has {there.st_size} bytes, not {self._end})")

    def writable(self) -> bool:
        """True: the exporter asks."""
        return True

    def write(self, data: Any) -> int:
        """Append a whole line; on failure the file is as before.

        :raises FeedChangedError: it is not the file any more that it was.
        :raises OSError: the disk is full or the file cannot be written.
        """
        self.check()
        line = bytes(data)
        write_whole(self._descriptor, line, self._end, self.path)
        self.last_place = self._end
        """The first byte of this line."""
        self._end += len(line)
        return len(line)

    def close(self) -> None:
        """Give the lock back."""
        if not self.closed and self._descriptor >= 0:
            os.close(self._descriptor)
        super().close()


def write_whole(descriptor: int, data: bytes | bytearray, end: int, path: Path) -> None:
    """Write bytes at the end of a file; on failure the file is as before.

    :raises OSError: the disk is full or the file cannot be written.
    """
    done = 0
    try:
        while done < len(data):
            done += os.pwrite(descriptor, data[done:], end + done)
    except OSError as error:
        os.ftruncate(descriptor, end)
        error.filename = str(path)
        raise


def whole_lines(descriptor: int) -> int:
    """The length of the file up to its last newline."""
    end = os.fstat(descriptor).st_size
    while end > 0:
        start = max(0, end - 65_536)
        newline = os.pread(descriptor, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def line(item: FeedLine) -> bytes:
    """A record or a rejection as a line of a feed, in the order of its fields."""
    return json.dumps(item.values(), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
