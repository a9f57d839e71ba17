"""Fits what the papers' algorithms need: the thresholds of `node_attributes` (Wang & Cao 2016, §3.3) and `page_segmentation`
(Hou & Yang 2011, §3.3), and the value filter (Wang & Cao 2016, §3.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.node_attributes import (
    KEPT,
    Attributes,
    LeafLimits,
    attributes,
    count_nodes,
    leaf_boxes,
    simplify,
    verdicts,
)
from newsextract.algorithms.page_segmentation import PageSegmentation, PageSegmentationParams, path_frequencies
from newsextract.algorithms.value_filter import PARTS, ScriptPart, ValueFilter, is_chinese, present, stop_words
from newsextract.errors import DataError, MissingExtra
from newsextract.lab import datasets
from newsextract.lab.datasets import TruthPage, load, read
from newsextract.lab.metrics import comparable, f1_of
from newsextract.lab.train_combined_pages import block_truth
from newsextract.page.dom import Dom
from newsextract.page.page import Page
from newsextract.page.pruning import pruned

SEED = 1

# --- fitting --------------------------------------------------------------------------------------
# Fitting Δ1–Δ4: the paper (Wang & Cao 2016, §3.3) uses thresholds and prints none.
#
# Every page of a data set becomes its leaves' attributes and what the truth says of them
# (:mod:`newsextract.lab.train_combined_pages`); then one threshold after the other takes the value of its grid that gives
# the best F1, until a round changes nothing. Deterministic; the leaves of all pages stay in memory, about 10 kB a page.
#
# Pages that a browser has rendered also give limits for boxes. These are fitted after the others and with the densities'
# limits as they are (fitting all at once found the same limits).

_SHARES = (0.0, 0.0002, 0.0005, 0.001, 0.0015, 0.002, 0.003, 0.005, 0.01)
_EDGES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
GRID: dict[str, tuple[float, ...]] = {
    "delta1": _SHARES,
    "delta2": (0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2),
    "delta3": _EDGES,
    "delta4": _EDGES,
    "container": (0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05),
}
"""The values that are tried."""
_WIDTHS = (0.0, 0.0001, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
_HEIGHTS = (0.0, 0.001, 0.002, 0.003, 0.005, 0.01)
BOX_GRID: dict[str, tuple[float, ...]] = {"delta3": _EDGES, "delta4": _EDGES, "width": _WIDTHS, "height": _HEIGHTS}
"""The same for boxes; the first width above 0 takes away what no reader sees, and nothing else."""
START = LeafLimits(delta1=0.0, delta2=0.05, delta3=0.0, delta4=0.0, container=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One page with truth."""

    leaves: Attributes
    grams: NDArray[np.float64]
    """4-grams of each leaf."""
    found: NDArray[np.float64]
    """Those that the truth holds."""
    true: int
    """4-grams of the truth."""
    fusion_rate: float
    drawn: Attributes | None = None
    """Of a rendered page: the leaves by their boxes."""


def sample(page: Page, truth: TruthPage, *, boilerplate: bool) -> Sample:
    """What fitting needs of a page."""
    dom = page.dom
    tree = simplify(dom, boilerplate=boilerplate)
    grams, found, true = block_truth(truth, [dom.texts[i] for i in tree.blocks])
    boxes = leaf_boxes(dom, tree, page.snapshot.nodes) if page.snapshot is not None else None
    drawn = attributes(tree, boxes) if isinstance(boxes, np.ndarray) else None
    return Sample(attributes(tree), grams, found, true, tree.fusion_rate(count_nodes(dom)), drawn)


def fit(samples: Sequence[Sample], *, container: bool) -> tuple[LeafLimits, float]:
    """The best limits, and their F1 on these samples.

    :param container: also fit the container's share, which is not in the paper.
    """
    if not samples:
        raise DataError("no page has both text and a truth; thresholds need pages whose truth.jsonl line has a text")
    return _best(samples, {name: GRID[name] for name in GRID if container or name != "container"}, START)


def fit_boxes(samples: Sequence[Sample], position: LeafLimits) -> tuple[LeafLimits, float]:
    """The best limits of rendered pages, and their F1 on those of the samples that are.

    :param position: what :func:`fit` found; its densities are kept.
    """
    samples = rendered(samples)
    if not samples:
        raise DataError("no page has both a truth and a snapshot whose boxes can be used; thresholds of boxes need some")
    return _best(samples, BOX_GRID, replace(position, delta3=0.0, delta4=0.0))


