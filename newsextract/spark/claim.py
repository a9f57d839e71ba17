"""One driver at a time for an output: ``_work/driver.json`` says whose it is, ``_work/driver.beat`` that he lives.

Locks of disks do not reach HDFS or S3, and clocks of machines differ. So a driver on this machine is looked up by its
process, and of one elsewhere it is watched for :data:`PATIENCE` seconds whether the beat's time changes. A storage that
creates files without asking whether they are there (S3) leaves a gap of milliseconds; therefore the claim is looked at again
before the output is put in its place.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from newsextract.errors import DataError, NewsextractError
from newsextract.spark.storage import Storage

BEAT = 5.0
"""Seconds between two beats."""
PATIENCE = 20.0
"""Seconds without a beat after which a driver on another machine is taken for dead."""
_TRIES = 3


class Claim:
    """A driver's claim on an output; a context manager, which gives it back.

    :param work: the place of the run's state.
    :param shown: what the user calls the output.
    :raises DataError: another driver is at work there.
    """

    def __init__(self, storage: Storage, work: str, shown: str, *, beat: float = BEAT, patience: float = PATIENCE) -> None:
        self.run = secrets.token_hex(4)
        """Tells this run's things from those of others."""
        self._storage = storage
        self._driver = f"{work}/driver.json"
        self._pulse = f"{work}/driver.beat"
        self._shown = shown
        self._beat = beat
        self._patience = patience
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beating, daemon=True)

    def __enter__(self) -> Self:
        own = {"run": self.run, "host": socket.gethostname(), **process(os.getpid())}
        for _ in range(_TRIES):
            if self._storage.create(self._driver, own):
                self.check()
                self._storage.touch(self._pulse)
                self._thread.start()
                return self
            self._await_end()
            self._storage.delete(self._driver)
        raise DataError(f"{self._shown}: another driver begins here, too; try again")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join(self._patience)
        with suppress(NewsextractError):  # reason: the place or Java is gone; a claim of a dead process holds nobody up
            if self._holder().get("run") == self.run:
                self._storage.delete(self._driver)

    def check(self) -> None:
        """Whether the output is still ours.

        :raises DataError: another driver has taken it.
        """
        if self._holder().get("run") != self.run:
            raise DataError(f"{self._shown}: another driver has taken this output over; what it writes is complete")

    def _holder(self) -> dict[str, Any]:
        try:
            value = self._storage.read(self._driver)
        except DataError:
            return {}  # reason: it is not there, or its driver was killed while it was written
        return value if isinstance(value, dict) else {}

    def _await_end(self) -> None:
        """Come back when the other driver is dead.

        :raises DataError: it is not.
        """
        if not self._storage.exists(self._driver):
            return  # reason: it has ended just now
        other = self._holder()
        where = f"process {other.get('process', '?')} on {other.get('host', '?')}"
        known = {name: other.get(name) for name in ("machine", "process", "began")}
        if known["machine"] and known["machine"] == process(os.getpid())["machine"]:
            living = process(int(other["process"])) == known
        else:
            sys.stderr.write(f"spark: {self._shown}: looking {self._patience:g} s whether its driver lives ({where})\n")
            before = self._storage.modified(self._pulse)
            time.sleep(self._patience)
            living = self._storage.modified(self._pulse) != before
        if living:
            raise DataError(
                f"{self._shown}: another driver is at work here ({where}); wait until it ends, or name another output"
            )

    def _beating(self) -> None:
        while not self._ended.wait(self._beat):
            with suppress(NewsextractError):  # reason: what matters is asked before the output is put in its place
                self._storage.touch(self._pulse)


def process(number: int) -> dict[str, Any]:
    """What tells a process from all others of all machines.

    :param number: its id.
    :return: ``machine`` (empty where the system does not tell it), ``process``, and ``began`` (empty: it has ended).
    """
    machine = began = ""
    with suppress(OSError):  # reason: another system than Linux, or no such process
        machine = (
            f"{Path('/proc/sys/kernel/random/boot_id').read_text('ascii').strip()} {os.stat('/proc/self/ns/pid').st_ino}"
        )
        words = Path(f"/proc/{number}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        began = words[19] if words[0] != "Z" else ""  # one that nobody has waited for has ended
    return {"machine": machine, "process": number, "began": began}
