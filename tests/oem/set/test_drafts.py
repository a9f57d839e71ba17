"""What `draft` proposes for the set's pages, and how little of it must be edited."""

from __future__ import annotations

import pytest

from newsextract.wrappers import parse_format, run
from newsextract.wrappers.draft import draft
from tests.oem.set.build import SetPage, pages
from tests.oem.set.edits import constants_of, difference, format_lines, line_edits, page_of

_MOST_EDITS = 2
"""Lines added, deleted or changed in a draft: the target."""


@pytest.mark.parametrize("entry", pages(), ids=lambda entry: entry.name)
def test_a_draft_needs_two_edits_at_most(entry: SetPage) -> None:
    page = page_of(entry)
    proposed = draft(page)
    edited = entry.draft_path.read_text("utf-8")
    assert line_edits(proposed, edited) <= _MOST_EDITS, proposed
    result = run(parse_format(edited, str(entry.draft_path)), page)
    assert difference(result.root, entry.expected, constants_of(entry)) == ""
    untouched = run(parse_format(proposed), page)
    assert untouched.misfits == ()
    assert len(untouched.fit) > 1


def test_edits_are_counted() -> None:
    lines = "# a comment\n{#, root, get()}\n{<b>#</b>, x, root}\n{<i>#</i>, y, root}\n"
    assert line_edits(lines, lines.replace("# a comment\n", "")) == 0
    assert line_edits(lines, lines.replace("<b>", "<u>")) == 1
    assert line_edits(lines, "{#, root, get()}\n") == 2
    assert line_edits(lines, lines + "{<u>#</u>, z, root}") == 1
    assert len(format_lines(lines)) == 3
