"""Density-based clusters from one spanning tree of mutual reachability distances.

References
----------
Campello, Moulavi, Sander (2013): Density-based clustering based on hierarchical density estimates.
PAKDD, 160-172.
"""

import numpy as np
from numba import njit

from weft._base.compiled import COMPILED
from weft.auto.kernels.trees import root_of


@njit(**COMPILED)
def merge_nodes(edges, children, sizes):
    """Fill both children of each merge (rows are 0..n-1, merge t is n + t) and all nodes' sizes."""
    n = edges.shape[0] + 1
    parents = np.empty(n, dtype=np.int64)
    node = np.empty(n, dtype=np.int64)
    for i in range(n):
        parents[i] = i
        node[i] = i
        sizes[i] = 1
    for t in range(n - 1):
        first = root_of(parents, edges[t, 0])
        second = root_of(parents, edges[t, 1])
        children[t, 0] = node[first]
        children[t, 1] = node[second]
        sizes[n + t] = sizes[node[first]] + sizes[node[second]]
        parents[second] = first
        node[first] = n + t


@njit(inline="always", **COMPILED)
def take_rows(start, children, n, cluster, stack, out):
    """Fill `cluster` for all rows below the node `start`."""
    stack[0] = start
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if node < n:
            out[node] = cluster
        else:
            stack[depth] = children[node - n, 0]
            stack[depth + 1] = children[node - n, 1]
            depth += 2


@njit(**COMPILED)
def hdbscan(children, lengths, sizes, min_cluster_size, by_excess, by_leaf):
    """Fill two labellings: excess of mass and leaves; -1 is noise.

    The root is never a cluster, as in scikit-learn with allow_single_cluster=False.
    """
    n = len(lengths) + 1
    most = 2 * (n // max(min_cluster_size, 1)) + 3
    parent = np.empty(most, dtype=np.int64)
    for cluster in range(most):
        parent[cluster] = -1
    birth = np.zeros(most)
    stability = np.zeros(most)
    n_below = np.zeros(most, dtype=np.int64)  # child clusters, 0 or 2
    left_in = np.zeros(n, dtype=np.int64)  # the smallest cluster that still held the row
    stack = np.empty(n + 1, dtype=np.int64)
    nodes = np.empty(n + 1, dtype=np.int64)
    owners = np.empty(n + 1, dtype=np.int64)
    nodes[0] = 2 * n - 2
    owners[0] = 0
    depth = 1
    n_found = 1
    # Rows at distance 0 would have infinite density.
    shortest = 1e-12 * max(lengths[n - 2], 1e-300)
    while depth > 0:
        depth -= 1
        node = nodes[depth]
        owner = owners[depth]
        density = 1.0 / max(lengths[node - n], shortest)
        first = children[node - n, 0]
        second = children[node - n, 1]
        split = sizes[first] >= min_cluster_size and sizes[second] >= min_cluster_size
        for child in (first, second):
            if split:
                stability[owner] += sizes[child] * (density - birth[owner])
                parent[n_found] = owner
                birth[n_found] = density
                n_below[owner] += 1
                if child < n:
                    left_in[child] = n_found
                else:
                    nodes[depth] = child
                    owners[depth] = n_found
                    depth += 1
                n_found += 1
            elif sizes[child] < min_cluster_size or child < n:
                stability[owner] += sizes[child] * (density - birth[owner])
                take_rows(child, children, n, owner, stack, left_in)
            else:
                nodes[depth] = child
                owners[depth] = owner
                depth += 1
    # Clusters are numbered from the root on, so children come after their parents.
    below = np.zeros(n_found)  # best total stability among descendants
    chosen = np.zeros(n_found, dtype=np.bool_)
    for cluster in range(n_found - 1, 0, -1):
        if n_below[cluster] == 0 or stability[cluster] >= below[cluster]:
            chosen[cluster] = True
            below[parent[cluster]] += stability[cluster]
        else:
            below[parent[cluster]] += below[cluster]
    number_excess = np.empty(n_found, dtype=np.int64)
    number_leaf = np.empty(n_found, dtype=np.int64)
    for cluster in range(n_found):
        number_excess[cluster] = -1
        number_leaf[cluster] = -1
    n_excess = 0
    n_leaf = 0
    for cluster in range(1, n_found):
        if number_excess[parent[cluster]] >= 0:
            number_excess[cluster] = number_excess[parent[cluster]]
        elif chosen[cluster]:
            number_excess[cluster] = n_excess
            n_excess += 1
        if n_below[cluster] == 0:
            number_leaf[cluster] = n_leaf
            n_leaf += 1
    for i in range(n):
        by_excess[i] = number_excess[left_in[i]]
        by_leaf[i] = number_leaf[left_in[i]]


@njit(**COMPILED)
def dbscan(edges, lengths, core, radius, neighbours, neighbour_lengths, out):
    """Fill DBSCAN's labels from the tree of mutual reachability; -1 is noise.

    Border rows go to the nearest core row within the radius.
    """
    n = len(core)
    parents = np.empty(n, dtype=np.int64)
    number = np.empty(n, dtype=np.int64)
    for i in range(n):
        parents[i] = i
        number[i] = -1
    for e in range(n - 1):
        if lengths[e] > radius:
            break
        parents[root_of(parents, edges[e, 1])] = root_of(parents, edges[e, 0])
    count = 0
    for i in range(n):
        out[i] = -1
        if core[i] > radius:
            continue
        root = root_of(parents, i)
        if number[root] < 0:
            number[root] = count
            count += 1
        out[i] = number[root]
    for i in range(n):
        if core[i] <= radius:
            continue
        for position in range(neighbours.shape[1]):
            if neighbour_lengths[i, position] > radius:
                break
            j = neighbours[i, position]
            if core[j] <= radius:
                out[i] = number[root_of(parents, j)]
                break
    return count
