"""What all tests share: the ``crawl`` marker, and that nothing may be skipped where everything is required."""

from __future__ import annotations

import os

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "crawl: runs real crawls as processes over loopback; slow, left out by `make fast`")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The fast ones first."""
    items.sort(key=lambda item: item.get_closest_marker("crawl") is not None)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With NEWSEXTRACT_REQUIRE=all a skip is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = len(reporter.stats.get("skipped", [])) if reporter else 0
    if skipped and os.environ.get("NEWSEXTRACT_REQUIRE") == "all":
        reporter.write_line(f"{skipped} skipped, and NEWSEXTRACT_REQUIRE=all forbids it", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
