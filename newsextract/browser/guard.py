"""What a rendered page may load: a proxy that the browser cannot go round, and which kinds of requests are left out.

The browser resolves no names and opens no connections of its own; it asks this proxy for each, whatever asks (the page, a
redirect, a frame, a worker, a web socket, a pop-up). The proxy resolves the name, refuses private addresses unless the user
allows the server (:class:`~newsextract.urls.AddressPolicy`), and connects to the very address that it has checked, so that a
second answer of the name server changes nothing. Patterns of requests inside the browser would miss redirects and workers.

Cost: 0.1 ms of this process a connection, and the copying of bytes; encrypted connections stay encrypted.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Coroutine
from contextlib import suppress
from functools import cache
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from newsextract.model_files import data_table
from newsextract.urls import AddressPolicy, Refused, server_of

LOOPBACK = "127.0.0.1"
REASON = "newsextract-refused"
"""Header of an answer that is the proxy's own: why there is no other."""
_MOST_REFUSED = 1_000
"""Hosts whose refusal is remembered for the message."""

_UNNEEDED = frozenset(("media", "font"))
_CONNECT_SECONDS = 10.0
_HEAD_SECONDS = 60.0
_CHUNK = 65_536
_HOP = re.compile(rb"(?im)^(?:proxy-connection|proxy-authorization|connection|keep-alive):[^\n]*\n")
_LENGTH = re.compile(rb"(?im)^content-length:\s*(\d{1,15})\s*$")

_Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def unneeded(url: str, kind: str) -> bool:
    """Whether a rendered page does without a request: media, fonts and trackers, never a page or a style sheet.

    :param kind: what the browser calls its resource type: ``document``, ``stylesheet``, ``script``, ``media`` …
    """
    if kind in ("document", "stylesheet"):
        return False
    if kind in _UNNEEDED:
        return True
    host = urlsplit(url).hostname or ""
    labels = host.split(".")
    return any(".".join(labels[i:]) in _trackers() for i in range(len(labels) - 1))


@cache
def _trackers() -> frozenset[str]:
    return frozenset(data_table("data/trackers.toml")["hosts"])


class GuardProxy:
    """The proxy; runs in an event loop, on a free port of this machine.

    :param policy: which private addresses may be reached; none without it.
    """

    def __init__(self, policy: AddressPolicy | None = None) -> None:
        self.policy = policy or AddressPolicy()
        self.closed = False
        """Whether everything is refused: for pages that need no network."""
        self.refused: dict[str, str] = {}
        """Why the last connection to a host was not made."""
        self.port = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._accept, LOOPBACK, 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close the port and all connections."""
        if self._server:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._attend(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError):
            pass  # reason: either side has hung up or talks no HTTP; the browser sees the closed connection
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: a tunnel, or one request and its answer."""
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _HEAD_SECONDS)
        line, _, fields = head.partition(b"\r\n")
        method, target, _ = line.decode("latin-1").split(" ", 2)
        tunnel = method == "CONNECT"
        host, port = server_of(f"https://{target}" if tunnel else target)
        try:
            if not tunnel and not target.startswith("http://"):
                raise Refused("only http and https are loaded")
            there, back, upstream = await self._connect(host, port, tunnel)
        except Refused as refusal:
            if len(self.refused) >= _MOST_REFUSED:
                self.refused.clear()
            self.refused[host] = str(refusal)
            reason = str(refusal).encode("ascii", "replace")
            writer.write(b"HTTP/1.1 502 Refused\r\n%s: %s\r\n" % (REASON.encode(), reason))
            writer.write(b"Content-Type: text/plain\r\nContent-Length: 7\r\nConnection: close\r\n\r\nrefused")
            await writer.drain()
            return
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await _both(_send(reader, back), _copy(there, writer))
                return
            parts = urlsplit(target)
            path = target if upstream is not None else (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            length = _LENGTH.search(fields)
            back.write(f"{method} {path} HTTP/1.1\r\n".encode("latin-1") + (upstream or b"") + _closing(fields))
            await _both(_send(reader, back, int(length[1]) if length else 0), _answer(there, writer))
        finally:
            back.close()

    async def _connect(
        self, host: str, port: int, tunnel: bool
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes | None]:
        """A connection to a server that may be reached, and what to say to a proxy on the way (None: there is none).

        :raises Refused: it may not or cannot be.
        """
        if self.closed:
            raise Refused("saved pages are shown without the network")
        upstream = None if proxy_bypass(host) else getproxies().get("https" if tunnel else "http")
        addresses = await self._addresses(host, port, bool(upstream))
        if not upstream:
            reader, writer = await _open(addresses, port)
            return reader, writer, None
        parts = urlsplit(upstream)
        reader, writer = await _open([parts.hostname or ""], parts.port or 80)
        said = b""
        if parts.username:
            secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            said = b"Proxy-Authorization: Basic " + base64.b64encode(secret) + b"\r\n"
        if tunnel:
            writer.write(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n".encode("latin-1") + said + b"\r\n")
            answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _CONNECT_SECONDS)
            if b" 200" not in answer.partition(b"\r\n")[0]:
                writer.close()
                raise Refused(f"the proxy of this machine does not reach {host}")
        return reader, writer, said

    async def _addresses(self, host: str, port: int, elsewhere: bool) -> list[str]:
        """What a name resolves to, checked.

        :param elsewhere: a proxy will resolve it, too; then it need not be known here.
        """
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)  # type 1: streams
        except (OSError, UnicodeError) as error:  # UnicodeError: no name of a host
            if elsewhere:
                return []
            raise Refused(f"{host} is not known ({getattr(error, 'strerror', None) or error})") from error
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        if reason := self.policy.refusal(host, port, addresses):
            raise Refused(reason)
        return addresses


def _closing(fields: bytes) -> bytes:
    """Header fields with which both sides close the connection after one answer."""
    return b"Connection: close\r\n" + _HOP.sub(b"", fields)


async def _open(addresses: list[str], port: int) -> _Connection:
    """The first that answers."""
    reason: OSError | TimeoutError | None = None
    for address in addresses:
        try:
            return await asyncio.wait_for(asyncio.open_connection(address, port), _CONNECT_SECONDS)
        except (OSError, TimeoutError) as error:
            reason = error
    raise Refused(f"no connection ({getattr(reason, 'strerror', None) or reason or 'no address'})")


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy one answer; the browser must not send the next request, maybe for another server, down this connection."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        writer.write(line + b"\r\n" + _closing(fields))
        if not re.match(rb"HTTP/1\.\d 1\d\d", line):  # after "100 continue" comes another
            break
    await _copy(reader, writer)
    writer.close()


async def _send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int | None = None) -> None:
    """Copy what the browser sends, and wait until it hangs up: a server that keeps the connection must not keep it here.

    :raises EOFError: it has hung up, which ends the other direction, too.
    """
    await _copy(reader, writer, size)
    while await reader.read(_CHUNK):
        pass
    raise EOFError("the browser has hung up")


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int | None = None) -> None:
    """Bytes until the end, or some; the end is passed on."""
    while size is None or size > 0:
        data = await reader.read(_CHUNK if size is None else min(_CHUNK, size))
        if not data:
            break
        size = None if size is None else size - len(data)
        writer.write(data)
        await writer.drain()
    if size is None and writer.can_write_eof():
        with suppress(OSError):  # it has gone already
            writer.write_eof()


async def _both(*directions: Coroutine[None, None, None]) -> None:
    """Both directions to their ends; an error of one ends both."""
    tasks = [asyncio.ensure_future(direction) for direction in directions]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
