"""The report of a feed: what it counts, what it shows, that nothing of a page gets out of its text; and the local server."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from newsextract.alarms import RunFigures
from newsextract.cli import main
from newsextract.feed import line
from newsextract.feed_report import ReportServer, report
from newsextract.feed_report.index import Chosen, FeedIndex
from newsextract.state.store import CrawlState, add_runs
from pipelines.items import Item
from tests.database.feed_lines import article, found_object, hit, name, post, rejection, teaser

EVIL = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'"
LINES: list[Item] = [
    article(1, text="新桥开放 the bridge is open"),
    article(2, date="2026-03-02", authors=[], image="https://courier.example/2.png"),
    article(3),
    article(
        4, url="javascript:window.hacked=1", title=EVIL, text=EVIL, authors=[EVIL], image="data:text/html,x", site="evil"
    ),
    article(5, duplicate_of=name(1)),
    article(6, duplicate_of=name(1)),
    article(2, revision=1, text="The fog has left the bay.", authors=[]),
    article(3, revision=1, status="withdrawn"),
    article(7, status="gone", reason="HTTP 410"),
]
REJECTED = [
    rejection(50, status="short"),
    rejection(51, status="listing", reason=EVIL),
    rejection(51, status="short", reason=EVIL),
    rejection(1, status="download"),
]


def written(path: Path, items: list[Item]) -> Path:
    path.write_bytes(b"".join(map(line, items)))
    return path


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    written(tmp_path / "news.rejected.jsonl", list(REJECTED))
    return written(tmp_path / "news.jsonl", LINES)


class Elements(HTMLParser):
    """The elements of a page, and their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def check_safe(html: str, scripts: int) -> None:
    elements = Elements(html).found
    assert [tag for tag, _ in elements].count("script") == scripts
    assert not {"img", "iframe", "object"}.intersection(tag for tag, _ in elements)
    for _, attributes in elements:
        assert not [key for key in attributes if key.startswith("on") or key in ("style", "src")]
        assert (attributes.get("href") or "#").startswith(("#", "/", "http://", "https://"))


def test_values_that_sqlite_cannot_store_are_replaced(tmp_path: Path) -> None:
    feed, value = tmp_path / "news.jsonl", json.loads(line(article(1)))
    odd = value | {"id": "\ud800", "site": "a\ud800", "revision": 10**400, "confidence": 10**400, "status": "\udfff"}
    feed.write_text(json.dumps(value) + "\n" + json.dumps(odd) + "\n")
    index = FeedIndex(feed)
    index.catch_up()
    assert index.foreign == 0
    assert set(index.sites()) == {"courier", "a?"}
    index.close()
    assert "a?" in report(feed)


def test_the_last_line_of_each_record_counts(feed: Path) -> None:
    index = FeedIndex(feed)
    index.catch_up()
    courier = index.sites()["courier"]
    assert courier.records == 5
    assert courier.statuses == {"ok": 4, "withdrawn": 1, "gone": 1}
    assert courier.rejected == {"short": 2}
    assert (courier.coverage["title"], courier.coverage["authors"], courier.coverage["image"]) == (5, 4, 0)
    assert index.days(9) == [("2026-03-04", 6)]
    assert index.revised(9) == (2, [name(3), name(2)])
    total, [(size, members)] = index.groups(9, 1)
    assert (total, size, [one["id"] for one in members]) == (1, 3, [name(1), name(5)])
    assert [one["id"] for one in index.rejections(9)[1]] == [name(51), name(50)]
    index.close()


def test_records_are_found_by_words_also_chinese_ones(feed: Path, tmp_path: Path) -> None:
    index = FeedIndex(feed, tmp_path / "news.index", searchable=True)
    index.catch_up()

    def found(words: str, **more: str) -> list[str]:
        return [one["id"] for one in index.records(Chosen(words, **more), 9)[1]]

    assert found("新桥 BRIDGE") == [name(1)]
    assert found("桥新") == []
    assert found("left bay") == [name(2)]
    assert found("day 2") == []  # of an earlier revision
    assert found("fog", site="courier", status="gone") == [name(7)]
    for odd in ('"', "*", "NEAR(", "a OR", "title:fog", "\0"):
        assert found(odd) in ([], [name(4)])
    index.close()


