"""Worker processes: a pool that uses the standard library only, and the limits that every worker sets for itself."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import forkserver, spawn
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.forkserver import ForkServer
from multiprocessing.popen_forkserver import Popen
from multiprocessing.process import BaseProcess
from threading import Lock
from time import monotonic
from typing import Any, Generic, Self, TypeVar, cast

# --- worker process -------------------------------------------------------------------------------
# What a worker process does first: it ignores Ctrl-C, dies with its parent, and limits its memory and time; and the words
# for how its work may end, which are the same in rejections of crawl, archive and Spark.
#
# The limit for a page is CPU time, so that a page gets the same result on a busy machine: a timer of the system
# (``ITIMER_PROF``) ends the process. Waiting takes no CPU time, so the parent limits the wall time, too, generously.
#
# Workers are forked from a process that has loaded the library and read a page (:mod:`newsextract.worker_start`), so a start
# costs milliseconds. That process does not run the program's main module again, as the standard library would: for a crawl
# that is .9 s of CPU time (Scrapy), and for a script without ``if __name__ == "__main__"`` an endless start. So nothing that
# a worker is sent may be defined in the main module.

_PR_SET_PDEATHSIG = 1
MEMORY = "stopped: over the memory limit of a worker"
WALL = 10
"""The wall time that a worker's work may take, in multiples of its CPU time."""


def stopped(seconds: float) -> str:
    """It took too long."""
    return f"stopped after {seconds:g} s"


def died(code: int | None, seconds: float) -> str:
    """The process is no more.

    :param code: its exit code, negative for a signal.
    :param seconds: of CPU time that it had (:func:`limited`).
    """
    if code == -signal.SIGPROF:
        return stopped(seconds)
    return f"the worker process died (exit code {code})"


def defect(error: BaseException) -> str:
    """An error that nobody expected: of ours, not of the page."""
    return f"defect: {type(error).__name__}: {error}"


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """In the worker: end the process when what is done here has taken so many seconds of CPU time."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def confine(memory: int) -> None:
    """To be called in the worker.

    :param memory: megabytes of data that it may use (``RLIMIT_DATA``).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # The server that workers are forked from ends with the program, unless somebody else holds this end of a pipe.
    held = vars(forkserver._forkserver)
    if (alive := held.get("_forkserver_alive_fd")) is not None:
        os.close(alive)
        held["_forkserver_alive_fd"] = None
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(1)  # it died before the signal was asked for
    limit = memory * 1_000_000
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    gc.freeze()  # what the library has loaded stays
    collect_rarely()


def collect_rarely() -> None:
    """Let the garbage collector look for cycles less often: a page makes thousands of objects, and all go without it."""
    gc.set_threshold(20_000, *gc.get_threshold()[1:])


class _Process(ForkServerProcess):
    """A process forked from one that has loaded the library, without the program's main module."""

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Popen:  # noqa: N802  # the name that the standard library calls
        with _starting:
            server = _server()
            prepared, connect = spawn.get_preparation_data, forkserver.connect_to_new_process
            spawn.get_preparation_data = lambda name: {  # reason: there is no option for it
                key: value for key, value in prepared(name).items() if not key.startswith("init_main")
            }
            forkserver.connect_to_new_process = server.connect_to_new_process  # the program may have one of its own
            try:
                return Popen(process_obj)
            finally:
                spawn.get_preparation_data, forkserver.connect_to_new_process = prepared, connect


class WorkerContext(ForkServerContext):
    """How all workers start."""

    Process = _Process


def prepare() -> None:
    """Start the process that workers are forked from, unless it runs. It loads the library while the caller goes on."""
    with _starting:
        _server()


@cache
def _server_of(pid: int) -> ForkServer:
    """The server of a process; its forks need their own."""
    server = ForkServer()
    # Apple's mathematical library, which numpy may use there, does not survive a fork.
    server.set_forkserver_preload([_PRELOADED] if sys.platform != "darwin" else [])
    return server


def _server() -> ForkServer:
    """The one of this process, running.

    SIGINT is blocked in it, and by inheritance in all workers: Ctrl-C must not hit a worker that is only starting. It
    imports nothing from the current folder, where the program may not look for modules either.
    """
    server = _server_of(os.getpid())
    before, path = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}), os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        server.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if path is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = path
    return server


_starting = Lock()
_PRELOADED = "newsextract.worker_start"
"""Module that the server imports before it forks."""

