"""Which feeds a run writes: the ledger, which is open and locked from now on, what is beside it, and the user's others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from newsextract.errors import DataError, UsageError
from newsextract.line_file import LedgerFile
from newsextract.state.store import remove_state
from pipelines.feeds import is_ledger
from pipelines.items import RECORD_CLASSES, ObjectRecord, ReadPage, Rejection
from pipelines.ledger import pages_path


def feeds_of(
    settings: BaseSettings,
    ledger: str | None,
    kind: str,
    has_wrapper: bool,
    spider: str | None = None,
) -> tuple[dict[str, dict[str, Any]], LedgerFile, Path]:
    """Scrapy's feeds with the ledger first; with ``-O`` the ledger starts afresh here and now.

    :param spider: its name, where it is not the kind.
    """
    feeds, own = _named(settings, ledger, spider or kind)
    records = Path(own.removeprefix("file://"))
    rejected = records.with_suffix(".rejected.jsonl")
    options = feeds.pop(own)
    overwrite = options.pop("overwrite", False)
    feed = _opened(records, overwrite)
    written = _record_classes(kind, has_wrapper)
    items: list[tuple[Path, list[type]]] = [(records, written), (rejected, [Rejection])]
    if kind != "news" or has_wrapper:
        items.append((pages_path(records), [ReadPage]))
    for path, _ in items[1:]:
        _opened(path, overwrite).close()
    if overwrite:
        remove_state(records)
    plan = {str(path): {"format": "jsonlines", "item_classes": list(map(_name, classes))} for path, classes in items}
    classes = plan[str(records)]["item_classes"]
    plan[str(records)] = options | plan[str(records)]
    for uri, other in feeds.items():
        plan[uri] = {"item_classes": classes, **other}
    return plan, feed, rejected


def exports_of(settings: BaseSettings, kind: str, has_wrapper: bool) -> dict[str, dict[str, Any]]:
    """The feeds that the user names for a process of a shared crawl: its own records, without what others write."""
    classes = list(map(_name, _record_classes(kind, has_wrapper)))
    feeds = {str(uri): dict(options) for uri, options in settings.getdict("FEEDS").items()}
    return {uri: {"item_classes": classes, **options} for uri, options in feeds.items()}


def _record_classes(kind: str, has_wrapper: bool) -> list[type]:
    written: list[type] = [RECORD_CLASSES[kind]]
    if has_wrapper and ObjectRecord not in written:
        written.append(ObjectRecord)
    return written


def _name(item: type) -> str:
    return f"{item.__module__}.{item.__name__}"


def ledger_path(settings: BaseSettings, ledger: str | None, spider: str) -> Path:
    """The feed that is the ledger.

    :raises UsageError: no feed can be one.
    """
    return Path(_named(settings, ledger, spider)[1].removeprefix("file://"))


def _named(settings: BaseSettings, ledger: str | None, spider: str) -> tuple[dict[str, dict[str, Any]], str]:
    """The feeds that the user names, and which of them is the ledger."""
    feeds = {str(uri): dict(options) for uri, options in settings.getdict("FEEDS").items()}
    if not feeds and ledger is None:
        feeds = {settings["DEFAULT_FEED"].replace("{spider}", spider): {"format": "jsonlines"}}
    own = next((uri for uri in feeds if is_ledger(uri)), None)
    if ledger is not None:
        if not is_ledger(ledger):
            raise UsageError(f"-a ledger={ledger}: expected a local .jsonl file, for example -a ledger=out/news.jsonl")
        own = ledger
        feeds.setdefault(own, {"format": "jsonlines"})
    if own is None:
        raise UsageError(
            f"{' and '.join(feeds) or 'no feed'}: a crawl must know what it has already, and "
            "only a local .jsonl feed tells it; add -a ledger=PATH.jsonl, or write to one, for example -o out/news.jsonl"
        )
    return feeds, own


def _opened(path: Path, overwrite: bool) -> LedgerFile:
    """A feed, open and locked: before anything is read or emptied no other crawl may write it."""
    try:
        return LedgerFile(path, overwrite=overwrite)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}; name another feed with -o") from error
