"""Working memory that is allocated once and used again for every particle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

AnyFloats = NDArray[Any]  # float32 or float64


class Buffers:
    """Working memory of one thread, allocated once and used for every particle."""

    def __init__(self, *, hold_matrix: bool, dtype: Any = np.float64) -> None:
        self.hold_matrix = hold_matrix
        self.dtype = np.dtype(dtype)
        # How often complete linkage from near rows stopped early on this table; see its caller.
        self.n_failures = 0
        self._arrays: dict[tuple[str, tuple[int, ...]], AnyFloats] = {}

    def get(self, name: str, shape: tuple[int, ...], dtype: Any = None) -> AnyFloats:
        """Return the array of that name and shape; its old contents are kept."""
        key = (name, shape)
        if key not in self._arrays:
            self._arrays[key] = aligned(shape, self.dtype if dtype is None else dtype)
        return self._arrays[key]

    def part(self, name: str, shape: tuple[int, ...], most: int, dtype: Any = None) -> AnyFloats:
        """Return an array of that shape at the beginning of a buffer of `most` numbers."""
        return self.get(name, (most,), dtype)[: math.prod(shape)].reshape(shape)

    def put(self, name: str, array: AnyFloats) -> None:
        """Use the caller's array for that name and shape."""
        self._arrays[name, array.shape] = array


def aligned(shape: tuple[int, ...], dtype: Any) -> AnyFloats:
    """Return an empty array that starts on a cache line: vectors across two lines are slow."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    raw = np.empty(size + 64, dtype=np.uint8)
    skip = -raw.__array_interface__["data"][0] % 64
    return raw[skip : skip + size].view(dtype).reshape(shape)
