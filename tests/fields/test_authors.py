"""Authors."""

import pytest

from newsextract import extract
from newsextract.fields.authors import MAX_AUTHORS, find_authors, split_names
from newsextract.page.metadata import read_metadata
from newsextract.results import Surroundings


def authors(markup: str = "", *before: str) -> tuple[str, ...]:
    return find_authors(read_metadata(markup), Surroundings(before=before))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By Jane Doe", ("Jane Doe",)),
        ("By Jane Doe and Max Power, Reuters", ("Jane Doe", "Max Power")),
        ("3 May 2019 | By Jane Doe", ("Jane Doe",)),
        ("Von Eva Klein und Hans Müller", ("Eva Klein", "Hans Müller")),
        ("Par Jean Dupont", ("Jean Dupont",)),
        ("作者：林晓舟", ("林晓舟",)),
        ("来源：示例网 作者：林晓舟、王小明", ("林晓舟", "王小明")),
        ("记者 王某", ("王某",)),
        ("来源：示例网 作者：林晓舟 分享到：", ("林晓舟",)),
        ("By JANE DOE, Associated Press Writer Sun Sep 11, 6:18 AM ET", ("JANE DOE",)),
        ("By Jane Doe, The Harbour Star", ("Jane Doe",)),
        ("By Jane Doe, Max Power and Eva Klein", ("Jane Doe", "Max Power", "Eva Klein")),
        ("By Jane Doe Published Nov. 12, 2012", ("Jane Doe",)),
        ("By Peter May | 3 March", ("Peter May",)),
        ("By Jane Doe\nGull Staff", ("Jane Doe",)),
        ("Articles October 28, 2012 by Jane Doe", ("Jane Doe",)),
        ("by quayfish on December 4, 2010", ("quayfish",)),
        ("Posted by Dave on August 13th, 2012", ("Dave",)),
        ("Submitted by Ines Okafor on Thu, 03/13/2025 - 10:15", ("Ines Okafor",)),
        ("Submitted by Dave on August 13th, 2012", ("Dave",)),
        ("Autor: Żaneta Śliwińska", ("Żaneta Śliwińska",)),
        ("Autor: Jan Śliwa", ("Jan Śliwa",)),
        ("By Ứng Đặng", ("Ứng Đặng",)),
        ("By: राजेश कुमार | Updated: 13 मार्च 2026", ("राजेश कुमार",)),
        ("מאת: דנה לוי | פורסם: 12.03.26", ("דנה לוי",)),
        ("โดย: สมชาย ใจดี | 12 มี.ค. 2569", ("สมชาย ใจดี",)),
        ("홍길동 기자 입력 2026.03.12", ("홍길동",)),
        ("입력 2026.03.12 | 홍길동 선임기자", ("홍길동",)),
        ("기자 회견이 열렸다", ()),
        ("Автор: Євген Ївженко", ("Євген Ївженко",)),
        ("By the river stood a house", ()),
        ("Por Ana Souza e João Lima, da Agência Brasil", ("Ana Souza", "João Lima")),
        ("Texto: Lucía Ferrer. Fotos: Nuria Soler", ("Lucía Ferrer",)),
        ("di Marco Bassi", ("Marco Bassi",)),
        ("Di Marco Bassi la città ricorda soprattutto la voce, che ogni sera riempiva la piazza del mercato.", ()),
        ("Oprac. Jan Kowalczyk", ("Jan Kowalczyk",)),
        ("Autoři: Petr Novák, Jana Malá", ("Petr Novák", "Jana Malá")),
        ("Szerző: Kovács Anna", ("Kovács Anna",)),
        ("De Andrei Popescu", ("Andrei Popescu",)),
        ("Haber: Ayşe Yılmaz - Kamera: Ali Kaya", ("Ayşe Yılmaz",)),
        ("Γράφει ο Γιώργος Παπαδόπουλος", ("Γιώργος Παπαδόπουλος",)),
        ("Av Karin Lindqvist", ("Karin Lindqvist",)),
        ("Toimittaja: Matti Virtanen", ("Matti Virtanen",)),
        ("Автори: Олена Коваль, Іван Мельник", ("Олена Коваль", "Іван Мельник")),
        ("Piše: Jelena Petrović | Izvor: Tanjug", ("Jelena Petrović",)),
        ("Аутор: Милан Јовановић", ("Милан Јовановић",)),
        ("מאת דנה כהן", ("דנה כהן",)),
        ("به قلم علی‌رضا احمدی", ("علی‌رضا احمدی",)),
        ("كتب- محمد العلي", ("محمد العلي",)),
        ("লেখক: রহিম উদ্দিন", ("রহিম উদ্দিন",)),
        ("எழுதியவர்: கவிதா முருகன்", ("கவிதா முருகன்",)),
        ("14 มี.ค. 2569 09:30 น. โดย สมชาย ใจดี", ("สมชาย ใจดี",)),
        ("Tác giả: Minh Anh", ("Minh Anh",)),
        ("김철수·이영희 기자", ("김철수", "이영희")),
        ("[한강일보=김철수 기자]", ("김철수",)),
        ("사진=이영희 기자", ()),
        ("文・山田太郎", ("山田太郎",)),
        ("本报记者 李建国 通讯员 王芳", ("李建国", "王芳")),
        ("Foto: Per Ek", ()),
        ("מאת: רוני אבני, טל ברק", ("רוני אבני", "טל ברק")),
        ("Ein Bericht von Jana Kern und Felix Roth", ("Jana Kern", "Felix Roth")),
        ("Eine Kolumne von Jana Kern", ("Jana Kern",)),
        ("Autor: ČTK", ()),
        ("Publié le 19 Novembre 2026 par Élise Moreau", ("Élise Moreau",)),
        ("Veröffentlicht am 3. Mai 2026 von Katrin Holz", ("Katrin Holz",)),
        ("Publicado el 3 de mayo de 2026 por Ana Souza", ("Ana Souza",)),
        ("Publié le 19 Novembre 2026", ()),
        ("Reuters", ()),
    ],
)
def test_bylines(text: str, expected: tuple[str, ...]) -> None:
    assert authors("", text) == expected


