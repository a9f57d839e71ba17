"""Title, address, snippet and date of hits; redirecting links."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.fields.hit_records import with_answered, with_headings
from newsextract.fields.hits import HitFields, hit_fields
from newsextract.page.page import Page
from newsextract.records.items import align
from newsextract.results import Item, Record, RecordPage
from newsextract.urls import unwrapped
from tests.record_items.pages import region_of

FETCHED = datetime(2012, 3, 10, 12, 0, tzinfo=UTC)
WORDS = (
    "Cold winters are no trouble for pears at all",
    "All sorts of pears, from Abate to Williams",
    "What growers were paid this week",
)
TITLES = ("Growing pears in the north", "Pears", "Market prices for fruit")


def hits(html: str, name: str, url: str | None = "https://seek.example/find?q=pears") -> list[HitFields]:
    page = Page(html.encode(), url, {"content-type": "text/html; charset=utf-8"}, FETCHED)
    region = region_of(page.nodes, name)
    table = align(page.nodes, region, url)
    records = [Record(page.nodes.text(*roots), items, 0, roots) for roots, items in zip(region.records, table, strict=True)]
    return [hit_fields(page, record) for record in records]


DIVISIONS = (
    "<div class=result><h2><a href='/l/?uddg=https%3A%2F%2Fpears.example%2F{n}&rut=1'>{title}</a></h2>"
    "<a class=url href='/l/?uddg=https%3A%2F%2Fpears.example%2F{n}'>pears.example/{n}</a><p class=snippet>{words}</p></div>"
)
TABLE = (
    "<tr class=result><td>{n}.</td><td><a href='https://pears.example/{n}'>{title}</a><br>{words}<br>"
    "<font color=green>pears.example/{n} - 12k - {n} Mar 2012</font> - <a href=/cache/{n}>Cached</a></td></tr>"
)
LIST = (
    "<div class=result><dl><dt><a href='http://seek.example/url?q=https://pears.example/{n}&sa=U'>{title}</a></dt>"
    "<dd>{n} Mar 2012 ... {words}</dd><dd class=source>Orchard News</dd></dl></div>"
)


@pytest.mark.parametrize(
    ("template", "date"),
    [(DIVISIONS, None), (TABLE, "2012-03-0{n}"), (LIST, "2012-03-0{n}")],
    ids=["divisions", "table", "definition list"],
)
def test_layouts(template: str, date: str | None) -> None:
    rows = [template.format(n=n, title=TITLES[n - 1], words=WORDS[n - 1]) for n in (1, 2, 3)]
    html = "".join(rows)
    found = hits(f"<table>{html}</table>" if template is TABLE else html, "result", "https://www.duckduckgo.example/")
    assert [hit.title for hit in found] == list(TITLES)
    assert [hit.snippet for hit in found] == list(WORDS)
    if template is TABLE:
        assert [hit.address for hit in found] == [f"https://pears.example/{n}" for n in (1, 2, 3)]
    assert [hit.date.value if hit.date else None for hit in found] == [date and date.format(n=n) for n in (1, 2, 3)]


def test_chinese_hits() -> None:
    html = "".join(
        f"<div class=result><h3><a href='https://a.example/{n}'>第{n}种<em>梨</em>的种植方法</a></h3>"
        f"<div class=abstract>2012年3月{n}日 - <em>梨</em>树耐寒，冬天不需要特别照顾，第{n}种也是这样。</div></div>"
        for n in (1, 2, 3)
    )
    first = hits(html, "result")[0]
    assert (first.title, first.address) == ("第1种梨的种植方法", "https://a.example/1")
    assert first.snippet == "梨树耐寒，冬天不需要特别照顾，第1种也是这样。"
    assert first.date is not None
    assert first.date.value == "2012-03-01"


def test_relative_addresses_need_the_pages_own() -> None:
    html = "".join(f"<li><a href=/topic/{n}>A topic, number {n}</a></li>" for n in range(3))
    assert [hit.address for hit in hits(html, "li")] == [f"https://seek.example/topic/{n}" for n in range(3)]
    assert [hit.address for hit in hits(html, "li", url=None)] == [None] * 3


def test_a_link_around_the_whole_hit() -> None:
    html = "".join(
        f"<a href=/n/{n}><article><h3>News {n} of the day</h3><p>{words}</p></article></a>" for n, words in enumerate(WORDS)
    )
    found = hits(html, "article")
    assert [hit.title for hit in found] == [f"News {n} of the day" for n in range(3)]
    assert [hit.address for hit in found] == [f"https://seek.example/n/{n}" for n in range(3)]


def test_a_time_element_tells_the_date() -> None:
    html = "".join(
        f"<li><h3><a href=/{n}>{TITLES[n]}</a></h3><p>{WORDS[n]}</p><time datetime=2012-03-0{n + 1}T08:00:00Z>some days ago</time></li>"
        for n in range(3)
    )
    assert [hit.date.value for hit in hits(html, "li") if hit.date] == [f"2012-03-0{n}T08:00:00+00:00" for n in (1, 2, 3)]


def test_a_record_without_links() -> None:
    found = hits("<li><img src=x></li><li>Only words here</li>", "li")
    assert found[0] == HitFields("", None, "", None)
    assert (found[1].title, found[1].address) == ("Only words here", None)


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("https://www.google.com/url?q=https://a.example/%3Fb%3D1&sa=U&ved=2", "https://a.example/?b=1"),
        ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fb&rut=0f", "https://a.example/b"),
        ("https://www.bing.com/ck/a?!&&p=0f&u=a1aHR0cHM6Ly9hLmV4YW1wbGUvYg&ntb=1", "https://a.example/b"),
        (
            "https://r.search.yahoo.com/_ylt=A/RV=2/RE=1/RO=10/RU=https%3a%2f%2fa.example%2fb/RK=2/RS=x-",
            "https://a.example/b",
        ),
        ("https://any.example/redirect?url=https%3A%2F%2Fa.example%2Fb", "https://a.example/b"),
        ("https://any.example/go?to=%2Fb%3Fc%3D1&pos=2", "https://any.example/b?c=1"),
        ("https://www.baidu.com/link?url=9JxQz", "https://www.baidu.com/link?url=9JxQz"),
        ("https://a.example/page?url=https://b.example/", "https://a.example/page?url=https://b.example/"),
        ("https://www.bing.com/ck/a?u=a1%FF%FF", "https://www.bing.com/ck/a?u=a1%FF%FF"),
        ("https://a.example/plain", "https://a.example/plain"),
        ("https://www.google.com/url?q=javascript:alert(1)", "https://www.google.com/url?q=javascript:alert(1)"),
    ],
)
def test_unwrapped(link: str, target: str) -> None:
    assert unwrapped(link) == target


@given(st.text(max_size=80))
def test_any_link_can_be_unwrapped(text: str) -> None:
    assert unwrapped(f"https://www.google.com/url?q={text}").startswith(("http://", "https://"))


LONG_WORDS = tuple(
    f"{words}, and what else there is to say of fruit in such a year, page {n}" for n, words in enumerate(WORDS)
)


def test_a_title_is_the_link_without_the_number_and_score_beside_it() -> None:
    html = "".join(
        f"<dl class=hit><dt>{n}. <b><a href='/d/{n}'>{title}</a></b> (score: {7 - n})</dt><dd>{words}</dd></dl>"
        for n, (title, words) in enumerate(zip(TITLES, LONG_WORDS, strict=True), 1)
    )
    found = hits(html, "hit")
    assert [hit.title for hit in found] == list(TITLES)
    assert [hit.snippet for hit in found] == list(LONG_WORDS)


def test_a_snippet_ends_where_a_line_of_the_engine_begins() -> None:
    html = "".join(
        f"<div class=hit><b><a href='/d/{n}'>{title}</a></b><br><small>{words}</small><br>"
        f"<a href='/d/{n}'>/d/{n}</a><br><small>matching: <i>pears</i></small></div>"
        for n, (title, words) in enumerate(zip(TITLES, LONG_WORDS, strict=True), 1)
    )
    assert [hit.snippet for hit in hits(html, "hit")] == list(LONG_WORDS)


def test_hits_that_all_have_one_title_keep_it() -> None:
    html = "".join(
        f"<div class=hit><a href='/topics/1?reply={n}'>RE: Growing pears in the north</a><p>{words}</p></div>"
        for n, words in enumerate(LONG_WORDS)
    )
    found = hits(html, "hit")
    assert {hit.title for hit in found} == {"RE: Growing pears in the north"}
    assert [hit.snippet for hit in found] == list(LONG_WORDS)


@pytest.mark.parametrize(("hit", "heading", "inner"), [("li", "h2", "div"), ("dl", "dt", "dd")])
def test_a_hit_reaches_up_to_the_heading_above_it(hit: str, heading: str, inner: str) -> None:
    html = "<body><h1><a href=/>Search</a></h1><main>" + "".join(
        f"<{hit} class=hit><{heading}><a href='/d/{n}'>{title}</a></{heading}>"
        f"<{inner} class=inner><p>{words}</p><a href='/d/{n}'>3 May</a></{inner}></{hit}>"
        for n, (title, words) in enumerate(zip(TITLES, LONG_WORDS, strict=True), 1)
    )
    page = Page(html.encode(), "https://seek.example/find?q=pears", {}, FETCHED)
    parts = RecordPage(page.url, "any", "ok", regions=(region_of(page.nodes, "inner"),))
    records = with_headings(page, parts).records
    assert [hit_fields(page, record).title for record in records] == list(TITLES)
    numbered = Page(
        html.replace("<div class=inner>", "<div class=inner><h4><a href=/7.pdf>US7654321B2</a></h4>").encode(), page.url
    )
    parts = replace(parts, regions=(region_of(numbered.nodes, "inner"),))
    assert [hit_fields(numbered, one).title for one in with_headings(numbered, parts).records] == list(TITLES)
    whole = RecordPage(page.url, "any", "ok", regions=(region_of(page.nodes, "hit"),))
    assert with_headings(page, whole) is whole
    one = replace(parts, regions=(replace(parts.regions[0], records=parts.regions[0].records[:1]),))
    assert with_headings(page, one) is one, "nothing tells how far a single one reaches"


CARD = "<li class=result><h3><a href='https://pears.example/{n}'>{title}</a></h3>{rest}</li>"


@pytest.mark.parametrize(
    ("rest", "date"),
    [
        (
            "<p><time datetime='2012-03-0{n}T00:00:00'>0{n} March 2012</time>{words} are in the box</p>",
            "2012-03-0{n}T00:00:00",
        ),
        (
            "<div><p>{words} are in the box</p><p><span>admin</span> - Thu, 03/0{n}/2012 - 10:22</p></div>",
            "2012-03-0{n}T10:22",
        ),
        ("<p>{words} are in the box<a href='https://pears.example/{n}'>Continue reading {title}</a></p>", None),
    ],
    ids=["time before it", "day below it", "link to the whole"],
)
def test_what_an_engine_adds_to_a_snippet_is_none_of_it(rest: str, date: str | None) -> None:
    shown = "".join(CARD.replace("{rest}", rest).format(n=n, title=TITLES[n - 1], words=WORDS[n - 1]) for n in (1, 2))
    found = hits(f"<html lang=en-us><body><ol>{shown}</ol></body></html>", "result")
    assert [hit.snippet for hit in found] == [f"{words} are in the box" for words in WORDS[:2]]
    assert [hit.date.value if hit.date else None for hit in found] == [date and date.format(n=n) for n in (1, 2)]


def test_the_title_of_what_a_hit_is_a_part_of_is_not_the_hits() -> None:
    rows = "".join(
        f"<li class=result><a href='https://pears.example/{n}'>{TITLES[n - 1]}</a><cite>{WORDS[n - 1]} in a long season</cite>"
        f"<div class=book-title>from the handbook of fruit {n}</div></li>"
        for n in (1, 2)
    )
    assert [hit.title for hit in hits(f"<ul>{rows}</ul>", "result")] == list(TITLES[:2])


def test_a_line_that_is_taken_off_a_snippet_tells_the_date() -> None:
    html = (
        "<html lang=en-us><body><li><h3><a href='https://pears.example/1'>Pears</a></h3><div><p>Cold winters are no trouble for pears at all, "
        "nor are wet springs, says a study of forty orchards in the north.</p><p>admin - Thu, 03/08/2012 - 10:22</p></div></li>"
    )
    page = Page(html.encode(), "https://seek.example/find?q=pears", {"content-type": "text/html; charset=utf-8"}, FETCHED)
    title, *rest = page.nodes.shown.tolist()
    items = (
        Item("Pears", "link", "https://pears.example/1", "title", False, (title,)),
        Item(" ".join(page.nodes.texts[node] for node in rest), "text", None, "snippet", False, tuple(rest)),
    )
    root = page.nodes.tags.index("li")
    found = hit_fields(page, Record(page.nodes.text(root), items, 0, (root,)))
    assert found.snippet.endswith("in the north.")
    assert found.date is not None
    assert found.date.value == "2012-03-08T10:22"


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("<p class=info>jane - Tue, 1{n} Mar 2011 - 10:12 - 3 comments</p>", "2011-03-1{n}T10:12"),
        ("<p class=info>1{n} March 2011 | 12 kbyte | <a href=/meta/{n}>Metadata</a></p>", "2011-03-1{n}"),
        ("<div><a href=/p/{n}#say>Comment</a> / <a href=/news>News</a> / By Jane Doe / <span>March 1{n}, 2011</span></div>", "2011-03-1{n}"),
        ("<p class=foot>Published 2011</p>", None),
        ("<p><img alt='Market on 3 May 2010' src=/{n}.png></p>", None),
    ],
    ids=["author and day", "day and size", "byline", "a year only", "a picture's words"],
)  # fmt: skip
def test_the_day_in_a_line_with_other_words(line: str, day: str | None) -> None:
    html = "".join(
        f"<li><h3><a href=/p/{n}>{TITLES[n - 1]}</a></h3>{line.format(n=n)}<p>{WORDS[n - 1]}, said growers</p></li>"
        for n in (1, 2, 3)
    )
    found = hits(html, "li")
    assert [hit.date.value if hit.date else None for hit in found] == [day and day.format(n=n) for n in (1, 2, 3)]
    assert [hit.snippet for hit in found] == [f"{words}, said growers" for words in WORDS]


def test_a_day_in_an_element_of_its_own_begins_the_snippet() -> None:
    row = "<li><h3><a href=/p/{n}>{title}</a></h3><div><span class=x>1{n} Mar 2011 </span>{words} in <b>2010</b></div></li>"
    found = hits("".join(row.format(n=n, title=TITLES[n - 1], words=WORDS[n - 1]) for n in (1, 2, 3)), "li")
    assert [hit.date.value if hit.date else None for hit in found] == ["2011-03-11", "2011-03-12", "2011-03-13"]
    assert [hit.snippet for hit in found] == [f"{words} in 2010" for words in WORDS]


def test_the_line_of_the_address_is_no_part_of_the_snippet() -> None:
    row = "<tr class=r><td><a href=/p/{n}>{title}</a><br>{words}<br>https://pears.example/orchards/trees/{n} (12k, 1{n} Mar 2011)</td></tr>"  # fmt: skip
    rows = "".join(row.format(n=n, title=TITLES[n - 1], words=WORDS[n - 1]) for n in (1, 2, 3))
    found = hits(f"<table>{rows}</table>", "r")
    assert [hit.date.value if hit.date else None for hit in found] == ["2011-03-11", "2011-03-12", "2011-03-13"]
    assert [hit.snippet for hit in found] == list(WORDS)


def test_the_number_of_a_document_and_its_authors_are_no_title() -> None:
    row = (
        "<li class=r><p class=list-title><a href=/abs/{n}>arXiv:21{n}.0{n}</a> [<a href=/pdf/{n}>pdf</a>]</p>"
        "<p class=title><i>Title:</i> {title} <b>pears</b></p><p><a href=/a/1>{a}</a>, <a href=/a/2>{b}</a></p>"
        "<p class=abstract>{words} <a class=more>More</a></p></li>"
    )
    names = (("Jane Doe", "Mary Major"), ("Richard Roe", "Jane Doe"), ("John Smith", "Mary Major"))
    rows = (
        row.format(n=n, title=TITLES[n - 1], words=WORDS[n - 1], a=names[n - 1][0], b=names[n - 1][1]) for n in (1, 2, 3)
    )
    found = hits("".join(rows), "r")
    assert [hit.title for hit in found] == [f"{title} pears" for title in TITLES]
    assert [hit.address for hit in found] == [f"https://seek.example/abs/{n}" for n in (1, 2, 3)]
    assert [hit.snippet for hit in found] == list(WORDS)


@pytest.mark.parametrize(
    "label",
    [
        "<span>New Listing</span>",
        "<span class=t>[PDF]</span>",
        "<small>NEU</small>",
        "<span class='label label--red'>Asked</span>",
    ],
)
def test_a_label_within_the_link_is_no_part_of_the_title(label: str) -> None:
    row = "<li class=r><a href=/p/{n}><h3>{before}{title}{behind}</h3></a><p>{words}</p></li>"
    rows = [
        row.format(n=n, title=f"{TITLES[n]} today", words=WORDS[n], before=label * (n == 0), behind=label * (n == 1))
        for n in (0, 1, 2)
    ]
    assert [hit.title for hit in hits(f"<ul>{''.join(rows)}</ul>", "r")] == [f"{title} today" for title in TITLES]


@pytest.mark.parametrize("title", ["<b>New</b> York", "<span class=q>New</span> trains in <span class=q>York</span>"])
def test_words_that_were_searched_for_are_no_labels(title: str) -> None:
    rows = [f"<li class=r><h3><a href=/p/{n}>{title} {n}th street</a></h3><p>{WORDS[n]}</p></li>" for n in (0, 1, 2)]
    found = hits(f"<ul>{''.join(rows)}</ul>", "r", "https://seek.example/find?q=new")
    assert all(hit.title.startswith("New ") for hit in found)


def test_the_links_below_a_hit_are_not_its_title() -> None:
    row = (
        "<li class=r><a href=https://site{n}.example/><b>Orchard Weekly</b></a><h2><a href=https://site{n}.example/>{title}</a></h2>"
        "<p>{words}, and what else there is to say of fruit.</p>{below}</li>"
    )
    below = "".join(f"<li><h3><a href=https://site1.example/{n}>Part {n} on pears</a></h3></li>" for n in (1, 2, 3))
    rows = (
        row.format(n=n, title=TITLES[n - 1], words=WORDS[n - 1], below=f"<ul>{below}</ul>" if n == 1 else "")
        for n in (1, 2, 3)
    )
    found = hits("<ul>" + "".join(rows) + "</ul>", "r")
    assert [hit.title for hit in found] == list(TITLES)
    assert [hit.address for hit in found] == [f"https://site{n}.example/" for n in (1, 2, 3)]


def test_a_link_around_the_heading_and_the_text_is_the_hit() -> None:
    row = "<li><article><a class=hit href='/d/{n}'><h1>{title}</h1><p class=inner>{words}</p></a></article></li>"
    page = Page(
        "".join(row.format(n=n, title=TITLES[n], words=WORDS[n]) for n in range(3)).encode(), "https://seek.example/find"
    )
    parts = RecordPage(page.url, "any", "ok", regions=(region_of(page.nodes, "inner"),))
    found = [hit_fields(page, record) for record in with_headings(page, parts).records]
    assert [(hit.title, hit.snippet) for hit in found] == list(zip(TITLES, WORDS, strict=True))


def test_a_hit_reaches_up_to_the_link_to_the_page_that_its_lines_are_in() -> None:
    row = (
        "<div class=hit><div class=head><a href=/tree/{n}.py><b>src/pears_{n}.py</b></a></div><div class=inner>"
        "<a href=/tree/{n}.py#L3>3</a> <a href=/tree/{n}.py#L4>4</a><pre>def pears(): return {n}</pre></div></div>"
    )
    page = Page("".join(row.format(n=n) for n in range(3)).encode(), "https://seek.example/find")
    parts = RecordPage(page.url, "any", "ok", regions=(region_of(page.nodes, "inner"),))
    found = [hit_fields(page, record) for record in with_headings(page, parts).records]
    assert [(hit.title, hit.address) for hit in found] == [
        (f"src/pears_{n}.py", f"https://seek.example/tree/{n}.py") for n in range(3)
    ]


def test_the_address_of_a_title_that_is_no_link_is_the_one_that_is_shown() -> None:
    row = (
        "<div class=r><div><b>{title} in the hills</b></div><div>Url: <a href=https://site{n}.example/p>https://site{n}.example/p</a>"
        "</div><div>{words}</div><div><a href='#'>explain</a></div></div>"
    )
    found = hits("".join(row.format(n=n, title=TITLES[n], words=WORDS[n]) for n in range(3)), "r")
    assert [hit.address for hit in found] == [f"https://site{n}.example/p" for n in range(3)]


@pytest.mark.parametrize("label", ["<a href='javascript:void(0)'>Sponsored</a>", "<a href='#'>Compare</a>"])
def test_a_link_that_leads_nowhere_is_no_title(label: str) -> None:
    rows = "".join(
        f"<li class=r>{label if n == 1 else ''}<div><a href=/p/{n}>{TITLES[n]} in baskets</a></div></li>" for n in (0, 1, 2)
    )
    assert [hit.title for hit in hits(f"<ul>{rows}</ul>", "r")] == [f"{title} in baskets" for title in TITLES]


def test_a_title_is_no_snippet() -> None:
    row = (
        "<li class=r><div class=media><h3><a href=/p/{n}>{title} of the year</a></h3></div>"
        "<div><h3 class=heading><a href=/p/{n}>{title} of the year</a></h3><span>{n} USD</span></div></li>"
    )
    found = hits("<ul>" + "".join(row.format(n=n, title=TITLES[n - 1]) for n in (1, 2, 3)) + "</ul>", "r")
    assert [(hit.title, hit.snippet) for hit in found] == [(f"{title} of the year", "") for title in TITLES]


def test_what_unfolds_a_snippet_is_no_part_of_it() -> None:
    row = "<li class=r><h3><a href=/p/{n}>{title}</a></h3><div>{words}.<span class=more>{more}</span></div></li>"
    for more in ("Read more", "Читать ещё", "展开"):
        rows = (row.format(n=n, title=TITLES[n - 1], words=WORDS[n - 1], more=more) for n in (1, 2, 3))
        assert [hit.snippet for hit in hits("".join(rows), "r")] == [f"{words}." for words in WORDS]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("The <mark>har</mark>bour of rap<b>port</b>s", "The harbour of rapports"),
        ("이순신 <mark>거북선</mark>과 판옥선에 대해 알려주세요", "이순신 거북선과 판옥선에 대해 알려주세요"),
        ("The <span>rap</span><mark>port</mark><span>s here</span>", "The rapports here"),
        (
            "The <span class=search-highlight>har</span>bours of rap<span class='hit'>port</span>s",
            "The harbours of rapports",
        ),
        ("The <b>harbour</b> <i>of</i> <em>reports</em> here", "The harbour of reports here"),
        ("The harbour reports of <b>Jane</b>Doe and<span> others</span>", "The harbour reports of Jane Doe and others"),
        ("The harbour<span>of</span>reports and others", "The harbour of reports and others"),
    ],
    ids=[
        "begins or ends in a word",
        "Korean",
        "words in spans around what is marked",
        "spans that are called highlights",
        "whole words",
        "other words",
        "elements that may stand apart",
    ],
)
def test_what_was_searched_for_may_be_a_part_of_a_word(written: str, read: str) -> None:
    rows = "".join(f"<li class=r><h3><a href=/p/{n}>{TITLES[n]}</a></h3><p>{n} {written}</p></li>" for n in range(3))
    assert [hit.snippet for hit in hits(f"<ul>{rows}</ul>", "r")] == [f"{n} {read}" for n in range(3)]


def test_a_title_whose_words_are_marked_by_unknown_elements_is_one_text() -> None:
    parts = ("<kw>Pears</kw> in the north", "Five kinds of <kw>pears</kw> and <kw>quinces</kw>", "<kw>Pears</kw>")
    rows = "".join(f"<div class=r><a href=/p/{n}>{part}</a><p>{WORDS[n]}</p></div>" for n, part in enumerate(parts))
    assert [hit.title for hit in hits(rows, "r")] == ["Pears in the north", "Five kinds of pears and quinces", "Pears"]


def test_a_title_with_a_day_and_a_file_number_is_a_title() -> None:
    names = [f"OLG Köln, Urteil vom 0{n}.01.2021 - {n} K 861/20" for n in (1, 2)]
    rows = "".join(
        f"<div class=r><p class=source><b>{n}.</b> <a href=/p/{n}>{name}</a></p><p>{WORDS[n]}</p><p><i>{n} K 861/20</i> |"
        f" <a href=/pdf/{n}>PDF</a> | <a href=/c/{n}>Zitiert von {n}</a></p></div>"
        for n, name in enumerate(names)
    )
    assert [hit.title for hit in hits(rows, "r")] == names


def test_the_last_link_of_a_path_is_the_title() -> None:
    rows = "".join(
        f"<div class=r><h5><a href=/board/{n}>Orchards and everything about them</a> / <a href=/topic/{n}>{TITLES[n]}</a></h5>"
        f"<p>{WORDS[n]}</p></div>"
        for n in range(3)
    )
    found = [(hit.title, hit.address) for hit in hits(rows, "r")]
    assert found == [(TITLES[n], f"https://seek.example/topic/{n}") for n in range(3)]


def test_a_title_behind_a_word_leads_where_its_own_link_does() -> None:
    html = f"<table><tr><td>Thread: <a href=/topic/1>{TITLES[0]}</a><p>{LONG_WORDS[0]}</p></td><td><a href=/u/1>Jane</a></td></tr></table>"
    page = Page(html.encode(), "https://seek.example/find?q=pears", {}, FETCHED)
    root = page.nodes.tags.index("tr")
    word, title, words, author = page.nodes.text_nodes(root)
    items = (
        Item(f"Thread: {TITLES[0]}", "link", None, "post", False, (word, title)),
        Item(LONG_WORDS[0], "text", None, "snippet", False, (words,)),
        Item("Jane", "link", None, "link", False, (author,)),
    )
    found = hit_fields(page, Record("", items, 0, (root,)))
    assert (found.title, found.address) == (TITLES[0], "https://seek.example/topic/1")


@pytest.mark.parametrize("more", ["<a href=#>...</a>", "<a href='javascript:void(0)'>more</a>"])
def test_a_snippet_may_end_in_a_link_that_unfolds_it(more: str) -> None:
    for count in (1, 2, 3):
        rows = "".join(f"<div class=r><a href=/p/{n}>{TITLES[n]}</a><p>{WORDS[n]} {more}</p></div>" for n in range(count))
        assert [hit.snippet for hit in hits(rows, "r")] == list(WORDS[:count])


def test_a_title_of_which_every_part_is_an_element() -> None:
    """As widgets of search services write it: spans around what was not searched for."""
    parts = (
        "<span>Growing </span><mark>pear</mark><span>s in the north</span>",
        "<mark>Pear</mark><span>s</span>",
        "<span>Market prices</span>",
    )
    rows = "".join(
        f"<li class=r><h2><a href=/p/{n}><span class=h>{part}</span></a></h2><p>{WORDS[n]}</p></li>"
        for n, part in enumerate(parts)
    )
    assert [hit.title for hit in hits(f"<ol>{rows}</ol>", "r")] == ["Growing pears in the north", "Pears", "Market prices"]


def test_chinese_characters_count_twice_beside_latin_ones() -> None:
    row = (
        "<div class=r><h3><a href=/p/{n}>{title}</a></h3><div class=a><a href=/u/{n}>J Doe</a>, K Weber, M Rossi - Journal of Fruit,"
        " {n}. Edition - pears.example</div><div class=b>{words}</div></div>"
    )
    words = (
        "北方的梨树不怕寒冷的冬天，果农们这样说，他们在山里种了四十年，今年收成比去年好。",
        "从秋月到丰水：四十种梨的名录，附有图片，并注明每一种在哪个月份成熟，以及能存放多久。",
    )
    found = hits("".join(row.format(n=n, title=("北方种梨", "梨的种类")[n], words=words[n]) for n in (0, 1)), "r")
    assert [hit.snippet for hit in found] == list(words)


def test_a_linked_heading_is_the_title_whatever_its_class() -> None:
    row = (
        "<div class=r><a class=a-text-normal href=/p/{n}><h2 class=a-text-normal><span>{title} in baskets</span></h2></a>"
        "<a href='javascript:void(0)'><span class=icon>4.{n} out of 5 stars</span></a></div>"
    )
    found = hits("".join(row.format(n=n, title=TITLES[n - 1]) for n in (1, 2, 3)), "r")
    assert [hit.title for hit in found] == [f"{title} in baskets" for title in TITLES]


def test_entries_with_answers_below_them_are_entries_of_their_own() -> None:
    def entry(n: int, name: str, answers: str = "") -> str:
        below = f"<ul>{answers}</ul>" if answers else ""
        return f"<li{name}><b><a href=m{n}.html>Letter no. {n} on pears</a></b>, <i>Mara Quill</i>{below}</li>"

    answered = entry(1, "", entry(2, " class=answer", entry(3, "")) + entry(4, " class=answer"))
    menu = "<ul><li><a href=/date.html>By date</a></li></ul>"
    html = f"{menu}<ul>{entry(0, '')}{answered}{entry(5, '', entry(6, ' class=answer'))}</ul>"
    page = Page.from_text(html, "https://lists.example/talk/thread.html")
    region = region_of(page.nodes, "answer")
    records = [
        Record("", items, 0, own) for own, items in zip(region.records, align(page.nodes, region, page.url), strict=True)
    ]
    found = with_answered(page, RecordPage(page.url, "made", "ok", tuple(records), 0.3, regions=(region,)))
    assert [record.text for record in found.records] == [f"Letter no. {n} on pears , Mara Quill" for n in range(7)]
    assert [hit_fields(page, record).address for record in found.records] == [
        f"https://lists.example/talk/m{n}.html" for n in range(7)
    ]
    assert with_answered(page, replace(found, records=(), regions=())).records == ()


def test_entries_outside_of_lists_stay_as_they_are() -> None:
    line = "<li class=entry><b><a href=m{n}.html>Letter no. {n}</a></b></li>"
    inside = f"<ul><li><b><a href=/all>All letters</a></b><ul>{line.format(n=0)}</ul></li></ul>"
    html = f"{inside}<div>{line.format(n=1)}{line.format(n=2)}</div>"
    page = Page.from_text(html, "https://lists.example/talk/")
    region = region_of(page.nodes, "entry")
    records = [
        Record("", items, 0, own) for own, items in zip(region.records, align(page.nodes, region, page.url), strict=True)
    ]
    found = RecordPage(page.url, "made", "ok", tuple(records), 0.3, regions=(region,))
    assert {hit_fields(page, record).title for record in with_answered(page, found).records} >= {
        "Letter no. 1",
        "Letter no. 2",
    }


@pytest.mark.parametrize("name", ["result-title", "css-a1b"])
def test_a_title_in_bold_without_a_link_leads_where_the_labelled_link_below_it_leads(name: str) -> None:
    """Not to another search ("More like this"), which is a view of the page itself."""
    rows = [
        f"<div class=result><div class={name}><b>{title}</b> <a href='?q=pears&like={n}'>More like this</a></div>"
        f"<div>Document: <a href=/shelf/{n}>A-{n}</a></div><p>{words}</p></div>"
        for n, (title, words) in enumerate(zip(TITLES, WORDS, strict=True), 1)
    ]
    found = hits("".join(rows), "result")
    assert [(hit.title, hit.address, hit.snippet) for hit in found] == [
        (title, f"https://seek.example/shelf/{n}", words)
        for n, (title, words) in enumerate(zip(TITLES, WORDS, strict=True), 1)
    ]


def test_hits_that_only_lead_to_views_of_the_page_keep_their_addresses() -> None:
    rows = [
        f"<div class=result><b>{title}</b> <a href='?q=pears&show={n}'>Open</a><p>{WORDS[0]}</p></div>"
        for n, title in enumerate(TITLES)
    ]
    assert [hit.address for hit in hits("".join(rows), "result")] == [
        f"https://seek.example/find?q=pears&show={n}" for n in range(3)
    ]
