"""Private addresses are reached only where sites.toml names the host.

A link or a redirect could otherwise lead a crawler into the network that it stands in. Names are checked after they
have been resolved (a public name may point to a private address), literal addresses before every request, redirects
and robots.txt included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.error import DNSLookupError

from newsextract.addresses import is_private
from spiders.serving import LOOPBACK, server_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from twisted.internet.base import ReactorBase
    from twisted.internet.defer import Deferred

    from spiders.crawl_plan import CrawlPlan


class PrivateAddressError(IgnoreRequest):
    """A request would have reached a private address."""


def refusal(host: str, address: str) -> PrivateAddressError:
    """What the user is told."""
    return PrivateAddressError(
        f"{host} has the private address {address}; to crawl it, name the host in sites.toml (start, sitemaps or feeds)"
    )


class PublicResolver(CachingThreadedResolver):
    """Scrapy's resolver, which refuses private addresses.

    :param allowed: names that may have private addresses: those of sites.toml, and proxies.
    """

    def __init__(self, reactor: ReactorBase, cache_size: int, timeout: float, allowed: frozenset[str]) -> None:
        super().__init__(reactor, cache_size, timeout)
        self._allowed = allowed
        self.refused: dict[str, str] = {}
        """Names that were refused, with the address; the middleware words the error."""

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802  # Twisted's name
        """Resolve a name; the result is checked each time, cached or not."""
        return super().getHostByName(name, timeout).addCallback(self._checked, name)

    def _checked(self, address: str, name: str) -> str:
        if name not in self._allowed and is_private(address):
            self.refused[name] = address
            raise DNSLookupError(f"{name} has the private address {address}")
        return address


class PublicAddressMiddleware:
    """Refuses requests to private addresses; redirects and robots.txt come by here, too.

    It also installs the resolver: whatever process runs the crawl, both are there.
    """

    def __init__(self, plan: CrawlPlan, settings: BaseSettings) -> None:
        from twisted.internet import reactor  # not before Scrapy has chosen one

        proxies = [*getproxies().values(), *(site.proxy for site in plan.sites.values() if site.proxy)]
        reached_for_us = {urlsplit(proxy).hostname or "" for proxy in proxies}
        if any(site.serve for site in plan.sites.values()):
            reached_for_us.add(LOOPBACK)
        self._servers = plan.allowed_servers
        self._resolver = PublicResolver(
            cast("ReactorBase", reactor),
            settings.getint("DNSCACHE_SIZE"),
            settings.getfloat("DNS_TIMEOUT"),
            plan.allowed_hosts | reached_for_us,
        )
        self._resolver.install_on_reactor()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PublicAddressMiddleware:
        """Scrapy's way to make one."""
        return cls(crawler.spider.plan, crawler.settings)  # type: ignore[union-attr]  # the spider is made first

    def process_request(self, request: Request) -> None:
        """Check the scheme and a literal address before anything is sent."""
        parts = urlsplit(request.url)
        host = parts.hostname or ""
        if parts.scheme not in ("http", "https"):
            raise PrivateAddressError(f"{request.url}: only http and https are fetched")
        if is_private(host) and server_of(request.url) not in self._servers:
            raise refusal(host, host)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Say why a name was not resolved; without this it would be tried again."""
        host = urlsplit(request.url).hostname or ""
        if isinstance(exception, CannotResolveHostError) and host in self._resolver.refused:
            raise refusal(host, self._resolver.refused[host]) from exception
