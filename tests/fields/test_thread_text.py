"""The text of a thread's page is that of its posts, whether the page is called a thread or not."""

import pytest

from newsextract import Page, extract
from newsextract.discovery.kinds import KINDS, KindName, PageKind
from newsextract.extraction import find_records, of_records
from newsextract.fields.posts import thread_posts
from newsextract.fields.thread_text import are_comments, are_thread, menu_blocks, text_blocks, with_heads
from newsextract.page.page import Hints
from newsextract.results import Body

POSTS = [
    ("Sue Pardoe", "4 May 2023, 10:15", "Has anybody here replaced the pump without taking the whole boiler apart first? Mine leaks."),
    ("oldspark", "4 May 2023, 11:02", "Mine made the same noise until I tightened the screws behind the valve. It has run for months."),
    ("brassmonkey", "5 May 2023, 08:40", "You should check the cable before you order a new pump, they often fail together in winter."),
    ("Sue Pardoe", "5 May 2023, 19:21", "Thanks, that did it, the pump starts again and the noise is gone as well. I am very glad."),
    ("jpr", "7 May 2023, 07:33", "The manual says on page twelve that the valve must not touch the cable, so look at that, too."),
]  # fmt: skip


def page(top: str = "", posts: str = "", title: str = "The pump fails after a new cable") -> bytes:
    rows = posts or "".join(
        f'<div class="row"><div class="l">{name}<br>{day}</div><div class="r">{text}</div></div>'
        for name, day, text in POSTS
    )
    return (
        f"<html><head><title>{title}</title></head><body><div class='top'><a href='/'>Rowing Club</a> <a href='/x'>Talk</a>"
        f"</div><div class='wide'><h2>{title}</h2>{top}{rows}</div><div class='end'>Copyright Rowing Club</div></body></html>"
    ).encode()


def test_posts_of_a_page_that_nothing_calls_a_thread_are_its_text() -> None:
    read = extract(page(), "https://club.example/talk.cfm?x=12")
    assert (read.kind, read.is_article, read.status) == ("forum", False, "not_article")
    assert read.text.split("\n") == [line for post in POSTS for line in post]


def test_the_text_of_a_thread_has_its_authors_and_their_days_and_nothing_else_of_their_panels() -> None:
    rows = "".join(
        f'<div class="row"><div class="l"><a class="author" href="/u/{place}">{name}</a><p>Joined: 3 May 2011</p><p>{day}</p></div>'
        f'<div class="r">{text}</div></div>'
        for place, (name, day, text) in enumerate(POSTS)
    )
    read = extract(page("<p>Latest: Sue Pardoe, jpr</p>", rows), "https://club.example/talk.cfm?x=12")
    assert read.text.split("\n") == [line for post in POSTS for line in post]


def test_heads_beside_the_posts() -> None:
    dom = Page(b"<p>jpr<p>Ada<p>3 May 2026<p>Hello all<p>Ada<p>Hello again<p>Ada<p>Ada").dom
    assert with_heads(dom, [3, 5], [("Ada", "2026-05-03T10:00"), ("Ada", "2026")]) == [1, 2, 3, 4, 5]
    assert with_heads(dom, [3, 5], []) == [3, 5]


def test_everybody_may_be_called_anonymous() -> None:
    rows = "".join(
        f'<div class="row"><div class="l"><b class="author">{"Anonymous" if place else "Guest"}</b><br>{day}</div><div class="r">{text}</div></div>'
        for place, (_, day, text) in enumerate(POSTS)
    )
    assert extract(page(posts=rows), "https://club.example/talk.cfm?x=12").kind == "forum"


def test_an_article_above_its_comments_stays_one() -> None:
    lines = [
        f"The council met {n} times this year and spoke about the harbour, the bridge and the new school in town."
        for n in range(30)
    ]
    top = "<p>By Jane Doe, 2 May 2023</p>" + "".join(
        f"<p>{a} {b} {c}</p>" for a, b, c in zip(lines[::3], lines[1::3], lines[2::3], strict=True)
    )
    read = extract(page(f"{top}<h3>5 comments</h3>"), "https://paper.example/2023/05/02/harbour.html")
    assert read.kind == "article"
    assert lines[0] in read.text


