"""Rounds that stay on a device: the host reads flags after several rounds.

A batch of rounds is started without waiting for any of them. Each stores its labels, centres and
weights, and three numbers: the mass of the rows that changed cluster, how many clusters are empty,
and how many dispersions were lost in a subtraction. The host reads the numbers of the whole batch,
keeps the rounds up to the first one in which something happens, and discards the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import torch

from weft._base.arrays import Floats, Labels, Tensor
from weft.backends.gpu.kernels import fused
from weft.backends.gpu.kernels.weights import DeviceRule
from weft.backends.rounds import Advance, PlainRounds

FIRST_BATCH = 2
LARGEST_BATCH = 8
CANCELLED = 1e-7  # share of a sum of squares below which the host computes a dispersion again


class _State(NamedTuple):
    """The state at the start of a round."""

    labels: Tensor  # (n,) int32, of the round before; -1 where there was none
    centers: Tensor
    weights: Tensor
    spread: Tensor  # (K, M), dispersions around the centres; NaN where they are not known


class _Round(NamedTuple):
    """The result of a round: labels, centres and weights after it, and flags."""

    after: _State
    flags: Tensor  # (4,): mass that changed cluster, empty clusters, lost dispersions, criterion


class DeviceRounds(PlainRounds):
    """Rounds over rows without missing values, on a GPU."""

    def __init__(self, operations: ModuleType, rows: Any) -> None:
        super().__init__(operations, rows)
        self.means = rows.exponent == 2.0
        if self.means:
            self.scaled = fused.rounds.scale_rows(rows.X)
        self.search: Any = None
        self.rule: Any = None
        self.recorded: Callable[[_State], _Round] | None = None

    def advance(
        self,
        labels: Labels,
        centers: Floats,
        weights: Floats,
        rule: Any,
        *,
        max_rounds: int,
        allowed: float,
    ) -> Advance:
        """Do rounds until labels do not change, until `max_rounds`, or until the host is needed.

        `labels` are those of the round before, -1 if there was none.
        """
        own, c, w = self.rows.to_device(labels, centers, weights)
        state = _State(own, c, w, torch.full_like(c, torch.nan))
        if not self.means and (self.search is None or self.search.n_clusters != len(c)):
            X, exponent = self.rows.X, self.rows.exponent
            self.search = fused.minkowski.Search(X, exponent, len(c))
            scaled = self.search.rows
            self.solver = fused.centers.Solver(X, self.rows.load, scaled)
            self.recorded = None
        if self.recorded is None or self.rule.rule is not rule:
            # A recorded graph reads the rule's tensors at every call, so they must be kept as long
            # as it.
            self.rule = DeviceRule(rule, self.rows.X.device)
            self.recorded = self._record(state)
        step = self.recorded
        begun = bool(labels[0] >= 0)
        trace: list[float] = []
        batch = FIRST_BATCH
        while len(trace) < max_rounds:
            rounds = []
            here = state
            for _ in range(min(batch, max_rounds - len(trace))):
                rounds.append(step(here))
                here = rounds[-1].after
            batch = min(2 * batch, LARGEST_BATCH)
            for flags, each in zip(
                torch.stack([each.flags for each in rounds]).tolist(), rounds, strict=True
            ):
                changed, empty, lost, criterion = flags
                if empty:
                    return self._answer(state, trace)
                if begun and changed <= allowed:
                    found = state._replace(labels=each.after.labels)
                    return self._answer(found, trace, converged=True, changed=changed > 0.0)
                if lost:
                    return self._answer(state, trace)
                state, begun = each.after, True
                trace.append(criterion)
        return self._answer(state, trace)

    def _round(self, state: _State) -> _Round:
        """Start one round."""
        rule = self.rule
        factors = rule.factors(state.weights)
        if self.means:
            labels = fused.rounds.nearest(self.rows.X, self.scaled, state.centers, factors)
            centers, spread, mass, lost = self._means(labels, state.centers)
        else:
            labels = self.search.nearest(state.centers, factors)
            touched = _touched(labels, state)
            centers, spread, mass, lost = self.solver.centers(
                labels, touched, state.centers, state.spread
            )
        changed = torch.where(labels != state.labels, self.rows.load, 0.0).sum()
        weights = rule.weights(spread, mass)
        costs = (rule.factors(weights) * spread).sum(dim=1)
        numbers = [changed, (mass == 0.0).sum(), lost, rule.total(costs, mass, weights)]
        flags = torch.stack([number.to(torch.float64) for number in numbers])
        return _Round(_State(labels, centers, weights, spread), flags)

    def _means(self, labels: Tensor, centers: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return means and dispersions (K, M), masses (K,), and how many dispersions are lost."""
        first, second, mass = fused.moments.moments(self.rows.X, self.rows.load, labels, centers)
        filled = (mass > 0.0)[:, None]
        share = torch.where(filled, first / mass[:, None], 0.0)
        spread = torch.where(filled, second - share * first, 0.0)
        return centers + share, spread, mass, (spread < CANCELLED * second).sum()

    def _record(self, state: _State) -> Callable[[_State], _Round]:
        """Return `_round` as one recorded graph: dozens of small steps, started at once."""
        if self.rows.X.device.type != "cuda":
            return self._round
        self._round(state)  # compiles kernels that are not compiled yet
        given = _State(*(each.clone() for each in state))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            found = self._round(given)

        def replay(here: _State) -> _Round:
            for target, source in zip(given, here, strict=True):
                target.copy_(source)
            graph.replay()
            return _Round(_State(*(each.clone() for each in found.after)), found.flags.clone())

        return replay

    @staticmethod
    def _answer(
        state: _State, trace: list[float], *, converged: bool = False, changed: bool = True
    ) -> Advance:
        labels, centers, weights = (each.cpu().numpy() for each in state[:3])
        return Advance(labels, centers, weights, trace, converged, changed)


def _touched(labels: Tensor, state: _State) -> Tensor:
    """Return which clusters rows left or joined, (K,), or whose dispersions are not known."""
    n_clusters = len(state.centers)
    moved = labels != state.labels
    touched = torch.zeros(n_clusters + 1, dtype=torch.bool, device=labels.device)
    for each in (labels, state.labels):
        which = torch.where(moved & (each >= 0), each, n_clusters).to(torch.int64)
        touched.scatter_(0, which, True)
    return touched[:n_clusters] | state.spread.isnan().any(dim=1)
