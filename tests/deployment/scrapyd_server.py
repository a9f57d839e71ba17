"""A real scrapyd with an environment of its own: this environment's packages, but not the project itself.

The project is installed here as editable, so ``newsextract`` and ``settings`` would be found without any egg, and before it. A
fresh environment that reads this one's folder of packages (and not the ``.pth`` files in it) has all but these.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sysconfig
import time
import urllib.parse
import urllib.request
import uuid
import venv
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

POLL = 0.05


def make_environment(folder: Path) -> Path:
    """A fresh environment with this one's packages; its Python."""
    venv.create(folder, symlinks=True)
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)}, scheme="venv")
    shared = dict.fromkeys(sysconfig.get_paths()[name] for name in ("purelib", "platlib"))
    Path(paths["purelib"], "shared.pth").write_text("".join(f"{path}\n" for path in shared), "utf-8")
    return folder / "bin" / "python"


def clean_environment(**more: str) -> dict[str, str]:
    """Ours, without proxies and without folders that Python would search."""
    unwanted = ("_proxy", "pythonpath")
    return {name: value for name, value in os.environ.items() if not name.lower().endswith(unwanted)} | more


class Scrapyd:
    """scrapyd on a free port; a context manager.

    :param folder: where it works: eggs, logs, queues, and what the crawls write.
    """

    def __init__(self, python: Path, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        lines = ["[scrapyd]", "bind_address = 127.0.0.1", f"http_port = {self.port}", "poll_interval = 0.2", "max_proc = 2"]
        (folder / "scrapyd.conf").write_text("\n".join(lines) + "\n", "utf-8")
        (folder / "temporary").mkdir()
        self.environment = clean_environment(TMPDIR=str(folder / "temporary"))
        self.python = python
        self._log = (folder / "scrapyd.log").open("wb")
        self._process = subprocess.Popen(
            [str(python), "-m", "scrapyd"], cwd=folder, env=self.environment, stdout=self._log, stderr=subprocess.STDOUT
        )

    def __enter__(self) -> Self:
        end = time.monotonic() + 30
        while True:
            assert self._process.poll() is None, f"scrapyd has ended:\n{self.log}"
            assert time.monotonic() < end, f"scrapyd does not answer:\n{self.log}"
            try:
                self.get("daemonstatus")
                return self
            except OSError:  # not yet
                time.sleep(POLL)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait(20)
        self._log.close()

    @property
    def log(self) -> str:
        return (self.folder / "scrapyd.log").read_text("utf-8", "replace")

    def get(self, service: str, **fields: str) -> dict[str, Any]:
        return self._ask(f"{service}.json?{urllib.parse.urlencode(fields)}")

    def post(self, service: str, **fields: str | list[str]) -> dict[str, Any]:
        return self._ask(f"{service}.json", urllib.parse.urlencode(fields, doseq=True).encode())

    def add_version(self, project: str, version: str, egg: Path) -> dict[str, Any]:
        """Upload an egg, as ``curl -F`` does."""
        mark = uuid.uuid4().hex
        start = f'--{mark}\r\nContent-Disposition: form-data; name="'
        body = b"".join(
            f'{start}{name}"\r\n\r\n{value}\r\n'.encode() for name, value in (("project", project), ("version", version))
        )
        body += f'{start}egg"; filename="{egg.name}"\r\n\r\n'.encode() + egg.read_bytes() + f"\r\n--{mark}--\r\n".encode()
        return self._ask("addversion.json", body, {"Content-Type": f"multipart/form-data; boundary={mark}"})

    def wait(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"still waiting after {seconds} s:\n{self.log[-4000:]}"
            time.sleep(POLL)

    def run(self, spider: str, seconds: float = 60, **fields: str | list[str]) -> tuple[str, int]:
        """Schedule a crawl and wait for its end: its log, and its exit code.

        With one worker, unless told otherwise: each compiles anew what it imports from the egg.
        """
        fields = {"setting": "EXTRACTION_WORKERS=1"} | fields
        job = self.post("schedule", project="newsextract", spider=spider, **fields)["jobid"]
        return self.end(spider, job, seconds)

    def end(self, spider: str, job: str, seconds: float = 60) -> tuple[str, int]:
        """Wait for the end of a crawl: its log, and its exit code."""
        self.wait(lambda: self.get("status", job=job)["currstate"] == "finished", seconds)
        died = re.search(rf"Process died: exitstatus=(\d+)\s+project='newsextract' spider='{spider}' job='{job}'", self.log)
        log = self.folder / "logs" / "newsextract" / spider / f"{job}.log"
        return log.read_text("utf-8") if log.exists() else "", int(died[1]) if died else 0

    def _ask(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", body, headers or {})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # it is on this machine
        with opener.open(request, timeout=60) as answer:
            found: dict[str, Any] = json.loads(answer.read())
        assert found["status"] == "ok", f"{path}: {found}"
        return found
