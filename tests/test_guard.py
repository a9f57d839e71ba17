"""The proxy between a rendered page and the network, over real sockets; which requests a page does without."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from newsextract.browser.guard import GuardProxy, unneeded
from newsextract.urls import is_private, server_of

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(handler: Handler) -> AsyncIterator[int]:
    server = await asyncio.start_server(handler, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def asked(proxy: GuardProxy, request: bytes) -> bytes:
    """Everything that the proxy answers to some bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(request)
    await writer.drain()
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer


def over(test: Callable[[GuardProxy], Awaitable[None]]) -> None:
    async def run() -> None:
        proxy = GuardProxy()
        await proxy.start()
        try:
            await test(proxy)
        finally:
            await proxy.stop()

    asyncio.run(run())


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_a_request_passes_in_the_origins_form_and_closes() -> None:
    heads: list[bytes] = []

    async def origin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        heads.append(await reader.readexactly(5))
        writer.write(
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"
        )
        await writer.drain()
        writer.close()

    async def test(proxy: GuardProxy) -> None:
        async with listening(origin) as port:
            proxy.policy.allow(f"http://127.0.0.1:{port}/")
            answer = await asked(
                proxy,
                f"POST http://127.0.0.1:{port}/a?b=c HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nProxy-Connection: keep-alive\r\n"
                "Content-Length: 5\r\n\r\nhello".encode()
                + b"GET http://127.0.0.1:9/second HTTP/1.1\r\n\r\n",
            )
        assert heads[0].startswith(b"POST /a?b=c HTTP/1.1\r\nConnection: close\r\nHost: ")
        assert b"keep-alive" not in heads[0]
        assert heads[1] == b"hello"
        assert answer.endswith(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")

    over(test)


def test_a_tunnel_carries_bytes_both_ways() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1000):
            writer.write(data[::-1])
        writer.close()

    async def test(proxy: GuardProxy) -> None:
        async with listening(echo) as port:
            proxy.policy.allow(f"https://127.0.0.1:{port}/")
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
            writer.write(b"\0abc")
            assert await reader.readexactly(4) == b"cba\0"
            writer.write_eof()
            assert await reader.read() == b""
            writer.close()

    over(test)


