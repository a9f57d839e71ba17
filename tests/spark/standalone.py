"""A standalone cluster on loopback: a master and workers as separate processes, for tests.

    python -m tests.spark.standalone --workers 2

It prints the master's address and runs until Ctrl-C; then all of its processes end. Nothing listens but on 127.0.0.1.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from newsextract.errors import NewsextractError, UsageError
from newsextract.spark import _SETTINGS, check_environment

_HOST = "127.0.0.1"
_START = 60.0
"""Seconds that a process may take to say that it is there."""
_MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
_WORKER = re.compile(r"Successfully registered with master")
_HEAP = "512m"
"""Of master and workers themselves; they only watch over others."""


class Cluster:
    """A master and workers; a context manager.

    :param workers: how many.
    :param folder: logs, and the working folders of executors.
    :param cores: of each worker.
    :param memory: of each worker, as Spark writes it.
    :raises UsageError: there is no Java, or a process does not start.
    :raises MissingExtra: pyspark is not installed.
    """

    def __init__(self, workers: int, folder: Path, *, cores: int = 1, memory: str = "1g") -> None:
        check_environment()
        self._folder = folder
        self._given = workers, cores, memory
        self.processes: list[subprocess.Popen[bytes]] = []
        """The master first."""
        self.address = ""

    def __enter__(self) -> Self:
        count, cores, memory = self._given
        try:
            master = "org.apache.spark.deploy.master.Master"
            self._start("master", [master, "--host", _HOST, "--port", "0", "--webui-port", "0"])
            self.address = self._said("master", _MASTER)[1]
            worker = ["org.apache.spark.deploy.worker.Worker", "--host", _HOST, "--port", "0", "--webui-port", "0"]
            for number in range(count):
                more = ["--cores", str(cores), "--memory", memory, "--work-dir", str(self._folder / f"work-{number}")]
                self._start(f"worker-{number}", [*worker, *more, self.address])
            for number in range(count):
                self._said(f"worker-{number}", _WORKER)
        except BaseException:  # whatever it was: no process may be left behind
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> None:
        """End all processes, executors with their workers."""
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()

    def _start(self, name: str, arguments: Sequence[str]) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        own = {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": _HOST,
            "SPARK_DAEMON_MEMORY": _HEAP,
            "SPARK_DAEMON_JAVA_OPTS": _SETTINGS["spark.driver.extraJavaOptions"],
            "PYSPARK_PYTHON": sys.executable,
        }
        with (self._folder / f"{name}.log").open("wb") as file:
            process = subprocess.Popen(
                [str(home / "bin" / "spark-class"), *arguments], stdout=file, stderr=file, stdin=subprocess.DEVNULL,
                env=os.environ | own, start_new_session=True,
            )  # fmt: skip
        self.processes.append(process)

    def _said(self, name: str, sign: re.Pattern[str]) -> re.Match[str]:
        """Wait for what a process says when it is there.

        :raises UsageError: it does not.
        """
        log = self._folder / f"{name}.log"
        until = time.monotonic() + _START
        while time.monotonic() < until and all(process.poll() is None for process in self.processes):
            if found := sign.search(log.read_text("utf-8", "replace")):
                return found
            time.sleep(0.1)
        last = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
        raise UsageError(f"the {name} of the cluster does not start: {last[0] if last else 'it says nothing'}; see {log}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.spark.standalone", description="A standalone Spark cluster on loopback, until Ctrl-C."
    )
    parser.add_argument("--workers", type=int, default=2, help="default: 2")
    parser.add_argument("--cores", type=int, default=1, help="of each worker; default: 1")
    parser.add_argument("--memory", default="1g", help="of each worker; default: 1g")
    given = parser.parse_args(arguments)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    try:
        with (
            tempfile.TemporaryDirectory(prefix="newsextract-spark-") as folder,
            Cluster(given.workers, Path(folder), cores=given.cores, memory=given.memory) as cluster,
        ):
            print(cluster.address, flush=True)
            ended.wait()
    except NewsextractError as error:
        sys.stderr.write(f"newsextract: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
