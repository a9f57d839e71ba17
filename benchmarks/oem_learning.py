"""How well a format that was learned from two or three marked records finds the fields of the others.

    python -m benchmarks.oem_learning [--bench ../shared/bench/records] [--test] [--worst 10]

The first two, then three, true records of a page are the user's marks; measured are the fields of the page's other
records, and on the sample site those of all sister pages. A field counts as found when its text is exactly the true one
but for white space and case. What a user cannot mark, as it does not stand on the page in so many words, is left out of the
marks, and counts as missed in the others.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any
from urllib.parse import urlsplit

from benchmarks import sample_records
from newsextract.lab.datasets import ALIGNED, load
from newsextract.page.decoding import decode
from newsextract.page.page import Page
from newsextract.wrappers import Format, parse_format, run
from newsextract.wrappers.learn import Learned, learn
from newsextract.wrappers.learn_marks import LearnError, LearningSource, UserMark, find_places, squeezed
from newsextract.wrappers.objects import flatten
from newsextract.wrappers.pattern import Document

BENCH = Path("../shared/bench/records")
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
    for truth in load([folder], "records"):
        if truth.source not in ALIGNED or truth.fold not in folds or truth.file is None:
            continue
        records = [
            {f"f{number}": text for number, text in enumerate(record.fields) if any(char.isalnum() for char in text)}
            for record in truth.records
        ]
        body = truth.file.read_bytes()
        yield TruePage(truth.id, truth.site, Page(decode(body, None).text.encode(), truth.url), records)


@dataclass(slots=True)
class Tally:
    """Counted fields."""

    true: int = 0
    found: int = 0
    right: int = 0

    def add(self, other: Tally) -> None:
        """Add another's counts."""
        self.true += other.true
        self.found += other.found
        self.right += other.right

    @property
    def f1(self) -> float:
        """Of precision and recall."""
        return 2 * self.right / (self.true + self.found) if self.true + self.found else 1.0

    def __str__(self) -> str:
        precision = self.right / self.found if self.found else 1.0
        recall = self.right / self.true if self.true else 1.0
        return f"P {precision:.3f}  R {recall:.3f}  F1 {self.f1:.3f}  ({self.true:,} true, {self.found:,} found)"


@dataclass(slots=True)
class Outcome:
    """What learning from a page gave."""

    page: TruePage
    marks: Sequence[Fields] = ()
    learned: Learned | None = None
    dropped: list[str] = field(default_factory=list)
    """Fields without contexts, and those that a user cannot mark."""
    error: str = ""
    seconds: float = 0.0
    tally: Tally = field(default_factory=Tally)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=BENCH, help="the records bench")
    parser.add_argument("--test", action="store_true", help="fold 0, totals only")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="show the worst pages with their formats")
    arguments = parser.parse_args()
    for count in (2, 3):
        report(f"sample site, {count} marked records", sample_pages(), count, arguments.worst, sisters=True)
    if not (arguments.bench / "truth.jsonl").is_file():
        print(f"skipped: no records bench at {arguments.bench}")
        return
    folds = (0,) if arguments.test else (1, 2, 3, 4)
    for count in (2, 3):
        title = f"records bench, folds {','.join(map(str, folds))}, {count} marked records"
        report(title, bench_pages(arguments.bench, folds), count, 0 if arguments.test else arguments.worst)


