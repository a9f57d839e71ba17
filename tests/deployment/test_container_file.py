"""The container file: what it copies is there and is enough, its packages are locked, and its entry point chooses.

Its RUN steps are run in a Debian root by ``run_steps.py``, which takes minutes, the network and root; not here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

from tests.deployment.container_file import Step, context_files, read_steps
from tests.deployment.run_steps import Container

PROJECT = Path(__file__).resolve().parents[2]
PACKAGES = ("newsextract", "pipelines", "settings", "spiders")
STEPS = read_steps(PROJECT / "Dockerfile")


def steps(name: str) -> list[Step]:
    return [step for step in STEPS if step.name == name]


def default(argument: str) -> str:
    return next(step.pairs[argument] for step in steps("ARG") if argument in step.pairs)


def test_an_unknown_line_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "Dockerfile"
    file.write_text('# one\nFROM debian\nRUN a \\\n  # between\n  && b\nENV A=1 B="2 3"\n', "utf-8")
    assert [(step.line, step.name, step.value.split()) for step in read_steps(file)][:2] == [
        (2, "FROM", ["debian"]),
        (3, "RUN", ["a", "&&", "b"]),
    ]
    assert read_steps(file)[2].pairs == {"A": "1", "B": "2 3"}
    for line in ("ADD a b", "RUN --mount=type=cache,target=/x a", 'RUN ["a"]', "COPY --from=x a b", "HEALTHCHECK NONE"):
        file.write_text(f"FROM debian\n\n{line}\n", "utf-8")
        with pytest.raises(ValueError, match="Dockerfile:3: this check does not know"):
            read_steps(file)


def test_dockerignore(tmp_path: Path) -> None:
    (tmp_path / ".dockerignore").write_text(
        "# note\n*\n!kept\n!one.txt\n!tests/sample\n**/__pycache__\nkept/*.md\n", "utf-8"
    )
    for name in (
        "kept/a.py",
        "kept/b.md",
        "kept/c/d.md",
        "kept/c/__pycache__/a.pyc",
        "one.txt",
        "two.txt",
        "tests/sample/x",
        "tests/y",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert context_files(tmp_path) == {"kept/a.py", "kept/c/d.md", "one.txt", "tests/sample/x"}


def test_the_context_has_the_packages_and_nothing_private() -> None:
    context = context_files(PROJECT)
    for package in PACKAGES:
        there = {path.relative_to(PROJECT).as_posix() for path in (PROJECT / package).rglob("*") if path.is_file()}
        assert {name for name in there if "__pycache__" not in name} <= context
        assert [f"{package}", f"{package}"] in [step.words for step in steps("COPY")]
    first = {name.partition("/")[0] for name in context}
    copied = {source.partition("/")[0] for step in steps("COPY") for source in step.words[:-1]}
    assert first == copied  # nothing is sent to the builder that is not used
    assert not any("__pycache__" in name for name in context)


def test_packages_are_locked() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    locked = set(re.findall(r"^([a-z0-9-]+)==", (PROJECT / "requirements-dev.lock").read_text("utf-8"), re.MULTILINE))
    wanted = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in default("EXTRAS").split(","):
        wanted += project["project"]["optional-dependencies"][extra]
    names = {re.split(r"[^A-Za-z0-9._-]", text)[0].lower().replace("_", "-").replace(".", "-") for text in wanted}
    assert len(names) > 10
    assert names - {"newsextract"} <= locked  # an extra may name another extra of ours


@pytest.mark.parametrize(("extras", "code"), [(None, 0), ("spark", 1), ("crawl,spark,zh", 1)])
def test_spark_is_refused(extras: str | None, code: int) -> None:
    guard = next(step for step in steps("RUN") if "$EXTRAS" in step.value)
    assert "pip" not in guard.value
    chosen = {"EXTRAS": extras or default("EXTRAS")}
    done = subprocess.run(["/bin/sh", "-c", guard.value], env=chosen, capture_output=True, text=True, check=False)
    assert (done.returncode, "docs/deployment.md" in done.stderr) == (code, code == 1)


def test_it_does_not_run_as_root() -> None:
    users = steps("USER")
    assert len(users) == 1
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[0].value)  # a number: Kubernetes's runAsNonRoot reads no names
    assert max(step.line for step in steps("RUN")) < users[0].line < min(step.line for step in steps("ENTRYPOINT"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["newsextract", "--version"], "newsextract 0."),
        (["list"], "news"),
        (["sh", "-c", "echo \"$0 and 'this'\"", "a b"], "a b and 'this'"),
    ],
)
def test_the_entry_point_chooses(words: list[str], shown: str) -> None:
    entrypoint = steps("ENTRYPOINT")[0].words
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    done = subprocess.run([*entrypoint, *words], cwd=PROJECT, env=environment, capture_output=True, text=True, check=True)
    assert shown in done.stdout


@pytest.mark.slow
def test_the_entry_point_hands_the_exit_code_on() -> None:
    assert steps("CMD")[0].words == ["crawl", "news"]
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    command = [*steps("ENTRYPOINT")[0].words, "crawl", "news", "-a", "sites=nowhere"]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "no site 'nowhere'" in done.stderr) == (2, True)


@pytest.mark.crawl
def test_what_is_copied_is_enough(tmp_path: Path) -> None:
    """A crawl of the sample site from the copied files alone."""
    container = Container(tmp_path / "root", {}, {})
    for step in STEPS:
        container.configure(step)
        if step.name == "COPY":
            container.copy(step)
    project = container.root / container.folder.lstrip("/")
    assert {path.name for path in project.iterdir()} >= {*PACKAGES, "scrapy.cfg", "pyproject.toml", "requirements-dev.lock"}
    python = make_environment(tmp_path / "environment")
    command = [
        str(python),
        "-m",
        "scrapy",
        "crawl",
        "news",
        "-a",
        "sites=harbour-ledger",
        "-a",
        "limit=1",
        "-s",
        "EXTRACTION_WORKERS=0",
    ]
    done = subprocess.run(command, cwd=project, env=clean_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (project / "out" / "news.jsonl").read_bytes().count(b"\n") >= 1


def make_environment(folder: Path) -> Path:
    """A fresh environment with this one's packages, but not the project itself, which is installed here as editable; its
    Python."""
    venv.create(folder, symlinks=True)
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)}, scheme="venv")
    shared = dict.fromkeys(sysconfig.get_paths()[name] for name in ("purelib", "platlib"))
    Path(paths["purelib"], "shared.pth").write_text("".join(f"{path}\n" for path in shared), "utf-8")
    return folder / "bin" / "python"


def clean_environment() -> dict[str, str]:
    """Ours, without proxies and without folders that Python would search."""
    unwanted = ("_proxy", "pythonpath")
    return {name: value for name, value in os.environ.items() if not name.lower().endswith(unwanted)}
