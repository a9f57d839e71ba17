"""Excerpts: how much of a page's prose stands under headings that lead to other pages of its site.

On a front page or an archive each text, however long, is headed by a link to the article that it begins. An article stands
under its own title; other articles are related to it, below or beside it, and have little prose there. That holds whatever
the classes, the language and the length of the excerpts, and for an archive of a single article, too.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from newsextract.discovery.links import CJK, archive_group
from newsextract.discovery.pagination import is_own
from newsextract.model_files import data_table
from newsextract.page.dom import Dom
from newsextract.page.elements import HEADINGS
from newsextract.page.page import Page
from newsextract.page.references import References

PROSE = 80
"""Characters outside links from which on a block is prose."""
_MARK = 30
"""Characters of a link that is a permanent one, at most."""
_PERMANENT = frozenset(data_table("discovery/data/marks.toml")["permalinks"])
"""What permanent links say."""
EDGES = " .:,!?()[]|•·-–»«→…"
_DIGITS = re.compile(r"\d+")
OWN_PROSE = 1_500.0
"""Characters of prose in one run under no such heading with which a page has a text of its own, whatever it teases."""
_LEAST_TEASERS, _BEYOND = 2, 3
"""Teasers, more than, behind the last of which a text is the page's own if it is as many times as long as the longest."""
MAX_HEADINGS = 500
MAX_LINKS = 20
"""Of one block that are looked at."""
MAX_TEXT = 1_000
"""Characters of a heading or link that are compared."""
MAX_TITLES = 2_000
_LEAST_ENTRIES = 2
"""Elements that look alike, each with a linked title and prose, from which on they are entries."""
_MOST_AROUND = 3
"""Elements around a permanent link of which one is its post, at most."""
_CARD = 5
"""Blocks of a card from its title on, in which the link over it is looked for."""
_BEFORE_TITLE = 2
"""Blocks of an element before its title, at most: a date, a category."""
_DAY_LENGTH = 6
_DAY = re.compile(r"[\d./年月日-]{6,12}")
LEAST_TITLE = 8
"""Characters of a heading that repeats the page's title."""
_INDEX = re.compile(r"/(?:index|default)\.[a-z]{3,5}$")


def excerpts(page: Page, counts: NDArray[np.float64]) -> tuple[float, float]:
    """``teased`` and ``one_teaser``: what share of the prose is under headings that lead elsewhere, from one half (0) to all
    of it (1), where there are several of them or one.

    :param counts: of each block what its characters outside links are worth in Latin ones.
    """
    dom = page.dom
    unlinked, linked = dom.counted
    prose = np.concatenate(([0], np.cumsum((counts >= PROSE) & (unlinked > 2 * linked)))).tolist()
    references = References.of(page)
    heads = linked_headings(page, references)
    if prose[-1]:
        heads |= dict.fromkeys(_linked_titles(page, references, prose, (linked > unlinked).tolist()), True)
        heads |= dict.fromkeys(_permalinked(page, references, prose), True)
    runs: list[float] = []
    is_teased = False
    own = longest_own = run = 0.0
    for block, count in enumerate(counts.tolist()) if any(heads.values()) else ():
        if block in heads:
            is_teased = heads[block]
            if is_teased:
                runs.append(0.0)
            run = 0
        elif count >= PROSE and dom.counts[block] > 2 * dom.link_counts[block]:
            run += count
            if is_teased:
                runs[-1] += count
            else:
                own += count
                longest_own = max(longest_own, run)
    if len(runs) > _LEAST_TEASERS and runs[-1] > max(OWN_PROSE, _BEYOND * max(runs[:-1])):
        own, longest_own = own + runs[-1], max(longest_own, runs.pop())  # the text behind teasers
    filled = sum(run > 0 for run in runs)
    total = sum(runs) + own
    share = sum(runs) / total * max(0.0, 1 - longest_own / OWN_PROSE) if total else 0.0
    share = max(0.0, 2 * share - 1)
    return (share if filled > 1 else 0.0, share if filled == 1 else 0.0)


def linked_headings(page: Page, references: References) -> dict[int, bool]:
    """Blocks of headings, and whether each leads to another page of the site. Headings that neither lead anywhere nor begin
    the page's own text are left out.

    A heading is the page's own if it leads to the page itself or to one above it (the site's name, a section), if it repeats
    the page's title, or if it is of the first level and leads nowhere. What leads to other sites is left out: a list of what
    others offer is an article, too.
    """
    dom = page.dom
    headings = [(heading, heading.text[:MAX_TEXT]) for heading in dom.headings[:MAX_HEADINGS] if heading.text]
    if not headings:
        return {}
    title = (page.metadata.title or "")[:MAX_TEXT].lower()
    found: dict[int, bool] = {}
    for heading, text in headings:
        is_title = len(text) >= LEAST_TITLE and text.lower() in title
        around = _link_around(dom, heading.block, text)
        if around is None and heading.level > 1:  # the site's name is the label of its logo
            around = _link_over(dom, heading.block, text)
        if around is None:
            if heading.level == 1 or is_title:
                found[heading.block] = False
            continue
        url = own_page(references, around)
        if url is not None:
            found[heading.block] = not is_title and leads_elsewhere(references.here, url)
    return found


