"""The posts of a page: those that a record algorithm finds, and those that it cannot find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.extraction import find_records
from newsextract.fields.post_text import is_title
from newsextract.fields.posts import PagePosts, _is_event, thread_posts
from newsextract.page.page import Page
from newsextract.results import Record, RecordPage
from tests.costs import at_most
from tests.examples import examples

WORDS = "The tide came in at seven and took the ladder, two crates and the dinner of the crew of pier {n} with it."
FETCHED = datetime(2014, 3, 10, 12, 0, tzinfo=UTC)


def read(body: str, title: str = "The ladder", *, is_later: bool = False, path: str = "/x/7") -> PagePosts:
    html = f"<html lang=en><head><title>{title}</title></head><body>{body}</body></html>"
    page = Page(html.encode(), f"https://quay.example{path}", {"content-type": "text/html; charset=utf-8"}, FETCHED)
    return thread_posts(page, find_records(page), is_later=is_later)


def replies(count: int) -> str:
    return "".join(
        f"<div class=reply id=r{n}><h4>Added by <a href=/users/{n}>user{n}</a> on 2012-03-0{n} 10:2{n}</h4><div><p>{WORDS.format(n=n)}</p></div></div>"
        for n in range(1, count + 1)
    )


OPENING = (
    "<h2>The ladder</h2><div class=first><p>Added by <a href=/users/99>nora</a> on 2012-02-01 08:00</p>"
    "<div><p>Who has seen the long ladder of the north pier since the gale of Friday last?</p></div></div>"
)


def test_the_opening_post_outside_the_list_is_the_first_post() -> None:
    found = read(f"{OPENING}<div id=replies><h3>Replies (4)</h3>{replies(4)}</div>").posts
    assert [post.author for post in found] == ["nora", "user1", "user2", "user3", "user4"]
    assert found[0].body == "Who has seen the long ladder of the north pier since the gale of Friday last?"
    assert found[0].date is not None
    assert found[0].date.value == "2012-02-01T08:00"


def test_a_heading_with_title_author_and_age_is_no_text_of_an_answer() -> None:
    answers = "".join(
        f"<div class='message reply' id=m{n}><h4 class=head><a href=/x/7?r={n}#m{n}>RE: The ladder of the north pier</a> - Added by "
        f"<a class=user href=/users/{n}>user{n}</a> <a title='03/0{n}/2012 10:2{n} AM' href=/activity>almost 2 years</a> ago</h4>"
        f"<div class=wiki><p>{WORDS.format(n=n)}</p></div></div>"
        for n in range(1, 5)
    )
    found = read(f"{OPENING}<div id=replies><h3>Replies (4)</h3>{answers}</div>", "The ladder of the north pier").posts
    assert [(post.author, post.body) for post in found[1:]] == [(f"user{n}", WORDS.format(n=n)) for n in range(1, 5)]


def test_links_to_other_threads_beside_the_only_post_are_none() -> None:
    post = f"<div class=message><a class=author href=/users/1>mara</a> <time>02-10-2012 09:06 PM</time><div><p>{WORDS.format(n=1)}</p></div></div>"
    titles = ["Why the boat of nora hangs at the pier", "The ladder", "Question: the boat of ida drains far too quickly"]
    related = "".join(
        f"<li><a href=/threads/a-title.{n}/>{title}</a> in <a href=/all/boats>Boats</a> 02-1{n}-2012</li>"
        for n, title in enumerate(titles, 6)
    )
    found = read(f"{post}<div><h3>Related</h3><ul>{related}</ul></div>", path="/threads/the-ladder.7/").posts
    assert [(post.author, post.body) for post in found] == [("mara", WORDS.format(n=1))]


def test_the_only_post_of_a_page_has_the_name_above_its_panel() -> None:
    """FluxBB, whose guests see names without links."""
    panel = "<div class=postleft><dl><dt><strong>mara</strong></dt><dd><strong>Member</strong></dd><dd>Registered: 2011-08-04</dd><dd>Posts: 3</dd></dl></div>"
    text = f"<div class=postright><h3>The ladder</h3><div class=postmsg><p>{WORDS.format(n=1)}</p></div></div>"
    head = "<h2><span>#1</span> <a href=/viewtopic.php?pid=9#p9>2012-10-16 02:04:03</a></h2>"
    found = read(f"<div class=blockpost>{head}<div class=box><div class=inbox>{panel}{text}</div></div></div>").posts
    assert [(post.author, post.body) for post in found] == [("mara", WORDS.format(n=1))]
    assert found[0].date is not None
    assert found[0].date.value == "2012-10-16T02:04:03"


def test_the_label_of_a_day_is_no_name() -> None:
    head = (
        "<ul><li><b>From</b>: Mara Quill &lt;<a href=mailto:x@quay.example>mara AT quay.example</a>&gt;</li><li><b>To</b>: x@quay.example</li>"
        "<li><b>Subject</b>: The ladder</li><li><b>Date</b>: Thu, 12 Oct 2012 21:51:52 +0200</li></ul>"
    )
    below = "<ul><li><b>The ladder</b>, <em>Mara Quill, 10/12/2012</em></li></ul>"
    found = read(
        f"<div><h1>The ladder</h1><hr>{head}<hr><p>{WORDS.format(n=1)}</p><p>{WORDS.format(n=2)}</p><hr>{below}</div>"
    )
    assert "Date" not in [post.author for post in found.posts]


@pytest.mark.parametrize(
    ("line", "is_one"),
    [("標題 [Q] The long ladder", True), ("Subject: Re: [Q] The long ladder", True), ("Subject: Another ladder", False)],
)
def test_a_line_that_names_the_title_is_no_text(line: str, is_one: bool) -> None:
    assert is_title(line, "[Q] The long ladder - Boats") == is_one
    assert is_title("Subject matter of ladders", "Subject matter of ladders - Boats")


def test_an_article_stays_before_its_only_comment() -> None:
    """PTT: the lines of an article are bare text beside those of its head and its comments."""
    lines = {"作者": "crew1 (Mara)", "看板": "Boats", "標題": "[問題] 天線無法充電", "時間": "Fri May 19 01:13:04 2023"}
    head = "".join(
        f"<div class=article-metaline><span class=article-meta-tag>{key}</span><span class=article-meta-value>{lines[key]}</span></div>"
        for key in lines
    )
    text = "有沒有人知道這個零件要去哪裡買?上次更新以後就一直出現錯誤訊息,重開機也沒有用。"
    comment = (
        "<div class=push><span class='hl push-tag'>推 </span><span class='f3 hl push-userid'>drakeh</span><span class='f3 push-content'>: 昨天去店裡問過,老闆說要等到下個月才有貨。"
        "</span><span class=push-ipdatetime> 05/19 07:03</span></div>"
    )
    below = "<span class=f2>※ 發信站: 批踢踢實業坊(ptt.cc), 來自: 1.2.3.4 (臺灣)\n</span><span class=f2>※ 文章網址: <a href=https://quay.example/x/7>https://quay.example/x/7</a>\n</span>"
    main = f"<div id=main-content class=bbs-content>{head}\n{text}\n\n有沒有人知道這個零件要去哪裡買?建議先檢查電源線有沒有插好,再看看保險絲。\n\n--\n{below}{comment}</div>"
    found = read(f"<div id=main>{main}</div>", "[問題] 天線無法充電 - 看板 Boats - 批踢踢實業坊").posts
    assert [(post.author, post.body.partition("\n")[0][:10]) for post in found] == [
        ("crew1 (Mara)", text[:10]),
        ("drakeh", "昨天去店裡問過,老闆"),
    ]


def test_on_a_later_page_the_opening_post_has_been_read() -> None:
    found = read(f"{OPENING}<div id=replies><h3>Replies (9)</h3>{replies(4)}</div>", is_later=True).posts
    assert [post.author for post in found] == ["user1", "user2", "user3", "user4"]


@pytest.mark.parametrize(
    "fields",
    [
        "<dl><dt>Reporter:</dt><dd>nora</dd></dl><dl><dt>Created:</dt><dd>01/Feb/12 8:00 AM</dd></dl>",
        "<h3>Authored By</h3><p><a href=/x/99>nora</a></p><p>Feb 1 2012, 8:00 AM</p>",
    ],
)
@pytest.mark.parametrize("is_below", [False, True])
def test_the_author_and_the_day_of_a_report_stand_beside_its_comments(fields: str, is_below: bool) -> None:
    report = f"<h2>Description</h2><div><p>{WORDS.format(n=9)}</p><p>Whose is it?</p></div>"
    parts = [f"<div>{fields}</div>", f"<div>{report}<h2>Activity</h2><div id=replies>{replies(3)}</div></div>"]
    found = read("".join(parts[::-1] if is_below else parts)).posts
    assert [post.author for post in found] == ["nora", "user1", "user2", "user3"]
    assert found[0].body == f"{WORDS.format(n=9)}\nWhose is it?"
    assert found[0].date is not None
    assert found[0].date.value == "2012-02-01T08:00"


def lines_of_a_board(year: str) -> str:
    """An article with header lines that have no colons, and remarks of a line each whose days have no year."""
    remarks = "".join(
        f"<div class=push><i>→ </i><b class=push-userid>ann{n}</b><span>: 梯子在第{n}個碼頭旁邊</span><i> 10.0.0.{n} 03/0{n} 10:2{n}</i></div>"
        for n in range(1, 6)
    )
    head = "".join(
        f"<div><span class=tag>{tag}</span><span class=value>{value}</span></div>"
        for tag, value in (("作者", "nora"), ("標題", "[問題] 長梯"), ("時間", f"Sat Feb 11 08:00:00 {year}"))
    )
    return f"<div id=main>{head}請問各位有看到北邊碼頭的長梯嗎？\n大風以後就不見了。\n\n--\n{remarks}</div>"


@pytest.mark.parametrize(("year", "later"), [("2012", "2012"), ("2013", "2013")])
def test_header_lines_without_colons_and_days_without_a_year(year: str, later: str) -> None:
    found = read(lines_of_a_board(year), title="[問題] 長梯").posts
    assert [post.author for post in found] == ["nora", *(f"ann{n}" for n in range(1, 6))]
    assert [post.body for post in found[1:]] == [f"梯子在第{n}個碼頭旁邊" for n in range(1, 6)]
    days = [post.date.value if post.date else None for post in found]
    assert days == [f"{year}-02-11T08:00:00", *(f"{later}-03-0{n}T10:2{n}" for n in range(1, 6))]


def test_the_head_and_the_text_of_a_post_may_be_rows_of_one_table() -> None:
    cells = (
        "<tr><td class=quote>Quote:</td></tr><tr><td class=quotemessage>Originally posted by user1<br>So it is.</td></tr>"
    )
    quote = f"<table class=quote>{cells}</table><br>"
    rows = "".join(
        f"<tr><td rowspan=3 class=row><font class=m><strong>user{n}</strong></font><div class=s>Member<br>Posts: {n}0<br>"
        f"Registered: 8-10-2003<br>Mood: calm</div></td><td class=row><table><tr class=s><td><a href=t.php?pid={n}><img src=x.gif>"
        f"</a></td><td><a name=pid{n}> posted on 3-{n}-2012 at 10:2{n} AM</a></td></tr></table></td></tr>"
        f"<tr><td class=row><font class=t><strong>{'The ladder' if n == 1 else ''}</strong></font><br>"
        f"<font class=m>{quote if n in (3, 5) else ''}{WORDS.format(n=n) if n != 3 else 'Why?'}</font></td></tr>"
        f"<tr><td class=row><table><tr><td><a href=m.php?u={n}><img src=p.gif alt='Profile'></a></td></tr></table></td></tr>"
        for n in range(1, 6)
    )
    found = read(f"<table><tr class=header><td>Author:</td><td>Subject: The ladder</td></tr>{rows}</table>").posts
    assert [post.author for post in found] == [f"user{n}" for n in range(1, 6)]
    assert [post.body for post in found] == [WORDS.format(n=n) if n != 3 else "Why?" for n in range(1, 6)]
    assert [post.date.value[:10] for post in found if post.date] == [f"2012-03-0{n}" for n in range(1, 6)]


def test_a_line_across_the_page_divides_the_day_from_the_text() -> None:
    rows = "".join(
        f"<tr><td><b><a href=profil.php?id={n}>user{n}</a></b><br>Membre<br>Lyon</td>"
        f"<td><font size=1>Posté le {n} mars 2012 à 10:2{n}</font><hr size=1><font size=2>{WORDS.format(n=n)}</font></td></tr>"
        for n in range(1, 5)
    )
    found = read(f"<table>{rows}</table>").posts
    assert [(post.author, post.body) for post in found] == [(f"user{n}", WORDS.format(n=n)) for n in range(1, 5)]


def test_what_a_post_changes_in_a_report_is_no_text_of_it() -> None:
    change = "<ul class=d><li><b>Status</b> changed from <i>New</i> to <i>Open</i></li></ul>"
    posts = replies(4).replace("<div><p>", f"<div>{change}<p>", 2)
    assert [post.body for post in read(posts).posts] == [WORDS.format(n=n) for n in range(1, 5)]


def test_the_head_that_narrow_screens_are_shown_is_no_post() -> None:
    def head(n: int, name: str) -> str:
        return f"<div class='postInfo {name}'><span class=name>Anonymous</span> <span class=dateTime>2012-03-0{n} 10:2{n}:05</span></div>"

    def file(n: int) -> str:
        return f"<div class=file>File: <a href=/{n}.jpg>ladder-{n}.jpg</a> (312 KB, 1024x768)</div>" if n in (1, 3) else ""

    posts = "".join(
        f"<div class=box id=pc{n}><div id=p{n} class=post>{head(n, 'm')}{file(n) if n == 1 else ''}{head(n, 'd')}"
        f"{file(n) if n > 1 else ''}<blockquote class=postMessage>{WORDS.format(n=n)}</blockquote></div></div>"
        for n in range(1, 6)
    )
    assert [post.body for post in read(f"<div class=thread>{posts}</div>").posts] == [WORDS.format(n=n) for n in range(1, 6)]


def image_board(texts: list[str]) -> str:
    def post(n: int, text: str) -> str:
        head = f"<label><input type=checkbox> <span class=postername>Anonymous</span> 2012/03/0{n}(Thu) 10:2{n}</label> <a href=#i{n}>No.50{n}</a>"
        return f"<a name={n}></a>{head}<blockquote><p>{text}</p></blockquote>"

    first, *others = [post(n, text) for n, text in enumerate(texts, 1)]
    rows = "".join(
        f"<table><tr><td>&gt;&gt;</td><td class=reply id=reply{n}>{text}</td></tr></table>" for n, text in enumerate(others)
    )
    return f"<div class=logo>Piers</div><hr><form id=delform>{first}{rows}<br clear=left><hr></form>"


def test_old_image_boards_set_every_post_in_a_quotation() -> None:
    texts = [WORDS.format(n=1), WORDS.format(n=2), "Why?", WORDS.format(n=4)]
    found = read(image_board(texts)).posts
    assert [(post.author, post.body) for post in found] == [("Anonymous", text) for text in texts]


def test_rows_below_a_link_without_words_are_those_of_a_board() -> None:
    rows = "".join(
        f"<div class=topic><a class=topic_overlay href=/x/{n}12/></a><div class=last>Mar 0{n} @ 10:2{n}am</div>"
        f"<div class=name>The ladder of pier {n} is lost</div><div class=op>user{n}</div></div>"
        for n in range(1, 5)
    )
    assert not read(rows, title="Talk").are_sure


def test_the_line_that_says_who_added_a_comment_is_no_text_though_a_button_stands_before_it() -> None:
    comments = "".join(
        f"<div class=comment id=c-{n}><div class=details><button><span>Hide</span></button> <a rel=u{n} href=/x/{n}>user number {n}</a>"
        f" added a comment - <a href=#c-{n}><time datetime=2012-03-0{n}T10:20:00+0000>0{n}/Mar/12 10:20 AM</time></a></div>"
        f"<div class=flooded><p>{text}</p></div></div>"
        for n, text in enumerate(["lol ok", "+1", "Who has seen it?", "Why?"], 1)
    )
    assert [post.body for post in read(comments).posts] == ["lol ok", "+1", "Who has seen it?", "Why?"]


@pytest.mark.parametrize("text", ["شكرا جزيلا", WORDS])
def test_a_signature_and_a_count_may_be_longer_than_the_text(text: str) -> None:
    posts = "".join(
        f"<table id=post{n}><tr><td>0{n}-03-2012, 10:2{n} AM</td></tr><tr><td><a class=bigusername href=m.php?u={n}>user{n}</a>"
        f"<div>المشاركات: {n}400</div></td><td><div>{text if n == 2 else WORDS.format(n=n)}</div>"
        f"<div>__________________<br>Nothing is as old as the rope of yesterday, said the old rope</div></td></tr></table>"
        for n in range(1, 5)
    )
    found = read(f"<div id=posts>{posts}</div>").posts
    assert found[1].body == text


def test_the_name_in_bold_stands_between_a_number_and_a_place() -> None:
    entries = "".join(
        f"<table><tr><td><b>{90 + n}) {name}</b> aus Kiel</td><td>0{n}.03.2012 um 10:2{n} Uhr</td></tr>"
        f"<tr><td colspan=2>{WORDS.format(n=n)}</td></tr></table><br>"
        for n, name in enumerate(("Uwe", "Rita_63", "Käpt'n Ole", "Heiner M."), 1)
    )
    assert [post.author for post in read(entries).posts] == ["Uwe", "Rita_63", "Käpt'n Ole", "Heiner M."]


def test_names_above_days_in_other_languages() -> None:
    reviews = "".join(
        f"<div class=x{n}k9><header class=q7><div class=a3>{name}</div><span class=b4>1{n} de enero de 2012</span></header>"
        f"<div class=c8>{WORDS.format(n=n)}</div><footer>¿Útil? <button>Sí</button></footer></div>"
        for n, name in enumerate(("marcelo", "Pepa Luz", "la_tortuga", "Íñigo"))
    )
    assert [post.author for post in read(reviews).posts] == ["marcelo", "Pepa Luz", "la_tortuga", "Íñigo"]


def test_the_accounts_of_short_messages() -> None:
    notes = "".join(
        f"<article class=n><a class=x1 href=/@u{n}><span>{name}</span></a><span class=acct>@u{n}</span>"
        f"<a href=/notes/9z{n}><time title='2012-03-0{n} 10:2{n}'>1d</time></a><div class=t>{text}</div></article>"
        for n, (name, text) in enumerate((("鉄道", WORDS), ("774", "そう"), ("Ole", WORDS), ("さくら", WORDS)), 1)
    )
    found = read(notes).posts
    assert [post.author for post in found] == ["鉄道", "774", "Ole", "さくら"]
    assert found[1].body == "そう"


def test_the_line_before_a_report_that_says_who_wrote_it_has_two_days() -> None:
    events = "".join(
        f"<div class=event><div class=title><a href=/x/{n}>user{n}</a> added a comment. <a href=#{n}>Mar {n} 2012, 9:37 AM</a>"
        f"<span>2012-03-0{n} 09:37:28 (UTC+0)</span></div><div class=remarkup><p>{WORDS.format(n=n)}</p></div></div>"
        for n in range(1, 5)
    )
    assert [post.author for post in read(events).posts] == [f"user{n}" for n in range(1, 5)]


def test_what_stands_above_the_posts_without_name_day_and_text_is_no_post() -> None:
    head = "<h2>The ladder</h2><p>Please read the rules of the house before you write to this board, all of you.</p>"
    assert [post.author for post in read(f"{head}<div id=replies>{replies(3)}</div>").posts] == ["user1", "user2", "user3"]


def test_posts_with_one_more_class_name_are_posts_like_the_others() -> None:
    shown = "".join(
        f"<div class=item data-n={n}><article class='entry post{' entry--changed' if n % 3 == 2 else ''}'><p><a class=username href=/users/{n}>user{n}</a>"
        f" <time datetime=2012-03-0{n}T10:20>March {n}</time></p><div class=text><p>{WORDS.format(n=n)}</p></div></article></div>"
        f"<div class=item><article class='event post'><a href=/users/{n}>user{n}</a> closed this <time datetime=2012-03-0{n}T10:21>March {n}</time></article></div>"
        for n in range(1, 9)
    )
    found = read(f"<h1>The ladder</h1><div id=stream>{shown}</div>").posts
    assert [post.author for post in found] == [f"user{n}" for n in range(1, 9)]
    assert [post.body for post in found] == [WORDS.format(n=n) for n in range(1, 9)]


@pytest.mark.parametrize(
    "text",
    [
        lambda n: f"<div>It is {n}.<br>Well, {n}.</div>",
        lambda n: (
            f"<div class=message-body>It is {n}.<br>Well, {n}.<div><a href=/r/{n}>Reply</a> <a href=/q/{n}>Quote</a></div></div>"
        ),
    ],
)
def test_the_title_of_the_thread_and_the_buttons_below_are_not_of_a_posts_text(text: Callable[[int], str]) -> None:
    shown = "".join(
        f"<table class=post id=p{n}><tr><td><a href=/users/{n}>user{n}</a> 2012-03-0{n} 10:2{n}</td></tr>"
        f"<tr><td><p><b>{'Re: ' if n > 1 else ''}The long ladder of the pier</b></p>{text(n)}</td></tr></table>"
        for n in range(1, 6)
    )
    found = read(f"<div>{shown}</div>", "The long ladder of the pier - Quay forum").posts
    assert [(post.author, post.body) for post in found] == [(f"user{n}", f"It is {n}.\nWell, {n}.") for n in range(1, 6)]


def test_each_post_has_its_own_head_although_head_and_text_are_siblings() -> None:
    shown = "".join(
        f"<div class=head id=post-{n}><span class=date>2012-03-0{n} 10:2{n}</span> <a href=#post-{n}>#{n}</a></div><div class='loop-{n} {'topic' if n == 1 else 'reply'} entry'>"
        f"<div class=author><a href=/users/{n}>user{n}</a></div><div class=reply-content><p>{WORDS.format(n=n)}</p></div></div>"
        for n in range(1, 10)
    )
    found = read(f"<h1>The ladder</h1><ul><li class=top>Author, posts</li><li>{shown}</li></ul>").posts
    assert [(post.author, post.date and post.date.value) for post in found] == [
        (f"user{n}", f"2012-03-0{n}T10:2{n}") for n in range(1, 10)
    ]


@pytest.mark.parametrize(
    "head",
    [
        "<div><h3>{name}</h3><span>{day}</span></div><div>to piers {n}</div>",
        "<p><b>{name}</b></p><p>Member</p><p>Posts: 1{n}</p><p>{day}</p>",
    ],
)
def test_a_name_that_nothing_marks_is_the_line_in_bold_at_the_head_of_each_post(head: str) -> None:
    shown = "".join(
        f"<section class=item id=i{n}>{head.format(name=f'user {n % 3}', n=n, day=f'2012-03-0{n} 10:2{n}')}<p>{WORDS.format(n=n)}</p></section>"
        for n in range(1, 8)
    )
    found = read(f"<h1>The ladder</h1><div>{shown}</div>").posts
    assert [(post.author, post.body) for post in found] == [(f"user {n % 3}", WORDS.format(n=n)) for n in range(1, 8)]


def test_a_guest_has_the_name_where_members_have_theirs() -> None:
    shown = "".join(
        f"<table class=item id=i{n}><tr><td><div id=menu_{n}>{f'guest{n}' if n in (3, 5) else f'<a class=bigusername href=/u/{n}>user{n}</a>'}</div>"
        f"<div>Senior Member</div></td></tr><tr><td>2012-03-0{n} 10:2{n}</td></tr><tr><td><p>{WORDS.format(n=n)}</p></td></tr></table>"
        for n in range(1, 8)
    )
    found = read(f"<h1>The ladder</h1><div>{shown}</div>").posts
    assert [post.author for post in found] == [f"{'guest' if n in (3, 5) else 'user'}{n}" for n in range(1, 8)]


def test_titles_that_lead_elsewhere_are_no_names() -> None:
    rows = "".join(
        f"<div class=row><h3><a href=/x/{n}{n}>The matter of pier {n}</a></h3><p>2012-03-0{n} 10:2{n}</p><p>{WORDS.format(n=n)}</p></div>"
        for n in range(1, 8)
    )
    found = read(f"<h1>All piers</h1><div>{rows}</div>")
    assert not found.are_sure
    assert not any(post.author for post in found.posts)


def test_a_link_with_the_authors_name_and_account_leads_to_no_thread() -> None:
    names = ["Anna Walker", "Bo Linton", "Carl Fisher", "Dora Pike", "Egon Reed", "Fay Quist"]
    shown = "".join(
        f"<div class=status id=s{n}><a class=display-name href=/@{name[:4]}><strong>{name}</strong> <span>@{name[:4]}</span></a>"
        f"<time datetime=2012-03-0{n}T10:20>March {n}</time><div class=status-text><p>{WORDS.format(n=n)}</p></div></div>"
        for n, name in enumerate(names, 1)
    )
    found = read(f"<h1>The ladder</h1><div>{shown}</div>")
    assert found.are_sure
    assert [post.author for post in found.posts] == names


MESSAGE = """[<a href=mail6.html>Previous by date</a>][<a href=mail8.html>Next by date</a>][<a href=index.html>All messages</a>]
<h1>The ladder</h1><hr><ul><li><em>To</em>: <a href="mailto:l@quay.example">l@quay.example</a></li><li><em>Subject</em>: The ladder</li>
<li><em>From</em>: Nora Fell &lt;<a href="mailto:nora@quay.example">nora@quay.example</a>&gt;</li>
<li><em>Date</em>: Wed, 01 Feb 2012 08:00:00 +0000</li></ul><hr><pre>Ida Quist wrote:
&gt; It was there
&gt; on Friday.

