"""Communities and components of a neighbour graph.

References
----------
Blondel, Guillaume, Lambiotte, Lefebvre (2008): Fast unfolding of communities in large networks.
J. Stat. Mech. P10008.
Traag, Waltman, van Eck (2019): From Louvain to Leiden. Scientific Reports 9, 5233.
"""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED
from weft.auto.kernels.trees import number_by_first_row, root_of


@njit(**COMPILED)
def mutual_components(neighbours, k, out):
    """Fill components of the graph in which both rows are among the other's k nearest."""
    n = neighbours.shape[0]
    parents = np.empty(n, dtype=np.int64)
    for i in range(n):
        parents[i] = i
    for i in range(n):
        for position in range(k):
            j = neighbours[i, position]
            if j > i:
                continue
            for other in range(k):
                if neighbours[j, other] == i:
                    parents[root_of(parents, i)] = root_of(parents, j)
                    break
    return number_by_first_row(parents, out)


@njit(**COMPILED)
def shared_neighbours(neighbours, k, out):
    """Fill (n, k) Jaccard shares of the k nearest (each row with itself) of a row and neighbour."""
    n = neighbours.shape[0]
    marked = np.empty(n, dtype=np.int64)
    for i in range(n):
        marked[i] = -1
    for i in range(n):
        marked[i] = i
        for position in range(k):
            marked[neighbours[i, position]] = i
        for position in range(k):
            j = neighbours[i, position]
            common = 1 if marked[j] == i else 0
            for other in range(k):
                if marked[neighbours[j, other]] == i:
                    common += 1
            out[i, position] = common / (2.0 * (k + 1) - common)


@njit(**COMPILED)
def move_rows(starts, ends, weights, strength, resolution, order, groups, bounds):
    """Move nodes to the neighbouring group of largest modularity until none moves.

    Nodes stay within their `bounds` group. Fills `groups`; gives whether any node moved.
    """
    n = len(starts) - 1
    total = 0.0
    held = np.zeros(n)
    for i in range(n):
        total += strength[i]
        held[groups[i]] += strength[i]
    links = np.zeros(n)
    touched = np.empty(n, dtype=np.int64)
    any_moved = False
    for _ in range(50):
        moved = 0
        for position in range(n):
            i = order[position]
            own = groups[i]
            n_touched = 0
            for e in range(starts[i], starts[i + 1]):
                j = ends[e]
                if j == i or bounds[j] != bounds[i]:
                    continue
                group = groups[j]
                if links[group] == 0.0:
                    touched[n_touched] = group
                    n_touched += 1
                links[group] += weights[e]
            held[own] -= strength[i]
            penalty = resolution * strength[i] / total
            best = own
            highest = links[own] - penalty * held[own]
            for t in range(n_touched):
                group = touched[t]
                value = links[group] - penalty * held[group]
                if value > highest + 1e-12 * strength[i]:
                    highest = value
                    best = group
            for t in range(n_touched):
                links[touched[t]] = 0.0
            held[best] += strength[i]
            if best != own:
                groups[i] = best
                moved += 1
        if moved == 0:
            break
        any_moved = True
    return any_moved


@njit(inline="always", **COMPILED)
def contract(starts, ends, weights, groups, n_groups):
    """The graph whose nodes are the groups; weights within a group become a loop."""
    n = len(starts) - 1
    first = np.zeros(n_groups + 1, dtype=np.int64)  # of each group in the order of groups
    for i in range(n):
        first[groups[i] + 1] += 1
    for group in range(n_groups):
        first[group + 1] += first[group]
    order = np.empty(n, dtype=np.int64)
    for i in range(n):
        order[first[groups[i]]] = i
        first[groups[i]] += 1
    new_starts = np.zeros(n_groups + 1, dtype=np.int64)
    new_ends = np.empty(len(ends), dtype=np.int64)
    new_weights = np.empty(len(ends))
    links = np.zeros(n_groups)
    touched = np.empty(n_groups, dtype=np.int64)
    position = 0
    filled = 0
    for group in range(n_groups):
        n_touched = 0
        while position < n and groups[order[position]] == group:
            i = order[position]
            for e in range(starts[i], starts[i + 1]):
                other = groups[ends[e]]
                if links[other] == 0.0:
                    touched[n_touched] = other
                    n_touched += 1
                links[other] += weights[e]
            position += 1
        for t in range(n_touched):
            new_ends[filled] = touched[t]
            new_weights[filled] = links[touched[t]]
            links[touched[t]] = 0.0
            filled += 1
        new_starts[group + 1] = filled
    return new_starts, new_ends[:filled].copy(), new_weights[:filled].copy()


