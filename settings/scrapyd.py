"""In a scrapyd egg, which ``scrapy egg`` writes; docs/deployment.md.

An egg stays a zip, but the target sites and the formats and models that they name must be files: each process unpacks this
package's data for itself and takes it away at its end. Another list of sites: ``setting=SITES_FILE=…`` of ``schedule.json``.
"""

import tempfile
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from settings.production import *  # noqa: F403  # reason: a settings module is its names


def _unpack(folder: Traversable, to: Path) -> None:
    to.mkdir()
    for found in folder.iterdir():
        if found.is_dir():
            _unpack(found, to / found.name)
        elif not found.name.endswith(".py"):
            (to / found.name).write_bytes(found.read_bytes())


_UNPACKED = tempfile.TemporaryDirectory(prefix="newsextract-")  # as long as the process
_unpack(files("settings"), Path(_UNPACKED.name, "settings"))
SITES_FILE = str(Path(_UNPACKED.name, "settings", "sites.toml"))