def test_an_index_follows_its_feed_and_is_made_anew_for_another_one(feed: Path, tmp_path: Path) -> None:
    path = tmp_path / "news.index"

    def count() -> int:
        index = FeedIndex(feed, path, searchable=True)
        index.catch_up()
        total = index.records(Chosen(), 1)[0]
        index.close()
        return total

    before = count()
    with feed.open("ab") as file:
        file.write(line(article(8)) + b"no JSON\n" + line(article(9))[:-1])
    assert count() == before + 1
    written(feed, [article(1)])
    assert count() == 1
    path.write_bytes(b"no database at all" * 100)
    assert count() == 1


def test_nothing_of_a_hostile_page_becomes_markup(feed: Path) -> None:
    html = report(feed)
    check_safe(html, 1)
    assert "Content-Security-Policy" in html
    assert "javascript:" not in "".join(str(attributes) for _, attributes in Elements(html).found)


@pytest.mark.parametrize("made", [post, hit, teaser, found_object, article])
def test_every_kind_of_record_has_a_report(made: Callable[..., Item], tmp_path: Path) -> None:
    feed = written(tmp_path / "feed.jsonl", [made(1), made(2)])
    check_safe(report(feed), 1)
    index = FeedIndex(feed)
    index.catch_up()
    [figures] = index.sites().values()
    assert figures.records == 2
    assert figures.fields
    index.close()


def test_a_large_feed_shows_its_newest_records_and_says_how_many_there_are(feed: Path) -> None:
    html = report(feed, most=2)
    assert "2 of 7 records" in html
    assert html.count("<article") < report(feed).count("<article")


def test_the_last_run_of_each_site_is_shown_against_earlier_ones(feed: Path, server: ReportServer) -> None:
    CrawlState(feed).close()
    add_runs(feed, {"courier": (RunFigures("2026-03-01T05:00:00+00:00", 40, 1, 900.0, 0.5, 0.9), ["of an earlier run"])})
    add_runs(feed, {"courier": (RunFigures("2026-03-02T05:00:00+00:00", 3, 1, 800.0, 0.5, 0.8), ["3 <b>new</b> records"])})
    for html in (report(feed), asked(server, "/")[1]):
        assert "courier: 3 &lt;b&gt;new&lt;/b&gt; records" in html
        assert "of an earlier run" not in html
        assert "3 (40)" in html


def test_the_command_writes_beside_the_feed(feed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(feed)]) == 0
    assert feed.with_suffix(".html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert main(["report", str(feed.with_name("none.jsonl"))]) == 2
    capsys.readouterr()
    assert main(["report", str(feed.parent / "none" / "news.jsonl")]) == 2
    assert "none/news.jsonl: no such file; name a feed" in capsys.readouterr().err, "the feed, not the place of its report"
    assert main(["report", str(feed), "--port", "1"]) == 2
    assert main(["report", str(feed), "-o", str(feed)]) == 2
    capsys.readouterr()


@pytest.fixture
def server(feed: Path, tmp_path: Path) -> Iterator[ReportServer]:
    index = FeedIndex(feed, tmp_path / "news.index", searchable=True)
    made = ReportServer(index, 0)
    thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    index.close()


def asked(server: ReportServer, path: str, method: str = "GET", host: str | None = None) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(method, path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    body = answer.read().decode("utf-8")
    connection.close()
    return answer.status, body, dict(answer.headers)


def test_the_server_shows_pages_and_searches(server: ReportServer) -> None:
    for path in ("/", "/records", "/revisions", "/duplicates", "/rejections?status=short", f"/record?id={name(2)}"):
        status, body, headers = asked(server, path)
        assert status == 200
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        check_safe(body, 0)
    found = asked(server, "/records?q=%E6%96%B0%E6%A1%A5&site=courier")[1]
    assert found.count("<article") == 1
    assert asked(server, "/records?q=%22%3E%3Cscript%3E&page=2")[0] == 200
    check_safe(asked(server, "/records?q=%22%3E%3Cscript%3E&page=2&%3Cb=%22%3E%3Cscript%3E")[1], 0)


def test_the_server_answers_nothing_else(server: ReportServer) -> None:
    assert asked(server, "/etc/passwd")[0] == 404
    assert asked(server, "/record?id=none")[0] == 404
    assert asked(server, "/", "POST")[0] == 501
    assert asked(server, "/", host="evil.example")[0] == 403


def test_the_report_of_lines_that_others_have_changed(tmp_path: Path) -> None:
    feed = tmp_path / "feed.jsonl"
    odd = [
        {"id": "1", "url": "x", "title": 3, "text": None, "authors": "a", "revision": "two", "confidence": "high"},
        [1],
        2,
    ]
    feed.write_text("".join(json.dumps(value) + "\n" for value in odd) + "{\n", "utf-8")
    check_safe(report(feed), 1)
