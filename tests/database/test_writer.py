"""The crawl's thread: it follows the feed, waits for a database that has gone away, and tells what is left."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy.utils.test import get_crawler
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError, OperationalError

from newsextract.database import Pace, connection, read_address
from newsextract.database.bringing_in import DatabaseWriter
from newsextract.database.connection import prepare
from pipelines.storage import ERROR, DatabaseStorage
from tests.database.feed_lines import article, bring_in, name, rejection, write
from tests.postgres_server import PostgresServer

Select = Callable[[str], list[dict[str, Any]]]
Start = Callable[..., DatabaseWriter]


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)


def ended(writer: DatabaseWriter, seconds: float = 20) -> list[str]:
    writer.finish()
    until(lambda: not writer.is_running, seconds)
    return writer.summary()


@pytest.fixture
def start() -> Iterator[Start]:
    writers: list[DatabaseWriter] = []

    def begin(url: str, *feeds: Path, **options: Any) -> DatabaseWriter:
        writer = DatabaseWriter(read_address(url), feeds, Pace(**{"seconds": 0.02, **options}))
        writers.append(writer)
        writer.start()
        return writer

    yield begin
    for writer in writers:
        writer.give_up()
        until(lambda writer=writer: not writer.is_running)  # type: ignore[misc]  # bound at once


def test_it_follows_the_feeds(start: Start, url: str, engine: Engine, select: Select, tmp_path: Path) -> None:
    feed, rejected = tmp_path / "news.jsonl", tmp_path / "news.rejected.jsonl"
    writer = start(url, feed, rejected, lines=4)
    for n in range(30):
        write(feed, article(n))
    until(lambda: len(select("SELECT id FROM articles")) == 30)
    write(rejected, rejection(1))
    write(feed, article(30))
    assert ended(writer) == [f"database {read_address(url).shown}: 31 articles, 1 rejection"]
    assert writer.is_complete
    assert len(select("SELECT id FROM articles")) == 31
    assert len(select("SELECT id FROM rejections")) == 1


def test_two_writers_of_one_feed_share_the_work(
    start: Start, url: str, engine: Engine, select: Select, tmp_path: Path
) -> None:
    """A crawl, and `newsextract database import` beside it."""
    feed = tmp_path / "news.jsonl"
    write(feed, *(article(n) for n in range(200)))
    writers = [start(url, feed, lines=3) for _ in range(2)]
    for writer in writers:
        ended(writer)
    assert sum(writer.importer.written.rows["articles"] for writer in writers) == 200
    (row,) = select("SELECT * FROM feeds")
    assert (row["lines"], row["position"]) == (200, feed.stat().st_size)


def test_many_feeds_with_the_same_articles_at_once(
    start: Start, url: str, engine: Engine, select: Select, tmp_path: Path
) -> None:
    """Two crawls of the same sites into one database, in opposite order."""
    feeds = [tmp_path / f"{number}.jsonl" for number in range(2)]
    write(feeds[0], *(article(n) for n in range(300)))
    write(feeds[1], *(article(n, text="Another text.") for n in reversed(range(300))))
    writers = [start(url, feed, lines=50) for feed in feeds]
    for writer in writers:
        assert ended(writer) == [f"database {read_address(url).shown}: 300 articles"]
    assert len(select("SELECT id FROM articles")) == 300
    assert len(select("SELECT id FROM article_revisions")) == 600


def test_a_locked_file_is_waited_for(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection, "WAIT", 0.05)
    url, feed = f"sqlite:///{tmp_path}/news.db", tmp_path / "news.jsonl"
    prepare(url)
    write(feed, article(1))
    other = sqlite3.connect(tmp_path / "news.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    writer = start(url, feed)
    until(lambda: writer.trouble is not None)
    assert "another program has locked it" in (writer.trouble or "")
    write(feed, article(2))
    other.execute("ROLLBACK")
    until(lambda: writer.trouble is None)
    other.close()
    assert ended(writer)[0].endswith("2 articles")
    assert caplog.text.count("cannot be written") == 1
    assert caplog.text.count("can be written again") == 1


def test_a_database_that_stays_away_is_told_and_brought_up_later(start: Start, tmp_path: Path) -> None:
    url, feed = f"sqlite:///{tmp_path}/news.db", tmp_path / "news.jsonl"
    prepare(url)
    write(feed, article(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "WAIT", 0.05)
        other = sqlite3.connect(tmp_path / "news.db", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        writer = start(url, feed, patience=0.2)
        done, warning = ended(writer)
        other.close()
    assert not writer.is_complete
    assert done.endswith("nothing new")
    assert warning.startswith(f"WARNING: 1 line of the feeds is not in the database sqlite:///{tmp_path}/news.db (another")
    assert "nothing is lost: the next crawl with this feed and this database imports them" in warning
    assert ended(start(url, feed)) == [f"database sqlite:///{tmp_path}/news.db: 1 article"]


def test_reasons_are_told_without_their_full_stop() -> None:
    """They are gone on with: "… cannot be written: REASON. The crawl goes on"."""
    lost = OperationalError("INSERT", {}, Exception("server closed the connection\n  while processing the request."))
    assert connection.explain(lost) == "server closed the connection while processing the request"


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_that_is_restarted_loses_nothing(mode: str, start: Start, postgres: PostgresServer, tmp_path: Path) -> None:
    url, feed = postgres.database(), tmp_path / "news.jsonl"
    database = url.partition("?")[0].rpartition("/")[2]
    prepare(url)
    writer = start(url, feed, lines=7)
    for n in range(0, 100, 2):
        write(feed, article(n))
    until(lambda: writer.importer.written.rows["articles"] > 20)
    postgres.stop(mode)
    try:
        for n in range(1, 100, 2):
            write(feed, article(n))
        until(lambda: writer.trouble is not None)
    finally:
        postgres.start()
    assert ended(writer)[0].startswith("database postgresql")
    assert writer.is_complete
    ids = postgres.sql("SELECT id FROM articles ORDER BY id", database).split()
    assert ids == [name(n) for n in range(100)]
    engine = connection.open_engine(read_address(url))
    assert str(bring_in(engine, feed)) == "nothing new"
    engine.dispose()


@pytest.mark.slow  # it waits for four seconds
def test_a_process_that_stands_still_within_a_transaction_does_not_stop_the_others(postgres: PostgresServer) -> None:
    url = postgres.schema()
    suspended, other = connection.open_engine(prepare(url)[0]), connection.open_engine(read_address(url))
    insert = text("INSERT INTO kept (id) VALUES (1)")
    with other.begin() as begun:
        begun.exec_driver_sql("CREATE TABLE kept (id INTEGER PRIMARY KEY)")
    with suspended.connect() as held:
        held.begin()
        held.execute(insert)
        with other.begin() as begun:
            begun.execute(insert)
        with pytest.raises(DBAPIError, match="idle-in-transaction timeout"):
            held.execute(insert)
    with suspended.begin() as begun:
        assert begun.exec_driver_sql("SELECT count(*) FROM kept").scalar() == 1
    suspended.dispose()
    other.dispose()


FULL = """CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER full_disk BEFORE INSERT ON article_revisions FOR EACH ROW EXECUTE FUNCTION full_disk()"""
"""The server answers inserts as it does when its disk is full."""


def test_a_server_whose_disk_is_full_is_waited_for(start: Start, postgres: PostgresServer, tmp_path: Path) -> None:
    """No line counts as refused: there will be room again."""
    url, feed = postgres.database(), tmp_path / "news.jsonl"
    database = url.partition("?")[0].rpartition("/")[2]
    prepare(url)
    postgres.sql(FULL, database)
    write(feed, *(article(n) for n in range(5)))
    writer = start(url, feed)
    until(lambda: writer.trouble is not None)
    assert "No space left on device" in (writer.trouble or "")
    write(feed, article(5))
    time.sleep(0.3)
    assert postgres.sql("SELECT count(*) FROM articles", database) == "0"
    postgres.sql("DROP TRIGGER full_disk ON article_revisions", database)
    until(lambda: writer.trouble is None)
    assert ended(writer)[0].endswith("6 articles")
    assert writer.is_complete


def test_a_server_that_hangs_does_not_keep_a_crawl_from_ending(
    start: Start, postgres: PostgresServer, tmp_path: Path
) -> None:
    """It answers nothing, and refuses nothing: without a limit the thread would wait for ever."""
    url, feed = postgres.database(), tmp_path / "news.jsonl"
    prepare(url)
    writer = start(url, feed, patience=0.3)
    write(feed, article(1))
    until(lambda: writer.importer.written.rows["articles"] == 1)
    with postgres.hanging():
        write(feed, article(2))
        time.sleep(0.4)
        assert not writer.is_overdue, "it is the end of the crawl that does not wait"
        writer.finish()
        until(lambda: writer.is_overdue, 5)
        assert writer.is_running
        writer.give_up("it does not answer")
        assert not writer.is_complete
        assert "1 line of the feeds is not in the database" in writer.summary()[1]
        assert "(it does not answer); nothing is lost" in writer.summary()[1]
    until(lambda: not writer.is_running)
    assert ended(start(url, feed))[0].endswith(("1 article", "nothing new"))
    assert len(postgres.sql("SELECT id FROM articles", url.partition("?")[0].rpartition("/")[2]).split()) == 2


def test_the_end_of_a_crawl_tells_that_not_all_is_written(
    postgres: PostgresServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if Ctrl-C stops the reactor while the end waits: the exit code is 1 then."""
    url, feed = postgres.database(), tmp_path / "news.jsonl"
    crawler = get_crawler(settings_dict={"DATABASE_SECONDS": 0.02, "DATABASE_PATIENCE": 0.3})
    address, _ = prepare(url)

    async def end(storage: DatabaseStorage) -> list[Any]:
        """What the crawl's exit code is made of, while the end waits and after it."""
        closing = asyncio.create_task(storage.closed("finished"))
        await asyncio.sleep(0.1)
        found = [crawler.stats.get_value(ERROR)]
        await closing
        return [*found, crawler.stats.get_value(ERROR)]

    first = DatabaseStorage(crawler, address, feed)
    first.opened()
    write(feed, article(1))
    until(lambda: first.writer.importer.written.rows["articles"] == 1)
    with postgres.hanging():
        write(feed, article(2))
        assert asyncio.run(end(first)) == ["ended before all was written", "it has got nothing done for 0.3 s"]
    assert "1 line of the feeds is not in the database" in capsys.readouterr().err
    second = DatabaseStorage(get_crawler(settings_dict={"DATABASE_SECONDS": 0.02}), address, feed)
    second.opened()
    asyncio.run(second.closed("finished"))
    assert second.crawler.stats.get_value(ERROR) is None
    assert second.writer.is_complete


def test_a_defect_is_not_swallowed(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"sqlite:///{tmp_path}/news.db"
    prepare(url)

    def broken(_: object) -> bool:
        raise ZeroDivisionError("broken")

    monkeypatch.setattr("newsextract.database.bringing_in.Importer.step", broken)
    writer = start(url, tmp_path / "news.jsonl")
    assert "a defect: ZeroDivisionError: broken" in ended(writer)[1]
    assert not writer.is_complete
    assert "ZeroDivisionError" in caplog.text
