"""Vector code that LLVM does not generate itself: comparisons as masks, transposed squares.

numba does not vectorise a search that stops early, or a transposition. This module contains both,
written with LLVM's portable vectors (LLVM splits them to fit the registers of the machine), for
float32 and float64. Arrays are contiguous; positions count elements from the first one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as _numba_intrinsic

intrinsic: Any = _numba_intrinsic  # decorated functions lose their first parameter

# Numbers that are compared together: as many as a mask has bits.
PIECE = 64
# Rows and columns of a square that is transposed in registers.
SQUARE = 8


def element(kind: Any) -> ir.Type:
    return ir.FloatType() if kind.dtype == types.float32 else ir.DoubleType()


def pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any, width: int) -> Any:
    """Return the address of `width` numbers from position `at` on, as a vector's."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(
        builder.gep(data, [at]), ir.PointerType(ir.VectorType(element(kind), width))
    )


def load(builder: Any, address: Any, kind: Any) -> Any:
    """Return the vector at an address."""
    loaded = builder.load(address)
    loaded.align = kind.dtype.bitwidth // 8
    return loaded


def piece(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    """Return the PIECE numbers of an array from position `at` on."""
    return load(builder, pointer(context, builder, kind, array, at, PIECE), kind)


def repeat(builder: Any, value: Any, width: int) -> Any:
    """Return a vector with the same value in all entries."""
    vector = ir.VectorType(value.type, width)
    first = builder.insert_element(
        ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0)
    )
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), _places([0] * width))


def _places(numbers: Iterable[int]) -> Any:
    """Return which entries a shuffle takes."""
    chosen = list(numbers)
    return ir.Constant(ir.VectorType(ir.IntType(32), len(chosen)), chosen)


def as_mask(builder: Any, flags: Any) -> Any:
    """Return PIECE flags as the bits of an integer."""
    return builder.bitcast(flags, ir.IntType(PIECE))


@intrinsic
def below(context: Any, row: Any, at: Any, limit: Any) -> Any:
    """Return a mask: bit c is set where row[at + c] < limit, for PIECE numbers."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        values = piece(context, builder, row, given[0], given[1])
        limits = repeat(builder, given[2], PIECE)
        return as_mask(builder, builder.fcmp_ordered("<", values, limits))

    return types.int64(row, types.int64, row.dtype), build


@intrinsic
def sum_below(context: Any, row: Any, at: Any, shift: Any, limit: Any) -> Any:
    """Return a mask: bit c is set where row[at + c] + shift[at + c] < limit."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        values = piece(context, builder, row, given[0], given[1])
        shifts = piece(context, builder, shift, given[2], given[1])
        limits = repeat(builder, given[3], PIECE)
        return as_mask(builder, builder.fcmp_ordered("<", builder.fadd(values, shifts), limits))

    return types.int64(row, types.int64, shift, row.dtype), build


def reduced(builder: Any, values: Any, operator: str) -> Any:
    """Return the smallest or largest of PIECE numbers; none is NaN."""
    width = PIECE
    while width > 1:
        width //= 2
        halves = [
            builder.shuffle_vector(values, values, _places(range(first, first + width)))
            for first in (0, width)
        ]
        values = builder.select(builder.fcmp_ordered(operator, *halves), *halves)
    return builder.extract_element(values, ir.Constant(ir.IntType(32), 0))


@intrinsic
def largest(context: Any, row: Any, at: Any) -> Any:
    """Return the largest of PIECE numbers from position `at` on; none is a NaN."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return reduced(builder, piece(context, builder, row, given[0], given[1]), ">")

    return row.dtype(row, types.int64), build


@intrinsic
def least_sum(context: Any, row: Any, at: Any, shift: Any) -> Any:
    """Return the smallest row[at + c] + shift[at + c] of PIECE sums; none is a NaN."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        values = piece(context, builder, row, given[0], given[1])
        shifts = piece(context, builder, shift, given[2], given[1])
        return reduced(builder, builder.fadd(values, shifts), "<")

    return row.dtype(row, types.int64, shift), build


