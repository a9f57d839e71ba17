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

from newsextract.database.address import read_address
from newsextract.database.connection import open_engine
from tests.postgres_server import PASSWORD, PostgresServer

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
SAMPLE = Path(__file__).parents[1] / "sample_site"
ARTICLES = 40


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/news.db"
    found: str = request.getfixturevalue("postgres").database()
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
        for name in {"authors", "path", "fields", "object", "missing", "misfits", "notes", "records"} & set(row):
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


def test_sample_site_twice(url: str, run_crawl: Run, tmp_path: Path) -> None:
    """It has near-same articles: what is marked in the feed later is marked in the database."""
    feed = tmp_path / "news.jsonl"
    first = run_crawl(feed, "-a", f"database={url}").check()
    assert f"{len(first.records)} articles, {len(first.rejected)} rejections" in first.err
    assert any(line["duplicate_of"] for line in first.records)
    check_same(url, first)
    second = run_crawl(feed, settings={"DATABASE_URL": url}).check()
    assert "nothing new" in second.err
    check_same(url, second)
    assert len(rows(url, "article_revisions")) == len(first.records)


@pytest.mark.parametrize(("spider", "table"), [("forum", "posts"), ("list", "teasers"), ("wrapped", "objects")])
def test_other_spiders(spider: str, table: str, url: str, run_crawl: Run, tmp_path: Path) -> None:
    crawl = run_crawl(tmp_path / f"{spider}.jsonl", "-a", f"database={url}", spider=spider, seconds=120).check()
    assert crawl.records
    check_same(url, crawl, table)


def test_hits(url: str, run_crawl: Run, tmp_path: Path) -> None:
    arguments = ("-a", "query=harbour", "-a", f"database={url}")
    crawl = run_crawl(tmp_path / "search.jsonl", *arguments, spider="search", seconds=120).check()
    assert crawl.records
    check_same(url, crawl, "hits")


