"""What became of an address; pauses that servers ask for; private addresses."""

from __future__ import annotations

import socket
import warnings
from email.utils import formatdate
from time import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from OpenSSL import SSL
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, IgnoreRequest, UnsupportedURLSchemeError
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet import error as network
from twisted.python.failure import Failure
from twisted.web._newclient import ResponseNeverReceived

from newsextract.discovery import record_id
from newsextract.sites import Site
from newsextract.urls import is_private
from pipelines.ledger import Ledger
from spiders.addresses import PrivateAddressError, refusal
from spiders.outcomes import of_code, of_failure, rejection
from spiders.politeness import CappedRobotParser, retry_after
from tests.costs import at_most


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (404, "missing"), (410, "missing"), (401, "blocked"), (403, "blocked"), (429, "blocked"), (451, "blocked"), (400, "http_error"),
        (418, "http_error"), (500, "server_error"), (503, "server_error"), (599, "server_error"), (304, "http_error"),
    ],
)  # fmt: skip
def test_status_codes(code: int, status: str) -> None:
    assert of_code(code) == (status, f"HTTP {code}")
    error = HttpError(Response("https://x.example/", status=code), "Ignoring non-200 response")
    assert of_failure(Failure(error)) == (status, f"HTTP {code}")


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (PrivateAddressError("x has the private address 10.0.0.1"), "private", "x has the private address 10.0.0.1"),
        (PrivateAddressError(refusal("x.example", "10.0.0.1")), "private", "x.example has the private address 10.0.0.1; to crawl it, name it in a site of sites.toml"),
        (DownloadCancelledError("Expected response size larger\nthan download max size"), "too_large", "Expected response size larger than"),
        (UnsupportedURLSchemeError("Unsupported URL scheme 'ftp'"), "private", "only http and https are fetched"),
        (IgnoreRequest("Forbidden by robots.txt"), "robots", "forbidden by robots.txt"),
        (IgnoreRequest("max redirections reached"), "redirect_loop", "the page redirects for ever"),
        (network.DNSLookupError("no results"), "download", "DNSLookupError: "),
        (network.TimeoutError(), "download", "TimeoutError"),
        (ValueError(), "download", "ValueError"),
        (ValueError("x" * 1000), "download", "ValueError: " + "x" * 300),
    ],
)  # fmt: skip
def test_failures(error: Exception, status: str, reason: str) -> None:
    found, text = of_failure(Failure(error))
    assert found == status
    assert text.startswith(reason)
    assert len(text) < 400
    assert "\n" not in text


def failed_with(inner: Exception) -> DownloadFailedError:
    """As Scrapy tells what Twisted tells, whose text is a dump of objects."""
    try:
        try:
            raise ResponseNeverReceived([Failure(inner)])
        except ResponseNeverReceived as error:
            raise DownloadFailedError(str(error)) from error
    except DownloadFailedError as error:
        return error


@pytest.mark.parametrize(
    ("inner", "reason"),
    [
        (SSL.Error([("SSL routines", "", "certificate verify failed")]), "TLS: certificate verify failed"),
        (SSL.Error([("SSL routines", "", "wrong version number"), ("x", "", "y")]), "TLS: wrong version number; y"),
        (SSL.Error(), "TLS: no connection"),
        (network.ConnectionLost("gone"), "ConnectionLost: Connection to the other side was lost in a non-clean fashion: gone."),
        (ResponseNeverReceived([Failure(network.ConnectionDone())]), "ConnectionDone: Connection was closed cleanly."),
        (ResponseNeverReceived([]), "ResponseNeverReceived: []"),
    ],
)  # fmt: skip
def test_reasons_hold_no_dumps_of_objects(inner: Exception, reason: str) -> None:
    assert of_failure(Failure(failed_with(inner))) == ("download", reason)