def own_page(references: References, href: str | None, *, other: bool = False) -> str | None:
    """Where a link leads, if to a page of the same site, or to another one of it than this page and those above."""
    url = references.resolve(href or "")
    return url if url and is_own(references, url) and (not other or leads_elsewhere(references.here, url)) else None


def _linked_titles(page: Page, references: References, prose: list[int], are_links: list[bool]) -> Iterator[int]:
    """Blocks of titles that are no headings: each begins an element with prose, is a link to another page of the site, and
    has others like it: the elements stand beside each other and look alike. Some blogs write the posts of a month so. In
    the archive of a month with a single post it has none.

    :param prose: how many blocks before each are prose.
    :param are_links: of each block whether most of it is in links.
    """
    dom = page.dom
    least = 1 if archive_group(references.here) is not None else _LEAST_ENTRIES
    groups: dict[tuple[int, str, str], dict[int, tuple[int, str]]] = {}
    elements, tags, parents, first_blocks, end_blocks = dom.elements, dom.tags, dom.parents, dom.first_blocks, dom.end_blocks
    for node, block, text in zip(dom.link_nodes[:MAX_TITLES], dom.link_blocks, dom.link_texts, strict=False):
        if block >= len(are_links) or prose[block + 1] == prose[-1]:
            break  # no prose is behind it
        element = elements[block]
        if len(text) < _DAY_LENGTH or not _is_title(text, are_links[block], tags[element]):
            continue
        around: list[int] = []
        while element >= 0 and first_blocks[element] >= block - _BEFORE_TITLE:
            if prose[end_blocks[element]] > prose[block + 1]:
                around.append(element)
            element = parents[element]
        if not around:
            continue
        url = own_page(references, node.attrs["href"], other=True)
        if url is None:
            continue
        for entry in around:
            key = parents[entry], tags[entry], look(dom.hints[entry][:300])
            groups.setdefault(key, {}).setdefault(entry, (block, url))
    for entries in groups.values():
        if len({url for _, url in entries.values()}) >= least:
            yield from (block for block, _ in entries.values())


def _permalinked(page: Page, references: References, prose: list[int]) -> Iterator[int]:
    """First blocks of posts with prose whose permanent link ("permalink") leads to another page of the site. Some blogs link
    the posts of a list nowhere else.

    :param prose: see :func:`_linked_titles`.
    """
    dom = page.dom
    told = {text for text in set(dom.link_texts) if len(text) < _MARK and text.strip(EDGES).lower() in _PERMANENT}
    if not told:
        return
    texts = len(dom.texts)  # a link behind the last text is in no block
    places = [n for n, text in enumerate(dom.link_texts) if text in told and dom.link_blocks[n] < texts][:MAX_HEADINGS]
    for place in places:
        if own_page(references, dom.link_nodes[place].attrs["href"], other=True) is None:
            continue
        element = dom.elements[dom.link_blocks[place]]
        for _ in range(_MOST_AROUND):
            if element >= 0 and prose[dom.end_blocks[element]] > prose[dom.first_blocks[element]]:
                yield dom.first_blocks[element]
                break
            element = dom.parents[element] if element >= 0 else -1


def _is_title(text: str, is_link: bool, tag: str) -> bool:
    """Whether a link may be the title of an entry: several words, or a day in a heading. A single word names a user."""
    if is_link and len(text) >= LEAST_TITLE and (" " in text.strip() or CJK.search(text)):
        return True
    return tag in HEADINGS and _DAY.fullmatch(text.strip()) is not None


def _link_around(dom: Dom, block: int, heading: str) -> str | None:
    """The address of the link that is (nearly) all of a heading, or of a card that holds it."""
    first = bisect_left(dom.link_blocks, block - 1)
    for link in range(first, min(first + MAX_LINKS, bisect_left(dom.link_blocks, block + 1))):
        node = dom.link_nodes[link]
        text = " ".join((node.text_lexbor() or "")[:MAX_TEXT].split())
        if text and ((2 * len(text) > len(heading) and text in heading) or heading in text):
            return node.attrs["href"] or None
    return None


def _link_over(dom: Dom, block: int, heading: str) -> str | None:
    """The address of a link without a text whose label repeats a heading before it: it lies over the whole card."""
    first = bisect_left(dom.link_blocks, block)
    for link in range(first, min(first + MAX_LINKS, bisect_left(dom.link_blocks, block + _CARD))):
        if dom.link_texts[link]:
            continue
        attributes = dom.link_nodes[link].attributes
        if heading in (attributes.get("aria-label") or attributes.get("title") or "")[:MAX_TEXT]:
            return attributes.get("href")
    return None


def leads_elsewhere(here: str, url: str) -> bool:
    """Whether an address is neither that of the page nor of one above it. Both are in normal form."""
    if "?" in url:
        return url != here
    above = _INDEX.sub("/", url).rstrip("/")
    return not (here.partition("?")[0].rstrip("/") + "/").startswith(above + "/")


@lru_cache(maxsize=20_000)
def look(hint: str) -> str:
    """The classes without digits."""
    return _DIGITS.sub("", hint.partition("#")[0])
