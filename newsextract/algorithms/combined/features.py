"""A page's blocks as a matrix: what `combined` knows of each, and which blocks belong together.

The features take up what the five papers know: lengths of blocks (Zou & Zhong), tag paths and their periods (Hou & Yang),
densities and place (Wang & Cao), and beside them the markup's words, the best container, and the headline.

Cost: 0.7 of a plain lxml parse (0.2 of it the likeness to the title), measured in a loop; 0.85 between other work.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.phrases import block_phrases, phrase_names
from newsextract.discovery.excerpts import look
from newsextract.page.dom import Characters, Dom

# --- element features -----------------------------------------------------------------------------
# What each block element passes on to its blocks: ancestors, words of class and id, depth, and its tag path.
#
# All of it is the same for elements of one *class path*, the tags with classes (without digits) and the
# kinds of words in class and id from the root down to the element. So one loop numbers the class paths of the elements that
# hold text, and what follows from them is worked out once for each.

ANCESTORS = tuple("ul ol dl table p article main section aside nav header footer form figure blockquote pre td li".split())
_ANCESTOR_BIT = {tag: 1 << i for i, tag in enumerate(ANCESTORS)}
_WORD = re.compile("[a-z]+")
_MAX_HINT = 500
"""Characters of class and id that are read."""


@dataclass(frozen=True, slots=True, eq=False)
class ElementColumns:
    """One entry for each element of the tree; elements without text have no figures."""

    class_paths: NDArray[np.intp]
    """The number of its class path."""
    hidden: NDArray[np.bool_]
    """Whether it or an ancestor is hidden."""
    paths: ClassPaths


class ClassPaths:
    """One entry a class path of a page."""

    def __init__(self, steps: Iterable[tuple[int, str, str, int]]) -> None:
        """:param steps: of each class path the path above (-1: none) and its last step: tag, classes, kinds of words."""
        self.parents: list[int] = []
        """The class path without its last step; of the first, itself."""
        self.tags: list[str] = []
        self.ancestors: list[int] = []
        """Bits of :data:`ANCESTORS`, the last step included."""
        self.own: list[int] = []
        """Bits of the kinds of words (:func:`kinds`) in the last step's class and id."""
        self.inherited: list[int] = []
        """The same of all steps."""
        self.depths: list[int] = []
        self.tag_paths: list[int] = []
        """Equal numbers, equal tags."""
        numbers: dict[tuple[int, str], int] = {}
        parents, ancestors, inherited, depths, tag_paths = (
            self.parents, self.ancestors, self.inherited, self.depths, self.tag_paths,
        )  # fmt: skip
        for number, (above, tag, _, bits) in enumerate(steps):
            bit = _ANCESTOR_BIT.get(tag, 0)
            self.tags.append(tag)
            self.own.append(bits)
            parents.append(above if above >= 0 else number)
            ancestors.append(bit | (ancestors[above] if above >= 0 else 0))
            inherited.append(bits | (inherited[above] if above >= 0 else 0))
            depths.append(depths[above] + 1 if above >= 0 else 0)
            tag_paths.append(numbers.setdefault((tag_paths[above] if above >= 0 else -1, tag), len(numbers)))


@lru_cache(maxsize=2)  # the rules that complete a text ask again
def element_columns(dom: Dom) -> ElementColumns:
    """Walk down the elements once."""
    numbers: dict[tuple[int, str, str, int], int] = {}
    as_written: dict[tuple[int, str, str], int] = {}  # most elements are written like one before them
    class_paths = [0] * len(dom.tags)
    rows = zip(dom.tags, dom.hints, dom.parents, dom.first_blocks, dom.end_blocks, strict=True)
    for element, (tag, hint, parent, first, end) in enumerate(rows):
        if first == end:
            continue
        above = class_paths[parent] if parent >= 0 else -1
        if element <= 1:
            hint = ""  # html and body speak of the page
        written = (above, tag, hint)
        number = as_written.get(written)
        if number is None:
            classes, bits = _read(hint[:_MAX_HINT]) if hint else ("", 0)
            number = as_written[written] = numbers.setdefault((above, tag, classes, bits), len(numbers))
        class_paths[element] = number
    hidden = np.zeros(len(dom.tags), dtype=np.bool_)
    for element in dom.hidden:
        hidden[element : dom.ends[element]] = True
    return ElementColumns(np.array(class_paths, dtype=np.intp), hidden, ClassPaths(numbers))


def kinds() -> tuple[str, ...]:
    """The kinds of words that are looked for in class and id."""
    return _words()[0]