def test_a_rejection_counts_attempts() -> None:
    site = Site(name="x", start=["https://x.example/"])
    url = "https://x.example/a"
    ledger = Ledger(attempts={int(record_id(url), 16): 2})
    answer = rejection(site, url, "download", "no answer", ledger, title="t")
    assert (answer.id, answer.site, answer.attempt, answer.title) == (record_id(url), "x", 3, "t")
    assert rejection(site, url + "b", "download", "no answer", ledger).attempt == 1


# --- Retry-After ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None), (b"", None), (b" ", None), (b"0", 0.0), (b"120", 120.0), (b" 5 ", 5.0), (b"-5", None), (b"1.5", None),
        (b"soon", None), (b"\xff\xb2", None), (b"9" * 400, 999_999_999.0), (b"Mon, 32 Foo 2024 99:99:99 GMT", None),
        (b"Mon, 01 Jan 1990 00:00:00 GMT", 0.0),
    ],
)  # fmt: skip
def test_retry_after(value: bytes | None, expected: float | None) -> None:
    assert retry_after(value) == expected


def test_retry_after_a_date() -> None:
    wait = retry_after(formatdate(time() + 90, usegmt=True).encode())
    assert wait is not None
    assert 85 < wait <= 90


@given(st.one_of(st.binary(), st.text(alphabet="Mon, 0123456789JanGMT:+-", max_size=40).map(str.encode)))
def test_retry_after_never_raises(value: bytes) -> None:
    wait = retry_after(value)
    assert wait is None or wait >= 0


# --- private addresses ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1",
        "255.255.255.255", "::1", "[::1]", "::", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "[::ffff:10.0.0.1]", "ff02::1",
        "198.18.0.1", "192.0.2.1", "2001:db8::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2002:808:808::", "fec0::1",
    ],
)  # fmt: skip
def test_private(address: str) -> None:
    assert is_private(address)


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "2606:4700:4700::1111",
        "[2606:4700:4700::1111]",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ],
)
def test_public(address: str) -> None:
    assert not is_private(address)


@pytest.mark.parametrize(
    "name", ["localhost", "www.example.org", "", "127.0.0.1.example.org", "0x7f.1", "2130706433", "[", "::g"]
)
def test_names_are_judged_after_they_are_resolved(name: str) -> None:
    assert not is_private(name)


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_private(text) in (True, False)


def test_loopback_of_this_machine_is_private() -> None:
    for entry in socket.getaddrinfo("localhost", 80):
        assert is_private(str(entry[4][0]))


def test_only_the_beginning_of_a_robots_txt_is_read() -> None:
    body = b"User-agent: *\nDisallow: /a\n" + b"# filler\n" * 100_000 + b"Disallow: /b\n"
    parser = CappedRobotParser(body, None)
    assert not parser.allowed("http://example.org/a", "x")
    assert parser.allowed("http://example.org/b", "x")


@pytest.mark.parametrize("between", [b"", b"\n", b"\ndi\n", b"\nsitemap: x\n"])
def test_endless_groups_of_a_robots_txt_are_for_everybody(between: bytes) -> None:
    """Protego took minutes and all memory: 16,000 user agents, each with 20,000 rules."""
    agents = b"".join(b"useragent:%x\n%b" % (number, between) for number in range(3_000, 19_000))
    with at_most(10.0):
        parser = CappedRobotParser(agents[:240_000] + b"\ndisallow: /a\n" + b"allow:/b\n" * 26_000, None)
    assert not parser.allowed("http://example.org/a", "x")
    assert parser.allowed("http://example.org/b", "x")


def test_long_honest_groups_of_a_robots_txt() -> None:
    groups = b"".join(b"User-agent: Bot%d\n" % number + b"Disallow: /a\n\n" * 30 for number in range(400))
    names = b"".join(b"User-agent: Other%d\n" % number for number in range(300)) + b"Disallow: /b\n" * 900
    parser = CappedRobotParser(groups + names + b"\nUser-agent: *\nDisallow: /c\n", None)
    for agent, path in (("Bot7", "/a"), ("Other7", "/b"), ("x", "/c")):
        assert [one for one in ("/a", "/b", "/c") if not parser.allowed(f"http://example.org{one}", agent)] == [path]
