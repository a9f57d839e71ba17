"""newsextract in anybody's Scrapy project: an add-on, its item pipelines and its worker processes (docs/scrapy.md).

>>> ADDONS = {"newsextract.scrapy.Addon": 300}       # in settings.py

This folder is the only place in the library that imports Scrapy. :mod:`newsextract.scrapy.poet` and
:mod:`newsextract.scrapy.zyte` need extras of their own and are imported by name.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from newsextract.scrapy.articles import ArticlePipeline, Options, WorkerPool
from newsextract.scrapy.lines import LinesPipeline, SkipWrittenMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

__all__ = ["Addon", "ArticlePipeline", "LinesPipeline", "SkipWrittenMiddleware", "WorkerPool"]


# --- add-on ---------------------------------------------------------------------------------------
# The add-on: ``ADDONS = {"newsextract.scrapy.Addon": 300}`` enables the components that the settings ask for.

ARTICLES = 100
"""Place among ``ITEM_PIPELINES``: before a user's, which get records."""
LINES = 950
"""Place among ``ITEM_PIPELINES``: behind a user's, so that the file has what they made of the records."""


class Addon:
    """Adds components to those of the project. What the project's settings say of a component stands."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Scrapy's hook.

        :raises UsageError: a setting ``NEWSEXTRACT_…`` is unknown or has a wrong value.
        """
        options = Options.from_settings(settings)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", WorkerPool, 0)
        settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", ArticlePipeline, ARTICLES)
        if options.feed is not None:
            settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", LinesPipeline, LINES)
        if options.skip_written:
            settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", SkipWrittenMiddleware, 50)
        if find_spec("scrapy_poet") is not None:
            from newsextract.scrapy.poet import ArticleProvider  # here: an extra

            settings.setdefault_in_component_priority_dict("SCRAPY_POET_PROVIDERS", ArticleProvider, 500)
