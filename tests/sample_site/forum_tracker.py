"""Forum layout ``tracker``: an issue tracker's board; the opening post stands above the replies, on every page of its topic."""

from __future__ import annotations

from html import escape

from forum_layout import Layout, tiny_page, twelve_hours
from forum_source import Board, Post, Thread, body_html, chunks

_QUOTE = "<p>{who} wrote:</p>\n<blockquote><p>{text}</p></blockquote>"


def _stamp(post: Post) -> str:
    return f'<a title="{post.moment:%m/%d/%Y} {twelve_hours(post.moment, ("AM", "PM"))}" href="/plan/{post.moment:%Y-%m}">about a year</a> ago'


class Tracker(Layout):
    """``/works/1/item/11?part=2``: no words that forum software uses."""

    def thread_path(self, thread: Thread, page: int = 1) -> str:
        return f"/works/{thread.board}/item/{thread.number}" + (f"?page={page}" if page > 1 else "")

    def board_path(self, board: Board, page: int = 1) -> str:
        return f"/works/{board.number}" + (f"?page={page}" if page > 1 else "")

    def anchor(self, post: Post) -> str:
        return f"message-{post.number}"

    def pages_of(self, thread: Thread) -> list[list[Post]]:
        replies = chunks(thread.posts[1:], self.forum.posts_per_page)
        return [[thread.posts[0], *replies[0]], *replies[1:]]

    def _frame(self, title: str, main: str) -> str:
        return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(title)} - {self.forum.name}</title><link rel="stylesheet" href="/static/style.css"></head>
<body>
<div id="bar" class="strip"><a href="/">{self.forum.name}</a> | <a href="/login">Sign in</a></div>
<div id="main">
{main}
</div>
<div id="foot" class="strip low">{escape(self.forum.head["motto"])}</div>
</body>
</html>
"""

    def front_page(self) -> str:
        rows = "\n".join(
            f'<tr><td><a href="{self.href(self.board_path(board))}">{board.name}</a><br>{board.about}</td>'
            f"<td>{len(self.forum.in_board(board))}</td></tr>"
            for board in self.forum.boards
        )
        return self._frame(
            "Boards", f'<h2>Boards</h2>\n<table class="plan"><tr><th>Board</th><th>Items</th></tr>\n{rows}</table>'
        )

    def board_page(self, board: Board, page: int) -> str:
        rows = "\n".join(
            f'<tr><td><a href="{self.href(self.thread_path(thread))}">{escape(thread.title)}</a></td>'
            f"<td>{thread.posts[0].author}</td><td>{len(thread.posts) - 1}</td><td>{thread.last.moment:%m/%d/%Y}</td></tr>"
            for thread in self.forum.board_pages(board)[page - 1]
        )
        head = "<tr><th>Subject</th><th>Author</th><th>Replies</th><th>Last</th></tr>"
        return self._frame(board.name, f'<h2>{board.name}</h2>\n<table class="plan">{head}\n{rows}</table>')

    def thread_page(self, thread: Thread, page: int) -> str:
        pages = self.pages_of(thread)
        opening = thread.posts[0]
        replies = "\n".join(
            f"""<div class="entry answer" id="{self.anchor(post)}">
<h4><a href="{self.href(self.permalink(thread, post))}">RE: {escape(thread.title)}</a> - Added by <a href="/users/{post.author}">{post.author}</a> {_stamp(post)}</h4>
<div class="told">{body_html(post, _QUOTE)}</div>
</div>"""
            for post in pages[page - 1]
            if post is not opening
        )
        pager = "".join(
            f' <a href="{self.href(self.thread_path(thread, number))}">{number}</a>' if number != page else f" {number}"
            for number in range(1, len(pages) + 1)
        )
        count = len(thread.posts) - 1
        below = (
            f'<div id="answers">\n<h3>Replies ({count})</h3>\n{replies}\n<p class="numbers">{pager}</p>\n</div>'
            if count
            else ""
        )
        return self._frame(
            thread.title,
            f"""<h2>{escape(thread.title)}</h2>
<div class="entry" id="{self.anchor(opening)}">
<p>Added by <a href="/users/{opening.author}">{opening.author}</a> {_stamp(opening)} <a class="mark" href="{self.href(self.permalink(thread, opening))}">¶</a></p>
<div class="told">{body_html(opening, _QUOTE)}</div>
</div>
{below}""",
        )

    def plain_pages(self) -> dict[str, str]:
        posts = [post for thread in self.forum.threads for post in thread.posts]
        pages = {f"/users/{post.author}": tiny_page(post.author, "Aboard.") for post in posts}
        plans = {f"/plan/{post.moment:%Y-%m}": tiny_page("Plan", "Of the month.") for post in posts}
        return {"/login": tiny_page("Sign in", "Crew only."), **pages, **plans}