def rendered(samples: Sequence[Sample]) -> list[Sample]:
    """The samples of rendered pages, their leaves by boxes."""
    return [replace(s, leaves=s.drawn) for s in samples if s.drawn is not None]


def score(samples: Sequence[Sample], limits: LeafLimits) -> float:
    """F1 of limits on samples, 0–1."""
    return _Pages(samples).f1(limits)


def _best(samples: Sequence[Sample], grid: Mapping[str, Sequence[float]], start: LeafLimits) -> tuple[LeafLimits, float]:
    pages = _Pages(samples)
    best, limits = pages.f1(start), start
    while True:
        before = limits
        for name, values in grid.items():
            for value in values:
                tried = replace(limits, **{name: value})
                score = pages.f1(tried)
                if score > best + 1e-9:
                    best, limits = score, tried
        if limits == before:
            return limits, best


class _Pages:
    """All leaves of all samples, side by side."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.leaves = Attributes(
            **{f.name: np.concatenate([getattr(s.leaves, f.name) for s in samples]) for f in fields(Attributes)}
        )
        self.grams = np.concatenate([s.grams for s in samples])
        self.found = np.concatenate([s.found for s in samples])
        self.true = np.array([s.true for s in samples], dtype=np.float64)
        self.page = np.repeat(np.arange(len(samples)), [len(s.grams) for s in samples])

    def f1(self, limits: LeafLimits) -> float:
        """F1 of mean precision and mean recall, as in :mod:`newsextract.lab.metrics`."""
        kept = verdicts(self.leaves, limits) == KEPT
        grams = np.bincount(self.page[kept], self.grams[kept], len(self.true))
        found = np.minimum(np.bincount(self.page[kept], self.found[kept], len(self.true)), self.true)
        some = grams > 0
        if not some.any():
            return 0.0
        precision = float((np.minimum(found, grams)[some] / grams[some]).mean())
        recall = float((found / self.true).mean())
        return f1_of(precision, recall)


# --- page segmentation ----------------------------------------------------------------------------
# Threshold training: Hou & Yang 2011, §3.3, eq. (6)–(11).
#
# Of one page: Length_Threshold and B_n_Threshold are the middle one of the sorted centres of a k-means clustering of the
# ``Length`` and of the B_n of its clusters (as examined: those over the variance bound split); Frequency_Threshold is
# the mean frequency of the text template of the segment that these two thresholds choose. Of many pages of one kind:
# the minimum of each.

CLUSTERS = 3
_STARTS = 10
"""Beginnings of each k-means, of which the best counts; a single one often ends in a worse clustering."""
_DIGITS = 4
"""Decimals that are kept: the order of floating-point sums must not change a file."""


def middle_centre(values: NDArray[np.float64], clusters: int = CLUSTERS, seed: int = SEED) -> float:
    """Mid(KMeans(values, clusters)): the middle one of the sorted centres, of an even number the lower.

    :param values: at least one; where fewer differ than there are clusters, each is its own centre.
    """
    try:
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise MissingExtra("scikit-learn", "train", "training thresholds") from error
    centres = np.unique(values)
    if len(centres) > clusters:
        model = KMeans(n_clusters=clusters, n_init=_STARTS, random_state=seed)
        with threadpool_limits(1):  # else sums depend on the number of cores, and small clusterings take twice the time
            centres = np.sort(model.fit(values.reshape(-1, 1)).cluster_centers_[:, 0])
    return round(float(centres[(len(centres) - 1) // 2]), _DIGITS)


@dataclass(frozen=True, slots=True)
class PageThresholds:
    """What one page says, eq. (6)–(8)."""

    clusters: int
    """How many clusters were measured."""
    limits: tuple[float, float, float]
    """Length_Threshold, B_n_Threshold and Frequency_Threshold."""


def train_page(
    dom: Dom, params: PageSegmentationParams, *, clusters: int = CLUSTERS, seed: int = SEED
) -> PageThresholds | None:
    """The thresholds of one page; None where it has no leaves.

    :param params: how leaves are clustered and split; its thresholds are not used.
    """
    open_params = replace(params, thresholds="", length_threshold=0.0, bn_threshold=0.0, frequency_threshold=0.0)
    segment = PageSegmentation(open_params).segment(dom)
    if segment is None:
        return None
    measured = segment.examination.clusters
    length = middle_centre(measured.lengths.astype(np.float64), clusters, seed)
    noise = middle_centre(measured.noise, clusters, seed)
    trained = replace(open_params, length_threshold=length, bn_threshold=noise)
    chosen = PageSegmentation(trained).segment(dom)
    frequency = path_frequencies(dom, (chosen or segment).blocks)
    return PageThresholds(len(measured), (length, noise, round(float(frequency.mean()), _DIGITS)))


def combine(pages: Sequence[PageThresholds], quantile: float = 0.0) -> tuple[float, float, float]:
    """Length_Threshold, B_n_Threshold and Frequency_Threshold of pages of one kind, eq. (9)–(11): the minimum of each.

    :param pages: at least one.
    :param quantile: 0: the minimum, as published. For pages of many kinds, whose minimum is that of the oddest page,
        a quantile (0–1) of each.
    """
    low = np.quantile([page.limits for page in pages], quantile, axis=0, method="lower")
    return float(low[0]), float(low[1]), float(low[2])


# --- labelled -------------------------------------------------------------------------------------
# Texts with their class, and the file format in which users label their own.

CLASSES = ("worthless", "valuable")
"""Names of the classes c0 and c1."""


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text with its class."""

    text: str
    label: int
    """0: worthless, 1: valuable."""
    group: str | None = None
    """Texts of one group (site, thread) are never on both sides of a cross-validation; None: a group of its own."""
    lang: str | None = None
    """For the model's card alone."""


