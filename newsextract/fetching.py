"""Fetch one page for the command line: capped, http(s) only, no private addresses unless asked by name.

A person who types an address means it, so the first host may be a private one; a redirect may not lead into the
private network from elsewhere. robots.txt is for crawlers and is not asked for a single page that a person names.
"""

from __future__ import annotations

import ipaddress
import socket
import urllib.error
import urllib.request
from datetime import UTC, datetime
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.parse import urlsplit

from newsextract.errors import FetchError
from newsextract.page import MAX_BYTES, Page

USER_AGENT = "newsextract/0.1 (web crawler)"
_TIMEOUT = 30.0


def fetch(url: str) -> Page:
    """Fetch an http(s) address.

    :raises FetchError: no answer, an error code, a body over the cap, or a redirect into the private network.
    """
    try:
        opener = urllib.request.build_opener(_PublicRedirects(urlsplit(url).hostname or ""))
        request = urllib.request.Request(url, headers={"User-Agent": USER_AGENT, "Accept": "text/html,*/*;q=0.5"})
        with opener.open(request, timeout=_TIMEOUT) as response:
            body = response.read(MAX_BYTES + 1)
            headers = {name.lower(): value for name, value in response.headers.items()}
            final = response.geturl()
    except urllib.error.HTTPError as error:
        error.close()
        raise FetchError(f"{url}: HTTP {error.code} {' '.join(str(error.reason).split())}") from error
    except (urllib.error.URLError, HTTPException, OSError, ValueError) as error:
        raise FetchError(f"{url}: {getattr(error, 'reason', None) or error}") from error
    if len(body) > MAX_BYTES:
        raise FetchError(f"{url}: the page has more than {MAX_BYTES:,} bytes")
    return Page(body, final, headers, datetime.now(UTC).replace(microsecond=0))


class _PublicRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to the first host and to public ones."""

    def __init__(self, first_host: str) -> None:
        self.first_host = first_host

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        """Check where a redirect leads."""
        parts = urlsplit(newurl)
        host = parts.hostname or ""
        if parts.scheme not in ("http", "https"):
            fp.close()
            raise FetchError(f"{req.full_url}: redirects to {newurl}, which is not http or https")
        if host != self.first_host and _is_private(host):
            fp.close()
            raise FetchError(f"{req.full_url}: redirects to {newurl}, a private address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _is_private(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host, None)
    except OSError:
        return False  # reason: no such host; opening it will say so
    return any(not ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_global for entry in found)
