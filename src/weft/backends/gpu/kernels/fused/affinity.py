"""Affinity propagation: one pass over S, R and A per round, for all particles not yet converged.

A program takes some rows, finishes their availabilities, computes their next responsibilities and
keeps the columns' sums in registers. Convergence is recorded on the device, so the host reads it
only after several rounds.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from weft._base.arrays import Tensor

# A row has to fit into a program's registers.
MOST_ROWS = 16384
_CHUNK = 16
_ASK_EVERY = 10


@triton.jit
def _round(S, R, A, support, partial, exemplar, done, n_rows, n_chunks, keep, take,
           BN: tl.constexpr, CHUNK: tl.constexpr, FIRST: tl.constexpr,
           LAST: tl.constexpr):  # fmt: skip
    p = tl.program_id(1).to(tl.int64)
    if tl.load(done + p) == 0:
        column = tl.arange(0, BN)
        ok = column < n_rows
        known = tl.load(support + p * n_rows + column, mask=ok, other=0.0)
        sums = tl.zeros((BN,), dtype=tl.float32)
        begin = tl.program_id(0) * CHUNK
        for i in range(begin, tl.minimum(begin + CHUNK, n_rows)):
            place = (p * n_rows + i) * n_rows + column
            s = tl.load(S + place, mask=ok, other=float("-inf"))
            if FIRST:
                r = tl.zeros((BN,), dtype=tl.float32)
                candidate = s
                tl.store(A + place, r, mask=ok)
            else:
                r = tl.load(R + place, mask=ok, other=0.0)
                a = tl.load(A + place, mask=ok, other=0.0)
                diagonal = column == i
                value = tl.where(diagonal, known - r, tl.minimum(known - tl.maximum(r, 0.0), 0.0))
                a = keep * a + take * value
                tl.store(A + place, a, mask=ok)
                candidate = a + s
                standing = tl.sum(tl.where(diagonal, a + r, 0.0), axis=0)
                tl.store(exemplar + p * n_rows + i, (standing > 0.0).to(tl.int32))
            if not LAST:
                largest = tl.max(candidate, axis=0)
                where = tl.min(tl.where(candidate == largest, column, BN), axis=0)
                second = tl.max(tl.where(column == where, float("-inf"), candidate), axis=0)
                rival = tl.where(column == where, second, largest)
                r = keep * r + take * (tl.where(ok, s, 0.0) - rival)
                tl.store(R + place, r, mask=ok)
                # The sum contains R_kk itself, not its positive part.
                sums += tl.where(column == i, r, tl.maximum(r, 0.0))
        if not LAST:
            tl.store(partial + (p * n_chunks + tl.program_id(0)) * n_rows + column, sums, mask=ok)


@triton.jit
def _gather(partial, support, done, n_rows, n_chunks, B: tl.constexpr):
    p = tl.program_id(1).to(tl.int64)
    if tl.load(done + p) == 0:
        column = tl.program_id(0) * B + tl.arange(0, B)
        ok = column < n_rows
        total = tl.zeros((B,), dtype=tl.float32)
        for part in range(0, n_chunks):
            total += tl.load(partial + (p * n_chunks + part) * n_rows + column, mask=ok, other=0.0)
        tl.store(support + p * n_rows + column, total, mask=ok)


@triton.jit
def _judge(exemplar, before, stood, done, n_rows, patience, B: tl.constexpr):
    p = tl.program_id(0).to(tl.int64)
    if tl.load(done + p) == 0:
        changed = tl.zeros((B,), dtype=tl.int32)
        found = tl.zeros((B,), dtype=tl.int32)
        for start in range(0, n_rows, B):
            row = start + tl.arange(0, B)
            ok = row < n_rows
            now = tl.load(exemplar + p * n_rows + row, mask=ok, other=0)
            old = tl.load(before + p * n_rows + row, mask=ok, other=0)
            changed += (now != old).to(tl.int32)
            found += now
            tl.store(before + p * n_rows + row, now, mask=ok)
        rounds = tl.where(tl.sum(changed, axis=0) > 0, 1, tl.load(stood + p) + 1)
        tl.store(stood + p, rounds)
        settled = (rounds >= patience) & (tl.sum(found, axis=0) > 0)
        tl.store(done + p, settled.to(tl.int32))


def propagate(S: Tensor, damping: float, max_iter: int, patience: int) -> tuple[Tensor, Tensor]:
    """Return which rows are exemplars (P, n) and which particles converged (P,), from S (P, n,
    n)."""
    P, n_rows, _ = S.shape
    device = S.device
    R, A = torch.empty_like(S), torch.empty_like(S)
    n_chunks = triton.cdiv(n_rows, _CHUNK)
    partial = torch.empty((P, n_chunks, n_rows), dtype=torch.float32, device=device)
    support = torch.zeros((P, n_rows), dtype=torch.float32, device=device)
    exemplar = torch.zeros((P, n_rows), dtype=torch.int32, device=device)
    before = torch.zeros_like(exemplar)
    stood = torch.zeros(P, dtype=torch.int32, device=device)
    done = torch.zeros(P, dtype=torch.int32, device=device)
    BN = triton.next_power_of_2(n_rows)
    warps = min(max(BN // 256, 1), 16)
    for number in range(max_iter + 1):
        _round[(n_chunks, P)](
            S, R, A, support, partial, exemplar, done, n_rows, n_chunks, damping, 1.0 - damping,
            BN=BN, CHUNK=_CHUNK, FIRST=number == 0, LAST=number == max_iter, num_warps=warps,
            enable_fp_fusion=False,
        )  # fmt: skip
        if number > 0:
            _judge[(P,)](exemplar, before, stood, done, n_rows, patience, B=1024)
            if number % _ASK_EVERY == 0 and bool(done.all()):
                break
        if number < max_iter:
            _gather[(triton.cdiv(n_rows, 256), P)](partial, support, done, n_rows, n_chunks, B=256)
    return before > 0, done > 0
