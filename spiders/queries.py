"""What the search spider asks for, and under which name it keeps the answers: its own arguments, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from newsextract.errors import UsageError
from pipelines.ledger import now
from spiders.arguments import unreadable

MAX_QUERY = 400
"""Characters; percent-encoded the address must stay under URLLENGTH_LIMIT, and engines cut longer ones."""
_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+-]{0,63}")


def read_queries(arguments: Mapping[str, str]) -> tuple[str, ...]:
    """The queries of ``-a query`` and ``-a queries``, white space folded, each once.

    :raises UsageError: there is none, or the file cannot be read.
    """
    found: dict[str, str] = {}  # query → where it was said
    if "query" in arguments:
        found[_folded(arguments["query"])] = f"-a query={arguments['query']}"
    if "queries" in arguments:
        path = arguments["queries"]
        try:
            lines = Path(path).read_text("utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"-a queries={path}: cannot be read: {unreadable(error)}") from error
        for number, line in enumerate(lines, 1):
            if _folded(line):
                found.setdefault(_folded(line), f"-a queries={path}: line {number}")
        if not found:
            raise UsageError(f"-a queries={path}: holds no query; write one per line")
    if not found or "" in found:
        raise UsageError('nothing to search for; say it, for example -a query="tidal barrier", or -a queries=FILE')
    for query, where in found.items():
        if len(query) > MAX_QUERY:
            raise UsageError(f"{where}: has {len(query)} characters, more than {MAX_QUERY}")
        if any("\ud800" <= letter <= "\udfff" for letter in query):  # an argument's bytes that could not be decoded
            said = where.encode("utf-8", "backslashreplace").decode()
            raise UsageError(
                f"{said}: is no valid UTF-8; write the query in UTF-8, for example into a file: -a queries=FILE"
            )
    return tuple(found)


def run_name(arguments: Mapping[str, str]) -> str:
    """The name of ``-a run``; the day (UTC) if there is none.

    :raises UsageError: it is no name.
    """
    name = arguments.get("run")
    if name is None:
        return now().date().isoformat()
    if _RUN.fullmatch(name) is None:
        raise UsageError(f"-a run={name}: expected letters, digits, . _ : + -, at most 64, for example -a run=2026-01-01")
    return name


def _folded(text: str) -> str:
    return " ".join(text.split())
