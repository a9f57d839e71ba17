"""``newsextract sites``, ``try``, ``site-check`` and ``init``: try a site, add it to ``sites.toml``, check it."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
import webbrowser
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from newsextract.alarms import SHORTFALL_EXIT_CODE, Shortfall, shortfall
from newsextract.commands import add_action, by_count, check_output, write_text
from newsextract.control_characters import escaped, plural
from newsextract.errors import DataError, MissingExtra, SiteError, UsageError, naming, program
from newsextract.urls import is_web_address

if TYPE_CHECKING:
    from newsextract.crawling import Trial
    from newsextract.inspection.views import Compared
    from newsextract.sites import SiteKind
    from newsextract.survey import Survey

_KINDS = ("news", "forum", "search", "list")
_REJECTED = 3
"""Rejected pages that are printed if there is no record."""


def add_try(parser: argparse.ArgumentParser) -> None:
    """Fetch a few pages of a site. Print its kind, five records next to what their pages display,
    and its table for sites.toml. With --write, add the table to that file.

    examples:
      newsextract try https://www.example.org/
      newsextract try https://www.example.org/ --write
      newsextract try https://forum.example.org/ --write --sites my/sites.toml -o proof.html --open
      newsextract try "https://www.example.org/search?q=tide"

    The command sends about 20 requests, one per second, and obeys robots.txt. Exit code 3: the site gave no record.
    """
    add = parser.add_argument
    add_try_options(parser)
    add("--write", action="store_true", help="add the table to the file of sites if the site gave records")
    add("-o", "--output", metavar="FILE", type=Path, help="write records next to their pages, as one HTML file")
    add("--open", action="store_true", help="with -o: open this proof page in the browser")
    parser.set_defaults(run=run_try)


def add_try_options(parser: argparse.ArgumentParser) -> None:
    """The options that ``sites add`` has, too."""
    add = parser.add_argument
    add("url", metavar="URL", help="the front page of a site, or any page of it")
    add("--name", help="the site's name (default: derived from its host)")
    add("--kind", choices=_KINDS, help="the kind of site (default: detected from its pages)")
    add("--query", metavar="TEXT", help="for a search engine: the words to search for")
    add_sites_option(parser)


def run_try(arguments: argparse.Namespace) -> int:
    """Look, crawl, show, write."""
    if arguments.open and not arguments.output:
        raise UsageError("--open shows the proof page; name its file with -o proof.html")
    check_output(arguments.output)
    if arguments.write:
        _check_sites_file(arguments)
    tried = tried_site(arguments)
    from newsextract.inspection.views import compared, proof_page  # late, so that --help starts at once

    shown = [compared(record, tried.page_of(record)) for record in tried.records]
    toml = table_of(tried)
    facts = list(_facts(tried))
    _print_table(facts, shown)
    why = why_none(tried)
    if why:
        _say(f"\n{why}")
        for line in tried.rejected[:_REJECTED]:
            _say(f"  {line['url']}\n    {line['status']}: {line['reason']}")
    _say(f"\n{toml}")
    if arguments.output:
        page = proof_page(str(tried.table["name"]), facts, shown, tried.rejected, toml, why)
        write_text(arguments.output, page, "the proof page")
        _say(f"proof: {arguments.output}")
        if arguments.open:
            webbrowser.open(arguments.output.absolute().as_uri())
    if arguments.write:
        write_table(arguments, tried)
    elif tried.records:
        _say(f"To add this table to the file of sites:  {program('newsextract')} try {shlex.quote(arguments.url)} --write")
    return 0 if tried.records else SHORTFALL_EXIT_CODE


def tried_site(arguments: argparse.Namespace) -> Trial:
    """Look at the site and crawl a little of it; says what it does."""
    from newsextract.crawling import check_project, try_site
    from newsextract.sites import Site
    from newsextract.survey import survey  # imported late: it is slow

    url = arguments.url if "://" in arguments.url else f"https://{arguments.url}"
    if not is_web_address(url):
        raise UsageError(f"{arguments.url}: expected an http(s) URL, for example https://www.example.org/")
    if arguments.name is not None:
        Site.read({"name": arguments.name, "start": [url]})
    check_project("newsextract try")
    sys.stderr.write(f"looking at {escaped(url)} …\n")
    found = survey(url, cast("SiteKind | None", arguments.kind))
    sys.stderr.write(f"test crawl as {found.kind} …\n")
    return try_site(found, arguments.name, arguments.query)


def table_of(tried: Trial) -> str:
    """The table of a site with comments, and with the key that may mend it."""
    heading = f"{tried.survey.software or 'software unknown'}; {tried.survey.why}"
    toml = tried.survey.toml(tried.table, heading)
    if tried.missing is not None and tried.missing.key:
        toml += f"# {tried.missing.key} = {tried.missing.value}  # to try: {tried.missing.line.partition(': ')[2]}\n"
    return toml


def _check_sites_file(arguments: argparse.Namespace) -> None:
    """Report a file that has mistakes or cannot be written, before the site is crawled."""
    path = sites_path(arguments.sites, must_exist=False)
    tables_of(path)
    check_output(path)


def write_table(arguments: argparse.Namespace, tried: Trial) -> None:
    """Add the table to the file of sites, and say how to go on."""
    path = sites_path(arguments.sites, must_exist=False)
    if not tried.records:
        _say(f"{path}: not written, because the site gives no record; change the table, and add it by hand")
        return
    name = free_name(path, tried.table, is_given=arguments.name is not None)
    if name is None:
        _say(f"{path}: has this site already; left as it is")
        return
    add_table(path, table_of(dataclasses.replace(tried, table={**tried.table, "name": name})))
    kind = tried.survey.kind
    query = f' -a query="{tried.query}"' if kind == "search" else ""
    settings = "" if arguments.sites is None else f" -s SITES_FILE={path}"
    _say(f"{path}: site {name!r} added. Crawl it:  {program('scrapy')} crawl {kind} -a sites={name}{query}{settings}")


def _facts(tried: Trial) -> Iterator[tuple[str, str]]:
    found: Survey = tried.survey
    yield "site", found.url
    yield "software", found.software or "not known"
    yield "kind", f"{found.kind}: {found.why}"
    yield "robots.txt", found.robots
    if found.kind == "news":
        yield "sitemaps", f"{', '.join(found.sitemaps)}; {found.comments['sitemaps']}" if found.sitemaps else "none found"
        yield "feeds", f"{', '.join(found.feeds)}; {found.comments['feeds']}" if found.feeds else "none found"
    if found.search:
        yield "search", found.search.template
    if found.is_local or found.is_private:
        yield "private", "a private address: you typed it, or NEWSEXTRACT_PRIVATE names it; docs/sites.md, private addresses"
    refused = ", ".join(f"{count} {status}" for status, count in by_count(tried.refusals))
    records = plural(len(tried.records), "record")
    yield "pages", f"{plural(tried.requests, 'request')}; {records}{f'; rejected: {refused}' if refused else ''}"


def why_none(tried: Trial) -> str:
    """Why a site gave no record, with the key that may mend it; empty if it gave some."""
    if tried.missing is not None:
        return tried.missing.line
    return "" if tried.records else "no record, and no rejection that says why; see: newsextract extract URL"


def _print_table(facts: list[tuple[str, str]], shown: list[Compared]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=False)

    def cell(text: str, most: int = 160) -> Text:
        plain = " ".join(escaped(text).split())
        return Text(plain if len(plain) <= most else f"{plain[: most - 2]} …")

    about = Table.grid(padding=(0, 2))
    about.add_column(no_wrap=True)
    about.add_column(overflow="fold")
    for name, value in facts:
        about.add_row(Text(name, style="bold"), cell(value, 300))
    console.print(about)
    if not shown:
        return
    table = Table(box=box.SIMPLE_HEAD, expand=True, show_lines=False)
    table.add_column("", no_wrap=True)
    table.add_column("the record", ratio=1, overflow="fold")
    table.add_column("the page shows", ratio=1, overflow="fold")
    for one in shown:
        for name in ("title", "date", "text"):
            table.add_row(name, cell(getattr(one.record, name) or "–"), cell(getattr(one.page, name) or "–"))
        table.add_row("by", cell(one.by or "–"), cell(one.url), end_section=True)
    console.print(table)


def _say(text: str) -> None:
    sys.stdout.write(f"{escaped(text)}\n")


DEFAULT_FILE = "sites.toml"


def add_sites_option(parser: argparse.ArgumentParser, *others: str) -> None:
    """Declare ``--sites FILE``."""
    parser.add_argument(
        "--sites",
        *others,
        metavar="FILE",
        help="the file of target sites (default: that of the project in this folder, else sites.toml)",
    )


def sites_path(given: str | None, *, must_exist: bool = True) -> Path:
    """The file that is named, also as ``SITES_FILE=FILE``; else that of the project here; else ``sites.toml``."""
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
    """The tables of a file as they are written, by name; none if the file is missing."""
    from newsextract.sites import load_sites  # late: it knows all algorithms, and --help starts at once

    if not path.exists():
        return {}
    load_sites(path)
    return {table["name"]: table for table in tomllib.loads(path.read_text("utf-8")).get("site", [])}


def free_name(path: Path, table: Mapping[str, Any], *, is_given: bool) -> str | None:
    """A name for a new table that no other in the file has; None if the file has the same site already.

    :param is_given: whether the user chose the name, so that it must not be changed.
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
    """Add a table at the end of a file; everything else in it stays as it is."""
    from newsextract.sites import load_sites  # imported late: it is slow

    with naming(f"{path}: cannot be written", "name another file with --sites FILE"):
        before = path.read_text("utf-8") if path.exists() else "# The target sites; all keys: docs/sites.md\n"
        made = path.with_name(f".{path.name}.new")
        made.write_text(f"{before.rstrip()}\n\n{toml}", "utf-8")
        try:
            load_sites(made)
            os.replace(made, path)
        finally:
            made.unlink(missing_ok=True)


