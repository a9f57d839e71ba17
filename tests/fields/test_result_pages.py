"""What of a result page is a hit: advertisements, boxes, pages with one hit or none."""

from __future__ import annotations

import pytest

from newsextract import extract_hits
from newsextract.fields.hit_records import page_hits, whole_hits
from newsextract.fields.only_record import said_count
from newsextract.page.page import Page
from newsextract.records.items import align
from newsextract.results import Record, RecordPage
from tests.record_items.pages import region_of

URL = "https://seek.example/search?q=pears"
TITLES = (
    "Growing pears in the north", "All sorts of pears", "Market prices for pears this week", "How pears are stored",
    "Pears and apples compared", "The oldest pears of the valley", "Pests of pears", "Cider made of pears",
)  # fmt: skip
WORDS = (
    "Cold winters are no trouble for pears at all, say growers who have kept orchards in the hills for forty years.",
    "From Abate to Williams: a list of forty kinds of pears with pictures of the fruit, and when each of them is ripe.",
    "Growers were paid less for their pears than a year ago, because the harvest in the south came three weeks early.",
    "A cool cellar keeps pears for two months if none of them touches the next one and the air is not too dry.",
    "Which of the two is easier to grow? Our readers have tried pears on eleven soils and report what they have learned.",
    "Three trees planted before the war still bear pears every other year; the parish picks them for the harvest feast.",
    "Rust, psyllids and codling moths: what damages pears, how to recognise it, and which remedies are of any use.",
    "Perry is pressed from small and bitter pears that nobody would eat; the best of it keeps for ten years.",
)


def hit(n: int, host: str = "https://site{n}.example/p") -> str:
    return (
        f"<div class=result><h2 class=result-title><a href={host.format(n=n)}>{TITLES[n]}</a></h2>"
        f"<p class=snippet>{WORDS[n]}</p></div>"
    )


def page(results: str, beside: str = "") -> str:
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("Images", "News", "Maps", "Help"))
    return (
        "<html lang=en><title>pears - Seek</title><body><header><form action=/search><input name=q value=pears></form>"
        f"<ul>{menu}</ul></header><main><div id=results>{results}</div></main>{beside}<footer><a href=/terms>Terms</a></footer>"
    )


SOLD = (
    "<div class='result'><h2 class=result-title><a href=https://shop.example/pears>Fresh pears to your door</a></h2>"
    "<span class=badge>Sponsored</span><p class=snippet>Order three boxes of pears now and have the fourth one for free.</p></div>"
)
VIDEOS = (
    "<div class=result><h2>Videos</h2><div class=tiles>"
    + "".join(
        f"<div class=tile><a href=https://film.example/{n}><img src={n}.jpg alt=''><span>Video {n}: how to prune pears</span></a>"
        f"<p>Film Example, 4 minutes and {n} seconds of pears</p></div>"
        for n in range(4)
    )
    + "</div></div>"
)


def titles(html: str) -> list[str]:
    return [found.title for found in extract_hits(html, URL, query="pears").hits]


def test_advertisements_and_boxes_are_no_hits() -> None:
    hits = [hit(n) for n in range(8)]
    assert titles(page("".join([SOLD, *hits[:3], VIDEOS, *hits[3:]]))) == list(TITLES)


def test_a_shops_own_offers_are_hits_paid_for_or_not() -> None:
    own = [hit(n, "/p/{n}") for n in range(8)]
    sold = SOLD.replace("https://shop.example/pears", "/p/9")
    assert titles(page("".join([sold, *own]))) == ["Fresh pears to your door", *TITLES]


def test_more_advertisements_than_hits_are_still_none() -> None:
    by_class = "<div class='result result--ad'><h2 class=result-title><a href=https://shop.example/{n}>{title}</a></h2><p class=snippet>{words}</p></div>"
    headed = "<h3>Sponsored links</h3><ul>{}</ul>".format(
        "<li><a href=https://shop.example/9>Pears by post</a> Four boxes for three</li>" * 2
    )
    other = "".join(by_class.format(n=n, title=TITLES[n + 4], words=WORDS[n + 4]) for n in range(3))
    for sold in (SOLD + SOLD.replace("/pears", "/p2") + SOLD.replace("/pears", "/p3"), other, headed):
        for count in (1, 2, 3):
            assert titles(page(sold + "".join(map(hit, range(count))))) == list(TITLES[:count])


