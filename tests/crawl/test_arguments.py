"""What a user may say to `scrapy crawl news`, and what he is told when he is wrong: one clear line and exit code 2."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from newsextract import Hints
from newsextract.state.schema import KeptLink
from newsextract.state.store import CrawlState

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]


@pytest.fixture
def two_sites(make_server: Callable[..., Any], make_sites: Callable[..., Path]) -> tuple[Path, Any, Any]:
    """A sites.toml with the sites ``first`` and ``second``, each with a front page and six articles."""
    servers = [make_server("127.0.0.1"), make_server("127.0.0.2")]
    for server in servers:
        paths = [f"/2025/0{k}/11/{server.host[-1]}-news-of-month-{k}.html" for k in range(1, 7)]
        server.put("/", server.listing(*paths))
        for k, path in enumerate(paths, 1):
            server.put(path, server.article(path).replace("2025-05-06T", f"2025-0{k}-11T"))
    sites = make_sites(*({"name": n, "start": [s.url("/")]} for n, s in zip(("first", "second"), servers, strict=True)))
    return sites, *servers


WRONG = [
    (["-a", "sites=harbour-ledger,nowhere"], "no site 'nowhere'", "choose from: harbour-ledger"),
    (["-a", "since=yesterday"], "since=yesterday", "for example -a since=2026-01-01"),
    (["-a", "until=2026-02-30"], "until=2026-02-30", "for example -a until=2026-01-01"),
    (["-a", "since=2026-02-01", "-a", "until=2026-01-01"], "since=2026-02-01 is after", "until=2026-01-01"),
    (["-a", "limit=none"], "limit=none", "for example -a limit=100"),
    (["-a", "limit=0"], "limit=0", "for example -a limit=100"),
    (["-a", "revisit=sometimes"], "revisit=sometimes", "for example -a revisit=7d"),
    (["-a", "algorithm=magic"], "unknown algorithm 'magic'", "block_statistics"),
    (["-a", "colour=red"], "unknown argument -a colour=", "choose from: sites"),
    (["-a", "urls=/no/such/file"], "urls=/no/such/file", "No such file"),
    (["-a", "ledger=news.csv"], "ledger=news.csv", "for example -a ledger=out/news.jsonl"),
]


def test_mistakes_are_one_clear_line(start_crawl: Run, tmp_path: Path) -> None:
    """Four at a time: each costs little more than the start of a process."""
    for begin in range(0, len(WRONG), 4):
        cases = WRONG[begin : begin + 4]
        crawls = [start_crawl(tmp_path / str(begin + k) / "news.jsonl", *case[0]) for k, case in enumerate(cases)]
        for crawl, (_, what, hint) in zip(crawls, cases, strict=True):
            crawl.wait(30).check(2)
            mistake, last = crawl.err.strip().splitlines()
            assert what in mistake
            assert hint in mistake
            assert last == "The crawl was not started."
            assert crawl.records == crawl.rejected == []


def test_sites_are_chosen_by_name(small_crawl: Run, two_sites: Any, tmp_path: Path) -> None:
    sites, first, second = two_sites
    crawl = small_crawl(tmp_path / "one.jsonl", "-a", "sites=second", sites=sites).check()
    assert {line["site"] for line in crawl.records} == {"second"}
    assert len(crawl.records) == 6
    assert first.hits == []
    crawl = small_crawl(tmp_path / "both.jsonl", "-a", "sites=first, second", sites=sites).check()
    assert sorted(line["site"] for line in crawl.records) == ["first"] * 6 + ["second"] * 6
    assert len(second.hits) > 7


def test_window(small_crawl: Run, two_sites: Any, tmp_path: Path) -> None:
    sites, first, _ = two_sites
    arguments = ("-a", "sites=first", "-a", "since=2025-02-11", "-a", "until=2025-04-11")
    crawl = small_crawl(tmp_path / "news.jsonl", *arguments, sites=sites).check()
    assert sorted(line["date"][:10] for line in crawl.records) == ["2025-02-11", "2025-03-11", "2025-04-11"]
    outside = {line["date"][:10]: line for line in crawl.rejected if line["status"] == "out_of_window"}
    assert sorted(outside) == ["2025-01-11", "2025-05-11", "2025-06-11"]
    assert "before since = 2025-02-11" in outside["2025-01-11"]["reason"]
    assert "after until = 2025-04-11" in outside["2025-06-11"]["reason"]
    assert first.hits


def test_pages_that_the_sitemap_puts_outside_the_window_are_not_fetched(
    small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    old, new = server.put_article("/a/old-news.html"), server.put_article("/a/new-news.html")
    server.put(
        "/sitemap.xml",
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"<url><loc>{old}</loc><lastmod>2024-05-06</lastmod></url><url><loc>{new}</loc><lastmod>2025-05-07</lastmod></url>"
        "</urlset>",
        kind="application/xml",
    )
    sites = make_sites({"name": "made", "sitemaps": [server.url("/sitemap.xml")], "since": "2025-01-01"})
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites).check()
    assert [line["url"] for line in crawl.records] == [new]
    assert server.times("/a/old-news.html") == []
    assert "out of the date window" in crawl.err


def test_limit(small_crawl: Run, two_sites: Any, tmp_path: Path) -> None:
    sites, first, second = two_sites
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", "limit=3", sites=sites).check()
    for name, server in (("first", first), ("second", second)):
        assert len([line for line in crawl.records if line["site"] == name]) == 3
        assert len([hit for hit in server.hits if hit[1].endswith(".html")]) == 3
    again = small_crawl(tmp_path / "news.jsonl", "-a", "limit=3", sites=sites).check()
    assert len(again.records) == 12, "the next run takes the next three of each"


def test_a_limit_loses_nothing_that_only_an_article_links_to(
    small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    paths = [f"/2025/05/0{k}/story-number-{k}.html" for k in range(1, 4)]
    server.put("/", server.listing(paths[0]))
    for path, following in zip(paths, [*paths[1:], None], strict=True):
        link = (
            f'<p>Read also <a href="{following}">{server.headline(str(following))}</a>, our report.</p>' if following else ""
        )
        page = server.article(path, lead=link)
        server.put(path, page[: page.index("<nav>")] + page[page.index("</nav>") :])  # no other links
    sites = make_sites({"name": "made", "start": [server.url("/")], "from_articles": True, "depth": 10})
    for count in (1, 2, 3):
        crawl = small_crawl(tmp_path / "news.jsonl", "-a", "limit=1", sites=sites).check()
        assert [line["url"] for line in crawl.records] == [server.url(path) for path in paths[:count]]


def test_capital_o_starts_afresh(small_crawl: Run, two_sites: Any, tmp_path: Path) -> None:
    sites, first, _ = two_sites
    feed = tmp_path / "news.jsonl"
    one = small_crawl(feed, "-a", "sites=first", sites=sites).check().records
    stale = first.put_article("/2024/01/01/no-longer-linked.html")
    state = CrawlState(feed)
    state.keep_link(KeptLink("first", stale, 2, "article", Hints()))
    state.close()
    crawl = small_crawl(feed, "-a", "sites=first", sites=sites, output="-O").check()
    assert "6 new, 0 already there" in crawl.err
    assert sorted(line["id"] for line in crawl.records) == sorted(line["id"] for line in one)
    assert first.times("/2024/01/01/no-longer-linked.html") == [], "a link of the state of before"


def test_only_the_named_feed_is_written(small_crawl: Run, two_sites: Any, tmp_path: Path) -> None:
    """Not the project's default feed as well, as Scrapy would have it if it stood in FEEDS."""
    sites, _, _ = two_sites
    default = tmp_path / "default.jsonl"
    small_crawl(tmp_path / "a.jsonl", "-a", "limit=1", sites=sites, settings={"DEFAULT_FEED": default}).check()
    assert not default.exists()
    crawl = small_crawl(default, "-a", "limit=1", sites=sites, output=None, settings={"DEFAULT_FEED": default}).check()
    assert len(crawl.records) == 2


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.xml", "x-%(time)s.jsonl"])
def test_a_feed_that_cannot_be_the_ledger_is_an_export(small_crawl: Run, two_sites: Any, tmp_path: Path, name: str) -> None:
    """What is done is remembered in the project's default feed; the other one has what this run found."""
    sites, _, _ = two_sites
    default, options = tmp_path / "default.jsonl", {"sites": sites, "settings": {"DEFAULT_FEED": tmp_path / "default.jsonl"}}
    small_crawl(tmp_path / name, "-a", "limit=2", **options).check()
    assert default.read_bytes().count(b"\n") == 4
    (export,) = tmp_path.glob("x*")
    assert export.read_text("utf-8").count("The Test Courier") == 0
    assert all(json.loads(line)["title"] in export.read_text("utf-8") for line in default.read_text("utf-8").splitlines())
    small_crawl(tmp_path / name, **options).check()
    assert default.read_bytes().count(b"\n") == 12


