"""Comments of readers below an article, and excerpts of other stories around it."""

from __future__ import annotations

import numpy as np
import pytest

from newsextract.algorithms.combined.foreign_prose import without_comments, without_excerpts
from newsextract.page.dom import read_dom
from newsextract.page.page import Page

LONG = "<p>" + "The ferry came in late, and nobody on the quay had a word to say about it. " * 6


SIGNED = "<p>Well said, and that is that.</p><p class=posted>Posted by: {} | {}</p>"
"""A comment as Movable Type writes it."""
TWO_SIGNED = SIGNED.format("Ann", "Mar 26, 2007 2:00:18 PM") + SIGNED.format("Ben", "Mar 27, 2007 9:01:02 AM")


@pytest.mark.parametrize(
    ("below", "lost"),
    [
        (f"<h2>Comments</h2>{TWO_SIGNED}", 5),
        (f"<h2>TrackBack</h2><p>TrackBack URL for this entry:</p><h2>2 Comments»</h2>{TWO_SIGNED}", 5),
        (f"<h2>Kommentare (2)</h2>{TWO_SIGNED}", 5),
        ("<h2>评论</h2><p>再见</p><h4>2004-12-27 12:46 Ann</h4><p>再见</p><h4>2004-12-27 12:53 Ben</h4>", 5),
        ("<h2>Comments</h2>" + SIGNED.format("Ann", "Mar 26, 2007"), 0),  # one line may be anything
        (f"<h2>Why comments on the web are as they are</h2>{TWO_SIGNED}", 0),
        ("<h2>Responses</h2><p>In May 2007 all was well.</p><p>By 2008 it was not.</p>", 0),
        ("<h2>Comments</h2>" + "<p>Well said.</p><i>Reply</i><p>Not so.</p><i>Reply</i>", 5),
        ("<h2>评论：一切都好</h2>" + TWO_SIGNED, 0),  # a comment on the news
        ("".join(f"<div><p>{n} comments</p>{TWO_SIGNED}</div>" for n in range(3)), 0),  # three teasers
        (f"<p>2 comments</p>{LONG}<h2>Reader Comments</h2>{TWO_SIGNED}", 5),  # the first only leads to the second
    ],
)
def test_comments_with_a_day_below_their_heading_are_no_text(below: str, lost: int):
    dom = read_dom(LONG + below)
    left = without_comments(dom, np.ones(len(dom.texts)))
    assert left.tolist() == [1.0] * (len(dom.texts) - lost) + [0.0] * lost


def test_comments_need_a_text_above_them():
    dom = read_dom(f"<p>Late.</p><h2>Comments</h2>{TWO_SIGNED}")
    assert without_comments(dom, np.ones(len(dom.texts))).all()
    assert not without_comments(dom, np.zeros(len(dom.texts))).any()


def untitled(*heads: str, tag: str = "div") -> str:
    return "<h2>What do you think?</h2>" + "".join(
        f"<{tag} class=x1>{head}</{tag}><p>Well said, and that is that.</p>" for head in heads
    )


@pytest.mark.parametrize(
    ("below", "lost"),
    [
        (untitled("Ann 3 hours ago", "Ben 5 hours ago", "Cora vor 3 Stunden"), 6),
        (untitled("Ann May 3, 2025 at 3:10 pm", "Ben May 3, 2025 at 4:10 pm", "Cora May 4, 2025 at 3:10 pm"), 6),
        (untitled("May 3, 2025", "May 4, 2025", "May 5, 2025"), 0),  # the days of a diary
        (untitled("Ann May 3, 2025", "Ben May 4, 2025", "Cora May 5, 2025"), 0),  # the hosts of a tour
        (untitled("Ann 3 hours ago", "Ann 5 hours ago", "Ann 6 hours ago"), 0),  # a live blog
        (untitled("Ann 3 hours ago", "Ben 5 hours ago"), 0),
        ("<table><tr>" + untitled("Ann 3 hours ago", "Ben 5 hours ago", "Cora 6 hours ago", tag="td") + "</table>", 0),
        (
            "".join(
                f"<div><b>{name}</b></div><div class=t>{n} hours ago</div><p>Well said.</p>"
                for n, name in enumerate(("Ann", "Ben", "Cora"), 2)
            ),
            9,
        ),
    ],
)
def test_lines_of_three_people_with_a_time_are_above_comments(below: str, lost: int):
    dom = read_dom(LONG + below)
    left = without_comments(dom, np.ones(len(dom.texts)))
    assert left.tolist() == [1.0] * (len(dom.texts) - lost) + [0.0] * lost


