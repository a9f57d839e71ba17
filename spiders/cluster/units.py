"""Which sites must be crawled by one process at a time: each by itself, unless two share a domain.

Politeness is kept by one process for a host (delay, connections, AutoThrottle, ``Crawl-delay``, ``Retry-After``). So the
unit that a process owns is all hosts of a site; sites whose domains overlap are one unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from urllib.parse import urlsplit

from scrapy import Request

from newsextract.sites import Site


class Units:
    """The units of a crawl. The same sites give the same units in every process.

    :param site_of: the site that a host belongs to, as the spider sees it.
    """

    def __init__(self, sites: Iterable[Site], site_of: Callable[[str], Site | None]) -> None:
        known = list(sites)
        self._site_of = site_of
        self._unit = {site.name: site.name for site in known}
        by_domain: dict[str, list[str]] = {}
        for site in known:
            for domain in site.all_domains:
                by_domain.setdefault(domain, []).append(site.name)
        for names in by_domain.values():
            for one, other in combinations(names, 2):
                self._join(one, other)
        for domain, names in by_domain.items():
            above = domain.partition(".")[2]
            while above:
                if above in by_domain:
                    self._join(names[0], by_domain[above][0])
                above = above.partition(".")[2]

    def _join(self, one: str, other: str) -> None:
        kept, gone = sorted((self._unit[one], self._unit[other]))
        for name, unit in self._unit.items():
            if unit == gone:
                self._unit[name] = kept

    def of_host(self, host: str) -> str | None:
        """The unit that a host belongs to; None if no site has it."""
        site = self._site_of(host)
        return self._unit[site.name] if site is not None else None

    def of(self, request: Request) -> str:
        """The unit of a request: that of its host; where no site has that (a redirect led there), that of its own site."""
        return self.of_host(urlsplit(request.url).hostname or "") or self._unit[request.cb_kwargs["site"].name]
