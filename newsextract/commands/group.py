"""A command with commands of its own: ``newsextract NAME ACTION``."""

from __future__ import annotations

import argparse


def add_group(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    *,
    help: str,  # noqa: A002  # argparse's own name
    description: str,
    epilog: str = "",
    metavar: str = "ACTION",
) -> argparse._SubParsersAction[argparse.ArgumentParser]:
    """Declare the command.

    :param help: its line in the list of commands.
    :param epilog: examples, printed as they stand.
    :param metavar: what its own commands are.
    :returns: where these are to be added.
    """
    parser = subparsers.add_parser(
        name, help=help, description=description, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    return parser.add_subparsers(title=metavar.lower(), metavar=metavar, required=True)
