"""Prose around an article that others wrote: the comments of readers, and lists of excerpts of other stories.

Both are prose beside prose. Where no class says what they are, the network takes them for the article's text.

**Comments** are below the article. What gives them away is the short line of each that says who wrote it, and when:

- behind a heading like "Comments" or "TrackBack (2)": two such lines of one class, or two buttons like "Reply" or "3 likes";
- without any such heading: three lines of one class with a time of day or "3 hours ago", most of them of other people.

**Excerpts** stand below links to other pages of the site: three such links of one class, a few blocks apart, above the
article or below it, or four between its paragraphs. An article that is itself a list of such links has little other text.

Cost: one look at each short block and each link above prose; only few have a date or are headlines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

from newsextract.discovery.excerpts import MAX_TITLES, look, own_page
from newsextract.model_files import data_table
from newsextract.page.dom import Dom
from newsextract.page.page import Page
from newsextract.page.references import References
from newsextract.records.leaves import find_day

_SIGNATURE, _HEADING, _NAME, _BUTTON = 100, 60, 40, 20
"""Characters of a line that names who wrote a comment and when, of a heading, of a name and of a button, at most."""
_HEADING_WORDS, _NAME_WORDS = 4, 5
_SIGNED, _UNTITLED, _OTHERS, _WRITTEN = 2, 3, 0.6, 0.5
"""Such lines behind a heading, at least, and without one; then the share of them that name others, and that text follows."""
_HEADS, _POSSIBLE = 2, 0.1
"""Headings of one class above comments, at most: teasers name the number of theirs. Least probability of that text."""
_ABOVE, _ABOVE_POSTS, _SURELY = 200, 1_000, 0.9
"""Characters of text above comments, at least; and where the page is less probably an article than the last number, so that
this may be the opening post of a thread."""
_CELLS = frozenset(("td", "th"))
"""A table of who did what, and when, is no list of comments."""
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTERS = re.compile(r"[^\W\d_]+")
_CLOCK = re.compile(r"\b\d{1,2}[:.h]\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?", re.IGNORECASE)
_COUNTER = re.compile(r"\d{1,5} ?[^\W\d_]{2,12}")
"""As "3 likes"."""
_OF_READERS = frozenset(("all", "reader", "readers", "user"))

_EXCERPTS, _BETWEEN = 3, 4
"""Links above excerpts, at least; and where the article goes on before and behind them."""
_HEADLINE, _EXCERPT, _APART, _PROSE = 12, range(40, 401), 6, 80
"""Characters of a link above an excerpt, at least; of the excerpt; blocks from one such link to the next, at most;
characters of a block by which the article goes on, more than."""
_TEASED = 0.35
"""The share of the text that excerpts of other stories are, at most."""

_Class = tuple[str, str]
"""Tag and class of a block's element."""


def without_comments(dom: Dom, probabilities: NDArray[np.float64], article: float = 1.0) -> NDArray[np.float64]:
    """The probabilities of an article's blocks, with 0 from the comments of readers on.

    :param article: the probability that the page is an article, and no thread.

    Figures: docs/measurements/combined.md, "Comments below an article".
    """
    likely = np.flatnonzero(probabilities >= 0.5)
    if not len(likely):
        return probabilities
    first = _first_comment(dom, probabilities, int(likely[0]), _ABOVE if article >= _SURELY else _ABOVE_POSTS)
    return probabilities if first is None else np.where(np.arange(len(probabilities)) < first, probabilities, 0.0)