def test_an_article_that_a_feed_names_is_no_thread() -> None:
    read = extract(Page(page(), "https://club.example/talk.cfm?x=12", hints=Hints(source="feed")))
    assert read.kind != "forum"


def test_quotations_and_repeated_posts_are_left_out() -> None:
    rows = "".join(
        f'<div class="row"><div class="l">{name}<br>{day}</div><div class="r"><blockquote>{POSTS[0][2]}</blockquote>{text}'
        f'</div><div class="plain">{text}</div></div>'
        for name, day, text in POSTS[1:]
    )
    first = f'<div class="row"><div class="l">{POSTS[0][0]}<br>{POSTS[0][1]}</div><div class="r">{POSTS[0][2]}</div></div>'
    read = extract(page(posts=first + rows), "https://club.example/forum/viewtopic.php?t=12")
    assert read.kind == "forum"
    assert read.text.count(POSTS[0][2]) == 1
    assert all(text in read.text for _, _, text in POSTS)


def test_evidence_tells_which_blocks_are_of_posts() -> None:
    read = extract(page(), "https://club.example/talk.cfm?x=12", evidence=True)
    assert read.evidence is not None
    assert read.evidence["rule"] == "the posts of the thread"
    assert [block["text"] for block in read.evidence["blocks"] if block["main"]] == [
        part[:80] for name, day, text in POSTS for part in (f"{name}\n{day}", text)
    ]


def test_comments_on_a_picture_are_no_thread_but_those_of_a_tracker_are() -> None:
    rows = "".join(
        f"<li class='comment' id='comment-{n}'><b>{name}</b> <span>{day}</span><p>{text}</p></li>"
        for n, (name, day, text) in enumerate(POSTS)
    )
    shown = page("<img src='pump.jpg'>", f"<ol class='commentlist'>{rows}</ol>")
    assert extract(shown, "https://pictures.example/at-the-pump/").kind != "forum"
    assert extract(shown, "https://tracker.example/issues/12").kind == "forum"


def test_comments_below_a_link_are_the_text_of_a_page_without_any_other() -> None:
    rows = "".join(f"<li class='comment'><b>{name}</b> <span>{day}</span><p>{text}</p></li>" for name, day, text in POSTS)
    shown = Page(page("<a href='https://pumps.example/12'>Pump 12</a>", f"<ol>{rows}</ol>"), "https://links.example/s/12")
    judged = PageKind("article", 0.99, is_article=True, leads_on=False, probabilities=(0.99,) + (0.0,) * (len(KINDS) - 1))
    empty = of_records(shown, Body("", kind=judged))
    assert getattr(empty.kind, "kind", None) == "forum"
    assert all(text in empty.text for _, _, text in POSTS)
    own = Body(shown.dom.texts[2], kind=judged, blocks=(2,))
    assert of_records(shown, own) is own


def test_a_short_article_of_several_blocks_above_two_comments_is_no_thread() -> None:
    texts = [
        "The botanists counted the pollen on the plateau although nobody had asked for it, and the figures came out right.",
        "The cold room kept the core for another month, so that the visiting students could weigh each slice of it by hand.",
        "Once more it took 275 people and half a day before somebody found the sediment trap below the tidal flat again.",
    ]
    comments = "".join(
        f"<li class=comment id=comment-{n}><p><a href=#c>{name}</a> on {day}</p><p>{text}</p></li>"
        for n, (name, day, text) in enumerate(POSTS[:2])
    )
    html = (
        "<html lang=en><head><title>A lichen and an echo</title></head><body><div id=content>"
        "<article itemscope itemtype='http://schema.org/Article'><header><h1 itemprop=headline>A lichen and an echo</h1><p>Written by "
        "<a rel=author href=/authors/dora>Dora Pike</a> on <time datetime=2023-05-02>2 May 2023</time></p></header>"
        f"<div itemprop=articleBody>{''.join(f'<p>{text}</p>' for text in texts)}</div></article>"
        f"<section id=comments><h3>Comments</h3><ol>{comments}</ol></section></div></body></html>"
    )
    read = Page(html.encode(), "https://lab.example/2023/05/02/a-lichen-and-an-echo/")
    blocks = text_blocks(read.dom, [*texts, *(text for _, _, text in POSTS[:2])])
    assert [are_comments(read, blocks, article) for article in (0.93, 0.5)] == [True, False]


