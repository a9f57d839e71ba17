"""``newsextract records`` and what it shares with ``inspect``: where pages come from, what is printed, what is refused."""

from __future__ import annotations

import io
import json
import sys
import threading
import unicodedata
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.cli import main
from newsextract.commands import printable, record_table
from newsextract.results import Item, Record
from tests.made_snapshots import made_snapshot

ITEMS = "".join(
    f"<li class=hit><a href=/b/{n}>Boat number {n}</a><p>It lies at pier {n} and is for sale.</p><b>Buy</b></li>"
    for n in range(1, 5)
)
LIST = f"<h1>Boats</h1><ul>{ITEMS}</ul>"
MDR = ["--algorithm", "mdr", "--no-render"]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(LIST, "utf-8")
    return path


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEWSEXTRACT_BROWSER", "/nowhere/chromium")


# Formats


def test_json(page: Path, no_browser: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", str(page), *MDR, "--format", "json", "--url", "https://boats.example/list"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {key: found[key] for key in ("page", "url", "algorithm", "status", "reason")} == {
        "page": str(page),
        "url": "https://boats.example/list",
        "algorithm": "mdr",
        "status": "ok",
        "reason": None,
    }
    assert 0 < found["confidence"] <= 1
    assert [record["text"] for record in found["records"]] == [
        f"Boat number {n} It lies at pier {n} and is for sale. Buy" for n in range(1, 5)
    ]
    record = found["records"][2]
    assert set(record) == {"region", "text", "items"}
    assert set(record["items"][0]) == {"text", "kind", "link", "label", "static"}
    assert ("Boat number 3", "https://boats.example/b/3") in [(item["text"], item["link"]) for item in record["items"]]


def test_json_lines_of_several_pages_in_a_file(page: Path, tmp_path: Path, no_browser: None) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["records", str(page), str(page), *MDR, "--format", "jsonl", "-o", str(out)]) == 0
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [line["position"] for line in lines] == [1, 2, 3, 4, 1, 2, 3, 4]
    assert lines[0]["page"] == str(page)
    assert lines[0]["items"]


def test_json_of_several_pages_is_an_array(page: Path, no_browser: None, capsys: pytest.CaptureFixture[str]) -> None:
    main(["records", str(page), str(page), *MDR, "--format", "json"])
    assert [len(found["records"]) for found in json.loads(capsys.readouterr().out)] == [4, 4]


def test_table(page: Path, no_browser: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["records", str(page), *MDR]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0].split()[:2] == ["#", "title"]
    assert lines[3].startswith("3  Boat number 3  It lies at pier 3")
    assert "Buy" not in "".join(lines)  # the same in all
    assert max(map(len, lines)) <= 60
    main(["records", str(page), str(page), *MDR])
    assert capsys.readouterr().out.startswith(f"{page}: 4 records\n#")


