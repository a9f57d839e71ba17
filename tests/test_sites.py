"""Site definitions: what is right, and one line for each mistake."""

from __future__ import annotations

import dataclasses
import tomllib
from datetime import date, time
from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.errors import SiteError
from newsextract.sites import KEYS, Site, load_sites

START = 'start = ["https://www.example.org/"]'


def load(tmp_path: Path, text: str) -> dict[str, Site]:
    path = tmp_path / "sites.toml"
    path.write_text(text, "utf-8")
    return load_sites(path)


def site(tmp_path: Path, *lines: str) -> Site:
    (one,) = load(tmp_path, "\n".join(['[[site]]\nname = "x"', START, *lines])).values()
    return one


def test_the_least_definition(tmp_path: Path) -> None:
    one = site(tmp_path)
    assert one.name == "x"
    assert (one.depth, one.pagination, one.min_length, one.canonical, one.obey_robots) == (3, 10, 80, "follow", True)
    assert (one.since, one.until, one.limit, one.algorithm, one.delay, one.params) == (None, None, None, None, None, {})
    assert one.hosts == ["www.example.org"]


def test_forums_and_engines(tmp_path: Path) -> None:
    forum = site(tmp_path, 'kind = "forum"', "pages_per_thread = 7", "render = true")
    assert (forum.kind, forum.pages_per_thread, forum.render, forum.pagination) == ("forum", 7, True, 10)
    text = '[[site]]\nname = "x"\nkind = "search"\nsearch = "https://www.example.org/s?q={query}&p={page}"'
    (engine,) = load(tmp_path, text).values()
    assert (engine.results, engine.hosts, engine.covers("https://example.org/s?q=a")) == (3, ["www.example.org"], True)


def test_a_forum_needs_a_start(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="key start: missing; a forum needs the URL of a board or thread; for example"):
        load(tmp_path, '[[site]]\nname = "x"\nkind = "forum"')


def test_lists(tmp_path: Path) -> None:
    one = site(tmp_path, 'kind = "list"', "min_confidence = 0.4")
    assert (one.kind, one.min_confidence, one.pagination, one.params) == ("list", 0.4, 10, {})
    text = '[[site]]\nname = "x"\nkind = "list"\nstart = ["https://www.example.org/news?from={start}"]'
    (counted,) = load(tmp_path, text).values()
    assert counted.hosts == ["www.example.org"]


@pytest.mark.parametrize(
    ("start", "mistake"),
    [
        ("", "key start: missing; name the first page of each list; for example start = "),
        ('start = ["http://e.example/{page}/{start}"]', "it may contain one of {page} and {start}, not both; for example"),
        ('start = ["http://{page}.example/"]', "its host must not depend on the page; for example"),
        ('start = ["http://e.example/?p={pge}"]', "unknown placeholder {pge}; expected {page} or {start}"),
    ],
)
def test_mistakes_in_lists(start: str, mistake: str, tmp_path: Path) -> None:
    with pytest.raises(SiteError) as caught:
        load(tmp_path, f'[[site]]\nname = "x"\nkind = "list"\n{start}')
    assert "key start: " in str(caught.value)
    assert mistake in str(caught.value)


def test_hosts_and_addresses(tmp_path: Path) -> None:
    one = site(
        tmp_path, 'sitemaps = ["robots.txt", "https://m.example.org/map.xml"]', 'feeds = ["http://www.example.org:81/f"]'
    )
    assert one.addresses == ["https://www.example.org/", "https://m.example.org/map.xml", "http://www.example.org:81/f"]
    assert one.hosts == ["www.example.org", "m.example.org"]


@pytest.mark.parametrize("written", ["2026-01-31", '"2026-01-31"'])
def test_days_as_toml_dates_and_as_strings(tmp_path: Path, written: str) -> None:
    one = site(tmp_path, f"since = {written}", f"until = {written}")
    assert one.since == one.until == date(2026, 1, 31)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "sites.toml").write_text('[[site]]\nname = "x"\nstart = ["https://www.example.org/"]\n', "utf-8-sig")
    assert list(load_sites(tmp_path / "sites.toml")) == ["x"]


def test_numbers_lists_and_parameters(tmp_path: Path) -> None:
    one = site(
        tmp_path, "delay = 2", "limit = 500", "concurrency = 3", "deny = ['/video/']", 'algorithm = "block_statistics"',
        'params = { preset = "published", maxima = 5 }', 'language = "zh"', "obey_robots = false",
    )  # fmt: skip
    assert (one.delay, one.limit, one.concurrency, one.deny) == (2.0, 500, 3, ["/video/"])
    assert one.params == {"preset": "published", "maxima": 5}


