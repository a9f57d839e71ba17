"""The extraction format: a text file of lines ``{section text, section variable, source}``.

Huang, Qi & Zhang 2000, §1.3: the section text says which stretches of the source become values, the section variable
is their label, a constant or a pattern whose match is the label, and the source is ``get("URL")`` or the variable of an
earlier line. The first line bounds the useful part of the page and makes the root. As printed in the paper, lines may be
numbered, and where a line begins with the typographic brace ｛ its typographic brackets and quotes are read like plain ones.

Ours: ``get()`` is the page at hand, ``get(variable)`` the pages that links lead to, ``split(", ")`` cuts a source into
pieces, ``author*`` asks for a list, a ``?`` behind the line says that it may find nothing, and ``#`` outside the braces
begins a comment.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from newsextract.errors import UsageError, naming
from newsextract.wrappers.pattern import QUOTED, Hole, Part, PatternError, Tag, Text, holes, parse_pattern

# --- cells ----------------------------------------------------------------------------------------
# The three parts of a format line, and the error that names a place in a format file.
#
# Commas separate the parts but for those in quotes, in tags, and between the arguments of ``split(…)`` and ``get(…)``.

EXAMPLE = "{<li>#</li>, paper, root}"
_CALL = re.compile(r"\s*(?:split|get)\s*\(")
"""Where commas stand between arguments."""


class FormatError(UsageError):
    """A format file is wrong; the message names file, line, column, what was expected, and an example."""

    def __init__(self, name: str, line: int, column: int, message: str, example: str = EXAMPLE) -> None:
        stop = "" if message.endswith("?") else "."
        super().__init__(f"{name}:{line}:{column}: {message}{stop} Example: {example}")


Fail = Callable[..., FormatError]
"""Makes the error for an offset of a line: offset, message, example."""


def _failing(name: str, number: int) -> Fail:
    return lambda offset, message, example=EXAMPLE: FormatError(name, number, offset + 1, message, example)


def cells_of(text: str, start: int, fail: Fail) -> tuple[list[tuple[str, int]], int]:
    """The parts between braces, each with its offset, and the offset behind the closing brace."""
    cells: list[tuple[str, int]] = []
    begun = place = start
    depth = 0
    while place < len(text):
        char = text[place]
        if char == "\\":
            place += 1
        elif char == '"':
            quote = QUOTED.match(text, place)
            if quote is None:
                raise fail(place, "the quote is not closed; expected '\"'", '{"no. "#<br>, number, item}')
            place = quote.end() - 1
        elif (char == "<" and text[place + 1 : place + 2].isalpha()) or text.startswith("</", place):
            close = text.find(">", place)
            if close > 0 and "<" not in text[place + 1 : close]:  # else it is no tag: the next one begins in it
                place = close
        elif char == "(":
            depth += 1
        elif char == ")":
            depth = max(0, depth - 1)
        elif char == "}" or (char == "," and not (depth and _CALL.match(text, begun))):
            cell = text[begun:place]
            cells.append((cell.strip(), begun + len(cell) - len(cell.lstrip())))
            begun, depth = place + 1, 0
            if char == "}":
                return cells, place + 1
        place += 1
    raise fail(len(text.rstrip()), "expected '}' at the end of the line")


# --- format ---------------------------------------------------------------------------------------

MAX_BYTES = 1_000_000
"""Of a file; a format has some lines."""
MAX_LINES = 1_000

_PRINTED = str.maketrans({"｛": "{", "｝": "}", "〈": "<", "〉": ">", "“": '"', "”": '"', "，": ","})
_BEGIN = re.compile(r"\s*(?:\d+[.:]?\s*)?\{")
_GET = re.compile(r'get\s*\(\s*+(?:"([^"]*)"|([^\W\d][\w-]*+))?\s*+\)\Z')
_SPLIT = re.compile(r'split\s*\(\s*("[^"]+"(?:\s*,\s*"[^"]+")*)\s*\)\Z')
_END = re.compile(r"\s*+(\?)?\s*+(?:#.*)?\Z")


@dataclass(frozen=True, slots=True)
class SplitText:
    """A section text that cuts its source at separators."""

    separators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Get:
    """A source that is a page."""

    url: str | None = None
    """The address; None: the page at hand, unless ``links`` is given."""
    links: str | None = None
    """Variable whose objects are links to the pages."""


@dataclass(frozen=True, slots=True)
class FormatLine:
    """One line of a format."""

    number: int
    """In the file, from 1."""
    section: tuple[Part, ...] | SplitText
    variable: str
    """The constant, or the pattern's text as it is written, by which later lines name it."""
    label: tuple[Part, ...] | None
    """The pattern that finds the label; None: the variable is the label."""
    source: str | Get
    """Variable of an earlier line, or pages."""
    optional: bool = False
    """Whether it may find nothing on a page that fits."""
    many: bool = False
    """Whether records have a list for its label even where it stands once (``author*``)."""

    @property
    def scale(self) -> Tag | None:
        """The tag of several levels before which its values end: the heuristics then find the hierarchy."""
        if isinstance(self.section, SplitText) or not self.section:
            return None
        last = self.section[-1]
        return last if isinstance(last, Tag) and last.is_scale and not last.closing else None

    @property
    def names(self) -> frozenset[str]:
        """Variables that a later line may name as source."""
        return frozenset((self.variable, *self.hole_names))

    @property
    def hole_names(self) -> list[str]:
        """The names of its holes."""
        return [] if isinstance(self.section, SplitText) else [hole.name for hole in holes(self.section) if hole.name]


