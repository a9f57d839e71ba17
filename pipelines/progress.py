"""Progress and summary of a crawl.

If standard error is a terminal: a live table with a line per site. Otherwise a plain line every ten seconds. At the end, a
summary: pages, records, rejections by reason, field coverage, time, wrappers that no longer fit.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.logstats import LogStats
from scrapy.http import Response

from newsextract.alarms import OWN, Counted, Shortfall, alarms, sentences, shortfall
from newsextract.control_characters import escaped, plural
from newsextract.errors import DataError
from newsextract.feed.record_lines import COVERED, TRANSIENT, WITHDRAWN, Hit, NewsRecord, ObjectRecord, Rejection, Teaser
from newsextract.scrapy import ERROR as FEED_ERROR
from newsextract.state.store import add_runs, read_runs
from pipelines.chain import ERROR, FAILED
from pipelines.feeds import NO_FEED, starting
from pipelines.items import LINE_KINDS, RECORD_CLASSES, Component, Record, is_planned
from pipelines.ledger import now

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

logger = logging.getLogger(__name__)

_RECORDS = tuple(RECORD_CLASSES.values())
ALARMS = "newsextract/alarms"
"""Stat: site → alarms. If it is set, the crawl exits with code 6."""
_REASONS = 1_000
_INTERVAL = 10.0
"""Seconds between two plain lines."""


class Progress(Component):
    """Counts pages and records per site; shows progress and a summary."""

    def __init__(self, spider: SiteSpider) -> None:
        super().__init__(spider)
        self.crawler = spider.crawler
        self.console = Console(stderr=True, highlight=False)
        self.live: Live | None = None
        self.task: asyncio.Task[None] | None = None
        self.began = monotonic()
        self.known = 0
        self.fields: tuple[str, ...] = ()
        self.queued: Counter[str] = Counter()
        self.fetched: Counter[str] = Counter()
        self.records: Counter[str] = Counter()
        self.revised = self.withdrawn = 0
        """Records of earlier runs that this run has revised or withdrawn."""
        self.rejected: dict[str, Counter[str]] = defaultdict(Counter)
        self.reasons: dict[str, list[tuple[str, str]]] = defaultdict(list)
        """Status and reason of the first rejections of each site."""
        self.coverage: dict[str, Counter[str]] = defaultdict(Counter)
        """Algorithm → field → number of records with it; the key ``records`` counts all records."""
        self.wrappers: set[str] = set()
        """The names in :attr:`coverage` that are wrappers."""
        self.counted: dict[str, Counted] = defaultdict(Counted)
        """Site → figures that are compared with earlier runs."""
        for handler, signal in (
            (self.opened, signals.spider_opened),
            (self.scheduled, signals.request_scheduled),
            (self.received, signals.response_received),
            (self.scraped, signals.item_scraped),
            (self.closed, signals.spider_closed),
        ):
            self.crawler.signals.connect(handler, signal=signal)

    def opened(self) -> None:
        """Start the display."""
        spider = self.spider
        with starting("to report its progress"):
            self.began = monotonic()
            kind = str(getattr(spider.plan, "kind", spider.kind))
            self.fields = COVERED.get(LINE_KINDS.get(kind, kind), ())
            read: Counter[str] | None = getattr(spider, "pages_read", None)  # pages of archives are not responses
            self.fetched = self.fetched if read is None else read
            self.known = spider.ledger.size
            if spider.warning is not None:
                sys.stderr.write(f"WARNING: {spider.warning}\n")
            if self.console.is_terminal:
                self.live = Live(self._table(), console=self.console, refresh_per_second=2, get_renderable=self._table)
                self.live.start()
            self.task = asyncio.get_running_loop().create_task(self._report())

    def scheduled(self, request: Request) -> None:
        """Count a URL that will be fetched."""
        self.queued[_site(request)] += 1

    def received(self, response: Response, request: Request) -> None:
        """Count a fetched page."""
        self.fetched[_site(request)] += 1

    def scraped(self, item: Any) -> None:
        """Count a record or a rejection."""
        if item is self.spider.unwritten:
            return  # it is in no feed
        if isinstance(item, NewsRecord) and item.revision:
            self._revised(item)
        elif isinstance(item, _RECORDS):
            self.records[item.site] += 1
            self._cover(item, 1)
            if isinstance(item, ObjectRecord):
                self.wrappers.add(item.algorithm)
            if not getattr(item, "revision", 0):
                self.counted[item.site].add(*_figures(item))
        elif isinstance(item, Rejection):
            self.counted[item.site].reject(item.status)
            self.rejected[item.site][item.status] += 1
            if len(self.reasons[item.site]) < _REASONS:
                self.reasons[item.site].append((item.status, item.reason))

    def _revised(self, item: NewsRecord) -> None:
        """Count a further line of a record: a withdrawn record is no longer in the feed, any other is no new one."""
        is_new = int(item.id, 16) not in self.spider.ledger.records
        if item.status == WITHDRAWN and is_new:
            self.records[item.site] -= 1
            self._cover(item, -1)
        elif item.status == WITHDRAWN:
            self.withdrawn += 1
        elif not is_new:
            self.revised += 1
            self._cover(item, 1)

    def _cover(self, item: Record, step: int) -> None:
        shown = () if isinstance(item, ObjectRecord) else self.fields  # the wrapper decides which labels exist
        for name in ("records", *(name for name in shown if getattr(item, name))):
            self.coverage[item.algorithm][name] += step

    def closed(self, reason: str) -> None:
        """Print the summary."""
        spider = self.spider
        if self.task is not None:
            self.task.cancel()
        if self.live is not None:
            self.live.stop()
        if spider.sharing is not None:
            self.known = spider.ledger.size
        for line in self.summary(reason):
            sys.stderr.write(escaped(line) + "\n")
        for algorithm, counts in self.coverage.items():
            for name, count in counts.items():
                self.crawler.stats.set_value(f"newsextract/{algorithm}/{name}", count)

    def summary(self, reason: str) -> list[str]:
        """The lines of the summary."""
        seconds = monotonic() - self.began
        pages, records = sum(self.fetched.values()), sum(self.records.values())
        causes: Counter[str] = sum(self.rejected.values(), Counter())
        spider, plan = self.spider, self.spider.plan
        lines = [""]
        # damaged entries of an archive belong to no site of the plan
        names = dict.fromkeys([*plan.sites, *(name for name, counts in self.rejected.items() if counts)])
        if names:
            lines.append(f"{'site':<24}{'pages':>8}{'records':>9}{'other':>8}   why not a record")
        for name in names:
            counts = sorted(self.rejected[name].items(), key=lambda pair: (-pair[1], pair[0]))
            why = ", ".join(f"{status} {count}" for status, count in counts)
            lines.append(
                f"{name:<24}{self.fetched[name]:>8}{self.records[name]:>9}{sum(self.rejected[name].values()):>8}   {why}"
            )
        skipped = ", ".join(
            f"{count} {what}"
            for what, count in (
                ("out of the date window", self._stat("skipped/out_of_window")),
                ("over the limit", self._stat("skipped/limit")),
                ("not modified", self._stat("unchanged")),
            )
            if count
        )
        lines += [
            f"{records} new, {self.known - self.withdrawn} already there"
            + (f", {self.revised} revised" if self.revised else "")
            + f"; {sum(causes.values())} rejected; "
            f"{plural(pages, 'page')} in {seconds:.1f} s ({pages / max(seconds, 0.001):.1f} pages/s)"
            + (f"; skipped: {skipped}" if skipped else ""),
            *(self._covered(algorithm) for algorithm, counts in self.coverage.items() if counts["records"]),
            f"records: {plan.records}   rejected: {plan.rejected}" if plan.records else "records: in the shared database",
        ]
        archive = spider.archive
        if archive is not None:
            lines.append(f"archive: {archive.written}")
        lines += [*self._losses(), *spider.notes, *spider.traps.lines()]
        if spider.warning is not None:
            lines.append(f"WARNING: {spider.warning}")
        if reason != "finished":
            lines.append(f"ended early ({reason}); run the same command again to continue")
        if reason == "finished":
            for missing in self._shortfalls():
                lines.append(missing.line)
                self.crawler.stats.inc_value("newsextract/shortfalls")
            lines += [f"ALARM: {line}" for line in sentences(self._alarms(plan))]
        for name, fields in spider.unmatched.items():
            if chosen := ", ".join(f"{field} = {plan.sites[name].fields[field]!r}" for field in sorted(fields)):
                lines.append(f"WARNING: site {name}: selectors of [site.fields] that match nothing on any page: {chosen}")
        fits = spider.wrapping.fits
        lines += [warning for site, fit in fits.items() if (warning := fit.warning(site))]
        return lines

    def _losses(self) -> list[str]:
        stats, lines = self.crawler.stats, []
        if count := stats.get_value(FAILED):
            lines.append(f"ERROR: item pipelines have failed on {count} (tried again later): {stats.get_value(ERROR)}")
        if count := stats.get_value(NO_FEED):
            lines.append(f"ERROR: no feed has taken {count} of what the item pipelines returned")
        if found := stats.get_value(FEED_ERROR):
            lines.append(f"ERROR: {found}")
        return lines

    def _shortfalls(self) -> Iterator[Shortfall]:
        """News sites that gave no records, or far fewer than their sitemaps and feeds announce."""
        spider, plan = self.spider, self.spider.plan
        announced = getattr(spider, "expected", None)
        if announced is None or plan.urls:
            return
        is_shared = spider.sharing is not None
        for name, site in plan.sites.items():
            if is_shared and not self.fetched[name]:
                continue  # crawled by another process
            known = plan.ledger.counts[name]
            expected = 0 if site.limit is not None else announced.get(name, 0)
            if site.wrapping is None and (
                missing := shortfall(
                    name, self.records[name] + known, expected, self.reasons[name], has_allow=bool(site.allow)
                )
            ):
                yield missing

    def _alarms(self, plan: Any) -> dict[str, list[str]]:
        """Compare this run with the history of each site, add it to the history, and return the alarms."""
        if not getattr(plan, "is_ordinary", False) or plan.records is None:
            return {}
        at, history = now().isoformat(), read_runs(plan.records)
        runs = {}
        for name in plan.sites:
            figures = self.counted[name].figures(at)
            runs[name] = figures, alarms(figures, [earlier for earlier, _ in history.get(name, ())])
        try:
            add_runs(plan.records, runs)
        except DataError as error:
            logger.warning("%s", error)
        found = {name: messages for name, (_, messages) in runs.items() if messages}
        if found:
            self.crawler.stats.set_value(ALARMS, found)
        return found

    def _covered(self, algorithm: str) -> str:
        counts = self.coverage[algorithm]
        if algorithm in self.wrappers:
            return f"{algorithm}: {plural(counts['records'], 'object')}"
        shares = ", ".join(f"{name} {counts[name] / counts['records']:.0%}" for name in self.fields)
        return f"{algorithm}: {plural(counts['records'], 'record')}; {shares}"

    def _errors(self, site: str) -> int:
        return sum(self.rejected[site][status] for status in TRANSIENT)

    def _stat(self, name: str) -> int:
        return int(self.crawler.stats.get_value(f"newsextract/{name}", 0))

    async def _report(self) -> None:
        """Print plain lines if there is no terminal."""
        while self.live is None:
            await asyncio.sleep(_INTERVAL)
            pages = sum(self.fetched.values())
            sys.stderr.write(
                f"{monotonic() - self.began:6.0f} s: {sum(self.queued.values())} queued, {pages} fetched, "
                f"records: {sum(self.records.values())}, {sum(sum(c.values()) for c in self.rejected.values())} rejected, "
                f"{pages / (monotonic() - self.began):.1f} pages/s\n"
            )

    def _table(self) -> Table:
        table = Table("site", "queued", "fetched", "records", "rejected", "errors", "pages/s", box=None)
        seconds = max(monotonic() - self.began, 0.001)
        for name in list(self.queued)[:30]:
            table.add_row(
                name,
                str(self.queued[name]),
                str(self.fetched[name]),
                str(self.records[name]),
                str(sum(self.rejected[name].values()) - self._errors(name)),
                str(self._errors(name)),
                f"{self.fetched[name] / seconds:.1f}",
            )
        return table


class PlainProgress(LogStats):
    """Scrapy's log of pages and items per minute, for plain spiders."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy. Raises NotConfigured: the spider belongs to this project and uses :class:`Progress`."""
        if is_planned(crawler):
            raise NotConfigured
        return super().from_crawler(crawler)


def _figures(item: Record) -> tuple[int, float, list[str]]:
    """Length of a record's text, its confidence, and its non-empty fields."""
    if isinstance(item, ObjectRecord):
        return 0, item.fit, [name for name, value in item.fields.items() if value]
    text = item.snippet if isinstance(item, Hit | Teaser) else item.text
    own = [] if getattr(item, "duplicate_of", None) else [OWN]
    return len(text or ""), item.confidence, [*own, *(name for name in COVERED[item.kind] if getattr(item, name))]


def _site(request: Request) -> str:
    site = request.cb_kwargs.get("site")
    return site.name if site else "robots.txt"
