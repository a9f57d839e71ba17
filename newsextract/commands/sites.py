"""``newsextract sites list|check|add``: the target sites of a project."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

from newsextract.commands.common import add_group
from newsextract.commands.sites_file import add_sites_option, sites_path
from newsextract.commands.try_site import add_try_options, tried_site, why_none, write_table
from newsextract.control_characters import escaped
from newsextract.shortfall import EXIT_CODE

_EXAMPLES = """\
examples:
  newsextract sites list
  newsextract sites check --sites my/sites.toml
  newsextract sites add https://www.example.org/
"""
_LONGEST = 60
"""Characters of a cell that are printed."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the commands."""
    actions = add_group(
        subparsers, "sites", help="list, check or add the target sites of sites.toml", epilog=_EXAMPLES,
        description="List the target sites, check their file, or add a site after a look at it.",
    )  # fmt: skip
    known = actions.add_parser("list", help="print the sites as a table", description="Print the sites as a table.")
    add_sites_option(known)
    known.set_defaults(run=list_sites)
    checked = actions.add_parser(
        "check", help="check the file without fetching anything", description="Check the file; print one line per mistake."
    )
    add_sites_option(checked)
    checked.set_defaults(run=check_sites)
    added = actions.add_parser(
        "add",
        help="add a site, as `newsextract try URL --write` does",
        description="Look at a site as `newsextract try` does, and add its table to the file.",
    )
    add_try_options(added)
    added.set_defaults(run=add_site)


def list_sites(arguments: argparse.Namespace) -> int:
    """Print a line for each site."""
    from newsextract.sites import load_sites  # late: it knows all algorithms, and --help starts at once

    rows = [("name", "kind", "begins at", "keys")]
    for site in load_sites(sites_path(arguments.sites)).values():
        others = sorted(site.given - {"name", "kind", "start", "search"})
        rows.append((site.name, site.kind, ", ".join(site.start or site.addresses) or "–", ", ".join(others)))
    _print(rows)
    return 0


def check_sites(arguments: argparse.Namespace) -> int:
    """Check the file; a mistake is an error with a line for each."""
    from newsextract.sites import load_sites  # late, as above

    path = sites_path(arguments.sites)
    kinds = Counter(site.kind for site in load_sites(path).values())
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none"
    sys.stdout.write(f"{path}: no mistakes; sites: {counts}\n")
    return 0


def add_site(arguments: argparse.Namespace) -> int:
    """Look at a site and add its table."""
    tried = tried_site(arguments)
    if why := why_none(tried):
        sys.stdout.write(f"{escaped(why)}\n")
    write_table(arguments, tried)
    return 0 if tried.records else EXIT_CODE


def _print(rows: Sequence[tuple[str, ...]]) -> None:
    cut = [[_cut(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in _columns(cut)]
    for row in cut:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(f"{line.rstrip()}\n")


def _columns(rows: Iterable[Sequence[str]]) -> Iterable[tuple[str, ...]]:
    return zip(*rows, strict=True)


def _cut(text: str) -> str:
    plain = escaped(text)
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"
