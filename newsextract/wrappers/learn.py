"""Learning a format from two or three marked examples.

Huang, Qi & Zhang 2000, §3, name it as future work: "new types of marks learned from users' examples". The known method is
wrapper induction (Kushmerick, Weld & Doorenbos 1997, LR and HLRT wrappers): from examples, the shortest left and right
contexts that single them out, and a head that bounds the useful part. Here contexts are sequences of tags
(:mod:`newsextract.wrappers.learn_fields`), a record is an element or a run of siblings, and the answer is a format that a
person can read and edit. It is run before it is given: a format that does not give all the marks is an error.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from newsextract.errors import DataError, UsageError, naming
from newsextract.page.page import Page
from newsextract.wrappers.format import parse_format
from newsextract.wrappers.interpreter import run
from newsextract.wrappers.learn_fields import FieldPattern, accepted, are_accepted
from newsextract.wrappers.learn_marks import LearnError, LearningSource, UserMark, by_name, choose_windows, squeezed
from newsextract.wrappers.learn_records import Plan, element_plans, no_record, run_plans
from newsextract.wrappers.matching import Matcher, Span
from newsextract.wrappers.objects import flatten
from newsextract.wrappers.pattern import Document, Hole, Part, Tag, written

__all__ = ["LearnError", "Learned", "learn"]

# --- learn ----------------------------------------------------------------------------------------

MAX_EXAMPLES = 20
"""Marked records; two or three are enough."""
MAX_MARKS = 60
"""Marks of a record."""
MAX_MARK = 20_000
"""Characters of a mark."""
MAX_CHECKED = 5
"""Plans that are written out and run, the best first."""
MAX_ODD = 5
"""Records that are left out in turn to see whether the others go together."""
SAMPLES = 3
_NAME = re.compile(r"([A-Za-z_][\w-]*)(?:@([A-Za-z_][\w:.-]*))?")

_LABEL = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True, slots=True)
class Learned:
    """A format and what it finds on the page it was learned from."""

    text: str
    """The format file."""
    records: int
    """How many records it finds."""
    found: Mapping[str, int]
    """In how many of them it finds each field."""
    samples: Mapping[str, tuple[str, ...]]
    """The first values of each field that were not marked; all of them are in ``run``."""


def learn(page: Page, examples: Sequence[Mapping[str, str | Sequence[str]]], *, record: str = "entry") -> Learned:
    """A format that finds what was marked, and its like.

    :param examples: one mapping a record, from field names to texts as the page shows them; a list for several values. A
        name with an attribute, ``link@href``, marks that attribute's value; a text that is nowhere on the page is looked
        for among the values of attributes, too.
    :param record: label of the records, where there is more than one field.
    :raises LearnError: a mark is not on the page, or no contexts single the marks out; the message says which and why.
    """
    if not _LABEL.fullmatch(record) or record in ("root", "text"):
        raise LearnError(f"{record!r} is not a valid label for records; expected letters and digits, such as paper")
    marked = [_marks(example, number, record) for number, example in enumerate(examples, 1)]
    if not marked or len(marked) > MAX_EXAMPLES:
        raise LearnError(f"{len(marked)} marked records; give 1 to {MAX_EXAMPLES}, two or three are enough")
    source = LearningSource(Document.of_page(page))
    try:
        return _learned(page, source, marked, record)
    except LearnError as error:
        odd = _odd_one(page, source, marked, record) if len(marked) > 2 else None
        if odd is None:
            raise
        raise LearnError(
            f"record {odd} is built differently from the others: no contexts are common to all, but without it there are; "
            "leave it out, or learn a format of its own for records like it",
            error.field,
            odd,
        ) from error


def _learned(page: Page, source: LearningSource, marked: Sequence[Sequence[UserMark]], record: str) -> Learned:
    """The first plan that holds."""
    failed: list[str] = []
    for windows in choose_windows(source, marked):
        plans, without = element_plans(source, marked, windows)
        if not plans:
            plans, more = run_plans(source, marked, windows)
            without += more
        for plan in sorted(plans, key=lambda one: (-one.score, one.cost))[:MAX_CHECKED]:
            learned = _checked(page, source, plan, marked, record)
            if learned is not None:
                return learned
        failed += without
    raise no_record(failed)


def _odd_one(page: Page, source: LearningSource, marked: Sequence[Sequence[UserMark]], record: str) -> int | None:
    """Number of the record without which a format can be learned; None: there is none, or it is not one alone."""
    for odd in range(min(len(marked), MAX_ODD)):
        others = [of_record for number, of_record in enumerate(marked) if number != odd]
        try:
            _learned(page, source, others, record)
        except LearnError:
            continue
        return odd + 1
    return None


def _marks(example: Mapping[str, str | Sequence[str]], number: int, record: str) -> list[UserMark]:
    """The marks of a record, checked."""
    found = []
    for key, given in example.items():
        match = _NAME.fullmatch(key)
        if match is None or match[1] in ("root", record):
            raise LearnError(f"record {number}: {key!r} is not a field name; expected letters and digits, as in author "
                             f"or link@href, and neither root nor {record}")  # fmt: skip
        for text in (given,) if isinstance(given, str) else given:
            if not isinstance(text, str) or not squeezed(text) or len(text) > MAX_MARK:
                raise LearnError(f"record {number}: {key} has no text; expected one of at most {MAX_MARK:,} characters")
            found.append(UserMark(match[1], text, match[2]))
    if not found or len(found) > MAX_MARKS:
        raise LearnError(f"record {number}: {len(found)} marks; expected 1 to {MAX_MARKS}, such as title=…")
    return found


def _checked(
    page: Page, source: LearningSource, plan: Plan, marked: Sequence[Sequence[UserMark]], record: str
) -> Learned | None:
    """The format of a plan, if it gives all the marks."""
    lines, label = _lines(source, plan, record)
    result = run(parse_format("\n".join(lines)), page)
    if result.root is None:
        return None
    names = list(dict.fromkeys(mark.name for of_record in marked for mark in of_record))
    rows = []
    for row in flatten(result.root, label):
        values = {name: row.get("text" if name == label else name, []) for name in names}
        rows.append({name: value if isinstance(value, list) else [value] for name, value in values.items()})
    several = {name for name in names if any(len(row[name]) > 1 for row in rows)}
    if any(field.name in several and not field.many for field in plan.fields):  # one type in all records, on every page
        fields = tuple(replace(field, many=field.many or field.name in several) for field in plan.fields)
        lines, _ = _lines(source, replace(plan, fields=fields), record)
    left = list(rows)
    for of_record in marked:
        wanted = {name: [accepted(source, mark) for mark in marks] for name, marks in by_name(of_record).items()}
        kept = next((row for row in left if all(_is_like(row[name], wanted.get(name, ())) for name in row)), None)
        if kept is None:
            return None
        left.remove(kept)
    samples = {name: tuple(dict.fromkeys(value for row in left for value in row[name]))[:SAMPLES] for name in names}
    found = {name: sum(bool(row[name]) for row in rows) for name in names}
    return Learned("\n".join([*_comments(len(marked), len(rows), found, samples), *lines, ""]), len(rows), found, samples)


def _is_like(values: Sequence[Any], wanted: Sequence[frozenset[str]]) -> bool:
    """Whether a record has the values of a field that were marked."""
    return are_accepted([squeezed(str(value)).lower() for value in values], wanted)


def _lines(source: LearningSource, plan: Plan, record: str) -> tuple[list[str], str]:
    """The lines of a format, and the label of its records."""
    first = _line(plan.root, "root", "get()")
    if len(plan.fields) == 1 and not plan.own:
        direct = _direct(source, plan, plan.fields[0])
        if direct is not None:
            return [first, _line(direct, plan.fields[0].name, "root")], plan.fields[0].name
    within = [
        _line(one.parts, f"{one.name}*" if one.many else one.name, record, optional=not one.required) for one in plan.fields
    ]
    return [first, _line(plan.record, record, "root"), *within], record


def _direct(source: LearningSource, plan: Plan, field: FieldPattern) -> tuple[Part, ...] | None:
    """One pattern that finds over the useful part what a single field's finds within the records."""
    if field.many or not field.required:
        return None
    if field.parts == (Hole(),):
        return plan.record

    def found(parts: tuple[Part, ...], within: Sequence[Span]) -> list[Span]:
        matcher = Matcher(parts)
        return [match.value for one in within for match in matcher.find(source.document, one.start, one.end)]

    roots = found(plan.root, [Span(0, len(source.text))])[:1]
    direct = isinstance(field.parts[0], Tag) and found(field.parts, roots) == found(field.parts, found(plan.record, roots))
    return field.parts if direct else None