WRONG = [
    ("limit = 0", "key limit: 0 is invalid: expected greater than or equal to 1; for example limit = 500"),
    ("limit = true", "key limit: True is invalid: expected a valid integer; for example limit = 500"),
    ('limit = "5"', "key limit: '5' is invalid: expected a valid integer; for example limit = 500"),
    ("depth = 101", "key depth: 101 is invalid: expected less than or equal to 100; for example depth = 3"),
    ('deny = "/x/"', "key deny: '/x/' is invalid: expected a valid list; for example deny = [\"/video/\"]"),
    ("since = 5", 'key since: 5 is invalid: expected a valid date; for example since = "2026-01-01"'),
    (
        'since = "2026-13-01"',
        "key since: '2026-13-01' is invalid: expected a valid date; for example since = \"2026-01-01\"",
    ),
    ('since = "2026-02-01"\nuntil = "2026-01-01"', 'key since: is later than until; for example since = "2026-01-01"'),
    ("scrolls = 3", "key scrolls: only a browser scrolls; it needs render = true; for example scrolls = 5"),
    ('language = "english"', "key language: 'english' is invalid"),
    (
        'kind = "blogs"',
        "key kind: 'blogs' is invalid: expected 'news', 'forum', 'search', 'list' or 'wrapped'; for example kind = \"news\"",
    ),
    (
        'canonical = "no"',
        "key canonical: 'no' is invalid: expected 'follow' or 'ignore'; for example canonical = \"follow\"",
    ),
    (
        'feeds = ["example.org/feed"]',
        "key feeds: 'example.org/feed' is invalid: not an http or https URL; for example feeds = ",
    ),
    ('feeds = ["http://[::1"]', "key feeds: 'http://[::1' is invalid: "),
    (
        'allow = ["("]',
        "key allow: '(' is invalid: not a regular expression (missing ), unterminated subpattern at position 0)",
    ),
    ("colour = 1", "key colour: unknown; choose from: name, kind, start, sitemaps, feeds, "),
    ('fields = { date = "time[[" }', "key fields: date is 'time[['; expected a CSS selector"),
    ('algorithm = "nope"', "key algorithm or params: unknown algorithm 'nope'; choose from: combined, "),
    (
        'algorithm = "block_statistics"\nparams = { maxima = 0 }',
        "key algorithm or params: block_statistics: maxima is 0; expected 1–100",
    ),
    (
        'algorithm = "block_statistics"\nparams = { nope = 0 }',
        "key algorithm or params: block_statistics: unknown parameter 'nope'; choose from: preset, maxima",
    ),
    (
        'algorithm = "block_statistics"\nparams = { min_weight = nan }',
        "key algorithm or params: block_statistics: min_weight is nan; expected",
    ),
    (
        'algorithm = "block_statistics"\nparams = { preset = ["published"] }',
        "key algorithm or params: block_statistics: unknown preset ['published']",
    ),
    (
        'search = "http://e.example/?q={query}"',
        'key search: is for sites with kind = "search", and this one has kind = "news"',
    ),
    ('kind = "list"\nresults = 2', 'key results: is for sites with kind = "search", and this one has kind = "list"'),
    ("pages_per_thread = 3", 'key pages_per_thread: is for sites with kind = "forum", and this one has kind = "news"'),
    (
        'kind = "forum"\nfeeds = ["http://e.example/f"]',
        'key feeds: is for sites with kind = "news", and this one has kind = "forum"',
    ),
    (
        'kind = "search"',
        "key search: missing; a search engine needs the URL of its result pages; for example search = ",
    ),
    (
        'kind = "search"\nsearch = "http://e.example/?q="',
        "key search: 'http://e.example/?q=' is invalid: it does not contain {query}; for example search = ",
    ),
    (
        'kind = "search"\nsearch = "http://e.example/?q={query}&p={page}&s={start}"',
        "key search: 'http://e.example/?q={query}&p={page}&s={start}' is invalid: it may contain {query} and one of {page} and {start}",
    ),
    (
        'kind = "search"\nsearch = "http://e.example/?q={query}&l={lang}"',
        "key search: 'http://e.example/?q={query}&l={lang}' is invalid",
    ),
    (
        'kind = "search"\nsearch = "http://{query}.example/"',
        "key search: 'http://{query}.example/' is invalid: its host must not depend on the query",
    ),
    (
        'kind = "search"\nsearch = "e.example/?q={query}"',
        "key search: 'e.example/?q={query}' is invalid: not an http or https URL",
    ),
    (
        'kind = "search"\nsearch = "http://e.example/{query}"\nresults = 0',
        "key results: 0 is invalid: expected greater than or equal to 1",
    ),
    (
        'kind = "forum"\nalgorithm = "combined"',
        "key algorithm or params: algorithm 'combined' does not find records; those that do are: ",
    ),
    (
        'algorithm = "visual_blocks"',
        "key algorithm or params: algorithm 'visual_blocks' does not find articles; those that do are: ",
    ),
    ('render = "yes"', "key render: 'yes' is invalid: expected a valid boolean; for example render = true"),
    ('domains = ["https://x.example/"]', "key domains: 'https://x.example/' is invalid: expected a domain, not a URL"),
    ("delay = -1", "key delay: -1 is invalid: expected greater than or equal to 0; for example delay = 2.0"),
]


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "/([a-z0-9]+-?)+_$",
        "(?:-?[a-z]+?)*x",
        "x(((.*)))+y",
        r"(\d+|/)+x",
        "(a(b*c?)+)",
        "x|(y|(a*)*)",
        "(?=(a+)+b)",
    ],
)
def test_patterns_that_try_every_division_of_a_url_are_refused(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(SiteError, match=r"key deny: .* is invalid: a repeated group of repetitions"):
        site(tmp_path, f"deny = ['{pattern}']")


@pytest.mark.parametrize(
    "pattern",
    [r"(/\d+)+$", "([a-z]+-)+[a-z]+", "(a+)?b", "(?:a{2}b*)+", "(a+b+)*", "((a|b)c?)+", "(?>a+)+", "(a++)+", "([a-z]+){2}"],
)
def test_patterns_with_one_way_through_a_url_are_accepted(tmp_path: Path, pattern: str) -> None:
    assert site(tmp_path, f"deny = ['{pattern}']").deny == [pattern]


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_a_mistake_is_one_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(SiteError) as error:
        site(tmp_path, line)
    text = str(error.value)
    assert text.startswith(f'sites.toml: site "x", {message}')
    assert "\n" not in text
    assert "pydantic" not in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[site]]\n" + START, 'sites.toml: site "number 1", key name: missing; for example name = "harbour-ledger"'),
        (
            '[[site]]\nname = "x"',
            'sites.toml: site "x", key start: one of start, sitemaps and feeds is needed; for example start =',
        ),
        (
            '[[site]]\nname = "x"\nsitemaps = ["robots.txt"]',
            'sites.toml: site "x", key sitemaps: "robots.txt" needs a start page to know the host',
        ),
        (f'[[site]]\nname = "X Y"\n{START}', "sites.toml: site \"X Y\", key name: 'X Y' is invalid: expected"),
        (f'[[site]]\nname = "x"\n{START}\n' * 2, 'sites.toml: site "x", key name: used twice'),
    ],
)
def test_mistakes_about_the_whole_table(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SiteError) as error:
        load(tmp_path, text)
    assert str(error.value).startswith(message)
    assert str(error.value).count("\n") == 0


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    text = f'[[site]]\nname = "x"\n{START}\nlimit = 0\ndepth = -1\n[[site]]\nname = "y"\n'
    with pytest.raises(SiteError) as error:
        load(tmp_path, text)
    lines = str(error.value).split("\n")
    assert [line.split(":")[1].split(",")[0] for line in lines] == [' site "x"', ' site "x"', ' site "y"']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[site]", "not readable as TOML"),
        (f"limit = {'9' * 5_000}", "not readable as TOML"),
        ('[[site]]\nallow = ["/\\d+"]', r"(at line 2, column 14); patterns need single quotes: '/\d+/'"),
        ('[site]\nname = "x"', "expected [[site]] tables, each with name"),
        ("colour = 1", "unknown: 'colour'"),
        ("site = [1]", "expected [[site]] tables"),
        ("site = 1", "expected [[site]] tables"),
    ],
)
def test_files_that_are_no_site_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SiteError) as error:
        load(tmp_path, text)
    assert message in str(error.value)
    assert str(tmp_path / "sites.toml") in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="no such file; the setting SITES_FILE names"):
        load_sites(tmp_path / "none.toml")
    with pytest.raises(SiteError, match="not readable"):
        load_sites(tmp_path)
    path = tmp_path / "latin.toml"
    path.write_bytes(b'[[site]]\nname = "\xe9"')
    with pytest.raises(SiteError, match=r"not readable as UTF-8 \(byte 17\); save the file as UTF-8"):
        load_sites(path)


