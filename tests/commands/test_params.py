"""``--param KEY=VALUE`` of the commands."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.commands import add_param, given_params
from newsextract.errors import UsageError

PAGE = "<body><p>One sentence of it, which is long enough.</p><p>Another one of it, longer, and longer.</p></body>"


def parsed(*given: str) -> dict[str, object]:
    parser = argparse.ArgumentParser()
    add_param(parser)
    return given_params(parser.parse_args([part for value in given for part in ("--param", value)]))


def test_values_are_toml_or_plain_words():
    assert parsed("a=1", "b=0.5", "c=true", 'd="x y"', "e=site.toml", "f=a=b") == {
        "a": 1, "b": 0.5, "c": True, "d": "x y", "e": "site.toml", "f": "a=b",
    }  # fmt: skip


@pytest.mark.parametrize("given", ["favour", "=x"])
def test_what_is_no_pair_is_told(given: str):
    with pytest.raises(UsageError, match="expected KEY=VALUE"):
        parsed(given)


def test_extract_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "page.html"
    path.write_text(PAGE, "utf-8")
    command = ["extract", str(path), "--algorithm", "node_attributes"]
    assert main(command) == 0
    assert main([*command, "--param", "delta1=1.0"]) == 1
    assert "no leaf passes" in capsys.readouterr().err
    assert main([*command, "--param", "nope=1"]) == 2
