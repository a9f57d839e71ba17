"""What each part of `combined` is worth: one member trained without it, cross-validated over folds 1-4.

    python -m benchmarks.ablation [DATA …] [--only NAME …] [--seed N]

Each line is four trainings (each without one of the folds 1-4, and without fold 0) on the pages whose truth has the whole
text, and the F1 on the folds left out, with the true title taken for granted. About two minutes a line on two cores. Two
seeds differ by .002: what is worth less does not show here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

from newsextract.algorithms.combined import features, phrases
from newsextract.algorithms.combined.choice import choose
from newsextract.algorithms.combined.features import BlockFeatures
from newsextract.lab import datasets, train_combined, train_combined_pages
from newsextract.lab.datasets import Prediction, TruthPage
from newsextract.lab.metrics import PageScore, score_page, summarize
from newsextract.lab.train_combined_pages import Example
from newsextract.page.dom import Dom

SETS = [Path("../shared/bench/articles"), Path("../shared/bench/articles-zh")]
GROUPS: dict[str, Callable[[str], bool]] = {
    "text statistics": lambda name: name in features.TEXT_NAMES,
    "phrases": lambda name: name in phrases.phrase_names(),
    "tags and ancestors": lambda name: name.startswith(("tag_", "parent_tag_", "in_")) and name not in features.CONTAINERS,
    "words of class and id": lambda name: _is_word(name),
    "place": lambda name: name in features.PLACES,
    "group of the tag path": lambda name: name.startswith("path_"),
    "group of the class path": lambda name: name.startswith("class_path_"),
    "groups of the elements above": lambda name: (
        name.startswith(("parent_", "grandparent_")) and name.partition("_")[2] in features.NAMES
    ),
    "best container": lambda name: name in features.CONTAINERS,
    "headline": lambda name: name.startswith("headline_"),
}
OTHERS = ("nothing", "variants of the pages", "hiding words of class and id", "half weight of two sources")


def _is_word(name: str) -> bool:
    kinds = features.kinds()
    return any(name == f"{place}_{kind}" for place in ("own", "parent", "inherited") for kind in kinds)


@contextmanager
def left_out(part: str, given: Sequence[Example]) -> Iterator[list[Example]]:
    """The examples, and training, without a part."""
    if part == "variants of the pages":
        with mock.patch.object(train_combined, "CHANGED", 0.0):
            yield list(given)
    elif part == "hiding words of class and id":
        with mock.patch.object(train_combined, "HIDE_WORDS", 0.0):
            yield list(given)
    elif part == "half weight of two sources":
        yield [replace(example, weight=1.0) for example in given]
    elif part in GROUPS:
        dropped = np.array([GROUPS[part](name) for name in features.names()])
        block_features = features.block_features

        def without(dom: Dom, title: str) -> BlockFeatures:
            found = block_features(dom, title)
            found.matrix[:, dropped] = 0
            return found

        with mock.patch.object(train_combined_pages, "block_features", without):
            yield [replace(e, features=replace(e.features, matrix=np.where(dropped, 0, e.features.matrix))) for e in given]
    else:
        yield list(given)


def measured(given: Sequence[Example], truths: dict[str, TruthPage], seed: int) -> list[PageScore]:
    """The scores of the folds 1-4, each judged by a network that was trained without it."""
    scores: list[PageScore] = []
    for fold in range(1, datasets.FOLDS):
        known = [e for e in given if e.fold not in (datasets.TEST_FOLD, fold) and e.page.labels.true]
        own = [e for e in given if e.fold == fold and e.page.labels.true]
        scale = train_combined.standard(known)
        weights = train_combined.fit(known, scale, seed=seed)
        for example, probabilities in zip(own, train_combined.predict(weights, own, scale), strict=True):
            dom, truth = example.page.dom, truths[example.page_id]
            text = dom.text(choose(dom, probabilities).tolist())
            scores.append(score_page(truth, Prediction(id=truth.id, text=text, title=truth.title)))
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DATA", nargs="*", type=Path, default=SETS, help="data sets of articles")
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=[*OTHERS, *GROUPS], default=[*OTHERS, *GROUPS])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for name in features.names():
        assert sum(has(name) for has in GROUPS.values()) == 1, f"{name}: in no group, or in several"
    pages = [page for page in datasets.load(arguments.directories) if page.fold != datasets.TEST_FOLD]
    given = list(train_combined.examples(pages, lambda what, done, total: None))
    truths = {page.id: page for page in pages}
    print(f"{'left out':30}{'F1':>14}{'qualified':>11}")
    for part in arguments.only:
        with left_out(part, given) as examples:
            total = summarize(measured(examples, truths, arguments.seed), bootstrap=1000)
        print(f"{part:30}{f'{total.f1:.4f} ± {total.f1_sd:.4f}':>14}{total.qualified:11.3f}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
