"""Pages that only say that they do not exist, or that something else stands before them, are recognised by title or heading;
articles about such pages are not."""

from __future__ import annotations

import pytest

from newsextract import Page, extract
from newsextract.page.notices import MOST_TEXT, find_notice

HINT = "<p>Please check the address, use the search, or go back to our home page and read the latest news of the day.</p>"
MISSING = [
    "Oops! That page can’t be found.", "Sorry, we could not find that page", "This article is no longer available", "404",
    "Error 404 – Not Found", "The page you are looking for doesn't exist", "We can't find the page you're looking for",
    "Diese Seite wurde leider nicht gefunden", "Der Artikel ist nicht mehr verfügbar", "Die Seite existiert leider nicht",
    "Pagina niet gevonden", "Deze pagina bestaat niet meer", "Page introuvable", "Cette page n’existe plus",
    "Página no encontrada", "La página que buscas no existe", "Página não encontrada", "Pagina non trovata",
    "No s’ha trobat la pàgina", "Páxina non atopada", "Pagina nu a fost găsită", "Sidan kunde inte hittas", "Siden ble ikke funnet",
    "Siden blev ikke fundet", "Síðan fannst ekki", "Sivua ei löytynyt", "Lehekülge ei leitud", "Lapa nav atrasta",
    "Puslapis nerastas", "Az oldal nem található", "Stránka nebyla nalezena", "Stránka nebola nájdená",
    "Strona nie została znaleziona", "Nie znaleziono strony", "Stranica nije pronađena", "Stran ne obstaja", "Страница није пронађена",
    "Страницата не е намерена", "Страницата не е пронајдена", "Страница не найдена", "Такой страницы нет: страница не существует",
    "Сторінку не знайдено", "Старонка не знойдзена", "Η σελίδα δεν βρέθηκε", "Sayfa bulunamadı", "Səhifə tapılmadı", "Էջը չի գտնվել",
    "გვერდი ვერ მოიძებნა", "Không tìm thấy trang", "Halaman tidak ditemukan", "Hindi mahanap ang pahina", "Ukurasa haupatikani",
    "الصفحة غير موجودة", "صفحه مورد نظر یافت نشد", "صفحہ نہیں ملا", "הדף לא נמצא", "पेज नहीं मिला", "ไม่พบหน้าที่คุณต้องการ",
    "お探しのページは見つかりませんでした", "页面不存在", "抱歉，找不到您要的頁面", "페이지를 찾을 수 없습니다", "Faqja nuk u gjet", "Orria ez da aurkitu",
]  # fmt: skip
LOGINS = [
    "Log in",
    "Anmelden",
    "Connexion",
    "Iniciar sesión",
    "Logga in",
    "Zaloguj się",
    "Вход",
    "登录",
    "ログイン",
    "로그인",
]
CONSENTS = [
    "We value your privacy",
    "Before you continue",
    "Ihre Privatsphäre ist uns wichtig",
    "Nous respectons votre vie privée",
]
CLOSED = [
    "Site under maintenance",
    "We'll be back soon!",
    "Wartungsarbeiten",
    "Site en maintenance",
    "网站维护中",
    "Service unavailable",
]
FORM = '<form><input name="user"><input type="password" name="p"><button>OK</button></form>'


def page(title: str, heading: str, text: str = HINT, head: str = "") -> Page:
    body = f"<nav><a href=/sport>Sport</a></nav><main><article><h1>{heading}</h1>{text}</article></main>"
    return Page.from_text(f"<title>{title}</title>{head}<body>{body}", "http://a.example/news/1.html")


@pytest.mark.parametrize("said", MISSING)
def test_a_page_that_says_that_it_does_not_exist_is_missing(said: str) -> None:
    for made in (page("The Daily Example", said), page(f"{said} | The Daily Example", "Oops!")):
        notice = find_notice(made)
        assert notice is not None
        assert notice.status == "missing"
    article = extract(page("The Daily Example", said))
    assert (article.status, article.is_article) == ("missing", False)
    assert said[:3].lower() in (article.reason or "")


@pytest.mark.parametrize(
    ("said", "text", "status"),
    [
        *((said, FORM, "blocked") for said in LOGINS),
        *((said, "<p>We and our partners use cookies.</p><button>Accept</button>", "blocked") for said in CONSENTS),
        *((said, "<p>We are working on it.</p>", "server_error") for said in CLOSED),
    ],
)
def test_what_stands_before_a_page_is_told_by_its_title(said: str, text: str, status: str) -> None:
    notice = find_notice(page(f"{said} - Example", said, text))
    assert notice is not None
    assert notice.status == status
    assert extract(page(f"{said} - Example", said, text)).status == status
    if status == "blocked":
        assert find_notice(page(said, said, HINT)) is None, "no field, no button"
        headline = "Council votes for the second bridge over the river"
        assert find_notice(page(f"{headline} | Example", said, text)) is None, "a layer over an article"


def test_a_question_for_consent_is_told_by_its_address() -> None:
    body = b"<title>Example</title><p>We and 800 partners store data.</p><button>Yes</button>"
    for url in ("https://consent.example.com/v2/collect?id=1", "https://news.example/privacy-gate?redirectUri=/a"):
        notice = find_notice(Page(body, url))
        assert notice is not None
        assert notice.status == "blocked"
    assert find_notice(Page(body, "https://news.example/consent-of-the-governed")) is None
    assert find_notice(Page(body, "https://news.example/?next=/privacy-gate")) is None


@pytest.mark.parametrize(
    "made",
    [
        page(
            "Page not found",
            "Page not found",
            "<p>" + "Why pages vanish, and who keeps them alive. " * (MOST_TEXT // 40) + "</p>",
        ),
        page("Page not found", "Page not found", head='<meta property="article:published_time" content="2025-01-02">'),
        page("Page not found", "Page not found", '<time datetime="2025-01-02">2 January</time><p>A short one.</p>'),
        page("Page not found", "Page not found", head='<meta name="author" content="Ann Lee">'),
        page("404 Media sues the city over its records", "404 Media sues the city over its records"),
        page("How to fix a page", "Police could not find the missing driver"),
        page("Das Buch", "Der Artikel 5 des Grundgesetzes und seine Folgen für die Presse"),
        page("Login problems cost banks millions", "Login problems cost banks millions"),
        page("Zustimmung zur Reform wächst", "Zustimmung zur Reform wächst"),
        *(
            page("Example", headline)
            for headline in (
                "What we know about the boy who is missing",
                "Post office has moved to the harbour",
                "Le document n’est pas signé",
                "La nota ya no vale nada",
                "Berita tidak benar",
                "Документ больше не действует",
                "Článek není pravdivý",
                "На мосту ведутся технические работы",
                "Bus service currently down after storm",
                "系统维护公告",
            )
        ),
        page("Seite an Seite", "Seite an Seite: zwei Nachbarn bauen ein Boot"),
    ],
)
def test_articles_about_such_pages_are_none(made: Page) -> None:
    assert find_notice(made) is None
    assert extract(made).status not in ("missing", "blocked", "server_error")


def test_times_of_teasers_do_not_date_a_missing_page() -> None:
    teasers = "".join(f"<a href=/{k}>Story {k}</a> <time datetime=2025-01-0{k}>{k} January</time>" for k in range(1, 5))
    assert find_notice(page("Page not found", "Page not found", teasers)) is not None
