"""Fit the page-kind model and print how well it tells articles from other pages, and what discovery costs.

    python benchmarks/page_kind.py DATA             figures of the weights as they stand
    python benchmarks/page_kind.py DATA --fit       fit the weights on folds 1-4, write them, print the figures
    python benchmarks/page_kind.py DATA --cost      time of discover() against a plain lxml parse

DATA is a folder with the sets ``articles``, ``articles-zh`` (what should be called an article; left out are
CleanEval, which has other pages, and start pages, told by an address without a path) and ``records`` (what should
not: search pages, lists, forum threads), each with ``truth.jsonl`` and ``pages/``. A page's fold is the md5 of its
site modulo 5. Fold 0 is never fitted or looked at: totals only.

The fit: logistic regression (Newton's method, ridge 2 on standardised features, both classes weighted alike) of
the features marked ``fitted``, without the others, so that content has to tell the kinds apart; the weights set by
hand (addresses and titles of searches and forums, declared types) are added afterwards. The bias is then moved until
``LOST`` of the article pages of folds 1-4 would be lost, measured on predictions of models that had not seen the
page's fold.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import json
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import lxml.etree
import lxml.html
import numpy as np

from newsextract.discovery import Rules, discover
from newsextract.discovery.addresses import normalize
from newsextract.discovery.evidence import evidence
from newsextract.discovery.kind import judged, model
from newsextract.discovery.links import judged_address
from newsextract.page import Page

LOST = 0.017
"""The most with which nine of ten other pages are still told on folds 1-4 (0.015: 88.8 %)."""
RIDGE = 2.0
MODEL = Path(__file__).parents[1] / "newsextract" / "discovery" / "data" / "kind.json"
Array = np.ndarray[Any, np.dtype[np.float64]]


def pages(data: Path) -> Iterator[tuple[Page, str, int, bool]]:
    """Page, source, fold, whether it is an article."""
    for name in ("articles", "articles-zh", "records"):
        folder = data / name
        for line in (folder / "truth.jsonl").open(encoding="utf-8"):
            row = json.loads(line)
            is_start = row["url"] and row["url"].split("?")[0].count("/") <= 3 and row["url"].endswith("/")
            if row["source"] == "cleaneval" or (name != "records" and is_start):
                continue
            if name == "records":
                body = (folder / "pages" / row["id"] / "index.html").read_bytes()
            else:
                body = gzip.decompress((folder / "pages" / f"{row['id']}.html.gz").read_bytes())
            fold = int(hashlib.md5(row["site"].encode()).hexdigest(), 16) % 5
            yield Page(body, row["url"]), row["source"], fold, name != "records"


def fitted(x: Array, y: Array) -> Array:
    """Weights and bias of a ridge logistic regression."""
    mean, spread = x.mean(0), x.std(0) + 1e-9
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    share = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    ridge = np.diag([RIDGE] * x.shape[1] + [1e-6])
    beta = np.zeros(z.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-z @ beta))
        gradient = z.T @ (share * (p - y)) + ridge @ beta
        hessian = (z * (share * p * (1 - p))[:, None]).T @ z + ridge
        beta -= np.linalg.solve(hessian, gradient)
    weights = beta[:-1] / spread
    return np.append(weights, beta[-1] - weights @ mean)


def fit(rows: list[tuple[dict[str, float], str, int, bool]]) -> None:
    """Fit on folds 1-4 and write the model."""
    parameters = json.loads(MODEL.read_text("utf-8"))
    table = parameters["features"]
    names = [name for name in table if table[name]["fitted"]]
    fixed = [name for name in table if not table[name]["fitted"]]
    rows = [row for row in rows if row[2] != 0]
    x = np.array([[row[0][name] for name in names] for row in rows])
    offset = np.array([sum(table[name]["weight"] * row[0][name] for name in fixed) for row in rows])
    y = np.array([float(row[3]) for row in rows])
    folds = np.array([row[2] for row in rows])
    unseen = np.zeros(len(rows))
    for fold in (1, 2, 3, 4):
        train, test = folds != fold, folds == fold
        beta = fitted(x[train], y[train])
        unseen[test] = np.c_[x[test], np.ones(test.sum())] @ beta + offset[test]
    threshold = float(np.quantile(unseen[y == 1], LOST))
    print(f"cross-validated on folds 1-4: {LOST:.1%} of the articles lost, "
          f"{(unseen[y == 0] < threshold).mean():.1%} of the others flagged")  # fmt: skip
    beta = fitted(x, y)
    for name, weight in zip(names, beta, strict=False):
        table[name]["weight"] = round(float(weight), 3)
    for name in table:
        table[name]["mean"] = round(float(np.mean([row[0][name] for row in rows])), 3)
    parameters["bias"] = round(float(beta[-1]) - threshold, 3)
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in table.items())
    MODEL.write_text(f'{{\n  "bias": {parameters["bias"]},\n  "features": {{\n{lines}\n  }}\n}}\n', "utf-8")


def report(rows: list[tuple[dict[str, float], str, int, bool]]) -> None:
    """Share of pages called no article, by class and, for folds 1-4, by source."""
    model.cache_clear()
    called = [judged(row[0]).kind != "article" for row in rows]

    def share(label: str, chosen: list[int]) -> None:
        if chosen:
            print(f"  {label:24s}{len(chosen):6d} pages, called no article: {np.mean([called[i] for i in chosen]):6.1%}")

    for label, folds in (("folds 1-4", (1, 2, 3, 4)), ("fold 0", (0,))):
        print(label)
        inside = [i for i, row in enumerate(rows) if row[2] in folds]
        share("articles", [i for i in inside if rows[i][3]])
        share("others", [i for i in inside if not rows[i][3]])
        if 0 not in folds:
            for source in sorted({row[1] for row in rows}):
                share(f"  {source}", [i for i in inside if rows[i][1] == source])


def cost(data: Path, step: int) -> None:
    """Best of three times per page, summed over every ``step``-th page.

    Discovery keeps what it found out about addresses: "first page" is with that memory empty, "known" with all
    addresses of the page in it; a page in the middle of a crawl lies between. Both include reading the links' texts.
    """
    totals = dict.fromkeys(("lxml", "source", "metadata", "first page", "known"), 0.0)
    links = count = 0
    for page, *_ in list(pages(data))[::step]:
        best = dict.fromkeys(totals, float("inf"))
        for _ in range(3):
            ticks = [time.perf_counter()]
            with contextlib.suppress(lxml.etree.ParserError):  # an empty page
                lxml.html.fromstring(page.body)
            ticks.append(time.perf_counter())
            fresh, again = Page(page.body, page.url), Page(page.body, page.url)
            for copy in (fresh, again):
                copy.text  # noqa: B018  reason: decoding is not what is measured
            again.source, again.metadata  # noqa: B018  reason: nor are these, a second time
            ticks.append(time.perf_counter())
            fresh.source  # noqa: B018  reason: makes the scan
            ticks.append(time.perf_counter())
            fresh.metadata  # noqa: B018  reason: reads the metadata
            ticks.append(time.perf_counter())
            normalize.cache_clear()
            judged_address.cache_clear()
            discover(fresh, Rules())
            ticks.append(time.perf_counter())
            found = discover(again, Rules())
            ticks.append(time.perf_counter())
            spans = [later - earlier for earlier, later in pairwise(ticks)]
            for name, seconds in zip(totals, spans[:1] + spans[2:], strict=True):
                best[name] = min(best[name], seconds)
        for name in totals:
            totals[name] += best[name]
        links += len(found.links)
        count += 1
    for name, seconds in totals.items():
        print(f"{name:10s}{seconds / count * 1e3:8.3f} ms a page {seconds / totals['lxml']:8.2f} x lxml")
    print(f"{count} pages, {links / count:.0f} links given a page")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--step", type=int, default=10, help="with --cost: every n-th page (default: 10)")
    arguments = parser.parse_args()
    if arguments.cost:
        cost(arguments.data, arguments.step)
        return
    rows = [(evidence(page), source, fold, article) for page, source, fold, article in pages(arguments.data)]
    if arguments.fit:
        fit(rows)
    report(rows)


if __name__ == "__main__":
    main()
