"""Numbers on the command line, as argparse wants their types."""

from __future__ import annotations

import argparse


def count(text: str) -> int:
    """A number from 0."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"expected a number from 0, got {text!r}")
    return int(text)


def positive(text: str) -> int:
    """A number from 1."""
    number = count(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected a number from 1, got 0")
    return number
