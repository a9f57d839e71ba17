"""Models of whole pages that scikit-learn fits: what kind a page is, and where its records are (`visual_blocks`).

The shipped files need nothing of scikit-learn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks import algorithm as visual_blocks
from newsextract.algorithms.visual_blocks import candidate_features
from newsextract.algorithms.visual_blocks.algorithm import DescribedCandidates, Judges, Trees, describe
from newsextract.algorithms.visual_blocks.candidates import Candidate
from newsextract.discovery.kinds import KINDS, KindModel, Signs, signs, standard, word_scale
from newsextract.errors import DataError, MissingExtra
from newsextract.lab.datasets import FOLDS, TruthPage, read
from newsextract.lab.metrics import TrueRecords, match
from newsextract.page.nodes import Geometry, Nodes
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot

try:
    from scipy.sparse import csr_matrix, hstack
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.linear_model import LogisticRegression
except ImportError as error:
    raise MissingExtra("scikit-learn", "train", "training the page kinds and visual_blocks") from error

# --- kinds ----------------------------------------------------------------------------------------
# The model of page kinds from data sets with truth.
#
# Pages whose truth names their kind count fully; those of sets that hold articles alone, and pages of search results, which
# are listings, a fifth: they are many and of few sorts. From which probability on a page is an article is set on pages of
# sites that the regression had not seen, so that :data:`LOST` of the articles whose truth names the kind are lost.
# The numbers were chosen on folds 1-4 of the modern pages; half or double moves the share of right kinds by .01.

LOST = 0.0145
"""Share of the articles that are called something else."""
_STRENGTH = 1.0
"""Of the regression: the inverse of how much weights are held back."""
_LEAST_SITES = 8
"""Sites, with a known kind, on which a word occurs."""
_OTHER_WEIGHT = 0.2
_KIND_OF: Mapping[str, str] = {"search": "listing", "list": "listing"}
"""Kinds of record pages that have another name here."""
_MIXED = frozenset(("cleaneval", "cleanportal"))
"""Sources without kinds that hold front pages and lists, too."""


@dataclass(frozen=True, slots=True, eq=False)
class KindExample:
    """A page of a known kind."""

    page_id: str
    signs: Signs
    kind: int
    site: str
    fold: int
    is_stated: bool
    """Whether its truth names the kind."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedKinds:
    """What training gives."""

    model: KindModel
    unseen: NDArray[np.float64]
    """Probabilities of the examples, each by a regression that has not seen its site."""


def examples(
    pages: Sequence[TruthPage], lists: Sequence[TruthPage], progress: Callable[[str, int, int], None]
) -> Iterator[KindExample]:
    """The pages that can be trained on; outputs of tools are left out, because most of them are made up.

    :param lists: pages of many records.
    """
    everything = [*pages, *lists]
    for done, truth in enumerate(everything, 1):
        progress("reading", done, len(everything))
        kind, is_list = _KIND_OF.get(truth.kind, truth.kind) or "article", done > len(pages)
        if kind not in KINDS or truth.source in _MIXED or (truth.truth == "tool" and not is_list):
            continue
        page = Page(read(truth), truth.url)
        if page.dom.texts:
            is_stated = bool(truth.kind) and not is_list
            yield KindExample(truth.id, signs(page), KINDS.index(kind), truth.site, truth.fold, is_stated)


def train(given: Sequence[KindExample]) -> FittedKinds:
    """Fit the model, and tell what it makes of pages that it has not seen."""
    folds = np.array([example.fold for example in given])
    stated_articles = np.array([example.is_stated and example.kind == 0 for example in given], dtype=np.bool_)
    if {example.kind for example in given if example.is_stated} != set(range(len(KINDS))) or len(
        set(folds[stated_articles].tolist())
    ) < 2:
        raise DataError(
            "training the page kinds needs a data set whose truth.jsonl names pages of all seven kinds, and two folds"
        )
    unseen = np.zeros((len(given), len(KINDS)))
    for fold in range(FOLDS):
        others = [example for example in given if example.fold != fold]
        own = np.flatnonzero(folds == fold)
        if len(own):
            fitted = _fit(others, 0.5)
            unseen[own] = [fitted.probabilities(given[i].signs) for i in own.tolist()]
    least = float(np.clip(np.quantile(unseen[stated_articles, 0], LOST), 0.01, 0.99))
    return FittedKinds(_fit(given, least), unseen)


