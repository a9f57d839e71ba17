"""Ledgers of feeds that nobody writes."""

from __future__ import annotations

from pathlib import Path

from newsextract.feed import LedgerFile
from pipelines.ledger import Ledger, Visits, load


def load_feed(path: Path, visits: Visits | None = None, kind: str = "news") -> Ledger:
    feed = LedgerFile(path)
    ledger = load(feed, visits, kind)
    feed.close()
    return ledger
