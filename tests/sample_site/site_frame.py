"""Page frames: everything around the main part of a page (bars, boxes, forms, footers, scripts)."""

from __future__ import annotations

from html import escape

from site_source import Article

EN_SECTIONS = {
    "City": "city",
    "Harbour": "harbour",
    "Weather": "weather",
    "Sport": "sport",
    "Science": "science",
    "Culture": "culture",
    "Business": "business",
    "Schools": "schools",
    "Traffic": "traffic",
    "Opinion": "opinion",
}
ZH_SECTIONS = {
    "市政": "shizheng",
    "港口": "gangkou",
    "天气": "tianqi",
    "体育": "tiyu",
    "科技": "keji",
    "文化": "wenhua",
    "财经": "caijing",
    "教育": "jiaoyu",
    "交通": "jiaotong",
}


def say(lang: str, english: str, chinese: str) -> str:
    """The wording for a language."""
    return chinese if lang == "zh" else english


def sections(lang: str) -> dict[str, str]:
    """Section names and their folder names."""
    return ZH_SECTIONS if lang == "zh" else EN_SECTIONS


def tag_url(tag: str) -> str:
    """Address of the page of an English tag."""
    return f"/en/tag/{tag.replace(' ', '-')}/"


def nav_links(lang: str) -> str:
    """The links of the navigation bar."""
    pairs = [("/", say(lang, "Home", "首页")), (f"/{lang}/news/", say(lang, "Latest", "最新"))]
    pairs += [(f"/{lang}/section/{slug}/", name) for name, slug in sections(lang).items()]
    pairs += [
        (f"/{lang}/about.html", say(lang, "About us", "关于我们")),
        ("/login.html", say(lang, "Log in", "登录")),
    ]
    return "\n".join(f'<a href="{href}">{name}</a>' for href, name in pairs)


def most_read_items(articles: list[Article]) -> str:
    """List items of the "most read" box; the addresses carry tracking parameters."""
    mark = "?utm_source=mostread&amp;utm_medium=box"
    return "\n".join(f'<li><a href="{item.url}{mark}">{escape(item.title)}</a></li>' for item in articles)


def modern_page(lang: str, title: str, main: str, most_read: list[Article], head: str = "", section: str = "") -> str:
    """The HTML5 frame."""
    paper = say(lang, "Harbour Ledger", "港湾日报")
    slug = sections(lang).get(section, "")
    crumb = f' &rsaquo; <a href="/{lang}/section/{slug}/">{section}</a>' if slug else ""
    cookie = say(
        lang,
        "We use cookies to remember your settings and to count our readers. You can refuse them at any time.",
        "本站使用小型文本文件记录您的浏览设置并统计访问量，您可以随时拒绝。",
    )
    advert = say(
        lang,
        "Advertisement: Pilot's Rest Hotel, sea-view rooms from 79 crowns a night, breakfast included.",
        "广告：望海楼大酒店海景房特惠，含双人早餐，订房从速。",
    )
    letter = say(
        lang,
        "Get the morning briefing in your inbox every weekday before the first ferry leaves.",
        "订阅《港湾早报》，每个工作日清晨送到您的邮箱。",
    )
    legal = say(
        lang,
        "Copyright 2025 Harbour Ledger Press Ltd, 4 Customs Quay, Port Merrow. All rights reserved. "
        "No part of this site may be reproduced without written permission.",
        "版权所有 2025 港湾日报社 地址：海门港市税关路4号 未经书面许可不得转载、摘编本站内容。",
    )
    return f"""<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} | {paper}</title>
<link rel="icon" href="/static/favicon.svg" type="image/svg+xml">
<link rel="alternate" type="application/rss+xml" href="/en/feed.xml">
<link rel="alternate" type="application/atom+xml" href="/zh/atom.xml">
{head}
<style>body{{font:17px/1.6 serif;margin:0}}nav a{{margin-right:1em}}.advert{{background:#ffe}}</style>
<script>window.dataLayer=window.dataLayer||[];dataLayer.push({{"page":"story","paid":false}});</script>
</head>
<body>
<!-- header include v7 -->
<header class="site-header"><a class="logo" href="/">{paper}</a>
<nav aria-label="main">
{nav_links(lang)}
</nav></header>
<div class="breadcrumb"><a href="/">{say(lang, "Home", "首页")}</a> &rsaquo;
<a href="/{lang}/news/">{say(lang, "News", "新闻")}</a>{crumb}</div>
<div class="advert">{advert}</div>
<main>
{main}
</main>
<aside class="sidebar">
<h2>{say(lang, "Most read", "阅读排行")}</h2>
<ol>
{most_read_items(most_read)}
</ol>
<form class="newsletter" action="/subscribe" method="post"><p>{letter}</p>
<input type="email" name="email"><button>{say(lang, "Sign up", "订阅")}</button></form>
</aside>
<footer class="site-footer"><p>{legal}</p>
<a href="/en/archive.html">{say(lang, "Archive", "资料库")}</a>
<a href="/{lang}/about.html">{say(lang, "Contact", "联系我们")}</a>
<a href="/en/calendar/2025/01/">{say(lang, "Calendar", "活动日历")}</a>
<a href="/en/search?q=harbour">{say(lang, "Search", "搜索")}</a></footer>
<div id="cookie-notice"><p>{cookie}</p><button>OK</button></div>
<script>document.querySelector("#cookie-notice button").onclick=()=>cookieNotice(0);</script>
</body>
</html>
"""


