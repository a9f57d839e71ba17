"""The worker pool by itself: what is stuck, too large or dead costs its own call only."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from newsextract import Page
from newsextract.page.page import Hints, RenderedPage
from pipelines.extraction import WorkerError, WorkerPool

REPOSITORY = Path(__file__).parents[2]

# What workers are to do stands in a module that they can import by name.
JOBS = """
import os, time

def sleep(seconds):
    time.sleep(seconds)

def spin():
    while True:
        pass

def pid():
    return os.getpid()

def allocate(megabytes):
    return len(bytearray(megabytes * 1_000_000))

def leave(code):
    os._exit(code)

def fail():
    raise ValueError("a defect")

def body_and_pid(page, *more):
    return page.body, os.getpid(), more

def unpicklable():
    return lambda: None
"""


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "worker_jobs.py").write_text(JOBS, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("worker_jobs", None)
    import worker_jobs

    return worker_jobs


@pytest.fixture
def make_pool(jobs: Any) -> Iterator[Callable[..., WorkerPool]]:
    pools = []

    def make(workers: int = 2, timeout: float = 10.0, memory: int = 600) -> WorkerPool:
        pools.append(WorkerPool(workers, timeout, memory))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def gone_within(seconds: float, *pids: int) -> bool:
    end = time.monotonic() + seconds
    while any(map(is_alive, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("how", ["sleep", "spin"])
def test_a_stuck_worker_is_killed_and_replaced(how: str, make_pool: Any, jobs: Any) -> None:
    async def story() -> None:
        pool = make_pool(1, timeout=0.5)
        before = await pool.run(jobs.pid)
        began = time.monotonic()
        with pytest.raises(WorkerError, match="stopped after 5 s" if how == "sleep" else r"stopped after 0\.5 s"):
            await (pool.run(jobs.sleep, 60) if how == "sleep" else pool.run(jobs.spin))
        assert time.monotonic() - began < 15
        assert pool.replaced == 1
        assert await pool.run(jobs.pid) != before
        assert gone_within(3, before)

    asyncio.run(story())


def test_too_much_memory_is_an_error_of_that_call_only(make_pool: Any, jobs: Any) -> None:
    async def story() -> None:
        pool = make_pool(1)
        assert await pool.run(jobs.allocate, 100) == 100_000_000
        with pytest.raises(WorkerError, match="memory"):
            await pool.run(jobs.allocate, 900)
        assert await pool.run(jobs.allocate, 100) == 100_000_000

    asyncio.run(story())


def test_a_dying_worker_is_replaced(make_pool: Any, jobs: Any) -> None:
    async def story() -> None:
        pool = make_pool(1)
        for code in (1, 3):
            with pytest.raises(WorkerError, match="died"):
                await pool.run(jobs.leave, code)
        assert is_alive(await pool.run(jobs.pid))
        assert pool.replaced == 2
        victim = await pool.run(jobs.pid)
        call = asyncio.ensure_future(pool.run(jobs.sleep, 30))
        await asyncio.sleep(0.3)
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(WorkerError, match="died"):
            await call
        assert await pool.run(jobs.pid) != victim

    asyncio.run(story())


@pytest.mark.parametrize("job", ["fail", "unpicklable"])
def test_a_defect_is_an_error_of_that_call_only(job: str, make_pool: Any, jobs: Any) -> None:
    async def story() -> None:
        pool = make_pool(1)
        with pytest.raises(WorkerError):
            await pool.run(getattr(jobs, job))
        assert is_alive(await pool.run(jobs.pid))

    asyncio.run(story())


def test_many_calls_with_bad_ones_among_them(make_pool: Any, jobs: Any) -> None:
    """One stuck worker holds up its own queue only as long as the time-out."""

    async def story() -> None:
        pool = make_pool(2, timeout=1.0)
        await asyncio.gather(pool.run(jobs.pid), pool.run(jobs.pid))
        calls = [pool.run(jobs.spin), pool.run(jobs.leave, 1), *(pool.run(jobs.pid) for _ in range(40))]
        answers = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 20)
        assert all(isinstance(answer, WorkerError) for answer in answers[:2])
        # A worker that dies may take with it what had been handed to it already, never more than its short queue.
        assert sum(isinstance(answer, int) for answer in answers[2:]) >= 36

    asyncio.run(story())


def test_a_worker_opens_the_page_that_it_is_asked_about(make_pool: Any, jobs: Any) -> None:
    async def story() -> None:
        pool = make_pool(2)
        body, pid, more = await pool.ask(Page(b"<p>one", "http://example.org/"), jobs.body_and_pid, 1, "two")
        assert (body, more) == (b"<p>one", (1, "two"))
        assert pid != os.getpid()
        rendered = RenderedPage(b"no walk", "http://example.org/", {}, datetime(2026, 5, 1, tzinfo=UTC), Hints())
        with pytest.raises(WorkerError, match="snapshot"):
            await pool.ask(rendered, jobs.body_and_pid)

    asyncio.run(story())


def test_without_workers_everything_runs_in_line(make_pool: Any, jobs: Any) -> None:
    async def story() -> None:
        pool = make_pool(0)
        assert await pool.run(jobs.pid) == os.getpid()
        body, pid, _ = await pool.ask(Page(b"<p>one"), jobs.body_and_pid)
        assert (body, pid) == (b"<p>one", os.getpid())
        with pytest.raises(WorkerError, match="a defect"):
            await pool.run(jobs.fail)

    asyncio.run(story())


def test_close_stops_workers_that_are_busy(jobs: Any) -> None:
    async def story() -> int:
        pool = WorkerPool(1, 60)
        pid = await pool.run(jobs.pid)
        call = asyncio.ensure_future(pool.run(jobs.sleep, 60))
        await asyncio.sleep(0.2)
        began = time.monotonic()
        pool.close()
        assert time.monotonic() - began < 5
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        return pid

    assert gone_within(3, asyncio.run(story()))


@pytest.mark.slow
def test_workers_die_with_their_parent(tmp_path: Path, jobs: Any) -> None:
    """`kill -9` of the parent while one worker sleeps and one computes."""
    script = tmp_path / "parent.py"
    script.write_text(
        "import asyncio, sys\n"
        "import worker_jobs as jobs\n"
        "from pipelines.extraction import WorkerPool\n"
        "async def main():\n"
        "    pool = WorkerPool(2, 60)\n"
        "    pids = await asyncio.gather(pool.run(jobs.pid), pool.run(jobs.pid))\n"
        "    print(*pids, flush=True)\n"
        "    await asyncio.gather(pool.run(jobs.spin), pool.run(jobs.sleep, 60))\n"
        "if __name__ == '__main__':\n"
        "    asyncio.run(main())\n",
        "utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(tmp_path)])}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=environment, text=True) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        time.sleep(0.5)
        assert len(set(pids)) == 2
        assert all(map(is_alive, pids))
        parent.kill()
    assert gone_within(3, *pids)
