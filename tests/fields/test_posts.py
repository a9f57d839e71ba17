"""Author, date, body and permalink of posts in the markup of well-known forum software."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.fields.post_areas import PostAreas
from newsextract.fields.post_fields import clean_name, find_author
from newsextract.fields.post_quotes import Quote
from newsextract.fields.posts import PostFields, post_fields
from newsextract.page.page import Page
from newsextract.records.items import align
from newsextract.results import Record
from tests.costs import at_most
from tests.record_items.pages import region_of

FETCHED = datetime(2012, 3, 10, 12, 0, tzinfo=UTC)

PHPBB = """<div class="post bg2" id="p{n}"><dl class="postprofile"><dt><a href="./memberlist.php?mode=viewprofile&u={n}" class="username">
{author}</a></dt><dd class="profile-posts"><strong>Posts:</strong> 1{n}</dd><dd class="profile-joined"><strong>Joined:</strong> Tue Jan 05, 2010 9:00 am</dd></dl>
<div class="postbody"><h3><a href="#p{n}">Re: Slugs</a></h3><ul class="post-buttons"><li><a href="./posting.php?mode=quote&p={n}">Quote</a></li></ul>
<p class="author"><a href="./viewtopic.php?p={n}#p{n}">Post</a> by <strong><a href="./memberlist.php?mode=viewprofile&u={n}" class="username">{author}</a></strong>
» Wed Mar 0{n}, 2012 10:2{n} am</p><div class="content">{body}</div><div class="signature">Gardens are forever</div></div></div>"""
DISCOURSE = """<div class="topic-post"><article id="post_{n}"><div class="topic-meta-data"><div class="names"><span class="first username">
<a href="/u/{author}">{author}</a></span></div><div class="post-info post-date"><a class="post-date" href="/t/slugs/77/{n}"><span
class="relative-date" data-time="133076{n}220000" title="Mar {n}, 2012 10:2{n} am">{n}d</span></a></div></div>
<div class="cooked">{body}</div><nav class="post-controls"><button>Like</button><button>Share</button></nav></article></div>"""
VBULLETIN = """<li class="postbit" id="post_{n}"><div class="posthead"><span class="date">03-0{n}-2012, <span class="time">10:2{n} AM</span></span>
<a class="postcounter" href="showthread.php?77-Slugs&p={n}#post{n}">#{n}</a></div><div class="userinfo"><a class="username" href="member.php?{n}-x">
<strong>{author}</strong></a><dl><dt>Join Date</dt><dd>Jan 2010</dd></dl></div><div class="postbody"><div id="post_message_{n}"><blockquote class="postcontent restore">
{body}</blockquote></div></div><div class="postfoot"><a href="newreply.php?p={n}">Reply With Quote</a></div></li>"""
DISCUZ = """<table class="plhin" id="pid{n}"><tr><td class="pls"><div class="authi"><a href="space-uid-{n}.html" class="xw1">{author}</a></div>
<dl><dt>注册时间</dt><dd>2010-1-5</dd></dl></td><td class="plc"><div class="pi"><strong><a href="forum.php?mod=redirect&goto=findpost&pid={n}" id="postnum{n}">{n}楼
</a></strong><div class="authi"><em id="authorposton{n}">发表于 2012-3-{n} 10:2{n}</em> | <a href="forum.php?authorid={n}">只看该作者</a></div></div>
<div class="pct"><div class="pcb"><div class="t_f" id="postmessage_{n}">{body}</div></div></div><div class="sign">签名档</div>
<div class="pob"><a>回复</a><a>举报</a></div></td></tr></table>"""
REDDIT = """<div class="thing comment" id="thing_t1_{n}"><div class="entry"><p class="tagline"><a href="https://chat.example/user/{author}" class="author">
{author}</a> <span class="score">{n} points</span> <time title="Sun Mar 0{n} 10:2{n}:00 2012 UTC" datetime="2012-03-0{n}T10:2{n}:00+00:00">{n} days ago</time></p>
<div class="usertext-body"><div class="md">{body}</div></div><ul class="flat-list buttons"><li><a href="https://chat.example/r/slugs/comments/a/slugs/c{n}/"
class="bylink">permalink</a></li><li><a href="#">reply</a></li></ul></div></div>"""
EXCHANGE = """<div class="answer" id="answer-{n}" itemscope><div class="votecell"><span class="vote-count">{n}</span></div><div class="answercell">
<div class="s-prose js-post-body" itemprop="text">{body}</div><a class="js-share-link" href="/a/{n}">Share</a><div class="user-info">
<div class="user-action-time">answered <span title="2012-03-0{n} 10:2{n}:00Z" class="relativetime">Mar {n} at 10:2{n}</span></div>
<div class="user-details" itemprop="author"><a href="/users/{n}/x">{author}</a><span class="reputation-score">1{n}1</span></div></div>
<ul class="comments"><li>Quite right. <a href="/users/99/z" class="comment-user">Zed</a> <span class="comment-date" title="2012-03-09 09:00:00Z">Mar 9</span></li></ul>
</div></div>"""

BODIES = (
    "<p>All my lettuce is gone.</p><p>What do you do against slugs in a wet spring?</p>",
    "<p>Beer.</p>",
    "<p>Get some ducks, they eat nothing else.</p><ul><li>two are enough</li><li>they need a pond</li></ul>",
)
LINES = (
    "All my lettuce is gone.\nWhat do you do against slugs in a wet spring?",
    "Beer.",
    "Get some ducks, they eat nothing else.\ntwo are enough\nthey need a pond",
)
AUTHORS = ("Mole_42", "rainer", "Anna-B")


def posts(html: str, name: str, url: str = "https://forum.example/t?t=77") -> list[PostFields]:
    page = Page(html.encode(), url, {"content-type": "text/html; charset=utf-8"}, FETCHED)
    region = region_of(page.nodes, name)
    table = align(page.nodes, region, url)
    records = [Record(page.nodes.text(*roots), items, 0, roots) for roots, items in zip(region.records, table, strict=True)]
    return fields_of(page, records)


def fields_of(page: Page, records: Sequence[Record]) -> list[PostFields]:
    """The fields of all posts of a page, each with the area that holds no other."""
    return [post_fields(page, *one) for one in zip(records, PostAreas(page, page.nodes).of(records), strict=True)]


def thread(template: str, name: str, lang: str = "en-us") -> list[PostFields]:
    shown = [template.format(n=n, author=AUTHORS[n - 1], body=BODIES[n - 1]) for n in (1, 2, 3)]
    return posts(f"<html lang={lang}><body><h1>Slugs</h1>{''.join(shown)}</body></html>", name)


@pytest.mark.parametrize(
    ("template", "name", "permalink", "clock"),
    [
        (PHPBB, "post", "https://forum.example/viewtopic.php?p={n}#p{n}", ""),
        (DISCOURSE, "topic-post", "https://forum.example/t/slugs/77/{n}", None),
        (VBULLETIN, "postbit", "https://forum.example/showthread.php?77-Slugs&p={n}#post{n}", ""),
        (DISCUZ, "plhin", "https://forum.example/forum.php?mod=redirect&goto=findpost&pid={n}", ""),
        (EXCHANGE, "answer", "https://forum.example/a/{n}", ":00+00:00"),
    ],
    ids=["phpbb", "discourse", "vbulletin", "discuz", "stack exchange"],
)
def test_forum_software(template: str, name: str, permalink: str, clock: str | None) -> None:
    found = thread(template, name, "zh-CN" if template is DISCUZ else "en-us")
    assert [post.author for post in found] == list(AUTHORS)
    assert [post.body for post in found] == list(LINES)
    assert [post.permalink for post in found] == [permalink.format(n=n) for n in (1, 2, 3)]
    dates = [post.date.value if post.date else "" for post in found]
    if clock is None:  # epoch milliseconds
        assert [date[:8] for date in dates] == ["2012-03-"] * 3
    else:
        assert dates == [f"2012-03-0{n}T10:2{n}{clock}" for n in (1, 2, 3)]


def test_old_reddit() -> None:
    shown = [REDDIT.format(n=n, author=AUTHORS[n - 1], body=BODIES[n - 1]) for n in (1, 2, 3)]
    found = posts("".join(shown), "thing", "https://chat.example/r/slugs/comments/a/slugs/")
    assert [post.author for post in found] == list(AUTHORS)
    assert [post.body for post in found] == list(LINES)
    assert [post.permalink for post in found] == [f"https://chat.example/r/slugs/comments/a/slugs/c{n}/" for n in (1, 2, 3)]
    assert [post.date.value for post in found if post.date] == [f"2012-03-0{n}T10:2{n}:00+00:00" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("Posted 3 May 2011 10:22", "2011-05-03T10:22"),
        ("yesterday at 8:12", "2012-03-09T08:12"),
        ("Today, 10:22 AM", "2012-03-10T10:22"),
        ("3 days ago", "2012-03-07"),
        ("2小时前", "2012-03-10T10:00+00:00"),
        ("昨天 08:30", "2012-03-09T08:30"),
        ("发表于 2011-5-3 10:22", "2011-05-03T10:22"),
        ("vor 2 Tagen", "2012-03-08"),
        ("Mar 3 @ 9:12am", "2012-03-03T09:12"),
        ("3 Dec, 10:22", "2011-12-03T10:22"),
        ("12.04 10:22:05", "2011-12-04T10:22:05"),
        ("2월 4일 10:22", "2012-02-04T10:22"),
    ],
)
def test_forms_of_dates(shown: str, value: str) -> None:
    html = "".join(
        f"<li class=post><b class=author>user{n}</b><i>{shown}</i><div class=text>Some words of user {n} on rain</div></li>"
        for n in range(3)
    )
    assert [post.date.value for post in posts(html, "post") if post.date] == [value] * 3


def test_a_day_that_a_post_tells_of_is_not_its_date() -> None:
    html = "".join(
        f"<div class=card><small>By: <a href=/member/{n}/>user{n}</a> on June 1{n}, 2011, 7:46 p.m.</small>"
        f"<div class=content><p>My neighbour tested a spare kettle, because cellar {n} was missing yesterday.</p></div></div>"
        for n in range(3)
    )
    found = posts(html, "content")
    assert [post.date and post.date.value for post in found] == [f"2011-06-1{n}T19:46" for n in range(3)]  # the head's
    assert [post.date.value for post in posts(html, "card") if post.date] == [f"2011-06-1{n}T19:46" for n in range(3)]


def test_a_day_in_a_short_chinese_sentence_is_not_the_date() -> None:
    html = "".join(f"<div class=card><p>昨天去店里看了一下，师傅说要换整个主板{n}。</p></div>" for n in range(3))
    assert [post.date for post in posts(html, "card")] == [None] * 3


def test_days_of_joining_and_editing_are_not_the_date() -> None:
    html = "".join(
        f"<li class=post><b class=author>user{n}</b><span>Joined: 4 Jan 2010</span><div class=text>Rain, rain, rain, said user {n}.</div>"
        f"<span class=date>Last edited: 9 Mar 2012</span><span>{n} Mar 2012</span></li>"
        for n in range(1, 4)
    )
    assert [post.date.value for post in posts(html, "post") if post.date] == [f"2012-03-0{n}" for n in (1, 2, 3)]


def test_an_author_quoted_is_not_the_author() -> None:
    html = "".join(
        f"<li class=post><blockquote><a class=username href=/u/x>Other</a> wrote: it rains in week {n}</blockquote><p>It does not, user {n} says.</p>"
        f"<a class=username href=/u/{n}>user{n}</a></li>"
        for n in range(3)
    )
    found = posts(html, "post")
    assert [post.author for post in found] == ["user0", "user1", "user2"]
    assert found[1].body == "It does not, user 1 says."
    assert [quote.text for quote in found[1].quotes] == ["Other wrote: it rains in week 1"]


def test_without_marks_the_body_is_what_is_left() -> None:
    html = "".join(
        f"<li class=post><div><a href=/profile/{n}>walker{n}</a></div><div>{n} Mar 2012</div>"
        f"<div><p>We went up on day {n} and saw nothing but fog.</p><p>Down again at {n} o'clock.</p></div><div><a href=/r/{n}>Reply</a></div></li>"
        for n in range(1, 5)
    )
    first = posts(html, "post")[0]
    assert first.author == "walker1"
    assert first.body == "We went up on day 1 and saw nothing but fog.\nDown again at 1 o'clock."


def test_an_elements_id_is_a_permalink() -> None:
    html = "".join(
        f"<li class=c id=comment-{n}><b class=author>u{n}</b><p>Some words, number {n} of them</p></li>" for n in range(3)
    )
    assert [post.permalink for post in posts(html, "c", "https://a.example/x?b=1#top")] == [
        f"https://a.example/x?b=1#comment-{n}" for n in range(3)
    ]


HEADED = """<div><table id="post{n}"><tr><td class="thead">{n} March 2012, 10:2{n} AM</td><td class="thead">#<a href="/showthread.php?t=77#post{n}">{n}</a></td></tr>
<tr><td class="alt2"><a class="bigusername" href="/member.php?u={n}">{author}</a><div>Join Date: 4 Jan 2010</div></td><td class="alt1"><div{marks}>{body}</div></td></tr>
<tr><td class="alt2">x</td><td class="alt1"><a href="/newreply.php?p={n}">Quote</a></td></tr></table></div>"""


def headed(marks: str, posts_shown: int = 3) -> list[PostFields]:
    """The fields of records that are no more than the texts of the posts."""
    shown = [
        HEADED.format(n=n, author=AUTHORS[n - 1], body=BODIES[n - 1], marks=marks.format(n=n))
        for n in range(1, posts_shown + 1)
    ]
    page = Page(
        f"<html lang=en-us><body><h1>Slugs</h1><div>1 January 2012</div><div>{''.join(shown)}</div></body></html>".encode(),
        "https://forum.example/showthread.php?t=77",
        {"content-type": "text/html; charset=utf-8"},
        FETCHED,
    )
    nodes = page.nodes
    cells = [i for i, tag in enumerate(nodes.tags) if tag == "td" and nodes.attributes[i].get("class") == "alt1"]
    roots = [nodes.children[cell][0] for cell in cells[::2]]
    return fields_of(page, [Record(nodes.text(root), (), 0, (root,)) for root in roots])


@pytest.mark.parametrize("marks", ["", ' class="words"', ' id="post_message_{n}"'], ids=["tags", "class", "id"])
def test_what_a_record_lacks_stands_around_it(marks: str) -> None:
    found = headed(marks)
    assert [post.author for post in found] == list(AUTHORS)
    assert [post.date.value for post in found if post.date] == [f"2012-03-0{n}T10:2{n}" for n in (1, 2, 3)]
    assert [post.permalink for post in found] == [f"https://forum.example/showthread.php?t=77#post{n}" for n in (1, 2, 3)]


def test_the_only_post_of_a_page_ends_where_its_number_does() -> None:
    (post,) = headed(' id="post_message_{n}"', 1)
    assert (post.author, post.permalink) == ("Mole_42", "https://forum.example/showthread.php?t=77#post1")
    assert post.date is not None
    assert post.date.value == "2012-03-01T10:21"
    (post,) = headed("", 1)  # nothing tells where the post ends and the page begins
    assert (post.author, post.date, post.permalink) == (None, None, None)


@pytest.mark.parametrize(
    ("inside", "beside", "expected"),
    [
        ("", "", None),
        ("", "<div class=signature>Gardens are forever</div>", "Gardens are forever"),
        ("<div class=signature>Own words</div>", "", "Own words"),
        ("<div class=signature>Own words</div>", "<div class=signature>Gardens are forever</div>", "Own words"),
    ],
)
def test_a_signature_within_the_body_comes_before_one_beside_it(inside: str, beside: str, expected: str | None) -> None:
    html = "".join(
        f"<li class=post><b class=author>user{n}</b>{beside}<div class=postbody><p>Some words of user {n} on rain, and more.</p>{inside}</div></li>"
        for n in range(3)
    )
    assert [post.signature for post in posts(html, "post")] == [expected] * 3


def test_a_day_of_joining_around_a_record_is_no_date() -> None:
    page = Page(
        "".join(
            f"<div><b>Joined: {n} Jan 2010</b><p class=said>Rain, rain, rain, said {n}.</p></div>" for n in (1, 2)
        ).encode(),
        "https://forum.example/",
        {},
        FETCHED,
    )
    roots = [i for i, tag in enumerate(page.nodes.tags) if tag == "p"]
    found = fields_of(page, [Record(page.nodes.text(i), (), 0, (i,)) for i in roots])
    assert [post.date for post in found] == [None, None]


def test_an_answer_within_a_post_does_not_take_the_posts_author() -> None:
    source = (
        "<div class=entry><a class=username href=/u/1>Anna</a><p>It rains.</p>"
        "<div><div class=entry><p>It does not.</p></div></div></div><div class=entry><p>Who knows.</p></div>"
    )
    page = Page(source.encode(), "https://forum.example/", {}, FETCHED)
    _, answer, _ = (i for i, names in enumerate(page.nodes.attributes) if names.get("class") == "entry")
    (found,) = fields_of(page, [Record("It does not.", (), 0, (answer,))])
    assert found.author is None


@pytest.mark.parametrize(
    "quotation",
    [
        "<blockquote><cite>Zed_7 wrote:</cite>It rains.</blockquote>",
        "<div class=quotebox><div>Quote:</div><div>Originally Posted by <b>Zed_7</b></div><div>It rains.</div></div>",
        "<aside class=quote><div class=title>Zed_7:</div><blockquote><p>It rains.</p></blockquote></aside>",
        "<div class=quote><blockquote><font><a href=/p/1>Zed_7 发表于 2012-3-1 10:20</a></font><br>It rains.</blockquote></div>",
    ],
    ids=["phpbb", "vbulletin", "discourse", "discuz"],
)
def test_a_quotation_is_told_from_the_post_and_names_its_author(quotation: str) -> None:
    html = "".join(
        f"<li class=post><a class=username href=/u/{n}>user{n}</a><div class=postbody>{quotation}<p>Only in week {n}.</p></div></li>"
        for n in range(3)
    )
    found = posts(html, "post")
    assert [post.body for post in found] == [f"Only in week {n}." for n in range(3)]
    assert [post.quotes for post in found] == [(Quote("Zed_7", "It rains."),)] * 3


def cards(*bodies: str) -> list[PostFields]:
    html = "".join(
        f"<div class=post><a class=author href=/users/{n}>user{n}</a> <time datetime=2012-03-0{n}>{n} March</time>"
        f"<div class=postbody>{body}</div></div>"
        for n, body in enumerate(bodies, 1)
    )
    return posts(html, "post")


@pytest.mark.parametrize(
    "quotation",
    [
        "<blockquote><cite><a href=/users/9>mara</a> wrote: <a href=#p9></a><span>Sun Apr 20, 2012 5:57 am</span></cite>Too short.</blockquote>",
        "<blockquote><cite><span>(04-20-2012, 05:57 AM)</span>mara Wrote: <a href=#p9></a></cite>Too short.</blockquote>",
        "<blockquote><cite><a href=#p9>Quote from: mara on Apr 20, 2012, 05:57 AM</a></cite>Too short.</blockquote>",
        "<div class=bbcode_quote><div class=box><div>Originally Posted by <b>mara</b></div><div>Too short.</div></div></div>",
        "<blockquote class=box--quote><div><a href=#p9>mara said:</a></div><div>Too short.<p><a role=button>Click to expand...</a></div></blockquote>",
        "<aside class=quote-block><div class=quote-heading>@mara</div><blockquote class=quote-body><p>Too short.</p></blockquote></aside>",
    ],
    ids=["name and day", "day and name", "from", "short", "button", "name"],
)
def test_the_head_of_a_quotation_names_its_author(quotation: str) -> None:
    found = cards(*(f"{quotation}<p>Then splice it, said user {n}.</p>" for n in (1, 2, 3)))
    assert [post.quotes for post in found] == [(Quote("mara", "Too short."),)] * 3
    assert [post.body for post in found] == [f"Then splice it, said user {n}." for n in (1, 2, 3)]


@pytest.mark.parametrize(
    "quotation",
    [
        "<div><div>Quote:</div><table><tr><td><div>Originally Posted by <b>mara</b></div><div>Too short.</div></td></tr></table></div>",
        "<div class=block><div class=header>Originally Posted by mara</div><div class=inner>Too short.</div></div>",
    ],
    ids=["caption", "line"],
)
def test_the_first_line_of_a_box_tells_that_it_is_a_quotation(quotation: str) -> None:
    found = cards(*(f"{quotation}<div>Then splice it, said user {n}.</div>" for n in (1, 2, 3)))
    assert [post.quotes for post in found] == [(Quote("mara", "Too short."),)] * 3
    assert [post.body for post in found] == [f"Then splice it, said user {n}." for n in (1, 2, 3)]


SAID = {
    "en": ("Quote from: {} on March 06, 2012, 02:43:00 AM", "{} said:"),
    "de": ("Zitat von: {} am 06.03.2012", "{} schrieb:"),
}
"""What stands above a quotation in two languages."""


def below_head(head: str, text: str) -> str:
    line = f"<div class=quoteheader><div class=topslice_quote><a href=#p9>{head}</a></div></div>"
    foot = "<div class=quotefooter><div class=botslice_quote></div></div>"
    return f"{line}<blockquote class=bbc_standard_quote>{text}</blockquote>{foot}"


def titled_box(head: str, text: str) -> str:
    return (
        f"<blockquote class='bbCodeBlock bbCodeBlock--quote'><div class=bbCodeBlock-title><a href=#p9>{head}</a></div>"
        f"<div class=bbCodeBlock-content><div class=bbCodeBlock-expandContent>{text}</div></div></blockquote>"
    )


def cited(head: str, text: str) -> str:
    return f"<blockquote><div><cite>{head}</cite>{text}</div></blockquote>"


def aside(head: str, text: str) -> str:
    return f"<aside class=quote><div class=title>{head}</div><blockquote><p>{text}</p></blockquote></aside>"


QUOTATIONS = [below_head, titled_box, cited, aside]


@pytest.mark.parametrize("lang", SAID)
def test_the_line_above_a_quotation_in_a_quoting_element_is_its_head(lang: str) -> None:
    quotation = below_head(SAID[lang][0].format("mara"), "Too short.")
    found = cards(*(f"{quotation}Then splice it, said user {n}." for n in (1, 2, 3)))
    assert [post.quotes for post in found] == [(Quote("mara", "Too short."),)] * 3
    assert [post.body for post in found] == [f"Then splice it, said user {n}." for n in (1, 2, 3)]


@pytest.mark.parametrize("lang", SAID)
@pytest.mark.parametrize("around", QUOTATIONS)
@pytest.mark.parametrize("behind", ["", "<br>Ask Ada."], ids=["before", "around"])
def test_a_quotation_within_a_quotation_has_its_own_author_and_words(
    lang: str, around: Callable[[str, str], str], behind: str
) -> None:
    said = SAID[lang][0 if around is below_head else 1]
    inner = around(said.format("Jane_D"), "It rains.")
    quotation = around(said.format("mara_Xx"), f"{inner}Too short.{behind}")
    found = cards(*(f"{quotation}<p>Then splice it, said user {n}.</p>" for n in (1, 2, 3)))
    outer = "Too short.\nAsk Ada." if behind else "Too short."
    assert [post.quotes for post in found] == [(Quote("mara_Xx", outer), Quote("Jane_D", "It rains."))] * 3
    assert [post.body for post in found] == [f"Then splice it, said user {n}." for n in (1, 2, 3)]


def test_what_is_quoted_within_a_quotation_without_an_author_belongs_to_the_outer_one() -> None:
    quotation = titled_box("mara said:", "<blockquote>It rains.</blockquote>Too short.")
    found = cards(*(f"{quotation}<p>Then splice it, said user {n}.</p>" for n in (1, 2, 3)))
    assert [post.quotes for post in found] == [(Quote("mara", "It rains.\nToo short."),)] * 3


@pytest.mark.parametrize("name", ["postsignature postmsg", "signature"])
def test_a_signature_that_is_called_a_message_is_a_signature(name: str) -> None:
    found = posts(
        "".join(
            f"<div class=post><a class=author href=/users/{n}>user{n}</a> <time datetime=2012-03-0{n}>{n} March</time>"
            f"<div class=postmsg><p>Then splice it, said user {n}.</p></div><div class='{name}'><hr><p>Fair winds</p></div></div>"
            for n in (1, 2, 3)
        ),
        "post",
    )
    assert [(post.body, post.signature) for post in found] == [
        (f"Then splice it, said user {n}.", "Fair winds") for n in (1, 2, 3)
    ]


def test_a_line_of_underscores_in_a_signature_is_no_part_of_it() -> None:
    line = "<div class=sig><br>____________________<br>Fair winds</div>"
    found = cards(*(f"Then splice it, said user {n}.{line}" for n in (1, 2, 3)))
    beside = posts(
        "".join(
            f"<div class=post><a class=author href=/users/{n}>user{n}</a><div class=postbody>Only in week {n}.</div>{line}</div>"
            for n in (1, 2, 3)
        ),
        "post",
    )
    assert [post.signature for post in (*found, *beside)] == ["Fair winds"] * 6


def test_what_is_quoted_right_before_bare_text_stays_a_quotation() -> None:
    shown = "".join(
        f"<div class=reply><a class=author href=/users/{n}>user{n}</a> <time datetime=2012-03-0{n}>{n} March</time><div class=area>"
        f"<b>mara wrote</b> <a href=/t/1#9>on May 3rd, 2011 at 4:11pm</a>:<div class=quote>Too short.</div>Then splice it {n} times.</div></div>"
        for n in (1, 2, 3)
    )
    found = posts(shown, "reply")
    assert [[quote.text for quote in post.quotes] for post in found] == [["Too short."]] * 3
    assert [post.body for post in found] == [f"Then splice it {n} times." for n in (1, 2, 3)]


def test_a_box_with_a_quotation_and_an_answer_is_no_quotation() -> None:
    head = (
        "<div class=head><a href=#p9>Quote from: mara on Apr 20, 2012, 05:57 AM</a></div><blockquote>Too short.</blockquote>"
    )
    found = cards(*(f"<div class=inner>{head}Then splice it, said user {n}.</div>" for n in (1, 2, 3)))
    assert [post.body for post in found] == [f"Then splice it, said user {n}." for n in (1, 2, 3)]


def test_who_likes_a_post_or_thanks_for_it_is_no_part_of_the_text() -> None:
    shown = "".join(
        f"<div class=reply><div class=side><a class=author href=/users/{n}>user{n}</a></div><div><span>2012-03-0{n} 10:00</span>"
        f"<div><div>Splice it {n} times.</div></div><div>{line}</div></div></div>"
        for n, line in enumerate(
            ("mara, nora, oldpete and others like this", "The following users thanked mara", "nora likes this."), 1
        )
    )
    assert [post.body for post in posts(shown, "reply")] == [f"Splice it {n} times." for n in (1, 2, 3)]


@pytest.mark.parametrize("panel", ["<span class=user-title>Veteran</span><span>7,691 posts</span>", "<span>Newbie</span>"])
def test_a_count_or_a_rank_is_no_name(panel: str) -> None:
    shown = "".join(
        f"<div class=reply><div class=author>{panel}<b>mara{n}</b></div><time>2012-03-0{n}</time><p>Splice it {n} times.</p></div>"
        for n in (1, 2, 3)
    )
    assert not {post.author for post in posts(shown, "reply")} & {"7,691 posts", "Newbie"}


@pytest.mark.parametrize(
    ("lang", "others", "value"),
    [
        ("en-us", ("14/10/2011", "03/02/2011"), "2011-02-03"),
        ("en-gb", ("10/14/2011", "03/02/2011"), "2011-03-02"),
        ("en-us", ("Thu, 03/02/2011", "Thu, 03/02/2011"), "2011-02-03"),  # 3 February 2011 was a Thursday
        ("en-us", ("14/10/2011", "10/14/2011", "03/02/2011"), "2011-03-02"),
    ],
    ids=["day first", "month first", "day of the week", "both"],
)
def test_the_pages_own_dates_tell_the_order_of_their_numbers(lang: str, others: tuple[str, ...], value: str) -> None:
    shown = "".join(
        f"<div class=reply><b class=author>mara</b> <span>{day}</span><p>Splice it {n} times.</p></div>"
        for n, day in enumerate(others)
    )
    found = posts(f"<html lang={lang}><body>{shown}</body></html>", "reply")[-1].date
    assert found is not None
    assert found.value == value


def test_a_name_with_digits_before_a_day_of_editing_is_no_day() -> None:
    shown = "".join(
        f"<div class=reply><b class=author>mara</b><p>Splice it {n} times.</p>"
        f"<span>Last edited by mara77;</span> <span>2012-03-0{n}</span> <i>2011-05-0{n}</i></div>"
        for n in (1, 2, 3)
    )
    assert [post.date and post.date.value for post in posts(shown, "reply")] == [f"2011-05-0{n}" for n in (1, 2, 3)]


def test_a_signature_is_no_name_and_no_text() -> None:
    shown = "".join(
        f"<div class=reply><b class=author>mara</b> <time>2012-03-0{n}</time><div>No. {n}</div>"
        "<div class=signature>Keep your powder dry.</div></div>"
        for n in (1, 2, 3)
    )
    assert [(post.author, post.body) for post in posts(shown, "reply")] == [("mara", f"No. {n}") for n in (1, 2, 3)]


def test_what_a_script_does_with_a_text_makes_it_no_quotation() -> None:
    html = "".join(
        f"<div class=message><div class=userDetails><a class=username href=/members/{n}>user{n}</a> <time datetime=2012-03-0{n}>{n} March</time></div>"
        f"<div class=message-userContent><div class='message-body js-selectToQuote'>{body}</div></div>"
        f"<blockquote class='signature restore'>Fair winds {n}</blockquote></div>"
        for n, body in enumerate(("Where is the ladder of the pier?", "Thanks!", "It went with the tide at seven."), 1)
    )
    found = posts(html, "message")
    assert [post.author for post in found] == ["user1", "user2", "user3"]
    assert [post.body for post in found] == [
        "Where is the ladder of the pier?",
        "Thanks!",
        "It went with the tide at seven.",
    ]
    assert [post.signature for post in found] == ["Fair winds 1", "Fair winds 2", "Fair winds 3"]


def test_a_box_is_no_name_because_a_user_wrote_what_is_in_it() -> None:
    html = "<div class=cell><time datetime=2012-03-01>1 March</time><div class='message-userContent lb'>Where is the ladder?</div></div>"
    nodes = Page(html.encode(), None).nodes
    root = nodes.tags.index("div")
    assert find_author(nodes, Record(nodes.text(root), (), 0, (root,))) is None


@pytest.mark.parametrize(
    "note",
    [
        "Edited 31 May, 2012 06:52",
        "Last edited by Ada; 03-09-2012 at 10:20 AM.",
        "Last edited by Ada on Fri Mar 09, 2012 10:20 am, edited 2 times in total.",
        "(This post was last modified: 03-09-2012, 10:20 AM by Ada.)",
        "Zuletzt bearbeitet von Ada am 9. März 2012, 10:20",
        "本帖最后由 雷雨 于 2012-3-9 10:20 编辑",
        "Сообщение отредактировал Ада: 09 Март 2012 - 10:20",
    ],
)
def test_a_note_of_a_change_is_no_part_of_the_text(note: str) -> None:
    text = "The rope is too short for the ladder of the pier."
    assert [post.body for post in cards(*([f"<p>{text}</p><div>{note}</div>"] * 3))] == [text] * 3
    assert [post.body for post in cards(*([f"<div>{note}</div><p>{text}</p>"] * 3))] == [text] * 3


@pytest.mark.parametrize(
    "line", ["Edit: it was 12 m in 2012!", "Edited the list of 2012, thanks for all of it.", "Updated at last."]
)
def test_what_an_author_says_of_a_change_is_kept(line: str) -> None:
    assert [post.body for post in cards(*([f"<p>The rope is short.</p><p>{line}</p>"] * 3))] == [
        f"The rope is short.\n{line}"
    ] * 3


@pytest.mark.parametrize(
    "box",
    [
        "<div><p>Code: <a href=#>Select all</a></p><pre><code>ls -l</code></pre></div>",
        "<div><div>Code:</div><div><code>ls -l</code></div></div>",
        "<div class='bbCodeBlock bbCodeBlock--code'><div>Code:</div><div><pre>ls -l</pre></div></div>",
    ],
)
def test_the_caption_of_code_is_no_part_of_the_text(box: str) -> None:
    found = cards(*([f"<p>Try this first:</p>{box}<p>It helps.</p>"] * 3))
    assert [(post.body, post.quotes) for post in found] == [("Try this first:\nls -l\nIt helps.", ())] * 3


def test_a_button_below_code_is_no_part_of_the_text() -> None:
    code = "<p>So:</p><div><ol><li>ls -l</ol><em onclick=copy()>复制代码</em></div>"
    assert [post.body for post in cards(*([code] * 3))] == ["So:\nls -l"] * 3


def test_text_behind_a_quotation_in_preformatted_text_is_the_authors_own() -> None:
    said = "<pre><span class=quote>(In reply to Mara from <a href=#c1>comment #1</a>)\n&gt; The rope is short.</span>\n\nThen splice it.</pre>"
    assert [(post.body, post.quotes) for post in cards(*([said] * 3))] == [
        ("Then splice it.", (Quote("Mara", "The rope is short."),))
    ] * 3


def test_lines_of_code_are_kept_apart_whatever_is_marked_in_them() -> None:
    code = "<pre><b>def</b> <i>level</i>():\n    <b>return</b> 7\n<i>&gt; one</i>\n<i>&gt; two</i></pre>"
    assert [post.body for post in cards(*([f"<p>So:</p>{code}"] * 3))] == ["So:\ndef level():\nreturn 7"] * 3
    assert [post.quotes for post in cards(*([code] * 3))] == [(Quote(None, "one\ntwo"),)] * 3


def test_what_a_script_opens_and_the_field_of_a_form_are_no_text_and_no_name() -> None:
    folded = "<div><div onclick='fold(this)'>Show quoted text</div>No, both sails came back from the loft.</div>"
    assert cards(folded)[0].body == "No, both sails came back from the loft."
    form = "<div class=comment><p>Nobody has written yet.</p><div class=input_name><label for=n>Name</label> <input id=n> required</div></div>"
    assert [post.author for post in posts(form * 3, "comment")] == [None] * 3


@pytest.mark.parametrize("control", ["<a href=#>Read more</a>", "<span>展开全文</span>", "<div>Show more ▾</div>"])
def test_what_unfolds_a_long_post_is_no_text(control: str) -> None:
    folded = cards(
        f"<p>No, both sails came back from the loft.</p>{control}", "<p>Read more books.</p><p>And sail more.</p>"
    )
    assert [post.body for post in folded] == ["No, both sails came back from the loft.", "Read more books.\nAnd sail more."]


def test_a_line_that_only_names_whom_a_post_answers_is_no_text() -> None:
    answer = cards("<p>Reply <a href=#c3>@mara</a>:</p><p>Both sails came back from the loft.</p>", "<p>@mara:<p>Thank you!")
    assert [post.body for post in answer] == ["Both sails came back from the loft.", "@mara:\nThank you!"]


def test_senders_and_bylines_of_comments_name_authors_and_short_years_follow_days_and_months_with_dots() -> None:
    names = {3: "Mara", 4: "bo", 5: "Dora Pike"}
    sent = "".join(
        f"<div class=message><div class=sender>{names[n]}</div><div class=content>The tide came in at {n}.</div><span class=timestamp>"
        f"0{n}.02.12, 10:20 (#{n})</span></div>"
        for n in range(3, 6)
    )
    found = [(post.author, post.date.value if post.date else None) for post in posts(sent, "message")]
    assert found == [(names[n], f"2012-02-0{n}T10:20") for n in range(3, 6)]
    assert clean_name("Comment by Jane") == "Jane"


def test_a_card_of_the_author_is_no_signature() -> None:
    html = "".join(
        f"<div class=post><time datetime=2012-03-0{n}>{n} March</time><div class=postbody>Rain, said user {n}.</div>"
        f"<div class=post-signature><a class=author href=/users/{n}>user{n}</a> 17 badges</div></div>"
        for n in (1, 2, 3)
    )
    assert [post.signature for post in posts(html, "post")] == [None] * 3


def test_the_day_of_the_post_around_a_record_beats_the_day_of_joining_in_it() -> None:
    html = "".join(
        f"<li class=post id=post_{n}><div><span class=date>03-0{n}-2012</span></div><div class=details><a class=username href=/member/{n}>user{n}</a>"
        f"<dl><dt>Join Date</dt><dd>Mar 2009</dd></dl><div class=postbody>Rain, rain, rain, said user {n}.</div></div></li>"
        for n in (1, 2, 3)
    )
    assert [post.date.value for post in posts(f"<ol>{html}</ol>", "details") if post.date] == [
        f"2012-03-0{n}" for n in (1, 2, 3)
    ]


def test_a_list_that_is_quoted_keeps_its_head() -> None:
    html = "".join(
        f"<li class=post><div class=postbody><blockquote><p>We need {n}:</p><p>a boat</p></blockquote><p>And oars.</p></div></li>"
        for n in range(3)
    )
    post = posts(html, "post")[1]
    assert (post.body, post.quotes) == ("And oars.", (Quote(None, "We need 1:\na boat"),))


def test_a_line_of_underscores_ends_the_body_unless_much_follows() -> None:
    page = "<li class=post><div class=postbody>Rain again in week {n}.<div>__________________<br>{below}</div></div></li>"
    signed = "".join(page.format(n=n, below="Fair winds.") for n in range(3))
    found = posts(signed, "post")
    assert [(post.body, post.signature) for post in found] == [(f"Rain again in week {n}.", "Fair winds.") for n in range(3)]
    divided = "".join(page.format(n=n, below="The second part is as long as the first. " * 20) for n in range(3))
    assert all("The second part" in post.body for post in posts(divided, "post"))


@pytest.mark.parametrize(
    "name", ["postMessage", "bz_comment_text", "thread__comment-text", "messageText SelectQuoteContainer", "postmsg"]
)
@pytest.mark.parametrize("tag", ["div", "blockquote"])
def test_a_class_name_made_of_a_post_and_a_part_of_it_is_a_body(name: str, tag: str) -> None:
    html = "".join(
        f"<li class=post><p><b class=username>user{n}</b> 3 May 2011 10:22</p><p>File: IMG_000{n}.jpg (211 KB, 1024x768)</p>"
        f'<{tag} class="{name}">Word {n}</{tag}></li>'
        for n in range(3)
    )
    found = posts(html, "post")
    assert [(post.author, post.body, post.quotes) for post in found] == [(f"user{n}", f"Word {n}", ()) for n in range(3)]


@pytest.mark.parametrize(
    "head",
    [
        "<div class=AuthorWrap><span class=Author><span class=Username>{name}</span></span><span class=rank>Member</span> Posts: <b>17</b></div>",
        "<div class=poster><h4>{name}</h4><ul><li>Guest</li></ul></div>",
        "<p><span class=display-name><strong>{name}</strong> <span>@{name}</span></span></p>",
        "<p><span class=postusername>{name}</span></p>",
    ],
)
def test_a_name_is_told_from_what_stands_beside_it(head: str) -> None:
    html = "".join(
        f"<li class=post>{head.format(name=name)}<p class=date>3 May 2011 10:22</p><div class=text>Some words of {name} on rain</div></li>"
        for name in AUTHORS
    )
    assert [post.author for post in posts(html, "post")] == list(AUTHORS)


def test_who_likes_a_post_did_not_write_it() -> None:
    html = "".join(
        f"<li class=row><h3 class=author><b>{name}</b></h3><div class='post edited'><p class=date>3 May 2011 10:22</p>"
        f"<div class=text>Some words of {name} on rain</div><p class=likes><a href=/users/9 class=username>Zed</a> likes this</p>"
        f"<p><a href=/users/8>Yan</a> and two others</p></div></li>"
        for name in AUTHORS
    )
    assert [post.author for post in posts(f"<ul>{html}</ul>", "post")] == list(AUTHORS)


@pytest.mark.parametrize("marks", ["", "class=moment-time"])
def test_the_stamp_for_a_script_beats_years_ago(marks: str) -> None:
    html = "".join(
        f"<li class=post><b class=author>user{n}</b><span {marks} data-tip-content='Thursday, May 0{n}, 2011 at 10:2{n}:00 AM GMT+00:00'>"
        f"1 year ago</span><div class=text>Some words of user {n} on rain</div></li>"
        for n in range(1, 4)
    )
    assert [post.date and post.date.value for post in posts(html, "post")] == [
        f"2011-05-0{n}T10:2{n}:00+00:00" for n in (1, 2, 3)
    ]


def test_a_post_without_anything() -> None:
    (post,) = posts("<li class=post><img src=x></li>", "post")
    assert post == PostFields(None, None, "", None)


def test_a_stamp_in_any_title_attribute_beats_years_ago() -> None:
    html = "".join(
        f"<li class=post><b class=author>user{n}</b> <a href=/x title='03/0{n}/2011 09:43 PM'>over {n} years</a> ago<p>Words of user {n}, some of them</p></li>"
        for n in range(1, 4)
    )
    assert [post.date.value for post in posts(html, "post") if post.date] == [f"2011-03-0{n}T21:43" for n in range(1, 4)]


def test_a_signature_beside_the_body_is_found() -> None:
    html = "".join(
        f"<li class=post><a class=username href=/u/{n}>user{n}</a><div class=postbody>Only in week {n}.</div><div class=signature>Knots, {n}.</div></li>"
        for n in range(3)
    )
    assert [(post.body, post.signature) for post in posts(html, "post")] == [
        (f"Only in week {n}.", f"Knots, {n}.") for n in range(3)
    ]


def test_the_post_that_is_answered_is_where_the_page_links_to() -> None:
    html = "".join(
        f"<li class=post id=p{n}><a class=username href=/u/{n}>user{n}</a> in reply to <a href='#p{n - 1}'>user{n - 1}</a>"
        f"<div class=postbody>Only in week {n}.</div><a href=/reply?p={n}>Reply to this post</a></li>"
        for n in range(1, 4)
    )
    assert [post.reply_to for post in posts(html, "post")] == [f"https://forum.example/t?t=77#p{n}" for n in range(3)]


_PIECES = (
    "<b class=author>", "</b>", "<blockquote>", "</blockquote>", "<a href=/u/1>", "<a href='http://['>", "</a>", "<p>", "<br>",
    "<time datetime=2012-13-40>", "</time>", "<div class=postbody>", "<div class=content>", "</div>", "<div class=signature>",
    "name", "Joined: 2010", "3 May 2011", "昨天 08:30", "#4", "a few words that are longer than the others are",
)  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(_PIECES), max_size=14), min_size=1, max_size=4))
def test_any_post_has_fields(drawn: list[list[str]]) -> None:
    html = "".join(f"<article>{' '.join(pieces)}</article>" for pieces in drawn)
    for post in posts(html, "article"):
        assert post.author is None or post.author == post.author.strip() != ""
        assert all(line == " ".join(line.split()) != "" for line in post.body.split("\n")) or post.body == ""
        assert post.permalink is None or post.permalink.startswith("https://forum.example/")


def _classes(count: int) -> str:
    """A post of elements with a class each."""
    names = ("".join(chr(97 + int(digit)) for digit in str(number)) for number in range(count))
    return "".join(f"<div class={name}>word {place} of {{n}}</div>" for place, name in enumerate(names))


def _quotations(count: int) -> str:
    return (
        "".join(f"<blockquote><p>word {place} of {{n}}</p></blockquote>" for place in range(count)) + "<p>That is {n}.</p>"
    )


def _quotations_in_each_other(count: int) -> str:
    return "<blockquote>" * count + "<p>It rains in week {n}.</p>" + "</blockquote>" * count + "<p>Only in week {n}.</p>"


def _paragraphs(count: int) -> str:
    """A post whose text stands beside many others that are none of it."""
    text = "".join(f"<p>word {place} of {{n}}</p>" for place in range(count))
    return f"{text}<div>{'<a href=/s>Share</a><br>' * count}</div>"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "least"),
    [(_classes, 58_000), (_quotations, 54_000), (_quotations_in_each_other, 20), (_paragraphs, 50_000)],
    ids=["classes", "quotations", "quotations in each other", "paragraphs"],
)
def test_a_post_of_many_parts_is_read_in_linear_time(body: Callable[[int], str], least: int) -> None:
    html = "".join(f"<li class=post>{body(4_000).format(n=n)}</li>" for n in range(2))
    page = Page(html.encode(), "https://forum.example/t?t=77", {}, FETCHED)
    region = region_of(page.nodes, "post")
    table = align(page.nodes, region, page.url)
    records = [Record(page.nodes.text(*roots), items, 0, roots) for roots, items in zip(region.records, table, strict=True)]
    with at_most(parses=100):
        found = [post_fields(page, record) for record in records]
    assert all(len(post.body) + sum(len(quote.text) for quote in post.quotes) >= least for post in found)


def test_names_of_posts_without_one_are_looked_for_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of 60,000 lines "3 days ago" took a minute."""
    page, count = Page(b"<p>x"), 40_000
    areas = PostAreas(page, page.nodes)
    monkeypatch.setattr(areas, "_before_text", lambda *_: [])
    fields = [PostFields(None, None, "x", None)] * count
    with at_most(parses=10):
        assert areas.with_names([Record("x", (), 0, (0,))] * count, [None] * count, fields) == fields


