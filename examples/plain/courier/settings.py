"""Settings of the project: Scrapy's own, and those of newsextract's add-on."""

SPIDER_MODULES = ["courier.spiders"]
USER_AGENT = "courier/1.0 (+https://courier.example/contact)"
DOWNLOAD_DELAY = 1.0
LOG_LEVEL = "INFO"

ADDONS = {"newsextract.scrapy.Addon": 300}
NEWSEXTRACT_WORKERS = 2
NEWSEXTRACT_MIN_CONFIDENCE = 0.3
NEWSEXTRACT_FEED = "articles.jsonl"
NEWSEXTRACT_SKIP_WRITTEN = True

ITEM_PIPELINES = {"courier.pipelines.Words": 500}  # behind newsextract's: it gets records
