"""An output is there whole or not at all, whatever a run before has left and whatever another one does meanwhile."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.errors import DataError, UsageError
from newsextract.spark import job
from newsextract.spark.inputs import Storage
from newsextract.spark.job import Options, run
from tests.made_archives import foreign
from tests.spark.running import lines, plain, task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.crawl  # slow: processes of their own


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given")
    foreign(folder / "a.warc.gz", "one", "two")
    (folder / "b.html").write_bytes(b"<p>Short.")
    return folder


def test_what_a_killed_run_has_left_is_deleted_by_the_next(session: SparkSession, given: Path, tmp_path: Path) -> None:
    """It is no input either, where the output is in the folder of the input; an empty output folder is one that is free."""
    folder = tmp_path / "both"
    shutil.copytree(given, folder)
    wanted = plain([folder], tmp_path / "plain.jsonl")
    left, other = folder / "_out.unfinished-12345678", folder / "_other.unfinished-12345678"
    for unfinished in (left, other):
        (unfinished / "mapped").mkdir(parents=True)
        (unfinished / "mapped" / "part-0.parquet").write_bytes(b"half of it")
    (folder / "out").mkdir()
    run(Options([str(folder)], str(folder / "out"), task()), session)
    assert lines(folder / "out") == wanted
    assert {path.name for path in folder.iterdir()} == {"a.warc.gz", "b.html", "out", other.name}


def test_what_is_there_is_refused(session: SparkSession, given: Path, tmp_path: Path) -> None:
    options = Options([str(given)], str(tmp_path / "out"), task())
    run(options, session)
    whole = lines(tmp_path / "out")
    for output in (str(tmp_path / "out"), f"file:{tmp_path}/out"):
        with pytest.raises(UsageError, match="is complete already; name another output"):
            run(Options([str(given)], output, task()), session)
    assert lines(tmp_path / "out") == whole
    (tmp_path / "out" / "summary.json").unlink()
    with pytest.raises(UsageError, match="holds something else"):
        run(options, session)
    with pytest.raises(UsageError, match="is the root of a storage; name a folder in it"):
        run(Options([str(given)], "hdfs://somewhere", task()), session)
    with pytest.raises(UsageError, match="is the input"):
        run(Options([str(given)], str(given), task()), session)


def test_of_two_runs_the_first_that_ends_counts(
    session: SparkSession, given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    reduce = job._SparkRun._reduce

    def meanwhile(self: Any, *arguments: Any) -> Any:
        monkeypatch.setattr(job._SparkRun, "_reduce", reduce)
        counts = self._reduce(*arguments)
        output.mkdir()
        (output / "summary.json").write_text("of the other run", "utf-8")
        return counts

    monkeypatch.setattr(job._SparkRun, "_reduce", meanwhile)
    with pytest.raises(DataError, match="another run has completed it meanwhile"):
        run(Options([str(given)], str(output), task()), session)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (output / "summary.json").read_text("utf-8") == "of the other run"


def test_ctrl_c_waits_for_the_end_of_a_call(session: SparkSession, caplog: pytest.LogCaptureFixture) -> None:
    """Broken off in its midst, the next call would read its answer."""
    java: Any = session.sparkContext._jvm
    ended: list[bool] = []

    def call() -> None:
        java.java.lang.Thread.sleep(600)
        ended.append(True)
        time.sleep(5)

    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()
    assert ended
    assert java.java.lang.Math.abs(-3) == 3
    assert not caplog.records


def test_what_java_says_is_one_line(storage: Storage) -> None:
    for place, told in {
        "s3a://bucket/x": "hadoop-aws", "s3://bucket/x": "write s3a://", "hdfs://nowhere.invalid/x": "HADOOP_CONF_DIR",
        "hdfs:///x": "hdfs://HOST",
    }.items():  # fmt: skip
        with pytest.raises(DataError, match=told) as error:
            storage.files(place)
        assert "\n" not in str(error.value)
