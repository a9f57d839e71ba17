"""The frozen recipe: from data sets with truth to the arrays of a model.

1. Pages whose truth has the whole text train four *teachers*, each without a quarter of the sites.
2. Each teacher judges the quarter it has not seen. The mean of judgement and truth is what is learnt from then on: habits
   of single truths (comments in or out, captions) weigh less, what the sites have in common more.
3. The teachers judge the pages of which only segments of the text, or none, are known; their judgement, corrected by the
   segments, is the truth of these pages. They are a third of all sites.
4. Both kinds together train the members that are shipped.
5. Each teacher's choices on the quarter it has not seen, and those texts after a second opinion (:mod:`..second_opinion`),
   compared with the truth, fit the confidences and the choice by kind (:mod:`.kind_choice`).

Cost: about ten minutes of CPU time for 3,500 pages, and 3 GB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.choice import choose
from newsextract.algorithms.combined.confidence import signs
from newsextract.algorithms.combined.features import block_features
from newsextract.algorithms.combined.kind_choice import KindChoice
from newsextract.algorithms.combined.model import CHOICE
from newsextract.algorithms.combined.second_opinion import fused
from newsextract.algorithms.combined.stated_title import stated_title
from newsextract.algorithms.combined.training import fit, kind_choice
from newsextract.algorithms.combined.training.batches import Example
from newsextract.algorithms.combined.training.labels import Labels, labels
from newsextract.algorithms.combined.training.variants import Labelled, columns
from newsextract.errors import DataError, MissingExtra
from newsextract.evaluation.calibration import GOOD
from newsextract.evaluation.datasets import TruthPage, read
from newsextract.page import Page

try:
    from sklearn.linear_model import LogisticRegression
except ImportError as error:
    raise MissingExtra("scikit-learn", "train", "training combined") from error

TEACHERS = 4
MEMBERS = 2
JUDGEMENT = 0.5
"""Weight of the judgement against the truth. On folds 2 and 3 it does not move F1 (.9405 against .9411 with one member), but
the members differ by .001 instead of .004, and more pages are qualified (.49 against .48)."""
_UNSEEN = 0.5
"""Weight of pages of whose text the truth says nothing."""
_HABITS: Mapping[str, float] = {"cleaneval": 0.35, "dragnet": 0.35}
"""Weights of sources whose truths often hold comments, bylines and menus, too, and whose pages of 2006 and 2012 are many."""
_LEAST_TOKENS = 20
"""Pages of which the teachers choose less are left out."""
_TOOL = "tool"
"""Truths that are the output of another tool teach that tool: their pages are left out."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""
Judgement = NDArray[np.float64]
"""A probability for each block of a page."""


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """What training gives."""

    arrays: dict[str, NDArray[np.float32]]
    pages: int
    judged_pages: int
    """Those that the teachers labelled."""
    sites: int


def examples(pages: Sequence[TruthPage], progress: Progress) -> Iterator[Example]:
    """The pages that can be trained on, with features and labels."""
    for done, truth in enumerate(pages, 1):
        progress("reading", done, len(pages))
        if truth.truth == _TOOL:
            continue
        page = Page(read(truth), url=truth.url)
        dom = page.dom
        if dom.texts:
            title = stated_title(dom)
            features = block_features(dom, title)
            known = labels(truth, dom.texts, title)
            weight = _HABITS.get(truth.source, 1.0) if np.isfinite(known.wanted).any() else _UNSEEN
            yield Example(
                truth.id, truth.site, truth.fold, Labelled(columns(dom), title, known), features, weight, truth.kind
            )