def _line(parts: Sequence[Part], variable: str, source: str, *, optional: bool = False) -> str:
    """A line of a format."""
    return f"{{{written(parts)}, {variable}, {source}}}{'?' if optional else ''}"


def _comment(text: str) -> str:
    """A comment of one line."""
    return "# " + " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", " ", text).split())


def _comments(marked: int, records: int, found: Mapping[str, int], samples: Mapping[str, Sequence[str]]) -> list[str]:
    lines = [_comment(f"Learned from {marked} marked record{'s'[: marked != 1]}; finds {records:,} on that page.")]
    for name, count in found.items():
        shown = ", ".join(f'"{value[:60]}"' for value in samples[name])
        lines.append(_comment(f"{name}: in {count:,} of {records:,}{f', also {shown}' if shown else ''}"))
    return lines


# --- examples -------------------------------------------------------------------------------------
# Marked examples as a user writes them: on the command line, or in a small TOML or JSON file.

Examples = list[dict[str, list[str]]]
"""A mapping a record, from names to texts."""

MAX_BYTES = 1_000_000
EXAMPLE = "--record 'title=If at first…; author=Kentaro Toyama'"
_NEXT = re.compile(r";\s*(?=[A-Za-z_][\w-]*(?:@[\w:.-]+)?\s*=)")
_MARK = re.compile(r"\s*([A-Za-z_][\w-]*(?:@[\w:.-]+)?)\s*=\s*(\S.*?)\s*\Z", re.DOTALL)


