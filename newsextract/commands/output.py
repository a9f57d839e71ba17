"""What a command writes: checked before it begins to work, written with a message where that fails."""

from __future__ import annotations

import os
import sys
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


def write_text(path: Path, text: str, what: str) -> None:
    """Write a file in UTF-8.

    :param what: what the message calls it.
    :raises DataError: it cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot write {what}: {error}") from error


def print_text(text: str) -> None:
    """Print even where the terminal cannot show every character."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))
