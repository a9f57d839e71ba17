"""Settings for every environment. The target sites are in ``sites.toml`` next to this file."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import default_settings

BOT_NAME = "newsextract"
SPIDER_MODULES = ["spiders"]
SPIDER_LOADER_CLASS = "spiders.ProjectSpiderLoader"
NEWSPIDER_MODULE = "spiders"
COMMANDS_MODULE = "spiders.commands"

# --- newsextract's own ----------------------------------------------------------------------------
SITES_FILE = str(Path(__file__).with_name("sites.toml"))
"""The file of target sites."""
ALGORITHM = "combined"
"""Extraction algorithm of news sites that name none; ``newsextract algorithms`` lists all algorithms."""
RECORD_ALGORITHM = "visual_blocks"
"""Extraction algorithm of forums, search engines and lists that name none: one that finds records."""
EXTRACTION_WORKERS = 2
"""Number of worker processes; 0 extracts in the crawl process, for debugging."""
EXTRACTION_TIMEOUT = 30.0
"""Seconds of CPU time after which an extraction is stopped and its worker replaced; the clock limit is ten times as long."""
EXTRACTION_MEMORY_MB = 1_500
"""Megabytes of memory that one worker may use for data."""

RENDER_PAGES = 4
"""Maximum number of pages that are open in the browser at the same time, for sites with ``render = true``."""
RENDER_TIMEOUT = 30.0
"""Seconds for loading a page; after that, the page is used as it is."""
RENDER_SETTLE = 2.0
"""Longest wait in seconds for content that scripts load after the page; it ends when the page requests nothing more."""
RENDER_SANDBOX = False
"""Whether a crawl that renders pages refuses to run as root, because the browser then has no sandbox. False: it warns."""
RENDER_RECYCLE = 50
"""Number of pages after which a site's browser context is replaced, so that their leftovers do not accumulate."""

# --- output ---------------------------------------------------------------------------------------
DEFAULT_FEED = "out/{spider}.jsonl"
"""The feed if neither FEEDS nor ``-o`` names one, for example ``out/news.jsonl``. It is not in FEEDS, because Scrapy
would then write to it in addition to ``-o``."""
FEED_EXPORT_ENCODING = "utf-8"
FEED_STORAGES = {"": "pipelines.feeds.LedgerStorage", "file": "pipelines.feeds.LedgerStorage"}
FEED_EXPORTERS = dict.fromkeys(("jsonlines", "jsonl", "jl"), "pipelines.feeds.LineExporter") | {
    "csv": "pipelines.feeds.CsvExporter"
}
CSV_GUARD = True
"""Whether CSV feeds get an apostrophe before texts that a spreadsheet would run as formulas (``=HYPERLINK(…)``)."""
DATABASE_URL: str | None = None
"""A database that also gets the lines of the feeds, for example ``sqlite:///out/news.db``; ``-a database=`` overrides it
(docs/storage.md)."""
DATABASE_BATCH = 500
"""Maximum number of lines of a feed that are written to the database in one transaction."""
DATABASE_SECONDS = 1.0
"""Seconds between two reads of the feeds."""
DATABASE_PATIENCE = 30.0
"""Seconds that the end of a crawl waits for a database that does not answer. The next crawl writes the remaining lines."""
ITEM_PIPELINES_BASE = {
    "pipelines.extraction.ExtractionPipeline": 100,
    "pipelines.checks.ConsistencyPipeline": 150,
    "pipelines.checks.QualityPipeline": 200,
    "pipelines.checks.DuplicatesPipeline": 300,
}
"""The project's item pipelines. Put yours into ``ITEM_PIPELINES``: "Item pipelines of your own" in docs/usage.md."""
ALARM_NOTIFY: str | list[str] | None = None
"""Recipient of the alarms of a crawl, as JSON: an http(s) URL (POST), or a command with its arguments (standard input)."""
STATE_LEASE = 30.0
"""Seconds after which other processes of a shared crawl (``-a state=``) may take over the sites of a silent process."""
ITEM_PROCESSOR = "pipelines.chain.PipelineChain"
CONCURRENT_ITEMS = 8  # per response; more only starts idle tasks
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 20_000_000  # bytes of pages between download and feed: the global brake

# --- politeness -----------------------------------------------------------------------------------
USER_AGENT = "newsextract/0.1 (web crawler)"
"""The default identifies nobody. For real sites, name yourself and a contact: ``yourproject/1.0 (+https://your.site/contact)``."""
ROBOTSTXT_OBEY = True
ROBOTSTXT_PARSER = "spiders.politeness.CappedRobotParser"
DOWNLOAD_DELAY = 1.0
CONCURRENT_REQUESTS = 32
CONCURRENT_REQUESTS_PER_SITE = 2
"""Parallel requests to one host, for sites without the key ``concurrency`` (Scrapy's ..._PER_DOMAIN is set from it)."""
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 60.0
COOKIES_ENABLED = False
REFERRER_POLICY = "scrapy.spidermiddlewares.referer.NoReferrerPolicy"

# --- safety ---------------------------------------------------------------------------------------
DOWNLOAD_MAXSIZE = 10_000_000
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_VERIFY_CERTIFICATES = True
DOWNLOAD_HANDLERS = dict.fromkeys(("http", "https"), "spiders.politeness.BoundedHandler") | dict.fromkeys(
    ("data", "file", "ftp", "s3")
)
DNS_TIMEOUT = 20
PRIVATE_SERVERS: list[str] = []
"""URLs of private servers that plain spiders and ``scrapy shell``, ``fetch`` and ``parse`` may reach, in addition to those
in ``NEWSEXTRACT_PRIVATE`` and in a spider's ``start_urls``. For the spiders of this project, sites.toml decides."""
REDIRECT_MAX_TIMES = 8
METAREFRESH_ENABLED = False  # it would decode pages on the reactor; the workers detect refreshes instead
URLLENGTH_LIMIT = 2_000
RETRY_TIMES = 2
RETRY_GIVE_UP_LOG_LEVEL = "INFO"  # the rejected feed has the reason
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False  # Scrapy's default is a local server that runs Python

DOWNLOADER_MIDDLEWARES_BASE = default_settings.DOWNLOADER_MIDDLEWARES_BASE | {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "spiders.politeness.RobotsMiddleware": 100,
    "spiders.politeness.ReservationsMiddleware": 110,
    "spiders.traps.ChallengeMiddleware": 555,
    "spiders.addresses.PublicAddressMiddleware": 560,
    "spiders.archive.ArchiveMiddleware": 895,
    "spiders.traps.TrapMiddleware": 80,
    "spiders.politeness.SiteRoutesMiddleware": 90,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "spiders.politeness.Compression": 590,
}
SPIDER_MIDDLEWARES_BASE = default_settings.SPIDER_MIDDLEWARES_BASE | {
    "spiders.outcomes.DefectMiddleware": 40,
    "spiders.outcomes.OriginMiddleware": 50,
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
    "scrapy.extensions.remote_control.RemoteControl": None,  # turned off above; its import alone is a tenth of a start
    "scrapy.extensions.telnet.TelnetConsole": None,
}
DOWNLOADER = "spiders.politeness.SiteDownloader"
SCHEDULER = "spiders.politeness.Scheduler"
DUPEFILTER_CLASS = "spiders.politeness.DupeFilter"
LOG_LEVEL = "WARNING"
WARN_ON_GENERATOR_RETURN_VALUE = False  # the check is for authors of spiders and would run at every start
STATS_DUMP = True
