"""Read the article files in ``source/`` (their form is described in ``source/README.md``)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

BASE = "http://www.harbour-ledger.example"

_INLINE_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_INLINE_BOLD = re.compile(r"\*\*([^*]+)\*\*")
# fmt: off
_KNOWN_KEYS = frozenset((
    "url", "template", "title", "section", "date", "shown_date", "order_date", "authors",
    "source", "editor", "image", "tags", "encoding", "charset", "found", "note",
    "flags", "print", "copy_of", "duplicate_of", "canonical", "author_box", "relative_hours", "kind",
))
# fmt: on


@dataclass(frozen=True)
class Block:
    """One piece of an article: paragraph, heading, list, table, quote or caption."""

    kind: str
    items: tuple[str, ...]

    def texts(self) -> list[str]:
        """The plain text pieces this block adds to the expected article text."""
        if self.kind == "caption":
            return []
        if self.kind == "table":
            return [" | ".join(plain(cell) for cell in cells(row)) for row in self.items]
        return [plain(item) for item in self.items]


@dataclass
class Article:
    """One article page (or one copy of it) with everything its template needs."""

    name: str
    head: dict[str, str]
    pages: list[list[Block]]
    comments: list[tuple[str, str]] = field(default_factory=list)

    def get(self, key: str, default: str = "") -> str:
        """A header value, or ``default``."""
        return self.head.get(key, default)

    def words(self, key: str) -> list[str]:
        """A header value with several entries separated by ``;``."""
        return [part.strip() for part in self.get(key).split(";") if part.strip()]

    @property
    def url(self) -> str:
        """Path of the (first) page on the site."""
        return self.head["url"]

    @property
    def title(self) -> str:
        """The headline."""
        return self.head["title"]

    @property
    def lang(self) -> str:
        """``zh`` or ``en``, as the address tells."""
        return "zh" if "/zh/" in self.url else "en"

    @property
    def template(self) -> str:
        """Name of the page template."""
        return self.head["template"]

    @property
    def flags(self) -> set[str]:
        """Switches for the template."""
        return set(self.words("flags"))

    @property
    def found(self) -> set[str]:
        """Where the article is announced: sitemap, feed, listing, link."""
        return set(self.words("found"))

    @property
    def kind(self) -> str:
        """``article`` unless the header says otherwise."""
        return self.get("kind", "article")

    @property
    def encoding(self) -> str:
        """Encoding of the page's bytes."""
        return self.get("encoding", "gbk" if self.template == "portal" else "utf-8")

    @property
    def charset(self) -> str:
        """Encoding the page declares; empty when it declares none."""
        declared = self.get("charset", "gb2312" if self.template == "portal" else "utf-8")
        return "" if declared == "none" else declared

    @property
    def moment(self) -> datetime:
        """Publication time for sorting and machine-readable stamps (no zone)."""
        stamp = self.get("order_date") or self.head["date"]
        return datetime.fromisoformat(stamp).replace(tzinfo=None)

    @property
    def first_text(self) -> str:
        """Plain text of the first paragraph, for teasers."""
        return next(text for block in self.pages[0] if block.kind == "p" for text in block.texts())

    def teaser(self) -> str:
        """The beginning of the first paragraph."""
        limit = 46 if self.lang == "zh" else 130
        text = self.first_text
        if len(text) <= limit:
            return text
        cut = text[:limit] if self.lang == "zh" else text[:limit].rsplit(" ", 1)[0]
        return cut + "…"

    def page_url(self, number: int) -> str:
        """Path of page ``number`` (from 1) of an article in several pages."""
        if number == 1:
            return self.url
        mark = "_" if self.lang == "zh" else "-"
        return self.url.removesuffix(".html") + f"{mark}{number}.html"

    def text(self) -> str:
        """The expected text of all pages together."""
        return "\n\n".join(text for page in self.pages for block in page for text in block.texts())


def plain(text: str) -> str:
    """Source text without its inline marks."""
    return _INLINE_BOLD.sub(r"\1", _INLINE_LINK.sub(r"\1", text))


def inline(text: str) -> str:
    """Source text as HTML: escaped, with ``**bold**`` and ``[links](/address)``."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    linked = _INLINE_LINK.sub(r'<a href="\2">\1</a>', escaped)
    return _INLINE_BOLD.sub(r"<strong>\1</strong>", linked)


def cells(row: str) -> list[str]:
    """The cells of a ``| a | b |`` line."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def read_block(chunk: str) -> Block:
    """One piece of source text, told by how it begins."""
    lines = [line.strip() for line in chunk.splitlines()]
    if lines[0].startswith("## "):
        return Block("heading", (" ".join(lines)[3:],))
    if lines[0].startswith("- "):
        return Block("list", tuple(line.removeprefix("- ") for line in lines))
    if lines[0].startswith("|"):
        return Block("table", tuple(lines))
    if lines[0].startswith("> "):
        return Block("quote", tuple(line.removeprefix("> ") for line in lines))
    if lines[0].startswith("!"):
        return Block("caption", (" ".join(lines)[1:].strip(),))
    return Block("p", (" ".join(lines),))


def parse(name: str, content: str) -> Article:
    """Parse one source file."""
    header, _, body = content.partition("\n\n")
    head: dict[str, str] = {}
    for line in header.splitlines():
        key, _, value = line.partition(":")
        if key not in _KNOWN_KEYS:
            raise ValueError(f"{name}: unknown header {key!r}")
        head[key] = value.strip()
    article = Article(name, head, [[]])
    for chunk in re.split(r"\n\s*\n", body.strip()):
        if not chunk.strip():
            continue
        if chunk.strip() == "===":
            article.pages.append([])
        elif chunk.startswith("% "):
            who, _, said = chunk[2:].partition(": ")
            article.comments.append((who, said))
        else:
            article.pages[-1].append(read_block(chunk))
    return article


def load(folder: Path) -> list[Article]:
    """All articles, newest first; files with ``copy_of`` take body and missing headers from that file."""
    articles = {path.stem: parse(path.stem, path.read_text("utf-8")) for path in sorted(folder.glob("*-*.txt"))}
    for article in articles.values():
        if original := articles.get(article.get("copy_of")):
            article.pages = original.pages
            inherited = ("title", "section", "date", "authors", "image", "tags", "source", "editor")
            for key in inherited:
                if key in original.head:
                    article.head.setdefault(key, original.head[key])
            article.head.setdefault("duplicate_of", original.url)
    return sorted(articles.values(), key=lambda item: (item.moment, item.name), reverse=True)
