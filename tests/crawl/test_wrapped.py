"""Sites with a wrapper: what it finds goes to the feed, with the pages that its links lead to, whatever the site's kind."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs"
SAMPLE = Path(__file__).parents[1] / "sample_site"
FORMAT = """
{<ul class="talks">#</ul>, programme, get()}
{<li>#</li>, talk, programme}
{<a>#</a>, title, talk}
{<a href="#">, address, talk}
{<p class="summary">#</p>, summary, get(address)}
"""
TOLD = ("site", "page_url", "url", "label", "path", "fields")


def check_schema(name: str, lines: list[dict[str, Any]]) -> None:
    validator = Draft202012Validator(json.loads((DOCS / f"{name}.schema.json").read_text("utf-8")))
    for line in lines:
        assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(line)] == [], line


def check_schemas(crawl: Any) -> None:
    for name, lines in (("object", crawl.records), ("page", crawl.pages), ("rejection", crawl.rejected)):
        check_schema(name, lines)


class Programmes:
    """Lists of talks, ``/list/K``, each talk with a page of its own, ``/talk/NAME``."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.talks: dict[int, list[str]] = {}
        self.wait = 0.0

    def add(self, number: int, *names: str) -> None:
        """Publish a list and the pages of its talks; a talk may stand on several lists."""
        self.talks[number] = list(names)
        self.publish(number, "".join(f'<li><a href="/talk/{name}">{name}</a></li>' for name in names))
        for name in names:
            self.put(f"/talk/{name}", f'<p class="summary">All about {name}.</p>')

    def publish(self, number: int, items: str, tag: str = "ul") -> None:
        self.put(f"/list/{number}", f'<h1>List {number}</h1><{tag} class="talks">{items}</{tag}>')

    def put(self, path: str, body: str) -> None:
        html = f"<!doctype html><html lang=en><title>Talks</title><body>{body}</body></html>".encode()

        def answer(handler: Any) -> None:
            time.sleep(self.wait)
            handler.answer(200, html, {"Content-Type": "text/html; charset=utf-8"})

        self.server.answers[path] = [answer]

    @property
    def start(self) -> list[str]:
        return [self.server.url(f"/list/{number}") for number in self.talks]

    def expected(self) -> dict[tuple[str, str], dict[str, str]]:
        """List and title → fields."""
        return {
            (self.server.url(f"/list/{number}"), name): {
                "title": name,
                "address": self.server.url(f"/talk/{name}"),
                "summary": f"All about {name}.",
            }
            for number, names in self.talks.items()
            for name in names
        }

    def asked(self) -> list[str]:
        """Paths that were asked for since the last question, robots.txt and reservations left out."""
        paths = sorted(path for _, path, _ in self.server.hits if path not in ("/robots.txt", "/.well-known/tdmrep.json"))
        self.server.hits.clear()
        return paths


def objects(crawl: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Fields by page and title; each once."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for line in crawl.records:
        key = line["page_url"], line["fields"]["title"]
        assert key not in found, f"twice: {key}"
        found[key] = line["fields"]
    return found


@pytest.fixture
def talks(server: Any) -> Programmes:
    return Programmes(server)


@pytest.fixture
def crawl(small_crawl: Run, talks: Programmes, make_sites: Run, tmp_path: Path) -> Run:
    """Read the made lists; the site's keys and the format's text can be given."""

    def run(
        *arguments: str, text: str = FORMAT, spider: str = "wrapped", settings: dict[str, Any] | None = None, **keys: Any
    ) -> Any:
        (tmp_path / "talks.oem").write_text(text, "utf-8")
        site = {"name": "made", "kind": spider, "start": talks.start, "wrapper": "talks.oem", "records": "talk", **keys}
        sites = make_sites(site)
        return small_crawl(tmp_path / "o.jsonl", *arguments, sites=sites, spider=spider, settings=settings).check()

    return run


# -- what is found ---------------------------------------------------------------------------------------------------------


def test_the_sample_site(run_crawl: Run, tmp_path: Path) -> None:
    truth = [json.loads(line) for line in (SAMPLE / "expected_objects.jsonl").read_text("utf-8").splitlines()]
    done = run_crawl(tmp_path / "wrapped.jsonl", spider="wrapped").check()
    check_schemas(done)
    key = lambda line: json.dumps([line[name] for name in TOLD])  # noqa: E731  # twice, here only
    found = [{name: line[name] for name in TOLD} for line in done.records]
    assert sorted(found, key=key) == sorted(({name: line[name] for name in TOLD} for line in truth), key=key)
    missing = {line["fields"].get("title"): [page["url"] for page in line["missing"]] for line in done.records}
    assert missing == {line["fields"].get("title"): line["missing"] for line in truth}
    reasons = {page["reason"] for line in done.records for page in line["missing"]}
    assert reasons == {"robots: forbidden by robots.txt", "missing: HTTP 404"}
    assert done.reasons == {"/2025/drafts/wick.html": "robots", "/2025/talks/lost.html": "missing"}
    assert [line["object"] is not None for line in done.records] == [line["label"] == "front page" for line in done.records]
    assert {(line["fit"], *line["misfits"]) for line in done.records} == {(1.0,)}
    assert "WARNING" not in done.err
    before = done.feed.read_bytes(), done.rejected_feed.read_bytes(), done.pages_feed.read_bytes()
    again = run_crawl(done.feed, spider="wrapped").check()
    assert re.search(r"^0 new, 12 \D+; 0 rejected; ", again.err, re.MULTILINE)
    assert (again.feed.read_bytes(), again.rejected_feed.read_bytes(), again.pages_feed.read_bytes()) == before


def test_a_linked_page_is_fetched_once_whatever_leads_to_it(crawl: Run, talks: Programmes) -> None:
    talks.add(1, "fog", "ice", "salt")
    talks.add(2, "salt", "fog")
    done = crawl()
    assert objects(done) == talks.expected()
    assert talks.asked() == ["/list/1", "/list/2", "/talk/fog", "/talk/ice", "/talk/salt"]


def test_order_and_neighbours_make_no_new_records(crawl: Run, talks: Programmes) -> None:
    talks.add(1, "fog", "ice", "salt")
    first = crawl().records
    talks.add(1, "new", "salt", "fog", "ice")
    done = crawl()
    assert done.records[:3] == first
    assert [line["fields"]["title"] for line in done.records[3:]] == ["new"]
    assert objects(done) == talks.expected()


def test_a_nested_record_is_written_again_when_the_page_has_changed(crawl: Run, talks: Programmes) -> None:
    talks.add(1, "fog", "ice")
    for _ in range(2):
        done = crawl(records=None)
        (line,) = done.records
        assert (line["revision"], len(line["fields"]["talk"]), line["object"]["label"]) == (0, 2, "programme")
    talks.add(1, "fog", "ice", "salt")
    for _ in range(2):
        first, second = crawl(records=None).records
        assert (second["id"], second["revision"], len(second["fields"]["talk"])) == (first["id"], 1, 3)
    check_schemas(done)


def test_a_page_with_a_changed_object_is_done_when_nothing_has_changed_since(crawl: Run, talks: Programmes) -> None:
    """Else a process that dies between the two feeds would lose the revision."""
    talks.add(1, "fog")
    crawl("-a", "run=a", records=None)
    talks.add(1, "fog", "ice")
    talks.asked()
    for new, asked, lines in ((1, 3, 1), (0, 3, 2), (0, 0, 2)):
        done = crawl("-a", "run=b", records=None)
        assert f"{new} new" in done.err
        assert (len(talks.asked()), len(done.pages)) == (asked, lines)
    assert [line["revision"] for line in done.records] == [0, 1]


def test_paging_beside_the_wrapper(crawl: Run, talks: Programmes) -> None:
    for number, names in ((1, ["fog", "ice"]), (2, ["salt"]), (3, ["horn"])):
        talks.add(number, *names)
    expected, first = talks.expected(), talks.start[0]
    for number in (1, 2, 3):
        items = "".join(f'<li><a href="/talk/{name}">{name}</a></li>' for name in talks.talks[number])
        more = f'<a rel="next" href="/list/{number % 3 + 1}">Next</a>'  # the last leads back to the first
        talks.put(f"/list/{number}", f'<ul class="talks">{items}</ul>{more}')
    assert len(crawl(start=[first]).records) == 2, "nobody has asked for paging"
    done = crawl(start=[first], pagination=5)
    assert objects(done) == expected
    assert {line["fields"]["title"]: (line["page"], line["position"]) for line in done.records} == {
        "fog": (1, 1), "ice": (1, 2), "salt": (2, 3), "horn": (3, 4)
    }  # fmt: skip
    talks.asked()
    crawl("-a", "run=a", start=[first], pagination=5)
    assert len(talks.asked()) == 7
    crawl("-a", "run=a", start=[first], pagination=5)
    assert talks.asked() == [], "a named run is done"


def test_counted_pages_end_where_nothing_stands(crawl: Run, talks: Programmes) -> None:
    talks.add(1, "fog")
    talks.add(2, "ice")
    expected = talks.expected()
    talks.put("/list/3", "<p>No talks here.</p>")
    done = crawl(start=[talks.server.url("/list/{page}")])
    assert objects(done) == expected
    assert "WARNING" not in done.err, "the end is no misfit"
    assert done.rejected == []


# -- what cannot be had ----------------------------------------------------------------------------------------------------


def test_links_that_are_not_followed_are_told(crawl: Run, talks: Programmes, make_server: Run) -> None:
    private = make_server("127.0.0.3")
    private.put("/secret", '<p class="summary">Secret</p>')
    talks.add(1, "fog")
    server = talks.server
    server.put("/pdf", b"%PDF", kind="application/pdf")
    server.put("/away", status=302, Location=private.url("/secret"))
    server.put("/robots.txt", "User-agent: *\nDisallow: /closed/", kind="text/plain")
    cases = {
        "/talk/fog": None,
        "http://other.example/x": "it belongs to another site; the key domains would let it in",
        "/denied/x": "the key deny forbids it",
        "/closed/x": "robots: forbidden by robots.txt",
        "/gone": "missing: HTTP 404",
        "/pdf": "not_html: the server says it is application/pdf",
        "/away": "private: 127.0.0.3 has the private address 127.0.0.3",
        "/" + "x" * 400: "characters, more than URLLENGTH_LIMIT = 300",
        "http://[broken/": "no valid address",
    }
    talks.publish(1, "".join(f'<li><a href="{link}">{number}</a></li>' for number, link in enumerate(cases)))
    done = crawl(deny=["/denied/"], settings={"URLLENGTH_LIMIT": 300})
    assert len(done.records) == len(cases)
    for line, reason in zip(
        sorted(done.records, key=lambda line: int(line["fields"]["title"])), cases.values(), strict=True
    ):
        told = " ".join(page["reason"] for page in line["missing"])
        assert told == "" if reason is None else reason in told, (line, reason)
    assert done.reasons == {"/closed/x": "robots", "/gone": "missing", "/pdf": "not_html", "/away": "private"}
    assert private.hits == []
    assert not {path for path in talks.asked() if path.startswith(("/denied", "/closed", "/xx"))}
    (page,) = done.pages
    assert page["note"] == "8 linked pages could not be had"
    check_schemas(done)


def test_bounds_on_linked_pages(crawl: Run, talks: Programmes) -> None:
    talks.add(1, "fog", "ice", "salt")
    done = crawl(linked_pages=2)
    assert sum("summary" in line["fields"] for line in done.records) == 2
    assert {*done.records[0]["notes"]} == {"cut: links lead to more than 2 pages"}
    chain = """
{<body>#</body>, page, get()}
{<b>#</b>, name, page}
{<a href="#">, next, page}?
{<body>#</body>, page, get(next)}
"""
    for number in range(1, 7):
        talks.put(f"/chain/{number}", f'<b>number {number}</b><a href="/chain/{number % 6 + 1}">on</a>')
    talks.asked()
    done = crawl(text=chain, records="name", start=[talks.server.url("/chain/1")], depth=2)
    names = [line["fields"]["text"] for line in done.records if line["label"] == "name"]
    assert names == ["number 1", "number 2", "number 3"]
    assert talks.asked() == ["/chain/1", "/chain/2", "/chain/3"]
    assert done.pages[-1]["note"] == "1 linked page could not be had"
    done = crawl(text=chain, records="name", start=[talks.server.url("/chain/1")], depth=9)
    assert len(talks.asked()) == 6, "the last leads back to the first"
    done = crawl(text=chain, records="name", start=[talks.server.url("/chain/2")], settings={"DEPTH_LIMIT": 1}, depth=9)
    assert talks.asked() == ["/chain/2", "/chain/3"]


def test_the_bytes_of_a_run_are_bounded(crawl: Run, talks: Programmes) -> None:
    names = ["fog", "ice", "salt", "horn"]
    talks.add(1, *names)
    for name in names:
        talks.put(f"/talk/{name}", f'<p class="summary">{name}</p><!--{"x" * 9_000_000}-->')
    done = crawl()
    lost = [page["reason"] for line in done.records for page in line["missing"]]
    assert lost == ["the pages of this run have more than 30,000,000 bytes"]
    assert sum("summary" in line["fields"] for line in done.records) == 3


def test_addresses_that_the_user_names(crawl: Run, talks: Programmes, address_file: Run) -> None:
    talks.add(1, "fog")
    talks.add(2, "ice")
    done = crawl("-a", address_file(talks.start[1]))
    assert [line["fields"]["title"] for line in done.records] == ["ice"]
    assert talks.asked() == ["/list/2", "/talk/ice"]


def test_a_page_that_may_come_later_is_asked_for_in_three_runs(crawl: Run, talks: Programmes) -> None:
    talks.add(1, "fog", "ice")
    expected = talks.expected()
    good = talks.server.answers.pop("/talk/ice")
    talks.server.put("/talk/ice", "<p>ill</p>", 503)
    settings = {"RETRY_TIMES": 0}
    for attempt in (1, 2):
        done = crawl("-a", "run=a", settings=settings)
        assert [line["attempt"] for line in done.rejected] == list(range(1, attempt + 1))
        assert len(done.records) == 2, "what is known is written, and once"
        assert done.pages == [], "it is not done"
        assert [[page["reason"] for page in line["missing"]] for line in done.records] == [[], ["server_error: HTTP 503"]]
    talks.server.answers["/talk/ice"] = good
    done = crawl("-a", "run=a", settings=settings)
    current = {line["fields"]["title"]: line["fields"] for line in done.records}
    assert current == {title: fields for (_, title), fields in expected.items()}
    assert done.pages == [], "a page with a new revision is looked at once more"
    assert len(crawl("-a", "run=a").pages) == 1
    talks.asked()
    crawl("-a", "run=a")
    assert talks.asked() == []


def test_a_hostile_page_costs_itself(run_crawl: Run, talks: Programmes, make_sites: Run, tmp_path: Path) -> None:
    talks.add(1, "fog")
    talks.add(2, "ice")
    talks.publish(1, "<li><a href='x'>y</a></li>" * 300_000)
    (tmp_path / "talks.oem").write_text(FORMAT, "utf-8")
    keys = {"kind": "wrapped", "start": talks.start, "wrapper": "talks.oem", "records": "talk"}
    done = run_crawl(
        tmp_path / "o.jsonl", sites=make_sites({"name": "made", **keys}), spider="wrapped",
        settings={"EXTRACTION_TIMEOUT": 0.7, "EXTRACTION_WORKERS": 1},
    ).check()  # fmt: skip
    assert done.reasons == {"/list/1": "failed"}
    assert done.rejected[0]["reason"] == "stopped after 0.7 s"
    assert [line["fields"]["title"] for line in done.records] == ["ice"]


# -- crashes ---------------------------------------------------------------------------------------------------------------


def test_a_killed_crawl_goes_on(
    start_crawl: Run, run_crawl: Run, talks: Programmes, make_sites: Run, tmp_path: Path
) -> None:
    for number in range(1, 13):
        talks.add(number, *(f"talk-{number}-{k}" for k in range(1, 4 + number % 3)), "shared")
    talks.wait = 0.03
    (tmp_path / "talks.oem").write_text(FORMAT, "utf-8")
    keys = {"kind": "wrapped", "start": talks.start, "wrapper": "talks.oem", "records": "talk", "concurrency": 2}
    sites, feed = make_sites({"name": "made", **keys}), tmp_path / "o.jsonl"
    dice = random.Random(7)
    for _ in range(2):
        crawl = start_crawl(feed, "-a", "run=a", sites=sites, spider="wrapped")
        begun = feed.read_bytes().count(b"\n") if feed.exists() else 0
        crawl.wait_for_lines(begun + dice.randint(1, 15))
        crawl.kill()
        assert crawl.session.is_gone_within(5), f"orphans: {crawl.session.processes()}"
    done = run_crawl(feed, "-a", "run=a", sites=sites, spider="wrapped").check()
    assert objects(done) == talks.expected()
    before = feed.read_bytes(), done.pages_feed.read_bytes()
    talks.asked()
    again = run_crawl(feed, "-a", "run=a", sites=sites, spider="wrapped").check()
    assert "0 new" in again.err
    assert (feed.read_bytes(), again.pages_feed.read_bytes()) == before
    assert talks.asked() == []


def test_every_state_of_the_feeds_is_completed(crawl: Run, talks: Programmes) -> None:
    """Objects and pages are written independently: any part of either may be missing, and the last line may be torn."""
    for number in range(1, 5):
        talks.add(number, *(f"talk-{number}-{k}" for k in range(1, 6)))
    whole = crawl("-a", "run=a")
    kept = {path: path.read_bytes() for path in (whole.feed, whole.pages_feed)}
    dice = random.Random(3)
    for run in ("a", "a", "b"):
        for path, data in kept.items():
            lines = data.splitlines(keepends=True)
            chosen = sorted(dice.sample(range(len(lines)), len(lines) * dice.randint(30, 95) // 100))
            path.write_bytes(b"".join(lines[k] for k in chosen) + lines[0][:50])
        assert objects(crawl("-a", f"run={run}")) == talks.expected()


# -- wrappers that no longer fit -------------------------------------------------------------------------------------------


def test_a_page_that_has_changed_is_told(crawl: Run, talks: Programmes) -> None:
    talks.add(1, "fog", "ice")
    talks.add(2, "salt")
    done = crawl("-a", "run=a")
    assert "WARNING" not in done.err
    talks.publish(1, '<li><a href="/talk/fog">fog</a></li>', tag="div")
    talks.put("/talk/salt", "<p>All about salt.</p>")
    done = crawl("-a", "run=b")
    assert done.reasons == {"/list/1": "wrapper_misfit"}
    assert done.rejected[0]["reason"] == "no root: talks.oem: line 2 (programme): nothing found in 1 source"
    line = done.records[-1]
    assert line["misfits"] == ["line 6 (summary): nothing found in 1 source"]
    assert line["fit"] == 0.8
    (warning,) = [text for text in done.err.splitlines() if "WARNING" in text]
    assert warning == (
        "WARNING: site made: the wrapper talks.oem does not fit 2 of 2 pages: line 2 (programme) on 1, "
        f"line 6 (summary) on 1; 1 gave nothing (wrapper_misfit); for example {talks.server.url('/list/1')}"
    )
    check_schemas(done)
    talks.asked()
    crawl("-a", "run=b")
    assert talks.asked() == ["/list/2", "/talk/salt"], (
        "a revision is looked at once more, a misfit not with the same wrapper"
    )
    crawl("-a", "run=b")
    assert talks.asked() == []
    crawl("-a", "run=c")
    assert "/list/1" in talks.asked(), "another run is another observation"
    mended = FORMAT.replace('<ul class="talks">#</ul>', '<div class="talks">#</div>')
    done = crawl("-a", "run=b", text=mended)
    assert talks.asked() == ["/list/1", "/talk/fog"]
    assert "0 new" in done.err, "the same object is not written twice"
    assert [page["url"] for page in done.pages][-1] == talks.server.url("/list/1")


def test_a_page_of_which_only_the_root_is_left(crawl: Run, talks: Programmes) -> None:
    talks.add(1, "fog")
    talks.publish(1, "<p>Moved.</p>")
    for records, reason in ((None, "nothing within the root"), ("talk", "no object 'talk'")):
        done = crawl(records=records, text=FORMAT + f"# {records}\n")
        assert done.rejected[-1]["status"] == "wrapper_misfit"
        assert done.rejected[-1]["reason"] == f"{reason}: talks.oem: line 3 (talk): nothing found in 1 source"
        assert done.records == []
        assert "does not fit 1 of 1 page: line 3 (talk) on 1; 1 gave nothing" in done.err


# -- other kinds of site ---------------------------------------------------------------------------------------------------

STORY = """
{<article>#</article>, story, get()}
{<h1>#</h1>, headline, story}
{<p class=byline>By #</p>, writer, story}
"""


def test_news(small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path) -> None:
    """Articles of a site with a wrapper are objects, those of another site records, in one feed."""
    paths = [f"/2025/05/0{k}/story-number-{k}-of-the-harbour.html" for k in range(1, 5)]
    server.put("/", server.listing(*paths))
    server.put("/plain/", server.listing("/2025/06/01/a-plain-story-of-the-harbour.html"))
    for path in [*paths, "/2025/06/01/a-plain-story-of-the-harbour.html"]:
        server.put_article(path)
    (tmp_path / "story.oem").write_text(STORY, "utf-8")
    sites = make_sites(
        {"name": "told", "start": [server.url("/")], "wrapper": "story.oem", "records": "story"},
        {"name": "plain", "start": [server.url("/plain/").replace("127.0.0.1", "localhost")]},
    )
    feed = tmp_path / "news.jsonl"
    done = small_crawl(feed, sites=sites).check()
    found = [line for line in done.records if line["kind"] == "object"]
    check_schema("object", found)
    check_schema("page", done.pages)
    check_schema("record", [line for line in done.records if line["kind"] == "news"])
    assert {line["url"]: line["fields"]["headline"] for line in found} == {
        server.url(path): server.headline(path) for path in paths
    }
    assert {line["fields"]["writer"] for line in found} == {"Mara Quill"}
    assert len(done.records) == 5
    assert {line["kind"] for line in done.pages} == {"article"}
    server.hits.clear()
    before = feed.read_bytes()
    again = small_crawl(feed, sites=sites).check()
    assert "0 new, 5 already there" in again.err
    assert feed.read_bytes() == before
    assert not [path for _, path, _ in server.hits if path in paths], "articles that are done are not fetched again"
    server.answers[paths[0]] = []
    server.put(paths[0], server.article(paths[0]).replace("Mara Quill", "Jo Ink"))
    again = small_crawl(feed, "-a", "revisit=all", sites=sites).check()
    (changed,) = [line for line in again.records if line.get("revision") == 1]
    assert (changed["url"], changed["fields"]["writer"]) == (server.url(paths[0]), "Jo Ink")
    without = make_sites({"name": "plain", "start": [server.url("/plain/")]}, name="without.toml")
    small_crawl(feed, sites=without).check()


def test_a_forum(small_crawl: Run, forum: Any, make_sites: Run, tmp_path: Path) -> None:
    for thread in (7, 8):
        forum.add(thread, 8)
    text = '{<body>#</body>, thread, get()}\n{<div class="content body">#</div>, post, thread}\n'
    (tmp_path / "posts.oem").write_text(text, "utf-8")
    keys = {"kind": "forum", "start": [forum.board], "wrapper": "posts.oem", "records": "post"}
    sites, feed = make_sites({"name": "quay", **keys}), tmp_path / "forum.jsonl"

    def found(crawl: Any) -> dict[tuple[int, int], str]:
        check_schemas(crawl)
        return {
            (int(line["page_url"].rpartition("=")[2]), line["position"]): line["fields"]["text"] for line in crawl.records
        }

    done = small_crawl(feed, sites=sites, spider="forum").check()
    assert found(done) == forum.expected()
    assert {(line["kind"], line["number"], line["count"]) for line in done.pages} == {("thread", 1, 5), ("thread", 2, 3)}
    before = feed.read_bytes()
    again = small_crawl(feed, sites=sites, spider="forum").check()
    assert feed.read_bytes() == before
    forum.add(7, 4)
    again = small_crawl(feed, sites=sites, spider="forum").check()
    assert found(again) == forum.expected()
    assert len(again.records) == 20


def test_an_engine(small_crawl: Run, engine: Any, make_sites: Run, tmp_path: Path) -> None:
    text = '{<div id="results">#</div></div>, results, get()}\n{<h3><a href="$address">$title</a></h3>, hit, results}\n'
    (tmp_path / "hits.oem").write_text(text.replace("</div></div>", '<div class="pager">'), "utf-8")
    keys = {"kind": "search", "search": engine.template, "wrapper": "hits.oem", "records": "hit"}
    sites, feed = make_sites({"name": "find", **keys}), tmp_path / "search.jsonl"
    for run, count in (("a", 23), ("a", 23), ("b", 46)):
        done = small_crawl(feed, "-a", "query=tidal barrier", "-a", f"run={run}", sites=sites, spider="search").check()
        assert len(done.records) == count, "each run is an observation of its own"
    check_schemas(done)
    for line in done.records:
        title, address, _ = engine.hit("tidal barrier", line["position"])
        assert line["fields"] == {"title": title, "address": address}


def test_a_list(crawl: Run, talks: Programmes) -> None:
    talks.add(1, "fog", "ice")
    done = crawl(spider="list")
    assert objects(done) == talks.expected()
    assert [line["kind"] for line in done.pages] == ["list"]


@pytest.mark.usefixtures("rendering")
def test_a_rendered_page_is_read_as_it_looks(
    run_crawl: Run, server: Any, make_sites: Run, mark: dict[str, str], tmp_path: Path
) -> None:
    """Which title stands under which, only the style sheet tells; a script writes the page; links lead to rendered pages."""
    sections = {"Harbour": ["Ferry", "Cranes"], "Sport": ["Rowers"]}
    body = "".join(
        f'<p><b class="one">{section}</b></p>'
        + "".join(f'<p><b class="two">{story}</b></p><p><a href="/{story}">{story}</a></p>' for story in stories)
        for section, stories in sections.items()
    )
    style = "<style>.one {font-size: 30px} .two {font-size: 20px}</style>"
    script = f"<script>document.getElementById('page').innerHTML = {json.dumps(body).replace('</', chr(60) + chr(92) + '/')}</script>"
    server.put("/", f"<html><head>{style}</head><body><div id=page></div>{script}</body></html>")
    for story in ("Ferry", "Cranes", "Rowers"):
        server.put(f"/{story}", f"<html><body><script>document.write('<i>About {story}</i>')</script></body></html>")
    text = (
        "{<div>#</div>, front, get()}\n{</fontx>#<fontx>, <fontx>#</fontx>, front}\n"
        '{<a href="#">, link, <fontx>#</fontx>}\n{<i>#</i>, told, get(link)}\n'
    )
    (tmp_path / "front.oem").write_text(text, "utf-8")
    keys = {"kind": "wrapped", "start": [server.url("/")], "wrapper": "front.oem", "render": True}
    done = run_crawl(
        tmp_path / "o.jsonl", sites=make_sites({"name": "front", **keys}), spider="wrapped", env=mark
    ).check()  # fmt: skip
    (line,) = done.records
    assert line["misfits"] == []
    assert line["fields"] == {
        section: {story: {"link": server.url(f"/{story}"), "told": f"About {story}"} for story in stories}
        for section, stories in sections.items()
    }


# -- mistakes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"wrapper": "none.oem"}, "none.oem: No such file or directory; expected a wrapper file"),
        ({"text": "{<ul>#</ul>, root, get()}\n{<li>, talk, root}\n"}, "talks.oem:2:2: the section text has no '#'"),
        (
            {"records": "talks"},
            "records = 'talks': no line of talks.oem gives objects with this label; did you mean 'talk'?",
        ),
        (
            {"wrapper": None, "records": None},
            "key wrapper: missing; name the wrapper file that extracts the pages; for example",
        ),
        ({"algorithm": "visual_blocks"}, "key algorithm: has no effect with a wrapper; for example"),
    ],
)
def test_mistakes_are_told_before_anything_is_fetched(
    keys: dict[str, Any], told: str, start_crawl: Run, talks: Programmes, make_sites: Run, tmp_path: Path
) -> None:
    talks.add(1, "fog")
    (tmp_path / "talks.oem").write_text(keys.pop("text", FORMAT), "utf-8")
    site = {"name": "made", "kind": "wrapped", "start": talks.start, "wrapper": "talks.oem", "records": "talk", **keys}
    done = start_crawl(tmp_path / "o.jsonl", sites=make_sites(site), spider="wrapped").wait(30).check(2)
    mistake, last = done.err.strip().splitlines()
    assert told in mistake
    assert 'site "made", key' in mistake
    assert last == "The crawl was not started."
    assert talks.server.hits == []
