"""``newsextract oem check``: which pages a format still fits, and what is odd about those it does."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from newsextract.commands.common import check_output, printable, write_text
from newsextract.commands.oem.given import (
    NOT_FOLLOWED,
    PAGE_HELP,
    Follower,
    add_following,
    addresses,
    nothing,
    page_of,
    unfit,
)
from newsextract.errors import DataError, NewsextractError
from newsextract.wrappers import Format, LineFit, Result, load_format
from newsextract.wrappers import run as interpret
from newsextract.wrappers.drift import PageCounts, count_page, counts_from_json, counts_json, warnings
from newsextract.wrappers.objects import dumped

_EXAMPLES = """examples:
  newsextract oem check proceedings.oem 1997.html 1998.html
  newsextract oem check proceedings.oem 1997.html 1998.html --save proceedings.counts.json
  newsextract oem check proceedings.oem https://www.example.org/1999.html --against proceedings.counts.json --strict

For each line of the wrapper, it prints how many sources the line searched, in how many it found something, and how many
objects it made. Warnings compare a page with the others, or with those of an earlier check (--against). Exit code: 0 if the
wrapper fits every page, 1 if not (with --strict also for a warning), 2 if a page cannot be read. docs/oem.md lists the
warnings.
"""
_WIDEST = 40
"""Cells of the column of variables."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "check",
        help="report which pages a wrapper still fits",
        description="Report which pages a wrapper still fits, line by line, and what has probably changed on the site.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("wrapper", metavar="WRAPPER", type=Path, help="the wrapper file")
    parser.add_argument("pages", metavar="PAGE", nargs="*", help=f"{PAGE_HELP}; default: the URL in the first line")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="default: table")
    parser.add_argument("-q", "--quiet", action="store_true", help="only pages that do not fit, and warnings")
    parser.add_argument("--strict", action="store_true", help="exit code 1 also for a warning")
    parser.add_argument("--save", metavar="FILE", type=Path, help="save the counts of the pages that fit")
    parser.add_argument("--against", metavar="FILE", type=Path, help="compare with the counts that an earlier check saved")
    parser.add_argument("--follow", action="store_true", help="also fetch linked pages")
    add_following(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print how each line did on each page."""
    wrapper = load_format(arguments.wrapper)
    kept = _kept(arguments.against, wrapper) if arguments.against is not None else None
    if arguments.save is not None:
        check_output(arguments.save)
    found: list[PageCounts] = []
    unread = False
    for place in arguments.pages or [None]:
        try:
            found.append(_counts(wrapper, place, arguments))
        except NewsextractError as error:
            if len(arguments.pages) < 2:
                raise
            sys.stderr.write(f"newsextract: {error}\n")
            unread = True
    told = [
        warnings(wrapper, counts, kept if kept is not None else found[:number] + found[number + 1 :]) if counts.fits else []
        for number, counts in enumerate(found)
    ]
    if arguments.format == "json":
        pages = [counts_json(counts) | {"warnings": odd} for counts, odd in zip(found, told, strict=True)]
        sys.stdout.write(dumped(pages, indent=2) + "\n")
    else:
        sys.stdout.write(_report(found, told, quiet=arguments.quiet))
    fitting = [counts for counts in found if counts.fits]
    if arguments.save is not None:
        if not fitting:
            raise DataError(f"nothing is saved in {arguments.save}: the wrapper fits none of the pages")
        write_text(arguments.save, dumped([counts_json(counts) for counts in fitting], indent=1) + "\n", "the counts")
    if unread:
        return 2
    return int(len(fitting) < len(found) or (arguments.strict and any(told)))


def _counts(wrapper: Format, place: str | None, arguments: argparse.Namespace) -> PageCounts:
    page = page_of(wrapper, place, None)
    name = printable(place or page.url or "the page")
    reason = unfit(page)
    if reason is not None:
        lines = tuple(LineFit(line.number, line.variable, line.optional) for line in wrapper.lines)
        return PageCounts(name, lines, (), 0, 0, 0, 0, 0, (reason,))
    follow = Follower([page.url, *addresses(wrapper)], arguments.delay) if arguments.follow else nothing
    result = interpret(wrapper, page, follow, max_pages=arguments.max_pages)
    _tell(name, result)
    return count_page(wrapper, page, name, result)


def _tell(name: str, result: Result) -> None:
    """Say which pages behind links could not be had; that is not the format's fault."""
    for url, reason in result.failures:
        if reason != NOT_FOLLOWED:
            sys.stderr.write(f"no page: {name}: {printable(url)}: {printable(reason)}\n")
    skipped = sum(reason == NOT_FOLLOWED for _, reason in result.failures)
    if skipped:
        sys.stderr.write(f"note: {name}: {skipped:,} link{'s'[: skipped != 1]} not followed; --follow does\n")
    for note in result.notes:
        sys.stderr.write(f"note: {name}: {note}\n")


def _kept(path: Path, wrapper: Format) -> list[PageCounts]:
    """The counts of an earlier check.

    :raises DataError: the file cannot be read, or is of another format.
    """
    try:
        data: Any = json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}; `newsextract oem check … --save {path}` writes it") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not JSON; expected counts, as `newsextract oem check --save` writes them") from error
    if not isinstance(data, list) or not data:
        raise DataError(f"{path}: expected counts, as `newsextract oem check --save` writes them")
    found = [counts_from_json(entry, str(path)) for entry in data]
    variables = [line.variable for line in wrapper.lines]
    if any([fit.variable for fit in counts.lines] != variables for counts in found):
        raise DataError(f"{path}: these counts are of a format with other lines than {wrapper.name}; save them again")
    return found


def _report(found: Sequence[PageCounts], told: Sequence[Sequence[str]], *, quiet: bool) -> str:
    """A table a page, what is wrong below it, and a last line that sums up."""
    lines: list[str] = []
    for counts, odd in zip(found, told, strict=True):
        if quiet and counts.fits and not odd:
            continue
        lines.append(f"{counts.page}: {'fits' if counts.fits else 'does not fit'}")
        if not quiet:
            lines.extend(_rows(counts))
        lines.extend(f"  does not fit: {printable(misfit)}" for misfit in counts.misfits)
        lines.extend(f"  warning: {printable(warning)}" for warning in odd)
        lines.append("")
    fitting = sum(counts.fits for counts in found)
    number = sum(map(len, told))
    of = f"{fitting} of {len(found)} page{'s'[: len(found) != 1]} fit" + ("s" if len(found) == 1 else "")
    lines.append(f"{of}, {number} warning{'s'[: number != 1]}")
    return "\n".join(lines) + "\n"


def _rows(counts: PageCounts) -> list[str]:
    names = [printable(line.variable) + (" ?" if line.optional else "") for line in counts.lines]
    names = [name if len(name) <= _WIDEST else name[: _WIDEST - 1] + "…" for name in names]
    width = max(len("variable"), *map(len, names))
    rows = [f"  line  {'variable':{width}}  sources  matched  objects"]
    for line, name in zip(counts.lines, names, strict=True):
        rows.append(f"  {line.number:4}  {name:{width}}  {line.sources:7,}  {line.matched:7,}  {line.objects:7,}")
    return rows
