"""Parts of an article that the network misses between the chosen blocks or right behind them: code, tables, lists,
quotations, headings, and a last paragraph.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.features import element_columns
from newsextract.discovery.excerpts import look
from newsextract.page.dom import Dom, Row

_PARTS = frozenset(("table", "ul", "ol", "dl", "blockquote", "h2", "h3", "h4", "h5", "h6"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LISTS = frozenset(("ul", "ol", "dl"))
_LIKELY_LIST, _POSSIBLE_LIST = 0.3, 0.1
"""Mean probability from which on the rest of a list at the end is chosen, and a list behind the end. On pages of folds 3 and
4 (sites not seen) the rule moves one text up and three down by .003 to .014; articles of Docusaurus, blag and Chronicle that
end with a list lost it. Completing lists whatever their rest is worth: one text up by .12, three down by .02 to .11."""
_ITEMS, _MOST_INSIDE = 0.25, 1_000
"""Share of the items of a list between chosen blocks that are chosen, from which on all are; elements of a list that are
counted."""
_ROWS = 0.5
"""Share of the blocks of a table at the end that are chosen, from which on all are."""
_PAIR = 2
_NAME, _HINT = 20, 300
"""Characters of the name of a programming language, at most, and of classes that are read."""
_MOST_LINES, _DIGITS, _STEPS = 10_000, 6, 8
"""Lines of code that are numbered, digits of the first number, and elements around code and numbers, at most."""
_INNER = _LISTS.union(("li", "dd", "blockquote"))
_PROSE = ("p", "blockquote")
_BOXES = ("div", "td", "th", "span")
_POSSIBLE, _SENTENCE = 0.01, 30
"""Probability and characters, at least, of a paragraph or quotation right behind the end. Two blogs needed so little; on
every third page of the bench .03 and 60 give the same texts."""
_PARAGRAPH, _POSSIBLE_PARAGRAPHS = 80, 0.04
"""Characters, at least, of each item of a list without links whose rest, or all of which, is chosen at the end from this
probability on."""
_POSSIBLE_ALIKE, _DOUBLE = 0.05, 2
"""Probability, at least, of a block that is written like the text, and how many times it may grow."""
_FEW, _ITEM, _LINE = 3, 3, 15
"""Chosen blocks, at least, that show how the text is written; blanks in an item and in a paragraph of several lines."""
_NO_SENTENCES = ("article", "forum", "product")
"""Kinds of pages on which unlikely sentences are mostly of captions, other posts and other products."""
_ENDS, _LEAST_LINKED = '.!?:”"…', 0.1
"""How a sentence ends; the share of its characters that are in links is below the second."""
_LINKED_TABLE, _LINKED = 0.5, 0.15
"""Shares of the characters in links, from which on a table or another part leads elsewhere: to the site's newsletter, for
example."""


def with_code(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks, the preformatted ones between them, and those right behind the last in the element that holds the
    last two.

    Pages with code are rare among those with a truth, so the network knows too little of it: of 151 ``pre`` blocks between
    the chosen ones on folds 1-4 136 are article text, and it chooses 10. No page there has code behind the last; articles of
    Nikola and Pelican that end with code lost it.
    """
    if len(chosen) < 2 or "pre" not in dom.by_tag:
        return chosen
    first, last = int(chosen[0]), int(chosen[-1])
    is_code = dom.covered(dom.by_tag["pre"])
    end, stop = last + 1, dom.end_blocks[_holder(dom, chosen)]
    while end < stop and is_code[end]:
        end += 1
    return np.union1d(chosen, np.flatnonzero(is_code[first:end]) + first)


def _holder(dom: Dom, chosen: NDArray[np.intp]) -> int:
    """The innermost element that holds the last two chosen blocks."""
    holder, before = dom.elements[int(chosen[-1])], int(chosen[-2])
    while not dom.first_blocks[holder] <= before < dom.end_blocks[holder]:
        holder = dom.parents[holder]
    return holder


