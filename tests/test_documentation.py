"""What the documents say of the tree and of the command line: nothing is left out, and nothing is named that is not there."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import all as benchmarks
from newsextract import cli
from spiders.plan import ARCHIVE_ARGUMENTS, ARGUMENTS_OF

ROOT = Path(__file__).parents[1]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
DOCUMENTS = "\n".join(path.read_text("utf-8") for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])


def test_the_architecture_names_only_what_exists() -> None:
    named = set(re.findall(r"[\w/]+\.py\b", ARCHITECTURE))
    assert len(named) > 5
    assert (
        sorted(name for name in named if not any((ROOT / top / name).exists() for top in (".", "pipelines", "newsextract")))
        == []
    )


def options(parser: argparse.ArgumentParser, command: str = "newsextract") -> Iterator[tuple[str, list[str]]]:
    """Command and an option's names, of a parser and those below it."""
    for action in parser._actions:  # argparse has no public way to ask
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from options(below, f"{command} {name}")
        elif action.option_strings and not isinstance(action, argparse._HelpAction):
            yield command, list(action.option_strings)


def test_every_option_is_in_the_documents() -> None:
    found = list(options(cli.build_parser(cli.COMMANDS)))
    assert len(found) > 80
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", DOCUMENTS))
    assert [(command, names) for command, names in found if not named & set(names)] == []  # --render is told by --no-render


def test_every_argument_of_the_spiders_is_in_the_documents() -> None:
    arguments = {name for known in (*ARGUMENTS_OF.values(), ARCHIVE_ARGUMENTS) for name in known}
    assert {"sites", "path", "database"} < arguments
    assert sorted(name for name in arguments if f"-a {name}=" not in DOCUMENTS) == []


def test_every_benchmark_is_run_or_said_to_be_not(tmp_path: Path) -> None:
    named = set(benchmarks.benchmarks(benchmarks.Inputs([], tmp_path, None, tmp_path, fast=True)))
    programs = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if "def main(" in path.read_text("utf-8")}
    helpers = {"contenders", "sample_records", "server", "snapshot_pages", "virtual_sites"}
    assert programs - helpers - {"all"} == named | set(benchmarks.ALONE)
    assert named.isdisjoint(benchmarks.ALONE)
    first, second, third = re.findall(r"(?:^\|.*\n)+", (ROOT / "benchmarks" / "README.md").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"^\| `(\w+)` ", first, re.MULTILINE)) == named
    assert set(re.findall(r"^\| `(\w+)` ", second, re.MULTILINE)) == set(benchmarks.ALONE)
    assert set(re.findall(r"^\| `(\w+)` ", third, re.MULTILINE)) <= helpers


def test_what_the_commands_of_the_documents_write_is_ignored_by_git() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no checkout of git")
    written = set(re.findall(r"(?<![\w-])(?:-o|-O|--output) +([a-z][\w./-]*\.[a-z]+)", DOCUMENTS))
    written = {name for name in written if not name.startswith("newsextract/models/")}  # those are meant to be committed
    assert len(written) > 10
    written |= {name.replace(".jsonl", ".state") for name in written}  # what a crawl writes next to its feed
    given = "\n".join(sorted(written))
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin"], cwd=ROOT, input=given, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert sorted(written - set(done.stdout.split("\n"))) == []
    kept = ["git", "check-ignore", "--no-index", "pyproject.toml", "docs/page.schema.json", "settings/sites.toml"]
    assert subprocess.run(kept, cwd=ROOT, capture_output=True, text=True, check=False).stdout == ""
