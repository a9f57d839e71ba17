"""The WARC files of a crawl: every response, and metadata of the pages that give records.

The page and its metadata are written before the record, so the archive contains every page of the feed, also after a ``kill
-9``. The reactor writes, 0.6 ms per page, as for the feed. A separate thread was tried: passing pages to it cost more than
it saved (``benchmarks/archives.py``: 1.30 ms of CPU time per page instead of 0.87).
"""

from __future__ import annotations

import dataclasses
import logging
from collections import OrderedDict
from datetime import datetime
from pathlib import Path
from typing import Any

from w3lib.url import safe_url_string

from newsextract import Hints
from newsextract.archives.entries import Described, Part, SiteFacts
from newsextract.archives.warc import Exchange, WarcWriter, Written
from newsextract.sites import Site
from pipelines.items import FetchedPage, ReadPage

logger = logging.getLogger(__name__)
KEEP = 4_000
"""Number of cached pages with many records, far more than can be between response and line."""


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """What a spider knows when it requests a page that may have many records."""

    query: str | None
    """The search query."""
    shape: str | None
    """Template of the records on earlier pages (:mod:`newsextract.algorithms.record_shape`)."""


class CrawlArchive:
    """The archive of one run.

    :param name: name of the spider.
    :raises DataError: the folder cannot be written.
    :raises MissingExtra: warcio is not installed.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._writer = WarcWriter(folder, name)
        self._by_address: OrderedDict[str, tuple[Part, Asked]] = OrderedDict()
        """What a page is read from: the response itself, or a snapshot."""

    def answer(self, exchange: Exchange, requested_url: str, known: Asked | None, note: str | None) -> str:
        """Write a response; return the position of what its page is read from.

        :param requested_url: the requested URL, before redirects.
        :param known: None: the page does not have many records.
        :param note: note about a rendered page.
        :raises OSError: the archive cannot be written.
        """
        page, walk = self._writer.exchange(exchange)
        read = walk or page
        if known is not None:
            self._by_address[requested_url] = _part(read, exchange.url, exchange.at, note), known
            self._by_address.move_to_end(requested_url)
            if len(self._by_address) > KEEP:
                self._by_address.popitem(last=False)
        return read.place

    def read_by(self, requested_url: str, shape: str) -> None:
        """Note that a page is read with the template of another query's hits."""
        address = safe_url_string(requested_url)
        if address in self._by_address:
            part, known = self._by_address[address]
            self._by_address[address] = part, dataclasses.replace(known, shape=shape)

    def article(self, item: FetchedPage, algorithm: str, params: dict[str, Any]) -> None:
        """Write the metadata of an article.

        :raises OSError: the archive cannot be written.
        """
        parts = []
        for page in item.parts:
            assert page.place is not None  # :class:`~spiders.archive.ArchiveMiddleware` has written it
            assert page.url is not None
            parts.append(_part(Written.at(page.place), page.url, page.time, page.note))
        described = Described(
            facts_of(item.site, algorithm, params),
            item.requested_url,
            item.parts[0].hints,
            parts,
            item.etag,
            item.last_modified,
        )
        self._writer.describe(described, item.parts[0].time)

    def record_page(self, item: ReadPage, site: Site, algorithm: str, params: dict[str, Any]) -> None:
        """Write the metadata of a page of posts, hits or teasers.

        :raises OSError: the archive cannot be written.
        """
        if site.wrapping is not None:
            return  # results of wrappers are not extracted again from archives
        if (answer := self._by_address.get(safe_url_string(item.url))) is None:
            logger.warning("%s: the archive has its answer, but not what was known of it", item.url)
            return
        part, known = answer
        described = Described(
            facts_of(site, algorithm, params),
            item.url,
            Hints(language=site.language),
            [part],
            item.etag,
            item.last_modified,
            item.values(),
            known.query,
            known.shape,
        )
        self._writer.describe(described, part.fetched_at)

    @property
    def written(self) -> str:
        """What this run has written; a line for the summary."""
        return self._writer.summary()

    def close(self) -> None:
        """Close the files."""
        self._writer.close()


def _part(written: Written, url: str, at: datetime, note: str | None) -> Part:
    return Part(written.file, written.offset, written.record, url, at, note)


def facts_of(site: Site, algorithm: str, params: dict[str, Any]) -> SiteFacts:
    """The keys of a site that affect its records."""
    values = {name: getattr(site, name) for name in SiteFacts.__slots__} | {"algorithm": algorithm, "params": params}
    patterns = {"allow": tuple(site.allow), "deny": tuple(site.deny), "domains": tuple(site.all_domains)}
    return SiteFacts(**values | patterns)
