"""What a page says about itself."""

import pytest

from newsextract.fields.page_facts import canonical_url, image, section
from newsextract.page import metadata
from newsextract.page.metadata import attributes, plain, read_metadata, tag_end


def test_head() -> None:
    page = read_metadata(
        "<!doctype html><HTML lang=de-AT><head><title> A &amp; B\n – Site</title>"
        '<META NAME="Author" CONTENT="Jo"><meta content="x > y" property=\'og:title\' />'
        "<meta name=keywords content=a><meta name=keywords content=b>"
        '<link rel="canonical" href="/a?b=1&amp;c=2"><link rel="alternate next" href=/feed>'
        '<link rel=stylesheet href=x.css><meta http-equiv=last-modified content="2019"></head>'
    )
    assert page.title == "A & B – Site"
    assert page.html_lang == "de-AT"
    assert page.meta == {
        "author": ("Jo",),
        "og:title": ("x > y",),
        "keywords": ("a", "b"),
        "last-modified": ("2019",),
    }
    assert page.links == {"canonical": ("/a?b=1&c=2",), "alternate": ("/feed",), "next": ("/feed",)}
    assert page.canonical == "/a?b=1&c=2"


def test_unused_links_are_known_by_their_relation_alone() -> None:
    page = read_metadata(
        '<link rel="shortcut icon" href="/i.png"><link href="/s.css" rel=stylesheet><link rel="apple-touch-icon" href=/a>'
        '<link rel="canonical" href="/silicon-manifesto"><link rel="alternate" href="/preload-feed">'
    )
    assert page.links == {"canonical": ("/silicon-manifesto",), "alternate": ("/preload-feed",)}


def test_plain_and_odd_meta_elements_are_read_alike() -> None:
    page = read_metadata(
        '<meta name="Author" content="Jo &amp; Al"><meta  content="Jo &amp; Al"  name=author><meta name="author" content="">'
        '<Meta property="og:title" content="a > b"/><meta name="x" content="one"two>'
    )
    assert page.meta["author"] == ("Jo & Al", "Jo & Al")
    assert page.meta["og:title"] == ("a > b",)
    assert page.meta["x"] == ("one",)


def test_marks_far_from_the_headline_are_not_read() -> None:
    far = "<p>text</p>" * 5_000
    page = read_metadata(f'<h1>Title</h1><i itemprop="author">Jo Doe</i>{far}<i itemprop="author">Al Roe</i>')
    assert page.properties == {"author": ("Jo Doe",)}
    without = read_metadata(f'<body>{far}<i itemprop="author">Al Roe</i>')
    assert without.properties == {"author": ("Al Roe",)}


def test_comments_and_scripts_are_jumped_over() -> None:
    page = read_metadata(
        '<!-- <meta name=a content=1> --><script>var x = "<meta name=b content=2>"</script><meta name=c content=3>'
    )
    assert page.meta == {"c": ("3",)}


def test_unclosed_comment_and_script_hide_nothing() -> None:
    assert read_metadata("<!-- <meta name=a content=1>").meta == {"a": ("1",)}
    assert read_metadata("<script><meta name=a content=1>").meta == {"a": ("1",)}


def test_missing_quote_does_not_swallow_the_next_tag() -> None:
    page = read_metadata('<meta name="a" content="one><meta name="b" content="two">')
    assert page.meta["b"] == ("two",)


def test_body_metadata() -> None:
    page = read_metadata(
        "<body><h1>The <em>headline</em></h1><p>By Jo</p>"
        '<span itemprop="author" itemscope><span itemprop="name">Jo Doe</span></span>'
        '<meta itemprop="datePublished" content="2019-03-04">'
        '<time class="Post-Date" datetime="2019-03-04T10:00" pubdate>4 March</time><a rel="author" href=/jo>Jo D.</a>'
    )
    assert page.headings == ("The headline",)
    assert page.heading_pieces == (("The", "headline"),)
    assert page.bylines[0].startswith("By Jo")
    assert page.meta == {"datepublished": ("2019-03-04",)}
    assert page.properties["author"] == ("Jo Doe",)
    assert page.author_links == ("Jo D.",)
    (tag,) = page.times
    assert (tag.datetime, tag.text) == ("2019-03-04T10:00", "4 March")
    assert "post-date" in tag.marks
    assert "pubdate" in tag.marks


