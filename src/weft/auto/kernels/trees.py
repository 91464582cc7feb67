"""Trees of clusters. A tree is its n - 1 edges in the order in which they merge clusters.

References
----------
Gagolewski, Bartoszuk, Cena (2016): Genie: A new, fast, and outlier-resistant hierarchical
clustering algorithm. Information Sciences 363, 8-23.
"""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED


@njit(**COMPILED)
def root_of(parents, i):
    """The representative of i's component; halves the path on the way."""
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i


@njit(**COMPILED)
def number_by_first_row(parents, out):
    """Fill labels of components, numbered by their first row; gives their number."""
    n = len(parents)
    number = np.empty(n, dtype=np.int64)
    for i in range(n):
        number[i] = -1
    count = 0
    for i in range(n):
        root = root_of(parents, i)
        if number[root] < 0:
            number[root] = count
            count += 1
        out[i] = number[root]
    return count


@njit(**COMPILED)
def cut(edges, n_clusters, out):
    """Fill one row of labels for each wanted number of clusters (in falling order)."""
    n = edges.shape[0] + 1
    parents = np.empty(n, dtype=np.int64)
    for i in range(n):
        parents[i] = i
    merged = 0
    for position in range(len(n_clusters)):
        while merged < n - n_clusters[position]:
            first = root_of(parents, edges[merged, 0])
            second = root_of(parents, edges[merged, 1])
            parents[second] = first
            merged += 1
        number_by_first_row(parents, out[position])


@njit(**COMPILED)
def cut_large(edges, n_clusters, smallest, out):
    """Fill labels of the first cut from the top with the wanted number of `smallest`-row clusters.

    Rows of smaller clusters get -1. If no cut has that number, the row of labels stays at -2.
    """
    n = edges.shape[0] + 1
    last_with = np.empty(n + 1, dtype=np.int64)
    parents = np.empty(n, dtype=np.int64)
    sizes = np.empty(n, dtype=np.int64)
    last_with[n] = -1
    for i in range(n):
        last_with[i] = -1
        parents[i] = i
        sizes[i] = 1
    large = n if smallest <= 1 else 0
    for merged in range(n):
        if large <= n:
            last_with[large] = merged
        if merged == n - 1:
            break
        first = root_of(parents, edges[merged, 0])
        second = root_of(parents, edges[merged, 1])
        before = int(sizes[first] >= smallest) + int(sizes[second] >= smallest)
        parents[second] = first
        sizes[first] += sizes[second]
        large += int(sizes[first] >= smallest) - before
    numbers = np.empty(n, dtype=np.int64)
    for position in range(len(n_clusters)):
        wanted = n_clusters[position]
        for i in range(n):
            out[position, i] = -2
        if wanted > n or last_with[wanted] < 0:
            continue
        for i in range(n):
            parents[i] = i
            sizes[i] = 1
            numbers[i] = -1
        for e in range(last_with[wanted]):
            first = root_of(parents, edges[e, 0])
            second = root_of(parents, edges[e, 1])
            parents[second] = first
            sizes[first] += sizes[second]
        count = 0
        for i in range(n):
            root = root_of(parents, i)
            if sizes[root] < smallest:
                out[position, i] = -1
                continue
            if numbers[root] < 0:
                numbers[root] = count
                count += 1
            out[position, i] = numbers[root]


@njit(**COMPILED)
def flood(edges, labels, out):
    """Fill labels without -1: rows take the cluster that the tree's edges reach first.

    Edges come in order of length. Two clusters never merge.
    """
    n = len(labels)
    parents = np.empty(n, dtype=np.int64)
    held = np.empty(n, dtype=np.int64)
    for i in range(n):
        parents[i] = i
        held[i] = labels[i]
    for e in range(n - 1):
        first = root_of(parents, edges[e, 0])
        second = root_of(parents, edges[e, 1])
        if first == second:
            continue
        if held[first] >= 0 and held[second] >= 0:
            # rows of one cluster may meet over this edge; only unlabelled rows need the union
            if held[first] == held[second]:
                parents[second] = first
            continue
        parents[second] = first
        held[first] = max(held[first], held[second])
    for i in range(n):
        out[i] = held[root_of(parents, i)]


