"""The search in feature space: one width or many, the stable one, the polish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from weft._base.arrays import Floats, Integers
from weft.backends.cpu.kernels import mercer_cs as kernels

# Partitions at neighbouring widths are the same partition from this agreement on.
SAME = 0.9
# A run whose best is below this share of the best of all is no contender: many narrow widths may
# agree on how to cut one long cluster into pieces.
CONTENDER = 0.02
POLISH_STEPS = 100


class Found(NamedTuple):
    """What a search came to."""

    labels: Integers
    fitness: float
    sigma: float
    history: dict[str, NDArray[Any]]
    n_generations: int
    n_evaluations: int
    position: Floats


def most_stable(found: Sequence[Found]) -> int:
    """Return which of the partitions, in the order of widths, to take.

    The longest run of widths whose partitions agree with their neighbours wins, among runs that
    come near the fittest partition of all; among equals the one with the fittest partition. Within
    the run the fittest is taken.
    """
    runs: list[list[int]] = [[0]]
    for place in range(1, len(found)):
        agreement = adjusted_rand_score(found[place - 1].labels, found[place].labels)
        if agreement >= SAME and found[place].fitness > 0.0:
            runs[-1].append(place)
        else:
            runs.append([place])

    def peak(run: list[int]) -> float:
        return max(found[place].fitness for place in run)

    bar = CONTENDER * max(each.fitness for each in found)
    runs = [run for run in runs if peak(run) >= bar]
    longest = max(runs, key=lambda run: (len(run), peak(run)))
    return max(longest, key=lambda place: found[place].fitness)


def search_widths(widths: Sequence[float], search: Callable[[float], Found]) -> Found:
    """Search at every width and return the stable find; a single width is taken as it is."""
    found = [search(width) for width in widths]
    chosen = found[most_stable(found)]
    return chosen._replace(n_evaluations=sum(each.n_evaluations for each in found))


def polish(gram: Floats, labels: Integers, least: int) -> Integers:
    """Return `labels` after kernel k-means from them; no cluster falls below `least` rows."""
    moved = labels.copy()
    kernels.kernel_kmeans(gram, int(labels.max()) + 1, POLISH_STEPS, least, moved)
    return moved
