"""Records that several processes have: what one is refused, it has not got."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.exceptions import DropItem

from newsextract.feed_lines import text_hash
from pipelines.duplicates import DuplicatesPipeline
from pipelines.items import Item, NewsRecord, Rejection
from pipelines.ledger import Known, Ledger
from pipelines.shared_feeds import claim_of
from spiders.cluster.claims import ClaimPipeline, FencedFeeds
from tests.database.feed_lines import article, found_object, post, rejection

ANSWERS = {"refused": False, "cancelled": None}


class Worker:
    """Answers as Redis does."""

    def __init__(self) -> None:
        self.answer: bool | None = True
        self.refused: Item | None = None

    def claim(self, name: str) -> asyncio.Future[bool]:
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        if self.answer is None:
            future.cancel()
        else:
            future.set_result(self.answer)
        return future

    def holds(self, name: str) -> bool:
        return False


def spider_of() -> Any:
    ledger = Ledger()
    ledger.records.add(2)
    ledger.revisit[2] = Known("u", "courier", 3, text_hash("as it was"), None, None)
    return SimpleNamespace(ledger=ledger, shared=Worker())


async def process(spider: Any, item: Item) -> Item:
    crawler: Any = SimpleNamespace(spider=spider)
    return await ClaimPipeline(crawler).process_item(DuplicatesPipeline(crawler).process_item(item))


MAKE: dict[str, Callable[[], Item]] = {
    "a record": lambda: article(1),
    "a revision": lambda: article(2),
    "a post": lambda: post(3),
    "a rejection": lambda: rejection(4),
    "an object": lambda: found_object(5),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_what_is_refused_may_come_again(make: Callable[[], Item], answer: bool | None) -> None:
    """The other has died between claim and line, and its page comes here."""
    spider = spider_of()

    async def run() -> None:
        spider.shared.answer = answer
        with pytest.raises(DropItem):
            await process(spider, make())
        spider.shared.answer = True
        item = make()
        assert await process(spider, item) is item
        if isinstance(item, NewsRecord) and item.id == f"{2:016x}":
            assert item.revision == 4
        with pytest.raises(DropItem, match="stands in the ledger"):
            await process(spider, make())

    asyncio.run(run())


def test_what_another_has_written_is_known_though_it_was_refused() -> None:
    spider = spider_of()

    async def run() -> None:
        spider.shared.answer = False
        spider.ledger.elsewhere.add(1)  # told with the same answer
        spider.ledger.admitted.add(1)
        spider.ledger.withdraw(article(1))
        with pytest.raises(DropItem, match="stands in the ledger"):
            await process(spider, article(1))

    asyncio.run(run())


def test_what_is_refused_at_the_last_moment_may_come_again() -> None:
    spider = spider_of()

    async def run() -> None:
        item = await process(spider, article(1))
        spider.shared.answer = False
        feeds = FencedFeeds.__new__(FencedFeeds)  # no feed is written
        feeds.item_scraped(item, spider)
        assert spider.shared.refused is item
        spider.shared.answer = True
        await process(spider, article(1))

    asyncio.run(run())


def test_an_object_of_another_process_keeps_its_number() -> None:
    ledger = Ledger()
    first = found_object(5)
    ledger.admit(first)
    ledger.withdraw(first)
    again = found_object(5)
    ledger.admit(again)
    assert again.revision == first.revision + 1, "whether the other wrote its own is not known"


def test_claims_tell_lines_apart() -> None:
    assert len({claim_of(make()) for make in MAKE.values()}) == len(MAKE)
    assert isinstance(MAKE["a rejection"](), Rejection)