def test_a_csv_feed_beside_a_ledger(small_crawl: Run, two_sites: Any, tmp_path: Path) -> None:
    sites, _, _ = two_sites
    ledger = tmp_path / "ledger.jsonl"
    crawl = small_crawl(tmp_path / "x.csv", "-a", f"ledger={ledger}", "-a", "sites=first", sites=sites).check()
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert rows[0]["title"].startswith("The ")
    assert "6 new" in crawl.err
    assert ledger.read_bytes().count(b"\n") == 6
    again = small_crawl(tmp_path / "x.csv", "-a", f"ledger={ledger}", "-a", "sites=first", sites=sites).check()
    assert "0 new, 6 already there" in again.err


@pytest.mark.parametrize("output", ["-o", "-O"])
def test_a_second_crawl_on_one_feed_is_refused(
    output: str, start_crawl: Run, small_crawl: Run, server: Any, make_sites: Run, address_file: Run, tmp_path: Path
) -> None:
    """And does no harm to the feed of the first, whatever it was told to do with it."""
    good = server.put_article("/good")
    slow = server.put("/slow", lambda handler: server.released.wait(30))
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    first = start_crawl(tmp_path / "news.jsonl", "-a", address_file(good, slow), sites=sites)
    first.wait_for_lines(1)
    second = small_crawl(tmp_path / "news.jsonl", sites=sites, output=output).check(2)
    assert "another crawl is writing this feed" in second.err
    assert first.process.poll() is None
    assert len(first.records) == 1


