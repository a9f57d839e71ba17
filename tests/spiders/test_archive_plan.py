"""What ``scrapy crawl archive`` is to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy.settings import Settings

from spiders.plan import ArchivePlan, make_archive_plan
from tests.made_archives import foreign


def plan(folder: Path, feeds: list[str], **arguments: str) -> ArchivePlan:
    given: dict[str, Any] = {
        "FEEDS": {feed: {"format": "jsonlines"} for feed in feeds},
        "ALGORITHM": "combined",
        "RECORD_ALGORITHM": "visual_blocks",
        "SITES_FILE": str(folder / "sites.toml"),
    }
    return make_archive_plan(Settings(given), {"path": str(folder), **arguments})


def test_what_the_run_writes_is_not_read(tmp_path: Path) -> None:
    """Feeds, rejections and lines of pages of the run before stand in the folder that is read."""
    foreign(tmp_path / "x.warc.gz", "one")
    for name in ("news.jsonl", "news.rejected.jsonl", "news.pages.jsonl", "also.jsonl", "pages.jsonl"):
        (tmp_path / name).touch()
    feeds = [str(tmp_path / "news.jsonl"), (tmp_path / "also.jsonl").as_uri()]
    made = plan(tmp_path, feeds)
    assert [archive.name for archive in made.archives] == ["pages.jsonl", "x.warc.gz"]
    made.feed.close()
    made = plan(tmp_path, feeds[1:], ledger=feeds[0], kind="forum")
    assert [archive.name for archive in made.archives] == ["pages.jsonl", "x.warc.gz"]
    made.feed.close()
