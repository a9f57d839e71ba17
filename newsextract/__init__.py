"""Clean structured records from news, forums, search results, lists, and pages of known structure.

>>> from newsextract import extract
>>> article = extract("<h1>Harbour reopens</h1><p>The harbour reopened on Monday, the council said …</p>")
>>> article.status
'ok'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from newsextract import aio, algorithms
    from newsextract.browser.render import render
    from newsextract.crawling import crawl
    from newsextract.errors import NewsextractError
    from newsextract.extraction import extract, extract_records, find_records
    from newsextract.page.fetching import fetch
    from newsextract.page.page import Hints, Page
    from newsextract.page.snapshot import Snapshot
    from newsextract.record_pages import ListPage, ResultPage, ThreadPage, extract_hits, extract_posts, extract_teasers
    from newsextract.rendition import to_html, to_markdown
    from newsextract.results import Article, Item, Record, RecordPage

__version__ = "0.1.0"
__all__ = [
    "Article", "Hints", "Item", "ListPage", "NewsextractError", "Page", "Record", "RecordPage", "ResultPage", "Snapshot",
    "ThreadPage", "__version__", "aio", "algorithms", "crawl", "extract", "extract_hits", "extract_posts", "extract_records",
    "extract_teasers", "fetch", "find_records", "render", "to_html", "to_markdown",
]  # fmt: skip

_MODULES = {
    name: module
    for module, names in {
        "browser.render": "render",
        "crawling": "crawl",
        "errors": "NewsextractError",
        "extraction": "extract extract_records find_records",
        "page.fetching": "fetch",
        "page.page": "Hints Page",
        "page.snapshot": "Snapshot",
        "record_pages": "ListPage ResultPage ThreadPage extract_hits extract_posts extract_teasers",
        "rendition": "to_html to_markdown",
        "results": "Article Item Record RecordPage",
    }.items()
    for name in names.split()
}
"""The module that defines each name. It is imported when a name is first used (PEP 562), so that the command line
starts fast."""


def __getattr__(name: str) -> Any:
    if name in ("aio", "algorithms"):
        return import_module(f"newsextract.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"newsextract.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
