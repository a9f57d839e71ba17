"""What the markup says is no text, and what stands before the headline."""

from __future__ import annotations

import numpy as np
import pytest

from newsextract import extract
from newsextract.algorithms.combined.choice import candidates, choose, without_repeats
from newsextract.algorithms.combined.furniture import (
    marked,
    without_captions,
    without_marked,
    without_next_stories,
    without_other_products,
    without_preface,
)
from newsextract.algorithms.combined.parts import with_pairs
from newsextract.page.dom import Dom, read_dom
from newsextract.page.page import Page

LONG = "<p>" + "The ferry came in late, and nobody on the quay had a word to say about it. " * 6


def kept(dom: Dom, kind: str) -> list[str]:
    return [dom.texts[block][:30] for block in without_marked(dom, np.arange(len(dom.texts)), kind).tolist()]


@pytest.mark.parametrize(
    ("extra", "on_articles", "on_others"),
    [
        ("<figcaption>The quay</figcaption>", False, True),
        ("<p class='wp-caption-text'>The quay</p>", False, True),
        ("<div class=article__cta>Sail with us</div>", False, True),
        ("<p class=excerpt>The quay</p>", False, True),
        ("<p class=visually-hidden>The quay</p>", False, True),
        ("<div style='display: none'>The quay</div>", False, False),
        ("<div class=faq-answer hidden>The quay</div>", True, True),
        ("<h2 id=video>The quay</h2>", True, True),
        ("<p class=captioned>The quay</p>", True, True),
        ("<fieldset>Small Large</fieldset>", True, False),
        ("<nav>Boats Sails</nav>", True, False),
        ("<footer>Terms</footer>", True, False),
        ("<div role=dialog>Size guide</div>", True, False),
        ("<div role=navigation>Boats Sails</div>", False, False),
        ("<p role=alert>The quay is closed.</p>", False, False),
        ("<div role=main>The quay</div>", True, True),
        ("<div class=post-signature>Jo of the quay</div>", True, False),
    ],
)
def test_marked_elements_are_no_text(extra: str, on_articles: bool, on_others: bool) -> None:
    dom = read_dom(f"<main>{LONG}{extra}{LONG}</main>")
    assert (len(kept(dom, "article")), len(kept(dom, "other"))) == (2 + on_articles, 2 + on_others)


def test_reviews_are_no_text_of_a_product() -> None:
    dom = read_dom(f"<main>{LONG}<div class=reviews><p>A fine boat.</p></div>{LONG}</main>")
    assert [len(kept(dom, kind)) for kind in ("product", "service", "article")] == [2, 3, 3]


def test_what_a_list_offers_beside_every_entry_is_no_text() -> None:
    story = "<h3>The ferry, part {n}</h3><p>It came in late, {n} minutes behind.</p><p><a href=/{n}>{offer}</a></p>"
    for offer in ("Read more »", "In den Warenkorb", "查看更多"):
        for kind, times, is_kept in (("listing", 3, False), ("collection", 2, True), ("service", 3, True)):
            dom = read_dom("".join(story.format(n=n, offer=offer) for n in range(times)))
            left = [dom.texts[block] for block in without_repeats(dom, np.arange(len(dom.texts)), kind).tolist()]
            assert left.count(offer) == (times if is_kept else 0)
            assert len(left) == times * (2 + is_kept)


def test_what_unfolds_a_quotation_is_no_text_of_a_thread() -> None:
    dom = read_dom(
        f"<main>{LONG}<div class='bbCodeBlock-expandLink js-expandLink'><a>Click to expand...</a></div>{LONG}</main>"
    )
    assert [len(kept(dom, kind)) for kind in ("forum", "service")] == [2, 3]


def test_what_would_be_most_of_the_text_is_text() -> None:
    dom = read_dom(f"<main><p>The quay.</p><div class=caption>{LONG}</div></main>")
    assert len(kept(dom, "article")) == 2
    dom = read_dom(
        "<main>" + "".join(f"<div class=caption><p>The quay, picture {n}</p></div>" for n in range(6)) + "</main>"
    )
    assert len(kept(dom, "article")) == 6  # each is little, all of them are the page
    assert without_marked(dom, np.array([], dtype=np.intp)).tolist() == []


def test_the_dialogs_of_a_shop_may_be_most_of_its_text() -> None:
    dialogs = "".join(f"<div role=dialog>{LONG}</div>" for _ in range(3))
    dom = read_dom(f"<main>{LONG}{dialogs}<div hidden>The quay</div></main>")
    assert [len(kept(dom, kind)) for kind in ("product", "article")] == [2, 4]
    hidden = "".join(f"<div hidden>{LONG}</div>" for _ in range(3))
    assert len(kept(read_dom(f"<main>{LONG}{hidden}</main>"), "product")) == 4


def test_marks_are_found_once_for_a_page_and_kind() -> None:
    dom = read_dom("<main><p class=caption>One<p class=signature>Two<fieldset>Three</fieldset></main>")
    assert [dom.texts[dom.first_blocks[element]] for element in marked(dom, "article")] == ["One"]
    assert [dom.texts[dom.first_blocks[element]] for element in marked(dom, "forum")] == ["Two", "Three"]


