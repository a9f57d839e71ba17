"""Algorithms that installed packages add by entry points: the example of docs/usage.md, as a tiny distribution."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from newsextract import algorithms, extract
from newsextract.cli import describe
from newsextract.errors import ParameterError, UnknownAlgorithm

USAGE = Path(__file__).parents[2] / "docs" / "usage.md"
IMPORTS = """
from dataclasses import dataclass

from newsextract import Page
from newsextract.algorithms import Spec
from newsextract.results import Body


"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example, an entry that cannot be loaded, one that is no Spec, and one that has a name of ours."""
    (code,) = re.findall(r"```python\n(@dataclass.*?)```", USAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "longest_block.py").write_text(IMPORTS + code, "utf-8")
    info = tmp_path / "longest_block-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: longest_block\nVersion: 1.0\n", "utf-8")
    entries = (
        "longest_block = longest_block:SPEC",
        "gone = no_such_module:SPEC",
        "odd = longest_block:DEFAULT",
        "mdr = longest_block:SPEC",
    )
    (info / "entry_points.txt").write_text("\n".join((f"[{algorithms.GROUP}]", *entries)) + "\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    algorithms._of_other_packages.cache_clear()
    yield
    algorithms._of_other_packages.cache_clear()


@pytest.mark.usefixtures("install")
def test_an_installed_package_adds_an_algorithm() -> None:
    with pytest.warns(UserWarning, match="algorithm ") as warned:
        assert algorithms.names()[-1] == "longest_block"
    assert [re.findall(r"'(\w+)' \(", str(one.message)) for one in warned] == [["gone"], ["odd"]]
    assert "longest_block" in algorithms.names("article")
    assert "longest_block" not in algorithms.names("records")
    assert algorithms.spec("mdr").kinds == ("records",), "our own names stay ours"
    article = extract("<p>Short.</p><p>The harbour reopened on Monday.</p>", algorithm="longest_block")
    assert (article.text, article.status, article.algorithm) == ("The harbour reopened on Monday.", "ok", "longest_block")
    assert extract("<p>Short.</p>", algorithm="longest_block").status == "empty"
    assert extract("<p>Short.</p>", algorithm="longest_block", params={"least": 1}).text == "Short."
    with pytest.raises(ParameterError):
        extract("<p>Short.</p>", algorithm="longest_block", params={"least": "many"})
    assert algorithms.file_params("longest_block") == []
    assert "least = 20" in describe("longest_block")


def test_without_the_package_the_name_is_unknown() -> None:
    with pytest.raises(UnknownAlgorithm):
        extract("<p>Short.</p>", algorithm="longest_block")
