"""A folder of files served on loopback under the site's own addresses, for the sample site and for tests.

The server is an HTTP proxy that answers for the hosts it knows: the crawl fetches ``http://www.example.org/`` through
it, so records carry real-looking addresses that do not depend on a port. Robots.txt, conditional requests and status codes
are those of a real server. It runs in a thread and ends with the crawl.
"""

from __future__ import annotations

import gzip
import mimetypes
import threading
from collections.abc import Mapping
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import unquote, urlsplit

LOOPBACK = "127.0.0.1"


def server_of(url: str) -> tuple[str, int]:
    """Host and port of an http or https address."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


class FolderServer:
    """Serves folders by host name on a free loopback port; a context manager.

    :param folders: host name → folder.
    :param hidden: whether a file ``x.gz`` also answers for ``x``, unpacked.
    """

    def __init__(self, folders: Mapping[str, Path], *, port: int = 0, hidden: bool = False) -> None:
        handler = type("FolderHandler", (_Handler,), {"folders": dict(folders), "hidden": hidden})
        self._server = ThreadingHTTPServer((LOOPBACK, port), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="folder-server", daemon=True)

    @property
    def address(self) -> str:
        """The proxy address that reaches the folders."""
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    def __enter__(self) -> FolderServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one segment
    folders: Mapping[str, Path] = {}
    hidden = False

    def do_GET(self) -> None:  # the name that http.server looks for
        """Answer with a file."""
        parts = urlsplit(self.path if "://" in self.path else f"http://{self.headers.get('Host', '')}{self.path}")
        path = self._file(parts.hostname or "", unquote(parts.path))
        if path is None:
            body = b"<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>"
            self._answer(HTTPStatus.NOT_FOUND, body, {"Content-Type": "text/html"})
            return
        status = path.stat()
        etag = f'"{status.st_mtime_ns:x}-{status.st_size:x}"'
        headers = {"ETag": etag, "Last-Modified": formatdate(status.st_mtime, usegmt=True)}
        if self._is_fresh(etag, status.st_mtime):
            self._answer(HTTPStatus.NOT_MODIFIED, b"", headers)
            return
        body = path.read_bytes()
        name = path.name
        if self.hidden and not parts.path.endswith(".gz") and name.endswith(".gz"):
            body, name = gzip.decompress(body), name.removesuffix(".gz")
        kind = "application/gzip" if name.endswith(".gz") else mimetypes.guess_type(name)[0]
        self._answer(HTTPStatus.OK, body, headers | {"Content-Type": kind or "text/html"})

    def _file(self, host: str, path: str) -> Path | None:
        folder = self.folders.get(host)
        if folder is None:
            return None
        if "\0" in path or max(map(len, path.encode("utf-8", "replace").split(b"/"))) > 250:
            return None  # no such name can be
        wanted = (folder / path.lstrip("/")).resolve()
        if not wanted.is_relative_to(folder.resolve()):
            return None
        candidates = [wanted / "index.html"] if path.endswith("/") else [wanted]
        if self.hidden:
            candidates += [candidate.with_name(candidate.name + ".gz") for candidate in candidates]
        return next((candidate for candidate in candidates if candidate.is_file()), None)

    def _is_fresh(self, etag: str, modified: float) -> bool:
        """Whether the client's copy is still good (RFC 9110 §13.2.2: the tag, or else the date)."""
        if (tags := self.headers.get("If-None-Match")) is not None:
            return etag in tags
        since = self.headers.get("If-Modified-Since")
        try:
            return since is not None and parsedate_to_datetime(since).timestamp() >= int(modified)
        except ValueError:
            return False  # reason: not a date; RFC 9110 says to ignore it

    def _answer(self, status: HTTPStatus, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # signature of the base class
        """Say nothing: the crawl has its own progress."""
