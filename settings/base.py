"""Settings that hold everywhere. Target sites stand in ``sites.toml`` beside this file."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import default_settings

BOT_NAME = "newsextract"
SPIDER_MODULES = ["spiders"]
SPIDER_LOADER_CLASS = "spiders.loading.ProjectSpiderLoader"
NEWSPIDER_MODULE = "spiders"
COMMANDS_MODULE = "spiders.commands"

# --- newsextract's own ------------------------------------------------------------------------------------------------
SITES_FILE = str(Path(__file__).with_name("sites.toml"))
"""The target sites."""
ALGORITHM = "combined"
"""Extraction algorithm of news sites that name none; ``newsextract algorithms`` lists them."""
RECORD_ALGORITHM = "visual_blocks"
"""The same for forums, search engines and lists: an algorithm that finds records."""
EXTRACTION_WORKERS = 2
"""Worker processes; 0 runs extraction in line, for debugging."""
EXTRACTION_TIMEOUT = 30.0
"""Seconds of CPU time after which a page's extraction is stopped and its worker replaced; ten times as many by the clock."""
EXTRACTION_MEMORY_MB = 1_500
"""Megabytes of data that one worker may use."""

RENDER_PAGES = 4
"""Pages that are open in the browser at a time, for sites with ``render = true``."""
RENDER_TIMEOUT = 30.0
"""Seconds for loading a page; then it is taken as it is."""
RENDER_SETTLE = 2.0
"""At most so many seconds for what scripts load when the page itself has been; it ends when nothing is being loaded."""
RENDER_SANDBOX = False
"""Whether a crawl that renders pages refuses to run as root, for whom the browser has no sandbox; else it warns."""
RENDER_RECYCLE = 50
"""Pages after which a site's browser context is made anew, with all that they left behind."""

# --- what comes out ---------------------------------------------------------------------------------------------------
DEFAULT_FEED = "out/{spider}.jsonl"
"""Where records go when neither FEEDS nor ``-o`` names a feed, for example ``out/news.jsonl``; Scrapy would write to FEEDS
as well as to ``-o``."""
FEED_EXPORT_ENCODING = "utf-8"
FEED_STORAGES = {"": "pipelines.feeds.LedgerStorage", "file": "pipelines.feeds.LedgerStorage"}
FEED_EXPORTERS = dict.fromkeys(("jsonlines", "jsonl", "jl"), "pipelines.feeds.LineExporter") | {
    "csv": "pipelines.feeds.CsvExporter"
}
CSV_GUARD = True
"""In CSV feeds, an apostrophe before texts that a spreadsheet would run as formulas (``=HYPERLINK(…)``)."""
DATABASE_URL: str | None = None
"""A database for what stands in the feeds, for example ``sqlite:///out/news.db``; as ``-a database=``, docs/storage.md."""
DATABASE_BATCH = 500
"""Lines of a feed that are written in one transaction, at most."""
DATABASE_SECONDS = 1.0
"""Seconds between two looks at the feeds."""
DATABASE_PATIENCE = 30.0
"""Seconds that the end of a crawl waits for a database that does not answer; what is left is written by the next start."""
ITEM_PIPELINES_BASE = {
    "pipelines.extraction.ExtractionPipeline": 100,
    "pipelines.checks.ConsistencyPipeline": 150,
    "pipelines.checks.QualityPipeline": 200,
    "pipelines.checks.DuplicatesPipeline": 300,
}
"""Ours; yours go into ``ITEM_PIPELINES``, see "Item pipelines of your own" in docs/usage.md."""
ALARM_NOTIFY: str | list[str] | None = None
"""Who gets the alarms of a crawl, as JSON: an http(s) URL (POST), or a command with its arguments (standard input)."""
STATE_LEASE = 30.0
"""Seconds after which the sites of a process of a shared crawl (``-a state=``) that is silent are another's."""
ITEM_PROCESSOR = "pipelines.chain.PipelineChain"
CONCURRENT_ITEMS = 8  # per response; more only starts idle tasks
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 20_000_000  # bytes of pages between download and feed: the global brake

# --- politeness -------------------------------------------------------------------------------------------------------
USER_AGENT = "newsextract/0.1 (web crawler)"
"""Names nobody; for real sites say who you are, and where to reach you: ``yourproject/1.0 (+https://your.site/contact)``."""
ROBOTSTXT_OBEY = True
ROBOTSTXT_PARSER = "spiders.politeness.CappedRobotParser"
DOWNLOAD_DELAY = 1.0
CONCURRENT_REQUESTS = 32
CONCURRENT_REQUESTS_PER_SITE = 2
"""Requests to one host at a time, for sites that say nothing else (Scrapy's ..._PER_DOMAIN is set from it)."""
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 60.0
COOKIES_ENABLED = False
REFERRER_POLICY = "scrapy.spidermiddlewares.referer.NoReferrerPolicy"

# --- safety -----------------------------------------------------------------------------------------------------------
DOWNLOAD_MAXSIZE = 10_000_000
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_VERIFY_CERTIFICATES = True
DOWNLOAD_HANDLERS = {"data": None, "file": None, "ftp": None, "s3": None}
DNS_TIMEOUT = 20
PRIVATE_SERVERS: list[str] = []
"""URLs of private servers that plain spiders and ``scrapy shell``, ``fetch`` and ``parse`` may reach, beside those that
``NEWSEXTRACT_PRIVATE`` and a spider's ``start_urls`` name; for this project's spiders sites.toml decides."""
REDIRECT_MAX_TIMES = 8
METAREFRESH_ENABLED = False  # it would decode pages on the reactor; the workers find refreshes
URLLENGTH_LIMIT = 2_000
RETRY_TIMES = 2
RETRY_GIVE_UP_LOG_LEVEL = "INFO"  # the rejected feed tells
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False  # Scrapy's default is a local server that runs Python

DOWNLOADER_MIDDLEWARES_BASE = default_settings.DOWNLOADER_MIDDLEWARES_BASE | {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "spiders.politeness.RobotsMiddleware": 100,
    "spiders.reservations.ReservationsMiddleware": 110,
    "spiders.challenges.ChallengeMiddleware": 555,
    "spiders.addresses.PublicAddressMiddleware": 560,
    "spiders.archiving.ArchiveMiddleware": 895,
    "spiders.traps.TrapMiddleware": 80,
    "spiders.politeness.SiteRoutesMiddleware": 90,
}
SPIDER_MIDDLEWARES_BASE = default_settings.SPIDER_MIDDLEWARES_BASE | {
    "spiders.outcomes.DefectMiddleware": 40,
    "spiders.origins.OriginMiddleware": 50,
}
EXTENSIONS_BASE = default_settings.EXTENSIONS_BASE | {
    "scrapy.extensions.feedexport.FeedExporter": None,
    "pipelines.feeds.Feeds": 0,
    "pipelines.progress.Progress": 100,
    "pipelines.storage.DatabaseStorage": 110,
    "scrapy.extensions.throttle.AutoThrottle": None,
    "spiders.politeness.SiteThrottle": 0,
    "scrapy.extensions.logstats.LogStats": None,
    "pipelines.progress.PlainProgress": 100,
}
SCHEDULER = "spiders.politeness.Scheduler"
DUPEFILTER_CLASS = "spiders.politeness.DupeFilter"
LOG_LEVEL = "WARNING"
WARN_ON_GENERATOR_RETURN_VALUE = False  # a check for spiders' authors, at every start
STATS_DUMP = True
