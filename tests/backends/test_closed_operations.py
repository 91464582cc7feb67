"""The topics of k-means, projected clusters and columns: the same operations in every backend."""

from __future__ import annotations

import inspect

import pytest

from weft.backends import CPU, REFERENCE, Backend

# What a GPU has not: sparse rows stay on the host.
ON_HOST = {
    "kmeans": set(),
    "projected": {"distances_from_products", "sparse_products", "sparse_totals"},
    "columns": set(),
}


def _parameters(function):
    parameters = inspect.signature(function).parameters.values()
    return [(each.name, each.kind, each.default) for each in parameters]


@pytest.mark.parametrize("topic", ON_HOST)
def test_names_and_signatures_agree(topic):
    pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")
    cpu, reference, gpu = (getattr(each, topic) for each in (CPU, REFERENCE, Backend("gpu")))
    assert set(cpu.__all__) == set(reference.__all__)
    assert set(cpu.__all__) - set(gpu.__all__) == ON_HOST[topic]
    for module in (reference, gpu):
        assert set(module.__all__) <= set(cpu.__all__)
        for name in module.__all__:
            assert _parameters(getattr(module, name)) == _parameters(getattr(cpu, name)), name