@lru_cache(maxsize=20_000)
def _read(hint: str) -> tuple[str, int]:
    """The classes without digits, and the kinds of words in class and id; kept, because pages share them.

    Numbers count like elements (``story-6``, ``id="p-17"``): with them each paragraph would be a group of its own.
    """
    bits = 0
    for word in _WORD.findall(hint):
        bits |= _word_bits(word)
    return look(hint), bits


@lru_cache(maxsize=20_000)
def _word_bits(word: str) -> int:
    _, words, beginnings = _words()
    bits = words.get(word, 0)
    for beginning, bit in beginnings:
        if word.startswith(beginning):
            bits |= bit
    return bits


@lru_cache(maxsize=1)
def _words() -> tuple[tuple[str, ...], dict[str, int], tuple[tuple[str, int], ...]]:
    """Kinds, the bits of whole words, and of beginnings (written with a star)."""
    source = resources.files("newsextract").joinpath("data/class_words.toml").read_text("utf-8")
    data: dict[str, list[str]] = tomllib.loads(source)
    words: dict[str, int] = {}
    beginnings: list[tuple[str, int]] = []
    for i, listed in enumerate(data.values()):
        for word in listed:
            if word.endswith("*"):
                beginnings.append((word[:-1], 1 << i))
            else:
                words[word] = words.get(word, 0) | 1 << i
    return tuple(data), words, tuple(beginnings)


# --- group features -------------------------------------------------------------------------------
# What the blocks of a group say together: those of one parent element, one grandparent, one tag path, one path with class.
#
# Text sums per path and container are what carries most (docs/measurements/combined.md); here every group gives the same ten
# figures. All groupings are worked out together: on a few hundred blocks each call of numpy costs as much as its work.

NAMES = ("share", "blocks", "link_share", "links", "mean", "own", "relative", "weight", "dense", "within")


def group_features(
    groupings: NDArray[np.intp],
    counts: NDArray[np.float64],
    totals: NDArray[np.float64],
    links: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float32]:
    """One row a block, the columns of :data:`NAMES` once for each grouping.

    :param groupings: for each grouping, the number of each block's group, from 0.
    :param counts: characters outside links.
    :param totals: characters.
    :param links: links and images.
    :param weights: of a block as a paragraph.
    """
    many, blocks = groupings.shape
    sizes = groupings.max(axis=1) + 1
    firsts = np.cumsum(sizes) - sizes
    groups = groupings + firsts[:, None]  # one behind the other, so that all are summed up at once
    flat, size = groups.ravel(), int(sizes.sum())

    def sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
        result: NDArray[np.float64] = np.bincount(flat, np.concatenate((values,) * many), size).astype(
            np.float64, copy=False
        )
        return result

    def relative(values: NDArray[np.float64]) -> NDArray[np.float64]:
        """To the largest of the same grouping."""
        result: NDArray[np.float64] = values / np.repeat(np.maximum.reduceat(values, firsts) + 1, sizes)
        return result

    number = np.maximum(np.bincount(flat, minlength=size), 1)
    text, weight = sums(counts), sums(weights)
    order = np.arange(blocks)
    first, last = np.zeros(size, dtype=np.intp), np.zeros(size, dtype=np.intp)
    first[groups[:, ::-1].ravel()] = np.concatenate((order[::-1],) * many)  # of equal groups the last assignment stays
    last[flat] = np.concatenate((order,) * many)
    span = last - first + 1
    per_group = np.empty((size, len(NAMES)), dtype=np.float32)
    per_group[:, 0] = text / (counts.sum() + 1)
    per_group[:, 1] = np.log1p(number)
    per_group[:, 2] = 1 - text / (sums(totals) + 1)
    per_group[:, 3] = np.minimum(2, sums(links) / (text + 10) * 10)
    per_group[:, 4] = np.log1p(text / number)
    per_group[:, 6] = relative(text)
    per_group[:, 7] = relative(weight)
    per_group[:, 8] = number / span
    columns = per_group[groups.T]
    columns[:, :, 5] = counts[:, None] / (text[groups.T] + 1)
    columns[:, :, 9] = (order[:, None] - first[groups.T]) / np.maximum(1, span - 1)[groups.T]
    result: NDArray[np.float32] = columns.reshape(blocks, -1)
    return result


# --- text features --------------------------------------------------------------------------------
# What each block's own text says: lengths, links, punctuation, first and last characters.
#
# The characters of the page are looked up in one table and counted with numpy: no loop over characters in Python.