def listing(entry: str) -> bytes:
    rows = "".join(
        f'<div class="{entry}"><h2><a href="/boats/{n}">Boat number {n} of the ferry and the harbour</a></h2>'
        f"<p>{POSTS[n % 5][2]}</p><span>{n},500 Euro</span></div>"
        for n in range(20)
    )
    return f"<title>Boats</title><h1>Boats</h1><p>All boats that we sell today.</p><div>{rows}</div>".encode()


def body(kind: KindName, *blocks: int) -> Body:
    judged = PageKind(kind, 0.9, is_article=False, leads_on=True, probabilities=(0.1,) * len(KINDS))
    return Body("", kind=judged, blocks=blocks)


def test_entries_of_a_list_are_text_where_hardly_anything_else_is() -> None:
    page = Page(listing("card"), "https://boats.example/all/")
    whole = of_records(page, body("listing"))
    assert all(f"Boat number {n} of the ferry" in whole.text for n in range(20))
    assert (whole.doubtful, whole.reason) == (True, "no text but that of entries")
    known = tuple(range(len(page.dom.texts)))
    assert of_records(page, body("listing", *known)).blocks == known
    assert of_records(page, body("service")).text == ""


@pytest.mark.parametrize("menu", ["<nav>{}</nav>", "<ul class='navbar-nav' id=globalnav>{}</ul>"])
def test_entries_of_a_menu_are_none_of_a_list(menu: str) -> None:
    texts = [f"Boat number {n} of the ferry and the harbour" for n in range(4)]
    links = "".join(f"<li><a href=/boats/{n}>{text}</a></li>" for n, text in enumerate(texts))
    dom = Page(f"<title>Boats</title>{menu.format(links)}<h1>Boats</h1><ul>{links}</ul>".encode()).dom
    assert text_blocks(dom, texts, menu_blocks(dom)) == [5, 6, 7, 8]


def test_a_list_is_not_searched_for_entries_that_cannot_matter() -> None:
    page = Page(listing("card"), "https://boats.example/all/")
    known = tuple(range(len(page.dom.texts)))
    assert of_records(page, body("listing", *known)).blocks == known
    assert "nodes" not in vars(page)


def test_the_purposes_of_a_cookie_banner_are_no_entries() -> None:
    about = "of them may store and read what your device tells them about you."
    items = "".join(
        f"<li><h4><a href='/{n}'>Purpose {n} of our partners</a></h4><p>Number {n} {about}</li>" for n in range(9)
    )
    links = "".join(f"<a href='/s/{n}'>The sauce number {n} of our kitchen</a> " for n in range(30))
    page = (
        f"<title>Sauces</title><h1>Sauces</h1><p>All of our sauces, sorted by the time that they take.<div>{links}</div>"
        f"<div id='onetrust-consent-sdk'><h2>Your privacy</h2><p>We use cookies.</p><ul>{items}</ul></div>"
    )
    read = extract(page.encode(), "https://a.example/recipes/")
    assert (read.kind, "Purpose" in read.text) == ("listing", False)


def test_comments_are_no_entries() -> None:
    page = Page(listing("comment"), "https://boats.example/all/")
    assert of_records(page, body("listing")).text == ""


def test_posts_whose_text_is_in_no_block_are_no_thread() -> None:
    read = Page(page(), "https://club.example/talk.cfm?x=12")
    posts = thread_posts(read, find_records(read, alone=False)).posts
    blocks = text_blocks(read.dom, [post.body for post in posts])
    assert are_thread(read, posts, blocks, article=0.0)
    assert not are_thread(read, posts, [], article=0.0)


def test_a_thread_of_megabytes_is_not_compared_letter_by_letter() -> None:
    long = [" ".join(f"{name}{n}" for n in range(6_000)) for name in ("quay", "mole", "pier", "dock", "lock")]
    rows = "".join(
        f'<div class="row"><div class="l">{name}<br>{day}</div><div class="r">{text}</div></div>'
        for (name, day, _), text in zip(POSTS, long, strict=True)
    )
    read = Page(page(posts=rows), "https://club.example/forum/viewtopic.php?t=12")
    assert sum(map(len, read.dom.texts)) < 300_000
    assert len(text_blocks(read.dom, long)) == len(POSTS)
    assert text_blocks(read.dom, long * 10) == []
