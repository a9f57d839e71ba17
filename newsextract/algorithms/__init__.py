"""The registry: one explicit table from a name to an algorithm, its parameters and the paper it comes from.

Other packages add theirs by entry points in the group :data:`GROUP`, each a :class:`Spec`. A module is imported when its
algorithm is first asked for.
"""

from __future__ import annotations

import dataclasses
import re
import typing
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Literal, Protocol

from newsextract.errors import ParameterError, UnknownAlgorithm, WrongKind
from newsextract.results import Body, RecordSet

if typing.TYPE_CHECKING:
    from newsextract.page.page import Page

Kind = Literal["article", "records"]
DEFAULT = "combined"
"""For articles."""
DEFAULT_RECORDS = "visual_blocks"
"""For pages with many records."""
FIELDS = "fields"
"""Key of parameters, for all algorithms of articles: fields that a user selects by CSS."""
GROUP = "newsextract.algorithms"
"""Entry points of other packages: a name and the :class:`Spec` of an algorithm."""
_RANGE = re.compile(r"(-?\d[\d.e]*)–(\d[\d.e]*)")


class Algorithm(Protocol):
    """An article algorithm, ready to be called on any number of pages."""

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text. It never raises because of a page, except
        :class:`~newsextract.errors.MissingExtra` if the algorithm needs an optional package.
        """
        ...


class RecordAlgorithm(Protocol):
    """An algorithm for pages with many records, ready to be called on any number of pages."""

    def __call__(self, page: Page, *, evidence: bool = False) -> RecordSet:
        """Choose the nodes of the records. It never raises because of a page, except
        :class:`~newsextract.errors.MissingExtra`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Spec:
    """What the registry knows of an algorithm. Module attributes are named so that the module is imported late."""

    module: str
    factory: str
    """Name of a class or function: parameters → :class:`Algorithm` or :class:`RecordAlgorithm`."""
    params: str
    """Name of the frozen dataclass of its parameters."""
    presets: Mapping[str, str] = field(default_factory=lambda: {"default": "DEFAULT"})
    """Preset name → name of an instance of the parameters. ``default`` is what is used without a word."""
    kinds: tuple[Kind, ...] = ("article",)
    needs_snapshot: bool = False
    reference: str = ""
    """The paper, short."""
    trained_on: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Preset name → folds of the project's data sets that its shipped numbers or model were fitted on; on these its figures
    flatter. A preset that is not named was not fitted."""

    def attribute(self, name: str) -> Any:
        """An attribute of the algorithm's module."""
        return getattr(import_module(self.module), name)


_ALL_FOLDS = (0, 1, 2, 3, 4)
_ZOU = "Zou & Zhong 2011, An efficient approach to reduce noise in news webpages"

ALGORITHMS: dict[str, Spec] = {
    "combined": Spec(
        module="newsextract.algorithms.combined",
        factory="Combined",
        params="CombinedParams",
        presets={"default": "DEFAULT", "precision": "PRECISION", "recall": "RECALL"},
        reference="ours; combines the ideas of the five papers",
        trained_on={"default": _ALL_FOLDS, "precision": _ALL_FOLDS, "recall": _ALL_FOLDS},
    ),
    "block_statistics": Spec(
        module="newsextract.algorithms.block_statistics",
        factory="BlockStatistics",
        params="BlockStatisticsParams",
        presets={"default": "DEFAULT", "published": "PUBLISHED"},
        reference=_ZOU,
    ),
    "block_statistics_baseline": Spec(
        module="newsextract.algorithms.block_statistics",
        factory="BlockStatistics",
        params="BlockStatisticsParams",
        presets={"default": "BASELINE"},
        reference=f"{_ZOU}: method one of Table 2 (after Zhou, Xiong & Liu 2009)",
    ),
    "page_segmentation": Spec(
        module="newsextract.algorithms.page_segmentation",
        factory="PageSegmentation",
        params="PageSegmentationParams",
        presets={"default": "DEFAULT", "published": "PUBLISHED"},
        reference="Hou & Yang 2011, Web information extraction algorithm based on Web page segmentation",
        trained_on={"default": _ALL_FOLDS, "published": _ALL_FOLDS},
    ),
    "node_attributes": Spec(
        module="newsextract.algorithms.node_attributes",
        factory="NodeAttributes",
        params="NodeAttributesParams",
        presets={"default": "DEFAULT", "published": "PUBLISHED"},
        reference="Wang & Cao 2016, Information extraction from massive Web pages based on node property and text content",
        trained_on={"default": _ALL_FOLDS, "published": _ALL_FOLDS},
    ),
    "naive_bayes": Spec(
        module="newsextract.algorithms.value_filter",
        factory="NaiveBayes",
        params="NaiveBayesParams",
        reference="Wang & Cao 2016, §3.4 alone, in the spirit of Wang et al. 2014",
        trained_on={"default": _ALL_FOLDS},
    ),
    "text_density": Spec(
        module="newsextract.algorithms.text_density",
        factory="TextDensity",
        params="TextDensityParams",
        presets={"default": "DEFAULT", "published": "PUBLISHED"},
        reference="Sun, Song & Liao 2011, DOM based content extraction via text density (CETD)",
        trained_on={"default": (1, 2, 3, 4)},  # the words of its pruning
    ),
    "visual_blocks": Spec(
        module="newsextract.algorithms.visual_blocks.algorithm",
        factory="VisualBlocks",
        params="VisualBlocksParams",
        presets={"default": "DEFAULT", "published": "PUBLISHED"},
        kinds=("records",),
        reference="Wang, Liang & Min 2019, Multi-recording complex Web page extraction based on visual block (VBIE)",
        trained_on={"default": _ALL_FOLDS},
    ),
    "oem": Spec(
        module="newsextract.algorithms.oem",
        factory="OEM",
        params="OEMParams",
        kinds=("records",),
        reference="Huang, Qi & Zhang 2000, Extracting semi-structured information from the Web",
    ),
    "mdr": Spec(
        module="newsextract.algorithms.mdr",
        factory="MDR",
        params="MDRParams",
        kinds=("records",),
        reference="Liu, Grossman & Zhai 2003, Mining data records in Web pages",
    ),
}


