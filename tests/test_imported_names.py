"""What the documents' examples and the benchmarks import from newsextract is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SOURCES = [*sorted(ROOT.glob("benchmarks/**/*.py")), *sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"]


@cache
def names_in(module: str) -> frozenset[str]:
    """The names at the top level of a module or package, and the package's modules."""
    place = ROOT.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    found = {one.stem for one in place.iterdir()} if place.is_dir() else set[str]()
    for node in ast.walk(ast.parse(file.read_text())) if file.is_file() else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update(one.asname or one.name for one in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return frozenset(found)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_names_imported_from_newsextract_are_there(source: Path) -> None:
    text = source.read_text()
    parts = [text] if source.suffix == ".py" else EXAMPLE.findall(text)
    for node in (node for part in parts for node in ast.walk(ast.parse(part))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "newsextract":
            assert {one.name for one in node.names} <= names_in(node.module or "")
