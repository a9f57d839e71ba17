"""Hooks of MkDocs: add the generated pages and the documents outside ``docs/`` to the site, and make the Markdown that
GitHub shows work here, too: links out of ``docs/``, names of code blocks, narrow nested lists, escaped bars in code."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # MkDocs loads this file by its path

COPIES = {
    "CHANGELOG.md": "project/CHANGELOG.md",
    "CONTRIBUTING.md": "project/CONTRIBUTING.md",
    "SECURITY.md": "project/SECURITY.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "README.md": "index.md",
}
"""Documents outside ``docs/`` → the page that shows them."""
ORIGINALS = {page: original for original, page in COPIES.items() if original != "README.md"}


class _NarrowLists(Extension):  # type: ignore[misc]
    """Two spaces of indentation are enough for a nested list, as in CommonMark."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name is Markdown's
        md.tab_length = 2


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the extension, which has no name that a configuration file could use."""
    config.markdown_extensions.append(_NarrowLists())
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are no files of ``docs/``."""
    from benchmarks.docs.reference import PAGES

    for page, original in ORIGINALS.items():
        files.append(File.generated(config, page, content=(ROOT / original).read_text("utf-8")))
    for page, write in PAGES.items():
        files.append(File.generated(config, page, content=write()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files, **_: Any) -> str:
    """Point relative links at pages of the site; a link to another file of the repository becomes its path."""
    here = page.file.src_uri
    folder = posixpath.dirname(ORIGINALS.get(here, f"docs/{here}"))

    def mended(found: re.Match[str]) -> str:
        text, target, anchor = found[1], found[2], found[3] or ""
        path = posixpath.normpath(posixpath.join(folder, target))
        name = COPIES.get(path, path.removeprefix("docs/") if path.startswith("docs/") else "")
        if name and files.get_file_from_path(name):
            return f"[{text}]({posixpath.relpath(name, posixpath.dirname(here) or '.')}{anchor})"
        return found[0] if path.startswith("docs/") or not (ROOT / path).exists() else f"{text} (`{path}`)"

    markdown = re.sub(r"`[^`\n]*\\\|[^`\n]*`", lambda found: found[0].replace(r"\|", "|"), markdown)
    markdown = re.sub(r"^```(\w+) (\S+)$", r'```\1 title="\2"', markdown, flags=re.MULTILINE)
    return re.sub(r"(?<!!)\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)", mended, markdown)
