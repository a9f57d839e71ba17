"""What is told of a server that does not answer; the help of the commands."""

from __future__ import annotations

import socket

import pytest

from newsextract.cli import main
from newsextract.cluster.connection import ClusterError, connect


def test_a_server_that_is_not_there_is_told_in_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ClusterError, match="Connection refused; is it running, and is the address right"):
        connect(f"redis://127.0.0.1:{port}/0")


@pytest.mark.parametrize(
    ("action", "sentence", "crawl"),
    [
        ("status", "Say of each shared crawl", "(default: all)"),
        ("clear", "Remove what Redis has of a crawl", "must be named"),
    ],
)
def test_help_says_what_a_command_does(action: str, sentence: str, crawl: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["cluster", action, "--help"])
    told = capsys.readouterr().out
    assert sentence in told
    assert crawl in told
    assert told.count("(default: all)") == (action == "status")
