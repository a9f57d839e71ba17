"""docs/oem.md is run as it stands: its pages and formats are written to files, its commands called, their output compared.

Blocks marked ``html NAME`` and ``oem NAME`` are files; of a ``console`` block, lines with ``$`` are commands and what follows is
their output on both channels; in tables with the heads "line" and "gives" the line is taken over the page named before;
``python`` blocks print the ``text`` block behind them. Addresses ``http://NAME.example/…`` lead, through a proxy on loopback, to
these files.
"""

from __future__ import annotations

import contextlib
import html
import io
import json
import re
import shlex
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from newsextract.cli import main
from newsextract.page.page import Page
from newsextract.wrappers import parse_format, run
from newsextract.wrappers.objects import plain

DOCUMENT = Path(__file__).parents[3] / "docs" / "oem.md"


class _Files(BaseHTTPRequestHandler):
    """A proxy that answers from the working directory."""

    def do_GET(self) -> None:
        path = Path(urlsplit(self.path).path.lstrip("/") or "index.html")
        if not path.is_file():
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(path.read_bytes())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # signature of the base class
        pass


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Files) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_address[1]}")
        monkeypatch.delenv("no_proxy", raising=False)
        yield
        server.shutdown()
        thread.join()


def called(command: str, last: int) -> tuple[str, int]:
    """What a command prints on both channels, and its exit code."""
    if command == "echo $?":
        return f"{last}\n", 0
    words = [word.replace("\\`", "`") for word in shlex.split(command)]  # as shells do it between double quotes
    assert words[:2] == ["newsextract", "oem"], command
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        code = main(words[1:])
    return told.getvalue(), code


def console(text: str) -> str:
    """A console block with the outputs that its commands have now."""
    shown, code = "", 0
    for line in text.splitlines():
        if line.startswith("$ "):
            output, code = called(line[2:], code)
            shown += f"{line}\n{output}"
    return shown


def gives(line: str, page: str) -> str:
    """The nested view of what a line finds in a page."""
    wrapper = parse_format("{<body>#</body>, root, get()}\n" + "\n".join(line.replace("} {", "}\n{").splitlines()))
    result = run(wrapper, Page.from_text(Path(page).read_text("utf-8"), "http://fair.example/"))
    assert result.root is not None
    return json.dumps(plain(result.root, wrapper.many), ensure_ascii=False)


def rows(tokens: list[Token], start: int) -> list[list[str]]:
    """The code in the cells of the table that begins at a token."""
    found: list[list[str]] = []
    for token in tokens[start:]:
        if token.type == "tr_open":
            found.append([])
        elif token.type == "inline":
            found[-1].append(
                "".join(child.content for child in token.children or () if child.type in ("code_inline", "text"))
            )
        elif token.type == "table_close":
            break
    return found


def test_the_document_is_true(tmp_path: Path, proxy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    tokens = MarkdownIt("commonmark").enable("table").parse(DOCUMENT.read_text("utf-8"))
    page, printed, seen = "", "", {"console": 0, "table": 0, "python": 0}
    for number, token in enumerate(tokens):
        kind, _, name = token.info.partition(" ")
        if token.type == "fence" and kind in ("html", "oem"):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(token.content, "utf-8")
            page = name if kind == "html" else page
            kept = DOCUMENT.parent / "oem" / name
            assert not kept.exists() or kept.read_text("utf-8") == token.content, name
        elif token.type == "fence" and kind == "console":
            assert token.content == console(token.content)
            seen["console"] += 1
        elif token.type == "fence" and kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(token.content, "oem.md", "exec"), {"__name__": "oem"})  # the document's own code
            printed = out.getvalue()
        elif token.type == "fence" and kind == "text" and printed:
            assert token.content == printed
            printed = ""
            seen["python"] += 1
        elif token.type == "table_open" and rows(tokens, number)[0][:2] == ["line", "gives"]:
            for row in rows(tokens, number)[1:]:
                assert html.unescape(row[1]) == gives(row[0], page), row[0]
            seen["table"] += 1
    assert all(Path(kept.name).exists() for kept in (DOCUMENT.parent / "oem").iterdir()), (
        "a file that is not in the document"
    )
    assert seen["console"] >= 10
    assert seen["table"] >= 3
    assert seen["python"] >= 1


def test_every_option_of_the_commands_is_in_the_document() -> None:
    text = DOCUMENT.read_text("utf-8")
    for command in ("run", "check", "query"):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
            main(["oem", command, "--help"])
        options = set(re.findall(r"--[a-z][a-z-]+", out.getvalue())) - {"--help"}
        assert options
        assert [option for option in sorted(options) if option not in text] == []
