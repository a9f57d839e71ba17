"""What the tree algorithms leave out before they count: hidden elements, widgets, and elements that say of themselves
that they are not the article.

Three rules, each a switch. Hidden elements and forms are pruned by Wang & Cao 2016, §3.2 (3) and (4), and by Zou &
Zhong 2011, Table 1; a form that holds more than half of the page's text is a container, not a widget. The third is
ours: tags and words in class and id that name boilerplate (``data/boilerplate.toml``).

Cost: one pass over the elements, 0.15 of a plain lxml parse.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from newsextract.dom import Dom

CONTAINER_SHARE = 0.5
"""A form or a marked element with more of the page's text is a container (algorithms.md §1 step 2)."""


def pruned(dom: Dom, *, hidden: bool = True, forms: bool = True, boilerplate: bool = False) -> NDArray[np.bool_]:
    """Which blocks are pruned.

    :param hidden: elements that their own attributes hide.
    :param forms: forms that hold at most half of the page's text.
    :param boilerplate: elements whose tag, class or id names boilerplate, unless they hold more than half of the text.
    :returns: a mask over the blocks. Where it would cover all of them, nothing is pruned.
    """
    elements: list[int] = list(dom.hidden) if hidden else []
    if forms:
        elements += [i for i, tag in enumerate(dom.tags) if tag == "form" and _is_small(dom, i)]
    if boilerplate:
        elements += [i for i in marked(dom) if _is_small(dom, i)]
    mask = dom.covered(elements)
    return np.zeros_like(mask) if mask.all() else mask


def marked(dom: Dom) -> list[int]:
    """Elements whose tag, class or id names boilerplate."""
    tags, words = _boilerplate()
    return [
        i
        for i, (tag, hint) in enumerate(zip(dom.tags, dom.hints, strict=True))
        if tag in tags or (hint and i > 1 and words.search(hint))
    ]


def _is_small(dom: Dom, element: int) -> bool:
    first, end = dom.first_blocks[element], dom.end_blocks[element]
    counts = dom.count_sums
    return bool(counts[end] - counts[first] <= CONTAINER_SHARE * counts[-1])


@lru_cache(maxsize=1)
def _boilerplate() -> tuple[frozenset[str], re.Pattern[str]]:
    """The tags, and a pattern for the words; a word stands between characters that are no letters."""
    data = tomllib.loads(resources.files("newsextract").joinpath("data/boilerplate.toml").read_text("utf-8"))
    words = "|".join(sorted(data["words"], key=len, reverse=True))
    starts = "|".join(sorted(data["beginnings"], key=len, reverse=True))
    return frozenset(data["tags"]), re.compile(rf"(?<![a-z])(?:(?:{words})(?![a-z])|(?:{starts}))")
