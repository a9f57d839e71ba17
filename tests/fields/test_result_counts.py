"""What a page says of how many hits it has, and what follows for its hits."""

from __future__ import annotations

import random

import pytest

from newsextract import extract_hits, extract_teasers, record_pages
from newsextract.fields.only_record import names_results, said_count
from newsextract.page.page import Page
from newsextract.records.items import align
from newsextract.results import Record, RecordPage
from tests.record_items.pages import region_of

URL = "https://seek.example/find?q=pears"
NOTHING = (
    "Your search - <b>pears</b> - did not match any documents.", "<b>0</b> results", "Showing 0 of 0 results", "Results: 0",
    "We couldn’t find any orchards", "There are no events that match", "Die Suche ergab <i>keine</i> passenden Einträge",
    "Es wurden leider keine Produkte gefunden", "Aucun produit ne correspond à votre sélection.", "No se han encontrado productos.",
    "Nessun prodotto trovato", "Nenhum produto foi encontrado", "Geen producten gevonden", "Inga sidor hittades", "Fant ingen sider",
    "Ingen sider fundet", "Haulla ei löytynyt sivuja", "Nincs találat", "Nebyly nalezeny žádné stránky", "Nie znaleziono stron",
    "Nenašli sa žiadne výsledky", "Nema rezultata", "По запросу ничего не найдено", "За запитом нічого не знайдено", "Δεν βρέθηκαν σελίδες",
    "Sonuç bulunamadı", "Không tìm thấy trang nào", "Tidak ada hasil", "لم يتم العثور على نتائج", "یافت نشد", "לא נמצאו תוצאות",
    "ไม่พบข้อมูล", "該当するページはありません", "没有找到相关结果", "找不到符合的頁面", "검색 결과가 없습니다", "Nu a fost găsit niciun produs",
    "No posts available.",
)  # fmt: skip
ONE = (
    "1 result for pears",
    "Found <b>1</b> match",
    "Results 41 – 41 of 41",
    "1 Treffer",
    "Résultats : 1",
    "1 件",
    "1 packages found",
    "<b>1</b> projects for “pears”",
    "1 produit trouvé",
)
NEITHER = (
    "10 results for pears", "Results 1 – 10 of 21", "No account yet?", "Version 1.0 results", "No more results", "Page 1 of 1",
    "Keine weiteren Ergebnisse", "1-10 results", "A pear a day", "There are no products in your cart.", "No comments yet", "Keine Artikel im Warenkorb vorhanden",
    "No preview available",
)  # fmt: skip
OTHERS = "".join(f"<li><a href=/p/{n}>Pears of the year {1990 + n}</a> grow on a tree in the north.</li>" for n in range(4))


def count(said: str) -> int | None:
    nodes = Page.from_text(f"<html><body><h1>Pears</h1><p>{said}</p>", URL).nodes
    found = said_count(nodes, RecordPage(URL, "x", "empty"))
    return None if found is None else found.count


@pytest.mark.parametrize(("texts", "wanted"), [(NOTHING, 0), (ONE, 1), (NEITHER, None)])
def test_statements_of_many_languages_tell_whether_anything_was_found(texts: tuple[str, ...], wanted: int | None) -> None:
    assert [text for text in texts if count(text) != wanted] == []


def test_links_and_menus_are_no_statements() -> None:
    assert count("<a href=/none>No results found</a>") is None
    assert count("<select><option>No results found</option></select>") is None


def page(middle: str) -> str:
    return (
        f"<html lang=en><title>pears</title><body><form action=/find><input name=q value=pears></form><h1>Find</h1>{middle}"
    )


def test_what_follows_a_statement_of_nothing_is_no_hit_even_with_words_of_the_query() -> None:
    assert extract_hits(page(f"<p>No results.</p><h2>Popular</h2><ul>{OTHERS}</ul>"), URL, query="pears").hits == ()


def test_hits_that_the_page_shows_instead_are_kept() -> None:
    for said, above in (("No exact matches.", "You may like"), ("No results for peers.", "Showing results for pears")):
        found = extract_hits(page(f"<p>{said}</p><h2>{above}</h2><ul>{OTHERS}</ul>"), URL, query="peers")
        assert len(found.hits) == 4