def unseen_kinds(
    pages: Sequence[TruthPage], lists: Sequence[TruthPage], progress: Callable[[str, int, int], None]
) -> dict[str, tuple[float, ...]]:
    """Page id → the probabilities of its kinds, by a regression that has not seen its fold of the sites.

    :raises DataError: the pages are not of all kinds.
    """
    given = list(examples(pages, lists, progress))
    fitted = train(given)
    found = {example.page_id: tuple(row.tolist()) for example, row in zip(given, fitted.unseen, strict=True)}
    for truth in pages:
        if truth.id not in found:  # of a mixed source, so that no regression has seen it
            known = fitted.model.probabilities(signs(Page(read(truth), truth.url)))
            found[truth.id] = tuple(known.tolist())
    return found


def _fit(given: Sequence[KindExample], least_article: float) -> KindModel:
    words = {word: row for row, word in enumerate(_vocabulary(given))}
    figures = np.array([example.signs.figures for example in given])
    mean, deviation = figures.mean(axis=0).astype(np.float32), (figures.std(axis=0) + 1e-6).astype(np.float32)
    known = [sorted(words[word] for word in example.signs.words if word in words) for example in given]
    values = np.concatenate([np.full(len(rows), word_scale(len(rows))) for rows in known])
    starts = np.cumsum([0, *map(len, known)])
    matrix = csr_matrix((values, np.concatenate(known), starts), shape=(len(given), len(words)))
    weights = [1.0 if example.is_stated else _OTHER_WEIGHT for example in given]
    regression = LogisticRegression(C=_STRENGTH, max_iter=300).fit(
        hstack((matrix, csr_matrix(standard(figures, mean, deviation)))).tocsr(),
        np.array([example.kind for example in given]),
        sample_weight=weights,
    )
    coefficients = regression.coef_.T.astype(np.float32)
    return KindModel(
        words,
        np.ascontiguousarray(coefficients[: len(words)]),
        np.ascontiguousarray(coefficients[len(words) :]),
        regression.intercept_.astype(np.float32),
        mean,
        deviation,
        least_article,
    )


def _vocabulary(given: Sequence[KindExample]) -> list[str]:
    """The words that occur on enough sites."""
    sites: dict[str, set[str]] = defaultdict(set)
    for example in given:
        if example.is_stated:
            for word in example.signs.words:
                sites[word].add(example.site)
    found = sorted(word for word, where in sites.items() if len(where) >= _LEAST_SITES and "\n" not in word)
    if not found:
        raise DataError(f"no word occurs on {_LEAST_SITES} sites; training the page kinds needs more pages")
    return found


# --- emptied --------------------------------------------------------------------------------------
# A page without its records: what pages that have none look like.
#
# Menus, filters, related links and footers are left as they were. So the trees learn that the best of these is not good,
# which they never see on pages with records: there something better stands beside them.


def emptied(nodes: Nodes, records: Candidate) -> Nodes:
    """The page without these records. Where it was drawn, what stood below them moves up."""
    edges = np.zeros(len(nodes) + 1, dtype=np.int64)
    np.add.at(edges, records.firsts, 1)
    np.add.at(edges, nodes.ends[records.lasts], -1)
    gone = np.cumsum(edges[:-1]) > 0
    before = np.concatenate(([0], np.cumsum(~gone))).astype(np.int32)
    kept = np.flatnonzero(~gone)
    numbers = kept.tolist()
    parents = nodes.parents[kept]
    return Nodes(
        [nodes.tags[node] for node in numbers],
        [nodes.texts[node] for node in numbers],
        [nodes.attributes[node] for node in numbers],
        np.where(parents >= 0, before[np.maximum(parents, 0)], -1).astype(np.int32),
        before[nodes.ends[kept]],
        nodes.depths[kept],
        nodes.visible[kept],
        None if nodes.geometry is None else _drawn(nodes.geometry, gone),
    )


def _drawn(geometry: Geometry, gone: NDArray[np.bool_]) -> Geometry:
    """The boxes that are left: below the records higher up, around them lower."""
    boxes = geometry.boxes[~gone]
    width, height = geometry.page_size
    lost = geometry.boxes[gone]
    lost = lost[(lost[:, 2:] > 0).all(axis=1)]
    if len(lost):
        top, bottom = float(lost[:, 1].min()), float((lost[:, 1] + lost[:, 3]).max())
        below = boxes[:, 1] >= bottom
        around = (boxes[:, 1] <= top) & (boxes[:, 1] + boxes[:, 3] >= bottom)
        boxes[below, 1] -= bottom - top
        boxes[around, 3] -= bottom - top
        height = max(1.0, height - (bottom - top))
    return replace(geometry, boxes=boxes, styles=geometry.styles[~gone], page_size=(width, height))


