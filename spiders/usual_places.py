"""Ways to articles for a site whose start page leads to hardly any, because scripts make its lists: sitemaps and feeds at
their usual places, and the links between one article and the next.

The places are asked when nothing else is left to fetch, one after the other, until one answers. Sitemaps come first: a feed
names only the newest articles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin

FEW = 5
"""If links lead to fewer articles, sitemaps and feeds are looked for."""
SITEMAPS = ("sitemap.xml", "sitemap_index.xml", "wp-sitemap.xml", "sitemap.txt")
FEEDS = ("feed", "rss.xml", "atom.xml", "feed.xml", "index.xml", "rss", "feed.json")
PLACE = "newsextract_usual_place"
"""Meta key of requests for them: nothing may be there."""
MOST_NEIGHBOURS = 10
"""Articles that are found through their neighbours, at most, for each page of a listing that the site may have."""
MAX_NEIGHBOURS = 5_000
"""Maximum number of neighbours of a site, and of folders, that are kept."""


@dataclass(slots=True)
class OtherWays:
    """What a site has beside the lists of its pages."""

    start: str | None = None
    """A start page that was read."""
    articles: set[int] = field(default_factory=set)
    """Articles that links and sitemaps lead to, at most :data:`FEW`."""
    has_sitemap: bool = False
    has_feed: bool = False
    is_cut_off: bool = False
    """Whether a list ends in a button that a script answers."""
    folders: set[str] = field(default_factory=set)
    """Folders of pages to which headlines lead: other neighbours are chapters of a manual, or offers."""
    has_pager: bool = False
    """Whether a list leads to its next page."""
    neighbours: dict[str, int] = field(default_factory=dict)
    """Articles before and after others, with their depth."""
    followed: int = 0
    """Number of them that were requested."""
    goes_by_neighbours: bool = False
    """Whether they are followed at once."""
    _asked: int = 0

    def add_folder(self, folder: str) -> None:
        """Note the folder of a page to which a headline leads."""
        if len(self.folders) < MAX_NEIGHBOURS:
            self.folders.add(folder)

    def lead_to(self, number: int) -> None:
        """Note an article."""
        if len(self.articles) < FEW:
            self.articles.add(number)

    def next_place(self) -> tuple[str, bool] | None:
        """The next URL to ask, and whether it is that of a feed; None if the site needs none, or all were asked."""
        if self.start is None or (len(self.articles) >= FEW and not self.is_cut_off):
            return None
        for url, is_feed in [*self._places()][self._asked :]:
            self._asked += 1
            if not (self.has_sitemap or (is_feed and self.has_feed)):
                return url, is_feed
        return None

    @property
    def was_asked(self) -> bool:
        """Whether a place was asked."""
        return self._asked > 0

    def _places(self) -> Iterator[tuple[str, bool]]:
        start = self.start or ""
        yield urljoin(start, "/robots.txt"), False
        for names, is_feed in ((SITEMAPS, False), (FEEDS, True)):
            urls = [urljoin(start, name) for name in names] + [urljoin(start, f"/{name}") for name in names]
            yield from ((url, is_feed) for url in dict.fromkeys(urls))