def test_records_that_are_parts_of_the_only_hit_are_none() -> None:
    only = (
        "<ol class=search-results><li class=search-result><h3><a href=/p/1>Orchards in the north</a></h3><div><p>… all sorts of"
        " <b>pears</b> for cold winters and wet springs, says a study of forty farms …</p><p class=info>"
        "<a href=/user/3>Maria Rossi</a> - 03/14/2026 - 14:05</p></div></li></ol>"
    )
    found = extract_hits(page(only), URL, query="pears").hits
    assert [(one.title, one.snippet[-7:]) for one in found] == [("Orchards in the north", "farms …")]


def test_the_only_hit_reaches_down_to_its_text() -> None:
    only = f"<div><div class=t><div><a href=/p/0>{TITLES[0]}</a></div></div><div class=u><div>pears.example</div></div><div>{WORDS[0]}</div></div>"
    found = extract_hits(page(only), URL, query="pears").hits
    assert [(one.title, one.snippet) for one in found] == [(TITLES[0], WORDS[0])]


def test_few_hits_are_found_among_lists_beside_them() -> None:
    card = "<li class=product><a href=/product/{n}/><img src=/{n}.jpg alt=''><h2>{title}</h2><span class=price>£{n}.50</span></a></li>"
    rated = "".join(f"<li><a href=/product/t{n}/><span>{TITLES[n + 3]}</span></a> <b>£9.00</b></li>" for n in range(3))
    beside = f"<aside class=widget-area><div class=widget><span>Top rated</span><ul>{rated}</ul></div></aside>"
    for count in (1, 2, 3):
        cards = "".join(card.format(n=n, title=TITLES[n]) for n in range(count))
        assert titles(page(f"<ul class='products columns-4'>{cards}</ul>", beside)) == list(TITLES[:count])


def test_a_day_beside_the_text_of_a_hit_is_its_date() -> None:
    post = (
        "<div class=post><dl class=profile><dt>by <a href=/u/{n}>jane</a><dd>Tue Nov 1{n}, 2025 10:15 am<dd>Forum: <a href=/f/2>Talk</a>"
        "</dl><div class=postbody><h3><a href=/t/{n}>{title}</a></h3><div class=content>{words}</div></div></div>"
    )
    for count in (1, 3, 8):
        posts = "".join(post.format(n=n, title=TITLES[n], words=WORDS[n]) for n in range(count))
        found = Page.from_text(page(f"<div>{posts}</div>"), URL)
        region = region_of(found.nodes, "postbody")
        table = align(found.nodes, region, URL)
        records = [Record("", items, 0, roots) for roots, items in zip(region.records, table, strict=True)]
        hits = page_hits(found, RecordPage(URL, "made", "ok", tuple(records), 0.8, regions=(region,)))
        assert [one.date.value if one.date else None for one in hits] == [f"2025-11-1{n}T10:15" for n in range(count)]


def test_few_hits_without_markup_are_found_by_the_words_of_the_query() -> None:
    for count in (2, 3):
        lines = "".join(f"<p><a href=https://site{n}.example/p>{TITLES[n]}</a><br>{WORDS[n]}</p>" for n in range(count))
        foot = "<hr><p><a href=/>Home</a> | <a href=/help>Help</a></p>"
        assert titles(f"<html lang=en><body><h1>Search</h1><p>{count} documents match.</p>{lines}{foot}") == list(
            TITLES[:count]
        )


def test_a_page_that_says_that_nothing_was_found_has_no_hits() -> None:
    recent = "".join(f"<li><a href=/posts/{n}>{title.replace('ears', 'lums')}</a></li>" for n, title in enumerate(TITLES))
    for message in (
        "No results were found for <b>pears</b>.",
        "Sorry, nothing matched your search.",
        "Keine Treffer für pears.",
    ):
        found = extract_hits(
            page(f"<p>{message}</p>", f"<aside><h3>Recent posts</h3><ul>{recent}</ul></aside>"), URL, query="pears"
        )
        assert found.hits == ()
        assert found.status == "empty"


def test_the_only_hit_of_a_page_is_found_with_its_snippet() -> None:
    for n in range(8):
        found = extract_hits(page(hit(n)), URL, query="pears")
        assert [(one.title, one.snippet) for one in found.hits] == [(TITLES[n], WORDS[n])]


def test_a_heading_beside_the_results_or_one_without_the_query_is_no_only_hit() -> None:
    beside = "<div class='related results'><h3><a href=/posts/1>Ten pears to know</a></h3><p>Read on.</p></div>"
    assert titles(page("<p>0 pages</p>", beside)) == []
    assert titles(page("<h2><a href=/help>How to ask for things</a></h2><p>A page of help.</p>")) == []


