"""What real geometry is worth: ``node_attributes`` by boxes against document order, on the same rendered pages.

    python -m benchmarks.geometry SNAPSHOTS [DATA …] [--threads DATA …] [--pages N]

Rendered are the article pages with a text (at most N, spread over the sources), the forum threads, and the articles of the
sample site; the snapshots are kept in the folder SNAPSHOTS and used again. Half a second a page the first time.

Both ways get thresholds that were fitted on the articles of folds 1-4, without the fold that is judged (for threads
likewise). The sample site is judged with the shipped ones. ``published`` runs without its value filter, whose model has
seen all folds: what is compared is Algorithm 3. F1 is that of ``newsextract evaluate articles``; ``±`` is the standard
deviation over 1,000 resampled sets of pages, of the gain that of the difference on the same pages.

Saved pages have lost most of their style sheets; "styled" are those that still carry 3,000 characters of styles in
``style`` elements, and so come near to what a crawl renders. Threads were saved with theirs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from newsextract.algorithms import node_attributes
from newsextract.browser.render import Browser
from newsextract.control_characters import ProgressLine
from newsextract.errors import NewsextractError
from newsextract.extraction import extract
from newsextract.lab import datasets, train_published
from newsextract.lab.datasets import FOLDS, TEST_FOLD, Prediction, TruthPage
from newsextract.lab.metrics import PageScore, score_page, summarize
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot

SETS = [Path("../shared/bench/articles"), Path("../shared/bench/articles-zh")]
THREADS = [Path("../shared/bench/records")]
SITE = Path("tests/sample_site")
PRESETS = ("published", "default")
GEOMETRIES = ("position", "boxes")
REPETITIONS = 1000
SEED = 1
STYLED = 3_000
_STYLE = re.compile(r"<style[^>]*+>(.*?)</style>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """One rendered page and its scores."""

    truth: TruthPage
    kind: str
    """``articles``, ``threads`` or ``sample site``."""
    styled: bool
    fallback: bool
    """Its boxes could not be used."""
    scores: Mapping[tuple[str, str], PageScore]
    """By preset and geometry."""


def render(pages: Sequence[TruthPage], folder: Path) -> None:
    """Make the snapshots that are missing; a page that fails is named and left out (of fold 0 only counted)."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [page for page in pages if not _file(folder, page).exists()]
    progress = ProgressLine("snapshots", sys.stderr)
    failed: list[str] = []
    with Browser() as browser, tempfile.TemporaryDirectory() as work:
        copy = Path(work) / "index.html"
        for done, page in enumerate(missing, 1):
            copy.write_bytes(datasets.read(page))
            try:
                browser.render(copy, url=page.url).save(_file(folder, page))
            except NewsextractError as error:
                failed.append("a page of fold 0" if page.fold == TEST_FOLD else f"{page.id}: {error}")
            progress.update(done, len(missing))
    progress.close()
    for line in failed:
        sys.stderr.write(f"not rendered: {line}\n")


def sample_site(site: Path = SITE) -> list[TruthPage]:
    """The one-page articles of the sample site."""
    rows = [json.loads(line) for line in (site / "expected.jsonl").read_text("utf-8").splitlines()]

    def file(url: str) -> Path:
        path = site / "www" / urlsplit(url).path.lstrip("/")
        return path / "index.html" if path.is_dir() else path

    return [
        TruthPage(
            id="sample-" + urlsplit(row["url"]).path.strip("/").replace("/", "-"),
            source="sample site",
            url=row["url"],
            site="harbour-ledger.example",
            lang=row["language"],
            title=row["title"],
            date=None,
            text=row["text"],
            title_in_text=False,
            with_=None,
            without=None,
            truth="human",
            fold=datasets.fold("harbour-ledger.example"),
            file=file(row["url"]),
        )
        for row in rows
        if row["kind"] == "article" and row["pages"] == 1
    ]


def fitted(pages: Sequence[TruthPage], folder: Path, work: Path) -> dict[tuple[str, int], Path]:
    """Thresholds by preset and the fold that is judged: of folds 1-4 without it."""
    samples: dict[str, dict[int, list[train_published.Sample]]] = {preset: {} for preset in PRESETS}
    for page, truth in _loaded([page for page in pages if page.fold != TEST_FOLD], folder, "fitting"):
        for preset in PRESETS:
            sample = train_published.sample(page, truth, boilerplate=preset == "default")
            samples[preset].setdefault(truth.fold, []).append(sample)
    files: dict[tuple[str, int], Path] = {}
    for preset in PRESETS:
        for fold in range(FOLDS):
            given = [sample for other, own in samples[preset].items() if other != fold for sample in own]
            position, _ = train_published.fit(given, container=preset == "default")
            boxes, _ = train_published.fit_boxes(given, position)
            files[preset, fold] = work / f"{preset}_{fold}.toml"
            node_attributes.write(files[preset, fold], node_attributes.Fitted(position, boxes), {})
    return files