HEAD = "<head><title>A late ferry - The Tide</title></head>"


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (f"<p>Log in to your account.</p><h1>A late ferry</h1>{LONG}", 2),
        (f"<p>Log in to your account.</p><h1>The quay</h1>{LONG}", 3),  # another heading
        (f"<p>Log in to your account.</p><h2>A late ferry</h2>{LONG}", 3),  # of another level
        (f"{LONG}<h1>A late ferry</h1>{LONG}", 3),  # half of the text
    ],
)
def test_what_stands_before_the_headline_is_no_text(body: str, left: int) -> None:
    dom = read_dom(f"<html>{HEAD}<body>{body}")
    chosen = np.arange(len(dom.texts))
    assert len(without_preface(dom, np.full(len(chosen), 0.6), chosen)) == left
    assert len(without_preface(dom, np.full(len(chosen), 0.9), chosen)) == len(chosen)  # surely text


def test_more_stands_before_the_name_of_a_product() -> None:
    dom = read_dom(f"<html>{HEAD}<body>{LONG}<h1>A late ferry</h1>{LONG}")
    found = [without_preface(dom, np.full(3, 0.6), np.arange(3), kind).tolist() for kind in ("product", "service")]
    assert found == [[1, 2], [0, 1, 2]]


@pytest.mark.parametrize(
    ("page", "left"),
    [
        (f"<article><h1>A late ferry</h1>{LONG}</article><article><h1>The quay is full</h1>{LONG}</article>", 2),
        (f"<div><h1>A late ferry</h1>{LONG}</div><div data-url=/quay><div><h1>The quay is full</h1></div>{LONG}</div>", 2),
        (f"<div><h1>A late ferry</h1>{LONG}</div><div><h1>The quay is full</h1>{LONG}</div>", 4),  # sections
        (f"<article><h1>A late ferry</h1><h1>How it began</h1>{LONG}</article>", 3),
        (f"<article><h1>The quay is full</h1>{LONG}</article><article><h1>Two ferries</h1>{LONG}</article>", 4),
        (f"<article><h1>A late ferry</h1></article><article><h1>The quay is full</h1></article>{LONG}", 3),  # teasers above
    ],
)
def test_the_next_story_behind_one_is_not_its_text(page: str, left: int) -> None:
    dom = read_dom(f"<html>{HEAD}<body>{page}")
    assert without_next_stories(dom, np.arange(len(dom.texts))).tolist() == list(range(left))


@pytest.mark.parametrize(
    ("heading", "left"),
    [("<h1><a href=/2>A new ferry</a></h1>", 3), ("<h1>A new ferry</h1>", 5), ("<h1><a href=#2>A new ferry</a></h1>", 5)],
)
def test_a_linked_headline_behind_the_text_begins_the_next_story(heading: str, left: int) -> None:
    dom = read_dom(f"<html>{HEAD}<body><h1>A late ferry</h1><div class=x1>{LONG}{LONG}{heading}{LONG}</div>")
    assert without_next_stories(dom, np.arange(len(dom.texts))).tolist() == list(range(left))


@pytest.mark.parametrize(
    ("line", "is_kept"),
    [
        ("<div><img src=/1.jpg><div>The mayor at the quay.</div></div>", False),
        ("<div><img src=/1.jpg>The mayor at the quay.</div>", False),
        ("<div><div><picture></picture></div><span>The mayor at the quay.</span></div>", False),
        ("<div><svg></svg>The mayor at the quay.</div>", True),
        ("<p><img src=/1.jpg>The mayor at the quay.</p>", True),
        ("<div><img src=/1.jpg><h3>The mayor</h3></div>", True),
        (f"<div><img src=/1.jpg>{'The mayor is at the quay. ' * 20}</div>", True),
    ],
)
def test_short_lines_in_a_box_with_a_picture_are_captions(line: str, is_kept: bool) -> None:
    dom = read_dom(LONG + line + LONG)
    assert (1 in without_captions(dom, np.arange(3))) is is_kept
    assert without_captions(dom, np.array([1])).tolist() == [1]  # it is all


def test_the_rules_are_part_of_the_choice() -> None:
    dom = read_dom(f"<html>{HEAD}<p>Log in.</p><h1>A late ferry</h1>{LONG}<figcaption>The quay</figcaption>{LONG}")
    probabilities = np.array([0.6, 0.9, 0.9, 0.7, 0.9])
    assert choose(dom, probabilities).tolist() == [1, 2]  # the second copy of the text is left out, too
    assert choose(dom, probabilities, "recall").tolist() == [0, 1, 2, 3, 4]
    texts, _ = candidates(dom, probabilities, np.array([1, 2]), "forum")
    assert all(0 not in text for text in texts)


