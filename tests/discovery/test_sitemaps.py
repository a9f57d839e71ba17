"""Sitemaps, good and bad."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.discovery import feeds, read_sitemap, record_id, sitemaps_from_robots
from newsextract.discovery.feeds import MAX_UNPACKED, SitemapEntry, newest_first, unpack
from tests.costs import at_most
from tests.examples import examples

URL = "https://www.example.com/maps/sitemap.xml"
NEWS = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <!-- <url><loc>https://www.example.com/hidden</loc></url> -->
  <url><image:image><image:loc>https://img.example.com/1.jpg</image:loc><image:title>Picture</image:title></image:image>
    <loc> https://www.example.com/a </loc><lastmod>2025-01-02</lastmod>
    <news:news><news:publication><news:name>Ledger</news:name><news:language>en</news:language></news:publication>
    <news:publication_date>2025-01-01T08:00:00Z</news:publication_date>
    <news:title>Tram &amp; bus</news:title></news:news></url>
  <url><loc>/b?x=1&amp;y=2</loc></url>
</urlset>"""


def test_news_sitemap() -> None:
    found = read_sitemap(NEWS.encode(), URL)
    assert found.entries == (
        SitemapEntry(
            "https://www.example.com/a",
            "2025-01-02",
            "2025-01-01T08:00:00Z",
            "Tram & bus",
            "en",
            None,
            record_id("http://example.com/a"),
        ),
        SitemapEntry("https://www.example.com/b?x=1&y=2", id=record_id("https://www.example.com/b?x=1&y=2")),
    )
    assert found.sitemaps == ()


RSS = """<rss version="2.0"><channel><title>Ledger</title><language>en</language>
<image><url>https://www.example.com/logo.png</url><title>Ledger</title><link>https://www.example.com/</link></image>
<item><title>Bridge</title><link>https://www.example.com/a</link><pubDate>Wed, 01 Jan 2025 08:00:00 GMT</pubDate></item>
<item><title>Tram &amp;amp; bus</title><link>/b</link><pubDate>Thu, 02 Jan 2025 08:00:00 GMT</pubDate></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Ledger</title>
<entry><title>Bridge</title><link href="https://www.example.com/a"/><published>2025-01-01T08:00:00Z</published></entry>
<entry><title>Tram &amp;amp; bus</title><link href="/b"/><published>2025-01-02T08:00:00Z</published></entry></feed>"""


@pytest.mark.parametrize("body", [RSS.encode(), gzip.compress(ATOM.encode())])
def test_a_feed_may_be_a_sitemap(body: bytes) -> None:
    """sitemaps.org allows it, and robots.txt files name feeds in "Sitemap:"."""
    later, earlier = read_sitemap(body, URL).entries
    assert (later.url, later.publication_date) == ("https://www.example.com/b", "2025-01-02T08:00:00+00:00")
    assert (earlier.url, earlier.title, earlier.id) == (
        "https://www.example.com/a",
        "Bridge",
        record_id("http://example.com/a"),
    )
    assert {later.language, earlier.language} <= {"en", None}


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(NEWS.encode()),
        gzip.compress(gzip.compress(NEWS.encode())),
        b"\xef\xbb\xbf" + NEWS.encode(),
        b"\n\n  " + NEWS.encode(),
        NEWS.replace("UTF-8", "UTF-16").encode("utf-16"),
        NEWS.replace("http://www.sitemaps.org/schemas/sitemap/0.9", "http://wrong.example/ns").encode(),
        NEWS.replace(' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"', "").encode(),
        NEWS.replace("x=1&amp;y=2", "x=1&y=2").encode(),
        NEWS.replace("</urlset>", "").encode(),
        NEWS.replace("<?xml", "<!DOCTYPE urlset SYSTEM 'http://e.com/x.dtd'><?xml").encode(),
    ],
    ids=[
        "gzip",
        "gzip twice",
        "bom",
        "blanks",
        "utf-16",
        "wrong namespace",
        "no namespace",
        "bare ampersand",
        "cut",
        "doctype",
    ],
)
def test_odd_forms_read_the_same(body: bytes) -> None:
    assert read_sitemap(body, URL) == read_sitemap(NEWS.encode(), URL)


def test_index_and_plain_text() -> None:
    index = b"<sitemapindex><sitemap><loc>https://e.com/s1.xml.gz</loc><lastmod>2025</lastmod></sitemap></sitemapindex>"
    (nested,) = read_sitemap(index, URL).sitemaps
    assert (nested.url, nested.lastmod) == ("https://e.com/s1.xml.gz", "2025")
    plain = read_sitemap(b"https://e.com/1\r\nhttps://e.com/2\nnonsense\n\nftp://e.com/3", URL)
    assert [entry.url for entry in plain.entries] == ["https://e.com/1", "https://e.com/2"]


