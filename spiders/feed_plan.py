"""Which feeds a run writes: the ledger with its lock, what stands beside it, and the user's others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy.settings import BaseSettings

from newsextract.errors import DataError, UsageError
from newsextract.line_file import LedgerFile
from pipelines.feeds import is_ledger
from pipelines.items import RECORD_CLASSES, ObjectRecord, ReadPage, Rejection
from pipelines.ledger import pages_path
from spiders.cluster.plan import ClusterPlan


def feeds_of(
    settings: BaseSettings,
    ledger: str | None,
    kind: str,
    has_wrapper: bool,
    spider: str | None = None,
    cluster: ClusterPlan | None = None,
) -> tuple[dict[str, dict[str, Any]], Path, Path, LedgerFile]:
    """Scrapy's feeds with the ledger first; with ``-O`` the ledger starts afresh here and now.

    :param spider: its name, where it is not the kind.
    :param cluster: the process is one of several, and writes feeds of its own.
    """
    feeds, own = _named(settings, ledger, spider or kind)
    records = cluster.feed if cluster else Path(own.removeprefix("file://"))
    rejected = records.with_suffix(".rejected.jsonl")
    options = feeds.pop(own)
    overwrite = options.pop("overwrite", False)
    if cluster and overwrite:
        raise UsageError(
            f"-O {own}: a shared crawl cannot start afresh; name another feed with -o, or remove those of all workers"
        )
    lock = cluster.lock if cluster else _lock(records)
    written: list[type] = [RECORD_CLASSES[kind]]
    if has_wrapper and ObjectRecord not in written:
        written.append(ObjectRecord)
    items: list[tuple[Path, list[type]]] = [(records, written), (rejected, [Rejection])]
    if kind != "news" or has_wrapper:
        items.append((pages_path(records), [ReadPage]))
    for path in (*(path for path, _ in items), records.with_suffix(".frontier")):
        try:
            LedgerFile(path, overwrite=overwrite).close()
        except OSError as error:
            raise DataError(f"{path}: cannot be written: {error.strerror}; name another feed with -o") from error
    if overwrite:
        records.with_suffix(".frontier").unlink(missing_ok=True)
    plan = {
        str(path): {"format": "jsonlines", "item_classes": [f"{item.__module__}.{item.__name__}" for item in classes]}
        for path, classes in items
    }
    classes = plan[str(records)]["item_classes"]
    plan[str(records)] = options | plan[str(records)]
    for uri, other in feeds.items():
        plan[_of_worker(uri, cluster.worker) if cluster else uri] = {"item_classes": classes, **other}
    return plan, records, rejected, lock


def ledger_path(settings: BaseSettings, ledger: str | None, spider: str) -> Path:
    """The feed that is the ledger of a crawl that is not shared.

    :raises UsageError: no feed can be one.
    """
    return Path(_named(settings, ledger, spider)[1].removeprefix("file://"))


def _of_worker(uri: str, worker: str) -> str:
    """Where a worker writes a further feed that the user names, so that no two write one: ``out/news.csv`` →
    ``out/news.WORKER.csv``, wherever it is kept. Standard output is each process's own."""
    folder, slash, name = uri.rpartition("/")
    if uri.startswith("stdout:"):
        return uri
    stem, dot, suffix = name.rpartition(".")
    return f"{folder}{slash}{stem}.{worker}.{suffix}" if dot else f"{folder}{slash}{name}.{worker}"


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


def _lock(records: Path) -> LedgerFile:
    """Taken before anything is read or emptied: Scrapy opens a feed only when its first item comes."""
    try:
        return LedgerFile(records.with_suffix(".lock"))
    except DataError as error:
        raise DataError(
            f"{records}: another crawl is writing this feed; wait for it, or name another feed with -o"
        ) from error
    except OSError as error:
        raise DataError(f"{records}: cannot be written: {error.strerror}; name another feed with -o") from error
