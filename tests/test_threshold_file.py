"""Threshold files: what is read back, and what is refused with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract.errors import DataError
from newsextract.model_files import ThresholdFile, Thresholds

FILE = ThresholdFile("newsextract test thresholds", ("low", "high"), "newsextract train test")
GOOD = 'format = "newsextract test thresholds"\nversion = 1\nlow = 0.5\nhigh = 2\n'


def test_written_is_read_back_and_always_the_same_bytes(tmp_path: Path):
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    thresholds = Thresholds({"low": 0.25, "high": 3.0}, {"data": 'a "quoted" name\\', "pages": 7, "f1": 0.5})
    FILE.write(first, thresholds)
    FILE.write(second, thresholds)
    assert FILE.read(first) == thresholds
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lacks the line format"),
        (GOOD.replace("test thresholds", "other thresholds"), "lacks the line format"),
        (GOOD.replace("version = 1", "version = 2"), "version 2 is not known, this program reads 1"),
        (GOOD.replace("low = 0.5", ""), "low is missing"),
        (GOOD.replace("0.5", "-1"), "low is -1"),
        (GOOD.replace("0.5", "nan"), "low is nan"),
        (GOOD.replace("0.5", "true"), "low is True"),
        (GOOD.replace("0.5", '"x"'), "low is 'x'"),
        (GOOD[:30], "not readable as TOML"),
        ("[" * 100_000, "not readable as TOML|too large"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str):
    path = tmp_path / "bad.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=message) as caught:
        FILE.read(path)
    assert str(caught.value).startswith(str(path))
    assert "newsextract train test" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_file_a_folder_and_binary(tmp_path: Path):
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "none.toml", tmp_path, binary):
        with pytest.raises(DataError, match="newsextract train test"):
            FILE.read(path)


def test_cannot_write(tmp_path: Path):
    with pytest.raises(DataError, match="cannot write"):
        FILE.write(tmp_path / "none" / "x.toml", Thresholds({"low": 1, "high": 2}))
