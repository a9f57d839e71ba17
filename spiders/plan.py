"""The checked plan of a run: arguments, sites, feeds, queries and archives are validated before anything is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from newsextract import algorithms
from newsextract.archives import Archive, find_archives
from newsextract.archives.entries import Choice
from newsextract.archives.warc import WarcWriter
from newsextract.browser.loading import check_driver, find_browser, sandboxed
from newsextract.database import Address, read_address, read_pace
from newsextract.errors import MissingExtra, SiteError, UsageError, naming
from newsextract.feed import LedgerFile, check_end
from newsextract.feed.record_lines import ObjectRecord, ReadPage, Rejection
from newsextract.sites import Site, check_algorithm, load_sites
from newsextract.state.shared import SharedState
from newsextract.state.store import remove_state
from newsextract.urls import AddressPolicy
from pipelines.feeds import is_ledger
from pipelines.items import RECORD_CLASSES
from pipelines.ledger import Ledger, Visits, age, load, now, pages_path

# --- arguments ------------------------------------------------------------------------------------
# The arguments of the spiders, ``-a NAME=VALUE``, with their help texts.

ARGUMENTS = {
    "sites": "names of sites, separated by commas (default: all)",
    "since": "first day of the date window, YYYY-MM-DD",
    "until": "last day of the date window, YYYY-MM-DD",
    "algorithm": "extraction algorithm for all sites",
    "limit": "maximum number of article pages per site",
    "revisit": "fetch records again that are older than 12h, 7d, 2w, or all",
    "ledger": "a .jsonl file that records what is done, for runs that write exports",
    "urls": "a file of URLs, one per line; only these are fetched",
}
"""The news spider's arguments, ``-a NAME=VALUE``."""
WARC = {"warc": "a folder for WARC files of all responses; `newsextract extract --warc` reads them"}
DATABASE = {
    "database": "a database that also gets the lines of the feeds, for example sqlite:///out/news.db (default: DATABASE_URL)"
}
SHARED = {
    "state": "a PostgreSQL database through which several processes share a crawl; it also gets the records",
    "crawl": "with state: the name of the shared crawl (default: the spider's name)",
}
RUN = "name of this observation (default: {}); the same name resumes a killed run"
_OF_LISTS = {"run": RUN.format("none: every run reads all pages"), "ledger": ARGUMENTS["ledger"]}
_WITHOUT_REVISITS = {name: what for name, what in ARGUMENTS.items() if name != "revisit"}
ARGUMENTS_OF: dict[str, dict[str, str]] = {
    "news": {**ARGUMENTS},
    "forum": _WITHOUT_REVISITS | {"limit": "maximum number of new pages of threads per site"},
    "search": {
        "sites": "names of engines, separated by commas (default: all)",
        "query": "what to search for",
        "queries": "a file of queries, one per line",
        "run": RUN.format("the day, UTC"),
        "algorithm": "extraction algorithm for all engines",
        "limit": "maximum number of result pages per engine",
        "ledger": ARGUMENTS["ledger"],
    },
    "list": _WITHOUT_REVISITS | {"limit": "maximum number of list pages per site"} | _OF_LISTS,
    "wrapped": {
        "sites": ARGUMENTS["sites"],
        "limit": "maximum number of pages per site, not counting linked pages",
        "urls": "a file of URLs, one per line, read instead of the start pages",
    }
    | _OF_LISTS,
}
"""Spider → its arguments."""
for _known in ARGUMENTS_OF.values():
    _known |= WARC | DATABASE | SHARED
CHOOSING = {"since", "until", "algorithm", "limit", "revisit", "urls"}
"""Arguments that select pages, so that the run cannot be compared with others."""


def lines_of(name: str, path: str) -> list[str]:
    """The lines of a text file that an argument names.

    :raises UsageError: it cannot be read.
    """
    try:
        return Path(path).read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        why = "it is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
        raise UsageError(f"-a {name}={path}: cannot be read: {why}") from error


