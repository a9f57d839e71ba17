"""``newsextract train thresholds``: the thresholds of page_segmentation from pages of one kind (Hou & Yang 2011, §3.3)."""

from __future__ import annotations

import argparse
import gzip
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from newsextract import algorithms
from newsextract.algorithms import page_segmentation
from newsextract.algorithms.page_segmentation import PageSegmentation, PageSegmentationParams
from newsextract.commands.common import check_output
from newsextract.commands.pages import body_of
from newsextract.commands.train.options import add_exclude_fold
from newsextract.errors import DataError
from newsextract.lab import datasets, train_thresholds
from newsextract.page.page import MAX_BYTES, Page
from newsextract.progress import ProgressLine

_EXAMPLES = """\
examples:
  newsextract train thresholds page.html -o site.toml
  newsextract train thresholds pages/ more/*.html.gz -o site.toml
  newsextract train thresholds DATA --exclude-fold 0 --quantile 0.05 -o general.toml

PAGES are files, folders of *.html and *.htm (also with .gz), or data sets (folders with truth.jsonl). To use the file, name
it in the table of a site:
  algorithm = "page_segmentation"
  params = { thresholds = "site.toml" }
"""
_ENDINGS = (".html", ".htm", ".html.gz", ".htm.gz", ".snapshot")
_ROWS = 40
"""Pages that the table lists."""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "thresholds",
        help="train the thresholds of page_segmentation on pages of one kind",
        description="Train the three thresholds of page_segmentation on pages of one kind (Hou & Yang 2011, 3.3).",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("pages", metavar="PAGES", nargs="+", type=Path, help="files, folders, or data sets")
    add("-o", "--output", metavar="FILE", type=Path, required=True, help="the thresholds file to write")
    presets = list(algorithms.spec("page_segmentation").presets)
    add("--preset", choices=presets, default="default", help="the preset that the thresholds are for (default: default)")
    add(
        "--clusters",
        metavar="N",
        type=_clusters,
        default=train_thresholds.CLUSTERS,
        help="clusters of the k-means (default: 3)",
    )
    add("--seed", metavar="N", type=_seed, default=train_thresholds.SEED, help="seed of the k-means (default: 1)")
    add(
        "--quantile",
        metavar="Q",
        type=_quantile,
        default=0.0,
        help="quantile over the pages; 0: the minimum, as published; use 0.05 or so for pages of many kinds",
    )
    add_exclude_fold(parser)


def run(arguments: argparse.Namespace) -> int:
    """Train, print a table, and write the file.

    :raises DataError: no page can be used, a file cannot be read or written.
    :raises MissingExtra: scikit-learn is not installed.
    """
    check_output(arguments.output)
    params = algorithms.make_params("page_segmentation", {"preset": arguments.preset})
    trained: list[train_thresholds.PageThresholds] = []
    rows: list[str] = []
    files = _files(arguments.pages, arguments.exclude_fold)
    for path, body in _bodies(files, "train thresholds"):
        page = (
            None
            if len(body) > MAX_BYTES
            else train_thresholds.train_page(Page(body).dom, params, clusters=arguments.clusters, seed=arguments.seed)
        )
        if page is None:
            rows.append(f"{'-':>9} {'-':>12} {'-':>10} {'-':>10}  {path}: left out, no text or too large")
        else:
            trained.append(page)
            rows.append(_row(page.clusters, page, str(path)))
    if not trained:
        raise DataError(f"none of the {len(rows)} pages has text to train on; give pages of the kind to be extracted")
    length, noise, frequency = train_thresholds.combine(trained, arguments.quantile)
    card: dict[str, str | int] = {
        "pages": len(trained),
        "clusters": arguments.clusters,
        "seed": arguments.seed,
        "preset": arguments.preset,
        "over_pages": f"quantile {arguments.quantile:g}" if arguments.quantile else "minimum",
        "data": _data(arguments.pages, arguments.exclude_fold),
    }
    numbers = dict(zip(page_segmentation.NUMBERS, (length, noise, frequency), strict=True))
    good = _satisfied(files, replace(params, thresholds="", **numbers))
    result = page_segmentation.SegmentationThresholds(length, noise, frequency, card | {"satisfied": good})
    page_segmentation.write(arguments.output, result)
    _show(rows, result, arguments.output)
    sys.stdout.write(f"{good} of {len(trained)} of these pages have a cluster that satisfies these thresholds\n")
    if 2 * good < len(trained):
        sys.stderr.write(
            "note: on the others the longest cluster is taken with little confidence; give more pages, or --quantile\n"
        )
    return 0


