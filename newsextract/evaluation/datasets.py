"""Pages with truth, predictions, and the one split of the project.

A data set is a directory with ``truth.jsonl`` (a JSON object a page) and a file a page. Two kinds differ in where the
file is, and in which rows count: *articles* (``pages/<id>.html.gz``, the bytes as they were served) and *threads* of
forums (``pages/<id>/index.html``; rows with the whole thread's ``text``). From there on a page is a page. Pages of many
records have a truth of their own (:mod:`newsextract.evaluation.record_datasets`) and the same split.

Sites are split, not pages, because two pages of one site share their template: ``fold`` 0 is kept for the final
measurement, folds 1–4 are for looking, tuning and training.

Cost: reading the truth of 2,146 pages takes 0.2 s; pages are read one at a time, when asked for.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import md5
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from newsextract.errors import DataError
from newsextract.evaluation import json_lines

FOLDS = 5
TEST_FOLD = 0
"""The fold of which nobody looks at single pages."""

FoldName = Literal["train", "test", "all"]
"""``train``: folds 1–4. ``test``: fold 0."""

Kind = Literal["articles", "threads"]
_PAGE_FILES: Mapping[Kind, str] = {"articles": "{}.html.gz", "threads": "{}/index.html"}
"""Where the file of a page is, below ``pages``."""


class DataPage(Protocol):
    """What splitting and reading need of a page of any data set."""

    @property
    def id(self) -> str:
        """Unique in the data set."""

    @property
    def fold(self) -> int:
        """0–4, see :func:`fold`."""

    @property
    def file(self) -> Path | None:
        """Where its bytes are, gzipped where the name ends in ``.gz``."""


AnyPage = TypeVar("AnyPage", bound=DataPage)


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


def in_fold(page: DataPage, name: FoldName) -> bool:
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
    """The truth of one or more data sets of a kind, each in file order.

    :raises DataError: a directory or its truth.jsonl is missing, empty or malformed, or an id occurs in two of them.
    """
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


def read(page: DataPage) -> bytes:
    """A page's bytes as they were served.

    :raises DataError: the file is missing or is not gzip.
    """
    if page.file is None:
        raise DataError(f"the page {page.id!r} has no file; only pages of a data set can be read")
    return _read_file(page.file)


def load_predictions(path: Path) -> dict[str, Prediction]:
    """Predictions by page id from JSON lines ``{"id", "text", "title", "date", …}``; all but ``id`` optional.

    :raises DataError: the file is missing or a line is malformed.
    """
    predictions: dict[str, Prediction] = {}
    for where, row in json_lines.rows(path):
        prediction = Prediction(
            id=json_lines.required(row, "id", where),
            text=json_lines.optional(row, "text", where) or "",
            title=json_lines.optional(row, "title", where),
            date=json_lines.optional(row, "date", where),
            authors=json_lines.strings(row, "authors", where) or (),
            language=json_lines.optional(row, "language", where),
            status=json_lines.optional(row, "status", where),
            reason=json_lines.optional(row, "reason", where),
            confidence=json_lines.number(row, "confidence", where),
            extract_seconds=json_lines.number(row, "extract_seconds", where),
            body_seconds=json_lines.number(row, "body_seconds", where),
            lxml_seconds=json_lines.number(row, "lxml_seconds", where),
        )
        if prediction.id in predictions:
            raise DataError(f"{where}: a second prediction for the page {prediction.id!r}; keep one a page")
        predictions[prediction.id] = prediction
    return predictions


def save_predictions(path: Path, predictions: Sequence[Prediction]) -> None:
    """Write predictions so that :func:`load_predictions` gives them back.

    :raises DataError: the file cannot be written.
    """
    try:
        with path.open("w", encoding="ascii") as file:
            # ASCII escapes, because extracted text may hold lone surrogates, which UTF-8 cannot hold.
            file.writelines(json.dumps(asdict(prediction)) + "\n" for prediction in predictions)
    except OSError as error:
        raise DataError(f"cannot write predictions: {error}") from error


def _load(directory: Path, kind: Kind, name: str) -> list[TruthPage]:
    if not directory.is_dir():
        raise DataError(f"no such directory: {directory}; give a data set, a directory that holds truth.jsonl and pages/")
    path = directory / "truth.jsonl"
    if not path.is_file():
        raise DataError(f"{directory} holds no truth.jsonl; a data set needs one JSON object a page there")
    pages: list[TruthPage] = []
    seen: set[str] = set()
    for where, row in json_lines.rows(path):
        if kind == "threads" and not row.get("text"):
            continue  # reason: a page of records, of which no whole text is known
        page = _truth_page(row, where, name, directory, kind)
        if page.id in seen:
            raise DataError(f"{where}: the id {page.id!r} occurs twice; each page needs an id of its own")
        seen.add(page.id)
        pages.append(page)
    if not pages:
        if kind == "threads":
            raise DataError(f"{path} holds no row with the 'text' of a whole thread; for article pages: evaluate articles")
        raise DataError(f"{path} is empty; expected one JSON object a page")
    return pages


def _page_file(directory: Path, kind: Kind, page_id: str) -> Path:
    return directory / "pages" / _PAGE_FILES[kind].format(page_id)


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


def _truth_page(row: json_lines.Row, where: str, data: str, directory: Path, kind: Kind) -> TruthPage:
    site = json_lines.required(row, "site", where)
    title_in_text = row.get("title_in_text", False)
    if not isinstance(title_in_text, bool):
        raise DataError(f"{where}: 'title_in_text' must be true or false, got {title_in_text!r}")
    page_id = json_lines.required(row, "id", where)
    return TruthPage(
        id=page_id,
        source=json_lines.required(row, "source", where),
        url=json_lines.optional(row, "url", where),
        site=site,
        lang=json_lines.optional(row, "lang", where) or "?",
        title=json_lines.optional(row, "title", where),
        date=json_lines.optional(row, "date", where),
        text=json_lines.optional(row, "text", where),
        title_in_text=title_in_text,
        with_=json_lines.strings(row, "with", where),
        without=json_lines.strings(row, "without", where),
        truth=json_lines.optional(row, "truth", where) or "",
        fold=fold(site),
        kind=json_lines.optional(row, "kind", where) or "",
        data=data,
        file=_page_file(directory, kind, page_id),
    )