def read_labelled(path: Path) -> list[LabelledText]:
    """Labelled texts from JSON lines ``{"text", "label"}``, where ``group`` and ``lang`` may stand, too."""
    items = [_labelled(row, where) for where, row in datasets.rows(path)]
    if not items:
        raise DataError(f'{path} is empty; expected lines like {{"text": "…", "label": "valuable"}}')
    return items


def _labelled(row: datasets.Row, where: str) -> LabelledText:
    text, label = row.get("text"), row.get("label")
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"{where}: 'text' must be a string that is not empty, got {text!r:.60}")
    if label in CLASSES:
        label = CLASSES.index(label)
    if isinstance(label, bool) or label not in (0, 1):
        raise DataError(f'{where}: \'label\' must be 0 or "worthless", 1 or "valuable", got {label!r:.60}')
    return LabelledText(text, int(label), **datasets.values(row, where, dict.fromkeys(("group", "lang"), datasets.STRING)))


# --- value filter ---------------------------------------------------------------------------------
# Training of the value filter (Wang & Cao 2016, §3.4): stop lists, information gain, counts, cross-validation.
#
# Stop words are dropped, then features are the words whose presence tells most of the class: information gain
#
#     IG(X) = H(C) - P(X=1)·H(C | X=1) - P(X=0)·H(C | X=0)
#
# with the class probabilities of the model's prior. The default prior is one half each, whatever was counted: how many
# worthless texts a page has (on the bench nine of ten blocks) says little of those that come to the filter, which the
# density filter has chosen from. A word must occur in :data:`LEAST_TEXTS` texts of :data:`LEAST_GROUPS` groups, so that
# the name of one site is no feature.
#
# Cross-validation keeps groups (sites) together, chooses features anew in each fold, and is seeded.

FEATURES = 4_000
"""Words of each part. Body F1 of the baseline on folds 1-4, cross-validated by fold: 1,000 .772, 2,000 .774, 4,000 .785,
8,000 .792, without marks; the last would be a file over 300 kB."""
FOLDS = 5
LEAST_OF_CLASS = 10
"""A kind of text with fewer texts of a class gets no part."""
LEAST_TEXTS = 3
LEAST_GROUPS = 2
FAMILIAR_TEXTS = 0.01
"""Least share of a class's texts that hold a frequent stop word: of English 90 %, of German 3 % of the shipped texts."""

