"""Several processes on one PostgreSQL state give what one process gives, whoever dies, whenever."""

from __future__ import annotations

import random
import signal
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from newsextract.database import read_address
from newsextract.database.connection import open_engine
from spiders.addresses import FolderServer
from tests.crawl.papers import Papers
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
Row = dict[str, Any]
REPOSITORY = Path(__file__).parents[2]
LEASE = 2.0  # the least
TIMES = ("fetched_at", "etag", "last_modified")
"""What differs from crawl to crawl."""


class Database:
    """What the processes of a shared crawl have written."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine = open_engine(read_address(url))

    def rows(self, table: str) -> list[Row]:
        with self._engine.connect() as connection:
            return [dict(row._mapping) for row in connection.execute(text(f"SELECT * FROM {table}"))]

    def count(self, table: str) -> int:
        """Rows so far; 0 as long as there is no such table."""
        with self._engine.connect() as connection:
            known = connection.execute(text(f"SELECT to_regclass('{table}')")).scalar()
            return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()) if known else 0

    def owners(self) -> list[str]:
        """Of each leased site the process that has it."""
        if not self.count("state_sites"):
            return []
        return [row["owner"] for row in self.rows("state_sites") if row["owner"]]

    def wait(self, table: str, count: int, crawls: Iterable[Any], seconds: float = 40) -> None:
        end = time.monotonic() + seconds
        while self.count(table) < count:
            assert time.monotonic() < end, "\n".join(crawl.err[-3000:] for crawl in crawls)
            time.sleep(0.01)

    def close(self) -> None:
        self._engine.dispose()


@pytest.fixture
def database(postgres: PostgresServer) -> Any:
    found = Database(postgres.schema())
    yield found
    found.close()


@pytest.fixture
def start_process(start_crawl: Run, database: Database, tmp_path: Path) -> Run:
    """Begin one process of a shared crawl."""

    def start(*arguments: str, spider: str = "news", **options: Any) -> Any:
        settings = {"STATE_LEASE": LEASE, "EXTRACTION_WORKERS": 0, **options.pop("settings", {})}
        named = ("-a", f"state={database.url}")
        return start_crawl(
            tmp_path / "unused.jsonl", *named, *arguments, output=None, spider=spider, settings=settings, **options
        )

    return start


def lines(rows: Iterable[Row], *drop: str) -> dict[tuple[str, str | None], Row]:
    """Lines by what they are, without times and what only a database or only a feed has; each once."""
    found: dict[tuple[str, str | None], Row] = {}
    for row in rows:
        key = row["id"], row.get("status")
        assert key not in found, f"twice: {row}"
        gone = {*TIMES, "text_hash", "content_hash", "day", "duplicate_of", *drop}
        found[key] = {name: value for name, value in row.items() if name not in gone}
    return found


def same(one: Any, database: Database) -> None:
    """The database has what a single process writes to its feeds, nothing twice."""
    assert lines(database.rows("article_revisions")) == lines(one.records)
    assert lines(database.rows("rejections")) == lines(one.rejected)
    agency = [row for row in database.rows("articles") if row["url"].endswith("by-the-agency")]
    assert len(agency) == 4
    assert sum(row["duplicate_of"] is None for row in agency) >= 1


@pytest.fixture
def alone(small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path) -> Any:
    """What one process makes of the usual papers."""
    done = small_crawl(tmp_path / "alone" / "news.jsonl", sites=Papers(server).sites(make_sites)).check()
    server.hits.clear()
    return done


def test_several_processes_give_what_one_gives(
    alone: Any, start_process: Run, database: Database, server: Any, make_sites: Run
) -> None:
    papers = Papers(server, pause=0.05)
    sites, gate = papers.sites(make_sites), papers.hold()
    assert len(alone.records) == 4 * 16
    crawls = [start_process(sites=sites) for _ in range(3)]
    end = time.monotonic() + 40
    while len(set(database.owners())) < 2 and len(database.owners()) < len(papers.names):  # on a busy machine one has all
        assert time.monotonic() < end, crawls[0].err[-3000:]
        time.sleep(0.02)
    gate.set()
    for crawl in crawls:
        crawl.wait(60).check()
    same(alone, database)
    pages = Counter(path for _, path, _ in server.hits if not path.endswith("robots.txt"))
    assert sum(pages.values()) - len(pages) <= 4, "pages were fetched twice without need"  # the canonical URL is tried again
    again = start_process(sites=sites).wait(60).check()
    assert "0 new, 64 already there" in again.err
    same(alone, database)


def test_sites_that_wait_for_their_delay_keep_no_other_sites_away(
    start_process: Run, database: Database, server: Any, make_sites: Run
) -> None:
    sites = Papers(server, papers=24, articles=1).sites(make_sites, delay=60)
    crawl = start_process(sites=sites)
    end = time.monotonic() + 40
    while len(database.owners()) < 24:
        assert time.monotonic() < end, "it has no more sites than keep a process busy"
        time.sleep(0.1)
    crawl.kill()


def test_killed_processes_lose_and_double_nothing(
    alone: Any, start_process: Run, database: Database, server: Any, make_sites: Run
) -> None:
    dice = random.Random(1)
    sites = Papers(server, pause=0.05).sites(make_sites)
    crawls = [start_process(sites=sites) for _ in range(2)]
    for _ in range(3):
        database.wait("article_revisions", dice.randint(1, 20), crawls)
        victim = crawls.pop(dice.randrange(2))
        if victim.process.poll() is None:
            victim.kill()
            assert victim.session.is_gone_within(5)
        crawls.append(start_process(sites=sites))
    for crawl in crawls:
        crawl.wait(60).check()
    same(alone, database)


def test_all_killed_and_started_again(
    alone: Any, start_process: Run, database: Database, server: Any, make_sites: Run
) -> None:
    sites = Papers(server, pause=0.05).sites(make_sites)
    crawls = [start_process(sites=sites) for _ in range(2)]
    database.wait("article_revisions", 10, crawls)
    for crawl in crawls:
        crawl.kill()
    start_process(sites=sites).wait(60).check()
    same(alone, database)


def test_ctrl_c_leaves_its_sites_to_others_at_once(
    alone: Any, start_process: Run, database: Database, server: Any, make_sites: Run
) -> None:
    sites = Papers(server, pause=0.05).sites(make_sites)
    first = start_process(sites=sites, settings={"STATE_LEASE": 600})
    database.wait("article_revisions", 5, [first])
    first.interrupt()
    first.wait(20).check(4)
    start_process(sites=sites, settings={"STATE_LEASE": 600}).wait(60).check()
    same(alone, database)


def test_the_server_goes_away_for_a_while(
    alone: Any, start_process: Run, postgres: PostgresServer, database: Database, server: Any, make_sites: Run
) -> None:
    sites = Papers(server, pause=0.05).sites(make_sites)
    crawls = [start_process(sites=sites) for _ in range(2)]
    database.wait("article_revisions", 8, crawls)
    postgres.stop("immediate")
    time.sleep(LEASE + 1)
    postgres.start()
    database.close()  # its connections are those to the server of before
    codes = [crawl.wait(60).process.returncode for crawl in crawls]
    assert set(codes) <= {0, 1}, "a process may find that the other has taken its sites over"
    start_process(sites=sites).wait(60).check()
    same(alone, database)


def test_a_process_that_stood_still_writes_nothing_twice(
    alone: Any, start_process: Run, database: Database, server: Any, make_sites: Run
) -> None:
    papers = Papers(server, pause=0.02)
    sites, gate = papers.sites(make_sites), papers.hold("/page/2/")
    still = start_process(sites=sites)
    database.wait("article_revisions", 3, [still])
    still.process.send_signal(signal.SIGSTOP)
    other = start_process(sites=sites)
    gate.set()
    other.wait(60).check()
    still.process.send_signal(signal.SIGCONT)
    still.wait(60).check(1)
    assert "since this process stood still" in still.err
    same(alone, database)


@pytest.mark.parametrize(
    ("spider", "table", "count"), [("forum", "posts", 10), ("wrapped", "object_revisions", 1), ("list", "teasers", 5)]
)
def test_other_spiders(
    spider: str,
    table: str,
    count: int,
    small_crawl: Run,
    start_process: Run,
    database: Database,
    make_sites: Run,
    tmp_path: Path,
) -> None:
    one = small_crawl(tmp_path / "one" / f"{spider}.jsonl", spider=spider).check()
    tables = tomllib.loads((REPOSITORY / "settings" / "sites.toml").read_text("utf-8"))["site"]
    chosen = [site for site in tables if site.get("kind") == spider]
    with FolderServer({site["start"][0].split("/")[2]: REPOSITORY / site["serve"] for site in chosen}) as folder:
        for site in chosen:
            if "wrapper" in site:
                site["wrapper"] = str((REPOSITORY / "settings" / site["wrapper"]).resolve())
            site["proxy"] = folder.address
            del site["serve"]
        sites = make_sites(*chosen)
        crawls = [start_process(spider=spider, sites=sites) for _ in range(2)]
        database.wait(table, count, crawls)
        if crawls[0].process.poll() is None:
            crawls[0].kill()
        for crawl in crawls[1:]:
            crawl.wait(90).check()
        start_process(spider=spider, sites=sites).wait(90).check()
    drop = ("wrapper", "revision")
    assert lines(database.rows(table), *drop) == lines(one.records, *drop)
    found = {row["id"]: row["records"] for row in database.rows("pages")}
    assert found == {row["id"]: row["records"] for row in one.pages}


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["-a", "state=sqlite:///x.db"], "only PostgreSQL can be shared"),
        (["-a", "state="], "the database URL is empty"),
        (["-a", "state=postgresql://127.0.0.1:1/none"], "127.0.0.1:1/none"),
        (["-a", "state=postgresql://h/n", "-a", "database=x.db"], "keeps its records in the state's own database"),
        (["-a", "state=postgresql://h/n", "-a", "ledger=x.jsonl"], "keeps its records in the state's own database"),
        (["-a", "state=postgresql://h/n", "-s", "STATE_LEASE=0"], "expected 2 seconds or more"),
    ],
)
def test_wrong_arguments(arguments: list[str], wanted: str, start_crawl: Run, tmp_path: Path) -> None:
    done = start_crawl(tmp_path / "unused.jsonl", *arguments, output=None).wait(30).check(2)
    assert wanted in done.err
    assert "The crawl was not started." in done.err
