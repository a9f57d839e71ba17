"""Snapshots of a whole folder of pages, to repeat visual extraction without a browser.

    python -m benchmarks.snapshot_pages FOLDER OUTPUT [--again]

``FOLDER`` holds ``pages/<id>/index.html`` and ``truth.jsonl``, or is itself such a folder of pages; written is
``OUTPUT/<id>.snapshot``. Addresses are those of ``truth.jsonl``. Pages that have a snapshot are skipped unless told
otherwise; one that fails is named, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from newsextract.browser.render import Browser
from newsextract.control_characters import ProgressLine
from newsextract.errors import NewsextractError


def snapshot_pages(folder: Path, output: Path, again: bool = False) -> dict[str, str]:
    """Render all pages.

    :return: what went wrong, by page.
    """
    pages = folder / "pages" if (folder / "pages").is_dir() else folder
    truth = pages.parent / "truth.jsonl"
    rows = [json.loads(line) for line in truth.read_bytes().splitlines()] if truth.is_file() else []
    urls = {row["id"]: row.get("url") for row in rows}
    output.mkdir(parents=True, exist_ok=True)
    paths = sorted(pages.glob("*/index.html"))
    failed: dict[str, str] = {}
    progress = ProgressLine("snapshots", sys.stderr)
    with Browser() as browser:
        for done, path in enumerate(paths, 1):
            name = path.parent.name
            file = output / f"{name}.snapshot"
            if again or not file.exists():
                try:
                    browser.render(path, url=urls.get(name)).save(file)
                except NewsextractError as error:
                    failed[name] = str(error)
            progress.update(done, len(paths))
    progress.close()
    return failed


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--again", action="store_true", help="also the pages that have a snapshot")
    arguments = parser.parse_args()
    failed = snapshot_pages(arguments.folder, arguments.output, arguments.again)
    for name, reason in failed.items():
        print(f"{name}: {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
