"""Forks the crawls of the tests from a process that has imported what a crawl imports: a start takes a fifth of the CPU time.

A crawl is a process like any other: in a session of its own, with its own folder, environment, and files for what it prints,
and it ends as the ``scrapy`` command does. Only the imports are not its own. Crawls with limits or with variables that Python
reads when it starts begin without it (:func:`tests.crawl.conftest.start_crawl`). The ``newsextract`` command and programs
that take the place of ``scrapy`` are begun in the same way.

    python -P tests/crawl/launcher.py        # orders on standard input, answers on standard output, a line of JSON each
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from multiprocessing import util
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
MODULES = (
    "scrapy.cmdline",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.scheduler",
    "scrapy.crawler",
    "scrapy.extensions.feedexport",
    *(f"scrapy.commands.{name}" for name in ("bench", "fetch", "genspider", "parse", "runspider", "settings", "shell")),
    *(f"scrapy.commands.{name}" for name in ("check", "edit", "list", "startproject", "version", "view")),
    *(f"scrapy.downloadermiddlewares.{name}" for name in ("cookies", "defaultheaders", "downloadtimeout", "httpauth")),
    *(f"scrapy.downloadermiddlewares.{name}" for name in ("httpcache", "httpcompression", "httpproxy", "offsite")),
    *(f"scrapy.downloadermiddlewares.{name}" for name in ("redirect", "retry", "useragent")),
    *(
        f"scrapy.extensions.{name}"
        for name in ("closespider", "corestats", "logcount", "memdebug", "memusage", "spiderstate")
    ),
    *(f"scrapy.spidermiddlewares.{name}" for name in ("depth", "metacopy", "referer", "start", "urllength")),
    "scrapy.squeues",
    "scrapy_poet.commands",  # Scrapy imports every installed command; this one imports pytest
    *(f"spiders.commands.{name}" for name in ("bench", "crawl")),
    *(f"spiders.{name}" for name in ("archive", "forum", "lists", "news", "wrapping")),
    *(f"pipelines.{name}" for name in ("extraction", "feeds", "page_work", "storage")),
    "newsextract.cli",
    *(f"newsextract.commands.{name}" for name in ("extract", "extract_archives", "sites")),
    "newsextract.worker_start",  # last: it reads a page
)
"""None of them installs the reactor or reads the environment of the crawl."""
PROJECT = ("settings", "spiders", "pipelines")
"""Packages that a project of the user may have, too."""


class Forked:
    """A crawl that was forked, with the interface of :class:`subprocess.Popen`."""

    def __init__(self, command: list[str], out: Path, err: Path, folder: Path, environment: dict[str, str]) -> None:
        self.returncode: int | None = None
        order = {"command": command, "out": str(out), "err": str(err), "cwd": str(folder), "env": environment}
        self.pid = int(_ask(order))

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = _ask({"wait": self.pid})
        return self.returncode

    def wait(self) -> int:
        while (code := self.poll()) is None:
            time.sleep(0.005)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def environment(**more: str) -> dict[str, str]:
    """Ours, without proxies: everything is on loopback."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return kept | more


def run(*command: str | Path, folder: Path = REPOSITORY, **variables: str) -> subprocess.CompletedProcess[str]:
    """What :func:`subprocess.run` does, for ``newsextract`` and ``scrapy``."""
    with tempfile.TemporaryDirectory() as place:
        out, err = Path(place, "out"), Path(place, "err")
        words = [str(word) for word in command]
        code = Forked(words, out, err, folder, environment(**variables)).wait()
        return subprocess.CompletedProcess(words, code, out.read_text("utf-8"), err.read_text("utf-8"))


@cache
def _launcher() -> subprocess.Popen[str]:
    """The process that forks; it ends when its standard input does, with the tests."""
    command, pipe = [sys.executable, "-P", __file__], subprocess.PIPE
    process = subprocess.Popen(command, cwd=REPOSITORY, stdin=pipe, stdout=pipe, text=True)
    atexit.register(process.communicate)
    return process


def _ask(order: dict[str, Any]) -> Any:
    process = _launcher()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{json.dumps(order)}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def _serve() -> list[str]:
    """Carry out orders; returns in a forked process alone, with the words of its command line."""
    for name in MODULES:
        importlib.import_module(name)
    from newsextract import Page, extract_posts

    thread = REPOSITORY / "tests" / "sample_site" / "forum" / "panels" / "viewtopic.php@t=14.html"
    extract_posts(Page(thread.read_bytes(), "http://forum.example/viewtopic.php?t=14"))  # what worker_start does not load
    assert "twisted.internet.reactor" not in sys.modules, "each crawl installs its own"
    gc.freeze()
    while line := sys.stdin.buffer.readline():
        order = json.loads(line)
        if "wait" in order:
            pid, status = os.waitpid(order["wait"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        elif not (answer := os.fork()):
            return _become(order)
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()
    os._exit(0)


def _become(order: dict[str, Any]) -> list[str]:
    os.setsid()
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    for number, path in enumerate((os.devnull, order["out"], order["err"])):
        place = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(place, number)
        os.close(place)
    folders = list(filter(None, order["env"].get("PYTHONPATH", "").split(os.pathsep)))
    sys.path[:0] = folders
    if any(Path(folder) != REPOSITORY and Path(folder, PROJECT[0]).exists() for folder in folders):
        for name in [name for name in sys.modules if name.partition(".")[0] in PROJECT]:
            del sys.modules[name]  # the folder has its own
    command: list[str] = order["command"]
    if "EXTRACTION_WORKERS=0" not in command and not any("set_executable" in word for word in command):
        _start_server()
    return command


def _start_server() -> None:
    """The process that the crawl's workers are forked from is one more fork: it would import the same once more."""
    from newsextract.workers import prepare

    def spawn(path: bytes, arguments: list[str], kept: list[int]) -> int:
        code = arguments[-1]
        if "forkserver" not in code:
            return spawned(path, arguments, kept)
        if pid := os.fork():
            return pid
        for number in map(int, os.listdir("/dev/fd")):
            if number > 2 and number not in kept:
                with contextlib.suppress(OSError):  # that of the listing itself
                    os.close(number)
        with contextlib.suppress(SystemExit):
            exec(code)  # what the standard library has this process run
        os._exit(0)

    spawned, util.spawnv_passfds = util.spawnv_passfds, spawn
    prepare()
    util.spawnv_passfds = spawned


if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY))
    sys.argv = _serve()
    sys.path.remove(str(REPOSITORY))
    if sys.argv[0] == "newsextract":
        from newsextract.cli import main

        sys.exit(main())
    if sys.argv[1] == "-c":
        _, _, program, *sys.argv[1:] = sys.argv
        exec(program, {"__name__": "__main__"})
        sys.exit()
    from scrapy.cmdline import execute

    execute()
