"""Extraction for asyncio: the same results, cancellation that ends the work, and an interpreter that ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import resource_tracker
from pathlib import Path

import pytest

import newsextract
from newsextract import Page, aio
from newsextract.aio import Pool, PoolClosed
from newsextract.errors import ParameterError, UnknownAlgorithm
from newsextract.workers import prepare

STORY = (Path(__file__).parent / "pages" / "story_en.html").read_bytes()
URL = "https://news.example/1"
SLOW = b"<p>" + b"".join(b"<b>word %d of many</b><i>, " % number for number in range(300_000))


def children() -> set[int]:
    """The processes that this one has started, and those that they have."""
    resource_tracker.ensure_running()  # multiprocessing's own, one for ever
    prepare()  # what workers are forked from, too
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        for path in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with suppress(FileNotFoundError, ProcessLookupError):  # reason: it ends at this moment
                waiting += (pids := [int(pid) for pid in path.read_text().split()])
                found.update(pids)
    return found


def test_the_same_results_as_without() -> None:
    page = Page(STORY, URL)
    assert page.dom  # what was computed of it stays here

    async def work() -> None:
        async with Pool(2) as pool:
            articles = await asyncio.gather(*(pool.extract(page, algorithm="text_density") for _ in range(5)))
            assert articles == [newsextract.extract(page, algorithm="text_density")] * 5
            assert await pool.extract(STORY.decode(), URL, params={"preset": "precision"}) == newsextract.extract(
                STORY.decode(), URL, params={"preset": "precision"}
            )
            assert (await pool.extract_records(STORY, URL)).records == newsextract.extract_records(STORY, URL).records

    before = children()
    asyncio.run(work())
    assert children() == before


def test_the_functions_of_the_module_share_a_pool_of_any_event_loop() -> None:
    for _ in range(2):
        assert asyncio.run(aio.extract(STORY, URL)) == newsextract.extract(STORY, URL)
    assert asyncio.run(newsextract.aio.extract_records(STORY)).algorithm == "visual_blocks"


def test_callers_mistakes_are_raised_and_hostile_pages_are_results() -> None:
    async def work() -> None:
        async with Pool(1, timeout=0.5) as pool:
            with pytest.raises(UnknownAlgorithm):
                await pool.extract(STORY, algorithm="nope")
            with pytest.raises(ParameterError):
                await pool.extract_records(STORY, params={"nope": 1})
            article = await pool.extract(SLOW, URL)
            assert (article.url, article.status, article.reason) == (URL, "failed", "stopped after 0.5 s")
            assert (await pool.extract_records(SLOW, URL)).status == "failed"
            assert (await pool.extract(STORY, URL)).status == "ok"

    asyncio.run(work())


def test_a_cancelled_call_ends_its_work_and_no_other() -> None:
    before = children()

    async def work() -> None:
        async with Pool(1, timeout=60) as pool:
            assert (await pool.extract(STORY)).status == "ok"
            (worker,) = children() - before
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(pool.extract(SLOW), 0.3)
            waiting = [asyncio.create_task(pool.extract(STORY)) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[1].cancel()
            first, second, third = await asyncio.gather(*waiting, return_exceptions=True)
            assert isinstance(second, asyncio.CancelledError)
            assert first == third == newsextract.extract(STORY)
            assert worker not in children()
            assert len(children() - before) == 1

    asyncio.run(work())


def test_a_closed_pool_says_so() -> None:
    async def work() -> None:
        pool = Pool(1, timeout=60)
        running, waiting = (asyncio.create_task(pool.extract(SLOW)) for _ in range(2))
        await asyncio.sleep(1.5)
        began = time.monotonic()
        await asyncio.to_thread(pool.close)
        for task in (running, waiting):
            with pytest.raises(PoolClosed):
                await task
        with pytest.raises(PoolClosed):
            await pool.extract(STORY)
        pool.close()
        assert time.monotonic() - began < 10

    before = children()
    asyncio.run(work())
    assert children() == before


def test_a_pool_without_workers_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="workers=0: expected at least 1"):
        Pool(0)


_ENDS = """
import asyncio, os, sys
from newsextract import aio
SLOW = b"<p>" + b"".join(b"<b>word %d of many</b><i>, " % number for number in range(300_000))
if __name__ == "__main__":
    how = sys.argv[1]
    loop = asyncio.new_event_loop()
    async def main():
        pool = aio.Pool(2, timeout=100)
        await asyncio.gather(*(pool.extract("<p>x") for _ in range(4)))
        tasks = [asyncio.ensure_future(pool.extract(SLOW)) for _ in range(3)]
        await asyncio.sleep(0.5)
        children = [path.read_text() for path in __import__("pathlib").Path("/proc/self/task").glob("*/children")]
        print(*children, flush=True)
        if how == "killed":
            os.kill(os.getpid(), 9)
        if how == "error":
            raise SystemExit(3)
        return tasks
    if how == "loop":
        tasks = loop.run_until_complete(main())  # nothing is cancelled, nothing closed
    else:
        asyncio.run(main())
"""


@pytest.mark.parametrize(("how", "code"), [("plain", 0), ("error", 3), ("killed", -9), ("loop", 0)])
def test_an_interpreter_that_ends_leaves_no_process(how: str, code: int, tmp_path: Path) -> None:
    script = tmp_path / "ends.py"
    script.write_text(_ENDS)
    began = time.monotonic()
    done = subprocess.run([sys.executable, str(script), how], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code, done.stderr
    assert time.monotonic() - began < 15
    started = done.stdout.split()
    assert len(started) >= 2
    time.sleep(0.5)
    assert [
        pid
        for pid in started
        if Path(f"/proc/{pid}/cmdline").exists() and b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ] == []
    if how != "loop":
        assert "Traceback" not in done.stderr


def test_a_script_without_a_guard_is_not_run_again_by_its_workers(tmp_path: Path) -> None:
    script = tmp_path / "bare.py"
    script.write_text(
        "import asyncio\nfrom newsextract import aio\nprint('run')\n"
        f"print(asyncio.run(aio.extract({STORY[:2_000]!r}, {URL!r}, 'block_statistics')).status)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split()[0] == "run"
    assert len(done.stdout.split()) == 2
