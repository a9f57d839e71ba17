"""The engines with lists of links: ``classic`` (with advertisements and a side column), ``rows`` and ``meta``."""

from __future__ import annotations

from datetime import date
from html import escape
from urllib.parse import urlsplit

from search_layout import CHINESE, ENGLISH, Engine, encoded, estimate
from search_source import Hit, marked, words

_HIGHLIGHT = ("span", ' class="highlight"')


def english_date(day: str) -> str:
    """``Mar 2, 2025``."""
    moment = date.fromisoformat(day)
    return f"{moment:%b} {moment.day}, {moment.year}"


def trail(address: str) -> str:
    """An address as engines show it: host and folders."""
    parts = urlsplit(address)
    return " › ".join([parts.hostname or "", *[step for step in parts.path.split("/") if step][:2]])


class Classic(Engine):
    """Blue links; two advertisements above, a box of questions between, a side column; ``search?q=…&start=10``."""

    folder, host, name = "classic", "hafen-suche.example", "Hafen-Suche"

    def address(self, query: str, page: int = 1) -> str:
        return f"{self.path}?q={encoded(query)}" + (f"&start={(page - 1) * self.per_page}" if page > 1 else "")

    def frame(self, query: str, main: str, page: int) -> str:
        return f"""<!doctype html>
<html itemscope lang="en">
<head><meta charset="UTF-8"><title>{escape(query or "Nothing")} - {self.name}</title>
<link rel="stylesheet" href="/static/style.css"></head>
<body id="gsr">
<div class="sfbg"><div class="head"><a class="logo" href="/">{self.name}</a>
<form class="tsf" action="/search" role="search"><input name="q" value="{escape(query)}" aria-label="Search"><button>Search</button></form></div>
<div class="hdtb"><a class="on" href="/">All</a><a href="/more">Pictures</a><a href="/more">Charts</a><a href="/more">Tides</a><a href="/more">Tools</a></div></div>
<div id="main">
{main}
</div>
<div id="fbar"><span>Port Merrow - from your harbour</span> <a href="/more">Help</a> <a href="/more">Privacy</a> <a href="/more">Terms</a></div>
</body></html>
"""

    def _hit(self, query: str, hit: Hit) -> str:
        when = f'<span class="when">{english_date(hit.date)} — </span>' if hit.date else ""
        return f"""<div class="g"><div class="rc"><div class="yu"><a href="{escape(hit.document.address)}"><h3>{escape(hit.title)}</h3><div class="tb"><cite>{escape(trail(hit.document.address))}</cite></div></a><a class="menu" href="/more" title="About this result">⋮</a></div>
<div class="vw">{when}<span>{marked(hit.snippet, words(query), "em")}</span></div></div></div>"""

    def _advertisement(self, number: int) -> str:
        title, host, text = (
            (
                "Pilot's Rest Hotel - Rooms with a view",
                "www.pilots-rest.example",
                "Sea-view rooms from 79 crowns a night, breakfast included. Book directly and save.",
            ),
            (
                "Tar, rope and paint - delivered on board",
                "www.quay-chandler.example",
                "Everything for your boat on one pontoon. Free delivery above 60 crowns.",
            ),
            ("Learn knots online", "www.knot-school.example", "Forty lessons, one rope. First lesson free of charge."),
        )[number]
        return f'<div class="ad"><div class="label"><b>Sponsored</b> <cite>{host}</cite></div><a href="http://{host}/"><h3>{title}</h3></a><div class="vw">{text}</div></div>'

    def results(self, query: str, page: int) -> str:
        hits = [self._hit(query, hit) for hit in self.pages_of(query)[page - 1]]
        if page == 1:
            asked = "".join(
                f'<div class="q">{question}<span>⌄</span></div>'
                for question in (
                    "When does the last boat leave?",
                    "Is it open on Sundays?",
                    "Why is there so much fog?",
                    "Who pays for the gulls?",
                )
            )
            hits.insert(3, f'<div class="paa"><h2>People also ask</h2>{asked}</div>')
        paths = self.paths_of(query)
        cells = [
            f'<td class="cur">{number}</td>'
            if number == page
            else f'<td><a class="fl" href="{escape(path)}" aria-label="Page {number}">{number}</a></td>'
            for number, path in enumerate(paths, 1)
        ]
        if page > 1:
            cells.insert(0, f'<td><a id="pnprev" href="{escape(paths[page - 2])}">Previous</a></td>')
        if page < len(paths):
            cells.append(f'<td><a id="pnnext" href="{escape(paths[page])}">Next</a></td>')
        related = "".join(
            f'<a href="{escape(self.address(other))}">{escape(other)}</a>' for other in self.queries if other != query
        )
        return f"""<div id="rcnt"><div id="center_col"><div id="result-stats">{f"Page {page} of about" if page > 1 else "About"} {estimate(self.hits[query])} results</div>
<div id="tads">{self._advertisement(0)}{self._advertisement(1)}</div>
<div id="search"><div id="rso">
{chr(10).join(hits)}
</div></div>
<div id="bottomads">{self._advertisement(2)}</div>
<div id="botstuff"><h2>Related searches</h2><div class="brs">{related}</div></div>
<table id="nav" role="presentation"><tr>{"".join(cells)}</tr></table></div>
<div id="rhs"><div class="kp"><img src="/static/harbour.svg" width="120" height="75" alt=""><h2>Port Merrow</h2><div class="sub">Harbour town</div><p>Port Merrow is a harbour town with a newspaper, a ferry and a great many gulls.</p><dl><dt>Founded</dt><dd>1642</dd><dt>Population</dt><dd>48,300</dd><dt>Fog</dt><dd>31 days a year</dd></dl></div></div></div>"""

    def empty(self) -> str:
        return """<div id="rcnt"><div id="center_col"><div id="topstuff"><p>Your search did not match any documents.</p><p>Suggestions:</p><ul><li>Make sure that all words are spelled correctly.</li><li>Try different words.</li><li>Try more general words.</li></ul></div></div></div>"""

    def files(self) -> dict[str, str]:
        return super().files() | {"/more": self.frame("", '<div class="home"><p>There is nothing more.</p></div>', 0)}


