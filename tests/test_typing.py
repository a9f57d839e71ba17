"""The types that users get: a file of users' code, read by mypy; one signature; the marker in the wheel."""

from __future__ import annotations

import inspect
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from newsextract import extract, extract_records

CODE = Path(__file__).parent / "users_code.py"


def test_both_functions_have_one_signature() -> None:
    assert inspect.signature(extract).parameters == inspect.signature(extract_records).parameters


@pytest.mark.slow
def test_mypy_accepts_users_code(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path), str(CODE)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout


def test_the_marker_of_types_is_in_the_wheel(tmp_path: Path) -> None:
    builder = pytest.importorskip("hatchling.builders.wheel", reason="hatchling builds the wheel")
    (wheel,) = builder.WheelBuilder(str(CODE.parents[1])).build(directory=str(tmp_path), versions=["standard"])
    assert "newsextract/py.typed" in zipfile.ZipFile(wheel).namelist()
