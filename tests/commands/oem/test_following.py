"""The pages behind links, from a server on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.commands.oem import Follower
from newsextract.page.page import Page
from newsextract.wrappers import Unavailable

asked: list[str] = []


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked.append(self.path)
        pages = {
            "/": "<ul><li><a href=one>One</a><li><a href=two>Two</a><li><a href=pdf>Three</a><li><a href=gone>Four</a></ul>",
            "/one": "<p>first</p><a href=/>back</a>",
            "/two": "<p>second</p>",
            "/pdf": "%PDF-1.7 text",
        }
        if self.path == "/inside":
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_address[1]}/one")  # type: ignore[index]
            self.end_headers()
        elif self.path in pages:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(pages[self.path].encode())
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # signature of the base class
        pass


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "*")
    asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


def wrapper(path: Path, site: str) -> str:
    file = path / "links.oem"
    file.write_text(
        f'{{<ul>#</ul>, list, get("{site}")}}\n{{<li><a href="$link">$name</a>, entry, list}}\n'
        "{<p>#</p>, text, get(link)}\n"
    )
    return str(file)


def test_links_are_followed_and_what_cannot_be_had_is_told(
    site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["oem", "run", wrapper(tmp_path, site), "--records", "entry", "--format", "plain", "--delay", "0"]) == 1
    out, err = capsys.readouterr()
    assert [record.get("text") for record in json.loads(out)] == ["first", "second", None, None]
    assert sorted(err.splitlines()) == [
        f"no page: {site}gone: HTTP 404 Not Found",
        f"no page: {site}pdf: the content is not a web page (begins with b'%PDF-1.7')",
    ]
    assert sorted(asked) == ["/", "/gone", "/one", "/pdf", "/two"]


def test_no_follow_and_max_pages(site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "run", wrapper(tmp_path, site), "--no-follow"]) == 0
    assert capsys.readouterr().err == "note: 4 links not followed\n"
    assert asked == ["/"]
    assert main(["oem", "run", wrapper(tmp_path, site), "--max-pages", "1", "--delay", "0"]) == 1
    assert asked == ["/", "/", "/one"]
    assert "cut: links lead to more than 1 pages" in capsys.readouterr().err


def test_check_follows_when_asked(site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oem", "check", wrapper(tmp_path, site)]) == 0
    err = capsys.readouterr().err
    assert err == f"note: {site}: 4 links not followed; --follow does\n"
    assert main(["oem", "check", wrapper(tmp_path, site), "--follow", "--delay", "0", "--format", "json"]) == 0
    lines = json.loads(capsys.readouterr().out)[0]["lines"]
    assert [(line["sources"], line["matched"]) for line in lines] == [(1, 1), (1, 1), (2, 2)]


def test_links_may_not_lead_into_the_private_network(site: str) -> None:
    follow = Follower(["http://public.example/"], 0.0)
    for url in (f"{site}one", "http://localhost:1/"):
        told = follow(url)
        assert isinstance(told, Unavailable)
        assert "has the private address 127.0.0.1" in told.reason
    assert asked == []
    assert isinstance(Follower([site], 0.0)(f"{site}one"), Page), "a host that the user named may be private"
    redirected = Follower([site], 0.0)(f"{site}inside")
    assert isinstance(redirected, Unavailable)
    assert "has the private address 127.0.0.1" in redirected.reason


@pytest.mark.parametrize("url", ["http://[::1", "http:///x", "http://a b/", "http://no.such.host.invalid/"])
def test_broken_addresses_are_told(url: str) -> None:
    assert isinstance(Follower([], 0.0)(url), Unavailable)


def test_requests_to_a_host_are_a_pause_apart(site: str) -> None:
    follow = Follower([site], 0.2)
    begun = time.monotonic()
    follow(f"{site}one")
    follow(f"{site}two")
    assert time.monotonic() - begun >= 0.35
