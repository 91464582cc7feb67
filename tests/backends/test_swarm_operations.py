"""The topics of prototypes and Mercer kernels: the same operations in every backend."""

from __future__ import annotations

import inspect

import pytest

from weft.backends import CPU, REFERENCE, Backend


def _signature(function):
    parameters = inspect.signature(function).parameters.values()
    return [(each.name, each.kind, each.default) for each in parameters]


@pytest.mark.parametrize("topic", ["prototypes", "mercer"])
def test_names_and_signatures_agree(topic):
    pytest.importorskip("torch", reason="the GPU path needs torch: pip install 'weft[gpu]'")
    cpu, reference, gpu = (getattr(each, topic) for each in (CPU, REFERENCE, Backend("gpu")))
    assert set(cpu.__all__) == set(reference.__all__)
    assert set(gpu.__all__) < set(cpu.__all__)
    # What a GPU has not: a single position is decoded, and labels are settled, on the host.
    on_host = {
        "prototypes": {"between_sum", "medoids_of", "nearest"},
        "mercer": {
            "feature_partition",
            "input_partition",
            "mean_norms",
            "mean_widths",
            "settle_labels",
        },
    }
    assert set(cpu.__all__) - set(gpu.__all__) == on_host[topic]
    for module in (reference, gpu):
        for name in module.__all__:
            assert _signature(getattr(module, name)) == _signature(getattr(cpu, name)), name
