"""Complete linkage from distances in single precision, with the labels of double precision.

The error of a distance between clusters is at most that of the worst pair. If this leaves open
which cluster is the nearest, or which merges are the last, the few pairs that may be the farthest
are computed again in double precision. If many distances are exactly equal, this would take longer
than double precision from the start; the function then stops and returns False.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.exact_clusters import (
    Exact,
    exact_distance,
    farthest_pair,
    new_tree,
)
from weft.backends.cpu.kernels.neighbours import join_sets, label_roots
from weft.backends.cpu.kernels.vectors import PIECE, least_sum, lowest_bit, sum_below

# Examined pairs, as a multiple of all pairs of rows, above which double precision would be faster.
_PATIENCE = 2
# Numbers that are found by insertion instead of sorting.
_FEW = 64


@njit(nogil=True, cache=True, error_model="numpy")
def settled_linkage(distances, work, slack, share, columns, exponents, n_clusters, out):
    """Fill `out` like `complete_linkage` with exact distances; return False if it stopped early.

    `distances` (n, n), n ≥ PIECE, in single precision, have errors of at most slack_i + slack_j +
    share · distance. `work`, of the same shape, is working memory.
    """
    n_rows = distances.shape[0]
    tree = new_tree(slack)
    exact = Exact(distances, slack, share, columns, exponents)
    budget = _PATIENCE * n_rows * n_rows
    budget = merge_chain(distances, work, np.arange(n_rows), tree, 0, exact, budget, False)
    return budget >= 0 and cut_settled(tree, exact, n_clusters, budget, False, out)


@njit(inline="always", error_model="numpy")
def record_merge(tree, merge, height, low, high):
    """Update the tree: cluster `high` is merged into cluster `low`."""
    tree.height[merge] = height
    tree.left[merge], tree.right[merge] = low, high
    tree.ends[merge, 0], tree.ends[merge, 1] = tree.end[low], tree.end[high]
    tree.follower[tree.end[low]] = high
    tree.end[low] = tree.end[high]
    tree.dead[high] = True
    tree.up[low] = max(tree.up[low], tree.up[high])
    tree.up[high] = np.inf


@njit(nogil=True, cache=True, error_model="numpy")
def merge_chain(source, work, heads, tree, done, exact, budget, strict):
    """Update `tree`, with `done` merges, by all others; return what is left of the budget, or -1.

    `source` (m, m) has the distances of the clusters that are left, m ≥ PIECE; `heads` are their
    numbers, ascending. There may be fewer heads than m. `work`, of the shape of `source`, is
    working memory, and may be `source` itself. If `strict`, the function also stops where two
    clusters are equally near.
    """
    n_all = source.shape[0]
    n_heads = heads.shape[0]
    up, down = np.full(n_all, np.inf, exact.slack.dtype), np.empty(n_all, exact.slack.dtype)
    for k in range(n_heads):
        up[k] = tree.up[heads[k]]
        down[k] = -up[k]
    # The slack of a merged cluster excludes it from every search.
    down[n_heads:] = np.inf
    left, right = np.empty(n_heads, np.uint32), np.empty(n_heads, np.uint32)
    # A row is copied when it is first read, because it is then in the cache.
    caught_up = np.full(n_heads, -1)
    chain, found = np.empty(n_heads, np.int64), np.empty(n_all, np.int64)
    length = first = 0
    for merge in range(n_heads - 1):
        if length == 0:
            while tree.dead[heads[first]]:
                first += 1
            chain[0] = first
            length = 1
        while True:
            tip = chain[length - 1]
            before = chain[length - 2] if length > 1 else -1
            row = work[tip]
            _copy_or_catch_up(source[tip], row, left, right, caught_up, tip, merge)
            n_found = _candidates(row, up, down, up[tip], exact.share, found)
            if n_found == 0:
                return -1  # all distances are beyond single precision
            nearest = found[0]
            if n_found > 1:
                nearest, looks = _settle_nearest(
                    row, found[:n_found], tip, before, heads, tree, exact, strict
                )
                budget -= looks
                if budget < 0 or nearest < 0:
                    return -1
            if nearest == before:
                break
            chain[length] = nearest
            length += 1
        low, high = min(tip, nearest), max(tip, nearest)
        length -= 2
        _copy_or_catch_up(source[nearest], work[nearest], left, right, caught_up, nearest, merge)
        left[merge], right[merge] = low, high
        record_merge(tree, done + merge, work[tip, nearest], heads[low], heads[high])
        up[low] = max(up[low], up[high])
        down[low] = -up[low]
        up[high] = down[high] = np.inf
        row, other = work[low], work[high]
        for j in range(n_all):
            row[j] = max(row[j], other[j])
        row[low] = np.inf
        caught_up[low] = merge + 1
    return budget


@njit(inline="always", error_model="numpy")
def _copy_or_catch_up(source, row, left, right, caught_up, i, merge):
    """Update row i, a copy of `source` at first, to the merges so far."""
    done = caught_up[i]
    if done < 0:
        for j in range(source.shape[0]):
            row[j] = source[j]
        row[i] = np.inf
        done = 0
    # The slack of a merged cluster already excludes it, so its entry need not be infinite.
    for later in range(done, merge):
        low, high = left[later], right[later]
        row[low] = max(row[low], row[high])
    caught_up[i] = merge


@njit(inline="always", error_model="numpy")
def doubt_limit(smallest, own, share):
    """Return an upper limit of candidates for the nearest cluster, their slack subtracted."""
    # Slightly larger because of rounding; never 0, because distances of 0 must be below it.
    return np.float32((smallest + 2.0 * own) * (1.0 + 2.5 * share + 1e-6) + 1e-30)


@njit(inline="always", error_model="numpy")
def _candidates(row, up, down, own, share, found):
    """Fill the beginning of `found` with clusters that may be the nearest; return their number."""
    n_rows = row.shape[0]
    # First an upper bound of the smallest distance, then all clusters that may be below it: two
    # passes without a branch are faster than one pass that records every new minimum.
    smallest = np.float32(np.inf)
    for low in range(0, n_rows, PIECE):
        smallest = min(smallest, least_sum(row, min(low, n_rows - PIECE), up))
    limit = doubt_limit(smallest, own, share)
    # Usually there is one candidate. Its position cannot be predicted, so it is found without a
    # branch (the lowest bit of an empty mask is meaningless and is overwritten).
    n_pieces = several = np.int64(0)
    for low in range(0, n_rows, PIECE):
        start = min(low, n_rows - PIECE)
        mask = sum_below(row, start, down, limit) & (~np.int64(0) << np.int64(low - start))
        found[n_pieces] = start + lowest_bit(mask)
        n_pieces += mask != 0
        several |= mask & (mask - 1)
    if n_pieces <= 1 and several == 0:
        return n_pieces
    n_found = 0
    for low in range(0, n_rows, PIECE):
        start = min(low, n_rows - PIECE)
        mask = sum_below(row, start, down, limit) & (~np.int64(0) << np.int64(low - start))
        while mask != 0:
            found[n_found] = start + lowest_bit(mask)
            mask &= mask - 1
            n_found += 1
    return n_found


@njit(nogil=True, cache=True, error_model="numpy")
def _settle_nearest(row, candidates, tip, before, heads, tree, exact, strict):
    """Return the nearest of some clusters by exact distances, and the number of examined pairs.

    The cluster `before` wins ties, then the first one; if `strict`, a tie gives -1.
    """
    nearest = -1
    least = np.inf
    looks = 0
    tied = False
    for j in candidates:
        value, taken = exact_distance(row[j], heads[tip], heads[j], tree, exact)
        looks += taken
        tied = value == least or (tied and value > least)
        if value < least or (value == least and j == before):
            least = value
            nearest = j
    return (-1 if strict and tied else nearest), looks


@njit(nogil=True, cache=True, error_model="numpy")
def cut_settled(tree, exact, n_clusters, budget, strict, out):
    """Fill `out` with the labels of `n_clusters` clusters; return False if it stopped early.

    If `strict`, the function also stops where the last merge of the cut and the next are equal.
    """
    height = tree.height
    n_rows = out.shape[0]
    n_merges = n_rows - n_clusters
    if not _settle_heights(tree, exact, n_merges, budget):
        return False
    last = after = np.inf
    if 0 < n_merges < height.shape[0]:
        last, after = heights_at_cut(height, n_merges)
        if strict and last == after:
            return False
    # Of merges at the height of the cut, the first ones are taken.
    n_equal = n_merges
    for value in height:
        n_equal -= value < last
    parent = np.arange(n_rows)
    for merge in range(n_rows - 1):
        equal = height[merge] == last and n_equal > 0
        if n_merges > 0 and (height[merge] < last or equal):
            join_sets(parent, tree.left[merge], tree.right[merge])
            n_equal -= equal
    label_roots(parent, np.ones(n_rows, dtype=np.bool_), out)
    return True


@njit(nogil=True, cache=True, error_model="numpy")
def heights_at_cut(height, n_merges):
    """Return the largest of the `n_merges` smallest heights, and the next one."""
    n_others = height.shape[0] - n_merges
    if n_others > _FEW:
        ordered = np.sort(height)
        return ordered[n_merges - 1], ordered[n_merges]
    # The largest ones, ascending: usually few clusters are wanted.
    top = np.full(n_others + 1, -np.inf)
    for value in height:
        if value > top[0]:
            slot = 0
            while slot < n_others and value > top[slot + 1]:
                top[slot] = top[slot + 1]
                slot += 1
            top[slot] = value
    return top[0], top[1]


@njit(nogil=True, cache=True, error_model="numpy")
def _settle_heights(tree, exact, n_merges, budget):
    """Update heights if it is uncertain which merges are the `n_merges` lowest; False: stopped."""
    height, left, right, ends = tree.height, tree.left, tree.right, tree.ends
    if n_merges == 0 or n_merges == height.shape[0]:
        return True
    last, after = heights_at_cut(height, n_merges)
    doubt = 2.0 * (2.0 * exact.slack.max() + (exact.share + 1e-6) * after)
    if after - last > 2.0 * doubt:
        return True
    for merge in range(height.shape[0]):
        if last - doubt <= height[merge] <= after + doubt:
            value, looks = farthest_pair(
                height[merge],
                left[merge],
                ends[merge, 0],
                right[merge],
                ends[merge, 1],
                tree.follower,
                exact,
            )
            budget -= looks
            if budget < 0:
                return False
            # The limits keep heights that are not updated outside the uncertain range.
            height[merge] = min(max(value, last - doubt), after + doubt)
    return True
