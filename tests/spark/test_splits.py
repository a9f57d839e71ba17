from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from newsextract.archives import ArchivedArticle, Entry, find_archives, read_entries
from newsextract.archives.storage import open_file
from newsextract.archives.warc_records import records
from newsextract.archives.writing import WarcWriter
from newsextract.errors import DataError
from newsextract.spark.index import Index
from newsextract.spark.reading import SplitReader
from newsextract.spark.splits import FILES_TOGETHER, SourceFile, Split, is_address, local_files, make_splits
from tests.made_archives import foreign, html, write_article
from tests.spark.running import damaged

NONE = Index([], 1)


def offsets(path: Path) -> list[int]:
    with open_file(path) as stored:
        return [record.offset for record in records(stored) if hasattr(record, "offset")]


def told(entry: Entry) -> object:
    """An entry as something that can be compared; pages are compared by identity."""
    if not isinstance(entry, ArchivedArticle):
        return entry
    pages = [(page.body, page.url, page.headers, page.time, page.hints, page.place) for page in entry.parts]
    return dataclasses.replace(entry, parts=()), pages


def index_of(path: Path, folder: Path, kind: str = "warcio") -> Path:
    written = folder / f"{kind}.idx"
    places = offsets(path)
    texts = {
        "warcio": [json.dumps({"offset": str(o), "filename": path.name}) for o in places],
        "cdxj": [f'com,x)/ 2026 {{"url": "u", "offset": {o}, "filename": "deep/{path.name}"}}' for o in places],
        "cdx": [" CDX N b a m s k r M S V g", *(f"u 2026 u text/html 200 K - - 10 {o} {path.name}" for o in places)],
    }
    written.write_text("\n".join(texts[kind]), "utf-8")
    return written


def test_files_are_splits_and_saved_pages_go_together(tmp_path: Path) -> None:
    for number in range(FILES_TOGETHER + 3):
        (tmp_path / f"p{number:03}.html").write_bytes(b"<p>x")
    foreign(tmp_path / "p100.warc.gz", "one")
    splits = make_splits(local_files(tmp_path), NONE)
    assert [len(split.files) for split in splits] == [101, 1, 102]
    names = [file.name for split in splits for file in split.files]
    assert names == [archive.name for archive in find_archives([tmp_path])]
    assert [Split.from_json(json.loads(json.dumps(split.to_json()))) for split in splits] == splits


