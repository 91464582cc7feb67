"""The tables of the scale bench: rows in blocks, and groups with columns of noise."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

N_GROUPS, N_TRUE, N_NOISE = 5, 10, 10
BLOCK_ROWS = 250_000


def block(number: int, n_rows: int) -> np.ndarray:
    """Some rows of five groups in ten columns, with ten noise columns, of about unit variance."""
    rng = np.random.default_rng([7, number])
    centers = np.random.default_rng(7).uniform(-3, 3, size=(N_GROUPS, N_TRUE))
    rows = rng.standard_normal((n_rows, N_TRUE + N_NOISE), dtype=np.float32)
    rows[:, :N_TRUE] += centers[rng.integers(N_GROUPS, size=n_rows)].astype(np.float32)
    rows[:, :N_TRUE] /= 2.0
    return rows


def table(n_rows: int) -> da.Array:
    """The whole table, made block by block on request."""
    sizes = [BLOCK_ROWS] * (n_rows // BLOCK_ROWS)
    chunks = (tuple(sizes), (N_TRUE + N_NOISE,))

    def make(block_info: Any = None) -> np.ndarray:
        return block(block_info[None]["chunk-location"][0], BLOCK_ROWS)

    return da.map_blocks(make, chunks=chunks, dtype=np.float32, meta=np.empty((0, 0), np.float32))


def swarm_rows(n_rows: int, seed: int = 11, reach: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    """Six groups in 25 columns, with 25 columns of noise, all of about unit variance.

    The groups' centres are uniform in [-reach, reach], and rows have variance 1 around them, before
    all columns are scaled to unit variance. In scikit-learn's `make_blobs` the reach is 10.
    """
    rng = np.random.default_rng(seed)
    centers = np.random.default_rng(5).uniform(-reach, reach, size=(6, 25))
    deviation = np.float32(np.sqrt(reach**2 / 3.0 + 1.0))
    truth = rng.integers(6, size=n_rows)
    rows = rng.standard_normal((n_rows, 50), dtype=np.float32)
    rows[:, :25] = (rows[:, :25] + centers[truth].astype(np.float32)) / deviation
    return rows, truth
