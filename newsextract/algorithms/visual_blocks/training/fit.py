"""Boosted trees fitted with scikit-learn: one ensemble scores candidate sets, one judges records.

A site counts by the square root of its pages, so that large sites do not decide. Few of a page's candidates are good: of
the bad ones some are left out. Numbers were chosen by cross-validation over folds 1-4.

Cost: 10 s for 450 pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.visual_blocks.model import Judges
from newsextract.algorithms.visual_blocks.training.examples import Example
from newsextract.algorithms.visual_blocks.trees import Trees
from newsextract.errors import MissingExtra

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


def fit(examples: Sequence[Example], seed: int = 0) -> Judges:
    """The judges for pages like these.

    :raises MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    except ImportError as error:
        raise MissingExtra("scikit-learn", "train", "training visual_blocks") from error
    pages = Counter(example.site for example in examples)
    dice = np.random.default_rng(seed)
    rows, values, weights = [], [], []
    for example in examples:
        kept = _kept(example.shares, dice)
        rows.append(example.features[kept])
        values.append(example.shares[kept])
        weights.append(np.full(len(kept), pages[example.site] ** -0.5))
    sets: list[Trees] = []
    for member in range(MEMBERS):
        regressor = HistGradientBoostingRegressor(**SETS, **BOTH, random_state=seed + member)
        regressor.fit(np.concatenate(rows), np.concatenate(values), sample_weight=np.concatenate(weights))
        sets.append(_trees(regressor))
    rows, values, weights = [], [], []
    for example in examples:
        for features, right in example.records:
            rows.append(features)
            values.append(right.astype(np.float64))
            weight = pages[example.site] ** -0.5 * min(1.0, _MANY / len(right)) ** 0.5
            weights.append(np.full(len(right), weight))
    classifier = HistGradientBoostingClassifier(**RECORDS, **BOTH, random_state=seed)
    classifier.fit(np.concatenate(rows), np.concatenate(values), sample_weight=np.concatenate(weights))
    return Judges(mean(sets), _trees(classifier))


def _kept(shares: NDArray[np.float64], dice: np.random.Generator) -> NDArray[np.int64]:
    """The candidates of a page to learn from."""
    bad = np.flatnonzero(shares <= _BAD)
    others = dice.permutation(bad[_FIRST_BAD:])[:_OTHER_BAD]
    return np.concatenate((np.flatnonzero(shares > _BAD), bad[:_FIRST_BAD], others))


def _trees(model: Any) -> Trees:
    """scikit-learn's trees as arrays; children are put side by side."""
    feature: list[int] = []
    threshold: list[float] = []
    left: list[int] = []
    roots: list[int] = []
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        roots.append(len(feature))
        waiting = [(0, len(feature))]
        feature.append(-1)
        threshold.append(0.0)
        left.append(roots[-1])
        for number, place in waiting:  # grows while it is read
            node = nodes[number]
            if node["is_leaf"]:
                threshold[place] = float(node["value"])
                continue
            feature[place], threshold[place], left[place] = (
                int(node["feature_idx"]),
                float(node["num_threshold"]),
                len(feature),
            )
            for child in (node["left"], node["right"]):
                waiting.append((int(child), len(feature)))
                feature.append(-1)
                threshold.append(0.0)
                left.append(len(feature) - 1)
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
