"""Reference pages in Markdown, generated from the code: command line, settings, site keys, schemas, Python API, algorithms.

:data:`PAGES` maps the name of a page to the function that writes it; ``benchmarks/docs/hooks.py`` adds them to the site.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import newsextract
from newsextract import algorithms, cli, sites
from newsextract.cli import describe
from spiders.plan import ARCHIVE_ARGUMENTS, ARGUMENTS_OF

ROOT = Path(__file__).parents[2]
SCHEMAS = {
    "record": "scrapy crawl news",
    "post": "scrapy crawl forum",
    "hit": "scrapy crawl search",
    "teaser": "scrapy crawl list",
    "object": "sites with a wrapper",
    "page": "….pages.jsonl",
    "rejection": "….rejected.jsonl",
}
"""Name of a schema in ``docs/`` → what writes such lines."""


def prose(text: str | None) -> str:
    """A docstring's reStructuredText as Markdown."""
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?([\w.]+)`", r"`\1`", inspect.cleandoc(text or ""))
    return text.replace("``", "`").replace("<", "&lt;") if "`" not in text else text.replace("``", "`")


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table of Markdown; empty without rows."""
    lines = [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    names = list(heads)
    return "\n".join([f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}", *lines]) + "\n" if lines else ""


# --- command line ---------------------------------------------------------------------------------


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    for action in parser._actions:  # argparse has no public way to ask
        if isinstance(action, argparse._SubParsersAction):
            summaries = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, below in action.choices.items():
                yield below.prog, summaries.get(name, ""), below
                yield from _commands(below)


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    formatter = argparse.HelpFormatter(parser.prog)
    for action in parser._actions:
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction):
            names = ", ".join(action.option_strings) or formatter._format_args(action, action.dest)
            value = (
                ""
                if not action.option_strings or action.nargs == 0
                else f" {formatter._format_args(action, action.dest.upper())}"
            )
            yield f"`{names}{value}`", (formatter._expand_help(action) if action.help else "")


def command_line() -> str:
    """All commands of ``newsextract`` with their options, and the arguments of the spiders."""
    parts = ["# Command line", "Generated from the program's own parser: `newsextract COMMAND --help` prints the same."]
    for name, summary, parser in _commands(cli.build_parser(cli.COMMANDS)):
        parts += [f"## {name}", prose(parser.description or summary), table(("argument", "meaning"), _options(parser))]
    parts += [
        "## scrapy crawl",
        "Arguments of the spiders, each as `-a NAME=VALUE`. What they do: [Usage](../usage.md#crawling).",
    ]
    for spider, known in {**ARGUMENTS_OF, "archive": ARCHIVE_ARGUMENTS}.items():
        parts += [
            f"### scrapy crawl {spider}",
            table(("argument", "meaning"), ((f"`{k}`", what) for k, what in known.items())),
        ]
    return "\n\n".join(filter(None, parts))


# --- settings and site keys -----------------------------------------------------------------------


def _assignments(body: list[ast.stmt], source: str) -> Iterator[tuple[str, str, str]]:
    """Name, value and docstring of each assignment."""
    for node, following in zip(body, [*body[1:], None], strict=True):
        target = (
            node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
        )
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(target, ast.Name):
            text = (
                following.value.value
                if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
                else ""
            )
            yield target.id, (ast.get_source_segment(source, value) or "") if value else "", str(text)


def settings() -> str:
    """The settings of ``settings/base.py`` that have an explanation, and those of Scrapy that it changes."""
    source = (ROOT / "settings" / "base.py").read_text("utf-8")
    found = [(f"`{name}`", value, text) for name, value, text in _assignments(ast.parse(source).body, source)]
    ours = table(
        ("setting", "default", "meaning"), ((name, f"`{value}`", prose(text)) for name, value, text in found if text)
    )
    scrapys = table(
        ("setting", "value"), ((name, f"`{value}`") for name, value, text in found if not text and "\n" not in value)
    )
    head = "# Settings\n\nGenerated from `settings/base.py`. Change them in `settings/local.py`, or for one run with `-s`."
    others = "## Settings of Scrapy with another default\n\nScrapy's documentation explains them."
    return "\n\n".join([head, "## Our settings", ours, others, scrapys])


def site_keys() -> str:
    """The keys of ``sites.toml`` with type, default, example and the kinds of site that have them."""
    hints = get_type_hints(sites.Site)
    source = inspect.getsource(sites.Site)
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    texts = {name: prose(text) for name, _, text in _assignments(definition.body, source)}
    defaults = {field.name: field for field in dataclasses.fields(sites.Site)}
    rows = []
    for name, key in sites.KEYS.items():
        field = defaults[name]
        default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        shown = "" if default is dataclasses.MISSING or default is None else f"`{sites._toml(default)}`"
        kind = _type(hints[name]).removesuffix(" | None")
        rows.append(
            (f"`{name}`", f"`{kind}`", shown, f"`{key.toml()}`", texts[name], ", ".join(sites._ONLY.get(name, ["all"])))
        )
    return (
        "# Keys of sites.toml\n\nGenerated from `newsextract/sites.py`. What the keys do together: [Sites](../sites.md).\n\n"
        + table(("key", "type", "default", "example", "meaning", "kinds"), rows)
    )


# --- schemas --------------------------------------------------------------------------------------


def _schema_type(field: dict[str, Any]) -> str:
    if "const" in field or "enum" in field:
        return " or ".join(f"`{json.dumps(value)}`" for value in field.get("enum", [field.get("const")]))
    kind = field.get("type", "object" if "properties" in field else "any")
    names = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{names} of {_schema_type(field['items'])}" if "items" in field else names


def schemas() -> str:
    """The fields of all lines that crawls write."""
    parts = ["# Schemas of the feeds", "Generated from the JSON Schemas in `docs/`. Explanations: [Records](../records.md)."]
    for name, writer in SCHEMAS.items():
        schema = json.loads((ROOT / "docs" / f"{name}.schema.json").read_text("utf-8"))
        required = set(schema.get("required", ()))
        rows = (
            (f"`{k}`", _schema_type(v), "yes" if k in required else "", v.get("description", ""))
            for k, v in schema["properties"].items()
        )
        parts += [
            f"## {schema['title']}",
            f"{schema['description']} Written by: {writer}. File: [`{name}.schema.json`](../{name}.schema.json).",
            table(("field", "type", "always there", "meaning"), rows),
        ]
    return "\n\n".join(parts)


# --- python ---------------------------------------------------------------------------------------


def _type(kind: object) -> str:
    text = kind if isinstance(kind, str) else inspect.formatannotation(kind)
    text = re.sub(r"Literal\[([^]]+)\]", lambda found: found[1].replace(",", " |"), text)
    return re.sub(r"\b(?:[a-z_]\w*\.)+([A-Z]\w*|date|datetime)", r"\1", text)


def _docstring(text: str | None) -> str:
    """Prose, then parameters and exceptions as a list."""
    head, *fields = re.split(r"^:(?=param|returns|raises)", inspect.cleandoc(text or ""), flags=re.MULTILINE)
    lines = [prose(head)]
    for field in fields:
        role, _, what = field.partition(":")
        word, _, name = role.partition(" ")
        label = {"param": f"`{name}`", "raises": f"raises `{name}`", "returns": "returns"}[word]
        lines.append(f"- {label}: {_cell(prose(what)).replace(chr(92) + '|', '|')}")
    return "\n".join([lines[0], "", *lines[1:]])


def _members(kind: type) -> Iterator[tuple[str, str, str]]:
    """Public fields, properties and methods of a class: name, type or signature, first paragraph."""
    source = inspect.getsource(kind)
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    texts = {name: text for name, _, text in _assignments(definition.body, source)}
    if dataclasses.is_dataclass(kind):
        yield from ((f.name, _type(f.type), texts.get(f.name, "")) for f in dataclasses.fields(kind) if f.name[0] != "_")
    for name, member in vars(kind).items():
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if name[0] == "_":
            continue
        if inspect.isfunction(function):
            yield (
                f"{name}()",
                _type(str(inspect.signature(function)).replace("'", "")),
                (function.__doc__ or "").partition("\n\n")[0],
            )
        elif isinstance(member, property) or hasattr(member, "func"):
            getter = member.fget if isinstance(member, property) else member.func
            yield name, _type(str(getter.__annotations__.get("return", ""))), (member.__doc__ or "").partition("\n\n")[0]


def python() -> str:
    """The public names of the library."""
    parts = [
        "# Python",
        "Generated from the docstrings of the names in `newsextract.__all__`. Examples: [Usage](../usage.md#pages).",
    ]
    for name in newsextract.__all__:
        value = getattr(newsextract, name)
        if inspect.isfunction(value):
            shown = _type(str(inspect.signature(value)).replace("'", ""))
            parts += [f"## {name}", f"```python\n{name}{shown}\n```", _docstring(value.__doc__)]
        elif inspect.isclass(value):
            rows = ((f"`{k}`", f"`{t}`", prose(text)) for k, t, text in _members(value))
            text = (value.__doc__ or "") if not (value.__doc__ or "").startswith(f"{name}(") else ""
            parts += [f"## {name}", _docstring(text), table(("name", "type", "meaning"), rows)]
        elif inspect.ismodule(value):
            parts += [f"## {name}", f"Module `{value.__name__}`. {_docstring(value.__doc__)}"]
    return "\n\n".join(parts)


def all_algorithms() -> str:
    """The registry, as ``newsextract algorithms`` prints it."""
    parts = ["# Algorithms", "Generated: `newsextract algorithms` prints the same."]
    for name in algorithms.names():
        parts += [f"## {name}", f"```text\n{describe(name)}```"]
    return "\n\n".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    "reference/cli.md": command_line,
    "reference/settings.md": settings,
    "reference/sites.md": site_keys,
    "reference/schemas.md": schemas,
    "reference/python.md": python,
    "reference/algorithms.md": all_algorithms,
}
"""Page, relative to ``docs/`` → what writes it."""
