"""The published JSON Schemas describe the lines of the feeds, field by field and in order."""

from __future__ import annotations

import dataclasses
import json
import typing
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from newsextract.feed.record_lines import Hit, NewsRecord, ObjectRecord, Post, ReadPage, Rejection, Teaser

DOCS = Path(__file__).parents[2] / "docs"
PAIRS = [
    ("record", NewsRecord), ("post", Post), ("hit", Hit), ("teaser", Teaser), ("object", ObjectRecord), ("page", ReadPage),
    ("rejection", Rejection),
]  # fmt: skip
JSON_TYPES = {str: "string", int: "integer", float: "number", list: "array", dict: "object", type(None): "null"}


def schema(name: str) -> dict[str, Any]:
    return json.loads((DOCS / f"{name}.schema.json").read_text("utf-8"))


@pytest.mark.parametrize(("name", "item"), PAIRS)
def test_fields_are_those_of_the_class_in_order(name: str, item: type) -> None:
    fields = [field.name for field in dataclasses.fields(item)]
    described = schema(name)
    assert list(described["properties"]) == fields
    assert described["required"] == fields
    assert described["additionalProperties"] is False


@pytest.mark.parametrize(("name", "item"), PAIRS)
def test_types_are_those_of_the_class(name: str, item: type) -> None:
    hints = typing.get_type_hints(item)
    for field, rule in schema(name)["properties"].items():
        if "type" in rule:
            whole = typing.get_origin(hints[field])
            kinds = [whole] if whole in (list, dict) else typing.get_args(hints[field]) or [hints[field]]
            allowed = {JSON_TYPES[typing.get_origin(kind) or kind] for kind in kinds}
            given = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
            assert set(given) == allowed, field


@pytest.mark.parametrize(("name", "item"), PAIRS)
def test_is_a_valid_schema_and_describes_every_field(name: str, item: type) -> None:
    described = schema(name)
    assert described["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(described)
    assert all(len(rule["description"]) > 15 for rule in described["properties"].values())


def test_every_documented_status_is_in_the_schema() -> None:
    table = (DOCS / "records.md").read_text("utf-8").partition("| status |")[2]
    told = {name for row in table.splitlines()[2:] for name in row.split("|")[1].split("`")[1::2] if row.startswith("|")}
    assert told == set(schema("rejection")["properties"]["status"]["enum"])


def test_the_record_schema_refuses_what_is_no_record() -> None:
    record = dict.fromkeys(schema("record")["properties"])
    problems = {error.json_path for error in Draft202012Validator(schema("record")).iter_errors(record)}
    assert {"$.id", "$.url", "$.text", "$.pages", "$.fetched_at", "$.schema_version"} <= problems
