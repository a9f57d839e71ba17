"""Crawls that write to a database, too: the same records there as in the feed, whatever happens to either."""

from __future__ import annotations

import itertools
import json
import sqlite3
import threading
import time
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from newsextract.database import read_address
from newsextract.database.bringing_in import feed_files
from newsextract.database.connection import open_engine, prepare
from tests.database.feed_lines import bring_in
from tests.postgres_server import PASSWORD, PostgresServer

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
SAMPLE = Path(__file__).parents[1] / "sample_site"
ARTICLES = 40


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/news.db"
    found: str = request.getfixturevalue("postgres").schema()
    return found


def rows(url: str, table: str) -> list[dict[str, Any]]:
    """Rows as the lines of a feed have them."""
    engine = open_engine(read_address(url))
    with engine.begin() as connection:
        found = [dict(row._mapping) for row in connection.execute(text(f"SELECT * FROM {table}"))]
    engine.dispose()
    for row in found:
        if not isinstance(row["fetched_at"], str):
            row["fetched_at"] = row["fetched_at"].astimezone(UTC).isoformat(timespec="seconds")
        for name in {"day", "text_hash", "content_hash"} & set(row):
            del row[name]
        for name in {"authors", "quotes", "path", "fields", "object", "missing", "misfits", "notes", "records"} & set(row):
            if isinstance(row[name], str):
                row[name] = json.loads(row[name])
    return found


