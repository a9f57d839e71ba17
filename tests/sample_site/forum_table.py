"""Forum layout ``table``: each post a table of its own with a head row, as vBulletin 3 has it."""

from __future__ import annotations

from html import escape

from forum_layout import Layout, avatar_path, tiny_page, twelve_hours
from forum_source import Board, Post, Thread, body_html

_QUOTE = """<div class="quotebox"><div class="smallfont">Quote:</div>
<table cellpadding="6" cellspacing="0" border="0" width="100%"><tr><td class="alt2">
<div>Originally Posted by <strong>{who}</strong></div><div class="said">{text}</div></td></tr></table></div>"""
_ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def _date(post: Post) -> str:
    day = post.moment.day
    return f"{day}{_ORDINALS.get(day, 'th')} {post.moment:%B %Y}, {twelve_hours(post.moment, ('AM', 'PM'))}"


class Table(Layout):
    """``showthread.php?t=204&page=2``; "Page 1 of 3", numbers and ``>``."""

    forbidden = ("/newreply.php", "/member.php", "/register.php")

    def thread_path(self, thread: Thread, page: int = 1) -> str:
        return f"/showthread.php?t={thread.number}" + (f"&page={page}" if page > 1 else "")

    def board_path(self, board: Board, page: int = 1) -> str:
        return f"/forumdisplay.php?f={board.number}" + (f"&order=desc&page={page}" if page > 1 else "")

    def anchor(self, post: Post) -> str:
        return f"post{post.number}"

    def _frame(self, title: str, crumbs: list[tuple[str, str]], main: str) -> str:
        forum = self.forum
        way = "".join(
            f' &gt; <span class="navbar"><a href="{self.href(path)}">{escape(name)}</a></span>' for path, name in crumbs
        )
        return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" dir="ltr" lang="en">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
<title>{escape(title)} - {escape(forum.name)}</title>
<link rel="stylesheet" type="text/css" href="/static/style.css" />
</head>
<body>
<table border="0" width="100%" cellpadding="0" cellspacing="0" align="center" class="logo"><tr>
<td align="left"><a href="/"><b>{escape(forum.name)}</b></a></td><td align="right">{forum.head["motto"]}</td></tr></table>
<div align="center"><div class="page" style="width:100%; text-align:left"><div style="padding:0px 25px">
<br />
<table class="tborder" cellpadding="6" cellspacing="1" border="0" width="100%" align="center"><tr>
<td class="alt1" width="100%"><a href="/"><strong>{escape(forum.name)}</strong></a>{way}<div class="here"><strong>{escape(title)}</strong></div></td>
<td class="alt2" nowrap="nowrap"><form action="/login.php" method="post"><table cellpadding="0" cellspacing="3" border="0"><tr><td class="smallfont">User Name</td><td><input type="text" class="bginput" size="10" /></td></tr>
<tr><td class="smallfont">Password</td><td><input type="password" class="bginput" size="10" /> <input type="submit" class="button" value="Log in" /></td></tr></table></form></td></tr></table>
<table class="tborder bar" cellpadding="6" cellspacing="0" border="0" width="100%" align="center"><tr align="center" class="vbmenu_dark">
<td><a href="/register.php">Register</a></td><td><a href="/faq.php">FAQ</a></td><td><a href="/memberlist.php">Members List</a></td><td><a href="/calendar.php">Calendar</a></td></tr></table>
<br />
{main}
<br />
<div class="smallfont" align="center">All times are harbour time.</div>
</div></div></div>
<div class="page foot" align="center"><a href="/">{escape(forum.name)}</a> - <a href="/archive.php">Archive</a> - <a href="#top">Top</a>
<div class="smallfont">Dues are payable at the Guild house by Candlemas.</div></div>
</body>
</html>
"""

    def _pager(self, paths: list[str], page: int) -> str:
        if len(paths) == 1:
            return ""
        cells = [f'<td class="vbmenu_control" style="font-weight:normal">Page {page} of {len(paths)}</td>']
        if page > 1:
            cells.append(
                f'<td class="alt1"><a class="smallfont" href="{self.href(paths[page - 2])}" title="Prev Page" rel="prev">&lt;</a></td>'
            )
        for number, path in enumerate(paths, 1):
            cells.append(
                f'<td class="alt2"><span class="smallfont"><strong>{number}</strong></span></td>'
                if number == page
                else f'<td class="alt1"><a class="smallfont" href="{self.href(path)}">{number}</a></td>'
            )
        if page < len(paths):
            cells.append(
                f'<td class="alt1"><a class="smallfont" href="{self.href(paths[page])}" title="Next Page" rel="next">&gt;</a></td>'
            )
        row = "\n".join(cells)
        return f'<div class="pagenav" align="right"><table class="tborder" cellpadding="3" cellspacing="1" border="0"><tr>\n{row}\n</tr></table></div>'

    def front_page(self) -> str:
        rows = []
        for board in self.forum.boards:
            threads = self.forum.in_board(board)
            newest = threads[0]
            rows.append(f"""<tr align="center"><td class="alt2">●</td><td class="alt1" align="left"><div><a href="{self.href(self.board_path(board))}"><strong>{board.name}</strong></a></div>
