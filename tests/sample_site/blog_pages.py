"""A weblog as stock themes write it: the site ``www.merrow-notes.example``, with the newspaper's English articles as posts.

Its front page and its archives have long excerpts under linked headings, in hAtom markup; they are split into pages. Tags,
categories, authors and months list the same posts over and over; an "about" page has no date. A sitemap lists all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby

from site_source import Article

BLOG = "http://www.merrow-notes.example"
PER_PAGE = 4
EXCERPT = 3
"""Paragraphs of an excerpt."""
POSTS = 14


def blog_files(articles: Sequence[Article]) -> tuple[dict[str, str], list[dict[str, object]]]:
    """The files by path below the site's folder, and a line of the truth for each page."""
    posts = _posts(articles)
    pages: dict[str, str] = {}
    lines: list[dict[str, object]] = []
    for post in posts:
        pages[_path(post)] = _page(post.title, _entry(post, posts), posts)
        lines.append(
            {"address": BLOG + _path(post), "kind": "article", "title": post.title, "date": f"{post.moment:%Y-%m-%d}"}
        )
    lists: list[tuple[str, str, Sequence[Article]]] = [("/", "Merrow Notes", posts)]
    lists += _archives("tag", posts, lambda post: post.words("tags"))
    lists += _archives("category", posts, lambda post: [post.get("section")] if post.get("section") else [])
    lists += _archives("author", posts, lambda post: post.words("authors")[:1])
    lists += [
        (f"/{month}/", f"Month {month}", list(group)) for month, group in groupby(posts, lambda p: f"{p.moment:%Y/%m}")
    ]
    for path, title, members in lists:
        for number, start in enumerate(range(0, len(members), PER_PAGE), 1):
            here = path if number == 1 else f"{path}page/{number}/"
            older = f"{path}page/{number + 1}/" if start + PER_PAGE < len(members) else None
            pages[here] = _page(title, _list(title, members[start : start + PER_PAGE], older), posts)
            lines.append({"address": BLOG + here, "kind": "listing"})
    about = "".join(f"<p>{escape(text)}</p>" for text in _ABOUT)
    pages["/about/"] = _page(
        "About these notes", f"<div class='page'><h1 class='page-title'>About these notes</h1>{about}</div>", posts
    )
    lines.append({"address": BLOG + "/about/", "kind": "other"})
    files = {path.lstrip("/") + "index.html": html for path, html in pages.items()}
    urls = "".join(f"<url><loc>{BLOG}{path}</loc></url>" for path in pages)
    files["sitemap.xml"] = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>\n'
    )
    files["feed.xml"] = _feed(posts)
    return files, lines


_ABOUT = (
    "Merrow Notes are written in the back room of a chandlery, by whoever is waiting for the tide and has something to say.",
    "Nobody is paid, nothing is sold, and letters are read aloud on the first evening of every month that has an evening.",
)


def _posts(articles: Sequence[Article]) -> list[Article]:
    """English articles on one page with a whole date, the newest first."""
    fit = [
        article
        for article in articles
        if article.lang == "en" and article.get("date") and len(article.pages) == 1 and not article.get("duplicate_of")
        and len(article.text().split("\n\n")) > EXCERPT
    ]  # fmt: skip
    return sorted(fit, key=lambda article: article.moment, reverse=True)[:POSTS]


def _path(post: Article) -> str:
    name = post.url.rstrip("/").rpartition("/")[2].partition(".")[0]
    return f"/{post.moment:%Y/%m}/{name}/"


def _slug(name: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())


def _archives(
    kind: str, posts: Sequence[Article], names: Callable[[Article], Sequence[str]]
) -> Iterator[tuple[str, str, Sequence[Article]]]:
    """Address, title and posts of each archive of a kind."""
    for name in sorted({name for post in posts for name in names(post)}):
        members = [post for post in posts if name in names(post)]
        yield f"/{kind}/{_slug(name)}/", f"{kind.title()}: {name}", members


