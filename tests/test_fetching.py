"""One page over HTTP for the command line, against a server on loopback."""

from __future__ import annotations

import gc
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from newsextract import Page
from newsextract import fetch as fetch_public
from newsextract.errors import FetchError
from newsextract.page import fetching
from newsextract.urls import AddressPolicy


def fetch(url: str) -> Page:
    """As the command line does."""
    return fetch_public(url, AddressPolicy([url]))


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        port = self.server.server_address[1]  # type: ignore[index]
        redirects = {
            "/here": "/page",
            "/elsewhere": f"http://localhost:{port}/page",
            "/file": "file:///etc/passwd",
            "/loop": "/loop",
            "/odd": "http://[::1",
        }
        if self.path in redirects:
            self.send_response(302)
            self.send_header("Location", redirects[self.path])
            self.end_headers()
        elif self.path == "/page":
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=windows-1251")
            self.send_header("X-Agent", self.headers["User-Agent"])
            self.end_headers()
            self.wfile.write("<p>тишина".encode("cp1251"))
        elif self.path == "/long-redirect":
            self.send_response(302)
            self.send_header("Location", "/page")
            self.end_headers()
            with suppress(OSError):
                for _ in range(300):
                    self.wfile.write(b"x" * 1_000_000)
        elif self.path == "/large":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"x" * 2_000)
        elif self.path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x")
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # signature of the base class
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("path", ["/page", "/here"])
def test_a_page(site: str, path: str) -> None:
    page = fetch(site + path)
    assert page.url == f"{site}/page"
    assert page.text == "<p>тишина"
    assert page.header("X-Agent") == fetching.USER_AGENT
    assert page.fetched_at is not None
    assert page.fetched_at.tzinfo is not None


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/missing", "HTTP 404 Not Found"),
        ("/elsewhere", "has the private address 127.0.0.1"),
        ("/file", "file:///etc/passwd"),
        ("/loop", "HTTP 302"),
    ],
)
def test_what_cannot_be_fetched(site: str, path: str, message: str) -> None:
    with pytest.raises(FetchError) as error:
        fetch(site + path)
    assert message in str(error.value)
    assert str(error.value).startswith(site)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_redirect_to_no_address(site: str) -> None:
    """urllib itself leaves the connection to the garbage collector here."""
    with pytest.raises(FetchError):
        fetch(site + "/odd")
    gc.collect()


def test_the_body_of_a_redirect_is_not_read(site: str) -> None:
    tracemalloc.start()
    try:
        assert fetch(site + "/long-redirect").text == "<p>тишина"
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_body_over_the_cap(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "MAX_BYTES", 1_000)
    with pytest.raises(FetchError, match="more than 1,000 bytes"):
        fetch(site + "/large")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/", "http://no-such-host.invalid/", "http://", "http://[::1", "http://a b/"]
)
def test_addresses_that_lead_nowhere(url: str) -> None:
    with pytest.raises(FetchError) as error:
        fetch(url)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("scheme", ["file://", "FILE:", " file://", "<URL:file://", "ftp://127.0.0.1", "data:text/html,"])
def test_other_schemes_are_not_fetched(scheme: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret")
    with pytest.raises(FetchError, match=r"not an http\(s\) URL"):
        fetch(f"{scheme}{tmp_path / 'secret'}")


def test_log_in_data_are_neither_looked_up_nor_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *server, **_: asked.append(server) or [])
    with pytest.raises(FetchError, match=r"^http://www\.example\.org/a: a URL with a user name or password"):
        fetch("http://me:s3cret@www.example.org/a")
    assert not any("s3cret" in str(server) for server in asked)


def test_a_program_reaches_no_private_server_that_nobody_allows(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FetchError, match=r"has the private address 127\.0\.0\.1"):
        fetch_public(f"{site}/page")
    assert fetch_public(f"{site}/page", AddressPolicy([site])).text == "<p>тишина"
    monkeypatch.setenv("NEWSEXTRACT_PRIVATE", site)
    assert fetch_public(f"{site}/here").url == f"{site}/page"


def test_a_host_without_an_address_is_named_in_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(
        FetchError, match=r"/robots\.txt: the host www\.example\.org was not found; check its name and the net"
    ):
        fetch_public("https://www.example.org/robots.txt")


def test_an_address_without_its_scheme_is_shown_with_it() -> None:
    with pytest.raises(FetchError, match=r"did you mean https://www\.example\.org/news/1 \?"):
        fetch_public("www.example.org/news/1")
