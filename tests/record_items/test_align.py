"""Columns, labels, links and static items of whole pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from newsextract.page.nodes import STYLE_NAMES, Geometry, read_nodes
from newsextract.records.items import align
from newsextract.results import Region
from tests.record_items.pages import column, region_of, rows

HITS = """<ol>
<li class=hit><h3><a href="/go/1">Growing <b>pears</b> in the north</a></h3><cite>orchard.example/<b>pears</b>/north</cite>
  <p>Cold winters are no trouble for <b>pears</b>, as long as late frost stays away.</p><span class=tools><a href="/c/1">Cached</a></span></li>
<li class=hit><h3><a href="/go/2"><b>Pears</b></a></h3><cite>fruit.example/<b>pears</b></cite>
  <p>All sorts of <b>pears</b>, from Abate Fetel to Williams, and where they grow best.</p><span class=tools><a href="/c/2">Cached</a></span></li>
<li class=hit><h3><a href="/go/3">Market prices for fruit</a></h3><cite>market.example</cite><em class=date>3 May 2011</em>
  <p>What growers were paid this week at the market hall of Brell.</p><span class=tools><a href="/c/3">Cached</a></span></li>
</ol>"""

TABLE = """<table>
<tr><td><a href="https://a.example/">Alder</a></td><td>12.50 €</td><td>in stock</td><td></td></tr>
<tr><td><a href="https://b.example/">Birch</a></td><td>8.00 €</td><td>in stock</td><td>last ones</td></tr>
<tr><td><a href="https://c.example/">Cedar</a></td><td>31.90 €</td><td>sold out</td><td></td></tr>
</table>"""

LISTS = """<div>
<dl class=car><dt>Year</dt><dd>2009</dd><dt>Colour</dt><dd>red</dd><dt>Seats</dt><dd>5</dd></dl>
<dl class=car><dt>Year</dt><dd>2011</dd><dt>Seats</dt><dd>2</dd></dl>
<dl class=car><dt>Colour</dt><dd>blue</dd><dt>Seats</dt><dd>7</dd></dl>
</div>"""


def test_highlighted_words_do_not_split_a_title_or_a_snippet() -> None:
    table = rows(HITS, "hit")
    assert column(table, "title") == ["Growing pears in the north", "Pears", "Market prices for fruit"]
    assert column(table, "url") == ["orchard.example/pears/north", "fruit.example/pears", "market.example"]
    assert column(table, "snippet")[0] == "Cold winters are no trouble for pears, as long as late frost stays away."


def test_a_column_that_few_records_have_is_a_column() -> None:
    assert column(rows(HITS, "hit"), "date") == [None, None, "3 May 2011"]


def test_links_are_absolute_and_known_as_links() -> None:
    first = rows(HITS, "hit")[0]
    assert (first["title"].kind, first["title"].link) == ("link", "https://seek.example/go/1")
    assert (first["snippet"].kind, first["snippet"].link) == ("text", None)


def test_relative_links_without_an_address_are_none() -> None:
    assert rows(HITS, "hit", url=None)[0]["title"].link is None
    assert rows(TABLE, "tr", url=None)[0]["title"].link == "https://a.example/"


def test_a_base_element_counts() -> None:
    html = f'<head><base href="https://other.example/dir/"></head>{HITS}'.replace("/go/1", "go/1")
    assert rows(html, "hit", url=None)[0]["title"].link == "https://other.example/dir/go/1"


def test_buttons_are_static_and_data_are_not() -> None:
    for row in rows(HITS, "hit"):
        assert [item.text for item in row.values() if item.static] == ["Cached"]


def test_cells_of_a_table_keep_their_columns_when_some_are_empty() -> None:
    table = rows(TABLE, "tr")
    assert column(table, "title") == ["Alder", "Birch", "Cedar"]
    assert column(table, "price") == ["12.50 €", "8.00 €", "31.90 €"]
    (remark,) = [label for label, item in table[1].items() if item.text == "last ones"]
    assert column(table, remark) == [None, "last ones", None]


def test_definitions_are_told_apart_by_the_label_before_them() -> None:
    table = rows(LISTS, "car")
    of = {item.text: label for row in table for label, item in row.items()}
    assert of["2009"] == of["2011"]
    assert of["red"] == of["blue"]
    assert of["5"] == of["2"] == of["7"]
    assert len({of["2009"], of["red"], of["5"]}) == 3


def test_rows_that_span_two_elements() -> None:
    html = "<dl>" + "".join(f"<dt><a href='/{n}'>Word {n}</a></dt><dd>Meaning number {n}</dd>" for n in "abc") + "</dl>"
    nodes = read_nodes(html)
    words = [node for node, tag in enumerate(nodes.tags) if tag in ("dt", "dd")]
    region = Region(words[0], tuple(zip(words[::2], words[1::2], strict=True)))
    table = align(nodes, region, None)
    assert [tuple(item.text for item in items) for items in table] == [(f"Word {n}", f"Meaning number {n}") for n in "abc"]
    assert len({tuple(item.label for item in items) for items in table}) == 1


def test_an_advertisement_in_other_markup_has_the_same_columns() -> None:
    hit = "<div class=r><div class=n><h3><a href=/{0}>Offer number {0}</a></h3><p class=d>Plain words about offer {0}, and why it is so cheap</p></div></div>"
    other = "<div class=r><div class=ad><h3><a href=/{0}>Offer number {0}</a></h3><p class=d>Loud words about offer {0}, and why it is so cheap</p></div></div>"
    table = rows("".join((other if n == 2 else hit).format(n) for n in range(6)), "r")
    assert column(table, "title") == [f"Offer number {n}" for n in range(6)]
    assert all("snippet" in row or "body" in row for row in table)
    assert len({frozenset(row) for row in table}) == 1


def test_a_link_and_its_remark_are_two_columns_but_a_name_behind_by_is_one() -> None:
    html = "".join(
        f"<div class=r><p class=t><a href=/{n}>Film {n}</a> (19{n}0)</p><p class=w>by <a href=/p{n}>Writer {chr(65 + n)}</a></p></div>"
        for n in range(4, 9)
    )
    texts = [[item.text for item in row.values()] for row in rows(html, "r")]
    assert texts[0] == ["Film 4", "(1940)", "by Writer E"]


def test_a_button_at_the_end_of_a_text_is_cut_off() -> None:
    html = "".join(
        f"<div class=r><p>Some long words on subject number {n}, told in full. <a href=/{n}>Learn more</a></p></div>"
        for n in range(5)
    )
    texts = [[(item.text, item.static) for item in row.values()] for row in rows(html, "r")]
    assert texts[2] == [("Some long words on subject number 2, told in full.", False), ("Learn more", True)]


def test_points_and_comments_side_by_side_are_two_columns() -> None:
    html = "".join(
        f"<div class=r><span class=score>{n} points</span> | <span class=comments>{2 * n} comments</span></div>"
        for n in range(3, 8)
    )
    texts = [[item.text for item in row.values()] for row in rows(html, "r")]
    assert texts[0] == ["3 points", "| 6 comments"]


def test_a_list_of_authors_is_one_column() -> None:
    names = [["Ada Moss"], ["Ben Tarn", "Cy Dell"], ["Di Fenn", "Ed Holt", "Flo Vale"]]
    html = "".join(
        f"<div class=r><h4>Paper {n}</h4><p class=authors>"
        + ", ".join(f"<a href=/p/{x[:2]}>{x}</a>" for x in names[n])
        + "</p></div>"
        for n in range(3)
    )
    assert column(rows(html, "r"), "author") == ["Ada Moss", "Ben Tarn, Cy Dell", "Di Fenn, Ed Holt, Flo Vale"]


def test_a_body_of_any_elements_is_one_item() -> None:
    bodies = [
        "<p>First of all, thanks for the long answer.</p><blockquote>It rains.</blockquote><p>Does it rain there too? I doubt it.</p>",
        "<p>No.</p><ul><li>not in May</li><li>not in June, as far as anybody here can remember it</li></ul>",
        "<pre>rain = false</pre><p>That is all there is to say about rain in this place, I believe.</p><p>Bye</p>",
        "<p>Agreed, and let us close this thread now, before it goes on and on for ever and a day.</p>",
    ]
    html = "".join(
        f"<div class=post><b class=user>user{n}</b><div class=message>{text}</div></div>" for n, text in enumerate(bodies)
    )
    table = rows(html, "post")
    assert column(table, "author") == ["user0", "user1", "user2", "user3"]
    assert column(table, "body")[1] == "No. not in May not in June, as far as anybody here can remember it"
    assert {frozenset(row) for row in table} == {frozenset(("author", "body"))}


def test_chinese_records() -> None:
    html = "".join(
        f"<li class=楼><span class=author>用户{n}</span><span class=time>2011-05-0{n} 10:22</span><div class=content>今天的<em>天气</em>很好，"
        f"我们一起去公园散步，看看第{n}种花，然后在湖边吃一点东西，再慢慢走回家。</div></li>"
        for n in range(1, 5)
    )
    table = rows(html, "楼")
    assert column(table, "date") == [f"2011-05-0{n} 10:22" for n in range(1, 5)]
    assert (
        column(table, "body")[0] == "今天的天气很好，我们一起去公园散步，看看第1种花，然后在湖边吃一点东西，再慢慢走回家。"
    )


def test_images_have_their_alternative_text_and_address() -> None:
    html = "".join(f"<li class=r><img src=/i/{n}.png alt='Vase {n}'><a href=/{n}>Blue vase {n}</a></li>" for n in range(3))
    first = rows(html, "r")[0]["image"]
    assert (first.text, first.kind, first.link) == ("Vase 0", "image", "https://seek.example/i/0.png")


def test_hidden_text_is_no_item() -> None:
    html = "".join(f"<li class=r><a href=/{n}>Seen {n}</a><i hidden>not {n}</i></li>" for n in range(3))
    assert [[item.text for item in row.values()] for row in rows(html, "r")] == [["Seen 0"], ["Seen 1"], ["Seen 2"]]


@pytest.mark.parametrize(
    ("markup", "label"),
    [
        ("<time>{0} hours</time>", "date"),
        ("<span itemprop=author>Name {0}</span>", "author"),
        ("<span class=list-price>about {0}</span>", "list-price"),
        ("<span class=list-price>$ {0}</span>", "price"),
        ("<b class=votes>{0}</b>", "votes"),
        ("<i class=zzz>some {0}</i>", "zzz"),
        ("<a rel=tag href=/t/{0}>tag {0}</a>", "tag"),
    ],
)
def test_labels(markup: str, label: str) -> None:
    html = "".join(f"<li class=r><h2><a href=/{n}>Heading {n}</a></h2>{markup.format(n)}</li>" for n in range(11, 15))
    assert all(label in row for row in rows(html, "r"))


def test_equal_labels_are_numbered() -> None:
    html = "".join(f"<li class=r><p class=zz>one {n}</p><div class=zz>two {n}</div></li>" for n in range(3))
    assert [list(row) for row in rows(html, "r")] == [["zz", "zz-2"]] * 3


LEDGER = (
    ("Alder planted by the ferry", "Mara Quill", "3 May 2021"),
    ("A new gate for the mill", "Jon Ask", "8 May 2021"),
    ("Cedar boards, as promised", "Mara Quill", "2 June 2021"),
)


def ledger(head: str, cells: str = "<td>{n}</td><td><a href=/{n}>{title}</a></td><td>{name}</td><td>{day}</td>") -> str:
    rows = "".join(f"<tr class=r>{cells.format(n=n, title=t, name=who, day=day)}" for n, (t, who, day) in enumerate(LEDGER))
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"


@pytest.mark.parametrize(
    "head",
    [
        "<tr><th>No.<th>Subject<th>Reporter<th>Created",
        "<tr><th>Nr.<th>Betreff<th>Autor:<th>Datum",
        "<tr><th>编号<th>标题<th>作者<th>日期",
        "<tr><th colspan=2>Title<th>From<th>Date",
    ],
)
def test_headers_of_a_table_name_its_columns(head: str) -> None:
    table = rows(ledger(head), "r")
    assert column(table, "title") == [title for title, _, _ in LEDGER]
    assert column(table, "author") == [name for _, name, _ in LEDGER]
    assert column(table, "date") == [day for _, _, day in LEDGER]


def test_a_first_row_of_cells_is_no_header() -> None:
    assert "author" not in rows(ledger("<tr><td>No.<td>Subject<td>Reporter<td>Created"), "r")[0]


def test_a_header_that_its_column_contradicts_names_nothing() -> None:
    assert column(rows(ledger("<tr><th>No.<th>Subject<th>Date<th>Author"), "r"), "date") == [day for _, _, day in LEDGER]


def test_rendered_pages_say_which_elements_break_a_line() -> None:
    html = "".join(f"<div class=r><i>Name {n}</i> <i>Street {n}, a long one</i><br><b>Town {n}</b></div>" for n in range(3))
    nodes = read_nodes(html)
    # As a browser's style sheet may have it: i a block of its own, br inline as ever, b inline.
    display = STYLE_NAMES.index("display")
    drawn = [["inline" if name == display else "" for name in range(len(STYLE_NAMES))] for _ in range(2)]
    drawn[1][display] = "block"
    styles = np.array([int(tag in ("div", "i")) for tag in nodes.tags], dtype=np.int32)
    boxes = np.zeros((len(nodes), 4), dtype=np.float32)
    geometry = Geometry(boxes, styles, [tuple(row) for row in drawn], (800.0, 600.0), 16.0)
    table = align(replace(nodes, geometry=geometry), region_of(nodes, "r"), None)
    assert [item.text for item in table[0]] == ["Name 0", "Street 0, a long one", "Town 0"]


def test_a_region_without_text_has_records_without_items() -> None:
    nodes = read_nodes("<ul><li></li><li><img src=x></li></ul>")
    items = [node for node, tag in enumerate(nodes.tags) if tag == "li"]
    assert align(nodes, Region(items[0], tuple((node,) for node in items)), None) == [(), ()]
