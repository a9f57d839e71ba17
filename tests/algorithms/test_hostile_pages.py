"""A part of the hostile pages of ``benchmarks.hostile``: read within the limits, with all of their text."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize("part", ["unclosed", "json-ld", "names"])
def test_hostile_pages(part: str) -> None:
    command = [sys.executable, "-m", "benchmarks.hostile", "--only", "combined", "visual_blocks", "--inputs", part, "--json"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=280, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["contender"] for one in found} == {"combined", "visual_blocks"}
    assert done.returncode == 0, done.stderr
    assert [one for one in found if one["contender"] == "combined" and (one["outcome"], one["kept"]) != ("text", 1)] == []
    assert [one for one in found if one["outcome"] not in ("text", "none")] == []
