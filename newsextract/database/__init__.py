"""Records in a database: SQLite or PostgreSQL, through SQLAlchemy's Core.

:mod:`~newsextract.database.bringing_in` follows a crawl's feeds like ``tail -f``, in a thread, and writes new lines in
batches. The position in the feed is stored in the same transaction as the rows. If the database does not answer or the
process is killed, the lines wait in the feed until the next start. Reading a feed twice does no harm.

SQLAlchemy and psycopg are optional (the extras ``storage`` and ``postgres``), and imported late;
:func:`read_address` reports what is missing. Address and pace of a crawl's database are defined here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from sqlalchemy import URL

# --- address --------------------------------------------------------------------------------------
# SQLAlchemy's addresses, checked, with what a message may show of them (no password).

DEFAULT = "sqlite:///out/news.db"
"""Where the command line looks if nothing else is said."""
EXAMPLES = "sqlite:///out/news.db or postgresql+psycopg://user@host/name"
_NO_PATH = re.compile(r"(postgres|mysql|mariadb|oracle|mssql|sqlite)[\w+]*:", re.IGNORECASE)
"""An address without its slashes; as a file's name it would show its password."""
_HARMLESS = frozenset({"host", "port", "options", "sslmode"})
"""What may be shown of what stands behind the question mark."""


@dataclass(frozen=True, slots=True)
class Address:
    """A database's address."""

    url: str
    """As SQLAlchemy takes it, with its driver and password."""
    shown: str
    """For messages: without password."""
    backend: str
    """``sqlite`` or ``postgresql``."""
    file: Path | None
    """SQLite's file, where the address names one plainly."""


def read_address(text: str) -> Address:
    """Check an address; a path without ``://`` is a SQLite file.

    :raises UsageError: it is no address of a database, or of an unsupported kind.
    :raises MissingExtra: SQLAlchemy or PostgreSQL's driver is not installed.
    """
    if find_spec("sqlalchemy") is None:
        raise MissingExtra("sqlalchemy", "storage", "writing to a database")
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    text = text.strip()
    if not text:
        raise UsageError(f"the database URL is empty; expected for example {EXAMPLES}")
    if "://" not in text and _NO_PATH.match(text):
        raise UsageError(f"the database URL has no slashes; expected for example {EXAMPLES}")
    try:
        url = make_url(text if "://" in text else f"sqlite:///{text}")
    except (ArgumentError, ValueError) as error:  # ValueError: a port that is no number
        # Not the text itself: it may hold a password.
        raise UsageError(f"the database URL is invalid; expected for example {EXAMPLES}") from error
    backend, _, driver = url.drivername.partition("+")
    if backend != "sqlite" and text.count("@") != (url.username is not None):
        # Not the text itself: what stands around that @ is a part of a password.
        raise UsageError("the database URL has an @ that is not between user and host; write %40 for @ in a password")
    shown = _shown(url) if backend != "sqlite" else url.render_as_string()
    if backend in ("postgres", "postgresql"):
        if driver not in ("", "psycopg"):
            raise UsageError(f"{shown}: the driver {driver!r} is not supported; write postgresql+psycopg://…")
        if find_spec("psycopg") is None:
            raise MissingExtra("psycopg", "postgres", "a PostgreSQL database")
        url = url.set(drivername="postgresql+psycopg")
        return Address(url.render_as_string(hide_password=False), shown, "postgresql", None)
    if backend != "sqlite" or driver not in ("", "pysqlite"):
        raise UsageError(f"{shown}: databases of this kind are not supported; expected for example {EXAMPLES}")
    if not url.database or url.database == ":memory:":
        raise UsageError(f"{shown}: a database in memory is lost when the crawl ends; name a file, for example {DEFAULT}")
    file = None if url.database.startswith("file:") else Path(url.database)
    if file is not None and file.is_dir():
        raise UsageError(f"{shown}: this is a folder; name a file, for example {DEFAULT}")
    return Address(url.set(drivername="sqlite").render_as_string(hide_password=False), shown, "sqlite", file)


def _shown(url: URL) -> str:
    """For messages: libpq takes passwords under several names, so only what is known to be harmless is shown."""
    harmless = {name: value if name in _HARMLESS else "hidden" for name, value in url.query.items()}
    return url.set(query=harmless).render_as_string(hide_password=True)


# --- pace -----------------------------------------------------------------------------------------
# How a crawl writes to its database: the settings ``DATABASE_BATCH``, ``_SECONDS`` and ``_PATIENCE``, checked.


@dataclass(frozen=True)
class Pace:
    """Lines and seconds."""

    lines: int = 500
    """Lines a transaction. 500 articles are about 2 MB, and take 0.1 s with SQLite, 0.2 s with PostgreSQL."""
    seconds: float = 1.0
    """Between two looks at the feeds."""
    patience: float = 30.0
    """Seconds that the end of a crawl waits for a database that gets nothing done."""


def read_pace(setting: Callable[[str], Any]) -> Pace:
    """The settings, checked.

    :param setting: gives the value of a setting, None if it has none.
    :raises UsageError: one is no number, or out of its range.
    """
    found = []
    for name, default, least, most, expected in (
        ("DATABASE_BATCH", Pace.lines, 1, 100_000, "a number of lines, from 1 to 100000"),
        ("DATABASE_SECONDS", Pace.seconds, 0.01, sys.float_info.max, "seconds, at least 0.01"),
        ("DATABASE_PATIENCE", Pace.patience, 0, sys.float_info.max, "seconds, at least 0"),
    ):
        said = setting(name)
        value = nan
        with suppress(TypeError, ValueError):
            value = float(default if said is None else said)
        if not least <= value <= most or (type(default) is int and value % 1):
            raise UsageError(f"{name} = {said}: expected {expected}")
        found.append(value)
    return Pace(int(found[0]), *found[1:])