def check_known(arguments: Mapping[str, str], allowed: Mapping[str, str]) -> None:
    """Check the names of a spider's arguments.

    :raises UsageError: an argument is unknown.
    """
    unknown = sorted(set(arguments) - set(allowed))
    if unknown:
        raise UsageError(f"unknown argument -a {unknown[0]}=…; choose from: {', '.join(allowed)}")


def check_numbers(settings: BaseSettings) -> None:
    """Check that the settings of :mod:`settings.base` that are numbers are numbers; :func:`read_pace` checks ``DATABASE_…``.

    :raises UsageError: one is not.
    """
    from settings import base  # late: only now it is known that no other package of this name hides it

    for name, default in vars(base).items():
        if type(default) in (int, float) and settings[name] is not None and not name.startswith("DATABASE_"):
            kind = float if "TIMEOUT" in name or "DELAY" in name else type(default)  # Scrapy reads all seconds as floats
            try:
                kind(settings[name])
            except (TypeError, ValueError) as error:
                raise UsageError(
                    f"{name} = {settings[name]!r}: expected a number, for example {name} = {default}"
                ) from error


# --- crawl plan -----------------------------------------------------------------------------------
# The checked plan that every spider gets. Made by :func:`make_plan` and :func:`make_archive_plan`.

LEAST_LEASE = 2.0


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """The checked plan of a run."""

    sites: Mapping[str, Site]
    policy: AddressPolicy
    """The private addresses that sites.toml allows."""
    feeds: dict[str, dict[str, Any]]
    """Scrapy's ``FEEDS``: the ledger, its rejections, and the user's other feeds."""
    records: Path | None
    """Path of the feed of records; None for a shared crawl, which writes them to its database."""
    rejected: Path | None
    ledger: Ledger
    feed: LedgerFile | None
    """The feed of records, open and locked."""
    urls: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    """Search queries; only for the search spider."""
    run: str = ""
    """Name of the run; only for the search and list spiders."""
    warc: Path | None = None
    """Folder of the archive to write."""
    database: Address | None = None
    """Database that also gets the records; its schema is up to date."""
    is_ordinary: bool = False
    """Whether the run can be compared with others, because no argument selects pages."""

    @property
    def renders(self) -> bool:
        """Whether a site needs a browser."""
        return any(site.render for site in self.sites.values())


def shared_state(arguments: Mapping[str, str], settings: BaseSettings, kind: str) -> SharedState:
    """Open the state of a shared crawl.

    :raises UsageError: the database cannot be used, or an argument is not allowed with it.
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
    from newsextract.database.connection import prepare  # only with a database: SQLAlchemy is optional

    return SharedState(prepare(arguments["state"])[0], arguments.get("crawl") or kind, seconds)


def database_of(argument: str | None, settings: BaseSettings) -> Address | None:
    """Prepare the database; None if none is configured.

    :raises UsageError: the database cannot be used.
    :raises MissingExtra: a package is not installed.
    """
    wanted = argument if argument is not None else settings.get("DATABASE_URL")
    if argument is None and not wanted:
        return None
    read_pace(settings.get)
    read_address(wanted)  # reports a missing SQLAlchemy
    from newsextract.database.connection import prepare

    return prepare(wanted)[0]


# --- feed plan ------------------------------------------------------------------------------------
# The feeds of a run: the ledger, which is opened and locked here, the feeds next to it, and the user's other feeds.


def feeds_of(
    settings: BaseSettings, ledger: str | None, kind: str, has_wrapper: bool, spider: str | None = None
) -> tuple[dict[str, dict[str, Any]], LedgerFile, Path]:
    """Scrapy's feeds, the ledger first. With ``-O``, the ledger is emptied here."""
    feeds, own = _named(settings, ledger, spider or kind)
    records = Path(own.removeprefix("file://"))
    rejected = records.with_suffix(".rejected.jsonl")
    options = feeds.pop(own)
    if options.get("fields"):
        raise UsageError(f"FEEDS: {own} records what is done, so it has all fields; name another feed for some of them")
    overwrite = options.pop("overwrite", False)
    feed = _opened(records, overwrite)
    written = _record_classes(kind, has_wrapper)
    items: list[tuple[Path, list[type]]] = [(records, written), (rejected, [Rejection])]
    if kind != "news" or has_wrapper:
        items.append((pages_path(records), [ReadPage]))
    for path, _ in items[1:]:
        _opened(path, overwrite).close()
    if overwrite:
        remove_state(records)
    whole = {"format": "jsonlines", "fields": None}  # regardless of FEED_EXPORT_FIELDS
    plan: dict[str, dict[str, Any]] = {
        str(path): whole | {"item_classes": list(map(_name, classes))} for path, classes in items
    }
    classes = plan[str(records)]["item_classes"]
    plan[str(records)] = options | plan[str(records)]
    for uri, other in feeds.items():
        plan[uri] = {"item_classes": classes, **other}
    return plan, feed, rejected