def train(given: Sequence[Example], progress: Progress, *, seed: int = 0) -> Trained:
    """Teachers, labels for the pages with segments, members, confidence.

    :raises DataError: fewer than four sites have pages with a whole text, or all pages are judged alike.
    """
    whole = [example for example in given if example.page.labels.true]
    partial = [example for example in given if not example.page.labels.true]
    sites = sorted({example.site for example in whole})
    if len(sites) < TEACHERS:
        raise DataError(
            f"{len(sites)} sites have pages with text and a truth; training needs data sets whose truth.jsonl gives texts,"
            f" of at least {TEACHERS} sites"
        )
    mean, deviation = fit.standard(whole)

    def member(examples: Sequence[Example], own: int, what: str) -> fit.Weights:
        return fit.fit(examples, mean, deviation, seed=seed + own, progress=lambda done, all_: progress(what, done, all_))

    judgements: list[list[Judgement]] = []
    unseen: list[tuple[Example, Judgement]] = []
    for number in range(TEACHERS):
        quarter = frozenset(sites[number::TEACHERS])
        teacher = member([e for e in whole if e.site not in quarter], number, f"teacher {number + 1} of {TEACHERS}")
        judgements.append(fit.predict(teacher, partial, mean, deviation))
        left_out = [example for example in whole if example.site in quarter]
        unseen += zip(left_out, fit.predict(teacher, left_out, mean, deviation), strict=True)
    judged = list(_judged(partial, judgements))
    everything = [*(_softened(example, judgement) for example, judgement in unseen), *judged]
    members = [member(everything, 100 + number, f"member {number + 1} of {MEMBERS}") for number in range(MEMBERS)]
    choice = kind_choice.train(list(kind_choice.examples(unseen)))
    own = {CHOICE + name: getattr(choice, name) for name in KindChoice.shapes()} if choice else {}
    arrays = fit.stacked(members, mean, deviation) | _confidences(unseen) | own
    return Trained(arrays, len(whole), len(judged), len({example.site for example in everything}))


def _softened(example: Example, judgement: Judgement) -> Example:
    """A page with a truth that is half a judgement."""
    known = example.page.labels
    wanted = (1 - JUDGEMENT) * known.wanted + JUDGEMENT * judgement
    return replace(example, page=replace(example.page, labels=Labels(known.tokens, wanted, known.true)))


def _judged(partial: Sequence[Example], judgements: Sequence[Sequence[Judgement]]) -> Iterator[Example]:
    """Pages with segments, the unknown blocks judged by the teachers."""
    for example, *own in zip(partial, *judgements, strict=True):
        known = example.page.labels
        wanted = np.where(np.isfinite(known.wanted), known.wanted, np.mean(own, axis=0))
        true = float((known.tokens * wanted).sum())
        if true >= _LEAST_TOKENS:
            yield replace(example, page=replace(example.page, labels=Labels(known.tokens, wanted, true)))


def _confidences(unseen: Sequence[tuple[Example, Judgement]]) -> dict[str, NDArray[np.float32]]:
    """The weights that tell how sure a choice is, before and after a second opinion.

    :raises DataError: all choices are good, or none.
    """
    chosen: list[tuple[NDArray[np.float64], bool]] = []
    both: list[tuple[NDArray[np.float64], bool]] = []
    for example, probabilities in unseen:
        dom, known = example.page.dom, example.page.labels
        blocks = choose(dom, probabilities)
        if len(blocks):
            chosen.append((signs(probabilities, dom.sizes, blocks), _is_good(known, blocks)))
        blocks, figures = fused(dom, probabilities, blocks)
        if len(blocks):
            both.append((figures, _is_good(known, blocks)))
    return {"confidence": _regression(chosen), "second_opinion": _regression(both)}


def _is_good(known: Labels, chosen: NDArray[np.intp]) -> bool:
    """Whether the F1 of a choice is over :data:`GOOD`."""
    return known.f1(chosen) > GOOD


def _regression(rows: Sequence[tuple[NDArray[np.float64], bool]]) -> NDArray[np.float32]:
    """A weight for each figure, and a constant."""
    matrix, good = np.array([figures for figures, _ in rows]), np.array([good for _, good in rows])
    if len(set(good.tolist())) < 2:
        raise DataError("all pages are judged alike; to fit the confidence training needs more pages with text and a truth")
    middle, width = matrix.mean(axis=0), matrix.std(axis=0) + 1e-6
    regression = LogisticRegression(C=0.3, max_iter=1_000).fit((matrix - middle) / width, good)
    weights = regression.coef_[0] / width
    return np.append(weights, regression.intercept_[0] - weights @ middle).astype(np.float32)
