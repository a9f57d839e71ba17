"""What the search spider is asked for, and the addresses that it makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract.errors import SiteError, UsageError
from newsextract.sites import Site
from pipelines.ledger import now
from spiders.pages import address_of, counts
from spiders.plan import read_queries, run_name


def test_queries_of_both_arguments_folded_and_once(tmp_path: Path) -> None:
    path = tmp_path / "queries"
    path.write_bytes("\ufeffa b\n\n  c\t d \r\na  b\n".encode())
    assert read_queries({"query": "c d", "queries": str(path)}) == ("c d", "a b")


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": " \n"}])
def test_nothing_to_search_for(arguments: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="no query; give one, for example"):
        read_queries(arguments)


def test_files_that_hold_no_query(tmp_path: Path) -> None:
    path = tmp_path / "queries"
    path.write_text("\n \n", "utf-8")
    with pytest.raises(UsageError, match="holds no query"):
        read_queries({"queries": str(path)})
    path.write_text("a\n" + "b" * 401, "utf-8")
    with pytest.raises(UsageError, match="line 2: has 401 characters, more than 400"):
        read_queries({"queries": str(path)})
    path.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="cannot be read: it is no UTF-8 text"):
        read_queries({"queries": str(path)})


def test_a_query_of_bytes_that_are_no_utf_8_is_refused() -> None:
    query = b"caf\xe9".decode("utf-8", "surrogateescape")  # as Python reads such an argument
    with pytest.raises(UsageError, match="is no valid UTF-8; write the query in UTF-8") as found:
        read_queries({"query": query})
    assert str(found.value).encode("utf-8").startswith(b"-a query=caf\\udce9: ")


def test_a_query_behind_the_number_sign_is_refused() -> None:
    with pytest.raises(SiteError, match="the part after # is never sent to the engine"):
        Site.read({"name": "x", "kind": "search", "search": "http://e.example/#q={query}"})


def test_names_of_runs() -> None:
    assert run_name({"run": "2026-01-01T08:00+01"}) == "2026-01-01T08:00+01"
    assert run_name({}) == now().date().isoformat()
    for wrong in ("", " a", "a b", "x" * 65, "a/b", "ü"):
        with pytest.raises(UsageError, match="for example -a run=2026-01-01"):
            run_name({"run": wrong})


def test_the_query_is_percent_encoded_and_nothing_else_of_it_is_read() -> None:
    engine = "http://e.example/s?q={query}&p={page}"
    assert address_of(engine, 2, 11, "a b&c=d") == "http://e.example/s?q=a%20b%26c%3Dd&p=2"
    assert address_of(engine, 1, 1, "{page} {start}") == "http://e.example/s?q=%7Bpage%7D%20%7Bstart%7D&p=1"
    assert address_of("http://e.example/潮?q={query}&s={start}", 3, 21, "潮").endswith("?q=%E6%BD%AE&s=20")
    assert address_of("http://e.example/s/{query}/", 1, 1, "a/b") == "http://e.example/s/a%2Fb/"


def test_addresses_of_lists_that_count() -> None:
    assert address_of("http://e.example/news?from={start}&x={y}", 3, 21) == "http://e.example/news?from=20&x=%7By%7D"
    assert address_of("http://e.example/news/index_{page}.html", 3, 21) == "http://e.example/news/index_3.html"
    assert [counts(a) for a in ("http://e.example/{page}", "http://e.example/{start}", "http://e.example/")] == [
        True, True, False,
    ]  # fmt: skip
