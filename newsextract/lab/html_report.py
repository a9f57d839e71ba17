"""A comparison of extractors on the same pages, and its report as one HTML file with tables, plots and worst pages."""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Literal

from newsextract.errors import MissingExtra
from newsextract.feed.duplicates import differences
from newsextract.html_pages import changes, document
from newsextract.html_pages import text as escape
from newsextract.lab import report
from newsextract.lab.datasets import TEST_FOLD, FoldName, Kind, Prediction, TruthPage
from newsextract.lab.metrics import EXCELLENT_NOISE, QUALIFIED_NOISE, PageScore, Summary, compared_text, folded
from newsextract.lab.report import ContenderResult, describe, printable, share, worst_pages
from newsextract.lab.runner import Skipped, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

# --- figures --------------------------------------------------------------------------------------
# Plots of a comparison as inline SVG, drawn with matplotlib (extra ``report``).
#
# The same figures give the same bytes: no dates, ids salted with a constant. Colours are those of Okabe & Ito, which people
# with any colour vision can tell apart; ours and peers also differ in their marks.

Group = Literal["algorithm", "preset", "peer", "predictions"]
"""Ours with its default preset, ours with another one, somebody else's, a file of predictions."""
STYLES: dict[Group, tuple[str, str, str]] = {
    "algorithm": ("#0072B2", "o", "newsextract, default preset"),
    "preset": ("#56B4E9", "s", "newsextract, other presets"),
    "peer": ("#D55E00", "D", "peers"),
    "predictions": ("#595959", "^", "given predictions"),
}
"""Colour, mark and name of each group."""
_SHARES = (
    ("excellent", "#0072B2"),
    ("qualified only", "#56B4E9"),
    ("complete only", "#F0E442"),
    ("not complete", "#D9D9D9"),
)
_DARKEST = 0.5
"""F1 of the darkest colour of the heat maps; what is below has it, too."""
_MARK = 6.0
"""Radius of the place that a mark takes, in pixels."""


@dataclass(frozen=True, slots=True)
class Point:
    """A contender in the plot of F1 against speed."""

    name: str
    group: Group
    times_lxml: float
    f1: float


def check() -> None:
    """Refuse early."""
    try:
        import matplotlib  # noqa: F401  # reason: only whether it is there
    except ImportError:
        raise MissingExtra("matplotlib", "report", "the HTML report") from None


def f1_against_speed(points: Sequence[Point]) -> str:
    """Scatter plot; the faster the further left, the better the further up."""
    with _style("F1 against speed"):
        figure, axes = _plot(10.5, 6.2)
        for group, (colour, mark, label) in STYLES.items():
            own = [point for point in points if point.group == group]
            if own:
                x, y = [p.times_lxml for p in own], [p.f1 for p in own]
                axes.scatter(x, y, c=colour, marker=mark, s=60, label=label, zorder=3, edgecolors="white", linewidths=0.6)
        axes.set_xscale("log")
        low, high = min(p.times_lxml for p in points), max(p.times_lxml for p in points)
        axes.set_xlim(low / 1.5, high * 1.8)
        bottom, top = min(p.f1 for p in points), max(p.f1 for p in points)
        margin = max(0.01, 0.08 * (top - bottom))
        axes.set_ylim(bottom - margin, top + margin)
        ticks = [tick for tick in (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500) if low / 1.5 <= tick <= high * 1.8]
        axes.set_xticks(ticks, [f"{tick:g} ×" for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("CPU time of everything, in plain lxml parses of the same pages (log scale; left is faster)")
        axes.set_ylabel("F1 of 4-grams of the body")
        axes.grid(color="#E5E5E5")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False, fontsize=10)
        _name_points(figure, axes, points)
        return _svg(figure, "F1 against speed")


def heat_map(names: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float | None]], title: str) -> str:
    """F1 of each contender (a row) on each part of the data (a column), as colour and as number."""
    check()
    from matplotlib import colormaps
    from matplotlib.colors import Normalize

    with _style(title):
        norm = Normalize(_DARKEST, 1.0, clip=True)
        colours = colormaps["cividis"]
        figure, axes = _plot(0.68 * len(columns), 0.34 * len(names), filled=True)
        for row, line in enumerate(values):
            for column, value in enumerate(line):
                if value is None:
                    axes.text(column, row, "–", ha="center", va="center", color="#595959")
                    continue
                colour = colours(norm(value))
                axes.fill_between([column - 0.49, column + 0.49], row - 0.48, row + 0.48, color=colour, linewidth=0)
                light = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] > 0.5
                number = f"{value:.2f}".replace("0.", ".", 1) if value < 0.995 else "1.0"
                axes.text(column, row, number, ha="center", va="center", fontsize=10, color="black" if light else "white")
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xticks(range(len(columns)), list(map(printable, columns)), rotation=35, ha="left")
        axes.set_yticks(range(len(names)), list(map(printable, names)))
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        return _svg(figure, title)


