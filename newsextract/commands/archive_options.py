"""What ``newsextract extract --warc`` and ``newsextract spark extract`` have in common: options, and their defaults."""

from __future__ import annotations

import argparse

from newsextract.errors import UsageError

TIMEOUT = 30.0
"""Seconds for one article; as for crawls (EXTRACTION_TIMEOUT)."""
MEMORY = 1_500
"""Megabytes of a worker; as for crawls (EXTRACTION_MEMORY_MB)."""


def add_archive_options(parser: argparse._ActionsContainer) -> None:
    """Declare ``--every-page`` and ``--timeout``."""
    parser.add_argument(
        "--every-page",
        action="store_true",
        help="take every web page of other people's archives for an article; default: what looks like one",
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=TIMEOUT, help=f"for one article; default: {TIMEOUT:g}"
    )


def check_timeout(seconds: float) -> None:
    """:raises UsageError: it is no time."""
    if not seconds > 0:
        raise UsageError(f"--timeout {seconds:g}: expected seconds, for example --timeout {TIMEOUT:g}")