def exports_of(settings: BaseSettings, kind: str, has_wrapper: bool) -> dict[str, dict[str, Any]]:
    """The user's feeds for a process of a shared crawl: they get only the records of this process."""
    classes = list(map(_name, _record_classes(kind, has_wrapper)))
    return {str(uri): {"item_classes": classes, **options} for uri, options in settings.getdict("FEEDS").items()}


def _record_classes(kind: str, has_wrapper: bool) -> list[type]:
    written: list[type] = [RECORD_CLASSES[kind]]
    if has_wrapper and ObjectRecord not in written:
        written.append(ObjectRecord)
    return written


def _name(item: type) -> str:
    return f"{item.__module__}.{item.__name__}"


def _named(settings: BaseSettings, ledger: str | None, spider: str) -> tuple[dict[str, dict[str, Any]], str]:
    """The user's feeds, and which of them is the ledger; if none can be, it is the project's default feed.

    The other feeds are exports of the run.
    """
    feeds = {str(uri): dict(options) for uri, options in settings.getdict("FEEDS").items()}
    own = ledger or next((uri for uri in feeds if is_ledger(uri)), None)
    own = own or settings["DEFAULT_FEED"].replace("{spider}", spider)
    if not is_ledger(own):
        name = "DEFAULT_FEED" if ledger is None else "-a ledger"
        raise UsageError(f"{name}={own}: expected a local .jsonl file, for example {name}=out/news.jsonl")
    feeds.setdefault(own, {"format": "jsonlines"})
    return feeds, own


def _opened(path: Path, overwrite: bool) -> LedgerFile:
    """Open and lock a feed, so that no other crawl writes it while it is read or emptied."""
    with naming(f"{path}: cannot be written", "name another feed with -o"):
        if not overwrite:
            check_end(path)
        return LedgerFile(path, overwrite=overwrite)


# --- queries --------------------------------------------------------------------------------------
# The arguments of the search spider: queries, and the name of the run.

MAX_QUERY = 400
"""Maximum length in characters. The percent-encoded URL must be shorter than URLLENGTH_LIMIT, and engines cut longer
queries."""
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+-]{0,63}")


def read_queries(arguments: Mapping[str, str]) -> tuple[str, ...]:
    """The distinct queries of ``-a query`` and ``-a queries``, with white space folded.

    :raises UsageError: no query is given, or the file cannot be read.
    """
    found: dict[str, str] = {}  # query → the argument or line that names it
    if "query" in arguments:
        found[_folded(arguments["query"])] = f"-a query={arguments['query']}"
    if "queries" in arguments:
        path = arguments["queries"]
        for number, line in enumerate(lines_of("queries", path), 1):
            if _folded(line):
                found.setdefault(_folded(line), f"-a queries={path}: line {number}")
        if not found:
            raise UsageError(f"-a queries={path}: holds no query; write one per line")
    if not found or "" in found:
        raise UsageError('no query; give one, for example -a query="tidal barrier", or -a queries=FILE')
    for query, where in found.items():
        if len(query) > MAX_QUERY:
            raise UsageError(f"{where}: has {len(query)} characters, more than {MAX_QUERY}")
        if any("\ud800" <= letter <= "\udfff" for letter in query):  # undecodable bytes of an argument
            said = where.encode("utf-8", "backslashreplace").decode()
            raise UsageError(
                f"{said}: is no valid UTF-8; write the query in UTF-8, for example into a file: -a queries=FILE"
            )
    return tuple(found)


