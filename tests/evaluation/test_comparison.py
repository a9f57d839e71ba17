"""``--all``, several data sets, threads, JSON and HTML: whole runs of the command on small sets."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from newsextract import algorithms
from newsextract.cli import CommandParser
from newsextract.commands import evaluate
from newsextract.errors import DataError, MissingExtra, UsageError, install_command
from newsextract.lab import html_report as comparison
from newsextract.lab import report, runner
from newsextract.lab.datasets import TEST_FOLD, Prediction, TruthPage, load
from newsextract.lab.html_report import Comparison, html_report
from newsextract.lab.runner import Contender

HOSTILE = '<script>alert(1)</script> & "quoted" \' \x00\x1b[31m \ud800 \u202e </article><img src=https://evil.example/x.png>'


def run(*words: str | Path) -> int:
    parser = CommandParser(prog="newsextract")
    evaluate.add_parser(parser)
    return evaluate.run(parser.parse_args([*map(str, words)]))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few contenders, so that a run of all is quick."""
    kept = {name: algorithms.ALGORITHMS[name] for name in ("block_statistics", "block_statistics_baseline")}
    monkeypatch.setattr(algorithms, "ALGORITHMS", kept)
    monkeypatch.setattr(runner, "PEERS", {name: runner.PEERS[name] for name in ("readability", "resiliparse")})


