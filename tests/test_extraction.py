"""extract(): any page gives an article, whose status and reason say what it is."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from newsextract import Article, Hints, Page, extract
from newsextract.errors import ParameterError, UnknownAlgorithm
from newsextract.page.page import MAX_BYTES
from tests.costs import at_most

STORY = (Path(__file__).parent / "pages" / "story_en.html").read_bytes()


def test_bytes_text_and_page_give_the_same() -> None:
    url = "https://post.example/2024/09/18/ferry.html"
    at = datetime(2024, 9, 19, tzinfo=UTC)
    from_page = extract(Page(STORY, url, fetched_at=at))
    assert extract(STORY, url) == extract(STORY.decode(), url) == from_page


def test_all_of_an_article() -> None:
    article = extract(STORY, "https://post.example/ferry.html")
    assert article.status == "ok"
    assert article.title == "Ferry timetable changes in October"
    assert article.date == "2024-09-18T07:45"
    assert article.authors == ("Ida Marsh",)
    assert article.language == "en"
    assert article.url == "https://post.example/ferry.html"
    assert article.algorithm == "combined"
    assert article.title_source is not None
    assert article.date_source is not None
    assert article.date_source.precision == "minute"
    assert "“a crossing that nobody has to plan”" in article.text
    assert article.reason is None


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (b"", "empty", "the page has no content"),
        (b" \n\t", "empty", "the page has no content"),
        (b"<html></html>", "empty", "the page has no text"),
        (b"\x00\x01\x02\x03" * 100, "not_html", "binary"),
        (random.Random(1).randbytes(20_000).replace(b"%", b"<p>"), "not_html", "binary"),
        (b"<" + random.Random(2).randbytes(20_000), "not_html", "binary"),
        (b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj", "not_html", "not a web page"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, "not_html", "begins with"),
        (b"\xff\xd8\xff\xe0" + b"<" * 50 + bytes(100), "not_html", "not a web page"),
        (b"GIF89a<p>", "not_html", "not a web page"),
        (b"PK\x03\x04<p>", "not_html", "not a web page"),
        (b"\x1f\x8b\x08<p>", "not_html", "not a web page"),
        (b'\xef\xbb\xbf {"title": "A title", "body": "<p>A text of some length.</p>"}\n', "not_html", "JSON"),
        (b'[{"title": "A title"}]', "not_html", "JSON"),
        (b"https://example.org/news/1", "not_html", "URL"),
        (b"saved/page.html\n", "not_html", "name"),
        (b"x" * (MAX_BYTES + 1), "too_large", "10,000,001 bytes; the limit is 10,000,000"),
    ],
    ids=[
        "none",
        "white space",
        "no text",
        "binary",
        "random",
        "random with a tag",
        "pdf",
        "png",
        "jpeg",
        "gif",
        "zip",
        "gzip",
        "json object",
        "json array",
        "url",
        "file name",
        "large",
    ],
)
def test_what_is_no_article(body: bytes, status: str, reason: str) -> None:
    article = extract(body, "https://example.org/x")
    assert article.status == status
    assert reason in (article.reason or "")
    assert (article.text, article.confidence, article.authors) == ("", 0.0, ())
    assert article.url == "https://example.org/x"


@pytest.mark.slow
def test_the_largest_page_that_is_taken() -> None:
    paragraph = b"<p>A sentence of a page with about eighty letters, then a second part of it.</p>\n"
    body = (paragraph * (MAX_BYTES // len(paragraph) + 1))[:MAX_BYTES]
    with at_most(parses=250):
        assert extract(body).status == "ok"


def test_a_page_of_plain_words() -> None:
    assert extract("just a few words of text").text == "just a few words of text"
    assert extract("[a few words in brackets]").text == "[a few words in brackets]"
    assert extract("[" * 100_000 + "]" * 100_000).status != "failed"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_not_binary(encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    article = extract(mark + STORY.decode().encode(encoding))
    assert article.title == "Ferry timetable changes in October"


def test_mistakes_of_the_caller_are_exceptions_whatever_the_page() -> None:
    with pytest.raises(UnknownAlgorithm):
        extract(b"", algorithm="no_such")
    with pytest.raises(ParameterError):
        extract(b"", params={"no_such": 1})
    wrong: Any = "precision"
    with pytest.raises(ParameterError):
        extract(b"", params=wrong)
    with pytest.raises(TypeError):
        extract(Path(__file__))  # type: ignore[arg-type]


def test_hints_fill_what_the_page_does_not_say() -> None:
    body = b"<p>A text of some length that says neither when it was written nor what it is called.</p>" * 3
    hints = Hints(title="From the feed", date="2024-05-01", source="feed", language="en")
    article = extract(Page(body, hints=hints, fetched_at=datetime(2024, 6, 1, tzinfo=UTC)))
    assert article.title == "From the feed"
    assert article.date == "2024-05-01"
    assert article.date_source is not None
    assert article.date_source.source == "feed"
    assert article.language == "en"


def test_a_headline_that_opens_the_text_is_not_repeated() -> None:
    article = extract(STORY)
    assert isinstance(article, Article)
    assert article.text.split("\n")[0] != article.title


def test_a_headline_below_a_kicker_is_not_repeated_either() -> None:
    story = "<p>The ferry to the northern islands left the harbour on Monday, two days late, with a band on board.</p>"
    page = Page.from_text(f"<title>Ferry sails</title><p>Late, but afloat:<h1>FERRY SAILS</h1>{story * 3}")
    article = extract(page, algorithm="text_density", params={"preset": "published"})
    assert article.text.startswith("Late, but afloat:\nThe ferry to the northern islands")
    assert article.blocks is not None
    assert page.dom.text(article.blocks) == article.text


def test_a_text_that_is_nothing_but_its_headline_is_kept() -> None:
    article = extract("<title>Ferry sails</title><p>Ferry sails</p>")
    assert article.text == "Ferry sails"


@pytest.mark.parametrize("url", [None, "", "x", "http://[::1", "https://example.org:bad/", "javascript:void(0)", "\ud800"])
def test_odd_addresses_do_not_matter(url: str | None) -> None:
    assert extract(STORY, url).status == "ok"


@pytest.mark.parametrize("given", [None, Path("page.html"), 7])
def test_what_cannot_be_a_page_is_named(given: object) -> None:
    with pytest.raises(TypeError, match=type(given).__name__):
        extract(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [None, "sitemap", "feed", "listing"])
def test_the_line_of_date_and_author_is_left_out_where_a_site_vouches_for_a_post_that_looks_like_a_list(
    source: str | None,
) -> None:
    links = "".join(f'<li><a href="/p/{n}">What the keeper of lamp {n} saw from the tower</a></li>' for n in range(30))
    post = "<h2>Two boats</h2><div>Posted on 16 July 2026 by Ida Marsh</div><p>Two boats came in, and one of them left.</p>"
    html = f"<html><head><title>Two boats</title></head><body>{post}<h3>All posts</h3><ul>{links}</ul></body></html>"
    article = extract(Page(html.encode(), "https://notes.example/p/boats", hints=Hints(source=source)))
    assert article.is_article is False
    assert ("Posted on" in article.text) is (source is None)
