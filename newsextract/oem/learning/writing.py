"""Patterns as a person would write them in a format file; the inverse of :mod:`newsextract.oem.pattern`.

Cost: linear in the pattern's length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from newsextract.oem.pattern import Attribute, Hole, Part, Tag, Text


def written(parts: Sequence[Part]) -> str:
    """A pattern's text, which :func:`newsextract.oem.pattern.parse_pattern` reads to the same parts."""
    return "".join(map(_part, parts))


def line(parts: Sequence[Part], variable: str, source: str, *, optional: bool = False) -> str:
    """A line of a format."""
    return f"{{{written(parts)}, {variable}, {source}}}{'?' if optional else ''}"


def comment(text: str) -> str:
    """A comment of one line."""
    return "# " + " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", " ", text).split())


def _part(part: Part) -> str:
    if isinstance(part, Text):
        return '"' + part.text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(part, Hole):
        return "..." if part.skipped else f"${part.name}" if part.name else "#"
    if isinstance(part, Tag):
        return f"<{'/' if part.closing else ''}{part.name}{''.join(map(_attribute, part.attributes))}>"
    return f"[{written(part.parts)}]"


def _attribute(attribute: Attribute) -> str:
    if attribute.before is None:
        return f" {attribute.name}"
    hole = "" if attribute.hole is None else f"${attribute.hole.name}" if attribute.hole.name else "#"
    return f' {attribute.name}="{_escaped(attribute.before)}{hole}{_escaped(attribute.after)}"'


def _escaped(text: str) -> str:
    return re.sub(r"([\\#$])", r"\\\1", text)
