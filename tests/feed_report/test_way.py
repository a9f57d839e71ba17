"""The way of a URL: what led to it, what became of it, and what refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.errors import DataError
from newsextract.feed import line
from newsextract.feed_report.views import rules, way
from newsextract.sites import Site
from newsextract.state.announced import Skip, Skips, write_announced
from newsextract.state.store import CrawlState
from newsextract.urls import record_id
from pipelines.items import Item
from tests.database.feed_lines import AT, LATER, article, name, post, read_page, rejection

HOST = "https://www.courier.example"
SITE = Site(
    name="courier", start=[f"{HOST}/"], allow=[r"/\d+$"], follow=["/news/"], deny=["/video/"], depth=2, from_articles=False
)


def url(number: int) -> str:
    return f"{HOST}/{number}"


def named(number: int) -> str:
    return record_id(url(number))


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    path = tmp_path / "news.jsonl"
    lines: list[Item] = [
        article(1, id=named(1)),
        article(1, id=named(1), revision=1, status="gone", reason="HTTP 410", fetched_at=LATER),
        article(2, id=named(2), duplicate_of=named(1)),
    ]
    rejected: list[Item] = [
        rejection(3, id=named(3), status="download", reason="timeout", attempt=1),
        rejection(4, id=named(4), status="redirected", reason=f"redirects to {url(1)}"),
        rejection(1, id=named(1), status="server_error", reason="HTTP 500"),
    ]
    path.write_bytes(b"".join(map(line, lines)))
    path.with_suffix(".rejected.jsonl").write_bytes(b"".join(map(line, rejected)))
    state = CrawlState(path)
    state.note_origin(int(named(1), 16), "feed", f"{HOST}/feed.xml")
    state.note_origin(int(named(1), 16), "link", f"{HOST}/later")
    state.note_origin(int(named(5), 16), "link", f"{HOST}/")
    state.catch_up()
    state.rebuild()
    state.close()
    return path


def told(asked: str, feed: Path) -> str:
    return "\n".join(way(asked, [feed], {"courier": SITE})[0])


def test_the_way_of_a_record_begins_where_it_was_found_first(feed: Path) -> None:
    for asked in (url(1), f"{HOST}:443/1#top", named(1)):
        text = told(asked, feed)
        assert f"feed at {HOST}/feed.xml" in text
        assert text.index("server_error: HTTP 500") < text.index("revision 1") < text.index("in the feed (status gone)")
        assert text.index(AT) < text.index(LATER)
        assert f"{named(2)} {url(2)}" in text  # its near-duplicate
        assert "matches allow = " in text


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (2, f"near-duplicate of {named(1)}"),
        (3, "1 of 3 attempts"),
        (4, f"newsextract why {url(1)}"),
        (5, "next run fetches it again"),
    ],
)
def test_what_became_of_a_page(feed: Path, number: int, expected: str) -> None:
    lines, known = way(url(number), [feed], {"courier": SITE})
    assert known
    assert expected in "\n".join(lines)


def test_a_link_that_was_not_followed_has_its_reason(feed: Path) -> None:
    skips = Skips()
    skips.add("courier", Skip(int(named(8), 16), url(8), "link", "depth", place=f"{HOST}/list"))
    write_announced(feed, [], skips.rows(), ["courier"])
    lines, known = way(url(8), [feed], {"courier": SITE})
    assert not known  # it was never requested
    assert f"depth (link at {HOST}/list)" in "\n".join(lines)


def test_a_page_that_was_never_requested_is_judged_by_the_rules(feed: Path) -> None:
    lines, known = way(f"{HOST}/video/9", [feed], {"courier": SITE})
    assert not known
    assert "excluded by deny = '/video/'" in "\n".join(lines)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/9", "matches allow"),
        ("/news/", "only its links"),
        ("/about", "links to it are not followed"),
        ("/video/9", "by deny"),
        ("/9?share=mail", "without content"),
    ],
)
def test_the_rules_for_a_url(path: str, expected: str) -> None:
    assert expected in "\n".join(rules(HOST + path, {"courier": SITE}))


def test_a_host_that_no_site_covers() -> None:
    assert "no site" in rules("https://else.example/", {"courier": SITE})[0]


def test_a_thread_has_the_records_of_its_posts(tmp_path: Path) -> None:
    feed = tmp_path / "forum.jsonl"
    feed.write_bytes(line(post(1)) + line(post(2)))
    feed.with_suffix(".pages.jsonl").write_bytes(line(read_page(7)))
    text = told("https://board.example/t/1", feed)
    assert "2 records are in the feed" in text
    assert "page 1 of a thread" in text


def test_what_is_neither_url_nor_id(feed: Path) -> None:
    with pytest.raises(DataError):
        way("fog", [feed], {})


def test_the_command(feed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", url(1), str(feed)]) == 0
    assert main(["why", url(77), str(feed)]) == 1
    assert main(["why"]) == 2
    assert "for example: newsextract why https://" in capsys.readouterr().err
    assert main(["why", "fog", str(feed)]) == 2
    assert main(["why", url(1), str(feed.with_name("none.jsonl"))]) == 2
    assert name(1) not in capsys.readouterr().out
