"""`scrapy crawl forum`: one record per post, each once, whatever is read again.

What is tested is the crawl, so no thread here has a single post only: that is hard for the algorithm.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def crawl(small_crawl: Run, forum: Any, make_sites: Run, tmp_path: Path) -> Run:
    """Crawl the made forum; the site's keys can be given."""

    def run(*arguments: str, feed: str = "forum.jsonl", **keys: Any) -> Any:
        sites = make_sites({"name": "quay", "kind": "forum", "start": [forum.board], **keys})
        forum.server.hits.clear()
        return small_crawl(tmp_path / feed, *arguments, sites=sites, spider="forum").check()

    return run


def placed(records: list[dict[str, Any]]) -> dict[tuple[int, int], str]:
    """Number of the thread, position → text; each place once."""
    found: dict[tuple[int, int], str] = {}
    for line in records:
        place = int(line["thread_url"].rpartition("t=")[2]), line["position"]
        assert place not in found, f"twice: {place}"
        found[place] = line["text"]
    assert len({line["id"] for line in records}) == len(records)
    return found


def asked(forum: Any) -> list[str]:
    """Pages of threads that were asked for."""
    return [path for _, path, _ in forum.server.hits if "viewtopic" in path]


def test_posts_of_all_threads_and_pages(crawl: Run, forum: Any) -> None:
    for thread, posts in ((7, 12), (8, 3), (9, 5), (10, 7)):
        forum.add(thread, posts)
    done = crawl()
    assert placed(done.records) == forum.expected()
    by_place = {(line["thread_url"].rpartition("t=")[2], line["position"]): line for line in done.records}
    line = by_place["7", 12]
    assert line["thread_title"] == forum.server.headline("thread 7")
    assert by_place["7", 3]["author"] == forum.author("post 7-3")
    assert (line["date"][:10], line["page"], line["kind"], line["site"]) == ("2025-03-13", 3, "post", "quay")
    assert line["permalink"] == forum.server.url("/viewtopic.php?start=10&t=7#p7012")
    assert line["url"] == forum.server.url("/viewtopic.php?start=10&t=7")
    assert len({line["thread_id"] for line in done.records}) == 4
    assert len(asked(forum)) == len(set(asked(forum))) == 7
    assert [(r["status"], r["url"]) for r in done.rejected] == [("listing", forum.board)]
    assert "27 new, 0 already there" in done.err


def test_dates_are_read_in_the_order_of_day_and_month_that_the_board_shows(
    crawl: Run, forum: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = forum._put

    def numeric(path: str, title: str, body: str) -> None:
        body = re.sub(r"2025-03-(\d\d)", r"\1-03-2025", body)
        put(path, title, body.replace(" replies</td>", " replies</td><td>13-03-2025</td>"))

    monkeypatch.setattr(forum, "_put", numeric)
    forum.add(7, 7)
    forum.add(8, 3)
    done = crawl()
    assert len(done.records) == 10
    assert all(line["date"].startswith(f"2025-03-{line['position'] + 1:02d}") for line in done.records)


def test_lines_are_valid_against_the_schemas(crawl: Run, forum: Any) -> None:
    for thread in (7, 8, 9):
        forum.add(thread, 7)
    done = crawl()
    assert (len(done.records), len(done.pages)) == (21, 6)
    for name, lines in (("post", done.records), ("page", done.pages), ("rejection", done.rejected)):
        validator = Draft202012Validator(json.loads((DOCS / f"{name}.schema.json").read_text("utf-8")))
        for line in lines:
            assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(line)] == []
            assert list(line) == list(validator.schema["properties"])


