"""Sets of saved pages as many virtual sites on loopback, under the sites' own host names.

    python -m benchmarks.virtual_sites ../shared/bench/articles --port 8901 --sites /tmp/x/sites.toml

Each page stands at its own address (plain http; the normal form of the truth's ``url``), or at
``http://SITE/pages/ID.html`` where the truth has none or another page has it already. Each host has a robots.txt that
names its sitemap, the sitemap (an index of several when it is large), an RSS feed, and a front page with teasers, 20 a
page with "next". Titles in teasers and feed are the pages' own ``<title>``; no dates are given: nothing that the truth
says reaches the crawl.

The crawl reaches the hosts through the ``proxy`` of the sites file that is written: one ``[[site]]`` per registered
domain.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

from benchmarks.server import LOOPBACK, Answer, answer, serve
from newsextract.lab.datasets import TruthPage, load, read
from newsextract.urls import normalize, record_id, registered_domain

PER_LISTING = 20
PER_SITEMAP = 1_000
_TITLE = re.compile(rb"<title[^>]{0,200}>([^<]{1,300})", re.IGNORECASE)
_NO_HOST = re.compile(r"[^a-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class VirtualPage:
    """A page of a set, and where it stands."""

    truth: TruthPage
    url: str

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def key(self) -> bytes:
        """What the server is asked for: ``host/path?query``."""
        return self.url.removeprefix("http://").encode()


def place(folders: Sequence[Path], largest: int | None = None) -> list[VirtualPage]:
    """All pages of the sets with their addresses.

    :param largest: only the pages of this many hosts, those with the most pages.
    """
    placed: list[VirtualPage] = []
    taken: set[str] = set()
    for truth in load(folders):
        url = normalize(truth.url) if truth.url else None
        url = "http://" + url.partition("://")[2] if url else _fallback(truth)
        if record_id(url) in taken:
            url = _fallback(truth)
        taken.add(record_id(url))
        placed.append(VirtualPage(truth, url))
    if largest is None:
        return placed
    hosts = sorted(by_host(placed).items(), key=lambda item: (-len(item[1]), item[0]))
    return [page for _, pages in hosts[:largest] for page in pages]


def _fallback(truth: TruthPage) -> str:
    host = _NO_HOST.sub("-", truth.site.lower())
    return f"http://{host if '.' in host else host + '.example'}/pages/{truth.id}.html"


def by_host(pages: Iterable[VirtualPage]) -> dict[str, list[VirtualPage]]:
    """The pages of each host."""
    hosts: dict[str, list[VirtualPage]] = defaultdict(list)
    for page in pages:
        hosts[page.host].append(page)
    return dict(hosts)


def front_page(pages: Sequence[VirtualPage]) -> str:
    """Address of a host's front page: the root, unless a page of the set stands there."""
    root = f"http://{pages[0].host}/"
    return root + "front-page/" if any(page.url == root for page in pages) else root


def answers(*arguments: str) -> dict[bytes, Answer]:
    """All responses, ready to be sent; for ``benchmarks.server``: folders, and optionally ``largest=N``."""
    folders = [Path(argument) for argument in arguments if "=" not in argument]
    options = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    return respond(place(folders, int(options["largest"]) if "largest" in options else None))


def respond(pages: Sequence[VirtualPage]) -> dict[bytes, Answer]:
    """Responses for the pages (marked with a header ``X-Page``) and for what leads to them."""
    found: dict[bytes, Answer] = {}
    for host, of_host in by_host(pages).items():
        titles: dict[str, str] = {}
        for page in of_host:
            body = read(page.truth)
            titles[page.url] = _title(body) or page.truth.id
            found[page.key] = answer(body, headers={"X-Page": page.truth.id})
        for url, text, kind in _leading(host, of_host, titles):
            found.setdefault(url.removeprefix("http://").encode(), answer(text.encode(), kind=kind))
    return found


def _title(body: bytes) -> str:
    match = _TITLE.search(body, 0, 100_000)
    return " ".join(html.unescape(match[1].decode("utf-8", "replace")).split()) if match else ""


