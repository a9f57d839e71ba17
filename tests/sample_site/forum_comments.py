"""Forum layout ``comments``: a first post of its own kind, then a flat run of small replies, as V2EX has it (Chinese)."""

from __future__ import annotations

from datetime import datetime
from html import escape

from forum_layout import Layout, avatar_path, tiny_page
from forum_source import Board, Post, Thread, body_html, chunks

_QUOTE = "<blockquote>{text}</blockquote>"
_NOW = datetime(2025, 11, 1, 12)


def _ago(post: Post) -> str:
    past = _NOW - post.moment
    return f"{past.days} 天前" if past.days else f"{past.seconds // 3600} 小时前"


def _title(post: Post) -> str:
    return datetime.fromisoformat(post.stamp).strftime("%Y-%m-%d %H:%M:%S +08:00")


class Comments(Layout):
    """``/t/9001?p=2``; numbers and an arrow; the first post stands above the replies of every page."""

    forbidden = ("/signin", "/member/")

    def thread_path(self, thread: Thread, page: int = 1) -> str:
        return f"/t/{thread.number}" + (f"?p={page}" if page > 1 else "")

    def board_path(self, board: Board, page: int = 1) -> str:
        return f"/go/{board.number}" + (f"?p={page}" if page > 1 else "")

    def pages_of(self, thread: Thread) -> list[list[Post]]:
        first, *replies = thread.posts
        return [[first, *part] for part in chunks(replies, self.forum.posts_per_page)]

    def anchor(self, post: Post) -> str:
        return "topic" if post.position == 1 else f"r_{post.number}"

    def _frame(self, title: str, main: str) -> str:
        forum = self.forum
        hot = "\n".join(
            f'<div class="cell hot"><table cellpadding="0" cellspacing="0" border="0" width="100%"><tr><td width="24"><img src="{avatar_path(thread.posts[0].author)}" class="avatar" width="24" height="24" alt=""></td><td width="10"></td><td><a href="{self.href(self.thread_path(thread))}">{escape(thread.title)}</a></td></tr></table></div>'
            for thread in forum.threads[1:4]
        )
        return f"""<!DOCTYPE html>
<html lang="zh-CN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} - {forum.name}</title>
<link rel="stylesheet" href="/static/style.css">
</head>
<body>
<div id="Top"><div class="content"><div class="site-nav"><a href="/" name="top">{forum.name}</a><div id="search-container"><input type="text" id="search" maxlength="128" placeholder="搜索"></div><div class="tools"><a href="/" class="top">首页</a><a href="/signin" class="top">登录</a></div></div></div></div>
<div id="Wrapper"><div class="content"><div id="Leftbar"></div>
<div id="Rightbar"><div class="sep20"></div><div class="box"><div class="cell"><strong>{forum.name} = 海门</strong><div class="sep5"></div><span class="fade">{forum.head["motto"]}</span></div><div class="inner"><a href="/signin" class="super normal button">现在注册</a></div></div>
<div class="sep20"></div><div class="box" id="TopicsHot"><div class="cell"><span class="fade">今日热议主题</span></div>
{hot}
</div></div>
<div id="Main"><div class="sep20"></div>
{main}
</div><div class="c"></div><div class="sep20"></div></div></div>
<div id="Bottom"><div class="content"><div class="inner"><a href="/about">关于</a> &nbsp; · &nbsp; <a href="/about">帮助</a> &nbsp; · &nbsp; 31 人在线<div class="sep10"></div>VERSION: 3.9 · 12ms · UTC 04:00</div></div></div>
</body>
</html>
"""

    def _pager(self, paths: list[str], page: int) -> str:
        if len(paths) == 1:
            return ""
        links = " &nbsp;".join(
            f'<a href="{self.href(path)}" class="{"page_current" if number == page else "page_normal"}">{number}</a>'
            for number, path in enumerate(paths, 1)
        )
        before = (
            f'<a class="super button" href="{self.href(paths[page - 2])}" title="上一页">❮</a>'
            if page > 1
            else '<span class="super button off">❮</span>'
        )
        after = (
            f'<a class="super button" href="{self.href(paths[page])}" title="下一页">❯</a>'
            if page < len(paths)
            else '<span class="super button off">❯</span>'
        )
        return f'<div class="cell ps_container"><table cellpadding="0" cellspacing="0" border="0" width="100%"><tr><td width="92%" align="left">{links}</td><td width="8%" align="right">{before}{after}</td></tr></table></div>'

    def _rows(self, threads: list[Thread]) -> str:
        return "\n".join(
            f"""<div class="cell item"><table cellpadding="0" cellspacing="0" border="0" width="100%"><tr><td width="48" valign="top" align="center"><a href="/member/{escape(thread.posts[0].author)}"><img src="{avatar_path(thread.posts[0].author)}" class="avatar" width="48" height="48" alt="{thread.posts[0].author}"></a></td><td width="10"></td>
<td width="auto" valign="middle"><span class="item_title"><a href="{self.href(self.thread_path(thread))}" class="topic-link">{escape(thread.title)}</a></span><div class="sep5"></div><span class="topic_info"><a class="node" href="{self.href(self.board_path(self.forum.board_of(thread)))}">{self.forum.board_of(thread).name}</a> &nbsp;•&nbsp; <strong>{thread.posts[0].author}</strong> &nbsp;•&nbsp; <span title="{_title(thread.last)}">{_ago(thread.last)}</span> &nbsp;•&nbsp; 最后回复来自 <strong>{thread.last.author}</strong></span></td>
<td width="70" align="right" valign="middle"><a href="{self.href(self.permalink(thread, thread.last))}" class="count_livid">{len(thread.posts) - 1}</a></td></tr></table></div>"""
            for thread in threads
        )

    def front_page(self) -> str:
        tabs = "".join(
            f'<a href="{self.href(self.board_path(board))}" class="tab">{board.name}</a>' for board in self.forum.boards
        )
        newest = sorted(self.forum.threads, key=lambda thread: thread.last.stamp, reverse=True)[:4]
        return self._frame(
            "首页", f'<div class="box"><div class="inner" id="Tabs">{tabs}</div>\n{self._rows(newest)}\n</div>'
        )

    def board_page(self, board: Board, page: int) -> str:
        pages = self.forum.board_pages(board)
        pager = self._pager([self.board_path(board, number) for number in range(1, len(pages) + 1)], page)
        main = f'<div class="box"><div class="header"><a href="/">{self.forum.name}</a> <span class="chevron">›</span> {board.name}<div class="sep5"></div><span class="fade">{board.about}</span></div>\n{self._rows(pages[page - 1])}\n{pager}</div>'
        return self._frame(board.name, main)

    def _reply(self, thread: Thread, post: Post) -> str:
        name = post.author
        thanks = (
            f' <span class="small fade"><span class="heart">♥</span> {post.number % 7}</span>' if post.number % 7 > 3 else ""
        )
        owner = '<div class="badges"><div class="badge op">OP</div></div>' if name == thread.posts[0].author else ""
        return f"""<div id="{self.anchor(post)}" class="cell"><table cellpadding="0" cellspacing="0" border="0" width="100%"><tr><td width="48" valign="top" align="center"><img src="{avatar_path(name)}" class="avatar" width="48" height="48" alt="{name}"></td><td width="10" valign="top"></td>
<td width="auto" valign="top" align="left"><div class="fr"><a href="/signin" class="thank">感谢回复者</a> &nbsp; <a class="no" href="{self.href(self.permalink(thread, post))}">{post.position - 1}</a></div><div class="sep3"></div>
<strong><a href="/member/{escape(name)}" class="dark">{name}</a></strong>{owner} &nbsp; <span class="ago" title="{_title(post)}">{_ago(post)}</span>{thanks}<div class="sep5"></div>
<div class="reply_content">{body_html(post, _QUOTE, paragraph=("", "<br>")).removesuffix("<br>")}</div></td></tr></table></div>"""

    def thread_page(self, thread: Thread, page: int) -> str:
        board = self.forum.board_of(thread)
        first, *replies = self.pages_of(thread)[page - 1]
        paths = [self.thread_path(thread, number) for number in range(1, len(self.pages_of(thread)) + 1)]
        pager = self._pager(paths, page)
        listed = "\n".join(self._reply(thread, post) for post in replies)
        answers = (
            f"""<div class="sep20"></div><div class="box"><div class="cell"><div class="fr tags"><a href="/about" class="tag">海门</a></div><span class="gray">{len(thread.posts) - 1} 条回复 &nbsp;<strong class="snow">•</strong> &nbsp;{_title(thread.posts[-1])}</span></div>
{pager}
{listed}
{pager}</div>"""
            if replies
            else '<div class="sep20"></div><div class="box"><div class="cell fade">目前尚无回复</div></div>'
        )
        main = f"""<div class="box" id="{self.anchor(first)}">
<div class="header"><div class="fr"><a href="/member/{escape(first.author)}"><img src="{avatar_path(first.author)}" class="avatar" width="73" height="73" alt="{first.author}"></a></div>
<a href="/">{self.forum.name}</a> <span class="chevron">›</span> <a href="{self.href(self.board_path(board))}">{board.name}</a><div class="sep10"></div>
<h1>{escape(thread.title)}</h1><small class="gray"><a href="/member/{escape(first.author)}">{first.author}</a> · <a href="{self.href(self.permalink(thread, first))}"><span title="{_title(first)}">{_ago(first)}</span></a> · {thread.views} 次点击</small></div>
<div class="cell"><div class="topic_content"><div class="markdown_body">{body_html(first, _QUOTE)}</div></div></div>
<div class="topic_buttons"><div class="fr topic_stats">{thread.views} 次点击 &nbsp;∙&nbsp; {thread.views % 9} 人收藏</div><a href="/signin" class="tb">加入收藏</a> &nbsp;<a href="/signin" class="tb">忽略主题</a></div></div>
{answers}
<div class="sep20"></div><div class="box"><div class="inner fade">请先 <a href="/signin">登录</a> 后发表回复</div></div>"""
        return self._frame(thread.title, main)

    def plain_pages(self) -> dict[str, str]:
        box = '<div class="box"><div class="inner">{}</div></div>'
        pages = {
            path: self._frame("提示", box.format(note))
            for path, note in {"/about": "码头话，自己人的角落。", "/signin": "请先登录。"}.items()
        }
        names = {post.author for thread in self.forum.threads for post in thread.posts}
        return pages | {f"/member/{name}": tiny_page(name, "会员资料仅会员可见。") for name in sorted(names)}
