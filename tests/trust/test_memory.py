"""Memory: asked for before it is taken, and what does not fit is said in a sentence."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from checks.memory import run_apart

from weft import FeatureSwarm, GeneticClustering, KernelSwarm, ProjectedSwarm
from weft._base import memory
from weft._base.memory import check_memory, check_swarm, machine_memory
from weft.methods.mercer.objectives import InputObjective

only_on_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits address space")


@only_on_linux
@pytest.mark.parametrize("name", ["KernelSubtractive", "WeightedKMeans"])
def test_a_process_without_room_fits_or_says_one_sentence(name):
    status, line = run_apart(name)
    assert status == 0, line
    assert line.startswith("refused: memory does not suffice" if "Kernel" in name else "fitted")


def test_the_sentence_of_the_guard():
    check_memory(10, "a matrix", "lower n", 10)
    with pytest.raises(ValueError, match=r"a matrix would take 3.0 GiB, but max_memory allows 1.0"):
        check_memory(3 * 2**30, "a matrix", "lower n", 2**30)
    assert 2**26 < machine_memory() < 2**63


@pytest.mark.parametrize(
    "model",
    [
        GeneticClustering(n_particles=10**6, n_generations=1),
        FeatureSwarm(n_particles=10**6, n_generations=1),
        KernelSwarm(n_particles=10**6, n_generations=1),
        ProjectedSwarm(3, n_particles=10**6, n_evaluations=10**6),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_swarm_that_does_not_fit_is_refused_before_it_is_drawn(model, monkeypatch):
    monkeypatch.setattr(memory, "machine_memory", lambda: 2**27)
    with pytest.raises(ValueError, match=r"n_particles=1000000 with .* lower n_particles"):
        model.fit(np.random.default_rng(0).normal(size=(40, 5)))


def test_a_small_swarm_fits(monkeypatch):
    monkeypatch.setattr(memory, "machine_memory", lambda: 2**20)
    check_swarm(100, 200)
    with pytest.raises(ValueError, match="n_particles=110 with 200 numbers each"):
        check_swarm(110, 200)


def test_distances_of_the_printed_kernel_swarm_are_made_in_blocks(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(30, 4))
    whole = InputObjective(rows, 3, gamma=0.7).distances
    monkeypatch.setattr("weft.methods.mercer.objectives._DIFFERENCES_AT_ONCE", 240)
    np.testing.assert_array_equal(InputObjective(rows, 3, gamma=0.7).distances, whole)
    # eq. 5 by hand for one pair: 2 (1 - exp(-γ |x - y|²))
    expected = 2.0 * (1.0 - np.exp(-0.7 * ((rows[0] - rows[5]) ** 2).sum()))
    assert whole[0, 5] == pytest.approx(expected, rel=1e-14)
