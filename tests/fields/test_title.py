"""The headline."""

import pytest

from newsextract import extract
from newsextract.fields.title import OTHERS, find_title, find_titles, published_title
from newsextract.fields.title_parts import site_names, split_title
from newsextract.page.metadata import read_metadata
from newsextract.results import Heading, Surroundings

HEADLINE = "Harbour bridge closes for a year"


def title(markup: str, headings: tuple[Heading, ...] = (), url: str | None = None, hint: str | None = None) -> str | None:
    found = find_title(read_metadata(markup), Surroundings(headings=headings), url, hint)
    return found.value if found else None


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADLINE} | The Example Times",
        f"{HEADLINE} - News - Example",
        f"Example Daily News » {HEADLINE}",
        f"{HEADLINE}",
    ],
)
def test_site_name_is_removed_from_title(text: str) -> None:
    assert title(f"<title>{text}</title>", url="https://www.example.com/x") == HEADLINE


def test_chinese_title() -> None:
    assert title("<title>海湾大桥将封闭一年_新闻频道_示例网</title>") == "海湾大桥将封闭一年"


@pytest.mark.parametrize("name", ["The Example Times", "论坛 - Powered by Discuz!"])
def test_a_chinese_title_is_not_shorter_than_the_english_name_of_the_site(name: str) -> None:
    assert (
        title(f"<title>海湾大桥将封闭一年的通知 - {name}</title><h1>海湾大桥将封闭一年的通知</h1>")
        == "海湾大桥将封闭一年的通知"
    )


def test_site_name_as_h1_does_not_win() -> None:
    headings = (Heading(1, "Notes from the quay", 1), Heading(2, "Archives", 3), Heading(2, HEADLINE, 9))
    page = f"<title>{HEADLINE} - Notes from the quay</title><h1>Notes from the quay</h1>"
    assert title(page, headings, "https://quaynotes.example/2019/harbour-bridge-closes-for-a-year/") == HEADLINE


def test_agreement_decides() -> None:
    page = f"<title>{HEADLINE} – Harbour – Gull</title><meta property='og:title' content='{HEADLINE}'>"
    headings = (Heading(2, "Most read", 2), Heading(1, HEADLINE, 4))
    assert title(page, headings) == HEADLINE


def test_a_short_headline_wins_if_the_heading_above_the_text_and_the_start_of_the_title_agree() -> None:
    page = "<title>Hi - Notes from the quay</title><h1><a href='/'>Notes from the quay</a></h1><h2>Written at night</h2><h1>Hi</h1>"
    headings = (Heading(1, "Notes from the quay", 1), Heading(2, "Written at night", 2), Heading(1, "Hi", 9))
    near = Surroundings(headings=headings, first=10, before=("Notes from the quay", "Written at night", "Menu", "Hi"))
    found = find_title(read_metadata(page), near, "https://quaynotes.example/2019/hi.html")
    assert found is not None
    assert found.value == "Hi"


def test_a_paragraph_that_contains_a_title_of_two_letters_is_no_headline() -> None:
    near = Surroundings(
        headings=(Heading(2, "Hi", 3),), first=4, before=("Hi", "While the archive was shut, the ferry ran.")
    )
    found = find_title(read_metadata("<title>Hi</title>"), near, None)
    assert found is not None
    assert found.value == "Hi"


def test_the_full_stop_of_the_theme_is_not_in_the_headline() -> None:
    near = Surroundings(before=("home", f"{HEADLINE}.", "4 March 2019"))
    found = find_title(read_metadata(f"<title>{HEADLINE} | quay.notes</title>"), near, "https://quay.example/x/")
    assert found is not None
    assert found.value == HEADLINE


def test_kicker_and_subtitle_in_the_heading_are_left_out() -> None:
    head = f"<title>{HEADLINE} | The Gull</title>"
    joined = Heading(1, f"Traffic {HEADLINE}", 4)
    assert title(f"{head}<h1><span>Traffic</span> <span>{HEADLINE}</span></h1>", (joined,)) == HEADLINE
    assert title(f"{head}<h1>{HEADLINE} <small>Ferries will run all night</small></h1>") == HEADLINE


