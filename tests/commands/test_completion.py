"""``newsextract completion``: what a real shell offers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from newsextract.cli import COMMANDS, SHELLS, main

pytest.importorskip("shtab")


def offered(script: Path, *words: str, folder: Path) -> set[str]:
    """What bash offers for the last word."""
    given = " ".join(f"'{word}'" for word in ("newsextract", *words))
    code = (
        f"source '{script}'; read -ra registered < <(complete -p newsextract); COMP_WORDS=({given}); COMP_CWORD={len(words)}; "
        "for ((i = 0; i < ${#registered[@]}; i++)); do [[ ${registered[i]} == -F ]] && function=${registered[i+1]}; done; "
        "$function newsextract; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion.bash"
    script.write_text(capsys.readouterr().out)
    (tmp_path / "page.html").write_text("<p>x")
    assert offered(script, "ext", folder=tmp_path) == {"extract"}
    assert offered(script, "", folder=tmp_path) >= set(COMMANDS)
    assert {"--format", "--workers"} <= offered(script, "extract", "--", folder=tmp_path)
    assert offered(script, "extract", "--format", "js", folder=tmp_path) == {"json", "jsonl"}
    assert "page.html" in offered(script, "extract", "pa", folder=tmp_path)
    assert "page.html" in offered(script, "extract", "-o", "pa", folder=tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script_with_all_commands(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        assert subprocess.run([shell, "-n", str(tmp_path / "script")], check=False).returncode == 0


def test_without_the_package_there_is_one_line() -> None:
    code = (
        "import sys\nfrom importlib import util\n"
        "find = util.find_spec\nutil.find_spec = lambda name, *rest: None if name == 'shtab' else find(name, *rest)\n"
        "from newsextract.cli import main\nsys.exit(main(['completion', 'bash']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.match(r"newsextract: completion needs the package shtab: \S*python -m pip install ", done.stderr)
    assert done.stderr.count("\n") == 1
