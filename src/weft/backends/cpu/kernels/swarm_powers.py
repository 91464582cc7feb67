"""Powered distances of several particles at once, in single precision.

|w (x - y)|^p = 2^(p log2 |x - y| + p log2 w). The logarithm takes more time than the power of 2,
and depends on the data only. So it is computed once for a pair of rows and a feature, for all
particles of the call. Each particle then needs one power of 2, and its sum over the features stays
in registers. The code uses LLVM's vectors, because numba would keep the sums in memory.

Each value is stored as two float32, high + low. Their differences are as exact as rounded
differences of float64. The result of a particle does not depend on the other particles of the call
or on the order of two rows.

A difference of 0 gives 0, and a result below 2^-126 is replaced by a value below 2^-126; `error_of`
bounds the error of all other results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic as _numba_intrinsic
from numpy.typing import NDArray

from weft.backends.cpu.kernels.distances import mirror
from weft.backends.cpu.kernels.vectors import load, pointer, repeat

intrinsic: Any = _numba_intrinsic  # decorated functions lose their first parameter

# Rows on the right that are processed together.
PIECE = 32

_FLOATS = ir.VectorType(ir.FloatType(), PIECE)
_WHOLES = ir.VectorType(ir.IntType(32), PIECE)

# log2(m) = s L(s²), s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)), as in `power`; 2^g = 1 + g
# E(g), |g| <= 1/2: exactly 1 at 0, so that what is clamped to 2^-127 becomes 0.
_LOG = (0.5957596069003722, 0.9615889466940781, 2.8853904219618327)
_EXP = (
    *(0.0013390863364671204, 0.009676031918322055, 0.05550357114219078),
    *(0.2402210748530834, 0.6931471880262288, 1.0),
)
_ROOT_HALF = 0x3F3504F3
_ROUND = 12582912.0  # 1.5 * 2**23: adding it rounds to an integer, kept in the low bits
_LOWEST, _HIGHEST = -127.0, 127.0


def _floats(value: float) -> ir.Constant:
    return ir.Constant(_FLOATS, [float(np.float32(value))] * PIECE)


def _wholes(value: int) -> ir.Constant:
    return ir.Constant(_WHOLES, [value] * PIECE)


def _fused(builder: Any, x: Any, y: Any, z: Any) -> Any:
    """Return x * y + z, rounded once."""
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_FLOATS, [_FLOATS] * 3), f"llvm.fma.v{PIECE}f32"
    )
    return builder.call(function, [x, y, z])


def _polynomial(builder: Any, x: Any, coefficients: tuple[float, ...]) -> Any:
    """Return a polynomial at x; the coefficient of the highest power comes first."""
    value = _floats(coefficients[0])
    for coefficient in coefficients[1:]:
        value = _fused(builder, value, x, _floats(coefficient))
    return value


def _log2(builder: Any, x: Any) -> Any:
    """Return log2 |x|; about -127 for 0."""
    bits = builder.and_(builder.bitcast(x, _WHOLES), _wholes(0x7FFFFFFF))
    above = builder.sub(bits, _wholes(_ROOT_HALF))
    whole = builder.sitofp(builder.ashr(above, _wholes(23)), _FLOATS)
    rest = builder.sub(bits, builder.and_(above, _wholes(-(2**23))))
    mantissa = builder.bitcast(rest, _FLOATS)
    s = builder.fdiv(builder.fsub(mantissa, _floats(1.0)), builder.fadd(mantissa, _floats(1.0)))
    return _fused(builder, s, _polynomial(builder, builder.fmul(s, s), _LOG), whole)


def _exp2(builder: Any, x: Any) -> Any:
    """Return 2^x, from 0 to 2^127."""
    low, high = _floats(_LOWEST), _floats(_HIGHEST)
    x = builder.select(builder.fcmp_ordered(">", x, low), x, low)
    x = builder.select(builder.fcmp_ordered("<", x, high), x, high)
    shifted = builder.fadd(x, _floats(_ROUND))
    rest = builder.fsub(x, builder.fsub(shifted, _floats(_ROUND)))
    power = builder.bitcast(_polynomial(builder, rest, _EXP), _WHOLES)
    whole = builder.shl(builder.bitcast(shifted, _WHOLES), _wholes(23))
    return builder.bitcast(builder.add(power, whole), _FLOATS)


def _number(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    return builder.load(builder.gep(context.make_array(kind)(context, builder, array).data, [at]))


def _whole(value: int) -> ir.Constant:
    return ir.Constant(ir.IntType(64), value)


@intrinsic
def _log_differences(context: Any, halves: Any, there: Any, here: Any, size: Any, logs: Any) -> Any:
    """Fill `logs` with log2 |x - y| of PIECE rows at `there` and one at `here`, `size` features."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        with cgutils.for_range(builder, given[3]) as loop:
            feature = builder.mul(loop.index, _whole(2 * PIECE))
            parts = []
            for part in (0, PIECE):
                offset = builder.add(feature, _whole(part))
                at = builder.add(given[1], offset)
                right = load(
                    builder, pointer(context, builder, halves, given[0], at, PIECE), halves
                )
                left = _number(context, builder, halves, given[0], builder.add(given[2], offset))
                parts.append(builder.fsub(right, repeat(builder, left, PIECE)))
            to = builder.mul(loop.index, _whole(PIECE))
            target = pointer(context, builder, logs, given[4], to, PIECE)
            builder.store(_log2(builder, builder.fadd(*parts)), target).align = 4
        return context.get_dummy_value()

    whole = types.int64
    return types.void(halves, whole, whole, whole, logs), build


