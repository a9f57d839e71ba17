"""Settings of the project: scrapy-poet's add-on before newsextract's."""

SPIDER_MODULES = ["gazette.spiders"]
USER_AGENT = "gazette/1.0 (+https://gazette.example/contact)"
DOWNLOAD_DELAY = 1.0
LOG_LEVEL = "INFO"

ADDONS = {"scrapy_poet.Addon": 200, "newsextract.scrapy.Addon": 300}
NEWSEXTRACT_WORKERS = 2
