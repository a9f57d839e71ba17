"""A process's name and feeds in a shared crawl, on a real server."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.settings import Settings
from scrapy.statscollectors import StatsCollector

import pipelines.orphans
from newsextract.database.connection import open_engine
from newsextract.database.opening import prepare
from newsextract.errors import UsageError
from pipelines.ledger import Ledger
from pipelines.orphans import bring_in_orphans
from pipelines.shared_feeds import feed_of
from pipelines.storage import DatabaseStorage
from spiders.cluster.plan import ClusterPlan, cluster_plan
from spiders.feed_plan import feeds_of
from spiders.plan import make_plan
from tests.database.feed_lines import article, write
from tests.redis_server import RedisServer, running

Make = Callable[..., ClusterPlan]


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with running(tmp_path_factory.mktemp("redis"), keeps=False) as server:
        yield server


@pytest.fixture
def arguments(redis: RedisServer) -> dict[str, str]:
    return {"cluster": redis.url, "crawl": uuid.uuid4().hex}


@pytest.fixture
def make(arguments: dict[str, str], tmp_path: Path) -> Make:
    """A process of one crawl; ``folder`` is where its feeds are to be."""

    def plan(folder: str = "out", **more: Any) -> ClusterPlan:
        settings = Settings({"CLUSTER_LEASE": 2.0})
        made = cluster_plan(settings, arguments | more, tmp_path / folder / "news.jsonl", "news")
        assert made is not None
        return made

    return plan


def number(plan: ClusterPlan) -> str:
    return plan.worker.rpartition("-")[2]


def test_processes_of_two_folders_are_two_workers(make: Make) -> None:
    """As are those of two machines of one name: each sees its own lock only."""
    here, there = make("one"), make("two")
    assert [number(plan) for plan in (here, there)] == ["1", "2"]
    for plan in (here, there):
        plan.join({}, {}, [])
    assert number(make("one")) == "3", "the first is taken here, the second there"
    here.lock.close()
    again = make("one")
    assert number(again) == "1", "started again, it has its name back"
    again.join({}, {}, [])
    assert there.frontier.beat().workers == 2


def test_a_name_that_is_given_elsewhere(make: Make, tmp_path: Path) -> None:
    first = make("one", worker="a")
    with pytest.raises(UsageError, match=r"-a worker=a: a process of this name is running and writes .*one/news\.a\.jsonl"):
        make("two", worker="a")
    with pytest.raises(UsageError, match="a process of this name is running; give each its own"):
        make("one", worker="a")
    assert first.feed == tmp_path / "one" / "news.a.jsonl"


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("{folder}/extra.csv", "{folder}/extra.a.csv"),
        ("{folder}/extra.jsonl", "{folder}/extra.a.jsonl"),
        ("{folder}/%(time)s", "{folder}/%(time)s.a"),
        ("s3://bucket.example/news.csv", "s3://bucket.example/news.a.csv"),
        ("stdout:", "stdout:"),
    ],
)
def test_no_feed_has_two_writers(given: str, written: str, make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    given, written = given.format(folder=folder), written.format(folder=folder)
    settings = Settings({"FEEDS": {str(folder / "news.jsonl"): {"format": "jsonlines"}, given: {"format": "csv"}}})
    feeds = feeds_of(settings, None, "news", False, cluster=make(worker="a"))[0]
    assert list(feeds) == [str(folder / "news.a.jsonl"), str(folder / "news.a.rejected.jsonl"), written]


def test_the_run_ends_while_a_process_still_reads_the_feeds(
    arguments: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joining, it begins another; what was written meanwhile stands in the feeds only."""
    (tmp_path / "sites.toml").write_text('[[site]]\nname = "one"\nstart = ["https://www.one.example/"]\n')
    feed = tmp_path / "news.jsonl"
    line = {
        "id": f"{7:016x}", "url": "https://www.one.example/7", "site": "one", "revision": 0, "text": "t", "etag": None,
        "last_modified": None, "fetched_at": "2026-01-01T00:00:00+00:00", "fingerprint": None, "duplicate_of": None,
    }  # fmt: skip
    text = json.dumps(line).replace('"duplicate_of": null', '"duplicate_of": null' + " " * 14)
    join = ClusterPlan.join

    def late(self: ClusterPlan, *given: Any) -> None:
        feed.with_suffix(".other.jsonl").write_text(text + "\n")
        join(self, *given)

    monkeypatch.setattr(ClusterPlan, "join", late)
    settings = Settings({"SITES_FILE": str(tmp_path / "sites.toml"), "ALGORITHM": "block_statistics"})
    plan = make_plan(settings, arguments | {"ledger": str(feed)})
    assert plan.ledger.records == {7}


def test_the_feed_of_a_worker_that_nobody_has_missed(make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It died with nothing to do, shortly before the end."""
    plan, lives = make(worker="a"), make(worker="lives")
    plan.join({}, {}, [])
    for number, name in enumerate(("a", "dead", "lives"), 1):
        write(feed_of(plan.base, name), article(number))
    write(plan.base, article(9))
    address, _ = prepare(f"sqlite:///{tmp_path / 'news.db'}")
    crawler: Any = SimpleNamespace(
        spider=SimpleNamespace(plan=SimpleNamespace(records=plan.feed, ledger=Ledger())),
        settings=Settings(),
        stats=StatsCollector(SimpleNamespace(settings=Settings({"STATS_DUMP": False}))),  # type: ignore[arg-type]  # it needs no more
    )
    worker: Any = SimpleNamespace(frontier=plan.frontier, plan=plan)

    async def end() -> None:
        storage = DatabaseStorage(crawler, address)
        for _ in range(2):
            assert await bring_in_orphans(storage, worker, "") == ""

    asyncio.run(end())
    engine = open_engine(address)
    with engine.connect() as connection:
        stored = set(connection.exec_driver_sql("SELECT id FROM articles").scalars())
    engine.dispose()
    assert stored == {f"{2:016x}"}, "the others have or had a process of their own"
    assert capsys.readouterr().err.count("1 article") == 1
    lives.lock.close()


@pytest.mark.parametrize("trouble", ["", "it does not answer"])
def test_a_dead_workers_feed_that_is_not_here(
    trouble: str, make: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, dead = make("one", worker="a"), make("two", worker="dead")
    for one in (plan, dead):
        one.join({}, {}, [])
    plan.frontier.recover("dead", plan.frontier.last_beat("dead") or "", [])
    monkeypatch.setattr(pipelines.orphans, "PATIENCE", 0.1)
    worker: Any = SimpleNamespace(frontier=plan.frontier, plan=plan)
    nothing: Any = None
    assert asyncio.run(bring_in_orphans(nothing, worker, trouble)) == (trouble or "the feed of worker dead")
    assert f"newsextract database import {plan.base.with_suffix('.dead.jsonl')}" in capsys.readouterr().err
    plan.frontier.adopt("dead")
    assert asyncio.run(bring_in_orphans(nothing, worker, "")) == ""