# --- examples -------------------------------------------------------------------------------------
# What a page with true records teaches: how good each of its candidate sets is, and which of their records are real.
#
# A page teaches twice: as it is, and without its records (*emptied*).

_FAR = 6
"""A candidate with this many times more or fewer records than there are counts as wrong without being compared."""
_GOOD = 0.5
"""Least F1 of a candidate whose records are taken as examples of records."""
_GOOD_SETS = 3
"""Such candidates of a page, the best ones."""
_FOUND = 0.9
"""Least F1 of the candidate whose records are taken out of a page, so that a page without records is left."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordExample:
    """A page."""

    site: str
    features: NDArray[np.float32]
    """Of its candidates."""
    shares: NDArray[np.float64]
    """Their F1."""
    records: list[tuple[NDArray[np.float32], NDArray[np.bool_]]]
    """For some good candidates the features of their records, and which are right."""


def lessons(site: str, nodes: Nodes, true: Sequence[str]) -> list[RecordExample]:
    """What a page teaches, as it is and without its records; nothing where it has no candidates.

    :param true: texts of the true records, at least one.
    """
    page = describe(nodes)
    if page is None:
        return []
    compared = TrueRecords(true)
    whole = _example(site, nodes, page, compared)
    best = int(whole.shares.argmax())
    if whole.shares[best] < _FOUND:
        return [whole]
    rest = emptied(nodes, page.found[best])
    left = describe(rest)
    if left is None:
        return [whole]
    without = _example(site, rest, left, compared)
    return [whole] if without.shares.any() else [whole, without]


def _example(site: str, nodes: Nodes, page: DescribedCandidates, true: TrueRecords) -> RecordExample:
    texts = [nodes.texts[node] for node in nodes.shown.tolist()]
    count = len(true.bags)
    shares = np.zeros(len(page.found))
    right: dict[int, NDArray[np.bool_]] = {}
    for number, candidate in enumerate(page.found):
        if not count / _FAR <= len(candidate) <= _FAR * count + _FAR:
            continue
        predicted = [" ".join(texts[first:end]) for first, end in candidate.spans.tolist()]
        pairs = match(true, predicted)
        shares[number] = 2 * len(pairs) / (len(predicted) + count)
        right[number] = np.isin(np.arange(len(predicted)), list(pairs))
    best = [int(number) for number in np.argsort(-shares, kind="stable")[:_GOOD_SETS] if shares[number] >= _GOOD]
    records = [
        (candidate_features.record_features(page.columns, page.counts, page.found[number]), right[number]) for number in best
    ]
    return RecordExample(site, page.features, shares, records)


# --- fit ------------------------------------------------------------------------------------------
# Boosted trees fitted with scikit-learn: one ensemble scores candidate sets, one judges records.
#
# A site counts by the square root of its pages, so that large sites do not decide. Few of a page's candidates are good: of
# the bad ones some are left out. Numbers were chosen by cross-validation over folds 1-4.

MEMBERS = 4
SETS = {"max_iter": 200, "learning_rate": 0.08, "max_leaf_nodes": 15, "min_samples_leaf": 20, "l2_regularization": 1.0}
RECORDS = {"max_iter": 200, "learning_rate": 0.06, "max_leaf_nodes": 9, "min_samples_leaf": 20, "l2_regularization": 3.0}
BOTH: dict[str, Any] = {"max_depth": 7, "max_features": 0.3, "max_bins": 64, "early_stopping": False}
_BAD = 0.05
"""F1 up to which a candidate is bad."""
_FIRST_BAD, _OTHER_BAD = 15, 15
"""Bad candidates of a page that are kept: the first ones, and others at random."""
_MANY = 10
"""Records of one set that count whole; more count by the square root."""


def fit(examples: Sequence[RecordExample], seed: int = 0) -> Judges:
    """The judges for pages like these."""
    pages = Counter(example.site for example in examples)
    dice = np.random.default_rng(seed)
    candidates, records = [], []
    for example in examples:
        weight = pages[example.site] ** -0.5
        kept = _kept(example.shares, dice)
        candidates.append((example.features[kept], example.shares[kept], weight))
        for features, right in example.records:
            records.append((features, right.astype(np.float64), weight * min(1.0, _MANY / len(right)) ** 0.5))
    sets = [
        _fitted(HistGradientBoostingRegressor(**SETS, **BOTH, random_state=seed + member), candidates)
        for member in range(MEMBERS)
    ]
    return Judges(mean(sets), _fitted(HistGradientBoostingClassifier(**RECORDS, **BOTH, random_state=seed), records))


def _fitted(model: Any, lessons: Sequence[tuple[NDArray[np.float32], NDArray[np.float64], float]]) -> Trees:
    """The trees that a model fits to features and values; each lesson has a weight."""
    weights = np.repeat([weight for _, _, weight in lessons], [len(values) for _, values, _ in lessons])
    rows, values = (np.concatenate([lesson[part] for lesson in lessons]) for part in (0, 1))
    return _trees(model.fit(rows, values, sample_weight=weights))


def _kept(shares: NDArray[np.float64], dice: np.random.Generator) -> NDArray[np.int64]:
    """The candidates of a page to learn from."""
    bad = np.flatnonzero(shares <= _BAD)
    others = dice.permutation(bad[_FIRST_BAD:])[:_OTHER_BAD]
    return np.concatenate((np.flatnonzero(shares > _BAD), bad[:_FIRST_BAD], others))


def _trees(model: Any) -> Trees:
    """scikit-learn's trees as arrays; children are put side by side."""
    rows: list[tuple[int, float, int]] = []  # feature (-1: a leaf), threshold or value, left child
    roots: list[int] = []
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        roots.append(len(rows))
        waiting = [0]
        for number in waiting:  # grows while it is read
            node = nodes[number]
            if node["is_leaf"]:
                rows.append((-1, float(node["value"]), len(rows)))
            else:
                rows.append((int(node["feature_idx"]), float(node["num_threshold"]), roots[-1] + len(waiting)))
                waiting += (int(node["left"]), int(node["right"]))
    feature, threshold, left = zip(*rows, strict=True)
    return Trees(
        np.array(feature, dtype=np.int16),
        np.array(threshold, dtype=np.float32),
        np.array(left, dtype=np.int32),
        np.array(roots, dtype=np.int32),
        np.array(model._baseline_prediction, dtype=np.float32).reshape(1),
    )


