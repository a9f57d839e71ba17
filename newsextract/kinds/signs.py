"""What speaks for a page's kind: words of its URL, head, markup and short texts, and figures of how its text is spread.

Nothing is fetched and no network of `combined` is asked: tree and metadata are those that extraction reads anyway. Words
carry a letter that says where they stand (``c:cart`` in a class, ``s:add to cart`` a whole short text), so that the model
(:mod:`.judge`) can weigh each place for itself.

What separates an article from a list best is how the text is spread. A *run* is the text between two blocks that are mainly
a headline-like link: an article is one long run, a list is cut into even teasers. Beside every teaser, product or post
stand short texts of one shape ("3 hours ago", "Reply").

Cost: 0.65 of a plain lxml parse on modern pages, beside tree and metadata; the regression and its reasons 0.15.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from newsextract.discovery.scores import CJK
from newsextract.dom import Dom
from newsextract.fields.metadata import Metadata
from newsextract.kinds.excerpts import excerpts
from newsextract.kinds.marks import MARKS, marks
from newsextract.page import Page

_LATIN = re.compile("[a-z]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_CURRENCIES = "$€£¥₹"
_YEAR = re.compile(r"(?:19|20)\d\d")
_EDGES = " .:,!?()[]|•·-–»«→…"
_SHORT, _LINE, _PROSE, _HEADLINE = 30, 60, 80, 20
"""Characters: a text that is a sign as a whole, at most; one whose price or date counts, at most; prose, at least; a linked
text that may be a headline, at least."""
_MOST_HINTS, _MOST_TEXTS, _MOST_HEADINGS, _MOST_WORDS = 3_000, 5_000, 60, 30
_CJK_WIDTH = 2.5
"""Latin characters that a Chinese, Japanese or Korean one is worth: a translation needs about so many more."""
_LITTLE = 6.5
"""Natural logarithm of the characters of prose in one run (about 650) below which a page has little of it."""
_TEASER = (30, 800)
"""Characters between two headline-like links that make a teaser."""
_REPEATED = 3
"""Elements of one look under one parent from which on they are records."""
_RECORD = 60
"""Characters of the mean record that is more than an entry of a menu."""
_TEXT_TAGS = (
    "p", "li", "td", "th", "h1", "h2", "h3", "h4", "div", "dt", "dd", "pre", "section", "article", "blockquote", "summary",
    "label", "figcaption", "form",
)  # fmt: skip
_TAGS = (
    "article", "section", "ul", "ol", "table", "form", "pre", "figure", "nav", "aside", "main", "details", "blockquote",
    "dl",
)  # fmt: skip
_AMOUNTS = (
    "blocks", "text", "links", "paragraphs", "mean_paragraph", "longest", "block_length", "link_density", "runs",
    "longest_run", "prices", "dates", "hidden", "headline_count", "pager",
    "level1", "level2", "level3", "level4", "records", "record_length", "rows", "row_length",
)  # fmt: skip
FIGURES = (
    *_AMOUNTS,
    *(f"blocks_{tag}" for tag in _TEXT_TAGS),
    *(f"elements_{tag}" for tag in _TAGS),
    *("link_share", "prose_share", "even_runs", "record_share", "row_share"),
    *(f"text_{tag}" for tag in _TEXT_TAGS),
    *("little_prose", "no_prose", "headlines_over_prose", "teasers_only", "headlines_only", "teased", "one_teaser"),
    *MARKS,
)
"""Names of the figures, in order: amounts by their logarithm, shares of the page's characters, what speaks for lists, and
the marks of :mod:`.marks`."""


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """What speaks for a page's kind."""

    words: frozenset[str]
    figures: NDArray[np.float64]
    """Those of :data:`FIGURES`."""

    def named(self) -> dict[str, float]:
        """The figures by name."""
        return dict(zip(FIGURES, self.figures.tolist(), strict=True))


