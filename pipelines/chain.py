"""The item pipelines of a crawl: the project's, and those of users, which cannot lose records silently.

A user's pipeline receives records, and also pages if its number is below that of the extraction. It does not receive
rejections and lines of pages (:class:`~pipelines.items.ReadPage`). It may change a record in place, or return a dict or any
other item that Scrapy supports, with additional fields. Before the next pipeline runs, the returned value is converted to a
line again, so that duplicates, feeds and the ledger of the next run find their fields.

* ``DropItem``: the record becomes a rejection with the status ``dropped`` and the message; it is done.
* Any other exception, or a returned value that cannot be a line: a rejection with the status ``failed``, which later runs
  try again. The crawl continues; the summary counts these failures, and the exit code is 1.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Iterator, KeysView
from typing import Any

from itemadapter.adapter import AdapterInterface, ItemAdapter
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name
from scrapy.utils.serialize import ScrapyJSONEncoder
from twisted.python.failure import Failure

from newsextract.control_characters import cleaned
from newsextract.discovery import record_id
from newsextract.errors import DataError
from newsextract.feed.record_lines import (
    DROPPED,
    FeedLine,
    NewsRecord,
    ReadPage,
    Rejection,
    address,
    check_types,
    field_types,
)
from newsextract.state.shared import LOST
from pipelines.checks import DuplicatesPipeline
from pipelines.items import FetchedPage, is_planned, planned
from pipelines.ledger import Ledger, now

logger = logging.getLogger(__name__)

ERROR = "newsextract/pipeline_error"
"""Stat: the first failure of a user's pipeline. If it is set, the crawl exits with code 1."""
FAILED = "newsextract/pipeline_failures"
"""Stat: number of records lost by such failures."""
_LEDGER = ("kind", "site", "revision", "duplicate_of", "fingerprint", "schema_version")
"""Fields by which the next run identifies a line, in addition to the id: a pipeline may omit them, but not change them."""
_REASON = 300
"""Maximum length of a reason in characters: an exception may quote a whole page."""


class UnusableError(Exception):
    """The value that a user's pipeline returned cannot become a line."""


class LineAdapter(AdapterInterface):
    """Lets Scrapy's ``ItemAdapter`` read and add additional fields of a line."""

    item: FeedLine

    @classmethod
    def is_item_class(cls, item_class: type) -> bool:
        """Whether the class is a type of line."""
        return issubclass(item_class, FeedLine)

    @classmethod
    def get_field_names_from_class(cls, item_class: type) -> list[str]:
        """The fields of the schema."""
        return list(item_class.__slots__)  # type: ignore[attr-defined]  # all are dataclasses with slots

    def field_names(self) -> KeysView[str]:
        """The fields with a value."""
        return self.item.values().keys()

    def __getitem__(self, name: str) -> Any:
        return self.item.values()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self.item, name, value)

    def __delitem__(self, name: str) -> None:
        try:
            delattr(self.item, name)
        except AttributeError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.item.values())

    def __len__(self) -> int:
        return len(self.item.values())


if LineAdapter not in ItemAdapter.ADAPTER_CLASSES:
    ItemAdapter.ADAPTER_CLASSES = deque([LineAdapter, *ItemAdapter.ADAPTER_CLASSES])


