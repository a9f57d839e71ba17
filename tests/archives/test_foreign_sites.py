"""What an archive of strangers says of its site opens no file, and no pattern of it takes for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from newsextract.algorithms import file_params
from newsextract.archives import ArchivedArticle, extract_entry, find_archives, read_entries
from newsextract.archives.entries import Choice, SiteFacts
from newsextract.errors import UsageError
from newsextract.feed.record_lines import Rejection
from spiders.plan import make_archive_plan
from tests.made_archives import html


def first_entry(tmp_path: Path, site: Any) -> Any:
    """What a JSON line with this site is read as."""
    page = {"url": "https://courier.example/one.html", "html": html("one").decode(), "site": site}
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps(page) + "\n")
    return next(step.entry for step in read_entries(find_archives([path])))


@pytest.mark.parametrize(
    ("algorithm", "name"), [("page_segmentation", "thresholds"), ("combined", "model"), ("visual_blocks", "model")]
)
def test_a_file_that_an_archive_names_is_not_opened(algorithm: str, name: str, tmp_path: Path) -> None:
    assert name in file_params(algorithm)
    secret = tmp_path / "secret.toml"
    secret.write_text("password = 'x'")
    facts = SiteFacts("courier", algorithm=algorithm, params={name: str(secret)})
    with pytest.raises(UsageError, match=f"the archive names a file, {name} = .*, which is not opened"):
        Choice().of(facts)
    mine = {"courier": {name: "/mine"}}
    assert Choice(own=mine).of(facts) == (algorithm, {name: "/mine"}), "the reader's own sites.toml names one"
    assert Choice(params={name: "/given"}).of(facts) == (algorithm, {name: "/given"}), "the command line names one"
    assert Choice(own={"other": {name: "/mine"}}, algorithm="oem").of(facts) == ("oem", {})


def test_a_json_line_that_names_a_file_is_rejected(tmp_path: Path) -> None:
    site = {"name": "courier", "algorithm": "page_segmentation", "params": {"thresholds": "/etc/passwd"}}
    entry = first_entry(tmp_path, site)
    assert isinstance(entry, ArchivedArticle)
    told = extract_entry(entry)
    assert isinstance(told, Rejection)
    assert (told.status, "is not opened" in (told.reason or "")) == ("failed", True)


@pytest.mark.parametrize("name", ["../../outside", "/etc/x", "a\x1b]52;c;eA==\x07", "A B", "x" * 300])
def test_the_name_of_a_site_is_checked(name: str, tmp_path: Path) -> None:
    for site in (name, {"name": name}):
        entry = first_entry(tmp_path, site)
        assert (entry.status, "site.name is" in entry.reason) == ("damaged", True)
        assert "\x1b" not in entry.reason


def test_the_readers_own_sites_are_known_to_an_archive_run(tmp_path: Path) -> None:
    (tmp_path / "sites.toml").write_text(
        '[[site]]\nname = "courier"\nstart = ["https://courier.example/"]\ndeny = ["a+b$"]\nparams = { preset = "published" }'
    )
    given = {
        "SITES_FILE": str(tmp_path / "sites.toml"),
        "ALGORITHM": "block_statistics",
        "FEEDS": {str(tmp_path / "o.jsonl"): {}},
    }
    first_entry(tmp_path, "courier")
    plan = make_archive_plan(Settings(given), {"path": str(tmp_path / "pages.jsonl")})
    assert plan.choice.own == {"courier": {"preset": "published"}}
    assert plan.choice.patterns == {"a+b$"}
    assert plan.feed is not None
    plan.feed.close()
    (tmp_path / "sites.toml").write_text("broken")
    plan = make_archive_plan(Settings(given), {"path": str(tmp_path / "pages.jsonl")})
    assert plan.choice.own == {}


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+$", r"(?:a|a)*b", r"(a*){2,}", r"(?x)(a+) +$", r"(?xi:(a+) #\n+)", r"(.+)\1", r"(?P<x>.+)(?P=x)", r".*.*.*.*x", "a" * 1_001,
     r"((a{1,999}){1,999})"],
)  # fmt: skip
def test_patterns_that_may_take_for_ever(pattern: str) -> None:
    assert SiteFacts("x", deny=("/ok/", pattern)).costly_pattern() == pattern
    assert SiteFacts("x", allow=(pattern,)).costly_pattern() == pattern


@pytest.mark.parametrize(
    "pattern", [r"/\d{4}/\d\d/", r"/tag/[^/]+/page/\d+", r"^https?://(?:www\.)?x\.example/(?:news|video)/", r"\.pdf$"]
)
def test_usual_patterns(pattern: str) -> None:
    assert SiteFacts("x", deny=(pattern,)).costly_pattern() is None
