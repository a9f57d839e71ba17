"""What a worker process does first: it ignores Ctrl-C, dies with its parent, and has a bound on memory.

And the words for how its work may end, which stand in rejections: crawl, archive and Spark must say the same.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
MEMORY = "stopped: over the memory limit of a worker"


def stopped(seconds: float) -> str:
    """It took too long."""
    return f"stopped after {seconds:g} s"


def died(code: int | None) -> str:
    """The process is no more; its exit code, negative for a signal."""
    return f"the worker process died (exit code {code})"


def defect(error: BaseException) -> str:
    """An error that nobody expected: of ours, not of the page."""
    return f"defect: {type(error).__name__}: {error}"


def confine(memory: int) -> None:
    """To be called in the worker.

    :param memory: megabytes of data that it may use (``RLIMIT_DATA``).
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(1)  # it died before the signal was asked for
    limit = memory * 1_000_000
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
