"""What was announced and left out, in the state; and what of it was got."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from newsextract.cli import main
from newsextract.errors import DataError
from newsextract.feed import line
from newsextract.state.announced import (
    MOST,
    Announced,
    AnnouncedPages,
    DayCoverage,
    Skip,
    Skips,
    coverage,
    summed,
    write_announced,
)
from newsextract.state.schema import signed
from newsextract.state.store import CrawlState
from newsextract.urls import record_id
from tests.database.feed_lines import article, post, rejection

HOST = "https://www.courier.example"


def named(number: int) -> str:
    return record_id(f"{HOST}/{number}")


def number(page: int) -> int:
    return int(named(page), 16)


def skip(page: int, reason: str, how: str = "sitemap", day: str | None = "2026-03-04") -> Skip:
    return Skip(number(page), f"{HOST}/{page}", how, reason, day, f"{HOST}/map.xml")


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    """Pages 1 to 8 are announced; 1 and 2 have records, 9 and 10 come from lists."""
    path = tmp_path / "news.jsonl"
    records = [article(page, id=named(page)) for page in (1, 2, 9)]
    refused = [
        rejection(3, id=named(3), status="listing", site="courier"),
        rejection(4, id=named(4), status="missing", site="courier"),
        rejection(5, id=named(5), status="download", attempt=1, site="courier"),
        rejection(10, id=named(10), status="not_article", site="courier"),
    ]
    path.write_bytes(b"".join(map(line, records)))
    path.with_suffix(".rejected.jsonl").write_bytes(b"".join(map(line, refused)))
    state = CrawlState(path)
    for page in range(1, 7):
        state.note_origin(number(page), "sitemap", f"{HOST}/map.xml")
    state.note_origin(number(20), "next page", f"{HOST}/")
    state.note_origin(number(9), "link", f"{HOST}/20")
    state.note_origin(number(10), "link", f"{HOST}/tag/fog/")
    state.catch_up()
    state.close()
    return path


def announce(feed: Path, skips: Skips, *, again: bool = False) -> None:
    pages = AnnouncedPages()
    days = {1: "2026-03-01", 4: "2026-03-05"}
    waiting = [Announced(number(page), f"{HOST}/{page}", 0, hints(), day=days.get(page)) for page in range(1, 8)]
    pages.add("courier", waiting)
    pages.note("courier", number(8), "feed", "2026-03-04")
    for page in range(1, 7 + again):
        pages.pop("courier", number(page))
    pages.drop("courier", "limit")
    write_announced(feed, pages.rows(), skips.rows(), ["courier"])
    pages.close()


def hints() -> Any:
    from newsextract import Hints

    return Hints()


def test_each_page_counts_once_with_what_became_of_it(feed: Path) -> None:
    skips = Skips()
    skips.add("courier", skip(30, "out_of_window"))
    skips.add("courier", skip(31, "depth", "link", None))
    announce(feed, skips)
    found = coverage(feed)
    by_place: dict[str, DayCoverage] = {}
    for where in {day.found for day in found.days}:
        by_place[where] = summed(day for day in found.days if day.found == where)
    sitemap = by_place["sitemap"]
    assert (sitemap.announced, sitemap.got) == (8, 2)
    assert sitemap.gaps == {"missing": 1, "tried again later": 1, "no answer": 1}
    assert sitemap.other == {"listing": 1, "limit": 1, "out_of_window": 1}
    assert by_place["feed"].gaps == {"not requested": 1}
    assert (by_place["pagination"].announced, by_place["pagination"].got) == (1, 1)
    assert by_place["archive"].other == {"not_article": 1}
    assert found.links == {"courier": {"depth": 1}}
    total = summed(found.days)
    assert total.announced == total.got + total.other.total() + total.gaps.total()


def test_days_are_those_of_the_record_else_of_the_sitemap(feed: Path) -> None:
    announce(feed, Skips())
    assert {day.day for day in coverage(feed).days if day.gaps} == {"", "2026-03-04", "2026-03-05"}
    got = {(day.day, day.found): day.got for day in coverage(feed).days if day.got}
    assert got == {
        ("2026-03-04", "sitemap"): 2,
        ("2026-03-04", "pagination"): 1,
    }


def test_the_last_run_says_why_a_page_was_left_out(feed: Path) -> None:
    skips = Skips()
    skips.add("courier", skip(32, "denied"))
    announce(feed, skips)
    announce(feed, Skips(), again=True)  # page 7 is requested now, and nothing is denied any more
    total = summed(coverage(feed).days)
    assert "denied" not in total.other
    assert "limit" not in total.other
    assert total.gaps["not requested"] == 2


def test_of_many_links_a_sample_is_kept_and_of_sitemap_entries_the_numbers() -> None:
    skips = Skips()
    for page in range(MOST + 50):
        skips.add("a", skip(page, "depth", "link"))
    for page in range(MOST, MOST + 70):
        skips.add("a", skip(page, "out_of_window"))
    skips.drop("a", number(3))
    rows = list(skips.rows())
    assert len(rows) == MOST - 1 + 1
    assert rows[-1] == ("a", None, None, "sitemap", "2026-03-04", "out_of_window", None, 70)
    assert signed(number(3)) not in [row[1] for row in rows]


def test_the_command_prints_every_day_and_json(feed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    announce(feed, Skips())
    assert main(["coverage", str(feed.parent), "--days", "1"]) == 0
    table = capsys.readouterr().out
    assert "2026-03-05" in table
    assert "2026-03-04" not in table
    assert main(["coverage", str(feed), "--json"]) == 0
    days = json.loads(capsys.readouterr().out)["days"]
    assert sum(day["announced"] for day in days) == 10
    assert sum(day["missing"] for day in days) == sum(sum(day["gaps"].values()) for day in days)
    assert main(["coverage", str(feed), "--site", "other"]) == 1


def test_a_feed_without_a_state(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(DataError, match=r"no such file"):
            coverage(tmp_path / "news.jsonl")
        (tmp_path / "news.jsonl").write_bytes(line(article(1)))


def test_a_feed_of_posts_is_refused(tmp_path: Path) -> None:
    feed = tmp_path / "forum.jsonl"
    feed.write_bytes(line(post(1)))
    state = CrawlState(feed, "post")
    state.catch_up()
    state.close()
    with pytest.raises(DataError, match="articles alone"):
        coverage(feed)
