"""Forum layout ``grid``: the author's column beside the post, both cells of one row of a grid, with a signature below."""

from __future__ import annotations

from html import escape

from forum_layout import Layout, tiny_page
from forum_source import Board, Post, Thread, body_html

_QUOTE = "<blockquote><p><strong>{who}</strong></p>\n<p>{text}</p></blockquote>"


class Grid(Layout):
    """``/talk/3-how-much-oakum?page=2``."""

    def thread_path(self, thread: Thread, page: int = 1) -> str:
        slug = "-".join("".join(c for c in thread.title.lower() if c.isalnum() or c == " ").split()[:4])
        return f"/talk/{thread.number}-{slug}" + (f"?page={page}" if page > 1 else "")

    def board_path(self, board: Board, page: int = 1) -> str:
        return f"/room/{board.number}-{board.name.lower()}" + (f"?page={page}" if page > 1 else "")

    def anchor(self, post: Post) -> str:
        return f"post{post.number}"

    def _frame(self, title: str, main: str) -> str:
        return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(title)} - {self.forum.name}</title><link rel="stylesheet" href="/static/style.css"></head>
<body>
<nav class="top-line"><a href="/">{self.forum.name}</a> <a href="/signin">Sign in</a> <a href="/search">Search</a></nav>
<div class="sheet">
{main}
</div>
<footer><p>{escape(self.forum.head["motto"])}</p></footer>
</body>
</html>
"""

    def front_page(self) -> str:
        rows = "\n".join(
            f'<div class="grid-row"><div class="cell-10"><a href="{self.href(self.board_path(board))}">{board.name}</a>'
            f'<p>{board.about}</p></div><div class="cell-2">{len(self.forum.in_board(board))} talks</div></div>'
            for board in self.forum.boards
        )
        return self._frame("Rooms", f"<h1>{self.forum.name}</h1>\n{rows}")

    def board_page(self, board: Board, page: int) -> str:
        rows = "\n".join(
            f'<div class="grid-row"><div class="cell-10"><a href="{self.href(self.thread_path(thread))}">{escape(thread.title)}</a> '
            f'by <a href="/crew/{thread.posts[0].author}">{thread.posts[0].author}</a></div>'
            f'<div class="cell-2"><a href="{self.href(self.permalink(thread, thread.last))}">{thread.last.moment:%d %b %Y %H:%M}</a></div></div>'
            for thread in self.forum.board_pages(board)[page - 1]
        )
        return self._frame(board.name, f"<h1>{board.name}</h1>\n{rows}")

    def thread_page(self, thread: Thread, page: int) -> str:
        pages = self.pages_of(thread)
        rows = []
        for post in pages[page - 1]:
            member = self.forum.member(post.author)
            signature = f'<div class="autograph signature"><hr>{member.signature}</div>' if member.signature else ""
            rows.append(f"""<div id="{self.anchor(post)}" class="grid-row">
<div class="cell cell-2 narrow-3 author">
<div class="author-face"></div><div><h4><a href="/crew/{post.author}">{post.author}</a></h4></div>
<div><h5>{member.rank}</h5></div>
<div>Joined: <time datetime="{member.joined:%Y-%m-%dT%H:%M:%S}+00:00">{member.joined:%b %d, %Y}</time></div><div>Posts: {member.posts}</div>
</div>
<div class="cell cell-10 narrow-9">
<div class="over"><a href="{self.href(self.permalink(thread, post))}"><time datetime="{post.moment:%Y-%m-%dT%H:%M}">{post.moment:%d %b %Y %H:%M}</time></a> <strong>#{post.position}</strong></div>
<div class="words">
{body_html(post, _QUOTE)}
</div>
{signature}
</div>
</div>""")
        pager = "".join(
            f' <a href="{self.href(self.thread_path(thread, number))}">{number}</a>'
            if number != page
            else f" <b>{number}</b>"
            for number in range(1, len(pages) + 1)
        )
        return self._frame(
            thread.title, f'<h1>{escape(thread.title)}</h1>\n{"".join(rows)}\n<p class="turn">Pages:{pager}</p>'
        )

    def plain_pages(self) -> dict[str, str]:
        pages = {"/signin": tiny_page("Sign in", "Members only."), "/search": tiny_page("Search", "Nothing yet.")}
        names = sorted({post.author for thread in self.forum.threads for post in thread.posts})
        return pages | {f"/crew/{name}": tiny_page(name, "A member.") for name in names}
