"""Forum layout ``columns``: a table with the author's column beside each post, as Discuz has it (Chinese, GBK)."""

from __future__ import annotations

from html import escape

from forum_layout import Layout, avatar_path, tiny_page
from forum_source import Board, Post, Thread, body_html

_QUOTE = '<div class="quote"><blockquote><font size="2"><font color="#999999">{who} 发表于 本帖</font></font><br />\n{text}</blockquote></div><br />'
_FLOORS = {1: "楼主", 2: "沙发", 3: "板凳", 4: "地板"}


def _date(post: Post) -> str:
    moment = post.moment
    return f"{moment.year}-{moment.month}-{moment.day} {moment:%H:%M}"


class Columns(Layout):
    """``thread-3021-2-1.html`` and ``forum.php?mod=viewthread&tid=…``; numbers, 下一页, a jump box."""

    forbidden = ("/home.php", "/member.php")

    def thread_path(self, thread: Thread, page: int = 1) -> str:
        return f"/thread-{thread.number}-{page}-1.html"

    def board_path(self, board: Board, page: int = 1) -> str:
        if page == 1:
            return f"/forum-{board.number}-1.html"
        return f"/forum.php?mod=forumdisplay&fid={board.number}&page={page}"

    def anchor(self, post: Post) -> str:
        return f"pid{post.number}"

    def _frame(self, title: str, crumbs: str, main: str) -> str:
        forum = self.forum
        return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=gbk" />
<title>{escape(title)} - {forum.name}</title>
<link rel="stylesheet" type="text/css" href="/static/style.css" />
</head>
<body id="nv_forum" class="pg_viewthread">
<div id="toptb" class="cl"><div class="wp"><div class="z"><a href="/">设为首页</a><a href="/">收藏本站</a></div><div class="y"><a href="/member.php?mod=logging">登录</a><a href="/member.php?mod=register">立即注册</a></div></div></div>
<div id="hd"><div class="wp">
<div class="hdc cl"><h2><a href="/" title="{forum.name}">{forum.name}</a></h2><span>{forum.head["motto"]}</span></div>
<div id="nv"><ul><li class="a"><a href="/">论坛</a></li>{"".join(f'<li><a href="{self.href(self.board_path(board))}">{board.name}</a></li>' for board in forum.boards)}<li><a href="/home.php?mod=space">家园</a></li></ul></div>
<div id="scbar" class="cl"><form action="/search.php" method="get"><input type="text" name="srchtxt" value="请输入搜索内容" /> <button type="submit">搜索</button> 热搜: <a href="/search.php?srchtxt=1">潮汐</a> <a href="/search.php?srchtxt=2">渡轮</a></form></div>
</div></div>
<div id="wp" class="wp">
<div id="pt" class="bm cl"><div class="z"><a href="/" class="nvhm">»</a> <a href="/">论坛</a>{crumbs}</div></div>
{main}
</div>
<div id="ft" class="wp cl"><div id="flk" class="y"><p><a href="/archiver/">Archiver</a>|<a href="/">手机版</a>|<strong><a href="/">{forum.name}</a></strong></p><p class="xs0">GMT+8, 2025-11-1 12:00 , Processed in 0.031 second(s), 9 queries .</p></div><div id="frt"><p>网友言论仅代表个人观点</p></div></div>
</body>
</html>
"""

    def _crumb(self, board: Board) -> str:
        return f' <em>›</em> <a href="{self.href(self.board_path(board))}">{board.name}</a>'

    def _pager(self, paths: list[str], page: int) -> str:
        if len(paths) == 1:
            return ""
        parts = [f'<a href="{self.href(paths[page - 2])}" class="prev">&nbsp;&nbsp;</a>'] if page > 1 else []
        parts += [
            f"<strong>{number}</strong>" if number == page else f'<a href="{self.href(path)}">{number}</a>'
            for number, path in enumerate(paths, 1)
        ]
        parts.append(
            f'<label><input type="text" name="custompage" class="px" size="2" value="{page}" /><span> / {len(paths)} 页</span></label>'
        )
        if page < len(paths):
            parts.append(f'<a href="{self.href(paths[page])}" class="nxt">下一页</a>')
        return '<div class="pgs cl"><div class="pg">' + "".join(parts) + "</div></div>"

    def front_page(self) -> str:
        rows = []
        for board in self.forum.boards:
            threads = self.forum.in_board(board)
            newest = threads[0]
            rows.append(f"""<tr class="fl_row"><td class="fl_icn">◆</td><td><h2><a href="{self.href(self.board_path(board))}">{board.name}</a></h2><p class="xg2">{board.about}</p></td>
