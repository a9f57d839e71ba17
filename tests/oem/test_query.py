"""Questions to objects: files that are read, the functions added to JMESPath, messages."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.errors import DataError, UsageError
from newsextract.page.page import Page
from newsextract.wrappers import parse_format, run
from newsextract.wrappers.objects import Objects, answer, dumped, flatten, read_objects, root_json

WRAPPER = parse_format(
    "{<body>#</body>, root, get()}\n{</hx>#<hx>, <hx>#</hx>, root}\n{<li>#</li>, paper, <hx>#</hx>}\n"
    "{<b>#</b>, title, paper}\n{<i>#</i>, author*, paper}?\n"
)
PAGE = Page.from_text(
    "<body><h2>Tides</h2><ul><li><b>Neap</b> <i>Ann Marsh</i> <i>Bo Quill</i><li><b>Spring</b> <i>Bo Quill</i></ul>"
    "<h2>Lamps</h2><ul><li><b>Oil</b></ul></body>"
)
RESULT = run(WRAPPER, PAGE)
assert RESULT.root is not None
OBJECTS = read_objects(dumped(root_json(RESULT.root, WRAPPER.many)).encode(), "objects.json")
RECORDS = flatten(RESULT.root, "paper", WRAPPER.many)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("keys(@)", ["Tides", "Lamps"]),
        ("Tides.paper[].title", ["Neap", "Spring"]),
        ("Tides.paper[1].author", ["Bo Quill"]),  # author* makes a list, in files too
        ("find('paper')[].title", ["Neap", "Spring", "Oil"]),
        ("find('paper')[?has(author, 'bo quill')].title", ["Neap", "Spring"]),
        ("find('paper')[?path[-1] == 'Lamps'].title", ["Oil"]),
        ("find('author')[].text", ["Ann Marsh", "Bo Quill", "Bo Quill"]),
        ("find('none')", []),
        ("tally(find('author')[].text)", [{"value": "Bo Quill", "count": 2}, {"value": "Ann Marsh", "count": 1}]),
        ("tally(nothing)", []),
        ("has(@, 'NEAP')", True),
        ("has(nothing, 'x')", False),
        ("has(`3`, '3')", False),
    ],
)
def test_expressions(expression: str, value: Any) -> None:
    assert answer(expression, OBJECTS).value == value


def test_labels_that_nothing_has_are_named() -> None:
    assert answer("[find('no'), find('no'), find('paper')]", OBJECTS).unknown == ["no"]


def test_records_are_a_list_however_they_are_written() -> None:
    lines = "".join(dumped(record) + "\n" for record in RECORDS)
    for text in (lines, lines.replace("\n", "\r\n"), "\ufeff" + lines, dumped(RECORDS), dumped(RECORDS, indent=2)):
        assert answer("[].title", read_objects(text.encode(), "x")).value == ["Neap", "Spring", "Oil"]
    assert answer("[].title", read_objects(dumped(RECORDS[0]).encode(), "x")).value == ["Neap"]
    assert answer("[].title", read_objects(b"[]", "x")).value == []
    with pytest.raises(UsageError, match=r"this file holds records; use \[\?…\] on them"):
        answer("find('paper')", read_objects(lines.encode(), "x"))


def test_several_roots_one_a_line() -> None:
    assert RESULT.root is not None
    line = dumped(root_json(RESULT.root))
    found = read_objects(f"{line}\n{line}\n".encode(), "x")
    assert len(found.roots) == 2
    assert answer("length(find('paper'))", found).value == 6
    assert answer("[].Lamps.paper[].title", found).value == ["Oil", "Oil"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", r"^x: the file is empty"),
        (b"\xff\xfe{}", r"^x: not UTF-8"),
        (b"<html>", r"^x:1:1: not JSON"),
        (b'{"a": 1}\n{"b":\n', r"^x:2:6: the line is not JSON"),
        (b'{\n "a": }', r"^x:2:7: not JSON"),
        (b"[" * 100_000, r"^x: too deeply nested"),
        (b'{"oid": 1, "label": "a", "type": "string", "value": "b"}', r"^x: an object lacks oid or label"),
        (b'{"oid": "1", "label": "a", "type": "string", "value": "b", "lists": 3}', r"^x: 'lists' is not a list of labels"),
    ],
)
def test_files_that_are_no_objects(data: bytes, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read_objects(data, "x")


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("", "cannot be empty"),
        ("find('paper'", "the expression ends too early"),
        ("find(paper)", r"find\(\) takes string, got null"),
        ("find()", r"Expected 1 argument for function find\(\), received 0"),
        ("nope(@)", r"Unknown function: nope\(\); choose from: abs, .*find, .*has, .*tally"),
        ("a b", "column 3: unexpected 'b'; write a label with spaces or signs in double quotes"),
        ("has(@, 1)", "column 8: unexpected 1; write a number in a comparison or call in backticks, `1`"),
        ("contains(nothing, 'x')", r"got null; has\(value, text\) takes any value"),
        ("find('x", "write a string in single quotes"),
        ("a $", "column 3: Unknown token"),
        ("(" * 5_000 + "a" + ")" * 5_000, "too deeply nested"),
    ],
)
def test_wrong_expressions_are_one_line(expression: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as error:
        answer(expression, OBJECTS)
    assert "\n" not in str(error.value)


@given(st.text(max_size=30))
def test_any_expression_is_answered_or_told(expression: str) -> None:
    with contextlib.suppress(UsageError):
        json.dumps(answer(expression, OBJECTS).value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_any_json_is_data_or_told(value: Any) -> None:
    data = json.dumps(value).encode()
    try:
        found = read_objects(data, "x")
    except DataError:
        return
    assert isinstance(found, Objects)
    assert answer("@", found).value == found.data
