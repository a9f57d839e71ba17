"""Clean structured records from news, forums, search results, lists, and pages of known structure.

>>> from newsextract import extract
>>> article = extract("<h1>Harbour reopens</h1><p>The harbour reopened on Monday, the council said …</p>")
>>> article.status
'ok'
"""

from newsextract import algorithms
from newsextract.article import Article
from newsextract.errors import NewsextractError
from newsextract.extraction import extract
from newsextract.page import Hints, Page
from newsextract.record import Item, Record
from newsextract.records import extract_records, find_records
from newsextract.render import render
from newsextract.rendition import to_html, to_markdown
from newsextract.snapshot import Snapshot

__version__ = "0.1.0"
__all__ = [
    "Article",
    "Hints",
    "Item",
    "NewsextractError",
    "Page",
    "Record",
    "Snapshot",
    "__version__",
    "algorithms",
    "extract",
    "extract_records",
    "find_records",
    "render",
    "to_html",
    "to_markdown",
]