def shares(names: Sequence[str], parts: Sequence[tuple[float, float, float]]) -> str:
    """Bars of pages that are excellent, qualified, complete; each given as shares 0–1, the wider ones included."""
    with _style("Excellent, qualified and complete pages"):
        figure, axes = _plot(10.5, 1.4 + 0.32 * len(names))
        rows = range(len(names))
        left = [0.0] * len(names)
        for number, (label, colour) in enumerate(_SHARES):
            upper = [part[number] if number < 3 else 1.0 for part in parts]
            widths = [100 * (high - low) for high, low in zip(upper, left, strict=True)]
            starts = [100 * low for low in left]
            axes.barh(rows, widths, left=starts, color=colour, height=0.74, label=label)
            for row, width, start in zip(rows, widths, starts, strict=True):
                if width >= 3.5:  # the number would not fit
                    ink = "white" if number == 0 else "black"
                    axes.text(start + width / 2, row, f"{width:.0f}", ha="center", va="center", fontsize=9, color=ink)
            left = upper
        axes.set_yticks(rows, list(map(printable, names)))
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of the pages with a body, %")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False, fontsize=10)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.tick_params(axis="y", length=0)
        return _svg(figure, "Excellent, qualified and complete pages")


@contextmanager
def _style(title: str) -> Iterator[None]:
    """matplotlib's own defaults whatever the user has set, but for a few, and ids that depend on the figure alone."""
    check()
    from matplotlib import rc_context, rcdefaults

    with rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph .* missing from", UserWarning)  # the reader's fonts are what counts
        rcdefaults()
        with rc_context(
            {
                "svg.fonttype": "none",  # text stays text: small, searchable, in the reader's font
                "svg.hashsalt": f"newsextract {title}",
                "text.parse_math": False,  # a file's name may hold a dollar sign
                "font.size": 11.0,
                "axes.axisbelow": True,
            }
        ):
            yield


