"""What the engine layouts share: addresses, pages of hits, the page without hits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape
from urllib.parse import quote_plus

from search_source import Document, Hit, search

MOST_PAGES = 3
ENGLISH = ("harbour", "gull island ferry", "boat engine repair", "winter storm", "night train", "fish & chips")
CHINESE = ("港口 码头", "渡轮 渔船", "海鲜 鱼市", "老城 电车", "台风 大雾", "周末 孩子")
UNKNOWN = "kraken"
"""A query that finds nothing anywhere."""


class Engine(ABC):
    """The pages of a search engine. Paths begin with ``/`` and may have a query."""

    folder: str
    """Folder of its files; the layout's name in the truth."""
    host: str
    name: str
    lang = "en"
    queries: tuple[str, ...] = ENGLISH
    per_page = 10
    title_limit = 70
    snippet_limit = 170
    path = "/search"
    """Path of the result pages."""
    allows = True
    """Whether its robots.txt lets crawlers read result pages."""

    def __init__(self, everything: Sequence[Document]) -> None:
        limits = {"title_limit": self.title_limit, "snippet_limit": self.snippet_limit}
        most = self.per_page * MOST_PAGES
        self.hits = {query: search(everything, query, most, **limits) for query in self.queries}

    @property
    def base(self) -> str:
        """Scheme and host."""
        return "http://" + self.host

    @abstractmethod
    def address(self, query: str, page: int = 1) -> str:
        """Path and query of a result page, from 1."""

    @abstractmethod
    def frame(self, query: str, main: str, page: int) -> str:
        """A whole page around its main part; page 0 for those without hits."""

    @abstractmethod
    def results(self, query: str, page: int) -> str:
        """The main part of a result page."""

    @abstractmethod
    def empty(self) -> str:
        """The main part of the page without hits."""

    def pages_of(self, query: str) -> list[list[Hit]]:
        """The hits of a query, page by page."""
        hits = self.hits[query]
        return [hits[start : start + self.per_page] for start in range(0, len(hits), self.per_page)]

    def paths_of(self, query: str) -> list[str]:
        """The paths of a query's result pages."""
        return [self.address(query, page) for page in range(1, len(self.pages_of(query)) + 1)]

    def robots(self) -> str:
        """The engine's robots.txt."""
        return "User-agent: *\n" + (
            f"Allow: {self.path}\nDisallow: /admin/\n" if self.allows else f"Disallow: {self.path}\n"
        )

    def home(self) -> str:
        """The main part of the page at ``/``."""
        links = " · ".join(f'<a href="{escape(self.address(query))}">{escape(query)}</a>' for query in self.queries)
        return f'<div class="home"><h1>{self.name}</h1><p>{links}</p></div>'

    def files(self) -> dict[str, str]:
        """Everything but the style sheet, by path. What stands at ``path`` alone answers for every other query."""
        found = {"/": self.frame("", self.home(), 0), self.path: self.frame("", self.empty(), 0)}
        for query in self.queries:
            for page, path in enumerate(self.paths_of(query), 1):
                found[path] = self.frame(query, self.results(query, page), page)
        return found


def encoded(query: str) -> str:
    """A query as a parameter's value."""
    return quote_plus(query)


def estimate(hits: list[Hit]) -> int:
    """The number of results that an engine boasts of."""
    return 37 * len(hits) + 4
