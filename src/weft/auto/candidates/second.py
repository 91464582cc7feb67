"""Trees, spectral clustering and communities in the second view of the rows."""

from weft.auto.candidates.graphs import community_candidates, spectral_candidates
from weft.auto.candidates.raw import Raw
from weft.auto.candidates.sizes import up_to
from weft.auto.candidates.trees import linkage_edges, named
from weft.auto.working import Ints, Prepared

SECOND = "second-"  # before the name of a family
MOST_CLUSTERS = 20
LINKAGES = ("ward", "average")
GRAPHS = ("spectral", "spectral-shared")


def seen_anew(prepared: Prepared) -> Prepared:
    """The same rows with distances and neighbours of the second view."""
    return prepared._replace(**prepared.second._asdict())


def second_candidates(prepared: Prepared, counts: Ints) -> list[Raw]:
    """What linkages and graphs find in the second view."""
    view = seen_anew(prepared)
    if view.distances.max() == 0.0:
        return []
    counts = up_to(counts, MOST_CLUSTERS)
    found: list[Raw] = []
    for linkage in LINKAGES:
        found += named(linkage_edges(view, linkage), counts, linkage, linkage)
    found += spectral_candidates(view, counts, GRAPHS)
    found += community_candidates(view)
    return [Raw(raw.labels, SECOND + raw.family, SECOND + raw.name) for raw in found]