def _leading(host: str, pages: Sequence[VirtualPage], titles: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """(address, text, content type) of robots.txt, sitemaps, feed and listings of a host."""
    root = f"http://{host}/"
    yield root + "robots.txt", f"User-agent: *\nDisallow: /private/\nSitemap: {root}sitemap.xml\n", "text/plain"
    yield from sitemaps(root, [page.url for page in pages])
    escape = html.escape
    items = "".join(
        f"<item><title>{escape(titles[page.url])}</title><link>{escape(page.url)}</link></item>" for page in pages[:100]
    )
    yield (
        root + "feed.xml",
        f'<?xml version="1.0"?><rss version="2.0"><channel><title>{host}</title><link>{root}</link>{items}</channel></rss>',
        "application/rss+xml",
    )
    for number, start in enumerate(range(0, len(pages), PER_LISTING), 1):
        teasers = "\n".join(
            f'<article><h2><a href="{escape(page.url)}">{escape(titles[page.url])}</a></h2>'
            f"<p>What happened, and why it matters to those who live there.</p></article>"
            for page in pages[start : start + PER_LISTING]
        )
        # The host stands in the path, because www.X and X are the same document to the crawl.
        following = (
            f'<a rel="next" href="{root}{host}/page/{number + 1}/">Next</a>' if start + PER_LISTING < len(pages) else ""
        )
        address = front_page(pages) if number == 1 else f"{root}{host}/page/{number}/"
        text = (
            f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{host}: latest news</title></head><body>"
            f'<nav><a href="/">Home</a></nav><h1>Latest news</h1>\n{teasers}\n<div class="pagination">{following}</div>'
            f"<footer>{host}</footer></body></html>"
        )
        yield address, text, "text/html"


def sitemaps(root: str, urls: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """(address, text, content type) of a sitemap, or of an index and its sitemaps."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    chunks = [urls[start : start + PER_SITEMAP] for start in range(0, len(urls), PER_SITEMAP)]
    names = ["sitemap.xml"] if len(chunks) == 1 else [f"sitemap-{number}.xml" for number in range(1, len(chunks) + 1)]
    for name, chunk in zip(names, chunks, strict=True):
        entries = "\n".join(f"<url><loc>{html.escape(url)}</loc></url>" for url in chunk)
        yield root + name, f"{head}<urlset {space}>{entries}</urlset>", "application/xml"
    if len(chunks) > 1:
        entries = "\n".join(f"<sitemap><loc>{root}{name}</loc></sitemap>" for name in names)
        yield root + "sitemap.xml", f"{head}<sitemapindex {space}>{entries}</sitemapindex>", "application/xml"


def sites_toml(
    pages: Iterable[VirtualPage], proxy: str, ways: Iterable[str] = ("sitemaps",), delay: float = 0, order: int | None = None
) -> str:
    """The sites file.

    :param ways: how the crawl finds the pages: any of ``sitemaps``, ``feeds``, ``start`` (listings).
    :param delay: seconds between two requests to a host.
    :param order: seed of the order of the sites, which their names keep; None: alphabetical.
    """
    sites: dict[str, list[Sequence[VirtualPage]]] = defaultdict(list)
    for host, of_host in by_host(pages).items():
        sites[registered_domain(host)].append(of_host)
    tables = []
    domains = sorted(sites)
    if order is not None:
        Random(order).shuffle(domains)
    for number, domain in enumerate(domains):
        hosts, name = sites[domain], domain if order is None else f"{number:03d}-{domain}"
        addresses = {
            "start": [front_page(of_host) for of_host in hosts],
            "sitemaps": [f"http://{of_host[0].host}/sitemap.xml" for of_host in hosts],
            "feeds": [f"http://{of_host[0].host}/feed.xml" for of_host in hosts],
        }
        lines = [f"{way} = {json.dumps(addresses[way])}" for way in ways]
        tables.append(
            "\n".join(["[[site]]", f'name = "{name}"', *lines, f"delay = {delay:g}", *_COMMON, f'proxy = "{proxy}"', ""])
        )
    return "\n".join(tables)


_COMMON = (
    "concurrency = 8",
    'canonical = "ignore"',
    "min_length = 0",
    "depth = 1  # what the saved pages link to is not there",
    "pagination = 1000",
)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="folders with truth.jsonl and pages/")
    parser.add_argument("--port", type=int, default=8901)
    parser.add_argument("--sites", type=Path, required=True, help="sites file to write")
    parser.add_argument("--largest", type=int, help="only this many hosts, those with the most pages")
    parser.add_argument("--ways", default="sitemaps,feeds,start", help="how pages are found (default: all three)")
    arguments = parser.parse_args()
    pages = place(arguments.folders, arguments.largest)
    arguments.sites.parent.mkdir(parents=True, exist_ok=True)
    proxy = f"http://{LOOPBACK}:{arguments.port}"
    arguments.sites.write_text(sites_toml(pages, proxy, arguments.ways.split(",")), "utf-8")
    print(f"{len(pages)} pages on {len(by_host(pages))} hosts; {arguments.sites} is written", flush=True)
    asyncio.run(serve(respond(pages).get, arguments.port))


if __name__ == "__main__":
    main()
