"""Pages that nobody wrote: what training pages could have looked like on other sites.

A network that has seen a thousand sites knows those sites. So it also sees each page with parts of other pages and
without parts of its own: another page's comments, lists or boxes put behind the article or between its sections (*graft*),
an article of a few paragraphs (*cut*), without some of what stands around it (*drop*), and without nearly all of that
(*bare*, as print views are); and with containers around its paragraphs and sections, as page builders write them (*wrap*).
Gain: docs/measurements/combined.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.algorithm import DILATIONS
from newsextract.algorithms.combined.features import BlockFeatures, block_features
from newsextract.lab.datasets import TruthPage
from newsextract.lab.metrics import comparable, folded, four_grams, tokenizer
from newsextract.page.dom import Dom

# --- variants -------------------------------------------------------------------------------------

_GRAFT, _CUT, _DROP, _BARE, _WRAP = 0.5, 0.3, 0.3, 0.1, 0.35
"""Share of the variants that are changed so; several changes may meet."""
_BETWEEN = 0.3
"""Share of the grafts that are put between the parts of an article."""
_WRAPPED = frozenset("p h2 h3 h4 h5 h6 div section ul ol blockquote figure pre table".split())
"""Tags of elements that page builders put containers around."""
_DEEPEST, _LONGEST_SECTION = 4, 6
"""Containers around each other, and elements in one section, at most."""
_LEAST_CUT = 12.0
"""Tokens that a cut article has, at least; blocks that it is cut to, at most, and has before, at least: the next two."""
_CUT_BLOCKS = 4
_HEIGHT = 4
"""A graft is put at the end of one of so many ancestors of the article's last block."""
_DROPPED = 0.1
"""Share of the elements without article text that are dropped, or of the blocks that a bare page keeps, at most."""
_LEAST_TEXT, _LEAST_BLOCKS = 200, 3
"""Characters and blocks of a graft, at least; and text in links at most 1.5 times the rest."""
_PART_OF_GRAFT = 8
"""An element within a graft is one of its own from so many blocks on."""
_MOST_BLOCKS = 3_000
_LEAST_TRUE = 5.0
"""Tokens of what is left of a truth."""


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A page's columns and which of its blocks are article text."""

    dom: Dom
    """Without nodes: only the columns are read."""
    title: str
    """As the page's head gives it; may be empty."""
    labels: Labels


Graft = tuple[Labelled, int]
"""A page and an element of it."""


def grafts(pages: Sequence[Labelled]) -> list[Graft]:
    """The elements without article text that hold text outside links."""
    found: list[Graft] = []
    for page in pages:
        dom = page.dom
        first, end = np.asarray(dom.first_blocks), np.asarray(dom.end_blocks)
        wanted = _sums(np.nan_to_num(page.labels.wanted, nan=1.0) > 0.1)
        text, links = dom.count_sums[end] - dom.count_sums[first], dom.link_count_sums[end] - dom.link_count_sums[first]
        fit = (wanted[end] == wanted[first]) & (text >= _LEAST_TEXT) & (end - first >= _LEAST_BLOCKS) & (links < 1.5 * text)
        fit[:3] = False
        inside = fit[np.maximum(np.asarray(dom.parents), 0)]
        found += [(page, int(e)) for e in np.flatnonzero(fit & (~inside | (end - first >= _PART_OF_GRAFT)))]
    return found


