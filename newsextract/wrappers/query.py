"""Questions to objects: JMESPath over the nested view, and three functions that path expressions lack.

"Find Kentaro Toyama's papers" (Huang, Qi & Zhang 2000, introduction) is
``find('paper')[?has(author, 'Kentaro Toyama')].title``. ``find(label)`` gives the records of a label, at whatever depth they
stand; ``has(value, text)`` says whether a text occurs in a value, and is false for a missing one; ``tally(values)`` counts
equal values.

Cost: linear in the number of objects for each ``find``; the rest is JMESPath's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import jmespath
from jmespath import exceptions, functions

from newsextract.errors import UsageError
from newsextract.wrappers.objects import Objects, OEMObject, flatten


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
        return f"{error}; known are: {', '.join(sorted(_Functions.FUNCTION_TABLE))}"
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
