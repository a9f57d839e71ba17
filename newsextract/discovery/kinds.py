"""Which kind a page is: article, documentation, service, forum, collection, listing, product, or none of them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import compress
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from newsextract.discovery.excerpts import EDGES, PROSE, excerpts, look
from newsextract.discovery.links import address_score, archive_group
from newsextract.errors import DataError
from newsextract.model_files import ModelKind, data_table, read, write
from newsextract.page.dom import Dom
from newsextract.page.metadata import Metadata
from newsextract.page.page import Page
from newsextract.urls import normalize

# --- kind signs -----------------------------------------------------------------------------------
# What speaks for a page's kind: words of its URL, head, markup and short texts, each with a letter that says where it stands
# (``c:cart`` in a class, ``s:add to cart`` a whole short text), and figures of how its text is spread.
#
# What separates an article from a list best is how the text is spread. A *run* is the text between two blocks that are
# mainly a headline-like link: an article is one long run, a list is cut into even teasers. Beside every teaser, product or
# post stand short texts of one shape ("3 hours ago", "Reply").


# --- marks ----------------------------------------------------------------------------------------
# What URL, titles, declared types and repeated short texts say, as numbers of 0 and more; words: ``data/marks.toml``.

MARKS = (
    "repeated", "thread_marks", "address", "home", "search_address", "thread_address", "archive_address", "search_title",
    "error_title", "login_title", "title_in_heading", "says_article", "says_listing", "thread_software",
)  # fmt: skip
"""Names of the marks, in order."""
_SHAPE = 40
"""Characters that a block may have to count as the repeated companion of a record."""
_HEADLINE_LENGTH = 22
"""Characters of a heading that repeats the page's title."""
_MARKED = {name: frozenset(words) for name, words in data_table("discovery/data/marks.toml").items()}
_FOLDED_DIGITS = str.maketrans("123456789", "000000000")
_LABEL_EDGES = " 0:：#()（）,.•|·"


def marks(page: Page, width: float) -> tuple[float, ...]:
    """Those of :data:`MARKS`; ``width``: Latin characters that a character of this page is worth."""
    return *_repeated(page.dom), *_address(page.url), *_titles(page, _HEADLINE_LENGTH / width), *_declared(page)


def _repeated(dom: Dom) -> tuple[float, float]:
    """Short blocks of one shape, digits apart, that are mainly no link; and those that a forum puts beside posts."""
    columns = zip(dom.texts, dom.counts, strict=True)
    short = [text for text, count in columns if count and len(text) < _SHAPE and 2 * count > len(text)]
    repeated = thread = 0
    for shape, times in Counter("\0".join(short).translate(_FOLDED_DIGITS).split("\0")).items():
        if times > 1 and shape:
            repeated += times if times > 2 else 0
            if shape.lower().strip(_LABEL_EDGES) in _MARKED["thread"]:
                thread += times
    return math.log1p(repeated), math.log1p(min(50, thread))


def _address(given: str | None) -> tuple[float, ...]:
    url = normalize(given) if given else None
    if url is None:
        return (0.0,) * 5
    path, _, query = url.lower().partition("?")
    segments = [segment for segment in path.split("/")[3:] if segment]
    names = {pair.partition("=")[0] for pair in query.split("&")}
    searched = bool(names & _MARKED["search_parameters"]) or not _MARKED["search_paths"].isdisjoint(segments)
    return (
        address_score(url),
        float(not segments and not query),
        float(searched),
        float(not _MARKED["thread_paths"].isdisjoint(segments)),
        float(archive_group(url) is not None),
    )


def _titles(page: Page, headline: float) -> tuple[float, ...]:
    title = (page.metadata.title or "").lower()[:300]
    headings = [(h.level, h.text[:200].lower()) for h in page.dom.headings[:100] if h.level <= 3]
    tops = [title, *(text for level, text in headings if level == 1)][:4]
    return (
        float(_any_in("search_titles", tops)),
        float(_any_in("error_titles", tops[:2])),
        float(len(title) < 40 and _any_in("login_titles", [title])),
        float(any(len(text) >= headline and text[:60] in title for _, text in headings)),
    )