class PipelineChain(ItemPipelineManager):
    """Scrapy's item processor (``ITEM_PROCESSOR``) for this project."""

    def __init__(self, *pipelines: Any, crawler: Crawler) -> None:
        super().__init__(*pipelines, crawler=crawler)
        self._crawler = crawler
        ours = tuple(load_object(name) for name in crawler.settings.getdict("ITEM_PIPELINES_BASE"))
        steps = [pipeline for pipeline in pipelines if hasattr(pipeline, "process_item")]
        self._steps = [(pipeline, type(pipeline) in ours) for pipeline in steps]
        self._told: set[tuple[str, type]] = set()
        """Failures whose traceback has been logged."""

    async def process_item_async(self, item: Any) -> Any:
        """Send an item through all pipelines."""
        if not (is_planned(self._crawler) and isinstance(item, (FetchedPage, FeedLine))):
            # From a plain spider, or from a user's spider middleware: no feed accepts it, which is logged.
            for pipeline, is_ours in self._steps:
                item = item if is_ours else await self._call(pipeline, item)
            return item
        is_admitted = False
        for pipeline, is_ours in self._steps:
            if is_ours:
                item = await self._call_ours(pipeline, item)
                is_admitted = is_admitted or isinstance(pipeline, DuplicatesPipeline)
            elif not isinstance(item, (Rejection, ReadPage)):
                before = None if isinstance(item, FetchedPage) else item.values()
                answer = await self._ask(pipeline, item, before)
                if isinstance(answer, Rejection) and before is not None and is_admitted:
                    self._ledger.withdraw(_line(type(item), before))  # type: ignore[arg-type]  # a line of this project
                if isinstance(answer, Rejection) and is_admitted:
                    return await self._reject(answer)
                item = answer
        if not isinstance(item, FeedLine):
            return item
        for name, value in item.values().items():
            if (clean := cleaned(value)) is not value:
                setattr(item, name, clean)
        return await self._shared(item)

    async def _shared(self, item: FeedLine) -> FeedLine:
        sharing = planned(self._crawler).sharing
        refused = await sharing.write(item) if sharing is not None else None
        if refused == LOST:
            raise DropItem(f"{item!r}: {refused}", log_level="WARNING")
        if refused is not None:
            logger.error("%r is not in the database: %s", item, refused)
            self._count_failure(refused)
            raise DropItem(refused, log_level="DEBUG")
        return item

    @property
    def _ledger(self) -> Ledger:
        return planned(self._crawler).ledger

    async def _reject(self, rejection: Rejection) -> Rejection:
        """Send a rejection through the project's own pipelines, for the ledger."""
        for pipeline, is_ours in self._steps:
            if is_ours:
                rejection = await self._call(pipeline, rejection)
        return rejection

    async def _call_ours(self, pipeline: Any, item: Any) -> Any:
        """Call one of the project's own pipelines. Failed look-ups are counted, and the page is fetched again."""
        try:
            return await self._call(pipeline, item)
        except DataError as error:
            logger.error("%r: %s", item, error)
            self._count_failure(str(error))
            raise DropItem(str(error), log_level="DEBUG") from error

    def _count_failure(self, reason: str) -> None:
        stats = self._crawler.stats
        stats.inc_value(FAILED)
        stats.set_value(ERROR, stats.get_value(ERROR) or reason)

    async def _call(self, pipeline: Any, item: Any) -> Any:
        method: Callable[..., Any] = pipeline.process_item
        arguments = [self._spider] if method in self._mw_methods_requiring_spider else []
        return await ensure_awaitable(method(item, *arguments), _warn=global_object_name(method))

    async def _ask(
        self, pipeline: Any, item: FetchedPage | FeedLine, before: dict[str, Any] | None
    ) -> FetchedPage | FeedLine:
        """Call a user's pipeline; return its item, or a rejection.

        :param before: the line's values before the pipelines can change them; None: the item is a page.
        """
        name = f"{type(pipeline).__module__}.{type(pipeline).__qualname__}"
        sent = {"item": item, "response": None, "spider": self._crawler.spider}
        try:
            return checked(item, before, await self._call(pipeline, item))
        except DropItem as error:
            level = getattr(error, "log_level", None) or self._crawler.settings["DEFAULT_DROPITEM_LOG_LEVEL"]
            level = logging.getLevelNamesMapping()[level] if isinstance(level, str) else level
            reason = _short(error) or "no reason is given"
            logger.log(level, "%s drops %r: %s", name, item, reason)
            await self._crawler.signals.send_catch_log_async(signals.item_dropped, exception=error, **sent)
            return self._rejection(item, before, DROPPED, reason)
        except Exception as error:  # reason: a defect of a user's pipeline loses only this record, and is counted
            usable = isinstance(error, UnusableError)
            reason = f"{name}: {'' if usable else type(error).__name__ + ': '}{_short(error)}"
            if (name, type(error)) not in self._told:
                self._told.add((name, type(error)))
                logger.error("%r: %s", item, reason, exc_info=None if usable else error)
            await self._crawler.signals.send_catch_log_async(signals.item_error, failure=Failure(), **sent)  # type: ignore[no-untyped-call]  # Twisted leaves it untyped
            self._count_failure(reason)
            return self._rejection(item, before, "failed", reason)

    def _rejection(self, item: FetchedPage | FeedLine, before: dict[str, Any] | None, status: str, reason: str) -> Rejection:
        if isinstance(item, FetchedPage):
            url = address(item.parts[0].url, item.requested_url)
            before = {"id": record_id(url), "url": url, "site": item.site.name}
        assert before is not None  # set for lines
        return Rejection(
            id=before["id"],
            url=before["url"],
            site=before["site"] if "site" in before else before["engine"],
            status=status,
            reason=reason,
            title=before.get("title"),
            date=before.get("date"),
            attempt=self._ledger.attempts.get(int(before["id"], 16), 0) + 1,
            fetched_at=before.get("fetched_at") or now().isoformat(timespec="seconds"),
        )


