"""The language of a page."""

import pytest

from newsextract.fields.page_facts import find_language, main_script
from newsextract.page.metadata import read_metadata

GERMAN = "Der Hafen ist seit gestern geschlossen, und die Fischer wissen nicht, wann sie wieder auf das Meer fahren dürfen."
CHINESE = "海湾大桥自昨日起封闭施工，预计一年后恢复通车，市民出行将受到影响。"
JAPANESE = "港の橋は昨日から一年間閉鎖されることになりました。"


@pytest.mark.parametrize(
    ("markup", "text", "expected"),
    [
        ("<html lang='de-AT'>", GERMAN, "de"),
        ("<html lang='en'>", CHINESE, "zh"),
        ("<html lang='zh-CN'>", JAPANESE, "ja"),
        ("<html lang='en'>", "다리는 어제부터 폐쇄되었습니다", "ko"),
        ("<html lang='en'>", "Мост закрыт на год, и рыбаки не знают, что им делать", "ru"),
        ("<html lang='uk'>", "Міст закрито на рік", "uk"),
        ("<meta property='og:locale' content='fr_FR'>", "Le pont est fermé", "fr"),
        ("<html lang='nb-NO'>", "Broen er stengt", "no"),
        ("<html lang='zh-CN'>", "The bridge is closed and the fishermen do not know when it will be open", "en"),
        ("<html lang='en'>", GERMAN, "de"),
        ("<html lang='ca'>", GERMAN, "ca"),  # no stop words are listed for it: nothing to compare
        ("<html lang='ja'>", "OK", "ja"),
        ("", GERMAN, "de"),
        ("", CHINESE, "zh"),
        ("", "El puente está cerrado desde ayer y los pescadores no saben qué hacer con las barcas", "es"),
        ("", "De brug is sinds gisteren gesloten en de vissers weten niet wat zij met hun boten moeten doen", "nl"),
        ("", "xyzzy", None),
        ("", "", None),
        ("<html lang='*'>", "", None),
    ],
)
def test_language(markup: str, text: str, expected: str | None) -> None:
    assert find_language(read_metadata(markup), text) == expected


def test_json_ld_and_hint() -> None:
    page = read_metadata('<script type="application/ld+json">{"@type": "Article", "inLanguage": "pt-BR"}</script>')
    assert find_language(page, "A ponte") == "pt"
    assert find_language(page, "A ponte", "gl") == "gl"
    assert find_language(page, CHINESE, "en") == "zh"


def test_scripts() -> None:
    assert main_script("abc") == "latin"
    assert main_script("123 …") is None
    assert main_script("iPhone 发布会在北京举行") == "han"
    assert main_script("Überall Ähren – „Öl“") == "latin"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("પુલ ગઈકાલથી એક વર્ષ માટે બંધ છે", "gu"),
        ("వంతెన నిన్నటి నుండి మూసివేయబడింది", "te"),
        ("ድልድዩ ከትናንት ጀምሮ ተዘግቷል", "am"),
        ("Daraja la bandari limefungwa kwa mwaka mmoja na wavuvi wa mji huo hawajui la kufanya katika siku hizo", "sw"),
    ],
)
def test_text_that_the_template_s_language_cannot_be(text: str, expected: str) -> None:
    assert find_language(read_metadata("<html lang='en'>"), text) == expected
