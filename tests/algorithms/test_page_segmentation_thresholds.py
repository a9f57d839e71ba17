"""Threshold training (Hou & Yang 2011, §3.3) and its files, up to a site's settings."""

from __future__ import annotations

import builtins
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from newsextract import Page, algorithms, extract
from newsextract.algorithms.page_segmentation import DEFAULT, FILE, PUBLISHED, PageSegmentation
from newsextract.errors import DataError, MissingExtra, SiteError
from newsextract.lab.train_published import PageThresholds, combine, middle_centre, train_page
from newsextract.model_files import Thresholds
from newsextract.page.dom import read_dom
from newsextract.sites import load_sites

SENTENCE = "The ferry left the harbour at nine and came back at noon with the post. "
PAGE = f"<h1>Ferry</h1><div><p>{SENTENCE * 3}</p><p>{SENTENCE * 2}</p></div><ul><li><a href=/>Home</a></li></ul><h6>Imprint of the harbour</h6>"


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


# --- training -------------------------------------------------------------------------------------


def test_the_middle_one_of_the_sorted_centres() -> None:
    assert middle_centre(array(1, 2, 3, 100, 102, 5000, 5002, 5004)) == 101.0
    assert middle_centre(array(5004, 1, 102, 5000, 3, 100, 2, 5002)) == 101.0, "the order does not matter"


def test_of_an_even_number_of_centres_the_lower() -> None:
    assert middle_centre(array(1, 3, 100, 102), clusters=2) == 2.0
    assert middle_centre(array(1, 1, 1, 9)) == 1.0, "only two values differ"


@pytest.mark.parametrize("values", [[7.0], [7.0] * 50])
def test_equal_values_are_their_own_centre(values: list[float]) -> None:
    assert middle_centre(array(*values)) == 7.0


def test_one_cluster_is_the_mean() -> None:
    assert middle_centre(array(1, 2, 9), clusters=1) == 4.0


def test_training_a_page_by_hand() -> None:
    # Length: h1 5, p 5 sentences, li/a 4, h6 19, so the centres are 4.5, 19 and 5 sentences; B_n: 100, 200, 0, 100
    assert train_page(read_dom(PAGE), PUBLISHED) == PageThresholds(4, (19.0, 100.0, 1.0))


def test_the_frequency_is_the_mean_over_the_template() -> None:
    rows = "".join(f"<div><p>{SENTENCE}</p></div>" for _ in range(4))
    page = train_page(read_dom(f"{rows}<table><tr><td>Advert</td></tr></table>{rows}"), PUBLISHED)
    assert page is not None
    assert page.limits[2] == (8 + 1) / 2


def test_training_does_not_use_the_thresholds_of_the_parameters() -> None:
    dom = read_dom(PAGE)
    changed = algorithms.make_params(
        "page_segmentation", {"length_threshold": 1e6, "bn_threshold": 1e6, "frequency_threshold": 9}
    )
    assert train_page(dom, changed) == train_page(dom, DEFAULT)


def test_a_page_without_leaves_trains_nothing() -> None:
    assert train_page(read_dom("<p></p><img src=x>"), PUBLISHED) is None


def test_over_pages_each_threshold_is_its_minimum() -> None:
    pages = [PageThresholds(9, limits) for limits in ((50, 80, 3), (40, 90, 2), (60, 70, 4))]
    assert combine(pages) == (40, 70, 2)
    assert combine(pages[:1]) == (50, 80, 3)
    assert combine(pages, 0.5) == (50, 80, 3)
    assert combine(pages, 0.4) == (40, 70, 2), "a quantile is the value of a page"


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtra, match=r"training thresholds needs the package scikit-learn: \S*python -m pip install"):
        middle_centre(array(1, 2, 3))


# --- files ----------------------------------------------------------------------------------------


