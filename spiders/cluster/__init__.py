"""Several crawler processes on one frontier in Redis: Scrapy's side of :mod:`newsextract.cluster`.

Needs the extra ``cluster``; nothing here is imported by a crawl that is not shared.
"""
