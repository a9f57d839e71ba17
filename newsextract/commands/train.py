"""``newsextract train WHAT``: train thresholds or a model on pages or labels."""

from __future__ import annotations

import argparse
import gzip
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from newsextract import algorithms
from newsextract.algorithms import node_attributes, page_segmentation
from newsextract.algorithms.combined import algorithm as combined_model
from newsextract.algorithms.node_attributes import LeafLimits
from newsextract.algorithms.page_segmentation import PageSegmentation
from newsextract.algorithms.value_filter import ValueFilter
from newsextract.algorithms.visual_blocks import algorithm as visual_blocks
from newsextract.cli import CommandParser
from newsextract.commands import check_output, number, whole
from newsextract.commands.pages import body_of
from newsextract.control_characters import ProgressLine
from newsextract.discovery import kinds
from newsextract.discovery.kinds import KINDS
from newsextract.errors import DataError, UsageError
from newsextract.lab import datasets, train_published
from newsextract.lab.datasets import FOLDS, TruthPage, load, read
from newsextract.lab.train_published import CLASSES, LabelledText, TrainingOptions, read_labelled
from newsextract.model_files import Thresholds
from newsextract.page.page import MAX_BYTES, Page
from newsextract.page.snapshot import Snapshot

if TYPE_CHECKING:
    from newsextract.lab.train_pages import FittedKinds, KindExample

_ENDINGS = (".html", ".htm", ".html.gz", ".htm.gz", ".snapshot")
_ROWS = 40
"""Pages that the table lists."""


def add_thresholds(parser: argparse.ArgumentParser) -> None:
    """Train the three thresholds of page_segmentation on pages of one kind (Hou & Yang 2011, 3.3).

    examples:
      newsextract train thresholds page.html -o site.toml
      newsextract train thresholds pages/ more/*.html.gz -o site.toml
      newsextract train thresholds DATA --exclude-fold 0 --quantile 0.05 -o general.toml

    PAGES are files, folders of *.html and *.htm (also with .gz), or data sets (folders with truth.jsonl). To use the file,
    name it in the table of a site:
      algorithm = "page_segmentation"
      params = { thresholds = "site.toml" }
    """
    _add_output(parser, run_thresholds, "the thresholds file")
    add = parser.add_argument
    add("pages", metavar="PAGES", nargs="+", type=Path, help="files, folders, or data sets")
    presets = list(algorithms.spec("page_segmentation").presets)
    add("--preset", choices=presets, default="default", help="the preset that the thresholds are for (default: default)")
    clusters, seed = train_published.CLUSTERS, train_published.SEED
    add("--clusters", metavar="N", type=whole(1, 100), default=clusters, help="clusters of the k-means (default: 3)")
    add("--seed", metavar="N", type=whole(0, 2**32 - 1), default=seed, help="seed of the k-means (default: 1)")
    add(
        "--quantile",
        metavar="Q",
        type=number(lambda share: 0 <= share < 1, "a number from 0 to below 1"),
        default=0.0,
        help="quantile over the pages; 0: the minimum, as published; use 0.05 or so for pages of many kinds",
    )


def run_thresholds(arguments: argparse.Namespace) -> int:
    """Train, print a table, and write the file."""
    check_output(arguments.output)
    params = algorithms.make_params("page_segmentation", {"preset": arguments.preset})
    trained: list[train_published.PageThresholds] = []
    rows: list[str] = []
    files = _files(arguments.pages, arguments.exclude_fold)
    for path, body in _bodies(files, "train thresholds"):
        page = None
        if len(body) <= MAX_BYTES:
            page = train_published.train_page(Page(body).dom, params, clusters=arguments.clusters, seed=arguments.seed)
        if page is None:
            rows.append(f"{'-':>9} {'-':>12} {'-':>10} {'-':>10}  {path}: left out, no text or too large")
        else:
            trained.append(page)
            rows.append(_row(page.clusters, page.limits, str(path)))
    if not trained:
        raise DataError(f"none of the {len(rows)} pages has text to train on; give pages of the kind to be extracted")
    limits = train_published.combine(trained, arguments.quantile)
    card: dict[str, str | int] = {
        "pages": len(trained),
        "clusters": arguments.clusters,
        "seed": arguments.seed,
        "preset": arguments.preset,
        "over_pages": f"quantile {arguments.quantile:g}" if arguments.quantile else "minimum",
        "data": _data(arguments.pages, arguments.exclude_fold),
    }
    numbers = dict(zip(page_segmentation.FILE.keys, limits, strict=True))
    algorithm, good = PageSegmentation(replace(params, thresholds="", **numbers)), 0
    for _, body in _bodies(files, "trying them out"):
        segment = algorithm.segment(Page(body).dom) if len(body) <= MAX_BYTES else None
        good += segment is not None and segment.examination.satisfied
    result = Thresholds(numbers, card | {"satisfied": good})
    page_segmentation.FILE.write(arguments.output, result)
    _show(rows, result, arguments.output)
    sys.stdout.write(f"{good} of {len(trained)} of these pages have a cluster that satisfies these thresholds\n")
    if 2 * good < len(trained):
        sys.stderr.write(
            "note: on the others the longest cluster is taken with little confidence; give more pages, or --quantile\n"
        )
    return 0


