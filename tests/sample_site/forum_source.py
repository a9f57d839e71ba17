"""Read the forum files in ``source/forum/`` (their form is described in ``source/README.md``)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import TypeVar
from zlib import crc32

from site_source import Block, inline, plain, read_block

T = TypeVar("T")

_BOARD = re.compile(r"\[board (\d+)\] (.+?) :: (.+)")
_THREAD = re.compile(r"\[thread (\d+) in (\d+)\] (.+)")
_POST = re.compile(r"@(\S+) (\d{4}-\S+(?: \d\d:\d\d)?)(?: (.*))?")
_COMMENT = re.compile(r"\+(\S+) (\d{4}-\S+) (.+)")
_SIGNATURES = {
    "en": ("", "Fair winds.", "", "Measure twice, launch once.", ""),
    "zh": ("", "潮来潮去，不忘初心", "", "", "有问题请先看置顶"),
}
_PLACES = {
    "en": ("Old Ropewalk", "Customs Quay", "Saltpan estate", "Signal Hill", "Gull Island"),
    "zh": ("税关路", "老城南门", "盐田村", "渡口"),
}
FIRST_POST_NUMBER = 400


@dataclass(frozen=True)
class Member:
    """A member's panel: what stands beside each post of theirs."""

    name: str
    number: int
    rank: str
    posts: int
    joined: datetime
    place: str
    signature: str


@dataclass(frozen=True)
class Comment:
    """A short remark under a post."""

    author: str
    stamp: str
    text: str


@dataclass
class Post:
    """One post of a thread."""

    author: str
    stamp: str
    """The date in ISO form, with a zone where the pages tell one."""
    flags: dict[str, str]
    blocks: list[Block] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    number: int = 0
    position: int = 0
    """From 1, over all pages of the thread."""

    @property
    def moment(self) -> datetime:
        """The date without its zone."""
        return datetime.fromisoformat(self.stamp).replace(tzinfo=None)

    def text(self) -> str:
        """What the author wrote, without quotations."""
        return "\n\n".join(text for block in self.blocks if block.kind != "quote" for text in _texts(block))

    def whole(self) -> str:
        """All of it as a reader sees it, quotations included."""
        return "\n\n".join(text for block in self.blocks for text in _texts(block))

    def quotes(self) -> list[dict[str, str]]:
        """What it quotes, and from whom."""
        found = [quoted(item) for block in self.blocks if block.kind == "quote" for item in block.items]
        return [{"author": who, "text": plain(said)} for who, said in found]


@dataclass
class Thread:
    """One thread."""

    number: int
    board: int
    title: str
    posts: list[Post] = field(default_factory=list)

    @property
    def views(self) -> int:
        """How often it was read: made up, but always the same."""
        return 40 + crc32(self.title.encode()) % 900 + 31 * len(self.posts)

    @property
    def last(self) -> Post:
        """The newest post."""
        return max(self.posts, key=lambda post: post.stamp)


@dataclass(frozen=True)
class Board:
    """One board of a forum."""

    number: int
    name: str
    about: str


@dataclass
class Forum:
    """A whole forum."""

    layout: str
    head: dict[str, str]
    boards: list[Board] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)

    @property
    def base(self) -> str:
        """Scheme and host."""
        return "http://" + self.head["host"]

    @property
    def name(self) -> str:
        """Its name."""
        return self.head["name"]

    @property
    def lang(self) -> str:
        """``en`` or ``zh``."""
        return self.head["language"]

    @property
    def encoding(self) -> str:
        """Encoding of the pages' bytes."""
        return self.head.get("encoding", "utf-8")

    @property
    def posts_per_page(self) -> int:
        """Posts on a page of a thread."""
        return int(self.head["posts_per_page"])

    def in_board(self, board: Board) -> list[Thread]:
        """A board's threads, newest post first."""
        own = [thread for thread in self.threads if thread.board == board.number]
        return sorted(own, key=lambda thread: thread.last.stamp, reverse=True)

    def board_pages(self, board: Board) -> list[list[Thread]]:
        """A board's threads, page by page."""
        return chunks(self.in_board(board), int(self.head["threads_per_page"]))

    def board_of(self, thread: Thread) -> Board:
        """The board in which a thread stands."""
        return next(board for board in self.boards if board.number == thread.board)

    def member(self, name: str) -> Member:
        """The member's panel: made up from the name, always the same."""
        seed = crc32(name.encode())
        ranks = (
            ("深海居民", "老船长", "水手", "上岸游客")
            if self.lang == "zh"
            else ("Admiral", "Skipper", "Deckhand", "Landlubber")
        )
        count = seed % 1800 + 3
        places, signatures = _PLACES[self.lang], _SIGNATURES[self.lang]
        rank = ranks[0 if count > 1500 else 1 if count > 700 else 2 if count > 120 else 3]
        joined = datetime(2009, 1, 1) + timedelta(days=seed % 5600)
        return Member(
            name, seed % 900 + 50, rank, count, joined, places[seed % len(places)], signatures[seed % len(signatures)]
        )