def numbers_lines(dom: Dom, block: int) -> bool:
    """Whether a block counts the lines of the code before or behind it, and the element around both holds nothing else."""
    words = dom.texts[block].split(None, _MOST_LINES)
    first = int(words[0]) if words and words[0].isdecimal() and len(words[0]) <= _DIGITS else -1
    if first < 0 or words != [*map(str, range(first, first + len(words)))]:
        return False
    for beside in (block - 1, block + 1):
        code = dom.elements[beside] if 0 <= beside < len(dom.elements) else -1
        for _ in range(_STEPS):
            if code < 0 or dom.tags[code] == "pre":
                break
            code = dom.parents[code]
        if code < 0 or dom.tags[code] != "pre" or dom.first_blocks[code] <= block < dom.end_blocks[code]:
            continue
        start, end = min(block, dom.first_blocks[code]), max(block + 1, dom.end_blocks[code])
        around = dom.parents[code]
        for _ in range(_STEPS):
            if around < 0 or dom.first_blocks[around] <= block < dom.end_blocks[around]:
                break
            around = dom.parents[around]
        lines = sum(text.count("\n") + 1 for text in dom.texts[dom.first_blocks[code] : dom.end_blocks[code]])
        if around >= 0 and (dom.first_blocks[around], dom.end_blocks[around]) == (start, end) and lines <= len(words):
            return True
    return False


def is_language(dom: Dom, block: int) -> bool:
    """Whether a block is only the name of a language that the classes around the code behind it name, too."""
    name = dom.texts[block].lower()
    code = dom.elements[block + 1] if block + 1 < len(dom.elements) else -1
    if len(name) > _NAME or not name.isalnum() or code < 0 or dom.tags[code] != "pre":
        return False
    around = dom.parents[code]
    is_before = around >= 0 and dom.first_blocks[around] == block
    return is_before and name in re.split(r"[\s-]", f"{dom.hints[code]} {dom.hints[around]}"[:_HINT])