def variant(page: Labelled, others: Sequence[Graft], random: np.random.Generator) -> Labelled:
    """A page changed at random; at least one block is left."""
    changed = page
    text = np.flatnonzero(_known(page) > 0.5)
    if len(text) and others and random.random() < _GRAFT:
        other, element = others[int(random.integers(len(others)))]
        blocks = other.dom.end_blocks[element] - other.dom.first_blocks[element] + len(page.dom.texts)
        if other is not page and blocks < _MOST_BLOCKS:
            before = page.dom.elements[text[int(random.integers(len(text)))]] if random.random() < _BETWEEN else None
            above = _ancestors(page.dom, page.dom.parents[page.dom.elements[text[-1]] if before is None else before])
            if above and before is not None:
                changed = graft(page, other, element, above[0], before)
            elif above:
                changed = graft(page, other, element, above[min(len(above) - 1, int(random.integers(_HEIGHT)))])
    kept = np.ones(len(changed.dom.texts), dtype=np.bool_)
    wanted, tokens = _known(changed), changed.labels.tokens
    text = np.flatnonzero(wanted > 0.5)
    if len(text) > _CUT_BLOCKS and random.random() < _CUT:
        blocks = int(random.integers(1, _CUT_BLOCKS + 1))
        if wanted[text[:blocks]] @ tokens[text[:blocks]] >= _LEAST_CUT:
            kept[text[blocks:]] = False
    if random.random() < _DROP:
        first, end = np.asarray(changed.dom.first_blocks), np.asarray(changed.dom.end_blocks)
        sums = _sums(wanted > 0.1)
        empty = np.flatnonzero((sums[end] == sums[first]) & (end > first))
        for element in empty[random.random(len(empty)) < random.random() * _DROPPED]:
            kept[first[element] : end[element]] = False
    elif random.random() < _BARE / (1 - _DROP):
        kept &= (wanted > 0.1) | (random.random(len(kept)) < random.random() * _DROPPED)
    changed = changed if kept.all() or not kept.any() else without(changed, kept)
    return wrapped(changed, random) if random.random() < _WRAP else changed


def wrapped(page: Labelled, random: np.random.Generator) -> Labelled:
    """A page with containers around the parts of its article: around each alone, or around several at a time.

    The classes of the containers are words that no list knows, the same for all of a page, or none.
    """
    dom = page.dom
    text = [dom.elements[block] for block in np.flatnonzero(_known(page) > 0.5).tolist()]
    around = {dom.parents[element] for element in text} - {-1}
    parts = [
        e for e, (tag, parent) in enumerate(zip(dom.tags, dom.parents, strict=True)) if parent in around and tag in _WRAPPED
    ]
    if not parts:
        return page
    longest = 1 if random.random() < 0.5 else _LONGEST_SECTION
    deep = int(random.integers(1, _DEEPEST + 1))
    words = ["".join(map(chr, random.integers(97, 123, 8))) if random.random() < 0.7 else "" for _ in range(deep)]
    sections: dict[int, tuple[int, int]] = {}
    i = 0
    while i < len(parts):
        last, wanted = i, int(random.integers(1, longest + 1))
        while last + 1 < len(parts) and last - i + 1 < wanted and dom.parents[parts[last + 1]] == dom.parents[parts[i]]:
            if dom.ends[parts[last]] != parts[last + 1]:
                break  # something else stands between them
            last += 1
        sections[parts[i]] = dom.ends[parts[last]], max(1, deep - int(random.integers(2)))
        i = last + 1
    return Labelled(_in_sections(dom, sections, words), page.title, page.labels)