@intrinsic
def _sum_powers(
    context: Any,
    logs: Any,
    kept: Any,
    exponents: Any,
    shifts: Any,
    first: Any,
    stop: Any,
    out: Any,
    to: Any,
) -> Any:
    """Fill PIECE numbers of `out`, from `to` on, with Σ_c 2^(p_c log_kept(c) + shift_c)."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        total = cgutils.alloca_once(builder, _FLOATS)
        builder.store(_floats(0.0), total)
        with cgutils.for_range(builder, given[5], start=given[4]) as loop:
            feature = _number(context, builder, kept, given[1], loop.index)
            at = builder.mul(feature, _whole(PIECE))
            log = load(builder, pointer(context, builder, logs, given[0], at, PIECE), logs)
            exponent, shift = (
                repeat(builder, _number(context, builder, kind, array, loop.index), PIECE)
                for kind, array in ((exponents, given[2]), (shifts, given[3]))
            )
            power = _exp2(builder, _fused(builder, exponent, log, shift))
            builder.store(builder.fadd(builder.load(total), power), total)
        target = pointer(context, builder, out, given[6], given[7], PIECE)
        builder.store(builder.load(total), target).align = 4
        return context.get_dummy_value()

    whole = types.int64
    return types.void(logs, kept, exponents, shifts, whole, whole, out, whole), build


class Terms(NamedTuple):
    """The terms of particles' sums, one particle after the other."""

    starts: NDArray[np.int64]  # (B + 1,): where each particle's terms begin, and where all end
    kept: NDArray[np.int64]  # (terms,): features
    exponents: NDArray[np.float32]  # (terms,)
    shifts: NDArray[np.float32]  # (terms,): exponent · log2(weight)

    @classmethod
    def of(cls, kept: NDArray[np.int64], weights: NDArray[Any], exponents: NDArray[Any]) -> Terms:
        """Return the terms of one particle; its weights are above 0."""
        starts = np.array([0, len(kept)])
        shifts = (exponents * np.log2(weights)).astype(np.float32)
        return cls(starts, kept, exponents.astype(np.float32), shifts)

    @classmethod
    def joined(cls, several: Sequence[Terms]) -> Terms:
        """Return the terms of several particles."""
        starts = np.cumsum([0, *(len(terms.kept) for terms in several)])
        columns = list(zip(*several, strict=True))[1:]
        return cls(starts, *(np.concatenate(column) for column in columns))


