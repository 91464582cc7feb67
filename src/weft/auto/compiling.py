"""AutoCluster's compiled code, compiled by several processes at once.

numba compiles one function at a time, whatever the number of threads, and stores the result on
disk. If nothing is stored yet, the command line starts other processes that compile from the last
function backwards while it starts with the first. A function that is already on disk is read.

    python -m weft.auto.compiling 0 1      compiles everything
    python -m weft.auto.compiling 1 3      compiles the second of three parts
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib
from numba import boolean, float32, float64, int16, int32, int64, uint32, uint64

from weft.auto import trees as judging
from weft.auto.kernels import (
    centres,
    clusters,
    density,
    dip,
    distances,
    distinct,
    evidence,
    graphs,
    halves,
    linkage,
    mixtures,
    order,
    partitions,
    second,
    trees,
)
from weft.backends.cpu import columns, known_rows, ranks
from weft.parallel.beside import modules_beside

MOST_PROCESSES = 3  # in addition to the first; each takes a second to start
_I1, _I2 = int64[::1], int64[:, ::1]
_F1, _F2, _F3 = float64[::1], float64[:, ::1], float64[:, :, ::1]
_S1, _S2 = float32[::1], float32[:, ::1]
_BY_COLUMN = float64[::1, :]
_FOREST = (int16[::1], _S1, int16[::1], int16[::1], _S1, int32[::1])
_WORDS, _COUNTS = uint32[:, :, ::1], int32[:, ::1]
_RANKS, _NUMBERS = int32[:, ::1], uint64[::1]
SELDOM = 50_000  # objects made between two searches for garbage: numba makes many that stay

# In the order in which a fit needs them.
SIGNATURES: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (ranks.fill_dense_ranks, (_F2, _I2, _RANKS)),
    (order.fill_scrambled, (_NUMBERS, _NUMBERS)),
    (order.sum_over_columns, (_RANKS, _NUMBERS, _NUMBERS, _NUMBERS)),
    (order.sum_over_rows, (_RANKS, _NUMBERS, _NUMBERS, _NUMBERS)),
    (ranks.fill_by_rank, (_F2, _I2, _F1, _F2, boolean[::1])),
    (columns.squared_contrasts, (_WORDS, _COUNTS, _WORDS, _COUNTS, float64, _F2)),
    (columns.sum_and_nearest, (_F2, int64, _I1, int64, _F1, _F1)),
    (distances.pairwise, (_F2, _F2)),
    (distances.nearest, (_F2, int64, _I2, _F2)),
    (distances.spanning_tree, (_F2, _F1, _I2, _F1)),
    (linkage.chain_merges, (_F2, int64, _I2, _F1)),
    (linkage.edges_of_merges, (_I2, _I1, _I2)),
    (trees.cut, (_I2, _I1, _I2)),
    (trees.cut_large, (_I2, _I1, int64, _I2)),
    (trees.flood, (_I2, _I1, _I1)),
    (trees.genie, (_I2, float64, _I2)),
    (centres.kmeans, (_F2, _I1, _F2, int64, _I1)),
    (mixtures.mixture, (_F2, _I1, int64, int64, _F1, int64, float64, _I1)),
    (density.merge_nodes, (_I2, _I2, _I1)),
    (density.hdbscan, (_I2, _F1, _I1, int64, _I1, _I1)),
    (density.dbscan, (_I2, _F1, _F1, float64, _I2, _F2, _I1)),
    (graphs.mutual_components, (_I2, int64, _I1)),
    (graphs.shared_neighbours, (_I2, int64, _F2)),
    (graphs.merge_pieces, (_F2, _F2, _I2)),
    (graphs.communities, (_I1, _I1, _F1, float64, _I1, _I1)),
    (partitions.canonical_rows, (_I2, _I1, _I2, _I1)),
    (partitions.leaders, (_I2, float64, _I1)),
    (partitions.fill_membership, (_I2, _S2)),
    (dip.dip, (_F1,)),
    (distinct.collect_clusters, (_I2, _I1, _I1)),
    (clusters.sum_rows, (_S2, _I1, _I1, _S2)),
    (distances.minimax, (_I2, _F1, _S2)),
    (clusters.nearest_member, (_S2, _I1, _I1, _S2)),
    (clusters.inner_edges, (_S2, _I1, _I1, _F2)),
    (clusters.shapes, (_F2, _F1, _I1, _I1, _F1, _F2, _F3, _F2)),
    (
        evidence.measure,
        (
            *(_F2, _F1, _I2, _F1, _I2, _I1, _I1, _I1, _I1),
            *(_S2, _S2, _S2, _S2, _F2, _F2, _F3, _F1, _F2, _F1, _F2, _F2),
        ),
    ),
    (halves.nearest_to_own_centre, (_F2, _I2, _F1)),
    (second.number_all_present, (_I2, _I2, _I1, _I1)),
    (second.fill_members, (_I1, _S2, _F1)),
    (second.compare_clusters, (_S2, _S2, _I2, _I1, _F1, _F1, _F1, _F1)),
    (partitions.rand_between, (_I2, _I2, boolean, _F2)),
    (partitions.sizes_of, (_I2, _I1, _I1)),
    (judging.sum_leaves, (*_FOREST, _S2, _F1)),
    (judging.credit_features, (*_FOREST, _S2, _F2)),
    (known_rows.nearest_known, (_S2, _F1, _BY_COLUMN, _BY_COLUMN, _I1, _F1)),
)


def compile_part(part: int, n_parts: int) -> None:
    """Compile every `n_parts`-th function, from the last to the first."""
    with seldom_collected():
        for kernel, types in SIGNATURES[::-1][part::n_parts]:
            kernel.compile(types)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Search for garbage seldom while the block runs."""
    usual = gc.get_threshold()
    gc.set_threshold(SELDOM, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def is_compiled() -> bool:
    """Return whether the function that takes longest is on disk, or needs no compiling."""
    stats = getattr(evidence.measure, "stats", None)
    if stats is None or stats.cache_path is None:  # numba is switched off, or keeps nothing
        return True
    return any(Path(stats.cache_path).glob("evidence.measure-*.nbi"))


@contextmanager
def compiled_beside() -> Iterator[None]:
    """Let other processes compile while the block runs, where nothing is compiled yet."""
    if is_compiled():
        yield
        return
    n_parts = min(joblib.cpu_count() - 1, MOST_PROCESSES)
    parts = [(str(part), str(n_parts)) for part in range(n_parts)]
    with seldom_collected(), modules_beside("weft.auto.compiling", parts):
        yield


if __name__ == "__main__":
    compile_part(int(sys.argv[1]), int(sys.argv[2]))
