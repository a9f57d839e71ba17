"""Data tables: their rows are lines of the text, tables that lay out the page are not."""

from __future__ import annotations

from newsextract import Page, extract
from newsextract.page.dom import passages, read_dom
from newsextract.rendition import to_html, to_markdown

PROSE = "<p>The ferry came in late, and nobody on the quay had a word to say about it, as the wind was up at {}.</p>"
TABLE = (
    "<table><caption>Landings</caption><tr><th></th><th>Herring</th><th>Cod</th></tr>"
    "<tr><td>May</td><td>12<br>t</td><td></td></tr><tr><td>June</td><td></td><td>9</td></tr></table>"
)


def page(table: str) -> Page:
    before, after = "".join(PROSE.format(n) for n in ("six", "seven", "eight")), PROSE.format("noon")
    return Page.from_text(f"<title>A day at sea</title><body><h1>A day at sea</h1><div>{before}{table}{after}</div>")


def test_a_row_is_a_line_and_its_cells_are_separated_by_tabs() -> None:
    lines = extract(page(TABLE)).text.split("\n")
    assert lines[3:-1] == ["Landings", "\tHerring\tCod", "May\t12 t", "June\t\t9"]


def test_a_table_of_long_cells_lays_out_the_page() -> None:
    dom = read_dom(f"<table><tr><td>{'word ' * 200}<td>b<tr><td>c<td>d</table>")
    assert dom.data_tables == {}
    assert dom.text(range(4)).split("\n")[1:] == ["b", "c", "d"]


def test_a_table_in_a_table_makes_the_outer_one_layout() -> None:
    dom = read_dom(f"<table><tr><td>x<td>{TABLE}<tr><td>y<td>z</table>")
    assert [dom.tags[table] for table in dom.data_tables] == ["table"]
    assert "May\t12 t" in dom.text(range(len(dom.texts))).split("\n")


def test_one_row_or_one_column_is_no_data() -> None:
    assert read_dom("<table><tr><td>a<td>b</table>").data_tables == {}
    assert read_dom("<table><tr><td>a<tr><td>b</table>").data_tables == {}


def test_passages_name_their_blocks() -> None:
    dom = read_dom("<p>x</p><table><tr><td>a<td>b<tr><td>c<td>d</table><p>y</p>")
    assert list(passages(dom, [0, 1, 2, 4, 5])) == [("x", [0]), ("a\tb", [1, 2]), ("\td", [4]), ("y", [5])]
    assert list(passages(dom, [])) == []


def test_a_table_keeps_its_form_in_markdown_and_html() -> None:
    shown = page(TABLE)
    article = extract(shown)
    assert "| June |  | 9 |" in to_markdown(shown, article)
    assert "<td>June</td><td></td><td>9</td>" in to_html(shown, article).replace("\n", "")
