"""Page: bytes, address, headers and time of fetch; everything else on demand, once."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from newsextract import Hints, Page
from newsextract.page.parsing import parse


@pytest.mark.parametrize("name", ["content-type", "Content-Type", "CONTENT-TYPE"])
@pytest.mark.parametrize("wanted", ["content-type", "Content-Type"])
def test_headers_in_any_case(name: str, wanted: str) -> None:
    page = Page("<p>тишина</p>".encode("cp1251"), headers={name: "text/html; charset=windows-1251"})
    assert page.header(wanted) == "text/html; charset=windows-1251"
    assert page.text == "<p>тишина</p>"
    assert page.header("etag") is None


def test_time_of_fetch_is_the_present_by_default() -> None:
    before = datetime.now(UTC)
    page = Page(b"<p>x")
    assert before <= page.time <= datetime.now(UTC)
    assert page.time is page.time, "asked for once"


def test_time_of_fetch_always_has_a_zone() -> None:
    assert Page(b"", fetched_at=datetime(2024, 5, 1, 8)).time == datetime(2024, 5, 1, 8, tzinfo=UTC)
    at = datetime(2024, 5, 1, 8, tzinfo=timezone(timedelta(hours=8)))
    assert Page(b"", fetched_at=at).time is at


def test_text_source_and_metadata_are_made_once() -> None:
    page = Page(b"<title>T</title><p>x")
    assert page.decoded is page.decoded
    assert page.source is page.source
    assert page.metadata is page.metadata
    assert page.metadata.title == "T"


def test_blocks_and_nodes_are_read_from_one_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    monkeypatch.setattr("newsextract.page.page.parse", lambda text, encoded: parsed.append(text) or parse(text, encoded))
    page = Page(b"<p>x")
    assert page.dom.texts == ["x"]
    assert page.nodes.tags == ["html", "head", "body", "p", ""]
    assert page.nodes.by_tag["p"] == [3]
    assert parsed == ["<p>x"]


def test_from_text_ignores_declarations() -> None:
    page = Page.from_text('<meta charset="gbk"><p>Grüße 港口</p>', "https://example.org/")
    assert "Grüße 港口" in page.text
    assert page.url == "https://example.org/"


def test_from_text_takes_lone_surrogates() -> None:
    assert Page.from_text("a\ud800b").text == "a?b"


def test_a_page_is_never_changed() -> None:
    page = Page(b"x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        page.body = b"y"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        Hints().title = "y"  # type: ignore[misc]


def test_pages_travel_between_processes() -> None:
    page = Page(b"<p>x", "https://example.org/", {"a": "b"}, datetime(2024, 5, 1, tzinfo=UTC), Hints(title="t"))
    again = pickle.loads(pickle.dumps(page))
    assert (again.body, again.url, again.headers, again.fetched_at, again.hints) == (
        page.body,
        page.url,
        page.headers,
        page.fetched_at,
        page.hints,
    )


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda page: pickle.loads(pickle.dumps(page))])
def test_a_page_that_was_read_can_be_copied(copied: Callable[[Page], Page]) -> None:
    page = Page(b"<title>T</title><p>x", "https://example.org/")
    assert page.dom.texts
    assert page.nodes
    again = copied(page)
    assert (again.body, again.url, again.dom.texts) == (page.body, page.url, page.dom.texts)


def test_a_page_names_what_it_is_not_made_of() -> None:
    wrong: Any = "<p>x"
    with pytest.raises(TypeError, match=r"the body of a page is bytes, not str; .* Page\.from_text\(text, url\)"):
        Page(wrong)
    with pytest.raises(TypeError, match=r"text is a str, not bytes; .* Page\(body, url\)"):
        Page.from_text(wrong.encode())
    with pytest.raises(TypeError, match="the URL of a page is a str or None, not bytes"):
        Page(b"<p>x", wrong.encode())
    with pytest.raises(TypeError, match="the time of fetch is a datetime or None, not str"):
        Page(b"<p>x", fetched_at=wrong)
