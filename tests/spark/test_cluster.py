"""A standalone cluster: a master and two workers as processes; ``spark-submit``, a killed executor, a killed driver."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import newsextract.commands.spark
from newsextract.spark import _SETTINGS
from tests.made_archives import foreign, html
from tests.spark.running import ROOT, lines, need_spark, plain

pytestmark = pytest.mark.crawl  # slow: processes of their own
STEADY = 180.0
"""Seconds that a step may take."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, int]]:
    """(address, process id) of a cluster with two workers."""
    need_spark()
    command = [sys.executable, "-m", "tests.spark.standalone", "--workers", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            started = below(process.pid)
            process.terminate()
            process.wait(60)
    assert process.returncode == 0
    assert len(started) >= 3
    until(lambda: not any(map(alive, started)))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"  # one that nobody has waited for
    except OSError:
        return False


def below(pid: int) -> list[int]:
    """All processes that come from one."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it has ended meanwhile
    found = [pid]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found[1:]


def executors(pid: int) -> list[int]:
    found = []
    for child in below(pid):
        try:
            words = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue  # it has ended meanwhile
        if b"CoarseGrainedExecutorBackend" in words:
            found.append(child)
    return found


def until(happened: Callable[[], object]) -> None:
    end = time.monotonic() + STEADY
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.timeout(900)  # on a busy machine each start of Java takes a minute
def test_a_killed_executor_a_killed_driver_and_spark_submit(cluster: tuple[str, int], tmp_path: Path) -> None:
    """First an executor dies, and the run goes on; then the driver, and spark-submit does all of it anew.

    The place's name and the driver's locale do not fit together.
    """
    import pyspark

    address, pid = cluster
    given, output, log = tmp_path / "in", tmp_path / "Ausgänge", tmp_path / "log"
    given.mkdir()
    names = [f"page{number:02}" for number in range(10)]
    for name in names[::2]:
        foreign(given / f"{name}.warc.gz", name)
    for name in names[1::2]:  # of another kind: so each file is a split
        comment = f"<!-- saved from url=(0043)https://courier.example/2026/03/01/{name}.html -->".encode()
        (given / f"{name}.html").write_bytes(comment + html(name))

    def begun() -> Counter[str]:
        return Counter(log.read_text("utf-8").split() if log.exists() else [])

    env = os.environ | {"PYTHONPATH": str(ROOT), "LC_ALL": "C"}
    command = [sys.executable, "-m", "tests.spark.slow_run", str(given), str(output), address, str(log)]
    with subprocess.Popen(command, env=env, cwd=ROOT, stderr=subprocess.PIPE) as driver:
        until(lambda: len(begun()) >= 3 or driver.poll() is not None)
        os.kill(executors(pid)[0], signal.SIGKILL)
        before = len(begun())
        until(lambda: len(begun()) >= before + 3 or driver.poll() is not None)
        assert driver.poll() is None  # the executor's tasks are done by others
        driver.kill()
    assert not output.exists()
    (left,) = tmp_path.glob("_Ausgänge.unfinished-*")
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    main = newsextract.commands.spark.__file__
    done = subprocess.run(
        [str(submit), "--master", address, "--executor-memory", "512m", main, "extract", str(given), str(output)],
        env=os.environ
        | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
        | {"LC_ALL": "C.UTF-8", "SPARK_SUBMIT_OPTS": _SETTINGS["spark.driver.extraJavaOptions"]},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert lines(output) == plain([given], tmp_path / "plain.jsonl")
    assert not left.exists()