@pytest.mark.parametrize("late", ["", "?page=2"])
def test_a_thread_is_whole_whichever_of_its_pages_is_answered_last(
    late: str, server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    """A board links to a thread's first and to its last page, and nothing in the URLs says that they are one thread."""
    threads = set()
    for path, body in sample("grid").items():
        if path.startswith("/talk/3-") and path.endswith(late) and ("?" in path) == bool(late):
            server.put(path, partial(_answer_late, body=body))
        else:
            server.put(path, body)
        if path.startswith("/talk/"):
            threads.add(server.url(path))
    assert sum("?page=2" in url for url in threads) == 1
    sites = make_sites({"name": "quay", "kind": "forum", "start": [server.url("/")]})
    done = small_crawl(tmp_path / "forum.jsonl", sites=sites, spider="forum").check()
    assert {line["url"] for line in done.pages} == threads


def sample(forum: str) -> dict[str, bytes]:
    """Path → page of a forum of the sample site."""
    folder = Path(__file__).parents[1] / "sample_site" / "forum" / forum
    pages = {}
    for file in folder.rglob("*.html"):
        path = "/" + file.relative_to(folder).as_posix().removesuffix(".html").replace("@", "?").removesuffix("?")
        pages[path.removesuffix("index") or "/"] = file.read_bytes()
    return pages


@pytest.mark.parametrize("feeds", [0, 1, 2])
def test_an_opening_post_that_every_page_repeats_is_known_in_a_later_run(
    feeds: int, server: Any, small_crawl: Run, make_sites: Run, tmp_path: Path
) -> None:
    for path, body in sample("tracker").items():
        server.put(path, body)
    sites = make_sites({"name": "works", "kind": "forum", "start": [server.url("/")]})
    run = partial(small_crawl, tmp_path / "forum.jsonl", sites=sites, spider="forum")
    first = run().check()
    before = places(first.records)
    assert [place[-2:] for place in sorted(before, key=itemgetter(2, 3)) if "/item/11" in place[1]] == [
        (1, 1),
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 5),
        (2, 6),
    ]
    for feed in (first.pages_feed, first.feed)[:feeds]:  # as if the run had been killed before these lines
        kept = [line for line in feed.read_bytes().splitlines(keepends=True) if "page=2" not in json.loads(line)["url"]]
        feed.write_bytes(b"".join(kept))
    again = run().check()
    assert places(again.records) == before
    assert {line["number"]: line["count"] for line in again.pages if "/item/11" in line["url"]} == {1: 4, 2: 2}


def places(records: list[dict[str, Any]]) -> list[tuple[str, str, int, int]]:
    return sorted((line["id"], line["url"], line["page"], line["position"]) for line in records)


def _answer_late(handler: Any, body: bytes) -> None:
    time.sleep(1.5)
    handler.answer(200, body, {"Content-Type": "text/html; charset=utf-8"})


@pytest.mark.parametrize("permalinks", [True, False])
def test_a_second_run_fetches_only_what_may_have_changed(permalinks: bool, crawl: Run, forum: Any) -> None:
    forum.permalinks = permalinks
    for thread, posts in ((7, 12), (8, 5), (9, 3)):
        forum.add(thread, posts)
    first = crawl()
    before = first.feed.read_bytes(), first.pages_feed.read_bytes(), first.rejected_feed.read_bytes()
    again = crawl()
    assert sorted(asked(forum)) == sorted([forum.address(7, 3), forum.address(8), forum.address(9)])
    assert (again.feed.read_bytes(), again.pages_feed.read_bytes(), again.rejected_feed.read_bytes()) == before
    assert "0 new, 20 already there" in again.err
    forum.add(7, 5)  # the last page is filled, another begins
    forum.add(8, 2)  # it was full: a page begins
    forum.add(11, 2)
    third = crawl()
    assert placed(third.records) == forum.expected()
    assert third.feed.read_bytes().startswith(before[0])
    assert set(asked(forum)) == {
        forum.address(7, 3), forum.address(7, 4), forum.address(8), forum.address(8, 2), forum.address(9), forum.address(11),
    }  # fmt: skip


@pytest.mark.parametrize("permalinks", [True, False])
def test_a_last_page_with_one_post(permalinks: bool, crawl: Run, forum: Any) -> None:
    """Found by what posts look like on the pages before; and again by a run that reads the last page alone."""
    forum.permalinks = permalinks
    for thread, posts in ((7, 11), (8, 6), (9, 3)):
        forum.add(thread, posts)
    done = crawl()
    assert placed(done.records) == forum.expected()
    (line,) = [line for line in done.records if line["page"] == 3]
    assert (line["author"], line["date"][:10]) == (forum.author("post 7-11"), "2025-03-12")
    notes = {(line["thread_url"].rpartition("t=")[2], line["number"]): line["note"] for line in done.pages}
    assert {place for place, note in notes.items() if note} == {("7", 3), ("8", 2)}
    before = done.feed.read_bytes(), done.pages_feed.read_bytes(), done.rejected_feed.read_bytes()
    again = crawl()
    assert sorted(asked(forum)) == sorted([forum.address(7, 3), forum.address(8, 2), forum.address(9)])
    assert (again.feed.read_bytes(), again.pages_feed.read_bytes(), again.rejected_feed.read_bytes()) == before
    forum.add(7, 5)  # a page with one post begins
    forum.add(8, 1)
    assert placed(crawl().records) == forum.expected()


