"""Several processes on one frontier give what one gives, whoever dies, whenever."""

from __future__ import annotations

import random
import signal
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from spiders.serving import FolderServer
from tests.crawl.cluster_papers import Papers, by_id, union
from tests.redis_server import RedisServer, running

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
REPOSITORY = Path(__file__).parents[2]
LEASE = 3.0


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with running(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def start_worker(start_crawl: Run, redis: RedisServer, tmp_path: Path) -> Run:
    """Begin one process of a shared crawl into ``tmp_path/shared``."""

    def start(worker: str, *arguments: str, spider: str = "news", url: str | None = None, **options: Any) -> Any:
        settings = {"CLUSTER_LEASE": LEASE, "EXTRACTION_WORKERS": 0, **options.pop("settings", {})}
        names = ("-a", f"cluster={url or redis.url}", "-a", f"worker={worker}")
        feed = tmp_path / "shared" / f"{spider}.jsonl"
        return start_crawl(feed, *names, *arguments, spider=spider, settings=settings, **options)

    return start


def base_of(crawl: Any) -> Path:
    path: Path = crawl.feed
    return path


def own_feed(crawl: Any, worker: str) -> Path:
    return base_of(crawl).with_suffix(f".{worker}.jsonl")


def count(crawl: Any, worker: str) -> int:
    path = own_feed(crawl, worker)
    return path.read_bytes().count(b"\n") if path.exists() else 0


def same(one: Any, shared: Path) -> None:
    """The union of the workers' feeds is the single process's, records and rejections alike, nothing twice."""
    assert by_id(union(shared)) == by_id(one.records)
    assert by_id(union(shared, ".rejected")) == by_id(one.rejected)


@pytest.mark.parametrize("processes", [2, 3])
def test_several_processes_give_what_one_gives(
    processes: int, small_crawl: Run, start_worker: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    sites = Papers(server, 6, 12, pause=0.02).sites(make_sites)
    one = small_crawl(tmp_path / "one" / "news.jsonl", sites=sites).check()
    assert len(one.records) == 6 * 16
    server.hits.clear()
    crawls = [start_worker(f"w{k}", sites=sites) for k in range(processes)]
    for crawl in crawls:
        crawl.wait(60).check()
    same(one, base_of(crawls[0]))
    assert all(count(crawl, f"w{k}") >= 16 for k, crawl in enumerate(crawls)), "one process did it all"
    agency = [row for row in union(base_of(crawls[0])) if row["url"].endswith("by-the-agency")]
    assert sum(row["duplicate_of"] is None for row in agency) == 1
    pages = [path for _, path, _ in server.hits if not path.endswith("robots.txt")]
    assert len(pages) - len(set(pages)) <= 6, "pages were fetched twice without need"  # the canonical address is tried again
    assert "shared crawl news: finished" in crawls[0].err
    assert f"{len(one.records)} records" in crawls[0].err


def test_the_sample_newspaper(
    undisturbed: Any, expected: dict[str, Any], start_worker: Run, make_sites: Run, tmp_path: Path
) -> None:
    """One site: one process crawls it, the other stands by; when the first is killed, it goes on."""
    with FolderServer({"www.harbour-ledger.example": REPOSITORY / "tests" / "sample_site" / "www"}) as folder:
        sites = sample_sites(make_sites, "news", lambda site: folder.address)
        crawls = [start_worker(name, sites=sites) for name in ("a", "b")]
        first = wait_for_any(crawls, ["a", "b"], 10)
        crawls[first].kill()
        crawls[1 - first].wait(60).check()
        assert crawls[first].session.is_gone_within(5)
    base = base_of(crawls[0])
    relative = {"date"} & {name for row in expected.values() for name in row if row.get("relative_hours") is not None}
    left_out = {url for url, row in expected.items() if row.get("relative_hours") is not None} if relative else set()
    found, wanted = by_id(union(base)), by_id(undisturbed.records)
    assert found.keys() == wanted.keys()
    assert all(row == wanted[key] for key, row in found.items() if row["url"] not in left_out)
    rejected = by_id(union(base, ".rejected"))
    assert rejected.keys() == by_id(undisturbed.rejected).keys()


def test_the_sample_forums(small_crawl: Run, start_worker: Run, make_sites: Run, tmp_path: Path) -> None:
    one = small_crawl(tmp_path / "one" / "forum.jsonl", spider="forum").check()
    tables = tomllib.loads((REPOSITORY / "settings" / "sites.toml").read_text("utf-8"))["site"]
    folders = {site["start"][0].split("/")[2]: REPOSITORY / site["serve"] for site in tables if site.get("kind") == "forum"}
    with FolderServer(folders) as folder:
        sites = sample_sites(make_sites, "forum", lambda site: folder.address)
        crawls = [start_worker(name, spider="forum", sites=sites) for name in ("a", "b", "c")]
        wait_for_any(crawls, ["a", "b", "c"], 5)
        crawls[1].kill()
        for crawl in (crawls[0], crawls[2]):
            crawl.wait(90).check()
    same(one, base_of(crawls[0]))
    pages = {row["id"]: row["records"] for row in union(base_of(crawls[0]), ".pages")}
    assert pages == {row["id"]: row["records"] for row in one.pages}


def sample_sites(make_sites: Run, kind: str, proxy: Callable[[Any], str]) -> Path:
    """The project's own sample sites, served elsewhere."""
    tables = tomllib.loads((REPOSITORY / "settings" / "sites.toml").read_text("utf-8"))["site"]
    chosen = [site for site in tables if site.get("kind", "news") == kind]
    for site in chosen:
        site["proxy"] = proxy(site)
        del site["serve"]
    path: Path = make_sites(*chosen)
    return path


def wait_for_any(crawls: list[Any], workers: list[str], lines: int, seconds: float = 40) -> int:
    """Until one of the workers' feeds has so many lines; its number."""
    end = time.monotonic() + seconds
    while True:
        for number, (crawl, worker) in enumerate(zip(crawls, workers, strict=True)):
            if count(crawl, worker) >= lines:
                return number
        assert time.monotonic() < end, crawls[0].err[-3000:]
        time.sleep(0.005)


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_process_loses_and_doubles_nothing(
    seed: int, small_crawl: Run, start_worker: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    """Killed at any moment, several times; started again under its name, under another, or not at all."""
    dice = random.Random(seed)
    sites = Papers(server, 4, 14, pause=0.03).sites(make_sites)
    one = small_crawl(tmp_path / "one" / "news.jsonl", sites=sites).check()
    stays = start_worker("stays", sites=sites)
    dies = start_worker("dies", sites=sites)
    for number in range(2):
        name = "dies" if seed % 2 else ("dies", "other")[number]
        before = count(dies, name)
        end = time.monotonic() + 20
        wanted = dice.randint(0, 8)
        while dies.process.poll() is None and count(dies, name) < before + wanted:
            assert time.monotonic() < end
            time.sleep(0.002)
        if dies.process.poll() is not None:
            break  # nothing was left for it
        dies.kill()
        assert dies.session.is_gone_within(5)
        if number == 0 or seed >= 2:
            dies = start_worker("dies" if seed % 2 else ("other", "third")[number], sites=sites)
    if dies.process.poll() is None:
        dies.wait(60)
    stays.wait(60).check()
    same(one, base_of(stays))


def test_all_killed_and_started_again(
    small_crawl: Run, start_worker: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    sites = Papers(server, 3, 14, pause=0.03).sites(make_sites)
    one = small_crawl(tmp_path / "one" / "news.jsonl", sites=sites).check()
    for wanted in (5, 18):
        crawls = [start_worker(name, sites=sites) for name in ("a", "b")]
        end = time.monotonic() + 30
        while len(union_so_far(crawls[0], "ab")) < wanted:
            assert time.monotonic() < end, crawls[0].err[-3000:]
            time.sleep(0.005)
        for crawl in crawls:
            crawl.kill()
    crawls = [start_worker(name, sites=sites).wait(60).check() for name in ("a", "b")]
    same(one, base_of(crawls[0]))
    again = start_worker("c", sites=sites).wait(60).check()
    assert count(again, "c") == 0
    assert "0 new, 54 already there" in again.err


def union_so_far(crawl: Any, workers: str) -> list[bytes]:
    feeds = (own_feed(crawl, worker) for worker in workers)
    return [line for feed in feeds if feed.exists() for line in feed.read_bytes().splitlines()]


def test_redis_goes_away_for_a_while(
    small_crawl: Run, start_worker: Run, redis: RedisServer, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    sites = Papers(server, 4, 14, pause=0.03).sites(make_sites)
    one = small_crawl(tmp_path / "one" / "news.jsonl", sites=sites).check()
    crawls = [start_worker(name, sites=sites) for name in ("a", "b")]
    for wanted in (4, 20):
        end = time.monotonic() + 30
        while len(union_so_far(crawls[0], "ab")) < wanted:
            assert time.monotonic() < end, crawls[0].err[-3000:]
            time.sleep(0.005)
        redis.stop()
        time.sleep(LEASE + 1 if wanted == 4 else 1)
        redis.start()
    for crawl in crawls:
        crawl.wait(60).check()
        assert "Redis does not answer" in crawl.err
        assert "Redis answers again" in crawl.err
        assert "dead" not in crawl.err, "a process was given up that lived"
    same(one, base_of(crawls[0]))


def test_redis_loses_its_data(small_crawl: Run, start_worker: Run, server: Any, make_sites: Run, tmp_path: Path) -> None:
    """The processes say so and end; the feeds are enough to go on."""
    sites = Papers(server, 3, 14, pause=0.03).sites(make_sites)
    one = small_crawl(tmp_path / "one" / "news.jsonl", sites=sites).check()
    with running(tmp_path / "forgetful", keeps=False) as forgetful:
        crawls = [start_worker(name, sites=sites, url=forgetful.url) for name in ("a", "b")]
        wait_for_any(crawls, ["a", "b"], 3)
        forgetful.stop()
        forgetful.start()
        for crawl in crawls:
            crawl.wait(60).check(1)
            assert "Redis has forgotten a part of the frontier" in crawl.err
        again = start_worker("a", sites=sites, url=forgetful.url).wait(60).check()
    same(one, base_of(again))


def test_a_process_joins_late(small_crawl: Run, start_worker: Run, server: Any, make_sites: Run, tmp_path: Path) -> None:
    sites = Papers(server, 6, 24, pause=0.2).sites(make_sites, concurrency=1)
    one = small_crawl(tmp_path / "one" / "news.jsonl", sites=sites).check()
    first = start_worker("first", sites=sites)
    wait_for_any([first], ["first"], 5)
    late = start_worker("late", sites=sites)
    for crawl in (first, late):
        crawl.wait(60).check()
    assert count(late, "late") > 0
    same(one, base_of(late))


def test_the_limit_holds_for_all_processes_together(start_worker: Run, server: Any, make_sites: Run) -> None:
    sites = Papers(server, 3, 14, pause=0.02).sites(make_sites, limit=7)
    crawls = [start_worker(name, sites=sites) for name in ("a", "b")]
    for crawl in crawls:
        crawl.wait(60).check()
    articles = [path for _, path, _ in server.hits if "/news/" in path and "page=2" not in path]
    for paper in ("paper1", "paper2", "paper3"):
        assert len({path for path in articles if paper in path} - {f"http://www.{paper}.example/news/9006/here-now"}) <= 7
    assert len(union(base_of(crawls[0]))) >= 12


def test_pages_that_a_wrapper_reads(small_crawl: Run, start_worker: Run, make_sites: Run, tmp_path: Path) -> None:
    """Links lead from page to page; a process that has read only some of them is killed."""
    one = small_crawl(tmp_path / "one" / "wrapped.jsonl", spider="wrapped").check()
    tables = tomllib.loads((REPOSITORY / "settings" / "sites.toml").read_text("utf-8"))["site"]
    chosen = [site for site in tables if site.get("kind") == "wrapped"]
    with FolderServer({site["start"][0].split("/")[2]: REPOSITORY / site["serve"] for site in chosen}) as folder:
        for site in chosen:
            site |= {"proxy": folder.address, "wrapper": str((REPOSITORY / "settings" / site["wrapper"]).resolve())}
            del site["serve"]
        sites = make_sites(*chosen)
        crawls = [start_worker(name, spider="wrapped", sites=sites) for name in ("a", "b")]
        wait_for_any(crawls, ["a", "b"], 1)
        crawls[0].kill()
        crawls[1].wait(60).check()
    drop = ("fetched_at", "wrapper", "revision")
    found, wanted = (
        {key: {name: value for name, value in row.items() if name not in drop} for key, row in by_id(rows).items()}
        for rows in (union(base_of(crawls[0])), one.records)
    )
    assert found == wanted


def test_a_process_that_stood_still_joins_again(
    small_crawl: Run, start_worker: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    """It was taken for dead, and others have what it had; what it does with that is not written twice."""
    sites = Papers(server, 4, 20, pause=0.1).sites(make_sites, concurrency=2)
    one = small_crawl(tmp_path / "one" / "news.jsonl", sites=sites).check()
    crawls = [start_worker(name, sites=sites) for name in ("still", "moves")]
    wait_for_any(crawls, ["still", "moves"], 4)
    crawls[0].process.send_signal(signal.SIGSTOP)
    end = time.monotonic() + 30
    while "worker still has not been heard of" not in crawls[1].err:
        assert time.monotonic() < end, crawls[1].err[-3000:]
        time.sleep(0.02)
    crawls[0].process.send_signal(signal.SIGCONT)
    for crawl in crawls:
        crawl.wait(60).check()
    same(one, base_of(crawls[0]))
