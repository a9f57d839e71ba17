"""Forum layout ``stream``: one article element after the other in a narrow column, as Discourse has it."""

from __future__ import annotations

from datetime import datetime
from html import escape

from forum_layout import Layout, avatar_path, tiny_page
from forum_source import Board, Post, Thread, body_html

_QUOTE = '<aside class="quote no-group"><div class="title"><div class="quote-controls"></div>{who}:</div><blockquote><p>{text}</p></blockquote></aside>'
_NOW = datetime(2025, 11, 1, 12)


def _when(post: Post) -> str:
    """The short form that a reader sees."""
    days = (_NOW - post.moment).days
    return f"{days}d" if days < 31 else f"{post.moment:%b} {post.moment.day}"


def _slug(thread: Thread) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in thread.title.lower()).split()
    return "-".join(words[:8])


class Stream(Layout):
    """``/t/slug/31?page=2``; only "previous page" and "next page"."""

    forbidden = ("/u/", "/login", "/search")

    def thread_path(self, thread: Thread, page: int = 1) -> str:
        return f"/t/{_slug(thread)}/{thread.number}" + (f"?page={page}" if page > 1 else "")

    def board_path(self, board: Board, page: int = 1) -> str:
        return f"/c/{board.name.lower()}/{board.number}" + (f"?page={page - 1}" if page > 1 else "")

    def anchor(self, post: Post) -> str:
        return f"post_{post.position}"

    def _frame(self, title: str, body_class: str, main: str, head: str = "") -> str:
        forum = self.forum
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{escape(title)} - {forum.name}</title>
<meta name="generator" content="own work">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link href="/static/style.css" rel="stylesheet">
{head}
</head>
<body class="{body_class}">
<section id="main">
<header class="d-header-wrap"><div class="d-header"><div class="wrap"><div class="contents">
<a href="/" class="title">{forum.name}</a>
<div class="panel"><a class="btn btn-primary" href="/login">Log In</a>
<ul class="icons"><li><a href="/search" title="Search">⌕</a></li><li><a href="/about" title="Menu">☰</a></li></ul></div>
</div></div></div></header>
<div id="main-outlet-wrapper" class="wrap">
<div class="sidebar-wrapper"><div class="sidebar-section"><h3>Categories</h3><ul>
{"".join(f'<li><a href="{self.href(self.board_path(board))}"><span class="badge b{board.number}"></span>{board.name}</a></li>' for board in forum.boards)}
</ul><h3>Community</h3><ul><li><a href="/">Topics</a></li><li><a href="/about">About</a></li><li><a href="/faq">FAQ</a></li></ul></div></div>
<div id="main-outlet">
{main}
</div>
</div>
<footer class="container"><nav><a href="/">Home</a> <a href="/about">Categories</a> <a href="/faq">Guidelines</a> <a href="/about">Privacy Policy</a></nav></footer>
</section>
</body>
</html>
"""

    def _pager(self, paths: list[str], page: int) -> str:
        links = []
        if page > 1:
            links.append(f'<a rel="prev" href="{self.href(paths[page - 2])}">← previous page</a>')
        if page < len(paths):
            links.append(f'<a rel="next" href="{self.href(paths[page])}">next page →</a>')
        return (
            '<div role="navigation" class="topic-body crawler-post nav-pages">' + "\n".join(links) + "</div>"
            if links
            else ""
        )

    def _topic_rows(self, threads: list[Thread]) -> str:
        return "\n".join(
            f"""<tr class="topic-list-item"><td class="main-link"><span class="link-top-line"><a class="title raw-link" href="{self.href(self.thread_path(thread))}">{escape(thread.title)}</a></span>
<div class="link-bottom-line"><a class="badge-wrapper" href="{self.href(self.board_path(self.forum.board_of(thread)))}"><span class="badge b{thread.board}"></span>{self.forum.board_of(thread).name}</a></div></td>
<td class="posters">{"".join(f'<a href="/u/{name}"><img alt="" width="24" height="24" src="{avatar_path(name)}" class="avatar" title="{name}"></a>' for name in dict.fromkeys(post.author for post in thread.posts))}</td>
<td class="num posts">{len(thread.posts) - 1}</td><td class="num views">{thread.views}</td><td class="num activity"><span title="{thread.last.moment:%b} {thread.last.moment.day}, {thread.last.moment:%Y}">{_when(thread.last)}</span></td></tr>"""
            for thread in threads
        )

    def _topic_list(self, threads: list[Thread], heading: str) -> str:
        return f"""<table class="topic-list"><thead><tr><th class="main-link">{heading}</th><th class="posters"></th><th class="num">Replies</th><th class="num">Views</th><th class="num">Activity</th></tr></thead>
