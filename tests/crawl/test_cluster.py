"""Several processes on one frontier give what one gives, whoever dies, whenever."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import sqlite3
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from newsextract.cluster.connection import connect
from spiders.serving import FolderServer
from tests.crawl.cluster_papers import Papers, by_id, union
from tests.redis_server import RedisServer, running

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
REPOSITORY = Path(__file__).parents[2]
LEASE = 2.0  # the least


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


def test_several_processes_give_what_one_gives(
    papers_alone: Any, start_worker: Run, redis: RedisServer, server: Any, make_sites: Run
) -> None:
    papers = Papers(server, pause=0.05)
    sites, gate = papers.sites(make_sites), papers.hold()
    assert len(papers_alone.records) == 4 * 16
    assert sum(row["status"] == "private" for row in papers_alone.rejected) == 4, "who leads to a private address"
    crawls = [start_worker(f"w{k}", sites=sites) for k in range(3)]
    wait_for_workers(redis, 3)
    gate.set()
    for crawl in crawls:
        crawl.wait(60).check()
    same(papers_alone, base_of(crawls[0]))
    assert sum(count(crawl, f"w{k}") > 0 for k, crawl in enumerate(crawls)) >= 2, "one process did it all"
    agency = [row for row in union(base_of(crawls[0])) if row["url"].endswith("by-the-agency")]
    assert sum(row["duplicate_of"] is None for row in agency) == 1
    pages = [path for _, path, _ in server.hits if not path.endswith("robots.txt")]
    assert len(pages) - len(set(pages)) <= 4, "pages were fetched twice without need"  # the canonical address is tried again
    assert "shared crawl news: finished" in crawls[0].err
    assert f"{len(papers_alone.records)} records" in crawls[0].err


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
    chosen = "sites=haimen-quan,merrow-forum"
    one = small_crawl(tmp_path / "one" / "forum.jsonl", "-a", chosen, spider="forum").check()
    tables = tomllib.loads((REPOSITORY / "settings" / "sites.toml").read_text("utf-8"))["site"]
    folders = {site["start"][0].split("/")[2]: REPOSITORY / site["serve"] for site in tables if site.get("kind") == "forum"}
    with FolderServer(folders) as folder:
        sites = sample_sites(make_sites, "forum", lambda site: folder.address)
        crawls = [start_worker(name, "-a", chosen, spider="forum", sites=sites) for name in ("a", "b")]
        wait_for_any(crawls, ["a", "b"], 5)
        crawls[1].kill()
        crawls[0].wait(90).check()
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


def wait_for_workers(redis: RedisServer, number: int) -> None:
    """Until so many have joined, and asked for their start pages."""
    client, end = connect(redis.url), time.monotonic() + 40
    while client.hlen("{newsextract:news}:beats") < number or client.hlen("{newsextract:news}:starting"):
        assert time.monotonic() < end
        time.sleep(0.02)


def wait_for_any(crawls: list[Any], workers: list[str], lines: int, seconds: float = 40) -> int:
    """Until one of the workers' feeds has so many lines; its number."""
    end = time.monotonic() + seconds
    while True:
        for number, (crawl, worker) in enumerate(zip(crawls, workers, strict=True)):
            if count(crawl, worker) >= lines:
                return number
        assert time.monotonic() < end, crawls[0].err[-3000:]
        time.sleep(0.005)


