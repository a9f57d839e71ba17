"""The lock files: what crawls need, and a superset for the tests; one version of each package in both."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CRAWL = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
TESTS = (ROOT / "requirements-dev.lock").read_text("utf-8").splitlines()


def names(lines: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for line in lines}


def test_the_lock_file_of_the_tests_holds_that_of_the_crawls() -> None:
    assert set(CRAWL) < set(TESTS)


def test_every_line_pins_one_version_and_names_no_index() -> None:
    for line in TESTS:
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; .+)?", line), line


def test_what_is_asked_for_is_locked() -> None:
    extras = PROJECT["optional-dependencies"]
    wanted = [line for extra in ("crawl", "records", "archive") for line in extras[extra]]
    assert names([*PROJECT["dependencies"], *wanted]) <= names(CRAWL)
    everything = [line for extra, lines in extras.items() if extra != "spark" for line in lines]
    assert names(everything) - {"newsextract"} <= names(TESTS)


def test_crawls_do_without_what_trains_draws_and_tests() -> None:
    assert names(CRAWL).isdisjoint({"jax", "jaxlib", "optax", "playwright", "matplotlib", "pydantic", "pytest", "alembic"})


def test_jax_and_optax_are_wanted_for_training_alone() -> None:
    for extra, lines in {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}.items():
        assert (extra == "train") == bool(names(lines) & {"jax", "optax"})
