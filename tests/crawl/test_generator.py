"""``newsextract.crawl``: articles of a real crawl in a child process, which ends with the generator."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import newsextract
from newsextract import crawling
from newsextract.errors import SiteError, UsageError
from newsextract.feed.record_lines import NewsRecord
from tests.crawl.conftest import REPOSITORY, SAMPLE, Session, environment

START = "http://www.harbour-ledger.example/"
KEYS: dict[str, Any] = {
    "serve": str(SAMPLE / "www"),
    "delay": 0,
    "concurrency": 8,
    "from_articles": True,
    "depth": 10,
    "min_length": 60,
}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in set(os.environ) - set(environment()):
        monkeypatch.delenv(name)


def crawls(serve: str) -> list[int]:
    """Processes of crawls whose sites file names this folder."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                words = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
                file = next((word.partition("=")[2] for word in words if word.startswith("SITES_FILE=")), None)
                if file and serve in Path(file).read_text():
                    found.append(int(folder.name))
            except OSError:  # it has just ended
                continue
    return found


@pytest.mark.crawl
def test_the_articles_of_the_sample_site(expected: dict[str, dict[str, Any]]) -> None:
    articles = list(newsextract.crawl(START, **KEYS))
    assert all(isinstance(article, NewsRecord) for article in articles)
    found = {article.url: article for article in articles}
    assert len(found) == len(articles) > 20
    right = [url for url in found if url in expected and expected[url].get("title") == found[url].title]
    assert len(right) > 20


@pytest.mark.crawl
def test_a_limit_and_an_early_end(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.symlink_to(SAMPLE / "www")
    keys = KEYS | {"serve": str(site)}
    assert 0 < len(list(newsextract.crawl(START, limit=3, **keys))) <= 3
    assert crawls(str(site)) == []
    articles = newsextract.crawl(START, **keys)
    next(articles)
    (leader,) = crawls(str(site))
    session = Session(leader)
    articles.close()  # type: ignore[attr-defined]  # reason: it is a generator
    assert session.is_gone_within(2)


_KILLED = """
import sys, newsextract
for article in newsextract.crawl(sys.argv[1], serve=sys.argv[2], delay=0):
    print(article.url, flush=True)
    sys.stdin.read()
"""


@pytest.mark.crawl
def test_the_crawl_ends_when_its_program_is_killed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.symlink_to(SAMPLE / "www")
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, START, str(site)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, env=environment(PYTHONPATH=str(REPOSITORY)),
    ) as program:  # fmt: skip
        assert program.stdout is not None
        assert program.stdout.readline().startswith(b"http://www.harbour-ledger.example/")
        (leader,) = crawls(str(site))
        program.send_signal(signal.SIGKILL)
    assert Session(leader).is_gone_within(15)


@pytest.mark.parametrize(
    ("keys", "error", "message"),
    [
        ({"nope": 1}, SiteError, "nope"),
        ({"delay": "slow"}, SiteError, "key delay"),
        ({"kind": "forum"}, UsageError, "yields articles of news sites"),
    ],
)
def test_mistakes_are_told_before_anything_starts(keys: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        newsextract.crawl(START, **keys)
    with pytest.raises(SiteError, match="key start"):
        newsextract.crawl("example.org")


@pytest.mark.crawl
def test_a_crawl_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(crawling.CrawlFailed, match=r"no folder .*nowhere"):
        next(newsextract.crawl(START, serve=str(tmp_path / "nowhere")))


def test_without_the_project_there_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawling, "_PACKAGE", tmp_path / "newsextract")
    with pytest.raises(UsageError, match=r"needs the Scrapy project of newsextract, which is missing in .*project; install"):
        newsextract.crawl(START)
