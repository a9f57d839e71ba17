"""The set: every format that was written by hand gives the objects that the page's builder knows of."""

from __future__ import annotations

import re

import pytest

from newsextract.wrappers import load_format, run
from tests.oem.set.build import SetPage, pages
from tests.oem.set.edits import difference, page_of
from tests.oem.set.objects import Expected

_PAGES = pages()
_PRINTED = """\
1｛〈h2〉#DBLP:,root,get(“http://SunSite.Informatik.RWTH-Aachen.DE/.../AAAI-97.html”)｝
2｛〈/hx〉#〈hx〉,〈hx〉#〈/hx〉,root｝
3｛〈li〉#〈li〉,Section,〈hx〉#〈/hx〉｝
"""
"""As the paper prints them, section 1.3."""


def names_in(expected: Expected) -> set[str]:
    within = expected["value"]
    return (
        {expected["label"]}.union(*(names_in(child) for child in within))
        if isinstance(within, list)
        else {expected["label"]}
    )


@pytest.mark.parametrize("entry", _PAGES, ids=lambda entry: entry.name)
def test_the_format_gives_the_expected_objects(entry: SetPage) -> None:
    result = run(load_format(entry.format_path), page_of(entry))
    assert difference(result.root, entry.expected, set()) == ""
    assert result.misfits == result.failures == result.missing == result.notes == ()


def test_a_wrong_object_is_seen() -> None:
    entry = _PAGES[0]
    root = run(load_format(entry.format_path), page_of(entry)).root
    first = entry.expected["value"][0]
    assert difference(root, {**entry.expected, "value": [{**first, "label": "x"}, *entry.expected["value"][1:]]}, set())
    assert difference(root, {**entry.expected, "value": entry.expected["value"][1:]}, set())
    assert difference(root, {**entry.expected, "label": "other"}, {"other"}) == ""
    assert difference(root, {**entry.expected, "label": "other"}, set())


def test_the_pages_are_always_the_same() -> None:
    assert pages() == _PAGES


def test_there_is_a_page_of_its_size_and_depth_for_each_row_of_table_2() -> None:
    modelled = [entry for entry in _PAGES if entry.published is not None]
    assert len({entry.published.source for entry in modelled if entry.published}) == 8
    for entry in modelled:
        assert entry.published is not None
        assert len(entry.body) / 1000 == pytest.approx(entry.published.kilobytes, rel=0.1)
        root = run(load_format(entry.format_path), page_of(entry)).root
        assert root is not None
        assert root.depth == entry.published.levels, entry.name


def test_the_papers_lines_stand_unchanged_and_six_lines_give_six_levels() -> None:
    entry = next(entry for entry in _PAGES if entry.name == "aaai")
    written = re.sub(r"^#.*\n", "", entry.format_path.read_text("utf-8"), flags=re.MULTILINE)
    assert written.startswith(_PRINTED)
    assert len(load_format(entry.format_path).lines) == 6
    first = entry.expected["value"][0]["value"][0]["value"][0]["value"][0]
    assert names_in(first) == {"Section", "author", "title", "pages"}
