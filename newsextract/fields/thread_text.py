"""The text of a page that shows a thread: the blocks that its posts are made of.

A network that judges blocks takes menus, panels and signatures of a thread for text, and leaves short posts out. Where the
posts are known, their text is better.

Most threads are recognised by their URL, their software or their words. Others look like articles. If lines with a day
divide the text into parts, none of them much longer than the others, the page may be a thread (:func:`may_be_thread`); its
posts decide (:func:`are_thread`).

Cost: a search for days in short blocks with digits; on a thread twice one pass over the characters of its posts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

import numpy as np

from newsextract.discovery.kinds import block_widths
from newsextract.fields.post_elements import DIGITS, class_words, words
from newsextract.records.leaves import names_day

if TYPE_CHECKING:
    from newsextract.fields.posts import PostFields
    from newsextract.page.dom import Dom
    from newsextract.page.page import Page

_MAX_HEAD = 100
"""Characters of a block that may be the head of a post."""
_LEAST_HEADS = 3
_PROSE, _LINK = 25, 20
"""Latin characters of a block that is text of a post, and of a link that is a title, at least."""
_APART = 0.25
"""Least share of the text that is outside of its longest part."""
_TITLED = 0.3
"""Share of the parts with a title of their own that leads elsewhere from which on they are teasers."""
_LEAST_POSTS = 3
_HELD = 0.5
"""Least share of the page's text that its posts have; quotations, panels and signatures are in none."""
_ABOVE = 600
"""Latin characters of text above the first post, at most."""
_MOST_OF_ONE = 0.7
"""Share of the posts that one author has, at most."""
_NO_LETTERS = re.compile(r"[\W_]+")
_TRACKER = re.compile(r"/(?:issues?|tickets?|bugs?|browse|show_bug|bugreport)(?:[./?]|$)", re.IGNORECASE)
"""URLs of reports."""
_ALL_COMMENTS, _COMMENTS, _LIKE_ARTICLE = 0.9, 0.5, 0.9
"""Share of the blocks that are called comments, the first among them, from which on all are; share of most, and the
probability of an article."""
_MENUS = frozenset(("dropdown", "menu", "nav", "navbar", "submenu"))
"""Words of the class of a list that is a menu."""
_BEFORE, _BESIDE, _MAX_DAY = 8, 5, 40
"""Blocks before the first post in which its author is looked for, and behind a name in which its day is; characters of the
block with a day, at most."""
_NUMBER = re.compile("[0-9]{1,4}")
_SHINGLE = 8
"""Letters in a row by which the text of a post is found again."""
_MOST_TEXT = 300_000
"""Characters of a page, and of its posts, that are compared, at most: .6 s and 50 MB. No page of the bench has as many."""
_FOUND = 0.9
"""Least share of a block that is text of posts."""


def may_be_thread(dom: Dom) -> bool:
    """Whether short blocks with a day divide a page's text into parts, none of which is most of it, and few of which have a
    title of their own that leads elsewhere."""
    heads = [
        place
        for place, text in enumerate(dom.texts)
        if len(text) <= _MAX_HEAD and any(map(str.isdigit, text)) and names_day(text)
    ]
    if len(heads) < _LEAST_HEADS:
        return False
    unlinked, linked = (column * block_widths(dom) for column in dom.counted)
    is_head = np.zeros(len(unlinked), dtype=np.bool_)
    is_head[heads] = True
    part = np.cumsum(is_head)
    sizes = np.bincount(part, unlinked * ((unlinked >= _PROSE) & (unlinked > 2 * linked) & ~is_head))
    filled = np.flatnonzero(sizes > 0)
    titles = np.flatnonzero((linked >= _LINK) & (linked > unlinked) & ~is_head).tolist()
    folded = [DIGITS.sub("", dom.texts[block]) for block in titles]
    times = Counter(folded)  # answers repeat the title of their thread
    own = {int(part[block]) for block, text in zip(titles, folded, strict=True) if times[text] == 1}
    titled = sum(number in own for number in filled.tolist())
    is_apart = sizes.max() <= (1 - _APART) * sizes.sum()
    return len(filled) >= _LEAST_HEADS and titled < _TITLED * len(filled) and bool(is_apart)


def are_thread(page: Page, posts: Sequence[PostFields], blocks: Sequence[int], article: float) -> bool:
    """Whether posts, each with a name and a day, are the text of a page that nothing calls a thread.

    :param blocks: those of :func:`text_blocks`.
    :param article: the probability of an article.
    """
    dom = page.dom
    told = [post for post in posts if post.author and post.date]
    if not blocks or len(told) < max(_LEAST_POSTS, len(posts)) or are_comments(page, blocks, article):
        return False
    names = Counter(post.author for post in told if (post.author or "").lower() not in words()["author"]["nameless"])
    if len(told) > _LEAST_POSTS and max(names.values(), default=0) > _MOST_OF_ONE * len(told):
        return False  # a button beside each
    unlinked, linked = (column * block_widths(dom) for column in dom.counted)
    written = unlinked * ((unlinked >= _PROSE) & (unlinked > 2 * linked))
    above, held = written[: blocks[0]].sum(), written[list(blocks)].sum()
    return bool(above < _ABOVE and held >= _HELD * written.sum())


