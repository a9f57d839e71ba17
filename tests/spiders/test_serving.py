"""A folder served under a site's own addresses."""

from __future__ import annotations

import gzip
import http.client
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from spiders.serving import FolderServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FolderServer]:
    (tmp_path / "www" / "a").mkdir(parents=True)
    (tmp_path / "secret.html").write_text("secret")
    (tmp_path / "www" / "index.html").write_text("<p>front")
    (tmp_path / "www" / "a" / "index.html").write_text("<p>section")
    (tmp_path / "www" / "a" / "港.html").write_text("<p>story")
    (tmp_path / "www" / "map.xml.gz").write_bytes(gzip.compress(b"<urlset/>"))
    (tmp_path / "www" / "plain").write_text("<p>no ending")
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
        ("/map.xml.gz", gzip.compress(b"<urlset/>"), "application/gzip"),
    ],
)
def test_files(server: FolderServer, path: str, body: bytes, kind: str) -> None:
    status, headers, got = get(server, "http://www.x.example" + path)
    assert (status, headers["content-type"]) == (200, kind)
    assert got == body or gzip.decompress(got) == gzip.decompress(body)
    assert int(headers["content-length"]) == len(got)


def test_the_host_header_names_the_site_too(server: FolderServer) -> None:
    assert get(server, "/", Host="www.x.example")[2] == b"<p>front"


@pytest.mark.parametrize(
    "url",
    [
        "http://www.x.example/none",
        "http://www.x.example/a",
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


def test_packed_files_answer_for_their_unpacked_names_only_if_hidden(tmp_path: Path) -> None:
    (tmp_path / "page.html.gz").write_bytes(gzip.compress(b"<p>packed"))
    (tmp_path / "index.html.gz").write_bytes(gzip.compress(b"<p>front"))
    with FolderServer({"x": tmp_path}, hidden=True) as server:
        assert get(server, "http://x/page.html")[2] == b"<p>packed"
        assert get(server, "http://x/")[2] == b"<p>front"
        assert gzip.decompress(get(server, "http://x/page.html.gz")[2]) == b"<p>packed"
    with FolderServer({"x": tmp_path}) as server:
        assert get(server, "http://x/page.html")[0] == 404
