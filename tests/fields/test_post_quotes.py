"""Own words, quotations and signatures in the lines of a post."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.fields.post_quotes import Line, PostText, Quote, repeated_above, told_apart, whose
from tests.costs import at_most


def mail(text: str) -> PostText:
    return told_apart([Line(line, preformatted=True) for line in text.split("\n")], {})


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Mara Quill wrote:", "Mara Quill"),
        ("On Mon, Mar 5, 2012 at 10:20 AM Mara Quill <mara@quay.example> wrote:", "Mara Quill"),
        ("On 5 March 2012, Mara Quill wrote:", "Mara Quill"),
        ("Am 05.03.2012 um 10:20 schrieb Mara Quill:", "Mara Quill"),
        ("Le 5 mars 2012 10:20, Mara Quill a écrit :", "Mara Quill"),
        ("Originally Posted by Mara_Q", "Mara_Q"),
        ("Quote: Originally posted by Mara Quill", "Mara Quill"),
        ("Posted by: @mara", "mara"),
        ("(In reply to Mara Quill from comment #12)", "Mara Quill"),
        ("Replying to mara:", "mara"),
        ("Post by Mara Quill", "Mara Quill"),
        ("المشاركة الأصلية كتبت بواسطة نورة", "نورة"),
        ("@mara said:", "mara"),
        ("Mara Quill, on 04 Mar 2012 - 12:10, said:", "Mara Quill"),
        ("Мара, 4 марта 2012 - 12:10 писала:", "Мара"),
        ("雷雨 写道：", "雷雨"),
        ("引用 雷雨 的帖子：", "雷雨"),
    ],
)
def test_a_line_names_whose_a_quotation_is(line: str, name: str) -> None:
    assert whose(line) == name


@pytest.mark.parametrize("line", ["We need three things:", "He wrote a letter.", "", "他们都这么说", "x" * 300 + " wrote:"])
def test_other_lines_name_nobody(line: str) -> None:
    assert whose(line) is None


def test_mail_is_told_apart() -> None:
    found = mail("Mara Quill wrote:\n> The rope is\n> too short.\n\nThen splice it.\n\nAda\n-- \nFair winds.")
    assert found == PostText("Then splice it.\nAda", (Quote("Mara Quill", "The rope is\ntoo short."),), "Fair winds.")


def test_answers_between_quotations_stay_in_order() -> None:
    found = mail("> First?\nYes.\n> Second?\nNo.")
    assert (found.own, [quote.text for quote in found.quotes]) == ("Yes.\nNo.", ["First?", "Second?"])


def test_lines_that_were_broken_to_fit_a_column_are_one_paragraph() -> None:
    first = "The harbour master has asked all of us to bring more rope, because"
    assert mail(f"{first}\nthe old one is worn.\n\nSo bring some.").own == f"{first} the old one is worn.\nSo bring some."


def test_a_name_in_bold_above_a_quotation_is_its_author() -> None:
    lines = [Line("mara", is_emphasized=True), Line("It rains.", quotation=7), Line("It does not.")]
    assert told_apart(lines, {}) == PostText("It does not.", (Quote("mara", "It rains."),))


def test_the_caption_of_a_quotation_stands_above_the_name() -> None:
    lines = [Line("Quote", 7), Line("mara", 7, is_emphasized=True), Line("It rains.", 7), Line("It does not.")]
    assert told_apart(lines, {}) == PostText("It does not.", (Quote("mara", "It rains."),))


def test_a_quotation_without_words_is_a_switch_for_the_next_one() -> None:
    lines = [Line("mara wrote:"), Line("...", quotation=3), Line("It rains.", quotation=7), Line("It does not.")]
    assert told_apart(lines, {}) == PostText("It does not.", (Quote("mara", "It rains."),))


def test_what_is_long_below_two_hyphens_is_text() -> None:
    assert mail("One.\n--\n" + "More of it. " * 200).signature is None


@given(st.lists(st.tuples(st.text(max_size=30), st.integers(-1, 3), st.booleans(), st.booleans()), max_size=12))
def test_no_own_line_is_quoted_and_none_is_invented(drawn: list[tuple[str, int, bool, bool]]) -> None:
    lines = [Line(" ".join(text.split()), quotation, signed, bold) for text, quotation, signed, bold in drawn]
    found = told_apart(lines, {})
    texts = {line.text for line in lines if line.quotation < 0 and not line.is_signature}
    assert all(line in texts for line in found.own.split("\n") if line)
    assert all(quote.text for quote in found.quotes)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["a" * 240 + ":", "on 1 " * 48 + ":", "写" * 249, "quote from " * 22 + ":", "<" * 249 + ":"]
)
def test_hostile_lines_cost_little(text: str) -> None:
    with at_most(parses=80):
        for _ in range(200):
            whose(text)


def test_lines_of_a_post_above_below_the_name_of_its_author_are_a_quotation() -> None:
    said = "Has anybody seen the long ladder of the north pier?"
    above = [("mara", "No."), ("nora", f"{said}\nIt was there on Friday.")]
    assert repeated_above(f"nora:\n{said}\nIt was there on Friday.\nI have.", above) == (
        Quote("nora", f"{said}\nIt was there on Friday."),
        "I have.",
    )
    assert repeated_above(f"nora:\n{said[:-20]}\nI have.", above) == (Quote("nora", said[:-20]), "I have.")
    assert repeated_above(f"nora:\n{said}", above) is None  # no words of its own
    assert repeated_above(f"mara:\n{said}\nI have.", above) is None  # another's words
    assert repeated_above(f"{said}\nI have.", above) is None
    assert repeated_above("mara:\nNo.\nNever.", above) is None  # too short to be known again


def test_buttons_and_the_linked_day_below_a_text_are_no_part_of_it() -> None:
    linked = [Line(text, is_linked=True) for text in ("Reply", "Permalink", "Mar 04, 2024")]
    assert told_apart([Line("The tide came in at seven."), *linked], {}).own == "The tide came in at seven."
    assert told_apart([Line("The tide came in on"), Line("Mar 04, 2024")], {}).own == "The tide came in on\nMar 04, 2024"
