"""Which browser is found, and what is said where there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from newsextract.browser import loading
from newsextract.browser.loading import PACKAGES, BrowserMissing, find_browser, install_browser
from newsextract.cli import main


def program(path: Path, says: str = "Chromium 1.2.3") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {says}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any."""
    monkeypatch.delenv("NEWSEXTRACT_BROWSER", raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "downloads"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(loading, "_PLACES", (str(tmp_path / "place" / "chrome"),))


@pytest.mark.parametrize(("user", "sandbox"), [(0, False), (1000, True)])
def test_a_browser_without_its_sandbox_is_logged(
    user: int, sandbox: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: user)
    loading.sandboxed.cache_clear()
    for _ in range(2):
        assert loading.sandboxed() is sandbox
    loading.sandboxed.cache_clear()
    assert ["without its sandbox" in record.message for record in caplog.records] == [True] * (not sandbox)


def test_the_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shell = "chromium_headless_shell-{}/chrome-linux/headless_shell"
    program(tmp_path / "downloads" / shell.format(999))
    newest = program(tmp_path / "downloads" / shell.format(1187))
    assert (find_browser().path, find_browser().origin) == (newest, "playwright")
    command = program(tmp_path / "bin" / "chromium")
    assert (find_browser().path, find_browser().origin) == (command, "installed")
    place = program(tmp_path / "place" / "chrome")
    assert find_browser().path == place
    named = program(tmp_path / "mine")
    monkeypatch.setenv("NEWSEXTRACT_BROWSER", str(named))
    assert (find_browser().path, find_browser().origin) == (named, "NEWSEXTRACT_BROWSER")
    assert find_browser().version() == "Chromium 1.2.3"


@pytest.mark.parametrize("name", ["chrome-linux/chrome", "chrome-linux64/chrome"])
def test_downloads_with_a_window(tmp_path: Path, name: str) -> None:
    path = program(tmp_path / "downloads" / "chromium-1200" / name)
    assert find_browser().path == path


def test_both_commands_are_told_where_there_is_none() -> None:
    with pytest.raises(BrowserMissing) as told:
        find_browser()
    assert "python -m playwright install" in str(told.value)
    assert "apt-get install chromium-headless-shell" in str(told.value)
    assert "NEWSEXTRACT_BROWSER" in str(told.value)


@pytest.mark.parametrize("name", ["none", "."])
def test_a_variable_that_names_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("NEWSEXTRACT_BROWSER", str(tmp_path / name))
    with pytest.raises(BrowserMissing, match="no program there; name one, or unset it"):
        find_browser()
    with pytest.raises(BrowserMissing, match="no program there"):
        install_browser()


def test_check_reports_what_is_missing_in_one_line(
    rendering: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["browser", "check"]) == 2
    assert "no Chrome or Chromium found" in capsys.readouterr().err
    path = program(tmp_path / "bin" / "google-chrome", "Google Chrome 150")
    assert main(["browser", "check"]) == 2  # it has a version and draws nothing
    error = capsys.readouterr().err
    assert f"{path} does not draw a page" in error
    assert error.count("\n") == 1
    path.write_text("#!/bin/sh\nexit 1\n")
    assert main(["browser", "check"]) == 2
    assert "does not run" in capsys.readouterr().err


def test_a_dead_driver_is_one_line_with_its_own_error_and_the_packages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("playwright")
    driver = program(tmp_path / "node")
    driver.write_text("#!/bin/sh\necho 'error while loading shared libraries: libatomic.so.1' >&2\nexit 127\n")
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(driver))
    program(tmp_path / "bin" / "chromium")
    for run in (
        lambda: main(["browser", "check"]),
        lambda: main(["snapshot", str(tmp_path / "page.html"), "-o", str(tmp_path / "page.snapshot")]),
    ):
        (tmp_path / "page.html").write_text("<p>a page")
        assert run() == 2
        error = capsys.readouterr().err
        assert "libatomic.so.1" in error
        assert f"apt-get install {' '.join(PACKAGES)}" in error
        assert error.count("\n") == 1


def test_check_and_install_render_a_page_with_the_browser_that_is_there(
    rendering: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # this machine as it is
    for action in ("check", "install"):
        assert main(["browser", action]) == 0
        assert ": renders pages" in capsys.readouterr().out


def test_debians_package_is_installed_where_playwright_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright")
    failing = program(tmp_path / "python")
    failing.write_text("#!/bin/sh\necho no network >&2\nexit 1\n")
    monkeypatch.setattr("sys.executable", str(failing))
    with pytest.raises(
        BrowserMissing, match=r"no browser could be installed; `.*install --only-shell chromium`: no network"
    ):
        install_browser()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    apt = program(tmp_path / "bin" / "apt-get")
    place = tmp_path / "place" / "chrome"
    place.parent.mkdir()
    apt.write_text(f'#!/bin/sh\n[ "$1" = update ] || {{ echo "#!/bin/sh" > {place}; /bin/chmod 755 {place}; }}\n')
    found, done = install_browser()
    assert found.path == place
    assert done == f"installed by `apt-get install -y -qq --no-install-recommends {' '.join(PACKAGES)}`"