_LONGEST = 60
"""Characters of a cell that are printed."""


def add_parser(parser: argparse.ArgumentParser) -> None:
    """List the target sites, check their file, or add a site after a look at it.

    examples:
      newsextract sites list
      newsextract sites check --sites my/sites.toml
      newsextract sites add https://www.example.org/
    """
    actions = parser.add_subparsers(title="action", metavar="ACTION", required=True)
    add_sites_option(add_action(actions, parser, "list", list_sites, "print the sites as a table"))
    text = "check the file without fetching anything, and print one line per mistake"
    add_sites_option(add_action(actions, parser, "check", check_sites, text))
    text = "look at a site as `newsextract try` does, and add its table to the file"
    add_try_options(add_action(actions, parser, "add", add_site, text))


def list_sites(arguments: argparse.Namespace) -> int:
    """Print a line for each site."""
    from newsextract.sites import load_sites  # late: it knows all algorithms, and --help starts at once

    rows = [("name", "kind", "begins at", "keys")]
    for site in load_sites(sites_path(arguments.sites)).values():
        others = sorted(site.given - {"name", "kind", "start", "search"})
        rows.append((site.name, site.kind, ", ".join(site.start or site.addresses) or "–", ", ".join(others)))
    if len(rows) == 1:
        sys.stdout.write("no sites yet; add one: newsextract try URL --write\n")
        return 0
    cut = [[_cut(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cut, strict=True)]
    for row in cut:
        sys.stdout.write("  ".join(map(str.ljust, row, widths)).rstrip() + "\n")
    return 0


def check_sites(arguments: argparse.Namespace) -> int:
    """Check the file; a mistake is an error with a line for each."""
    from newsextract.sites import load_sites  # imported late: it is slow

    path = sites_path(arguments.sites)
    sites = load_sites(path)
    mend = "make it, or start the command in the project's folder"
    missing = [  # not an error for other commands: a crawl checks its own sites
        f'{path.name}: site "{site.name}", key serve: no folder {Path(site.serve).absolute()}; {mend}'
        for site in sites.values()
        if site.serve and not Path(site.serve).is_dir()
    ]
    if missing:
        raise SiteError("\n".join(missing))
    kinds = Counter(site.kind for site in sites.values())
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none"
    sys.stdout.write(f"{path}: no mistakes; sites: {counts}\n")
    return 0


def add_site(arguments: argparse.Namespace) -> int:
    """Look at a site and add its table."""
    _check_sites_file(arguments)
    tried = tried_site(arguments)
    if why := why_none(tried):
        sys.stdout.write(f"{escaped(why)}\n")
    write_table(arguments, tried)
    return 0 if tried.records else SHORTFALL_EXIT_CODE


def _cut(text: str) -> str:
    plain = escaped(text)
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


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


def add_site_check(parser: argparse.ArgumentParser) -> None:
    """Fetch a few pages of a site in sites.toml. For news, print kind, title, date and first words of
    each page, or why it is rejected. For forums, search engines, lists and wrappers, print how many
    records each page has, and their fields.

    examples:
      newsextract site-check harbour-ledger
      newsextract site-check mysite -s my-sites.toml --pages 10
      newsextract site-check coast-wire
      newsextract site-check lantern-symposium
      newsextract site-check own-searxng --query "tidal barrier"
    """
    add = parser.add_argument
    add("name", metavar="NAME", help="the site's name in sites.toml")
    add(
        "--pages",
        type=int,
        metavar="N",
        help="pages to fetch: articles (default: 5), pages of threads, of results or of lists (default: 1)",
    )
    add_sites_option(parser, "-s", "--sites-file")
    add("--query", metavar="TEXT", help="for a search engine: the words to search for")
    parser.set_defaults(run=run_site_check)


def run_site_check(arguments: argparse.Namespace) -> int:
    """Crawl into a temporary feed and print it."""
    if find_spec("scrapy") is None:
        raise MissingExtra("scrapy", "crawl", "site-check")
    if not Path("scrapy.cfg").exists():
        raise UsageError(
            "site-check: no scrapy.cfg in this folder; run it in a project's folder (`newsextract init DIR` creates one)"
        )
    path = sites_path(arguments.sites).absolute()
    table = _table(path, arguments.name)
    kind = str(table.get("kind", "news"))
    if kind == "search" and not arguments.query:
        raise UsageError(
            f'site-check: {arguments.name!r} is a search engine; give a query, for example --query "tidal barrier"'
        )
    if kind != "search" and arguments.query:
        raise UsageError(f"site-check: {arguments.name!r} is not a search engine (kind = {kind!r}); leave --query out")
    pages = arguments.pages or (5 if kind == "news" else 1)
    with tempfile.TemporaryDirectory() as folder:
        feed = Path(folder) / "check.jsonl"
        command = [sys.executable, "-m", "scrapy", "crawl", kind, "-a", f"sites={arguments.name}", "-a", f"limit={pages}"]
        command += ["-s", f"SITES_FILE={path}", "-O", str(feed), "-s", "LOG_LEVEL=ERROR", "-s", "STATS_DUMP=False"]
        if kind == "search":
            command += ["-a", f"query={arguments.query}"]
        if kind == "forum":  # the limit does not count boards, and a forum may have hundreds
            command += ["-s", f"CLOSESPIDER_PAGECOUNT={pages + _BOARDS}"]
        code = subprocess.run(command, check=False).returncode
        if code not in (0, SHORTFALL_EXIT_CODE):
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
    """A site's table as it is written; only its name where the file is wrong."""
    try:
        tables = {table["name"]: table for table in tomllib.loads(path.read_text("utf-8")).get("site", [])}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {"name": name}  # reason: the crawl says what is wrong with the file
    if name not in tables:
        raise UsageError(f"site-check: no site {name!r} in {path}; choose from: {', '.join(map(str, tables)) or 'none'}")
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
            f"language {record['language']}, {plural(record['pages'], 'page')}\n  {record['text'][:160]} …"
        )