def test_short_texts_that_stand_twice_are_left_out_of_threads_and_products() -> None:
    line = "<p>Ships within two days of the next high tide.</p>"
    dom = read_dom(f"<main>{line}<p>One.</p>{line}</main>")
    found = {kind: without_repeats(dom, np.arange(3), kind).tolist() for kind in ("article", "forum", "product", "service")}
    assert found == {"article": [0, 1, 2], "forum": [0, 1], "product": [0, 1], "service": [0, 1, 2]}


def test_equal_values_of_the_properties_of_a_product_are_kept() -> None:
    rows = "".join(f"<tr><td>{name}<td>Included" for name in ("Bulb", "Cable", "Screws"))
    dom = read_dom(f"<main><p>Included<p>Included<table>{rows}</table></main>")
    left = [dom.texts[block] for block in without_repeats(dom, np.arange(len(dom.texts)), "product").tolist()]
    assert left.count("Included") == 4


@pytest.mark.parametrize("heading", ["You may also like", "Frequently bought together", "Ähnliche Produkte", "猜你喜欢"])
def test_sections_about_other_products_are_no_text_of_a_product(heading: str) -> None:
    others = f"<h2>{heading}</h2><h3>Quay lamp</h3><p>£40</p>"
    dom = read_dom(f"<main><h1>Harbour lamp</h1>{LONG}{others}<h2>Care</h2><p>Wipe it with a dry cloth.</p></main>")
    chosen = without_other_products(dom, np.arange(len(dom.texts)))
    assert chosen.tolist() == [0, 1, 5, 6]
    assert choose(dom, np.full(7, 0.9), kind="product").tolist() == [0, 1, 5, 6]
    assert {3, 4} < set(choose(dom, np.full(7, 0.9), kind="service").tolist())
    most = read_dom(f"<main><h1>Harbour lamp</h1><p>Of ash.</p>{others}{LONG}</main>")
    assert without_other_products(most, np.arange(6)).tolist() == list(range(6)), "most of the text"


def test_half_a_table_of_names_and_values_is_completed() -> None:
    rows = [("Height", "52 cm"), ("Weight", "1.9 kg")]
    tables = (
        "<table>" + "".join(f"<tr><th>{name}<td>{value}" for name, value in rows) + "</table>",
        "<dl>" + "".join(f"<dt>{name}<dd>{value}" for name, value in rows) + "</dl>",
    )
    for table in tables:
        dom = read_dom(f"<main>{LONG}{table}<p>Tail.</main>")
        assert with_pairs(dom, np.array([0, 1, 3])).tolist() == [0, 1, 2, 3, 4]
        assert with_pairs(dom, np.array([0, 1])).tolist() == [0, 1]


def test_a_text_that_says_the_same_words_again_and_again_is_left_out() -> None:
    dom = read_dom(f"<main>{LONG}<p>{'Book now * ' * 40}</p><p>{'Book now, says Jo: the ferry is late. ' * 3}</p></main>")
    assert without_repeats(dom, np.arange(3)).tolist() == [0, 2]


STORIES = {
    "es": (
        ("migas", "comentarios", "lateral"),
        "El Ayuntamiento ha aprobado este lunes el presupuesto, que crece un tres por ciento respecto al ejercicio anterior.",
        "Pues a mí me parece muy bien, ya era hora de que alguien arreglara el tejado del mercado de una vez por todas.",
    ),
    "de": (
        ("breadcrumb", "kommentare", "seitenleiste"),
        "Der Gemeinderat hat am Montag beschlossen, die alte Drehbrücke zu sanieren, die seit zwei Wintern gesperrt ist.",
        "Das wurde aber auch höchste Zeit, ich fahre seit zwei Jahren jeden Tag einen Umweg über die andere Brücke.",
    ),
    "pl": (
        ("breadcrumbs", "komentarze", "related"),
        "Rada miejska przyjęła w poniedziałek budżet, w którym po raz pierwszy od dekady są pieniądze na remont mostu.",
        "Najwyższy czas, od dwóch lat codziennie jeżdżę objazdem przez drugi most i nikt się tym nie interesuje.",
    ),
}


@pytest.mark.parametrize("language", STORIES)
def test_trail_comments_and_side_of_a_page_in_a_table_are_no_text(language: str) -> None:
    (trail, comments, side), sentence, comment = STORIES[language]
    remarks = "".join(f"<div><b>reader{n}</b> <i>{n}.3.2026</i><p>{comment} ({n})</p></div>" for n in range(2))
    page = (
        f"<html lang={language}><title>{sentence[:40]}</title><body><table><tr><td><div class={trail}><a href=/>Gull</a> &gt;"
        f"<a href=/l/>Local</a></div><h1>{sentence[:40]}</h1>{''.join(f'<p>{sentence} {sentence} ({n})</p>' for n in range(4))}"
        f"<div id={comments}><h3>3</h3>{remarks}</div></td><td id={side}><h4>1</h4><p>{comment}</p></td></tr></table></body></html>"
    )
    text = extract(Page.from_text(page, "https://gull.example/l/1.html")).text
    assert text.split("\n") == [f"{sentence} {sentence} ({n})" for n in range(4)]
