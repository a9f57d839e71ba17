"""The pages of ``newsextract extract``: files, folders and addresses, one or many, written in one of the formats.

One page is extracted in this process, and what is wrong with it is the command's error. Of many, worker processes read the
files and extract, this process fetches, and each page that fails leaves a record with the status ``failed``.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import newsextract
from newsextract import algorithms
from newsextract.archives.reading import PAGE_ENDINGS
from newsextract.commands import MEMORY, by_count, check_output, check_timeout, check_workers, written
from newsextract.commands.extract import as_text
from newsextract.commands.pages import read_page
from newsextract.control_characters import ProgressLine, escaped, plural
from newsextract.errors import NewsextractError, UsageError, naming
from newsextract.extraction import failure
from newsextract.page.page import Page
from newsextract.results import Article
from newsextract.urls import AddressPolicy, is_web_address, server_of, without_login
from newsextract.workers import Stopped, Workers

PAUSE = 1.0
"""Seconds between two requests to a host, as in crawls."""
ENDINGS = {".txt": "text", ".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".html": "html", ".md": "markdown"}
"""The format of an output file that is named without ``--format``."""
_NOT_IN_CSV = ("title_source", "date_source", "access_source", "evidence")


@dataclass(frozen=True, slots=True)
class Choice:
    """How pages are extracted."""

    algorithm: str | None
    params: dict[str, Any]
    format: str
    evidence: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """One page of many."""

    place: str
    page: Page | None = None
    """None: the worker reads the file."""
    error: str | None = None
    """Why there is no page."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What one page gave."""

    place: str
    article: Article
    body: str = ""
    """What is printed of it as text, HTML or Markdown."""
    doubt: str | None = None
    """Why the page may be no article, where the algorithm does not ask."""
    unread: bool = False
    """Whether the page could not be read or fetched."""


def run(arguments: argparse.Namespace, params: dict[str, Any]) -> int:
    """Extract pages; the exit code is described in ``newsextract extract --help``."""
    output: Path | None = arguments.output
    form = arguments.format or (ENDINGS.get(output.suffix.lower()) if output and output.suffix else "text")
    if form is None:
        raise UsageError(f"{output}: unknown suffix; use one of {', '.join(ENDINGS)}, or set --format")
    fields = _chosen(arguments.fields, form)
    check_workers(arguments.workers)
    check_timeout(arguments.timeout)
    choice = Choice(arguments.algorithm, params, form, arguments.evidence)
    algorithms.make(choice.algorithm or algorithms.DEFAULT, params)  # reports a wrong name or value before a page is read
    check_output(output)
    single = arguments.input is None and len(arguments.pages) == 1 and not os.path.isdir(arguments.pages[0])
    if arguments.url and not single:
        raise UsageError("--url is the URL of one page; use it with one page")
    if single:
        (place,) = arguments.pages
        one = extracted(place, read_page(place, arguments.url), choice)
        _write(iter([one]), form, output, fields, single=True)
        return _notes(one, form)
    return _many(arguments, choice, fields)


def _chosen(names: str | None, form: str) -> list[str]:
    """The fields to write, in their order; without ``--fields`` all that mean something without the page's tree."""
    known = ["page", *(f.name for f in dataclasses.fields(Article) if f.name not in ("blocks", "other_titles"))]
    if names is None:
        return [name for name in known if form != "csv" or name not in _NOT_IN_CSV]
    if form not in ("json", "jsonl", "csv"):
        raise UsageError(f"--fields is for json, jsonl and csv, not {form}; choose one with --format or the suffix of -o")
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        wrong = ", ".join(unknown) or repr(names)
        raise UsageError(f"--fields {wrong}: no such field; choose from: {', '.join(known)}")
    return chosen


