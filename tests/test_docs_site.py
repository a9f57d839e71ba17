"""The documents as a site: it builds without warnings and without the network, and its code blocks work."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from benchmarks.docs import outputs, tables
from newsextract import cli
from newsextract.sites import Site
from spiders.plan import ARCHIVE_ARGUMENTS, ARGUMENTS_OF
from tests.crawl import launcher

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "tests" / "sample_site"
ARTICLE = SAMPLE / "www" / "en" / "2025" / "10" / "24" / "city-budget-schools-before-streets.html"
THREAD = SAMPLE / "forum" / "panels" / "viewtopic.php@t=14.html"
NEW_PAGES = [*outputs.PAGES, *(ROOT / "docs" / f"{name}.md" for name in ("index", "law", "how-it-works", "figures"))]
OTHER_PROGRAMS = {"make", "systemctl", "crontab"}


def code(path: Path, *languages: str) -> list[str]:
    """The code blocks of a page in these languages."""
    return [block[3] for block in outputs.blocks(path.read_text("utf-8")) if block[1] in languages]


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env=os.environ
        | {"NO_MKDOCS_2_WARNING": "1", "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    built = [path for path in tmp_path.rglob("*.html") if path.parent != tmp_path / "oem"]
    assert len(built) > 40
    for path in built:
        loaded = re.findall(r"<(?:script|img|iframe)[^>]* src=\"([^\"]+)|<link[^>]* rel=\"stylesheet\"[^>]* href=\"([^\"]+)",
                            path.read_text("utf-8"))  # fmt: skip
        assert [url for pair in loaded for url in pair if url.startswith(("http", "//"))] == [], path
    assert (tmp_path / "pictures" / "page_to_record.png").exists()


def test_outputs_are_equal_but_for_durations_and_probabilities() -> None:
    first = "a 3\n55 new; 103 pages in 24.4 s (4.2 pages/s); skipped: 7\n/x/check.jsonl\nlisting (0.86): a home page"
    again = "listing (0.9): URL\n\n55 new; 103 pages in 1 s (46.3 pages/s); skipped: 65\n/y/check.jsonl\na 3"
    assert outputs.comparable(first) == outputs.comparable(again)
    assert outputs.comparable(first.replace("103 pages", "104 pages")) != outputs.comparable(again)
    assert outputs.comparable(first.replace("listing", "not_article")) != outputs.comparable(again)


@pytest.mark.crawl
@pytest.mark.parametrize("path", [p for p in outputs.PAGES if code(p, "sh")], ids=lambda path: path.stem)
def test_commands_of_the_guides_print_what_the_guides_show(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it fails: python -m benchmarks.docs.outputs --write."""
    by_shell = outputs.run

    def run(commands: str, folder: Path) -> str:
        """Our own programs are forked, line by line."""
        found = []
        for line in commands.replace("make crawl", "scrapy crawl news").replace(".venv/bin/", "").splitlines():
            if line.startswith(("scrapy ", "newsextract ")) and not set("|&>") & set(line):
                done = launcher.run(*shlex.split(line), folder=folder, PYTHONPATH=str(folder), COLUMNS="100")
                found.append(outputs.printed(done, line))
            else:
                found.append(by_shell(line, folder))
        return "".join(found)

    monkeypatch.setattr(outputs, "run", run)
    assert outputs.renewed(path.read_text("utf-8"), tmp_path)[1] == []


def test_every_block_of_the_new_pages_has_a_language_that_a_test_knows() -> None:
    known = {"sh", "text", "bash", "python", "toml", "json", "crontab"}
    for path in NEW_PAGES:
        fences = re.findall(r"^```(\w*)", path.read_text("utf-8"), re.MULTILINE)
        assert set(fences[::2]) <= known, path
        assert set(fences[1::2]) <= {""}, path


