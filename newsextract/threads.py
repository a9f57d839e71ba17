"""One thread for linear algebra: pages are small, and a process per core keeps the cores busy.

BLAS libraries start as many threads as there are cores; on matrices of a page's size these mostly wait for one another,
and with a worker process on each core they take each other's time.
"""

from __future__ import annotations

from threadpoolctl import threadpool_limits


def single_thread() -> None:
    """From now on BLAS has one thread in this process; for worker processes, at their start."""
    threadpool_limits(limits=1, user_api="blas")