def _show(rows: Sequence[str], result: Thresholds, output: Path) -> None:
    lines = [f"{'clusters':>9} {'Length':>12} {'B_n %':>10} {'frequency':>10}  page", *rows[:_ROWS]]
    if len(rows) > _ROWS:
        lines.append(f"… and {len(rows) - _ROWS} more pages")
    lines.append(_row("", result.numbers.values(), f"{result.card['over_pages']} of {result.card['pages']} pages"))
    sys.stdout.write("\n".join(lines) + f"\nwritten to {output}\n")


def _row(clusters: int | str, limits: Iterable[float], name: str) -> str:
    length, noise, frequency = limits
    return f"{clusters:>9} {length:12.2f} {noise:10.2f} {frequency:10.2f}  {name}"


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
    with closing(ProgressLine(what, sys.stderr)) as progress:
        for done, path in enumerate(files, 1):
            yield path, _read(path)
            progress.update(done, len(files))


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


def add_visual_blocks(parser: argparse.ArgumentParser) -> None:
    """Train the trees of visual_blocks on pages with true records. About three minutes for 630 pages.

    examples:
      newsextract train visual-blocks DATA --snapshots SNAPSHOTS -o model.npz
      newsextract train visual-blocks DATA --snapshots SNAPSHOTS --exclude-fold 0 -o without-the-test-part.npz
      newsextract train visual-blocks DATA MORE --snapshots SNAPSHOTS MORE/snapshots -o model.npz

    DATA is a directory with truth.jsonl and pages/<id>/index.html. SNAPSHOTS is a directory with <id>.snapshot; give one for
    each DATA, in the same order. To make it:
      python -m benchmarks.snapshot_pages DATA/pages SNAPSHOTS
    """
    _add_output(parser, run_visual_blocks)
    add = parser.add_argument
    add("directories", metavar="DIR", nargs="+", type=Path, help="data sets with true records")
    add("--snapshots", metavar="DIR", nargs="+", type=Path, required=True, help="a folder of <id>.snapshot for each")
    add("--seed", metavar="N", type=int, default=0, help="default: 0")


def run_visual_blocks(arguments: argparse.Namespace) -> int:
    """Train and write."""
    check_output(arguments.output)
    if len(arguments.snapshots) != len(arguments.directories):
        raise UsageError(
            f"{len(arguments.directories)} data sets and {len(arguments.snapshots)} folders of snapshots; "
            "give one for each, in the same order, for example DATA MORE --snapshots DATA-SNAPSHOTS MORE-SNAPSHOTS"
        )
    pages = [
        (page, folder / f"{page.id}.snapshot")
        for directory, folder in zip(arguments.directories, arguments.snapshots, strict=True)
        for page in load([directory], "records")
        if page.fold not in arguments.exclude_fold
    ]
    from newsextract.lab import train_pages  # late: it needs scikit-learn, others do not

    with closing(ProgressLine("reading pages", sys.stderr)) as progress:
        judges = train_pages.judges(train_pages.record_examples(pages, progress.update), arguments.seed)
    card = {
        "data": [directory.resolve().name for directory in arguments.directories],
        "folds": sorted({page.fold for page, _ in pages}),
        "pages": len(pages),
        "sites": len({page.site for page, _ in pages}),
        "members": train_pages.MEMBERS,
        "seed": arguments.seed,
    }
    visual_blocks.save(arguments.output, judges, card)
    _show_card(card, arguments.output)
    return 0