# --- workers --------------------------------------------------------------------------------------
# Each worker has one task at a time and a pipe of its own; the reader of the tasks is asked for the next one only when a
# worker is free, so memory is bounded by the number of workers. One that dies or takes too long costs its own task, and is
# replaced.

Task = TypeVar("Task")
Result = TypeVar("Result")
STARTUP = 60.0
"""Seconds that a worker may take to start; half a second, unless the machine is busy."""


class Stopped(Exception):
    """A task's work was stopped: it took too long or too much memory, or the process died. The message says which."""


class _Worker:
    """A process and what it is at."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], memory: int, timeout: float) -> None:
        context = WorkerContext()
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, function, arguments, memory, timeout), daemon=True)
        self.process.start()
        theirs.close()
        self.task: Any = None
        self.until = 0.0
        self.started = False

    def end(self) -> None:
        """Kill it, whatever it is at."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


class Workers(Generic[Task, Result]):
    """A fixed number of worker processes; a context manager.

    :param count: how many, at least 1.
    :param function: ``function(task, *arguments)``, of a module; a result is anything that can be sent.
    :param timeout: seconds of CPU time that one task may take.
    :param memory: megabytes that a worker may use.
    """

    def __init__(
        self, count: int, function: Callable[..., Result], *arguments: Any, timeout: float = 30.0, memory: int = 1_500
    ) -> None:
        self._timeout = timeout
        self._started_with = function, arguments, memory, timeout
        self._workers = [_Worker(*self._started_with) for _ in range(count)]
        self.replaced = 0
        """How many had to be replaced."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """End all processes, whatever they are at."""
        for worker in self._workers:
            worker.end()

    def kill(self) -> None:
        """Kill all processes; :meth:`run` reports what they were at as stopped, and replaces them. For another thread than
        that of :meth:`run`."""
        for worker in [*self._workers]:
            worker.process.kill()

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result | Stopped]]:
        """Each task with its result, in the order in which they are ready."""
        waiting = iter(tasks)
        more = True
        while True:
            for worker in self._workers:
                if more and worker.task is None:
                    task = next(waiting, None)
                    more = task is not None
                    self._give(worker, task)
            busy = [worker for worker in self._workers if worker.task is not None]
            if not busy:
                return
            soonest = min(worker.until for worker in busy)
            ready = wait([worker.pipe for worker in busy], max(0.0, soonest - monotonic()))
            now = monotonic()
            for worker in busy:
                if worker.pipe in ready and not worker.started and self._start(worker):
                    continue
                if worker.pipe in ready:
                    yield worker.task, self._result(worker)
                elif now >= worker.until:
                    yield worker.task, self._replace(worker, stopped(WALL * self._timeout))

    def _give(self, worker: _Worker, task: Task | None) -> None:
        if task is None:
            return
        worker.task = task
        worker.until = monotonic() + WALL * self._timeout + (0 if worker.started else STARTUP)
        with suppress(OSError):  # reason: it has died meanwhile, which its pipe tells where the result is read
            worker.pipe.send(task)

    def _start(self, worker: _Worker) -> bool:
        """A worker says that it has started, and begins with its task; False: it has died."""
        try:
            worker.started = bool(worker.pipe.recv())
        except (EOFError, OSError):
            return False
        worker.until = monotonic() + WALL * self._timeout
        return worker.started

    def _result(self, worker: _Worker) -> Result | Stopped:
        try:
            result = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(5)
            return self._replace(worker, died(worker.process.exitcode, self._timeout))
        worker.task = None
        if isinstance(result, Stopped):
            return result
        return cast(Result, result)

    def _replace(self, worker: _Worker, reason: str) -> Stopped:
        worker.end()
        self.replaced += 1
        self._workers[self._workers.index(worker)] = _Worker(*self._started_with)
        return Stopped(reason)


def _serve(pipe: Connection, function: Callable[..., Any], arguments: tuple[Any, ...], memory: int, timeout: float) -> None:
    """In the worker: answer until the other side hangs up."""
    confine(memory)
    pipe.send(True)
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            with limited(timeout):
                result = function(task, *arguments)
            pipe.send(result)
            continue
        except MemoryError:
            stop = Stopped(MEMORY)
        except Exception as error:  # noqa: BLE001  # a defect in one task's work must not lose the others; it is told as its result
            stop = Stopped(defect(error))
            stop.add_note(traceback.format_exc())
        pipe.send(stop)
