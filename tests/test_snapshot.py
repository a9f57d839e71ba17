"""Snapshots as values: written and read again, and whatever else a file or a page's scripts may hold."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page
from newsextract.errors import DataError
from newsextract.page import nodes, snapshot
from newsextract.page.nodes import MAX_VALUE, read_nodes
from newsextract.page.snapshot import MAGIC, Snapshot, SnapshotError, aligned_elements, columns_of, is_snapshot
from tests.examples import examples
from tests.made_snapshots import FETCHED_AT, made_snapshot

PNG = b"\x89PNG\r\n\x1a\n and so on"
PAGE = "<!DOCTYPE html><title>T</title><ul id=list><li class='a b'>one <b>two</b><li>drei &amp; 四</ul><script>x()</script>"
HEAD = struct.Struct("<8sHII")


def packed(columns: object, *, version: int = 1, picture: bytes = b"") -> bytes:
    data = zlib.compress(columns if isinstance(columns, bytes) else json.dumps(columns).encode())
    return HEAD.pack(MAGIC, version, len(data), len(picture)) + data + picture


def columns(**changes: object) -> dict[str, Any]:
    whole = columns_of(made_snapshot(PAGE).nodes)
    whole |= {"url": None, "html": PAGE, "viewport": [1423, 900], "fetchedAt": FETCHED_AT.isoformat()}
    return whole | {"scripts": False, "note": None} | changes


def assert_same(one: Snapshot, other: Snapshot) -> None:
    for name in ("url", "html", "viewport", "fetched_at", "scripts", "screenshot", "note"):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("tags", "texts", "attributes"):
        assert list(getattr(one.nodes, name)) == list(getattr(other.nodes, name)), name
    for name in ("parents", "ends", "depths", "visible"):
        mine, others = getattr(one.nodes, name), getattr(other.nodes, name)
        assert mine.dtype == others.dtype, name
        assert mine.tolist() == others.tolist(), name
    here, there = one.nodes.geometry, other.nodes.geometry
    assert here is not None
    assert there is not None
    assert np.array_equal(here.boxes, there.boxes)
    assert (here.boxes.dtype, here.styles.dtype) == (there.boxes.dtype, there.styles.dtype)
    assert here.styles.tolist() == there.styles.tolist()
    assert list(here.style_table) == list(there.style_table)
    assert (here.page_size, here.base_font_size) == (there.page_size, there.base_font_size)


@pytest.mark.parametrize("picture", [None, PNG])
def test_a_file_holds_everything(tmp_path: Path, picture: bytes | None) -> None:
    before = made_snapshot(PAGE, "https://example.org/?q=häfen", picture, "not loaded to the end within 30 s")
    path = tmp_path / "x"
    before.save(path)
    assert_same(before, Snapshot.load(path))
    assert Snapshot.load(path).to_bytes() == path.read_bytes()
    assert is_snapshot(path.read_bytes())


def test_half_a_surrogate_survives() -> None:
    before = made_snapshot("<p title='x'>a</p>")
    odd = Snapshot(None, "<p>\ud83d</p>", before.nodes, (1, 1), FETCHED_AT)
    assert Snapshot.from_bytes(odd.to_bytes()).html == "<p>\ud83d</p>"
    assert Page.from_snapshot(odd).text == "<p>?</p>"


def test_a_walk_becomes_a_snapshot() -> None:
    at = datetime(2024, 1, 2, tzinfo=UTC)
    made = Snapshot.from_walk(json.dumps(columns()), "https://example.org/", fetched_at=at, scripts=True, note="n")
    assert (made.url, made.fetched_at, made.scripts, made.note, made.html) == ("https://example.org/", at, True, "n", PAGE)
    assert made.nodes.text(0) == "one two drei & 四"
    assert Snapshot.from_walk(json.dumps(columns())).fetched_at.tzinfo is not None


def test_the_walks_own_error_is_told() -> None:
    with pytest.raises(SnapshotError, match=r"^https://example.org/: the page has 300000 elements, over the cap"):
        Snapshot.from_walk('{"error": "the page has 300000 elements, over the cap of 200000 nodes"}', "https://example.org/")


def test_what_a_page_writes_as_the_error_is_short_and_harmless() -> None:
    walk = json.dumps({"error": "\x1b[31mred\n" + "x" * 1_000_000})
    with pytest.raises(SnapshotError) as told:
        Snapshot.from_walk(walk, "https://example.org/")
    assert len(str(told.value)) < 300
    assert str(told.value).isprintable()


@pytest.mark.parametrize("walk", ["", "null", "[]", '"x"', "{", "[" * 100_000, "1" * 10_000, '{"tags": [NaN]}'])
def test_what_is_no_walk(walk: str) -> None:
    with pytest.raises(SnapshotError, match="the page: the snapshot"):
        Snapshot.from_walk(walk)


def test_a_walk_over_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MAX_UNPACKED", 100)
    with pytest.raises(SnapshotError, match="characters, over the cap of 100"):
        Snapshot.from_walk(json.dumps(columns()))
    with pytest.raises(SnapshotError, match="the caps are 100 and"):
        made_snapshot(PAGE).to_bytes()


BAD = [
    ("tags", []),
    ("tags", [0]),
    ("tags", [True] * 16),
    ("tags", None),
    ("tags", ["0"]),
    ("tags", [10**30]),
    ("tagNames", ["html"]),
    ("tagNames", [""] * 8),
    ("tagNames", 3),
    ("texts", ["a"]),
    ("texts", ["one", "two", "drei & 四", " T", "x()"]),
    ("texts", ["", "", "", "", ""]),
    ("texts", {"a": 1}),
    ("attributes", []),
    ("attributes", [["a"]] * 11),
    ("attributes", [["a", 1]] * 11),
    ("attributes", [["a", "x" * (MAX_VALUE + 1)]] * 11),
    ("parents", [0] * 16),
    ("parents", [-1] * 16),
    ("parents", [-1] + [1] * 15),
    ("parents", [1.5] * 16),
    ("styles", [1] * 16),
    ("styles", [-1] * 16),
    ("styleTable", []),
    ("styleTable", [["red"]]),
    ("styleTable", [[1] * 18]),
    ("boxes", [0.0] * 3),
    ("boxes", [float("nan")] * 64),
    ("boxes", [1e300] * 64),
    ("boxes", ["1"] * 64),
    ("visible", [2] * 16),
    ("visible", "1" * 16),
    ("pageSize", [1, -2]),
    ("pageSize", [1]),
    ("baseFontSize", 0),
    ("baseFontSize", "16"),
    ("viewport", [None, 1]),
    ("html", None),
    ("html", 5),
    ("url", 5),
    ("fetchedAt", "2024-01-01T00:00:00"),
    ("fetchedAt", "yesterday"),
    ("fetchedAt", None),
    ("scripts", 1),
    ("note", []),
]

NEIGHBOUR = {"tags": "texts", "tagNames": "tags", "styleTable": "styles"}
"""What a column no longer fits may be what the message names."""


def fitted(key: str, value: object) -> dict[str, Any]:
    """The columns with one changed; what stands for "one a node" or "one an element" gets the right length."""
    whole = columns()
    size = {"attributes": len(whole["attributes"]), "boxes": len(whole["boxes"])}.get(key, len(whole["tags"]))
    if isinstance(value, list) and len(value) in (11, 16, 64):
        value = (value + value[-1:] * size)[:size]
    return whole | {key: value}


@pytest.mark.parametrize(("key", "value"), BAD)
def test_each_column_is_checked(key: str, value: object) -> None:
    with pytest.raises(SnapshotError, match=rf"f\.snapshot: .*({key}|{NEIGHBOUR.get(key)}).*; make it again with"):
        Snapshot.from_bytes(packed(fitted(key, value)), "f.snapshot")
    assert issubclass(SnapshotError, DataError)


def test_the_columns_of_those_tests_are_good_otherwise() -> None:
    assert_same(Snapshot.from_bytes(packed(columns())), made_snapshot(PAGE))


@pytest.mark.parametrize("key", sorted(columns()))
def test_no_column_may_be_missing(key: str) -> None:
    whole = columns()
    del whole[key]
    if key in ("url", "note"):
        assert getattr(Snapshot.from_bytes(packed(whole)), key) is None
    else:
        with pytest.raises(SnapshotError, match=key):
            Snapshot.from_bytes(packed(whole))


GOOD = made_snapshot(PAGE, screenshot=PNG).to_bytes()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a snapshot"),
        (b"<html>", "not a snapshot"),
        (MAGIC, "cut off"),
        (GOOD[:-1], "bytes, expected"),
        (GOOD + b"x", "bytes, expected"),
        (packed(columns(), version=2), "version 2, but this newsextract reads version 1"),
        (packed(columns(), picture=b"GIF89a"), "the picture is no PNG"),
        (packed(b"{"), "no JSON"),
        (packed(b"[" * 1_000_000), "no JSON"),
        (packed(b"\xff\xfe"), "damaged"),
        (HEAD.pack(MAGIC, 1, 5, 0) + b"abcde", "damaged"),
        (HEAD.pack(MAGIC, 1, 12, 0) + zlib.compress(b"{}" * 50)[:12], "cut off or followed"),
        (HEAD.pack(MAGIC, 1, 13, 0) + zlib.compress(b"{}") + b"abc", "cut off or followed"),
    ],
)
def test_what_is_no_snapshot(data: bytes, message: str) -> None:
    with pytest.raises(SnapshotError, match=rf"^p\.snapshot: .*{message}.*make it again"):
        Snapshot.from_bytes(data, "p.snapshot")


def test_a_bomb_is_not_unpacked() -> None:
    bomb = zlib.compressobj(9)
    data = b"".join(bomb.compress(bytes(1_000_000)) for _ in range(70)) + bomb.flush()
    assert len(data) < 100_000
    with pytest.raises(SnapshotError, match="more than 64,000,000 bytes when decompressed"):
        Snapshot.from_bytes(HEAD.pack(MAGIC, 1, len(data), 0) + data)


@pytest.mark.parametrize("name", ["none/such", "nul\0"])
def test_files_that_cannot_be_read_or_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(SnapshotError, match="expected a snapshot"):
        Snapshot.load(tmp_path / name)
    with pytest.raises(SnapshotError, match="choose another place"):
        made_snapshot(PAGE).save(tmp_path / "none" / "such")


@given(st.binary(max_size=400))
def test_arbitrary_bytes(data: bytes) -> None:
    for given_bytes in (data, MAGIC + data, HEAD.pack(MAGIC, 1, len(data), 0) + data, packed(data)):
        with pytest.raises(SnapshotError):
            Snapshot.from_bytes(given_bytes)


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_one_changed_byte(place: int, byte: int) -> None:
    data = GOOD[:place] + bytes([byte]) + GOOD[place + 1 :]
    try:
        Snapshot.from_bytes(data)
    except SnapshotError:
        return


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


@settings(max_examples=examples(300))
@given(st.sampled_from(sorted(columns())), st.data())
def test_arbitrary_columns(key: str, data: st.DataObject) -> None:
    whole = columns()
    if isinstance(whole[key], list) and whole[key] and data.draw(st.booleans()):
        whole[key] = list(whole[key])
        whole[key][data.draw(st.integers(0, len(whole[key]) - 1))] = data.draw(VALUES)
    else:
        whole[key] = data.draw(VALUES)
    try:
        made = Snapshot.from_bytes(packed(whole))
    except SnapshotError:
        return
    for i, end in enumerate(made.nodes.ends.tolist()):
        assert i < end <= len(made.nodes)
    assert Snapshot.from_bytes(made.to_bytes()).to_bytes() == made.to_bytes()


@given(st.text(alphabet="<>/abpuldivt= \n&;\"'x", max_size=80))
def test_any_markup_round_trips(text: str) -> None:
    if len(read_nodes(text)) == 0:
        return
    made = made_snapshot(text)
    assert_same(made, Snapshot.from_bytes(made.to_bytes()))


def test_nodes_without_geometry_are_no_snapshot() -> None:
    with pytest.raises(SnapshotError, match="no geometry"):
        Snapshot(None, PAGE, read_nodes(PAGE), (1, 1), FETCHED_AT).to_bytes()


def test_elements_are_found_again_by_order() -> None:
    rendered = made_snapshot("<p>a<noscript>text</noscript><b>c</b> d").nodes
    source = read_nodes("<p>a<noscript><i>text</i></noscript><b>c</b> d")
    numbers = aligned_elements(source, rendered)
    assert numbers is not None
    found = [(source.tags[i], rendered.tags[n]) for i, n in enumerate(numbers.tolist()) if n >= 0]
    assert found == [(tag, tag) for tag in ("html", "head", "body", "p", "noscript", "b")]
    assert aligned_elements(read_nodes("<p>a<i>b</i>"), rendered) is None


def test_what_is_unseen_is_one_list() -> None:
    assert set(snapshot._UNSEEN) == set(nodes._UNSEEN)


@pytest.mark.slow
def test_time_grows_with_the_nodes() -> None:
    big = made_snapshot("<p class=x>text</p>" * 40_000)
    assert len(Snapshot.from_bytes(big.to_bytes()).nodes) == 80_003


def test_a_deep_page() -> None:
    deep = made_snapshot("<div>" * 3_000 + "x")
    assert_same(deep, Snapshot.from_bytes(deep.to_bytes()))


def test_written_nodes_hold_what_a_style_sheet_hides_but_not_what_the_source_hides() -> None:
    markup = "<body><p>drawn</p><p>folded away</p><p hidden>never</p><script>1</script><p style='display: none'>nor this</p>"
    made = made_snapshot(markup).nodes
    visible = made.visible.copy()
    visible[made.texts.index("folded away")] = False
    drawn = replace(made, visible=visible)
    assert (drawn.text(0), drawn.written.text(0)) == ("drawn", "drawn folded away")
    assert drawn.written.geometry is drawn.geometry
    assert made.written is made, "all of it was drawn"
    assert read_nodes(markup).written.geometry is None
