"""What ``oem check`` notices of a site's changes: pages of one site, and the same pages changed as sites change."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from newsextract.errors import DataError
from newsextract.page.page import Page
from newsextract.wrappers import parse_format, run
from newsextract.wrappers.drift import PageCounts, count_page, counts_from_json, counts_json, warnings

FORMAT = parse_format(
    """
{<main>#</main>, root, get()}
{</hx>#<hx>, <hx>#</hx>, root}
{<li class="talk">#</li>, talk, <hx>#</hx>}
{<b>#</b>, title, talk}
{"by "#;, speaker, talk}?
{<i>$time</i>[ in <u>$room</u>], slot, talk}
"""
)
WORDS = "harbour ferry tide lamp rope north quay gull beacon pilot chart mole".split()


def site_page(seed: int, entries: int = 40) -> str:
    """A page as the site has them: sections, talks, a speaker in nine of ten, a room in four of five."""
    dice = random.Random(seed)
    parts = ["<html><head><title>Talks</title></head><body><nav>Home Search Help</nav><main>"]
    for number in range(entries):
        if number % 8 == 0:
            parts.append(f"<h2>Session {number // 8 + 1}</h2><ul>")
        title = " ".join(dice.choices(WORDS, k=dice.randint(3, 9)))
        speaker = f"by {dice.choice(WORDS).title()} {dice.choice(WORDS).title()}; " if dice.random() < 0.9 else ""
        room = f" in <u>room {dice.randint(1, 20)}</u>" if dice.random() < 0.8 else ""
        parts.append(
            f'<li class="talk"><b>{title}</b> {speaker}<i>{dice.randint(8, 18)}:{dice.randint(10, 59)}</i>{room}</li>'
        )
    return "\n".join([*parts, "</main><footer>All rights reserved</footer></body></html>"])


def counts(text: str) -> PageCounts:
    page = Page.from_text(text, "http://talks.example/")
    return count_page(FORMAT, page, "page.html", run(FORMAT, page))


def test_pages_of_one_site_give_no_warning() -> None:
    pages = [counts(site_page(seed, entries)) for seed, entries in enumerate((40, 9, 17, 40, 60, 25, 40, 12))]
    for number, page in enumerate(pages):
        assert page.fits
        assert warnings(FORMAT, page, pages[:number] + pages[number + 1 :]) == []
        assert warnings(FORMAT, page) == []


def later_half(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text[: len(text) // 2] + text[len(text) // 2 :].replace(old, new)


def every(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (later_half("<b>", "<strong>"), "line 5 (title): finds something in "),
        (every("by ", "with "), "line 6 (speaker): finds something in 0 of 40 sources, elsewhere in 9"),
        (later_half("; ", ". "), "line 6 (speaker): finds something in "),
        (every(" in <u>", " at <u>"), "line 7 (slot): 0 of 40 objects have room, elsewhere "),
        (later_half('<li class="talk"', '<li class="session-talk"'), "objects hold "),
        (every("</i>", ""), "time: a usual text has "),
        (every("</b>", ""), "objects hold 131% of the text that line 2 (root) bounds, elsewhere "),
        (
            every('<li class="talk">', '<li class="talk"><b>New</b> '),
            "line 5 (title): 2.0 objects in a source, elsewhere always 1",
        ),
        (every("<b>", "<b>Add to calendar</b> <strong>"), "title: all 40 texts are the same; elsewhere they differ"),
        (
            lambda text: text.replace(
                "<main>", "<main><h2>News</h2><ul><li class=talk><b>x</b> by y; <i>1:1</i></ul></main>", 1
            ),
            "line 2 (root): bounds ",
        ),
    ],
)
def test_a_change_of_the_site_is_noticed(change: Callable[[str], str], said: str) -> None:
    others = [counts(site_page(seed)) for seed in range(4)]
    changed = counts(change(site_page(9)))
    told = warnings(FORMAT, changed, others)
    assert any(line.startswith(said) for line in told), told


def test_emptied_elements_are_noticed() -> None:
    text = site_page(9)
    others = [counts(site_page(seed)) for seed in range(4)]
    emptied = counts(
        "<b></b>".join(part.partition("</b>")[2] if number else part for number, part in enumerate(text.split("<b>")))
    )
    assert "title: 40 of 40 texts are empty" in warnings(FORMAT, emptied, others)
    assert "title: 40 of 40 texts are empty" in warnings(FORMAT, emptied)


def test_far_fewer_objects_are_noticed() -> None:
    lone = parse_format("{<body>#</body>, root, get()}\n{<li>#</li>, entry, root}")

    def of(entries: int) -> PageCounts:
        page = Page.from_text(f"<body>{'<li>entry</li>' * entries}</body>")
        return count_page(lone, page, "p", run(lone, page))

    assert warnings(lone, of(4), [of(50), of(40)]) == ["line 2 (entry): 4 objects in a source, elsewhere 45"]
    assert warnings(lone, of(10), [of(50), of(40)]) == []


def test_alone_a_page_is_judged_by_itself() -> None:
    assert any(
        line.startswith("line 5 (title): finds something in 19 of 40 sources")
        for line in warnings(FORMAT, counts(site_page(3).replace("<b>", "<strong>", 21)))
    )
    long = site_page(3).replace("</b>", " " + "more of it " * 60 + "</b>", 1)
    assert any(line.startswith("title: a text of ") for line in warnings(FORMAT, counts(long)))


def test_a_label_that_is_not_found_is_told() -> None:
    wrapper = parse_format("{<body>#</body>, root, get()}\n{<p>#</p>, <b>#</b>, root}")
    page = Page.from_text("<body><p><b>One</b> text</p><p>Two text</p></body>")
    found = count_page(wrapper, page, "p", run(wrapper, page))
    assert warnings(wrapper, found) == ["1 objects have no label; the pattern for it finds nothing in them"]


def test_others_that_do_not_fit_are_no_measure() -> None:
    gone = counts("<html><body>Please log in</body></html>")
    assert not gone.fits
    assert warnings(FORMAT, counts(site_page(1)), [gone]) == []


def test_counts_are_written_and_read() -> None:
    found = counts(site_page(1))
    again = counts_from_json(counts_json(found), "counts.json")
    assert again.lines == found.lines
    assert again.labels == found.labels
    assert counts_json(again) == counts_json(found)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.pop("lines"),
        lambda data: data["lines"].append(3),
        lambda data: data["labels"][0].update(objects="many"),
        lambda data: data["labels"][0].update(other=1),
        lambda data: data.update(text="all"),
    ],
)
def test_damaged_counts_are_told(damage: Callable[[dict[str, object]], object]) -> None:
    data = json.loads(json.dumps(counts_json(counts(site_page(1)))))
    damage(data)
    with pytest.raises(DataError, match=r"^counts\.json: expected counts"):
        counts_from_json(data, "counts.json")
