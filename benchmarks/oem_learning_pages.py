"""Pages with true fields for :mod:`benchmarks.oem_learning`: the sample site, and the records bench where it is at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks import sample_records
from newsextract.lab.datasets import ALIGNED, load_records
from newsextract.page.decoding import decode
from newsextract.page.page import Page

Fields = dict[str, str]
"""A true record."""


@dataclass(frozen=True, slots=True)
class TruePage:
    """A page and its true records."""

    name: str
    group: str
    """Pages of one group are made by one template."""
    page: Page
    records: Sequence[Fields]


def sample_pages() -> Iterator[TruePage]:
    """The sample site's forums, search engines and news lists."""
    folders = sample_records.folders()
    for group, address, records in _sample_truth():
        file = sample_records.file_of(folders, address)
        if file is not None and records:
            yield TruePage(address, group, Page(file.read_bytes(), address), records)


def _sample_truth() -> Iterator[tuple[str, str, list[Fields]]]:
    for thread in sample_records.rows("expected_posts.jsonl"):
        posts = {post["position"]: post for post in thread["posts"]}
        for page in thread["pages"]:
            records = [_fields(posts[position], author="author", text="text") for position in page["positions"]]
            yield f"forum {thread['layout']}", page["address"], records
    for page in sample_records.rows("expected_hits.jsonl"):
        yield (
            f"search {page['layout']}",
            page["address"],
            [_fields(hit, title="title", link="address", text="snippet") for hit in page["hits"]],
        )
    for page in sample_records.rows("expected_lists.jsonl"):
        kind = urlsplit(page["address"]).path.split("/")[2:3]
        yield (
            f"list {page['layout']} {'/'.join(kind)}",
            page["address"],
            [_fields(item, title="title", link="address", text="text") for item in page["items"]],
        )


def _fields(row: dict[str, Any], **keys: str) -> Fields:
    return {name: row[key] for name, key in keys.items() if row.get(key)}


def bench_pages(folder: Path, folds: Sequence[int]) -> Iterator[TruePage]:
    """Pages of the records bench whose fields are columns; a column without a letter or digit is left out."""
    for truth in load_records(folder):
        if truth.source not in ALIGNED or truth.fold not in folds or truth.file is None:
            continue
        records = [
            {f"f{number}": text for number, text in enumerate(record.fields) if any(char.isalnum() for char in text)}
            for record in truth.records
        ]
        body = truth.file.read_bytes()
        yield TruePage(truth.id, truth.site, Page(decode(body, None).text.encode(), truth.url), records)
