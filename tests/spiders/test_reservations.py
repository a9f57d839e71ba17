"""The file in which hosts reserve text and data mining."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiders.politeness import read_rules, rule_for


def rules(*values: object) -> bytes:
    return json.dumps(values).encode()


ALL = {"location": "/", "tdm-reservation": 1, "tdm-policy": "https://x.example/policy"}
FREE = {"location": "/press/*", "tdm-reservation": 0}


@pytest.mark.parametrize(
    ("path", "reserved"),
    [("/", True), ("/news/1.html", True), ("/press/1.html", False), ("/press", True), ("/x?y=/press/", True)],
)
def test_the_longest_rule_holds(path: str, reserved: bool) -> None:
    rule = rule_for(read_rules(rules(FREE, ALL)), "https://x.example" + path)
    assert rule is not None
    assert rule.is_reserved is reserved


@pytest.mark.parametrize(
    ("location", "path", "fits"),
    [
        ("/a*c", "/abbc/d", True),
        ("/a*c$", "/abbc/d", False),
        ("/a*c$", "/abcbc", True),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/*.pdf$", "/x/y.pdf", True),
        ("/*.pdf$", "/x/y.pdf?z", False),
        ("/a*b*c", "/acb", False),
        ("*", "/x", True),
        ("/aa*aa$", "/aaa", False),
    ],
)
def test_patterns(location: str, path: str, fits: bool) -> None:
    rule = rule_for(read_rules(rules({"location": location, "tdm-reservation": 1})), "https://x.example" + path)
    assert (rule is not None) is fits


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"{}", b"[1, null, {}]", b'[{"location": 5}]', b"[" * 100_000, rules({"location": "/" * 501})]
)
def test_other_files_have_no_rules(body: bytes) -> None:
    assert read_rules(body) == []


@given(st.binary(max_size=200), st.text(max_size=40), st.text(max_size=40))
def test_anything_may_stand_there(body: bytes, location: str, path: str) -> None:
    assert read_rules(body) == read_rules(body)
    rule_for(
        read_rules(rules({"location": location, "tdm-reservation": path})), f"https://x.example/{path.replace('[', '')}"
    )