def test_a_kicker_in_a_lower_heading_is_left_out_where_the_page_has_no_h1() -> None:
    head = f"<title>{HEADLINE} - The Gull</title><meta property='og:title' content='{HEADLINE}'>"
    page = f"{head}<h2><span>Traffic</span> <span>{HEADLINE}</span></h2>"
    assert title(page, (Heading(2, f"Traffic {HEADLINE}", 4), Heading(3, "Most read", 9))) == HEADLINE
    assert title(f"<title>The Gull - Traffic - {HEADLINE}</title>", (Heading(2, f"Traffic - {HEADLINE}", 4),)) != HEADLINE


def test_a_heading_of_one_piece_stays_whole() -> None:
    head = "<title>Harbour bridge closes | The Gull</title>"
    assert title(f"{head}<h1>{HEADLINE}</h1>", (Heading(1, HEADLINE, 4),)) == HEADLINE


def test_headline_that_is_no_heading() -> None:
    near = Surroundings(before=("Sections", HEADLINE, "4 March 2019"))
    found = find_title(read_metadata(f"<title>The Gull, {HEADLINE}, page 3</title>"), near, None)
    assert found is not None
    assert (found.value, found.source) == (HEADLINE, "near_text")


def test_hyphen_without_blanks_ends_a_chinese_headline_only() -> None:
    assert title("<title>海湾大桥将封闭一年-示例网</title>") == "海湾大桥将封闭一年"
    assert split_title("A well-known bridge", frozenset()) == ["A well-known bridge"]


def test_soft_hyphens_of_a_heading_are_dropped() -> None:
    heading = Heading(1, "Har\xadbour bridge closes for a year", 4)
    assert title(f"<title>{HEADLINE}</title>", (heading,)) == HEADLINE


def test_entities_and_white_space_are_clean() -> None:
    assert title("<meta property='og:title' content='Bridge &amp;amp; harbour\n closed'>") == "Bridge & harbour closed"


def test_feed_title_when_the_page_has_none() -> None:
    found = find_title(read_metadata("<p>x"), Surroundings(), None, HEADLINE)
    assert found is not None
    assert (found.value, found.source) == (HEADLINE, "feed")


def test_no_title() -> None:
    assert title("<p>text") is None
    assert title("<title> </title>") is None


def test_published_rule_takes_the_highest_heading() -> None:
    page = read_metadata("<title>x - Example</title>")
    near = Surroundings(headings=(Heading(3, "kicker", 1), Heading(2, HEADLINE, 2), Heading(2, "second", 3)))
    found = published_title(near, page)
    assert found is not None
    assert (found.value, found.source) == (HEADLINE, "h2")


def test_published_rule_falls_back_to_title() -> None:
    page = read_metadata(f"<title>{HEADLINE} - Example News</title>")
    found = published_title(Surroundings(), page)
    assert found is not None
    assert (found.value, found.source) == (HEADLINE, "title")
    assert published_title(Surroundings(), read_metadata("")) is None


def test_site_names_and_parts() -> None:
    page = read_metadata("<meta property='og:site_name' content='The Gull'>")
    names = site_names(page, "https://www.quaynotes.example/a")
    assert {"thegull", "quaynotes"} <= names
    assert split_title("A long day | The Gull", names) == ["A long day"]
    assert split_title("The Gull", names) == ["The Gull"]


def test_kicker_of_an_h1_is_left_out_where_the_page_states_both() -> None:
    head = (
        f"<title>Ferries full: {HEADLINE} - The Gull</title><meta property='og:title' content='{HEADLINE} - Ferries full'>"
    )
    joined = Heading(1, f"Ferries full {HEADLINE}", 4)
    assert title(f"{head}<h1><span>Ferries full</span> <b>{HEADLINE}</b></h1>", (joined,)) == HEADLINE


