"""Forum layout ``archive``: a mailing list's archive with one message a page, as plain text below its header lines."""

from __future__ import annotations

from html import escape
from textwrap import wrap

from forum_layout import Layout
from forum_source import Board, Post, Thread, quoted


class Archive(Layout):
    """``mail00003.html``: each message is a thread of its own."""

    def thread_path(self, thread: Thread, page: int = 1) -> str:
        return f"/2025/mail{thread.number:05}.html"

    def board_path(self, board: Board, page: int = 1) -> str:
        return "/2025/index.html"

    def permalink(self, thread: Thread, post: Post) -> str:
        return self.thread_path(thread)

    def _frame(self, title: str, main: str) -> str:
        head = f'<meta charset="utf-8"><title>{escape(title)}</title><link rel="stylesheet" href="/static/style.css">'
        return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{main}\n</body></html>\n'

    def front_page(self) -> str:
        board = self.forum.boards[0]
        return self._frame(self.forum.name, f'<h1>{self.forum.name}</h1><p>{self.forum.head["motto"]}</p>'
                           f'<ul><li><a href="{self.board_path(board)}">Messages of 2025</a></li></ul>')  # fmt: skip

    def board_page(self, board: Board, page: int) -> str:
        rows = "\n".join(
            f'<li><strong><a href="mail{thread.number:05}.html">{escape(thread.title)}</a></strong> <em>{thread.posts[0].author}</em></li>'
            for thread in self.forum.threads
        )
        return self._frame(f"{self.forum.name} by date", f"<h1>Messages by date</h1>\n<hr>\n<ul>\n{rows}\n</ul>")

    def thread_page(self, thread: Thread, page: int) -> str:
        (post,) = thread.posts
        mail = f"{post.author.lower().replace(' ', '.')}@tidewrack.example"
        numbers = [one.number for one in self.forum.threads]
        beside = "".join(
            f'[<a href="mail{number:05}.html">{text}</a>]'
            for number, text in ((thread.number - 1, "Previous by date"), (thread.number + 1, "Next by date"))
            if number in numbers
        )
        return self._frame(
            thread.title,
            f"""{beside}[<a href="index.html">All messages</a>]
<h1>{escape(thread.title)}</h1>
<hr>
<ul>
<li><em>To</em>: <a href="mailto:{self.forum.name}@tidewrack.example">{self.forum.name}@tidewrack.example</a></li>
<li><em>Subject</em>: {escape(thread.title)}</li>
<li><em>From</em>: {post.author} &lt;<a href="mailto:{mail}">{mail}</a>&gt;</li>
<li><em>Date</em>: {post.moment:%a, %d %b %Y %H:%M:%S} +0000</li>
</ul>
<hr>
<pre>{escape(self._mail(post))}</pre>
<hr>
{beside}""",
        )

    def _mail(self, post: Post) -> str:
        parts = []
        for block in post.blocks:
            if block.kind == "quote":
                who, said = quoted(block.items[0])
                parts.append("\n".join([f"{who} wrote:", *(f"> {line}" for line in wrap(said, 68))]))
            else:
                parts += ["\n".join(wrap(text, 72)) for text in block.texts()]
        signature = self.forum.member(post.author).signature
        return "\n\n".join(parts) + (f"\n-- \n{signature}" if signature else "")

    def plain_pages(self) -> dict[str, str]:
        return {}
