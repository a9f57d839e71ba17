"""Patterns as text: tags with the attributes that tell them from others, and texts that need quotes.

Cost: linear in what is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from newsextract.oem.drafting.tree import Element
from newsextract.oem.pattern import PatternError, parse_pattern

_TELLING = ("id", "class", "width", "border", "color", "size", "align", "valign", "colspan", "noshade")
"""Attributes that tell an element from others, the best first."""
_SIMPLE = re.compile(r"[\w%./:-]+(?: [\w%./:-]+)*")
"""Values that a pattern can name as they are."""
_MAX_VALUE = 60
_READ_OTHERWISE = frozenset("｛｝〈〉“”，")
"""The paper's typographic signs, which a format takes for the plain ones."""


def tag(element: Element, attributes: Iterable[str] = ()) -> str:
    """A start tag as a pattern, with some of the element's attributes."""
    known = element.attributes
    pieces = [element.name]
    for name in attributes:
        value = known.get(name)
        if value is None:
            continue
        value = " ".join(value.split())
        simple = value and len(value) <= _MAX_VALUE and _SIMPLE.fullmatch(value)
        pieces.append(f'{name}="{value}"' if simple else name)
    return f"<{' '.join(pieces)}>"


def forms(element: Element) -> list[str]:
    """A start tag as patterns, the plainest first."""
    known = element.attributes
    telling = [name for name in _TELLING if name in known]
    found = [tag(element), *(tag(element, (name,)) for name in telling[:4])]
    if len(telling) > 1:
        found.append(tag(element, telling[:4]))
    return [form for form in dict.fromkeys(found) if writable(form)]


def shared_tag(elements: Sequence[Element]) -> str:
    """A start tag with the classes that all of some elements have."""
    common = set(elements[0].classes)
    for element in elements[1:]:
        common &= set(element.classes)
    names = [name for name in elements[0].classes if name in common and _SIMPLE.fullmatch(name)][:2]
    if names:
        return f'<{elements[0].name} class="{" ".join(names)}">'
    alike = [name for name in ("width", "align") if all(_same(element, elements[0], name) for element in elements)]
    return tag(elements[0], alike if elements[0].name == "table" else ())


def _same(one: Element, other: Element, attribute: str) -> bool:
    return one.attributes.get(attribute) == other.attributes.get(attribute)


def writable(pattern: str) -> bool:
    """Whether a file can hold a pattern: nothing in it that is read as something else, or that a terminal would obey."""
    if not pattern.isprintable() or _READ_OTHERWISE & set(pattern):
        return False
    try:
        parse_pattern(pattern)
    except PatternError:
        return False  # a text of the page that no pattern can name
    return True


def quoted(text: str) -> str:
    """A text as a pattern."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def sample(text: str, most: int = 40) -> str:
    """A text for a comment: one line, cut."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return f'"{line if len(line) <= most else line[: most - 1] + "…"}"'