<td class="fl_i"><span class="xi2">{len(threads)}</span><span class="xg1"> / {sum(len(thread.posts) for thread in threads)}</span></td>
<td class="fl_by"><div><a href="{self.href(self.thread_path(newest))}" class="xi2">{escape(newest.title[:16])}</a> <cite>{_date(newest.last)} <a href="/home.php?username={escape(newest.last.author)}">{newest.last.author}</a></cite></div></td></tr>""")
        main = f"""<div id="chart" class="bm bw0 cl"><p class="chart z">今日: <em>3</em><span class="pipe">|</span>昨日: <em>11</em><span class="pipe">|</span>帖子: <em>{sum(len(thread.posts) for thread in self.forum.threads)}</em></p></div>
<div class="fl bm"><div class="bm_h cl"><h2>海门</h2></div><table cellspacing="0" cellpadding="0" class="fl_tb">
{chr(10).join(rows)}
</table></div>"""
        return self._frame("首页", "", main)

    def board_page(self, board: Board, page: int) -> str:
        pages = self.forum.board_pages(board)
        rows = []
        for thread in pages[page - 1]:
            first, last = thread.posts[0], thread.last
            count = len(self.pages_of(thread))
            more = "".join(
                f'<a href="{self.href(self.thread_path(thread, number))}">{number}</a>' for number in range(2, count + 1)
            )
            tps = f'<span class="tps">&nbsp;...{more}</span>' if more else ""
            rows.append(f"""<tbody id="normalthread_{thread.number}"><tr><td class="icn">▤</td><th class="common"><a href="{self.href(self.thread_path(thread))}" class="s xst">{escape(thread.title)}</a>{tps}</th>
<td class="by"><cite><a href="/home.php?uid={self.forum.member(first.author).number}">{first.author}</a></cite><em><span>{_date(first).split()[0]}</span></em></td>
<td class="num"><a href="{self.href(self.thread_path(thread))}" class="xi2">{len(thread.posts) - 1}</a><em>{thread.views}</em></td>
<td class="by"><cite><a href="/home.php?uid={self.forum.member(last.author).number}">{last.author}</a></cite><em><a href="{self.href(self.permalink(thread, last))}">{_date(last)}</a></em></td></tr></tbody>""")
        pager = self._pager([self.board_path(board, number) for number in range(1, len(pages) + 1)], page)
        main = f"""<div class="bm bml"><div class="bm_h cl"><h1 class="xs2"><a href="{self.href(self.board_path(board))}">{board.name}</a></h1> <span class="xs1 xw0">主题: <strong>{len(self.forum.in_board(board))}</strong></span></div><div class="bm_c">{board.about}</div></div>
{pager}
<div id="threadlist" class="tl bm bmw"><div class="th"><table cellspacing="0" cellpadding="0"><tr><td class="icn"></td><th>全部主题</th><td class="by">作者</td><td class="num">回复/查看</td><td class="by">最后发表</td></tr></table></div>
<div class="bm_c"><table summary="forum_{board.number}" cellspacing="0" cellpadding="0">
{chr(10).join(rows)}
</table></div></div>
{pager}"""
        return self._frame(board.name, self._crumb(board), main)

    def _post(self, thread: Thread, post: Post) -> str:
        member = self.forum.member(post.author)
        home = f"/home.php?mod=space&amp;uid={member.number}"
        floor = _FLOORS.get(post.position, f"<em>{post.position}</em><sup>#</sup>")
        signature = f'<div class="sign">{member.signature}</div>' if member.signature else ""
        edited = f'<i class="pstatus"> 本帖最后由 {post.author} 编辑 </i><br />\n' if post.number % 6 == 0 else ""
        body = body_html(post, _QUOTE, paragraph=("", "<br />\n<br />\n")).removesuffix("<br />\n<br />")
        return f"""<div id="post_{post.number}"><table id="{self.anchor(post)}" class="plhin" summary="pid{post.number}" cellspacing="0" cellpadding="0">
