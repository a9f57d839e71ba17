"""Tables of accuracy in the documents, made from committed output of ``newsextract evaluate articles … --json FILE``.

``docs/measurements/data/NAME.json`` holds the figures of one evaluation. In a page, what is between
``<!-- table NAME -->`` and ``<!-- end -->`` is generated from it; a test compares both.

    python -m benchmarks.docs.tables                                # write the tables into the pages
    python -m benchmarks.docs.tables --take NAME evaluation.json    # keep the figures of an evaluation, then write them
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.docs.reference import table

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DATA = DOCS / "measurements" / "data"
_MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(\n<!-- end -->)", re.DOTALL)
_KEPT = (
    "pages text_pages precision recall f1 f1_sd complete qualified lost lost_silently word_f1 title_exact date_exact".split()
)
"""Measures that a table may show; the others of the evaluation are left out of the committed file."""
Figures = Mapping[str, Any]


def taken(evaluation: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an evaluation that is committed: totals by contender and row, rounded, without single pages."""
    rounded = {
        name: {
            "origin": result["origin"],
            "version": result["version"],
            "times_lxml": result["cost"] and round(result["cost"]["times_lxml"], 1),
            "rows": {
                label: {key: round(row[key], 4) for key in _KEPT if row[key] is not None}
                for label, row in result["rows"].items()
                if label.partition(" ")[0] in ("all", "fold", "lang", "kind") and label != "folds 1-4"
            },
        }
        for name, result in evaluation["results"].items()
    }
    return {key: evaluation[key] for key in ("newsextract", "fold", "limit", "data")} | {"results": rounded}


def _share(value: float | None) -> str:
    """A share as .123; empty for a measure that is missing or 0, such as the date of a tool that finds none."""
    return "" if not value else f"{value:.3f}".removeprefix("0")


def _named(name: str, result: Figures) -> str:
    return f"`{name}`" if result["origin"] == "algorithm" else f"{name} {result['version']}"


def comparison(figures: Figures) -> str:
    """A row for each contender, the best F1 first."""
    results = sorted(figures["results"].items(), key=lambda pair: -pair[1]["rows"]["all"]["f1"])
    heads = ("", "P", "R", "F1", "±", "F1, fold 0", "qualified", "title", "day", "× lxml")
    keys = ("precision", "recall", "f1", "f1_sd")
    rows = (
        (
            _named(name, result),
            *(_share(result["rows"]["all"].get(key)) for key in keys),
            _share(result["rows"]["fold 0"].get("f1")),
            *(_share(result["rows"]["all"].get(key)) for key in ("qualified", "title_exact", "date_exact")),
            result["times_lxml"],
        )
        for name, result in results
    )
    return table(heads, rows)


def kinds(figures: Figures) -> str:
    """Word F1 of each contender by kind of page."""
    results = figures["results"]
    labels = [label for label in next(iter(results.values()))["rows"] if label.startswith("kind ")]
    labels.sort(key=lambda label: -next(iter(results.values()))["rows"][label]["pages"])
    heads = ("", *(label.partition(" ")[2] for label in labels), "all", "lost")
    rows = (
        (
            _named(name, result),
            *(_share(result["rows"][label].get("word_f1")) for label in (*labels, "all")),
            _share(result["rows"]["all"].get("lost")),
        )
        for name, result in results.items()
    )
    return table(heads, rows)


TABLES: dict[str, Callable[[Figures], str]] = {"comparison": comparison, "kinds": kinds}
"""Name of a table, and of its file in ``docs/measurements/data`` → what makes it."""


def pages() -> Iterator[tuple[Path, str, str]]:
    """The pages with tables: path, text, and the text with the tables as they should be."""

    def made(found: re.Match[str]) -> str:
        figures = json.loads((DATA / f"{found[2]}.json").read_text("utf-8"))
        return f"{found[1]}\n{TABLES[found[2]](figures)}{found[3]}"

    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text("utf-8")
        if _MARKED.search(text):
            yield path, text, _MARKED.sub(made, text)


def main(arguments: list[str] | None = None) -> int:
    """Write the tables into the pages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.docs.tables", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--take", nargs=2, metavar=("NAME", "FILE"), help="keep the figures of an evaluation under this name"
    )
    given = parser.parse_args(arguments)
    if given.take:
        name, source = given.take
        if name not in TABLES:
            parser.error(f"unknown table {name}; choose from: {', '.join(TABLES)}")
        figures = taken(json.loads(Path(source).read_text("utf-8")))
        DATA.mkdir(exist_ok=True)
        (DATA / f"{name}.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for path, text, wanted in pages():
        if text != wanted:
            path.write_text(wanted, "utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
