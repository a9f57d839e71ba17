"""How often the only hit of a result page is found, and something on a page without hits.

    python -m benchmarks.only_hits [RECORDS]

RECORDS is a data set of records (by default ../shared/bench/records). Taken are its result pages whose URL has the query
and whose hits are found with confidence, of folds 1-4 only. From each all hits but one, which has a word of the query, are
cut out; then all of them. What stands around the hits stays. About half a minute.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np

from newsextract.algorithms.visual_blocks.algorithm import load, search_records
from newsextract.algorithms.visual_blocks.candidates import Candidate
from newsextract.lab import datasets
from newsextract.lab.datasets import TruthPage, read
from newsextract.lab.train_pages import emptied
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.record_pages import DOUBTFUL, read_result_page

PARAMETERS = ("q", "query", "wd", "search", "p")
"""Where the URLs of the data set have the query."""
RECORDS = Path("../shared/bench/records")


def measure(directory: Path) -> Counter[str]:
    """How many pages had which result."""
    counts: Counter[str] = Counter()
    for truth in datasets.load([directory], "records"):
        given = parse_qs(urlsplit(truth.url or "").query)
        query = next((given[name][0] for name in PARAMETERS if name in given), None)
        if truth.fold and truth.kind == "search" and query is not None:
            _count(truth, query, counts)
    return counts


def _count(truth: TruthPage, query: str, counts: Counter[str]) -> None:
    page = Page(read(truth), truth.url)
    found = search_records(page.nodes, load().judges["dom"])
    if not found.regions or found.confidence < DOUBTFUL:
        return
    nodes, records = page.nodes, list(found.regions[0].records)
    named = [record for record in records if any(word in nodes.text(*record).lower() for word in query.lower().split())]
    if not named or len(records) < 2:
        return
    kept = random.Random(truth.id).choice(named)
    counts["pages"] += 1
    wanted = _bare(nodes.text(*kept))
    are_it = [_bare(title) in wanted for title in _titles(truth, nodes, query, [one for one in records if one is not kept])]
    if any(are_it):
        counts["one is left: it alone" if len(are_it) == 1 else "one is left: it and something else"] += 1
    else:
        counts["one is left: something else" if are_it else "one is left: nothing"] += 1
    counts["none is left: something"] += bool(_titles(truth, nodes, query, records))


def _titles(truth: TruthPage, nodes: Nodes, query: str, gone: Sequence[tuple[int, ...]]) -> list[str]:
    """The titles of the hits that are found without some records."""
    roots = np.array([(record[0], record[-1]) for record in gone])
    page = Page(read(truth), truth.url)
    page.__dict__["nodes"] = emptied(nodes, Candidate("cut", roots[:, 0], roots[:, 1], roots))
    return [hit.title for hit in read_result_page(page, "visual_blocks", {}, query, 1).hits]


def _bare(text: str) -> str:
    return "".join(text.split())


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="?", type=Path, default=RECORDS, help="a data set of records")
    for name, count in sorted(measure(parser.parse_args().records).items()):
        print(f"{count:5}  {name}")


if __name__ == "__main__":
    main()
