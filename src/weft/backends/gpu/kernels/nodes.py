"""Powered differences as sums over a few nodes: |u - w|^p ≈ Σ_j ψ_j(w) |u - t_j|^p, 1 < p < 2.

The nodes t_j lie in [-1, 1]; u is any number up to FARTHEST, w up to WIDEST in size. The weights
ψ(w) are fitted by least squares over u with Σ ψ = 1 and Σ ψ t = w, and are kept at knots of w;
between two knots they are on a line. Errors are bounds: between two points of a grid |s|^p is off
its chord by at most (step / 2)^p near 0, and by step² / 8 times its curvature elsewhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.special import erfinv

from weft._base.arrays import Floats, Tensor

N_NODES = 6
WIDEST = 8.0
FARTHEST = 130.0
_STEPS = 64.0  # knots in a unit of w
_GRID = 0.01  # step of u near the nodes
_GROWTH = 1.003  # of one point to the next further out


class Nodes(NamedTuple):
    """Nodes (r,), and at knots w = 0, 1 / steps, ...: weights (knots, r) and errors (knots,)."""

    nodes: Tensor
    weights: Tensor
    errors: Tensor
    steps: float


@lru_cache(maxsize=4)
def _fitted(exponent: float, n_nodes: int) -> tuple[Floats, Floats, Floats]:
    t = erfinv(np.linspace(-1.0, 1.0, n_nodes + 2)[1:-1])
    t /= t[-1]
    w = np.arange(0.0, WIDEST + 1.5 / _STEPS, 1.0 / _STEPS)
    near = np.arange(-WIDEST - 2.0, WIDEST + 2.0 + _GRID, _GRID)
    far = [near[-1]]
    while far[-1] < FARTHEST:
        far.append(far[-1] * _GROWTH)
    u = np.concatenate([-np.array(far[:0:-1]), near, far[1:]])
    basis = np.abs(u[:, None] - t) ** exponent
    wanted = np.abs(u[:, None] - w) ** exponent
    # Most rows lie near the centres.
    mass = np.where(np.abs(u) <= 3.0, 1.0, 0.05)[:, None]
    moments = np.stack([np.ones(n_nodes), t])
    system = np.block([[basis.T @ (mass * basis), moments.T], [moments, np.zeros((2, 2))]])
    right = np.concatenate([basis.T @ (mass * wanted), np.ones((1, len(w))), w[None]])
    weights = np.linalg.lstsq(system, right, rcond=1e-14)[0][:n_nodes]
    errors = np.abs(wanted - basis @ weights).max(axis=0)
    chord = (0.5 * _GRID) ** exponent
    outer = np.array(far) - 1.0 - WIDEST  # smallest distance from any node or centre
    step = (_GROWTH - 1.0) * np.array(far)
    curve = exponent * (exponent - 1.0) * outer ** (exponent - 2.0)
    chord = max(chord, float((step**2 / 8.0 * curve).max()))
    errors = errors + chord * (1.0 + np.abs(weights).sum(axis=0))
    return t, weights.T, errors + (0.5 / _STEPS) ** exponent


def make_nodes(exponent: float, device: Any, n_nodes: int = N_NODES) -> Nodes:
    """Return the nodes of a power."""
    t, weights, errors = (torch.as_tensor(a, device=device) for a in _fitted(exponent, n_nodes))
    return Nodes(t.to(torch.float32), weights, errors, _STEPS)
