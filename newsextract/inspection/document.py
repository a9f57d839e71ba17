"""The file: one HTML document that holds everything and may fetch nothing.

A content security policy allows the one style sheet and the one script in it, told by their hashes, and pictures as data;
no handlers in attributes, no style attributes, no addresses. What comes from a page stands in a JSON element, in which no
``<`` is written as such; the script puts it into the document as text.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

_SCRIPTS = ("model", "stage", "tree", "details", "tables", "main")
"""Files of the script, in the order in which they are put together."""
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def document(data: dict[str, Any], screenshot: bytes | None) -> str:
    """The file.

    :param data: plain JSON values.
    :param screenshot: PNG.
    """
    script, style = _part("js", _SCRIPTS), _part("css", ("report",))
    policy = (
        f"default-src 'none'; img-src data:; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    source = f' src="data:image/png;base64,{b64encode(screenshot).decode()}"' if screenshot else ""
    name = escape(_unbroken(str(data["name"])))
    body = files(__name__.rpartition(".")[0]).joinpath("body.html").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name} – inspection</title>\n<style>{style}</style></head>\n"
        + body.replace("SOURCE", source)
        + f'<script type="application/json" id="data">{embedded(data)}</script>\n<script>{script}</script>\n</body></html>\n'
    )


def embedded(data: Any) -> str:
    """JSON for a script element: ASCII alone, and neither ``<``, ``>`` nor ``&``.

    :raises ValueError: a number is not finite.
    """
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":")).translate(_ESCAPED)


@cache
def _part(kind: str, names: tuple[str, ...]) -> str:
    """Files of the package in one; the script is one function, so that nothing of it is global."""
    folder = files(__name__.rpartition(".")[0])
    text = "\n".join(folder.joinpath(f"{name}.{kind}").read_text("utf-8") for name in names)
    return f'(() => {{\n"use strict";\n{text}\n}})();' if kind == "js" else text


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _unbroken(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
