"""What a worker process does first: it ignores Ctrl-C, dies with its parent, and has a bound on memory."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1


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
