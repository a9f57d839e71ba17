"""``newsextract extract --warc``: the user's mistakes, and what it tells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from newsextract.cli import main
from tests.made_archives import foreign, html


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return foreign(tmp_path / "x.warc.gz", "one", "two")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--warc", "{}"], "name a file for them"),
        (["--warc", "{}", "-o", "x.csv"], "expected a .jsonl file"),
        (["--warc", "{}", "-o", "no/x.jsonl", "--workers", "-1"], "--workers -1"),
        (["--warc", "{}", "-o", "x.jsonl", "--workers", "99999"], "expected 0 to"),
        (["--warc", "{}", "-o", "x.jsonl", "--timeout", "0"], "--timeout"),
        (["--warc", "{}", "-o", "x.jsonl", "--algorithm", "wrong"], "unknown algorithm"),
        (["--warc", "{}", "-o", "x.jsonl", "--algorithm", "visual_blocks"], "does not find articles"),
        (["--warc", "{}", "-o", "x.jsonl", "--param", "wrong=1"], "wrong"),
        (["--warc", "nowhere.warc", "-o", "x.jsonl"], "no such file"),
        (["page.html", "--warc", "{}", "-o", "x.jsonl"], "goes without PAGE"),
        (["--warc", "{}", "-o", "x.jsonl", "--format", "json"], "goes without PAGE"),
        (["page.html", "-o", "x.jsonl"], "page.html: No such file"),
        ([], "name a page"),
    ],
)
def test_mistakes_are_one_line(
    archive: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(archive.parent)
    assert main(["extract", *(argument.format(archive) for argument in arguments)]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1
    assert not Path("x.jsonl").exists()


def test_other_peoples_archives(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with archive.open("ab") as file:
        file.write(b"\x1f\x8b\x08 torn")
    output = tmp_path / "out.jsonl"
    assert main(["extract", "--warc", str(archive), "-o", str(output), "--workers", "0"]) == 0
    records = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    assert [(r["site"], r["title"], r["fetched_at"]) for r in records] == [
        ("courier.example", "one", "2026-03-04T05:06:07+00:00"), ("courier.example", "two", "2026-03-04T05:06:07+00:00"),
    ]  # fmt: skip
    err = capsys.readouterr().err
    assert "2 new, 0 already there; 1 rejected (damaged 1)" in err
    (damaged,) = output.with_suffix(".rejected.jsonl").read_text("utf-8").splitlines()
    assert json.loads(damaged)["url"].startswith("archive:x.warc.gz#")


def test_its_own_output_is_no_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The output stands in the folder that is read: each line of it would be a page that is none, for ever."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.html").write_bytes(html(name))
    (tmp_path / "short.html").write_bytes(b"<p>Short.")
    os.symlink(tmp_path / "out.jsonl", tmp_path / "also.jsonl")
    arguments = ["extract", "--warc", str(tmp_path), "-o", str(tmp_path / "sub" / ".." / "out.jsonl"), "--workers", "0"]
    (tmp_path / "sub").mkdir()
    assert main(arguments) == 0
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert sizes["out.rejected.jsonl"] > 0
    assert main(arguments) == 0
    assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == sizes
    assert "0 new, 2 already there; 0 rejected; 3 skipped (already there, " in capsys.readouterr().err
    assert main(["extract", "--warc", str(tmp_path / "out.jsonl"), "-o", str(tmp_path / "out.jsonl")]) == 2
    assert "is the output of this run" in capsys.readouterr().err


def test_no_record_is_told_by_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_bytes(b"<p>Short.")
    assert main(["extract", "--warc", str(tmp_path / "pages"), "-o", str(tmp_path / "o.jsonl"), "--workers", "0"]) == 1


@pytest.mark.slow
def test_a_stuck_page_costs_itself(tmp_path: Path) -> None:
    """A time limit that no page meets: each is told as a failure, and the command ends."""
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.html").write_bytes(html(name) + b"<p>One more sentence of it.</p>" * 5_000)
    output = tmp_path / "o.jsonl"
    assert main(["extract", "--warc", str(tmp_path), "-o", str(output), "--timeout", "0.01", "--workers", "2"]) == 1
    lines = [json.loads(line) for line in output.with_suffix(".rejected.jsonl").read_text("utf-8").splitlines()]
    assert [line["status"] for line in lines] == ["failed"] * 3
    assert {line["reason"] for line in lines} <= {"stopped after 0.01 s", "stopped after 0.1 s"}, "of CPU time, or of any"


@pytest.mark.slow
def test_without_warcio(tmp_path: Path, archive: Path) -> None:
    code = (
        "import sys; sys.modules['warcio'] = None\nfrom newsextract.cli import main\n"
        f"sys.exit(main(['extract', '--warc', {str(archive)!r}, '-o', {str(tmp_path / 'o.jsonl')!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 2
    assert "python -m pip install" in done.stderr
    assert done.stderr.count("\n") == 1


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["extract", "--help"])
    assert "--warc crawl/*.warc.gz -o records.jsonl --workers 4" in capsys.readouterr().out
