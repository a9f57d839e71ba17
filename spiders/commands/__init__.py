"""Scrapy commands of this project; ``crawl`` takes the place of Scrapy's own. Ctrl-C while they are imported is one line."""

import sys
from types import TracebackType


def _told(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write("interrupted\n")
    else:
        sys.__excepthook__(kind, error, where)


sys.excepthook = _told
