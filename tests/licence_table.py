"""What an installed package says of its licence."""

from __future__ import annotations

from importlib import metadata


def licence_of(package: str) -> str:
    """The SPDX expression, else the trove classifiers, else the first line of the licence field."""
    given = metadata.metadata(package)
    expression = given.get("License-Expression")
    classifiers = [c.rpartition(" :: ")[2] for c in given.get_all("Classifier") or [] if c.startswith("License :: ")]
    exact = [c for c in classifiers if c != "OSI Approved"]
    text = (given.get("License") or "not stated").strip().splitlines()[0]
    return str(expression or "; ".join(sorted(exact)) or text).replace("|", "/")
