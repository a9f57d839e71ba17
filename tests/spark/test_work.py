"""What is found of a run that was killed, at whatever moment; and that an output has one driver."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.archives.extraction import Choice
from newsextract.errors import DataError, UsageError
from newsextract.spark import job
from newsextract.spark.claim import Claim, process
from newsextract.spark.job import Options, run
from newsextract.spark.mapping import MapTask
from newsextract.spark.storage import Storage
from newsextract.spark.work import Work
from tests.made_archives import foreign
from tests.spark.running import lines, task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.crawl  # slow: processes of their own


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given")
    foreign(folder / "a.warc.gz", "one", "two")
    (folder / "b.html").write_bytes(b"<p>Short.")
    foreign(folder / "c.warc.gz", "three")
    return folder


@pytest.fixture(scope="module")
def whole(session: SparkSession, given: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("whole") / "out"
    run(Options([str(given)], str(output), task()), session)
    return output


def begun(given: Path, every_page: bool = False) -> dict[str, Any]:
    """``job.json`` as a run writes it."""
    from newsextract.spark.splits import local_files, make_splits

    splits = make_splits(local_files(given), job.Index([], 1))
    version = job.newsextract.__version__
    values = [split.to_json() for split in splits]
    return {"version": version, "algorithm": None, "params": {}, "every_page": every_page, "input": values}


def test_a_run_goes_on_wherever_it_was_killed(
    session: SparkSession, given: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # while job.json was written, with a driver that is dead
    output = tmp_path / "k1"
    (output / "_work").mkdir(parents=True)
    (output / "_work" / "job.json.new").write_bytes(b"")
    (output / "_work" / "driver.json").write_text(json.dumps(ended()), "utf-8")
    options = Options([str(given)], str(output), task())
    run(options, session)
    assert lines(output) == lines(whole)
    # while the list of the second attempt was written, and while the results were put in their places
    output = tmp_path / "k2"
    work = output / "_work"
    (work / "map-0000").mkdir(parents=True)
    (output / "records").mkdir()
    (output / "records" / "part-00000").write_text("of another number of partitions", "utf-8")
    (work / "job.json").write_text(json.dumps(begun(given)), "utf-8")
    (work / "map-0000.json").write_text("[1, 0, 2]", "utf-8")
    (work / "map-0000" / "part-00000").write_text(
        f"{'#' * 16}\t00000001\t0000000000\t#\t-\t" + json.dumps({"pages": 7, "record_pages": 0}) + "\n", "utf-8"
    )
    (work / "map-0001.json.new").write_bytes(b"[")
    summary = run(Options([str(given)], str(output), task()), session)
    assert lines(output)[0] == lines(whole)[0]
    assert (summary["splits_done_before"], summary["pages_done_before"], summary["pages"]) == (1, 7, 10)
    assert "going on: 1 of 3 splits are done already" in capsys.readouterr().err
    # while the state was deleted
    output = tmp_path / "k3"
    shutil.copytree(whole, output)
    (output / "_work" / "map-0000").mkdir(parents=True)
    (output / "_work-12345678").mkdir()
    options = Options([str(given)], str(output), task())
    assert run(options, session)["records"] == 3
    assert lines(output) == lines(whole)
    assert {path.name for path in output.iterdir() if not path.name.startswith(".")} == {
        "records",
        "rejected",
        "summary.json",
    }
    with pytest.raises(UsageError, match="is complete already; name another output"):
        run(options, session)


def test_what_is_something_else_is_refused(session: SparkSession, given: Path, tmp_path: Path) -> None:
    (tmp_path / "_work").mkdir()
    options = Options([str(given)], str(tmp_path), task())
    (tmp_path / "_work" / "thesis.txt").write_text("x", "utf-8")
    with pytest.raises(UsageError, match="holds something else"):
        run(options, session)
    (tmp_path / "_work" / "thesis.txt").unlink()
    (tmp_path / "_work" / "job.json").write_text(json.dumps(begun(given)), "utf-8")
    with pytest.raises(UsageError, match="another every_page was begun here"):
        run(Options([str(given)], str(tmp_path), MapTask(Choice(), True, 30.0, 1_500)), session)
    assert not (tmp_path / "_work" / "driver.json").exists()
    with pytest.raises(UsageError, match="is the input"):
        run(Options([str(given)], str(given), task()), session)
    (tmp_path / "_work" / "job.json").unlink()
    (tmp_path / "a.html").write_bytes(b"<p>x")
    with pytest.raises(UsageError, match="holds something else"):
        run(options, session)


def test_a_second_driver_is_refused_and_loses_nothing(
    session: SparkSession, given: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes when the first has done Map; then one that ends first, though it should not be there."""
    output = tmp_path / "out"
    options = Options([str(given)], str(output), task())
    reduce = job._Run._reduce
    refused = []

    def meanwhile(self: Any, *arguments: Any) -> Any:
        with pytest.raises(DataError, match="another driver is at work here") as error:
            run(options, session)
        refused.append(error)
        tally = reduce(self, *arguments)
        for name in ("records", "summary.json"):  # of a driver that did not ask
            (shutil.copytree if name == "records" else shutil.copy)(whole / name, output / name)
        return tally

    monkeypatch.setattr(job._Run, "_reduce", meanwhile)
    with pytest.raises(DataError, match="another driver has completed it meanwhile"):
        run(options, session)
    assert len(refused) == 1
    assert lines(output)[0] == lines(whole)[0]


