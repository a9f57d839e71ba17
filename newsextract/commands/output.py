"""What a command is to write is checked before it begins to work."""

from __future__ import annotations

import os
from pathlib import Path

from newsextract.errors import DataError


def check_output(path: Path) -> None:
    """Refuse a file that cannot be written, before the work is done.

    :raises DataError: it is a folder, or its folder is missing or read-only.
    """
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder; name a file in it")
    if not path.parent.is_dir():
        raise DataError(f"cannot write {path}: there is no directory {path.parent}; create it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise DataError(f"cannot write {path}: no permission; choose another place")