def test_a_label_may_be_a_block_of_its_own() -> None:
    assert authors("", "Pasar lama dibuka", "Penulis", "Dewi Lestari") == ("Dewi Lestari",)


def test_json_ld() -> None:
    page = (
        '<script type="application/ld+json">{"@type": "Article", "author": ['
        '{"@type": "Person", "name": "Jane Doe"}, "Max Power", {"@type": "Organization", "name": "The Gull"}]}</script>'
    )
    assert authors(page, "By Someone Else") == ("Jane Doe", "Max Power")


def test_an_author_who_is_an_object_of_the_page_and_one_of_a_video() -> None:
    graph = '{"@type": "Article", "author": {"@id": "#jane"}}, {"@type": "Person", "@id": "#jane", "name": "Jane Doe"}'
    video = '{"@type": "VideoObject", "author": {"@type": "Person", "name": "Max Power"}}'
    page = f'<script type="application/ld+json">{{"@graph": [{video}, {graph}]}}</script>'
    assert authors(page, "By Someone Else") == ("Jane Doe",)


@pytest.mark.parametrize("name", ["author", "byl", "parsely-author", "DC.creator", "article:author"])
def test_meta(name: str) -> None:
    assert authors(f'<meta name="{name}" content="By Jane Doe &amp; Max Power (jane@gull.example)">') == (
        "Jane Doe",
        "Max Power",
    )


def test_a_byline_names_those_whom_a_meta_element_leaves_out() -> None:
    head = '<meta name="author" content="Jane Doe">'
    assert authors(head, "By Jane Doe and Max Power") == ("Jane Doe", "Max Power")
    assert authors(head, "By Max Power and Ann Other") == ("Jane Doe",)


def test_addresses_agencies_and_the_site_are_no_authors() -> None:
    page = (
        '<meta property="article:author" content="https://social.example/jane"><meta name=author content="Reuters">'
        '<meta property="og:site_name" content="The Gull"><meta name=byl content="The Gull">'
        '<a rel="author" href="/jane">Jane Doe</a>'
    )
    assert authors(page) == ("Jane Doe",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Doe, Jane", ("Jane Doe",)),
        ("Jane Doe | The Gull", ("Jane Doe",)),
        ("Jane Doe For Gullonline", ("Jane Doe",)),
        ("JANE DOE Associated Press", ("JANE DOE",)),
        ("View all posts by Jane Doe", ("Jane Doe",)),
        ("Anna Institutova, Bob Lee", ("Anna Institutova", "Bob Lee")),
        ("Institut für Brücken und Fähren", ("Institut für Brücken und Fähren",)),
        ("Jane Doe, Gull staff", ("Jane Doe",)),
        ("Hafenministerium für Brücken und Fähren", ("Hafenministerium für Brücken und Fähren",)),
        ("Jane Doe, MD, RDN, CEPF®", ("Jane Doe",)),
        ("Jane Doe, Dietitian, Max Power", ("Jane Doe", "Max Power")),
        ("Jane Doe, Master Horticulturist & Boat Educator", ("Jane Doe",)),
        ("Jane Doe, Head of Marketing", ("Jane Doe",)),
        ("Doe, Jane T.", ("Jane T. Doe",)),
        ("Jane Doe and The Associated Press", ("Jane Doe",)),
        ("Articles by Jane Doe", ("Jane Doe",)),
        ("Jane Doe In", ("Jane Doe",)),
        ("Par Jeanne Doe le", ("Jeanne Doe",)),
        ("Thi Le", ("Thi Le",)),
        ("Online News Editor", ()),
        ("Hafen-Redaktion", ()),
        ("False", ()),
        ("Written By", ()),
        ("Sat", ()),
        ("page.head.author", ()),
        ("See all of Jane Doe's reviews", ()),
    ],
)
def test_names(text: str, expected: tuple[str, ...]) -> None:
    assert tuple(split_names(text)) == expected or (expected == () and authors(f'<meta name=author content="{text}">') == ())