def ended() -> dict[str, Any]:
    """A process of this machine that is no more."""
    with subprocess.Popen(["sleep", "60"]) as child:
        known = process(child.pid)
        child.kill()
        assert known["began"]
    assert process(child.pid) != known
    return {"run": "old", "host": "here", **known}


def test_a_claim_is_taken_from_the_dead_alone(storage: Storage, tmp_path: Path) -> None:
    work = str(tmp_path / "_work")
    other = tmp_path / "_work" / "driver.json"
    with Claim(storage, f"file:{work}", "out"):
        assert json.loads(other.read_text())["process"] == os.getpid()
        with (
            pytest.raises(DataError, match=rf"another driver is at work here \(process {os.getpid()} on"),
            Claim(storage, f"file:{work}", "out"),
        ):
            pass  # pragma: no cover
    assert not other.exists()
    for left in (json.dumps(ended()), json.dumps({"run": "x", "machine": "far", "process": 1, "began": "2"}), ""):
        shutil.rmtree(work)
        storage.write(f"file:{other}", 0)
        other.write_text(left, "utf-8")
        (tmp_path / "_work" / ".driver.json.crc").unlink()
        with Claim(storage, f"file:{work}", "out", patience=0.2) as claim:
            claim.check()
            shutil.copy(other, tmp_path / "mine")
            (tmp_path / "_work" / ".driver.json.crc").unlink()
            other.write_text(json.dumps({"run": "taken"}), "utf-8")
            with pytest.raises(DataError, match="has taken this output over"):
                claim.check()
        assert json.loads(other.read_text())["run"] == "taken"


def test_a_driver_elsewhere_that_beats_is_alive(storage: Storage, tmp_path: Path) -> None:
    work = tmp_path / "_work"
    work.mkdir()
    (work / "driver.json").write_text(json.dumps({"run": "x", "machine": "far", "process": 1, "host": "h"}), "utf-8")
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(0.05):
            (work / "driver.beat").write_text(str(time.monotonic()), "utf-8")

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        claim = Claim(storage, f"file:{work}", "out", patience=0.5)
        with pytest.raises(DataError, match="process 1 on h"), claim:
            pass  # pragma: no cover
    finally:
        ended.set()
        thread.join()


def test_a_live_claim_beats(storage: Storage, tmp_path: Path) -> None:
    with Claim(storage, f"file:{tmp_path}/_work", "out", beat=0.05):
        first = storage.modified(f"file:{tmp_path}/_work/driver.beat")
        until = time.monotonic() + 20
        while storage.modified(f"file:{tmp_path}/_work/driver.beat") == first:
            assert time.monotonic() < until


def test_parts_that_are_not_there_are_named(
    session: SparkSession, given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Work, "committed", lambda self: {0: "x"})
    with pytest.raises(DataError, match="there is no part of the splits 1, 2"):
        run(Options([str(given)], str(tmp_path / "out"), task()), session)


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