def _any_in(name: str, texts: Iterable[str]) -> bool:
    return any(word in text for text in texts for word in _MARKED[name])


def _types(metadata: Metadata) -> list[str]:
    """The types of the things that a page declares."""
    stated = [thing.get("@type") for thing in metadata.json_ld[:50]]
    return [t.lower() for kind in stated for t in (kind if isinstance(kind, list) else [kind])[:5] if isinstance(t, str)]


def _declared(page: Page) -> tuple[float, ...]:
    types = _types(page.metadata)
    articles = sum(t.endswith(("article", "blogposting")) for t in types)
    lists = not _MARKED["listing_types"].isdisjoint(types)
    og = (page.metadata.first("og:type") or "").lower()
    maker = (page.metadata.first("generator") or "").lower()[:200]
    return (
        float((articles in (1, 2) and not lists) or "article" in og),
        float(lists or articles > 2),  # the items of a list are articles, too: several of them make no article page
        float(any(name in maker for name in _MARKED["thread_software"])),
    )


# --- signs ----------------------------------------------------------------------------------------

_LATIN = re.compile("[a-z]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_CURRENCIES = "$€£¥₹"
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHORT, _LINE, _HEADLINE = 30, 60, 20
"""Characters: a text that is a sign as a whole, at most; one whose price or date counts, at most; a linked text that may be
a headline, at least."""
_MOST_HINTS, _MOST_TEXTS, _MOST_HEADINGS, _MOST_WORDS = 3_000, 5_000, 60, 30
_CJK_WIDTH = 3.0
"""Latin characters that a Chinese, Japanese or Korean one is worth: a translation needs about so many more."""
_CJK_RANGES = ((0x3040, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7AF))
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
_TEXT_TAG_NUMBER = {tag: number for number, tag in enumerate(_TEXT_TAGS)}
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
the marks of *marks*."""


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
    words = _body_words(dom)
    words.update(_url_words(page.url or ""), _head_words(metadata))
    widths, counts = block_widths(dom), dom.counted[0]
    width = float((counts + 1) @ widths / (counts + 1).sum()) if len(counts) else 1.0
    listed = (*_figures(dom, widths, width), *excerpts(page, counts * widths), *marks(page, width))
    return Signs(frozenset(words), np.asarray(listed, dtype=np.float64))


def block_widths(dom: Dom) -> NDArray[np.float64]:
    """Latin characters that a character of each block is worth."""
    codes, starts = dom.characters.codes, dom.characters.starts
    if codes.max(initial=0) < _CJK_RANGES[0][0]:
        return np.ones(len(starts))
    is_wide = np.zeros(len(codes))
    for first, last in _CJK_RANGES:
        is_wide += (codes >= first) & (codes <= last)
    written = np.add.reduceat(codes > ord(" "), starts, dtype=np.float64)
    widths: NDArray[np.float64] = 1.0 + (_CJK_WIDTH - 1.0) * np.add.reduceat(is_wide, starts) / np.maximum(1.0, written)
    return widths


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
    yield from (f"y:{name[-40:]}" for name in _types(metadata))
    yield f"o:{(metadata.first('og:type') or '').lower()[:30]}"
    yield from (f"g:{word}" for word in _LATIN.findall((metadata.first("generator") or "").lower()[:60])[:2])
    yield from ["d:" + name[:40] for name in metadata.meta]
    yield from ["t:" + word for word in _LETTERS.findall((metadata.title or "").lower()[:200])]


def _body_words(dom: Dom) -> set[str]:
    words: set[str] = set().union(*map(_hint_words, dom.distinct_hints[:_MOST_HINTS]))
    for heading in dom.headings[:_MOST_HEADINGS]:
        place = "1:" if heading.level == 1 else "e:"
        words.update([place + word for word in _LETTERS.findall(heading.text[:120].lower())[:15]])
    short = "\n".join(dict.fromkeys([text for text in dom.texts[:_MOST_TEXTS] if len(text) <= _SHORT])).lower()
    words.update(["s:" + text.strip(EDGES) for text in _DIGITS.sub("0", short).split("\n")])
    return words


@lru_cache(maxsize=20_000)
def _hint_words(hint: str) -> tuple[str, ...]:
    """The words in class and id, with their letter; kept, because pages share them."""
    return tuple(["c:" + word for word in _LATIN.findall(hint[:300])[:_MOST_WORDS] if 2 < len(word) < 20])


def _figures(dom: Dom, widths: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    counts, linked = (column * widths for column in dom.counted)
    sizes = counts + linked
    text, every = float(counts.sum()) + 1, float(sizes.sum()) + 1
    links = float(sum(dom.links))
    prose = (counts >= PROSE) & (counts > 2 * linked)
    headlines = (linked >= _HEADLINE) & (2 * linked > sizes)
    run_of = np.cumsum(headlines)
    runs, prose_runs = np.bincount(run_of, counts), np.bincount(run_of, counts * prose)
    squares = float((runs**2).sum())
    written = counts[prose]
    titles = {dom.texts[block] for block in np.flatnonzero(headlines).tolist()}
    lines = "\n".join([found for found in dom.texts if len(found) < _LINE]).lower()
    levels = [heading.level for heading in dom.headings]
    tags, number_of, other = dom.tags, _TEXT_TAG_NUMBER.get, len(_TEXT_TAGS)
    kinds = np.array([number_of(tags[element], other) for element in dom.elements], dtype=np.intp)
    blocks = np.bincount(kinds, minlength=len(_TEXT_TAGS) + 1)[:-1]
    held = np.bincount(kinds, counts, len(_TEXT_TAGS) + 1)[:-1]
    records = _records(dom)
    amounts = (
        *(len(counts), text - 1, links, len(written), written.mean() if len(written) else 0.0, counts.max(initial=0.0)),
        *(text / (len(counts) + 1), 1_000 * links / every, headlines.sum(), runs.max(initial=0.0)),
        *(sum(map(lines.count, _CURRENCIES)), len(_YEAR.findall(lines)) + lines.count(" ago")),
        *(len(dom.hidden), len(titles)),
        sum([found.isdigit() for found in compress(dom.leaf_texts, dom.leaf_linked) if len(found) < 4]),
        *(levels.count(level) for level in (1, 2, 3, 4)),
        *(figure for number, size in records for figure in (number, size / max(1, number))),
        *blocks,
        *(len(dom.by_tag.get(tag, ())) for tag in _TAGS),
    )
    shares = (
        linked.sum() / every,
        written.sum() / text,
        math.log(max(1.0, (text - 1) ** 2 / squares)) if squares else 0.0,  # 0: all text in one run
        *(size * width / every for _, size in records),
        *(held / text),
    )
    little = max(0.0, _LITTLE - math.log1p(prose_runs.max(initial=0.0)))
    teasers = ((runs[:-1] >= _TEASER[0]) & (runs[:-1] <= _TEASER[1])).sum()
    lists = (
        little,
        float(not len(written)),
        math.log((200 + sum(map(len, titles)) * width) / (200 + written.sum())),
        min(1.0, little) * math.log1p(teasers),
        min(1.0, little) * math.log1p(min(len(titles), 20)),
    )
    return np.concatenate((np.log1p(np.asarray(amounts, dtype=np.float64)), shares, lists))


def _records(dom: Dom) -> tuple[tuple[int, int], tuple[int, int]]:
    """Elements that look alike under one parent, their number and characters: those with the most text, and those that are
    most."""
    sums = dom.count_sums + dom.link_count_sums
    first, end, parents = dom.bounds
    sizes = sums[end] - sums[first]
    with_text = np.flatnonzero((sizes > 0) & (parents >= 0))
    children = np.bincount(parents[with_text], minlength=len(parents))
    chosen = with_text[children[parents[with_text]] >= _REPEATED]
    tags, hints = dom.tags, dom.hints
    groups: dict[tuple[int, str, str], list[int]] = {}  # the sizes of each
    for element, parent, size in zip(chosen.tolist(), parents[chosen].tolist(), sizes[chosen].tolist(), strict=True):
        tag = tags[element]
        if tag not in ("p", "td", "tr"):
            groups.setdefault((parent, tag, look(hints[element][:300])), []).append(size)
    alike = [(len(group), sum(group)) for group in groups.values() if len(group) >= _REPEATED]
    largest = max(alike, key=lambda group: (group[1], group[0]), default=(0, 0))
    return largest, max((group for group in alike if group[1] > _RECORD * group[0]), default=(0, 0))


# --- judge ----------------------------------------------------------------------------------------
# A multinomial logistic regression over the signs above. Below a probability that costs 1.5 % of the articles a page is
# none, and its kind is then the most probable other one, or undecided below :data:`SURE`. Figures:
# docs/measurements/combined.md.

KindName = Literal["article", "documentation", "service", "forum", "collection", "listing", "product"]
KINDS: tuple[KindName, ...] = get_args(KindName)
SURE = 0.5
"""Least probability of a kind."""
LEAST_TEXT = 40
"""Characters of a page, links included, below which it is empty: a redirect, a frame set, an application's shell."""
LEAST_HEADLINES = 4
"""Headline-like links that make a page without an article a list."""
LEAST_REPEATED = 3
"""Repeated short texts that make a page without prose a list."""
_MOST_REASONS, _LEAST_PULL = 3, 0.1
"""Reasons that are given, and how much each must add to the odds."""
_LEAST_WORDS, _SCALE = 10, 6.0
"""Words count less on pages with many: the scale over the root of their number, of at least ten."""
_WIDEST = 3.0
"""Deviations from the mean, at most, that a figure may have."""
_MEND = "train one with: newsextract train kinds DIR… -o kinds.npz"
_FILE = ModelKind(
    "newsextract kinds model", 1, "model of page kinds", _MEND, {"kinds": list(KINDS), "figures": list(FIGURES)}
)
_PLACE = {name: place for place, name in enumerate(FIGURES)}
_EVIDENCE: Mapping[str, Mapping[str, Any]] = data_table("discovery/data/evidence.toml")
"""For people, and what is set by hand; by figure."""
_NO_LIST = ("error_title", "login_title", "thread_address", "thread_software")
_LIST = ("teased", "one_teaser", "archive_address", "search_address", "search_title")
_WORDS_OF = {
    "h": "host name with", "u": "URL with", "l": "URL with", "q": "URL parameter", "y": "JSON-LD type", "o": "og:type",
    "g": "made by", "d": "meta element", "c": "class or id with", "s": "short text",
}  # fmt: skip
"""What the letters of words mean, for reasons; a single word of a title or heading tells people nothing."""


@dataclass(frozen=True, slots=True)
class PageKind:
    """What kind of page it is."""

    kind: KindName | Literal["other"] | None
    """``other``: a log-in, an error page, or hardly any text. None: undecided."""
    confidence: float
    """The probability of the kind, or of the most probable one where it is undecided."""
    is_article: bool
    """False: the page is called no article."""
    leads_on: bool
    """Whether it is no article but a list of other pages."""
    probabilities: tuple[float, ...]
    """Of :data:`KINDS`."""
    reasons: tuple[str, ...] = ()
    """The evidence that weighed most, strongest first, for people."""

    @property
    def article(self) -> float:
        """The probability of an article."""
        return self.probabilities[0]

    @property
    def is_dead_end(self) -> bool:
        """Whether the page is neither an article nor a list of other pages."""
        return not (self.is_article or self.leads_on)

    @property
    def told(self) -> str:
        """All of it in words, as rejections have it."""
        name = self.kind or ("list of other pages" if self.leads_on else "undecided")
        return f"{name} ({self.confidence:.2f}): {', '.join(self.reasons)}"

    @property
    def doubt(self) -> str | None:
        """Why the page is no article, in words; None for an article."""
        return None if self.is_article else f"the page is no article: {self.told}"


@dataclass(frozen=True, slots=True, eq=False)
class KindModel:
    """The regression: a weight for each word, figure and kind."""

    words: Mapping[str, int]
    """The row of each word."""
    word_weights: NDArray[np.float32]
    figure_weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]
    least_article: float
    """Below this probability a page is no article."""

    def probabilities(self, found: Signs) -> NDArray[np.float64]:
        """Of :data:`KINDS`."""
        rows, weights, figures, by_hand = _weighed(self, found)
        odds = weights.sum(axis=0) * word_scale(len(rows))
        odds = odds + figures @ self.figure_weights + self.bias
        odds = odds + found.figures @ by_hand
        risen = np.exp(odds - odds.max(), dtype=np.float64)
        shares: NDArray[np.float64] = risen / risen.sum()
        return shares

    def reasons(self, found: Signs, kind: int, other: int) -> tuple[str, ...]:
        """The evidence that speaks most for one of :data:`KINDS` against another, in words."""
        rows, weights, figures, by_hand = _weighed(self, found)
        figures = figures * (self.figure_weights[:, kind] - self.figure_weights[:, other])
        pulls = (figures + found.figures * (by_hand[:, kind] - by_hand[:, other])).tolist()
        words = (weights[:, kind] - weights[:, other]) * word_scale(len(rows))
        names = _names(self)
        best: list[int] = np.argsort(-words, kind="stable")[: 4 * _MOST_REASONS].tolist()
        parts = [(-words[at], names[rows[at]].partition(":")) for at in best]
        # A single word of a title means nothing to people.
        said = [(pull, f"{_WORDS_OF[kind]} “{rest}”") for pull, (kind, _, rest) in parts if kind in _WORDS_OF and rest[1:]]
        for name, entry in _EVIDENCE.items():
            if pulls[place := _PLACE[name]] > _LEAST_PULL:
                is_low = found.figures[place] <= min(0.5, self.mean[place])
                said.append((-pulls[place], entry.get("low", "") if is_low else entry["text"]))
        strongest = sorted((pull, text) for pull, text in said if text and pull < -_LEAST_PULL)
        return tuple(dict.fromkeys(text for _, text in strongest))[:_MOST_REASONS]


