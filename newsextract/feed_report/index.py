"""Index of a feed and its rejections in SQLite: figures per site, records per day, full-text search, revisions, duplicates.

The index has one row per line of the two files. Texts stay in the feed and are read at the line's byte offset. The words of
titles and texts are in an FTS5 table without content; each Chinese or Japanese character is a word. An index in a file is
updated with the new lines of the feed; if the feed was replaced, the index is rebuilt.

Cost: 0.2 to 0.3 ms of CPU and 2 kB of disk per record of 300 words. With 1,000,000 records, 4 s for the figures of the
sites, 1 s for the most frequent word, less than .3 s for other queries (``python -m benchmarks.feed_report 1000000``).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from newsextract.errors import DataError
from newsextract.feed import OBJECT, batches, check_feed, line_at, tail_digest
from newsextract.feed.duplicates import SINGLE
from newsextract.feed.record_lines import COVERED, WITHDRAWN
from newsextract.state.store import remove_database

VERSION = 1
BATCH = 2_000
"""Number of lines per SQL statement."""
_SCHEMA = """
CREATE TABLE files (name TEXT PRIMARY KEY, position INTEGER, digest TEXT);
CREATE TABLE lines (
    place INTEGER PRIMARY KEY, id TEXT, site TEXT, kind TEXT, day TEXT, status TEXT, revision INTEGER, size INTEGER,
    confidence REAL, fields TEXT, duplicate_of TEXT, fetched_at TEXT, last INTEGER
);
CREATE INDEX lines_id ON lines (id);
CREATE INDEX lines_site ON lines (site, place) WHERE last;
CREATE INDEX lines_status ON lines (status, place) WHERE last;
CREATE INDEX lines_size ON lines (site, size) WHERE last;
CREATE INDEX lines_confidence ON lines (site, confidence) WHERE last;
CREATE INDEX lines_day ON lines (day) WHERE last;
CREATE INDEX lines_revision ON lines (place) WHERE last AND revision > 0;
CREATE INDEX lines_group ON lines (duplicate_of) WHERE last AND duplicate_of IS NOT NULL;
CREATE TABLE rejections (place INTEGER PRIMARY KEY, id TEXT, site TEXT, status TEXT, last INTEGER);
CREATE INDEX rejections_id ON rejections (id);
CREATE INDEX rejections_site ON rejections (site, status, place) WHERE last;
"""
_WORDS = "CREATE VIRTUAL TABLE words USING fts5 (title, text, content='', tokenize='unicode61 remove_diacritics 2')"
_ONE = re.compile(f"([{SINGLE}])")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

Line = dict[str, Any]


@dataclass(slots=True)
class SiteFigures:
    """Figures of one site, from the last line of each record and of each rejected page."""

    records: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    """Status → number of rejected pages."""
    coverage: Counter[str] = field(default_factory=Counter)
    """Field → number of records with it."""
    fields: dict[str, None] = field(default_factory=dict)
    """The fields that its kinds of records can have, in order."""
    size: int = 0
    """Median length in characters."""
    confidence: float = 0.0
    """Median confidence."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selection of records."""

    words: str = ""
    site: str = ""
    status: str = ""


