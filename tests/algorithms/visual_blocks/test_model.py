"""The trees and their file: what scikit-learn trained gives the same answers, and a damaged file is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from newsextract import algorithms, extract_records
from newsextract.algorithms.visual_blocks import algorithm
from newsextract.algorithms.visual_blocks.algorithm import Trees, from_arrays
from newsextract.errors import DataError, ParameterError
from newsextract.lab.train_pages import RecordExample, fit, lessons
from newsextract.page.nodes import read_nodes


def stump() -> Trees:
    return Trees(
        np.array([1, -1, -1], dtype=np.int16),
        np.array([0.5, 10.0, 20.0], dtype=np.float32),
        np.array([1, 1, 2], dtype=np.int32),
        np.array([0, 0], dtype=np.int32),
        np.array([3.0], dtype=np.float32),
    )


def test_a_stump() -> None:
    rows = np.array([[9.0, 0.5], [9.0, 0.6]], dtype=np.float32)
    assert stump().predict(rows).tolist() == [23.0, 43.0], "two trees and the constant; equal goes left"


DAMAGES: dict[str, dict[str, NDArray[Any] | None]] = {
    "missing": {"t.left": None},
    "type": {"t.feature": np.array([1, -1, -1], dtype=np.int64)},
    "length": {"t.left": np.array([1, 1], dtype=np.int32)},
    "feature": {"t.feature": np.array([2, -1, -1], dtype=np.int16)},
    "loop": {"t.left": np.array([0, 1, 2], dtype=np.int32)},
    "outside": {"t.left": np.array([2, 1, 2], dtype=np.int32)},
    "leaf": {"t.left": np.array([1, 0, 2], dtype=np.int32)},
    "root": {"t.roots": np.array([0, 3], dtype=np.int32)},
    "number": {"t.threshold": np.array([np.nan, 1, 2], dtype=np.float32)},
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_trees_are_refused(damage: str) -> None:
    """So that no walk through them fails or never ends."""
    arrays = {k: v for k, v in {**stump().arrays("t"), **DAMAGES[damage]}.items() if v is not None}
    with pytest.raises(ValueError, match=r"t\b"):
        from_arrays(arrays, "t", features=2)


def pages(count: int) -> list[RecordExample]:
    found = []
    for k in range(count):
        names = [f"name {k} {j}" for j in range(6)]
        rows = "".join(
            f"<li class=hit><h3><a href=/{j}>{name}</a></h3><p>some text about {name}</p></li>"
            for j, name in enumerate(names)
        )
        menu = "".join(f"<li><a href=/m{j}>menu {j}</a></li>" for j in range(5))
        learned, *_ = lessons(
            f"site{k}", read_nodes(f"<ul class=nav>{menu}</ul><ul>{rows}</ul>"), [f"{n} some text about {n}" for n in names]
        )
        found.append(learned)
    return found


def test_an_example_knows_the_good_candidate() -> None:
    (learned,) = pages(1)
    assert learned.shares.max() == 1.0
    features, right = learned.records[0]
    assert len(features) == len(right) == 6
    assert right.all()


@pytest.mark.slow
def test_fitted_trees_are_scikit_learns_and_the_same_every_time(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    learned = pages(12)
    # Records that are none, so that there is something to tell apart.
    learned = [
        RecordExample(e.site, e.features, e.shares, [(f, np.arange(len(f)) > 0) for f, _ in e.records]) for e in learned
    ]
    judges = fit(learned)
    scores = judges.sets.predict(learned[0].features)
    assert scores.argmax() == learned[0].shares.argmax()
    again = fit(learned)
    assert np.array_equal(judges.sets.threshold, again.sets.threshold)
    other = stump_of(judges.sets)
    assert np.allclose(other.predict(learned[0].features), scores)
    for name in ("one", "two"):
        algorithm.save(tmp_path / name, {"visual": again, "dom": judges}, {"pages": 12})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def stump_of(trees: Trees) -> Trees:
    """The same trees by way of a file's arrays."""
    return from_arrays(trees.arrays("x"), "x", features=10_000)


def test_the_shipped_model_loads_and_says_what_it_is() -> None:
    shipped = algorithm.load()
    assert set(shipped.judges) == {"visual", "dom"}
    assert shipped.card["folds"] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive"])
def test_a_file_that_is_no_model_is_told(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"m\.npz: not a model of visual_blocks .*newsextract train visual-blocks"):
        algorithm.load(path)


def test_trees_for_other_features_are_told(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    algorithm.save(path, {kind: algorithm.Judges(stump(), stump()) for kind in algorithm.KINDS}, {"set_features": ["other"]})
    with pytest.raises(DataError, match="made for other set_features"):
        algorithm.load(path)


def test_a_trained_model_can_be_named(tmp_path: Path) -> None:
    """And judges: the shipped one finds six records, one whose every score is low finds none."""
    path = tmp_path / "own.npz"
    low = Trees(
        *(getattr(stump(), name) for name in ("feature", "threshold", "left", "roots")), np.array([-99.0], dtype=np.float32)
    )
    features = {
        "set_features": algorithm._FEATURES["set_features"],
        "record_features": algorithm._FEATURES["record_features"],
    }
    algorithm.save(path, {kind: algorithm.Judges(low, low) for kind in algorithm.KINDS}, {"pages": 1, **features})
    assert algorithm.load(path).judges["dom"].sets.predict(
        np.zeros((1, algorithm.width("dom", "sets")), dtype=np.float32)
    ).tolist() == [-79.0]
    html = (
        "<ul>"
        + "".join(f"<li><h3><a href=/{k}>name {k}</a></h3><p>some text about the harbour, {k}</p></li>" for k in range(6))
        + "</ul>"
    )
    assert len(extract_records(html, algorithm="visual_blocks").records) == 6
    assert extract_records(html, algorithm="visual_blocks", params={"model": str(path)}).records == ()
    with pytest.raises(ParameterError, match=r"method = .search."):
        algorithms.make_params("visual_blocks", {"preset": "published", "model": str(path)})