def _plot(width: float, height: float, filled: bool = False) -> tuple[Figure, Axes]:
    """A figure of its own, in inches, or one whose axes have that size; no screen, nothing global."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    return figure, figure.add_axes((0, 0, 1, 1)) if filled else figure.add_subplot()


def _name_points(figure: Figure, axes: Axes, points: Sequence[Point]) -> None:
    """Put each name where it covers neither a mark nor another name, with a thin line to it where it stands far off."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    canvas = FigureCanvasAgg(figure)  # it measures texts
    canvas.draw()  # type: ignore[no-untyped-call]  # reason: matplotlib leaves it untyped
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]  # reason: as above
    places = axes.transData.transform([(point.times_lxml, point.f1) for point in points]).tolist()
    marks = [Bbox.from_extents(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in places]
    names: list[Bbox] = []
    for number in sorted(range(len(points)), key=lambda n: (places[n], points[n].name)):
        point, others = points[number], marks[:number] + marks[number + 1 :]
        for offset in _offsets():
            label = _named(axes, point, *offset)
            label.update_positions(renderer)
            box = Text.get_window_extent(label, renderer)  # of the name without its line
            inside = axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1 and axes.bbox.y0 <= box.y0 and box.y1 <= axes.bbox.y1
            if inside and not any(box.overlaps(taken) for taken in chain(names, others)):
                names.append(box)
                break
            label.remove()
        else:
            _named(axes, point, *next(_offsets()))  # covered is better than nameless


def _named(axes: Axes, point: Point, x: float, y: float, align: Literal["left", "right", "center"], far: bool) -> Annotation:
    line = {"arrowstyle": "-", "color": "#999999", "lw": 0.6, "shrinkB": 4} if far else None
    return axes.annotate(
        printable(point.name),
        (point.times_lxml, point.f1),
        (x, y),
        textcoords="offset points",
        ha=align,
        va="center",
        fontsize=10,
        color="#262626",
        arrowprops=line,
    )


def _offsets() -> Iterator[tuple[float, float, Literal["left", "right", "center"], bool]]:
    """Where a name may stand beside its mark: x and y in points, its alignment, and whether a line should lead to it."""
    yield from ((8, 0, "left", False), (-8, 0, "right", False), (0, 12, "center", False), (0, -12, "center", False))
    for distance in range(1, 40):
        for side in (1, -1):
            yield (14, side * 8 * distance, "left", True)
            yield (-14, side * 8 * distance, "right", True)


def _svg(figure: Figure, title: str) -> str:
    """The figure as an element that can stand in an HTML page: no prologue, no namespaces, no ids but those referred to."""
    out = io.StringIO()
    figure.savefig(
        out, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
    )
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text).replace("xlink:href=", "href=")
    text = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", text)
    return text.replace("<svg", f'<svg role="img" aria-label="{escape(title)}"', 1)


# --- comparison -----------------------------------------------------------------------------------
# One comparison: contenders measured on the same pages, with what was left out and why.


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that the reports tell."""

    kind: Kind
    fold: FoldName
    limit: int | None
    pages: Sequence[TruthPage]
    tables: Sequence[tuple[report.ContenderResult, Mapping[str, Summary]]]
    """Each contender's result with its rows (:func:`newsextract.lab.report.rows`)."""
    skipped: Sequence[Skipped]
    worst: int
    """Worst pages to list per contender."""


def data_sets(pages: Sequence[TruthPage]) -> dict[str, dict[str, int]]:
    """Number of pages of each data set, and of those in fold 0."""
    every = Counter(page.data for page in pages)
    test = Counter(page.data for page in pages if page.fold == TEST_FOLD)
    return {name: {"pages": count, "test_pages": test[name]} for name, count in every.items()}


# --- worst html -----------------------------------------------------------------------------------
# The worst pages of folds 1-4 of our algorithms, for the HTML report: truth against prediction, word by word.

_NONE = "–"
_PREVIEW = 400
"""Characters of a predicted text that are shown where the truth has segments only."""


def worst_section(comparison: Comparison) -> str:
    """A list per algorithm; empty where only fold 0 was measured, none was asked for, or only peers ran."""
    if not comparison.worst or comparison.fold == "test":
        return ""
    parts = [
        _algorithm(result, comparison.worst)
        for result, _ in comparison.tables
        if result.contender is None or result.contender.origin == "algorithm"
    ]
    if not any(parts):
        return ""
    return (
        "<section><h2>Worst pages of folds 1-4</h2><p>By F1 of the body or of the segments. "
        "<del>Words of the truth that are missing</del>, <ins>words that are not in the truth</ins>; what both have is "
        "shortened.</p>\n" + "\n".join(parts) + "</section>"
    )


def _algorithm(result: ContenderResult, count: int) -> str:
    pages = "".join(_page(*looked) for looked in worst_pages(result, count))
    return f"<details><summary>{escape(result.name)}</summary>{pages}</details>" if pages else ""