def test_rows_of_a_table_are_told_apart_by_their_links() -> None:
    rows = "".join(
        f"<tr><td valign=top>{n + 1}.</td><td><a href=https://site{n}.example/p>{TITLES[n]}</a></td></tr>"
        f"<tr><td>&nbsp;</td><td class=text>{WORDS[n]}</td></tr><tr><td>&nbsp;</td><td><span>site{n}.example/p</span></td></tr>"
        "<tr><td>&nbsp;</td><td>&nbsp;</td></tr>"
        for n in range(8)
    )
    found = extract_hits(f"<html><form><input name=q value=pears></form><table>{rows}</table></html>", URL, query="pears")
    assert [(one.title, one.snippet) for one in found.hits] == list(zip(TITLES, WORDS, strict=True))


def test_a_title_without_a_link_is_known_by_its_class() -> None:
    entries = "".join(
        f"<li class=entry><nav><a href=https://doi.example/{n}>electronic edition</a> <a href=/bib/{n}>BibTeX</a></nav><cite>"
        f"<a href=/by/{n}>Jane Doe {n}</a>: <span class=title>{TITLES[n]}</span> <a href=/j/{n}>J. Pears</a> {n}: 1-9</cite></li>"
        for n in range(8)
    )
    found = extract_hits(page(f"<ul>{entries}</ul>"), URL, query="pears").hits
    assert [(one.title, one.address) for one in found] == [(TITLES[n], f"https://doi.example/{n}") for n in range(8)]


def test_the_hit_is_the_file_that_its_row_names_and_not_a_line_of_it() -> None:
    rows = "".join(
        f"<tr><td><a href=/log/f{n}.c>H</a></td><td><a href=/src/f{n}.c>f{n}.c</a></td><td><code><a href=/src/f{n}.c#{n + 3}>"
        f"{n + 3} {TITLES[n]}</a> <a href=/src/f{n}.c#{n + 40}>{n + 40} {WORDS[n]}</a></code></td></tr>"
        for n in range(8)
    )
    found = extract_hits(page(f"<table>{rows}</table>"), "https://seek.example/search?q=pears", query="pears").hits
    assert [(one.title, one.address) for one in found] == [(f"f{n}.c", f"https://seek.example/src/f{n}.c") for n in range(8)]


def test_a_list_that_is_still_empty_is_known_by_what_it_says() -> None:
    for said, is_empty in (
        ("No stories yet.", True),
        ("0 results for pears", True),
        ("10 results for pears", False),
        ("There is no time to lose yet", False),
    ):
        nodes = Page.from_text(page(f"<p>{said}</p>"), URL).nodes
        found = said_count(nodes, RecordPage(URL, "x", "empty"))
        assert (found is not None and found.count == 0) is is_empty


FORMS = (
    "<p>1 result for <b>pears</b></p><dl><dt><a href={link}>{title}</a><dd>{words}</dl>",
    "<p>Your search: pears</p><ul><li><a href={link}>{title}</a> {words}</ul>",
    "<table><tr><td><h3><a href={link}>{title}</a></h3><p>{words}</p></table>",
)
"""Markup of results without a word for it."""


def alone(form: str, n: int, link: str = "https://site.example/p") -> str:
    found = form.format(link=link, title=TITLES[n], words=WORDS[n])
    return (
        f"<html lang=en><title>pears - Seek</title><body><p><a href=/>Home</a> <a href=/new>New</a></p>{found}<hr>"
        "<p>Powered by <a href=https://made.example/>Seek 2</a></p>"
    )


def test_the_only_hit_is_known_by_the_words_of_the_query() -> None:
    for form in FORMS:
        for n in (0, 1, 3, 4):
            found = extract_hits(alone(form, n), URL, query="pears")
            assert [(one.title, one.address) for one in found.hits] == [(TITLES[n], "https://site.example/p")]


@pytest.mark.parametrize(
    "hit",
    [
        "<div class=card><article><a href=/img/{n}><img alt=''></a><h2><a href=/p/{n}>{title}</a></h2><span>€9.00</span></article></div>",
        "<table><tr class=row{n}><td>2026/{n}</td><td><a href=/p/{n}>{title}</a></td><td>Town Council</td></tr></table>",
    ],
)
def test_a_hit_without_a_word_of_the_query_stands_beside_one_that_has_it(hit: str) -> None:
    for names in (("Quinces in hedges", "Pears of the north"), ("Pears of the north", "Quinces in hedges")):
        rows = "".join(hit.format(n=n, title=name) for n, name in enumerate(names)).replace("</table><table>", "")
        assert titles(page(f"<div class=list>{rows}</div>")) == list(names)