@pytest.mark.parametrize("method", ["GET http://127.0.0.1:{port}/", "CONNECT 127.0.0.1:{port}"], ids=["request", "tunnel"])
def test_a_server_that_keeps_its_connections_does_not_keep_them_here(method: str) -> None:
    left = asyncio.Event()

    async def keeping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        with suppress(ConnectionError):
            while not reader.at_eof():  # whatever it is told
                await reader.read(1000)
        left.set()
        writer.close()

    async def test(proxy: GuardProxy) -> None:
        async with listening(keeping) as port:
            proxy.policy.allow(f"http://127.0.0.1:{port}/")
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write(f"{method.format(port=port)} HTTP/1.1\r\n\r\n".encode())
            await reader.readuntil(b"ok")
            writer.close()
            await asyncio.wait_for(left.wait(), 5)
            await asyncio.sleep(0.1)
            assert proxy._tasks == set()

    over(test)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("CONNECT 127.0.0.1:{port} HTTP/1.1", b"has the private address 127.0.0.1"),
        ("CONNECT localhost:{port} HTTP/1.1", b"has the private address"),
        ("CONNECT [::1]:{port} HTTP/1.1", b"has the private address ::1"),
        ("CONNECT [::ffff:127.0.0.1]:{port} HTTP/1.1", b"has the private address"),
        ("GET http://127.0.0.1:{port}/ HTTP/1.1", b"has the private address 127.0.0.1"),
        ("GET http://2130706433:{port}/ HTTP/1.1", b"has the private address 127.0.0.1"),
        ("GET http://169.254.169.254/latest HTTP/1.1", b"has the private address 169.254.169.254"),
        ("GET http://0.0.0.0:{port}/ HTTP/1.1", b"has the private address 0.0.0.0"),
        ("GET http://nowhere.invalid/ HTTP/1.1", b"nowhere.invalid is not known"),
        ("GET ftp://127.0.0.1:{port}/ HTTP/1.1", b"only http and https are loaded"),
        ("GET file:///etc/passwd HTTP/1.1", b"only http and https are loaded"),
    ],
)
def test_what_is_refused(line: str, reason: bytes) -> None:
    reached: list[int] = []

    async def origin(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append(1)
        writer.close()

    async def test(proxy: GuardProxy) -> None:
        async with listening(origin) as port:
            proxy.policy.allow("https://example.org/")
            answer = await asked(proxy, line.format(port=port).encode() + b"\r\n\r\n")
        head = answer.partition(b"\r\n\r\n")[0]
        assert head.startswith(b"HTTP/1.1 502 Refused\r\nnewsextract-refused: ")
        assert reason in head
        assert any(reason.decode() in told for told in proxy.refused.values())

    over(test)
    assert reached == []


@pytest.mark.parametrize(
    "request_", [b"", b"\r\n\r\n", b"GET\r\n\r\n", b"CONNECT x:port HTTP/1.1\r\n\r\n", b"\x16\x03\x01" * 40_000]
)
def test_what_is_no_http(request_: bytes) -> None:
    async def test(proxy: GuardProxy) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(request_)
        writer.write_eof()
        with suppress(ConnectionResetError):  # reason: closed with bytes unread
            assert await asyncio.wait_for(reader.read(), 10) == b""
        writer.close()

    over(test)


def test_a_closed_proxy_reaches_nobody() -> None:
    async def test(proxy: GuardProxy) -> None:
        proxy.policy.allow("http://127.0.0.1:80/")
        proxy.closed = True
        assert b"without the network" in await asked(proxy, b"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n")

    over(test)


@pytest.mark.parametrize("tunnel", [False, True])
def test_the_proxy_of_this_machine_is_used(monkeypatch: pytest.MonkeyPatch, tunnel: bool) -> None:
    heads: list[bytes] = []

    async def upstream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        if tunnel:
            writer.write(b"through")
        writer.close()

    async def test(proxy: GuardProxy) -> None:
        async with listening(upstream) as port:
            monkeypatch.setenv("http_proxy", f"http://me:p%40ss@127.0.0.1:{port}")
            monkeypatch.setenv("https_proxy", f"http://me:p%40ss@127.0.0.1:{port}")
            line = "CONNECT nowhere.invalid:443" if tunnel else "GET http://nowhere.invalid/a"
            answer = await asked(proxy, f"{line} HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.endswith(b"through") == tunnel
        assert heads[0].startswith(line.encode() + b" HTTP/1.1\r\n")
        assert b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in heads[0]

    over(test)


@pytest.mark.parametrize(
    ("url", "kind", "left_out"),
    [
        ("https://example.org/a.mp4", "media", True),
        ("https://example.org/a.woff2", "font", True),
        ("https://www.google-analytics.com/collect", "image", True),
        ("https://google-analytics.com/a.js", "script", True),
        ("https://notgoogle-analytics.com/a.js", "script", False),
        ("https://doubleclick.net/a.css", "stylesheet", False),
        ("https://doubleclick.net/", "document", False),
        ("https://example.org/?doubleclick.net", "script", False),
        ("https://example.org/a.png", "image", False),
        ("data:image/png;base64,AAAA", "image", False),
    ],
)
def test_what_a_page_does_without(url: str, kind: str, left_out: bool) -> None:
    assert unneeded(url, kind) == left_out


def test_addresses() -> None:
    assert is_private("127.0.0.1")
    assert is_private("::ffff:10.0.0.1")
    assert is_private("fe80::1%eth0")
    assert is_private("[::1]")
    assert is_private("224.0.0.1")
    assert is_private("192.0.0.8")
    assert not is_private("93.184.216.34")
    assert not is_private("localhost")
    assert server_of("https://Example.org/") == ("example.org", 443)
    assert server_of("http://example.org:8080") == ("example.org", 8080)
