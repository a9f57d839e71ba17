"""A checked run: what every spider is given. How it is made: :mod:`spiders.plan`, :mod:`spiders.archive_plan`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.settings import BaseSettings

from newsextract.addresses import AddressPolicy
from newsextract.database.address import Address, read_address
from newsextract.database.pace import read_pace
from newsextract.errors import UsageError
from newsextract.line_file import LedgerFile
from newsextract.sites import Site
from pipelines.ledger import Ledger

if TYPE_CHECKING:
    from newsextract.state.shared import SharedState

LEAST_LEASE = 2.0


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """A checked run."""

    sites: Mapping[str, Site]
    policy: AddressPolicy
    """Which private addresses may be reached: those that sites.toml allows."""
    feeds: dict[str, dict[str, Any]]
    """Scrapy's ``FEEDS``: the ledger, its rejections, and the user's others."""
    records: Path | None
    """The feed of records; None: a shared crawl writes them to its database."""
    rejected: Path | None
    ledger: Ledger
    feed: LedgerFile | None
    """The feed of records, open and locked."""
    urls: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    """What to search for; of the search spider only."""
    run: str = ""
    """Name of this observation; of the search and the list spider only."""
    warc: Path | None = None
    """Folder of the archive that is written."""
    database: Address | None = None
    """Where records go beside the feeds; its schema is up to date."""

    @property
    def renders(self) -> bool:
        """Whether a site wants a browser."""
        return any(site.render for site in self.sites.values())


def shared_state(arguments: Mapping[str, str], settings: BaseSettings, kind: str) -> SharedState:
    """The state of a shared crawl, ready to be used.

    :raises UsageError: the database cannot be used, and why; or an argument that does not go with it.
    :raises MissingExtra: a package is not installed.
    """
    for name in ("database", "ledger"):
        if name in arguments:
            raise UsageError(f"-a {name}=: a shared crawl (-a state=) keeps its records in the state's own database")
    address = read_address(arguments["state"])
    if address.backend != "postgresql":
        raise UsageError(f"-a state={address.shown}: only PostgreSQL can be shared; for one process leave it out")
    seconds = settings.getfloat("STATE_LEASE")
    if not seconds >= LEAST_LEASE:
        raise UsageError(f"STATE_LEASE = {seconds:g}: expected {LEAST_LEASE:g} seconds or more")
    from newsextract.database.opening import prepare  # not without a database: Alembic is optional
    from newsextract.state.shared import SharedState

    return SharedState(prepare(arguments["state"])[0], arguments.get("crawl") or kind, seconds)


def database_of(argument: str | None, settings: BaseSettings) -> Address | None:
    """The database, ready to be written; None if none is wanted.

    :raises UsageError: it cannot be used, and why.
    :raises MissingExtra: a package is not installed.
    """
    wanted = argument if argument is not None else settings.get("DATABASE_URL")
    if argument is None and not wanted:
        return None
    read_pace(settings.get)
    read_address(wanted)  # without SQLAlchemy it says what is missing
    from newsextract.database.opening import prepare

    return prepare(wanted)[0]