@intrinsic
def sum_above(context: Any, row: Any, at: Any, shift: Any, first: Any, cut: Any, limit: Any) -> Any:
    """Return a mask of where x < cut and x + shift[first + c] > limit; x is row[at + c]."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        values = piece(context, builder, row, given[0], given[1])
        shifts = piece(context, builder, shift, given[2], given[3])
        low = builder.fcmp_ordered("<", values, repeat(builder, given[4], PIECE))
        if row.dtype != shift.dtype:
            values = builder.fpext(values, ir.VectorType(element(shift), PIECE))
        sums = builder.fadd(values, shifts)
        high = builder.fcmp_ordered(">", sums, repeat(builder, given[5], PIECE))
        return as_mask(builder, builder.and_(low, high))

    whole = types.int64
    return whole(row, whole, shift, whole, row.dtype, shift.dtype), build


@intrinsic
def finish_piece(
    context: Any,
    tile: Any,
    at: Any,
    norms: Any,
    left: Any,
    here: Any,
    limit: Any,
    limits: Any,
    first: Any,
) -> Any:
    """Update PIECE products to squared distances: here + norms[left …] - 2 tile[at …].

    Return a mask of those below `limit`, the row's, or below limits[first …], the columns' own.
    """

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        target = pointer(context, builder, tile, given[0], given[1], PIECE)
        products = load(builder, target, tile)
        there = piece(context, builder, norms, given[2], given[3])
        columns = piece(context, builder, limits, given[6], given[7])
        values = builder.fadd(repeat(builder, given[4], PIECE), there)
        values = builder.fsub(values, builder.fadd(products, products))
        builder.store(values, target).align = tile.dtype.bitwidth // 8
        near = builder.fcmp_ordered("<", values, repeat(builder, given[5], PIECE))
        return as_mask(builder, builder.or_(near, builder.fcmp_ordered("<", values, columns)))

    number, whole = tile.dtype, types.int64
    return whole(tile, whole, norms, whole, number, number, limits, whole), build


@intrinsic
def add_piece(context: Any, total: Any, to: Any, row: Any, at: Any) -> Any:
    """Update PIECE numbers of `total`, from `to` on, by those of `row`, from `at` on."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        target = pointer(context, builder, total, given[0], given[1], PIECE)
        values = piece(context, builder, row, given[2], given[3])
        if total.dtype != row.dtype:
            values = builder.fpext(values, ir.VectorType(element(total), PIECE))
        values = builder.fadd(load(builder, target, total), values)
        builder.store(values, target).align = total.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(total, types.int64, row, types.int64), build


@intrinsic
def raise_piece(context: Any, target: Any, to: Any, row: Any, at: Any) -> Any:
    """Update PIECE numbers of `target`, from `to` on, to those of `row` that are larger."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        address = pointer(context, builder, target, given[0], given[1], PIECE)
        values = piece(context, builder, row, given[2], given[3])
        before = load(builder, address, target)
        values = builder.select(builder.fcmp_ordered(">", values, before), values, before)
        builder.store(values, address).align = target.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(target, types.int64, row, types.int64), build


@intrinsic
def count_piece(context: Any, counts: Any, to: Any, mask: Any) -> Any:
    """Update PIECE numbers of `counts` (int32), from `to` on, by the bits of `mask`."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        vector = ir.VectorType(ir.IntType(32), PIECE)
        data = context.make_array(counts)(context, builder, given[0]).data
        target = builder.bitcast(builder.gep(data, [given[1]]), ir.PointerType(vector))
        flags = builder.bitcast(given[2], ir.VectorType(ir.IntType(1), PIECE))
        before = builder.load(target)
        before.align = 4
        builder.store(builder.add(before, builder.zext(flags, vector)), target).align = 4
        return context.get_dummy_value()

    return types.void(counts, types.int64, types.int64), build


@intrinsic
def count_bits(context: Any, mask: Any) -> Any:
    """Return how many bits are set."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.int64(types.int64), build


@intrinsic
def lowest_bit(context: Any, mask: Any) -> Any:
    """Return the place of the lowest bit that is set; `mask` is not 0."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.cttz(given[0], cgutils.true_bit)

    return types.int64(types.int64), build


@intrinsic
def turn_square(
    context: Any, source: Any, at: Any, step: Any, target: Any, to: Any, stride: Any
) -> Any:
    """Fill SQUARE rows of `target`, `stride` apart, with as many columns of `source`.

    Source rows are `step` apart. Round s exchanges bit s of the row number with bit s of the column
    number; after all rounds the two numbers are exchanged.
    """

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        rows = []
        place = given[1]
        for _ in range(SQUARE):
            address = pointer(context, builder, source, given[0], place, SQUARE)
            rows.append(load(builder, address, source))
            place = builder.add(place, given[2])
        distance = 1
        while distance < SQUARE:
            places = range(SQUARE)
            upper = [p if not p & distance else SQUARE + p - distance for p in places]
            lower = [p + distance if not p & distance else SQUARE + p for p in places]
            for i in places:
                if not i & distance:
                    pair = rows[i], rows[i + distance]
                    for row, order in ((i, upper), (i + distance, lower)):
                        rows[row] = builder.shuffle_vector(*pair, _places(order))
            distance *= 2
        place = given[4]
        for row in rows:
            address = pointer(context, builder, target, given[3], place, SQUARE)
            builder.store(row, address).align = target.dtype.bitwidth // 8
            place = builder.add(place, given[5])
        return context.get_dummy_value()

    whole = types.int64
    return types.void(source, whole, whole, target, whole, whole), build
