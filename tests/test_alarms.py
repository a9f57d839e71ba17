"""Alarms: what falls out of a site's own history, what does not, and who gets to know."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from newsextract.alarms import Counted, RunFigures, alarms, report_of, send
from newsextract.feed import line
from newsextract.state.store import MOST, CrawlState, add_runs, read_runs
from tests.database.feed_lines import article

FIRST = datetime(2026, 3, 1, 5, tzinfo=UTC)
USUAL = RunFigures("", 40, 10, 1_500.0, 0.5, 0.9, {"title": 1.0, "date": 0.95, "image": 0.5})


def day(number: float, **more: object) -> RunFigures:
    return replace(USUAL, at=(FIRST + timedelta(days=number)).isoformat(), **more)  # type: ignore[arg-type]


def week(count: int = 7) -> list[RunFigures]:
    """Ordinary runs, which differ a little."""
    return [
        day(number, records=40 + number % 5, rejected=10 + number % 3, length=1_500.0 + 40 * (number % 4), confidence=0.9)
        for number in range(count)
    ]


def test_an_ordinary_run_has_no_alarm() -> None:
    assert (
        alarms(day(7, records=31, rejected=14, length=1_300.0, coverage={"title": 1.0, "date": 0.9, "image": 0.35}), week())
        == []
    )


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"records": 3, "rejected": 2}, "new records"),
        ({"records": 0, "rejected": 0}, "new records"),
        ({"rejected": 60}, "rejected"),
        ({"length": 300.0}, "characters"),
        ({"length": 6_000.0}, "characters"),
        ({"confidence": 0.5}, "confidence"),
        ({"coverage": {"title": 1.0, "image": 0.5}}, "have date"),
    ],
)
def test_what_falls_out_of_the_history_is_named(changed: dict[str, object], word: str) -> None:
    [sentence] = alarms(day(7, **changed), week())
    assert word in sentence


def test_better_figures_are_no_alarm() -> None:
    assert alarms(day(7, records=90, rejected=0, confidence=1.0, coverage=dict.fromkeys(USUAL.coverage, 1.0)), week()) == []


def test_a_short_history_says_nothing() -> None:
    assert alarms(day(4, records=0, rejected=50), week(4)) == []


def test_a_run_soon_after_another_one_may_have_few_records() -> None:
    assert alarms(day(6.02, records=0, rejected=0), week()) == []
    assert alarms(day(6.9, records=0, rejected=0), week())


def test_small_sites_are_judged_by_several_runs() -> None:
    earlier = [day(number, records=4, rejected=1) for number in range(20)]
    broken = [day(20 + number, records=4, rejected=1, coverage={"title": 1.0}) for number in range(5)]
    found = [alarms(one, [*earlier, *broken[:number]]) for number, one in enumerate(broken)]
    assert found[0] == []
    assert any("have date" in sentence for sentence in found[-1])


def test_runs_without_records_are_joined() -> None:
    earlier = [day(number, records=2, rejected=0) for number in range(9)]
    silent = [day(9 + number, records=0, rejected=0) for number in range(8)]
    found = [bool(alarms(one, [*earlier, *silent[:number]])) for number, one in enumerate(silent)]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (False, True)


def test_figures_are_counted_and_survive_as_text() -> None:
    counted = Counted()
    for length in (100, 200, 600):
        counted.add(length, 0.5, ["title"] if length > 100 else [])
    for status in ("short", "part", "robots"):
        counted.reject(status)
    figures = counted.figures(FIRST.isoformat())
    assert (figures.records, figures.rejected, figures.length, figures.confidence) == (3, 1, 200.0, 0.5)
    assert figures.coverage == {"title": pytest.approx(2 / 3, abs=1e-3)}
    assert RunFigures.read(figures.text()) == figures
    assert Counted().figures("x") == RunFigures("x")


def test_the_state_keeps_the_latest_runs_also_when_it_is_rebuilt(tmp_path: Path) -> None:
    feed = tmp_path / "news.jsonl"
    assert read_runs(feed) == {}
    feed.write_bytes(line(article(1)))
    state = CrawlState(feed)
    for number in range(MOST + 3):
        add_runs(feed, {"courier": (day(number), ["few"] if number == MOST else [])})
    state.rebuild()
    state.close()
    runs = read_runs(feed)["courier"]
    assert [run for run, _ in runs] == [day(number) for number in range(3, MOST + 3)]
    assert [number for number, (_, found) in enumerate(runs) if found] == [MOST - 3]


@pytest.fixture
def hook() -> Iterator[tuple[str, list[bytes]]]:
    got: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # http.server's name
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook", got
    server.shutdown()
    server.server_close()


def test_a_webhook_and_a_command_get_the_alarms(hook: tuple[str, list[bytes]], tmp_path: Path) -> None:
    url, got = hook
    report = report_of("news", "out/news.jsonl", {"courier": ["no new records"], "board": []})
    send(url, report)
    copy = tmp_path / "got.json"
    send([sys.executable, "-c", f"import sys; open({str(copy)!r}, 'w').write(sys.stdin.read())"], report)
    assert json.loads(got[0]) == json.loads(copy.read_text("utf-8")) == report
    assert [site["site"] for site in report["sites"]] == ["courier"]


@pytest.mark.parametrize("whom", ["http://127.0.0.1:9/none", "/no/such/command x", "'open", ["false"]])
def test_who_cannot_be_reached_is_logged(whom: str | list[str], caplog: pytest.LogCaptureFixture) -> None:
    send(whom, {})
    assert len(caplog.records) == 1


@pytest.mark.parametrize("webhook", ["http://127.0.0.1:1/services/T0/s3cret", "http://me:s3cret@127.0.0.1:1/"])
def test_the_secret_of_a_webhook_is_not_logged(webhook: str, caplog: pytest.LogCaptureFixture) -> None:
    send(webhook, {})
    assert "could not be sent" in caplog.text
    assert "127.0.0.1" in caplog.text
    assert "s3cret" not in caplog.text
