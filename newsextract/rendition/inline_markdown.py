"""A line as Markdown (CommonMark, GFM's tables). What could be read as markup in the text is escaped.

Bold that ends with punctuation, with a letter behind it, is none (CommonMark §6.2); Chinese texts are full of it. There
the punctuation is put outside. A text has one look: code before raised or lowered, these
before bold, bold before italic.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from string import punctuation

from newsextract.rendition.passage import Line, Picture, Run

_SPECIAL = re.compile(r"[\\`*\[\]<~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_LINE_START = re.compile(r"(?:([0-9]{1,9})(?=[.)](?:\s|\Z))|(?=[-+](?:\s|\Z)|>|#{1,6}(?:\s|\Z)|[-=|:][-=|: ]*\Z))")
_LOOKS = ("code", "sub", "sup", "strong", "em")


def markdown(line: Line) -> str:
    """A line, without regard to where it stands."""
    groups = [(key, list(parts)) for key, parts in groupby(line, lambda part: (_link(part), _look(part)))]
    out = [""]
    link = ""
    for number, ((address, look), parts) in enumerate(groups):
        if address != link:
            if address and out[-1].endswith("!"):
                out[-1] = f"{out[-1][:-1]}\\!"  # or the link would be a picture
            out.append(_link_end(link) + ("[" if address else ""))
            link = address
        after = "" if number + 1 == len(groups) else _first(*groups[number + 1][0], groups[number + 1][1][0], link)
        out.append(_written(parts, look, out[-1][-1:], after))
    return "".join(out) + _link_end(link)


def at_start(text: str) -> str:
    """A line that opens a paragraph or stands in one: what makes a heading, item or quote there is escaped."""
    match = _LINE_START.match(text)
    return f"{text[: match.end()]}\\{text[match.end() :]}" if match else text


def code(text: str) -> str:
    """A code span; blanks at its ends stand outside, where they are not stripped."""
    inner = text.strip(" ")
    if not inner:
        return text
    fence = "`" * (longest_run(inner, "`") + 1)
    space = " " if inner.startswith("`") or inner.endswith("`") else ""
    before, _, after = text.partition(inner)
    return f"{before}{fence}{space}{inner}{space}{fence}{after}"


def longest_run(text: str, character: str) -> int:
    """How often a character stands side by side at most."""
    return max(map(len, re.findall(re.escape(character) + "+", text)), default=0)


def _link(part: Run | Picture) -> str:
    return next((mark.address for mark in part.marks if mark.tag == "a"), "")


def _look(part: Run | Picture) -> str:
    if isinstance(part, Picture):
        return "picture"
    tags = {mark.tag for mark in part.marks}
    if "a" in tags and "]" in part.text:
        tags.discard("code")  # "[`]: x`](…)" would be the definition of a link
    return next((look for look in _LOOKS if look in tags), "")


def _link_end(address: str) -> str:
    return f"]({_destination(address)})" if address else ""


def _first(address: str, look: str, part: Run | Picture, link: str) -> str:
    """The character that a group begins with, seen from within ``link``; any punctuation stands for markup."""
    if address != link or look not in ("", "strong", "em") or isinstance(part, Picture):
        return "["
    return part.text[:1]


def _written(parts: Sequence[Run | Picture], look: str, before: str, after: str) -> str:
    """Parts of one look.

    :param before: the character before them, ``after``: the one after them; empty at the ends of the line.
    """
    text = "".join(part.text for part in parts if isinstance(part, Run))
    if look == "picture":
        return "".join(f"![{_escaped(p.alt)}]({_destination(p.address)})" for p in parts if isinstance(p, Picture))
    if look == "code":
        return code(text)
    if look in ("sub", "sup"):
        return f"<{look}>{_escaped(text)}</{look}>"
    if look and before != "*":  # two in a row could not be told apart
        return _emphasised(text, "**" if look == "strong" else "*", before, after)
    return _escaped(text)


def _emphasised(text: str, delimiter: str, before: str, after: str) -> str:
    first, end = len(text) - len(text.lstrip()), len(text.rstrip())
    letters = [number for number, c in enumerate(text) if unicodedata.category(c)[0] in "LMNC"]
    if not letters:
        return _escaped(text)
    opens = first == letters[0] or _parts_words(text[first - 1] if first else before)
    closes = end - 1 == letters[-1] or _parts_words(text[end] if end < len(text) else after)
    if not (opens and closes):
        first, end = letters[0], letters[-1] + 1
    return f"{_escaped(text[:first])}{delimiter}{_escaped(text[first:end])}{delimiter}{_escaped(text[end:])}"


def _parts_words(character: str) -> bool:
    """Whether a character beside a delimiter lets punctuation stand on its other side, by old and new CommonMark."""
    return not character or character.isspace() or character in punctuation or unicodedata.category(character)[0] == "P"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _destination(address: str) -> str:
    """An address in round brackets."""
    return re.sub(r"&(?=#?\w+;)", "&amp;", address.replace("(", "%28").replace(")", "%29"))