def _satisfied(files: Sequence[Path], params: PageSegmentationParams) -> int:
    """The pages with a cluster that satisfies the thresholds."""
    algorithm = PageSegmentation(params)
    good = 0
    for _, body in _bodies(files, "trying them out"):
        segment = algorithm.segment(Page(body).dom) if len(body) <= MAX_BYTES else None
        good += segment is not None and segment.examination.satisfied
    return good


def _show(rows: Sequence[str], result: page_segmentation.SegmentationThresholds, output: Path) -> None:
    lines = [f"{'clusters':>9} {'Length':>12} {'B_n %':>10} {'frequency':>10}  page", *rows[:_ROWS]]
    if len(rows) > _ROWS:
        lines.append(f"… and {len(rows) - _ROWS} more pages")
    lines.append(_row("", result, f"{result.card['over_pages']} of {result.card['pages']} pages"))
    sys.stdout.write("\n".join(lines) + f"\nwritten to {output}\n")


def _row(
    clusters: int | str, page: train_thresholds.PageThresholds | page_segmentation.SegmentationThresholds, name: str
) -> str:
    numbers = f"{page.length_threshold:12.2f} {page.bn_threshold:10.2f} {page.frequency_threshold:10.2f}"
    return f"{clusters:>9} {numbers}  {name}"


def _files(paths: Sequence[Path], excluded: Sequence[int]) -> list[Path]:
    """The page files of files, folders and data sets, in a fixed order."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        if (path / "truth.jsonl").is_file():
            kept = [page for page in datasets.load([path]) if page.fold not in excluded]
            found = [path / "pages" / f"{page.id}.html.gz" for page in kept]
        else:
            found = sorted(file for file in path.iterdir() if file.name.lower().endswith(_ENDINGS) and file.is_file())
        if not found:
            raise DataError(f"{path} holds no page; expected files that end in {', '.join(_ENDINGS)}")
        files += found
    return files


def _bodies(files: Sequence[Path], what: str) -> Iterator[tuple[Path, bytes]]:
    progress = ProgressLine(what, sys.stderr)
    for done, path in enumerate(files, 1):
        yield path, _read(path)
        progress.update(done, len(files))
    progress.close()


def _read(path: Path) -> bytes:
    try:
        body = path.read_bytes()
        return gzip.decompress(body) if path.name.lower().endswith(".gz") else body_of(body, str(path))
    except (OSError, EOFError, zlib.error, ValueError) as error:  # ValueError: a null byte in the name
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"cannot read {path}: {reason}; expected a page, gzipped if its name ends in .gz") from error


def _data(paths: Sequence[Path], excluded: Sequence[int]) -> str:
    """What was trained on, for the card: data sets by name, else nothing that differs between machines."""
    folds = " ".join(str(fold) for fold in range(datasets.FOLDS) if fold not in excluded)
    named = [f"folds {folds} of {path.resolve().name}" for path in paths if (path / "truth.jsonl").is_file()]
    return ", ".join([*named, *(["files"] if len(named) < len(paths) else [])])


def _clusters(text: str) -> int:
    return _whole(text, 1, 100)


def _seed(text: str) -> int:
    return _whole(text, 0, 2**32 - 1)


def _whole(text: str, low: int, high: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 10 or not low <= int(text) <= high:
        raise argparse.ArgumentTypeError(f"expected a number {low}–{high}, got {text!r}")
    return int(text)


def _quantile(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to below 1, got {text!r}")
    return number