def _page(page: TruthPage, score: PageScore, prediction: Prediction | None) -> str:
    told = describe(page, score, prediction)
    shares = f"F1 {told.f1:.3f}, P {share(told.precision, _NONE)}, R {share(told.recall, _NONE)} of {told.measure}"
    reason = f" ({told.reason})" if told.reason else ""
    about = f"{page.source}, {page.lang}; {shares}; status {told.status}{reason}; title {told.title}, date {told.date}"
    text = prediction.text if prediction else ""
    if score.body is None:
        content = _segments(page, text)
    else:
        compared = compared_text(page, text, (prediction.title if prediction else None) or "")
        content = changes(differences(page.text or "", compared))
    return f"<article><h3>{escape(page.id)}</h3><p>{escape(about)}</p>{content}</article>"


def _segments(page: TruthPage, text: str) -> str:
    """Each segment with what became of it, and how the predicted text begins."""
    flat = folded(text)
    lines = [
        ("span", "found", segment) if folded(segment) in flat else ("del", "missing", segment)
        for segment in page.with_ or ()
    ]
    lines += [
        ("ins", "wrongly taken in", segment) if folded(segment) in flat else ("span", "kept out", segment)
        for segment in page.without or ()
    ]
    items = "".join(f"<li dir='auto'>{told}: <{tag}>{escape(segment)}</{tag}></li>" for tag, told, segment in lines)
    more = f"<span class='gap'>… {len(flat) - _PREVIEW} characters …</span>" if len(flat) > _PREVIEW else ""
    return f"<ul>{items}</ul><div class='diff' dir='auto'>Prediction: {escape(flat[:_PREVIEW])}{more}</div>"


# --- html report ----------------------------------------------------------------------------------
# A comparison as one HTML file: tables as in the papers, plots, and the worst pages with their differences.
#
# The file needs nothing but itself: styles and plots are in it, no script, no address that is fetched (a content security
# policy forbids it). It is well-formed XML as well. Everything that comes from pages or file names is escaped.

Table = tuple[report.ContenderResult, Mapping[str, Summary]]
_OPEN = " open='open'"
_COLUMNS = "P|R|F1|±|page F1|complete|qualified|excellent|segments F1|title|day|× lxml"


def html_report(comparison: Comparison) -> str:
    """The whole file."""
    style = files("newsextract.data").joinpath("report.css").read_text("utf-8")
    what = {"articles": "Article pages", "threads": "Forum threads"}[comparison.kind]
    title = f"{what}: {', '.join(data_sets(comparison.pages))}"
    sections = [
        _about(comparison),
        _figures_of_all(comparison),
        _speed(comparison),
        _wang_cao(comparison),
        _zou_zhong(comparison),
        _parts(comparison),
        _costs(comparison),
        worst_section(comparison),
    ]
    body = "\n".join(["<main>", f"<h1>{escape(title)}</h1>", *filter(None, sections), "</main>"])
    policy = "default-src 'none'; style-src 'unsafe-inline'"  # matplotlib writes styles into attributes
    return document(title, style, body, policy=policy)


def _about(comparison: Comparison) -> str:
    sets = [
        f"<li><b>{escape(name)}</b>: {counts['pages']} pages, {counts['test_pages']} of them in fold {TEST_FOLD}</li>"
        for name, counts in data_sets(comparison.pages).items()
    ]
    chosen = {"train": "folds 1-4", "test": f"fold {TEST_FOLD} alone", "all": "all folds"}[comparison.fold]
    limit = f", limited to {comparison.limit}" if comparison.limit else ""
    notes = [result.contender.note for result, _ in comparison.tables if result.contender and result.contender.note]
    notes += [
        f"{result.name}: {result.missing} pages have no prediction" for result, _ in comparison.tables if result.missing
    ]
    notes += told(comparison.skipped)
    return (
        f"<section><p>Pages measured: {len(comparison.pages)} ({chosen}{limit}).</p><ul>{''.join(sets)}</ul>\n"
        "<p>Body: 4-grams of tokens (each Chinese or Japanese character is one), precision and recall averaged over pages,"
        " F1 of the two averages. Complete: 99 % of the true tokens are there; qualified, excellent: and at most"
        f" {100 * QUALIFIED_NOISE:g} %, {100 * EXCELLENT_NOISE:g} % of the predicted ones are foreign. Fold"
        f" {TEST_FOLD} is kept for the final measurement: nothing but totals is shown of it."
        " CPU time is given in plain lxml parses of the same bytes, timed in the same process.</p>"
        + (f"<ul class='notes'>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>" if notes else "")
        + "</section>"
    )


