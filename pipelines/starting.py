"""What a crawl cannot do without when it starts: if it fails, the crawl ends at once.

Scrapy logs an exception in a handler of ``spider_opened`` and goes on, without what the handler should have begun.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from scrapy.exceptions import CloseSpider

from newsextract.errors import NewsextractError

logger = logging.getLogger(__name__)

START_ERROR = "start_error"
"""Why such a crawl has ended; its exit code is 1."""


@contextmanager
def starting(what: str) -> Iterator[None]:
    """Around the body of a handler of ``spider_opened``.

    :param what: it begins, and how a failure may be mended, if that is known: ``the feeds``.
    :raises CloseSpider: it failed; that is one line in the log.
    """
    try:
        yield
    except CloseSpider:
        raise
    except Exception as error:
        is_plain = isinstance(error, (NewsextractError, OSError, RuntimeError))  # else it is a defect: where?
        text = " ".join(str(error).split()) or type(error).__name__
        logger.error("The crawl cannot start %s: %s", what, text, exc_info=None if is_plain else error)
        raise CloseSpider(START_ERROR) from error
