"""What cannot be written is refused before the work is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsextract.commands import check_output
from newsextract.errors import DataError


def test_a_folder_and_a_missing_folder_are_refused(tmp_path: Path):
    with pytest.raises(DataError, match="it is a folder"):
        check_output(tmp_path)
    with pytest.raises(DataError, match="there is no directory"):
        check_output(tmp_path / "none" / "x.json")


def test_a_read_only_place_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(DataError, match="no permission"):
        check_output(tmp_path / "x.json")


def test_a_new_file_and_an_old_one_are_fine(tmp_path: Path):
    check_output(tmp_path / "new.json")
    (tmp_path / "old.json").write_text("")
    check_output(tmp_path / "old.json")
