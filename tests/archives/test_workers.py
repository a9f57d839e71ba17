"""Worker processes: one that dies, hangs or fails costs its own task."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing import forkserver, spawn
from pathlib import Path

import pytest

from newsextract import workers as workers_module
from newsextract.urls import normalize
from newsextract.workers import MEMORY, WALL, Stopped, Workers


def work(task: str, factor: int) -> str:
    """What a task says is done to the worker."""
    if task == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "hang":
        while True:
            pass
    if task == "wait":
        time.sleep(60)
    if task == "compute":
        while time.process_time() < 1.5:
            pass
    if task == "fail":
        raise KeyError("a defect")
    if task == "grow":
        return str(len(bytearray(3_000_000_000)))
    return task * factor


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 3])
def test_each_task_has_one_answer(count: int) -> None:
    tasks = ["a", "die", "b", "hang", "c", "fail", "d", "grow", *map(str, range(20))]
    with Workers[str, str](count, work, 2, timeout=2, memory=1_000) as workers:
        found = dict(workers.run(tasks))
        assert workers.replaced == 2
    assert len(found) == len(tasks)
    told = {task: str(result) for task, result in found.items() if isinstance(result, Stopped)}
    assert told == {
        "die": "the worker process died (exit code -9)", "hang": "stopped after 2 s", "fail": "defect: KeyError: 'a defect'",
        "grow": MEMORY,
    }  # fmt: skip
    assert all(result == 2 * task for task, result in found.items() if task not in told)


def test_what_waits_is_stopped_too_if_later() -> None:
    with Workers[str, str](1, work, 2, timeout=0.3) as workers:
        assert [str(result) for _, result in workers.run(["wait"])] == [f"stopped after {WALL * 0.3:g} s"]


def test_a_task_has_its_time_on_a_busy_machine() -> None:
    """More workers than cores, each of which needs most of its CPU time."""
    count = 3 * (os.cpu_count() or 1)
    with Workers[str, str](count, work, 2, timeout=3) as workers:
        begun = time.monotonic()
        results = [result for _, result in workers.run(["compute"] * count)]
        assert time.monotonic() - begun > 3, "the machine was not busy"
    assert results == ["computecompute"] * count


def test_no_task_is_asked_for_before_a_worker_is_free() -> None:
    given = 0

    def tasks() -> Iterator[str]:
        nonlocal given
        for k in range(30):
            given += 1
            yield str(k)

    with Workers[str, str](2, work, 1) as workers:
        for done, _ in enumerate(workers.run(tasks()), 1):
            assert given <= done + 2


@pytest.mark.slow
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    code = """
import sys
from newsextract.workers import Workers
from tests.archives.test_workers import work
if __name__ == "__main__":
    with Workers(2, work, 1, timeout=100) as workers:
        print(*(worker.process.pid for worker in workers._workers), flush=True)
        list(workers.run(["hang", "hang"]))
"""
    script = tmp_path / "parent.py"
    script.write_text(code)
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": root}
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        time.sleep(1.5)
        parent.kill()
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < end, "they live on"
        time.sleep(0.05)


def test_workers_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    """A script may be run from a folder with any files in it, such as one of somebody else's."""
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    (here / "numpy.py").write_text("print('a module of the current folder was run', flush=True)\n")
    script = elsewhere / "script.py"
    script.write_text(
        "import os\nfrom newsextract.urls import normalize\nfrom newsextract.workers import Workers\n"
        "with Workers(1, normalize) as workers:\n"
        "    print([found for _, found in workers.run(['http://a.example'])], os.environ.get('PYTHONSAFEPATH'))\n"
    )
    done = subprocess.run([sys.executable, str(script)], cwd=here, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "['http://a.example/'] None\n"


def test_a_server_that_was_killed_is_replaced() -> None:
    with Workers(1, normalize) as workers:
        list(workers.run(["http://a.example"]))
    pid = vars(workers_module._server())["_forkserver_pid"]
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # it is dead, and whoever started it has not been told
    with Workers(1, normalize) as workers:
        assert [found for _, found in workers.run(["http://a.example"])] == ["http://a.example/"]


def test_a_server_that_cannot_start_leaves_multiprocessing_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise OSError("no process can be started")

    before = spawn.get_preparation_data, forkserver.connect_to_new_process
    monkeypatch.setattr(workers_module, "_server", fails)
    with pytest.raises(OSError, match="no process can be started"):
        Workers(1, normalize)
    assert (spawn.get_preparation_data, forkserver.connect_to_new_process) == before
