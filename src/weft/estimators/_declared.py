"""What estimators have in common in their schemas: parameters by name, and groups of attributes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from weft._base.scaling import StandardScaling
from weft._base.validation import LARGEST, parse_memory
from weft.backends.devices import DEVICES
from weft.models.kinds import (
    NOTHING,
    Array,
    Choice,
    Fields,
    Flag,
    Integer,
    Kind,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Record,
    Text,
    Texts,
)
from weft.models.schema import Added, Attribute, Optional, Rule, Schema

MOST_THREADS = 4096
COUNT = Integer(low=1, high=2**31 - 1)
INDEX_TYPES = ("int64", "int32")
NUMBER_TYPES = ("float64", "float32", "int64", "int32")
POSITIVE = Number(low=0.0, above=True)
SHARE = Number(low=0.0, high=1.0)
SMALLEST = 5e-324  # the least float above 0
OFFSET = Number(low=0.0, high=1e100)  # sums of larger numbers over columns overflow


# An array of numbers, or lists of them, as people give starts.
MATRIX = OneOf(Array(("*", "*"), NUMBER_TYPES), ListOf(ListOf(Number())))
VECTOR = Array(("*",), NUMBER_TYPES)
SCALAR = OneOf(NOTHING, Flag(), Number(), Text())

# What a record of settings holds; it checks the values itself when it is made.
_PLAIN = OneOf(SCALAR, ListOf(Number()), MapOf(SCALAR))


def settings_record(kind: type[Any]) -> Record:
    """The settings of a dataclass that checks them itself."""
    made_from = [field.name for field in dataclasses.fields(kind) if field.init]
    return Record(kind.__name__, kind, dict.fromkeys(made_from, _PLAIN))


# Parameters that mean the same wherever they occur.
PARAMS: dict[str, Kind] = {
    "n_clusters": OneOf(NOTHING, COUNT),
    "max_clusters": OneOf(NOTHING, Integer(low=2, high=2**31 - 1)),
    # Bounds far above any use: beyond them a typing error would run for years.
    "n_particles": Integer(low=1, high=10**6),
    "n_generations": Integer(low=1, high=10**7),
    "n_evaluations": Integer(low=1, high=10**8),
    "n_rounds": Integer(low=1, high=10**5),
    "max_iter": COUNT,  # it ends when nothing changes any more
    **dict.fromkeys(("max_retries", "n_resamples"), Integer(high=10**5)),
    "n_init": OneOf(Choice("auto"), Integer(low=1, high=10**5)),
    "patience": OneOf(NOTHING, COUNT),
    "max_samples": OneOf(NOTHING, Integer(low=2, high=2**31 - 1)),
    "tol": SHARE,
    "distance_exponent": Number(low=1.0, high=100.0),  # larger powers overflow
    "dispersion_offset": OneOf(Choice("mean"), OFFSET),
    **dict.fromkeys(("inertia", "cognitive", "social"), Number(low=0.0)),
    "max_velocity": POSITIVE,
    **dict.fromkeys(("scale", "standardize", "allow_nan", "exponents"), Flag()),
    "device": Choice(*DEVICES),
    "n_jobs": OneOf(NOTHING, Integer(1, MOST_THREADS), Integer(-MOST_THREADS, -1)),
    "random_state": OneOf(NOTHING, Integer(high=2**32 - 1)),
    "callbacks": NOTHING,
}


class Memory(Kind):
    """An amount of memory, such as "1GiB"."""

    @property
    def words(self) -> str:
        return "an amount of memory such as '1GiB'"

    def takes(self, value: Any) -> bool:
        try:
            return type(value) in (int, str) and parse_memory("max_memory", value) < 2**63
        except (ValueError, OverflowError):
            return False


PARAMS["max_memory"] = Memory()

_FRAMES = [name for name in ("pandas", "polars") if find_spec(name) is not None]
# Attributes that every estimator has, or may have.
_EVERY: dict[str, Attribute] = {
    "n_features_in_": Integer(low=1, binds="n_features"),
    "feature_names_in_": Optional(Texts(("n_features",))),
    # What set_output leaves on an instance.
    "_sklearn_output_config": Optional(
        Fields({}, {"transform": Choice(None, "default", *_FRAMES)})
    ),
}


def declare(
    learned: Mapping[str, Attribute], *, rules: tuple[Rule, ...] = (), **params: Kind
) -> Schema:
    """Return the schema of a class: its learned attributes, and its own parameters."""
    return Schema({**PARAMS, **params}, {**_EVERY, **learned}, rules)


def floats(*shape: str | int, **options: Any) -> Array:
    """An array of float64; `options` as in `Array`."""
    return Array(shape, **options)


def rows(length: str, **options: Any) -> Array:
    """Rows of a table that fit has seen; larger numbers are refused there."""
    return floats(length, "n_features", low=-LARGEST, high=LARGEST, **options)


def positions(length: str, into: str, *, low: int = 0, **options: Any) -> Array:
    """An array of positions in `into`; ``low=-1`` allows -1, which stands for none."""
    return Array((length,), INDEX_TYPES, low=low, into=into, **options)


def history(*names: str) -> Fields:
    """One entry per generation, or per start, in every column."""
    column = Array(("n_generations",), ("float64", "int64", "bool"), nan=True, inf=True)
    return Fields(dict.fromkeys(names, column))


SEARCH = ("generation", "best_fitness", "mean_fitness", "seconds")
FITNESS = Number(nan=True, inf=True)
STEPS = Integer(high=2**31 - 1)
SCALING = Record(
    "StandardScaling",
    StandardScaling,
    {
        "mean": floats("n_features", low=-LARGEST, high=LARGEST),
        "deviation": floats("n_features", low=SMALLEST),
    },
)


# A search on a sample: how many rows, and how far another sample agrees.
SAMPLED: dict[str, Attribute] = {
    "n_samples_search_": Added(
        Integer(low=1, high="n_samples"), lambda learned: len(learned["labels_"])
    ),
    "sample_agreement_": Added(OneOf(NOTHING, Number(-1.0, 1.0)), lambda learned: None),
}
# Centres among scaled rows, of which `predict` takes the nearest.
SCALED_CENTERS: dict[str, Attribute] = {
    "labels_": positions("n_samples", "n_clusters"),
    "n_clusters_": Integer(low=1, binds="n_clusters"),
    "cluster_centers_": floats("n_clusters", "n_features"),
    "fitness_": FITNESS,
    "n_iter_": STEPS,
    "_fit_scaling": SCALING,
    "_fit_centers": floats("n_clusters", "n_features"),
}


def counts_clusters(params: Mapping[str, Any], learned: Mapping[str, Any]) -> str:
    """A rule: ``n_clusters_`` is one more than the largest label of the rows searched on."""
    counted, given = int(learned["_fit_labels"].max()) + 1, learned["n_clusters_"]
    return "" if counted == given else f"it has {counted} clusters, but says {given}."


def radius_has_powers(params: Mapping[str, Any], learned: Mapping[str, Any]) -> str:
    """A rule: the largest power of the radius, its cube, is finite in float64."""
    radius, exponents = learned["_fit_radius"], learned["feature_exponents_"]
    if exponents is None or radius <= 1e100 or radius == math.inf:
        return ""
    return f"its '_fit_radius' is {radius:g}, too large for its exponents."
