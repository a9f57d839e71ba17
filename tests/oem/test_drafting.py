"""`draft`: whatever the bytes, what it proposes parses, runs and finds something; snapshots; the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.browser.render import render
from newsextract.cli import main
from newsextract.page.page import Page
from newsextract.wrappers import Result, parse_format, run
from newsextract.wrappers.draft import draft
from newsextract.wrappers.draft_items import Names, cut, looks_like, separators, slug
from newsextract.wrappers.objects import plain
from tests.examples import examples
from tests.made_snapshots import made_snapshot

_PIECES = (
    "<li>|</li>|<ul>|</ul>|<a href=x>|<a href='y,z\"'>|</a>|<b>|</b>|<br>|<p>|<td>|<th>|<tr>|<table>|</table>|<h2>|</h2>|<dt>|<dd>|<dl>"
    "|<h3 class='a b'>|</h3>|<div class=x>|</div>|text |a, b: c. |12-13 |{|}|$x|#|\\|\"|<font size=5 color=red>|</font>|\n|<!--|-->"
    "|<script>|&nbsp;|&lt;b&gt;|\x00|\x1b[0m|\u2028|，|“|<svg/>|<span class='{},#$\"'>|</span>|<|<hx>|[|]|..."
).split("|")


def drafted(page: Page) -> Result:
    result = run(parse_format(draft(page)), page)
    assert result.root is not None
    assert result.misfits == ()
    return result


@given(st.binary(max_size=300))
@settings(max_examples=examples(100))
def test_any_bytes_give_a_draft_that_runs(body: bytes) -> None:
    drafted(Page(body, "http://example.org/"))


@given(st.lists(st.sampled_from(_PIECES), max_size=25), st.integers(1, 6), st.sampled_from((None, 'http://example.org/"x"')))
@settings(max_examples=examples(300))
def test_any_markup_gives_a_draft_that_runs(pieces: list[str], times: int, url: str | None) -> None:
    drafted(Page("".join(pieces).encode("utf-8", "replace") * times, url))


def test_a_draft_has_nothing_that_a_terminal_obeys() -> None:
    page = Page.from_text(
        "<ul>" + "".join(f"<li>\x1b[31m<b>item \x07{n}</b>: \x1b[0mtext\x9b {n}" for n in range(5)) + "</ul>"
    )
    assert all(char.isprintable() or char == "\n" for char in draft(page))
    drafted(page)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "<ul><li>",
        "<a href=x>y</a><br>",
        "<li><b>x</b>, <i>y</i>",
        "<h2>t</h2><h3>u</h3>",
        "<b><p>z",
        "<b>x<br>",
        "<span class=a>x",
    ],
)
def test_time_is_linear(piece: str) -> None:
    seconds = []
    for size in (30_000, 240_000):
        page = Page.from_text(piece * (size // len(piece)))
        start = process_time()
        draft(page)
        seconds.append(process_time() - start)
    assert seconds[1] < 24 * max(seconds[0], 0.02)  # eight times the page; a square would be 64


def test_titles_items_and_fields_are_found() -> None:
    entries = "".join(f'<li><a href="p{n}.html">Paper of number {n}</a> (May {n}, 1999)' for n in range(1, 6))
    page = Page.from_text(
        f"<h1>All</h1><h2>One</h2><ul>{entries}</ul><h2>Two</h2><ul>{entries}</ul><hr>end", "http://a.example/"
    )
    root = drafted(page).root
    assert root is not None
    found = plain(root)
    assert list(found) == ["One", "Two"]
    assert found["Two"]["item"][2] == {
        "link": "http://a.example/p3.html",
        "title": "Paper of number 3",
        "date": "May 3, 1999",
    }


def test_a_page_without_repetition_has_its_titles_and_links() -> None:
    page = Page.from_text('<h2>Only one</h2><p>See <a href="/x">the other page</a>.')
    root = drafted(page).root
    assert root is not None
    assert plain(root) == {"Only one": {"item": {"link": "/x", "title": "the other page"}}}
    assert len(parse_format(draft(Page.from_text("words"))).lines) == 1


def test_sizes_of_a_snapshot_give_the_hierarchy(rendering: None, tmp_path: Path) -> None:
    items = "<ul><li>a one</li><li>a two</li><li>a three</li></ul>"
    file = tmp_path / "page.html"
    file.write_text(
        "<!doctype html><html><head><style>h3{font-size:40px} h2{font-size:20px}</style></head><body>"
        f"<h3>Large</h3><h2>Small</h2>{items}<h2>Smaller</h2>{items}<h3>Largest</h3><h2>Last</h2>{items}</body></html>"
    )
    by_tags = drafted(Page.from_text(file.read_text())).root
    by_sizes = drafted(Page.from_snapshot(render(file))).root
    assert by_tags is not None
    assert by_sizes is not None
    assert list(plain(by_tags)) == ["Large", "Small", "Smaller", "Last"]  # by its tag an h3 stands under the h2 before it
    assert list(plain(by_sizes)) == ["Large", "Largest"]
    assert list(plain(by_sizes)["Large"]) == ["Small", "Smaller"]


def test_a_made_snapshot_is_drafted_like_its_source() -> None:
    page = (
        "<html><head></head><body><ul><li><b>one</b> x</li><li><b>two</b> y</li><li><b>three</b> z</li></ul></body></html>"
    )
    assert draft(Page.from_snapshot(made_snapshot(page))) == draft(Page.from_text(page))


@pytest.mark.slow
def test_the_same_page_gives_the_same_draft_in_every_process() -> None:
    page = "".join(f"<p><a href={n}>Paper {n}</a><br>text <i>note {n}</i> <b>x</b>" for n in range(6)) + "<p>no link here"
    code = f"from newsextract.wrappers.draft import draft; from newsextract.page.page import Page; print(draft(Page.from_text({page!r})))"
    printed = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


def test_texts_are_cut_at_separators() -> None:
    texts = ["Ada Holm: On Lamps. 3-9", "Bruno Falk, Ilse Rydell: Tides & Teams. 10-17"]
    assert separators(texts) == [": ", ". "]
    pieces = cut(texts[1], 0, len(texts[1]), [": ", ". "])
    assert [texts[1][start:end] for start, end in pieces] == ["Bruno Falk, Ilse Rydell", "Tides & Teams", "10-17"]
    assert separators(["a: b", "c: d"]) == []
    page = "".join(f"<li>{text}" for text in [*texts, "Clara Dorsey: The Return of the Gulls. 18-20"])
    found = drafted(Page.from_text(f"<ul>{page}</ul>")).root
    assert found is not None
    assert plain(found)["item"][1] == {"author": "Bruno Falk, Ilse Rydell", "title": "Tides & Teams", "pages": "10-17"}


def test_headings_with_a_paragraph_each_are_items() -> None:
    page = "".join(f"<h3>Story {n}</h3><i>{n} May 1999</i><p>What happened on that day.</p>" for n in range(1, 6))
    found = drafted(Page.from_text(f"<body>{page}<hr>end</body>")).root
    assert found is not None
    assert [item["date"] for item in plain(found)["item"]] == [f"{n} May 1999" for n in range(1, 6)]


def test_names() -> None:
    names = Names(("root",))
    assert [names.take("", "title", "text"), names.take("title", "text"), names.take("text"), names.take("text")] == [
        "title", "text", "text2", "text3",
    ]  # fmt: skip
    assert slug("Project Name (1)") == "project_name_1"
    assert slug("姓名") == ""
    assert looks_like(["3-9", "10-17", "101-110"]) == "pages"
    assert looks_like(["01-12", "01-09"]) == "date"
    assert looks_like(["Ada Holm", "Bruno Falk"]) == "author"


def test_the_command_writes_a_draft(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, output = tmp_path / "page.html", tmp_path / "page.oem"
    page.write_text("<ul><li><b>one</b> x<li><b>two</b> y<li><b>three</b> z</ul>")
    assert main(["oem", "draft", str(page)]) == 0
    printed = capsys.readouterr().out
    assert main(["oem", "draft", str(page), "-o", str(output)]) == 0
    assert output.read_text() == printed
    assert main(["oem", "run", str(output), str(page), "--format", "plain"]) == 0
    assert '"three"' in capsys.readouterr().out
    page.write_text("<p>nothing else")
    assert main(["oem", "draft", str(page)]) == 1
    assert "nothing is repeated" in capsys.readouterr().err
    page.write_text("")
    assert main(["oem", "draft", str(page)]) == 1
    assert "no draft" in capsys.readouterr().err
    assert main(["oem", "draft", str(page), "-o", str(tmp_path)]) == 2
