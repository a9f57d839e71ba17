"""newsextract in anybody's Scrapy project: an add-on, its item pipelines and its worker processes (docs/scrapy.md).

>>> ADDONS = {"newsextract.scrapy.Addon": 300}       # in settings.py

This folder is the only place in the library that imports Scrapy. :mod:`newsextract.scrapy.poet` and
:mod:`newsextract.scrapy.zyte` need extras of their own and are imported by name.
"""

from newsextract.scrapy.addon import Addon
from newsextract.scrapy.articles import ArticlePipeline, WorkerPool
from newsextract.scrapy.lines import LinesPipeline, SkipWrittenMiddleware

__all__ = ["Addon", "ArticlePipeline", "LinesPipeline", "SkipWrittenMiddleware", "WorkerPool"]