def _first_comment(dom: Dom, probabilities: NDArray[np.float64], begin: int, least: int) -> int | None:
    """The block that comments begin with.

    :param begin: the first block that may be text.
    :param least: characters of text above comments.
    """
    short = [block for block in range(len(dom.texts) - 1, begin, -1) if len(dom.texts[block]) <= _SIGNATURE]
    sizes = np.cumsum(dom.sizes * (probabilities >= 0.5))
    headlines = sorted({dom.first_blocks[element] for element in dom.by_tag.get("h1", ())})

    def is_below_text(block: int) -> bool:
        start = bisect_left(headlines, block)
        return bool(sizes[block] - (sizes[headlines[start - 1]] if start else 0) >= least)

    until = np.cumsum(probabilities >= _POSSIBLE)
    may_be_heading = _headings().match
    counts: Counter[_Class] = Counter()
    near: set[_Class] = set()
    heads: dict[_Class, list[tuple[int, bool]]] = defaultdict(list)
    signed: dict[_Class, list[tuple[int, int, str]]] = defaultdict(list)
    for block in short:
        text = dom.texts[block]
        day = find_day(text) if _DIGIT.search(text) else None
        is_linked = dom.links[block] > 0 and not dom.counts[block]  # it leads to the comments
        is_heading = not is_linked and day is None and may_be_heading(text) is not None and _is_above_comments(text)
        if day is None and not is_heading and not _is_button(text):
            continue
        kind = dom.tags[dom.elements[block]], dom.hints[dom.elements[block]]
        if is_heading:
            heads[kind].append((block, any(counts[each] >= _SIGNED for each in near)))
            near.clear()
        else:
            counts[kind] += 1
            near.add(kind)
        if day is not None and kind[0] not in _CELLS and _is_moment(text, day[0]):
            begins, name = _name(dom, block, text[: day.start()] + text[day.end() :])
            if name:
                signed[kind].append((begins, block, name))
    few = [head for same in heads.values() if len(same) <= _HEADS for head in same]
    found = [block for block, are_signed in few if are_signed and is_below_text(block)]
    for lines in signed.values():
        others = len({name for _, _, name in lines})
        written = sum(until[after] > until[block] for (after, _, _), (_, block, _) in pairwise(lines))
        are_comments = others >= max(_UNTITLED, _OTHERS * len(lines)) and written >= _WRITTEN * len(lines)
        if are_comments and is_below_text(lines[-1][0]):
            found.append(lines[-1][0])
    return min(found, default=None)


# --- excerpts -------------------------------------------------------------------------------------


def without_excerpts(page: Page, probabilities: NDArray[np.float64], article: float = 1.0) -> NDArray[np.float64]:
    """The probabilities of an article's blocks, with 0 for lists of excerpts of other stories.

    :param article: the probability that the page is an article. Below .9 only lists above the headline count, because the
        page may be a list: two of four stories, classified as articles with .87 and .88, would lose their text. On pages of
        other kinds such lists are the text as often as not.

    Figures: docs/measurements/combined.md, "What stands around an article".
    """
    dom, sizes = page.dom, page.dom.sizes * (probabilities >= 0.5)
    headlines = [dom.first_blocks[element] for element in dom.by_tag.get("h1", ())]
    are_prose = np.concatenate(([0], np.cumsum((sizes > 0) & (dom.counted[0] > _PROSE))))
    found = probabilities.copy()
    for heads, end in _excerpts(page):
        first = heads[0]
        is_above = headlines[:1] >= [end] and sizes[end:].sum() >= _ABOVE
        is_within = are_prose[first] > 0 and are_prose[-1] > are_prose[end]
        is_most = sizes[first:end].sum() > _TEASED * sizes.sum()
        is_short = len(heads) < (_BETWEEN if is_within else _EXCERPTS)
        if is_above or not (is_short or is_most or article < _SURELY):
            is_headed = first > 0 and any(heading.block == first - 1 and heading.level > 1 for heading in dom.headings)
            found[first - is_headed : end] = 0.0
    return found