def cases(
    pages: Sequence[TruthPage], kind: str, folder: Path, files: Mapping[tuple[str, int], Path] | None
) -> Iterator[Case]:
    """Extract the pages both ways.

    :param files: of :func:`fitted`; None: the shipped thresholds.
    """
    for page, truth in _loaded(pages, folder, kind):
        scores: dict[tuple[str, str], PageScore] = {}
        fallback = False
        for preset in PRESETS:
            params: dict[str, Any] = {"preset": preset, "value_filter": False}
            if files is not None:
                params["thresholds"] = str(files[preset, truth.fold])
            for geometry in GEOMETRIES:
                article = extract(page, algorithm="node_attributes", params={**params, "geometry": geometry})
                fallback |= "document order in place of boxes" in (article.reason or "")
                found = Prediction(id=truth.id, text=article.text, title=article.title)
                scores[preset, geometry] = score_page(truth, found)
        styled = sum(map(len, _STYLE.findall(page.text))) >= STYLED
        yield Case(replace(truth, file=None), kind, styled, fallback, scores)


def table(found: Sequence[Case]) -> list[str]:
    """A line a set of pages and preset: F1 of both ways and the gain, on folds 1-4 and on fold 0."""
    articles = [case for case in found if case.kind == "articles"]
    sets = {
        "articles": articles,
        "  styled": [case for case in articles if case.styled],
        "  not styled": [case for case in articles if not case.styled],
        "  Chinese": [case for case in articles if case.truth.lang == "zh"],
        "forum threads": [case for case in found if case.kind == "threads"],
    }
    lines = [f"{'':26}{'folds 1-4: pages, position, boxes, gain':^54}{'fold 0: pages, position, boxes, gain':^54}"]
    for preset in PRESETS:
        for name, own in sets.items():
            halves = [case for case in own if case.truth.fold != TEST_FOLD], [c for c in own if c.truth.fold == TEST_FOLD]
            lines.append(f"{preset:10}{name:16}" + "".join(_cells(half, preset) for half in halves))
        site = [case for case in found if case.kind == "sample site"]
        lines.append(f"{preset:10}{'sample site':16}" + _cells(site, preset))
    fallbacks = sum(case.fallback for case in found)
    lines.append(f"{fallbacks} of {len(found)} pages by document order, because their boxes could not be used")
    return lines


def _cells(own: Sequence[Case], preset: str) -> str:
    if not own:
        return f"{0:7}{'':47}"
    totals = [summarize([case.scores[preset, geometry] for case in own], REPETITIONS) for geometry in GEOMETRIES]
    cells = [f"{total.f1 or 0:.3f} ± {total.f1_sd or 0:.3f}" for total in totals]
    gain = (totals[1].f1 or 0) - (totals[0].f1 or 0)
    return f"{len(own):7}  " + "  ".join(cells) + f"  {gain:+.4f} ± {_deviation(own, preset):.4f}"


def _deviation(own: Sequence[Case], preset: str) -> float:
    """Standard deviation of the gain over sets of pages drawn with replacement."""
    values = np.array(
        [[(body.precision, body.recall) for g in GEOMETRIES if (body := case.scores[preset, g].body)] for case in own]
    )
    draw = np.random.default_rng(SEED)
    gains = []
    for _ in range(REPETITIONS):
        precision, recall = np.nanmean(values[draw.integers(0, len(own), len(own))], axis=0).T
        before, after = 2 * precision * recall / (precision + recall)
        gains.append(after - before)
    return float(np.std(gains, ddof=1))


def _file(folder: Path, page: TruthPage) -> Path:
    return folder / f"{page.id}.snapshot"


def _loaded(pages: Sequence[TruthPage], folder: Path, label: str) -> Iterator[tuple[Page, TruthPage]]:
    """The pages that have a snapshot."""
    progress = ProgressLine(label, sys.stderr)
    for done, truth in enumerate(pages, 1):
        if _file(folder, truth).exists():
            yield Page.from_snapshot(Snapshot.load(_file(folder, truth))), truth
        progress.update(done, len(pages))
    progress.close()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshots", type=Path, help="folder for the snapshots")
    parser.add_argument("directories", metavar="DATA", nargs="*", type=Path, default=SETS, help="data sets of articles")
    parser.add_argument("--threads", metavar="DATA", nargs="*", type=Path, default=THREADS, help="data sets of threads")
    parser.add_argument("--pages", metavar="N", type=int, help="at most N articles; default: all")
    arguments = parser.parse_args()
    known = [page for page in datasets.load(arguments.directories) if page.text]
    articles = datasets.select(known, limit=arguments.pages)
    threads = datasets.load(arguments.threads, "threads") if arguments.threads else []
    site = sample_site()
    render([*articles, *threads, *site], arguments.snapshots)
    found: list[Case] = []
    with tempfile.TemporaryDirectory() as work:
        files = fitted(articles, arguments.snapshots, Path(work))
        found += cases(articles, "articles", arguments.snapshots, files)
        found += cases(threads, "threads", arguments.snapshots, files)
    found += cases(site, "sample site", arguments.snapshots, None)
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
