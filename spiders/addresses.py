"""Which hosts a crawl may reach: private addresses are refused; sample sites are served from a local folder."""

from __future__ import annotations

import logging
import mimetypes
import os
import re
import threading
from collections.abc import Collection, Mapping, Sequence
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from urllib.request import getproxies

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.resolver import CachingThreadedResolver
from scrapy.settings import BaseSettings
from scrapy.utils.log import get_scrapy_root_handler
from twisted.internet.base import ReactorBase
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from newsextract.control_characters import escaped
from newsextract.sites import Site
from newsextract.urls import AddressPolicy, server_of
from pipelines.items import is_planned, planned

logger = logging.getLogger(__name__)

# --- serving --------------------------------------------------------------------------------------
# Serves a folder of files on loopback under the site's own URLs, for the sample site and for tests.
#
# The server is an HTTP proxy that answers for the hosts it knows. The crawl fetches ``http://www.example.org/`` through it,
# so the URLs in records do not depend on a port. Robots.txt, conditional requests and status codes are those of a real
# server. It runs in a thread and ends with the crawl.
#
# The response is the first of these files that exists:
#
# 1. With a query, ``NAME@QUERY.html``, where NAME is the last part of the path (``index`` if the path ends in ``/``) and
#    QUERY the parameters, decoded, sorted and joined again as ``name=value&…``: :func:`query_file`. So
#    ``search@page=2&q=harbour+fog.html`` answers for ``/search?q=harbour%20fog&page=2``.
# 2. The path itself, whatever the query; a path that ends in ``/`` means its ``index.html``.
# 3. ``NAME@.html``: for URLs without a query, and for queries without a file of their own (a page without hits).
# 4. ``NAME.html``, as hosts of static sites do.
#
# A path without its last ``/`` redirects to its folder, if that has an ``index.html``. Everything else is a 404.

LOOPBACK = "127.0.0.1"
LONGEST_NAME = 250
"""Maximum length of a file name in bytes; file systems allow 255."""
_UNSAFE = re.compile(r'[\x00-\x20\x7f"%&+/:*<=>?\\|\ud800-\udfff]')
"""Characters with a meaning in a query, a path or some file system."""


def query_file(name: str, query: str) -> str:
    """The name of the file for a query.

    Parameters are decoded (``%`` and ``+``; as UTF-8, what is no UTF-8 becomes U+FFFD) and sorted by name and value.
    In names and values a blank becomes ``+``; control characters and ``"%&+/:*<=>?\\|`` stay percent-encoded; everything
    else, Chinese too, is kept. So no query can reach another folder.

    :param name: last part of the path; empty for a folder.
    """
    pairs = sorted(parse_qsl(query, keep_blank_values=True))
    return f"{name or 'index'}@" + "&".join(f"{_plain(key)}={_plain(value)}" for key, value in pairs) + ".html"


def _plain(text: str) -> str:
    return _UNSAFE.sub(lambda match: "+" if match[0] == " " else quote(match[0], safe="", errors="replace"), text)


