"""Which blocks are chosen: those of at least a probability that depends on what the user favours, and on the page; with the
code, tables, lists and headings between them and without promotions. Wherever a text is asked for (crawl, training,
benchmarks), it is chosen here.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.phrases import names, phrase_features
from newsextract.dom import Dom

Favour = Literal["balance", "precision", "recall"]

_HOPELESS = 0.2
"""Where the best block has less, the page has no article."""
_BALANCE, _PRECISION, _RECALL = 0.5, 0.75, 0.25
_PROMOTIONS = ("begins_more", "begins_advert")
_BEFORE = (
    "begins_byline", "begins_dated", "begins_share", "begins_comments", "begins_credit", "begins_advert",
    "begins_navigation",
)  # fmt: skip
_BEHIND = (*_BEFORE, "begins_more", "begins_subscribe", "begins_legal")
_PARTS = frozenset(("table", "ul", "ol", "dl", "blockquote", "h2", "h3", "h4", "h5", "h6"))
_LINKED_TABLE, _LINKED = 0.5, 0.15
"""Shares of the characters in links, from which on a table or another part leads elsewhere: to the site's newsletter, for
example."""
_PROMOTION, _EDGE, _MOST_EDGE = 150, 100, 3
"""Characters of "read more: …", at most; characters and number of the blocks at the two ends that may be furniture."""


def choose(dom: Dom, probabilities: NDArray[np.float64], favour: Favour = "balance", least: float = 0.0) -> NDArray[np.intp]:
    """The numbers of the chosen blocks, ascending; may be none.

    :param least: the least probability of a chosen block; 0: that of ``favour``.
    """
    least = least or limit(probabilities, dom.sizes, favour)
    return without_furniture(dom, with_parts(dom, with_code(dom, np.flatnonzero(probabilities >= least))), favour)


def limit(probabilities: NDArray[np.float64], sizes: NDArray[np.float64], favour: Favour = "balance") -> float:
    """The least probability of a chosen block. What a stricter setting chooses, a laxer one chooses, too.

    A page of a single block is that block. Where no block reaches the balanced limit it is that which maximises the
    expected F1: half of that F1.

    :param sizes: characters of each block.
    """
    best = float(probabilities.max())
    if len(probabilities) == 1:
        return best  # a single block: there is nothing to choose; the confidence tells what it is worth
    balance = _BALANCE
    if _HOPELESS <= best < _BALANCE:
        order = np.argsort(-probabilities, kind="stable")
        found, chosen = np.cumsum((probabilities * sizes)[order]), np.cumsum(sizes[order])
        balance = float((found / (chosen + found[-1] + 1)).max())
    if favour == "precision":
        return _PRECISION if best >= _PRECISION else balance
    return min(_RECALL, balance) if favour == "recall" else balance


def with_code(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks, and the preformatted ones between them.

    Pages with code are rare among those with a truth, so the network knows too little of it: of 151 ``pre`` blocks between
    the chosen ones on folds 1-4 136 are article text, and it chooses 10.
    """
    if len(chosen) < 2 or "pre" not in dom.tags:
        return chosen
    between = range(int(chosen[0]), int(chosen[-1]))
    code = [block for block in between if dom.tags[dom.elements[block]] == "pre"]
    return np.union1d(chosen, np.array(code, dtype=chosen.dtype))


def with_parts(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks, and what is left of the article's parts between them: whole data tables, and lists, quotations and
    headings whose neighbours in the same element are chosen.

    Short cells and items look like furniture to the network. On folds 1-4 the tables move F1 from .866 to .869; on every
    fifth page of them the other parts move it from .857 to .861.
    """
    if len(chosen) < 2:
        return chosen
    held = np.zeros(len(dom.texts) + 1, dtype=np.bool_)
    held[chosen] = True
    first, last = int(chosen[0]), int(chosen[-1])
    run = (0, 0, -1)  # the parts that follow each other in one element: their blocks, that element
    for element, tag in enumerate(dom.tags):
        if tag not in _PARTS:
            continue
        start, end, parent = dom.first_blocks[element], dom.end_blocks[element], dom.parents[element]
        if not first < start < end <= last or held[start:end].all():
            continue
        if _linked(dom, start, end) >= (_LINKED_TABLE if tag == "table" else _LINKED):
            continue
        if tag == "table":
            if element not in dom.data_tables:
                continue
            held[start:end] = True
        elif tag == "blockquote":
            held[start:end] |= held[start:end].any()
            if _linked(dom, start, end):  # an embedded post of a social network links to itself
                continue
        run = (run[0] if run[1:] == (start, parent) else start, end, parent)
        inside = dom.first_blocks[parent] < run[0] and end < dom.end_blocks[parent]
        if inside and held[run[0] - 1] and held[end]:
            held[run[0] : end] = True
    return np.flatnonzero(held)


def _linked(dom: Dom, start: int, end: int) -> float:
    """The share of the characters of some blocks that are in links."""
    linked = int(dom.link_count_sums[end] - dom.link_count_sums[start])
    return linked / (linked + int(dom.count_sums[end] - dom.count_sums[start]) + 1)


def without_furniture(dom: Dom, chosen: NDArray[np.intp], favour: Favour) -> NDArray[np.intp]:
    """The chosen blocks without short ones that read like what stands around an article; all of them for ``recall``.

    "Read more: …" goes wherever it stands, and for ``precision`` bylines, dates, buttons and the like at the two ends, too.
    Truths disagree about them: on folds 1-4 the first rule moves F1 from .937 to .936 on CleanEval and Dragnet and from
    .964 to .965 on the other sources, both rules from .937 to .933 and from .964 to .966.
    """
    if favour == "recall" or len(dom.texts) == 1 or not len(chosen):
        return chosen
    lengths = np.array([len(dom.texts[block]) for block in chosen.tolist()])
    short = np.flatnonzero(lengths <= _PROMOTION)
    if not len(short):
        return chosen
    blocks: list[int] = chosen[short].tolist()
    kinds = np.zeros((len(chosen), len(names())), dtype=np.bool_)
    kinds[short] = phrase_features([dom.texts[b] for b in blocks], np.array([float(dom.counts[b]) for b in blocks])) > 0
    left = (lengths > _PROMOTION) | ~kinds[:, _columns(_PROMOTIONS)].any(axis=1)
    if favour == "precision":
        edge = lengths <= _EDGE
        begins, ends = edge & kinds[:, _columns(_BEFORE)].any(axis=1), edge & kinds[:, _columns(_BEHIND)].any(axis=1)
        left[: _run(begins)] = False
        left[len(left) - _run(ends[::-1]) :] = False
    return chosen[left]


def _run(furniture: NDArray[np.bool_]) -> int:
    """How many blocks at the beginning are furniture; at most so many are left out, and never all."""
    other = np.flatnonzero(~furniture[:_MOST_EDGE])
    return int(other[0]) if len(other) else min(_MOST_EDGE, len(furniture) - 1)


def _columns(kinds: tuple[str, ...]) -> list[int]:
    listed = names()
    return [listed.index(kind) for kind in kinds]
