"""Nested objects (the Object Exchange Model): types, flat records, the result of a run, and the files they are kept in.

Huang, Qi & Zhang 2000, "Extracting semi-structured information from the Web".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import jmespath
from jmespath import exceptions, functions

from newsextract.errors import DataError, UsageError
from newsextract.page.page import Page

# --- model ----------------------------------------------------------------------------------------
# The Object Exchange Model: a page, or a set of linked pages, as objects within objects.
#
# Huang, Qi & Zhang 2000, §1: an object has a label, a type and a value; the value is atomic or a list of objects, and the
# objects form a graph with one root. An object that a link leads back to is a *reference* to it, so a cycle of pages is
# a cycle in the model and is cut where it is written out.

Type = Literal["string", "link", "complex", "reference"]
MAX_DEPTH = 100
"""Levels of objects that a file may have; a format of that many lines was not written by a person."""


class OEMObject(NamedTuple):
    """One object."""

    oid: str
    """Identity, 16 hex digits: the same in every run as long as the object's label, text and place among its ancestors are.
    What stands before or after it on the page does not matter."""
    label: str
    """What the value is; empty where the format's pattern for it found nothing."""
    type: Type
    value: str | tuple[OEMObject, ...]
    """Text, an address (absolute where the page's is known), the objects within, or the ``oid`` that is referred to."""
    url: str | None = None
    """The page, where it is another than that of the parent."""

    def walk(self) -> Iterator[tuple[OEMObject, tuple[OEMObject, ...]]]:
        """This object and all within, in order, each with its ancestors from the root on."""
        stack: list[tuple[OEMObject, tuple[OEMObject, ...]]] = [(self, ())]
        while stack:
            found, above = stack.pop()
            yield found, above
            if isinstance(found.value, tuple):
                inner = (*above, found)
                stack.extend((child, inner) for child in reversed(found.value))

    @property
    def depth(self) -> int:
        """Levels: 1 for an atomic object (Table 2, "deepest level of OEM")."""
        return max(len(above) for _, above in self.walk()) + 1


def to_json(found: OEMObject) -> dict[str, Any]:
    """An object as it is written: ``oid``, ``label``, ``type``, ``value``, and ``url`` where it has one."""
    value: Any = found.value
    if isinstance(value, tuple):
        value = [to_json(child) for child in value]
    written = {"oid": found.oid, "label": found.label, "type": found.type, "value": value}
    return written if found.url is None else {**written, "url": found.url}


def from_json(data: Any, place: str, depth: int = 0) -> OEMObject:
    """An object from what :func:`to_json` made.

    :param place: the file's name, for messages.
    :raises DataError: it is no such thing.
    """
    if not isinstance(data, dict):
        raise DataError(f"{place}: expected an object with label, type and value, found {type(data).__name__}")
    if depth > MAX_DEPTH:
        raise DataError(f"{place}: more than {MAX_DEPTH} nested objects")
    kind, value, oid, label = (data.get(key) for key in ("type", "value", "oid", "label"))
    if not isinstance(oid, str) or not isinstance(label, str):
        raise DataError(f"{place}: an object lacks oid or label; expected what `newsextract oem run` writes")
    if kind == "complex" and isinstance(value, list):
        within = tuple(from_json(child, place, depth + 1) for child in value)
        return OEMObject(oid, label, "complex", within, data.get("url"))
    if kind in ("string", "link", "reference") and isinstance(value, str):
        return OEMObject(oid, label, kind, value, data.get("url"))
    raise DataError(f"{place}: object {oid}: type {kind!r} does not go with its value; expected what `oem run` writes")


# --- records --------------------------------------------------------------------------------------
# Nested objects as plain records: labels become keys.
#
# A *record* is an object with a given label, wherever it stands; the labels above it are its ``path``. A label that stands
# several times within one object gives a list; so that a key has one type everywhere, it then does so in all records, and a
# line of a format can ask for it with ``author*``.


def flatten(root: OEMObject, label: str, many: Collection[str] = ()) -> list[dict[str, Any]]:
    """The records of a label, in order: ``oid``, ``path`` (labels from the root to the parent) and its objects by label.

    An atomic object gives ``text`` instead; labels that are ``oid`` or ``path`` themselves become ``oid_`` and ``path_``.

    :param many: labels that are lists even where one stands alone; :func:`many_labels` of the root always are.
    """
    lists = many_labels(root) | set(many)
    records = []
    for found, above in root.walk():
        if found.label == label and found.type != "reference":
            value = _plain(found, lists)
            fields = value if isinstance(value, dict) else {"text": value}
            named = {f"{name}_" if name in ("oid", "path") else name: value for name, value in fields.items()}
            records.append({"oid": found.oid, "path": [other.label for other in above], **named})
    return records


def plain(found: OEMObject, many: Collection[str] = ()) -> Any:
    """An object as plain JSON: text of an atomic one, labels to values of a complex one."""
    return _plain(found, many_labels(found) | set(many))


