"""The egg on a real scrapyd: uploaded, listed, scheduled, and what the crawls leave behind."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from spiders.commands.egg import PACKAGES, PROJECT, build_egg
from tests.crawl.conftest import SCRAPY, Server
from tests.deployment.scrapyd_server import Scrapyd, clean_environment, make_environment

pytestmark = pytest.mark.crawl

NAMES = ["/news/harbour-1.html", "/news/harbour-2.html", "/news/harbour-3.html"]
DIRECTORY = """<html><title>Firms</title><table class="firms">
<tr><td><b>Quill &amp; Sons</b></td><td>bookbinders</td></tr><tr><td><b>Tern Ferries</b></td><td>ferrymen</td></tr></table></html>"""
FORMAT = """{<table class="firms">#</table>, directory, get()}
{<tr><td><b>$name</b></td><td>$trade</td></tr>, firm, directory}
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    server.put("/", server.listing(*NAMES))
    for name in NAMES:
        server.put_article(name)
    server.put("/firms.html", DIRECTORY)
    yield server
    server.close()


@pytest.fixture(scope="module")
def egg(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with sites of its own, a format beside them and one site of the embedded sample."""
    project = tmp_path_factory.mktemp("project")
    for name in PACKAGES:
        shutil.copytree(PROJECT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "pyproject.toml", project)
    (project / "settings" / "formats").mkdir()
    (project / "settings" / "formats" / "firms.oem").write_text(FORMAT, "utf-8")
    (project / "settings" / "sites.toml").write_text(
        f"""
        [[site]]
        name = "courier"
        start = ["{server.url()}"]
        delay = 0

        [[site]]
        name = "embedded"
        serve = "tests/sample_site/www"
        start = ["http://www.embedded.example/"]

        [[site]]
        name = "firms"
        kind = "wrapped"
        start = ["{server.url("/firms.html")}"]
        wrapper = "formats/firms.oem"
        records = "firm"
        delay = 0
        """,
        "utf-8",
    )
    output = tmp_path_factory.mktemp("dist") / "newsextract.egg"
    assert build_egg(project, output) == ["embedded"]
    return output


@pytest.fixture(scope="module")
def scrapyd(egg: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    """With the egg uploaded; at the end nothing may be left in its folder for temporary files."""
    if find_spec("scrapyd") is None:
        pytest.skip("scrapyd is not installed (python -m pip install -e '.[dev]')")
    python = make_environment(tmp_path_factory.mktemp("environment"))
    absent = (
        "import importlib.util as u; print([u.find_spec(n) for n in ('newsextract', 'settings', 'spiders', 'pipelines')])"
    )
    folder = tmp_path_factory.mktemp("scrapyd")
    done = subprocess.run(
        [python, "-c", absent], cwd=folder, capture_output=True, text=True, check=True, env=clean_environment()
    )
    assert done.stdout.strip() == "[None, None, None, None]"  # whatever is found below comes from the egg
    with Scrapyd(python, folder) as server:
        assert server.add_version("newsextract", "1", egg)["spiders"] == len(spiders_of(PROJECT))
        yield server
    assert list((folder / "temporary").iterdir()) == []


def spiders_of(project: Path) -> list[str]:
    done = subprocess.run([SCRAPY, "list"], cwd=project, capture_output=True, text=True, check=True)
    return done.stdout.split()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_scrapyd_lists_the_spiders(scrapyd: Scrapyd) -> None:
    assert sorted(scrapyd.get("listspiders", project="newsextract")["spiders"]) == spiders_of(PROJECT)
    assert scrapyd.get("listversions", project="newsextract")["versions"] == ["1"]


def test_news_of_the_eggs_sites(scrapyd: Scrapyd, server: Server, tmp_path: Path) -> None:
    log, code = scrapyd.run("news")
    assert code == 0, log
    assert "Traceback" not in log
    assert " INFO scrapy" in log
    assert " DEBUG " not in log  # as settings/production.py has it
    records = lines(scrapyd.folder / "out" / "news.jsonl")
    assert sorted((record["title"], record["status"]) for record in records) == sorted(
        (server.headline(name), "ok") for name in NAMES
    )
    assert {record["algorithm"] for record in records} == {"combined"}  # its model came out of the zip
    # the next job goes on where this one was: the feed is in the folder of scrapyd
    asked = len(server.times(NAMES[0]))
    database = tmp_path / "news.db"
    log, code = scrapyd.run("news", database=f"sqlite:///{database}")
    assert code == 0, log
    assert lines(scrapyd.folder / "out" / "news.jsonl") == records
    assert len(server.times(NAMES[0])) == asked == 1
    with closing(sqlite3.connect(database)) as opened:  # its schema came out of the zip, too
        assert opened.execute("SELECT count(*) FROM articles").fetchone() == (len(NAMES),)


def test_a_job_with_other_sites_is_cancelled_while_another_reads_by_a_format(
    scrapyd: Scrapyd, server: Server, tmp_path: Path
) -> None:
    sites = tmp_path / "sites.toml"
    slow = server.url().replace("127.0.0.1", "localhost")
    sites.write_text(
        f"""
        [[site]]
        name = "other"
        start = ["{server.url()}"]
        delay = 0

        [[site]]
        name = "slow"
        start = ["{slow}"]
        delay = 60

        [[site]]
        name = "none"
        start = ["{server.url("/none.html")}"]
        """,
        "utf-8",
    )
    feed = tmp_path / "other.jsonl"
    settings = [f"SITES_FILE={sites}", f"DEFAULT_FEED={feed}", "EXTRACTION_WORKERS=1"]
    given: dict[str, str | list[str]] = {"setting": settings, "sites": "other,slow", "limit": "2"}
    job = scrapyd.post("schedule", project="newsextract", spider="news", **given)["jobid"]
    scrapyd.wait(lambda: feed.exists() and feed.read_bytes().count(b"\n") == 2)
    assert len(list((scrapyd.folder / "temporary").glob("newsextract-*"))) == 1  # settings/ of the egg, while a job needs it
    assert scrapyd.post("cancel", project="newsextract", job=job)["prevstate"] == "running"
    log, code = scrapyd.run("wrapped")
    assert code == 0, log
    found = [record["fields"]["name"] for record in lines(scrapyd.folder / "out" / "wrapped.jsonl")]
    assert found == ["Quill & Sons", "Tern Ferries"]
    log, code = scrapyd.end("news", job, seconds=15)
    assert "shutting down gracefully" in log
    assert code == 0
    assert [record["site"] for record in lines(feed)] == ["other", "other"]
    assert "/none.html" not in [asked for _, asked, _ in server.hits]


def test_a_mistake_is_told_in_the_log(scrapyd: Scrapyd) -> None:
    _, code = scrapyd.run("news", sites="nowhere")
    assert code == 2
    assert "no site 'nowhere'" in scrapyd.log
