"""Posts, hits and teasers of single pages, as a user of the library or the command line asks for them."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import ListPage, Page, ResultPage, ThreadPage, extract_hits, extract_posts, extract_records, extract_teasers
from newsextract.cli import main
from newsextract.discovery import Rules
from newsextract.errors import ParameterError
from newsextract.record_pages import Thread, posts_of, read_result_page, read_thread_page
from tests.examples import examples

SITE = Path(__file__).parent / "sample_site"
READERS = (extract_posts, extract_hits, extract_teasers)
BOARD = "http://www.merrow-forum.example/viewforum.php?f=2"


def page(folder: str, address: str) -> bytes:
    """A page of the sample sites by its URL: ``topic?t=1&start=9`` is the file ``topic@start=9&t=1.html``."""
    rest = address.split("/", 3)[3]
    path, _, query = rest.partition("?")
    query = "&".join(sorted(query.split("&")))
    name = f"{path or 'index'}@{query}.html" if query else f"{path or 'index'}.html"
    return (SITE / folder / name).read_bytes()


def expected(name: str) -> list[dict]:
    return [json.loads(line) for line in (SITE / name).read_text("utf-8").splitlines()]


def test_the_posts_of_the_first_page_of_every_thread() -> None:
    for thread in expected("expected_posts.jsonl"):
        if thread["layout"] != "panels" or len(thread["posts"]) == 1:
            continue  # what a single post is made of, only other pages tell
        found = extract_posts(page("forum/panels", thread["address"]), thread["address"])
        true = [post for post in thread["posts"] if post["position"] in thread["pages"][0]["positions"]]
        assert isinstance(found, ThreadPage)
        assert found.status == "ok"
        assert [post.author for post in found] == [post["author"] for post in true]
        assert [post.body.split() for post in found] == [post["text"].replace("\n\n", "\n").split() for post in true]
        assert (found.next_page is not None) == (len(thread["pages"]) > 1)


@pytest.mark.parametrize("before", ["", "Re: ", "RE[2]: Re: ", "AW: ", "回复："])
def test_the_title_of_a_thread_is_that_of_its_first_message(before: str) -> None:
    head = "<ul><li>From: Nora Fell &lt;<a href='mailto:nora@quay.example'>nora@quay.example</a>&gt;<li>Date: 1 Feb 2012 08:00</ul>"
    body = "<pre>The tide came in at seven and took the ladder, two crates and the dinner of the crew.</pre>"
    title = f"{before}The ladder of the pier"
    read = extract_posts(f"<title>{title}</title><h1>{title}</h1>{head}{body}", "https://quay.example/msg7.html")
    assert read.title == "The ladder of the pier"
    assert (len(read.posts), read.status, read.reason) == (1, "ok", None)


def test_a_tracker_with_the_newest_message_first() -> None:
    said = [
        ("nora", "The tide came in at seven and took the ladder."),
        ("bo", "Which of the two ladders was it, then?"),
        ("nora", "The long one."),
    ]
    rows = "".join(
        f"<tr><th><a href=msg{n}>msg{n} (view)</a></th><th>Author: {name}</th><th>Date: 2012-02-{n:02}.08:00:00</th></tr>"
        f"<tr><td colspan=3 class=content><pre>{text}</pre></td></tr>"
        for n, (name, text) in reversed([*enumerate(said, 11)])
    )
    cells = "<table class=form><tr><th>Title</th><td>The ladder: who has it?</td></tr></table>"
    title, url = "Issue 7: The ladder: who has it? - Tracker", "https://quay.example/demo/issue7"
    html = f"<title>{title}</title>{cells}<table class=messages><tr><th colspan=3>Messages</th></tr>{rows}</table>"
    read = read_thread_page(Page(html.encode(), url), Rules(), "visual_blocks", {}, is_thread=False)
    assert read.title == "The ladder: who has it?"
    assert [(post.author, post.body) for post in read.posts] == said[::-1]
    lines = posts_of(read, Thread("t", url, read.title), "quay", url, 1, 1, "visual_blocks")
    assert [(line.position, line.text) for line in lines] == [(n, text) for n, (_, text) in enumerate(said, 1)]
    assert [line.permalink for line in lines] == [f"https://quay.example/demo/msg{n}" for n in (11, 12, 13)]
    later = posts_of(read, Thread("t", url, read.title), "quay", url, 2, 4, "visual_blocks")
    assert [(line.position, line.author) for line in later] == [(4, "nora"), (5, "bo"), (6, "nora")]


@pytest.mark.parametrize(
    ("address", "links"),
    [
        ("/s/a7/the_ladder", ["/c/k1f0a", "/c/k2f0b", "/c/k3f0c", "/c/k4f0d"]),
        ("/forum/piers/the-ladder", ["/forum/4", "/forum/piers"]),
    ],
    ids=["links like boards", "an address like a board's"],
)
def test_posts_tell_a_thread_where_addresses_only_look_like_boards(address: str, links: list[str]) -> None:
    shown = "".join(
        f"<div class=comment id=c{n}><p><a class=author href=/people/{n}>user{n}</a> <time datetime=2012-03-0{n}T10:20>March {n}</time>"
        f" <a href={links[n % len(links)]}>link</a></p><div class=text><p>The tide came in at seven and took ladder {n} with it.</p></div></div>"
        for n in range(1, 7)
    )
    nav = "".join(f"<li><a href={link}>Board {n}</a></li>" for n, link in enumerate(links))
    read = extract_posts(
        f"<title>The ladder</title><ul>{nav}</ul><h1>The ladder</h1><div>{shown}</div>", f"https://quay.example{address}"
    )
    assert [post.author for post in read] == [f"user{n}" for n in range(1, 7)]


@pytest.mark.parametrize(
    ("title", "heading", "expected"),
    [
        ("Sale: two anchors and a mast", "Sale: two anchors and a mast", "Sale: two anchors and a mast"),
        (
            "Sale: two anchors and a mast #13 - quay/boats",
            "Sale: two anchors and a mast #13",
            "Sale: two anchors and a mast #13",
        ),
        ("Boats: two anchors and a mast", "Two anchors", "two anchors and a mast"),
        ("Issue 7: Two anchors: who has a mast? - Quay", "Two anchors: who has a mast?", "Two anchors: who has a mast?"),
    ],
)
def test_a_title_has_its_first_word_if_a_line_of_the_page_has_it(title: str, heading: str, expected: str) -> None:
    head = "<ul><li>From: Nora Fell &lt;<a href='mailto:nora@quay.example'>nora@quay.example</a>&gt;<li>Date: 1 Feb 2012 08:00</ul>"
    body = "<pre>The tide came in at seven and took the ladder, two crates and the dinner of the crew.</pre>"
    read = extract_posts(
        f"<title>{title}</title><p>Boats</p><h1>{heading}</h1>{head}{body}", "https://quay.example/msg7.html"
    )
    assert read.title == expected


def test_a_later_page_of_a_thread_gives_its_posts_too() -> None:
    thread = next(row for row in expected("expected_posts.jsonl") if row["layout"] == "panels" and len(row["pages"]) == 3)
    found = extract_posts(page("forum/panels", thread["pages"][1]["address"]), thread["pages"][1]["address"])
    assert len(found.posts) == len(thread["pages"][1]["positions"])


def test_without_an_address_the_posts_tell_a_thread_from_a_board() -> None:
    thread = next(row for row in expected("expected_posts.jsonl") if row["layout"] == "panels" and len(row["pages"]) == 3)
    saved = page("forum/panels", thread["pages"][0]["address"])
    assert len(extract_posts(saved).posts) == len(thread["pages"][0]["positions"])
    assert extract_posts(page("forum/panels", BOARD)).status == "empty"


WORDS = "The tide came in at seven and took the smaller of both boats with it, so that we had to walk home."


def posts_of_days(*days: str, number: int = 1) -> Page:
    posts = "".join(
        f"<li class=post id=p{day[:2]}><p class=head><a href='/member.php?u=3'>mara</a> <span class=date>{day}, 10:12</span></p>"
        f"<div class=text>{WORDS} {WORDS[:n]}</div></li>"
        for n, day in enumerate(days, 20)
    )
    url = f"http://quay.example/showthread.php?t=7&page={number}"
    return Page.from_text(f"<html lang=en><title>Tides</title><h1>Tides</h1><ol>{posts}</ol></html>", url)


def days_of(page: Page, number: int, shape: str | None) -> tuple[list[str | None], str | None]:
    read = read_thread_page(page, Rules(), "visual_blocks", {}, number > 1, shape, "Tides", number)
    return [post.date and post.date.value[:10] for post in read.posts], read.shape


def test_the_first_page_of_a_thread_shows_the_order_of_day_and_month_for_the_later_ones() -> None:
    days, shape = days_of(posts_of_days("05-03-2024", "06-03-2024", "13-03-2024"), 1, None)
    assert days == ["2024-03-05", "2024-03-06", "2024-03-13"]
    later = days_of(posts_of_days("11-04-2024", number=2), 2, shape)
    assert later == (["2024-04-11"], shape)
    again, shape = days_of(posts_of_days("04-13-2024", "04-11-2024", number=2), 2, shape)
    assert again == ["2024-04-13", "2024-04-11"], "what the page itself shows counts more"
    assert days_of(posts_of_days("05-03-2024", number=3), 3, shape)[0] == ["2024-05-03"]


def test_a_board_shows_the_order_of_day_and_month_for_its_threads() -> None:
    def board(*texts: str) -> str | None:
        rows = [f"<tr><td><a href='/showthread.php?t={n}'>Tide {n}</a><td>{text}" for n, text in enumerate(texts, 1)]
        html = f"<html lang=en><title>Boats</title><table>{''.join(rows)}</table></html>"
        return read_thread_page(
            Page.from_text(html, "http://quay.example/forumdisplay.php?f=2"), Rules(), "visual_blocks", {}, False
        ).shape

    shown = board("<span>13-03-2024</span> by mara", "<span>05-03-2024</span> by mara", "<span>06-03-2024</span> by mara")
    posts = posts_of_days("05-03-2024", "06-03-2024", "07-03-2024")
    days, shape = days_of(posts, 1, shown)
    assert days == ["2024-03-05", "2024-03-06", "2024-03-07"]
    assert shape is not None
    assert len(shape) > len(shown or ""), "posts of the later pages are found by those of the first one"
    assert days_of(posts, 1, None)[0] == ["2024-05-03", "2024-06-03", "2024-07-03"]
    assert board("<span>05-03-2024</span> by mara", "<i>Sold on 25-12-2023</i>", "<span>06-03-2024</span>") is None


def test_a_board_has_no_posts_but_leads_to_threads() -> None:
    found = extract_posts(page("forum/panels", BOARD), BOARD)
    assert (found.status, list(found), found.confidence) == ("empty", [], 0.0)
    assert found.reason == "the page is a board, which lists threads"
    assert any("viewtopic.php" in url for url in found.forum.threads)


def test_the_hits_of_a_result_page() -> None:
    results = next(
        row for row in expected("expected_hits.jsonl") if row["query"] == "harbour" and row["layout"] == "classic"
    )
    body = (SITE / "search/classic/search@q=harbour.html").read_bytes()
    found = extract_hits(body, results["address"], query="harbour")
    assert isinstance(found, ResultPage)
    assert [(hit.title, hit.address) for hit in found] == [(hit["title"], hit["address"]) for hit in results["hits"]]
    assert found.next_page == results["next"]
    assert found.status == "ok"
    assert found.confidence > 0.5


def test_the_only_hit_of_an_engine_whose_hits_are_known_has_the_words_of_the_query() -> None:
    def results(*titles: str) -> Page:
        rows = "".join(
            f"<tr><td><input type=checkbox></td><td><a href='/book/{title[:4]}'>{title}</a><br>By a keeper of {title}, the old press"
            " of the harbour, 212 pages<br><span>on the shelf</span></td></tr>"
            for title in titles
        )
        menu = "<ul><li><a href='/'>Catalogue</a><li><a href='/help'>Help</a><li><a href='/hours'>Hours</a></ul>"
        html = f"<title>Catalogue</title>{menu}<form><input name=q></form><table><tr><td><table>{rows}</table></table><p>The reading room is on the quay.</p>"
        return Page(html.encode(), "http://books.example/find?q=x")

    names = "Sails Ropes Masts Keels Oars Nets Buoys Piers Winds Knots".split()
    many = read_result_page(
        results(*[f"{name} and the tides of the bay" for name in names]), "visual_blocks", {}, "tides", 1
    )
    assert many.shape is not None
    hit = "<td>1.</td><td><a href='/book/9'>Lanterns on the mole</a><br>Okafor, Ines<br>The old press, 1988</td>"
    one = Page(f"<title>Catalogue</title><table><tr>{hit}</tr></table>".encode(), "http://books.example/find?q=x")
    found = [list(read_result_page(one, "visual_blocks", {}, query, 1, many.shape)) for query in ("lanterns", "herring")]
    assert [[hit.title for hit in hits] for hits in found] == [["Lanterns on the mole"], []]


def test_the_teasers_of_a_list() -> None:
    rows = [row for row in expected("expected_lists.jsonl") if row["address"].rstrip("/").endswith("/latest")]
    body = (SITE / "lists/wire/latest/index.html").read_bytes()
    found = extract_teasers(body, rows[0]["address"])
    assert isinstance(found, ListPage)
    assert [teaser.title for teaser in found] == [item["title"] for item in rows[0]["items"]]
    assert found.next_page == rows[0]["next"]


def test_all_have_the_parameters_of_extract_records() -> None:
    wanted = [name for name in inspect.signature(extract_records).parameters if name != "evidence"]
    for read in READERS:
        assert list(inspect.signature(read).parameters)[:4] == wanted
        with pytest.raises(ParameterError, match="no_such"):
            read(b"<p>One</p>", None, None, {"no_such": 1})


@pytest.mark.parametrize("read", READERS)
def test_what_is_no_page_is_told(read) -> None:
    found = read(b"%PDF-1.7 and more")
    assert (found.status, list(found)) == ("not_html", [])
    assert "not a web page" in found.reason
    assert read(b"").status == "empty"


@settings(max_examples=examples(30))
@given(st.binary(max_size=300))
def test_no_bytes_raise(body: bytes) -> None:
    for read in READERS:
        found = read(body, "http://www.merrow-forum.example/viewtopic.php?t=1")
        assert found.status != "ok" or list(found)


def test_the_command_gives_posts_with_named_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "thread.html"
    file.write_bytes(page("forum/panels", "http://www.merrow-forum.example/viewtopic.php?t=14"))
    address = ["--url", "http://www.merrow-forum.example/viewtopic.php?t=14"]
    assert main(["records", str(file), *address, "--no-render", "--as", "posts", "--format", "jsonl"]) == 0
    posts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [post["position"] for post in posts] == list(range(1, len(posts) + 1))
    assert {"author", "date", "body", "permalink", "quotes", "signature", "reply_to"} <= posts[0].keys()
    assert main(["records", str(file), *address, "--no-render", "--as", "posts"]) == 0
    assert f"author     {posts[0]['author']}" in capsys.readouterr().out


def test_the_only_row_of_a_table_with_a_header_is_the_entry_of_a_list() -> None:
    menu = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("log", "files", "tags", "help"))
    head = "<tr><th>Age<th>Author<th>Change</tr>"
    row = "<tr><td>3 May 2021<td>Mara Quill<td><a href=/change/{n}>Mend gate {n} of the mill</a></tr>"
    html = "<html><title>Changes</title><body><ul>{menu}</ul><h2>Changes</h2><table><tr><td><table>{rows}</table></table></body>"
    one = extract_teasers(html.format(menu=menu, rows=head + row.format(n=7)), "https://code.example/log?q=gate")
    assert [(found.title, found.author) for found in one] == [("Mend gate 7 of the mill", "Mara Quill")]
    assert [found.address for found in one] == ["https://code.example/change/7"]
    none = extract_teasers(html.format(menu=menu, rows=head), "https://code.example/log?q=gate")
    assert "Mend" not in " ".join(found.title for found in none)


def test_teasers_have_the_headings_above_them() -> None:
    titles = (
        "A leaking barge at the pier",
        "Copper kettles on the market",
        "The tide gauge and its keeper",
        "Grain for the mill",
    )
    words = (
        "First the port approved the fees, then for the third time the fish auction moved by hand in heavy rain",
        "Nobody at the slipway had ever seen it before, yet the harbour master quietly counted all of them twice",
    )
    entry = (
        "<li class=row><div class=col><a class=avatar href=/user/{n}>M</a><h3 class=title><a href=/topic/{n}>{title}</a></h3></div>"
        "<div class='col stats'><div class=stats><span>1{n}</span> <small>posts</small></div><div class=stats><span>7{n}</span>"
        " <small>views</small></div></div><div class='col teaser'><a class=avatar href=/user/9{n}><span>L</span></a>"
        "<div class=content>{words}. {n} of them {words}.</div></div></li>"
    )
    rows = "".join(entry.format(n=n, title=title, words=words[n % 2]) for n, title in enumerate(titles, 1))
    found = extract_teasers(f"<html><title>General</title><body><ul>{rows}</ul></body>", "https://forum.example/general")
    assert [(one.title, one.address) for one in found] == [
        (title, f"https://forum.example/topic/{n}") for n, title in enumerate(titles, 1)
    ]


def test_lists_within_entries_are_no_entries() -> None:
    entry = (
        "<li><h3><a href=/{n}>A long story of a barge, part {n}</a></h3><p>It leaked at the pier for {n} days and was mended.</p>"
        "<ul><li><a href=/t/a{n}>harbour</a></li><li><a href=/t/b{n}>boats</a></li></ul></li>"
    )
    rows = "".join(entry.format(n=n) for n in range(1, 8))
    found = extract_teasers(f"<html><title>Stories</title><body><ul>{rows}</ul></body>", "https://paper.example/")
    assert [one.address for one in found] == [f"https://paper.example/{n}" for n in range(1, 8)]