def run_name(arguments: Mapping[str, str]) -> str:
    """The name of ``-a run``; by default the day (UTC).

    :raises UsageError: the name is not valid.
    """
    name = arguments.get("run")
    if name is None:
        return now().date().isoformat()
    if _RUN.fullmatch(name) is None:
        raise UsageError(f"-a run={name}: expected letters, digits, . _ : + -, at most 64, for example -a run=2026-01-01")
    return name


def _folded(text: str) -> str:
    return " ".join(text.split())


# --- archive plan ---------------------------------------------------------------------------------
# The plan of ``scrapy crawl archive``, checked before anything is read.

KINDS = ("news", "forum", "search", "list")
ARCHIVE_ARGUMENTS = {
    "path": "WARC or WACZ files, folders, JSON Lines of pages; several separated by commas",
    "kind": "kind of records to extract: news (default), forum, search or list",
    "sites": "names of sites, separated by commas (default: all in the archives)",
    "algorithm": "extraction algorithm (default: that of the crawl)",
    "every_page": "yes: treat every web page of other tools' archives as an article (default: pages that look like one)",
    "ledger": ARGUMENTS["ledger"],
} | DATABASE


@dataclass(frozen=True, slots=True)
class ArchivePlan(CrawlPlan):
    """The checked plan of a run over archives. ``sites`` grows while the archives are read."""

    archives: tuple[Archive, ...] = ()
    kind: str = "news"
    names: frozenset[str] = frozenset()
    """Names of the requested sites; if empty, all."""
    choice: Choice = field(default_factory=Choice)
    every_page: bool = False


