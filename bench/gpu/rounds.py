"""One round of weighted k-means on a GPU, compared with flash-kmeans and plain torch.

    python -m bench.gpu.rounds [--again]

The milliseconds per round are saved in bench/results/gpu_rounds.jsonl; `make bench` writes them
into docs/performance.md. flash-kmeans is left out if it is not installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch

from bench.gpu.page import ROUNDS as RESULTS
from bench.harness import records
from weft.backends.gpu import kmeans
from weft.backends.gpu.rounds import DeviceRounds
from weft.kmeans.weights import PowerWeights
from weft.parallel.threads import one_range

SIZES = ((1_000_000, 64, 20), (1_000_000, 128, 1024))
ROUNDS = 20


def make_table(n_rows: int, n_features: int, n_clusters: int, seed: int = 0) -> tuple[Any, Any]:
    """Return float32 rows, Gaussian noise around loose centres, and rows to start from."""
    draw = torch.Generator(device="cuda").manual_seed(seed)
    options: dict[str, Any] = {"generator": draw, "device": "cuda"}
    centers = 0.25 * torch.randn((n_clusters, n_features), **options)
    X = torch.randn((n_rows, n_features), **options)
    X += centers[torch.randint(0, n_clusters, (n_rows,), **options)]
    return X, X[torch.randperm(n_rows, **options)[:n_clusters]].clone()


def clock(rounds: Callable[[int], Any]) -> float:
    """Return milliseconds per round, without the time before the first one."""
    seconds = []
    for count in (2, ROUNDS, 2, ROUNDS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        rounds(count)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    return (seconds[3] - seconds[2]) / (ROUNDS - 2) * 1e3


def weft_rounds(X: Any, start: Any, exponent: float = 2.0) -> Callable[[int], Any]:
    """Return a function that does rounds of weighted k-means, with weights per cluster."""
    table = X.double().cpu().numpy()
    rows = kmeans.load(table, np.ones(len(X)), exponent, False, one_range, torch.device("cuda"))
    rounds = DeviceRounds(kmeans, rows)
    rule = PowerWeights(np.ones(X.shape[1], dtype=bool), 2.0)
    weights = np.full(start.shape, 1.0 / X.shape[1])
    labels = np.full(len(X), -1, dtype=np.int32)
    centers = start.double().cpu().numpy()
    return lambda count: rounds.advance(
        labels, centers, weights, rule, max_rounds=count, allowed=-1.0
    )


def flash_rounds(X: Any, start: Any) -> Callable[[int], Any]:
    """Return a function that does rounds of flash-kmeans."""
    from flash_kmeans import batch_kmeans_Euclid

    return lambda count: batch_kmeans_Euclid(
        X[None], len(start), max_iters=count, tol=-1.0, init_centroids=start[None].clone()
    )


def torch_rounds(X: Any, start: Any) -> Callable[[int], Any]:
    """Return a function that does rounds of k-means in plain torch."""

    def rounds(count: int) -> None:
        centers = start
        for _ in range(count):
            norms = (centers * centers).sum(1)[None].expand(len(X), -1)
            labels = torch.addmm(norms, X, centers.T, alpha=-2.0).argmin(1)
            totals = torch.zeros_like(centers).index_add_(0, labels, X)
            sizes = torch.bincount(labels, minlength=len(centers))
            centers = totals / sizes[:, None].clamp(min=1)

    return rounds


def measure(rows: int, columns: int, clusters: int) -> dict[str, Any]:
    """Return the milliseconds per round of each program; all start from the same rows."""
    roots = partial(weft_rounds, exponent=1.5)
    sides = {"weft, p = 2": weft_rounds, "weft, p = 1.5": roots, "plain torch": torch_rounds}
    if find_spec("flash_kmeans") is not None:
        sides["flash-kmeans"] = flash_rounds
    X, start = make_table(rows, columns, clusters)
    found = {name: clock(make(X, start)) for name, make in sides.items()}
    chip = torch.cuda.get_device_properties(0).name
    return {"milliseconds": found, "gpu": f"{chip}, torch {torch.__version__}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="measure recorded rows again")
    if parser.parse_args().again:
        RESULTS.unlink(missing_ok=True)
    cells = [dict(zip(("rows", "columns", "clusters"), size, strict=True)) for size in SIZES]
    for row in records.run(RESULTS, cells, measure):
        print(row)


if __name__ == "__main__":
    main()
