"""Affinity propagation of a whole swarm; see the reference for the notation."""

from __future__ import annotations

import numpy as np
import torch

from weft._base.arrays import Tensor
from weft.backends.devices import is_fused
from weft.backends.gpu.kernels import fused

# Constants of the hash as signed 64-bit integers, because torch does not multiply unsigned ones.
_MIX = [int(np.uint64(c).astype(np.int64)) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)]
_MIX += [int(np.uint64(0x94D049BB133111EB).astype(np.int64))]

# Larger matrices are not sorted whole for their median.
_SAMPLED = 1 << 16


def break_ties(S: Tensor) -> None:
    """Update `S` (P, n, n): move each entry by a few rounding steps, by a hash of its position."""
    step, least = (2.0**-17, 1e-37) if S.dtype == torch.float32 else (2.0**-46, 1e-300)
    n_rows = S.shape[1]
    height = max(2**24 // n_rows, 1)
    columns = torch.arange(n_rows, dtype=torch.int64, device=S.device)[None, :] * _MIX[1]
    for first in range(0, n_rows, height):
        last = min(first + height, n_rows)
        rows = torch.arange(first, last, dtype=torch.int64, device=S.device)[:, None]
        z = rows * _MIX[0] + columns
        z = (z ^ _shift(z, 30)) * _MIX[1]
        z = (z ^ _shift(z, 27)) * _MIX[2]
        part = _shift(z ^ _shift(z, 31), 11).to(torch.float64) * 2.0**-53
        for matrix in S:  # one hash for all particles; float64 entries for one particle at a time
            piece = matrix[first:last]
            piece += ((step * piece.to(torch.float64) - least) * part).to(S.dtype)


def _shift(z: Tensor, bits: int) -> Tensor:
    """Shift to the right as if unsigned."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def median_similarity(S: Tensor) -> Tensor:
    """Return the median (P,) of all entries of each matrix, in float64."""
    count = S.shape[1] * S.shape[2]
    places = ((count - 1) // 2, count // 2)
    if count <= _SAMPLED:
        flat = S.reshape(len(S), -1).sort(dim=1).values
        return flat[:, list(places)].to(torch.float64).mean(dim=1)
    return torch.stack([_middle(matrix.reshape(-1), places) for matrix in S])


def _middle(values: Tensor, places: tuple[int, int]) -> Tensor:
    """Return the mean of two neighbouring order statistics.

    A sample estimates an interval that contains them; only the numbers in it are sorted.
    """
    count = len(values)
    sample = values[:: max(count // _SAMPLED, 1) | 1].sort().values
    middle = int(len(sample) * places[0] / count)
    width = int(4.0 * len(sample) ** 0.5)
    low = sample[max(middle - width, 0)]
    high = sample[min(middle + width, len(sample) - 1)]
    below = int((values < low).sum())
    inside = values[(values >= low) & (values <= high)].sort().values
    wanted = [place - below for place in places]
    if wanted[0] < 0 or wanted[1] >= len(inside):  # outside the estimated interval: sort all
        inside, wanted = values.sort().values, list(places)
    return inside[wanted].to(torch.float64).mean()


def affinity_propagation(
    S: Tensor, damping: float, max_iter: int, patience: int
) -> tuple[Tensor, Tensor]:
    """Return each row's exemplar (P, n), -1 if there is none, and which particles converged."""
    in_registers = is_fused(S.device) and S.shape[1] <= fused.affinity.MOST_ROWS
    propagate = fused.affinity.propagate if in_registers else _propagate
    exemplar, settled = propagate(S, damping, max_iter, patience)
    return assign_exemplars(S, exemplar), settled


def _propagate(S: Tensor, damping: float, max_iter: int, patience: int) -> tuple[Tensor, Tensor]:
    P, n_rows, _ = S.shape
    R, A = torch.zeros_like(S), torch.zeros_like(S)
    exemplar = torch.zeros((P, n_rows), dtype=torch.bool, device=S.device)
    stood = torch.zeros(P, dtype=torch.int64, device=S.device)
    done = torch.zeros(P, dtype=torch.bool, device=S.device)
    for _ in range(max_iter):
        candidate = A + S
        best = candidate.argmax(dim=2, keepdim=True)
        largest = candidate.gather(2, best)
        second = candidate.scatter_(2, best, -torch.inf).amax(dim=2, keepdim=True)
        rival = largest.expand_as(S).scatter(2, best, second)
        R = damping * R + (1.0 - damping) * (S - rival)
        positive = R.clamp(min=0.0)
        positive.diagonal(dim1=1, dim2=2).copy_(R.diagonal(dim1=1, dim2=2))
        support = positive.sum(dim=1, keepdim=True) - positive
        own = support.diagonal(dim1=1, dim2=2).clone()
        support.clamp_(max=0.0).diagonal(dim1=1, dim2=2).copy_(own)
        A = damping * A + (1.0 - damping) * support
        now = (A.diagonal(dim1=1, dim2=2) + R.diagonal(dim1=1, dim2=2)) > 0.0
        same = (now == exemplar).all(dim=1)
        # Particles that have converged keep their state, while the others continue.
        stood = torch.where(done, stood, torch.where(same, stood + 1, 1))
        exemplar = torch.where(done[:, None], exemplar, now)
        done |= (stood >= patience) & exemplar.any(dim=1)
        if bool(done.all()):
            break
    return exemplar, done


def assign_exemplars(S: Tensor, exemplar: Tensor) -> Tensor:
    """Return each row's most similar exemplar after each cluster has chosen its best one."""
    P, n_rows, _ = S.shape
    rows = torch.arange(n_rows, device=S.device).expand(P, -1)
    nearest = _most_similar(S, exemplar, rows)
    refined = torch.zeros_like(exemplar)
    for p in range(P):  # P × n × n masks would need as much memory as a further matrix each
        mates = nearest[p][:, None] == nearest[p][None, :]
        sums = (S[p] * mates).sum(dim=0, dtype=torch.float64)
        best = torch.full((n_rows,), -torch.inf, dtype=torch.float64, device=S.device)
        best.scatter_reduce_(0, nearest[p], sums, "amax")
        winner = sums == best[nearest[p]]
        first = torch.full((n_rows,), n_rows, device=S.device)
        first.scatter_reduce_(0, nearest[p][winner], rows[0][winner], "amin")
        refined[p][first[first < n_rows]] = True
    refined &= exemplar.any(dim=1)[:, None]
    found = _most_similar(S, refined, rows)
    return torch.where(exemplar.any(dim=1)[:, None], found, -1)


def _most_similar(S: Tensor, chosen: Tensor, rows: Tensor) -> Tensor:
    nearest = torch.where(chosen[:, None, :], S, -torch.inf).argmax(dim=2)
    return torch.where(chosen, rows, nearest)