def test_no_records(tmp_path: Path, no_browser: None, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>One text alone.")
    assert main(["records", str(path), *MDR, "--format", "jsonl"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"no records: {path}: empty: ")
    assert main(["records", str(path), *MDR]) == 1
    assert capsys.readouterr().out == ""


# Pages


def test_a_snapshot_needs_no_browser(tmp_path: Path, no_browser: None, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "any.name"
    made_snapshot(LIST, "https://boats.example/", note="not loaded to the end").save(path)
    main(["records", str(path), "--format", "json", "--param", "preset=published"])
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["url"] == "https://boats.example/"
    assert found["status"] != "no_snapshot"
    assert f"note: {path}: not loaded to the end" in told.err
    assert main(["inspect", str(path), "-o", str(tmp_path / "report.html"), "--algorithm", "mdr"]) == 0
    assert capsys.readouterr().out.endswith(" characters\n")


def test_the_source_alone_has_no_look(page: Path, no_browser: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", str(page), "--no-render", "--param", "preset=published"]) == 1
    assert "no_snapshot" in capsys.readouterr().err


def test_standard_input(no_browser: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LIST.encode())))
    assert main(["records", "-", *MDR, "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["records"]) == 4
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LIST.encode())))
    assert main(["records", "-", "--algorithm", "mdr"]) == 2
    assert "standard input cannot be rendered" in capsys.readouterr().err


def test_without_a_browser_the_way_out_is_told(page: Path, no_browser: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", str(page), "--algorithm", "mdr"]) == 2
    told = capsys.readouterr().err
    assert "--no-render" in told
    assert "newsextract browser install" in told
    assert told.count("\n") == 1
    assert main(["inspect", str(page), "--algorithm", "mdr", "-o", str(page.parent / "x.html")]) == 2
    told = capsys.readouterr().err
    assert "give a snapshot" in told
    assert "--no-render" not in told


def test_one_bad_page_of_several(page: Path, no_browser: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", "none.html", str(page), *MDR, "--format", "jsonl"]) == 2
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 4
    assert told.err.startswith("newsextract: none.html: ")
    assert main(["records", "none.html", *MDR]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--algorithm", "combined"], "does not find records"),
        (["--algorithm", "nothing"], "unknown algorithm"),
        (["--algorithm", "mdr", "--param", "x=1"], "unknown parameter"),
        (["--param", "x"], "KEY=VALUE"),
        (["--no-render", "--scripts", "--algorithm", "mdr"], "needs a browser"),
        (["other.html", "--algorithm", "mdr", "--url", "https://boats.example/"], "use it with one page"),
        (["--algorithm", "mdr", "-o", "/nowhere/out.json"], "there is no directory"),
    ],
)
def test_mistakes_are_told_before_any_page_is_read(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["records", "none.html", *arguments]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "none.html" not in told.replace("other.html", "")


class _Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:  # http.server's name
        body = b"<h1>Boats</h1><ul id=all></ul><script>all.innerHTML = " + json.dumps(ITEMS).encode() + b"</script>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def shop() -> Iterator[str]:
    """An address whose records a script makes."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Shop)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/list"
    server.shutdown()
    server.server_close()


@pytest.mark.crawl
def test_an_address_is_rendered_with_its_scripts(shop: str, rendering: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["records", shop, "--algorithm", "mdr", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["url"], len(found["records"])) == (shop, 4)
    for way in (["--no-scripts"], ["--no-render"]):
        assert main(["records", shop, "--algorithm", "mdr", *way]) == 1


@pytest.mark.crawl
def test_saved_pages_are_rendered_without_their_scripts_by_one_browser(
    tmp_path: Path, rendering: None, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = LIST.replace(
        "</ul>", "<li class=hit><a href=x>Boat number 5</a><p>It is sold, and not to be seen.</p></li></ul>"
    )
    (tmp_path / "page.css").write_text("li:nth-child(5) {display: none} li {min-height: 120px}")
    script = "<script>document.body.textContent = ''</script>"
    for name in "ab":
        text = f"<!DOCTYPE html><link rel=stylesheet href=page.css>{hidden}{script}"
        (tmp_path / f"{name}.html").write_text(text, "utf-8")
    pages = [str(tmp_path / f"{name}.html") for name in "ab"]
    assert main(["records", *pages, "--param", "preset=published", "--format", "json"]) == 0
    for found in json.loads(capsys.readouterr().out):
        assert [record["text"][:13] for record in found["records"]] == [f"Boat number {n}" for n in range(1, 5)]


# The table


def record(*texts: str, static: bool = False) -> Record:
    items = tuple(Item(text, "text", None, f"label-{i}", static) for i, text in enumerate(texts))
    return Record(" ".join(texts), items)


def cells(line: str) -> int:
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in line
    )


@given(st.lists(st.lists(st.text(max_size=60), max_size=20), max_size=5), st.integers(20, 200))
def test_no_line_is_wider_than_the_terminal(rows: list[list[str]], width: int) -> None:
    lines, _ = record_table([record(*row) for row in rows], width)
    assert len(lines) == (len(rows) + 1 if rows else 0)
    for line in lines:
        assert cells(line) <= width
        assert line.isprintable() or not any(unicodedata.category(c) in ("Cc", "Cs") for c in line)


def test_a_page_cannot_command_the_terminal() -> None:
    assert printable("a\x1b[31mb\x07 \u202ec\ud800\x9b\r\nd") == "a\ufffd[31mb\ufffd \ufffdc\ufffd\ufffd d"


def test_full_width_characters_are_aligned() -> None:
    lines = record_table([record("新开的十二路公交", "a"), record("bus", "b")], 40)[0]
    assert [cells(line[: line.rindex(end)]) for line, end in zip(lines[1:], "ab", strict=True)] == [21, 21]
    assert record_table([record("新" * 40)], 20)[0][1] == "1  " + "新" * 8 + "…"


def test_columns_that_few_records_have_go_first() -> None:
    full = Record("x", (Item("The name of it" * 3, "link", None, "title"), Item("y" * 40, "text", None, "text")))
    rare = Record("x", (*full.items, Item("z" * 40, "text", None, "rare")))
    lines, left_out = record_table([full, full, full, rare], 60)
    assert left_out == ["rare"]
    assert lines[0].split() == ["#", "title", "text"]
    assert record_table([rare, rare], 15)[1] == ["text", "rare"]
    assert record_table([full, rare], 300)[1] == []


def test_records_without_items_show_their_text() -> None:
    assert record_table([Record("only a text")], 80)[0] == ["#  text", "1  only a text"]
    assert record_table([record("Buy", static=True)], 80)[0] == ["#  text", "1  Buy"]
    assert record_table([], 80)[0] == []