@lru_cache(maxsize=1)
def _weighed(
    model: KindModel, found: Signs
) -> tuple[list[int], NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]:
    """A page's signs as a model weighs them: the rows of the words that have weights, these weights, the standard figures,
    and the weights of the figures by hand. Kept for the page that is judged, because its reasons ask again."""
    rows = sorted([row for row in map(model.words.get, found.words) if row is not None])
    return rows, model.word_weights[rows], standard(found.figures, model.mean, model.deviation), _by_hand(found)


@lru_cache(maxsize=2)
def _names(model: KindModel) -> tuple[str, ...]:
    """The words by row."""
    return tuple(model.words)


def _by_hand(found: Signs) -> NDArray[np.float64]:
    """What figures add to the odds of each kind beside what is fitted; nothing on a page that is declared as an article: one
    in four articles is not, and hardly a list is. At the URL of an archive one post under a linked title weighs as much as
    several."""
    weights: NDArray[np.float64] = _hand_set() * (1 - float(found.figures[_PLACE["says_article"]]))
    if found.figures[_PLACE["archive_address"]]:
        weights[_PLACE["one_teaser"]] = weights[_PLACE["teased"]]
    return weights


@cache
def _hand_set() -> NDArray[np.float64]:
    table = np.zeros((len(FIGURES), len(KINDS)))
    for name, entry in _EVIDENCE.items():
        for kind in entry.keys() & set(KINDS):
            table[_PLACE[name], KINDS.index(kind)] = entry[kind]
    return table