def _many(arguments: argparse.Namespace, choice: Choice, fields: list[str]) -> int:
    places = itertools.chain(arguments.pages, _listed(arguments.input) if arguments.input else ())
    policy = AddressPolicy.typed([place for place in arguments.pages if "://" in place])
    given = _given(_files(places, arguments.output), policy)
    counts: Counter[str] = Counter()
    unread = False
    live = ProgressLine("extract", sys.stderr) if sys.stderr.isatty() else None

    def counted(found: Iterable[Extracted]) -> Iterator[Extracted]:
        nonlocal unread
        for one in found:
            counts["text" if one.article.text else one.article.status] += 1
            unread |= one.unread
            if live is not None:
                live.close()
            yield one
            if live is not None:
                live.tell(_summary(counts))

    with ExitStack() as stack:
        if arguments.workers:
            workers: Workers[Given, Extracted] = stack.enter_context(
                Workers(arguments.workers, extract_given, choice, timeout=arguments.timeout, memory=MEMORY)
            )
            results = (
                _failed(task.place, str(result), choice) if isinstance(result, Stopped) else result
                for task, result in workers.run(given)
            )
        else:
            results = (extract_given(one, choice) for one in given)
        _write(counted(results), choice.format, arguments.output, fields)
    if live is not None:
        live.close()
    if not counts:
        raise UsageError(f"-i {arguments.input}: names no page; write one file or URL per line")
    without = counts.total() - counts["text"]
    if without or live is not None:
        sys.stderr.write(f"{_summary(counts)}\n")
    return 2 if unread else int(without > 0)


def _summary(counts: Counter[str]) -> str:
    others = [f"{status} {count}" for status, count in by_count(counts) if status != "text"]
    return (
        f"{plural(counts.total(), 'page')}, {counts['text']:,} with text{', without: ' if others else ''}{', '.join(others)}"
    )


# --- pages ----------------------------------------------------------------------------------------
# What the user named, one page after the other; nothing is read before it is wanted.


def _listed(name: str) -> Iterator[str]:
    """The lines of a list of pages; empty lines and those that begin with ``#`` are none.

    :param name: a file, or ``-`` for standard input.
    """
    advice = "expected a file with one page per line, or - for standard input"
    with naming(f"-i {name}", advice), nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as file:
        for line in file:
            place = os.fsdecode(line).strip()
            if place and not place.startswith("#"):
                yield place


def _files(places: Iterable[str], output: Path | None) -> Iterator[str]:
    """The places, and for a folder the pages in it and below, by name; never the output."""
    own = output.resolve() if output else None
    for place in places:
        if "\0" in place or not os.path.isdir(place):
            yield place
            continue
        below = sorted(path for path in Path(place).rglob("*") if path.name.lower().endswith(PAGE_ENDINGS))
        files = [str(path) for path in below if path.is_file() and path.resolve() != own]
        yield from files or [place]  # a folder without pages fails as one


def _given(places: Iterable[str], policy: AddressPolicy) -> Iterator[Given]:
    """The pages, addresses fetched; two requests to a host are a second apart."""
    asked: dict[str, float] = {}
    for place in places:
        try:
            if place == "-":
                yield Given(place, read_page(place))
            elif os.path.isdir(place):
                yield Given(place, error=f"{place}: the folder has no pages ({', '.join(PAGE_ENDINGS)})")
            elif is_web_address(place):
                host = _host(place)
                time.sleep(max(0.0, asked.get(host, -math.inf) + PAUSE - time.monotonic()))
                try:
                    yield Given(place, read_page(place, policy=policy))
                finally:
                    asked[host] = time.monotonic()
            else:
                yield Given(place)
        except (NewsextractError, ValueError) as error:  # ValueError: a null byte in the name
            yield Given(without_login(place), error=str(error))


def _host(url: str) -> str:
    try:
        return server_of(url)[0]
    except ValueError:
        return ""  # fetching tells what is wrong with it


# --- extraction -----------------------------------------------------------------------------------


def extract_given(given: Given, choice: Choice) -> Extracted:
    """In the worker: what one page of many gives; a page that cannot be read gives a failure."""
    if given.error is not None:
        return dataclasses.replace(_failed(given.place, given.error, choice), unread=True)
    try:
        page = given.page or read_page(given.place)
    except NewsextractError as error:
        return dataclasses.replace(_failed(given.place, str(error), choice), unread=True)
    try:
        return extracted(given.place, page, choice)
    except NewsextractError as error:  # a package that the page's language needs is missing
        return _failed(given.place, str(error), choice)


