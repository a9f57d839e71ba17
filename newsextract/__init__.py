"""Clean structured records from news, forum and search-result pages.

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
from newsextract.rendition import to_html, to_markdown

__version__ = "0.1.0"
__all__ = ["Article", "Hints", "NewsextractError", "Page", "__version__", "algorithms", "extract", "to_html", "to_markdown"]
