"""What all tests share: the markers of what takes long, and that nothing may be skipped where everything is required."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from newsextract.browser.loading import BrowserMissing
from newsextract.browser.render import Browser, check_rendering
from newsextract.errors import MissingExtra
from newsextract.page.snapshot import Snapshot
from newsextract.state.schema import State
from tests.examples import register_profiles
from tests.postgres_server import PostgresServer, programs

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a crawl would compile 1,100 modules: 1.3 of its 2.5 s of CPU time
os.environ["OMP_NUM_THREADS"] = "1"  # scikit-learn's threads wait for each other by turning: beside other tests 50 s, not 2
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"  # the threads of a training, too, cost more than they bring
register_profiles()
gc.set_threshold(
    20_000, 50, 100
)  # 8,800 collected tests stay to the end; looking through them costs a twentieth of the time
SERVICES = {"rendering", "postgres", "session", "cluster", "shared_bench"}
"""Fixtures of a real browser, database or Spark, and of the bench beside the repository."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "crawl: runs real crawls as processes over loopback; only in `make test-all`")
    config.addinivalue_line("markers", "slow: takes long, or asks for a service of the system; only in `make test-all`")


@pytest.hookimpl(tryfirst=True)  # before -m deselects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What asks for a service is slow; the fast ones come first, but for those that wait for Java: at the end, they would
    keep one core busy for a minute or two."""
    for item in items:
        if SERVICES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
    items.sort(key=lambda item: item.path.parent.name != "spark" and 1 + (item.get_closest_marker("crawl") is not None))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With NEWSEXTRACT_REQUIRE=all a skip is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = len(reporter.stats.get("skipped", [])) if reporter else 0
    if skipped and os.environ.get("NEWSEXTRACT_REQUIRE") == "all":
        reporter.write_line(f"{skipped} skipped, and NEWSEXTRACT_REQUIRE=all forbids it", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def closed_states(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close the states that a test leaves open, as a ledger that is only loaded does: from Python 3.13 on, SQLite warns of
    connections that nobody closes."""
    opened: list[State] = []
    begin = State.__init__

    def keep(state: State, *arguments: Any) -> None:
        begin(state, *arguments)
        opened.append(state)

    monkeypatch.setattr(State, "__init__", keep)
    yield
    for state in opened:
        state.close(is_complete=False)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of the tests' own, in a temporary folder."""
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    memory = Path("/dev/shm")  # its many files are made and deleted faster there
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**30
    place = str(memory) if roomy else None
    with (
        tempfile.TemporaryDirectory(prefix="pg", dir=place) as folder,
        PostgresServer(found, Path(folder), "fsync=off") as server,
    ):
        yield server


@pytest.fixture(scope="session")
def rendering() -> None:
    """Skip where pages cannot be rendered; the reason names the command that installs what is missing."""
    try:
        check_rendering()
    except (BrowserMissing, MissingExtra) as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def browser(rendering: None) -> Iterator[Browser]:
    """A browser for the tests of a module."""
    with Browser() as opened:
        yield opened


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Callable[..., Snapshot]:
    """What the browser saw of a source text."""

    def shown(html: str, scripts: bool = False) -> Snapshot:
        path = tmp_path / "page.html"
        path.write_text(html, "utf-8")
        return browser.render(path, scripts=scripts)

    return shown
