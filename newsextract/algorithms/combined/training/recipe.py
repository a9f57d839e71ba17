"""The frozen recipe: from data sets with truth to the arrays of a model.

1. Pages whose truth has the whole text train *teachers*.
2. The teachers judge the pages of which only segments of the text, or none, are known; their judgement, corrected by the
   segments, is the truth of these pages. They are a third of all sites (F1 on a fold that was left out .930 → .937).
3. Both kinds together train the members that are shipped.

Cost: about five minutes on two cores for 2,000 pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.algorithm import stated_title
from newsextract.algorithms.combined.features import block_features
from newsextract.algorithms.combined.training import fit
from newsextract.algorithms.combined.training.batches import Example
from newsextract.algorithms.combined.training.labels import Labels, labels
from newsextract.errors import DataError
from newsextract.evaluation.datasets import TruthPage, read
from newsextract.page import Page

TEACHERS = 2
MEMBERS = 2
_UNSEEN = 0.5
"""Weight of pages of whose text the truth says nothing."""
_LEAST_TOKENS = 20
"""Pages of which the teachers choose less are left out."""
_LEFT_OUT = frozenset({"readability", "newspaper4k"})
"""Sources whose truth is the output of another tool."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


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
        if truth.source in _LEFT_OUT:
            continue
        page = Page(read(truth), url=truth.url)
        if page.dom.texts:
            known = labels(truth, page.dom.texts)
            features = block_features(page.dom, stated_title(page))
            weight = 1.0 if np.isfinite(known.wanted).any() else _UNSEEN
            yield Example(truth.id, truth.site, truth.fold, features, known, weight)


def train(given: Sequence[Example], progress: Progress, *, seed: int = 0) -> Trained:
    """Teachers, labels for the pages with segments, members.

    :raises DataError: no page has a whole text.
    """
    whole = [example for example in given if example.labels.true]
    partial = [example for example in given if not example.labels.true]
    if not whole:
        raise DataError("no page has text and a truth; training needs data sets whose truth.jsonl gives texts")
    mean, deviation = fit.standard(whole)

    def member(examples: Sequence[Example], own: int, what: str) -> fit.Weights:
        return fit.fit(examples, mean, deviation, seed=seed + own, progress=lambda done, all_: progress(what, done, all_))

    judged: list[Example] = []
    if partial:
        teachers = [member(whole, number, f"teacher {number + 1} of {TEACHERS}") for number in range(TEACHERS)]
        judged = list(_judged(partial, teachers, mean, deviation))
    everything = [*whole, *judged]
    members = [member(everything, 100 + number, f"member {number + 1} of {MEMBERS}") for number in range(MEMBERS)]
    arrays = fit.stacked(members, mean, deviation)
    return Trained(arrays, len(whole), len(judged), len({example.site for example in everything}))


def _judged(
    partial: Sequence[Example],
    teachers: Sequence[fit.Weights],
    mean: NDArray[np.float32],
    deviation: NDArray[np.float32],
) -> Iterator[Example]:
    """Pages with segments, the unknown blocks judged by the teachers."""
    judgements = [fit.predict(teacher, partial, mean, deviation) for teacher in teachers]
    for example, *own in zip(partial, *judgements, strict=True):
        wanted = np.where(np.isfinite(example.labels.wanted), example.labels.wanted, np.mean(own, axis=0))
        true = float((example.labels.tokens * wanted).sum())
        if true >= _LEAST_TOKENS:
            yield replace(example, labels=Labels(example.labels.tokens, wanted, true))
