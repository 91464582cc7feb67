"""Messages of affinity propagation for a whole piece of a list, in LLVM's vectors.

Symbols are those of `weft.backends.cpu.kernels.affinity_lists`. Written as loops, these steps would
be slower: the checks that numba's vectoriser adds take longer than a whole piece.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from weft.backends.cpu.kernels.vectors import (
    PIECE,
    as_mask,
    element,
    intrinsic,
    piece,
    pointer,
    reduced,
    repeat,
)


def _doubles(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    """Return the PIECE numbers of an array from position `at` on, in float64."""
    values = piece(context, builder, kind, array, at)
    if kind.dtype == types.float64:
        return values
    return builder.fpext(values, ir.VectorType(ir.DoubleType(), PIECE))


def _store(context: Any, builder: Any, kind: Any, values: Any, array: Any, at: Any) -> None:
    target = pointer(context, builder, kind, array, at, PIECE)
    builder.store(values, target).align = kind.dtype.bitwidth // 8


@intrinsic
def shrink_piece(context: Any, numbers: Any, at: Any, factor: Any) -> Any:
    """Update PIECE numbers from position `at` on: multiply them by `factor`."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        values = piece(context, builder, numbers, given[0], given[1])
        values = builder.fmul(values, repeat(builder, given[2], PIECE))
        _store(context, builder, numbers, values, given[0], given[1])
        return context.get_dummy_value()

    return types.void(numbers, types.int64, numbers.dtype), build


@intrinsic
def values_of_piece(context: Any, B: Any, keys: Any, c: Any, s: Any, at: Any, out: Any) -> Any:
    """Fill `out` with A + S of the PIECE entries from position `at` on; return the largest."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        whole = ir.IntType(64)
        number = element(B)
        data = context.make_array(B)(context, builder, given[0]).data
        names = context.make_array(keys)(context, builder, given[1]).data
        values = ir.Constant(ir.VectorType(number, PIECE), ir.Undefined)
        for k in range(PIECE):
            key = builder.load(builder.gep(names, [builder.add(given[4], whole(k))]))
            there = builder.load(builder.gep(data, [builder.zext(key, whole)]))
            values = builder.insert_element(values, there, ir.Constant(ir.IntType(32), k))
        values = builder.fadd(values, piece(context, builder, c, given[2], given[4]))
        values = builder.fadd(values, _doubles(context, builder, s, given[3], given[4]))
        _store(context, builder, out, values, given[5], ir.Constant(whole, 0))
        return reduced(builder, values, ">")

    return types.float64(B, keys, c, s, types.int64, out), build


@intrinsic
def responsibilities_of_piece(
    context: Any, s: Any, e: Any, at: Any, now: Any, m: Any, out: Any
) -> Any:
    """Fill `out` with R of the PIECE entries from position `at` on; return where it is positive."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        values = _doubles(context, builder, s, given[0], given[2])
        values = builder.fmul(repeat(builder, given[3], PIECE), values)
        values = builder.fsub(values, repeat(builder, given[4], PIECE))
        values = builder.fadd(values, piece(context, builder, e, given[1], given[2]))
        _store(context, builder, out, values, given[5], ir.Constant(ir.IntType(64), 0))
        zero = ir.Constant(values.type, [0.0] * PIECE)
        return as_mask(builder, builder.fcmp_ordered(">", values, zero))

    whole = types.int64
    return whole(s, e, whole, types.float64, types.float64, out), build