@pytest.mark.parametrize(
    "link", ["/mitglieder/mara_quill", "by?id=mara%20quill", "https://forum.example/@Mara-Quill#top", "mailto:sage"]
)
@pytest.mark.parametrize("day", ["22. März 2012, 18:16", "2012-03-05", "5 de marzo de 2012", "3 дня назад", "22. März 2091"])
def test_a_link_that_ends_with_its_own_words_beside_a_day_is_an_author(link: str, day: str) -> None:
    html = f"<div><p><a href='{link}'>Mara Quill</a> <span>{day}</span></p><p>Splice it twice.</p></div>"
    nodes = Page(html.encode(), headers={"content-type": "text/html; charset=utf-8"}).nodes
    root = nodes.tags.index("div")
    assert find_author(nodes, Record(nodes.text(root), (), 0, (root,))) == "Mara Quill"


@pytest.mark.parametrize(
    "head",
    [
        "<a href=/tag/mara-quill>Mara Quill</a> <span>2012-03-05</span>",
        "<a href=/mitglieder/mara-quill>Mara Quill</a> <span>has spliced it</span>",
        "<a href=/mitglieder/77>Mara Quill</a> <span>2012-03-05</span>",
    ],
)
def test_other_links_are_no_authors(head: str) -> None:
    nodes = Page(f"<div><p>{head}</p><p>Splice it twice.</p></div>".encode()).nodes
    root = nodes.tags.index("div")
    assert find_author(nodes, Record(nodes.text(root), (), 0, (root,))) is None