def test_a_killed_process_loses_and_doubles_nothing(
    papers_alone: Any, start_worker: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    """Killed at any moment, twice; started again under its name, and under another. The database has it all."""
    dice = random.Random(1)
    sites = Papers(server, pause=0.05).sites(make_sites)
    database = f"database=sqlite:///{tmp_path / 'news.db'}"
    stays = start_worker("stays", "-a", database, sites=sites)
    now, dies = "dies", start_worker("dies", "-a", database, sites=sites)
    for name in ("dies", "other"):
        before, end, wanted = count(dies, now), time.monotonic() + 20, dice.randint(0, 8)
        while dies.process.poll() is None and count(dies, now) < before + wanted:
            assert time.monotonic() < end
            time.sleep(0.002)
        if dies.process.poll() is not None:
            break  # nothing was left for it
        dies.kill()
        assert dies.session.is_gone_within(5)
        now, dies = name, start_worker(name, "-a", database, sites=sites)
    if dies.process.poll() is None:
        dies.wait(60)
    stays.wait(60).check()
    same(papers_alone, base_of(stays))
    records = union(base_of(stays))
    assert f"0 leased; {len(records)} records" in stays.err, "those of the dead are counted, too"
    with contextlib.closing(sqlite3.connect(tmp_path / "news.db")) as connection:
        stored = connection.execute("SELECT id, duplicate_of FROM articles ORDER BY id").fetchall()
    assert stored == sorted((row["id"], row["duplicate_of"]) for row in records)


def test_all_killed_and_started_again(papers_alone: Any, start_worker: Run, server: Any, make_sites: Run) -> None:
    sites = Papers(server, pause=0.05).sites(make_sites)
    crawls = [start_worker(name, sites=sites) for name in ("a", "b")]
    end = time.monotonic() + 30
    while len(union_so_far(crawls[0], "ab")) < 10:
        assert time.monotonic() < end, crawls[0].err[-3000:]
        time.sleep(0.005)
    for crawl in crawls:
        crawl.kill()
    crawls = [start_worker(name, sites=sites) for name in ("a", "b")]
    for crawl in crawls:
        crawl.wait(60).check()
    same(papers_alone, base_of(crawls[0]))
    again = start_worker("c", sites=sites).wait(60).check()
    assert count(again, "c") == 0
    assert "0 new, 64 already there" in again.err


def union_so_far(crawl: Any, workers: str) -> list[bytes]:
    feeds = (own_feed(crawl, worker) for worker in workers)
    return [line for feed in feeds if feed.exists() for line in feed.read_bytes().splitlines()]


def test_redis_goes_away_for_a_while(
    papers_alone: Any, start_worker: Run, redis: RedisServer, server: Any, make_sites: Run
) -> None:
    """Killed in the middle of questions: it has done what they say, and the answer never comes."""
    papers = Papers(server, pause=0.05)
    sites, gate = papers.sites(make_sites), papers.hold("/page/2/")
    crawls = [start_worker(name, sites=sites) for name in ("a", "b")]
    wait_for_workers(redis, 2)
    for seconds in (LEASE + 1, 0.5):
        wanted, end = len(union_so_far(crawls[0], "ab")) + 4, time.monotonic() + 30
        while len(union_so_far(crawls[0], "ab")) < wanted:
            assert time.monotonic() < end, crawls[0].err[-3000:]
            time.sleep(0.005)
        redis.stop()
        gate.set()
        time.sleep(seconds)
        redis.start()
    for crawl in crawls:
        crawl.wait(60).check()
        assert "Redis does not answer" in crawl.err
        assert "Redis answers again" in crawl.err
        assert "dead" not in crawl.err, "a process was given up that lived"
    same(papers_alone, base_of(crawls[0]))


def test_redis_comes_back_with_older_data(
    papers_alone: Any, start_worker: Run, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    """The processes say so and end; the feeds are enough to go on."""
    papers = Papers(server)
    sites, gate = papers.sites(make_sites), papers.hold("/page/2/")
    with running(tmp_path / "forgetful", keeps=False) as forgetful:
        crawls = [start_worker(name, sites=sites, url=forgetful.url) for name in ("a", "b")]
        wait_for_workers(forgetful, 2)
        connect(forgetful.url).save()
        wait_for_any(crawls, ["a", "b"], 5)
        forgetful.stop()
        forgetful.start()
        gate.set()
        for crawl in crawls:
            crawl.wait(60).check(1)
            assert "Redis has forgotten a part of the frontier" in crawl.err
        again = start_worker("a", sites=sites, url=forgetful.url).wait(60).check()
    same(papers_alone, base_of(again))


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


STANDS_STILL = """
import os, pathlib, signal
from spiders.cluster.claims import ClaimPipeline
wanted, claim = pathlib.Path(PATH), ClaimPipeline.process_item
async def stop(self, item):
    item = await claim(self, item)
    if wanted.exists() and type(item).__name__ == "NewsRecord":
        wanted.rename(wanted.with_name(item.id))
        os.kill(os.getpid(), signal.SIGSTOP)
    return item
ClaimPipeline.process_item = stop
from scrapy.cmdline import execute; execute()
"""


def test_a_process_joins_late_and_another_stands_still(
    papers_alone: Any, start_worker: Run, redis: RedisServer, server: Any, make_sites: Run, tmp_path: Path
) -> None:
    """It is taken for dead, between the claim of a record and its line at that, and others write it meanwhile. What it does
    later is not written twice."""
    papers = Papers(server)
    sites, gate = papers.sites(make_sites), papers.hold("/page/2/")  # half of the articles stand there
    stop = tmp_path / "stop" / "now"
    stop.parent.mkdir()
    still = start_worker("still", sites=sites, program=STANDS_STILL.replace("PATH", repr(str(stop))))
    wait_for_any([still], ["still"], 3)
    late = start_worker("late", sites=sites)
    wait_for_workers(redis, 2)
    stop.touch()
    gate.set()
    end = time.monotonic() + 40
    while not count(late, "late") or next(stop.parent.iterdir()).name not in own_feed(late, "late").read_text("utf-8"):
        assert time.monotonic() < end, late.err[-3000:]
        time.sleep(0.02)
    assert "worker still has not been heard of" in late.err
    still.process.send_signal(signal.SIGCONT)
    for crawl in (still, late):
        crawl.wait(60).check()
    same(papers_alone, base_of(late))
    assert f"\n{count(still, 'still')} new" in still.err


def test_what_others_write_into_redis(
    papers_alone: Any, start_worker: Run, redis: RedisServer, server: Any, make_server: Run, make_sites: Run
) -> None:
    """It is left out and told; it costs nothing else, and the crawl ends."""
    sites, elsewhere = Papers(server, pause=0.1).sites(make_sites, concurrency=2), make_server()
    crawl = start_worker("a", sites=sites)
    client, base, end = connect(redis.url), "{newsextract:news}:", time.monotonic() + 30
    while client.zcard(f"{base}queue:paper1") < 5:
        assert time.monotonic() < end, crawl.err[-3000:]
    (waiting,) = client.zrange(f"{base}queue:paper1", -1, -1)
    plain = json.loads(str(client.hget(f"{base}requests", str(waiting))).split("\n")[3])
    forged: list[dict[str, Any]] = [
        {"_class": "this.x"},
        {"meta": {"proxy": elsewhere.url("")}},
        {"callback": "put_off"},
        {"method": "POST"},
        {"url": elsewhere.url("/")},
        {"url": "http://www.paper2.example/"},  # in the queue of another site, which another process may have
        {"cb_kwargs": plain["cb_kwargs"] | {"x": {"$": "NewType", "v": {}}}},
        {"cb_kwargs": {"site": {"$": "Site", "v": "paper1"}}},
    ]
    rows = [f"paper1\n-9999\n\n{json.dumps(plain | change)}" for change in forged]
    for number, row in enumerate([*rows, "nothing", "paper1\n-9999\n\n[" + "[" * 100_000]):
        client.hset(f"{base}requests", f"evil{number}", row)
        client.zadd(f"{base}queue:paper1", {f"evil{number}": -9999})
    crawl.wait(60).check(1)
    assert crawl.err.count("a request in Redis cannot be read, and is left out: ") == len(forged) + 2
    same(papers_alone, base_of(crawl))
    assert elsewhere.hits == []


def test_a_start_that_fails_ends_the_crawl(start_worker: Run, small_crawl: Run, server: Any, make_sites: Run) -> None:
    """One line with file and line; in a crawl that is not shared, too."""
    sites = Papers(server, 1, 2).sites(make_sites)
    crawl = start_worker("a", sites=sites)
    folder = base_of(crawl).parent
    (folder / "news.old.jsonl").touch()
    (folder / "news.old.frontier").write_text('["paper1", "http://www.paper1.example/x", 1, "link"]\n{}\n', "utf-8")
    (folder / "news.frontier").write_text("no address\n", "utf-8")
    crawl.wait(20).check(1)
    assert f"{folder / 'news.old.frontier'}: line 2 is no address that a crawl has written down" in crawl.err
    alone = small_crawl(base_of(crawl), sites=sites, seconds=20).check(1)
    assert f"{folder / 'news.frontier'}: line 1 is no address that a crawl has written down" in alone.err
