"""A folder of files served on loopback under the site's own addresses, for the sample site and for tests.

The server is an HTTP proxy that answers for the hosts it knows: the crawl fetches ``http://www.example.org/`` through
it, so records carry real-looking addresses that do not depend on a port. Robots.txt, conditional requests and status codes
are those of a real server. It runs in a thread and ends with the crawl.

Which file answers, the first that is there:

1. With a query, ``NAME@QUERY.html``, where NAME is the last part of the path (``index`` if the path ends in ``/``) and
   QUERY the parameters, decoded, sorted and joined again as ``name=value&…``: :func:`query_file`. So
   ``search@page=2&q=harbour+fog.html`` answers for ``/search?q=harbour%20fog&page=2``.
2. The path itself, whatever the query; a path that ends in ``/`` means its ``index.html``.
3. ``NAME@.html``: the answer to no query and to every query that has no file of its own (a page without hits).

Everything else is a 404.
"""

from __future__ import annotations

import gzip
import mimetypes
import os
import re
import threading
from collections.abc import Mapping
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import parse_qsl, quote, unquote, urlsplit

LOOPBACK = "127.0.0.1"
LONGEST_NAME = 250
"""Bytes of a file name; file systems take 255."""
_UNSAFE = re.compile(r'[\x00-\x20\x7f"%&+/:*<=>?\\|\ud800-\udfff]')
"""What has a meaning in a query, a path or some file system."""


def query_file(name: str, query: str) -> str:
    """The name of the file that answers for a query.

    Parameters are decoded (``%`` and ``+``; as UTF-8, what is no UTF-8 becomes U+FFFD) and sorted by name and value.
    In names and values a blank becomes ``+``; control characters and ``"%&+/:*<=>?\\|`` stay percent-encoded; everything
    else, Chinese too, stands as it is. So no query can name another folder.

    :param name: last part of the path; empty for a folder.
    """
    pairs = sorted(parse_qsl(query, keep_blank_values=True))
    return f"{name or 'index'}@" + "&".join(f"{_plain(key)}={_plain(value)}" for key, value in pairs) + ".html"


def _plain(text: str) -> str:
    return _UNSAFE.sub(lambda match: "+" if match[0] == " " else quote(match[0], safe="", errors="replace"), text)


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
        path = self._file(parts.hostname or "", unquote(parts.path), parts.query)
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

    def _file(self, host: str, path: str, query: str) -> Path | None:
        folder = self.folders.get(host)
        if folder is None or "\0" in path:
            return None
        above, _, name = path.lstrip("/").rpartition("/")
        names = [name or "index.html", query_file(name, "")]
        if query:
            names.insert(0, query_file(name, query))
        if self.hidden:
            names = [variant for name in names for variant in (name, name + ".gz")]
        root = folder.resolve()
        for candidate in names:
            if max(map(len, f"{above}/{candidate}".encode("utf-8", "replace").split(b"/"))) > LONGEST_NAME:
                continue  # no such name can be
            wanted = (root / above / candidate).resolve()
            if wanted.is_relative_to(root) and os.path.isfile(wanted):  # no error where the path is too long
                return wanted
        return None

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