def numbers(length: float, noise: float, frequency: float) -> dict[str, float]:
    return {"length_threshold": length, "bn_threshold": noise, "frequency_threshold": frequency}


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    written = Thresholds(numbers(12.5, 99.0, 1.25), {"pages": 3, "data": 'a "quoted" \\ name'})
    FILE.write(path, written)
    assert FILE.read(path) == written
    first = path.read_bytes()
    FILE.write(path, written)
    assert path.read_bytes() == first


GOOD = f'format = "{FILE.format}"\nversion = 1\nlength_threshold = 10\nbn_threshold = 20.5\nfrequency_threshold = 1.0\n'


def test_the_card_is_optional_and_whole_numbers_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(GOOD)
    assert FILE.read(path) == Thresholds(numbers(10.0, 20.5, 1.0), {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'no thresholds file: it lacks the line format = "newsextract page_segmentation thresholds"'),
        ("length_threshold = ", "not readable as TOML"),
        ("\x00", "not readable as TOML"),
        ("a = " + "[" * 5000, "not readable as TOML"),
        (GOOD.replace("page_segmentation", "node_attributes"), "no thresholds file"),
        (GOOD.replace("version = 1", "version = 2"), "version 2 is not known, this program reads 1"),
        (GOOD.replace("version = 1", ""), "version None is not known"),
        (GOOD.replace("= 20.5", '= "20"'), "bn_threshold is '20'; expected a number 0–1e"),
        (GOOD.replace("= 20.5", "= true"), "bn_threshold is True; expected a number"),
        (GOOD.replace("= 20.5", "= nan"), "bn_threshold is nan; expected a number"),
        (GOOD.replace("= 20.5", "= -1"), "bn_threshold is -1; expected a number"),
        (GOOD.replace("= 20.5", "= 1" + "0" * 400), "bn_threshold is 1000"),
        (GOOD.replace("bn_threshold", "other"), "bn_threshold is missing; expected a number"),
    ],
)
def test_a_wrong_file_is_one_line_with_what_to_do(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "site.toml"
    path.write_text(text)
    with pytest.raises(DataError) as wrong:
        algorithms.make("page_segmentation", {"thresholds": str(path)})
    assert str(wrong.value).startswith(f"{path}: ")
    assert message in str(wrong.value)
    assert str(wrong.value).endswith("make one with: newsextract train thresholds PAGES… -o site.toml")
    assert "\n" not in str(wrong.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "No such file or directory; expected a thresholds file"),
        (lambda path: path.mkdir(), "Is a directory; expected a thresholds file"),
        (lambda path: path.write_bytes(b"\xff\xfe\x80" * 9), "not a thresholds file"),
        (lambda path: path.write_bytes(b"#" * 200_000), "too large for a thresholds file"),
    ],
    ids=["missing", "folder", "binary", "large"],
)
def test_what_is_no_text_file(tmp_path: Path, make: Any, message: str) -> None:
    path = tmp_path / "site.toml"
    make(path)
    with pytest.raises(DataError, match=message):
        PageSegmentation(algorithms.make_params("page_segmentation", {"thresholds": str(path)}))


def test_a_null_byte_in_the_name() -> None:
    with pytest.raises(DataError, match="not a thresholds file"):
        algorithms.make("page_segmentation", {"thresholds": "a\x00b"})


def test_a_file_cannot_be_written_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot write"):
        FILE.write(tmp_path / "none" / "site.toml", Thresholds(numbers(1, 2, 3)))


def test_the_shipped_thresholds_are_the_defaults_and_say_where_they_come_from() -> None:
    shipped = FILE.shipped("page_segmentation.toml").numbers
    for preset in (DEFAULT, PUBLISHED):
        assert numbers(preset.length_threshold, preset.bn_threshold, preset.frequency_threshold) == shipped
    data = tomllib.loads(resources.files("newsextract").joinpath("models/page_segmentation.toml").read_text("utf-8"))
    assert data["card"]["data"] == "folds 0 1 2 3 4 of articles, folds 0 1 2 3 4 of articles-zh"
    assert data["card"]["clusters"] == 3


