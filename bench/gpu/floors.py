"""The limits of the machine: measured rates, and the seconds that follow from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.harness.timing import seconds

N_FEATURES, N_PARTICLES, N_GENERATIONS = 100, 30, 30
N_KEPT = 50  # of 100 features, about half have a weight above 0
ROUNDS = 200  # of affinity propagation, at most


def warm_seconds(call: Callable[[], Any], rounds: int) -> float:
    """Return the median seconds of a call on the GPU, after one call that is not timed."""
    import torch

    call()  # warm
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        times.append(seconds(lambda: (call(), torch.cuda.synchronize())))
    return float(np.median(times))


def ceilings() -> dict[str, float]:
    """Measure the rates from which floors are computed."""
    import torch

    source = torch.randn(2**28, device="cuda")
    target = torch.empty_like(source)
    copy = 8 * source.numel() / warm_seconds(lambda: target.copy_(source), 9)
    rates = {"bytes": copy}
    for name, dtype in (("single", torch.float32), ("double", torch.float64)):
        square = torch.randn(8192, 8192, device="cuda", dtype=dtype)
        torch.backends.cuda.matmul.allow_tf32 = name == "single"
        rates[name] = 2.0 * 8192**3 / warm_seconds(lambda square=square: square @ square, 9)
    torch.backends.cuda.matmul.allow_tf32 = False
    rates["single"] /= 3.0  # three products of split numbers give one of single precision
    chip = torch.cuda.get_device_properties(0)
    # 16 logarithms or exponentials per multiprocessor and clock, at about 1.98 GHz.
    rates["special"] = 16.0 * chip.multi_processor_count * 1.98e9
    return rates


def floor(method: str, n: int, rates: dict[str, float]) -> float:
    """Return a lower limit of the seconds of 900 evaluations."""
    pairs = float(n) * n
    product = 2.0 * pairs * N_KEPT / rates["single"]
    if method in ("exponents", "distances with exponents"):
        powers = 2.0 * pairs * N_KEPT / rates["special"]
        if method != "exponents":
            return N_PARTICLES * powers
        return N_PARTICLES * N_GENERATIONS * (powers + 3.0 * 4.0 * pairs / rates["bytes"])
    if method == "knn":  # neighbours, then sums that need the labels, from new or stored distances
        once = product + min(product, 3.0 * 4.0 * pairs / rates["bytes"])
    elif method == "linkage":
        double = max(2.0 * pairs * N_KEPT / rates["double"], 8.0 * pairs / rates["bytes"])
        once = double + 8.0 * pairs / rates["bytes"] + product
    elif method == "affinity":
        once = product + ROUNDS * 5.0 * 4.0 * pairs / rates["bytes"] + product
    else:  # density: exact comparisons, twice
        once = 2.0 * 2.0 * pairs * N_KEPT / rates["double"] + product
    return N_PARTICLES * N_GENERATIONS * once
