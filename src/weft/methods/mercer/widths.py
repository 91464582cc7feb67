"""Widths of a Mercer kernel: which to try, and which partition to take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft.backends import CPU, Backend
from weft.methods.mercer.spaces import Walk

# Widths that sigma="stability" tries: in multiples of the median distance for the Gaussian
# kernel, in local steps for the diffusion kernel (4 … 65,536 steps of the walk).
GAUSSIAN_WIDTHS = tuple(2.0 ** (power / 2) for power in range(-7, 3))
DIFFUSION_WIDTHS = tuple(2.0**power for power in range(1, 9))
# Partitions at neighbouring widths count as the same from this agreement on.
SAME = 0.9
# A run whose best is below this share of the best of all is dropped: many narrow widths may
# agree on how to cut one long cluster into pieces.
CONTENDER = 0.02
POLISH_STEPS = 100
SAME_FITNESS = 1e-6  # relative difference below which two fitnesses are one


class WidthResult(NamedTuple):
    """The best partition that was found at one width."""

    sigma: float
    labels: Integers
    fitness: float


def candidate_widths(
    rows: Floats, kernel: str, sigma: float | str, walk: Walk | None, backend: Backend = CPU
) -> tuple[float, ...]:
    """Return the widths to search at; a kernel without a width gets one search."""
    if kernel not in ("diffusion", "rbf"):
        return (1.0,)
    if not isinstance(sigma, str):
        return (float(sigma),)
    if walk is not None:
        return DIFFUSION_WIDTHS if sigma == "stability" else (walk.median_width(),)
    middle = backend.mercer.median_distance(rows, backend.device)
    factors = GAUSSIAN_WIDTHS if sigma == "stability" else (1.0,)
    return tuple(middle * factor for factor in factors)


def most_stable(results: Sequence[WidthResult]) -> int:
    """Return which of the partitions, in the order of widths, to take.

    The longest run of widths whose partitions agree with their neighbours wins, among runs that
    come near the fittest partition of all; among equals the one with the fittest partition. Within
    the run the fittest is taken.
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
    # Partitions that are the same have the same fitness except for rounding, which must not decide:
    # the narrowest of these widths is taken.
    best = peak(longest)
    return next(at for at in longest if results[at].fitness >= best - SAME_FITNESS * abs(best))


def polish(gram: Floats, labels: Integers, least: int) -> Integers:
    """Return `labels` after kernel k-means from them; no cluster falls below `least` rows."""
    n_clusters = int(labels.max()) + 1
    return CPU.mercer.settle_labels(gram, labels, n_clusters, POLISH_STEPS, least)[0]
