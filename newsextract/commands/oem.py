"""``newsextract oem ACTION``: declarative wrappers: run, draft, learn, check, query."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from newsextract.cli import CommandParser
from newsextract.commands import check_output, count, number, print_text, printable, read_bytes, record_tables, write_output
from newsextract.commands.pages import check_url, read_page
from newsextract.control_characters import plural
from newsextract.errors import DataError, FetchError, NewsextractError, UsageError, naming
from newsextract.extraction import refusal
from newsextract.page.fetching import fetch
from newsextract.page.page import Page
from newsextract.results import Item, Record
from newsextract.urls import AddressPolicy, is_web_address
from newsextract.wrappers import Format, LineFit, OEMObject, Result, Unavailable, load_format, parse_format
from newsextract.wrappers import run as interpret
from newsextract.wrappers.draft import draft
from newsextract.wrappers.drift import PageCounts, count_page, counts_from_json, counts_json, warnings
from newsextract.wrappers.format import Get
from newsextract.wrappers.interpreter import MAX_PAGES
from newsextract.wrappers.learn import learn, of_file, of_marks, of_records
from newsextract.wrappers.objects import answer, dumped, flatten, plain, read_objects, root_json

# --- given ----------------------------------------------------------------------------------------
# What the commands of ``oem`` are given: a format, and a page that it is taken over.

PAGE_HELP = "a file, an http(s) URL, a snapshot, or - for standard input"


def page_of(wrapper: Format, place: str | None, url: str | None) -> Page:
    """The page to take a format over; None: that of its first line. A file has that line's address unless told otherwise."""
    check_url(url)
    source = wrapper.lines[0].source
    own = source.url if isinstance(source, Get) else None
    if place is None:
        if own is None:
            raise UsageError(
                f"{wrapper.name}: the first line takes the page at hand; name a page after the wrapper file, "
                'or a URL in the line: get("https://…")'
            )
        if not is_web_address(own):
            raise UsageError(
                f"{wrapper.name}: {own!r} in the first line is not an http(s) URL; name a page after the wrapper file"
            )
        return read_page(own)
    page = read_page(place, url)
    if page.url is None and own is not None and is_web_address(own):
        return dataclasses.replace(page, url=own)
    return page


def addresses(wrapper: Format) -> list[str]:
    """All addresses that a format names."""
    return [line.source.url for line in wrapper.lines if isinstance(line.source, Get) and line.source.url is not None]


def unfit(page: Page) -> str | None:
    """Why a page is not even looked at: too large, empty, no text."""
    refused = refusal(page)
    return None if refused is None else refused[1]


# --- following ------------------------------------------------------------------------------------
# The pages behind links, for ``oem run`` and ``oem check``: one at a time, with a pause, never into the private network.
#
# Private IP addresses that the user named, on the command line or in the format, may be fetched, at the ports named; what
# links and redirects name is checked (:class:`~newsextract.urls.AddressPolicy`).

PAUSE = 1.0
"""Seconds between two requests to a host, as in crawls."""
NOT_FOLLOWED = "links are not followed"


def add_following(parser: argparse.ArgumentParser) -> None:
    """Declare ``--max-pages`` and ``--delay``."""
    parser.add_argument(
        "--max-pages", metavar="N", type=count, default=MAX_PAGES, help=f"maximum of linked pages; default: {MAX_PAGES}"
    )
    parser.add_argument(
        "--delay",
        metavar="SECONDS",
        type=number(lambda seconds: 0 <= seconds <= 3600, "seconds from 0 to 3600"),
        default=PAUSE,
        help=f"pause between requests to a host; default: {PAUSE:g}",
    )


class Follower:
    """Fetches pages for the interpreter.

    :param named: URLs that the user named: private IP addresses and ``localhost`` in them may be fetched.
    """

    def __init__(self, named: Iterable[str | None], pause: float = PAUSE) -> None:
        urls = [url for url in named if url]
        self._policy = AddressPolicy.typed(urls)
        self._pause = pause
        now = time.monotonic()  # the page that the links stand on has just been fetched
        self._asked = {host: now for url in urls if (host := _host(url))}

    def __call__(self, url: str) -> Page | Unavailable:
        """The page at an address, or why there is none."""
        host = _host(url)
        if not host:
            return Unavailable("the URL is invalid")
        wait = self._asked.get(host, -math.inf) + self._pause - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        if sys.stderr.isatty():
            sys.stderr.write(f"fetching {url}\n")
        try:
            page = fetch(url, self._policy)
        except FetchError as error:
            return Unavailable(str(error).removeprefix(f"{url}: "))
        finally:
            self._asked[host] = time.monotonic()
        refused = refusal(page)
        return page if refused is None else Unavailable(refused[1])


