"""Messages that a page shows as they were sent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.discovery.threads import forum_address
from newsextract.extraction import find_records
from newsextract.fields.mail_messages import mail_messages, reads_as_mail
from newsextract.fields.posts import thread_posts
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from tests.examples import examples

TEXT = "The tide came in at seven and took the ladder, two crates\nand the dinner of the crew of the pier with it."
PLAIN = TEXT.replace("\n", " ")
HEAD = """From: Nora Fell &lt;nora@quay.example&gt;
To: quay@lists.example
Subject: <a href="#r">Re: The ladder</a>
Date: Thu, 1 Mar 2012 10:21:00 +0100\t<a href="#r">[thread overview]</a>
In-Reply-To: &lt;<a href="../1@quay.example/">1@quay.example</a>&gt;
"""
URL = "https://quay.example/quay/2@quay.example/"


def page(body: str, title: str = "Re: The ladder - Nora Fell") -> Page:
    html = f"<html lang=en><head><title>{title}</title></head><body>{body}</body></html>"
    return Page(html.encode(), URL, {"content-type": "text/html; charset=utf-8"}, datetime(2014, 3, 10, tzinfo=UTC))


def thread(*authors: str) -> str:
    return "<hr>".join(
        f"<pre>* <b>The ladder</b>\n  0 siblings, 1 reply\nFrom: {author} @ 2012-03-0{number} 10:2{number} UTC "
        f'(<a href="../{number}@quay.example/">permalink</a> / <a href="../{number}@quay.example/raw">raw</a>)\n'
        f"  To: quay\n\n{TEXT}\nNo. {number}\n\n-- \n{author}\n\n^ <a href=x>permalink</a> <a href=y>raw</a> [<a href=z>flat</a>]</pre>"
        for number, author in enumerate(authors, 1)
    )


def test_a_message_has_its_head_and_its_text_in_one_element() -> None:
    body = f"<pre>{HEAD}\nOle wrote:\n&gt; Where is it?\n\n{TEXT}\n\n-- \nNora</pre><hr><pre><a href=t>Thread overview</a></pre>"
    (post,) = thread_posts(page(body), find_records(page(body))).posts
    assert (post.author, post.body, post.signature) == ("Nora Fell", PLAIN, "Nora")
    assert post.date is not None
    assert post.date.value == "2012-03-01T10:21:00+01:00"
    assert [(quote.author, quote.text) for quote in post.quotes] == [("Ole", "Where is it?")]
    assert post.permalink == URL
    assert post.reply_to == "https://quay.example/quay/1@quay.example/"


def test_a_thread_has_a_message_in_each_element() -> None:
    found = thread_posts(page(thread("Nora", "Ole Fell")), find_records(page(thread("Nora", "Ole Fell"))))
    assert [(post.author, post.date and post.date.value, post.permalink) for post in found.posts] == [
        ("Nora", "2012-03-01T10:21+00:00", "https://quay.example/quay/1@quay.example/"),
        ("Ole Fell", "2012-03-02T10:22+00:00", "https://quay.example/quay/2@quay.example/"),
    ]
    assert found.are_sure
    assert found.posts[1].signature == "Ole Fell"
    assert "permalink" not in found.posts[1].body


def test_a_short_message_is_known_by_its_subject() -> None:
    overview = "<pre>" + "\n".join(f"2012-03-01 10:{n:02} <a href={n}>somebody {n}</a>" for n in range(60)) + "</pre>"
    assert [message.text.own for message in mail_messages(*both(f"<pre>{HEAD}\nThanks!</pre>{overview}"))] == ["Thanks!"]
    assert not mail_messages(*both(f"<pre>{HEAD}\nThanks!</pre>{overview}", "Another title"))


def both(body: str, title: str = "Re: The ladder - Nora Fell") -> tuple[Page, Nodes]:
    made = page(body, title)
    return made, made.nodes


@pytest.mark.parametrize(
    "body",
    [
        f"<p>{PLAIN * 5}</p><pre>{HEAD}\n{TEXT}</pre>",  # an article about a message
        f"<pre>{HEAD}</pre>",  # no text
        f"<pre>From: Nora Fell\n{TEXT}</pre>",  # no day, no empty line
        f"<pre>From: Nora Fell\nTo: all\n\n{TEXT}</pre>",  # no day
        f"<pre>{TEXT}</pre>",
    ],
)
def test_other_preformatted_texts_are_no_messages(body: str) -> None:
    assert not mail_messages(*both(body, "On sending letters"))


@settings(max_examples=examples(40))
@given(
    st.lists(
        st.sampled_from([*HEAD.split("\n"), "", TEXT, "From:", "Date: x", "\n", "<a href=x>", "</a>", "<pre>", "</pre>"])
    )
)
def test_any_lines_can_be_read(lines: list[str]) -> None:
    made = page("<pre>" + "\n".join(lines))
    assert mail_messages(made, made.nodes) == mail_messages(made, made.nodes)


def test_the_threads_of_public_inbox_have_known_urls() -> None:
    found = forum_address("https://lore.example/quay/20120301.12@quay.example/T/")
    assert found is not None
    assert (found.kind, found.key) == ("thread", "thread lore.example public-inbox 20120301.12@quay.example")
    assert forum_address("https://lore.example/quay/20120301.12@quay.example/") is None


REPLY = '<a href="mailto:quay%40lists.example?Subject=Re:%20The%20ladder&amp;In-Reply-To=%3C1%3E">nora at quay.example</a>'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"<h1>The ladder</h1><b>Nora Fell</b> {REPLY}<br><i>Thu Mar 1 10:21:00 CET 2012</i><hr><pre>{TEXT}</pre>", True),
        (f"<pre>{HEAD}\n{TEXT}</pre>", True),
        (f"<h1>The ladder</h1><b>Nora Fell</b><p>{TEXT}</p>{REPLY}", False),
        (f"<h1>The ladder</h1><p>{TEXT}</p><p>{TEXT}</p>{REPLY}<pre>ladder --help</pre>", False),
        (f'<h1>The ladder</h1><pre>{TEXT}</pre><a href="mailto:?subject=The%20ladder">Send to a friend</a>', False),
        (f"<h1>The ladder</h1><pre>{TEXT}</pre>", False),
    ],
)
def test_mail_messages_are_told_by_their_head_or_by_a_link_to_reply(body: str, expected: bool) -> None:
    assert reads_as_mail(page(body)) is expected
