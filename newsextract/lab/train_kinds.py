"""The model of page kinds from data sets with truth: scikit-learn fits it, the shipped file needs nothing of it.

Pages whose truth names their kind count fully; those of sets that hold articles alone, and pages of search results, which
are listings, a fifth: they are many and of few sorts. From which probability on a page is an article is set on pages of
sites that the regression had not seen, so that :data:`LOST` of the articles whose truth names the kind are lost.
The numbers were chosen on folds 1-4 of the modern pages; half or double moves the share of right kinds by .01.

Cost: a minute and a half for 3,500 pages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.discovery.kinds import KINDS, KindModel, Signs, signs, standard, word_scale
from newsextract.errors import DataError, MissingExtra
from newsextract.lab.datasets import FOLDS, RecordTruth, TruthPage, read
from newsextract.page.page import Page

try:
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression
except ImportError as error:
    raise MissingExtra("scikit-learn", "train", "training the page kinds") from error

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
    pages: Sequence[TruthPage], lists: Sequence[RecordTruth], progress: Callable[[str, int, int], None]
) -> Iterator[KindExample]:
    """The pages that can be trained on; outputs of tools are left out, because most of them are made up.

    :param lists: pages of many records.
    """
    everything: list[TruthPage | RecordTruth] = [*pages, *lists]
    for done, truth in enumerate(everything, 1):
        progress("reading", done, len(everything))
        kind = _KIND_OF.get(truth.kind, truth.kind) or "article"
        if kind not in KINDS or truth.source in _MIXED or (isinstance(truth, TruthPage) and truth.truth == "tool"):
            continue
        page = Page(read(truth), truth.url)
        if page.dom.texts:
            is_stated = isinstance(truth, TruthPage) and bool(truth.kind)
            yield KindExample(truth.id, signs(page), KINDS.index(kind), truth.site, truth.fold, is_stated)


def train(given: Sequence[KindExample]) -> FittedKinds:
    """Fit the model, and tell what it makes of pages that it has not seen.

    :raises DataError: too few kinds, or articles of fewer than two folds.
    """
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
    pages: Sequence[TruthPage], lists: Sequence[RecordTruth], progress: Callable[[str, int, int], None]
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
