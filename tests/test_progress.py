"""How far a long command is."""

from __future__ import annotations

import io

import pytest

from newsextract import control_characters
from newsextract.control_characters import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "told"), [(Terminal(), "\r\x1b[Karchives: 7 pages\r\x1b[K"), (io.StringIO(), "archives: 7 pages\n")]
)
def test_one_live_line_or_plain_ones(stream: io.StringIO, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_characters, "_LIVE_INTERVAL", -1.0)
    monkeypatch.setattr(control_characters, "_PLAIN_INTERVAL", -1.0)
    shown = ProgressLine("archives", stream)
    shown.tell("7 pages")
    shown.close()
    assert stream.getvalue() == told


def test_not_more_often_than_one_can_read() -> None:
    stream = Terminal()
    shown = ProgressLine("archives", stream)
    for number in range(1_000):
        shown.update(number + 1, 1_000)
    assert stream.getvalue().count("\r") < 100
