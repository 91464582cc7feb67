"""Powered distances of several particles at once, in single precision.

|w (x - y)|^p = 2^(p log2 |x - y| + p log2 w), and the logarithm, the dearer half, belongs to the
data and to no particle. So it is taken once for a pair of rows and a feature, for all particles at
hand; each of them then needs one power of 2, and its sum over the features stays in registers.
Written in LLVM's own vectors: numba would keep the sums in memory.

Values come as two float32 each, high + low, whose differences are as good as those of doubles
rounded. What a particle gets does not depend on who comes with it, nor on the order of two rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic as _numba_intrinsic
from numpy.typing import NDArray

from weft.kernels.cpu.vectors import load, pointer, repeat

intrinsic: Any = _numba_intrinsic  # what it decorates loses its first parameter

# Rows on the right that are taken together.
PIECE = 32
_PAIR = 2 * PIECE

_FLOATS = ir.VectorType(ir.FloatType(), PIECE)
_WHOLES = ir.VectorType(ir.IntType(32), PIECE)

# log2(m) = s L(s²), s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)), as in `power`; 2^g = 1 + g
# E(g), |g| <= 1/2: exactly 1 at 0, so that what is clamped to 2^-127 becomes 0.
_LOG = (0.5957596069003722, 0.9615889466940781, 2.8853904219618327)
_EXP = (0.0013390863364671204, 0.009676031918322055, 0.05550357114219078, 0.2402210748530834)
_EXP = (*_EXP, 0.6931471880262288, 1.0)
_ROOT_HALF = 0x3F3504F3
_ROUND = 12582912.0  # 1.5 * 2**23: adding it rounds to an integer, kept in the low bits
_LOWEST, _HIGHEST = -127.0, 127.0


def _floats(value: float) -> ir.Constant:
    return ir.Constant(_FLOATS, [float(np.float32(value))] * PIECE)


def _wholes(value: int) -> ir.Constant:
    return ir.Constant(_WHOLES, [value] * PIECE)


def _polynomial(builder: Any, x: Any, coefficients: tuple[float, ...]) -> Any:
    """Return the polynomial at x, highest power first; each step is rounded once."""
    fused = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_FLOATS, [_FLOATS] * 3), f"llvm.fma.v{PIECE}f32"
    )
    value = _floats(coefficients[0])
    for coefficient in coefficients[1:]:
        value = builder.call(fused, [value, x, _floats(coefficient)])
    return value


def _fused(builder: Any, x: Any, y: Any, z: Any) -> Any:
    fused = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_FLOATS, [_FLOATS] * 3), f"llvm.fma.v{PIECE}f32"
    )
    return builder.call(fused, [x, y, z])


def _log2(builder: Any, x: Any) -> Any:
    """Return log2 |x|; of 0 some -127."""
    bits = builder.and_(builder.bitcast(x, _WHOLES), _wholes(0x7FFFFFFF))
    above = builder.sub(bits, _wholes(_ROOT_HALF))
    whole = builder.sitofp(builder.ashr(above, _wholes(23)), _FLOATS)
    rest = builder.sub(bits, builder.and_(above, _wholes(-(2**23))))
    mantissa = builder.bitcast(rest, _FLOATS)
    s = builder.fdiv(
        builder.fsub(mantissa, _floats(1.0)), builder.fadd(mantissa, _floats(1.0))
    )
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


@intrinsic
def log_differences(context: Any, halves: Any, there: Any, here: Any, size: Any, logs: Any) -> Any:
    """Fill `logs` with log2 |x - y|: PIECE rows from `there` on, the row `here`, `size` features."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        def step(position: Any, count: int) -> Any:
            return builder.add(position, ir.Constant(ir.IntType(64), count))

        with cgutils.for_range(builder, given[3]) as loop:
            offset = builder.mul(loop.index, ir.Constant(ir.IntType(64), _PAIR))
            parts = []
            for part in (0, PIECE):
                at = step(builder.add(given[1], offset), part)
                right = load(builder, pointer(context, builder, halves, given[0], at, PIECE), halves)
                at = step(builder.add(given[2], offset), part)
                left = _number(context, builder, halves, given[0], at)
                parts.append(builder.fsub(right, repeat(builder, left, PIECE)))
            target = pointer(
                context,
                builder,
                logs,
                given[4],
                builder.mul(loop.index, ir.Constant(ir.IntType(64), PIECE)),
                PIECE,
            )
            builder.store(_log2(builder, builder.fadd(*parts)), target).align = 4
        return context.get_dummy_value()

    whole = types.int64
    return types.void(halves, whole, whole, whole, logs), build


@intrinsic
def sum_powers(
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
    """Fill PIECE numbers of `out`, from `to` on, with Σ_c 2^(exponents_c logs_kept(c) + shifts_c)."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        total = cgutils.alloca_once(builder, _FLOATS)
        builder.store(_floats(0.0), total)
        with cgutils.for_range(builder, given[5], start=given[4]) as loop:
            feature = _number(context, builder, kept, given[1], loop.index)
            at = builder.mul(feature, ir.Constant(ir.IntType(64), PIECE))
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
