"""Small newspapers on one server, each a site of its own, for crawls that several processes share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


class Papers:
    """Papers with a front page of two pages, articles, an article in two parts, one with another canonical address, two
    redirects (one of which leads to a host of nobody), and an agency's text that all of them have. A crawl reaches them
    through the server as a proxy.

    :param pause: seconds that the server takes for an article, so that a crawl can be killed in its middle.
    """

    def __init__(self, server: Any, papers: int = 4, articles: int = 12, pause: float = 0.0) -> None:
        self.server = server
        self.names = [f"paper{k}" for k in range(1, papers + 1)]
        for name in self.names:
            self._publish(name, articles, pause)

    def _publish(self, name: str, articles: int, pause: float) -> None:
        root, server = f"http://www.{name}.example", self.server
        paths = [f"/news/{k}/the-story-{k}-of-{name}" for k in range(1, articles + 1)]
        half = len(paths) // 2
        more = '<a rel="next" href="/page/2/">Next</a></body>'
        others = [
            *("/news/9001/in-parts", "/news/9002/other-address", "/news/9003/moved", "/news/9004/by-the-agency"),
            "/news/9007/moved-away",
        ]
        self._put(f"{root}/", server.listing(*paths[:half], *others).replace("</body>", more))
        self._put(f"{root}/page/2/", server.listing(*paths[half:]))
        for path in paths:
            self._put(f"{root}{path}", server.article(path), pause)
        following = '<p class="pages"><a rel="next" href="/news/9001/in-parts?page=2">next page</a></p>'
        self._put(f"{root}/news/9001/in-parts", server.article(f"{name} in parts", tail=following), pause)
        self._put(f"{root}/news/9001/in-parts?page=2", server.article(f"{name} in parts, the second"), pause)
        canonical = f'<link rel="canonical" href="{root}/news/9005/canonical">'
        self._put(f"{root}/news/9002/other-address", server.article(f"{name} canonical", head=canonical), pause)
        self._put(f"{root}/news/9005/canonical", server.article(f"{name} canonical", head=canonical), pause)
        self.server.answers[f"{root}/news/9003/moved"] = [(301, b"", {"Location": f"{root}/news/9006/here-now"})]
        self.server.answers[f"{root}/news/9007/moved-away"] = [(302, b"", {"Location": "http://127.0.0.9:9/"})]
        self._put(f"{root}/news/9006/here-now", server.article(f"{name} has moved"), pause)
        self._put(f"{root}/news/9004/by-the-agency", server.article("the agency"), pause)

    def _put(self, url: str, text: str, pause: float = 0.0) -> None:
        answer = (200, text.encode(), {"Content-Type": "text/html; charset=utf-8"})

        def slowly(handler: Any) -> None:
            time.sleep(pause)
            handler.answer(*answer)

        self.server.answers[url] = [slowly if pause else answer]

    def hold(self, path: str = "/") -> threading.Event:
        """Front pages, or pages of another path, are answered when this is set."""
        gate = threading.Event()
        for name in self.names:
            url = f"http://www.{name}.example{path}"
            (answer,) = self.server.answers[url]

            def wait(handler: Any, answer: Any = answer) -> None:
                gate.wait(60)
                handler.answer(*answer)

            self.server.answers[url] = [wait]
        return gate

    def sites(self, make_sites: Run, **more: Any) -> Path:
        proxy = self.server.url("").rstrip("/")
        path: Path = make_sites(
            *(
                {"name": name, "start": [f"http://www.{name}.example/"], "pagination": 3, "proxy": proxy, **more}
                for name in self.names
            )
        )
        return path