def make_archive_plan(settings: BaseSettings, arguments: Mapping[str, str]) -> ArchivePlan:
    """Check settings and arguments, and make the plan.

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
    patterns = frozenset(pattern for site in own.values() for pattern in (*site.allow, *site.deny))
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
        choice=Choice(algorithm, {}, fallback, {name: site.params for name, site in own.items()}, patterns),
        every_page=every_page == "yes",
    )


def _own_sites(settings: BaseSettings) -> Mapping[str, Site]:
    """The sites of sites.toml; none if the file is missing or wrong, because most archives do not need it."""
    try:
        records = settings.get("RECORD_ALGORITHM", algorithms.DEFAULT_RECORDS)
        return load_sites(Path(settings["SITES_FILE"]), settings["ALGORITHM"], records)
    except SiteError:
        return {}  # reason: pages that need a site of the file report that it is missing


def _own_feeds(settings: BaseSettings, ledger: str | None) -> list[Path]:
    """The files that the run writes; they may be in a folder that it reads."""
    feeds, own = _named(settings, ledger, "archive")
    records = Path(own.removeprefix("file://"))
    return [
        *(Path(uri.removeprefix("file://")) for uri in feeds),
        records.with_suffix(".rejected.jsonl"),
        pages_path(records),
    ]


# --- plan -----------------------------------------------------------------------------------------
# The plan of a run: sites, date window, algorithm and ledger, checked before anything is fetched.
#
# Precedence: project setting < site < spider argument.


def make_plan(settings: BaseSettings, arguments: Mapping[str, str], kind: str = "news") -> CrawlPlan:
    """Check settings and arguments, and make the plan.

    :raises UsageError: one line per mistake.
    :raises NewsextractError: a site needs rendering, and a requirement of it is missing.
    """
    if kind == "archive":
        return make_archive_plan(settings, arguments)
    check_known(arguments, ARGUMENTS_OF[kind])
    path = Path(settings["SITES_FILE"])
    fallbacks = {"news": settings["ALGORITHM"], "records": settings.get("RECORD_ALGORITHM", algorithms.DEFAULT_RECORDS)}
    for name, algorithm in fallbacks.items():
        check_algorithm(name, algorithm)  # reported as a wrong setting, not as a mistake of each site
    fallback = fallbacks["news" if kind == "news" else "records"]
    defined = load_sites(path, fallbacks["news"], fallbacks["records"])
    sites = _chosen(defined, arguments.get("sites"), path, kind)
    changes = _changes(arguments, kind)
    algorithms.make_params(changes.get("algorithm") or fallback, None)
    sites = {name: _changed(site, changes, fallback) for name, site in sites.items()}
    _check_browser(sites.values(), settings.getbool("RENDER_SANDBOX"))
    urls = _urls(arguments.get("urls"), sites.values())
    queries = read_queries(arguments) if kind == "search" else ()
    run = run_name(arguments) if kind == "search" or "run" in arguments else ""
    revisit = _revisit(arguments.get("revisit"))
    has_wrapper = any(site.wrapper is not None for site in sites.values())
    visits = Visits(revisit, {site.name: now() - age(site.revisit) for site in sites.values() if site.revisit is not None})
    feed: LedgerFile | None = None
    rejected: Path | None = None
    database: Address | None = None
    if "state" in arguments:
        ledger = Ledger(state=shared_state(arguments, settings, kind), visits=visits)
        feeds = exports_of(settings, kind, has_wrapper)
    else:
        database = database_of(arguments.get("database"), settings)  # before -O empties a feed
        feeds, feed, rejected = feeds_of(settings, arguments.get("ledger"), kind, has_wrapper)
        ledger = load(feed, visits, kind)
    warc = _warc(arguments.get("warc"))
    return CrawlPlan(
        sites=sites,
        policy=AddressPolicy(
            [url for site in defined.values() for url in site.addresses],
            [url for site in defined.values() if site.private for url in site.addresses],
        ),
        feeds=feeds,
        records=feed.path if feed is not None else None,
        rejected=rejected,
        ledger=ledger,
        feed=feed,
        urls=urls,
        queries=queries,
        run=run,
        database=database,
        warc=warc,
        is_ordinary=kind != "search" and not arguments.keys() & CHOOSING,
    )


def _warc(folder: str | None) -> Path | None:
    """Check the archive's folder, and repair files that a killed crawl left torn.

    :raises UsageError: the folder cannot be written.
    :raises MissingExtra: warcio is not installed.
    """
    if folder is None:
        return None
    if not folder.strip():
        raise UsageError("-a warc=: names no folder; for example -a warc=out/warc")
    WarcWriter(Path(folder), "check").close()
    return Path(folder)


def _chosen(defined: dict[str, Site], names: str | None, path: Path, kind: str) -> dict[str, Site]:
    known = {name: site for name, site in defined.items() if site.kind == kind}
    if names is None:
        if not known:
            raise UsageError(f"{path}: no [[site]] of kind {kind!r}; add one, for example with: newsextract try URL --write")
        return _apart(known, path)
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        raise UsageError(f"-a sites={names}: names no site; choose from: {', '.join(known) or 'none'}")
    for name in wanted:
        if name not in known:
            raise UsageError(f"-a sites={names}: no site {name!r} in {path}; choose from: {', '.join(known) or 'none'}")
    return _apart({name: known[name] for name in wanted}, path)


def _apart(sites: dict[str, Site], path: Path) -> dict[str, Site]:
    """The sites, if no two begin at the same page: a page is fetched once, so the second would get nothing.

    :raises UsageError: two do.
    """
    first: dict[str, str] = {}
    for name, site in sites.items():
        for url in dict.fromkeys(site.start):
            if first.setdefault(url, name) != name:
                others = f"sites {first[url]!r} and {name!r}"
                raise UsageError(
                    f"{path}: {others} begin at the same page, {url}; leave out one of them, or choose with -a sites="
                )
    return sites


def _changes(arguments: Mapping[str, str], kind: str) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for key in ("since", "until"):
        if key in arguments:
            try:
                changes[key] = date.fromisoformat(arguments[key])
            except ValueError as error:
                raise UsageError(f"-a {key}={arguments[key]}: expected a day, for example -a {key}=2026-01-01") from error
    if "since" in changes and "until" in changes and changes["since"] > changes["until"]:
        raise UsageError(f"-a since={arguments['since']} is after -a until={arguments['until']}")
    if "limit" in arguments:
        if not arguments["limit"].isdecimal() or int(arguments["limit"]) < 1:
            raise UsageError(f"-a limit={arguments['limit']}: expected a number of pages, for example -a limit=100")
        changes["limit"] = int(arguments["limit"])
    if "algorithm" in arguments:
        check_algorithm(kind, arguments["algorithm"])
        changes["algorithm"] = arguments["algorithm"]
    return changes


def _changed(site: Site, changes: dict[str, Any], fallback: str) -> Site:
    """A site with the overrides of this run; its parameters are kept only for its own algorithm."""
    own = site.algorithm or fallback
    algorithm = changes.get("algorithm") or own
    params = site.params if algorithm == own else {}
    try:
        algorithms.make_params(algorithm, params)
    except UsageError as error:
        raise UsageError(f"site {site.name!r}: {error}") from error
    if site.serve and not Path(site.serve).is_dir():
        raise UsageError(f"site {site.name!r}, key serve: no folder {site.serve!r} here; start in the project's folder")
    changed = replace(site, **{**changes, "algorithm": algorithm, "params": params})
    if changed.since and changed.until and changed.since > changed.until:
        raise UsageError(f"site {site.name!r}: since = {changed.since} is after until = {changed.until}")
    return changed


def _check_browser(sites: Iterable[Site], with_sandbox: bool) -> None:
    """Check the browser, if a site needs one.

    :raises UsageError: the browser would run without a sandbox.
    :raises MissingExtra: a package is not installed.
    :raises BrowserMissing: no browser was found, or playwright's driver does not run.
    """
    name = next((site.name for site in sites if site.render), None)
    if name is None:
        return
    for module, package in (("playwright", "playwright"), ("scrapy_playwright", "scrapy-playwright")):
        if find_spec(module) is None:
            raise MissingExtra(package, "browser", f"render = true in the site {name!r} of sites.toml")
    if with_sandbox and not sandboxed():
        raise UsageError(f"site {name!r}: render = true as root, and RENDER_SANDBOX = True; run the crawl as another user")
    check_driver()
    find_browser()


def _revisit(value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        return now() - age(value)
    except ValueError as error:
        raise UsageError(f"-a revisit={value}: expected 12h, 7d, 2w or all, for example -a revisit=7d") from error


def _urls(path: str | None, sites: Iterable[Site]) -> tuple[str, ...]:
    if path is None:
        return ()
    known = list(sites)
    urls: list[str] = []
    for number, line in enumerate(lines_of("urls", path), 1):
        url = line.strip()
        if not url:
            continue
        try:
            covered = url.startswith(("http://", "https://")) and any(site.covers(url) for site in known)
        except ValueError:
            covered = False  # reason: not a URL; the message says so
        if not covered:
            raise UsageError(f"-a urls={path}: line {number}: {url} belongs to none of the sites; see domains in sites.toml")
        urls.append(url)
    if not urls:
        raise UsageError(f"-a urls={path}: no address in it; expected one a line (without urls, all pages are looked for)")
    return tuple(urls)
