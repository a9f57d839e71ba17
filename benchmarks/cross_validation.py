"""What the trained algorithms reach on sites that they were not trained on.

    python -m benchmarks.cross_validation [DATA …] [--combined] [--fold N …] [--json FILE]
    python -m benchmarks.cross_validation [DATA …] --combined --by source [--source NAME …] [--models DIR] [--json FILE]

For each fold of the sites, all that is trained (thresholds of page_segmentation and node_attributes, the value filter) is
trained on the other four with the commands that the documentation names, and then measured on this fold. Prints F1 with
bootstrap deviation on fold 0 and over all five folds. The pruning words were chosen on folds 1-4: there fold 0 alone is
unseen. About six minutes on two cores; with --combined, which measures that alone, about ten minutes of CPU time a fold.

`combined` is trained with its choice by kind and the model of page kinds. Where the pages that are left name no kinds
(without the source wcxb), the text is not chosen by kind.

Two pages of one source have more in common than their site: who chose them, when, and what counts as their text. So
with --by source it is trained without a source and all its sites, and measured on that source: what can be expected of pages
that nobody here has chosen. Sources with fewer than 30 texts, and outputs of tools, are not left out.

Rules change more often than models. With --models the trained models are kept and used again, so that what a rule brings on
pages that they do not know is measured in minutes. The shipped models know all pages: with them, a rule may seem to gain
what it loses.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from newsextract.cli import main as newsextract
from newsextract.lab import datasets, report, runner
from newsextract.lab.datasets import FOLDS, Prediction, TruthPage
from newsextract.lab.runner import Contender

SETS = [Path("../shared/bench") / name for name in ("articles", "articles-zh", "modern")]
RECORDS = Path("../shared/bench/records")
"""Pages of many records, for the model of page kinds."""
LEAST_TEXTS = 30
"""A source with fewer says too little of itself."""


def train(
    directories: list[Path], without: list[str], folder: Path, *, combined: bool
) -> dict[str, tuple[str, dict[str, Any]]]:
    """Train everything, or `combined` alone, without a part of the pages; contender's name → (algorithm, params).

    :param without: the option that leaves the part out.
    :param folder: where the models are written. A model of `combined` that is there is not trained again.
    """
    named = list(map(str, directories))
    if combined:
        model = str(folder / "combined.npz")
        records = ["--records", str(RECORDS)] if RECORDS.exists() else []
        kinds = str(folder / "kinds.npz")
        if not Path(model).exists():
            newsextract(["train", "kinds", *named, *records, *without, "-o", kinds])  # fails where no kinds are left
            if newsextract(["train", "combined", *named, *records, *without, "-o", model]):
                sys.exit("train combined failed")
        own: dict[str, Any] = {"model": model} | ({"kinds": kinds} if Path(kinds).exists() else {"by_kind": 0})
        return {preset: ("combined", own | {"preset": preset}) for preset in ("default", "precision", "recall")}
    files = {name: str(folder / name) for name in ("ps.toml", "psp.toml", "na.toml", "nap.toml", "filter.json")}
    commands = [
        ["thresholds", *named, "--quantile", "0.05", *without, "-o", files["ps.toml"]],
        ["thresholds", *named, "--quantile", "0.05", "--preset", "published", *without, "-o", files["psp.toml"]],
        ["node-attributes", *named, *without, "-o", files["na.toml"]],
        ["node-attributes", *named, "--preset", "published", *without, "-o", files["nap.toml"]],
        ["value-filter", "--from-articles", *named, *without, "-o", files["filter.json"]],
    ]
    for command in commands:
        with contextlib.redirect_stdout(io.StringIO()):
            code = newsextract(["train", *command])
        if code:
            sys.exit(f"train {command[0]} failed")
    published = {"preset": "published", "thresholds": files["nap.toml"]}
    return {
        "page_segmentation": ("page_segmentation", {"thresholds": files["ps.toml"]}),
        "page_segmentation:published": ("page_segmentation", {"preset": "published", "thresholds": files["psp.toml"]}),
        "node_attributes": ("node_attributes", {"thresholds": files["na.toml"]}),
        "node_attributes:published": ("node_attributes", published | {"model": files["filter.json"]}),
        "node_attributes:published, drop_pages": (
            "node_attributes",
            published | {"model": files["filter.json"], "drop_pages": True},
        ),
        "node_attributes:published, no filter": ("node_attributes", published | {"value_filter": False}),
        "node_attributes, filter": (
            "node_attributes",
            {"thresholds": files["na.toml"], "value_filter": True, "model": files["filter.json"]},
        ),
        "naive_bayes": ("naive_bayes", {"model": files["filter.json"]}),
    }


def _sources(pages: Sequence[TruthPage], wanted: Sequence[str] | None) -> list[str]:
    """The sources that are left out in turn."""
    texts = Counter(page.source for page in pages if page.text and page.truth != "tool")
    return sorted(name for name, count in texts.items() if (name in wanted if wanted else count >= LEAST_TEXTS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DATA", nargs="*", type=Path, default=SETS, help="data sets of articles")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures to FILE")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--combined", action="store_true", help="measure combined, in its presets, and nothing else")
    parser.add_argument("--fold", type=int, nargs="+", choices=range(FOLDS), default=list(range(FOLDS)), help="only these")
    parser.add_argument("--by", choices=("fold", "source"), default="fold", help="what is left out of the training in turn")
    parser.add_argument("--source", metavar="NAME", nargs="+", help="with --by source: only these")
    parser.add_argument("--models", metavar="DIR", type=Path, help="with --combined: keep the models here, or use them")
    arguments = parser.parse_args()
    if not arguments.combined and (arguments.by == "source" or arguments.models):
        parser.error("--by source and --models go with --combined alone")
    pages = [page for page in datasets.load(arguments.directories) if page.fold in arguments.fold]
    parts = _sources(pages, arguments.source) if arguments.by == "source" else arguments.fold
    pages = [page for page in pages if getattr(page, arguments.by) in parts]
    predictions: dict[str, dict[str, Prediction]] = {}
    for part in parts:
        own = [page for page in pages if getattr(page, arguments.by) == part]
        print(f"{arguments.by} {part}: training on the others, then {len(own)} pages", file=sys.stderr, flush=True)
        without = [f"--exclude-{arguments.by}", str(part)]
        with tempfile.TemporaryDirectory() as temporary:
            folder = (arguments.models or Path(temporary)) / f"{arguments.by}-{part}"
            folder.mkdir(parents=True, exist_ok=True)
            for name, (algorithm, params) in train(
                arguments.directories, without, folder, combined=arguments.combined
            ).items():
                contender = Contender(name, "algorithm", algorithm, params)
                found = runner.run(own, contender, workers=arguments.workers)
                predictions.setdefault(name, {}).update({prediction.id: prediction for prediction in found})
    written: dict[str, Mapping[str, Any]] = {}
    print(
        f"{'':38}"
        + "".join(f"{label:>16}" for label in ("fold 0", "these folds", "Chinese", "human truth"))
        + "".join(f"{label:>11}" for label in ("segments", "qualified", "title", "day", "body ×"))
    )
    for name, found in predictions.items():
        result = report.score(name, pages, found)
        table = report.rows(result, "all", bootstrap=1000)
        spent = report.body_cost(result)
        every = table["all"]
        rows = (table.get("fold 0"), every, table.get("lang zh"), table.get("human truth"))
        cells = [f"{row.f1:.3f} ± {row.f1_sd:.3f}" if row and row.f1 is not None else "" for row in rows]
        times = spent.times_lxml if spent else None
        shares = (every.segment_f1, every.qualified, every.title_exact, every.date_exact, times)
        print(
            f"{name:38}"
            + "".join(f"{c:>16}" for c in cells)
            + "".join(f"{s:11.3f}" if s is not None else " " * 11 for s in shares)
        )
        if arguments.combined:
            print(report.format_result(result, table))
        written[name] = {label: asdict(row) for label, row in table.items()}
    if arguments.json:
        arguments.json.write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()
