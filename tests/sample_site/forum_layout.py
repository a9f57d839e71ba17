"""What the forum layouts share: addresses, pages of a thread, the member's avatar, numbers of a pager."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime
from html import escape
from zlib import crc32

from forum_source import Board, Forum, Post, Thread, chunks

AVATARS = 4
_COLOURS = ("#4b7f9e", "#9e6b4b", "#6b8f4b", "#7a5c99")


class Layout(ABC):
    """The pages of a forum in the markup of one kind of forum software. Paths begin with ``/`` and may have a query."""

    def __init__(self, forum: Forum) -> None:
        self.forum = forum

    @abstractmethod
    def thread_path(self, thread: Thread, page: int = 1) -> str:
        """Where a page of a thread is."""

    @abstractmethod
    def board_path(self, board: Board, page: int = 1) -> str:
        """Where a page of a board is."""

    @abstractmethod
    def front_page(self) -> str:
        """The page at ``/``."""

    @abstractmethod
    def board_page(self, board: Board, page: int) -> str:
        """A page of a board, from 1."""

    @abstractmethod
    def thread_page(self, thread: Thread, page: int) -> str:
        """A page of a thread, from 1."""

    @abstractmethod
    def plain_pages(self) -> dict[str, str]:
        """Pages without posts, by path. One without an ending also answers for
        every query that has no page of its own."""

    forbidden: tuple[str, ...] = ()
    """Paths that robots.txt forbids."""

    def pages_of(self, thread: Thread) -> list[list[Post]]:
        """The thread's posts, page by page."""
        return chunks(thread.posts, self.forum.posts_per_page)

    def anchor(self, post: Post) -> str:
        """The fragment that leads to a post."""
        return f"p{post.number}"

    def permalink(self, thread: Thread, post: Post) -> str:
        """Path and fragment of a post: on the first page that has it."""
        page = next(number for number, posts in enumerate(self.pages_of(thread), 1) if post in posts)
        return f"{self.thread_path(thread, page)}#{self.anchor(post)}"

    def href(self, path: str) -> str:
        """A path as an attribute's value."""
        return escape(path)

    def files(self) -> dict[str, str]:
        """Everything but the static files, by path."""
        found = {"/": self.front_page(), **self.plain_pages()}
        for board in self.forum.boards:
            for page in range(1, len(self.forum.board_pages(board)) + 1):
                found[self.board_path(board, page)] = self.board_page(board, page)
        for thread in self.forum.threads:
            for page in range(1, len(self.pages_of(thread)) + 1):
                found[self.thread_path(thread, page)] = self.thread_page(thread, page)
        return found


def avatar_path(name: str) -> str:
    """The avatar picture of a member."""
    return f"/static/avatar{crc32(name.encode()) % AVATARS}.svg"


def pictures() -> dict[str, str]:
    """The pictures that every forum has."""
    found = {
        f"/static/avatar{number}.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80">'
        f'<rect width="80" height="80" fill="{colour}"/><circle cx="40" cy="32" r="15" fill="#fff" opacity=".8"/>'
        '<path d="M12 80c0-22 12-30 28-30s28 8 28 30z" fill="#fff" opacity=".8"/></svg>\n'
        for number, colour in enumerate(_COLOURS)
    }
    found["/static/photo.svg"] = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 150"><rect width="240" height="150" fill="#cfe3ee"/>'
        '<path d="M0 110q30-12 60 0t60 0 60 0 60 0v40H0z" fill="#3f6f8c"/><path d="M70 105h90l-18 22H88zM112 40v60h40z" '
        'fill="#8c4a3f"/></svg>\n'
    )
    return found


def tiny_page(title: str, note: str, charset: str = "utf-8") -> str:
    """A page that only has to be there."""
    head = f'<meta charset="{charset}"><title>{title}</title>'
    return f"<!DOCTYPE html>\n<html><head>{head}</head><body><p>{note}</p></body></html>\n"


def twelve_hours(moment: datetime, meridiem: tuple[str, str] = ("am", "pm")) -> str:
    """``8:14 am``."""
    return f"{moment.hour % 12 or 12}:{moment:%M} {meridiem[moment.hour >= 12]}"