def word_scale(count: int) -> float:
    """What each of so many known words counts."""
    return _SCALE / float(np.sqrt(max(_LEAST_WORDS, count)))


def standard(figures: NDArray[Any], mean: NDArray[Any], deviation: NDArray[Any]) -> NDArray[np.float64]:
    """Figures in half deviations from their mean, far ones drawn in."""
    found: NDArray[np.float64] = np.maximum(np.minimum((figures - mean) / deviation, _WIDEST), -_WIDEST) / 2  # as np.clip
    return found


def judge_kind(page: Page, model: KindModel | None = None) -> PageKind:
    """Judge the kind of a page; never raises. :attr:`newsextract.page.page.Page.kind` keeps what the shipped model says.

    :param model: None for the shipped one.
    """
    own = model or load()
    found = signs(page)
    figures = found.named()
    if page.dom.length < LEAST_TEXT and not figures["says_article"]:
        return PageKind("other", 0.9, False, False, (0.1, *[0.15] * (len(KINDS) - 1)), ("hardly any text",))
    judged_kind = judged(own.probabilities(found), own.least_article, figures)
    likely = 1 + int(np.argmax(judged_kind.probabilities[1:]))
    best, other = (0, likely) if judged_kind.is_article else (likely, 0)
    return replace(judged_kind, reasons=own.reasons(found, best, other))


