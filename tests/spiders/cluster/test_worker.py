"""One process of a shared crawl beside its crawl: what its files, a lost answer and its hosts make it do."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from redis import RedisError
from scrapy.settings import Settings

from newsextract.cluster.frontier import Outbox
from newsextract.cluster.status import status_of
from newsextract.near_duplicates import NearDuplicates
from spiders.cluster.link import Link
from spiders.cluster.plan import LEAST_LEASE, ClusterPlan, cluster_plan
from spiders.cluster.shares import Shares
from spiders.cluster.worker import ClusterWorker
from tests.redis_server import RedisServer, running

Make = Callable[[str], ClusterPlan]
ID = f"{1:016x}"


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with running(tmp_path_factory.mktemp("redis"), keeps=False) as server:
        yield server


@pytest.fixture
def join(redis: RedisServer, tmp_path: Path) -> Make:
    name = uuid.uuid4().hex

    def make(worker: str) -> ClusterPlan:
        plan = cluster_plan(
            Settings({"CLUSTER_LEASE": LEAST_LEASE}),
            {"cluster": redis.url, "crawl": name, "worker": worker},
            tmp_path / "news.jsonl",
            "news",
        )
        assert plan is not None
        plan.join({}, {}, [])
        return plan

    return make


class Stats(dict[str, Any]):
    """Those of a crawler."""

    set_value = dict.__setitem__
    get_value = dict.get


def worker_of(plan: ClusterPlan, **queue: Any) -> tuple[ClusterWorker, Any]:
    """A worker whose engine only notes that it is to close."""
    closed: list[str] = []

    async def close_spider_async(reason: str) -> None:
        closed.append(reason)

    engine = SimpleNamespace(close_spider_async=close_spider_async, downloader=SimpleNamespace(slots={}), _slot=None)
    crawler = SimpleNamespace(stats=Stats(), engine=engine, closed=closed)
    ledger = SimpleNamespace(near=NearDuplicates())
    spider: Any = SimpleNamespace(name="news", crawler=crawler, ledger=ledger, plan=SimpleNamespace(records=plan.feed))
    worker, of_worker = ClusterWorker(spider, plan), SimpleNamespace(outbox=Outbox(), keys=[], owned=[])
    of_worker.__dict__.update(queue)
    worker.attach(of_worker)  # type: ignore[arg-type]  # it needs no more of a queue
    return worker, crawler


def test_a_dead_workers_feed_that_cannot_be_read_is_not_redis(join: Make, caplog: pytest.LogCaptureFixture) -> None:
    plan, dead = join("a"), join("dead")
    dead.frontier.exchange(Outbox(claim=[ID]))
    dead.feed.mkdir()
    worker, crawler = worker_of(plan)

    async def bury() -> None:
        worker.bury("dead", plan.frontier.last_beat("dead") or "")
        await asyncio.sleep(0)

    asyncio.run(bury())
    assert "what worker dead has written cannot be read: [Errno 21] Is a directory" in caplog.text
    assert "Redis" not in caplog.text
    assert crawler.stats["newsextract/cluster_error"] == "failed"
    assert crawler.closed == ["frontier_failed"]
    assert plan.frontier.pending("dead") == {ID}, "another may have the feed"


def test_a_lone_busy_process_finds_the_dead_with_the_shortest_lease(join: Make) -> None:
    """Were there half a lease between its signs of life, it would take Redis for what was away, again and again."""
    join("dead")
    plan = join("a")
    assert plan.frontier.lease == LEAST_LEASE

    class Busy(SimpleNamespace):
        def __len__(self) -> int:
            return 1

    busy = Busy(outbox=Outbox(), keys=[], owned=[], collect=lambda: None)
    worker, _ = worker_of(plan)
    worker.attach(busy)  # type: ignore[arg-type]  # it needs no more of a queue

    async def run() -> bool:
        worker.start()
        end = time.monotonic() + 3 * LEAST_LEASE
        while time.monotonic() < end and plan.frontier.last_beat("dead") is not None:
            await asyncio.sleep(0.05)
        worker.is_finished = True
        return plan.frontier.last_beat("dead") is None

    assert asyncio.run(run())


def test_a_process_that_cannot_join_again_says_why(join: Make, caplog: pytest.LogCaptureFixture) -> None:
    plan, other = join("a"), join("b")
    other.frontier.recover("a", other.frontier.last_beat("a") or "", [])
    plan.digest = "another plan"
    worker, crawler = worker_of(plan, forget_ready=lambda: None)

    async def beat() -> None:
        worker.beat()
        await asyncio.sleep(0)

    asyncio.run(beat())
    assert "this process ends (the shared crawl" in caplog.text
    assert "runs with other sites or arguments" in caplog.text
    assert crawler.stats["newsextract/cluster_error"] == "failed"


def test_taken_for_dead_until_the_crawl_is_over(join: Make) -> None:
    plan, other = join("a"), join("b")
    other.frontier.recover("a", other.frontier.last_beat("a") or "", [])

    def ends_meanwhile() -> None:
        assert other.frontier.beat(started=True).state == "finished"

    worker, crawler = worker_of(plan, forget_ready=ends_meanwhile)
    worker.beat()
    assert worker.is_finished
    assert crawler.stats == {}
    assert status_of(plan.frontier.client, plan.frontier.name).state == "finished"


def test_a_feed_that_cannot_be_settled_is_told(join: Make, caplog: pytest.LogCaptureFixture) -> None:
    plan = join("a")
    plan.feed.mkdir()
    worker, crawler = worker_of(plan)
    with caplog.at_level(logging.ERROR):
        worker._finish()
    assert "duplicate_of could not be filled in: [Errno 21] Is a directory" in caplog.text
    assert crawler.stats["newsextract/cluster_error"] == "files"
    assert worker.is_finished


def test_only_redis_is_waited_for(join: Make, caplog: pytest.LogCaptureFixture) -> None:
    worker, _ = worker_of(join("a"))

    def fails(error: Exception) -> Callable[[], None]:
        def question() -> None:
            raise error

        return question

    with pytest.raises(OSError, match="disk"):
        worker.link.ask(fails(OSError("disk")))
    assert worker.link.ask(lambda: 1) == 1
    assert worker.link.ask(fails(RedisError("gone"))) is None
    assert worker.link.ask(lambda: 1) is None, "not at once"
    worker.link.hurry()
    assert worker.link.ask(lambda: 1) == 1
    assert [record.message.split(":")[0] for record in caplog.records] == [
        "Redis does not answer",
        "Redis answers again after 0 s",
    ]


def test_after_a_lost_answer_it_is_first_told_what_is_here(join: Make) -> None:
    """What a lost answer has brought would be leased for ever."""
    frontier = join("a").frontier
    rows = [{"key": key, "unit": "site", "score": "0", "payload": "p"} for key in "123"]
    frontier.exchange(Outbox(push=rows))
    frontier.acquire(1)
    known = [row.key for row in frontier.exchange(Outbox(), [("site", 1)]).popped]
    frontier.exchange(Outbox(), [("site", 9)])
    frontier.in_doubt = True
    queue: Any = SimpleNamespace(keys=known, owned=[SimpleNamespace(name="site")])
    link = Link(frontier, queue, lambda standing: None)
    answer = link.ask(lambda: frontier.exchange(Outbox(), [("site", 9)]))
    assert answer is not None
    assert {row.key for row in answer.popped} == set("123") - set(known)
    assert status_of(frontier.client, frontier.name).leased == 3
    assert not frontier.in_doubt


def test_how_long_hosts_are_spared() -> None:
    """One look at each host, however many sites."""
    now, looks = time.monotonic(), []

    def of_host(host: str) -> str | None:
        looks.append(host)
        return {"www.a.example": "a", "a.example": "a", "b.example": "b", "c.example": "c"}.get(host)

    slots = {
        "www.a.example": SimpleNamespace(lastseen=now, delay=3.0), "a.example": SimpleNamespace(lastseen=now - 9, delay=7.0),
        "b.example": SimpleNamespace(lastseen=0, delay=2.0), "c.example": SimpleNamespace(lastseen=now, delay=50.0),
        "nobody.example": SimpleNamespace(lastseen=now, delay=50.0),
    }  # fmt: skip
    owned = [SimpleNamespace(name=name, ready_at=ready) for name, ready in (("a", 0.0), ("b", now + 5), ("idle", 0.0))]
    queue: Any = SimpleNamespace(owned=owned, units=SimpleNamespace(of_host=of_host))
    spider: Any = SimpleNamespace(crawler=SimpleNamespace(engine=SimpleNamespace(downloader=SimpleNamespace(slots=slots))))
    nothing: Any = None
    waits = Shares(spider, nothing, queue, nothing).waits()
    assert waits.keys() == {"a", "b", "idle"}
    assert waits["a"] == (pytest.approx(3.0, abs=0.2), 7.0)
    assert waits["b"] == (pytest.approx(5.0, abs=0.2), 2.0)
    assert waits["idle"] == (0.0, 0.0)
    assert looks == list(slots)
