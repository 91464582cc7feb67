"""Lower bounds of powered differences that are products: |u - w|^p ≥ Σ_j a_j(u) b_j(w), 1 < p < 2.

With a knot t, e = u - t and δ = w - t, a tangent and a remainder R:

    |e - δ|^p = |e|^p - δ p |e|^(p-1) sign(e) + R,    R = δ² ∫ (1 - s) p (p - 1) |e - sδ|^(p-2) ds

over s from 0 to 1. Since |e - sδ| ≤ |e| + s |δ| and p < 2, for |δ| ≤ D

    R ≥ δ² c(|e|),    c(|e|) = ∫ (1 - s) p (p - 1) (|e| + sD)^(p-2) ds.

R is convex in δ and 0 at 0, so R ≥ D |δ| c(|e|) where |δ| > D. At p = 1.5, with g = √|e| and
h = √(|e| + D), c = (h + g/2) / (g + h)². For other powers c ≥ p (p - 1) / 2 (|e| + D/3)^(p-2), by
Jensen's inequality.

There are two knots, ±KNOT, and w takes the one on its side. So a is (|e|^p, -p |e|^(p-1) sign(e),
c(|e|)) of both knots, and b is (1, δ, min(δ², D |δ|)) of one.
"""

from __future__ import annotations

import torch

from weft._base.arrays import Tensor

KNOT = 0.8
CURVED = 1.0  # D
N_TERMS = 6


def coefficients(w: Tensor) -> Tensor:
    """Return b of each w: one more dimension, N_TERMS long, those of -KNOT first."""
    above = w > 0.0
    away = torch.where(above, w - KNOT, w + KNOT)
    size = away.abs()
    own = torch.stack([torch.ones_like(w), away, size * size.clamp(max=CURVED)], dim=-1)
    above = above[..., None]
    return torch.cat([torch.where(above, 0.0, own), torch.where(above, own, 0.0)], dim=-1)
