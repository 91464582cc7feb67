"""How far a mixture strays from what its classes are drawn to.

Variances and shares of levels of a class are drawn to those of all classes or of the table. That is
a prior, and expectation and maximisation climb the likelihood times this prior, not the likelihood
alone. So two fits are compared by both together: by the likelihood alone, a class of few equal rows
with hardly any variance would beat every sensible fit.

With S_k the covariance of class k, S their mean, P the rows of the prior, a_l the prior counts of
level l, s_l its share in the table and θ_kl its share in the class, the logarithm of the prior is,
up to a constant that all fits of a table share,

    -P/2 Σ_k (tr(S_k⁻¹ S) - log det(S_k⁻¹ S) - q)    +    Σ_k Σ_l a_l log(θ_kl / s_l)
"""

from __future__ import annotations

import numpy as np

from weft._base.arrays import Floats


def log_prior_of_variances(variances: Floats, sizes: Floats, prior_rows: float) -> float:
    """Return the first sum where S_k is diagonal.

    Parameters
    ----------
    variances : (K, q)
    sizes : rows of each class, (K,)
    prior_rows : P
    """
    ratio = _mean_of(variances, sizes, prior_rows) / variances
    return -0.5 * prior_rows * float((ratio - np.log(ratio) - 1.0).sum())


def log_prior_of_covariances(covariances: Floats, sizes: Floats, prior_rows: float) -> float:
    """Return the first sum; `covariances` is (K, q, q)."""
    ratio = np.linalg.solve(covariances, _mean_of(covariances, sizes, prior_rows)[np.newaxis])
    traces = np.trace(ratio, axis1=1, axis2=2)
    logs = np.linalg.slogdet(ratio)[1]
    return -0.5 * prior_rows * float((traces - logs - covariances.shape[1]).sum())


def log_prior_of_levels(log_theta: Floats, prior: Floats) -> float:
    """Return the second sum.

    Parameters
    ----------
    log_theta : log θ, (K, L)
    prior : a, (L,), a multiple of s within each category
    """
    # log s up to a constant that all fits share
    return float((prior * (log_theta - np.log(np.maximum(prior, 1e-12)))).sum())


def _mean_of(spreads: Floats, sizes: Floats, prior_rows: float) -> Floats:
    """Return S. Drawing the S_k to it leaves their mean, weighted by n_k + P, where it is."""
    mean: Floats = np.tensordot(sizes + prior_rows, spreads, 1) / (sizes + prior_rows).sum()
    return mean