def test_an_unchanged_page_is_asked_for_with_its_tag(crawl: Run, forum: Any) -> None:
    for thread in (7, 8, 9):
        forum.add(thread, 2)
    path = forum.address(7)
    body = forum.server.answers.pop(path)[0][1]
    forum.server.put(path, body, ETag='"one"')
    crawl()
    forum.server.answers.pop(path)
    forum.server.put(path, b"", 304)
    again = crawl()
    assert len(again.records) == 6
    (headers,) = [headers for _, asked_for, headers in forum.server.hits if asked_for == path]
    assert headers["If-None-Match"] == '"one"'
    assert "1 not modified" in again.err


def test_a_thread_of_unknown_software_goes_on_in_a_later_run(crawl: Run, forum: Any) -> None:
    """The addresses of its pages do not tell that they are of one thread."""
    forum.address = lambda thread, page=1: f"/works/item/{thread}" + (f"?page={page}" if page > 1 else "")
    for thread in (7, 8, 9):
        forum.add(thread, 12)
    done = crawl(pages_per_thread=1)
    assert len(done.records) == 15
    done = crawl()
    assert len(done.records) == 36
    threads = {(line["thread_id"], line["thread_url"]) for line in done.records}
    assert sorted(url for _, url in threads) == [forum.server.url(forum.address(thread)) for thread in (7, 8, 9)]


def test_limits_of_pages(crawl: Run, forum: Any) -> None:
    forum.add(7, 23)
    for thread in (8, 9):
        forum.add(thread, 2)
    done = crawl(pages_per_thread=2)
    assert sorted(placed(done.records)) == sorted([*((7, k) for k in range(1, 11)), (8, 1), (8, 2), (9, 1), (9, 2)])
    done = crawl(pages_per_thread=2)
    assert set(asked(forum)) == {forum.address(8), forum.address(9)}, "a finished page within the limit is not read again"
    done = crawl(pages_per_thread=10)
    assert placed(done.records) == forum.expected()


def test_limit_of_a_run(crawl: Run, forum: Any) -> None:
    for thread in (7, 8, 9, 10):
        forum.add(thread, 2)
    for count in (2, 4):
        assert len({line["thread_id"] for line in crawl("-a", "limit=2").records}) == count


def test_boards_below_and_further_pages_of_boards(crawl: Run, forum: Any) -> None:
    for thread in range(7, 13):
        forum.add(thread, 2)
    board = forum.server.answers["/viewforum.php?f=1"][0][1].decode()
    head, *rows, tail = board.replace("<tr>", "\0<tr>").replace("</table>", "\0</table>").split("\0")

    def put(path: str, chosen: list[str], more: str) -> None:
        forum.server.answers.pop(path, None)
        forum.server.put(path, head + "".join(chosen) + tail + more)

    put("/viewforum.php?f=1", rows[:2], '<a href="/viewforum.php?f=2">Boats</a> <a href="/viewforum.php?f=1&start=2">2</a>')
    put("/viewforum.php?f=1&start=2", rows[2:4], '<a href="/viewforum.php?f=1">1</a>')
    put("/viewforum.php?f=2", rows[4:], "")
    assert placed(crawl().records) == forum.expected()
    assert len(placed(crawl(feed="flat.jsonl", depth=0, pagination=0).records)) == 4


def test_a_start_page_may_be_a_thread(crawl: Run, forum: Any) -> None:
    forum.add(7, 8)
    forum.add(8, 8)
    done = crawl(start=[forum.server.url(forum.address(7, 2))])
    assert {place[0] for place in placed(done.records)} == {7}
    assert len(done.records) == 8, "a thread is read from its first page on"


def test_threads_from_a_file(crawl: Run, forum: Any, address_file: Run) -> None:
    forum.add(7, 8)
    forum.add(8, 8)
    done = crawl("-a", address_file(forum.server.url(forum.address(8))))
    assert {place[0] for place in placed(done.records)} == {8}
    assert "/viewforum.php?f=1" not in [path for _, path, _ in forum.server.hits]


