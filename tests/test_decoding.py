"""Bytes to text: paragraphs of seven languages in their usual encodings, with right, missing and wrong declarations."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.page.decoding import Decoded, decode
from tests.costs import at_most
from tests.examples import examples

TEXTS = {
    "zh-Hans": "港口管理处星期三宣布，从十月一日起，往返两岸的渡轮每二十分钟开出一班。此前在非高峰时段，乘客往往要等候四十分钟，"
    "不少人因此误了火车，投诉自春天以来逐月增加。新的班次需要第三艘船，这艘船是从北方一家公司买来的旧船，正在船厂里改装。",
    "zh-Hant": "港務處星期三宣布，從十月一日起，往返兩岸的渡輪每二十分鐘開出一班。此前在非繁忙時段，乘客往往要等候四十分鐘，"
    "不少人因此誤了火車，投訴自春天以來逐月增加。新的班次需要第三艘船，這艘船是從北方一間公司買來的舊船，正在船廠裡改裝。",
    "ja": "港湾局は水曜日、十月一日から両岸を結ぶ渡し船を二十分ごとに運航すると発表した。これまで混雑時以外は四十分も待たされる"
    "ことがあり、列車に乗り遅れた人も多く、春から苦情が毎月増えていた。新しいダイヤには三隻目の船が必要で、造船所で改装中だ。",
    "ko": "항만 관리소는 수요일 시월 일일부터 강 양쪽을 잇는 나룻배가 이십 분마다 출발한다고 밝혔다. 지금까지 붐비지 않는 시간에는 "
    "승객들이 사십 분까지 기다려야 했고 기차를 놓친 사람도 많아 봄부터 불만이 달마다 늘어났다. 새 시간표에는 세 번째 배가 필요하다.",
    "ru": "Управление порта сообщило в среду, что с первого октября паром между двумя берегами будет отходить каждые двадцать минут. "
    "До сих пор вне часов пик пассажирам приходилось ждать до сорока минут, многие опаздывали на поезд, и жалоб становилось всё больше.",
    "de": "Die Fähre zwischen den beiden Ufern fährt künftig alle zwanzig Minuten, erklärte die Behörde am Mittwoch. Bisher mussten "
    "Fahrgäste außerhalb der Stoßzeiten bis zu vierzig Minuten warten, viele verpassten ihre Züge, und die Beschwerden häuften sich.",
    "fr": "Le bac entre les deux rives partira désormais toutes les vingt minutes, a annoncé mercredi l’autorité portuaire. Jusqu’à "
    "présent, les passagers attendaient parfois plus de quarante minutes, et beaucoup manquaient leur train, déplorait la régie.",
}  # fmt: skip
ENCODINGS = [
    ("zh-Hans", "gbk"), ("zh-Hans", "gb18030"), ("zh-Hant", "big5"), ("ja", "shift_jis"), ("ja", "euc_jp"), ("ko", "euc_kr"),
    ("ru", "cp1251"), ("de", "cp1252"), ("fr", "cp1252"),
]  # fmt: skip
LABELS = {
    "cp1251": "windows-1251",
    "cp1252": "windows-1252",
    "euc_kr": "EUC-KR",
    "euc_jp": "EUC-JP",
    "shift_jis": "Shift_JIS",
}
MULTI_BYTE = [(language, encoding) for language, encoding in ENCODINGS if not encoding.startswith("cp")]
LEGACY = pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
FOREIGN_LABELS = [
    "undefined", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "utf-16", "utf-16le", "utf-16be", "utf-32",
    "rot13", "base64", "hex", "bz2", "zlib", "uu", "quopri", "x-user-defined", "none", "null", "", "a" * 500, "utf_8_sig", "mbcs",
    "utf-8; charset=gbk", "\u00fc", "latin-1 ", "cp037", "hz", "replacement",
]  # fmt: skip


def page(text: str, declaration: str = "") -> str:
    head = f"<html><head>{declaration}<title>{text[:20]}</title><script>var a = [1, 2, 3];</script></head>"
    return head + f'<body class="news"><div id="content"><p>{text}</p><p>{text[::-1]}</p></div></body></html>'


def meta(encoding: str) -> str:
    return f'<meta charset="{encoding}">'


def content_type(encoding: str) -> str:
    return f"text/html; charset={encoding}"


@LEGACY
@pytest.mark.parametrize("place", ["header", "meta", "http-equiv", "xml"])
def test_a_right_declaration(language: str, encoding: str, place: str) -> None:
    label = LABELS.get(encoding, encoding)
    declaration = {
        "header": "",
        "meta": meta(label),
        "http-equiv": f'<meta http-equiv="Content-Type" content="text/html; charset={label}">',
        "xml": "",
    }[place]
    text = page(TEXTS[language], declaration)
    if place == "xml":
        text = f'<?xml version="1.0" encoding="{label}"?>{text}'
    answer = decode(text.encode(encoding), content_type(label) if place == "header" else "text/html")
    assert answer.text == text
    assert answer.source in (place, "meta")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("windows-1253", "Ο δήμαρχος είπε: “Άνοιξε η νέα γέφυρα πάνω από το ποτάμι” – με κόστος 5 € για κάθε όχημα…"),
        ("windows-1251", "Мэр сказал: “Новый мост открыт” – проезд стоит 5 € с каждой машины…"),
        ("windows-1256", "قال رئيس البلدية: “افتتحنا الجسر الجديد” – العبور مجاني للجميع…"),
        ("windows-1255", "ראש העיר אמר: “הגשר החדש נפתח” – המעבר חופשי לכולם…"),
        ("windows-874", "นายกเทศมนตรีกล่าวว่า “สะพานใหม่เปิดแล้ว” – ข้ามฟรีทุกคน…"),
        ("koi8-r", "Мэр открыл новый мост через реку. Движение начнётся в субботу, сказал он."),
        ("iso-8859-7", "Ο δήμαρχος εγκαινίασε τη νέα γέφυρα πάνω από το ποτάμι. Άνοιξε το Σάββατο."),
    ],
)
def test_a_right_single_byte_declaration_is_believed(encoding: str, text: str) -> None:
    """Every high byte of such text has a high neighbour, as in double-byte text."""
    python_name = {"windows-874": "cp874"}.get(encoding, encoding)
    for times in (1, 20):
        markup = page(text * times, meta(encoding))
        answer = decode(markup.encode(python_name))
        assert (answer.text, answer.source) == (markup, "meta")


@LEGACY
def test_no_declaration(language: str, encoding: str) -> None:
    text = page(TEXTS[language])
    answer = decode(text.encode(encoding), None)
    assert answer.text == text
    assert answer.source in ("detected", "default")


@LEGACY
@pytest.mark.parametrize("wrong", ["utf-8", "no-such-encoding"])
@pytest.mark.parametrize("place", ["header", "meta"])
def test_a_declaration_that_the_bytes_contradict(language: str, encoding: str, wrong: str, place: str) -> None:
    text = page(TEXTS[language], meta(wrong) if place == "meta" else "")
    assert decode(text.encode(encoding), content_type(wrong) if place == "header" else None).text == text


@pytest.mark.parametrize(("language", "encoding"), MULTI_BYTE)
@pytest.mark.parametrize("wrong", ["iso-8859-1", "windows-1252", "windows-1251"])
def test_double_byte_text_declared_as_single_byte(language: str, encoding: str, wrong: str) -> None:
    text = page(TEXTS[language], meta(wrong))
    assert decode(text.encode(encoding), content_type(wrong)).text == text


@LEGACY
def test_a_wrong_header_and_a_right_meta_element(language: str, encoding: str) -> None:
    text = page(TEXTS[language], meta(LABELS.get(encoding, encoding)))
    answer = decode(text.encode(encoding), content_type("utf-8"))
    assert answer.text == text
    assert answer.source in ("meta", "detected")


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("wrong", ["gbk", "iso-8859-1", "shift_jis", "windows-1251", "utf-16", "undefined", ""])
def test_utf_8_is_known_whatever_is_declared(language: str, wrong: str) -> None:
    text = page(TEXTS[language], meta(wrong))
    assert decode(text.encode(), content_type(wrong)) == Decoded(text, "utf-8", "content")


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("wrong", ["gbk", "iso-8859-1", "utf-8"])
def test_a_byte_order_mark_is_believed_first(language: str, encoding: str, wrong: str) -> None:
    text = page(TEXTS[language], meta(wrong))
    answer = decode(text.encode(encoding), content_type(wrong))
    assert (answer.text, answer.source) == (text, "bom")


def test_big_endian_utf_16_with_a_mark() -> None:
    text = page(TEXTS["fr"])
    assert decode(b"\xfe\xff" + text.encode("utf-16-be")).text == text


def test_labels_mean_what_the_web_means_by_them() -> None:
    assert decode("<p>€ “”".encode("cp1252"), content_type("iso-8859-1")).text == "<p>€ “”"
    assert decode("<p>镕基".encode("gbk"), content_type("gb2312")).text == "<p>镕基"
    assert decode("<p>똠방각하 찝".encode("cp949"), content_type("euc-kr")).text == "<p>똠방각하 찝"
    assert decode("<p>①㈱髙".encode("cp932"), content_type("shift_jis")).text == "<p>①㈱髙"


def test_iso_2022_jp() -> None:
    text = page(TEXTS["ja"], meta("iso-2022-jp"))
    assert decode(text.encode("iso2022_jp")).text == text


def test_a_few_broken_sequences_do_not_change_the_encoding() -> None:
    body = page(TEXTS["ru"] * 3).encode()
    cut = body[:-1] + b"\xff" + body[-1:]
    assert decode(cut).encoding == "utf-8"
    gbk = page(TEXTS["zh-Hans"] * 3, meta("gbk")).encode("gbk")
    middle = gbk.index("港".encode("gbk"), 400) + 1
    assert decode(gbk[:middle]).encoding == "gb18030"


@pytest.mark.parametrize("label", FOREIGN_LABELS)
@pytest.mark.parametrize("place", ["header", "meta"])
def test_no_label_makes_it_fail(label: str, place: str) -> None:
    text = page(TEXTS["zh-Hans"], meta(label) if place == "meta" and label.isascii() else "")
    answer = decode(text.encode("gbk"), content_type(label) if place == "header" else None)
    assert answer.text == text


@pytest.mark.parametrize("label", ["cp037", "utf-16le", "utf-7", "unicode_escape", "hz"])
def test_encodings_that_no_browser_knows_are_not_believed(label: str) -> None:
    body = page(TEXTS["de"], meta(label)).encode("cp1252")
    assert decode(body).text == body.decode("cp1252")


def test_plain_ascii_and_nothing() -> None:
    assert decode(b"") == Decoded("", "utf-8", "content")
    assert decode(b"<p>x</p>", content_type("gbk")) == Decoded("<p>x</p>", "utf-8", "content")


@given(st.binary(), st.one_of(st.none(), st.text(), st.sampled_from(FOREIGN_LABELS).map(content_type)))
@settings(max_examples=examples(300))
def test_any_bytes_and_any_header_give_a_text(body: bytes, header: str | None) -> None:
    answer = decode(body, header)
    assert isinstance(answer.text, str)
    assert answer == decode(body, header)
    answer.text.encode("utf-8")  # no lone surrogates


@given(st.binary(max_size=60), st.text(alphabet=st.characters(codec="ascii"), max_size=30))
@settings(max_examples=examples(200))
def test_any_bytes_and_any_meta_element_give_a_text(body: bytes, label: str) -> None:
    decode(b'<meta charset="' + label.encode() + b'">\xc8' + body)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        b"\xff" * 3_000_000,
        b"\x81\x40" * 1_500_000,
        bytes(range(256)) * 12_000,
        b"a" * 40 + b"\xe9" + b"b" * 3_000_000,
        b"<p \xe9>" * 500_000,
        b"\xe9 " * 1_500_000,
        b"<meta charset=" * 200_000 + b"\xe9",
    ],
    ids=["0xff", "double byte", "all bytes", "one high byte", "tags", "high bytes and spaces", "declarations"],
)
def test_time_is_in_proportion_to_the_length(body: bytes) -> None:
    with at_most(parses=60):
        decode(body, "text/html; charset=utf-8")
