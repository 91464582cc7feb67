"""Every topic has the same operations in every backend, described in the reference."""

from __future__ import annotations

import inspect

import pytest

from weft.backends import CPU, REFERENCE, Backend

# What a GPU has not: blocks of rows, sparse rows and lists of neighbours stay on the host, and so
# do the decoding of a single position and the settling of labels.
ON_HOST = {
    "kmeans": {"power_sums", "row_keys", "settle"},
    "projected": {"distances_from_products", "put_refilled", "sparse_products", "sparse_totals"},
    "columns": {"count_alive_within", "kth_alive"},
    "prototypes": {"between_sum", "medoids_of", "nearest"},
    "mercer": {
        *("feature_partition", "input_partition", "mean_norms", "mean_widths", "settle_labels"),
    },
}
# Parts of the readable formulas that are no operations.
PARTS = {
    "prototypes": {"davies_bouldin", "silhouette", "squared_distances"},
    "mercer": {"active_centers", "drop_small", "nearest_average"},
}
FEWEST = {"prototypes": 11, "mercer": 11}  # operations; 9 for other topics


def _operations(module):
    """The public functions of the reference: what the other backends have to offer."""
    functions = inspect.getmembers(module, inspect.isfunction)
    own = {name for name, function in functions if function.__module__ == module.__name__}
    return {name for name in own if not name.startswith("_")}


def _parameters(function):
    parameters = inspect.signature(function).parameters.values()
    return [(each.name, each.kind, each.default) for each in parameters]


@pytest.mark.parametrize("topic", ON_HOST)
def test_names_and_signatures_agree(topic):
    pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")
    reference, cpu, gpu = (getattr(each, topic) for each in (REFERENCE, CPU, Backend("gpu")))
    names = _operations(reference) - PARTS.get(topic, set())
    assert len(names) >= FEWEST.get(topic, 9)
    for name in names:
        assert inspect.getdoc(getattr(reference, name)), f"{name} is described nowhere"
        expected = _parameters(getattr(reference, name))
        assert _parameters(getattr(cpu, name)) == expected, name
        if name in ON_HOST[topic]:
            assert not hasattr(gpu, name)
        else:
            assert _parameters(getattr(gpu, name)) == expected, name
