"""The set-up scripts: what they report and mend on machines that lack something."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LIST = REPOSITORY / "newsextract" / "data" / "system_packages.txt"
PACKAGES = {line.split()[1] for line in LIST.read_text("utf-8").splitlines() if not line.startswith("#")}


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A tree with the scripts and one lock file, and the few commands that they use."""
    folder = tmp_path / "checkout"
    shutil.copytree(REPOSITORY / ".ci", folder / ".ci")
    (folder / "newsextract" / "data").mkdir(parents=True)
    shutil.copy(LIST, folder / "newsextract" / "data")
    (folder / "requirements.lock").write_text("one==1.0\n")
    (folder / "pyproject.toml").write_text("")
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("sh", "rm", "touch", "date", "du", "cut", "grep", "dirname", "cat", "mkdir", "chmod"):
        (commands / name).symlink_to(shutil.which(name) or "")
    return folder


def run(checkout: Path, name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {"PATH": str(checkout.parent / "bin"), **environment}
    command = [str(checkout / ".ci" / name), *arguments]
    return subprocess.run(command, env=known, capture_output=True, text=True, timeout=60, check=False)


WORKING = """case "$*" in
*"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp_self="$0"; cat "$cp_self" >"$last/bin/python"; chmod 755 "$last/bin/python" ;;
*"pip install"*) echo "$*" >>"${LOG:-/dev/null}" ;;
esac"""
"""An interpreter whose environments hold a copy of it."""


def test_without_venv_the_package_is_named_and_nothing_half_made_stays(checkout: Path) -> None:
    python = script(checkout.parent / "python3", 'case "$*" in *"-m venv"*) mkdir -p .venv/bin; exit 1 ;; esac')
    failed = run(checkout, "set-up", "crawl", PYTHON=str(python))
    assert failed.returncode == 1
    assert "apt-get install python3-venv" in failed.stderr
    assert not (checkout / ".venv").exists()
    script(python, WORKING)
    assert run(checkout, "set-up", "crawl", PYTHON=str(python)).returncode == 0


def test_a_broken_environment_is_made_anew(checkout: Path, tmp_path: Path) -> None:
    script(checkout / ".venv" / "bin" / "python", "exit 1")  # "No module named pip"
    python, log = script(checkout.parent / "python3", WORKING), tmp_path / "log"
    done = run(checkout, "set-up", "crawl", PYTHON=str(python), LOG=str(log))
    assert done.returncode == 0
    assert "making it anew" in done.stdout
    assert "--requirement requirements.lock" in log.read_text()
    done = run(checkout, "set-up", "crawl", PYTHON=str(python), LOG=str(log))
    assert (done.returncode, done.stdout) == (0, "")
    assert log.read_text().count("requirements.lock") == 1


def test_an_old_python_is_refused_with_the_way_out(checkout: Path) -> None:
    python = script(checkout.parent / "python3", 'case "$1" in -c) exit 1 ;; --version) echo Python 3.9.2 ;; esac')
    failed = run(checkout, "set-up", "crawl", PYTHON=str(python))
    assert failed.returncode == 1
    assert "Python 3.9.2 is too old" in failed.stderr
    assert not (checkout / ".venv").exists()


def test_the_crawl_installs_nothing_outside_the_checkout(checkout: Path, tmp_path: Path) -> None:
    script(tmp_path / "bin" / "apt-get", f"touch {tmp_path}/asked")
    script(tmp_path / "bin" / "id", "echo 0")
    done = run(checkout, "set-up", "crawl", PYTHON=str(script(checkout.parent / "python3", WORKING)))
    assert done.returncode == 0
    assert not (tmp_path / "asked").exists()


def test_missing_packages_are_named_before_they_are_installed(checkout: Path, tmp_path: Path) -> None:
    listed = checkout / "newsextract" / "data" / "system_packages.txt"
    listed.write_text(
        f"tests there sh\ntests here {tmp_path}/no*such|{tmp_path}/bin\ntests absent nosuchcommand\nother more none\n"
    )
    script(tmp_path / "bin" / "apt-get", f'echo "$*" >>{tmp_path}/asked')
    user = script(tmp_path / "bin" / "id", "echo 1000")
    for arguments in (["tests"], ["--install", "tests"]):
        told = run(checkout, "system-packages", *arguments)
        assert told.returncode == 1
        assert told.stdout.splitlines() == ["missing: absent", "To install them on Debian: apt-get install absent"]
        assert not (tmp_path / "asked").exists()
    script(user, "echo 0")
    done = run(checkout, "system-packages", "--install", "tests")
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["missing: absent", "installing: absent"]
    assert (tmp_path / "asked").read_text().splitlines()[-1].endswith("--no-install-recommends absent")


def test_every_file_names_packages_of_the_one_list() -> None:
    """Dockerfile, documents, code and tests: whatever stands after ``apt-get install``."""
    names = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md"), REPOSITORY / "Dockerfile"]
    for folder in ("newsextract", "spiders", "tests", "benchmarks"):
        names += REPOSITORY.joinpath(folder).rglob("*.py")
    for path in names:
        if path == Path(__file__):
            continue
        for found in re.findall(r"apt-get install ([a-z][a-z0-9 .+-]*)", path.read_text("utf-8")):
            assert set(found.split()) <= PACKAGES | {"make", "python3", "ca-certificates", "debootstrap"}, path


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_the_scripts_are_programs() -> None:
    for name in ("set-up", "system-packages", "fresh-roots", "run"):
        assert os.access(REPOSITORY / ".ci" / name, os.X_OK), name
