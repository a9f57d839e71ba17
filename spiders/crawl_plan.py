"""A checked run: what every spider is given. How it is made: :mod:`spiders.plan`, :mod:`spiders.archive_plan`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from newsextract.database.address import Address, read_address
from newsextract.database.pace import read_pace
from newsextract.line_file import LedgerFile
from newsextract.sites import Site
from pipelines.ledger import Ledger
from spiders.cluster.plan import ClusterPlan


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """A checked run."""

    sites: Mapping[str, Site]
    allowed_servers: frozenset[tuple[str, int]]
    """(host, port) of all addresses that sites.toml names: a private address is reached only there."""
    allowed_hosts: frozenset[str]
    """Hosts that sites.toml names: only these may have private addresses."""
    feeds: dict[str, dict[str, Any]]
    """Scrapy's ``FEEDS``: the ledger, its rejections, and the user's others."""
    records: Path
    rejected: Path
    ledger: Ledger
    lock: LedgerFile
    """Held while the plan lives: nobody else may write this ledger."""
    urls: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    """What to search for; of the search spider only."""
    run: str = ""
    """Name of this observation; of the search and the list spider only."""
    warc: Path | None = None
    """Folder of the archive that is written."""

    cluster: ClusterPlan | None = None
    """This process's place in a shared crawl."""
    database: Address | None = None
    """Where records go beside the feeds; its schema is up to date."""

    @property
    def renders(self) -> bool:
        """Whether a site wants a browser."""
        return any(site.render for site in self.sites.values())


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