def many_labels(root: OEMObject) -> set[str]:
    """Labels that stand several times within one object."""
    found: set[str] = set()
    for owner, _ in root.walk():
        if isinstance(owner.value, tuple):
            found.update(label for label, times in Counter(child.label for child in owner.value).items() if times > 1)
    return found


def _plain(found: OEMObject, lists: Collection[str]) -> Any:
    if not isinstance(found.value, tuple):
        return found.value
    fields: dict[str, Any] = {}
    for child in found.value:
        value = _plain(child, lists)
        if child.label in lists:
            fields.setdefault(child.label, []).append(value)
        else:
            fields[child.label] = value
    return fields


# --- result ---------------------------------------------------------------------------------------
# What a run gives, and how its pages are asked for.


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A page that cannot be had, and why."""

    reason: str


Fetch = Callable[[str], Page | Unavailable | None]
"""The page at an address; None: not at hand now, but it can be asked for."""


@dataclass(slots=True)
class LineFit:
    """How a line did."""

    number: int
    """In the file."""
    variable: str
    optional: bool
    sources: int = 0
    """How many sources it had."""
    matched: int = 0
    """In how many of them it found something."""
    objects: int = 0

    @property
    def fits(self) -> bool:
        """Whether it found something, or had nowhere to look, or need not find anything."""
        return self.matched > 0 or self.optional or self.sources == 0


@dataclass(frozen=True, slots=True)
class Result:
    """What a run gave."""

    root: OEMObject | None
    """None: the first line does not fit the page."""
    fit: tuple[LineFit, ...]
    """One a line of the format."""
    missing: tuple[str, ...] = ()
    """Addresses of pages that were asked for and are not at hand; with them the run can be repeated."""
    failures: tuple[tuple[str, str], ...] = ()
    """Addresses of pages that could not be had, and why."""
    notes: tuple[str, ...] = ()
    """What was cut and why."""

    @property
    def misfits(self) -> tuple[str, ...]:
        """One line of text for each line of the format that does not fit; empty: the wrapper fits."""
        return tuple(
            f"line {line.number} ({line.variable}): nothing found in {line.sources} source{'s'[: line.sources != 1]}"
            for line in self.fit
            if not line.fits
        )


# --- files ----------------------------------------------------------------------------------------
# Files of objects: what ``oem run`` writes, and what ``oem query`` reads.
#
# A root is written as one JSON object; records as an array, or one a line. All of them are read again, and several roots,
# one a line, too.

LISTS = "lists"
"""Key of a written root: labels that the format wants as lists (``author*``), so that readers do the same."""
_MAKE = "expected what `newsextract oem run` writes"


@dataclass(frozen=True, slots=True)
class Objects:
    """What a file holds."""

    data: Any
    """What path expressions see: the root's nested view, or a list of records."""
    roots: tuple[OEMObject, ...] = ()
    """Empty for records, which have no objects within."""
    lists: frozenset[str] = frozenset()


def root_json(root: OEMObject, lists: Collection[str] = ()) -> dict[str, Any]:
    """A root as it is written.

    :param lists: labels that the format wants as lists.
    """
    return to_json(root) | ({LISTS: sorted(lists)} if lists else {})


def dumped(value: Any, indent: int | None = None) -> str:
    """JSON that any file and terminal can take: what is half a character is replaced."""
    return json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "replace").decode()


def read_objects(data: bytes, place: str) -> Objects:
    """The objects or records of a file: what ``oem run`` writes as json, plain or jsonl.

    :param place: what messages call it.
    :raises DataError: it is neither JSON nor JSON Lines, or holds broken objects.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{place}: not UTF-8; {_MAKE}") from error
    if not text.strip():
        raise DataError(f"{place}: the file is empty; {_MAKE}")
    try:
        values, several = _values(text, place)
    except RecursionError as error:
        raise DataError(f"{place}: too deeply nested; {_MAKE}") from error
    if values and all(isinstance(value, dict) and {"oid", "label", "type", "value"} <= value.keys() for value in values):
        roots = tuple(from_json(value, place) for value in values)
        lists = frozenset(label for value in values for label in _lists(value, place))
        views = [plain(root, lists) for root in roots]
        return Objects(views if several else views[0], roots, lists)
    if several or (isinstance(values[0], dict) and {"oid", "path"} <= values[0].keys()):  # the only record of its file
        return Objects(values)
    return Objects(values[0])


def _values(text: str, place: str) -> tuple[list[Any], bool]:
    """The values of a file, and whether they are several: lines, or the elements of an array."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        found: list[Any] = []
        for number, line in enumerate(text.split("\n"), 1):
            try:
                found += [json.loads(line)] if line.strip() else []
            except json.JSONDecodeError as wrong:
                if not found:  # it does not hold a value a line
                    raise DataError(f"{place}:{error.lineno}:{error.colno}: not JSON ({error.msg}); {_MAKE}") from error
                raise DataError(f"{place}:{number}:{wrong.colno}: the line is not JSON ({wrong.msg}); {_MAKE}") from wrong
        return found, True
    return (value, True) if isinstance(value, list) else ([value], False)


