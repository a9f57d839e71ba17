"""A Redis server of the test's own: a free port, a temporary folder, stopped at the end."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = shutil.which("redis-server")


class RedisServer:
    """See the module. It keeps its data (append-only file), unless told otherwise."""

    def __init__(self, folder: Path, *options: str, keeps: bool = True) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        folder.mkdir(parents=True, exist_ok=True)
        self._command = [
            *(str(PROGRAM), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""),
            *("--appendonly", "yes" if keeps else "no", "--appendfsync", "always", *options),
        ]
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self.process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            assert time.monotonic() < end, "redis-server does not start"
            time.sleep(0.02)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextlib.contextmanager
def running(folder: Path, *options: str, keeps: bool = True) -> Iterator[RedisServer]:
    """A server, or a visible skip."""
    if PROGRAM is None:
        pytest.skip("redis-server is not installed; on Debian: apt-get install redis-server")
    server = RedisServer(folder, *options, keeps=keeps)
    try:
        yield server
    finally:
        server.stop()