def nothing(url: str) -> Unavailable:
    """In place of a follower: the answer where links are not followed."""
    del url
    return Unavailable(NOT_FOLLOWED)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # not a valid IPv6 address
        return ""


_OWN = ("oid", "path")
"""Keys of a record that are not on the page."""
_FAILURES = 20
"""Pages that could not be had, of which each is named."""


def add_run(parser: argparse.ArgumentParser) -> None:
    """Apply a wrapper to a page and print the objects, or the records of one label.

    examples:
      newsextract oem run proceedings.oem
      newsextract oem run proceedings.oem page.html -o objects.json
      newsextract oem run proceedings.oem page.html --records paper --format table
      newsextract oem run proceedings.oem page.html --records paper --format jsonl -o papers.jsonl
      newsextract oem run proceedings.oem https://www.example.org/1997.html --no-follow

    json prints objects with identity, label, type and value; plain prints nested JSON with the labels as keys. Exit code: 0
    if every line of the wrapper fits and no page is missing, 1 if not (standard error gives the details), 2 for a mistake in
    the wrapper or the command. The language of wrappers: docs/oem.md.
    """
    add = parser.add_argument
    add("wrapper", metavar="WRAPPER", type=Path, help="the wrapper file")
    add("page", metavar="PAGE", nargs="?", help=f"{PAGE_HELP}; default: the URL in the first line")
    add("--records", metavar="LABEL", help="only the objects with this label, as flat records")
    add(
        "--format",
        choices=("json", "jsonl", "table", "plain"),
        default="json",
        help="default: json; all except json and plain need --records",
    )
    add("--url", help="URL of the file; default: that of the first line")
    add("--no-follow", action="store_true", help="do not fetch linked pages")
    add_following(parser)
    add("-o", "--output", metavar="FILE", type=Path, help="write to FILE, not to standard output")
    parser.set_defaults(run=run_run)


def run_run(arguments: argparse.Namespace) -> int:
    """Print what the format gives."""
    wrapper = load_format(arguments.wrapper)
    if arguments.records is None and arguments.format in ("jsonl", "table"):
        raise UsageError(
            f"--format {arguments.format} writes records; say of which label: --records {_likely(wrapper)} "
            f"(labels of {wrapper.name}: {', '.join(wrapper.labels)})"
        )
    check_output(arguments.output)
    page = page_of(wrapper, arguments.page, arguments.url)
    place = printable(arguments.page or page.url or "the page")
    reason = unfit(page)
    if reason is not None:
        sys.stderr.write(f"no objects: {place}: {reason}\n")
        return 1
    follow = nothing if arguments.no_follow else Follower([page.url, *addresses(wrapper)], arguments.delay)
    result = interpret(wrapper, page, follow, max_pages=arguments.max_pages)
    for misfit in result.misfits:
        sys.stderr.write(f"does not fit: {place}: {printable(misfit)}\n")
    wrong = tell(result, most=_FAILURES) or bool(result.misfits)
    if result.root is None:
        return 1
    found = _written(result.root, wrapper, arguments.records, arguments.format)
    write_output(arguments.output, found, "the objects")
    if arguments.records is not None and all(one.label != arguments.records for one, _ in result.root.walk()):
        sys.stderr.write(f"no records: {place}: no object has the label {arguments.records!r}\n")
        return 1
    return int(wrong)


def tell(result: Result, name: str = "", most: int | None = None, way: str = "") -> bool:
    """Say on standard error which pages behind links could not be had, and what was cut; whether anything was wrong.

    :param most: pages that could not be had, of which each is named.
    :param way: how links are followed that were not.
    """
    failures = [(url, reason) for url, reason in result.failures if reason != NOT_FOLLOWED]
    for url, reason in failures[:most]:
        sys.stderr.write(f"no page: {name}{printable(url)}: {printable(reason)}\n")
    if most is not None and len(failures) > most:
        sys.stderr.write(f"no page: {plural(len(failures) - most, 'more URL')}\n")
    if skipped := len(result.failures) - len(failures):
        sys.stderr.write(f"note: {name}{plural(skipped, 'link')} not followed{way}\n")
    for note in result.notes:
        sys.stderr.write(f"note: {name}{note}\n")
    return bool(failures or result.notes)