def judged(probabilities: NDArray[np.float64], least_article: float, figures: Mapping[str, float]) -> PageKind:
    """The kind that probabilities of :data:`KINDS` speak for."""
    is_article = bool(probabilities[0] >= least_article)
    best = 0 if is_article else 1 + int(np.argmax(probabilities[1:]))
    sure, listed = float(probabilities[best]), tuple(probabilities.tolist())
    if not is_article and (figures["error_title"] or figures["login_title"]):
        return PageKind("other", round(1 - listed[0], 4), False, False, listed)
    kind = KINDS[best] if sure >= SURE else None
    leads_on = not is_article and (kind in ("listing", "collection") or _is_list(figures))
    return PageKind(kind, round(sure if kind else max(listed), 4), is_article, leads_on, listed)


def _is_list(figures: Mapping[str, float]) -> bool:
    """Whether a page that is no article leads on, whatever its kind: a board of a forum, the home page of a service."""
    if any(figures[name] for name in _NO_LIST):
        return False
    if any(figures[name] for name in _LIST):
        return True
    # Or a bare list: titles of any length, and beside each at most something of one shape, such as its date.
    bare = figures["no_prose"] > 0 and (figures["repeated"] >= np.log1p(LEAST_REPEATED) or figures["link_share"] > 0.5)
    return bool(figures["headline_count"] >= np.log1p(LEAST_HEADLINES) or bare)