<tr><td class="pls" rowspan="2"><div class="pls favatar">
<div class="pi"><div class="authi"><a href="{home}" class="xw1">{post.author}</a></div></div>
<div><div class="avatar"><a href="{home}"><img src="{avatar_path(post.author)}" width="120" height="120" alt="" /></a></div></div>
<div class="tns xg2"><table cellspacing="0" cellpadding="0"><tr><th><p><a href="{home}" class="xi2">{member.posts % 40}</a></p>主题</th><th><p><a href="{home}" class="xi2">{member.posts}</a></p>帖子</th><td><p><a href="{home}" class="xi2">{member.posts * 3}</a></p>积分</td></tr></table></div>
<p><em><a href="{home}">{member.rank}</a></em></p><dl class="pil cl"><dt>来自</dt><dd>{member.place}</dd></dl></div></td>
<td class="plc"><div class="pi"><strong><a href="{self.href(self.permalink(thread, post))}">{floor}</a></strong>
<div class="pti"><div class="authi">☻ <em id="authorposton{post.number}">发表于 {_date(post)}</em><span class="pipe">|</span><a href="/home.php?authorid={member.number}" rel="nofollow">只看该作者</a></div></div></div>
<div class="pct"><div class="pcb"><div class="t_fsz"><table cellspacing="0" cellpadding="0"><tr><td class="t_f" id="postmessage_{post.number}">
{edited}{body}</td></tr></table></div></div></div></td></tr>
<tr><td class="plc plm">{signature}</td></tr>
<tr><td class="pls"></td><td class="plc" style="overflow:visible"><div class="po hin"><div class="pob cl"><em><a class="fastre" href="/member.php?action=reply&amp;pid={post.number}">回复</a></em><p><a href="/member.php?action=report&amp;pid={post.number}">举报</a></p></div></div></td></tr>
<tr class="ad"><td class="pls"></td><td class="plc"></td></tr></table></div>"""

    def thread_page(self, thread: Thread, page: int) -> str:
        board, pages = self.forum.board_of(thread), self.pages_of(thread)
        pager = self._pager([self.thread_path(thread, number) for number in range(1, len(pages) + 1)], page)
        posts = "\n".join(self._post(thread, post) for post in pages[page - 1])
        related = "".join(
            f'<li>• <a href="{self.href(self.thread_path(other))}">{escape(other.title)}</a></li>'
            for other in self.forum.in_board(board)
            if other is not thread
        )
        main = f"""<div id="pgt" class="pgs mbm cl"><a class="newpost" href="/member.php?action=newthread">发新帖</a>{pager}</div>
<div id="postlist" class="pl bm">
<table cellspacing="0" cellpadding="0" class="head"><tr><td class="pls ptn pbn"><div class="hm"><span class="xg1">查看:</span> <span class="xi1">{thread.views}</span><span class="pipe">|</span><span class="xg1">回复:</span> <span class="xi1">{len(thread.posts) - 1}</span></div></td>
<td class="plc ptm pbn vwthd"><h1 class="ts"><span id="thread_subject">{escape(thread.title)}</span></h1> <span class="xg1"><a href="{self.href(self.thread_path(thread))}">[复制链接]</a></span></td></tr></table>
<table cellspacing="0" cellpadding="0" class="ad"><tr><td class="pls"></td><td class="plc"></td></tr></table>
{posts}
</div>
<div class="pgs mtm mbm cl">{pager}<span class="pgb"><a href="{self.href(self.board_path(board))}">返回列表</a></span></div>
<div id="f_pst" class="pl bm"><table cellspacing="0" cellpadding="0"><tr><td class="pls"></td><td class="plc"><div class="pt">您需要登录后才可以回帖 <a href="/member.php?mod=logging" class="xi2">登录</a> | <a href="/member.php?mod=register" class="xi2">立即注册</a></div></td></tr></table></div>
<div class="bm related"><div class="bm_h"><h2>相关帖子</h2></div><ul class="bm_c">{related}</ul></div>"""
        return self._frame(f"{thread.title} - {board.name}", self._crumb(board), main)

    def plain_pages(self) -> dict[str, str]:
        notes = {
            "/home.php": "您需要先登录才能继续本操作",
            "/member.php": "请输入用户名和密码",
            "/search.php": "对不起，没有找到匹配结果",
            "/archiver/": "简洁版本正在整理",
        }
        return {path: tiny_page("提示信息", note, "gbk") for path, note in notes.items()}
