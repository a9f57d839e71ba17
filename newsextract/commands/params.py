"""``--param KEY=VALUE``: single parameters of an algorithm on the command line, as a site's settings would have them."""

from __future__ import annotations

import argparse
import tomllib
from typing import Any

from newsextract.errors import UsageError


def add_param(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Declare the option."""
    parser.add_argument(
        "--param",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a parameter of the algorithm, written as in sites.toml or as a plain word; may be repeated",
    )


def given_params(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters that were given.

    :raises UsageError: one is no KEY=VALUE.
    """
    return dict(map(_param, arguments.param))


def _param(given: str) -> tuple[str, Any]:
    key, sign, value = given.partition("=")
    if not sign or not key:
        raise UsageError(f"--param {given}: expected KEY=VALUE, for example favour=precision")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value
