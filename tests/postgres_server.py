"""A PostgreSQL server in a temporary folder, on a free port of loopback and a socket; it refuses to run as root."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

PASSWORD = "tide-table"


def programs() -> Path | None:
    """The folder of ``initdb`` and ``pg_ctl``; None if there is none."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    known = [*reversed(folders), *map(Path, os.environ.get("PATH", "").split(":"))]
    return next((folder for folder in known if (folder / "initdb").exists() and (folder / "pg_ctl").exists()), None)


class PostgresServer:
    """Use it in ``with``. Over the socket everybody is trusted, over TCP a password is wanted.

    :param options: of the server, as ``fsync=off``.
    """

    def __init__(self, programs: Path, folder: Path, *options: str) -> None:
        self._programs = programs
        self.folder = folder
        self._options = options
        self._numbers = itertools.count(1)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def __enter__(self) -> Self:
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        (self.folder / "password").write_text(PASSWORD)
        (self.folder / "password").chmod(0o644)
        self._run("initdb", "-D", str(self._data), "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8",
                  "--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={self.folder}/password")  # fmt: skip
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop("immediate")  # its folder goes, too

    def start(self) -> None:
        options = " ".join(
            f"-c {option}"
            for option in (
                "listen_addresses=127.0.0.1",
                f"unix_socket_directories={self.folder}",
                f"port={self.port}",
                *self._options,
            )
        )
        self._run("pg_ctl", "-D", str(self._data), "-w", "-t", "60", "-l", f"{self.folder}/log", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """End the server; ``immediate`` is a crash: what was committed in the last moments is lost."""
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "-D", str(self._data), "-w", "-t", "60", "-m", mode, "stop")

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """As long as this lasts none of the server's processes does anything; their connections stay open."""
        found = [self.pid]
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal():
                with suppress(OSError):  # it has just ended
                    if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == self.pid:
                        found.append(int(folder.name))
        for pid in found:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    @property
    def pid(self) -> int:
        """Of the server's first process."""
        return int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])

    def database(self) -> str:
        """The address of a new, empty database."""
        name = f"test{next(self._numbers)}"
        self.sql(f"CREATE DATABASE {name}")
        return self.address(name)

    def schema(self) -> str:
        """The address of a new, empty schema: as good as a database of its own, and made in a moment."""
        name = f"test{next(self._numbers)}"
        self.sql(f"CREATE SCHEMA {name}")
        return f"{self.address('postgres')}&options=-csearch_path%3D{name}"

    def address(self, name: str) -> str:
        return f"postgresql+psycopg://postgres@/{name}?host={self.folder}&port={self.port}"

    def sql(self, statement: str, database: str = "postgres") -> str:
        where = ("-h", str(self.folder), "-p", str(self.port), "-U", "postgres", "-d", database)
        return self._run("psql", *where, "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-c", statement)

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def _run(self, program: str, *arguments: str) -> str:
        command = [str(self._programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        # A file, not a pipe: the server would inherit the pipe, and reading it would never end.
        with (self.folder.parent / f"{self.folder.name}.out").open("w+") as out:
            done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, cwd=self.folder, check=False)
            out.seek(0)
            text = out.read()
        Path(out.name).unlink()
        if done.returncode:
            raise RuntimeError(f"{program} failed: {text[-2000:]}")
        return text.strip()