class FeedIndex:
    """The index; not thread-safe.

    :param path: file of the index; None: a temporary file.
    :raises DataError: the feed is missing, or cannot be read.
    """

    def __init__(self, feed: Path, path: Path | None = None, *, searchable: bool = False) -> None:
        check_feed(feed)
        self.feed, self.rejected = feed, feed.with_suffix(".rejected.jsonl")
        self.searchable = searchable
        self.foreign = 0
        """Number of lines that are not records of newsextract."""
        self._path = path
        self._database = self._open()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _open(self) -> sqlite3.Connection:
        for _ in range(2):
            database = sqlite3.connect(self._path or "", isolation_level=None, check_same_thread=False, timeout=30)
            try:
                (version,) = database.execute("PRAGMA user_version").fetchone()
                if version == VERSION:
                    return database
                if not version:
                    database.executescript(f"PRAGMA journal_mode = WAL; {_SCHEMA}")
                    if self.searchable:
                        database.execute(_WORDS)
                    database.execute(f"PRAGMA user_version = {VERSION}")
                    return database
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise DataError(f"{self._path}: {error}; the index must be in a folder that you can write") from error
            database.close()
            self._remove()  # damaged, or from another version
        raise DataError(f"{self._path}: is no index of newsextract; delete it")

    def _remove(self) -> None:
        if self._path is not None:
            remove_database(self._path)

    # -- reading the files ---------------------------------------------------------------------------------------------

    def catch_up(self, told: Callable[[int], None] | None = None) -> None:
        """Index the new lines.

        :param told: called with the number of lines so far.
        :raises DataError: a file cannot be read, no line of the feed is a record, or the disk is full.
        """
        try:
            files = [(self.feed, self._add_records), (self.rejected, self._add_rejections)]
            if any(self._position(path) is None for path, _ in files):
                self._database.close()
                self._remove()
                self._database = self._open()
            count = 0
            for path, add in files:
                for lines in batches(path, self._position(path) or 0, BATCH):
                    with self._transaction():
                        add([(place, value) for line, place in lines if (value := self._value(line)) is not None])
                        position = lines[-1][1] + len(lines[-1][0])
                        row = (path.name, position, tail_digest(path, position))
                        self._database.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", row)
                    count += len(lines)
                    if told is not None:
                        told(count)
            if self._position(self.feed) and self._database.execute("SELECT 1 FROM lines LIMIT 1").fetchone() is None:
                raise DataError(f"{self.feed}: no line of it is a record; name a feed that a crawl has written")
        except sqlite3.Error as error:
            raise DataError(f"{self._path or 'the temporary index (see SQLITE_TMPDIR)'}: {error}") from error
        except OSError as error:
            raise DataError(f"{error.filename or self.feed}: cannot be read: {error.strerror or error}") from error

    def _position(self, path: Path) -> int | None:
        """Offset up to which a file has been indexed; None if the file was replaced."""
        row = self._database.execute("SELECT position, digest FROM files WHERE name = ?", (path.name,)).fetchone()
        if row is None:
            return 0
        if not path.is_file() or path.stat().st_size < row[0] or tail_digest(path, row[0]) != row[1]:
            return None
        return int(row[0])

    def _value(self, line: bytes) -> Line | None:
        value = read_line(line)
        self.foreign += value is None and bool(line.strip())
        return value

    def _add_records(self, lines: Sequence[tuple[int, Line]]) -> None:
        rows, words = [], []
        for place, line in lines:
            seen = Shown.of(line)
            rows.append(
                (
                    place, line["id"], site_of(line), seen.kind, day_of(line), str(line.get("status") or "ok"),
                    _whole(line.get("revision")), len(seen.text), number_of(line.get("confidence", line.get("fit"))),
                    " ".join(covered(line)), text_of(line, "duplicate_of") or None, text_of(line, "fetched_at"),
                )
            )  # fmt: skip
            words.append((place, spaced(seen.title), spaced(seen.text)))
        execute = self._database.executemany
        execute("UPDATE lines SET last = 0 WHERE id = ? AND last", [(line["id"],) for _, line in lines])
        execute(f"INSERT INTO lines VALUES ({'?, ' * 12}1)", rows)
        # of two lines of one batch the first is not the last one
        execute("UPDATE lines SET last = 0 WHERE id = ?1 AND place < ?2", _repeated(lines))
        if self.searchable:
            execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", words)

    def _add_rejections(self, lines: Sequence[tuple[int, Line]]) -> None:
        execute = self._database.executemany
        execute("UPDATE rejections SET last = 0 WHERE id = ? AND last", [(line["id"],) for _, line in lines])
        rows = [(place, line["id"], site_of(line), text_of(line, "status")) for place, line in lines]
        execute("INSERT INTO rejections VALUES (?, ?, ?, ?, 1)", rows)
        execute("UPDATE rejections SET last = 0 WHERE id = ?1 AND place < ?2", _repeated(lines))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:  # also Ctrl-C: nothing half-done is left
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    # -- questions -----------------------------------------------------------------------------------------------------

    def _all(self, question: str, *values: Any) -> list[Any]:
        return self._database.execute(question, values).fetchall()

    def sites(self) -> dict[str, SiteFigures]:
        """Figures of each site; withdrawn records count only in ``statuses``."""
        found: dict[str, SiteFigures] = {}
        grouped = "SELECT site, kind, status, fields, count(*) FROM lines WHERE last GROUP BY 1, 2, 3, 4"
        for site, kind, status, fields, count in self._all(grouped):
            figures = found.setdefault(site, SiteFigures())
            figures.statuses[status] += count
            if status == WITHDRAWN:
                continue
            figures.records += count
            present = fields.split(" ") if fields else []
            figures.fields |= dict.fromkeys(COVERED.get(kind, ())) | dict.fromkeys(present)
            for name in present:
                figures.coverage[name] += count
        for site, status, count in self._all(f"SELECT site, status, count(*) {_REJECTED} GROUP BY 1, 2"):
            found.setdefault(site, SiteFigures()).rejected[status] = count
        for site, figures in found.items():
            if lines := sum(figures.statuses.values()):
                figures.size, figures.confidence = (
                    self._all(f"{one} WHERE last AND site = ? ORDER BY 1 LIMIT 1 OFFSET ?", site, lines // 2)[0][0]
                    for one in ("SELECT size FROM lines", "SELECT confidence FROM lines")
                )
        return dict(sorted(found.items(), key=lambda item: (-item[1].records, item[0])))

    def days(self, count: int) -> list[tuple[str, int]]:
        """Number of records for each of the last days with records, oldest first. Future dates are ignored."""
        last = "SELECT max(substr(fetched_at, 1, 10)) FROM lines WHERE last"
        found = self._all(
            f"SELECT day, count(*) FROM lines WHERE last AND status != ? AND day BETWEEN '1' AND ({last}) "
            "GROUP BY day ORDER BY day DESC LIMIT ?", WITHDRAWN, count,
        )  # fmt: skip
        return found[::-1]

    def records(self, chosen: Chosen, count: int, start: int = 0) -> tuple[int, list[Line]]:
        """The number of selected records, and some of them, newest line first."""
        where, values = "last", []
        if chosen.words:
            # of FTS5: all words; adjacent Chinese or Japanese characters form a phrase
            match = " ".join(f'"{spaced(word)}"' for word in chosen.words.replace('"', " ").replace("\0", " ").split())
            if not match:
                return 0, []
            where += " AND place IN (SELECT rowid FROM words WHERE words MATCH ?)"
            values.append(match)
        total, places = self._found("place", f"FROM lines WHERE {where}", values, chosen, count, start)
        return total, [line_at(self.feed, place) for place in places]

    def _found(
        self, what: str, where: str, values: Sequence[Any], chosen: Chosen, count: int, start: int
    ) -> tuple[int, list[Any]]:
        """The number of the chosen rows, and a column of some of them, newest first."""
        for name, value in (("site", chosen.site), ("status", chosen.status)):
            if value:
                where, values = f"{where} AND {name} = ?", [*values, value]
        ((total,),) = self._all(f"SELECT count(*) {where}", *values)
        found = self._all(f"SELECT {what} {where} ORDER BY place DESC LIMIT ? OFFSET ?", *values, count, start)
        return total, [one for (one,) in found]

    def lines_of(self, identity: str) -> list[Line]:
        """All lines of a record, oldest first."""
        found = self._all("SELECT place FROM lines WHERE id = ? ORDER BY place", identity)
        return [line_at(self.feed, place) for (place,) in found]

    def revised(self, count: int, start: int = 0) -> tuple[int, list[str]]:
        """The number of records with revisions, and the ids of some, newest first."""
        return self._found("id", "FROM lines WHERE last AND revision > 0", (), Chosen(), count, start)

    def groups(self, count: int, members: int, start: int = 0) -> tuple[int, list[tuple[int, list[Line]]]]:
        """The number of groups of near-duplicates, and some, largest first: size, and the original with its duplicates."""
        where = "FROM lines WHERE last AND duplicate_of IS NOT NULL"
        ((total,),) = self._all(f"SELECT count(DISTINCT duplicate_of) {where}")
        found = self._all(
            f"SELECT duplicate_of, count(*) {where} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ? OFFSET ?", count, start
        )
        groups = []
        for identity, size in found:
            others = self._all(f"SELECT place {where} AND duplicate_of = ? ORDER BY place LIMIT ?", identity, members)
            lines = [*self.lines_of(identity)[-1:], *(line_at(self.feed, place) for (place,) in others)]
            groups.append((size + 1, lines))
        return total, groups

    def rejections(self, count: int, start: int = 0, *, site: str = "", status: str = "") -> tuple[int, list[Line]]:
        """The number of pages without a record, and the last lines of some, newest first."""
        total, places = self._found("place", _REJECTED, (), Chosen("", site, status), count, start)
        return total, [line_at(self.rejected, place) for place in places]


_REJECTED = "FROM rejections WHERE last AND id NOT IN (SELECT id FROM lines)"
"""Rejected pages that never gave a record."""


# --- lines ----------------------------------------------------------------------------------------
# The displayed fields of a line of any kind. Feeds may have been edited, so types are not relied on.


def read_line(line: bytes) -> Line | None:
    """The value of a line; None if it is torn, or not a record of newsextract."""
    with suppress(ValueError, RecursionError):
        value = json.loads(line)
        if b"\\ud" in line.lower():  # halves of surrogate pairs, which SQLite cannot store
            value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        if isinstance(value, dict) and isinstance(value.get("id"), str) and isinstance(value.get("url"), str):
            return value
    return None


@dataclass(frozen=True, slots=True)
class Shown:
    """The displayed fields of a line."""

    kind: str
    title: str
    text: str
    link: str
    """URL for the reader."""
    author: str
    image: str

    @classmethod
    def of(cls, line: Line) -> Shown:
        """The displayed fields of a line."""
        kind = text_of(line, "kind") or "news"
        title = text_of(line, "title") or text_of(line, "thread_title") or text_of(line, "label")
        text = text_of(line, "text") or text_of(line, "snippet")
        if kind == OBJECT:
            found = line.get("fields") or line.get("object")
            text = "\n".join(_described(found)) if isinstance(found, dict) else ""
        link = text_of(line, "permalink") or text_of(line, "address") or line["url"]
        authors = line.get("authors")
        author = ", ".join(map(str, authors)) if isinstance(authors, list) else text_of(line, "author")
        return cls(kind, title, text, link, author, text_of(line, "image"))


def text_of(line: Line, name: str) -> str:
    """A text field; empty if the value is not a text."""
    value = line.get(name)
    return value if isinstance(value, str) else ""


def site_of(line: Line) -> str:
    """The site of a line."""
    return text_of(line, "site") or text_of(line, "engine")


def day_of(line: Line) -> str:
    """The day of a record, else the day of its fetch."""
    day = text_of(line, "date")[:10]
    return day if _DAY.fullmatch(day) else text_of(line, "fetched_at")[:10]


def covered(line: Line) -> list[str]:
    """The non-empty fields of a record; for an object, its labels."""
    kind = text_of(line, "kind") or "news"
    if kind == OBJECT:
        fields = line.get("fields")
        return [name for name, value in fields.items() if value and " " not in name] if isinstance(fields, dict) else []
    return [name for name in COVERED.get(kind, ()) if line.get(name)]


def spaced(text: str) -> str:
    """A text with spaces around Chinese and Japanese characters, so that each is a word."""
    return _ONE.sub(r" \1 ", text)


def _described(value: dict[str, Any], depth: int = 0) -> Iterator[str]:
    for name, one in value.items():
        for part in one if isinstance(one, list) else [one]:
            if isinstance(part, dict) and depth < 20:
                text = part.get("text")
                yield f"{name}: {text if isinstance(text, str) else ''}".rstrip(": ") if "text" in part else f"{name}:"
                yield from _described({key: inner for key, inner in part.items() if key != "text"}, depth + 1)
            else:
                yield f"{name}: {part}"


def number_of(value: Any) -> float:
    """A number that SQLite can store; 0 for any other value."""
    return value if isinstance(value, float) else float(_whole(value))


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and abs(value) < 1 << 63 else 0  # SQLite has no larger ones


def _repeated(lines: Sequence[tuple[int, Line]]) -> list[tuple[str, int]]:
    """Ids of several lines, each with the position of its last line."""
    counts = Counter(line["id"] for _, line in lines)
    last = {line["id"]: place for place, line in lines}
    return [(identity, last[identity]) for identity, count in counts.items() if count > 1]