Prior = Literal["balanced", "counted"]


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How to train."""

    features: int = FEATURES
    """At most so many words a part, from 1."""
    folds: int = FOLDS
    """Of the cross-validation, from 2."""
    prior: Prior = "balanced"
    """``balanced``: both classes one half. ``counted``: as many as there are texts."""
    marks: bool = True
    """Whether marks of length may be features (:mod:`newsextract.algorithms.value_filter`)."""


def require_scikit_learn() -> None:
    """Say at once, before texts are gathered, that scikit-learn is missing."""
    if find_spec("sklearn") is None:
        raise MissingExtra("scikit-learn", "train", "training a value filter")


def train(items: Sequence[LabelledText], options: TrainingOptions | None = None, *, data: str = "") -> ValueFilter:
    """A filter from labelled texts; equal texts give an equal filter.

    :param data: name of the texts, for the card.
    """
    require_scikit_learn()
    options = options or TrainingOptions()
    found = Counter(item.label for item in items)
    for label, name in enumerate(CLASSES):
        if not found[label]:
            raise DataError(f"all {len(items)} texts are {CLASSES[1 - label]}; a filter needs {name} ones, too")
    kinds = [_kind(item.text) for item in items]
    corpora: dict[str, _Corpus] = {}
    too_few: dict[str, dict[str, int]] = {}
    for name in PARTS:
        indices = [i for i, kind in enumerate(kinds) if kind == name]
        if _is_enough([items[i] for i in indices], options):
            corpora[name] = _corpus(items, indices, name, options)
        elif indices:
            too_few[name] = class_counts([items[i] for i in indices])
    if not corpora:
        counts = "; ".join(f"{name}: {n['worthless']} worthless, {n['valuable']} valuable" for name, n in too_few.items())
        raise DataError(
            f"too few texts ({counts}); of each class {LEAST_OF_CLASS} are needed, from at least {options.folds} groups"
            " (as many as --folds), Chinese and other texts counted apart"
        )
    card: dict[str, Any] = {
        "data": data,
        "features": options.features,
        "prior": options.prior,
        "texts": {name: corpus.card(items) for name, corpus in corpora.items()},
        "too_few": too_few,
        "cross_validation": {
            "folds": options.folds,
            "seed": SEED,
            **{name: _cross_validated(corpus, options) for name, corpus in corpora.items()},
        },
    }
    return ValueFilter(card, {name: _fitted(corpus, options) for name, corpus in corpora.items()}, options.marks)


def information_gain(
    counts: NDArray[np.float64], texts: NDArray[np.float64], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How much the presence of each word tells of the class, in nats.

    :param counts: texts of each class that hold each word, shape (2, words).
    :param texts: texts of each class, shape (2,).
    :param prior: probability of each class, shape (2,).
    """
    from scipy.special import rel_entr

    here = prior[:, None] * counts / texts[:, None]  # P(c, X=1)
    # Σ_c P(c,x) log P(c|x) is -P(x)·H(C|x)
    joint = np.stack((here, np.maximum(prior[:, None] - here, 0)))  # the second: P(c, X=0)
    result: NDArray[np.float64] = rel_entr(joint, joint.sum(axis=1, keepdims=True)).sum(axis=1).sum(axis=0)
    return result - float((prior * np.log(prior)).sum())


def scores(labels: NDArray[np.int64], predicted: NDArray[np.int64]) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of each class, 0-1."""
    from sklearn.metrics import precision_recall_fscore_support

    found = precision_recall_fscore_support(labels, predicted, labels=[0, 1], zero_division=0)[:3]
    rounded = [[round(float(value), 4) for value in measure] for measure in found]
    return {
        name: dict(zip(("precision", "recall", "f1"), row, strict=True))
        for name, *row in zip(CLASSES, *rounded, strict=True)
    }


def evaluate(model: ValueFilter, items: Sequence[LabelledText]) -> dict[str, Any]:
    """Scores of a filter on other texts, by kind of text, and the numbers of texts (``texts``)."""
    result: dict[str, Any] = {"texts": {}}
    for name in model.parts:
        own = [item for item in items if _kind(item.text) == name]
        labels = np.array([item.label for item in own], dtype=np.int64)
        predicted = (model.worthless([item.text for item in own]) <= 0).astype(np.int64)
        result[name] = scores(labels, predicted)
        result["texts"][name] = class_counts(own)
    return result


def class_counts(items: Sequence[LabelledText]) -> dict[str, int]:
    """Texts of each class."""
    found = Counter(item.label for item in items)
    return {name: found[label] for label, name in enumerate(CLASSES)}


@dataclass(frozen=True, eq=False)
class _Corpus:
    """The texts of one kind as a matrix of presence."""

    kind: str
    indices: list[int]
    """Of the texts among all."""
    matrix: Any
    """scipy's sparse array, shape (texts, words), of 0 and 1."""
    words: NDArray[np.str_]
    labels: NDArray[np.int64]
    groups: NDArray[np.int64]

    @cached_property
    def is_stop_word(self) -> NDArray[np.bool_]:
        """Which words stand in a stop list."""
        stop = stop_words()
        return np.fromiter((word in stop for word in self.words.tolist()), dtype=np.bool_, count=len(self.words))

    def card(self, items: Sequence[LabelledText]) -> dict[str, Any]:
        """Numbers of texts by class, of groups, and of texts by language and class."""
        langs: dict[str, Counter[str]] = {}
        for i in self.indices:
            langs.setdefault(items[i].lang or "?", Counter())[CLASSES[items[i].label]] += 1
        return {
            **{name: int((self.labels == label).sum()) for label, name in enumerate(CLASSES)},
            "groups": len(set(self.groups.tolist())),
            "languages": {lang: dict(sorted(langs[lang].items())) for lang in sorted(langs)},
        }


