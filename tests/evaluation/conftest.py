"""Small data sets made by hand, and the shared bench where it is present."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from newsextract.lab.datasets import TruthPage, fold

REPOSITORY = Path(__file__).parents[2]
TRAIN_SITE = "news.example"
"""Of fold 3."""
TEST_SITE = "a.example"
"""Of fold 0."""

MakeTruth = Callable[..., TruthPage]
MakeDataSet = Callable[..., Path]


@pytest.fixture
def shared_bench() -> Path:
    """The bench beside the repository. Absent: a skip, or a failure with NEWSEXTRACT_REQUIRE=all."""
    bench = REPOSITORY.parent / "shared" / "bench"
    if not bench.is_dir():
        reason = "the shared bench is not beside the repository (../shared/bench)"
        if os.environ.get("NEWSEXTRACT_REQUIRE") == "all":
            pytest.fail(f"{reason}, and NEWSEXTRACT_REQUIRE=all asks for it")
        pytest.skip(reason)
    return bench


@pytest.fixture
def make_truth() -> MakeTruth:
    """A TruthPage with little truth; any field can be given."""

    def make(**fields: Any) -> TruthPage:
        site = fields.get("site", TRAIN_SITE)
        page: dict[str, Any] = {
            "id": "page-1", "source": "made", "url": None, "site": site, "lang": "en", "title": None,
            "date": None, "text": None, "title_in_text": False, "with_": None, "without": None,
            "truth": "human", "fold": fold(site),
        }  # fmt: skip
        return TruthPage(**{**page, **fields})

    return make


def article(number: int) -> tuple[str, str, str]:
    """Headline, body text and HTML of an article; bodies differ by number."""
    title = f"The bridge number {number} opens again"
    paragraphs = [
        f"Paragraph {part} of story {number}: after {number + 7} months of work the old bridge was opened to "
        f"walkers and riders on a cold day, and {part + 40} people came to see the mayor cut the ribbon, although "
        "the wind from the river was strong and most of them had to wait for more than an hour in the rain."
        for part in range(8)
    ]
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    links = "".join(f'<li><a href="/{i}">Section {i}</a></li>' for i in range(9))
    html = (
        f"<html lang=en><head><title>{title}</title><meta charset=utf-8></head><body><ul>{links}</ul>"
        f"<h1>{title}</h1><div>{body}</div><footer>Imprint</footer></body></html>"
    )
    return title, "\n".join(paragraphs), html


@pytest.fixture
def make_data_set(tmp_path: Path) -> MakeDataSet:
    """Write a data set of ``count`` articles, every third one from a site of fold 0."""

    def make(count: int = 6, name: str = "data", prefix: str = "made") -> Path:
        directory = tmp_path / name
        (directory / "pages").mkdir(parents=True)
        lines = []
        for number in range(count):
            title, text, html = article(number)
            page_id = f"{prefix}-{number:03d}"
            (directory / "pages" / f"{page_id}.html.gz").write_bytes(gzip.compress(html.encode()))
            site = TEST_SITE if number % 3 == 0 else TRAIN_SITE
            row = {
                "id": page_id, "source": prefix, "url": f"https://{site}/{number}", "site": site,
                "lang": "en",
                "title": title, "date": None, "text": text, "title_in_text": False, "with": None,
                "without": None, "truth": "human",
            }  # fmt: skip
            lines.append(json.dumps(row) + "\n")
        (directory / "truth.jsonl").write_text("".join(lines), encoding="utf-8")
        return directory

    return make


@pytest.fixture
def forum(tmp_path: Path) -> Path:
    """A data set of two threads and of a page of records without the text of a thread."""
    directory = tmp_path / "forum"
    lines = []
    for number, site in enumerate((TRAIN_SITE, TEST_SITE, TRAIN_SITE)):
        page_id = f"thread-{number}"
        posts = [
            f"Answer {part} to question {number}: the chain slips because the teeth of the old sprocket are worn, so "
            f"change both, clean the hub, and ride {part + 3} kilometres before you tighten it a second time."
            for part in range(6)
        ]
        folder = directory / "pages" / page_id
        folder.mkdir(parents=True)
        html = "".join(f"<div class=post><p>{post}</p></div>" for post in posts)
        (folder / "index.html").write_text(f"<html><head><meta charset=utf-8></head><body>{html}</body></html>", "utf-8")
        row = {"id": page_id, "source": "made", "kind": "forum", "site": site, "lang": "en", "records": [{"text": "x"}]}
        lines.append(json.dumps(row if number == 2 else {**row, "text": "\n".join(posts)}) + "\n")
    (directory / "truth.jsonl").write_text("".join(lines), encoding="utf-8")
    return directory


SUBJECTS = ("rye bread", "old mills", "oven stones", "sourdough", "wheat prices", "barley fields")


def hits(number: int) -> tuple[list[dict[str, Any]], str]:
    """True records and HTML of a page of search results; all pages differ."""
    records, items = [], []
    for rank, subject in enumerate(SUBJECTS):
        fields = [
            f"The book of {subject}, part {number}",
            f"{subject} explained on page {rank + number} by a baker",
            f"May {rank + 1}",
        ]
        records.append({"text": " ".join(fields), "fields": fields, "located": True})
        items.append(f"<li><h3><a href=/{rank}>{fields[0]}</a></h3><p>{fields[1]}</p><p><i>{fields[2]}</i></p></li>")
    menu = "".join(f'<li><b><a href="/{word}">{word}</a></b></li>' for word in ("Home", "Shop", "Help"))
    html = (
        f"<html><body><div><ul>{menu}</ul></div><div><ol>{''.join(items)}</ol></div><footer>Imprint</footer></body></html>"
    )
    return records, html


@pytest.fixture
def make_record_set(tmp_path: Path) -> MakeDataSet:
    """Write a data set of ``count`` pages of six hits, every third one from a site of fold 0, and of one thread without
    true records."""

    def make(count: int = 6, name: str = "records", source: str = "testbed") -> Path:
        directory = tmp_path / name
        rows: list[dict[str, Any]] = []
        for number in range(count):
            records, html = hits(number)
            page_id = f"hits-{number:03d}"
            folder = directory / "pages" / page_id
            folder.mkdir(parents=True)
            (folder / "index.html").write_text(html, "utf-8")
            site = TEST_SITE if number % 3 == 0 else TRAIN_SITE
            row = {"id": page_id, "source": source, "kind": "search", "url": f"https://{site}/{number}", "site": site}
            rows.append({**row, "lang": "en", "n_records": len(records), "records": records, "text": None})
        rows.append(
            {"id": "thread", "source": "made", "kind": "forum", "site": TRAIN_SITE, "records": None, "text": "All of it"}
        )
        (directory / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return directory

    return make