def _in_sections(dom: Dom, sections: dict[int, tuple[int, int]], classes: Sequence[str]) -> Dom:
    """The tree with containers around runs of siblings.

    :param sections: first element of a run → the index behind its last descendant, and how many containers it gets.
    :param classes: of the containers, from the outermost one.
    """
    count = len(dom.tags)
    added = np.zeros(count, dtype=np.int64)
    for first, (_, deep) in sections.items():
        added[first] = deep
    before = np.concatenate(([0], np.cumsum(added))) + np.arange(count + 1)  # where the containers of an element begin
    own = before[:-1] + added
    inner = {first: int(own[first]) - 1 for first in sections}
    by_place: dict[int, int] = {}  # elements of a run → the innermost container of it
    for first, (end, _) in sections.items():
        element = first
        while element < end:
            by_place[element] = inner[first]
            element = dom.ends[element]
    names = ("tags", "hints", "parents", "ends", "first_blocks", "end_blocks")
    rows: list[tuple[Any, ...]] = []
    for i in range(count):
        above = int(own[dom.parents[i]]) if dom.parents[i] >= 0 else -1
        if i in sections:
            end, deep = sections[i]
            last = end - 1
            while last > i and dom.parents[last] != dom.parents[i]:
                last = dom.parents[last]
            for level in range(deep):
                parent = above if level == 0 else int(before[i]) + level - 1
                rows.append(("div", classes[level], parent, int(before[end]), dom.first_blocks[i], dom.end_blocks[last]))
        inside = by_place.get(i, above), int(before[dom.ends[i]])
        rows.append((dom.tags[i], dom.hints[i], *inside, dom.first_blocks[i], dom.end_blocks[i]))
    changed = {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    return columns(dom, **changed, hidden=own[dom.hidden].tolist(), elements=own[dom.elements].tolist())


def without(page: Labelled, kept: NDArray[np.bool_]) -> Labelled:
    """A page with some of its blocks only; its elements stay."""
    dom, sums = page.dom, _sums(kept)
    blocks = np.flatnonzero(kept).tolist()

    def own(column: list[int]) -> list[int]:
        return [column[block] for block in blocks]

    changed = columns(
        dom,
        texts=[dom.texts[block] for block in blocks],
        counts=own(dom.counts),
        link_counts=own(dom.link_counts),
        links=own(dom.links),
        elements=own(dom.elements),
        first_blocks=sums[dom.first_blocks].tolist(),
        end_blocks=sums[dom.end_blocks].tolist(),
    )
    labels = page.labels
    lost = float((labels.tokens * _known(page))[~kept].sum())
    return Labelled(
        changed, page.title, Labels(labels.tokens[kept], labels.wanted[kept], max(_LEAST_TRUE, labels.true - lost))
    )


def graft(page: Labelled, other: Labelled, element: int, at: int, before: int | None = None) -> Labelled:
    """A page with an element of another one in its element ``at``, as the last child or ``before`` another child; its
    blocks are no article text."""
    dom, new = page.dom, other.dom
    first, end, first_block, end_block = element, new.ends[element], new.first_blocks[element], new.end_blocks[element]
    place, block = (dom.ends[at], dom.end_blocks[at]) if before is None else (before, dom.first_blocks[before])
    count, blocks = end - first, end_block - first_block
    around = frozenset(_ancestors(dom, at))

    def moved(index: int) -> int:
        return index + count if index >= place else index

    def joined(column: list[int], inner: list[int]) -> list[int]:
        return column[:place] + inner + column[place:]

    def block_joined(column: list[int], inner: list[int]) -> list[int]:
        return column[:block] + inner[first_block:end_block] + column[block:]

    changed = columns(
        dom,
        tags=dom.tags[:place] + new.tags[first:end] + dom.tags[place:],
        hints=dom.hints[:place] + new.hints[first:end] + dom.hints[place:],
        hidden=[moved(e) for e in dom.hidden] + [e - first + place for e in new.hidden if first <= e < end],
        parents=joined(
            [moved(parent) for parent in dom.parents], [at, *(p - first + place for p in new.parents[first + 1 : end])]
        ),
        ends=joined(
            [e + count if e > place or i in around else e for i, e in enumerate(dom.ends)],
            [e - first + place for e in new.ends[first:end]],
        ),
        first_blocks=joined(
            [b + blocks if i >= place else b for i, b in enumerate(dom.first_blocks)],
            [b - first_block + block for b in new.first_blocks[first:end]],
        ),
        end_blocks=joined(
            [b + blocks if i >= place or i in around else b for i, b in enumerate(dom.end_blocks)],
            [b - first_block + block for b in new.end_blocks[first:end]],
        ),
        texts=dom.texts[:block] + new.texts[first_block:end_block] + dom.texts[block:],
        counts=block_joined(dom.counts, new.counts),
        link_counts=block_joined(dom.link_counts, new.link_counts),
        links=block_joined(dom.links, new.links),
        elements=[moved(e) for e in dom.elements[:block]]
        + [e - first + place for e in new.elements[first_block:end_block]]
        + [moved(e) for e in dom.elements[block:]],
    )
    own, new_tokens = page.labels, other.labels.tokens[first_block:end_block]
    tokens = np.concatenate((own.tokens[:block], new_tokens, own.tokens[block:]))
    wanted = np.concatenate((own.wanted[:block], np.zeros(blocks), own.wanted[block:]))
    return Labelled(changed, page.title, Labels(tokens, wanted, own.true))


def _known(page: Labelled) -> NDArray[np.float64]:
    """``wanted``, a half where it is unknown."""
    return np.nan_to_num(page.labels.wanted, nan=0.5)


def _sums(values: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(values, dtype=np.int64)))


