"""The state and the records of a shared crawl in one PostgreSQL database: what is done is written with the record itself.

Records, rejections and pages go into the tables of :mod:`newsextract.database`, and what the next run must know into those
of :mod:`newsextract.state.schema`, in one transaction; so each record is written exactly once. The transaction first looks
whether the process still has the lease of the record's site (:mod:`newsextract.state.leases`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from time import monotonic, sleep
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from newsextract.database.address import Address
from newsextract.database.connection import explain, open_engine
from newsextract.database.feed_reader import Line
from newsextract.database.refusals import write_rows
from newsextract.database.rows import PAGES, REJECTIONS, Kind, Row, read_row
from newsextract.database.schema import article_revisions, pages
from newsextract.errors import DataError
from newsextract.line_file import line as line_of
from newsextract.near_duplicates import Sketch, original, sketch
from newsextract.news_record import FeedLine, NewsRecord
from newsextract.state import lines as state_lines
from newsextract.state import schema
from newsextract.state.leases import SiteLeases
from newsextract.state.lines import Rows
from newsextract.state.tables import KeptLink, State

_LOCK = 7_310_223_018
"""Names our lock among those of a PostgreSQL database; any number will do."""
PATIENCE = 10.0
"""Seconds for which a question is asked again."""
LOST = "the lease of its site is another process's"
"""Why a line is not written: the process stood still for too long."""


@dataclass(slots=True)
class NewLine:
    """A line to be written."""

    item: FeedLine
    site: str
    refused: str | None = None
    """Why it is not in the database, once :meth:`SharedState.write` has returned."""


class SharedState(State):
    """A process's view of a shared crawl.

    :param address: of a PostgreSQL database whose schema is up to date.
    :param crawl: its name; all processes of a crawl give the same.
    :param seconds: how long a lease holds without renewal.
    :raises DataError: the database does not answer, or has a state of another version.
    """

    def __init__(self, address: Address, crawl: str, seconds: float) -> None:
        super().__init__(open_engine(address, is_durable=True), address.shown)
        self.leases = SiteLeases(self._engine, crawl, seconds)
        self._feed = f"shared:{crawl}"
        try:
            self._make_tables()
        except SQLAlchemyError as error:
            raise DataError(f"{self._shown}: {explain(error)}") from error

    def _make_tables(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))  # one process at a time
            schema.metadata.create_all(connection)
            version = schema.facts.c.name == "version"
            found = connection.execute(select(schema.facts.c.value).where(version)).scalar()
            if found is None:
                connection.execute(schema.facts.insert().values(name="version", value=str(schema.VERSION)))
            elif found != str(schema.VERSION):
                raise DataError(
                    f"{self._shown}: its state has version {found}, this newsextract knows version {schema.VERSION}; "
                    "all processes of a crawl need the same newsextract"
                )
            state_lines.forget_old_sketches(connection)

    def write(self, lines: Sequence[NewLine]) -> None:
        """Write lines of leased sites in one transaction; each says afterwards whether it was refused.

        :raises SQLAlchemyError: the database does not take them now; nothing of them is written.
        """
        with self._engine.begin() as connection:
            held = self.leases.held(connection, {new.site for new in lines})
            fresh: list[Sketch] = []
            rows: list[tuple[Line, Kind, Row]] = []
            for number, new in enumerate(lines):
                new.refused = None if new.site in held else LOST
                if new.refused is None:
                    if isinstance(new.item, NewsRecord) and new.item.fingerprint is not None:
                        mine = sketch(int(new.item.id, 16), new.item.fingerprint, new.item.fetched_at)
                        known = original(mine, [*state_lines.near(connection, mine), *fresh])
                        new.item.duplicate_of = f"{known:016x}" if known is not None else None
                        fresh.append(mine)
                    try:
                        rows.append((Line(number, line_of(new.item)), *read_row(line_of(new.item))))
                    except ValueError as error:
                        new.refused = str(error)
            for refusal in write_rows(connection, rows, self._feed):
                lines[refusal.line.start].refused = refusal.reason
            noted = Rows()
            for line, kind, _ in rows:
                if lines[line.start].refused is None and kind is not PAGES:
                    value = json.loads(line.text)
                    noted.add_rejection(value) if kind is REJECTIONS else noted.add_record(value, 0)
            noted.write(connection)

    def keep_link(self, link: KeptLink) -> None:
        """As with any state, but a server that is started anew is waited for."""
        _patiently(super().keep_link, link)

    def _all(self, wanted: Any) -> Sequence[Any]:
        rows: Sequence[Any] = _patiently(super()._all, wanted)
        return rows

    def _one(self, wanted: Any) -> Any:
        return _patiently(super()._one, wanted)

    def pages(self, site: str) -> list[dict[str, Any]]:
        """The lines of a site's pages of many records."""
        return [_values(row) for row in self._all(select(pages).where(pages.c.site == site))]

    def line(self, number: int) -> dict[str, Any] | None:
        """The last line of an article."""
        row = self._one(select(_ARTICLES).where(_ARTICLES.c.id == f"{number:016x}"))
        return _values(row) if row is not None else None

    def latest(self, site: str, count: int) -> list[dict[str, Any]]:
        """The last lines of those articles of a site that were fetched last."""
        wanted = select(_ARTICLES).where(_ARTICLES.c.site == site).order_by(_ARTICLES.c.fetched_at.desc()).limit(count)
        return [_values(row) for row in reversed(self._all(wanted))]


def _patiently(ask: Callable[[Any], Any], argument: Any) -> Any:
    """Ask again while the server is started anew."""
    deadline = monotonic() + PATIENCE
    while True:
        try:
            return ask(argument)
        except (DataError, OSError):
            if monotonic() > deadline:
                raise
            sleep(0.2)


_ARTICLES = article_revisions.to_metadata(type(article_revisions.metadata)(), name="articles")
"""The view, with the columns of its table."""
_NO_FIELDS = frozenset({"day", "text_hash", "content_hash"})


def _values(row: Any) -> dict[str, Any]:
    """A row as the line that it was."""
    values = {name: value for name, value in row._mapping.items() if name not in _NO_FIELDS}
    return values | {"fetched_at": values["fetched_at"].astimezone(UTC).isoformat(timespec="seconds")}
