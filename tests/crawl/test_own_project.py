"""A project of the user's own: ``newsextract init``, ``newsextract sites``, and crawls with the installed package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.sites import load_sites, toml_table
from tests.crawl.conftest import REPOSITORY, SAMPLE, Server, environment, lines, listing

TABLE = {
    "name": "ledger", "serve": str(SAMPLE / "www"), "start": ["http://www.harbour-ledger.example/"], "delay": 0, "concurrency": 8,
    "min_length": 60,
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A new project with one site."""
    folder = tmp_path / "of mine"
    assert main(["init", str(folder)]) == 0
    with (folder / "sites.toml").open("a") as sites:
        sites.write(toml_table(TABLE))
    return folder


def scrapy(python: str | Path, project: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-P", "-m", "scrapy", *arguments],
        cwd=project, capture_output=True, text=True, check=False, env=environment(**variables),
    )  # fmt: skip


def test_a_project_is_made_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (project / "sites.toml").read_bytes()
    assert main(["init", str(project)]) == 2
    assert "sites.toml" in capsys.readouterr().err
    assert (project / "sites.toml").read_bytes() == before


def test_sites_are_listed_and_checked(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    assert main(["sites", "list"]) == 0, "the project here says which file it is"
    head, line = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["name", "kind"]
    assert line.split()[:3] == ["ledger", "news", TABLE["start"][0]]  # type: ignore[index]  # a list
    assert main(["sites", "check", "--sites", "sites.toml"]) == 0
    (project / "other.toml").write_text('[[site]]\nname = "a"\nstart = ["https://a.example/"]\nalow = []\n')
    assert main(["sites", "check", "--sites", "other.toml"]) == 2
    assert capsys.readouterr().err.endswith('key alow: unknown; did you mean "allow"?\n'), "without a list of all keys"
    (project / "empty.toml").write_text("")
    assert main(["sites", "list", "--sites", "empty.toml"]) == 0
    assert "newsextract try URL --write" in capsys.readouterr().out
    assert main(["sites", "list", "--sites", "missing.toml"]) == 2
    assert "--sites" in capsys.readouterr().err


@pytest.mark.crawl
def test_a_site_is_added_to_the_file_of_the_project(
    project: Path, make_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    server = make_server()
    paths = [f"/2025/05/06/keepers-of-the-harbour-{number}.html" for number in range(6)]
    server.put("/", listing(*paths))
    for path in paths:
        server.put_article(path)
    assert main(["sites", "add", server.url(), "--name", "courier"]) == 0
    assert set(load_sites(project / "sites.toml")) == {"ledger", "courier"}


@pytest.mark.crawl
def test_a_project_crawls_with_the_checkout(project: Path) -> None:
    done = scrapy(sys.executable, project, "crawl", "news", "-a", "limit=2", PYTHONPATH=str(REPOSITORY))
    assert done.returncode == 0, done.stderr
    assert 0 < len(lines(project / "out" / "news.jsonl")) <= 2


@pytest.mark.slow
def test_a_project_crawls_with_the_installed_wheel(project: Path, installed_python: Path) -> None:
    done = scrapy(installed_python, project, "crawl", "news", "-a", "limit=2", PYTHONPATH="")
    assert done.returncode == 0, done.stderr
    assert 0 < len(lines(project / "out" / "news.jsonl")) <= 2
    other = project / "other.toml"
    other.write_text(toml_table(TABLE | {"name": "another"}))
    arguments = ["crawl", "news", "-a", "limit=1", "-s", "SITES_FILE=other.toml", "-O", "other.jsonl"]
    done = scrapy(installed_python, project, *arguments, PYTHONPATH="")
    assert done.returncode == 0, done.stderr
    assert {line["site"] for line in lines(project / "other.jsonl")} == {"another"}
