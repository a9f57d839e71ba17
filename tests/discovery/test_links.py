"""Links, pagination, refresh."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from w3lib.url import safe_url_string

from newsextract.discovery.links import meta_refresh, neighbours, read_links
from newsextract.discovery.pagination import (
    article_parts,
    counted_up,
    has_more_button,
    next_page,
    says_next,
    step,
    written_next_page,
)
from newsextract.page.page import Page
from newsextract.page.references import References, as_written

HOST = "http://www.example.com"


def page(body: str, url: str | None = HOST + "/news/", head: str = "") -> Page:
    return Page.from_text(f"<html><head>{head}</head><body>{body}</body></html>", url)


def urls(found: Page, base: str | None = None) -> list[str]:
    return [link.url for link in read_links(found, base)]


def test_resolving() -> None:
    body = """<a href="a.html">1</a><a href="/b">2</a><a href="//other.example/c">3</a><a href="?x=1">4</a>
    <a href="http://e.com/d?utm_source=1#top">5</a><a href="../up">6</a><a href="a&amp;b?c=1&amp;d=2">7</a>"""
    assert urls(page(body, HOST + "/x/y")) == [
        HOST + "/x/a.html", HOST + "/b", "http://other.example/c", HOST + "/x/y?x=1", "http://e.com/d", HOST + "/up",
        HOST + "/x/a&b?c=1&d=2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "base",
    [
        '<base href="/deep/">', "<BASE HREF=/deep/>", '<base target="_top" href="http://www.example.com/deep/">',
        '<base\nhref="/deep/">',
    ],
)  # fmt: skip
def test_base_element(base: str) -> None:
    assert urls(page('<a href="a">1</a>', HOST + "/x/y", base)) == [HOST + "/deep/a"]


def test_base_argument_and_page_without_address() -> None:
    assert urls(page('<a href="a">1</a>', None), HOST + "/z/") == [HOST + "/z/a"]
    assert urls(page('<a href="http://e.com/a">1</a>', None)) == ["http://e.com/a"]


def test_what_is_no_link_is_dropped() -> None:
    hrefs = [
        "#",
        "#part",
        "javascript:void(0)",
        "mailto:a@b.c",
        "tel:1",
        "data:text/html,x",
        "",
        "photo.jpg",
        "/login",
        "?sort=up",
        "/news/",
    ]
    assert urls(page("".join(f'<a href="{href}">x</a>' for href in hrefs))) == []


def test_best_anchor_text_wins_and_rel_is_kept() -> None:
    body = """<a href="/a"></a><a href="/a?utm_source=rss">The whole headline of the story</a><a href="/a">more</a>
    <a rel="nofollow ugc" href="/b">sponsor</a>"""
    first, second = read_links(page(body))
    assert (first.url, first.text, first.nofollow) == (HOST + "/a", "The whole headline of the story", False)
    assert (second.rel, second.nofollow) == ("nofollow ugc", True)


def test_short_and_trackback_urls_of_a_page_are_not_followed() -> None:
    body = """<a href="/2026/10/tides/">Tides</a> <a href="/N/" rel="shortlink">/N/</a> <a href="/trackback/23/" rel="nofollow trackback">x</a>"""
    assert [link.url for link in read_links(page(body))] == [HOST + "/2026/10/tides/"]


@pytest.mark.parametrize("headline", ['<b><a rel="bookmark" href="/a">Tides</a></b>', '<h2><a href="/a">Tides</a></h2>'])
def test_a_link_that_is_a_bookmark_or_a_headline_elsewhere_leads_to_no_archive(headline: str) -> None:
    body = f"""{headline}<a rel="tag" href="/a">Read more about Tides</a>
    <a rel="tag" href="/boats">Boats</a><h2><a rel="category" href="/sea">Sea</a></h2>"""
    found = {link.url: link.to_archive for link in read_links(page(body))}
    assert found == {HOST + "/a": False, HOST + "/boats": True, HOST + "/sea": True}


def test_score_prefers_articles() -> None:
    body = """<a href="/sport/">Sport</a><a href="/about-us">About us</a>
    <a href="/2025/05/12/boat-sinks-in-calm-bay">Boat sinks</a>
    <a href="/story-88213.html">Old ferry finds a new home at the pier</a>
    <a href="/x">The ferry that nobody wanted to buy sails again</a>"""
    by_url = {link.url.removeprefix(HOST): link.score for link in read_links(page(body))}
    assert max(by_url["/sport/"], by_url["/about-us"]) < min(by_url["/2025/05/12/boat-sinks-in-calm-bay"], by_url["/x"])
    assert by_url["/story-88213.html"] > by_url["/x"]
    by_url = {link.url: link.score for link in read_links(page(body))}
    assert all(0 <= score <= 1 for score in by_url.values())


@pytest.mark.parametrize(
    ("here", "href", "text"),
    [
        ("/news/", "/news/page/2/", "Next »"),
        ("/news/page/2/", "/news/page/3/", "Older posts"),
        ("/zh/news/index.html", "index_2.html", "下一页"),
        ("/zh/news/index_2.html", "index_3.html", "下一頁>"),
        ("/ja/list?page=1", "/ja/list?page=2", "次へ"),
        ("/ko/list?page=9", "?page=10", "다음"),
        ("/liste?p=1&amp;r=3", "/liste?p=2&amp;r=3", "Weiter"),
        ("/actu", "/actu/page/2", "Suivant ›"),
        ("/list?start=20", "/list?start=40", "&gt;&gt;"),
        ("/list", "/list?cursor=ab12", "older"),
        ("/news/", "/news/page/2/", "2"),
    ],
)
def test_next_page(here: str, href: str, text: str) -> None:
    found = page(
        f'<a href="/news/page/1/">1</a><a href="/news/page/7/">7</a><a href="{href}">{text}</a>',
        HOST + here.replace("&amp;", "&"),
    )
    following = next_page(found)
    assert following in urls(page(f'<a href="{href}">x</a>', found.url))


@pytest.mark.parametrize(
    ("here", "body"),
    [
        ("/news/page/3/", '<a href="/news/page/2/">next</a>'),
        ("/news/", '<a href="/sport/big-match.html">next</a>'),
        ("/news/", '<a href="http://other.example/news/page/2/">Next</a>'),
        ("/news/", '<a href="/news/page/5/">5</a>'),
        ("/news/", "<a href='#'>next</a><a href='javascript:next()'>2</a>"),
        ("/news/2024/", "<a href='/news/2025/'>What the next year brings</a>"),
    ],
)
def test_no_next_page(here: str, body: str) -> None:
    assert next_page(page(body, HOST + here)) is None


@pytest.mark.parametrize(
    ("here", "href", "written"),
    [
        ("/s?q=a", "/s?q=a&amp;from=10", "/s?q=a&from=10"),
        ("/s?q=a&from=10", "/s?q=a&amp;from=20&amp;sid=9f&amp;utm_source=x#hits", "/s?q=a&from=20&sid=9f&utm_source=x"),
        ("/s?sort=date&q=a", "?sort=date&amp;q=a&amp;page=2", "/s?sort=date&q=a&page=2"),
        ("/s?z=1&a=2", "?z=1&amp;a=2&amp;page=2", "/s?z=1&a=2&page=2"),
        ("/list/", "/list/page/2/?ref=pager", "/list/page/2/?ref=pager"),
    ],
)
def test_the_next_page_as_it_is_written(here: str, href: str, written: str) -> None:
    found = page(f'<a href="#top">next</a><a href="{here}">1</a><a href="{href}">Next</a>', HOST + here)
    assert written_next_page(found) == HOST + written


@pytest.mark.parametrize(
    ("here", "href", "is_next"),
    [
        ("/page/3/", "/page/4/", True),
        ("/", "/page/2/", True),
        ("/news?page=1", "/news?page=2", True),
        ("/page/3/", "/page/2/", False),
        ("/page/3/", "/page/9/", False),
        ("/3/", "/4/", False),
        ("/story-3.html", "/story-4.html", False),
    ],
)
def test_an_icon_leads_to_the_next_page_where_the_address_counts_pages(here: str, href: str, is_next: bool) -> None:
    found = next_page(page(f'<a href="{href}"><i class="icon chevron"></i></a>', HOST + here))
    assert (found is not None) is is_next


def test_a_numbered_pager_whose_parameters_stand_in_another_order() -> None:
    found = page('<a href="/s?page=2&amp;q=a&amp;ref=pager">2</a>', HOST + "/s?q=a&page=1")
    assert written_next_page(found) == HOST + "/s?page=2&q=a&ref=pager"


def test_no_next_page_as_it_is_written() -> None:
    assert written_next_page(page('<a href="/s?q=a&amp;page=2">next</a>', HOST + "/s?q=a&page=3")) is None
    assert written_next_page(page('<a href="http://other.example/s?q=a&amp;page=4">4</a>', HOST + "/s?q=a&page=3")) is None
    assert written_next_page(page('<a href="/s?page=2">next</a>', None)) is None


@given(st.text() | st.text(alphabet="htps:/?#[]@.a%\\ \x00\t").map("http://".__add__))
def test_any_text_as_it_is_written(text: str) -> None:
    found = as_written(text)
    assert found is None or ("#" not in found and found.startswith(("http://", "https://")))
    if found is not None:
        safe_url_string(found)  # what Scrapy does first


@pytest.mark.parametrize(
    "url", ["http://e.example:99999/", "http://e.example:a/", "http://e x.example/", "ftp://e.example/"]
)
def test_what_is_no_address_is_not_written(url: str) -> None:
    assert as_written(url) is None


def test_rel_next() -> None:
    head = '<link rel="next" href="/news/page/2/">'
    assert next_page(page("", HOST + "/news/", head)) == HOST + "/news/page/2/"
    assert next_page(page('<a rel="next" href="/news/page/2/">go on</a>', HOST + "/news/")) == HOST + "/news/page/2/"


@pytest.mark.parametrize(
    ("here", "hrefs"),
    [
        ("/2025/x.html", ["x-2.html", "x-3.html"]),
        ("/zh/content_11460.html", ["content_11460_2.html", "content_11460_3.html"]),
        ("/miasto/most,0.html", ["most,0,2.html", "most,0,3.html"]),
        ("/a/story", ["?page=2", "?page=3"]),
        ("/a/story/", ["/a/story/2/", "/a/story/3/"]),
        ("/a/story.html?page=1", ["/a/story.html?page=2", "/a/story.html?page=3"]),
    ],
)
def test_article_parts(here: str, hrefs: list[str]) -> None:
    pager = (
        "1 "
        + " ".join(f'<a href="{href}">{i}</a>' for i, href in enumerate(hrefs, 2))
        + f' <a href="{hrefs[0]}">next page</a>'
    )
    expected = urls(page(pager, HOST + here))
    assert len(expected) == 2
    assert article_parts(page(pager, HOST + here)) == expected


@pytest.mark.parametrize("label", ["Weiterlesen auf Seite 2", "Continue on page 2 »", "Página 2"])
def test_the_next_part_may_be_named_within_a_label(label: str) -> None:
    def parts(text: str) -> list[str]:
        return article_parts(
            page(f'<a href="/a/story/2/">{text}</a> <a href="/a/story/all/">All on one page</a>', HOST + "/a/story/")
        )

    assert parts(label) == [HOST + "/a/story/2/"]
    assert parts(label.replace("2", "3")) == parts("Tides of 2") == []


PAGERS = [
    ("/a/story", "/a/story?ipg={}"),
    ("/a/story.html", "/a/story.html?s={}"),
    ("/a/story?lang=en", "/a/story?lang=en&amp;blatt={}"),
    ("/a/story.html", "/a/story.html?full=no&amp;blatt={}"),
    ("/a/story.html", "/a/story-p{}.html"),
    ("/a/story.html", "/a/story.{}.html"),
    ("/a/7,114,story.html", "/a/7,114,story,,{}.html"),
    ("/a/story/", "/a/story/part{}/"),
    ("/a/story", "/a/story;page={}"),
    ("/a/story;page=1", "/a/story;page={}"),
]


@pytest.mark.parametrize(("first", "later"), PAGERS)
def test_a_row_of_numbers_is_a_pager_whatever_its_urls_count_by(first: str, later: str) -> None:
    def row(own: int, last: int = 4) -> Page:
        hrefs = {number: first if number == 1 else later.format(number) for number in range(1, last + 1)}
        numbers = [f"<b>{n}</b>" if n == own else f'<a href="{href}">{n}</a>' for n, href in hrefs.items()]
        here = HOST + hrefs[own].replace("&amp;", "&")
        return page(f"<p>The tide came in at seven.</p><p>Page: {' | '.join(numbers)} <a href=/>Home</a></p>", here)

    expected = urls(page("".join(f'<a href="{later.format(number)}">x</a>' for number in (2, 3, 4)), HOST + first))
    assert article_parts(row(1)) == expected
    assert next_page(row(1)) == article_parts(row(1, 2))[0] == expected[0]
    assert article_parts(row(2)) == expected[1:]
    assert next_page(row(2)) == expected[1]
    assert article_parts(row(4)) == []
    assert next_page(row(4)) is None


@pytest.mark.parametrize(
    ("first", "later", "size", "base"),
    [
        ("/tides-t7.html", "/tides-t7-{}.html", 15, 0),
        ("/t7-tides", "/t7p{}-tides", 20, 0),
        ("/i.php?topic=7", "/i.php?st={}&amp;topic=7", 20, 0),
        ("/list/7.page", "/list/{}/7.page", 15, 0),
        ("/m.asp?msg=7.1", "/m.asp?msg=7.{}", 10, 1),
        ("/topics/7/tides", "/topics/7/{}/tides", 1, 1),
        ("/node/7", "/node/7?page={}", 1, 0),
    ],
)
def test_a_row_of_numbers_may_count_entries(first: str, later: str, size: int, base: int) -> None:
    def row(own: int, last: int = 4) -> Page:
        hrefs = {n: first if n == 1 else later.format(base + (n - 1) * size) for n in range(1, last + 1)}
        numbers = [f"<b>{n}</b>" if n == own else f'<a href="{href}">{n}</a>' for n, href in hrefs.items()]
        here = HOST + hrefs[own].replace("&amp;", "&")
        return page(f"<p>The tide came in at seven.</p><p>{' '.join(numbers)}</p>", here)

    expected = [HOST + later.format(base + n * size).replace("&amp;", "&") for n in (1, 2, 3)]
    assert [next_page(row(own)) for own in (1, 2, 3, 4)] == [*expected, None]
    assert size == 1 or not article_parts(row(1)), "articles have no pages of so many entries"
    if size != 10:  # of two pages, whose number is nowhere
        assert next_page(row(1, 2)) == expected[0]


def test_a_row_of_numbers_may_begin_within_a_text() -> None:
    assert article_parts(page('<p>Page 1 <a href="?ipg=2">2</a></p>', HOST + "/x")) == [HOST + "/x?ipg=2"]


@pytest.mark.parametrize(
    ("here", "row"),
    [
        ("/days?month=11", "1 2 3 <a href='?month=11&amp;tide=4'>4</a> 5 6 <a href='?month=11&amp;tide=7'>7</a>"),
        ("/days", "1 " + " ".join(f"<a href='?tide={day}'>{day}</a>" for day in range(2, 31))),
        ("/days", "26 <a href='?tide=27'>27</a> <a href='?tide=28'>28</a>"),
        ("/days", "1 <a href='?day=2'>2</a> <a href='?day=3'>3</a>"),
        ("/years?y=2024", "2024 <a href='?y=2025'>2025</a> <a href='?y=2026'>2026</a>"),
        ("/x?newsid=7", "7 <a href='?newsid=8'>8</a> <a href='?newsid=9'>9</a>"),
        ("/x", " ".join(f"<a href='?stars={number}'>{number}</a>" for number in range(1, 6))),
        ("/x", "10 <a href='?size=20'>20</a> <a href='?size=50'>50</a>"),
        ("/x", "1 <a href='?ipg=2'>2</a> <a href='/other?ipg=3'>3</a>"),
        ("/x", "1 <a href='http://other.example/x?ipg=2'>2</a>"),
        ("/x", "1 <a href='/x-story-of-2'>2</a>"),
        ("/x", "1 like <a href='?comments=2'>2</a> comments"),
        ("/x", "3 <a href='?ipg=2'>2</a>"),
        ("/story-7.html?s=1", "1 <a href='/story-8.html?s=2'>2</a>"),
        ("/story-t7", "1 <a href='/story-t715'>2</a> <a href='/story-t730'>3</a>"),
        ("/x", "1 <a href='/x-15'>2</a> <a href='/x-31'>3</a>"),
        ("/x", "1 <a href='/x-17'>2</a>"),
        ("/x", "1 <a href='/x?id=15'>2</a> <a href='/x?id=30'>3</a>"),
        ("/x/5/y/1", "1 <a href='/x/6/y/15'>2</a> <a href='/x/7/y/30'>3</a>"),
    ],
)
def test_other_rows_of_numbers_are_no_pagers(here: str, row: str) -> None:
    found = page(f"<p>The tide came in at seven.</p><p>{row}</p>", HOST + here)
    assert article_parts(found) == []
    assert next_page(found) is None


def test_parts_from_the_middle_and_with_gaps() -> None:
    pager = '<a href="x.html">1</a> 2 <a href="x-3.html">3</a> <a href="x-5.html">5</a>'
    assert article_parts(page(pager, HOST + "/x-2.html")) == [HOST + "/x-3.html"]
    assert article_parts(page('<a href="x-2.html">Next</a>', HOST + "/x.html")) == [HOST + "/x-2.html"]


@pytest.mark.parametrize(
    "pager",
    [
        '<a rel="next" href="/2025/05/13/another-story.html">Next</a>',
        '<a href="/2025/05/13/another-story-2.html">2</a>',
        '<a href="/2025/05/12/x-7.html">comments</a>',
        '<a href="http://www.example.com/2025/05/12/x-200.html">next</a>',
    ],
)
def test_another_article_is_no_part(pager: str) -> None:
    assert article_parts(page(pager, HOST + "/2025/05/12/x.html")) == []
    assert article_parts(page('<a href="/story-124.html">next</a>', HOST + "/story-123.html")) == []


def test_step_and_words() -> None:
    assert step("http://e.com/a", "http://e.com/a?page=2") == (1, 2)
    assert step("http://e.com/a/index_3.html", "http://e.com/a/index_4.html") == (3, 4)
    assert step("http://e.com/blog", "http://e.com/blog/page:2") == (1, 2)
    assert step("http://e.com/a", "http://e.com/b?page=2") is None
    assert says_next(" NEXT → ")
    assert not says_next("next week in sport")


@pytest.mark.parametrize("content", ["0; url=/new", "5;URL='/new'", "0,/new", "2 ; url = http://www.example.com/new"])
def test_meta_refresh(content: str) -> None:
    assert meta_refresh(page("", HOST + "/old", f'<meta http-equiv="Refresh" content="{content}">')) == HOST + "/new"


@pytest.mark.parametrize("content", ["600", "600; url=/new", "0; url=/old", "0; url=javascript:x()", "x; url=/new"])
def test_no_meta_refresh(content: str) -> None:
    assert meta_refresh(page("", HOST + "/old", f'<meta http-equiv="refresh" content="{content}">')) is None


def test_a_page_that_is_one_frame_sends_its_reader_there() -> None:
    def sent(body: str) -> str | None:
        return meta_refresh(page(body, HOST + "/jane/123", ""))

    assert sent('<iframe src="/view?blog=jane&amp;no=123"></iframe>') == HOST + "/view?blog=jane&no=123"
    assert sent('<iframe src="/view?no=123"></iframe><p>The ferry came in late.</p>') is None
    assert sent('<iframe src="/a"></iframe><iframe src="/b"></iframe>') is None
    assert sent('<iframe src="https://other.example/view"></iframe>') is None


def test_refresh_for_browsers_without_scripts_does_not_count() -> None:
    head = '<noscript><meta http-equiv="refresh" content="0; url=/nojs"></noscript>'
    assert meta_refresh(page("", HOST + "/old", head)) is None


@pytest.mark.parametrize(
    ("here", "body", "expected"),
    [
        ("/", '<button data-url="/?page=2">More</button>', "/?page=2"),
        ("/?page=2&x=1", '<div hx-get="/?page=3&amp;x=1" hx-trigger="revealed">…</div>', "/?page=3&x=1"),
        ("/", '<button data-next-url="/latest?page=2">Show more</button>', "/latest?page=2"),
        ("/latest?page=2", '<button data-next-url="/latest?page=3">Show more</button>', "/latest?page=3"),
        ("/blog/", '<a href="/blog/page/2/">Load more recipes</a>', "/blog/page/2/"),
        ("/blog/", '<a href="/blog/page/3/">Load more recipes</a>', None),
        ("/", '<a href="/?p=2">Sample page</a>', None),
        ("/", '<button data-endpoint="/api/list?page=2">More</button>', None),
        ("/", '<button data-url="http://other.example/?page=2">More</button>', None),
        ("/", '<button data-url="/api/more?offset=6" data-target="#list">Load more</button>', "/api/more?offset=6"),
        ("/", '<div class="load-more" data-href="/teil/zwei"><i></i></div>', "/teil/zwei"),
        ("/", '<button data-url="/teil/{page}">Mehr laden</button>', None),
        ("/", '<button data-url="/sport/">Sport</button><button>Mehr laden</button>', None),
        ("/sport/", "<script>createPageHTML(9, 0, 'index', 'html');</script>", "/sport/index_1.html"),
        ("/sport/", "<script>createPageHTML('pages', 9, 1,'index','shtml',300);</script>", "/sport/index_2.shtml"),
        ("/sport/index_8.html", "<script>createPageHTML(9, 8, 'index', 'html');</script>", None),
    ],
)
def test_the_next_page_that_a_script_would_load(here: str, body: str, expected: str | None) -> None:
    assert next_page(page(body, HOST + here)) == (expected and HOST + expected)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/?page=9&x=1", "/?page=10&x=1"),
        ("/part?x=1&seite=2", "/part?seite=3&x=1"),
        ("/part?offset=5", None),
        ("/page/2/", None),
    ],
)
def test_a_script_counts_pages_up_by_name(url: str, expected: str | None) -> None:
    assert counted_up(HOST + url) == (expected and HOST + expected)


@pytest.mark.parametrize(
    "path", ["/go?url=%2Fnews%2Fthe-lamp&pos=3", "/go?url=http%3A%2F%2Fwww.example.com%2Fnews%2Fthe-lamp"]
)
def test_a_link_through_the_sites_own_counter_is_the_link_to_its_target(path: str) -> None:
    other = '<a href="/go?url=https%3A%2F%2Fother.example%2Fx">x</a>'
    assert urls(page(f'<a href="{path}">The keeper</a>{other}')) == [f"{HOST}/news/the-lamp", "https://other.example/x"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<a rel="prev" href="/p/a">One</a><a rel="next" href="/p/b">Two</a>', ["/p/a", "/p/b"]),
        ('<div class="page-nav"><span class="prev">← <a href="/p/a">Two boats</a></span></div>', ["/p/a"]),
        ('<div><a class="post-nav__link post-nav__link--next" href="/p/a"><small>Then</small> Boats</a></div>', ["/p/a"]),
        ('<p>上一篇：<a href="/p/a">港口</a></p><p>下一篇：<a href="/p/b">渔船</a></p>', ["/p/a", "/p/b"]),
        ('<a href="/p/a">« The keeper of the lamp</a>', ["/p/a"]),
        ('<a href="/p/a"><span>Previous post</span> <b>The keeper</b></a>', ["/p/a"]),
        ('<p><a href="/">Home »</a> <a href="/p">Politics of the whole country »</a></p>', []),
        ('<a href="/tag/next/">next</a> <a href="/about">What comes next</a>', []),
        ('<a class="next" href="/p/here?page=2">Next page</a>', []),
    ],
)
def test_articles_before_and_after_another(body: str, expected: list[str]) -> None:
    found = page(body, HOST + "/p/here")
    assert neighbours(found, References.of(found)) == [HOST + path for path in expected]


@pytest.mark.parametrize(
    ("body", "is_cut_off"),
    [
        ("<button class=more><span>Load more stories</span></button>", True),
        ('<a class="btn" href="#">Show more</a>', True),
        ("<button>加载更多</button>", True),
        ('<div class="load-more" data-page="1"><i></i></div>', True),
        ("<button>More</button>", False),
        ('<a href="/news/2">Load more</a>', False),
    ],
)
def test_a_button_for_more_that_is_no_link(body: str, is_cut_off: bool) -> None:
    assert has_more_button(page(body, HOST + "/")) is is_cut_off
