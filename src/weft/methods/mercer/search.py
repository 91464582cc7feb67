"""The search for centres with a Mercer kernel, as a pure function, and the widths it tries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft._base.labels import number_by_first_row, order_by_first_row
from weft._base.memory import check_swarm
from weft.backends import CPU, Backend
from weft.methods.mercer.objectives import CenterObjective, InputObjective, SpaceObjective
from weft.methods.mercer.printed import PrintedObjective, RepairedMEPSO
from weft.methods.mercer.settings import FeatureCenters, InputCenters, Kernel
from weft.methods.mercer.spaces import FeatureSpace, KernelSpace, Walk, gamma_of, own_width
from weft.search.swarms.mepso import MEPSO

# Widths that sigma="stability" tries: in multiples of the median distance for the Gaussian
# kernel, in local steps for the diffusion kernel (4 … 65,536 steps of the walk).
GAUSSIAN_WIDTHS = tuple(2.0 ** (power / 2) for power in range(-7, 3))
DIFFUSION_WIDTHS = tuple(2.0**power for power in range(1, 9))
# Partitions at neighbouring widths count as the same if they agree at least this much.
SAME = 0.9
# A run of widths is dropped if its best fitness is below this share of the best of all: many narrow
# widths may agree on the same split of one long cluster.
CONTENDER = 0.02
POLISH_STEPS = 100
SAME_FITNESS = 1e-6  # relative difference below which two fitness values are equal


class WidthResult(NamedTuple):
    """The best partition that was found at one width."""

    sigma: float
    labels: Integers
    fitness: float


def candidate_widths(
    rows: Floats, kernel: Kernel, sigma: float | str, walk: Walk | None, backend: Backend = CPU
) -> tuple[float, ...]:
    """Return the widths to search at: one for a kernel without a width or with one of its own."""
    if kernel.name not in ("diffusion", "rbf"):
        return (1.0,)
    own = own_width(kernel, rows.shape[1])
    if own is not None:
        return (own,)
    if not isinstance(sigma, str):
        return (float(sigma),)
    if walk is not None:
        return DIFFUSION_WIDTHS if sigma == "stability" else (walk.median_width(),)
    middle = backend.mercer.median_distance(rows, backend.device)
    factors = GAUSSIAN_WIDTHS if sigma == "stability" else (1.0,)
    return tuple(middle * factor for factor in factors)


def most_stable(results: Sequence[WidthResult]) -> int:
    """Return the index of the chosen partition; partitions are in the order of widths.

    A run is a sequence of widths whose partitions agree with their neighbours. Runs whose best
    partition is much less fit than the fittest of all are dropped. The longest of the others wins,
    on a tie the one with the fittest partition. The fittest partition of that run is chosen.
    """
    runs: list[list[int]] = [[0]]
    for place in range(1, len(results)):
        agreement = adjusted_rand_score(results[place - 1].labels, results[place].labels)
        if agreement >= SAME and results[place].fitness > 0.0:
            runs[-1].append(place)
        else:
            runs.append([place])

    def peak(run: list[int]) -> float:
        return max(results[place].fitness for place in run)

    bar = CONTENDER * max(each.fitness for each in results)
    runs = [run for run in runs if peak(run) >= bar]
    longest = max(runs, key=lambda run: (len(run), peak(run)))
    # Equal partitions have the same fitness except for rounding, which must not decide: the
    # smallest of these widths is taken.
    best = peak(longest)
    return next(at for at in longest if results[at].fitness >= best - SAME_FITNESS * abs(best))


def polish(gram: Floats, labels: Integers, least: int) -> Integers:
    """Return `labels` after kernel k-means from them; no cluster falls below `least` rows."""
    n_clusters = int(labels.max()) + 1
    return CPU.mercer.settle_labels(gram, labels, n_clusters, POLISH_STEPS, least)[0]


@dataclass(frozen=True)
class CenterSearch:
    """The parts of a search: space, swarm, backend."""

    kernel: Kernel
    sigma: float | str  # a width, "median" or "stability"
    max_clusters: int
    swarm: MEPSO
    n_particles: int
    centers: FeatureCenters | InputCenters = field(default_factory=FeatureCenters)
    backend: Backend = CPU
    n_threads: int = 1

    @property
    def where(self) -> dict[str, Any]:
        """Options of an objective: threads and backend."""
        return {"backend": self.backend, "n_threads": self.n_threads}

    def space(self, rows: Floats, walk: Walk | None, sigma: float) -> FeatureSpace:
        """Return the feature space at one width."""
        if walk is not None:
            return walk.space(sigma)
        params = dict(self.kernel.params)
        if self.kernel.name == "rbf":
            params = {"gamma": gamma_of(sigma), **params}
        return KernelSpace.of(rows, self.kernel.name, params, self.max_clusters)

    def run(
        self, objective: CenterObjective, seed: int, sigma: float, n_before: int, move: Any
    ) -> Any:
        """Search at one width."""
        swarm: Any = self.swarm
        if isinstance(objective, PrintedObjective):
            swarm = RepairedMEPSO.of(self.swarm, objective)
        # The same random numbers at every width, so that partitions differ only by the width.
        rng = np.random.default_rng(seed)
        check_swarm(self.n_particles, self.max_clusters * (1 + objective.rows.shape[1]))
        start = objective.initial(rng, self.n_particles)
        title = f"width {sigma:.3g}"
        return move(objective, swarm, start, rng, title=title, n_evaluations_before=n_before)


class CenterSolution(NamedTuple):
    """The clusters, and the reference by which new rows are labelled."""

    labels: Integers  # (n,), numbered by first row; all 0 if no particle splits the rows
    sigma: float
    reference: Any  # centres (K, d) among the rows, or a feature space
    best: Any  # result of `move` for the chosen width
    n_evaluations: int  # at all widths together


def search_input_centers(
    rows: Floats, search: CenterSearch, seed: int, move: Callable[..., Any]
) -> CenterSolution:
    """Search for centres in input space, as published.

    ``move(objective, swarm, positions, rng)`` runs the loop and returns the best position.
    """
    (sigma,) = candidate_widths(rows, search.kernel, search.sigma, None, search.backend)
    gamma = search.kernel.params.get("gamma")
    settings: dict[str, Any] = {
        "gamma": gamma_of(sigma) if gamma is None else float(gamma),
        "n_threads": search.n_threads,
    }
    centers = search.centers
    if isinstance(centers, InputCenters) and centers.repairs == "printed":
        # Computed on the CPU for every device.
        objective: InputObjective = PrintedObjective(rows, search.max_clusters, **settings)
    else:
        settings["backend"] = search.backend
        objective = InputObjective(rows, search.max_clusters, **settings)
    best = search.run(objective, seed, sigma, 0, move)
    positions, labels = objective.centers_of(best.position)
    numbered = number_by_first_row(labels)
    order = order_by_first_row(labels)
    if best.fitness <= 0.0:
        numbered, order = np.zeros_like(labels), order[:1]
    return CenterSolution(numbered, sigma, positions[order], best, best.n_evaluations)


def search_feature_centers(
    rows: Floats, search: CenterSearch, seed: int, move: Callable[..., Any]
) -> CenterSolution:
    """Search for centres in feature space, at one width or at many; the stable partition wins."""
    settings = search.centers if isinstance(search.centers, FeatureCenters) else FeatureCenters()
    least = max(min(2, len(rows) // 2), int(np.ceil(settings.min_size * len(rows))))
    kernel = search.kernel
    walk = Walk.of(rows, search.max_clusters) if kernel.name == "diffusion" else None
    searches: list[Any] = []
    results: list[WidthResult] = []
    for sigma in candidate_widths(rows, kernel, search.sigma, walk, search.backend):
        space = search.space(rows, walk, sigma)
        steps = settings.refine_steps
        objective = SpaceObjective(
            space, search.max_clusters, steps=steps, least=least, **search.where
        )
        n_before = sum(best.n_evaluations for best in searches)
        searches.append(search.run(objective, seed, sigma, n_before, move))
        labels = objective.labels_of(searches[-1].position)
        results.append(WidthResult(sigma, labels, searches[-1].fitness))
    chosen = most_stable(results)
    sigma, labels, fitness = results[chosen]
    if chosen < len(results) - 1:  # only the last space is still in memory
        space = search.space(rows, walk, sigma)
    if fitness <= 0.0:
        labels = np.zeros_like(labels)
    if settings.polish:
        labels = polish(space.gram, labels, least)
    n_evaluations = sum(best.n_evaluations for best in searches)
    return CenterSolution(
        number_by_first_row(labels), sigma, space, searches[chosen], n_evaluations
    )
