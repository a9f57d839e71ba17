"""The sample site is up to date, complete and true to its source."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

HERE = Path(__file__).resolve().parent
WWW = HERE / "www"
BASE = "http://www.harbour-ledger.example"


def _expected() -> list[dict[str, Any]]:
    lines = (HERE / "expected.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


EXPECTED = _expected()
ARTICLES = [line for line in EXPECTED if line["kind"] == "article"]


def _file(url: str) -> Path:
    path = urlsplit(url).path
    return WWW / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))


def _decode(raw: bytes, language: str) -> str:
    """Decode a page without trusting its declaration."""
    for encoding in ("utf-8-sig", "gbk", "big5") if language == "zh" else ("utf-8-sig",):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding != "gbk" or "的" in text:
            return text
    raise AssertionError("page cannot be decoded")


def _plain(html: str) -> str:
    text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", "", html, flags=re.DOTALL | re.IGNORECASE)
    return " ".join(unescape(text).split())


def _all_links() -> set[str]:
    links: set[str] = set()
    for path in WWW.rglob("*"):
        if not path.is_file():
            continue
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("latin-1")
        folder = path.relative_to(WWW).as_posix().removesuffix("index.html")
        here = f"{BASE}/{folder}"
        found = re.findall(r'<a [^>]*?href="([^"]+)"', text) + re.findall(r"<(?:loc|link)>([^<]+)<", text)
        found += re.findall(r'<link rel="alternate" href="([^"]+)"', text)
        found += re.findall(r'content="0; url=([^"]+)"', text)
        links |= {urljoin(here, unescape(link)).split("?")[0] for link in found if link.split("?")[0] != folder}
    return links


@pytest.mark.slow
def test_built_files_are_up_to_date() -> None:
    """``www/`` and ``expected.jsonl`` are what ``build.py`` makes of ``source/``."""
    command = [sys.executable, str(HERE / "build.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_there_are_enough_articles() -> None:
    """At least 46 different articles; no address twice."""
    originals = [line for line in ARTICLES if not line["duplicate_of"]]
    assert len(originals) >= 46
    assert len({line["text"] for line in originals}) == len(originals)
    assert len({line["url"] for line in EXPECTED}) == len(EXPECTED)


@pytest.mark.parametrize("line", EXPECTED, ids=lambda line: urlsplit(line["url"]).path)
def test_page_exists_unless_missing(line: dict[str, Any]) -> None:
    """Every expected address has a file, apart from the dead links."""
    exists = _file(line["url"]).is_file()
    if line["kind"] == "missing":
        assert not exists
    elif "/en/search" not in line["url"]:
        assert exists


@pytest.mark.parametrize("line", ARTICLES, ids=lambda line: urlsplit(line["url"]).path)
def test_text_stands_in_the_page(line: dict[str, Any]) -> None:
    """Headline and every piece of the expected text stand in the decoded page."""
    mark = "_" if line["language"] == "zh" else "-"
    pages = [_file(line["url"])]
    pages += [pages[0].with_name(f"{pages[0].stem}{mark}{number}.html") for number in range(2, line["pages"] + 1)]
    text = " ".join(_plain(_decode(page.read_bytes(), line["language"])) for page in pages)
    assert line["title"] in text
    assert line["text"]
    for block in line["text"].split("\n\n"):
        for piece in block.split(" | "):
            assert piece in text


def test_every_article_is_linked() -> None:
    """No article is reachable by nothing."""
    links = _all_links()
    assert [line["url"] for line in ARTICLES if line["url"] not in links] == []


def test_missing_pages_are_linked() -> None:
    """The dead links are really there."""
    links = _all_links()
    assert [line["url"] for line in EXPECTED if line["kind"] == "missing" and line["url"] not in links] == []


def test_dates_are_as_agreed() -> None:
    """Dates have one of the three agreed forms and lie in January to October 2025."""
    for line in ARTICLES:
        if line["date"] is None:
            assert line["relative_hours"] == 3
        else:
            assert re.fullmatch(r"2025-\d\d-\d\d(T\d\d:\d\d(:00\+08:00)?)?", line["date"])
            assert "2025-01" <= line["date"][:7] <= "2025-10"


def test_only_known_links_are_dead() -> None:
    """Every link inside the site leads to a file, apart from the planned exceptions."""
    planned = {line["url"].split("?")[0] for line in EXPECTED if line["kind"] in ("missing", "forbidden")}
    inside = {link.split("#")[0] for link in _all_links() if link.startswith(BASE)}
    assert sorted(link for link in inside - planned if link and not _file(link).is_file()) == []