def _excerpts(page: Page) -> Iterator[tuple[list[int], int]]:
    """Lists of excerpts: the blocks with the links above them, and the block behind the last."""
    dom, last = page.dom, len(page.dom.texts)
    unlinked, linked = dom.counted
    sums = np.concatenate(([0], np.cumsum(unlinked)))
    behind = sums[np.minimum(np.arange(last) + _APART, last)] - sums[1:]
    may_head = (linked >= _HEADLINE) & (linked >= 2 * unlinked) & (behind >= _EXCERPT.start)
    same: dict[_Class, dict[int, LexborNode]] = defaultdict(dict)
    begun = bisect_left(dom.link_blocks, last)  # links behind the last text are in no block
    for place in np.flatnonzero(may_head[dom.link_blocks[: min(begun, MAX_TITLES)]]).tolist():
        title = dom.link_texts[place].strip()
        if len(title) >= _HEADLINE and " " in title:
            block = dom.link_blocks[place]
            element = dom.elements[block]
            same[dom.tags[element], look(dom.hints[element])].setdefault(block, dom.link_nodes[place])
    total: list[int] = sums.tolist()
    for links in same.values():
        heads: list[int] = []
        for block in (*links, last + _APART) if len(links) >= _EXCERPTS else ():
            if heads and (block - heads[-1] > _APART or total[block] - total[heads[-1] + 1] not in _EXCERPT):
                if len(heads) >= _EXCERPTS:
                    end = _end(dom, heads)
                    if end - heads[-1] == 1 or total[end] - total[heads[-1] + 1] not in _EXCERPT:
                        end = heads.pop()
                    if len(heads) >= _EXCERPTS and _lead_elsewhere(page, heads, links):
                        yield heads, end
                heads = []
            heads.append(block)


def _end(dom: Dom, heads: list[int]) -> int:
    """The block behind the last excerpt: that of the element around it and its link, else as far as those before reach."""
    before, last = heads[-2:]
    element = dom.elements[last]
    while dom.parents[element] > 0 and dom.first_blocks[dom.parents[element]] > before:
        element = dom.parents[element]
    end = dom.end_blocks[element]
    if last + 1 < end <= last + _APART:
        return end
    return min(last + min(behind - block for block, behind in pairwise(heads)), len(dom.texts))


def _lead_elsewhere(page: Page, heads: list[int], links: dict[int, LexborNode]) -> bool:
    """Whether the links above excerpts have texts of their own and lead to as many other pages of the site; those below the
    page's own address are its chapters."""
    references = References.of(page)
    urls = {own_page(references, links[block].attrs["href"], other=True) for block in heads}
    if len(urls) < len(heads) or len({page.dom.texts[block] for block in heads}) < len(heads):
        return False
    below = references.here.partition("?")[0].rstrip("/") + "/"
    return all(url is not None and not url.startswith(below) for url in urls)


# --- signs of comments ----------------------------------------------------------------------------


def _is_moment(text: str, day: str) -> bool:
    """Whether a signature has a day of a year with a time of day, or one like "3 hours ago"."""
    return _CLOCK.search(text) is not None if _YEAR.search(day) else not day[-1].isdigit() and any(map(str.isdigit, day))


def _name(dom: Dom, block: int, beside: str) -> tuple[int, str]:
    """The block with the name of the writer, and the name; empty if none is given.

    :param beside: the text of the signature without its day.
    """
    words = _LETTERS.findall(_CLOCK.sub("", beside))
    if len(" ".join(words)) <= 2:  # "at"
        block -= 1
        before = dom.texts[block]
        words = _LETTERS.findall(before) if len(before) <= _NAME else []
    return block, " ".join(words) if len(words) <= _NAME_WORDS else ""


def _is_button(text: str) -> bool:
    return len(text) <= _BUTTON and (text.casefold() in _words("comment_buttons") or _COUNTER.fullmatch(text) is not None)


def _is_above_comments(text: str) -> bool:
    words = _LETTERS.findall(text.casefold()) if len(text) <= _HEADING else []
    if len(words) > 1 and words[0] in _OF_READERS:
        del words[0]
    most = _HEADING_WORDS if text.isascii() else 1  # "评论：…" is a comment on the news
    return 0 < len(words) <= most and words[0] in _words("above_comments")


@cache
def _headings() -> re.Pattern[str]:
    """A line that may be above comments."""
    return re.compile(
        rf"^[\W\d_]*(?:(?:{'|'.join(_OF_READERS)})[\W\d_]+)?(?:{'|'.join(_words('above_comments'))})", re.I | re.M
    )


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(data_table("data/furniture.toml")["article"][name])
