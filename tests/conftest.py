"""What all tests share."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "crawl: runs real crawls as processes over loopback; slow, left out by `make fast`")
