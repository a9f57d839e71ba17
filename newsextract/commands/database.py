"""``newsextract database``: a database's schema, what it holds, feeds that are brought into it, and feeds made of it."""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from newsextract.commands import add_action, check_output, written
from newsextract.control_characters import cleaned, plural
from newsextract.database import DEFAULT, Address, read_address
from newsextract.errors import DataError, MissingExtra, UsageError, naming
from newsextract.feed import check_feed, lines
from newsextract.feed.record_lines import WITHDRAWN

if TYPE_CHECKING:
    from sqlalchemy import Connection

_MORE = {
    "check": """

It checks the feeds that the database has read, if they exist on this machine. It does not know a
feed that no crawl or import has written to the database, unless you name it (FEED).
Exit code 1: the tables are not up to date, lines are not yet written or were rejected, or FEED (or
a file next to it) is not in the database.""",
    "export": """

The lines have the fields and values of the imported lines, oldest fetch first. Fields that your own pipelines add are not in
the database, and therefore not in the lines.""",
}
_REFUSED_TOLD = 5
"""Refused lines that are shown of each feed."""
_KINDS = ("news", "forum", "search", "list", "object", "pages", "rejections")
_TOLD_EVERY = 5.0
"""Seconds between two lines of progress."""


def add_parser(parser: argparse.ArgumentParser) -> None:
    """Manage the database that crawls write to with -a database=…, and import feeds.

    examples:
      scrapy crawl news -a database=sqlite:///out/news.db       the crawl itself writes to the database
      newsextract database check
      newsextract database check out/news.jsonl                 exit code 1 also if the database does not have it
      newsextract database check --database postgresql+psycopg://reader@db.example.org/news
      newsextract database upgrade --database sqlite:///out/news.db
      newsextract database import out/news.jsonl out/forum.jsonl
      newsextract database import out/news.jsonl --database postgresql+psycopg://writer@db.example.org/news
      newsextract database export --kind news --site courier -o courier.jsonl
      newsextract database export --kind forum | jq .author

    Put passwords into ~/.pgpass or PGPASSWORD: other users of the machine can see command lines.
    """
    actions = parser.add_subparsers(title="action", metavar="ACTION", required=True)
    for name, function, text in (
        ("upgrade", _upgrade, "create or upgrade the tables"),
        ("check", _check, "report what the database contains and whether its feeds are complete; changes nothing"),
        (
            "import",
            lambda arguments: bring_in(arguments.feeds, arguments.database),
            "import the new lines of feeds, and of the .rejected and .pages files next to them",
        ),
        ("export", _export, "write the records of the database as a feed (JSON Lines)"),
    ):
        action = add_action(actions, parser, name, function, text)
        action.description = f"{action.description}{_MORE.get(name, '')}"
        add = action.add_argument
        if name == "import":
            add("feeds", metavar="FEED", type=Path, nargs="+", help="a feed of records, .jsonl")
        elif name == "check":
            add("feeds", metavar="FEED", type=Path, nargs="*", help="a feed (.jsonl) to find in the database")
        elif name == "export":
            add("--kind", choices=_KINDS, required=True, help="kind of lines; object: objects of wrappers")
            add("--site", metavar="NAME", help="only the lines of this site (search: of this engine)")
            add("--revisions", action="store_true", help="all revisions of articles and objects, not only the latest")
            add("-o", "--output", metavar="FILE", type=Path, help="a new file; default: standard output")
        add("--database", metavar="URL", default=DEFAULT, help=f"default: {DEFAULT}")


def _upgrade(arguments: argparse.Namespace) -> int:
    read_address(arguments.database)  # without SQLAlchemy it says what is missing
    from newsextract.database.connection import LATEST, prepare

    address, before = prepare(arguments.database)
    told = "nothing to do" if before == LATEST else f"was {before}" if before else "new"
    sys.stdout.write(f"database {address.shown}: schema {LATEST}, {told}\n")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    """Exit code 1 if the schema is old, feeds have lines that are not in it, or lines were refused."""
    _check_names(arguments.feeds)
    with _reading(arguments.database) as (connection, address):
        return _describe(connection, address, arguments.feeds)


