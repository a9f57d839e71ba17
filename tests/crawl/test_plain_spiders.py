"""Users' own spiders and Scrapy's commands in this project: they work as everywhere, and private addresses stay refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.crawl import launcher
from tests.crawl.conftest import REPOSITORY

pytestmark = pytest.mark.crawl

QUICK = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "RETRY_TIMES=0")
MINE = """
import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class Mine(scrapy.Spider):
    name = "mine"

    def __init__(self, url, **more):
        super().__init__(start_urls=[url], **more)

    def parse(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}
        yield from response.follow_all(css="a")


class Following(CrawlSpider):
    name = "following"
    rules = [Rule(LinkExtractor(), callback="parse_page", follow=True)]

    def __init__(self, url, **more):
        super().__init__(start_urls=[url], **more)

    def parse_page(self, response):
        return {"url": response.url}


class Count:
    def process_item(self, item):
        return item | {"seen": True}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with a user's module in ``spiders/``."""
    folder = tmp_path / "project"
    for name in ("settings", "pipelines", "spiders"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    shutil.copy(REPOSITORY / "scrapy.cfg", folder)
    (folder / "spiders" / "mine.py").write_text(MINE, "utf-8")
    return folder


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return launcher.run("scrapy", *arguments, folder=project, PYTHONPATH=str(project))


@pytest.fixture
def linked(server: Any) -> str:
    """The first of two pages that link to each other."""
    server.put("/", "<title>First</title><a href='/second'>on</a>")
    server.put("/second", "<title>Second</title><a href='/'>back</a><a href='/second'>here</a>")
    return str(server.url("/"))


@pytest.mark.parametrize("name", ["mine", "following"])
def test_a_users_spider_crawls_each_page_once(name: str, project: Path, linked: str, server: Any) -> None:
    feeds = ("-O", "x.jsonl", "-O", "x.json", "-O", "x.csv")
    done = run(
        project, "crawl", name, "-a", f"url={linked}", *feeds, *QUICK, "-s", 'ITEM_PIPELINES={"spiders.mine.Count": 1}'
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    found = [json.loads(line) for line in (project / "x.jsonl").read_text("utf-8").splitlines()]
    assert {item["url"] for item in found} >= {server.url("/second")}
    assert len(server.times("/second")) == 1, "the duplicate filter is on"
    assert all(item["seen"] for item in found)
    assert json.loads((project / "x.json").read_text("utf-8")) == found
    assert len((project / "x.csv").read_text("utf-8").splitlines()) == len(found) + 1
    assert not (project / "out").exists()


def test_a_users_spider_reaches_no_private_server_that_nobody_named(
    project: Path, server: Any, make_server: Callable[..., Any]
) -> None:
    inner = make_server("127.0.0.2")
    inner.put_article("/secret")
    targets = [inner.url("/secret"), f"http://localhost:{inner.port}/secret", "file:///etc/passwd"]
    server.put("/", "<title>First</title>" + "".join(f"<a href='{url}'>x</a>" for url in targets))
    done = run(project, "crawl", "mine", "-a", f"url={server.url('/')}", "-O", "x.jsonl", *QUICK)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["url"] for line in (project / "x.jsonl").read_text("utf-8").splitlines()] == [server.url("/")]
    assert inner.hits == []
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(  # view opens a browser, if there is one
    "command", [["fetch"], ["shell", "-c", "response.css('title::text').get()"], ["view"]]
)
def test_commands_reach_the_servers_that_the_user_names(command: list[str], project: Path, linked: str) -> None:
    log = project / "log"
    refused = run(project, *command[:1], linked, *command[1:], *QUICK, "--logfile", str(log))
    assert "First" not in refused.stdout
    assert "PRIVATE_SERVERS" in log.read_text("utf-8"), refused.stderr
    allowed = run(project, *command[:1], linked, *command[1:], *QUICK, "-s", f"PRIVATE_SERVERS={linked}", "--loglevel=DEBUG")
    assert "Crawled (200)" in allowed.stderr
    assert "Traceback" not in allowed.stderr, allowed.stderr
    if command[0] != "view":
        assert "First" in allowed.stdout, allowed.stderr


def test_parse_shows_the_items_of_a_users_spider(project: Path, linked: str) -> None:
    done = run(project, "parse", linked, "--spider=mine", "-a", f"url={linked}", "--nocolour", *QUICK)
    assert "'title': 'First'" in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_bench_follows_links(project: Path) -> None:
    done = run(project, "bench", "-s", "CLOSESPIDER_TIMEOUT=3")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "'downloader/response_status_count/200'" in done.stderr
