"""Archives for the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from newsextract.archives.warc import WarcWriter
from tests.made_archives import write_article


@pytest.fixture
def own(tmp_path: Path) -> Callable[..., Path]:
    """A file as our crawls write it, with an article for each name."""

    def make(*names: str, folder: str = "warc") -> Path:
        writer = WarcWriter(tmp_path / folder, "news")
        for name in names:
            write_article(writer, name)
        writer.close()
        (path,) = (tmp_path / folder).glob("*.warc.gz")
        return path

    return make
