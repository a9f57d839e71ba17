"""Archives: pages from and to WARC, WACZ, folders of saved pages, and JSON Lines. No network, no scrapy.

:func:`read_pages` iterates over the pages of archives, each with its ``place``; :func:`read_entries` over what a crawl of
ours made of them; :func:`extract_entry` gives the record of an entry, the same as the crawl did.
"""

from __future__ import annotations

from newsextract.archives.entries import ArchivedArticle, ArchivedRecordPage, Entry, Failure, SiteFacts, extract_entry
from newsextract.archives.reading import Archive, Step, find_archives, read_entries, read_pages

__all__ = [
    "Archive",
    "ArchivedArticle",
    "ArchivedRecordPage",
    "Entry",
    "Failure",
    "SiteFacts",
    "Step",
    "extract_entry",
    "find_archives",
    "read_entries",
    "read_pages",
]
