"""Spiders decide which pages are fetched, and in which order. Pipelines turn fetched pages into records."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoader

# --- loading --------------------------------------------------------------------------------------
# The spider loader: finds users' spiders in ``spiders/`` without importing what needs a browser.


_NO_SPIDERS = ("commands", "requests")
"""Not imported: Scrapy's commands, and the download handler that needs playwright."""


class ProjectSpiderLoader(SpiderLoader):
    """Scrapy's loader; it loads every module of the package ``spiders`` that may define spiders."""

    def __init__(self, settings: BaseSettings) -> None:
        names = [name for module in settings.getlist("SPIDER_MODULES") for name in _modules(module)]
        super().__init__(
            BaseSettings({"SPIDER_MODULES": names, "SPIDER_LOADER_WARN_ONLY": settings["SPIDER_LOADER_WARN_ONLY"]})
        )


def _modules(name: str) -> list[str]:
    found = iter_modules(import_module(name).__path__) if name == "spiders" else ()
    return [f"{name}.{module.name}" for module in found if module.name not in _NO_SPIDERS] or [name]
