"""Data sets: pages with true articles or true records, predictions, and the one split into folds."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import md5
from pathlib import Path
from typing import Any, Literal

from newsextract.errors import DataError, naming

# --- json lines -----------------------------------------------------------------------------------
# JSON lines read with care: a malformed line is one message with file, line, key and what was expected.

Row = dict[str, Any]


def rows(path: Path) -> Iterator[tuple[str, Row]]:
    """The objects of a file, each with "file, line n" for messages."""
    with naming(f"cannot read {path}", "give an existing JSON lines file"), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            where = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(f"{where}: not JSON ({error}); expected one object a line") from None
            if not isinstance(row, dict):
                raise DataError(f"{where}: expected a JSON object, got {type(row).__name__}")
            yield where, row


STRING, NUMBER, FLAG = "a string or null", "a number or null", "true, false or null"
WORD, STRINGS, OBJECTS = "a non-empty string", "a list of strings or null", "a list of objects"
_FITS: Mapping[str, Callable[[Any], bool]] = {
    WORD: lambda value: isinstance(value, str) and value != "",
    STRING: lambda value: isinstance(value, str),
    STRINGS: lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    OBJECTS: lambda value: isinstance(value, list) and all(isinstance(item, dict) for item in value),
    NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
    FLAG: lambda value: isinstance(value, bool),
}
"""What a value must be, as messages call it, and whether one that is not null is so."""


def values(row: Row, where: str, expected: Mapping[str, str]) -> Row:
    """The values of some keys, without those that are null or missing; lists of strings as tuples.

    :param expected: key → what its value must be.
    :raises DataError: a value is something else.
    """
    found = {key: row[key] for key in expected if row.get(key) is not None}
    for key, wanted in expected.items():
        if not (_FITS[wanted](found[key]) if key in found else wanted.endswith("null")):
            raise DataError(f"{where}: {key!r} must be {wanted}, got {row.get(key)!r:.60}")
    return {key: tuple(value) if expected[key] == STRINGS else value for key, value in found.items()}


# --- datasets -------------------------------------------------------------------------------------
# A data set is a directory with ``truth.jsonl`` (an object a page) and a file a page: *articles* (``pages/<id>.html.gz``,
# the bytes as they were served), *threads* of forums (``pages/<id>/index.html``; rows with the whole ``text``), or pages of
# many *records* (the same; rows with ``records``).
#
# Sites are split, not pages, because two pages of one site share their template: ``fold`` 0 is kept for the final
# measurement, folds 1–4 are for looking, tuning and training.

FOLDS = 5
TEST_FOLD = 0
"""The fold of which nobody looks at single pages."""

FoldName = Literal["train", "test", "all"]
"""``train``: folds 1–4. ``test``: fold 0."""

Kind = Literal["articles", "threads", "records"]
_NEEDED: Mapping[Kind, str] = {"threads": "text", "records": "records"}
"""What a row must have; rows without it belong to another kind."""
ALIGNED = frozenset({"testbed"})
"""Sources whose records have ``fields`` that are columns: the same place, the same meaning in all records of a page."""


@dataclass(frozen=True, slots=True)
class TrueRecord:
    """A record as a person would name it."""

    text: str
    fields: tuple[str, ...] = ()
    """By column, "" where it has none; empty where nothing is known of them."""


@dataclass(frozen=True, slots=True)
class PredictedRecord:
    """A record as it was extracted."""

    text: str
    """Its visible text nodes joined by blanks."""
    items: tuple[tuple[str, str], ...] = ()
    """Column label and text of each data item, in document order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthPage:
    """What an extractor should return for one page; None where the source does not say."""

    id: str
    source: str
    """Key of the collection that the page comes from."""
    url: str | None = None
    site: str
    """Registered domain; decides the fold."""
    lang: str = "?"
    """ISO 639-1, ``?`` when unknown."""
    title: str | None = None
    date: str | None = None
    """Publication day, ``yyyy-mm-dd``."""
    text: str | None = None
    """The whole body."""
    title_in_text: bool = False
    """``text`` begins with the headline."""
    with_: tuple[str, ...] | None = None
    """Segments that must be in the extracted text."""
    without: tuple[str, ...] | None = None
    """Segments that must not be in it."""
    truth: str = ""
    """How the truth was made: ``human``, ``segments``, ``date``, ``selectors``, ``parser`` or ``tool``."""
    fold: int
    """0–4, see :func:`fold`."""
    authors: tuple[str, ...] = ()
    """Empty where the source names none."""
    kind: str = ""
    """What kind of page it is (``article``, ``listing``, …; of records ``search``, ``forum``, ``list``); empty for data sets
    that hold articles alone."""
    records: tuple[TrueRecord, ...] = ()
    """Those that stand on the page."""
    data: str = ""
    """Name of the data set."""
    file: Path | None = None
    """Where the page's bytes are, gzipped where the name ends in ``.gz``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What an extractor returned for one page, and what it cost."""

    id: str
    text: str = ""
    title: str | None = None
    date: str | None = None
    """ISO 8601; only the day is compared."""
    authors: tuple[str, ...] = ()
    language: str | None = None
    status: str | None = None
    confidence: float | None = None
    """0–1."""
    reason: str | None = None
    kind: str | None = None
    """What kind of page it is called; None: undecided, or not judged."""
    is_article: bool | None = None
    """False: it is called no article; None: not judged."""
    records: tuple[PredictedRecord, ...] | None = None
    """None for an article."""
    rendered: bool | None = None
    """Whether there was a snapshot of the page; of records."""
    extract_seconds: float | None = None
    """CPU seconds of the whole extraction; of records from the page's bytes, or from its snapshot."""
    body_seconds: float | None = None
    """CPU seconds of the algorithm's body alone, decoding included; measured on some pages only."""
    lxml_seconds: float | None = None
    """CPU seconds of a plain ``lxml.html.fromstring`` of the same bytes, in the same run: the yardstick."""