def test_no_sites_at_all(tmp_path: Path) -> None:
    assert load(tmp_path, "# nothing yet\n") == {}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('alow = ["/x/"]', 'key alow: unknown; did you mean "allow"?'),
        ('"a\\nb" = 1', "key 'a\\nb': unknown; choose from: "),
        ("since = 2026-01-01T08:00:00", "key since: datetime.datetime(2026, 1, 1, 8, 0) is invalid: expected a valid date"),
        ("limit = 5.0", "key limit: 5.0 is invalid: expected a valid integer"),
        ("delay = true", "key delay: True is invalid: expected a valid number"),
        ("delay = nan", "key delay: nan is invalid: expected greater than or equal to 0"),
        ("delay = inf", "key delay: inf is invalid: expected less than or equal to 3600"),
        ("feeds = [1]", "key feeds: 1 is invalid: not an http or https URL"),
        ('sitemaps = ["robots"]', "key sitemaps: 'robots' is invalid: not an http or https URL"),
        (
            'feeds = ["https://me:pw@x.example/"]',
            "key feeds: a URL of x.example has a user name or password; expected one without",
        ),
        (
            'params = "published"',
            "key params: 'published' is invalid: expected a valid table; for example params = { preset = ",
        ),
        ('language = "zh\\n"', "key language: 'zh\\n' is invalid: expected two small letters"),
        ("limit = { a = 1 }", "key limit: expected a valid integer; for example limit = 500"),
    ],
)
def test_values_are_taken_as_they_are_and_never_converted(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(SiteError) as error:
        site(tmp_path, line)
    assert str(error.value).startswith(f'sites.toml: site "x", {message}')
    assert "\n" not in str(error.value)


def test_the_keys_that_a_table_has_are_remembered_when_a_site_is_changed(tmp_path: Path) -> None:
    one = site(tmp_path, "pagination = 10")
    assert one.given == {"name", "start", "pagination"}
    assert dataclasses.replace(one, limit=3).given == one.given


@pytest.mark.parametrize("name", [name for name in KEYS if name not in ("name", "start", "search")])
def test_the_example_of_every_key_is_right_and_other_types_are_refused(name: str) -> None:
    key = KEYS[name]
    table = tomllib.loads(f"{name} = {key.toml()}")
    assert key.check(table[name]) == (date.fromisoformat(key.example) if name in ("since", "until") else key.example)
    right = {type(table[name]), int if isinstance(key.example, float) else None}
    for value in (7, 0.5, True, "\n", [1], {"a": 1}, time(1)):
        if type(value) not in right:
            with pytest.raises(ValueError, match=r"expected|wrong|not an? "):
                key.check(value)


def test_of_two_sites_of_one_host_the_closer_one_has_an_address() -> None:
    one = Site(name="one", start=["http://www.example.org/one/"], feeds=["http://www.example.org/one/feed.xml"])
    two = Site(name="two", start=["http://www.example.org:8080/two/"])
    assert (one.closeness("https://www.example.org/one/2025/a"), two.closeness("https://www.example.org/one/2025/a")) == (
        3,
        0,
    )
    assert (one.closeness("http://www.example.org:8080/one/a"), two.closeness("http://www.example.org:8080/one/a")) == (0, 1)
    assert two.closeness("http://www.example.org:8080/two/a") == 3
    assert one.closeness("http://www.example.org/other") == 1


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("news", ['start = ["https://www.example.org/?p={pge}"]']),
        ("news", [START, 'feeds = ["https://www.example.org/{page}"]']),
        ("forum", ['start = ["https://www.example.org/viewforum.php?f={page}"]']),
    ],
)
def test_urls_of_sites_that_count_no_pages_have_no_placeholders(kind: str, lines: list[str], tmp_path: Path) -> None:
    with pytest.raises(SiteError, match=rf'site "x", key .*: unknown placeholder .*; sites with kind = "{kind}" have none'):
        load(tmp_path, "\n".join(['[[site]]\nname = "x"', f'kind = "{kind}"', *lines]))


def test_the_command_misses_a_folder_that_is_to_be_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    load(tmp_path, f'[[site]]\nname = "x"\n{START}\nserve = "pages"')
    assert main(["sites", "check", "--sites", "sites.toml"]) == 2
    assert f'sites.toml: site "x", key serve: no folder {tmp_path / "pages"}' in capsys.readouterr().err
    (tmp_path / "pages").mkdir()
    assert main(["sites", "check", "--sites", "sites.toml"]) == 0
