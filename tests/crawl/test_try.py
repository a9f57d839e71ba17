"""``newsextract try``: what a site is, found by requests to a real server, and records of a real crawl beside their pages."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from newsextract.cli import main
from newsextract.commands.sites import add_table, free_name
from newsextract.crawling import Trial, other_kind
from newsextract.errors import FetchError, SiteError, UsageError
from newsextract.inspection.views import compared, proof_page
from newsextract.page.page import Page
from newsextract.results import ASKS_CONSENT
from newsextract.sites import load_sites, toml_table
from newsextract.survey import Survey, search_form, software_of, survey
from newsextract.workers import Workers
from tests.crawl.conftest import Server, article, headline, listing

FEED = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
PATHS = [f"/news/2025-05-0{number}-keepers-of-the-harbour-{number}.html" for number in range(1, 8)]


@pytest.fixture
def paper(make_server: Callable[..., Server]) -> Server:
    """A newspaper with a feed, a sitemap and robots.txt."""
    server = make_server()
    server.put("/", listing(*PATHS).replace("<head>", f'<head><meta name="generator" content="Hugo 0.1">{FEED}'))
    for path in PATHS:
        server.put_article(path)
    items = "".join(f"<item><title>{headline(path)}</title><link>{server.url(path)}</link></item>" for path in PATHS)
    server.put("/feed.xml", f"<rss version='2.0'><channel>{items}</channel></rss>", kind="application/rss+xml")
    urls = "".join(f"<url><loc>{server.url(path)}</loc></url>" for path in PATHS)
    server.put("/map.xml", f"<urlset>{urls}</urlset>", kind="application/xml")
    server.put("/robots.txt", f"User-agent: *\nDisallow: /private/\nSitemap: {server.url('/map.xml')}\n", kind="text/plain")
    return server


def test_sitemaps_feeds_and_software_of_a_newspaper(paper: Server) -> None:
    found = survey(paper.url())
    assert (found.kind, found.software, found.sitemaps) == ("news", "Hugo 0.1", ("robots.txt",))
    assert found.feeds == (paper.url("/feed.xml"),)
    assert found.requests == len(paper.hits) == 3
    table = tomllib.loads(found.toml(found.table(), "a\nheading\x00"))["site"][0]
    assert table == found.table()
    assert table["start"] == [paper.url()]


def test_an_article_leads_to_the_front_page_of_its_site(paper: Server) -> None:
    assert survey(paper.url(PATHS[0])).url == paper.url()


def test_a_question_for_consent_is_not_the_site(make_server: Callable[..., Server]) -> None:
    server = make_server()
    gate = "/privacy-gate?redirectUri=/"
    server.put("/", status=302, Location=server.url(gate))
    server.put(
        gate, "<title>We value your privacy | Post</title><h1>We value your privacy</h1><p>Cookies.</p><button>Yes</button>"
    )
    found = survey(server.url("/"))
    assert found.url == server.url("/")
    assert ASKS_CONSENT in found.why
    assert found.table() == {"name": found.table()["name"], "start": [server.url("/")]}


def test_a_page_that_robots_txt_forbids_is_not_fetched(paper: Server) -> None:
    with pytest.raises(FetchError, match=r"robots\.txt"):
        survey(paper.url("/private/page.html"))
    assert paper.times("/private/page.html") == []


def test_a_sitemap_that_nobody_names_is_found(make_server: Callable[..., Server]) -> None:
    server = make_server()
    server.put("/", listing(*PATHS))
    server.put("/sitemap.xml", f"<urlset><url><loc>{server.url(PATHS[0])}</loc></url></urlset>", kind="application/xml")
    found = survey(server.url())
    assert found.sitemaps == (server.url("/sitemap.xml"),)
    assert found.feeds == ()


def test_a_feed_that_takes_too_long_is_left_out(paper: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = f"<rss version='2.0'><channel><item><author>{'a' * 60_000}</author></item></channel></rss>"  # minutes
    del paper.answers["/feed.xml"]
    paper.put("/feed.xml", feed, kind="application/rss+xml")
    monkeypatch.setattr("newsextract.survey.Workers", partial(Workers, timeout=1.0))
    assert survey(paper.url()).feeds == ()


def test_a_page_that_leads_to_threads_is_a_forum(make_server: Callable[..., Server]) -> None:
    server = make_server()
    server.put("/", "".join(f'<p><a href="/viewtopic.php?f=1&amp;t={number}">A question</a></p>' for number in range(9)))
    assert survey(server.url()).table() == {
        "name": f"127.0.0.1-{server.port}", "kind": "forum", "start": [server.url()],
    }  # fmt: skip


MESSAGE = (
    '<html><title>[Quay] {title}</title><body><h1>[Quay] {title}</h1><b>Nora Fell</b> <a href="mailto:quay%40lists.example?'
    'Subject=Re:%20{title}">nora at quay.example</a><br><i>Thu Mar 1 10:21:00 CET 2012</i><ul><li>Next message: <a '
    'href="000002.html">Re: {title}</a><li><a href="date.html#1">[ date ]</a> <a href="thread.html#1">[ thread ]</a></ul><hr>'
    "<pre>The tide came in at seven and took the ladder, two crates\nand the dinner of the crew.\n</pre></body></html>"
)


def test_a_mail_message_leads_to_the_index_of_its_archive(make_server: Callable[..., Server]) -> None:
    server = make_server()
    server.put("/list/2012-March/000001.html", MESSAGE.format(title="The ladder"))
    links = "".join(f'<li><a href="{number:06}.html">[Quay] The ladder</a> <i>Nora Fell</i>' for number in range(1, 9))
    server.put("/list/2012-March/thread.html", f"<html><h1>March 2012 by thread</h1><ul>{links}</ul></html>")
    found = survey(server.url("/list/2012-March/000001.html"))
    assert found.table()["kind"] == "forum"
    assert found.table()["start"] == [server.url("/list/2012-March/thread.html")]


def test_a_site_whose_articles_are_mail_messages_is_a_forum() -> None:
    def other(*bodies: str) -> str | None:
        urls = [f"http://quay.example/list/{number}.html" for number in range(len(bodies))]
        pages = {url: Page.from_text(body, url) for url, body in zip(urls, bodies, strict=True)}
        found = Survey("http://quay.example/list/", Page.from_text("", "http://quay.example/list/"), "news", "a guess")
        told = other_kind(Trial(found, {}, tuple({"url": url} for url in urls), (), pages))
        return told and told.kind

    messages = [MESSAGE.format(title=title) for title in ("The ladder", "A crate")]
    articles = [article(headline(path)) for path in PATHS[:2]]
    assert other(*messages, articles[0]) == "forum"
    assert other(*articles, messages[0]) is None
    assert other(*articles) is None


def test_forms_that_search() -> None:
    def form(fields: str, url: str = "http://www.one.example/", more: str = "") -> str | None:
        found = search_form(Page.from_text(f"<form action='/find' {more}>{fields}</form>", url))
        return found and found.template

    assert form("<input name=q><input type=hidden name=in value='a b'>") == "http://www.one.example/find?in=a+b&q={query}"
    assert form("<input type=search name=für>") == "http://www.one.example/find?f%C3%BCr={query}"
    assert form("<input name=q><input type=password name=p>") is None
    assert form("<input name=q>", more="method=post") is None
    assert form("<input name=comment>") is None
    assert form("<input name=q><input type=hidden name=a value='{b}'>") == "http://www.one.example/find?q={query}"
    asked = search_form(
        Page.from_text("<form><input name=q><input type=hidden name=state value=x>", "http://o.example/s?l=en&q=tide")
    )
    assert asked is not None
    assert (asked.template, asked.query) == ("http://o.example/s?l=en&q={query}", "tide"), (
        "what belongs to the query is left out"
    )


def test_software_is_told_by_addresses_where_nothing_names_it() -> None:
    assert software_of(Page.from_text("<link href='/wp-content/themes/x.css'><p>text")) == "WordPress"
    assert software_of(Page.from_text("<p>text<p>Powered by Quarto.")) == "Quarto"
    assert software_of(Page.from_text("<p>text")) is None


def test_a_name_with_a_private_address_is_refused_with_the_way_to_allow_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsextract.urls._resolved", lambda host: ["10.1.2.3"])
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("10.1.2.3", 80))])
    with pytest.raises(FetchError, match=r"NEWSEXTRACT_PRIVATE=http://wiki\.example/"):
        survey("http://wiki.example/")


def test_a_table_is_added_and_everything_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "sites.toml"
    path.write_text('# mine\n[[site]]\nname = "one"   # kept\nstart = ["https://one.example/"]\n')
    table = {"name": "one", "start": ["https://other.example/"]}
    assert free_name(path, table, is_given=False) == "one-2"
    with pytest.raises(UsageError, match="--name"):
        free_name(path, table, is_given=True)
    assert free_name(path, {"name": "two", "start": ["https://one.example/"]}, is_given=False) is None
    add_table(path, toml_table(table | {"name": "one-2"}, {"start": "a # comment\n"}))
    assert path.read_text().startswith('# mine\n[[site]]\nname = "one"   # kept\n')
    assert list(load_sites(path)) == ["one", "one-2"]
    before = path.read_bytes()
    with pytest.raises(SiteError):
        add_table(path, '[[site]]\nname = "one-2"\n')
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["sites.toml"]


def test_the_proof_escapes_everything_and_marks_what_was_kept() -> None:
    source = article("<b>one").replace("<h1>", "<h1>&lt;script&gt;alert(1)&lt;/script&gt; ")
    page = Page.from_text(source, "https://one.example/a?b=1&c='")
    text = "\n".join(text for text in page.dom.texts if text.endswith("books."))
    record = {
        "url": page.url,
        "title": "T<script>",
        "date": "2025-05-06",
        "text": text,
        "authors": ["Mara <i>"],
        "language": "en",
    }
    one = compared(record, page)
    kept = [text for text, is_kept in one.blocks if is_kept]
    assert len(kept) == 6
    assert one.page.title.startswith("<script>alert(1)")
    html = proof_page(
        "<title>", [("site", "<x>")], [one], [{"url": "javascript:x", "status": "s", "reason": "<r>"}], "<toml>"
    )
    assert "<script" not in html
    assert 'href="javascript:' not in html
    assert html.count("class=kept") == 6
    assert "default-src 'none'" in html


@pytest.mark.crawl
def test_records_the_table_and_the_proof(
    paper: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["try", paper.url(), "--write", "-o", "proof.html"]) == 0
    shown = capsys.readouterr().out
    (site,) = load_sites(tmp_path / "sites.toml").values()
    assert site.feeds == [paper.url("/feed.xml")]
    proof = (tmp_path / "proof.html").read_text()
    assert proof.count("<article>") == 5
    assert sum(headline(path) in proof for path in PATHS) == 5
    assert headline(PATHS[0]).split()[0] in shown
    assert len(paper.hits) <= 20
    assert main(["try", paper.url(), "--write"]) == 0
    assert len(load_sites(tmp_path / "sites.toml")) == 1, "the same site is not added twice"


@pytest.mark.crawl
def test_a_site_without_records_says_which_key_may_help(
    make_server: Callable[..., Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    server = make_server()
    server.put("/", listing(*PATHS))
    for path in PATHS:
        server.put(path, "<html><title>App</title><body><div id=app></div><script src=/app.js></script></body></html>")
    assert main(["try", server.url(), "--write"]) == 3
    assert "# render = true" in capsys.readouterr().out
    assert not (tmp_path / "sites.toml").exists()
