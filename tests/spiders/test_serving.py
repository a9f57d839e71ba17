"""A folder served under a site's own addresses."""

from __future__ import annotations

import gzip
import http.client
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiders.addresses import FolderServer, query_file


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FolderServer]:
    (tmp_path / "www" / "a").mkdir(parents=True)
    (tmp_path / "secret.html").write_text("secret")
    (tmp_path / "www" / "index.html").write_text("<p>front")
    (tmp_path / "www" / "a" / "index.html").write_text("<p>section")
    (tmp_path / "www" / "a" / "港.html").write_text("<p>story")
    (tmp_path / "www" / "map.xml.gz").write_bytes(gzip.compress(b"<urlset/>", mtime=0))
    (tmp_path / "www" / "plain").write_text("<p>no ending")
    (tmp_path / "www" / "find@page=2&q=crab+&+cod.html").write_text("<p>not to be reached")
    (tmp_path / "www" / "find@page=2&q=crab+%26+cod.html").write_text("<p>second page")
    (tmp_path / "www" / "find@q=港口.html").write_text("<p>Chinese")
    (tmp_path / "www" / "find@.html").write_text("<p>no hits")
    (tmp_path / "www" / "find").mkdir()
    (tmp_path / "www" / "find" / "tips.html").write_text("<p>tips")
    (tmp_path / "www" / "t.php@t=1.html").write_text("<p>thread")
    (tmp_path / "www" / "a" / "index@p=2.html").write_text("<p>section, page 2")
    with FolderServer({"www.x.example": tmp_path / "www"}) as server:
        yield server


def get(server: FolderServer, url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(server.address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=5)
    try:
        connection.request("GET", url, headers=headers)
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("/", b"<p>front", "text/html"),
        ("/index.html?x=1", b"<p>front", "text/html"),
        ("/a/", b"<p>section", "text/html"),
        ("/a/%E6%B8%AF.html", b"<p>story", "text/html"),
        ("/plain", b"<p>no ending", "text/html"),
        ("/map.xml.gz", gzip.compress(b"<urlset/>", mtime=0), "application/gzip"),
    ],
)
def test_files(server: FolderServer, path: str, body: bytes, kind: str) -> None:
    status, headers, got = get(server, "http://www.x.example" + path)
    assert (status, headers["content-type"]) == (200, kind)
    assert got == body
    assert int(headers["content-length"]) == len(got)


def test_the_host_header_names_the_site_too(server: FolderServer) -> None:
    assert get(server, "/", Host="www.x.example")[2] == b"<p>front"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/find?q=crab%20%26%20cod&page=2", b"second page"),
        ("/find?page=2&q=crab+%26+cod#top", b"second page"),
        ("/find?q=%E6%B8%AF%E5%8F%A3", b"Chinese"),
        ("/find?q=crab&page=3", b"no hits"),
        ("/find?q=../../secret", b"no hits"),
        ("/find?q=..%2f..%2fsecret.html&", b"no hits"),
        ("/find?q=%00", b"no hits"),
        ("/find?q=" + "x" * 3000, b"no hits"),
        ("/find?", b"no hits"),
        ("/find", b"no hits"),
        ("/find/tips.html?q=1", b"tips"),
        ("/t.php?t=1", b"thread"),
        ("/a/?p=2", b"section, page 2"),
        ("/a/?p=3", b"section"),
        ("/?p=2", b"front"),
    ],
)
def test_queries(server: FolderServer, path: str, body: bytes) -> None:
    status, headers, got = get(server, "http://www.x.example" + path)
    assert (status, headers["content-type"], got) == (200, "text/html", b"<p>" + body)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("b=2&a=1", "search@a=1&b=2.html"),
        ("q=a+b&q=", "search@q=&q=a+b.html"),
        ("q=a%2Bb%25&x", "search@q=a%2Bb%25&x=.html"),
        ("q=%2F..%5C%00%0A", "search@q=%2F..%5C%00%0A.html"),
        ("q=%FF", "search@q=\ufffd.html"),
        ("", "search@.html"),
    ],
)
def test_names_of_queries(query: str, name: str) -> None:
    assert query_file("search", query) == name


@given(st.text())
def test_a_query_never_leaves_the_folder(query: str) -> None:
    name = query_file("search", query)
    assert not set(name) & set("/\\\0")
    assert name.startswith("search@")
    name.encode()


@pytest.mark.parametrize(
    "url",
    [
        "http://www.x.example/none",
        "http://www.x.example/none?q=1",
        "http://www.x.example/t.php?t=2",
        "http://www.x.example/t.php",
        "http://www.x.example/..?a=1",
        "http://www.x.example/%2e%2e/secret?x.html",
        "http://www.x.example/a/..%2f..%2fsecret.html?q=1",
        "http://www.x.example" + "/a" * 3000,
        "http://www.x.example/" + "x" * 300 + "?q=1",
        "http://other.example/",
        "http://www.x.example/../secret.html",
        "http://www.x.example/%2e%2e/secret.html",
        "http://www.x.example/a/..%2f..%2fsecret.html",
        "http://www.x.example//etc/passwd",
        "http://www.x.example/%00",
        "http://www.x.example/" + "x" * 300,
    ],
)
def test_what_is_not_there(server: FolderServer, url: str) -> None:
    status, _, body = get(server, url)
    assert status == 404
    assert b"secret" not in body


def test_conditional_requests(server: FolderServer) -> None:
    url = "http://www.x.example/"
    _, headers, _ = get(server, url)
    etag, modified = headers["etag"], headers["last-modified"]
    assert get(server, url, **{"If-None-Match": etag})[::2] == (304, b"")
    assert get(server, url, **{"If-Modified-Since": modified})[0] == 304
    assert get(server, url, **{"If-None-Match": '"other"'})[0] == 200
    assert get(server, url, **{"If-None-Match": '"other"', "If-Modified-Since": modified})[0] == 200, "the tag decides"
    assert get(server, url, **{"If-Modified-Since": "Mon, 01 Jan 1990 00:00:00 GMT"})[0] == 200
    assert get(server, url, **{"If-Modified-Since": "not a date"})[0] == 200


def test_a_folder_without_its_slash_redirects_and_a_page_needs_no_ending(server: FolderServer) -> None:
    status, headers, _ = get(server, "http://www.x.example/a?p=1")
    assert (status, headers["location"]) == (301, "/a/?p=1")
    assert get(server, "http://www.x.example/find/tips")[2] == b"<p>tips"
    assert get(server, "http://www.x.example/b")[0] == 404
