"""``newsextract.scrapy`` in somebody else's project: real crawls over loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.conftest import REPOSITORY, SCRAPY, Crawl, environment, headline

pytestmark = pytest.mark.crawl

SPIDER = """
import os
import scrapy
import newsextract


def refused(*arguments, **more):
    raise AssertionError("extraction in the crawl's own process")


newsextract.extraction._article = refused  # worker processes have modules of their own


class Spider(scrapy.Spider):
    name = "own"

    def __init__(self, start, lose=None):
        super().__init__(start_urls=[start])
        self.lose = lose

    def parse(self, response):
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse_page)

    def parse_page(self, response):
        name = response.url.rpartition("/")[2]
        if name == "response":
            yield response
        elif name == "page":
            yield newsextract.Page(response.body, response.url)
        elif name == "dict":
            yield {"url": response.url, "body": response.body, "topic": "harbour"}
        elif name == "text":
            yield {"url": response.url, "body": response.text}
        elif name == "job":
            yield {"id": "job 7", "place": "quay"}
        else:
            yield response
        if self.lose:
            os.remove(self.lose)
            self.lose = None


class Upper:
    def process_item(self, item):
        if "title" in item:
            item["title"] = item["title"].upper()
        return item
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = own_settings\n", "utf-8")
    (folder / "own_spider.py").write_text(SPIDER, "utf-8")
    (folder / "own_settings.py").write_text(
        'SPIDER_MODULES = ["own_spider"]\nADDONS = {"newsextract.scrapy.Addon": 300}\nNEWSEXTRACT_WORKERS = 1\n'
        'NEWSEXTRACT_FEED = "out/lines.jsonl"\nTELNETCONSOLE_ENABLED = REMOTE_CONTROL_ENABLED = False\nDOWNLOAD_DELAY = 0\n'
        'CONCURRENT_REQUESTS = 1\nITEM_PIPELINES = {"own_spider.Upper": 500}\n',
        "utf-8",
    )
    return folder


@pytest.fixture
def start(project: Path) -> Any:
    """Begin a crawl of that project; what still runs at the end is killed."""
    begun: list[Crawl] = []

    def begin(spider: str, url: str, *arguments: str) -> Crawl:
        command = [SCRAPY, "crawl", spider, "-a", f"start={url}", *arguments]
        env = environment(PYTHONPATH=str(REPOSITORY))
        begun.append(Crawl(command, project / "out" / "lines.jsonl", cwd=project, env=env))
        return begun[-1]

    yield begin
    for crawl in begun:
        crawl.session.kill()
        crawl.process.wait()


Start = Callable[..., Crawl]


def test_pages_of_all_forms_become_records_in_worker_processes_and_other_items_pass(
    start: Start, project: Path, server: Any
) -> None:
    names = ["response", "page", "dict", "text", "job"]
    server.put("/", "".join(f"<a href='/{name}'>x</a>" for name in [*names, "short"]))
    for name in names:
        server.put_article(f"/{name}")
    server.put("/short", "<title>A page</title><h1>A page</h1><p>Too short.</p>")
    crawl = start("own", server.url(), "-O", "all.jsonl:jsonlines").wait()
    assert crawl.code == 0
    assert "Traceback" not in crawl.err, crawl.err
    found = {line["url"].rpartition("/")[2] if "url" in line else line["id"]: line for line in crawl.records}
    assert found.keys() == {"response", "page", "dict", "text", "job 7"}
    assert found.pop("job 7") == {"id": "job 7", "place": "quay"}
    for name, line in found.items():
        assert line["title"] == headline(f"/{name}").upper(), "the project's own pipeline gets the record"
        assert line["text"].count("said the keeper of the books") == 18
        assert (line["date"], line["status"], line["site"], len(line["id"])) == (
            "2025-05-06T07:08:09+00:00",
            "ok",
            "own",
            16,
        )
    assert found["dict"]["topic"] == "harbour"
    others = [json.loads(line) for line in (project / "all.jsonl").read_text("utf-8").splitlines()]
    assert sorted(map(str, others)) == sorted(map(str, crawl.records)), "Scrapy's own feeds have the same items"
    assert "'newsextract/ok': 4" in crawl.err
    assert "/short: " in crawl.err
    assert "<p>" not in crawl.err, "no page in the log"


