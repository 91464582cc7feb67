"""What we found wrong or unstated in the papers: each a fact, with its evidence counted here.

Arithmetic on printed numbers needs no run: the studies hold them. Evidence from runs is read from
the committed rows, so that a page says what the rows say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from bench.studies.facts import amorim, kernel, oneill, projected, staged

FACTS: dict[str, Callable[[Path], Iterator[str]]] = {
    "oneill": oneill.facts,
    "amorim": amorim.facts,
    "projected": projected.facts,
    "staged": staged.facts,
    "kernel": kernel.facts,
}
TITLES = {
    "oneill": "O'Neill 2017: PSO-FSW and PSO-FSWE",
    "amorim": "de Amorim 2011: Minkowski weighted K-Means",
    "projected": "Lu, Wang, Li, Zhou 2009: PSOVW",
    "staged": "Lensen, Xue, Zhang 2017: staged PSO",
    "kernel": "Abraham, Das, Konar 2007: kernel MEPSO",
}