def extracted(place: str, page: Page, choice: Choice) -> Extracted:
    """What a page gives, as the format needs it."""
    article = newsextract.extract(page, algorithm=choice.algorithm, params=choice.params, evidence=choice.evidence)
    doubt = page.kind.doubt if article.is_article is None else None  # not every algorithm asks for the kind
    if doubt and article.text:
        article = dataclasses.replace(article, reason=f"{article.reason}; {doubt}" if article.reason else doubt)
    body = ""
    if choice.format in ("html", "markdown"):
        body = (newsextract.to_html if choice.format == "html" else newsextract.to_markdown)(page, article)
    elif choice.format == "text":
        body = as_text(article)
    return Extracted(place, article, body, doubt if article.text else None)


def _failed(place: str, reason: str, choice: Choice) -> Extracted:
    url = place if "://" in place else None
    return Extracted(place, failure(Page(b"", url), choice.algorithm or algorithms.DEFAULT, "failed", reason))


# --- output ---------------------------------------------------------------------------------------


def _write(found: Iterator[Extracted], form: str, output: Path | None, fields: list[str], *, single: bool = False) -> None:
    """Write pages as they come, each at once. Raises DataError: the file cannot be written."""
    if output is None:
        shown = form == "text" and sys.stdout.isatty()
        for text in _written(found, form, fields, single=single):
            sys.stdout.write(escaped(text) if shown else text)
            sys.stdout.flush()
        return
    what, advice = f"cannot write {output}", "make room or name another file with -o"
    with naming(what, advice):
        file = output.open("w", encoding="utf-8", errors="replace", newline="")
    try:
        for text in _written(found, form, fields, single=single):
            with naming(what, advice):
                file.write(text)
                file.flush()
    finally:
        with naming(what, advice):  # what did not fit is still in its buffer
            file.close()


def _written(found: Iterator[Extracted], form: str, fields: list[str], *, single: bool) -> Iterator[str]:
    if form in ("json", "jsonl", "csv"):
        rows = (_record(one, fields) for one in found)
        if form == "json" and single:
            yield from (json.dumps(row, ensure_ascii=False, indent=2) + "\n" for row in rows)
        else:
            yield from written(rows, form, fields)
    else:
        for number, one in enumerate(found):
            yield one.body if single else ("\n" if number else "") + _headline(one, form) + one.body


def _record(one: Extracted, fields: list[str]) -> dict[str, Any]:
    record = {"page": os.fsencode(one.place).decode("utf-8", "replace"), **dataclasses.asdict(one.article)}
    return {name: record[name] for name in fields}


def _headline(one: Extracted, form: str) -> str:
    """What stands above a page among others: its name, and where it gave no text, why."""
    name = one.place if one.article.text else f"{one.place}: {one.article.status}: {one.article.reason}"
    name = " ".join(name.split())
    if form == "text":
        return f"==> {name} <==\n"
    return f"<!-- {name.replace('--', '- -').replace('>', '&gt;')} -->\n\n"


def _notes(one: Extracted, form: str) -> int:
    """Say on standard error what is to be known of a single page; the exit code."""
    article = one.article
    if one.doubt:
        sys.stderr.write(f"note: {escaped(one.doubt)}\n")
    if form in ("html", "markdown") and article.text and article.blocks is None:
        sys.stderr.write(
            f"note: {article.algorithm} reads the source text, not the tree: "
            "paragraphs only, without links, lists and pictures\n"
        )
    if article.status in ("doubtful", "not_article") and article.text:
        sys.stderr.write(f"note: {article.status}: {escaped(str(article.reason))}\n")
    elif article.status != "ok":
        sys.stderr.write(f"no article: {article.status}: {escaped(str(article.reason))}\n")
        return 1
    return 0
