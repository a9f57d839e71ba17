"""The generated reference pages leave nothing out."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import newsextract
from benchmarks.docs.reference import PAGES, SCHEMAS
from newsextract import Article, algorithms, cli
from newsextract.sites import KEYS

ROOT = Path(__file__).parents[1]


def rows(page: str, heading: str | None = None) -> list[list[str]]:
    """The cells of all table rows of a page, or of one of its sections."""
    text = PAGES[f"reference/{page}.md"]()
    if heading is not None:
        (text,) = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    found = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in text.splitlines()
        if line.startswith("| ") and "| --- |" not in line
    ]
    assert found, f"{page}: no table"
    return found


def headings(page: str) -> list[str]:
    return re.findall(r"^## (.+)$", PAGES[f"reference/{page}.md"](), re.MULTILINE)


def test_every_command_has_a_section_with_its_options() -> None:
    assert {name.split()[1] for name in headings("cli") if name.startswith("newsextract ")} == set(cli.COMMANDS)
    assert any("--no-render" in cells[0] for cells in rows("cli", "newsextract records"))


def test_every_key_of_a_site_has_type_example_and_meaning() -> None:
    found = {cells[0].strip("`"): cells for cells in rows("sites")[1:]}
    assert found.keys() == KEYS.keys()
    explained = {name for name, cells in found.items() if cells[4]}
    assert found.keys() - explained <= {"obey_robots", "user_agent"}
    assert found["feeds"][5] == "news"


def test_settings_are_those_of_the_file() -> None:
    found = {cells[0].strip("`"): cells[1] for cells in rows("settings", "Our settings")[1:]}
    assert found["EXTRACTION_WORKERS"] == "`2`"
    assert "STATE_LEASE" in found


def test_every_schema_is_shown_with_all_its_fields() -> None:
    assert {path.name.partition(".")[0] for path in (ROOT / "docs").glob("*.schema.json")} == SCHEMAS.keys()
    for name in SCHEMAS:
        schema = json.loads((ROOT / "docs" / f"{name}.schema.json").read_text("utf-8"))
        assert [cells[0] for cells in rows("schemas", schema["title"])[1:]] == [
            f"`{field}`" for field in schema["properties"]
        ]


def test_every_public_name_is_described() -> None:
    assert headings("python") == [name for name in newsextract.__all__ if name != "__version__"]
    fields = [cells[0].strip("`") for cells in rows("python", "Article")[1:]]
    assert fields[: len(dataclasses.fields(Article))] == [field.name for field in dataclasses.fields(Article)]


def test_every_algorithm_is_listed() -> None:
    assert headings("algorithms") == list(algorithms.names())