@pytest.mark.parametrize("line", ['{"id": "0123456789abcdef", "text": "from elsewhere"}', "not JSON", '{"a": 1}', "[1]"])
def test_a_feed_that_is_not_ours_is_refused(line: str, small_crawl: Run, two_sites: Any, tmp_path: Path) -> None:
    sites, first, _ = two_sites
    feed = tmp_path / "news.jsonl"
    feed.write_text(line + "\n", "utf-8")
    crawl = small_crawl(feed, sites=sites).check(2)
    assert f"{feed}: it has no record" in crawl.err
    assert feed.read_text("utf-8") == line + "\n"
    assert first.hits == []


def test_a_feed_that_cannot_be_written(small_crawl: Run, tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    crawl = small_crawl(tmp_path / "folder.jsonl").check(2)
    assert "folder.jsonl: cannot be written" in crawl.err


def test_a_limit_is_not_spent_on_lists_that_the_start_page_names(
    small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    paths = [f"/2025/05/0{k}/story-number-{k}.html" for k in range(1, 6)]
    lists = [f"/section-{name}/" for name in ("harbour", "market", "tides")]
    links = "".join(f'<a href="{path}">{path}</a>' for path in lists)
    server.put("/", server.listing(paths[0]).replace("</body>", f"{links}</body>"))
    for path in lists:
        server.put(path, server.listing(*paths))
    for path in paths:
        server.put(path, server.article(path))
    server.put("/sitemap.xml", f"<urlset>{''.join(f'<url><loc>{server.url(path)}</loc></url>' for path in paths)}</urlset>")
    sites = make_sites({"name": "made", "start": [server.url("/")], "sitemaps": [server.url("/sitemap.xml")]})
    for count in (2, 4, 5):
        crawl = small_crawl(tmp_path / "news.jsonl", "-a", "limit=2", sites=sites).check()
        assert len(crawl.records) == count
