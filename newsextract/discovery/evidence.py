"""What the source scan, the metadata and the address say about a page's kind, as numbers.

What separates the kinds best is how the text is spread. A *run* is the text between two blocks that are
mainly a headline-like link: an article is one long run, a listing is cut into even teasers. Beside every
teaser, product or post stand short texts of one shape ("3 hours ago", "Reply"), so repeated shapes speak for
a list in any language.

Cost: one pass over the links and one over the blocks.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from newsextract.discovery.scores import CJK, address_score
from newsextract.page import Page
from newsextract.source import Source

HEADLINE = 25
"""Characters that a link text must have to be headline-like, CJK ones counted by :data:`CJK_WIDTH`."""
CJK_WIDTH = 2.5
"""Latin characters that a Chinese, Japanese or Korean one is worth: a translation needs about so many
more."""
PROSE = 80
"""Characters outside links from which on a block is prose."""
LITTLE = 6.5
"""Natural logarithm of the characters of prose in one run (about 650) below which a page has little of it. On
folds 1-4 of the bench 8 % of the articles have less, and 70 % of the other pages."""
TEASER = (30, 800)
"""Characters between two headline-like links that make a teaser."""
_SHAPE = 40
"""Characters that a block may have to count as the repeated companion of a record."""
_DIGITS = str.maketrans("123456789", "000000000")
_EDGES = " 0:：#()（）,.•|·"


@cache
def _marks() -> Mapping[str, frozenset[str]]:
    data = tomllib.loads(files(__package__).joinpath("data/marks.toml").read_text("utf-8"))
    return {name: frozenset(words) for name, words in data.items()}


def evidence(page: Page) -> dict[str, float]:
    """The features of ``data/kind.json``, and besides ``headline_count`` (distinct headline-like links) and
    ``characters`` (of text, links included)."""
    marks = _marks()
    width = _width(page.source)
    return {
        "characters": float(page.source.length),
        **_spread(page.source, width),
        **_repeated(page.source, marks["thread"]),
        **_address(page.url, marks),
        **_titles(page, marks, HEADLINE / width),
        **_declared(page, marks),
    }


def _width(source: Source) -> float:
    """Latin characters that a character of this page is worth, from its longest blocks."""
    texts, counts = source.texts, source.counts
    floor = max(counts, default=0) // 4
    sample = "".join([text[:100] for text, count in zip(texts, counts, strict=True) if count > floor][:10])
    if not sample or sample.isascii():
        return 1.0
    return 1.0 + (CJK_WIDTH - 1.0) * len(CJK.findall(sample)) / len(sample)


def _spread(source: Source, width: float) -> dict[str, float]:
    headline = HEADLINE / width
    targets: set[str] = set()
    titled: set[int] = set()
    linked = pager = 0
    for link in source.links:
        length = len(link.text)
        if length >= headline:
            titled.add(link.block)
            if link.href not in targets:
                targets.add(link.href)
                linked += length
        elif length < 4 and link.text.isdigit():
            pager += 1
    prose = longest_prose = run_prose = 0
    run = total = squares = teasers = 0
    for block, count in enumerate(source.counts):
        if block in titled and 2 * source.link_counts[block] > count:
            squares += run * run
            teasers += TEASER[0] <= run * width <= TEASER[1]
            longest_prose = max(longest_prose, run_prose)
            run = run_prose = 0
        elif count:
            run += count
            total += count
            if count * width >= PROSE and count > 2 * source.link_counts[block]:
                prose += count
                run_prose += count
    squares += run * run
    longest_prose = max(longest_prose, run_prose)
    little = max(0.0, LITTLE - math.log1p(longest_prose * width))
    return {
        # 0: all text in one run; the logarithm of n: in n even runs (inverse Simpson index).
        "even_runs": math.log(total * total / squares) if squares else 0.0,
        "little_prose": little,
        "headlines_over_prose": math.log((200 + linked * width) / (200 + prose * width)),
        "teasers_only": min(1.0, little) * math.log1p(teasers),
        "headlines_only": min(1.0, little) * math.log1p(min(len(targets), 20)),
        "pager": math.log1p(min(pager, 20)),
        "headline_count": float(len(targets)),
    }


def _repeated(source: Source, words: frozenset[str]) -> dict[str, float]:
    """Short blocks of one shape, digits apart, that are mainly no link; and those that a forum puts beside
    posts."""
    shapes: dict[str, int] = {}
    for text, count in zip(source.texts, source.counts, strict=True):
        if count and len(text) < _SHAPE and 2 * count > len(text):
            shape = text.translate(_DIGITS)
            shapes[shape] = shapes.get(shape, 0) + 1
    repeated = thread = 0
    for shape, times in shapes.items():
        if times > 1:
            repeated += times if times > 2 else 0
            if shape.lower().strip(_EDGES) in words:
                thread += times
    return {"repeated": math.log1p(repeated), "thread_marks": math.log1p(min(50, thread))}


def _address(url: str | None, marks: Mapping[str, frozenset[str]]) -> dict[str, float]:
    path, _, query = (url or "").lower().partition("?")
    segments = [segment for segment in path.split("/")[3:] if segment]
    names = {pair.partition("=")[0] for pair in query.split("&")}
    searched = bool(names & marks["search_parameters"]) or not marks["search_paths"].isdisjoint(segments)
    return {
        "address": address_score(url) if url else 0.0,
        "home": float(bool(url) and not segments and not query),
        "search_address": float(searched),
        "thread_address": float(not marks["thread_paths"].isdisjoint(segments)),
    }


def _titles(page: Page, marks: Mapping[str, frozenset[str]], headline: float) -> dict[str, float]:
    title = (page.metadata.title or "").lower()[:300]
    headings = [(h.level, h.text[:200].lower()) for h in page.source.headings[:100] if h.level <= 3]
    tops = [title, *(text for level, text in headings if level == 1)][:4]
    return {
        "search_title": float(_any_in(marks["search_titles"], tops)),
        "error_title": float(_any_in(marks["error_titles"], tops[:2])),
        "login_title": float(len(title) < 40 and _any_in(marks["login_titles"], [title])),
        "title_in_heading": float(any(len(text) >= 0.9 * headline and text[:60] in title for _, text in headings)),
    }


def _any_in(words: frozenset[str], texts: Iterable[str]) -> bool:
    return any(word in text for text in texts for word in words)


def _declared(page: Page, marks: Mapping[str, frozenset[str]]) -> dict[str, float]:
    types: list[str] = []
    for thing in page.metadata.json_ld[:50]:
        kind = thing.get("@type")
        types += [t.lower() for t in (kind if isinstance(kind, list) else [kind])[:5] if isinstance(t, str)]
    articles = sum(t.endswith(("article", "blogposting")) for t in types)
    lists = not marks["listing_types"].isdisjoint(types)
    og = (page.metadata.first("og:type") or "").lower()
    maker = (page.metadata.first("generator") or "").lower()[:200]
    return {
        "says_article": float((articles in (1, 2) and not lists) or "article" in og),
        # The items of a list are articles, too: several of them make no article page.
        "says_listing": float(lists or articles > 2),
        "thread_software": float(any(name in maker for name in marks["thread_software"])),
    }
