"""The list of target sites, a TOML file of ``[[site]]`` tables → checked sites, or every mistake in one line.

Each line has file, site, key, what was expected and an example of right (:class:`~newsextract.errors.SiteError`). What a
table may hold says :class:`newsextract.sites.Site`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from newsextract import algorithms
from newsextract.errors import MissingExtra, SiteError, UsageError, WrongKind
from newsextract.sites import Site


def load_sites(
    path: Path, algorithm: str = algorithms.DEFAULT, record_algorithm: str = algorithms.DEFAULT_RECORDS
) -> dict[str, Site]:
    """All sites of a file, by name.

    :param algorithm: the project's, for news sites that name none; their params are checked against it.
    :param record_algorithm: the same for forums, search engines and lists.
    :raises SiteError: the file is missing or not TOML, or a site is wrong; one line per mistake.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise SiteError(f"{path}: no such file; the setting SITES_FILE names the list of target sites") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SiteError(f"{path}: not readable as TOML: {error}") from error
    tables = data.pop("site", [])
    if data or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        extra = f"; unknown: {', '.join(map(repr, data))}" if data else ""
        raise SiteError(f'{path}: expected [[site]] tables, each with name = "…"{extra}')
    sites: dict[str, Site] = {}
    mistakes: list[str] = []
    for number, table in enumerate(tables, 1):
        label = f'{path.name}: site "{table.get("name", f"number {number}")}"'
        default = algorithm if table.get("kind", "news") == "news" else record_algorithm
        try:
            files = _files(table, default, path.absolute().parent)
            site = Site.read({**table, "params": {**table["params"], **files}} if files else table)
            check_algorithm(site.kind, site.algorithm or default)
            algorithms.make_params(site.algorithm or default, site.params)
            if files:  # what they hold is checked before anything is fetched
                algorithms.make(site.algorithm or default, site.params)
        except SiteError as error:
            mistakes += [f"{label}, {line}" for line in str(error).split("\n")]
        except (UsageError, MissingExtra) as error:
            mistakes.append(f"{label}, key algorithm or params: {error}")
        else:
            try:
                site = site.with_wrapper(path.absolute().parent)
            except UsageError as error:
                mistakes.append(f"{label}, key wrapper or records: {error}")
            if site.name in sites:
                mistakes.append(f"{label}, key name: used twice; each site needs a name of its own")
            sites[site.name] = site
    if mistakes:
        raise SiteError("\n".join(mistakes))
    return sites


def check_algorithm(kind: str, name: str) -> None:
    """Whether an algorithm finds what the spider of this kind asks for.

    :raises UnknownAlgorithm: it is not registered.
    :raises WrongKind: it finds records where articles are asked for, or the other way round.
    """
    asked: algorithms.Kind = "article" if kind == "news" else "records"
    if asked not in algorithms.spec(name).kinds:
        raise WrongKind(name, asked, algorithms.names(asked))


def _files(table: dict[str, Any], default: str, folder: Path) -> dict[str, str]:
    """The params of a site that name files, as absolute paths; relative ones begin at the folder of the site file.

    :raises UsageError: there is no such file, or no such algorithm.
    """
    algorithm, params = table.get("algorithm", default), table.get("params")
    if not isinstance(algorithm, str) or not isinstance(params, dict):
        return {}
    files: dict[str, str] = {}
    for name in algorithms.file_params(algorithm):
        value = params.get(name)
        if isinstance(value, str) and value:
            file = folder / value
            try:
                found = file.is_file()
            except (OSError, ValueError):  # a folder that may not be read, a name too long, a null byte in it
                found = False
            if not found:
                raise UsageError(
                    f"{name} = {value!r}: no such file: {file}; relative paths begin at the folder of the site file"
                )
            files[name] = str(file)
    return files