def test_code_that_several_posts_repeat_is_in_their_texts() -> None:
    shown = "".join(
        f"<div class=row><a class=author href=/u/{n}>mara{n}</a> <time>2012-03-0{n}</time>"
        f"<div><p>This is what the winch says to {word}:</p><pre><code>Error: rope\nStop.</code></pre></div></div>"
        for n, word in enumerate(("me", "nora", "all of us"), 1)
    )
    assert [post.body for post in posts(shown, "row")] == [
        f"This is what the winch says to {word}:\nError: rope\nStop." for word in ("me", "nora", "all of us")
    ]


def test_the_link_to_the_post_that_is_answered_is_no_permalink() -> None:
    html = "".join(
        f"<article class=post id=comment-{n}><a class=username href=/user/{n}>user{n}</a><p>2012-03-0{n} 10:20</p>"
        f"<p><a href=/comment/{n}#comment-{n}>Permalink</a></p><p>In reply to <a href=/comment/9#comment-9 class=permalink rel=bookmark>Slugs</a> by nora</p>"
        f"<div class=comment-text><p>Beer, said user {n}.</p></div></article>"
        for n in (1, 2, 3)
    )
    found = posts(html, "post")
    assert [post.permalink for post in found] == [f"https://forum.example/comment/{n}#comment-{n}" for n in (1, 2, 3)]
    assert [post.reply_to for post in found] == ["https://forum.example/comment/9#comment-9"] * 3