def by_id(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(lines, key=lambda line: (line["id"], line.get("status", ""), line.get("attempt", 0)))


def check_same(url: str, crawl: Any, table: str = "articles") -> None:
    """The database has what the feeds have, each line once."""
    assert by_id(rows(url, table)) == by_id(list({line["id"]: line for line in crawl.records}.values()))
    assert by_id(rows(url, "rejections")) == by_id(crawl.rejected)
    assert by_id(rows(url, "pages")) == by_id(list({line["id"]: line for line in crawl.pages}.values()))


def imported(url: str, feed: Path) -> str:
    """What `newsextract database import` finds to do."""
    engine = open_engine(prepare(url)[0])
    done = str(bring_in(engine, *feed_files(feed)))
    engine.dispose()
    return done


@pytest.fixture
def gate() -> threading.Event:
    """What is asked for after half of the articles is not answered before it is set."""
    return threading.Event()


@pytest.fixture
def sites(server: Any, make_sites: Run, gate: threading.Event) -> Path:
    paths = [f"/2025/05/06/story-{number}-of-the-day.html" for number in range(ARTICLES)]
    server.put("/", server.listing(*paths))
    asked = itertools.count()
    for path in paths:
        body = server.article(path).encode()

        def answer(handler: Any, body: bytes = body) -> None:
            if next(asked) >= ARTICLES // 2:
                gate.wait(60)
            time.sleep(0.03)
            handler.answer(200, body, {"Content-Type": "text/html; charset=utf-8"})

        server.put(path, answer)
    made: Path = make_sites({"name": "made", "start": [server.url("/")], "concurrency": 4})
    return made


def test_sample_site_and_a_feed_from_before(small_crawl: Run, postgres: PostgresServer, tmp_path: Path) -> None:
    """It has near-same articles: what is marked in the feed later is marked in the database."""
    feed, file, server = tmp_path / "news.jsonl", f"sqlite:///{tmp_path}/news.db", postgres.schema()
    first = small_crawl(feed, "-a", f"database={file}").check()
    assert f"{len(first.records)} articles, {len(first.rejected)} rejections" in first.err
    assert any(line["duplicate_of"] for line in first.records)
    check_same(file, first)
    assert len(rows(file, "article_revisions")) == len(first.records)
    second = small_crawl(feed, settings={"DATABASE_URL": server}).check()  # which has never seen this feed
    assert "0 new" in second.err
    check_same(server, second)
    assert imported(server, feed) == "nothing new"


@pytest.mark.parametrize(
    ("spider", "table", "arguments"),
    [
        ("forum", "posts", ["sites=netmakers-guild"]), ("list", "teasers", ["sites=coast-wire"]),
        ("wrapped", "objects", ["sites=merrow-trades"]), ("search", "hits", ["sites=merrow-net", "query=harbour"]),
    ],
)  # fmt: skip
def test_other_spiders(
    spider: str, table: str, arguments: list[str], small_crawl: Run, postgres: PostgresServer, tmp_path: Path
) -> None:
    """A crawl with one kind of database; its feed is brought into the other."""
    kinds = [f"sqlite:///{tmp_path}/news.db", postgres.schema()]
    live, other = kinds if spider in ("list", "search") else reversed(kinds)
    given = [part for argument in [*arguments, f"database={live}"] for part in ("-a", argument)]
    crawl = small_crawl(tmp_path / f"{spider}.jsonl", *given, spider=spider).check()
    assert crawl.records
    check_same(live, crawl, table)
    assert imported(other, crawl.feed) in crawl.err
    check_same(other, crawl, table)


def test_kill_and_ctrl_c(url: str, start_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path) -> None:
    """What one crawl has not written when it is killed, the next one writes, though it is interrupted itself."""
    feed = tmp_path / "news.jsonl"
    if "sqlite" in url:
        gate.set()  # else the server hangs, and the spider is never closed
    for count, seconds in ((5, 0.2), (12, 60)):
        settings = {"DATABASE_SECONDS": seconds, "EXTRACTION_WORKERS": 0}
        crawl = start_crawl(feed, "-a", f"database={url}", sites=sites, settings=settings)
        crawl.wait_for_lines(count)
        if count == 5:
            crawl.kill()
    crawl.interrupt()
    crawl.wait(12)
    assert "Traceback" not in crawl.err
    assert len(crawl.records) >= 12
    check_same(url, crawl)
    assert len(rows(url, "article_revisions")) == len(crawl.records)


def test_a_server_that_crashes_in_the_middle(
    postgres: PostgresServer, start_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path
) -> None:
    postgres.sql("CREATE DATABASE secret")
    url = f"postgresql://postgres:{PASSWORD}@127.0.0.1:{postgres.port}/secret"
    settings = {"DATABASE_SECONDS": 0.2, "EXTRACTION_WORKERS": 0, "DATABASE_URL": url, "LOG_LEVEL": "DEBUG"}
    crawl = start_crawl(tmp_path / "news.jsonl", sites=sites, settings=settings)
    crawl.wait_for_lines(ARTICLES // 2)
    deadline = time.monotonic() + 20
    while not rows(url, "articles"):
        assert time.monotonic() < deadline
    postgres.stop("immediate")
    try:
        gate.set()
        crawl.wait_for_lines(ARTICLES)  # the crawl goes on all the while
    finally:
        postgres.start()
    crawl.wait().check()
    assert "The crawl goes on; its records wait in the feed." in crawl.err
    assert "can be written again" in crawl.err
    assert "not in the database" not in crawl.err
    assert PASSWORD not in crawl.err + crawl.out
    check_same(url, crawl)


def test_a_server_that_hangs_at_the_end(
    postgres: PostgresServer, start_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path
) -> None:
    url, feed = postgres.schema(), tmp_path / "news.jsonl"
    settings = {"DATABASE_SECONDS": 0.2, "DATABASE_PATIENCE": 1, "EXTRACTION_WORKERS": 0}
    crawl = start_crawl(feed, "-a", f"database={url}", sites=sites, settings=settings)
    crawl.wait_for_lines(ARTICLES // 2)
    with postgres.hanging():
        gate.set()
        crawl.wait().check(code=1)
    assert len(crawl.records) == ARTICLES
    assert "of the feeds are not in the database postgresql" in crawl.err
    assert "(it has got nothing done for 1 s); nothing is lost" in crawl.err
    assert imported(url, feed) != "nothing new"
    check_same(url, crawl)


def test_a_locked_file_in_the_middle(start_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    settings = {"EXTRACTION_WORKERS": 0, "DATABASE_SECONDS": 0.1}
    crawl = start_crawl(
        tmp_path / "news.jsonl", "-a", f"database=sqlite:///{database}?timeout=0.2", sites=sites, settings=settings
    )
    crawl.wait_for_lines(ARTICLES // 2)
    other = sqlite3.connect(database, isolation_level=None, timeout=10)
    other.execute("BEGIN EXCLUSIVE")
    gate.set()
    crawl.wait_for_lines(ARTICLES)
    deadline = time.monotonic() + 20
    while "another program has locked it" not in crawl.err:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    other.execute("ROLLBACK")
    other.close()
    crawl.wait().check()
    check_same(f"sqlite:///{database}", crawl)


def test_two_crawls_into_one_database(start_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path) -> None:
    """Of the same site, at the same time, each with its own feed; with SQLite, which lets one write at a time."""
    gate.set()
    url = f"sqlite:///{tmp_path}/news.db"
    settings = {"EXTRACTION_WORKERS": 0, "DATABASE_SECONDS": 0.1}
    feeds = [tmp_path / f"{number}" / "news.jsonl" for number in range(2)]
    crawls = [start_crawl(feed, "-a", f"database={url}", sites=sites, settings=settings) for feed in feeds]
    for crawl in crawls:
        crawl.wait().check()
    found = by_id(rows(url, "articles"))
    told = [by_id(crawl.records) for crawl in crawls]
    assert [row["id"] for row in found] == [line["id"] for line in told[0]] == [line["id"] for line in told[1]]
    assert all(row in lines for row, *lines in zip(found, *told, strict=True))
    assert len(rows(url, "article_revisions")) == ARTICLES, "they say the same"


@pytest.mark.parametrize(
    ("database", "settings", "said"),
    [
        ("postgresql://me:s3cret@127.0.0.1:1/x", {}, "Connection refused"),
        ("out/news.db", {"DATABASE_SECONDS": "s"}, "DATABASE_SECONDS = s: expected seconds, at least 0.01"),
    ],
)
def test_mistakes_are_told_before_anything_is_fetched(
    database: str, settings: dict[str, Any], said: str, small_crawl: Run, server: Any, sites: Path, tmp_path: Path
) -> None:
    feed = tmp_path / "news.jsonl"
    feed.write_text("precious\n")
    crawl = small_crawl(feed, "-a", f"database={database}", sites=sites, settings=settings, output="-O").check(code=2)
    first, second = crawl.err.strip().splitlines()
    assert said in first
    assert second == "The crawl was not started."
    assert "s3cret" not in crawl.err
    assert server.hits == []
    assert feed.read_text() == "precious\n", "-O has not emptied it"
