"""A sample drawn as the papers say, written out row by row."""

from __future__ import annotations

import math

import dask
import numpy as np
import pytest

from weft.kmeans.blocks import Blocks
from weft.kmeans.sampling import draw_sample


def by_definition(parts, center, active, p, seed, size, by_distance):
    """Rows with the least e / q, their masses over the probability to be in; in table order."""
    total = sum(sum(mass) for _, mass in parts)
    away = [
        [
            m * sum(abs(x - c) ** p for x, c, a in zip(row, center, active, strict=True) if a)
            for row, m in zip(rows, mass, strict=True)
        ]
        for rows, mass in parts
    ]
    reach = sum(map(sum, away))
    drawn = []
    for number, (rows, mass) in enumerate(parts):
        used = [i for i, m in enumerate(mass) if m > 0]
        e = np.random.default_rng([seed, number]).exponential(size=len(used))
        for place, i in enumerate(used):
            q = 0.5 * mass[i] / total
            if by_distance and reach > 0:
                q += 0.5 * away[number][i] / reach
            drawn.append((e[place] / q, q, mass[i], number, place, tuple(rows[i])))
    drawn.sort()
    if len(drawn) <= size:
        kept = [(one[3:5], one[5], one[2]) for one in drawn]
    else:
        bound = drawn[size][0]
        kept = [
            (one[3:5], one[5], one[2] / (1.0 - math.exp(-one[1] * bound))) for one in drawn[:size]
        ]
    kept.sort()
    return [row for _, row, _ in kept], [mass for *_, mass in kept]


@pytest.mark.parametrize("size", [1, 5, 11, 12, 30])
@pytest.mark.parametrize("p", [1.5, 2.0])
@pytest.mark.parametrize("by_distance", [True, False])
@pytest.mark.parametrize(("same", "scale"), [(False, 1.0), (False, 1e-3), (True, 1.0)])
def test_a_sample_by_its_definition(size, p, by_distance, same, scale):
    rng = np.random.default_rng(3)
    X = scale * rng.normal(size=(13, 2))
    if same:
        X[:] = 1.0  # no distance at all: drawn by mass alone
    mass = rng.uniform(0.5, 3.0, 13)
    mass[4] = 0.0
    cuts = [slice(0, 5), slice(5, 6), slice(6, 13)]
    parts = [(X[cut], mass[cut]) for cut in cuts]
    center, active = np.ones(2) if same else X.mean(axis=0), np.array([True, False])
    blocks = Blocks([rows for rows, _ in parts], [own for _, own in parts], 2)
    with dask.config.set(scheduler="synchronous"):
        found = draw_sample(
            blocks,
            center,
            active,
            exponent=p,
            total_mass=float(mass.sum()),
            seed=9,
            size=size,
            by_distance=by_distance,
        )
    rows, masses = by_definition(parts, center, active, p, 9, size, by_distance)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_allclose(found.mass, masses, rtol=1e-9)
    assert found.rows.flags.c_contiguous
    assert len(found.rows) == min(size, 12)