def test_a_team_with_a_name_is_the_author_where_no_person_is_named() -> None:
    assert authors('<meta name=author content="By Gull Staff">') == ("Gull Staff",)
    assert authors('<meta name=author content="Gull Staff"><a rel="author" href="/jane">Jane Doe</a>') == ("Jane Doe",)
    assert authors('<meta name=author content="The Editorial Team">') == ()


def test_a_site_may_have_the_name_of_its_author() -> None:
    site = '<meta property="og:site_name" content="{0}"><meta name=author content="{0}">'
    assert authors(site.format("Jane Doe")) == ("Jane Doe",)
    assert authors(site.format("The Gull")) == authors(site.format("Gull")) == authors(site.format("Gull Times")) == ()


def test_authors_of_labels_for_previews() -> None:
    labels = '<meta name="twitter:label1" content="{}"><meta name="twitter:data1" content="Jane Doe">'
    assert authors(labels.format("Written by")) == authors(labels.format("Verfasst von")) == ("Jane Doe",)
    assert authors(labels.format("Reading time")) == ()


def test_the_site_s_name_is_not_split() -> None:
    assert authors('<meta property="og:site_name" content="Boats & Nets"><meta name=author content="Boats & Nets">') == ()


def test_microdata() -> None:
    assert authors('<span itemprop="author">By <b>Jane Doe</b></span>') == ("Jane Doe",)


def test_each_author_once_and_not_too_many() -> None:
    assert authors('<meta name=author content="Jane Doe, JANE DOE">') == ("Jane Doe",)
    names = ", ".join(f"Jo {chr(65 + i)}oe" for i in range(20))
    assert len(authors(f'<meta name=author content="{names}">')) == MAX_AUTHORS


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Von", []),
        ("كتب", []),
        ("Quelle: DIE WOCHE, dpa", ["dpa"]),
        ("责任编辑：赵慧芳", []),
        ("خبرنگار: آرش یزدانی و مریم شریفی", ["آرش یزدانی", "مریم شریفی"]),
        ("박도윤 기자(a@hanbit.example) 박지우 기자(b@hanbit.example)", ["박도윤", "박지우"]),
        ("By Owen Larsson Staff Writer", ["Owen Larsson"]),
        ("Nadia Lefort avec AFP", ["Nadia Lefort", "AFP"]),
        ("Ayşe Yılmaz / İZMİR (DHA)", ["Ayşe Yılmaz"]),
        ("정하늘기자", ["정하늘"]),
    ],
)
def test_labels_credits_and_roles_of_many_languages_are_no_names(text: str, names: list[str]) -> None:
    assert split_names(text) == names


_STORY = (
    "<p>The council met on Monday and spoke about the bridge, which has been closed to all traffic since spring.</p>" * 4
)
_HAN_STORY = "<p>市议会周一开会讨论了大桥的维修计划，这座大桥自春天以来一直禁止一切车辆通行，居民表示不满。</p>" * 4


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ('<div class="byline">Von <a href="/author/1">Katrin Baumgart</a> und <a href="/author/2">Sabine Wegener</a></div>', 2),
        ('<ul class="creator"><li>Von</li><li class="creator__name"><a href="/author/1">Katrin Baumgart</a></li>'
         '<li class="creator__name"><a href="/author/2">Sabine Wegener</a></li></ul>', 2),
        ('<div class="detail__author">Katrin Baumgart - <span>gullNews</span></div>', 1),
        ('<ul class="authors"><li><span>Katrin Baumgart</span></li></ul>', 1),
    ],
)  # fmt: skip
def test_all_names_of_a_marked_byline_are_found(byline: str, names: int) -> None:
    page = f"<title>Bridge stays shut</title><article><h1>Bridge stays shut</h1>{byline}{_STORY}</article>"
    assert extract(page, url="http://gull.example/a.html").authors == ("Katrin Baumgart", "Sabine Wegener")[:names]


@pytest.mark.parametrize("byline", ["記者赵志强／高雄報導", "〔記者赵志强／高雄報導〕", "（中央社記者赵志强高雄14日電）"])
def test_the_reporter_at_the_beginning_of_a_chinese_text_is_the_author(byline: str) -> None:
    page = f"<title>大桥继续关闭</title><article><h1>大桥继续关闭</h1><p>{byline}</p>{_HAN_STORY}</article>"
    assert extract(page, url="http://gull.example/a.html").authors == ("赵志强",)


def test_a_link_to_a_page_whose_name_begins_with_a_commercial_at_is_the_author_s() -> None:
    head = (
        '<h1>Bridge stays shut</h1><div><a href="/@jane">Jane Doe</a> <a href="https://video.example/@gull">Gull</a></div>'
    )
    page = f"<title>Bridge stays shut</title><article>{head}{_STORY}</article>"
    assert extract(page, url="http://gull.example/a.html").authors == ("Jane Doe",)


def test_the_reporters_in_brackets_at_the_end_of_a_chinese_text_are_the_authors() -> None:
    page = f"<title>大桥继续关闭</title><article><h1>大桥继续关闭</h1>{_HAN_STORY}<p>（记者 赵志强 陈志强）</p></article>"
    assert extract(page, url="http://gull.example/a.html").authors == ("赵志强", "陈志强")
