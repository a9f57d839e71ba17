"""Records that wait for the others of their site."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from scrapy.exceptions import DropItem

from pipelines.checks import ConsistencyPipeline
from pipelines.items import NewsRecord, Rejection
from pipelines.ledger import Ledger

Make = Callable[..., NewsRecord]


class Crawl:
    """The pipeline, and what leaves it."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        scraper = SimpleNamespace(start_itemproc_async=self.pass_on)
        spider: Any = SimpleNamespace(
            ledger=self.ledger, other_titles={}, unvouched=set(), plan=SimpleNamespace(sites={"x": None}),
            crawler=SimpleNamespace(engine=SimpleNamespace(scraper=scraper)),
        )  # fmt: skip
        self.pipeline = ConsistencyPipeline(spider)
        self.written: dict[str, str] = {}
        """Id → status of what came out."""

    async def pass_on(self, item: Any, response: None = None) -> None:
        try:
            answer = await self.pipeline.process_item(item)
        except DropItem:
            return
        assert isinstance(answer, NewsRecord | Rejection)
        self.written[answer.id] = answer.status

    def run(self, *records: NewsRecord) -> dict[str, str]:
        async def run() -> None:
            for record in records:
                await self.pass_on(record)
            while self.pipeline.is_waiting:
                await self.pipeline.release()

        asyncio.run(run())
        return self.written


def line(name: str) -> str:
    return f"{name}: the keeper of the lock had gone to a wedding, and had taken the only key along with him."


def test_a_list_is_rejected_when_all_records_are_known(make_record: Make) -> None:
    articles = [make_record(n, text="\n".join(line(f"{n} {part}") for part in range(4)), date=None) for n in (1, 2, 3)]
    front = make_record(4, text="\n".join(line(f"{n} 0") for n in (1, 2, 3)))
    crawl = Crawl()
    assert crawl.run(*articles, front) == {article.id: "ok" for article in articles} | {front.id: "listing"}
    known = crawl.ledger.site("x")
    assert (known.dated, known.undated, known.unsaid, list(known.held)) == (0, 3, {}, [])


def test_reports_of_standard_sentences_are_written_once_each(make_record: Make) -> None:
    """Some look like lists before most of the others are known; then they wait."""
    sentences = {number: "\n".join(line(f"s{(number * step) % 7}") for step in (1, 2, 3, 5)) for number in range(1, 7)}
    records = [make_record(number, text=text) for number, text in sentences.items()]
    crawl = Crawl()
    assert crawl.run(*records) == {record.id: "ok" for record in records}
    assert crawl.ledger.site("x").dated == len(records)
