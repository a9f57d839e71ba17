"""What users do to feeds between two runs: the next run loses nothing, writes nothing twice, and keeps what it does not know."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from newsextract.state.store import state_path

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]
Change = Callable[[Path], None]


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def by_line(edit: Callable[[list[bytes]], list[bytes]]) -> Change:
    """Write the file again with other lines."""
    return lambda path: path.write_bytes(b"".join(edit(lines(path)))) and None


def as_other_tools_write_it(found: list[bytes]) -> list[bytes]:
    return [
        json.dumps(json.loads(line), indent=None, separators=(" ,  ", " : "), sort_keys=True).encode() + b"\n"
        for line in found
    ]


def with_a_field(found: list[bytes]) -> list[bytes]:
    return [json.dumps(json.loads(line) | {"seen": True}).encode() + b"\n" for line in found]


def copied(path: Path) -> None:
    """Another file of the same content, as ``jq … feed > copy && mv copy feed`` leaves it."""
    copy = path.with_suffix(".copy")
    shutil.copy(path, copy)
    copy.replace(path)


def overwritten(path: Path) -> None:
    """A byte in the middle is another one."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] = 0
    path.write_bytes(data)


def of_the_state(change: Change) -> Change:
    return lambda path: change(state_path(path))


FAULTS: dict[str, Change] = {
    "nothing": lambda path: None,
    "a blank line at the end": by_line(lambda found: [*found, b"\n"]),
    "a blank line between": by_line(lambda found: [found[0], b"\n", *found[1:]]),
    "a line of another tool": by_line(lambda found: [*found[:2], b'{"note": "checked"}\n', *found[2:]]),
    "a line that is no JSON": by_line(lambda found: [*found, b"-- checked by hand --\n"]),
    "other spacing and order of fields": by_line(as_other_tools_write_it),
    "a field added": by_line(with_a_field),
    "lines in another order": by_line(lambda found: found[::-1]),
    "ends of lines as on Windows": by_line(lambda found: [line[:-1] + b"\r\n" for line in found]),
    "the first line removed": by_line(lambda found: found[1:]),
    "the last line removed": by_line(lambda found: found[:-1]),
    "half of the lines removed": by_line(lambda found: found[::2]),
    "cut within the last line": lambda path: path.write_bytes(path.read_bytes()[:-20]) and None,
    "no newline at the end": lambda path: path.write_bytes(path.read_bytes()[:-1]) and None,
    "emptied": lambda path: path.write_bytes(b"") and None,
    "deleted": Path.unlink,
    "replaced by a copy": copied,
    "a byte overwritten": overwritten,
    "a torn line appended": by_line(lambda found: [*found, found[0][:50]]),
    "the feed of rejections deleted": lambda path: path.with_suffix(".rejected.jsonl").unlink(),
    "the feed of rejections emptied": lambda path: path.with_suffix(".rejected.jsonl").write_bytes(b"") and None,
    "the state deleted": of_the_state(Path.unlink),
    "the state emptied": of_the_state(lambda path: path.write_bytes(b"") and None),
    "the state overwritten": of_the_state(lambda path: path.write_bytes(b"none of yours" * 1_000) and None),
    "the state cut": of_the_state(lambda path: path.write_bytes(path.read_bytes()[:5_000]) and None),
}
FOREIGN = {"a line of another tool": b'{"note": "checked"}\n', "a line that is no JSON": b"-- checked by hand --\n"}


@pytest.mark.timeout(300)
def test_a_feed_changed_between_runs_is_completed(small_crawl: Run, server: Any, make_sites: Run, tmp_path: Path) -> None:
    paths = [f"/a-{number}.html" for number in range(6)]
    server.put("/", server.listing(*paths, "/gone.html"))
    for path in paths:
        server.put_article(path)
    sites = make_sites({"name": "courier", "start": [server.url("/")]})
    small_crawl(tmp_path / "first" / "news.jsonl", sites=sites).check()
    wrong = {}
    for number, (name, change) in enumerate(FAULTS.items()):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "first", folder)
        feed = folder / "news.jsonl"
        change(feed)
        crawl = small_crawl(feed, sites=sites)
        found: Counter[str] = Counter()
        for line in lines(feed):
            try:
                found[json.loads(line)["url"]] += 1
            except (ValueError, KeyError):
                continue  # reason: a line of others
        kept = name not in FOREIGN or FOREIGN[name] in lines(feed)
        if crawl.code != 0 or found != Counter(map(server.url, paths)) or not kept or "Traceback" in crawl.err:
            wrong[name] = crawl.code, found, crawl.err[-600:]
    assert wrong == {}
