"""Draws the pictures of the documents from the sample site, with the algorithms themselves.

    python -m benchmarks.docs.pictures                # into docs/pictures; needs the extras browser and report

``way`` and ``block_lengths`` need no browser.
"""

from __future__ import annotations

import argparse
import functools
import io
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Patch, Rectangle
from PIL import Image

from newsextract import extract, extract_records, render
from newsextract.page.snapshot import Snapshot

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "sample_site"
ARTICLE = "en/2025/10/24/city-budget-schools-before-streets.html"
RESULTS = "search/cards/find@q=harbour.html"
COLOURS = ("#1b7837", "#2166ac", "#b2182b", "#762a83", "#b35806", "#01665e")
"""Of titles, dates, authors …; dark enough for white pages."""
INLINE = frozenset("a abbr b cite code em i mark q s small span strong sub sup time u var".split())
"""Elements that are no part of a tag path in ``page_segmentation``."""
WAY = (
    ("sitemaps, feeds,\nlistings", "spiders/"),
    ("page: bytes, URL,\nheaders, time", "newsextract/page/"),
    ("main text, chosen by\nan algorithm", "newsextract/algorithms/"),
    ("title, date, authors,\nlanguage …", "newsextract/fields/"),
    ("quality,\nduplicates", "pipelines/"),
    ("feed: one line\nper record", "out/news.jsonl"),
)
"""Steps of a page, and where they are."""


def way(target: Path) -> None:
    """The way of a page through the product, as SVG."""
    width, height, gap = 190, 92, 28
    shapes, line = [], 'fill="none" stroke="#3f51b5" stroke-width="1.6" marker-end="url(#tip)"'
    for number, (text, place) in enumerate(WAY):
        row, column = divmod(number, 3)
        x, y = 16 + column * (width + gap), 16 + row * (height + 44)
        lines = "".join(
            f'<text x="{x + width / 2}" y="{y + 28 + 19 * i}" font-size="15">{escape(words)}</text>'
            for i, words in enumerate(text.split("\n"))
        )
        shapes.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#eef2fb" stroke="#3f51b5"/>{lines}'
            f'<text x="{x + width / 2}" y="{y + 78}" font-size="12" fill="#555">{escape(place)}</text>'
        )
        if column < 2:
            middle = y + height / 2
            shapes.append(f'<path d="M{x + width + 3} {middle} h{gap - 9}" {line}/>')
    right, left = 16 + 2 * (width + gap) + width / 2, 16 + width / 2
    shapes.append(f'<path d="M{right} {16 + height + 3} v20 H{left} v13" {line}/>')
    total_width, total_height = 3 * width + 2 * gap + 32, 2 * height + 44 + 66
    shapes.append(
        f'<text x="{total_width / 2}" y="{total_height - 16}" font-size="14" fill="#555">'
        "rejected pages, each with its reason → out/news.rejected.jsonl</text>"
    )
    target.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width} {total_height}" width="{total_width}" '
        f'height="{total_height}" font-family="sans-serif" text-anchor="middle" fill="#111">'
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="6" refY="4" orient="auto"><path d="M0 0L8 4L0 8z" '
        'fill="#3f51b5"/></marker></defs>'
        f'<rect width="{total_width}" height="{total_height}" rx="10" fill="#fff"/>'
        f"{''.join(shapes)}</svg>\n",
        "utf-8",
    )


def block_lengths(target: Path) -> None:
    """The smoothed lengths of the blocks of a page, with both thresholds and the chosen blocks."""
    found = extract((SAMPLE / "www" / ARTICLE).read_bytes(), None, "block_statistics", evidence=True).evidence
    assert found is not None
    blocks = found["blocks"]
    curve, limits = [block["smoothed"] for block in blocks], found["thresholds"]
    chosen = [number for number, block in enumerate(blocks) if block["main"]]
    figure, axes = plt.subplots(figsize=(8, 3.4))
    axes.axvspan(chosen[0] - 0.5, chosen[-1] + 0.5, color=COLOURS[0], alpha=0.15, label="main text")
    axes.plot(curve, color=COLOURS[1], linewidth=1.4, label="smoothed length of the block")
    axes.axhline(limits["N_cal"], color=COLOURS[2], linestyle="--", label=f"N_cal = {limits['N_cal']:.0f}")
    low = limits["N'_min"]
    axes.axhline(low, color=COLOURS[4], linestyle=":", label=f"N'_min = {low:.0f}")
    axes.set(xlabel="number of the block in the source", ylabel="characters")
    axes.legend(loc="upper right", fontsize=8)
    _save(figure, target)


