"""What a post has at the place where the other posts of its page have their names and texts.

A word that is mostly a button or a rank ("Guest", "Reply", "2001") is a name where the others have theirs, and a text may
have no word ("👍"): only the other posts of the page show what such a text is.

Cost: the first texts of each post once, and all texts of a post without text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from newsextract.fields.post_elements import INLINE, link_around
from newsextract.fields.post_fields import MAX_NAME, clean_name, is_count, is_refused
from newsextract.fields.post_lines import is_prose
from newsextract.fields.post_text import read_text
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import has_word
from newsextract.results import Record

if TYPE_CHECKING:
    from newsextract.fields.posts import PostFields

_HEAD = 40
"""Texts of a post among which its author's name is looked for."""
_LEVELS = 3
"""Elements around a text that are its place: answers within answers have more of them in common."""
_LETTERS = 10
"""Letters beside a post's day of a line that is no text."""
_DIGITS = str.maketrans("", "", "0123456789")
_LEAST = 0.5
"""Share of the posts that have their names at the same place."""

_Around: TypeAlias = tuple[tuple[str, str], ...]
_Place: TypeAlias = tuple[_Around, int]
"""The elements around a text, and how many texts of the post are there before it."""


def at_places_of_others(
    nodes: Nodes, records: Sequence[Record], within: Sequence[int | None], fields: Sequence[PostFields]
) -> list[PostFields]:
    """Posts with the names and texts at the places where most posts of the page have theirs.

    :param within: for each record the element around it that holds no other post, if any.
    """
    areas = [(area,) if area is not None else record.nodes for area, record in zip(within, records, strict=True)]
    texts = [[node for root in area for node in nodes.text_nodes(root)] for area in areas]
    found = list(fields)
    for is_exact in (True, False):
        found = _with_names(nodes, [nodes_of[:_HEAD] for nodes_of in texts], found, is_exact)
    return _with_texts(nodes, areas, texts, found)


def _with_names(nodes: Nodes, texts: Sequence[Sequence[int]], fields: list[PostFields], is_exact: bool) -> list[PostFields]:
    """Posts with the refused words at the place of the others' names as their authors.

    :param is_exact: names are in the same inline elements, too; that of a guest may be no link.
    """
    places = [_places(nodes, own, is_exact) for own in texts]
    counts = Counter(
        place
        for own, post in zip(places, fields, strict=True)
        for place, text in own.items()
        if post.author and clean_name(text) == post.author
    )
    (around, number), count = counts.most_common(1)[0] if counts else (((), 0), 0)
    if count < max(2, _LEAST * len(fields)):
        return fields
    found: list[PostFields] = []
    # A word that others have beside their names is a button.
    buttons = {text for own in places for place, text in own.items() if place[0] == around and place[1] != number}
    for own, post in zip(places, fields, strict=True):
        text = own.get((around, number), "")
        names = {clean_name(other) for place, other in own.items() if place[0] == around}
        is_name = _is_refused_name(text, is_exact) and text not in buttons and (not post.author or post.author not in names)
        is_day = post.date is not None and post.date.evidence in text
        found.append(replace(post, author=text) if is_name and not is_day else post)
    return found


def _is_refused_name(text: str, is_exact: bool) -> bool:
    """Whether a text is no name except where the others have theirs."""
    if not 0 < len(text) <= MAX_NAME or not has_word(text) or clean_name(text) is not None:
        return False
    return is_exact or is_refused(text)


def _with_texts(
    nodes: Nodes, areas: Sequence[Sequence[int]], texts: Sequence[Sequence[int]], fields: list[PostFields]
) -> list[PostFields]:
    """Posts without a text, or with that of a panel, with what is where the others have theirs: "?", or only a picture."""
    starts = [_start(nodes, own, post.body) for own, post in zip(texts, fields, strict=True)]
    counts = Counter(_around(nodes, node, is_exact=False) for node in starts if node >= 0)
    around, count = counts.most_common(1)[0] if counts else ((), 0)
    if not around or 2 * count < len(fields) or count == len(fields):
        return fields
    at_places = [[node for root in roots for node in _elements_at(nodes, root, around)] for roots in areas]
    # Of several such elements (cells of a row), that in which most others have theirs.
    numbers = Counter(
        sum(node <= start for node in there)
        for there, start in zip(at_places, starts, strict=True)
        if start >= 0 and _around(nodes, start, is_exact=False) == around
    )
    number = numbers.most_common(1)[0][0] - 1
    found: list[PostFields] = []
    for at_place, start, post in zip(at_places, starts, fields, strict=True):
        is_sure = is_prose(post.body) or (bool(post.body) and start < 0)
        there = [] if is_sure else at_place[number : number + 1] or at_place[:1]
        # What is beside the paragraphs of a text is of it, too.
        boxes = [int(nodes.parents[node]) if around[0][0] == "p" else node for node in there]
        is_elsewhere = boxes and not boxes[0] < start < nodes.ends[boxes[0]]
        text = read_text(nodes, boxes) if is_elsewhere else None
        is_silent = not has_word(post.body) or is_count(post.body)
        if text is not None and (not has_word(text.own) or (is_silent and not _is_day(text.own, post))):
            post = replace(post, body=text.own, is_linked=text.is_linked)
        found.append(post)
    return found


def _is_day(text: str, post: PostFields) -> bool:
    """Whether a text is hardly more than the day of a post: "Posted - 4 May 2012"."""
    day = post.date.evidence if post.date is not None else ""
    return bool(day) and day in text and sum(map(str.isalpha, text.replace(day, ""))) <= _LETTERS


def _start(nodes: Nodes, texts: Sequence[int], body: str) -> int:
    """The text that a post's text begins with, rather than a link of the same words above it; -1 for none."""
    line = body.partition("\n")[0]
    return max(
        (node for node in texts if line.startswith(nodes.texts[node])),
        key=lambda node: (len(nodes.texts[node]), link_around(nodes, node, 0) < 0),
        default=-1,
    )


def _elements_at(nodes: Nodes, root: int, around: _Around) -> list[int]:
    """The elements of a post at a place."""
    tag = around[0][0]
    return [
        node
        for node in range(root + 1, int(nodes.ends[root]))
        if nodes.tags[node] == tag and _steps(nodes, node, is_exact=False) == around
    ]


def _places(nodes: Nodes, texts: Sequence[int], is_exact: bool) -> dict[_Place, str]:
    """The texts of a post by their places."""
    found: dict[_Place, str] = {}
    numbers = Counter[_Around]()
    for node in texts:
        around = _around(nodes, node, is_exact)
        found[around, numbers[around]] = nodes.texts[node].strip()
        numbers[around] += 1
    return found


def _around(nodes: Nodes, text: int, is_exact: bool) -> _Around:
    """The elements around a text."""
    return _steps(nodes, int(nodes.parents[text]), is_exact)


def _steps(nodes: Nodes, node: int, is_exact: bool) -> _Around:
    """Tags and classes of an element and the next around it, numbers left out."""
    known = _known_steps(nodes, is_exact)
    if node not in known:
        found: list[tuple[str, str]] = []
        at = node
        while len(found) < _LEVELS and at >= 0:
            if is_exact or nodes.tags[at] not in INLINE:
                found.append((nodes.tags[at], nodes.attributes[at].get("class", "").translate(_DIGITS)))
            at = int(nodes.parents[at])
        known[node] = tuple(found)
    return known[node]


@lru_cache(maxsize=2)
def _known_steps(nodes: Nodes, is_exact: bool) -> dict[int, _Around]:
    """Those that are known of a page."""
    return {}
