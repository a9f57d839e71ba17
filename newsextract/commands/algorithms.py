"""``newsextract algorithms``: what there is to choose from."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import sys

from newsextract import algorithms

_FIELD = re.compile(r"    (\w+): ")
"""Where a field of a class begins."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "algorithms",
        help="list algorithms and their parameters",
        description="Print name, paper, kinds, and parameters with units, ranges and defaults of every algorithm.",
        epilog="example:\n  newsextract algorithms",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the registry."""
    sys.stdout.write("\n".join(describe(name) for name in algorithms.names()))
    return 0


def describe(name: str) -> str:
    """An algorithm's entry as text."""
    spec = algorithms.spec(name)
    default = " (default)" if name in (algorithms.DEFAULT, algorithms.DEFAULT_RECORDS) else ""
    lines = [
        f"{name}{default}",
        f"  paper    {spec.reference}",
        f"  kinds    {', '.join(spec.kinds)}{'; needs a rendered page' if spec.needs_snapshot else ''}",
        f"  presets  {', '.join(spec.presets)}",
    ]
    params = algorithms.make_params(name)
    comments = _comments(type(params))
    for field in dataclasses.fields(params):
        facts = [str(field.metadata.get(key)) for key in ("unit", "range", "section") if field.metadata.get(key)]
        lines.append(f"  {field.name} = {getattr(params, field.name)}   [{'; '.join(facts)}]")
        lines.append(f"      {comments.get(field.name, '')}")
    return "\n".join(lines) + "\n"


def _comments(params: type) -> dict[str, str]:
    """The text under each field of a parameters class."""
    comments: dict[str, str] = {}
    field = ""
    for line in inspect.getsource(params).splitlines():
        text = line.strip()
        if text.startswith('"""') and field:
            comments[field] = text.strip('"')
            field = ""
        elif match := _FIELD.match(line):
            field = match[1]
    return comments
