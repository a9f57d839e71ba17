"""Records that wait for the others of their site."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from scrapy.exceptions import DropItem

from newsextract.discovery.kinds import PageKind
from newsextract.feed.record_lines import NewsRecord, Rejection
from pipelines.checks import ConsistencyPipeline
from pipelines.ledger import Ledger

Make = Callable[..., NewsRecord]


class Crawl:
    """The pipeline, and what leaves it."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        scraper = SimpleNamespace(start_itemproc_async=self.pass_on)
        spider: Any = SimpleNamespace(
            ledger=self.ledger, other_titles={}, unvouched=set(), unlikely={}, headed=set(),
            plan=SimpleNamespace(sites={"x": None}),
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


def test_an_unlikely_page_is_an_article_if_it_is_dated_and_stands_among_those_of_its_site(make_record: Make) -> None:
    def page(number: int, folder: str, date: str | None = "2026-01-02", words: int = 4) -> NewsRecord:
        text = "\n".join(line(f"{number} {part}") for part in range(words))
        return make_record(number, url=f"https://x.org/{folder}{number}", text=text, date=date)

    kind = PageKind(None, 0.44, False, False, (0.44,) * 7)
    unlikely = [page(11, "posts/", words=1), page(12, "posts/", None), page(13, "shop/"), page(14, "")]
    for folder, expected in (("posts/", ["ok", *["not_article"] * 3]), ("", [*["not_article"] * 3, "ok"])):
        crawl = Crawl()
        crawl.pipeline.spider.unlikely = {int(one.id, 16): kind for one in unlikely}
        written = crawl.run(*unlikely, *(page(number, folder) for number in range(1, 9)))
        assert [written[one.id] for one in unlikely] == expected
        assert not crawl.pipeline.spider.unlikely


def test_a_page_that_looks_like_a_list_is_an_article_if_a_headline_leads_to_it_by_the_end(make_record: Make) -> None:
    def page(number: int) -> NewsRecord:
        return make_record(number, url=f"https://x.org/posts/{number}", text=line(str(number)), date="2026-01-02")

    crawl = Crawl()
    spider: Any = crawl.pipeline.spider
    spider.unlikely = {11: PageKind(None, 0.3, False, True, (0.3,) * 7), 12: PageKind(None, 0.3, False, True, (0.3,) * 7)}
    spider.headed.add(12)
    written = crawl.run(page(11), page(12), *map(page, range(1, 9)))
    assert (written[page(11).id], written[page(12).id]) == ("listing", "ok")