def test_posts_outside_the_window_are_left_out_and_counted(crawl: Run, forum: Any) -> None:
    for thread in (7, 8, 9):
        forum.add(thread, 4)  # 2 to 5 March
    done = crawl("-a", "since=2025-03-04")
    assert {line["position"] for line in done.records} == {3, 4}
    assert "6 out of the date window" in done.err
    assert "not fetched" not in done.err
    assert crawl("-a", "since=2025-03-04").feed.read_bytes() == done.feed.read_bytes()
    assert placed(crawl().records) == forum.expected(), "without the window nothing is lost"


def test_what_is_no_thread_is_turned_away_with_a_reason(crawl: Run, forum: Any) -> None:
    for thread in (7, 8, 9):
        forum.add(thread, 4)
    for path in (forum.address(7), forum.address(8)):
        forum.server.answers.pop(path)
    forum.server.put(forum.address(7), "<html><title>Log in</title><body><p>Members only.</p></body></html>")
    done = crawl()
    assert {place[0] for place in placed(done.records)} == {9}
    found = {line["url"]: line["status"] for line in done.rejected}
    assert found[forum.server.url(forum.address(7))] == "empty"
    assert found[forum.server.url(forum.address(8))] == "missing"
    crawl()
    assert asked(forum) == [forum.address(9)]


def test_one_bad_answer_does_not_end_a_thread(crawl: Run, forum: Any) -> None:
    for thread in (7, 8, 9):
        forum.add(thread, 4 if thread > 7 else 7)
    first, second = forum.address(7), forum.address(7, 2)
    last = forum.server.answers.pop(second)
    done = crawl()  # a later page is missing, which was never read
    assert [(r["status"], r["attempt"], r["reason"]) for r in done.rejected[1:]] == [("failed", 1, "missing: HTTP 404")]
    forum.server.answers[second] = last
    assert placed(crawl().records) == forum.expected()
    forum.server.answers.pop(second)
    kept = forum.server.answers.pop(forum.address(8))
    crawl()  # pages are missing that were read
    forum.server.answers[second], forum.server.answers[forum.address(8)] = last, kept
    forum.add(8, 1)
    assert placed(crawl().records) == forum.expected()
    assert first not in asked(forum)


@pytest.mark.parametrize("permalinks", [True, False])
def test_a_pager_that_leads_in_circles_ends(permalinks: bool, crawl: Run, forum: Any) -> None:
    """The last page again and again, each time under another number."""
    forum.permalinks = permalinks
    for thread in (7, 8, 9):
        forum.add(thread, 4)
    body = forum.server.answers[forum.address(7)][0][1].decode()
    for start in range(0, 60, 5):
        path = f"/viewtopic.php?start={start}&t=7" if start else forum.address(7)
        following = f'<a href="/viewtopic.php?t=7&start={start + 5}">{start // 5 + 2}</a></body>'
        forum.server.answers.pop(path, None)
        forum.server.put(path, body.replace("</body>", following))
    done = crawl()
    assert placed(done.records) == forum.expected()
    assert len([path for path in asked(forum) if path.endswith("t=7")]) == 2
    again = crawl()
    assert (again.feed.read_bytes(), again.pages_feed.read_bytes()) == (done.feed.read_bytes(), done.pages_feed.read_bytes())


def test_the_same_posts_under_another_url_are_not_written_again(crawl: Run, forum: Any) -> None:
    for thread, posts in ((7, 12), (8, 3)):
        forum.add(thread, posts)
    expected = forum.expected()
    views = {"/showthread.php?t=70": "".join(forum._post(7, k, f"post 7-{k}") for k in range(1, 13))}
    views |= {f"/showthread.php?t={70 + k}": forum._post(8, k, f"post 8-{k}") for k in (1, 2)}
    for path, posts in views.items():
        forum._put(path, "View", f"<h1>View</h1><div class=posts>{posts}</div>")
    forum._put("/viewforum.php?f=2", "Recent", "".join(f'<p><a href="{path}">View</a></p>' for path in views))
    first = crawl()
    again = crawl(start=[forum.board, forum.server.url("/viewforum.php?f=2")])
    assert placed(again.records) == placed(first.records) == expected
    turned = {(line["status"], line["url"]) for line in again.rejected if line["status"] != "listing"}
    assert turned == {("not_canonical", forum.server.url(path)) for path in views}
    assert "0 new" in crawl(start=[forum.board, forum.server.url("/viewforum.php?f=2")]).err
