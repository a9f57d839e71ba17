"""Pages without end (calendars, session keys, sitemaps that name themselves): left out when they give nothing new.

URLs that differ in numbers and in the values of parameters only have one *shape*. When the last pages of a shape gave
neither a new record nor links to new pages of another shape, the rest of the shape is left out, and the summary says so;
later runs try it again. What a feed, a sitemap or the user names is fetched whatever its shape.

Cost: one pattern per new link.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import IgnoreRequest

from pipelines.items import NewsRecord, Rejection

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

BARREN = 30
"""Pages of a shape in a row without anything new after which the others are left out."""
BOUNDED = ("link", "archive", "listing")
"""Roles of requests that a link alone has led to."""
_NOTHING = frozenset({"listing", "not_article", "not_canonical", "empty", "short"})
"""Rejections of pages that were read and gave nothing."""
_CHANGING = re.compile(r"[^/?&=.]*\d[^/?&=.]*|(?<==)[^&]*")


def url_shape(url: str, *, has_slugs: bool = False) -> str:
    """A URL without what differs between pages of one kind: parts with digits, values of parameters.

    :param url: normalised.
    :param has_slugs: a last part of several words is left out, too; it always is where parameters follow.
    """
    address, mark, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    host, _, path = rest.partition("/")
    head, slash, last = path.rstrip("/").rpartition("/")
    name = "*" if mark or (has_slugs and last.count("-") > 1) else _CHANGING.sub("*", last)
    return f"{scheme}://{host}/{_CHANGING.sub('*', head)}{slash}{name}{mark}{_CHANGING.sub('*', query)}"


class LeftOut(IgnoreRequest):
    """A page is not fetched because others like it gave nothing new."""


class Traps:
    """How the pages of each shape have fared in this run."""

    def __init__(self) -> None:
        self._barren: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def gave(self, url: str) -> None:
        """A page had something new."""
        if not self.is_left_out(url):
            self._barren.pop(url_shape(url), None)

    def gave_nothing(self, url: str) -> None:
        """A page had nothing new."""
        self._barren[url_shape(url)] += 1

    def is_left_out(self, url: str, *, is_asked_for: bool = False) -> bool:
        """Whether pages like this one are left out.

        :param is_asked_for: something has led to it, so that it counts as left out.
        """
        shape = url_shape(url)
        if self._barren[shape] < BARREN:
            return False
        self._left_out[shape] += is_asked_for
        return True

    def learn(self, item: Any) -> None:
        """What became of a page, when it stands in a feed."""
        if isinstance(item, NewsRecord):
            if item.duplicate_of is None and item.revision == 0:
                self.gave(item.url)
            else:
                self.gave_nothing(item.url)
        elif isinstance(item, Rejection) and item.status in _NOTHING:
            self.gave_nothing(item.url)

    def lines(self) -> Iterator[str]:
        """For the summary of the crawl."""
        for shape, count in self._left_out.items():
            yield f"{shape}: {count} left out, since {BARREN} such pages in a row gave nothing new; later runs try again"


class TrapMiddleware:
    """Leaves out what was on its way already when its shape turned out to be barren."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make one."""
        made = cls(crawler)
        crawler.signals.connect(made._learn, signal=signals.item_scraped)
        return made

    def _learn(self, item: Any) -> None:
        self._crawler.spider.traps.learn(item)  # type: ignore[union-attr]  # every spider of the project has them

    def process_request(self, request: Request) -> None:
        """See the class."""
        is_bounded = request.cb_kwargs.get("role") in BOUNDED or "level" in request.cb_kwargs
        if is_bounded and self._crawler.spider.traps.is_left_out(request.url, is_asked_for=True):  # type: ignore[union-attr]  # as above
            raise LeftOut(request.url)
