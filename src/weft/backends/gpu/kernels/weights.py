"""From dispersions to feature weights, in torch: see `weft.kmeans.weights` for the rules.

Only the `kind` and the settings of a rule are used; the rule itself computes on the host.
"""

from __future__ import annotations

from typing import Any

import torch

from weft._base.arrays import Tensor


class DeviceRule:
    """The weights, factors and criterion of a rule, for tensors without missing values."""

    def __init__(self, rule: Any, device: Any) -> None:
        self.rule = rule
        self.active = torch.as_tensor(rule.active, device=device)
        self.member: Tensor = None
        if rule.kind == "power" and rule.groups is not None:
            groups = torch.as_tensor(rule.groups, device=device)
            names, self.group_of = torch.unique(groups, return_inverse=True)
            self.member = (groups[:, None] == names) * self.active[:, None].to(torch.float64)

    def weights(self, dispersions: Tensor, sizes: Tensor) -> Tensor:
        rule, spread = self.rule, dispersions
        if rule.kind == "unweighted":
            return torch.full_like(spread, 1.0 / spread.shape[1])
        if rule.kind == "entropy":
            if rule.averaged:
                spread = spread / sizes.clamp(min=torch.finfo(torch.float64).tiny)[:, None]
            spread = torch.where(self.active, spread, torch.inf)
            least = spread.amin(dim=1, keepdim=True)
            return torch.softmax(-(spread - least) / rule.gamma, dim=1)
        if self.member is not None:
            means = spread @ self.member / self.member.sum(dim=0).clamp(min=1.0)
            spread = means[:, self.group_of]
        if not rule.per_cluster:
            spread = spread.sum(dim=0, keepdim=True)
        if rule.offset == "mean":
            spread = spread + (spread * self.active).sum() / (self.active.sum() * len(spread))
        else:
            spread = spread + float(rule.offset)
        return self._power_weights(spread).expand(dispersions.shape).contiguous()

    def _power_weights(self, dispersions: Tensor) -> Tensor:
        spread = torch.where(self.active, dispersions, torch.inf)
        least = spread.amin(dim=1, keepdim=True)
        if self.rule.beta == 1.0:
            first = (spread == least).to(torch.int8).argmax(dim=1, keepdim=True)
            return torch.zeros_like(spread).scatter_(1, first, 1.0)
        shares = torch.exp((least.log() - spread.log()) / (self.rule.beta - 1.0))
        shares = torch.where(least == 0.0, (spread == 0.0).to(spread.dtype), shares)
        return shares / shares.sum(dim=1, keepdim=True)

    def factors(self, weights: Tensor) -> Tensor:
        if self.rule.kind == "unweighted":
            return torch.ones_like(weights)
        return weights**self.rule.beta if self.rule.kind == "power" else weights

    def total(self, costs: Tensor, sizes: Tensor, weights: Tensor) -> Tensor:
        if self.rule.kind != "entropy":
            return costs.sum()
        if self.rule.averaged:
            costs = costs / sizes.clamp(min=torch.finfo(torch.float64).tiny)
        return costs.sum() + self.rule.gamma * torch.xlogy(weights, weights).sum()