def test_after_a_kill_the_same_command_fetches_and_writes_only_what_is_missing(start: Start, server: Any) -> None:
    names = [f"response?{number}" for number in range(8)]
    server.put("/", "".join(f"<a href='/{name}'>x</a>" for name in names))
    for name in names:
        server.put(f"/{name}", server.article(f"/{name}"))
    resume = ("-s", "NEWSEXTRACT_SKIP_WRITTEN=True")
    first = start("own", server.url(), *resume, "-s", "DOWNLOAD_DELAY=0.3")
    first.wait_for_lines(3)
    first.kill()
    assert first.session.is_gone_within(10)
    with first.feed.open("ab") as file:
        file.write(b'{"id": "torn')
    done = {line["url"] for line in json.loads("[" + ",".join(first.feed.read_text("utf-8").splitlines()[:-1]) + "]")}
    assert 3 <= len(done) < 8
    server.hits.clear()
    second = start("own", server.url(), *resume).wait()
    assert second.code == 0
    assert "Traceback" not in second.err, second.err
    assert len({line["id"] for line in second.records}) == len(second.records) == 8
    assert {server.url(path) for _, path, _ in server.hits}.isdisjoint(done)
    before = second.feed.read_bytes()
    third = start("own", server.url()).wait()  # without skipping, pages are fetched, and their items not written again
    assert third.feed.read_bytes() == before
    assert "'item_dropped_count': 8" in third.err


def test_a_feed_that_is_lost_stops_the_crawl_with_one_line(start: Start, project: Path, server: Any) -> None:
    server.put("/", "".join(f"<a href='/response?{number}'>x</a>" for number in range(6)))
    server.put_article("/response")
    crawl = start("own", server.url(), "-a", f"lose={project / 'out' / 'lines.jsonl'}").wait()
    assert "'finish_reason': 'feed_not_writable'" in crawl.err
    assert crawl.err.count("] ERROR: ") == 1, crawl.err
    assert "lines.jsonl was deleted while the crawl was writing it" in crawl.err


def test_a_wrong_setting_ends_the_crawl_before_anything_is_fetched(start: Start, server: Any) -> None:
    crawl = start("own", server.url(), "-s", "NEWSEXTRACT_ALGORITM=combined").wait()
    assert crawl.code == 1
    assert "unknown setting NEWSEXTRACT_ALGORITM; did you mean NEWSEXTRACT_ALGORITHM?" in crawl.err
    assert server.hits == []


BLOCKS = re.findall(r"^```python ?(\S*)\n(.*?)^```$", (REPOSITORY / "docs" / "scrapy.md").read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize(
    ("number", "package", "output"),
    [(0, "scrapy", ()), (1, "scrapy_poet", ("-O", "out/articles.jsonl"))],
    ids=["add-on", "scrapy-poet"],
)
def test_the_projects_of_the_documents_work(
    number: int, package: str, output: tuple[str, ...], tmp_path: Path, server: Any
) -> None:
    pytest.importorskip(package, reason="the extra poet")
    files = [(name, code) for name, code in BLOCKS if name]
    for name, code in files[2 * number : 2 * number + 2]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(code, "utf-8")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = myproject.settings\n", "utf-8")
    server.put("/", server.listing("/a-1.html", "/a-2.html"))
    for name in ("/a-1.html", "/a-2.html"):
        server.put_article(name)
    command = [SCRAPY, "crawl", "ledger", "-a", f"start={server.url()}", *output]
    crawl = Crawl(command, tmp_path / "out" / "articles.jsonl", cwd=tmp_path, env=environment(PYTHONPATH=f"{REPOSITORY}"))
    crawl.wait().check(0)
    assert {line["title"] for line in crawl.records} == {headline("/a-1.html"), headline("/a-2.html")}
    assert all(line["date"] == "2025-05-06T07:08:09+00:00" and len(line["text"]) > 1000 for line in crawl.records)


def test_the_example_of_zyte_common_items_works(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("zyte_common_items", reason="the extra zyte")
    (code,) = (code for name, code in BLOCKS if not name)
    exec(compile(code, "docs/scrapy.md", "exec"), {})
    assert capsys.readouterr().out == "Harbour reopens True\nTrue\n"
