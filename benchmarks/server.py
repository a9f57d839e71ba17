"""A loopback HTTP server that costs next to nothing, so that a benchmark measures the crawl and not the server.

It is an HTTP proxy that answers by absolute address (``GET http://host/path``, RFC 9112 §3.2.2) or by the Host header,
so pages keep the host names of their sites. A hand-written responder over :class:`asyncio.Protocol` with keep-alive:
about 40 µs a request and one copy of the body, against 2 ms in ``http.server``. Always a process of its own:

    python -m benchmarks.server MODULE:FUNCTION ARGUMENT ... [--port N] [--latency SECONDS]

calls the function, which returns a mapping or a function from ``b"host/path?query"`` to an :class:`Answer`.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LOOPBACK = "127.0.0.1"
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response: head with its empty line, and body (in pieces, so that a huge one need not be stored)."""

    head: bytes
    body: tuple[bytes, ...]


Answers = Callable[[bytes], "Answer | None"]


def answer(
    *body: bytes, kind: str = "text/html", status: str = "200 OK", headers: Mapping[str, str] | None = None
) -> Answer:
    """An answer with a length.

    :param kind: the Content-Type; without a charset, as many servers have it.
    """
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {sum(map(len, body))}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return Answer("\r\n".join([*lines, "", ""]).encode("latin-1"), body)


NOT_FOUND = answer(b"<html><title>404 Not Found</title><h1>Not Found</h1></html>", status="404 Not Found")


class Responder(asyncio.Protocol):
    """One connection; pipelined requests are answered in order.

    :param latency: seconds until each answer.
    """

    def __init__(self, answers: Answers, latency: float = 0.0) -> None:
        self.answers = answers
        self.latency = latency
        self.rest = b""
        self.transport: asyncio.WriteTransport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each whole request; only GET without a body is expected."""
        self.rest += data
        while (end := self.rest.find(b"\r\n\r\n")) >= 0:
            head, self.rest = self.rest[:end], self.rest[end + 4 :]
            found = self.answers(_target(head)) or NOT_FOUND
            if self.latency:
                asyncio.get_running_loop().call_later(self.latency, self.transport.writelines, (found.head, *found.body))
            else:
                self.transport.writelines((found.head, *found.body))


def _target(head: bytes) -> bytes:
    """``host/path?query`` of a request."""
    line, _, fields = head.partition(b"\r\n")
    target = line.split(b" ")[1]
    if target.startswith(b"http://"):
        return target[7:]
    for field in fields.split(b"\r\n"):
        name, _, value = field.partition(b":")
        if name.lower() == b"host":
            return value.strip() + target
    return target


async def serve(answers: Answers, port: int, latency: float = 0.0) -> None:
    """Answer until standard input ends (it does when the process that started the server dies)."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    server = await loop.create_server(lambda: Responder(answers, latency), LOOPBACK, port)
    print(f"listening {server.sockets[0].getsockname()[1]}", flush=True)

    def read() -> None:
        if not os.read(sys.stdin.fileno(), 1):
            loop.remove_reader(sys.stdin)
            ended.set_result(None)

    loop.add_reader(sys.stdin, read)
    await ended
    server.close()


@contextmanager
def running(factory: str, *arguments: str | Path, latency: float = 0.0) -> Iterator[str]:
    """A server process; gives its address as a proxy.

    :param latency: seconds until each answer.
    """
    command = [sys.executable, "-m", "benchmarks.server", factory, *map(str, arguments), f"--latency={latency}"]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        words = process.stdout.readline().split()
        if words[:1] != ["listening"]:
            raise RuntimeError(f"the server {factory} did not start")
        yield f"http://{LOOPBACK}:{words[1]}"
    finally:
        process.stdin.close()
        process.wait(10)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("factory", metavar="MODULE:FUNCTION")
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds until each answer (default: 0)")
    arguments = parser.parse_args()
    module, _, name = arguments.factory.partition(":")
    answers = getattr(importlib.import_module(module), name)(*arguments.arguments)
    asyncio.run(serve(answers.get if isinstance(answers, Mapping) else answers, arguments.port, arguments.latency))


if __name__ == "__main__":
    main()
