"""Imported by the process that workers are forked from: loads the library, and all that the first page would wait for.

Patterns, word lists, models, the list of domains: .75 s of CPU time, once for all workers of a program. The process starts
no threads, which a fork would lose; so numpy's library has one, which is as many as a worker uses.
"""

from __future__ import annotations

import os
import signal

_before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the program; it ends the processes that it has started
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded


def warm_up() -> None:
    """Read a page as a crawl does."""
    from newsextract import Page, extract
    from newsextract.discovery import discover
    from newsextract.feed.duplicates import fingerprint

    page = Page(b"<title>News</title><h1>News</h1><p>By A. Name, 1 May 2025. One sentence.</p>", "http://www.example.org/1")
    discover(page)
    fingerprint(extract(page).text)


warm_up()
signal.signal(signal.SIGINT, _before)
