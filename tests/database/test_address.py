"""A mistake in an address is one line that never shows a password."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from newsextract.database import read_address
from newsextract.database.connection import prepare
from newsextract.errors import MissingExtra, UsageError, install_command
from tests.postgres_server import PASSWORD, PostgresServer


def message(url: str) -> str:
    with pytest.raises(UsageError) as told:
        prepare(url)
    text = str(told.value)
    assert "\n" not in text
    assert "s3cret" not in text
    return text


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "the database URL is empty; expected for example sqlite:///out/news.db"),
        ("  ", "is empty"),
        ("postgresql://me:s3cret@host:port/x", "is invalid; expected for example"),
        ("://x", "is invalid"),
        ("mysql://me:s3cret@host/x", "mysql://me:***@host/x: databases of this kind are not supported"),
        ("postgresql+psycopg2://me:s3cret@host/x", "the driver 'psycopg2' is not supported; write postgresql+psycopg://"),
        ("sqlite+aiosqlite:///x.db", "not supported"),
        ("sqlite://", "a database in memory is lost when the crawl ends; name a file"),
        ("sqlite:///:memory:", "a database in memory"),
        ("sqlite:////tmp", "this is a folder"),
        ("postgresql://me@127.0.0.1:1/x?password=s3cret", "password=hidden"),
        ("postgresql://me@127.0.0.1:1/x?sslpassword=s3cret", "sslpassword=hidden"),
        ("mysql://me@host/x?passwd=s3cret&passwd=s3cret", "passwd=hidden: databases of this kind"),
        ("postgresql://me:p@s3cret@127.0.0.1:1/x", "write %40 for @"),
        ("postgresql://me:p/s3?s3cret@127.0.0.1:1/x", "me:***@127.0.0.1:1/x: connection failed"),
        ("postgresql://host/x?password=@s3cret", "write %40 for @"),
        ("mysql://me:p@s3cret@host/x", "write %40 for @"),
        ("postgresql:me:s3cret@host/x", "the database URL has no slashes; expected for example"),
        ("postgresql+psycopg:/me:s3cret@host/x", "has no slashes"),
        ("Postgres:s3cret", "has no slashes"),
        ("postgresql://me:s3cret@127.0.0.1:1/x", "Connection refused"),
    ],
)
def test_bad_addresses(url: str, said: str) -> None:
    assert said in message(url)


def test_what_may_be_shown_is_shown() -> None:
    address = read_address("postgresql://me:p%40ss%2F@h/x?options=-csearch_path%3Dpress&sslmode=require&host=/run&port=1")
    assert address.shown == ("postgresql://me:***@h/x?host=%2Frun&options=-csearch_path%3Dpress&port=1&sslmode=require")
    assert read_address("sqlite:///a.db?timeout=30").shown == "sqlite:///a.db?timeout=30"


def test_a_path_is_a_sqlite_file(tmp_path: Path) -> None:
    address = read_address(f"{tmp_path}/new/folder/news.db")
    assert (address.backend, address.url) == ("sqlite", f"sqlite:///{tmp_path}/new/folder/news.db")
    prepare(address.url)
    assert (tmp_path / "new/folder/news.db").is_file()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_has_one_driver(scheme: str) -> None:
    address = read_address(f"{scheme}://me:s3cret@host/x")
    assert address.url == "postgresql+psycopg://me:s3cret@host/x"
    assert "s3cret" not in address.shown


@pytest.mark.parametrize(
    ("module", "url", "extra"),
    [("sqlalchemy", "sqlite:///x.db", "storage"), ("psycopg", "postgresql://host/x", "postgres")],
)
def test_missing_packages(module: str, url: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=re.escape(f"needs the package {module}: {install_command(extra)}")):
        read_address(url)


def test_sqlite_files_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "no.db").write_text("This is no database, only a text of more than a hundred characters. " * 4)
    assert "the file is no SQLite database" in message(f"sqlite:///{tmp_path}/no.db")
    (tmp_path / "file").touch()
    assert "its folder cannot be created" in message(f"sqlite:///{tmp_path}/file/news.db")
    prepare(f"sqlite:///{tmp_path}/news.db")
    assert "it is read-only" in message(f"sqlite:///file:{tmp_path}/news.db?mode=ro&uri=true")
    assert "cannot be opened" in message(f"sqlite:///file:{tmp_path}/nothing/news.db?uri=true")


def test_postgresql_that_cannot_be_used(postgres: PostgresServer) -> None:
    postgres.database()
    where = f"127.0.0.1:{postgres.port}"
    prepare(f"postgresql://postgres:{PASSWORD}@{where}/postgres?options=-csearch_path%3Dpg_temp")
    assert "password authentication failed" in message(f"postgresql://postgres:s3cret@{where}/postgres")
    assert 'database "nowhere" does not exist' in message(postgres.address("nowhere"))
    url = postgres.database()
    database = url.partition("?")[0].rpartition("/")[2]
    assert "is read-only" in message(url + "&options=-cdefault_transaction_read_only%3Don")
    prepare(url)
    user = f"user_of_{database}"
    postgres.sql(f"CREATE USER {user}", database)
    for granted in ("SELECT", "INSERT", "UPDATE"):
        postgres.sql(f"GRANT {granted} ON ALL TABLES IN SCHEMA public TO {user}", database)
        assert "permission denied" in message(url.replace("postgres@", f"{user}@"))
    postgres.sql(f"GRANT DELETE ON unwritten TO {user}", database)
    prepare(url.replace("postgres@", f"{user}@"))


@pytest.mark.slow
def test_the_command_line_knows_nothing_of_sqlalchemy_before_a_database_is_wanted() -> None:
    code = "import sys, newsextract.cli, newsextract.commands.database; print('sqlalchemy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout == "False\n"