class Rows(Engine):
    """An old portal: a hit is three rows of one big table, without an element of its own; forbids crawlers."""

    folder, host, name = "rows", "www.alte-lotse.example", "Alte Lotse"
    allows = False
    snippet_limit = 130

    def address(self, query: str, page: int = 1) -> str:
        return f"{self.path}?q={encoded(query)}&page={page}"

    def frame(self, query: str, main: str, page: int) -> str:
        return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>{self.name}: {escape(query)}</title>
<link rel="stylesheet" type="text/css" href="/static/style.css"></head>
<body bgcolor="#ffffff"><table class="outer" width="780" align="center" cellpadding="0" cellspacing="0">
<tr><td colspan="2" class="banner"><a href="/">{self.name}</a> <small>the pilot of the old web</small></td></tr>
<tr><td width="130" valign="top" class="left"><b>Channels</b><br><a href="/">Search</a><br><a href="/">Weather</a><br><a href="/">Horoscope</a><br><a href="/">Chat</a></td>
<td valign="top" class="mid"><form action="/search"><input name="q" size="40" value="{escape(query)}"> <input type="submit" value="Search"></form>
{main}
</td></tr><tr><td colspan="2" class="foot" align="center">Best viewed at 800 by 600</td></tr></table></body></html>
"""

    def results(self, query: str, page: int) -> str:
        rows = []
        for hit in self.pages_of(query)[page - 1]:
            when = f" - {hit.date}" if hit.date else ""
            rows.append(f"""<tr><td class="no" width="30" align="right" valign="top">{hit.rank}.</td><td class="ti"><a href="{escape(hit.document.address)}">{marked(hit.title, words(query), "b")}</a></td></tr>
<tr><td></td><td class="tx">{marked(hit.snippet, words(query), "b")}</td></tr>
<tr><td></td><td class="ad">{escape(hit.document.address.removeprefix("http://")[:60])}{when}</td></tr>""")
        paths = self.paths_of(query)
        links = [
            f"<b>{number}</b>" if number == page else f'<a href="{escape(path)}">{number}</a>'
            for number, path in enumerate(paths, 1)
        ]
        if page < len(paths):
            links.append(f'<a href="{escape(paths[page])}">Next &gt;&gt;</a>')
        return f"""<p class="stat">Found {estimate(self.hits[query])} pages for <b>{escape(query)}</b></p>
<table class="hits" width="100%" cellpadding="2" cellspacing="0">
{chr(10).join(rows)}
</table>
<p class="pages">Result pages: {" ".join(links)}</p>"""

    def empty(self) -> str:
        return '<p class="stat">Found <b>0</b> pages.</p><p>No pages were found. Please try another word.</p>'


class Meta(Engine):
    """A meta search engine in the manner of SearXNG: articles, categories, a next page by a form with ``pageno``.

    The first page answers with and without ``pageno=1``, as SearXNG's own forms ask for it.
    """

    folder, host, name = "meta", "searx.merrow-net.example", "merrow searx"
    queries = (*ENGLISH[:4], *CHINESE[2:4])
    title_limit = 90

    def address(self, query: str, page: int = 1) -> str:
        return f"{self.path}?q={encoded(query)}" + (f"&pageno={page}" if page > 1 else "")

    def frame(self, query: str, main: str, page: int) -> str:
        return f"""<!DOCTYPE html>