def page_to_record(target: Path) -> None:
    """A page with its fields marked, and the record next to it."""
    with _served(SAMPLE / "www") as address:
        shown = render(f"{address}/{ARTICLE}", screenshot=True)
    article = extract(shown)
    wanted = {"title": [article.title or ""], "authors": list(article.authors), "date": ["24 October 2025"]}
    wanted["text"] = article.text.splitlines()
    marks = [(box, number) for number, name in enumerate(wanted) for box in _boxes(shown, wanted[name])]
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.8), width_ratios=(1.15, 1))
    _screenshot(left, shown, marks, height=800, width=716)
    rows = {
        **dict.fromkeys(wanted, ""),
        "title": article.title,
        "date": article.date,
        "authors": ", ".join(article.authors),
    }
    rows["text"] = article.text.replace("\n", " ")[:150] + " …"
    others = {"language": article.language, "section": article.section, "status": article.status}
    y = 0.97
    for number, (name, value) in enumerate([*rows.items(), *((k, v) for k, v in others.items() if v)]):
        lines = textwrap.wrap(str(value), 46)
        colour = COLOURS[number] if number < len(wanted) else "#444"
        right.text(0, y, name, color=colour, weight="bold", fontsize=11, va="top")
        right.text(0, y - 0.045, "\n".join(lines), color="#111", fontsize=10, va="top", family="monospace", linespacing=1.35)
        y -= 0.085 + 0.047 * len(lines)
    right.axis("off")
    _save(figure, target)


def page_segmentation(target: Path) -> None:
    """The clusters of text leaves with the same tag path, over the page."""
    with _served(SAMPLE / "www") as address:
        shown = render(f"{address}/{ARTICLE}", screenshot=True)
    found = extract(shown, None, "page_segmentation", {"preset": "published"}, evidence=True).evidence
    assert found is not None
    clusters = found["clusters"][: len(COLOURS) - 1]
    numbers = {cluster["path"]: number for number, cluster in enumerate(clusters)}
    marks = [(shown.nodes.geometry.boxes[leaf], numbers[path]) for leaf, path in _paths(shown) if path in numbers]  # type: ignore[union-attr]
    names = [f"{'main block: ' if c['chosen'] else ''}{c['path']}  (Length {c['Length']})" for c in clusters]
    figure, axes = plt.subplots(figsize=(7, 14))
    _screenshot(axes, shown, marks, height=1900, width=716)
    handles = [Patch(color=COLOURS[number], label=name) for number, name in enumerate(names)]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.01), fontsize=8, frameon=False)
    _save(figure, target)


def visual_blocks(target: Path) -> None:
    """The records of a page of results and their data items, over the page."""
    shown = render(SAMPLE / RESULTS, screenshot=True)
    page = extract_records(shown)
    geometry = shown.nodes.geometry
    assert geometry is not None
    labels = list(dict.fromkeys(item.label for record in page for item in record.items if item.label))[: len(COLOURS) - 1]
    marks = [(geometry.boxes[node], len(COLOURS) - 1) for record in page for node in record.nodes]
    marks += [
        (geometry.boxes[node], labels.index(item.label))
        for record in page
        for item in record.items
        if item.label in labels
        for node in item.nodes
    ]
    figure, axes = plt.subplots(figsize=(8, 5.2))
    _screenshot(axes, shown, marks, height=900)
    named = [("record", COLOURS[-1]), *zip(labels, COLOURS, strict=False)]
    handles = [Patch(color=colour, label=name) for name, colour in named]
    axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.01), ncols=5, fontsize=9, frameon=False)
    _save(figure, target)


