from __future__ import annotations

import logging
import socket
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from newsextract.errors import MissingExtra, UsageError, install_command
from newsextract.lab import runner
from newsextract.lab.datasets import Kind, Prediction, load
from newsextract.lab.runner import Extracted

FROM_THE_EXTRA = ("trafilatura", "readability", "resiliparse", "newspaper4k")


def run(directory: Path, name: str, kind: Kind = "articles", workers: int = 0) -> list[Prediction]:
    return list(runner.run(load([directory], kind), runner.peer(name), kind, workers=workers))


@pytest.mark.parametrize("name", [name for name in runner.PEERS if runner.installed(name)])
def test_an_installed_peer_answers_for_each_page(make_data_set: Callable[..., Path], name: str) -> None:
    found = run(make_data_set(2), name)
    assert [prediction.status for prediction in found] == ["ok", "ok"]
    assert all("Paragraph 3 of story" in prediction.text for prediction in found)
    assert all(prediction.extract_seconds and prediction.lxml_seconds for prediction in found)
    assert all(prediction.body_seconds is None for prediction in found)
    if name != "justext":
        assert [prediction.title for prediction in found] == [f"The bridge number {n} opens again" for n in range(2)]


def test_the_peers_of_the_extra_are_installed_for_development() -> None:
    assert [name for name in FROM_THE_EXTRA if not runner.installed(name)] == []


def test_a_peer_gives_the_same_in_a_worker(make_data_set: Callable[..., Path]) -> None:
    directory = make_data_set(3)

    def untimed(found: list[Prediction]) -> list[Prediction]:
        return [replace(prediction, extract_seconds=None, lxml_seconds=None) for prediction in found]

    assert untimed(run(directory, "resiliparse", workers=1)) == untimed(run(directory, "resiliparse"))


def test_comments_count_on_threads_only(monkeypatch: pytest.MonkeyPatch, forum: Path) -> None:
    asked: list[Kind] = []

    def extract(body: bytes, url: str | None, kind: Kind) -> Extracted:
        asked.append(kind)
        return Extracted("text")

    monkeypatch.setitem(runner.PEERS, "resiliparse", replace(runner.PEERS["resiliparse"], extract=extract))
    found = run(forum, "resiliparse", "threads")
    assert asked == ["threads"] * (1 + len(found)), "the first one is the warm-up"


def misbehaving(body: bytes, url: str | None, kind: Kind) -> Extracted:
    warnings.warn("this page is odd", stacklevel=1)
    logging.getLogger("misbehaving").critical("and so is its encoding")
    if b"story 1" in body:
        raise ValueError("no article found")
    if b"story 2" in body:
        socket.getaddrinfo("news.example", 80)
    return Extracted("text")


def test_a_misbehaving_peer_is_silent_offline_and_charged_with_its_failures(
    make_data_set: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(runner.PEERS, "justext", replace(runner.PEERS["justext"], extract=misbehaving))
    found = run(make_data_set(3), "justext")
    assert [prediction.status for prediction in found] == ["ok", "failed", "failed"]
    assert found[1].reason == "ValueError: no article found"
    assert (found[2].reason or "").startswith("PermissionError: a peer asked for the network")
    assert caplog.records == []
    assert capsys.readouterr() == ("", "")
    assert logging.root.manager.disable == logging.NOTSET
    assert socket.getaddrinfo("127.0.0.1", 80)  # others may use the network again


def test_what_is_not_there_is_refused_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "installed", lambda name: False)
    with pytest.raises(MissingExtra, match=r"the peer trafilatura needs .* pip install 'newspaper4k\S+ \S*readability-lxml"):
        runner.peer("trafilatura")
    with pytest.raises(UsageError, match=r"the peer gne is not installed: python -m pip install gne"):
        runner.peer("gne")
    found, skipped = runner.all_peers()
    assert found == []
    assert runner.told(skipped)[0] == (
        f"left out: trafilatura, readability, resiliparse, newspaper4k, justext: not installed; {install_command('peers')}"
    )