@pytest.mark.parametrize("day", ["Sunday, October 28, 2012", "28 October 2012", "28.10.2012", "2012年10月28日"])
def test_a_post_s_own_heading_beats_the_day_above_it(day: str) -> None:
    headings = (Heading(1, "Quay notes", 1), Heading(2, day, 3), Heading(3, "Closed again", 4))
    near = Surroundings(headings=headings, before=("Quay notes", day, "Closed again", "The bridge is closed."))
    page = read_metadata("<title>Quay notes: Closed again</title><h1>Quay notes</h1>")
    found = find_title(page, near, None)
    assert found is not None
    assert found.value == "Closed again"


def test_a_day_is_a_title_where_there_is_no_other() -> None:
    day = "Sunday, October 28, 2012"
    assert title("<p>text", (Heading(2, day, 1),)) == day


def test_a_day_is_the_title_where_the_head_says_so_and_only_sections_follow() -> None:
    day = "Sunday, October 28, 2012"
    headings = (Heading(1, "Quay notes", 1), Heading(2, day, 2), Heading(2, "How the bridge was closed", 3))
    near = Surroundings(headings=headings, before=("Quay notes", day, "How the bridge was closed"), first=4)
    head = f"<meta property=og:site_name content='Quay notes'><title>Quay notes - {day}</title>"
    found = find_title(read_metadata(f"{head}<h1>Quay notes</h1>"), near, None)
    assert found is not None
    assert found.value == day


def test_fifty_of_something_are_no_day() -> None:
    assert title("<title>Harbour, the news of the quay</title>", (Heading(1, "50 Ferries 2019", 1),)) == "50 Ferries 2019"


@pytest.mark.parametrize("sign", ["¶", "#", "🔗"])
def test_the_sign_of_a_permanent_link_is_no_part_of_a_title(sign: str) -> None:
    assert title(f"<title>x</title><h1>{HEADLINE}<a href='#h'>{sign}</a></h1>") == HEADLINE
    assert title(f"<title>x</title><h1><a href='#h'>{sign}</a> {HEADLINE}</h1>") == HEADLINE
    assert title("<title>Bridges in C#</title><h1>Bridges in C#</h1>") == "Bridges in C#"


def test_breadcrumbs_are_no_part_of_a_title() -> None:
    crumbs = f"<a href='/'>Home</a> / <a href='/news/'>News</a> / {HEADLINE}"
    whole = Heading(1, f"Home / News / {HEADLINE}", 3)
    assert title(f"<title>Quay notes</title><h1>{crumbs}</h1>", (whole,)) == HEADLINE
    near = Surroundings(before=(f"Home » News » {HEADLINE}", "The bridge is closed."))
    found = find_title(read_metadata(f"<title>{HEADLINE}</title>"), near, None)
    assert found
    assert found.value == HEADLINE


def test_a_heading_that_links_to_the_start_page_is_the_site_s() -> None:
    url = "https://www.example.com/blog/2023/bridge.html"
    headings = (Heading(1, "Quay notes", 0), Heading(2, HEADLINE, 2))
    for site in ("<h1><a href='/'>Quay notes</a></h1>", "<a class=logo href='../'><h1>Quay notes</h1></a>"):
        assert title(f"<title>Quay notes</title>{site}<h2>{HEADLINE}</h2>", headings, url) == HEADLINE
    own = f"<h1><a href='{url}'>{HEADLINE}</a></h1>"
    assert title(f"<title>Quay notes</title>{own}", (Heading(1, HEADLINE, 2),), url) == HEADLINE


def test_a_heading_in_the_text_is_not_the_page_s() -> None:
    near = Surroundings(
        headings=(Heading(2, "What happens to the ferry", 6),), before=(HEADLINE, "The bridge is closed."), first=5
    )
    found = find_title(read_metadata(f"<title>{HEADLINE} - Quay notes</title>"), near, None)
    assert found
    assert found.value == HEADLINE