@dataclass(frozen=True, slots=True)
class Format:
    """A format file."""

    name: str
    """The file's, for messages."""
    lines: tuple[FormatLine, ...]

    @property
    def many(self) -> frozenset[str]:
        """Labels that records have lists for."""
        return frozenset(line.variable for line in self.lines if line.many)

    @property
    def labels(self) -> list[str]:
        """The labels that it names, in order; those that a pattern finds are not known before."""
        constant = ([line.variable] if line.label is None else [] for line in self.lines)
        named = zip(constant, self.lines, strict=True)
        return list(dict.fromkeys(name for own, line in named for name in (*own, *line.hole_names)))


def load_format(path: Path) -> Format:
    """Read a format file.

    :raises FormatError: a line is wrong.
    :raises UsageError: the file cannot be read.
    """
    with naming(path, "expected a wrapper file, such as `newsextract oem draft` writes", kind=UsageError):
        data = path.read_bytes()
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path}: {len(data):,} bytes; a wrapper file has at most {MAX_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FormatError(str(path), line, 1, "not UTF-8; save the file as UTF-8") from error
    return parse_format(text, str(path))


def parse_format(text: str, name: str = "format") -> Format:
    """The lines of a format.

    :param name: what the messages call it.
    :raises FormatError: a line is wrong.
    """
    lines: list[FormatLine] = []
    known: set[str] = set()
    for number, written in enumerate(text.splitlines(), 1):
        stripped = written.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if len(lines) == MAX_LINES:
            raise FormatError(name, number, 1, f"more than {MAX_LINES:,} lines; expected a format of some lines")
        printed = "｛" in written.partition("{")[0]
        fail = _failing(name, number)
        line, at_source = _line(written.translate(_PRINTED) if printed else written, number, fail)
        _check_source(line, at_source, known, fail, first=not lines)
        known |= line.names
        lines.append(line)
    if not lines:
        raise FormatError(name, 1, 1, "no line; expected {section text, section variable, source}")
    return Format(name, tuple(lines))


def _line(text: str, number: int, fail: Fail) -> tuple[FormatLine, int]:
    """A line, and the offset of its source."""
    begin = _BEGIN.match(text)
    if begin is None:
        found = text.strip()[:1]
        raise fail(len(text) - len(text.lstrip()), f"expected '{{', found {found!r}; a comment begins with #")
    cells, end = cells_of(text, begin.end(), fail)
    behind = _END.match(text, end)
    if behind is None:
        raise fail(end, f"expected the end of the line after '}}', found {text[end:].strip()[:20]!r}")
    if len(cells) != 3:
        where = cells[3][1] if len(cells) > 3 else end - 1
        mend = "; write a ',' that belongs to a pattern in quotes" if len(cells) > 3 else ""
        raise fail(where, f"expected three parts, section text, section variable, source, found {len(cells)}{mend}")
    (section, at_section), (variable, at_variable), (source, at_source) = cells
    parsed: tuple[Part, ...] | SplitText
    split = _SPLIT.match(section)
    if split:
        parsed = SplitText(tuple(re.findall(r'"([^"]+)"', split[1])))
    else:
        parsed = _pattern(section, at_section, fail)
        if not holes(parsed):
            message = "the section text has no '#'; expected one in place of the value"
            raise fail(at_section, message, "{<li>#</li>, paper, root}")
    if not variable:
        raise fail(at_variable, "the section variable is empty; expected a name or a pattern")
    label = _pattern(variable, at_variable, fail)
    constant = not any(isinstance(part, Tag | Hole) or holes((part,)) for part in label)
    _check_scale(parsed, at_section, fail, constant=constant)
    if not constant and not holes(label):
        message = "the label's pattern has no '#'; expected one in place of the label"
        raise fail(at_variable, message, "{</hx>#<hx>, <hx>#</hx>, root}")
    word = "".join(part.text for part in label if isinstance(part, Text)) if constant else ""
    get = _GET.match(source)
    place: str | Get = Get(get[1] or None, get[2]) if get else _spelled(" ".join(source.strip('"').split()))
    if not source:
        raise fail(at_source, 'the source is empty; expected get("URL"), get() or an earlier variable')
    name, found_label = word.removesuffix("*") or _spelled(variable), None if constant else label
    return FormatLine(number, parsed, name, found_label, place, bool(behind[1]), word.endswith("*")), at_source


def _check_scale(section: tuple[Part, ...] | SplitText, at: int, fail: Fail, *, constant: bool) -> None:
    """A section text before a scale of tags has that scale, a hole, and the scale again: no more."""
    if isinstance(section, SplitText):
        return
    first, last = section[0], section[-1]
    if not (isinstance(last, Tag) and last.is_scale and not last.closing):
        return
    own = last.name == "indentx" and constant  # an item's text is its own, a section's stands behind its title
    is_pair = isinstance(first, Tag) and first.name == last.name and section[1:-1] == (Hole(),)
    if not is_pair or (own and isinstance(first, Tag) and first.closing):
        wanted = f"<{'' if own else '/'}{last.name}>#<{last.name}>"
        example = "{<indentx>#<indentx>, item, root}" if own else "{</hx>#<hx>, <hx>#</hx>, root}"
        message = f"<{last.name}> leaves the hierarchy to font or indent; expected {wanted} and no more"
        raise fail(at, message, example)


def _pattern(text: str, offset: int, fail: Fail) -> tuple[Part, ...]:
    try:
        return parse_pattern(text)
    except PatternError as error:
        raise fail(offset + error.offset, str(error)) from error


def _spelled(variable: str) -> str:
    """A variable as it is compared: white space and the case of tags do not matter."""
    folded = re.sub(r"\s+", "", variable) if "<" in variable else " ".join(variable.split())
    return re.sub(r"</?[A-Za-z][^>]*>", lambda match: match[0].lower(), folded)


def _check_source(line: FormatLine, at: int, known: set[str], fail: Fail, *, first: bool) -> None:
    if first:
        example = "{<body>#</body>, root, get()}"
        if not isinstance(line.source, Get) or line.source.links:
            message = 'the first line defines the root and reads a page; expected get("URL") or get() as source'
            raise fail(at, message, example)
        if line.scale is not None or isinstance(line.section, SplitText):
            message = "the first line bounds the page; expected one stretch of it, and titles or pieces in the next line"
            raise fail(0, message, example)
        return
    if line.source == Get():
        raise fail(at, "get() is for the first line; expected an earlier variable or get(variable)")
    wanted = line.source.links if isinstance(line.source, Get) else line.source
    if wanted is not None and wanted not in known:
        near = difflib.get_close_matches(wanted, sorted(known), 1)
        meant = f"; did you mean {near[0]!r}?" if near else f"; choose from: {', '.join(sorted(known))}"
        raise fail(at, f"no line before this one has the variable {wanted!r}{meant}")


# --- site wrapper ---------------------------------------------------------------------------------
# A site's wrapper: its format file, read and checked before a crawl begins, and the label whose objects become records.


@dataclass(frozen=True, slots=True)
class SiteWrapper:
    """A wrapper as a site names it."""

    name: str
    """The file as the site file names it."""
    format: Format
    records: str | None
    """Label of the objects that become one record each; None: one record a page, with all its objects."""
    digest: str
    """16 hexadecimal digits of the file's content: a page that it did not fit is tried again when it has changed."""


def load_wrapper(name: str, folder: Path, records: str | None) -> SiteWrapper:
    """Read and check a site's wrapper.

    :param name: the file, relative to the folder.
    :param records: a label, or None.
    :raises FormatError: a line of it is wrong.
    :raises UsageError: it cannot be read, or no object of it can have the label.
    """
    path = folder / name
    if "\0" in name:
        raise UsageError(f"{name!r}: not the name of a file")
    wrapper = load_format(path)
    if records is not None:
        known = wrapper.labels
        if records not in known and all(line.label is None for line in wrapper.lines):  # else the page itself gives some
            near = difflib.get_close_matches(records, sorted(known), 1)
            meant = f"did you mean {near[0]!r}?" if near else f"its labels are: {', '.join(sorted(known))}"
            raise UsageError(f"records = {records!r}: no line of {name} gives objects with this label; {meant}")
    digest = hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()
    return SiteWrapper(name, wrapper, records, digest)