def _pages(kind: str, read: list[dict[str, Any]], records: list[dict[str, Any]]) -> Iterator[str]:
    """What each page gave: how many records, with which fields, and the first of them."""
    by_id = {record["id"]: record for record in records}
    for page in read:
        found = [by_id[name] for name in page["records"] if name in by_id]
        sure = ""
        if found:  # how sure the algorithm is of the page, or how well the wrapper fits it
            is_object = found[0]["kind"] == "object"
            sure = f", fit {found[0]['fit']:.0%}" if is_object else f", confidence {found[0]['confidence']:.2f}"
        leads = f"; goes on at {page['next']}" if page["next"] else ""
        yield f"\n{page['url']}\n  {page['kind']}, page {page['number']}: {plural(len(found), 'record')}{sure}{leads}"
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


def _fields(kind: str, record: dict[str, Any]) -> dict[str, Any]:
    """What is shown of a record: of a wrapper's object its labels."""
    if record["kind"] == "object":
        return dict(record["fields"])
    return {name: record[name] for name in _FIELDS[kind]}


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


_FILES = {
    "scrapy.cfg": """\
[settings]
default = crawl_settings
""",
    "crawl_settings.py": '''\
"""Settings of this project: those of the installed newsextract, and below them yours."""

import sys
from pathlib import Path

from newsextract.crawling import project_folder

sys.path.insert(0, str(project_folder()))  # spiders, pipelines and settings that come with newsextract

from settings.local import *  # noqa: E402, F403

SITES_FILE = str(Path(__file__).with_name("sites.toml"))
# USER_AGENT = "yourproject/1.0 (+https://your.site/contact)"  # say who crawls, and where to reach you
''',
    "sites.toml": """\
# The target sites: one [[site]] table each. `newsextract try URL --write` adds one; `newsextract sites check` checks them.
""",
    ".gitignore": "out/\n__pycache__/\n",
    "README.md": """\
# Crawls with newsextract

    newsextract try https://www.example.org/ --write   # look at a site and add its table to sites.toml
    newsextract sites list                             # the sites of sites.toml
    scrapy crawl news                                  # crawl the news sites: out/news.jsonl
    scrapy crawl forum                                 # the forums: out/forum.jsonl

`crawl_settings.py` has the settings, `sites.toml` the sites. Run the same command again to fetch only what is new.
""",
}


def add_init(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.description = f"Create a project that crawls with the installed package: a folder with {', '.join(_FILES)}."
    parser.epilog = "examples:\n  newsextract init crawls\n  cd crawls\n  newsextract try https://www.example.org/ --write\n"
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder; created if it does not exist")
    parser.set_defaults(run=run_init)


def run_init(arguments: argparse.Namespace) -> int:
    """Write the files, unless one exists."""
    from newsextract.crawling import check_project  # late: it knows all algorithms, and --help starts at once

    check_project("newsextract init")
    folder: Path = arguments.folder
    existing = [name for name in _FILES if (folder / name).exists()]
    if existing:
        raise DataError(f"{folder}: has {', '.join(existing)} already; nothing was written, name another folder")
    with naming(f"{folder}: cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in _FILES.items():
        write_text(folder / name, text, f"{name} of the project")
    sys.stdout.write(f"{folder}: created. Next:\n  cd {folder}\n  newsextract try https://www.example.org/ --write\n")
    return 0