def signs(page: Page) -> Signs:
    """The signs of a page that has text."""
    dom, metadata = page.dom, page.metadata
    words = _body_words(dom).union(_url_words(page.url or ""), _head_words(metadata))
    width = _width(dom)
    listed = (*_figures(dom, width), *excerpts(page, _PROSE / width), *marks(page, width))
    return Signs(frozenset(words), np.asarray(listed, dtype=np.float64))


def _width(dom: Dom) -> float:
    """Latin characters that a character of this page is worth, from its longest blocks."""
    floor = max(dom.counts, default=0) // 4
    sample = "".join([text[:100] for text, count in zip(dom.texts, dom.counts, strict=True) if count > floor][:10])
    if not sample or sample.isascii():
        return 1.0
    return 1.0 + (_CJK_WIDTH - 1.0) * len(CJK.findall(sample)) / len(sample)


def _url_words(url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url.lower())
    except ValueError:  # not a valid URL
        return
    for label in (parts.hostname or "").split(".")[:-1]:
        yield from (f"h:{word}" for word in _LATIN.findall(label))
    steps = [step for step in parts.path.split("/") if step][:20]
    yield f"depth:{min(len(steps), 5)}"
    for step in steps[:-1]:
        yield f"u:{step[:30]}"
        yield from (f"u:{word}" for word in _LATIN.findall(step)[:6])
    if steps:
        found = _LATIN.findall(steps[-1])[:_MOST_WORDS]
        yield f"words:{min(len(found), 7)}"
        yield from (f"l:{word}" for word in found[:12])
        if re.search(r"\d{4}", steps[-1]):
            yield "number:last"
    for pair in parts.query.split("&")[:10]:
        yield f"q:{pair.partition('=')[0][:20]}"


def _head_words(metadata: Metadata) -> Iterator[str]:
    for thing in metadata.json_ld[:50]:
        stated = thing.get("@type")
        for name in (stated if isinstance(stated, list) else [stated])[:5]:
            if isinstance(name, str):
                yield f"y:{name.lower()[-40:]}"
    yield f"o:{(metadata.first('og:type') or '').lower()[:30]}"
    yield from (f"g:{word}" for word in _LATIN.findall((metadata.first("generator") or "").lower()[:60])[:2])
    yield from (f"d:{name[:40]}" for name in metadata.meta)
    yield from (f"t:{word}" for word in _LETTERS.findall((metadata.title or "").lower()[:200]))


def _body_words(dom: Dom) -> set[str]:
    words: set[str] = set()
    words.update(*map(_hint_words, list(dict.fromkeys(dom.hints))[:_MOST_HINTS]))
    for heading in dom.headings[:_MOST_HEADINGS]:
        place = "1" if heading.level == 1 else "e"
        words.update(f"{place}:{word}" for word in _LETTERS.findall(heading.text[:120].lower())[:15])
    short = "\n".join(dict.fromkeys([text for text in dom.texts[:_MOST_TEXTS] if len(text) <= _SHORT])).lower()
    words.update(["s:" + text.strip(_EDGES) for text in _DIGITS.sub("0", short).split("\n")])
    return words


@lru_cache(maxsize=20_000)
def _hint_words(hint: str) -> tuple[str, ...]:
    """The words in class and id; kept, because pages share them."""
    return tuple(f"c:{word}" for word in _LATIN.findall(hint[:300])[:_MOST_WORDS] if 2 < len(word) < 20)


@lru_cache(maxsize=20_000)
def _look(hint: str) -> str:
    """The classes without digits."""
    return _DIGITS.sub("", hint.partition("#")[0])


