"""Who is measured: our algorithms in their presets, and the peers that are installed.

What cannot take part (needs a rendered page, a package is missing, it does not load) is told, never left out silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import newsextract
from newsextract import algorithms
from newsextract.errors import MissingExtra, UnknownAlgorithm
from newsextract.evaluation import peers
from newsextract.evaluation.datasets import FOLDS, TEST_FOLD


@dataclass(frozen=True, slots=True)
class Contender:
    """One extractor that can be run over pages."""

    name: str
    """As it is shown: ``NAME`` or ``NAME:PRESET`` of an algorithm, a peer's name."""
    origin: Literal["algorithm", "peer"]
    key: str
    """Its name in the registry of algorithms or in the table of peers."""
    params: Mapping[str, Any] | None = None
    """Parameters of an algorithm, ``preset`` among them; None for its default preset."""
    about: str = ""
    """The paper, or how the peer is called."""
    version: str | None = None
    trained_on: tuple[int, ...] = ()
    """Folds whose pages its shipped model or thresholds were fitted on; on these its figures flatter."""

    @property
    def note(self) -> str | None:
        """What to bear in mind when reading its figures; None: nothing."""
        if not self.trained_on:
            return None
        folds = ", ".join(map(str, self.trained_on))
        honest = f"only fold {TEST_FOLD} tells" if TEST_FOLD not in self.trained_on else "no fold of this data set tells"
        return f"{self.name} was fitted on folds {folds} of {FOLDS}: there its figures flatter, and {honest} how good it is"


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was asked for in general and does not take part."""

    name: str
    reason: str
    broken: bool = False
    """It should have worked: something is wrong with it."""


def algorithm(name: str, values: Mapping[str, Any] | None = None, kind: algorithms.Kind = "article") -> Contender:
    """One of our algorithms, given as ``NAME`` or ``NAME:PRESET``; a caller's mistake is raised early.

    :param values: single parameters that replace those of the preset.
    :param kind: what it finds.
    :raises UnknownAlgorithm: no algorithm of that name that finds these.
    :raises ParameterError: no such preset or parameter.
    :raises MissingExtra: it needs a package that is not installed.
    """
    key, colon, preset = name.partition(":")
    known = algorithms.names(kind)
    if key not in known:
        raise UnknownAlgorithm(key, known)
    params = {**({"preset": preset} if colon else {}), **(values or {})} or None
    (algorithms.make if kind == "article" else algorithms.make_records)(key, params)
    entry = algorithms.spec(key)
    folds = entry.trained_on.get(preset or "default", ())
    return Contender(name, "algorithm", key, params, entry.reference, newsextract.__version__, folds)


def peer(name: str) -> Contender:
    """A peer by its name.

    :raises UsageError: no such peer.
    :raises MissingExtra: it is not installed.
    """
    peers.check(name)
    return Contender(name, "peer", name, about=peers.PEERS[name].how, version=peers.version(name))


def all_algorithms(kind: algorithms.Kind = "article") -> tuple[list[Contender], list[Skipped]]:
    """Every registered algorithm of a kind in every preset, and those that cannot run here."""
    found: list[Contender] = []
    skipped: list[Skipped] = []
    for key in algorithms.names(kind):
        entry = algorithms.spec(key)
        if entry.needs_snapshot:
            skipped.append(Skipped(key, "needs rendered pages, and the data sets hold none"))
            continue
        for preset in entry.presets:
            name = key if preset == "default" else f"{key}:{preset}"
            try:
                found.append(algorithm(name, kind=kind))
            except MissingExtra as error:
                skipped.append(Skipped(name, str(error)))
            except Exception as error:  # noqa: BLE001  # reason: one algorithm that does not load must not stop the others
                skipped.append(Skipped(name, f"does not load: {type(error).__name__}: {error}", broken=True))
    return found, skipped


def all_peers() -> tuple[list[Contender], list[Skipped]]:
    """Every peer that is installed, and the others."""
    there = [name for name in peers.PEERS if peers.installed(name)]
    absent = [name for name in peers.PEERS if name not in there]
    return [peer(name) for name in there], [Skipped(name, f"not installed; {peers.how_to_install(name)}") for name in absent]


def told(skipped: Sequence[Skipped]) -> list[str]:
    """A line for each reason, with all that are left out for it."""
    names: dict[str, list[str]] = {}
    for one in skipped:
        names.setdefault(one.reason, []).append(one.name)
    return [f"left out: {', '.join(those)}: {reason}" for reason, those in names.items()]
