"""Exceptions: callers' mistakes and missing parts, never bad pages.

A page that yields nothing is a *result* (``Article.status`` and ``Article.reason``), not an exception.

::

    NewsextractError
    ├── UsageError               a caller's mistake; the command line prints it without a traceback
    │   ├── UnknownAlgorithm     no algorithm of that name
    │   ├── WrongKind            an algorithm for articles was asked for records, or the other way round
    │   ├── ParameterError       an algorithm's parameter is unknown or out of range
    │   ├── SiteError            a site definition in sites.toml is wrong
    │   ├── FormatError          (newsextract.wrappers.format) a format file is wrong: file, line, column, an example
    │   ├── LearnError           (newsextract.wrappers.learn_marks) no format can be learned from the marks
    │   └── DataError            a data set, prediction, ledger or model file is missing or malformed
    │       └── SnapshotError    (newsextract.page.snapshot) a snapshot is damaged or too large
    ├── MissingExtra             an optional part is not installed
    ├── BrowserMissing           (newsextract.browser.loading) no browser was found
    ├── RenderError              (newsextract.browser.render) a page could not be rendered
    ├── FetchError               an address could not be fetched
    ├── CrawlFailed              (newsextract.crawling) a crawl could not start or came to a bad end
    └── PoolClosed               (newsextract.aio) something was asked of a pool that has ended
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path


class NewsextractError(Exception):
    """Base of all exceptions that newsextract raises on purpose."""


class UsageError(NewsextractError):
    """A mistake of the caller: the message says what, where and how to mend it."""


class UnknownAlgorithm(UsageError):
    """No algorithm of that name is registered."""

    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(f"unknown algorithm {name!r}; choose from: {', '.join(known)}")
        self.name = name
        self.known = known

    def __reduce__(self) -> tuple[type[UnknownAlgorithm], tuple[str, list[str]]]:
        return type(self), (self.name, self.known)  # worker processes send exceptions


class WrongKind(UsageError):
    """An algorithm was asked for what it does not find."""

    def __init__(self, name: str, kind: str, known: list[str]) -> None:
        wanted = {"article": "articles", "records": "records"}[kind]
        super().__init__(f"algorithm {name!r} does not find {wanted}; those that do are: {', '.join(known)}")
        self.name = name
        self.kind = kind
        self.known = known

    def __reduce__(self) -> tuple[type[WrongKind], tuple[str, str, list[str]]]:
        return type(self), (self.name, self.kind, self.known)  # worker processes send exceptions


class ParameterError(UsageError):
    """A parameter of an algorithm is unknown or has a bad value."""


class SiteError(UsageError):
    """A site definition is wrong; one line with site, key, what was expected and an example."""


class DataError(UsageError):
    """A file that the caller named is missing or malformed."""


@contextmanager
def naming(what: object, advice: str = "", kind: type[UsageError] = DataError) -> Iterator[None]:
    """Turn an error of the file system into one line: ``WHAT: reason; advice``.

    :param what: the file, or what cannot be done with it.
    """
    try:
        yield
    except OSError as error:
        raise kind(f"{what}: {error.strerror or error}{f'; {advice}' if advice else ''}") from error


class MissingExtra(NewsextractError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package {package}: {install_command(extra, package)}")
        self.package = package
        self.extra = extra
        self.purpose = purpose

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str, str]]:
        return type(self), (self.package, self.extra, self.purpose)


def program(name: str) -> str:
    """How a program of this installation is called from here: by its name if a shell finds it, else by its path."""
    there = Path(sys.executable).with_name(name)
    found = shutil.which(name)
    if not there.is_file() or (found is not None and Path(found).samefile(there)):
        return name
    return shlex.quote(str(there.relative_to(Path.cwd()) if there.is_relative_to(Path.cwd()) else there))


def install_command(extra: str, package: str = "") -> str:
    """The command that installs what an extra stands for: packages and least versions, from the metadata of newsextract.

    It names no ``newsextract[extra]``, which pip finds only where an index has newsextract.

    :param package: named alone where the extra or the metadata is unknown.
    """
    belongs = re.compile(rf" and extra == ['\"]{re.escape(extra)}['\"]|extra == ['\"]{re.escape(extra)}['\"]")
    try:
        required = metadata.requires("newsextract") or []
    except metadata.PackageNotFoundError:  # the source tree alone, as in an archive that Spark ships
        required = []
    wanted = []
    for line in required:
        name, _, marker = line.partition(";")
        if belongs.search(marker):
            condition = belongs.sub("", marker).strip(" ()")
            wanted.append(f"{name.strip()}; {condition}" if condition else name.strip())
    named = wanted or package.split(" and ")
    return f"{program('python')} -m pip install {' '.join(map(shlex.quote, named))}"


class FetchError(NewsextractError):
    """An address could not be fetched."""

    code: int | None = None
    """The HTTP status, if the server answered."""
