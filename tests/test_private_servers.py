"""No way into the private network: every form of a private address, by the crawl, the browser's proxy and the command line."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError
from scrapy.resolver import CachingThreadedResolver
from scrapy.settings import BaseSettings
from twisted.internet import defer
from twisted.python.failure import Failure

from newsextract.browser.guard import GuardProxy
from newsextract.browser.guard import Refused as GuardRefused
from newsextract.errors import FetchError
from newsextract.page import fetching
from newsextract.page.fetching import fetch
from newsextract.urls import VARIABLE, AddressPolicy, Refused, is_private
from spiders.addresses import PrivateAddressError, PublicAddressMiddleware

NAMES = {
    "site.example": "10.0.0.5",
    "router.example": "192.168.1.1",
    "office.example": "172.31.255.255",
    "loop.example": "127.0.0.1",
    "loop-high.example": "127.255.255.254",
    "metadata.example": "169.254.169.254",
    "metadata-ecs.example": "169.254.170.2",
    "metadata-azure.example": "168.63.129.16",
    "metadata-alibaba.example": "100.100.100.200",
    "metadata-oracle.example": "192.0.0.192",
    "metadata-aws6.example": "fd00:ec2::254",
    "mapped.example": "::ffff:10.0.0.5",
    "nat64.example": "64:ff9b::a00:5",
    "unique-local.example": "fc00::1",
    "scoped.example": "fe80::1%lo",
}
"""What the owner of a name says its address is."""
LITERALS = [
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0", "10.0.0.5", "172.16.0.1", "192.168.1.1",
    "100.64.0.1", "100.127.255.255", "169.254.169.254", "168.63.129.16", "198.18.0.1", "192.0.2.1", "224.0.0.1", "239.255.255.250",
    "240.0.0.1", "255.255.255.255", "localhost", "[::1]", "[::]", "[::127.0.0.1]", "[::a00:5]", "[::ffff:127.0.0.1]",
    "[::ffff:a9fe:a9fe]", "[::ffff:0:10.0.0.5]", "[64:ff9b::7f00:1]", "[64:ff9b:1::a00:5]", "[64:ff9b:1::808:808]", "[2002:7f00:1::]",
    "[2002:a00:5::1]", "[2001:0:4136:e378:8000:63bf:f5ff:fffa]", "[fec0::1]", "[fe80::1]", "[fc00::1]", "[fd00:ec2::254]",
    "[fd20:ce::254]", "[ff02::1]", "[ff0e::1]", "[100::1]", "[2001:db8::1]", "[5f00::1]",
]  # fmt: skip
CASES = [*NAMES, *LITERALS]
Resolver = Callable[..., list[Any]]
_getaddrinfo = socket.getaddrinfo


def entry(address: str, port: Any) -> Any:
    return (socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, str | list[str]]:
    """The addresses of made-up names; others are resolved by the machine. No proxy, no environment."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", VARIABLE):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    known: dict[str, str | list[str]] = dict(NAMES)

    def resolve(host: str, port: Any, *given: Any, **more: Any) -> list[Any]:
        if host not in known:
            return list(_getaddrinfo(host, port, *given, **more))
        found = known[host]
        return [entry(address, port) for address in ([found] if isinstance(found, str) else found)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return known


@pytest.fixture
def unconnected(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails if anything connects."""
    made: list[object] = []
    monkeypatch.setattr(socket, "create_connection", lambda *given, **_: made.append(given))
    monkeypatch.setattr("newsextract.browser.guard._open", lambda *given: made.append(given))
    yield
    assert made == []


@pytest.mark.parametrize("host", CASES)
@pytest.mark.usefixtures("unconnected")
def test_the_command_line_refuses(host: str) -> None:
    """Where a redirect or a link leads."""
    with pytest.raises(FetchError, match="has the private address"):
        fetch(f"http://{host}:8080/latest/meta-data/", AddressPolicy(["http://127.0.0.1/", "http://news.example/"]))


@pytest.mark.parametrize("host", CASES)
@pytest.mark.usefixtures("unconnected")
def test_the_browsers_proxy_refuses(host: str) -> None:
    proxy = GuardProxy(AddressPolicy(["http://127.0.0.1/", "http://site.example/"]))
    for tunnel in (False, True):
        with pytest.raises(Refused, match="has the private address"):
            asyncio.run(proxy._connect(host.strip("[]"), 8080, tunnel))
    assert GuardRefused is Refused


def middleware(policy: AddressPolicy, monkeypatch: pytest.MonkeyPatch, proxy: str | None = None) -> PublicAddressMiddleware:
    """The crawl's middleware and resolver, without a reactor."""
    reactor = SimpleNamespace(installResolver=lambda _: None, callWhenRunning=lambda install: install())
    monkeypatch.setattr("twisted.internet.reactor", reactor, raising=False)
    monkeypatch.setattr(
        CachingThreadedResolver,
        "getHostByName",
        lambda _, name, timeout=(): defer.succeed(socket.getaddrinfo(name.strip("[]"), 80)[0][4][0]),
    )
    site: Any = SimpleNamespace(proxy=proxy, serve=None, hosts=[])
    return PublicAddressMiddleware(policy, [site], BaseSettings({"DNSCACHE_SIZE": 1, "DNS_TIMEOUT": 1.0}), logs=False)


def ask(checks: PublicAddressMiddleware, url: str) -> str:
    """The address that a crawl would connect to.

    :raises PrivateAddressError: none.
    """
    request = Request(url)
    checks.process_request(request)
    host = url.split("/")[2].rpartition(":")[0]
    found: list[Any] = []
    checks._resolver.getHostByName(host).addBoth(found.append)
    if isinstance(found[0], Failure):
        checks.process_exception(request, CannotResolveHostError(str(found[0].value)))
        raise found[0].value
    return str(found[0])


@pytest.mark.parametrize("host", CASES)
def test_the_crawl_refuses(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a name that sites.toml has, too: its owner may point it anywhere."""
    checks = middleware(AddressPolicy([f"https://{name}/" for name in NAMES]), monkeypatch)
    with pytest.raises(PrivateAddressError, match=r"has the private address .*private = true"):
        ask(checks, f"http://{host}:8080/latest/meta-data/")


def test_public_addresses_are_reached(names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("93.184.216.34", "2606:4700:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"):
        names["public.example"] = address
        assert AddressPolicy().resolve("public.example", 80) == [address]
        assert ask(middleware(AddressPolicy(), monkeypatch), "http://public.example:80/") == address
        assert not is_private(address)


def test_one_private_address_of_several_is_enough_to_refuse(names: dict[str, Any]) -> None:
    names["mixed.example"] = ["93.184.216.34", "10.0.0.5"]
    with pytest.raises(Refused):
        AddressPolicy().resolve("mixed.example", 80)


# --- what the user allows -------------------------------------------------------------------------


def test_an_address_that_the_user_wrote_is_reached_at_its_own_port() -> None:
    policy = AddressPolicy(["http://10.0.0.5:8080/a", "http://[::1]/", "http://localhost:81/", "http://[::1", "http://x:y/"])
    assert policy.refusal("10.0.0.5", 8080, ["10.0.0.5"]) is None
    assert policy.refusal("10.0.0.5", 80, ["10.0.0.5"]) == "10.0.0.5:80 has the private address 10.0.0.5"
    assert policy.refusal("10.0.0.6", 8080, ["10.0.0.6"])
    assert policy.refusal("::1", 443, ["::1"]) is None
    assert policy.refusal("localhost", 81, ["127.0.0.1"]) is None
    assert policy.refusal("localhost", 81, ["10.0.0.5"]), "localhost is this machine"
    assert policy.refusal("name.example", 8080, ["10.0.0.5"]), "a name for the same address is another server"


def test_a_private_name_keeps_the_port_and_the_addresses_of_the_start(
    names: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "http://site.example/"
    policy = AddressPolicy([url], [url])
    checks = middleware(policy, monkeypatch)
    assert ask(checks, "http://site.example:80/b") == "10.0.0.5"
    assert ask(checks, "https://site.example:443/b") == "10.0.0.5"
    for elsewhere in (
        "http://site.example:8080/",
        "http://10.0.0.5:80/",
        "http://10.0.0.5:22/",
        "http://www.site.example:80/",
    ):
        names["www.site.example"] = "10.0.0.5"
        with pytest.raises(PrivateAddressError):
            ask(checks, elsewhere)
    assert policy.resolve("site.example", 80) == ["10.0.0.5"]
    names["site.example"] = "10.0.0.6"
    with pytest.raises(PrivateAddressError):
        ask(checks, url.replace("example/", "example:80/"))
    with pytest.raises(Refused):
        policy.resolve("site.example", 80)
    names["site.example"] = "93.184.216.34"
    assert ask(checks, "http://site.example:80/b") == "93.184.216.34", "public addresses need no permission"


@pytest.mark.parametrize("url", ["http://169.254.169.254/", "http://metadata.example/", "http://[::ffff:169.254.169.254]/"])
def test_nobody_can_allow_the_metadata_of_a_cloud(url: str) -> None:
    host = url.split("/")[2].strip("[]")
    with pytest.raises(Refused):
        AddressPolicy([url], [url]).resolve(host, 80)


def test_the_environment_allows_names_to_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "http://site.example/ https://router.example:8443/")
    policy = AddressPolicy.typed(["http://office.example/"])
    assert policy.resolve("site.example", 443) == ["10.0.0.5"]
    assert policy.resolve("router.example", 8443) == ["192.168.1.1"]
    for host, port in (("router.example", 443), ("office.example", 80)):
        with pytest.raises(Refused):
            policy.resolve(host, port)


def test_a_page_may_not_lead_to_the_proxy_of_the_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = middleware(AddressPolicy(), monkeypatch, proxy="http://site.example:3128")
    with pytest.raises(PrivateAddressError, match="is a proxy of this crawl"):
        ask(checks, "http://site.example:3128/admin")


# --- one resolution, one deadline -----------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    """Answers as the path says: at once, or a byte now and then."""

    ended: threading.Event

    def do_GET(self) -> None:  # the name that http.server looks for
        if self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", "/")
            self.end_headers()
            return
        if self.path == "/head":
            self.dribble(b"HTTP/1.0 200 OK\r\nX: ")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"words")
        if self.path == "/body":
            self.dribble(b"")

    def dribble(self, begin: bytes) -> None:
        self.wfile.write(begin)
        while not self.ended.wait(0.05):
            self.wfile.write(b"x")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # signature of the base class
        """Say nothing."""


class Quiet(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what the tests are about."""


@pytest.fixture
def port() -> Iterator[int]:
    ended = threading.Event()
    with Quiet(("127.0.0.1", 0), type("Bound", (Handler,), {"ended": ended})) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server.server_address[1]
        ended.set()
        server.shutdown()


def test_a_name_is_resolved_once_a_connection(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server that answers the check with one address and the connection with another gets nothing."""
    asked: list[str] = []
    url = f"http://rebound.example:{port}/redirect"
    answers = iter(["127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2"])

    def resolve(host: str, number: Any, *_: Any, **__: Any) -> list[Any]:
        if host == "rebound.example":
            asked.append(host)
            return [entry(next(answers), number)]
        return list(_getaddrinfo(host, number))

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    policy = AddressPolicy([], [url])
    assert fetch(url, policy).text == "words"
    assert len(asked) == 3, "for the policy, for the page and for its redirect"
    with pytest.raises(FetchError, match=r"has the private address 127\.0\.0\.2"):
        fetch(url, policy)


@pytest.mark.parametrize("path", ["http://127.0.0.1:{}/head", "http://127.0.0.1:{}/body", "https://127.0.0.1:{}/"])
def test_the_whole_exchange_has_a_deadline(path: str, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "DEADLINE", 0.6)
    began = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = path.format(silent.getsockname()[1] if path.startswith("https") else port)
        with pytest.raises(FetchError, match=r"no complete answer within 0\.6 s"):
            fetch(url, AddressPolicy([url]))
    assert time.monotonic() - began < 5
