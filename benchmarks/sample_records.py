"""The sample site's forums, search engines and news lists as a data set of records: layouts that the bench has few of.

    python -m benchmarks.sample_records OUT
    python -m benchmarks.snapshot_pages OUT/pages OUT/snapshots
    newsextract train visual-blocks ../shared/bench/records OUT …

A page a line in OUT/truth.jsonl, the page itself in OUT/pages/<id>/index.html, in UTF-8 and with its style sheets inside.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from newsextract.page.decoding import decode
from newsextract.sites import load_sites
from spiders.addresses import query_file

SITES = Path("settings/sites.toml")
SAMPLE = Path("tests/sample_site")
_SHEET = re.compile(r'<link[^>]*rel="?stylesheet"?[^>]*href="?([^"\s>]+)"?[^>]*>', re.IGNORECASE)
_CHARSET = re.compile(r'charset="?[\w-]+', re.IGNORECASE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    output: Path = parser.parse_args().output
    print(f"{write(output)} pages written to {output}")


def write(output: Path) -> int:
    """Write the data set.

    :return: number of pages.
    """
    output.mkdir(parents=True, exist_ok=True)
    count = 0
    with (output / "truth.jsonl").open("w", encoding="utf-8") as truth:
        for kind, site, address, source, records in pages():
            name = f"sample-{count:04}"
            page = output / "pages" / name / "index.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(source, "utf-8")
            row = {"id": name, "source": "sample", "kind": kind, "url": address, "site": site, "lang": "?",
                   "records": [{"text": text} for text in records]}  # fmt: skip
            truth.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def pages() -> Iterator[tuple[str, str, str, str, list[str]]]:
    """(kind, site, address, source, texts of the records) of each page that has records."""
    for kind, site, address, source, records in _served():
        if records:
            yield kind, site, address, source, records


def pages_without_records() -> Iterator[tuple[str, str]]:
    """(address, source) of each page of results without any; nothing learns from them."""
    for _, _, address, source, records in _served():
        if not records:
            yield address, source


def folders() -> dict[str, Path]:
    """The folders of the sample site's hosts."""
    return {host: Path(site.serve) for site in load_sites(SITES).values() if site.serve for host in site.hosts}


def _served() -> Iterator[tuple[str, str, str, str, list[str]]]:
    served = folders()
    for kind, site, address, records in _truth():
        source = _source(served, address)
        if source is not None:
            yield kind, site, address, source, records


def _truth() -> Iterator[tuple[str, str, str, list[str]]]:
    """(kind, site, address, texts of the records) of each page."""
    for thread in rows("expected_posts.jsonl"):
        texts = {
            post["position"]: " ".join([*(quote["text"] for quote in post["quotes"]), *post["text"].split()])
            for post in thread["posts"]
        }
        for page in thread["pages"]:
            yield "forum", thread["site"], page["address"], [texts[position] for position in page["positions"]]
    for page in rows("expected_hits.jsonl"):
        yield "search", page["engine"], page["address"], [f"{hit['title']} {hit['snippet'] or ''}" for hit in page["hits"]]
    for page in rows("expected_lists.jsonl"):
        yield "list", page["site"], page["address"], [f"{item['title']} {item['text'] or ''}" for item in page["items"]]


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The lines of a file of the sample site's truth."""
    with (SAMPLE / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _source(folders: dict[str, Path], address: str) -> str | None:
    """The page in UTF-8 with its style sheets inside; None where no site serves it."""
    file = file_of(folders, address)
    if file is None:
        return None
    text = _CHARSET.sub("charset=utf-8", decode(file.read_bytes(), None).text, count=1)

    def inside(match: re.Match[str]) -> str:
        sheet = file_of(folders, urljoin(address, match[1]))
        return f"<style>{sheet.read_text('utf-8')}</style>" if sheet else ""

    return _SHEET.sub(inside, text)


def file_of(folders: dict[str, Path], address: str) -> Path | None:
    """The file that answers for an address, as :mod:`spiders.addresses` chooses it."""
    parts = urlsplit(address)
    folder = folders.get(parts.hostname or "")
    if folder is None:
        return None
    path = folder / parts.path.lstrip("/")
    name = "" if parts.path.endswith("/") else path.name
    place = path if parts.path.endswith("/") else path.parent
    choices = [place / query_file(name, parts.query)] if parts.query else []
    choices += [place / (name or "index.html"), place / f"{name or 'index'}@.html"]
    return next((choice for choice in choices if choice.is_file()), None)


if __name__ == "__main__":
    main()