def fold(site: str) -> int:
    """The fold (0–4) of a site. Every part of the project splits data with this function."""
    return int(_hash(site), 16) % FOLDS


def _hash(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def in_fold(page: TruthPage, name: FoldName) -> bool:
    """Whether a page belongs to ``train`` (folds 1–4), ``test`` (fold 0) or ``all``."""
    return name == "all" or (page.fold == TEST_FOLD) == (name == "test")


def select(pages: Iterable[TruthPage], name: FoldName = "all", limit: int | None = None) -> list[TruthPage]:
    """The pages of a fold, at most ``limit`` of them, in their order.

    A limit takes pages by the hash of their id, so that a small selection is spread over all sources and a
    larger one contains the smaller.
    """
    chosen = [page for page in pages if in_fold(page, name)]
    if limit is None or limit >= len(chosen):
        return chosen
    kept = set(sorted((page.id for page in chosen), key=_hash)[:limit])
    return [page for page in chosen if page.id in kept]


def load(directories: Sequence[Path], kind: Kind = "articles") -> list[TruthPage]:
    """The truth of one or more data sets of a kind, each in file order."""
    names = Counter(directory.resolve().name for directory in directories)
    pages: list[TruthPage] = []
    seen: dict[str, Path] = {}
    for directory in directories:
        name = directory.resolve().name
        loaded = _load(directory, kind, name if names[name] == 1 else str(directory))
        for page in loaded:
            if page.id in seen:
                raise DataError(
                    f"the page {page.id!r} stands in {seen[page.id]} and in {directory}; evaluate them one at a time"
                )
        seen.update((page.id, directory) for page in loaded)
        pages += loaded
    return pages


def read(page: TruthPage) -> bytes:
    """A page's bytes as they were served."""
    if page.file is None:
        raise DataError(f"the page {page.id!r} has no file; only pages of a data set can be read")
    try:
        data = page.file.read_bytes()
        return gzip.decompress(data) if page.file.suffix == ".gz" else data
    except FileNotFoundError:
        raise DataError(f"page file missing: {page.file}; truth.jsonl names it, so restore it or drop its line") from None
    except (OSError, EOFError, zlib.error) as error:
        expected = "expected one file a page, gzipped if its name ends in .gz"
        raise DataError(f"cannot read {page.file}: {error}; {expected}") from error


_PREDICTION = {
    "id": WORD,
    **dict.fromkeys(("text", "title", "date", "language", "status", "reason", "kind"), STRING),
    "authors": STRINGS,
    **dict.fromkeys(("is_article", "rendered"), FLAG),
    **dict.fromkeys(("confidence", "extract_seconds", "body_seconds", "lxml_seconds"), NUMBER),
}
_OF_RECORDS = "id records status confidence reason extract_seconds lxml_seconds rendered".split()
"""What is written of a prediction of records, in this order."""


def load_predictions(path: Path, kind: Kind = "articles") -> dict[str, Prediction]:
    """Predictions by page id from JSON lines ``{"id", "text", "title", "date", …}``; all but ``id`` optional.

    Those of records are ``{"id", "records": [{"text", "items": [{"label", "text"}]}], …}``; ``items`` is optional.

    :raises DataError: the file is missing or a line is malformed.
    """
    found: dict[str, Prediction] = {}
    for where, row in rows(path):
        given = values(row, where, _PREDICTION | ({"records": OBJECTS} if kind == "records" else {}))
        if kind == "records":
            given["records"] = tuple(_predicted(record, where) for record in given["records"])
        one = Prediction(**given)
        if one.id in found:
            raise DataError(f"{where}: a second prediction for the page {one.id!r}; keep one a page")
        found[one.id] = one
    return found


def save_predictions(path: Path, predictions: Sequence[Prediction]) -> None:
    """Write predictions so that :func:`load_predictions` gives them back.

    In ASCII: extracted text may hold lone surrogates, which UTF-8 cannot hold.

    :raises DataError: the file cannot be written.
    """
    try:
        with path.open("w", encoding="ascii") as file:
            file.writelines(json.dumps(_as_row(prediction)) + "\n" for prediction in predictions)
    except OSError as error:
        raise DataError(f"cannot write predictions: {error}") from error


def _as_row(prediction: Prediction) -> Row:
    row = asdict(prediction)
    if prediction.records is None:
        return {name: value for name, value in row.items() if name not in ("records", "rendered")}
    records = [
        {"text": record.text, "items": [{"label": label, "text": text} for label, text in record.items]}
        for record in prediction.records
    ]
    return {name: records if name == "records" else row[name] for name in _OF_RECORDS}


def _truth(directory: Path) -> Iterator[tuple[str, Row]]:
    """Place and row of each page of a data set; each has an id of its own."""
    if not directory.is_dir():
        raise DataError(f"no such directory: {directory}; give a data set, a directory that holds truth.jsonl and pages/")
    path = directory / "truth.jsonl"
    if not path.is_file():
        raise DataError(f"{directory} has no truth.jsonl; expected a data set, with one JSON object per page in it")
    seen: set[str] = set()
    for where, row in rows(path):
        page_id = values(row, where, {"id": WORD})["id"]
        if page_id in seen:
            raise DataError(f"{where}: the id {page_id!r} occurs twice; each page needs an id of its own")
        seen.add(page_id)
        yield where, row


def _load(directory: Path, kind: Kind, name: str) -> list[TruthPage]:
    needed = _NEEDED.get(kind, "id")
    pages = [_truth_page(row, where, name, directory, kind) for where, row in _truth(directory) if row.get(needed)]
    if not pages:
        path = directory / "truth.jsonl"
        if kind == "threads":
            raise DataError(f"{path} holds no row with the 'text' of a whole thread; for article pages: evaluate articles")
        if kind == "records":
            raise DataError(f"{path} holds no row with 'records'; for article pages: evaluate articles")
        raise DataError(f"{path} is empty; expected one JSON object a page")
    return pages


_TRUTH = {
    "site": WORD,
    "title_in_text": FLAG,
    "id": WORD,
    "source": WORD,
    **dict.fromkeys(("url", "lang", "title", "date", "text", "truth", "kind"), STRING),
    **dict.fromkeys(("with", "without", "authors"), STRINGS),
}


def _truth_page(row: Row, where: str, data: str, directory: Path, kind: Kind) -> TruthPage:
    found = values(row, where, _TRUTH | ({"kind": WORD, "records": OBJECTS} if kind == "records" else {}))
    found |= {"with_": found.pop("with", None), "lang": found.get("lang") or "?"}
    if kind == "records":  # one that is not ``located`` does not stand on the page, so that nobody can find it
        found["records"] = tuple(
            TrueRecord(_text(record, where), **values(record, where, {"fields": STRINGS}))
            for record in found["records"]
            if record.get("located", True)
        )
    file = directory / "pages" / (f"{found['id']}.html.gz" if kind == "articles" else f"{found['id']}/index.html")
    return TruthPage(**found, fold=fold(found["site"]), data=data, file=file)


def _predicted(record: Row, where: str) -> PredictedRecord:
    items = values(record, where, {"items": OBJECTS})["items"] if record.get("items") is not None else []
    labelled = [(values(item, where, {"label": WORD})["label"], _text(item, where)) for item in items]
    return PredictedRecord(_text(record, where), tuple(labelled))


def _text(row: Row, where: str) -> str:
    text = row.get("text")
    if not isinstance(text, str):
        raise DataError(f"{where}: each of 'records' and 'items' needs a 'text', a string; got {text!r:.60}")
    return text