def _ancestors(dom: Dom, element: int) -> list[int]:
    """An element and those above it, upwards; none for -1."""
    found = []
    while element >= 0:
        found.append(element)
        element = dom.parents[element]
    return found


_OF_THE_TREE = ("headings", "nodes", "link_nodes", "link_blocks", "link_elements", "link_texts")
_LEAVES = ("leaf_texts", "leaf_blocks", "leaf_linked")


def columns(dom: Dom, **changed: Any) -> Dom:
    """The columns of a page without its tree, links and headings, some of them changed; only one that is not changed keeps
    its dialogs, asides and leaves, which are asked for where a text is chosen."""
    dialogs, asides = ([], []) if changed else (dom.dialogs, dom.asides)
    hints, hidden = changed.pop("hints", dom.hints), changed.pop("hidden", dom.hidden)
    emptied: dict[str, Any] = {name: [] for name in (*_OF_THE_TREE, *(_LEAVES if changed else ()))}
    new = replace(dom, **emptied, **changed)
    # Cached properties: there are no nodes to read.
    new.__dict__.update(hints=hints, hidden=hidden, dialogs=dialogs, asides=asides)
    return new


# --- batches --------------------------------------------------------------------------------------
# Pages side by side in arrays of one size, so that the training step is compiled once.
#
# Between two pages lies a gap that is longer than the widest dilation, and what is in it is masked: no page sees another.

SIZE = 8192
"""Blocks of a batch, gaps included; longer pages are cut."""
PAGES = 64
"""Pages of a batch, at most."""
_GAP = 2 * max(DILATIONS) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """One page to train on or to judge."""

    page_id: str
    site: str
    fold: int
    page: Labelled
    features: BlockFeatures
    weight: float = 1.0
    """Of the page in the loss."""
    kind: str | None = None
    """Of the page, where the truth states it."""
    kinds: tuple[float, ...] = ()
    """Read beside each block's features: probabilities of the page's kinds."""

    def changed(self, others: Sequence[Graft], random: np.random.Generator) -> Example:
        """A variant of the page."""
        page = variant(self.page, others, random)
        return self if page is self.page else replace(self, page=page, features=block_features(page.dom, page.title))


Batch = dict[str, NDArray[np.float32] | NDArray[np.int32]]


class Scale(NamedTuple):
    """By which features are standardised."""

    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]


def batches(
    examples: Sequence[Example], order: Sequence[int], scale: Scale
) -> Iterator[tuple[Batch, list[tuple[int, int, int]]]]:
    """Batches of examples in a given order, and where each example stands: (example, first block, blocks)."""
    current: list[tuple[int, int, int]] = []
    used = 0
    for index in order:
        blocks = min(len(examples[index].features.matrix), SIZE - _GAP)
        if used + blocks + _GAP > SIZE or len(current) == PAGES:
            yield _batch(examples, current, scale), current
            current, used = [], 0
        current.append((index, used, blocks))
        used += blocks + _GAP
    if current:
        yield _batch(examples, current, scale), current


def _batch(examples: Sequence[Example], places: Sequence[tuple[int, int, int]], scale: Scale) -> Batch:
    mean, deviation = scale
    features = np.zeros((SIZE, len(mean)), np.float32)
    valid = np.zeros(SIZE, np.float32)
    known = np.zeros(SIZE, np.float32)
    tokens, wanted = np.zeros(SIZE, np.float32), np.zeros(SIZE, np.float32)
    page = np.full(SIZE, PAGES, np.int32)
    groups = np.full((2, SIZE), SIZE - 1, np.int32)
    true, weight = np.ones(PAGES + 1, np.float32), np.zeros(PAGES + 1, np.float32)
    next_group = [0, 0]
    for number, (index, first, blocks) in enumerate(places):
        example, span = examples[index], slice(first, first + blocks)
        own = example.features.matrix.shape[1]
        features[span, :own] = (example.features.matrix[:blocks] - mean[:own]) / deviation[:own]
        features[span, own:] = (np.array(example.kinds) - mean[own:]) / deviation[own:]
        valid[span] = 1
        found = example.page.labels.wanted[:blocks]
        known[span] = np.isfinite(found)
        wanted[span] = np.nan_to_num(found)
        tokens[span] = example.page.labels.tokens[:blocks]
        page[span] = number
        true[number] = example.page.labels.true
        weight[number] = example.weight
        for k, group in enumerate((example.features.parents, example.features.class_paths)):
            values, numbers = np.unique(group[:blocks], return_inverse=True)
            groups[k, span] = numbers + next_group[k]
            next_group[k] += len(values)
    return {
        "features": features, "valid": valid, "known": known, "tokens": tokens, "wanted": wanted,
        "page": page, "groups": groups, "true": true, "weight": weight,
    }  # fmt: skip


