"""The recipe: pages as a browser saw them teach the judges of ``visual``, their sources those of ``dom``.

The sets of a rendered page are scored by the trees of both kinds. Those for the source know nothing of style sheets, so they
do not mind that some are missing; on rendered pages the mean is better than either, see docs/visual_blocks.md.

Cost: 3 minutes for 630 pages of both kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from newsextract.algorithms.visual_blocks.model import KINDS, Judges
from newsextract.algorithms.visual_blocks.training.examples import Example, lessons
from newsextract.algorithms.visual_blocks.training.fit import fit, mean
from newsextract.errors import DataError
from newsextract.evaluation.datasets import read
from newsextract.evaluation.record_datasets import RecordTruth
from newsextract.page import Page
from newsextract.snapshot import Snapshot

Told = Callable[[int, int], None]
"""Is told of progress: pages done, of how many."""


def train(pages: Sequence[tuple[RecordTruth, Path]], told: Told, seed: int = 0) -> dict[str, Judges]:
    """The judges of each kind.

    :param pages: each with its snapshot.
    :raises DataError: a page or snapshot is missing, or nothing is left to learn from.
    :raises MissingExtra: scikit-learn is not installed.
    """
    return judges(examples(pages, told), seed)


def judges(learned: Mapping[str, Sequence[Example]], seed: int = 0) -> dict[str, Judges]:
    """The judges of each kind for pages like these.

    :param learned: by kind.
    :raises MissingExtra: scikit-learn is not installed.
    """
    found = {kind: fit(learned[kind], seed) for kind in KINDS}
    visual, dom = found["visual"], found["dom"]
    # the features of ``dom`` are the first columns of those of ``visual``
    return {"visual": Judges(mean((visual.sets, dom.sets)), visual.records), "dom": dom}


def examples(pages: Sequence[tuple[RecordTruth, Path]], told: Told) -> Mapping[str, list[Example]]:
    """What the pages teach, by kind.

    :raises DataError: see :func:`train`.
    """
    if not pages:
        raise DataError("no pages are left to train on; exclude fewer folds")
    found: dict[str, list[Example]] = {kind: [] for kind in KINDS}
    for done, (page, snapshot) in enumerate(pages, 1):
        true = [record.text for record in page.records]
        for kind in KINDS:
            nodes = Snapshot.load(snapshot).nodes if kind == "visual" else Page(read(page)).nodes
            found[kind] += lessons(page.site, nodes, true) if true else []
        told(done, len(pages))
    return found
