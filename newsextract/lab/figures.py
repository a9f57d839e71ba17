"""Plots of a comparison as inline SVG, drawn with matplotlib (extra ``report``).

The same figures give the same bytes: no dates, ids salted with a constant. Colours are those of Okabe & Ito, which
people with any colour vision can tell apart; ours and peers also differ in their marks.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import TYPE_CHECKING, Literal

from newsextract.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

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
    """Refuse early.

    :raises MissingExtra: matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401  # reason: only whether it is there
    except ImportError:
        raise MissingExtra("matplotlib", "report", "the HTML report") from None


def f1_against_speed(points: Sequence[Point]) -> str:
    """Scatter plot; the faster the further left, the better the further up."""
    with _style("F1 against speed"):
        figure, axes = _figure(10.5, 6.2)
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
        figure, axes = _figure(0.68 * len(columns), 0.34 * len(names), filled=True)
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
        axes.set_xticks(range(len(columns)), list(map(_printable, columns)), rotation=35, ha="left")
        axes.set_yticks(range(len(names)), list(map(_printable, names)))
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        return _svg(figure, title)


def shares(names: Sequence[str], parts: Sequence[tuple[float, float, float]]) -> str:
    """Bars of pages that are excellent, qualified, complete; each given as shares 0–1, the wider ones included."""
    with _style("Excellent, qualified and complete pages"):
        figure, axes = _figure(10.5, 1.4 + 0.32 * len(names))
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
        axes.set_yticks(rows, list(map(_printable, names)))
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


def _figure(width: float, height: float, filled: bool = False) -> tuple[Figure, Axes]:
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
        _printable(point.name),
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


def _printable(text: str) -> str:
    """Without control characters and lone surrogates (of a file's name), which cannot be drawn."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


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