def test_teasers_with_a_time_between_paragraphs_are_no_comments():
    teasers = "".join(
        f"<div class=t>{name} {n} hours ago</div><i>The old ferry</i>" for n, name in enumerate(("Ann", "Ben", "Cora"))
    )
    dom = read_dom(LONG + teasers + LONG)
    probabilities = np.array([1.0] + [0.0] * (len(dom.texts) - 2) + [1.0])
    assert without_comments(dom, probabilities) is probabilities


EXCERPT = "The ferry of the islands was late again on Monday, and so was the mail."


def excerpts(number: int, *, words: str = EXCERPT, to: str = "/stories/{}") -> str:
    return "".join(
        f"<div class=c9><a href={to.format(n)}>How the ferry was late, part {n}</a><p>{words}</p></div>"
        for n in range(number)
    )


@pytest.mark.parametrize(
    ("page", "lost"),
    [
        (f"<h2>Latest stories</h2>{excerpts(3)}<h1>Late</h1>{LONG * 5}", range(7)),
        (f"<h1>Late</h1>{excerpts(3)}{LONG * 5}", range(1, 7)),
        (f"{LONG * 5}<h2>More</h2>{excerpts(3)}", range(5, 12)),
        (f"{LONG * 3}{excerpts(4)}{LONG * 3}", range(3, 11)),
        (f"{excerpts(9)}<h1>Late</h1>{LONG}", range(18)),  # however many stand above the headline
        (f"{LONG * 3}{excerpts(3)}{LONG * 3}", ()),  # too few between paragraphs
        (f"<h1>Late</h1>{excerpts(9)}{LONG}", ()),  # the article is a list
        (f"{LONG * 5}{excerpts(3, words=EXCERPT * 9)}", ()),  # the items of an article
        (f"{LONG * 5}{excerpts(3, to='https://other.example/{}')}", ()),  # what others offer
        (f"{LONG * 5}{excerpts(3, to='/stories/1')}", ()),
        (f"{LONG * 5}{excerpts(3, to='/news/late.html/{}')}", ()),  # its chapters
    ],
)
def test_excerpts_of_other_stories_are_no_text(page: str, lost: range):
    read = Page.from_text(page, "https://gull.example/news/late.html")
    assert np.flatnonzero(without_excerpts(read, np.ones(len(read.dom.texts))) == 0).tolist() == list(lost)


@pytest.mark.parametrize(
    ("page", "lost"), [(f"{LONG * 5}{excerpts(3)}", ()), (f"{excerpts(3)}<h1>Late</h1>{LONG}", range(6))]
)
def test_where_the_page_may_be_a_list_only_excerpts_above_its_headline_are_no_text(page: str, lost: range):
    read = Page.from_text(page, "https://gull.example/news/late.html")
    assert np.flatnonzero(without_excerpts(read, np.ones(len(read.dom.texts)), 0.8) == 0).tolist() == list(lost)


def test_a_link_to_the_comments_is_not_their_heading():
    dom = read_dom(f"{LONG}<p><a href=#c>2 comments</a></p>{LONG * 3}{TWO_SIGNED}")
    assert without_comments(dom, np.ones(len(dom.texts))).all()
