"""A site's wrapper: its format file, read and checked before a crawl begins, and the label whose objects become records.

Cost: linear in the format file's length.
"""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass
from pathlib import Path

from newsextract.errors import UsageError
from newsextract.oem.format import Format, load_format
from newsextract.oem.pattern import holes


@dataclass(frozen=True, slots=True)
class SiteWrapper:
    """A wrapper as a site names it."""

    name: str
    """The file as the site file names it."""
    format: Format
    records: str | None
    """Label of the objects that become one record each; None: one record a page, with all its objects."""
    digest: str
    """16 hexadecimal digits of the file's content: a page that it did not fit is tried again when it has changed."""


def load_wrapper(name: str, folder: Path, records: str | None) -> SiteWrapper:
    """Read and check a site's wrapper.

    :param name: the file, relative to the folder.
    :param records: a label, or None.
    :raises FormatError: a line of it is wrong.
    :raises UsageError: it cannot be read, or no object of it can have the label.
    """
    path = folder / name
    if "\0" in name:
        raise UsageError(f"{name!r}: not the name of a file")
    wrapper = load_format(path)
    if records is not None:
        known = labels(wrapper)
        if known is not None and records not in known:
            near = difflib.get_close_matches(records, sorted(known), 1)
            meant = f"did you mean {near[0]!r}?" if near else f"its labels are: {', '.join(sorted(known))}"
            raise UsageError(f"records = {records!r}: no line of {name} gives objects with this label; {meant}")
    digest = hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()
    return SiteWrapper(name, wrapper, records, digest)


def labels(wrapper: Format) -> frozenset[str] | None:
    """All labels that objects of a format may have; None where the page itself gives some."""
    if any(line.label is not None for line in wrapper.lines):
        return None
    found = {line.variable for line in wrapper.lines}
    for line in wrapper.lines:
        if isinstance(line.section, tuple):
            found |= {hole.name for hole in holes(line.section) if hole.name}
    return frozenset(found)