def _meta(post: Article) -> str:
    author = post.words("authors")[:1]
    by = f' by <a class="url fn" rel="author" href="/author/{_slug(author[0])}/">{escape(author[0])}</a>' if author else ""
    tags = ", ".join(f'<a rel="tag" href="/tag/{_slug(tag)}/">{escape(tag)}</a>' for tag in post.words("tags"))
    return (
        f'<div class="entry-meta">Posted on <abbr class="published" title="{post.moment:%Y-%m-%d}">{post.moment:%d %B %Y}</abbr>'
        f'<span class="vcard author">{by}</span>{" – filed under " + tags if tags else ""}</div>'
    )


def _entry(post: Article, posts: Sequence[Article]) -> str:
    body = "".join(f"<p>{escape(piece)}</p>" for piece in post.text().split("\n\n"))
    place = posts.index(post)
    older = (
        f'<a rel="prev" href="{_path(posts[place + 1])}">{escape(posts[place + 1].title)}</a>'
        if place + 1 < len(posts)
        else ""
    )
    newer = f'<a rel="next" href="{_path(posts[place - 1])}">{escape(posts[place - 1].title)}</a>' if place else ""
    return (
        f'<div class="hentry"><h1 class="entry-title">{escape(post.title)}</h1>{_meta(post)}'
        f'<div class="entry-content">{body}</div></div><div class="navigation">{older} {newer}</div>'
    )


def _list(title: str, posts: Sequence[Article], older: str | None) -> str:
    entries = "".join(
        f'<div class="hentry"><h2 class="entry-title"><a rel="bookmark" href="{_path(post)}">{escape(post.title)}</a></h2>'
        f'{_meta(post)}<div class="entry-content">'
        + "".join(f"<p>{escape(piece)}</p>" for piece in post.text().split("\n\n")[:EXCERPT])
        + f'<p><a class="more-link" href="{_path(post)}">Read on</a></p></div></div>'
        for post in posts
    )
    head = f'<h1 class="archive-title">{escape(title)}</h1>' if title != "Merrow Notes" else ""
    return head + entries + (f'<div class="navigation"><a href="{older}">Older entries</a></div>' if older else "")


def _page(title: str, main: str, posts: Sequence[Article]) -> str:
    sections = sorted({post.get("section") for post in posts if post.get("section")})
    tags = sorted({tag for post in posts for tag in post.words("tags")})
    menu = "".join(f'<li><a href="/category/{_slug(name)}/">{escape(name)}</a></li>' for name in sections)
    cloud = "".join(f'<a href="/tag/{_slug(tag)}/">{escape(tag)}</a> ' for tag in tags)
    months = "".join(
        f'<li><a href="/{month}/">{month}</a></li>' for month in dict.fromkeys(f"{p.moment:%Y/%m}" for p in posts)
    )
    name = title if title == "Merrow Notes" else f"{title} – Merrow Notes"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(name)}</title>'
        '<link rel="alternate" type="application/rss+xml" href="/feed.xml"></head><body>'
        '<div id="header"><p class="site-title"><a href="/">Merrow Notes</a></p><ul class="menu"><li><a href="/">Home</a></li>'
        '<li><a href="/about/">About</a></li></ul></div>'
        f'<div id="content">{main}</div><div id="sidebar"><h3>Categories</h3><ul>{menu}</ul><h3>Tags</h3><p>{cloud}</p>'
        f'<h3>Months</h3><ul>{months}</ul><p><a href="/feed.xml">Entries (RSS)</a></p></div></body></html>\n'
    )


def _feed(posts: Sequence[Article]) -> str:
    items = "".join(
        f"<item><title>{escape(post.title)}</title><link>{BLOG}{_path(post)}</link>"
        f"<pubDate>{post.moment:%d %b %Y} 08:00:00 GMT</pubDate></item>"
        for post in posts[:5]
    )
    return f'<?xml version="1.0"?>\n<rss version="2.0"><channel><title>Merrow Notes</title><link>{BLOG}/</link>{items}</channel></rss>\n'