def _shapes(words: int) -> dict[str, tuple[int, ...]]:
    """The arrays of a model."""
    figures, kinds = len(FIGURES), len(KINDS)
    weights = {"word_weights": (words, kinds), "figure_weights": (figures, kinds), "bias": (kinds,)}
    return weights | {"mean": (figures,), "deviation": (figures,)}


@lru_cache(maxsize=2)
def load(path: Path | None = None) -> KindModel:
    """A model from a file, or the shipped one.

    :raises DataError: the file is missing, damaged, or of another kind, version or set of figures.
    """
    arrays, card = read(_FILE, path, "models/kinds.npz")
    name = str(path or "models/kinds.npz")
    listed = arrays.pop("words", None)
    if listed is None or listed.dtype != np.uint8 or listed.ndim != 1:
        raise DataError(f"{name}: the array words is missing or damaged; {_MEND}")
    words = listed.tobytes().decode("utf-8", "replace").split("\n")
    shapes = _shapes(len(words))
    for key, shape in shapes.items():
        array = arrays.get(key)
        if array is None or array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            raise DataError(f"{name}: the array {key} is missing or damaged; expected {shape} finite numbers; {_MEND}")
    least = card.get("least_article")
    if not isinstance(least, float) or not 0 < least < 1 or (arrays["deviation"] <= 0).any():
        raise DataError(f"{name}: least_article or a deviation is no positive number; {_MEND}")
    known = {word: row for row, word in enumerate(words)}
    return KindModel(known, **{key: arrays[key] for key in shapes}, least_article=least)


def save(path: Path, model: KindModel, card: Mapping[str, Any]) -> None:
    """Write a model file. The same model and card make the same bytes.

    :raises DataError: it cannot be written.
    """
    words = np.frombuffer("\n".join(model.words).encode(), dtype=np.uint8)
    arrays = {"words": words, **{name: getattr(model, name) for name in _shapes(len(model.words))}}
    write(_FILE, path, arrays, {**card, "least_article": model.least_article})
