"""The project as Scrapy and its users find it: the settings package, and `newsextract site-check`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from newsextract.cli import main
from newsextract.commands import sites
from tests.crawl import launcher

Run = Callable[..., tuple[int, str, str]]
REPOSITORY = Path(__file__).parents[2]

pytestmark = pytest.mark.crawl


def test_settings_are_the_projects(tmp_path: Path) -> None:
    """Scrapy puts the project's folder at the end of sys.path; from a folder below, too."""
    code = (
        "from scrapy.utils.project import get_project_settings\n"
        "found = get_project_settings()\n"
        "import settings\n"
        "print(settings.__file__, found['BOT_NAME'], found['SITES_FILE'])\n"
    )
    for folder in (REPOSITORY, REPOSITORY / "docs"):
        # -I: neither the working folder nor PYTHONPATH stands on sys.path
        done = subprocess.run([sys.executable, "-I", "-c", code], cwd=folder, capture_output=True, text=True, check=True)
        file, name, sites = done.stdout.split()
        assert Path(file) == REPOSITORY / "settings" / "__init__.py"
        assert name == "newsextract"
        assert Path(sites) == REPOSITORY / "settings" / "sites.toml"


@pytest.mark.parametrize("module", ["local", "production"])
def test_settings_modules_can_be_imported(module: str) -> None:
    code = f"import settings.{module} as s; assert s.SPIDER_MODULES == ['spiders'] and s.COMMANDS_MODULE"
    subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=True)


def test_a_foreign_settings_package_is_told(run_crawl: Callable[..., Any], tmp_path: Path) -> None:
    """One that looks enough like ours for Scrapy to load this project's commands."""
    foreign = tmp_path / "elsewhere" / "settings"
    foreign.mkdir(parents=True)
    (foreign / "__init__.py").write_text("", "utf-8")
    (foreign / "local.py").write_text("SPIDER_MODULES = ['spiders']\nCOMMANDS_MODULE = 'spiders.commands'\n", "utf-8")
    crawl = run_crawl(tmp_path / "news.jsonl", env={"PYTHONPATH": str(foreign.parent)})
    assert crawl.code == 2, crawl.err
    assert f"another package named settings hides this project's: {foreign}" in crawl.out + crawl.err
    assert "Traceback" not in crawl.err
    assert not crawl.feed.exists()


def test_site_check_prints_five_pages() -> None:
    command = [sys.executable, "-m", "newsextract.cli", "site-check", "harbour-ledger"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    blocks = [block.splitlines() for block in done.stdout.strip().split("\n\n")]
    pages = [block for block in blocks if block[1].strip().startswith("news: ")]
    assert len(pages) == 5, done.stdout
    for page in pages:
        assert page[0].startswith("http://www.harbour-ledger.example/")
        assert page[2].strip().startswith("date 2")


@pytest.fixture
def site_check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in this process, its own commands of Scrapy forked: exit code and what is printed."""

    def scrapy(command: list[str], capture_output: bool = False, **_: object) -> subprocess.CompletedProcess[str]:
        done = launcher.run("scrapy", *command[3:])
        if not capture_output:
            sys.stdout.write(done.stdout)
            sys.stderr.write(done.stderr)
        return done

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["site-check", *arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setattr(sites, "subprocess", SimpleNamespace(run=scrapy))
    return run


@pytest.mark.parametrize(
    ("arguments", "page", "records", "fields"),
    [
        (
            ["coast-wire", "--pages", "2"],
            "http://www.coast-wire.example/latest/",
            "list, page 1: 8 records",
            "author 0, image 8",
        ),
        (
            ["merrow-net", "--query", "harbour"],
            "searx.merrow-net.example/search?",
            "results, page 1: 10 records",
            "snippet 10",
        ),
        (["merrow-forum"], "www.merrow-forum.example/viewtopic.php?", "thread, page 1: ", "permalink "),
    ],
)
def test_site_check_counts_records_and_fields(
    site_check: Run, arguments: list[str], page: str, records: str, fields: str
) -> None:
    code, out, err = site_check(*arguments)
    assert code == 0, err
    block = next(block for block in out.strip().split("\n\n") if page in block).splitlines()
    assert records in block[1]
    assert "confidence " in block[1]
    assert fields in block[2]
    assert block[3].startswith("  - ")


def test_site_check_takes_a_file_of_sites_and_prints_a_table_that_works(site_check: Run, tmp_path: Path) -> None:
    blog = REPOSITORY / "tests" / "sample_site" / "blog"
    table = f'name = "notes"\nserve = "{blog}"\nstart = ["http://www.merrow-notes.example/"]\ndelay = 0\n'
    mine = tmp_path / "mine.toml"
    mine.write_text("[[site]]\n" + table, "utf-8")
    code, out, err = site_check("notes", "-s", str(mine), "--pages", "1")
    assert code == 0, err
    assert out.endswith("[[site]]\n" + table)


def test_site_check_of_a_site_without_articles_prints_a_table_to_try(site_check: Run, tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "index.html").write_text("<title>Shell</title><div id=root></div>", "utf-8")
    mine = tmp_path / "mine.toml"
    address = "http://www.shell.example/"
    mine.write_text(f'[[site]]\nname = "shell"\nserve = "{tmp_path / "www"}"\nstart = ["{address}"]\ndelay = 0\n', "utf-8")
    code, out, err = site_check("shell", "-s", f"SITES_FILE={mine}")
    assert code == 3, err
    assert out.endswith("render = true\n")
    assert "shell: found no article" in err


def test_site_check_of_an_engine_needs_a_query(site_check: Run) -> None:
    code, out, err = site_check("merrow-net")
    assert (code, out) == (2, "")
    assert "'merrow-net' is a search engine" in err
    assert "--query" in err
    code, _, err = site_check("merrow-forum", "--query", "x")
    assert code == 2
    assert "is not a search engine" in err
    code, out, _ = site_check("alte-lotse", "--query", "harbour")
    assert code == 1
    assert "obey_robots = false in the site 'alte-lotse'" in out


def test_site_check_of_an_unknown_site(site_check: Run) -> None:
    code, _, err = site_check("nowhere")
    assert code == 2
    assert "no site 'nowhere'" in err