def add_value_filter(parser: argparse.ArgumentParser) -> None:
    """Train the value filter (Bernoulli naive Bayes) and print its cross-validated precision and recall.

    examples:
      newsextract train value-filter labelled.jsonl -o model.json
      newsextract train value-filter --from-articles DATA OTHER --exclude-fold 0 -o model.json

    Each line of labelled.jsonl is {"text": "...", "label": "worthless" | "valuable"} (or 0 | 1), with the optional keys
    "group" (a site or thread: never on both sides of the cross-validation) and "lang". DATA is a directory with truth.jsonl
    and pages/<id>.html.gz. Use the model in a site's settings:
      algorithm = "naive_bayes"
      params = { model = "model.json" }
    """
    _add_output(parser, run_value_filter)
    add = parser.add_argument
    add("labelled", metavar="LABELLED", nargs="*", type=Path, help="JSON lines of labelled texts")
    add("--from-articles", metavar="DIR", nargs="+", type=Path, default=[], help="derive labels from data sets with truth")
    add(
        "--features",
        metavar="N",
        type=whole(1, 100_000),
        default=train_published.FEATURES,
        help="number of words in each part of the model, Chinese and other (%(default)s)",
    )
    add(
        "--folds",
        metavar="K",
        type=whole(2, 100),
        default=train_published.FOLDS,
        help="number of folds of the cross-validation (%(default)s)",
    )
    add("--prior", choices=("balanced", "counted"), default="balanced", help="class probabilities (%(default)s)")
    add("--words-only", action="store_true", help="use the paper's features only, without those for length")


def run_value_filter(arguments: argparse.Namespace) -> int:
    """Train, cross-validate, write and print."""
    if bool(arguments.labelled) == bool(arguments.from_articles):
        raise UsageError("give either files of labelled texts or --from-articles DIR; see --help")
    if arguments.exclude_fold and not arguments.from_articles:
        raise UsageError("--exclude-fold goes with --from-articles: labelled texts have no folds")
    check_output(arguments.output)
    train_published.require_scikit_learn()
    options = TrainingOptions(arguments.features, arguments.folds, arguments.prior, not arguments.words_only)
    if arguments.from_articles:
        model = _from_articles(arguments, options)
    else:
        items = [item for path in arguments.labelled for item in read_labelled(path)]
        model = train_published.train(items, options, data=" ".join(path.name for path in arguments.labelled))
    model.save(arguments.output)
    sys.stdout.write(f"{summary(model)}written to {arguments.output} ({arguments.output.stat().st_size:,} bytes)\n")
    return 0


def summary(model: ValueFilter) -> str:
    """What a model's card says, as a table."""
    card = model.card
    validated = card["cross_validation"]
    tables = {f"cross-validated in {validated['folds']} folds": validated, "on the folds left out": card.get("left_out", {})}
    lines = []
    for title, table in tables.items():
        for part in (name for name in model.parts if name in table):
            counts = f"{card['texts'][part]['groups']} groups, {len(model.parts[part].words)} words"
            lines.append(f"{part} texts, {title} ({counts})")
            lines.append(f"  {'class':10} {'texts':>8} {'precision':>10} {'recall':>8} {'F1':>8}")
            for name in CLASSES:
                row = table[part][name]
                texts = card["left_out"]["texts"] if table is not validated else card["texts"]
                lines.append(
                    f"  {name:10} {texts[part][name]:8,} {row['precision']:10.3f} {row['recall']:8.3f} {row['f1']:8.3f}"
                )
    for part, counts in card["too_few"].items():
        told = ", ".join(f"{n} {name}" for name, n in counts.items())
        lines.append(f"{part} texts are too few to be trained ({told}); the filter will leave such texts alone")
    return "\n".join(lines) + "\n"


def _from_articles(arguments: argparse.Namespace, options: TrainingOptions) -> ValueFilter:
    excluded = frozenset(arguments.exclude_fold)
    folds = frozenset(range(FOLDS)) - excluded
    items = _texts(arguments.from_articles, folds)
    if not items:
        raise DataError("no labelled block is left; give data sets with true texts, or exclude fewer folds")
    sys.stderr.write(f"training on {len(items):,} texts\n")
    model = train_published.train(items, options, data=" ".join(path.resolve().name for path in arguments.from_articles))
    card: dict[str, Any] = {**model.card, "data_folds": sorted(folds)}
    if excluded:
        others = _texts(arguments.from_articles, excluded)
        card["left_out"] = {"data_folds": sorted(excluded), **train_published.evaluate(model, others)}
    return replace(model, card=card)


def _texts(directories: list[Path], folds: frozenset[int]) -> list[LabelledText]:
    with _progress() as told:
        return train_published.labelled_texts(directories, folds, told)


