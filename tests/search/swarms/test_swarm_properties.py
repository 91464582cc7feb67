"""Whatever the seed: swarms that never lose their best, stay in their box and decode any number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft.backends.cpu.kernels import moves as cpu_moves
from weft.backends.reference import moves as ref_moves
from weft.search.optimize import optimize
from weft.search.particles import SelectionParticle, WeightExponentParticle, WeightParticle
from weft.search.swarms import SWARMS as REGISTRY
from weft.search.swarms.base import Evaluation
from weft.search.swarms.clpso import CLPSO
from weft.search.swarms.ga import GA
from weft.search.swarms.mepso import MEPSO

QUICK = settings(max_examples=60, deadline=None)


SWARMS = {
    **{name: kind() for name, kind in REGISTRY.items()},
    "clpso": CLPSO(12),
    "clpso repair": CLPSO(12, bounds="repair"),
    "clpso neglect": CLPSO(12, bounds="neglect"),
    "mepso": MEPSO(n_generations=12),
    "mepso plain": MEPSO(n_generations=12, elitist=False),
    "ga": GA(3, 1),
}


@pytest.mark.parametrize("name", SWARMS)
@given(
    seed=st.integers(0, 2**32 - 1),
    worths=st.lists(
        st.sampled_from([-math.inf, 0.0, 1.0, 1.0, 2.0, 1e300, 5e-324]), min_size=1, max_size=9
    ),
)
@settings(max_examples=25, deadline=None)
def test_the_best_never_worsens_and_is_what_was_seen(name, seed, worths):
    """Whatever the fitness: ties, infinities, values that repeat."""
    rng = np.random.default_rng(seed)
    seen: list[tuple[float, np.ndarray]] = []
    bests: list[float] = []

    def objective(positions):
        fitness = np.array([worths[int(rng.integers(len(worths)))] for _ in positions])
        seen.extend(zip(fitness.tolist(), positions.copy(), strict=True))
        return Evaluation(fitness)

    def watch(generation):
        bests.append(generation.best_fitness)
        assert np.isfinite(generation.positions).all()

    best = optimize(
        objective,
        SWARMS[name],
        rng.uniform(0.0, 1.0, (5, 6)),
        n_generations=12,
        rng=rng,
        callbacks=[watch],
    )
    assert bests == sorted(bests)
    assert best.fitness == max(fitness for fitness, _ in seen)
    if np.isfinite(best.fitness):
        assert any(f == best.fitness and (p == best.position).all() for f, p in seen)


@pytest.mark.parametrize("name", ["clpso", "clpso repair", "mepso"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_swarms_in_a_box_stay_in_it(name, seed):
    rng = np.random.default_rng(seed)
    optimize(
        lambda positions: Evaluation(positions.sum(axis=1)),  # pulls to a corner
        SWARMS[name],
        rng.uniform(0.0, 1.0, (4, 3)),
        n_generations=12,
        rng=rng,
        callbacks=[lambda g: not ((g.positions >= 0.0) & (g.positions <= 1.0)).all() and 1 / 0],
    )


@given(
    arrays(float, (3, 4), elements=st.floats(-1e3, 1e3)),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-9, 1.0, 6.0]),
)
@QUICK
def test_moves_are_those_of_the_readable_kernel_and_clamped(positions, seed, clamp):
    rng = np.random.default_rng(seed)
    velocities, own = rng.normal(size=(2, 3, 4))
    arguments = (
        positions,
        velocities,
        own,
        own[0],
        rng.random((2, 3, 4)),
        np.array([0.7, 1.5, 1.5]),
    )
    one = cpu_moves.move_particles(*arguments, clamp)
    two = ref_moves.move_particles(*arguments, clamp)
    for found, expected in zip(one, two, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    assert (np.abs(one[1]) <= clamp).all()


anything = st.floats(allow_nan=False, width=64)


@given(arrays(float, 6, elements=anything))
@QUICK
def test_decoding_stays_within_bounds_for_any_number(position):
    for particle in (WeightParticle(6), WeightExponentParticle(3), SelectionParticle(6)):
        with np.errstate(over="ignore"):
            solution = particle.decode(position)
        assert (solution.weights >= 0.0).all()
        if solution.exponents is not None:
            assert ((solution.exponents >= 1.0) & (solution.exponents <= 3.0)).all()