<html class="no-js theme-auto center-alignment-no" lang="en">
<head><meta charset="UTF-8"><meta name="robots" content="noarchive"><title>{escape(query)} - {self.name}</title>
<link rel="stylesheet" href="/static/style.css" type="text/css"></head>
<body class="{"results" if page else "index"}_endpoint">
<main id="main_results" class="only_template_default.html">
<nav id="links_on_top"><a href="/about">About</a><a href="/preferences">Preferences</a></nav>
<form id="search" method="GET" action="/search" role="search"><div id="search_header"><a id="search_logo" href="/">{self.name}</a>
<div id="search_view"><div class="search_box"><input id="q" name="q" type="text" value="{escape(query)}" placeholder="Search for..."><button id="send_search" type="submit">search</button></div></div>
<div id="categories"><div id="categories_container">{"".join(f'<button type="submit" name="category_{name}" class="category{" selected" * (name == "general")}">{name}</button>' for name in ("general", "images", "news", "map", "files"))}</div></div></div></form>
{main}
</main>
<footer><p>Powered by rope and patience - a privacy-respecting metasearch engine<br><a href="/about">Source code</a> | <a href="/about">Issue tracker</a></p></footer>
</body></html>
"""

    def _hit(self, query: str, hit: Hit) -> str:
        engines = ("pilot", "beacon", "old chart", "lantern")
        used = [engine for number, engine in enumerate(engines) if (hit.rank + number) % 3 or number == 0]
        when = f'<time class="published_date" datetime="{hit.date}">{hit.date}</time>' if hit.date else ""
        parts = trail(hit.document.address).split(" › ")
        shown = f'<span class="url_o1"><span class="url_i1">http://{parts[0]}</span></span>' + "".join(
            f'<span class="url_o2"><span class="url_i2"> › {escape(part)}</span></span>' for part in parts[1:]
        )
        address = escape(hit.document.address)
        return f"""<article class="result result-default category-general">
<a href="{address}" class="url_header" rel="noreferrer"><div class="url_wrapper">{shown}</div></a><h3><a href="{address}" rel="noreferrer">{marked(hit.title, words(query), *_HIGHLIGHT)}</a></h3>{when}
<p class="content">{marked(hit.snippet, words(query), *_HIGHLIGHT)}</p>
<div class="engines">{"".join(f"<span>{engine}</span>" for engine in used)}<a href="/cache?url={encoded(hit.document.address)}" class="cache_link">cached</a></div><div class="break"></div>
</article>"""

    def _turn(self, query: str, page: int, css: str, label: str) -> str:
        return f'<form method="GET" action="/search" class="{css}"><input type="hidden" name="q" value="{escape(query)}"><input type="hidden" name="pageno" value="{page}"><button type="submit">{label}</button></form>'

    def results(self, query: str, page: int) -> str:
        pages = len(self.pages_of(query))
        turns = [self._turn(query, page - 1, "previous_page", "previous page")] if page > 1 else []
        numbers = "".join(
            self._turn(query, number, "page_number" + "_current" * (number == page), str(number))
            for number in range(1, pages + 1)
        )
        if page < pages:
            turns.append(self._turn(query, page + 1, "next_page", "next page"))
        hits = "\n".join(self._hit(query, hit) for hit in self.pages_of(query)[page - 1])
        answer = (
            '<div id="answers"><h4 class="title">Answers</h4><div class="answer"><span>High water today at ten to six in the evening.</span></div></div>'
            if page == 1
            else ""
        )
        others = "".join(
            f'<form method="GET" action="/search"><input type="hidden" name="q" value="{escape(other)}"><input type="submit" class="suggestion" value="{escape(other)}"></form>'
            for other in self.queries
            if other != query
        )
        return f"""<div id="results" class="only_template_default">
{answer}<div id="sidebar"><div id="suggestions"><details class="sidebar-collapsible" open><summary class="title">Suggestions</summary><div class="wrapper">{others}</div></details></div>
<div id="engines_msg"><details open><summary class="title">Response time: 0.4 seconds</summary><table class="engine-stats"><tr><td>pilot</td><td>0.2</td></tr><tr><td>beacon</td><td>0.4</td></tr></table></details></div>
<div id="search_url"><details open><summary class="title">Search URL</summary><pre>{escape(self.base + self.address(query, page))}</pre></details></div></div>
<div id="urls" role="main">
{hits}
</div>
<nav id="pagination">{"".join(turns)}<div class="numbered_pagination">{numbers}</div></nav>
</div>"""

    def empty(self) -> str:
        return '<div id="results"><div id="urls" role="main"><div class="dialog-error" role="alert"><p><strong>Sorry!</strong></p><p>No results were found. You can try to:</p><ul><li>Refresh the page.</li><li>Search for another query or select another category (above).</li></ul></div></div></div>'

    def files(self) -> dict[str, str]:
        first = {f"{self.address(query)}&pageno=1": self.frame(query, self.results(query, 1), 1) for query in self.queries}
        notes = {
            "/about": "About this instance.",
            "/preferences": "Nothing can be preferred.",
            "/cache": "The cached copy is damp.",
        }
        plain = {path: self.frame("", f'<div class="home"><p>{note}</p></div>', 0) for path, note in notes.items()}
        return super().files() | first | plain