# --- labels ---------------------------------------------------------------------------------------
# Which blocks of a page are article text: labels from the truth, for training.
#
# A block's 4-grams are looked up among those of the truth, and each 4-gram of the truth is given away once: where a text
# stands twice on a page (a teaser, a print view), the block in the denser surroundings gets it. A block of fewer than four
# tokens (a cell, a price, a name: half of the blocks of an article, two thirds of those of a product) is text where it is a
# line of the truth, where text surrounds it, or where 4-grams across blocks cover it: that raises the word F1 of the blocks
# with a label over 0.5 on products from .878 to .938.
#
# The headline is no article text: it has a field of its own, and whether a truth holds it is a habit of its source.
# Pages with segments that must or must not be found give labels for the blocks that hold them; the others stay unknown.

_SURROUNDINGS = 21
"""Blocks whose agreement with the truth tells where the article stands."""
_HOLE = 4
"""A block of under four tokens belongs to the text when text stands at most so many blocks before and behind it."""

_GRAM = 4
"""Tokens that are looked up together."""
_LONGEST_HEADLINE = 300
"""Characters of a block that may be one."""
_LEAST_HEADLINE, _SHARE_OF_TITLE = 15, 0.5
"""Letters, and share of the page's title (site names stand there, too), of a block that is part of the title."""


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """One entry a block."""

    tokens: NDArray[np.float64]
    wanted: NDArray[np.float64]
    """Share of the block that is article text, 0–1; nan: unknown."""
    true: float
    """Tokens of the truth; 0: unknown."""

    def f1(self, chosen: NDArray[np.intp]) -> float:
        """The F1 of tokens of some blocks, where the whole text is known."""
        found = float((self.tokens * self.wanted)[chosen].sum())
        return 2 * found / (float(self.tokens[chosen].sum()) + self.true)


def labels(truth: TruthPage, texts: Sequence[str], title: str) -> Labels:
    """Labels of a page's blocks.

    :param title: as the page's head gives it; may be empty.
    """
    tokens = tokenizer(truth.source)
    words = [tokens(text) for text in texts]
    counts = np.array([len(w) for w in words], dtype=np.float64)
    true = tokens(truth.text or "")
    if true:
        lines = Counter(tuple(tokens(line)) for line in (truth.text or "").split("\n"))
        wanted = _short_too(_from_text(true, words), true, lines, words)
    else:
        wanted = _from_segments(truth, texts)
    wanted[_headlines(texts, title, truth.title or "") & np.isfinite(wanted)] = 0.0
    return Labels(counts, wanted, float(len(true)))


def _headlines(texts: Sequence[str], *titles: str) -> NDArray[np.bool_]:
    """Which blocks only repeat a title, or a good part of the first one."""
    keys = [comparable(title) for title in titles]

    def repeats(text: str) -> bool:
        own = comparable(text) if len(text) <= _LONGEST_HEADLINE else ""
        part = len(own) > max(_LEAST_HEADLINE, _SHARE_OF_TITLE * len(keys[0])) and own in keys[0]
        return part or (own != "" and own in keys)

    return np.array([repeats(text) for text in texts], dtype=np.bool_)


