"""What is wrong or unstated in Lu et al. 2009."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.harness.directions import ours
from bench.harness.spread import start_share
from bench.harness.study import load, printed


def facts(folder: Path) -> Iterator[str]:
    """Lu et al. 2009."""
    for number, m in ((1, 100), (2, 1000), (3, 2000)):
        name = f"projected-{number}"
        found = ours(name, "accuracy", "k-means", folder)
        if len(found):
            wanted = printed(name, "accuracy", "k-means")
            default = ours(name, "accuracy", "ProjectedSwarm()", folder)
            yield (
                f"m = {m}: k-means from one random start gets {found.mean():.1f} % on the paper's "
                f"generator (lowest "
                f"{found.min():.1f}); printed: {min(wanted):g} to {max(wanted):g}. "
                f"ProjectedSwarm() gets "
                f"{default.mean():.1f}."
            )
    entropy = ours("projected-1", "accuracy", "EWKM", folder)
    if len(entropy):
        yield (
            f"EWKM at the printed γ = 1 gets {entropy.mean():.1f} % at m = 100 (printed: "
            f"{np.mean(printed('projected-1', 'accuracy', 'EWKM')):.1f}). Dispersions are sums "
            "over about 50 rows, so the exponential leaves one feature per cluster."
        )
    shares = {
        method: start_share(load("projected-1"), method, "accuracy")
        for method in ("PSOVW", "k-means", "EWKM", "W-k-means", "LAC")
    }
    if any(shares.values()):
        yield (
            "Four starts on each of four sets of two kinds. Share of the variance of the accuracy "
            "that comes from the starts: "
            + ", ".join(f"{method} {100 * share:.0f} %" for method, share in shares.items())
            + "; the rest comes from the sets. So 20 runs on one printed set "
            "can be compared with 20 runs of ours, each on its own set."
        )
    psovw = ours("projected-1", "accuracy", "PSOVW", folder)
    wanted = printed("projected-1", "accuracy", "PSOVW")
    yield (
        'Particles outside [0, 1] are "neglected" (section 3): a matrix with any weight outside is '
        "not evaluated. At m = 100 about 160 of 5,000 are. Read literally, the mean over the "
        f"twelve sets is {psovw.mean():.1f} (printed {np.mean(wanted):.1f}); the best of the ten "
        "starts alone reaches the same (decision 0030)."
    )
    yield (
        "P_c is said to range from 0.05 to 0.5; the printed formula starts at 0. The inertia "
        "weight is called λ, then α, "
        "which is also the overlap of the data."
    )
    yield "Figures 2 to 4 are bar charts without numbers; we have no copy of tr45 and wap."