def error_of(terms: Terms, spread: NDArray[np.float64]) -> tuple[float, float]:
    """Return the error bound of one particle's sums: an absolute part, and a share of the sum.

    `spread` (terms,) is the largest weighted value of each feature. Terms are never negative, so
    there is no cancellation. The share contains, for each term, the rounding of its logarithm,
    shift and exponent (all below 126 + |shift| if the term matters) and the error of the
    polynomials, and then the rounding of the sum. The absolute part: a value is known to 2^-48 of
    the largest, a difference to twice that.
    """
    shift = float(np.abs(terms.shifts).max(initial=0.0))
    share = 2e-6 + 1.1e-7 * (126.0 + shift) + len(terms.kept) * 2.0**-24
    exponents = terms.exponents.astype(np.float64)
    absolute = 2.0**-47 * exponents @ (2.0 * spread) ** exponents + len(exponents) * 2.0**-126
    return float(absolute), share


def halves_of(columns: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return columns (d, n) as float32 pairs (pieces, d, 2, PIECE), high + low."""
    n_features, n_rows = columns.shape
    n_pieces = -(-n_rows // PIECE)
    high = np.zeros((n_features, n_pieces * PIECE), dtype=np.float32)
    low = np.zeros_like(high)
    high[:, :n_rows] = columns
    low[:, :n_rows] = columns - high[:, :n_rows]
    pairs = np.stack([high, low]).reshape(2, n_features, n_pieces, PIECE)
    return np.ascontiguousarray(pairs.transpose(2, 1, 0, 3))


@njit(nogil=True, cache=True, error_model="numpy")
def powered_rows(halves, start, starts, kept, exponents, shifts, out):
    """Fill `out` (B, b, n): each particle's distances of b rows, from `start` on, to all rows."""
    _, n_left, n_rows = out.shape
    logs = np.empty(halves.shape[1] * PIECE, np.float32)
    last = np.empty(PIECE, np.float32)
    for left in range(0, n_rows, PIECE):
        for r in range(n_left):
            _fill(halves, start + r, left, starts, kept, exponents, shifts, r, logs, last, out)


@njit(nogil=True, cache=True, error_model="numpy")
def powered_matrices(halves, starts, kept, exponents, shifts, out):
    """Fill `out` (B, n, n) with each particle's distances between all rows, each pair once."""
    n_particles, n_rows, _ = out.shape
    logs = np.empty(halves.shape[1] * PIECE, np.float32)
    last = np.empty(PIECE, np.float32)
    for left in range(0, n_rows, PIECE):
        for i in range(min(left + PIECE, n_rows)):
            _fill(halves, i, left, starts, kept, exponents, shifts, i, logs, last, out)
    for b in range(n_particles):
        mirror(out[b])


@njit(nogil=True, cache=True, error_model="numpy")
def _fill(halves, here, left, starts, kept, exponents, shifts, row, logs, last, out):
    """Fill out[:, row, left …] with distances of row `here`; `logs`, `last`: working memory."""
    n_features = halves.shape[1]
    size = n_features * 2 * PIECE
    flat = halves.reshape(-1)
    at = here // PIECE * size + here % PIECE
    _log_differences(flat, left // PIECE * size, at, n_features, logs)
    n_particles, n_left, n_rows = out.shape
    width = min(PIECE, n_rows - left)
    sums = out.reshape(-1)
    for b in range(n_particles):
        first, stop = starts[b], starts[b + 1]
        if width == PIECE:
            to = (b * n_left + row) * n_rows + left
            _sum_powers(logs, kept, exponents, shifts, first, stop, sums, to)
        else:
            _sum_powers(logs, kept, exponents, shifts, first, stop, last, 0)
            for c in range(width):
                out[b, row, left + c] = last[c]
