"""``scrapy crawl``: checks sites and arguments before anything is fetched, and reports mistakes in one line each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.exceptions import UsageError as ScrapyUsageError

import settings as settings_package
from newsextract.alarms import EXIT_CODE, SHORTFALL_EXIT_CODE, report_of, send
from newsextract.errors import NewsextractError
from newsextract.scrapy import ERROR as FEED_ERROR
from newsextract.workers import prepare
from pipelines.chain import ERROR as PIPELINE_ERROR
from pipelines.feeds import NO_FEED, START_ERROR
from pipelines.items import PlannedSpider
from pipelines.progress import ALARMS
from pipelines.storage import ERROR as DATABASE_ERROR
from spiders.news import UNREAD_SITEMAPS
from spiders.plan import ArchivePlan, check_numbers, make_plan
from spiders.sharing import ERROR as SHARED_ERROR
from spiders.site_spider import WORKER_ERROR
from spiders.traps import CHALLENGED

GRACE = 6.0
"""Maximum time in seconds, after Ctrl-C, for the answers of servers."""
CLOSING = 3.0
"""Maximum time in seconds, after that, for pages that are being extracted, and for the summary."""
ENDED_EARLY = 4
"""Exit code of a crawl that was ended by Ctrl-C or SIGTERM."""
FEED_TROUBLE = 5
"""Exit code of a crawl that could not write its files: the disk is full, or a feed was changed meanwhile."""
_PROJECT = Path(__file__).resolve().parents[2]


class Command(CrawlCommand):
    """Run a spider of this project."""

    def _bound_shutdown(self, crawler: Any) -> None:
        """After Ctrl-C, limit the wait for slow servers and queued requests; the next run fetches their pages."""
        process: Any = self.crawler_process
        gently = process._signal_shutdown

        def abandon() -> None:
            """Let the spider close, with its summary, although requests are unanswered."""
            slot = crawler.engine and crawler.engine._slot
            if slot is not None and slot.closing is not None and not slot.closing.called:
                slot.inprogress.clear()
                slot._maybe_fire_closing()

        def shut_down(number: int, frame: Any) -> None:
            from twisted.internet import reactor  # not before Scrapy has installed one

            gently(number, frame)
            reactor.callFromThread(reactor.callLater, GRACE, abandon)
            reactor.callFromThread(reactor.callLater, GRACE + CLOSING, process._stop_reactor)

        process._signal_shutdown = shut_down

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Make the plan of the run, start the spider, and set the exit code."""
        assert self.settings is not None  # Scrapy has set both
        assert self.crawler_process is not None
        where = Path(settings_package.__file__ or "").resolve().parent
        if where != _PROJECT / "settings":
            raise ScrapyUsageError(
                f"another package named settings hides this project's: {where}; remove it from the environment",
                print_help=False,
            )
        if len(args) != 1:
            raise ScrapyUsageError("name one spider, for example: scrapy crawl news")
        loader = self.crawler_process.spider_loader
        if args[0] not in loader.list():
            raise ScrapyUsageError(f"no spider {args[0]!r}; choose from: {', '.join(loader.list())}", print_help=False)
        spider = loader.load(args[0])
        if not issubclass(spider, PlannedSpider):
            super().run(args, opts)
            return
        crawler = self.crawler_process.create_crawler(spider)
        try:
            check_numbers(crawler.settings)
            if crawler.settings.getint("EXTRACTION_WORKERS"):
                prepare()
            plan = make_plan(crawler.settings, opts.spargs, kind=spider.kind)
        except NewsextractError as error:
            sys.stderr.write(f"{error}\nThe crawl was not started.\n")
            self.exitcode = 2
            return
        self.crawler_process.crawl(crawler, plan=plan, **opts.spargs)
        self._bound_shutdown(crawler)
        self.crawler_process.start()
        failures = (NO_FEED, PIPELINE_ERROR, WORKER_ERROR, DATABASE_ERROR, SHARED_ERROR, UNREAD_SITEMAPS, CHALLENGED)
        reason = crawler.stats.get_value("finish_reason")  # None: the reactor was stopped before the spider was closed
        broken = reason == START_ERROR  # the log says why
        feed = plan.records if isinstance(plan, ArchivePlan) else None
        empty = feed is not None and not (feed.exists() and feed.stat().st_size)  # as with `newsextract extract --warc`
        if crawler.stats.get_value(FEED_ERROR):
            self.exitcode = FEED_TROUBLE
        elif self.crawler_process.bootstrap_failed or broken or empty or any(map(crawler.stats.get_value, failures)):
            self.exitcode = 1
        elif reason in ("shutdown", None):
            self.exitcode = ENDED_EARLY
        elif crawler.stats.get_value("newsextract/shortfalls"):
            self.exitcode = SHORTFALL_EXIT_CODE
        elif crawler.stats.get_value(ALARMS):
            self.exitcode = EXIT_CODE
        if (found := crawler.stats.get_value(ALARMS)) and (whom := self.settings["ALARM_NOTIFY"]):
            send(whom, report_of(args[0], str(plan.records) if plan.records else None, found))
