"""The engines without a plain list: ``cards`` (a grid in rows of three) and ``tables`` (Chinese, ``dl`` in table cells)."""

from __future__ import annotations

from datetime import date
from html import escape

from search_engines import english_date
from search_layout import CHINESE, Engine, encoded, estimate
from search_source import Hit, marked, words


class Cards(Engine):
    """Cards in rows of three, so that hits have different parents; ``find?q=…&page=2``."""

    folder, host, name = "cards", "www.lantern-finder.example", "Lantern Finder"
    path = "/find"
    per_page = 9
    title_limit = 60
    snippet_limit = 120

    def address(self, query: str, page: int = 1) -> str:
        return f"{self.path}?q={encoded(query)}" + (f"&page={page}" if page > 1 else "")

    def frame(self, query: str, main: str, page: int) -> str:
        return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(query or self.name)} | {self.name}</title><link rel="stylesheet" href="/static/style.css"></head>
<body><header class="top"><a class="brand" href="/">{self.name}</a><form action="/find"><input type="search" name="q" value="{escape(query)}"><button>Find</button></form></header>
<div class="layout"><aside class="facets"><h4>Source</h4><label><input type="checkbox"> Newspaper</label><label><input type="checkbox"> Forums</label><label><input type="checkbox"> Offices</label>
<h4>Year</h4><label><input type="radio"> 2025</label><label><input type="radio"> 2024</label><label><input type="radio"> any</label></aside>
<main>
{main}
</main></div>
<footer class="bottom">Lit every evening since 2014 · <a href="/">Start</a></footer></body></html>
"""

    def _card(self, query: str, hit: Hit) -> str:
        when = f'<time datetime="{hit.date}">{english_date(hit.date)}</time>' if hit.date else ""
        picture = (
            f'<img src="/static/card{hit.rank % 3}.svg" width="280" height="120" alt="">'
            if hit.rank % 4
            else '<div class="nopic"></div>'
        )
        return f"""<article class="card"><a class="pic" href="{escape(hit.document.address)}">{picture}</a>
<div class="txt"><h2><a href="{escape(hit.document.address)}">{escape(hit.title)}</a></h2><p>{marked(hit.snippet, words(query), "mark")}</p></div>
<div class="foot"><span class="src">{hit.document.host}</span>{when}</div></article>"""

    def results(self, query: str, page: int) -> str:
        hits = self.pages_of(query)[page - 1]
        rows = [
            '<div class="row">\n' + "\n".join(self._card(query, hit) for hit in hits[start : start + 3]) + "\n</div>"
            for start in range(0, len(hits), 3)
        ]
        if page == 1:
            rows.insert(
                1, '<div class="strip">Lantern Club: read the whole harbour for 4 crowns a month. <a href="/">Join</a></div>'
            )
        paths = self.paths_of(query)
        links = [
            f'<li class="active"><span>{number}</span></li>'
            if number == page
            else f'<li><a href="{escape(path)}">{number}</a></li>'
            for number, path in enumerate(paths, 1)
        ]
        if page > 1:
            links.insert(0, f'<li><a rel="prev" href="{escape(paths[page - 2])}">‹ Back</a></li>')
        if page < len(paths):
            links.append(f'<li><a rel="next" href="{escape(paths[page])}">Next ›</a></li>')
        return f"""<p class="count">{estimate(self.hits[query])} finds for “{escape(query)}”</p>
<div class="grid">
{chr(10).join(rows)}
</div>
<nav aria-label="pages"><ul class="pages">{"".join(links)}</ul></nav>"""

    def empty(self) -> str:
        return '<div class="nothing"><h2>The lantern found nothing</h2><p>Try fewer words, or <a href="/">begin again</a>.</p></div>'


class Tables(Engine):
    """Chinese; each hit a ``dl`` in a table cell of its own row; ``s?wd=…&pn=7``."""

    folder, host, name = "tables", "so.haimen-so.example", "海门搜"
    lang = "zh"
    queries = CHINESE
    path = "/s"
    per_page = 7
    title_limit = 56
    snippet_limit = 140

    def address(self, query: str, page: int = 1) -> str:
        return f"{self.path}?wd={encoded(query)}" + (f"&pn={(page - 1) * self.per_page}" if page > 1 else "")

    def frame(self, query: str, main: str, page: int) -> str:
        return f"""<!DOCTYPE html>
<html lang="zh"><head><meta charset="utf-8"><title>{escape(query)}_{self.name}</title><link rel="stylesheet" href="/static/style.css"></head>
<body><div id="head"><a id="logo" href="/">{self.name}</a><form action="/s"><input name="wd" value="{escape(query)}"><input type="submit" value="搜一下"></form></div>
<div class="tabs"><b>网页</b><a href="/">资讯</a><a href="/">贴吧</a><a href="/">图片</a><a href="/">地图</a></div>
<div id="container">
{main}
</div>
<div id="foot">海门搜 帮助 举报 <a href="/">首页</a></div></body></html>
"""

    def _hit(self, query: str, hit: Hit) -> str:
        when = ""
        if hit.date:
            moment = date.fromisoformat(hit.date)
            when = f'<span class="c-time">{moment.year}年{moment.month}月{moment.day}日</span>'
        return f"""<tr><td class="f"><dl class="result" id="{hit.rank}"><dt class="t"><a href="{escape(hit.document.address)}" target="_blank">{marked(hit.title, words(query), "em")}</a></dt>
<dd class="c-abstract">{when}{marked(hit.snippet, words(query), "em")}</dd>
<dd class="m"><span class="g">{hit.document.host}/</span> - <a href="/">快照</a></dd></dl></td></tr>"""

    def results(self, query: str, page: int) -> str:
        paths = self.paths_of(query)
        links = [
            f'<strong><span class="pc">{number}</span></strong>'
            if number == page
            else f'<a href="{escape(path)}"><span class="pc">{number}</span></a>'
            for number, path in enumerate(paths, 1)
        ]
        if page > 1:
            links.insert(0, f'<a href="{escape(paths[page - 2])}" class="n">&lt;上一页</a>')
        if page < len(paths):
            links.append(f'<a href="{escape(paths[page])}" class="n">下一页&gt;</a>')
        related = [
            f'<td><a href="{escape(self.address(other))}">{other}</a></td>' for other in self.queries if other != query
        ]
        hot = "".join(
            f"<li><span>{number}</span>{text}</li>"
            for number, text in enumerate(("雾号响了一整夜", "电车四路试运行", "铜鼓花落谁家", "今晚潮高四米一"), 1)
        )
        return f"""<table id="content" cellpadding="0" cellspacing="0"><tr><td id="left" valign="top">
<div class="nums">找到相关结果约{estimate(self.hits[query])}个</div>
<table class="results" cellpadding="0" cellspacing="0">
{chr(10).join(self._hit(query, hit) for hit in self.pages_of(query)[page - 1])}
</table>
<div id="rs"><div class="tt">相关搜索</div><table><tr>{"".join(related)}</tr></table></div>
<div id="page">{"".join(links)}</div></td>
<td id="right" valign="top"><div class="hot"><h3>实时热点</h3><ol>{hot}</ol></div></td></tr></table>"""

    def empty(self) -> str:
        return '<div class="nors"><p>很抱歉，没有找到相关的网页。</p><p>请检查输入的文字，或换一个词再试。</p></div>'