Then it has gone since.

--{blank}
Nora, pier 4
</pre><hr><ul><li><strong>References</strong>: <ul><li><a href=mail3.html>The ladder</a> <em>From:</em> Ida Quist</li></ul></li></ul>"""


def test_a_page_with_one_message_is_one_post() -> None:
    (post,) = read(MESSAGE.format(blank=" ")).posts
    assert (post.author, post.body, post.signature) == ("Nora Fell", "Then it has gone since.", "Nora, pier 4")
    assert [(quote.author, quote.text) for quote in post.quotes] == [("Ida Quist", "It was there\non Friday.")]
    assert post.date is not None
    assert post.date.value == "2012-02-01T08:00:00+00:00"
    assert post.permalink is None


def test_the_head_and_the_text_of_an_only_post_are_one_post() -> None:
    source = (
        "<h2>The ladder</h2><div class=grid-row><div class='cell cell-2 side author'><h4><a href=/users/4>ida.quist</a></h4><div>Member</div>"
        "<div>Joined: <time datetime=2010-01-02>2 Jan 2010</time></div></div><div class='cell cell-10 wide'><div><time datetime=2012-03-01T10:21>"
        f"1 Mar 2012 10:21</time> #1</div><div><p>{WORDS}</p></div></div></div>"
    )
    (post,) = read(source).posts
    assert (post.author, post.body) == ("ida.quist", WORDS)
    assert post.date is not None
    assert post.date.value == "2012-03-01T10:21"


def test_the_author_in_a_column_of_the_same_grid_is_the_posts() -> None:
    row = (
        "<div class='grid-row'><div class='cell cell-2 author'><h4><a href=/crew/{n}>user{n}</a></h4><div>Joined: 2 Jan 2010</div></div>"
        "<div class='cell cell-10 words'><div>0{n} Mar 2012 10:2{n}</div><p>{words}</p></div></div>"
    )
    found = read("<h2>The ladder</h2>" + "".join(row.format(n=n, words=WORDS.format(n=n)) for n in range(1, 6)))
    assert found.are_sure
    assert [(post.author, post.body) for post in found.posts] == [(f"user{n}", WORDS.format(n=n)) for n in range(1, 6)]


def test_a_name_in_bold_beside_a_date_is_the_author() -> None:
    rows = "".join(
        f"<dt id=c{n}><b>walker{n}</b>, 0{n} Mar 2012 10:2{n}</dt><dd><p>{WORDS.format(n=n)}</p></dd>" for n in range(1, 5)
    )
    assert [post.author for post in read(f"<h1>The ladder</h1><dl>{rows}</dl>").posts] == [f"walker{n}" for n in range(1, 5)]


def test_numbered_links_to_the_messages_are_no_titles() -> None:
    rows = "".join(
        f"<tr><th><a href=msg{n}>msg{n} (view)</a></th><th>Author: walker{n}</th><th>Date: 2012-03-0{n} 10:2{n}</th></tr>"
        f"<tr><td colspan=3><pre>{WORDS.format(n=n)}</pre></td></tr>"
        for n in range(1, 5)
    )
    found = read(f"<h1>Issue 5</h1><table>{rows}</table>")
    assert (found.are_sure, [post.author for post in found.posts]) == (True, [f"walker{n}" for n in range(1, 5)])


def test_the_rows_of_a_board_are_no_sure_posts() -> None:
    rows = "".join(
        f"<tr><td><a href=/x/{n}>How to mend the ladder of pier {n}</a> by <a href=/users/{n}>user{n}</a></td><td>0{n} Mar 2012 10:2{n}</td></tr>"
        for n in range(1, 7)
    )
    assert not read(f"<h2>Piers</h2><table>{rows}</table>").are_sure
    assert not read("<h1>October 2012</h1><p>Sorry, nobody has written anything to this list in this month.</p>").are_sure


_PIECES = (
    "<div class=author>", "<p>", "</p>", "</div>", "<div>", "<pre>", "</pre>", "<a href=/users/1>", "<a href=mailto:x@y.example>", "</a>",
    "<h2>", "</h2>", "<li>", "<blockquote>", "</blockquote>", "<hr>", "From: nora", "Date: 2012-03-01 10:20", "&gt; said", "-- ", WORDS, "nora",
)  # fmt: skip


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from(_PIECES), max_size=40))
def test_any_page_has_an_answer(drawn: list[str]) -> None:
    for post in read("\n".join(drawn)).posts:
        assert post.author is None or post.author.strip()
        assert all(quote.text for quote in post.quotes)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    ["<div>" * 300 + WORDS + "</div>" * 300, f"<p>{WORDS}</p>" * 1_500, "<li><a href=/x>Words of a link</a></li>" * 2_000],
    ids=["deep", "long", "links"],
)
def test_hostile_pages_cost_little(body: str) -> None:
    html = f"<html><body>{body}</body></html>"
    page = Page(html.encode(), "https://quay.example/x/7", {"content-type": "text/html"}, FETCHED)
    found = find_records(page)
    with at_most(parses=800):
        thread_posts(page, found)


def answer(number: int, comment: str = "") -> str:
    comments = (
        f"<div class=js-post-comments><div class=js-comment><div class=js-comment-body><p>{comment}</p></div>ole</div></div>"
    )
    return (
        f"<div id=js-post-{number} class='js-post js-answer'><div class=post-body><p>{WORDS.format(n=number)}</p></div>"
        f"<div class=info><a class=user-name-link href=/users/{number}/>nora{number}</a> answered 2012-03-0{number} 10:00</div>"
        f"{comments if comment else ''}</div>"
    )


def test_the_comments_on_answers_are_not_the_answers() -> None:
    """Askbot: the comments are more alike than the answers, so a record algorithm may find them instead."""
    comment = "Has anyone soaked the yeast of a small meadow after the storm, or the {} before lunch on a rainy day?"
    answers = answer(1, comment.format("rope")) + answer(2) + answer(3, comment.format("bell"))
    page = Page.from_text(
        f"<html lang=en><body><h2>The ladder</h2><div id=answers>{answers}</div>", "https://quay.example/x/7"
    )
    comments = [node for node, held in enumerate(page.nodes.attributes) if held.get("class") == "js-comment-body"]
    records = tuple(Record(page.nodes.text(node), (), 0, (node,)) for node in comments)
    found = thread_posts(page, replace(find_records(page), records=records)).posts
    assert [(post.author, post.body) for post in found] == [(f"nora{n}", WORDS.format(n=n)) for n in (1, 2, 3)]


def test_a_message_of_one_word_is_its_text() -> None:
    found = read(
        MESSAGE.partition("<pre>")[0]
        + "<pre>+1\n\n-- \nNora Fell</pre><hr><ul><li><a href=mail9.html>Re: The ladder</a></ul>"
    ).posts
    assert [(post.author, post.body, post.signature) for post in found] == [("Nora Fell", "+1", "Nora Fell")]


def test_a_post_that_begins_with_a_quotation_has_its_own_words() -> None:
    """Of posts that are alike, one column of the records may hold quotation and answer."""
    quoted = f"<blockquote class=citation><p>{WORDS.format(n=9)}</p></blockquote>"
    posts = "".join(
        f"<div class=change><h3>Changed by <a href=/users/{n}>user{n}</a> on 2012-03-0{n} 10:2{n}</h3>"
        f"<div class='comment searchable'>{quoted if n == 2 else ''}<p>{WORDS.format(n=n)}</p></div></div>"
        for n in range(1, 5)
    )
    found = read(f"<h2>The ladder</h2><div id=changelog>{posts}</div>").posts
    assert [(post.author, post.body) for post in found] == [(f"user{n}", WORDS.format(n=n)) for n in range(1, 5)]
    assert [quote.text for quote in found[1].quotes] == [WORDS.format(n=9)]


def test_the_only_post_that_microdata_declares_is_the_only_post() -> None:
    """The head of a page of Misago names its author, too, and looks like a post."""
    head = "<div class='head'><h1>The ladder</h1><a href=/u/nora/2/>nora</a> <span>Jan. 22, 2012, 6:54 a.m.</span></div>"
    post = (
        "<li class=post itemscope itemtype='http://schema.org/DiscussionForumPosting'><span itemprop=author>nora</span>"
        f"<time itemprop=datePublished datetime=2012-01-22T06:54:00Z>Jan. 22</time><div class=post-body><p>{WORDS}</p></div></li>"
    )
    page = Page.from_text(f"<html lang=en><body>{head}<div class=head><ul>{post}</ul></div>", "https://quay.example/t/7")
    parts = [node for node, held in enumerate(page.nodes.attributes) if held.get("class") == "head"]
    records = tuple(Record(page.nodes.text(node), (), 0, (node,)) for node in parts)
    found = thread_posts(page, replace(find_records(page), records=records)).posts
    assert [(post.author, post.body) for post in found] == [("nora", WORDS)]


def test_the_head_the_text_and_the_foot_of_an_only_post_are_one_post() -> None:
    found = read(
        "<h1>The ladder</h1><ol><li class=post id=post_7><div class=head><span class=date>03-14-2012, 08:15 AM</span> <a href=#post7>#1</a></div>"
        "<div class=details><a class=username href=/member/7>nora</a><dl><dt>Join Date</dt><dd>Mar 2009</dd></dl>"
        f"<div class=text>{WORDS.format(n=7)}</div></div><div class=foot><a href=/newreply>Reply With Quote</a></div></li></ol>"
    ).posts
    assert [(post.author, post.date.value if post.date else None) for post in found] == [("nora", "2012-03-14T08:15")]
    assert found[0].body == WORDS.format(n=7)


def test_the_panel_of_an_only_author_is_no_post() -> None:
    found = read(
        "<h2>The ladder</h2><div class=post id=p7><dl class=postprofile><dt><a class=username href=/member/7>nora</a></dt>"
        "<dd><strong>Posts:</strong> <a href=/search>14</a></dd><dd><strong>Joined:</strong> Mon Mar 03, 2008 8:15 am</dd></dl>"
        "<div class=postbody><h3><a href=#p7>The ladder</a></h3><p class=author>by <a class=username href=/member/7>nora</a> "
        f"<time datetime=2012-03-14T08:15>Mar 14</time></p><div class=content>{WORDS.format(n=7)}</div></div></div>"
    ).posts
    assert [(post.author, post.body) for post in found] == [("nora", WORDS.format(n=7))]


def test_a_message_that_begins_with_whose_the_quotation_is_has_a_text() -> None:
    found = read(
        "<h1>[Boats] The ladder</h1><b>Nora Fell</b> <a href='mailto:boats@quay.example'>nora at quay.example</a><br>"
        "<i>Mon Mar 3 08:15:00 UTC 2012</i><hr><pre>ada wrote:\n<i>&gt; Solved</i>\n\nBump\n</pre>"
    ).posts
    assert [(post.author, post.body) for post in found] == [("Nora Fell", "Bump")]
    assert [(quote.author, quote.text) for quote in found[0].quotes] == [("ada", "Solved")]


def test_two_texts_that_are_alike_are_two_posts() -> None:
    shown = "".join(
        f"<div class=windowbg id=msg{n}><div class=poster><h4><a href=/member/{n}>user{n}</a></h4></div><div class=postarea>"
        f"<a href=#msg{n}>Mar 0{n}, 2012, 08:15 AM</a><div class=inner>{WORDS.format(n=n)}</div></div></div><hr>"
        for n in (1, 2)
    )
    found = read(f"<h2>The ladder</h2><p>Started by user1, Mar 01, 2012, 08:15 AM</p><div id=posts>{shown}</div>").posts
    assert [(post.author, post.body) for post in found] == [(f"user{n}", WORDS.format(n=n)) for n in (1, 2)]


def test_rows_of_other_threads_beside_the_only_post_are_no_posts() -> None:
    rows = "".join(
        f"<tr class=row><td><a href=/t/{n}>The {kind} of pier {n}</a></td><td>{n} July 2011</td></tr>"
        for n, kind in enumerate(("lantern", "anchor", "capstan", "bollard", "winch"), 1)
    )
    found = read(f"{OPENING}<h3>Related threads</h3><table>{rows}</table>").posts
    assert [post.author for post in found] == ["nora"]


def test_the_line_that_says_who_began_a_thread_is_no_post() -> None:
    head = "<h1>The ladder</h1><p class=about>A thread in Piers, begun by <a href=/users/1>user1</a>, 2012-03-01 10:21.</p>"
    found = read(f"{head}<div id=replies>{replies(4)}</div>").posts
    assert [post.author for post in found] == ["user1", "user2", "user3", "user4"]


def test_the_only_post_is_found_in_a_form_that_marks_posts() -> None:
    post = (
        "<form action=/mark><div class=wrap><div class=side><a href=/users/7>nora</a></div><div class=main>"
        "<span>2012-02-01 08:00</span><div><p>Who has seen the long ladder?</p><p>It was there on Friday.</p></div></div></div>"
        "<input type=checkbox></form>"
    )
    head = "<p>Begun by nora, 2012-02-01 08:00</p>" + "".join(f"<p><a href=/{n}>Pier {n}</a></p>" for n in range(12))
    found = read(f"{head}{post}").posts
    assert [post.body for post in found] == ["Who has seen the long ladder?\nIt was there on Friday."]


def comment(n: int, text: str, answers: str = "") -> str:
    """A comment that holds the answers to it, in the markup of no known software."""
    return (
        f"<div class=zcard><div class=zhead><i>0 hearts</i> <b class=nick>user{n}</b> <span title='2012-03-0{n} 10:20'>2 y</span></div>"
        f"<div class=ztext>{text}</div><div class=zbelow>{answers}</div></div>"
    )


@pytest.mark.parametrize(
    ("third", "end"),
    [(f"<p>{WORDS.format(n=3)}</p>", ""), ("<p>Ay.</p>", "<p>So much for the pier, and for the ladder.</p>")],
)
def test_answers_within_posts_of_any_markup_are_posts(third: str, end: str) -> None:
    one, two, four, five, six, seven = (f"<p>{WORDS.format(n=n)}</p>{end}" for n in (1, 2, 4, 5, 6, 7))
    shown = comment(1, one, comment(2, two)) + comment(3, third) + comment(4, four, comment(5, five, comment(6, six)))
    found = read(f"<h1>The ladder</h1><div>{shown}{comment(7, seven)}</div>").posts
    assert [post.author for post in found] == [f"user{n}" for n in range(1, 8)]
    assert [f"<p>{post.body.splitlines()[0]}</p>" for post in found] == [
        text.removesuffix(end) if end else text for text in (one, two, third, four, five, six, seven)
    ]


def test_records_that_begin_with_a_bare_text_have_no_heads_before_them() -> None:
    page = Page(b"<title>x</title><p>mara <b>Ay, the ladder.</b>nora <b>No, the crane.</b></p>", "https://quay.example/x/7")
    nodes = page.nodes
    texts = [node for node in range(len(nodes)) if nodes.texts[node] in ("mara", "nora")]
    records = tuple(Record(nodes.text(node, node + 1), (), 0, (node, node + 1)) for node in texts)
    assert len(records) == 2
    assert thread_posts(page, RecordPage(page.url, "x", "ok", records)).posts == ()


@pytest.mark.parametrize(
    "head",
    [
        "<h4>{name} (Mar {n}, 2012 at 10:20):</h4>",
        "<p>{name}, {n}. März 2012, 10:20 Uhr</p>",
        "<p>{name} schrieb am {n}. März 2012:</p>",
        "<div><span>{name}</span> – 2012-03-0{n}</div>",
    ],
)
def test_names_that_share_their_line_with_a_day_are_authors(head: str) -> None:
    names = ("Mara Quill", "Nora Fell", "Ada Stone")
    shown = "".join(
        f"<div class=e>{head.format(name=name, n=n)}<div><p>{WORDS.format(n=n)}</p></div></div>"
        for n, name in enumerate(names, 1)
    )
    found = read(f"<h1>The ladder</h1>{shown}")
    assert [post.author for post in found.posts] == list(names)
    assert [post.date and post.date.value[:10] for post in found.posts] == [f"2012-03-0{n}" for n in (1, 2, 3)]
    assert found.are_sure


@pytest.mark.parametrize("head", ["Posted {n} March 2012", "{day}, {n} March 2012", "Begun {n} March 2012, on the quay"])
def test_days_and_labels_before_a_date_are_no_authors(head: str) -> None:
    shown = "".join(
        f"<div class=e><p>{head.format(day=day, n=n)}</p><div><p>{WORDS.format(n=n)}</p></div></div>"
        for n, day in enumerate(("Thu", "Friday", "Sa"), 1)
    )
    assert [post.author for post in read(f"<h1>The ladder</h1>{shown}").posts] == [None] * 3


def test_comments_within_the_element_of_the_text_that_they_are_on_leave_it_its_head() -> None:
    shown = "".join(
        f"<article class='comment {n}' id=comment-{n}><p>user{n} <a class=username href=/user/{n}>user{n}</a></p><p>2012-03-0{n} 10:2{n}</p>"
        f"<div class=item><p>{WORDS.format(n=n)}</p></div></article>"
        for n in range(1, 4)
    )
    text = "Who has seen the long ladder of the north pier since the gale of Friday last?"
    page = (
        "<h1>The ladder</h1><article class=node><footer>Submitted by <a class=username href=/user/9>nora</a> on 2012-02-01 08:00</footer>"
        f"<div class=node-parts><div class=item><p>{text}</p></div><section>{shown}</section></div></article>"
    )
    found = read(page).posts
    assert [(post.author, post.body) for post in found][:2] == [("nora", text), ("user1", WORDS.format(n=1))]
    assert len(found) == 4
    answered = read(page.replace(shown, shown[: shown.index("</article>") + 10])).posts
    assert [post.author for post in answered] == ["nora", "user1"]


def test_the_box_that_says_when_a_thread_began_is_no_post() -> None:
    box = "<div class=side><p>this post was submitted on 01 Feb 2012</p><div class=md><p>Welcome to all who like piers. Please be kind.</p></div></div>"
    found = read(f"{box}{OPENING}<div id=replies>{replies(4)}</div>").posts
    assert [post.author for post in found] == ["nora", "user1", "user2", "user3", "user4"]


FIRST = "Who has seen the long ladder of the north pier since the gale of Friday last? It is red, and has two rungs less than ours."


@pytest.mark.parametrize(
    "text", ["No.", "The crew of pier seven has it, and will bring it back when the tide is low again."]
)
def test_the_only_answer_in_a_list_of_comments_has_its_name_and_day(text: str) -> None:
    found = read(
        f"<div><a class=Username>nora</a><time datetime=2012-02-01T08:00>February 2012</time><div class='Message said'><p>{FIRST}</p></div></div>"
        f"<div><ul class='List Comments'><a class=Username>user2</a><time datetime=2012-03-02T10:20>March 2012</time><div class='Message said'><p>{text}</p></div></ul></div>"
    ).posts
    assert [(one.author, one.body) for one in found] == [("nora", FIRST), ("user2", text)]


def test_a_question_and_its_only_answer_are_built_otherwise() -> None:
    question = (
        "I replaced the impeller and the gasket, but the pressure still drops overnight. The bilge pump on my boat started to cycle every "
        "twenty minutes after the last storm.",
        "Has anybody tried the new epoxy that they sell at the chandlery in town? Not sure why everyone hates that brand so much.",
        "That sounds like a loose hose clamp to me. Do not use silicone below the waterline, please.",
    )
    answer = (
        "We left the harbour at 6:30 and were back before lunch. There is a good video about it from March 3, 2018, search for it. "
        "You should check the seacock first, it is almost always the cheapest part."
    )
    found = read(
        "<div><a>ask</a><div><a href=/~harbour_rat>harbour_rat</a> <time datetime='2013-11-11 05:55:00'>11 months ago</time> | <a>caches</a> "
        f"| <a>1 comments</a></div></div><p>{'</p><p>'.join(question)}</p><div><a>TomW</a> <time datetime='2013-11-11 09:15:00'>11 months ago</time></div>"
        f"<div class=comment_text><p>{answer}</p>\n<pre><code>for i in range(10):\n    print(i)</code></pre></div>",
        "Bilge pump keeps cycling after storm - Harbour Forum",
    ).posts
    assert [(post.author, post.body.partition("\n")[0]) for post in found] == [
        ("harbour_rat", question[0]),
        ("TomW", answer),
    ]


def test_the_line_that_counts_the_answers_is_no_post() -> None:
    found = read(
        "<div><a>nora</a> opened this issue <relative-time class=no-wrap>Mar 1, 2012</relative-time> \u00b7 0 comments</div><h3><a>nora</a>"
        "<a class='Link--secondary js-timestamp'><relative-time datetime=2012-03-01T14:57:00Z class=no-wrap>Mar 1, 2012</relative-time></a></h3>"
        "<p>There is a good video about it from March 3, 2011, search for it. The bilge pump on my boat started to cycle after the last storm.</p>"
        "<p>We left the harbour at 6:30 and were back before lunch.</p>"
    ).posts
    assert [post.author for post in found] == ["nora"]


@pytest.mark.parametrize(("text", "body"), [("<img src=/1.png>", ""), ("\U0001f44d", "\U0001f44d")])
def test_a_post_with_a_picture_alone_is_a_post(text: str, body: str) -> None:
    shown = "".join(
        f"<div><a>user{n}</a><a>March {n}, 2012, 5:2{n}:09 AM</a><div class=post>{said}</div></div>"
        for n, said in enumerate((WORDS.format(n=1), "No.", text), 1)
    )
    found = read(shown).posts
    assert [post.author for post in found] == ["user1", "user2", "user3"]
    assert found[2].body == body


def test_rows_of_threads_whose_addresses_differ_in_the_query_are_no_posts() -> None:
    rows = "".join(
        f"<li><a href=showthread.php?{n}{n}-x>{title}</a> By user{n} in forum Piers<div>Last Post: 03-0{n}-2012, <em>06:39 PM</em></div></li>"
        for n, title in enumerate(("Fresh water tank smells", "Best anchor for mud and weed", "Where to buy rope"), 1)
    )
    html = (
        "<html lang=en><head><title>The ladder</title></head><body><li><span>03-09-2012, <span>10:20 AM</span></span><a href=member.php?1-x><b>nora</b></a>"
        f"<blockquote class=postcontent>{FIRST}</blockquote></li><ol>{rows}</ol></body></html>"
    )
    page = Page(html.encode(), "https://quay.example/showthread.php?7-x", {}, FETCHED)
    assert [post.author for post in thread_posts(page, find_records(page)).posts] == ["nora"]


def test_the_only_post_of_a_thread_that_is_a_posting_too_is_the_post() -> None:
    found = read(
        "<ul itemtype=https://schema.org/DiscussionForumPosting><li itemtype=http://schema.org/Comment><meta itemprop=datePublished><div itemprop=author>"
        "<meta itemprop=name content=nora><span>n</span><span>wrote <a>on <span title=2012-03-01T10:20:00.000Z></span></a></span><a class='post-index muted'>#1</a></div>"
        f"<div class='content text-break'><p>{FIRST}</p></div><div class='post-footer bar'><span>Last reply </span></div></li></ul>"
    ).posts
    assert [(post.author, post.body) for post in found] == [("nora", FIRST)]


def test_a_note_below_every_post_is_not_the_text_of_a_short_one() -> None:
    shown = "".join(
        f"<div class=msg id=m{n}><a href=/user/{n}>user{n}</a><div class=box><span class=date>2012-03-0{n} 10:2{n}</span><div class=kmsg><p>{'Thanks' if n % 2 else WORDS.format(n=n)}</p></div>"
        "<div class=kreplymessage><p>Please <a>Log in</a> to join the conversation.</p></div></div></div>"
        for n in range(1, 6)
    )
    found = read(f"<h1>The ladder</h1><div>{shown}</div>").posts
    assert [post.body for post in found] == ["Thanks" if n % 2 else WORDS.format(n=n) for n in range(1, 6)]


def test_days_that_a_few_posts_tell_of_are_none_of_a_page_without_days() -> None:
    said = {3: "There is a good film about it from March 3, 2012, look for it.", 5: "It began on May 4, 2012, I think."}
    shown = "".join(
        f"<article><div class=PostUser><h3 class=PostUser-name>user{n}</h3></div><div class=Post-body><p>{said.get(n, WORDS.format(n=n))}</p></div></article><hr>"
        for n in range(1, 9)
    )
    found = read(f"<h1>The ladder</h1><div>{shown}</div>").posts
    assert [(post.author, post.date) for post in found] == [(f"user{n}", None) for n in range(1, 9)]


@pytest.mark.parametrize("around", ["forum", "post-content"])
def test_two_posts_without_days_are_in_what_markup_calls_their_bodies(around: str) -> None:
    shown = "".join(
        f"<article><div class=PostUser><h3 class=PostUser-name>user{n}</h3></div><div class=Post-body><p>{WORDS.format(n=n)}</p>"
        f"<p>It is gone.</p></div></article><hr>"
        for n in (1, 2)
    )
    found = read(f"<main><h1>The ladder</h1><div class={around}>{shown}</div></main>").posts
    assert [(post.author, post.body) for post in found] == [
        (f"user{n}", f"{WORDS.format(n=n)}\nIt is gone.") for n in (1, 2)
    ]


def test_headers_of_columns_are_no_bodies_of_posts_without_days() -> None:
    column = "<div class=bbp-reply-author>Author</div><div class=bbp-reply-content>Posts</div>"
    shown = (
        f"<ul><li>{column}</li><li><div class=bbp-reply-author><a href=/users/1>user1</a><div>Participant</div></div>"
        f"<div class=bbp-reply-content><p>{WORDS.format(n=1)}</p></div></li><li>{column}</li></ul>"
    )
    assert read(f"<main><h1>The ladder</h1><div class=post-content>{shown}</div></main>").posts == ()


def test_posts_that_are_only_a_picture_are_found_where_no_markup_tells_what_is_what() -> None:
    shown = "".join(
        f"<div class=c1><div class=c2><img src=a{n}.png></div><div class=c3><div class=c4><span class=c5>user{n}</span><span class=c6>Mar {n}, 2012</span></div>"
        f"<div class=c7>{'<img src=p.jpg>' if n in (3, 4) else f'<p>{WORDS.format(n=n)}</p>'}</div><div class=c8><button>Like</button></div></div></div>"
        for n in range(1, 9)
    )
    found = read(f"<h1>The ladder</h1><div>{shown}</div>").posts
    assert [(post.author, post.body) for post in found] == [
        (f"user{n}", "" if n in (3, 4) else WORDS.format(n=n)) for n in range(1, 9)
    ]


def test_the_caption_of_an_enlarged_picture_and_a_name_in_full_are_no_text() -> None:
    picture = "<div class=lightbox-wrapper><a class=lightbox href=o.jpg><img src=o.jpg><div class=meta><span class=filename>IMG_12</span> <span>1920×1080 212 KB</span></div></a></div>"
    shown = "".join(
        f"<div class='topic-body crawler-post' id=post_{n}><div class=meta><span class=creator itemprop=author><a href=/u/{n}><span itemprop=name>Ann{n}</span></a> (Ann{n})</span>"
        f"<time itemprop=datePublished datetime=2012-03-0{n}T10:20:00Z>March {n}, 2012, 10:20am</time> <span itemprop=position>{n}</span></div>"
        f"<div class=post itemprop=text>{picture if n % 2 else f'<p>{WORDS.format(n=n)}</p>'}</div></div>"
        for n in range(1, 7)
    )
    found = read(f"<h1>The ladder</h1><div>{shown}</div>").posts
    assert [(post.author, post.body) for post in found] == [
        (f"Ann{n}", "" if n % 2 else WORDS.format(n=n)) for n in range(1, 7)
    ]


def test_a_link_before_what_somebody_did_is_the_name() -> None:
    quote = "<blockquote class=remarkup-reply><div class=head>In <a href=/T1#1>T1#1</a>, <a href=/p/x/>@user1</a> wrote:</div><div><p>Who has seen it?</p></div></blockquote>"
    shown = "".join(
        f"<div class=event><div class=group><div class=title><a href=/p/{n}/ class=handle>user{n}</a> added a comment.<span class=extra><a href=#{n}>Mar {n} 2012, 3:40 PM</a></span></div>"
        f"<div class=core>{quote if n == 3 else ''}<p>{WORDS.format(n=n)}</p></div></div></div>"
        for n in range(1, 6)
    )
    found = read(f"<h1>The ladder</h1><div>{shown}</div>").posts
    assert [(post.author, post.body) for post in found] == [(f"user{n}", WORDS.format(n=n)) for n in range(1, 6)]
    assert [(quote.author, quote.text) for post in found for quote in post.quotes] == [("user1", "Who has seen it?")]


def test_the_day_and_the_buttons_beside_a_short_text_are_no_part_of_it() -> None:
    shown = "".join(
        f"<tr class='post item' id=post-{n}><td class=left-panel><div class=mini-profile><a href=/user/{n} class=user-link>user{n}</a><br>Full Member</div></td>"
        f"<td class=content><div class=content-head><div class=date><abbr class=time title='Mar 0{n}, 2012 18:50:12 GMT'>Mar {n}, 2012 at 6:50pm</abbr></div> <a href=/post/{n}/quote>Quote</a></div>"
        f"<div class=message>{'+1' if n % 2 else WORDS.format(n=n)}</div></td></tr>"
        for n in range(1, 7)
    )
    found = read(f"<h1>The ladder</h1><table>{shown}</table>").posts
    assert [post.body for post in found] == ["+1" if n % 2 else WORDS.format(n=n) for n in range(1, 7)]


def test_cells_alike_are_told_apart_and_a_drawn_line_is_above_the_signature() -> None:
    texts = {2: "👍", 3: "<img src=p.jpg>"}
    shown = "".join(
        f"<tr><td width=100><p><b><span class=spnMessageText><a href='pop_profile.asp?mode=display&id={n}'>user{n}</a></span></b><br><small>Starting Member</small></p><p>Norway<br>{n}12 Posts</p></td>"
        f"<td>Posted - 03/{n + 12}/2012 : 18:50:12<hr noshade size=1><span class=spnMessageText>{texts.get(n, WORDS.format(n=n))}{f'<hr noshade size=1>The workshop of user{n}' if n % 2 == 0 else ''}</span></td></tr>"
        for n in range(1, 7)
    )
    found = read(f"<h1>The ladder</h1><table><tr><td>Author</td><td>Topic</td></tr>{shown}</table>").posts
    assert [(post.author, post.body) for post in found] == [
        (f"user{n}", {2: "👍", 3: ""}.get(n, WORDS.format(n=n))) for n in range(1, 7)
    ]
    assert [post.signature for post in found if post.signature] == [f"The workshop of user{n}" for n in (2, 4, 6)]


def test_a_day_and_a_text_in_two_cells_of_one_column_are_two() -> None:
    shown = "".join(
        f"<table><tr><td><font size=2>#{n}</font></td><td><font size=2>0{n}.03.2012 10:2{n}</font></td></tr>"
        f"<tr><td><font size=2><b>Name:</b> user{n}<br><b>From:</b> Oslo<br><a href=mailto:u@x.example>E-mail</a></font></td>"
        f"<td><font size=2>{'lol' if n == 3 else f'{WORDS.format(n=n)}<br><br>{WORDS.format(n=n + 9)}'}</font></td></tr></table><br>"
        for n in range(1, 7)
    )
    found = read(f"<table><tr><td><font size=5>The ladder</font></td></tr></table>{shown}").posts
    assert [(post.author, post.date and post.date.value, post.body) for post in found] == [
        (f"user{n}", f"2012-03-0{n}T10:2{n}", "lol" if n == 3 else f"{WORDS.format(n=n)}\n{WORDS.format(n=n + 9)}")
        for n in range(1, 7)
    ]


def test_days_of_one_month_tell_that_the_day_is_first() -> None:
    shown = "".join(
        f"<div class=msg><b class=author>user{n}</b><p class=date>0{n + 4}/03/2012 10:20</p><div class=msg-text><p>{WORDS.format(n=n)}</p></div></div>"
        for n in range(1, 5)
    )
    assert [post.date and post.date.value for post in read(f"<h1>The ladder</h1>{shown}").posts] == [
        f"2012-03-0{n + 4}T10:20" for n in range(1, 5)
    ]


def test_a_question_and_its_only_answer_without_marks_are_posts_by_the_names_beside_their_days() -> None:
    found = read(
        f"<article class=a1><h1>The ladder</h1><div class=a2><span>nora</span> · <span>Mar 1, 2012</span></div><div class=a3><p>{WORDS.format(n=1)}</p></div></article>"
        f"<section class=b1><h2>1 comments</h2><div><div class=b2><div class=b3>O</div><div class=b4><div class=b5><span class=b6>otto</span><span class=b7>·</span><span>Mar 2, 2012</span></div>"
        f"<div class=b8><p>{WORDS.format(n=2)}</p></div></div></div></div></section>"
    ).posts
    assert [(post.author, post.body) for post in found] == [("nora", WORDS.format(n=1)), ("otto", WORDS.format(n=2))]


EVENTS = (
    "closed this",
    "added the <a href=/l/7>pier</a> label",
    "changed the title from <del>Ladder</del> to <ins>The ladder</ins>",
    "mentioned this in <a href=/i/88>#88</a>",
    "assigned this to <a href=/users/3>user3</a>",
)


@pytest.mark.parametrize("event", EVENTS)
def test_what_somebody_changed_is_no_post(event: str) -> None:
    changed = f"<div class=item><a href=/users/7>user7</a> {event} <a href=#e7><time datetime=2012-03-07T10:21>March 7</time></a></div>"
    shown = "".join(
        f"<div class=item><div class=head><a href=/users/{n}>user{n}</a> commented <time datetime=2012-03-0{n}T10:20>March {n}</time></div>"
        f"<div class=text><p>{WORDS.format(n=n)}</p></div></div>{changed}"
        for n in range(1, 4)
    )
    found = read(f"<h1>The ladder</h1><div id=stream>{shown}</div>").posts
    assert [(post.author, post.body) for post in found] == [(f"user{n}", WORDS.format(n=n)) for n in range(1, 4)]


@pytest.mark.parametrize(
    ("body", "is_post"),
    [
        ("Status changed from New to Closed\nAssignee set to user3", False),
        ("Keywords: pier added", False),
        ("Keywords:\npier added", False),
        ("New Issue", False),
        ("Note Added: 0000072", False),
        ("Status wurde von Neu zu Erledigt geändert", False),
        ("I closed this gate last night, and somebody opened it again.", True),
        ("Status changed from New to Closed\nBecause the ladder is back.", True),
        ("Added the label on the lid yesterday.", True),
        ("You need to log in to the quay first.", True),
    ],
)
def test_a_text_that_names_a_change_is_no_post(body: str, is_post: bool) -> None:
    post = replace(read(replies(2)).posts[0], body=body)
    assert _is_event(post) is not is_post


def test_the_number_and_colon_before_a_name_are_no_part_of_it() -> None:
    rows = "".join(
        f"<dt>{n} ：<b>{name}</b>：2013/05/0{n}(水) 12:31:07.1{n} ID:a{n}X0<dd>{WORDS.format(n=n)}<br><br>"
        for n, name in enumerate(("さくら", "雨男", "青空"), 1)
    )
    found = read(f"<dl class=thread>{rows}</dl>").posts
    assert [(post.author, post.body) for post in found] == [
        (name, WORDS.format(n=n)) for n, name in enumerate(("さくら", "雨男", "青空"), 1)
    ]


def test_the_small_heading_above_the_day_of_the_only_post_is_its_author() -> None:
    text = "Who has seen the long ladder of the north pier since the gale of Friday last? It lay beside the crane on Monday."
    post = f"<section><div><h3>nora</h3></div><div>May 13, 2013, 02:05:00 PM</div><div>{text}</div></section>"
    found = read(f"<div><a href=/>Groups</a></div><h1>The ladder</h1><div>1 views</div>{post}<div>Reply all</div>").posts
    assert [(post.author, post.body) for post in found] == [("nora", text)]


def test_the_lines_above_a_thread_that_have_the_minute_of_its_first_post_are_none() -> None:
    head = (
        "<table><tr><th>Reported:<td>2012-03-01 10:21 UTC by <span class=fn>user1</span></table>"
        "<p>You need to have an account before you can add an attachment or a comment to this report.</p>"
    )
    rows = "".join(
        f"<div id=c{n} class=comment><span class=fn>user{n}</span> <span class=time>2012-03-0{n} 10:21:4{n} UTC</span>"
        f"<pre class=comment_text>{WORDS.format(n=n)}</pre></div>"
        for n in range(1, 4)
    )
    assert [post.author for post in read(f"{head}<div>{rows}</div>").posts] == ["user1", "user2", "user3"]


@pytest.mark.parametrize("link", ["<a href=#r1>parent</a>", "<a href=#r1><i title='en respuesta a'></i> user1</a>"])
def test_a_link_to_the_parent_tells_what_a_post_answers(link: str) -> None:
    rows = "".join(
        f"<div class=reply id=r{n}><h4><a href=/users/{n}>user{n}</a> {link if n > 1 else ''} 2012-03-0{n} 10:2{n}</h4>"
        f"<div><p>{WORDS.format(n=n)}</p></div></div>"
        for n in range(1, 4)
    )
    found = read(f"<div id=replies>{rows}</div>").posts
    assert [post.reply_to for post in found] == [None, *["https://quay.example/x/7#r1"] * 2]