def test_a_feed_from_before_is_brought_in(url: str, small_crawl: Run, undisturbed: Any, tmp_path: Path) -> None:
    """Of a crawl without a database, which has also marked duplicates."""
    for path in undisturbed.feed.parent.glob("news.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    crawl = small_crawl(tmp_path / "news.jsonl", "-a", f"database={url}").check()
    assert "0 new" in crawl.err
    check_same(url, crawl)


def test_a_changed_article_is_a_revision(url: str, small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path) -> None:
    path = "/2025/05/06/one.html"
    server.put("/", server.listing(path))
    server.put_article(path)
    server.put_article(path, lead="<p>The mayor has added a long sentence to this report since the first edition.</p>")
    sites = make_sites({"name": "made", "start": [server.url("/")]})
    arguments = (tmp_path / "news.jsonl", "-a", f"database={url}")
    small_crawl(*arguments, sites=sites).check()
    crawl = small_crawl(*arguments, "-a", "revisit=all", sites=sites).check()
    assert [line["revision"] for line in crawl.records] == [0, 1]
    check_same(url, crawl)
    assert sorted(row["revision"] for row in rows(url, "article_revisions")) == [0, 1]


def test_kill(url: str, start_crawl: Run, run_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path) -> None:
    feed = tmp_path / "news.jsonl"
    settings = {"DATABASE_SECONDS": 0.2, "EXTRACTION_WORKERS": 0}
    for count in (5, 12):
        crawl = start_crawl(feed, "-a", f"database={url}", sites=sites, settings=settings)
        crawl.wait_for_lines(count)
        crawl.kill()
    gate.set()
    last = run_crawl(feed, "-a", f"database={url}", sites=sites, settings=settings).check()
    assert len(last.records) == ARTICLES
    check_same(url, last)
    assert len(rows(url, "article_revisions")) == ARTICLES


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_that_is_restarted_in_the_middle(
    mode: str, postgres: PostgresServer, start_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path
) -> None:
    url = postgres.database()
    crawl = start_crawl(
        tmp_path / "news.jsonl",
        "-a",
        f"database={url}",
        sites=sites,
        settings={"DATABASE_SECONDS": 0.2, "EXTRACTION_WORKERS": 0},
    )
    crawl.wait_for_lines(ARTICLES // 2)
    deadline = time.monotonic() + 20
    while not rows(url, "articles"):
        assert time.monotonic() < deadline
    postgres.stop(mode)
    try:
        gate.set()
        crawl.wait_for_lines(ARTICLES)  # the crawl goes on all the while
    finally:
        postgres.start()
    crawl.wait().check()
    assert "The crawl goes on; what it finds waits in the feed." in crawl.err
    assert "can be written again" in crawl.err
    assert "not in the database" not in crawl.err
    check_same(url, crawl)


def test_a_server_that_stays_away(
    postgres: PostgresServer, start_crawl: Run, run_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path
) -> None:
    url, feed = postgres.database(), tmp_path / "news.jsonl"
    settings = {"DATABASE_SECONDS": 0.2, "DATABASE_PATIENCE": 1, "EXTRACTION_WORKERS": 0}
    crawl = start_crawl(feed, "-a", f"database={url}", sites=sites, settings=settings)
    crawl.wait_for_lines(ARTICLES // 2)
    postgres.stop()
    try:
        gate.set()
        crawl.wait().check(code=1)
        assert len(crawl.records) == ARTICLES
        assert "of the feeds are not in the database postgresql" in crawl.err
        assert "nothing is lost" in crawl.err
        refused = run_crawl(feed, "-a", f"database={url}", sites=sites).check(code=2)
        assert "The crawl was not started." in refused.err
    finally:
        postgres.start()
    again = run_crawl(feed, "-a", f"database={url}", sites=sites, settings=settings).check()
    assert "0 new" in again.err
    check_same(url, again)


def test_a_locked_file_in_the_middle(start_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path) -> None:
    database = tmp_path / "news.db"
    crawl = start_crawl(
        tmp_path / "news.jsonl",
        "-a",
        f"database={database}",
        sites=sites,
        settings={"EXTRACTION_WORKERS": 0, "DATABASE_SECONDS": 0.2},
    )
    crawl.wait_for_lines(ARTICLES // 2)
    other = sqlite3.connect(database, isolation_level=None, timeout=10)
    other.execute("BEGIN EXCLUSIVE")
    gate.set()
    crawl.wait_for_lines(ARTICLES)
    time.sleep(6)  # longer than a lock is waited for
    other.execute("ROLLBACK")
    other.close()
    crawl.wait().check()
    assert "another program holds it locked" in crawl.err
    check_same(f"sqlite:///{database}", crawl)


def test_ctrl_c(url: str, start_crawl: Run, run_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path) -> None:
    feed = tmp_path / "news.jsonl"
    crawl = start_crawl(
        feed, "-a", f"database={url}", sites=sites, settings={"EXTRACTION_WORKERS": 0, "DATABASE_SECONDS": 60}
    )
    crawl.wait_for_lines(5)
    crawl.interrupt()
    crawl.wait(12)
    assert "Traceback" not in crawl.err
    check_same(url, crawl)
    gate.set()
    again = run_crawl(feed, "-a", f"database={url}", sites=sites).check()
    assert len(again.records) == ARTICLES
    check_same(url, again)


def test_two_crawls_into_one_database(
    url: str, start_crawl: Run, sites: Path, gate: threading.Event, tmp_path: Path
) -> None:
    """Of the same site, at the same time, each with its own feed."""
    gate.set()
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
    ("database", "said"),
    [
        ("mysql://me:s3cret@host/x", "not supported"),
        ("postgresql://me:s3cret@127.0.0.1:1/x", "Connection refused"),
        ("", "is empty"),
        ("sqlite:////proc/nowhere/news.db", "its folder cannot be made"),
    ],
)
def test_mistakes_are_told_before_anything_is_fetched(
    database: str, said: str, small_crawl: Run, server: Any, sites: Path, tmp_path: Path
) -> None:
    feed = tmp_path / "news.jsonl"
    feed.write_text("precious\n")
    crawl = small_crawl(feed, "-a", f"database={database}", sites=sites, output="-O").check(code=2)
    first, second = crawl.err.strip().splitlines()
    assert said in first
    assert second == "The crawl was not started."
    assert "s3cret" not in crawl.err
    assert server.hits == []
    assert feed.read_text() == "precious\n", "-O has not emptied it"


def test_the_password_is_told_nowhere(
    postgres: PostgresServer, small_crawl: Run, sites: Path, gate: Any, tmp_path: Path
) -> None:
    gate.set()
    postgres.sql("CREATE DATABASE secret")
    url = f"postgresql://postgres:{PASSWORD}@127.0.0.1:{postgres.port}/secret"
    crawl = small_crawl(tmp_path / "news.jsonl", sites=sites, settings={"DATABASE_URL": url, "LOG_LEVEL": "DEBUG"}).check()
    assert f"{ARTICLES} articles" in crawl.err
    assert PASSWORD not in crawl.err + crawl.out
