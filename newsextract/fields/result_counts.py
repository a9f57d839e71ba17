"""What a result page says of how many hits it has: nothing was found, exactly one was found.

A statement is a block of text that is no part of a record and no link: "Your search - pears - did not match any documents",
"0 results", "Keine Treffer", "没有找到相关结果". The words are in ``data/result_counts.toml``, for forty languages.

Cost: one walk over the texts of the page, about 2 ms.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from newsextract.fields.post_fields import link_around
from newsextract.model_files import data_table
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import joined
from newsextract.results import RecordPage

_MAX_MESSAGE = 200
"""Characters of a statement, at most."""
_MAX_HEADING = 70
"""Characters of a line above other hits, at most; advice is longer."""
_MAX_TEXTS = 12
"""Texts of a statement, at most."""
_WORD = re.compile(r"[^\W\d_]{2}")
_ALONE = re.compile(r"(?<![\d.,:/])[01](?![.,:/]?\d)")
"""A number that may count none or one."""
_INLINE = frozenset("a abbr b bdi big cite code em font i kbd mark q s small span strike strong sub sup tt u var".split())
_NO_STATEMENT = frozenset(("a", "nav", "footer", "option", "select", "textarea", "button", "label", "noscript"))


@dataclass(frozen=True, slots=True)
class Said:
    """A statement about the number of hits."""

    count: int
    """0 or 1."""
    node: int
    """Its first text."""
    is_qualified: bool = False
    """Whether only a part of the hits is missing: "no exact matches"."""


def said_count(nodes: Nodes, found: RecordPage) -> Said | None:
    """The first statement of a page, outside its records and links, that nothing or exactly one hit was found."""
    inside = sorted((root, int(nodes.ends[root])) for record in found.records for root in record.nodes)
    one: Said | None = None
    for node, text in _blocks(nodes):
        place = bisect_left(inside, (node, node)) - 1
        if place >= 0 and node < inside[place][1]:
            continue
        count = _count(text)
        if count is None or link_around(nodes, node, 0) >= 0:
            continue
        if count == 0:
            return Said(0, node, _patterns().qualified.search(text) is not None)
        one = one or Said(1, node)
    return one


def names_results(nodes: Nodes, first: int, last: int) -> bool:
    """Whether a text between two nodes speaks of results: "Showing results for pear instead"."""
    between = (text for node, text in _blocks(nodes) if first < node < last and len(text) <= _MAX_HEADING)
    return any(_patterns().named.search(text) and _count(text) != 0 for text in between)


def _blocks(nodes: Nodes) -> Iterator[tuple[int, str]]:
    """The short blocks of text of a page: the first text's number and the text, in lower case."""
    texts: list[int] = []
    around = -1
    for node in [*nodes.shown.tolist(), -1]:
        block = int(nodes.parents[node]) if node >= 0 else -2
        while block >= 0 and nodes.tags[block] in _INLINE:
            block = int(nodes.parents[block])
        if block != around:
            if 0 < len(texts) <= _MAX_TEXTS and around >= 0 and nodes.tags[around] not in _NO_STATEMENT:
                text = joined([nodes.texts[one] for one in texts])
                if len(text) <= _MAX_MESSAGE:
                    yield texts[0], text.lower().replace("'", "’")
            texts, around = [], block
        if len(texts) <= _MAX_TEXTS:
            texts.append(node)


def _count(text: str) -> int | None:
    """0 or 1 if a text says that so many hits were found; None for other texts."""
    if _WORD.search(text) and _patterns().nothing.search(text):
        return 0 if not _patterns().more.search(text) else None
    if not any(map(str.isdigit, text)):
        return None
    span = _patterns().span.search(text)
    if span is not None:
        first, last = int(span["first"]), int(span["last"])
        return 0 if last == 0 else 1 if first == last else None
    counted = _patterns().counter.search(text) if _ALONE.search(text) else None
    return None if counted is None else int(counted["before"] or counted["after"])


@dataclass(frozen=True, slots=True)
class _Patterns:
    nothing: re.Pattern[str]
    qualified: re.Pattern[str]
    more: re.Pattern[str]
    named: re.Pattern[str]
    span: re.Pattern[str]
    """ "Results 21 – 21 of 21", "0 - 0 of 0"."""
    counter: re.Pattern[str]
    """ "0 results", "Treffer: 1"."""


@cache
def _patterns() -> _Patterns:
    table = data_table("fields/data/result_counts.toml")
    words = table["counted"]
    units = words["units"]
    return _Patterns(
        nothing=re.compile("|".join(one for language in table["nothing"].values() for one in language)),
        qualified=re.compile(words["qualified"]),
        more=re.compile(words["more"]),
        named=re.compile(words["named"]),
        span=re.compile(
            rf"(?<![\d.,])(?P<first>\d{{1,6}})\s?(?:{words['to']})\s?(?P<last>\d{{1,6}})\s(?:\w{{1,12}}\s)?(?:{words['of']})\s?\d"
        ),
        counter=re.compile(
            rf"(?<![\d.,:/–-])(?<![\d.,:/–-]\s)(?P<before>[01])(?!\d)\s?(?:\w{{1,14}}\s)?(?:{units})(?!\w)"
            rf"|(?<!\w)(?:{units})\s?[:：(]\s?(?P<after>[01])(?![\d.,/:]|\s?[-–—])"
        ),
    )
