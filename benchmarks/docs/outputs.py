"""Runs the commands of the guides against the sample site and compares, or renews, the outputs that the pages show.

A block marked ``sh`` is run; a block marked ``text`` right after it shows what it prints. A block with a file name
(```` ```toml my-sites.toml ````) is written first. All blocks of a page share one folder, which looks like a checkout.

    python -m benchmarks.docs.outputs            # compare; exit code 1 if a page shows something else
    python -m benchmarks.docs.outputs --write    # renew the outputs in docs/
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = tuple(sorted(path for folder in ("start", "guides") for path in (ROOT / "docs" / folder).glob("*.md")))
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
_VARIABLE = re.compile(r"\d+\.\d+|\d+%|\b\d+(?= s\b)|(?<=skipped: )\d+|/\S*/(?=check\.)")
"""What differs from run to run, or with the version of a model: durations, shares, temporary folders, probabilities."""


def checkout(folder: Path) -> None:
    """Make a folder in which the commands of the pages work and change nothing of the repository."""
    for name in ("settings", "spiders", "pipelines"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    shutil.copy(ROOT / "scrapy.cfg", folder)
    (folder / "newsextract").symlink_to(ROOT / "newsextract")
    (folder / "tests").mkdir()
    (folder / "tests" / "sample_site").symlink_to(ROOT / "tests" / "sample_site")


def run(commands: str, folder: Path) -> str:
    """What a shell prints: standard output, then standard error without the lines of progress."""
    programs = Path(sys.executable).parent
    commands = commands.replace("make crawl", "scrapy crawl news").replace(".venv/bin/", "")
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        ["sh", "-e", "-c", commands],
        cwd=folder,
        env=kept | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(folder), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    return printed(done, commands)


def printed(done: subprocess.CompletedProcess[str], commands: str) -> str:
    """What a page may show of an output.

    :raises RuntimeError: the command has failed.
    """
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {commands}\n{done.stdout}{done.stderr}")
    lines = [line.rstrip() for line in (done.stderr + done.stdout).splitlines()]
    lines = [re.sub(r"/\S+/(?=check\.)", "/tmp/", line) for line in lines if not re.match(r" +\d+ s: ", line)]
    return "\n".join(lines).strip("\n") + "\n"


def comparable(output: str) -> list[str]:
    """The lines that must be equal, in any order."""
    lines = (re.sub(r"\([01]\.\d+\): .*", "(X)", line) for line in output.splitlines() if line.strip())
    return sorted(_VARIABLE.sub("X", line).rstrip() for line in lines)


def blocks(page: str) -> Iterator[re.Match[str]]:
    """The code blocks of a page: language, file name, code, and the output that follows."""
    return _BLOCK.finditer(page)


def renewed(page: str, folder: Path) -> tuple[str, list[str]]:
    """A page with the outputs of its commands, and what was wrong before.

    :param folder: an empty folder, where the commands run.
    """
    checkout(folder)
    wrong: list[str] = []
    parts, end = [], 0
    for block in blocks(page):
        language, name, code, shown = block.groups()
        if name:
            (folder / name).write_text(code, "utf-8")
        if language != "sh" or name:
            continue
        output = run(code, folder)
        if comparable(output) != comparable(shown or ""):
            wrong.append(f"{code}shows\n{shown or 'nothing'}\nbut prints\n{output}")
        if shown is not None:
            parts += [page[end : block.start(4)], output]
            end = block.end(4)
    return "".join([*parts, page[end:]]), wrong


def main(arguments: list[str] | None = None) -> int:
    """Compare or renew all pages."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.docs.outputs", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--write", action="store_true", help="renew the outputs in docs/")
    given = parser.parse_args(arguments)
    stale = 0
    for path in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            page, wrong = renewed(path.read_text("utf-8"), Path(folder))
        stale += len(wrong)
        sys.stdout.write(f"{path.relative_to(ROOT)}: {len(wrong)} outputs differ\n" + "".join(f"{each}\n" for each in wrong))
        if given.write and wrong:
            path.write_text(page, "utf-8")
    return 1 if stale and not given.write else 0


if __name__ == "__main__":
    sys.exit(main())