def _is_enough(items: Sequence[LabelledText], options: TrainingOptions) -> bool:
    for label in range(len(CLASSES)):
        groups = [item.group or f"\0{i}" for i, item in enumerate(items) if item.label == label]
        if len(groups) < LEAST_OF_CLASS or len(set(groups)) < options.folds:
            return False
    return True


def _corpus(items: Sequence[LabelledText], indices: list[int], kind: str, options: TrainingOptions) -> _Corpus:
    from sklearn.feature_extraction.text import CountVectorizer

    labels = np.array([items[i].label for i in indices], dtype=np.int64)
    analyzer = partial(present, chinese=kind == "chinese", marks=options.marks)
    vectorizer = CountVectorizer(analyzer=analyzer, binary=True, dtype=np.int64)  # sorts the words
    try:
        matrix = vectorizer.fit_transform(items[i].text for i in indices).tocsr()
    except ValueError:  # no text holds any word
        raise DataError(f"the {len(indices)} texts hold no words but stop words; give whole sentences") from None
    names: dict[str, int] = {}
    groups = np.array([names.setdefault(items[i].group or f"\0{i}", len(names)) for i in indices], dtype=np.int64)
    return _Corpus(kind, indices, matrix, vectorizer.get_feature_names_out(), labels, groups)


def _fitted(corpus: _Corpus, options: TrainingOptions, rows: NDArray[np.int64] | None = None) -> ScriptPart:
    """A classifier of some of the texts, all by default."""
    matrix, labels, groups = corpus.matrix, corpus.labels, corpus.groups
    if rows is not None:
        matrix, labels, groups = matrix[rows], labels[rows], groups[rows]
    texts = np.array([np.count_nonzero(labels == label) for label in (0, 1)], dtype=np.int64)
    counts = np.stack([np.asarray(matrix[labels == label].sum(axis=0)).ravel() for label in (0, 1)]).astype(np.int64)
    prior = np.array([0.5, 0.5]) if options.prior == "balanced" else texts / texts.sum()
    stop = corpus.is_stop_word
    usable = np.flatnonzero((counts.sum(axis=0) >= LEAST_TEXTS) & _in_several_groups(matrix, groups) & ~stop)
    if not usable.size:
        raise DataError(f"no word occurs in {LEAST_TEXTS} texts of {LEAST_GROUPS} groups; give more texts")
    gain = information_gain(counts[:, usable].astype(np.float64), texts.astype(np.float64), prior)
    # Rounded, so that the order of equal words does not hang on the last bit of another machine's logarithm.
    best = usable[np.argsort(-gain.round(12), kind="stable")[: options.features]]
    frequent = (counts / texts[:, None] >= FAMILIAR_TEXTS).any(axis=0)
    familiar = np.flatnonzero(frequent & stop & (corpus.kind != "chinese"))  # Chinese is one language
    return ScriptPart(
        tuple(corpus.words[best].tolist()), counts[:, best], texts, prior, tuple(corpus.words[familiar].tolist())
    )