def add_node_attributes(parser: argparse.ArgumentParser) -> None:
    """Fit the thresholds Δ1–Δ4 of node_attributes on pages with truth.

    examples:
      newsextract train node-attributes DATA -o thresholds.toml
      newsextract train node-attributes DATA OTHER --preset published --exclude-fold 0 -o thresholds.toml
      newsextract train node-attributes DATA --snapshots SNAPSHOTS -o thresholds.toml

    DATA is a directory with truth.jsonl and pages/<id>.html.gz, SNAPSHOTS one with <id>.snapshot of some or all of these
    pages. Use the file in a site's settings:
      algorithm = "node_attributes"
      params = { thresholds = "thresholds.toml" }
    """
    add = parser.add_argument
    _add_output(parser, run_node_attributes, "the thresholds file")
    add("directories", metavar="DIR", nargs="+", type=Path, help="data sets with truth")
    add(
        "--preset",
        choices=("default", "published"),
        default="default",
        help="published: only the paper's steps; default: also prune boilerplate and use the container's share of the text",
    )
    add(
        "--snapshots",
        metavar="SNAPSHOTS",
        type=Path,
        help="also fit the limits of boxes, on the pages with a snapshot in this folder; default: write the shipped limits",
    )


def run_node_attributes(arguments: argparse.Namespace) -> int:
    """Fit, cross-validate, print and write."""
    check_output(arguments.output)
    tuned = arguments.preset == "default"
    samples: dict[int, list[train_published.Sample]] = {}
    for page, truth in _pages(arguments.directories, set(arguments.exclude_fold), arguments.snapshots):
        sample = train_published.sample(page, truth, boilerplate=tuned)
        if sample.true and len(sample.grams):
            samples.setdefault(truth.fold, []).append(sample)
    everything = [sample for fold in sorted(samples) for sample in samples[fold]]

    def by_position(some: list[train_published.Sample]) -> LeafLimits:
        return train_published.fit(some, container=tuned)[0]

    position, f1 = train_published.fit(everything, container=tuned)
    validated = _cross_validated(samples, by_position, list)
    fusion = sum(sample.fusion_rate for sample in everything) / len(everything)
    card: dict[str, str | int | float] = {
        "preset": arguments.preset,
        "data": " ".join(path.resolve().name for path in arguments.directories),
        "folds": " ".join(map(str, sorted(samples))),
        "pages": len(everything),
        "fitted_f1": round(f1, 4),
        **({} if validated is None else {"cross_validated_f1": round(validated, 4)}),
        "fusion_rate": round(fusion, 4),
    }
    if arguments.snapshots is None:
        shipped = node_attributes.shipped(arguments.preset).boxes
        boxes = replace(shipped, delta1=position.delta1, delta2=position.delta2, container=position.container)
    else:
        boxes, f1 = train_published.fit_boxes(everything, position)
        rendered = {fold: found for fold, some in samples.items() if (found := [s for s in some if s.drawn is not None])}
        validated = _cross_validated(
            rendered, lambda some: train_published.fit_boxes(some, by_position(some))[0], train_published.rendered
        )
        card |= {
            "rendered_pages": sum(map(len, rendered.values())),
            "boxes_fitted_f1": round(f1, 4),
            **({} if validated is None else {"boxes_cross_validated_f1": round(validated, 4)}),
        }
    fitted = node_attributes.Fitted(position, boxes)
    node_attributes.write(arguments.output, fitted, card)
    lines = [f"{key:24} {value}" for key, value in [*card.items(), *fitted.numbers.items()]]
    sys.stdout.write("\n".join(lines) + f"\nwritten to {arguments.output}\n")
    return 0


def _pages(directories: list[Path], excluded: set[int], snapshots: Path | None) -> Iterator[tuple[Page, TruthPage]]:
    """The pages with a truth text, without those of excluded folds; rendered where there is a snapshot."""
    for directory in directories:
        chosen = [truth for truth in load([directory]) if truth.text and truth.fold not in excluded]
        with closing(ProgressLine(directory.name, sys.stderr)) as progress:
            for done, truth in enumerate(chosen, 1):
                if snapshots is not None and (file := snapshots / f"{truth.id}.snapshot").is_file():
                    yield Page.from_snapshot(Snapshot.load(file)), truth
                else:
                    yield Page(read(truth), url=truth.url), truth
                progress.update(done, len(chosen))