def test_advice_is_no_heading_of_other_hits() -> None:
    html = "<p>Nothing found</p><p>{}</p><p>end</p>"
    for advice, wanted in (
        ("Results for pear", True),
        ("Quotes around a phrase show more results than the same words without. " * 2, False),
    ):
        nodes = Page.from_text(html.format(advice), URL).nodes
        texts = nodes.shown.tolist()
        assert names_results(nodes, texts[0], texts[-1]) is wanted


ALONE = (
    "<p>1 result</p><ul class=menu><li><a href=/new>New</a></ul><div><h2><a href=/p/1>Quinces</a></h2><p>Grown in hedges.</p></div>",
    "<div class=bar><span>21 - 21 of 21</span></div><form><input type=checkbox><table><tr><td>1.<td><a href=/p/1>Quinces</a> by Jane</table></form>",
    "<ul class=breadcrumb><li><a href=/all>All of the fruit</a></ul><ol><li><a href=/p/1>Quinces</a> Grown in hedges.</ol><p>Displaying 1 result</p>",
)  # fmt: skip


@pytest.mark.parametrize("html", ALONE)
def test_the_only_hit_stands_beside_the_count_and_needs_no_word_of_the_query(html: str) -> None:
    found = extract_hits(page(html) + "<footer><a href=/terms>Terms of use of this site</a></footer>", URL, query="pears")
    assert [(hit.title, hit.address) for hit in found.hits] == [("Quinces", "https://seek.example/p/1")]


@pytest.mark.parametrize(
    ("url", "html", "address"),
    [
        (
            "https://seek.example/?s=pears",
            "<article><header><h2><a href=/?p=12>Hedges</a></h2></header><p>Pears grow in them, too.</p></article>",
            "https://seek.example/?p=12",
        ),
        (
            "https://seek.example/find?q=pears",
            "<div class='page with-sidebar'><h1>Found in 1 page</h1><h2><a href=/hedges>Pears in hedges</a></h2><p>Pears grow in them, too.</p></div>",
            "https://seek.example/hedges",
        ),
    ],
    ids=["one path for all pages, an article with a head", "a class that tells of a sidebar"],
)
def test_the_only_hit_may_be_in_a_head_of_its_own_or_an_element_named_after_a_sidebar(
    url: str, html: str, address: str
) -> None:
    around = f"<html><body><nav><a href=/?all=1>All of the fruit</a></nav>{html}<footer><a href=/terms>Terms</a></footer></body></html>"
    assert [hit.address for hit in extract_hits(around, url, query="pears").hits] == [address]


LISTED = (
    "<ol class=search-results>{}</ol>", "<form action=/><input name=q><div class=searchresults><ul>{}</ul></div></form>", "<div id=searchResults><form><input type=checkbox><ul>{}</ul></form></div>",
    "<ul class=menu><li><a href=/a>Other results of the year</a></ul><section class='hits wide'><ul>{}</ul></section>",
)  # fmt: skip


@pytest.mark.parametrize("around", LISTED)
def test_few_entries_of_a_list_of_results_are_its_hits(around: str) -> None:
    entries = [
        f"<li><h3><a href=/p/{n}>{name}</a></h3><p>Grown in hedges.</li>"
        for n, name in enumerate(("Quinces", "Medlars", "Sloes"))
    ]
    for count in (1, 2, 3):
        found = extract_hits(page(around.format("".join(entries[:count]))), URL, query="zz")
        assert [hit.title for hit in found.hits] == ["Quinces", "Medlars", "Sloes"][:count]


def test_advice_in_a_list_of_results_and_links_to_hits_alone_are_no_hits() -> None:
    for entries in ("<li>Check the spelling.<li>Use fewer words.", "<li><a href=/p/1>Go there</a>"):
        assert extract_hits(page(f"<ul class=searchresults>{entries}</ul>"), URL, query="zz").hits == ()


def test_rows_below_the_header_of_a_table_are_hits_if_the_page_has_no_others() -> None:
    rows = [
        f"<tr><th><a href=/p/{n}>{name}</a></th><td>Jane Doe<td>2021-05-0{n + 1}</tr>"
        for n, name in enumerate(("Quinces", "Medlars"))
    ]
    for count in (1, 2):
        found = extract_hits(
            page("<table><tr><th>Title<th>Author<th>Date</tr>" + "".join(rows[:count]) + "</table>"), URL, query="zz"
        )
        assert [hit.title for hit in found.hits] == ["Quinces", "Medlars"][:count]


