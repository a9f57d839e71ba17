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

import newsextract.spark.main
from newsextract.archives.extraction import Choice
from newsextract.errors import NewsextractError
from newsextract.spark.job import Options, run
from newsextract.spark.mapping import MapTask
from tests.made_archives import foreign
from tests.spark.running import ROOT, archives, lines, need_spark, plain

pytestmark = pytest.mark.crawl  # slow: processes of their own
STEADY = 90.0
"""Seconds that a step may take."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, int]]:
    """(address, process id) of the documented command."""
    need_spark()
    command = [sys.executable, "-m", "newsextract.spark.standalone", "--workers", "2"]
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


def test_spark_submit_gives_the_same_records(cluster: tuple[str, int], tmp_path: Path) -> None:
    given = archives(tmp_path / "in")
    import pyspark

    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [str(submit), "--master", cluster[0], "--executor-memory", "512m", newsextract.spark.main.__file__]
    env = os.environ | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    done = subprocess.run(
        [*command, "extract", str(given), str(tmp_path / "out")],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert lines(tmp_path / "out") == plain([given], tmp_path / "plain.jsonl")


def test_a_killed_executor_and_a_killed_driver(cluster: tuple[str, int], tmp_path: Path) -> None:
    """First an executor dies, and the run goes on; then the driver, and the next one does what is missing."""
    address, pid = cluster
    given = tmp_path / "in"
    given.mkdir()
    names = [f"page{number:02}" for number in range(10)]
    for name in names:
        foreign(given / f"{name}.warc.gz", name)
    output, log = tmp_path / "out", tmp_path / "log"
    command = [sys.executable, "-m", "tests.spark.slow_run", str(given), str(output), address, str(log)]
    env = os.environ | {"PYTHONPATH": str(ROOT)}

    def parts() -> list[Path]:
        return sorted(output.glob("_work/map-*/part-*"))

    with subprocess.Popen(command, env=env, cwd=ROOT, stderr=subprocess.PIPE) as driver:
        until(lambda: len(parts()) >= 2 or driver.poll() is not None)
        os.kill(executors(pid)[0], signal.SIGKILL)
        before = len(parts())
        until(lambda: len(parts()) >= before + 2 or driver.poll() is not None)
        assert driver.poll() is None
        driver.kill()
    until(lambda: not executors(pid))
    kept = len(parts())
    assert 4 <= kept < len(names)
    assert not (output / "summary.json").exists()
    changed = MapTask(Choice(), True, 30.0, 1_500)
    with pytest.raises(NewsextractError, match="another every_page was begun here"):
        run(Options([str(given)], str(output), changed, "local[1]"))
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"going on: {kept} of 10 splits are done already" in done.stderr
    assert lines(output) == plain([given], tmp_path / "plain.jsonl")
    often = Counter(log.read_text("utf-8").split())
    assert len(often) == 10
    assert (
        sum(often.values()) <= 24 + 2 * 4
    )  # at most what was in flight, twice: at the executor's death and at the driver's