@contextmanager
def _reading(text: str) -> Iterator[tuple[Connection, Address]]:
    """A database that is there already."""
    address = read_address(text)
    if address.file is not None and not address.file.is_file():
        raise DataError(f"database {address.shown}: the file does not exist; `newsextract database upgrade` creates it")
    from sqlalchemy.exc import SQLAlchemyError

    from newsextract.database.connection import open_engine, refused

    engine = open_engine(address, writes=False)
    try:
        with engine.begin() as connection:
            yield connection, address
    except SQLAlchemyError as error:
        raise refused(address, error) from error
    finally:
        engine.dispose()


def _export(arguments: argparse.Namespace) -> int:
    output: Path | None = arguments.output
    check_output(output)
    if output is not None and output.exists():
        raise UsageError(f"{output}: exists already; name another file")
    with _reading(arguments.database) as (connection, address):
        from newsextract.database.connection import LATEST, check_version
        from newsextract.database.schema import EXPORTED, exported

        if check_version(connection, address.shown) != LATEST:
            raise DataError(f"database {address.shown}: its tables are out of date; run `newsextract database upgrade`")
        lines = exported(connection, EXPORTED[arguments.kind], arguments.site, revisions=arguments.revisions)
        if output is None:
            for line in lines:
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            return 0
        count = _write(output, lines)
    sys.stderr.write(f"{output}: {plural(count, 'line')}\n")
    return 0


def _write(output: Path, lines: Iterable[bytes]) -> int:
    """Write all lines, or no file; their number."""
    unfinished = output.with_name(output.name + ".unfinished")
    count = 0
    try:
        with naming(f"cannot write {output}"):
            with unfinished.open("wb") as file:
                for line in lines:
                    file.write(line)
                    count += 1
            unfinished.rename(output)
    finally:
        unfinished.unlink(missing_ok=True)
    return count


def _describe(connection: Connection, address: Address, named: list[Path]) -> int:
    from sqlalchemy import func, select, table

    from newsextract.database.bringing_in import HOST, FeedReader
    from newsextract.database.connection import LATEST, check_version
    from newsextract.database.schema import article_revisions, feeds, hits, pages, posts, rejections, teasers, unwritten

    version = check_version(connection, address.shown)
    if version != LATEST:
        found = f"schema {version}" if version else "no tables of newsextract"
        sys.stdout.write(f"database {address.shown}: {found}; `newsextract database upgrade` makes it {LATEST}\n")
        return 1
    sys.stdout.write(f"database {address.shown}: schema {LATEST}, the latest\n")
    counted = [table("articles"), article_revisions, posts, hits, teasers, table("objects"), pages, rejections]
    for one in counted:
        count = connection.execute(select(func.count()).select_from(one)).scalar_one()
        sys.stdout.write(f"  {one.name:20s}{count:>10,}\n")
    waiting = False
    rows = connection.execute(select(feeds).order_by(feeds.c.path, feeds.c.read_at)).all()
    for row in rows:
        line = f"feed {row.path} of {row.host}: lines: {row.lines:,} as of {row.read_at}"
        if row.host == HOST and Path(row.path).exists():
            reader = FeedReader(Path(row.path))
            try:
                reader.load(connection)
                line += "; the file is another feed now" if row.first_digest != reader.stored_as else ""
                if reader.stored_as in (None, row.first_digest):
                    line += f", not yet written: {reader.pending():,}"
                    waiting |= reader.pending() > 0
            except OSError as error:
                line += f"; it cannot be read: {error.strerror}"
                waiting = True
        sys.stdout.write(line + "\n")
    unknown = list(_unknown(named, {row.path for row in rows if row.host == HOST}))
    for path, why in unknown:
        sys.stdout.write(f"feed {path} of {HOST}: not in the database yet; {why}\n")
    place = unwritten.c.host, unwritten.c.path
    lost = connection.execute(select(*place, func.count().label("lines")).group_by(*place).order_by(*place)).all()
    for feed in lost:
        of_feed = select(unwritten).where(unwritten.c.host == feed.host, unwritten.c.path == feed.path)
        for row in connection.execute(of_feed.order_by(unwritten.c.position).limit(_REFUSED_TOLD)):
            sys.stdout.write(f"refused: {row.path} of {row.host}, byte {row.position}: {row.reason}\n")
        if feed.lines > _REFUSED_TOLD:
            sys.stdout.write(f"… and {feed.lines - _REFUSED_TOLD:,} more in the table unwritten\n")
    return int(waiting or bool(lost or unknown))


