"""Addresses of forum software, boards and threads, and where a thread goes on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.discovery import Rules, normalize
from newsextract.discovery.threads import (
    first_of_pages,
    first_page,
    forum_address,
    next_in_forum,
    read_forum_page,
    thread_address,
    thread_id,
    told_kind,
)
from newsextract.page.page import Page

BASE = "http://forum.example"

# first page, another page of the same thread, its count, what it counts
SOFTWARE = {
    "vbulletin": ("/showthread.php?t=12", "/showthread.php?page=3&t=12", 3, "pages"),
    "vbulletin 4": ("/showthread.php?12-A-title", "/showthread.php?12-A-title/page2", 2, "pages"),
    "phpbb": ("/viewtopic.php?f=2&t=34", "/viewtopic.php?f=2&start=15&t=34", 15, "entries"),
    "discuz": ("/forum.php?mod=viewthread&tid=99", "/forum.php?mod=viewthread&page=2&tid=99", 2, "pages"),
    "discuz, rewritten": ("/thread-12-1-1.html", "/thread-12-3-1.html", 3, "pages"),
    "mybb": ("/thread-12.html", "/thread-12-page-4.html", 4, "pages"),
    "smf": ("/index.php?topic=12.0", "/index.php?topic=12.30", 30, "entries"),
    "smf, rewritten": ("/index.php/topic,12.0.html", "/index.php/topic,12.15.html", 15, "entries"),
    "yabb": ("/cgi-bin/yabb2/YaBB.pl?num=1234", "/cgi-bin/yabb2/YaBB.pl?num=1234/15", 15, "entries"),
    "fudforum": ("/index.php?t=msg&th=77", "/index.php?start=40&t=msg&th=77", 40, "entries"),
    "fluxbb": ("/viewtopic.php?id=34", "/viewtopic.php?id=34&p=2", 2, "pages"),
    "xenforo": ("/threads/some-title.123/", "/threads/some-title.123/page-2", 2, "pages"),
    "vbulletin 5": ("/forum/threads/123-title", "/forum/threads/123-title/page7", 7, "pages"),
    "invision": ("/topic/123-title/", "/topic/123-title/?page=2", 2, "pages"),
    "invision, in the path": ("/topic/123-title/", "/topic/123-title/page/2/", 2, "pages"),
    "discourse": ("/t/some-title/123", "/t/some-title/123?page=2", 2, "pages"),
    "vanilla": ("/discussion/12/title", "/discussion/12/title/p2", 2, "pages"),
    "tieba": ("/p/1234567890", "/p/1234567890?pn=2", 2, "pages"),
    "tianya": ("/post-free-12-1.shtml", "/post-free-12-2.shtml", 2, "pages"),
    "vbulletin 5, below a board": ("/forum/main/12-title", "/forum/main/12-title/page3", 3, "pages"),
    "vbulletin archive": ("/archive/index.php/t-12.html", "/archive/index.php/t-12-p-3.html", 3, "pages"),
    "vbseo": ("/f5/some-title-12/", "/f5/some-title-12/index3.html", 3, "pages"),
    "kunena": ("/forum/5-board/12-title", "/forum/5-board/12-title?start=20", 20, "entries"),
    "phpbb seo": ("/boats/some-title-t17.html", "/boats/some-title-t17-15.html", 15, "entries"),
    "phpbb seo, without title": ("/boats/topic17.html", "/boats/topic17-15.html", 15, "entries"),
    "tapatalk": ("/groups/x/some-title-t17.html", "/groups/x/some-title-t17-s10.html", 10, "entries"),
    "forumactif": ("/t17-some-title", "/t17p15-some-title", 15, "entries"),
    "ipb 2": ("/index.php?showtopic=17", "/index.php?showtopic=17&st=20", 20, "entries"),
    "woltlab, as query": ("/index.php?thread/17-title/", "/index.php?pageNo=3&thread/17-title/", 3, "pages"),
    "woltlab 3": ("/index.php?page=Thread&threadID=17", "/index.php?page=Thread&pageNo=3&threadID=17", 3, "pages"),
    "xenforo, as query": ("/index.php?threads/title.17/", "/index.php?threads/title.17/page-3", 3, "pages"),
    "phorum": ("/read.php?5,17", "/read.php?5,17,page=3", 3, "pages"),
    "jforum": ("/posts/list/17.page", "/posts/list/30/17.page", 30, "entries"),
    "ubb 7": ("/ubbthreads.php/topics/17/title.html", "/ubbthreads.php/topics/17/3/title.html", 3, "pages"),
    "gossamer": ("/forum/Board_C5/Some_title_P17/", "/forum/Board_C5/Some_title_P17-3/", 3, "pages"),
    "zendesk": ("/hc/en-us/community/posts/12-Title", "/hc/en-us/community/posts/12-Title?page=2", 2, "pages"),
    "khoros": ("/t5/Board/Some-title/td-p/17", "/t5/Board/Some-title/td-p/17/page/3", 3, "pages"),
    "punbb": ("/topic/17/title/", "/topic/17/title/page/3/", 3, "pages"),
    "proboards": ("/thread/17/title", "/thread/17/title?page=3", 3, "pages"),
    "drupal": ("/node/17", "/node/17?page=2", 2, "pages"),
    "mumsnet": ("/talk/boats/17-some-title", "/talk/boats/17-some-title?page=2", 2, "pages"),
    "plain": ("/forum/thread-how-to-moor-a-boat", "/forum/thread-how-to-moor-a-boat?page=5", 5, "pages"),
}


@pytest.mark.parametrize("name", SOFTWARE)
def test_all_pages_of_a_thread_have_one_key_and_one_first_page(name: str) -> None:
    first, other, count, counts = SOFTWARE[name]
    one, two = thread_address(BASE + first), thread_address(BASE + other)
    assert one is not None
    assert two is not None
    assert one.key == two.key
    assert (one.first, two.first) == (BASE + first, BASE + first)
    assert (two.count, two.counts) == (count, counts)
    assert thread_id(BASE + first) == thread_id(BASE + other)
    assert first_page(BASE + other) == BASE + first


@pytest.mark.parametrize(
    "path",
    [
        "/threads/some-title.123/post-9",
        "/threads/some-title.123/latest",
        "/t/some-title/123/5",
        "/d/123-title/7",
        "/test/read.cgi/title/123/l50",
        "/board/view?id=title&no=123&page=7",
        "/bbs/board.php?bo_table=title&page=7&wr_id=123",
        "/index.php?document_srl=123&mid=title&page=7",
    ],
)
def test_links_into_a_thread_lead_to_its_first_page(path: str) -> None:
    """Of XenForo with its slash: without it, its servers redirect, and others answer 404."""
    assert first_page(BASE + path).endswith(
        ("title.123/", "title/123", "123-title", "title/123/", "title&no=123", "=title&wr_id=123", "srl=123&mid=title")
    )


@pytest.mark.parametrize(
    ("path", "again"),
    [
        ("/test/read.cgi/news/1234567891/", "/test/read.cgi/news/1234567891/1"),  # post 1: a part of the number, too
        ("/bbs/board.php?bo_table=free&wr_id=123", "/bbs/board.php?bo_table=free&page=2&wr_id=123"),
    ],
)
def test_a_tail_is_left_out_of_the_id_only_where_it_is_within(path: str, again: str) -> None:
    one, other = forum_address(BASE + path), forum_address(BASE + again)
    assert one is not None
    assert other is not None
    assert one.key == other.key


@pytest.mark.parametrize(
    "path",
    ["/viewforum.php?f=2", "/forumdisplay.php?f=3", "/forum-2-1.html", "/forum.php?fid=3&mod=forumdisplay", "/forums/boats.2/",
     "/c/boats", "/index.php?board=2.0", "/cgi-bin/YaBB.pl?board=boats", "/index.php?frm_id=3&t=thread",
     "/tag/boats", "/boards/boats", "/category/5/boats", "/archive/index.php/f-5-p-2.html", "/boats-f5-30.html",
     "/f5p20-boats", "/?showforum=5", "/index.php?boardID=5&page=Board", "/list.php?5", "/forums/show/30/5.page",
     "/ubbthreads.php/forums/5/2/boats.html", "/t5/Boats/bd-p/boats", "/hc/en-us/community/topics/12-Boats",
     "/archives/list/dev@lists.example/", "/archives/list/dev@lists.example/2025/3/", "/index.php?forums/boats.5/", "/forum/5-boats",
     "/forums/forum/5-boats/", "/forum/boats/sails",
     "/board/lists?id=boats", "/bbs/board.php?bo_table=boats&page=2"],
)  # fmt: skip
def test_boards(path: str) -> None:
    found = forum_address(BASE + path)
    assert found is not None
    assert found.kind == "board"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/c/boats/+/12",
        "/member.php?u=5",
        "/faq",
        "/showthread.php?p=5",
        "/search.php?t=5",
        "/u/12",
        "/threads/",
        "/test/read.cgi/title",
    ],
)
def test_addresses_that_tell_nothing(path: str) -> None:
    assert forum_address(BASE + path) is None


def test_threads_of_different_hosts_and_numbers_differ() -> None:
    addresses = [f"http://{host}.example/t/x/{k}" for host in "ab" for k in (1, 2)]
    addresses += [f"http://c.example/board.php?bo_table={board}&page={k}&wr_id=3" for board in "ab" for k in (1, 2)]
    assert len({thread_id(address) for address in addresses}) == 6
    assert thread_id("http://www.a.example/t/x/1") == thread_id("https://a.example/t/y/1")


@given(st.text(max_size=80))
def test_any_address_gets_an_answer(path: str) -> None:
    url = normalize(f"{BASE}/{path}")
    if url:
        found = thread_address(url)
        assert found is None or thread_address(found.first) is None or thread_address(found.first).key == found.key  # type: ignore[union-attr]
        assert len(thread_id(url)) == 16


def page(path: str, *links: tuple[str, str], text: str = "") -> Page:
    anchors = " ".join(f'<a href="{href}">{label}</a>' for href, label in links)
    return Page.from_text(f"<html><title>A forum</title><body><p>{text}</p>{anchors}</body></html>", BASE + path)


@pytest.mark.parametrize("name", SOFTWARE)
def test_the_next_page_of_a_thread(name: str) -> None:
    first, other, count, counts = SOFTWARE[name]
    second = other.replace(str(count), "2", 1) if counts == "pages" else other
    if f"page={count}" in other:
        second = other.replace(f"page={count}", "page=2")
    elif counts == "pages":
        second = "2".join(other.rsplit(str(count), 1))
    last = second.replace("2", "9") if counts == "pages" else second
    links = [("/t/another-thread/77", "Next"), (last, "Last"), (second, "2")]
    assert next_in_forum(page(first, *links)) == BASE + second


def test_p_counts_pages_of_fluxbb_and_names_posts_of_phpbb() -> None:
    board = forum_address(f"{BASE}/viewforum.php?id=5&p=2")
    assert board is not None
    assert (board.count, board.first) == (2, f"{BASE}/viewforum.php?id=5")
    assert (
        next_in_forum(page("/viewtopic.php?id=3&p=2", ("/viewtopic.php?id=3&p=3", "3"))) == f"{BASE}/viewtopic.php?id=3&p=3"
    )
    assert next_in_forum(page("/viewtopic.php?t=3", ("/viewtopic.php?t=3&p=2", "2"))) is None


@pytest.mark.parametrize(
    ("links", "first"),
    [
        (["/threads/oars.1/latest", "/threads/oars.1/"], "/threads/oars.1/"),
        (["/threads/oars.1/latest", "/threads/oars.1/page-2"], "/threads/oars.1/"),
        (["/threads/oars-and-ropes/page-2", "/threads/oars-and-ropes/"], "/threads/oars-and-ropes/"),
        (["/threads/oars.1/latest", "/threads/oars.1"], "/threads/oars.1"),
    ],
)
def test_a_thread_is_asked_for_as_the_board_links_to_its_first_page(links: list[str], first: str) -> None:
    board = page("/forums/boats.5/", *((path, "Oars") for path in links))
    assert read_forum_page(board, Rules()).threads == (BASE + first,)


def test_a_board_goes_on_behind_its_last_thread() -> None:
    here = page("/c/cars?pageCursor=P1", ("/c/cars", "Cars"), ("/c/cars?pageCursor=P2", "Next"))
    assert next_in_forum(here) == f"{BASE}/c/cars?pageCursor=P2"
    assert next_in_forum(page("/c/cars", ("/c/cars?pageCursor=P1", "Next"))) == f"{BASE}/c/cars?pageCursor=P1"


def test_no_next_page() -> None:
    assert next_in_forum(page("/t/x/1", ("/t/y/2?page=2", "2"), ("/t/x/1?page=9", "9"))) is None
    assert next_in_forum(page("/t/x/1?page=2", ("/t/x/1", "1"), ("/t/x/1?page=2", "2"))) is None


def test_a_forum_that_is_not_known_is_read_as_a_list() -> None:
    """Nothing in its addresses tells; "next" and numbers do."""
    assert next_in_forum(page("/x/abc", ("/x/abc?page=2", "next"))) == f"{BASE}/x/abc?page=2"


ROWS = {
    "pages of an unknown path": ["/forum/main/12-title", "/forum/main/12-title/page2", "/forum/main/12-title/page3"],
    "pages of a word": ["/forum/Boats_C5/Oars_P12/", "/forum/Boats_C5/Oars_P12-2/", "/forum/Boats_C5/Oars_P12-3/"],
    "pages after the title": ["/topic/12/title/", "/topic/12/title/page/2/", "/topic/12/title/page/3/"],
    "entries": ["/title-t12.html", "/title-t12-15.html", "/title-t12-30.html"],
    "entries in a word": ["/t12-title", "/t12p15-title", "/t12p30-title"],
    "entries in a query": ["/?showtopic=12", "/?showtopic=12&st=20", "/?showtopic=12&st=40"],
    "pages from 0": ["/forum/title", "/forum/title?page=1", "/forum/title?page=2"],
    "pages from 0, unknown": ["/node/12", "/node/12?page=1", "/node/12?page=2"],
    "the title comes later": ["/topic/12", "/topic/12/title?page=2", "/topic/12/title?page=3"],
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("says_next", [True, False])
def test_a_thread_goes_on_whatever_its_urls_look_like(name: str, says_next: bool) -> None:
    paths = ROWS[name]
    for number, path in enumerate(paths, 1):
        row = [f"<b>{n}</b>" if n == number else f'<a href="{to}">{n}</a>' for n, to in enumerate(paths, 1)]
        following = paths[number] if number < 3 else None
        row += [f'<a rel="next" href="{following}">Next</a>'] if says_next and following else []
        html = f"<html><body><p>{' '.join(row)}</p><a href='/topic/13/other'>Another thread</a></body></html>"
        here = Page.from_text(html.replace("&", "&amp;"), BASE + path)
        assert next_in_forum(here, number=number) == (following and BASE + following)
        first = first_of_pages(here)
        assert (
            first is None
            if number == 1
            else thread_id(first or "") == thread_id(BASE + paths[0]) or first == BASE + paths[0]
        )


@pytest.mark.parametrize("path", ["/topic/9/other", "/forum/main/13-other", "/forum/main/12-title-and-more", "/threads/9"])
def test_next_that_leads_to_another_thread_is_no_next_page(path: str) -> None:
    for here in ("/topic/8/title", "/forum/main/12-title", "/threads/8"):
        for label in ("Next", "2"):
            assert next_in_forum(page(here, (path, label)), number=1) is None


# --- boards and threads ---------------------------------------------------------------------------


def test_a_board_by_its_address_and_by_its_threads() -> None:
    links = [(f"/viewtopic.php?t={k}", f"Topic number {k}") for k in range(5)]
    links += [("/viewtopic.php?t=1&start=20", "2"), ("/viewforum.php?f=7", "Another board"), ("/faq", "Questions")]
    for path in ("/viewforum.php?f=2", "/index"):
        found = read_forum_page(page(path, *links, ("/viewforum.php?f=2&start=30", "Next")), Rules())
        assert found.kind == "board"
        assert found.threads == tuple(f"{BASE}/viewtopic.php?t={k}" for k in range(5))
        assert f"{BASE}/viewforum.php?f=7" in found.boards
    assert read_forum_page(page("/viewforum.php?f=2", ("/viewforum.php?f=2&start=30", "Next")), Rules()).next_page


def test_a_thread_by_its_address_whatever_it_links_to() -> None:
    links = [(f"/viewtopic.php?t={k}", f"Similar topic number {k}") for k in range(9)]
    found = read_forum_page(page("/viewtopic.php?t=77", *links, ("/viewtopic.php?t=77&start=10", "2")), Rules())
    assert (found.kind, found.threads, found.next_page) == ("thread", (), f"{BASE}/viewtopic.php?start=10&t=77")


def test_the_sites_patterns_decide() -> None:
    rules = Rules(allow=(r"/item/\d+",), follow=("/room/",), deny=("/item/13",))
    links = [
        ("/item/12", "A thread"),
        ("/item/13", "Another"),
        ("/room/b", "A board"),
        ("/viewtopic.php?t=1", "No thread here"),
    ]
    found = read_forum_page(page("/room/a", *links), rules)
    assert (found.kind, found.threads, found.boards) == ("board", (f"{BASE}/item/12",), (f"{BASE}/room/b",))
    assert read_forum_page(page("/item/12", *links), rules).kind == "thread"
    assert [told_kind(BASE + path, rules) for path in ("/item/1", "/room/a", "/viewtopic.php?t=1")] == [
        "thread",
        "board",
        None,
    ]


def test_a_page_of_unknown_software_names_what_may_be_threads_and_boards() -> None:
    links = [(f"/x/how-to-mend-an-old-boat-{k}", f"How to mend an old wooden boat, part {k}") for k in range(6)]
    controls = [("/login", "Log in"), ("/x?sort=new", "Newest"), ("/users/7", "mara"), ("/x/feed.xml", "Feed")]
    links.append(("/x/how-to-edit-the-settings-7", "How to edit the settings"))  # a title may have the words of controls
    found = read_forum_page(page("/x", *links, *controls), Rules())
    assert (found.kind, found.is_sure, found.threads) == ("board", False, ())
    assert found.candidates == tuple(f"{BASE}{link}" for link, _ in links)


def test_a_board_that_begins_with_its_last_page_goes_back() -> None:
    pager = [("/bbs/x/index1.html", "最舊"), ("/bbs/x/index38.html", "‹ 上頁"), ("/bbs/x/index40.html", "下頁 ›")]
    assert read_forum_page(page("/bbs/x/index39.html", *pager), Rules()).previous_page == f"{BASE}/bbs/x/index38.html"
    numbered = [("/x/list", "1"), ("/x/list?page=3", "3"), ("/x/list?page=1", "Previous")]
    assert read_forum_page(page("/x/list?page=2", *numbered), Rules()).previous_page is None


def test_a_page_that_links_to_known_threads_and_is_none_itself_is_a_board() -> None:
    found = read_forum_page(page("/2025/10/", ("/threads/oars.7/", "Oars"), text="A long text about oars. " * 40), Rules())
    assert (found.kind, found.is_sure, found.threads) == ("board", True, (f"{BASE}/threads/oars.7/",))


@pytest.mark.parametrize(
    ("here", "links", "first"),
    [
        ("/topic/12-title?page=3", [], "/topic/12-title"),
        ("/viewtopic.php?t=34&start=30", [], "/viewtopic.php?t=34"),
        ("/x/abc?page=3", [("?page=1", "1"), ("?page=2", "2")], "/x/abc?page=1"),
        ("/x/abc?post=77", [("?page=1", "1"), ("?page=2", "2"), ("?page=3", "3")], "/x/abc?page=1"),
        ("/x/abc", [("?page=2", "2"), ("?page=3", "3")], None),
        ("/x/abc", [("?page=1", "1"), ("?page=2", "2")], None),
        ("/topic/12-title", [("/topic/12-title?page=2", "2")], None),
    ],
)
def test_a_later_page_names_the_first_one(here: str, links: list[tuple[str, str]], first: str | None) -> None:
    found = first_of_pages(page(here, *links))
    assert found == (None if first is None else BASE + first)


@pytest.mark.parametrize("query", ["?r=222", "?post=9", "?sort=date&r=3"])
def test_a_query_beside_a_path_that_names_the_thread_is_not_of_its_first_page(query: str) -> None:
    assert first_page(f"{BASE}/boards/2/topics/163{query}") == f"{BASE}/boards/2/topics/163"


def test_the_next_number_of_a_path_is_another_thread_unless_this_is_that_page() -> None:
    here = page("/ticket/8", ("/ticket/9", "Next"))
    assert next_in_forum(here, number=1) is None
    assert next_in_forum(page("/x/oars/2", ("/x/oars/3", "Next")), number=2) == f"{BASE}/x/oars/3"


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("/gb.php?book=1", "/gb.php?book=1&start=6"),
        ("/topic-12.html", "/topic-12-2.html"),
        ("/topic/12/", "/topic/12/2/"),
        ("/forum/subject_12_1_0.htm", "/forum/subject_12_2_0.htm"),
        ("/thread/12", "/thread/12/2"),
        ("/t12-oars", "/t12-15-oars"),
        ("/discussion/oars", "/discussion/oars/8"),
    ],
)
def test_a_row_of_two_numbers_is_a_pager_of_the_thread(first: str, later: str) -> None:
    row = [(first, "1"), (later, "2")]
    assert next_in_forum(page(first, *row), number=1) == BASE + later
    assert next_in_forum(page(later, *row), number=2) is None
    assert first_of_pages(page(later, *row)) == BASE + first
    assert first_of_pages(page(first, *row)) is None


def test_a_board_with_a_number_of_thousands_may_be_a_thread() -> None:
    for path, is_sure in (
        ("/forum/affich-20332-engines", False),
        ("/forum/2_558_0.html", False),
        ("/forum/12-engines", True),
    ):
        assert read_forum_page(Page(b"<html><body><p>x</p></body></html>", BASE + path), Rules()).is_sure is is_sure