def _written(root: OEMObject, wrapper: Format, label: str | None, form: str) -> str:
    if label is None:
        if form == "plain":
            return dumped(plain(root, wrapper.many), indent=2) + "\n"
        return dumped(root_json(root, wrapper.many), indent=1) + "\n"
    _check_label(root, wrapper, label)
    records = flatten(root, label, wrapper.many)
    if form == "jsonl":
        return "".join(dumped(record) + "\n" for record in records)
    if form == "table":
        return _table(records)
    if form == "plain":
        records = [{key: value for key, value in record.items() if key not in _OWN} for record in records]
    return dumped(records, indent=2) + "\n"


def _likely(wrapper: Format) -> str:
    """The label of which records are most likely wanted: the last that has objects within."""
    lines = wrapper.lines[1:]
    known = wrapper.labels
    for within in ([line.source for line in lines], [line.variable for line in lines if line.hole_names]):
        likely = [label for label in known[1:] if label in within]
        if likely:
            return likely[-1]
    return known[-1]


def _check_label(root: OEMObject, wrapper: Format, label: str) -> None:
    counts = Counter(found.label for found, _ in root.walk())
    known = {*counts, *wrapper.labels}
    if label in known:
        return
    near = difflib.get_close_matches(label, sorted(known), 1)
    most = ", ".join(f"{printable(name)} ({times:,})" for name, times in counts.most_common(10))
    meant = f"did you mean {near[0]!r}? The " if near else "the "
    raise UsageError(f"--records {label}: no object has that label; {meant}most frequent are: {most}")


def _table(records: Collection[dict[str, Any]]) -> str:
    items = ((Item(shown(record[key]), "text", None, key) for key in record if key not in _OWN) for record in records)
    lines = record_tables([[Record("", tuple(of_record)) for of_record in items]])[0]
    return "".join(line + "\n" for line in lines)


def shown(value: Any) -> str:
    """A plain value as one text: of an object its ``text`` where it has one, else all in it."""
    if isinstance(value, list):
        return "; ".join(map(shown, value))
    if isinstance(value, dict):
        return shown(value["text"]) if "text" in value else " | ".join(map(shown, value.values()))
    return str(value)


_WIDEST = 40
"""Cells of the column of variables."""


def add_check(parser: argparse.ArgumentParser) -> None:
    """Report which pages a wrapper still fits, line by line, and what has probably changed on the site.

    examples:
      newsextract oem check proceedings.oem 1997.html 1998.html
      newsextract oem check proceedings.oem 1997.html 1998.html --save proceedings.counts.json
      newsextract oem check proceedings.oem https://www.example.org/1999.html --against proceedings.counts.json --strict

    For each line of the wrapper, it prints how many sources the line searched, in how many it found something, and how many
    objects it made. Warnings compare a page with the others, or with those of an earlier check (--against). Exit code: 0 if
    the wrapper fits every page, 1 if not (with --strict also for a warning), 2 if a page cannot be read. docs/oem.md lists
    the warnings.
    """
    add = parser.add_argument
    add("wrapper", metavar="WRAPPER", type=Path, help="the wrapper file")
    add("pages", metavar="PAGE", nargs="*", default=[], help=f"{PAGE_HELP}; default: the URL in the first line")
    add("--format", choices=("table", "json"), default="table", help="default: table")
    add("-q", "--quiet", action="store_true", help="only pages that do not fit, and warnings")
    add("--strict", action="store_true", help="exit code 1 also for a warning")
    add("--save", metavar="FILE", type=Path, help="save the counts of the pages that fit")
    add("--against", metavar="FILE", type=Path, help="compare with the counts that an earlier check saved")
    add("--follow", action="store_true", help="also fetch linked pages")
    add_following(parser)
    parser.set_defaults(run=run_check)


def run_check(arguments: argparse.Namespace) -> int:
    """Print how each line did on each page."""
    wrapper = load_format(arguments.wrapper)
    kept = _kept(arguments.against, wrapper) if arguments.against is not None else None
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
        write_output(arguments.save, dumped([counts_json(counts) for counts in fitting], indent=1) + "\n", "the counts")
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
    tell(result, f"{name}: ", way="; --follow does")  # which is not the format's fault
    return count_page(wrapper, page, name, result)


