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

from newsextract.page.dom import Dom

CONTAINER_SHARE = 0.5
"""A form or a marked element with more of the page's text is a container (algorithms.md §1 step 2)."""

_WORD = re.compile("[a-z]+")
_MAX_HINT = 500
"""Characters of class and id that are read."""


def pruned(dom: Dom, *, hidden: bool = True, forms: bool = True, boilerplate: bool = False) -> NDArray[np.bool_]:
    """Which blocks are pruned.

    :param hidden: elements that their own attributes hide.
    :param forms: forms that hold at most half of the page's text.
    :param boilerplate: elements whose tag, class or id names boilerplate, unless they hold more than half of the text.
    :returns: a mask over the blocks. Where it would cover all of them, nothing is pruned.
    """
    elements = list(dom.hidden) if hidden else []
    if forms:
        elements += _small(dom, dom.by_tag.get("form", []))
    if boilerplate:
        elements += _small(dom, marked(dom))
    mask = dom.covered(elements)
    return np.zeros_like(mask) if mask.all() else mask


def marked(dom: Dom) -> list[int]:
    """Elements whose tag, class or id names boilerplate."""
    tags = _names()[0]
    named = {hint for hint in dom.distinct_hints if hint and _names_boilerplate(hint[:_MAX_HINT])}
    return [
        i for i, (tag, hint) in enumerate(zip(dom.tags, dom.hints, strict=True)) if tag in tags or (i > 1 and hint in named)
    ]


def _small(dom: Dom, elements: list[int]) -> list[int]:
    """Those of the elements that are no containers."""
    if not elements:
        return elements
    sums = dom.count_sums
    first, end, _ = dom.bounds
    small = sums[end[elements]] - sums[first[elements]] <= CONTAINER_SHARE * sums[-1]
    return [element for element, is_small in zip(elements, small.tolist(), strict=True) if is_small]


@lru_cache(maxsize=20_000)
def _names_boilerplate(hint: str) -> bool:
    """Kept, because the elements of a page, and pages of a site, share their classes."""
    _, words, beginnings = _names()
    return any(word in words or word.startswith(beginnings) for word in _WORD.findall(hint))


@lru_cache(maxsize=1)
def _names() -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
    """Tags, words and beginnings of words."""
    data = tomllib.loads(resources.files("newsextract").joinpath("data/boilerplate.toml").read_text("utf-8"))
    return frozenset(data["tags"]), frozenset(data["words"]), tuple(data["beginnings"])
