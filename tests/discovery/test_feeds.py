"""Feeds, good and bad."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.discovery import read_feed
from newsextract.discovery.feeds import MAX_BYTES, MAX_CONTENT
from tests.costs import at_most
from tests.examples import examples

URL = "https://www.example.com/feeds/all.xml"
RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>Ledger</title><language>en-gb</language>
<item><title>Tram &amp; bus</title><link>/news/1</link><pubDate>Wed, 08 Jan 2025 18:40:00 +0800</pubDate>
<description>&lt;p&gt;Words&lt;/p&gt;</description></item>
<item><title>Only a guid</title><guid isPermaLink="true">https://www.example.com/news/2</guid></item>
<item><title>No address</title></item></channel></rss>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>t</title></channel>
<item rdf:about="https://e.com/1"><title>One</title><link>https://e.com/1</link><dc:date>2025-01-02T03:04:05Z</dc:date></item></rdf:RDF>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="zh"><title>t</title><entry><title>标题</title>
<link rel="alternate" href="https://e.com/zh/1"/><id>tag:e.com,2025:1</id><published>2025-02-03T04:05:06+08:00</published>
<updated>2025-03-01T00:00:00Z</updated><summary>摘要</summary><author><name>Li</name></author></entry></feed>"""


def test_rss() -> None:
    first, second = read_feed(RSS.encode(), URL)
    assert (first.url, first.title, first.date) == (
        "https://www.example.com/news/1",
        "Tram & bus",
        "2025-01-08T10:40:00+00:00",
    )
    assert first.language == "en-gb"
    assert "Words" in (first.summary or "")
    assert (second.url, second.date) == ("https://www.example.com/news/2", None)


def test_rdf_and_atom() -> None:
    (one,) = read_feed(RDF.encode(), URL)
    assert (one.url, one.date) == ("https://e.com/1", "2025-01-02T03:04:05+00:00")
    (two,) = read_feed(ATOM.encode(), URL)
    assert (two.url, two.title, two.date) == ("https://e.com/zh/1", "标题", "2025-02-02T20:05:06+00:00")
    assert (two.summary, two.author) == ("摘要", "Li")


def test_json_feed() -> None:
    items = [{"url": "/1", "title": "One", "date_published": "2025-01-01"}, {"id": "https://e.com/2"}, {"url": 7}, "x"]
    body = json.dumps({"version": "https://jsonfeed.org/version/1.1", "language": "de", "items": items}).encode()
    one, two = read_feed(b"\xef\xbb\xbf" + body, "https://e.com/feed.json")
    assert (one.url, one.title, one.date, one.language) == ("https://e.com/1", "One", "2025-01-01", "de")
    assert two.url == "https://e.com/2"


def test_whole_texts_of_entries_are_kept_up_to_a_length() -> None:
    whole, long = "<p>The council votes &amp; the bridge stays.</p>", "x" * (MAX_CONTENT + 1)
    rss = RSS.replace("<rss", '<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"', 1)
    for text, expected in ((whole, whole), (long, None)):
        written = rss.replace("</item>", f"<content:encoded><![CDATA[{text}]]></content:encoded></item>", 1)
        assert [entry.content for entry in read_feed(written.encode(), URL)] == [expected, None]
    plain = ATOM.replace("<summary>", "<content>1 &lt; 2</content><summary>")
    assert [entry.content for entry in read_feed(plain.encode(), URL)] == ["<p>1 &lt; 2</p>"]
    items = [
        {"url": "/1", "content_html": whole},
        {"url": "/2", "content_text": "One\nTwo"},
        {"url": "/3", "content_html": 5},
    ]
    found = read_feed(json.dumps({"items": items}).encode(), "https://e.com/feed.json")
    assert [entry.content for entry in found] == [whole, "<p>One</p><p>Two</p>", None]


@pytest.mark.parametrize("body", [b"{", b'{"items": 3}', b"{" * 100_000, b'{"items":' + b"[" * 100_000, b"", b"hello",
                                  b"<rss><channel><item><gml:posList>1 1</gml:posList></item></channel></rss>"])  # fmt: skip
def test_what_is_no_feed_gives_nothing(body: bytes) -> None:
    assert read_feed(body, URL) == ()


def test_broken_feed_keeps_what_can_be_read() -> None:
    assert [entry.url for entry in read_feed(RSS[:330].encode(), URL)][:1] == ["https://www.example.com/news/1"]
    assert len(read_feed(RSS.replace("&amp;", "&").encode(), URL)) == 2


def test_body_is_never_taken_for_a_path_or_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    file = tmp_path / "<feed.xml"
    file.write_text(RSS)
    for body in (str(file), file.as_uri(), "http://127.0.0.1:1/<feed", "feed://127.0.0.1/<"):
        assert read_feed(body.encode(), URL) == ()


def test_entities_are_not_expanded() -> None:
    entities = '<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY f SYSTEM "file:///etc/passwd">'
    entities += "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(12))
    body = RSS.replace('<?xml version="1.0"?>', entities + "]>").replace("Only a guid", "&m; &f;")
    with at_most(parses=80):
        found = read_feed(body.encode(), URL)
    assert all(len(entry.title or "") < 200 and "root:" not in (entry.title or "") for entry in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["<", "<a href=", "<item>", "&", "<![CDATA[", "<!--", "<!DOCTYPE [", "]]>", "<?", "<b><i>", "&#"]
)
def test_hostile_repetition_is_bounded(piece: str) -> None:
    body = ("<rss><channel><item><title>" + piece * (150_000 // len(piece))).encode()
    with at_most(parses=400):
        read_feed(body, URL)


def test_only_so_many_bytes_are_read() -> None:
    item = "<item><title>x</title><link>https://e.com/1</link><description>" + "y" * 100_000 + "</description></item>"
    body = ("<rss><channel>" + item * (2 * MAX_BYTES // len(item))).encode()
    assert 0 < len(read_feed(body, URL)) <= MAX_BYTES // 100_000


@settings(max_examples=examples(80))
@given(st.binary(max_size=200) | st.text(alphabet="<>/!&;[]{}'\"=rsitemlnk:,. \n", max_size=150).map(str.encode))
def test_arbitrary_bytes_never_raise(body: bytes) -> None:
    read_feed(body, URL)
    read_feed(b"<rss><channel><item><link>" + body, "no address")


def test_entries_that_are_linked_through_a_counter_have_their_own_urls() -> None:
    link = "https://gull.example/out?u=https%3A%2F%2Fwww.gull.example%2Ffog.html&amp;src=rss"
    body = f"<rss><channel><item><title>Fog</title><link>{link}</link></item></channel></rss>".encode()
    assert [entry.url for entry in read_feed(body, "https://gull.example/feed")] == ["https://www.gull.example/fog.html"]