CARD = "<div class='{name}'><a href=/p/1><img src=a.jpg alt=''></a><h3><a href=/p/1>Quinces</a></h3><p>They are grown in hedges.</p></div>"


def test_the_only_entry_of_a_list_is_known_by_its_name() -> None:
    around = (
        "<html lang=en><body><nav><div class=item><a href=/all>All of the fruit</a></div></nav><h1>Fruit</h1>{}<aside>"
        + CARD.format(name="card")
    )
    parts = "<div class=item-body>They are grown in hedges.</div><div class=item-body>Ripe</div>"
    parts = f"<div class=item><div class=item-head><a href=/p/1>Quinces</a></div>{parts}</div>"
    for entry in (*(CARD.format(name=name) for name in ("card", "fruit-item", "teaser big")), parts):
        found = extract_teasers(around.format(f"<div class=fruits>{entry}</div>"), URL)
        assert [(one.title, one.snippet) for one in found.teasers] == [("Quinces", "They are grown in hedges.")]


def test_a_box_that_holds_several_entries_or_an_article_is_no_only_entry() -> None:
    for html in (
        "<div class=card><div class=item><a href=/p/1>Quinces in hedges</a></div><div class=item><a href=/p/2>Medlars in hedges</a></div></div>",
        f"<article><h2><a href=/p/1>Quinces</a></h2><p>{'They are grown in hedges, and all of them are picked by hand. ' * 30}</p></article>",
        f"<p>There are no fruit that match.</p>{CARD.format(name='card')}",
    ):
        assert "by its name" not in (extract_teasers(f"<html lang=en><body><h1>Fruit</h1>{html}", URL).found.note or "")


def test_doubtful_links_without_a_word_of_the_query_are_no_hits(monkeypatch: pytest.MonkeyPatch) -> None:
    links = "".join(
        f"<div class=x><a href=/c/{n}>{name}</a></div>" for n, name in enumerate(("Tools", "Seeds", "Soil", "Pots"))
    )
    given = Page.from_text(page(f"<div>{links}</div>"), URL)
    region = region_of(given.nodes, "x")
    table = align(given.nodes, region, URL)
    records = tuple(Record(given.nodes.text(*own), its, 0, own) for own, its in zip(region.records, table, strict=True))
    for confidence, query, count in ((0.2, "pears", 0), (0.4, "pears", 4), (0.2, "tools", 4), (0.2, "", 4)):
        found = RecordPage(URL, "made", "ok", records, confidence, regions=(region,))
        monkeypatch.setattr(record_pages, "_records", lambda *_, found=found: (found, None))
        assert len(extract_hits(given, query=query).hits) == count


@pytest.mark.parametrize(("query", "count"), [("", 8), ("report", 8), ("pears", 0)])
def test_without_a_query_a_statement_of_nothing_proves_little(query: str, count: int) -> None:
    hits = "".join(
        f"<div class=result><h3><a href=/news/{n}>Report number {n} of the bank</a></h3><p>How the year {1990 + n} went.</div>"
        for n in range(8)
    )
    assert len(extract_hits(page(f"<p>No events found.</p>{hits}"), URL, query=query).hits) == count


def test_an_entry_that_holds_a_list_is_no_only_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    hits = "".join(
        f"<div class=x><a href=/news/{n}>Report {n} of the bank</a> How the year {1990 + n} went for it.</div>"
        for n in range(8)
    )
    given = Page.from_text(page(f"<div class=searchresults><section class=result>{hits}</section></div>"), URL)
    region = region_of(given.nodes, "x")
    table = align(given.nodes, region, URL)
    records = tuple(Record(given.nodes.text(*own), its, 0, own) for own, its in zip(region.records, table, strict=True))
    found = RecordPage(URL, "made", "ok", records, 0.4, regions=(region,))
    monkeypatch.setattr(record_pages, "_records", lambda *_: (found, None))
    assert len(extract_hits(given, query="zz").hits) == 8


def test_any_page_is_read() -> None:
    draw = random.Random(1)
    html = page("".join(f"<p>{said}</p>" for said in NOTHING[:4]) + "".join(ALONE))
    for _ in range(200):
        start, end = sorted(draw.randrange(len(html)) for _ in range(2))
        extract_hits(html[:start] + html[end:] * draw.randrange(3), URL, query="pears")
