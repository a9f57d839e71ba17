"""`scrapy crawl search`: one record per hit, ranks over the pages, each run an observation of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from jsonschema import Draft202012Validator

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs"
QUERY = "tidal barrier"


@pytest.fixture
def crawl(small_crawl: Run, engine: Any, make_sites: Run, tmp_path: Path) -> Run:
    """Ask the made engine; the site's keys can be given."""

    def run(*arguments: str, **keys: Any) -> Any:
        sites = make_sites({"name": "quay", "kind": "search", "search": engine.template, **keys})
        engine.server.hits.clear()
        return small_crawl(tmp_path / "search.jsonl", *arguments, sites=sites, spider="search").check()

    return run


def asked(engine: Any) -> list[tuple[str, str]]:
    """(query, page) of the result pages that were asked for."""
    found = [dict(parse_qsl(urlsplit(path).query)) for _, path, _ in engine.server.hits if path.startswith("/search")]
    return [(values["q"], values.get("page", "1")) for values in found]


def test_hits_of_all_pages_in_their_order(crawl: Run, engine: Any) -> None:
    done = crawl("-a", f"query={QUERY}", "-a", "run=first")
    lines = sorted(done.records, key=lambda line: line["rank"])
    assert [line["rank"] for line in lines] == list(range(1, 24))
    for line in lines:
        title, address, snippet = engine.hit(QUERY, line["rank"])
        assert (line["title"], line["address"], line["snippet"]) == (title, address, snippet)
        assert (line["engine"], line["query"], line["run"], line["kind"]) == ("quay", QUERY, "first", "hit")
        assert line["page"] == (line["rank"] + 9) // 10
    assert asked(engine) == [(QUERY, "1"), (QUERY, "2"), (QUERY, "3")]
    assert next(path for _, path, _ in engine.server.hits if "search" in path) == "/search?q=tidal%20barrier"
    assert "23 new, 0 already there" in done.err


def test_lines_are_valid_against_the_schemas(crawl: Run) -> None:
    done = crawl("-a", "query=潮汐 {page} & 100 %")
    assert (len(done.records), len(done.pages)) == (23, 3)
    assert {line["query"] for line in done.records} == {"潮汐 {page} & 100 %"}
    for name, lines in (("hit", done.records), ("page", done.pages)):
        validator = Draft202012Validator(json.loads((DOCS / f"{name}.schema.json").read_text("utf-8")))
        for line in lines:
            assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(line)] == []
            assert list(line) == list(validator.schema["properties"])


def test_a_last_page_with_one_hit(crawl: Run, engine: Any) -> None:
    engine.HITS = 21
    crawl("-a", f"query={QUERY}", "-a", "run=a", results=2)
    done = crawl("-a", f"query={QUERY}", "-a", "run=a")
    assert asked(engine) == [(QUERY, "3")], "the pages before are not read again for it"
    (line,) = [line for line in done.records if line["page"] == 3]
    assert (line["rank"], line["title"], line["address"], line["snippet"]) == (21, *engine.hit(QUERY, 21))
    pages = {line["number"]: line for line in done.pages}
    assert [bool(pages[number]["shape"]) for number in (1, 2, 3)] == [True, False, False]
    assert "shape" in pages[3]["note"]
    assert pages[1]["note"] is pages[2]["note"] is None
    first = next(line for line in done.records if line["page"] == 1)
    assert 0.4 < line["confidence"] <= first["confidence"]


def test_few_hits_are_found_by_what_the_hits_of_another_query_look_like(crawl: Run, engine: Any, tmp_path: Path) -> None:
    engine.few = {"none at all": 0, "one": 1, "two": 2, "three": 3}
    path = tmp_path / "queries.txt"
    path.write_text("\n".join([*engine.few, QUERY]), "utf-8")
    done = crawl("-a", f"queries={path}")
    for query, total in [*engine.few.items(), (QUERY, 23)]:
        found = sorted((line["rank"], line["address"]) for line in done.records if line["query"] == query)
        assert found == [(rank, engine.hit(query, rank)[1]) for rank in range(1, total + 1)], query
    assert [line["status"] for line in done.rejected] == ["empty"]
    assert len(asked(engine)) == len(set(asked(engine))) == 7, "no page is asked for twice"


