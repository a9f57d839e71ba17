"""How much of a draft must be edited: lines added, deleted or changed, and whether objects are equal but for their names.

python -m tests.oem.set.edits
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Collection

from newsextract.page.page import Page
from newsextract.wrappers import OEMObject, load_format, parse_format, run
from newsextract.wrappers.draft import draft
from tests.oem.set.build import SetPage, pages
from tests.oem.set.objects import Expected


def format_lines(text: str) -> list[str]:
    """The lines of a format without comments."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def line_edits(before: str, after: str) -> int:
    """How many lines are added, deleted or changed between two formats."""
    matcher = difflib.SequenceMatcher(None, format_lines(before), format_lines(after), autojunk=False)
    return sum(max(high - low, to - fro) for tag, low, high, fro, to in matcher.get_opcodes() if tag != "equal")


def difference(found: OEMObject | None, expected: Expected, constants: Collection[str]) -> str:
    """The first difference between objects and what they should be; empty: none.

    :param constants: labels in ``expected`` that are names of the format's author, not texts of the page. Another name may stand
        for each of them, the same one everywhere and for no other.
    """
    if found is None:
        return "no objects"
    names: dict[str, str] = {}
    pending = [(found, expected, "")]
    while pending:
        one, wanted, path = pending.pop()
        place = f"{path}/{wanted['label']}"
        if wanted["label"] not in constants:
            if one.label != wanted["label"]:
                return f"{place}: label {one.label!r}"
        elif names.setdefault(wanted["label"], one.label) != one.label:
            return f"{place}: label {one.label!r}, elsewhere {names[wanted['label']]!r}"
        if one.type != wanted["type"]:
            return f"{place}: {one.type}, expected {wanted['type']}"
        if isinstance(one.value, str):
            if one.value != wanted["value"]:
                return f"{place}: {one.value!r}, expected {wanted['value']!r}"
        elif len(one.value) != len(wanted["value"]):
            return f"{place}: {len(one.value)} objects, expected {len(wanted['value'])}"
        else:
            pending += [(child, other, place) for child, other in zip(one.value, wanted["value"], strict=True)]
    twice = len(names) - len(set(names.values()))
    return f"{twice} names stand for two others" if twice else ""


def page_of(entry: SetPage) -> Page:
    return Page(entry.body, entry.url)


def constants_of(entry: SetPage) -> set[str]:
    """The names in a page's hand-written format."""
    return {name for line in load_format(entry.format_path).lines for name in line.names if "<" not in name}


def main() -> None:
    """Print what each page's draft lacks, and how many edits its edited draft has."""
    for entry in pages():
        page = page_of(entry)
        proposed = draft(page)
        lacks = difference(run(parse_format(proposed), page).root, entry.expected, constants_of(entry))
        if entry.draft_path.exists():
            edited = entry.draft_path.read_text("utf-8")
            left = difference(run(parse_format(edited), page).root, entry.expected, constants_of(entry))
            edits = f"{line_edits(proposed, edited)} edits{f', still {left}' if left else ''}"
        else:
            edits = "no edited draft"
        sys.stdout.write(f"{entry.name:10} {len(format_lines(proposed))} lines  {edits:12} {lacks}\n")


if __name__ == "__main__":
    main()
