"""What a page says of how many hits it has, and what follows for its hits."""

from __future__ import annotations

import random

import pytest

from newsextract import extract_hits
from newsextract.fields.result_counts import names_results, said_count
from newsextract.page.page import Page
from newsextract.results import RecordPage

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
)  # fmt: skip
ONE = ("1 result for pears", "Found <b>1</b> match", "Results 41 – 41 of 41", "1 Treffer", "Résultats : 1", "1 件")
NEITHER = (
    "10 results for pears", "Results 1 – 10 of 21", "No account yet?", "Version 1.0 results", "No more results", "Page 1 of 1",
    "Keine weiteren Ergebnisse", "1-10 results", "A pear a day",
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


def test_any_page_is_read() -> None:
    draw = random.Random(1)
    html = page("".join(f"<p>{said}</p>" for said in NOTHING[:4]) + "".join(ALONE))
    for _ in range(200):
        start, end = sorted(draw.randrange(len(html)) for _ in range(2))
        extract_hits(html[:start] + html[end:] * draw.randrange(3), URL, query="pears")
