"""What ``scrapy crawl archive`` is to do, checked before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scrapy.settings import BaseSettings

from newsextract import algorithms
from newsextract.addresses import AddressPolicy
from newsextract.archives import Archive, find_archives
from newsextract.archives.extraction import Choice
from newsextract.errors import SiteError, UsageError
from newsextract.site_file import check_algorithm, load_sites
from newsextract.sites import Site
from pipelines.ledger import load, pages_path
from spiders.arguments import ARGUMENTS, DATABASE, check_known
from spiders.crawl_plan import CrawlPlan, database_of
from spiders.feed_plan import feeds_of, ledger_path

KINDS = ("news", "forum", "search", "list")
ARCHIVE_ARGUMENTS = {
    "path": "WARC or WACZ files, folders, JSON Lines of pages; several separated by commas",
    "kind": "what is to be read: news (default), forum, search or list",
    "sites": "names of sites, separated by commas (default: all that the archives hold)",
    "algorithm": "extraction algorithm (default: that of the crawl)",
    "every_page": "yes: every web page of other people's archives is taken for an article (default: what looks like one)",
    "ledger": ARGUMENTS["ledger"],
} | DATABASE


@dataclass(frozen=True, slots=True)
class ArchivePlan(CrawlPlan):
    """A checked run over archives. Its ``sites`` are those that have been met."""

    archives: tuple[Archive, ...] = ()
    kind: str = "news"
    names: frozenset[str] = frozenset()
    """Sites that are wanted; none: all."""
    choice: Choice = field(default_factory=Choice)
    every_page: bool = False
    patterns: frozenset[str] = frozenset()
    """``allow`` and ``deny`` of the reader's own sites; others, of archives, are used where they cannot cost much."""

    @property
    def has_record(self) -> bool:
        """Whether the feed has a record, of this run or an earlier one."""
        return self.records is not None and self.records.exists() and self.records.stat().st_size > 0


def make_archive_plan(settings: BaseSettings, arguments: Mapping[str, str]) -> ArchivePlan:
    """Check everything that the user said.

    :raises UsageError: one line per mistake.
    :raises MissingExtra: warcio is not installed.
    """
    check_known(arguments, ARCHIVE_ARGUMENTS)
    kind = arguments.get("kind", "news")
    if kind not in KINDS:
        raise UsageError(f"-a kind={kind}: expected one of {', '.join(KINDS)}")
    every_page = arguments.get("every_page", "no")
    if every_page not in ("yes", "no"):
        raise UsageError(f"-a every_page={every_page}: expected yes or no")
    paths = [Path(path.strip()) for path in arguments.get("path", "").split(",") if path.strip()]
    if not paths:
        raise UsageError("which archives? for example: scrapy crawl archive -a path=out/warc")
    fallback = settings["ALGORITHM" if kind == "news" else "RECORD_ALGORITHM"]
    algorithm = arguments.get("algorithm")
    for name in (fallback, algorithm):
        if name:
            check_algorithm(kind, name)
    algorithms.make_params(algorithm or fallback, None)
    archives = find_archives(paths, _own_feeds(settings, arguments.get("ledger")))
    own = _own_sites(settings)
    database = database_of(arguments.get("database"), settings)
    feeds, feed, rejected = feeds_of(settings, arguments.get("ledger"), kind, False, "archive")
    return ArchivePlan(
        sites={},
        policy=AddressPolicy(),
        feeds=feeds,
        records=feed.path,
        rejected=rejected,
        ledger=load(feed, kind=kind),
        feed=feed,
        database=database,
        archives=tuple(archives),
        kind=kind,
        names=frozenset(name.strip() for name in arguments.get("sites", "").split(",") if name.strip()),
        choice=Choice(algorithm, {}, fallback, {name: site.params for name, site in own.items()}),
        patterns=frozenset(pattern for site in own.values() for pattern in (*site.allow, *site.deny)),
        every_page=every_page == "yes",
    )


def _own_sites(settings: BaseSettings) -> Mapping[str, Site]:
    """The reader's own sites; none where the file is missing or wrong, since most archives do without."""
    try:
        records = settings.get("RECORD_ALGORITHM", algorithms.DEFAULT_RECORDS)
        return load_sites(Path(settings["SITES_FILE"]), settings["ALGORITHM"], records)
    except SiteError:
        return {}  # reason: a page that needs a site's file says that the site is missing


def _own_feeds(settings: BaseSettings, ledger: str | None) -> list[Path]:
    """The files that the run writes: they may stand in a folder that it reads."""
    records = ledger_path(settings, ledger, "archive")
    feeds = [Path(str(uri).removeprefix("file://")) for uri in settings.getdict("FEEDS")]
    return [*feeds, records, records.with_suffix(".rejected.jsonl"), pages_path(records)]