<div class="smallfont">{board.about}</div></td><td class="alt2" align="left"><div class="smallfont"><a href="{self.href(self.thread_path(newest))}"><strong>{escape(newest.title)}</strong></a><br />by {newest.last.author}<br />{_date(newest.last)}</div></td>
<td class="alt1">{len(threads)}</td><td class="alt2">{sum(len(thread.posts) for thread in threads)}</td></tr>""")
        main = f"""<table class="tborder" cellpadding="6" cellspacing="1" border="0" width="100%" align="center">
<thead><tr align="center"><td class="thead">&nbsp;</td><td class="thead" width="100%" align="left">Forum</td><td class="thead">Last Post</td><td class="thead">Threads</td><td class="thead">Posts</td></tr></thead>
<tbody>
{chr(10).join(rows)}
</tbody></table>
<br /><table class="tborder" cellpadding="6" cellspacing="1" border="0" width="100%"><tr><td class="tcat">What's Going On?</td></tr>
<tr><td class="alt1 smallfont">Currently active users: 4 (1 member and 3 guests). Most users ever online was 61, on the morning of the eel ban.</td></tr></table>"""
        return self._frame("Forums", [], main)

    def board_page(self, board: Board, page: int) -> str:
        pages = self.forum.board_pages(board)
        rows = []
        for thread in pages[page - 1]:
            numbers = range(1, len(self.pages_of(thread)) + 1)
            links = " ".join(f'<a href="{self.href(self.thread_path(thread, number))}">{number}</a>' for number in numbers)
            mini = f' <span class="smallfont">( {links} )</span>' if len(numbers) > 1 else ""
            rows.append(f"""<tr><td class="alt1">●</td><td class="alt2">&nbsp;</td>
<td class="alt1" title="{escape(thread.posts[0].text()[:90])}"><div><a href="{self.href(self.thread_path(thread))}" id="thread_title_{thread.number}">{escape(thread.title)}</a>{mini}</div><div class="smallfont">{thread.posts[0].author}</div></td>
<td class="alt2"><div class="smallfont" style="text-align:right;white-space:nowrap">{_date(thread.last)}<br />by {thread.last.author}</div></td>
<td class="alt1" align="center">{len(thread.posts) - 1}</td><td class="alt2" align="center">{thread.views}</td></tr>""")
        pager = self._pager([self.board_path(board, number) for number in range(1, len(pages) + 1)], page)
        main = f"""{pager}
<table class="tborder" cellpadding="6" cellspacing="1" border="0" width="100%" align="center">
<tr><td class="tcat" colspan="6">Threads in Forum : {board.name}</td></tr>
<tr><td class="thead" colspan="2">&nbsp;</td><td class="thead" width="100%">Thread / Thread Starter</td><td class="thead">Last Post</td><td class="thead">Replies</td><td class="thead">Views</td></tr>
{chr(10).join(rows)}
</table>
{pager}"""
        return self._frame(board.name, [(self.board_path(board), board.name)], main)

    def _post(self, thread: Thread, post: Post) -> str:
        member = self.forum.member(post.author)
        profile = f"/member.php?u={member.number}"
        signature = f"<div>__________________<br />{member.signature}</div>" if member.signature else ""
        title = (
            f'<div class="smallfont"><strong>{escape(thread.title)}</strong></div><hr size="1" />'
            if post.position == 1
            else ""
        )
        body = body_html(post, _QUOTE, paragraph=("", "<br />\n<br />\n")).removesuffix("<br />\n<br />")
        return f"""<div align="center"><div class="page" style="width:100%; text-align:left"><div style="padding:0 0 6px">
