"""The command line: ``newsextract COMMAND``. One module of :mod:`newsextract.commands` per command."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence

import newsextract
from newsextract.commands import (
    algorithms,
    browser,
    cluster,
    database,
    evaluate,
    extract,
    inspect,
    oem,
    records,
    site_check,
    snapshot,
    spark,
    train,
)
from newsextract.errors import NewsextractError

_COMMANDS = (
    extract,
    records,
    oem,
    snapshot,
    inspect,
    algorithms,
    evaluate,
    train,
    site_check,
    browser,
    database,
    cluster,
    spark,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; a user's mistake is one line on standard error and exit code 2."""
    parser = argparse.ArgumentParser(
        prog="newsextract",
        description="Clean structured records from news, forums, search results, lists, and pages of known structure.",
    )
    parser.add_argument("--version", action="version", version=f"newsextract {newsextract.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_parser(subparsers)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a lone surrogate or an ASCII terminal is no reason to fail
    given = parser.parse_args(arguments)
    try:
        code: int = given.run(given)
    except NewsextractError as error:
        sys.stderr.write(f"newsextract: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone (`| head`): nothing more to say
        return 0
    return code


if __name__ == "__main__":
    sys.exit(main())
