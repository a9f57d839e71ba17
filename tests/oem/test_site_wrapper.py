"""A site's wrapper in the site file: read before the crawl, and one line for each mistake."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from newsextract.errors import SiteError, UsageError
from newsextract.sites import Site, load_sites
from newsextract.wrappers.format import load_wrapper, parse_format

FORMAT = "{<ul>#</ul>, list, get()}\n{<li><b>$name</b>#</li>, entry, list}\n"


def load(folder: Path, *lines: str, text: str = FORMAT) -> Site:
    (folder / "w").mkdir(exist_ok=True)
    (folder / "w" / "a.oem").write_text(text, "utf-8")
    table = ["[[site]]", 'name = "x"', 'start = ["https://www.example.org/"]', *lines]
    (folder / "sites.toml").write_text("\n".join(table), "utf-8")
    (one,) = load_sites(folder / "sites.toml").values()
    return one


def test_the_file_is_relative_to_the_site_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    one = load(tmp_path, 'wrapper = "w/a.oem"', 'records = "entry"')
    assert one.wrapping is not None
    assert (one.wrapping.name, one.wrapping.records, len(one.wrapping.format.lines)) == ("w/a.oem", "entry", 2)
    assert (one.linked_pages, one.kind) == (50, "news")
    changed = replace(one, limit=3)
    assert changed.wrapping == one.wrapping


def test_a_site_without_a_wrapper_has_none(tmp_path: Path) -> None:
    assert load(tmp_path).wrapping is None


def test_the_digest_tells_whether_the_file_has_changed(tmp_path: Path) -> None:
    found = [load(tmp_path, 'wrapper = "w/a.oem"', text=text).wrapping for text in (FORMAT, FORMAT, FORMAT + "# more\n")]
    digests = [wrapper.digest for wrapper in found if wrapper]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (['wrapper = "w/none.oem"'], "key wrapper or records: "),
        (['wrapper = "w/none.oem"'], "w/none.oem: No such file or directory; expected a wrapper file"),
        (['wrapper = "w"'], "w: Is a directory"),
        (['wrapper = "a\\u0000b"'], "'a\\x00b': not the name of a file"),
        (['wrapper = ""'], "key wrapper: '' is invalid: expected "),
        (["wrapper = 3"], "key wrapper: 3 is invalid: expected a valid string; for example wrapper = "),
        (['wrapper = "w/a.oem"', 'records = "entries"'], "records = 'entries': no line of w/a.oem gives objects with this"),
        (['wrapper = "w/a.oem"', 'records = "entries"'], "did you mean 'entry'?"),
        (['wrapper = "w/a.oem"', 'records = "zzz"'], "its labels are: entry, list, name"),
        (['records = "entry"'], "key records: is for sites with a wrapper; for example records = "),
        (["linked_pages = 3"], "key linked_pages: is for sites with a wrapper; for example linked_pages = 50"),
        (
            ['wrapper = "w/a.oem"', "linked_pages = -1"],
            "key linked_pages: -1 is invalid: expected greater than or equal to 0",
        ),
        (['wrapper = "w/a.oem"', 'params = { preset = "x" }'], "key params: has no effect with a wrapper"),
        (
            ['kind = "list"', 'wrapper = "w/a.oem"', "min_confidence = 0.1"],
            "key min_confidence: has no effect with a wrapper",
        ),
        (
            ['kind = "wrapped"'],
            "key wrapper: missing; name the wrapper file that extracts the pages; for example wrapper = ",
        ),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, lines: list[str], told: str) -> None:
    with pytest.raises(SiteError) as caught:
        load(tmp_path, *lines)
    assert told in str(caught.value)
    assert str(caught.value).startswith('sites.toml: site "x", key ')
    assert "\n" not in str(caught.value)


def test_wrapped_pages_need_a_start(tmp_path: Path) -> None:
    (tmp_path / "a.oem").write_text(FORMAT, "utf-8")
    (tmp_path / "sites.toml").write_text('[[site]]\nname = "x"\nkind = "wrapped"\nwrapper = "a.oem"', "utf-8")
    with pytest.raises(SiteError, match="key start: missing; name the pages that the wrapper reads; for example start = "):
        load_sites(tmp_path / "sites.toml")


def test_a_mistake_in_the_format_is_told_as_the_format_tells_it(tmp_path: Path) -> None:
    with pytest.raises(SiteError) as caught:
        load(tmp_path, 'wrapper = "w/a.oem"', text="{<ul>#</ul>, list, get()}\n{<li>#</li>, entry, lst}\n")
    told = str(caught.value)
    assert f"{tmp_path}/w/a.oem:2:" in told
    assert "no line before this one has the variable 'lst'; did you mean 'list'?" in told


def test_labels_that_the_page_gives_are_not_known_beforehand(tmp_path: Path) -> None:
    assert parse_format(FORMAT).labels == ["list", "entry", "name"]
    text = "{<body>#</body>, list, get()}\n{</hx>#<hx>, <hx>#</hx>, list}\n"
    assert parse_format(text).labels == ["list"]
    (tmp_path / "a.oem").write_text(text, "utf-8")
    assert load_wrapper("a.oem", tmp_path, "Whatever stands there").records == "Whatever stands there"
    with pytest.raises(UsageError, match="No such file"):
        load_wrapper("b.oem", tmp_path, None)