def test_hits_that_are_nothing_but_linked_titles() -> None:
    form = "<form action=.><input type=search name=q value=pears><h3>Results</h3>{}</form>"
    plain = "<html lang=en><title>Search</title><body><h2>Search</h2>" + form
    rows = [
        f"<p><a href=/n/{n}>{title}</a></p>"
        for n, title in enumerate(
            ("梨树北方寒冷冬天种植", "秋月梨丰水梨品种名录", "梨的价格本周市场行情", "梨在地窖里储存两个月")
        )
    ]
    found = extract_hits(plain.format("".join(rows)), URL.replace("pears", "梨"), query="梨").hits
    assert [hit.address for hit in found] == [f"https://seek.example/n/{n}" for n in range(4)]
    assert not extract_hits(plain.format("".join(rows)), URL, query="pears").hits


def whole_titles(html: str, name: str) -> list[str]:
    """The titles of hits of which an algorithm has found the elements with a class."""
    given = Page.from_text(html, URL)
    found = RecordPage(URL, "made", "ok", confidence=0.8, regions=(region_of(given.nodes, name),))
    return [one.title for one in page_hits(given, whole_hits(given, found))]


def test_a_hit_that_is_built_unlike_the_others_is_one() -> None:
    row = "<div class='result plain'><h3><a href=https://site{n}.example/p>{title}</a></h3><p>{words}</p></div>"
    film = "<div class='result film'><img src=7.jpg alt=''><h3><a href={link}>{title}</a></h3><p>{words}</p></div>"
    rows = [row.format(n=n, title=TITLES[n], words=WORDS[n]) for n in range(7)]
    for link, count in (("https://film.example/7", 1), ("/search?q=pears&kind=films", 0)):
        other = film.format(link=link, title=TITLES[7], words=WORDS[7])
        html = page("".join([*rows[:4], other, *rows[4:]]))
        assert whole_titles(html, "plain") == [*TITLES[:4], *TITLES[7:] * count, *TITLES[4:7]] * bool(count)


def test_hits_that_are_shown_whole_are_the_articles_around_their_paragraphs() -> None:
    post = "<article><h2><a href={link}>{title}</a></h2><section>{text}</section><footer>By Jane Doe</footer></article>"
    text = "".join(f"<p class=part>{words}</p>" for words in WORDS[:3])
    for count in (1, 2):
        posts = "".join(post.format(link=f"/p/{n}", title=TITLES[n], text=text) for n in range(count))
        assert whole_titles(page(posts), "part") == list(TITLES[:count])
    assert whole_titles(page(post.format(link="/search?q=pears", title=TITLES[0], text=text)), "part") == []


def test_the_only_hit_reaches_up_to_its_heading() -> None:
    post = (
        "<article><header><h2><a href=/2026/orchards/>Orchards in the north</a></h2></header><div class=entry><p>Cold winters are no"
        " trouble for pears … <a href=/2026/orchards/>Continue reading</a></p></div><footer>News</footer></article>"
    )
    html = (
        f"<html lang=en><title>pears - Blog</title><body class=search-results><main><h1>Results for pears</h1>{post}</main>"
    )
    found = extract_hits(html, "https://blog.example/?s=pears", query="pears").hits
    assert [(one.title, one.snippet) for one in found] == [
        ("Orchards in the north", "Cold winters are no trouble for pears …")
    ]


def test_the_number_of_a_document_below_the_title_is_no_second_hit() -> None:
    hit = (
        f"<article class=result><a href=/patent/7/en><h3><span>{TITLES[0]}</span></h3></a><div class=abstract><h4>WO EP <a href="
        f"https://pdf.example/US7654321B2.pdf>US7654321B2</a> Jane Doe</h4><p>{WORDS[0]}</p></div></article>"
    )
    found = extract_hits(page(hit), URL, query="pears").hits
    assert [(one.title, one.address) for one in found] == [(TITLES[0], "https://seek.example/patent/7/en")]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("doku.php?do=search&q=pears", "doku.php?id=garden:pears"),
        ("shop.php?route=search&q=pears", "shop.php?route=product&id=4"),
    ],
)
def test_the_only_hit_may_be_at_the_path_of_the_search(here: str, there: str) -> None:
    hit = f"<dl><dt><a href='/{there}'>garden_pears</a></dt><dd>3 hits</dd><dd class=snippet>{WORDS[0]}</dd></dl>"
    html = f"<html lang=en><title>Search</title><body><h1>Search</h1><div><h2>Results:</h2>{hit}</div>"
    found = extract_hits(html, f"https://wiki.example/{here}", query="pears").hits
    assert [(one.title, one.address) for one in found] == [("garden_pears", f"https://wiki.example/{there}")]