def _lists(value: dict[str, Any], place: str) -> list[str]:
    found = value.get(LISTS, [])
    if not isinstance(found, list) or not all(isinstance(label, str) for label in found):
        raise DataError(f"{place}: {LISTS!r} is not a list of labels; {_MAKE}")
    return found


# --- query ----------------------------------------------------------------------------------------
# Questions to objects: JMESPath over the nested view, and three functions that path expressions lack.
#
# "Find Kentaro Toyama's papers" (Huang, Qi & Zhang 2000, introduction) is ``find('paper')[?has(author, 'Kentaro
# Toyama')].title``. ``find(label)`` gives the records of a label, at whatever depth they stand; ``has(value, text)`` says
# whether a text occurs in a value, and is false for a missing one; ``tally(values)`` counts equal values.
#
# Cost: linear in the number of objects for each ``find``; the rest is JMESPath's.


@dataclass(slots=True)
class QueryAnswer:
    """What an expression gives."""

    value: Any
    unknown: list[str] = field(default_factory=list)
    """Labels that were looked for and that nothing has."""


def answer(expression: str, objects: Objects) -> QueryAnswer:
    """Take a JMESPath expression over objects.

    :raises UsageError: the expression is wrong, or does not go with the values.
    """
    calls = _Functions(objects.roots, objects.lists)
    try:
        value = jmespath.compile(expression).search(objects.data, jmespath.Options(custom_functions=calls))
    except exceptions.JMESPathError as error:
        raise UsageError(f"query {expression!r}: {_reason(error)}") from error
    except RecursionError as error:
        raise UsageError(f"query: the expression has too deeply nested ({len(expression):,} characters)") from error
    return QueryAnswer(value, calls.unknown)


def _reason(error: Exception) -> str:
    """JMESPath's message as one line, with a way to mend it where there is a usual one."""
    if isinstance(error, exceptions.UnknownFunctionError):
        return f"{error}; choose from: {', '.join(sorted(_Functions.FUNCTION_TABLE))}"
    if isinstance(error, exceptions.IncompleteExpressionError):
        return "the expression ends too early; expected more, as in paper[0].title"
    if isinstance(error, exceptions.ArityError):
        return str(error)
    if isinstance(error, exceptions.LexerError):
        mend = "; write a string in single quotes, 'Kentaro Toyama'" if "nclosed" in error.message else ""
        return f"column {error.lexer_position + 1}: {' '.join(error.message.split())[:200]}{mend}"
    if isinstance(error, exceptions.ParseError):
        mend = (
            f"write a number in a comparison or call in backticks, `{error.token_value}`"
            if error.token_type == "NUMBER"
            else "write a label with spaces or signs in double quotes"
        )
        return f"column {error.lex_position + 1}: unexpected {error.token_value!r}; {mend}"
    if isinstance(error, exceptions.JMESPathTypeError):
        wanted = " or ".join(str(name) for name in error.expected_types)
        mend = "; has(value, text) takes any value, a missing one too" if error.function_name == "contains" else ""
        return f"{error.function_name}() takes {wanted}, got {error.actual_type}{mend}"
    return " ".join(str(error).split())[:300]


class _Functions(functions.Functions):  # type: ignore[misc]  # jmespath ships no types
    """The functions of an expression."""

    def __init__(self, roots: Collection[OEMObject], lists: Collection[str]) -> None:
        self._roots = roots
        self._lists = lists
        self.unknown: list[str] = []

    @functions.signature({"types": ["string"]})  # type: ignore[untyped-decorator]  # jmespath ships no types
    def _func_find(self, label: str) -> list[dict[str, Any]]:
        """The records of a label, at any depth."""
        if not self._roots:
            raise UsageError(
                f"find({label!r}) looks into objects, and this file holds records; use [?…] on them, "
                "or give what `newsextract oem run` writes without --records, as json"
            )
        found = [record for root in self._roots for record in flatten(root, label, self._lists)]
        if not found and label not in self.unknown:
            self.unknown.append(label)
        return found

    @functions.signature({"types": []}, {"types": ["string"]})  # type: ignore[untyped-decorator]  # jmespath ships no types
    def _func_has(self, value: Any, text: str) -> bool:
        """Whether a text occurs in a value, whatever the case and however deep."""
        return _occurs(value, text.casefold())

    @functions.signature({"types": ["array", "null"]})  # type: ignore[untyped-decorator]  # jmespath ships no types
    def _func_tally(self, values: list[Any] | None) -> list[dict[str, Any]]:
        """Equal values with how often each stands there, the most frequent first; missing ones are none."""
        written = {json.dumps(value, sort_keys=True): value for value in values or () if value is not None}
        counts = Counter(json.dumps(value, sort_keys=True) for value in values or () if value is not None)
        return [{"value": written[key], "count": times} for key, times in counts.most_common()]


def _occurs(value: Any, text: str) -> bool:
    if isinstance(value, str):
        return text in value.casefold()
    if isinstance(value, list):
        return any(_occurs(one, text) for one in value)
    return isinstance(value, dict) and any(_occurs(one, text) for one in value.values())
