"""The crawl's part of :class:`~newsextract.addresses.AddressPolicy`: private addresses only where sites.toml allows them.

Names are checked when they are resolved, and the connection is made to the checked address; literal addresses and ports are
checked before every request, redirects and robots.txt included. A proxy resolves the names of the pages that it fetches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.error import DNSLookupError

from newsextract.addresses import server_of
from spiders.serving import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from twisted.internet.base import ReactorBase
    from twisted.internet.defer import Deferred

    from newsextract.addresses import AddressPolicy
    from spiders.crawl_plan import CrawlPlan


class PrivateAddressError(IgnoreRequest):
    """A request would have reached a private address."""


def refusal(host: str, address: str) -> PrivateAddressError:
    """What the user is told."""
    return PrivateAddressError(
        f"{host} has the private address {address}; to crawl it, name it in a site of sites.toml with private = true"
    )


class PublicResolver(CachingThreadedResolver):
    """Scrapy's resolver, which refuses private addresses.

    :param proxies: hosts that fetch pages for the crawl; they may be private.
    """

    def __init__(
        self, reactor: ReactorBase, cache_size: int, timeout: float, policy: AddressPolicy, proxies: frozenset[str]
    ) -> None:
        super().__init__(reactor, cache_size, timeout)
        self._policy, self._proxies = policy, proxies
        self.refused: dict[str, str] = {}
        """Names that were refused, with the address; the middleware words the error."""

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802  # Twisted's name
        """Resolve a name; the result is checked each time, cached or not."""
        return super().getHostByName(name, timeout).addCallback(self._checked, name)

    def _checked(self, address: str, name: str) -> str:
        reason = None if name in self._proxies else self._policy.refusal(name, None, [address])
        if reason:
            self.refused[name] = address
            raise DNSLookupError(reason)
        return address


class PublicAddressMiddleware:
    """Refuses requests to private addresses; redirects and robots.txt come by here, too.

    It also installs the resolver: whatever process runs the crawl, both are there.
    """

    def __init__(self, plan: CrawlPlan, settings: BaseSettings) -> None:
        from twisted.internet import reactor  # not before Scrapy has chosen one

        urls = [*getproxies().values(), *(site.proxy for site in plan.sites.values() if site.proxy)]
        proxies = frozenset(urlsplit(url).hostname or "" for url in urls)
        if any(site.serve for site in plan.sites.values()):
            proxies |= {LOOPBACK}
        self._policy = plan.policy
        self._proxies = proxies.difference(*(site.hosts for site in plan.sites.values()))
        self._resolver = PublicResolver(
            cast("ReactorBase", reactor),
            settings.getint("DNSCACHE_SIZE"),
            settings.getfloat("DNS_TIMEOUT"),
            plan.policy,
            proxies,
        )
        self._resolver.install_on_reactor()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PublicAddressMiddleware:
        """Scrapy's way to make one."""
        return cls(crawler.spider.plan, crawler.settings)  # type: ignore[union-attr]  # the spider is made first

    def process_request(self, request: Request) -> None:
        """Check the scheme and a literal address before anything is sent."""
        if urlsplit(request.url).scheme not in ("http", "https"):
            raise PrivateAddressError(f"{request.url}: only http and https are fetched")
        host, port = server_of(request.url)
        if self._policy.refusal(host, port, [host]):
            raise refusal(host, host)
        if self._policy.closed_port(host, port):
            raise PrivateAddressError(f"{host}:{port} is another port of a private server than sites.toml names")
        if host in self._proxies:
            raise PrivateAddressError(f"{host} is a proxy of this crawl; no site of sites.toml names it")

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Say why a name was not resolved; without this it would be tried again."""
        host = urlsplit(request.url).hostname or ""
        if isinstance(exception, CannotResolveHostError) and host in self._resolver.refused:
            raise refusal(host, self._resolver.refused[host]) from exception