def _kept(path: Path, wrapper: Format) -> list[PageCounts]:
    try:
        with naming(path, f"`newsextract oem check … --save {path}` writes it"):
            data: Any = json.loads(path.read_bytes())
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
    of = f"{fitting} of {plural(len(found), 'page')} {'fits' if len(found) == 1 else 'fit'}"
    lines.append(f"{of}, {plural(number, 'warning')}")
    return "\n".join(lines) + "\n"


def _rows(counts: PageCounts) -> list[str]:
    names = [printable(line.variable) + (" ?" if line.optional else "") for line in counts.lines]
    names = [name if len(name) <= _WIDEST else name[: _WIDEST - 1] + "…" for name in names]
    width = max(len("variable"), *map(len, names))
    rows = [f"  line  {'variable':{width}}  sources  matched  objects"]
    for line, name in zip(counts.lines, names, strict=True):
        rows.append(f"  {line.number:4}  {name:{width}}  {line.sources:7,}  {line.matched:7,}  {line.objects:7,}")
    return rows


def add_draft(parser: argparse.ArgumentParser) -> None:
    """Draft a wrapper for a page from its fonts, lists, tables and classes, for you to edit.

    examples:
      newsextract oem draft proceedings.html -o proceedings.oem
      newsextract oem draft https://www.example.org/1997.html
      newsextract oem draft page.snapshot -o page.oem

    The draft has lines for the useful part of the page, for titles, items and their fields, as far as the heuristics find
    them. A comment above each line shows what the line finds. Edit the draft, then: newsextract oem run FILE.oem PAGE. For a
    snapshot, the real font sizes are used. Exit code: 0 if something was found, 1 if nothing on the page is repeated, 2 if
    the page cannot be read.
    """
    add = parser.add_argument
    add("page", metavar="PAGE", help=PAGE_HELP)
    add("--url", help="URL of the file")
    add("-o", "--output", metavar="FILE", type=Path, help="write to FILE, not to standard output")
    parser.set_defaults(run=run_draft)


def run_draft(arguments: argparse.Namespace) -> int:
    """Print the draft."""
    check_output(arguments.output)
    page = read_page(arguments.page, arguments.url)
    place = printable(arguments.page)
    reason = unfit(page)
    if reason is not None:
        sys.stderr.write(f"no draft: {place}: {reason}\n")
        return 1
    proposed = draft(page)
    write_output(arguments.output, proposed, "the draft")
    if len(parse_format(proposed).lines) > 1:
        return 0
    sys.stderr.write(f"note: {place}: nothing is repeated and there is no title; the draft has only the line for the page\n")
    return 1


def add_learn(parser: argparse.ArgumentParser) -> None:
    """Learn a wrapper from the tags around marked texts; it finds these and similar records.

    examples:
      newsextract oem learn papers.html --mark 'title=If at first you see' --mark 'title=Agents that talk'
      newsextract oem learn papers.html -o papers.oem \\
          --record 'title=If at first you see; author=Kentaro Toyama; author=Gregory Hager; pdf@href=toyama.pdf' \\
          --record 'title=Agents that talk; author=Ann Lee'
      newsextract oem learn papers.html --examples marks.toml --label paper -o papers.oem
      newsextract oem run papers.oem sister.html --records paper --format table

    A mark is a whole text as the page displays it; white space does not matter. NAME@ATTRIBUTE marks an attribute's value,
    such as the URL of a link. Two or three records are enough. Choose records that differ. If a field may be missing,
    include a record without it: the line of the field gets a '?'. Mark a field in every record that has it. If a record has
    a name twice, the field is a list. marks.toml:
      [[record]]
      title = "If at first you see"
      author = ["Kentaro Toyama", "Gregory Hager"]
    The wrapper is run on the page before it is written, and finds all marked texts. Its first lines list what else it finds.
    """
    add = parser.add_argument
    add("page", metavar="PAGE", help=PAGE_HELP)
    add(
        "--mark",
        metavar="NAME=TEXT",
        action="append",
        default=[],
        help="a marked text; may be repeated: the first mark of each name belongs to one record, the second to another",
    )
    add(
        "--record",
        metavar="'NAME=TEXT; …'",
        action="append",
        default=[],
        help="the marked texts of one record; may be repeated",
    )
    add("--examples", metavar="FILE", type=Path, help="a TOML or JSON file of marked records")
    add("--label", default="entry", metavar="NAME", help="label of the records; default: entry")
    add("--url", help="URL of the file")
    add("-o", "--output", metavar="FILE", type=Path, help="where to write the wrapper; default: standard output")
    parser.set_defaults(run=run_learn)


