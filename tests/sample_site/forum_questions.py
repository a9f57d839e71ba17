"""Forum layout ``questions``: a question, its answers by votes, comments under both, as StackExchange has it."""

from __future__ import annotations

from datetime import datetime
from html import escape

from forum_layout import Layout, avatar_path, tiny_page
from forum_source import Board, Comment, Post, Thread, body_html, chunks

_QUOTE = "<blockquote><p>{text}</p></blockquote>"


def _slug(thread: Thread) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in thread.title.lower().replace("'", "")).split()
    return "-".join(words[:9])


def _moment(stamp: str) -> tuple[str, str]:
    """A date as the title attribute and as the text have it."""
    moment = datetime.fromisoformat(stamp)
    return f"{moment:%Y-%m-%d %H:%M:%S}Z", f"{moment:%b} {moment.day}, {moment:%Y} at {moment.hour}:{moment:%M}"


class Questions(Layout):
    """``/questions/511/slug?page=2&tab=scoredesc``; the question stands above the answers of every page."""

    forbidden = ("/users/", "/posts/")

    def thread_path(self, thread: Thread, page: int = 1) -> str:
        return f"/questions/{thread.number}/{_slug(thread)}" + (f"?page={page}&tab=scoredesc" if page > 1 else "")

    def board_path(self, board: Board, page: int = 1) -> str:
        return "/questions" + (f"?tab=active&page={page}" if page > 1 else "")

    def pages_of(self, thread: Thread) -> list[list[Post]]:
        question, *answers = thread.posts
        return [[question, *part] for part in chunks(answers, self.forum.posts_per_page)]

    def anchor(self, post: Post) -> str:
        return "question" if post.position == 1 else f"answer-{post.number}"

    def _frame(self, title: str, main: str) -> str:
        forum = self.forum
        return f"""<!DOCTYPE html>
<html class="html__responsive" lang="en">
<head>
<meta charset="utf-8">
<title>{escape(title)} - {forum.name}</title>
<meta name="viewport" content="width=device-width, height=device-height, initial-scale=1.0, minimum-scale=1.0">
<link rel="stylesheet" type="text/css" href="/static/style.css">
</head>
<body class="question-page unified-theme">
<header class="s-topbar"><div class="s-topbar--container"><a href="/" class="s-topbar--logo">{forum.name}</a>
<form class="s-topbar--searchbar" action="/search"><input type="text" name="q" placeholder="Search…"></form>
<ol class="s-topbar--content"><li><a href="/users/login" class="s-btn">Log in</a></li><li><a href="/users/signup" class="s-btn filled">Sign up</a></li></ol></div></header>
<div class="container">
<div id="left-sidebar"><ol class="nav-links"><li><a href="/">Home</a></li><li class="here"><a href="/questions">Questions</a></li><li><a href="/tags">Tags</a></li><li><a href="/users">Users</a></li><li><a href="/unanswered">Unanswered</a></li></ol></div>
<div id="content" class="snippet-hidden">
{main}
</div></div>
<footer class="site-footer"><div class="site-footer--container"><nav><h5>{forum.name}</h5><ul><li><a href="/tour">Tour</a></li><li><a href="/help">Help</a></li></ul></nav>
<div class="copyright">{forum.head["motto"]}. rev 2025.10.31</div></div></footer>
</body>
</html>
"""

    def _tags(self, thread: Thread) -> str:
        tags = thread.posts[0].flags["tags"].split(",")
        return (
            '<ul class="post-taglist">'
            + "".join(f'<li><a href="/tags" class="post-tag" rel="tag">{tag}</a></li>' for tag in tags)
            + "</ul>"
        )

    def _summaries(self, threads: list[Thread]) -> str:
        rows = []
        for thread in threads:
            first = thread.posts[0]
            title, shown = _moment(first.stamp)
            answers = len(thread.posts) - 1
            accepted = " has-accepted-answer" * any("accepted" in post.flags for post in thread.posts)
            text = first.text().replace("\n\n", " ")[:150].rsplit(" ", 1)[0]
            rows.append(f"""<div id="question-summary-{thread.number}" class="s-post-summary">
<div class="s-post-summary--stats"><div class="stat"><span>{first.flags["score"]}</span> votes</div><div class="stat{accepted}"><span>{answers}</span> answer{"s" * (answers != 1)}</div><div class="stat"><span>{thread.views}</span> views</div></div>
<div class="s-post-summary--content"><h3 class="s-post-summary--content-title"><a href="{self.href(self.thread_path(thread))}" class="s-link">{escape(thread.title)}</a></h3>
<div class="s-post-summary--content-excerpt">{escape(text)} …</div>
<div class="s-post-summary--meta">{self._tags(thread)}<div class="s-user-card"><a href="/users/{self.forum.member(first.author).number}">{first.author}</a> <time>asked <span title="{title}" class="relativetime">{shown}</span></time></div></div></div></div>""")
        return "\n".join(rows)

    def _pager(self, paths: list[str], page: int) -> str:
        if len(paths) == 1:
            return ""
        items = [
            f'<div class="s-pagination--item is-selected">{number}</div>'
            if number == page
            else f'<a class="s-pagination--item" href="{self.href(path)}" title="Go to page {number}">{number}</a>'
            for number, path in enumerate(paths, 1)
        ]
        if page > 1:
            items.insert(0, f'<a class="s-pagination--item" href="{self.href(paths[page - 2])}" rel="prev">Prev</a>')
        if page < len(paths):
            items.append(f'<a class="s-pagination--item" href="{self.href(paths[page])}" rel="next">Next</a>')
        return '<div class="s-pagination pager">' + "".join(items) + "</div>"

    def _aside(self, thread: Thread | None) -> str:
        others = [other for other in self.forum.threads if other is not thread]
        rows = "\n".join(
            f'<div class="spacer"><a href="{self.href(self.thread_path(other))}" class="answer-votes">{other.posts[0].flags["score"]}</a><a href="{self.href(self.thread_path(other))}" class="question-hyperlink">{escape(other.title)}</a></div>'
            for other in others
        )
        return f"""<div id="sidebar" class="show-votes"><div class="s-sidebarwidget"><div class="s-sidebarwidget--header">The Overflowing Bilge</div><ul><li>Moderator elections are postponed until low water</li><li>Why we count minutes in fathoms</li></ul></div>
<div class="module sidebar-related"><h4>Related</h4><div class="related">
{rows}
</div></div></div>"""

    def front_page(self) -> str:
        top = sorted(self.forum.threads, key=lambda thread: -int(thread.posts[0].flags["score"]))[:3]
        main = f'<div id="mainbar"><h1>Top Questions</h1>\n{self._summaries(top)}\n<p class="more">Looking for more? Browse the <a href="/questions">complete list of questions</a>.</p></div>\n{self._aside(None)}'
        return self._frame("Top questions", main)

    def board_page(self, board: Board, page: int) -> str:
        pages = self.forum.board_pages(board)
        pager = self._pager([self.board_path(board, number) for number in range(1, len(pages) + 1)], page)
        main = f'<div id="mainbar"><h1>{board.name}</h1><div class="fs-body">{len(self.forum.threads)} questions</div>\n{self._summaries(pages[page - 1])}\n{pager}</div>\n{self._aside(None)}'
        return self._frame(board.name, main)

    def _comments(self, comments: list[Comment]) -> str:
        rows = []
        for comment in comments:
            title, shown = _moment(comment.stamp)
            user = self.forum.member(comment.author).number
            rows.append(
                f'<li class="comment"><div class="comment-actions"><span title="number of useful comment votes">{user % 5 or ""}</span></div>'
                f'<div class="comment-text"><div class="comment-body"><span class="comment-copy">{escape(comment.text)}</span> – '
                f'<a href="/users/{user}" class="comment-user">{comment.author}</a> <span class="comment-date"><span title="{title}" class="relativetime-clean">{shown}</span></span></div></div></li>'
            )
        return '<div class="comments"><ul class="comments-list">' + "\n".join(rows) + "</ul></div>" if rows else ""

    def _card(self, post: Post, verb: str) -> str:
        member = self.forum.member(post.author)
        title, shown = _moment(post.stamp)
        return f"""<div class="post-signature{" owner" * (verb == "asked")}"><div class="user-info"><div class="user-action-time">{verb} <span title="{title}" class="relativetime">{shown}</span></div>
<div class="user-gravatar32"><a href="/users/{member.number}"><img src="{avatar_path(post.author)}" alt="" width="32" height="32"></a></div><div class="user-details"><a href="/users/{member.number}">{post.author}</a><div class="-flair"><span class="reputation-score">{member.posts:,}</span></div></div></div></div>"""

    def _post(self, thread: Thread, post: Post) -> str:
        question = post.position == 1
        accepted = "accepted" in post.flags
        mark = (
            '<div class="js-accepted-answer-indicator" title="The question owner accepted this as the best answer">✓</div>'
            if accepted
            else ""
        )
        kind = "question" if question else f"answer{' accepted-answer' * accepted}"
        return f"""<div id="{self.anchor(post)}" class="{kind}" data-id="{post.number}"><div class="post-layout">
<div class="votecell post-layout--left"><div class="js-voting-container"><button class="s-btn" title="useful">▲</button><div class="js-vote-count">{post.flags["score"]}</div><button class="s-btn" title="not useful">▼</button>{mark}</div></div>
<div class="{"postcell" if question else "answercell"} post-layout--right"><div class="s-prose js-post-body">
{body_html(post, _QUOTE)}
</div>
{self._tags(thread) if question else ""}<div class="post-footer"><div class="js-post-menu"><a href="{self.href(self.permalink(thread, post))}" title="Short permalink">Share</a> <a href="/posts/{post.number}/edit">Improve this {"question" if question else "answer"}</a></div>{self._card(post, "asked" if question else "answered")}</div></div>
<div class="post-layout--right post-layout--comments">{self._comments(post.comments)}</div>
</div></div>"""

    def thread_page(self, thread: Thread, page: int) -> str:
        posts = self.pages_of(thread)[page - 1]
        paths = [self.thread_path(thread, number) for number in range(1, len(self.pages_of(thread)) + 1)]
        title, shown = _moment(thread.posts[0].stamp)
        answers = len(thread.posts) - 1
        main = f"""<div id="question-header"><h1 class="fs-headline1"><a href="{self.href(self.thread_path(thread))}" class="question-hyperlink">{escape(thread.title)}</a></h1><a class="s-btn filled" href="/users/signup">Ask Question</a></div>
<div class="under"><span>Asked</span> <time title="{title}">{shown}</time> <span>Viewed</span> {thread.views} times</div>
<div id="mainbar" role="main">
{self._post(thread, posts[0])}
<div id="answers"><div id="answers-header"><h2 class="mb0">{answers} Answer{"s" * (answers != 1)}</h2><div class="sort">Sorted by: <b>Highest score (default)</b></div></div>
{chr(10).join(self._post(thread, post) for post in posts[1:])}
{self._pager(paths, page)}
<form id="post-form" action="/users/signup"><h2 class="space">Your Answer</h2><textarea rows="6" cols="80"></textarea><div><button class="s-btn filled">Post Your Answer</button></div></form></div>
</div>
{self._aside(thread)}"""
        return self._frame(thread.title, main)

    def plain_pages(self) -> dict[str, str]:
        notes = {
            "/tags": "Tags are tied by hand.",
            "/users": "Members are listed in the logbook.",
            "/unanswered": "All questions have been answered.",
            "/tour": "Ask, answer, go with the tide.",
            "/help": "Write what you have tried, and where the wind was.",
            "/search": "You can search once you have logged in.",
            "/users/login": "Log in.",
            "/users/signup": "Sign up.",
        }
        pages = {path: tiny_page("Note", note) for path, note in notes.items()}
        names = {post.author for thread in self.forum.threads for post in thread.posts}
        names |= {comment.author for thread in self.forum.threads for post in thread.posts for comment in post.comments}
        for name in sorted(names):
            pages[f"/users/{self.forum.member(name).number}"] = tiny_page(name, "Profiles are for members.")
        for thread in self.forum.threads:
            for post in thread.posts:
                pages[f"/posts/{post.number}/edit"] = tiny_page("Note", "Log in first.")
        return pages