TEXT_NAMES = (
    "length",
    "link_length",
    "link_share",
    "links",
    "links_a_character",
    "share",
    "log_share",
    "ends_sentence",
    "ends_colon",
    "begins_upper",
    "begins_digit",
    "begins_lower",
    "words",
    "commas",
    "sentences",
    "bars",
    "copyright",
    "early_colon",
    "lines",
    "quotes",
    "digits",
    "east_asian_page",
)
_LOGARITHMS = [
    TEXT_NAMES.index(name) for name in "length link_length links log_share words commas sentences bars lines".split()
]
"""Columns of which log(1 + x) is given."""
_EARLY = 40
"""A colon among so many first characters is early."""
_SHORT = 80
"""Digits are counted in shorter texts only: in long ones they say nothing."""

_NONE, _SPACE, _COMMA, _WESTERN_END, _EASTERN_END, _BAR, _COPYRIGHT, _EARLY_COLON, _LINE, _QUOTE, _DIGIT = range(11)
"""What is counted; a character is one of it at most."""
_COUNTED = 11
_CHARACTERS = {
    " ": _SPACE, "\n": _LINE, ",": _COMMA, "，": _COMMA, "、": _COMMA, ".": _WESTERN_END, "!": _WESTERN_END,
    "?": _WESTERN_END, "。": _EASTERN_END, "！": _EASTERN_END, "？": _EASTERN_END, "|": _BAR, "»": _BAR, "›": _BAR,
    "·": _BAR, "©": _COPYRIGHT, ":": _EARLY_COLON, "：": _EARLY_COLON, '"': _QUOTE, "“": _QUOTE, "「": _QUOTE,
}  # fmt: skip
_CLOSES, _CONTINUES, _UPPER, _LOWER, _BEGINS_DIGIT, _EAST_ASIAN = (1 << i for i in range(6))
"""What a text begins or ends with."""
_CONTINUING = ":：,，、"
_CLOSING = '.!?。！？…"”」』》;；'


def text_features(
    characters: Characters, counts: NDArray[np.float64], linked: NDArray[np.float64], links: NDArray[np.float64]
) -> NDArray[np.float32]:
    """One row a block, the columns of :data:`TEXT_NAMES`.

    :param counts: characters outside links; ``linked``: inside.
    :param links: links and images.
    """
    codes, starts, lengths = characters.codes, characters.starts, characters.lengths
    blocks = len(starts)
    share = counts / (counts.sum() + 1)
    edges = _edges().take(codes[starts], mode="clip"), _edges().take(codes[starts + lengths - 1], mode="clip")
    number = _numbers(codes, starts, lengths)
    short = lengths < _SHORT

    rows = np.empty((len(TEXT_NAMES), blocks), dtype=np.float32)
    rows[0] = counts
    rows[1] = linked
    rows[2] = linked / (counts + linked + 1)
    rows[3] = links
    rows[4] = np.minimum(2, links / (counts + 10) * 10)
    rows[5] = share
    rows[6] = 1000 * share
    rows[7] = edges[1] & _CLOSES != 0
    rows[8] = edges[1] & _CONTINUES != 0
    rows[9] = edges[0] & _UPPER != 0
    rows[10] = edges[0] & _BEGINS_DIGIT != 0
    rows[11] = edges[0] & _LOWER != 0
    rows[12] = number[_SPACE] + 1
    rows[13] = number[_COMMA]
    rows[14] = number[_WESTERN_END] + number[_EASTERN_END]
    rows[15] = number[_BAR] * short
    rows[16] = number[_COPYRIGHT] > 0
    rows[17] = number[_EARLY_COLON] > 0
    rows[18] = number[_LINE]
    rows[19] = number[_QUOTE] > 0
    rows[20] = np.minimum(1, number[_DIGIT] / (lengths + 1) * 5) * short
    rows[21] = np.count_nonzero(edges[0] & _EAST_ASIAN) / blocks
    rows[_LOGARITHMS] = np.log1p(rows[_LOGARITHMS])
    result: NDArray[np.float32] = rows.T
    return result