def _cross_validated(
    samples: dict[int, list[train_published.Sample]],
    fit: Callable[[list[train_published.Sample]], LeafLimits],
    judged: Callable[[list[train_published.Sample]], list[train_published.Sample]],
) -> float | None:
    """Mean over folds, by pages, of the F1 on a fold of limits fitted on the others; None with a single fold.

    :param judged: the samples as the limits see them.
    """
    if len(samples) < 2:
        return None
    total = 0.0
    for fold, own in samples.items():
        others = [sample for other, some in samples.items() if other != fold for sample in some]
        total += len(own) * train_published.score(judged(own), fit(others))
    return total / sum(map(len, samples.values()))


def add_kinds(parser: argparse.ArgumentParser) -> None:
    """Train the model that predicts the page kind (article, documentation, service, forum, listing …).

    examples:
      newsextract train kinds DATA DATA-ZH MODERN --records RECORDS -o kinds.npz

    MODERN is a data set whose truth.jsonl names the kind of each page. The command prints the accuracy for each kind,
    cross-validated over the folds.
    """
    _add_output(parser, run_kinds)
    _add_sources(parser)


def run_kinds(arguments: argparse.Namespace) -> int:
    """Train, write, and print what was measured."""
    from newsextract.lab import train_pages  # imported late: it is slow

    check_output(arguments.output)
    pages, lists = _pages_and_lists(arguments)
    with _progress() as told:
        given = list(train_pages.examples(pages, lists, told))
    fitted = train_pages.train(given)
    card = {
        "data": [path.resolve().name for path in (*arguments.directories, *filter(None, [arguments.records]))],
        "pages": len(given),
        "sites": len({example.site for example in given}),
    }
    kinds.save(arguments.output, fitted.model, card)
    sys.stdout.write("\n".join(_kinds_lines(given, fitted)) + f"\nwritten to {arguments.output}\n")
    return 0


def _kinds_lines(given: Sequence[KindExample], fitted: FittedKinds) -> list[str]:
    """The table of what was found on unseen sites: by kind where the truth names it, else articles and pages of records."""
    least = fitted.model.least_article
    lines = [f"{len(fitted.model.words)} words, an article from {least:.3f} on", ""]
    lines.append(f"{'kind':15}{'pages':>7}{'not article':>13}{'kind right':>12}{'decided':>9}{'right where decided':>21}")
    for label, folds in (("all folds", range(datasets.FOLDS)), ("fold 0", (0,))):
        lines.append(label)
        rows = [i for i, example in enumerate(given) if example.fold in folds]
        stated = [i for i in rows if given[i].is_stated]
        groups: dict[str, list[int]] = {
            name: [i for i in stated if given[i].kind == number] for number, name in enumerate(kinds.KINDS)
        }
        groups["others"] = [i for i in stated if given[i].kind]
        groups["older articles"] = [i for i in rows if not given[i].is_stated and not given[i].kind]
        groups["record pages"] = [i for i in rows if not given[i].is_stated and given[i].kind]
        for name, own in groups.items():
            if not own:
                continue
            found = [kinds.judged(fitted.unseen[i], least, given[i].signs.named()) for i in own]
            true = [kinds.KINDS[given[i].kind] for i in own]
            told = np.mean([not kind.is_article for kind in found])
            decided = [kind.kind is not None for kind in found]
            right = [kind.kind == wanted for kind, wanted in zip(found, true, strict=True)]
            share = sum(right) / max(1, sum(decided))
            lines.append(f"{name:15}{len(own):7}{told:13.3f}{np.mean(right):12.3f}{np.mean(decided):9.3f}{share:21.3f}")
    return lines


def add_parser(parser: CommandParser) -> None:
    """Train thresholds or a model on pages or labels.

    examples:
      newsextract train thresholds pages/*.html -o site.toml
      newsextract train node-attributes DATA -o thresholds.toml
      newsextract train value-filter labelled.jsonl -o model.json
      newsextract train combined DATA DATA-ZH -o model.npz
      newsextract train kinds DATA MODERN --records RECORDS -o kinds.npz
      newsextract train visual-blocks RECORDS --snapshots SNAPSHOTS -o model.npz
    """
    actions = {
        "thresholds": (add_thresholds, "train the thresholds of page_segmentation on pages of one kind"),
        "node-attributes": (add_node_attributes, "fit the thresholds of node_attributes"),
        "value-filter": (add_value_filter, "train the value filter of node_attributes and naive_bayes"),
        "combined": (_add_combined, "train the network of combined"),
        "kinds": (add_kinds, "train the model of page kinds"),
        "visual-blocks": (add_visual_blocks, "train the trees of visual_blocks"),
    }
    parser.add_actions(actions, "what", "WHAT")