@pytest.mark.parametrize(
    "above", [f"<div class=post-title>{HEADLINE}</div><div>4 March 2019</div>", f"<div>{HEADLINE}</div><p>By Jane Doe</p>"]
)
@pytest.mark.parametrize(
    "head", ["<title>Quay notes</title>", "<title>Quay notes</title><meta property=og:site_name content='Quay notes'>"]
)
def test_class_or_place_give_the_title_where_the_head_has_only_the_site_s_name(above: str, head: str) -> None:
    text = "".join(
        f"<p>The ferry was late, and nobody on the quay had a word to say about it, as the wind was up at {n}.</p>"
        for n in range(5)
    )
    page = f"{head}<body><header><a href='/'>Quay notes</a></header>{above}<div>{text}</div>"
    assert extract(page, "https://www.example.com/2019/bridge").title == HEADLINE


def others(markup: str, headings: tuple[Heading, ...] = ()) -> list[str]:
    found = find_titles(read_metadata(markup), Surroundings(headings=headings, first=9), None)
    return [one.value for one in found]


@pytest.mark.parametrize(
    "stated", [f"Quay notes: {HEADLINE}", f"{HEADLINE} - Quay notes", f"Quay notes » {HEADLINE}", f"Quay notes | {HEADLINE}"]
)
def test_what_the_stated_title_has_beside_the_headline_is_the_next_best(stated: str) -> None:
    found = others(f"<title>{stated}</title><h1>Quay notes</h1>", (Heading(1, "Quay notes", 1), Heading(2, "About us", 2)))
    if found[0] == "Quay notes":
        assert found[1] == HEADLINE
    else:
        assert found[0] == HEADLINE


def test_the_next_best_titles_are_few_and_none_repeats_the_first_or_stands_in_the_text() -> None:
    headings = (Heading(1, HEADLINE, 1), Heading(2, "The mayor explains himself", 3), Heading(2, "What happens next", 12))
    found = others(f"<title>{HEADLINE}</title><meta property=og:title content='{HEADLINE}'><h1>{HEADLINE}</h1>", headings)
    assert found == [HEADLINE, "The mayor explains himself"]
    many = tuple(Heading(2, f"Another headline with number {number}", 1) for number in range(9))
    assert len(others(f"<title>{HEADLINE}</title>", many)) == 1 + OTHERS
    assert others("<p>x") == []


def test_part_of_the_title_that_the_home_link_shows_is_the_site_name() -> None:
    text = "<p>I have finally set up a place of my own, after years of writing on the sites of other people.</p>" * 3
    page = (
        "<title>Hi - Low Water Notes</title>"
        '<body><header><a href="/">Low Water Notes</a></header><nav><a href="/about/">About</a></nav>'
        f"<main><article><h1>Hi</h1>{text}</article></main>"
    )
    assert extract(page, url="https://www.example.org/hi/").title == "Hi"


def test_a_line_above_the_text_that_the_title_begins_with_is_the_headline_and_the_first_heading_below_is_none() -> None:
    near = Surroundings(
        headings=(Heading(2, "Your plan should", 3),), first=3,
        before=("The Gull", HEADLINE, "Ada Quist", "Your plan should", "Time is an ally."),
    )  # fmt: skip
    page = f"<meta property='og:site_name' content='The Gull'><title>{HEADLINE} | The Gull</title><h2>Your plan should</h2>"
    found = find_title(read_metadata(page), near, "https://quay.example/posts/your-plan-should.html")
    assert found is not None
    assert found.value == HEADLINE


def test_a_day_in_the_page_title_is_not_the_headline() -> None:
    page = f"<title>A late ferry - 28 October 2026 - Quay</title><a href=/>Quay</a><div><div>A late ferry</div><p>{'The ferry came in late on Tuesday. ' * 9}<h2>What happened next</h2><p>{'Nobody on the quay had a word to say. ' * 9}</div>"
    assert extract(page, url="https://quay.example/news/late/").title == "A late ferry"
