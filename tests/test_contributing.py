"""The steps of CONTRIBUTING.md, followed literally in a copy of the package."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PAGE = """
<title>Ferry</title><meta name="keywords" content="harbour, ferries,, harbour"><h1>Ferry</h1><p>Short.</p>
<p>The harbour reopened on Monday, after two weeks.</p><div>Read also: <a href="/2.html">how the harbour was rebuilt</a></div>
"""
ALGORITHM = """
import json, sys
import newsextract
from newsextract import extract
from newsextract.cli import describe
page = sys.stdin.read()
found = [extract(page, None, "long_blocks", params) for params in ({"least": 20}, {"least": 5}, {"least": 500})]
assert "least = 10" in describe("long_blocks")
print(json.dumps([newsextract.__file__, *((one.status, one.text, one.reason) for one in found)]))
"""
FIELD = """
import json, sys
import newsextract
from newsextract.feed.record_lines import RecordSource, news_record, revision_of
from newsextract import Page, extract
page = Page.from_text(sys.stdin.read(), "http://paper.example/1.html")
record = news_record([page], RecordSource("paper", page.url), "combined").values()
later = revision_of({name: value for name, value in record.items() if name != "keywords"})
print(json.dumps([newsextract.__file__, extract(page).keywords, extract("").keywords, record["keywords"], later.keywords]))
"""


def section(title: str) -> str:
    """The text under one heading."""
    (found,) = re.findall(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", DOCUMENT, re.DOTALL | re.MULTILINE)
    assert isinstance(found, str)
    return found


def follow(title: str, folder: Path) -> list[str]:
    """Write the files and make the changes that a section shows; the names of these files."""
    blocks: list[tuple[str, str, str]] = re.findall(
        r"^```(python|diff) (\S+)\n(.*?)^```$", section(title), re.DOTALL | re.MULTILINE
    )
    for kind, name, code in blocks:
        path = folder / name
        if kind == "python":
            assert not path.exists(), name
            path.write_text(code, "utf-8")
            continue
        for hunk in code.split("@@\n"):
            lines = hunk.splitlines(keepends=True)
            before, after = ("".join(line[1:] for line in lines if line[0] in marks) for marks in (" -", " +"))
            source = path.read_text("utf-8")
            assert source.count(before) == 1, f"{name}: {before}"
            path.write_text(source.replace(before, after), "utf-8")
    return [name for _, name, _ in blocks]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("*.pyc.*")  # which are being written
    shutil.copytree(ROOT / "newsextract", tmp_path / "newsextract", ignore=ignored)
    return tmp_path


def run(folder: Path, code: str) -> list[object]:
    """What a program prints that imports the copy."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, input=PAGE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    values: list[object] = json.loads(done.stdout)
    assert Path(str(values[0])).is_relative_to(folder)
    return values[1:]


def well_formed(folder: Path, names: list[str]) -> None:
    """Whether the changed files pass the repository's linter."""
    shutil.copy(ROOT / "pyproject.toml", folder)
    for arguments in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, "--no-cache", *names],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_new_algorithm_works_as_described(checkout: Path) -> None:
    names = follow("Add an algorithm", checkout)
    assert names == ["newsextract/algorithms/long_blocks.py", "newsextract/algorithms/__init__.py"]
    long = "The harbour reopened on Monday, after two weeks."
    first, second, third = run(checkout, ALGORITHM)
    assert [first, second] == [["ok", long, None], ["ok", f"Short.\n{long}", None]]
    assert third == ["empty", "", "no block is long enough"]
    well_formed(checkout, names)


def test_the_new_field_reaches_article_and_record(checkout: Path) -> None:
    names = follow("Add a field of an article", checkout)
    assert len(names) == 4
    words = ["harbour", "ferries"]
    assert run(checkout, FIELD) == [words, [], words, []]
    well_formed(checkout, names)


def test_every_place_that_the_document_names_exists() -> None:
    named = set(re.findall(r"`((?:newsextract|pipelines|spiders|settings|tests|docs)/[\w./]*)`", DOCUMENT))
    named |= {link.partition("#")[0] for link in re.findall(r"\]\(([^):]+)\)", DOCUMENT)}
    assert len(named) > 20
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
    for name in ("RECORD_CLASSES", "LINE_KINDS"):
        assert f"\n{name}" in (ROOT / "pipelines" / "items.py").read_text("utf-8")


def test_the_commands_of_the_document_are_targets_of_make() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    (hook,) = re.findall(r"^ +entry: make (.+)$", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"), re.MULTILINE)
    assert hook.split() == ["lint", "types"]
    assert {"test", "test-all", "lint", "types", "docs"} == set(re.findall(r"\bmake ([a-z-]+)", DOCUMENT)) <= targets
