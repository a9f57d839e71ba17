"""Fits the weights of the title ranker (``newsextract/fields/data/title_weights.toml``) and prints how well they do.

    python -m benchmarks.title_weights ../shared/bench/articles ../shared/bench/articles-zh [--model FILE] [--write]

A softmax over each page's candidates, L2 penalty 1, on the titled pages of folds 1–4 whose true title is a candidate
and is no day heading: some sources give "Wednesday, October 24, 2012" as title, 6 % of all, although the post has a
heading of its own on nearly all of these pages. They count as wrong in "exact"; "without day headings" leaves them out.
Pages whose truth is another tool's output are not trained on either. Surroundings are those of ``combined``; the shipped
model has seen all folds, ``--model`` gives one that has not seen fold 0. Cross-validated by site; fold 0 prints its
totals only. Deterministic; half a minute.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from newsextract import Page, algorithms
from newsextract.fields.title import candidates
from newsextract.lab.datasets import TruthPage, load, read
from newsextract.lab.metrics import comparable

PENALTY = 1.0
SMALLEST = 0.05
"""Smaller weights are dropped."""
FEED = 1.6
"""By hand: no page of the bench has a feed's title; it stands between og:title and JSON-LD."""
DAY = -3.0
"""By hand: a day is a headline only where there is no other; the training leaves out the pages that could say so."""
HOME, MARKED = -3.0, 1.5
"""By hand: a heading that links to the site's start is the site's; what class or place makes a headline is read on pages
that state none, which are too few to be fitted on."""
STEPS = 3_000
_DAY_HEADING = re.compile(r"^\W*(?:\w+day,?\s)?(?:\w+\s\d{1,2},?\s\d{4}|\d{1,2}\s\w+\s\d{4})\W*$")


@dataclass(frozen=True)
class Titled:
    """A page's candidates: features (n × features) and which of them are the true title."""

    truth: TruthPage
    features: list[dict[str, float]]
    right: NDArray[np.bool_]


def titled_pages(folders: list[Path], model: str = "") -> list[Titled]:
    """The titled pages of the sets.

    :param model: file of a model of ``combined``; empty for the shipped one.
    """
    choose = algorithms.make("combined", {"model": model})
    rows: list[Titled] = []
    for folder in folders:
        for truth in load([folder]):
            if truth.title:
                page = Page(read(truth), truth.url)
                found = candidates(page.metadata, choose(page).surroundings, truth.url, None)
                right = np.array([comparable(c.text) == comparable(truth.title) for c in found], dtype=bool)
                rows.append(Titled(truth, [dict(c.features) for c in found], right))
    return rows


def fit(rows: list[Titled], names: list[str]) -> NDArray[np.float64]:
    """Weights that make the true titles likely: accelerated gradient ascent (Nesterov) on a concave function."""
    used = [r for r in rows if r.right.any() and not _is_day(r) and r.truth.truth != "tool"]
    matrix = np.vstack([_matrix(r, names) for r in used])
    right = np.concatenate([r.right for r in used])
    sizes = np.array([len(r.right) for r in used])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    page = np.repeat(np.arange(len(used)), sizes)
    weights = np.zeros(len(names))
    ahead = weights
    rate = 1.0 / (0.5 * np.linalg.norm(matrix, 2) ** 2 + 2 * PENALTY)  # one over a bound of the curvature
    for step in range(STEPS):
        scores = matrix @ ahead
        odds = np.exp(scores - np.maximum.reduceat(scores, starts)[page])
        of_all = odds / np.add.reduceat(odds, starts)[page]
        of_right = odds * right / np.add.reduceat(odds * right, starts)[page]
        gradient = matrix.T @ (of_right - of_all) - 2 * PENALTY * ahead
        before, weights = weights, ahead + rate * gradient
        ahead = weights + step / (step + 3) * (weights - before)
    for name, weight in (("day", DAY), ("home", HOME), ("marked", MARKED)):
        if name in names:
            weights[names.index(name)] = weight
    return weights


def exact(rows: list[Titled], names: list[str], weights: NDArray[np.float64]) -> list[bool]:
    """Whether the best candidate of each page is the true title."""
    return [bool(len(r.right) and r.right[int(np.argmax(_matrix(r, names) @ weights))]) for r in rows]


def _is_day(row: Titled) -> bool:
    return _DAY_HEADING.match(row.truth.title or "") is not None


def _matrix(row: Titled, names: list[str]) -> NDArray[np.float64]:
    return np.array([[features.get(name, 0.0) for name in names] for features in row.features]).reshape(-1, len(names))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--model", default="", help="a model of `newsextract train combined`; default: the shipped one")
    parser.add_argument("--write", action="store_true", help="replace title_weights.toml")
    arguments = parser.parse_args()
    rows = titled_pages(arguments.folders, arguments.model)
    names = sorted({name for row in rows for features in row.features for name in features})
    train = [row for row in rows if row.truth.fold != 0]
    test = [row for row in rows if row.truth.fold == 0]
    held_out: list[Titled] = []
    crossed: list[bool] = []
    for held in (1, 2, 3, 4):
        weights = fit([r for r in train if r.truth.fold != held], names)
        rest = [r for r in train if r.truth.fold == held]
        held_out += rest
        crossed += exact(rest, names, weights)
    weights = fit(train, names)
    unseen = exact(test, names, weights)
    figures = {
        "candidates hold the title": np.mean([r.right.any() for r in train]),
        "exact, folds 1-4, cross-validated": np.mean(crossed),
        "  without day headings": np.mean([right for r, right in zip(held_out, crossed, strict=True) if not _is_day(r)]),
        "  and without tools' truths": np.mean(
            [right for r, right in zip(held_out, crossed, strict=True) if not _is_day(r) and r.truth.truth != "tool"]
        ),
        "exact, folds 1-4, fitted on them": np.mean(exact(train, names, weights)),
        "exact, fold 0": np.mean(unseen),
        "  fold 0 without day headings": np.mean([right for r, right in zip(test, unseen, strict=True) if not _is_day(r)]),
    }
    for name, value in figures.items():
        sys.stdout.write(f"{name:<36}{value:.3f}\n")
    if arguments.write:
        _write(dict(zip(names, weights, strict=True)))
    return 0


def _write(weights: dict[str, float]) -> None:
    path = Path(str(files("newsextract.fields") / "data" / "title_weights.toml"))
    comments = [line for line in path.read_text("utf-8").splitlines() if line.startswith("#")]
    kept = {name: value for name, value in weights.items() if abs(value) >= SMALLEST} | {
        "feed": FEED,
        "home": HOME,
        "marked": MARKED,
    }
    path.write_text("\n".join([*comments, "", *(f"{n} = {v:.2f}" for n, v in sorted(kept.items()))]) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