def check_command(words: list[str]) -> None:
    """Whether a command of the documents is one that its program accepts."""
    program, *rest = words
    program = program.removeprefix(".venv/bin/")
    if program == "newsextract":
        cli.build_parser(cli.COMMANDS).parse_args(rest)
    elif program == "scrapy" and rest[0] == "crawl":
        known = ARCHIVE_ARGUMENTS if rest[1] == "archive" else ARGUMENTS_OF[rest[1]]
        given = {word.partition("=")[0] for flag, word in zip(rest[2::2], rest[3::2], strict=True) if flag == "-a"}
        assert given <= known.keys(), words
    elif program == "python":
        assert rest[:3] == ["-m", "pip", "install"] or find_spec(rest[1]) is not None, words
    else:
        assert program in OTHER_PROGRAMS, words


@pytest.mark.parametrize("path", NEW_PAGES, ids=lambda path: path.stem)
def test_commands_that_are_not_run_are_accepted_by_their_programs(path: Path) -> None:
    lines = [line for block in code(path, "bash") for line in block.splitlines()]
    lines += [line.split(None, 6)[6] for block in code(path, "crontab") for line in block.splitlines()]
    for line in lines:
        for command in re.split(r"&&|\|\|?", line):
            words = [word for word in shlex.split(command, comments=True) if not re.match(r"[A-Z_]+=|\d?>>?", word)]
            if words and words[0] not in ("cd", "echo", "mail"):
                check_command(words)


@pytest.mark.parametrize("path", NEW_PAGES, ids=lambda path: path.stem)
def test_tables_of_sites_are_valid(path: Path) -> None:
    for block in code(path, "toml"):
        for table in tomllib.loads(block)["site"]:
            Site.read(table)


@pytest.mark.filterwarnings("ignore:nltk is not installed")
@pytest.mark.parametrize("path", [p for p in NEW_PAGES if code(p, "python")], ids=lambda path: path.stem)
def test_python_of_the_new_pages_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "news.jsonl").write_text('{"date": null, "title": "Ferry"}\n', "utf-8")
    (tmp_path / "thread.html").write_bytes(THREAD.read_bytes())
    monkeypatch.chdir(tmp_path)
    for block in code(path, "python"):
        program = compile(block, str(path), "exec")
        modules = re.findall(r"^(?:import|from) (\w+)", block, re.MULTILINE)
        if "newsextract.crawl(" in block or "render(" in block or any(find_spec(name) is None for name in modules):
            continue  # it needs the network, or a package that is not one of ours
        names: dict[str, Any] = {"html": ARTICLE.read_text("utf-8"), "url": "http://www.harbour-ledger.example/en/1.html"}
        exec(program, names)
        if "NewsSpider" in names:
            follow_spider(names["NewsSpider"])
        else:
            assert "print(" not in block or capsys.readouterr().out, block


def follow_spider(kind: Any) -> None:
    """Let a spider of the documents read a listing and an article."""
    from scrapy.http import HtmlResponse

    spider = kind()
    listing = HtmlResponse(spider.start_urls[0], body=b"<h2><a href='/a.html'>Budget</a></h2>")
    (request,) = spider.parse(listing)
    (item,) = request.callback(HtmlResponse(request.url, body=ARTICLE.read_bytes()))
    assert item["title"].strip() == "Next year's budget puts schools before streets"
    assert "62 million crowns" in item["text"]


def test_tables_of_figures_are_those_of_the_committed_evaluations() -> None:
    """If it fails: python -m benchmarks.docs.tables."""
    found = list(tables.pages())
    assert {name for _, text, _ in found for name in re.findall(r"<!-- table (\w+) -->", text)} == tables.TABLES.keys()
    for path, text, wanted in found:
        assert text == wanted, path


@pytest.mark.slow
@pytest.mark.usefixtures("rendering")
def test_pictures_are_drawn(tmp_path: Path) -> None:
    from benchmarks.docs import pictures

    assert {path.name for path in (ROOT / "docs" / "pictures").iterdir()} == pictures.PICTURES.keys()
    assert pictures.main(["--folder", str(tmp_path)]) == 0
    for name in pictures.PICTURES:
        drawn = (tmp_path / name).stat().st_size
        assert drawn == pytest.approx((ROOT / "docs" / "pictures" / name).stat().st_size, rel=0.5), name
