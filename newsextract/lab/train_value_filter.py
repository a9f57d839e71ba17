"""Training of the value filter (Wang & Cao 2016, §3.4): stop lists, information gain, counts, cross-validation.

Stop words are dropped, then features are the words whose presence tells most of the class: information gain

    IG(X) = H(C) - P(X=1)·H(C | X=1) - P(X=0)·H(C | X=0)

with the class probabilities of the model's prior. The default prior is one half each, whatever was counted: how many
worthless texts a page has (on the bench nine of ten blocks) says little of those that come to the filter, which the
density filter has chosen from. A word must occur in :data:`LEAST_TEXTS` texts of :data:`LEAST_GROUPS` groups, so that
the name of one site is no feature.

Cross-validation keeps groups (sites) together, chooses features anew in each fold, and is seeded. scikit-learn counts,
splits and scores; it is needed for training alone.

Cost: 5 s for 103,000 texts in five folds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.value_filter import PARTS, ScriptPart, ValueFilter, is_chinese, present, stop_words
from newsextract.errors import DataError, MissingExtra
from newsextract.lab import datasets
from newsextract.lab.datasets import TruthPage, load, read
from newsextract.lab.metrics import comparable
from newsextract.lab.train_combined_pages import block_truth
from newsextract.page.dom import Dom
from newsextract.page.page import Page
from newsextract.page.pruning import pruned

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
    """Labelled texts from JSON lines ``{"text", "label"}``, where ``group`` and ``lang`` may stand, too.

    :raises DataError: the file is missing, a line is malformed (the message has its number), or there is none.
    """
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
    group, lang = (datasets.optional(row, key, where) for key in ("group", "lang"))
    return LabelledText(text, int(label), group, lang)


# --- training -------------------------------------------------------------------------------------

FEATURES = 4_000
"""Words of each part. Body F1 of the baseline on folds 1-4, cross-validated by fold: 1,000 .772, 2,000 .774, 4,000 .785,
8,000 .792, without marks; the last would be a file over 300 kB."""
FOLDS = 5
SEED = 1
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
    """Say at once, before texts are gathered, that scikit-learn is missing.

    :raises MissingExtra: it is not installed.
    """
    if find_spec("sklearn") is None:
        raise MissingExtra("scikit-learn", "train", "training a value filter")


def train(items: Sequence[LabelledText], options: TrainingOptions | None = None, *, data: str = "") -> ValueFilter:
    """A filter from labelled texts; equal texts give an equal filter.

    :param data: name of the texts, for the card.
    :raises DataError: one class only, or too few texts or groups.
    :raises MissingExtra: scikit-learn is not installed, or rjieba is not and there are long Chinese texts.
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
    here = prior[:, None] * counts / texts[:, None]  # P(c, X=1)
    absent = prior[:, None] - here  # P(c, X=0)
    # Σ_c P(c,x) log P(c|x) is -P(x)·H(C|x)
    result: NDArray[np.float64] = _log_share(here) + _log_share(absent) - float((prior * np.log(prior)).sum())
    return result


def scores(labels: NDArray[np.int64], predicted: NDArray[np.int64]) -> dict[str, dict[str, float]]:
    """Precision, recall and F1 of each class, 0-1."""
    result = {}
    for label, name in enumerate(CLASSES):
        both = int(((labels == label) & (predicted == label)).sum())
        precision = both / max(1, int((predicted == label).sum()))
        recall = both / max(1, int((labels == label).sum()))
        f1 = 2 * precision * recall / (precision + recall) if both else 0.0
        result[name] = {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}
    return result


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
    """Whether both classes have enough texts and groups."""
    for label in range(len(CLASSES)):
        groups = [item.group or f"\0{i}" for i, item in enumerate(items) if item.label == label]
        if len(groups) < LEAST_OF_CLASS or len(set(groups)) < options.folds:
            return False
    return True


def _corpus(items: Sequence[LabelledText], indices: list[int], kind: str, options: TrainingOptions) -> _Corpus:
    """The texts of one kind."""
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


def _log_share(joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ_c P(c,x) log P(c|x) for each word; 0 log 0 is 0."""
    total = joint.sum(axis=0)
    terms = np.zeros_like(joint)
    np.divide(joint, total, out=terms, where=joint > 0)
    np.log(terms, out=terms, where=joint > 0)
    result: NDArray[np.float64] = (joint * terms).sum(axis=0)
    return result


# --- labels ---------------------------------------------------------------------------------------
# Labelled texts for the value filter, from pages whose true text is known.
#
# A text block is valuable where at least :data:`VALUABLE_SHARE` of its 4-grams stand in the truth, worthless where none
# does; what lies between is unclear and left out. A block of fewer than four words may stand in a truth by chance
# ("Share", "Berlin"): found there it is valuable only between two valuable blocks, else unclear. The headline is left
# out, because truths differ in whether they include it; so is what is pruned before the filter is asked (hidden elements,
# forms). Of one site each text counts once, however many pages repeat it, and not at all if it has both labels.
#
# Cost: 10 ms a page.

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


def _between(good: np.ndarray, long: np.ndarray) -> list[bool]:
    """Whether the nearest long blocks on both sides are good, for each block."""
    before = _last_long(good, long)
    after = _last_long(good[::-1], long[::-1])[::-1]
    return [a and b for a, b in zip(before, after, strict=True)]


def _last_long(good: np.ndarray, long: np.ndarray) -> list[bool]:
    last = False
    result = []
    for is_good, is_long in zip(good.tolist(), long.tolist(), strict=True):
        result.append(last)
        if is_long:
            last = is_good
    return result
