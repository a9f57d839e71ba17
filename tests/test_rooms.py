"""The rooms of the tree, in order: a room imports only from rooms before it, so no circle of rooms exists at run time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import newsextract

ROOT = Path(newsextract.__file__).parents[1]
ROOMS = """
    settings errors control_characters results urls model_files workers page browser discovery records fields wrappers algorithms
    extraction aio rendition feed html_pages worker_start record_pages sites survey alarms crawling database state archives spark inspection feed_report lab scrapy cli commands __main__
    pipelines spiders
""".split()
EXCEPTIONS = {
    ("newsextract.page.page", "discovery"): "Page.kind is computed when it is first asked for, by code that reads pages",
}


def modules() -> Iterator[tuple[str, Path]]:
    for folder in ("newsextract", "pipelines", "settings", "spiders"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), path


def room(module: str) -> str:
    top, _, rest = module.partition(".")
    return rest.partition(".")[0] if top == "newsextract" else top


def imports(path: Path) -> Iterator[str]:
    """Modules that a file imports at run time, also those within functions."""
    waiting: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the whole name of the module"
            for alias in node.names:
                if node.module == "newsextract":  # its names come from where they are defined
                    yield f"newsextract.{newsextract._MODULES.get(alias.name, alias.name)}"
                else:
                    yield node.module or ""


def test_a_room_imports_only_from_rooms_before_it() -> None:
    used, wrong = set(), []
    for module, path in modules():
        for other in imports(path):
            if (
                other.partition(".")[0] in {"newsextract", "pipelines", "settings", "spiders"}
                and room(module)
                and room(other) in ROOMS
            ):
                if (module, room(other)) in EXCEPTIONS:
                    used.add((module, room(other)))
                elif ROOMS.index(room(other)) > ROOMS.index(room(module)):
                    wrong.append(f"{module} imports {other}")
    assert wrong == []
    assert used == set(EXCEPTIONS)


def test_every_room_has_its_place_in_the_order() -> None:
    assert {room(module) for module, _ in modules()} - {""} == set(ROOMS)
