"""What one run is to do: sites, window, algorithm and ledger, checked before anything is fetched.

Precedence: project setting < site < spider argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from newsextract import algorithms
from newsextract.addresses import AddressPolicy
from newsextract.archives.writing import WarcWriter
from newsextract.browsers import check_driver, find_browser, sandboxed
from newsextract.database.address import Address
from newsextract.errors import MissingExtra, UsageError
from newsextract.line_file import LedgerFile
from newsextract.site_file import check_algorithm, load_sites
from newsextract.sites import Site
from pipelines.ledger import Ledger, Recent, Visits, age, load, now
from spiders.archive_plan import make_archive_plan
from spiders.arguments import ARGUMENTS_OF, check_known, unreadable
from spiders.crawl_plan import CrawlPlan, database_of, shared_state
from spiders.feed_plan import exports_of, feeds_of
from spiders.queries import read_queries, run_name

AGAIN = timedelta(hours=1)
"""Least time between two visits that a site's own key ``revisit`` asks for."""


def make_plan(settings: BaseSettings, arguments: Mapping[str, str], kind: str = "news") -> CrawlPlan:
    """Check everything that the user said.

    :raises UsageError: one line per mistake.
    :raises NewsextractError: a site wants to be rendered, and what that needs is missing.
    """
    if kind == "archive":
        return make_archive_plan(settings, arguments)
    check_known(arguments, ARGUMENTS_OF[kind])
    path = Path(settings["SITES_FILE"])
    fallbacks = {"news": settings["ALGORITHM"], "records": settings.get("RECORD_ALGORITHM", algorithms.DEFAULT_RECORDS)}
    for name, algorithm in fallbacks.items():
        check_algorithm(name, algorithm)  # a wrong setting is told as such, not as a mistake of each site
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
    recent = _recent(sites.values())
    has_wrapper = any(site.wrapper is not None for site in sites.values())
    visits = Visits(revisit, recent)
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
    )


def _warc(folder: str | None) -> Path | None:
    """The archive's folder, checked: what was torn there when a crawl was killed is mended.

    :raises UsageError: it cannot be written.
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
            raise UsageError(f"{path}: no [[site]] of kind {kind!r}; add one, for example the commented ones")
        return known
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if not wanted:
        raise UsageError(f"-a sites={names}: names no site; known are: {', '.join(known) or 'none'}")
    for name in wanted:
        if name not in known:
            raise UsageError(f"-a sites={names}: no site {name!r} in {path}; known are: {', '.join(known) or 'none'}")
    return {name: known[name] for name in wanted}


def _changes(arguments: Mapping[str, str], kind: str) -> dict[str, Any]:
    """What spider arguments say about every site."""
    changes: dict[str, Any] = {}
    for key in ("since", "until"):
        if key in arguments:
            try:
                changes[key] = date.fromisoformat(arguments[key])
            except ValueError as error:
                raise UsageError(f"-a {key}={arguments[key]}: expected a day, for example -a {key}=2026-01-01") from error
    if "since" in changes and "until" in changes and changes["since"] > changes["until"]:
        raise UsageError(f"-a since={arguments['since']} lies behind -a until={arguments['until']}")
    if "limit" in arguments:
        if not arguments["limit"].isdecimal() or int(arguments["limit"]) < 1:
            raise UsageError(f"-a limit={arguments['limit']}: expected a number of pages, for example -a limit=100")
        changes["limit"] = int(arguments["limit"])
    if "algorithm" in arguments:
        check_algorithm(kind, arguments["algorithm"])
        changes["algorithm"] = arguments["algorithm"]
    return changes


def _changed(site: Site, changes: dict[str, Any], fallback: str) -> Site:
    """A site as this run sees it; its parameters belong to its own algorithm."""
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
        raise UsageError(f"site {site.name!r}: since = {changed.since} lies behind until = {changed.until}")
    return changed


def _check_browser(sites: Iterable[Site], with_sandbox: bool) -> None:
    """Whether sites that want a browser can have one.

    :param with_sandbox: whether it must run in its sandbox.
    :raises UsageError: it would run without.
    :raises MissingExtra: a package is not installed.
    :raises BrowserMissing: there is no browser, or playwright's driver does not run.
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


def _recent(sites: Iterable[Site]) -> Recent | None:
    """What the sites' own keys ``revisit`` ask for."""
    since = {site.name: now() - age(site.revisit) for site in sites if site.revisit is not None}
    return Recent(since, now() - AGAIN) if since else None


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
    try:
        lines = Path(path).read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"-a urls={path}: cannot be read: {unreadable(error)}") from error
    known = list(sites)
    urls: list[str] = []
    for number, line in enumerate(lines, 1):
        url = line.strip()
        if not url:
            continue
        try:
            covered = url.startswith(("http://", "https://")) and any(site.covers(url) for site in known)
        except ValueError:
            covered = False  # reason: no address at all; the message says so
        if not covered:
            raise UsageError(f"-a urls={path}: line {number}: {url} belongs to none of the sites; see domains in sites.toml")
        urls.append(url)
    if not urls:
        raise UsageError(f"-a urls={path}: no address in it; expected one a line (without urls, all pages are looked for)")
    return tuple(urls)
