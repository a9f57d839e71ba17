"""Texts that feeds carry whole, kept until their pages are fetched: for pages that show no text, or refuse to be read.

The text becomes a page of its own (:meth:`FeedTexts.page`), which is extracted like any other; its note, a part of the
record's ``reason``, says so. Crawls that write an archive keep none, because the archive could not give the record again.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import escape

from newsextract import Hints, Page
from newsextract.discovery import FeedEntry

MOST = 20_000_000
"""Characters of all texts that are kept."""
LEAST = 400
"""Characters without tags from which on a text is more than a teaser."""
_TAG = re.compile(r"<[^<>]{0,2000}>")


class FeedTexts:
    """The texts of feed entries whose pages have not been read yet, by the identity of their URLs."""

    def __init__(self) -> None:
        self._entries: dict[int, FeedEntry] = {}
        self._size = 0

    def keep(self, number: int, entry: FeedEntry) -> None:
        """Keep the text of an entry, if it has one and there is room."""
        content = entry.content or ""
        is_whole = len(" ".join(_TAG.sub(" ", content).split())) >= LEAST
        if is_whole and number not in self._entries and self._size + len(content) <= MOST:
            self._entries[number] = entry
            self._size += len(content)

    def drop(self, number: int) -> FeedEntry | None:
        """Forget the text of an entry; return the entry if it was kept."""
        entry = self._entries.pop(number, None)
        if entry is not None:
            self._size -= len(entry.content or "")
        return entry

    def page(self, number: int, url: str, hints: Hints, why: str) -> Page | None:
        """The page that the text of an entry makes, or None.

        :param url: of the page that the entry names.
        :param why: why that page itself is not read.
        """
        entry = self.drop(number)
        if entry is None:
            return None
        title, language = escape(entry.title or ""), escape(hints.language or entry.language or "")
        author = f'<meta name="author" content="{escape(entry.author)}">' if entry.author else ""
        head = f'<head><title>{title}</title><meta property="og:type" content="article">{author}</head>'
        source = f'<html lang="{language}">{head}<body><article><h1>{title}</h1>{entry.content}</article></body></html>'
        at = datetime.now(UTC).replace(microsecond=0)
        headers = {"content-type": "text/html; charset=utf-8"}
        note = f"the text is that of the feed's entry, because its page gives none ({why})"
        return Page(source.encode("utf-8", "replace"), url, headers, at, hints, note=note)