def _figures_of_all(comparison: Comparison) -> str:
    def cells(result: report.ContenderResult, row: Summary) -> list[str]:
        spent = report.cost(result)
        shares = (row.page_f1, row.complete, row.qualified, row.excellent, row.segment_f1, row.title_exact, row.date_exact)
        first = (row.precision, row.recall, row.f1, row.f1_sd)
        return [*(share(value, _NONE) for value in (*first, *shares)), f"{spent.times_lxml:.1f}" if spent else "–"]

    return _section("All figures", "", _by_total(comparison, _COLUMNS.split("|"), cells))


def _wang_cao(comparison: Comparison) -> str:
    table = _by_total(
        comparison,
        ["precision", "recall", "F score"],
        lambda result, row: list(map(_percent, (row.precision, row.recall, row.f1))),
    )
    text = "Precision, recall and F score in per cent, as in Table 2 of Wang &amp; Cao 2016."
    return _section("Precision and recall", text, table)


def _zou_zhong(comparison: Comparison) -> str:
    def cells(result: report.ContenderResult, row: Summary) -> list[str]:
        if row.excellent is None or row.qualified is None:
            return ["–"] * 6
        excellent, qualified = round(row.excellent * row.text_pages), round(row.qualified * row.text_pages)
        failed = row.text_pages - qualified
        shares = [row.excellent, row.qualified, 1 - row.qualified]
        counts = [excellent, qualified, failed]
        return [cell for count, share in zip(counts, shares, strict=True) for cell in (str(count), _percent(share))]

    label = report.total_labels(comparison.tables[0][1])[-1]
    bars = [
        (result.name, (row.excellent, row.qualified, row.complete))
        for result, table in _by_f1(comparison.tables, label)
        if (row := table[label]).excellent is not None and row.qualified is not None and row.complete is not None
    ]
    plot = shares([name for name, _ in bars], [parts for _, parts in bars]) if bars else ""
    heads = ["excellent pages", "%", "qualified pages", "%", "unqualified pages", "%"]
    text = (
        "As in Table 2 of Zou &amp; Zhong 2011, which reports 97.69 % qualified and 46.34 % excellent on its own 2,298 pages"
        " of Chinese news. Excellent pages are qualified, too."
    )
    return _section("Qualified and excellent pages", text, _figure(plot), _by_total(comparison, heads, cells))


def _speed(comparison: Comparison) -> str:
    label = report.total_labels(comparison.tables[0][1])[-1]
    points = [
        Point(result.name, _group(result), spent.times_lxml, f1)
        for result, table in comparison.tables
        if (spent := report.cost(result)) and spent.times_lxml > 0 and (f1 := table[label].f1) is not None
    ]
    if not points:
        return ""
    text = f"Total: {escape(label)}. Up is better, left is faster."
    return _section("F1 against speed", text, _figure(f1_against_speed(points)))


def _parts(comparison: Comparison) -> str:
    first = comparison.tables[0][1]
    totals = set(report.total_labels(first))
    labels = [label for label in first if label not in totals and label != "human truth" and first[label].f1 is not None]
    languages = [label for label in labels if label.startswith("lang ")]
    groups = (("source", [label for label in labels if label not in languages]), ("language", languages))
    last = report.total_labels(first)[-1]
    tables = _by_f1(comparison.tables, last)
    names = [result.name for result, _ in tables]
    content = []
    for what, chosen in groups:
        if chosen:
            columns = [f"{label.removeprefix('lang ')} ({first[label].text_pages})" for label in chosen]
            values = [[table[label].f1 for label in chosen] for _, table in tables]
            content += [f"<h3>Per {what}</h3>", _figure(heat_map(names, columns, values, f"F1 per {what}"))]
    if not content:
        return ""
    text = (
        "F1 of the body; in brackets the number of pages with one. Sources differ on what belongs to the body, so compare"
        " within a column. Parts with fewer than"
        f" {report.LEAST_TEST_PAGES} pages of fold {TEST_FOLD} are counted without these."
    )
    return _section("Per source and language", text, *content)