def test_a_linked_line_above_a_table_is_the_title_where_the_table_leads_to_other_searches() -> None:
    row = (
        "<div class=panel><div class=top><span>{n}.</span> <a href=https://site{n}.example/p>{title}</a></div><table class=data>"
        "<tr><th>Author:</th><td><a href=/search?q=author:doe{n}>Jane Doe {n}</a></td></tr><tr><th>Description:</th><td>{words}</td></tr>"
        "<tr><th>Publisher:</th><td>University</td></tr><tr><th>Year:</th><td>200{n}</td></tr><tr><th>Type:</th><td>Article</td></tr>"
        "</table><ul><li><a href=/record/{n}>Detail view</a></li><li><a href=/mail/{n}>Email this</a></li></ul></div>"
    )
    rows = "".join(row.format(n=n, title=TITLES[n], words=WORDS[n]) for n in range(8))
    assert whole_titles(page(rows), "data") == list(TITLES)


def test_links_of_a_site_below_the_only_hit_are_no_hits() -> None:
    below = "".join(f"<tr><td><h3><a href=https://a.example/p/{n}>Pears {n}</a></h3> {WORDS[n]}</td></tr>" for n in range(4))
    hit = f"<div class=result><h3><a href=https://a.example/p>Pears</a></h3><p>{WORDS[0]}</p><table>{below}</table></div>"
    found = extract_hits(page(f"<div id=results>{hit}</div>"), URL, query="pears").hits
    assert [(one.title, one.address) for one in found] == [("Pears", "https://a.example/p")]


def test_one_of_several_hits_is_no_only_hit() -> None:
    lines = "".join(
        f"<dt><a href=https://site{n}.example/p>{name}</a><dd>{n} kB" for n, name in enumerate(("pears-1", "x-2", "y-3"))
    )
    assert titles(f"<html><body><dl>{lines}</dl>") != ["pears-1"]


def test_without_hits_the_words_of_the_query_lead_to_none() -> None:
    for said in ("Nothing was found for pears.", "Your search for pears has no results. Try our <a href=/help>help</a>."):
        assert titles(f"<html lang=en><body><h1>pears</h1><p>{said}</p><p><a href=/new>New pages</a></p>") == []


def test_who_made_a_sites_search_is_none_of_its_doubtful_hits() -> None:
    own = "".join(f"<p class=r><a href=/p/{n}>{TITLES[n]}</a> {WORDS[n]}</p>" for n in range(3))
    made = "<p class=r><a href=https://made.example/>Seek 2.1</a></p>"
    for confidence, html, count in (
        (0.3, own + made, 3),
        (0.8, own + made, 4),
        (0.3, made + own, 4),
        (0.3, own + 2 * made, 5),
    ):
        page = Page.from_text(f"<html><body>{html}", URL)
        region = region_of(page.nodes, "r")
        table = align(page.nodes, region, URL)
        records = [Record("", items, 0, roots) for roots, items in zip(region.records, table, strict=True)]
        found = RecordPage(URL, "made", "ok", tuple(records), confidence, regions=(region,))
        assert len(page_hits(page, found)) == count


def test_a_page_without_blocks_has_no_only_hit() -> None:
    lines = "".join(f"<b><a href=/p/{n}>{TITLES[n]}</a></b><br>" for n in range(3))
    assert titles(f"<html lang=en><body><h2>Search results for pears</h2><hr>{lines}") in ([], list(TITLES[:3]))


def test_a_page_without_records_that_says_so_is_rejected_for_that() -> None:
    form = "<title>pears - Search</title><form><input name=q value=pears></form>"
    for said, is_told in (("No results found for pears.", True), ("Keine Treffer für pears", True), ("Hello.", False)):
        found = extract_hits(f"{form}<p>{said}</p><p>Check the spelling.</p>", URL, query="pears")
        assert (found.status, list(found)) == ("empty", [])
        assert (found.reason == "the page says that nothing was found") == is_told