# --- in use ---------------------------------------------------------------------------------------


def test_a_file_replaces_the_three_numbers(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(GOOD.replace("= 10\n", "= 1e6\n"))
    page = Page.from_text(PAGE)
    general = extract(page, None, "page_segmentation")
    trained = extract(page, None, "page_segmentation", {"thresholds": str(path)}, evidence=True)
    assert general.reason is None
    assert trained.reason == "no cluster satisfied all conditions; the longest was taken"
    assert trained.evidence is not None
    assert trained.evidence["thresholds"] == {
        "length_threshold": 1e6, "bn_threshold": 20.5, "frequency_threshold": 1.0
    }  # fmt: skip


def sites(folder: Path, params: str, algorithm: str = 'algorithm = "page_segmentation"') -> Mapping[str, Any]:
    path = folder / "sites.toml"
    start = 'start = ["https://www.example.org/"]'
    path.write_text(f'[[site]]\nname = "harbour"\n{start}\n{algorithm}\nparams = {params}\n', "utf-8")
    return load_sites(path)["harbour"].params


def test_a_site_names_a_file_relative_to_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trained").mkdir()
    (tmp_path / "trained" / "site.toml").write_text(GOOD.replace("= 10\n", "= 1e6\n"))
    params = sites(tmp_path, '{ thresholds = "trained/site.toml", widen = 0.0 }')
    assert params == {"thresholds": str(tmp_path / "trained" / "site.toml"), "widen": 0.0}
    monkeypatch.chdir("/")
    body = algorithms.make("page_segmentation", params)(Page.from_text(PAGE))
    assert body.reason == "no cluster satisfied all conditions; the longest was taken"


def test_the_folder_of_a_relative_site_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.toml").write_text(GOOD)
    assert sites(Path(), '{ thresholds = "site.toml" }') == {"thresholds": str(tmp_path / "site.toml")}


def test_an_absolute_file_stays_and_an_empty_name_is_none(tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text(GOOD)
    assert sites(tmp_path, f'{{ thresholds = "{file}" }}') == {"thresholds": str(file)}
    assert sites(tmp_path, '{ thresholds = "" }') == {"thresholds": ""}


@pytest.mark.parametrize("name", ["none.toml", "a\\u0000b", "."])
def test_a_missing_file_is_told_at_the_start_with_site_and_key(tmp_path: Path, name: str) -> None:
    with pytest.raises(SiteError) as wrong:
        sites(tmp_path, f'{{ thresholds = "{name}" }}')
    assert str(wrong.value).startswith('sites.toml: site "harbour", key algorithm or params: thresholds = ')
    assert str(tmp_path) in str(wrong.value)
    assert "relative paths start from the folder of the site file" in str(wrong.value)


def test_a_damaged_file_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text("nothing")
    with pytest.raises(SiteError, match=r'site "harbour", key algorithm or params: .*site.toml: not readable as TOML'):
        sites(tmp_path, '{ thresholds = "site.toml" }')


@pytest.mark.parametrize(
    ("params", "algorithm", "message"),
    [
        ("{ thresholds = 3 }", 'algorithm = "page_segmentation"', "parameter thresholds is 3; expected str"),
        ('{ thresholds = "x" }', 'algorithm = "none"', "unknown algorithm 'none'"),
        ('{ thresholds = "x" }', "algorithm = 3", "key algorithm: 3 is invalid"),
        ("3", 'algorithm = "page_segmentation"', "key params: 3 is invalid"),
        ('{ thresholds = "x" }', 'algorithm = "block_statistics"', "unknown parameter 'thresholds'"),
    ],
)
def test_other_mistakes_are_told_as_before(tmp_path: Path, params: str, algorithm: str, message: str) -> None:
    with pytest.raises(SiteError, match=message):
        sites(tmp_path, params, algorithm)
