"""The command line: output, exit codes, one clear line for a user's mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from newsextract import __version__, algorithms
from newsextract.cli import COMMANDS as COMMANDS_OF
from newsextract.cli import build_parser, main

PAGES = Path(__file__).parent / "pages"
STORY = str(PAGES / "story_en.html")
COMMANDS = (
    "try", "init", "sites", "extract", "records", "oem", "snapshot", "inspect", "algorithms", "evaluate", "train", "site-check", "browser",
    "database", "spark", "completion",
)  # fmt: skip


def process(*arguments: str, stdin: bytes | None = None, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "newsextract.cli", *arguments],
        input=stdin, capture_output=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def test_text_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", STORY]) == 0
    title, byline, empty, *text = capsys.readouterr().out.split("\n")
    assert (title, byline, empty) == ("Ferry timetable changes in October", "2024-09-18T07:45 · Ida Marsh", "")
    assert any("third boat" in line for line in text)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["extract", str(PAGES / "story_zh.html"), "--format", "json", "--url", "https://example.org/a"]
    assert main([*given, "--algorithm", "text_density"]) == 0
    out = capsys.readouterr().out
    record = json.loads(out)
    assert "港口新渡轮十月启航" in out, "not escaped"
    assert (record["url"], record["status"], record["evidence"]) == ("https://example.org/a", "ok", None)


def test_json_has_no_block_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", STORY, "--format", "json", "--algorithm", "text_density"]) == 0
    assert "blocks" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("form", "start"), [("html", "<p>"), ("markdown", "")])
def test_html_and_markdown(form: str, start: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", STORY, "--format", form, "--algorithm", "text_density"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(start)
    assert out.endswith("\n")
    assert "a crossing that nobody has to plan" in out
    assert err == ""
    assert main(["extract", STORY, "--format", form, "--algorithm", "block_statistics"]) == 0
    out, err = capsys.readouterr()
    assert "a crossing that nobody has to plan" in out
    assert err.startswith("note: block_statistics reads the source text")


def test_json_with_evidence_algorithm_and_preset(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["extract", STORY, "--format", "json", "--evidence", "--algorithm", "block_statistics", "--preset", "published"]
    assert main(given) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["evidence"]["thresholds"]
    assert record["title_source"]["source"] == "h1"


def test_standard_input() -> None:
    done = process("extract", "-", stdin=Path(STORY).read_bytes())
    assert done.returncode == 0
    assert done.stdout.startswith(b"Ferry timetable")


def test_a_page_without_article_is_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.html"
    path.write_bytes(b"")
    assert main(["extract", str(path)]) == 1
    assert capsys.readouterr().err == "no article: empty: the page has no content\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["extract", "no/such.html"],
            "newsextract: no/such.html: No such file or directory; expected a file, an http(s) URL",
        ),
        (["records", "--no-render", "."], "newsextract: .: Is a directory; expected a file"),
        (["extract", STORY, "--algorithm", "nope"], "newsextract: unknown algorithm 'nope'; choose from: combined"),
        (["extract", STORY, "--preset", "nope"], "newsextract: combined: unknown preset 'nope'; choose from: default"),
        (["extract", "http://127.0.0.1:1/"], "newsextract: http://127.0.0.1:1/: "),
        (["extract", "http://[::1"], "newsextract: http://[::1: "),
        (["extract", "a\0b"], "newsextract: a"),
        (["extract", ""], "newsextract: '': "),
        (["extract", STORY, "--url", "www.example.org/1"], "newsextract: --url www.example.org/1: "),
        (["records", "--no-render", STORY, "--url", "x"], "newsextract: --url x: "),
        (["snapshot", STORY, "-o", "x.snapshot", "--url", "x"], "newsextract: --url x: "),
        (["extract", STORY, "--every-page"], "newsextract: --every-page "),
        (["extract", "-i", "/dev/null"], "newsextract: -i /dev/null: "),
        (["try", "http://127.0.0.1:1/", "--name", "a b"], "newsextract: key name: 'a b' is invalid"),
        (["try", "http://127.0.0.1:1/", "--write", "--sites", "no/such.toml"], "newsextract: cannot write no/such.toml: "),
        (["sites", "add", "http://127.0.0.1:1/", "--sites", "no/such.toml"], "newsextract: cannot write no/such.toml: "),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(line)
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "example" in out
    assert "``" not in out, "words for readers, not for Sphinx"
    assert f"newsextract {command}" in out.partition("example")[2]


def test_help_names_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(command in out for command in COMMANDS)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"newsextract {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["nope"], ["records"], ["extract", "x", "--format", "xml"]])
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: newsextract" in capsys.readouterr().err


def test_every_command_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that forgets to say what runs it is found here."""
    monkeypatch.chdir(tmp_path)
    assert main(["algorithms"]) == 0
    assert all(name in capsys.readouterr().out for name in ["block_statistics"])
    assert main(["site-check", "harbour-ledger"]) == 2
    assert main(["evaluate", "articles", str(tmp_path), "--algorithm", "block_statistics"]) == 2
    assert capsys.readouterr().err.count("\n") == 2


def test_algorithms_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["algorithms"]) == 0
    out = capsys.readouterr().out
    for name in algorithms.names():
        assert f"\n{name}" in f"\n{out}"


@pytest.mark.parametrize("words", [5, 200_000])
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, words: int) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>" + "word " * words)
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "newsextract.cli", "extract", str(path)], stdout=gone, stderr=subprocess.PIPE, check=False
        )
    assert done.stderr == b""
    assert done.returncode == 0


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown"])
def test_text_that_cannot_be_encoded_is_no_error(tmp_path: Path, form: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "\\ud800 of the harbour"}</script>'
        "<p>A text about the harbour, and nothing else is on this page.</p>"
    )
    done = process("extract", str(path), "--format", form)
    assert done.stderr == b""
    assert done.returncode == 0
    done.stdout.decode("utf-8")


def test_an_ascii_terminal_is_no_error() -> None:
    done = process("extract", str(PAGES / "story_zh.html"), PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stderr == b""


HEAVY = {
    "numpy",
    "scrapy",
    "twisted",
    "sklearn",
    "scipy",
    "lxml",
    "selectolax",
    "playwright",
    "asyncio",
    "feedparser",
    "urllib.request",
}


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["extract", "--help"], ["algorithms", "--help"], ["site-check", "--help"], ["nope"]],
)
def test_help_imports_nothing_that_works_on_pages(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom newsextract.cli import main\n"
        f"try: main({arguments})\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "newsextract.errors" in loaded
    assert loaded & HEAVY == set()
    places = {name: place.partition(":")[0] for name, (place, _) in COMMANDS_OF.items()}
    modules = {name: f"newsextract.commands.{place}" for name, place in places.items() if place}
    assert loaded & set(modules.values()) == {modules[name] for name in arguments[:1] if name in modules}


def test_the_list_of_commands_says_of_each_what_the_command_itself_says() -> None:
    def lines(text: str) -> list[str]:
        return text[text.index("COMMAND\n") :].split("\n")

    assert lines(build_parser([]).format_help()) == lines(build_parser(COMMANDS_OF).format_help())


def test_the_package_can_be_run() -> None:
    done = subprocess.run([sys.executable, "-m", "newsextract", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"newsextract {__version__}\n"


def test_ctrl_c_while_a_command_is_imported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("newsextract.cli.import_module", interrupted)
    assert main(["extract", STORY]) == 130
    assert capsys.readouterr().err == "interrupted\n"