def are_comments(page: Page, blocks: Sequence[int], article: float) -> bool:
    """Whether markup calls all posts or entries of a page comments (on a picture, say), or most or all after the first where
    the page reads like an article. Trackers call the opening post a comment, too."""
    dom = page.dom
    if _TRACKER.search(page.url or ""):
        return False
    called: dict[int, bool] = {-1: False}
    for element, (hint, parent) in enumerate(zip(dom.hints, dom.parents, strict=True)):
        called[element] = called[parent] or "comment" in hint or "kommentar" in hint
    of_blocks = [called[dom.elements[block]] for block in blocks]
    share = sum(of_blocks) / len(of_blocks)
    are_below = any(of_blocks) and all(of_blocks[of_blocks.index(True) :])  # a short article of several blocks, two comments
    return (of_blocks[0] and share >= _ALL_COMMENTS) or (article >= _LIKE_ARTICLE and (share >= _COMMENTS or are_below))


def menu_blocks(dom: Dom) -> set[int]:
    """The blocks of navigations, and of lists whose class calls them menus."""
    lists = [element for element in dom.of(("ul", "ol")) if not _MENUS.isdisjoint(class_words(dom.hints[element]))]
    return {
        block
        for element in (*dom.of(("nav",)), *lists)
        for block in range(dom.first_blocks[element], dom.end_blocks[element])
    }


def can_compare(texts: Sequence[str]) -> bool:
    """Whether texts have at most :data:`_MOST_TEXT` characters."""
    return sum(map(len, texts)) <= _MOST_TEXT


def text_blocks(dom: Dom, texts: Sequence[str], without: Container[int] = ()) -> list[int]:
    """The blocks of a page that its posts or entries are made of, each text once: quotations of posts are left out.

    :param without: blocks that are none of them.
    :returns: none for a page of more than :data:`_MOST_TEXT` characters.
    """
    if not (can_compare(dom.texts) and can_compare(texts)):
        return []
    lines = [_letters(line) for text in texts for line in text.split("\n")]
    short = Counter(line for line in lines if len(line) < _SHINGLE)
    known = Counter(shingle for text in texts for shingle in _shingles(_letters(text)))
    found: list[int] = []
    for block, text in enumerate(dom.texts):
        letters = _letters(text)
        own, left = (_shingles(letters), known) if len(letters) >= _SHINGLE else ([letters], short)
        if letters and block not in without and len([part for part in own if left.get(part, 0) > 0]) >= _FOUND * len(own):
            for part in own:
                left[part] = left.get(part, 0) - 1
            found.append(block)
    return found


def with_heads(dom: Dom, blocks: Sequence[int], heads: Sequence[tuple[str, str]]) -> list[int]:
    """The blocks of posts, and the lines that name their authors, with the days beside them.

    :param heads: author and ISO 8601 date of each post.

    On 50 of 62 modern threads of folds 1-4 the truth has them: word F1 .867 → .876, better 39, worse 14.
    """
    days: dict[str, list[str]] = {}
    for author, day in heads:
        days.setdefault(_letters(author), []).append(day)
    found, left = set(blocks), {name: len(of_name) for name, of_name in days.items()}
    for block in range(max(0, blocks[0] - _BEFORE), min(len(dom.texts), blocks[-1] + _BESIDE)):
        text = dom.texts[block]
        name = _letters(text.partition("\n")[0]) if len(text) <= _MAX_HEAD else ""
        if block in found or left.get(name, 0) <= 0:
            continue
        left[name] -= 1
        beside = range(max(0, block - 2), min(len(dom.texts), block + _BESIDE))
        is_day = (one for one in beside if one not in found and _names_one(dom.texts[one], days[name]))
        found.update((block, next(is_day, block)))
    return sorted(found)


def _names_one(text: str, days: Sequence[str]) -> bool:
    """Whether a short text has the year and the day of the month of a date."""
    numbers = set(map(int, _NUMBER.findall(text))) if len(text) <= _MAX_DAY else set()
    return any(len(day) >= len("2026-01-01") and {int(day[:4]), int(day[8:10])} <= numbers for day in days)


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.lower())


def _shingles(letters: str) -> list[str]:
    return [letters[start : start + _SHINGLE] for start in range(len(letters) - _SHINGLE + 1)]