<table id="{self.anchor(post)}" class="tborder" cellpadding="6" cellspacing="0" border="0" width="100%" align="center">
<tr><td class="thead" style="font-weight:normal"><a name="{post.number}"></a>{_date(post)}</td>
<td class="thead" align="right">#<a href="{self.href(self.permalink(thread, post))}"><strong>{post.position}</strong></a></td></tr>
<tr valign="top"><td class="alt2 userinfo" width="175">
<div><a class="bigusername" href="{profile}">{post.author}</a></div><div class="smallfont">{member.rank}</div>
<div class="smallfont"><br /><img src="{avatar_path(post.author)}" width="60" height="60" alt="{post.author}'s Avatar" border="0" /></div>
<div class="smallfont">&nbsp;<br /><div>Join Date: {member.joined:%b %Y}</div><div>Location: {member.place}</div><div>Posts: {member.posts:,}</div></div></td>
<td class="alt1" id="td_post_{post.number}">
{title}<div id="post_message_{post.number}">{body}</div>
{signature}
</td></tr>
<tr><td class="alt2">☺</td><td class="alt1" align="right"><a href="/newreply.php?do=newreply&amp;p={post.number}" rel="nofollow">Quote</a></td></tr>
</table></div></div></div>"""

    def thread_page(self, thread: Thread, page: int) -> str:
        board, pages = self.forum.board_of(thread), self.pages_of(thread)
        pager = self._pager([self.thread_path(thread, number) for number in range(1, len(pages) + 1)], page)
        others = [other for other in self.forum.in_board(board) if other is not thread][:3]
        similar = "\n".join(
            f'<tr><td class="alt1"><a href="{self.href(self.thread_path(other))}">{escape(other.title)}</a></td><td class="alt2">{other.posts[0].author}</td>'
            f'<td class="alt1">{board.name}</td><td class="alt2" align="center">{len(other.posts) - 1}</td><td class="alt1" align="right">{_date(other.last)}</td></tr>'
            for other in others
        )
        posts = "\n".join(self._post(thread, post) for post in pages[page - 1])
        reply = f'<a class="reply" href="/newreply.php?do=newreply&amp;t={thread.number}" rel="nofollow">Reply</a>'
        main = f"""<table cellpadding="0" cellspacing="0" border="0" width="100%"><tr valign="bottom"><td>{reply}</td><td align="right">{pager}</td></tr></table>
<table class="tborder" cellpadding="6" cellspacing="1" border="0" width="100%" align="center" style="border-bottom-width:0"><tr><td class="tcat" width="100%">Thread: <h1>{escape(thread.title)}</h1></td><td class="vbmenu_control" nowrap="nowrap">Thread Tools</td><td class="vbmenu_control" nowrap="nowrap">Display Modes</td></tr></table>
<div id="posts">
{posts}
<div id="lastpost"></div></div>
<table cellpadding="0" cellspacing="0" border="0" width="100%"><tr valign="top"><td>{reply}</td><td align="right">{pager}</td></tr></table>
<br />
<table class="tborder" cellpadding="6" cellspacing="1" border="0" width="100%" align="center">
<tr><td class="tcat" colspan="5">Similar Threads</td></tr>
<tr class="thead"><td>Thread</td><td>Thread Starter</td><td>Forum</td><td>Replies</td><td>Last Post</td></tr>
{similar}
</table>
<table class="tborder rules" cellpadding="6" cellspacing="1" border="0" width="210"><tr><td class="thead">Posting Rules</td></tr><tr><td class="alt1 smallfont">You <strong>may not</strong> post new threads<br />You <strong>may not</strong> post replies<br />You <strong>may not</strong> edit your posts</td></tr></table>"""
        return self._frame(thread.title, [(self.board_path(board), board.name)], main)

    def plain_pages(self) -> dict[str, str]:
        notes = {
            "/faq.php": "Who may write here? Anyone who has ever mended a net, or wants to.",
            "/archive.php": "The archive is in the loft and damp.",
            "/calendar.php": "The calendar is empty this month.",
            "/memberlist.php": "You are not logged in.",
            "/login.php": "You are not logged in.",
            "/register.php": "Registration is by post.",
            "/member.php": "You are not logged in.",
            "/newreply.php": "You are not logged in.",
        }
        return {path: tiny_page("Guild Message", note) for path, note in notes.items()}
