"""What a format gave on a page, in numbers: the ground on which a change of the site is noticed.

A site's change seldom leaves a format without any object. More often a line finds its context in few of its sources, a hole
runs over the end that has gone, or takes a caption that is the same everywhere. So beside each line's sources, matches and
objects, the texts of each label are counted: how many, how many are empty, how long, how many differ.

Cost: linear in the number of objects and the length of the page.
"""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from typing import Any

from newsextract.errors import DataError
from newsextract.oem.document import masked, plain_text
from newsextract.oem.format import Format, FormatLine, Split
from newsextract.oem.interpreter import run
from newsextract.oem.pattern import holes
from newsextract.oem.result import LineFit, Result
from newsextract.page import Page


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """The texts of one label."""

    label: str
    objects: int
    empty: int
    median: float
    """Length in characters, of those that are not empty; 0 where there are none."""
    longest: int
    different: int
    """How many differ from each other; links are not counted as texts."""


@dataclass(frozen=True, slots=True)
class PageCounts:
    """A format on one page."""

    page: str
    lines: tuple[LineFit, ...]
    labels: tuple[LabelCounts, ...]
    """Of atomic objects, in the order in which they first stand; titles that a pattern found as labels are none of them."""
    nameless: int
    """Objects whose label's pattern found nothing."""
    depth: int
    """Levels of objects."""
    text: int
    """Characters of the page's text."""
    bounded: int
    """Those between the ends of the first line."""
    covered: int
    """Those in labels, and in atomic objects that no line takes as source: what lines were to take apart and did not is not
    covered. Texts that overlap count twice."""
    misfits: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether all lines fit."""
        return not self.misfits


def count_page(wrapper: Format, page: Page, place: str, result: Result) -> PageCounts:
    """The counts of a run.

    :param place: what the page is called.
    """
    texts: dict[str, list[str]] = {}
    nameless = covered = 0
    if result.root is not None:
        constants = {name for line in wrapper.lines for name in line_labels(line)} | {"text"}
        sources = {line.source for line in wrapper.lines}
        titles_are = any(line.label is not None and line.variable in sources for line in wrapper.lines)
        for found, above in result.root.walk():
            here = all(one.url is None for one in (*above, found)[1:])  # not behind a link
            title = found.label not in constants
            nameless += not found.label
            covered += len(found.label) if title and here else 0
            taken_apart = titles_are if title else found.label in sources
            if here and isinstance(found.value, str) and found.type == "string" and not taken_apart:
                covered += len(found.value)
            if isinstance(found.value, str) and found.type != "reference" and found.label in constants:
                texts.setdefault(found.label, []).append(found.value)
    bound = run(Format(wrapper.name, wrapper.lines[:1]), page).root
    return PageCounts(
        place,
        result.fit,
        tuple(_label_counts(label, values) for label, values in texts.items()),
        nameless,
        result.root.depth if result.root is not None else 0,
        len(plain_text(masked(page.text))),
        sum(len(found.value) for found, _ in bound.walk() if isinstance(found.value, str)) if bound is not None else 0,
        covered,
        result.misfits,
    )


def line_labels(line: FormatLine) -> list[str]:
    """The labels that a line names: its own constant one, and its holes'."""
    own = [line.variable] if line.label is None else []
    return own if isinstance(line.section, Split) else own + [hole.name for hole in holes(line.section) if hole.name]


def _label_counts(label: str, values: list[str]) -> LabelCounts:
    lengths = [len(value) for value in values if value]
    return LabelCounts(
        label,
        len(values),
        len(values) - len(lengths),
        statistics.median(lengths) if lengths else 0.0,
        max(lengths, default=0),
        len(set(values)),
    )


def counts_json(counts: PageCounts) -> dict[str, Any]:
    """Counts as they are written."""
    return {
        "page": counts.page,
        "fits": counts.fits,
        "lines": [asdict(line) for line in counts.lines],
        "labels": [asdict(label) for label in counts.labels],
        "nameless": counts.nameless,
        "depth": counts.depth,
        "text": counts.text,
        "bounded": counts.bounded,
        "covered": counts.covered,
        "misfits": list(counts.misfits),
    }


def counts_from_json(data: Any, place: str) -> PageCounts:
    """Counts from what :func:`counts_json` made.

    :param place: the file's name, for messages.
    :raises DataError: it is no such thing.
    """
    try:
        return PageCounts(
            str(data["page"]),
            tuple(LineFit(**_numbers(line, LineFit)) for line in data["lines"]),
            tuple(LabelCounts(**_numbers(label, LabelCounts)) for label in data["labels"]),
            int(data["nameless"]),
            int(data["depth"]),
            int(data["text"]),
            int(data["bounded"]),
            int(data["covered"]),
            tuple(map(str, data["misfits"])),
        )
    except (TypeError, KeyError, ValueError) as error:
        raise DataError(f"{place}: expected counts, as `newsextract oem check --save` writes them") from error


def _numbers(data: Any, kind: type) -> dict[str, Any]:
    """A row of a counts file, its values of the kinds that they should have."""
    if not isinstance(data, dict):
        raise TypeError(kind.__name__)
    texts = ("label", "variable")
    for key, value in data.items():
        if not isinstance(value, str if key in texts else int | float):
            raise TypeError(f"{kind.__name__}.{key}")
    return dict(data)
