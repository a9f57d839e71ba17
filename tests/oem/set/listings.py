"""A project list, a directory and two newspaper front pages as they looked around 2000: the last four rows of Table 2."""

from __future__ import annotations

from html import escape

from tests.oem.set.objects import Expected, link, text, within
from tests.oem.set.words import Words

_SPONSORS = ("National Science Board", "Ministry of Industry", "City of Esker", "Harbour Trust", "University Fund")


def projects(url: str) -> tuple[str, Expected]:
    """A table with a head row within a table that lays the page out; some projects have no page of their own."""
    words = Words("projects")
    source = [
        '<html><head><title>Research projects</title></head>\n<body background="paper.gif">\n<h1>University of New Esker</h1>\n'
        '<table border=0 cellpadding=4><tr><td valign=top width=120>\n<a href="/">Home</a><br><a href="/staff/">Staff</a><br>'
        '<a href="/library/">Library</a><br><a href="/news/">News</a>\n<td>\n<h2>Current projects</h2>\n'
        "<p>All figures in thousands.\n<table border=1>\n"
        "<tr><th>Project<th>Leader<th>Term<th>Sponsor<th>Funds\n"
    ]
    found: list[Expected] = []
    for number in range(1, 104):
        title, leader = words.title(), f"Prof. {words.person()}"
        begun = words.random.randint(1994, 1999)
        term, sponsor = f"{begun}-{begun + 3}", words.random.choice(_SPONSORS)
        funds = str(words.random.randint(20, 900))
        linked = words.random.random() < 0.8
        name = f'<a href="p{number}.html">{escape(title)}</a>' if linked else escape(title)
        source.append(f"<tr><td>{name}<td>{leader}<td nowrap>{term}<td>{sponsor}<td align=right>{funds}\n")
        address = [link("link", url, f"p{number}.html")] if linked else []
        found.append(
            within("project", *address, text("title", title), text("leader", leader), text("term", term),
                   text("sponsor", sponsor), text("funds", funds))
        )  # fmt: skip
    source.append(
        "</table>\n<p>Questions: research office, room 12\n</table>\n<hr>\nLast modified 3 May 1999\n</body></html>\n"
    )
    return "".join(source), within("root", *found)


_SERVICES = {
    "文献服务": ("图书借阅", "期刊阅览", "馆际互借", "文献复制"),
    "网上资源": ("中文数据库", "外文数据库", "电子期刊", "学位论文"),
    "信息研究": ("科技动态", "课题查新", "定题服务"),
    "读者园地": ("读者培训", "常见问题", "新书介绍"),
}


def centre(url: str) -> tuple[str, Expected]:
    """A directory: lists within lists, where only the innermost entries are links."""
    words = Words("centre")
    source = [
        '<html><head><meta http-equiv=Content-Type content="text/html; charset=gb2312"><title>文献信息中心</title></head>\n'
        "<body>\n<center><h1>东湖文献信息中心</h1>\n"
        '<a href="/english/">English</a> <a href="/map.html">站点地图</a></center>\n<hr>\n<ul>\n'
    ]
    areas: list[Expected] = []
    for area, services in _SERVICES.items():
        source.append(f"<li><b>{area}</b>\n<ul>\n")
        parts: list[Expected] = []
        for service in services:
            source.append(f"<li>{service}\n<ul>\n")
            entries: list[Expected] = []
            for _ in range(words.random.randint(8, 11)):
                name, address = words.headline(), f"/service/{words.random.randint(1000, 9999)}/index.htm"
                source.append(f'<li><a href="{address}" target=_top>{name}</a>\n')
                entries.append(within("entry", link("link", url, address), text("name", name)))
            source.append("</ul>\n")
            parts.append(within("entry", text("name", service), *entries))
        source.append("</ul>\n")
        areas.append(within("entry", text("name", area), *parts))
    source.append("</ul>\n<hr>\n<font size=2>版权所有 东湖文献信息中心 1999</font>\n</body></html>\n")
    return "".join(source), within("root", *areas)


def youth(url: str) -> tuple[str, Expected]:
    """A front page of lines: a link and a date each, between columns of navigation."""
    words = Words("youth")
    menu = "".join(f'<a href="/{name}/index.htm">{title}</a><br>\n' for name, title in _MENU)
    source = [
        '<html><head><meta http-equiv=Content-Type content="text/html; charset=gb2312"><title>青石青年报</title></head>\n'
        "<body bgcolor=#ffffff topmargin=0>\n<table width=760 border=0><tr><td colspan=3 align=center>\n"
        '<img src="/logo.gif" alt="青石青年报"><br><font size=2>2000年1月12日 星期三</font></td></tr>\n'
        f"<tr><td width=120 valign=top bgcolor=#eeeeee>\n{menu}</td>\n<td width=520 valign=top>\n"
    ]
    found: list[Expected] = []
    for number in range(1, 106):
        title, address = words.headline(), f"/2000/01/12/n{number}.htm"
        date = f"01-{words.random.randint(8, 12):02}"
        written = f'·<a href="{address}">{title}</a> <font size=2 color=#666666>({date})</font><br>\n'
        if number <= 2:
            written = f'<font size=5 color=red><b><a href="{address}">{title}</a></b></font><br>\n'
        source.append(written)
        dated = [text("date", date)] if number > 2 else []
        found.append(within("headline", link("link", url, address), text("title", title), *dated))
    source.append(
        '</td>\n<td width=120 valign=top>\n<form action="/search"><input name=q size=10><input type=submit value=搜索></form>\n'
        '<a href="/ads/1.htm"><img src="/ads/1.gif"></a>\n</td></tr></table>\n'
        "<hr width=760>\n<center><font size=2>青石青年报社版权所有</font></center>\n</body></html>\n"
    )
    return "".join(source), within("root", *found)


_MENU = (("gn", "国内"), ("gj", "国际"), ("jj", "经济"), ("ty", "体育"), ("wh", "文化"), ("bbs", "论坛"))


def daily(url: str) -> tuple[str, Expected]:
    """A front page of small tables: headline, author and page, and a few lines of text each."""
    words = Words("daily")
    menu = " ".join(f'<a href="/{name}.html">{title}</a>' for name, title in _MENU)
    source = [
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=gb2312"><title>云岭日报</title></head>\n'
        '<body>\n<center><img src="title.gif" width=600 height=80 alt="云岭日报">\n'
        f'<table width=700 border=0 bgcolor="#cc0000"><tr><td align=center><font color="#ffffff">{menu}</font></td></tr></table>\n'
        "<table width=700 border=0><tr><td valign=top>\n"
    ]
    found: list[Expected] = []
    for number in range(1, 46):
        title, author, lines = words.headline(), words.chinese_person(), "".join(words.sentence() for _ in range(2))
        address, page = f"199911/03/{number:03}.html", f"第{words.random.randint(1, 8)}版"
        source.append(
            f'<table width="96%" border=0 cellspacing=2>\n<tr><td><font size=4><a href="{address}" target="_blank">{title}</a></font></td>'
            f"<td align=right><i>{author}</i> <b>{page}</b></td></tr>\n"
            f"<tr><td colspan=2><font size=2>{lines}</font></td></tr>\n</table>\n"
        )
        found.append(
            within("article", link("link", url, address), text("title", title), text("author", author), text("page", page),
                   text("summary", lines))
        )  # fmt: skip
    source.append(
        "</td></tr></table>\n<table width=700 border=0><tr><td align=center><font size=2>云岭日报社版权所有 未经授权禁止转载"
        "</font></td></tr></table>\n</center>\n</body></html>\n"
    )
    return "".join(source), within("root", *found)
