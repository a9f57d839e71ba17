"""The file of target sites that a command means, and how a table is added to it."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from newsextract.errors import DataError, UsageError

DEFAULT_FILE = "sites.toml"


def add_sites_option(parser: argparse.ArgumentParser, *others: str) -> None:
    """Declare ``--sites FILE``.

    :param others: further names of the option.
    """
    parser.add_argument(
        "--sites",
        *others,
        metavar="FILE",
        help="the file of target sites (default: that of the project in this folder, else sites.toml)",
    )


def sites_path(given: str | None, *, must_exist: bool = True) -> Path:
    """The file that is named, also as ``SITES_FILE=FILE``; else that of the project here; else ``sites.toml``.

    :raises UsageError: there is no such file.
    """
    if given is not None:
        path = Path(given.removeprefix("SITES_FILE="))
    elif Path("scrapy.cfg").is_file() and find_spec("scrapy") is not None:
        asked = [sys.executable, "-m", "scrapy", "settings", "--get", "SITES_FILE"]
        path = Path(subprocess.run(asked, check=False, capture_output=True, text=True).stdout.strip() or DEFAULT_FILE)
    else:
        path = Path(DEFAULT_FILE)
    if must_exist and not path.is_file():
        raise UsageError(f"{path}: no such file; name the file of sites with --sites FILE, or make one: newsextract init .")
    return path


def tables_of(path: Path) -> dict[str, Mapping[str, Any]]:
    """The tables of a file as they are written, by name; none if the file is missing.

    :raises SiteError: the file is wrong.
    """
    from newsextract.sites import load_sites  # late: it knows all algorithms, and --help starts at once

    if not path.exists():
        return {}
    load_sites(path)
    return {table["name"]: table for table in tomllib.loads(path.read_text("utf-8")).get("site", [])}


def free_name(path: Path, table: Mapping[str, Any], *, is_given: bool) -> str | None:
    """A name for a new table that no other in the file has; None if the file has the same site already.

    :param is_given: whether the user chose the name, so that it must not be changed.
    :raises UsageError: another site has the name that the user chose.
    """
    known = tables_of(path)
    places = {(kind, *_places(other)) for other in known.values() for kind in [other.get("kind", "news")]}
    if (table.get("kind", "news"), *_places(table)) in places:
        return None
    name = str(table["name"])
    if name in known and is_given:
        raise UsageError(f"{path}: has a site {name!r} already; choose another --name")
    number = 2
    while name in known:
        name, number = f"{table['name']}-{number}", number + 1
    return name


def _places(table: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(table.get("start", [])) or (str(table.get("search", "")),)


def add_table(path: Path, toml: str) -> None:
    """Add a table at the end of a file; everything else in it stays as it is.

    :raises SiteError: the file would be wrong; it is left alone.
    :raises DataError: it cannot be written.
    """
    from newsextract.sites import load_sites  # late, as above

    try:
        before = path.read_text("utf-8") if path.exists() else "# The target sites; all keys: docs/sites.md\n"
        made = path.with_name(f".{path.name}.new")
        made.write_text(f"{before.rstrip()}\n\n{toml}", "utf-8")
        try:
            load_sites(made)
            os.replace(made, path)
        finally:
            made.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}; name another file with --sites FILE") from error