@njit(**COMPILED)
def distance_to_sizes(size, counts, smallest, following):
    """Sum over all clusters of |their size - size|; sizes are a linked list of those in use."""
    total = 0
    current = smallest
    while current >= 0:
        total += counts[current] * abs(current - size)
        current = following[current]
    return total


@njit(inline="always", **COMPILED)
def remove_size(size, counts, following, previous, smallest):
    """Remove one cluster of this size from the linked list; gives the smallest size in use."""
    counts[size] -= 1
    if counts[size] > 0:
        return smallest
    if previous[size] >= 0:
        following[previous[size]] = following[size]
    else:
        smallest = following[size]
    if following[size] >= 0:
        previous[following[size]] = previous[size]
    return smallest


@njit(inline="always", **COMPILED)
def add_size(size, counts, following, previous, smallest):
    """Add one cluster of this size to the linked list of sizes in use; gives the smallest."""
    counts[size] += 1
    if counts[size] > 1:
        return smallest
    before = -1
    after = smallest
    while after >= 0 and after < size:
        before = after
        after = following[after]
    following[size] = after
    previous[size] = before
    if after >= 0:
        previous[after] = size
    if before >= 0:
        following[before] = size
        return smallest
    return size


@njit(**COMPILED)
def genie(edges, threshold, out):
    """Fill the tree's edges (given in order of length) in Genie's order of merging.

    While the Gini index of the cluster sizes is above the threshold, the shortest edge at one of
    the smallest clusters is merged; otherwise the shortest of all.
    """
    n = edges.shape[0] + 1
    parents = np.empty(n, dtype=np.int64)
    sizes = np.empty(n, dtype=np.int64)
    counts = np.zeros(n + 1, dtype=np.int64)
    following = np.empty(n + 1, dtype=np.int64)  # next larger size in use
    previous = np.empty(n + 1, dtype=np.int64)
    next_edge = np.empty(n, dtype=np.int64)  # linked list of the edges that are left
    following[n] = previous[n] = -1
    for i in range(n):
        parents[i] = i
        sizes[i] = 1
        following[i] = previous[i] = -1
        next_edge[i] = i + 1
    counts[1] = n
    smallest = sizes[0]  # 1, but not a constant, for which all that is called is compiled again
    spread = 0  # sum over pairs of clusters of the difference of their sizes
    first_edge = 0
    resume = -1  # edges up to this one do not touch a cluster of the size `resume_size`
    resume_size = -1
    for step in range(n - 1):
        n_clusters = n - step
        gini = spread / ((n_clusters - 1) * n) if n_clusters > 1 else 0.0
        before = -1
        edge = first_edge
        if gini > threshold:
            if smallest == resume_size and resume >= 0:
                before = resume
                edge = next_edge[resume]
            while (
                sizes[root_of(parents, edges[edge, 0])] != smallest
                and sizes[root_of(parents, edges[edge, 1])] != smallest
            ):
                before = edge
                edge = next_edge[edge]
            resume = before
            resume_size = smallest
        elif first_edge == resume:
            resume = -1
            resume_size = -1
        if before < 0:
            first_edge = next_edge[edge]
        else:
            next_edge[before] = next_edge[edge]
        first = root_of(parents, edges[edge, 0])
        second = root_of(parents, edges[edge, 1])
        for size in (sizes[first], sizes[second]):
            smallest = remove_size(size, counts, following, previous, smallest)
            spread -= distance_to_sizes(size, counts, smallest, following)
        size = sizes[first] + sizes[second]
        spread += distance_to_sizes(size, counts, smallest, following)
        smallest = add_size(size, counts, following, previous, smallest)
        parents[second] = first
        sizes[first] = size
        out[step, 0] = edges[edge, 0]
        out[step, 1] = edges[edge, 1]
