"""Lines that are none, or that the database refuses (a number that is too large, say): they do not stop the others.

Where a batch is refused, it is written row by row. What is refused is noted in ``unwritten``, with its place in the feed and
the reason, until the feed is read from its beginning.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

from newsextract.database.feed_reader import HOST, FeedReader, Line
from newsextract.database.rows import Kind, Row, read_row
from newsextract.database.schema import unwritten
from newsextract.database.upserts import write

_TOO_LARGE = "54"
"""PostgreSQL's class of errors for values that are too large, as for an index."""
_FAILURES = (StatementError, OverflowError)  # sqlite3 has the latter for numbers over 64 bits
_REASON = 300
"""Characters of a reason that are kept."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that is not in the database."""

    line: Line
    reason: str


def read_lines(lines: Sequence[Line]) -> tuple[list[tuple[Line, Kind, Row]], list[Refused]]:
    """The rows of some lines, and the lines that have none."""
    rows: list[tuple[Line, Kind, Row]] = []
    refused: list[Refused] = []
    for line in lines:
        try:
            rows.append((line, *read_row(line.text)))
        except ValueError as error:
            refused.append(Refused(line, str(error)[:_REASON]))
    return rows, refused


def write_rows(connection: Connection, rows: list[tuple[Line, Kind, Row]], feed: str) -> list[Refused]:
    """Write all rows that the database takes.

    :param feed: what tells the feed from others.
    :returns: the lines of the others, with the reasons.
    """
    try:
        with connection.begin_nested():
            write(connection, ((kind, row) for _, kind, row in rows), feed)
        return []
    except _FAILURES as error:
        if not _is_of_rows(error):
            raise
    refused = []
    for line, kind, row in rows:
        try:
            with connection.begin_nested():
                write(connection, [(kind, row)], feed)
        except _FAILURES as error:
            if not _is_of_rows(error):
                raise
            refused.append(Refused(line, " ".join(str(getattr(error, "orig", error)).split())[:_REASON]))
    return refused


def _is_of_rows(error: Exception) -> bool:
    """Whether a row is to blame, not the database."""
    if not isinstance(error, DBAPIError):
        return True
    return isinstance(error, (DataError, IntegrityError)) or str(getattr(error.orig, "sqlstate", ""))[:2] == _TOO_LARGE


def note(connection: Connection, feed: FeedReader, lines: Sequence[Line], refused: Sequence[Refused]) -> None:
    """Within the transaction that writes them: note what is refused, and forget what was refused there before.

    :param lines: lines that follow each other.
    """
    where = unwritten.c.position
    anew = not lines[0].start  # what was noted after that is of another feed
    place = where >= 0 if anew else and_(where >= lines[0].start, where < lines[-1].end)
    of_feed = unwritten.c.host == HOST, unwritten.c.path == str(feed.path)
    connection.execute(unwritten.delete().where(*of_feed, place))
    if refused:
        here = {"host": HOST, "path": str(feed.path)}
        rows = [here | {"position": one.line.start, "reason": one.reason} for one in refused]
        connection.execute(unwritten.insert(), rows)


def tell(feed: FeedReader, refused: Sequence[Refused]) -> None:
    """One warning a batch."""
    if refused:
        first = min(refused, key=lambda one: one.line.start)
        count = f"{len(refused)} lines are" if len(refused) != 1 else "1 line is"
        logger.warning(
            "%s: %s not in the database; at byte %d: %s; the table unwritten has them all",
            feed.path, count, first.line.start, first.reason,
        )  # fmt: skip
