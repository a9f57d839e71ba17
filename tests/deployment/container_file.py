"""A container file, read: its instructions, and which files of the repository its COPY lines take.

Only what this project's file uses is known, everything else is an error, so that the check never passes over a line:
FROM, ARG, ENV, RUN and COPY in their shell form, WORKDIR, USER, VOLUME, ENTRYPOINT and CMD as JSON.
Reference: https://docs.docker.com/reference/dockerfile/
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KNOWN = frozenset("FROM ARG ENV RUN WORKDIR COPY USER VOLUME ENTRYPOINT CMD".split())


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction."""

    line: int
    """Number of its first line."""
    name: str
    """In capitals."""
    value: str
    """What follows the name; continued lines joined, comments dropped."""

    @property
    def pairs(self) -> dict[str, str]:
        """``NAME=VALUE …`` of ARG and ENV, without quotes."""
        return dict(word.partition("=")[::2] for word in shlex.split(self.value))

    @property
    def words(self) -> list[str]:
        """The words of COPY, or the list of ENTRYPOINT and CMD."""
        return list(json.loads(self.value)) if self.value.startswith("[") else self.value.split()


def read_steps(path: Path) -> list[Step]:
    """All instructions, in order.

    :raises ValueError: a line that is not understood.
    """
    steps: list[Step] = []
    begun, joined = 0, ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        begun = begun or number
        if text.endswith("\\"):
            joined += text[:-1]
            continue
        name, _, value = (joined + text).partition(" ")
        if name not in KNOWN or (name in ("RUN", "COPY") and value.lstrip().startswith(("[", "--"))):
            raise ValueError(f"{path.name}:{begun}: this check does not know {name} {value[:40]!r}")
        steps.append(Step(begun, name, value.strip()))
        begun, joined = 0, ""
    return steps


def context_files(repository: Path) -> set[str]:
    """Paths of the files that a build sees: those that ``.dockerignore`` leaves. The last pattern that matches decides."""
    lines = (repository / ".dockerignore").read_text("utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    rules = [(_expression(pattern.removeprefix("!")), pattern.startswith("!")) for pattern in patterns]
    found = set()
    for path in _walk(repository):
        name = path.relative_to(repository).as_posix()
        kept = True
        for expression, keeps in rules:
            if expression.fullmatch(name):
                kept = keeps
        if kept:
            found.add(name)
    return found


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.name not in (".git", ".venv"):  # large, and the patterns of this project leave them out
                yield from _walk(path)
        else:
            yield path


def _expression(pattern: str) -> re.Pattern[str]:
    """A pattern of ``.dockerignore``: ``*`` within a name, ``**/`` any folders; what matches a folder holds for all in it."""
    parts = re.split(r"(\*\*/|\*)", pattern.strip("/"))
    body = "".join({"**/": "(?:.*/)?", "*": "[^/]*"}.get(part, re.escape(part)) for part in parts)
    return re.compile(f"{body}(?:/.*)?")
