"""Tables that do not fit in memory: search on a sample, refinement on all rows."""

from __future__ import annotations

from typing import NamedTuple

from weft._base.arrays import Floats, Mask
from weft.kmeans.alternation import Start
from weft.kmeans.blocks import Blocks, Survey
from weft.kmeans.chunked import BlockFit, Table, alternate_blocks, whole_center
from weft.kmeans.data import Centers
from weft.kmeans.fitting import some_varying
from weft.kmeans.sampling import draw_sample
from weft.methods.projected.fitting import whole_rule
from weft.methods.projected.settings import Settings

# Number of rows that the swarm searches on; the final refinement uses all rows.
SEARCH_ROWS = 10_000


class WholeTable(NamedTuple):
    """Blocks of rows, the columns that vary, and the centre of all rows."""

    table: Table
    active: Mask
    whole: Centers
    n_rows: float


def look_at(blocks: Blocks, survey: Survey) -> WholeTable:
    """Return the quantities of all rows that a search and its refinement need."""
    active = some_varying(survey.low, survey.high)
    table = Table.of(blocks, survey, 2.0)
    return WholeTable(table, active, *whole_center(table, active))


def rows_to_search(given: WholeTable, seed: int) -> Floats:
    """Draw the rows that the swarm searches on."""
    return draw_sample(
        given.table.blocks,
        given.whole.centers,
        given.active,
        exponent=2.0,
        total_mass=given.table.survey.mass,
        seed=seed,
        size=SEARCH_ROWS,
        by_distance=False,
    ).rows


def polish_blocks(given: WholeTable, start: Start, settings: Settings) -> BlockFit:
    """Run the closed-form alternation over all rows from the result of the search."""
    rule = whole_rule(
        settings, len(start.centers), given.active, given.whole.dispersions, given.n_rows
    )
    outcome, sums, n_passes = alternate_blocks(
        given.table, start, rule, max_iter=settings.closing_rounds
    )
    factors = rule.factors(outcome.weights)
    return BlockFit(outcome, None, given.active, factors, sums.mass, sums, n_passes)