def report(title: str, pages: Iterable[TruePage], count: int, worst: int, *, sisters: bool = False) -> None:
    """Learn from each page and print what that found."""
    outcomes: list[Outcome] = []
    groups: dict[str, list[TruePage]] = defaultdict(list)
    for page in pages:
        groups[page.group].append(page)
        if len(page.records) > count and (
            not sisters or page.group not in {one.page.group for one in outcomes if one.learned}
        ):
            outcomes.append(outcome(page, count))
    total = Tally()
    for one in outcomes:
        total.add(one.tally)
    failed = sum(one.learned is None for one in outcomes)
    print(f"\n{title}: {len(outcomes)} pages, {failed} without a format, "
          f"{sum(bool(one.dropped) for one in outcomes)} with fields left out")  # fmt: skip
    print(f"  other records of the page  {total}")
    lost = sum(name in record for one in outcomes for record in one.page.records[count:] for name in one.dropped)
    print(f"  of these in fields left out: {lost:,}")
    if outcomes:
        print(f"  mean F1 of pages {sum(one.tally.f1 for one in outcomes) / len(outcomes):.3f};"
              f" seconds to learn: median {median(one.seconds for one in outcomes):.2f}, "
              f"most {max(one.seconds for one in outcomes):.2f}")  # fmt: skip
    if sisters:
        beside = Tally()
        for one in outcomes:
            if one.learned is not None:
                for sister in groups[one.page.group]:
                    if sister is not one.page:
                        beside.add(measured(parse_format(one.learned.text), sister, ()))
        print(f"  all records of the sisters {beside}")
    for one in sorted(outcomes, key=lambda one: one.tally.f1)[:worst]:
        print(f"--- {one.page.name}: {one.tally}; without: {', '.join(one.dropped)}; {one.seconds:.2f} s {one.error}")
        print(one.learned.text if one.learned else list(one.marks))


def outcome(page: TruePage, count: int) -> Outcome:
    """Learn from a page's first records; a field that cannot be learned is left out, as a user would."""
    found = Outcome(page)
    source = LearningSource(Document.of_page(page.page))
    first = page.records[:count]
    chosen = list(first)
    names = list(dict.fromkeys(name for record in first for name in record))
    for name in list(names):
        if not all(find_places(source, UserMark(name, record[name])) for record in first if name in record):
            names.remove(name)
            found.dropped.append(name)
    begun = process_time()
    while names:
        found.marks = [{name: record[name] for name in names if name in record} for record in chosen]
        found.marks = [marks for marks in found.marks if marks]
        try:
            found.learned = learn(page.page, found.marks)
            break
        except LearnError as error:
            found.error = str(error)
            if error.record is not None:
                del chosen[error.record - 1]
                continue
            if error.field not in names:
                break
            names.remove(error.field)
            found.dropped.append(error.field)
    found.seconds = process_time() - begun
    if found.learned is None:
        found.tally.true = sum(map(len, page.records[count:]))
    else:
        found.tally = measured(parse_format(found.learned.text), page, first)
    return found


def measured(wrapper: Format, page: TruePage, marked: Sequence[Fields]) -> Tally:
    """Compare what a format finds with the true records that were not marked."""
    label = wrapper.lines[1].variable
    root = run(wrapper, page.page).root
    rows: list[dict[str, str]] = []
    for row in flatten(root, label) if root is not None else []:
        values = {label if name == "text" and len(wrapper.lines) == 2 else name: value for name, value in row.items()
                  if name not in ("oid", "path")}  # fmt: skip
        rows.append({name: squeezed(value).lower() for name, value in values.items() if isinstance(value, str)})
    truths = [{name: squeezed(text).lower() for name, text in record.items()} for record in page.records]
    pairs = sorted(
        ((sum(row.get(name) == text for name, text in truth.items()), -abs(number - place), number, place)
         for number, truth in enumerate(truths) for place, row in enumerate(rows)),
        reverse=True,
    )  # fmt: skip
    taken: dict[int, int] = {}
    for right, _, number, place in pairs:
        if right and number not in taken and place not in taken.values():
            taken[number] = place
    names = {name for truth in truths for name in truth}
    tally = Tally()
    unpaired = set(range(len(rows))) - set(taken.values())
    for number, truth in enumerate(truths):
        if number < len(marked):
            continue
        row = rows[taken[number]] if number in taken else {}
        tally.true += len(truth)
        tally.found += sum(name in names for name in row)
        tally.right += sum(row.get(name) == text for name, text in truth.items())
    tally.found += sum(name in names for place in unpaired for name in rows[place])
    return tally


if __name__ == "__main__":
    main()
