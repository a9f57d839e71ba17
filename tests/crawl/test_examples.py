"""``examples/``: projects of somebody else's shape, run from the built wheel in a fresh environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from spiders.addresses import FolderServer
from tests.crawl.conftest import REPOSITORY, SAMPLE, environment, lines

START = "http://www.harbour-ledger.example/"
EXTRAS = "crawl,scrapy,poet,zyte"
ALIEN = """
import importlib.util
names = ("spiders", "pipelines", "settings", "tests", "benchmarks", "examples", "newsextract")
print([name for name in names if importlib.util.find_spec(name)])
"""


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """The ``bin`` of an environment with the wheel: its packages from the index, or, without a network, those of ours."""
    builder = pytest.importorskip("hatchling.builders.wheel", reason="hatchling builds the wheel")
    (wheel,) = builder.WheelBuilder(str(REPOSITORY)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        assert {name.partition("/")[0].partition("-")[0] for name in archive.namelist()} == {"newsextract"}
    venv.create(tmp_path / "fresh", with_pip=False)
    binaries = tmp_path / "fresh" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(binaries / "python"), "install", "--quiet", "--no-compile"]
    lock = ["--constraint", str(REPOSITORY / "requirements-dev.lock"), "--retries", "0", "--timeout", "20"]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # pip would find packages there
    done = subprocess.run([*pip, *lock, f"{wheel}[{EXTRAS}]"], capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        print(done.stderr)
        (installed,) = (tmp_path / "fresh" / "lib").glob("python*/site-packages")
        subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True, env=env)
        (installed / "others.pth").write_text(sysconfig.get_path("purelib"))  # .pth files in there do not count
    return binaries


@pytest.mark.crawl
@pytest.mark.slow
def test_the_examples_run_from_the_wheel_in_a_fresh_environment(fresh: Path, tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    python = str(fresh / "python")
    scrapy = [python, "-m", "scrapy", "crawl", "ledger", "-a", f"start={START}", "-s", "DOWNLOAD_DELAY=0"]
    with FolderServer({"www.harbour-ledger.example": SAMPLE / "www"}) as server:
        env = environment(http_proxy=server.address)
        env.pop("PYTHONPATH", None)

        def begin(command: list[str], folder: str) -> subprocess.Popen[str]:
            where = tmp_path / "examples" / folder
            return subprocess.Popen(command, cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        found = subprocess.run(
            [python, "-P", "-c", ALIEN], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        assert found.stdout == "['newsextract']\n"
        script = [python, "articles.py", START, "--limit", "3", "--proxy", server.address]
        running = [begin(scrapy, "plain"), begin([*scrapy, "-O", "articles.jsonl"], "poet"), begin(script, "")]
        ended = [(process.communicate(timeout=120), process.returncode) for process in running]
    for (_, log), code in ended:
        assert code == 0, log[-4000:]
        assert "Traceback" not in log, log[-4000:]
    plain, poet = (lines(tmp_path / "examples" / name / "articles.jsonl") for name in ("plain", "poet"))
    assert len(plain) > 4
    assert all(line["words"] > 0 and line["site"] == "ledger" and line["status"] in ("ok", "doubtful") for line in plain)
    titles = {line["url"]: line.get("title") for line in lines(SAMPLE / "expected.jsonl")}
    assert len(poet) > 4
    assert all(line["headline"] == titles[line["url"]] and line["articleBody"] for line in poet)
    printed = ended[2][0][0].splitlines()
    assert 0 < len(printed) <= 3
    assert all(line.split("\t")[1] in titles.values() for line in printed)
