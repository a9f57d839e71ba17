"""The forums, search engines, list pages and pages for wrappers: their files and their truth, from ``source/``."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qsl, quote

from forum_archive import Archive
from forum_columns import Columns
from forum_comments import Comments
from forum_grid import Grid
from forum_layout import Layout, pictures
from forum_panels import Panels
from forum_questions import Questions
from forum_source import Post, Thread, load_forum
from forum_stream import Stream
from forum_table import Table
from forum_tracker import Tracker
from list_pages import expected, expected_news, list_pages
from search_engines import Classic, Meta, Rows
from search_grids import Cards, Tables
from search_layout import UNKNOWN, Engine
from search_source import documents
from site_pages import Page
from site_source import Article
from wrapped_pages import expected_objects, wrapped_files

FORUMS: dict[str, type[Layout]] = {
    "panels": Panels,
    "table": Table,
    "stream": Stream,
    "columns": Columns,
    "questions": Questions,
    "comments": Comments,
    "grid": Grid,
    "tracker": Tracker,
    "archive": Archive,
}
UNLISTED = frozenset(("grid", "tracker", "archive"))
"""Layouts of forums that no engine knows."""
ENGINES: tuple[type[Engine], ...] = (Classic, Cards, Tables, Meta, Rows)
_ENDINGS = frozenset((".html", ".css", ".svg", ".txt"))
_UNSAFE = re.compile(r'[\x00-\x20\x7f"%&+/:*<=>?\\|]')


def file_name(path: str) -> str:
    """The file that answers for a path with its query (the rule is in ``spiders/addresses.py``)."""
    address, _, query = path.partition("?")
    folder, _, name = address.lstrip("/").rpartition("/")
    folder += "/" * bool(folder)
    if query:
        pairs = sorted(parse_qsl(query, keep_blank_values=True))
        return f"{folder}{name or 'index'}@" + "&".join(f"{_plain(key)}={_plain(value)}" for key, value in pairs) + ".html"
    if not name:
        return f"{folder}index.html"
    return folder + name if Path(name).suffix in _ENDINGS else f"{folder}{name}@.html"


def _plain(text: str) -> str:
    return _UNSAFE.sub(lambda match: "+" if match[0] == " " else quote(match[0], safe=""), text)


def site_name(host: str) -> str:
    """The name of a site in ``settings/sites.toml``."""
    return host.split(".")[-2]


def forum_layouts(source: Path) -> list[Layout]:
    """All forums, in the layouts of their own."""
    return [FORUMS[path.stem](load_forum(path)) for path in sorted(source.glob("*.txt"))]


def _post_line(layout: Layout, thread: Thread, post: Post) -> dict[str, object]:
    permalink = layout.forum.base + layout.permalink(thread, post)
    line: dict[str, object] = {
        "position": post.position,
        "author": post.author,
        "date": post.stamp,
        "text": post.text(),
        "quotes": post.quotes(),
        "permalink": permalink,
        "page": permalink.partition("#")[0],
    }
    if post.comments:
        line["comments"] = [{"author": one.author, "date": one.stamp, "text": one.text} for one in post.comments]
    return line


def _thread_lines(layout: Layout) -> list[dict[str, object]]:
    forum = layout.forum
    return [
        {
            "site": site_name(forum.head["host"]),
            "layout": forum.layout,
            "language": forum.lang,
            "board": forum.board_of(thread).name,
            "title": thread.title,
            "address": forum.base + layout.thread_path(thread),
            "pages": [
                {"address": forum.base + layout.thread_path(thread, number), "positions": [post.position for post in posts]}
                for number, posts in enumerate(layout.pages_of(thread), 1)
            ],
            "posts": [_post_line(layout, thread, post) for post in thread.posts],
        }
        for thread in forum.threads
    ]


def _hit_lines(engine: Engine) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    for query in engine.queries:
        paths = engine.paths_of(query)
        for page, hits in enumerate(engine.pages_of(query), 1):
            lines.append(
                {
                    "engine": site_name(engine.host),
                    "layout": engine.folder,
                    "query": query,
                    "page": page,
                    "address": engine.base + paths[page - 1],
                    "next": engine.base + paths[page] if page < len(paths) else None,
                    "hits": [
                        {
                            "rank": hit.rank,
                            "title": hit.title,
                            "address": hit.document.address,
                            "snippet": hit.snippet,
                            "date": hit.date,
                        }
                        for hit in hits
                    ],
                }
            )
    address = engine.base + engine.address(UNKNOWN)
    empty = {
        "engine": site_name(engine.host),
        "layout": engine.folder,
        "query": UNKNOWN,
        "page": 1,
        "address": address,
        "next": None,
        "hits": [],
    }
    return [*lines, empty]


def _lines(lines: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def _photos(prefix: str) -> dict[str, str]:
    colours = (("#9fb8c8", "#41607a"), ("#c8b89f", "#7a6041"), ("#a9c89f", "#4c7a41"))
    return {
        f"/static/{prefix}{number}.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 200">'
        f'<rect width="320" height="200" fill="{sky}"/><path d="M0 140q40-16 80 0t80 0 80 0 80 0v60H0z" fill="{sea}"/></svg>\n'
        for number, (sky, sea) in enumerate(colours)
    }


def build_records(source: Path, articles: Sequence[Article], news: Sequence[Page]) -> dict[str, bytes]:
    """All files of the forums, engines, lists and wrappers' pages, and their truth, by path relative to this folder.

    :param news: the newspaper's own pages, for their line of the truth.
    """
    layouts = forum_layouts(source / "forum")
    files: dict[str, bytes] = {}
    for layout in layouts:
        forum = layout.forum
        root = f"forum/{forum.layout}/"
        robots = "User-agent: *\n" + "".join(f"Disallow: {path}\n" for path in layout.forbidden)
        for path, text in {**pictures(), "/robots.txt": robots}.items():
            files[root + file_name(path)] = text.encode()
        for path, text in layout.files().items():
            files[root + file_name(path)] = text.encode(forum.encoding, "xmlcharrefreplace")
        files[root + "static/style.css"] = (source / "forum" / f"{forum.layout}.css").read_bytes()
    listed = [layout for layout in layouts if layout.forum.layout not in UNLISTED]
    engines = [kind(documents(articles, listed, source / "search" / "web.txt")) for kind in ENGINES]
    for engine in engines:
        extra = _photos("card") if engine.folder == "cards" else {}
        if engine.folder == "classic":
            extra = {"/static/harbour.svg": pictures()["/static/photo.svg"]}
        for path, text in {**engine.files(), **extra, "/robots.txt": engine.robots()}.items():
            files[f"search/{engine.folder}/{file_name(path)}"] = text.encode()
        files[f"search/{engine.folder}/static/style.css"] = (source / "search" / f"{engine.folder}.css").read_bytes()
    lists = list_pages(articles)
    for path, text in {
        **{page.path: page.html for page in lists},
        **_photos("photo"),
        "/robots.txt": "User-agent: *\nDisallow:\n",
    }.items():
        files[f"lists/wire/{file_name(path)}"] = text.encode()
    files["lists/wire/static/style.css"] = (source / "lists" / "wire.css").read_bytes()
    files["expected_posts.jsonl"] = _lines([line for layout in layouts for line in _thread_lines(layout)])
    files["expected_hits.jsonl"] = _lines([line for engine in engines for line in _hit_lines(engine)])
    files |= {f"wrapped/{path}": text.encode() for path, text in wrapped_files().items()}
    files["expected_objects.jsonl"] = _lines(expected_objects())
    files["expected_lists.jsonl"] = _lines([*expected_news(news), *map(expected, lists)])
    return files