def names(kind: Kind | None = None) -> list[str]:
    """Registered names, in the order of the table, then those of other packages; of one kind if asked."""
    known = {**ALGORITHMS, **_of_other_packages()}
    return [name for name, spec in known.items() if kind is None or kind in spec.kinds]


def spec(name: str) -> Spec:
    """The entry of an algorithm.

    :raises UnknownAlgorithm: with the list of known names.
    """
    found = ALGORITHMS.get(name) or _of_other_packages().get(name)
    if found is None:
        raise UnknownAlgorithm(name, names())
    return found


@cache
def _of_other_packages() -> dict[str, Spec]:
    """The specs of installed entry points. One that cannot be loaded is left out with a warning; our own names stay ours."""
    from importlib.metadata import entry_points  # late: it reads all installed packages

    found: dict[str, Spec] = {}
    for entry in entry_points(group=GROUP):
        try:
            loaded = entry.load()
        except Exception as error:  # noqa: BLE001  # reason: other people's code may fail in any way, and the rest must work
            warnings.warn(f"algorithm {entry.name!r} ({entry.value}) cannot be loaded: {error}", stacklevel=2)
            continue
        if not isinstance(loaded, Spec):
            warnings.warn(f"algorithm {entry.name!r} ({entry.value}) is no newsextract.algorithms.Spec", stacklevel=2)
        elif entry.name not in ALGORITHMS:
            found[entry.name] = loaded
    return found


def make_params(name: str, values: Mapping[str, Any] | None = None) -> Any:
    """The parameters of an algorithm: a preset (key ``preset``), with single values replaced.

    :param values: as written in a site's settings; None for the default preset.
    :raises ParameterError: an unknown key, an unknown preset or a value of the wrong type or range.
    """
    entry = spec(name)
    if not isinstance(values, Mapping | None):
        raise ParameterError(f'{name}: params is {values!r}; expected a dictionary, for example {{"preset": "default"}}')
    given = dict(values or {})
    if FIELDS in given:
        _check_fields(name, entry, given.pop(FIELDS))
    preset = given.pop("preset", "default")
    if not isinstance(preset, str) or preset not in entry.presets:
        raise ParameterError(f"{name}: unknown preset {preset!r}; choose from: {', '.join(entry.presets)}")
    base = entry.attribute(entry.presets[preset])
    if not given:
        return base
    types = typing.get_type_hints(type(base))
    for key, value in given.items():
        if key not in types:
            raise ParameterError(f"{name}: unknown parameter {key!r}; choose from: preset, {', '.join(types)}")
        given[key] = _checked(f"{name}: parameter {key}", value, types[key], getattr(base, key))
    return dataclasses.replace(base, **given)


def check_ranges(name: str, params: Any) -> None:
    """Refuse a number outside the range that the metadata of its parameter states, such as ``0–1e9``.

    :raises ParameterError: it is, or it is no number.
    """
    for parameter in dataclasses.fields(params):
        stated = _RANGE.fullmatch(parameter.metadata["range"])
        value = getattr(params, parameter.name)
        if stated is not None and not float(stated[1]) <= value <= float(stated[2]):
            example = f"{parameter.name} = {parameter.default}"
            raise ParameterError(f"{name}: {parameter.name} is {value}; expected {stated[0]}, for example {example}")


def _check_fields(name: str, entry: Spec, selectors: Any) -> None:
    if "article" not in entry.kinds:
        raise ParameterError(f"{name}: finds records, which have no {FIELDS} of an article")
    from newsextract.fields.selected import check_selectors  # late: it works on pages

    check_selectors(selectors)


def file_params(name: str) -> list[str]:
    """Parameters whose value is the path of a file (metadata ``unit`` is ``file``).

    :raises UnknownAlgorithm: no such name.
    """
    entry = spec(name)
    return [key.name for key in dataclasses.fields(entry.attribute(entry.params)) if key.metadata.get("unit") == "file"]


def make(name: str, values: Mapping[str, Any] | None = None) -> Algorithm:
    """An article algorithm with its parameters; kept, so that loading happens once per process.

    :raises UnknownAlgorithm: no such name.
    :raises WrongKind: it finds records, not articles.
    :raises ParameterError: bad parameters.
    """
    algorithm: Algorithm = _make(name, "article", make_params(name, values))
    return algorithm


def make_records(name: str, values: Mapping[str, Any] | None = None) -> RecordAlgorithm:
    """The same for an algorithm that finds records."""
    algorithm: RecordAlgorithm = _make(name, "records", make_params(name, values))
    return algorithm


@lru_cache(maxsize=1024)
def _make(name: str, kind: Kind, params: Any) -> Any:
    entry = spec(name)
    if kind not in entry.kinds:
        raise WrongKind(name, kind, names(kind))
    return entry.attribute(entry.factory)(params)


def _checked(what: str, value: Any, wanted: Any, example: Any) -> Any:
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    allowed = typing.get_args(wanted)
    if allowed and typing.get_origin(wanted) is Literal:
        good = value in allowed
    else:
        good = isinstance(value, wanted) and not (isinstance(value, bool) and wanted is not bool)
    if not good:
        kind = " or ".join(map(repr, allowed)) if allowed else wanted.__name__
        raise ParameterError(f"{what} is {value!r}; expected {kind}, for example {example!r}")
    return value