def test_an_entry_alone_may_stand_behind_a_comment() -> None:
    body = b"<?xml version='1.0'?><!-- of today --><url><loc>https://a.example/1</loc></url>"
    assert [entry.url for entry in read_sitemap(body, "https://a.example/sitemap.xml").entries] == ["https://a.example/1"]


def test_broken_in_the_middle_keeps_the_rest_before_it() -> None:
    body = (
        "<urlset>" + "".join(f"<url><loc>http://e.com/{i}</loc></url>" for i in range(50)) + "<url><loc>http://e.com/x</lo"
    )
    assert len(read_sitemap(body.encode(), URL).entries) >= 50


def test_entries_come_newest_first_with_normal_urls_and_each_once() -> None:
    rows = [("/b?utm_source=x", "2024-01-01"), ("/a", "2025-01-01"), ("/b", "2023-01-01"), ("/tag/tram/", ""), ("/c", "")]
    body = "".join(f"<url><loc>http://E.com{path}</loc><lastmod>{day}</lastmod></url>" for path, day in rows)
    found = read_sitemap(f"<urlset>{body}</urlset>".encode(), URL).entries
    assert [entry.url for entry in found] == ["http://e.com/a", "http://e.com/b", "http://e.com/tag/tram/", "http://e.com/c"]
    assert [entry.lastmod for entry in found] == ["2025-01-01", "2024-01-01", None, None]
    assert [entry.group is not None for entry in found] == [False, False, True, False]
    assert [entry.id for entry in found] == [record_id(entry.url) for entry in found]


def test_entries_that_are_too_many_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MAX_URLS", 10)
    urls = [f"http://e.com/{n}" for n in range(15)]
    xml = "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>"
    for body in (xml, "\n".join(urls)):
        found = read_sitemap(body.encode(), URL)
        assert [entry.url for entry in found.entries] == urls[:10]
        assert found.left_out == 5


@pytest.mark.parametrize("loc", ["javascript:alert(1)", "file:///etc/passwd", "", "http://[", "x" * 3000])
def test_bad_addresses_are_left_out(loc: str) -> None:
    assert read_sitemap(f"<urlset><url><loc>{loc}</loc></url></urlset>".encode(), URL).entries == ()


def test_newest_first() -> None:
    entries = [
        SitemapEntry("undated"),
        SitemapEntry("old", lastmod="2024"),
        SitemapEntry("published", lastmod="2020-01-01", publication_date="2025-03-01T10:00:00+08:00"),
        SitemapEntry("changed", lastmod="2025-03-01T03:00:00Z"),
        SitemapEntry("nonsense", lastmod="yesterday"),
    ]
    assert [e.url for e in newest_first(entries)] == ["changed", "published", "old", "undated", "nonsense"]


def test_sitemaps_from_robots() -> None:
    text = "\ufeffSitemap: http://e.com/a.xml\nUser-agent: *\n sitemap:http://e.com/b.xml # two\nSitemap: /c.xml\nSITEMAP: http://e.com/a.xml"
    assert sitemaps_from_robots(text) == ["http://e.com/a.xml", "http://e.com/b.xml"]
    assert sitemaps_from_robots(text, "http://e.com/robots.txt")[-1] == "http://e.com/c.xml"
    assert sitemaps_from_robots("Disallow: /sitemap: x\n" * 10) == []


def test_no_entity_is_expanded_and_no_file_read(tmp_path: object) -> None:
    laughs = '<!DOCTYPE z [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(12)
    )
    body = laughs + "]><urlset><url><loc>http://e.com/&m;</loc></url></urlset>"
    with at_most(parses=80):
        for entry in read_sitemap(body.encode(), URL).entries:
            assert len(entry.url) < 100
    outside = '<!DOCTYPE z [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://e.com/&x;</loc></url></urlset>'
    assert all("root" not in entry.url for entry in read_sitemap(outside.encode(), URL).entries)


def test_gzip_bomb_is_cut() -> None:
    bomb = gzip.compress(gzip.compress(b"<" * 80_000_000, 9), 9)
    assert len(bomb) < 10_000
    with at_most(parses=400):
        assert len(unpack(bomb)) == MAX_UNPACKED
    assert unpack(bomb, 1000) == b"" or len(unpack(bomb, 1000)) <= 1000


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["<", "<url>", "<url><loc>", "&", "<!--", "<![CDATA[", "<!DOCTYPE [", "]", "<a href=", "http://", "&a"]
)
def test_hostile_repetition_is_cheap(piece: str) -> None:
    body = ("<urlset>" + piece * (300_000 // len(piece))).encode()
    with at_most(parses=200):
        read_sitemap(body, URL)


@settings(max_examples=examples(150))
@given(st.binary(max_size=300) | st.text(alphabet="<>/!&;[]'\"=urlsetloc:. \n", max_size=200).map(str.encode))
def test_arbitrary_bytes_never_raise(body: bytes) -> None:
    read_sitemap(body, URL)
    read_sitemap(b"\x1f\x8b" + body, URL)
    read_sitemap(b"<urlset><url><loc>http://e.com/" + body, "no address")