# --- drawing --------------------------------------------------------------------------------------


class _Narrow(SimpleHTTPRequestHandler):
    """Pages as narrow as a column of a picture, so that their text stays large enough to read."""

    def do_GET(self) -> None:
        """Send a file; a page with one more rule of style."""
        if not self.path.endswith(".html"):
            return super().do_GET()
        body = Path(self.translate_path(self.path)).read_bytes()
        body = body.replace(b"</head>", b"<style>html { width: 700px }</style></head>")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """A folder on loopback, so that the page finds its style sheet."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Narrow, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _texts(shown: Snapshot, node: int) -> str:
    nodes = shown.nodes
    return " ".join(text for text in nodes.texts[node : int(nodes.ends[node])] if text)


def _boxes(shown: Snapshot, lines: list[str]) -> Iterator[Any]:
    """The boxes of the smallest visible elements of the body whose whole text is one of the lines, or ends with it."""
    geometry = shown.nodes.geometry
    assert geometry is not None
    for line in lines:
        folded = "".join(line.split())
        found = [
            node
            for node, tag in enumerate(shown.nodes.tags)
            if tag and geometry.boxes[node][2] and folded in "".join(_texts(shown, node).split())
        ]
        if found:
            yield geometry.boxes[min(found, key=lambda node: (int(shown.nodes.ends[node]) - node, node))]


def _paths(shown: Snapshot) -> Iterator[tuple[int, str]]:
    """The visible text nodes with the tag paths of ``page_segmentation``."""
    nodes = shown.nodes
    for leaf, text in enumerate(nodes.texts):
        if not text or not nodes.visible[leaf]:
            continue
        above, node = [], int(nodes.parents[leaf])
        while node >= 0:
            above.append(nodes.tags[node])
            node = int(nodes.parents[node])
        path = [tag for tag in reversed(above) if tag not in INLINE]
        yield leaf, "/".join([*path, "a"] if "a" in above else path)


def _screenshot(axes: Any, shown: Snapshot, marks: list[tuple[Any, int]], height: int, width: int = 0) -> None:
    """The upper part of a page's picture, with coloured boxes: left, top, width, height and the number of a colour."""
    picture = Image.open(io.BytesIO(shown.screenshot or b"")).convert("RGB")
    width = min(width or picture.width, picture.width)
    height = min(height, picture.height)
    axes.imshow(picture.crop((0, 0, width, height)))
    for (x, y, wide, high), colour in marks:
        if y < height:
            shape = (float(x) - 3, float(y) - 3), float(wide) + 6, min(float(high), height - float(y)) + 6
            axes.add_patch(Rectangle(*shape, facecolor=f"{COLOURS[colour]}22", edgecolor=COLOURS[colour], linewidth=1.4))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")


def _save(figure: Any, target: Path) -> None:
    figure.savefig(
        target, dpi=120, bbox_inches="tight", facecolor="white", metadata={"Date": None} if target.suffix == ".svg" else None
    )
    plt.close(figure)
    if target.suffix == ".png":
        Image.open(target).convert("RGB").quantize(128).save(target, optimize=True)


PICTURES: dict[str, Callable[[Path], None]] = {
    "way.svg": way,
    "block_lengths.svg": block_lengths,
    "page_to_record.png": page_to_record,
    "page_segmentation.png": page_segmentation,
    "visual_blocks.png": visual_blocks,
}
"""File → what draws it."""


def main(arguments: list[str] | None = None) -> int:
    """Draw all pictures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.docs.pictures", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "pictures", help="default: docs/pictures")
    parser.add_argument("--only", nargs="+", choices=PICTURES, default=list(PICTURES), metavar="FILE", help="some of them")
    given = parser.parse_args(arguments)
    mpl.rcParams["svg.hashsalt"] = "newsextract"
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.only:
        PICTURES[name](given.folder / name)
        sys.stdout.write(f"{given.folder / name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
