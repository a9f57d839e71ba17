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
from typing import Any, Literal, TypeVar

from newsextract.errors import DataError

# --- json lines -----------------------------------------------------------------------------------
# JSON lines read with care: a malformed line is one message with file, line, key and what was expected.

Row = dict[str, Any]


def rows(path: Path) -> Iterator[tuple[str, Row]]:
    """The objects of a file, each with "file, line n" for messages."""
    try:
        with path.open("rb") as file:
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
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}; give an existing JSON lines file") from error


def required(row: Row, key: str, where: str) -> str:
    """A string that must be there and not be empty."""
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise DataError(f"{where}: {key!r} must be a non-empty string, got {_shown(value)}")
    return value


def optional(row: Row, key: str, where: str) -> str | None:
    """A string, or None."""
    value = row.get(key)
    if value is None or isinstance(value, str):
        return value
    raise DataError(f"{where}: {key!r} must be a string or null, got {_shown(value)}")


def strings(row: Row, key: str, where: str) -> tuple[str, ...] | None:
    """A list of strings, or None."""
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise DataError(f"{where}: {key!r} must be a list of strings or null, got {_shown(value)}")


def objects(row: Row, key: str, where: str) -> list[Row]:
    """A list of objects that must be there."""
    value = row.get(key)
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise DataError(f"{where}: {key!r} must be a list of objects, got {_shown(value)}")


def number(row: Row, key: str, where: str) -> float | None:
    """A number, or None."""
    value = row.get(key)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)):
        return value
    raise DataError(f"{where}: {key!r} must be a number or null, got {_shown(value)}")