def _in_several_groups(matrix: Any, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which words occur in at least :data:`LEAST_GROUPS` groups."""
    entries = matrix.tocoo()
    pairs = np.unique(entries.col.astype(np.int64) * (int(groups.max()) + 1) + groups[entries.row])
    found = np.bincount(pairs // (int(groups.max()) + 1), minlength=matrix.shape[1])
    result: NDArray[np.bool_] = found >= LEAST_GROUPS
    return result


def _cross_validated(corpus: _Corpus, options: TrainingOptions) -> dict[str, dict[str, float]]:
    """Scores on texts of groups that were not trained on."""
    from sklearn.model_selection import StratifiedGroupKFold

    splitter = StratifiedGroupKFold(options.folds, shuffle=True, random_state=SEED)
    predicted = np.zeros_like(corpus.labels)
    for rows, others in splitter.split(np.zeros(len(corpus.labels)), corpus.labels, corpus.groups):
        if len(set(corpus.labels[rows].tolist())) < 2:
            raise DataError(f"a fold of the {corpus.kind} texts has one class only; lower --folds or give more groups")
        predicted[others] = _predicted(corpus, _fitted(corpus, options, rows), others)
    return scores(corpus.labels, predicted)


def _predicted(corpus: _Corpus, part: ScriptPart, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    starts, columns, words = corpus.matrix.indptr, corpus.matrix.indices, corpus.words
    texts = (set(words[columns[starts[row] : starts[row + 1]]].tolist()) for row in rows.tolist())
    return np.fromiter((part.log_odds(text) <= 0 for text in texts), dtype=np.int64, count=len(rows))


def _kind(text: str) -> str:
    return "chinese" if is_chinese(text) else "other"


# --- labels ---------------------------------------------------------------------------------------
# Labelled texts for the value filter, from pages whose true text is known.
#
# A text block is valuable where at least :data:`VALUABLE_SHARE` of its 4-grams stand in the truth, worthless where none
# does; what lies between is unclear and left out. A block of fewer than four words may stand in a truth by chance
# ("Share", "Berlin"): found there it is valuable only between two valuable blocks, else unclear. The headline is left
# out, because truths differ in whether they include it; so is what is pruned before the filter is asked (hidden elements,
# forms). Of one site each text counts once, however many pages repeat it, and not at all if it has both labels.

VALUABLE_SHARE = 0.75
"""Least share of a valuable block's 4-grams in the truth."""
_SURE_GRAMS = 2.0
"""Blocks with fewer 4-grams are short: :func:`block_truth` gives half a gram for each of up to three words."""

Progress = Callable[[str, int, int], None]
"""Told the data set, the pages done and the pages in all."""


def block_labels(truth: TruthPage, dom: Dom) -> list[int | None]:
    """The label of each block of a page: 1 valuable, 0 worthless, None unclear."""
    grams, found, _ = block_truth(truth, dom.texts)
    share = found / np.maximum(grams, 0.5)
    long = grams >= _SURE_GRAMS
    good = long & (share >= VALUABLE_SHARE)
    amid = _between(good, long)
    title = comparable(truth.title or "")
    labels: list[int | None] = []
    for i, text in enumerate(dom.texts):
        if title and comparable(text) == title:
            labels.append(None)
        elif good[i] or (not long[i] and found[i] and amid[i]):
            labels.append(1)
        else:
            labels.append(None if found[i] else 0)
    return labels


def labelled_texts(directories: Sequence[Path], folds: frozenset[int], progress: Progress) -> list[LabelledText]:
    """The labelled texts of data sets, in their order; the group of a text is its site.

    :param folds: take sites of these folds only.
    :raises DataError: a data set is missing or malformed.
    """
    found: dict[tuple[str, str], LabelledText | None] = {}
    for directory in directories:
        pages = [truth for truth in load([directory]) if truth.text and truth.fold in folds]
        for done, truth in enumerate(pages, 1):
            for text, label in _page_texts(truth):
                known = found.setdefault((truth.site, text), LabelledText(text, label, truth.site, truth.lang))
                if known is not None and known.label != label:
                    found[truth.site, text] = None
            progress(directory.resolve().name, done, len(pages))
    return [item for item in found.values() if item is not None]


def _page_texts(truth: TruthPage) -> Iterator[tuple[str, int]]:
    dom = Page(read(truth), truth.url).dom
    left_out = pruned(dom)
    for text, label, out in zip(dom.texts, block_labels(truth, dom), left_out.tolist(), strict=True):
        if label is not None and not out:
            yield text, label


def _between(good: NDArray[np.bool_], long: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether the nearest long blocks on both sides are good, for each block."""
    sure = np.concatenate(([0], np.flatnonzero(long) + 1, [len(long) + 1]))  # with a block that is not good at both ends
    is_good = np.concatenate(([False], good, [False]))
    places = np.arange(1, len(long) + 1)
    before, after = np.searchsorted(sure, places) - 1, np.searchsorted(sure, places, side="right")
    result: NDArray[np.bool_] = is_good[sure[before]] & is_good[sure[after]]
    return result
