"""An article's text with its form: the chosen nodes of the page as clean HTML or Markdown, pictures in place.

The words are exactly those of ``Article.text``, in the same order. Kept are paragraphs, headings, lists, quotes,
listings, data tables, links, bold, italic, raised and lowered text, inline code and pictures; all else is unwrapped. No
attribute but ``href``, ``src`` and ``alt`` comes through, no address but http, https and (links) mailto, no script or style.

:mod:`.walk` turns the page's tree into a flat list of passages and checks them against the text; :mod:`.writers` writes
passages as HTML or Markdown. It is done on request only, and costs about as much as the tree walk itself.
"""

from __future__ import annotations

from newsextract.control_characters import cleaned
from newsextract.extraction import as_page
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot
from newsextract.rendition.walk import passages
from newsextract.rendition.writers import Passage, write_html, write_markdown
from newsextract.results import Article


def to_html(page: Page | Snapshot | bytes | str, article: Article) -> str:
    """The text of an article as a fragment of HTML.

    :param page: the page that was extracted, in any form that ``extract`` takes. Links in bytes and text are relative to
        the URL of the article.
    :param article: what :func:`~newsextract.extraction.extract` made of it. Where the algorithm names no nodes (those on the
        source text: ``article.blocks`` is None), its lines become paragraphs, without links, lists and pictures.
    :returns: elements, without ``html`` and ``body``; empty for an empty text. Never raises for any page.
    """
    return str(cleaned(write_html(_passages(page, article))))


def to_markdown(page: Page | Snapshot | bytes | str, article: Article) -> str:
    """The text of an article as Markdown (CommonMark with GFM's tables); parameters as in :func:`to_html`."""
    return str(cleaned(write_markdown(_passages(page, article))))


def _passages(page: Page | Snapshot | bytes | str, article: Article) -> list[Passage]:
    if not isinstance(article, Article):
        raise TypeError(f"an article is what extract(page) returns, not {type(article).__name__}")
    return passages(as_page(page, article.url), cleaned(article))
