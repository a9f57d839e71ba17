"""Where a database is: SQLAlchemy's addresses, checked, with what a message may show of them (no password)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from sqlalchemy import URL

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

    :raises UsageError: it is none, or of a kind that is not supported.
    :raises MissingExtra: SQLAlchemy, Alembic or PostgreSQL's driver is not installed.
    """
    for module in ("sqlalchemy", "alembic"):
        if find_spec(module) is None:
            raise MissingExtra(module, "storage", "writing to a database")
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    text = text.strip()
    if not text:
        raise UsageError(f"the database's address is empty; expected for example {EXAMPLES}")
    if "://" not in text and _NO_PATH.match(text):
        raise UsageError(f"the database's address lacks the slashes; expected for example {EXAMPLES}")
    try:
        url = make_url(text if "://" in text else f"sqlite:///{text}")
    except (ArgumentError, ValueError) as error:  # ValueError: a port that is no number
        # Not the text itself: it may hold a password.
        raise UsageError(f"the database's address cannot be read; expected for example {EXAMPLES}") from error
    backend, _, driver = url.drivername.partition("+")
    if backend != "sqlite" and text.count("@") != (url.username is not None):
        # Not the text itself: what stands around that @ is a part of a password.
        raise UsageError(
            "the database's address has an @ that does not stand between user and host; write %40 for @ within a password"
        )
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
        raise UsageError(f"{shown}: a database in memory is gone when the crawl ends; name a file, for example {DEFAULT}")
    file = None if url.database.startswith("file:") else Path(url.database)
    if file is not None and file.is_dir():
        raise UsageError(f"{shown}: this is a folder; name a file, for example {DEFAULT}")
    return Address(url.set(drivername="sqlite").render_as_string(hide_password=False), shown, "sqlite", file)


def _shown(url: URL) -> str:
    """For messages: libpq takes passwords under several names, so only what is known to be harmless is shown."""
    harmless = {name: value if name in _HARMLESS else "hidden" for name, value in url.query.items()}
    return url.set(query=harmless).render_as_string(hide_password=True)