def run_learn(arguments: argparse.Namespace) -> int:
    """Learn, write, and say what it finds."""
    if sum(map(bool, (arguments.mark, arguments.record, arguments.examples))) != 1:
        raise UsageError("give the marks in one way: --mark NAME=TEXT, --record 'NAME=TEXT; …', or --examples FILE")
    check_output(arguments.output)
    if arguments.examples:
        examples = of_file(arguments.examples)
    else:
        examples = of_records(arguments.record) if arguments.record else of_marks(arguments.mark)
    page = read_page(arguments.page, arguments.url)
    reason = unfit(page)
    if reason is not None:
        raise DataError(f"{arguments.page}: {reason}; expected a page to learn from")
    learned = learn(page, examples, record=arguments.label)
    if arguments.output is None:
        print_text(learned.text.rstrip("\n"))
        return 0
    write_output(arguments.output, learned.text, "the format")
    fields = ", ".join(f"{name} {count:,}" for name, count in learned.found.items())
    sys.stdout.write(f"{arguments.output}: {plural(learned.records, 'record')} found on the page; {fields}\n")
    return 0


def add_query(parser: argparse.ArgumentParser) -> None:
    """Print what a JMESPath expression finds in the objects or records that `oem run` wrote.

    examples:
      newsextract oem query objects.json "find('paper')[?has(author, 'Kentaro Toyama')].title" --format lines
      newsextract oem query objects.json '"Invited Talks".paper[].title'
      newsextract oem query objects.json "tally(find('author')[].text)[:10]"
      newsextract oem query papers.jsonl "[?starts_with(title, 'On ')].[title, pages]"
      newsextract oem run proceedings.oem page.html | newsextract oem query - "length(find('paper'))"

    Expressions are JMESPath (https://jmespath.org) over the view of `oem run --format plain`, with three additional
    functions: find(label): the objects with a label at any depth, as records; has(value, text): whether the text occurs in
    the value; tally(values): how often each value occurs. Exit code: 1 if nothing is found. Examples: docs/oem.md.
    """
    add = parser.add_argument
    add("file", metavar="FILE", help="what `oem run` wrote as json, plain or jsonl; - for standard input")
    add("expression", metavar="EXPRESSION", help="in quotes, to protect it from the shell")
    add("--format", choices=("json", "lines"), default="json", help="default: json; lines: a value per line, texts unquoted")
    parser.set_defaults(run=run_query)


def run_query(arguments: argparse.Namespace) -> int:
    """Print the answer; exit code 1 if there is none."""
    data = read_bytes(arguments.file, "what `newsextract oem run` writes, or -")
    found = answer(arguments.expression, read_objects(data, arguments.file))
    if arguments.format == "json":
        sys.stdout.write(dumped(found.value, indent=2) + "\n")
    elif found.value is not None:
        for value in found.value if isinstance(found.value, list) else [found.value]:
            sys.stdout.write((printable(value) if isinstance(value, str) else dumped(value)) + "\n")
    for label in found.unknown:
        sys.stderr.write(f"note: no object has the label {label!r}\n")
    return int(found.value in (None, [], {}) or found.value is False)


def add_parser(parser: CommandParser) -> None:
    """Extract nested objects from pages of known structure with a wrapper of a few lines (docs/oem.md).

    examples:
      newsextract oem run proceedings.oem page.html -o objects.json
      newsextract oem draft page.html -o proceedings.oem
      newsextract oem check proceedings.oem page.html other.html
      newsextract oem query objects.json "find('paper')[?has(author, 'Toyama')].title"
    """
    parser.add_actions(
        {
            "run": (add_run, "apply a wrapper to a page and print the objects"),
            "draft": (add_draft, "draft a wrapper for a page, for you to edit"),
            "learn": (add_learn, "learn a wrapper from two or three marked examples"),
            "check": (add_check, "report which pages a wrapper still fits"),
            "query": (add_query, "query objects with a path expression"),
        }
    )