def _numbers(codes: NDArray[np.int32], starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """How many characters of each counted sort each block has; shape (sorts, blocks)."""
    sorts = _sorts().take(codes, mode="clip")
    special = np.flatnonzero(sorts != _NONE)
    what = sorts[special]
    where = np.repeat(np.arange(len(starts)), lengths)[special]
    before_space = sorts.take(special + 1, mode="clip") == _SPACE
    what[(what == _WESTERN_END) & ~before_space] = _NONE
    what[(what == _EARLY_COLON) & (special - starts[where] >= _EARLY)] = _NONE
    return np.bincount(where * _COUNTED + what, minlength=_COUNTED * len(starts)).reshape(-1, _COUNTED).T


@lru_cache(maxsize=1)
def _sorts() -> NDArray[np.uint8]:
    """What each character of the basic plane counts as; those beyond count as its last."""
    table = np.zeros(0x10000, dtype=np.uint8)
    table[_which(str.isdigit)] = _DIGIT
    for character, sort in _CHARACTERS.items():
        table[ord(character)] = sort
    return table


@lru_cache(maxsize=1)
def _edges() -> NDArray[np.uint8]:
    """What each character of the basic plane means at the beginning or end of a text."""
    table = np.zeros(0x10000, dtype=np.uint8)
    table[_which(str.isupper)] |= _UPPER
    table[_which(str.islower)] |= _LOWER
    table[_which(str.isdigit)] |= _BEGINS_DIGIT
    table[0x2E81:] |= _EAST_ASIAN
    for character in _CLOSING:
        table[ord(character)] |= _CLOSES
    for character in _CONTINUING:
        table[ord(character)] |= _CONTINUES
    return table


def _which(has: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Which characters of the basic plane have a property."""
    return np.fromiter(map(has, map(chr, range(0x10000))), dtype=np.bool_, count=0x10000)


# --- features -------------------------------------------------------------------------------------

_TAGS = tuple(
    "p div li td h1 h2 h3 h4 h5 h6 dd dt blockquote pre figcaption section article th caption address ul body".split()
)
_TAG_NUMBER = {tag: i for i, tag in enumerate(_TAGS)}
_ONE_HOT = np.eye(len(_TAGS) + 1, len(_TAGS), dtype=np.float32)
"""A row a tag; the last, of other tags, is 0."""
_GROUPS = ("path", "class_path", "parent", "grandparent")
PLACES = ("hidden", "depth", "place", "text_place", "all_place", "number", "number_from_end", "page_blocks", "page_text")
CONTAINERS = ("parent_score", "grandparent_score", "in_best", "around_best")
_HEADLINE = ("similar", "known", "distance", "before", "text_distance", "is")
_COMMAS = TEXT_NAMES.index("commas")
_NO_BLANKS = "\u2e80"
"""From here on languages are written without blanks: a headline is compared as a whole."""
_MAX_TITLE = 200
_DEEP = 40
"""Deeper blocks count as so deep: there is none on 99 % of the pages, and the network knows nothing of them."""


def names() -> tuple[str, ...]:
    """The columns of the matrix, in order."""
    return (
        *TEXT_NAMES,
        *phrase_names(),
        *(f"tag_{tag}" for tag in _TAGS),
        *(f"parent_tag_{tag}" for tag in _TAGS),
        *(f"in_{tag}" for tag in ANCESTORS),
        *(f"own_{kind}" for kind in kinds()),
        *(f"parent_{kind}" for kind in kinds()),
        *(f"inherited_{kind}" for kind in kinds()),
        *PLACES,
        *(f"{group}_{name}" for group in _GROUPS for name in NAMES),
        *CONTAINERS,
        *(f"headline_{name}" for name in _HEADLINE),
    )


@dataclass(frozen=True, slots=True, eq=False)
class BlockFeatures:
    """What the network reads."""

    matrix: NDArray[np.float32]
    """Shape (blocks, :func:`names`)."""
    parents: NDArray[np.intp]
    """The element above each block's; blocks with equal numbers are one group."""
    class_paths: NDArray[np.intp]
    """The tag path with classes of each block's element."""


def block_features(dom: Dom, title: str) -> BlockFeatures:
    """The features of a page with at least one block.

    :param title: what the page's head gives as its title; may be empty.
    """
    elements = np.asarray(dom.elements, dtype=np.intp)
    above = np.maximum(dom.bounds[2], 0)
    parents = above[elements]
    grandparents = above[parents]
    columns = element_columns(dom)
    class_paths = columns.class_paths[elements]
    counts, linked, links = (np.asarray(column, dtype=np.float64) for column in (*dom.counted, dom.links))
    totals = counts + linked
    texts = text_features(dom.characters, counts, linked, links)
    weights = np.where(counts >= 25, np.minimum(counts / 100, 3) + np.expm1(texts[:, _COMMAS]) + 1, 0.0) * (
        totals - counts < 0.5 * totals
    )
    tag_paths = np.array(columns.paths.tag_paths)[class_paths]
    groupings = np.stack((tag_paths, class_paths, parents, grandparents))
    tags = np.array([_TAG_NUMBER.get(tag, -1) for tag in columns.paths.tags])
    depths = np.array(columns.paths.depths)[class_paths]
    matrix = np.concatenate(
        (
            texts,
            block_phrases(dom),
            _path_features(columns.paths, tags)[class_paths],
            _places(columns.hidden[elements], depths, counts, totals),
            group_features(groupings, counts, totals, links, weights),
            _containers(dom, parents, grandparents, weights),
            _headline(dom, title[:_MAX_TITLE], tags[class_paths], totals),
        ),
        axis=1,
    )
    return BlockFeatures(matrix, parents, class_paths)


def _path_features(paths: ClassPaths, tags: NDArray[np.intp]) -> NDArray[np.float32]:
    """Tags, ancestors, and kinds of words of each class path, a row each."""
    above = np.array(paths.parents)
    own = np.array(paths.own)
    words = len(kinds())
    return np.concatenate(
        (
            _ONE_HOT[tags],
            _ONE_HOT[tags[above]],
            _bits(np.array(paths.ancestors), len(ANCESTORS)),
            _bits(own | own[above] << words | np.array(paths.inherited) << 2 * words, 3 * words),  # 42 of 63 bits
        ),
        axis=1,
    )


def _bits(values: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = values[:, None] & (1 << np.arange(count)) != 0
    return found


def _places(
    hidden: NDArray[np.bool_], depths: NDArray[np.intp], counts: NDArray[np.float64], totals: NDArray[np.float64]
) -> NDArray[np.float32]:
    blocks = len(counts)
    order = np.arange(blocks)
    text, every = counts.sum() + 1, totals.sum() + 1
    columns = np.empty((blocks, len(PLACES)), dtype=np.float32)
    columns[:, 0] = hidden
    columns[:, 1] = np.minimum(depths, _DEEP) / 20
    columns[:, 2] = order / blocks
    columns[:, 3] = (np.cumsum(counts) - counts / 2) / text
    columns[:, 4] = (np.cumsum(totals) - totals / 2) / every
    columns[:, 5] = np.log1p(order)
    columns[:, 6] = np.log1p(blocks - order)
    columns[:, 7] = np.log1p(blocks)
    columns[:, 8] = np.log1p(text)
    return columns


def _containers(
    dom: Dom, parents: NDArray[np.int64], grandparents: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Paragraphs score for the element above them, and half for the one above that, as in Readability."""
    size = len(dom.tags)
    score = np.bincount(parents, weights, size) + np.bincount(grandparents, weights / 2, size)
    best = int(score.argmax())
    around = max(0, dom.parents[best])
    relative = score / (score[best] + 1e-9)
    columns = np.zeros((len(parents), len(CONTAINERS)), dtype=np.float32)
    columns[:, 0] = relative[parents]
    columns[:, 1] = relative[grandparents]
    columns[dom.first_blocks[best] : dom.end_blocks[best], 2] = 1
    columns[dom.first_blocks[around] : dom.end_blocks[around], 3] = 1
    return columns


def _headline(dom: Dom, title: str, tags: NDArray[np.int64], totals: NDArray[np.float64]) -> NDArray[np.float32]:
    """How much each block is like the title, and how far it is from the one that is most like it."""
    blocks = len(totals)
    similar = np.zeros(blocks)
    title = title.lower()
    wanted = frozenset(title.split())
    if wanted:
        lengths = dom.characters.lengths
        fitting = (lengths > len(title) // 3) & (lengths <= len(title) + 40)
        for i in np.flatnonzero(fitting).tolist():
            text = dom.texts[i].lower()
            words = text.split()
            if not wanted.isdisjoint(words):
                distinct = frozenset(words)
                similar[i] = 2 * len(distinct & wanted) / (len(distinct) + len(wanted))
            elif text[0] >= _NO_BLANKS and text in title:
                similar[i] = len(text) / len(title)
    rank = similar + 0.3 * (tags == _TAG_NUMBER["h1"]) + 0.15 * (tags == _TAG_NUMBER["h2"])
    at = int(rank.argmax())
    known = bool(rank[at] > 0.45)
    distance = np.arange(-at, blocks - at)
    reached = np.cumsum(totals)
    columns = np.zeros((blocks, len(_HEADLINE)), dtype=np.float32)
    columns[:, 0] = similar
    if known:
        columns[:, 1] = 1
        columns[:, 2] = np.sign(distance) * np.log1p(np.abs(distance))
        columns[:at, 3] = 1
        columns[:, 4] = (reached - reached[at]) / (reached[-1] + 1)
        columns[at, 5] = 1
    return columns
