"""The headline."""

import pytest

from newsextract.article import Heading, Surroundings
from newsextract.fields.metadata import read_metadata
from newsextract.fields.title import find_title, published_title
from newsextract.fields.title_parts import site_names, split_title

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


def test_site_name_as_h1_does_not_win() -> None:
    headings = (Heading(1, "Notes from the quay", 1), Heading(2, "Archives", 3), Heading(2, HEADLINE, 9))
    page = f"<title>{HEADLINE} - Notes from the quay</title><h1>Notes from the quay</h1>"
    assert title(page, headings, "https://quaynotes.example/2019/harbour-bridge-closes-for-a-year/") == HEADLINE


def test_agreement_decides() -> None:
    page = f"<title>{HEADLINE} – Harbour – Gull</title><meta property='og:title' content='{HEADLINE}'>"
    headings = (Heading(2, "Most read", 2), Heading(1, HEADLINE, 4))
    assert title(page, headings) == HEADLINE


def test_kicker_and_subtitle_in_the_heading_are_left_out() -> None:
    head = f"<title>{HEADLINE} | The Gull</title>"
    joined = Heading(1, f"Traffic {HEADLINE}", 4)
    assert title(f"{head}<h1><span>Traffic</span> <span>{HEADLINE}</span></h1>", (joined,)) == HEADLINE
    assert title(f"{head}<h1>{HEADLINE} <small>Ferries will run all night</small></h1>") == HEADLINE


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


def test_fifty_of_something_are_no_day() -> None:
    assert title("<title>Harbour, the news of the quay</title>", (Heading(1, "50 Ferries 2019", 1),)) == "50 Ferries 2019"
