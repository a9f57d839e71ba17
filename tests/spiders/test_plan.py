"""What one run is to do: precedence, mistakes, feeds and ledger."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from newsextract.errors import DataError, UsageError
from newsextract.feed import LedgerFile
from settings import base
from spiders.plan import ARGUMENTS, CrawlPlan, check_numbers, make_plan

SITES = """
[[site]]
name = "one"
start = ["https://www.one.example/"]
since = 2024-01-01
limit = 5
algorithm = "block_statistics"
params = { preset = "published" }

[[site]]
name = "two"
start = ["http://127.0.0.1/"]
feeds = ["https://feeds.two.example/rss"]
"""
Plan = Callable[..., CrawlPlan]


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    def make(toml: str = SITES, /, settings: dict[str, Any] | None = None, **arguments: str) -> CrawlPlan:
        path = tmp_path / "sites.toml"
        path.write_text(toml)
        feed = str(tmp_path / "news.jsonl")
        given = {"SITES_FILE": str(path), "ALGORITHM": "block_statistics", "FEEDS": {feed: {"format": "jsonlines"}}}
        return make_plan(Settings(given | (settings or {})), arguments)

    return make


def test_all_sites_by_default(plan: Plan) -> None:
    assert list(plan().sites) == ["one", "two"]


def test_the_chosen_sites_in_the_order_asked_for(plan: Plan) -> None:
    assert list(plan(sites="two").sites) == ["two"]
    assert list(plan(sites=" two , one ").sites) == ["two", "one"]


def test_private_addresses_that_stand_in_any_definition_are_allowed(plan: Plan) -> None:
    policy = plan(sites="one").policy
    assert policy.refusal("127.0.0.1", 80, ["127.0.0.1"]) is None
    assert policy.refusal("127.0.0.1", 8080, ["127.0.0.1"])
    assert policy.refusal("www.one.example", 443, ["10.0.0.5"]), "a name needs private = true"


def test_a_private_site_has_the_addresses_that_its_names_have_at_the_start(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("10.0.0.5", 0))])
    policy = plan('[[site]]\nname = "a"\nstart = ["http://wiki.example/"]\nprivate = true').policy
    monkeypatch.undo()
    assert policy.refusal("wiki.example", 80, ["10.0.0.5"]) is None
    assert policy.refusal("wiki.example", 80, ["10.0.0.6"])


# --- precedence -----------------------------------------------------------------------------------


def test_the_project_setting_holds_where_the_site_says_nothing(plan: Plan) -> None:
    sites = plan(settings={"ALGORITHM": "block_statistics_baseline"}).sites
    assert sites["one"].algorithm == "block_statistics"
    assert sites["one"].params == {"preset": "published"}
    assert sites["two"].algorithm == "block_statistics_baseline"


def test_the_argument_beats_the_site(plan: Plan) -> None:
    sites = plan(algorithm="block_statistics_baseline", since="2025-02-03", until="2025-03-04", limit="7").sites
    for site in sites.values():
        assert site.algorithm == "block_statistics_baseline"
        assert site.params == {}, "parameters belong to the site's own algorithm"
        assert (site.since, site.until, site.limit) == (date(2025, 2, 3), date(2025, 3, 4), 7)


def test_the_site_holds_where_no_argument_is_given(plan: Plan) -> None:
    sites = plan().sites
    assert (sites["one"].since, sites["one"].limit) == (date(2024, 1, 1), 5)
    assert (sites["two"].since, sites["two"].limit) == (None, None)


def test_parameters_stay_when_the_argument_names_the_same_algorithm(plan: Plan) -> None:
    assert plan(algorithm="block_statistics").sites["one"].params == {"preset": "published"}
    implicit = SITES.replace('algorithm = "block_statistics"\n', "")
    assert plan(implicit, algorithm="block_statistics").sites["one"].params == {"preset": "published"}


def test_parameters_must_fit_the_algorithm_that_the_project_names(plan: Plan) -> None:
    implicit = SITES.replace('algorithm = "block_statistics"\n', "")
    with pytest.raises(UsageError, match="unknown preset 'published'; choose from: default"):
        plan(implicit, settings={"ALGORITHM": "block_statistics_baseline"})


# --- mistakes -------------------------------------------------------------------------------------


def test_sites_of_one_crawl_begin_at_different_pages(plan: Plan) -> None:
    twice = SITES.replace("http://127.0.0.1/", "https://www.one.example/")
    with pytest.raises(UsageError, match=r"'one' and 'two' .*https://www\.one\.example/"):
        plan(twice)
    assert list(plan(twice, sites="two").sites) == ["two"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"site": "one"},
            "unknown argument -a site=…; choose from: sites, since, until, algorithm, limit, revisit, ledger, ",
        ),
        ({"sites": "one,three"}, "-a sites=one,three: no site 'three' in "),
        ({"sites": ","}, "-a sites=,: "),
        ({"sites": ""}, "-a sites=: "),
        ({"since": "yesterday"}, "-a since=yesterday: expected a day, for example -a since=2026-01-01"),
        ({"until": "2026-02-30"}, "-a until=2026-02-30: expected a day, for example -a until=2026-01-01"),
        ({"since": "2026-02-01", "until": "2026-01-01"}, "-a since=2026-02-01 is after -a until=2026-01-01"),
        ({"limit": "0"}, "-a limit=0: expected a number of pages, for example -a limit=100"),
        ({"limit": "many"}, "-a limit=many: expected a number of pages"),
        ({"limit": "-1"}, "-a limit=-1: expected a number of pages"),
        ({"algorithm": "nope"}, "unknown algorithm 'nope'; choose from: combined, "),
        ({"revisit": "7"}, "-a revisit=7: expected 12h, 7d, 2w or all, for example -a revisit=7d"),
        ({"revisit": "99999999999999d"}, "-a revisit=99999999999999d: expected 12h, 7d, 2w or all"),
        ({"revisit": "999999999d"}, "-a revisit=999999999d: expected 12h, 7d, 2w or all"),
        ({"ledger": "out.csv"}, "-a ledger=out.csv: expected a local .jsonl file, for example -a ledger=out/news.jsonl"),
        ({"urls": "no/such/file"}, "-a urls=no/such/file: cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line(plan: Plan, arguments: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        plan(**arguments)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_project_algorithm_that_is_not_known(plan: Plan) -> None:
    with pytest.raises(UsageError, match="unknown algorithm 'nope'"):
        plan(settings={"ALGORITHM": "nope"})


def test_no_site_at_all(plan: Plan) -> None:
    with pytest.raises(UsageError, match=r"no \[\[site\]\] of kind 'news'; add one"):
        plan("")


def test_a_window_that_the_site_closes_is_a_mistake(plan: Plan) -> None:
    with pytest.raises(UsageError, match="since"):
        plan(until="2023-12-31", sites="one")


def test_every_argument_is_explained() -> None:
    assert set(ARGUMENTS) == {"sites", "since", "until", "algorithm", "limit", "revisit", "ledger", "urls"}
    assert all(ARGUMENTS.values())


# --- feeds ----------------------------------------------------------------------------------------


def test_records_and_rejections_have_a_feed_each(plan: Plan, tmp_path: Path) -> None:
    made = plan()
    assert made.records == tmp_path / "news.jsonl"
    assert made.rejected == tmp_path / "news.rejected.jsonl"
    whole = {"format": "jsonlines", "fields": None}
    assert made.feeds == {
        str(made.records): whole | {"item_classes": ["newsextract.feed.record_lines.NewsRecord"]},
        str(made.rejected): whole | {"item_classes": ["newsextract.feed.record_lines.Rejection"]},
    }
    assert made.ledger.path == made.records
    assert made.records.exists()


def test_other_feeds_get_the_records(plan: Plan, tmp_path: Path) -> None:
    csv, own = str(tmp_path / "news.csv"), f"file://{tmp_path}/own.jl"
    made = plan(settings={"FEEDS": {csv: {"format": "csv", "fields": ["url"]}, own: {"format": "jsonlines", "indent": 0}}})
    assert made.records == tmp_path / "own.jl"
    assert made.rejected == tmp_path / "own.rejected.jsonl"
    assert made.feeds[csv] == {
        "format": "csv",
        "fields": ["url"],
        "item_classes": ["newsextract.feed.record_lines.NewsRecord"],
    }
    assert made.feeds[str(made.records)]["indent"] == 0


def test_the_feed_that_records_what_is_done_has_all_fields(plan: Plan, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="all fields"):
        plan(settings={"FEEDS": {str(tmp_path / "x.jsonl"): {"format": "jsonlines", "fields": ["url"]}}})


def test_a_ledger_beside_a_feed_that_cannot_be_one(plan: Plan, tmp_path: Path) -> None:
    csv, path = str(tmp_path / "news.csv"), str(tmp_path / "memory.jsonl")
    made = plan(settings={"FEEDS": {csv: {"format": "csv"}}}, ledger=path)
    assert made.records == Path(path)
    assert set(made.feeds) == {csv, path, str(tmp_path / "memory.rejected.jsonl")}


@pytest.mark.parametrize("name", ["news-%(time)s.jsonl", "news.csv"])
def test_without_a_feed_that_can_be_one_the_default_feed_is_the_ledger(plan: Plan, tmp_path: Path, name: str) -> None:
    export, default = str(tmp_path / name), tmp_path / "default.jsonl"
    made = plan(settings={"FEEDS": {export: {"format": "jsonlines"}}, "DEFAULT_FEED": str(default)})
    assert made.records == default
    assert set(made.feeds) == {export, str(default), str(tmp_path / "default.rejected.jsonl")}
    with pytest.raises(UsageError, match=r"^DEFAULT_FEED=.*default.txt: expected a local .jsonl file"):
        plan(settings={"FEEDS": {export: {"format": "jsonlines"}}, "DEFAULT_FEED": str(tmp_path / "default.txt")})


def test_overwrite_empties_both_feeds_at_once(plan: Plan, tmp_path: Path) -> None:
    feed = tmp_path / "news.jsonl"
    feed.write_text("not even a record\n")
    (tmp_path / "news.rejected.jsonl").write_text("nor this\n")
    with pytest.raises(DataError, match="it has no record of newsextract; name another feed"):
        plan()
    made = plan(settings={"FEEDS": {str(feed): {"format": "jsonlines", "overwrite": True}}})
    assert feed.read_bytes() == made.rejected.read_bytes() == b""
    assert "overwrite" not in made.feeds[str(feed)], "or Scrapy would empty it a second time"


def test_torn_lines_are_cut_before_anything_is_fetched(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "news.jsonl").write_text('{"id": "')
    assert plan().ledger.size == 0
    assert (tmp_path / "news.jsonl").read_bytes() == b""


def test_a_file_that_is_no_feed_is_left_as_it_is(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "news.jsonl").write_text("[1, 2]")
    with pytest.raises(DataError, match="its last line is not a record of newsextract"):
        plan()
    assert (tmp_path / "news.jsonl").read_text() == "[1, 2]"


def test_a_second_crawl_of_the_same_feed_is_refused(plan: Plan, tmp_path: Path) -> None:
    file = LedgerFile(tmp_path / "news.jsonl")
    with pytest.raises(DataError, match="another crawl is writing this feed"):
        plan()
    file.close()


def test_a_feed_that_cannot_be_written(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "dir.jsonl").mkdir()
    with pytest.raises(DataError, match="cannot be written: Is a directory; name another feed with -o"):
        plan(settings={"FEEDS": {str(tmp_path / "dir.jsonl"): {}}})
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        plan(settings={"FEEDS": {str(tmp_path / "file" / "news.jsonl"): {}}})


def test_addresses_from_a_file(plan: Plan, tmp_path: Path) -> None:
    path = tmp_path / "urls.txt"
    path.write_text("https://www.one.example/a\n\n  http://www.one.example/b  \n")
    assert plan(urls=str(path)).urls == ("https://www.one.example/a", "http://www.one.example/b")


@pytest.mark.parametrize("wrong", ["https://other.example/a", "ftp://www.one.example/", "www.one.example", "http://[::1"])
def test_addresses_of_other_sites_are_refused(plan: Plan, tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "urls.txt"
    path.write_text(f"https://www.one.example/a\n\n{wrong}\n")
    with pytest.raises(UsageError) as error:
        plan(urls=str(path))
    assert str(error.value).startswith(f"-a urls={path}: line 3: {wrong} belongs to none of the sites")


def test_no_addresses_are_not_all_of_them(plan: Plan, tmp_path: Path) -> None:
    path = tmp_path / "urls.txt"
    path.write_text("\n\n", "utf-8")
    with pytest.raises(UsageError, match=r"urls\.txt: no address in it; expected one a line"):
        plan(urls=str(path))


def test_a_mistake_does_not_cost_the_feed(plan: Plan, tmp_path: Path) -> None:
    """With -O the old feed is emptied only when everything else has been found good."""
    feed = tmp_path / "news.jsonl"
    feed.write_text("old\n")
    with pytest.raises(UsageError):
        plan(settings={"FEEDS": {str(feed): {"format": "jsonlines", "overwrite": True}}}, urls="no/such/file")
    assert feed.read_text() == "old\n"


@pytest.mark.parametrize(
    ("name", "value"), [("EXTRACTION_WORKERS", "x"), ("EXTRACTION_WORKERS", "1.5"), ("STATE_LEASE", "")]
)
def test_a_setting_that_is_no_number(name: str, value: str) -> None:
    check_numbers(Settings(vars(base) | {"DOWNLOAD_TIMEOUT": "2.5"}))
    with pytest.raises(UsageError, match=f"{name} = '{value}': expected a number, for example "):
        check_numbers(Settings(vars(base) | {name: value}))