def _costs(comparison: Comparison) -> str:
    heads = "ms a page|lxml, ms a page|everything, × lxml|body alone, × lxml|pages that failed|version|how".split("|")
    rows = []
    for result, _ in sorted(
        comparison.tables, key=lambda table: spent.times_lxml if (spent := report.cost(table[0])) else 0
    ):
        spent, body, contender = report.cost(result), report.body_cost(result), result.contender
        numbers = ["–"] * 3
        if spent:
            numbers = [f"{spent.milliseconds:.1f}", f"{spent.lxml_milliseconds:.1f}", f"{spent.times_lxml:.2f}"]
        numbers.append(f"{body.times_lxml:.2f}" if body else "–")
        failed = result.statuses.get("failed", 0)
        about = [contender.version or "–", contender.about] if contender else ["–", "given predictions"]
        rows.append((result, [*numbers, str(failed), *map(escape, about)]))
    reasons = [
        f"<li>{escape(result.name)}: {count} × {escape(reason)}</li>"
        for result, _ in comparison.tables
        for reason, count in list(report.failures(result).items())[:5]
    ]
    failed_list = f"<p>Why pages of folds 1-4 failed:</p><ul>{''.join(reasons)}</ul>" if reasons else ""
    text = (
        "CPU time, not the time on the clock. All: body, title, date and what else the contender looks for. The body"
        " alone is timed for ours, decoding included."
    )
    return _section("Cost", text, _table(heads, rows, text_columns=2), failed_list)


def _by_total(
    comparison: Comparison, heads: Sequence[str], cells: Callable[[report.ContenderResult, Summary], list[str]]
) -> str:
    """A table per total; that of all selected pages comes first and is open."""
    parts = []
    for number, label in enumerate(reversed(report.total_labels(comparison.tables[0][1]))):
        tables = _by_f1(comparison.tables, label)
        row = tables[0][1][label]
        rows = [(result, cells(result, table[label])) for result, table in tables]
        parts.append(
            f"<details{_OPEN if number == 0 else ''}><summary>{escape(label)}: {row.pages} pages,"
            f" {row.text_pages} of them with a body</summary>{_table(heads, rows)}</details>"
        )
    return "\n".join(parts)


def _by_f1(tables: Sequence[Table], label: str) -> list[Table]:
    """The best first; equal ones in the order in which they ran."""
    return sorted(tables, key=lambda table: -(table[1][label].f1 or 0.0))


def _group(result: report.ContenderResult) -> Group:
    if result.contender is None:
        return "predictions"
    if result.contender.origin == "peer":
        return "peer"
    return "preset" if result.contender.params else "algorithm"


def _table(heads: Sequence[str], rows: Iterable[tuple[report.ContenderResult, Sequence[str]]], text_columns: int = 0) -> str:
    """Rows of cells that are HTML already; the last ``text_columns`` are text, the others numbers."""
    numbers = len(heads) - text_columns
    kinds = ["number"] * numbers + ["text"] * text_columns
    head = "".join(f"<th class='{kind}'>{escape(name)}</th>" for kind, name in zip(kinds, heads, strict=True))
    lines = []
    for result, cells in rows:
        shown = "".join(f"<td class='{kind}'>{cell}</td>" for kind, cell in zip(kinds, cells, strict=True))
        lines.append(f'<tr><th class="{_group(result)}">{escape(result.name)}</th>{shown}</tr>')
    return f"<div class='wide'><table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"


def _section(title: str, text: str, *content: str) -> str:
    paragraph = f"<p>{text}</p>" if text else ""
    return f"<section><h2>{escape(title)}</h2>{paragraph}\n{''.join(content)}</section>"


def _figure(svg: str) -> str:
    return f"<figure>{svg}</figure>" if svg else ""


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"