def mean(members: Sequence[Trees]) -> Trees:
    """One ensemble whose values are the mean of the members' values."""
    sizes = np.cumsum([0, *(len(member.feature) for member in members)])[:-1]
    leaf = np.concatenate([member.feature < 0 for member in members])
    threshold = np.concatenate([member.threshold for member in members])
    threshold[leaf] /= len(members)
    return Trees(
        np.concatenate([member.feature for member in members]),
        threshold,
        np.concatenate([member.left + np.int32(size) for member, size in zip(members, sizes, strict=True)]),
        np.concatenate([member.roots + np.int32(size) for member, size in zip(members, sizes, strict=True)]),
        np.array([np.mean([member.constant[0] for member in members])], dtype=np.float32),
    )


# --- recipe ---------------------------------------------------------------------------------------
# Pages as a browser saw them teach the judges of ``visual``, their sources those of ``dom``. The sets of a rendered page are
# scored by the trees of both kinds. Those for the source know nothing of style sheets, so they do not mind that some are
# missing; on rendered pages the mean is better than either, see docs/measurements/visual_blocks.md.


def judges(learned: Mapping[str, Sequence[RecordExample]], seed: int = 0) -> dict[str, Judges]:
    """The judges of each kind for pages like these.

    :param learned: by kind.
    """
    found = {kind: fit(learned[kind], seed) for kind in visual_blocks.KINDS}
    visual, dom = found["visual"], found["dom"]
    # the features of ``dom`` are the first columns of those of ``visual``
    return {"visual": Judges(mean((visual.sets, dom.sets)), visual.records), "dom": dom}


def record_examples(
    pages: Sequence[tuple[TruthPage, Path]], told: Callable[[int, int], None]
) -> Mapping[str, list[RecordExample]]:
    """What the pages teach, by kind.

    :param pages: each with its snapshot.
    """
    if not pages:
        raise DataError("no pages are left to train on; exclude fewer folds")
    found: dict[str, list[RecordExample]] = {kind: [] for kind in visual_blocks.KINDS}
    for done, (page, snapshot) in enumerate(pages, 1):
        true = [record.text for record in page.records]
        for kind in visual_blocks.KINDS:
            nodes = Snapshot.load(snapshot).nodes if kind == "visual" else Page(read(page)).nodes
            found[kind] += lessons(page.site, nodes, true) if true else []
        told(done, len(pages))
    return found
