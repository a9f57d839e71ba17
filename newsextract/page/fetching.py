"""Fetch one page, for the command line and for programs: http(s) only, a capped body, a deadline, no private address.

What a URL, its name or a redirect leads to is checked (:class:`~newsextract.urls.AddressPolicy`), and the connection is made
to the checked address. On the command line, a private IP address or ``localhost`` is what the user typed, so it is allowed
there; a program may pass links that it found. robots.txt is for crawlers and is not asked for a single page.
"""

from __future__ import annotations

import http.client
import socket
import threading
import urllib.error
import urllib.request
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from http.client import HTTPException, HTTPMessage, HTTPResponse
from time import monotonic
from typing import IO, Any, Self
from urllib.parse import urlsplit

from newsextract.errors import FetchError
from newsextract.page.notices import MOST_BYTES, find_challenge
from newsextract.page.page import MAX_BYTES, Page
from newsextract.urls import AddressPolicy, Refused, server_of, with_scheme, without_login

USER_AGENT = "newsextract/0.1 (web crawler)"
_TIMEOUT = 30.0
"""Seconds without a byte."""
DEADLINE = 60.0
"""Seconds for everything, redirects included: a server that sends a byte now and then has no longer."""


def fetch(url: str, policy: AddressPolicy | None = None) -> Page:
    """Fetch an http(s) URL.

    :param policy: which private addresses may be reached, such as ``AddressPolicy([url])`` for a server on this machine;
        None: those that the environment variable ``NEWSEXTRACT_PRIVATE`` names.
    :raises FetchError: no answer in time, an error code, a body over the cap, or a private address.
    """
    body, final, headers = _answer(url, {"Accept": "text/html,*/*;q=0.5"}, None, policy)
    if len(body) > MAX_BYTES:
        raise FetchError(f"{url}: the page has more than {MAX_BYTES:,} bytes")
    return Page(body, final, headers, datetime.now(UTC).replace(microsecond=0))


def post(url: str, body: bytes, policy: AddressPolicy | None = None) -> None:
    """Send JSON to an http(s) URL.

    :param policy: as for :func:`fetch`.
    :raises FetchError: no answer in time, an error code, or a private address.
    """
    _answer(url, {"Content-Type": "application/json"}, body, policy)


def _answer(
    url: str, asked: dict[str, str], sent: bytes | None, policy: AddressPolicy | None
) -> tuple[bytes, str, dict[str, str]]:
    """Body, URL and headers of an answer.

    :param asked: headers of the request.
    :param sent: body of a POST; None: it is a GET.
    :raises FetchError: as above.
    """
    if not isinstance(url, str):
        raise TypeError(f"the URL is a str, not {type(url).__name__}")
    if url.partition(":")[0].lower() not in ("http", "https"):  # urllib would also read files, and connect to FTP servers
        raise FetchError(f"{url}: not an http(s) URL{'' if '://' in url else with_scheme(url)}")
    if (bare := without_login(url)) != url:
        raise FetchError(f"{bare}: a URL with a user name or password; expected one without")
    try:
        with _Exchange(policy or AddressPolicy.typed([])) as exchange:
            request = urllib.request.Request(url, sent, {"User-Agent": USER_AGENT, **asked})
            opener = urllib.request.build_opener(_Redirects(), _Http(exchange), _Https(exchange))
            with opener.open(request, timeout=_TIMEOUT) as response:
                body = response.read(MAX_BYTES + 1)
                headers = {name.lower(): value for name, value in response.headers.items()}
                final = response.geturl()
            exchange.check()
    except urllib.error.HTTPError as error:
        what = f" {' '.join(str(error.reason).split())}"
        with error, suppress(OSError, HTTPException):  # reason: the code alone tells enough
            if challenge := find_challenge(error.read(MOST_BYTES), dict(error.headers), error.code):
                what = f", a challenge: {challenge}"
        failed = FetchError(f"{url}: HTTP {error.code}{what}")
        failed.code = error.code
        raise failed from error
    except (urllib.error.URLError, HTTPException, OSError, ValueError, Refused) as error:
        raise FetchError(f"{url}: {exchange.late() or getattr(error, 'reason', None) or error}") from error
    return body, final, headers


class _Exchange:
    """The connections of one fetch, redirects included; all of them end at the deadline. A context manager."""

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        self._until = monotonic() + DEADLINE
        self._sockets: list[socket.socket] = []
        self._timer = threading.Timer(DEADLINE, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        for one in self._sockets:
            one.close()

    def late(self) -> str | None:
        """What to say when the deadline has passed."""
        return f"no complete answer within {DEADLINE:g} s" if monotonic() >= self._until else None

    def check(self) -> None:
        """Raise if the deadline has cut the answer.

        :raises TimeoutError: it has.
        """
        if reason := self.late():
            raise TimeoutError(reason)

    def vet(self, host: str, port: int) -> None:
        """Check a host that a proxy will resolve; names that only the proxy knows pass.

        :raises Refused: it has a private address.
        """
        with suppress(OSError, UnicodeError):
            self._policy.resolve(host, port)

    def connect(self, server: tuple[str, int], timeout: float | None = None, *_: Any, direct: bool = True) -> socket.socket:
        """Connect to the first checked address that answers; the signature of :func:`socket.create_connection`.

        :param direct: whether the server is the page's own, and not a proxy of this machine.
        """
        try:
            addresses = self._policy.resolve(*server) if direct else [server[0]]
        except UnicodeError as error:
            raise OSError(f"{server[0]!r} is not the name of a host") from error
        reason: OSError = OSError("no address")
        for address in addresses:
            self.check()
            try:
                made = socket.create_connection((address, server[1]), timeout)
            except OSError as error:
                reason = error
            else:
                self._sockets.append(made.dup())  # TLS takes the first over; shutting down the second ends both
                return made
        raise reason

    def _end(self) -> None:
        for one in [*self._sockets]:
            with suppress(OSError):  # reason: it has ended
                one.shutdown(socket.SHUT_RDWR)


class _Http(urllib.request.HTTPHandler):
    """Opens http URLs over an exchange's connections."""

    kind: type[http.client.HTTPConnection] = http.client.HTTPConnection

    def __init__(self, exchange: _Exchange) -> None:
        super().__init__()
        self._exchange = exchange

    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        """Open a URL, directly or through the proxy of this machine."""
        target = req.full_url
        through = req.has_proxy() or bool(getattr(req, "_tunnel_host", None))
        if through:
            self._exchange.vet(*server_of(target))

        def connection(host: str, **options: Any) -> http.client.HTTPConnection:
            made = self.kind(host, **options)
            connect = partial(self._exchange.connect, direct=not through)
            made._create_connection = connect  # type: ignore[attr-defined]  # http.client's own hook
            return made

        return self.do_open(connection, req)


class _Https(urllib.request.HTTPSHandler):
    """Opens https URLs in the same way."""

    def __init__(self, exchange: _Exchange) -> None:
        super().__init__()
        self._http = _Http(exchange)
        self._http.kind = http.client.HTTPSConnection

    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        """Open a URL."""
        return self._http.http_open(req)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to http and https."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        """Check where a redirect leads."""
        assert isinstance(fp, HTTPResponse)
        fp.length, fp.chunked = 0, False  # urllib would read its body, however long
        if urlsplit(newurl).scheme not in ("http", "https"):
            fp.close()
            raise FetchError(f"{req.full_url}: redirects to {newurl}, which is not http or https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
