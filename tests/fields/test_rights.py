"""What a page reserves, and who may read it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page, extract
from newsextract.fields.page_facts import FROM_FILE, access, barrier_lines, label_lines, reservation
from newsextract.page.metadata import read_metadata
from newsextract.results import Surroundings

STORY = (
    "<p>"
    + "</p><p>".join(f"The ferry of {day} left late, and nobody on the quay said why it did." for day in range(40))
    + "</p>"
)


def told(head: str = "", **headers: str) -> str | None:
    return reservation(
        read_metadata(f"<html><head>{head}</head></html>"), {k.replace("_", "-"): v for k, v in headers.items()}
    )


@pytest.mark.parametrize(
    ("head", "headers", "expected"),
    [
        ('<meta name="robots" content="noai, noimageai">', {}, "noai, noimageai (meta robots)"),
        ('<meta name="ROBOTS" content="INDEX, NOAI">', {}, "noai (meta robots)"),
        ("", {"X_Robots_Tag": "noindex"}, "noindex (X-Robots-Tag)"),
        ("", {"x_robots_tag": "max-snippet:-1, none"}, "none (X-Robots-Tag)"),
        ('<meta name="tdm-reservation" content="1">', {}, "tdm-reservation (meta)"),
        (
            "",
            {"tdm_reservation": "1", "tdm_policy": "https://x.example/p"},
            "tdm-reservation (header), policy https://x.example/p",
        ),
        ("", {"tdm_reservation": FROM_FILE}, "tdm-reservation (/.well-known/tdmrep.json)"),
        (
            '<meta name="robots" content="noai"><meta name="tdm-reservation" content="1">',
            {"x_robots_tag": "noai"},
            "noai (X-Robots-Tag); noai (meta robots); tdm-reservation (meta)",
        ),
    ],
)
def test_reserved(head: str, headers: dict[str, str], expected: str) -> None:
    assert told(head, **headers) == expected


@pytest.mark.parametrize(
    ("head", "headers"),
    [
        ('<meta name="robots" content="index, follow, max-image-preview:large">', {}),
        ('<meta name="googlebot" content="noindex">', {}),
        ('<meta name="description" content="noai is a directive">', {}),
        ("", {"x_robots_tag": "googlebot: noindex, noai"}),
        ('<meta name="tdm-reservation" content="0">', {"tdm_reservation": "0"}),
        ("", {}),
    ],
)
def test_not_reserved(head: str, headers: dict[str, str]) -> None:
    assert told(head, **headers) is None


def article(head: str = "", tail: str = "") -> tuple[str | None, str | None]:
    page = f"<html><head><title>Late ferries</title>{head}</head><body><article><h1>Late ferries</h1>{STORY}{tail}</article></body></html>"
    found = extract(page)
    assert "said why" in found.text
    return found.access, found.access_source.source if found.access_source else None


CHARACTERS = len(extract(f"<article><h1>Late ferries</h1>{STORY}</article>").text)


def ld(**more: object) -> str:
    import json

    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", **more})}</script>'


@pytest.mark.parametrize(
    ("head", "tail", "expected"),
    [
        ("", "", (None, None)),
        (ld(isAccessibleForFree=True), "", ("free", "json-ld:isAccessibleForFree")),
        (ld(isAccessibleForFree="http://schema.org/False"), "", ("limited", "json-ld:isAccessibleForFree")),
        ('<meta property="article:content_tier" content="metered">', "", ("limited", "meta:article:content_tier")),
        (ld(wordCount=600), "", (None, None)),
        (ld(wordCount=3000), "", ("cut", "json-ld:wordCount")),
        (ld(wordCount=CHARACTERS), "", (None, None)),
        (ld(wordCount="900", isAccessibleForFree=False), "", ("cut", "json-ld:wordCount")),
        (ld(isAccessibleForFree=False), "<p>Subscribe to continue reading</p>", ("cut", "text")),
        ("", "<p>This post is for paid subscribers</p>", ("cut", "text")),
        ("", "<p>Jetzt abonnieren und weiterlesen</p>", ("cut", "text")),
        ("", "<p>Il vous reste 63 % de cet article à lire.</p>", ("cut", "text")),
        ("", "<p>登录后继续阅读全文</p>", ("cut", "text")),
        (
            ld(isAccessibleForFree=True),
            "<p>Subscribe to read more letters from us.</p>",
            ("free", "json-ld:isAccessibleForFree"),
        ),
    ],
)
def test_access(head: str, tail: str, expected: tuple[str | None, str | None]) -> None:
    assert article(head, tail) == expected


def test_words_of_a_paragraph_are_no_wall() -> None:
    text = "He said that readers must subscribe to continue reading. " * 12
    assert access(read_metadata(""), text, Surroundings()) is None


@given(st.text(max_size=300), st.text(max_size=100))
def test_anything_may_stand_there(content: str, count: str) -> None:
    page = Page.from_text(
        f'<meta name=robots content="{content}">{ld(wordCount=count, isAccessibleForFree=content)}<p>{content}'
    )
    assert reservation(page.metadata, {"X-Robots-Tag": content}) == reservation(page.metadata, {"x-robots-tag": content})
    found = access(page.metadata, content, Surroundings(after=(count,)))
    assert found is None or found.value in ("free", "limited", "cut")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Subscribe to continue reading", "All of it for one pound a week.", "Already a subscriber? Sign in"], [2, 3, 4]),
        (["Already a subscriber?"], [2]),
        (["Subscribe to continue reading", "The ferry came in late. " * 20], []),
        (["Nobody said a word."], []),
    ],
)
def test_offers_at_the_end_are_no_text(lines: list[str], expected: list[int]) -> None:
    assert sorted(barrier_lines("\n".join(["The ferry was late.", "Nobody came.", *lines]))) == expected
    assert barrier_lines("Subscribe to continue reading") == frozenset()


def test_lines_of_a_label_alone_are_found() -> None:
    text = "The ferry was late.\nAnzeige\nReklam\nโฆษณา\nSubscribe\nAdvertisement rules for the ferry changed.\nNobody came."
    assert sorted(label_lines(f"{text}\n责任编辑：赵慧芳\n编辑部昨天搬了家。")) == [1, 2, 3, 4, 7]


@pytest.mark.parametrize(
    "line",
    ["Urmărește-ne și pe Google News sau abonează-te la canalul de WhatsApp.", "Підписуйтесь на наш Telegram-канал", "हमें गूगल न्यूज़ पर फॉलो करें",
     "Dapatkan berita pilihan. Gabung di Grup Telegram kami."],
)  # fmt: skip
def test_an_invitation_to_follow_the_site_elsewhere_is_no_text(line: str) -> None:
    assert label_lines(f"The ferry was late.\n{line}\nNobody came.") == {1}


@pytest.mark.parametrize("line", ["Condividi", "Sdílejte", "कॉपी लिंक", "印刷", "有料記事", "انتهای پیام"])
def test_a_label_of_a_button_is_no_text(line: str) -> None:
    assert label_lines(f"The ferry was late.\n{line}\nNobody came.") == {1}


def test_a_line_about_rights_is_none_at_the_end() -> None:
    assert label_lines(
        "The ferry was late.\n© RIPRODUZIONE RISERVATA\nNobody came.\n저작권자 © 한강일보 무단전재 및 재배포 금지"
    ) == {3}
    assert (
        label_lines(
            "She follows the news on Telegram.\nCopyright law is old, and the court in The Hague said on Monday that nobody may copy what it holds."
        )
        == set()
    )


@pytest.mark.parametrize("line", [
    "Suscríbete para seguir leyendo",
    "Este contenido es exclusivo para suscriptores",
    "Assine para continuar lendo",
    "Este artigo é exclusivo para assinantes",
    "Abbonati per continuare a leggere",
    "Questo contenuto è riservato agli abbonati",
    "La suite est réservée aux abonnés",
    "Il vous reste 72% de cet article à lire.",
    "Dit artikel is alleen voor abonnees",
    "Log in of neem een abonnement om verder te lezen",
    "Dalsza część artykułu dostępna dla prenumeratorów",
    "Ten artykuł przeczytasz tylko z prenumeratą",
    "Tento článek je dostupný pouze pro předplatitele",
    "Pro dočtení článku se přihlaste nebo si předplaťte",
    "A cikk folytatása csak előfizetőink számára elérhető",
    "Ez a tartalom csak előfizetők számára elérhető",
    "Articolul este disponibil doar pentru abonați",
    "Abonează-te pentru a citi tot articolul",
    "Bu içerik yalnızca abonelere özeldir",
    "Haberin devamını okumak için abone olun",
    "Το άρθρο είναι διαθέσιμο μόνο σε συνδρομητές",
    "Γίνετε συνδρομητής για να συνεχίσετε την ανάγνωση",
    "Den här artikeln är för prenumeranter",
    "Logga in för att läsa hela artikeln",
    "Tämä artikkeli on vain tilaajille",
    "Tilaa ja jatka lukemista",
    "Artiklen er kun for abonnenter",
    "Log ind for at læse videre",
    "Denne artikkelen er kun for abonnenter",
    "Logg inn for å lese videre",
    "Матеріал доступний лише за передплатою",
    "Щоб читати далі, оформіть підписку",
    "Материал доступен только по подписке",
    "Чтобы читать дальше, оформите подписку",
    "Ovaj sadržaj je dostupan samo pretplatnicima",
    "Pretplatite se da biste nastavili čitanje",
    "הכתבה זמינה למנויים בלבד",
    "כדי להמשיך לקרוא הצטרפו כמנויים",
    "هذا المحتوى متاح للمشتركين فقط",
    "اشترك لمتابعة القراءة",
    "این مطلب ویژه مشترکان است",
    "برای خواندن ادامه مطلب مشترک شوید",
    "यह लेख केवल सब्सक्राइबर्स के लिए है",
    "आगे पढ़ने के लिए सब्सक्राइब करें",
    "เนื้อหานี้สำหรับสมาชิกเท่านั้น",
    "สมัครสมาชิกเพื่ออ่านต่อ",
    "Nội dung chỉ dành cho thuê bao",
    "Đăng ký để đọc tiếp",
    "Artikel ini khusus untuk pelanggan",
    "Berlangganan untuk melanjutkan membaca",
    "この記事は会員限定です",
    "続きを読むには会員登録が必要です",
    "이 기사는 유료회원 전용입니다",
    "구독하고 계속 읽기",
    "本文為訂閱會員專屬",
    "訂閱後繼續閱讀",
    "本文为付费内容",
    "订阅后继续阅读",
])  # fmt: skip
def test_walls_of_many_languages(line: str) -> None:
    assert barrier_lines(f"The ferry was late.\nNobody came.\n{line}") == {2}
