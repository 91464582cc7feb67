"""Parts of the schemas of kernel methods: the spaces that `predict` needs, and their kernels."""

from __future__ import annotations

from inspect import signature

from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from weft.estimators._declared import (
    FITNESS,
    SAMPLED,
    SCALING,
    SMALLEST,
    STEPS,
    floats,
    positions,
    settings_record,
)
from weft.methods.mercer.settings import KERNELS, Kernel
from weft.methods.mercer.spaces import KernelSpace, Walk, WalkSpace
from weft.models.kinds import NOTHING, Choice, Fields, Flag, Integer, Number, OneOf, Record
from weft.models.schema import Added, Attribute


def _kernel_takes(space: KernelSpace) -> str:
    """Return which parameter the kernel of a space does not have."""
    taken = signature(PAIRWISE_KERNEL_FUNCTIONS[space.kernel]).parameters
    unknown = sorted(set(space.params) - set(taken))
    return f"has a parameter {unknown[0]!r} that its kernel does not take." if unknown else ""


KERNEL = OneOf(Choice(*KERNELS), settings_record(Kernel))
_ROWS = floats("n_searched", "n_features")
_GRAM = floats("n_searched", "n_searched")
# What scikit-learn allows; squares of a width must stay within the range of float64.
WIDTH = Number(low=1e-150, high=1e150)
SPACE = OneOf(
    Record(
        "KernelSpace",
        KernelSpace,
        {
            "X": _ROWS,
            "gram": _GRAM,
            "coordinates": floats("n_searched", "*", least=0),
            "kernel": Choice(*sorted(PAIRWISE_KERNEL_FUNCTIONS)),
            "params": Fields(
                {},
                {
                    "gamma": OneOf(NOTHING, Number(low=0.0)),
                    "degree": Number(low=1.0),
                    "coef0": Number(),
                    "dense_output": Flag(),
                },
            ),
        },
        _kernel_takes,
    ),
    Record(
        "WalkSpace",
        WalkSpace,
        {
            "X": _ROWS,
            "gram": _GRAM,
            "coordinates": floats("n_searched", "n_directions", least=0),
            "walk": Record(
                "Walk",
                Walk,
                {
                    "X": _ROWS,
                    "scales": floats("n_searched", low=SMALLEST),
                    "values": floats("n_directions", low=0.0, high=1.0, least=0),
                    "vectors": floats("n_searched", "n_directions", least=0),
                },
            ),
            "sigma": WIDTH,
        },
    ),
)
# What every kernel method learns.
KERNEL_CLUSTERS: dict[str, Attribute] = {
    "labels_": positions("n_samples", "n_clusters"),
    "n_clusters_": Integer(low=1, binds="n_clusters"),
    "fitness_": FITNESS,
    "sigma_": OneOf(NOTHING, WIDTH),
    "n_iter_": STEPS,
    "_fit_scaling": SCALING,
}
# A search on a sample: `predict` needs the labels of its rows.
SEARCHED_ROWS: dict[str, Attribute] = {
    **SAMPLED,
    "n_samples_search_": Added(
        Integer(low=1, high="n_samples", binds="n_searched"),
        lambda learned: len(learned["labels_"]),
    ),
    "_fit_labels": Added(positions("n_searched", "n_clusters"), lambda learned: learned["labels_"]),
}
