"""Forum layout ``panels``: each post a box with a floated panel of its author, as phpBB's default style has it."""

from __future__ import annotations

from html import escape

from forum_layout import Layout, avatar_path, twelve_hours
from forum_source import Board, Post, Thread, body_html
from site_source import inline

_QUOTE = "<blockquote><div><cite>{who} wrote:</cite>{text}</div></blockquote>"


def _date(post: Post) -> str:
    return f"{post.moment:%a %b %d, %Y} {twelve_hours(post.moment)}"


class Panels(Layout):
    """``viewtopic.php?t=12&start=10``; numbered pages and an arrow, above and below the posts."""

    forbidden = ("/ucp.php", "/posting.php", "/memberlist.php")

    def thread_path(self, thread: Thread, page: int = 1) -> str:
        start = f"&start={(page - 1) * self.forum.posts_per_page}" if page > 1 else ""
        return f"/viewtopic.php?t={thread.number}{start}"

    def board_path(self, board: Board, page: int = 1) -> str:
        start = f"&start={(page - 1) * int(self.forum.head['threads_per_page'])}" if page > 1 else ""
        return f"/viewforum.php?f={board.number}{start}"

    def _frame(self, title: str, crumbs: str, main: str) -> str:
        forum = self.forum
        return f"""<!DOCTYPE html>
<html dir="ltr" lang="en-gb">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} - {forum.name}</title>
<link href="/static/style.css" rel="stylesheet">
</head>
<body class="nojs notouch ltr">
<div id="wrap" class="wrap">
<a id="top" class="top-anchor"></a>
<div id="page-header">
<div class="headerbar"><div class="inner">
<div id="site-description"><a class="logo" href="/" title="Board index"></a><h1>{forum.name}</h1>
<p>{escape(forum.head["motto"])}</p></div>
<div class="search-box"><form action="/search.php" method="get"><input name="keywords" type="search" placeholder="Search…"><button>Go</button></form></div>
</div></div>
<div class="navbar"><div class="inner">
<ul class="nav-main linklist"><li><a href="/faq.php">FAQ</a></li><li><a href="/memberlist.php">Members</a></li>
<li class="rightside"><a href="/ucp.php?mode=login">Login</a></li><li class="rightside"><a href="/ucp.php?mode=register">Register</a></li></ul>
<ul class="nav-breadcrumbs linklist"><li class="breadcrumbs"><span class="crumb"><a href="/">Board index</a></span>{crumbs}</li></ul>
</div></div>
</div>
<div id="page-body" class="page-body">
{main}
</div>
<div id="page-footer" class="page-footer">
<div class="navbar"><ul class="linklist"><li><a href="/">Board index</a></li><li class="rightside">All times are local</li>
<li class="rightside"><a href="/ucp.php?mode=delete_cookies">Delete cookies</a></li></ul></div>
<div class="copyright"><p>Run by volunteers of the Old Ropewalk slip. Be kind, tie bowlines.</p></div>
</div>
</div>
</body>
</html>
"""

    def _crumb(self, board: Board) -> str:
        return f'<span class="crumb"><a href="{self.href(self.board_path(board))}">{board.name}</a></span>'

    def _pager(self, paths: list[str], page: int, total: str) -> str:
        if len(paths) == 1:
            return f'<div class="pagination">{total} • Page <strong>1</strong> of <strong>1</strong></div>'
        items = [
            f'<li class="active"><span>{number}</span></li>'
            if number == page
            else f'<li><a class="button" href="{self.href(path)}">{number}</a></li>'
            for number, path in enumerate(paths, 1)
        ]
        if page > 1:
            link = self.href(paths[page - 2])
            items.insert(0, f'<li class="arrow previous"><a class="button" href="{link}" rel="prev">Previous</a></li>')
        if page < len(paths):
            items.append(
                f'<li class="arrow next"><a class="button" href="{self.href(paths[page])}" rel="next">Next</a></li>'
            )
        return f'<div class="pagination">{total}\n<ul>\n' + "\n".join(items) + "\n</ul></div>"

    def front_page(self) -> str:
        rows = []
        for board in self.forum.boards:
            threads = self.forum.in_board(board)
            newest, count = threads[0], sum(len(thread.posts) for thread in threads)
            rows.append(f"""<li class="row"><dl class="row-item forum_read"><dt><div class="list-inner">
<a href="{self.href(self.board_path(board))}" class="forumtitle">{board.name}</a><br>{board.about}</div></dt>
<dd class="topics">{len(threads)} <dfn>Topics</dfn></dd><dd class="posts">{count} <dfn>Posts</dfn></dd>
<dd class="lastpost"><span><a href="{self.href(self.permalink(newest, newest.last))}">{escape(newest.title)}</a><br>
by {newest.last.author}<br>{_date(newest.last)}</span></dd></dl></li>""")
        main = f"""<div class="forabg"><div class="inner"><ul class="topiclist"><li class="header"><dl class="row-item">
<dt><div class="list-inner">Forum</div></dt><dd class="topics">Topics</dd><dd class="posts">Posts</dd>
<dd class="lastpost"><span>Last post</span></dd></dl></li></ul>
<ul class="topiclist forums">
{chr(10).join(rows)}
</ul></div></div>
<div class="stat-block"><h3>Who is online</h3><p>In total there are 9 users online :: 2 registered and 7 guests.</p></div>"""
        return self._frame("Index page", "", main)

    def board_page(self, board: Board, page: int) -> str:
        pages = self.forum.board_pages(board)
        rows = []
        for number, thread in enumerate(pages[page - 1]):
            count = len(self.pages_of(thread))
            links = "".join(
                f'<li><a class="button" href="{self.href(self.thread_path(thread, other))}">{other}</a></li>'
                for other in range(1, count + 1)
            )
            mini = f'<div class="pagination"><ul>{links}</ul></div>' if count > 1 else ""
            first = thread.posts[0]
            rows.append(f"""<li class="row bg{1 + number % 2}"><dl class="row-item topic_read"><dt><div class="list-inner">
<a href="{self.href(self.thread_path(thread))}" class="topictitle">{escape(thread.title)}</a><br>
<div class="topic-poster">by <a href="/memberlist.php?mode=viewprofile&amp;u={self.forum.member(first.author).number}" class="username">{first.author}</a> » {_date(first)}</div>{mini}</div></dt>
<dd class="posts">{len(thread.posts) - 1} <dfn>Replies</dfn></dd><dd class="views">{thread.views} <dfn>Views</dfn></dd>
<dd class="lastpost"><span>by {thread.last.author} <a href="{self.href(self.permalink(thread, thread.last))}" title="Go to last post">↦</a><br>{_date(thread.last)}</span></dd></dl></li>""")
        paths = [self.board_path(board, number) for number in range(1, len(pages) + 1)]
        bar = f'<div class="action-bar"><a class="button" href="/posting.php?mode=post&amp;f={board.number}">New Topic</a>{self._pager(paths, page, f"{len(self.forum.in_board(board))} topics")}</div>'
        main = f"""<h2 class="forum-title"><a href="{self.href(self.board_path(board))}">{board.name}</a></h2>
{bar}
<div class="forumbg"><div class="inner"><ul class="topiclist"><li class="header"><dl class="row-item">
<dt><div class="list-inner">Topics</div></dt><dd class="posts">Replies</dd><dd class="views">Views</dd>
<dd class="lastpost"><span>Last post</span></dd></dl></li></ul>
<ul class="topiclist topics">
{chr(10).join(rows)}
</ul></div></div>
{bar}"""
        return self._frame(board.name, self._crumb(board), main)

    def _post(self, thread: Thread, post: Post) -> str:
        member = self.forum.member(post.author)
        subject = escape(thread.title if post.position == 1 else f"Re: {thread.title}")
        profile = f"/memberlist.php?mode=viewprofile&amp;u={member.number}"
        signature = f'<div class="signature">{member.signature}</div>' if member.signature else ""
        edited = (
            '<div class="notice">Last edited by the author, edited 1 time in total.</div>' if post.number % 5 == 0 else ""
        )
        return f"""<div id="{self.anchor(post)}" class="post has-profile bg{2 - post.position % 2}">
<div class="inner">
<dl class="postprofile" id="profile{post.number}">
<dt class="has-profile-rank has-avatar"><div class="avatar-container"><a href="{profile}" class="avatar"><img class="avatar" src="{avatar_path(post.author)}" width="80" height="80" alt="User avatar"></a></div>
<a href="{profile}" class="username">{post.author}</a></dt>
<dd class="profile-rank">{member.rank}</dd>
<dd class="profile-posts"><strong>Posts:</strong> {member.posts}</dd>
<dd class="profile-joined"><strong>Joined:</strong> {member.joined:%a %b %d, %Y}</dd>
<dd><strong>Location:</strong> {member.place}</dd>
</dl>
<div class="postbody"><div id="post_content{post.number}">
<h3><a href="#{self.anchor(post)}">{subject}</a></h3>
<ul class="post-buttons"><li><a href="/posting.php?mode=quote&amp;p={post.number}" title="Reply with quote" class="button">Quote</a></li></ul>
<p class="author"><a class="unread" href="{self.href(self.permalink(thread, post))}" title="Post">▪</a> <span class="responsive-hide">by <strong><a href="{profile}" class="username">{post.author}</a></strong> » </span>{_date(post)}</p>
<div class="content">{body_html(post, _QUOTE, paragraph=("", "<br><br>" + chr(10))).removesuffix("<br><br>")}</div>
{edited}{signature}
</div></div>
<div class="back2top"><a href="#top" title="Top">Top</a></div>
</div></div>"""

    def thread_page(self, thread: Thread, page: int) -> str:
        board, pages = self.forum.board_of(thread), self.pages_of(thread)
        paths = [self.thread_path(thread, number) for number in range(1, len(pages) + 1)]
        pager = self._pager(paths, page, f"{len(thread.posts)} post{'s' * (len(thread.posts) > 1)}")
        bar = f'<div class="action-bar"><a class="button" href="/posting.php?mode=reply&amp;t={thread.number}">Post Reply</a>{pager}</div>'
        posts = '\n<hr class="divider">\n'.join(self._post(thread, post) for post in pages[page - 1])
        main = f"""<h2 class="topic-title"><a href="{self.href(self.thread_path(thread))}">{inline(thread.title)}</a></h2>
{bar.replace("action-bar", "action-bar bar-top")}
{posts}
{bar.replace("action-bar", "action-bar bar-bottom")}
<div class="action-bar"><a href="{self.href(self.board_path(board))}">‹ Return to “{board.name}”</a></div>
<div class="stat-block online-list"><h3>Who is online</h3><p>Users browsing this forum: No registered users and 3 guests</p></div>
<div class="stat-block permissions"><h3>Forum permissions</h3><p>You <strong>cannot</strong> post new topics in this forum<br>You <strong>cannot</strong> reply to topics in this forum</p></div>"""
        return self._frame(thread.title, self._crumb(board), main)

    def plain_pages(self) -> dict[str, str]:
        notes = {
            "/faq.php": "Frequently asked questions: yes, you may post pictures of your dinghy.",
            "/search.php": "You may search once you have logged in.",
            "/memberlist.php": "You must be logged in to see the members.",
            "/ucp.php": "Log in with the name on your mooring contract.",
            "/posting.php": "You must be logged in to write.",
        }
        return {
            path: self._frame("Information", "", f'<div class="panel"><p>{note}</p></div>') for path, note in notes.items()
        }
