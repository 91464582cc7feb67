"""Kernel MEPSO to the letter: the repairs by hand, and the search as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from weft import KernelSwarm
from weft.datasets import make_shapes
from weft.methods.mercer import InputCenters
from weft.methods.mercer.printed import PrintedObjective, RepairedMEPSO
from weft.search.swarms.mepso import MEPSO

# Six rows on a line from 0 to 10: low 0, span 10.
ROWS = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])


class Draws:
    """Uniform numbers that are known beforehand."""

    def __init__(self, *values: float) -> None:
        self.values = np.array(values)

    def random(self, shape: tuple[int, int]) -> np.ndarray:
        return np.broadcast_to(self.values, shape)


def objective(max_clusters: int = 3) -> PrintedObjective:
    return PrintedObjective(ROWS, max_clusters, gamma=0.5)


def repaired(position: list[float], *draws: float) -> np.ndarray:
    return objective().repair(np.array([position]), Draws(*draws or (0.0,) * 4))[0]


def test_thresholds_are_clipped_and_centres_are_not():
    # "If due to mutation some threshold T in a particle exceeds 1 or becomes negative, it is fixed
    # to 1 or zero, respectively"; of centres nothing is said. Centres at 1, 9 and 13, the last
    # inactive: three rows each, so no repair of centres.
    found = repaired([1.7, 0.9, -0.2, 0.1, 0.9, 1.3])
    assert found.tolist() == [1.0, 0.9, 0.0, 0.1, 0.9, 1.3]


def test_two_random_thresholds_where_none_is_active():
    # "(all activation thresholds are smaller than 0.5), we randomly select 2 thresholds and
    # re-initialize them to a random value between 0.5 and 1.0". Draws 0.7 → threshold 2 of 3;
    # 0.9 → the second of the two others, threshold 1; values 1 - 0.4 / 2 and 1 - 0.2 / 2.
    found = repaired([0.1, 0.4, 0.2, 0.5, 0.1, 0.9], 0.7, 0.9, 0.4, 0.2)
    assert found[:3] == pytest.approx([0.1, 0.9, 0.8])


def test_one_active_centre_stays_alone_and_has_no_fitness():
    position = [0.1, 0.9, 0.2, 0.5, 0.1, 0.9]
    assert repaired(position).tolist() == position
    assert objective()(np.array([position])).fitness.tolist() == [0.0]


def test_centres_of_a_particle_with_a_small_cluster_become_averages():
    # "any cluster has fewer than 2 data points in it": the centre at 30 has none. n/k = 6/2 = 3:
    # the three rows nearest to 1 are 0, 1, 2, those nearest to 30 are 8, 9, 10. Means 1 and 9.
    found = repaired([0.9, 0.9, 0.0, 0.1, 3.0, 0.5])
    assert found.tolist() == pytest.approx([0.9, 0.9, 0.0, 0.1, 0.9, 0.5])


def test_equation_8_of_two_clusters():
    # Rows 0, 1, 2 and 8, 9, 10; distances 2(1 - exp(-|x-y|²/2)). The farthest mate is 2 away for
    # the outer rows and 1 for the middle one; the centres 1 and 9 are 8 apart.
    def apart(d):
        return 2.0 * (1.0 - np.exp(-0.5 * d**2))

    width = (apart(2) + apart(1) + apart(2)) / 3
    cs = 2 * width / (2 * apart(8))
    found = objective()(np.array([[0.9, 0.9, 0.0, 0.1, 0.9, 0.5]]))
    assert found.fitness[0] == pytest.approx(1.0 / (cs + 0.0002))
    assert found.details["n_clusters"].tolist() == [2]


def test_an_empty_cluster_divides_by_zero_and_has_no_fitness():
    found = objective()(np.array([[0.9, 0.9, 0.0, 0.1, 30.0, 0.5]]))
    assert found.fitness.tolist() == [0.0]


def test_repairs_stay_in_the_particle():
    of = objective()
    swarm = RepairedMEPSO.of(MEPSO(), of)
    start = np.array([[0.9, 0.9, 0.0, 0.1, 3.0, 0.5]])
    state = swarm.start(start, np.random.default_rng(0))
    assert state.positions[0, 4] == pytest.approx(0.9)
    assert start[0, 4] == 3.0  # a swarm leaves what it was given as it was
    state = swarm.tell(state, of(state.positions).fitness)
    moved = swarm.ask(state, np.random.default_rng(1))
    assert ((moved.positions[:, :3] >= 0.0) & (moved.positions[:, :3] <= 1.0)).all()


def test_the_two_readings_differ_and_both_are_repeatable():
    X = make_shapes("rectangles", n_samples=100, random_state=0).data
    settings = {"kernel": "rbf", "sigma": 1.1, "n_generations": 20}
    found = {
        repairs: [
            KernelSwarm(**settings, centers=InputCenters(repairs), n_jobs=jobs, random_state=0).fit(
                X
            )
            for jobs in (1, 2)
        ]
        for repairs in ("decoded", "printed")
    }
    for one, other in found.values():
        assert one.fitness_ == other.fitness_
        assert (one.labels_ == other.labels_).all()
        assert (one.predict(X) == one.labels_).all()
    assert found["decoded"][0].fitness_ != found["printed"][0].fitness_


def test_unknown_repairs_are_refused():
    with pytest.raises(ValueError, match="repairs='none'"):
        InputCenters(repairs="none")
