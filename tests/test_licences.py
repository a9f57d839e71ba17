"""The table of licences names every locked package, with what the package itself says."""

from __future__ import annotations

import re
from collections import Counter
from importlib import metadata
from pathlib import Path

import newsextract
from tests.licence_table import licence_of

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "licences.md").read_text("utf-8")
TABLE = dict(re.findall(r"^\| ([a-z0-9-]+) \| (.+) \| (?:crawl|dev) \|$", DOCUMENT, re.MULTILINE))


def locked(name: str) -> set[str]:
    return {line.partition("==")[0] for line in (ROOT / name).read_text("utf-8").splitlines()}


def test_every_locked_package_is_in_the_table_and_no_other() -> None:
    assert TABLE.keys() == locked("requirements-dev.lock")
    crawl = set(re.findall(r"^\| ([a-z0-9-]+) \| .+ \| crawl \|$", DOCUMENT, re.MULTILINE))
    assert crawl == locked("requirements.lock")


def test_every_installed_package_has_the_licence_that_it_states() -> None:
    installed = {d.metadata["Name"].lower().replace("_", "-").replace(".", "-") for d in metadata.distributions()}
    pins = Counter(line.partition("==")[0] for line in (ROOT / "requirements-dev.lock").read_text("utf-8").splitlines())
    compared = [name for name in TABLE if name in installed and pins[name] == 1]  # others say it in other words by version
    assert len(compared) > 30
    assert {name: licence_of(name) for name in compared} == {name: TABLE[name] for name in compared}


def test_data_of_others_is_named_with_its_licence() -> None:
    path = "newsextract/data/public_suffix_list.dat"
    assert path in DOCUMENT
    assert "MPL-2.0" in DOCUMENT
    assert (
        "Mozilla Public" in (Path(newsextract.__file__).parent / "data" / "public_suffix_list.dat").read_text("utf-8")[:200]
    )
