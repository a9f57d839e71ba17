"""The egg as a file: what is in it, what is left out, and mistakes that are told before anything is written."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from newsextract.errors import SiteError, UsageError
from spiders.commands.egg import PACKAGES, PROJECT, build_egg, without_served

LAST = '\n[[site]]  # the last\nname = "b"\nstart = ["http://b.example/"]\nparams = { preset = "precision" }\n'
SITES = (
    '# ours\n\n[[site]]\nname = "a"\nserve = "www"\nstart = ["http://a.example/"]\n\n[site.params]\npreset = "precision"\n'
    + LAST
)


def made_project(folder: Path, sites: str) -> Path:
    for package in PACKAGES:
        (folder / package).mkdir()
        (folder / package / "__init__.py").touch()
    (folder / "settings" / "sites.toml").write_text(sites, "utf-8")
    (folder / "pyproject.toml").write_text('[project]\nname = "made"\nversion = "3"\n', "utf-8")
    return folder


@pytest.mark.slow
def test_the_command_writes_all_packages_with_their_data(tmp_path: Path) -> None:
    egg = tmp_path / "dist" / "newsextract.egg"
    command = [str(Path(sys.executable).with_name("scrapy")), "egg", "-o", str(egg)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout == f"{egg}\n"
    assert "Left out" in done.stderr
    assert "harbour-ledger" in done.stderr
    held = re.search(r"Of settings/ it holds, .*: (.*)\n", done.stderr)
    assert held is not None
    assert {"base.py", "sites.toml"} <= set(held[1].split(", "))
    with zipfile.ZipFile(egg) as opened:
        names = set(opened.namelist())
        assert opened.read("EGG-INFO/entry_points.txt") == b"[scrapy]\nsettings = settings.scrapyd\n"
        tomllib.loads(opened.read("settings/sites.toml").decode())
    for package in PACKAGES:
        there = {path.relative_to(PROJECT).as_posix() for path in (PROJECT / package).rglob("*") if path.is_file()}
        assert {name for name in there if "__pycache__" not in name} <= names
    assert {name.partition("/")[0] for name in names} == {"EGG-INFO", *PACKAGES}
    assert "newsextract/models/combined.npz" in names
    assert not any("__pycache__" in name for name in names)


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    project = made_project(tmp_path, SITES)
    assert build_egg(project, tmp_path / "1.egg") == build_egg(project, tmp_path / "2.egg") == ["a"]
    assert (tmp_path / "1.egg").read_bytes() == (tmp_path / "2.egg").read_bytes()


def test_an_egg_is_replaced_whole(tmp_path: Path) -> None:
    project = made_project(tmp_path, LAST)
    egg = tmp_path / "dist" / "x.egg"
    build_egg(project, egg)
    old = egg.read_bytes()
    (project / "settings" / "more.toml").write_text("", "utf-8")
    with egg.open("rb") as reader:  # an upload that has begun
        build_egg(project, egg)
        assert reader.read() == old != egg.read_bytes()
    assert list(egg.parent.iterdir()) == [egg]


def test_sites_that_are_served_are_cut_out() -> None:
    assert without_served(SITES) == ("# ours\n\n" + LAST.lstrip("\n"), ["a"])
    assert without_served(LAST) == (LAST, [])
    assert without_served("") == ("", [])


def test_tables_that_cannot_be_told_apart() -> None:
    inline = 'site = [{ name = "a", serve = "www" }, { name = "b" }]\n'
    with pytest.raises(UsageError, match="begin each with a line"):
        without_served(inline)


def test_a_format_outside_settings_is_a_mistake(tmp_path: Path) -> None:
    text = '[[site]]\nname = "f"\nkind = "wrapped"\nstart = ["http://f.example/"]\nwrapper = "../f.oem"\nrecords = "x"\n'
    project = made_project(tmp_path, text)
    (tmp_path / "f.oem").write_text("{<p>#</p>, x, get()}\n", "utf-8")
    with pytest.raises(UsageError, match=r"(?s)site \"f\".*below settings/ only"):
        build_egg(project, tmp_path / "x.egg")
    assert not (tmp_path / "x.egg").exists()


def test_a_mistake_in_the_sites_is_told(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="not readable as TOML"):
        build_egg(made_project(tmp_path, "[[site]\n"), tmp_path / "x.egg")
    assert not (tmp_path / "x.egg").exists()