<tbody>
{self._topic_rows(threads)}
</tbody></table>"""

    def front_page(self) -> str:
        cards = "\n".join(
            f'<div class="category-box b{board.number}"><h3><a href="{self.href(self.board_path(board))}">{board.name}</a></h3><p>{board.about}</p>'
            f'<div class="count">{len(self.forum.in_board(board))} topics</div></div>'
            for board in self.forum.boards
        )
        newest = sorted(self.forum.threads, key=lambda thread: thread.last.stamp, reverse=True)[:3]
        return self._frame(
            self.forum.head["motto"],
            "categories",
            f'<div class="category-boxes">\n{cards}\n</div>\n{self._topic_list(newest, "Latest")}',
        )

    def board_page(self, board: Board, page: int) -> str:
        pages = self.forum.board_pages(board)
        pager = self._pager([self.board_path(board, number) for number in range(1, len(pages) + 1)], page)
        main = (
            f'<h1>{board.name}</h1><p class="about">{board.about}</p>\n{self._topic_list(pages[page - 1], "Topic")}\n{pager}'
        )
        return self._frame(board.name, "category", main)

    def _post(self, thread: Thread, post: Post) -> str:
        likes = post.number % 6
        liked = (
            f'<div class="like-count"><span class="post-likes">{likes} Like{"s" * (likes > 1)}</span></div>' if likes else ""
        )
        answers = post.position % 4
        replies = (
            f'<button class="show-replies">{answers} Repl{"y" if answers == 1 else "ies"}</button>' if answers == 3 else ""
        )
        member = self.forum.member(post.author)
        title = f'<span class="user-title">{member.rank}</span>' if post.position % 3 == 1 else ""
        return f"""<div class="topic-post clearfix regular{" topic-owner" * (post.author == thread.posts[0].author)}">
<article id="{self.anchor(post)}" class="boxed onscreen-post" itemprop="comment" itemscope>
<div class="row"><div class="topic-avatar"><div class="post-avatar"><a class="trigger-user-card main-avatar" href="/u/{post.author}"><img alt="" width="45" height="45" src="{avatar_path(post.author)}" class="avatar"></a></div></div>
<div class="topic-body clearfix">
<div class="topic-meta-data"><div class="names trigger-user-card"><span class="first username"><a href="/u/{post.author}" itemprop="author">{post.author}</a></span>{title}</div>
<div class="post-infos"><a class="post-date" href="{self.href(self.permalink(thread, post))}" title="{post.moment:%b} {post.moment.day}, {post.moment:%Y %H:%M}"><time datetime="{post.stamp.replace("+00:00", "Z")}" itemprop="datePublished">{_when(post)}</time></a></div></div>
<div class="regular contents"><div class="cooked" itemprop="text">
{body_html(post, _QUOTE)}
</div>
<section class="post-menu-area clearfix"><nav class="post-controls">{replies}{liked}<div class="actions"><button class="like" title="like this post">♡</button><button class="share" title="share a link to this post">↗</button></div></nav></section>
</div></div></div>
</article></div>"""

    def thread_page(self, thread: Thread, page: int) -> str:
        board, pages = self.forum.board_of(thread), self.pages_of(thread)
        paths = [self.thread_path(thread, number) for number in range(1, len(pages) + 1)]
        posts = "\n".join(self._post(thread, post) for post in pages[page - 1])
        summary = f"""<div class="topic-map"><ul><li><h4>created</h4>{_when(thread.posts[0])}</li><li><h4>last reply</h4>{_when(thread.last)}</li><li><span class="number">{len(thread.posts) - 1}</span><h4>replies</h4></li><li><span class="number">{thread.views}</span><h4>views</h4></li></ul></div>"""
        if page == 1:
            head, _, rest = posts.partition("</article></div>")
            posts = f"{head}</article>{summary}</div>{rest}"
        others = [other for other in self.forum.in_board(board) if other is not thread]
        canonical = f'<link rel="canonical" href="{self.href(self.forum.base + paths[page - 1])}">'
        following = f'\n<link rel="next" href="{self.href(paths[page])}">' if page < len(paths) else ""
        main = f"""<div id="topic-title"><h1><a href="{self.href(self.thread_path(thread))}" class="fancy-title">{escape(thread.title)}</a></h1>
<div class="topic-category"><a class="badge-wrapper" href="{self.href(self.board_path(board))}"><span class="badge b{board.number}"></span>{board.name}</a></div></div>
<section class="topic-area"><div class="post-stream">
{posts}
</div>
{self._pager(paths, page)}</section>
<div class="suggested"><h3>Suggested Topics</h3>
{self._topic_list(others, "Topic")}</div>"""
        return self._frame(thread.title, "archetype-regular", main, canonical + following)

    def plain_pages(self) -> dict[str, str]:
        notes = {
            "/about": "The makers share a loft, two kilns and one kettle.",
            "/faq": "Put it back where you found it.",
            "/login": "Members log in with the key number of their locker.",
            "/search": "Search is for members.",
        }
        names = {post.author for thread in self.forum.threads for post in thread.posts}
        pages = {path: self._frame("Note", "static", f"<p>{note}</p>") for path, note in notes.items()}
        return pages | {f"/u/{name}": tiny_page(name, "Profiles are for members.") for name in sorted(names)}