def chunks(items: list[T], size: int) -> list[list[T]]:
    """A list in pieces, at least one."""
    return [items[start : start + size] for start in range(0, len(items), size)] or [[]]


def body_html(post: Post, quote: str, list_tag: str = "<ul>", paragraph: tuple[str, str] = ("<p>", "</p>\n")) -> str:
    """A post's body in HTML.

    :param quote: pattern of a quotation with ``{who}`` and ``{text}``.
    :param paragraph: what stands around a paragraph.
    """
    parts = []
    for block in post.blocks:
        if block.kind == "quote":
            who, said = quoted(block.items[0])
            parts.append(quote.format(who=escape(who), text=inline(said)) + "\n")
        elif block.kind == "list":
            items = "".join(f"<li>{inline(item)}</li>\n" for item in block.items)
            parts.append(f"{list_tag}\n{items}</{list_tag[1:].split()[0].rstrip('>')}>\n")
        elif block.kind == "caption":
            parts.append(
                f'<img class="attached" src="/static/photo.svg" width="240" height="150" alt="{escape(block.items[0])}">\n'
            )
        else:
            parts.append(paragraph[0] + inline(block.items[0]) + paragraph[1])
    return "".join(parts).rstrip()


def _texts(block: Block) -> list[str]:
    return [plain(quoted(item)[1]) for item in block.items] if block.kind == "quote" else block.texts()


def quoted(item: str) -> tuple[str, str]:
    """Who is quoted, and what they said."""
    who, _, said = item.partition(": ")
    return who, said


def _finish(thread: Thread, chunks_of_post: list[str]) -> None:
    """Put the collected paragraphs into the newest post."""
    for chunk in re.split(r"\n\s*\n", "\n".join(chunks_of_post).strip()):
        if not chunk.strip():
            continue
        head, _, rest = chunk.partition("\n- ")
        pieces = [head, "- " + rest] if rest and not head.startswith("- ") else [chunk]
        for piece in pieces:
            lines, pictures = [], []
            for line in piece.splitlines():
                (pictures if line.startswith("! ") else lines).append(line)
            for text in ("\n".join(lines), *pictures):
                if text.strip():
                    thread.posts[-1].blocks.append(read_block(text))


def load_forum(path: Path) -> Forum:
    """One forum file.

    :raises ValueError: a line stands where it cannot.
    """
    header, _, rest = path.read_text("utf-8").partition("\n\n")
    head = {key: value.strip() for key, _, value in (line.partition(":") for line in header.splitlines())}
    forum = Forum(path.stem, head)
    spaces = head.get("spaces") == "yes"
    gathered: list[str] = []
    for line in rest.splitlines():
        if line[:1] in ("[", "@") and gathered:
            _finish(forum.threads[-1], gathered)
            gathered = []
        if match := _BOARD.fullmatch(line):
            forum.boards.append(Board(int(match[1]), match[2], match[3]))
        elif match := _THREAD.fullmatch(line):
            forum.threads.append(Thread(int(match[1]), int(match[2]), match[3]))
        elif match := _POST.fullmatch(line):
            flags = {key: value for key, _, value in (flag.partition("=") for flag in (match[3] or "").split())}
            posts = forum.threads[-1].posts
            name = match[1].replace("_", " ") if spaces else match[1]
            posts.append(Post(name, _iso(match[2]), flags, position=len(posts) + 1))
        elif match := _COMMENT.fullmatch(line):
            name = match[1].replace("_", " ") if spaces else match[1]
            forum.threads[-1].posts[-1].comments.append(Comment(name, _iso(match[2]), match[3]))
        elif line.startswith(("@", "[", "+")):
            raise ValueError(f"{path.name}: {line}")
        elif forum.threads:
            gathered.append(line)
    _finish(forum.threads[-1], gathered)
    everything = sorted((post for thread in forum.threads for post in thread.posts), key=lambda post: post.stamp)
    for offset, post in enumerate(everything):
        post.number = FIRST_POST_NUMBER + 7 * offset
    return forum


def _iso(stamp: str) -> str:
    return stamp.replace(" ", "T").replace("Z", "+00:00")