def flag(row: Row, key: str, where: str) -> bool | None:
    """True, false, or None."""
    value = row.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise DataError(f"{where}: {key!r} must be true, false or null, got {_shown(value)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# --- datasets -------------------------------------------------------------------------------------
# A data set is a directory with ``truth.jsonl`` (an object a page) and a file a page: *articles* (``pages/<id>.html.gz``,
# the bytes as they were served) or *threads* of forums (``pages/<id>/index.html``; rows with the whole ``text``).
#
# Sites are split, not pages, because two pages of one site share their template: ``fold`` 0 is kept for the final
# measurement, folds 1–4 are for looking, tuning and training.

FOLDS = 5
TEST_FOLD = 0
"""The fold of which nobody looks at single pages."""

FoldName = Literal["train", "test", "all"]
"""``train``: folds 1–4. ``test``: fold 0."""

Kind = Literal["articles", "threads"]
_PAGE_FILES: Mapping[Kind, str] = {"articles": "{}.html.gz", "threads": "{}/index.html"}
"""Where the file of a page is, below ``pages``."""


AnyPage = TypeVar("AnyPage", "TruthPage", "RecordTruth")
AnyPrediction = TypeVar("AnyPrediction", "Prediction", "RecordPrediction")


@dataclass(frozen=True, slots=True)
class TruthPage:
    """What an extractor should return for one page; None where the source does not say."""

    id: str
    source: str
    """Key of the collection that the page comes from."""
    url: str | None
    site: str
    """Registered domain; decides the fold."""
    lang: str
    """ISO 639-1, ``?`` when unknown."""
    title: str | None
    date: str | None
    """Publication day, ``yyyy-mm-dd``."""
    text: str | None
    """The whole body."""
    title_in_text: bool
    """``text`` begins with the headline."""
    with_: tuple[str, ...] | None
    """Segments that must be in the extracted text."""
    without: tuple[str, ...] | None
    """Segments that must not be in it."""
    truth: str
    """How the truth was made: ``human``, ``segments``, ``date``, ``selectors``, ``parser`` or ``tool``."""
    fold: int
    """0–4, see :func:`fold`."""
    authors: tuple[str, ...] = ()
    """Empty where the source names none."""
    kind: str = ""
    """What kind of page it is (``article``, ``listing``, …); empty for data sets that hold articles alone."""
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
    extract_seconds: float | None = None
    """CPU seconds of the whole extraction."""
    body_seconds: float | None = None
    """CPU seconds of the algorithm's body alone, decoding included; measured on some pages only."""
    lxml_seconds: float | None = None
    """CPU seconds of a plain ``lxml.html.fromstring`` of the same bytes, in the same run: the yardstick."""


def fold(site: str) -> int:
    """The fold (0–4) of a site. Every part of the project splits data with this function."""
    return int(md5(site.encode(), usedforsecurity=False).hexdigest(), 16) % FOLDS


def in_fold(page: TruthPage | RecordTruth, name: FoldName) -> bool:
    """Whether a page belongs to ``train`` (folds 1–4), ``test`` (fold 0) or ``all``."""
    return name == "all" or (page.fold == TEST_FOLD) == (name == "test")


def select(pages: Iterable[AnyPage], name: FoldName = "all", limit: int | None = None) -> list[AnyPage]:
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


def read(page: TruthPage | RecordTruth) -> bytes:
    """A page's bytes as they were served."""
    if page.file is None:
        raise DataError(f"the page {page.id!r} has no file; only pages of a data set can be read")
    return _read_file(page.file)


def load_predictions(path: Path) -> dict[str, Prediction]:
    """Predictions by page id from JSON lines ``{"id", "text", "title", "date", …}``; all but ``id`` optional.

    :raises DataError: the file is missing or a line is malformed.
    """

    def read(row: Row, where: str) -> Prediction:
        return Prediction(
            id=required(row, "id", where),
            text=optional(row, "text", where) or "",
            title=optional(row, "title", where),
            date=optional(row, "date", where),
            authors=strings(row, "authors", where) or (),
            language=optional(row, "language", where),
            status=optional(row, "status", where),
            reason=optional(row, "reason", where),
            kind=optional(row, "kind", where),
            is_article=flag(row, "is_article", where),
            confidence=number(row, "confidence", where),
            extract_seconds=number(row, "extract_seconds", where),
            body_seconds=number(row, "body_seconds", where),
            lxml_seconds=number(row, "lxml_seconds", where),
        )

    return _by_id(path, read)


def _by_id(path: Path, read: Callable[[Row, str], AnyPrediction]) -> dict[str, AnyPrediction]:
    """The predictions of a file."""
    found: dict[str, AnyPrediction] = {}
    for where, row in rows(path):
        one = read(row, where)
        if one.id in found:
            raise DataError(f"{where}: a second prediction for the page {one.id!r}; keep one a page")
        found[one.id] = one
    return found


def save_predictions(path: Path, predictions: Sequence[Prediction]) -> None:
    """Write predictions so that :func:`load_predictions` gives them back.

    :raises DataError: the file cannot be written.
    """
    _save(path, map(asdict, predictions))


def _save(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write a line of JSON for each row, in ASCII: extracted text may hold lone surrogates, which UTF-8 cannot hold."""
    try:
        with path.open("w", encoding="ascii") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    except OSError as error:
        raise DataError(f"cannot write predictions: {error}") from error


def _truth(directory: Path) -> Iterator[tuple[str, Row]]:
    """Place and row of each page of a data set; each has an id of its own."""
    if not directory.is_dir():
        raise DataError(f"no such directory: {directory}; give a data set, a directory that holds truth.jsonl and pages/")
    path = directory / "truth.jsonl"
    if not path.is_file():
        raise DataError(f"{directory} has no truth.jsonl; expected a data set, with one JSON object per page in it")
    seen: set[str] = set()
    for where, row in rows(path):
        page_id = required(row, "id", where)
        if page_id in seen:
            raise DataError(f"{where}: the id {page_id!r} occurs twice; each page needs an id of its own")
        seen.add(page_id)
        yield where, row


def _load(directory: Path, kind: Kind, name: str) -> list[TruthPage]:
    pages = [
        _truth_page(row, where, name, directory, kind)
        for where, row in _truth(directory)
        if kind != "threads" or row.get("text")  # else a page of records, of which no whole text is known
    ]
    if not pages:
        path = directory / "truth.jsonl"
        if kind == "threads":
            raise DataError(f"{path} holds no row with the 'text' of a whole thread; for article pages: evaluate articles")
        raise DataError(f"{path} is empty; expected one JSON object a page")
    return pages


def _read_file(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except FileNotFoundError:
        raise DataError(f"page file missing: {path}; truth.jsonl names it, so restore it or drop its line") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot read {path}: {error}; expected one file a page, gzipped if its name ends in .gz") from error


def _hash(page_id: str) -> str:
    return md5(page_id.encode(), usedforsecurity=False).hexdigest()


def _truth_page(row: Row, where: str, data: str, directory: Path, kind: Kind) -> TruthPage:
    site = required(row, "site", where)
    title_in_text = row.get("title_in_text", False)
    if not isinstance(title_in_text, bool):
        raise DataError(f"{where}: 'title_in_text' must be true or false, got {title_in_text!r}")
    page_id = required(row, "id", where)
    return TruthPage(
        id=page_id,
        source=required(row, "source", where),
        url=optional(row, "url", where),
        site=site,
        lang=optional(row, "lang", where) or "?",
        title=optional(row, "title", where),
        date=optional(row, "date", where),
        text=optional(row, "text", where),
        title_in_text=title_in_text,
        with_=strings(row, "with", where),
        without=strings(row, "without", where),
        truth=optional(row, "truth", where) or "",
        fold=fold(site),
        authors=strings(row, "authors", where) or (),
        kind=optional(row, "kind", where) or "",
        data=data,
        file=directory / "pages" / _PAGE_FILES[kind].format(page_id),
    )


# --- record datasets ------------------------------------------------------------------------------
# Pages of many records: ``truth.jsonl`` (``id``, ``source``, ``kind``, ``url``, ``site``, ``lang``, ``records``) and
# ``pages/<id>/index.html``. A true record has ``text``, ``fields`` (by column, "" where it has none) and ``located``, false
# where its text does not stand on the page, so that nobody can find it.

ALIGNED = frozenset({"testbed"})
"""Sources whose ``fields`` are columns: the same place, the same meaning in all records of a page."""


@dataclass(frozen=True, slots=True)
class TrueRecord:
    """A record as a person would name it."""

    text: str
    fields: tuple[str, ...] = ()
    """By column, "" where it has none; empty where nothing is known of them."""


@dataclass(frozen=True, slots=True)
class RecordTruth:
    """What an extractor should return for one page; fields as those of :class:`TruthPage`."""

    id: str
    source: str
    kind: str
    """``search``, ``forum`` or ``list``."""
    url: str | None
    site: str
    lang: str
    fold: int
    records: tuple[TrueRecord, ...]
    """Those that stand on the page."""
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class PredictedRecord:
    """A record as it was extracted."""

    text: str
    """Its visible text nodes joined by blanks."""
    items: tuple[tuple[str, str], ...] = ()
    """Column label and text of each data item, in document order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPrediction:
    """What an extractor returned for one page, and what it cost; fields as those of :class:`Prediction`."""

    id: str
    records: tuple[PredictedRecord, ...] = ()
    status: str | None = None
    confidence: float | None = None
    reason: str | None = None
    seconds: float | None = None
    """CPU seconds from the page's bytes, or from its snapshot, to records with items."""
    lxml_seconds: float | None = None
    rendered: bool | None = None
    """Whether there was a snapshot of the page."""


def load_records(directory: Path) -> list[RecordTruth]:
    """The pages of a data set that have record truth, in file order."""
    pages = [_page(row, where, directory) for where, row in _truth(directory) if row.get("records")]
    if not pages:
        raise DataError(f"{directory / 'truth.jsonl'} holds no row with 'records'; for article pages: evaluate articles")
    return pages


def load_record_predictions(path: Path) -> dict[str, RecordPrediction]:
    """Predictions by page id from JSON lines ``{"id", "records": [{"text", "items": [{"label", "text"}]}], …}``.

    All but ``id`` and the records' ``text`` is optional.
    """

    def read(row: Row, where: str) -> RecordPrediction:
        return RecordPrediction(
            id=required(row, "id", where),
            records=tuple(_predicted(record, where) for record in objects(row, "records", where)),
            status=optional(row, "status", where),
            confidence=number(row, "confidence", where),
            reason=optional(row, "reason", where),
            seconds=number(row, "seconds", where),
            lxml_seconds=number(row, "lxml_seconds", where),
            rendered=flag(row, "rendered", where),
        )

    return _by_id(path, read)


def save_record_predictions(path: Path, predictions: Sequence[RecordPrediction]) -> None:
    """Write predictions so that :func:`load_record_predictions` gives them back.

    :raises DataError: the file cannot be written.
    """
    _save(path, map(_as_row, predictions))


def _as_row(prediction: RecordPrediction) -> dict[str, Any]:
    records = [
        {"text": record.text, "items": [{"label": label, "text": text} for label, text in record.items]}
        for record in prediction.records
    ]
    return {**asdict(prediction), "records": records}


def _page(row: Row, where: str, directory: Path) -> RecordTruth:
    page_id, site = required(row, "id", where), required(row, "site", where)
    records = [
        TrueRecord(_text(record, where), strings(record, "fields", where) or ())
        for record in objects(row, "records", where)
        if record.get("located", True)
    ]
    return RecordTruth(
        id=page_id,
        source=required(row, "source", where),
        kind=required(row, "kind", where),
        url=optional(row, "url", where),
        site=site,
        lang=optional(row, "lang", where) or "?",
        fold=fold(site),
        records=tuple(records),
        file=directory / "pages" / page_id / "index.html",
    )


def _predicted(record: Row, where: str) -> PredictedRecord:
    items = objects(record, "items", where) if record.get("items") is not None else []
    labelled = [(required(item, "label", where), _text(item, where)) for item in items]
    return PredictedRecord(_text(record, where), tuple(labelled))


def _text(row: Row, where: str) -> str:
    text = row.get("text")
    if not isinstance(text, str):
        raise DataError(f"{where}: each of 'records' and 'items' needs a 'text', a string; got {text!r:.60}")
    return text
