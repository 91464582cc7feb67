"""Label-free evidence for and against each candidate, and for clusters in the table at all.

============  =====================================================================================
`distinct`    the distinct clusters of all candidates, each described once
`measures`    evidence of candidates: `NAMES`, `measure`
`table`       evidence of the whole table: `TABLE_NAMES`, `measure_table`
`relative`    each measure as rank, z-score and gap to the best of the table
============  =====================================================================================
"""

from weft.auto.evidence.measures import NAMES, measure
from weft.auto.evidence.relative import relative, relative_names
from weft.auto.evidence.table import TABLE_NAMES, measure_table

__all__ = ["NAMES", "TABLE_NAMES", "measure", "measure_table", "relative", "relative_names"]
