"""``python -m checks.small_tables``: how often is a column of pure noise kept in a small table?

Tables of 20, 28 and 40 rows and 5 to 800 independent columns are screened as in AutoCluster. A size
fails if more than 5 % of its tables keep a column, beyond what chance explains.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from weft._base.arrays import Floats
from weft.columns.screening import USUAL_RATE, screen
from weft.columns.wide import is_wide, screen_wide
from weft.parallel.blas import one_blas_thread

ROWS = (20, 28, 40)
COLUMNS = (5, 10, 20, 40, 80, 200, 800)
# A size whose true share is USUAL_RATE fails by chance with this probability.
CHANCE = 1e-3

NOISE: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "uniform": lambda rng, size: rng.uniform(size=size),
    "normal": lambda rng, size: rng.normal(size=size),
    "exponential": lambda rng, size: rng.exponential(size=size),
    "t, 2 degrees": lambda rng, size: rng.standard_t(2, size=size),
    "Cauchy": lambda rng, size: rng.standard_cauchy(size=size),
}


def keeps_a_column(X: Floats, seed: int) -> bool:
    """Return whether the screening keeps a column of a table."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    wanted = screen_wide if is_wide(*X.shape) else screen
    with one_blas_thread():
        return bool(wanted(X, USUAL_RATE, np.random.default_rng([seed, 9])).kept.any())


def alarms(noise: str, size: tuple[int, int], n_tables: int) -> int:
    """Return in how many tables of a size a column is kept."""
    number = list(NOISE).index(noise)
    return sum(
        keeps_a_column(NOISE[noise](np.random.default_rng([number, *size, table]), size), table)
        for table in range(n_tables)
    )


def most_by_chance(n_tables: int) -> int:
    """Return how many alarms a true share of USUAL_RATE explains."""
    return int(binom.isf(CHANCE, n_tables, USUAL_RATE))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100, help="of each size and noise")
    given = parser.parse_args()
    most, failed, total, n_cells = most_by_chance(given.tables), 0, 0, 0
    print(f"tables of {given.tables} that keep a column; up to {most} by chance")
    print(f"{'rows x columns':14}  " + "  ".join(f"{noise:>12}" for noise in NOISE))
    for n_rows in ROWS:
        for n_columns in COLUMNS:
            found = [alarms(noise, (n_rows, n_columns), given.tables) for noise in NOISE]
            cells = "  ".join(f"{count:12}" for count in found)
            print(f"{n_rows:4} x {n_columns:<7}  {cells}", flush=True)
            failed += sum(count > most for count in found)
            total, n_cells = total + sum(found), n_cells + len(found)
    share = total / (n_cells * given.tables)
    print(f"{n_cells} cells: {failed} above what chance explains; over all {share:.3f}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