# --- options --------------------------------------------------------------------------------------
# Options and messages that the training commands share.


def _add_output(
    parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int], writes: str = "the model file"
) -> None:
    """Declare ``-o FILE``, and ``--exclude-fold N``, which may be repeated."""
    parser.set_defaults(run=run)
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help=f"{writes} to write")
    parser.add_argument(
        "--exclude-fold",
        metavar="N",
        type=int,
        choices=range(FOLDS),
        action="append",
        default=[],
        help="leave out the sites of fold N (0-4), to measure on them; may be repeated",
    )


def _add_sources(parser: argparse.ArgumentParser) -> None:
    """Declare the data sets, ``--records DIR``, and ``--exclude-source NAME``, which may be repeated."""
    parser.add_argument(
        "--records", metavar="DIR", type=Path, help="a data set of pages of many records, for the page kinds"
    )
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path, help="data sets with truth")
    parser.add_argument(
        "--exclude-source",
        metavar="NAME",
        action="append",
        default=[],
        help="leave out a source (key source of truth.jsonl) and all pages of its sites; may be repeated",
    )


def _pages_and_lists(arguments: argparse.Namespace) -> tuple[list[TruthPage], list[TruthPage]]:
    """The pages of the data sets, and those of many records, without what is to be left out."""
    pages = [page for page in load(arguments.directories) if page.fold not in arguments.exclude_fold]
    found = load([arguments.records], "records") if arguments.records else []
    lists = [page for page in found if page.fold not in arguments.exclude_fold]
    return without_sources(pages, arguments.exclude_source), lists


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    with closing(ProgressLine("train", sys.stderr)) as line:
        yield lambda what, done, total: line.tell(f"{what}: {done} of {total}")


def _show_card(card: Mapping[str, Any], output: Path) -> None:
    lines = [f"{key:14} {value}" for key, value in card.items()]
    sys.stdout.write("\n".join(lines) + f"\nwritten to {output} ({output.stat().st_size:,} bytes)\n")


def without_sources(pages: Sequence[TruthPage], sources: Sequence[str]) -> list[TruthPage]:
    """The pages of sites from which none of these sources has a page."""
    if unknown := sorted(set(sources) - {page.source for page in pages}):
        known = ", ".join(sorted({page.source for page in pages}))
        raise UsageError(f"no page comes from the source {unknown[0]!r}; choose from: {known}")
    sites = {page.site for page in pages if page.source in sources}
    return [page for page in pages if page.site not in sites]


# --- combined -------------------------------------------------------------------------------------
# ``newsextract train combined``: the network of `combined` from data sets with truth.


def _add_combined(parser: argparse.ArgumentParser) -> None:
    """Train the network of combined on pages with truth. About fifteen minutes of CPU time for 3,500 pages.

    examples:
      newsextract train combined DATA DATA-ZH MODERN --records RECORDS -o model.npz
      newsextract train combined DATA DATA-ZH --exclude-fold 0 -o without-the-test-part.npz

    DATA is a directory with truth.jsonl and pages/<id>.html.gz. If the truth names pages of all kinds, as that of MODERN
    does, the model also chooses the text by the kind of page. Use the model in a site's settings:
      algorithm = "combined"
      params = { model = "model.npz" }
    """
    _add_output(parser, _run_combined)
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="random seed of the first network (default: 0)")
    _add_sources(parser)


def _run_combined(arguments: argparse.Namespace) -> int:
    from newsextract.lab import train_combined, train_pages  # late: they need jax and scikit-learn, others do not

    check_output(arguments.output)
    pages, lists = _pages_and_lists(arguments)
    has_kinds = {page.kind for page in pages} >= set(KINDS)
    with _progress() as told:
        kinds = train_pages.unseen_kinds(pages, lists, told) if has_kinds else None
        examples = list(train_combined.examples(pages, told))
        trained = train_combined.train(examples, told, kinds=kinds, seed=arguments.seed)
    card = {
        "data": [path.resolve().name for path in arguments.directories],
        "folds": sorted({page.fold for page in pages}),
        "sources": sorted({page.source for page in pages}),
        "pages": trained.pages,
        "judged_pages": trained.judged_pages,
        "sites": trained.sites,
        "members": train_combined.MEMBERS,
        "seed": arguments.seed,
    }
    combined_model.save(arguments.output, trained.arrays, card)
    _show_card(card, arguments.output)
    return 0
