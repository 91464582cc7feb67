"""A table on a GPU, and what a swarm's partitions and weights come to in it: see `dense`.

The two products, with the distances' matrix and with the members' columns, run there for the whole
swarm; weights are a few thousand numbers and are found on the host. Products are in float64, which
costs a data-centre GPU no more than float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft._base.arrays import Floats, Integers, Labels, Tensor
from weft.backends.devices import load_torch, to_device
from weft.methods.projected.criteria import Criterion
from weft.methods.projected.dense import DenseSpace, Settled, Summary, refill
from weft.parallel.threads import Runner

_AT_ONCE = 2**27  # numbers that one step holds


class DeviceSpace(DenseSpace):
    """`DenseSpace` on a torch device; what comes in and goes out is NumPy's."""

    def __init__(
        self, X: Floats, n_clusters: int, criterion: Criterion, run: Runner, *, device: str
    ) -> None:
        torch = load_torch()
        self.n_clusters = n_clusters
        self.criterion = criterion
        self.run = run
        self.mean = X.mean(axis=0)
        self.X = X - self.mean
        self.norms = np.einsum("ij,ij->i", self.X, self.X)
        self.device = torch.device(device)
        self.moved = self._there(self.X)
        self.rows_there = torch.hstack([self.moved * self.moved, self.moved])  # (n, 2M)
        self.norms_there = self._there(self.norms)

    def products(self, numbers: Integers) -> Floats:
        """Return inner products of a few rows with all rows."""
        return np.asarray((self.moved[self._there(numbers)] @ self.moved.T).cpu().numpy())

    def assign(
        self, factors: Floats, centers: Floats, dead: NDArray[np.bool_], *, exact: bool = False
    ) -> tuple[Labels, Floats]:
        """Return each row's nearest living centre for each particle, and how far it is."""
        labels, best = self._nearest(factors, centers, dead)
        return labels.cpu().numpy(), best.cpu().numpy()

    def summarise(self, labels: Any) -> Summary:
        """Return sizes, centres and dispersions of each particle's clusters (eq. 17)."""
        own = self._there(labels)
        n_features = self.shape[1]
        totals, sizes = (each.cpu().numpy() for each in self._totals(own))
        squares, sums = totals[..., :n_features], totals[..., n_features:]
        centers = sums / np.maximum(sizes, 1.0)[..., np.newaxis]
        return Summary(sizes, centers, np.maximum(squares - centers * sums, 0.0))

    def settle(self, labels: Labels, n_rounds: int, *, exact: bool = False) -> Settled:
        """Run up to `n_rounds` of the closed-form alternation; labels stay on the device."""
        own = self._there(labels).clone()
        value = np.empty(len(labels))
        live = np.arange(len(labels))
        for number in range(n_rounds + 1):
            at = self._there(live)
            sizes, centers, spread = self.summarise(own[at])
            shares = self.criterion.weights(spread, sizes)
            value[live] = self.criterion.value(shares, sizes, spread)
            if number == n_rounds:
                break
            found, best = self._nearest(self.criterion.factors(shares), centers, sizes == 0.0)
            self._refill(found, best)
            changed = (found != own[at]).any(dim=1)
            own[at[changed]] = found[changed]
            live = live[changed.cpu().numpy()]
            if len(live) == 0:
                break
        return Settled(own.cpu().numpy(), -value)

    def plus_plus(self, n_particles: int, rng: np.random.Generator) -> Integers:
        """Draw greedy k-means++ starts (P, K): `starts.plus_plus` with the same draws."""
        torch = load_torch()
        n_rows = self.shape[0]
        n_trials = 2 + int(np.log(self.n_clusters))
        chosen = np.empty((n_particles, self.n_clusters), dtype=np.int64)
        chosen[:, 0] = rng.integers(n_rows, size=n_particles)
        nearest = self._squared_distances(self._there(chosen[:, 0]))
        particles = torch.arange(n_particles, device=self.device)
        for number in range(1, self.n_clusters):
            reach = nearest.cumsum(dim=1)
            aims = self._there(rng.uniform(size=(n_particles, n_trials))) * reach[:, -1:]
            candidates = torch.searchsorted(reach, aims, right=True).clamp(max=n_rows - 1)
            offered = self._squared_distances(candidates.ravel())
            offered = torch.minimum(offered.reshape(*aims.shape, n_rows), nearest[:, None])
            best = offered.sum(dim=2).argmin(dim=1)
            chosen[:, number] = candidates[particles, best].cpu().numpy()
            nearest = offered[particles, best]
        return chosen

    def _squared_distances(self, rows: Tensor) -> Tensor:
        out = self.norms_there[rows, None] + self.norms_there
        out -= 2.0 * (self.moved[rows] @ self.moved.T)
        out.clamp_(min=0.0)
        out.scatter_(1, rows[:, None], 0.0)
        return out

    def _there(self, array: Any) -> Tensor:
        return to_device(array, self.device)

    def _nearest(
        self, factors: Floats, centers: Floats, dead: NDArray[np.bool_]
    ) -> tuple[Tensor, Tensor]:
        torch = load_torch()
        tilted = factors * centers
        P, K, M = tilted.shape
        right = np.concatenate([np.broadcast_to(factors, tilted.shape), -2.0 * tilted], axis=2)
        constant = np.einsum("pkj,pkj->pk", tilted, centers)
        constant[dead] = np.inf
        matrix = self._there(right.reshape(P * K, 2 * M)).T
        offset = self._there(constant.reshape(P * K))
        labels, best = [], []
        height = max(_AT_ONCE // (P * K), 1)
        for first in range(0, len(self.moved), height):
            distances = self.rows_there[first : first + height] @ matrix
            distances += offset
            distances = distances.reshape(-1, P, K)
            found = distances.argmin(dim=2, keepdim=True)
            best.append(distances.gather(2, found)[:, :, 0].T)
            labels.append(found[:, :, 0].T.to(torch.int32))
        return torch.cat(labels, dim=1), torch.cat(best, dim=1)

    def _members(self, labels: Tensor) -> Tensor:
        """Return (P, n, K), 1 in the column of a row's cluster; rows in none have 0 throughout."""
        torch = load_torch()
        shape = (*labels.shape, self.n_clusters)
        out = torch.zeros(shape, dtype=torch.float64, device=self.device)
        there = (labels >= 0).to(torch.float64)[:, :, None]
        return out.scatter_(2, labels.clamp(min=0).long()[:, :, None], there)

    def _totals(self, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return sums (P, K, 2M) of squares and values over each cluster's rows, and sizes."""
        torch = load_torch()
        totals, sizes = [], []
        height = max(_AT_ONCE // (labels.shape[1] * self.n_clusters), 1)
        for first in range(0, len(labels), height):
            member = self._members(labels[first : first + height])
            totals.append(member.transpose(1, 2) @ self.rows_there)
            sizes.append(member.sum(dim=1))
        return torch.cat(totals), torch.cat(sizes)

    def _refill(self, labels: Tensor, cost: Tensor) -> None:
        """Give empty clusters a row each, in place: few partitions have any, so on the host."""
        counts = self._members(labels).sum(dim=1)
        for number in (counts == 0.0).any(dim=1).nonzero()[:, 0].tolist():
            own = labels[number].cpu().numpy()
            refill(own, cost[number].cpu().numpy(), self.n_clusters)
            labels[number] = self._there(own)