def _unknown(named: list[Path], known: set[str]) -> Iterator[tuple[Path, str]]:
    """Feeds that were named, and those beside them that have lines, which the database has never read; and what is to do."""
    from newsextract.database.bringing_in import feed_files

    for path in named:
        for feed in map(Path.absolute, feed_files(path)):
            if str(feed) in known:
                continue
            if feed.is_file() and feed.stat().st_size:
                yield feed, f"`newsextract database import {path}` imports it"
            elif feed == path.absolute():
                yield feed, "it has no lines" if feed.is_file() else "there is no such file"


def _check_names(paths: Sequence[Path]) -> None:
    """:raises UsageError: one is no feed of JSON lines."""
    for path in paths:
        if path.suffix != ".jsonl":
            raise UsageError(f"{path}: expected a feed of records, .jsonl, for example out/news.jsonl")


def bring_in(feeds: Sequence[Path], database: str) -> int:
    """Bring feeds into a database, from where it has got to. Returns 1 if it has refused lines, else 0."""
    _check_names(feeds)
    for path in feeds:
        check_feed(path)
    read_address(database)
    from sqlalchemy.exc import SQLAlchemyError

    from newsextract.database.bringing_in import Importer, OtherReader, feed_files
    from newsextract.database.connection import open_engine, prepare, refused

    address, _ = prepare(database)
    engine = open_engine(address)
    importer = Importer(engine, [feed for path in feeds for feed in feed_files(path)])
    told = monotonic()
    try:
        more = True
        while more:
            try:
                more = importer.step()
            except OtherReader:  # a crawl brings the same feed in
                importer.look_again()
                sleep(0.1)
            if monotonic() - told > _TOLD_EVERY:
                told = monotonic()
                sys.stderr.write(f"{importer.written}; {plural(importer.pending, 'line')} waiting\n")
    except SQLAlchemyError as error:
        raise refused(address, error) from error
    except OSError as error:
        raise DataError(f"{error.filename}: cannot be read: {error.strerror}") from error
    finally:
        engine.dispose()
    sys.stdout.write(f"database {address.shown}: {importer.written}\n")
    return int(bool(importer.written.refused))


# --- export ---------------------------------------------------------------------------------------
# ``newsextract export``: a feed as a table, JSON, XML, Parquet or a database, at any time, also while a crawl writes.
#
# A feed has a line for every state of a record. The last one of each record is exported, in the feed's order, without
# withdrawn records. Three passes over the feed; only the ids are in memory, 0.2 kB a record (Parquet: all records).

ENDINGS = {
    ".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".xml": "xml", ".parquet": "parquet",
    ".sqlite": "sqlite", ".db": "sqlite",
}  # fmt: skip
_FILES_ONLY = ("parquet", "sqlite")
_GROUP = 1_000
"""Records in a row group of Parquet."""

Values = dict[str, Any]


def add_export(parser: argparse.ArgumentParser) -> None:
    """Write the records of a feed in another format: the latest revision of each, without withdrawn ones.

    examples:
      newsextract export out/news.jsonl -o news.csv
      newsextract export out/news.jsonl -o news.parquet --fields url,title,date,text
      newsextract export out/forum.jsonl -o forum.xml
      newsextract export out/news.jsonl -o news.sqlite
      newsextract export out/news.jsonl --format json | jq length
    """
    add = parser.add_argument
    add("feed", metavar="FEED", type=Path, help="a feed that a crawl has written, .jsonl")
    add("-o", "--output", metavar="FILE", type=Path, help="default: standard output")
    add("--format", choices=tuple(dict.fromkeys(ENDINGS.values())), help="default: by the suffix of FILE, or csv")
    add("--fields", metavar="NAMES", help="separated by commas; default: all, in the order of the feed")
    add("--revisions", action="store_true", help="all revisions, not only the latest of each record")
    parser.set_defaults(run=_run_export)