@pytest.mark.parametrize(
    ("head", "answered"),
    [
        ("<cite><a href=/memberlist.php?u=5>Jane</a> wrote: <a href=/viewtopic.php?p=31#p31>↑</a></cite>", "/viewtopic.php?p=31#p31"),
        ("<cite><a href='/index.php?msg=31'>Quote from: Jane on March 03, 2011, 09:14:02 PM</a></cite>", "/index.php?msg=31"),
        ("<div>Originally posted by <b>Jane</b> <a href=/node/31><img src=v.png></a></div>", "/node/31"),
        ("<div>Originally posted by <a href=/member/31>Jane</a></div>", None),
        ("<div>Jane wrote:</div><p>See this: <a href=/viewtopic.php?p=31#p31>there</a></p>", None),
        ("<div>Jane wrote:</div><blockquote>Tom wrote: <a href=/viewtopic.php?p=31#p31>↑</a> No.</blockquote>", None),
    ],
)  # fmt: skip
def test_the_post_whose_words_are_quoted_is_the_one_that_is_answered(head: str, answered: str | None) -> None:
    html = "".join(
        f"<li class=post><a class=username href=/u/{n}>user{n}</a> <span class=date>2012-03-0{n}</span><div class=postbody>"
        f"<blockquote>{head}<p>It rains.</p></blockquote>Only in week {n}.</div></li>"
        for n in range(1, 4)
    )
    expected = f"https://forum.example{answered}" if answered else None
    assert [post.reply_to for post in posts(html, "post")] == [expected] * 3


