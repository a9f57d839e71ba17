"""Posts told by the lines with a name and a day above or below their text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from newsextract.extraction import find_records
from newsextract.fields.post_areas import PostAreas
from newsextract.fields.posts import PagePosts, thread_posts
from newsextract.page.page import Page
from tests.costs import at_most

FETCHED = datetime(2014, 3, 10, 12, 0, tzinfo=UTC)
LONG = "The tide came in at seven and took the ladder, two crates and the dinner of the crew of pier {n} with it."


def read(body: str, title: str = "The ladder") -> PagePosts:
    html = f"<html lang=en><head><title>{title}</title></head><body>{body}</body></html>"
    page = Page(html.encode(), "https://quay.example/x/7", {"content-type": "text/html; charset=utf-8"}, FETCHED)
    return thread_posts(page, find_records(page))


def said(found: PagePosts) -> list[tuple[str | None, str]]:
    return [(post.author, post.body) for post in found.posts]


def test_comments_below_answers_are_posts_of_their_own() -> None:
    def comments(n: int) -> str:
        return "".join(
            f"<li class=remark><div>{text}</div><div><a href=/users/{name}>{name}</a> <i>2012-03-0{n} 11:3{place}</i></div></li>"
            for place, (name, text) in enumerate([("bo", "+1"), ("dora", f"Which crate, on pier {n}?")])
        )

    def post(n: int, what: str) -> str:
        return (
            f"<div class={what} id={what}-{n}><div class=post-text><p>{LONG.format(n=n)}</p></div><div class=by>{what}ed 2012-03-0{n} 10:20"
            f"<div><a href=/users/{n}>user{n}</a> <b>12{n}</b> 3 gold badges</div></div><ul class=remarks>{comments(n)}</ul></div>"
        )

    found = read(f"<h1>The ladder</h1>{post(1, 'ask')}<h2>2 Answers</h2><div>{post(2, 'answer')}{post(3, 'answer')}</div>")
    assert said(found) == [
        pair
        for n in (1, 2, 3)
        for pair in [(f"user{n}", LONG.format(n=n)), ("bo", "+1"), ("dora", f"Which crate, on pier {n}?")]
    ]
    assert [post.date.value[:10] for post in found.posts if post.date] == [
        f"2012-03-0{n}" for n in (1, 1, 1, 2, 2, 2, 3, 3, 3)
    ]


def test_chinese_comments_with_numbers_are_text_and_no_figures() -> None:
    def post(n: int, comment: str = "") -> str:
        text = f"码头第{n}号的梯子被潮水冲走了，同时冲走的还有两只箱子和船员的晚饭，第二天早上才在三公里外找到。"
        by = f"<div class=by>answered 2012-03-0{n} 10:20<a href=/users/{n}>user{n}</a></div>"
        return f"<div class=answer><div class=post-text><p>{text}</p></div>{by}<div class=remarks>{comment}</div></div>"

    text = "这份218页的报告写道，那架梯子在1960年只要249元，如今码头的主人愿意出141元。"
    comment = f"<div class=remark><div><p>{text}</p></div><div><a href=/users/9>bo</a> <i>(2012-03-08 11:30)</i></div></div>"
    assert ("bo", text) in said(read(post(1) + post(2, comment)))


NAMES = ["Anna Walker", "bo", "Jürgen", "Dora Pike"]


@pytest.mark.parametrize(
    "item",
    [
        "<b>{name}</b>, 0{n} March 2012, 10:20<p>{text}</p>",
        "<div><div>{name}</div><div>2012-03-0{n} 10:20</div></div><div><p>{text}</p></div><div><a href=/reply/{n}>Reply</a></div>",
        "<h6><span>March {n}, 2012, 6:31 a.m. - {name}</span> <a href=#c{n}>¶</a></h6><div>{text}</div>",
    ],
    ids=["name and day before the text", "name and day on lines of their own", "day before the name"],
)
def test_answers_in_bare_lists_within_each_other_are_posts(item: str) -> None:
    texts = [LONG.format(n=1), "Thanks!", "No.", LONG.format(n=4)]
    own = [item.format(name=name, text=text, n=n) for n, (name, text) in enumerate(zip(NAMES, texts, strict=True), 1)]
    found = read(
        f"<h1>The ladder</h1><ul><li>{own[0]}<ul><li>{own[1]}<ul><li>{own[2]}</li></ul></li></ul></li><li>{own[3]}</li></ul>"
    )
    assert said(found) == list(zip(NAMES, texts, strict=True))


def test_paragraphs_without_an_element_around_them_belong_to_the_head_above() -> None:
    texts = [f"{LONG.format(n=n)}</p><p>Well, {n}." if n % 2 else "+1" for n in range(1, 5)]
    shown = "".join(
        f"<a name={n}></a><h4><a href=#{n}>{name} (Mar 0{n} 2012 at 10:20)</a>:</h4><p>{text}</p>"
        for n, (name, text) in enumerate(zip(NAMES, texts, strict=True), 1)
    )
    found = read(f"<h2>The ladder</h2>{shown}<hr><p>Last updated: Mar 09 2012 at 22:02</p>")
    assert said(found) == [(name, text.replace("</p><p>", "\n")) for name, text in zip(NAMES, texts, strict=True)]


def test_the_only_post_has_its_name_and_day_on_the_lines_above() -> None:
    found = read(
        f"<h1>The ladder</h1><ol><li><div><div>Nora Fell</div><div>2012-03-01 10:20</div></div><p>{LONG}</p></li></ol>"
    )
    assert said(found) == [("Nora Fell", LONG)]


def test_a_note_below_each_post_is_not_its_text() -> None:
    note = "<p>Please <a href=/login>log in</a> to join the conversation of the quay.</p>"
    shown = "".join(
        f"<div class=entry id=e{n}><p>2012-03-0{n} 10:20 by <a href=/users/jo>jo</a></p><div><a href=/users/jo>jo</a> replied to the topic: "
        f"<a href=#e{n}>The ladder of the pier</a></div><div>{text}</div>{note}</div>"
        for n, text in enumerate(["It was the gale.", "Thanks!"], 1)
    )
    assert said(read(f"<h1>The ladder of the pier</h1>{shown}", "The ladder of the pier - Quay")) == [
        ("jo", "It was the gale."),
        ("jo", "Thanks!"),
    ]


def test_rows_that_lead_to_pages_of_their_own_are_no_posts() -> None:
    rows = "".join(
        f"<div class=row><h3><a href=/x/{n}{n}>{title} of the pier</a></h3><p>2012-03-0{n} 10:2{n} by <a href=/users/{n}>user{n}</a></p><p>{LONG}</p></div>"
        for n, title in enumerate(["Ladders", "Crates", "Dinners", "Anchors", "Ropes"], 1)
    )
    assert not read(f"<h1>All piers</h1><div>{rows}</div>").are_sure


def test_names_of_chats_have_no_brackets() -> None:
    shown = "".join(
        f"<p id=l{n} class=line><a href=#l{n} class=time>2012-03-01 10:2{n}</a> <span class=nick>&lt;{name}&gt;</span> <span class=text>It is {n}.</span></p>"
        for n, name in enumerate(["bo", "nora", "dora", "nora"], 1)
    )
    assert [post.author for post in read(f"<h1>The ladder</h1><div>{shown}</div>").posts] == ["bo", "nora", "dora", "nora"]


def test_with_dots_the_day_stands_before_the_month() -> None:
    shown = "".join(
        f"<div class=row><div>{name}</div><div>0{n}.03.2012 10:20</div><div><p>{LONG}</p></div></div>"
        for n, name in enumerate(NAMES, 1)
    )
    found = read(f"<h1>The ladder</h1><div>{shown}</div>")
    assert [post.date.value[:10] if post.date else None for post in found.posts] == [f"2012-03-0{n}" for n in range(1, 5)]


def test_the_day_of_a_post_links_to_it_and_not_to_the_next_one() -> None:
    shown = "".join(
        f"<tr class=entry><td><a class=username href=/users/{n}>user{n}</a> <a href=item?id=70{n}>March {n}, 2012</a> | <a href=#70{n + 1}>next</a>"
        f"<div class=post-text>{LONG.format(n=n)}</div></td></tr>"
        for n in range(1, 6)
    )
    found = read(f"<h1>The ladder</h1><table>{shown}</table>")
    assert [post.permalink for post in found.posts] == [f"https://quay.example/x/item?id=70{n}" for n in range(1, 6)]


def test_chats_have_the_day_above_their_messages_and_only_a_time_beside_each_name() -> None:
    def message(n: int, text: str) -> str:
        return f"<div class=bubble><p>{text}</p><div><span>{NAMES[n]}</span> <span>1{n}:3{n}</span></div></div>"

    first = message(0, LONG.format(n=1)) + message(1, "Ok")
    found = read(f"<div><div class=day>2012-03-01</div>{first}<div class=day>2012-03-02</div>{message(2, 'At last!')}</div>")
    assert said(found) == [(NAMES[0], LONG.format(n=1)), (NAMES[1], "Ok"), (NAMES[2], "At last!")]
    days = [post.date.value for post in found.posts if post.date]
    assert days == ["2012-03-01T10:30", "2012-03-01T11:31", "2012-03-02T12:32"]


def test_the_only_comment_has_its_own_text_and_not_the_longer_one_above() -> None:
    comment = "<div class=card><div><b>Dora Pike</b> 2012-03-01</div><div><p>I saw the ladder drift past pier 9 on Sunday.</p></div></div>"
    found = read(f"<h1>The ladder</h1><p>{LONG.format(n=8)} {LONG.format(n=9)}</p><div>{comment}</div>")
    assert said(found) == [("Dora Pike", "I saw the ladder drift past pier 9 on Sunday.")]


def test_posts_that_hold_most_of_a_page_are_sure_and_points_are_no_text() -> None:
    assert read(
        f"<a href=/>Board</a><h1>The ladder</h1><ul><li><b>Dora Pike</b>, 1 March 2012, 10:20<p>{LONG}</p></ul>"
    ).are_sure
    story = "<li><b>31</b> <a href=https://pier.example/>The ladder</a><div><a href=/~bo>bo</a> <time datetime=2012-03-01>1 March 2012</time></div>"
    replies = "".join(f"<li><div>{name}, 0{n} March 2012</div><p>{LONG}</p>" for n, name in enumerate(NAMES, 1))
    assert [post.author for post in read(f"<ol>{story}</ol><ol>{replies}</ol>").posts] == NAMES


def test_a_short_message_below_its_header_lines_beats_a_long_note_below_it() -> None:
    head = "<address><span><dfn>From</dfn>: Dora Pike</span><br><span><dfn>Date</dfn>: Thu, 01 Mar 2012 10:20:00 +0000</span></address>"
    foot = "<ul><li><dfn>Next message</dfn>: <a href=8.html>bo: The ladder</a></ul><p>This archive was generated by hypermail 2.3 : Sat Mar 03 2012</p>"
    assert said(read(f"<h1>The ladder</h1><div>{head}<p>+1 for rope</p></div><div>{foot}</div>")) == [
        ("Dora Pike", "+1 for rope")
    ]


def test_the_index_of_an_archive_has_no_posts() -> None:
    rows = "".join(
        f"<li><a href={n}.html><b>The ladder</b></a> <a id=m{n}><em>{name}</em></a> <em>(Thu Mar 0{n} 2012 - 10:20:00 UTC)</em>"
        for n, name in enumerate(NAMES, 1)
    )
    assert said(read(f"<h1>quay by date</h1><ul>{rows}</ul>", "quay: by date")) == []


def test_the_foot_of_an_article_is_no_foot_of_the_page() -> None:
    comment = "<article><footer><b>Dora Pike</b> says:</footer><p>I saw it drift past pier 9.</p></article><footer>Terms of use</footer>"
    page = Page(f"<html><body>{comment}".encode(), None)
    assert [line.text for line in PostAreas(page, page.nodes).lines] == ["Dora Pike says:", "I saw it drift past pier 9."]


@pytest.mark.parametrize("form", ["{name} (2012-03-0{n} 10:20): {text}", "{text} -- <i>{name}, 0{n} March 2012</i>"])
def test_posts_may_be_one_line_each(form: str) -> None:
    texts = [LONG.format(n=1), "Ok", "Which crate?", "At 10:20, on pier 9"]
    shown = "".join(f"<li>{form.format(name=NAMES[n], n=n + 1, text=text)}" for n, text in enumerate(texts))
    found = read(f"<h1>The ladder</h1><ul>{shown}</ul><a href=/>Board</a>")
    assert said(found) == list(zip(NAMES, texts, strict=True))
    assert [post.date.value[:10] for post in found.posts if post.date] == [f"2012-03-0{n}" for n in range(1, 5)]


def test_buttons_below_a_post_and_lists_of_comments_are_not_its_text() -> None:
    def post(n: int) -> str:
        comment = f"<div class=remark><p>Which crate?</p><div><a href=/users/bo>bo</a> (2012-03-0{n} 11:30)</div></div>"
        return (
            f"<div class=post-content><div class=post-body><p>{LONG.format(n=n)}</p></div><div><div>{NAMES[n]}</div>"
            f"<div>answered 2012-03-0{n} 10:20</div><div class=js-post-controls><span>edit</span> flag offensive remove</div>"
            f"</div><div class=js-comments-list>{comment}</div></div>"
        )

    found = read(f"<h1>The ladder</h1>{post(1)}{post(2)}{post(3)}")
    assert said(found) == [pair for n in (1, 2, 3) for pair in [(NAMES[n], LONG.format(n=n)), ("bo", "Which crate?")]]


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"<li><b>user{n}</b>, 2012-03-01 10:20<p>{LONG}</p><ul>" for n in range(400)),
        "".join(f"<li>2012-03-01 10:20 word {n}</li>" for n in range(2_000)),
        "<p>" + "".join(f"<a href=/x/{n}>2012-03-01</a> " for n in range(2_000)) + "</p>",
        "<p>" + "<b>word</b> <a href=/user/word>word</a>" * 10_000 + "</p>",
    ],
    ids=["nested", "items", "links", "names"],
)
def test_heads_without_end_are_read_in_bounded_time(body: str) -> None:
    with at_most(parses=150):
        read(f"<ul>{body}")


SIGNED = {
    "wiki": "<a href=/wiki/User:{name}>{name}</a> (<a href=/wiki/User_talk:{name}>talk</a>) 10:2{n}, {n} March 2012 (UTC)",
    "Diskussion": "--<a href=/wiki/Benutzer:{name}>{name}</a> (<a href=/w/D>Diskussion</a>) 10:2{n}, {n}. Mär. 2012 (CET)",
    "with a button": "—<a href=/u/{name}>{name}</a> 2012-03-0{n} 10:2{n} <span>[<a href=#r>reply</a>]</span>",
}


@pytest.mark.parametrize("signature", SIGNED.values(), ids=SIGNED)
def test_posts_that_end_with_a_signature(signature: str) -> None:
    def end(n: int) -> str:
        return signature.format(name=NAMES[n - 1], n=n)

    found = read(
        f"<h1>Talk:Ladder</h1><p>From the encyclopedia</p><h2>Which ladder?</h2><p>{LONG.format(n=1)}</p><p>And the second? {end(1)}</p>"
        f"<dl><dd>{LONG.format(n=2)} {end(2)}<dl><dd>No. {end(3)}</dd></dl></dd></dl>"
        f"<h2>The pier</h2><p>{LONG.format(n=4)} {end(4)}</p><p>This page was last changed on 3 May 2012.</p>"
    )
    assert said(found) == [
        (NAMES[0], LONG.format(n=1) + "\nAnd the second?"),
        (NAMES[1], LONG.format(n=2)),
        (NAMES[2], "No."),
        (NAMES[3], LONG.format(n=4)),
    ]
    assert [post.date.value[:10] for post in found.posts if post.date] == [f"2012-03-0{n}" for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("button", ["edit", "Bearbeiten", "modifier le code"])
@pytest.mark.parametrize("signature", SIGNED.values(), ids=SIGNED)
def test_the_button_of_a_section_is_no_text_and_two_may_write_the_same(button: str, signature: str) -> None:
    ends = [signature.format(name=name, n=n) for n, name in enumerate(NAMES, 1)]
    section = f"<h2>Ladder</h2><span>[<a href=/w/e>{button}</a>]</span>"
    found = read(
        f"<h1>Talk:Ladder</h1><div>{section}</div><p>{LONG.format(n=1)} {ends[0]}</p><dl><dd>Thank you! {ends[1]}</dd></dl>"
        f"<div>{section}</div><p>{LONG.format(n=3)} {ends[2]}</p><dl><dd>Thank you! {ends[3]}</dd></dl>"
    )
    texts = [LONG.format(n=1), "Thank you!", LONG.format(n=3), "Thank you!"]
    assert said(found) == list(zip(NAMES[:4], texts, strict=True))


def test_rows_that_name_the_last_poster_are_no_signed_posts() -> None:
    rows = "".join(
        f"<tr><td><a href=/t/{n}>The ladder of pier {n}</a><br>Last post by <a href=/u/{n}>{NAMES[n - 1]}</a> 2012-03-0{n} 10:20</td></tr>"
        for n in (1, 2, 3, 4)
    )
    assert not read(f"<h1>Piers</h1><table>{rows}</table>").are_sure


@pytest.mark.parametrize("label", ["Name", "Autor", "Nom", "Имя", "名前", "昵称"])
def test_a_label_before_a_name_is_no_part_of_it(label: str) -> None:
    entries = "".join(
        f"<table><tr><td><b>{label}:</b> {name}</td><td>{n}.03.2012 - 10:20</td></tr>"
        f"<tr><td colspan=2>{LONG.format(n=n) if n != 3 else 'No idea.'}</td></tr></table><br>"
        for n, name in enumerate(NAMES, 1)
    )
    found = read(f"<h2>Guestbook</h2><a href=sign.php>Sign it</a><hr>{entries}")
    assert [post.author for post in found.posts] == NAMES


def test_signed_comments_within_posts_do_not_replace_them() -> None:
    def post(n: int, what: str) -> str:
        comments = "".join(
            f"<li>{text} – <a href=/users/{name}>{name}</a> <i>Mar {n}, 2012 at 11:3{place}</i></li>"
            for place, (name, text) in enumerate([("bo", f"+{n}"), ("dora", f"Which crate, on pier {n}?")])
        )
        return (
            f"<div class={what} id={what}-{n}><div class=post-text><p>{LONG.format(n=n)}</p></div><div class=by>{what}ed 2012-03-0{n} 10:20"
            f"<div><a href=/users/{n}>user{n}</a></div></div><ul class=remarks>{comments}</ul></div>"
        )

    found = read(f"<h1>The ladder</h1>{post(1, 'ask')}<h2>2 Answers</h2><div>{post(2, 'answer')}{post(3, 'answer')}</div>")
    assert {(f"user{n}", LONG.format(n=n)) for n in (1, 2, 3)} <= set(said(found))


def test_the_number_of_a_comment_is_not_of_its_authors_name() -> None:
    page = Page(b"<html lang=en><body><p>x</p></body></html>", "https://quay.example/x/7")
    areas = PostAreas(page, page.nodes)
    assert areas.before_date("12. Dora Pike said on 10 January 2012, 18:20:") == "Dora Pike"
    assert areas.before_date("#12 Dora Pike, 10 January 2012") == "Dora Pike"
    assert areas.before_date("17 likes, 10 January 2012") is None