def test_the_output_is_no_input(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    rows = tmp_path / "out" / "records"
    rows.mkdir(parents=True)
    (rows / "part-0.parquet").write_bytes(b"x")
    foreign(tmp_path / "a.warc.gz", "one")
    assert [file.name for file in local_files(tmp_path, tmp_path / "out")] == ["a.warc.gz"]
    assert [file.name for file in local_files(tmp_path)] == ["out/records/part-0.parquet"]


def test_an_empty_input_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.warc").write_bytes(b"")
    with pytest.raises(DataError, match="input is empty"):
        make_splits(local_files(tmp_path), NONE)


def test_addresses_are_told_from_paths() -> None:
    given = ["hdfs://n/x", "s3a://b/x", "file:/x", "a/b.warc", "/a/b", "C:x"]
    assert [is_address(path) for path in given] == [True, True, True, False, False, False]
    far = SourceFile("hdfs://n/x.warc.gz", "x.warc.gz", 10, 0)
    assert make_splits([far], NONE)[0].brought


def test_small_files_go_together_and_large_ones_alone() -> None:
    def sizes(*given: int, name: str = "/x.warc.gz") -> list[int]:
        files = [SourceFile(f"{number}{name}", f"{number}{name}", size, 0) for number, size in enumerate(given)]
        return [len(split.files) for split in make_splits(files, NONE)]

    assert sizes(*[1_000] * 450) == [200, 200, 50]
    assert sizes(*[300_000] * 4) == [1, 1, 1, 1]
    assert sizes(*[200_000] * 5, 90_000_000, 1) == [5, 1, 1]
    assert sizes(*[16_000_000] * 40) == [1] * 40
    assert sizes(*[100_000] * 640, name="/x.parquet") == [20] * 32
    assert sizes(*[1_000_000] * 40, name="/x.html") == [32, 8]


def test_only_the_last_try_makes_a_row_of_a_missing_file(tmp_path: Path) -> None:
    foreign(tmp_path / "a.warc.gz", "one")
    foreign(tmp_path / "b.warc.gz", "two")
    (split,) = make_splits(local_files(tmp_path), NONE)
    paths = [Path(file.path) for file in split.files]
    paths[0].unlink()
    with pytest.raises(FileNotFoundError):
        SplitReader(split, paths, every_page=False, last=False)
    reader = SplitReader(split, paths, every_page=False, last=True)
    assert [type(entry).__name__ for entry in reader.entries()] == ["Failure", "ArchivedArticle"]
    assert reader.missing == [str(paths[0])]


@pytest.mark.parametrize("kind", ["warcio", "cdxj", "cdx"])
def test_an_index_cuts_where_records_begin(tmp_path: Path, kind: str) -> None:
    path = foreign(tmp_path / "x.warc.gz", "one", "two", "three", "four")
    size = path.stat().st_size
    splits = make_splits(local_files(path), Index([index_of(path, tmp_path, kind)], size // 3))
    assert len(splits) > 1
    assert {split.start for split in splits} <= set(offsets(path))
    assert [split.end for split in splits] == [*(split.start for split in splits[1:]), None]


def test_an_index_of_another_file_is_told(tmp_path: Path) -> None:
    path = foreign(tmp_path / "x.warc.gz", "one", "two")
    (tmp_path / "i").write_text('{"offset": 7, "filename": "x.warc.gz"}', "utf-8")
    with pytest.raises(DataError, match="no record begins at 7"):
        make_splits(local_files(path), Index([tmp_path / "i"], 1))
    (tmp_path / "i").write_text("nothing of use", "utf-8")
    with pytest.raises(DataError, match="warcio index"):
        Index([tmp_path / "i"], 1)
    with pytest.raises(DataError, match="No such file"):
        Index([tmp_path / "nowhere"], 1)


def test_an_index_goes_by_the_longest_common_path(tmp_path: Path) -> None:
    old, new = tmp_path / "2024", tmp_path / "2025"
    old.mkdir()
    new.mkdir()
    a = foreign(old / "part.warc.gz", "one", "two", "three")
    b = foreign(new / "part.warc.gz", "a much longer name than that", "x", "y")
    index = tmp_path / "i"
    rows = [{"offset": o, "filename": f"crawl/{path.relative_to(tmp_path)}"} for path in (a, b) for o in offsets(path)]
    index.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert [split.start for split in make_splits(local_files(tmp_path), Index([index], 1))] == offsets(a) + offsets(b)
    assert [split.start for split in make_splits(local_files(old), Index([index], 1))] == offsets(a)
    index.write_text(json.dumps({"offset": 7, "filename": "part.warc.gz"}), "utf-8")
    with pytest.raises(DataError, match="two files are named part"):
        make_splits(local_files(tmp_path), Index([index], 1))
    index.write_text("\n".join(json.dumps(row | {"filename": f"{k}/part.warc.gz"}) for k, row in enumerate(rows)), "utf-8")
    with pytest.raises(DataError, match="two files in it may be"):
        make_splits(local_files(old), Index([index], 1))


def test_an_index_of_many_files() -> None:
    """No name is looked at for each other one."""
    taken_apart = 0

    class Name(str):
        __slots__ = ()

        def rpartition(self, sep: str, /) -> tuple[str, str, str]:
            nonlocal taken_apart
            taken_apart += 1
            return super().rpartition(sep)

    names = [Name(f"segments/{k}/part-{k // 2:05}.warc.gz") for k in range(200)]
    index = Index([], 1)
    index._offsets = {name: {0} for name in names}
    assert len(index._meant(names)) == 200
    assert taken_apart < 2_000


def test_a_file_that_its_crawl_ends_before_the_task_begins(tmp_path: Path) -> None:
    """It is read under its final name, as on the command line."""
    path = foreign(tmp_path / "x.warc.gz.open", "one")
    (file,) = local_files(path)
    path.rename(tmp_path / "x.warc.gz")
    reader = SplitReader(Split(0, (file,)), [path], every_page=True, last=True)
    assert [entry.url for entry in reader.entries()] == ["https://courier.example/2026/03/01/one.html"]
    assert reader.missing == []


@pytest.mark.parametrize("kind", ["foreign", "own", "damaged"])
def test_ranges_give_what_the_whole_file_gives(tmp_path: Path, kind: str) -> None:
    names = ["one", "two", "three", "four", "five"]
    if kind == "own":
        writer = WarcWriter(tmp_path / "own", "news")
        for name in names:
            write_article(writer, name, body=html(name))
        writer.close()
        (path,) = (tmp_path / "own").iterdir()
    else:
        path = (foreign if kind == "foreign" else damaged)(tmp_path / "x.warc.gz", *names)
    whole = [step.entry for step in read_entries(find_archives([path]), every_page=True)]
    assert len(whole) >= 4
    places = offsets(path)
    (file,) = local_files(path)
    for cuts in ([0, *places[1:]], [0, places[2]], [0, places[1], places[-1]]):
        ends = [*cuts[1:], None]
        found = [
            entry
            for start, end in zip(cuts, ends, strict=True)
            for entry in SplitReader(Split(0, (file,), start, end), [path], every_page=True, last=True).entries()
        ]
        assert list(map(told, found)) == list(map(told, whole))
