"""Complete linkage in two steps: near rows are merged first, by lists of near pairs alone.

Two clusters are nearer than a limit only if all their pairs of rows are. So merges below the limit
need only the near pairs: each cluster has a list of the clusters that are near, and a merge keeps
what is in both lists. With a limit that 2 % of the pairs are below, this leaves a quarter to a half
of the clusters. Their distances are the largest entries of blocks of the matrix, which is
read once, tile by tile. `settled_linkage` merges the rest.

Every decision is that of exact distances. If two clusters are equally near, or two merges at
the cut are equally high, the tree depends on the order in which clusters are visited. The function
then stops, and the caller has to use `settled_linkage` from the start. Otherwise the tree is
unique: every merge is of two clusters that are strictly nearest to each other, and other merges
cannot change that, because they only increase distances.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.exact_clusters import Exact, exact_distance, new_tree
from weft.backends.cpu.kernels.near_pairs import list_near, lists_of_rows, near_limit
from weft.backends.cpu.kernels.products import TILE
from weft.backends.cpu.kernels.settled_linkage import (
    cut_settled,
    doubt_limit,
    merge_chain,
    record_merge,
)
from weft.backends.cpu.kernels.tiles import stored_tile
from weft.backends.cpu.kernels.vectors import SQUARE, raise_piece, turn_square

# The share of all pairs that are near: fewer leave more clusters, more make longer lists.
_NEAR = 0.02


@njit(nogil=True, cache=True, error_model="numpy")
def near_linkage(Z, norms, slack, columns, store, numbers, floats, n_clusters, out):
    """Fill `store`, and `out` with labels unless there are ties; return whether it did.

    n ≥ 4 TILE. `store` gets the tiles of all distances if the function returns True. `numbers`
    (uint32) and `floats` are working memory.
    """
    n_rows = columns.shape[1]
    slack = slack[:n_rows]
    limit = near_limit(Z, norms, n_rows, _NEAR)
    room = min(numbers.shape[0] // 6, floats.shape[0] // 3)
    n_pairs = list_near(
        Z, norms, slack, columns, limit, store,
        numbers[:room], numbers[room : 2 * room], floats[:room],
    )  # fmt: skip
    if n_pairs < 0:
        return False
    starts = np.empty(n_rows + 1, np.int64)
    lists = numbers[2 * room : 4 * room], floats[room : 3 * room], numbers[4 * room : 6 * room]
    lists_of_rows(
        numbers[:n_pairs], numbers[room : room + n_pairs], floats[:n_pairs], starts, *lists[:2]
    )
    lists[2][: 2 * n_pairs] = 1
    tree = new_tree(slack)
    exact = Exact(store, slack, 0.0, columns, np.empty(0))
    budget = n_rows * n_rows  # examined pairs: half as many as in `settled_linkage`
    done, budget = merge_near(limit, starts, lists, tree, exact, budget)
    if budget < 0:
        return False
    heads = np.array([row for row in range(n_rows) if not tree.dead[row]])
    side = count_padded(heads.shape[0])
    if side * side > floats.shape[0]:
        return False
    distances = floats[: side * side].reshape((side, side))
    cluster_distances(store, heads, tree, distances)
    budget = merge_chain(distances, distances, heads, tree, done, exact, budget, True)
    return budget >= 0 and cut_settled(tree, exact, n_clusters, budget, True, out)


@njit(nogil=True, cache=True, error_model="numpy")
def count_padded(n_heads):
    """Return the number of clusters, filled up to whole tiles.

    Never a multiple of 8 tiles: the entries of a column would compete for few places in the cache.
    """
    n_tiles = -(-n_heads // TILE)
    return (n_tiles + (n_tiles % 8 == 0)) * TILE


@njit(nogil=True, cache=True, error_model="numpy")
def merge_near(limit, starts, lists, tree, exact, budget):
    """Update `tree` by merges of near clusters; return their number and the rest of the budget.

    A cluster's list holds other clusters (by their numbers when the list was last updated), the
    distances to them, and their numbers of rows. The rest is -1 if the function stopped at a tie.
    """
    n_rows = starts.shape[0] - 1
    # Small integers: all arrays with one number per row fit together into the first-level cache.
    root, size = np.arange(n_rows).astype(np.uint32), np.ones(n_rows, np.uint32)
    place = np.zeros(n_rows, np.uint32)
    keys, distances, counts = lists
    up, dead, end, follower = tree.up, tree.dead, tree.end, tree.follower
    ends = starts[1:].copy()
    # Clusters whose nearest one may not be in their list.
    stuck = np.zeros(n_rows, np.bool_)
    chain = np.empty(n_rows, np.int64)
    n_chain = first = merges = 0
    while True:
        if n_chain == 0:
            while first < n_rows and (dead[first] or stuck[first]):
                first += 1
            if first == n_rows:
                return merges, budget
            chain[0] = first
            n_chain = 1
        tip = chain[n_chain - 1]
        before = chain[n_chain - 2] if n_chain > 1 else -1
        begin = starts[tip]
        ends[tip] = _update_list(begin, ends[tip], keys, distances, counts, root, size, place)
        # An upper bound of the nearest cluster's distance, and the lowest two lower bounds.
        smallest = lowest = second = np.float32(np.inf)
        chosen = begin
        for entry in range(begin, ends[tip]):
            distance, doubt = distances[entry], up[keys[entry]]
            chosen = entry if distance + doubt < smallest else chosen
            smallest = min(smallest, distance + doubt)
            second = min(second, max(lowest, distance - doubt))
            lowest = min(lowest, distance - doubt)
        highest = doubt_limit(smallest, up[tip], 0.0)
        # A cluster without an entry is at least as far as the limit, except for rounding.
        if not highest < limit * np.float32(1.0 - 4e-6):
            # So is the cluster before it in the chain, whose nearest one is `tip`. `merge_chain`
            # merges both later.
            stuck[tip] = True
            if before >= 0:
                stuck[before] = True
            n_chain = 0
            continue
        if second < highest:
            chosen, looks = _settle_entry(begin, ends[tip], highest, tip, lists, tree, exact)
            budget -= looks
            if budget < 0 or chosen < 0:
                return merges, -1
        nearest = np.int64(keys[chosen])
        if nearest != before:
            chain[n_chain] = nearest
            n_chain += 1
            continue
        n_chain -= 2
        height = distances[chosen]
        ends[before] = _update_list(
            starts[before], ends[before], keys, distances, counts, root, size, place
        )
        low, high = min(tip, before), max(tip, before)
        ends[low] = _common(
            starts[low], ends[low], starts[high], ends[high], keys, distances, counts, place
        )
        row = high
        while True:
            root[row] = low
            if row == end[high]:
                break
            row = follower[row]
        size[low] += size[high]
        record_merge(tree, merges, height, low, high)
        merges += 1


@njit(nogil=True, cache=True, error_model="numpy")
def _update_list(begin, end, keys, distances, counts, root, size, place):
    """Update a list to the merges so far; return where it ends.

    A cluster stays in the list if all of its rows were in clusters of the list.
    """
    last = begin
    for entry in range(begin, end):
        cluster = root[keys[entry]]
        distance, count = distances[entry], counts[entry]
        known = np.int64(place[cluster])
        # `&` instead of `and`: `place` still has entries of other lists, so that a branch could
        # not be predicted.
        if (known >= begin) & (known < last) & (keys[known] == cluster):
            distances[known] = max(distances[known], distance)
            counts[known] += count
        else:
            place[cluster] = last
            keys[last], distances[last], counts[last] = cluster, distance, count
            last += 1
    kept = begin
    for entry in range(begin, last):
        cluster, count = keys[entry], counts[entry]
        keys[kept], distances[kept], counts[kept] = cluster, distances[entry], count
        kept += count == size[cluster]
    return kept


@njit(nogil=True, cache=True, error_model="numpy")
def _common(begin, end, other, other_end, keys, distances, counts, place):
    """Keep the clusters that are also in another list, at the larger distance; return the end."""
    for entry in range(other, other_end):
        place[keys[entry]] = entry
    kept = begin
    for entry in range(begin, end):
        cluster, count = keys[entry], counts[entry]
        known = np.int64(place[cluster])
        shared = (known >= other) & (known < other_end) & (keys[known] == cluster)
        distance = max(distances[entry], distances[known])
        keys[kept], distances[kept], counts[kept] = cluster, distance, count
        kept += shared
    return kept


@njit(nogil=True, cache=True, error_model="numpy")
def _settle_entry(begin, last, highest, tip, lists, tree, exact):
    """Return the entry of the nearest cluster by exact distances, and the examined pairs.

    The entry is -1 at a tie.
    """
    keys, distances, _ = lists
    nearest, least, tied, looks = -1, np.inf, False, 0
    for entry in range(begin, last):
        if distances[entry] - tree.up[keys[entry]] < highest:
            value, taken = exact_distance(distances[entry], tip, keys[entry], tree, exact)
            looks += taken
            tied = value == least or (tied and value > least)
            if value < least:
                least, nearest = value, entry
    return (-1 if tied else nearest), looks


@njit(nogil=True, cache=True, error_model="numpy")
def cluster_distances(store, heads, tree, out):
    """Fill `out` (m, m) with the distances of the clusters `heads`, from the tiles of all rows.

    m is a multiple of TILE; there may be fewer heads.
    """
    n_rows = tree.follower.shape[0]
    n_tiles = -(-n_rows // TILE)
    side = out.shape[0]
    number = np.empty(n_rows, np.int64)
    for k in range(heads.shape[0]):
        row = heads[k]
        while True:
            number[row] = k
            if row == tree.end[heads[k]]:
                break
            row = tree.follower[row]
    # The largest distances between the clusters and the rows of one column of tiles.
    slab, turned = np.empty(side * TILE, out.dtype), np.empty(side * TILE, out.dtype)
    flat = out.reshape(side * side)
    flat[:] = 0.0
    for left in range(n_tiles):
        slab[:] = 0.0
        for top in range(left + 1):
            tile = stored_tile(store, n_tiles, top, left)
            for r in range(min(TILE, n_rows - top * TILE)):
                raise_piece(slab, number[top * TILE + r] * TILE, tile, r * TILE)
        _turn(slab, 0, TILE, side, TILE, turned, 0, side)
        for c in range(min(TILE, n_rows - left * TILE)):
            row = number[left * TILE + c] * side
            for at in range(0, side, TILE):
                raise_piece(flat, row + at, turned, c * side + at)
    _mirror_largest(out)


@njit(inline="always", error_model="numpy")
def _turn(source, at, step, height, width, target, to, stride):
    """Fill `width` rows of `target`, `stride` apart, with `height` columns: a transposition."""
    for r in range(0, height, SQUARE):
        for c in range(0, width, SQUARE):
            turn_square(source, at + r * step + c, step, target, to + c * stride + r, stride)


@njit(nogil=True, cache=True, error_model="numpy")
def _mirror_largest(out):
    """Update a matrix: both entries of a pair get the larger one of them."""
    side = out.shape[0]
    flat = out.reshape(side * side)
    turned = np.empty(TILE * TILE, out.dtype)
    for top in range(0, side, TILE):
        for left in range(top, side, TILE):
            _turn(flat, left * side + top, side, TILE, TILE, turned, 0, TILE)
            for r in range(TILE):
                raise_piece(flat, (top + r) * side + left, turned, r * TILE)
            for r in range(TILE):
                here = flat[(top + r) * side + left : (top + r) * side + left + TILE]
                for c in range(TILE):
                    turned[r * TILE + c] = here[c]
            _turn(turned, 0, TILE, TILE, TILE, flat, left * side + top, side)
