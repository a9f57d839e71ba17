"""Which sites one process must have together."""

from __future__ import annotations

import pytest
from scrapy import Request

from newsextract.sites import Site
from spiders.cluster.units import Units


def units(*sites: Site) -> Units:
    by_domain = {domain: site for site in reversed(sites) for domain in site.all_domains}

    def site_of(host: str) -> Site | None:
        while host and host not in by_domain:
            host = host.partition(".")[2]
        return by_domain.get(host)

    return Units(sites, site_of)


def site(name: str, start: str, *domains: str) -> Site:
    return Site(name=name, start=[start], domains=list(domains))


@pytest.mark.parametrize(
    ("url", "unit"),
    [
        ("http://www.a.org/x", "a"),
        ("http://deep.sub.a.org/x", "a"),
        ("http://b.example/", "b"),
        ("http://elsewhere.test/x", "b"),
    ],
)
def test_a_site_is_a_unit(url: str, unit: str) -> None:
    """A host that no site has, where a redirect has led, goes with the request's own site."""
    a, b = site("a", "http://www.a.org/"), site("b", "http://b.example/")
    assert units(a, b).of(Request(url, cb_kwargs={"site": b})) == unit


def test_sites_that_share_a_domain_are_one_unit() -> None:
    found = units(
        site("c", "http://c.example/"),
        site("b", "http://b.example/", "shared.test"),
        site("a", "http://a.org/", "shared.test"),
        site("d", "http://d.example/", "sub.c.example"),
    )
    hosts = ("a.org", "b.example", "shared.test", "c.example", "sub.c.example", "d.example")
    assert [found.of_host(host) for host in hosts] == ["a", "a", "a", "c", "c", "c"]
    assert found.of_host("unknown.test") is None