def with_parts(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks, and what is left of the article's parts between them: whole data tables, and lists, quotations and
    headings whose neighbours in the same element are chosen.

    Short cells and items look like furniture to the network. On folds 1-4 the tables move F1 from .866 to .869; on every
    fifth page of them the other parts move it from .857 to .861. Of the lists of links between two chosen siblings, on 30
    modern articles of folds 1-4, .83 of the characters are in the truth.
    """
    if len(chosen) < 2:
        return chosen
    held = np.zeros(len(dom.texts) + 1, dtype=np.bool_)
    held[chosen] = True
    first, last = int(chosen[0]), int(chosen[-1])
    run = (0, 0, -1)  # the parts that follow each other in one element: their blocks, that element
    parts = dom.of(_PARTS)
    within = bisect_right(dom.first_blocks, first), bisect_right(dom.first_blocks, last)
    for element in parts[slice(*(bisect_left(parts, bound) for bound in within))]:
        tag = dom.tags[element]
        start, end, parent = dom.first_blocks[element], dom.end_blocks[element], dom.parents[element]
        is_last = tag == "table" and end == last + 1 and held[start:end].mean() >= _ROWS
        if not first < start < end <= last + is_last or held[start:end].all():
            continue
        if _linked(dom, start, end) >= (_LINKED_TABLE if tag == "table" else _LINKED):
            if tag in _LISTS and held[start - 1] and held[end] and _is_between(dom, element):
                held[start:end] = True
            continue
        if tag == "table":
            if element not in dom.data_tables:
                continue
            held[start:end] = True
        elif tag in _LISTS and _is_plain(dom, element):
            held[start:end] |= held[start:end].mean() >= _ITEMS
        elif tag == "blockquote":
            held[start:end] |= held[start:end].any()
            if _linked(dom, start, end):  # an embedded post of a social network links to itself
                continue
        if tag in _HEADINGS and dom.end_blocks[parent] == end + 1 <= last and is_anchor(dom, end):
            end, parent = end + 1, dom.parents[parent]
        run = (run[0] if run[1:] == (start, parent) else start, end, parent)
        inside = dom.first_blocks[parent] < run[0] and end < dom.end_blocks[parent]
        if inside and held[run[0] - 1] and held[end]:
            held[run[0] : end] = True
    return np.flatnonzero(held)


def is_anchor(dom: Dom, block: int) -> bool:
    """Whether a block is only a link to the heading before it, for screen readers."""
    if dom.counts[block] or not block or dom.tags[dom.elements[block - 1]] not in _HEADINGS:
        return False
    link = bisect_left(dom.link_blocks, block)
    href = (dom.link_nodes[link].attrs["href"] or "") if link < len(dom.link_nodes) else ""
    return href.startswith("#") and dom.link_blocks[link] == block


def with_alike(
    dom: Dom, probabilities: NDArray[np.float64], chosen: NDArray[np.intp], kind: str = "article"
) -> NDArray[np.intp]:
    """The chosen blocks, and those between them that are written like text: with the class path of a chosen one; an item,
    a heading or a paragraph of several lines with its classes; an item without links; on other pages than articles also
    a paragraph without links. Not if that would more than double the text, and no block that the network thinks hopeless.

    Page builders put each section into a box of its own, and on sources that it does not know the network misses some.
    Better and worse, with the lists of links of :func:`with_parts`: on folds 1-4 of wcxb left out 135 pages and 36, on fold
    0 56 and 16; on fold 3 by site 18 and 21.
    """
    if len(chosen) < _FEW:
        return chosen
    first, last = int(chosen[0]), int(chosen[-1])
    held = np.zeros(len(dom.texts), dtype=np.bool_)
    held[chosen] = True
    left = np.flatnonzero(~held[first:last] & (probabilities[first:last] >= _POSSIBLE_ALIKE)) + first
    if not len(left):
        return chosen
    left = left[~_beside(dom, held)[left]]
    paths = element_columns(dom).class_paths.tolist()
    elements = {dom.elements[block] for block in chosen.tolist()}
    own = {paths[element] for element in elements}
    names = {(dom.tags[element], look(dom.hints[element])) for element in elements}
    figures, lists = dom.covered(dom.of(("figure", "figcaption"))), dom.covered(dom.of(_LISTS))
    for block in left.tolist():
        element = dom.elements[block]
        tag, blanks = dom.tags[element], dom.texts[block].count(" ")
        is_long = blanks >= _LINE and not figures[block]
        is_prose = (lists[block] or (kind != "article" and tag in _PROSE)) and blanks >= _ITEM and not dom.link_counts[block]
        is_named = tag not in _BOXES and (is_long or tag == "li" or tag in _HEADINGS)
        if is_prose or ((is_long or tag not in _BOXES) and paths[element] in own):
            held[block] = True
        elif is_named:
            held[block] = (tag, look(dom.hints[element])) in names
    return np.flatnonzero(held) if dom.sizes[held].sum() <= _DOUBLE * dom.sizes[chosen].sum() else chosen


def with_sentences(dom: Dom, chosen: NDArray[np.intp], kind: str) -> NDArray[np.intp]:
    """The chosen blocks, and what belongs to them between the first and the last, whatever the network thinks of it:
    headings right above a chosen block, and on some kinds of pages paragraphs of whole sentences.

    A heading in an element of its own looks like a menu to the network. Where wcxb is left out, 219 of 262 such headings on
    articles of folds 1-4 are in the truth; better and worse on all pages of folds 1-4 66 and 10, on fold 0 32 and 2. Of
    the sentences on services, documentation and lists 265 of 304 are; 44 and 12, and 21 and 4.
    """
    if len(chosen) < 2:
        return chosen
    first, last = int(chosen[0]), int(chosen[-1])
    held = np.zeros(len(dom.texts), dtype=np.bool_)
    held[chosen] = True
    if kind not in _NO_SENTENCES:
        left = np.flatnonzero(~(held | _beside(dom, held))[first:last]) + first
        held[[block for block in left.tolist() if _is_sentence(dom, block)]] = True
    headings = dom.of(_PARTS & _HEADINGS if kind == "article" else _HEADINGS)
    for element in reversed(headings):
        block = dom.first_blocks[element]
        if first < block < last and held[block + 1] and dom.end_blocks[element] == block + 1:
            held[block] |= dom.link_counts[block] <= dom.counts[block]
    return np.flatnonzero(held)


def _is_sentence(dom: Dom, block: int) -> bool:
    text = dom.texts[block]
    is_prose = dom.tags[dom.elements[block]] in _PROSE and dom.link_counts[block] < _LEAST_LINKED * dom.counts[block]
    return is_prose and text[-1] in _ENDS and text.count(" ") >= _ITEM


def with_headline(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks, and the last ``h1`` before them."""
    stop = chosen[0] if len(chosen) else 0
    spans = [(dom.first_blocks[element], dom.end_blocks[element]) for element in dom.by_tag.get("h1", ())]
    last = max((span for span in spans if span[0] < span[1] <= stop), default=(0, 0))
    return np.concatenate((np.arange(*last), chosen))


def _beside(dom: Dom, held: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The blocks of navigations, forms, footers and boxes in which nothing is chosen."""
    sums = np.concatenate(([0], np.cumsum(held))).tolist()
    elements = dom.of(("nav", "form", "footer", "aside"))
    return dom.covered([one for one in elements if sums[dom.end_blocks[one]] == sums[dom.first_blocks[one]]])


def _is_between(dom: Dom, element: int) -> bool:
    """Whether the blocks before and behind an element are in its siblings, or in their parent."""
    parent, around = dom.parents[element], (dom.first_blocks[element] - 1, dom.end_blocks[element])
    return all(parent in (dom.elements[block], dom.parents[dom.elements[block]]) for block in around)


def _is_plain(dom: Dom, element: int) -> bool:
    """Whether each item of a list is one block."""
    inside = range(element + 1, min(dom.ends[element], element + _MOST_INSIDE))
    items = sum(dom.parents[child] == element for child in inside)
    return items == dom.end_blocks[element] - dom.first_blocks[element]


def with_last_list(dom: Dom, probabilities: NDArray[np.float64], chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks, and the list at their end: the rest of one that is chosen in part, or one right behind the last two
    blocks in the element that holds them, where the network does not think it hopeless."""
    if len(chosen) < 2:
        return chosen
    last, least = int(chosen[-1]), _LIKELY_LIST
    span = next((span for span in _lists_at(dom, last) if chosen[0] < span[0]), None)
    if span is None:
        stop, least = dom.end_blocks[_holder(dom, chosen)], _POSSIBLE_LIST
        span = next((span for span in _lists_at(dom, last + 1) if span[0] == last + 1 and span[1] <= stop), None)
    if span is None or _linked(dom, *span) >= _LINKED:
        return chosen
    rest = np.arange(last + 1, span[1])
    if len(rest) and not _linked(dom, *span) and min(len(dom.texts[block]) for block in rest.tolist()) >= _PARAGRAPH:
        least = _POSSIBLE_PARAGRAPHS
    if not len(rest) or float(probabilities[rest] @ dom.sizes[rest] / dom.sizes[rest].sum()) < least:
        return chosen
    return np.concatenate((chosen, rest))


def _are_pairs(rows: Sequence[Row]) -> bool:
    """Whether each row of a table is a name and a value."""
    return all(len(cells) == _PAIR for _, cells in rows)


def _lists_at(dom: Dom, block: int) -> Iterator[tuple[int, int]]:
    """The blocks of the lists that hold a block, from the innermost."""
    element = dom.elements[block] if block < len(dom.elements) else -1
    while element >= 0:
        if dom.tags[element] in _LISTS:
            yield dom.first_blocks[element], dom.end_blocks[element]
        element = dom.parents[element]


def _linked(dom: Dom, start: int, end: int) -> float:
    """The share of the characters of some blocks that are in links."""
    linked = int(dom.link_count_sums[end] - dom.link_count_sums[start])
    return linked / (linked + int(dom.count_sums[end] - dom.count_sums[start]) + 1)


def with_ending(
    dom: Dom, probabilities: NDArray[np.float64], chosen: NDArray[np.intp], kind: str = "article"
) -> NDArray[np.intp]:
    """The chosen blocks, and what ends their text in the element that holds the last two or the list of them: the whole of a
    data table, or a paragraph or quotation without links that the network does not think hopeless. On other
    pages than articles a table of names and values may be in an element of its own: the properties of a product.

    The network often takes a last sentence for the beginning of the furniture, and numbers for no text; where a heading is
    the last chosen block, its text is missing.
    """
    if len(chosen) < 2:
        return chosen
    holder = _holder(dom, chosen)
    while dom.tags[holder] in _INNER:
        holder = dom.parents[holder]
    last, following, stop = int(chosen[-1]), int(chosen[-1]) + 1, dom.end_blocks[holder]
    for table, rows in dom.data_tables.items():
        start, end = dom.first_blocks[table], dom.end_blocks[table]
        are_pairs = kind != "article" and _are_pairs(rows)
        is_inside = start <= last or end <= stop or are_pairs
        is_next = chosen[0] < start <= following < end and is_inside
        if is_next and _linked(dom, start, end) < _LINKED:
            return np.concatenate((chosen, np.arange(following, end)))
    if following >= stop or dom.link_counts[following] or len(dom.texts[following]) < _SENTENCE:
        return chosen
    element = dom.elements[following]
    quotation = dom.parents[element]
    if dom.tags[quotation] == "blockquote" and dom.end_blocks[quotation] == following + 1:
        element = quotation
    is_text = dom.tags[element] in _PROSE and dom.parents[element] == holder and probabilities[following] >= _POSSIBLE
    return np.append(chosen, following) if is_text else chosen


def with_pairs(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks, and the rest of the tables of names and values of which half is chosen, such as the properties of a
    product: numbers and units look like no text."""
    held = np.zeros(len(dom.texts), dtype=np.bool_)
    held[chosen] = True
    sums: list[int] = np.concatenate(([0], np.cumsum(held))).tolist()
    for element in (*dom.by_tag.get("dl", ()), *(table for table, rows in dom.data_tables.items() if _are_pairs(rows))):
        start, end = dom.first_blocks[element], dom.end_blocks[element]
        if start < end and _ROWS <= (sums[end] - sums[start]) / (end - start) < 1:
            held[start:end] = True
    return np.flatnonzero(held)
