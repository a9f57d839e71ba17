"""What code costs, in parses: its CPU time over that of lxml for one page of a megabyte, in the same run.

A slow or busy machine slows both, so a limit holds on every machine. Limits are several times what is measured: they
are there for what grows faster than the page.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import lxml.html

_PAGE = "<div class=a><p>A sentence with <a href='/x'>a link</a> and <b>weight</b>.</p></div>\n" * 12_000


def one_parse() -> float:
    """CPU seconds of a parse of the page."""
    start = time.process_time()
    lxml.html.fromstring(_PAGE)
    return time.process_time() - start


@cache
def _first_parse() -> float:
    """The cost when it was first asked for; two parses for each of a thousand blocks would cost more than the blocks."""
    return one_parse()


@contextmanager
def at_most(parses: float, already: float = 0.0) -> Iterator[None]:
    """Fail where the block takes more CPU time than so many parses: as many of the first, or of one made now, because
    machines get slower, too.

    :param already: seconds that were spent for the block before it.
    """
    _first_parse()
    start = time.process_time() - already
    yield
    spent = time.process_time() - start
    if spent > parses * _first_parse():
        parse = one_parse()
        assert spent <= parses * parse, f"{spent / parse:.0f} parses of {parse:.3f} s each, more than {parses:.0f}"
