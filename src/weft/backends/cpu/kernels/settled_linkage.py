"""Complete linkage from distances in single precision, with the labels of double precision.

The error of a distance between clusters is at most that of the worst pair. If this leaves open
which cluster is the nearest, or which merges are the last, the few pairs that may be the farthest
are computed again in double precision. If many distances are exactly equal, this would take longer
than double precision from the start; the function then stops and returns False.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from weft.backends.cpu.kernels.linkage import cut_tree
from weft.backends.cpu.kernels.neighbours import true_powered
from weft.backends.cpu.kernels.vectors import PIECE, least_sum, lowest_bit, sum_below

# Cost of an exact distance, in examined pairs; and the limit of examined pairs, as a multiple of
# all pairs of rows, above which double precision would be faster.
_EXACT_COST = 64
_PATIENCE = 2


@njit(nogil=True, cache=True, error_model="numpy")
def settled_linkage(distances, work, slack, share, columns, exponents, n_clusters, out):
    """Fill `out` like `complete_linkage` with exact distances; return False if it stopped early.

    `distances` (n, n), n ≥ PIECE, in single precision, have errors of at most slack_i + slack_j +
    share · distance. `work`, of the same shape, is working memory.
    """
    n_rows = distances.shape[0]
    height = np.empty(n_rows - 1)
    left, right = np.empty(n_rows - 1, np.uint32), np.empty(n_rows - 1, np.uint32)
    # The members of a cluster are a linked list: a merge appends one list to the other.
    follower = np.full(n_rows, -1)
    end = np.arange(n_rows)
    ends = np.empty((n_rows - 1, 2), np.int64)
    # The largest slack in each cluster, and minus that.
    up, down = slack.copy(), -slack
    # A row is copied when it is first read, because it is then in the cache.
    caught_up = np.full(n_rows, -1)
    dead = np.zeros(n_rows, np.bool_)
    chain, found = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    pairs = distances, columns, exponents, follower
    length = first = 0
    budget = _PATIENCE * n_rows * n_rows
    for merge in range(n_rows - 1):
        if length == 0:
            while dead[first]:
                first += 1
            chain[0] = first
            length = 1
        while True:
            tip = chain[length - 1]
            before = chain[length - 2] if length > 1 else -1
            row = work[tip]
            _copy_or_catch_up(distances[tip], row, left, right, caught_up, tip, merge)
            n_found = _candidates(row, up, down, up[tip], share, found)
            if n_found == 0:
                return False  # all distances are beyond single precision
            nearest = found[0]
            if n_found > 1:
                nearest, looks = _settle_nearest(
                    row, found[:n_found], tip, before, end, slack, share, pairs
                )
                budget -= looks
                if budget < 0:
                    return False
            if nearest == before:
                break
            chain[length] = nearest
            length += 1
        low, high = min(tip, nearest), max(tip, nearest)
        length -= 2
        _copy_or_catch_up(distances[nearest], work[nearest], left, right, caught_up, nearest, merge)
        height[merge] = work[tip, nearest]
        left[merge], right[merge] = low, high
        ends[merge, 0], ends[merge, 1] = end[low], end[high]
        follower[end[low]] = high
        end[low] = end[high]
        dead[high] = True
        up[low] = max(up[low], up[high])
        down[low] = -up[low]
        up[high] = down[high] = np.inf
        row, other = work[low], work[high]
        for j in range(n_rows):
            row[j] = max(row[j], other[j])
        row[low] = np.inf
        caught_up[low] = merge + 1
    n_merges = n_rows - n_clusters
    if not _settle_heights(height, left, right, ends, n_merges, slack, share, budget, pairs):
        return False
    cut_tree(height, left, right, n_clusters, out)
    return True


@njit(nogil=True, cache=True, error_model="numpy")
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


@njit(nogil=True, cache=True, error_model="numpy")
def _doubt_limit(smallest, own, share):
    """Return an upper limit of candidates for the nearest cluster, their slack subtracted."""
    # Slightly larger because of rounding; never 0, because distances of 0 must be below it.
    return np.float32((smallest + 2.0 * own) * (1.0 + 2.5 * share + 1e-6) + 1e-30)


@njit(nogil=True, cache=True, error_model="numpy")
def _candidates(row, up, down, own, share, found):
    """Fill the beginning of `found` with clusters that may be the nearest; return their number."""
    n_rows = row.shape[0]
    # First an upper bound of the smallest distance, then all clusters that may be below it: two
    # passes without a branch are faster than one pass that records every new minimum.
    smallest = np.float32(np.inf)
    for low in range(0, n_rows, PIECE):
        smallest = min(smallest, least_sum(row, min(low, n_rows - PIECE), up))
    limit = _doubt_limit(smallest, own, share)
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
def _settle_nearest(row, candidates, tip, before, end, slack, share, pairs):
    """Return the nearest of some clusters by exact distances, and the number of examined pairs.

    The cluster `before` wins ties, then the first one.
    """
    nearest = -1
    least = np.inf
    looks = 0
    for j in candidates:
        value, taken = _exact(row[j], tip, j, end, slack, share, pairs)
        looks += taken
        if value < least or (value == least and j == before):
            least = value
            nearest = j
    return nearest, looks


@njit(nogil=True, cache=True, error_model="numpy")
def _exact(value, a, b, end, slack, share, pairs):
    """Return the exact distance of the clusters that begin at rows a and b, and examined pairs."""
    return _farthest(value, a, end[a], b, end[b], slack, share, pairs)


@njit(nogil=True, cache=True, error_model="numpy")
def _most_slack(slack, row, last, follower):
    """Return the largest slack in a chain of rows."""
    most = 0.0
    while True:
        most = max(most, slack[row])
        if row == last:
            return most
        row = follower[row]


@njit(nogil=True, cache=True, error_model="numpy")
def _farthest(value, a, last_a, b, last_b, slack, share, pairs):
    """Return the exact distance of the farthest rows of two chains of rows, about `value`."""
    distances, columns, exponents, follower = pairs
    doubt = _most_slack(slack, a, last_a, follower) + _most_slack(slack, b, last_b, follower)
    # Both the farthest pair's distance and `value` may have an error of either sign.
    least = value * (1.0 - 2.5 * share - 1e-6) - 2.0 * doubt
    farthest = 0.0
    looks = 0
    i = a
    while True:
        row = distances[i]
        j = b
        while True:
            looks += 1
            if row[j] >= least:
                looks += _EXACT_COST
                farthest = max(farthest, true_powered(columns, exponents, i, j))
            if j == last_b:
                break
            j = follower[j]
        if i == last_a:
            break
        i = follower[i]
    return farthest, looks


@njit(nogil=True, cache=True, error_model="numpy")
def _settle_heights(height, left, right, ends, n_merges, slack, share, budget, pairs):
    """Update `height` if it is uncertain which merges are the `n_merges` lowest; False: stopped."""
    if n_merges == 0 or n_merges == height.shape[0]:
        return True
    ordered = np.sort(height)
    last, after = ordered[n_merges - 1], ordered[n_merges]
    doubt = 2.0 * (2.0 * slack.max() + (share + 1e-6) * after)
    if after - last > 2.0 * doubt:
        return True
    for merge in range(height.shape[0]):
        if last - doubt <= height[merge] <= after + doubt:
            value, looks = _farthest(
                height[merge],
                left[merge],
                ends[merge, 0],
                right[merge],
                ends[merge, 1],
                slack,
                share,
                pairs,
            )
            budget -= looks
            if budget < 0:
                return False
            # The limits keep heights that are not updated outside the uncertain range.
            height[merge] = min(max(value, last - doubt), after + doubt)
    return True
