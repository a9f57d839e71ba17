"""The queue of one process, with a real Redis behind it, when it was taken for dead or cannot share a request."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from newsextract.cluster.connection import connect
from newsextract.cluster.frontier import Answer, SharedFrontier
from newsextract.cluster.status import status_of
from newsextract.sites import Site
from spiders.cluster.codec import RequestCodec
from spiders.cluster.queue import LeasedQueue
from spiders.cluster.units import Units
from tests.redis_server import RedisServer, running

SITE = Site(name="paper", start=["http://www.paper.example/"])


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with running(tmp_path_factory.mktemp("redis"), keeps=False) as server:
        yield server


class Spider:
    """As much of one as a queue needs; ``running`` is what the engine is at."""

    name = "news"

    def __init__(self) -> None:
        self.running: set[Request] = set()
        self.plan = SimpleNamespace(sites={"paper": SITE})
        numbers = {"CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_SITE": 2}
        engine = SimpleNamespace(_slot=SimpleNamespace(inprogress=self.running), downloader=SimpleNamespace(active=()))
        self.crawler = SimpleNamespace(settings=SimpleNamespace(getint=numbers.__getitem__), engine=engine)

    def parse_page(self, response: Any, site: Site) -> None:
        """A callback."""

    def failed(self, failure: Any) -> None:
        """An errback."""

    def request(self, name: str, **values: Any) -> Request:
        return Request(
            f"http://www.paper.example/{name}", self.parse_page, errback=self.failed, cb_kwargs={"site": SITE}, **values
        )


def queue_of(redis: RedisServer) -> tuple[LeasedQueue, Spider]:
    frontier = SharedFrontier(connect(redis.url), uuid.uuid4().hex, "a", 30)
    frontier.register("plan")

    def site_of(host: str) -> Site | None:
        return SITE if host == "www.paper.example" else None

    def ask(wanted: list[tuple[str, int]]) -> Answer:
        answer = frontier.exchange(queue.outbox, wanted)
        queue.outbox.push.clear()
        queue.outbox.ack.clear()
        queue.take(answer.popped, wanted)
        return answer

    spider: Any = Spider()
    codec = RequestCodec(lambda: {"paper": SITE}, site_of)
    queue = LeasedQueue(
        frontier.client, spider, "", codec, frontier=frontier, units=Units([SITE], site_of), ask=ask, more=lambda: False
    )
    return queue, spider


def acquire(queue: LeasedQueue) -> None:
    for unit, _ in queue.frontier.acquire(1):
        queue.own(unit, 0)


def test_what_is_under_way_when_it_joins_again_is_fetched_once(redis: RedisServer) -> None:
    queue, spider = queue_of(redis)
    for number in range(4):
        queue.push(spider.request(str(number)))
    queue._ask([])
    acquire(queue)
    fetched = []
    for _ in range(3):
        request = queue.pop()
        assert request is not None
        spider.running.add(request)
        fetched.append(request.url)
    frontier = queue.frontier
    other = SharedFrontier(frontier.client, frontier.name, "b", 30)
    other.register("plan")
    assert other.recover("a", other.last_beat("a") or "", []) == 4
    frontier.register("plan", starting=False)
    queue.forget_ready()
    acquire(queue)
    request = next(filter(None, (queue.pop() for _ in range(4))))  # one at a time: there is room for no more
    fetched.append(request.url)
    spider.running.add(request)
    assert len(set(fetched)) == 4
    assert queue.pop() is None
    spider.running.clear()
    queue.collect()
    unit = queue.known["paper"]
    assert (unit.flying, unit.is_idle) == (0, True)
    queue._ask([])
    status = status_of(frontier.client, frontier.name)
    assert (status.leased, status.waiting) == (0, 0), "what was under way is done under its new lease"
    other.beat(started=True)
    assert frontier.beat(started=True).state == "finished"


def test_a_request_that_cannot_be_shared_is_fetched_here(redis: RedisServer, caplog: pytest.LogCaptureFixture) -> None:
    queue, spider = queue_of(redis)
    request = spider.request("far", priority=1_000_000)
    with caplog.at_level(logging.ERROR):
        queue.push(request)
    assert "http://www.paper.example/far cannot be shared, and stays with this process: priority" in caplog.text
    assert queue.outbox.push == []
    assert queue.pop() is request
