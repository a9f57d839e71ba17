"""``newsextract site-check``: a few pages of a configured site, before a long crawl.

The crawl itself is Scrapy's, in a process of its own, so that the library need not import it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from newsextract.commands.sites_file import add_sites_option, sites_path
from newsextract.control_characters import escaped
from newsextract.errors import MissingExtra, UsageError
from newsextract.shortfall import EXIT_CODE, Shortfall, shortfall

_EXAMPLES = """examples:
  newsextract site-check harbour-ledger
  newsextract site-check mysite -s my-sites.toml --pages 10
  newsextract site-check coast-wire
  newsextract site-check lantern-symposium
  newsextract site-check own-searxng --query "tidal barrier"
"""
_FIELDS = {
    "forum": ("author", "date", "text", "permalink"),
    "search": ("title", "address", "snippet", "date"),
    "list": ("title", "address", "snippet", "author", "image", "date"),
}
"""Of the records of these kinds of site; those of a news site have a form of their own."""
_NAMES = 12
"""Labels of a wrapper's objects that are counted; where the page itself gives them, there may be hundreds."""
_SHOWN = 3
"""Records of a page that are printed."""
_BOARDS = 10
"""Pages of a forum, beside those of threads, after which it is enough."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "site-check",
        help="test a configured site on a few pages",
        description="Fetch a few pages of a site in sites.toml. For news, print kind, title, date and first words of\n"
        "each page, or why it is rejected. For forums, search engines, lists and wrappers, print how many\n"
        "records each page has, and their fields.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="the site's name in sites.toml")
    parser.add_argument(
        "--pages",
        type=int,
        metavar="N",
        help="pages to fetch: articles (default: 5), pages of threads, of results or of lists (default: 1)",
    )
    add_sites_option(parser, "-s", "--sites-file")
    parser.add_argument("--query", metavar="TEXT", help="for a search engine: the words to search for")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Crawl into a temporary feed and print it."""
    if find_spec("scrapy") is None:
        raise MissingExtra("scrapy", "crawl", "site-check")
    if not Path("scrapy.cfg").exists():
        raise UsageError("site-check: no scrapy.cfg here; call it in the folder of the project")
    path = sites_path(arguments.sites).absolute()
    table = _table(path, arguments.name)
    kind = str(table.get("kind", "news"))
    if kind == "search" and not arguments.query:
        raise UsageError(
            f'site-check: {arguments.name!r} is a search engine; say what to search for, for example --query "tidal barrier"'
        )
    if kind != "search" and arguments.query:
        raise UsageError(f"site-check: {arguments.name!r} is not a search engine (kind = {kind!r}); leave --query out")
    pages = arguments.pages or (5 if kind == "news" else 1)
    with tempfile.TemporaryDirectory() as folder:
        feed = Path(folder) / "check.jsonl"
        command = [sys.executable, "-m", "scrapy", "crawl", kind, "-a", f"sites={arguments.name}"]
        command += [
            "-s",
            f"SITES_FILE={path}",
            "-a",
            f"limit={pages}",
            "-O",
            str(feed),
            "-s",
            "LOG_LEVEL=ERROR",
            "-s",
            "STATS_DUMP=False",
        ]
        if kind == "search":
            command += ["-a", f"query={arguments.query}"]
        if kind == "forum":  # the limit does not count boards, and a forum may have hundreds
            command += ["-s", f"CLOSESPIDER_PAGECOUNT={pages + _BOARDS}"]
        code = subprocess.run(command, check=False).returncode
        if code not in (0, EXIT_CODE):
            return code
        records, rejected = _read(feed), _read(feed.with_suffix(".rejected.jsonl"))
        read = _read(feed.with_suffix(".pages.jsonl"))
    articles = [record for record in records if record["kind"] == "news"] if kind == "news" else []
    for line in (*_articles(articles), *_pages(kind, read, records)):
        sys.stdout.write(escaped(line) + "\n")
    for rejection in rejected:
        told = f"{rejection['url']}\n  not a record: {rejection['status']}: {rejection['reason']}"
        sys.stdout.write(f"\n{escaped(told)}\n")
    missing = None
    if kind == "news" and "wrapper" not in table:
        reasons = [(rejection["status"], rejection["reason"]) for rejection in rejected]
        missing = shortfall(arguments.name, len(records), 0, reasons, has_allow="allow" in table)
    if missing is not None:
        sys.stdout.write(f"\n{missing.line}\nA table to try:\n{_toml(table, missing)}")
    elif records:
        sys.stdout.write(f"\nThis table works:\n{_toml(table)}")
    return code or (0 if records else 1)


def _table(path: Path, name: str) -> dict[str, Any]:
    """A site's table as it is written; only its name where the file is wrong.

    :raises UsageError: there is no such site.
    """
    try:
        tables = {table["name"]: table for table in tomllib.loads(path.read_text("utf-8")).get("site", [])}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {"name": name}  # reason: the crawl says what is wrong with the file
    if name not in tables:
        raise UsageError(f"site-check: no site {name!r} in {path}; known are: {', '.join(map(str, tables)) or 'none'}")
    return dict(tables[name])


def _toml(table: dict[str, Any], missing: Shortfall | None = None) -> str:
    """A site's table, with the key that may help."""
    from newsextract.sites import toml_table  # late: it knows all algorithms, and --help starts at once

    kept = toml_table({key: value for key, value in table.items() if missing is None or key != missing.key})
    return kept if missing is None else f"{kept}{missing.key} = {missing.value}\n"


def _articles(records: list[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        yield f"\n{record['url']}\n  {record['kind']}: {record['title']}"
        yield (
            f"  date {record['date']} ({record['date_source']}), authors {', '.join(record['authors']) or '-'}, "
            f"language {record['language']}, {record['pages']} page{'s'[: record['pages'] != 1]}\n  {record['text'][:160]} …"
        )


def _pages(kind: str, read: list[dict[str, Any]], records: list[dict[str, Any]]) -> Iterator[str]:
    """What each page gave: how many records, with which fields, and the first of them."""
    by_id = {record["id"]: record for record in records}
    for page in read:
        found = [by_id[name] for name in page["records"] if name in by_id]
        sure = _sure(found[0]) if found else ""
        leads = f"; goes on at {page['next']}" if page["next"] else ""
        yield f"\n{page['url']}\n  {page['kind']}, page {page['number']}: {len(found)} records{sure}{leads}"
        if page["note"]:
            yield f"  note: {page['note']}"
        if found:
            fields = [_fields(kind, record) for record in found]
            names = list(dict.fromkeys(name for told in fields for name in told))[:_NAMES]
            counts = (f"{name} {sum(bool(told.get(name)) for told in fields)}" for name in names)
            yield f"  of {len(found)} have: {', '.join(counts)}"
            yield from (f"  does not fit: {misfit}" for misfit in found[0].get("misfits", ()))
        for record in found[:_SHOWN]:
            values = (" ".join(str(value).split())[:80] for value in _fields(kind, record).values() if value)
            yield f"  - {' | '.join(values)}"


def _sure(record: dict[str, Any]) -> str:
    """How sure the algorithm is of a page, or how well the wrapper fits it."""
    return f", fit {record['fit']:.0%}" if record["kind"] == "object" else f", confidence {record['confidence']:.2f}"


def _fields(kind: str, record: dict[str, Any]) -> dict[str, Any]:
    """What is shown of a record: of a wrapper's object its labels."""
    if record["kind"] == "object":
        return dict(record["fields"])
    return {name: record[name] for name in _FIELDS[kind]}


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