@pytest.mark.parametrize(
    "script",
    [
        '{"@type": "NewsArticle", "headline": "A"}',
        '[{"@type": "NewsArticle", "headline": "A"}]',
        '{"@graph": [{"@type": "NewsArticle", "headline": "A"}]}',
        '<!-- {"@type": "NewsArticle", "headline": "A"} -->',
        '//<![CDATA[\n{"@type": "NewsArticle", "headline": "A"}\n//]]>',
        '{"@type": "NewsArticle", "headline": "A",}',
        '{"@type": "NewsArticle", "headline": "A", "text": "two\nlines"};',
        '{"@type": "NewsArticle", "headline": "A", "text": "a \\x b"}',
        '{"@type": "Thing"} {"@type": "NewsArticle", "headline": "A"}',
        '{"@type": "NewsArticle", "headline": "A", "text": "said "no" and left"}',
    ],
)
def test_json_ld_is_mended(script: str) -> None:
    assert "A" in [item.get("headline") for item in metadata.read(script)]


def test_json_ld_that_cannot_be_read() -> None:
    assert metadata.read("") == []
    assert metadata.read("[" * 100_000) == []
    assert metadata.read('{"a":' * 100_000) == []
    assert metadata.read('{"a": ' + "9" * 10_000 + "}") == []
    assert len(metadata.read("[" + "{}," * 5_000 + "{}]")) == metadata.MAX_OBJECTS


def test_fished_json_ld_knows_the_author() -> None:
    (item,) = metadata.read('{"datePublished": "2019-03-04", "author": {"name": "J\\u00f6"}, "text": "a "b" c"')
    assert item == {"datePublished": "2019-03-04", "author": {"name": "Jö"}}


def test_markup() -> None:
    assert attributes("<a B='1' c=2 d e=\"x&quot;y\" b=3>") == {"b": "1", "c": "2", "d": "", "e": 'x"y'}
    assert tag_end('<a title="x > y">z', 0) == 17
    assert tag_end("<a title=don't>z", 0) == 15
    assert tag_end("<a", 0) == 2
    assert plain("<b>a</b>&nbsp;<i>b</i> &amp;quot;c&amp;quot;\u200b") == 'a b "c"'


def test_site_facts() -> None:
    page = read_metadata(
        '<meta property="article:section" content="Politik"><meta property="og:image" content="/i.jpg">'
        '<link rel="canonical" href="/a/b">'
    )
    assert section(page) == "Politik"
    assert image(page, "https://news.example/x/y") == "https://news.example/i.jpg"
    assert canonical_url(page, "https://news.example/x") == "https://news.example/a/b"
    assert canonical_url(page, None) is None


def test_site_facts_from_json_ld() -> None:
    page = read_metadata(
        '<script type="application/ld+json">{"@type": "Article", "articleSection": ["World", "Asia"],'
        '"image": [{"@type": "ImageObject", "url": "https://img.example/1.jpg"}]}</script>'
    )
    assert section(page) == "World"
    assert image(page, None) == "https://img.example/1.jpg"


def test_unusable_addresses() -> None:
    front = read_metadata('<link rel="canonical" href="https://news.example/">')
    assert canonical_url(front, "https://news.example/a") is None
    broken = read_metadata('<link rel="canonical" href="http://[x"><meta property="og:image" content="javascript:1">')
    assert canonical_url(broken, "https://news.example/a") is None
    assert image(broken, "https://news.example/a") is None