def _figures(dom: Dom, width: float) -> NDArray[np.float64]:
    counts = np.asarray(dom.counts, dtype=np.float64) * width
    linked = np.asarray(dom.link_counts, dtype=np.float64) * width
    sizes = counts + linked
    text, every = float(counts.sum()) + 1, float(sizes.sum()) + 1
    links = float(sum(dom.links))
    prose = (counts >= _PROSE) & (counts > 2 * linked)
    headlines = (linked >= _HEADLINE) & (2 * linked > sizes)
    run_of = np.cumsum(headlines)
    runs, prose_runs = np.bincount(run_of, counts), np.bincount(run_of, counts * prose)
    squares = float((runs**2).sum())
    titles = {dom.texts[block] for block in np.flatnonzero(headlines).tolist()}
    lines = "\n".join([found for found in dom.texts if len(found) < _LINE]).lower()
    levels = Counter(heading.level for heading in dom.headings)
    tags = [dom.tags[element] for element in dom.elements]
    blocks, elements = Counter(tags), Counter(dom.tags)
    held = dict.fromkeys(_TEXT_TAGS, 0.0)
    for tag, count in zip(tags, dom.counts, strict=True):
        if tag in held:
            held[tag] += count * width
    records = _records(dom)
    leaves = zip(dom.leaf_texts, dom.leaf_linked, strict=True)
    amounts = (
        *(len(counts), text - 1, links, prose.sum(), counts[prose].mean() if prose.any() else 0.0, counts.max(initial=0.0)),
        *(text / (len(counts) + 1), 1_000 * links / every, headlines.sum(), runs.max(initial=0.0)),
        *(sum(map(lines.count, _CURRENCIES)), len(_YEAR.findall(lines)) + lines.count(" ago")),
        *(len(dom.hidden), len(titles)),
        sum([is_link and len(found) < 4 and found.isdigit() for found, is_link in leaves]),
        *(levels[level] for level in (1, 2, 3, 4)),
        *(figure for number, size in records for figure in (number, size / max(1, number))),
        *(blocks[tag] for tag in _TEXT_TAGS),
        *(elements[tag] for tag in _TAGS),
    )
    shares = (
        linked.sum() / every,
        counts[prose].sum() / text,
        np.log(max(1.0, (text - 1) ** 2 / squares)) if squares else 0.0,  # 0: all text in one run
        *(size * width / every for _, size in records),
        *(held[tag] / text for tag in _TEXT_TAGS),
    )
    little = max(0.0, _LITTLE - float(np.log1p(prose_runs.max(initial=0.0))))
    teasers = ((runs[:-1] >= _TEASER[0]) & (runs[:-1] <= _TEASER[1])).sum()
    lists = (
        little,
        float(not prose.any()),
        np.log((200 + sum(map(len, titles)) * width) / (200 + counts[prose].sum())),
        min(1.0, little) * np.log1p(teasers),
        min(1.0, little) * np.log1p(min(len(titles), 20)),
    )
    return np.concatenate((np.log1p(np.asarray(amounts, dtype=np.float64)), shares, lists))


def _records(dom: Dom) -> tuple[tuple[int, int], tuple[int, int]]:
    """Elements that look alike under one parent, their number and characters: those with the most text, and those that are
    most."""
    sums = dom.count_sums + dom.link_count_sums
    sizes = sums[np.asarray(dom.end_blocks, dtype=np.intp)] - sums[np.asarray(dom.first_blocks, dtype=np.intp)]
    parents = np.asarray(dom.parents, dtype=np.intp)
    with_text = np.flatnonzero((sizes > 0) & (parents >= 0))
    children = np.bincount(parents[with_text], minlength=len(parents))
    groups: dict[tuple[int, str, str], list[int]] = {}
    for element in with_text[children[parents[with_text]] >= _REPEATED].tolist():
        tag = dom.tags[element]
        if tag not in ("p", "td", "tr"):
            group = groups.setdefault((dom.parents[element], tag, _look(dom.hints[element][:300])), [0, 0])
            group[0] += 1
            group[1] += int(sizes[element])
    alike = [(number, size) for number, size in groups.values() if number >= _REPEATED]
    largest = max(alike, key=lambda group: (group[1], group[0]), default=(0, 0))
    return largest, max((group for group in alike if group[1] > _RECORD * group[0]), default=(0, 0))