def _from_text(true: Sequence[str], words: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    grams = [four_grams(w) if len(w) >= 4 else None for w in words]
    left = four_grams(true)
    agreement = np.array([(g & left).total() / g.total() if g else 0.0 for g in grams])
    mass = np.where(agreement > 0.5, agreement * [len(w) for w in words], 0.0)
    around = np.convolve(mass, np.ones(_SURROUNDINGS))[_SURROUNDINGS // 2 :][: len(mass)]
    wanted = np.zeros(len(words))
    for i in sorted(range(len(words)), key=lambda i: (-around[i], i)):
        own = grams[i]
        if own and agreement[i]:
            common = own & left
            wanted[i] = common.total() / own.total()
            if wanted[i] > 0.5:
                left -= common
    text = " ".join(true)
    chosen = np.flatnonzero(wanted > 0.5)
    for i, own in enumerate(grams):
        if own is None and words[i]:
            behind = int(np.searchsorted(chosen, i))
            inside = 0 < behind < len(chosen) and i - chosen[behind - 1] <= _HOLE and chosen[behind] - i <= _HOLE
            if inside and " ".join(words[i]) in text:
                wanted[i] = 1.0
    return wanted


def _short_too(
    wanted: NDArray[np.float64], true: Sequence[str], lines: Counter[tuple[str, ...]], words: Sequence[Sequence[str]]
) -> NDArray[np.float64]:
    """The labels, also for blocks of fewer than four tokens that lie in 4-grams of the truth, or are a line of it.

    :param lines: how often the truth has each line; those that stand several times on the page go to the block that is
        nearest to the text.
    """
    found = wanted.copy()
    short = [i for i, own in enumerate(words) if 0 < len(own) < _GRAM]
    flat = [token for own in words for token in own]
    ends = np.cumsum([len(own) for own in words])
    left = Counter(zip(*(true[i:] for i in range(_GRAM)), strict=False))
    covered = np.zeros(len(flat), dtype=np.bool_)
    for start, gram in enumerate(zip(*(flat[i:] for i in range(_GRAM)), strict=False)):
        if left[gram] > 0:
            left[gram] -= 1
            covered[start : start + _GRAM] = True
    for i in short:
        if covered[ends[i] - len(words[i]) : ends[i]].all():
            found[i] = 1.0
    text = np.flatnonzero(found > 0.5)
    distance = np.abs(np.arange(len(words))[:, None] - text[_nearest(text, len(words))]).min(axis=1) if len(text) else found
    for i in sorted(short, key=lambda i: (distance[i], i)):
        line = tuple(words[i])
        if lines[line] > 0:
            lines[line] -= 1
            found[i] = 1.0
    return found


def _nearest(text: NDArray[np.intp], blocks: int) -> NDArray[np.intp]:
    """For each block the places in ``text`` of the one before and the one behind it, shape (blocks, 2)."""
    behind = np.searchsorted(text, np.arange(blocks))
    return np.stack((np.maximum(behind - 1, 0), np.minimum(behind, len(text) - 1)), axis=1)


def _from_segments(truth: TruthPage, texts: Sequence[str]) -> NDArray[np.float64]:
    found = np.full(len(texts), np.nan)
    flat = [folded(text) for text in texts]
    for value, segments in ((0.0, truth.without or ()), (1.0, truth.with_ or ())):
        for segment in map(folded, segments):
            for i, text in enumerate(flat):
                if segment in text:
                    found[i] = value
    return found


# --- block truth ----------------------------------------------------------------------------------
# How much of each text block stands in the truth: the labels that training needs.
#
# A block's 4-grams of tokens (as in :mod:`newsextract.lab.metrics`) are looked up among the truth's. Sums over
# chosen blocks then give precision and recall of the choice, all but for the 4-grams across block borders, so that a
# thousand choices can be scored without building a text.


def block_truth(truth: TruthPage, texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """4-grams of each block, how many of them the truth holds, and the truth's own number.

    Blocks of fewer than four tokens have no 4-gram to be sure of: they count half a gram a token, and are found when
    they stand in the truth as they are.

    :param truth: a page with a truth text.
    :param texts: the blocks' texts.
    :returns: two arrays with an entry a block, and a number.
    """
    tokens = tokenizer(truth.source)
    wanted = truth.text or ""
    true = four_grams(tokens(wanted))
    grams = np.zeros(len(texts))
    found = np.zeros(len(texts))
    for i, text in enumerate(texts):
        words = tokens(text)
        if len(words) < 4:
            grams[i] = len(words) / 2
            found[i] = grams[i] if text in wanted else 0.0
        else:
            own = four_grams(words)
            grams[i] = own.total()
            found[i] = (own & true).total()
    return grams, found, true.total()
