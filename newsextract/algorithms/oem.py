"""`oem` as a record algorithm: the objects of a declarative wrapper as records.

Huang, Qi & Zhang 2000. The wrapper itself, its language and its tools are in :mod:`newsextract.wrappers`; here its objects
take the form that all record algorithms answer in. Without a wrapper the heuristics alone (§1.1, §1.2) write one for the
page, which costs some runs more (docs/oem.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from newsextract.errors import ParameterError, UsageError
from newsextract.page.page import Page
from newsextract.results import Item, Record, RecordSet
from newsextract.wrappers.draft import draft
from newsextract.wrappers.format import Format, load_format, parse_format
from newsextract.wrappers.interpreter import run
from newsextract.wrappers.objects import OEMObject, Result


@dataclass(frozen=True, slots=True)
class OEMParams:
    """Parameters."""

    wrapper: str = field(default="", metadata={"unit": "file", "section": "§1.3", "range": "a format file, or empty"})
    """The extraction format; empty: one is drafted from each page."""
    records: str = field(default="", metadata={"unit": "", "section": "ours", "range": "a label, or empty"})
    """Label of the objects that are records; empty: those of the first line with a constant label that stand repeatedly."""


DEFAULT = OEMParams()
_FIT = ("number", "variable", "sources", "matched", "objects")


class OEM:
    """A wrapper, ready to be run on any number of pages.

    :raises ParameterError: the format file is missing or wrong.
    """

    def __init__(self, params: OEMParams) -> None:
        self.params = params
        if params.wrapper:
            _ = self._wrapper

    @cached_property
    def _wrapper(self) -> Format:
        try:
            return load_format(Path(self.params.wrapper))
        except UsageError as error:
            raise ParameterError(f"oem: parameter wrapper: {error}") from error

    def __call__(self, page: Page, *, evidence: bool = False) -> RecordSet:
        """The objects with the records' label, in the order of the page; further pages are not fetched."""
        drafted = "" if self.params.wrapper else draft(page)
        wrapper = parse_format(drafted, "draft") if drafted else self._wrapper
        result = run(wrapper, page)
        fit = [{name: getattr(line, name) for name in _FIT} for line in result.fit]
        told = {"wrapper": drafted or self.params.wrapper, "fit": fit} if evidence else None
        if result.root is None:
            return RecordSet(status="empty", reason=f"the wrapper does not fit: {result.misfits[0]}", evidence=told)
        label = self.params.records or _repeated(wrapper, result)
        records = tuple(
            _record(found) for found, _ in result.root.walk() if found.label == label and found.type != "reference"
        )
        if not records:
            missing = f"no object is labelled {label!r}" if label else "no line of the wrapper found more than one object"
            return RecordSet(status="empty", reason=missing, evidence=told)
        need = [line for line in result.fit if not line.optional and line.sources]
        confidence = sum(line.matched / line.sources for line in need) / len(need)
        return RecordSet(confidence=confidence, evidence=told, made=records)


def _repeated(wrapper: Format, result: Result) -> str:
    """The label of the first line that found more than one object; of lines with patterns as labels, none."""
    lines = zip(wrapper.lines, result.fit, strict=True)
    return next((line.variable for line, fit in lines if line.label is None and fit.objects > 1), "")


def _record(found: OEMObject) -> Record:
    items = tuple(_items(found))
    return Record(" ".join(item.text for item in items if item.text), items)


def _items(found: OEMObject) -> Iterator[Item]:
    """The atomic objects within, each labelled by its way down; a text with a link beside it is one item."""
    stack: list[tuple[OEMObject, str]] = [(found, "")]
    while stack:
        one, way = stack.pop()
        if one.type == "reference":
            continue  # what it refers to stands elsewhere
        if isinstance(one.value, str):
            kind = one.type == "link"
            yield Item("" if kind else one.value, "link" if kind else "text", one.value if kind else None, way or one.label)
            continue
        texts = [child for child in one.value if child.type == "string"]
        links = [child for child in one.value if child.type == "link"]
        if len(texts) == len(links) == len(one.value) - 1 == 1:
            label = way or one.label if texts[0].label == "text" else f"{way}.{texts[0].label}".lstrip(".")
            yield Item(str(texts[0].value), "link", str(links[0].value), label)
            continue
        stack.extend((child, f"{way}.{child.label}".lstrip(".")) for child in reversed(one.value))