@pytest.mark.parametrize("mark", ["data-role=memberSignature", "component=post/signature"])
def test_what_scripts_call_a_signature_is_one(mark: str) -> None:
    html = "".join(
        f"<li class=post><a class=username href=/u/{n}>user{n}</a><div class=postbody>Only in week {n}.</div><div {mark}>Knots, {n}.</div></li>"
        for n in range(3)
    )
    assert [(post.body, post.signature) for post in posts(html, "post")] == [
        (f"Only in week {n}.", f"Knots, {n}.") for n in range(3)
    ]


def test_buttons_below_a_signature_are_no_part_of_it() -> None:
    html = "".join(
        f"<li class=post><a class=username href=/u/{n}>user{n}</a><div class=message-body>Only in week {n}.<br>-- <br>Knots, {n}."
        f"<div class=options><a href=/q/{n}>Quote</a></div></div></li>"
        for n in range(3)
    )
    assert [(post.body, post.signature) for post in posts(html, "post")] == [
        (f"Only in week {n}.", f"Knots, {n}.") for n in range(3)
    ]


def test_the_day_around_a_post_beats_one_that_a_sentence_in_it_tells() -> None:
    html = "".join(
        f"<table><tr><td>Re: Slugs</td><td>0{n}/03/12 10:20 AM</td></tr><tr class=entry><td><a class=username href=/u/{n}>user{n}</a></td>"
        f"<td><p>There is a good film about it from May {n}, 2010, look for it.</p></td></tr></table>"
        for n in range(1, 4)
    )
    found = posts(f"<main>{html}</main>", "entry")
    assert [post.date and post.date.evidence for post in found] == [f"0{n}/03/12 10:20 AM" for n in range(1, 4)]


@pytest.mark.parametrize(
    "text", ["<tr><th>Description</th><td>{}</td></tr>", "<tr><td><h2>Beschreibung:</h2><div><p>{}</p></div></td></tr>"]
)
def test_the_caption_of_a_report_is_no_text(text: str) -> None:
    html = "".join(
        f"<table class=entry><tr><td><a class=username href=/u/{n}>user{n}</a></td><td>2012-03-0{n} 10:20</td></tr>"
        f"{(text if n == 1 else '<tr><td>{}</td></tr>').format(f'Only in week {n} they ate all the lettuce.')}</table>"
        for n in (1, 2, 3)
    )
    assert [post.body for post in posts(html, "entry")] == [f"Only in week {n} they ate all the lettuce." for n in (1, 2, 3)]