def checked(item: FetchedPage | FeedLine, before: dict[str, Any] | None, answer: Any) -> FetchedPage | FeedLine:
    """Check what a user's pipeline returned, and convert it for the next pipelines and the feeds.

    :param before: the line's values before the pipeline; None: the item is a page.
    :raises UnusableError: the value cannot become a line.
    """
    if answer is None:
        raise UnusableError("process_item returned None; end it with `return item`, or raise DropItem")
    if isinstance(item, FetchedPage) or before is None:
        if not isinstance(answer, (FetchedPage, NewsRecord, Rejection)):
            raise UnusableError(
                f"process_item returned a {type(answer).__name__} for a page that has not been extracted; "
                "to get records, give the pipeline a number above 300 in ITEM_PIPELINES"
            )
        return answer
    if not ItemAdapter.is_item(answer):
        raise UnusableError(f"process_item returned a {type(answer).__name__}; expected the record or a dict of its fields")
    try:
        text = ScrapyJSONEncoder(allow_nan=False).encode(ItemAdapter(answer).asdict())
    except (TypeError, ValueError, RecursionError) as error:
        raise UnusableError(f"process_item returned what is no JSON: {_short(error)}") from error
    kind = type(answer) if isinstance(answer, Rejection) else type(item)
    values = {name: before[name] for name in _LEDGER if name in before} | json.loads(text)
    if values.get("id") != before["id"]:
        raise UnusableError(f"process_item returned {'another' if values.get('id') else 'no'} id; it must stay as it was")
    for name in () if kind is Rejection else _LEDGER:
        if name in before and values[name] != before[name]:
            raise UnusableError(f"process_item changed {name}, which the next run needs as it was; use another name")
    return _line(kind, values)


def _line(kind: type[FeedLine], values: dict[str, Any]) -> FeedLine:
    """Make a line; fields that are not in its schema are kept.

    :raises UnusableError: a field is missing or does not have the type of the schema.
    """
    known = field_types(kind)  # type: ignore[arg-type]  # classes are hashable
    lacking = [name for name, (types, _) in known.items() if name not in values and type(None) not in types]
    if lacking:
        raise UnusableError(f"process_item returned a record without {', '.join(lacking)}; return the other fields, too")
    try:
        check_types(values, kind)
    except ValueError as error:
        raise UnusableError(f"process_item returned a wrong record: {error}") from error
    for name, (_, element) in known.items():
        if element is not None and any(type(one) is not element for one in values.get(name) or ()):
            raise UnusableError(f"process_item put something else than {element.__name__} into {name}")
    if "missing" in known and any(type(page.get("url")) is not str for page in values["missing"]):
        raise UnusableError("process_item put something else than pages with a url into missing")
    made = kind(**{name: values.pop(name, None) for name in known})
    for name, value in values.items():
        setattr(made, name, value)
    return made


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:_REASON]