def test_a_later_run_knows_what_hits_look_like(crawl: Run, engine: Any) -> None:
    engine.few = {"one": 1}
    crawl("-a", f"query={QUERY}", "-a", "run=first", results=1)
    done = crawl("-a", "query=one", "-a", "run=second")
    (line,) = [line for line in done.records if line["query"] == "one"]
    assert line["address"] == engine.hit("one", 1)[1]


def test_a_form_whose_button_leads_to_the_following_page(crawl: Run, engine: Any) -> None:
    engine.buttons = True
    done = crawl("-a", f"query={QUERY}")
    assert sorted(line["rank"] for line in done.records) == list(range(1, 24))
    assert [line["next"] and urlsplit(line["next"]).query for line in sorted(done.pages, key=lambda line: line["number"])] == [
        "q=tidal+barrier&from=10&%3E=%3E", "q=tidal+barrier&from=20&%3E=%3E", None,
    ]  # fmt: skip


def test_many_queries_from_a_file(crawl: Run, engine: Any, tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    path.write_text("one ferry\n\n  two   ferries \r\none ferry\n", "utf-8")
    done = crawl("-a", f"queries={path}", "-a", "query=three", results=1)
    assert sorted(asked(engine)) == [("one ferry", "1"), ("three", "1"), ("two ferries", "1")]
    assert len(done.records) == 30


def test_the_same_run_is_done_and_another_is_a_new_observation(crawl: Run, engine: Any) -> None:
    first = crawl("-a", f"query={QUERY}")
    today = datetime.now(UTC).date().isoformat()
    assert {line["run"] for line in first.records} == {today}
    before = first.feed.read_bytes(), first.pages_feed.read_bytes()
    again = crawl("-a", f"query={QUERY}", "-a", f"run={today}")
    assert (again.feed.read_bytes(), again.pages_feed.read_bytes()) == before
    assert asked(engine) == []
    other = crawl("-a", f"query={QUERY}", "-a", "run=evening")
    assert len(other.records) == 46
    assert len({line["id"] for line in other.records}) == 46


def test_result_pages_at_most(crawl: Run, engine: Any) -> None:
    assert len(crawl("-a", f"query={QUERY}", results=2).records) == 20
    assert asked(engine) == [(QUERY, "1"), (QUERY, "2")]
    assert len(crawl("-a", f"query={QUERY}", results=3).records) == 23
    assert asked(engine) == [(QUERY, "3")], "the same run goes on where the limit was"


@pytest.mark.parametrize("counter", ["&page={page}", "&start={start}"])
def test_an_address_that_counts_needs_no_link(counter: str, crawl: Run, engine: Any) -> None:
    def answer(handler: Any) -> None:
        path = handler.path
        if "start=" in path:
            begun = int(path.rpartition("=")[2])
            handler.path = path.rpartition("&")[0] + f"&page={begun // 10 + 1}"
        engine.answer(handler)

    engine.server.answers.pop("/search")
    engine.server.put("/search", answer)
    done = crawl("-a", f"query={QUERY}", search=engine.template + counter, results=9)
    assert sorted(line["rank"] for line in done.records) == list(range(1, 24))
    paths = [path for _, path, _ in engine.server.hits if "search" in path]
    assert len(paths) == 4, "the page behind the last has no hits"
    assert paths[1].endswith("page=2" if "page" in counter else "start=10")


def test_an_engine_that_repeats_its_last_page_is_left(crawl: Run, engine: Any) -> None:
    def answer(handler: Any) -> None:
        handler.path = handler.path.replace("page=", "ignored=")
        engine.answer(handler)

    engine.server.answers.pop("/search")
    engine.server.put("/search", answer)
    done = crawl("-a", f"query={QUERY}", search=engine.template + "&page={page}", results=9)
    assert sorted(line["rank"] for line in done.records) == list(range(1, 11))
    assert len([path for _, path, _ in engine.server.hits if "search" in path]) == 2


def test_forbidden_result_pages_are_reported_and_the_key_overrides(crawl: Run, engine: Any) -> None:
    engine.server.put("/robots.txt", "User-agent: *\nDisallow: /search\n", kind="text/plain")
    done = crawl("-a", f"query={QUERY}", "-a", "run=a")
    assert done.records == []
    assert asked(engine) == []
    (line,) = done.rejected
    assert line["status"] == "robots"
    assert line["reason"] == (
        "forbidden by robots.txt; obey_robots = false in the site 'quay' of sites.toml would override it"
    )
    done = crawl("-a", f"query={QUERY}", "-a", "run=a", obey_robots=False)
    assert len(done.records) == 23


def test_parameters_that_tracking_uses_too_may_tell_the_page(crawl: Run, engine: Any, tmp_path: Path) -> None:
    def answer(handler: Any) -> None:
        handler.path = handler.path.replace("ref=", "q=").replace("from=", "ignored=")
        engine.answer(handler)

    engine.server.answers.pop("/search")
    engine.server.put("/search", answer)
    queries = tmp_path / "queries.txt"
    queries.write_text("one\ntwo\n", "utf-8")
    done = crawl("-a", f"queries={queries}", search=engine.server.url("/search?ref={query}&from={start}"), results=2)
    assert {line["query"] for line in done.records} == {"one", "two"}
    paths = [path for _, path, _ in engine.server.hits if "search" in path]
    assert sorted(path.rpartition("=")[2] for path in paths) == ["0", "0", "10", "10"]


def test_next_links_keep_all_their_parameters(crawl: Run, engine: Any) -> None:
    """``from`` and ``sid`` are dropped when addresses are normalised, and ``sort`` is a trap."""
    engine.counter = "from={start}&amp;sid=5e&amp;sort=date#hits"
    done = crawl("-a", f"query={QUERY}", "-a", "run=a")
    assert sorted(line["rank"] for line in done.records) == list(range(1, 24))
    paths = [path for _, path, _ in engine.server.hits if "search" in path]
    assert [path.partition("barrier")[2] for path in paths] == [
        "", "&from=10&sid=5e&sort=date", "&from=20&sid=5e&sort=date",
    ]  # fmt: skip
    before = done.feed.read_bytes()
    again = crawl("-a", f"query={QUERY}", "-a", "run=a")
    assert (again.feed.read_bytes(), asked(engine)) == (before, [])


def test_a_page_of_which_the_algorithm_is_not_sure(crawl: Run, engine: Any) -> None:
    words = ("help", "about", "imprint", "terms")
    links = "".join(f'<li><a href="/{word}">The harbour {word} page</a> - 3 May 2025</li>' for word in words)
    engine.server.put("/search?q=nothing", f"<title>Search</title><p>Pages of this site:</p><ul>{links}</ul>")
    done = crawl("-a", "query=nothing", min_confidence=0.4)
    assert done.records == []
    (line,) = done.rejected
    assert line["status"] == "empty"
    assert line["reason"].startswith("no hit was found for 'nothing': the confidence is 0.")
    assert line["reason"].endswith(", below min_confidence = 0.4")
    assert len(crawl("-a", f"query={QUERY}", min_confidence=0.4).records) == 23


def test_a_page_over_the_cap_on_nodes_has_a_note(crawl: Run, engine: Any) -> None:
    def answer(handler: Any) -> None:
        whole = handler.answer
        handler.answer = lambda status, body, headers: whole(status, body + b"<i></i>" * 200_001, headers)
        engine.answer(handler)

    engine.server.answers.pop("/search")
    engine.server.put("/search", answer)
    done = crawl("-a", f"query={QUERY}", results=1, algorithm="mdr")
    assert len(done.records) == 10
    assert [line["note"] for line in done.pages] == ["only the first 200,000 nodes of the source were read"]


def test_a_query_without_hits_and_an_engine_that_refuses(crawl: Run, engine: Any) -> None:
    page = "<html><title>nothing - Search</title><body><p>No results were found for nothing.</p></body></html>"
    engine.server.put("/search?q=nothing", page)
    engine.server.put("/search?q=refused", "<h1>Too many requests</h1>", 429)
    for _ in range(4):
        done = crawl("-a", "query=nothing", "-a", "run=a")
        done = crawl("-a", "query=refused", "-a", "run=a")
    found = [(line["status"], line["attempt"]) for line in done.rejected]
    assert found == [("empty", 1), ("blocked", 1), ("blocked", 2), ("blocked", 3)]
    crawl("-a", "query=nothing", "-a", "run=b")
    assert asked(engine) == [("nothing", "1")], "another run asks again"


def test_a_killed_run_goes_on(start_crawl: Run, crawl: Run, engine: Any, make_sites: Run, tmp_path: Path) -> None:
    def slow(handler: Any) -> None:
        time.sleep(0.15)
        engine.answer(handler)

    engine.server.answers.pop("/search")
    engine.server.put("/search", slow)
    queries = tmp_path / "queries.txt"
    queries.write_text("".join(f"query number {k}\n" for k in range(8)), "utf-8")
    sites = make_sites({"name": "quay", "kind": "search", "search": engine.template, "concurrency": 2})
    arguments = ("-a", f"queries={queries}", "-a", "run=a")
    begun = start_crawl(tmp_path / "search.jsonl", *arguments, sites=sites, spider="search")
    begun.wait_for_lines(3, begun.pages_feed)
    begun.kill()
    assert begun.session.is_gone_within(5)
    done = crawl(*arguments)
    found = {(line["query"], line["rank"]): (line["title"], line["address"]) for line in done.records}
    assert len(found) == len(done.records) == 8 * 23
    assert all(engine.hit(*place)[:2] == value for place, value in found.items())
    assert len(asked(engine)) < 8 * 3


WRONG = [
    ([], "no query; give one", '-a query="tidal barrier"'),
    (["-a", "query= "], "no query; give one", "-a queries=FILE"),
    (["-a", "queries=/no/such/file"], "queries=/no/such/file", "No such file"),
    (["-a", f"query={'x' * 401}"], "has 401 characters", "more than 400"),
    (["-a", "query=a", "-a", "run=two words"], "run=two words", "for example -a run=2026-01-01"),
    (["-a", "query=a", "-a", "revisit=7d"], "unknown argument -a revisit", "choose from: sites"),
    (["-a", "query=a", "-a", "algorithm=combined"], "'combined' does not find records", "visual_blocks"),
    (["-a", "query=a", "-a", "sites=harbour-ledger"], "no site 'harbour-ledger'", "choose from: quay"),
]


def test_mistakes_are_one_clear_line(start_crawl: Run, engine: Any, make_sites: Run, tmp_path: Path) -> None:
    sites = make_sites({"name": "quay", "kind": "search", "search": engine.template})
    for begin in range(0, len(WRONG), 4):
        cases = WRONG[begin : begin + 4]
        crawls = [
            start_crawl(tmp_path / str(begin + k) / "x.jsonl", *case[0], sites=sites, spider="search")
            for k, case in enumerate(cases)
        ]
        for crawl, (_, what, hint) in zip(crawls, cases, strict=True):
            crawl.wait(30).check(2)
            mistake, last = crawl.err.strip().splitlines()
            assert what in mistake
            assert hint in mistake
            assert last == "The crawl was not started."
    assert engine.server.hits == []