def portal_page(
    title: str, main: str, most_read: list[Article], charset: str, section: str = "", aspnet: bool = False
) -> str:
    """The old Chinese portal frame: tables in tables, upper-case tags, unclosed paragraphs."""
    meta = f'<META http-equiv="Content-Type" content="text/html; charset={charset}">\n' if charset else ""
    crumb = f" &gt;&gt; {section}" if section else ""
    form = '<form name="Form1" method="post" action="" id="Form1">' if aspnet else ""
    state = (
        '<input type="hidden" name="__VIEWSTATE" value="dDwtMTA4NzE0Mjk3Nzs7PqVtH3kB0c1mQyWcX9s2ZB0Tn1aE">\n'
        if aspnet
        else ""
    )
    hot = "\n".join(f'<tr><td>·<a href="{item.url}">{escape(item.title)}</a></td></tr>' for item in most_read)
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.0 Transitional//EN">
<HTML><HEAD>
{meta}<TITLE>{escape(title)}_港湾日报网</TITLE>
<STYLE>td{{font-size:12px}}.nr{{font-size:14px;line-height:180%}}</STYLE>
<SCRIPT language="JavaScript">
<!--
function doZoom(size){{document.getElementById('zoom').style.fontSize=size+'px';}}
//-->
</SCRIPT>
</HEAD><BODY bgcolor="#FFFFFF" topmargin="0">
{form}
{state}<table width="960" align="center" border="0"><tr><td height="60">港湾日报网 海门港市新闻门户</td>
<td>广告：远洋家具城周年店庆，全场八折起，凭报纸广告再减五十元。</td></tr></table>
<table width="960" align="center" bgcolor="#003366"><tr><td class="nav">
{nav_links("zh")}
</td></tr></table>
<!-- 导航结束 -->
<table width="960" align="center"><tr><td>您现在的位置：<a href="/">首页</a> &gt;&gt;
<a href="/zh/news/">新闻中心</a>{crumb}</td></tr>
<tr><td valign="top" width="670">
{main}
</td><td valign="top" width="280"><table width="100%" border="0">
<tr><td bgcolor="#dddddd">热点新闻</td></tr>
{hot}
<tr><td>报料热线：每天八点至二十二点，采用即付稿酬。</td></tr>
</table></td></tr></table>
<table width="960" align="center"><tr><td align="center">港湾日报社版权所有 未经授权禁止转载
<br>地址：海门港市税关路4号 邮编：000000 <br>本网站所刊登的各种新闻、信息和专题资料，均为港湾日报社版权所有。
<br><a href="/zh/about.html">关于我们</a> | <a href="/login.html">会员登录</a></td></tr></table>
{"</form>" if aspnet else ""}
</BODY></HTML>
"""


def blog_page(title: str, main: str, recent: list[Article], most_read: list[Article]) -> str:
    """The weblog frame: divs with class names, sidebar with excerpts."""
    excerpts = "\n".join(
        f'<div class="widget-post"><a href="{item.url}">{escape(item.title)}</a>'
        f'<div class="excerpt">{escape(item.teaser())}</div></div>'
        for item in recent
    )
    return f"""<!DOCTYPE html>
<html>
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>{escape(title)} &#8211; Quayside Notes</title>
<link rel="shortcut icon" href="/static/favicon.svg">
<style type="text/css">#wrapper{{width:940px;margin:auto}}.widget{{float:right}}</style>
<script type="text/javascript">var _stats=_stats||[];_stats.push(['view',{{blog:'5521'}}]);</script>
</head>
<body class="single single-post">
<div id="wrapper" class="hfeed">
<div id="header"><div id="site-title"><a href="/">Quayside Notes, a Harbour Ledger weblog</a></div>
<div id="access" class="menu">
{nav_links("en")}
</div></div>
<div id="main"><div id="container"><div id="content" role="main">
{main}
</div></div>
<div id="primary" class="widget-area">
<div class="widget"><h3 class="widget-title">Recent posts</h3>
{excerpts}
</div>
<div class="widget"><h3 class="widget-title">Popular now</h3><ul>
{most_read_items(most_read)}
</ul></div>
<div class="widget"><h3 class="widget-title">Subscribe by email</h3>
<form action="/subscribe"><p>Join 1,204 other readers and receive new posts by email.</p>
<input name="email"></form></div>
</div></div>
<div id="footer"><div id="site-info">&copy; 2025 Harbour Ledger Press Ltd, 4 Customs Quay, Port Merrow.
<a href="/en/about.html">About</a> <a href="/en/archive.html">Archive</a></div></div>
</div>
</body>
</html>
"""
