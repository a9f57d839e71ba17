"""What is chosen from the probabilities, how sure that is, and the title that the head gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.algorithms.combined.choice import (
    CONFIDENCE_NAMES,
    choose,
    confidence,
    limit,
    raised,
    signs,
    without_furniture,
    without_labels,
    without_other_stories,
    without_repeats,
)
from newsextract.algorithms.combined.furniture import (
    footers,
    stated_title,
    without_asides,
    without_buttons,
    without_dialogs,
    without_footers_above,
    without_links_around,
)
from newsextract.algorithms.combined.parts import with_code, with_ending, with_last_list, with_parts
from newsextract.page.dom import read_dom

LONG = "<p>" + "The ferry came in late, and nobody on the quay had a word to say about it. " * 6
SOME = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(SOME)
def test_a_stricter_setting_chooses_less(values: list[float]):
    probabilities = np.array(values)
    sizes = np.arange(1.0, len(values) + 1)
    recall, balance, precision = (limit(probabilities, sizes, favour) for favour in ("recall", "balance", "precision"))
    assert recall <= balance <= precision <= max(0.75, balance)


def test_where_no_block_is_probable_the_best_share_is_chosen():
    probabilities, sizes = np.array([0.45, 0.4, 0.02]), np.array([500.0, 400, 4000])
    least = limit(probabilities, sizes)
    assert (probabilities >= least).tolist() == [True, True, False]
    assert limit(np.array([0.1, 0.05]), np.ones(2)) == 0.5
    assert limit(np.array([0.1]), np.ones(1)) == 0.1
    assert limit(np.array([0.3]), np.ones(1), "precision") == 0.3


def test_code_between_the_chosen_blocks_is_chosen():
    dom = read_dom("<div><pre>x = 1</pre><p>First.</p><pre>y = 2\nz = 3</pre><p>Menu</p><p>Last.</p></div><pre>q = 4</pre>")
    assert with_code(dom, np.array([1, 4])).tolist() == [1, 2, 4]
    assert dom.texts[2] == "y = 2\nz = 3"
    assert with_code(dom, np.array([1])).tolist() == [1]
    assert with_code(read_dom("<p>a<p>b"), np.array([0, 1])).tolist() == [0, 1]


def test_code_may_hold_elements() -> None:
    lines = "<pre><code><div>y = 2</div><div>z = 3</div></code></pre>"
    dom = read_dom(f"<div><p>First.</p>{lines}<p>Last.</p>{lines}</div>")
    assert with_code(dom, np.array([0, 3])).tolist() == [0, 1, 2, 3, 4, 5]


def test_the_numbers_of_the_lines_of_code_are_not_chosen() -> None:
    numbers, code = "1<br>2<br>3", "<pre>x = 1<br>y = 2<br><br></pre>"
    before = f"<table><tr><td><pre>{numbers}</pre><td>{code}</table>"
    behind = f"<div>{code}<div>{numbers}</div></div>"
    dom = read_dom(f"<div><p>First.{before}<p>Second.{behind}<p>It prints:<pre>1<br>2<br>3</pre><pre>4</pre></div>")
    assert dom.texts[1] == dom.texts[5] == dom.texts[7] == "1\n2\n3"
    assert without_labels(dom, np.arange(9)).tolist() == [0, 2, 3, 4, 6, 7, 8]


def test_the_language_of_code_is_not_chosen() -> None:
    code = '<div class="language-python"><button>Copy</button><span>python</span><pre>x = 1</pre></div>'
    dom = read_dom(f"<div><p>First.</p>{code}<p>python</p><pre>y = 2</pre></div>")
    assert without_labels(dom, np.arange(5)).tolist() == [0, 2, 3, 4]


def test_the_name_of_a_value_that_is_not_chosen_is_not_chosen() -> None:
    dom = read_dom("<dl><div><dt>Published<dd>3 May</div><dt>By<dd>Ada Marsh<dt>Shown</dl><p>First.</p>")
    assert without_labels(dom, np.array([0, 2, 3, 4, 5])).tolist() == [2, 3, 4, 5]


def test_the_list_at_the_end_is_chosen_as_a_whole() -> None:
    dom = read_dom("<div><p>First.<p>Second.<ul><li>one<li>two<li>three</ul><p>Last.</div><ul><li>other</ul>")
    likely, unlikely = np.array([1, 1, 0.4, 0.4, 0.4, 0, 0.4]), np.array([1, 1, 0.1, 0.1, 0, 0, 0.4])
    assert with_last_list(dom, likely, np.array([0, 1])).tolist() == [0, 1, 2, 3, 4]
    assert with_last_list(dom, unlikely, np.array([0, 1])).tolist() == [0, 1]
    assert with_last_list(dom, likely, np.array([0, 1, 2])).tolist() == [0, 1, 2, 3, 4]
    assert with_last_list(dom, unlikely, np.array([0, 1, 2])).tolist() == [0, 1, 2]
    assert with_last_list(dom, likely, np.array([0, 5])).tolist() == [0, 5]
    links = read_dom("<div><p>First.<p>Second.<ul><li><a href=/1>one</a><li><a href=/2>two</a></ul></div>")
    assert with_last_list(links, np.array([1, 1, 0.4, 0.4]), np.array([0, 1])).tolist() == [0, 1]
    sentences = read_dom(f"<div><p>First.<p>Second.<ul><li>{LONG[3:200]}<li>{LONG[3:200]}</ul></div>")
    assert with_last_list(sentences, np.array([1, 1, 0.05, 0.05]), np.array([0, 1])).tolist() == [0, 1, 2, 3]
    assert with_last_list(sentences, np.array([1, 1, 0.03, 0.03]), np.array([0, 1])).tolist() == [0, 1]


def test_a_table_right_behind_the_last_paragraphs_in_their_element_is_chosen() -> None:
    table = "<table><tr><th>Year<th>Visitors<tr><td>2021<td>1204</table>"
    dom = read_dom(f"<main><article><p>First.<p>Second.{table}<p>Menu</article>{table}</main>")
    unlikely = np.array([1, 1] + [0.01] * 9)
    assert with_ending(dom, unlikely, np.array([0, 1])).tolist() == [0, 1, 2, 3, 4, 5]
    assert with_ending(dom, unlikely, np.array([0, 1, 2, 3])).tolist() == [0, 1, 2, 3, 4, 5], "the head is chosen already"
    behind_list = read_dom(f"<article><p>First.<ul><li>one<li>two</ul>{table}</article>")
    assert with_ending(behind_list, unlikely[:7], np.array([0, 1, 2])).tolist() == [0, 1, 2, 3, 4, 5, 6]
    outside = read_dom(f"<article><p>First.<p>Second.</article>{table}")
    assert with_ending(outside, unlikely[:6], np.array([0, 1])).tolist() == [0, 1]
    assert with_ending(outside, unlikely[:6], np.array([0, 1]), "product").tolist() == [0, 1, 2, 3, 4, 5]
    three = read_dom(f"<article><p>First.<p>Second.</article>{table.replace('<tr>', '<tr><td>x')}")
    assert with_ending(three, unlikely[:8], np.array([0, 1]), "product").tolist() == [0, 1], "no table of names and values"
    links = read_dom("<p>First.<p>Second.<table><tr><td><a href=/1>one</a><td><a href=/2>two</a><tr><td>a<td>b</table>")
    assert with_ending(links, unlikely[:6], np.array([0, 1])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("ending", "probability", "left"),
    [
        ("<p>Nobody on the quay had a word to say about it.</p>", 0.02, [0, 1, 2]),
        ("<p>Nobody on the quay had a word to say about it.</p>", 0.001, [0, 1]),
        ("<p>Nobody on the quay had a <a href=/1>word</a> to say about it.</p>", 0.02, [0, 1]),
        ("<blockquote><p>Nobody on the quay had a word to say.</p></blockquote>", 0.02, [0, 1, 2]),
        ("<p>All rights reserved.</p>", 0.02, [0, 1]),
        ("<div><p>Nobody on the quay had a word to say about it.</p></div>", 0.02, [0, 1]),
    ],
)
def test_a_paragraph_that_ends_the_text_in_its_element_is_chosen(ending: str, probability: float, left: list[int]) -> None:
    dom = read_dom(f"<article><p>The ferry came in late.</p><h2>What happens next</h2>{ending}</article>")
    assert with_ending(dom, np.array([1, 1, probability]), np.array([0, 1])).tolist() == left


def test_a_table_at_the_end_of_which_most_is_chosen_is_whole() -> None:
    dom = read_dom("<div><p>First.</p><table><tr><th>Height<td><p>36 cm</p><tr><th>Weight<td><p>2 kg</p></table></div>")
    assert with_parts(dom, np.array([0, 1, 3, 4])).tolist() == [0, 1, 2, 3, 4]
    assert with_parts(dom, np.array([0, 4])).tolist() == [0, 4]


def test_a_heading_that_shares_an_element_with_a_link_to_it_is_a_part() -> None:
    link = "<a href='#a'><span>Section titled A day</span></a>"
    dom = read_dom(f"<article><p>First.</p><div><h2 id=a>A day</h2>{link}</div><p>Second.</p></article>")
    assert with_parts(dom, np.array([0, 2, 3])).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("page", "left"),
    [
        ("<h1>A day</h1><footer><p>Filed under tides</p></footer><p>The ferry came in late.</p>", [2]),
        (f"<footer>{LONG}</footer><p>The ferry came in late.</p>", [0, 1]),
        ("<footer><p>The ferry came in late.</p><p>Nobody waved.</p></footer>", [0, 1]),  # no other text
        ("<p>The ferry came in late.</p><footer>Filed under tides</footer><p>Nobody waved.</p>", [0, 1, 2]),
    ],
)
def test_short_lines_in_a_footer_above_the_text_are_no_text(page: str, left: list[int]) -> None:
    dom = read_dom(page)
    chosen = np.array([block for block, text in enumerate(dom.texts) if text != "A day"])
    assert without_footers_above(dom, chosen).tolist() == left


def test_links_to_the_heading_before_them_are_no_text() -> None:
    dom = read_dom("<h2 id=a>A day</h2><a href='#a'><div>Section titled A day</div></a><p>Text.<p><a href=/x>Elsewhere</a>")
    assert without_labels(dom, np.array([0, 1, 2, 3])).tolist() == [0, 2, 3]


BOX = (
    "<div><h3>The Tide</h3><p>Every morning.</p><form><input type={}><button>Go</button></form><p>See our policy.</p></div>"
)


@pytest.mark.parametrize(
    ("page", "left"),
    [
        (f"<main><nav><span>harbour</span> <span>budget</span></nav>{LONG}{LONG}</main>", [1, 2]),
        (f"<nav>{LONG}</nav>{LONG}", [0, 1]),  # most of the text: no mere navigation
        (f"<main>{LONG}<section>{BOX.format('email')}</section>{LONG}</main>", [0, 4]),
        (f"<main>{LONG}<section>{BOX.format('search')}</section>{LONG}</main>", [0, 1, 2, 3, 4]),
        (f"<main><p>A ferry was late.</p>{BOX.format('email')}</main>", [0, 1, 2, 3]),  # most of the text
    ],
)
def test_navigations_and_boxes_that_ask_for_a_mail_address_are_no_text(page: str, left: list[int]) -> None:
    dom = read_dom(page)
    assert without_asides(dom, np.arange(len(dom.texts))).tolist() == left


def test_links_side_by_side_at_the_end_are_no_text() -> None:
    links = "<div><a href=/1>The old lighthouse</a><a href=/2>A new ferry</a></div>"
    dom = read_dom(f"{links}<p>The ferry came in late.</p><p><a href=/3>A source</a></p>{links}")
    assert without_links_around(dom, np.arange(4)).tolist() == [0, 1, 2]
    assert without_links_around(dom, np.array([0])).tolist() == [0]


@pytest.mark.parametrize("link", ["Back to the blog", "← All stories", "« Zurück zur Übersicht", "Volver al blog"])
def test_a_link_back_at_the_end_is_no_text(link: str) -> None:
    dom = read_dom(f"<p>The ferry came in late.</p><p><a href=/3>Backing it up</a></p><p><a href=/>{link}</a></p>")
    assert without_links_around(dom, np.arange(3)).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("line", "is_text"), [("« {} | {} »", False), ("« {} »", False), ("{} | {}", True), ("« {}, says {}", True)]
)
def test_links_to_the_neighbours_at_the_beginning_are_no_text(line: str, is_text: bool) -> None:
    dom = read_dom(
        f"<p>{line.format('<a href=/1>The old lighthouse</a>', '<a href=/2>A new ferry</a>')}</p><p>The ferry came in late.</p>"
    )
    assert without_links_around(dom, np.arange(2)).tolist() == ([0, 1] if is_text else [1])


def test_linked_tags_below_the_headline_are_no_text() -> None:
    tags = "<ul><li>4 May 2025</li><li><a href=/tags/harbour/>harbour</a></li></ul>"
    page = f"{tags}<p>The ferry came in late, and nobody on the quay had a word to say about it.</p><p><a href=/3>A source</a></p>"
    for before, left in (("<h1>A late ferry</h1>", [1, 3, 4]), ("", [0, 1, 2, 3])):
        dom = read_dom(before + page)
        assert without_links_around(dom, np.arange(len(dom.texts) - 4, len(dom.texts))).tolist() == left


def test_an_excerpt_of_the_next_paragraphs_is_no_text() -> None:
    paragraphs = "<p>The ferry came in late.</p><p>Nobody on the quay had a word to say about it, not even the pilot.</p>"
    for cut, is_left in (("had a word to…", 0), ("had a word to say [...]", 0), ("was asleep…", 1)):
        dom = read_dom(f"<p>The ferry came in late. Nobody on the quay {cut}</p>{paragraphs}")
        assert without_repeats(dom, np.arange(3)).tolist() == [0, 1, 2][1 - is_left :]


def test_a_short_link_alone_in_its_box_is_no_text() -> None:
    dom = read_dom(
        "<p>A ferry.</p><div><a href=/1>Try it now</a></div><p><a href=/2>A source</a></p><ul><li><a href=/3>A boat</a></ul><p>End.</p>"
    )
    assert without_buttons(dom, np.arange(5)).tolist() == [0, 2, 3, 4]


def test_code_right_behind_the_last_paragraphs_in_their_element_is_chosen() -> None:
    dom = read_dom(
        "<article><p>a<p>b<div><pre>c</pre></div><pre>d</pre><footer>e</footer><pre>f</pre></article><pre>g</pre>"
    )
    assert with_code(dom, np.array([0, 1])).tolist() == [0, 1, 2, 3]
    outside = read_dom("<article><p>a<p>b</article><pre>c</pre>")
    assert with_code(outside, np.array([0, 1])).tolist() == [0, 1]


def test_a_long_block_that_stands_twice_is_chosen_once():
    story = "The ferry left the harbour two days late, with four hundred pilgrims on board and one lame horse."
    story += " Nobody waved."
    dom = read_dom(f"<p>{story}<p>Yes.<div><p>{story}<p>Yes.<p>{story} Then it came back.</div>")
    assert without_repeats(dom, np.arange(5)).tolist() == [0, 1, 3, 4], "short ones and longer ones stay"
    assert without_repeats(dom, np.array([2, 3])).tolist() == [2, 3]
    assert choose(dom, np.full(5, 0.9)).tolist() == [0, 1, 3, 4]
    assert choose(dom, np.full(5, 0.9), "recall").tolist() == [0, 1, 2, 3, 4]


def test_promotions_go_and_for_precision_the_edges_too():
    story = [f"The ferry was {n} hours late, and nobody on the quay could say why that was so." for n in range(1, 4)]
    texts = ["By Ada Marsh", "Monday, 3 May", *story[:2], "READ MORE: The old ferry", story[2], "Share on Facebook"]
    dom = read_dom("".join(f"<p>{text}</p>" for text in texts))
    probabilities = np.full(len(texts), 0.9)
    chosen = {
        favour: [texts[i] for i in choose(dom, probabilities, favour)] for favour in ("recall", "balance", "precision")
    }
    assert chosen["recall"] == texts
    assert chosen["balance"] == [text for text in texts if not text.startswith("READ")]
    assert chosen["precision"] == story


@pytest.mark.parametrize(
    ("line", "is_text"),
    [
        ("Listen Facebook WhatsApp E-Mail Copy link", False),
        ("They are on Facebook, WhatsApp and Telegram.", True),
        ("Share this: <a href=#c>Chirper</a> <a href=#f>Facepage</a>", False),
        ("Share this: <a href=#c>the picture</a> tells more of <a href=#f>Facepage</a> than their word.", True),
        ("Résumé généré par intelligence artificielle et relu par la rédaction.", False),
        ("This summary was generated by AI.", False),
        ("Thousands of AI-generated summaries later, the quay is full.", True),
    ],
)
def test_lines_of_networks_and_labels_of_machines_are_no_text(line: str, is_text: bool) -> None:
    dom = read_dom(f"<main>{LONG}<p>{line}</p>{LONG}</main>")
    assert (1 in without_furniture(dom, np.arange(3), "balance")) is is_text


@pytest.mark.parametrize("clock", ["9:05", "9 p.m.", "19.05 Uhr", "18h05", "3/11/2026, 9:05 a.m. ET", "kl. 9.05"])
def test_the_times_of_a_live_blog_are_no_text(clock: str) -> None:
    dom = read_dom(f"<main>{LONG}{LONG}{LONG}" + f"<p>{clock}</p><h3>The quay</h3>{LONG}" * 3 + "</main>")
    left = without_furniture(dom, np.arange(len(dom.texts)), "balance")
    assert clock not in [dom.texts[block] for block in left.tolist()]
    programme = read_dom(f"<main>{LONG}{LONG}{LONG}" + f"<p>{clock}</p><p>The quay</p>" * 5 + "</main>")
    assert len(without_furniture(programme, np.arange(13), "balance")) == 13


def test_furniture_alone_is_no_text_for_precision():
    dom = read_dom("<p>By Ada Marsh</p><p>Posted on Monday</p>")
    assert choose(dom, np.array([0.9, 0.9]), "precision").tolist() == []
    assert choose(dom, np.array([0.9, 0.9])).tolist() == [0, 1]
    assert choose(read_dom("<p>Read more"), np.array([0.9])).tolist() == [0]


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("Read more: The ferry is back", False),
        ("Related", False),
        ("Related: The ferry is back.", False),
        ("MORE: The ferry is back", False),
        ("More: https://ferry.example/", True),
        ("Advertisement. Scroll on", False),
        ("延伸阅读：渡轮回来了。", False),
        ("Popular boats of the harbour include", True),
        ("Read more about it in our guide to ferries.", True),
        ("Learn more about ferries", True),
        ("更多的人在早上来到码头，等待第一班渡轮的到来。", True),
    ],
)
def test_a_sentence_that_begins_like_a_promotion_is_none(text: str, is_kept: bool):
    dom = read_dom(f"<p>The ferry is late.</p><p>{text}</p><p>The ferry is late again.</p>")
    probabilities = np.full(3, 0.9)
    assert (1 in choose(dom, probabilities)) is is_kept
    assert 1 in choose(dom, probabilities, kind="service")


@given(SOME)
def test_signs_are_finite_and_confidence_is_a_probability(values: list[float]):
    probabilities = np.array(values)
    found = signs(probabilities, np.ones(len(values)), np.array([int(probabilities.argmax())]))
    assert found.shape == (len(CONFIDENCE_NAMES),)
    assert np.isfinite(found).all()
    assert 0 <= confidence(found, np.ones(len(CONFIDENCE_NAMES) + 1, dtype=np.float32)) <= 1


def test_doubt_and_what_is_left_out_show_in_the_signs():
    sizes, chosen = np.full(6, 100.0), np.array([1, 2, 4])
    clear = signs(np.array([0.0, 1, 1, 0, 1, 0]), sizes, chosen)
    doubtful = signs(np.array([0.4, 0.6, 1, 0.4, 1, 0.45]), sizes, chosen)
    at = {name: i for i, name in enumerate(CONFIDENCE_NAMES)}
    for name in ("error", "doubt", "before", "behind"):
        assert doubtful[at[name]] > clear[at[name]]
    assert doubtful[at["weakest"]] < clear[at["weakest"]]
    assert clear[at["gaps"]] == pytest.approx(100 / 301)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<title> The  ferry </title>", "The ferry"),
        ("<title>The ferry - Ledger</title><meta property=og:title content='The ferry'>", "The ferry"),
        ("<meta name=twitter:title content='The ferry'><title>The ferry - Ledger</title>", "The ferry"),
        ("<meta property=og:title content=''><title>The ferry</title>", "The ferry"),
        ("<meta charset=utf-8>", ""),
        ("", ""),
        ("<body><title>The ferry</title>", ""),
    ],
)
def test_the_title_that_the_head_gives(head: str, expected: str):
    assert stated_title(read_dom(head)) == expected


def test_the_cells_of_a_data_table_between_chosen_blocks_are_chosen():
    table = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    dom = read_dom(f"<p>First.</p>{table}<p>Last.</p>{table}")
    assert with_parts(dom, np.array([0, 5])).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_table_of_links_between_chosen_blocks_is_no_part():
    cells = "".join(f"<tr><td><a href=/{n}>page {n}</a><td>{n}" for n in range(4))
    dom = read_dom(f"<p>First.</p><table>{cells}</table><p>Last.</p>")
    assert with_parts(dom, np.array([0, 9])).tolist() == [0, 9]


def test_lists_headings_and_quotations_between_chosen_neighbours_are_chosen():
    dom = read_dom(
        "<div><p>One.</p><h2>Head</h2><ul><li>a<li>b</ul><p>Two.</p><blockquote><p>Said.</p><p>Jo</p></blockquote><p>End."
    )
    assert dom.texts == ["One.", "Head", "a", "b", "Two.", "Said.", "Jo", "End."]
    assert with_parts(dom, np.array([0, 4, 5, 7])).tolist() == list(range(8))


def test_a_list_whose_neighbours_are_not_chosen_is_no_part():
    dom = read_dom("<div><p>One.</p><p>Ad</p><ul><li>a<li>b</ul><p>Two.</p></div>")
    assert with_parts(dom, np.array([0, 4])).tolist() == [0, 4]


@pytest.mark.parametrize(("chosen", "left"), [([0, 2, 5], [0, 1, 2, 3, 4, 5]), ([0, 5], [0, 5])])
def test_a_list_of_which_a_quarter_is_chosen_is_chosen_wherever_its_neighbours_are(chosen: list[int], left: list[int]):
    dom = read_dom("<div><p>One.</p></div><div><ul><li>a<li>b<li>c<li>d</ul></div><div><p>Two.</p></div>")
    assert with_parts(dom, np.array(chosen)).tolist() == left


def test_a_list_of_cards_is_not_completed():
    card = "<li><h3>Head</h3><p>Text.</p>"
    dom = read_dom(f"<div><p>One.</p></div><div><ul>{card}{card}</ul></div><div><p>Two.</p></div>")
    assert with_parts(dom, np.array([0, 2, 4, 5])).tolist() == [0, 2, 4, 5]


def test_an_embedded_post_between_chosen_blocks_is_no_part():
    post = "<blockquote><p>Fresh fish on the quay today.</p>Jo (@jo) <a href=/3>3 May</a></blockquote>"
    dom = read_dom(f"<div><p>One.</p>{post}<p>Two.</p></div>")
    assert with_parts(dom, np.array([0, 3])).tolist() == [0, 3]


@pytest.mark.parametrize(
    ("dialog", "on_articles", "on_others"),
    [
        ("<div class=Consent_x1><h2>We value you</h2><p>We store personal data on your device.</p></div>", 0, 0),
        ("<div id=cookie-banner><h2>Cookies</h2><p>This site sets cookies.</p></div>", 0, 0),
        ("<div role=dialog><h2>Size guide</h2><p>Fits boats of all sizes.</p></div>", 0, 1),
        ("<div aria-modal=true><h2>Join us</h2><p>Every morning at seven.</p></div>", 0, 1),
        ("<div class=install-modal style='display: none'><h2>Install</h2><p>This app needs no shop.</p></div>", 0, 1),
        ("<div class=modal><h2>Modal verbs</h2><p>Can, may and must.</p></div>", 1, 1),
        ("<div class=informed-consent><h2>Consent</h2><p>The sailor must agree.</p></div>", 1, 1),
        ("<div class=x1><div><b>Hello</b><p>We store cookies.</p></div><div><button>Accept all</button></div></div>", 0, 0),
        ("<div class=x1><p>We store cookies.</p><p>Yours</p><input type=button value='Alle ablehnen'></div>", 0, 0),
        ("<div class=x1><p>We bake cookies.</p><p>Yours</p><button>Subscribe</button></div>", 1, 1),
        ("<div class=cookie-recipe><h2>Cookies</h2><p>Bake the cookies.</p></div>", 1, 1),
    ],
)
def test_dialogs_are_no_text(dialog: str, on_articles: int, on_others: int):
    dom = read_dom("<p>The ferry came in late, and nobody on the quay had a word to say about it.</p>" * 3 + dialog)
    ones = np.ones(5)
    assert without_dialogs(dom, ones).tolist() == [1, 1, 1, on_articles, on_articles]
    assert without_dialogs(dom, ones, is_article=False).tolist() == [1, 1, 1, on_others, on_others]


def test_a_page_that_is_a_dialog_has_its_text():
    dom = read_dom("<div role=dialog><p>The ferry came in late.</p><p>Nobody said a word.</p></div>")
    assert without_dialogs(dom, np.ones(2)).tolist() == [1, 1]


@pytest.mark.parametrize("marks", ["class=modal hidden", "role=dialog aria-hidden=true", "aria-modal=true inert"])
def test_a_hidden_dialog_may_be_longer_than_the_text(marks: str):
    dom = read_dom(f"<p>The ferry came in late.</p><div {marks}>{'Install it. ' * 12}</div>")
    assert without_dialogs(dom, np.ones(2)).tolist() == [1, 0]


def test_teasers_that_fill_an_element_under_a_heading_like_related_are_no_text():
    card = "<div><h3><a href=/1>The old lighthouse</a></h3><p>3 May</p><p>It was dark, and nobody had come.</p></div>"
    page = "<p>The ferry came in late.</p><div><div><h2>{}</h2></div><div>{}{}</div></div><p>Nobody said a word.</p>"
    for heading, below, held in (
        ("Related posts", card, True),
        ("The three lighthouses", card, False),
        ("Related work", "<p>All of it is old.</p>", False),
    ):
        dom = read_dom(page.format(heading, card, below))
        is_held = without_dialogs(dom, np.ones(len(dom.texts))) == 0
        assert is_held.tolist() == [False, *[held] * (len(dom.texts) - 2), False]


FOOTER = "<p>The Tide is written by sailors.</p>"


@pytest.mark.parametrize(
    ("page", "held"),
    [
        (f"<p>Late.</p><footer>{FOOTER}</footer>", [False, True]),
        (f"<p>Late.</p><div class=site-footer>{FOOTER}</div>", [False, True]),
        (f"<footer>{FOOTER}</footer><p>Late.</p>", [False, False]),
        (f"<div class=footer><p>Late.</p>{FOOTER}</div>", [False, False]),
    ],
)
def test_footers_behind_what_is_surely_text_are_no_text(page: str, held: list[bool]):
    dom = read_dom(page)
    probabilities = np.array([0.9 if text == "Late." else 0.6 for text in dom.texts])
    assert footers(dom, probabilities).tolist() == held
    assert (without_dialogs(dom, probabilities) > 0).tolist() == [not each for each in held]
    assert footers(dom, np.full(2, 0.6)).tolist() == [False, False]  # nothing is sure
    unsure = footers(dom, probabilities - 0.2)  # but this text is more probable
    assert unsure.tolist() == [is_held and "footer" in dom.tags for is_held in held]


def test_the_rest_of_a_page_with_unclosed_elements_is_no_footer():
    dom = read_dom("<p>Late.</p><footer>" + FOOTER * 6)
    probabilities = np.array([0.9] + [0.6] * 6)
    assert not footers(dom, probabilities).any()
    probabilities[-1] = 0.4
    assert footers(dom, probabilities).tolist() == [False] + [True] * 6


def test_what_text_density_takes_below_a_link_behind_the_text_is_the_teaser_of_another_story():
    dom = read_dom(f'{LONG * 4}<p><a href="/b">The gulls are back</a></p>{LONG}<p>Short lines.</p>')
    probabilities = np.array([*[0.9] * 4, 0.3, 0.3, 0.3])
    own, dense = np.arange(4), np.arange(7)
    assert raised(dom, probabilities, own, dense).tolist()[4:] == [0.3, 0.3, 1]
    assert raised(dom, probabilities, np.array([*own, 6]), dense).tolist()[4:] == [1, 1, 1], "between two chosen blocks"
    assert raised(dom, probabilities, own, dense, "forum").tolist()[4:] == [1, 1, 1], "an answer below a name"
    assert raised(dom, probabilities, own[:1], np.array([0, 4, 5, 6])).tolist()[4:] == [1, 1, 1], "most of the text"


def test_what_text_density_takes_below_the_heading_of_comments_is_no_text():
    dom = read_dom(f"{LONG}<h2>Responses (3)</h2>{LONG}{LONG}")
    probabilities = np.array([0.9, 0.05, 0.6, 0.3])
    assert raised(dom, probabilities, np.array([0, 2]), np.array([0, 2, 3])).tolist() == [1, 0.05, 0.6, 0.3]
    assert choose(dom, probabilities).tolist() == [0]
    assert without_other_stories(dom, probabilities, np.array([0, 2])).tolist() == [0, 2]
