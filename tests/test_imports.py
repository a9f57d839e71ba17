"""The public surface, and what importing the library costs and brings along."""

from __future__ import annotations

import re
import shlex
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import newsextract
from newsextract import errors

ROOT = Path(newsextract.__file__).parent
_BLOCKER = """
import importlib, pkgutil, sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"scrapy", "twisted", "playwright", "pyspark", "pyarrow", "rich", "pandas", "trafilatura"}:
            raise ImportError(f"{name} must not be imported")
sys.meta_path.insert(0, Blocker())
import newsextract
names = [m.name for m in pkgutil.walk_packages(newsextract.__path__, "newsextract.") if m.name.split(".")[1] != "scrapy"]
for name in names:
    importlib.import_module(name)
print(len(names))
"""


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True).stdout


def test_the_public_surface_is_what_all_says() -> None:
    expected = {
        "Article",
        "Hints",
        "Item",
        "ListPage",
        "NewsextractError",
        "Page",
        "Record",
        "RecordPage",
        "ResultPage",
        "Snapshot",
        "ThreadPage",
        "__version__",
        "aio",
        "algorithms",
        "crawl",
        "extract",
        "extract_hits",
        "extract_posts",
        "extract_records",
        "extract_teasers",
        "fetch",
        "find_records",
        "render",
        "to_html",
        "to_markdown",
    }
    assert set(newsextract.__all__) == expected
    assert len(newsextract.__all__) == len(expected)
    assert {name for name in dir(newsextract) if not name.startswith("_")} == expected - {"__version__"}
    for name in newsextract.__all__:
        assert hasattr(newsextract, name)


@pytest.mark.slow
def test_every_module_imports_without_scrapy() -> None:
    files = [p for p in ROOT.rglob("*.py") if p.name != "__init__.py" and p.parent != ROOT / "scrapy"]
    assert int(python(_BLOCKER)) >= len(files)


def test_import_is_lean() -> None:
    code = "import sys, newsextract; print(*sys.modules)"
    loaded = {name.partition(".")[0] for name in python(code).split()}
    assert not loaded & {
        "scrapy",
        "twisted",
        "playwright",
        "sklearn",
        "scipy",
        "pandas",
        "jieba",
        "pydantic",
        "trafilatura",
        "rich",
    }


def test_import_is_fast() -> None:
    code = "import time; t = time.perf_counter(); import newsextract; print(time.perf_counter() - t)"
    assert statistics.median(float(python(code)) for _ in range(5)) < 1.0


def test_only_one_folder_of_the_library_imports_scrapy() -> None:
    for path in set(ROOT.rglob("*.py")) - set((ROOT / "scrapy").iterdir()):
        text = path.read_text("utf-8")
        assert "import scrapy" not in text
        assert "from scrapy" not in text


def test_the_exception_tree_is_the_one_that_is_drawn() -> None:
    drawn = {
        errors.UsageError: errors.NewsextractError,
        errors.UnknownAlgorithm: errors.UsageError,
        errors.WrongKind: errors.UsageError,
        errors.ParameterError: errors.UsageError,
        errors.SiteError: errors.UsageError,
        errors.DataError: errors.UsageError,
        errors.MissingExtra: errors.NewsextractError,
        errors.FetchError: errors.NewsextractError,
    }
    for kind, base in drawn.items():
        assert kind.__bases__ == (base,)
        assert kind.__name__ in (errors.__doc__ or "")
    defined = {v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, Exception)}
    assert defined == {*drawn, errors.NewsextractError}


def test_a_missing_extra_says_how_to_get_it() -> None:
    error = errors.MissingExtra("pandas", "data", "reading Parquet")
    assert re.fullmatch(r"reading Parquet needs the package pandas: \S*python -m pip install pandas", str(error))
    assert (error.package, error.extra) == ("pandas", "data")


def test_the_way_to_an_extra_is_what_the_package_itself_asks_for() -> None:
    project = tomllib.loads((ROOT.parent / "pyproject.toml").read_text("utf-8"))["project"]
    for extra, wanted in project["optional-dependencies"].items():
        start, *words = shlex.split(errors.install_command(extra))[3:]
        assert start == "install"
        found = {canonicalize_name(Requirement(word).name): Requirement(word) for word in words}
        for line in wanted:
            asked = Requirement(line)
            if asked.name != "newsextract":  # an extra within an extra is written out
                same = found[canonicalize_name(asked.name)]
                assert (same.specifier, same.extras, str(same.marker)) == (asked.specifier, asked.extras, str(asked.marker))
        assert "newsextract" not in found


def test_nobody_is_sent_to_an_index_for_newsextract() -> None:
    folders = [ROOT, *(ROOT.parent / name for name in ("spiders", "pipelines", "settings", "docs"))]
    paths = [path for folder in folders for kind in ("*.py", "*.md") for path in folder.rglob(kind)]
    assert len(paths) > 200
    for path in paths:
        assert not re.search(r"pip install[^`\n]*newsextract\[[^@`\n]*(?:[`\n]|$)", path.read_text("utf-8")), path
