"""Products of two tiles of rows, in registers.

`np.dot` copies its factors into another layout before it multiplies, which for a tile takes longer
than the product. Tiles already have the best layout (see `weft.backends.cpu.kernels.products`), so
here a block of the product stays in registers while all features are added to it.

float32 sums depend on the order of their terms. To keep the bits of earlier labels and scores, the
order is that of OpenBLAS on processors with AVX2: one feature after the other, each with a fused
multiplication and addition. In some places (`EDGE` columns at both ends of every other six rows,
and the last four rows) features with even and with odd numbers are added apart, up to the last
multiple of `UNROLLED` features. The order is the same on all processors, so results do not depend
on the BLAS library.

`np.dot` is used for float64, for more than `MOST` features, and on processors without fused
operations.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features, get_process_triple
from numba import njit, types
from numba.core import cgutils
from numba.extending import overload

from weft.backends.cpu.kernels.vectors import PIECE, intrinsic, load, pointer, repeat

MOST = 320
EDGE = 8
UNROLLED = 8
_GROUP = 6  # rows that are computed together
_LAST = PIECE - PIECE % _GROUP  # first of the last four rows
_INTEGER = ir.IntType(64)


def _has(feature: str) -> bool:
    """Return whether compiled code may use this feature of the processor."""
    return not _OTHER and bool(get_host_cpu_features().get(feature, False))


# Whether numba was told to compile for another processor.
_OTHER = bool(os.environ.get("NUMBA_CPU_NAME") or os.environ.get("NUMBA_CPU_FEATURES"))
FUSED = _has("fma") or (not _OTHER and get_process_triple().startswith("aarch64"))
# Columns of a block: as many as registers hold, with six rows of sums.
WIDTH = PIECE if _has("avx512f") else 2 * EDGE


def _block(n_rows: int, width: int, *, apart: bool) -> Any:
    """Return a function that computes `n_rows` × `width` numbers of a product of tiles."""

    @intrinsic
    def block(context: Any, z: Any, a: Any, b: Any, m: Any, out: Any, at: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            vector = ir.VectorType(ir.FloatType(), width)
            fused = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{width}f32"
            )
            zero = ir.Constant(vector, [0.0] * width)
            sums = [
                [cgutils.alloca_once_value(builder, zero) for _ in range(n_rows)]
                for _ in range(1 + apart)
            ]
            data = context.make_array(z)(context, builder, given[0]).data

            def add(feature: Any, own: list[Any]) -> None:
                step = builder.mul(feature, _INTEGER(PIECE))
                place = builder.add(given[2], step)
                there = load(builder, pointer(context, builder, z, given[0], place, width), z)
                first = builder.add(given[1], step)
                for r, total in enumerate(own):
                    here = builder.load(builder.gep(data, [builder.add(first, _INTEGER(r))]))
                    terms = [repeat(builder, here, width), there, builder.load(total)]
                    builder.store(builder.call(fused, terms), total)

            done = _INTEGER(0)
            if apart:
                pairs = builder.mul(
                    builder.sdiv(given[3], _INTEGER(UNROLLED)), _INTEGER(UNROLLED // 2)
                )
                with cgutils.for_range(builder, pairs) as loop:
                    even = builder.add(loop.index, loop.index)
                    add(even, sums[0])
                    add(builder.add(even, _INTEGER(1)), sums[1])
                done = builder.add(pairs, pairs)
            with cgutils.for_range(builder, builder.sub(given[3], done)) as loop:
                add(builder.add(done, loop.index), sums[0])
            for r in range(n_rows):
                place = builder.add(given[5], _INTEGER(r * PIECE))
                value = builder.load(sums[0][r])
                if apart:
                    value = builder.fadd(value, builder.load(sums[1][r]))
                target = pointer(context, builder, out, given[4], place, width)
                builder.store(value, target).align = 4
            return context.get_dummy_value()

        whole = types.int64
        return types.void(z, whole, whole, whole, out, whole), build

    return block


_rows = _block(_GROUP, WIDTH, apart=False)
_edge = _block(_GROUP, EDGE, apart=True)
_last_rows = _block(2, WIDTH, apart=True)


@njit(nogil=True, cache=True, error_model="numpy")
def _in_registers(Z, top, left, out):
    """Fill `out`, a flat tile, with the products of two tiles of rows in float32."""
    n_features = Z.shape[1]
    flat = Z.reshape(Z.size)
    a, b = top * n_features * PIECE, left * n_features * PIECE
    for c in range(0, PIECE, WIDTH):
        for r in range(0, _LAST, _GROUP):
            _rows(flat, a + r, b + c, n_features, out, r * PIECE + c)
        for r in range(_LAST, PIECE, 2):
            _last_rows(flat, a + r, b + c, n_features, out, r * PIECE + c)
    for c in (0, PIECE - EDGE):
        for r in range(0, _LAST, 2 * _GROUP):
            _edge(flat, a + r, b + c, n_features, out, r * PIECE + c)


def _multiply(Z, top, left, out):
    raise NotImplementedError


@overload(_multiply)
def _multiply_compiled(Z, top, left, out):
    if FUSED and Z.dtype == types.float32:

        def multiply(Z, top, left, out):
            if Z.shape[1] <= MOST:
                _in_registers(Z, top, left, out)
            else:
                np.dot(Z[top].T, Z[left], out.reshape((PIECE, PIECE)))

    else:

        def multiply(Z, top, left, out):
            np.dot(Z[top].T, Z[left], out.reshape((PIECE, PIECE)))

    return multiply


@njit(nogil=True, cache=True, error_model="numpy")
def tile_products(Z, top, left, out):
    """Fill `out`, a flat tile, with the products of two tiles of rows, of `Z` (T, m, TILE)."""
    _multiply(Z, top, left, out)