class FolderServer:
    """Serves folders by host name on a free loopback port; a context manager.

    :param folders: host name → folder.
    """

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._server = ThreadingHTTPServer((LOOPBACK, 0), type("FolderHandler", (_Handler,), {"folders": dict(folders)}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="folder-server", daemon=True)

    @property
    def address(self) -> str:
        """URL of the proxy."""
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    def __enter__(self) -> FolderServer:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body in one segment
    folders: Mapping[str, Path] = {}

    def do_GET(self) -> None:  # http.server expects this name
        """Answer with a file."""
        parts = urlsplit(self.path if "://" in self.path else f"http://{self.headers.get('Host', '')}{self.path}")
        path = self._file(parts.hostname or "", unquote(parts.path), parts.query)
        if path is None and self._file(parts.hostname or "", unquote(parts.path) + "/", ""):
            location = parts._replace(scheme="", netloc="", path=f"{parts.path}/").geturl()
            self._answer(HTTPStatus.MOVED_PERMANENTLY, b"", {"Location": location})
            return
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
        kind = "application/gzip" if path.suffix == ".gz" else mimetypes.guess_type(path.name)[0]
        self._answer(HTTPStatus.OK, path.read_bytes(), headers | {"Content-Type": kind or "text/html"})

    def _file(self, host: str, path: str, query: str) -> Path | None:
        folder = self.folders.get(host)
        if folder is None or "\0" in path:
            return None
        above, _, name = path.lstrip("/").rpartition("/")
        names = [name or "index.html", query_file(name, "")]
        if query:
            names.insert(0, query_file(name, query))
        if name:
            names.append(f"{name}.html")
        root = folder.resolve()
        for candidate in names:
            if max(map(len, f"{above}/{candidate}".encode("utf-8", "replace").split(b"/"))) > LONGEST_NAME:
                continue  # not a valid file name
            wanted = (root / above / candidate).resolve()
            if wanted.is_relative_to(root) and os.path.isfile(wanted):  # no error if the path is too long
                return wanted
        return None

    def _is_fresh(self, etag: str, modified: float) -> bool:
        """Whether the client's copy is fresh (RFC 9110 §13.2.2: the tag, or else the date)."""
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
        """Log nothing."""


# --- addresses ------------------------------------------------------------------------------------
# Enforces :class:`~newsextract.urls.AddressPolicy` in the crawl: private addresses only if sites.toml allows them.
#
# Names are checked when they are resolved, and the connection is made to the checked address; literal addresses and ports
# are checked before every request, redirects and robots.txt included. A proxy resolves the names of the pages that it
# fetches.


class PrivateAddressError(IgnoreRequest):
    """A request was refused because it leads to a private address."""

    status = "private"


def refusal(host: str, address: str) -> str:
    """Why a host is refused."""
    return (
        f"{host} has the private address {address}; to crawl it, name it in a site of sites.toml with private = true "
        "(for a spider of your own, scrapy shell or fetch: in the setting PRIVATE_SERVERS)"
    )


def without_controls(record: logging.LogRecord) -> bool:
    """Log filter: what a server has written, as in a header that Scrapy quotes, must not act on the terminal."""
    record.msg, record.args = escaped(record.getMessage()), None
    if record.exc_info and not record.exc_text:
        record.exc_text = escaped(logging.Formatter().formatException(record.exc_info))
    return True


class PublicResolver(CachingThreadedResolver):
    """Scrapy's resolver; refuses private addresses.

    :param proxies: hosts that fetch pages for the crawl; they may be private.
    """

    def __init__(
        self, reactor: ReactorBase, cache_size: int, timeout: float, policy: AddressPolicy, proxies: frozenset[str]
    ) -> None:
        super().__init__(reactor, cache_size, timeout)
        self._policy, self._proxies = policy, proxies
        self.refused: dict[str, str] = {}
        """Refused host name → its address; the middleware makes the error."""

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802  # Twisted's name
        """Resolve a name; check the result, also if it is cached."""
        return super().getHostByName(name, timeout).addCallback(self._checked, name)

    def _checked(self, address: str, name: str) -> str:
        reason = None if name in self._proxies else self._policy.refusal(name, None, [address])
        if reason:
            self.refused[name] = address
            raise DNSLookupError(reason)
        return address


class PublicAddressMiddleware:
    """Refuses requests to private addresses, also redirects and robots.txt, and installs the resolver.

    :param logs: whether refusals are logged; the spiders of this project write them to the rejected feed instead.
    """

    def __init__(self, policy: AddressPolicy, sites: Collection[Site], settings: BaseSettings, *, logs: bool) -> None:
        from twisted.internet import reactor  # not before Scrapy has chosen one

        urls = [*getproxies().values(), *(site.proxy for site in sites if site.proxy)]
        proxies = frozenset(urlsplit(url).hostname or "" for url in urls)
        if any(site.serve for site in sites):
            proxies |= {LOOPBACK}
        self._policy, self._logs = policy, logs
        self._proxies = proxies.difference(*(site.hosts for site in sites))
        self._resolver = PublicResolver(
            cast("ReactorBase", reactor), settings.getint("DNSCACHE_SIZE"), settings.getfloat("DNS_TIMEOUT"), policy, proxies
        )
        # Not earlier: what starts the reactor installs Scrapy's resolver just before (CrawlerProcess, scrapy shell).
        reactor.callWhenRunning(self._resolver.install_on_reactor)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PublicAddressMiddleware:
        """Called by Scrapy, also for plain spiders and after it has begun its log."""
        if (handler := get_scrapy_root_handler()) is not None:
            handler.addFilter(without_controls)
        if is_planned(crawler):
            plan = planned(crawler).plan
            return cls(plan.policy, plan.sites.values(), crawler.settings, logs=False)
        policy = AddressPolicy.typed(getattr(crawler.spider, "start_urls", ()))
        for url in crawler.settings.getlist("PRIVATE_SERVERS"):
            policy.allow(url, by_name=True)
        return cls(policy, (), crawler.settings, logs=True)

    def process_request(self, request: Request) -> None:
        """Check the scheme and literal IP addresses before anything is sent."""
        if urlsplit(request.url).scheme not in ("http", "https"):
            raise self._logged(f"{request.url}: only http and https are fetched")
        host, port = server_of(request.url)
        if self._policy.refusal(host, port, [host]):
            raise self._logged(refusal(host, host))
        if self._policy.closed_port(host, port):
            raise self._logged(f"{host}:{port} is another port of a private server than sites.toml names")
        if host in self._proxies:
            raise self._logged(f"{host} is a proxy of this crawl; no site of sites.toml names it")

    def _logged(self, reason: str) -> PrivateAddressError:
        if self._logs:
            logger.warning("%s", reason)
        return PrivateAddressError(reason)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report refused names; Scrapy would otherwise retry them."""
        host = urlsplit(request.url).hostname or ""
        if isinstance(exception, CannotResolveHostError) and host in self._resolver.refused:
            raise self._logged(refusal(host, self._resolver.refused[host])) from exception
