from __future__ import annotations

import json
from pathlib import Path

import pytest

from newsextract.archives import find_archives
from newsextract.errors import DataError
from newsextract.spark.inputs import FILES_TOGETHER, SourceFile, Split, SplitReader, is_address, local_files, make_splits
from tests.made_archives import foreign


def test_files_are_splits_and_saved_pages_go_together(tmp_path: Path) -> None:
    for number in range(FILES_TOGETHER + 3):
        (tmp_path / f"p{number:03}.html").write_bytes(b"<p>x")
    foreign(tmp_path / "p100.warc.gz", "one")
    splits = make_splits(local_files(tmp_path))
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
        make_splits(local_files(tmp_path))


def test_addresses_are_told_from_paths() -> None:
    given = ["hdfs://n/x", "s3a://b/x", "file:/x", "a/b.warc", "/a/b", "C:x"]
    assert [is_address(path) for path in given] == [True, True, True, False, False, False]
    far = SourceFile("hdfs://n/x.warc.gz", "x.warc.gz", 10, 0)
    assert make_splits([far])[0].brought


def test_small_files_go_together_and_large_ones_alone() -> None:
    def sizes(*given: int, name: str = "/x.warc.gz") -> list[int]:
        files = [SourceFile(f"{number}{name}", f"{number}{name}", size, 0) for number, size in enumerate(given)]
        return [len(split.files) for split in make_splits(files)]

    assert sizes(*[1_000] * 450) == [200, 200, 50]
    assert sizes(*[300_000] * 4) == [1, 1, 1, 1]
    assert sizes(*[200_000] * 5, 90_000_000, 1) == [5, 1, 1]
    assert sizes(*[16_000_000] * 40) == [1] * 40
    assert sizes(*[100_000] * 640, name="/x.parquet") == [20] * 32
    assert sizes(*[1_000_000] * 40, name="/x.html") == [32, 8]


def test_only_the_last_try_makes_a_row_of_a_missing_file(tmp_path: Path) -> None:
    foreign(tmp_path / "a.warc.gz", "one")
    foreign(tmp_path / "b.warc.gz", "two")
    (split,) = make_splits(local_files(tmp_path))
    paths = [Path(file.path) for file in split.files]
    paths[0].unlink()
    with pytest.raises(FileNotFoundError):
        SplitReader(split, paths, every_page=False, last=False)
    reader = SplitReader(split, paths, every_page=False, last=True)
    assert [type(entry).__name__ for entry in reader.entries()] == ["Failure", "ArchivedArticle"]
    assert reader.missing == [str(paths[0])]


def test_a_file_that_its_crawl_ends_before_the_task_begins(tmp_path: Path) -> None:
    """It is read under its final name, as on the command line."""
    path = foreign(tmp_path / "x.warc.gz.open", "one")
    (file,) = local_files(path)
    path.rename(tmp_path / "x.warc.gz")
    reader = SplitReader(Split(0, (file,)), [path], every_page=True, last=True)
    assert [entry.url for entry in reader.entries()] == ["https://courier.example/2026/03/01/one.html"]
    assert reader.missing == []
