"""``newsextract extract`` on many pages: what each leaves, whatever happens to the others."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from newsextract.cli import main
from newsextract.commands import extract_pages as command
from tests.test_fetching import site  # noqa: F401  # a fixture: a server on loopback

PAGES = Path(__file__).parents[1] / "pages"
STORY, CHINESE = PAGES / "story_en.html", PAGES / "story_zh.html"
TEXT = "a crossing that nobody has to plan"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pages"
    (made / "deep").mkdir(parents=True)
    shutil.copy(STORY, made / "b.html")
    shutil.copy(CHINESE, made / "deep" / "A.HTM")
    (made / "empty.html").write_bytes(b"")
    (made / "notes.txt").write_text("no page")
    return made


def ran(*arguments: str, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "newsextract", "extract", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        **options,
    )


def test_files_folders_and_a_failure_each_leave_a_record(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    output = tmp_path / "articles.jsonl"
    assert main(["extract", str(STORY), str(folder), "no/such.html", "-o", str(output), "--workers", "2"]) == 2
    records = {record["page"]: record for record in map(json.loads, output.read_text("utf-8").splitlines())}
    files = [folder / "b.html", folder / "deep" / "A.HTM", folder / "empty.html"]
    assert set(records) == {str(STORY), *map(str, files), "no/such.html"}
    assert TEXT in records[str(STORY)]["text"]
    assert records[str(STORY)]["title"] == records[str(files[0])]["title"]
    assert [records[name]["status"] for name in (str(files[2]), "no/such.html")] == ["empty", "failed"]
    assert "No such file" in records["no/such.html"]["reason"]
    assert capsys.readouterr().err == "5 pages, 3 with text, without: empty 1, failed 1\n"


def test_a_worker_that_is_stopped_costs_its_own_page(folder: Path, tmp_path: Path):
    slow = folder / "a.html"
    slow.write_text("<p>" + "".join(f"<b>word {n} of many</b><i>, " for n in range(300_000)))
    output = tmp_path / "articles.jsonl"
    assert main(["extract", str(folder), "-o", str(output), "--timeout", "0.4"]) == 1
    records = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    assert [(Path(record["page"]).name, record["status"]) for record in records] == [
        ("a.html", "failed"), ("b.html", "ok"), ("A.HTM", "ok"), ("empty.html", "empty"),
    ]  # fmt: skip
    assert records[0]["reason"] == "stopped after 0.4 s"


def test_a_list_of_pages_from_a_file_and_from_standard_input(tmp_path: Path):
    listed = f"# of today\n\n{STORY}\r\n  {CHINESE}\n".encode()
    (tmp_path / "urls.txt").write_bytes(listed)
    for arguments in (["-i", str(tmp_path / "urls.txt")], ["-i", "-"]):
        done = ran(*arguments, "--format", "jsonl", "--workers", "0", stdin=listed)
        assert (done.returncode, done.stderr) == (0, b"")
        assert [json.loads(line)["page"] for line in done.stdout.splitlines()] == [str(STORY), str(CHINESE)]


def test_addresses_are_fetched_with_a_pause_and_a_list_reaches_no_private_server(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,  # noqa: F811
) -> None:  # fmt: skip
    monkeypatch.setenv("no_proxy", "*")
    slept: list[float] = []
    monkeypatch.setattr(command.time, "sleep", slept.append)
    output = tmp_path / "o.jsonl"
    assert main(["extract", f"{site}/page", f"{site}/missing", "-o", str(output), "--workers", "0"]) == 2
    first, second = map(json.loads, output.read_text("utf-8").splitlines())
    assert (first["url"], first["status"]) == (f"{site}/page", "not_article")
    assert (second["url"], second["status"], second["reason"]) == (
        f"{site}/missing", "failed", f"{site}/missing: HTTP 404 Not Found",
    )  # fmt: skip
    assert [0.5 < pause <= command.PAUSE for pause in slept] == [False, True]
    (tmp_path / "urls.txt").write_text(f"{site}/page\n")
    assert main(["extract", "-i", str(tmp_path / "urls.txt"), "-o", str(output), "--workers", "0"]) == 2
    assert "has the private address 127.0.0.1" in json.loads(output.read_text("utf-8"))["reason"]
    monkeypatch.setenv("NEWSEXTRACT_PRIVATE", site)
    assert main(["extract", "-i", str(tmp_path / "urls.txt"), "-o", str(output), "--workers", "0"]) == 0


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "text", "html", "markdown"])
def test_formats_of_two_pages_and_a_failure(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", str(STORY), "no-->such", str(CHINESE), "--format", form, "--workers", "0"]) == 2
    out = capsys.readouterr().out
    assert TEXT in out
    assert out.endswith("\n")
    if form == "json":
        assert [record["status"] for record in json.loads(out)] == ["ok", "failed", "ok"]
    elif form == "jsonl":
        assert [json.loads(line)["status"] for line in out.splitlines()] == ["ok", "failed", "ok"]
    elif form == "csv":
        rows = list(csv.DictReader(out.splitlines(keepends=True)))
        assert [row["status"] for row in rows] == ["ok", "failed", "ok"]
        assert rows[0]["authors"] == "Ida Marsh"
        assert TEXT in rows[0]["text"]
    elif form == "text":
        assert out.startswith(f"==> {STORY} <==\nFerry timetable")
        assert "\n\n==> no-->such: failed: no-->such: No such file" in out
    else:
        assert out.startswith(f"<!-- {STORY} -->\n\n")
        assert out.count("-->") == 3, "a page's name does not end the comment"


def test_a_cell_is_no_formula(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<title>=HYPERLINK(0)</title><h1>=HYPERLINK(0)</h1><p>" + "The ferry left the harbour at noon. " * 20)
    output = tmp_path / "o.csv"
    assert main(["extract", str(page), "-o", str(output), "--algorithm", "text_density"]) == 0
    (row,) = csv.DictReader(output.read_text("utf-8").splitlines(keepends=True))
    assert row["title"] == "'=HYPERLINK(0)"


def test_the_ending_of_the_output_is_its_format_and_an_old_file_is_replaced(tmp_path: Path) -> None:
    for name, start in {"o.md": "", "o.json": "{", "o.csv": "page,url", "o.txt": "Ferry", "o.html": "<p>"}.items():
        (tmp_path / name).write_text("what was there before")
        assert main(["extract", str(STORY), "-o", str(tmp_path / name)]) == 0
        written = (tmp_path / name).read_text("utf-8")
        assert written.startswith(start)
        assert TEXT in written
        assert "what was there before" not in written


def test_chosen_fields_are_written_in_the_order_given(tmp_path: Path) -> None:
    for name in ("o.json", "o.jsonl"):
        assert main(["extract", str(STORY), "-o", str(tmp_path / name), "--fields", "title, page"]) == 0
        record = json.loads((tmp_path / name).read_text("utf-8"))
        assert list(record) == ["title", "page"]
        assert record["page"] == str(STORY)
    assert main(["extract", str(STORY), "-o", str(tmp_path / "o.csv"), "--fields", "title,page"]) == 0
    assert (tmp_path / "o.csv").read_text("utf-8").startswith("title,page\n")


def test_the_output_is_no_page_of_its_folder(folder: Path) -> None:
    output = folder / "all.html"
    output.write_text("<p>Written by the run before.")
    assert main(["extract", str(folder), "-o", str(output)]) == 1
    assert output.read_text("utf-8").count("<!--") == 3


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "newsextract: name a page, a list of pages with -i, or archives with --warc"),
        (["a", "b", "--url", "https://x.example/"], "newsextract: --url is the URL of one page"),
        (
            ["-i", "no/such.txt"],
            "newsextract: -i no/such.txt: No such file or directory; expected a file with one page per line",
        ),
        (["a", "b", "--algorithm", "nope"], "newsextract: unknown algorithm 'nope'"),
        (
            ["a", "b", "-o", "o.xlsx"],
            "newsextract: o.xlsx: unknown suffix; use one of .txt, .json, .jsonl, .csv, .html, .md",
        ),
        (["a", "b", "--fields", "title"], "newsextract: --fields is for json, jsonl and csv, not text"),
        (
            ["a", "--format", "csv", "--fields", "titel"],
            "newsextract: --fields titel: no such field; choose from: page, url",
        ),
        (["a", "--format", "csv", "--fields", ","], "newsextract: --fields ',': no such field; choose from: page, url"),
        (["a", "b", "--workers", "-1"], "newsextract: --workers -1: expected 0 to"),
        (["a", "-o", "no/such/o.csv"], "newsextract: cannot write no/such/o.csv: there is no directory"),
        (["example.org"], "newsextract: example.org: No such file or directory; expected a file, an http(s) URL"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(line)


@pytest.mark.parametrize("command", ["extract", "records", "inspect", "try", "snapshot"])
def test_log_in_data_of_a_url_are_refused_and_not_repeated(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = ["-o", str(tmp_path / "out")] if command in ("inspect", "snapshot") else []
    assert main([command, "http://me:s3cr@t@www.example.org/a?b@c", *output]) == 2
    out, err = capsys.readouterr()
    assert "http://www.example.org/a?b@c: a URL with a user name or password" in err
    assert "s3cr" not in out + err


def test_a_record_does_not_repeat_log_in_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", str(STORY), "http://me:s3cret@www.example.org/", "--format", "jsonl", "--workers", "0"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out.splitlines()[1])["page"] == "http://www.example.org/"
    assert "s3cret" not in out + err


@pytest.mark.parametrize("arguments", [["extract"], ["records", "--no-render"]])
def test_an_address_without_its_scheme_is_shown_with_it(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, "www.example.org/news/1"]) == 2
    assert capsys.readouterr().err.endswith("; did you mean https://www.example.org/news/1 ?\n")
    assert main([*arguments, "no-such-page.html"]) == 2
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full disk as Linux shows it")
@pytest.mark.parametrize("pages", [[str(STORY)], [str(STORY), str(CHINESE)]])
def test_a_full_disk_is_one_line(pages: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "newsextract", "extract", *pages], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"newsextract: cannot write the output: No space left on device; make room first\n"
    done = ran(*pages, "-o", "/dev/full", "--format", "json")
    assert done.returncode == 2
    assert done.stderr.startswith(b"newsextract: cannot write /dev/full: No space left on device; ")
    assert done.stderr.count(b"\n") == 1


def test_a_reader_that_goes_away_ends_the_run(folder: Path) -> None:
    listed = f"{STORY}\n" * 200
    with subprocess.Popen(
        [sys.executable, "-m", "newsextract", "extract", "-i", "-", "--format", "jsonl", "--workers", "2"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(listed.encode())
        process.stdin.close()
        assert process.stdout.readline().startswith(b'{"page"')
        process.stdout.close()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


class _Terminal(io.StringIO):
    """A pseudo-terminal of the system would be better, but bare machines have none."""

    def isatty(self) -> bool:
        return True


def test_progress_is_for_a_person(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["extract", str(STORY), str(CHINESE), "-o", str(tmp_path / "o.csv")]
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(arguments) == 0
    assert "2 pages, 2 with text\n" in terminal.getvalue()
    assert "\x1b[K" in terminal.getvalue()
    monkeypatch.undo()
    assert ran(*arguments[1:]).stderr == b""
