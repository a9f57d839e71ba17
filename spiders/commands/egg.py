"""``scrapy egg``: this project as an egg for scrapyd, with the target sites of ``settings/``; docs/deployment.md.

An egg is a zip of packages with a folder ``EGG-INFO``, whose entry point ``[scrapy] settings`` names the settings module.
scrapyd puts it behind everything else on ``sys.path`` and never unpacks it. setuptools no longer makes eggs willingly, and
takes what to pack from pyproject.toml, which describes the library alone; so the file is written here, the same bytes for
the same files. Third-party packages are not in it: they are installed where scrapyd runs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError as ScrapyUsageError

from newsextract.errors import NewsextractError, UsageError
from newsextract.sites import load_sites

PROJECT = Path(__file__).resolve().parents[2]
PACKAGES = ("newsextract", "pipelines", "settings", "spiders")
"""All that the egg holds, with their data files (models, word lists, formats); no tests, no sample site."""
SETTINGS = "settings.scrapyd"
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip: its earliest."""


class Command(ScrapyCommand):
    """Write the egg."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012  # reason: Scrapy declares it so

    def syntax(self) -> str:
        """Behind the command's name."""
        return "[-o FILE]"

    def short_desc(self) -> str:
        """In Scrapy's list of commands."""
        return "Write this project as an egg for scrapyd"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Where to."""
        super().add_options(parser)
        parser.add_argument("-o", "--output", type=Path, default=Path("dist/newsextract.egg"), metavar="FILE")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Build, check, and say what was left out."""
        if args:
            raise ScrapyUsageError(f"unknown argument {args[0]!r}; the file is named with -o")
        try:
            left_out = build_egg(PROJECT, opts.output)
        except (NewsextractError, OSError) as error:
            sys.stderr.write(f"{error}\nNo egg was written.\n")
            self.exitcode = 2
            return
        if left_out:
            sys.stderr.write(f"Left out, because their pages are served from this folder: {', '.join(left_out)}\n")
        with zipfile.ZipFile(opts.output) as egg:
            held = sorted(name.removeprefix("settings/") for name in egg.namelist() if name.startswith("settings/"))
        sys.stderr.write(f"Of settings/ it holds, for whoever gets the egg: {', '.join(held)}\n")
        print(opts.output)


def build_egg(project: Path, output: Path) -> list[str]:
    """Write the egg, whole or not at all: an older one stays until the new one stands.

    :return: names of the sites that it does not have: those of the embedded sample.
    :raises UsageError: a site names a file outside ``settings/``.
    :raises SiteError: ``settings/sites.toml`` has a mistake.
    """
    listed = project / "settings" / "sites.toml"
    load_sites(listed)
    with tempfile.TemporaryDirectory() as folder:
        held = Path(folder, "egg.zip")
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as egg:
            for name, text in _information(project):
                egg.writestr(zipfile.ZipInfo(name, _MOMENT), text.encode(), zipfile.ZIP_DEFLATED)
            sites, left_out = without_served(listed.read_text("utf-8"))
            for path in _files(project):
                name = path.relative_to(project).as_posix()
                data = sites.encode() if path == listed else path.read_bytes()
                egg.writestr(zipfile.ZipInfo(name, _MOMENT), data, zipfile.ZIP_DEFLATED)
            egg.extractall(folder, [name for name in egg.namelist() if name.startswith("settings/")])
        try:
            load_sites(Path(folder, "settings", "sites.toml"))
        except NewsextractError as error:
            raise UsageError(
                f"{error}\nThe egg has the files below settings/ only; put what sites.toml names there"
            ) from error
        _place(held.read_bytes(), output)
    return left_out


def _place(data: bytes, output: Path) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    unfinished = output.with_name(f".{output.name}.{os.getpid()}")  # beside it: a rename works within a file system only
    try:
        unfinished.write_bytes(data)
        unfinished.replace(output)
    finally:
        unfinished.unlink(missing_ok=True)


def without_served(text: str) -> tuple[str, list[str]]:
    """A site file without the tables of sites that are served from a folder (``serve``), and their names.

    The tables are cut out as text, so that comments stay; that the rest means the same is checked.

    :param text: checked, as ``load_sites`` does.
    :raises UsageError: the tables cannot be told apart; each must begin with a line ``[[site]]``.
    """
    kept: list[str] = []
    left_out: list[str] = []
    for part in _tables(text):
        served = [table.get("name", "?") for table in tomllib.loads(part).get("site", []) if "serve" in table]
        if served:
            left_out += served
        else:
            kept.append(part)
    rest = "".join(kept)
    whole = tomllib.loads(text).get("site", [])
    if tomllib.loads(rest).get("site", []) != [table for table in whole if "serve" not in table]:
        raise UsageError(
            "settings/sites.toml: sites with and without `serve` cannot be told apart; begin each with a line [[site]]"
        )
    return rest, left_out


def _tables(text: str) -> Iterator[str]:
    """The text in parts that begin with ``[[site]]``; the first is what stands before."""
    part = ""
    for line in text.splitlines(keepends=True):
        if line.partition("#")[0].strip() == "[[site]]":
            yield part
            part = ""
        part += line
    yield part


def _files(project: Path) -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((project / package).rglob("*")):
            hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(project).parts)
            if path.is_file() and not hidden:
                yield path


def _information(project: Path) -> Iterator[tuple[str, str]]:
    described = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    yield "EGG-INFO/PKG-INFO", f"Metadata-Version: 2.1\nName: {described['name']}\nVersion: {described['version']}\n"
    yield "EGG-INFO/entry_points.txt", f"[scrapy]\nsettings = {SETTINGS}\n"
    yield "EGG-INFO/top_level.txt", "".join(f"{package}\n" for package in PACKAGES)
    yield "EGG-INFO/zip-safe", "\n"
