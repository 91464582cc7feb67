"""Connected components of the graphs of nearest rows, for a whole swarm."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor


@triton.jit
def _components(indices, parent, n_rows, k, B: tl.constexpr):
    p = tl.program_id(0).to(tl.int64)
    base = p * n_rows
    changed = 1
    while changed > 0:
        moved = tl.zeros((B,), dtype=tl.int32)
        for start in range(0, n_rows * k, B):
            edge = start + tl.arange(0, B)
            ok = edge < n_rows * k
            j = tl.load(indices + base * k + edge, mask=ok, other=0)
            a = tl.load(parent + base + edge // k, mask=ok, other=0, cache_modifier=".cg")
            b = tl.load(parent + base + j, mask=ok, other=0, cache_modifier=".cg")
            differ = ok & (a != b)
            # The larger root is attached to the smaller one; an edge that loses a race is tried
            # again.
            tl.atomic_min(parent + base + tl.maximum(a, b), tl.minimum(a, b), mask=differ)
            moved += differ.to(tl.int32)
        changed = tl.sum(moved, axis=0)
        tl.debug_barrier()
        if changed > 0:
            for start in range(0, n_rows, B):
                row = start + tl.arange(0, B)
                ok = row < n_rows
                a = tl.load(parent + base + row, mask=ok, other=0, cache_modifier=".cg")
                b = tl.load(parent + base + a, mask=ok, other=0, cache_modifier=".cg")
                while tl.max((a != b).to(tl.int32), axis=0) > 0:
                    a = b
                    b = tl.load(parent + base + a, mask=ok, other=0, cache_modifier=".cg")
                tl.store(parent + base + row, a, mask=ok)
            tl.debug_barrier()


def graph_components(indices: Tensor) -> Tensor:
    """Return the first row of each row's component, (P, n) int32, of kNN graphs (P, n, k)."""
    P, n_rows, k = indices.shape
    rows = torch.arange(n_rows, dtype=torch.int32, device=indices.device)
    parent = rows.repeat(P, 1)
    B = min(4096, triton.next_power_of_2(n_rows))
    _components[(P,)](indices, parent, n_rows, k, B=B, num_warps=16)
    return parent