def _run_export(arguments: argparse.Namespace) -> int:
    feed, output = arguments.feed, arguments.output
    form = arguments.format or (ENDINGS.get(output.suffix.lower()) if output is not None else "csv")
    if form is None:
        raise UsageError(f"{output}: unknown suffix; use one of {', '.join(ENDINGS)}, or set --format")
    check_feed(feed)
    if output is None and form in _FILES_ONLY:
        raise UsageError(f"{form} needs a file: -o FILE.{form}")
    check_output(output)
    if output is not None and output.resolve() == feed.resolve():
        raise UsageError(f"{output}: is the feed itself; name another file")
    chosen = [name.strip() for name in arguments.fields.split(",") if name.strip()] if arguments.fields else None
    if form == "sqlite":
        if chosen or arguments.revisions:
            raise UsageError("a database contains all fields and revisions; leave --fields and --revisions out")
        return bring_in([feed], f"sqlite:///{output}")
    names = _names(feed, chosen)
    rows = ({name: value.get(name) for name in names} for value in records(feed, every=arguments.revisions))
    if form == "parquet":
        count = _to_parquet(rows, names, output)
    else:
        counter = itertools.count()
        counted = (row for row in rows if next(counter) >= 0)
        pieces = _to_xml(counted) if form == "xml" else written(counted, form, names)
        with (
            nullcontext(sys.stdout)
            if output is None
            else output.open("w", encoding="utf-8", errors="replace", newline="") as file
        ):
            file.writelines(pieces)
        count = next(counter)
    if output is not None:
        sys.stderr.write(f"{plural(count, 'record')} written to {output}\n")
    return 0


def records(feed: Path, *, every: bool = False) -> Iterator[Values]:
    """The last line of each record, in the order of the feed."""
    last = {} if every else {value["id"]: place for value, place in _lines(feed)}
    for value, place in _lines(feed):
        if every or (last.get(value["id"]) == place and value.get("status") != WITHDRAWN):
            yield value


def _lines(feed: Path, skipped: Callable[[str], object] = str) -> Iterator[tuple[Values, int]]:
    """The lines of a feed and their first bytes.

    :param skipped: told of foreign lines; by default nobody is, since :func:`_names` has read the feed before.
    """
    return lines(feed, _check_line, "remove the line, or name a feed that newsextract has written", skipped)


def _check_line(value: Values, line: bytes) -> None:
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise ValueError("it has no id")


def _names(feed: Path, chosen: list[str] | None) -> list[str]:
    """The columns: those that are wanted, or all that any line has."""
    known: dict[str, None] = {}
    for value, _ in _lines(feed, lambda line: sys.stderr.write(f"note: {line}\n")):
        known |= dict.fromkeys(value)
    unknown = [name for name in chosen or () if name not in known]
    if unknown and known:
        raise UsageError(f"--fields: no line of {feed} has {', '.join(unknown)}; choose from: {', '.join(known)}")
    return chosen or list(known)


# --- formats --------------------------------------------------------------------------------------


def _to_xml(rows: Iterable[Values]) -> Iterator[str]:
    """``<items><item><title>…``, as Scrapy writes it: members of a list are ``<value>`` elements; no value, no element."""
    from lxml import etree

    yield '<?xml version="1.0" encoding="utf-8"?>\n<items>\n'
    for row in rows:
        items = etree.Element("items")
        _add(items, "item", row)
        yield etree.tostring(items[0], encoding="unicode") + "\n"
    yield "</items>\n"


def _add(parent: Any, name: str, value: Any) -> None:
    from lxml import etree

    if value is None:
        return
    try:
        element = etree.SubElement(parent, name)
    except ValueError as error:
        raise DataError(f"{name!r} is no name for an element of XML; choose other fields with --fields") from error
    if isinstance(value, dict):
        for key, one in value.items():
            _add(element, key, one)
    elif isinstance(value, list):
        for one in value:
            _add(element, "value", one)
    else:
        text = json.dumps(value) if isinstance(value, bool | int | float) else cleaned(value)
        element.text = text.encode("utf-8", "replace").decode()


def _to_parquet(rows: Iterator[Values], names: list[str], output: Path) -> int:
    """Columns of texts, numbers and lists of texts; what else there is, as JSON."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "spark", "writing Parquet") from error

    groups = []
    try:
        while group := list(itertools.islice(rows, _GROUP)):
            groups.append(pyarrow.table({name: [_plain(row[name]) for row in group] for name in names}))
        groups = groups or [pyarrow.table({name: [] for name in names})]
        table = pyarrow.concat_tables(groups, promote_options="permissive")
        parquet.write_table(table, output)
    except (OSError, UnicodeEncodeError, OverflowError, pyarrow.ArrowException) as error:
        # values of several types in a column, say
        raise DataError(f"cannot write {output}: {error}") from error
    return int(table.num_rows)


def _plain(value: Any) -> Any:
    if isinstance(value, dict) or (isinstance(value, list) and not all(isinstance(one, str) for one in value)):
        return json.dumps(value, ensure_ascii=False)
    return value
