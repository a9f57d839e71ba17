"""``newsextract train node-attributes``: pages and snapshots in, a file with the limits of both geometries out."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from newsextract.algorithms import node_attributes
from newsextract.cli import main
from newsextract.page.snapshot import Snapshot
from tests.made_snapshots import made_snapshot

SENTENCE = "The ferry left the harbour at nine and came back at noon with the post and two crates of oysters."
NOISE = "Our readers liked these stories best in the week that has just come to its end in the harbour town."
NARROW = 150.0
"""CSS pixels, of a page of 1,423."""


def drawn(html: str) -> Snapshot:
    """A snapshot in which noise stands in a narrow column, and everything away from the edges."""
    snapshot = made_snapshot(html)
    nodes = snapshot.nodes
    assert nodes.geometry is not None
    boxes = np.tile(np.array((8, 300, 900, 18), dtype=np.float32), (len(nodes), 1))
    for node, own in enumerate(nodes.attributes):
        if own.get("class") == "k":
            boxes[node : nodes.ends[node], 2] = NARROW
    return replace(snapshot, nodes=replace(nodes, geometry=replace(nodes.geometry, boxes=boxes)))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "pages").mkdir(parents=True)
    (tmp_path / "snapshots").mkdir()
    rows = []
    for number in range(12):
        story = [f"Number {number}, {k}: {SENTENCE}" for k in range(4)]
        html = "".join(f"<p>{text}</p><p class=k>{NOISE} {number}</p>" for text in story)
        name = f"page-{number}"
        rows.append({"id": name, "source": "s", "site": f"site{number}.example", "text": "\n".join(story)})
        (folder / "pages" / f"{name}.html.gz").write_bytes(gzip.compress(html.encode()))
        if number < 10:
            drawn(html).save(tmp_path / "snapshots" / f"{name}.snapshot")
    (folder / "truth.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def train(*arguments: Path | str) -> int:
    return main(["train", "node-attributes", *map(str, arguments)])


def test_without_snapshots_boxes_keep_the_shipped_limits(data: Path, tmp_path: Path) -> None:
    assert train(data, "-o", tmp_path / "limits.toml") == 0
    found, shipped = node_attributes.read(tmp_path / "limits.toml"), node_attributes.shipped("default")
    for name in ("delta3", "delta4", "width", "height"):
        assert getattr(found.boxes, name) == getattr(shipped.boxes, name)
    for name in ("delta1", "delta2", "container"):
        assert getattr(found.boxes, name) == getattr(found.position, name)
    assert "rendered_pages" not in (tmp_path / "limits.toml").read_text()


def test_with_snapshots_the_width_is_fitted(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "limits.toml"
    assert train(data, "--preset", "published", "--snapshots", tmp_path / "snapshots", "-o", output) == 0
    found = node_attributes.read(output)
    assert NARROW / 1423 < found.boxes.width <= 900 / 1423
    card = node_attributes.FILE.read(output).card
    assert (card["pages"], card["rendered_pages"]) == (12, 10)
    assert float(card["fitted_f1"]) < 0.75  # by place alone every second paragraph is noise
    assert float(card["boxes_fitted_f1"]) > 0.94  # all paragraphs and nothing else; no 4-gram goes from one to the next
    assert card["boxes_cross_validated_f1"] == card["boxes_fitted_f1"]
    assert "box_width" in capsys.readouterr().out
    again = tmp_path / "again.toml"
    assert train(data, "--preset", "published", "--snapshots", tmp_path / "snapshots", "-o", again) == 0
    assert again.read_bytes() == output.read_bytes()


def test_a_folder_without_snapshots_of_the_pages_is_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    assert train(data, "--snapshots", tmp_path / "empty", "-o", tmp_path / "limits.toml") == 2
    assert "no page has both a truth and a snapshot" in capsys.readouterr().err
    assert not (tmp_path / "limits.toml").exists()