@njit(**COMPILED)
def renumber(groups):
    """Number groups by their first node, in place; gives how many there are."""
    n = len(groups)
    number = np.empty(n, dtype=np.int64)
    for i in range(n):
        number[i] = -1
    count = 0
    for i in range(n):
        if number[groups[i]] < 0:
            number[groups[i]] = count
            count += 1
        groups[i] = number[groups[i]]
    return count


@njit(**COMPILED)
def communities(starts, ends, weights, resolution, order, out):
    """Fill groups of high modularity: Louvain's moves, then moves within each group as in Leiden.

    `order` (n,) is a permutation; its positions below the number of nodes are used at each level.
    The graph is symmetric: every edge is in both rows.
    """
    n = len(starts) - 1
    node_of = np.empty(n, dtype=np.int64)  # the node of the present level that holds each row
    groups = np.empty(n, dtype=np.int64)
    for i in range(n):
        out[i] = 0
        node_of[i] = i
        groups[i] = i
    for _ in range(20):
        m = len(starts) - 1
        strength = np.zeros(m)
        for i in range(m):
            for e in range(starts[i], starts[i + 1]):
                strength[i] += weights[e]
        level_order = np.empty(m, dtype=np.int64)
        filled = 0
        for i in order:
            if i < m:
                level_order[filled] = i
                filled += 1
        free = np.zeros(m, dtype=np.int64)
        moved = move_rows(starts, ends, weights, strength, resolution, level_order, groups, free)
        n_groups = renumber(groups)
        for i in range(n):
            out[i] = groups[node_of[i]]
        if not moved or n_groups == m:
            break
        # The refined parts of each group become the nodes of the next level.
        parts = np.empty(m, dtype=np.int64)
        for i in range(m):
            parts[i] = i
        move_rows(starts, ends, weights, strength, resolution, level_order, parts, groups)
        n_parts = renumber(parts)
        if n_parts == m:
            for i in range(m):
                parts[i] = groups[i]
            n_parts = n_groups
        next_groups = np.empty(n_parts, dtype=np.int64)
        for i in range(m):
            next_groups[parts[i]] = groups[i]
        starts, ends, weights = contract(starts, ends, weights, parts, n_parts)
        for i in range(n):
            node_of[i] = parts[node_of[i]]
        groups = next_groups
    return renumber(out)


@njit(**COMPILED)
def merge_pieces(links, gaps, out):
    """Fill the merges (k - 1, 2) of pieces, always the two with most links for their degrees.

    `links` (k, k) are weights between pieces with those inside a piece on the diagonal; `gaps`
    are distances, which decide where no links are left. Both are overwritten. The second piece
    of a merge is no longer used (Bonald et al. 2018: Hierarchical graph clustering using node pair
    sampling).
    """
    k = links.shape[0]
    degrees = np.empty(k)
    for a in range(k):
        degrees[a] = 0.0
        for b in range(k):
            degrees[a] += links[a, b]
    gone = np.zeros(k, dtype=np.bool_)
    for step in range(k - 1):
        first = -1
        second = -1
        most = 0.0
        nearest = np.inf
        for a in range(k):
            if gone[a]:
                continue
            for b in range(a + 1, k):
                if gone[b]:
                    continue
                value = links[a, b] / max(degrees[a] * degrees[b], 1e-300)
                if value > most or (most == 0.0 and gaps[a, b] < nearest):
                    most = value
                    nearest = gaps[a, b]
                    first = a
                    second = b
        out[step, 0] = first
        out[step, 1] = second
        gone[second] = True
        degrees[first] += degrees[second]
        for b in range(k):
            links[first, b] += links[second, b]
            gaps[first, b] = min(gaps[first, b], gaps[second, b])
        for b in range(k):
            links[b, first] = links[first, b]
            gaps[b, first] = gaps[first, b]
