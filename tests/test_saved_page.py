"""A saved page and what lies beside it, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from newsextract.browser.loading import SavedPage


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "inner" / "files").mkdir(parents=True)
    (tmp_path / "secret.css").write_text("secret")
    (tmp_path / "inner" / "page.html").write_bytes("<meta charset=latin-1><p>Häfen".encode("latin-1"))
    (tmp_path / "inner" / "files" / "a b.css").write_text("a")
    (tmp_path / "inner" / "odd").write_text("b")
    return tmp_path / "inner"


def test_the_page_and_its_files(folder: Path) -> None:
    page = SavedPage.read(folder / "page.html")
    assert page.html.endswith("<p>Häfen")
    assert page.resource(page.url + "#x") == (page.html.encode(), "text/html; charset=utf-8")
    base = page.url.removesuffix("page.html")
    assert page.resource(base + "files/a%20b.css?v=1") == (b"a", "text/css")
    assert page.resource(base + "odd") == (b"b", "application/octet-stream")


@pytest.mark.parametrize(
    "place",
    ["../secret.css", "%2e%2e/secret.css", "..%2Fsecret.css", "files/../../secret.css", "%00", "files", "", "none", "~"],
)
def test_what_is_not_given(folder: Path, place: str) -> None:
    page = SavedPage.read(folder / "page.html", "https://example.org/news/1.html?a=b/c#f")
    assert page.url == "https://example.org/news/1.html?a=b/c"
    assert page.resource(f"https://example.org/news/{place}") is None
    assert page.resource("https://example.org/files/a%20b.css") is None
    assert page.resource("https://example.com/news/odd") is None
    assert page.resource("https://example.org/news/odd") == (b"b", "application/octet-stream")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40))
def test_no_address_gets_out_of_the_folder(folder: Path, text: str) -> None:
    page = SavedPage.read(folder / "page.html", "https://example.org/")
    for url in (text, f"https://example.org/{text}", f"https://example.org/../{text}/secret.css"):
        found = page.resource(url)
        assert found is None or found[0] in (b"a", b"b") or b"<p>" in found[0]