class Tags(HTMLParser):
    """All start tags and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def checked(page: str) -> ElementTree.Element:
    """The tree of a report that is well-formed and refers to nothing outside."""
    tree = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    tags = Tags()
    tags.feed(page)
    assert "script" not in {tag for tag, _ in tags.found}
    for tag, attributes in tags.found:
        assert tag not in ("img", "link", "iframe", "object", "embed", "base"), tag
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        for name in ("src", "href", "xlink:href", "srcset", "action", "poster"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
    style = "".join(element.text or "" for element in tree.iter("style"))
    assert "@import" not in style
    assert "url(" not in style
    return tree


@pytest.mark.slow
def test_all_runs_everything_and_writes_one_report(
    few: None, make_data_set: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = make_data_set(18), make_data_set(4, name="more", prefix="other")
    status = run(
        "articles", one, other, "--all", "--bootstrap", "5", "--json", tmp_path / "r.json", "--html", tmp_path / "r.html"
    )
    assert status == 0
    names = ["block_statistics", "block_statistics:published", "block_statistics_baseline", "readability", "resiliparse"]
    printed = capsys.readouterr().out
    assert [line.split()[0] for line in printed.splitlines()[-5:]] == names
    totals = [line.partition(":")[0] for line in printed.splitlines() if line.endswith(" of them with a body")]
    assert totals == [
        "data, fold 0", "data, folds 1-4", "data, all", "more, folds 1-4", "more, all", "fold 0", "folds 1-4", "all",
    ]  # fmt: skip

    figures_ = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert list(figures_) == [
        "newsextract", "kind", "fold", "limit", "bootstrap", "pages", "data", "results", "skipped",
    ]  # fmt: skip
    assert figures_["data"] == {"data": {"pages": 18, "test_pages": 6}, "more": {"pages": 4, "test_pages": 2}}
    assert list(figures_["results"]) == names
    first = figures_["results"]["block_statistics:published"]
    assert list(first) == [
        "origin", "about", "version", "note", "rows", "missing", "statuses", "failures", "cost", "worst",
    ]  # fmt: skip
    assert list(first["rows"]) == [
        "made", "other", "lang en", "human truth", "data, fold 0", "data, folds 1-4", "data, all", "more, folds 1-4",
        "more, all", "fold 0", "folds 1-4", "all",
    ]  # fmt: skip
    assert first["rows"]["other"]["pages"] == 2  # two pages of fold 0 would be too few to show
    assert first["rows"]["more, all"]["pages"] == 4
    assert first["rows"]["all"]["f1_sd"] is not None
    assert list(first["cost"]) == [
        "pages", "milliseconds", "median_milliseconds", "lxml_milliseconds", "times_lxml", "body_times_lxml"
    ]  # fmt: skip
    assert figures_["results"]["readability"]["origin"] == "peer"
    assert figures_["results"]["readability"]["cost"]["body_times_lxml"] is None

    page = (tmp_path / "r.html").read_text("utf-8")
    tree = checked(page)
    assert len(list(tree.iter("svg"))) == 4
    for name in names:
        assert any(name == (cell.text or "") for cell in tree.iter("th")), name
    drawn = {text.text for svg in tree.iter("svg") for text in svg.iter("text")}
    assert set(names) <= drawn
    test_ids = {row.id for row in load([one, other]) if row.fold == TEST_FOLD}
    assert not [page_id for page_id in test_ids if page_id in page or page_id in printed]
    shown = {(heading.text or "") for heading in tree.iter("h3")}
    assert {"made-001", "made-002"} <= shown


def test_the_same_figures_give_the_same_report(make_truth: Callable[..., TruthPage]) -> None:
    compared = made(make_truth, [("block_statistics", "a b c d e"), ("readability", "a b c d x")])
    assert html_report(compared) == html_report(compared)


def made(make_truth: Callable[..., TruthPage], texts: list[tuple[str, str]], **fields: Any) -> Comparison:
    """A comparison of contenders that returned a text each."""
    pages = [
        make_truth(**{"text": "a b c d e", "data": "set", **fields}),
        make_truth(id="p2", with_=("c d",), without=("x",)),
    ]
    tables = []
    for name, text in texts:
        contender = Contender(name, "peer" if name in runner.PEERS else "algorithm", name)
        predictions = {p.id: Prediction(id=p.id, text=text, extract_seconds=2.0, lxml_seconds=1.0) for p in pages}
        result = replace(report.score(name, pages, predictions), contender=contender)
        tables.append((result, report.rows(result, "all")))
    return Comparison("articles", "all", None, pages, tables, [], 5)


def test_contenders_stand_side_by_side_by_kind_of_page(make_truth: Callable[..., TruthPage]) -> None:
    pages = [make_truth(id=f"{kind}{i}", kind=kind, text="a b c d") for kind in ("article", "forum") for i in range(2)]
    kinds = {
        "article0": ("article", True),
        "article1": (None, False),
        "forum0": ("forum", False),
        "forum1": ("listing", False),
    }
    judged = {key: Prediction(id=key, text="a b c d", kind=kind, is_article=is_) for key, (kind, is_) in kinds.items()}
    plain = {page.id: Prediction(id=page.id, text="a b" if page.kind == "forum" else "a b c d") for page in pages}
    results = [report.score("ours", pages, judged), report.score("theirs", pages, plain)]
    lines = report.format_kinds([(result, report.rows(result, "all")) for result in results]).split("\n")
    assert lines[1].split() == ["article", "forum", "mean", "of", "kinds"]
    assert lines[2].split() == ["ours", "1.000", "1.000", "1.000"]
    assert lines[3].split() == ["theirs", "1.000", "0.667", "0.833"]
    assert lines[5].split() == ["ours", "0.500", "0.500", "1.000", "0.500"]
    assert len(lines) == 6


def test_without_kinds_there_is_no_table_by_kind(make_truth: Callable[..., TruthPage]) -> None:
    assert report.format_kinds(made(make_truth, [("x", "a")]).tables) == ""


def test_text_from_pages_is_escaped(make_truth: Callable[..., TruthPage]) -> None:
    compared = made(
        make_truth, [(HOSTILE, HOSTILE)], text=HOSTILE + " true", source=HOSTILE, id=HOSTILE, lang=HOSTILE, data=HOSTILE
    )
    page = html_report(replace(compared, skipped=[runner.Skipped(HOSTILE, HOSTILE)]))
    checked(page)
    page.encode("utf-8")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\x1b" not in page


@pytest.mark.slow
def test_a_report_of_nothing_right_is_a_report(make_truth: Callable[..., TruthPage]) -> None:
    checked(html_report(made(make_truth, [("block_statistics", "")])))
    checked(html_report(made(make_truth, [("block_statistics", "")], text=None)))


def test_names_in_the_plot_do_not_cover_each_other() -> None:
    names = [f"contender_{number}" for number in range(12)]
    points = [comparison.Point(name, "algorithm", 5 + 0.01 * n, 0.9 + 0.0001 * n) for n, name in enumerate(names)]
    tree = ElementTree.fromstring(comparison.f1_against_speed([*points, comparison.Point("far", "peer", 60.0, 0.5)]))
    placed: dict[str, list[float]] = {}
    for text in tree.iter("text"):
        if text.text in names:
            names.remove(text.text)
            side = text.attrib["style"].partition("text-anchor: ")[2].partition(";")[0]
            placed.setdefault(side, []).append(float(text.attrib["y"]))
    assert names == []
    for heights in placed.values():
        assert all(below - above > 7 for above, below in pairwise(sorted(heights)))  # they are 10 points high


@pytest.mark.filterwarnings("error")
def test_names_that_the_fonts_do_not_have_are_no_trouble() -> None:
    svg = comparison.f1_against_speed([comparison.Point("新闻 $x$ \ud800", "peer", 5.0, 0.5)])
    assert "新闻 $x$  <" in svg


def test_only_what_was_fitted_says_so():
    assert runner.algorithm("text_density").trained_on == (1, 2, 3, 4)
    assert runner.algorithm("text_density:published").note is None
    assert "flatter" in (runner.algorithm("combined:recall").note or "")


def test_what_cannot_run_is_told_and_the_others_run(
    few: None,
    make_data_set: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    good = algorithms.ALGORITHMS["block_statistics"]

    def broken(params: object) -> Any:
        raise ValueError("weights are missing")

    def lacking(params: object) -> Any:
        raise MissingExtra("rjieba", "zh", "Chinese words")

    def failing(params: object) -> Any:
        def choose(page: object, *, evidence: bool = False) -> Any:
            raise ZeroDivisionError("no blocks")

        return choose

    for name, factory in (("broken", broken), ("lacking", lacking), ("failing", failing)):
        module = SimpleNamespace(make=factory, DEFAULT=name)
        spec = SimpleNamespace(
            presets={"default": "DEFAULT"}, kinds=("article",), needs_snapshot=False, reference="made", trained_on={}, factory="make",
            attribute=module.__getattribute__,
        )  # fmt: skip
        monkeypatch.setitem(algorithms.ALGORITHMS, name, spec)  # type: ignore[arg-type]  # reason: as much of a Spec as is used
    monkeypatch.setitem(algorithms.ALGORITHMS, "rendered", replace(good, needs_snapshot=True))
    monkeypatch.setattr(runner, "installed", lambda name: False)

    assert run("articles", make_data_set(3), "--all", "--json", tmp_path / "r.json") == 1
    printed = capsys.readouterr()
    assert "left out: broken: does not load: ValueError: weights are missing\n" in printed.err
    assert f"left out: lacking: Chinese words needs the package rjieba: {install_command('zh')}\n" in printed.err
    assert "left out: rendered: needs rendered pages, and the data sets hold none\n" in printed.err
    assert f"left out: readability, resiliparse: not installed; {install_command('peers')}\n" in printed.err
    assert "failed 3" in printed.out
    found = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert found["results"]["failing"]["failures"] == {"ZeroDivisionError: no blocks": 2}  # of folds 1-4
    assert found["results"]["failing"]["statuses"] == {"failed": 3}
    assert [one["name"] for one in found["skipped"] if one["broken"]] == ["broken"]


def test_what_stops_one_contender_leaves_out_that_one(
    few: None,
    make_data_set: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real, error = runner.run, MissingExtra("rjieba", "zh", "Chinese words")

    def failing(pages: list[TruthPage], contender: Contender, *arguments: Any, **keywords: Any) -> Iterator[Prediction]:
        if contender.name == "block_statistics":
            raise error
        return real(pages, contender, *arguments, **keywords)

    monkeypatch.setattr(runner, "run", failing)
    data = make_data_set(2)
    assert run("articles", data, "--all", "--no-peers") == 0
    printed = capsys.readouterr()
    assert f"left out: block_statistics: {error}\n" in printed.err
    assert printed.out.splitlines()[-1].startswith("block_statistics_baseline")
    with pytest.raises(MissingExtra):
        run("articles", data, "--algorithm", "block_statistics")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--peer", "resiliparse"), ["resiliparse"]),
        (("--peers",), ["readability", "resiliparse"]),
        (("--all", "--no-peers"), ["block_statistics", "block_statistics:published", "block_statistics_baseline"]),
        (("--algorithm", "block_statistics", "--peer", "resiliparse"), ["block_statistics", "resiliparse"]),
        (
            ("--all", "--peer", "resiliparse"),
            ["block_statistics", "block_statistics:published", "block_statistics_baseline", "resiliparse"],
        ),
    ],
)
def test_who_runs(
    few: None, make_data_set: Callable[..., Path], tmp_path: Path, words: tuple[str, ...], names: list[str]
) -> None:
    run("articles", make_data_set(2), *words, "--json", tmp_path / "r.json")
    assert list(json.loads((tmp_path / "r.json").read_text("utf-8"))["results"]) == names


def test_threads_are_scored_by_their_whole_text(forum: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("threads", forum, "--algorithm", "block_statistics", "--json", tmp_path / "r.json", "--html", tmp_path / "r.html")
    found = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert (found["kind"], found["pages"]) == ("threads", 2)  # the page of records has no whole text
    assert found["results"]["block_statistics"]["rows"]["all"]["f1"] == 1.0
    checked((tmp_path / "r.html").read_text("utf-8"))


def test_a_set_of_the_other_kind_is_told(forum: Path, make_data_set: Callable[..., Path]) -> None:
    with pytest.raises(DataError, match=r"page file missing: .*thread-0.html.gz"):
        run("articles", forum)
    with pytest.raises(DataError, match=r"page file missing: .*made-000/index.html"):
        run("threads", make_data_set(1))
    (forum / "truth.jsonl").write_text('{"id": "a", "source": "s", "site": "b.example"}\n')
    with pytest.raises(DataError, match=r"holds no row with the 'text' of a whole thread"):
        run("threads", forum)


def test_one_id_in_two_sets_is_refused(make_data_set: Callable[..., Path]) -> None:
    one, other = make_data_set(1), make_data_set(1, name="more")
    with pytest.raises(DataError, match=r"'made-000' stands in .*data and in .*more"):
        load([one, other])


def test_sets_of_one_name_are_told_apart_by_their_paths(make_data_set: Callable[..., Path], tmp_path: Path) -> None:
    one, other = make_data_set(1), make_data_set(1, name="deeper/data", prefix="other")
    assert [page.data for page in load([one, other])] == [str(one), str(other)]


def test_a_note_says_where_a_trained_algorithm_flatters(make_truth: Callable[..., TruthPage]) -> None:
    assert Contender("x", "algorithm", "x").note is None
    trained = Contender("x", "algorithm", "x", trained_on=(1, 2, 3, 4))
    assert trained.note == (
        "x was fitted on folds 1, 2, 3, 4 of 5: there its figures flatter, and only fold 0 tells how good it is"
    )
    assert "no fold of this data set tells" in (replace(trained, trained_on=(0, 1, 2, 3, 4)).note or "")
    compared = made(make_truth, [("x", "a")])
    result, table = compared.tables[0]
    result = replace(result, contender=trained)
    assert f"note: {trained.note}" in report.format_result(result, table)
    assert str(trained.note) in html_report(replace(compared, tables=[(result, table)]))


def test_the_report_without_matplotlib_is_refused_before_any_work(
    make_data_set: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(
        MissingExtra, match=r"the HTML report needs the package matplotlib: \S*python -m pip install 'matplotlib>="
    ):
        run("articles", make_data_set(1), "--html", tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_a_page_that_is_not_gzip_is_the_data_sets_mistake(make_data_set: Callable[..., Path]) -> None:
    directory = make_data_set(1)
    (directory / "pages" / "made-000.html.gz").write_bytes(gzip.compress(b"<p>x")[:-4])
    with pytest.raises(UsageError, match=r"cannot read .*made-000"):
        run("articles", directory)
