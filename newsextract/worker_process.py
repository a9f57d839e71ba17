"""What a worker process does first: it ignores Ctrl-C, dies with its parent, and has bounds on memory and time.

A page may take so many seconds of CPU time, so that it gets the same result on a busy machine: a timer of the system
(``ITIMER_PROF``) ends the process, whatever it is at. What waits takes no CPU time; the process that gave the work
therefore bounds the wall time as well, generously.

And the words for how its work may end, which stand in rejections: crawl, archive and Spark must say the same.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

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
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(1)  # it died before the signal was asked for
    limit = memory * 1_000_000
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
