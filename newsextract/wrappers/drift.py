"""Detects layout changes: counts what a format yields on a page and compares it with other pages."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from newsextract.errors import DataError
from newsextract.page.page import Page
from newsextract.wrappers.format import Format, FormatLine
from newsextract.wrappers.interpreter import run
from newsextract.wrappers.objects import LineFit, Result
from newsextract.wrappers.pattern import masked, plain_text

# --- counts ---------------------------------------------------------------------------------------
# What a format gave on a page, in numbers: the ground on which a change of the site is noticed.
#
# A site's change seldom leaves a format without any object. More often a line finds its context in few of its sources, a
# hole runs over the end that has gone, or takes a caption that is the same everywhere. So beside each line's sources,
# matches and objects, the texts of each label are counted: how many, how many are empty, how long, how many differ.


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
        constants = {*wrapper.labels, "text"}
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


def _label_counts(label: str, values: list[str]) -> LabelCounts:
    lengths = [len(value) for value in values if value]
    usual, longest = (statistics.median(lengths), max(lengths)) if lengths else (0.0, 0)
    return LabelCounts(label, len(values), len(values) - len(lengths), usual, longest, len(set(values)))


def counts_json(counts: PageCounts) -> dict[str, Any]:
    """Counts as they are written."""
    return {"page": counts.page, "fits": counts.fits} | asdict(counts)


def counts_from_json(data: Any, place: str) -> PageCounts:
    """Counts from what :func:`counts_json` made.

    :param place: the file's name, for messages.
    :raises DataError: it is no such thing.
    """
    try:
        return PageCounts(
            page=str(data["page"]),
            lines=tuple(LineFit(**_numbers(line, LineFit)) for line in data["lines"]),
            labels=tuple(LabelCounts(**_numbers(label, LabelCounts)) for label in data["labels"]),
            misfits=tuple(map(str, data["misfits"])),
            **{name: int(data[name]) for name in ("nameless", "depth", "text", "bounded", "covered")},
        )
    except (TypeError, KeyError, ValueError) as error:
        raise DataError(f"{place}: expected counts, as `newsextract oem check --save` writes them") from error


def _numbers(data: Any, kind: type) -> dict[str, Any]:
    """A row of a counts file, its values of the kinds that they should have."""
    for key, value in dict(data).items():
        if not isinstance(value, str if key in ("label", "variable") else int | float):
            raise TypeError(f"{kind.__name__}.{key}")
    return dict(data)


# --- drift ----------------------------------------------------------------------------------------
# Signs that a site has changed: what a format gives on one page, against what it gives on others.
#
# The others are the further pages of the same check, or those of an earlier one that were kept. Without any only what is odd
# in itself is told. All of it is a warning, for pages differ; that a line finds nothing at all is a misfit, and no matter of
# comparison.

# None of these is measured: each is set so that pages of one site that differ as pages do (a list of 8 entries, one of 52;
# authors missing in a tenth of the entries) give no warning, and each change of tests/oem/test_drift.py gives one.
_SURE = 3.0
"""Standard deviations by which a number of matches must fall behind what is expected."""
_FEWER = 5
"""How many times fewer objects there must be per source."""
_LESS, _LEFT, _LEFT_MORE = 0.8, 2, 200
"""Share of the least share of text elsewhere, and times and characters over the most that is left out elsewhere."""
_OVERLAP = 1.2
"""Times the largest share of text elsewhere."""
_MANY = 5
"""Texts from which on a label is judged without others, or called always the same."""
_SOURCES = 10
"""Sources from which on a line is judged without others."""
_TWICE = 1.5
"""Objects in a source where elsewhere there always is one."""
_KNOWN = 20
"""Texts elsewhere from which on a usual text that is longer than all of them, 1.2 times and 2 characters, is too long."""
_LONGER = 1.5
"""With fewer texts: how many times longer than the longest it must be, and 20 characters more."""
_FAR_LONGER = 10
"""How many times longer than the usual text, or than the longest elsewhere by half of it, one text must be."""
_LONG = 300
"""Characters under which no single text is too long."""


def warnings(wrapper: Format, counts: PageCounts, others: Sequence[PageCounts] = ()) -> list[str]:
    """What is odd about a page, one line of text each.

    :param others: counts of the same format on pages that it is known to fit; those it does not fit are left out.
    """
    others = [other for other in others if other.fits and len(other.lines) == len(counts.lines)]
    found: list[str] = []
    for number, line in enumerate(wrapper.lines):
        named = f"line {line.number} ({line.variable})"
        found.extend(f"{named}: {told}" for told in _line(wrapper, line, number, counts, others))
    known = {label.label: label for label in counts.labels}
    for label, here in known.items():
        elsewhere = [there for other in others for there in other.labels if there.label == label]
        found.extend(f"{label}: {told}" for told in _label(here, elsewhere))
    if counts.nameless and not any(other.nameless for other in others):
        found.append(f"{counts.nameless} objects have no label; the pattern for it finds nothing in them")
    if counts.depth < min((other.depth for other in others), default=0):
        found.append(f"objects are {counts.depth} levels deep, elsewhere {min(other.depth for other in others)} or more")
    if counts.lines[0].matched and others:
        first = f"line {wrapper.lines[0].number} ({wrapper.lines[0].variable})"
        bounds = [(other.bounded, other.text) for other in others]
        if _lost(counts.bounded, counts.text, bounds):
            told = f"{first}: bounds {_share(counts.bounded, counts.text):.0%} of the page's text"
            found.append(f"{told}, elsewhere {_least(bounds):.0%} or more")
        held = [(other.covered, other.bounded) for other in others]
        share, most = _share(counts.covered, counts.bounded), max(_share(*pair) for pair in held)
        told = f"objects hold {share:.0%} of the text that {first} bounds"
        if _lost(counts.covered, counts.bounded, held):
            found.append(f"{told}, elsewhere {_least(held):.0%} or more")
        if share > max(1.0, _OVERLAP * most):
            found.append(f"{told}, elsewhere {most:.0%} or less; their texts run into each other")
    return found


def _lost(part: int, whole: int, others: Sequence[tuple[int, int]]) -> bool:
    """Whether more text is left out than elsewhere, both as a share and in characters: short pages have small shares."""
    most = max(other_whole - other_part for other_part, other_whole in others)
    return _share(part, whole) < _LESS * _least(others) and whole - part > _LEFT * most + _LEFT_MORE


def _least(others: Sequence[tuple[int, int]]) -> float:
    return min(_share(part, whole) for part, whole in others)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _line(wrapper: Format, line: FormatLine, number: int, counts: PageCounts, others: Sequence[PageCounts]) -> list[str]:
    found = []
    here = counts.lines[number]
    there = [other.lines[number] for other in others]
    sources, matched = sum(fit.sources for fit in there), sum(fit.matched for fit in there)
    if here.sources and here.fits:
        if sources and _far_fewer(here.matched, here.sources, matched, sources):
            found.append(
                f"finds something in {here.matched} of {here.sources} sources, elsewhere in {matched / sources:.0%} of them"
            )
        elif not sources and not line.optional and here.sources >= _SOURCES and 2 * here.matched < here.sources:
            above = next((one for one in wrapper.lines if one.variable == line.source), None)
            if above is None or above.scale is None:  # headings without entries of their own are usual
                found.append(f"finds something in {here.matched} of {here.sources} sources; add ? if that is right")
    if here.matched and matched:
        each, usual = here.objects / here.matched, sum(fit.objects for fit in there) / matched
        if usual >= _FEWER and each < usual / _FEWER:
            found.append(f"{each:.0f} objects in a source, elsewhere {usual:.0f}")
        elif each >= _TWICE and sources >= _SOURCES and all(fit.objects == fit.matched for fit in there):
            found.append(f"{each:.1f} objects in a source, elsewhere always 1")
    for hole in line.hole_names:
        have = min(here.objects, _objects(counts, hole))
        had, of = sum(min(other.lines[number].objects, _objects(other, hole)) for other in others), 0
        of = sum(fit.objects for fit in there)
        if here.objects and of and _far_fewer(have, here.objects, had, of):
            found.append(f"{have} of {here.objects} objects have {hole}, elsewhere {had / of:.0%} of them")
    return found


def _label(here: LabelCounts, there: Sequence[LabelCounts]) -> list[str]:
    found = []
    objects, empty = sum(label.objects for label in there), sum(label.empty for label in there)
    full = here.objects - here.empty
    if here.empty and (
        _far_fewer(full, here.objects, objects - empty, objects) if objects else 2 * here.empty > here.objects
    ):
        found.append(f"{here.empty} of {here.objects} texts are empty")
    longest = max((label.longest for label in there), default=0)
    sure = objects - empty >= _KNOWN and full >= _MANY
    limit = 1.2 * longest + 2 if sure else _LONGER * longest + 20
    if longest and here.median > limit:
        found.append(
            f"a usual text has {here.median:.0f} characters, elsewhere the longest has {longest}; it runs over its end"
        )
    else:
        usual = max(longest / 2, here.median) if longest else here.median
        if here.longest > max(_LONG, _FAR_LONGER * usual) and (longest or full >= _MANY):
            found.append(
                f"a text of {here.longest:,} characters, where a usual one has {here.median:.0f}; it may run over its end"
            )
    if here.different == 1 and full >= _MANY and any(label.different > 1 for label in there):
        found.append(f"all {here.objects} texts are the same; elsewhere they differ")
    return found


def _objects(counts: PageCounts, label: str) -> int:
    return next((one.objects for one in counts.labels if one.label == label), 0)


def _far_fewer(matched: int, sources: int, usual: int, of: int) -> bool:
    """Whether matches are fewer than two thirds of what is expected, and by more than chance.

    The share is estimated by Laplace's rule; the spread has that of the estimate in it.
    """
    share = (usual + 1) / (of + 2)
    expected = share * sources
    spread = math.sqrt(expected * (1 - share) * (1 + sources / of))
    return 3 * matched < 2 * expected and expected - matched > _SURE * spread
