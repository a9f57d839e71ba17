"""Mistakes in sites.toml: one line each with site, key, what was expected and an example; nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from newsextract.errors import SiteError
from newsextract.sites import load_sites

START = 'start = ["http://127.0.0.1:1/"]\n'

# (table without its name, what its line must hold)
MISTAKES = {
    "unknown-key": (START + "colour = 'red'\n", ["key colour: unknown", "choose from: name"]),
    "bad-pattern": (START + "allow = ['/a(b']\n", ["key allow", "not a regular expression", "for example allow = "]),
    "bad-date": (
        START + "since = '2026-13-01'\n",
        ["key since", "'2026-13-01' is invalid", 'for example since = "2026-01-01"'],
    ),
    "missing-start": ("depth = 2\n", ["key start", "one of start, sitemaps and feeds is needed", "for example start = ["]),
    "not-a-list": ("start = 'http://127.0.0.1:1/'\n", ["key start", "expected a valid list", "for example start = ["]),
    "not-a-number": (START + "depth = 'three'\n", ["key depth", "'three' is invalid", "for example depth = 3"]),
    "text-for-bool": (START + "obey_robots = 'no'\n", ["key obey_robots", "for example obey_robots = true"]),
    "number-for-bool": (START + "obey_robots = 0\n", ["key obey_robots", "for example obey_robots = true"]),
    "out-of-range": (START + "delay = -1\n", ["key delay", "-1 is invalid", "greater than or equal to 0"]),
    "no-address": ("start = ['www.example.org']\n", ["key start", "not an http or https URL", "https://"]),
    "file-address": ("start = ['file:///etc/passwd']\n", ["key start", "not an http or https URL"]),
    "kind": (START + "kind = 'blogs'\n", ["key kind", "'news'"]),
    "language": (START + "language = 'english'\n", ["key language", "'english' is invalid", 'for example language = "zh"']),
    "canonical": (START + "canonical = 'maybe'\n", ["key canonical", "'follow' or 'ignore'"]),
    "window": (START + "since = 2026-02-01\nuntil = 2026-01-01\n", ["key since", "later than until"]),
    "robots-only": ("sitemaps = ['robots.txt']\n", ["key sitemaps", "needs a start page"]),
    "algorithm": (START + "algorithm = 'magic'\n", ["unknown algorithm 'magic'", "block_statistics"]),
    "parameter": (START + "params = { magic = 1 }\n", ["unknown parameter 'magic'", "choose from"]),
    "preset": (START + "params = { preset = 'none' }\n", ["unknown preset 'none'", "default"]),
}


def table(name: str, body: str) -> str:
    return f'[[site]]\nname = "{name}"\n{body}\n'


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_one_line_that_helps(name: str, tmp_path: Path) -> None:
    body, wanted = MISTAKES[name]
    path = tmp_path / "sites.toml"
    path.write_text(table("right", START) + table(name, body), "utf-8")
    with pytest.raises(SiteError) as caught:
        load_sites(path)
    line = str(caught.value)
    assert "\n" not in line, line
    assert line.startswith(f'sites.toml: site "{name}", key ')
    assert [part for part in wanted if part not in line] == [], line


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (table("one", START) * 2, ['site "one", key name: used twice']),
        ("[[site]]\n" + START, ['site "number 1"', "key name: missing", 'name = "harbour-ledger"']),
        ('[[site]]\nname = "Two Words"\n' + START, ["key name", "'Two Words' is invalid"]),
        ("[[site]\n", ["not readable as TOML", "line 1"]),
        ("[site]\nname = 'x'\n", ["expected [[site]] tables"]),
        ("[[sites]]\nname = 'x'\n", ["expected [[site]] tables", "unknown: 'sites'"]),
    ],
)
def test_mistakes_of_the_file(text: str, wanted: list[str], tmp_path: Path) -> None:
    path = tmp_path / "sites.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(SiteError) as caught:
        load_sites(path)
    assert [part for part in wanted if part not in str(caught.value)] == [], caught.value


@pytest.mark.crawl
def test_the_crawl_tells_all_mistakes_and_fetches_nothing(small_crawl: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "sites.toml"
    path.write_text(
        table("right", START) + "".join(table(name, body) for name, (body, _) in MISTAKES.items()) + table("right", START),
        "utf-8",
    )
    crawl = small_crawl(tmp_path / "news.jsonl", sites=path).check(2)
    *mistakes, last = crawl.err.strip().splitlines()
    assert last == "The crawl was not started."
    assert len(mistakes) == len(MISTAKES) + 1
    for line, name in zip(mistakes, [*MISTAKES, "right"], strict=True):
        assert line.startswith(f'sites.toml: site "{name}", key ')
    assert not crawl.feed.exists()


@pytest.mark.crawl
def test_a_missing_file(small_crawl: Callable[..., Any], tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path / "news.jsonl", sites=tmp_path / "none.toml").check(2)
    assert "none.toml: no such file; the setting SITES_FILE names the list" in crawl.err