def of_records(given: Sequence[str]) -> Examples:
    """Records of which each is ``NAME=TEXT; NAME=TEXT``; a ``;`` within a text is one unless a name and ``=`` follow.

    :raises UsageError: a part is not NAME=TEXT.
    """
    found: Examples = []
    for record in given:
        marks: dict[str, list[str]] = {}
        for part in _NEXT.split(record):
            name, text = _mark(part, "--record")
            marks.setdefault(name, []).append(text)
        found.append(marks)
    return found


def of_marks(given: Sequence[str]) -> Examples:
    """Single marks ``NAME=TEXT``: the first of each name are one record, the second another, and so on.

    :raises UsageError: one is not NAME=TEXT.
    """
    found: Examples = []
    counts: dict[str, int] = {}
    for mark in given:
        name, text = _mark(mark, "--mark")
        number = counts.get(name, 0)
        counts[name] = number + 1
        if number == len(found):
            found.append({})
        found[number][name] = [text]
    return found


def of_file(path: Path) -> Examples:
    """The ``record`` tables of a TOML file (``[[record]]``, then ``title = "…"``), or a JSON list of objects.

    :raises DataError: it cannot be read or holds something else.
    """
    with naming(path, "expected a TOML or JSON file of marked records"):
        data = path.read_bytes()
    if len(data) > MAX_BYTES:
        raise DataError(f"{path}: {len(data):,} bytes; a file of marked records has at most {MAX_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
        read: Any = (
            json.loads(text)
            if text.lstrip()[:1] in ("[", "{") and not text.lstrip().startswith("[[")
            else tomllib.loads(text)
        )
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{path}: {error}; expected UTF-8 with [[record]] tables (TOML) or a list of objects (JSON)"
        ) from error
    rows = read.get("record") if isinstance(read, dict) else read
    if not isinstance(rows, list) or not rows:
        raise DataError(f'{path}: no records; expected [[record]] and lines such as title = "…", or a JSON list of objects')
    return [_row(row, number, path) for number, row in enumerate(rows, 1)]


def _row(row: Any, number: int, path: Path) -> dict[str, list[str]]:
    if not isinstance(row, dict):
        raise DataError(f'{path}: record {number} is not a table of names and strings; expected title = "…"')
    found = {}
    for name, value in row.items():
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str) for text in texts):
            raise DataError(f'{path}: record {number}: {name} is not a string; expected {name} = "…", or a list of texts')
        found[name] = texts
    return found


def _mark(given: str, option: str) -> tuple[str, str]:
    match = _MARK.match(given)
    if match is None:
        raise UsageError(f"{option}: {given[:60]!r} is not NAME=TEXT; for example {EXAMPLE}")
    return match[1], match[2]
